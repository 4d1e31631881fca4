// The table of kernels, with a filter of words and of conditions such as registers>128.

const kConditions = /^([a-z]+)(<=|>=|<|>|=)(\d+)$/;

function numberText(value) {
  return value < 0 ? "–" : kNumber.format(value);
}

function stackText(value) {
  return value === kUnbounded ? "no limit" : numberText(value);
}

function kernelColumns(report, threads) {
  const column = (key, title, hint) => ({
    key, title, hint, kind: "number", value: (f) => report[key][f], text: (f) => numberText(report[key][f]),
  });
  const columns = [
    { key: "name", title: "Name", kind: "name", value: (f) => report.name[f], text: (f) => report.name[f] },
    column("code", "Code", "bytes of machine code"),
    column("registers", "Registers", "per thread"),
    { ...column("stack", "Stack", "bytes per thread with all that is called; registers that were spilled are part of it"),
      text: (f) => stackText(report.stack[f]) },
    column("spills", "Spills", "instructions that store or load spilled registers"),
    column("local", "Local", "bytes of local memory per thread beside the stack"),
    column("shared", "Shared", "bytes of static shared memory per block"),
    column("constant", "Constant", "bytes of its own constant banks, parameters included"),
  ];
  if (report.images.some((image) => image.sm)) {
    const percent = (f) => (report.kernel[f] ? occupancyOf(report, f, threads())?.percent ?? -1 : -1);
    columns.push({ key: "occupancy", title: "Occupancy", kind: "bar", value: percent,
      hint: "warps that a multiprocessor can hold at once, of those that it has room for",
      text: (f) => (percent(f) < 0 ? "–" : percent(f) + " %") });
  }
  columns.push({ ...column("threads", "Block", "threads of a block that it was compiled for"),
    text: (f) => (report.threads[f] === 0 ? "–" : kNumber.format(report.threads[f])) });
  if (report.images.some((image) => image.inputs.length > 0)) {
    columns.push({ key: "input", title: "Input", kind: "name", value: (f) => report.input[f], text: (f) => report.input[f] });
  }
  if (report.images.length > 1) {
    const title = (f) => imageTitle(report.images[report.image[f]]);
    columns.push({ key: "image", title: "Image", kind: "name", value: title, text: title });
  }
  return columns;
}

// Turns the words of a filter into a test. A word that is no condition is part of a name.
function makeFilter(report, columns, text) {
  const tests = text.trim().toLowerCase().split(/\s+/).filter(Boolean).map((word) => {
    const [, key, sign, digits] = kConditions.exec(word) ?? [];
    const column = key && columns.find((each) => each.key === key && each.kind !== "name");
    if (!column) return (f) => searchedNames(report)[f].includes(word);
    const number = Number(digits);
    const compare = {
      "<": (value) => value >= 0 && value < number, ">": (value) => value > number, "=": (value) => value === number,
      "<=": (value) => value >= 0 && value <= number, ">=": (value) => value >= number,
    }[sign];
    return (f) => compare(column.value(f));
  });
  return (f) => tests.every((test) => test(f));
}

class KernelsPanel {
  constructor(report, app) {
    this.report = report;
    this.app = app;
    this.threads = 256;
    this.columns = kernelColumns(report, () => this.threads);
    this.table = new VirtualTable("Kernels", this.columns, (f) => app.select(f));
    this.table.order = { key: "code", down: true };
    this.filter = element("input", {
      type: "search", id: "filter", placeholder: "reduce registers>128 occupancy<50", autocomplete: "off",
      spellcheck: "false", input: () => this.show(),
    });
    this.functions = element("input", { type: "checkbox", id: "functions", change: () => this.show() });
    this.shown = element("output", { class: "shown", for: "filter" });
    const sizes = kBlockSizes.map((size) => [String(size), String(size)]);
    this.root = element("div", { class: "kernels-panel" },
      element("div", { class: "tools" },
        element("label", { class: "field grow" }, element("span", {}, "Filter"), this.filter),
        choice("Block size", sizes, String(this.threads), (size) => { this.threads = Number(size); this.show(); }),
        element("label", { class: "check" }, this.functions, " Functions, too"), this.shown),
      this.table.root);
  }

  show() {
    const takes = makeFilter(this.report, this.columns, this.filter.value);
    const rows = [];
    let total = 0;
    for (const image of this.app.images()) {
      for (let f = image.first; f < image.end; ++f) {
        if (!this.report.kernel[f] && !this.functions.checked) continue;
        ++total;
        if (takes(f)) rows.push(f);
      }
    }
    this.shown.textContent = `${kNumber.format(rows.length)} of ${kNumber.format(total)}`;
    this.table.show(rows);
  }
}
