//===- Source.h - XML attributes of the dialect -----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If a model is to be exported again, ops keep the XML of their layers in
// attributes: tensor names, spellings, declared types, rt_info. The XML also
// has properties that the ops represent; for those, the ops take precedence.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_OPENVINO_COMMON_SOURCE_H
#define QUANT_FLOAT_LIB_OPENVINO_COMMON_SOURCE_H
#include "Diagnostics.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <pugixml.hpp>

namespace mlir::quant_float::openvino_import {

/// Attributes that contain XML: of a module, the element `net` without its
/// layers and edges; of an op, an argument or a result, an element `layer`.
constexpr StringLiteral kModelSourceAttrName = "quant_float.openvino_model";
constexpr StringLiteral kLayerSourceAttrName = "quant_float.openvino_layer";
/// The attribute of an argument with the file's shape.
constexpr StringLiteral kShapeAttrName = "quant_float.shape";

/// The attribute of an op with a list of dictionaries, one for each body: its
/// element without layers and edges, and the attributes of its arguments and
/// results.
constexpr StringLiteral kBodiesSourceAttrName = "quant_float.openvino_bodies";
constexpr StringLiteral kBodyAttrName = "body",
                        kArgumentsAttrName = "arguments",
                        kResultsAttrName = "results";

/// The elements of a network that the ops represent.
constexpr StringRef kGraph[] = {"layers", "edges"};
constexpr StringLiteral kBackEdgesElement = "back_edges";

/// Returns the XML of an element, without children of the names in `leftOut`.
StringAttr makeSource(MLIRContext *context, pugi::xml_node node,
                      ArrayRef<StringRef> leftOut = {});
/// Returns the dictionary of a body for kBodiesSourceAttrName.
Attribute makeBodySource(MLIRContext *context, pugi::xml_node node,
                         ArrayRef<DictionaryAttr> arguments,
                         ArrayRef<DictionaryAttr> results);

/// Appends the element in the attribute `source` to the children of `parent`,
/// or a new element if `source` is null. `name` is the attribute's name in
/// diagnostics. Emits an error if the attribute does not contain XML of such an
/// element.
FailureOr<pugi::xml_node> appendSource(pugi::xml_node parent,
                                       const char *element, Attribute source,
                                       StringRef name, const Subject &subject);

} // namespace mlir::quant_float::openvino_import

#endif // QUANT_FLOAT_LIB_OPENVINO_COMMON_SOURCE_H
