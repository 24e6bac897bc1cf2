//===- Attributes.cpp - Node attributes -----------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Attributes.h"
#include "Types.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

using Proto = ::onnx::AttributeProto;

StringRef onnx_import::getKindName(AttributeKind kind) {
  switch (kind) {
  case Proto::FLOAT:
    return "a float";
  case Proto::INT:
    return "an int";
  case Proto::STRING:
    return "a string";
  case Proto::TENSOR:
    return "a tensor";
  case Proto::GRAPH:
    return "a graph";
  case Proto::SPARSE_TENSOR:
    return "a sparse tensor";
  case Proto::TYPE_PROTO:
    return "a type";
  case Proto::FLOATS:
    return "a list of floats";
  case Proto::INTS:
    return "a list of ints";
  case Proto::STRINGS:
    return "a list of strings";
  case Proto::TENSORS:
    return "a list of tensors";
  case Proto::GRAPHS:
    return "a list of graphs";
  case Proto::SPARSE_TENSORS:
    return "a list of sparse tensors";
  case Proto::TYPE_PROTOS:
    return "a list of types";
  default:
    return "nothing";
  }
}

static SmallVector<AttributeKind> getHeldKinds(const Proto &attribute) {
  SmallVector<AttributeKind> kinds;
  auto note = [&](bool held, AttributeKind kind) {
    if (held)
      kinds.push_back(kind);
  };
  note(attribute.has_f(), Proto::FLOAT);
  note(attribute.has_i(), Proto::INT);
  note(attribute.has_s(), Proto::STRING);
  note(attribute.has_t(), Proto::TENSOR);
  note(attribute.has_g(), Proto::GRAPH);
  note(attribute.has_sparse_tensor(), Proto::SPARSE_TENSOR);
  note(attribute.has_tp(), Proto::TYPE_PROTO);
  note(attribute.floats_size(), Proto::FLOATS);
  note(attribute.ints_size(), Proto::INTS);
  note(attribute.strings_size(), Proto::STRINGS);
  note(attribute.tensors_size(), Proto::TENSORS);
  note(attribute.graphs_size(), Proto::GRAPHS);
  note(attribute.sparse_tensors_size(), Proto::SPARSE_TENSORS);
  note(attribute.type_protos_size(), Proto::TYPE_PROTOS);
  return kinds;
}

FailureOr<AttributeKind> onnx_import::getKind(const Proto &attribute,
                                              const Subject &subject) {
  std::string name = printable(attribute.name());
  SmallVector<AttributeKind> held = getHeldKinds(attribute);
  AttributeKind kind = attribute.type();
  if (kind == Proto::UNDEFINED) {
    if (held.size() != 1)
      return diagnose(subject, Diag::NoAttributeType, name);
    return held.front();
  }
  if (held.size() > 1 || (held.size() == 1 && held.front() != kind))
    return diagnose(subject, Diag::AttributeFields, name, getKindName(kind));
  // Some writers omit a number that is 0 or a string that is empty. Other
  // single values have no default.
  bool needsValue = kind == Proto::TENSOR || kind == Proto::GRAPH ||
                    kind == Proto::SPARSE_TENSOR || kind == Proto::TYPE_PROTO;
  if (held.empty() && needsValue)
    return diagnose(subject, Diag::NoAttributeValue, name, getKindName(kind));
  return kind;
}

static FailureOr<Attribute> importSparse(::onnx::SparseTensorProto &tensor,
                                         TensorDecoder &decoder,
                                         const Subject &subject) {
  Builder builder(subject.loc.getContext());
  FailureOr<ElementsAttr> values = decoder.decode(
      *tensor.mutable_values(), "values", subject / "values", false);
  if (failed(values))
    return failure();
  FailureOr<ElementsAttr> indices = decoder.decode(
      *tensor.mutable_indices(), "indices", subject / "indices", false);
  if (failed(indices))
    return failure();
  SmallVector<int64_t> dims(tensor.dims().begin(), tensor.dims().end());
  return Attribute(builder.getDictionaryAttr(
      {builder.getNamedAttr("dims", builder.getDenseI64ArrayAttr(dims)),
       builder.getNamedAttr("indices", *indices),
       builder.getNamedAttr("values", *values)}));
}

/// Imports every element of a list with `import`.
template <typename List, typename Fn>
static FailureOr<Attribute> importList(List &list, MLIRContext *context,
                                       Fn import) {
  SmallVector<Attribute> elements;
  for (auto &element : list) {
    FailureOr<Attribute> imported = import(element);
    if (failed(imported))
      return failure();
    elements.push_back(*imported);
  }
  return Attribute(ArrayAttr::get(context, elements));
}

FailureOr<Attribute> onnx_import::importAttribute(Proto &attribute,
                                                  AttributeKind kind,
                                                  TensorDecoder &decoder,
                                                  const Subject &subject) {
  Builder builder(subject.loc.getContext());
  Subject here =
      subject / ("attribute '" + Twine(printable(attribute.name())) + "'");
  auto importTensor = [&](::onnx::TensorProto &tensor) -> FailureOr<Attribute> {
    StringRef name = tensor.name().empty() ? attribute.name() : tensor.name();
    FailureOr<ElementsAttr> elements =
        decoder.decode(tensor, name, here, /*consume=*/false);
    if (failed(elements))
      return failure();
    return Attribute(*elements);
  };
  auto importSparseTensor = [&](::onnx::SparseTensorProto &tensor) {
    return importSparse(tensor, decoder, here);
  };
  auto importType = [&](const ::onnx::TypeProto &type) -> FailureOr<Attribute> {
    FailureOr<Type> converted = convertType(type, here);
    if (failed(converted))
      return failure();
    return Attribute(TypeAttr::get(*converted));
  };

  switch (kind) {
  case Proto::FLOAT:
    return Attribute(builder.getF32FloatAttr(attribute.f()));
  case Proto::INT:
    return Attribute(builder.getI64IntegerAttr(attribute.i()));
  case Proto::STRING:
    return Attribute(builder.getStringAttr(attribute.s()));
  case Proto::TENSOR:
    return importTensor(*attribute.mutable_t());
  case Proto::SPARSE_TENSOR:
    return importSparseTensor(*attribute.mutable_sparse_tensor());
  case Proto::TYPE_PROTO:
    return importType(attribute.tp());
  case Proto::FLOATS:
    return Attribute(builder.getDenseF32ArrayAttr(
        ArrayRef(attribute.floats().data(), attribute.floats_size())));
  case Proto::INTS:
    return Attribute(builder.getDenseI64ArrayAttr(SmallVector<int64_t>(
        attribute.ints().begin(), attribute.ints().end())));
  case Proto::STRINGS:
    return Attribute(builder.getStrArrayAttr(SmallVector<StringRef>(
        attribute.strings().begin(), attribute.strings().end())));
  case Proto::TENSORS:
    return importList(*attribute.mutable_tensors(), builder.getContext(),
                      importTensor);
  case Proto::SPARSE_TENSORS:
    return importList(*attribute.mutable_sparse_tensors(), builder.getContext(),
                      importSparseTensor);
  case Proto::TYPE_PROTOS:
    return importList(*attribute.mutable_type_protos(), builder.getContext(),
                      importType);
  default:
    return diagnose(subject, Diag::NoAttributeType,
                    printable(attribute.name()));
  }
}

bool onnx_import::exportPlainAttribute(Attribute value, Proto &proto) {
  auto make = [&](AttributeKind kind, auto &&fill) {
    proto.set_type(kind);
    fill();
    return true;
  };
  return llvm::TypeSwitch<Attribute, bool>(value)
      .Case([&](FloatAttr number) {
        return make(Proto::FLOAT,
                    [&] { proto.set_f(number.getValue().convertToFloat()); });
      })
      .Case([&](IntegerAttr integer) {
        return make(Proto::INT, [&] {
          proto.set_i(isa<BoolAttr>(value) ? integer.getValue().getZExtValue()
                                           : integer.getInt());
        });
      })
      .Case([&](StringAttr string) {
        return make(Proto::STRING, [&] { proto.set_s(string.str()); });
      })
      .Case([&](DenseF32ArrayAttr floats) {
        return make(Proto::FLOATS, [&] {
          proto.mutable_floats()->Assign(floats.asArrayRef().begin(),
                                         floats.asArrayRef().end());
        });
      })
      .Case([&](DenseI64ArrayAttr ints) {
        return make(Proto::INTS, [&] {
          proto.mutable_ints()->Assign(ints.asArrayRef().begin(),
                                       ints.asArrayRef().end());
        });
      })
      .Case([&](ArrayAttr list) {
        bool isStrings = llvm::all_of(list, llvm::IsaPred<StringAttr>);
        return isStrings && !list.empty() && make(Proto::STRINGS, [&] {
                 proto.clear_strings();
                 for (auto string : list.getAsRange<StringAttr>())
                   proto.add_strings(string.str());
               });
      })
      .Default([](Attribute) { return false; });
}
