//===- TransposeConstant.h - Constants turned around ------------*- C++ -*-===//
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

/// The elements with their last two axes exchanged, packed where they are; null
/// where there are no two axes or the bytes are not here.
ElementsAttr transposeConstant(ElementsAttr elements);

/// The elements, where they are, with another shape of as many; null where the
/// attribute is of another kind.
ElementsAttr reshapeConstant(ElementsAttr elements, ArrayRef<int64_t> shape);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_IR_TRANSPOSECONSTANT_H
