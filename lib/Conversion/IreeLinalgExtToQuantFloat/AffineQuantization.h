//===- AffineQuantization.h - Affine quantization of IREE -------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_IREELINALGEXTTOQUANTFLOAT_AFFINEQUANTIZATION_H
#define QUANT_FLOAT_LIB_CONVERSION_IREELINALGEXTTOQUANTFLOAT_AFFINEQUANTIZATION_H

#include "quant-float/Conversion/OpImport/OpImporter.h"

namespace mlir::quant_float::iree_ops {

/// Convert iree_linalg_ext.quantize_affine and dequantize_affine to quantize
/// and dequantize if these have the same values, and otherwise to a
/// linalg.generic with the results of IREE's decomposition.
NodeResults convertQuantizeAffine(OpImporter &op);
NodeResults convertDequantizeAffine(OpImporter &op);

} // namespace mlir::quant_float::iree_ops

#endif // QUANT_FLOAT_LIB_CONVERSION_IREELINALGEXTTOQUANTFLOAT_AFFINEQUANTIZATION_H
