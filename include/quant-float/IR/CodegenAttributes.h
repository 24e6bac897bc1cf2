//===- CodegenAttributes.h - Attributes that passes exchange ----*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Discardable attributes by which passes of code generation communicate. The
// dialect verifies them: QuantFloatDialect::verifyOperationAttribute.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_CODEGENATTRIBUTES_H
#define QUANT_FLOAT_IR_CODEGENATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace mlir::quant_float {

/// On modules: the TargetAttr that code is generated for.
constexpr llvm::StringLiteral kTargetAttrName = "quant_float.target";
/// On linalg.generic: the ReductionScheduleAttr of a contraction with weights.
constexpr llvm::StringLiteral kReductionScheduleAttrName =
    "quant_float.reduction_schedule";
/// On linalg ops: the LoweringConfigAttr that the code generation of the target
/// obeys.
constexpr llvm::StringLiteral kLoweringConfigAttrName =
    "quant_float.lowering_config";
/// On linalg.generic: an array of two integer types of 8 or 16 bits. The
/// operands of the contraction are i32 and hold several numbers of these types
/// each, the first in the lowest bits. The body computes the same by shifts.
constexpr llvm::StringLiteral kPackedOperandsAttrName =
    "quant_float.packed_operands";
/// On scf.for, a unit: the loop runs over tiles of a reduction that its
/// epilogue is fused into.
constexpr llvm::StringLiteral kTileLoopAttrName = "quant_float.tile_loop";
/// On functions, a unit: no two memref arguments alias.
constexpr llvm::StringLiteral kNoAliasAttrName = "quant_float.noalias";
/// On kernels, a unit: the kernel runs in a floating-point environment that
/// flushes subnormals.
constexpr llvm::StringLiteral kFlushesSubnormalsAttrName =
    "quant_float.flushes_subnormals";

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_IR_CODEGENATTRIBUTES_H
