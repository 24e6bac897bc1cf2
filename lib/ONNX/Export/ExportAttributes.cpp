//===- ExportAttributes.cpp - Export of attributes ------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Common/Attributes.h"
#include "../Common/Types.h"
#include "Exporter.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

using Proto = ::onnx::AttributeProto;

/// Returns the kind of the list, which is that of its elements. The kind of an
/// empty list is that of the source.
static AttributeKind getListKind(ArrayAttr list, AttributeKind source) {
  if (list.empty())
    return source == Proto::UNDEFINED ? Proto::STRINGS : source;
  if (llvm::all_of(list, llvm::IsaPred<StringAttr>))
    return Proto::STRINGS;
  if (llvm::all_of(list, llvm::IsaPred<ElementsAttr>))
    return Proto::TENSORS;
  if (llvm::all_of(list, llvm::IsaPred<TypeAttr>))
    return Proto::TYPE_PROTOS;
  if (llvm::all_of(list, llvm::IsaPred<DictionaryAttr>))
    return Proto::SPARSE_TENSORS;
  return Proto::UNDEFINED;
}

/// Returns the kind of attribute that represents the value; UNDEFINED if there
/// is none.
static AttributeKind findKind(Attribute value, AttributeKind source) {
  return llvm::TypeSwitch<Attribute, AttributeKind>(value)
      .Case([](IntegerAttr integer) {
        return integer.getType().isSignlessInteger(64) || isa<BoolAttr>(integer)
                   ? Proto::INT
                   : Proto::UNDEFINED;
      })
      .Case([](FloatAttr number) {
        return number.getType().isF32() ? Proto::FLOAT : Proto::UNDEFINED;
      })
      .Case([](StringAttr) { return Proto::STRING; })
      .Case([](DenseI64ArrayAttr) { return Proto::INTS; })
      .Case([](DenseF32ArrayAttr) { return Proto::FLOATS; })
      .Case([](ElementsAttr) { return Proto::TENSOR; })
      .Case([](TypeAttr) { return Proto::TYPE_PROTO; })
      .Case([](DictionaryAttr) { return Proto::SPARSE_TENSOR; })
      .Case([&](ArrayAttr list) { return getListKind(list, source); })
      .Default([](Attribute) { return Proto::UNDEFINED; });
}

/// Resizes the list. The remaining elements keep their contents.
template <typename List> static void resize(List &list, size_t size) {
  while (static_cast<size_t>(list.size()) > size)
    list.RemoveLast();
  while (static_cast<size_t>(list.size()) < size)
    list.Add();
}

LogicalResult Exporter::exportTensor(Attribute value,
                                     ::onnx::TensorProto &proto,
                                     const Subject &subject) {
  return encoder.encode(cast<ElementsAttr>(value), proto, subject,
                        /*mayBeExternal=*/false);
}

LogicalResult Exporter::exportSparse(DictionaryAttr value,
                                     ::onnx::SparseTensorProto &proto,
                                     const Subject &subject) {
  auto dims = value.getAs<DenseI64ArrayAttr>("dims");
  auto values = value.getAs<ElementsAttr>("values");
  auto indices = value.getAs<ElementsAttr>("indices");
  if (!dims || !values || !indices || value.size() != 3)
    return diagnose(
        subject, Diag::NoAttributeForm, "",
        "a dictionary with other keys than dims, indices and values");
  proto.mutable_dims()->Assign(dims.asArrayRef().begin(),
                               dims.asArrayRef().end());
  return success(
      succeeded(exportTensor(values, *proto.mutable_values(), subject)) &&
      succeeded(exportTensor(indices, *proto.mutable_indices(), subject)));
}

LogicalResult onnx_import::exportType(Type type, ::onnx::TypeProto &proto,
                                      const Subject &subject) {
  proto = exportType(type);
  if (isa<UnknownType>(type) ||
      proto.value_case() != ::onnx::TypeProto::VALUE_NOT_SET)
    return success();
  return diagnose(subject, Diag::NoOnnxType, type);
}

/// Keeps the declared type if it equals the value, because it may have symbolic
/// dimensions.
static LogicalResult exportTypeAttribute(Attribute value,
                                         ::onnx::TypeProto &proto,
                                         const Subject &subject) {
  Type type = cast<TypeAttr>(value).getValue();
  FailureOr<Type> existing = convertType(proto, subject);
  if (failed(existing))
    return failure();
  return *existing == type ? success() : exportType(type, proto, subject);
}

LogicalResult Exporter::exportAttribute(Attribute value, Proto &proto,
                                        const Subject &subject) {
  AttributeKind kind = findKind(value, proto.type());
  std::string name = printable(proto.name());
  if (kind == Proto::UNDEFINED) {
    std::string string;
    llvm::raw_string_ostream(string) << value;
    return diagnose(subject, Diag::NoAttributeForm, name, string);
  }
  // Only the name and the doc string of a source of another kind can be kept.
  if (proto.type() != kind) {
    Proto fresh;
    fresh.set_name(proto.name());
    if (proto.has_doc_string())
      fresh.set_doc_string(proto.doc_string());
    proto.Swap(&fresh);
  }
  proto.set_type(kind);
  Subject here = subject / ("attribute '" + Twine(name) + "'");
  auto exportList = [&](auto &list, auto exportElement) {
    ArrayRef<Attribute> elements = cast<ArrayAttr>(value).getValue();
    resize(list, elements.size());
    for (auto [element, proto] : llvm::zip_equal(elements, list))
      if (failed(exportElement(element, proto)))
        return failure();
    return success();
  };
  if (exportPlainAttribute(value, proto))
    return success();
  switch (kind) {
  case Proto::STRINGS:
    proto.clear_strings();
    return success();
  case Proto::TENSOR:
    return exportTensor(value, *proto.mutable_t(), here);
  case Proto::SPARSE_TENSOR:
    return exportSparse(cast<DictionaryAttr>(value),
                        *proto.mutable_sparse_tensor(), here);
  case Proto::TYPE_PROTO:
    return exportTypeAttribute(value, *proto.mutable_tp(), here);
  case Proto::TENSORS:
    return exportList(*proto.mutable_tensors(),
                      [&](Attribute element, ::onnx::TensorProto &tensor) {
                        return exportTensor(element, tensor, here);
                      });
  case Proto::SPARSE_TENSORS:
    return exportList(
        *proto.mutable_sparse_tensors(),
        [&](Attribute element, ::onnx::SparseTensorProto &tensor) {
          return exportSparse(cast<DictionaryAttr>(element), tensor, here);
        });
  case Proto::TYPE_PROTOS:
    return exportList(*proto.mutable_type_protos(),
                      [&](Attribute element, ::onnx::TypeProto &type) {
                        return exportTypeAttribute(element, type, here);
                      });
  default:
    // An empty list of graphs.
    return success();
  }
}
