# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code as real projects have it: a header of templates and classes that every file includes, block
and warp reductions, containers and callables with state, devices chosen by policy, in layers of
files. Generated features meet inside bodies; here whole units depend on each other."""

from program import LEVEL_INDIRECT, LEVEL_LEAF, LEVEL_TEMPLATE, Step

REDUCTION = """template <class T, int N, class Op> struct %(name)s {
  struct Room { T items[N]; };
  Room &room;
  __device__ %(name)s(Room &r) : room(r) {}
  __device__ __noinline__ T reduce(T value, Op op) {
    room.items[threadIdx.x %% N] = value;
    __syncthreads();
#pragma unroll
    for (int width = N / 2; width > 0; width /= 2) {
      if (threadIdx.x < width)
        room.items[threadIdx.x] = op(room.items[threadIdx.x], room.items[threadIdx.x + width]);
      __syncthreads();
    }
    return room.items[0];
  }
};"""

OPERATORS = ["struct %s { template <class T> __device__ T operator()(T a, T b) const { return a + b; } };",
             "struct %s { template <class T> __device__ T operator()(T a, T b) const "
             "{ return a < b ? b : a; } };",
             "struct %s { int salt = 3; template <class T> __device__ __noinline__ T operator()(T a, T b) "
             "const { return a * T(salt) - b; } };"]


def add_reductions(program, dice):
    """In the manner of block-wide primitives: weak member functions and shared rooms per instance."""
    name, op = program.unique("BlockReduce"), program.unique("Op")
    declares = [REDUCTION % {"name": name}, dice.pick(OPERATORS) % op]
    for kind in dice.sample(["int", "float", "double", "long long"], dice.between(1, 3)):
        size = dice.pick([32, 64, 128])
        alias = "%s<%s, %d, %s>" % (name, kind, size, op)
        program.offer(Step("{ __shared__ %s::Room room; x += (int)%s(room).reduce((%s)x, %s()); }"
                           % (alias, alias, kind, op), None, declares, LEVEL_TEMPLATE))


CONTAINER = """template <class T, unsigned N> class %(name)s {
  T items_[N];
  unsigned count_ = 0;
public:
  __device__ __noinline__ bool push(const T &value) {
    if (count_ == N) return false;
    items_[count_++] = value;
    return true;
  }
  __device__ __noinline__ T pop() { return count_ ? items_[--count_] : T(); }
  template <class F> __device__ __noinline__ void each(F f) const {
    for (unsigned i = 0; i < count_; ++i) f(items_[i]);
  }
};"""


def add_containers(program, dice):
    """Local objects of class templates, with lambdas of every file handed to their members."""
    name = program.unique("Stack")
    declare = CONTAINER % {"name": name}
    for _ in range(dice.between(1, 3)):
        kind, size = dice.pick(["int", "short", "float", "int2"]), dice.pick([4, 9, 20])
        push = "{x, x + 1}" if kind == "int2" else "(%s)(x + i)" % kind
        use = "item.x + item.y" if kind == "int2" else "(int)item"
        body = ("{ %(n)s<%(k)s, %(s)d> stack; for (int i = 0; i < %(s)d; ++i) stack.push(%(k)s%(p)s); "
                "stack.each([&x](const %(k)s &item) { x += %(u)s; }); auto item = stack.pop(); "
                "x ^= %(u)s; }" % {"n": name, "k": kind, "s": size, "u": use,
                                   "p": push if kind == "int2" else "(%s)" % push})
        program.offer(Step(body, None, [declare], LEVEL_TEMPLATE))


def add_lambdas(program, dice):
    """Lambdas with captures, through a template that does not inline them and through pointers."""
    name = program.unique("invoke")
    declare = ("template <class F> __device__ __noinline__ int %s(F f, int x) { return f(x) + f(x + 1); }"
               % name)
    for _ in range(dice.between(1, 3)):
        constant = dice.between(2, 99)
        text = dice.pick([
            "x += %(n)s([=](int y) { return y * %(c)d + x; }, x);",
            "{ int base = x; x += %(n)s([&base](int y) { base += y; return base / %(c)d; }, x); }",
            "{ int (*plain)(int) = [](int y) { return y ^ %(c)d; }; x += %(n)s(plain, x); }",
            "{ auto outer = [=](auto inner) { return inner(%(c)d) + x; }; "
            "x += outer([](int y) { return y + 1; }); }"])
        program.offer(Step(text % {"n": name, "c": constant}, None, [declare], LEVEL_INDIRECT))


VISITOR = """struct %(base)s {
  __device__ virtual ~%(base)s() {}
  __device__ virtual int apply(int x) const = 0;
  __device__ virtual int cost() const { return 1; }
};
template <int K> struct %(leaf)s : %(base)s {
  __device__ int apply(int x) const override { return x * K + 1; }
};
template <class A, class B> struct %(pair)s : %(base)s {
  A a; B b;
  __device__ int apply(int x) const override { return b.apply(a.apply(x)); }
  __device__ int cost() const override { return a.cost() + b.cost(); }
};
__device__ int %(run)s(const %(base)s &node, int x);"""


def add_class_templates(program, dice):
    """A hierarchy of class templates: weak virtual tables in every file that makes an object, and one
    file that only calls through the base."""
    names = {"base": program.unique("Node"), "leaf": program.unique("Leaf"),
             "pair": program.unique("Pair"), "run": program.unique("run_node")}
    declare = VISITOR % names
    home = dice.pick(program.cuda_files)
    home.declare(declare)
    body = "\n".join(program.statements(home, dice, LEVEL_INDIRECT + 9, dice.between(0, 3)))
    home.define("__device__ __noinline__ int %(run)s(const %(base)s &node, int x) {\n" % names + body +
                "\n  return node.apply(x) + node.cost();\n}")
    leaf = lambda: "%s<%d>" % (names["leaf"], dice.between(1, 4))
    for _ in range(dice.between(1, 3)):
        kind = dice.pick([leaf(), "%s<%s, %s>" % (names["pair"], leaf(), leaf())])
        program.offer(Step("{ %s node; x += %s(node, x); }" % (kind, names["run"]), None, [declare],
                           LEVEL_INDIRECT))


def add_policies(program, dice):
    """Settings of a project: constant tables and variable templates behind static members."""
    policy, traits = program.unique("Policy"), program.unique("traits")
    home = dice.pick(program.cuda_files)
    size = dice.pick([3, 8, 33])
    table = program.unique("policy_table")
    home.declare("__constant__ float %s[%d] = {%s};" % (table, size, ", ".join(
        "%d.5f" % dice.between(0, 9) for _ in range(3))))
    declares = ["extern __constant__ float %s[%d];" % (table, size),
                "template <class T> struct %s { static constexpr int width = sizeof(T); };" % traits,
                "template <class T> __device__ T %s_limit = T(%d);\n"
                "template <class T> struct %s { static __device__ __noinline__ T clamp(T v) "
                "{ return v < %s_limit<T> ? v : %s_limit<T>; } };"
                % (policy, dice.between(10, 99), policy, policy, policy)]
    for kind in dice.sample(["int", "float", "unsigned char"], 2):
        program.offer(Step("x += (int)(%s<%s>::clamp((%s)x) * %s<%s>::width + %s[x & 1]);"
                           % (policy, kind, kind, traits, kind, table), None, declares, LEVEL_LEAF))


LAYERS = ["input", "math", "physics", "render", "output"]


def add_layers(program, dice):
    """Modules that call only the layer below, each with an interface, state and helpers of its own."""
    below = None
    for layer in LAYERS[:dice.between(2, len(LAYERS))]:
        file = dice.pick(program.cuda_files)
        name = program.unique(layer)
        state = program.unique(layer + "_state")
        declare = ("struct %(n)s_args { int first; float scale; const int *data; };\n"
                   "namespace %(n)s { __device__ int run(const %(n)s_args &args); "
                   "__device__ void reset(); }" % {"n": name})
        file.declare(declare)
        file.define("namespace %s {\nnamespace { __device__ int %s[%d]; "
                    "__device__ __noinline__ int helper(int x) { return x * %d + %s[x & 1]; } }"
                    % (name, state, dice.between(2, 40), dice.between(2, 9), state))
        lines = program.statements(file, dice, LEVEL_TEMPLATE, dice.between(0, 3))
        call = ""
        if below:
            file.declare(below[1])
            call = "  %(b)s_args next = {x, args.scale, args.data};\n  x += %(b)s::run(next);\n" % {
                "b": below[0]}
        file.define("__device__ int run(const %s_args &args) {\n  int x = helper(args.first);\n%s%s\n"
                    "  return x + (int)args.scale;\n}\n__device__ void reset() { %s[0] = 0; }\n}"
                    % (name, call, "\n".join(lines), state))
        below = (name, declare)
    program.offer(Step("{ %(n)s_args args = {x, 0.5f, nullptr}; x += %(n)s::run(args); "
                       "if (x == -77) %(n)s::reset(); }" % {"n": below[0]}, None, [below[1]],
                       LEVEL_INDIRECT))
