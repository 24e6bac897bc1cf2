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
#include "quant-float/Codegen/CPU/Passes.h"
#include "quant-float/Codegen/Common/Passes.h"
#include "quant-float/Codegen/GPU/Passes.h"
#include "quant-float/Codegen/Math/Passes.h"
#include "quant-float/Codegen/SubByte/Passes.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/EntryPoint/Passes.h"
#include "quant-float/InitAll.h"
#include "quant-float/ONNX/ToLinalg/Passes.h"
#include "quant-float/OpenVINO/FromONNX/Passes.h"
#include "quant-float/OpenVINO/ToONNX/Passes.h"
#include "quant-float/Pipelines/Passes.h"
#include "quant-float/Transforms/Passes.h"
#include <mutex>

using namespace mlir;
using namespace mlir::quant_float;

#include "quant-float-c/CodegenCPUPasses.cpp.inc"
#include "quant-float-c/CodegenCommonPasses.cpp.inc"
#include "quant-float-c/CodegenGPUPasses.cpp.inc"
#include "quant-float-c/CodegenMathPasses.cpp.inc"
#include "quant-float-c/CodegenSubBytePasses.cpp.inc"
#include "quant-float-c/ConversionPasses.cpp.inc"
#include "quant-float-c/EntryPointPasses.cpp.inc"
#include "quant-float-c/ONNXToLinalgPasses.cpp.inc"
#include "quant-float-c/OpenVINOFromONNXPasses.cpp.inc"
#include "quant-float-c/OpenVINOToONNXPasses.cpp.inc"
#include "quant-float-c/PipelinesPasses.cpp.inc"
#include "quant-float-c/TransformsPasses.cpp.inc"

void quantFloatRegisterAllPasses(void) {
  static std::once_flag flag;
  std::call_once(flag, [] {
    registerAllPasses();
    registerTransformsPasses();
  });
}
