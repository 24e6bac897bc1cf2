//===- Requantize.h - Codes to codes, in integers ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_REQUANTIZE_H
#define QUANT_FLOAT_LIB_TRANSFORMS_REQUANTIZE_H

#include "mlir/IR/Builders.h"
#include "quant-float/Transforms/Passes.h"
#include "llvm/ADT/APInt.h"
#include <optional>

namespace mlir::quant_float {

/// What becomes of every code of a type: `codes[c]` of the one whose bits are
/// c.
struct CodeMap {
  Type from, to;
  SmallVector<APInt> codes;

  bool isIdentity() const;
  /// The first code that becomes another number or, if there is none, another
  /// code.
  uint64_t findChange() const;
};

/// floor((code * multiplier + addend) / 2^shift), held between the least and
/// the greatest code of a map.
struct MultiplyShift {
  int64_t multiplier, addend;
  unsigned shift;
  int64_t least, greatest;
};

/// How a map is computed.
struct Requantization {
  enum Kind { Identity, Clip, Table, MultiplyShift };
  Kind kind;
  quant_float::MultiplyShift steps = {};
};

/// The cheapest way that `form` allows and that ops of this opset of ONNX can
/// say. A multiplication has a product of 31 bits, of 63 for codes of 16 bits,
/// and gives what the map says for each of its codes. Otherwise what is in the
/// way, and a code that shows it.
std::optional<Requantization> chooseRequantization(const CodeMap &map,
                                                   RequantizationForm form,
                                                   int64_t opset,
                                                   std::string &error);

/// The ops that do so.
Value buildRequantization(OpBuilder &builder, Location loc, Value codes,
                          const CodeMap &map, const Requantization &way,
                          int64_t opset);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_REQUANTIZE_H
