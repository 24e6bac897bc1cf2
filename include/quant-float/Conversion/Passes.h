//===- Passes.h - Conversions out of quant_float ----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CONVERSION_PASSES_H
#define QUANT_FLOAT_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class RewritePatternSet;
class TypeConverter;
} // namespace mlir

namespace mlir::quant_float {

struct NvidiaChip;
struct TargetCpu;

#define GEN_PASS_DECL
#include "quant-float/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "quant-float/Conversion/Passes.h.inc"

/// arith casts of narrow floats, scalars, vectors and tensors, to casts of
/// ours. What they do not take is left.
void populateLegalizeArithPatterns(RewritePatternSet &patterns);

/// quant.qcast and quant.dcast with float8 storage to quantize and dequantize.
void populateLegalizeQuantPatterns(RewritePatternSet &patterns);

/// Types of tensors become those of their storage (see ElementTypes.h).
void populateStorageTypeConversions(TypeConverter &converter);

/// Ops on ranked tensors to linalg.generic, for a converter from above.
void populateQuantFloatToLinalgConversionPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns);

/// quantize, dequantize and qdq of scalars and vectors to quantize_elements and
/// casts; apply before the following.
void populateQuantizeToElementsPatterns(RewritePatternSet &patterns);

/// fakeconvert of scalars and vectors to arith ops and casts; apply before the
/// patterns for casts.
void populateFakeConvertToArithPatterns(RewritePatternSet &patterns);

/// Casts of scalars and vectors in the mode openvino, which become arith ops
/// and casts of ONNX.
void populateOpenVinoCastToArithPatterns(RewritePatternSet &patterns);

/// quantize_elements of scalars and vectors to arith ops. Part of the
/// following.
void populateQuantizeElementsToArithPatterns(const TargetCpu &cpu,
                                             RewritePatternSet &patterns);

/// Casts and quantizations of scalars and vectors to arith ops that `cpu` has
/// instructions for. They leave storage casts where values enter and leave.
void populateQuantFloatToArithConversionPatterns(const TargetCpu &cpu,
                                                 RewritePatternSet &patterns);

/// Casts of vectors that instructions of this x86 CPU do better than the above;
/// they have the greater benefit. None, if there are no such instructions.
void populateQuantFloatToX86ConversionPatterns(const TargetCpu &cpu,
                                               RewritePatternSet &patterns);

/// Truncations of vectors that this x86 CPU does better by permutes, with what
/// they truncate; apply after the above.
void populateX86NarrowingPatterns(const TargetCpu &cpu,
                                  RewritePatternSet &patterns);

/// Casts of scalars and vectors that this GPU has instructions for to nvvm ops;
/// they have the greater benefit. The first set makes casts with no instruction
/// of their own out of two that may have; apply it before the second, which
/// goes with populateQuantFloatToArithConversionPatterns for getNvidiaCpu.
void populateSplitCastsForNVVMPatterns(const NvidiaChip &chip,
                                       RewritePatternSet &patterns);
void populateQuantFloatToNVVMConversionPatterns(const NvidiaChip &chip,
                                                RewritePatternSet &patterns);

/// What the portable expansion may use on an NVIDIA GPU.
TargetCpu getNvidiaCpu(const NvidiaChip &chip);

/// What is left of storage casts to arith ops; apply after the above.
void populateStorageCastToArithPatterns(RewritePatternSet &patterns);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_CONVERSION_PASSES_H
