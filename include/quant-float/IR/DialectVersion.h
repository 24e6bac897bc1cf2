//===- DialectVersion.h - Versions of the dialect's bytecode ----*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_DIALECTVERSION_H
#define QUANT_FLOAT_IR_DIALECTVERSION_H

#include "mlir/Bytecode/BytecodeImplementation.h"
#include <string>
#include <utility>

namespace mlir {
class Operation;
} // namespace mlir

namespace mlir::quant_float {

/// The version of the dialect that bytecode was written in. It counts the forms
/// of ops, attributes and types, not releases: a change that a reader of older
/// files must know about gets the next minor number, and an upgrade step.
struct QuantFloatDialectVersion final : DialectVersion {
  constexpr QuantFloatDialectVersion(unsigned major, unsigned minor)
      : major(major), minor(minor) {}

  /// What this library writes, and the newest it reads.
  static QuantFloatDialectVersion getCurrent() { return {0, 4}; }

  bool operator<(const QuantFloatDialectVersion &other) const {
    return std::make_pair(major, minor) <
           std::make_pair(other.major, other.minor);
  }
  std::string str() const {
    return std::to_string(major) + "." + std::to_string(minor);
  }

  unsigned major, minor;
};

/// Brings IR of one version to the next.
struct DialectUpgrade {
  /// The last version that needs it.
  QuantFloatDialectVersion last;
  /// Emits an error and fails where something has no newer form.
  LogicalResult (*apply)(Operation *topLevel);
};

/// Applies the steps, which are in the order of their versions, that IR of
/// `from` needs.
LogicalResult applyUpgrades(Operation *topLevel,
                            const QuantFloatDialectVersion &from,
                            ArrayRef<DialectUpgrade> upgrades);

/// The hooks through which bytecode carries its version.
void addBytecodeInterface(Dialect &dialect);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_IR_DIALECTVERSION_H
