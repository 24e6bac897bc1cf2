//===- Tensor.h - Tensors in memory -----------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_EXECUTIONENGINE_TENSOR_H
#define QUANT_FLOAT_EXECUTIONENGINE_TENSOR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Types.h"
#include "quant-float/TensorData/TensorBuffer.h"

namespace mlir::quant_float {

/// A tensor in memory with its MLIR element type.
class Tensor : public TensorBuffer {
public:
  /// `buffer` must have elements of this type.
  Tensor(Type elementType, TensorBuffer buffer)
      : TensorBuffer(std::move(buffer)), elementType(elementType) {}

  /// As TensorBuffer's; fail also for element types that tensors in memory
  /// cannot have.
  static llvm::Expected<Tensor> allocate(Type elementType,
                                         ArrayRef<int64_t> sizes);
  static llvm::Expected<Tensor> view(Type elementType, ArrayRef<int64_t> sizes,
                                     ArrayRef<char> bytes,
                                     std::shared_ptr<const void> owner);

  /// The elements of a constant. `type` is its element type, because constants
  /// of unsigned types may hold them as signless ones.
  static llvm::Expected<Tensor> fromAttribute(ElementsAttr attribute,
                                              Type elementType);
  /// Reads a serialized ONNX TensorProto of any payload form, without external
  /// data. Errors do not name the file.
  static llvm::Expected<Tensor> readOnnx(StringRef path, MLIRContext *context);

  /// The same elements with the type of another context.
  Tensor withElementType(Type type) const;

  Type getElementType() const { return elementType; }

private:
  Type elementType;
};

/// What tensors in memory have for the type; null for one that they cannot
/// have.
const ElementInfo *findSlotElement(Type elementType);

/// Bytes of a slot, 0 for a type that tensors in memory cannot have.
int64_t getSlotBytes(Type elementType);

/// Bytes of a tensor, or an error that says what is wrong with the sizes.
llvm::Expected<int64_t> countBytes(Type elementType, ArrayRef<int64_t> sizes);

/// "float[2x3]"
std::string spellTensor(Type elementType, ArrayRef<int64_t> sizes);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_EXECUTIONENGINE_TENSOR_H
