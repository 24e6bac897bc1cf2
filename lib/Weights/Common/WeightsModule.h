//===- WeightsModule.h - Modules of weights ---------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_WEIGHTS_COMMON_WEIGHTSMODULE_H
#define QUANT_FLOAT_LIB_WEIGHTS_COMMON_WEIGHTSMODULE_H

#include "../../Interchange/Elements.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::quant_float::target {

/// Collects the elements of a constant one by one.
class ElementsWriter {
public:
  ElementsWriter(Type type, ArrayRef<int64_t> dims);

  bool hasMemory() const { return slots || !size; }
  uint64_t getSize() const { return size; }

  /// Appends an element. Uses the low bits of its encoding, and for unpacked
  /// types of less than 8 bits also the bits above them, which must be a sign
  /// extension if the type is signless.
  void add(uint16_t value);

  /// Returns null if memory allocation fails.
  ElementsAttr finish(StringRef name);

private:
  DecodedTensor tensor;
  char *slots = nullptr;
  uint64_t size, next = 0;
};

/// Builds a module with one public function without arguments, `weights`, whose
/// results are the tensors of a file.
class WeightsModule {
public:
  /// `opset` is the lowest opset that supports all types.
  WeightsModule(Location loc, int64_t opset);

  /// Sets the location of the ops that are created next.
  void setLoc(Location loc) { b.setLoc(loc); }
  Builder &getBuilder() { return b; }

  Value makeConstant(ElementsAttr elements);
  /// Creates a constant of 64-bit integers.
  Value makeConstant(ArrayRef<int64_t> elements);
  Value cast(Value value, Type elementType);
  /// Dequantizes to f32. `axis` is required unless the scale is per tensor.
  /// `blockSize` is 0 unless the scale is blocked.
  Value dequantize(Value quantized, Value scale, Value zeroPoint,
                   std::optional<int64_t> axis, int64_t blockSize);
  /// Creates an ONNX node with a result of f32.
  Value makeNode(StringRef opType, ValueRange operands, ArrayRef<int64_t> dims,
                 ArrayRef<NamedAttribute> attributes = {});

  void addResult(StringRef name, Value value);
  /// Returns the module, or null after a diagnostic if it is invalid.
  OwningOpRef<ModuleOp> finish();

private:
  OwningOpRef<ModuleOp> module;
  ImplicitLocOpBuilder b;
  int64_t opset;
  SmallVector<Value> results;
  SmallVector<Attribute> names;
};

/// Loads the dialects that the module uses.
void loadWeightsDialects(MLIRContext *context);
void registerWeightsDialects(DialectRegistry &registry);

} // namespace mlir::quant_float::target

#endif // QUANT_FLOAT_LIB_WEIGHTS_COMMON_WEIGHTSMODULE_H
