#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links generated programs as host objects, fatbins, archives and PTX with nvlink and with culink.

  run_forms.py --seeds 1-60 --targets sm_80,sm_90 --cache DIR [--forms host,mixed] [--save DIR]

Under --emulate culink must write nvlink's file and nvlink's list of modules to register, or refuse
what nvlink refuses. Exit status as of run_diff.py.
"""

import os
import shutil
import sys
import tempfile
import time

import run_diff
from cached_toolchain import CachedToolchain, read, run_linker
from device_runtime import NoDeviceRuntime, find_library
from forms import FORMS, FormError, FormMaker, Unit
from recipes import DEBUG, OUTPUT, PRESERVE, RELOCATABLE, Recipe, Step, kernels_used
from run_diff import Comparison, Outcome, Report, arguments_parser, finish_arguments

from build import Build
from dice import Dice
from generate import generate
from toolchain import ToolError, find_toolkit

REGISTERED = "registered"
OTHER_MODULES = "other modules"     # the lists of modules differ
run_diff.FAILURES += (OTHER_MODULES,)


class FormComparison(Comparison):
    """Both linkers on one form of a program, with the list of modules."""

    def __init__(self, options, tools, folder, target, own):
        super().__init__(options, None, folder, target)
        self.tools = tools
        self.own_is_same = own

    def toolchain(self):
        return self.tools

    def arguments(self, step):
        return ["--register-link-binaries=" + REGISTERED] + super().arguments(step)

    def clear(self, step):
        for name in (step.output, REGISTERED):
            if os.path.exists(self.at(name)):
                os.remove(self.at(name))

    def modules(self):
        return read(self.at(REGISTERED)) if os.path.exists(self.at(REGISTERED)) else None

    def nvlink(self, step):
        self.clear(step)
        return run_linker([self.tools.nvlink] + self.arguments(step), self.folder)

    def compare(self, step, keep=False):
        status, log = self.nvlink(step)
        modules = self.modules()
        reference = {"status": status, "log": log}
        if status == 0:
            os.replace(self.at(step.output), self.at("ref.cubin"))
        self.clear(step)
        status, log = self.culink(step, self.tools.emulation())
        registered = self.modules()
        verdict, detail = self.judge(step, reference, status, log)
        if reference["status"] == 0 and verdict == run_diff.SAME and modules != registered:
            return OTHER_MODULES, "nvlink:\n%s\nculink:\n%s" % (modules, registered)
        return verdict, detail

    def judge(self, step, reference, status, log):
        if reference["status"] != 0:
            return self.judge_refusal(reference, status, log)
        if status != 0:
            return run_diff.ONLY_CULINK, log.strip()
        if read(self.at(step.output)) != read(self.at("ref.cubin")):
            return run_diff.DIFFERENT, self.explain(step)
        if self.options.own and self.own_is_same and RELOCATABLE not in step.options:
            return self.compare_own(step)
        return run_diff.SAME, ""

    def explain(self, step):
        done = self.tools.run([self.options.cubin, "diff", "--details", step.output, "ref.cubin"],
                              cwd=self.folder, check=False)
        return done.stdout.strip()

    def save_folder(self, name, step):
        place = os.path.join(self.options.save, "%s-%s-%s" % (os.path.basename(self.folder),
                                                              self.target, name))
        shutil.copytree(self.folder, place, dirs_exist_ok=True)
        with open(os.path.join(place, "cmd"), "w", encoding="utf-8") as file:
            file.write(" ".join(self.arguments(step)) + "\n")


def options_for(dice, kernels, form):
    """Some of the options that change what becomes of the code."""
    sets = [[], [], [], [PRESERVE], [RELOCATABLE], ["-ignore-host-info"], ["-use-host-info"]]
    if "ptx" not in form and "mixed" not in form and "any" not in form and "foreign" not in form:
        sets.append([DEBUG])   # the note of the compiler inside nvlink differs with -g
    if kernels:
        sets.append([kernels_used(dice.pick(kernels))])
    return list(dice.pick(sets))


def compare_form(tools, options, build, folder, target, name, units, runtime):
    dice = Dice("forms", build.manifest["seed"], target, name)
    kernels = build.manifest["kernels"]
    make, own = FORMS[name]
    maker = FormMaker(build, folder, target, dice)
    words = make(maker, units, kernels)
    extra = options_for(dice, kernels, name)
    if runtime and (build.manifest["link"]["device_runtime"] or dice.chance(0.2)):
        words = words + ["-L" + os.path.dirname(runtime), "-lcudadevrt"]
    step = Step(extra, words, OUTPUT)
    comparison = FormComparison(options, tools, folder, target, own)
    verdict, detail = comparison.compare(step)
    if verdict in run_diff.FAILURES and options.save:
        comparison.save_folder(name, step)
    return Outcome(name, step, verdict, detail)


def compare_program(tools, options, seed, targets, forms):
    results = []
    try:
        runtime = find_library(tools.folder)
    except NoDeviceRuntime:
        runtime = None
    with tempfile.TemporaryDirectory() as scratch:
        folder = os.path.join(scratch, "s%04d" % seed)
        generate(seed).write(folder)
        build = Build(tools, folder)
        for file in build.manifest["files"]:
            file.pop("older", None)  # a fatbin says for which target its code is
        for target in targets:
            objects = build.compile(target)
            units = [Unit(file, cubin)
                     for file, cubin in zip(build.files_for(target), objects)]
            outcomes = []
            for name in forms:
                place = os.path.join(scratch, target, name, os.path.basename(folder))
                shutil.copytree(os.path.join(folder, target), place)
                outcomes.append(compare_form(tools, options, build, place, target, name, units,
                                             runtime))
                shutil.rmtree(place)
            results.append((target, outcomes))
    return results


def run(options, cache):
    tools = CachedToolchain(cache, linker=options.linker)
    targets = run_diff.TARGETS if options.targets == "all" else options.targets.split(",")
    forms = list(FORMS) if options.forms == "all" else options.forms.split(",")
    report = Report(targets, options.limit)
    start = time.time()
    run_diff.compare_programs(
        options, targets, report,
        lambda seed, chosen: compare_program(tools, options, seed, chosen, forms))
    report.print_table([Recipe(name, None) for name in forms])
    print("%.0f s" % (time.time() - start))
    return 1 if report.failures else 0


def main():
    parser = arguments_parser(__doc__)
    parser.add_argument("--forms", default="all", help="of " + ", ".join(FORMS))
    options = finish_arguments(parser)
    if find_toolkit() is None:
        print("skipped: no CUDA toolkit with nvlink here")
        return 77
    for program in ("as", "ar", "ld"):
        if shutil.which(program) is None:
            print("skipped: no %s here" % program)
            return 77
    try:
        if options.cache:
            return run(options, options.cache)
        with tempfile.TemporaryDirectory() as cache:
            return run(options, cache)
    except (ToolError, FormError) as error:
        print("error: %s" % error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
