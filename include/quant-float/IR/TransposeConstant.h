//===- TransposeConstant.h - Constant transposition -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_TRANSPOSECONSTANT_H
#define QUANT_FLOAT_IR_TRANSPOSECONSTANT_H

#include "mlir/IR/BuiltinAttributes.h"

namespace mlir::quant_float {

/// Returns the elements with their last two axes swapped; packed elements stay
/// packed. Null if there are fewer than two axes or the bytes are not
/// available.
ElementsAttr transposeConstant(ElementsAttr elements);

/// Returns the same elements, which are not copied, with another shape of the
/// same number of elements. Null if the kind of attribute does not support it.
ElementsAttr reshapeConstant(ElementsAttr elements, ArrayRef<int64_t> shape);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_IR_TRANSPOSECONSTANT_H
