//===- FakeConvertMode.h - Mode of fakeconvert ------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_OPENVINO_COMMON_FAKECONVERTMODE_H
#define QUANT_FLOAT_OPENVINO_COMMON_FAKECONVERTMODE_H

#include "mlir/IR/BuiltinOps.h"
#include "quant-float/IR/QuantFloatOps.h"

namespace mlir::quant_float {

/// Sets the mode of every fakeconvert in `module`. The result of OpenVINO's
/// plugin depends on which operands are constants of the model. This function
/// records that in attributes, as of now. A value counts as constant if it does
/// not depend on an argument. For a fakeconvert of constants, only the mode of
/// the reference implementation is recorded, with which OpenVINO's plugin folds
/// it. Constant zero shifts that the plugin removes are removed, and a later
/// call with another mode does not restore them.
void setFakeConvertModes(ModuleOp module, FakeConvertMode mode);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_OPENVINO_COMMON_FAKECONVERTMODE_H
