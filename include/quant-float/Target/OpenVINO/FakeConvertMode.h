//===- FakeConvertMode.h - Mode of fakeconvert ------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TARGET_OPENVINO_FAKECONVERTMODE_H
#define QUANT_FLOAT_TARGET_OPENVINO_FAKECONVERTMODE_H

#include "mlir/IR/BuiltinOps.h"
#include "quant-float/IR/QuantFloatOps.h"

namespace mlir::quant_float {

/// Gives every fakeconvert of `module` the mode. Under OpenVINO's the bits owe
/// to which operands are constants of the model, which is frozen now: as
/// constants count values that no argument is part of. What is constant as a
/// whole gets the reference's mode, as OpenVINO's plugin folds it so. Constant
/// shifts that are zero and that the plugin drops are dropped; no other mode
/// brings them back.
void setFakeConvertModes(ModuleOp module, FakeConvertMode mode);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TARGET_OPENVINO_FAKECONVERTMODE_H
