//===- Client.h - What examples/iree uses of IREE's plugin API --*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declarations with the names and signatures of IREE's, so that the example
// compiles without IREE.
//
//===----------------------------------------------------------------------===//

#ifndef IREE_COMPILER_PLUGINAPI_CLIENT_H_
#define IREE_COMPILER_PLUGINAPI_CLIENT_H_

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include <string>
#include <string_view>

namespace mlir::iree_compiler {

struct OptionsBinder {
  template <typename T, typename V, typename... Modifiers>
  void opt(llvm::StringRef name, V &value, Modifiers...) {}
};

struct AbstractPluginSession {
  virtual ~AbstractPluginSession() = default;
  virtual void onRegisterDialects(DialectRegistry &) {}
  virtual void populateCustomInputConversionTypes(llvm::StringSet<> &) {}
  virtual void populateDetectedCustomInputConversionTypes(ModuleOp &,
                                                          llvm::StringSet<> &) {
  }
  virtual bool extendCustomInputConversionPassPipeline(OpPassManager &,
                                                       std::string_view) {
    return false;
  }
  virtual void extendPreprocessingPassPipeline(OpPassManager &) {}
};

template <typename DerivedTy, typename OptionsTy>
struct PluginSession : AbstractPluginSession {
  OptionsTy options;
};

struct PluginRegistrar {
  std::unique_ptr<AbstractPluginSession> session;
  void (*registerPasses)() = nullptr;

  template <typename SessionTy> void registerPlugin(std::string id) {
    session = std::make_unique<SessionTy>();
    registerPasses = SessionTy::registerPasses;
    OptionsBinder binder;
    static_cast<SessionTy &>(*session).options.bindOptions(binder);
  }
};

} // namespace mlir::iree_compiler

#define IREE_DEFINE_COMPILER_OPTION_FLAGS(type)                                \
  static_assert(std::is_default_constructible_v<type>)

#endif // IREE_COMPILER_PLUGINAPI_CLIENT_H_
