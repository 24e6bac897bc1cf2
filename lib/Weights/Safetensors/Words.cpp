//===- Words.cpp - Weights packed into 32-bit integers --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightImporter.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::safetensors_import;
using llvm::divideCeil;
using llvm::support::endian::read32le;
using llvm::support::endian::read64le;

FailureOr<int64_t>
WeightImporter::getBits(const Tensor &tensor, ArrayRef<int64_t> possible,
                        llvm::function_ref<bool(int64_t)> fits) {
  ArrayRef<int64_t> bitWidths = checkpoint.getConfig().bits;
  SmallVector<int64_t> found;
  for (int64_t bits : possible)
    if ((bitWidths.empty() || llvm::is_contained(bitWidths, bits)) &&
        fits(bits))
      found.push_back(bits);
  if (found.size() == 1)
    return found[0];
  return diagnose(tensor.subject, Diag::NoBits, spellShape(possible),
                  spellShape(tensor.dims),
                  bitWidths.empty() ? "no value in config.json"
                                    : spellShape(bitWidths));
}

/// Returns value `i` of a row of packed 32-bit integers.
static unsigned getPackedValue(const char *row, int64_t i, unsigned bits) {
  unsigned perInteger = 32 / bits;
  return read32le(row + 4 * (i / perInteger)) >> i % perInteger * bits &
         llvm::maskTrailingOnes<unsigned>(bits);
}

FailureOr<SmallVector<int64_t>>
WeightImporter::getOrder(const Tensor *groups, int64_t size, int64_t count) {
  SmallVector<int64_t> order;
  if (!groups)
    return order;
  ArrayRef<char> data = groups->bytes.data;
  SmallVector<SmallVector<int64_t>> members(count);
  bool isInOrder = true;
  for (int64_t i = 0, e = groups->count; i != e; ++i) {
    auto group = int32_t(read32le(data.data() + 4 * i));
    // compressed-tensors stores -1 everywhere if columns are not reordered.
    if (group == -1 && llvm::all_of(data, [](char c) { return c == -1; }))
      return order;
    if (group < 0 || group >= count)
      return diagnose(groups->subject, Diag::BadGroup, i, count - 1, group);
    members[group].push_back(i);
    isInOrder &= group == i / size;
  }
  if (isInOrder)
    return order;
  for (auto [group, columns] : llvm::enumerate(members)) {
    // The last group may be smaller.
    int64_t expected =
        std::min<int64_t>(size, groups->count - int64_t(group) * size);
    if (int64_t(columns.size()) != expected)
      return diagnose(groups->subject, Diag::UnevenGroups, group,
                      columns.size(), expected);
    llvm::append_range(order, columns);
  }
  return order;
}

/// Whether the groups of columns are consecutive, from 0.
static bool isInOrder(const Tensor &groups) {
  int64_t last = 0;
  for (int64_t i = 0, e = groups.count; i != e; ++i) {
    auto group = int32_t(read32le(groups.bytes.data.data() + 4 * i));
    if (group != last && (i == 0 || group != last + 1))
      return false;
    last = group;
  }
  return true;
}

Value WeightImporter::reorder(Value value, ArrayRef<int64_t> order) {
  if (order.empty())
    return value;
  SmallVector<int64_t> inverse(order.size());
  for (auto [position, column] : llvm::enumerate(order))
    inverse[column] = position;
  ArrayRef<int64_t> dims = cast<RankedTensorType>(value.getType()).getShape();
  return module.makeNode(
      "Gather", {value, module.makeConstant(inverse)}, dims,
      b.getNamedAttr("axis", b.getI64IntegerAttr(int64_t(dims.size()) - 1)));
}

FailureOr<Value> WeightImporter::importPacked(const Parts &parts) {
  const Tensor &packed = *parts.quantized, *scale = parts.others[0],
               *shape = parts.others[1], *zeros = parts.others[2],
               *groups = parts.others[3];
  if (packed.dims.size() != 2 || shape->count != 2)
    return diagnose(shape->subject, Diag::WeightShape, printable(packed.name),
                    spellShape(packed.dims), spellShape(shape->dims));
  auto getSize = [&](unsigned i) {
    const char *data = shape->bytes.data.data();
    return shape->dtype == DType::I64 ? int64_t(read64le(data + 8 * i))
                                      : int32_t(read32le(data + 4 * i));
  };
  int64_t rows = getSize(0), columns = getSize(1), integers = packed.dims[1];
  if (rows != packed.dims[0] || columns < 1 || columns > integers * 32)
    return diagnose(shape->subject, Diag::WeightShape, printable(packed.name),
                    spellShape(packed.dims), spellShape({rows, columns}));
  auto fits = [&](int64_t bits) {
    return int64_t(divideCeil(columns * bits, 32)) == integers;
  };
  FailureOr<int64_t> bits = getBits(packed, {2, 4, 8}, fits);
  FailureOr<Scaling> scaling = getScaling(*scale, {rows, columns});
  if (failed(bits) || failed(scaling))
    return failure();
  if (groups && failed(checkShape(*groups, {columns}, *shape)))
    return failure();
  bool hasBlocks = scaling->blockSize != 0;
  bool isGrouped = hasBlocks && scaling->rows == 1;
  // If groups of consecutive columns share one scale, their order is
  // irrelevant.
  FailureOr<SmallVector<int64_t>> order =
      getOrder(groups && !hasBlocks && isInOrder(*groups) ? nullptr : groups,
               hasBlocks ? scaling->blockSize : columns,
               hasBlocks ? scaling->dims.back() : 1);
  if (failed(order))
    return failure();

  Type type = b.getIntegerType(*bits);
  int offset = 1 << (*bits - 1);
  ElementsWriter unpacked(type, {rows, columns});
  if (!unpacked.hasMemory())
    return diagnose(packed.subject, Diag::NoMemory, unpacked.getSize());
  for (int64_t row = 0; row != rows; ++row)
    for (int64_t i = 0; i != columns; ++i)
      unpacked.add(
          int(getPackedValue(packed.bytes.data.data() + 4 * integers * row,
                             order->empty() ? i : (*order)[i], *bits)) -
          offset);
  FailureOr<Value> quantizedValue = finish(unpacked, packed);
  FailureOr<Value> scaleValue = makeScale(*scale, *scaling);
  if (failed(quantizedValue) || failed(scaleValue))
    return failure();
  Value zeroValue;
  if (zeros) {
    // Packed along the rows, for each group or for entire rows.
    int64_t perRow = isGrouped ? scaling->dims.back() : 1;
    if (!isGrouped && (scaling->blockSize || (!scaling->axis && rows != 1)))
      return diagnose(zeros->subject, Diag::ScaleShape, spellShape(zeros->dims),
                      spellShape({rows, columns}));
    if (failed(checkShape(
            *zeros, {int64_t(divideCeil(rows * *bits, 32)), perRow}, *scale)))
      return failure();
    ElementsWriter elements(type, scaling->dims);
    if (!elements.hasMemory())
      return diagnose(zeros->subject, Diag::NoMemory, elements.getSize());
    for (int64_t row = 0; row != rows; ++row)
      for (int64_t i = 0; i != perRow; ++i) {
        int64_t perInteger = 32 / *bits;
        const char *packedData =
            zeros->bytes.data.data() + 4 * (row / perInteger * perRow + i);
        elements.add(int(getPackedValue(packedData, row % perInteger, *bits)) -
                     offset);
      }
    FailureOr<Value> made = finish(elements, *zeros);
    if (failed(made))
      return failure();
    zeroValue = *made;
  }
  return reorder(module.dequantize(*quantizedValue, *scaleValue, zeroValue,
                                   scaling->axis, scaling->blockSize),
                 *order);
}

/// Transposes scales that are stored by inputs. If there is only one group, the
/// result has no axis for groups.
FailureOr<Value> WeightImporter::transpose(const Tensor &tensor) {
  int64_t rows = tensor.dims[0], columns = tensor.dims[1];
  ArrayRef<char> data = tensor.bytes.data;
  size_t size = data.size() / tensor.count;
  auto [bytes, rest] = allocateBytes(data.size());
  if (!rest)
    return diagnose(tensor.subject, Diag::NoMemory, data.size());
  for (int64_t column = 0; column != columns; ++column)
    for (int64_t row = 0; row != rows; ++row)
      rest =
          llvm::copy(data.slice((row * columns + column) * size, size), rest);
  SmallVector<int64_t> dims{columns};
  if (rows != 1)
    dims.push_back(rows);
  return makeConstant(tensor, getType(tensor.dtype, b.getContext()), dims,
                      bytes);
}

FailureOr<Value> WeightImporter::importPackedI32(const Parts &parts) {
  const Tensor &quantized = *parts.quantized, *scales = parts.others[0],
               *zeros = parts.others[1], *groupIndices = parts.others[2];
  const Config &config = checkpoint.getConfig();
  bool isAwq = config.method == "awq";
  if (!isAwq && config.method != "gptq")
    return diagnose(quantized.subject, Diag::NoMethod,
                    printable(config.method));
  bool hasFormat =
      config.format.empty() ||
      (isAwq ? config.format == "gemm" || config.format == "GEMM"
             : config.format == "gptq" || config.format == "gptq_v2");
  if (!hasFormat)
    return diagnose(quantized.subject, Diag::BadFormat,
                    isAwq ? "version" : "checkpoint_format",
                    printable(config.format));
  if (quantized.dims.size() != 2 || scales->dims.size() != 2 ||
      zeros->dims.empty())
    return diagnose(scales->subject, Diag::ScaleShape, spellShape(scales->dims),
                    spellShape(quantized.dims));
  int64_t groups = scales->dims[0], outputs = scales->dims[1];
  auto fits = [&](int64_t bits) {
    int64_t perInteger = 32 / bits;
    int64_t inputs = quantized.dims[0] * (isAwq ? 1 : perInteger);
    return outputs % perInteger == 0 && groups <= inputs &&
           quantized.dims[1] == (isAwq ? outputs / perInteger : outputs) &&
           zeros->dims.back() == outputs / perInteger;
  };
  FailureOr<int64_t> bits = isAwq ? getBits(quantized, {4}, fits)
                                  : getBits(quantized, {2, 4, 8}, fits);
  if (failed(bits))
    return failure();
  int64_t perInteger = 32 / *bits, columns = quantized.dims[1];
  int64_t inputs = quantized.dims[0] * (isAwq ? 1 : perInteger);
  if (failed(checkShape(*zeros, {groups, outputs / perInteger}, *scales)) ||
      (groupIndices && failed(checkShape(*groupIndices, {inputs}, quantized))))
    return failure();
  FailureOr<int64_t> found =
      getBlock(*scales, inputs, groups, {outputs, inputs});
  if (failed(found))
    return failure();
  int64_t size = *found;
  FailureOr<SmallVector<int64_t>> order = getOrder(groupIndices, size, groups);
  if (failed(order))
    return failure();

  Type type = getUnsigned(*bits);
  ElementsWriter unpacked(type, {outputs, inputs});
  if (!unpacked.hasMemory())
    return diagnose(quantized.subject, Diag::NoMemory, unpacked.getSize());
  auto getColumn = [&](int64_t output) {
    return isAwq ? output / 8 * 8 + kAwqPositions[output % 8] : output;
  };
  const char *data = quantized.bytes.data.data();
  for (int64_t output = 0; output != outputs; ++output)
    for (int64_t i = 0; i != inputs; ++i) {
      int64_t input = order->empty() ? i : (*order)[i];
      if (isAwq)
        unpacked.add(getPackedValue(data + 4 * columns * input,
                                    getColumn(output), *bits));
      else
        unpacked.add(
            getPackedValue(data + 4 * (input / perInteger * columns + output),
                           input % perInteger, *bits));
    }
  SmallVector<int64_t> dims{outputs};
  if (groups != 1)
    dims.push_back(groups);
  // Before version 2, GPTQ stores zero points minus one.
  unsigned less = !isAwq && config.format != "gptq_v2";
  ElementsWriter unpackedZeros(type, dims);
  if (!unpackedZeros.hasMemory())
    return diagnose(zeros->subject, Diag::NoMemory, unpackedZeros.getSize());
  for (int64_t output = 0; output != outputs; ++output)
    for (int64_t group = 0; group != groups; ++group) {
      unsigned zero =
          less + getPackedValue(zeros->bytes.data.data() +
                                    4 * (outputs / perInteger) * group,
                                getColumn(output), *bits);
      if (zero >> *bits)
        return diagnose(zeros->subject, Diag::ZeroPoint, zero - 1, *bits, zero);
      unpackedZeros.add(zero);
    }
  FailureOr<Value> quantizedValue = finish(unpacked, quantized);
  FailureOr<Value> scaleValue = transpose(*scales);
  FailureOr<Value> zeroValue = finish(unpackedZeros, *zeros);
  if (failed(quantizedValue) || failed(scaleValue) || failed(zeroValue))
    return failure();
  return reorder(module.dequantize(*quantizedValue, *scaleValue, *zeroValue,
                                   groups == 1 ? 0 : 1, groups == 1 ? 0 : size),
                 *order);
}

/// A byte has an i4 of each of two rows; the first row is in the low nibble.
FailureOr<Value> WeightImporter::importPairsOfRows(const Parts &parts) {
  const Tensor &pairs = *parts.quantized, &scale = *parts.others[0];
  if (pairs.dims.size() < 2)
    return diagnose(scale.subject, Diag::ScaleShape, spellShape(scale.dims),
                    spellShape(pairs.dims));
  SmallVector<int64_t> dims = pairs.dims;
  int64_t columns = dims.back();
  dims[dims.size() - 2] *= 2;
  // One scale for each group of each row.
  if (scale.dims.size() != dims.size() ||
      ArrayRef(scale.dims).drop_back() != ArrayRef(dims).drop_back())
    return diagnose(scale.subject, Diag::ScaleShape, spellShape(scale.dims),
                    spellShape(dims));
  FailureOr<Scaling> scaling = getScaling(scale, dims);
  if (failed(scaling))
    return failure();
  ElementsWriter unpacked(b.getI4Type(), dims);
  if (!unpacked.hasMemory())
    return diagnose(pairs.subject, Diag::NoMemory, unpacked.getSize());
  for (int64_t row = 0, e = 2 * (pairs.count / columns); row != e; ++row)
    for (int64_t i = 0; i != columns; ++i) {
      int pair = uint8_t(pairs.bytes.data[row / 2 * columns + i]);
      int value = pair >> 4 * (row % 2) & 15;
      unpacked.add((value ^ 8) - 8);
    }
  FailureOr<Value> quantizedValue = finish(unpacked, pairs);
  FailureOr<Value> scaleValue = makeScale(scale, *scaling);
  if (failed(quantizedValue) || failed(scaleValue))
    return failure();
  return module.dequantize(*quantizedValue, *scaleValue, /*zeroPoint=*/{},
                           scaling->axis, scaling->blockSize);
}
