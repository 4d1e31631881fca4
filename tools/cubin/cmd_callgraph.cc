// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin callgraph: the calls between functions as a tree, for graphviz, or as JSON. Trees begin at
// kernels, or at the functions named in the options.
#include "command.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "device_code.h"
#include "inspect/dump/call_tree.h"
#include "inspect/reader/call_graph.h"

namespace culink::tools {

namespace {

struct CallgraphArguments {
  CodeArguments code;
  std::vector<std::string> functions;
  u64 depth = 0;
  bool callers = false;
  bool demangle = false;
  bool dot = false;
  OutputFlags form;
};

// Chooses the roots of the trees: the named functions if there are any, otherwise the kernels.
text::CallTreeOptions tree_options(const CallgraphArguments &arguments,
                                   const std::vector<inspect::CallNode> &nodes) {
  text::CallTreeOptions out{{}, arguments.depth, false, arguments.demangle};
  const CodeSelection named{{}, arguments.functions};
  const bool all = arguments.functions.empty() && arguments.code.selection.kernels.empty();
  for (u32 i = 0; i < nodes.size(); ++i) {
    const bool kernel = nodes[i].kernel && arguments.functions.empty() &&
                        arguments.code.selection.takes_kernel(nodes[i].name);
    if ((kernel && !arguments.callers) ||
        (!arguments.functions.empty() && named.takes_kernel(nodes[i].name)))
      out.roots.push_back(i);
  }
  out.rest = all && arguments.depth == 0;
  return out;
}

class CallgraphCommand {
public:
  CallgraphCommand(const CallgraphArguments &arguments, text::Sink &sink, TextOut &out)
      : arguments_(arguments), sink_(sink), out_(out) {}

  bool run() {
    if (arguments_.dot)
      out_.put("digraph calls {\n  rankdir=LR;\n");
    const auto look = [this](const Image &image) -> std::function<void()> {
      std::vector<inspect::CallNode> nodes = inspect::read_calls(*image.view);
      if (arguments_.callers)
        nodes = inspect::with_callers(nodes);
      return [this, image, nodes = std::move(nodes)] { show_graph(image, nodes); };
    };
    const bool clean = for_each_image(arguments_.code, look);
    if (arguments_.dot)
      out_.put("}\n");
    if (found_ || !clean || arguments_.functions.empty())
      return clean && clean_;
    print_error(arguments_.code.files.front(),
                fmt::format("has no function like {}", fmt::join(arguments_.functions, ", ")));
    return false;
  }

private:
  void show_graph(const Image &image, const std::vector<inspect::CallNode> &nodes) {
    clean_ = print_violations(image) && clean_;
    const text::CallTreeOptions options = tree_options(arguments_, nodes);
    if (options.roots.empty() && !options.rest)
      return;
    found_ = true;
    if (!arguments_.form.is_text()) {
      sink_.begin_file(image.name);
      sink_.fact("linked", text::flag(image.view->header().type == elf::FileType::Executable));
      text::print_call_rows(nodes, options, sink_);
      sink_.end_file();
      return;
    }
    if (arguments_.dot)
      return show_dot(image, nodes, options);
    out_.put(images_++ == 0 ? "" : "\n");
    out_.name(heading(image.name, image.code));
    out_.put(":\n");
    text::print_call_tree(nodes, options, out_);
  }

  void show_dot(const Image &image, const std::vector<inspect::CallNode> &nodes,
                const text::CallTreeOptions &options) {
    const std::string number = std::to_string(images_++);
    out_.put("  subgraph cluster_" + number +
             " {\n  label=" + text::dot_text(heading(image.name, image.code)) + ";\n");
    text::print_call_dot(nodes, options, "f" + number + "_", out_);
    out_.put("  }\n");
  }

  const CallgraphArguments &arguments_;
  text::Sink &sink_;
  TextOut &out_;
  u64 images_ = 0;
  bool found_ = false;
  bool clean_ = true;
};

} // namespace

int callgraph_command(Command &command) {
  CallgraphArguments arguments;
  add_code_arguments(command, arguments.code);
  add_leftovers_flag(command, arguments.code.selection);
  command.add({
      {"function", "<pattern>",
       "Begin at such functions, by their names in the file or in the source",
       &arguments.functions},
      {"depth", "<n>", "Calls to follow from there; 0: all", &arguments.depth},
      {"callers", "", "Who calls, in place of who is called", &arguments.callers},
      {"demangle", "", "Show C++ names as in the source", &arguments.demangle},
      excludes({"json", "csv", "markdown"}, {"dot", "", "For graphviz: a digraph", &arguments.dot}),
  });
  add_output_flags(command, arguments.form);
  if (!command.parse())
    return command.status();
  return show(arguments.form, [&](text::Sink &sink, TextOut &out) {
    return CallgraphCommand(arguments, sink, out).run();
  });
}

} // namespace culink::tools
