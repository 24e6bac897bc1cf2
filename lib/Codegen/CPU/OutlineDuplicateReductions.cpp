//===- OutlineDuplicateReductions.cpp - Outline equal reductions ----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Networks repeat their layers, and a convolution is compiled to thousands of
// instructions. Reductions that only differ in their buffers become calls of
// one function.
//
//===----------------------------------------------------------------------===//

#include "../Common/BufferAccesses.h"
#include "AccumulatorInit.h"
#include "DotProductInstructions.h"
#include "SharedFunctions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "quant-float/Codegen/CPU/Passes.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/EqualFunctions.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATOUTLINEDUPLICATEREDUCTIONSPASS
#include "quant-float/Codegen/CPU/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-outline-duplicate-reductions"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// Returns the outermost reduction loop, if buffers have a dimension that it
/// indexes directly. Returns nullopt for packed operands, because matrix
/// instructions need a static K extent.
static std::optional<unsigned> getReductionLoop(GenericOp op) {
  if (op->hasAttr(kPackedOperandsAttrName))
    return std::nullopt;
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  for (AffineMap map : op.getIndexingMapsArray())
    for (AffineExpr index : map.getResults())
      if (index.isFunctionOfDim(loops.front()) && !isa<AffineDimExpr>(index))
        return std::nullopt;
  return loops.front();
}

/// Makes the dimensions that the loop indexes dynamic, and the strides that
/// depend on them.
static Type withoutExtent(Type type, AffineMap map, unsigned loop) {
  auto buffer = dyn_cast<MemRefType>(type);
  if (!buffer || !map.isFunctionOfDim(loop))
    return type;
  SmallVector<int64_t> shape(buffer.getShape());
  SmallVector<int64_t> strides;
  auto layout = dyn_cast<StridedLayoutAttr>(buffer.getLayout());
  if (layout)
    strides.assign(layout.getStrides().begin(), layout.getStrides().end());
  for (auto [dim, index] : llvm::enumerate(map.getResults())) {
    if (!index.isFunctionOfDim(loop))
      continue;
    shape[dim] = ShapedType::kDynamic;
    std::fill_n(strides.begin(), layout ? dim : 0, ShapedType::kDynamic);
  }
  MemRefLayoutAttrInterface known = buffer.getLayout();
  if (layout)
    known =
        StridedLayoutAttr::get(type.getContext(), layout.getOffset(), strides);
  return MemRefType::get(shape, buffer.getElementType(), known,
                         buffer.getMemorySpace());
}

/// Whether the op uses only buffers and constants.
static bool isSelfContained(GenericOp op) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  return op.hasPureBufferSemantics() &&
         llvm::all_of(op->getOperands(), getBufferArgumentType) &&
         llvm::all_of(captured, [](Value value) {
           return matchPattern(value, m_Constant());
         });
}

/// Whether the op is in the function body or in a loop over large blocks, where
/// the overhead of a call does not matter.
static bool isOutside(GenericOp op) {
  Operation *parent = op->getParentOp();
  if (isa<scf::ForOp>(parent) && parent->hasAttr(kTileLoopAttrName))
    parent = parent->getParentOp();
  return isa<func::FuncOp>(parent);
}

namespace {
/// A reduction, and the op that initializes its output if it is outlined with
/// it.
struct Reduction {
  GenericOp fill, op;

  explicit Reduction(GenericOp op) : op(op) {
    std::optional<AccumulatorInit> start =
        AccumulatorInit::find(op, std::nullopt);
    if (start && isSelfContained(start->getFill()))
      fill = start->getFill();
  }

  SmallVector<GenericOp, 2> getOps() {
    return fill ? SmallVector<GenericOp, 2>{fill, op}
                : SmallVector<GenericOp, 2>{op};
  }
  /// `anyLength` makes the extent of the outermost reduction dynamic.
  func::FuncOp makeFunction(bool anyLength);
  void replaceByCall(func::FuncOp function);
};

struct OutlineDuplicateReductions final
    : quant_float::impl::QuantFloatOutlineDuplicateReductionsPassBase<
          OutlineDuplicateReductions> {
  using QuantFloatOutlineDuplicateReductionsPassBase::
      QuantFloatOutlineDuplicateReductionsPassBase;

  void runOnOperation() override;
};
} // namespace

/// Creates a function that applies the ops to its arguments.
func::FuncOp Reduction::makeFunction(bool anyLength) {
  OpBuilder builder(op.getContext());
  SmallVector<Type> types;
  for (GenericOp part : getOps())
    for (OpOperand &operand : part->getOpOperands()) {
      types.push_back(getBufferArgumentType(operand.get()));
      if (anyLength && part == op)
        types.back() =
            withoutExtent(types.back(), op.getMatchingIndexingMap(&operand),
                          *getReductionLoop(op));
    }
  func::FuncOp function =
      makeInternalFunction(op.getLoc(), "shared.reduction", types, {});
  // AccumulatorInit::find() recognizes the initialization only if the arguments
  // do not alias.
  if (fill)
    function->setAttr(kNoAliasAttrName, builder.getUnitAttr());
  builder.setInsertionPointToStart(&function.getBody().front());
  ArrayRef<BlockArgument> arguments = function.getArguments();
  Value output = arguments.back();
  for (GenericOp part : getOps()) {
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(part->getRegions(), captured);
    IRMapping mapping;
    for (Value constant : captured)
      builder.clone(*constant.getDefiningOp(), mapping);
    Operation *copy = builder.clone(*part, mapping);
    unsigned count = part->getNumOperands();
    copy->setOperands(SmallVector<Value>(arguments.take_front(count)));
    copy->setOperand(count - 1, output);
    arguments = arguments.drop_front(count);
  }
  func::ReturnOp::create(builder, op.getLoc());
  return function;
}

void Reduction::replaceByCall(func::FuncOp function) {
  OpBuilder builder(op);
  SmallVector<Value> arguments;
  for (GenericOp part : getOps())
    llvm::append_range(arguments, part->getOperands());
  callWithCasts(builder, op.getLoc(), function, arguments);
  for (GenericOp part : getOps())
    part.erase();
}

void OutlineDuplicateReductions::runOnOperation() {
  SmallVector<Reduction> reductions;
  // Ops in loops are not outlined: every iteration would have the overhead of a
  // call.
  getOperation().walk([&](GenericOp op) {
    if (op.getNumReductionLoops() > 0 && isOutside(op) &&
        op.getNumDpsInits() == 1 && isSelfContained(op))
      reductions.emplace_back(op);
  });
  SymbolTable symbols(getOperation());
  auto share = [&](func::FuncOp &function, ArrayRef<size_t> members) {
    symbols.insert(function);
    LDBG() << function.getName() << " replaces " << members.size() << " of "
           << reductions.size() << " reductions";
    ++numFunctions;
    numOutlined += members.size();
    for (size_t index : members)
      reductions[index].replaceByCall(function);
    function = nullptr;
  };
  auto functions = llvm::map_to_vector(reductions, [](Reduction &reduction) {
    return reduction.makeFunction(/*anyLength=*/false);
  });
  SmallVector<SmallVector<size_t>> groups = groupEqualFunctions(functions);

  // If there are many functions that only differ in the reduction extent,
  // replace them by one with a dynamic extent.
  SmallVector<func::FuncOp> general;
  SmallVector<size_t> generalized;
  for (auto [index, group] : llvm::enumerate(groups))
    if (mergeThreshold && getReductionLoop(reductions[group.front()].op)) {
      general.push_back(reductions[group.front()].makeFunction(true));
      generalized.push_back(index);
    }
  for (ArrayRef<size_t> alike : groupEqualFunctions(general)) {
    if (alike.size() <= mergeThreshold)
      continue;
    SmallVector<size_t> members;
    for (size_t index : alike)
      members.append(std::exchange(groups[generalized[index]], {}));
    share(general[alike.front()], members);
  }

  for (ArrayRef<size_t> group : groups)
    if (group.size() > 1 ||
        (group.size() == 1 && reductions.size() > uniqueThreshold))
      share(functions[group.front()], group);
  for (func::FuncOp function : llvm::concat<func::FuncOp>(functions, general))
    if (function)
      function.erase();
}
