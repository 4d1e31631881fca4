// The call graph around one function: who calls it on the left, what it calls and what that calls to
// the right. A box is a button; a column shows the first functions and counts the others.

const kDepth = 3; // columns of callees
const kColumnRows = 14;
const kFound = 12;

// Columns of functions: callers first, the function alone in the second, callees by their distance.
function callColumns(report, f) {
  const columns = [callersOf(report, f).filter((caller) => caller !== f), [f]];
  const seen = new Set([f]);
  let level = [f];
  for (let depth = 0; depth < kDepth; ++depth) {
    level = [...new Set(level.flatMap((caller) => calleesOf(report, caller)))].filter((callee) => !seen.has(callee));
    level.forEach((callee) => seen.add(callee));
    if (level.length === 0) break;
    columns.push(level);
  }
  return columns.map((column) => ({
    shown: [...column].sort((a, b) => report.code[b] - report.code[a]).slice(0, kColumnRows), total: column.length,
  }));
}

class CallsPanel {
  constructor(report, app) {
    this.report = report;
    this.app = app;
    this.found = element("ul", { class: "found" });
    this.search = element("input", {
      type: "search", id: "function-search", placeholder: "part of a name", autocomplete: "off", spellcheck: "false",
      input: () => this.find(),
    });
    this.title = element("h2", {});
    this.graph = element("div", { class: "graph", tabindex: "0", role: "region", "aria-label": "Call graph" });
    this.root = element("div", { class: "calls-panel" },
      element("div", { class: "tools" }, element("label", { class: "field grow" }, element("span", {}, "Function"), this.search)),
      this.found, this.title, this.graph);
  }

  find() {
    const word = this.search.value.trim().toLowerCase();
    const rows = [];
    for (let f = 0; f < this.report.count && word && rows.length < kFound; ++f) {
      if (searchedNames(this.report)[f].includes(word)) rows.push(f);
    }
    this.found.replaceChildren(...rows.map((f) => element("li", {}, element("button", {
      type: "button", class: "link", click: () => { this.search.value = ""; this.find(); this.app.select(f); },
    }, nameText(this.report.name[f])))));
  }

  // The chosen function, or the kernel that reaches most code.
  start() {
    if (this.app.selected !== undefined) return this.app.selected;
    let best;
    for (const image of this.app.images()) {
      for (let f = image.first; f < image.end; ++f) {
        const calls = (g) => this.report.callStart[g + 1] - this.report.callStart[g];
        if (best === undefined || calls(f) > calls(best)) best = f;
      }
    }
    return best;
  }

  show() {
    const f = this.start();
    if (f === undefined) {
      this.graph.replaceChildren(element("p", { class: "note" }, "There is no function in this file."));
      return;
    }
    const columns = callColumns(this.report, f);
    this.title.replaceChildren("Calls around ", nameText(this.report.name[f]));
    const words = ["called by", "", "calls", "which call", "which call"];
    this.boxes = new Map();
    this.graph.replaceChildren(element("div", { class: "columns" }, ...columns.map((column, i) => column.total > 0 &&
      element("div", { class: "column" + (i === 1 ? " centre" : "") },
        element("h3", {}, i === 1 ? (this.report.kernel[f] ? "kernel" : "function") : `${words[i]} ${kNumber.format(column.total)}`),
        ...column.shown.map((g) => this.box(g, g === f && i === 1)),
        column.total > column.shown.length
          ? element("p", { class: "note" }, `and ${count(column.total - column.shown.length, "other")}`) : null))));
    if (columns.length === 2) this.graph.append(element("p", { class: "note" }, "It calls no function of its own."));
    this.drawLinks();
  }

  box(g, chosen) {
    const box = element("button", {
      type: "button", class: "box" + (this.report.kernel[g] ? " kernel" : ""), "aria-current": chosen ? "true" : undefined,
      click: () => this.app.select(g), title: this.report.name[g],
    }, nameText(this.report.name[g]), element("small", {}, bytesText(this.report.code[g]) +
      (this.report.registers[g] >= 0 ? " · " + count(this.report.registers[g], "register") : "")));
    if (!this.boxes.has(g)) this.boxes.set(g, box);
    return box;
  }

  // Lines lie behind the boxes. Where columns stand below each other, on a phone, there are none.
  drawLinks() {
    const holder = this.graph.firstChild;
    const origin = holder.getBoundingClientRect();
    const lines = [];
    for (const [caller, from] of this.boxes) {
      for (const callee of calleesOf(this.report, caller)) {
        const to = this.boxes.get(callee);
        if (!to || to === from) continue;
        const [a, b] = [from.getBoundingClientRect(), to.getBoundingClientRect()];
        if (b.left <= a.right) continue;
        const [x1, y1, x2, y2] = [a.right - origin.left, a.top + a.height / 2 - origin.top, b.left - origin.left, b.top + b.height / 2 - origin.top];
        const middle = (x1 + x2) / 2;
        lines.push(svgElement("path", { d: `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}` }));
      }
    }
    holder.prepend(svgElement("svg", { class: "links", width: origin.width, height: origin.height, "aria-hidden": "true" }, ...lines));
  }
}
