#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recorded links with link-time optimisation, without a compiler.

  optimised_programs.py            compares (CULINK, CUBIN: the programs)
  optimised_programs.py --record   makes the inputs, the compiler's answers and nvlink's outputs anew

What libnvJitLink and ptxas would answer comes from tests/lto/recorded, by a hash of what they are asked
(playback_engine.cc, playback_ptxas.py): a linker that asks for something else fails. Under --emulate
the output, the messages and the exit status are those of nvlink 13.0.88; by default the rows below say
what has to be in the output and in the messages.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

# What culink links is compared, not what it remembers (docs/compilers.md).
os.environ["CULINK_NO_CACHE"] = "1"

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDED = os.path.join(HERE, "recorded")
EMULATE = ["--emulate=nvlink-13.0.88", "--error-format=nvlink"]

# As nvlink does it.
SAME = {
    "objects": "main.o math.o",
    "fatbins": "main.fatbin math.fatbin",
    "raw-modules": "main.ltoir math.ltoir",
    "partial": "main.o math.cubin",
    "partial-behind": "math.cubin main.o",
    "partial-fatbin": "main.fatbin math.cubin",
    "relocatable": "-r main.o math.o",
    "relocatable-fatbins": "-r main.fatbin math.fatbin",
    "text": "-emit-ptx main.o math.o",
    "text-of-parts": "-emit-ptx main.o math.cubin",
    "registers": "-maxrregcount=32 main.o math.o",
    "fast": "-Ofc=max main.fatbin math.fatbin",
    "kernels": "-kernels-used=square main.o math.o",
    "kernels-and-variables": "-kernels-used=square -variables-used=other main.o math.o",
    "all-kernels": "-ignore-host-info main.o math.o",
    "files-without-host-code": "main.o math.fatbin",
    "optimiser-option": "-Xnvvm=-opt=1 main.fatbin math.fatbin",
    "bad-optimiser-option": "-Xnvvm=-bogus main.fatbin math.fatbin",
    "assembler-option": "-Xptxas=-O1 main.fatbin math.fatbin",
    "bad-assembler-option": "-Xptxas=-bogus main.fatbin math.fatbin",
    "defined-twice": "math.fatbin math.fatbin",
    "undefined-function": "main.fatbin",
    "undefined-variable": "missing.fatbin",
    "nothing-to-optimise": "math.cubin",
    "nothing-to-write-as-text": "-emit-ptx math.cubin",
    "split-twice": "-split-compile=2 -split-compile-extended=2 main.fatbin math.fatbin",
    "split-text": "-split-compile-extended=2 -emit-ptx main.fatbin math.fatbin",
    "mixed-arithmetic": "main.fatbin math.ftz.fatbin",
    "recorded-threads": "main.fatbin math.threads.fatbin",
    "recorded-threads-count": "-split-compile=4 -split-compile-extended=2 main.fatbin math.threads.fatbin",
    "mixed-registers": "main.fatbin math.limited.fatbin",
    "not-a-module": "main.ltoir wrong.ltoir",
    "damaged-module": "cut.ltoir",
    "chip": "-arch=sm_90a chip.fatbin",
}

# culink's own way: the exit status, kernels that the output has, and what messages say.
SOUND = {
    "complete-without-runtime": ("main.o math.o", 0, ["reverse"], ""),
    "fatbin-beside-cubin": ("main.fatbin math.cubin", 0, ["reverse", "not_launched", "square_all"], "math.cubin: has no code for"),
    "object-of-fatbins": ("-r main.fatbin math.fatbin", 0, ["reverse", "not_launched", "square_all"], ""),
    "undefined-variable-is-an-error": ("missing.fatbin", 255, [], "undefined symbol: nowhere"),
    "undefined-names-the-inputs": ("main.fatbin", 255, [], "main.fatbin, optimised"),
    "kernels-of-files-stay": ("main.o math.fatbin", 0, ["reverse", "not_launched", "square_all"], ""),
    "chip-keeps-its-letter": ("-arch=sm_90a chip.fatbin", 0, ["registers"], ""),
    "nothing-to-write-is-an-error": ("-emit-ptx math.cubin", 1, [], "no PTX to write"),
    "mixed-arithmetic-names-the-input": ("main.fatbin math.ftz.fatbin", 1, [], "math.ftz.fatbin: compiled with another value of '-ftz' than main.fatbin"),
    "optimiser-says-why": ("math.fatbin math.fatbin", 1, [], "symbol multiply defined"),
}


class Links:
    """Links in a folder of their own, in which the toolkit is called `toolkit`."""

    def __init__(self, folder, real):
        self.folder, self.real = folder, real
        for name in os.listdir(RECORDED):
            if not name.endswith((".cu", ".json")) and os.path.isfile(os.path.join(RECORDED, name)):
                shutil.copy(os.path.join(RECORDED, name), folder)
        if real:
            os.symlink(real, os.path.join(folder, "toolkit"))
        else:  # culink looks whether nvlink would find its compiler
            os.makedirs(os.path.join(folder, "toolkit", "lib64"))
            with open(os.path.join(folder, "toolkit", "lib64", "libnvvm.so"), "wb"):
                pass

    def run(self, words):
        """Exit status, messages and output."""
        output = os.path.join(self.folder, "linked")
        if os.path.exists(output):
            os.remove(output)
        environment = dict(os.environ, CULINK_PLAYBACK=os.path.join(RECORDED, "answers"))
        if self.real:
            environment.update(CULINK_REAL_ENGINE=f"{self.real}/lib64/libnvJitLink.so", CULINK_REAL_PTXAS=f"{self.real}/bin/ptxas")
        done = subprocess.run(words + ["-o", "linked"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env=environment, check=False)
        data = None
        if os.path.exists(output):
            with open(output, "rb") as file:
                data = file.read()
        return done.returncode, done.stdout.decode(), data

    def culink(self, words):
        program = os.environ["CULINK"]
        engine = os.path.join(os.path.dirname(os.path.abspath(program)), "libplayback_engine.so")
        return self.run([os.path.abspath(program), f"--finalizer={engine}", f"--ptxas={HERE}/playback_ptxas.py"] + words)


def words_of(text):
    words = text.split()
    return ([] if words[0].startswith("-arch") else ["-arch=sm_90"]) + ["-lto", "-nvvmpath=toolkit"] + words


def kernels_of(data, folder):
    path = os.path.join(folder, "inspected")
    with open(path, "wb") as file:
        file.write(data)
    shown = subprocess.run([os.environ["CUBIN"], "dump", path], stdout=subprocess.PIPE, check=True).stdout.decode()
    return shown


def check_same(links, expected):
    for name, text in SAME.items():
        status, said, data = links.culink(EMULATE + words_of(text))
        row = expected[name]
        recorded = None
        if row["output"]:
            with open(os.path.join(RECORDED, "expected", name), "rb") as file:
                recorded = file.read()
        if (status, said) != (row["status"], row["messages"]):
            yield f"{name}: status {status} for {row['status']}, messages:\n{said}instead of:\n{row['messages']}"
        if data != recorded:
            yield f"{name}: the output is not nvlink's"


def check_sound(links):
    for name, (text, status, kernels, message) in SOUND.items():
        found, said, data = links.culink(words_of(text))
        if found != status or message not in said:
            yield f"{name}: status {found}, messages:\n{said}"
        if (data is None) != (status != 0):
            yield f"{name}: there is {'no' if data is None else 'an'} output"
        elif data:
            shown = kernels_of(data, links.folder)
            yield from (f"{name}: no kernel {kernel}" for kernel in kernels if f".text._Z{len(kernel)}{kernel}P" not in shown)


def check_without_compiler(links):
    """No library, no ptxas: a message that says what to do."""
    words = [os.path.abspath(os.environ["CULINK"]), "--cuda=/nowhere"] + words_of("main.fatbin math.fatbin")
    status, said, data = links.run(words)
    wanted = ("main.fatbin: has code for link-time optimisation, but no libnvJitLink was found", "pip install nvidia-nvjitlink", "--cuda=FOLDER")
    if status == 0 or data is not None or any(text not in said for text in wanted):
        yield f"without a compiler: status {status}, messages:\n{said}"
    status, said, data = links.run([words[0], "-arch=sm_90", "main.fatbin"])
    if status == 0 or "main.fatbin: has only code for link-time optimisation, which -dlto compiles" not in said:
        yield f"without -dlto: status {status}, messages:\n{said}"


def make_inputs(cuda):
    def nvcc(*words):
        subprocess.run([f"{cuda}/bin/nvcc", "-dc", *words], cwd=RECORDED, check=True)
    lto = ("-gencode", "arch=compute_90,code=lto_90")
    for name in ("main", "math"):
        nvcc(*lto, f"{name}.cu", "-o", f"{name}.o")
        nvcc("-dlto", "-ltoir", "-arch=sm_90", f"{name}.cu", "-o", f"{name}.ltoir")
    for name in ("main", "math", "missing"):
        nvcc("-fatbin", *lto, f"{name}.cu", "-o", f"{name}.fatbin")
    nvcc("-fatbin", "-ftz=true", *lto, "math.cu", "-o", "math.ftz.fatbin")
    nvcc("-fatbin", "-maxrregcount=40", *lto, "math.cu", "-o", "math.limited.fatbin")
    nvcc("-fatbin", "-split-compile=2", *lto, "math.cu", "-o", "math.threads.fatbin")
    nvcc("-fatbin", "-gencode", "arch=compute_90a,code=lto_90a", "chip.cu", "-o", "chip.fatbin")
    nvcc("-cubin", "-arch=sm_90", "math.cu", "-o", "math.cubin")
    shutil.copy(os.path.join(RECORDED, "math.cubin"), os.path.join(RECORDED, "wrong.ltoir"))
    with open(os.path.join(RECORDED, "main.ltoir"), "rb") as file, open(os.path.join(RECORDED, "cut.ltoir"), "wb") as out:
        out.write(file.read()[:2000])


def record(cuda):
    make_inputs(cuda)
    for name in ("answers", "expected"):
        shutil.rmtree(os.path.join(RECORDED, name), ignore_errors=True)
        os.makedirs(os.path.join(RECORDED, name))
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        links = Links(folder, cuda)
        for name, text in SAME.items():
            status, said, data = links.run([f"{cuda}/bin/nvlink"] + words_of(text))
            rows[name] = {"status": status, "messages": said, "output": data is not None}
            if data is not None:
                with open(os.path.join(RECORDED, "expected", name), "wb") as file:
                    file.write(data)
            links.culink(EMULATE + words_of(text))
        for text, _, _, _ in SOUND.values():
            links.culink(words_of(text))
    with open(os.path.join(RECORDED, "expected.json"), "w", encoding="utf-8") as file:
        json.dump(rows, file, indent=1, sort_keys=True)
        file.write("\n")


def main():
    if "--record" in sys.argv:
        record(os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("nvlink")))))
    elif not os.path.exists(os.path.join(os.path.dirname(os.path.abspath(os.environ["CULINK"])), "libplayback_engine.so")):
        print("skipped: a static culink loads no libraries")
        return 77
    with open(os.path.join(RECORDED, "expected.json"), encoding="utf-8") as file:
        expected = json.load(file)
    with tempfile.TemporaryDirectory() as folder:
        links = Links(folder, None)
        found = [*check_same(links, expected), *check_sound(links), *check_without_compiler(links)]
    for line in found:
        print(line)
    print(f"{len(SAME) + len(SOUND)} links, {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
