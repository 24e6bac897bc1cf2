//===- Export.cpp - quant_float dialect to safetensors --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Weights/Safetensors/Export.h"
#include "../../Interchange/Elements.h"
#include "../Common/QuantizedWeight.h"
#include "File.h"
#include "Layouts.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/EndianStream.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <set>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::safetensors_import;
using llvm::divideCeil;
using MinimumForm = QuantizedWeight::MinimumForm;

namespace {
/// A tensor of the file.
struct Part {
  std::string name;
  DType dtype;
  SmallVector<int64_t> dims;
  std::function<void(raw_ostream &)> write;

  uint64_t getSize(MLIRContext *context) const {
    return getPackedSize(getPackedBits(getType(dtype, context)),
                         ShapedType::getNumElements(dims));
  }
};

/// Creates the tensors of one weight.
class WeightWriter {
public:
  /// `less` is whether GPTQ's zero points are stored minus one. It is known
  /// after all weights are added, and read when the parts are written.
  WeightWriter(const StoredTensor &tensor, SafetensorsLayout layout,
               const bool &less, std::vector<Part> &parts)
      : subject(tensor.subject), name(tensor.name),
        weight(std::get<QuantizedWeight>(tensor.value)), layout(layout),
        less(less), parts(parts) {}

  LogicalResult add();
  /// Returns the bits of quantized values that are packed into 32-bit integers,
  /// or 0 for other layouts.
  unsigned getPackedWidth() const { return packedWidth; }
  /// Whether a zero point is 0, which GPTQ's version 1 stores as -1.
  bool hasZeroPointZero() const { return zeroPointZero; }

private:
  LogicalResult setPrefix();
  LogicalResult setZeros();
  /// Finds the zero point that has the same effect as the minimum. Returns
  /// false if there is none.
  bool findZero(float scale, float minimum, int64_t &zero) const;
  LogicalResult refuse(StringRef layout) const;
  /// Rejects scales of NaN in f8E8M0FNU, which some programs treat as a number.
  LogicalResult checkPowers() const;
  LogicalResult addFloat4();
  LogicalResult addBytes();
  LogicalResult addPacked();
  LogicalResult addIntegers(bool isAwq);

  void addPart(StringRef suffix, DType dtype, ArrayRef<int64_t> dims,
               std::function<void(raw_ostream &)> write) {
    parts.push_back({prefix + suffix.str(), dtype, SmallVector<int64_t>(dims),
                     std::move(write)});
  }
  void addCopy(StringRef suffix, DType dtype, ArrayRef<int64_t> dims,
               const Constant &constant) {
    addPart(suffix, dtype, dims, [&constant](raw_ostream &os) {
      os.write(constant.bytes.data.data(), constant.bytes.data.size());
    });
  }
  /// Adds the scales: for each row, one for each group, or, if `byGroups`, for
  /// each group, one for each row.
  void addScales(StringRef suffix, ArrayRef<int64_t> dims, bool byGroups);
  /// Adds `count` rows of `size` values, packed into 32-bit integers.
  void addIntegerRows(StringRef suffix, ArrayRef<int64_t> dims, int64_t count,
                      int64_t size,
                      std::function<uint32_t(int64_t, int64_t)> getValue);
  void addGroupIndices(StringRef suffix);

  /// Return a quantized value and a zero point, shifted to the range from 0.
  uint32_t getQuantized(int64_t row, int64_t column) const {
    int64_t position =
        weight.columnOrder.empty() ? column : weight.columnOrder[column];
    return weight.quantized.getInteger(row * weight.columns + position) +
           offset;
  }
  uint32_t getZero(int64_t row, int64_t group) const {
    return zeros[weight.getScaleIndex(row, group * weight.group)] + offset;
  }
  /// Whether a zero point differs from the middle of the range.
  bool isAsymmetric(int64_t middle) const {
    return llvm::any_of(zeros,
                        [&](int64_t zero) { return zero + offset != middle; });
  }

  const Subject &subject;
  StringRef name;
  const QuantizedWeight &weight;
  SafetensorsLayout layout;
  const bool &less;
  std::vector<Part> &parts;
  std::string prefix;
  /// By scale. `offset` shifts quantized values and zero points to the range
  /// from 0.
  std::vector<int64_t> zeros;
  int64_t offset = 0;
  unsigned bits = 0, packedWidth = 0;
  bool zeroPointZero = false;
};
} // namespace

LogicalResult WeightWriter::refuse(StringRef layout) const {
  std::string scales;
  llvm::raw_string_ostream(scales) << weight.scales.values.type
                                   << (weight.scales.form == Scales::Form::Plain
                                           ? ""
                                           : " with a second-level scale");
  return diagnose(subject, Diag::NoLayout, layout, weight.quantized.type,
                  weight.group, scales);
}

LogicalResult WeightWriter::setPrefix() {
  StringRef rest = name;
  if (!rest.consume_back("weight"))
    return diagnose(subject, Diag::NoSuffix);
  prefix = rest.str();
  return success();
}

/// Tests the zero point nearest to `-minimum / scale` for all quantized values.
bool WeightWriter::findZero(float scale, float minimum, int64_t &zero) const {
  double found = scale != 0 ? std::nearbyint(-double(minimum) / scale) : 0;
  int64_t count = int64_t(1) << bits;
  if (!(found >= -offset && found < count - offset))
    return false;
  zero = int64_t(found);
  for (int64_t quantized = -offset; quantized != count - offset; ++quantized) {
    float product = scale * float(quantized);
    float sum = product + minimum;
    float value = float(quantized - zero) * scale;
    if (llvm::bit_cast<uint32_t>(sum) != llvm::bit_cast<uint32_t>(value))
      return false;
  }
  return true;
}

LogicalResult WeightWriter::setZeros() {
  const Scales &scales = weight.scales;
  zeros.assign(scales.values.count, 0);
  offset =
      weight.quantized.type.isUnsignedInteger() ? 0 : int64_t(1) << (bits - 1);
  for (auto [i, zero] : llvm::enumerate(zeros)) {
    zero = weight.getZero(i);
    if (weight.minimumForm == MinimumForm::None)
      continue;
    float scale = scales.get(i), minimum = weight.minimums.get(i);
    if (weight.minimumForm == MinimumForm::Subtracted)
      minimum = -minimum;
    if (!findZero(scale, minimum, zero))
      return diagnose(subject, Diag::MinimumNoZero, spell(minimum), i,
                      spell(scale), bits);
  }
  return success();
}

void WeightWriter::addScales(StringRef suffix, ArrayRef<int64_t> dims,
                             bool byGroups) {
  const Constant &values = weight.scales.values;
  bool isPlain =
      weight.scales.form == Scales::Form::Plain &&
      (values.type.isF32() || values.type.isF16() || values.type.isBF16());
  DType dtype = isPlain ? *getDType(values.type) : DType::F32;
  bool isPerTensor = ShapedType::getNumElements(dims) == 1;
  addPart(suffix, dtype, dims, [=, &values](raw_ostream &os) {
    llvm::support::endian::Writer writer(os, llvm::endianness::little);
    auto write = [&](int64_t row, int64_t group) {
      int64_t i = weight.getScaleIndex(row, group * weight.group);
      if (!isPlain)
        writer.write(llvm::bit_cast<uint32_t>(weight.scales.get(i)));
      else if (getPackedBits(values.type) == 16)
        writer.write<uint16_t>(values.getBits(i));
      else
        writer.write<uint32_t>(values.getBits(i));
    };
    int64_t rows = isPerTensor ? 1 : weight.rows;
    int64_t groups = isPerTensor ? 1 : weight.getGroups();
    for (int64_t i = 0, e = rows * groups; i != e; ++i)
      byGroups ? write(i % rows, i / rows) : write(i / groups, i % groups);
  });
}

void WeightWriter::addIntegerRows(
    StringRef suffix, ArrayRef<int64_t> dims, int64_t count, int64_t size,
    std::function<uint32_t(int64_t, int64_t)> getValue) {
  addPart(suffix, DType::I32, dims,
          [=, bits = bits, getValue = std::move(getValue)](raw_ostream &os) {
            int64_t perInteger = 32 / bits;
            llvm::support::endian::Writer writer(os, llvm::endianness::little);
            for (int64_t row = 0; row != count; ++row)
              for (int64_t first = 0; first < size; first += perInteger) {
                uint32_t packed = 0;
                for (int64_t i = first, e = std::min(first + perInteger, size);
                     i != e; ++i)
                  packed |= getValue(row, i) << (i - first) * bits;
                writer.write(packed);
              }
          });
}

void WeightWriter::addGroupIndices(StringRef suffix) {
  addPart(suffix, DType::I32, {weight.columns}, [this](raw_ostream &os) {
    llvm::support::endian::Writer writer(os, llvm::endianness::little);
    for (int64_t i = 0; i != weight.columns; ++i)
      writer.write<int32_t>(
          (weight.columnOrder.empty() ? i : weight.columnOrder[i]) /
          weight.group);
  });
}

LogicalResult WeightWriter::checkPowers() const {
  const Constant &values = weight.scales.values;
  for (int64_t i = 0; i != values.count; ++i)
    if (isa<Float8E8M0FNUType>(values.type) && values.getBits(i) == kNanScale)
      return diagnose(subject, Diag::NanScale, i);
  return success();
}

LogicalResult WeightWriter::addFloat4() {
  const Scales &scales = weight.scales;
  const Constant &values = scales.values;
  bool isMicro = isa<Float8E8M0FNUType>(values.type) &&
                 scales.form == Scales::Form::Plain && weight.group == 32;
  bool isNv = isa<Float8E4M3FNType>(values.type) &&
              scales.form != Scales::Form::Plain && weight.group == 16 &&
              scales.factor.type.isF32() && scales.factor.count == 1;
  // There is a scale for each group, even if there is only one group.
  if ((!isMicro && !isNv) || weight.dims.empty() ||
      weight.columns % weight.group != 0 ||
      values.count != weight.rows * weight.getGroups())
    return refuse("safetensors");
  SmallVector<int64_t> groupDims = weight.dims, byteDims = weight.dims;
  groupDims.back() /= weight.group;
  byteDims.back() /= 2;
  if (isMicro && !name.ends_with("weight")) {
    prefix = name.str();
    byteDims.back() = groupDims.back();
    byteDims.push_back(weight.group / 2);
    addCopy("_blocks", DType::U8, byteDims, weight.quantized);
    addCopy("_scales", DType::U8, groupDims, values);
    return success();
  }
  if (failed(setPrefix()))
    return failure();
  bool isMultiplied = scales.form == Scales::Form::Product;
  addCopy(isMultiplied ? "weight" : "weight_packed", DType::U8, byteDims,
          weight.quantized);
  addCopy("weight_scale", isMicro ? DType::U8 : DType::F8_E4M3, groupDims,
          values);
  if (isNv)
    addCopy(isMultiplied ? "weight_scale_2" : "weight_global_scale", DType::F32,
            {1}, scales.factor);
  return success();
}

LogicalResult WeightWriter::addBytes() {
  if (failed(setPrefix()))
    return failure();
  const Constant &quantized = weight.quantized, &values = weight.scales.values;
  SmallVector<int64_t> dims = weight.dims;
  if (values.count == 1 || dims.empty())
    dims = {1};
  else
    dims.back() = weight.getGroups();
  if (!quantized.type.isInteger()) {
    addCopy("weight", *getDType(quantized.type), weight.dims, quantized);
    if (isa<Float8E8M0FNUType>(values.type) &&
        weight.scales.form == Scales::Form::Plain)
      addCopy("weight_scale", DType::U8, dims, values);
    else
      addScales("weight_scale", dims, /*byGroups=*/false);
    return success();
  }
  auto writeSigned = [](raw_ostream &os, int64_t value) {
    os << char(value - 128);
  };
  addPart("weight", DType::I8, weight.dims, [=](raw_ostream &os) {
    for (int64_t i = 0; i != weight.quantized.count; ++i)
      writeSigned(os, weight.quantized.getInteger(i) + offset);
  });
  addScales("weight_scale", dims, /*byGroups=*/false);
  if (isAsymmetric(/*middle=*/128))
    addPart("weight_zero_point", DType::I8, dims, [=](raw_ostream &os) {
      for (int64_t zero : zeros)
        writeSigned(os, zero + offset);
    });
  return success();
}

LogicalResult WeightWriter::addPacked() {
  int64_t rows = weight.rows, columns = weight.columns;
  if (weight.dims.size() != 2)
    return diagnose(subject, Diag::NoMatrix, "pack-quantized",
                    spellShape(weight.dims));
  if (failed(setPrefix()))
    return failure();
  packedWidth = bits;
  addIntegerRows("weight_packed",
                 {rows, int64_t(divideCeil(columns * bits, 32))}, rows, columns,
                 [this](int64_t row, int64_t column) {
                   return getQuantized(row, column);
                 });
  int64_t groups = weight.getGroups();
  addScales("weight_scale", {rows, groups}, /*byGroups=*/false);
  addPart("weight_shape", DType::I64, {2}, [=](raw_ostream &os) {
    llvm::support::endian::Writer writer(os, llvm::endianness::little);
    writer.write<int64_t>(rows);
    writer.write<int64_t>(columns);
  });
  if (isAsymmetric(int64_t(1) << (bits - 1))) {
    // Packed along the rows.
    int64_t perInteger = 32 / bits;
    addPart(
        "weight_zero_point", DType::I32,
        {int64_t(divideCeil(rows * bits, 32)), groups}, [=](raw_ostream &os) {
          llvm::support::endian::Writer writer(os, llvm::endianness::little);
          for (int64_t first = 0; first < rows; first += perInteger)
            for (int64_t group = 0; group != groups; ++group) {
              uint32_t packed = 0;
              for (int64_t row = first, e = std::min(first + perInteger, rows);
                   row != e; ++row)
                packed |= getZero(row, group) << (row - first) * bits;
              writer.write(packed);
            }
        });
  }
  if (!weight.columnOrder.empty())
    addGroupIndices("weight_g_idx");
  return success();
}

LogicalResult WeightWriter::addIntegers(bool isAwq) {
  StringRef method = isAwq ? "AWQ" : "GPTQ";
  if (!weight.quantized.type.isInteger() || (isAwq && bits != 4))
    return refuse(method);
  if (weight.dims.size() != 2)
    return diagnose(subject, Diag::NoMatrix, method, spellShape(weight.dims));
  if (isAwq && !weight.columnOrder.empty())
    return diagnose(subject, Diag::NoOrder, method);
  int64_t outputs = weight.rows, inputs = weight.columns,
          perInteger = 32 / bits;
  int64_t groups = weight.getGroups();
  if (outputs % perInteger || (!isAwq && inputs % perInteger))
    return diagnose(subject, Diag::UnevenWords, method, perInteger,
                    spellShape(weight.dims));
  if (failed(setPrefix()))
    return failure();
  packedWidth = bits;
  // The columns within a 32-bit integer of AWQ are permuted.
  auto getOutput = [=](int64_t i) {
    return isAwq ? i / 8 * 8 + kAwqColumns[i % 8] : i;
  };
  if (isAwq) {
    addIntegerRows("qweight", {inputs, outputs / perInteger}, inputs, outputs,
                   [=](int64_t input, int64_t i) {
                     return getQuantized(getOutput(i), input);
                   });
  } else {
    addPart("qweight", DType::I32, {inputs / perInteger, outputs},
            [=](raw_ostream &os) {
              llvm::support::endian::Writer writer(os,
                                                   llvm::endianness::little);
              for (int64_t first = 0; first != inputs; first += perInteger)
                for (int64_t output = 0; output != outputs; ++output) {
                  uint32_t packed = 0;
                  for (int64_t i = 0; i != perInteger; ++i)
                    packed |= getQuantized(output, first + i) << i * bits;
                  writer.write(packed);
                }
            });
    addGroupIndices("g_idx");
    zeroPointZero =
        llvm::any_of(zeros, [&](int64_t zero) { return zero + offset == 0; });
  }
  addScales("scales", {groups, outputs}, /*byGroups=*/true);
  addIntegerRows("qzeros", {groups, outputs / perInteger}, groups, outputs,
                 [=](int64_t group, int64_t i) {
                   return getZero(getOutput(i), group) - (!isAwq && less);
                 });
  return success();
}

LogicalResult WeightWriter::add() {
  if (weight.quantized.count == 0 || weight.columns % weight.group != 0)
    return diagnose(subject, Diag::CutGroup, spellShape(weight.dims),
                    weight.group);
  Type type = weight.quantized.type;
  bool isInteger = type.isInteger();
  bits = getPackedBits(type);
  if (isInteger && failed(setZeros()))
    return failure();
  if (failed(checkPowers()))
    return failure();
  if (layout != SafetensorsLayout::Auto)
    return addIntegers(layout == SafetensorsLayout::Awq);
  if (isInteger && (bits < 8 || !weight.columnOrder.empty()))
    return addPacked();
  if (!weight.columnOrder.empty())
    return diagnose(subject, Diag::NoOrder, "safetensors");
  if (isa<Float4E2M1FNType>(type))
    return addFloat4();
  if (isInteger || isa<Float8E4M3FNType, Float8E5M2Type, Float8E4M3FNUZType,
                       Float8E5M2FNUZType>(type))
    return addBytes();
  return refuse("safetensors");
}

/// Creates the config that the importer needs in addition to the tensors.
/// `sizes` are the group sizes that do not follow from shapes.
static std::string makeConfig(SafetensorsLayout layout, bool less,
                              ArrayRef<int64_t> bits, ArrayRef<int64_t> sizes) {
  llvm::json::Object config, groups;
  for (int64_t size : sizes)
    groups["size_" + std::to_string(size)] = llvm::json::Object{
        {"weights", llvm::json::Object{{"group_size", size}}}};
  if (layout == SafetensorsLayout::Auto) {
    for (int64_t width : bits)
      groups["group_" + std::to_string(width)] = llvm::json::Object{
          {"weights", llvm::json::Object{{"num_bits", width}}}};
    config["quant_method"] = "compressed-tensors";
  } else if (layout == SafetensorsLayout::Gptq) {
    config["quant_method"] = "gptq";
    config["checkpoint_format"] = less ? "gptq" : "gptq_v2";
  } else {
    config["quant_method"] = "awq";
    config["version"] = "gemm";
  }
  if (layout != SafetensorsLayout::Auto && bits.size() == 1)
    config["bits"] = bits[0];
  if (layout == SafetensorsLayout::Auto || !groups.empty())
    config["config_groups"] = std::move(groups);
  return llvm::formatv("{0}", llvm::json::Value(std::move(config))).str();
}

/// Returns the header, padded to a multiple of 8 bytes.
static std::string makeHeader(ArrayRef<Part> parts, StringRef config,
                              MLIRContext *context) {
  std::string header;
  llvm::raw_string_ostream os(header);
  llvm::json::OStream json(os);
  uint64_t begin = 0;
  json.object([&] {
    json.attributeObject("__metadata__", [&] {
      json.attribute("format", "pt");
      if (!config.empty())
        json.attribute(kConfigKey, config);
    });
    for (const Part &part : parts) {
      uint64_t end = begin + part.getSize(context);
      json.attributeObject(part.name, [&] {
        json.attribute("dtype", getName(part.dtype));
        json.attributeArray("shape", [&] {
          for (int64_t dim : part.dims)
            json.value(dim);
        });
        json.attributeArray("data_offsets", [&] {
          json.value(begin);
          json.value(end);
        });
      });
      begin = end;
    }
  });
  header.resize(llvm::alignTo(header.size(), 8), ' ');
  return header;
}

LogicalResult quant_float::exportSafetensors(ModuleOp module, raw_ostream &os,
                                             SafetensorsLayout layout) {
  FailureOr<std::vector<StoredTensor>> tensors = readWeights(module);
  if (failed(tensors))
    return failure();
  MLIRContext *context = module.getContext();
  std::vector<Part> parts;
  std::vector<std::unique_ptr<WeightWriter>> writers;
  /// The result to which a part belongs, by the part's name.
  llvm::StringMap<const StoredTensor *> owners;
  LayoutFinder finder;
  std::set<int64_t> widths, sizes;
  bool areSizesClear = true;
  bool less = true;
  for (const StoredTensor &tensor : *tensors) {
    if (!llvm::json::isUTF8(tensor.name) || tensor.name == "__metadata__")
      return diagnose(tensor.subject, Diag::BadName);
    size_t before = parts.size();
    if (const auto *constant = std::get_if<Constant>(&tensor.value)) {
      std::optional<DType> dtype = getDType(constant->type);
      if (!dtype)
        return diagnose(tensor.subject, Diag::NoElementType, constant->type);
      if (getPackedBits(constant->type) * (constant->count % 8) % 8)
        return diagnose(tensor.subject, Diag::HalfByte, constant->count,
                        constant->type);
      parts.push_back(
          {tensor.name, *dtype, constant->dims, [constant](raw_ostream &os) {
             os.write(constant->bytes.data.data(), constant->bytes.data.size());
           }});
    } else {
      auto &writer = *writers.emplace_back(
          std::make_unique<WeightWriter>(tensor, layout, less, parts));
      if (failed(writer.add()))
        return failure();
      less &= !writer.hasZeroPointZero();
      if (writer.getPackedWidth())
        widths.insert(writer.getPackedWidth());
      const auto &weight = std::get<QuantizedWeight>(tensor.value);
      if (weight.scales.values.count != 1 && weight.getGroups() > 1 &&
          !isa<Float4E2M1FNType>(weight.quantized.type)) {
        sizes.insert(weight.group);
        areSizesClear &= llvm::isPowerOf2_64(weight.group);
      }
    }
    for (const Part &part : ArrayRef(parts).drop_front(before)) {
      if (!owners.insert({part.name, &tensor}).second)
        return diagnose(tensor.subject, Diag::PartTaken, printable(part.name));
      // Zero points of weights always belong to their layout. Only those that
      // are constants can be plain tensors.
      const auto *constant = std::get_if<Constant>(&tensor.value);
      finder.add(part.name, part.dtype, ShapedType::getNumElements(part.dims),
                 [&] { return constant && isZero(constant->bytes.data); });
    }
  }
  finder.findParts();
  for (const Part &part : parts) {
    const StoredTensor &owner = *owners.lookup(part.name);
    if (std::holds_alternative<Constant>(owner.value)
            ? isLayerFormat(part.name) || finder.isWeightOrRefused(part.name)
            : finder.hasStray(part.name))
      return diagnose(owner.subject, Diag::Misread);
  }
  // The order of the package safetensors, which aligns all tensors.
  llvm::sort(parts, [](const Part &a, const Part &b) {
    return std::tie(b.dtype, a.name) < std::tie(a.dtype, b.name);
  });
  std::string config;
  if (areSizesClear)
    sizes.clear();
  if (!widths.empty() || !sizes.empty())
    config = makeConfig(layout, less, llvm::to_vector(widths),
                        llvm::to_vector(sizes));
  std::string header = makeHeader(parts, config, context);
  llvm::support::endian::Writer(os, llvm::endianness::little)
      .write<uint64_t>(header.size());
  os << header;
  for (const Part &part : parts)
    part.write(os);
  return success();
}

void quant_float::registerToSafetensorsTranslation(
    ReadWeights read, std::function<SafetensorsLayout()> getLayout) {
  TranslateRegistration registration(
      "export-safetensors",
      "export weights of an MLIR module or a weight file to safetensors",
      [read = std::move(read), getLayout = std::move(getLayout)](
          const std::shared_ptr<llvm::SourceMgr> &sources, raw_ostream &os,
          MLIRContext *context) -> LogicalResult {
        OwningOpRef<ModuleOp> module = read(sources, context);
        return success(module &&
                       succeeded(exportSafetensors(*module, os, getLayout())));
      });
}
