#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links generated programs with nvlink and with culink, and compares every byte.

  run_diff.py --seeds 1-60 --targets sm_75,sm_90 --cache DIR [--save DIR]

Under --emulate culink must write nvlink's file, and must refuse what nvlink refuses, for the same
reason. Without it, the file may differ in the tool's own record only. docs/testing.md has the
results.

For sm_100 and later --code says what culink writes. `sass`: nvlink gets the objects without their
Mercury half, culink as they are. `mercury`: the code may be scheduled in another way, or be made
anew by nvlink, both of which is told and shown (scheduling.py, rewritten.py); nothing else may differ. `exact`: the same file, with the finalizer that culink finds. Exit status: 0 all the same, 1 something differs, 77 no nvlink here.
"""

import argparse
import concurrent.futures
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter

from cached_toolchain import CRASHED, CachedToolchain, LinkMemory, read, run_linker
from device_runtime import NoDeviceRuntime
from on_purpose import refused_on_purpose, unexplained_lines
from reasons import culink_reasons, culink_rows, missing, nvlink_reasons
from plain_sass import is_mercury, to_plain_sass
from recipes import RECIPES, RELOCATABLE
from rewritten import unexplained
from scheduling import differ_in_scheduling_only
from unsettled import unsettled_bytes

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "generate"))
from build import Build  # noqa: E402
from generate import generate  # noqa: E402
from toolchain import ToolError, find_toolkit  # noqa: E402

BUILT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build", "release", "bin")
TARGETS = ["sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a"]
MERCURY_TARGETS = ["sm_100", "sm_100a", "sm_100f", "sm_103", "sm_110", "sm_120", "sm_120a", "sm_121"]
CHECK, FINDING = "--check", "the output is not sound"
DEVICE_RUNTIME = "cuda_device_runtime.cubin"
# Trouble of nvlink's own that it cannot explain. The second is what a division by zero, a crash on
# x86-64, leads to on machines where it gives 0.
UNEXPECTED = ("Internal error: unexpected reloc\n",
              "Internal error: .nv.constant3 section size mismatch\n",
              "Internal error: .nv.constant.user section size mismatch\n",
              "Internal error: section size mismatch\n",  # as 12.4 says it
              "Internal error: relocation is past end of offset\n",
              "Internal error: Negative size encountered\n")
UNUSED_MEMORY = ("0", "85", "170", "255")  # what glibc fills it with
MISSING_RUNTIME = set()       # why programs were linked without it
NOT_COMPILED = {}             # what older assemblers said about programs that they do not understand

# What may come out of one step.
SAME = "identical"
REFUSED = "refused"           # by both, for the same reason
NO_ANSWER = "nvlink crashed"  # or gave up: nothing to compare with
DIFFERENT = "different"
VARIES = "nvlink varies"       # its own answers differ from each other, in bytes nobody can predict
SCHEDULED = "scheduled again"  # by nvlink; the same in all other bits
REWRITTEN = "made anew"       # functions by nvlink, with other instructions; the same in all else
OWN_SOUND = "own is sound"    # differs on purpose, see on_purpose.py
OWN_UNSOUND = "own is unsound"  # the checker has findings (docs/checker.md)
OWN_DIFFERS = "own differs"   # without --emulate more than the tool's record differs
REASON = "other reason"       # both refuse, with different messages
ONLY_NVLINK = "nvlink refuses"
ONLY_CULINK = "culink refuses"
FAILURES = (DIFFERENT, OWN_DIFFERS, OWN_UNSOUND, REASON, ONLY_NVLINK, ONLY_CULINK)


def differing_places(first, second):
    return [place for place in range(len(first)) if first[place] != second[place]]


class Outcome:
    """One compared step."""

    def __init__(self, recipe, step, status, detail=""):
        self.recipe = recipe
        self.step = step
        self.status = status
        self.detail = detail


class Comparison:
    """Both linkers on one folder of objects."""

    def __init__(self, options, memory, folder, target):
        self.options = options
        self.memory = memory
        self.folder = folder
        self.target = target
        self.rows = culink_rows()
        self.sources = folder  # what culink links
        if options.code == "sass":
            self.sources = os.path.join(folder, "mercury")
            self.split_objects()

    def split_objects(self):
        """nvlink gets machine code alone, culink the objects as they are."""
        os.makedirs(self.sources)
        for name in os.listdir(self.folder):
            if not name.endswith(".cubin"):
                continue
            shutil.copy(self.at(name), self.sources)
            data = read(self.at(name))
            if is_mercury(data):
                with open(self.at(name), "wb") as file:
                    file.write(to_plain_sass(data))

    def at(self, name):
        return os.path.join(self.folder, name)

    def arguments(self, step):
        return ["-arch=" + self.target] + step.options + step.inputs + ["-o", step.output]

    def culink(self, step, *extra):
        if os.path.exists(self.at(step.output)):
            os.remove(self.at(step.output))
        code = ["--code=" + self.options.code] if self.options.code else []
        if self.options.code in (None, "exact") and self.target in MERCURY_TARGETS:
            code += self.memory.tools.engine()
        arguments = self.arguments(step)[:-1] + [self.at(step.output)]
        return run_linker([self.options.culink, "--no-demangle"] + code + list(extra) + arguments,
                          self.sources)

    def compare(self, step, keep):
        """Returns (status, detail). With `keep` nvlink's output is left in the folder."""
        arguments = self.arguments(step)
        reference = self.memory.link(self.folder, arguments, step.inputs, step.output, keep)
        if keep and reference["status"] == 0:
            os.rename(self.at(step.output), self.at("nvlink.cubin"))
        status, log = self.culink(step, self.memory.tools.emulation())
        answer = self.judge(step, reference, status, log)
        if keep and reference["status"] == 0:
            os.replace(self.at("nvlink.cubin"), self.at(step.output))
            if self.sources != self.folder:
                shutil.copy(self.at(step.output), self.sources)
        return answer

    def judge(self, step, reference, status, log):
        if reference["status"] != 0:
            answer = self.judge_refusal(reference, status, log)
            return self.check_own(step, answer) if self.options.own else answer
        if status != 0:
            return ONLY_CULINK, log.strip()
        data = read(self.at(step.output))
        if hashlib.sha256(data).hexdigest() != reference["sha256"]:
            detail = self.explain(step)
            if self.options.code == "mercury":
                return self.judge_code(step, data, detail)
            return (VARIES, "") if self.differs_where_nvlink_varies(step, data) else (DIFFERENT, detail)
        # The default -r keeps relocations that nvlink's loses, so it is another file on purpose.
        if self.options.own:
            return self.compare_own(step) if RELOCATABLE not in step.options else self.check_own(step)
        return SAME, ""

    def check_own(self, step, answer=(SAME, "")):
        """A link without --emulate that is compared with its inputs only, by the checker."""
        _, log = self.culink(step, CHECK)
        return (OWN_UNSOUND, log.strip()) if FINDING in log else answer

    def judge_code(self, step, data, detail):
        """The code is as it was compiled; what differs must follow from that."""
        reference = read(self.at("ref.cubin"))
        if differ_in_scheduling_only(data, reference):
            return SCHEDULED, ""
        objects = [read(os.path.join(self.sources, name)) for name in step.inputs]
        findings = unexplained(data, reference, objects)
        return (DIFFERENT, "\n".join(findings + [detail])) if findings else (REWRITTEN, "")

    def differs_where_nvlink_varies(self, step, data):
        """Whether all bytes that differ lie in fields that nvlink fills with whatever its memory held:
        those that are known (unsettled.py), and what changes when the memory it is given was used for
        something else before."""
        first = read(self.at("ref.cubin"))
        if len(first) != len(data):
            return False
        unsettled = unsettled_bytes(first)
        for used_for in UNUSED_MEMORY:
            if all(place in unsettled for place in differing_places(first, data)):
                return True
            run_linker([self.memory.tools.nvlink] + self.arguments(step), self.folder,
                       {"MALLOC_PERTURB_": used_for})
            again = read(self.at(step.output))
            if len(again) != len(first):
                return False
            for place in differing_places(first, again):
                unsettled.update(range(place - 3, place + 4))  # fields of four bytes
        return all(place in unsettled for place in differing_places(first, data))

    def judge_refusal(self, reference, status, log):
        if status == CRASHED:
            return ONLY_CULINK, "culink crashed: " + log.strip()
        if reference["status"] == CRASHED or any(text in reference["log"] for text in UNEXPECTED):
            return NO_ANSWER, ""
        if status == 0:
            return ONLY_NVLINK, reference["log"].strip()
        untold = self.options.reasons and missing(nvlink_reasons(reference["log"]),
                                                  culink_reasons(log, self.rows))
        if untold:
            return REASON, "\n".join(["missing: " + text for text in untold] +
                                     ["nvlink says:", reference["log"].strip(),
                                      "culink says:", log.strip()])
        return REFUSED, ""

    def toolchain(self):
        return self.memory.tools

    def compare_own(self, step):
        """The default mode, in the manner of the linker's release where objects of others make it choose."""
        os.replace(self.at(step.output), self.at("emulated.cubin"))
        dialect = []
        if self.toolchain().assemblers or self.options.linker:
            dialect = ["--dialect=%d.%d" % self.toolchain().linker_release()]
            answer = self.check_own(step)
            if answer[0] in FAILURES:
                return answer
        status, log = self.culink(step, CHECK, *dialect)
        if FINDING in log:
            return OWN_UNSOUND, log.strip()
        if status != 0:
            return (OWN_SOUND if refused_on_purpose(step.options, log) else OWN_DIFFERS,
                    "without --emulate: " + log.strip())
        done = subprocess.run([self.options.cubin, "diff", "--details", "--all", "--ignore=tkinfo",
                               step.output, "emulated.cubin"], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace")
        if done.returncode == 0:
            return SAME, ""
        unexplained = unexplained_lines(step.options, done.stdout, self.toolchain().linker_release(), self.target)
        return OWN_DIFFERS if unexplained else OWN_SOUND, done.stdout.strip()

    def explain(self, step):
        """What `cubin diff` says about culink's file and nvlink's."""
        os.replace(self.at(step.output), self.at("culink.cubin"))
        run_linker([self.memory.tools.nvlink] + self.arguments(step), self.folder)
        done = subprocess.run([self.options.cubin, "diff", "--details", "culink.cubin", step.output],
                              cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace")
        os.replace(self.at(step.output), self.at("ref.cubin"))
        return done.stdout.strip()

    def run_recipe(self, recipe, objects, kernels):
        """Compares the steps of a recipe up to the first that nvlink refuses."""
        outcomes = []
        steps = recipe.build(objects, kernels)
        for step in steps:
            status, detail = self.compare(step, keep=step is not steps[-1])
            outcomes.append(Outcome(recipe.name, step, status, detail))
            if status in FAILURES and self.options.save:
                self.save(recipe, step, len(outcomes))
            if not os.path.exists(self.at(step.output)) and step is not steps[-1]:
                break
        return outcomes

    def save(self, recipe, step, number):
        """Keeps inputs, command and nvlink's answer of a failing link."""
        place = os.path.join(self.options.save, "%s-%s-%s-%d" % (
            os.path.basename(self.folder), self.target, recipe.name, number))
        os.makedirs(place, exist_ok=True)
        for name in step.inputs:
            shutil.copy(os.path.join(self.sources, name), place)
        command = ["-arch=" + self.target] + step.options + step.inputs + ["-o", "ref.cubin"]
        with open(os.path.join(place, "cmd"), "w", encoding="utf-8") as file:
            file.write("\n".join(["nvlink"] + command) + "\n")
        _, log = run_linker([self.memory.tools.nvlink] + command, place)
        with open(os.path.join(place, "log"), "w", encoding="utf-8") as file:
            file.write(log)


def add_device_runtime(tools, target, place):
    """Puts the library's object into `place`. Where there is none both linkers get the same undefined
    symbols, which is a test as well, but a smaller one."""
    try:
        shutil.copyfile(tools.device_runtime(target), os.path.join(place, DEVICE_RUNTIME))
        return [DEVICE_RUNTIME]
    except NoDeviceRuntime as reason:
        MISSING_RUNTIME.add(str(reason))
        return []


def compare_program(tools, options, seed, targets, recipes):
    """Yields (target, outcomes) for each target of one program."""
    results = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = os.path.join(scratch, "s%04d" % seed)
        generate(seed, options.kernel_prefix).write(folder)
        build = Build(tools, folder)
        for target in targets:
            memory = LinkMemory(tools, "s%04d-%s" % (seed, target))
            try:
                objects = build.compile(target)
            except ToolError as error:
                if not options.assemblers:
                    raise
                NOT_COMPILED[target, seed] = str(error)
                continue
            place = os.path.join(scratch, target, os.path.basename(folder))
            shutil.move(os.path.join(folder, target), place)
            if build.manifest["link"]["device_runtime"]:
                objects = objects + add_device_runtime(tools, target, place)
            comparison = Comparison(options, memory, place, target)
            outcomes = []
            for recipe in recipes:
                outcomes += comparison.run_recipe(recipe, objects, build.manifest["kernels"])
            memory.save()
            shutil.rmtree(os.path.dirname(place))
            results.append((target, outcomes))
    return results


class Report:
    """Counts, and prints failures as they come."""

    def __init__(self, targets, limit):
        self.targets = targets
        self.limit = limit
        self.counts = {}       # (recipe, target) -> Counter of statuses
        self.failures = 0

    def add(self, name, target, outcomes):
        for outcome in outcomes:
            self.counts.setdefault((outcome.recipe, target), Counter())[outcome.status] += 1
            if outcome.status not in FAILURES:
                continue
            self.failures += 1
            if self.failures <= self.limit:
                lines = outcome.detail.splitlines()
                print("%s %s %s: %s (%s)" % (name, target, outcome.recipe, outcome.status,
                                                  " ".join(outcome.step.options) or "plain"))
                for line in lines[:12]:
                    print("    " + line)
                if len(lines) > 12:
                    print("    ... %d more lines" % (len(lines) - 12))
                sys.stdout.flush()

    def print_table(self, recipes):
        print("links: identical / refused by both / failures")
        print("%-22s" % "option set" + "".join("%16s" % target for target in self.targets))
        total = Counter()
        for recipe in recipes:
            cells = []
            for target in self.targets:
                counter = self.counts.get((recipe.name, target), Counter())
                total += counter
                cells.append("%d / %d / %d" % (counter[SAME] + counter[OWN_SOUND] +
                                               counter[SCHEDULED] + counter[REWRITTEN],
                                               counter[REFUSED] + counter[NO_ANSWER] +
                                               counter[VARIES],
                                               sum(counter[status] for status in FAILURES)))
            print("%-22s" % recipe.name + "".join("%16s" % cell for cell in cells))
        print("%d links: %s" % (sum(total.values()), ", ".join(
            "%d %s" % (count, status) for status, count in sorted(total.items()))))


def parse_seeds(text):
    seeds = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        seeds += range(int(first), int(last or first) + 1)
    return seeds


def arguments_parser(description):
    """The options of every script that compares the two linkers."""
    parser = argparse.ArgumentParser(description=description.split("\n\n")[0])
    parser.add_argument("--seeds", default="1-20", help="for example 1-60 or 3,7,20-25")
    parser.add_argument("--targets", default="sm_75,sm_90", help="list with commas, 'all', or 'mercury'")
    parser.add_argument("--code", choices=["sass", "mercury", "exact"], help="what culink writes for sm_100 and later")
    parser.add_argument("--spread", action="store_true", help="one target per program, in turn")
    parser.add_argument("--cache", default=None, help="folder that remembers compiled objects")
    parser.add_argument("--linker", default=None,
                        help="a toolkit whose nvlink is compared; its compilers are those of $CUDA_HOME")
    parser.add_argument("--assemblers", default="",
                        help="toolkits, with commas, whose ptxas make the objects in turn; 'own' among them is that "
                        "of the compilers, which also makes what the others refuse")
    parser.add_argument("--save", default=None, help="folder for the inputs of failing links")
    parser.add_argument("--culink", default=os.environ.get("CULINK", os.path.join(BUILT, "culink")))
    parser.add_argument("--cubin", default=os.environ.get("CUBIN", os.path.join(BUILT, "cubin")))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--limit", type=int, default=40, help="failures told in full")
    parser.add_argument("--no-own", dest="own", action="store_false",
                        help="do not compare the default mode")
    parser.add_argument("--no-reasons", dest="reasons", action="store_false",
                        help="any refusal will do where nvlink refuses")
    return parser


def finish_arguments(parser):
    options = parser.parse_args()
    options.culink = os.path.abspath(options.culink)
    options.cubin = os.path.abspath(options.cubin)
    for program in (options.culink, options.cubin):
        if not os.access(program, os.X_OK):
            parser.error("no %s: --culink and --cubin, or $CULINK and $CUBIN, name the programs to test" % program)
    if options.save:
        options.save = os.path.abspath(options.save)
    return options


def compare_programs(options, targets, report, compare):
    """Reports compare(seed, targets) of every program, several at a time, in the order of seeds."""
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        work = []
        for index, seed in enumerate(parse_seeds(options.seeds)):
            chosen = [targets[index % len(targets)]] if options.spread else targets
            work.append((seed, pool.submit(compare, seed, chosen)))
        for seed, task in work:
            for target, outcomes in task.result():
                report.add("seed %d" % seed, target, outcomes)


def run(options, cache):
    tools = CachedToolchain(cache, linker=options.linker,
                            assemblers=[place for place in options.assemblers.split(",") if place])
    known = {"all": TARGETS, "mercury": MERCURY_TARGETS}
    targets = known.get(options.targets) or options.targets.split(",")
    recipes = [recipe for recipe in RECIPES
               if options.recipes == "all" or recipe.name in options.recipes.split(",")]
    report = Report(targets, options.limit)
    start = time.time()
    compare_programs(options, targets, report,
                     lambda seed, chosen: compare_program(tools, options, seed, chosen, recipes))
    report.print_table(recipes)
    for reason in sorted(MISSING_RUNTIME):
        print("note: dynamic parallelism is linked without its library: " + reason)
    if NOT_COMPILED:
        print("note: too new for the assembler: " + ", ".join(
            "seed %d %s" % (seed, target) for target, seed in sorted(NOT_COMPILED)))
    print("%.0f s" % (time.time() - start))
    return 1 if report.failures else 0


def main():
    parser = arguments_parser(__doc__)
    parser.add_argument("--recipes", default="all", help="option sets: " + ", ".join(
        recipe.name for recipe in RECIPES))
    parser.add_argument("--kernel-prefix", default="",
                        help="before the names of all kernels; ptxas adds directives to those with 'cutlass'")
    options = finish_arguments(parser)
    if find_toolkit() is None:
        print("skipped: no CUDA toolkit with nvlink here")
        return 77
    try:
        if options.cache:
            return run(options, options.cache)
        with tempfile.TemporaryDirectory() as cache:
            return run(options, cache)
    except ToolError as error:
        print("error: %s" % error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
