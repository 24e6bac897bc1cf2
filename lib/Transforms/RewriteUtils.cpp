//===- RewriteUtils.cpp - Helpers of rewrites -----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RewriteUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Reference/Quantize.h"
#include "quant-float/Support/FloatFormat.h"
#include "quant-float/Support/LlvmCompat.h"
#include "quant-float/Support/Locations.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Unpacks elements, starting at the low bits of each byte.
static SmallVector<APInt> unpack(ArrayRef<char> bytes, unsigned width,
                                 int64_t count) {
  SmallVector<APInt> elements;
  elements.reserve(count);
  for (int64_t i = 0; i < count; ++i) {
    size_t bit = size_t(i) * width, at = bit / 8;
    unsigned pair = uint8_t(bytes[at]);
    if (at + 1 < bytes.size())
      pair |= unsigned(uint8_t(bytes[at + 1])) << 8;
    elements.push_back(APInt(
        width, (pair >> bit % 8) & llvm::maskTrailingOnes<unsigned>(width)));
  }
  return elements;
}

std::optional<SmallVector<APInt>>
quant_float::getConstantElements(Value value) {
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return std::nullopt;
  if (auto scalar = dyn_cast<FloatAttr>(constant))
    return SmallVector<APInt>{scalar.getValue().bitcastToAPInt()};
  if (auto scalar = dyn_cast<IntegerAttr>(constant))
    return SmallVector<APInt>{scalar.getValue()};
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (blob && isPacked(resource))
      return unpack(blob->getData(),
                    resource.getElementType().getIntOrFloatBitWidth(),
                    resource.getShapedType().getNumElements());
    if (!blob || !isValidRawBuffer(resource.getType(), blob->getData()))
      return std::nullopt;
    constant = DenseElementsAttr::getFromRawBuffer(resource.getType(),
                                                   blob->getData());
  }
  auto elements = dyn_cast<DenseElementsAttr>(constant);
  if (!elements || !elements.getElementType().isIntOrFloat())
    return std::nullopt;
  SmallVector<APInt> bits;
  int64_t count = elements.isSplat() ? 1 : elements.getNumElements();
  if (isa<FloatType>(elements.getElementType()))
    for (const APFloat &element :
         llvm::make_range(elements.value_begin<APFloat>(),
                          elements.value_begin<APFloat>() + count))
      bits.push_back(element.bitcastToAPInt());
  else
    for (const APInt &element :
         llvm::make_range(elements.value_begin<APInt>(),
                          elements.value_begin<APInt>() + count))
      bits.push_back(element);
  return bits;
}

Value quant_float::createConstantOfBits(OpBuilder &builder, Location loc,
                                        Type type, ArrayRef<APInt> bits) {
  Type elementType = getElementTypeOrSelf(type);
  auto number = dyn_cast<FloatType>(elementType);
  auto getFloat = [&](const APInt &element) {
    return APFloat(number.getFloatSemantics(), element);
  };
  TypedAttr value;
  if (auto shaped = dyn_cast<ShapedType>(type))
    value = number ? cast<TypedAttr>(DenseElementsAttr::get(
                         shaped, llvm::map_to_vector(bits, getFloat)))
                   : cast<TypedAttr>(DenseElementsAttr::get(shaped, bits));
  else if (number)
    value = FloatAttr::get(type, getFloat(bits.front()));
  else
    value = IntegerAttr::get(type, bits.front());
  return createConstant(builder, loc, value);
}

std::optional<ConstantBytes> quant_float::getConstantBytes(Value value) {
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return std::nullopt;
  auto elements = dyn_cast<ElementsAttr>(constant);
  if (!elements || !elements.getElementType().isIntOrFloat() ||
      elements.getElementType().getIntOrFloatBitWidth() % 8)
    return std::nullopt;
  if (auto dense = dyn_cast<DenseTypedElementsAttr>(constant))
    return ConstantBytes{dense.getRawData(), /*isResource=*/false};
  auto resource = dyn_cast<DenseResourceElementsAttr>(constant);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob || !isValidRawBuffer(resource.getType(), blob->getData()))
    return std::nullopt;
  return ConstantBytes{blob->getData(), /*isResource=*/true};
}

Value quant_float::createConstantOfBytes(OpBuilder &builder, Location loc,
                                         ShapedType type,
                                         SmallVector<char> bytes,
                                         const ConstantBytes &like) {
  TypedAttr value;
  if (like.isResource)
    value = DenseResourceElementsAttr::get(
        type, "constant",
        HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes,
                                                      alignof(uint64_t)));
  else
    value = cast<TypedAttr>(DenseElementsAttr::getFromRawBuffer(type, bytes));
  return createConstant(builder, loc, value);
}

void quant_float::keepConstantAttributes(Operation *from, Operation *to) {
  if (from->hasOneUse())
    to->setDiscardableAttrs(from->getDiscardableAttrDictionary());
}

void quant_float::eraseUnused(RewriterBase &rewriter, ArrayRef<Value> values) {
  llvm::SmallSetVector<Operation *, 8> sources;
  auto add = [&](Value value) {
    if (Operation *source = value.getDefiningOp())
      sources.insert(source);
  };
  llvm::for_each(values, add);
  while (!sources.empty()) {
    Operation *op = sources.pop_back_val();
    if (!op->use_empty() || !(isa<NodeOp>(op) || isOpTriviallyDead(op)))
      continue;
    llvm::for_each(op->getOperands(), add);
    rewriter.eraseOp(op);
  }
}

APFloat quant_float::getFloatValue(Type type, const APInt &bits) {
  return FloatFormat(type).getValue(bits.getZExtValue());
}

std::string quant_float::describeEncoding(Type type, const APInt &bits) {
  SmallString<32> value;
  if (isFloat(type))
    getFloatValue(type, bits).toString(value);
  else
    bits.toString(value, /*Radix=*/10, /*Signed=*/type.isSignlessInteger());
  std::string digits = llvm::utohexstr(bits.getZExtValue(), /*LowerCase=*/true,
                                       (bits.getBitWidth() + 3) / 4);
  return ("0x" + digits + " (" + value + ")").str();
}

std::optional<NodeKind> quant_float::getNormalizedKind(NodeOp node) {
  StringRef domain = node.getDomain();
  return findNodeKind(domain == "ai.onnx" ? "" : domain, node.getOpType());
}

InFlightDiagnostic quant_float::emitNodeRemark(Operation *op) {
  InFlightDiagnostic remark = op->emitRemark();
  if (StringRef name = getNodeName(op->getLoc()); !name.empty())
    remark << "node '" << printable(name) << "': ";
  return remark;
}

std::optional<SmallVector<Parameters>>
quant_float::getConstantParameters(QuantizationOpInterface op) {
  std::optional<SmallVector<APInt>> scales =
      getConstantElements(op.getScaleValue());
  std::optional<SmallVector<APInt>> zeroPoints;
  if (Value zeroPoint = op.getZeroPointValue()) {
    zeroPoints = getConstantElements(zeroPoint);
    if (!zeroPoints)
      return std::nullopt;
  }
  if (!scales || scales->empty() || (zeroPoints && zeroPoints->empty()))
    return std::nullopt;
  size_t count =
      std::max(scales->size(), zeroPoints ? zeroPoints->size() : size_t(1));
  auto fits = [&](ArrayRef<APInt> bits) {
    return bits.size() == 1 || bits.size() == count;
  };
  if (!fits(*scales) || (zeroPoints && !fits(*zeroPoints)))
    return std::nullopt;
  auto get = [](ArrayRef<APInt> bits, size_t index) {
    return bits[bits.size() == 1 ? 0 : index];
  };
  SmallVector<Parameters> parameters;
  for (size_t i = 0; i < count; ++i) {
    parameters.push_back({get(*scales, i), std::nullopt});
    if (zeroPoints)
      parameters.back().zeroPoint = get(*zeroPoints, i);
  }
  return parameters;
}

APInt quant_float::evaluate(QuantizeOp op, const APInt &bits,
                            const Parameters &parameters) {
  reference::QuantizeOptions options;
  options.saturate = op.getSemantics().saturate;
  options.precision = op.getSemantics().precision;
  return reference::quantizeElement(
      getElementTypeOrSelf(op.getInput()), getElementTypeOrSelf(op.getScale()),
      op.getQuantizedElementType(), bits, parameters.scale,
      parameters.zeroPoint, options);
}

APInt quant_float::evaluate(DequantizeOp op, const APInt &bits,
                            const Parameters &parameters) {
  return reference::dequantizeElement(
      op.getQuantizedElementType(), getElementTypeOrSelf(op.getScale()),
      getElementTypeOrSelf(op.getResult()), bits, parameters.scale,
      parameters.zeroPoint);
}
