// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program in the place of ptxas. A text "// answer: FILE" is compiled to that file, "// remark"
// makes it say something, and "// refuse" makes it fail. Each run adds a line to the file that
// CULINK_FAKE_LOG names.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace {

std::string contents_of(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string answer_in(const std::string &text) {
  const std::string mark = "// answer: ";
  const size_t at = text.find(mark);
  if (at == std::string::npos)
    return "";
  const size_t begin = at + mark.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

} // namespace

// ptxas [OPTION...] SOURCE -o OBJECT
int main(int count, char **words) {
  if (count < 4)
    return 2;
  const std::string source = words[count - 3], object = words[count - 1];
  const std::string text = contents_of(source);
  if (const char *log = std::getenv("CULINK_FAKE_LOG"))
    std::ofstream(log, std::ios::app) << "compiled " + answer_in(text) + "\n";
  if (text.find("// refuse") != std::string::npos)
    return 255;
  if (text.find("// remark") != std::string::npos)
    std::fprintf(stderr, "ptxas info    : a remark about %s\n", source.c_str());
  const std::string answer = contents_of(answer_in(text));
  std::ofstream(object, std::ios::binary | std::ios::trunc) << answer;
  return answer.empty() ? 1 : 0;
}
