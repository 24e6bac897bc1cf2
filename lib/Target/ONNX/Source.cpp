//===- Source.cpp - What the dialect has no place for ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Source.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace mlir::quant_float;

//===----------------------------------------------------------------------===//
// The rest of each message
//===----------------------------------------------------------------------===//
//
// What may be large, and what the module says by itself, is out of `from` while
// all else of it is copied.

static void copyRest(::onnx::GraphProto &from, ::onnx::GraphProto &to);

static void copyRest(const ::onnx::TensorProto &from, ::onnx::TensorProto &to) {
  if (from.has_name())
    to.set_name(from.name());
  if (from.has_doc_string())
    to.set_doc_string(from.doc_string());
  *to.mutable_metadata_props() = from.metadata_props();
  *to.mutable_unknown_fields() = from.unknown_fields();
}

static void copyRest(const ::onnx::SparseTensorProto &from,
                     ::onnx::SparseTensorProto &to) {
  copyRest(from.values(), *to.mutable_values());
  copyRest(from.indices(), *to.mutable_indices());
  *to.mutable_unknown_fields() = from.unknown_fields();
}

static void copyRest(::onnx::AttributeProto &from, ::onnx::AttributeProto &to) {
  auto copyList = [](auto &from, auto &to) {
    for (auto &element : from)
      copyRest(element, *to.Add());
  };
  if (from.has_name())
    to.set_name(from.name());
  if (from.has_ref_attr_name())
    to.set_ref_attr_name(from.ref_attr_name());
  if (from.has_doc_string())
    to.set_doc_string(from.doc_string());
  if (from.has_type())
    to.set_type(from.type());
  // Those of an op of the dialect may be of no effect, and so only here.
  if (from.has_i())
    to.set_i(from.i());
  if (from.has_t())
    copyRest(from.t(), *to.mutable_t());
  if (from.has_g())
    copyRest(*from.mutable_g(), *to.mutable_g());
  if (from.has_sparse_tensor())
    copyRest(from.sparse_tensor(), *to.mutable_sparse_tensor());
  if (from.has_tp())
    *to.mutable_tp() = from.tp();
  copyList(*from.mutable_tensors(), *to.mutable_tensors());
  copyList(*from.mutable_graphs(), *to.mutable_graphs());
  copyList(*from.mutable_sparse_tensors(), *to.mutable_sparse_tensors());
  *to.mutable_type_protos() = from.type_protos();
  *to.mutable_unknown_fields() = from.unknown_fields();
}

static void copyRest(::onnx::NodeProto &from, ::onnx::NodeProto &to) {
  ::onnx::NodeProto aside;
  aside.mutable_attribute()->Swap(from.mutable_attribute());
  to = from;
  to.clear_op_type();
  aside.mutable_attribute()->Swap(from.mutable_attribute());
  for (::onnx::AttributeProto &attribute : *from.mutable_attribute())
    copyRest(attribute, *to.add_attribute());
}

static void copyRest(::onnx::GraphProto &from, ::onnx::GraphProto &to) {
  ::onnx::GraphProto aside;
  auto swap = [&] {
    aside.mutable_node()->Swap(from.mutable_node());
    aside.mutable_initializer()->Swap(from.mutable_initializer());
    aside.mutable_sparse_initializer()->Swap(from.mutable_sparse_initializer());
  };
  swap();
  to = from;
  swap();
}

static void copyRest(::onnx::ModelProto &from, ::onnx::ModelProto &to) {
  ::onnx::GraphProto *graph = from.release_graph();
  to = from;
  from.set_allocated_graph(graph);
}

//===----------------------------------------------------------------------===//
// In attributes
//===----------------------------------------------------------------------===//

template <typename Message>
static void keep(Operation *op, StringRef attrName, Message &message) {
  Message rest;
  copyRest(message, rest);
  op->setAttr(attrName,
              StringAttr::get(op->getContext(), rest.SerializeAsString()));
}

void onnx_import::keepSource(Operation *op, ::onnx::ModelProto &model) {
  keep(op, kModelSourceAttrName, model);
}
void onnx_import::keepSource(Operation *op, ::onnx::GraphProto &graph) {
  keep(op, kGraphSourceAttrName, graph);
}
void onnx_import::keepSource(Operation *op, ::onnx::NodeProto &node) {
  keep(op, kNodeSourceAttrName, node);
}
void onnx_import::keepSource(Operation *op, ::onnx::TensorProto &tensor) {
  keep(op, kTensorSourceAttrName, tensor);
}
