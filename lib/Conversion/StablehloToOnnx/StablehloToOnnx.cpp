//===- StablehloToOnnx.cpp - StableHLO to ONNX nodes ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ControlFlow.h"
#include "Conversions.h"
#include "QuantizedValues.h"
#include "Reciprocals.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/IR/QuantFloatDialect.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_CONVERTSTABLEHLOTOONNXPASS
#include "quant-float/Conversion/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::stablehlo_ops;

static constexpr StringLiteral kDialect = "stablehlo";
static constexpr StringLiteral kChloDialect = "chlo";

/// The attributes that the conversions read, and those that do not change
/// results.
static constexpr StringLiteral kKnownAttributes[] = {
    "algorithm",
    "base_dilations",
    "batch_group_count",
    "broadcast_dimensions",
    "broadcast_sizes",
    "compare_type",
    "comparison_direction",
    "dimension",
    "dimension_numbers",
    "dimensions",
    "dot_dimension_numbers",
    "edge_padding_high",
    "edge_padding_low",
    "exponent_bits",
    "feature_group_count",
    "indices_are_sorted",
    "interior_padding",
    "iota_dimension",
    "is_stable",
    "k",
    "known_expanding_dimensions",
    "known_nonexpanding_dimensions",
    "lhs_dilation",
    "limit_indices",
    "mantissa_bits",
    "padding",
    "permutation",
    "precision_config",
    "result_accuracy",
    "rhs_dilation",
    "rng_algorithm",
    "rng_distribution",
    "scatter_dimension_numbers",
    "slice_sizes",
    "start_indices",
    "strides",
    "unique_indices",
    "value",
    "window_dilations",
    "window_dimensions",
    "window_reversal",
    "window_strides",
};

/// Emits an error for each op with an attribute of a newer version of
/// StableHLO, which may change the result.
static LogicalResult checkAttributes(ModuleOp module) {
  bool isKnown = true;
  module.walk([&](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    if (dialect != kDialect && dialect != kChloDialect)
      return;
    UnregisteredOp unregistered(op);
    for (NamedAttribute attribute : unregistered.getAttributes()) {
      StringRef name = attribute.getName();
      // Names with a dialect are annotations.
      if (name.contains('.') || llvm::is_contained(kKnownAttributes, name))
        continue;
      isKnown = false;
      op->emitError() << "no conversion of '"
                      << printable(op->getName().getStringRef())
                      << "': the attribute '" << printable(name)
                      << "' is not known";
    }
  });
  return success(isKnown);
}

/// Returns the row of the table for an op of either dialect.
static const OpRow *findRow(UnregisteredOp op) {
  static const llvm::StringMap<OpRow> table = [] {
    llvm::StringMap<OpRow> result;
#define QUANT_FLOAT_STABLEHLO(Name, MinOperands, MaxOperands, Conversion)      \
  result["stablehlo." #Name] = {MinOperands, MaxOperands, /*results=*/1,       \
                                Conversion, ""};
#define QUANT_FLOAT_STABLEHLO_RESULTS(Name, MinOperands, MaxOperands, Results, \
                                      Conversion)                              \
  result[Name] = {MinOperands, MaxOperands, Results, Conversion, ""};
#define QUANT_FLOAT_STABLEHLO_NODE(Name, Operands, OnnxType)                   \
  result["stablehlo." #Name] = {Operands, Operands, /*results=*/1,             \
                                convertElementwise, #OnnxType};
#define QUANT_FLOAT_CHLO(Name, Operands, OnnxType, Conversion)                 \
  result["chlo." #Name] = {Operands, Operands, /*results=*/1, Conversion,      \
                           #OnnxType};
#include "quant-float/Conversion/StablehloToOnnx/StablehloOps.def"
    return result;
  }();
  auto found = table.find(op->getName().getStringRef());
  return found == table.end() ? nullptr : &found->second;
}

/// Returns the row of reductions with indices; all other ops are kept. They are
/// converted before their operands, whose ops they depend on.
static const OpRow *findIndexedReduction(UnregisteredOp op) {
  static const OpRow reduction = {4, 4, /*results=*/2, convertIndexedReduce,
                                  ""};
  static const OpRow kept = {0, -1, /*results=*/-1, nullptr, ""};
  return isIndexedReduction(op) ? &reduction : &kept;
}

/// Replaces a composite op by a call of its decomposition.
static LogicalResult expandComposite(UnregisteredOp op, ModuleOp module) {
  auto callee =
      dyn_cast_or_null<FlatSymbolRefAttr>(op.getAttribute("decomposition"));
  func::FuncOp function =
      callee ? module.lookupSymbol<func::FuncOp>(callee.getAttr())
             : func::FuncOp();
  if (!function || function.isExternal())
    return op->emitError() << "no conversion of 'stablehlo.composite': "
                              "expected a function as 'decomposition'";
  if (!llvm::equal(function.getArgumentTypes(), op->getOperandTypes()) ||
      !llvm::equal(function.getResultTypes(), op->getResultTypes()))
    return op->emitError() << "no conversion of 'stablehlo.composite': "
                              "expected the types of '"
                           << function.getSymName() << "'";
  OpBuilder builder(op.getOperation());
  auto call =
      func::CallOp::create(builder, op->getLoc(), function, op->getOperands());
  op.getOperation()->replaceAllUsesWith(call);
  op.getOperation()->erase();
  return success();
}

/// Replaces custom calls whose meaning is known: annotations, and assertions of
/// shapes.
static LogicalResult expandCustomCall(UnregisteredOp op) {
  std::string target = op.getKeyword("call_target_name").value_or("");
  OpBuilder builder(op.getOperation());
  auto isTensorOfRank0 = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getRank() == 0 &&
           tensor.getElementType().isInteger(1);
  };
  if (target == "shape_assertion" && op->getNumResults() == 0 &&
      op->getNumOperands() >= 1 &&
      isTensorOfRank0(op->getOperand(0).getType())) {
    Value condition = tensor::ExtractOp::create(
        builder, op->getLoc(), op->getOperand(0), ValueRange());
    cf::AssertOp::create(builder, op->getLoc(), condition,
                         op.getKeyword("error_message").value_or(""));
    op.getOperation()->erase();
    return success();
  }
  bool isAnnotation =
      llvm::is_contained({"Sharding", "SPMDFullToShardShape",
                          "SPMDShardToFullShape", "annotate_device_placement"},
                         target);
  if (isAnnotation && op->getNumOperands() == 1 && op->getNumResults() == 1 &&
      op->getOperand(0).getType() == op->getResult(0).getType()) {
    op.getOperation()->replaceAllUsesWith(op->getOperands());
    op.getOperation()->erase();
    return success();
  }
  return op->emitError() << "no conversion of 'stablehlo.custom_call': the "
                            "call target '"
                         << target << "' is not known";
}

namespace {
struct ConvertStablehloToOnnx final
    : quant_float::impl::ConvertStablehloToOnnxPassBase<
          ConvertStablehloToOnnx> {
  using ConvertStablehloToOnnxPassBase::ConvertStablehloToOnnxPassBase;

  void runOnOperation() override;

private:
  /// Erases the annotations of Shardy, by which JAX distributes a computation.
  void eraseShardings();
  /// Replaces the ops that are no computations.
  LogicalResult expandCalls();
};
} // namespace

void ConvertStablehloToOnnx::eraseShardings() {
  getOperation().walk([](Operation *op) {
    StringRef name = op->getName().getStringRef();
    bool isConstraint = name == "sdy.sharding_constraint" &&
                        op->getNumOperands() == 1 &&
                        op->getOperandTypes() == op->getResultTypes();
    bool isMesh = name == "sdy.mesh" && op->getNumResults() == 0;
    if (op->getNumRegions() != 0 || !(isConstraint || isMesh))
      return;
    op->replaceAllUsesWith(op->getOperands());
    op->erase();
  });
}

LogicalResult ConvertStablehloToOnnx::expandCalls() {
  SmallVector<Operation *> ops;
  getOperation().walk([&](Operation *op) {
    if (op->getName().getDialectNamespace() == kDialect)
      ops.push_back(op);
  });
  bool isExpanded = true;
  for (Operation *op : ops) {
    UnregisteredOp unregistered(op);
    StringRef name = unregistered.getName();
    if (name == "composite")
      isExpanded &= succeeded(expandComposite(unregistered, getOperation()));
    if (name == "custom_call")
      isExpanded &= succeeded(expandCustomCall(unregistered));
    if (name == "optimization_barrier" &&
        llvm::equal(op->getOperandTypes(), op->getResultTypes())) {
      op->replaceAllUsesWith(op->getOperands());
      op->erase();
    }
  }
  return success(isExpanded);
}

void ConvertStablehloToOnnx::runOnOperation() {
  bool hasOps = getOperation()
                    .walk([](Operation *op) {
                      StringRef dialect = op->getName().getDialectNamespace();
                      return dialect == kDialect || dialect == kChloDialect
                                 ? WalkResult::interrupt()
                                 : WalkResult::advance();
                    })
                    .wasInterrupted();
  if (!hasOps)
    return;
  eraseShardings();
  if (division == Division::XLA)
    multiplyByReciprocals(getOperation());
  if (failed(expandCalls()) || failed(checkAttributes(getOperation())) ||
      failed(expandControlFlow(getOperation())) ||
      failed(expandQuantizedValues(getOperation())) ||
      failed(importOps(getOperation(), {kDialect, kChloDialect},
                       findIndexedReduction)) ||
      failed(importOps(getOperation(), {kDialect, kChloDialect}, findRow)))
    return signalPassFailure();
}
