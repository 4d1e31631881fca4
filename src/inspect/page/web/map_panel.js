// What fills the image: the treemap, and beside it the same as a list, which needs no eyes.

const kGroupings = [["family", "template or function"], ["input", "input file"], ["kind", "kind"],
  ["target", "target"], ["image", "image"]];
const kColorings = [["group", "group"], ["registers", "registers"], ["occupancy", "occupancy"], ["stack", "stack"]];
const kListed = 100; // rows of the list

function groupOf(report, f, by) {
  if (by === "family") return report.family[f];
  if (by === "input") return report.input[f] || "not known";
  if (by === "kind") return report.kernel[f] ? "kernels" : "functions";
  if (by === "target") return targetOf(report, f);
  return imageTitle(report.images[report.image[f]]);
}

function tileColor(report, f, coloring) {
  if (coloring === "registers") return heatColor(report.registers[f] / 255);
  if (coloring === "stack") return heatColor(report.stack[f] <= 0 ? 0 : Math.log2(report.stack[f]) / 14);
  const found = report.kernel[f] ? occupancyOf(report, f, 256) : undefined;
  return found ? heatColor(1 - found.percent / 100) : heatColor(0);
}

// What tells a function from others of its template: the name behind that of the template.
function tileLabel(report, f, by) {
  const name = report.name[f];
  const at = name.indexOf(report.family[f]);
  if (at < 0) return name;
  const rest = name.slice(at + report.family[f].length);
  return by === "family" && rest.startsWith("<") ? rest : name.slice(at);
}

const bySize = (a, b) => b.bytes - a.bytes;

// Groups of tiles for a treemap, a function that is `alone` in its group without a title: the functions of images, and the parts of files that are no
// function's.
function makeGroups(report, images, by, coloring) {
  const groups = new Map();
  const parts = new Map();
  const marksTarget = by !== "target" && by !== "image" && !hasOneTarget(report);
  const add = (name, item) => {
    if (!groups.has(name)) groups.set(name, { name, bytes: 0, items: [] });
    const group = groups.get(name);
    group.items.push(item);
    group.bytes += item.bytes;
  };
  for (const image of images) {
    for (let f = image.first; f < image.end; ++f) {
      const name = (marksTarget ? image.target + " · " : "") + tileLabel(report, f, by);
      if (report.bytes[f] > 0) add(groupOf(report, f, by), { f, name, bytes: report.bytes[f] });
    }
    image.partKinds.forEach((kind, i) => {
      const bytes = image.partBytes[i];
      if (by === "image") add(imageTitle(image), { name: kind, bytes });
      else if (by === "target") add(image.target, { name: kind, bytes });
      else parts.set(kind, (parts.get(kind) ?? 0) + bytes);
    });
  }
  for (const [name, bytes] of parts) if (bytes > 0) add("parts of the file", { name, bytes });
  const sorted = [...groups.values()].sort(bySize);
  sorted.forEach((group, rank) => {
    group.color = group.name === "parts of the file" ? hslColor(215, 0.08, isDark() ? 0.34 : 0.78) : groupColor(rank);
    group.items.sort(bySize);
    group.alone = by === "family" && group.items.length === 1;
    for (const item of group.items) {
      item.color = item.f === undefined || coloring === "group" ? group.color : tileColor(report, item.f, coloring);
    }
  });
  return sorted;
}

function describeTile(report, item, group) {
  const lines = [item.f === undefined ? item.name : report.name[item.f], bytesText(item.bytes)];
  if (item.f === undefined) return lines;
  if (!group.alone) lines.push(group.name + ", " + bytesText(group.bytes));
  if (!hasOneTarget(report)) lines.push("for " + targetOf(report, item.f));
  if (report.registers[item.f] >= 0) lines.push(count(report.registers[item.f], "register"));
  return lines;
}

class MapPanel {
  constructor(report, app) {
    this.report = report;
    this.app = app;
    this.by = "family";
    this.coloring = "group";
    this.zoomed = null; // the name of a group
    this.map = new Treemap("Treemap of what fills the image. Arrow keys walk through it, Enter opens.", {
      choose: (item, group) => this.choose(item, group),
      describe: (item, group) => describeTile(report, item, group),
      leave: () => this.zoom(null),
    });
    this.list = element("ol", { class: "ranking" });
    this.path = element("div", { class: "path" });
    const groupings = kGroupings.filter(([by]) => by === "image" ? report.images.length > 1 : by === "target" ? !hasOneTarget(report)
      : by === "input" ? report.images.some((image) => image.inputs.length > 0) : true);
    const occupied = report.images.some((image) => image.sm);
    this.root = element("div", { class: "map-panel" },
      element("div", { class: "tools" },
        choice("Group by", groupings, this.by, (by) => { this.by = by; this.zoom(null); }),
        choice("Colour", kColorings.filter(([name]) => occupied || name !== "occupancy"), this.coloring,
          (coloring) => { this.coloring = coloring; this.show(); }),
        this.path),
      element("div", { class: "map-area" }, this.map.root,
        element("section", { class: "ranking-box", "aria-label": "The same as a list", tabindex: "0" }, this.list)));
  }

  show() {
    let groups = makeGroups(this.report, this.app.images(), this.by, this.coloring);
    const total = groups.reduce((sum, group) => sum + group.bytes, 0);
    const inside = groups.find((group) => group.name === this.zoomed);
    if (inside) {
      groups = inside.items.map((item) => ({ ...item, items: [item], alone: true }));
    } else if (groups.length === 1) {
      groups = groups[0].items.map((item) => ({ ...item, items: [item], alone: true }));
    }
    this.map.show(groups);
    this.showPath(inside);
    this.showList(groups, total);
  }

  showPath(inside) {
    const all = element("button", { type: "button", class: "link", click: () => this.zoom(null) }, "Everything");
    this.path.replaceChildren(...(inside ? [all, " › ", nameText(inside.name), " " + bytesText(inside.bytes)] : []));
  }

  showList(groups, total) {
    const { report } = this;
    const rows = groups.slice(0, kListed).map((group) => {
      const item = group.alone ? group.items[0] : undefined;
      const meter = element("span", { class: "meter" });
      meter.style.inlineSize = (100 * group.bytes) / (groups[0].bytes || 1) + "%";
      meter.style.backgroundColor = cssOf(group.color);
      return element("li", {}, element("button", {
        type: "button", click: () => this.choose(item ?? group, group),
      }, meter, nameText(item === undefined ? group.name : item.f === undefined ? item.name : report.name[item.f]),
      element("span", { class: "amount" }, (item?.f === undefined || hasOneTarget(report) ? "" : targetOf(report, item.f) + " · ") +
        (item ? "" : kNumber.format(group.items.length) + " × · ") + bytesText(group.bytes) + " · " +
        percentText(group.bytes, total))));
    });
    if (groups.length > kListed) rows.push(element("li", { class: "note" }, `and ${count(groups.length - kListed, "more row")}`));
    this.list.replaceChildren(...rows);
  }

  // A tile of a large group leads into the group, everything else to its details.
  choose(item, group) {
    if (!group.alone) this.zoom(group.name);
    else if (item.f !== undefined) this.app.select(item.f);
  }

  zoom(name) {
    this.zoomed = name;
    this.show();
    announce(name ? "Inside " + name : "Everything");
  }
}
