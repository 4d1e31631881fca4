// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The objects of a link, as nvlink reads and chooses them; first those with Mercury code.
//
// A link of SASS accepts them, too, and leaves the Mercury code out. nvlink decides for SASS when
// it reads the first object without Mercury code. Objects before it were read for their Mercury
// code, and lose a symbol that only Mercury code refers to (Q100).
//
// A relocatable link may leave several local functions of one name in an object, with sections of
// one name each. When nvlink reads such an object for sm_100 or later, it looks for records and
// relocations of a function by the name of their section, and finds the first one's for all (Q110).
// What may surprise: relocations of code of another size stay, because offsets in the first need
// not be offsets in it. nvlink then writes a broken program or gives up.
#include "link/nvlink/objects.h"

#include <algorithm>

#include "link/resolve/system_library.h"
#include "support/string_index.h"

namespace culink::nvlink {

namespace {

void repeat_records(InputObject &object) {
  NameMap<const InputObject::Info *> first;
  for (InputObject::Info &info : object.infos)
    info.records = first.emplace(object.section(info.section).name, &info).first->second->records;
}

void repeat_relocations(InputObject &object) {
  NameMap<const elf::Section *> first;
  std::vector<elf::Section> sections;
  for (const elf::Section &table : object.view.sections()) {
    if (!elf::is_relocation_table(table.type) || !object.kinds[table.info].is_code())
      continue;
    const elf::Section &known = *first.emplace(table.name, &table).first->second;
    if (&known == &table || object.section(known.info).size != object.section(table.info).size)
      continue;
    if (sections.empty())
      sections.assign(object.view.sections().begin(), object.view.sections().end());
    sections[table.index].data = known.data;
    sections[table.index].size = known.size;
  }
  if (!sections.empty())
    object.view = object.view.with_sections(std::move(sections));
}

} // namespace

std::vector<InputObject> forget_mercury_marks(std::vector<InputObject> objects,
                                              const Dialect &dialect) {
  constexpr std::string_view kCap = ".nv.reservedSmem.cap";
  const auto plain = std::find_if(objects.begin(), objects.end(),
                                  [](const InputObject &object) { return !object.capsule; });
  if (!dialect.defects.loses_mercury_marks || plain == objects.end())
    return objects;
  for (auto object = objects.begin(); object != plain; ++object)
    for (elf::Symbol &symbol : object->symbols)
      if (symbol.undefined() && symbol.name == kCap)
        symbol.name = {};
  return objects;
}

std::vector<InputObject> repeat_first_of_name(std::vector<InputObject> objects,
                                              const Dialect &dialect) {
  if (!dialect.defects.repeats_first_of_name)
    return objects;
  for (InputObject &object : objects) {
    repeat_records(object);
    repeat_relocations(object);
  }
  return objects;
}

// The device runtime library in nvlink's order of reading. nvlink decides when it reads an object
// of the library: it is linked if any function at all is undefined at that moment, driver
// functions apart. After one that is not linked only further objects of the library may follow
// (Q083).

namespace {

std::vector<bool> find_needed_in_order(const std::vector<InputObject> &objects, Diagnostics &diag) {
  std::vector<bool> needed(objects.size(), true);
  UndefinedFunctions read;
  const InputObject *dropped = nullptr;
  for (size_t i = 0; i < objects.size(); ++i) {
    const InputObject &object = objects[i];
    if (object.system && !read.any_missing()) {
      needed[i] = false;
      dropped = &object;
      continue;
    }
    if (dropped) {
      diag.report(DiagId::ObjectAfterRuntime, {object.name, dropped->name});
      break;
    }
    read.add(object);
  }
  return needed;
}

} // namespace

std::vector<bool> find_needed_objects(const std::vector<InputObject> &objects,
                                      const Dialect &dialect, Diagnostics &diag) {
  const bool has_library = std::any_of(objects.begin(), objects.end(),
                                       [](const InputObject &object) { return object.system; });
  if (!has_library) // most links: nothing has to be counted
    return std::vector<bool>(objects.size(), true);
  return dialect.defects.runtime_in_order ? find_needed_in_order(objects, diag)
                                          : culink::find_needed_objects(objects);
}

} // namespace culink::nvlink
