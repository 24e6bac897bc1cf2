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

/// A tensor in memory of the host or of the first GPU. Errors are ModelErrors.
class Tensor : public TensorBuffer {
public:
  /// One of the host.
  Tensor(TensorBuffer buffer) : TensorBuffer(std::move(buffer)) {}

  /// As TensorBuffer's; fail also for element types that tensors in memory
  /// cannot have.
  static llvm::Expected<Tensor> allocate(int32_t dtype, ArrayRef<int64_t> sizes,
                                         bool onDevice = false);
  static llvm::Expected<Tensor> view(int32_t dtype, ArrayRef<int64_t> sizes,
                                     ArrayRef<char> bytes,
                                     std::shared_ptr<const void> owner);
  /// The caller's elements on the host, which have to be there.
  static llvm::Expected<Tensor> view(const qf_tensor &tensor);
  /// The same in memory of its own.
  static llvm::Expected<Tensor> copy(const qf_tensor &tensor, bool onDevice);

  /// The elements of a constant. `type` is its element type, because constants
  /// of unsigned types may hold them as signless ones.
  static llvm::Expected<Tensor> fromAttribute(ElementsAttr attribute,
                                              Type elementType);
  /// Reads a serialized ONNX TensorProto of any payload form, without external
  /// data. Errors do not name the file.
  static llvm::Expected<Tensor> readOnnx(StringRef path, MLIRContext *context);

  /// The same elements in memory of its own: of the host, or a copy of the
  /// host's on the device.
  llvm::Expected<Tensor> copy(bool onDevice = false) const;
  /// The same elements on the host, where they are, with one in each slot.
  llvm::Expected<Tensor> unpack() const;
  /// Copies the elements to the host, as many bytes as there are.
  llvm::Error read(MutableArrayRef<char> to) const;

  /// "float[2x3]"
  std::string spell() const { return spellTensor(getElement(), getSizes()); }

private:
  bool onDevice = false;
};

/// The tensors as entry points take them, as long as they are there.
std::vector<qf_tensor> describe(ArrayRef<Tensor> tensors);

/// What `make` makes of each element of the range.
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

/// The number of an element type; 0 for one that has none.
int32_t getDtype(Type elementType);

/// What tensors in memory have for the type; null for one that they cannot
/// have.
const ElementInfo *findSlotElement(Type elementType);

/// "float[2x?]"
std::string spellTensor(Type elementType, ArrayRef<int64_t> sizes);

/// What to compile for: the chip of the first NVIDIA GPU, with the instructions
/// that only it has; of a chip that is not known the newest known one before
/// it. Fails without a GPU and for one that is older than all that are known.
llvm::Expected<std::string> getDeviceChip();

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_EXECUTIONENGINE_TENSOR_H
