//===- Kernels.cpp - Device code ------------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "quant-float/Support/NvidiaChip.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace mlir::quant_float;

LogicalResult quant_float::lowerToNVVM(ModuleOp module,
                                       const CompileOptions &options,
                                       KernelFormat format) {
  llvm::Expected<NvidiaChip> chip =
      NvidiaChip::get(options.chip, options.features);
  if (!chip)
    return emitError(module.getLoc()) << llvm::toString(chip.takeError());
  PassManager lower(module.getContext());
  buildOutlineKernelsPipeline(lower, options.islands);
  LowerToNVVMOptions lowering;
  lowering.chip = chip->name;
  lowering.features = chip->getFeatures();
  lowering.format = format;
  buildLowerKernelsPipeline(lower, lowering);
  // Upstream goes on after errors about the toolkit.
  bool hasErrors = false;
  ScopedDiagnosticHandler watch(
      module.getContext(), [&](Diagnostic &diagnostic) {
        hasErrors |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
        return failure();
      });
  return failure(failed(lower.run(module)) || hasErrors);
}

LogicalResult quant_float::compileKernelsTo(ModuleOp module, EmitKind kind,
                                            const CompileOptions &options,
                                            llvm::raw_ostream &os) {
  bool isBitcode = kind == EmitKind::LLVMIR;
  KernelFormat format = kind == EmitKind::Cubin ? KernelFormat::Bin
                        : isBitcode             ? KernelFormat::LLVM
                                                : KernelFormat::ISA;
  if (failed(lowerToNVVM(module, options, format)))
    return failure();
  SmallVector<gpu::BinaryOp> binaries(module.getOps<gpu::BinaryOp>());
  if (binaries.size() != 1 || binaries.front().getObjects().size() != 1)
    return emitError(module.getLoc())
           << "expected kernels in the model, but there is nothing to compute";
  auto object = cast<gpu::ObjectAttr>(binaries.front().getObjects()[0]);
  StringRef bytes = object.getObject().getValue();
  if (!isBitcode) {
    // The text of PTX is ended by a zero byte, for drivers.
    if (kind != EmitKind::Cubin)
      bytes = bytes.rtrim('\0');
    os << bytes;
    return success();
  }
  llvm::LLVMContext context;
  llvm::Expected<std::unique_ptr<llvm::Module>> code = llvm::parseBitcodeFile(
      llvm::MemoryBufferRef(bytes, kKernelModuleName), context);
  if (!code)
    return emitError(module.getLoc()) << llvm::toString(code.takeError());
  (*code)->print(os, nullptr);
  return success();
}
