// Colours of tiles. Text on them is dark or light by their luminance, so that it can be read.

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function cssColor(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// Hues that stay apart for neighbours in a list.
function groupColor(rank) {
  const hue = (215 + rank * 137.508) % 360;
  return hslColor(hue, isDark() ? 0.42 : 0.52, isDark() ? 0.36 : 0.74);
}

// From little to much, 0 to 1: blue over yellow to red.
function heatColor(share) {
  const at = Math.min(Math.max(share, 0), 1);
  return hslColor(215 - 215 * at, isDark() ? 0.5 : 0.65, isDark() ? 0.36 : 0.72);
}

function hslColor(hue, saturation, lightness) {
  const chroma = saturation * Math.min(lightness, 1 - lightness);
  const channel = (n) => {
    const k = (n + hue / 30) % 12;
    return Math.round(255 * (lightness - chroma * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}

function luminance(color) {
  const [red, green, blue] = color.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

// How well two colours can be told apart, from 1 to 21.
function contrast(a, b) {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

function textColorOn(color) {
  const [dark, light] = [[16, 20, 26], [255, 255, 255]];
  return contrast(color, dark) >= contrast(color, light) ? dark : light;
}

function cssOf(color) {
  return `rgb(${color.join(" ")})`;
}
