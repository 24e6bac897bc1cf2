//===- InitCore.h - Registration of the component core ----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For compilers that embed the dialect and its conversions. InitAll.h registers
// the compiler of networks as well.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_INITCORE_H
#define QUANT_FLOAT_INITCORE_H

#include "mlir/IR/DialectRegistry.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/IR/QuantFloatDialect.h"
#include "quant-float/Transforms/Passes.h"

namespace mlir::quant_float {

/// Registers the dialect. MLIR loads the dialects that a pass depends on.
inline void registerCoreDialects(DialectRegistry &registry) {
  registry.insert<QuantFloatDialect>();
}

/// Registers the passes of the component core for textual pipelines: the
/// conversions, and the rewrites of quantization ops.
inline void registerCorePasses() {
  registerQuantFloatConversionPasses();
  registerQuantFloatTransformsPasses();
}

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_INITCORE_H
