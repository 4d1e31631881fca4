#!/usr/bin/env python3
"""The page of `cubin report` in a real browser: it is clicked, typed into, sorted, filtered and compared
at three sizes of the window, and nothing may appear on its console or leave it.

    tests/page/page_test.py [NAME...]     all tests, or those whose names contain NAME

Exit status 77: there is no Chromium here.
"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from accessibility import FIND_FAULTS
from browser import Browser, find_browser

ROOT = pathlib.Path(__file__).resolve().parents[2]
CULINK = os.environ.get("CULINK", ROOT / "build/release/bin/culink")
CUBIN = os.environ.get("CUBIN", ROOT / "build/release/bin/cubin")
EXAMPLES = ROOT / "examples"
SIZES = {"phone": (390, 844), "laptop": (1440, 900), "4k": (3840, 2160)}
MANY = 64000
HOSTILE = '</script><script>document.title="forged"</script><img src=x onerror=alert(1)>'


def run(*words):
    subprocess.run([str(word) for word in words], check=True)


def assemble(folder, name, functions):
    """An object of functions: (name, kernel, registers, frame, shared, instructions, callees)."""
    rows = [f"- {{name: '{function}', kernel: {'true' if kernel else 'false'}, registers: {registers}, "
            f"frame: {frame}, shared: {shared}, code: nop x{instructions}, calls: [{', '.join(callees)}]}}"
            for function, kernel, registers, frame, shared, instructions, callees in functions]
    (folder / f"{name}.yaml").write_text("arch: sm_90\nfunctions:\n" + "\n".join(rows) + "\n")
    run(CUBIN, "assemble", folder / f"{name}.yaml", "-o", folder / f"{name}.cubin")
    return folder / f"{name}.cubin"


def report(folder, name, *words):
    run(CUBIN, "report", *words, "-o", folder / f"{name}.html")
    return folder / f"{name}.html"


def kernel_name(number):
    return f"_Z6kernelILi{number}EEvPfi"


FUNCTIONS = [(kernel_name(i), True, 16 + 8 * i, 64 if i % 3 == 0 else 0, 1024 * i, 4 + i, ["_Z6helperf"])
             for i in range(20)] + [("_Z6helperf", False, 24, 0, 0, 40, ["_Z5innerf"]),
                                    ("_Z5innerf", False, 20, 0, 0, 3, [])]


class Tests:
    """Each method that begins with test_ gets a fresh page."""

    def __init__(self, browser, folder):
        self.browser = browser
        self.folder = folder
        self.small = report(folder, "small", assemble(folder, "small", FUNCTIONS))
        later = [(name, kernel, registers + 8 * (i == 3), frame, shared, size + 10 * (i == 3), callees)
                 for i, (name, kernel, registers, frame, shared, size, callees) in enumerate(FUNCTIONS) if i != 5]
        later.append((kernel_name(99), True, 30, 0, 0, 7, []))
        self.compare = report(folder, "compare", folder / "small.cubin", assemble(folder, "later", later), "--compare")

    def link(self):
        """The page of a link with discarded code, a warning and times."""
        inputs = [EXAMPLES / "weak_templates/sm_90" / name for name in ("backward.cubin", "forward.cubin")]
        subprocess.run([str(CULINK), "-arch=sm_90", *map(str, inputs), "-lnothing", "-o", self.folder / "linked.cubin",
                        f"--report={self.folder / 'link.html'}", "--stats"], check=True, stderr=subprocess.DEVNULL)
        return self.folder / "link.html"

    def check(self, condition, what):
        if not condition:
            raise AssertionError(what)

    def equal(self, found, expected, what):
        self.check(found == expected, f"{what}: {found!r} instead of {expected!r}")

    def text(self, selector):
        return self.browser.run(f"document.querySelector('{selector}')?.innerText ?? null")

    def column(self, number):
        return self.browser.run("[...document.querySelectorAll('section:not([hidden]) tr.row')]"
                                f".map((row) => row.children[{number}].innerText)")

    def quiet(self):
        self.equal(self.browser.errors, [], "messages on the console")
        outside = [url for url in self.browser.requests if not url.startswith(("file:", "data:"))]
        self.equal(outside, [], "requests")

    def test_table_is_sorted_and_filtered(self):
        self.browser.open(self.small)
        self.browser.click("#tab-kernels")
        self.equal(self.column(0)[0], "void kernel<19>(float*, int)", "first by code")
        self.browser.click("#panel-kernels th:nth-child(3) button")
        self.equal(self.column(2)[:2], ["168", "160"], "registers, descending")
        self.browser.click("#panel-kernels th:nth-child(3) button")
        self.equal(self.column(2)[:2], ["16", "24"], "registers, ascending")
        self.equal(self.browser.run("document.querySelector('#panel-kernels th:nth-child(3)').ariaSort"), "ascending", "aria-sort")
        self.browser.type("#filter", "registers>128 shared<=18432")
        self.equal(self.column(0), [f"void kernel<{i}>(float*, int)" for i in (15, 16, 17, 18)], "condition")
        self.browser.type("#filter", "kernel<7>")
        self.equal(len(self.column(0)), 1, "rows of a name")
        self.equal(self.text("#panel-kernels .shown"), "1 of 20", "count")
        self.browser.type("#filter", "")
        self.browser.click("#functions")
        self.equal(self.text("#panel-kernels .shown"), "22 of 22", "with functions")

    def test_occupancy_is_that_of_the_library(self):
        # As tests/unit/occupancy_test.cc has them, and NVIDIA's header: sm_90, 40 registers, blocks of 256.
        alone = assemble(self.folder, "alone", [(kernel_name(3), True, 40, 0, 3072, 7, [])])
        run(CULINK, "-arch=sm_90", alone, "-o", self.folder / "linked.cubin")
        self.browser.open(report(self.folder, "occupancy", self.folder / "linked.cubin"))
        self.browser.click("#tab-kernels")
        self.browser.type("#filter", "registers=40")
        self.equal(self.column(8), ["75 %"], "occupancy with 256 threads")
        self.browser.choose("#panel-kernels select", "1024")
        self.equal(self.column(8), ["50 %"], "occupancy with 1024 threads")

    def test_relocatable_code_has_no_stack_and_no_occupancy(self):
        # Both follow from what a kernel calls, which a link decides. The address names the tab.
        self.browser.open(self.small, "#kernels")
        self.browser.type("#filter", "registers=40")
        self.equal([self.column(3), self.column(8)], [["–"], ["–"]], "stack and occupancy of an object")

    def test_map_zooms_and_chooses(self):
        self.browser.open(self.small)
        self.check("kernel" in self.text(".ranking"), "no list beside the map")
        box = self.browser.run("(() => { const box = document.querySelector('.treemap').getBoundingClientRect(); "
                               "return [box.left, box.top, box.width, box.height]; })()")
        self.browser.click_at(box[0] + box[2] / 2, box[1] + box[3] - 5)
        self.check(self.text(".path") or not self.browser.run("document.getElementById('details').hidden"), "a click did nothing")
        self.browser.open(self.small)
        row = "[...document.querySelectorAll('.ranking button')].find((each) => each.innerText.startsWith('kernel'))"
        self.browser.run(row + ".click()")
        self.check(self.text(".path").startswith("Everything"), "no way back")
        self.browser.click(".ranking li:nth-child(2) button")
        self.check(self.text("#details h2").startswith("void kernel<"), "no details")
        self.browser.click(".path button")
        self.equal(self.text(".path"), "", "path")
        self.browser.choose("#panel-map select", "kind")
        self.check("kernels" in self.text(".ranking"), "not grouped by kind")

    def test_map_obeys_keys(self):
        self.browser.open(self.small)
        self.browser.run("document.querySelector('.treemap').focus()")
        for _ in range(3):
            self.browser.key("ArrowRight")
        first = self.text("#status")
        self.check(first and " B" in first or "KiB" in first, f"nothing was said: {first!r}")
        self.browser.key("ArrowDown")
        self.check(self.text("#status") != first, "the arrow did not move")

    def test_tabs_and_table_obey_keys(self):
        self.browser.open(self.small)
        self.browser.run("document.getElementById('tab-map').focus()")
        self.browser.key("ArrowRight")
        self.equal(self.browser.run("document.activeElement.id"), "tab-kernels", "focus")
        self.browser.run("document.querySelector('#panel-kernels table').focus()")
        for key in ("ArrowDown", "ArrowDown", "End", "Home", "ArrowDown", "Enter"):
            self.browser.key(key)
        chosen = self.browser.run("document.getElementById(document.querySelector('#panel-kernels table')"
                                  ".getAttribute('aria-activedescendant')).getAttribute('aria-rowindex')")
        self.equal(chosen, "3", "row")
        self.equal(self.text("#details h2"), self.column(0)[1], "details of the row")

    def test_calls_lead_from_one_to_the_next(self):
        self.browser.open(self.small)
        self.browser.click("#tab-calls")
        self.browser.type("#function-search", "helper")
        self.browser.click("#panel-calls .found button")
        boxes = self.browser.run("[...document.querySelectorAll('.column')].map((column) => column.querySelectorAll('.box').length)")
        self.equal(boxes, [14, 1, 1], "boxes of callers, the function and callees")
        self.check("and 6 others" in self.text(".column"), "no count of the other callers")
        self.browser.click(".column:last-child .box")
        self.equal(self.text(".box[aria-current] .name"), "inner(float)", "centre")
        self.check("helper(float)" in self.text("#details"), "its caller is not in the details")

    def test_links_tell_what_was_discarded(self):
        self.browser.open(self.link())
        self.browser.choose("#panel-map select", "input")
        self.check("forward.cubin" in self.text(".ranking"), "not grouped by input")
        self.browser.click("#tab-discarded")
        self.equal(sorted(self.column(0))[:2], ["Stack<int, 4>::pop()", "Stack<int, 4>::push(int)"], "discarded")
        self.check(self.column(2)[0].endswith("backward.cubin is linked"), "no reason")
        self.browser.type("#discarded-filter", "scale_factor")
        self.equal(self.column(1), ["4"], "bytes of what was found")
        self.browser.click("#tab-messages")
        self.check("nothing" in self.text(".message.warning"), "no warning")
        self.browser.click("#tab-steps")
        self.check(self.text(".steps-panel tbody th") == "open", "no steps")

    def test_two_images_are_compared(self):
        self.browser.open(self.compare)
        self.equal(self.text("[role=tab][aria-selected=true]"), "Compare", "open tab")
        self.equal(self.column(2), ["+160", "−144", "+112"], "largest differences first")
        rows = dict(zip(self.column(0), zip(self.column(1), self.column(2), self.column(4))))
        self.equal(rows, {"void kernel<3>(float*, int)": ("changed", "+160", "40 → 48"),
                          "void kernel<5>(float*, int)": ("gone", "−144", "56 → –"),
                          "void kernel<99>(float*, int)": ("new", "+112", "– → 30")}, "differences")
        self.equal(self.browser.run("document.querySelectorAll('.pair canvas').length"), 2, "treemaps")
        self.browser.choose("#panel-compare select", "all")
        self.equal(self.text("#panel-compare .shown"), "23 of 23", "all functions")

    def test_targets_are_told_apart(self):
        files = [EXAMPLES / "vector_math" / target / "linked.cubin" for target in ("sm_80", "sm_90")]
        self.browser.open(report(self.folder, "targets", *files))
        self.browser.run("document.querySelector('.treemap').focus()")
        said = set()
        for _ in range(30):
            self.browser.key("ArrowRight")
            said.add(self.text("#status"))
        tiles = [text for text in said if "smooth(" in text]
        self.check(tiles and all("for sm_" in text for text in tiles), f"tiles without their target: {sorted(said)}")
        self.browser.choose("#panel-map select", "target")
        self.check("sm_80" in self.text(".ranking") and "sm_90" in self.text(".ranking"), "not grouped by target")
        fat = EXAMPLES / "vector_math/fat/main.o"
        self.browser.open(report(self.folder, "fat", fat, fat, "--compare"))
        self.browser.choose("#panel-compare select", "all")
        self.equal(sorted(zip(self.column(0), self.column(1))),
                   [(name, target) for name in ("smooth(float const*, float*, int)", "total(float const*, float*, int)")
                    for target in ("sm_80", "sm_90")], "rows with their targets")

    def test_duplicates_are_listed(self):
        self.browser.open(self.small)
        self.equal(self.browser.run("document.getElementById('tab-duplicates')"), None, "tab without duplicates")
        again = assemble(self.folder, "again", FUNCTIONS)
        self.browser.open(report(self.folder, "twice", self.folder / "small.cubin", again), "#duplicates")
        self.equal(len(self.column(0)), 22, "functions that are there twice")
        self.equal(self.column(1)[0], "640", "bytes of the largest")
        self.equal(self.column(2)[0], "2", "duplicates of it")
        self.browser.type("#duplicates-filter", "inner")
        self.equal(self.column(0), ["inner(float)"], "filtered")

    def test_names_stay_names(self):
        page = report(self.folder, "hostile", assemble(self.folder, "hostile", [(HOSTILE, True, 20, 0, 0, 9, [])]))
        self.browser.open(page)
        self.browser.click("#tab-kernels")
        self.equal(self.column(0), [HOSTILE], "the name")
        self.equal(self.browser.run("document.title"), "hostile.cubin – device code", "title")
        self.equal(self.browser.run("document.images.length"), 0, "images")

    def test_policy_stops_scripts_and_requests(self):
        self.browser.open(self.small)
        done = self.browser.run("""new Promise((done) => {
            const script = document.createElement("script");
            script.textContent = "window.forged = true";
            document.body.append(script);
            const image = new Image();
            image.onerror = () => done([window.forged ?? false, "stopped"]);
            image.onload = () => done("loaded");
            image.src = "http://127.0.0.1:9/x.png";
        })""")
        self.equal(done, [False, "stopped"], "what the policy stops")
        self.browser.errors.clear()  # the browser says that it stopped them
        self.browser.requests.clear()

    def test_every_size_and_theme_is_accessible(self):
        link = self.link()
        twice = report(self.folder, "twice", self.folder / "small.cubin", assemble(self.folder, "again", FUNCTIONS))
        for name, (width, height) in SIZES.items():
            for dark in (False, True):
                self.browser.resize(width, height, dark)
                for page, tabs in ((self.small, ("map", "kernels", "calls")), (self.compare, ("compare",)), (twice, ("duplicates",)),
                                   (link, ("discarded", "messages", "steps"))):
                    self.browser.open(page)
                    for tab in tabs:
                        self.browser.click("#tab-" + tab)
                        faults = self.browser.run(FIND_FAULTS)
                        self.equal(faults, [], f"{tab} at {name}, {'dark' if dark else 'light'}")
                        wide = self.browser.run("document.documentElement.scrollWidth - innerWidth")
                        self.check(wide <= 0, f"{tab} at {name} is {wide} pixels too wide")
        self.browser.resize(*SIZES["laptop"])

    def test_many_kernels(self):
        dice = random.Random(1)
        kernels = [(f"_Z13kernel_{i % 97:02d}_longILi{i}EfEvPT0_i".replace("Z13", "Z14"), True, dice.randint(16, 200), 0, 0,
                    dice.randint(1, 60), []) for i in range(MANY)]
        page = report(self.folder, "many", assemble(self.folder, "many", kernels))
        seconds = self.browser.open(page)
        print(f"  {MANY} kernels: {page.stat().st_size / 1e6:.1f} MB, loaded and drawn in {seconds:.2f} s")
        self.browser.click("#tab-kernels")
        self.equal(self.text("#panel-kernels .shown"), "64,000 of 64,000", "kernels")
        self.check(self.browser.run("document.querySelectorAll('tr.row').length") < 200, "rows that cannot be seen are elements")
        self.browser.run("document.querySelector('#panel-kernels .table-box').scrollTop = 1e9")
        self.browser.settle()
        self.equal(self.browser.run("[...document.querySelectorAll('tr.row')].at(-1).ariaRowIndex"), "64001", "last row")
        self.browser.type("#filter", "kernel_50_long registers>190")
        self.check(0 < len(self.column(0)), "nothing was found")


def main(arguments):
    if not find_browser():
        print("skipped: no chromium")
        return 77
    failed = 0
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        tests = Tests(browser, pathlib.Path(folder))
        for name in sorted(name for name in dir(Tests) if name.startswith("test_")):
            if arguments and not any(word in name for word in arguments):
                continue
            browser.resize(*SIZES["laptop"])
            try:
                getattr(tests, name)()
                tests.quiet()
            except AssertionError as error:
                failed += 1
                print(f"FAILED {name}: {error}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
