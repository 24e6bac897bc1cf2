//===- WeightsModule.cpp - Modules of weights -----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightsModule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/EntryPointInfo.h"
#include "quant-float/IR/QuantFloatDialect.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Support/OpsetImports.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::target;

ElementsWriter::ElementsWriter(Type type, ArrayRef<int64_t> dims) {
  tensor.elementType = type;
  tensor.count = *countElements(dims);
  tensor.dims = SmallVector<int64_t>(dims);
  tensor.isPacked = staysPacked(type, tensor.count);
  size = tensor.isPacked ? getPackedSize(getPackedBits(type), tensor.count)
                         : tensor.count * getSlotBytes(type);
  std::tie(tensor.slots, slots) = allocateBytes(size);
  if (slots)
    std::memset(slots, 0, size);
}

void ElementsWriter::add(uint16_t value) {
  unsigned bits = getPackedBits(tensor.elementType);
  if (tensor.isPacked)
    slots[next * bits / 8] |= (value & ((1 << bits) - 1)) << next * bits % 8;
  else if (getSlotBytes(tensor.elementType) == 2)
    llvm::support::endian::write16le(slots + 2 * next, value);
  else
    slots[next] = char(value);
  ++next;
}

ElementsAttr ElementsWriter::finish(StringRef name) {
  return makeElementsAttr(std::move(tensor), name);
}

WeightsModule::WeightsModule(Location loc, int64_t opset)
    : module(ModuleOp::create(loc)), b(loc, loc.getContext()), opset(opset) {
  setOnnxOpset(*module, opset);
  b.setInsertionPointToEnd(module->getBody());
  auto function = func::FuncOp::create(b, "weights", b.getFunctionType({}, {}));
  b.setInsertionPointToEnd(function.addEntryBlock());
}

Value WeightsModule::makeConstant(ElementsAttr elements) {
  return createConstant(b, elements);
}

Value WeightsModule::makeConstant(ArrayRef<int64_t> elements) {
  return makeConstant(b.getI64TensorAttr(elements));
}

Value WeightsModule::cast(Value value, Type elementType) {
  return CastOp::create(b, value, elementType, opset);
}

Value WeightsModule::dequantize(Value quantized, Value scale, Value zeroPoint,
                                std::optional<int64_t> axis,
                                int64_t blockSize) {
  auto type = mlir::cast<RankedTensorType>(quantized.getType());
  return DequantizeOp::create(
      b, type.clone(b.getF32Type()), quantized, scale, zeroPoint, opset,
      /*domain=*/StringAttr(),
      axis ? b.getI64IntegerAttr(*axis) : IntegerAttr(),
      blockSize ? b.getI64IntegerAttr(blockSize) : IntegerAttr(),
      /*ignored_attributes=*/ArrayAttr());
}

Value WeightsModule::makeNode(StringRef opType, ValueRange operands,
                              ArrayRef<int64_t> dims,
                              ArrayRef<NamedAttribute> attributes) {
  auto type = RankedTensorType::get(dims, b.getF32Type());
  return NodeOp::create(b, TypeRange(type), opType, operands, /*domain=*/"",
                        opset, /*node_name=*/StringAttr(),
                        b.getDictionaryAttr(attributes), ArrayRef<int64_t>(),
                        b.getStrArrayAttr({}), /*bodiesCount=*/0)
      ->getResult(0);
}

void WeightsModule::addResult(StringRef name, Value value) {
  results.push_back(value);
  names.push_back(b.getDictionaryAttr(
      b.getNamedAttr(kNameAttrName, b.getStringAttr(name))));
}

OwningOpRef<ModuleOp> WeightsModule::finish() {
  b.setLoc(module->getLoc());
  func::ReturnOp::create(b, results);
  auto function = mlir::cast<func::FuncOp>(module->getBody()->front());
  function.setFunctionType(
      b.getFunctionType({}, ValueRange(results).getTypes()));
  function.setAllResultAttrs(names);
  if (failed(verify(*module)))
    return nullptr;
  return std::move(module);
}

void target::loadWeightsDialects(MLIRContext *context) {
  context->loadDialect<arith::ArithDialect, func::FuncDialect,
                       QuantFloatDialect>();
}

void target::registerWeightsDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, func::FuncDialect, QuantFloatDialect>();
}
