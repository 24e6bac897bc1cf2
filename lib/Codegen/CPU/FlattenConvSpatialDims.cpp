//===- FlattenConvSpatialDims.cpp - Flatten spatial dims of convolutions --===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of 7 or 14 elements do not fill vectors, and convolutions of stride two
// read every other element. One copy of the image solves both problems. In a
// padded image whose rows are collapsed to one dimension, the window advances
// by one element between output positions, also from one row to the next. The
// few positions at which it straddles two rows are computed and dropped. A
// strided image is de-interleaved by the residues of its indices modulo the
// stride: even and odd rows and columns form separate images.
//
//===----------------------------------------------------------------------===//

#include "../Common/Contraction.h"
#include "../Common/LinalgUtils.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/CPU/Passes.h"
#include "quant-float/Lowering/LoweringTarget.h"
#include "quant-float/Support/Indices.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATFLATTENCONVSPATIALDIMSPASS
#include "quant-float/Codegen/CPU/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-flatten-conv-spatial-dims"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

namespace {
/// One of the two spatial dimensions.
struct Axis : ConvolutionAxis {
  Axis(const ConvolutionAxis &axis, int64_t extent)
      : ConvolutionAxis(axis), extent(extent) {}

  int64_t extent;
  /// The padding before the image, in rows or columns of one residue. Residues
  /// are computed for the image without padding. Padding that is not a multiple
  /// of the stride shifts the offset.
  int64_t front = 0, shift = 0;

  void setPadding(int64_t low) {
    front = llvm::divideCeil(low, stride);
    shift = front * stride - low;
  }
  /// The number of residues modulo the stride that are read.
  int64_t getNumResidues() const { return largestOffset ? stride : 1; }
  /// The number of rows or columns of one residue that the window spans.
  int64_t getSpan() const { return (largestOffset + shift) / stride; }
  /// The number of rows or columns of one residue.
  int64_t getExtent() const { return extent + getSpan(); }
};

/// A convolution or pooling: a reduction over windows of `image`, in rows and
/// columns.
struct Windows {
  GenericOp op;
  OpOperand *image;
  Axis rows, columns;
  /// The op that initializes the accumulators.
  GenericOp start;
  /// The image without the padding that de-interleaving adds.
  Value source;
  /// The value of the padding, or null for zero.
  Value padding;

  void findPadding();
  bool hasStride() const { return rows.stride > 1 || columns.stride > 1; }
  /// The distance between two rows of the flattened result, in positions.
  int64_t getPitch() const {
    return hasStride()
               ? columns.getExtent()
               : cast<ShapedType>(image->get().getType()).getShape().back();
  }
};
} // namespace

/// Returns the op that initializes the accumulators with the same value at all
/// positions, such as a constant or a bias. Returns null if there is none.
static GenericOp getStart(Value init) {
  auto start = init.getDefiningOp<GenericOp>();
  if (!start || !start.hasPureTensorSemantics() ||
      start->getNumResults() != 1 || start.getNumReductionLoops() != 0 ||
      start.hasIndexSemantics() ||
      start.payloadUsesValueFromOperand(start.getDpsInitOperand(0)) ||
      !start.getIndexingMapsArray().back().isIdentity())
    return {};
  unsigned rank = start.getNumLoops();
  for (OpOperand *input : start.getDpsInputOperands()) {
    AffineMap map = start.getMatchingIndexingMap(input);
    if (rank < 2 || map.isFunctionOfDim(rank - 1) ||
        map.isFunctionOfDim(rank - 2))
      return {};
  }
  return start;
}

/// Returns the axis of the image that `index` describes, if `loop` is the only
/// parallel loop in it.
static std::optional<Axis> getAxis(GenericOp op, AffineExpr index,
                                   unsigned loop) {
  std::optional<ConvolutionAxis> axis = ConvolutionAxis::get(op, index, loop);
  return axis ? std::optional(Axis(*axis, op.getStaticLoopRanges()[loop]))
              : std::nullopt;
}

/// Finds padding that de-interleaving can add to its copies, instead of one
/// more copy of the image.
void Windows::findPadding() {
  auto pad = source.getDefiningOp<tensor::PadOp>();
  if (!pad || !pad.getConstantPaddingValue() ||
      !llvm::all_of(pad.getSourceType().getShape().take_back(2),
                    [](int64_t size) { return size > 0; }))
    return;
  unsigned numLeading = pad.getSourceType().getRank() - 2;
  ArrayRef<int64_t> low = pad.getStaticLow(), high = pad.getStaticHigh();
  auto isZero = [](int64_t size) { return size == 0; };
  auto isPadding = [](int64_t size) { return size >= 0; };
  if (!llvm::all_of(low.take_front(numLeading), isZero) ||
      !llvm::all_of(high.take_front(numLeading), isZero) ||
      !llvm::all_of(low.drop_front(numLeading), isPadding) ||
      !llvm::all_of(high.drop_front(numLeading), isPadding))
    return;
  source = pad.getSource();
  padding = pad.getConstantPaddingValue();
  rows.setPadding(low[numLeading]);
  columns.setPadding(low[numLeading + 1]);
}

/// Whether `quant-float-vectorize-reductions` lets adjacent rows of the result
/// share the rows of the image that they load, and most lanes of its vectors
/// are used: the image has stride one, and no output channels share it.
static bool sharesRows(const Windows &windows) {
  constexpr int64_t kMinRows = 4;
  GenericOp op(windows.op);
  AffineMap image = op.getMatchingIndexingMap(windows.image);
  int64_t columns = windows.columns.extent;
  Type element = getElementTypeOrSelf(windows.image->get());
  if (windows.hasStride() || windows.rows.extent < kMinRows ||
      windows.rows.largestOffset == 0 || !element.isIntOrFloat())
    return false;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
    if (iterator == utils::IteratorType::parallel &&
        op.getStaticLoopRanges()[loop] != 1 && !image.isFunctionOfDim(loop))
      return false;
  int64_t lanes = LoweringTarget::lookup(op).vectorBytes * 8 /
                  element.getIntOrFloatBitWidth();
  return lanes > 1 && 5 * columns >= 4 * int64_t(llvm::alignTo(columns, lanes));
}

static std::optional<Windows> match(GenericOp op) {
  if (!isReductionOnTensors(op) || op.hasIndexSemantics())
    return std::nullopt;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  AffineMap output = op.getIndexingMapsArray().back();
  if (output.getNumResults() < 2 || !output.isProjectedPermutation() ||
      llvm::is_contained(ranges, 0))
    return std::nullopt;
  ArrayRef<AffineExpr> last = output.getResults().take_back(2);
  unsigned row = *getLoop(last[0]), column = *getLoop(last[1]);
  SmallVector<OpOperand *> images = getInputsAlong(op, column);
  GenericOp start = getStart(op.getDpsInits().front());
  if (images.size() != 1 || images != getInputsAlong(op, row) || !start)
    return std::nullopt;
  OpOperand *image = images.front();
  auto type = dyn_cast<RankedTensorType>(image->get().getType());
  ArrayRef<AffineExpr> indices = op.getMatchingIndexingMap(image).getResults();
  if (indices.size() < 2 ||
      llvm::any_of(indices.drop_back(2), [&](AffineExpr index) {
        return index.isFunctionOfDim(row) || index.isFunctionOfDim(column);
      }))
    return std::nullopt;
  indices = indices.take_back(2);
  std::optional<Axis> rows = getAxis(op, indices[0], row);
  std::optional<Axis> columns = getAxis(op, indices[1], column);
  if (!rows || !columns || ShapedType::isDynamic(rows->extent) ||
      ShapedType::isDynamic(columns->extent) ||
      ShapedType::isDynamic(type.getShape().back()) ||
      ShapedType::isDynamic(type.getShape().drop_back().back()))
    return std::nullopt;
  Windows windows{op, image, *rows, *columns, start, image->get(), Value()};
  if (windows.hasStride())
    windows.findPadding();
  if (sharesRows(windows)) {
    LDBG() << "rows of the result share rows of the image at " << op.getLoc();
    return std::nullopt;
  }
  // A single row with stride one is already flat. If the window extends far
  // beyond the end of a row, too many results would be dropped.
  if ((rows->extent == 1 && (columns->extent == 1 || columns->stride == 1)) ||
      2 * windows.getPitch() > 3 * columns->extent + 2) {
    LDBG() << "flattening is not worthwhile at " << op.getLoc();
    return std::nullopt;
  }
  return windows;
}

namespace {
/// Rows or columns that have the same residues in the image: `count` of each of
/// the `residues` from `base` on, the first of which is row `first` of its
/// residue.
struct ResidueBlock {
  int64_t residues, base, first, count;
};
} // namespace

/// Splits `size` rows or columns of the image into blocks. There are at most
/// `limit` rows of each residue, with the padding.
static SmallVector<ResidueBlock, 2> getBlocks(const Axis &axis, int64_t size,
                                              int64_t limit) {
  int64_t stride = axis.stride, available = limit - axis.front;
  SmallVector<ResidueBlock, 2> blocks;
  auto add = [&](int64_t residues, int64_t base, int64_t first, int64_t count) {
    count = std::min(count, available - first);
    if (residues > 0 && count > 0)
      blocks.push_back({residues, base, first, count});
  };
  if (axis.getNumResidues() == 1) {
    add(1, axis.shift, 0, llvm::divideCeil(size - axis.shift, stride));
    return blocks;
  }
  add(stride, 0, 0, size / stride);
  add(size % stride, 0, size / stride, 1);
  return blocks;
}

namespace {
/// Rewrites one op.
class Flattening {
public:
  explicit Flattening(const Windows &windows)
      : windows(windows), op(windows.op), b(op.getLoc(), op),
        image(windows.image->get()) {}
  void run();

private:
  ArrayRef<int64_t> getLeadingDims() const {
    return cast<RankedTensorType>(image.getType()).getShape().drop_back(2);
  }
  Value makeEmpty(ArrayRef<int64_t> shape);
  void makeLarger(int64_t height, int64_t width);
  void deinterleave(int64_t height);
  Value fill(Value empty);
  Value copyBlock(const ResidueBlock &rowBlock, const ResidueBlock &columnBlock,
                  Value phases);
  AffineExpr renumber(AffineExpr expression);
  Value makeStart(Value empty);

  const Windows &windows;
  GenericOp op;
  ImplicitLocOpBuilder b;
  Value image;
};
} // namespace

/// Dynamic sizes are taken from the image's leading dimensions.
Value Flattening::makeEmpty(ArrayRef<int64_t> shape) {
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, size] : llvm::enumerate(shape))
    sizes.push_back(
        ShapedType::isDynamic(size)
            ? OpFoldResult(b.createOrFold<tensor::DimOp>(image, dim))
            : OpFoldResult(b.getIndexAttr(size)));
  return tensor::EmptyOp::create(
      b, sizes, cast<RankedTensorType>(image.getType()).getElementType());
}

namespace {
/// The constant padding of an image from the tensor.pad that defines it; zero
/// padding of size 0 if there is none.
struct Padding {
  Padding(ImplicitLocOpBuilder &b, Value image);
  Value source, value;
  SmallVector<OpFoldResult> low, high;
};
} // namespace

Padding::Padding(ImplicitLocOpBuilder &b, Value image) : source(image) {
  auto type = cast<RankedTensorType>(image.getType());
  low.assign(type.getRank(), b.getIndexAttr(0));
  high = low;
  auto pad = image.getDefiningOp<tensor::PadOp>();
  value = pad ? pad.getConstantPaddingValue() : Value();
  if (!value) {
    value = arith::ConstantOp::create(b, b.getZeroAttr(type.getElementType()));
    return;
  }
  source = pad.getSource();
  low = pad.getMixedLowPad();
  high = pad.getMixedHighPad();
}

/// Pads the image to at least `height` rows and `width` columns, by extending
/// the existing padding if there is some.
void Flattening::makeLarger(int64_t height, int64_t width) {
  auto type = cast<RankedTensorType>(image.getType());
  int64_t rank = type.getRank();
  int64_t moreRows = std::max<int64_t>(height - type.getDimSize(rank - 2), 0);
  int64_t moreColumns = std::max<int64_t>(width - type.getDimSize(rank - 1), 0);
  if (!moreRows && !moreColumns)
    return;
  Padding padding(b, image);
  auto grow = [&](OpFoldResult &size, int64_t more) {
    size = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), b.getAffineSymbolExpr(0) + more, size);
  };
  grow(padding.high[rank - 2], moreRows);
  grow(padding.high[rank - 1], moreColumns);
  SmallVector<int64_t> shape(type.getShape());
  shape[rank - 2] += moreRows;
  shape[rank - 1] += moreColumns;
  image = tensor::PadOp::create(
      b, RankedTensorType::get(shape, type.getElementType()), padding.source,
      padding.low, padding.high, padding.value);
}

/// Fills the tensor with the value of the padding.
Value Flattening::fill(Value empty) {
  auto type = cast<RankedTensorType>(empty.getType());
  Value value = windows.padding;
  if (!value)
    value = arith::ConstantOp::create(b, b.getZeroAttr(type.getElementType()));
  SmallVector<utils::IteratorType> parallel(type.getRank(),
                                            utils::IteratorType::parallel);
  return GenericOp::create(b, type, ValueRange(), empty,
                           b.getMultiDimIdentityMap(type.getRank()), parallel,
                           [&](OpBuilder &builder, Location loc, ValueRange) {
                             linalg::YieldOp::create(builder, loc, value);
                           })
      ->getResult(0);
}

/// Copies the rows and columns of two blocks to the image of residues.
Value Flattening::copyBlock(const ResidueBlock &rowBlock,
                            const ResidueBlock &columnBlock, Value phases) {
  const Axis &rows = windows.rows, &columns = windows.columns;
  unsigned numLeading = getLeadingDims().size(), rank = numLeading + 4;
  // The slices of the image and of the residues.
  SmallVector<OpFoldResult> fromOffsets(numLeading, b.getIndexAttr(0)),
      fromSizes, toOffsets(numLeading + 2, b.getIndexAttr(0)), toSizes;
  for (unsigned dim = 0; dim < numLeading; ++dim)
    fromSizes.push_back(
        tensor::getMixedSize(b, b.getLoc(), windows.source, dim));
  toSizes = fromSizes;
  toSizes.append({b.getIndexAttr(rowBlock.residues),
                  b.getIndexAttr(columnBlock.residues)});
  AffineMap to = b.getMultiDimIdentityMap(rank);
  SmallVector<AffineExpr> from(to.getResults().take_front(numLeading));
  auto addAxis = [&](const Axis &axis, const ResidueBlock &block,
                     unsigned dim) {
    int64_t stride = axis.stride;
    fromOffsets.push_back(b.getIndexAttr(block.base + stride * block.first));
    fromSizes.push_back(
        b.getIndexAttr((block.count - 1) * stride + block.residues));
    toOffsets.push_back(b.getIndexAttr(axis.front + block.first));
    toSizes.push_back(b.getIndexAttr(block.count));
    AffineExpr index = b.getAffineDimExpr(numLeading + 2 + dim) * stride;
    if (block.residues > 1)
      index = index + b.getAffineDimExpr(numLeading + dim);
    from.push_back(index);
  };
  addAxis(rows, rowBlock, 0);
  addAxis(columns, columnBlock, 1);
  SmallVector<OpFoldResult> fromOnes(numLeading + 2, b.getIndexAttr(1)),
      toOnes(rank, b.getIndexAttr(1));
  Value source = tensor::ExtractSliceOp::create(b, windows.source, fromOffsets,
                                                fromSizes, fromOnes);
  Value target =
      tensor::ExtractSliceOp::create(b, phases, toOffsets, toSizes, toOnes);
  SmallVector<AffineMap> maps{AffineMap::get(rank, 0, from, b.getContext()),
                              to};
  SmallVector<utils::IteratorType> parallel(rank,
                                            utils::IteratorType::parallel);
  Value copied =
      GenericOp::create(
          b, target.getType(), source, target, maps, parallel,
          [](OpBuilder &builder, Location loc, ValueRange arguments) {
            linalg::YieldOp::create(builder, loc, arguments.front());
          })
          ->getResult(0);
  return tensor::InsertSliceOp::create(b, copied, phases, toOffsets, toSizes,
                                       toOnes);
}

/// De-interleaves (..., rows, columns) to (..., row residues, column residues,
/// `height` rows, columns), and pads each residue.
void Flattening::deinterleave(int64_t height) {
  const Axis &rows = windows.rows, &columns = windows.columns;
  SmallVector<int64_t> shape(getLeadingDims());
  shape.append({rows.getNumResidues(), columns.getNumResidues(), height,
                columns.getExtent()});
  ArrayRef<int64_t> sizes =
      cast<RankedTensorType>(windows.source.getType()).getShape().take_back(2);
  SmallVector<ResidueBlock, 2> rowBlocks = getBlocks(rows, sizes[0], height);
  SmallVector<ResidueBlock, 2> columnBlocks =
      getBlocks(columns, sizes[1], columns.getExtent());
  Value phases = makeEmpty(shape);
  auto covers = [](ArrayRef<ResidueBlock> blocks, int64_t count) {
    return blocks.size() == 1 && blocks.front().count == count;
  };
  if (!covers(rowBlocks, height) || !covers(columnBlocks, columns.getExtent()))
    phases = fill(phases);
  for (const ResidueBlock &rowBlock : rowBlocks)
    for (const ResidueBlock &columnBlock : columnBlocks)
      phases = copyBlock(rowBlock, columnBlock, phases);
  image = phases;
}

/// Maps an expression to the loops of the new op: the row loop becomes the loop
/// over positions, and the column loop is removed.
AffineExpr Flattening::renumber(AffineExpr expression) {
  SmallVector<AffineExpr> dims;
  unsigned next = 0;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    dims.push_back(loop == windows.columns.loop
                       ? getAffineConstantExpr(0, op.getContext())
                       : getAffineDimExpr(next++, op.getContext()));
  return simplifyAffineExpr(expression.replaceDims(dims), next, 0);
}

/// Clones the initialization for a flat result, whose last dimension is the one
/// of positions.
Value Flattening::makeStart(Value empty) {
  GenericOp start = windows.start;
  unsigned numLoops = start.getNumLoops() - 1;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : start.getDpsInputOperands())
    maps.push_back(AffineMap::get(
        numLoops, 0, start.getMatchingIndexingMap(input).getResults(),
        b.getContext()));
  maps.push_back(b.getMultiDimIdentityMap(numLoops));
  SmallVector<utils::IteratorType> parallel(numLoops,
                                            utils::IteratorType::parallel);
  auto flat = GenericOp::create(b, empty.getType(),
                                SmallVector<Value>(start.getDpsInputs()), empty,
                                maps, parallel);
  IRMapping mapping;
  start.getRegion().cloneInto(&flat.getRegion(), mapping);
  return flat->getResult(0);
}

void Flattening::run() {
  const Axis &rows = windows.rows, &columns = windows.columns;
  AffineMap imageMap = op.getMatchingIndexingMap(windows.image);
  unsigned numLeading = getLeadingDims().size();
  bool isSplit = windows.hasStride();
  int64_t pitch = windows.getPitch(), flatExtent = rows.extent * pitch;
  // At the last position, the window extends beyond the end by less than a row.
  int64_t last = flatExtent - 1 + rows.getSpan() * pitch + columns.getSpan();
  int64_t height = last / pitch + 1;
  if (isSplit)
    deinterleave(height);
  else
    makeLarger(height, pitch);

  unsigned rank = cast<RankedTensorType>(image.getType()).getRank();
  SmallVector<ReassociationIndices> flat;
  for (unsigned dim = 0; dim + 1 < rank; ++dim)
    flat.push_back({int64_t(dim)});
  flat.back().push_back(rank - 1);
  Value flatImage = tensor::CollapseShapeOp::create(b, image, flat);

  // The image is indexed by the output position plus the offset of the window.
  AffineExpr position = renumber(getAffineDimExpr(rows.loop, b.getContext()));
  SmallVector<AffineExpr> indices;
  for (AffineExpr expression : imageMap.getResults().take_front(numLeading))
    indices.push_back(renumber(expression));
  auto getResidue = [&](const Axis &axis) {
    return axis.getNumResidues() == 1
               ? b.getAffineConstantExpr(0)
               : renumber((axis.offset + axis.shift) % axis.stride);
  };
  auto getIndex = [&](const Axis &axis) {
    return renumber((axis.offset + axis.shift).floorDiv(axis.stride));
  };
  if (isSplit)
    indices.append({getResidue(rows), getResidue(columns)});
  indices.push_back(position + getIndex(rows) * pitch + getIndex(columns));

  unsigned numLoops = op.getNumLoops() - 1;
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    SmallVector<AffineExpr> results;
    if (&operand == windows.image)
      results = indices;
    else
      for (AffineExpr expression : map.getResults())
        results.push_back(renumber(expression));
    if (op.isDpsInit(&operand))
      results.pop_back();
    maps.push_back(AffineMap::get(numLoops, 0, results, b.getContext()));
  }
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  iterators.erase(iterators.begin() + columns.loop);

  Value oldResult = op->getResult(0);
  auto oldType = cast<RankedTensorType>(oldResult.getType());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, op.getLoc(), op.getDpsInits().front());
  sizes.pop_back();
  sizes.back() = b.getIndexAttr(flatExtent);
  Value empty = tensor::EmptyOp::create(b, sizes, oldType.getElementType());
  Value init = makeStart(empty);
  SmallVector<Value> inputs(op.getDpsInputs());
  inputs[windows.image->getOperandNumber()] = flatImage;
  auto flatOp =
      GenericOp::create(b, empty.getType(), inputs, init, maps, iterators);
  flatOp->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  flatOp.getRegion().takeBody(op.getRegion());

  // Expand the result to rows and drop the positions that straddle two rows.
  SmallVector<int64_t> shape(oldType.getShape());
  shape.back() = pitch;
  SmallVector<ReassociationIndices> folds;
  for (unsigned dim = 0; dim < sizes.size(); ++dim)
    folds.push_back({int64_t(dim)});
  folds.back().push_back(sizes.size());
  SmallVector<OpFoldResult> unfolded(ArrayRef(sizes).drop_back());
  unfolded.append({b.getIndexAttr(rows.extent), b.getIndexAttr(pitch)});
  Value result = tensor::ExpandShapeOp::create(
      b, RankedTensorType::get(shape, oldType.getElementType()),
      flatOp->getResult(0), folds, unfolded);
  if (pitch != columns.extent) {
    unfolded.back() = b.getIndexAttr(columns.extent);
    SmallVector<OpFoldResult> zeros(unfolded.size(), b.getIndexAttr(0)),
        ones(unfolded.size(), b.getIndexAttr(1));
    result = tensor::ExtractSliceOp::create(b, oldType, result, zeros, unfolded,
                                            ones);
  }
  oldResult.replaceAllUsesWith(result);
  op.erase();
}

/// For an image of dynamic size, de-interleaves strided dimensions without
/// flattening, so that the window's columns are contiguous. Returns false if
/// there is no such image.
static bool deinterleaveDynamic(GenericOp op) {
  if (!isReductionOnTensors(op) || op.hasIndexSemantics() ||
      llvm::is_contained(op.getStaticLoopRanges(), 0))
    return false;
  AffineMap output = op.getIndexingMapsArray().back();
  if (output.getNumResults() == 0 || !output.isProjectedPermutation())
    return false;
  unsigned column = *getLoop(output.getResults().back());
  SmallVector<OpOperand *> images = getInputsAlong(op, column);
  if (images.size() != 1)
    return false;
  OpOperand *image = images.front();
  auto type = dyn_cast<RankedTensorType>(image->get().getType());
  if (!type || type.getRank() == 0 || type.hasStaticShape())
    return false;
  // The axis of the columns, and before it the axis of the rows if a window
  // slides along them.
  AffineMap map = op.getMatchingIndexingMap(image);
  SmallVector<Axis, 2> axes;
  for (AffineExpr index : llvm::reverse(map.getResults())) {
    if (isa<AffineDimExpr>(index) || axes.size() == 2)
      break;
    std::optional<Axis> axis;
    for (AffineExpr result : llvm::reverse(output.getResults()))
      if (!axis && index.isFunctionOfDim(*getLoop(result)))
        axis = getAxis(op, index, *getLoop(result));
    if (!axis)
      return false;
    axes.insert(axes.begin(), *axis);
  }
  if (axes.empty() || axes.back().loop != column || axes.back().stride == 1 ||
      axes.back().largestOffset == 0)
    return false;
  unsigned rank = type.getRank(), numLeading = rank - axes.size();

  ImplicitLocOpBuilder b(op.getLoc(), op);
  Padding padding(b, image->get());
  AffineExpr s0 = b.getAffineSymbolExpr(0), s1 = b.getAffineSymbolExpr(1),
             s2 = b.getAffineSymbolExpr(2);
  auto compute = [&](AffineExpr expression, ArrayRef<OpFoldResult> operands) {
    return affine::makeComposedFoldedAffineApply(b, b.getLoc(), expression,
                                                 operands);
  };
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, b.getLoc(), padding.source);
  SmallVector<OpFoldResult> shape, extents;
  SmallVector<AffineExpr> from,
      indices(map.getResults().take_front(numLeading)), quotients;
  for (unsigned dim = 0; dim < numLeading; ++dim) {
    shape.push_back(compute(s0 + s1 + s2,
                            {sizes[dim], padding.low[dim], padding.high[dim]}));
    from.push_back(b.getAffineDimExpr(dim));
  }
  // All residues are padded to the size of the largest.
  for (auto [i, axis] : llvm::enumerate(axes)) {
    OpFoldResult &high = padding.high[numLeading + i];
    extents.push_back(
        compute((s0 + s1 + s2).ceilDiv(axis.stride),
                {sizes[numLeading + i], padding.low[numLeading + i], high}));
    high = compute(s0 + (axis.getNumResidues() - 1), high);
    shape.push_back(b.getIndexAttr(axis.getNumResidues()));
    from.push_back(b.getAffineDimExpr(numLeading + axes.size() + i) *
                       axis.stride +
                   b.getAffineDimExpr(numLeading + i));
    indices.push_back(axis.offset % axis.stride);
    quotients.push_back(b.getAffineDimExpr(axis.loop) +
                        axis.offset.floorDiv(axis.stride));
  }
  llvm::append_range(shape, extents);
  llvm::append_range(indices, quotients);
  Value padded = tensor::PadOp::create(b, Type(), padding.source, padding.low,
                                       padding.high, padding.value);
  Value empty = tensor::EmptyOp::create(b, shape, type.getElementType());
  AffineMap to = b.getMultiDimIdentityMap(shape.size());
  SmallVector<AffineMap> maps{
      AffineMap::get(shape.size(), 0, from, b.getContext()), to};
  SmallVector<utils::IteratorType> parallel(shape.size(),
                                            utils::IteratorType::parallel);
  auto deinterleaved = GenericOp::create(
      b, empty.getType(), padded, empty, maps, parallel,
      [](OpBuilder &builder, Location loc, ValueRange arguments) {
        linalg::YieldOp::create(builder, loc, arguments.front());
      });
  SmallVector<AffineMap> newMaps = op.getIndexingMapsArray();
  newMaps[image->getOperandNumber()] =
      AffineMap::get(op.getNumLoops(), 0, indices, b.getContext());
  op->setOperand(image->getOperandNumber(), deinterleaved->getResult(0));
  op.setIndexingMapsAttr(b.getAffineMapArrayAttr(newMaps));
  return true;
}

namespace {
struct FlattenConvSpatialDims final
    : quant_float::impl::QuantFloatFlattenConvSpatialDimsPassBase<
          FlattenConvSpatialDims> {
  void runOnOperation() override {
    for (GenericOp op : collectGenericOps(getOperation()))
      if (std::optional<Windows> windows = match(op)) {
        LDBG() << "flattening the windows at " << op.getLoc();
        Flattening(*windows).run();
        ++numFlattened;
      } else if (deinterleaveDynamic(op)) {
        LDBG() << "de-interleaved the image at " << op.getLoc();
        ++numDeinterleaved;
      }
  }
};
} // namespace
