//===- Rewrites.h - Rewrites across operator versions -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_ONNX_VERSIONS_REWRITES_H
#define QUANT_FLOAT_LIB_ONNX_VERSIONS_REWRITES_H

#include "VersionAdapter.h"
#include "quant-float/Support/NodeKind.h"
#include "llvm/ADT/ArrayRef.h"

namespace mlir::quant_float::onnx_import {

/// Rewrites a node across this version of its operator, to a newer or an
/// older version. `rewrite` returns false and sets the problem of the node if
/// that is impossible.
struct NodeRewrite {
  NodeKind kind;
  int version;
  bool (*rewrite)(VersionAdapter &node, bool isNewer);
};
llvm::ArrayRef<NodeRewrite> getRewrites();

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_ONNX_VERSIONS_REWRITES_H
