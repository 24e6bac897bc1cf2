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

#include "Codes.h"
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
#include "quant-float/Support/TargetCpu.h"
#include "quant-float/Transforms/Passes.h"
#include <cstring>

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATPACKDOTSPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// With fewer rows that share them, packing vectors takes longer than it saves.
static constexpr int64_t kFewestRows = 4;
/// Words of windows are worth it if so many sums have them.
static constexpr int64_t kFewestUses = 3;
/// From so many on weights are packed in the loops, panel by panel, which are
/// read in order then.
static constexpr int64_t kManyRows = 32;
/// Fewer columns leave most of a register empty.
static constexpr int64_t kFewestColumns = 4;

namespace {
/// What is subtracted from each number of a factor.
struct ZeroPoint {
  /// An operand of bytes, one or one for each index of a dimension; else the
  /// constant.
  OpOperand *operand = nullptr;
  bool isSigned = false;
  int64_t constant = 0;
  /// The factor's dimension that it varies along.
  std::optional<unsigned> dim;

  bool isZero() const { return !operand && constant == 0; }
};

/// One side of the products: bytes less a zero point.
struct Factor {
  OpOperand *operand = nullptr;
  bool isSigned = false;
  ZeroPoint point;
  AffineMap map;
  /// The dimension of the summed elements that share words, if they have one of
  /// their own.
  std::optional<unsigned> depth;
  /// The order of dimensions in packed tensors.
  SmallVector<unsigned> order;

  RankedTensorType getType() const {
    return cast<RankedTensorType>(operand->get().getType());
  }
  /// How much further along a dimension the element is than the one at 0 of a
  /// loop, if it is so everywhere.
  std::optional<int64_t> getOffset(unsigned dim, unsigned loop,
                                   int64_t index) const;
};

/// How the summed elements share words: word i has `count` of them, from
/// i * `step` on. If words overlap an element counts in the first that has it.
struct Grouping {
  int64_t extent, count, step, words;

  int64_t getWord(int64_t index) const {
    return index < count ? 0 : llvm::divideCeil(index - count + 1, step);
  }
  int64_t getPart(int64_t index) const { return index - getWord(index) * step; }
};

/// A sum of products of bytes.
class Products {
public:
  static std::optional<Products> get(GenericOp op);
  /// Rewrites the op for the target, if it has instructions.
  void pack(RewriterBase &rewriter, const EmulationTarget &target);

private:
  explicit Products(GenericOp op) : op(op) {}
  bool matchBody();
  bool matchLoops();
  bool isProfitable();
  /// None where windows are not the same everywhere.
  std::optional<Grouping> getGrouping(unsigned width);
  Factor &getVectors() { return factors[vectors]; }
  Factor &getScalars() { return factors[1 - vectors]; }

  GenericOp op;
  Factor factors[2];
  /// The factor that has the loop of the output's columns.
  unsigned vectors = 0;
  unsigned column = 0, depth = 0;
  /// Rows of the output that share vectors, if that is known, and how often a
  /// row uses one.
  std::optional<int64_t> rows;
  int64_t uses = 1;
};
} // namespace

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

namespace {
/// A byte of an operand as an i32.
struct Number {
  OpOperand *operand;
  bool isSigned;
};
} // namespace

static std::optional<Number> matchNumber(GenericOp op, Value value) {
  Operation *cast = value.getDefiningOp();
  if (!cast || !value.getType().isInteger(32) ||
      !isa<CastOp, arith::ExtSIOp, arith::ExtUIOp>(cast))
    return std::nullopt;
  Value byte = cast->getOperand(0);
  bool isSigned = !isa<arith::ExtUIOp>(cast);
  if (auto storage = byte.getDefiningOp<StorageCastOp>()) {
    if (!byte.getType().isUnsignedInteger(8))
      return std::nullopt;
    byte = storage.getInput();
    isSigned = false;
  }
  auto argument = dyn_cast<BlockArgument>(byte);
  if (!argument || argument.getOwner() != op.getBody() ||
      !byte.getType().isSignlessInteger(8) ||
      argument.getArgNumber() >= op.getNumDpsInputs())
    return std::nullopt;
  OpOperand *operand = op.getDpsInputOperand(argument.getArgNumber());
  if (!isa<RankedTensorType>(operand->get().getType()))
    return std::nullopt;
  return Number{operand, isSigned};
}

static std::optional<Factor> matchFactor(GenericOp op, Value value) {
  Factor factor;
  if (auto difference = value.getDefiningOp<arith::SubIOp>()) {
    value = difference.getLhs();
    APInt constant;
    if (matchPattern(difference.getRhs(), m_ConstantInt(&constant))) {
      factor.point.constant = constant.getSExtValue();
    } else if (auto point = matchNumber(op, difference.getRhs())) {
      factor.point.operand = point->operand;
      factor.point.isSigned = point->isSigned;
    } else {
      return std::nullopt;
    }
  }
  std::optional<Number> number = matchNumber(op, value);
  // Differences of bytes have 9 bits.
  if (!number || std::abs(factor.point.constant) > 255)
    return std::nullopt;
  factor.operand = number->operand;
  factor.isSigned = number->isSigned;
  factor.map = op.getMatchingIndexingMap(number->operand);
  return factor;
}

/// out + (a - p) * (b - q)
bool Products::matchBody() {
  auto sum = op.getBody()
                 ->getTerminator()
                 ->getOperand(0)
                 .getDefiningOp<arith::AddIOp>();
  if (!sum || !sum.getType().isInteger(32))
    return false;
  Value before = op.getBody()->getArguments().back();
  Value added = sum.getLhs() == before   ? sum.getRhs()
                : sum.getRhs() == before ? sum.getLhs()
                                         : Value();
  auto product = added ? added.getDefiningOp<arith::MulIOp>() : arith::MulIOp();
  if (!product)
    return false;
  for (auto [factor, value] : llvm::zip(factors, product.getOperands())) {
    std::optional<Factor> found = matchFactor(op, value);
    if (!found)
      return false;
    factor = *found;
  }
  return factors[0].operand != factors[1].operand;
}

/// The position of the result that is the loop alone, if no other has it.
static std::optional<unsigned> findDim(AffineMap map, unsigned loop) {
  std::optional<unsigned> found;
  for (auto [dim, expression] : llvm::enumerate(map.getResults())) {
    if (!expression.isFunctionOfDim(loop))
      continue;
    if (found || getLoop(expression) != loop)
      return std::nullopt;
    found = dim;
  }
  return found;
}

std::optional<int64_t> Factor::getOffset(unsigned dim, unsigned loop,
                                         int64_t index) const {
  AffineExpr expression = map.getResult(dim);
  MLIRContext *context = map.getContext();
  auto at = [&](int64_t place) {
    return expression.replace(getAffineDimExpr(loop, context),
                              getAffineConstantExpr(place, context));
  };
  auto offset = dyn_cast<AffineConstantExpr>(
      simplifyAffineExpr(at(index) - at(0), map.getNumDims(), 0));
  return offset ? std::make_optional(offset.getValue()) : std::nullopt;
}

bool Products::matchLoops() {
  AffineMap output = op.getIndexingMapsArray().back();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  if (!output.isProjectedPermutation() || output.getNumResults() == 0 ||
      llvm::is_contained(ranges, 0))
    return false;
  for (unsigned loop = 0; loop < ranges.size(); ++loop) {
    bool isSum = iterators[loop] == utils::IteratorType::reduction;
    if (output.isFunctionOfDim(loop) == isSum ||
        (isSum && ShapedType::isDynamic(ranges[loop])))
      return false;
  }
  column = *getLoop(output.getResults().back());
  bool has[] = {factors[0].map.isFunctionOfDim(column),
                factors[1].map.isFunctionOfDim(column)};
  if (has[0] == has[1])
    return false;
  vectors = has[1];

  // Vectors go on by one along the column, in a dimension that becomes the
  // last.
  AffineMap map = getVectors().map;
  std::optional<unsigned> columnDim;
  for (auto [dim, expression] : llvm::enumerate(map.getResults())) {
    if (!expression.isFunctionOfDim(column))
      continue;
    AffineExpr loop = getAffineDimExpr(column, op.getContext());
    AffineExpr step = simplifyAffineExpr(
        expression.replace(loop, loop + 1) - expression, map.getNumDims(), 0);
    if (columnDim || step != getAffineConstantExpr(1, op.getContext()))
      return false;
    columnDim = dim;
  }
  // Both have every sum; what is no index of a loop has one element.
  if (!getScalars().map.isProjectedPermutation(/*allowZeroInResults=*/true))
    return false;
  for (Factor &factor : factors) {
    for (unsigned loop = 0; loop < ranges.size(); ++loop)
      if (iterators[loop] == utils::IteratorType::reduction &&
          ranges[loop] > 1 && !factor.map.isFunctionOfDim(loop))
        return false;
    for (auto [size, expression] :
         llvm::zip(factor.getType().getShape(), factor.map.getResults()))
      if (isa<AffineConstantExpr>(expression) && size != 1)
        return false;
  }

  std::optional<unsigned> longest;
  for (unsigned loop = 0; loop < ranges.size(); ++loop) {
    if (iterators[loop] != utils::IteratorType::reduction ||
        (longest && ranges[loop] <= ranges[*longest]))
      continue;
    if (findDim(factors[0].map, loop) && findDim(factors[1].map, loop))
      longest = loop;
  }
  bool isWindow = !longest || ranges[*longest] < 2;
  for (unsigned loop = 0; isWindow && loop < ranges.size(); ++loop) {
    if (iterators[loop] == utils::IteratorType::parallel)
      continue;
    uses *= ranges[loop];
    if (ranges[loop] > 1 && findDim(getScalars().map, loop))
      longest = loop;
  }
  if (!longest || ranges[*longest] < 2)
    return false;
  depth = *longest;
  if (isWindow) {
    uses /= ranges[depth];
    for (unsigned dim = 0; dim < map.getNumResults(); ++dim)
      for (int64_t index = 0; index < ranges[depth]; ++index) {
        std::optional<int64_t> offset =
            getVectors().getOffset(dim, depth, index);
        if (!offset || *offset < 0 ||
            (*offset &&
             ShapedType::isDynamic(getVectors().getType().getDimSize(dim))))
          return false;
      }
  }

  rows = 1;
  for (unsigned loop = 0; loop < ranges.size(); ++loop) {
    if (!output.isFunctionOfDim(loop) || map.isFunctionOfDim(loop))
      continue;
    if (ShapedType::isDynamic(ranges[loop]))
      rows = std::nullopt;
    else if (rows)
      rows = *rows * ranges[loop];
  }
  for (Factor &factor : factors) {
    if (!isWindow || &factor != &getVectors())
      factor.depth = findDim(factor.map, depth);
    for (unsigned dim = 0; dim < factor.map.getNumResults(); ++dim)
      if (&factor != &getVectors() || dim != *columnDim)
        factor.order.push_back(dim);
  }
  getVectors().order.push_back(*columnDim);
  return true;
}

/// A zero point is one for all or varies along one dimension of the factor.
static bool matchPoint(GenericOp op, Factor &factor) {
  if (!factor.point.operand)
    return true;
  for (AffineExpr expression :
       op.getMatchingIndexingMap(factor.point.operand).getResults()) {
    if (isa<AffineConstantExpr>(expression))
      continue;
    std::optional<unsigned> loop = getLoop(expression);
    if (!loop || factor.point.dim ||
        op.getIteratorTypesArray()[*loop] != utils::IteratorType::parallel)
      return false;
    factor.point.dim = findDim(factor.map, *loop);
    if (!factor.point.dim)
      return false;
  }
  return true;
}

std::optional<Products> Products::get(GenericOp op) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      op.getNumReductionLoops() == 0 || op.hasIndexSemantics())
    return std::nullopt;
  Products products(op);
  if (!products.matchBody() || !products.matchLoops() ||
      !matchPoint(op, products.factors[0]) ||
      !matchPoint(op, products.factors[1]) || !products.isProfitable())
    return std::nullopt;
  return products;
}

bool Products::isProfitable() {
  int64_t columns = op.getStaticLoopRanges()[column];
  if (!ShapedType::isDynamic(columns) && columns < kFewestColumns)
    return false;
  if (!getVectors().depth)
    return uses >= kFewestUses;
  return !rows || *rows >= kFewestRows ||
         getConstantBytes(getVectors().operand->get());
}

std::optional<Grouping> Products::getGrouping(unsigned width) {
  int64_t extent = op.getStaticLoopRanges()[depth], count = 32 / width;
  if (getVectors().depth || extent <= count)
    return Grouping{extent, count, count,
                    int64_t(llvm::divideCeil(extent, count))};
  // The last word ends where the window does.
  int64_t step = count;
  while ((extent - count) % step)
    --step;
  Grouping grouping{extent, count, step, (extent - count) / step + 1};
  const Factor &factor = getVectors();
  for (unsigned dim = 0; dim < factor.map.getNumResults(); ++dim)
    for (int64_t word = 0; word < grouping.words; ++word)
      for (int64_t part = 0; part < count; ++part)
        if (*factor.getOffset(dim, depth, word * step + part) !=
            *factor.getOffset(dim, depth, word * step) +
                *factor.getOffset(dim, depth, part))
          return std::nullopt;
  return grouping;
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

namespace {
/// What becomes of a factor's numbers: words of `width` bits each, which hold
/// number - zero point if that is `subtracted`, and then less `flipped`: 128,
/// or -128, which changes whether there are signs.
struct Form {
  unsigned width;
  bool isSigned, subtracted = false;
  int64_t flipped = 0;

  IntegerType getType(MLIRContext *context) const {
    return IntegerType::get(
        context, width, isSigned ? IntegerType::Signed : IntegerType::Unsigned);
  }
};

/// A constant factor, number by number.
class Constant {
public:
  /// None if the factor, or a zero point that has to be known, is no constant.
  static std::optional<Constant> get(const Factor &factor, bool needsPoint);

  ArrayRef<int64_t> getShape() const { return factor->getType().getShape(); }
  int64_t getCount() const { return factor->getType().getNumElements(); }
  /// number - zero point if that is to be `subtracted`.
  int64_t getNumber(int64_t flat, bool subtracted) const {
    int64_t number = read(bytes.bytes, flat, factor->isSigned);
    if (!subtracted)
      return number;
    if (!factor->point.operand)
      return number - factor->point.constant;
    int64_t at = factor->point.dim ? getIndex(flat, *factor->point.dim) : 0;
    return number - read(points->bytes, at, factor->point.isSigned);
  }
  int64_t getIndex(int64_t flat, unsigned dim) const {
    return flat / strides[dim] % getShape()[dim];
  }
  /// The words, in the factor's order.
  Value pack(OpBuilder &b, Location loc, const Form &form,
             const Grouping &grouping) const;
  /// What the packed numbers of each index of `dims` add up to.
  Value sum(OpBuilder &b, Location loc, const Form &form,
            ArrayRef<unsigned> dims) const;

private:
  Constant(const Factor &factor, ConstantBytes bytes)
      : factor(&factor), bytes(bytes) {}
  static int64_t read(ArrayRef<char> bytes, int64_t index, bool isSigned) {
    char byte = bytes[bytes.size() == 1 ? 0 : index];
    return isSigned ? int64_t(int8_t(byte)) : int64_t(uint8_t(byte));
  }
  Value make(OpBuilder &b, Location loc, ArrayRef<int64_t> shape,
             ArrayRef<uint32_t> words) const;

  const Factor *factor;
  ConstantBytes bytes;
  std::optional<ConstantBytes> points;
  SmallVector<int64_t> strides;
};
} // namespace

std::optional<Constant> Constant::get(const Factor &factor, bool needsPoint) {
  if (!factor.getType().hasStaticShape())
    return std::nullopt;
  std::optional<ConstantBytes> bytes = getConstantBytes(factor.operand->get());
  if (!bytes)
    return std::nullopt;
  Constant constant(factor, *bytes);
  if (factor.point.operand) {
    constant.points = getConstantBytes(factor.point.operand->get());
    if (!constant.points && needsPoint)
      return std::nullopt;
  }
  constant.strides = computeStrides(constant.getShape());
  return constant;
}

Value Constant::make(OpBuilder &b, Location loc, ArrayRef<int64_t> shape,
                     ArrayRef<uint32_t> words) const {
  SmallVector<char> raw(words.size() * sizeof(uint32_t));
  std::memcpy(raw.data(), words.data(), raw.size());
  return createConstantOfBytes(b, loc,
                               RankedTensorType::get(shape, b.getI32Type()),
                               std::move(raw), bytes);
}

Value Constant::pack(OpBuilder &b, Location loc, const Form &form,
                     const Grouping &grouping) const {
  SmallVector<int64_t> shape;
  for (unsigned dim : factor->order)
    shape.push_back(dim == factor->depth ? grouping.words : getShape()[dim]);
  SmallVector<int64_t> packed = computeStrides(shape);
  SmallVector<uint32_t> words(ShapedType::getNumElements(shape), 0);
  for (int64_t flat = 0, e = getCount(); flat < e; ++flat) {
    int64_t at = 0, part = 0;
    for (auto [dim, stride] : llvm::zip(factor->order, packed)) {
      int64_t index = getIndex(flat, dim);
      if (dim == factor->depth) {
        part = grouping.getPart(index);
        index = grouping.getWord(index);
      }
      at += index * stride;
    }
    uint32_t number = getNumber(flat, form.subtracted) - form.flipped;
    words[at] |= (number & ((1u << form.width) - 1)) << part * form.width;
  }
  return make(b, loc, shape, words);
}

Value Constant::sum(OpBuilder &b, Location loc, const Form &form,
                    ArrayRef<unsigned> dims) const {
  SmallVector<int64_t> shape;
  for (unsigned dim : dims)
    shape.push_back(getShape()[dim]);
  SmallVector<int64_t> packed = computeStrides(shape);
  SmallVector<uint32_t> sums(ShapedType::getNumElements(shape), 0);
  for (int64_t flat = 0, e = getCount(); flat < e; ++flat) {
    int64_t at = 0;
    for (auto [dim, stride] : llvm::zip(dims, packed))
      at += getIndex(flat, dim) * stride;
    sums[at] += uint32_t(getNumber(flat, form.subtracted) - form.flipped);
  }
  return make(b, loc, shape, sums);
}

static Value extend(ImplicitLocOpBuilder &b, Value byte, bool isSigned) {
  if (isSigned)
    return arith::ExtSIOp::create(b, b.getI32Type(), byte);
  return arith::ExtUIOp::create(b, b.getI32Type(), byte);
}

static Value makeInteger(ImplicitLocOpBuilder &b, int64_t number) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(int32_t(number)));
}

/// The word of a few numbers, the last of a word may not be there.
static Value buildWord(ImplicitLocOpBuilder &b, ValueRange numbers, Value point,
                       const Factor &factor, const Form &form) {
  Value word;
  uint32_t flips = 0;
  for (auto [index, byte] : llvm::enumerate(numbers)) {
    // Bytes stay what they are; the highest bit of each is the flip.
    Value number = extend(b, byte, form.width > 8 && factor.isSigned);
    if (point)
      number = arith::SubIOp::create(b, number, point);
    if (point || form.width > 8)
      number = arith::AndIOp::create(b, number,
                                     makeInteger(b, (1u << form.width) - 1));
    if (index)
      number =
          arith::ShLIOp::create(b, number, makeInteger(b, index * form.width));
    word = word ? arith::OrIOp::create(b, word, number).getResult() : number;
    flips |= 128u << index * form.width;
  }
  return form.flipped ? arith::XOrIOp::create(b, word, makeInteger(b, flips))
                      : word;
}

/// Where the parts of words are, from that of the first; one list for each
/// part.
using Parts = SmallVector<SmallVector<int64_t>>;

/// Words whose parts begin `step` elements from each other, as `into`.
static Value packParts(ImplicitLocOpBuilder &b, const Factor &factor,
                       const Form &form, Value into, int64_t step,
                       const Parts &parts) {
  unsigned rank = factor.order.size();
  SmallVector<AffineExpr> source(rank);
  AffineExpr pointIndex = b.getAffineConstantExpr(0);
  for (auto [loop, dim] : llvm::enumerate(factor.order)) {
    source[dim] = b.getAffineDimExpr(loop);
    if (factor.point.dim == dim)
      pointIndex = source[dim];
  }
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  auto addInput = [&](Value value, ArrayRef<AffineExpr> indices) {
    inputs.push_back(value);
    maps.push_back(AffineMap::get(rank, 0, indices, b.getContext()));
  };
  SmallVector<OpFoldResult> packed = tensor::getMixedSizes(b, b.getLoc(), into);
  SmallVector<OpFoldResult> sizes(rank), strides(rank, b.getIndexAttr(1));
  for (auto [dim, size] : llvm::zip(factor.order, packed))
    sizes[dim] = size;
  for (ArrayRef<int64_t> part : parts) {
    if (!factor.depth) {
      SmallVector<OpFoldResult> offsets =
          getAsIndexOpFoldResult(b.getContext(), part);
      addInput(tensor::ExtractSliceOp::create(b, factor.operand->get(), offsets,
                                              sizes, strides),
               source);
      continue;
    }
    SmallVector<AffineExpr> indices(source);
    AffineExpr &index = indices[*factor.depth];
    index = index * step + part[*factor.depth];
    addInput(factor.operand->get(), indices);
  }
  bool hasPoint = form.subtracted && !factor.point.isZero();
  if (hasPoint && factor.point.operand) {
    // The dimension that it varies along is its only one of more than one.
    Value point = factor.point.operand->get();
    SmallVector<AffineExpr> indices(
        cast<RankedTensorType>(point.getType()).getRank(),
        b.getAffineConstantExpr(0));
    GenericOp op = cast<GenericOp>(factor.point.operand->getOwner());
    AffineMap map = op.getMatchingIndexingMap(factor.point.operand);
    for (auto [index, expression] : llvm::zip(indices, map.getResults()))
      if (getLoop(expression))
        index = pointIndex;
    addInput(point, indices);
  }
  maps.push_back(b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto body = [&](OpBuilder &builder, Location loc, ValueRange arguments) {
    ImplicitLocOpBuilder inner(loc, builder);
    Value point;
    if (hasPoint)
      point = factor.point.operand ? extend(inner, arguments[parts.size()],
                                            factor.point.isSigned)
                                   : makeInteger(inner, factor.point.constant);
    linalg::YieldOp::create(inner,
                            buildWord(inner, arguments.take_front(parts.size()),
                                      point, factor, form));
  };
  return GenericOp::create(b, into.getType(), inputs, into, maps, iterators,
                           body)
      ->getResult(0);
}

/// The factor as words, when the code runs. `loop` is that of the summed
/// elements.
static Value packFactor(ImplicitLocOpBuilder &b, const Factor &factor,
                        const Form &form, const Grouping &grouping,
                        unsigned loop) {
  SmallVector<OpFoldResult> from =
      tensor::getMixedSizes(b, b.getLoc(), factor.operand->get());
  // `numbers` of them, from index `start` on.
  auto getParts = [&](int64_t start, int64_t numbers) {
    Parts parts;
    for (int64_t number = 0; number < numbers; ++number) {
      parts.emplace_back(from.size(), 0);
      for (auto [dim, offset] : llvm::enumerate(parts.back()))
        if (!factor.depth)
          offset = *factor.getOffset(dim, loop, number);
        else if (dim == *factor.depth)
          offset = start + number;
    }
    return parts;
  };
  if (!factor.depth) {
    Parts parts = getParts(0, std::min(grouping.extent, grouping.count));
    SmallVector<OpFoldResult> sizes;
    for (unsigned dim : factor.order) {
      int64_t most = 0;
      for (ArrayRef<int64_t> part : parts)
        most = std::max(most, part[dim]);
      sizes.push_back(
          most ? b.getIndexAttr(factor.getType().getDimSize(dim) - most)
               : from[dim]);
    }
    Value words = tensor::EmptyOp::create(b, sizes, b.getI32Type());
    return packParts(b, factor, form, words, 1, parts);
  }

  int64_t count = grouping.count;
  int64_t full = grouping.extent / count, rest = grouping.extent % count;
  SmallVector<OpFoldResult> sizes;
  unsigned depth = 0;
  for (auto [index, dim] : llvm::enumerate(factor.order)) {
    sizes.push_back(from[dim]);
    if (dim == *factor.depth)
      depth = index;
  }
  sizes[depth] = b.getIndexAttr(grouping.words);
  Value words = tensor::EmptyOp::create(b, sizes, b.getI32Type());
  if (!rest || !full)
    return packParts(b, factor, form, words, count,
                     getParts(0, std::min(grouping.extent, count)));
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  auto packInto = [&](int64_t start, int64_t size, int64_t numbers) {
    offsets[depth] = b.getIndexAttr(start);
    sizes[depth] = b.getIndexAttr(size);
    Value part =
        tensor::ExtractSliceOp::create(b, words, offsets, sizes, strides);
    part = packParts(b, factor, form, part, count,
                     getParts(start * count, numbers));
    words =
        tensor::InsertSliceOp::create(b, part, words, offsets, sizes, strides);
  };
  packInto(0, full, count);
  packInto(full, 1, rest);
  return words;
}

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
  rewriter.setInsertionPoint(start);
  FailureOr<linalg::ElementwiseOpFusionResult> fused =
      linalg::fuseElementwiseOps(rewriter, operand);
  if (failed(fused))
    return start->getResult(0);
  Value result = fused->replacements.lookup(start->getResult(0));
  rewriter.eraseOp(start);
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

void Products::pack(RewriterBase &rewriter, const EmulationTarget &target) {
  Factor &across = getVectors(), &scalars = getScalars();
  std::optional<WordDots> dots = WordDots::get(target, 8);
  Form forms[2];
  Form &acrossForm = forms[vectors], &scalarForm = forms[1 - vectors];
  if (dots) {
    acrossForm = getByteForm(across);
    scalarForm = getByteForm(scalars);
    if (dots->isMixed() ? acrossForm.isSigned == scalarForm.isSigned
                        : !acrossForm.isSigned)
      flip(acrossForm);
    if (!dots->isMixed() && !scalarForm.isSigned)
      flip(scalarForm);
    // Sums of a window for each place would take as long as a channel.
    if (hasOffset(scalars, scalarForm) &&
        !across.map.isProjectedPermutation(/*allowZeroInResults=*/true))
      dots = std::nullopt;
  }
  std::optional<Grouping> grouping;
  if (dots)
    grouping = getGrouping(8);
  if (!grouping) {
    acrossForm = scalarForm = {16, /*isSigned=*/true, /*subtracted=*/true};
    if (WordDots::get(target, 16))
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

  SmallVector<Value> inputs(words, words + 2);
  SmallVector<AffineMap> maps;
  SmallVector<IntegerType> types;
  for (unsigned i : {0, 1}) {
    AffineMap map = factors[i].map.getSubMap(factors[i].order);
    if (!factors[i].depth) {
      AffineExpr loop = b.getAffineDimExpr(depth);
      map = map.replace(loop,
                        grouping->words == 1 ? b.getAffineConstantExpr(0)
                                             : loop * grouping->step,
                        map.getNumDims(), 0);
    }
    maps.push_back(map);
    types.push_back(forms[i].getType(op.getContext()));
  }
  maps.push_back(op.getIndexingMapsArray().back());
  auto packed = GenericOp::create(
      b, init.getType(), inputs, init, maps, op.getIteratorTypesArray(),
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
    if (cpu.empty())
      return success();
    llvm::Expected<TargetCpu> known = TargetCpu::get(triple, cpu, features);
    if (!known)
      return emitError(UnknownLoc::get(context))
             << llvm::toString(known.takeError());
    target = EmulationTarget::get(*known);
    return success();
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
