//===- Expansion.cpp - Replacements of ops in older opsets ----------------===//
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
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Reference/Cast.h"
#include "quant-float/Support/FloatFormat.h"
#include "quant-float/Support/Locations.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

/// Returns the bits of an element of at most 8 bytes.
static uint64_t readElement(const char *from, size_t size) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, size);
  return bits;
}

/// Returns a constant of type `to` whose elements are the results of
/// `transform` on the bits of the elements of `value`. With `keepsBytes`,
/// refers to the same memory if possible. Null if `value` is not a constant
/// whose data is available.
static ElementsAttr
mapConstant(Value value, Type to,
            llvm::function_ref<uint64_t(uint64_t)> transform,
            bool keepsBytes = false) {
  ElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)))
    return {};
  auto type = cast<ShapedType>(value.getType());
  unsigned bits = getNumberWidth(type.getElementType());
  size_t size = llvm::divideCeil(bits, 8);
  size_t newSize = llvm::divideCeil(getNumberWidth(to), 8);
  ShapedType result = type.clone(to);
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  auto resource = dyn_cast<DenseResourceElementsAttr>(elements);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!dense && !blob)
    return {};
  // Refer to the same memory.
  if (keepsBytes && resource)
    return DenseResourceElementsAttr::get(result, resource.getRawHandle());
  ArrayRef<char> in = dense ? dense.getRawData() : blob->getData();
  bool isPacked = resource && quant_float::isPacked(resource);
  size_t count = isPacked ? type.getNumElements() : in.size() / size;
  if (isPacked && (8 % bits || in.size() < llvm::divideCeil(count * bits, 8)))
    return {};
  // Transform each encoding once if there are few of them.
  SmallVector<uint64_t> table;
  if (bits <= 8)
    for (unsigned encoding = 0; encoding < 1u << bits; ++encoding)
      table.push_back(transform(encoding));
  AsmResourceBlob bytes =
      HeapAsmResourceBlob::allocate(count * newSize, /*align=*/64);
  MutableArrayRef<char> out = bytes.getMutableData();
  uint64_t mask = llvm::maskTrailingOnes<uint64_t>(bits);
  for (size_t i = 0; i < count; ++i) {
    uint64_t encoding = isPacked ? uint8_t(in[i * bits / 8]) >> i * bits % 8
                                 : readElement(in.data() + i * size, size);
    uint64_t made =
        table.empty() ? transform(encoding) : table[encoding & mask];
    std::memcpy(out.data() + i * newSize, &made, newSize);
  }
  if (dense)
    return DenseElementsAttr::getFromRawBuffer(result, out);
  return DenseResourceElementsAttr::get(
      result, resource.getRawHandle().getKey(), std::move(bytes));
}

/// Returns `value` cast to the type `to`, or null as above.
static ElementsAttr castConstant(Value value, Type to) {
  Type from = getElementTypeOrSelf(value);
  unsigned width = getNumberWidth(from);
  return mapConstant(value, to, [&](uint64_t bits) {
    return reference::castElement(from, to,
                                  APInt(width, bits, /*isSigned=*/false,
                                        /*implicitTrunc=*/true),
                                  reference::CastOptions())
        .getZExtValue();
  });
}

void NodeNames::collect(ModuleOp module) {
  module.walk([&](Operation *op) {
    if (StringRef name = quant_float::getNodeName(op->getLoc()); !name.empty())
      next.try_emplace(name, 2);
  });
}

std::string NodeNames::make(const std::string &base) {
  auto [entry, isNew] = next.try_emplace(base, 2);
  if (isNew)
    return base;
  for (;;) {
    std::string name = base + "_" + std::to_string(entry->second++);
    // The insertion can rehash the map and invalidate `entry`.
    bool isFree = next.try_emplace(name, 2).second;
    if (isFree)
      return name;
    entry = next.find(base);
  }
}

Expansion::Expansion(Operation *op, const OpsetOptions &options,
                     NodeNames &names)
    : b(op->getLoc(), op), op(op), before(op->getPrevNode()), options(options),
      names(names), name(quant_float::getNodeName(op->getLoc()).str()) {}

void Expansion::cancel() {
  // Erase users before the ops that they use.
  for (Operation *last = op->getPrevNode(); last != before;
       last = op->getPrevNode())
    last->erase();
  for (const std::string &name : made)
    names.release(name);
  made.clear();
}

void Expansion::eraseUnused(Value value) {
  for (Operation *last = op->getPrevNode(); last != before;) {
    Operation *made = last;
    last = last->getPrevNode();
    if (made->use_empty() && made != value.getDefiningOp())
      made->erase();
  }
}

std::string Expansion::makeName(StringRef what) {
  std::string unique = names.make((name + "/" + what).str());
  made.push_back(unique);
  b.setLoc(appendToName(op->getLoc(), unique.substr(name.size())));
  return unique;
}

Value Expansion::constant(StringRef what, ElementsAttr elements) {
  (void)makeName(what);
  return createConstant(b, mlir::cast<TypedAttr>(elements));
}

Value Expansion::number(StringRef what, double value, Type elementType) {
  auto type = RankedTensorType::get({}, elementType ? elementType
                                                    : Type(b.getF32Type()));
  return constant(what,
                  DenseElementsAttr::get(
                      type, b.getFloatAttr(type.getElementType(), value)));
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

Value Expansion::dequantize(Type result, Value input, Value scale,
                            Value zeroPoint, IntegerAttr axis,
                            IntegerAttr blockSize) {
  (void)makeName("DequantizeLinear");
  return DequantizeOp::create(b, result, input, scale, zeroPoint,
                              b.getI64IntegerAttr(options.opset),
                              /*domain=*/StringAttr(), axis, blockSize,
                              /*ignored_attributes=*/ArrayAttr());
}

/// Returns the type to which constants of narrow floats are converted, if any.
static FloatType getWideFloat(const OpsetOptions &options,
                              MLIRContext *context) {
  for (FloatType type : {FloatType(Float16Type::get(context)),
                         FloatType(BFloat16Type::get(context))})
    if (getOnnxTypeName(type) == options.wideFloat &&
        hasElementType(options, type))
      return type;
  return {};
}

/// Returns the types, in order of preference, that represent all values of
/// `type`.
static SmallVector<Type> getWiderTypes(Type type) {
  Builder b(type.getContext());
  unsigned width = getNumberWidth(type);
  if (isFloat(type))
    return width < 32 ? SmallVector<Type>{b.getF32Type(), b.getF64Type()}
                      : SmallVector<Type>{b.getF64Type()};
  SmallVector<Type> types;
  if (width < 8)
    types.push_back(type.isSignlessInteger()
                        ? b.getI8Type()
                        : b.getIntegerType(8, /*isSigned=*/false));
  for (unsigned wider : {16, 32, 64})
    if (width < wider)
      types.push_back(b.getIntegerType(wider));
  return types;
}

Value Expansion::widen(Value value, StringRef what) {
  Type type = getElementTypeOrSelf(value);
  if (hasElementType(options, type))
    return value;
  for (Type wider : getWiderTypes(type))
    if (hasElementType(options, wider))
      if (ElementsAttr elements = castConstant(value, wider))
        return constant(what, elements);
  return {};
}

Value Expansion::decodeParameter(Value parameter, StringRef what, Type to) {
  Value wide = widen(parameter, what);
  return wide ? cast(wide, to ? to : Type(b.getF32Type())) : Value();
}

Value Expansion::decode(Value input, StringRef what) {
  Type type = getElementTypeOrSelf(input), f32 = b.getF32Type();
  unsigned bits = getNumberWidth(type);
  if (hasElementType(options, type) || !isFloat(type) || bits > 8)
    return decodeParameter(input, what);
  auto shape = mlir::cast<ShapedType>(input.getType());
  SmallVector<APInt> numbers;
  for (unsigned encoding = 0; encoding < 1u << bits; ++encoding)
    numbers.push_back(reference::castElement(type, f32, APInt(bits, encoding),
                                             reference::CastOptions()));
  if (FloatType wide = getWideFloat(options, b.getContext())) {
    // The type must represent all values of the narrow type.
    bool hasAll = llvm::all_of(numbers, [&](const APInt &number) {
      APInt value =
          reference::castElement(f32, wide, number, reference::CastOptions());
      return reference::castElement(wide, f32, value,
                                    reference::CastOptions()) == number;
    });
    if (hasAll)
      if (ElementsAttr elements = castConstant(input, wide))
        return cast(constant(what, elements), f32);
  }
  ElementsAttr bytes = mapConstant(
      input, b.getIntegerType(8, /*isSigned=*/false),
      [](uint64_t encoding) { return encoding; }, /*keepsBytes=*/bits == 8);
  if (!bytes)
    return {};
  SmallVector<APFloat> table;
  for (const APInt &number : numbers)
    table.push_back(APFloat(APFloat::IEEEsingle(), number));
  hasTable = true;
  auto tableType = RankedTensorType::get({int64_t(table.size())}, f32);
  Value values = constant("table", DenseElementsAttr::get(tableType, table));
  Value blockIndices = cast(constant(what, bytes), b.getI32Type());
  return node("Gather", {values, blockIndices}, shape.clone(f32),
              b.getNamedAttr("axis", b.getI64IntegerAttr(0)));
}

Value Expansion::reshape(Value value, ArrayRef<int64_t> sizes,
                         ArrayRef<int64_t> shape) {
  auto type = mlir::cast<RankedTensorType>(value.getType());
  auto sizesType =
      RankedTensorType::get({int64_t(sizes.size())}, b.getI64Type());
  Value sizesConstant =
      constant("shape", DenseElementsAttr::get(sizesType, sizes));
  return node("Reshape", {value, sizesConstant}, type.clone(shape));
}

Value Expansion::spread(Value parameter, RankedTensorType input, int64_t axis,
                        int64_t blockSize) {
  auto type = dyn_cast<RankedTensorType>(parameter.getType());
  if (!type)
    return {};
  int64_t rank = input.getRank();
  // A parameter of one element broadcasts if its rank is at most that of the
  // input.
  bool isOne = type.hasStaticShape() && type.getNumElements() == 1;
  if (type.getRank() == 0 || (isOne && type.getRank() <= rank))
    return parameter;
  axis += axis < 0 ? rank : 0;
  // If the axis is out of range, as the default axis is for a vector, the
  // parameter has one element, even if its size is dynamic.
  if (isOne || axis >= rank)
    return reshape(parameter, {}, {});
  SmallVector<int64_t> shape(type.getShape());
  if (type.getRank() == rank && blockSize > 0)
    return spreadBlocks(parameter, input, axis, blockSize);
  if (axis == rank - 1)
    return parameter;
  shape.assign(rank, 1);
  shape[axis] = -1;
  SmallVector<int64_t> sizes = shape;
  shape[axis] = type.getDimSize(0);
  return reshape(parameter, sizes, shape);
}

/// Returns a value with the shape of the op's input, of a type that the opset
/// has. Null if there is none.
static Value findInputSizes(Operation *op, const OpsetOptions &options) {
  Value input = op->getOperand(0);
  // Quantizes and casts to types that the opset lacks are replaced, but their
  // inputs have the same shape.
  while (!hasElementType(options, getElementTypeOrSelf(input)) &&
         isa_and_nonnull<QuantizeOp, CastOp>(input.getDefiningOp()))
    input = input.getDefiningOp()->getOperand(0);
  return hasElementType(options, getElementTypeOrSelf(input)) ? input : Value();
}

Value Expansion::spreadBlocks(Value parameter, RankedTensorType input,
                              int64_t axis, int64_t blockSize) {
  auto type = mlir::cast<RankedTensorType>(parameter.getType());
  // A single block is broadcast.
  if (type.getDimSize(axis) == 1)
    return parameter;
  int64_t size = input.getDimSize(axis);
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = size;
  // Upper bound of the size of an axis whose block indices become a constant.
  constexpr int64_t kMaxIndices = int64_t(1) << 24;
  if (!ShapedType::isDynamic(size) && size <= kMaxIndices) {
    SmallVector<int64_t> blockIndices;
    for (int64_t i = 0; i < size; ++i)
      blockIndices.push_back(i / blockSize);
    return node(
        "Gather",
        {parameter, constant("blocks", b.getI64TensorAttr(blockIndices))},
        type.clone(shape), b.getNamedAttr("axis", b.getI64IntegerAttr(axis)));
  }
  return repeatBlocks(parameter, input, axis, blockSize);
}

Value Expansion::repeatBlocks(Value parameter, RankedTensorType input,
                              int64_t axis, int64_t blockSize) {
  auto type = mlir::cast<RankedTensorType>(parameter.getType());
  int64_t rank = type.getRank();
  Value sized = findInputSizes(op, options);
  if (!sized || !hasElementType(options, b.getI64Type()))
    return {};
  auto integers = [&](StringRef what, ArrayRef<int64_t> values) {
    return constant(what, b.getI64TensorAttr(values));
  };
  auto getShapeType = [&](int64_t count) {
    return RankedTensorType::get({count}, b.getI64Type());
  };
  constexpr int64_t kFirstOpsetWithAxesInput = 13;
  SmallVector<int64_t> opened(type.getShape());
  opened.insert(opened.begin() + axis + 1, 1);
  Value repeated =
      options.opset < kFirstOpsetWithAxesInput
          ? node("Unsqueeze", {parameter}, type.clone(opened),
                 b.getNamedAttr("axes", b.getDenseI64ArrayAttr({axis + 1})))
          : node("Unsqueeze", {parameter, integers("axes", {axis + 1})},
                 type.clone(opened));
  Value end = node("Shape", {sized}, getShapeType(input.getRank()));
  end = node("Gather", {end, integers("place", {axis})}, getShapeType(1),
             b.getNamedAttr("axis", b.getI64IntegerAttr(0)));
  // A single block can be far longer than the axis, so the repetition is
  // bounded by the size of the axis. Several blocks are shorter than the axis.
  constexpr int64_t kLongBlock = 4096;
  Value length;
  if (blockSize > kLongBlock && type.isDynamicDim(axis)) {
    length = integers("block_size", {blockSize});
    Value isShorter =
        node("Less", {end, length}, getShapeType(1).clone(b.getI1Type()));
    length = node("Where", {isShorter, end, length}, getShapeType(1));
  }
  // Returns a list of ones, with the block length at `position`.
  auto getRepeats = [&](StringRef what, int64_t count, int64_t position) {
    SmallVector<int64_t> values(count, 1);
    values[position] = blockSize;
    if (!length)
      return integers(what, values);
    SmallVector<bool> isPosition(count, false);
    isPosition[position] = true;
    auto shape = getShapeType(count);
    Value condition = constant(
        "is_place", DenseElementsAttr::get(shape.clone(b.getI1Type()),
                                           ArrayRef<bool>(isPosition)));
    return node("Where", {condition, length, integers("one", {1})}, shape);
  };
  opened[axis + 1] = length ? ShapedType::kDynamic : blockSize;
  repeated = node("Tile", {repeated, getRepeats("repeats", rank + 1, axis + 1)},
                  type.clone(opened));
  Value sizes = node("Shape", {parameter}, getShapeType(rank));
  sizes = node("Mul", {sizes, getRepeats("factors", rank, axis)},
               getShapeType(rank));
  SmallVector<int64_t> merged(type.getShape()), shape(type.getShape());
  shape[axis] = input.getDimSize(axis);
  merged[axis] = ShapedType::kDynamic;
  repeated = node("Reshape", {repeated, sizes}, type.clone(merged));
  return node(
      "Slice",
      {repeated, integers("starts", {0}), end, integers("axes", {axis})},
      type.clone(shape));
}
