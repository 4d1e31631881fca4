// What is stored more than once: functions with the same machine code for the same target, in one
// image or in several.

function copyColumns(report) {
  const number = (key, title, hint, value) => ({ key, title, hint, kind: "number", value, text: (row) => kNumber.format(value(row)) });
  const word = (key, title, kind, value) => ({ key, title, kind, value, text: value });
  const distinct = (row, value) => [...new Set(row.map(value))].join(", ");
  const columns = [
    word("name", "Name", "name", (row) => distinct(row, (f) => report.name[f])),
    number("extra", "Extra", "bytes of code that all of them but one take", (row) => (row.length - 1) * report.code[row[0]]),
    number("count", "Duplicates", "functions with this code", (row) => row.length),
    number("code", "Code", "bytes of machine code of each", (row) => report.code[row[0]]),
  ];
  if (!hasOneTarget(report)) columns.push(word("target", "Target", "word", (row) => targetOf(report, row[0])));
  if (report.images.length > 1) {
    columns.push(word("image", "Images", "name", (row) => distinct(row, (f) => imageTitle(report.images[report.image[f]]))));
  } else if (report.images.some((image) => image.inputs.length > 0)) {
    columns.push(word("input", "Inputs", "name", (row) => distinct(row, (f) => report.input[f])));
  }
  return columns;
}

class DuplicatesPanel {
  constructor(report, app) {
    this.rows = duplicatesOf(report);
    this.table = new VirtualTable("What is stored more than once", copyColumns(report), (row) => app.select(row[0]));
    this.table.order = { key: "extra", down: true };
    const extra = this.rows.reduce((sum, row) => sum + (row.length - 1) * report.code[row[0]], 0);
    const filter = element("input", { type: "search", id: "duplicates-filter", placeholder: "part of a name", autocomplete: "off",
      spellcheck: "false", input: () => this.show() });
    this.shownRows = () => {
      const word = filter.value.trim().toLowerCase();
      return this.rows.filter((row) => row.some((f) => searchedNames(report)[f].includes(word)));
    };
    this.root = element("div", { class: "duplicates-panel" },
      element("div", { class: "tools" }, element("label", { class: "field grow" }, element("span", {}, "Filter"), filter),
        element("span", { class: "shown" }, `${bytesText(extra)} for duplicates of ${count(this.rows.length, "function")}`)),
      this.table.root);
  }

  show() {
    this.table.show(this.shownRows());
  }
}
