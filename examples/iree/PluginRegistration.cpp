//===- PluginRegistration.cpp - A compiler plugin of IREE -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With --iree-plugin=quant_float, IREE reads modules with the dialect, and its
// conversions of narrow floats have the bits of this project.
//
//===----------------------------------------------------------------------===//

#include "iree/compiler/PluginAPI/Client.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "quant-float/InitCore.h"

using namespace mlir;
using namespace mlir::iree_compiler;

namespace {

/// --iree-input-type=quant_float. By default, IREE detects the type.
constexpr char kInputType[] = "quant_float";

struct QuantFloatOptions {
  bool legalizeArith = true;

  void bindOptions(OptionsBinder &binder) {
    static llvm::cl::OptionCategory category("quant-float plugin options");
    binder.opt<bool>(
        "iree-quant-float-legalize-arith", legalizeArith,
        llvm::cl::desc("Convert also upstream's casts of narrow floats"),
        llvm::cl::cat(category));
  }
};

struct QuantFloatSession
    : public PluginSession<QuantFloatSession, QuantFloatOptions> {
  static void registerPasses() { quant_float::registerCorePasses(); }

  void onRegisterDialects(DialectRegistry &registry) override {
    quant_float::registerCoreDialects(registry);
    // The detection of the input type runs the passes below in a separate
    // pipeline, which loads no dialects. It loads those of each plugin before.
    registry.insert<arith::ArithDialect, linalg::LinalgDialect,
                    LLVM::LLVMDialect, math::MathDialect, scf::SCFDialect,
                    tensor::TensorDialect, vector::VectorDialect>();
  }

  void populateCustomInputConversionTypes(
      llvm::StringSet<> &typeMnemonics) override {
    typeMnemonics.insert(kInputType);
  }

  void populateDetectedCustomInputConversionTypes(
      ModuleOp &module, llvm::StringSet<> &typeMnemonics) override {
    WalkResult result = module.walk([](Operation *op) {
      bool isOurs =
          isa_and_present<quant_float::QuantFloatDialect>(op->getDialect());
      return isOurs ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      typeMnemonics.insert(kInputType);
  }

  /// Lowers modules with operations of the dialect to upstream dialects.
  bool extendCustomInputConversionPassPipeline(OpPassManager &passManager,
                                               std::string_view type) override {
    if (type != kInputType)
      return false;
    if (options.legalizeArith)
      passManager.addPass(quant_float::createQuantFloatLegalizeArithPass());
    passManager.addPass(quant_float::createQuantFloatDecomposeQdqPass());
    passManager.addPass(quant_float::createConvertQuantFloatToLinalgPass());
    addConversionToArith(passManager);
    return true;
  }

  /// Other modules contain casts of upstream dialects, or get them by the
  /// conversion of their input. After the first pass, each is in the body of a
  /// linalg.generic.
  void extendPreprocessingPassPipeline(OpPassManager &passManager) override {
    if (!options.legalizeArith)
      return;
    passManager.addPass(createConvertElementwiseToLinalgPass());
    passManager.addPass(quant_float::createQuantFloatLegalizeArithPass());
    addConversionToArith(passManager);
  }

private:
  /// Without a target, the arithmetic is portable.
  static void addConversionToArith(OpPassManager &passManager) {
    passManager.addPass(quant_float::createConvertQuantFloatToArithPass());
    passManager.addPass(createCanonicalizerPass());
    passManager.addPass(createCSEPass());
  }
};

} // namespace

IREE_DEFINE_COMPILER_OPTION_FLAGS(QuantFloatOptions);

extern "C" bool
iree_register_compiler_plugin_quant_float(PluginRegistrar *registrar) {
  registrar->registerPlugin<QuantFloatSession>("quant_float");
  return true;
}
