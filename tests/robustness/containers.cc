// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packed code cannot be changed from outside: one wrong byte and it is refused, so that what is
// behind the packing is never reached. A container is therefore taken apart, one part of it is
// changed as a file of its own, and a new container is built. Some changes still hit the bytes.
#include "containers.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "../unit/host_file.h"
#include "input/archive.h"
#include "input/fatbin.h"
#include "input/file_kind.h"
#include "input/host_object.h"
#include "structure.h"

namespace culink::robustness {

namespace {

using test::Bytes;
using test::Member;

constexpr u64 kLargestMember = 1 << 20;

// Headers are at the beginning and the end of most files, so these are hit more often.
u64 place_in(const Bytes &bytes, Random &random) {
  constexpr u64 kEdge = 200;
  const u64 edge = std::min<u64>(bytes.size(), kEdge);
  switch (random.below(3)) {
  case 0:
    return random.below(edge);
  case 1:
    return bytes.size() - 1 - random.below(edge);
  default:
    return random.below(bytes.size());
  }
}

// One of a list's members is left out, repeated or exchanged with another. False: none of it.
template <typename T> bool change_list(std::vector<T> &list, Random &random) {
  const u64 at = random.below(list.size()), other = random.below(list.size());
  switch (random.below(8)) {
  case 0:
    list.erase(list.begin() + static_cast<i64>(at));
    return true;
  case 1:
    list.push_back(T(list[at]));
    return true;
  case 2:
    std::swap(list[at], list[other]);
    return true;
  default:
    return false;
  }
}

void change_member(Member &member, Random &random) {
  constexpr std::array<Compression, 3> kWays = {Compression::None, Compression::Lz4,
                                                Compression::Zstd};
  if (random.one_in(2))
    member.how = kWays[random.below(kWays.size())];
  switch (random.below(8)) {
  case 0:
    member.sm = static_cast<u32>(random.below(200));
    return;
  case 1:
    member.letter = "\0af"[random.below(3)];
    return;
  case 2:
    member.flags ^= u64{1} << random.below(24);
    return;
  case 3:
    member.kind = static_cast<FatbinKind>(random.below(10));
    return;
  default:
    Bytes payload = test::bytes_of(member.payload);
    mutate_input(payload, random);
    member.payload.assign(payload.begin(), payload.end());
  }
}

std::optional<Member> member_of(const FatbinEntry &entry) {
  if (entry.size > kLargestMember)
    return std::nullopt;
  const Result<std::vector<u8>> payload = unpack(entry);
  if (!payload)
    return std::nullopt;
  return Member{.kind = entry.kind,
                .sm = entry.sm,
                .letter = entry.letter(),
                .payload = {payload->begin(), payload->end()},
                .how = entry.compression,
                .identifier = std::string(entry.identifier),
                .options = std::string(entry.options),
                .flags = entry.flags & ~(FatbinFlags::kPacked | FatbinFlags::kArchSpecific |
                                         FatbinFlags::kFamilySpecific)};
}

bool mutate_fatbin(Bytes &file, Random &random) {
  const Result<std::vector<FatbinContainer>> containers = read_fatbins(file);
  if (!containers || containers->empty())
    return false;
  const u64 chosen = random.below(containers->size());
  Bytes out;
  for (u64 i = 0; i < containers->size(); ++i) {
    std::vector<Member> members;
    for (const FatbinEntry &entry : (*containers)[i].entries)
      if (std::optional<Member> member = member_of(entry))
        members.push_back(std::move(*member));
    if (i == chosen && !members.empty() && !change_list(members, random))
      change_member(members[random.below(members.size())], random);
    const Bytes whole = test::container(members);
    out.insert(out.end(), whole.begin(), whole.end());
  }
  file = std::move(out);
  return true;
}

bool mutate_archive(Bytes &file, Random &random) {
  const Result<std::vector<ArchiveMember>> members = read_archive(file);
  if (!members || members->empty())
    return false;
  std::vector<std::pair<std::string, Bytes>> list;
  for (const ArchiveMember &member : *members) {
    if (member.thin || member.data.size() > kLargestMember)
      return false;
    list.emplace_back(member.name.substr(0, 15), Bytes(member.data.begin(), member.data.end()));
  }
  if (!change_list(list, random))
    mutate_input(list[random.below(list.size())].second, random);
  file = test::archive_of(list);
  return true;
}

bool mutate_host_object(Bytes &file, Random &random) {
  const Result<HostObject> object = read_host_object(file);
  if (!object || object->linkable.empty() || object->linkable[0].size() > kLargestMember)
    return false;
  Bytes fatbin(object->linkable[0].begin(), object->linkable[0].end());
  mutate_input(fatbin, random);
  std::string kernels;
  for (const HostObject::References &references : object->references)
    if (references.list->section == ".nvHRKE")
      for (const std::string_view name : references.patterns)
        kernels.append(name).push_back('\0');
  const test::HostFile out = test::rdc_object("_id", fatbin, kernels + '\0');
  file = random.one_in(8) ? out.build32() : out.build64();
  return true;
}

void mutate_object(Bytes &file, Random &random) {
  if (random.one_in(2) && change_structure(file, random))
    return;
  const std::vector<Original> originals = {map_parts(std::move(file))};
  file = make_mutant(originals, 0, random).bytes;
}

} // namespace

void damage_container(Bytes &bytes, Random &random) {
  constexpr u64 kEdges[] = {0,      1,          7,          0x7f,    0xff,
                            0xffff, 0x7fffffff, 0xffffffff, ~u64{0}, u64{1} << 63};
  if (bytes.empty())
    return;
  const u64 at = place_in(bytes, random);
  const u64 room = bytes.size() - at;
  const auto put = [&](u64 value, u64 width) {
    for (u64 i = 0; i < std::min(width, room); ++i)
      bytes[at + i] = static_cast<u8>(value >> (8 * i));
  };
  switch (random.below(7)) {
  case 0:
    bytes[at] ^= static_cast<u8>(1 << random.below(8));
    break;
  case 1:
    put(random.next(), 1);
    break;
  case 2:
  case 3:
    put(kEdges[random.below(std::size(kEdges))], u64{1} << random.below(4));
    break;
  case 4:
    put(bytes.size() + random.below(3) - 1, 4);
    break;
  case 5:
    for (u64 i = 0; i < std::min<u64>(room, 8 << random.below(4)); ++i)
      bytes[at + i] = 0;
    break;
  default:
    if (random.one_in(4))
      bytes.resize(at);
    else
      std::memmove(bytes.data() + at, bytes.data() + random.below(at + 1), std::min<u64>(room, 16));
  }
}

void mutate_input(Bytes &file, Random &random) {
  const FileKind kind = file_kind(file);
  bool done = false;
  if (!random.one_in(6)) {
    if (kind == FileKind::Fatbin)
      done = mutate_fatbin(file, random);
    else if (kind == FileKind::Archive)
      done = mutate_archive(file, random);
    else if (kind == FileKind::HostObject)
      done = mutate_host_object(file, random);
  }
  if (kind == FileKind::DeviceObject || kind == FileKind::DeviceImage)
    mutate_object(file, random);
  else if (!done)
    damage_container(file, random);
}

void cross_inputs(Bytes &file, ByteSpan other, Random &random) {
  if (random.one_in(2) && transplant_section(file, other, random))
    return;
  if (file.empty() || other.empty())
    return;
  const std::vector<Original> originals = {map_parts(std::move(file)),
                                           map_parts({other.begin(), other.end()})};
  file = make_mutant(originals, 0, random).bytes;
}

} // namespace culink::robustness
