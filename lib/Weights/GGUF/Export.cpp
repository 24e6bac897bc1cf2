//===- Export.cpp - quant_float dialect to GGUF files ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Weights/GGUF/Export.h"
#include "../../Interchange/Elements.h"
#include "../Common/QuantizedWeight.h"
#include "Diagnostics.h"
#include "Formats.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/EndianStream.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SourceMgr.h"
#include <cmath>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::gguf_import;
using MinimumForm = QuantizedWeight::MinimumForm;

/// ggml's limits. The name's excludes the terminating zero.
static constexpr size_t kMaxDims = 4, kLongestName = 63;

/// The alignment of each tensor in the file.
static constexpr uint64_t kAlignment = 32;

/// The encoding of NaN in f8E8M0FNU.
static constexpr uint32_t kNanScale = 255;

/// The block size of the formats with one level of scales.
static constexpr int64_t kSmallestBlock = 32;

namespace {
/// Encodes a weight in blocks of one format.
class BlockEncoder {
public:
  BlockEncoder(const QuantizedWeight &weight, const BlockFormat &format)
      : weight(weight), format(format) {}

  /// Whether every block, encoded and decoded again, is equal to the weight.
  bool fits() const;
  void write(raw_ostream &os) const;

private:
  bool fitsForm() const;
  /// Returns false if no block can represent one of the numbers.
  bool makeBlock(int64_t number, DecodedBlock &block) const;
  int64_t countBlocks() const {
    return weight.quantized.count / format.elements;
  }

  const QuantizedWeight &weight;
  const BlockFormat &format;
};

/// A tensor and the format in which it is written.
struct Planned {
  const StoredTensor *tensor;
  unsigned number;
  const BlockFormat *format;
  uint64_t size;
};
} // namespace

static bool isFloat4(const QuantizedWeight &weight) {
  return isa<Float4E2M1FNType>(weight.quantized.type);
}

/// Returns the encoding of the f16 with this exact value, or nullopt if there
/// is none.
static std::optional<uint16_t> getHalf(float value) {
  llvm::APFloat half(value);
  bool losesInfo;
  half.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmNearestTiesToEven,
               &losesInfo);
  if (losesInfo || half.isNaN())
    return std::nullopt;
  return half.bitcastToAPInt().getZExtValue();
}

/// Returns the block's encoding of scale `i`, or of its factor if `isFactor`.
static std::optional<uint16_t> getBlockScale(const Scales &scales, int64_t i,
                                             bool isFactor) {
  if (isFactor)
    return scales.factor.getBits(scales.getFactorIndex(i));
  bool isPlain = scales.form == Scales::Form::Plain;
  // ggml does not treat the encoding of NaN as NaN.
  if (isPlain && isa<Float8E8M0FNUType>(scales.values.type))
    if (uint32_t bits = scales.values.getBits(i); bits != kNanScale)
      return bits;
  // Copy the bits, so that NaNs are preserved.
  if (isPlain && scales.values.type.isF16())
    return scales.values.getBits(i);
  return getHalf(scales.get(i));
}

/// Whether the scales are products of integers and f16 factors.
static bool isTwoLevels(const Scales &scales) {
  return scales.form == Scales::Form::Product &&
         scales.values.type.isInteger() && scales.factor.type.isF16();
}

/// Whether the scales are products of f8E4M3FN and f32 factors, one for the
/// whole tensor or one for each matrix.
static bool hasTensorScale(const QuantizedWeight &weight) {
  const Scales &scales = weight.scales;
  return scales.form == Scales::Form::Product &&
         isa<Float8E4M3FNType>(scales.values.type) &&
         scales.factor.type.isF32() &&
         (scales.factor.count == 1 ||
          (weight.dims.size() > 2 && scales.factor.count == weight.dims[0]));
}

bool BlockEncoder::fitsForm() const {
  const Scales &scales = weight.scales;
  MinimumForm minimumForm = format.minimum == Minimum::None ? MinimumForm::None
                            : format.minimum == Minimum::Added
                                ? MinimumForm::Added
                                : MinimumForm::Subtracted;
  if (minimumForm != weight.minimumForm ||
      (!isFloat4(weight) && !weight.quantized.type.isInteger()) ||
      isFloat4(weight) != (format.storage == Storage::F4) ||
      weight.columns % format.elements != 0)
    return false;
  if (format.hasTensorScale())
    return weight.group == format.group && hasTensorScale(weight) &&
           scales.values.count == weight.rows * weight.getGroups();
  if (isFloat4(weight) != isa<Float8E8M0FNUType>(scales.values.type))
    return false;
  if (!format.hasQuantizedScales())
    return weight.group % format.elements == 0;
  auto fitsLevels = [&](const Scales &levels) {
    return isTwoLevels(levels) &&
           (levels.factor.count == 1 ||
            levels.shared * weight.group % format.elements == 0);
  };
  return weight.group == format.group && fitsLevels(scales) &&
         (format.minimum == Minimum::None || fitsLevels(weight.minimums));
}

bool BlockEncoder::makeBlock(int64_t number, DecodedBlock &block) const {
  block = {};
  int64_t first = number * format.elements;
  int64_t row = first / weight.columns, column = first % weight.columns;
  std::array<int16_t, kMaxElements> quantized;
  weight.quantized.getElements(
      first, MutableArrayRef(quantized).take_front(format.elements));
  int64_t zero = 0;
  for (unsigned i = 0; i != format.elements; ++i) {
    // Each group consists of full blocks, or each block of full groups.
    if (weight.zeros && i % format.group == 0)
      zero = weight.getZero(weight.getScaleIndex(row, column + i));
    int64_t difference = quantized[i] - zero;
    if (difference < -128 || difference > 127)
      return false;
    block.quantized[i] = difference;
  }
  int64_t index = weight.getScaleIndex(row, column);
  bool hasQuantizedScales = format.hasQuantizedScales();
  auto add = [&](const Scales &scales, uint16_t &blockScale,
                 std::array<int8_t, kMaxScales> &parts) {
    if (!format.hasTensorScale()) {
      std::optional<uint16_t> bits =
          getBlockScale(scales, index, hasQuantizedScales);
      if (!bits)
        return false;
      blockScale = *bits;
    }
    for (unsigned i = 0;
         hasQuantizedScales && i != format.elements / format.group; ++i)
      parts[i] = scales.values.getInteger(index + i);
    return true;
  };
  return add(weight.scales, block.scale, block.scales) &&
         (format.minimum == Minimum::None ||
          add(weight.minimums, block.minimum, block.minimums));
}

bool BlockEncoder::fits() const {
  if (!fitsForm())
    return false;
  DecodedBlock expected;
  SmallVector<uint8_t, 256> bytes;
  for (int64_t i = 0, e = countBlocks(); i != e; ++i) {
    if (!makeBlock(i, expected))
      return false;
    bytes.assign(format.bytes, 0);
    format.encode(expected, bytes.data());
    DecodedBlock found = {};
    format.decode(bytes.data(), found);
    if (!(found == expected))
      return false;
  }
  return true;
}

void BlockEncoder::write(raw_ostream &os) const {
  DecodedBlock block;
  SmallVector<uint8_t, 256> bytes;
  for (int64_t i = 0, e = countBlocks(); i != e; ++i) {
    makeBlock(i, block);
    bytes.assign(format.bytes, 0);
    format.encode(block, bytes.data());
    os.write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  }
}

/// Emits an error with the reason why no format fits.
static LogicalResult explain(const Subject &subject,
                             const QuantizedWeight &weight) {
  const Scales &scales = weight.scales;
  if (!weight.quantized.type.isInteger() && !isFloat4(weight))
    return diagnose(subject, Diag::NoQuantizedType, weight.quantized.type);
  if (weight.columns % kSmallestBlock)
    return diagnose(subject, Diag::UnevenRow, weight.columns, kSmallestBlock);
  for (const BlockFormat &format : getBlockFormats()) {
    if (!format.hasTensorScale() || !isFloat4(weight) ||
        !hasTensorScale(weight) || weight.group != format.group)
      continue;
    if (weight.columns % format.elements)
      return diagnose(subject, Diag::UnevenBlock, weight.columns,
                      format.elements, format.name);
    for (int64_t i = 0; i != scales.values.count; ++i)
      if (float value = scales.values.getFloat(i);
          std::signbit(value) || std::isnan(value))
        return diagnose(subject, Diag::SignedScale, i, spell(value));
  }
  if (scales.form == Scales::Form::Plain && weight.group % kSmallestBlock)
    return diagnose(subject, Diag::UnevenGroup, weight.group, kSmallestBlock);
  for (int64_t i = 0; weight.zeros && i != weight.quantized.count; ++i) {
    int64_t row = i / weight.columns, column = i % weight.columns;
    int64_t value = weight.quantized.getInteger(i);
    int64_t zero = weight.getZero(weight.getScaleIndex(row, column));
    if (value - zero < -128 || value - zero > 127)
      return diagnose(subject, Diag::WideValue, value, zero, value - zero);
  }
  bool isMicro = isa<Float8E8M0FNUType>(scales.values.type);
  for (int64_t i = 0; i != scales.values.count && isMicro; ++i)
    if (scales.values.getBits(i) == kNanScale)
      return diagnose(subject, Diag::NanScale, i);
  if (!isFloat4(weight) && !isTwoLevels(scales))
    for (int64_t i = 0; i != scales.values.count; ++i)
      if (!getBlockScale(scales, i, /*isFactor=*/false))
        return diagnose(subject, Diag::InexactScale, i, spell(scales.get(i)));
  std::string types;
  llvm::raw_string_ostream(types)
      << (scales.form == Scales::Form::Plain ? "" : "two levels of ")
      << "scales of type " << scales.values.type
      << (weight.minimumForm == MinimumForm::None ? "" : ", and minimums");
  return diagnose(subject, Diag::NoBlockFormat, weight.quantized.type,
                  weight.group, types);
}

static LogicalResult plan(const StoredTensor &tensor, Planned &planned) {
  const Subject &subject = tensor.subject;
  planned = {&tensor, 0, nullptr, 0};
  if (tensor.name.size() > kLongestName)
    return diagnose(subject, Diag::LongName, kLongestName, tensor.name.size());
  if (tensor.getDims().size() > kMaxDims)
    return diagnose(subject, Diag::ManyDims, kMaxDims,
                    spellShape(tensor.getDims()));
  if (const auto *constant = std::get_if<Constant>(&tensor.value)) {
    std::optional<unsigned> number = getNumber(constant->type);
    if (!number)
      return diagnose(subject, Diag::NoElementType, constant->type);
    planned.number = *number;
    planned.size = constant->bytes.data.size();
    return success();
  }
  const auto &weight = std::get<QuantizedWeight>(tensor.value);
  if (!weight.columnOrder.empty())
    return diagnose(subject, Diag::NoOrder);
  // Try the formats in the order of their bits per element.
  SmallVector<const BlockFormat *> formats;
  for (const BlockFormat &format : getBlockFormats())
    formats.push_back(&format);
  llvm::sort(formats, [](const BlockFormat *a, const BlockFormat *b) {
    return std::pair(a->bytes * b->elements, a->number) <
           std::pair(b->bytes * a->elements, b->number);
  });
  for (const BlockFormat *format : formats)
    if (BlockEncoder(weight, *format).fits()) {
      planned.number = format->number;
      planned.format = format;
      planned.size = weight.quantized.count / format->elements * format->bytes;
      return success();
    }
  return explain(subject, weight);
}

/// Returns the scale of the tensor as a separate tensor, unless it is 1.
static FailureOr<std::optional<StoredTensor>>
makeTensorScale(const Planned &planned, const llvm::StringSet<> &names) {
  std::optional<StoredTensor> result;
  if (!planned.format || !planned.format->hasTensorScale())
    return result;
  const Subject &subject = planned.tensor->subject;
  const auto &weight = std::get<QuantizedWeight>(planned.tensor->value);
  Constant factor = weight.scales.factor;
  if (llvm::all_of(llvm::seq(factor.count),
                   [&](int64_t i) { return factor.getFloat(i) == 1; }))
    return result;
  StringRef name = planned.tensor->name;
  if (!name.consume_back(kWeightSuffix))
    return diagnose(subject, Diag::NoScaleName, printable(name));
  std::string scaleName = (name + kScaleSuffix).str();
  if (names.contains(scaleName))
    return diagnose(subject, Diag::ScaleNameTaken, printable(scaleName));
  factor.dims = {factor.count};
  result = StoredTensor{subject, scaleName, std::move(factor)};
  return result;
}

static void writeString(llvm::support::endian::Writer &writer,
                        StringRef string) {
  writer.write<uint64_t>(string.size());
  writer.OS << string;
}

LogicalResult quant_float::exportGguf(ModuleOp module, raw_ostream &os) {
  FailureOr<std::vector<StoredTensor>> tensors = readWeights(module);
  if (failed(tensors))
    return failure();
  std::vector<Planned> plans(tensors->size());
  llvm::StringSet<> names;
  for (auto [tensor, planned] : llvm::zip(*tensors, plans)) {
    if (failed(plan(tensor, planned)))
      return failure();
    names.insert(tensor.name);
  }
  std::vector<StoredTensor> scales;
  for (const Planned &planned : plans) {
    FailureOr<std::optional<StoredTensor>> scale =
        makeTensorScale(planned, names);
    if (failed(scale))
      return failure();
    if (*scale)
      scales.push_back(std::move(**scale));
  }
  for (const StoredTensor &scale : scales)
    if (failed(plan(scale, plans.emplace_back())))
      return failure();

  uint64_t begin = os.tell();
  llvm::support::endian::Writer writer(os, llvm::endianness::little);
  os << "GGUF";
  writer.write<uint32_t>(3);
  writer.write<uint64_t>(plans.size());
  writer.write<uint64_t>(0);
  uint64_t offset = 0;
  for (const Planned &planned : plans) {
    ArrayRef<int64_t> dims = planned.tensor->getDims();
    writeString(writer, planned.tensor->name);
    writer.write<uint32_t>(dims.size());
    for (int64_t dim : llvm::reverse(dims))
      writer.write<uint64_t>(dim);
    writer.write<uint32_t>(planned.number);
    writer.write<uint64_t>(offset);
    offset += llvm::alignTo(planned.size, kAlignment);
  }
  auto align = [&] {
    os.write_zeros(
        llvm::offsetToAlignment(os.tell() - begin, llvm::Align(kAlignment)));
  };
  align();
  for (const Planned &planned : plans) {
    if (planned.format) {
      BlockEncoder(std::get<QuantizedWeight>(planned.tensor->value),
                   *planned.format)
          .write(os);
    } else {
      ArrayRef<char> bytes =
          std::get<Constant>(planned.tensor->value).bytes.data;
      os.write(bytes.data(), bytes.size());
    }
    align();
  }
  return success();
}

void quant_float::registerToGgufTranslation(ReadWeights read) {
  TranslateRegistration registration(
      "export-gguf",
      "export weights of an MLIR module or a weight file to GGUF",
      [read = std::move(read)](const std::shared_ptr<llvm::SourceMgr> &sources,
                               raw_ostream &os,
                               MLIRContext *context) -> LogicalResult {
        OwningOpRef<ModuleOp> module = read(sources, context);
        return success(module && succeeded(exportGguf(*module, os)));
      });
}
