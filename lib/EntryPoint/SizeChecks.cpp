//===- SizeChecks.cpp - Checks of dynamic sizes ---------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeChecks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "quant-float/Support/Indices.h"
#include "quant-float/Support/Locations.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Returns the name of the source model's node, or the name of the op if there
/// is none.
static std::string describe(Operation *op) {
  StringRef name = getNodeName(op->getLoc());
  return name.empty() ? op->getName().getStringRef().str()
                      : ("node '" + name + "'").str();
}

namespace {
/// One dimension of an operand.
struct Side {
  OpOperand *operand;
  unsigned dimension;

  int64_t getStaticSize() const {
    return cast<RankedTensorType>(operand->get().getType())
        .getDimSize(dimension);
  }
  Value getSize(ImplicitLocOpBuilder &builder) const {
    return builder.createOrFold<tensor::DimOp>(operand->get(), dimension);
  }
};
} // namespace

/// Collects the checks for loop `dim`: all operand dimensions that the loop
/// indexes have the same size, and dimensions that are indexed by blocks of the
/// loop have one element per block.
static void collectLoopChecks(ImplicitLocOpBuilder &builder,
                              linalg::LinalgOp op, unsigned dim,
                              SmallVectorImpl<PendingCheck> &checks) {
  SmallVector<Side> fullSides;
  SmallVector<std::pair<Side, int64_t>> blocked;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [index, expression] : llvm::enumerate(map.getResults())) {
      Side side{&operand, static_cast<unsigned>(index)};
      std::optional<BlockIndex> block = getBlockIndex(expression);
      if (getLoop(expression) == dim)
        fullSides.push_back(side);
      else if (block && getLoop(block->position) == dim)
        blocked.push_back({side, block->size});
    }
  }
  if (fullSides.empty())
    return;
  auto isStatic = [](const Side &side) {
    return !ShapedType::isDynamic(side.getStaticSize());
  };
  // A static size if there is one, otherwise the size of the first operand.
  const Side *reference = llvm::find_if(fullSides, isStatic);
  if (reference == fullSides.end())
    reference = fullSides.begin();
  auto compare = [&](Value expected, const Side &side) {
    checks.push_back({expected, side.getSize(builder), op, describe(op), {}});
  };
  for (const Side &side : fullSides)
    if (&side != reference && !(isStatic(side) && isStatic(*reference)))
      compare(reference->getSize(builder), side);
  for (auto [side, block] : blocked) {
    if (isStatic(side) && isStatic(*reference))
      continue;
    Value size = reference->getSize(builder);
    Value divisor = arith::ConstantIndexOp::create(builder, block);
    compare(builder.createOrFold<arith::CeilDivSIOp>(size, divisor), side);
  }
}

/// Adds the check that the dimension has size `expected`, if its type is
/// dynamic.
static void compareSize(ImplicitLocOpBuilder &builder, Operation *op,
                        int64_t expected, Value value, int64_t dimension,
                        SmallVectorImpl<PendingCheck> &checks) {
  if (cast<RankedTensorType>(value.getType()).isDynamicDim(dimension))
    checks.push_back({arith::ConstantIndexOp::create(builder, expected),
                      builder.createOrFold<tensor::DimOp>(value, dimension),
                      op,
                      describe(op),
                      {}});
}

/// Collects the checks of dimensions that are only accessed at index 0: they
/// have size 1.
static void collectSingleChecks(ImplicitLocOpBuilder &builder,
                                linalg::LinalgOp op,
                                SmallVectorImpl<PendingCheck> &checks) {
  AffineExpr zero = getAffineConstantExpr(0, op.getContext());
  for (OpOperand *operand : op.getDpsInputOperands()) {
    if (!isa<RankedTensorType>(operand->get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(operand);
    for (auto [index, expression] : llvm::enumerate(map.getResults()))
      if (expression == zero)
        compareSize(builder, op, 1, operand->get(), index, checks);
  }
}

/// Collects the checks of a cast to a type with more static sizes than its
/// operand has.
static void collectCastChecks(ImplicitLocOpBuilder &builder,
                              tensor::CastOp cast,
                              SmallVectorImpl<PendingCheck> &checks) {
  auto from = dyn_cast<RankedTensorType>(cast.getSource().getType());
  auto to = dyn_cast<RankedTensorType>(cast.getType());
  if (!from || !to)
    return;
  for (auto [index, size] : llvm::enumerate(to.getShape()))
    if (!ShapedType::isDynamic(size))
      compareSize(builder, cast, size, cast.getSource(), index, checks);
}

/// Whether the value is a constant or the size of a tensor.
static bool isSize(Value value) {
  return value.getType().isIndex() &&
         (value.getDefiningOp<tensor::DimOp>() || getConstantIntValue(value));
}

SmallVector<PendingCheck> quant_float::collectChecks(func::FuncOp function) {
  Block &body = function.getBody().front();
  SmallVector<PendingCheck> checks;
  for (Operation &op : body) {
    ImplicitLocOpBuilder builder(op.getLoc(), &op);
    if (auto assertion = dyn_cast<cf::AssertOp>(op)) {
      auto compare = assertion.getArg().getDefiningOp<arith::CmpIOp>();
      if (compare && compare.getPredicate() == arith::CmpIPredicate::eq &&
          isSize(compare.getLhs()) && isSize(compare.getRhs())) {
        checks.push_back({compare.getLhs(), compare.getRhs(), assertion,
                          assertion.getMsg().str(), assertion});
        continue;
      }
      Value actual = arith::IndexCastUIOp::create(
          builder, builder.getIndexType(), assertion.getArg());
      checks.push_back({arith::ConstantIndexOp::create(builder, 1), actual,
                        assertion, assertion.getMsg().str(), assertion,
                        /*isEquality=*/false});
      continue;
    }
    if (auto cast = dyn_cast<tensor::CastOp>(op))
      collectCastChecks(builder, cast, checks);
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp || !linalgOp.hasPureTensorSemantics())
      continue;
    for (unsigned dim = 0; dim < linalgOp.getNumLoops(); ++dim)
      collectLoopChecks(builder, linalgOp, dim, checks);
    collectSingleChecks(builder, linalgOp, checks);
  }
  return checks;
}

std::optional<bool> SizeDependence::find(Value value) const {
  Operation *op = value.getDefiningOp();
  if (!op)
    return !isa<ShapedType>(value.getType());
  auto entry = known.find(op);
  return entry == known.end() ? std::nullopt : std::optional(entry->second);
}

bool SizeDependence::isOnlyOnSizes(Value value) {
  // No recursion: chains of ops may be as long as the model.
  SmallVector<Value> worklist = {value};
  while (!worklist.empty()) {
    if (find(worklist.back())) {
      worklist.pop_back();
      continue;
    }
    Operation *op = worklist.back().getDefiningOp();
    if (auto dim = dyn_cast<tensor::DimOp>(op); dim && dim.getConstantIndex()) {
      known[op] = isa<BlockArgument>(dim.getSource());
      continue;
    }
    bool result = !op->getNumRegions();
    Value unknown;
    for (Value operand : op->getOperands()) {
      std::optional<bool> found = find(operand);
      result &= found.value_or(true);
      if (!found)
        unknown = operand;
    }
    if (result && unknown)
      worklist.push_back(unknown);
    else
      known[op] = result;
  }
  return *find(value);
}
