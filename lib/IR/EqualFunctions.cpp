//===- EqualFunctions.cpp - Equivalent functions --------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/IR/EqualFunctions.h"
#include "mlir/IR/OperationSupport.h"
#include "quant-float/IR/EntryPointInfo.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace mlir::quant_float;

static constexpr auto kIgnoreLocations = OperationEquivalence::IgnoreLocations;

/// Returns the attributes of a function except its graph name.
static NamedAttrList getAttributes(func::FuncOp function) {
  NamedAttrList attributes(function->getDiscardableAttrDictionary());
  attributes.erase(kGraphNameAttrName);
  return attributes;
}

/// Returns whether attributes of arguments or results are equal except for
/// names.
static bool haveEqualAttributes(ArrayAttr one, ArrayAttr other, size_t count) {
  auto get = [](ArrayAttr all, size_t i) {
    NamedAttrList attributes;
    if (all)
      attributes.append(cast<DictionaryAttr>(all[i]).getValue());
    attributes.erase(kNameAttrName);
    return attributes;
  };
  if (one == other)
    return true;
  for (size_t i = 0; i < count; ++i)
    if (get(one, i) != get(other, i))
      return false;
  return true;
}

static bool areEqual(func::FuncOp one, func::FuncOp other) {
  return one.getFunctionType() == other.getFunctionType() &&
         getAttributes(one) == getAttributes(other) &&
         haveEqualAttributes(one.getArgAttrsAttr(), other.getArgAttrsAttr(),
                             one.getNumArguments()) &&
         haveEqualAttributes(one.getResAttrsAttr(), other.getResAttrsAttr(),
                             one.getNumResults()) &&
         OperationEquivalence::isRegionEquivalentTo(
             &one.getBody(), &other.getBody(), kIgnoreLocations);
}

static llvm::hash_code hash(func::FuncOp function) {
  llvm::hash_code code = hash_value(function.getFunctionType());
  function.getBody().walk([&](Operation *op) {
    code = llvm::hash_combine(
        code, OperationEquivalence::computeHash(
                  op, OperationEquivalence::ignoreHashValue,
                  OperationEquivalence::ignoreHashValue, kIgnoreLocations));
  });
  return code;
}

SmallVector<SmallVector<size_t>>
quant_float::groupEqualFunctions(ArrayRef<func::FuncOp> functions) {
  SmallVector<SmallVector<size_t>> groups;
  llvm::DenseMap<size_t, SmallVector<size_t, 1>> groupsByHash;
  for (auto [index, function] : llvm::enumerate(functions)) {
    SmallVector<size_t, 1> &candidates = groupsByHash[hash(function)];
    auto *found = llvm::find_if(candidates, [&, function = function](size_t i) {
      return areEqual(functions[groups[i].front()], function);
    });
    if (found != candidates.end()) {
      groups[*found].push_back(index);
      continue;
    }
    candidates.push_back(groups.size());
    groups.push_back({index});
  }
  return groups;
}
