//===- Layouts.cpp - Recognition of quantized weights ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layouts.h"
#include "WeightImporter.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::safetensors_import;
using llvm::divideCeil;
using llvm::support::endian::read32le;

namespace {
/// A tensor of a weight: the suffix of its name, and its possible types.
struct Part {
  StringRef suffix;
  ArrayRef<DType> dtypes;
};
} // namespace

struct safetensors_import::Layout {
  Part quantized;
  Part others[kMaxParts];
  /// The first `required` parts of `others` must exist.
  unsigned required;
  /// Whether only this layout has quantized values of this name and type.
  bool isCertain;
  /// The name's suffix of the weight, which replaces that of the quantized
  /// values.
  StringRef suffix;
  FailureOr<Value> (WeightImporter::*import)(const Parts &);
};

static constexpr DType kU8[] = {DType::U8}, kI8[] = {DType::I8},
                       kI32[] = {DType::I32}, kF32[] = {DType::F32},
                       kE4M3[] = {DType::F8_E4M3},
                       kOcpF8[] = {DType::F8_E4M3, DType::F8_E5M2},
                       kF8[] = {DType::F8_E4M3, DType::F8_E5M2,
                                DType::F8_E4M3FNUZ, DType::F8_E5M2FNUZ},
                       kE8M0[] = {DType::U8, DType::F8_E8M0},
                       kBytes[] = {DType::I8, DType::F8_E4M3, DType::F8_E5M2,
                                   DType::F8_E4M3FNUZ, DType::F8_E5M2FNUZ},
                       kFloats[] = {DType::F32, DType::F16, DType::BF16},
                       kSizes[] = {DType::I64, DType::I32},
                       kAbsmax[] = {DType::F32, DType::U8},
                       kStorage[] = {DType::U8, DType::I8, DType::F16,
                                     DType::BF16, DType::F32};

/// The first layout that matches is used. If the suffix of the quantized values
/// is empty, the weight's name is arbitrary and is the prefix of the other
/// names: `experts.w13_weight_scale`.
static constexpr Layout kLayouts[] = {
    // compressed-tensors: pack-quantized, nvfp4- and mxfp4-pack-quantized.
    {{"weight_packed", kI32},
     {{"weight_scale", kFloats},
      {"weight_shape", kSizes},
      {"weight_zero_point", kI32},
      {"weight_g_idx", kI32}},
     2,
     true,
     "weight",
     &WeightImporter::importPacked},
    {{"weight_packed", kU8},
     {{"weight_scale", kE4M3}, {"weight_global_scale", kF32}},
     2,
     false,
     "weight",
     &WeightImporter::importNvfp4},
    {{"weight_packed", kU8},
     {{"weight_scale", kE8M0}},
     1,
     true,
     "weight",
     &WeightImporter::importMxfp4},
    // ModelOpt: NVFP4, MXFP4 (also Quark), INT4 AWQ.
    {{"", kU8},
     {{"_scale", kE4M3}, {"_scale_2", kF32}},
     2,
     false,
     "",
     &WeightImporter::importModelOpt},
    {{"", kU8},
     {{"_scale", kE8M0}},
     1,
     false,
     "",
     &WeightImporter::importMxfp4},
    {{"", kU8},
     {{"_scale", kFloats}},
     1,
     false,
     "",
     &WeightImporter::importPairsOfRows},
    // 8-bit types of compressed-tensors, ModelOpt, Quark and vLLM; MXFP8.
    {{"", kOcpF8},
     {{"_scale", kE8M0}},
     1,
     false,
     "",
     &WeightImporter::importScaled},
    {{"", kBytes},
     {{"_scale", kFloats}, {"_zero_point", kBytes}},
     1,
     false,
     "",
     &WeightImporter::importScaled},
    // DeepSeek.
    {{"", kF8},
     {{"_scale_inv", kFloats}},
     1,
     false,
     "",
     &WeightImporter::importScaled},
    {{"", kOcpF8},
     {{"_scale_inv", kE8M0}},
     1,
     false,
     "",
     &WeightImporter::importScaled},
    // ComfyUI.
    {{"weight", kF8},
     {{"scale_weight", kFloats}},
     1,
     false,
     "weight",
     &WeightImporter::importScaled},
    // bitsandbytes: LLM.int8, NF4 and FP4.
    {{"weight", kI8},
     {{"SCB", kF32}, {"weight_format", kU8}},
     1,
     false,
     "weight",
     &WeightImporter::importLlmInt8},
    {{"", kStorage},
     {{".absmax", kAbsmax},
      {".quant_map", kF32},
      {".nested_absmax", kF32},
      {".nested_quant_map", kF32},
      {".quant_state.bitsandbytes__nf4", kU8},
      {".quant_state.bitsandbytes__fp4", kU8}},
     2,
     false,
     "",
     &WeightImporter::importTable4},
    // GPTQ and AWQ.
    {{"qweight", kI32},
     {{"scales", kFloats}, {"qzeros", kI32}, {"g_idx", kI32}},
     2,
     true,
     "weight",
     &WeightImporter::importPackedI32},
    // gpt-oss.
    {{"_blocks", kU8},
     {{"_scales", kE8M0}},
     1,
     false,
     "",
     &WeightImporter::importBlocks},
};

/// Returns a string such as "U8 or F8_E8M0".
static std::string spell(ArrayRef<DType> dtypes) {
  return llvm::join(
      llvm::map_range(dtypes, [](DType dtype) { return getName(dtype); }),
      " or ");
}

static std::string joinName(StringRef prefix, StringRef suffix) {
  return (prefix + suffix).str();
}

//===----------------------------------------------------------------------===//
// Names and types
//===----------------------------------------------------------------------===//

void LayoutFinder::add(StringRef name, DType dtype, int64_t count,
                       llvm::function_ref<bool()> isZero) {
  entries[name] = {dtype, count};
  if (std::optional<std::string> owner = getScaleOwner(name))
    scales[*owner].push_back(name.str());
  else if (std::optional<std::string> moved = getZeroPointOwner(name);
           moved && !isZero())
    zeroPoints[*moved].push_back(name.str());
}

const LayoutFinder::Entry *LayoutFinder::find(StringRef name) const {
  auto found = entries.find(name);
  return found == entries.end() ? nullptr : &found->second;
}

Match LayoutFinder::matchLayout(StringRef name) const {
  const Entry &quantized = *find(name);
  for (const Layout &layout : kLayouts) {
    StringRef prefix = name;
    if (!prefix.consume_back(layout.quantized.suffix) ||
        !llvm::is_contained(layout.quantized.dtypes, quantized.dtype))
      continue;
    Match match;
    for (auto [i, part] : llvm::enumerate(layout.others)) {
      if (part.suffix.empty() || !match.absent.empty())
        continue;
      const Entry *other = find(joinName(prefix, part.suffix));
      if (other ? !llvm::is_contained(part.dtypes, other->dtype)
                : i < layout.required) {
        match.absent = part.suffix;
        match.absentTypes = spell(part.dtypes);
      }
    }
    if (match.absent.empty() || layout.isCertain) {
      match.layout = &layout;
      match.prefix = prefix;
      return match;
    }
  }
  return {};
}

void LayoutFinder::findParts() {
  for (StringRef name : entries.keys()) {
    Match match = matchLayout(name);
    if (!match.layout || !match.absent.empty())
      continue;
    for (const Part &part : match.layout->others)
      if (!part.suffix.empty())
        parts.insert(joinName(match.prefix, part.suffix));
  }
}

/// Returns the types that a part of this name has in layouts of these quantized
/// values, or an empty string if the part has one of them.
std::string LayoutFinder::getTypes(StringRef name, StringRef part) const {
  SmallVector<DType> dtypes;
  for (const Layout &layout : kLayouts) {
    StringRef prefix = name;
    if (!prefix.consume_back(layout.quantized.suffix) ||
        !llvm::is_contained(layout.quantized.dtypes, find(name)->dtype))
      continue;
    for (const Part &other : layout.others)
      if (!other.suffix.empty() && joinName(prefix, other.suffix) == part)
        for (DType dtype : other.dtypes)
          if (!llvm::is_contained(dtypes, dtype))
            dtypes.push_back(dtype);
  }
  return llvm::is_contained(dtypes, find(part)->dtype) ? "" : spell(dtypes);
}

/// Whether elements of the type may be quantized values.
static bool mayBeQuantized(DType dtype) {
  switch (dtype) {
  case DType::BOOL:
  case DType::F16:
  case DType::BF16:
  case DType::F32:
  case DType::F64:
  case DType::C64:
  case DType::I64:
  case DType::U64:
    return false;
  default:
    return true;
  }
}

static bool isPartOf(StringRef name, const Match &match) {
  return llvm::any_of(match.layout->others, [&](const Part &part) {
    return !part.suffix.empty() && joinName(match.prefix, part.suffix) == name;
  });
}

StringRef LayoutFinder::findOtherPart(StringRef name,
                                      const Match &match) const {
  for (const Layout &layout : kLayouts) {
    StringRef prefix = name;
    if (!prefix.consume_back(layout.quantized.suffix) ||
        !llvm::is_contained(layout.quantized.dtypes, find(name)->dtype))
      continue;
    for (const Part &part : ArrayRef(layout.others).take_front(layout.required))
      if (auto found = entries.find(joinName(prefix, part.suffix));
          found != entries.end() && !isPartOf(found->getKey(), match))
        return found->getKey();
  }
  return {};
}

StringRef LayoutFinder::findStray(StringRef name, const Match &match) const {
  auto findIn = [&](const llvm::StringMap<std::vector<std::string>> &names,
                    StringRef owner) -> StringRef {
    auto found = names.find(owner);
    if (found != names.end())
      for (const std::string &other : found->second)
        if (other != name &&
            !(match.layout ? isPartOf(other, match) : parts.contains(other)))
          return other;
    return {};
  };
  // A single number is not a weight.
  const Entry &entry = *find(name);
  bool isQuantized =
      match.layout || (mayBeQuantized(entry.dtype) && entry.count != 1);
  SmallVector<std::string> owners = {name.str()};
  for (StringRef suffix : {"_packed", "_blocks", "_qweight"}) {
    StringRef rest = name;
    if (rest.consume_back(suffix))
      owners.push_back(rest.str());
  }
  if (match.layout)
    owners.push_back(joinName(match.prefix, match.layout->suffix));
  for (StringRef owner : owners) {
    if (StringRef found = findIn(scales, owner); !found.empty())
      return found;
    if (StringRef found = isQuantized ? findIn(zeroPoints, owner) : "";
        !found.empty())
      return found;
  }
  // A scale of a module may belong to any of its tensors. If the weight has a
  // layout, only a part that another layout requires is a stray.
  if (match.layout)
    return findOtherPart(name, match);
  if (!isQuantized)
    return {};
  return findIn(scales, name.contains('.') ? name.rsplit('.').first : "");
}

Match LayoutFinder::match(StringRef name) const {
  Match match = matchLayout(name);
  if (!match.layout && (parts.contains(name) || getScaleOwner(name)))
    return match;
  match.stray = findStray(name, match);
  if (!match.layout && !match.stray.empty())
    match.strayTypes = getTypes(name, match.stray);
  return match;
}

bool LayoutFinder::isWeightOrRefused(StringRef name) const {
  Match found = match(name);
  return found.layout || !found.stray.empty();
}

bool LayoutFinder::hasStray(StringRef name) const {
  Match found = match(name);
  return found.layout && !found.stray.empty();
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

namespace {
/// A weight, identified by its quantized values.
struct Found {
  const Layout *layout = nullptr;
  Parts parts;
  std::string name;
};
} // namespace

/// Rejects tensors whose format, according to ComfyUI, differs from the one
/// that the tensors suggest: scales of other formats are in the order of a
/// kernel, and rotated weights have other values.
static LogicalResult checkFormat(const Checkpoint &checkpoint,
                                 const Tensor &quantized) {
  const std::string *format = checkpoint.getLayerFormat(quantized.name);
  if (!format)
    return success();
  StringRef expected = quantized.dtype == DType::F8_E4M3   ? "float8_e4m3fn"
                       : quantized.dtype == DType::F8_E5M2 ? "float8_e5m2"
                       : quantized.dtype == DType::I8      ? "int8_tensorwise"
                                                           : "";
  if (*format == expected)
    return success();
  return diagnose(quantized.subject, Diag::BadFormat, "ComfyUI's format",
                  printable(*format));
}

/// Finds the layout if the tensor contains quantized values.
static LogicalResult findLayout(const Checkpoint &checkpoint,
                                const LayoutFinder &finder,
                                const Tensor &tensor, Found &found) {
  Match match = finder.match(tensor.name);
  if (!match.layout && match.stray.empty())
    return success();
  const Subject &subject = tensor.subject;
  auto refuse = [&](StringRef part, StringRef types) {
    const Tensor *other = checkpoint.find(part);
    return diagnose(subject, Diag::NoPart, printable(part), types,
                    other ? getName(other->dtype) : "nothing");
  };
  if (!match.absent.empty())
    return refuse(joinName(match.prefix, match.absent), match.absentTypes);
  if (failed(checkFormat(checkpoint, tensor)))
    return failure();
  if (!match.strayTypes.empty())
    return refuse(match.stray, match.strayTypes);
  if (!match.stray.empty()) {
    const Tensor &stray = *checkpoint.find(match.stray);
    return diagnose(
        subject, match.layout ? Diag::StrayScale : Diag::UnknownLayout,
        getName(tensor.dtype), spellShape(tensor.dims), printable(stray.name),
        getName(stray.dtype), spellShape(stray.dims));
  }
  const Layout &layout = *match.layout;
  found = {&layout, {&tensor, {}}, joinName(match.prefix, layout.suffix)};
  for (auto [part, other] : llvm::zip(layout.others, found.parts.others))
    if (!part.suffix.empty())
      other = checkpoint.find(joinName(match.prefix, part.suffix));
  return success();
}

/// Whether quantized values have 2 bits, as far as the shapes determine it.
static bool hasPairs(const Found &found) {
  const Tensor &quantized = *found.parts.quantized;
  const auto &others = found.parts.others;
  if (quantized.dims.empty())
    return false;
  if (found.layout->import == &WeightImporter::importPackedI32)
    return !others[0]->dims.empty() && !others[1]->dims.empty() &&
           others[0]->dims.back() == 16 * others[1]->dims.back();
  if (found.layout->import != &WeightImporter::importPacked ||
      others[1]->bytes.data.empty())
    return false;
  // The sizes are little endian. The last one is the number of columns.
  ArrayRef<char> sizes = others[1]->bytes.data;
  uint32_t columns = read32le(sizes.data() + sizes.size() / 2);
  return quantized.dims.back() == int64_t(divideCeil(columns, 16));
}

/// Returns the first opset whose DequantizeLinear supports the types of a
/// weight: 24 for f8E8M0FNU, 25 for 2-bit values.
static int64_t getMinOpset(const Found &found) {
  if (hasPairs(found))
    return 25;
  // The importer converts its 8-bit scales to f32.
  if (found.layout->import == &WeightImporter::importTable4)
    return 23;
  DType scale = found.parts.others[0]->dtype;
  return scale == DType::U8 || scale == DType::F8_E8M0 ? 24 : 23;
}

OwningOpRef<ModuleOp>
safetensors_import::importWeights(const Checkpoint &checkpoint, Location loc) {
  ArrayRef<Tensor> tensors = checkpoint.getTensors();
  std::vector<Found> weights(tensors.size());
  llvm::SmallPtrSet<const Tensor *, 16> used;
  int64_t opset = 23;
  LayoutFinder finder;
  for (const Tensor &tensor : tensors)
    finder.add(tensor.name, tensor.dtype, tensor.count,
               [&] { return isZero(tensor.bytes.data); });
  finder.findParts();
  for (auto [tensor, found] : llvm::zip(tensors, weights)) {
    if (failed(findLayout(checkpoint, finder, tensor, found)))
      return nullptr;
    if (tensor.dtype == DType::F8_E8M0)
      opset = std::max<int64_t>(opset, 24);
    if (!found.layout)
      continue;
    for (const Tensor *part : found.parts.others)
      used.insert(part);
    opset = std::max(opset, getMinOpset(found));
  }

  WeightsModule module(loc, opset);
  WeightImporter importer(checkpoint, module, loc.getContext());
  for (auto [tensor, found] : llvm::zip(tensors, weights)) {
    if (!found.layout && (used.contains(&tensor) || isLayerFormat(tensor.name)))
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
