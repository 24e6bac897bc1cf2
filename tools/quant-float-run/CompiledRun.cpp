//===- CompiledRun.cpp - Compile one function and call it -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompiledRun.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "quant-float/EntryPoint/EntryPointInfo.h"
#include "quant-float/IR/ElementTypes.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Leaves only the function and what it needs.
static void dropOthers(ModuleOp module, func::FuncOp function) {
  for (auto other : module.getOps<func::FuncOp>())
    if (other != function)
      other.setPrivate();
  function.setPublic();
  bool changed = true;
  while (changed) {
    changed = false;
    llvm::StringSet<> used;
    if (auto uses = SymbolTable::getSymbolUses(&module.getBodyRegion()))
      for (SymbolTable::SymbolUse use : *uses)
        used.insert(use.getSymbolRef().getRootReference());
    for (auto other : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (other != function && !used.contains(other.getSymName())) {
        other.erase();
        changed = true;
      }
  }
}

/// Makes the function's large constants arguments: inside compiled code they
/// would be copied several times on the way to memory, as arguments they stay
/// where the importer has mapped or read them.
static llvm::Expected<std::vector<Tensor>>
hoistLargeConstants(func::FuncOp function) {
  constexpr size_t kLarge = 64 * 1024;
  std::vector<Tensor> tensors;
  llvm::Error error = llvm::Error::success();
  for (auto constant : llvm::make_early_inc_range(
           function.getBody().front().getOps<arith::ConstantOp>())) {
    auto type = dyn_cast<RankedTensorType>(constant.getType());
    auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue());
    AsmResourceBlob *blob =
        type && resource ? resource.getRawHandle().getBlob() : nullptr;
    if (!blob || blob->getData().size() < kLarge)
      continue;
    llvm::Expected<Tensor> tensor =
        Tensor::fromAttribute(resource, type.getElementType());
    if (!tensor) {
      error = llvm::joinErrors(std::move(error), tensor.takeError());
      break;
    }
    unsigned index = function.getNumArguments();
    if (failed(function.insertArgument(index, type, {}, constant.getLoc())))
      continue;
    constant.getResult().replaceAllUsesWith(function.getArgument(index));
    constant.erase();
    tensors.push_back(std::move(*tensor));
  }
  if (error)
    return std::move(error);
  return tensors;
}

std::optional<CompiledRun> CompiledRun::compile(ModuleOp module,
                                                func::FuncOp function,
                                                const Arguments &arguments,
                                                int &exitCode) {
  exitCode = kToolWrongInput;
  auto fail = [&](llvm::Error error) {
    llvm::errs() << arguments.model
                 << ": error: " << llvm::toString(std::move(error)) << "\n";
    return std::nullopt;
  };
  CompiledRun result;
  dropOthers(module, function);
  llvm::Expected<std::vector<Tensor>> constants = hoistLargeConstants(function);
  if (!constants)
    return fail(constants.takeError());
  result.constants = std::move(*constants);

  CompileOptions options;
  if (arguments.target == "nvvm")
    options.target = Target::NVVM;
  options.chip = arguments.chip;
  options.cpu = arguments.cpu;
  options.threads = arguments.threads;
  options.optimizationLevel = arguments.optimizationLevel;
  options.inProcess = arguments.cpu == "host";
  auto context = std::make_unique<llvm::LLVMContext>();
  FailureOr<std::unique_ptr<llvm::Module>> compiled =
      compileToLLVM(module, options, *context);
  if (failed(compiled))
    return std::nullopt;
  FailureOr<std::vector<EntryPointInfo>> entryPoints = getEntryPoints(module);
  if (failed(entryPoints))
    return std::nullopt;
  if (entryPoints->size() != 1)
    return fail(llvm::createStringError("expected one entry point, but got " +
                                        llvm::Twine(entryPoints->size())));

  // The results' types may only show in the lowering.
  for (const EntryPointArgument &output : entryPoints->front().outputs) {
    SmallVector<int64_t> sizes(output.sizes);
    llvm::replace(sizes, int64_t(-1), ShapedType::kDynamic);
    result.outputTypes.push_back(RankedTensorType::get(
        sizes, getTypeFromOnnxDataType(module.getContext(), output.dtype)));
  }

  JitOptions jitOptions;
  jitOptions.optimizationLevel = arguments.optimizationLevel;
  llvm::Expected<std::unique_ptr<JitModule>> jit =
      JitModule::create(std::move(*compiled), std::move(context), jitOptions);
  if (!jit)
    return fail(jit.takeError());
  result.jit = std::move(*jit);
  const std::string &symbol = entryPoints->front().symbol;
  llvm::Expected<JitModule::EntryFunction> entry = result.jit->getEntry(symbol);
  if (!entry)
    return fail(entry.takeError());
  llvm::Expected<JitModule::SizesFunction> outputSizes =
      result.jit->getOutputSizes(symbol);
  if (!outputSizes)
    return fail(outputSizes.takeError());
  result.entry = *entry;
  result.outputSizes = *outputSizes;
  exitCode = kToolDone;
  return result;
}

std::vector<qf_tensor>
CompiledRun::getInputDescriptors(ArrayRef<Tensor> inputs) const {
  std::vector<qf_tensor> descriptors;
  for (const Tensor &tensor : inputs)
    descriptors.push_back(tensor.getDescriptor());
  for (const Tensor &tensor : constants)
    descriptors.push_back(tensor.getDescriptor());
  return descriptors;
}

llvm::Expected<std::vector<Tensor>>
CompiledRun::allocateOutputs(ArrayRef<Tensor> inputs) const {
  std::vector<SmallVector<int64_t>> sizes;
  std::vector<int64_t *> places;
  for (RankedTensorType type : outputTypes)
    sizes.emplace_back(type.getRank());
  for (SmallVector<int64_t> &outputSizes : sizes)
    places.push_back(outputSizes.data());
  char message[512];
  if (outputSizes(getInputDescriptors(inputs).data(), places.data(), message,
                  sizeof message))
    return llvm::createStringError(message);
  std::vector<Tensor> outputs;
  for (auto [type, outputSizes] : llvm::zip_equal(outputTypes, sizes)) {
    llvm::Expected<Tensor> output =
        Tensor::allocate(type.getElementType(), outputSizes);
    if (!output)
      return output.takeError();
    outputs.push_back(std::move(*output));
  }
  return outputs;
}

CompiledRun::Call CompiledRun::prepare(ArrayRef<Tensor> inputs,
                                       ArrayRef<Tensor> outputs) const {
  Call call{getInputDescriptors(inputs), {}};
  for (const Tensor &tensor : outputs)
    call.outputs.push_back(tensor.getDescriptor());
  return call;
}

llvm::Expected<CompiledRun::DeviceCall>
CompiledRun::prepare(const CudaDevice &device, ArrayRef<Tensor> inputs,
                     ArrayRef<Tensor> outputs) const {
  DeviceCall result;
  result.call = prepare(inputs, outputs);
  auto hold = [&](llvm::Expected<DeviceMemory> memory, qf_tensor &descriptor,
                  std::vector<DeviceMemory> &held) -> llvm::Error {
    if (!memory)
      return memory.takeError();
    descriptor.data = memory->getPointer();
    held.push_back(std::move(*memory));
    return llvm::Error::success();
  };
  for (auto [index, descriptor] : llvm::enumerate(result.call.inputs)) {
    const Tensor &tensor = index < inputs.size()
                               ? inputs[index]
                               : constants[index - inputs.size()];
    if (llvm::Error error =
            hold(device.upload(tensor), descriptor, result.inputs))
      return std::move(error);
  }
  for (auto [tensor, descriptor] :
       llvm::zip_equal(outputs, result.call.outputs))
    if (llvm::Error error = hold(device.allocate(tensor.getBytes().size()),
                                 descriptor, result.outputs))
      return std::move(error);
  return result;
}

llvm::Error CompiledRun::run(Call &call) const {
  char message[512];
  if (entry(call.inputs.data(), call.outputs.data(), message, sizeof message))
    return llvm::createStringError(message);
  return llvm::Error::success();
}
