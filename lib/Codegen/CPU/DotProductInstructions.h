//===- DotProductInstructions.h - Integer dot products ----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_CPU_DOTPRODUCTINSTRUCTIONS_H
#define QUANT_FLOAT_LIB_CODEGEN_CPU_DOTPRODUCTINSTRUCTIONS_H

#include "../Common/WeightDecoding.h"
#include "quant-float/TargetInfo/MatrixInstruction.h"

namespace mlir::quant_float {

/// Returns the types in the attribute `quant_float.packed_operands`, or an
/// empty vector if the op has no valid one.
SmallVector<IntegerType> getDotTypes(Operation *op);

/// Chooses among the candidates that multiply integers of two types exactly:
/// instructions that accumulate byte products in saturated i16 are excluded.
/// There are none if `types` is empty.
MatrixInstructionChoice chooseMatrixInstruction(
    const LoweringTarget &target, ArrayRef<IntegerType> types,
    llvm::function_ref<bool(const MatrixInstruction &)> isCandidate);

/// Whether the operands of an instruction are swapped if the first one has the
/// type `first`.
bool isSwapped(const MatrixInstruction &instruction, IntegerType first);

/// A dot-product instruction for packed i32 operands.
class PackedDotProduct {
public:
  /// Returns the instruction for packed integers of the types of both operands.
  /// Returns nullopt if the target has none that accumulates the products
  /// exactly, or if `types` is empty.
  static std::optional<PackedDotProduct> get(const LoweringTarget &target,
                                             ArrayRef<IntegerType> types);

  /// Returns accumulator + lhs . rhs on vectors of i32 with any number of
  /// lanes.
  Value add(ImplicitLocOpBuilder &b, Value accumulator, Value lhs,
            Value rhs) const;
  /// Whether a separate instruction adds the products to the accumulator.
  bool hasSeparateAdd() const {
    return instruction->unit == MatrixUnit::LanePairs;
  }
  /// Returns lhs . rhs for one register. Requires hasSeparateAdd().
  Value multiply(ImplicitLocOpBuilder &b, Value lhs, Value rhs) const;
  int64_t getLanes() const { return instruction->n; }
  /// Returns the name of the intrinsic.
  StringRef getName() const { return instruction->name; }

private:
  PackedDotProduct(const MatrixInstruction &instruction, bool swapsOperands)
      : instruction(&instruction), swapsOperands(swapsOperands) {}

  VectorType getElements(Builder &b) const;

  const MatrixInstruction *instruction;
  /// Whether the operands are swapped, because the instruction expects the
  /// unsigned operand first and `rhs` is the unsigned one.
  bool swapsOperands;
};

/// Returns accumulator + lhs . rhs, computed with shifts and multiplications on
/// packed i32 operands. `types` are the result of getDotTypes().
Value addPackedProducts(ImplicitLocOpBuilder &b, Value accumulator, Value lhs,
                        Value rhs, ArrayRef<IntegerType> types);

/// Multiplies packed weights by integer activations and accumulates the
/// products in i32 lanes. Each packed i32 operand is first unpacked to fields:
/// vectors of elements of getWidth() bits with one quantized value each. Field
/// f holds the quantized values f, f + getFields(), ... of each i32, in order.
class DotProductInstructions {
public:
  /// Selects an instruction for vectors of `lanes` i32 lanes and activations of
  /// `xBits` bits.
  DotProductInstructions(const WeightContraction &contraction,
                         const LoweringTarget &target, int64_t lanes,
                         unsigned xBits);

  unsigned getWidth() const { return width; }
  unsigned getFields() const { return width / bits; }
  /// The difference between the integers in the fields and the values that they
  /// represent.
  int64_t getOffset() const;
  /// Unpacks a vector of i32 to fields.
  SmallVector<Value> spread(ImplicitLocOpBuilder &b, Value packed) const;
  /// Returns the number of fields that an add() may have, at least those of
  /// spread().
  int64_t getMaxFields() const;
  /// Returns accumulator + fields * x in i32. `x` is in the order of the
  /// fields.
  Value add(ImplicitLocOpBuilder &b, Value accumulator, ArrayRef<Value> fields,
            ArrayRef<Value> x) const;

private:
  /// Whether the quantized values are converted to signed bytes, which changes
  /// the offset by 128.
  bool isSigned() const;

  const EncodingValues &values;
  unsigned bits;
  const LoweringTarget &target;
  const MatrixInstruction *instruction = nullptr;
  unsigned width = 32;
  /// The largest integer in the fields.
  int64_t maxInteger;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_CPU_DOTPRODUCTINSTRUCTIONS_H
