#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options that nvcc records beside PTX and LTO-IR in a fatbin: file, exit status and text of culink and of nvlink.

  recorded_options.py [--culink PROGRAM] [--targets LIST] [--spread]

ROWS are single options, PAIRS options that were recorded and those of the link. With --spread each row is
linked for one of the targets instead of all. Exit status: 0 all agree, 1 not, 77 no nvlink here.
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "generate"))
from toolchain import Toolchain, find_toolkit  # noqa: E402

ROWS = """--register-usage-level=10
-regUsageLevel=5
-regUsageLevel 3
--opt-level=1
-O0
-O2
-O3
--Ofast-compile=mid
-Ofc=max
--allow-expensive-optimizations=true
--allow-expensive-optimizations=false
--def-load-cache=cg
-dlcm=ca
-dlcm=cv
--def-store-cache=wt
--force-load-cache=cg
-fscm=cg
--device-function-maxrregcount=40
--disable-optimizer-constants
--dont-merge-basicblocks
--extensible-whole-program
--fmad=false
--generate-line-info
--legacy-bar-warp-wide-behavior
--make-errors-visible-at-exit
--maxrregcount=32
--maxntid=128
--minnctapersm=2
--maxrregcount=40 --override-directive-values
--optimize-float-atomics
--position-independent-code=true
-pic=false
--preserve-relocs
--return-at-end
--sp-bounds-check
--split-compile=2
--suppress-double-demote-warning
--suppress-stack-size-warning
--suppress-async-bulk-multicast-advisory-warning
--suppress-sparse-mma-advisory-info
--suppress-debug-info
--verbose
-v
-w
--warn-on-double-precision-use
--warn-on-local-memory-usage
--warn-on-spills
--warning-as-error
-Werror
--device-stack-protector=true
-sanitize=memcheck
--device-debug
-g-tmem-access-check
-gno-tmem-access-check
--compiler-annotations
-astoolspatch
-g --dont-merge-basicblocks --return-at-end --generate-line-info
-O1 -maxrregcount=32\t-dlcm=cg
-maxrregcount=8
-maxrregcount=8 -Werror
-maxrregcount="32"
-maxrregcount
--no-such-option
not-an-option""".split("\n")

LTO = "-lto"  # the input is LTO-IR
PAIRS = [
    ("-maxrregcount=32", ["-maxrregcount=48"]),
    ("-maxrregcount=32", ["-maxrregcount=32"]),
    ("-maxrregcount=32", ["-Xptxas", "-maxrregcount=40", "-maxrregcount=48"]),
    ("-maxrregcount=32", ["-Xptxas", "-maxrregcount=40"]),
    ("-maxrregcount=32", ["-maxrregcount=48", "-Werror"]),
    ("-maxrregcount=32", ["-maxrregcount=48", "-disable-infos"]),
    ("-maxrregcount=32", ["-maxrregcount=48", "-w"]),
    ("-maxrregcount=32 -w", ["-maxrregcount=48"]),
    ("-maxrregcount=32", ["-r"]),
    ("-maxrregcount=32 -O1", ["-g"]),
    ("-O1", ["-Xptxas", "-O2"]),
    ("-O1", ["-Xptxas", "-O2 -v"]),
    ("-O1 -O2 -v", ["-Werror"]),
    ("-g", ["-g"]),
    ("--generate-line-info", ["-g"]),
    ("-split-compile=2", ["-split-compile=4"]),
    ("-device-stack-protector=true", ["-device-stack-protector=false"]),
    ("-dlcm=cg", ["-Xptxas", "-dlcm=ca"]),
    ("-fmad=false", ["-Xptxas", "-fmad=true", "-maxrregcount=40"]),
    ("-O1 -split-compile=2 -device-stack-protector=false -maxrregcount=32",
     ["-split-compile=3", "-device-stack-protector=true", "-maxrregcount=40", "-Xptxas=-O2"]),
    ("", ["-Xptxas", "-maxrregcount", "-maxrregcount=40"]),
    ("", ["-Xptxas", "-maxrregcount", "-device-stack-protector=true"]),
    ("-Xptxas -O1", []),
    ("-maxrregcount=32 -maxrregcount=40", []),
    ("-maxrregcount=32 -maxrregcount=40", ["-Werror"]),
    ("-Werror -maxrregcount=32", ["-maxrregcount=48"]),
    ("-w", ["-Werror"]),
    ("-v", ["-disable-warnings"]),
    ("-maxrregcount=32", ["-maxrregcount=48", "-disable-warnings"]),
    ("-maxrregcount=32", ["-verbose"]),
    ("-maxrregcount=32", ["-kernels-used=kernel"]),
    ("-maxrregcount=32", [LTO]),
    ("-maxrregcount=32", [LTO, "-maxrregcount=48"]),
    ("-maxrregcount=32 -O1", [LTO, "-Xptxas", "-O2", "-Werror"]),
    ("-split-compile=2", [LTO, "-split-compile=4"]),
    ("-g", [LTO]),
    ("-g -O0", []),
    ("-g", ["-r"]),
    ("-g", ["-r", "-g"]),
    ("-g", ["-suppress-debug-info"]),
    ("-g", ["-g", "-suppress-debug-info"]),
    ("-suppress-debug-info", ["-g"]),
    ("-lineinfo", ["-g"]),
    ("--preserve-relocs", ["-preserve-relocs"]),
    ("-maxntid=128 -minnctapersm=2", ["-maxrregcount=24"]),
    ("-maxntid=128", ["-Xptxas", "-maxntid=256"]),
    ("-regUsageLevel=5", ["-Xptxas=-regUsageLevel=3"]),
    ("-Ofc=max", ["-Xptxas", "-O3"]),
    ("-split-compile=0", ["-split-compile-extended=2"]),
]


def source():
    """A kernel that needs more than 32 registers, and has local memory, doubles and a call."""
    count = 60
    loads = "".join(f" ld.global.f32 %f{i}, [%rd1+{i * 64}];\n" for i in range(count))
    sums = "".join(f" fma.rn.f32 %f{count}, %f{i}, %f{i * 7 % count}, %f{count};\n" for i in range(count))
    return f""".version 8.0
.target sm_80
.address_size 64
.visible .func (.param .f32 r) twice(.param .f32 x) {{
 .reg .f32 %f<3>; .reg .f64 %fd<3>;
 ld.param.f32 %f1, [x]; cvt.f64.f32 %fd1, %f1; add.f64 %fd2, %fd1, %fd1; cvt.rn.f32.f64 %f2, %fd2;
 st.param.f32 [r], %f2; ret;
}}
.visible .entry kernel(.param .u64 p) {{
 .local .align 8 .b8 buffer[64];
 .reg .b64 %rd<4>; .reg .f32 %f<{count + 3}>; .reg .b32 %r<3>;
 .param .f32 x; .param .f32 r;
 ld.param.u64 %rd1, [p]; mov.u64 %rd2, buffer; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd2, %rd2, %rd3;
 mov.f32 %f{count}, 0f00000000;
{loads} bar.sync 0;
{sums} st.local.f32 [%rd2], %f{count}; ld.local.f32 %f{count + 1}, [%rd2+4];
 st.param.f32 [x], %f{count + 1}; call (r), twice, (x); ld.param.f32 %f{count + 2}, [r];
 st.global.f32 [%rd1], %f{count + 2}; ret;
}}
"""


# For the optimiser.
CODE = """__device__ __noinline__ double twice(float x) { return (double)x + x; }
extern "C" __global__ void kernel(float *p) { float s = 0; for (int i = 0; i < 60; i++) s += p[i] * p[i * 7]; p[0] = twice(s); }
"""


def optimiser_of(toolkit):
    """What -nvvmpath gets: Python packages have libnvvm beside their other libraries."""
    own = os.path.join(toolkit, "nvvm")
    return own if os.path.exists(os.path.join(own, "lib64", "libnvvm.so")) else toolkit


def link(linker, target, words, path, output):
    """Exit status, text without what is never the same twice, and file."""
    done = subprocess.run(linker + ["-arch=" + target] + words + [path, "-o", output], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    data = None
    if os.path.exists(output):
        with open(output, "rb") as file:
            data = file.read()
        os.remove(output)
    return done.returncode, re.sub(r"Compile time = [\d.]+ ms", "Compile time", done.stdout), data


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--culink", default=os.environ.get("CULINK"))
    parser.add_argument("--targets", default="sm_80,sm_90,sm_100,sm_120")
    parser.add_argument("--spread", action="store_true")
    options = parser.parse_args()
    if find_toolkit() is None:
        print("skipped: no CUDA toolkit with nvlink here")
        return 77
    tools = Toolchain()
    culink = [os.path.abspath(options.culink), "--emulate=nvlink-13.0.88", "--error-format=nvlink"]
    targets = options.targets.split(",")
    links = [(row, []) for row in ROWS] + PAIRS
    jobs = [(number, target, *links[number]) for number in range(len(links)) for target in targets
            if not options.spread or target == targets[number % len(targets)]]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        text = os.path.join(folder, "text.ptx")
        with open(text, "w", encoding="utf-8") as file:
            file.write(source())
        code, module = os.path.join(folder, "code.cu"), os.path.join(folder, "code.ltoir")
        with open(code, "w", encoding="utf-8") as file:
            file.write(CODE)
        tools.run([tools.nvcc, "-gencode=arch=compute_80,code=lto_80", "-rdc=true", "-ltoir", code, "-o", module])

        def compare(job):
            number, target, recorded, words = job
            own = os.path.join(folder, f"{number}.{target}")
            os.mkdir(own)
            path = os.path.join(own, "input.fatbin")
            image = f"kind=nvvm,sm=80,file={module}" if LTO in words else f"kind=ptx,sm=80,file={text}"
            tools.run([tools.fatbinary, "-64", "--cicc-cmdline=-ftz=0 -prec_div=1 -prec_sqrt=1 -fmad=1 ",
                       "--cmdline=--compile-only " + recorded, "--create=" + path, "--image3=" + image])
            words = words + (["-nvvmpath=" + optimiser_of(tools.folder)] if LTO in words else [])
            output = os.path.join(own, "out.cubin")
            return link([tools.nvlink], target, words, path, output), link(culink, target, words, path, output)

        wrong = 0
        for (_, target, recorded, words), (theirs, ours) in zip(jobs, pool.map(compare, jobs)):
            if theirs != ours:
                wrong += 1
                what = "the files differ" if theirs[:2] == ours[:2] else f"nvlink: {theirs[:2]}\nculink: {ours[:2]}"
                print(f"{target}, recorded '{recorded}', given {words}: {what}")
    print(f"{len(links)} rows, {len(jobs)} links, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
