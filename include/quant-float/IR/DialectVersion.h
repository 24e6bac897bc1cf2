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

/// The version of the dialect that bytecode was written with. It is independent
/// of releases: a change to ops, attributes or types that a reader of older
/// files must handle increments the minor version and adds an upgrade step.
struct QuantFloatDialectVersion final : DialectVersion {
  constexpr QuantFloatDialectVersion(unsigned major, unsigned minor)
      : major(major), minor(minor) {}

  /// Returns the version that this library writes, which is the newest it
  /// reads.
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

/// Upgrades IR from one version to the next.
struct DialectUpgrade {
  /// The last version that needs this step.
  QuantFloatDialectVersion last;
  /// Emits an error and fails if something cannot be upgraded.
  LogicalResult (*apply)(Operation *topLevel);
};

/// Applies the steps that IR of version `from` needs. `upgrades` is sorted by
/// version.
LogicalResult applyUpgrades(Operation *topLevel,
                            const QuantFloatDialectVersion &from,
                            ArrayRef<DialectUpgrade> upgrades);

/// Registers the hooks that read and write the version in bytecode.
void addBytecodeInterface(Dialect &dialect);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_IR_DIALECTVERSION_H
