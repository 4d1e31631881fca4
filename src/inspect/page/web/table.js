// A table that may have 64,000 rows: only those in view are elements, between two empty rows that are
// as high as the rest. It is a grid with one row chosen by the arrow keys.

const kSpare = 8; // rows beyond what can be seen

// columns: [{key, title, text(row), value(row), kind: "name" | "number" | "bar", hint}].
class VirtualTable {
  constructor(label, columns, onChoose) {
    this.columns = columns;
    this.onChoose = onChoose;
    this.rows = [];
    this.order = { key: null, down: true };
    this.active = -1;
    this.prefix = "row-" + VirtualTable.made++ + "-";
    this.head = element("tr", { role: "row", "aria-rowindex": "1" }, ...columns.map((column) => this.heading(column)));
    this.body = element("tbody", { role: "rowgroup" });
    this.table = element("table", {
      role: "grid", tabindex: "0", "aria-label": label, keydown: (event) => this.key(event), focus: () => this.focused(),
    }, element("thead", { role: "rowgroup" }, this.head), this.body);
    this.root = element("div", { class: "table-box", scroll: () => this.schedule() }, this.table);
    this.watch = new ResizeObserver(() => this.render(true));
    this.watch.observe(this.root);
  }

  heading(column) {
    return element("th", { role: "columnheader", scope: "col", class: column.kind, "aria-sort": "none", title: column.hint },
      element("button", { type: "button", click: () => this.sortBy(column.key) }, column.title));
  }

  show(rows) {
    this.rows = [...rows];
    this.active = -1;
    this.table.setAttribute("aria-rowcount", this.rows.length + 1);
    this.table.removeAttribute("aria-activedescendant");
    this.sort();
    this.root.scrollTop = 0;
    this.render(true);
  }

  // Numbers begin with the largest, names with the first.
  sortBy(key) {
    const column = this.columns.find((each) => each.key === key);
    const isNew = this.order.key !== key;
    this.order = { key, down: isNew ? column.kind !== "name" : !this.order.down };
    this.sort();
    this.render(true);
    announce(`Sorted by ${column.title}, ${this.order.down ? "descending" : "ascending"}`);
  }

  sort() {
    const column = this.columns.find((each) => each.key === this.order.key);
    [...this.head.children].forEach((cell, i) => {
      const sorted = this.columns[i] === column;
      cell.setAttribute("aria-sort", sorted ? (this.order.down ? "descending" : "ascending") : "none");
    });
    if (!column) return;
    const sign = this.order.down ? -1 : 1;
    const keyed = this.rows.map((row, i) => [column.value(row), i, row]);
    keyed.sort(([a, i], [b, j]) => (a < b ? -sign : a > b ? sign : i - j));
    this.rows = keyed.map(([, , row]) => row);
  }

  schedule() {
    this.pending ??= requestAnimationFrame(() => {
      this.pending = undefined;
      this.render(false);
    });
  }

  rowHeight() {
    this.height = this.body.querySelector("tr.row")?.getBoundingClientRect().height || this.height || 34;
    return this.height;
  }

  render(anew) {
    if (this.root.clientHeight === 0) return;
    const height = this.rowHeight();
    const first = Math.max(0, Math.floor(this.root.scrollTop / height) - kSpare);
    const end = Math.min(this.rows.length, first + Math.ceil(this.root.clientHeight / height) + 2 * kSpare);
    if (!anew && first === this.first && end === this.end) return;
    [this.first, this.end] = [first, end];
    const made = [this.spacer(first * height)];
    for (let at = first; at < end; ++at) made.push(this.row(at));
    made.push(this.spacer((this.rows.length - end) * height));
    this.body.replaceChildren(...made);
  }

  spacer(height) {
    const row = element("tr", { "aria-hidden": "true", class: "spacer" });
    row.style.blockSize = height + "px";
    return row;
  }

  row(at) {
    const row = this.rows[at];
    return element("tr", {
      role: "row", class: "row", id: this.prefix + at, "aria-rowindex": at + 2, "aria-selected": at === this.active ? "true" : "false",
      click: () => { this.activate(at); this.onChoose?.(row); },
    }, ...this.columns.map((column, i) => this.cell(column, row, i === 0)));
  }

  cell(column, row, isHeader) {
    const attributes = { class: column.kind, role: isHeader ? "rowheader" : "gridcell" };
    if (column.kind === "name") return element("td", attributes, nameText(column.text(row), { title: column.text(row) }));
    if (column.kind !== "bar") return element("td", attributes, column.text(row));
    const bar = element("span", { class: "meter" });
    bar.style.inlineSize = Math.max(0, column.value(row)) + "%";
    return element("td", attributes, element("span", { class: "bar-box" }, bar, element("span", {}, column.text(row))));
  }

  focused() {
    if (this.active < 0 && this.rows.length > 0 && this.table.matches(":focus-visible")) this.activate(this.first ?? 0);
  }

  key(event) {
    if (event.target !== this.table) return;
    const page = Math.max(1, Math.floor(this.root.clientHeight / this.rowHeight()) - 2);
    const last = this.rows.length - 1;
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.rows.length, End: this.rows.length };
    if (event.key in moves) this.activate(Math.min(Math.max(this.active + moves[event.key], 0), last));
    else if (event.key === "Enter" && this.rows[this.active] !== undefined) this.onChoose?.(this.rows[this.active]);
    else return;
    event.preventDefault();
  }

  activate(at) {
    this.active = at;
    const height = this.rowHeight();
    const head = this.head.getBoundingClientRect().height;
    const top = at * height;
    if (top < this.root.scrollTop) this.root.scrollTop = top;
    else if (top + height + head > this.root.scrollTop + this.root.clientHeight) {
      this.root.scrollTop = top + height + head - this.root.clientHeight;
    }
    this.render(true);
    this.table.setAttribute("aria-activedescendant", this.prefix + at);
  }
}
VirtualTable.made = 0;
