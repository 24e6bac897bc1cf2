//===- NodeKind.h - Operators of models -------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes have their operator as a domain and an op type, as in model files. Code
// that depends on the operator looks up its kind.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_SUPPORT_NODEKIND_H
#define QUANT_FLOAT_SUPPORT_NODEKIND_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace mlir::quant_float {

/// The operators of NodeKinds.def.
enum class NodeKind : unsigned {
#define QUANT_FLOAT_NODE_KIND(Kind, Domain, OpType) Kind,
#include "quant-float/Support/NodeKinds.def"
};

/// Returns the operator of this name in the domain ("" is ONNX's default
/// domain), or nullopt if NodeKinds.def has no such operator.
std::optional<NodeKind> findNodeKind(llvm::StringRef domain,
                                     llvm::StringRef opType);

/// Returns the name of the operator, without its domain.
llvm::StringRef getNodeKindName(NodeKind kind);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_NODEKIND_H
