//===- AttentionFunctions.h - ONNX Runtime's attention ----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Definitions of com.microsoft's attention operators and rotary positions, by
// ContribOperators.md. Rows of the table in MicrosoftFunctions.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_ONNX_ATTENTIONFUNCTIONS_H
#define QUANT_FLOAT_LIB_TARGET_ONNX_ATTENTIONFUNCTIONS_H

#include "FunctionRows.h"

namespace mlir::quant_float::onnx_import {

void defineRotaryEmbedding(Definition &d);
void defineAttention(Definition &d);
void defineQAttention(Definition &d);
void defineMultiHeadAttention(Definition &d);
void defineGroupQueryAttention(Definition &d);

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_TARGET_ONNX_ATTENTIONFUNCTIONS_H
