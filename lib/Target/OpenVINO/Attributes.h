//===- Attributes.h - Attributes of layers ----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_OPENVINO_ATTRIBUTES_H
#define QUANT_FLOAT_LIB_TARGET_OPENVINO_ATTRIBUTES_H
#include "Diagnostics.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <pugixml.hpp>

namespace mlir::quant_float::openvino_import {

/// The operator's name where the file's spelling differs: types are looked up
/// without regard to letter case. Other types stay as they are.
StringRef getCanonicalType(StringRef type);

/// The attributes in a layer's element `data`. Those of known operators have
/// types: i64, f64, i1, lists of i64, element types; others are strings.
FailureOr<DictionaryAttr> importAttributes(StringRef layerType,
                                           pugi::xml_node data,
                                           const Subject &subject);

} // namespace mlir::quant_float::openvino_import

#endif // QUANT_FLOAT_LIB_TARGET_OPENVINO_ATTRIBUTES_H
