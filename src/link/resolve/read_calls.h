// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/string_index.h"
#include "model/link_policy.h"
#include "model/program.h"

namespace culink {

// The call graphs of some consecutive objects, in order.
struct CallBatch {
  static constexpr u32 kNoPrototype = 0xffffffff;

  struct Call {
    FunctionId caller;
    FunctionId callee;
  };

  // An object says that a function has a prototype.
  struct Statement {
    FunctionId function;
    u32 prototype = 0; // in `prototypes`
    ObjectId object;
    bool about_address = false; // which is taken
  };
  // A function whose address is taken, or that calls through a pointer.
  struct Pointer {
    FunctionId function;
    u32 prototype = kNoPrototype; // in `prototypes`
    ObjectId object;
  };

  std::vector<Call> calls;
  std::vector<Call> targets;
  std::vector<Pointer> taken;
  std::vector<Pointer> indirect;
  std::vector<Statement> statements;
  std::vector<std::pair<FunctionId, ObjectId>> driver_calls;
  std::vector<std::pair<FunctionId, FunctionId>> inside;
  StringIndex prototypes;
  std::vector<PrototypeId> numbers; // of prototypes in the whole graph
};

// Reads the call graphs of objects. Functions have their numbers in `graph`; nothing else of it is
// read.
class CallReader {
public:
  CallReader(const std::vector<InputObject> &objects, const Resolution &symbols,
             const CallGraph &graph, const LinkPolicy &policy);

  [[nodiscard]] CallBatch read(u32 begin, u32 end) const;

private:
  // The functions that the symbols of an object are.
  struct Functions {
    std::span<const EntityId> entity_of; // by symbol
    std::span<const FunctionId> function_of;

    [[nodiscard]] FunctionId operator()(u32 symbol) const {
      const EntityId entity = entity_of[symbol];
      return entity.valid() ? function_of[entity.value] : FunctionId{};
    }
  };

  void read_calls(ObjectId object, CallBatch &batch) const;
  void read_prototypes(ObjectId object, CallBatch &batch) const;
  void read_descriptors(ObjectId object, CallBatch &batch) const;
  void read_pointers(ObjectId object, CallBatch &batch) const;
  void read_owners(ObjectId object, CallBatch &batch) const;
  // True if the records that an object has for one of its functions count (Q026).
  [[nodiscard]] bool counts(ObjectId object, u32 symbol) const {
    const DefinitionOutcome outcome = symbols_.outcome(object, symbol);
    return outcome != DefinitionOutcome::DiscardedForWeak &&
           outcome != DefinitionOutcome::DiscardedForStrong;
  }
  [[nodiscard]] Functions functions_of(ObjectId object) const {
    return {symbols_.entity_of[object.value], graph_.function_of};
  }

  const std::vector<InputObject> &objects_;
  const Resolution &symbols_;
  const CallGraph &graph_;
  const LinkPolicy &policy_;
  std::vector<u32> descriptor_types_; // relocations that take the address of a function
};

} // namespace culink
