//===- Locations.h - What locations say of nodes ----------------*- C++ -*-===//
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

/// The place inside the function that an op came with, not that of the call.
Location stripCalls(Location loc);

/// The source model's name of the node there; empty if it has none.
StringRef getNodeName(Location loc);

/// The same place, with that behind the name.
Location appendToName(Location loc, const Twine &suffix);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_LOCATIONS_H
