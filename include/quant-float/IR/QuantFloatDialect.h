//===- QuantFloatDialect.h - The quant_float dialect ------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_QUANTFLOATDIALECT_H
#define QUANT_FLOAT_IR_QUANTFLOATDIALECT_H

#include "mlir/IR/Dialect.h"

#include "quant-float/IR/QuantFloatDialect.h.inc"

#endif // QUANT_FLOAT_IR_QUANTFLOATDIALECT_H
