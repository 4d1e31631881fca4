// Elements and texts. Names come from files of strangers: they become text nodes and nothing else, so
// no function here, or anywhere in the page, takes markup.

// element("td", {class: "number"}, "12") makes an element. Attributes that are functions listen, those
// that are undefined or false are left out.
function element(tag, attributes = {}, ...children) {
  const svg = ["svg", "g", "rect", "path", "text", "title"].includes(tag) && attributes.svg;
  const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "svg" || value === undefined || value === false) continue;
    if (typeof value === "function") made.addEventListener(name, value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

function svgElement(tag, attributes, ...children) {
  return element(tag, { ...attributes, svg: true }, ...children);
}

// A name as in the source, kept apart from the text around it, whatever direction its letters have.
function nameText(name, attributes = {}) {
  return element("bdi", { class: "name", ...attributes }, name);
}

// A labelled choice: choice("Group by", [["family", "template"]], (value) => ...).
function choice(label, options, chosen, onChange) {
  const select = element("select", { change: () => onChange(select.value) },
    ...options.map(([value, text]) => element("option", { value, selected: value === chosen }, text)));
  return element("label", { class: "field" }, element("span", {}, label), select);
}

const kNumber = new Intl.NumberFormat("en-US");

function count(value, one, many = one + "s") {
  return kNumber.format(value) + " " + (value === 1 ? one : many);
}

function bytesText(value) {
  if (Math.abs(value) < 1024) return kNumber.format(value) + " B";
  const units = ["KiB", "MiB", "GiB"];
  let unit = -1;
  while (Math.abs(value) >= 1024 && unit < 2) {
    value /= 1024;
    ++unit;
  }
  return value.toFixed(Math.abs(value) < 10 ? 2 : 1) + " " + units[unit];
}

function percentText(part, whole) {
  if (whole === 0) return "0 %";
  const percent = (100 * part) / whole;
  return (percent >= 10 ? percent.toFixed(0) : percent >= 0.1 ? percent.toFixed(1) : "< 0.1") + " %";
}

// Said to those who hear the page.
function announce(text) {
  document.getElementById("status").textContent = text;
}
