//===- CompileOptions.h - Options of the C API's compilers ------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CAPI_COMPILEOPTIONS_H
#define QUANT_FLOAT_LIB_CAPI_COMPILEOPTIONS_H

#include "Session.h"
#include "quant-float/Compiler/Driver.h"

namespace mlir::quant_float::capi {

/// The caller's options, null for the defaults, as this version has them and as
/// the driver takes them.
QuantFloatStatus readCompileOptions(const QuantFloatCompileOptions *given,
                                    QuantFloatCompileOptions &options,
                                    CompileOptions &result,
                                    ErrorReport &report);

/// A copy of the model's module to be lowered, with the mode of fakeconvert.
OwningOpRef<ModuleOp> copyToCompile(ModelObject &model, int32_t mode);

} // namespace mlir::quant_float::capi

#endif // QUANT_FLOAT_LIB_CAPI_COMPILEOPTIONS_H
