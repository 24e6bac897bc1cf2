//===- CastCases.h - Cast cases ---------------------------------*- C++ -*-===//
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

/// A function to compile: a cast between two types with its attributes, on
/// tensors of one shape.
struct CastCase {
  Type from, to;
  int64_t opset = 28;
  /// Nullopt if the destination does not use the attribute.
  std::optional<bool> saturate;
  std::optional<reference::ScaleRounding> roundMode;
  SmallVector<int64_t> shape = {ShapedType::kDynamic};

  /// Returns a C identifier that describes all properties.
  std::string getName() const;
  reference::CastOptions getReferenceOptions() const;
  /// Returns the function as MLIR text.
  std::string print() const;
};

/// Returns cases for every ordered pair of element types: with both values of
/// saturate for destinations of float8 and f8E8M0FNU, with every round_mode for
/// the latter, and with an opset that has C4's exception for saturating FNUZ
/// formats.
std::vector<CastCase> makeAllPairs(MLIRContext &context);

/// Returns some casts of scalars, of static sizes around the vector sizes, and
/// of tensors with several dimensions.
std::vector<CastCase> makeShapes(MLIRContext &context);

/// Creates a module with one function per case.
OwningOpRef<ModuleOp> makeModule(ArrayRef<CastCase> cases,
                                 MLIRContext &context);

/// Returns the number of bytes of an element in memory.
size_t getSlotSize(Type type);

} // namespace mlir::quant_float::test

#endif // QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_CASTCASES_H
