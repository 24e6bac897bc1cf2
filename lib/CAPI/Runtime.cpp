//===- Runtime.cpp - Running compiled models, for C -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float-c/Runtime.h"

#include "Kernel.h"
#include "quant-float-c/Compiler.h"
#include "quant-float/CudaRuntime/CudaDevice.h"
#include "quant-float/Support/ElementTypes.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::capi;

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

/// Strings are no type of tensors that are run.
static const ElementInfo *findNumber(int32_t dtype) {
  const ElementInfo *element = findElement(dtype);
  return element && element->bits ? element : nullptr;
}

size_t quantFloatDtypeGetBytes(int32_t dtype) { return getElementBytes(dtype); }

const char *quantFloatDtypeGetOnnxName(int32_t dtype) {
  const ElementInfo *element = findNumber(dtype);
  return element ? element->onnx : nullptr;
}

const char *quantFloatDtypeGetMlirName(int32_t dtype) {
  const ElementInfo *element = findNumber(dtype);
  return element ? element->mlir : nullptr;
}

int32_t quantFloatDtypeFromName(const char *name) {
  if (name)
    for (const ElementInfo &element : kElements)
      if (element.bits &&
          (StringRef(element.mlir) == name || StringRef(element.onnx) == name))
        return element.number;
  return 0;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

KernelObject::KernelObject(CompiledModel given, bool checkMemory)
    : model(std::move(given)), checkMemory(checkMemory) {
  for (const CompiledModel::Entry &entry : model.getEntries())
    entries.push_back(std::make_unique<OwnedEntry>(entry.info));
}

/// Does something with a kernel.
template <typename Body>
static llvm::Error withKernel(QuantFloatKernel kernel, Body body) {
  Ref<KernelObject> object(kernel.id);
  return object ? body(*object) : failHandle(HandleKind::Kernel, kernel.id);
}

template <typename T>
static llvm::Error giveTensors(llvm::Expected<T> tensors,
                               QuantFloatTensors *result) {
  if (!tensors)
    return tensors.takeError();
  return give(result, std::make_unique<TensorsObject>(std::move(*tensors)));
}

int32_t quantFloatKernelGetTarget(QuantFloatKernel kernel) {
  Ref<KernelObject> object(kernel.id);
  return object ? static_cast<int32_t>(object->model.getTarget()) : -1;
}

size_t quantFloatKernelGetNumEntries(QuantFloatKernel kernel) {
  Ref<KernelObject> object(kernel.id);
  return object ? object->entries.size() : 0;
}

const QuantFloatEntry *quantFloatKernelGetEntry(QuantFloatKernel kernel,
                                                size_t entry) {
  Ref<KernelObject> object(kernel.id);
  return object && entry < object->entries.size()
             ? object->entries[entry]->get()
             : nullptr;
}

QuantFloatStatus quantFloatKernelFindEntry(QuantFloatKernel kernel,
                                           const char *name, size_t *entry,
                                           QuantFloatError *error) {
  return run(error, [&]() -> llvm::Error {
    if (!name)
      return failNull("name");
    if (!entry)
      return failNull("entry");
    return withKernel(kernel, [&](KernelObject &object) -> llvm::Error {
      llvm::Expected<size_t> found = object.model.findEntry(name);
      if (!found)
        return found.takeError();
      *entry = *found;
      return llvm::Error::success();
    });
  });
}

QuantFloatStatus quantFloatKernelGetFunctions(
    QuantFloatKernel kernel, size_t entry,
    int (**runs)(const qf_tensor *inputs, qf_tensor *outputs, char *error,
                 size_t errorSize),
    int (**outputSizes)(const qf_tensor *inputs, int64_t *const *outputSizes,
                        char *error, size_t errorSize),
    QuantFloatError *error) {
  return run(error, [&] {
    return withKernel(kernel, [&](KernelObject &object) -> llvm::Error {
      if (entry >= object.entries.size())
        return fail(QUANT_FLOAT_ERROR_ARGUMENT,
                    "entry must be below " + Twine(object.entries.size()) +
                        ", but got " + Twine(entry));
      if (runs)
        *runs = object.model.getEntries()[entry].run;
      if (outputSizes)
        *outputSizes = object.model.getEntries()[entry].outputSizes;
      return llvm::Error::success();
    });
  });
}

QuantFloatStatus
quantFloatKernelGetOutputSizes(QuantFloatKernel kernel, size_t entry,
                               const qf_tensor *inputs, size_t numInputs,
                               int64_t *const *outputSizes, size_t numOutputs,
                               QuantFloatError *error) {
  return run(error, [&] {
    return withKernel(kernel, [&](KernelObject &object) {
      return object.model.getOutputSizes(
          entry, ArrayRef(inputs, numInputs),
          ArrayRef(const_cast<int64_t **>(outputSizes), numOutputs));
    });
  });
}

QuantFloatStatus quantFloatKernelRun(QuantFloatKernel kernel, size_t entry,
                                     const qf_tensor *inputs, size_t numInputs,
                                     qf_tensor *outputs, size_t numOutputs,
                                     QuantFloatError *error) {
  return run(error, [&] {
    return withKernel(kernel, [&](KernelObject &object) -> llvm::Error {
      ArrayRef given(inputs, numInputs);
      MutableArrayRef results(outputs, numOutputs);
      if (llvm::Error error =
              object.model.checkCall(entry, numInputs, numOutputs))
        return error;
      if (object.checkMemory && object.model.getTarget() == Target::CPU)
        if (llvm::Error problem =
                checkMemory(inputs ? given : given.take_front(0),
                            outputs ? results : results.take_front(0)))
          return fail(QUANT_FLOAT_ERROR_ADDRESS,
                      llvm::toString(std::move(problem)));
      return object.model.run(entry, given, results);
    });
  });
}

QuantFloatStatus quantFloatKernelRunOnHost(QuantFloatKernel kernel,
                                           size_t entry,
                                           const qf_tensor *inputs,
                                           size_t numInputs, qf_tensor *outputs,
                                           size_t numOutputs,
                                           QuantFloatError *error) {
  if (quantFloatKernelGetTarget(kernel) != QUANT_FLOAT_TARGET_NVVM)
    return quantFloatKernelRun(kernel, entry, inputs, numInputs, outputs,
                               numOutputs, error);
  return run(error, [&] {
    return withKernel(kernel, [&](KernelObject &object) -> llvm::Error {
      if ((!inputs && numInputs) || (!outputs && numOutputs))
        return failNull(inputs || !numInputs ? "outputs" : "inputs");
      return object.model.runOnHost(entry, ArrayRef(inputs, numInputs),
                                    MutableArrayRef(outputs, numOutputs));
    });
  });
}

QuantFloatStatus quantFloatKernelAllocateOutputs(
    QuantFloatKernel kernel, size_t entry, const qf_tensor *inputs,
    size_t numInputs, QuantFloatTensors *outputs, QuantFloatError *error) {
  return runFor(outputs, "outputs", error, [&] {
    return withKernel(kernel, [&](KernelObject &object) {
      ArrayRef given(inputs, numInputs);
      return object.model.getTarget() == Target::NVVM
                 ? giveTensors(object.model.allocateDeviceOutputs(entry, given),
                               outputs)
                 : giveTensors(object.model.allocateOutputs(entry, given),
                               outputs);
    });
  });
}

QuantFloatStatus quantFloatKernelDestroy(QuantFloatKernel kernel) {
  return destroyHandle(HandleKind::Kernel, kernel.id);
}

//===----------------------------------------------------------------------===//
// Tensors of the library
//===----------------------------------------------------------------------===//

TensorsObject::TensorsObject(std::vector<Tensor> given)
    : tensors(std::move(given)) {
  for (const Tensor &tensor : tensors)
    descriptors.push_back(tensor.getDescriptor());
}

QuantFloatStatus quantFloatTensorsCreate(int32_t target,
                                         const qf_tensor *tensors, size_t count,
                                         QuantFloatTensors *result,
                                         QuantFloatError *error) {
  return runFor(result, "result", error, [&]() -> llvm::Error {
    if (!tensors && count)
      return failNull("tensors");
    if (target == QUANT_FLOAT_TARGET_NVVM)
      return giveTensors(DeviceTensors::create(ArrayRef(tensors, count), true),
                         result);
    if (target != QUANT_FLOAT_TARGET_CPU)
      return fail(QUANT_FLOAT_ERROR_ARGUMENT,
                  "target must be 0 or 1, but got " + Twine(target));
    std::vector<Tensor> copies;
    for (const qf_tensor &tensor : ArrayRef(tensors, count)) {
      llvm::Expected<Tensor> copy = copyTensor(tensor);
      if (!copy)
        return copy.takeError();
      copies.push_back(std::move(*copy));
    }
    return give(result, std::make_unique<TensorsObject>(std::move(copies)));
  });
}

int32_t quantFloatTensorsGetTarget(QuantFloatTensors tensors) {
  Ref<TensorsObject> object(tensors.id);
  if (!object)
    return -1;
  return object->onDevice ? QUANT_FLOAT_TARGET_NVVM : QUANT_FLOAT_TARGET_CPU;
}

QuantFloatStatus quantFloatTensorsRead(QuantFloatTensors tensors, size_t index,
                                       void *data, size_t size,
                                       QuantFloatError *error) {
  return run(error, [&]() -> llvm::Error {
    Ref<TensorsObject> object(tensors.id);
    if (!object)
      return failHandle(HandleKind::Tensors, tensors.id);
    if (!data && size)
      return failNull("data");
    MutableArrayRef<char> bytes(static_cast<char *>(data), size);
    if (object->onDevice)
      return object->onDevice->read(index, bytes);
    if (index >= object->tensors.size())
      return fail(QUANT_FLOAT_ERROR_ARGUMENT,
                  "tensor must be below " + Twine(object->tensors.size()) +
                      ", but got " + Twine(index));
    ArrayRef<char> elements = object->tensors[index].getBytes();
    if (size != elements.size())
      return fail(QUANT_FLOAT_ERROR_SIZE, "expected " + Twine(elements.size()) +
                                              " bytes, but got " + Twine(size));
    llvm::copy(elements, bytes.begin());
    return llvm::Error::success();
  });
}

size_t quantFloatTensorsGetCount(QuantFloatTensors tensors) {
  Ref<TensorsObject> object(tensors.id);
  return object ? object->get().size() : 0;
}

const qf_tensor *quantFloatTensorsGet(QuantFloatTensors tensors, size_t index) {
  Ref<TensorsObject> object(tensors.id);
  return object && index < object->get().size() ? &object->get()[index]
                                                : nullptr;
}

QuantFloatStatus quantFloatTensorsDestroy(QuantFloatTensors tensors) {
  return destroyHandle(HandleKind::Tensors, tensors.id);
}

QuantFloatStatus
quantFloatCompareTensors(const qf_tensor *one, const qf_tensor *other,
                         QuantFloatTensorDifference *difference,
                         QuantFloatError *error) {
  return run(error, [&]() -> llvm::Error {
    if (!one || !other || !difference)
      return failNull(!one ? "one" : !other ? "other" : "difference");
    llvm::Expected<TensorDifference> found = compareTensors(*one, *other);
    if (!found)
      return found.takeError();
    *difference = {found->numElements, found->numDiffering, found->first,
                   found->largest};
    return llvm::Error::success();
  });
}

QuantFloatStatus quantFloatDeviceGetChip(QuantFloatBuffer *chip,
                                         QuantFloatError *error) {
  return runFor(chip, "chip", error, [&]() -> llvm::Error {
    llvm::Expected<CudaDevice> device = CudaDevice::open();
    if (!device)
      return makeError(ErrorKind::Device, device.takeError());
    llvm::Expected<std::string> name = device->getChip();
    if (!name)
      return makeError(ErrorKind::Device, name.takeError());
    return giveBuffer(*name, chip);
  });
}
