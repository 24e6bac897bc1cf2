//===- Programs.cpp - Compilation of cases --------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Programs.h"
#include "quant-float/InitAll.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::quant_float;

void test::loadDialects(MLIRContext &context) {
  DialectRegistry registry;
  registerAllDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
}

FailureOr<std::unique_ptr<JitModule>>
test::load(ModuleOp module, const CompileOptions &options) {
  auto context = std::make_unique<llvm::LLVMContext>();
  FailureOr<CpuLevel> compiled = compileToLLVM(module, options, *context);
  if (failed(compiled))
    return failure();
  // The functions have a target-cpu attribute.
  llvm::Expected<std::unique_ptr<JitModule>> jit =
      JitModule::create(std::move(compiled->module), std::move(context),
                        std::move(compiled->machine));
  if (jit)
    return std::move(*jit);
  llvm::errs() << llvm::toString(jit.takeError()) << "\n";
  return failure();
}

JitModule::EntryFunction test::findEntry(JitModule &jit, StringRef name) {
  llvm::Expected<JitModule::EntryFunction> entry = jit.getEntry(name);
  if (entry)
    return *entry;
  llvm::errs() << llvm::toString(entry.takeError()) << "\n";
  return nullptr;
}

LogicalResult test::writeFile(
    StringRef folder, const Twine &name,
    llvm::function_ref<LogicalResult(llvm::raw_fd_ostream &)> write) {
  SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (error) {
    llvm::errs() << path << ": error: " << error.message() << "\n";
    return failure();
  }
  return write(os);
}
