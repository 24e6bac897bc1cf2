//===- AttentionFunctions.h - ONNX Runtime's attention ----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Function bodies of com.microsoft's attention and rotary embedding operators,
// as specified by ContribOperators.md. The table in MicrosoftFunctions.cpp
// refers to them.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_ONNX_SCHEMAS_ATTENTIONFUNCTIONS_H
#define QUANT_FLOAT_LIB_ONNX_SCHEMAS_ATTENTIONFUNCTIONS_H

#include "FunctionRows.h"

namespace mlir::quant_float::onnx_import {

void defineRotaryEmbedding(Definition &d);
void defineAttention(Definition &d);
void defineQAttention(Definition &d);
void defineMultiHeadAttention(Definition &d);
void defineGroupQueryAttention(Definition &d);

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_ONNX_SCHEMAS_ATTENTIONFUNCTIONS_H
