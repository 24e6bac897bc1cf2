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

/// A tensor in host memory or in memory of the first GPU. Errors are
/// ModelErrors.
class Tensor : public TensorBuffer {
public:
  /// Takes a buffer in host memory.
  Tensor(TensorBuffer buffer) : TensorBuffer(std::move(buffer)) {}

  /// Like the functions of TensorBuffer. Also return an error for element types
  /// that tensors in memory cannot have.
  static llvm::Expected<Tensor> allocate(int32_t dtype, ArrayRef<int64_t> sizes,
                                         bool onDevice = false);
  static llvm::Expected<Tensor> view(int32_t dtype, ArrayRef<int64_t> sizes,
                                     ArrayRef<char> bytes,
                                     std::shared_ptr<const void> owner);
  /// Returns a view of the caller's elements in host memory, which must outlive
  /// it.
  static llvm::Expected<Tensor> view(const qf_tensor &tensor);
  /// Returns a copy of the caller's elements.
  static llvm::Expected<Tensor> copy(const qf_tensor &tensor, bool onDevice);

  /// Returns the elements of a constant. `elementType` may differ from the
  /// attribute's type, because constants of unsigned types may be stored as
  /// signless ones.
  static llvm::Expected<Tensor> fromAttribute(ElementsAttr attribute,
                                              Type elementType);
  /// Reads a serialized ONNX TensorProto in any encoding, without external
  /// data. Errors do not name the file.
  static llvm::Expected<Tensor> readOnnx(StringRef path, MLIRContext *context);

  /// Returns a copy of the elements, in host memory or on the device. Tensors
  /// on the device can only be copied to the host.
  llvm::Expected<Tensor> copy(bool onDevice = false) const;
  /// Returns the unpacked elements, or this tensor if it is not packed. A
  /// packed tensor must be in host memory.
  llvm::Expected<Tensor> unpack() const;
  /// Copies the elements to the host. `to` must have the same number of bytes.
  llvm::Error read(MutableArrayRef<char> to) const;

  /// Returns a description such as "float[2x3]".
  std::string spell() const { return spellTensor(getElement(), getSizes()); }

private:
  bool onDevice = false;
};

/// Returns descriptors for calls of entry points. The tensors must outlive
/// them.
std::vector<qf_tensor> describe(ArrayRef<Tensor> tensors);

/// Returns the tensors that `make` returns for the elements of the range.
template <typename Range, typename Body>
llvm::Expected<std::vector<Tensor>> makeTensors(Range &&range, Body make) {
  std::vector<Tensor> tensors;
  for (const auto &element : range) {
    llvm::Expected<Tensor> tensor = make(element);
    if (!tensor)
      return tensor.takeError();
    tensors.push_back(std::move(*tensor));
  }
  return tensors;
}

/// Returns the number of an element type, or 0 if it has none.
int32_t getDtype(Type elementType);

/// Returns the description of an element type in memory, or null if tensors in
/// memory cannot have it.
const ElementInfo *findSlotElement(Type elementType);

/// Returns a description such as "float[2x?]".
std::string spellTensor(Type elementType, ArrayRef<int64_t> sizes);

/// Returns the chip to compile for, that of the first NVIDIA GPU; see
/// CudaDevice::getChip. Returns an error if there is no GPU, or if it is older
/// than all known chips.
llvm::Expected<std::string> getDeviceChip();

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_EXECUTIONENGINE_TENSOR_H
