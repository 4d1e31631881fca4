// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "link/model/input_object.h"
#include "support/string_index.h"

namespace culink {

// Global functions that objects call and define, driver functions apart, to find those that are
// undefined.
class UndefinedFunctions {
public:
  void add(const InputObject &object);
  // True if a function is called that none of the objects defines.
  [[nodiscard]] bool any_missing() const { return missing_ != 0; }
  // True if an object defines one of those.
  [[nodiscard]] bool is_completed_by(const InputObject &object) const;

private:
  struct State {
    bool called = false;
    bool defined = false;
    [[nodiscard]] bool missing() const { return called && !defined; }
  };

  StringIndex names_;
  std::vector<State> states_; // by number of the name
  u32 missing_ = 0;
};

// By object: whether it is linked. Objects of the device runtime library are, if another one calls
// a function that they define; all others are.
[[nodiscard]] std::vector<bool> find_needed_objects(const std::vector<InputObject> &objects);

// The objects that are needed.
[[nodiscard]] std::vector<InputObject> drop_unneeded(std::vector<InputObject> objects,
                                                     const std::vector<bool> &needed);

// True if a function is called that none of the objects defines, driver functions apart.
[[nodiscard]] bool calls_missing_functions(const std::vector<InputObject> &objects);

} // namespace culink
