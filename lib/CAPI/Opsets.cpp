//===- Opsets.cpp - Types and attributes that op versions accept, for C ---===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float-c/Opsets.h"

#include "quant-float/IR/OpsetRules.h"

using namespace mlir;
using namespace mlir::quant_float;

static constexpr OpKind kOps[] = {
#define QUANT_FLOAT_OP(Op, Name, Newest, First, Second, Third) OpKind::Op,
#include "quant-float/IR/OpsetRules.def"
};

static std::optional<OpKind> findOp(const char *name) {
  if (name)
    for (OpKind op : kOps)
      if (getOpName(op) == name)
        return op;
  return std::nullopt;
}

static ArrayRef<OpVersion> findVersions(const char *name) {
  std::optional<OpKind> op = findOp(name);
  return op ? getOpVersions(*op) : ArrayRef<OpVersion>();
}

static const OpVersion *findVersion(const char *name, int64_t opset) {
  std::optional<OpKind> op = findOp(name);
  return op ? getOpVersion(*op, opset) : nullptr;
}

/// Whether a version accepts a type. The opset rules number the type sets of an
/// operator, and the C API names their roles.
static bool accepts(const OpVersion &version, int32_t role, int32_t dtype) {
  static constexpr StringLiteral names[] = {"input", "scale", "result"};
  if (role < 0 || role > QUANT_FLOAT_ROLE_RESULT)
    return false;
  for (OpRole opRole : {OpRole::First, OpRole::Second, OpRole::Third})
    if (getRoleName(version.op, opRole) == names[role])
      return version.accepts(opRole, dtype);
  return false;
}

static std::optional<OpAttribute> findAttribute(const char *name) {
  if (name)
    for (OpAttribute attribute : getOpAttributes())
      if (getAttributeName(attribute) == name)
        return attribute;
  return std::nullopt;
}

int64_t quantFloatGetNewestOpset(void) { return kNewestOpset; }

size_t quantFloatGetNumOps(void) { return std::size(kOps); }

const char *quantFloatGetOpName(size_t index) {
  return index < std::size(kOps) ? getOpName(kOps[index]).data() : nullptr;
}

size_t quantFloatOpGetNumVersions(const char *op) {
  return findVersions(op).size();
}

int64_t quantFloatOpGetVersion(const char *op, size_t version) {
  ArrayRef<OpVersion> versions = findVersions(op);
  return version < versions.size() ? versions[version].since : 0;
}

int64_t quantFloatOpResolveVersion(const char *op, int64_t opset) {
  const OpVersion *version = findVersion(op, opset);
  return version ? version->since : 0;
}

bool quantFloatOpAcceptsType(const char *op, int64_t opset, int32_t role,
                             int32_t dtype) {
  const OpVersion *version = findVersion(op, opset);
  return version && accepts(*version, role, dtype);
}

int64_t quantFloatOpGetFirstOpsetOfType(const char *op, int32_t role,
                                        int32_t dtype) {
  for (const OpVersion &version : findVersions(op))
    if (accepts(version, role, dtype))
      return version.since;
  return 0;
}

bool quantFloatOpHasAttribute(const char *op, int64_t opset,
                              const char *attribute) {
  const OpVersion *version = findVersion(op, opset);
  std::optional<OpAttribute> found = findAttribute(attribute);
  return version && found && version->has(*found);
}

int64_t quantFloatOpGetFirstOpsetOfAttribute(const char *op,
                                             const char *attribute) {
  std::optional<OpKind> kind = findOp(op);
  std::optional<OpAttribute> found = findAttribute(attribute);
  return kind && found ? getFirstOpset(*kind, *found).value_or(0) : 0;
}

bool quantFloatOpScaleHasInputType(const char *op, int64_t opset) {
  const OpVersion *version = findVersion(op, opset);
  return version && version->has(OpRelation::ScaleHasInputType);
}
