//===- OpsetRules.h - Rules of op versions ----------------------*- C++ -*-===//
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
#include "quant-float/Support/NodeKind.h"
#include <optional>

namespace mlir::quant_float {

/// The newest ONNX opset whose rules are known (onnx 1.23.2).
constexpr int64_t kNewestOpset = 28;

/// The domain of ONNX Runtime's contrib ops (V9); ONNX's default domain is "".
constexpr StringLiteral kMicrosoftDomain = "com.microsoft";
/// The domain of this project's rules for types that ONNX lacks (F1).
constexpr StringLiteral kOwnDomain = "quant_float";
/// The only opset of that domain.
constexpr int64_t kOwnOpset = 1;
/// The domain of OpenVINO's layers.
constexpr StringLiteral kOpenVinoDomain = "openvino";

/// OpenVINO's opsets that have FakeConvert, all with the same version (V4).
constexpr int64_t kFirstFakeConvertOpset = 13, kNewestFakeConvertOpset = 15;

/// The ops with opset rules.
enum class OpKind : unsigned {
#define QUANT_FLOAT_OP(Op, Name, Newest, First, Second, Third) Op,
#include "quant-float/IR/OpsetRules.def"
};

/// The operand or result that a set of types applies to; see OpsetRules.def.
enum class OpRole : unsigned { First, Second, Third };

/// The optional attributes that depend on the version. Values can be combined
/// to a mask.
enum class OpAttribute : unsigned {
  Saturate = 1 << 0,
  RoundMode = 1 << 1,
  Axis = 1 << 2,
  BlockSize = 1 << 3,
  OutputDtype = 1 << 4,
  Precision = 1 << 5,
};

/// Constraints of a version on the types of two values. Values can be combined
/// to a mask.
enum class OpRelation : unsigned {
  /// The scale has the input's element type (Q6).
  ScaleHasInputType = 1 << 0,
};

/// A set of element types: bit n corresponds to row n of ElementTypes.def.
using ElementSet = uint64_t;

/// The rules of one version of an op.
struct OpVersion {
  OpKind op;
  /// The opset that introduced this version.
  int64_t since;
  ElementSet types[3];
  unsigned attributes;
  unsigned relations;

  bool accepts(OpRole role, Type elementType) const;
  /// Like above, for a number of ElementTypes.def.
  bool accepts(OpRole role, int32_t dataType) const;
  bool has(OpAttribute attribute) const {
    return attributes & static_cast<unsigned>(attribute);
  }
  bool has(OpRelation relation) const {
    return relations & static_cast<unsigned>(relation);
  }
};

/// Returns the ONNX name of the op, prefixed by the domain unless it is the
/// default domain.
StringRef getOpName(OpKind op);
/// Returns the op of this name in the domain ("" is ONNX's default domain), or
/// nullopt for other ops.
std::optional<OpKind> findOpKind(StringRef domain, StringRef opType);
/// Returns the kind of nodes of the op.
NodeKind getNodeKind(OpKind op);
/// Returns the newest known opset of the op's domain.
int64_t getNewestOpset(OpKind op);
/// Returns the name of the operand or result of `role`, e.g. "input".
StringRef getRoleName(OpKind op, OpRole role);
/// Returns all values of OpAttribute.
ArrayRef<OpAttribute> getOpAttributes();
/// Returns the ONNX name of the attribute, e.g. "round_mode".
StringRef getAttributeName(OpAttribute attribute);

/// Returns all versions of `op`, oldest first.
ArrayRef<OpVersion> getOpVersions(OpKind op);

/// Returns the version of `op` that `opset` resolves to: the newest that is not
/// newer than `opset`. Null if `opset` is older than the op's first version or
/// newer than the newest known opset (V4).
const OpVersion *getOpVersion(OpKind op, int64_t opset);

/// Returns the first opset whose version of `op` accepts the type or has the
/// attribute.
std::optional<int64_t> getFirstOpset(OpKind op, OpRole role, Type elementType);
std::optional<int64_t> getFirstOpset(OpKind op, OpAttribute attribute);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_IR_OPSETRULES_H
