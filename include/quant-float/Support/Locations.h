//===- Locations.h - Names of nodes in locations ----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_SUPPORT_LOCATIONS_H
#define QUANT_FLOAT_SUPPORT_LOCATIONS_H

#include "mlir/IR/Location.h"

namespace mlir::quant_float {

/// Returns the location without call sites: the location inside the function
/// that was inlined, not that of the call.
Location stripCalls(Location loc);

/// Returns the name of the node in the source model; empty if it has none.
StringRef getNodeName(Location loc);

/// Returns the same location with `suffix` appended to the name.
Location appendToName(Location loc, const Twine &suffix);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_LOCATIONS_H
