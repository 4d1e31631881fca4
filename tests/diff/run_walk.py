#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links the systematic walk over PTX, CUDA C++ and options of compilers with nvlink and with culink.

  run_walk.py --targets sm_75,sm_90 --cache DIR [--cases 'shape/*,cuda/*'] [--save DIR]

walk_ptx.py and walk_cuda.py have the programs, of two files each. Under --emulate culink must write nvlink's
file, exit as it does and print what it prints. The default must link what nvlink links, and its checker must find
nothing. Exit status as of run_diff.py.
"""

import concurrent.futures
import fnmatch
import json
import os
import shutil
import sys
import tempfile
import time
from types import SimpleNamespace

import cached_toolchain
import run_diff
import walk_cuda
import walk_ptx
from cached_toolchain import CachedToolchain, LinkMemory, hash_of, put
from forms import FormMaker, Unit
from recipes import DEBUG, OUTPUT, RECIPES, RELOCATABLE, Recipe, Step
from run_diff import Comparison, Report, arguments_parser, finish_arguments

from dice import Dice
from toolchain import HEADERS_FULL, ToolError, compute_of, find_toolkit, number_of

TARGETS = ["sm_75", "sm_80", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_103", "sm_110", "sm_120"]
NVCC_TARGETS = ["sm_90", "sm_100"]
OTHER_TEXT = "other text"
run_diff.FAILURES += (OTHER_TEXT,)
cached_toolchain.TIMEOUT_SECONDS = 30  # nvlink never ends on some cases, and all are small
KNOWN = "known"  # to differ, for a reason that is told below
ARCHIVE = "lib4.a"  # the fourth file that FormMaker makes
FIRST, SECOND = "first", "second"


# (pattern of names, what may come out, why)
KNOWN_DIFFERENCES = [
    ("address/*/*32/*", (run_diff.ONLY_CULINK, run_diff.OWN_DIFFERS),
     "ptxas writes pointers of 8 bytes into 4, which culink refuses (Q133)"),
    ("address/const/constant32/*", (OTHER_TEXT,),
     "for sm_100 and later nvlink's finalizer fails on the same pointers, or nvlink crashes (Q133)"),
    ("nvcc/ewp+rdc=false", (run_diff.DIFFERENT, OTHER_TEXT),
     "the frame of a kernel with functions inside is 0 on one plane; nvlink reads two call frames at offset 0, which its -r wrote (Q142)"),
    ("alias/*/function-there", (run_diff.DIFFERENT,),
     "an alias replaces a weak function: nvlink crashes, or leaves the function empty in -r"),
    ("alias/*/address", (run_diff.OWN_DIFFERS,), "nvlink -r says of the alias alone that its address is taken (Q144)"),
]


def is_known(name, status):
    return any(status in statuses and fnmatch.fnmatch(name, pattern) for pattern, statuses, _ in KNOWN_DIFFERENCES)


def with_archive(*options):
    return lambda objects, kernels: [Step(list(options), [objects[0], ARCHIVE], OUTPUT)]


# Where the symbols come from: the same link, a file that -r made of one object or of both, an archive.
NAMES = ["plain", "reversed", "debug", "preserve", "r-link", "r-link-debug", "r-before", "r-behind"]
WALK_RECIPES = [recipe for recipe in RECIPES if recipe.name in NAMES] + [
    Recipe("archive", with_archive()), Recipe("archive-debug", with_archive(DEBUG)), Recipe("archive-r", with_archive(RELOCATABLE))]


class WalkComparison(Comparison):
    """As Comparison, with the text of both linkers."""

    def culink(self, step, *extra):
        if self.memory.tools.emulation() in extra:
            extra += ("--error-format=nvlink",)
        return super().culink(step, *extra)

    def judge(self, step, reference, status, log):
        verdict, detail = super().judge(step, reference, status, log)
        if verdict in run_diff.FAILURES or verdict == run_diff.NO_ANSWER or log == reference["log"]:
            return verdict, detail
        return OTHER_TEXT, "nvlink:\n%sculink:\n%s" % (reference["log"], log)

    def judge_refusal(self, reference, status, log):
        if status == run_diff.CRASHED:
            return run_diff.ONLY_CULINK, "culink crashed: " + log.strip()
        if reference["status"] == run_diff.CRASHED:
            return run_diff.NO_ANSWER, ""
        return (run_diff.ONLY_NVLINK, reference["log"].strip()) if status == 0 else (run_diff.REFUSED, "")


class WalkToolchain(CachedToolchain):
    """Compiles cases."""

    def compile_case(self, case, folder, target):
        """Returns the names of the objects. A ToolError says that a compiler refuses the case."""
        objects = []
        for stem, text in zip((FIRST, SECOND), case.files):
            ptx, cubin = stem + ".ptx", stem + ".cubin"
            headers = getattr(case, "headers", None)
            source = stem + ".cu" if headers else ptx
            with open(os.path.join(folder, source), "w", encoding="utf-8") as file:
                file.write(text.replace("{target}", target))
            if headers == walk_cuda.NVCC:
                self.compile_with_nvcc(folder, source, cubin, target, case.flags)
            else:
                if headers:
                    compute = compute_of(target) if case.only else str(max(case.since, 75))
                    self.compile_to_ptx(folder, source, ptx, compute, HEADERS_FULL if headers == walk_cuda.FULL else headers)
                self.assemble(folder, ptx, cubin, target, flags=case.flags if not headers else ())
            if not os.path.exists(os.path.join(folder, cubin)):
                raise ToolError("no output")
            objects.append(cubin)
        return objects

    def remembering_refusals(self, key, make):
        """make(), unless it was refused before."""
        place = self.place("refused", hash_of(self.identity, key))
        if os.path.exists(place):
            with open(place, encoding="utf-8") as file:
                raise ToolError(file.read())
        try:
            make()
        except ToolError as error:
            put(place, str(error).encode("utf-8", "replace"))
            raise

    def compile_with_nvcc(self, folder, source, cubin, target, flags):
        with open(os.path.join(folder, source), encoding="utf-8") as file:
            key = hash_of(self.identity, file.read(), json.dumps([source, target, list(flags)]))
        command = [self.nvcc, "-arch=" + target, "-cubin", "-rdc=true"] + list(flags) + [source, "-o", cubin]
        self.remember(self.place("nvcc", key), os.path.join(folder, cubin), lambda: self.run(command, cwd=folder))


def cases_of(options):
    patterns = options.cases.split(",")
    every = list(walk_ptx.cases()) + list(walk_cuda.cases())
    chosen = [case for case in every if any(fnmatch.fnmatch(case.name, pattern) for pattern in patterns)]
    return chosen[::options.sample]


def exists_for(case, target):
    """nvcc, which takes a second for a file, is run for two targets."""
    if getattr(case, "headers", None) == walk_cuda.NVCC and target not in NVCC_TARGETS:
        return False
    return number_of(target) >= case.since and (not case.only or target.endswith(case.only))


def walk_case(tools, options, case, target, refused):
    """The outcomes of one case for one target; none where a compiler refuses it."""
    outcomes = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = os.path.join(scratch, case.name.replace("/", "-"))
        os.makedirs(folder)
        flags = tuple(options.flags.split())
        if flags:
            case = case._replace(flags=case.flags + flags)
        try:
            objects = []
            tools.remembering_refusals(json.dumps([case.name, case.files, case.flags, target]),
                                       lambda: objects.extend(tools.compile_case(case, folder, target)))
        except ToolError as error:
            refused.setdefault(case.name, {})[target] = str(error)
            return []
        maker = FormMaker(SimpleNamespace(tools=tools), folder, target, Dice("walk"))
        maker.archive([maker.host_object(Unit({"debug": "-g" in case.flags}, objects[1]))])
        memory = LinkMemory(tools, os.path.join("walk", target, "-".join([case.name.replace("/", "-")] + list(flags))))
        comparison = WalkComparison(options, memory, folder, target)
        for recipe in options.chosen_recipes:
            outcomes += comparison.run_recipe(recipe, objects, [])
        for outcome in outcomes:
            outcome.status = KNOWN if is_known(case.name, outcome.status) else outcome.status
        memory.save()
    return outcomes


def run(options, cache):
    tools = WalkToolchain(cache, linker=options.linker, assemblers=[place for place in options.assemblers.split(",") if place])
    targets = TARGETS if options.targets == "all" else options.targets.split(",")
    options.chosen_recipes = [recipe for recipe in WALK_RECIPES
                              if options.recipes == "all" or recipe.name in options.recipes.split(",")]
    cases, report, refused, linked = cases_of(options), Report(targets, options.limit), {}, set()
    start = time.time()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        work = []
        for index, case in enumerate(cases):
            usable = [target for target in targets if exists_for(case, target)]
            if options.spread:
                usable = usable and [usable[index % len(usable)]]
            work.append((case.name, usable, pool.submit(
                lambda case, usable: [walk_case(tools, options, case, target, refused) for target in usable], case, usable)))
        for name, usable, task in work:
            for target, outcomes in zip(usable, task.result()):
                report.add(name, target, outcomes)
                if outcomes:
                    linked.add(name)
    report.print_table(options.chosen_recipes)
    never = [case.name for case in cases if case.name in refused and case.name not in linked]
    print("%d cases, %d linked; refused by compilers: %s" % (len(cases), len(linked), ", ".join(never) or "none"))
    if options.refusals:
        for name in never:
            print("%s: %s" % (name, next(iter(refused[name].values()))))
    print("%.0f s" % (time.time() - start))
    return 1 if report.failures else 0


def main():
    parser = arguments_parser(__doc__)
    parser.add_argument("--cases", default="*", help="patterns of names, with commas")
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="one of N cases")
    parser.add_argument("--flags", default="", help="what ptxas and nvcc get besides, for example '-g'")
    parser.add_argument("--refusals", action="store_true", help="print why compilers refused cases")
    parser.add_argument("--recipes", default="all", help="option sets: " + ", ".join(recipe.name for recipe in WALK_RECIPES))
    options = finish_arguments(parser)
    if find_toolkit() is None:
        print("skipped: no CUDA toolkit with nvlink here")
        return 77
    for program in ("as", "ar"):
        if shutil.which(program) is None:
            print("skipped: no %s here" % program)
            return 77
    if options.cache:
        return run(options, options.cache)
    with tempfile.TemporaryDirectory() as cache:
        return run(options, cache)


if __name__ == "__main__":
    sys.exit(main())
