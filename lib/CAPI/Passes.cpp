//===- Passes.cpp - Passes for MLIR's C API -------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float-c/Passes.h"

#include "mlir/CAPI/Pass.h"
#include "mlir/Transforms/Passes.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/EntryPoint/Passes.h"
#include "quant-float/InitAll.h"
#include "quant-float/Transforms/Passes.h"
#include <mutex>

using namespace mlir;
using namespace mlir::quant_float;

#include "quant-float-c/ConversionPasses.cpp.inc"
#include "quant-float-c/EntryPointPasses.cpp.inc"
#include "quant-float-c/TransformsPasses.cpp.inc"

void quantFloatRegisterAllPasses(void) {
  static std::once_flag flag;
  std::call_once(flag, [] {
    registerAllPasses();
    registerTransformsPasses();
  });
}
