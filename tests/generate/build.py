#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and links a generated program for a list of targets.

  build.py DIR --targets sm_75,sm_90a [--links plain,relocatable,debug,preserve,kernels]

Objects land in DIR/<target>/<file>.cubin, nvlink's outputs in DIR/<target>/linked/<name>.cubin.
PTX is made once for compute_75 and serves every target, except for files marked native.
"""

import argparse
import json
import os
import sys

from toolchain import VISIBLE, ToolError, Toolchain, compute_of, number_of

TARGETS = ["sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_90a",
           "sm_100", "sm_100a", "sm_100f", "sm_103", "sm_103a", "sm_103f",
           "sm_110", "sm_110a", "sm_110f", "sm_120", "sm_120a", "sm_120f",
           "sm_121", "sm_121a", "sm_121f"]

# The device runtime library of the x86-64 toolkit has no code for the embedded boards of these.
WITHOUT_DEVICE_RUNTIME = (87, 88)

# The targets whose objects a link for another accepts.
OLDER_TARGETS = {"sm_86": "sm_80", "sm_89": "sm_86", "sm_90a": "sm_90", "sm_100a": "sm_100f",
                 "sm_100f": "sm_100", "sm_103": "sm_100", "sm_103a": "sm_100f", "sm_103f": "sm_100f",
                 "sm_110a": "sm_110", "sm_120a": "sm_120f", "sm_120f": "sm_120", "sm_121": "sm_120",
                 "sm_121a": "sm_121", "sm_121f": "sm_120f"}

# With --preserve-relocs and --kernels-used nvlink 13.0 gives up on some sound programs, for example
# where only dead code uses a shared variable or an alias.
KNOWN_REFUSAL = "nvlink fatal   : Internal error"


class Build:
    """One program folder and what has been made of it."""

    def __init__(self, tools, folder):
        self.tools = tools
        self.folder = folder
        with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
            self.manifest = json.load(file)
        self.made_ptx = {}

    def files_for(self, target):
        return [file for file in self.manifest["files"] if number_of(target) >= file["min_target"]]

    def failure_for(self, target):
        """Why the link is meant to fail for the target, or None."""
        link = self.manifest["link"]
        if link["device_runtime"] and number_of(target) in WITHOUT_DEVICE_RUNTIME:
            return "no device runtime library for " + target
        if link["failure"] and "sm_90" in link["failure"] and number_of(target) < 90:
            return None
        return link["failure"]

    def ptx_of(self, file, target):
        if file["language"] == "ptx":
            return file["name"]
        compute = compute_of(target) if file["native"] else "75"
        flags = file["compiler_flags"] + ([VISIBLE] if file.get("visible") else [])
        ptx = os.path.splitext(file["name"])[0] + ".compute_%s.ptx" % compute
        if ptx not in self.made_ptx:
            self.tools.compile_to_ptx(self.folder, file["name"], ptx, compute, file["headers"],
                                      file["debug"], file["lineinfo"], flags)
            self.made_ptx[ptx] = True
        return ptx

    def compile(self, target):
        """Returns the objects' names inside DIR/<target>, in link order."""
        os.makedirs(os.path.join(self.folder, target), exist_ok=True)
        objects = []
        for file in self.files_for(target):
            name = os.path.splitext(file["name"])[0] + ".cubin"
            chip = OLDER_TARGETS.get(target, target) if file.get("older") else target
            self.tools.assemble(self.folder, self.ptx_of(file, chip), os.path.join(target, name),
                                chip, file["debug"], file["lineinfo"], file["assembler_flags"])
            objects.append(name)
        return objects

    def link(self, target, objects, name):
        """Runs nvlink with the named option set; returns the output's path, or None if it failed."""
        place = os.path.join(self.folder, target)
        os.makedirs(os.path.join(place, "linked"), exist_ok=True)
        link = self.manifest["link"]
        output = os.path.join("linked", name + ".cubin")
        done = self.tools.link(place, objects, output, target, link["options"][name],
                               link["device_runtime"], check=False)
        with open(os.path.join(place, "linked", name + ".log"), "w", encoding="utf-8") as log:
            log.write(done.stdout)
        if done.returncode == 0:
            return os.path.join(place, output)
        refused = name in ("preserve", "kernels") and KNOWN_REFUSAL in done.stdout
        if not refused and not self.failure_for(target):
            raise ToolError("seed %s, %s, %s: link failed\n%s"
                            % (self.manifest["seed"], target, name, done.stdout))
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--targets", default="sm_90", help="list with commas, or 'all'")
    parser.add_argument("--links", default="plain", help="names of option sets in manifest.json")
    options = parser.parse_args()
    targets = TARGETS if options.targets == "all" else options.targets.split(",")
    try:
        build = Build(Toolchain(), options.folder)
        for target in targets:
            objects = build.compile(target)
            for name in options.links.split(","):
                if name in build.manifest["link"]["options"]:
                    build.link(target, objects, name)
    except ToolError as error:
        print("error: %s" % error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
