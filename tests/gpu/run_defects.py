#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the programs that nvlink links wrongly (docs/nvlink-defects.md), linked by nvlink and by culink.

    tests/gpu/run_defects.py [--cuda FOLDER] [--culink FILE] [--table FILE.md] [--if-gpu] [PROGRAM...]

The programs are those of tests/check/defect_cases.py; their objects are in the tree. Each has a kernel whose
threads write numbers that are known. It is linked with both linkers and run; programs that show the defect
in a plain build are also built by nvcc, from their sources, with the toolkit as it is and with culink in it.
For each, a line says what came of it. culink's program has to be right, or culink has to refuse it as the table of cases says;
nvlink's is only told about.

Exit status: 0 all so, 1 culink's was wrong, 77 there is no GPU.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

from run_programs import HERE, NO_GPU, ROOT, Failed, call, has_gpu, option_parser, parse

sys.path.insert(0, str(ROOT / "tests" / "check"))
from defect_cases import CASES, THREADS  # noqa: E402
from show_defects import link  # noqa: E402

RUN_SECONDS = 20
RIGHT = "right"
MAIN = """#include <cstdio>
extern "C" __global__ void %(kernel)s(int *out);
int main() {
  int *out, values[%(threads)d] = {};
  cudaMalloc(&out, sizeof(values));
  cudaMemset(out, 0, sizeof(values));
  %(kernel)s<<<1, %(threads)d, %(shared)d>>>(out);
  const cudaError_t error = cudaMemcpy(values, out, sizeof(values), cudaMemcpyDeviceToHost);
  if (error != cudaSuccess) {
    std::printf("%%s\\n", cudaGetErrorString(error));
    return 1;
  }
  for (const int value : values)
    std::printf("%%d ", value);
}
"""


def run(case, command):
    """What came of a program, in words."""
    try:
        done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace",
                              timeout=RUN_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return "no end after %d s" % RUN_SECONDS
    if done.returncode != 0:
        return "fails: " + " ".join(done.stdout.split())
    values = [int(word) for word in done.stdout.split()]
    for thread, found in enumerate(values):
        if found != case.value(thread):
            return "wrong: thread %d has %d, not %d" % (thread, found, case.value(thread))
    return RIGHT if len(values) == THREADS else "wrong: %d numbers" % len(values)


def run_linked(case, linker, runner, folder):
    said = link(case, linker, folder)
    if said:
        return "refused: " + said.strip().splitlines()[0]
    return run(case, [runner, os.path.join(folder, case.links[-1][1] + ".cubin"), case.kernel, case.shared])


def run_built(case, cuda, arch, folder):
    """The same, built from the sources by nvcc."""
    os.makedirs(folder)
    main = pathlib.Path(folder) / "main.cu"
    main.write_text(MAIN % {"kernel": case.kernel, "threads": THREADS, "shared": case.shared})
    sources = [os.path.join(case.folder(), word + ".cu") for word in case.objects.split()]
    try:
        call("nvcc", [cuda / "bin" / "nvcc", "-arch=" + arch, "-rdc=true", main, *sources,
                      "-o", main.with_suffix("")])
    except Failed as failed:
        return "refused: " + str(failed).splitlines()[0]
    return run(case, [main.with_suffix("")])


def is_sound(case, outcome):
    return case.own in outcome if case.own else outcome == RIGHT


def run_cases(tools, cases, work):
    runner = work / "run_cubin"
    call("c++", ["c++", "-std=c++20", HERE / "run_cubin.cc", "-o", runner, "-ldl"])
    with_culink = work / "toolkit"
    call("culink", [tools.culink, "--make-toolchain", with_culink],
         {**os.environ, "CUDA_HOME": str(tools.cuda)})
    rows = []
    for case in cases:
        rows.append((case, "", *(run_linked(case, [str(linker)], runner, str(work / case.name / name))
                                 for name, linker in (("nvlink", tools.cuda / "bin" / "nvlink"),
                                                      ("culink", tools.culink)))))
        if case.built:
            rows.append((case, "nvcc", *(run_built(case, cuda, tools.arch, str(work / case.name / name))
                                         for name, cuda in (("with_nvlink", tools.cuda),
                                                            ("with_culink", with_culink)))))
    return rows


def table(rows):
    lines = ["| Program | Built by | Linked by nvlink | Linked by culink |", "|---|---|---|---|"]
    return lines + ["| %s | %s | %s | %s |" % (case.name, how or "linker", theirs, ours)
                    for case, how, theirs, ours in rows]


def main(arguments):
    tools = parse(option_parser(__doc__.splitlines()[0]), arguments)
    if not tools:
        return NO_GPU
    if not has_gpu():
        print("skipped: no GPU")
        return NO_GPU
    cases = [case for case in CASES if case.kernel and (not tools.programs or case.name in tools.programs)]
    with tempfile.TemporaryDirectory() as work:
        rows = run_cases(tools, cases, pathlib.Path(work))
    text = "\n".join(table(rows)) + "\n"
    print(text, end="")
    if tools.table:
        tools.table.write_text(text, encoding="utf-8")
    return 0 if all(is_sound(case, ours) for case, _, _, ours in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
