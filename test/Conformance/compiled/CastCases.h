//===- CastCases.h - Every cast there is ------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_CASTCASES_H
#define QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_CASTCASES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "quant-float/Reference/Cast.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::quant_float::test {

/// One function to compile: a cast between two types with its attributes, on
/// tensors of one shape.
struct CastCase {
  Type from, to;
  int64_t opset = 28;
  /// Absent where the destination is not concerned.
  std::optional<bool> saturate;
  std::optional<reference::ScaleRounding> roundMode;
  SmallVector<int64_t> shape = {ShapedType::kDynamic};

  /// A C identifier that says all of the above.
  std::string getName() const;
  reference::CastOptions getReferenceOptions() const;
  /// The function as text.
  std::string print() const;
};

/// Every ordered pair of element types; with both values of saturate where the
/// destination is a float8 or f8E8M0FNU, every round_mode for the latter, and
/// an opset with C4's exception for the saturating FNUZ formats.
std::vector<CastCase> makeAllPairs(MLIRContext &context);

/// A few casts on scalars, on static sizes around those of vectors, and on
/// tensors of several dimensions.
std::vector<CastCase> makeShapes(MLIRContext &context);

/// A module of one function per case.
OwningOpRef<ModuleOp> makeModule(ArrayRef<CastCase> cases,
                                 MLIRContext &context);

/// Bytes of an element in memory.
size_t getSlotSize(Type type);

} // namespace mlir::quant_float::test

#endif // QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_CASTCASES_H
