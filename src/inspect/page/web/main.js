// Puts the page together: title, tabs, the panel that is open, the chosen function, the theme.

class App {
  constructor(report) {
    this.report = report;
    this.selected = undefined;
    this.chosenImage = "all";
    this.details = new Details(report, this);
    this.panels = new Map([["map", ["What fills it", () => new MapPanel(report, this)]],
      ["kernels", ["Kernels", () => new KernelsPanel(report, this)]], ["calls", ["Calls", () => new CallsPanel(report, this)]]]);
    if (report.duplicates.some((group) => group > 0)) this.panels.set("duplicates", ["Duplicates", () => new DuplicatesPanel(report, this)]);
    if (report.compares) this.panels.set("compare", ["Compare", () => new ComparePanel(report, this)]);
    if (report.ofLink) {
      this.panels.set("discarded", ["Discarded", () => new DiscardedPanel(report)]);
      this.panels.set("messages", ["Messages", () => new MessagesPanel(report)]);
    }
    if (report.steps?.length > 0) this.panels.set("steps", ["Time", () => new StepsPanel(report)]);
    this.made = new Map();
  }

  start() {
    this.showTitle();
    const tabs = document.getElementById("tabs");
    for (const [key, [title]] of this.panels) {
      tabs.append(element("button", { type: "button", role: "tab", id: "tab-" + key, "aria-controls": "panel-" + key, "aria-selected": "false",
        tabindex: "-1", click: () => this.open(key), keydown: (event) => this.tabKey(event, key) }, title));
      document.getElementById("panels").append(element("section", { role: "tabpanel", id: "panel-" + key, "aria-labelledby": "tab-" + key, hidden: true }));
    }
    document.getElementById("theme").addEventListener("click", () => this.switchTheme());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.refresh());
    this.showTheme();
    const asked = location.hash.slice(1);
    this.open(this.panels.has(asked) ? asked : this.report.compares ? "compare" : "map");
    addEventListener("hashchange", () => this.panels.has(location.hash.slice(1)) && this.open(location.hash.slice(1)));
  }

  // The images that are looked at.
  images() {
    return this.chosenImage === "all" ? this.report.images : [this.report.images[Number(this.chosenImage)]];
  }

  showTitle() {
    const { report } = this;
    const [only] = report.images;
    const files = new Set(report.images.map((image) => image.file)).size;
    const title = report.compares ? "Comparison of device code"
      : report.images.length === 1 && only.name !== only.file ? imageTitle(only)
        : files === 1 ? baseName(only.file) : count(files, "file");
    document.getElementById("title").replaceChildren(nameText(title));
    document.title = title + " – device code";
    let kernels = 0;
    for (let f = 0; f < report.count; ++f) kernels += report.kernel[f];
    const names = new Set();
    for (let f = 0; f < report.count; ++f) if (report.kernel[f]) names.add(report.name[f]);
    const targets = [...new Set(report.images.map((image) => image.target).filter(Boolean))]
      .sort((a, b) => parseInt(a.slice(3), 10) - parseInt(b.slice(3), 10));
    const toolkits = [...new Set(report.images.map((image) => image.toolkit).filter(Boolean))];
    const facts = [
      ["Images", report.images.length > 1 ? kNumber.format(report.images.length) : ""],
      ["Target", targets.join(", ")], ["Size", bytesText(report.images.reduce((sum, image) => sum + image.size, 0))],
      ["Kernels", kNumber.format(names.size) + (names.size < kernels ? ` (${kNumber.format(kernels)} in all images)` : "")], ["Functions", kNumber.format(report.count - kernels)],
      ["CUDA", toolkits.map((toolkit) => (toolkit / 10).toFixed(1)).join(", ")],
      ["Kind", report.images.every((image) => image.linked) ? "linked" : report.images.some((image) => image.linked) ? "linked and relocatable" : "relocatable"],
    ];
    const list = document.getElementById("facts");
    list.replaceChildren(...facts.filter(([, text]) => text).map(([name, text]) =>
      element("div", {}, element("dt", {}, name), element("dd", {}, nameText(text)))));
    if (report.images.length > 1) {
      const options = [["all", "all images"], ...report.images.map((image, i) => [String(i), imageTitle(image)])];
      document.querySelector(".title").append(choice("Image", options, "all", (value) => {
        this.chosenImage = value;
        this.refresh();
      }));
    }
  }

  open(key) {
    for (const each of this.panels.keys()) {
      const isOpen = each === key;
      const tab = document.getElementById("tab-" + each);
      tab.setAttribute("aria-selected", String(isOpen));
      tab.setAttribute("tabindex", isOpen ? "0" : "-1");
      document.getElementById("panel-" + each).hidden = !isOpen;
    }
    this.opened = key;
    if (!this.made.has(key)) {
      const panel = this.panels.get(key)[1]();
      this.made.set(key, panel);
      document.getElementById("panel-" + key).append(panel.root);
    }
    this.made.get(key).show();
  }

  // Arrow keys move between tabs, as screen readers expect.
  tabKey(event, key) {
    const keys = [...this.panels.keys()];
    const at = keys.indexOf(key);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: keys.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const chosen = keys[(next + keys.length) % keys.length];
    this.open(chosen);
    document.getElementById("tab-" + chosen).focus();
  }

  select(f) {
    this.selected = f;
    this.details.show(f);
    if (this.opened === "calls") this.made.get("calls").show();
    if (f !== undefined) announce("Chosen: " + this.report.name[f]);
  }

  refresh() {
    this.made.get(this.opened).show();
  }

  switchTheme() {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    this.showTheme();
    this.refresh();
  }

  showTheme() {
    document.getElementById("theme").textContent = isDark() ? "Light" : "Dark";
  }
}

new App(readReport(document.getElementById("data").textContent)).start();
