//===- Native.cpp - The extension module ----------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Native.h"

using namespace quant_float_python;

NB_MODULE(_native, module) {
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
