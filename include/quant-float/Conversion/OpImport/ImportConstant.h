//===- ImportConstant.h - Constants of other compilers ----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CONVERSION_OPIMPORT_IMPORTCONSTANT_H
#define QUANT_FLOAT_CONVERSION_OPIMPORT_IMPORTCONSTANT_H

#include "mlir/IR/BuiltinAttributes.h"

namespace mlir::quant_float {

/// Returns a dense constant or a resource with signless instead of signed
/// integers. Resources of at most `maxDense` elements become dense constants,
/// because folders of MLIR read elements only of these. Returns null if the
/// attribute is of another kind, or if the data of a resource is missing or has
/// another size.
TypedAttr importConstant(Attribute attribute, int64_t maxDense = 1024);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_CONVERSION_OPIMPORT_IMPORTCONSTANT_H
