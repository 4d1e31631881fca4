// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every byte of a cubin has one owner: a function if the byte is in a section that belongs to the
// function by name or by sh_info, else the kind of its section, else the tables of the file or
// padding. Where ranges share bytes, like the two forms of code for sm_100, the first owns them.
//
// What may surprise: local functions may lie inside the section of a kernel, which calls them. They
// own the bytes that their symbols cover, the kernel the rest.
#include "inspect/reader/image_parts.h"

#include <algorithm>
#include <unordered_map>

#include "elf/section_kind.h"
#include "inspect/reader/call_graph.h"

namespace culink::inspect {

namespace {

constexpr u64 kMostSteps = 50'000'000; // along calls, in one image

class ImageMeter {
public:
  explicit ImageMeter(const elf::ElfView &file) : file_(file), functions_(file) {}

  ImageParts measure() {
    collect_functions();
    add_tables();
    for (const elf::Section &section : file_.sections())
      if (!section.data.empty())
        add_section(section);
    out_.parts = divide(file_.file().size(), std::move(ranges_));
    for (const ImagePart &part : out_.parts)
      if (part.function != kNoFunction)
        out_.functions[part.function].own += part.size;
    follow_calls();
    return std::move(out_);
  }

private:
  void collect_functions() {
    const std::vector<CallNode> nodes = read_calls(file_);
    for (const FunctionRef &function : functions_.all()) {
      const auto number = static_cast<u32>(out_.functions.size());
      SizedFunction &sized = out_.functions.emplace_back(SizedFunction{function});
      // Nodes of functions without code come last and are not in functions_.
      for (const CallEdge &edge : nodes[number].calls)
        if (edge.callee < functions_.all().size())
          sized.calls.push_back(edge.callee);
      if (function.value != 0 && function.size != 0)
        inside_[function.section].push_back(
            {function.value, function.value + function.size, "", number});
    }
  }

  void add_tables() {
    const elf::FileHeader &header = file_.header();
    add(0, header.ehsize, "header");
    add(header.phoff, u64{header.phnum} * header.phentsize, "program-headers");
    add(header.shoff, u64{header.section_count} * header.shentsize, "section-headers");
  }

  void add(u64 begin, u64 size, std::string_view kind, u32 function = kNoFunction) {
    const u64 all = file_.file().size();
    if (begin < all && size != 0)
      ranges_.push_back({begin, begin + std::min(size, all - begin), kind, function});
  }

  void add_section(const elf::Section &section) {
    const elf::SectionKind kind = elf::classify_section(section.name, section.type, section.flags);
    const std::string_view name = kind.mercury ? "mercury" : elf::name_of_section_role(kind.role);
    const u32 owner = functions_.owner_of(section, kind.owner);
    u64 at = 0;
    if (const auto found = inside_.find(section.index); found != inside_.end()) {
      std::vector<OwnedRange> &inner = found->second;
      std::stable_sort(inner.begin(), inner.end(),
                       [](const OwnedRange &a, const OwnedRange &b) { return a.begin < b.begin; });
      for (const OwnedRange &range : inner) {
        const u64 end = std::min<u64>(range.end, section.data.size());
        if (range.begin < at || range.begin >= end)
          continue;
        add(section.offset + at, range.begin - at, name, owner);
        add(section.offset + range.begin, end - range.begin, name, range.function);
        at = end;
      }
    }
    add(section.offset + at, section.data.size() - at, name, owner);
  }

  void follow_calls() {
    std::vector<u32> seen_by(out_.functions.size(), kNoFunction), waiting;
    u64 steps = 0;
    for (u32 root = 0; root < out_.functions.size() && steps < kMostSteps; ++root) {
      u64 sum = 0;
      waiting = {root};
      seen_by[root] = root;
      while (!waiting.empty() && steps < kMostSteps) {
        const u32 function = waiting.back();
        waiting.pop_back();
        sum += out_.functions[function].own;
        steps += 1 + out_.functions[function].calls.size();
        for (const u32 callee : out_.functions[function].calls)
          if (seen_by[callee] != root) {
            seen_by[callee] = root;
            waiting.push_back(callee);
          }
      }
      if (waiting.empty())
        out_.functions[root].reached = sum;
    }
  }

  const elf::ElfView &file_;
  Functions functions_;
  ImageParts out_;
  std::vector<OwnedRange> ranges_;
  std::unordered_map<u32, std::vector<OwnedRange>> inside_; // never iterated
};

} // namespace

std::vector<ImagePart> divide(u64 size, std::vector<OwnedRange> ranges) {
  std::stable_sort(ranges.begin(), ranges.end(),
                   [](const OwnedRange &a, const OwnedRange &b) { return a.begin < b.begin; });
  std::vector<ImagePart> parts;
  u64 at = 0;
  for (const OwnedRange &range : ranges) {
    const u64 begin = std::min(range.begin, size), end = std::min(range.end, size);
    if (begin > at)
      parts.push_back({"padding", kNoFunction, begin - at});
    at = std::max(at, begin);
    if (end > at)
      parts.push_back({range.kind, range.function, end - at});
    at = std::max(at, end);
  }
  if (size > at)
    parts.push_back({"padding", kNoFunction, size - at});
  std::stable_sort(parts.begin(), parts.end(), [](const ImagePart &a, const ImagePart &b) {
    return a.function != b.function ? a.function < b.function : a.kind < b.kind;
  });
  std::vector<ImagePart> out;
  for (const ImagePart &part : parts)
    if (!out.empty() && out.back().function == part.function && out.back().kind == part.kind)
      out.back().size += part.size;
    else
      out.push_back(part);
  return out;
}

ImageParts measure_image(const elf::ElfView &image) {
  return ImageMeter(image).measure();
}

} // namespace culink::inspect
