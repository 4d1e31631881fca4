"""What nvJitLink's functions return, row by row, and where culink's library deliberately differs.

A case is the options of nvJitLinkCreate, the steps that follow (see client.c), and what must come out:
the code of each call, then the lines of both logs (`...`: any). `real` has what NVIDIA's library does instead, and
`why` is the reason for the difference: without a reason there is none. Lines may contain `*`, which
stands for any text.
"""
import dataclasses


@dataclasses.dataclass
class Case:
    name: str
    options: str
    steps: str
    codes: str
    errors: tuple = ()
    infos: tuple = ()
    real: dict = None  # any of codes, errors, infos; codes may end with "crash" or be "..."
    why: str = ""
    needs: tuple = ()  # "ptxas", "lto"


# What a library does that reads memory that is not its own: nothing that could be expected twice.
ANYTHING = {"codes": "...", "errors": ("...",), "infos": ("...",)}


def wrong(name, code, real=None, before="", why=""):
    """One wrong call, perhaps after other steps."""
    steps = f"{before} bad:{name}".strip()
    codes = "0 " * (1 + len(before.split())) + str(code)
    difference = {"codes": codes.rsplit(" ", 1)[0] + " " + real} if real else None
    return Case(f"wrong call: {name}", "-arch=sm_90", steps, codes, real=difference, why=why,
                errors=("*",) if code in (3, 12) else ())


NULL_CALLS = """create-null-result file-null file-null-handle data-null-handle complete-null-handle
    cubin-size-null-handle cubin-null-handle error-size-null-handle info-size-null-handle version-null
    version-null-2 destroy-null destroy-null-handle error-size-null error-null info-size-null info-null
    ptx-size-null ptx-null cubin-size-null cubin-null""".split()

ACCEPTED = """-maxrregcount=32 -lto -dlto -O0 -O3 -g -lineinfo -ftz=true -prec-div=false -prec-sqrt=1 -fma=1
    -kernels-used=k -variables-used=v -optimize-unused-variables -Xptxas=-O1 -Xnvvm=-O1 -split-compile=2
    -split-compile=0 -split-compile-extended=2 -jump-table-density=50 -no-cache -r -verbose -time
    -maxrregcount=x -Ofc=0 -Ofc=min -Ofc=mid -Ofc=max -ftz= -prec-div= -prec-sqrt= -fma= -jump-table-density=
    -split-compile= -split-compile=x""".split()
REFUSED = """-foo -Xptxas -ftz -device-stack-protector=true -preserve-relocs -use-host-info -m64 -w -Werror
    -keep-system-libraries -suppress-stack-size-warning -Ofast-compile=max -extra-warnings
    -minnctapersm=2 -maxntid=3 --verbose sm_90 -O -O33 -maxrregcount""".split()
EMPTY_VALUES = "-Ofc= -split-compile-extended= -maxrregcount= -kernels-used= -Xptxas= -variables-used= -Xnvvm=".split()
LONGER_WORDS = "-lineinfox -timex -lto1 -no-cachex -verbose=1 -r1 -rdc -relocatable".split()
KINDS = "cubin ptx ltoir fatbin object library index any none wild".split()
# What each file is, by the kinds under which it is taken.
FILES = {"a.cubin": "cubin any", "a.fatbin": "fatbin any", "a.o": "object any", "libb.a": "library any",
         "junk": ""}


def option_cases():
    for word in ACCEPTED:
        yield Case(f"option {word}", f"-arch=sm_90 {word}", "", "0")
    for word in REFUSED:
        yield Case(f"option {word}", f"-arch=sm_90 {word}", "", "1",
                   errors=(f"unrecognized option: {word}",))
    for word in EMPTY_VALUES:
        yield Case(f"option {word}", f"-arch=sm_90 {word}", "", "1",
                   errors=(f"ERROR NVJITLINK_ERROR_UNRECOGNIZED_OPTION: missing option value ({word})",))
    for word in LONGER_WORDS:
        yield Case(f"option {word}", f"-arch=sm_90 {word}", "", "1",
                   errors=(f"unrecognized option: {word}",), real={"codes": "0", "errors": ()},
                   why="a word that only begins like an option is not one")
    yield Case("the first wrong word ends the list", "-arch=sm_90 -foo -bar", "", "1",
               errors=("unrecognized option: -foo",))
    yield Case("no target", "-lto", "", "2")
    yield Case("unsupported target", "-arch=sm_12", "", "17",
               errors=("ERROR NVJITLINK_ERROR_UNSUPPORTED_ARCH: unsupported architecture (compute_12)",))
    yield Case("family before sm_100", "-arch=sm_90f", "", "17", why="releases before 13.3 take it",
               errors=("ERROR NVJITLINK_ERROR_UNSUPPORTED_ARCH: unsupported architecture (compute_90f)",),
               real={"codes": "0", "errors": ()})
    for number in ("76", "105", "999"):
        yield Case(f"sm_{number}, which never was", f"-arch=sm_{number}", "", "16", errors=(
            f"ERROR NVJITLINK_ERROR_UNRECOGNIZED_ARCH: unrecognized architecture (compute_{number})",))
    yield Case("no such target", "-arch=sm_90b", "", "16",
               errors=("ERROR NVJITLINK_ERROR_UNRECOGNIZED_ARCH: unrecognized architecture (compute_90b)",),
               real={"codes": "0", "errors": ()}, why="there is no sm_90b")
    for value in ("90", "", "foo", "sm_", "compute_9"):
        yield Case(f"target '{value}'", f"-arch={value}", "", "1", errors=(
            f"ERROR NVJITLINK_ERROR_UNRECOGNIZED_OPTION: missing option value (-arch={value})",))
    yield Case("virtual target", "-arch=compute_90", "", "11",
               errors=("ERROR: virtual arch requires -ptx",))
    yield Case("virtual target with -lto", "-arch=compute_90 -lto", "", "11",
               errors=("ERROR: virtual arch requires -ptx",))
    yield Case("virtual target with -ptx", "-arch=compute_90 -lto -ptx", "", "0")
    yield Case("-ptx without -lto", "-arch=sm_90 -ptx", "", "11",
               errors=("ERROR: -ptx requires -lto",))
    yield Case("-O1", "-arch=sm_90 -O1", "", "1",
               errors=("unsupported value of -O: 1. Only 0 and 3 are supported.",))
    yield Case("-Ofc=x", "-arch=sm_90 -Ofc=x", "", "1", errors=(
        "unsupported value of --Ofast-compile (-Ofc): x. Only 0, min, mid, and max are supported.",))
    since_13_4 = "-arch=lto_90 asks for LTO-IR since 13.4, and for nothing that exists before"
    yield Case("target of LTO-IR", "-arch=lto_90 -lto", "", "0", why=since_13_4,
               real={"codes": "11", "errors": ("ERROR: virtual arch requires -ptx",)})
    yield Case("PTX for a target of LTO-IR", "-arch=lto_90 -lto -ptx", "", "11", why=since_13_4,
               errors=("ERROR: -arch=lto_90 conflicts with -ptx",), real={"codes": "0", "errors": ()})
    for words, info in (("-split-compile=2 -split-compile-extended=2", True),
                        ("-split-compile-extended=0 -split-compile=0", True),
                        ("-split-compile=1 -split-compile-extended=2", False)):
        yield Case(words, f"-arch=sm_90 {words}", "", "0", infos=(
            "'-split-compile' is not compatible with '-split-compile-extended', using "
            "'-split-compile-extended'",) if info else ())
    yield Case("-ptx with -split-compile-extended", "-arch=sm_90 -lto -ptx -split-compile-extended=2", "", "0",
               infos=("'-ptx' is not compatible with '-split-compile-extended', using '-split-compile' instead",))
    yield Case("negative -split-compile-extended", "-arch=sm_90 -split-compile-extended=-1", "", "1",
               errors=("argument for -split-compile-extended must be non-negative.",))
    yield Case("negative -split-compile", "-arch=sm_90 -split-compile=-1", "", "1",
               errors=("argument for -split-compile must be non-negative.",))
    yield Case("the last target counts", "-arch=sm_90 -arch=sm_80", "file:cubin:old.cubin", "0 0")
    yield Case("the handle of refused options is refused", "-arch=sm_90 -foo",
               "file:cubin:a.cubin complete cubin:", "1 1 1 6",
               errors=("unrecognized option: -foo",), real={"codes": "1 crash"},
               why="no crash")


def kind_cases():
    for name, taken in FILES.items():
        for kind in KINDS:
            mismatch = (f"ERROR 1: bad input: does not match type NVJITLINK_INPUT_{kind.upper()}*{name}*",)
            code, errors = ("0", ()) if kind in taken.split() else ("12", mismatch)
            if kind in ("none", "wild"):
                errors = (f"unsupported input type: {name}",)
            elif kind == "any" and name == "junk":
                code, errors = "8", (f"unrecognized input type: {name}",)
            real = {}
            why = ""
            if (name, kind) == ("a.cubin", "object"):
                code, errors, real = "0", (), {"codes": "0 0"}
                why = "the code is linked; NVIDIA's library ignores it without a word"
            yield Case(f"{name} as {kind}", "-arch=sm_90", f"file:{kind}:{name}", f"0 {code}",
                       errors=errors, real=real or None, why=why)
    yield Case("empty file", "-arch=sm_90", "file:any:empty complete", "0 3 0",
               errors=("bad input: empty",), infos=("warning : no input files*",), real={"infos": ()},
               why="the info log tells of an output that is empty")
    yield Case("missing file", "-arch=sm_90", "file:any:missing", "0 3",
               errors=("no such file: missing", "error   : *"), real={"errors": ("no such file: missing",)},
               why="a second line says why it cannot be read")


def input_cases():
    whole = "complete cubin:out.cubin"
    yield Case("two cubins", "-arch=sm_90", f"file:cubin:a.cubin file:cubin:b.cubin {whole}", "0 0 0 0 0")
    yield Case("from memory that is gone", "-arch=sm_90",
               f"copy:cubin:a.cubin copy:cubin:b.cubin {whole}", "0 0 0 0 0")
    yield Case("fatbin and archive", "-arch=sm_90", f"file:fatbin:a.fatbin file:library:libb.a {whole}",
               "0 0 0 0 0")
    yield Case("host object and memory", "-arch=sm_90", f"file:any:a.o data:any:b.cubin {whole}",
               "0 0 0 0 0")
    yield Case("no PTX and no LTO-IR", "-arch=sm_90", "file:cubin:b.cubin complete ptx:", "0 0 0 3")
    yield Case("undefined symbol", "-arch=sm_90", f"data:cubin:a.cubin {whole}", "0 0 6 6",
               errors=("error   : Undefined reference to '*' in 'a.cubin'",) * 3 + ("ERROR 9: finish",),
               real={"codes": "0 0 6 0"}, why="no cubin comes out of a link that failed")
    yield Case("undefined symbol of a file", "-arch=sm_90", "file:cubin:a.cubin complete", "0 0 6",
               errors=("error   : Undefined reference to '*' in 'a.cubin'",) * 3 + ("ERROR 9: finish",),
               real={"errors": ("...",)},
               why="messages name the file; NVIDIA's library prints memory that is no longer its own")
    yield Case("duplicate symbol", "-arch=sm_90",
               "file:cubin:a.cubin data:cubin:b.cubin data:cubin:c.cubin complete", "0 0 0 0 6",
               errors=("error   : Multiple definition of '*' in 'c.cubin', first defined in '*.cubin'",) * 4
               + ("ERROR 9: finish",),
               real={"codes": "0 0 0 0 0", "errors": ()},
               why="NVIDIA's library prints it on standard error and goes on with one of them")
    yield Case("cubin of another target", "-arch=sm_90", "file:cubin:old.cubin complete", "0 3 0",
               errors=("ERROR 4: bad input:*old.cubin", "error   : old.cubin*sm_80*sm_90*", "e_flags*", "hint    : *"),
               infos=("warning : no input files*",),
               real={"errors": ("ERROR 4: bad input:old.cubin",), "infos": ()},
               why="a second line says what is wrong")
    yield Case("object without the target", "-arch=sm_75", "file:object:a.o", "0 3",
               errors=("ERROR 3: bad input: a.o", "warning : *", "hint    : *"),
               real={"errors": ("ERROR 3: bad input: a.o",)}, why="a second line says what is wrong")
    for size in (100, 1500):
        yield Case(f"cubin cut after {size} bytes", "-arch=sm_90", f"file:cubin:cut{size}", "0 3",
                   errors=(f"ERROR 4: bad input: cut{size}", f"error   : cut{size}: *"),
                   real=ANYTHING, why="no crash, whatever lies behind the buffer")
    yield Case("cubin without its last byte", "-arch=sm_90", f"data:cubin:almost.cubin data:cubin:b.cubin {whole}",
               "0 0 0 0 0", infos=("warning : almost.cubin: lacks its last byte, which is taken for 0",),
               real=ANYTHING, why="NVIDIA's library reads the byte behind the buffer; the info log tells of it")
    yield Case("cubin without its last bytes", "-arch=sm_90", "data:cubin:shorter.cubin", "0 3",
               errors=("ERROR 4: bad input: shorter.cubin", "error   : shorter.cubin: *"),
               real=ANYTHING, why="NVIDIA's library reads the bytes behind the buffer")
    yield Case("linked cubin", "-arch=sm_90", "file:cubin:linked.cubin", "0 3",
               errors=("ERROR 4: bad input: linked.cubin", "error   : *linked.cubin*", "hint    : *"),
               infos=("warning : *linked.cubin*",),
               real={"codes": "0 0", "errors": (), "infos": ()},
               why="NVIDIA's library ignores it without a word")
    yield Case("object without device code", "-arch=sm_90", "file:object:nodev.o complete", "0 0 0",
               infos=("warning : nodev.o: has no device code to link", "warning : no input files*"),
               real={"infos": ()}, why="the info log tells of inputs that add nothing")
    yield Case("archive of cubins", "-arch=sm_90", f"file:cubin:a.cubin file:library:cubins.a {whole}",
               "0 0 0 0 0", real={"codes": "0 0 0 6 0", "errors": ("...",)},
               why="NVIDIA's library ignores cubins in archives; its messages print memory that is not its own")
    yield Case("archive twice", "-arch=sm_90",
               "file:cubin:a.cubin file:any:libb.a file:any:libb.a complete", "0 0 0 0 0")
    yield Case("-verbose", "-arch=sm_90 -verbose", "file:any:a.cubin file:any:b.cubin complete", "0 0 0 0",
               infos=("info    : * bytes gmem*",) + ("info    : *",) * 4)
    yield Case("-time", "-arch=sm_90 -time", "file:any:a.cubin file:any:b.cubin complete", "0 0 0 0",
               infos=("nvJitLink time until Complete: *.*", "nvJitLinkComplete time to finish: *.*"))
    yield Case("relocatable", "-arch=sm_90 -r", f"file:any:a.cubin {whole}", "0 0 0 0")
    yield Case("nothing", "-arch=sm_90", whole, "0 0 0", infos=("warning : no input files*",),
               real={"infos": ()}, why="the info log tells of an output that is empty")


def order_cases():
    yield Case("results before Complete", "-arch=sm_90", "cubin: ptx:", "0 6 3")
    yield Case("Complete twice", "-arch=sm_90", "file:cubin:b.cubin complete complete cubin:", "0 0 0 6 0",
               errors=("ERROR 1: nvJitLinkComplete was called before",), real={"errors": ("*",) * 0},
               why="the log says so")
    yield Case("an input after Complete", "-arch=sm_90", "complete file:cubin:b.cubin", "0 0 6",
               errors=("ERROR 1: added after nvJitLinkComplete: b.cubin",),
               infos=("warning : no input files*",), real={"errors": ("ERROR 1: *b.cubin",), "infos": ()},
               why="other words")
    yield Case("Destroy sets the handle to null", "-arch=sm_90", "destroy", "0 0")
    for name in NULL_CALLS:
        yield wrong(name, 10)
    yield wrong("create-without-options", 100)
    yield wrong("create-null-options", 100)
    yield wrong("create-null-word", 10, real="crash", why="no crash")
    yield wrong("data-null", 10, real="crash", why="no crash")
    yield Case("no bytes", "-arch=sm_90", "bad:data-empty", "0 3", errors=("bad input: x",),
               real={"errors": ()}, why="the log says so")
    yield Case("null without bytes", "-arch=sm_90", "bad:data-null-empty", "0 3",
               errors=("bad input: x",), real={"errors": ()}, why="the log says so")
    yield wrong("data-without-name", 12)


def compiler_cases():
    ptx = ("ptxas",)
    yield Case("PTX", "-arch=sm_90", "file:ptx:k.ptx complete cubin:out.cubin", "0 0 0 0", needs=ptx)
    yield Case("PTX with a mistake", "-arch=sm_90", "file:ptx:bad.ptx", "0 4", needs=ptx,
               errors=("ptxas bad.ptx, line 6*", "ptxas fatal   : *",
                       "ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX (bad.ptx)"),
               real={"errors": ("ptxas application ptx input, line 6*", "ptxas fatal   : *",
                                "ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX (bad.ptx)")},
               why="lines of the compiler name the file")
    yield Case("PTX of a later target", "-arch=sm_75", "file:ptx:k.ptx", "0 4", needs=ptx,
               errors=("ptxas *", "ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX (k.ptx)"))
    yield Case("PTX as an option of ptxas has it", "-arch=sm_90 -Xptxas=--no-such-option",
               "file:ptx:k.ptx", "0 4", needs=ptx,
               errors=("ptxas fatal   : *", "ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX (k.ptx)"))
    yield Case("-lto without LTO-IR", "-arch=sm_90 -lto", "file:cubin:a.cubin file:cubin:b.cubin complete cubin:",
               "0 0 0 0 0", infos=("...",),
               real={"codes": "0 0 0 5 6", "infos": (),
                     "errors": ("ERROR in nvvmCompileProgram: NVVM_ERROR_NO_MODULE_IN_PROGRAM",)},
               why="there is nothing to optimise, and the rest can be linked")
    yield Case("LTO-IR without -lto", "-arch=sm_90", "file:ltoir:some.ltoir", "0 18",
               errors=("ERROR 1: LTO-IR input cannot be used without LTO enabled (-lto)*",))


def lto_cases():
    lto = ("lto",)
    both = "file:ltoir:k.ltoir file:any:f.ltoir complete"
    yield Case("LTO-IR", "-arch=sm_90 -lto", f"{both} cubin:out.cubin ptx:", "0 0 0 0 0 3", needs=lto)
    yield Case("LTO-IR to PTX", "-arch=sm_90 -lto -ptx", f"{both} cubin: ptx:out.ptx", "0 0 0 0 6 0", needs=lto)
    yield Case("LTO-IR of a link without -lto", "-arch=sm_90", "file:cubin:a.cubin file:cubin:b.cubin complete ltoir:",
               "0 0 0 0 3", real={"codes": "0 0 0 0 no such function"}, why="releases since 13.2 have the function")
    yield Case("LTO-IR of the whole", "-arch=sm_90 -lto", f"{both} ltoir:", "0 0 0 0 6", needs=lto,
               real={"codes": "0 0 0 0 no such function"}, why="the compiler is of a release before 13.4, which has none")
    yield Case("LTO-IR and an undefined function", "-arch=sm_90 -lto", "data:ltoir:k.ltoir complete cubin:",
               "0 0 6 6", needs=lto,
               errors=("error   : Undefined reference to '*' in 'k.ltoir*'", "ERROR 9: finish"),
               real={"codes": "0 0 4 6", "errors": ("ptxas fatal   : Unresolved extern function '*'",
                                                    "ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX (ltoPtx)")},
               why="it is the link that lacks the function, not the compiler")
    yield Case("a wrong option of the optimiser", "-arch=sm_90 -lto -Xnvvm=--foo", f"{both}", "0 0 0 5",
               needs=lto, errors=("error   : *", "*NVVM_ERROR_INVALID_OPTION", "*--foo*", "ERROR 9: finish"),
               real={"errors": ("*NVVM_ERROR_INVALID_OPTION", "*--foo*")},
               why="a line names the inputs and the compiler")


def all_cases():
    for group in (option_cases, kind_cases, input_cases, order_cases, compiler_cases, lto_cases):
        yield from group()
