//===- WeightImporter.cpp - Import of quantized weights -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightImporter.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::safetensors_import;
using llvm::divideCeil;

FailureOr<Value> WeightImporter::makeConstant(const Tensor &tensor, Type type,
                                              ArrayRef<int64_t> dims,
                                              SharedBytes bytes) {
  int64_t count = *countElements(dims);
  bool isPacked = getPackedBits(type) < 8;
  if (type.isInteger(1))
    bytes = normalizeBooleans(bytes.data);
  else if (isPacked && !(isPacked = staysPacked(type, count)))
    bytes = unpack(bytes.data, type, count);
  else
    bytes = bytes.owner ? alignBytes(bytes, type) : copyBytes(bytes);
  uint64_t size = bytes.data.size();
  DecodedTensor decoded{
      type, SmallVector<int64_t>(dims), count, std::move(bytes), isPacked, {}};
  ElementsAttr attribute;
  if (!isMissing(decoded))
    attribute = makeElementsAttr(std::move(decoded), tensor.name);
  if (!attribute)
    return diagnose(tensor.subject, Diag::NoMemory, size);
  return module.makeConstant(attribute);
}

FailureOr<Value> WeightImporter::importPlain(const Tensor &tensor) {
  return makeConstant(tensor, getType(tensor.dtype, b.getContext()),
                      tensor.dims, tensor.bytes);
}

FailureOr<Value> WeightImporter::finish(ElementsWriter &elements,
                                        const Tensor &tensor) {
  ElementsAttr attribute = elements.finish(tensor.name);
  if (!attribute)
    return diagnose(tensor.subject, Diag::NoMemory, elements.getSize());
  return module.makeConstant(attribute);
}

/// Returns the number of elements that share a scale if it is unambiguous. It
/// is one of the `stated` numbers of config.json, all elements, or the size of
/// equal groups. If several stated numbers fit, the one of equal groups is
/// used. Programs use powers of two, so another size of equal groups is
/// ambiguous if a power of two fits too.
static std::optional<int64_t> findBlock(int64_t size, int64_t count,
                                        ArrayRef<int64_t> stated) {
  auto fits = [&](int64_t block) {
    return int64_t(divideCeil(size, block)) == count;
  };
  if (count == 1)
    return size;
  SmallVector<int64_t> found = llvm::to_vector(llvm::make_filter_range(
      stated, [&](int64_t block) { return fits(block); }));
  if (found.size() == 1)
    return found[0];
  if (size % count == 0 && llvm::is_contained(found, size / count))
    return size / count;
  if (size % count)
    return std::nullopt;
  int64_t quotient = size / count;
  if (llvm::isPowerOf2_64(quotient))
    return quotient;
  for (int64_t power = 1; power < size; power *= 2)
    if (fits(power))
      return std::nullopt;
  return quotient;
}

FailureOr<int64_t> WeightImporter::getBlock(const Tensor &scale, int64_t size,
                                            int64_t count,
                                            ArrayRef<int64_t> dims) {
  const Config &config = checkpoint.getConfig();
  SmallVector<int64_t> stated = config.groups;
  if (config.block.second)
    stated.push_back(config.block.second);
  if (std::optional<int64_t> found = findBlock(size, count, stated))
    return *found;
  int64_t min = divideCeil(size, count);
  if (count > size || int64_t(divideCeil(size, min)) != count)
    return diagnose(scale.subject, Diag::ScaleShape, spellShape(scale.dims),
                    spellShape(dims));
  std::string fitting = std::to_string(min);
  if (int64_t max = (size - 1) / (count - 1); max != min)
    fitting += " to " + std::to_string(max);
  return diagnose(scale.subject, Diag::AmbiguousBlocks, spellShape(scale.dims),
                  spellShape(dims), fitting, size);
}

FailureOr<std::pair<int64_t, int64_t>>
WeightImporter::getBlocks(const Tensor &scale, ArrayRef<int64_t> dims,
                          int64_t scaleRows, int64_t scaleColumns) {
  int64_t rows = dims[dims.size() - 2], columns = dims.back();
  auto fit = [&](std::pair<int64_t, int64_t> block) {
    return int64_t(divideCeil(rows, block.first)) == scaleRows &&
           int64_t(divideCeil(columns, block.second)) == scaleColumns;
  };
  std::pair<int64_t, int64_t> block = checkpoint.getConfig().block;
  if (block.first) {
    if (fit(block))
      return block;
    return diagnose(scale.subject, Diag::ScaleShape, spellShape(scale.dims),
                    spellShape(dims));
  }
  // transformers and vLLM assume this size for weights with such scales.
  constexpr std::pair<int64_t, int64_t> kUsual = {128, 128};
  if ((!findBlock(rows, scaleRows, {}) ||
       !findBlock(columns, scaleColumns, {})) &&
      StringRef(scale.name).ends_with("_scale_inv") && fit(kUsual)) {
    (void)diagnose(scale.subject, Diag::AssumedBlocks, kUsual.first,
                   kUsual.second);
    return kUsual;
  }
  FailureOr<int64_t> ofRows = getBlock(scale, rows, scaleRows, dims);
  if (failed(ofRows))
    return failure();
  FailureOr<int64_t> ofColumns = getBlock(scale, columns, scaleColumns, dims);
  if (failed(ofColumns))
    return failure();
  return std::pair(*ofRows, *ofColumns);
}

/// Whether there is one scale for each of `size` rows.
static bool isColumn(ArrayRef<int64_t> scales, int64_t size, size_t rank) {
  return scales.front() == size &&
         (scales.size() == 1 || scales.size() == rank) &&
         llvm::all_of(scales.drop_front(),
                      [](int64_t dim) { return dim == 1; });
}

FailureOr<Scaling> WeightImporter::getScaling(const Tensor &scale,
                                              ArrayRef<int64_t> dims) {
  ArrayRef<int64_t> scaleDims = scale.dims;
  Scaling scaling;
  if (scale.count == 1)
    return scaling;
  auto refuse = [&] {
    return diagnose(scale.subject, Diag::ScaleShape, spellShape(scaleDims),
                    spellShape(dims));
  };
  size_t rank = dims.size();
  if (rank == 0)
    return refuse();
  // With three dimensions, each matrix has rows.
  if (rank >= 2 && rank != 3 && isColumn(scaleDims, dims[0], rank)) {
    scaling.dims = {dims[0]};
    scaling.axis = 0;
    return scaling;
  }
  size_t matrix = std::min<size_t>(rank, 2);
  int64_t rows = rank == 1 ? 1 : dims[rank - 2], columns = dims.back();
  int64_t scaleRows = 1, scaleColumns = 1;
  if (scaleDims.size() == rank &&
      scaleDims.drop_back(matrix) == dims.drop_back(matrix)) {
    scaleRows = rank == 1 ? 1 : scaleDims[rank - 2];
    scaleColumns = scaleDims.back();
  } else if (rank == 2 && scaleDims.size() == 4 && scaleDims[1] == 1 &&
             scaleDims[3] == 1) {
    // ModelOpt's scales have dimensions of size 1 for the elements of a block.
    scaleRows = scaleDims[0];
    scaleColumns = scaleDims[2];
  } else if (rank == 3 && scaleDims.size() <= 2 && scaleDims[0] == dims[0]) {
    scaleRows = scaleDims.size() == 2 ? scaleDims[1] : 1;
  } else {
    return refuse();
  }
  // vLLM stores the gate and up projections of an expert as one weight.
  bool isHalves =
      StringRef(scale.name).contains("w13_") && scaleRows == 2 && rows % 2 == 0;
  bool isPerMatrix = scaleColumns == 1 && (scaleRows == 1 || isHalves);
  std::pair<int64_t, int64_t> block = {1, columns};
  if (scaleRows != rows && isPerMatrix) {
    block.first = rows / scaleRows;
  } else if (scaleRows != rows) {
    // Rows are grouped only if scales have a dimension for columns.
    if (scaleDims.size() != rank && rank == 3)
      return refuse();
    auto found = getBlocks(scale, dims, scaleRows, scaleColumns);
    if (failed(found))
      return failure();
    block = *found;
  } else {
    FailureOr<int64_t> found = getBlock(scale, columns, scaleColumns, dims);
    if (failed(found))
      return failure();
    block.second = *found;
  }
  scaling.dims.assign(dims.begin(), dims.end());
  scaling.dims.back() = scaleColumns;
  scaling.axis = int64_t(rank) - 1;
  scaling.blockSize = block.second;
  scaling.rows = block.first;
  return scaling;
}

FailureOr<Value> WeightImporter::makeScale(const Tensor &scale,
                                           const Scaling &scaling) {
  Type type = getType(scale.dtype, b.getContext());
  ArrayRef<char> data = scale.bytes.data;
  if (scale.dtype == DType::U8 || scale.dtype == DType::F8_E8M0) {
    type = b.getType<Float8E8M0FNUType>();
    const char *found = llvm::find(data, char(kNanScale));
    if (found != data.end())
      return diagnose(scale.subject, Diag::NanScale, found - data.begin());
  }
  if (scaling.rows == 1)
    return makeConstant(scale, type, scaling.dims, scale.bytes);
  ArrayRef<int64_t> dims = scaling.dims;
  int64_t rows = dims[dims.size() - 2], all = 1;
  for (int64_t dim : dims.drop_back())
    all *= dim;
  int64_t scaleRows = divideCeil(rows, scaling.rows);
  size_t size = data.size() / (all / rows * scaleRows);
  auto [bytes, rest] = allocateBytes(size * all);
  if (!rest)
    return diagnose(scale.subject, Diag::NoMemory, size * all);
  for (int64_t i = 0; i != all; ++i) {
    int64_t row = i / rows * scaleRows + i % rows / scaling.rows;
    rest = llvm::copy(data.slice(row * size, size), rest);
  }
  return makeConstant(scale, type, scaling.dims, bytes);
}

LogicalResult WeightImporter::checkShape(const Tensor &tensor,
                                         ArrayRef<int64_t> dims,
                                         const Tensor &other) {
  if (ArrayRef(tensor.dims) == dims)
    return success();
  return diagnose(tensor.subject, Diag::PartShape, spellShape(dims),
                  printable(other.name), spellShape(other.dims),
                  spellShape(tensor.dims));
}

FailureOr<Value> WeightImporter::importScaled(const Parts &parts) {
  const Tensor &quantized = *parts.quantized, &scale = *parts.others[0];
  const Tensor *zeros = parts.others[1];
  FailureOr<Scaling> scaling = getScaling(scale, quantized.dims);
  if (failed(scaling))
    return failure();
  FailureOr<Value> quantizedValue = importPlain(quantized);
  FailureOr<Value> scaleValue = makeScale(scale, *scaling);
  if (failed(quantizedValue) || failed(scaleValue))
    return failure();
  Value zeroValue;
  bool isInteger = quantized.dtype == DType::I8;
  if (zeros && isInteger && zeros->dtype != DType::I8)
    return diagnose(quantized.subject, Diag::NoPart, printable(zeros->name),
                    getName(DType::I8), getName(zeros->dtype));
  // A zero point per tensor may have rank 0 or 1.
  if (zeros && (zeros->count != 1 || scale.count != 1) &&
      failed(checkShape(*zeros, scale.dims, scale)))
    return failure();
  if (zeros && isInteger) {
    FailureOr<Value> made = makeScale(*zeros, *scaling);
    if (failed(made))
      return failure();
    zeroValue = *made;
  } else if (zeros) {
    // Floats have no zero points, but programs store zeros.
    const char *found =
        llvm::find_if(zeros->bytes.data, [](char byte) { return byte != 0; });
    if (found != zeros->bytes.data.end())
      return diagnose(zeros->subject, Diag::FloatZeroPoint,
                      int(uint8_t(*found)));
  }
  return module.dequantize(*quantizedValue, *scaleValue, zeroValue,
                           scaling->axis, scaling->blockSize);
}
