//===- QuantFloatTypes.h - Types of the quant_float dialect -----*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_QUANTFLOATTYPES_H
#define QUANT_FLOAT_IR_QUANTFLOATTYPES_H

#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "mlir/IR/Types.h"
#include "quant-float/Support/BinaryType.h"

#define GET_TYPEDEF_CLASSES
#include "quant-float/IR/QuantFloatTypes.h.inc"

#endif // QUANT_FLOAT_IR_QUANTFLOATTYPES_H
