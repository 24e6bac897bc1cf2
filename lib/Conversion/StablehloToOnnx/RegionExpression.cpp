//===- RegionExpression.cpp - Expressions of regions ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionExpression.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "quant-float/Conversion/OpImport/UnregisteredOp.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::stablehlo_ops;

namespace {
/// Prints a value as an expression of the arguments of a block.
struct ExpressionPrinter {
  Block &block;
  /// The number of ops that may still be printed. Values that are used twice
  /// are printed twice.
  unsigned budget = 256;

  std::string print(Value value);
};
} // namespace

/// Returns the expression of a constant scalar.
static std::string describeConstant(Attribute value) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(value);
  if (!dense || !dense.isSplat())
    return "?";
  if (isa<FloatType>(dense.getElementType())) {
    auto number = dense.getSplatValue<APFloat>();
    return number.isPosZero() ? "0" : number.isNaN() ? "nan" : "?";
  }
  if (dense.getElementType().isSignlessInteger())
    return dense.getSplatValue<APInt>().isZero() ? "0" : "?";
  return "?";
}

std::string ExpressionPrinter::print(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != &block || argument.getArgNumber() >= 26)
      return "?";
    return std::string(1, static_cast<char>('a' + argument.getArgNumber()));
  }
  Operation *op = value.getDefiningOp();
  if (budget == 0 || op->getBlock() != &block || op->getNumResults() != 1 ||
      op->getNumRegions() != 0)
    return "?";
  --budget;
  UnregisteredOp unregistered(op);
  StringRef name = op->getName().getStringRef();
  if (!name.consume_front("stablehlo."))
    return "?";
  if (name == "constant")
    return describeConstant(unregistered.getAttribute("value"));
  std::string text;
  if (name == "compare") {
    text = unregistered.getKeyword("comparison_direction").value_or("?");
    if (unregistered.getKeyword("compare_type") == "TOTALORDER")
      text += "T";
  } else if (name == "select" || name == "and" || name == "or" ||
             name == "not") {
    text = name.str();
  } else {
    return "?";
  }
  StringRef separator = "(";
  for (Value operand : op->getOperands()) {
    text += separator;
    text += print(operand);
    separator = ",";
  }
  return text + ")";
}

SmallVector<std::string> stablehlo_ops::describeResults(Region &region) {
  SmallVector<std::string> results;
  if (!region.hasOneBlock() || region.front().empty())
    return results;
  Block &block = region.front();
  if (block.back().getName().getStringRef() != "stablehlo.return")
    return results;
  for (Value value : block.back().getOperands())
    results.push_back(ExpressionPrinter{block}.print(value));
  return results;
}
