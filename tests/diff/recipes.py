# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ways in which a program is linked.

A recipe turns a list of objects and kernels into steps. Each step is one call of the linker; the
inputs of a later step may be outputs of earlier ones. Every step is compared, not only the last, and
the later steps of both linkers start from nvlink's files, so that one difference is told once.
"""

from collections import namedtuple

Step = namedtuple("Step", "options inputs output")

# `build` gives the steps, or an empty list where the recipe makes no sense for the program.
Recipe = namedtuple("Recipe", "name build")

OUTPUT = "out.cubin"
FIRST_OUTPUT = "relocatable.cubin"
SECOND_OUTPUT = "relocatable2.cubin"

RELOCATABLE = "-r"
DEBUG = "-g"
SUPPRESS = "-suppress-debug-info"
PRESERVE = "-preserve-relocs"
KERNELS_USED = "-kernels-used="


def kernels_used(kernel):
    return KERNELS_USED + kernel


def once(*options):
    return lambda objects, kernels: [Step(list(options), objects, OUTPUT)]


def with_kernel(pick, *options):
    """One kernel of several is used."""
    def build(objects, kernels):
        if len(kernels) < 2:
            return []
        return [Step(list(options) + [kernels_used(kernels[pick])], objects, OUTPUT)]
    return build


def no_kernel(objects, kernels):
    return [Step([kernels_used("no_such_kernel")], objects, OUTPUT)] if kernels else []


def reverse(*options):
    return lambda objects, kernels: (
        [Step(list(options), objects[::-1], OUTPUT)] if len(objects) > 1 else [])


def relink(*options):
    """All objects into one relocatable file, and that alone again."""
    return lambda objects, kernels: [Step([RELOCATABLE], objects, FIRST_OUTPUT),
                                     Step(list(options), [FIRST_OUTPUT], OUTPUT)]


def relink_with_kernel(objects, kernels):
    if len(kernels) < 2:
        return []
    return [Step([RELOCATABLE], objects, FIRST_OUTPUT),
            Step([kernels_used(kernels[0])], [FIRST_OUTPUT], OUTPUT)]


def relink_before(*options):
    """A relocatable file of the first half, then the other objects."""
    def build(objects, kernels):
        half = len(objects) // 2
        if half == 0:
            return []
        return [Step([RELOCATABLE], objects[:half], FIRST_OUTPUT),
                Step(list(options), [FIRST_OUTPUT] + objects[half:], OUTPUT)]
    return build


def relink_behind(*options):
    """The first half of the objects, then a relocatable file of the others."""
    def build(objects, kernels):
        half = len(objects) // 2
        if half == 0:
            return []
        return [Step([RELOCATABLE], objects[half:], FIRST_OUTPUT),
                Step(list(options), objects[:half] + [FIRST_OUTPUT], OUTPUT)]
    return build


def relink_two(objects, kernels):
    half = len(objects) // 2
    if half == 0:
        return []
    return [Step([RELOCATABLE], objects[:half], FIRST_OUTPUT),
            Step([RELOCATABLE], objects[half:], SECOND_OUTPUT),
            Step([], [FIRST_OUTPUT, SECOND_OUTPUT], OUTPUT)]


RECIPES = [
    Recipe("plain", once()),
    Recipe("reversed", reverse()),
    Recipe("debug", once(DEBUG)),
    Recipe("preserve", once(PRESERVE)),
    Recipe("debug-preserve", once(DEBUG, PRESERVE)),
    Recipe("kernels-first", with_kernel(0)),
    Recipe("kernels-last", with_kernel(-1)),
    Recipe("kernels-none", no_kernel),
    Recipe("kernels-debug", with_kernel(0, DEBUG)),
    Recipe("kernels-preserve", with_kernel(0, PRESERVE)),
    Recipe("r", once(RELOCATABLE)),
    Recipe("r-reversed", reverse(RELOCATABLE)),
    Recipe("r-debug", once(RELOCATABLE, DEBUG)),
    Recipe("r-preserve", once(RELOCATABLE, PRESERVE)),
    Recipe("r-kernels", with_kernel(-1, RELOCATABLE)),
    Recipe("r-link", relink()),
    Recipe("r-link-debug", relink(DEBUG)),
    Recipe("r-link-preserve", relink(PRESERVE)),
    Recipe("r-link-debug-preserve", relink(DEBUG, PRESERVE)),
    Recipe("r-link-kernels", relink_with_kernel),
    Recipe("r-r", relink(RELOCATABLE)),
    Recipe("r-before", relink_before()),
    Recipe("r-before-debug", relink_before(DEBUG)),
    Recipe("r-behind", relink_behind()),
    Recipe("r-behind-r", relink_behind(RELOCATABLE)),
    Recipe("r-two", relink_two),
    Recipe("suppress", once(DEBUG, SUPPRESS)),
    Recipe("suppress-preserve", once(DEBUG, SUPPRESS, PRESERVE)),
    Recipe("suppress-kernels", with_kernel(0, DEBUG, SUPPRESS)),
    Recipe("r-suppress", once(RELOCATABLE, DEBUG, SUPPRESS)),
]
