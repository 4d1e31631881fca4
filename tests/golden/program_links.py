# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the recorder and the checker of generated programs have in common."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "diff"))
from recipes import RECIPES  # noqa: E402

FOLDER = os.path.join(HERE, "programs")
TARGETS = ["sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a"]

# Targets whose code has two forms. Links of machine code alone (--code=sass) are compared with links
# that nvlink made of the objects without their Mercury half; links of both forms (--code=mercury) with
# its own, where it left all code as it was compiled.
MERCURY_TARGETS = ["sm_100", "sm_120"]
CODES = ["sass", "mercury"]

# A set of programs is named after its target, after the release of nvlink if that is not the usual one, or of the
# library, and after the releases whose ptxas made the objects in turn if that is not nvlink's: sm_75-13.4.92,
# sm_75-nvjitlink-13.5.37, sm_90+12.4.
USUAL_RELEASE = "13.0.88"

REFUSED = "refused: "    # begins an answer that is not a hash

# Each program is linked with a part of the option sets, so that the check stays quick; any programs
# of that many successive numbers see all of them.
PARTS = 3


def recipes_of(number):
    return [recipe for index, recipe in enumerate(RECIPES)
            if recipe.name == "plain" or index % PARTS == number % PARTS]


def set_name(target, release, assemblers=()):
    return "+".join([target if release == USUAL_RELEASE else target + "-" + release, *assemblers])


def has_two_forms(target):
    """Whether code of the target is Mercury code, too."""
    return int(target[len("sm_"):].rstrip("af")) >= 100


def target_of(name):
    return name.split("+")[0].split("-")[0]


def emulation_of(name):
    """The option with which culink imitates the nvlink, or the library, that a set was recorded with."""
    words = name.split("+")[0].split("-")[1:] or [USUAL_RELEASE]
    return "--emulate=" + "-".join(words if len(words) > 1 else ["nvlink", *words])


def follows_inputs(name):
    """Whether default links would take another release for theirs, that of the newest object."""
    return "+" in name or "nvjitlink" in name


def recorded_sets():
    return sorted(name[:-len(".json")] for name in os.listdir(FOLDER) if name.endswith(".json"))
