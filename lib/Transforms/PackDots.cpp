//===- PackDots.cpp - Numbers of few bits in words of products ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CPUs multiply four pairs of bytes, or two of 16 bits, and add the products to
// a lane of 32 bits by one instruction, if those that are summed lie next to
// each other. So they are put there, once for all products that they are in:
//
//   c[m, n] += (a[m, k] - p) * (b[k, n] - q)
//   // becomes
//   a'[m, w] = word of a[m, 4 * w], ..., a[m, 4 * w + 3]
//   b'[w, n] = word of b[4 * w, n], ..., b[4 * w + 3, n]
//   c[m, n] += a'[m, w] . b'[w, n]
//
// The loops stay what they are, over words: of a convolution those of channels.
// One for each channel by itself has none. There words are of what a window has
// side by side, and begin at every place, so that they overlap:
//
//   y[c, p] += x[c, p + t] * w[c, t]
//   // becomes
//   x'[c, p] = word of x[c, p], x[c, p + 1], x[c, p + 2]
//   y[c, p] += x'[c, p] . w'[c]
//
// A zero point is subtracted from numbers of 16 bits where they are packed. Of
// bytes it is taken from the sums: c starts with what makes up for it, the zero
// point times the sum of the other factor.
//
//===----------------------------------------------------------------------===//

#include "ByteWords.h"
#include "IntegerDots.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Support/Indices.h"
#include "quant-float/Transforms/Passes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATPACKDOTSPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::dots;
using linalg::GenericOp;

/// From so many on weights are packed in the loops, panel by panel, which are
/// read in order then.
static constexpr int64_t kManyRows = 32;

//===----------------------------------------------------------------------===//
// Zero points
//===----------------------------------------------------------------------===//

/// The dimensions of the factor that are loops of the output.
static SmallVector<unsigned> getOutputDims(GenericOp op, const Factor &factor) {
  SmallVector<unsigned> dims;
  for (auto [dim, expression] : llvm::enumerate(factor.map.getResults()))
    if (std::optional<unsigned> loop = getLoop(expression))
      if (op.getIteratorTypesArray()[*loop] == utils::IteratorType::parallel)
        dims.push_back(dim);
  return dims;
}

/// What the bytes of each index of `dims` add up to, when the code runs.
static Value sumBytes(ImplicitLocOpBuilder &b, const Factor &factor,
                      ArrayRef<unsigned> dims) {
  unsigned rank = factor.getType().getRank();
  SmallVector<OpFoldResult> from =
      tensor::getMixedSizes(b, b.getLoc(), factor.operand->get());
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
             b, zeros.getType(), factor.operand->get(), zeros, maps, iterators,
             [&](OpBuilder &builder, Location loc, ValueRange arguments) {
               ImplicitLocOpBuilder inner(loc, builder);
               Value number = extend(inner, arguments[0], factor.isSigned);
               linalg::YieldOp::create(
                   inner, arith::AddIOp::create(inner, arguments[1], number)
                              .getResult());
             })
      ->getResult(0);
}

namespace {
/// Writes what sums of words start with, over the output's loops.
class Start {
public:
  Start(ImplicitLocOpBuilder &b, GenericOp op)
      : b(b), op(op), output(op.getIndexingMapsArray().back()) {
    Value init = op.getDpsInits().front();
    inputs.push_back(init);
    maps.push_back(b.getMultiDimIdentityMap(output.getNumResults()));
  }

  /// What each packed number is more than the number less its zero point.
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
  Offset addOffset(const Factor &factor, const Form &form);
  /// Adds an input with an element for each index of the factor's `dims`.
  unsigned addSums(const Factor &factor, ArrayRef<unsigned> dims, Value sums);
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

Start::Offset Start::addOffset(const Factor &factor, const Form &form) {
  Offset offset;
  offset.constant = -form.flipped;
  if (form.subtracted)
    return offset;
  if (!factor.point.operand) {
    offset.constant += factor.point.constant;
    return offset;
  }
  SmallVector<AffineExpr> indices;
  for (AffineExpr expression :
       op.getMatchingIndexingMap(factor.point.operand).getResults()) {
    std::optional<unsigned> loop = getLoop(expression);
    indices.push_back(loop ? getIndex(*loop) : expression);
  }
  offset.input = addInput(factor.point.operand->get(), indices);
  offset.isSigned = factor.point.isSigned;
  return offset;
}

unsigned Start::addSums(const Factor &factor, ArrayRef<unsigned> dims,
                        Value sums) {
  SmallVector<AffineExpr> indices;
  for (unsigned dim : dims)
    indices.push_back(getIndex(*getLoop(factor.map.getResult(dim))));
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
  // Zeros or a bias, which nothing else starts with, need no tensor of their
  // own.
  OpOperand *operand = start.getDpsInputOperand(0);
  auto fill = init.getDefiningOp<GenericOp>();
  if (!fill || !linalg::areElementwiseOpsFusable(operand))
    return start->getResult(0);
  // The op that is packed goes, and does not start with this any more.
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
// Choosing a form
//===----------------------------------------------------------------------===//

/// Whether all numbers less zero points are in a range.
static bool isWithin(const std::optional<Constant> &constant, int64_t least,
                     int64_t most) {
  if (!constant)
    return false;
  for (int64_t flat = 0, e = constant->getCount(); flat < e; ++flat) {
    int64_t number = constant->getNumber(flat, /*subtracted=*/true);
    if (number < least || number > most)
      return false;
  }
  return true;
}

/// The form of a factor in bytes, before signs are made fit.
static Form getByteForm(const Factor &factor) {
  std::optional<Constant> constant = Constant::get(factor, /*needsPoint=*/true);
  if (isWithin(constant, -128, 127))
    return {8, /*isSigned=*/true, /*subtracted=*/true};
  if (isWithin(constant, 0, 255))
    return {8, /*isSigned=*/false, /*subtracted=*/true};
  return {8, factor.isSigned};
}

static void flip(Form &form) {
  form.flipped = form.isSigned ? -128 : 128;
  form.isSigned = !form.isSigned;
}

static bool hasOffset(const Factor &factor, const Form &form) {
  return form.flipped || (!form.subtracted && !factor.point.isZero());
}

/// An image has more places than windows begin at. Where the words have taken
/// in all of a window that an index counted, the loop alone is left of it, and
/// words beyond the loop's end would make it longer.
static Value cutToLoops(ImplicitLocOpBuilder &b, GenericOp op, Value words,
                        AffineMap before, AffineMap now) {
  AffineMap output = op.getIndexingMapsArray().back();
  Value init = op.getDpsInits().front();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), words);
  bool isLonger = false;
  for (auto [dim, index] : llvm::enumerate(now.getResults())) {
    std::optional<unsigned> place = output.getResultPosition(index);
    if (!place || before.getResult(dim) == index)
      continue;
    sizes[dim] = tensor::getMixedSize(b, b.getLoc(), init, *place);
    isLonger = true;
  }
  if (!isLonger)
    return words;
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(b, words, offsets, sizes, strides);
}

void Products::pack(RewriterBase &rewriter, const EmulationTarget &target) {
  Factor &across = getVectors(), &scalars = getScalars();
  Form forms[2];
  Form &acrossForm = forms[vectors], &scalarForm = forms[1 - vectors];
  auto hasInstruction = [&] {
    IntegerType types[] = {forms[0].getType(op.getContext()),
                           forms[1].getType(op.getContext())};
    return WordDots::get(target, types).has_value();
  };
  // Signs that an instruction has. An offset needs the sums of the other
  // factor, which constants have for free: of ways to have signs the one with
  // fewest.
  const Form asIs[] = {getByteForm(factors[0]), getByteForm(factors[1])};
  auto countSums = [&] {
    int sums = 0;
    for (unsigned i : {0, 1})
      sums += hasOffset(factors[i], forms[i]) &&
              !Constant::get(factors[1 - i], forms[1 - i].subtracted);
    return sums;
  };
  std::optional<int> fewest;
  Form best[2];
  for (auto [flipsAcross, flipsScalars] :
       {std::pair(false, false), std::pair(true, false), std::pair(false, true),
        std::pair(true, true)}) {
    llvm::copy(asIs, forms);
    if (flipsAcross)
      flip(acrossForm);
    if (flipsScalars)
      flip(scalarForm);
    // Sums of a window for each place would take as long as a channel.
    if (!hasInstruction() ||
        (hasOffset(scalars, scalarForm) &&
         !across.map.isProjectedPermutation(/*allowZeroInResults=*/true)))
      continue;
    int sums = countSums();
    if (fewest && *fewest <= sums)
      continue;
    fewest = sums;
    llvm::copy(forms, best);
  }
  std::optional<Grouping> grouping;
  if (fewest) {
    llvm::copy(best, forms);
    grouping = getGrouping(8);
  }
  if (!grouping) {
    acrossForm = scalarForm = {16, /*isSigned=*/true, /*subtracted=*/true};
    if (hasInstruction())
      grouping = getGrouping(16);
  }
  // Words that overlap have to be made by the compiler.
  if (!grouping || (grouping->step != grouping->count &&
                    !Constant::get(scalars, scalarForm.subtracted)))
    return;

  rewriter.setInsertionPoint(op);
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Value words[2];
  std::optional<Constant> constants[2];
  for (unsigned i : {0, 1}) {
    constants[i] = Constant::get(factors[i], forms[i].subtracted);
    bool isPanel = i == vectors && rows && *rows >= kManyRows;
    words[i] = constants[i] && factors[i].depth && !isPanel
                   ? constants[i]->pack(b, b.getLoc(), forms[i], *grouping)
                   : packFactor(b, factors[i], forms[i], *grouping, depth);
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
      offsets[i] = start.addOffset(factors[i], forms[i]);
    for (unsigned i : {0, 1}) {
      if (offsets[1 - i].isZero())
        continue;
      SmallVector<unsigned> dims = getOutputDims(op, factors[i]);
      sums[i] = start.addSums(
          factors[i], dims,
          constants[i] ? constants[i]->sum(b, b.getLoc(), forms[i], dims)
                       : sumBytes(b, factors[i], dims));
    }
    init = start.build(
        rewriter, [&](ImplicitLocOpBuilder &b, ValueRange arguments) -> Value {
          Value result = arguments[0];
          for (unsigned i : {0, 1}) {
            if (!sums[i])
              continue;
            Value sum = arguments[*sums[i]];
            // Those of bytes are of what they were before.
            if (!constants[i] && forms[i].flipped)
              sum = arith::SubIOp::create(
                  b, sum, makeInteger(b, count * forms[i].flipped));
            // What both have too much is taken away once.
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
    AffineMap map = factors[i].map.getSubMap(factors[i].order);
    if (!factors[i].depth) {
      AffineExpr loop = b.getAffineDimExpr(depth);
      AffineMap before = map;
      map = map.replace(loop,
                        grouping->words == 1 ? b.getAffineConstantExpr(0)
                                             : loop * grouping->step,
                        map.getNumDims(), 0);
      words[i] = cutToLoops(b, op, words[i], before, map);
    }
    maps.push_back(map);
    types.push_back(forms[i].getType(op.getContext()));
  }
  maps.push_back(op.getIndexingMapsArray().back());
  auto packed = GenericOp::create(
      b, init.getType(), ValueRange(words), init, maps,
      op.getIteratorTypesArray(),
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        ImplicitLocOpBuilder inner(loc, builder);
        linalg::YieldOp::create(inner, addWordProducts(inner, arguments[2],
                                                       arguments[0],
                                                       arguments[1], types));
      });
  packed->setAttr(kDotsAttrName, b.getTypeArrayAttr({types[0], types[1]}));
  rewriter.replaceOp(op, packed->getResult(0));
}

namespace {
struct PackDots final
    : quant_float::impl::QuantFloatPackDotsPassBase<PackDots> {
  using QuantFloatPackDotsPassBase::QuantFloatPackDotsPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    FailureOr<EmulationTarget> known =
        EmulationTarget::get(context, triple, cpu, features);
    if (succeeded(known))
      target = *known;
    return known;
  }

  void runOnOperation() override {
    SmallVector<GenericOp> ops;
    getOperation()->walk([&](GenericOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (GenericOp op : ops)
      if (std::optional<Products> products = Products::get(op))
        products->pack(rewriter, target);
  }

  EmulationTarget target;
};
} // namespace
