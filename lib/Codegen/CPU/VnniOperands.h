//===- VnniOperands.h - Operands in VNNI layout -----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_CPU_VNNIOPERANDS_H
#define QUANT_FLOAT_LIB_CODEGEN_CPU_VNNIOPERANDS_H

#include "../../Transforms/RewriteUtils.h"
#include "ByteContractions.h"

namespace mlir::quant_float::dots {

/// How the elements of an operand are packed: into fields of `width` bits that
/// hold element - zero point if `subtracted`, else the element, minus
/// `flipped`. `flipped` is 128 or -128 and toggles the signedness of the field.
struct Form {
  unsigned width;
  bool isSigned, subtracted = false;
  int64_t flipped = 0;

  IntegerType getType(MLIRContext *context) const {
    return IntegerType::get(
        context, width, isSigned ? IntegerType::Signed : IntegerType::Unsigned);
  }
};

/// A constant operand, whose elements are read one by one.
class Constant {
public:
  /// Returns nullopt if the operand is not constant, or if `needsPoint` is set
  /// and its zero point is not.
  static std::optional<Constant> get(const ByteOperand &byteOperand,
                                     bool needsPoint);

  ArrayRef<int64_t> getShape() const {
    return byteOperand->getType().getShape();
  }
  int64_t getCount() const { return byteOperand->getType().getNumElements(); }
  /// Returns the element at a linear index, minus its zero point if
  /// `subtracted`.
  int64_t getNumber(int64_t flat, bool subtracted) const {
    int64_t number = read(bytes.bytes, flat, byteOperand->isSigned);
    if (!subtracted)
      return number;
    if (!byteOperand->point.operand)
      return number - byteOperand->point.constant;
    int64_t at =
        byteOperand->point.dim ? getIndex(flat, *byteOperand->point.dim) : 0;
    return number - read(points->bytes, at, byteOperand->point.isSigned);
  }
  int64_t getIndex(int64_t flat, unsigned dim) const {
    return flat / strides[dim] % getShape()[dim];
  }
  /// Returns the packed constant, with the dimensions in the order of
  /// `ByteOperand::order`.
  Value pack(OpBuilder &b, Location loc, const Form &form,
             const Grouping &grouping) const;
  /// Returns the sums of the packed elements over all dimensions other than
  /// `dims`.
  Value sum(OpBuilder &b, Location loc, const Form &form,
            ArrayRef<unsigned> dims) const;

private:
  Constant(const ByteOperand &byteOperand, ConstantBytes bytes)
      : byteOperand(&byteOperand), bytes(bytes) {}
  static int64_t read(ArrayRef<char> bytes, int64_t index, bool isSigned) {
    char byte = bytes[bytes.size() == 1 ? 0 : index];
    return isSigned ? int64_t(int8_t(byte)) : int64_t(uint8_t(byte));
  }
  Value make(OpBuilder &b, Location loc, ArrayRef<int64_t> shape,
             ArrayRef<uint32_t> packed) const;

  const ByteOperand *byteOperand;
  ConstantBytes bytes;
  std::optional<ConstantBytes> points;
  SmallVector<int64_t> strides;
};

/// Extends a byte to i32.
Value extend(ImplicitLocOpBuilder &b, Value byte, bool isSigned);

Value makeInteger(ImplicitLocOpBuilder &b, int64_t number);

/// Packs the operand at run time. `loop` is the reduction loop whose elements
/// are packed together.
Value packOperand(ImplicitLocOpBuilder &b, const ByteOperand &byteOperand,
                  const Form &form, const Grouping &grouping, unsigned loop);

} // namespace mlir::quant_float::dots

#endif // QUANT_FLOAT_LIB_CODEGEN_CPU_VNNIOPERANDS_H
