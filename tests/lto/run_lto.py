#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links generated programs with link-time optimisation, with nvlink and with culink, and compares.

  run_lto.py --culink FILE [--seeds 1-50] [--targets sm_75,sm_90] [--links 2] [--cache DIR] [--nvvmpath DIR]

The toolkit is that of CUDA_HOME, or of nvlink in PATH; its release is what culink emulates.

Under --emulate the exit status, every line of the messages and every byte of the output must be
nvlink's. Each program is compiled once, for compute_75, and linked for every target in --links ways
of RECIPES, which follow each other from program to program.

The optimiser is not always of one mind (Q177): with -Ofc=max, and with several threads for sm_100 and later, variables
lie in another order in every run; the parts of a divided program lie in the order in which threads end, and one
of two orders may come once in twenty runs only. Where the outputs differ, both linkers are asked again in
other surroundings, up to --tries times; if they have an output in common, or if nvlink's are not alike, there is no
difference to find (the counts are told apart). Exit status: 0 all the same, 1 something differs, 77 no nvlink or nvcc here.
"""

import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

from programs import Program

# What culink links is compared, not what it remembers (docs/compilers.md).
os.environ["CULINK_NO_CACHE"] = "1"

TARGETS = ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"]
RUNTIME = ["-L{cuda}/lib64", "-lcudadevrt"]
FEW = 6  # links that show whether two of them are ever alike
AGAIN, UNSETTLED = "another run of nvlink", "nvlink differs from itself"

# How the files of a program are given, by file from the first to the last, which repeats: o a host
# object, f a fatbin, l an .ltoir file, c a cubin, p PTX, a a member of an archive. Then options.
RECIPES = {
    "objects": ("o", RUNTIME),
    "fatbins": ("f", []),
    "partial with cubins": ("co", RUNTIME),
    "archive": ("oa", RUNTIME),
    "relocatable": ("o", ["-r"]),
    "debug": ("o", ["-g"] + RUNTIME),
    "registers": ("o", ["-maxrregcount=32"] + RUNTIME),
    "split compile": ("f", ["-split-compile=2"]),
    "extended split compile": ("o", ["-split-compile-extended=2"] + RUNTIME),
    "objects without runtime": ("o", []),
    "partial with PTX": ("op", []),
    "text": ("o", ["-emit-ptx"] + RUNTIME),
    "fatbins and objects": ("ffo", RUNTIME),
    "raw modules": ("l", []),
    "fast compile": ("o", ["-Ofc=min"] + RUNTIME),
    "used kernels": ("o", ["-kernels-used=kernel0", "-variables-used=counter"] + RUNTIME),
    "host ignored": ("o", ["-ignore-host-info"] + RUNTIME),
    "compiler options": ("o", ["-Xptxas=-O1", "-Xnvvm=-opt=1"] + RUNTIME),
    "partial, an object": ("oc", ["-r"]),
    "partial with fatbins": ("fc", []),
    "debug of parts": ("ocp", ["-g"] + RUNTIME),
    "registers of parts": ("oc", ["-maxrregcount=40"] + RUNTIME),
    "split archive": ("oa", ["-split-compile-extended=3"] + RUNTIME),
}


def run(words, folder):
    return subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


def must(words, folder):
    done = run(words, folder)
    if done.returncode != 0:
        raise RuntimeError(" ".join(words) + "\n" + done.stdout.decode())
    return done


class Compiler:
    """The files of one program in all forms, made when they are asked for."""

    def __init__(self, cuda, folder):
        self.cuda, self.folder = cuda, folder

    def tool(self, name):
        return os.path.join(self.cuda, "bin", name)

    def make(self, path, words):
        """`words` have OUT for the path of the output, which appears whole or not at all."""
        final = os.path.join(self.folder, path)
        if not os.path.exists(final):
            part = f"{path}.part"
            must([word.replace("OUT", part) for word in words], self.folder)
            os.rename(os.path.join(self.folder, part), final)
        return path

    def file(self, name, form, target):
        both = "arch=compute_75,code=[lto_75,compute_75]"
        if form == "l":
            return self.make(f"{name}.ltoir", [self.tool("nvcc"), "-dc", "-dlto", "-ltoir", "-arch=sm_75", f"{name}.cu", "-o", "OUT"])
        self.make(f"{name}.o", [self.tool("nvcc"), "-dc", "-gencode", both, f"{name}.cu", "-o", "OUT"])
        if form in "oa":
            return f"{name}.o"
        if form == "f":
            return self.make(f"{name}.fatbin", ["objcopy", "-O", "binary", "--only-section=__nv_relfatbin", "--set-section-flags",
                                                "__nv_relfatbin=alloc", f"{name}.o", "OUT"])
        self.make(f"{name}.ptx", [self.tool("nvcc"), "-dc", "-ptx", "-arch=compute_75", f"{name}.cu", "-o", "OUT"])
        if form == "p":
            return f"{name}.ptx"
        return self.make(f"{name}.{target}.cubin", [self.tool("ptxas"), f"-arch={target}", "-c", f"{name}.ptx", "-o", "OUT"])


def inputs_of(program, compiler, forms, target):
    """The words of the command line for the files, which may be in an archive."""
    words, members = [], []
    for number, name in enumerate(program.files):
        form = forms[number % len(forms)]
        file = compiler.file(name, form, target)
        (members if form == "a" else words).append(file)
    if members:
        library = "lib" + "_".join(members).replace(".o", "") + ".a"
        compiler.make(library, ["ar", "rcD", "OUT"] + members)
        words.append(library)
    return words


def link(linker, words, folder, output, padding=0):
    """Exit status, messages and output of a link; the output is called the same for both linkers."""
    os.makedirs(os.path.join(folder, output), exist_ok=True)
    path = os.path.join(output, "linked")
    if os.path.exists(os.path.join(folder, path)):
        os.remove(os.path.join(folder, path))
    if padding == 0:
        done = run(linker + words + ["-o", path], folder)
        said = done.stdout
    else:
        with open(os.path.join(folder, output, "messages"), "w+b") as file:
            done = subprocess.run(linker + words + ["-o", path], cwd=folder, stdout=file, stderr=file, check=False,
                                  env=dict(os.environ, PADDING="x" * (padding * 777)))
            file.seek(0)
            said = file.read()
    data = None
    if os.path.exists(os.path.join(folder, path)):
        with open(os.path.join(folder, path), "rb") as file:
            data = file.read()
    return done.returncode, said.decode(errors="replace"), data


def compare_again(options, linkers, words, place, first):
    """What further links of both have in common: AGAIN, UNSETTLED, or nothing where both are settled."""
    folder, output = place
    seen = [{result} for result in first]
    for number in range(1, options.tries + 1):
        for which, name in enumerate(("nvlink", "culink")):
            seen[which].add(link(linkers[which], words, folder, f"{output}/{name}", number))
        if seen[0] & seen[1]:
            return [AGAIN]
        if number >= FEW and len(seen[0]) > number // 2:
            break  # nearly every one is new
    return [UNSETTLED] if len(seen[0]) > 1 else []


def compare(options, seed, folder):
    """The results of one program, as (what, how) with an empty `how` where nothing differs."""
    program = Program(seed)
    program.write(folder)
    compiler = Compiler(options.cuda, folder)
    names = list(RECIPES)
    for place, target in enumerate(options.targets):
        for number in range(options.links):
            recipe = names[(seed * options.links + place * 7 + number) % len(names)]
            forms, more = RECIPES[recipe]
            words = [f"-arch={target}", "-lto", f"-nvvmpath={options.optimiser}"]
            words += inputs_of(program, compiler, forms, target) + [word.format(cuda=options.cuda) for word in more]
            output = f"out-{target}-{number}"
            nvlink = [compiler.tool("nvlink")]
            culink = [options.culink, f"--emulate=nvlink-{options.release}", "--error-format=nvlink", "--no-cache", f"--cuda={options.cuda}"]
            theirs = link(nvlink, words, folder, output + "/nvlink")
            ours = link(culink, words, folder, output + "/culink")
            differs = [what for what, a, b in zip(("status", "messages", "bytes"), theirs, ours) if a != b]
            if differs == ["bytes"]:
                differs = compare_again(options, (nvlink, culink), words, (folder, output), (theirs, ours)) or differs
            said = "".join(f"\n  {who}: {text}" for who, text in (("nvlink", theirs[1]), ("culink", ours[1]))
                           if differs and differs[0] not in (AGAIN, UNSETTLED))
            yield f"{seed} {target} {recipe}", ", ".join(differs) + said, " ".join(words)


def release_of(nvlink):
    """"13.0.88": what `nvlink --version` says behind a V."""
    return re.search(r" V(\d+\.\d+\.\d+)", must([nvlink, "--version"], ".").stdout.decode()).group(1)


def seeds_of(text):
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def run_program(options, seed):
    folder = os.path.join(options.cache, str(seed)) if options.cache else tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)
    results = list(compare(options, seed, folder))
    if not options.cache:
        shutil.rmtree(folder)
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--culink", default=os.environ.get("CULINK"))
    parser.add_argument("--seeds", default="1-50", type=seeds_of)
    parser.add_argument("--targets", default=TARGETS, type=lambda text: text.split(","))
    parser.add_argument("--links", default=2, type=int, help="ways of linking for each program and target")
    parser.add_argument("--cache", type=os.path.abspath, help="keep compiled programs here")
    parser.add_argument("--jobs", default=2, type=int)
    parser.add_argument("--nvvmpath", default="", help="the folder of nvlink's optimiser; else looked for in the toolkit")
    parser.add_argument("--tries", default=40, type=int, help="further links of both where their outputs differ")
    options = parser.parse_args()
    options.culink = os.path.abspath(options.culink)
    nvlink = shutil.which("nvlink")
    home = os.environ.get("CUDA_HOME") or (os.path.dirname(os.path.dirname(os.path.realpath(nvlink))) if nvlink else "")
    options.cuda = home
    # Toolkits of Python packages have the optimiser beside their other libraries, installed ones in a folder of its own.
    places = [place for place in (options.nvvmpath, home, f"{home}/nvvm") if os.path.exists(f"{place}/lib64/libnvvm.so")]
    options.optimiser = places[0] if places else ""
    if not home or not shutil.which(os.path.join(home, "bin", "nvcc")) or not places:
        print("skipped: no nvcc, nvlink and libnvvm here")
        return 77
    options.release = release_of(os.path.join(home, "bin", "nvlink"))
    count = wrong = 0
    moods = {AGAIN: 0, UNSETTLED: 0}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for results in pool.map(lambda seed: run_program(options, seed), options.seeds):
            for what, how, words in results:
                count += 1
                if how in moods:
                    moods[how] += 1
                elif how:
                    wrong += 1
                    print(f"differs: {what}: {how}\n  {words}", flush=True)
    print(f"{count - wrong - moods[UNSETTLED]} of {count} links identical, {moods[AGAIN]} of them to {AGAIN}; "
          f"{UNSETTLED}: {moods[UNSETTLED]}; {len(options.seeds)} programs")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
