//===- Source.h - Model data for re-export ----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If a model is to be exported again, attributes keep the parts of its protobuf
// messages that the module does not represent: names of values, doc strings,
// declared types, metadata, functions, the order of attributes, and fields
// unknown to the protobuf schema.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_ONNX_COMMON_SOURCE_H
#define QUANT_FLOAT_LIB_ONNX_COMMON_SOURCE_H

#include "Diagnostics.h"
#include "mlir/IR/Operation.h"
#include <onnx/onnx_pb.h>

namespace mlir::quant_float::onnx_import {

/// The attributes that keep the rest of a message: of the ModelProto on the
/// module, of a GraphProto on the function, of a NodeProto on any op (including
/// the graphs of its bodies), and of an initializer's TensorProto on its
/// constant.
constexpr llvm::StringLiteral kModelSourceAttrName = "quant_float.onnx_model";
constexpr llvm::StringLiteral kGraphSourceAttrName = "quant_float.onnx_graph";
constexpr llvm::StringLiteral kNodeSourceAttrName = "quant_float.onnx_node";
constexpr llvm::StringLiteral kTensorSourceAttrName = "quant_float.onnx_tensor";

/// Keeps the rest of the message as an attribute of `op`. The message is
/// modified temporarily and unchanged on return.
void keepSource(Operation *op, ::onnx::ModelProto &model);
void keepSource(Operation *op, ::onnx::GraphProto &graph);
void keepSource(Operation *op, ::onnx::NodeProto &node);
void keepSource(Operation *op, ::onnx::TensorProto &tensor);

/// Returns the description of an op in diagnostics: "node 'c1' (Cast)".
Subject describeOp(Operation *op);

/// Parses the message that the import stored in the attribute. Leaves `message`
/// as it is if the attribute is absent. Fails after an error if the attribute
/// is not a serialized message.
LogicalResult readSource(Operation *op, StringRef attrName,
                         google::protobuf::MessageLite &message);

/// The first IR version of ONNX whose models import opsets.
constexpr int64_t kFirstIrVersionWithOpsets = 3;
/// Returns the first IR version whose models can import this opset of ONNX's
/// own domain.
int64_t getFirstIrVersion(int64_t opset);

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_ONNX_COMMON_SOURCE_H
