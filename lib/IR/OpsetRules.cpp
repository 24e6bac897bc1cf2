//===- OpsetRules.cpp - Tables of op versions -----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/IR/OpsetRules.h"

#include "quant-float/Support/ElementTypes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::quant_float;

// The names that OpsetRules.def uses.
namespace {
enum Row {
#define QUANT_FLOAT_ELEMENT(Kind, ...) RowOf##Kind,
#include "quant-float/Support/ElementTypes.def"
};
#define QUANT_FLOAT_ELEMENT(Kind, ...)                                         \
  constexpr ElementSet Kind = ElementSet(1) << RowOf##Kind;
#include "quant-float/Support/ElementTypes.def"

constexpr ElementSet None = 0;
constexpr ElementSet Numbers = Bool | Float16 | Float | Double | Int8 | Int16 |
                               Int32 | Int64 | UInt8 | UInt16 | UInt32 | UInt64;
constexpr ElementSet Float8 =
    Float8E4M3FN | Float8E4M3FNUZ | Float8E5M2 | Float8E5M2FNUZ;
constexpr ElementSet Float6 = Float6E2M3 | Float6E3M2;
constexpr ElementSet Floats16To32 = Float | Float16 | BFloat16;
constexpr ElementSet Codes2 = Int2 | UInt2;
constexpr ElementSet Codes4 = Int4 | UInt4;
constexpr ElementSet Codes8 = Int8 | UInt8;
constexpr ElementSet Codes16 = Int16 | UInt16;
// All element types of tensors at an opset, except the complex ones.
constexpr ElementSet Tensor9 = Numbers | String;
constexpr ElementSet Tensor13 = Tensor9 | BFloat16;
constexpr ElementSet Tensor19 = Tensor13 | Float8;
constexpr ElementSet Tensor21 = Tensor19 | Codes4;
constexpr ElementSet Tensor23 = Tensor21 | Float4E2M1;
constexpr ElementSet Tensor24 = Tensor23 | Float8E8M0;
constexpr ElementSet Tensor25 = Tensor24 | Codes2;
constexpr ElementSet Tensor28 = Tensor25 | Float6;
// Types that ONNX lacks.
constexpr ElementSet OwnFloat8 =
    Float8E3M4 | Float8E4M3 | Float8E4M3B11FNUZ | Float8UE5M3;

constexpr unsigned NoAttributes = 0;
constexpr unsigned Saturate = static_cast<unsigned>(OpAttribute::Saturate);
constexpr unsigned RoundMode = static_cast<unsigned>(OpAttribute::RoundMode);
constexpr unsigned Axis = static_cast<unsigned>(OpAttribute::Axis);
constexpr unsigned BlockSize = static_cast<unsigned>(OpAttribute::BlockSize);
constexpr unsigned OutputDtype =
    static_cast<unsigned>(OpAttribute::OutputDtype);
constexpr unsigned Precision = static_cast<unsigned>(OpAttribute::Precision);

constexpr unsigned NoRelations = 0;
constexpr unsigned ScaleHasInputType =
    static_cast<unsigned>(OpRelation::ScaleHasInputType);

constexpr OpVersion kOpVersions[] = {
#define QUANT_FLOAT_OP_VERSION(Op, Since, First, Second, Third, Attributes,    \
                               Relations)                                      \
  {OpKind::Op, Since, {First, Second, Third}, Attributes, Relations},
#include "quant-float/IR/OpsetRules.def"
};
} // namespace

bool OpVersion::accepts(OpRole role, Type elementType) const {
  std::optional<int32_t> number = getDataType(elementType);
  return number && accepts(role, *number);
}

bool OpVersion::accepts(OpRole role, int32_t dataType) const {
  // No version accepts the formats of IEEE P3109.
  if (dataType & kBinaryFlag)
    return false;
  const ElementInfo *element = findElement(dataType);
  return element &&
         (types[static_cast<unsigned>(role)] >> (element - kElements) & 1);
}

StringRef quant_float::getOpName(OpKind op) {
  switch (op) {
#define QUANT_FLOAT_OP(Op, Name, Newest, First, Second, Third)                 \
  case OpKind::Op:                                                             \
    return Name;
#include "quant-float/IR/OpsetRules.def"
  }
  return {};
}

std::optional<OpKind> quant_float::findOpKind(StringRef domain,
                                              StringRef opType) {
  std::optional<NodeKind> kind = findNodeKind(domain, opType);
  if (!kind)
    return std::nullopt;
  switch (*kind) {
#define QUANT_FLOAT_OP(Op, Name, Newest, First, Second, Third)                 \
  case NodeKind::Op:                                                           \
    return OpKind::Op;
#include "quant-float/IR/OpsetRules.def"
  default:
    return std::nullopt;
  }
}

NodeKind quant_float::getNodeKind(OpKind op) {
  switch (op) {
#define QUANT_FLOAT_OP(Op, Name, Newest, First, Second, Third)                 \
  case OpKind::Op:                                                             \
    return NodeKind::Op;
#include "quant-float/IR/OpsetRules.def"
  }
  llvm_unreachable("unknown op");
}

int64_t quant_float::getNewestOpset(OpKind op) {
  switch (op) {
#define QUANT_FLOAT_OP(Op, Name, Newest, First, Second, Third)                 \
  case OpKind::Op:                                                             \
    return Newest;
#include "quant-float/IR/OpsetRules.def"
  }
  return 0;
}

StringRef quant_float::getRoleName(OpKind op, OpRole role) {
  switch (op) {
#define QUANT_FLOAT_OP(Op, Name, Newest, First, Second, Third)                 \
  case OpKind::Op: {                                                           \
    constexpr StringLiteral names[] = {First, Second, Third};                  \
    return names[static_cast<unsigned>(role)];                                 \
  }
#include "quant-float/IR/OpsetRules.def"
  }
  return {};
}

ArrayRef<OpAttribute> quant_float::getOpAttributes() {
  static constexpr OpAttribute attributes[] = {
      OpAttribute::Saturate,  OpAttribute::RoundMode,   OpAttribute::Axis,
      OpAttribute::BlockSize, OpAttribute::OutputDtype, OpAttribute::Precision};
  return attributes;
}

StringRef quant_float::getAttributeName(OpAttribute attribute) {
  switch (attribute) {
  case OpAttribute::Saturate:
    return "saturate";
  case OpAttribute::RoundMode:
    return "round_mode";
  case OpAttribute::Axis:
    return "axis";
  case OpAttribute::BlockSize:
    return "block_size";
  case OpAttribute::OutputDtype:
    return "output_dtype";
  case OpAttribute::Precision:
    return "precision";
  }
  return {};
}

ArrayRef<OpVersion> quant_float::getOpVersions(OpKind op) {
  auto isOp = [op](const OpVersion &version) { return version.op == op; };
  const OpVersion *first = llvm::find_if(kOpVersions, isOp);
  const OpVersion *last = std::find_if_not(first, std::end(kOpVersions), isOp);
  return {first, last};
}

const OpVersion *quant_float::getOpVersion(OpKind op, int64_t opset) {
  if (opset > getNewestOpset(op))
    return nullptr;
  // Iterate from the newest version to the oldest.
  for (const OpVersion &version : llvm::reverse(getOpVersions(op)))
    if (version.since <= opset)
      return &version;
  return nullptr;
}

std::optional<int64_t> quant_float::getFirstOpset(OpKind op, OpRole role,
                                                  Type elementType) {
  for (const OpVersion &version : getOpVersions(op))
    if (version.accepts(role, elementType))
      return version.since;
  return std::nullopt;
}

std::optional<int64_t> quant_float::getFirstOpset(OpKind op,
                                                  OpAttribute attribute) {
  for (const OpVersion &version : getOpVersions(op))
    if (version.has(attribute))
      return version.since;
  return std::nullopt;
}
