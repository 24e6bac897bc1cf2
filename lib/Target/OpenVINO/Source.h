//===- Source.h - What the dialect has no place for -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model that is to be written again keeps, in attributes, the XML of its
// layers: names of tensors, spellings, declared types, rt_info. What the module
// says by itself is there as well, and does not count.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_OPENVINO_SOURCE_H
#define QUANT_FLOAT_LIB_TARGET_OPENVINO_SOURCE_H
#include "Diagnostics.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <pugixml.hpp>

namespace mlir::quant_float::openvino_import {

/// Attributes with the element `net` without its layers and edges, of a module;
/// with an element `layer`, of an op, an argument and a result.
constexpr StringLiteral kModelSourceAttrName = "quant_float.openvino_model";
constexpr StringLiteral kLayerSourceAttrName = "quant_float.openvino_layer";
/// Of an argument, the sizes as the file has them.
constexpr StringLiteral kShapeAttrName = "quant_float.shape";

/// With a list of what is kept of each body, of an op: its element without
/// layers and edges, and attributes of arguments and results.
constexpr StringLiteral kBodiesSourceAttrName = "quant_float.openvino_bodies";
constexpr StringLiteral kBodyAttrName = "body",
                        kArgumentsAttrName = "arguments",
                        kResultsAttrName = "results";

/// The elements of a network that layers say themselves.
constexpr StringRef kGraph[] = {"layers", "edges"};
constexpr StringLiteral kBackEdgesElement = "back_edges";

/// The XML of the element, without children of these names.
StringAttr makeSource(MLIRContext *context, pugi::xml_node node,
                      ArrayRef<StringRef> leftOut = {});
/// What is kept of a body.
Attribute makeBodySource(MLIRContext *context, pugi::xml_node node,
                         ArrayRef<DictionaryAttr> arguments,
                         ArrayRef<DictionaryAttr> results);

/// Puts what is kept in the attribute, which is called `name`, behind the
/// children of `parent`, or an element of that name where `source` is null.
FailureOr<pugi::xml_node> appendSource(pugi::xml_node parent,
                                       const char *element, Attribute source,
                                       StringRef name, const Subject &subject);

} // namespace mlir::quant_float::openvino_import

#endif // QUANT_FLOAT_LIB_TARGET_OPENVINO_SOURCE_H
