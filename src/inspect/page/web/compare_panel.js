// Two images side by side: sums, two treemaps with the same colours, and what became of each kernel.
// Functions are the same if they have the same name in the file and are for the same target, where a
// file has several; those of one name are matched in their order. `cubin diff` does the same.

// Rows of functions, [earlier or undefined, later or undefined].
function matchFunctions(report) {
  const sides = [true, false].map((earlier) => report.images.filter((image) => image.earlier === (earlier ? 1 : 0)));
  const byTarget = sides.some((images) => new Set(images.map((image) => image.target)).size > 1);
  const rows = new Map();
  sides.forEach((images, side) => {
    const seen = new Map();
    for (const image of images) {
      const names = mangledNames(image);
      for (let f = image.first; f < image.end; ++f) {
        const key = names[f - image.first] + "\n" + (byTarget ? image.target : "");
        const number = seen.get(key) ?? 0;
        seen.set(key, number + 1);
        const place = key + "\n" + number;
        if (!rows.has(place)) rows.set(place, [undefined, undefined]);
        rows.get(place)[side] = f;
      }
    }
  });
  return [...rows.values()];
}

const kCompared = ["code", "registers", "stack", "spills", "barriers", "local", "shared", "constant", "instructions"];

function changeOf(report, [before, after]) {
  if (before === undefined) return "new";
  if (after === undefined) return "gone";
  return kCompared.some((key) => report[key][before] !== report[key][after]) ? "changed" : "same";
}

function signed(value) {
  return (value > 0 ? "+" : value < 0 ? "−" : "") + kNumber.format(Math.abs(value));
}

function compareColumns(report) {
  const nameOf = ([before, after]) => report.name[after ?? before];
  const number = (key, title) => ({
    key, title, kind: "number",
    value: ([before, after]) => (after === undefined ? 0 : report[key][after]) - (before === undefined ? 0 : report[key][before]),
    text: ([before, after]) => {
      const text = (f) => (f === undefined ? "–" : key === "stack" ? stackText(report[key][f]) : numberText(report[key][f]));
      return text(before) === text(after) ? text(after) : `${text(before)} → ${text(after)}`;
    },
  });
  const growth = number("code", "");
  const target = ([before, after]) => targetOf(report, after ?? before);
  const targets = report.sameTarget ? [] : [{ key: "target", title: "Target", kind: "word", value: target, text: target }];
  return [
    { key: "name", title: "Name", kind: "name", value: nameOf, text: nameOf }, ...targets,
    { key: "change", title: "Change", kind: "word", value: (row) => changeOf(report, row), text: (row) => changeOf(report, row) },
    { key: "growth", title: "Code ±", kind: "number", hint: "sorted by how much it is, whichever way", value: (row) => Math.abs(growth.value(row)), text: (row) => signed(growth.value(row)) },
    number("code", "Code"), number("registers", "Registers"), number("stack", "Stack"), number("local", "Local"),
    number("shared", "Shared"), number("constant", "Constant"),
  ];
}

class ComparePanel {
  constructor(report, app) {
    this.report = report;
    this.app = app;
    report.sameTarget = hasOneTarget(report);
    this.rows = matchFunctions(report);
    this.maps = [0, 1].map((side) => new Treemap(side === 0 ? "Treemap of the earlier image" : "Treemap of the later image", {
      choose: (item) => { if (item.f !== undefined) app.select(item.f); },
      describe: (item, group) => describeTile(report, item, group),
    }));
    this.table = new VirtualTable("Changes", compareColumns(report), ([before, after]) => app.select(after ?? before));
    this.table.order = { key: "growth", down: true };
    this.filter = element("input", { type: "search", id: "compare-filter", placeholder: "part of a name", autocomplete: "off",
      spellcheck: "false", input: () => this.showTable() });
    this.which = "differences";
    this.shown = element("output", { class: "shown", for: "compare-filter" });
    this.root = element("div", { class: "compare-panel" }, this.sums(),
      element("div", { class: "pair" }, ...this.maps.map((map, side) => element("figure", {}, element("figcaption", {},
        this.sideTitle(side)), map.root))),
      element("div", { class: "tools" },
        element("label", { class: "field grow" }, element("span", {}, "Filter"), this.filter),
        choice("Show", [["differences", "differences"], ["new", "new"], ["gone", "gone"], ["changed", "changed"], ["all", "all"]],
          this.which, (which) => { this.which = which; this.showTable(); }), this.shown),
      this.table.root);
  }

  side(side) {
    return this.report.images.filter((image) => (image.earlier ? 0 : 1) === side);
  }

  sideTitle(side) {
    const names = [...new Set(this.side(side).map((image) => image.file))];
    return (side === 0 ? "Earlier: " : "Later: ") + names.join(", ");
  }

  sums() {
    const sum = (side, value) => this.side(side).reduce((total, image) => total + value(image), 0);
    const ofFunctions = (value) => (image) => {
      let total = 0;
      for (let f = image.first; f < image.end; ++f) total += value(f);
      return total;
    };
    const rows = [
      ["Size", (image) => image.size, bytesText], ["Code", ofFunctions((f) => this.report.code[f]), bytesText],
      ["Kernels", ofFunctions((f) => this.report.kernel[f]), (n) => kNumber.format(n)],
      ["Functions", ofFunctions((f) => 1 - this.report.kernel[f]), (n) => kNumber.format(n)],
    ];
    return element("dl", { class: "facts sums" }, ...rows.map(([title, value, text]) => {
      const [before, after] = [sum(0, value), sum(1, value)];
      const share = before === 0 || before === after ? "" : ` (${signed(Number((100 * (after - before) / before).toFixed(1)))} %)`;
      return element("div", {}, element("dt", {}, title), element("dd", {}, `${text(before)} → ${text(after)}${share}`));
    }));
  }

  show() {
    // A template has one colour on both sides: that of its place among all.
    const rank = new Map(makeGroups(this.report, this.report.images, "family", "group").map((group) => [group.name, group.color]));
    this.maps.forEach((map, side) => {
      const groups = makeGroups(this.report, this.side(side), "family", "group");
      for (const group of groups) {
        group.color = rank.get(group.name);
        for (const item of group.items) if (item.f !== undefined) item.color = group.color;
      }
      map.show(groups);
    });
    this.showTable();
  }

  showTable() {
    const word = this.filter.value.trim().toLowerCase();
    const rows = this.rows.filter((row) => {
      const change = changeOf(this.report, row);
      const fits = this.which === "all" || (this.which === "differences" ? change !== "same" : change === this.which);
      return fits && (!word || searchedNames(this.report)[row[1] ?? row[0]].includes(word));
    });
    this.shown.textContent = `${kNumber.format(rows.length)} of ${kNumber.format(this.rows.length)}`;
    this.table.show(rows);
  }
}
