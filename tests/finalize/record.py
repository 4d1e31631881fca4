#!/usr/bin/env python3
"""Compiles the sources of this folder and records what the installed engine makes of the objects.

    tests/finalize/record.py BIN

BIN is the folder with culink and record_answer. Needs CUDA 13.0; the unit tests then run without.
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "generate"))
from toolchain import Toolchain  # pylint: disable=wrong-import-position,import-error

SHARED = "../golden/shared_variables_of_other_files/"  # objects of record.sh there
TABLES = "../golden/branches_of_moved_code/tables"

# Object, debug, target of the object, target of the answer, its name, what else the engine is told.
ROWS = [("steps.cubin", True, "sm_100", "sm_100", "steps", []), ("doubles.cubin", False, "sm_100", "sm_103", "doubles", []),
        ("branches.cubin", False, "sm_120", "sm_121", "branches", ["relocatable"]),
        ("branches.cubin", False, "sm_120", "sm_121", "branches_debug", ["relocatable", "debug"]),
        (TABLES + ".cubin", False, "sm_100", "sm_103", TABLES, ["relocatable", "debug"]),
        (SHARED + "user.cubin", False, "sm_100", "sm_100", SHARED + "user", []),
        (SHARED + "user.cubin", False, "sm_100", "sm_100", SHARED + "user-g", ["debug"]),
        (SHARED + "r.expected", False, "sm_100", "sm_100", SHARED + "r", []),
        (SHARED + "owner.cubin", False, "sm_100", "sm_100", SHARED + "owner-g", ["debug"])]


def main():
    tools = Toolchain()
    programs = sys.argv[1]
    for object_file, debug, target, final, answer, words in ROWS:
        name = os.path.splitext(object_file)[0]
        if os.path.exists(os.path.join(HERE, name + ".cu")):
            tools.compile_to_ptx(HERE, name + ".cu", name + ".ptx", "100", debug=debug)
            tools.assemble(HERE, name + ".ptx", name + ".cubin", target, debug=debug)
            os.unlink(os.path.join(HERE, name + ".ptx"))
        engine = (os.path.join(tools.libraries, "libnvJitLink.so.13") if target == final
                  else tools.nvlink)
        subprocess.run([os.path.join(programs, "record_answer"), os.path.join(programs, "culink"),
                        engine, final, object_file, answer + ".answer", ",".join(words)], cwd=HERE, check=True)


if __name__ == "__main__":
    main()
