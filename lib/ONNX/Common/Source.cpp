//===- Source.cpp - Model data for re-export ------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Source.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Support/Locations.h"
#include "quant-float/Support/Printable.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//
//
// Fields that can be large, and fields that the module represents, are moved
// out of `from` while the rest is copied.

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
  // An op of the dialect does not keep attributes that have no effect on it, so
  // the value of an int is stored here.
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
// Attributes
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

//===----------------------------------------------------------------------===//
// Helpers of the exporter and the opset converter
//===----------------------------------------------------------------------===//

Subject onnx_import::describeOp(Operation *op) {
  std::string name = printable(quant_float::getNodeName(op->getLoc()));
  Location loc = stripCalls(op->getLoc());
  auto node = dyn_cast<NodeOp>(op);
  std::string what =
      node ? printable(node.getOpType()) : op->getName().getStringRef().str();
  if (name.empty())
    return {loc, "op '" + what + "'"};
  if (isa<AnyConstantOp>(op) && !op->hasAttr(kNodeSourceAttrName))
    return {loc, "initializer '" + name + "'"};
  return {loc, "node '" + name + "' (" + what + ")"};
}

LogicalResult onnx_import::readSource(Operation *op, StringRef attrName,
                                      google::protobuf::MessageLite &message) {
  Attribute attribute = op->getAttr(attrName);
  if (!attribute)
    return success();
  auto serialized = dyn_cast<StringAttr>(attribute);
  if (serialized && message.ParseFromString(serialized.str()))
    return success();
  return diagnose(describeOp(op), Diag::BadSource, attrName);
}

int64_t onnx_import::getFirstIrVersion(int64_t opset) {
  static constexpr std::pair<int64_t, int64_t> kVersions[] = {
      {28, 14}, {25, 13}, {24, 12}, {23, 11}, {21, 10}, {19, 9},
      {15, 8},  {12, 7},  {11, 6},  {10, 5},  {0, 4}};
  for (auto [first, version] : kVersions)
    if (opset >= first)
      return version;
  return kFirstIrVersionWithOpsets;
}
