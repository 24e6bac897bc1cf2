//===- UnregisteredOp.h - Ops of unregistered dialects ----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads ops of dialects that are not registered, such as stablehlo and torch.
// MLIR parses them in the generic form. Attributes of such a dialect are opaque
// and are read as strings.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CONVERSION_OPIMPORT_UNREGISTEREDOP_H
#define QUANT_FLOAT_CONVERSION_OPIMPORT_UNREGISTEREDOP_H

#include "mlir/IR/Operation.h"
#include <optional>
#include <string>

namespace mlir::quant_float {

class UnregisteredOp {
public:
  explicit UnregisteredOp(Operation *op);

  Operation *getOperation() const { return op; }
  Operation *operator->() const { return op; }

  /// Returns the properties if they are no dictionary, or null. Bytecode of a
  /// compiler that registers the dialect stores the inherent attributes without
  /// their names, so they cannot be read.
  Attribute getUnreadableProperties() const;

  /// Returns the name without the dialect, such as "add" of "stablehlo.add".
  StringRef getName() const;

  /// Returns an inherent or a discardable attribute, or null.
  Attribute getAttribute(StringRef name) const { return attributes.get(name); }

  /// Returns all inherent and discardable attributes.
  ArrayRef<NamedAttribute> getAttributes() const {
    return attributes.getAttrs();
  }

  // These return none if the attribute is missing or is not of this kind.
  std::optional<int64_t> getInt(StringRef name) const;
  std::optional<bool> getFlag(StringRef name) const;
  std::optional<double> getFloat(StringRef name) const;
  /// Returns the elements of a list of integers or booleans: an array, a dense
  /// array, or a dense tensor in row-major order.
  std::optional<SmallVector<int64_t>> getInts(StringRef name) const;
  /// Returns the last word of an opaque attribute, such as "GE" of
  /// `#stablehlo<comparison_direction GE>`, or a string.
  std::optional<std::string> getKeyword(StringRef name) const;
  /// Returns the string between the angle brackets of an opaque attribute, such
  /// as "lhs_contracting_dimensions = [1]" of `#stablehlo.dot<...>`. `mnemonic`
  /// is the name of the attribute kind, such as "dot".
  std::optional<std::string> getText(StringRef name, StringRef mnemonic) const;

private:
  Operation *op;
  NamedAttrList attributes;
};

/// Returns the integers of "name = [1, 2]" in the string of an opaque
/// attribute. Returns an empty list if the name is missing, and none if the
/// list is malformed.
std::optional<SmallVector<int64_t>> readIntsFromString(StringRef text,
                                                       StringRef name);

/// Returns the attribute in the form in which MLIR prints it.
std::string printAttribute(Attribute attribute);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_CONVERSION_OPIMPORT_UNREGISTEREDOP_H
