//===- PackVnniOperands.cpp - Pack 8-bit operands to VNNI layout ----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dot-product instruction multiplies four pairs of bytes, or two pairs of
// 16-bit integers, and adds the products to an i32 lane, if the elements of the
// reduction are adjacent. The operands are packed once for all results that
// read them.
//
// The loops stay, but the K loop advances by packed elements. In a convolution
// it is the loop over input channels. A depthwise convolution has no such loop.
// There the adjacent elements of a window are packed, at every position, so
// that packed elements overlap:
//
//   y[c, p] += x[c, p + t] * w[c, t]
//   // becomes
//   x'[c, p] = pack(x[c, p], x[c, p + 1], x[c, p + 2])
//   y[c, p] += x'[c, p] . w'[c]
//
// Zero points are subtracted from 16-bit elements during packing. For bytes,
// the initial value of c compensates for them: it contains the zero point times
// the sum of the other operand.
//
//===----------------------------------------------------------------------===//

#include "../Common/LinalgUtils.h"
#include "DotProductInstructions.h"
#include "VnniOperands.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/CPU/Passes.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Support/Indices.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATPACKVNNIOPERANDSPASS
#include "quant-float/Codegen/CPU/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-pack-vnni-operands"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::dots;
using linalg::GenericOp;

/// The minimum number of rows for which weights are packed to 16-bit elements
/// at run time, panel by panel within the tile loops: if they are packed at
/// compile time, they take twice as much memory.
static constexpr int64_t kMinRows = 32;

//===----------------------------------------------------------------------===//
// Zero points
//===----------------------------------------------------------------------===//

/// Returns the dimensions of the operand that are indexed by parallel loops.
static SmallVector<unsigned> getOutputDims(GenericOp op,
                                           const ByteOperand &byteOperand) {
  SmallVector<unsigned> dims;
  for (auto [dim, expression] : llvm::enumerate(byteOperand.map.getResults()))
    if (std::optional<unsigned> loop = getLoop(expression))
      if (op.getIteratorTypesArray()[*loop] == utils::IteratorType::parallel)
        dims.push_back(dim);
  return dims;
}

/// Emits the sums of the operand's bytes over all dimensions other than `dims`.
static Value sumBytes(ImplicitLocOpBuilder &b, const ByteOperand &byteOperand,
                      ArrayRef<unsigned> dims) {
  unsigned rank = byteOperand.getType().getRank();
  SmallVector<OpFoldResult> from =
      tensor::getMixedSizes(b, b.getLoc(), byteOperand.operand->get());
  SmallVector<AffineExpr> source(rank);
  SmallVector<OpFoldResult> sizes;
  SmallVector<utils::IteratorType> iterators;
  for (unsigned dim : dims) {
    source[dim] = b.getAffineDimExpr(iterators.size());
    sizes.push_back(from[dim]);
    iterators.push_back(utils::IteratorType::parallel);
  }
  for (AffineExpr &expression : source)
    if (!expression) {
      expression = b.getAffineDimExpr(iterators.size());
      iterators.push_back(utils::IteratorType::reduction);
    }
  Value empty = tensor::EmptyOp::create(b, sizes, b.getI32Type());
  Value zeros =
      linalg::FillOp::create(b, makeInteger(b, 0), empty).getResult(0);
  AffineMap maps[] = {
      AffineMap::get(rank, 0, source, b.getContext()),
      AffineMap::get(
          rank, 0,
          b.getMultiDimIdentityMap(rank).getResults().take_front(dims.size()),
          b.getContext())};
  return GenericOp::create(
             b, zeros.getType(), byteOperand.operand->get(), zeros, maps,
             iterators,
             [&](OpBuilder &builder, Location loc, ValueRange arguments) {
               ImplicitLocOpBuilder inner(loc, builder);
               Value number = extend(inner, arguments[0], byteOperand.isSigned);
               linalg::YieldOp::create(
                   inner, arith::AddIOp::create(inner, arguments[1], number)
                              .getResult());
             })
      ->getResult(0);
}

namespace {
/// Builds the initial value of the accumulators, an elementwise op over the
/// output.
class Start {
public:
  Start(ImplicitLocOpBuilder &b, GenericOp op)
      : b(b), op(op), output(op.getIndexingMapsArray().back()) {
    Value init = op.getDpsInits().front();
    inputs.push_back(init);
    maps.push_back(b.getMultiDimIdentityMap(output.getNumResults()));
  }

  /// The difference between a packed element and the element minus its zero
  /// point.
  struct Offset {
    std::optional<unsigned> input;
    bool isSigned = false;
    int64_t constant = 0;
    bool isZero() const { return !input && constant == 0; }
    Value build(ImplicitLocOpBuilder &b, ValueRange arguments) const {
      if (!input)
        return makeInteger(b, constant);
      Value point = extend(b, arguments[*input], isSigned);
      return constant
                 ? arith::AddIOp::create(b, point, makeInteger(b, constant))
                 : point;
    }
  };
  Offset addOffset(const ByteOperand &byteOperand, const Form &form);
  /// Adds an input that is indexed by the dimensions `dims` of the operand.
  unsigned addInputSums(const ByteOperand &byteOperand, ArrayRef<unsigned> dims,
                        Value sums);
  Value build(RewriterBase &rewriter,
              function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> body);

private:
  AffineExpr getIndex(unsigned loop) {
    for (auto [dim, expression] : llvm::enumerate(output.getResults()))
      if (getLoop(expression) == loop)
        return b.getAffineDimExpr(dim);
    return b.getAffineConstantExpr(0);
  }
  unsigned addInput(Value value, ArrayRef<AffineExpr> indices) {
    inputs.push_back(value);
    maps.push_back(
        AffineMap::get(output.getNumResults(), 0, indices, b.getContext()));
    return inputs.size() - 1;
  }

  ImplicitLocOpBuilder &b;
  GenericOp op;
  AffineMap output;
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
};
} // namespace

Start::Offset Start::addOffset(const ByteOperand &byteOperand,
                               const Form &form) {
  Offset offset;
  offset.constant = -form.flipped;
  if (form.subtracted)
    return offset;
  if (!byteOperand.point.operand) {
    offset.constant += byteOperand.point.constant;
    return offset;
  }
  SmallVector<AffineExpr> indices;
  for (AffineExpr expression :
       op.getMatchingIndexingMap(byteOperand.point.operand).getResults()) {
    std::optional<unsigned> loop = getLoop(expression);
    indices.push_back(loop ? getIndex(*loop) : expression);
  }
  offset.input = addInput(byteOperand.point.operand->get(), indices);
  offset.isSigned = byteOperand.point.isSigned;
  return offset;
}

unsigned Start::addInputSums(const ByteOperand &byteOperand,
                             ArrayRef<unsigned> dims, Value sums) {
  SmallVector<AffineExpr> indices;
  for (unsigned dim : dims)
    indices.push_back(getIndex(*getLoop(byteOperand.map.getResult(dim))));
  return addInput(sums, indices);
}

Value Start::build(
    RewriterBase &rewriter,
    function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> body) {
  Value init = inputs.front();
  auto type = cast<RankedTensorType>(init.getType());
  Value empty = tensor::EmptyOp::create(
      b, tensor::getMixedSizes(b, b.getLoc(), init), type.getElementType());
  maps.push_back(maps.front());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto start = GenericOp::create(
      b, type, inputs, empty, maps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        ImplicitLocOpBuilder inner(loc, builder);
        linalg::YieldOp::create(inner, body(inner, arguments));
      });
  // Fuse the original initialization, such as zeros or a bias, if it has no
  // other user, so that it needs no tensor.
  OpOperand *operand = start.getDpsInputOperand(0);
  auto fill = init.getDefiningOp<GenericOp>();
  if (!fill || !linalg::areElementwiseOpsFusable(operand))
    return start->getResult(0);
  // `op` is about to be replaced. Remove its use of the original
  // initialization, which the fused op would otherwise have to yield as well.
  rewriter.modifyOpInPlace(
      op, [&] { op.getDpsInitsMutable()[0].set(start->getResult(0)); });
  rewriter.setInsertionPoint(start);
  FailureOr<linalg::ElementwiseOpFusionResult> fused =
      linalg::fuseElementwiseOps(rewriter, operand);
  if (failed(fused))
    return start->getResult(0);
  Value result = fused->replacements.lookup(start->getResult(0));
  rewriter.replaceOp(start, result);
  return result;
}

//===----------------------------------------------------------------------===//
// Choosing the element width and signedness
//===----------------------------------------------------------------------===//

/// Whether all elements minus their zero points are in [min, max].
static bool isInRange(const std::optional<Constant> &constant, int64_t min,
                      int64_t max) {
  if (!constant)
    return false;
  for (int64_t flat = 0, e = constant->getCount(); flat < e; ++flat) {
    int64_t number = constant->getNumber(flat, /*subtracted=*/true);
    if (number < min || number > max)
      return false;
  }
  return true;
}

/// Returns the packing of the operand to bytes, before signs are changed for an
/// instruction.
static Form getByteForm(const ByteOperand &byteOperand) {
  std::optional<Constant> constant =
      Constant::get(byteOperand, /*needsPoint=*/true);
  if (isInRange(constant, -128, 127))
    return {8, /*isSigned=*/true, /*subtracted=*/true};
  if (isInRange(constant, 0, 255))
    return {8, /*isSigned=*/false, /*subtracted=*/true};
  return {8, byteOperand.isSigned};
}

static void flip(Form &form) {
  form.flipped = form.isSigned ? -128 : 128;
  form.isSigned = !form.isSigned;
}

static bool hasOffset(const ByteOperand &byteOperand, const Form &form) {
  return form.flipped || (!form.subtracted && !byteOperand.point.isZero());
}

/// The image is larger than the range of window positions. If one packed
/// element holds an entire window along a dimension, its index only depends on
/// the output's loop, and the surplus elements would make the loop longer.
/// Removes these elements.
static Value cutToLoops(ImplicitLocOpBuilder &b, GenericOp op, Value image,
                        AffineMap before, AffineMap now) {
  AffineMap output = op.getIndexingMapsArray().back();
  Value init = op.getDpsInits().front();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), image);
  bool isLonger = false;
  for (auto [dim, index] : llvm::enumerate(now.getResults())) {
    std::optional<unsigned> dimension = output.getResultPosition(index);
    if (!dimension || before.getResult(dim) == index)
      continue;
    sizes[dim] = tensor::getMixedSize(b, b.getLoc(), init, *dimension);
    isLonger = true;
  }
  if (!isLonger)
    return image;
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(b, image, offsets, sizes, strides);
}

bool ByteContraction::pack(RewriterBase &rewriter,
                           const LoweringTarget &target) {
  ByteOperand &across = getVectors(), &scalars = getScalars();
  Form forms[2];
  Form &acrossForm = forms[vectors], &scalarForm = forms[1 - vectors];
  auto hasInstruction = [&] {
    IntegerType types[] = {forms[0].getType(op.getContext()),
                           forms[1].getType(op.getContext())};
    return PackedDotProduct::get(target, types).has_value();
  };
  // Choose the signedness that an instruction supports. An offset needs the
  // sums of the other operand, which are free for constants. Choose the
  // combination with the fewest sums at run time.
  const Form asIs[] = {getByteForm(byteOperands[0]),
                       getByteForm(byteOperands[1])};
  auto countSums = [&] {
    int sums = 0;
    for (unsigned i : {0, 1})
      sums += hasOffset(byteOperands[i], forms[i]) &&
              !Constant::get(byteOperands[1 - i], forms[1 - i].subtracted);
    return sums;
  };
  std::optional<int> minSums;
  Form best[2];
  for (auto [flipsAcross, flipsScalars] :
       {std::pair(false, false), std::pair(true, false), std::pair(false, true),
        std::pair(true, true)}) {
    llvm::copy(asIs, forms);
    if (flipsAcross)
      flip(acrossForm);
    if (flipsScalars)
      flip(scalarForm);
    // Sums over windows at every position would take as long as another
    // channel.
    if (!hasInstruction() ||
        (hasOffset(scalars, scalarForm) &&
         !across.map.isProjectedPermutation(/*allowZeroInResults=*/true)))
      continue;
    int sums = countSums();
    if (minSums && *minSums <= sums)
      continue;
    minSums = sums;
    llvm::copy(forms, best);
  }
  std::optional<Grouping> grouping;
  if (minSums) {
    llvm::copy(best, forms);
    grouping = getGrouping(8);
  }
  if (!grouping) {
    acrossForm = scalarForm = {16, /*isSigned=*/true, /*subtracted=*/true};
    if (hasInstruction())
      grouping = getGrouping(16);
  }
  // Overlapping packed elements require that the other operand is packed at
  // compile time.
  if (!grouping || (grouping->step != grouping->count &&
                    !Constant::get(scalars, scalarForm.subtracted))) {
    LDBG() << "no instruction for the operands of the contraction at "
           << op.getLoc();
    return false;
  }
  LDBG() << "packing " << grouping->count << " elements of "
         << acrossForm.getType(op.getContext()) << " and "
         << scalarForm.getType(op.getContext()) << " at " << op.getLoc();

  rewriter.setInsertionPoint(op);
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Value packedOperands[2];
  std::optional<Constant> constants[2];
  for (unsigned i : {0, 1}) {
    constants[i] = Constant::get(byteOperands[i], forms[i].subtracted);
    bool isPanel =
        i == vectors && forms[i].width == 16 && rows && *rows >= kMinRows;
    packedOperands[i] =
        constants[i] && byteOperands[i].depth && !isPanel
            ? constants[i]->pack(b, b.getLoc(), forms[i], *grouping)
            : packOperand(b, byteOperands[i], forms[i], *grouping, depth);
  }

  // (a' - p) * (b' - q) = a' * b' - p * b' - q * a' + p * q
  Value init = op.getDpsInits().front();
  if (hasOffset(across, acrossForm) || hasOffset(scalars, scalarForm)) {
    Start start(b, op);
    Start::Offset offsets[2];
    std::optional<unsigned> sums[2];
    int64_t count = 1;
    for (auto [range, iterator] :
         llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
      if (iterator == utils::IteratorType::reduction)
        count *= range;
    for (unsigned i : {0, 1})
      offsets[i] = start.addOffset(byteOperands[i], forms[i]);
    for (unsigned i : {0, 1}) {
      if (offsets[1 - i].isZero())
        continue;
      SmallVector<unsigned> dims = getOutputDims(op, byteOperands[i]);
      sums[i] = start.addInputSums(
          byteOperands[i], dims,
          constants[i] ? constants[i]->sum(b, b.getLoc(), forms[i], dims)
                       : sumBytes(b, byteOperands[i], dims));
    }
    init = start.build(
        rewriter, [&](ImplicitLocOpBuilder &b, ValueRange arguments) -> Value {
          Value result = arguments[0];
          for (unsigned i : {0, 1}) {
            if (!sums[i])
              continue;
            Value sum = arguments[*sums[i]];
            // sumBytes() adds up the bytes before the flip.
            if (!constants[i] && forms[i].flipped)
              sum = arith::SubIOp::create(
                  b, sum, makeInteger(b, count * forms[i].flipped));
            // Subtract the product of both offsets only once.
            if (i == 0 && sums[1])
              sum = arith::SubIOp::create(
                  b, sum,
                  arith::MulIOp::create(b, offsets[0].build(b, arguments),
                                        makeInteger(b, count)));
            result = arith::SubIOp::create(
                b, result,
                arith::MulIOp::create(b, sum,
                                      offsets[1 - i].build(b, arguments)));
          }
          return result;
        });
    b.setInsertionPoint(op);
  }

  SmallVector<AffineMap> maps;
  SmallVector<IntegerType> types;
  for (unsigned i : {0, 1}) {
    AffineMap map = byteOperands[i].map.getSubMap(byteOperands[i].order);
    if (!byteOperands[i].depth) {
      AffineExpr loop = b.getAffineDimExpr(depth);
      AffineMap before = map;
      map = map.replace(loop,
                        grouping->elements == 1 ? b.getAffineConstantExpr(0)
                                                : loop * grouping->step,
                        map.getNumDims(), 0);
      packedOperands[i] = cutToLoops(b, op, packedOperands[i], before, map);
    }
    maps.push_back(map);
    types.push_back(forms[i].getType(op.getContext()));
  }
  maps.push_back(op.getIndexingMapsArray().back());
  auto packed = GenericOp::create(
      b, init.getType(), ValueRange(packedOperands), init, maps,
      op.getIteratorTypesArray(),
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        ImplicitLocOpBuilder inner(loc, builder);
        linalg::YieldOp::create(inner, addPackedProducts(inner, arguments[2],
                                                         arguments[0],
                                                         arguments[1], types));
      });
  packed->setAttr(kPackedOperandsAttrName,
                  b.getTypeArrayAttr({types[0], types[1]}));
  rewriter.replaceOp(op, packed->getResult(0));
  return true;
}

namespace {
struct PackVnniOperands final
    : quant_float::impl::QuantFloatPackVnniOperandsPassBase<PackVnniOperands> {
  using QuantFloatPackVnniOperandsPassBase::QuantFloatPackVnniOperandsPassBase;

  void runOnOperation() override {
    LoweringTarget target = LoweringTarget::lookup(getOperation());
    IRRewriter rewriter(&getContext());
    for (GenericOp op : collectGenericOps(getOperation()))
      if (std::optional<ByteContraction> contraction = ByteContraction::get(op))
        if (contraction->pack(rewriter, target))
          ++numPacked;
  }
};
} // namespace
