//===- Import.cpp - GGUF files to the quant_float dialect -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Weights/GGUF/Import.h"
#include "../../Interchange/Shapes.h"
#include "../Common/WeightsModule.h"
#include "File.h"
#include "Formats.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "quant-float/Support/InputFile.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::gguf_import;

/// The encodings of NaN in f8E8M0FNU and f8E4M3FN, the types of the scales of
/// MXFP4 and NVFP4.
static constexpr uint16_t kNanScale = 255;
static constexpr int8_t kNanGroupScale = 0x7F;

namespace {
class Importer {
public:
  /// `owner` owns `bytes`. If it is null, the importer copies them.
  Importer(StringRef bytes, std::shared_ptr<llvm::MemoryBuffer> owner,
           Location loc)
      : loc(loc), bytes(bytes), owner(std::move(owner)) {}

  OwningOpRef<ModuleOp> import();

private:
  LogicalResult checkOverlaps();
  FailureOr<Value> importTensor(const Tensor &tensor);
  FailureOr<Value> importBlocks(const Tensor &tensor, const BlockFormat &format,
                                StringRef blocks);
  /// Finds the scales of tensors, which are no results.
  void findTensorScales();
  /// Returns the scale of a tensor: a scalar, or an element for each matrix. It
  /// is 1 if the file has none.
  FailureOr<Value> importTensorScale(const Tensor &tensor);
  /// Returns the data of a tensor, which has `size` bytes.
  FailureOr<StringRef> getBytes(const Tensor &tensor, uint64_t size);
  FailureOr<Value> makeConstant(ElementsWriter &elements, const Tensor &tensor,
                                StringRef part);

  Location loc;
  StringRef bytes;
  std::shared_ptr<llvm::MemoryBuffer> owner;
  File file;
  /// Valid while tensors are imported.
  WeightsModule *module = nullptr;
  /// The scales of tensors that have one.
  DenseMap<const Tensor *, const Tensor *> tensorScales;
  /// The size in bytes of each tensor, for checkOverlaps().
  SmallVector<std::pair<uint64_t, const Tensor *>> sizes;
};
} // namespace

FailureOr<StringRef> Importer::getBytes(const Tensor &tensor, uint64_t size) {
  StringRef data = file.getData();
  if (tensor.offset % file.getAlignment())
    return diagnose(tensor.subject, Diag::Misaligned, tensor.offset,
                    file.getAlignment());
  if (size &&
      (tensor.offset > data.size() || size > data.size() - tensor.offset))
    return diagnose(tensor.subject, Diag::OutOfBounds, tensor.offset,
                    llvm::SaturatingAdd(tensor.offset, size), data.size());
  sizes.emplace_back(size, &tensor);
  return data.substr(tensor.offset, size);
}

/// Rejects tensors that overlap, which no correct writer produces.
LogicalResult Importer::checkOverlaps() {
  llvm::erase_if(sizes, [](auto &entry) { return entry.first == 0; });
  // Tensors are stored in the order of the file.
  llvm::sort(sizes, [](auto &a, auto &b) {
    return std::pair(a.second->offset, a.second) <
           std::pair(b.second->offset, b.second);
  });
  for (size_t i = 1; i < sizes.size(); ++i)
    if (sizes[i].second->offset - sizes[i - 1].second->offset <
        sizes[i - 1].first)
      return diagnose(sizes[i].second->subject, Diag::Overlap,
                      printable(sizes[i - 1].second->name));
  return success();
}

FailureOr<Value> Importer::makeConstant(ElementsWriter &elements,
                                        const Tensor &tensor, StringRef part) {
  ElementsAttr attribute =
      elements.finish((tensor.name + (part.empty() ? "" : ".") + part).str());
  if (!attribute)
    return diagnose(tensor.subject, Diag::NoMemory, elements.getSize());
  return module->makeConstant(attribute);
}

void Importer::findTensorScales() {
  llvm::StringMap<const Tensor *> byName;
  for (const Tensor &tensor : file.getTensors())
    byName.try_emplace(tensor.name, &tensor);
  for (const Tensor &tensor : file.getTensors()) {
    const BlockFormat *format = getBlockFormat(tensor.format);
    StringRef name = tensor.name;
    if (!format || !format->hasTensorScale() ||
        !name.consume_back(kWeightSuffix))
      continue;
    if (const Tensor *scale = byName.lookup((name + kScaleSuffix).str()))
      tensorScales.try_emplace(&tensor, scale);
  }
}

FailureOr<Value> Importer::importTensorScale(const Tensor &tensor) {
  auto f32 = Float32Type::get(loc.getContext());
  const Tensor *scale = tensorScales.lookup(&tensor);
  if (!scale)
    return module->makeConstant(
        DenseElementsAttr::get(RankedTensorType::get({}, f32), 1.0f));
  FailureOr<int64_t> count = checkShape<Diag>(scale->dims, scale->subject);
  if (failed(count))
    return failure();
  // Weights of experts have a scale for each expert.
  bool isPerMatrix = *count > 1 && tensor.dims.size() > 2 &&
                     scale->dims.size() == 1 && *count == tensor.dims.front();
  if (getElementType(scale->format, loc.getContext()) != f32 ||
      (*count != 1 && !isPerMatrix))
    return diagnose(tensor.subject, Diag::TensorScale, printable(scale->name),
                    tensor.dims.size() > 2
                        ? "one element or " +
                              std::to_string(tensor.dims.front())
                        : "one element",
                    spellShape(scale->dims), spellFormat(scale->format));
  FailureOr<StringRef> stored = getBytes(*scale, *count * sizeof(float));
  if (failed(stored))
    return failure();
  auto type = RankedTensorType::get(
      *count == 1 ? ArrayRef<int64_t>() : ArrayRef<int64_t>(scale->dims), f32);
  return module->makeConstant(DenseElementsAttr::getFromRawBuffer(
      type, ArrayRef(stored->data(), stored->size())));
}

FailureOr<Value> Importer::importBlocks(const Tensor &tensor,
                                        const BlockFormat &format,
                                        StringRef blocks) {
  MLIRContext *context = loc.getContext();
  // Minimums are broadcast to the elements of their group.
  bool hasMinimum = format.minimum != Minimum::None;
  SmallVector<int64_t> quantizedDims = tensor.dims, groupDims = tensor.dims,
                       blockDims = tensor.dims;
  groupDims.back() /= format.group;
  blockDims.back() /= format.elements;
  if (hasMinimum) {
    quantizedDims = groupDims;
    quantizedDims.push_back(format.group);
    groupDims.push_back(1);
    blockDims.push_back(1);
  }
  auto getElements = [&](Storage storage, ArrayRef<int64_t> dims) {
    return ElementsWriter(getStorageType(storage, context), dims);
  };
  ElementsWriter quantized = getElements(format.storage, quantizedDims);
  ElementsWriter scales = getElements(format.scaleStorage, groupDims);
  ElementsWriter minimums = getElements(format.scaleStorage, groupDims);
  ElementsWriter scale(getScaleType(format, context), blockDims);
  ElementsWriter minimum(Float16Type::get(context), blockDims);
  for (const ElementsWriter *elements :
       {&quantized, &scales, &minimums, &scale, &minimum})
    if (!elements->hasMemory())
      return diagnose(tensor.subject, Diag::NoMemory, elements->getSize());

  unsigned groups = format.elements / format.group;
  DecodedBlock block;
  for (size_t i = 0; i != blocks.size(); i += format.bytes) {
    format.decode(blocks.bytes_begin() + i, block);
    if (format.storage == Storage::F4 && block.scale == kNanScale)
      return diagnose(tensor.subject, Diag::NanScale, i / format.bytes);
    for (int8_t element : ArrayRef(block.quantized).take_front(format.elements))
      quantized.add(element);
    if (!format.hasTensorScale())
      scale.add(block.scale);
    if (hasMinimum)
      minimum.add(block.minimum);
    if (!format.hasQuantizedScales())
      continue;
    for (unsigned group = 0; group != groups; ++group) {
      if (format.hasTensorScale() && block.scales[group] == kNanGroupScale)
        return diagnose(tensor.subject, Diag::WideScale,
                        i / format.bytes * groups + group);
      scales.add(block.scales[group]);
      minimums.add(block.minimums[group]);
    }
  }

  // The groups of a block share its scale. Groups are the last axis, or the one
  // before it if there are minimums.
  int64_t axis = hasMinimum ? -2 : -1;
  auto makeScales = [&](ElementsWriter &blockScales, ElementsWriter &parts,
                        StringRef name) -> FailureOr<Value> {
    FailureOr<Value> value = makeConstant(blockScales, tensor, name);
    if (failed(value) || !format.hasQuantizedScales())
      return value;
    FailureOr<Value> quantized =
        makeConstant(parts, tensor, (name + ".quantized").str());
    if (failed(quantized))
      return failure();
    return module->dequantize(*quantized, *value, /*zeroPoint=*/{}, axis,
                              groups);
  };
  auto makeTwoLevels = [&]() -> FailureOr<Value> {
    FailureOr<Value> value = importTensorScale(tensor);
    FailureOr<Value> quantized =
        makeConstant(scales, tensor, "scale.quantized");
    if (failed(value) || failed(quantized))
      return failure();
    bool isPerMatrix = cast<ShapedType>(value->getType()).getRank() != 0;
    return module->dequantize(*quantized, *value, /*zeroPoint=*/{},
                              isPerMatrix ? std::optional<int64_t>(0)
                                          : std::nullopt,
                              /*blockSize=*/0);
  };
  FailureOr<Value> quantizedValue =
      makeConstant(quantized, tensor, "quantized");
  FailureOr<Value> scaleValue = format.hasTensorScale()
                                    ? makeTwoLevels()
                                    : makeScales(scale, scales, "scale");
  if (failed(quantizedValue) || failed(scaleValue))
    return failure();
  Value result =
      module->dequantize(*quantizedValue, *scaleValue, /*zeroPoint=*/{},
                         /*axis=*/-1, format.group);
  if (!hasMinimum)
    return result;
  FailureOr<Value> minimumValue = makeScales(minimum, minimums, "minimum");
  if (failed(minimumValue))
    return failure();
  if (!format.hasQuantizedScales())
    *minimumValue = module->cast(*minimumValue, Float32Type::get(context));
  result = module->makeNode(format.minimum == Minimum::Added ? "Add" : "Sub",
                            {result, *minimumValue}, quantizedDims);
  Value shape = module->makeConstant(tensor.dims);
  return module->makeNode("Reshape", {result, shape}, tensor.dims);
}

FailureOr<Value> Importer::importTensor(const Tensor &tensor) {
  module->setLoc(tensor.subject.loc);
  FailureOr<int64_t> count = checkShape<Diag>(tensor.dims, tensor.subject);
  if (failed(count))
    return failure();
  if (Type type = getElementType(tensor.format, loc.getContext())) {
    uint64_t size =
        llvm::SaturatingMultiply<uint64_t>(*count, getSlotBytes(type));
    FailureOr<StringRef> stored = getBytes(tensor, size);
    if (failed(stored))
      return failure();
    SharedBytes slots{ArrayRef(stored->data(), stored->size()), owner,
                      owner && isMapped(*owner)};
    slots = owner ? alignBytes(slots, type) : copyBytes(slots);
    DecodedTensor decoded{type, tensor.dims, *count, slots, false, {}};
    if (isMissing(decoded))
      return diagnose(tensor.subject, Diag::NoMemory, size);
    return module->makeConstant(
        makeElementsAttr(std::move(decoded), tensor.name));
  }
  const BlockFormat *format = getBlockFormat(tensor.format);
  if (!format)
    return diagnose(tensor.subject, Diag::UnknownFormat,
                    spellFormat(tensor.format));
  int64_t row = tensor.dims.empty() ? 1 : tensor.dims.back();
  if (row % format->elements)
    return diagnose(tensor.subject, Diag::PartialBlock, row, format->name,
                    format->elements);
  FailureOr<StringRef> blocks =
      getBytes(tensor, llvm::SaturatingMultiply<uint64_t>(
                           *count / format->elements, format->bytes));
  if (failed(blocks))
    return failure();
  return importBlocks(tensor, *format, *blocks);
}

OwningOpRef<ModuleOp> Importer::import() {
  if (failed(file.parse(bytes, loc)))
    return nullptr;
  int64_t opset = 23;
  for (const Tensor &tensor : file.getTensors())
    if (const BlockFormat *format = getBlockFormat(tensor.format))
      opset = std::max(opset, getMinOpset(*format));
  WeightsModule weights(loc, opset);
  module = &weights;
  findTensorScales();
  llvm::SmallPtrSet<const Tensor *, 8> scales;
  for (auto [tensor, scale] : tensorScales)
    scales.insert(scale);
  for (const Tensor &tensor : file.getTensors()) {
    if (scales.contains(&tensor))
      continue;
    FailureOr<Value> value = importTensor(tensor);
    if (failed(value))
      return nullptr;
    weights.addResult(tensor.name, *value);
  }
  if (failed(checkOverlaps()))
    return nullptr;
  return weights.finish();
}

OwningOpRef<ModuleOp> quant_float::importGgufBytes(StringRef bytes,
                                                   StringRef name,
                                                   MLIRContext *context) {
  loadWeightsDialects(context);
  return Importer(bytes, nullptr, FileLineColLoc::get(context, name, 0, 0))
      .import();
}

OwningOpRef<ModuleOp> quant_float::importGguf(StringRef path,
                                              MLIRContext *context) {
  loadWeightsDialects(context);
  Location loc = FileLineColLoc::get(context, path, 0, 0);
  auto opened = openRegularFile(path);
  if (!opened) {
    (void)diagnose(Subject{loc, ""}, Diag::CannotOpen,
                   llvm::toString(opened.takeError()));
    return nullptr;
  }
  std::shared_ptr<llvm::MemoryBuffer> file = std::move(*opened);
  return Importer(file->getBuffer(), file, loc).import();
}

void quant_float::registerFromGgufTranslation() {
  TranslateToMLIRRegistration registration(
      "import-gguf", "import the weights of a GGUF file",
      [](llvm::SourceMgr &sources,
         MLIRContext *context) -> OwningOpRef<Operation *> {
        const llvm::MemoryBuffer *buffer =
            sources.getMemoryBuffer(sources.getMainFileID());
        return importGgufBytes(buffer->getBuffer(),
                               buffer->getBufferIdentifier(), context);
      },
      registerWeightsDialects);
}
