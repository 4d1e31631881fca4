// What only a link knows: what it left out and why, its messages, and how long its steps took.

class DiscardedPanel {
  constructor(report) {
    const { discarded } = report;
    const names = readNames(discarded.names);
    const lower = names.map((name, i) => (name + " " + discarded.files[i] + " " + discarded.why[i]).toLowerCase());
    const word = (key, title, list) => ({ key, title, kind: "name", value: (i) => list[i], text: (i) => list[i] });
    this.table = new VirtualTable("What was discarded", [
      word("name", "Name", names),
      { key: "bytes", title: "Bytes", kind: "number", value: (i) => discarded.bytes[i], text: (i) => kNumber.format(discarded.bytes[i]) },
      word("why", "Why", discarded.why), word("file", "Input", discarded.files),
    ]);
    this.table.order = { key: "bytes", down: true };
    const total = discarded.bytes.reduce((sum, bytes) => sum + bytes, 0);
    const filter = element("input", { type: "search", id: "discarded-filter", placeholder: "name, input or reason", autocomplete: "off",
      spellcheck: "false", input: () => this.show() });
    this.rows = () => names.map((_, i) => i).filter((i) => lower[i].includes(filter.value.trim().toLowerCase()));
    this.root = element("div", { class: "discarded-panel" },
      element("div", { class: "tools" }, element("label", { class: "field grow" }, element("span", {}, "Filter"), filter),
        element("span", { class: "shown" }, `${bytesText(total)} in ${count(names.length, "definition")} left out`)),
      this.table.root);
  }

  show() {
    this.table.show(this.rows());
  }
}

class MessagesPanel {
  constructor(report) {
    const rows = report.messages.map((text, i) => {
      const [first, ...rest] = text.trim().split("\n");
      return element("li", { class: "message " + report.severities[i] },
        element("strong", {}, report.severities[i]), " ", nameText(first),
        rest.length > 0 ? element("pre", {}, rest.join("\n")) : null);
    });
    this.root = element("div", { class: "messages-panel" }, rows.length === 0
      ? element("p", { class: "note" }, "The link had nothing to say.") : element("ul", {}, ...rows));
  }

  show() {}
}

class StepsPanel {
  constructor(report) {
    const most = Math.max(...report.stepWall, 1);
    const total = (times) => times.reduce((sum, time) => sum + time, 0);
    const text = (time) => (time / 1000).toFixed(2);
    const row = (name, wall, processor, isTotal) => {
      const bar = element("span", { class: "meter" });
      bar.style.inlineSize = isTotal ? "0" : (100 * wall) / most + "%";
      return element("tr", {}, element("th", { scope: "row" }, name), element("td", { class: "number" }, text(wall)),
        element("td", { class: "number" }, text(processor)), element("td", { class: "bar wide" }, element("span", { class: "bar-box" }, bar)));
    };
    this.root = element("div", { class: "steps-panel", tabindex: "0", role: "region", "aria-label": "Time per step" }, element("table", { class: "plain" },
      element("caption", {}, "Time per step, in milliseconds"),
      element("thead", {}, element("tr", {}, ...["Step", "Clock", "Processor", "Share"].map((title) => element("th", { scope: "col" }, title)))),
      element("tbody", {}, ...report.steps.map((name, i) => row(name, report.stepWall[i], report.stepProcessor[i], false)),
        row("total", total(report.stepWall), total(report.stepProcessor), true))));
  }

  show() {}
}
