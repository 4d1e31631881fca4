# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Classes as headers of projects declare them: several and virtual bases, methods spread over files,
objects on the heap, erased types, and members that every file has a copy of."""

from program import LEVEL_INDIRECT, LEVEL_LEAF, LEVEL_TEMPLATE, Step

DIAMOND = """struct %(n)sRoot { int r; __device__ %(n)sRoot(int a) : r(a) {} __device__ virtual ~%(n)sRoot()%(droot)s __device__ virtual int id(int x) = 0; };
struct %(n)sLeft : %(v)s%(n)sRoot { int l; __device__ %(n)sLeft(int a) : %(n)sRoot(a), l(a) {} __device__ int id(int x) override%(id)s };
struct %(n)sRight%(rbase)s { int q; __device__ %(n)sRight(int a) : %(rinit)sq(a) {} __device__ virtual int right(int x)%(right)s };
struct %(n)sBoth : %(n)sLeft, %(n)sRight { long long w; __device__ %(n)sBoth(int a) : %(binit)s%(n)sLeft(a), %(n)sRight(a), w(a) {} __device__ int right(int x) override%(bright)s __device__ ~%(n)sBoth()%(dboth)s };
__device__ %(n)sRoot *%(n)s_make(int x);"""


def add_diamonds(program, dice):
    """Several bases, virtual or not; each method inline or in a file of its own; thunks and tables of
    parts; the objects on the heap or in place."""
    name = program.unique("Diamond")
    virtual = dice.chance(0.6)
    outside = []

    def method(signature, body):
        if dice.chance(0.5):
            return " { %s }" % body
        outside.append("__device__ %s { %s }" % (signature, body))
        return ";"

    number = dice.between(2, 9)
    declare = DIAMOND % {
        "n": name, "v": "virtual " if virtual else "",
        "rbase": " : virtual %sRoot" % name if virtual else "",
        "rinit": "%sRoot(a), " % name if virtual else "", "binit": "%sRoot(a), " % name if virtual else "",
        "droot": method("%sRoot::~%sRoot()" % (name, name), "r = 0;"),
        "id": method("int %sLeft::id(int x)" % name, "return x * l + %d;" % number),
        "right": method("int %sRight::right(int x)" % name, "return x ^ q;"),
        "bright": method("int %sBoth::right(int x)" % name, "return x * %d - l + (int)w;" % number),
        "dboth": method("%sBoth::~%sBoth()" % (name, name), "l = %d;" % number)}
    for text in outside:
        file = dice.pick(program.cuda_files)
        file.declare(declare)
        file.define(text)
    home = dice.pick(program.cuda_files)
    home.declare(declare)
    home.define("__device__ __noinline__ %(n)sRoot *%(n)s_make(int x) { %(one)sreturn new %(n)sBoth(x); }"
                % {"n": name, "one": dice.pick(["", "if (x & 1) return new %sLeft(x); " % name])})
    program.offer(Step("{ %(n)sRoot *root = %(n)s_make(x); x += root->id(x); delete root; }" % {"n": name},
                       None, [declare], LEVEL_INDIRECT))
    program.offer(Step("{ %(n)sBoth both(x); %(n)sRight *part = &both; x += part->right(x); "
                       "%(n)sRoot *root = &both; x ^= root->id(x); }" % {"n": name}, None, [declare],
                       LEVEL_INDIRECT))


ERASED = """struct %(n)s { void *state; int (*call)(void *, int); void (*drop)(void *); };
template <class F> __device__ __noinline__ int %(n)s_call(void *state, int x) { return (*(F *)state)(x); }
template <class F> __device__ __noinline__ void %(n)s_drop(void *state) { ((F *)state)->~F(); }
template <class F> __device__ %(n)s %(n)s_of(F &f) { return {&f, %(n)s_call<F>, %(n)s_drop<F>}; }
__device__ int %(n)s_run(const %(n)s &callable, int x);"""


def add_erased(program, dice):
    """Callables without a type, in the manner of std::function: pointers to weak functions."""
    name = program.unique("Callable")
    declare = ERASED % {"n": name}
    home = dice.pick(program.cuda_files)
    home.declare(declare)
    home.define("__device__ __noinline__ int %(n)s_run(const %(n)s &callable, int x) { int y = "
                "callable.call(callable.state, x); if (y == -5) callable.drop(callable.state); return y; }"
                % {"n": name})
    for _ in range(dice.between(1, 3)):
        functor = program.unique("Functor")
        struct = ("struct %s { int a; __device__ %sint operator()(int x) const { return x * a + %d; } };"
                  % (functor, dice.pick(["", "__noinline__ "]), dice.between(1, 99)))
        program.offer(Step("{ %s f{x}; x += %s_run(%s_of(f), x); }" % (functor, name, name), None,
                           [declare, struct], LEVEL_INDIRECT))
    program.offer(Step("{ auto f = [=](int y) { return y + x; }; x += %s_run(%s_of(f), x); }"
                       % (name, name), None, [declare], LEVEL_INDIRECT))
    if dice.chance(0.5):
        # A table of callables that every file may have a copy of.
        table = program.unique("callables")
        space = dice.pick(["__device__", "__constant__"])
        struct = "struct %s_tag { int a; __device__ int operator()(int x) const { return x + a; } };" % table
        program.offer(Step("{ %(t)s_tag f{x}; x += %(t)s[x & 1].call(&f, x); }" % {"t": table}, None, [
            declare, struct, "inline %(s)s %(n)s %(t)s[2] = {{nullptr, %(n)s_call<%(t)s_tag>, "
            "%(n)s_drop<%(t)s_tag>}, {nullptr, %(n)s_call<%(t)s_tag>, nullptr}};"
            % {"s": space, "n": name, "t": table}], LEVEL_INDIRECT))


INLINE_VALUES = [
    ("inline %(s)s int %(n)s = %(v)d;", "x += %(n)s;"),
    ("inline %(s)s double %(n)s[5] = {1, 2, %(v)d};", "x += (int)%(n)s[x & 3];"),
    ("inline %(s)s char %(n)s[13];", "x += %(n)s[x & 7];"),
    ("inline %(s)s const char *%(n)s[3] = {\"one %(v)d\", \"two\", nullptr};", "x += %(n)s[x & 1][0];"),
    ("struct %(n)s_t { %(n)s_t *next; int v; }; extern %(s)s %(n)s_t %(n)s[2]; "
     "inline %(s)s %(n)s_t %(n)s_end = {nullptr, %(v)d}; inline %(s)s %(n)s_t %(n)s[2] = {{&%(n)s_end, 5}, {&%(n)s_end, 4}};",
     "x += %(n)s[x & 1].next->v;"),
    ("template <class T, int N> %(s)s T %(n)s[N] = {T(%(v)d), T(2)};",
     "x += (int)%(n)s<float, 7>[x & 3] + %(n)s<int, 3>[1];"),
    ("static %(s)s float %(n)s[4] = {1, %(v)d};", "x += (int)%(n)s[x & 3];"),
    ("static %(s)s int %(n)s[6];", "x += (int)%(n)s[x & 3];"),
    ("inline %(s)s int (*%(n)s)(int) = [](int y) { return y * %(v)d; };", "x += %(n)s(x);"),
]


def add_inline_variables(program, dice):
    """Variables that a header defines: weak ones of every file, and private copies."""
    for _ in range(dice.between(1, 4)):
        declare, use = dice.pick(INLINE_VALUES)
        space = dice.pick(["__device__", "__device__", "__constant__", "__managed__"])
        if space == "__managed__" and ("constexpr" in declare or "*" in declare or "static" in declare):
            space = "__device__"
        names = {"s": space, "n": program.unique("header_value"), "v": dice.between(1, 99)}
        program.offer(Step(use % names, None, [declare % names]))
        if "extern" not in declare and "const" not in declare and space != "__constant__" and dice.chance(0.5):
            if "[x & 3]" in use and "float" not in declare and "template" not in declare:
                program.offer(Step("%(n)s[x & 3] = x;" % names, None, [declare % names]))


LOCAL_STATICS = [
    "static __device__ int count[3] = {%(v)d}; count[x & 1] += x; return count[0];",
    "static __constant__ float weights[5] = {%(v)d, 2, 3}; return x * (int)weights[x & 3];",
    "static __shared__ int room[%(v)d]; room[0] = x; __syncthreads(); return room[x & 1];",
    "const char *names[] = {\"red\", \"green %(v)d\", \"blue\", \"white\"}; return names[x & 3][1];",
    "constexpr int row[] = {%(v)d, 7, 1, 9, 3, 5, 2, 8, 11, 4, 6, 10, 13, 12, 15, 14}; return row[x & 15];",
    "static __device__ int hits; static __device__ int *where[2] = {&hits, nullptr}; *where[0] += x; return hits;",
    "extern __shared__ double reservoir[]; reservoir[x & 1] = x; __syncthreads(); return (int)reservoir[0] + %(v)d;",
    "int (*pick[2])(int) = {[](int y) { return y + %(v)d; }, [](int y) { return y * 3; }}; return pick[x & 1](x);",
]


def add_local_statics(program, dice):
    """What functions keep for themselves, in weak functions, templates, private and plain ones."""
    for _ in range(dice.between(1, 3)):
        name = program.unique("keeper")
        body = dice.pick(LOCAL_STATICS) % {"v": dice.between(2, 60)}
        kind = dice.pick(["inline", "template", "static", "member", "plain"])
        use = "x += %s(x);" % name
        head = {"inline": "inline __device__ __noinline__ int %s(int x) { %s }",
                "template": "template <class T> __device__ __noinline__ int %s(T x) { %s }",
                "static": "static __device__ __noinline__ int %s(int x) { %s }",
                "member": "struct %s { static __device__ __noinline__ int run(int x) { %s } };",
                "plain": "__device__ __noinline__ int %s(int x) { %s }"}[kind] % (name, body)
        if kind == "member":
            use = "x += %s::run(x);" % name
        if kind == "plain":
            dice.pick(program.cuda_files).define(head)
            head = "__device__ int %s(int x);" % name
        program.offer(Step(use, None, [head], LEVEL_TEMPLATE))


def add_records(program, dice):
    """Arrays of structs with names, functions and places in other arrays of other files."""
    record = program.unique("Record")
    data, home = program.unique("record_data"), dice.pick(program.cuda_files)
    kind = dice.pick(["__device__", "__device__", "__constant__"])
    const = "const " if kind == "__constant__" else ""
    home.declare("%s int %s[20] = {3, 1, 4, 1, 5};" % (kind, data))
    unsized = dice.chance(0.5)
    extern = "extern %s int %s[%s];" % (kind, data, "" if unsized else "20")
    struct = "struct %s { const char *name; int (*call)(int); %sint *data; short tag; };" % (record, const)
    functions = []
    for _ in range(2):
        function = program.unique("record_call")
        dice.pick(program.cuda_files).define("__device__ __noinline__ int %s(int x) { return x + %d; }"
                                             % (function, dice.between(1, 99)))
        functions.append(function)
    space = dice.pick(["__device__", "__device__", "__constant__", "__managed__"])
    const_space = dice.pick(["const ", ""]) if space == "__device__" else ""
    table = program.unique("records")
    file = dice.pick(program.cuda_files)
    file.declare(extern)
    file.declare(struct)
    rows = []
    for _ in range(dice.between(1, 5)):
        function = dice.pick(functions + ["nullptr"])
        if function != "nullptr":
            file.declare("__device__ int %s(int x);" % function)
        rows.append("{%s, %s, %s, %d}" % (
            dice.pick(['"a name %d"' % dice.below(4), "nullptr"]) if space != "__managed__" else "nullptr",
            function if space != "__managed__" else "nullptr",
            "%s + %d" % (data, dice.below(20)), dice.below(9)))
    file.declare("extern %s %s%s %s[];" % (space, const_space, record, table))
    file.declare("%s %s%s %s[%d] = {%s};" % (space, const_space, record, table, len(rows) + dice.below(2),
                                             ", ".join(rows)))
    declares = [extern, struct, "extern %s %s%s %s[];" % (space, const_space, record, table)]
    program.offer(Step("x += *%s[0].data + %s[0].tag;" % (table, table), None, declares, LEVEL_LEAF))
    program.offer(Step("if (%s[0].call) x += %s[0].call(x);" % (table, table), None, declares,
                       LEVEL_INDIRECT))


def add_weak_and_strong(program, dice):
    """An inline function or variable in some files, a plain one of the same name in another."""
    name = program.unique("replaceable")
    files = dice.sample(program.cuda_files, dice.between(1, 3))
    bodies = ["return x + %d;" % dice.between(1, 9), "return x * x / (3 + (x & 7));",
              "volatile int row[16]; for (int i = 0; i < 16; ++i) row[i] = x; return row[x & 15];",
              "__shared__ int room[32]; room[x & 31] = x; __syncthreads(); return room[3];"]
    strong = dice.chance(0.7)
    for index, file in enumerate(files):
        head = "__device__ __noinline__ int %s(int x) { %s }" % (name, dice.pick(bodies))
        if index == 0 and strong:
            file.define(head)
            program.offer(Step("x += %s(x);" % name, file, ["__device__ int %s(int x);" % name],
                               LEVEL_TEMPLATE))
        else:
            program.offer(Step("x += %s(x);" % name, file, ["inline " + head], LEVEL_TEMPLATE))
    if dice.chance(0.5):
        value = program.unique("replaceable_value")
        for index, file in enumerate(dice.sample(program.cuda_files, dice.between(1, 3))):
            inline = "" if index == 0 and strong else "inline "
            program.offer(Step("x += %s[x & 3];" % value, file,
                               ["%s__device__ int %s[4]%s;" % (inline, value, dice.pick([" = {1, 2}", ""]))]))
