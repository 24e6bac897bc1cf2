//===- Expansion.cpp - What an op becomes in older opsets -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"

#include "OpsetConverter.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Reference/Cast.h"
#include "quant-float/Support/FloatFormat.h"
#include "quant-float/Support/Locations.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

/// The elements, as `T` and of type `to`, that `transform` makes of the codes
/// of a constant; null where the value is no such constant.
template <typename T>
static ElementsAttr mapCodes(Value value, Type to,
                             llvm::function_ref<T(uint8_t)> transform,
                             bool asTheyAre = false) {
  ElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)))
    return {};
  auto type = cast<ShapedType>(value.getType());
  unsigned bits = getNumberWidth(type.getElementType());
  ShapedType result = type.clone(to);
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  auto resource = dyn_cast<DenseResourceElementsAttr>(elements);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!dense && !blob)
    return {};
  // In the memory that they are in.
  if (asTheyAre && resource)
    return DenseResourceElementsAttr::get(result, resource.getRawHandle());
  ArrayRef<char> in = dense ? dense.getRawData() : blob->getData();
  bool isPacked = resource && quant_float::isPacked(resource);
  size_t count = isPacked ? type.getNumElements() : in.size();
  if (isPacked && (8 % bits || in.size() < llvm::divideCeil(count * bits, 8)))
    return {};
  AsmResourceBlob bytes =
      HeapAsmResourceBlob::allocate(count * sizeof(T), /*align=*/64);
  MutableArrayRef<char> data = bytes.getMutableData();
  MutableArrayRef<T> out(reinterpret_cast<T *>(data.data()), count);
  uint8_t mask = llvm::maskTrailingOnes<uint8_t>(bits);
  for (size_t i = 0; i < count; ++i) {
    uint8_t code = isPacked ? uint8_t(in[i * bits / 8]) >> i * bits % 8 : in[i];
    out[i] = transform(code & mask);
  }
  if (dense)
    return DenseElementsAttr::getFromRawBuffer(result, data);
  return DenseResourceElementsAttr::get(
      result, resource.getRawHandle().getKey(), std::move(bytes));
}

Expansion::Expansion(Operation *op, const OpsetOptions &options)
    : b(op->getLoc(), op), op(op), before(op->getPrevNode()), options(options),
      name(quant_float::getNodeName(op->getLoc()).str()) {}

void Expansion::cancel() {
  // The last one first: those before are used by it.
  for (Operation *last = op->getPrevNode(); last != before;
       last = op->getPrevNode())
    last->erase();
}

std::string Expansion::makeName(StringRef what) {
  unsigned count = ++counts[what];
  std::string made = (name + "/" + what).str();
  if (count > 1)
    made += "_" + std::to_string(count);
  b.setLoc(appendToName(op->getLoc(), made.substr(name.size())));
  return made;
}

Value Expansion::constant(StringRef what, ElementsAttr elements) {
  (void)makeName(what);
  return arith::ConstantOp::create(b, mlir::cast<TypedAttr>(elements));
}

Value Expansion::number(StringRef what, double value) {
  auto type = RankedTensorType::get({}, b.getF32Type());
  return constant(what, DenseElementsAttr::get(type, float(value)));
}

Value Expansion::node(StringRef opType, ValueRange operands, Type type,
                      ArrayRef<NamedAttribute> attributes) {
  std::string made = makeName(opType);
  return NodeOp::create(b, TypeRange(type), opType, operands, /*domain=*/"",
                        options.opset, b.getStringAttr(made),
                        b.getDictionaryAttr(attributes), ArrayRef<int64_t>(),
                        b.getStrArrayAttr({}), /*bodiesCount=*/0)
      ->getResult(0);
}

Value Expansion::cast(Value value, Type elementType) {
  if (getElementTypeOrSelf(value) == elementType)
    return value;
  (void)makeName("Cast");
  return CastOp::create(b, value, elementType, options.opset);
}

/// The type that constants of narrow floats become, if any.
static FloatType getWideFloat(const OpsetOptions &options,
                              MLIRContext *context) {
  for (FloatType type : {FloatType(Float16Type::get(context)),
                         FloatType(BFloat16Type::get(context))})
    if (getOnnxTypeName(type) == options.wideFloat &&
        hasElementType(options, type))
      return type;
  return {};
}

Value Expansion::decode(Value codes, StringRef what) {
  Type type = getElementTypeOrSelf(codes), f32 = b.getF32Type();
  if (hasElementType(options, type))
    return cast(codes, f32);
  unsigned bits = getNumberWidth(type);
  auto shape = mlir::cast<ShapedType>(codes.getType());
  if (!isFloat(type)) {
    bool isSigned = type.isSignlessInteger();
    Type byte = isSigned ? b.getI8Type() : b.getIntegerType(8, false);
    if (bits < 8)
      if (ElementsAttr bytes =
              mapCodes<uint8_t>(codes, byte, [&](uint8_t code) {
                return isSigned ? llvm::SignExtend32(code, bits) : code;
              }))
        return cast(constant(what, bytes), f32);
    return {};
  }
  SmallVector<APInt> numbers;
  for (unsigned code = 0; code < 1u << bits; ++code)
    numbers.push_back(reference::castElement(type, f32, APInt(bits, code),
                                             reference::CastOptions()));
  if (FloatType wide = getWideFloat(options, b.getContext())) {
    // All of them, or it is not that type's constant.
    SmallVector<uint16_t> values;
    for (const APInt &number : numbers) {
      APInt value =
          reference::castElement(f32, wide, number, reference::CastOptions());
      if (reference::castElement(wide, f32, value, reference::CastOptions()) ==
          number)
        values.push_back(value.getZExtValue());
    }
    if (values.size() == numbers.size())
      if (ElementsAttr elements = mapCodes<uint16_t>(
              codes, wide, [&](uint8_t code) { return values[code]; }))
        return cast(constant(what, elements), f32);
  }
  ElementsAttr bytes = mapCodes<uint8_t>(
      codes, b.getIntegerType(8, /*isSigned=*/false),
      [](uint8_t code) { return code; }, /*asTheyAre=*/bits == 8);
  if (!bytes)
    return {};
  SmallVector<APFloat> table;
  for (const APInt &number : numbers)
    table.push_back(APFloat(APFloat::IEEEsingle(), number));
  hasTable = true;
  auto tableType = RankedTensorType::get({int64_t(table.size())}, f32);
  Value values = constant("table", DenseElementsAttr::get(tableType, table));
  Value places = cast(constant(what, bytes), b.getI32Type());
  return node("Gather", {values, places}, shape.clone(f32),
              b.getNamedAttr("axis", b.getI64IntegerAttr(0)));
}

Value Expansion::spread(Value parameter, RankedTensorType input, int64_t axis,
                        int64_t blockSize) {
  auto type = mlir::cast<RankedTensorType>(parameter.getType());
  int64_t rank = input.getRank();
  if (type.getRank() == 0 || (type.getNumElements() == 1 && rank > 0))
    return type.getRank() < 2 ? parameter : Value();
  axis += axis < 0 ? rank : 0;
  if (type.getRank() == rank && blockSize > 0) {
    int64_t size = input.getDimSize(axis);
    // A place for each element of the axis becomes a constant.
    constexpr int64_t kMostPlaces = int64_t(1) << 24;
    if (ShapedType::isDynamic(size) || size > kMostPlaces)
      return {};
    SmallVector<int64_t> places;
    for (int64_t i = 0; i < size; ++i)
      places.push_back(i / blockSize);
    SmallVector<int64_t> shape(type.getShape());
    shape[axis] = size;
    return node(
        "Gather", {parameter, constant("blocks", b.getI64TensorAttr(places))},
        type.clone(shape), b.getNamedAttr("axis", b.getI64IntegerAttr(axis)));
  }
  if (axis == rank - 1)
    return parameter;
  SmallVector<int64_t> shape(rank, 1);
  shape[axis] = -1;
  Value sizes = constant("shape", b.getI64TensorAttr(shape));
  shape[axis] = type.getDimSize(0);
  return node("Reshape", {parameter, sizes}, type.clone(shape));
}
