//===- LlvmCompat.h - Differences of LLVM versions --------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defines names of newer LLVM versions for older ones. The comment of each
// condition states the last version that needs it. Remove the condition
// together with the support for that version. docs/llvm-versions.md lists all
// differences.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_SUPPORT_LLVMCOMPAT_H
#define QUANT_FLOAT_SUPPORT_LLVMCOMPAT_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/Config/llvm-config.h"

namespace mlir {
// 22.
#if LLVM_VERSION_MAJOR < 23
using PropertyRef = OpaqueProperties;
using DenseTypedElementsAttr = DenseIntOrFPElementsAttr;
#endif

namespace quant_float {
/// Returns the properties of an op that has none.
inline PropertyRef getNoProperties() {
#if LLVM_VERSION_MAJOR < 23 // 22.
  return OpaqueProperties(nullptr);
#else
  return PropertyRef();
#endif
}

/// The names of attributes that become attributes of LLVM functions when
/// functions are converted.
#if LLVM_VERSION_MAJOR < 23 // 22.
constexpr llvm::StringLiteral kAlwaysInlineAttrName = "always_inline";
constexpr llvm::StringLiteral kPassthroughAttrName = "passthrough";
#else
constexpr llvm::StringLiteral kAlwaysInlineAttrName = "llvm.always_inline";
constexpr llvm::StringLiteral kPassthroughAttrName = "llvm.passthrough";
#endif

/// Whether the buffer has as many bytes as a dense attribute of the type.
inline bool isValidRawBuffer(ShapedType type, ArrayRef<char> buffer) {
#if LLVM_VERSION_MAJOR < 23 // 22.
  bool isSplat;
  return DenseElementsAttr::isValidRawBuffer(type, buffer, isSplat);
#else
  return DenseElementsAttr::isValidRawBuffer(type, buffer);
#endif
}
} // namespace quant_float
} // namespace mlir

#endif // QUANT_FLOAT_SUPPORT_LLVMCOMPAT_H
