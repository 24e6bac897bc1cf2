//===- NodeKind.cpp - Operators of models ---------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Support/NodeKind.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace mlir::quant_float;
using llvm::StringRef;

std::optional<NodeKind> quant_float::findNodeKind(StringRef domain,
                                                  StringRef opType) {
  static const llvm::DenseMap<std::pair<StringRef, StringRef>, NodeKind> kinds =
      {
#define QUANT_FLOAT_NODE_KIND(Kind, Domain, OpType)                            \
  {{Domain, OpType}, NodeKind::Kind},
#include "quant-float/Support/NodeKinds.def"
      };
  auto found = kinds.find({domain, opType});
  return found == kinds.end() ? std::nullopt : std::optional(found->second);
}

StringRef quant_float::getNodeKindName(NodeKind kind) {
  static constexpr llvm::StringLiteral kOpTypes[] = {
#define QUANT_FLOAT_NODE_KIND(Kind, Domain, OpType) OpType,
#include "quant-float/Support/NodeKinds.def"
  };
  return kOpTypes[static_cast<unsigned>(kind)];
}
