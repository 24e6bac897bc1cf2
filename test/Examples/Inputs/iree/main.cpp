//===- main.cpp - Runs the pipelines of a plugin, as IREE does ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "iree/compiler/PluginAPI/Client.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace mlir::iree_compiler;

extern "C" bool iree_register_compiler_plugin_quant_float(PluginRegistrar *);

int main(int argc, char **argv) {
  PluginRegistrar registrar;
  if (!iree_register_compiler_plugin_quant_float(&registrar))
    return 1;
  registrar.registerPasses();
  AbstractPluginSession &session = *registrar.session;

  DialectRegistry registry;
  registry.insert<func::FuncDialect>();
  session.onRegisterDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(llvm::StringRef(argv[1]), &context);
  if (!module)
    return 1;

  PassManager passManager(&context);
  llvm::StringSet<> types;
  ModuleOp op = *module;
  session.populateDetectedCustomInputConversionTypes(op, types);
  for (const auto &type : types) {
    llvm::outs() << "// " << type.first() << "\n";
    std::string name = type.first().str();
    if (!session.extendCustomInputConversionPassPipeline(passManager, name))
      return 1;
  }
  session.extendPreprocessingPassPipeline(passManager);
  if (failed(passManager.run(op)))
    return 1;
  op.print(llvm::outs());
  return 0;
}
