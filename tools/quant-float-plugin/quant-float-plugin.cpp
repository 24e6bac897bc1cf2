//===- quant-float-plugin.cpp - The dialect for stock mlir-opt ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The entry points of the plugin. They check the host, and then load the
// library with the dialect and the passes, which links libMLIR.so and
// libLLVM.so.
//
// This file uses the declarations of MLIR only and links none of its code. The
// symbols of libMLIR.so have no versions, and their names are the same in most
// versions of LLVM. In a host with another MLIR, a library that links
// libMLIR.so adds a second MLIR to the process, and each of the two calls
// functions of the other one. This crashes while the library is loaded, before
// any code of the plugin could print a message.
//
//===----------------------------------------------------------------------===//

// The check of LLVM's headers would link LLVM.
#define LLVM_DISABLE_ABI_BREAKING_CHECKS_ENFORCING 1

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Support/Compiler.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>

/// The path of the library or program that contains \p address.
static std::string getFile(const void *address) {
  Dl_info info;
  return dladdr(address, &info) && info.dli_fname ? info.dli_fname : "unknown";
}

/// \p path without its folders.
static std::string getFileName(const std::string &path) {
  return path.substr(path.rfind('/') + 1);
}

/// This library. Without links, because the implementation is in the folder of
/// the file.
static std::string getThisFile() {
  std::string file = getFile(reinterpret_cast<const void *>(&getThisFile));
  if (char *real = realpath(file.c_str(), nullptr)) {
    file = real;
    free(real);
  }
  return file;
}

/// Whether the implementation calls the MLIR in the file \p host if it is
/// loaded now.
static bool isSameMlir(const std::string &host) {
  if (getFileName(host) == QUANT_FLOAT_MLIR_LIBRARY)
    return true;
  // A program may link MLIR statically and export it. It has the same version
  // if it shares LLVM.
  void *destructor = dlsym(RTLD_DEFAULT, "_ZN4mlir11MLIRContextD1Ev");
  return destructor && getFile(destructor) == host &&
         dlopen(QUANT_FLOAT_LLVM_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
}

/// Looks up \p name in the implementation. Returns null after an error message
/// if the implementation cannot be used in this process. \p caller is an
/// address in the MLIR of the host.
static void *lookUp(const char *name, const void *caller) {
  std::string file = getThisFile();
  std::string host = getFile(caller);
  if (!isSameMlir(host)) {
    fprintf(stderr,
            "error: %s is built with LLVM " QUANT_FLOAT_LLVM_VERSION
            ": expected a host that links " QUANT_FLOAT_MLIR_LIBRARY
            ", but got one with the MLIR in '%s'\n"
            "note: load a plugin that is built with the LLVM of the host, or "
            "pass modules as text\n",
            getFileName(file).c_str(), host.c_str());
    return nullptr;
  }
  std::string folder = file.substr(0, file.rfind('/') + 1);
  void *library = dlopen((folder + QUANT_FLOAT_IMPLEMENTATION).c_str(),
                         RTLD_NOW | RTLD_LOCAL);
  void *symbol = library ? dlsym(library, name) : nullptr;
  if (!symbol)
    fprintf(stderr, "error: %s: %s\n", getFileName(file).c_str(), dlerror());
  return symbol;
}

// Both functions return a plugin that registers nothing if the implementation
// cannot be used. mlir-opt does not consume the error for a plugin of another
// API version, so with assertions of LLVM it would abort.

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT ::mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  if (void *function =
          lookUp("quantFloatGetDialectPluginInfo", __builtin_return_address(0)))
    return reinterpret_cast<mlir::DialectPluginLibraryInfo (*)()>(function)();
  return {MLIR_PLUGIN_API_VERSION, "QuantFloat", QUANT_FLOAT_VERSION,
          [](mlir::DialectRegistry *) {}};
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT ::mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  if (void *function =
          lookUp("quantFloatGetPassPluginInfo", __builtin_return_address(0)))
    return reinterpret_cast<mlir::PassPluginLibraryInfo (*)()>(function)();
  return {MLIR_PLUGIN_API_VERSION, "QuantFloat", QUANT_FLOAT_VERSION, [] {}};
}

/// Registers the passes if this library is preloaded. Programs like mlir-opt
/// create the options of passes before they load plugins, so without this the
/// passes are available in --pass-pipeline only.
__attribute__((constructor)) static void registerPreloaded() {
  const char *preloaded = getenv("LD_PRELOAD");
  if (!preloaded || !strstr(preloaded, getFileName(getThisFile()).c_str()))
    return;
  // Child processes may be programs without MLIR.
  const void *host = dlsym(RTLD_DEFAULT, "_ZN4mlir11MLIRContextD1Ev");
  if (!host)
    return;
  if (void *function = lookUp("quantFloatGetPassPluginInfo", host))
    reinterpret_cast<mlir::PassPluginLibraryInfo (*)()>(function)()
        .registerPassRegistryCallbacks();
}
