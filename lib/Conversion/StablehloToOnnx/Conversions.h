//===- Conversions.h - Conversions of StableHLO ops -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_STABLEHLOTOONNX_CONVERSIONS_H
#define QUANT_FLOAT_LIB_CONVERSION_STABLEHLOTOONNX_CONVERSIONS_H

#include "quant-float/Conversion/OpImport/OpImporter.h"

namespace mlir::quant_float::stablehlo_ops {

/// Converts an op that the ONNX node of its row implements.
NodeResults convertElementwise(OpImporter &op);

/// Whether a reduction has an operand of indices, as JAX writes argmax.
bool isIndexedReduction(UnregisteredOp op);
/// Converts such a reduction, whose operands are ops of StableHLO.
NodeResults convertIndexedReduce(OpImporter &op);

// Declares the conversions of all rows.
#define QUANT_FLOAT_STABLEHLO(Name, MinOperands, MaxOperands, Conversion)      \
  NodeResults Conversion(OpImporter &op);
#define QUANT_FLOAT_STABLEHLO_RESULTS(Name, MinOperands, MaxOperands, Results, \
                                      Conversion)                              \
  NodeResults Conversion(OpImporter &op);
#define QUANT_FLOAT_CHLO(Name, Operands, OnnxType, Conversion)                 \
  NodeResults Conversion(OpImporter &op);
#include "quant-float/Conversion/StablehloToOnnx/StablehloOps.def"

/// Converts the elements of a tensor as StableHLO's convert does:
/// - between floats: to nearest, ties to even; overflow and infinity give an
///   infinity, or NaN if the type has none. To f8E8M0FNU, ties round up, and
///   zeros and negative values give NaN. To f4E2M1FN, NaN gives -0;
/// - from floats to integers: toward zero, saturating; NaN gives 0;
/// - between integers: the low bits.
Value convertElements(OpImporter &op, Value value, Type elementType);

/// Returns the element type in which arithmetic on `elementType` is computed:
/// f32 for floats of at most 8 bits, and an integer of 8 bits for narrower
/// integers. All other types are their own.
Type getArithmeticType(Type elementType);

/// Returns the name of the only op in the region of a reduction, if it combines
/// both arguments and its result is returned. Fails otherwise.
FailureOr<StringRef> matchReductionBody(OpImporter &op);

} // namespace mlir::quant_float::stablehlo_ops

#endif // QUANT_FLOAT_LIB_CONVERSION_STABLEHLOTOONNX_CONVERSIONS_H
