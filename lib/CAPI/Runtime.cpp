//===- Runtime.cpp - Running compiled models, for C -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float-c/Runtime.h"

#include "Objects.h"
#include "quant-float/Reference/Stochastic.h"
#include "quant-float/Support/ElementTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::capi;

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

size_t quantFloatDtypeGetBytes(int32_t dtype) {
  return dtype == QF_STRING ? 0 : getElementBytes(dtype);
}

size_t quantFloatDtypeCountBytes(int32_t dtype, size_t count) {
  const ElementInfo *element = findElement(dtype);
  // getBytes returns less for packed elements.
  if (!element || element->isString() ||
      count > SIZE_MAX / element->getSlotBytes())
    return 0;
  return element->getBytes(count);
}

const char *quantFloatDtypeGetOnnxName(int32_t dtype) {
  const ElementInfo *element = findElement(dtype);
  return element ? element->onnx : nullptr;
}

const char *quantFloatDtypeGetMlirName(int32_t dtype) {
  const ElementInfo *element = findElement(dtype);
  return element ? element->mlir : nullptr;
}

int32_t quantFloatDtypeFromName(const char *name) {
  if (name)
    for (const ElementInfo &element : kElements)
      if (StringRef(element.mlir) == name || StringRef(element.onnx) == name)
        return element.number;
  if (name)
    for (const ElementInfo &element : kBinaryElements.elements)
      if (StringRef(element.mlir) == name || StringRef(element.onnx) == name)
        return element.number;
  return 0;
}

//===----------------------------------------------------------------------===//
// Random bits
//===----------------------------------------------------------------------===//

QuantFloatStatus quantFloatMakeRandomBits(int32_t dtype, uint64_t seed,
                                          uint64_t offset, void *elements,
                                          size_t count,
                                          QuantFloatError *error) {
  return run(error, [&]() -> llvm::Error {
    switch (dtype) {
    case QF_UINT2:
    case QF_UINT4:
    case QF_UINT8:
    case QF_UINT16:
    case QF_UINT32:
      break;
    default:
      return fail(QUANT_FLOAT_ERROR_ELEMENT_TYPE,
                  "random bits must have type uint2, uint4, uint8, uint16 or "
                  "uint32, but got dtype " +
                      Twine(dtype));
    }
    if (!elements && count)
      return failNull("elements");
    const ElementInfo &element = *findElement(dtype);
    if (count > SIZE_MAX / element.getSlotBytes())
      return fail(QUANT_FLOAT_ERROR_SIZE,
                  "no memory holds " + Twine(count) + " elements");
    (void)reference::philoxBuffer(
        element.bits, seed, offset,
        {static_cast<char *>(elements), count * element.getSlotBytes()});
    return llvm::Error::success();
  });
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

static std::vector<QuantFloatArgument>
getViews(llvm::ArrayRef<EntryPointArgument> arguments) {
  std::vector<QuantFloatArgument> views;
  for (const EntryPointArgument &argument : arguments) {
    bool isRanked = !llvm::is_contained(argument.sizes, Model::kUnranked);
    views.push_back(
        {argument.name.c_str(), isRanked ? argument.sizes.data() : nullptr,
         isRanked ? static_cast<int32_t>(argument.sizes.size()) : -1,
         argument.dtype});
  }
  return views;
}

OwnedEntry::OwnedEntry(EntryPointInfo source)
    : info(std::move(source)), inputs(getViews(info.inputs)),
      outputs(getViews(info.outputs)),
      entry{info.symbol.c_str(), info.graphName.c_str(), inputs.data(),
            inputs.size(),       outputs.data(),         outputs.size()} {}

bool OwnedEntry::describes(const EntryPointInfo &other) const {
  auto areAlike = [](ArrayRef<EntryPointArgument> one,
                     ArrayRef<EntryPointArgument> two) {
    return std::equal(
        one.begin(), one.end(), two.begin(), two.end(),
        [](const EntryPointArgument &x, const EntryPointArgument &y) {
          return x.name == y.name && x.dtype == y.dtype && x.sizes == y.sizes;
        });
  };
  return info.symbol == other.symbol && info.graphName == other.graphName &&
         areAlike(info.inputs, other.inputs) &&
         areAlike(info.outputs, other.outputs);
}

//===----------------------------------------------------------------------===//
// Memory checks
//===----------------------------------------------------------------------===//

namespace {
/// An address range with uniform access rights.
struct Mapping {
  uint64_t first;
  uint64_t end;
  bool isReadable;
  bool isWritable;
};
} // namespace

/// Returns the mappings of the process in the order of addresses. Their lines
/// start with "first-end rwxp".
static llvm::Expected<std::vector<Mapping>> readMappings() {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
      llvm::MemoryBuffer::getFileAsStream("/proc/self/maps");
  if (!file)
    return fail(QUANT_FLOAT_ERROR_ADDRESS, "/proc/self/maps cannot be read");
  std::vector<Mapping> mappings;
  for (StringRef line : llvm::split((*file)->getBuffer(), '\n')) {
    auto [range, rights] = line.split(' ');
    auto [first, end] = range.split('-');
    Mapping mapping = {0, 0, rights.starts_with("r"),
                       rights.substr(1).starts_with("w")};
    if (!first.getAsInteger(16, mapping.first) &&
        !end.getAsInteger(16, mapping.end))
      mappings.push_back(mapping);
  }
  return mappings;
}

static bool isCovered(ArrayRef<Mapping> mappings, const void *data,
                      uint64_t bytes, bool written) {
  uint64_t address = reinterpret_cast<uintptr_t>(data);
  for (const Mapping &mapping : mappings) {
    if (!bytes)
      break;
    if (mapping.first > address || address >= mapping.end ||
        !mapping.isReadable || (written && !mapping.isWritable))
      continue;
    bytes -= std::min(bytes, mapping.end - address);
    address = mapping.end;
  }
  return !bytes;
}

/// Checks the memory of a string tensor with valid sizes.
static bool areStringsCovered(ArrayRef<Mapping> mappings,
                              const qf_tensor &tensor, bool written) {
  ArrayRef sizes(tensor.sizes, size_t(tensor.rank));
  const auto *strings = static_cast<const qf_strings *>(tensor.data);
  if (llvm::is_contained(sizes, 0) || !strings)
    return true;
  if (!isCovered(mappings, strings, sizeof *strings, written))
    return false;
  uint64_t offsets = 1;
  for (int64_t size : sizes)
    offsets *= uint64_t(size);
  return isCovered(mappings, strings->offsets,
                   strings->offsets ? (offsets + 1) * sizeof(int64_t) : 0,
                   written) &&
         (strings->capacity < 0 ||
          isCovered(mappings, strings->bytes,
                    strings->bytes ? uint64_t(strings->capacity) : 0, written));
}

static llvm::Error checkMemory(ArrayRef<Mapping> mappings,
                               ArrayRef<qf_tensor> tensors, StringRef kind,
                               bool written) {
  StringRef use = written ? "written" : "read";
  for (auto [index, tensor] : llvm::enumerate(tensors)) {
    if (tensor.rank > 0 && tensor.sizes &&
        !isCovered(mappings, tensor.sizes, 8 * uint64_t(tensor.rank), false))
      return fail(QUANT_FLOAT_ERROR_ADDRESS,
                  kind + " " + Twine(index) + ": the sizes cannot be read");
    // Treat strings as int64 here, because a view would read them before they
    // are checked.
    bool isOfStrings = tensor.dtype == QF_STRING;
    qf_tensor shape = tensor;
    if (isOfStrings)
      shape.dtype = QF_INT64;
    llvm::Expected<Tensor> view = Tensor::view(shape);
    if (!view)
      llvm::consumeError(view.takeError());
    else if (isOfStrings ? !areStringsCovered(mappings, tensor, written)
                         : !isCovered(mappings, tensor.data,
                                      view->getBytes().size(), written))
      return fail(QUANT_FLOAT_ERROR_ADDRESS,
                  kind + " " + Twine(index) + ": the memory cannot be " + use);
  }
  return llvm::Error::success();
}

/// Checks that the memory of all tensors is readable and that of the outputs is
/// writable. The error names the first tensor that fails. Skips tensors that
/// entry points reject anyway.
static llvm::Error checkMemory(ArrayRef<qf_tensor> inputs,
                               ArrayRef<qf_tensor> outputs) {
  llvm::Expected<std::vector<Mapping>> mappings = readMappings();
  if (!mappings)
    return mappings.takeError();
  if (llvm::Error error = checkMemory(*mappings, inputs, "input", false))
    return error;
  return checkMemory(*mappings, outputs, "output", true);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

KernelObject::KernelObject(CompiledModel source, bool checkMemory)
    : model(std::move(source)), checkMemory(checkMemory) {
  for (const CompiledModel::Entry &entry : model.getEntries())
    entries.push_back(std::make_unique<OwnedEntry>(entry.info));
}

/// Runs `body` on a kernel.
template <typename Body>
static llvm::Error withKernel(QuantFloatKernel kernel, Body body) {
  Ref<KernelObject> object(kernel.id);
  return object ? body(*object) : failHandle(HandleKind::Kernel, kernel.id);
}

QuantFloatStatus quantFloatKernelLoad(const char *path,
                                      QuantFloatKernel *kernel,
                                      QuantFloatError *error) {
  return runFor(kernel, "kernel", error, [&]() -> llvm::Error {
    if (llvm::Error error = checkPath(path))
      return error;
    return returnObject<KernelObject>(kernel, CompiledModel::load(path),
                                      /*checkMemory=*/false);
  });
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
  return run(error, [&] {
    return withKernel(kernel, [&](KernelObject &object) {
      return findEntry(object.model, name, entry);
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
        return makeIndexError("entry", object.entries.size(), entry);
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

QuantFloatStatus quantFloatKernelGetOutputSizesOnHost(
    QuantFloatKernel kernel, size_t entry, const qf_tensor *inputs,
    size_t numInputs, int64_t *const *outputSizes, size_t numOutputs,
    QuantFloatError *error) {
  return run(error, [&] {
    return withKernel(kernel, [&](KernelObject &object) {
      return object.model.getOutputSizesOnHost(
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
      ArrayRef source(inputs, numInputs);
      MutableArrayRef results(outputs, numOutputs);
      if (llvm::Error error =
              object.model.checkCall(entry, numInputs, numOutputs))
        return error;
      if (object.checkMemory && object.model.getTarget() == Target::CPU)
        if (llvm::Error error =
                checkMemory(inputs ? source : source.take_front(0),
                            outputs ? results : results.take_front(0)))
          return error;
      return object.model.run(entry, source, results);
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
      return returnObject<TensorsObject>(
          outputs,
          object.model.allocateOutputs(entry, ArrayRef(inputs, numInputs)),
          object.model.getTarget());
    });
  });
}

QuantFloatStatus quantFloatKernelDestroy(QuantFloatKernel kernel) {
  return destroyHandle(HandleKind::Kernel, kernel.id);
}

//===----------------------------------------------------------------------===//
// Tensors that the library owns
//===----------------------------------------------------------------------===//

QuantFloatStatus quantFloatTensorsCreate(int32_t target,
                                         const qf_tensor *tensors, size_t count,
                                         QuantFloatTensors *result,
                                         QuantFloatError *error) {
  return runFor(result, "result", error, [&]() -> llvm::Error {
    if (!tensors && count)
      return failNull("tensors");
    if (target != QUANT_FLOAT_TARGET_CPU && target != QUANT_FLOAT_TARGET_NVVM)
      return fail(QUANT_FLOAT_ERROR_ARGUMENT,
                  "target must be 0 or 1, but got " + Twine(target));
    return returnObject<TensorsObject>(
        result,
        makeTensors(ArrayRef(tensors, count),
                    [&](const qf_tensor &tensor) {
                      return Tensor::copy(tensor,
                                          target == QUANT_FLOAT_TARGET_NVVM);
                    }),
        static_cast<Target>(target));
  });
}

QuantFloatStatus quantFloatTensorsMakeRoom(QuantFloatTensors tensors,
                                           QuantFloatError *error) {
  return run(error, [&]() -> llvm::Error {
    Ref<TensorsObject> object(tensors.id);
    if (!object)
      return failHandle(HandleKind::Tensors, tensors.id);
    for (Tensor &tensor : object->tensors)
      if (llvm::Error error = tensor.makeRoom())
        return makeError(ErrorKind::Memory, std::move(error));
    return llvm::Error::success();
  });
}

int32_t quantFloatTensorsGetTarget(QuantFloatTensors tensors) {
  Ref<TensorsObject> object(tensors.id);
  return object ? static_cast<int32_t>(object->target) : -1;
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
    if (index >= object->tensors.size())
      return makeIndexError("tensor", object->tensors.size(), index);
    return object->tensors[index].read({static_cast<char *>(data), size});
  });
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
  return runFor(chip, "chip", error, [&] {
    return returnObject<BufferObject>(chip, getDeviceChip());
  });
}
