// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects the objects of libcudadevrt that are linked. The compiler driver adds that library to
// every link, and most programs do not use it. An object of it is linked if another object calls a
// function that it defines, wherever the two are on the command line. Variables do not count. This
// is decided before symbols are resolved, so that unneeded objects leave no trace.
#include "link/resolve/system_library.h"

#include <algorithm>

#include "elf/target/driver_functions.h"

namespace culink {

namespace {

bool is_counted(const elf::Symbol &symbol) {
  return symbol.type() == elf::SymbolType::Function &&
         symbol.binding() != elf::SymbolBinding::Local && !arch::is_driver_function(symbol.name);
}

} // namespace

void UndefinedFunctions::add(const InputObject &object) {
  for (const elf::Symbol &symbol : object.symbols) {
    if (!is_counted(symbol))
      continue;
    const auto [number, is_new] = names_.insert(symbol.name);
    if (is_new)
      states_.emplace_back();
    State &state = states_[number];
    missing_ -= state.missing() ? 1 : 0;
    (symbol.undefined() ? state.called : state.defined) = true;
    missing_ += state.missing() ? 1 : 0;
  }
}

bool UndefinedFunctions::is_completed_by(const InputObject &object) const {
  for (const elf::Symbol &symbol : object.symbols)
    if (is_counted(symbol) && !symbol.undefined())
      if (const std::optional<u32> number = names_.find(symbol.name);
          number && states_[*number].missing())
        return true;
  return false;
}

std::vector<bool> find_needed_objects(const std::vector<InputObject> &objects) {
  std::vector<bool> needed(objects.size(), false);
  bool any_system = false;
  for (const InputObject &object : objects)
    any_system |= object.system;
  if (!any_system)
    return std::vector<bool>(objects.size(), true);
  UndefinedFunctions functions;
  for (size_t i = 0; i < objects.size(); ++i) {
    needed[i] = !objects[i].system;
    if (needed[i])
      functions.add(objects[i]);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < objects.size(); ++i) {
      if (needed[i] || !functions.is_completed_by(objects[i]))
        continue;
      needed[i] = changed = true;
      functions.add(objects[i]);
    }
  }
  return needed;
}

std::vector<InputObject> drop_unneeded(std::vector<InputObject> objects,
                                       const std::vector<bool> &needed) {
  if (std::find(needed.begin(), needed.end(), false) == needed.end())
    return objects;
  std::vector<InputObject> out;
  out.reserve(objects.size());
  for (size_t i = 0; i < objects.size(); ++i)
    if (needed[i])
      out.push_back(std::move(objects[i]));
  return out;
}

bool calls_missing_functions(const std::vector<InputObject> &objects) {
  UndefinedFunctions functions;
  for (const InputObject &object : objects)
    functions.add(object);
  return functions.any_missing();
}

} // namespace culink
