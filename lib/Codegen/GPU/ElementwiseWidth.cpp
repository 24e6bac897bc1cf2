//===- ElementwiseWidth.cpp - Vector sizes of elementwise ops -------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementwiseWidth.h"
#include "../Common/LinalgUtils.h"
#include "KernelLaunches.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/BufferSize.h"
#include <numeric>

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;
using linalg::LinalgOp;

int64_t quant_float::getElementBytes(Value buffer) {
  return getStrideBytes(cast<MemRefType>(buffer.getType()).getElementType());
}

int64_t quant_float::getAccessBytes(Value buffer, int64_t width) {
  return std::min(kMaxAccessBytes, width * getElementBytes(buffer));
}

bool quant_float::fillsSlots(MemRefType type) {
  Type element = type.getElementType();
  return element.isIntOrFloat() &&
         (isPackedElementType(element) ||
          element.getIntOrFloatBitWidth() == 8 * getStrideBytes(element));
}

int64_t quant_float::getElementsPerByte(Type packed) {
  return 8 / std::gcd<int64_t>(8, packed.getIntOrFloatBitWidth());
}

std::optional<int64_t> quant_float::getElementsOfBytes(LinalgOp op) {
  int64_t elements = 1;
  for (OpOperand &output : op.getDpsInitsMutable()) {
    if (!hasPackedElements(output.get()))
      continue;
    auto type = cast<MemRefType>(output.get().getType());
    if (!type.getLayout().isIdentity() ||
        !op.getMatchingIndexingMap(&output).isIdentity())
      return std::nullopt;
    elements = std::max(elements, getElementsPerByte(type.getElementType()));
  }
  return elements;
}

int64_t quant_float::getMaxWidth(GenericOp op,
                                 const ElementwiseLoopNest &nest) {
  int64_t minBytes = kMaxAccessBytes, maxStoredBytes = 1, elementsOfBytes = 1;
  AffineExpr inner = getAffineDimExpr(nest.getInner(), op.getContext());
  for (OpOperand &use : op->getOpOperands()) {
    Value operand = use.get();
    AffineMap map = op.getMatchingIndexingMap(&use);
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (!type || !llvm::is_contained(map.getResults(), inner))
      continue;
    // Strided elements are accessed one by one, each by a different thread.
    if (map.getResults().back() != inner || !type.isLastDimUnitStride() ||
        !fillsSlots(type))
      return 1;
    minBytes = std::min(minBytes, getElementBytes(operand));
    if (op.isDpsInit(&use))
      maxStoredBytes = std::max(maxStoredBytes, getElementBytes(operand));
    if (hasPackedElements(operand))
      elementsOfBytes =
          std::max(elementsOfBytes, getElementsPerByte(type.getElementType()));
  }
  // Each thread stores each output with one access. With several accesses, each
  // would leave gaps between the elements of adjacent threads, but a memory
  // transaction has 32 bytes.
  int64_t width = kMaxAccessBytes / std::max(minBytes, maxStoredBytes);
  width = std::gcd(std::max(width, elementsOfBytes), nest.getBlockSize());
  // A tile does not exceed a row.
  int64_t extent = nest.getRanges()[nest.getInner()];
  while (!ShapedType::isDynamic(extent) && width > std::max<int64_t>(extent, 1))
    width /= 2;
  return width;
}

GenericOp quant_float::collapseElementwise(RewriterBase &rewriter,
                                           LinalgOp op) {
  auto generic = dyn_cast<GenericOp>(op.getOperation());
  if (!generic || generic.getNumLoops() == 0 ||
      generic.getNumParallelLoops() != generic.getNumLoops() ||
      !getElementsOfBytes(op))
    return nullptr;
  return collapseLoops(rewriter, generic);
}

std::optional<int64_t> quant_float::getMaxWidth(RewriterBase &rewriter,
                                                LinalgOp op) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  auto copy = cast<LinalgOp>(rewriter.clone(*op.getOperation()));
  std::optional<int64_t> width;
  if (GenericOp generic = collapseElementwise(rewriter, copy)) {
    copy = cast<LinalgOp>(generic.getOperation());
    ElementwiseLoopNest nest(rewriter, generic);
    if (nest.analyze())
      width = getMaxWidth(generic, nest);
  }
  SmallVector<Value> operands(copy->getOperands());
  rewriter.eraseOp(copy);
  for (Value operand : operands)
    if (auto view = operand.getDefiningOp<memref::CollapseShapeOp>();
        view && view->use_empty())
      rewriter.eraseOp(view);
  return width;
}
