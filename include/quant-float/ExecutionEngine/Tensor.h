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
#include "quant-float-c/EntryPoint.h"
#include "quant-float/TensorData/Elements.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace mlir::quant_float {

/// A tensor as entry points take it: row-major, one value per byte-rounded
/// slot, little endian. Copies share the memory.
class Tensor {
public:
  /// Memory of its own, not initialized. Fails for element types that tensors
  /// in memory cannot have, for sizes below 0 or too large, and without memory.
  static llvm::Expected<Tensor> allocate(Type elementType,
                                         ArrayRef<int64_t> sizes);

  /// Somebody else's memory, which lives as long as `owner`. It must hold
  /// exactly the elements.
  static llvm::Expected<Tensor> view(Type elementType, ArrayRef<int64_t> sizes,
                                     ArrayRef<char> bytes,
                                     std::shared_ptr<const void> owner);

  /// The elements of a constant. `type` is its element type, because constants
  /// of unsigned types may hold them as signless ones.
  static llvm::Expected<Tensor> fromAttribute(ElementsAttr attribute,
                                              Type elementType);

  /// The same elements with the type of another context.
  Tensor withElementType(Type type) const {
    Tensor result = *this;
    result.elementType = type;
    return result;
  }

  Type getElementType() const { return elementType; }
  ArrayRef<int64_t> getSizes() const { return sizes; }
  int64_t getNumElements() const;
  ArrayRef<char> getBytes() const { return bytes; }

  /// Only of tensors that `allocate` made.
  MutableArrayRef<char> getMutableBytes();

  /// The argument of an entry point, valid as long as this object. As an output
  /// only of tensors that `allocate` made.
  qf_tensor getDescriptor() const;

private:
  Tensor(Type elementType, ArrayRef<int64_t> sizes)
      : elementType(elementType), sizes(sizes) {}

  Type elementType;
  llvm::SmallVector<int64_t> sizes;
  ArrayRef<char> bytes;
  std::shared_ptr<const void> owner;
  bool isWritable = false;
};

/// The layout of a type that tensors in memory can have.
const ElementLayout &getLayout(Type elementType);

/// Bytes of a slot, 0 for a type that tensors in memory cannot have.
int64_t getSlotBytes(Type elementType);

/// Bytes of a tensor, or an error that says what is wrong with the sizes.
llvm::Expected<int64_t> countBytes(Type elementType, ArrayRef<int64_t> sizes);

/// "float[2x3]"
std::string spellTensor(Type elementType, ArrayRef<int64_t> sizes);

/// Fills a tensor with values that depend on `seed` alone: floats of 16 bits
/// and more have magnitudes from 2^-8 up to 8, everything else random bits.
void fillRandom(Tensor &tensor, uint64_t seed);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_EXECUTIONENGINE_TENSOR_H
