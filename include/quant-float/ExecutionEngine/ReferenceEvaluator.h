//===- ReferenceEvaluator.h - Reference evaluation --------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_EXECUTIONENGINE_REFERENCEEVALUATOR_H
#define QUANT_FLOAT_EXECUTIONENGINE_REFERENCEEVALUATOR_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "quant-float/ExecutionEngine/Tensor.h"
#include "quant-float/IR/QuantFloatOps.h"
#include <vector>

namespace mlir::quant_float {

/// Whether evaluateWithReference can run the function: one block of casts,
/// quantizations and constants on ranked tensors. Emits an error at
/// the first op that it cannot.
LogicalResult checkReferenceSupports(func::FuncOp function);

/// K4 and K5, of the sizes that only show at run time. A null shift is absent.
llvm::Error checkSizes(FakeConvertOp op, const Tensor &input,
                       const Tensor &scale, const Tensor *shift);

/// The function's results, computed by the Reference library element by
/// element. The function must be supported, and the inputs of the arguments'
/// types. Fails where the sizes of a scale or zero point, unknown until here,
/// do not fit (Q1).
llvm::Expected<std::vector<Tensor>>
evaluateWithReference(func::FuncOp function, ArrayRef<Tensor> inputs);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_EXECUTIONENGINE_REFERENCEEVALUATOR_H
