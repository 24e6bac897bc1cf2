//===- QuantFloatAttributes.h - Attributes of quant_float -------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_QUANTFLOATATTRIBUTES_H
#define QUANT_FLOAT_IR_QUANTFLOATATTRIBUTES_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"

#include "quant-float/IR/QuantFloatEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "quant-float/IR/QuantFloatAttributes.h.inc"

#endif // QUANT_FLOAT_IR_QUANTFLOATATTRIBUTES_H
