"""What people need who do not see a page, or see it badly: an expression for a browser that lists what
is missing in all that can be seen. axe-core finds more; this needs nothing that is not in the tree.
"""

FIND_FAULTS = r"""
(() => {
  const faults = [];
  const shown = (element) => element.checkVisibility({ checkVisibilityCSS: true }) && element.getClientRects().length > 0;
  const all = [...document.body.querySelectorAll("*")].filter(shown);
  const nameOf = (element) => (element.getAttribute("aria-label")
    ?? element.getAttribute("aria-labelledby")?.split(" ").map((id) => document.getElementById(id)?.innerText).join(" ")
    ?? element.labels?.[0]?.innerText ?? element.innerText ?? "").trim();

  // Everything that can be used has a name; everything that scrolls can be reached with the keyboard.
  const usable = "button, a[href], input, select, [tabindex='0'], [role=tabpanel], [role=grid]";
  for (const element of all) {
    if (element.matches(usable) && !nameOf(element)) faults.push("no name: " + element.outerHTML.slice(0, 80));
    const style = getComputedStyle(element);
    const scrolls = /auto|scroll/.test(style.overflowX + style.overflowY)
      && (element.scrollHeight > element.clientHeight + 1 || element.scrollWidth > element.clientWidth + 1);
    if (scrolls && element.tabIndex < 0 && !element.querySelector("button, a[href], input, select, [tabindex='0']")) {
      faults.push("scrolls without keys: " + element.className);
    }
  }

  // Roles stand in the roles that they need, ids are there once, references lead somewhere.
  const inside = { tab: "tablist", row: "grid", gridcell: "row", columnheader: "row", rowheader: "row" };
  for (const [role, holder] of Object.entries(inside)) {
    for (const element of document.querySelectorAll(`[role=${role}]`)) {
      if (!element.parentElement.closest(`[role=${holder}]`)) faults.push(`${role} outside ${holder}`);
    }
  }
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  if (new Set(ids).size !== ids.length) faults.push("an id is there twice");
  for (const attribute of ["aria-controls", "aria-labelledby", "aria-activedescendant", "for"]) {
    for (const element of document.querySelectorAll(`[${attribute}]`)) {
      if (!document.getElementById(element.getAttribute(attribute))) faults.push(`${attribute} leads nowhere`);
    }
  }
  for (const element of document.body.children) {
    if (shown(element) && !element.matches("header, main, .body, .skip, [role=status]")) faults.push("outside of all landmarks: " + element.tagName);
  }
  if (!document.documentElement.lang) faults.push("no language");
  if (document.querySelectorAll("main").length !== 1 || document.querySelectorAll("h1").length !== 1) faults.push("not one main and one h1");

  // Text has a contrast of 4.5 to its ground, or of 3 if it is large.
  const parse = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (color) => color.slice(0, 3).map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92
    : ((value / 255 + 0.055) / 1.055) ** 2.4)).reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] > 0.99) return color;
    }
    return [255, 255, 255];
  };
  for (const element of all) {
    if (![...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())) continue;
    if (element.tagName === "OPTION") continue;
    const style = getComputedStyle(element);
    const meter = element.parentElement.querySelector(":scope > .meter");
    const grounds = [ground(element), ...(meter && element.matches(".bar-box span") ? [ground(meter)] : [])];
    for (const color of grounds) {
      const [dark, light] = [luminance(parse(style.color)), luminance(color)].sort((a, b) => a - b);
      const contrast = (light + 0.05) / (dark + 0.05);
      const large = parseFloat(style.fontSize) >= 24;
      if (contrast < (large ? 3 : 4.5)) faults.push(`contrast ${contrast.toFixed(2)}: ${element.innerText.slice(0, 30)}`);
    }
  }

  // What is touched is large enough for a finger, or has room around it.
  for (const element of all) {
    if (!element.matches("button, select, input")) continue;
    const box = element.getBoundingClientRect();
    if (box.height > 0 && box.height < 16) faults.push("too small: " + nameOf(element));
  }
  return [...new Set(faults)].slice(0, 20);
})()
"""
