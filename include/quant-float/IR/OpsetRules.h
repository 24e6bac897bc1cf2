//===- OpsetRules.h - What each op version accepts --------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_OPSETRULES_H
#define QUANT_FLOAT_IR_OPSETRULES_H

#include "mlir/IR/Types.h"
#include "mlir/Support/LLVM.h"
#include "quant-float/IR/ElementTypes.h"
#include <optional>

namespace mlir::quant_float {

/// The newest ONNX opset whose rules are known (onnx 1.23.2).
constexpr int64_t kNewestOpset = 28;

/// The domain of ONNX Runtime's own ops (V9); ONNX's own is "".
constexpr StringLiteral kMicrosoftDomain = "com.microsoft";
/// The domain of this project's own rules, for types that ONNX lacks (F1).
constexpr StringLiteral kOwnDomain = "quant_float";
/// The only opset of that domain.
constexpr int64_t kOwnOpset = 1;
/// The domain of OpenVINO's layers.
constexpr StringLiteral kOpenVinoDomain = "openvino";

/// OpenVINO's opsets that have FakeConvert, all the same one (V4).
constexpr int64_t kFirstFakeConvertOpset = 13, kNewestFakeConvertOpset = 15;

/// The ops that the opset rules tell apart.
enum class OpKind : unsigned {
#define QUANT_FLOAT_OP(Op, Name, Newest, First, Second, Third) Op,
#include "quant-float/IR/OpsetRules.def"
};

/// Which of an op's sets of types is meant; see the head of OpsetRules.def.
enum class OpRole : unsigned { First, Second, Third };

/// The optional attributes that came with versions. A set of them is a mask.
enum class OpAttribute : unsigned {
  Saturate = 1 << 0,
  RoundMode = 1 << 1,
  Axis = 1 << 2,
  BlockSize = 1 << 3,
  OutputDtype = 1 << 4,
  Precision = 1 << 5,
};

/// What a version asks of the types of two values at once. A set is a mask.
enum class OpRelation : unsigned {
  /// The scale has the input's element type (Q6).
  ScaleHasInputType = 1 << 0,
};

/// A set of element types: bit n stands for the row n of ElementTypes.def.
using ElementSet = uint64_t;

/// What one version of an op accepts.
struct OpVersion {
  OpKind op;
  /// The opset that brought this version.
  int64_t since;
  ElementSet types[3];
  unsigned attributes;
  unsigned relations;

  bool accepts(OpRole role, Type elementType) const;
  /// The same of a number of ElementTypes.def.
  bool accepts(OpRole role, int32_t dataType) const;
  bool has(OpAttribute attribute) const {
    return attributes & static_cast<unsigned>(attribute);
  }
  bool has(OpRelation relation) const {
    return relations & static_cast<unsigned>(relation);
  }
};

/// ONNX's name of the op, with its domain where that is not ONNX's own.
StringRef getOpName(OpKind op);
/// The op of that name in the domain (ONNX's is ""); none for any other op.
std::optional<OpKind> findOpKind(StringRef domain, StringRef opType);
/// The newest known opset of the op's domain.
int64_t getNewestOpset(OpKind op);
/// What the set of types for `role` is about, e.g. "input".
StringRef getRoleName(OpKind op, OpRole role);
/// All of OpAttribute.
ArrayRef<OpAttribute> getOpAttributes();
/// ONNX's name of the attribute, e.g. "round_mode".
StringRef getAttributeName(OpAttribute attribute);

/// All versions of `op`, oldest first.
ArrayRef<OpVersion> getOpVersions(OpKind op);

/// The version of `op` that `opset` resolves to: the newest not above it. Null
/// when `opset` is below the op's first version or above the newest known (V4).
const OpVersion *getOpVersion(OpKind op, int64_t opset);

/// The first opset whose version of `op` accepts the type, has the attribute.
std::optional<int64_t> getFirstOpset(OpKind op, OpRole role, Type elementType);
std::optional<int64_t> getFirstOpset(OpKind op, OpAttribute attribute);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_IR_OPSETRULES_H
