//===- Source.h - What the dialect has no place for -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model that is to be written again keeps, in attributes, the messages of its
// file without what the module says by itself: names of values, texts, declared
// types, metadata, functions, the order of attributes. What protobuf's schema
// does not know is kept as well.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_ONNX_SOURCE_H
#define QUANT_FLOAT_LIB_TARGET_ONNX_SOURCE_H

#include "mlir/IR/Operation.h"
#include <onnx/onnx_pb.h>

namespace mlir::quant_float::onnx_import {

/// Attributes with the rest of a ModelProto, of a module; of a GraphProto, of a
/// function; of a NodeProto, of any op, with the graphs of its bodies; of an
/// initializer's TensorProto, of a constant.
constexpr llvm::StringLiteral kModelSourceAttrName = "quant_float.onnx_model";
constexpr llvm::StringLiteral kGraphSourceAttrName = "quant_float.onnx_graph";
constexpr llvm::StringLiteral kNodeSourceAttrName = "quant_float.onnx_node";
constexpr llvm::StringLiteral kTensorSourceAttrName = "quant_float.onnx_tensor";

/// Gives `op` the rest of the message, which is the same afterwards.
void keepSource(Operation *op, ::onnx::ModelProto &model);
void keepSource(Operation *op, ::onnx::GraphProto &graph);
void keepSource(Operation *op, ::onnx::NodeProto &node);
void keepSource(Operation *op, ::onnx::TensorProto &tensor);

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_TARGET_ONNX_SOURCE_H
