// A squarified treemap (Bruls, Huizing, van Wijk 2000) on a canvas, two levels deep: groups with a
// title, and what is in them. A canvas, because 64,000 elements would take seconds to lay out.

// Places items, largest first, in a rectangle; calls place(item, x, y, width, height).
function squarify(items, area, place) {
  let { x, y, width, height } = area;
  let sum = items.reduce((total, item) => total + item.bytes, 0);
  for (let first = 0; first < items.length && sum > 0;) {
    const side = Math.min(width, height);
    if (side <= 0) return;
    const scale = (width * height) / sum;
    const end = rowEnd(items, first, side, scale);
    const row = items.slice(first, end);
    const bytes = row.reduce((total, item) => total + item.bytes, 0);
    const thick = (bytes * scale) / side;
    let along = 0;
    for (const item of row) {
      const length = (item.bytes * scale) / thick;
      if (width >= height) place(item, x, y + along, thick, length);
      else place(item, x + along, y, length, thick);
      along += length;
    }
    if (width >= height) [x, width] = [x + thick, width - thick];
    else [y, height] = [y + thick, height - thick];
    sum -= bytes;
    first = end;
  }
}

// Where the row ends that has the best shapes: one more item would make them longer.
function rowEnd(items, first, side, scale) {
  let bytes = 0;
  let worst = Infinity;
  for (let at = first; at < items.length; ++at) {
    bytes += items[at].bytes;
    const thick = (bytes * scale) / side;
    const most = (items[first].bytes * scale) / thick;
    const least = (items[at].bytes * scale) / thick;
    const next = Math.max(most / thick, thick / least);
    if (next > worst && at > first) return at;
    worst = next;
  }
  return items.length;
}

// "ns::(anonymous namespace)::f" is f. A name with arguments of templates stays as it is.
function withoutNamespaces(name) {
  const at = name.lastIndexOf("::");
  return at < 0 || name.includes("<") ? name : name.slice(at + 2);
}

const kTitleHeight = 1.35; // in units of the font's size
const kSmallest = 0.4; // pixels: smaller tiles are not drawn

// options: label; choose(item): a tile was chosen; hover(item or null).
class Treemap {
  constructor(label, options) {
    this.options = options;
    this.groups = [];
    this.tiles = [];
    this.active = -1;
    this.canvas = element("canvas", {
      class: "treemap", tabindex: "0", role: "application", "aria-roledescription": "treemap", "aria-label": label,
      mousemove: (event) => this.point(event), mouseleave: () => this.activate(-1, false),
      click: (event) => this.click(event), keydown: (event) => this.key(event), blur: () => this.activate(-1, false),
    });
    this.tip = element("div", { class: "tip", hidden: true });
    this.root = element("div", { class: "treemap-box" }, this.canvas, this.tip);
    this.picture = element("canvas"); // what was drawn, without the active tile
    this.watch = new ResizeObserver(() => {
      if (this.root.clientWidth !== this.width || this.root.clientHeight !== this.height) this.draw();
    });
    this.watch.observe(this.root);
  }

  // groups: [{name, bytes, color, alone, items: [{name, bytes, color, ...}]}], largest first; one that is
  // alone is shown as its only item.
  show(groups) {
    this.groups = groups;
    this.active = -1;
    this.tip.hidden = true;
    this.draw();
  }

  draw() {
    const [width, height] = [this.width, this.height] = [this.root.clientWidth, this.root.clientHeight];
    if (width === 0 || height === 0) return;
    this.ratio = devicePixelRatio || 1;
    for (const canvas of [this.canvas, this.picture]) {
      canvas.width = Math.round(width * this.ratio);
      canvas.height = Math.round(height * this.ratio);
    }
    this.font = parseFloat(getComputedStyle(document.documentElement).fontSize) * 0.8;
    this.titleColor = cssColor("--text");
    const context = this.picture.getContext("2d");
    context.scale(this.ratio, this.ratio);
    context.textBaseline = "middle";
    this.tiles = [];
    squarify(this.groups, { x: 0, y: 0, width, height }, (group, ...box) => this.drawGroup(context, group, box));
    this.drawActive();
  }

  drawGroup(context, group, [x, y, width, height]) {
    if (width < kSmallest || height < kSmallest) return;
    const title = this.font * kTitleHeight;
    const items = group.items;
    const inner = height > title * 2.2 && width > this.font * 3;
    if (group.alone) {
      this.drawTile(context, items[0], [x, y, width, height], group);
      return;
    }
    if (inner) {
      this.fillBox(context, group.color, [x, y, width, height], true);
      this.writeTitle(context, group, [x + 4, y, width - 8, title]);
    }
    const box = inner ? { x: x + 2, y: y + title, width: width - 4, height: height - title - 2 } : { x, y, width, height };
    squarify(items, box, (item, ...place) => this.drawTile(context, item, place, group));
  }

  // Where a name does not fit, its namespaces are left out.
  writeTitle(context, group, box) {
    const texts = [group.name, withoutNamespaces(group.name)].map((name) => name + "  " + bytesText(group.bytes));
    context.font = `600 ${this.font}px system-ui, sans-serif`;
    const fits = context.measureText(texts[0]).width <= box[2];
    this.write(context, texts[fits ? 0 : 1], group.color, box, "600 ");
  }

  drawTile(context, item, box, group) {
    const [x, y, width, height] = box;
    if (width < kSmallest || height < kSmallest) return;
    this.tiles.push({ item, group, x, y, width, height });
    this.fillBox(context, item.color, box, false);
    if (width > this.font * 3 && height > this.font * 1.3) {
      const line = this.font * 1.3;
      this.write(context, item.name, item.color, [x + 4, y + 1, width - 8, line], "");
      if (height > line * 2.1) this.write(context, bytesText(item.bytes), item.color, [x + 4, y + line, width - 8, line], "");
    }
  }

  fillBox(context, color, [x, y, width, height], isGroup) {
    const gap = Math.min(isGroup ? 1 : 0.5, width / 4, height / 4);
    if (this.filled !== color) context.fillStyle = cssOf(color);
    this.filled = isGroup ? undefined : color; // text, which has another colour, ends a row of equal tiles
    context.globalAlpha = isGroup ? 0.55 : 1;
    context.fillRect(x + gap, y + gap, width - 2 * gap, height - 2 * gap);
    context.globalAlpha = 1;
  }

  // Text in a box of one line, cut where it ends.
  write(context, text, color, [x, y, width, height], weight) {
    context.font = `${weight}${this.font}px system-ui, sans-serif`;
    const fits = Math.floor(width / (this.font * 0.5));
    if (fits < 3) return;
    let shown = text.length > fits * 2 ? text.slice(0, fits * 2) : text;
    while (shown.length > 2 && context.measureText(shown + (shown === text ? "" : "…")).width > width) {
      shown = shown.slice(0, -Math.max(1, Math.floor(shown.length / 12)));
    }
    if (shown.length < Math.min(3, text.length)) return;
    this.filled = undefined;
    context.fillStyle = weight ? this.titleColor : cssOf(textColorOn(color));
    context.fillText(shown === text ? text : shown + "…", x, y + height / 2);
  }

  // The picture, and a frame around one tile: cheap enough for every move of the mouse.
  drawActive() {
    const context = this.canvas.getContext("2d");
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.drawImage(this.picture, 0, 0);
    const tile = this.tiles[this.active];
    if (!tile) return;
    context.scale(this.ratio, this.ratio);
    context.lineWidth = 3;
    context.strokeStyle = this.titleColor;
    context.strokeRect(tile.x + 1.5, tile.y + 1.5, Math.max(tile.width - 3, 1), Math.max(tile.height - 3, 1));
  }

  tileAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    return this.tiles.findIndex((tile) => x >= tile.x && y >= tile.y && x < tile.x + tile.width && y < tile.y + tile.height);
  }

  point(event) {
    this.activate(this.tileAt(event), false);
  }

  click(event) {
    const tile = this.tiles[this.tileAt(event)];
    if (tile) this.options.choose(tile.item, tile.group);
  }

  // Arrows walk from the largest to the smallest tile; up and down from group to group.
  key(event) {
    const last = this.tiles.length - 1;
    const at = this.active;
    const group = this.tiles[at]?.group;
    const moves = {
      ArrowRight: () => Math.min(at + 1, last), ArrowLeft: () => Math.max(at - 1, 0), Home: () => 0, End: () => last,
      ArrowDown: () => {
        const next = this.tiles.findIndex((tile, i) => i > at && tile.group !== group);
        return next < 0 ? last : next;
      },
      ArrowUp: () => this.tiles.findIndex((tile) => tile.group === (this.tiles[Math.max(at - 1, 0)]?.group)),
    };
    if (moves[event.key]) this.activate(moves[event.key](), true);
    else if (event.key === "Enter" || event.key === " ") {
      if (this.tiles[at]) this.options.choose(this.tiles[at].item, this.tiles[at].group);
    } else if (event.key === "Escape") this.options.leave?.();
    else return;
    event.preventDefault();
  }

  activate(at, spoken) {
    if (at === this.active) return;
    this.active = at;
    this.drawActive();
    const tile = this.tiles[at];
    this.tip.hidden = !tile;
    if (!tile) return;
    const text = this.options.describe(tile.item, tile.group);
    this.tip.replaceChildren(...text.map((line, i) => element(i === 0 ? "strong" : "div", {}, line)));
    const most = this.root.clientWidth - this.tip.offsetWidth - 4;
    this.tip.style.left = Math.max(4, Math.min(tile.x + 8, most)) + "px";
    const below = tile.y + Math.min(tile.height, this.font * 3) + 6;
    this.tip.style.top = Math.max(4, Math.min(below, this.root.clientHeight - this.tip.offsetHeight - 4)) + "px";
    if (spoken) announce(text.join(", "));
  }
}
