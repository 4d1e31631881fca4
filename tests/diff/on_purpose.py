# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What culink's own output has different from nvlink's on purpose.

A defect of nvlink (docs/compat.md) is copied under --emulate alone, so the two outputs of culink
differ where one shows. Each rule below says which lines of `cubin diff` one defect explains. All
lines have to be explained.
"""

import re

from recipes import KERNELS_USED, SUPPRESS

SUMMARY = re.compile(r"(^| )\d+ (more )?differences?\b")
# Sections after one of another size are elsewhere in the file.
MOVED = r"(layout|segments): "


def selects_kernels(options):
    return any(option.startswith(KERNELS_USED) for option in options)


class Rule:
    """The lines that a defect shows in, and those that follow from them if there is one."""

    def __init__(self, quirk, shows, follows=None, when=lambda options: True, since=(12, 4), target=""):
        self.quirk = quirk
        self.shows = re.compile(shows)
        self.follows = re.compile(follows) if follows else None
        self.when = when
        self.since = since  # the first release that has it, of those that are known
        self.target = target  # how the targets that have it begin

    def shows_in(self, line):
        """Whether the defect shows in a line. A group `own` has to be a larger number than a group `other`."""
        match = self.shows.match(line)
        found = match.groupdict() if match else {}
        return bool(match) and (not found.get("own") or int(found["own"], 16) > int(found["other"], 16))

    def explains(self, lines, options):
        if not self.when(options) or not any(self.shows_in(line) for line in lines):
            return set()
        return {line for line in lines
                if self.shows_in(line) or (self.follows and self.follows.match(line))}


RULES = (
    # Dynamic shared memory has a symbol without an offset: the reserved area less 1.
    Rule("Q014", r"symbols: \.symtab: symbol \d+ only in the second file: .*other 0x01, "
         r"section '\.nv_debug\.shared', value 0x3ff, size 0x0",
         r"(headers|strings): |(relocs|sections): .*'\.nv\.resolvedrela\.|" + MOVED),
    # Symbol 0 has a value, and so have labels without a location.
    Rule("Q019", r"symbols: \.(symtab|nv\.merc\.symtab): symbol 0 no symbol: value 0x0 vs 0x[1-9a-f]",
         r"debug: '\.(nv\.merc\.)?debug_loc': bytes differ"),
    # Pointers in constants to overridden definitions are lost.
    Rule("Q045", r"(relocs|sections): .*'\.rela?\.nv\.constant[34]'", r"(headers|symbols|strings): |" + MOVED),
    # Frames and lines of an overridden definition have the address of the one that prevails.
    Rule("Q028", r"relocs: '\.(nv\.merc\.)?rela?\.(debug_frame|debug_line|nv_debug_line_sass)': "
         r"relocation \d+ only in the second file: at 0x[0-9a-f]+: R_(CUDA|MERCURY)_\w*64 against '",
         r"(debug|headers|relocs|sections|strings): .*'\.(nv\.merc\.)?(nv\.resolvedrela\.)?(rela?\.)?"
         r"(debug_frame|debug_line|nv_debug_line_sass)'|" + MOVED),
    # Where kernels are selected, blocks of constants that are equal are merged, and a bank that is
    # too large is packed without regard to alignment, which moves variables.
    Rule("Q050", r"(data|headers|sections): '\.nv\.(constant3|merc\.nv\.constant\.user)'",
         r"(code|relocs|symbols): |" + MOVED, when=selects_kernels),
    # --preserve-relocs leaves symbols of variables in that were dropped from a packed bank.
    Rule("Q051", r"symbols: \.symtab: symbol \d+ only in the second file: .*other 0x01, "
         r"section '\.nv\.constant3'", r"(headers|relocs|strings|symbols): |" + MOVED,
         when=selects_kernels),
    # A launched kernel that was not selected is no kernel to nvlink if exactly one was: it lacks records,
    # what it calls, and memory of that.
    Rule("Q052", r"info: '\.nv\.info': record \d+ only in the first file: EIATTR_MIN_STACK_SIZE '",
         r"(callgraph|code|data|debug|functions|headers|info|relocs|sections|strings|symbols): |" + MOVED,
         when=selects_kernels),
    # Barriers of a kernel of toolkit 12 that calls code of toolkit 13 are left in the flags of its code.
    Rule("Q063", r"headers: '\.text\.[^']*': flags 0x6 vs 0x1?[0-9a-f]00006$",
         r"info: '\.nv\.info\.[^']*': record \d+ EIATTR_NUM_BARRIERS: "),
    # Flags of banks that toolkits before 12.4 left incomplete.
    Rule("Q064", r"headers: '\.nv\.constant0\.[^']*': flags 0x42 vs 0x2$"),
    # Call frames of two weak definitions are mixed; an alias owns the code of its function.
    # Registers of a discarded definition are looked up in the code of the other.
    Rule("Q106", r"(debug|headers|relocs): .*'\.(rela\.|nv\.merc\.(rela\.)?)?debug_frame'",
         r"debug: '\.nv_debug_info_reg_sass': bytes differ|" + MOVED),
    # Local functions of one name, which compilers of several releases made, have the records of the first.
    Rule("Q110", r"info: '\.nv\.(merc\.nv\.)?info\.__cuda_sm\w+'( \(\d+\))?: record (\d+|order differs) "),
    # In links of SASS alone, loads of images by index (LDC) are left as they are and the index has the offset
    # of the slots added (MOV).
    Rule("Q112", r"code: '\.text\.[^']*': instruction at [^:]*: 0x\w*(b82|802) 0x\w+ vs 0x\w*(b82|802) 0x"),
    # Kernels need more stack where machine code calls the driver for images; kernels that were not selected list
    # these functions.
    Rule("Q145", r"info: '\.nv\.info': record \d+ EIATTR_MIN_STACK_SIZE '[^']*': 0x(?P<own>[0-9a-f]+) vs 0x(?P<other>[0-9a-f]+)$|"
         r"info: '\.nv\.info\.[^']*': record \d+ (only in the (first|second) file: )?EIATTR_EXTERNS:? '__cuda_syscall_bw_",
         r"info: '\.nv\.info\.[^']*': record \d+ only in the (first|second) file: EIATTR_EXTERNS|" + MOVED,
         since=(13, 4), target="sm_107"),
    # A function that only data points to is not said to have its address taken.
    Rule("Q144", r"callgraph: '\.nv\.callgraph': record \d+ only in the first file: part -2: ",
         r"(callgraph|sections|strings|symbols): .*'\.nv\.prototype'|headers: '\.symtab'|" + MOVED),
    # Nor is one of which only a file with a discarded copy takes the address: it is left out, and the pointer is 0.
    Rule("Q144", r"functions: function only in the first file: '",
         r"(callgraph|debug|headers|info|relocs|sections|strings|symbols): |" + MOVED,
         when=lambda options: not selects_kernels(options)),
    # Weak variables do not count for the alignment of a packed bank.
    Rule("Q051", r"headers: '\.nv\.(constant3|merc\.nv\.constant\.user)': alignment (2|4|8) vs 1$"),
    # Branch tables of an overridden definition are written over those of the one that prevails.
    Rule("Q040", r"relocs: '\.nv\.merc\.rela\.nv\.constant\.optimizer\.[^']*': relocation \d+ only in the second file: .*"
         r"R_MERCURY_CODE_OFFSET32 against '", r"(data|headers|relocs|sections): .*constant|" + MOVED),
    # Kernels of one name have one section for parameters, and one for shared memory.
    Rule("Q130", r"sections: section \d+ only in the first file: '\.nv\.(constant0|shared)\.[^']*' \(\d+\)",
         r"(code|data|headers|info|relocs|sections|strings|symbols): |" + MOVED),
    # Images that are parameters and have one name are one; the slots of the other kernels are not filled.
    Rule("Q131", r"symbols: \.(nv\.merc\.)?symtab: symbol \d+ only in the first file: '[^']*': binding LOCAL, type "
         r"CUDA_(TEXTURE|SAMPLER|SURFACE), |relocs: '\.rela?\.nv\.constant0\.[^']*': relocation \d+ only in the first file: "
         r"at 0x[0-9a-f]+: R_CUDA_(TEX|SAMP|SURF)_HEADER_INDEX against '|sections: section \d+ only in the first file: "
         r"'\.rela?\.nv\.constant0\.",
         r"(headers|info|relocs|sections|strings|symbols): |(code|data): '\.(text|nv\.capmerc\.text|nv\.constant0)\.|" + MOVED),
    # The offset of dynamic memory in a file that -r made counts as the alignment of shared memory, also of kernels that
    # have none and get an empty section for it.
    Rule("Q115", r"headers: '\.nv(\.|_debug\.)shared[^']*': alignment (1|2|4|8|16) vs (?!(0|1|2|4|8|16)$)\d+$",
         r"sections: section \d+ only in the first file: '\.nv(\.|_debug\.)shared|(sections|symbols): .* only in the second "
         r"file: (section )?'\.nv\.shared\.|headers: '\.symtab': info \d+ vs \d+$|" + MOVED),
    # Dynamic memory has the alignment of another declaration, or a block of memory in front of it.
    Rule("Q116", r"(headers: '\.nv\.shared\.[^']*': (size|alignment) |sections: section \d+ only in the second file: "
         r"'\.nv\.shared\.|code: '\.text\.[^']*': instruction at )",
         r"(code|headers|relocs|strings|symbols): |" + MOVED, since=(13, 1)),
    # Shared sections without variables, of kernels that are gone, leave their names.
    Rule("Q117", r"strings: '\.(shstrtab|strtab)': string \d+ only in the second file: '\.nv\.shared\.", MOVED,
         since=(13, 4)),
    # Shared variables are local symbols among the global ones.
    Rule("Q114", r"symbols: \.(nv\.merc\.)?symtab: symbol \d+ '[^']*': binding (GLOBAL|WEAK) vs LOCAL$"),
    # The symbol of a shared variable that replaces a weak one has the reserved area added twice.
    Rule("Q041", r"symbols: \.symtab: symbol \d+ '[^']*': (binding GLOBAL vs LOCAL, )?value 0x[4-7](?P<low>[0-9a-f]{2}) vs 0x[89ab](?P=low)$"),
    # nvlink 12.4 leaves symbols without names, and parameters refer to them.
    Rule("Q161", r"symbols: \.symtab: symbol \d+ only in the second file: unnamed symbol in undefined: "
         r"binding LOCAL, type FUNC", r"(headers|info|relocs|strings): |" + MOVED),
    Rule("Q107", r"symbols: \.symtab: symbol \d+ '[^']*': size 0x[0-9a-f]+ vs 0x[0-9a-f]+$", MOVED),
)


def refused_on_purpose(options, log):
    """Whether culink by itself refuses what nvlink links wrongly: shared memory that is dynamic in one
    file and of a fixed size in another (Q041), kernels of one name (Q130), and constants of all kernels
    where -g keeps them and nvlink keeps their code alone (Q134), textures without samplers beside samplers on sm_107
    (Q145). Of what is linked already, as by -r of nvlink 12.4, nvlink
    makes an empty file (Q066), and so it does where no kernel has the name that is asked for."""
    reasons = ["extern __shared__ without a size", "several kernels are called", "is already linked",
               "no kernel is called", "has calls of the driver for textures without samplers, beside objects with samplers"]
    if SUPPRESS in options and selects_kernels(options):
        reasons.append("too much __constant__ data")
    errors = [line for line in log.splitlines() if "error: " in line]
    return bool(errors) and all(any(reason in line for reason in reasons) for line in errors)


def unexplained_lines(options, difference, release=(13, 0), target=""):
    """The lines of `cubin diff --all OWN EMULATED` that no defect explains."""
    lines = [line for line in difference.splitlines() if not SUMMARY.search(line)]
    explained = set()
    for rule in RULES:
        if rule.since <= tuple(release) and target.startswith(rule.target):
            explained |= rule.explains(lines, options)
    return [line for line in lines if line not in explained]
