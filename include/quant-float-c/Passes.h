/*===-- quant-float-c/Passes.h - Passes for MLIR's C API ---------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * For every pass, the generated headers declare these functions, named after
 * its TableGen record,
 *
 *   MlirPass mlirCreate<Group><Pass>(void);
 *   void mlirRegister<Group><Pass>(void);
 *
 * in one group for each folder that has a Passes.td: QuantFloatTransforms,
 * QuantFloatConversion, QuantFloatCodegenCPU and so on. A created pass has its
 * default options and is owned by the caller until it is added to a pass
 * manager. Options are set in textual pipelines (mlirParsePassPipeline), which
 * require that passes and pipelines are registered.
 */
#ifndef QUANT_FLOAT_C_PASSES_H
#define QUANT_FLOAT_C_PASSES_H

#include "mlir-c/Pass.h"
#include "quant-float-c/CodegenCPUPasses.h.inc"
#include "quant-float-c/CodegenCommonPasses.h.inc"
#include "quant-float-c/CodegenGPUPasses.h.inc"
#include "quant-float-c/CodegenMathPasses.h.inc"
#include "quant-float-c/CodegenSubBytePasses.h.inc"
#include "quant-float-c/ConversionPasses.h.inc"
#include "quant-float-c/EntryPointPasses.h.inc"
#include "quant-float-c/ONNXToLinalgPasses.h.inc"
#include "quant-float-c/OpenVINOFromONNXPasses.h.inc"
#include "quant-float-c/OpenVINOToONNXPasses.h.inc"
#include "quant-float-c/PipelinesPasses.h.inc"
#include "quant-float-c/Support.h"
#include "quant-float-c/TransformsPasses.h.inc"

#ifdef __cplusplus
extern "C" {
#endif

/** Registers every pass and pipeline of the project, and the upstream passes of
 * mlir-c/Transforms.h (canonicalize, cse, ...), in the process. May be called
 * repeatedly and from any thread. */
QUANT_FLOAT_EXPORTED void quantFloatRegisterAllPasses(void);

#ifdef __cplusplus
}
#endif

#endif /* QUANT_FLOAT_C_PASSES_H */
