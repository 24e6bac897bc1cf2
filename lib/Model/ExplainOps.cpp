//===- ExplainOps.cpp - Explanations of other compilers' ops --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplainOps.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Support/DebugStringHelper.h"
#include "quant-float/Conversion/OpImport/UnregisteredOp.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// The elements of the results to which a row applies.
enum class ResultKind {
  Any,
  /// f8E8M0FNU.
  Scale,
  Float8,
  Float4,
  /// Integers, if the operand is a float.
  IntegerFromFloat
};

struct Rule {
  StringLiteral op;
  ResultKind result;
  StringLiteral rule, difference;
};
} // namespace

static constexpr Rule kRules[] = {
#define QUANT_FLOAT_RULE(Op, Result, Text, Difference)                         \
  {Op, ResultKind::Result, Text, Difference},
#include "QuantizationRules.def"
};

/// Returns the printed element type of a tensor, which may be of the torch
/// dialect: "f32" of `!torch.vtensor<[4],f32>`.
static std::string getElementText(Type type) {
  std::string printed = debugString(getElementTypeOrSelf(type));
  StringRef text = printed;
  if (text.consume_front("!torch.vtensor<") && text.consume_back(">"))
    return text.substr(text.rfind(',') + 1).trim().str();
  return printed;
}

static bool isFloatText(StringRef text) {
  return text.starts_with("f") || text.starts_with("bf");
}

static bool matches(Operation *op, ResultKind kind) {
  if (kind == ResultKind::Any)
    return true;
  if (op->getNumResults() == 0 || op->getNumOperands() == 0)
    return false;
  std::string result = getElementText(op->getResult(0).getType());
  StringRef text = result;
  bool isScale = text.starts_with("f8E8M0");
  switch (kind) {
  case ResultKind::Scale:
    return isScale;
  case ResultKind::Float8:
    return text.starts_with("f8") && !isScale;
  case ResultKind::Float4:
    return text.starts_with("f4");
  case ResultKind::IntegerFromFloat:
    // Not i1, which no rounding concerns.
    return !isFloatText(text) && text != "i1" &&
           isFloatText(getElementText(op->getOperand(0).getType()));
  case ResultKind::Any:
    break;
  }
  return true;
}

void quant_float::explainOps(
    ModuleOp module, llvm::function_ref<void(const ExplainedOp &)> onOp) {
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    std::string name = op->getName().getStringRef().str();
    if (name == "torch.operator")
      name = UnregisteredOp(op).getKeyword("name").value_or(name);
    for (const Rule &rule : kRules) {
      if (rule.op != name || !matches(op, rule.result))
        continue;
      onOp({FileLocation(op->getLoc()), name, rule.rule.str(),
            rule.difference.str()});
      break;
    }
  });
}
