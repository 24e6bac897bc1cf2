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

/// Checks that evaluateWithReference supports the function: one block of casts,
/// quantizations, fakeconverts and constants on ranked tensors. Emits an error
/// at the first unsupported op.
LogicalResult checkReferenceSupports(func::FuncOp function);

/// Checks sizes that are only known at run time (K4, K5). `shift` may be null.
llvm::Error checkSizes(FakeConvertOp op, const Tensor &input,
                       const Tensor &scale, const Tensor *shift);

/// Returns the results of the function, which the Reference library computes
/// element by element. The function must be supported, and the inputs must have
/// the argument types. Returns an error if dynamic sizes of a scale, a zero
/// point or random bits are invalid (Q1).
llvm::Expected<std::vector<Tensor>>
evaluateWithReference(func::FuncOp function, ArrayRef<Tensor> inputs);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_EXECUTIONENGINE_REFERENCEEVALUATOR_H
