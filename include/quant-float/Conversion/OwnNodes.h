//===- OwnNodes.h - Nodes that conversions make -----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the layers of other formats compute and no ONNX op does stays a
// `quant_float.node` of a domain of its own until shapes are known, as the ONNX
// nodes around it: convert-onnx-nodes-to-linalg gives both their meaning.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CONVERSION_OWNNODES_H
#define QUANT_FLOAT_CONVERSION_OWNNODES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::quant_float {

/// Its ops have one version, 1:
/// - OpenVinoConvert(input) {to = number of an ONNX element type}: OpenVINO
///   Convert where it differs from ONNX Cast.
inline constexpr StringLiteral kOwnDomain = "quant_float";

/// The domain of OpenVINO's layers.
inline constexpr StringLiteral kOpenVinoDomain = "openvino";

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_CONVERSION_OWNNODES_H
