// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A page is a fixed text with the data in the middle. The text is made of src/inspect/page/web by
// cmake/embed_page.py when culink is built. Its policy (Content-Security-Policy) allows the one
// script and the one style sheet that have the hashes of ours, and no request to anywhere.
#include "inspect/page/write_page.h"

#include "inspect/page/report_json.h"
#include "inspect/page/web_parts.h"

namespace culink::page {

std::string page_html(const Report &report) {
  std::string out(before_data());
  out += report_json(report);
  out += after_data();
  return out;
}

} // namespace culink::page
