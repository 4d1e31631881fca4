// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An object of libcudadevrt stays if another object calls a function that it defines, wherever the
// two stand. nvlink decides when it comes to the object: it stays if any function at all is
// undefined at that moment, system calls apart, and where it goes, nothing but system objects may
// follow (Q083). Variables do not count.
#include "link/resolve/system_library.h"

#include <set>
#include <string_view>

#include "link/resolve/special_symbols.h"

namespace culink {

namespace {

using Names = std::set<std::string_view>;

bool is_global_function(const elf::Symbol &symbol) {
  return symbol.type() == elf::SymbolType::Function &&
         symbol.binding() != elf::SymbolBinding::Local;
}

// Adds what the object calls and defines.
void note_functions(const InputObject &object, Names &called, Names &defined) {
  for (const elf::Symbol &symbol : object.symbols)
    if (is_global_function(symbol) && !is_system_call(symbol.name))
      (symbol.undefined() ? called : defined).insert(symbol.name);
}

bool any_undefined(const Names &called, const Names &defined) {
  for (const std::string_view name : called)
    if (!defined.contains(name))
      return true;
  return false;
}

bool defines_missing(const InputObject &object, const Names &called, const Names &defined) {
  for (const elf::Symbol &symbol : object.symbols)
    if (is_global_function(symbol) && !symbol.undefined() && called.contains(symbol.name) &&
        !defined.contains(symbol.name))
      return true;
  return false;
}

std::vector<bool> needed_in_order(const std::vector<InputObject> &objects, Diagnostics &diag) {
  std::vector<bool> needed(objects.size(), true);
  Names called, defined;
  const InputObject *dropped = nullptr;
  for (size_t i = 0; i < objects.size(); ++i) {
    const InputObject &object = objects[i];
    if (object.system && !any_undefined(called, defined)) {
      needed[i] = false;
      dropped = &object;
      continue;
    }
    if (dropped) {
      diag.report(DiagId::ObjectAfterRuntime, {object.name, dropped->name});
      break;
    }
    note_functions(object, called, defined);
  }
  return needed;
}

std::vector<bool> needed_anywhere(const std::vector<InputObject> &objects) {
  std::vector<bool> needed(objects.size(), false);
  Names called, defined;
  for (size_t i = 0; i < objects.size(); ++i) {
    needed[i] = !objects[i].system;
    if (needed[i])
      note_functions(objects[i], called, defined);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < objects.size(); ++i) {
      if (needed[i] || !defines_missing(objects[i], called, defined))
        continue;
      needed[i] = changed = true;
      note_functions(objects[i], called, defined);
    }
  }
  return needed;
}

} // namespace

bool calls_missing_functions(const std::vector<InputObject> &objects) {
  Names called, defined;
  for (const InputObject &object : objects)
    note_functions(object, called, defined);
  return any_undefined(called, defined);
}

std::vector<InputObject> drop_unneeded_system_objects(std::vector<InputObject> objects,
                                                      const LinkOptions &options,
                                                      const Dialect &dialect, Diagnostics &diag) {
  bool any = false;
  for (const InputObject &object : objects)
    any |= object.system;
  if (!any || options.keep_system_libraries)
    return objects;
  const std::vector<bool> needed = dialect.has(Defect::RuntimeInOrder)
                                       ? needed_in_order(objects, diag)
                                       : needed_anywhere(objects);
  std::vector<InputObject> out;
  out.reserve(objects.size());
  for (size_t i = 0; i < objects.size(); ++i)
    if (needed[i])
      out.push_back(std::move(objects[i]));
  return out;
}

} // namespace culink
