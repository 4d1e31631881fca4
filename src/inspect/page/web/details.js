// All about the chosen function, beside the panels, or below them on a phone.

class Details {
  constructor(report, app) {
    this.report = report;
    this.app = app;
    this.root = document.getElementById("details");
  }

  show(f) {
    const { report } = this;
    this.root.hidden = f === undefined;
    if (f === undefined) return;
    const image = report.images[report.image[f]];
    const close = element("button", { type: "button", class: "quiet close", "aria-label": "Close", click: () => this.app.select(undefined) }, "×");
    this.root.replaceChildren(close, element("p", { class: "kind" }, report.kernel[f] ? "Kernel" : "Function"),
      element("h2", {}, nameText(report.name[f])), this.mangled(f), this.numbers(f, image), this.occupancy(f, image), this.calls(f));
    this.root.scrollTop = 0;
  }

  mangled(f) {
    const name = mangledName(this.report, f);
    return name === this.report.name[f] ? null : element("p", { class: "mangled" }, nameText(name));
  }

  numbers(f, image) {
    const { report } = this;
    const reached = reachedFrom(report, f);
    const withCalls = reached.reduce((sum, g) => sum + report.bytes[g], 0);
    const rows = [
      ["Machine code", bytesText(report.code[f])],
      ["In the file", bytesText(report.bytes[f])],
      ["with what it calls", reached.length > 1 ? `${bytesText(withCalls)} in ${count(reached.length, "function")}` : ""],
      ["Share of the image", percentText(report.bytes[f], image.size)],
      ["Registers", numberText(report.registers[f])],
      ["Stack", report.stack[f] < 0 ? "–" : report.stack[f] === kUnbounded ? "no limit" : bytesText(report.stack[f])],
      ["Spill instructions", report.spills[f] < 0 ? "" : kNumber.format(report.spills[f])],
      ["Local memory", report.local[f] ? bytesText(report.local[f]) : ""],
      ["Shared memory", bytesText(report.shared[f])],
      ["Constant banks", bytesText(report.constant[f])],
      ["Barriers", report.barriers[f] > 0 ? kNumber.format(report.barriers[f]) : ""],
      ["Compiled for blocks of", report.threads[f] ? count(report.threads[f], "thread") : ""],
      ["Input", report.input[f]], ["Image", imageTitle(image)],
    ];
    return element("dl", { class: "numbers" }, ...rows.filter(([, text]) => text !== "").flatMap(([title, text]) =>
      [element("dt", {}, title), element("dd", {}, nameText(text))]));
  }

  occupancy(f, image) {
    const { report } = this;
    if (!report.kernel[f] || !image.linked || !image.sm || report.registers[f] < 0) return null;
    const most = report.threads[f] || 1024;
    const rows = kBlockSizes.filter((size) => size <= most).map((size) => {
      const found = occupancy(image.sm, report.registers[f], report.shared[f], size);
      const bar = element("span", { class: "meter" });
      bar.style.inlineSize = found.percent + "%";
      const why = found.blocks === 0 ? "does not fit" : found.percent === 100 ? "" : found.limit;
      return element("tr", {}, element("th", { scope: "row" }, String(size)),
        element("td", { class: "bar" }, element("span", { class: "bar-box" }, bar, element("span", {}, found.percent + " %"))),
        element("td", {}, why));
    });
    return element("table", { class: "plain occupancy" }, element("caption", {}, "Occupancy by block size"),
      element("thead", {}, element("tr", {}, ...["Threads", "Occupancy", "Limited by"].map((title) => element("th", { scope: "col" }, title)))),
      element("tbody", {}, ...rows));
  }

  calls(f) {
    const list = (title, functions) => (functions.length === 0 ? [] : [element("h3", {}, `${title} ${kNumber.format(functions.length)}`),
      element("ul", { class: "found" }, ...functions.slice(0, kFound).map((g) => element("li", {}, element("button", {
        type: "button", class: "link", click: () => this.app.select(g) }, nameText(this.report.name[g])))))]);
    return element("div", {}, ...list("Calls", calleesOf(this.report, f)), ...list("Called by", callersOf(this.report, f)),
      element("button", { type: "button", class: "action", click: () => this.app.open("calls") }, "Show the call graph"));
  }
}
