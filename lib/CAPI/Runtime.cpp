//===- Runtime.cpp - Running compiled models, for C -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float-c/Runtime.h"

#include "Kernel.h"
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

/// Long enough for every message of an entry point but those of long names.
static constexpr size_t kMessageSize = 512;

static QuantFloatStatus refuseEntry(size_t entry, const KernelObject &kernel,
                                    ErrorReport &report) {
  return report.makeError(QUANT_FLOAT_ERROR_ARGUMENT,
                          "entry must be below " +
                              Twine(kernel.entries.size()) + ", but got " +
                              Twine(entry));
}

/// What the compiled function cannot know: how many tensors there are.
static QuantFloatStatus refuseCount(const QuantFloatEntry &entry,
                                    StringRef what, size_t expected,
                                    size_t given, ErrorReport &report) {
  return report.makeError(QUANT_FLOAT_ERROR_COUNT,
                          Twine("function '") + entry.name + "' has " +
                              Twine(expected) + " " + what + ", but got " +
                              Twine(given));
}

static QuantFloatStatus refuseCounts(const QuantFloatEntry &entry,
                                     size_t numInputs, size_t numOutputs,
                                     ErrorReport &report) {
  return numInputs != entry.numInputs
             ? refuseCount(entry, "inputs", entry.numInputs, numInputs, report)
             : refuseCount(entry, "outputs", entry.numOutputs, numOutputs,
                           report);
}

size_t quantFloatKernelGetNumEntries(QuantFloatKernel kernel) {
  Ref<KernelObject> object(kernel.id);
  return object ? object->entries.size() : 0;
}

const QuantFloatEntry *quantFloatKernelGetEntry(QuantFloatKernel kernel,
                                                size_t entry) {
  Ref<KernelObject> object(kernel.id);
  return object && entry < object->entries.size()
             ? object->entries[entry].description->get()
             : nullptr;
}

QuantFloatStatus quantFloatKernelFindEntry(QuantFloatKernel kernel,
                                           const char *name, size_t *entry,
                                           QuantFloatError *error) {
  ErrorReport report(error);
  if (!name)
    return report.makeNull("name");
  if (!entry)
    return report.makeNull("entry");
  Ref<KernelObject> object(kernel.id);
  if (!object)
    return report.makeBadHandle(HandleKind::Kernel, kernel.id);
  for (auto [index, known] : llvm::enumerate(object->entries)) {
    if (!known.description->isCalled(name))
      continue;
    *entry = index;
    return QUANT_FLOAT_OK;
  }
  return report.makeError(QUANT_FLOAT_ERROR_ARGUMENT,
                          Twine("no function is called '") + name + "'");
}

QuantFloatStatus quantFloatKernelGetFunctions(
    QuantFloatKernel kernel, size_t entry,
    int (**run)(const qf_tensor *inputs, qf_tensor *outputs, char *error,
                size_t errorSize),
    int (**outputSizes)(const qf_tensor *inputs, int64_t *const *outputSizes,
                        char *error, size_t errorSize),
    QuantFloatError *error) {
  ErrorReport report(error);
  Ref<KernelObject> object(kernel.id);
  if (!object)
    return report.makeBadHandle(HandleKind::Kernel, kernel.id);
  if (entry >= object->entries.size())
    return refuseEntry(entry, *object, report);
  if (run)
    *run = object->entries[entry].run;
  if (outputSizes)
    *outputSizes = object->entries[entry].outputSizes;
  return QUANT_FLOAT_OK;
}

/// Whether there is such an entry, and it takes so many tensors.
static QuantFloatStatus checkCall(const KernelObject &object, size_t entry,
                                  size_t numInputs, size_t numOutputs,
                                  ErrorReport &report) {
  if (entry >= object.entries.size())
    return refuseEntry(entry, object, report);
  const QuantFloatEntry &known = *object.entries[entry].description->get();
  if (numInputs != known.numInputs || numOutputs != known.numOutputs)
    return refuseCounts(known, numInputs, numOutputs, report);
  return QUANT_FLOAT_OK;
}

QuantFloatStatus
quantFloatKernelGetOutputSizes(QuantFloatKernel kernel, size_t entry,
                               const qf_tensor *inputs, size_t numInputs,
                               int64_t *const *outputSizes, size_t numOutputs,
                               QuantFloatError *error) {
  ErrorReport report(error);
  Ref<KernelObject> object(kernel.id);
  if (!object)
    return report.makeBadHandle(HandleKind::Kernel, kernel.id);
  if (QuantFloatStatus status =
          checkCall(*object, entry, numInputs, numOutputs, report))
    return status;
  const KernelObject::Entry &called = object->entries[entry];
  char message[kMessageSize];
  int status = called.outputSizes(inputs, outputSizes, message, sizeof message);
  return status
             ? report.makeError(static_cast<QuantFloatStatus>(status), message)
             : QUANT_FLOAT_OK;
}

QuantFloatStatus quantFloatKernelRun(QuantFloatKernel kernel, size_t entry,
                                     const qf_tensor *inputs, size_t numInputs,
                                     qf_tensor *outputs, size_t numOutputs,
                                     QuantFloatError *error) {
  ErrorReport report(error);
  Ref<KernelObject> object(kernel.id);
  if (!object)
    return report.makeBadHandle(HandleKind::Kernel, kernel.id);
  if (QuantFloatStatus status =
          checkCall(*object, entry, numInputs, numOutputs, report))
    return status;
  const KernelObject::Entry &called = object->entries[entry];
  if (object->checkMemory)
    if (llvm::Error problem = checkMemory({inputs, inputs ? numInputs : 0},
                                          {outputs, outputs ? numOutputs : 0}))
      return report.makeError(QUANT_FLOAT_ERROR_ADDRESS, std::move(problem));
  char message[kMessageSize];
  int status = called.run(inputs, outputs, message, sizeof message);
  return status
             ? report.makeError(static_cast<QuantFloatStatus>(status), message)
             : QUANT_FLOAT_OK;
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

size_t quantFloatTensorsGetCount(QuantFloatTensors tensors) {
  Ref<TensorsObject> object(tensors.id);
  return object ? object->descriptors.size() : 0;
}

const qf_tensor *quantFloatTensorsGet(QuantFloatTensors tensors, size_t index) {
  Ref<TensorsObject> object(tensors.id);
  return object && index < object->descriptors.size()
             ? &object->descriptors[index]
             : nullptr;
}

QuantFloatStatus quantFloatTensorsDestroy(QuantFloatTensors tensors) {
  return destroyHandle(HandleKind::Tensors, tensors.id);
}
