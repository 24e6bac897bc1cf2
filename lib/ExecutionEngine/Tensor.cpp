//===- Tensor.cpp - Tensors in memory -------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/ExecutionEngine/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Runtime/Cuda/CudaDevice.h"
#include "quant-float/Support/ModelError.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::quant_float;

int32_t quant_float::getDtype(Type elementType) {
  return getDataType(elementType).value_or(0);
}

const ElementInfo *quant_float::findSlotElement(Type elementType) {
  return findSlotElement(getDtype(elementType));
}

std::string quant_float::spellTensor(Type elementType,
                                     ArrayRef<int64_t> sizes) {
  ElementInfo unknown = {};
  std::string name;
  const ElementInfo *element = findSlotElement(elementType);
  if (!element) {
    llvm::raw_string_ostream(name) << elementType;
    unknown.onnx = name.c_str();
    element = &unknown;
  }
  return spellTensor(*element, sizes, ShapedType::kDynamic);
}

/// Calls `body` with the first GPU.
static llvm::Error
withDevice(llvm::function_ref<llvm::Error(const CudaDevice &)> body) {
  llvm::Expected<CudaDevice> device = CudaDevice::open();
  llvm::Error error = device ? body(*device) : device.takeError();
  if (error)
    return makeError(ErrorKind::Device, std::move(error));
  return llvm::Error::success();
}

llvm::Expected<std::string> quant_float::getDeviceChip() {
  std::string chip;
  if (llvm::Error error = withDevice([&](const CudaDevice &device) {
        return device.getChip().moveInto(chip);
      }))
    return std::move(error);
  return chip;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Returns the element type of this number, and the size in bytes of a tensor.
static llvm::Expected<std::pair<const ElementInfo *, size_t>>
requireElement(int32_t dtype, ArrayRef<int64_t> sizes) {
  const ElementInfo *element = findSlotElement(dtype);
  if (!element)
    return makeError(
        ErrorKind::ElementType,
        "expected an element type number of EntryPoint.h, but got " +
            Twine(dtype));
  llvm::Expected<int64_t> count = countBytes(*element, sizes);
  if (!count)
    return makeError(ErrorKind::Size, count.takeError());
  return std::pair(element, static_cast<size_t>(*count));
}

static llvm::Expected<Tensor> take(ErrorKind kind,
                                   llvm::Expected<TensorBuffer> buffer) {
  if (!buffer)
    return makeError(kind, buffer.takeError());
  return Tensor(std::move(*buffer));
}

llvm::Expected<Tensor> Tensor::allocate(int32_t dtype, ArrayRef<int64_t> sizes,
                                        bool onDevice) {
  auto element = requireElement(dtype, sizes);
  if (!element)
    return element.takeError();
  if (onDevice && element->first->isString())
    return makeError(ErrorKind::Unsupported,
                     "strings cannot be stored in device memory");
  if (!onDevice)
    return take(ErrorKind::Memory,
                TensorBuffer::allocate(*element->first, sizes));
  void *memory = nullptr;
  if (llvm::Error error = withDevice([&](const CudaDevice &device) {
        return device.allocate(element->second).moveInto(memory);
      }))
    return std::move(error);
  auto free = [](void *memory) {
    llvm::consumeError(withDevice([&](const CudaDevice &device) {
      device.free(memory);
      return llvm::Error::success();
    }));
  };
  ArrayRef bytes(static_cast<const char *>(memory), element->second);
  Tensor tensor = llvm::cantFail(TensorBuffer::view(
      *element->first, sizes, bytes, std::shared_ptr<void>(memory, free)));
  tensor.onDevice = true;
  return tensor;
}

llvm::Expected<Tensor> Tensor::view(int32_t dtype, ArrayRef<int64_t> sizes,
                                    ArrayRef<char> bytes,
                                    std::shared_ptr<const void> owner) {
  auto element = requireElement(dtype, sizes);
  if (!element)
    return element.takeError();
  return take(ErrorKind::Size, TensorBuffer::view(*element->first, sizes, bytes,
                                                  std::move(owner)));
}

llvm::Expected<Tensor> Tensor::view(const qf_tensor &source) {
  if (source.rank < 0)
    return makeError(ErrorKind::Rank, "expected a rank of 0 or more, but got " +
                                          Twine(source.rank));
  if (source.rank && !source.sizes)
    return makeError(ErrorKind::Null, "sizes must not be null");
  ArrayRef sizes(source.sizes, size_t(source.rank));
  auto element = requireElement(source.dtype, sizes);
  if (!element)
    return element.takeError();
  if (element->first->isString())
    return take(ErrorKind::Size,
                TensorBuffer::viewStrings(
                    sizes, static_cast<const qf_strings *>(source.data)));
  if (element->second && !source.data)
    return makeError(ErrorKind::Null, "data must not be null");
  ArrayRef bytes(static_cast<const char *>(source.data), element->second);
  return view(source.dtype, sizes, bytes, nullptr);
}

llvm::Expected<Tensor> Tensor::copy(const qf_tensor &source, bool onDevice) {
  llvm::Expected<Tensor> tensor = view(source);
  return tensor ? tensor->copy(onDevice) : std::move(tensor);
}

llvm::Expected<Tensor> Tensor::copy(bool there) const {
  assert(!(onDevice && there) &&
         "the copy of a device tensor must be on the host");
  if (isOfStrings() && !there)
    return take(ErrorKind::Memory,
                TensorBuffer::makeStrings(getSizes(), getStrings()));
  llvm::Expected<Tensor> result =
      allocate(getElement().number, getSizes(), there);
  if (!result)
    return result;
  llvm::Error error = there ? withDevice([&](const CudaDevice &device) {
    return device.upload(result->getDescriptor().data, getBytes());
  })
                            : read(result->getMutableBytes());
  if (error)
    return std::move(error);
  return result;
}

llvm::Expected<Tensor> Tensor::unpack() const {
  if (!getElement().isPacked())
    return *this;
  assert(!onDevice && "only on the host");
  llvm::Expected<Tensor> result =
      allocate(getElement().number & ~kPackedFlag, getSizes());
  if (result)
    quant_float::unpack(getElement(), getBytes().data(), /*first=*/0,
                        getNumElements(), result->getMutableBytes().data());
  return result;
}

llvm::Error Tensor::read(MutableArrayRef<char> to) const {
  if (isOfStrings())
    return makeError(ErrorKind::ElementType,
                     "expected a tensor of numbers, but got " + spell());
  ArrayRef<char> bytes = getBytes();
  if (to.size() != bytes.size())
    return makeError(ErrorKind::Size, "expected " + Twine(bytes.size()) +
                                          " bytes, but got " +
                                          Twine(to.size()));
  if (onDevice)
    return withDevice([&](const CudaDevice &device) {
      return device.download(to, bytes.data());
    });
  llvm::copy(bytes, to.begin());
  return llvm::Error::success();
}

std::vector<qf_tensor> quant_float::describe(ArrayRef<Tensor> tensors) {
  std::vector<qf_tensor> descriptors;
  for (const Tensor &tensor : tensors)
    descriptors.push_back(tensor.getDescriptor());
  return descriptors;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Stores one element, sign-extended if `isSigned` and zero-extended otherwise.
static void storeElement(const llvm::APInt &bits, bool isSigned, char *slot,
                         unsigned slotBytes) {
  llvm::APInt extended = isSigned ? bits.sextOrTrunc(8 * slotBytes)
                                  : bits.zextOrTrunc(8 * slotBytes);
  uint64_t value = extended.getZExtValue();
  for (unsigned i = 0; i < slotBytes; ++i)
    slot[i] = static_cast<char>(value >> (8 * i));
}

llvm::Expected<Tensor> Tensor::fromAttribute(ElementsAttr attribute,
                                             Type elementType) {
  auto fail = [](const Twine &message) {
    return makeError(ErrorKind::Model, message);
  };
  auto shaped = cast<ShapedType>(attribute.getType());
  if (!shaped.hasStaticShape())
    return fail("expected a constant of static shape");
  int32_t dtype = getDtype(elementType);
  // The data of a resource has the layout of tensors in memory, or is packed.
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (blob && isPacked(resource)) {
      llvm::Expected<Tensor> packed = view(
          dtype | kPackedFlag, shaped.getShape(), blob->getData(), nullptr);
      return packed ? packed->unpack() : std::move(packed);
    }
    if (blob)
      return view(dtype, shaped.getShape(), blob->getData(), nullptr);
    return fail("resource '" + resource.getRawHandle().getKey() +
                "' of a constant is missing");
  }
  auto dense = dyn_cast<DenseElementsAttr>(attribute);
  if (!dense)
    return fail("expected a dense constant");
  if (auto strings = dyn_cast<DenseStringElementsAttr>(attribute);
      strings && dtype == QF_STRING)
    return take(ErrorKind::Memory,
                TensorBuffer::makeStrings(
                    shaped.getShape(),
                    llvm::to_vector(strings.getValues<StringRef>())));
  if (dtype == QF_STRING)
    return fail("expected a constant of strings");
  llvm::Expected<Tensor> tensor = allocate(dtype, shaped.getShape());
  if (!tensor)
    return tensor;
  unsigned slotBytes = tensor->getElement().getSlotBytes();
  char *slot = tensor->getMutableBytes().data();
  bool isSigned = elementType.isSignlessInteger() && !elementType.isInteger(1);
  auto store = [&](const llvm::APInt &bits) {
    storeElement(bits, isSigned, slot, slotBytes);
    slot += slotBytes;
  };
  if (isa<FloatType>(dense.getElementType()))
    for (const APFloat &value : dense.getValues<APFloat>())
      store(value.bitcastToAPInt());
  else if (isa<IntegerType>(dense.getElementType()))
    for (const APInt &value : dense.getValues<APInt>())
      store(value);
  else
    return fail("expected a constant of numbers");
  return tensor;
}
