//===- WeightsModule.h - A module of the weights of a file ------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_COMMON_WEIGHTSMODULE_H
#define QUANT_FLOAT_LIB_TARGET_COMMON_WEIGHTSMODULE_H

#include "Elements.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::quant_float::target {

/// The elements of a constant, which come one by one.
class ElementsWriter {
public:
  ElementsWriter(Type type, ArrayRef<int64_t> dims);

  bool hasMemory() const { return slots || !size; }
  uint64_t getSize() const { return size; }

  /// The code, sign-extended or not as its type wants it.
  void add(uint16_t code);

  /// None where there is no memory.
  ElementsAttr finish(StringRef name);

private:
  DecodedTensor tensor;
  char *slots = nullptr;
  uint64_t size, next = 0;
};

/// One public function without arguments, `weights`, whose results are the
/// tensors of a file.
class WeightsModule {
public:
  /// `opset` is the least that has all types.
  WeightsModule(Location loc, int64_t opset);

  /// `loc` is of what is made next.
  void setLoc(Location loc) { b.setLoc(loc); }
  Builder &getBuilder() { return b; }

  Value makeConstant(ElementsAttr elements);
  /// Of 64-bit integers.
  Value makeConstant(ArrayRef<int64_t> elements);
  Value cast(Value value, Type elementType);
  /// To f32. `axis` is for scales that are not per tensor, `blockSize` not 0
  /// for those of blocks.
  Value dequantize(Value codes, Value scale, Value zeroPoint,
                   std::optional<int64_t> axis, int64_t blockSize);
  /// A node of ONNX with a result in f32.
  Value makeNode(StringRef opType, ValueRange operands, ArrayRef<int64_t> dims,
                 ArrayRef<NamedAttribute> attributes = {});

  void addResult(StringRef name, Value value);
  /// Null where what was made is not valid, after a diagnostic.
  OwningOpRef<ModuleOp> finish();

private:
  OwningOpRef<ModuleOp> module;
  ImplicitLocOpBuilder b;
  int64_t opset;
  SmallVector<Value> results;
  SmallVector<Attribute> names;
};

/// Loads what the module is made of.
void loadWeightsDialects(MLIRContext *context);
void registerWeightsDialects(DialectRegistry &registry);

} // namespace mlir::quant_float::target

#endif // QUANT_FLOAT_LIB_TARGET_COMMON_WEIGHTSMODULE_H
