//===- Locations.cpp - Names of nodes in locations ------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Support/Locations.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace mlir::quant_float;

Location quant_float::stripCalls(Location loc) {
  while (auto call = dyn_cast<CallSiteLoc>(loc))
    loc = call.getCallee();
  return loc;
}

StringRef quant_float::getNodeName(Location loc) {
  auto name = stripCalls(loc)->findInstanceOf<NameLoc>();
  return name ? name.getName().getValue() : StringRef();
}

Location quant_float::appendToName(Location loc, const Twine &suffix) {
  Location innermost = stripCalls(loc);
  auto name = innermost->findInstanceOf<NameLoc>();
  std::string nodeName = (getNodeName(loc) + suffix).str();
  return NameLoc::get(StringAttr::get(loc.getContext(), nodeName),
                      name ? name.getChildLoc() : innermost);
}
