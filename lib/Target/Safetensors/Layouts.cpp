//===- Layouts.cpp - Tensors that are a weight together -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layouts.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::safetensors_import;
using llvm::divideCeil;
using llvm::support::endian::read32le;
using llvm::support::endian::read64le;

/// Elements that share a scale in MXFP4 and in NVFP4.
static constexpr int64_t kMxGroup = 32, kNvGroup = 16;

namespace {
/// A tensor of a weight: what its name ends with, and its possible types.
struct Part {
  StringRef suffix;
  ArrayRef<DType> dtypes;
};

constexpr unsigned kMostParts = 4;

/// The tensors of a weight. Those that may be left out are null then.
struct Parts {
  const Tensor *codes;
  std::array<const Tensor *, kMostParts> others;
};

/// How scales lie along the codes, as `dequantize` wants it.
struct Scaling {
  SmallVector<int64_t> dims;
  std::optional<int64_t> axis;
  int64_t blockSize = 0;
  /// Rows that a row of the scales is for.
  int64_t rows = 1;
};

class Importer {
public:
  Importer(const Checkpoint &checkpoint, WeightsModule &module,
           MLIRContext *context)
      : checkpoint(checkpoint), module(module), b(context) {}

  FailureOr<Value> importPlain(const Tensor &tensor);
  FailureOr<Value> importScaled(const Parts &parts);
  FailureOr<Value> importPacked(const Parts &parts);
  FailureOr<Value> importMxfp4(const Parts &parts);
  FailureOr<Value> importNvfp4(const Parts &parts);
  FailureOr<Value> importModelOpt(const Parts &parts);
  FailureOr<Value> importWords(const Parts &parts);
  FailureOr<Value> importBlocks(const Parts &parts);

private:
  FailureOr<Value> makeConstant(const Tensor &tensor, Type type,
                                ArrayRef<int64_t> dims, SharedBytes bytes);
  FailureOr<Value> finish(ElementsWriter &elements, const Tensor &tensor);
  FailureOr<Scaling> getScaling(const Tensor &scale, ArrayRef<int64_t> dims);
  FailureOr<Value> makeScale(const Tensor &scale, const Scaling &scaling);
  FailureOr<Value> makeFloat4(const Tensor &codes, ArrayRef<int64_t> dims);
  /// f4E2M1FN in groups of `size`. The scale of scales, where there is one, is
  /// the second operand of `combine`.
  FailureOr<Value> importGroups(
      const Parts &parts, int64_t size,
      llvm::function_ref<Value(Value, Value, ArrayRef<int64_t>)> combine);
  FailureOr<Value> transpose(const Tensor &tensor);
  FailureOr<int64_t> getBits(const Tensor &tensor, ArrayRef<int64_t> possible,
                             llvm::function_ref<bool(int64_t)> fits);
  LogicalResult checkShape(const Tensor &tensor, ArrayRef<int64_t> dims,
                           const Tensor &other);
  /// The columns in the order of their groups, where they are in another one.
  FailureOr<SmallVector<int64_t>> getOrder(const Tensor *groups, int64_t size,
                                           int64_t count);
  /// Puts columns that are in that order where they belong.
  Value reorder(Value value, ArrayRef<int64_t> order);
  Type getUnsigned(unsigned width) {
    return b.getIntegerType(width, /*isSigned=*/false);
  }

  const Checkpoint &checkpoint;
  WeightsModule &module;
  Builder b;
};

struct Layout {
  Part codes;
  Part others[kMostParts];
  /// How many of the others must be there.
  unsigned required;
  /// Whether nothing else has codes of that name and type.
  bool isCertain;
  /// Of the weight, instead of that of the codes.
  StringRef suffix;
  FailureOr<Value> (Importer::*import)(const Parts &);
};
} // namespace

static constexpr DType kU8[] = {DType::U8}, kI32[] = {DType::I32},
                       kF32[] = {DType::F32}, kE4M3[] = {DType::F8_E4M3},
                       kF8[] = {DType::F8_E4M3, DType::F8_E5M2},
                       kE8M0[] = {DType::U8, DType::F8_E8M0},
                       kBytes[] = {DType::I8, DType::F8_E4M3, DType::F8_E5M2},
                       kFloats[] = {DType::F32, DType::F16, DType::BF16},
                       kSizes[] = {DType::I64, DType::I32};

/// The first that fits is taken.
static constexpr Layout kLayouts[] = {
    {{".weight_packed", kI32},
     {{".weight_scale", kFloats},
      {".weight_shape", kSizes},
      {".weight_zero_point", kI32},
      {".weight_g_idx", kI32}},
     2,
     true,
     ".weight",
     &Importer::importPacked},
    {{".weight_packed", kU8},
     {{".weight_scale", kE4M3}, {".weight_global_scale", kF32}},
     2,
     false,
     ".weight",
     &Importer::importNvfp4},
    {{".weight_packed", kU8},
     {{".weight_scale", kE8M0}},
     1,
     true,
     ".weight",
     &Importer::importMxfp4},
    {{".weight", kU8},
     {{".weight_scale", kE4M3}, {".weight_scale_2", kF32}},
     2,
     false,
     ".weight",
     &Importer::importModelOpt},
    {{".weight", kF8},
     {{".weight_scale", kE8M0}},
     1,
     false,
     ".weight",
     &Importer::importScaled},
    {{".weight", kBytes},
     {{".weight_scale", kFloats}, {".weight_zero_point", kBytes}},
     1,
     false,
     ".weight",
     &Importer::importScaled},
    {{".weight", kF8},
     {{".weight_scale_inv", kFloats}},
     1,
     false,
     ".weight",
     &Importer::importScaled},
    {{".qweight", kI32},
     {{".scales", kFloats}, {".qzeros", kI32}, {".g_idx", kI32}},
     2,
     true,
     ".weight",
     &Importer::importWords},
    {{"_blocks", kU8},
     {{"_scales", kE8M0}},
     1,
     false,
     "",
     &Importer::importBlocks},
};

FailureOr<Value> Importer::makeConstant(const Tensor &tensor, Type type,
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

FailureOr<Value> Importer::importPlain(const Tensor &tensor) {
  return makeConstant(tensor, getType(tensor.dtype, b.getContext()),
                      tensor.dims, tensor.bytes);
}

FailureOr<Value> Importer::finish(ElementsWriter &elements,
                                  const Tensor &tensor) {
  ElementsAttr attribute = elements.finish(tensor.name);
  if (!attribute)
    return diagnose(tensor.subject, Diag::NoMemory, elements.getSize());
  return module.makeConstant(attribute);
}

FailureOr<Scaling> Importer::getScaling(const Tensor &scale,
                                        ArrayRef<int64_t> dims) {
  ArrayRef<int64_t> given = scale.dims;
  Scaling scaling;
  if (scale.count == 1)
    return scaling;
  bool isMatrix = dims.size() == 2;
  // One for each row.
  if (isMatrix && given[0] == dims[0] &&
      (given.size() == 1 || (given.size() == 2 && given[1] == 1))) {
    scaling.dims = {dims[0]};
    scaling.axis = 0;
    return scaling;
  }
  if (given.size() != dims.size())
    return diagnose(scale.subject, Diag::ScaleShape, spellShape(given),
                    spellShape(dims));
  scaling.dims.assign(dims.begin(), dims.end());
  scaling.axis = int64_t(dims.size()) - 1;
  scaling.dims.back() = given.back();
  if (given.drop_back() == dims.drop_back() &&
      dims.back() % given.back() == 0) {
    scaling.blockSize = dims.back() / given.back();
    return scaling;
  }
  auto [rows, columns] = checkpoint.getConfig().block;
  if (isMatrix && rows == 0 && dims[0] % given[0] == 0 &&
      dims[1] % given[1] == 0) {
    rows = dims[0] / given[0];
    columns = dims[1] / given[1];
  }
  if (!isMatrix || rows == 0 ||
      int64_t(divideCeil(dims[0], rows)) != given[0] ||
      int64_t(divideCeil(dims[1], columns)) != given[1])
    return diagnose(scale.subject, Diag::ScaleShape, spellShape(given),
                    spellShape(dims));
  scaling.blockSize = columns;
  scaling.rows = rows;
  return scaling;
}

FailureOr<Value> Importer::makeScale(const Tensor &scale,
                                     const Scaling &scaling) {
  Type type = getType(scale.dtype, b.getContext());
  ArrayRef<char> data = scale.bytes.data;
  if (scale.dtype == DType::U8) {
    type = b.getType<Float8E8M0FNUType>();
    const char *found = llvm::find(data, char(kNanScale));
    if (found != data.end())
      return diagnose(scale.subject, Diag::NanScale, found - data.begin());
  }
  if (scaling.rows == 1)
    return makeConstant(scale, type, scaling.dims, scale.bytes);
  size_t row = data.size() / scale.dims[0];
  auto [bytes, rest] = allocateBytes(row * scaling.dims[0]);
  if (!rest)
    return diagnose(scale.subject, Diag::NoMemory, row * scaling.dims[0]);
  for (int64_t i = 0; i != scaling.dims[0]; ++i)
    rest = llvm::copy(data.slice(i / scaling.rows * row, row), rest);
  return makeConstant(scale, type, scaling.dims, bytes);
}

LogicalResult Importer::checkShape(const Tensor &tensor, ArrayRef<int64_t> dims,
                                   const Tensor &other) {
  if (ArrayRef(tensor.dims) == dims)
    return success();
  return diagnose(tensor.subject, Diag::PartShape, spellShape(dims),
                  printable(other.name), spellShape(other.dims),
                  spellShape(tensor.dims));
}

FailureOr<Value> Importer::importScaled(const Parts &parts) {
  const Tensor &codes = *parts.codes, &scale = *parts.others[0];
  const Tensor *zeros = parts.others[1];
  FailureOr<Scaling> scaling = getScaling(scale, codes.dims);
  if (failed(scaling))
    return failure();
  FailureOr<Value> codeValue = importPlain(codes);
  FailureOr<Value> scaleValue = makeScale(scale, *scaling);
  if (failed(codeValue) || failed(scaleValue))
    return failure();
  Value zeroValue;
  if (zeros && codes.dtype == DType::I8 && zeros->dtype == DType::I8) {
    if (failed(checkShape(*zeros, scale.dims, scale)))
      return failure();
    FailureOr<Value> made = makeScale(*zeros, *scaling);
    if (failed(made))
      return failure();
    zeroValue = *made;
  } else if (zeros) {
    // Floats have none; programs store zeros all the same.
    const char *found =
        llvm::find_if(zeros->bytes.data, [](char byte) { return byte != 0; });
    if (found != zeros->bytes.data.end())
      return diagnose(zeros->subject, Diag::FloatZeroPoint,
                      int(uint8_t(*found)));
  }
  return module.dequantize(*codeValue, *scaleValue, zeroValue, scaling->axis,
                           scaling->blockSize);
}

FailureOr<int64_t> Importer::getBits(const Tensor &tensor,
                                     ArrayRef<int64_t> possible,
                                     llvm::function_ref<bool(int64_t)> fits) {
  ArrayRef<int64_t> given = checkpoint.getConfig().bits;
  SmallVector<int64_t> found;
  for (int64_t bits : possible)
    if ((given.empty() || llvm::is_contained(given, bits)) && fits(bits))
      found.push_back(bits);
  if (found.size() == 1)
    return found[0];
  return diagnose(tensor.subject, Diag::NoBits, spellShape(possible),
                  spellShape(tensor.dims),
                  given.empty() ? "no config.json that says it"
                                : spellShape(given));
}

/// Code `i` of a row of words.
static unsigned getCode(const char *words, int64_t i, unsigned bits) {
  unsigned perWord = 32 / bits;
  return read32le(words + 4 * (i / perWord)) >> i % perWord * bits &
         llvm::maskTrailingOnes<unsigned>(bits);
}

FailureOr<SmallVector<int64_t>>
Importer::getOrder(const Tensor *groups, int64_t size, int64_t count) {
  SmallVector<int64_t> order;
  if (!groups)
    return order;
  ArrayRef<char> data = groups->bytes.data;
  SmallVector<SmallVector<int64_t>> members(count);
  bool isInOrder = true;
  for (int64_t i = 0, e = groups->count; i != e; ++i) {
    auto group = int32_t(read32le(data.data() + 4 * i));
    // How compressed-tensors says that there is no order.
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
    if (int64_t(columns.size()) != size)
      return diagnose(groups->subject, Diag::UnevenGroups, group,
                      columns.size(), size);
    llvm::append_range(order, columns);
  }
  return order;
}

Value Importer::reorder(Value value, ArrayRef<int64_t> order) {
  if (order.empty())
    return value;
  SmallVector<int64_t> places(order.size());
  for (auto [place, column] : llvm::enumerate(order))
    places[column] = place;
  ArrayRef<int64_t> dims = cast<RankedTensorType>(value.getType()).getShape();
  return module.makeNode(
      "Gather", {value, module.makeConstant(places)}, dims,
      b.getNamedAttr("axis", b.getI64IntegerAttr(int64_t(dims.size()) - 1)));
}

FailureOr<Value> Importer::importPacked(const Parts &parts) {
  const Tensor &packed = *parts.codes, *scale = parts.others[0],
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
  int64_t rows = getSize(0), columns = getSize(1), words = packed.dims[1];
  if (rows != packed.dims[0] || columns < 1 || columns > words * 32)
    return diagnose(shape->subject, Diag::WeightShape, printable(packed.name),
                    spellShape(packed.dims), spellShape({rows, columns}));
  auto fits = [&](int64_t bits) {
    return int64_t(divideCeil(columns * bits, 32)) == words;
  };
  FailureOr<int64_t> bits = getBits(packed, {2, 4, 8}, fits);
  FailureOr<Scaling> scaling = getScaling(*scale, {rows, columns});
  if (failed(bits) || failed(scaling))
    return failure();
  if (groups && failed(checkShape(*groups, {columns}, *shape)))
    return failure();
  bool isGrouped = scaling->blockSize != 0 && scaling->rows == 1;
  FailureOr<SmallVector<int64_t>> order =
      getOrder(isGrouped ? groups : nullptr, scaling->blockSize,
               isGrouped ? scaling->dims.back() : 0);
  if (failed(order))
    return failure();

  Type type = b.getIntegerType(*bits);
  int offset = 1 << (*bits - 1);
  ElementsWriter codes(type, {rows, columns});
  if (!codes.hasMemory())
    return diagnose(packed.subject, Diag::NoMemory, codes.getSize());
  for (int64_t row = 0; row != rows; ++row)
    for (int64_t i = 0; i != columns; ++i)
      codes.add(int(getCode(packed.bytes.data.data() + 4 * words * row,
                            order->empty() ? i : (*order)[i], *bits)) -
                offset);
  FailureOr<Value> codeValue = finish(codes, packed);
  FailureOr<Value> scaleValue = makeScale(*scale, *scaling);
  if (failed(codeValue) || failed(scaleValue))
    return failure();
  Value zeroValue;
  if (zeros) {
    // Packed along the rows, of groups or of whole rows.
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
        int64_t perWord = 32 / *bits;
        const char *word =
            zeros->bytes.data.data() + 4 * (row / perWord * perRow + i);
        elements.add(int(getCode(word, row % perWord, *bits)) - offset);
      }
    FailureOr<Value> made = finish(elements, *zeros);
    if (failed(made))
      return failure();
    zeroValue = *made;
  }
  return reorder(module.dequantize(*codeValue, *scaleValue, zeroValue,
                                   scaling->axis, scaling->blockSize),
                 *order);
}

/// Two codes in a byte, the first in its low half.
FailureOr<Value> Importer::makeFloat4(const Tensor &codes,
                                      ArrayRef<int64_t> dims) {
  return makeConstant(codes, b.getType<Float4E2M1FNType>(), dims, codes.bytes);
}

static SmallVector<int64_t> getUnpackedDims(const Tensor &codes) {
  SmallVector<int64_t> dims = codes.dims;
  if (!dims.empty())
    dims.back() *= 2;
  return dims;
}

FailureOr<Value> Importer::importGroups(
    const Parts &parts, int64_t size,
    llvm::function_ref<Value(Value, Value, ArrayRef<int64_t>)> combine) {
  const Tensor &codes = *parts.codes, &scale = *parts.others[0];
  const Tensor *whole = parts.others[1];
  SmallVector<int64_t> dims = getUnpackedDims(codes);
  Scaling scaling{dims, int64_t(dims.size()) - 1, size, 1};
  // Codes of other widths come under the same names.
  if (dims.empty() || dims.back() % size)
    return diagnose(scale.subject, Diag::ScaleShape, spellShape(scale.dims),
                    spellShape(dims));
  scaling.dims.back() /= size;
  if (failed(checkShape(scale, scaling.dims, codes)))
    return failure();
  if (whole && whole->count != 1)
    return checkShape(*whole, {1}, scale);
  FailureOr<Value> codeValue = makeFloat4(codes, dims);
  FailureOr<Value> scaleValue = makeScale(scale, scaling);
  if (failed(codeValue) || failed(scaleValue))
    return failure();
  if (whole) {
    FailureOr<Value> wholeValue =
        makeConstant(*whole, b.getF32Type(), {}, whole->bytes);
    if (failed(wholeValue))
      return failure();
    *scaleValue = combine(*scaleValue, *wholeValue, scaling.dims);
  }
  return module.dequantize(*codeValue, *scaleValue, /*zeroPoint=*/{},
                           scaling.axis, scaling.blockSize);
}

FailureOr<Value> Importer::importMxfp4(const Parts &parts) {
  return importGroups(parts, kMxGroup, nullptr);
}

FailureOr<Value> Importer::importNvfp4(const Parts &parts) {
  return importGroups(parts, kNvGroup,
                      [&](Value scale, Value whole, ArrayRef<int64_t> dims) {
                        Value wide = module.cast(scale, b.getF32Type());
                        return module.makeNode("Div", {wide, whole}, dims);
                      });
}

FailureOr<Value> Importer::importModelOpt(const Parts &parts) {
  return importGroups(
      parts, kNvGroup, [&](Value scale, Value whole, ArrayRef<int64_t>) {
        return module.dequantize(scale, whole, /*zeroPoint=*/{},
                                 /*axis=*/std::nullopt, /*blockSize=*/0);
      });
}

FailureOr<Value> Importer::importBlocks(const Parts &parts) {
  const Tensor &blocks = *parts.codes, &scales = *parts.others[0];
  SmallVector<int64_t> dims = getUnpackedDims(blocks);
  if (dims.size() < 2 || dims.back() != kMxGroup)
    return diagnose(scales.subject, Diag::ScaleShape, spellShape(scales.dims),
                    spellShape(dims));
  if (failed(checkShape(scales, ArrayRef(blocks.dims).drop_back(), blocks)))
    return failure();
  dims.pop_back();
  dims.back() *= kMxGroup;
  Scaling scaling{scales.dims, int64_t(dims.size()) - 1, kMxGroup, 1};
  FailureOr<Value> codes = makeFloat4(blocks, dims);
  FailureOr<Value> scale = makeScale(scales, scaling);
  if (failed(codes) || failed(scale))
    return failure();
  return module.dequantize(*codes, *scale, /*zeroPoint=*/{}, scaling.axis,
                           scaling.blockSize);
}

/// Scales by outputs of those by inputs; without the axis of the groups where
/// there is one.
FailureOr<Value> Importer::transpose(const Tensor &tensor) {
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

FailureOr<Value> Importer::importWords(const Parts &parts) {
  const Tensor &words = *parts.codes, *scales = parts.others[0],
               *zeros = parts.others[1], *groupIndices = parts.others[2];
  const Config &config = checkpoint.getConfig();
  bool isAwq = config.method == "awq";
  if (!isAwq && config.method != "gptq")
    return diagnose(words.subject, Diag::NoMethod, printable(config.method));
  bool hasFormat =
      config.format.empty() ||
      (isAwq ? config.format == "gemm" || config.format == "GEMM"
             : config.format == "gptq" || config.format == "gptq_v2");
  if (!hasFormat)
    return diagnose(words.subject, Diag::BadFormat,
                    isAwq ? "version" : "checkpoint_format",
                    printable(config.format));
  if (words.dims.size() != 2 || scales->dims.size() != 2 || zeros->dims.empty())
    return diagnose(scales->subject, Diag::ScaleShape, spellShape(scales->dims),
                    spellShape(words.dims));
  int64_t groups = scales->dims[0], outputs = scales->dims[1];
  auto fits = [&](int64_t bits) {
    int64_t perWord = 32 / bits;
    int64_t inputs = words.dims[0] * (isAwq ? 1 : perWord);
    return outputs % perWord == 0 && inputs % groups == 0 &&
           words.dims[1] == (isAwq ? outputs / perWord : outputs) &&
           zeros->dims.back() == outputs / perWord;
  };
  FailureOr<int64_t> bits =
      isAwq ? getBits(words, {4}, fits) : getBits(words, {2, 4, 8}, fits);
  if (failed(bits))
    return failure();
  int64_t perWord = 32 / *bits, columns = words.dims[1];
  int64_t inputs = words.dims[0] * (isAwq ? 1 : perWord);
  if (failed(checkShape(*zeros, {groups, outputs / perWord}, *scales)) ||
      (groupIndices && failed(checkShape(*groupIndices, {inputs}, words))))
    return failure();
  int64_t size = inputs / groups;
  FailureOr<SmallVector<int64_t>> order = getOrder(groupIndices, size, groups);
  if (failed(order))
    return failure();

  Type type = getUnsigned(*bits);
  ElementsWriter codes(type, {outputs, inputs});
  if (!codes.hasMemory())
    return diagnose(words.subject, Diag::NoMemory, codes.getSize());
  auto getPlace = [&](int64_t output) {
    return isAwq ? output / 8 * 8 + kAwqPlaces[output % 8] : output;
  };
  const char *data = words.bytes.data.data();
  for (int64_t output = 0; output != outputs; ++output)
    for (int64_t i = 0; i != inputs; ++i) {
      int64_t input = order->empty() ? i : (*order)[i];
      if (isAwq)
        codes.add(getCode(data + 4 * columns * input, getPlace(output), *bits));
      else
        codes.add(getCode(data + 4 * (input / perWord * columns + output),
                          input % perWord, *bits));
    }
  SmallVector<int64_t> dims{outputs};
  if (groups != 1)
    dims.push_back(groups);
  // Before version 2 GPTQ's are less one.
  unsigned less = !isAwq && config.format != "gptq_v2";
  ElementsWriter zeroCodes(type, dims);
  if (!zeroCodes.hasMemory())
    return diagnose(zeros->subject, Diag::NoMemory, zeroCodes.getSize());
  for (int64_t output = 0; output != outputs; ++output)
    for (int64_t group = 0; group != groups; ++group) {
      unsigned zero = less + getCode(zeros->bytes.data.data() +
                                         4 * (outputs / perWord) * group,
                                     getPlace(output), *bits);
      if (zero >> *bits)
        return diagnose(zeros->subject, Diag::ZeroPoint, zero - 1, *bits, zero);
      zeroCodes.add(zero);
    }
  FailureOr<Value> codeValue = finish(codes, words);
  FailureOr<Value> scaleValue = transpose(*scales);
  FailureOr<Value> zeroValue = finish(zeroCodes, *zeros);
  if (failed(codeValue) || failed(scaleValue) || failed(zeroValue))
    return failure();
  return reorder(module.dequantize(*codeValue, *scaleValue, *zeroValue,
                                   groups == 1 ? 0 : 1, groups == 1 ? 0 : size),
                 *order);
}

/// "U8 or F8_E8M0".
static std::string spell(ArrayRef<DType> dtypes) {
  std::string text;
  for (DType dtype : dtypes)
    text += (text.empty() ? "" : " or ") + getName(dtype).str();
  return text;
}

/// The name that a part of the weight `prefix` has.
static std::string getName(StringRef prefix, StringRef suffix) {
  if (prefix.empty())
    suffix.consume_front(".");
  return (prefix + suffix).str();
}

namespace {
/// A weight, by its codes.
struct Found {
  const Layout *layout = nullptr;
  Parts parts;
  std::string name;
};

/// What a tensor is the codes of, by the names and types of all.
struct Match {
  const Layout *layout = nullptr;
  StringRef prefix;
  /// A part that is not there, or is of another type.
  const Part *absent = nullptr;
};
} // namespace

static Match match(StringRef name, DType dtype, FindDType find) {
  for (const Layout &layout : kLayouts) {
    StringRef prefix = name;
    if (!prefix.consume_back(layout.codes.suffix) &&
        !prefix.consume_back(getName("", layout.codes.suffix)))
      continue;
    if (getName(prefix, layout.codes.suffix) != name ||
        !llvm::is_contained(layout.codes.dtypes, dtype))
      continue;
    const Part *absent = nullptr;
    for (auto [i, part] : llvm::enumerate(layout.others)) {
      if (part.suffix.empty() || absent)
        continue;
      std::optional<DType> other = find(getName(prefix, part.suffix));
      if (other ? !llvm::is_contained(part.dtypes, *other)
                : i < layout.required)
        absent = &part;
    }
    if (!absent || layout.isCertain)
      return {&layout, prefix, absent};
  }
  return {};
}

bool safetensors_import::isPartOfWeight(StringRef name, DType dtype,
                                        FindDType find) {
  return match(name, dtype, find).layout;
}

/// What the tensor is the codes of, if anything.
static LogicalResult findLayout(const Checkpoint &checkpoint,
                                const Tensor &tensor, Found &found) {
  Match matched = match(tensor.name, tensor.dtype, [&](StringRef name) {
    const Tensor *other = checkpoint.find(name);
    return other ? std::optional(other->dtype) : std::nullopt;
  });
  const auto &[layout, prefix, absent] = matched;
  if (!layout)
    return success();
  if (absent)
    return diagnose(tensor.subject, Diag::NoPart,
                    printable(getName(prefix, absent->suffix)),
                    spell(absent->dtypes));
  found = {layout, {&tensor, {}}, getName(prefix, layout->suffix)};
  for (auto [part, other] : llvm::zip(layout->others, found.parts.others))
    if (!part.suffix.empty())
      other = checkpoint.find(getName(prefix, part.suffix));
  return success();
}

/// Whether codes are of 2 bits, as far as shapes say it.
static bool hasPairs(const Found &found) {
  const Tensor &codes = *found.parts.codes;
  const auto &others = found.parts.others;
  if (codes.dims.empty())
    return false;
  if (found.layout->import == &Importer::importWords)
    return !others[0]->dims.empty() && !others[1]->dims.empty() &&
           others[0]->dims.back() == 16 * others[1]->dims.back();
  if (found.layout->import != &Importer::importPacked ||
      others[1]->bytes.data.empty())
    return false;
  // Sizes are in little endian, and the second one is the last.
  ArrayRef<char> sizes = others[1]->bytes.data;
  uint32_t columns = read32le(sizes.data() + sizes.size() / 2);
  return codes.dims.back() == int64_t(divideCeil(columns, 16));
}

/// The first opset of DequantizeLinear that has the types of a weight; 24 has
/// f8E8M0FNU, 25 codes of 2 bits.
static int64_t getLeastOpset(const Found &found) {
  if (hasPairs(found))
    return 25;
  DType scale = found.parts.others[0]->dtype;
  return scale == DType::U8 || scale == DType::F8_E8M0 ? 24 : 23;
}

OwningOpRef<ModuleOp>
safetensors_import::importWeights(const Checkpoint &checkpoint, Location loc) {
  ArrayRef<Tensor> tensors = checkpoint.getTensors();
  std::vector<Found> weights(tensors.size());
  llvm::SmallPtrSet<const Tensor *, 16> used;
  int64_t opset = 23;
  for (auto [tensor, found] : llvm::zip(tensors, weights)) {
    if (failed(findLayout(checkpoint, tensor, found)))
      return nullptr;
    if (tensor.dtype == DType::F8_E8M0)
      opset = std::max<int64_t>(opset, 24);
    if (!found.layout)
      continue;
    for (const Tensor *part : found.parts.others)
      used.insert(part);
    opset = std::max(opset, getLeastOpset(found));
  }

  WeightsModule module(loc, opset);
  Importer importer(checkpoint, module, loc.getContext());
  for (auto [tensor, found] : llvm::zip(tensors, weights)) {
    if (!found.layout && used.contains(&tensor))
      continue;
    module.setLoc(tensor.subject.loc);
    FailureOr<Value> value;
    std::string name = tensor.name;
    if (found.layout) {
      name = found.name;
      if (const Tensor *other = checkpoint.find(name);
          other && other != &tensor) {
        (void)diagnose(tensor.subject, Diag::NameTaken, printable(name));
        return nullptr;
      }
      if (tensor.count == 0) {
        (void)diagnose(tensor.subject, Diag::Empty, spellShape(tensor.dims));
        return nullptr;
      }
      for (const Tensor *part : found.parts.others)
        if (part && part->count == 0) {
          (void)diagnose(part->subject, Diag::Empty, spellShape(part->dims));
          return nullptr;
        }
      value = (importer.*found.layout->import)(found.parts);
    } else {
      value = importer.importPlain(tensor);
    }
    if (failed(value))
      return nullptr;
    module.addResult(name, *value);
  }
  return module.finish();
}
