//===- Import.cpp - GGUF files to the quant_float dialect -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Target/GGUF/Import.h"
#include "../Common/Shapes.h"
#include "File.h"
#include "Formats.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "quant-float/EntryPoint/EntryPointInfo.h"
#include "quant-float/IR/QuantFloatDialect.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Support/InputFile.h"
#include "quant-float/Support/Printable.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::gguf_import;

/// The scale of MXFP4 that f8E8M0FNU has as NaN.
static constexpr uint16_t kNanScale = 255;

namespace {
/// The elements of a constant, which come one by one.
class Elements {
public:
  Elements(Type type, SmallVector<int64_t> dims) {
    tensor.elementType = type;
    tensor.count = *countElements(dims);
    tensor.dims = std::move(dims);
    tensor.isPacked = staysPacked(type, tensor.count);
    size = tensor.isPacked ? getPackedSize(getPackedBits(type), tensor.count)
                           : tensor.count * getSlotBytes(type);
    std::tie(tensor.slots, slots) = allocateBytes(size);
    if (slots)
      std::memset(slots, 0, size);
  }

  bool hasMemory() const { return slots || !size; }
  uint64_t getSize() const { return size; }

  /// The code, sign-extended or not as its type wants it.
  void add(uint16_t code) {
    unsigned bits = getPackedBits(tensor.elementType);
    if (tensor.isPacked)
      slots[next * bits / 8] |= (code & ((1 << bits) - 1)) << next * bits % 8;
    else if (getSlotBytes(tensor.elementType) == 2)
      llvm::support::endian::write16le(slots + 2 * next, code);
    else
      slots[next] = char(code);
    ++next;
  }

  ElementsAttr finish(StringRef name) {
    return makeElementsAttr(std::move(tensor), name);
  }

private:
  DecodedTensor tensor;
  char *slots = nullptr;
  uint64_t size, next = 0;
};

class Importer {
public:
  /// `owner` keeps `bytes`, which are copied where there is none.
  Importer(StringRef bytes, std::shared_ptr<llvm::MemoryBuffer> owner,
           Location loc)
      : b(loc, loc.getContext()), bytes(bytes), owner(std::move(owner)) {}

  OwningOpRef<ModuleOp> import();

private:
  LogicalResult checkOverlaps();
  FailureOr<Value> importTensor(const Tensor &tensor);
  FailureOr<Value> importBlocks(const Tensor &tensor, const BlockFormat &format,
                                StringRef blocks);
  /// Where the bytes of a tensor of so many are.
  FailureOr<StringRef> getBytes(const Tensor &tensor, uint64_t size);
  FailureOr<Value> makeConstant(Elements &elements, const Tensor &tensor,
                                StringRef part);
  Value dequantize(Value codes, Value scale, int64_t axis, int64_t blockSize);
  Value makeNode(StringRef opType, ValueRange operands, ArrayRef<int64_t> dims);

  ImplicitLocOpBuilder b;
  StringRef bytes;
  std::shared_ptr<llvm::MemoryBuffer> owner;
  File file;
  /// The least that has all types.
  int64_t opset = 23;
  /// By tensor: the bytes that it has, for checkOverlaps().
  SmallVector<std::pair<uint64_t, const Tensor *>> sizes;
};
} // namespace

static RankedTensorType getType(ArrayRef<int64_t> dims, Type element) {
  return RankedTensorType::get(dims, element);
}

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

/// Two names for the same bytes are no way to write weights.
LogicalResult Importer::checkOverlaps() {
  llvm::erase_if(sizes, [](auto &entry) { return entry.first == 0; });
  // Tensors are in the file's order.
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

FailureOr<Value> Importer::makeConstant(Elements &elements,
                                        const Tensor &tensor, StringRef part) {
  ElementsAttr attribute =
      elements.finish((tensor.name + (part.empty() ? "" : ".") + part).str());
  if (!attribute)
    return diagnose(tensor.subject, Diag::NoMemory, elements.getSize());
  return arith::ConstantOp::create(b, attribute).getResult();
}

Value Importer::dequantize(Value codes, Value scale, int64_t axis,
                           int64_t blockSize) {
  auto type = cast<RankedTensorType>(codes.getType());
  return DequantizeOp::create(b, type.clone(b.getF32Type()), codes, scale,
                              /*zero_point=*/Value(), opset,
                              /*domain=*/StringAttr(),
                              b.getI64IntegerAttr(axis),
                              b.getI64IntegerAttr(blockSize),
                              /*ignored_attributes=*/ArrayAttr());
}

Value Importer::makeNode(StringRef opType, ValueRange operands,
                         ArrayRef<int64_t> dims) {
  return NodeOp::create(b, TypeRange(getType(dims, b.getF32Type())), opType,
                        operands, /*domain=*/"", opset,
                        /*node_name=*/StringAttr(), b.getDictionaryAttr({}),
                        ArrayRef<int64_t>(), b.getStrArrayAttr({}),
                        /*bodiesCount=*/0)
      ->getResult(0);
}

FailureOr<Value> Importer::importBlocks(const Tensor &tensor,
                                        const BlockFormat &format,
                                        StringRef blocks) {
  MLIRContext *context = b.getContext();
  // A minimum is one of a group's row, to be broadcast.
  bool hasMinimum = format.minimum != Minimum::None;
  SmallVector<int64_t> codeDims = tensor.dims, groupDims = tensor.dims,
                       blockDims = tensor.dims;
  groupDims.back() /= format.group;
  blockDims.back() /= format.elements;
  if (hasMinimum) {
    codeDims = groupDims;
    codeDims.push_back(format.group);
    groupDims.push_back(1);
    blockDims.push_back(1);
  }
  auto getElements = [&](Codes codes, ArrayRef<int64_t> dims) {
    return Elements(getCodeType(codes, context), SmallVector<int64_t>(dims));
  };
  Elements codes = getElements(format.codes, codeDims);
  Elements scales = getElements(format.scaleCodes, groupDims);
  Elements minimums = getElements(format.scaleCodes, groupDims);
  Elements scale(getScaleType(format, context), blockDims);
  Elements minimum(b.getF16Type(), blockDims);
  for (const Elements *elements :
       {&codes, &scales, &minimums, &scale, &minimum})
    if (!elements->hasMemory())
      return diagnose(tensor.subject, Diag::NoMemory, elements->getSize());

  unsigned groups = format.elements / format.group;
  DecodedBlock block;
  for (size_t i = 0; i != blocks.size(); i += format.bytes) {
    format.decode(blocks.bytes_begin() + i, block);
    if (format.codes == Codes::F4 && block.scale == kNanScale)
      return diagnose(tensor.subject, Diag::NanScale, i / format.bytes);
    for (int8_t code : ArrayRef(block.codes).take_front(format.elements))
      codes.add(code);
    scale.add(block.scale);
    if (hasMinimum)
      minimum.add(block.minimum);
    if (!format.hasScaleCodes())
      continue;
    for (unsigned group = 0; group != groups; ++group) {
      scales.add(block.scales[group]);
      minimums.add(block.minimums[group]);
    }
  }

  // Groups share a block's scale along the last axis, or the one before.
  int64_t axis = hasMinimum ? -2 : -1;
  auto makeScales = [&](Elements &whole, Elements &parts,
                        StringRef name) -> FailureOr<Value> {
    FailureOr<Value> value = makeConstant(whole, tensor, name);
    if (failed(value) || !format.hasScaleCodes())
      return value;
    FailureOr<Value> codes =
        makeConstant(parts, tensor, (name + ".codes").str());
    if (failed(codes))
      return failure();
    return dequantize(*codes, *value, axis, groups);
  };
  FailureOr<Value> codeValue = makeConstant(codes, tensor, "codes");
  FailureOr<Value> scaleValue = makeScales(scale, scales, "scale");
  if (failed(codeValue) || failed(scaleValue))
    return failure();
  Value result = dequantize(*codeValue, *scaleValue, /*axis=*/-1, format.group);
  if (!hasMinimum)
    return result;
  FailureOr<Value> minimumValue = makeScales(minimum, minimums, "minimum");
  if (failed(minimumValue))
    return failure();
  if (!format.hasScaleCodes())
    *minimumValue =
        CastOp::create(b, *minimumValue, b.getF32Type(), opset).getResult();
  result = makeNode(format.minimum == Minimum::Added ? "Add" : "Sub",
                    {result, *minimumValue}, codeDims);
  Value shape = arith::ConstantOp::create(
      b, b.getI64TensorAttr(ArrayRef<int64_t>(tensor.dims)));
  return makeNode("Reshape", {result, shape}, tensor.dims);
}

FailureOr<Value> Importer::importTensor(const Tensor &tensor) {
  b.setLoc(tensor.subject.loc);
  FailureOr<int64_t> count = checkShape<Diag>(tensor.dims, tensor.subject);
  if (failed(count))
    return failure();
  if (Type type = getElementType(tensor.format, b.getContext())) {
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
    return arith::ConstantOp::create(
               b, makeElementsAttr(std::move(decoded), tensor.name))
        .getResult();
  }
  const BlockFormat *format = getBlockFormat(tensor.format);
  if (!format)
    return diagnose(tensor.subject, Diag::UnknownFormat, tensor.format);
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
  Location loc = b.getLoc();
  if (failed(file.parse(bytes, loc)))
    return nullptr;
  for (const Tensor &tensor : file.getTensors())
    if (const BlockFormat *format = getBlockFormat(tensor.format))
      opset = std::max(opset, getLeastOpset(*format));
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  (*module)->setAttr("quant_float.opset_imports",
                     b.getDictionaryAttr(b.getNamedAttr(
                         "ai.onnx", b.getI64IntegerAttr(opset))));
  b.setInsertionPointToEnd(module->getBody());
  auto function = func::FuncOp::create(b, "weights", b.getFunctionType({}, {}));
  b.setInsertionPointToEnd(function.addEntryBlock());
  SmallVector<Value> results;
  SmallVector<Attribute> names;
  for (const Tensor &tensor : file.getTensors()) {
    FailureOr<Value> value = importTensor(tensor);
    if (failed(value))
      return nullptr;
    results.push_back(*value);
    names.push_back(b.getDictionaryAttr(
        b.getNamedAttr(kNameAttrName, b.getStringAttr(tensor.name))));
  }
  b.setLoc(loc);
  func::ReturnOp::create(b, results);
  function.setFunctionType(
      b.getFunctionType({}, ValueRange(results).getTypes()));
  function.setAllResultAttrs(names);
  if (failed(checkOverlaps()) || failed(verify(*module)))
    return nullptr;
  return module;
}

static void loadDialects(MLIRContext *context) {
  context->loadDialect<arith::ArithDialect, func::FuncDialect,
                       QuantFloatDialect>();
}

OwningOpRef<ModuleOp> quant_float::importGgufBytes(StringRef bytes,
                                                   StringRef name,
                                                   MLIRContext *context) {
  loadDialects(context);
  return Importer(bytes, nullptr, FileLineColLoc::get(context, name, 0, 0))
      .import();
}

OwningOpRef<ModuleOp> quant_float::importGguf(StringRef path,
                                              MLIRContext *context) {
  loadDialects(context);
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
      [](DialectRegistry &registry) {
        registry.insert<arith::ArithDialect, func::FuncDialect,
                        QuantFloatDialect>();
      });
}
