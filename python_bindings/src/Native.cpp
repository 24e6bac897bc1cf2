//===- Native.cpp - The extension module ----------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Native.h"

using namespace quant_float_python;

/// NumPy's wheels require x86-64-v2. Without these instructions, importing
/// NumPy ends the process.
static void checkCpu() {
#ifdef __x86_64__
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("ssse3") || !__builtin_cpu_supports("sse4.2") ||
      !__builtin_cpu_supports("popcnt"))
    throw nb::import_error(
        "quant_float requires a CPU with the instructions of x86-64-v2, but "
        "this CPU has no SSSE3, SSE4.2 or POPCNT");
#endif
}

NB_MODULE(_native, module) {
  checkCpu();
  module.doc() = "quant-float's C API; use the package quant_float.";
  // Module constants and caches keep objects until the interpreter exits.
  nb::set_leak_warnings(false);
  module.def("get_version", &quantFloatGetVersion,
             "The version of quant-float.");
  module.def("get_llvm_version", &quantFloatGetLLVMVersion,
             "The version of LLVM that it was built with.");
  module.def("get_num_live_objects", &quantFloatGetNumLiveObjects,
             "How many objects of the library are alive, to find leaks with.");
  defineArrays(module);
  defineOpsets(module);
  defineKernel(module);
  defineModel(module);
  defineTensors(module);
}
