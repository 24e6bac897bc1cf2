//===- ByteWords.h - Bytes in words of products -----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_BYTEWORDS_H
#define QUANT_FLOAT_LIB_TRANSFORMS_BYTEWORDS_H

#include "ByteProducts.h"
#include "Codes.h"

namespace mlir::quant_float::dots {

/// What becomes of a factor's numbers: words of `width` bits each, which hold
/// number - zero point if that is `subtracted`, and then less `flipped`: 128,
/// or -128, which changes whether there are signs.
struct Form {
  unsigned width;
  bool isSigned, subtracted = false;
  int64_t flipped = 0;

  IntegerType getType(MLIRContext *context) const {
    return IntegerType::get(
        context, width, isSigned ? IntegerType::Signed : IntegerType::Unsigned);
  }
};

/// A constant factor, number by number.
class Constant {
public:
  /// None if the factor, or a zero point that has to be known, is no constant.
  static std::optional<Constant> get(const Factor &factor, bool needsPoint);

  ArrayRef<int64_t> getShape() const { return factor->getType().getShape(); }
  int64_t getCount() const { return factor->getType().getNumElements(); }
  /// number - zero point if that is to be `subtracted`.
  int64_t getNumber(int64_t flat, bool subtracted) const {
    int64_t number = read(bytes.bytes, flat, factor->isSigned);
    if (!subtracted)
      return number;
    if (!factor->point.operand)
      return number - factor->point.constant;
    int64_t at = factor->point.dim ? getIndex(flat, *factor->point.dim) : 0;
    return number - read(points->bytes, at, factor->point.isSigned);
  }
  int64_t getIndex(int64_t flat, unsigned dim) const {
    return flat / strides[dim] % getShape()[dim];
  }
  /// The words, in the factor's order.
  Value pack(OpBuilder &b, Location loc, const Form &form,
             const Grouping &grouping) const;
  /// What the packed numbers of each index of `dims` add up to.
  Value sum(OpBuilder &b, Location loc, const Form &form,
            ArrayRef<unsigned> dims) const;

private:
  Constant(const Factor &factor, ConstantBytes bytes)
      : factor(&factor), bytes(bytes) {}
  static int64_t read(ArrayRef<char> bytes, int64_t index, bool isSigned) {
    char byte = bytes[bytes.size() == 1 ? 0 : index];
    return isSigned ? int64_t(int8_t(byte)) : int64_t(uint8_t(byte));
  }
  Value make(OpBuilder &b, Location loc, ArrayRef<int64_t> shape,
             ArrayRef<uint32_t> words) const;

  const Factor *factor;
  ConstantBytes bytes;
  std::optional<ConstantBytes> points;
  SmallVector<int64_t> strides;
};

/// A byte as an i32.
Value extend(ImplicitLocOpBuilder &b, Value byte, bool isSigned);

Value makeInteger(ImplicitLocOpBuilder &b, int64_t number);

/// The factor as words, when the code runs. `loop` is that of the summed
/// elements.
Value packFactor(ImplicitLocOpBuilder &b, const Factor &factor,
                 const Form &form, const Grouping &grouping, unsigned loop);

} // namespace mlir::quant_float::dots

#endif // QUANT_FLOAT_LIB_TRANSFORMS_BYTEWORDS_H
