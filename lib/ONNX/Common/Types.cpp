//===- Types.cpp - ONNX types to MLIR types -------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Types.h"
#include "../../Interchange/Shapes.h"
#include "../Schemas/Schemas.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/QuantFloatTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

namespace {
// TensorProto.DataType of the complex types, which getTypeFromOnnxDataType does
// not convert.
constexpr int32_t kComplex64 = 14;
constexpr int32_t kComplex128 = 15;
} // namespace

Type onnx_import::getElementType(MLIRContext *context, int32_t dataType) {
  if (dataType == kComplex64)
    return ComplexType::get(Float32Type::get(context));
  if (dataType == kComplex128)
    return ComplexType::get(Float64Type::get(context));
  return getTypeFromOnnxDataType(context, dataType);
}

//===----------------------------------------------------------------------===//
// Spelling
//===----------------------------------------------------------------------===//

static std::string spellElement(MLIRContext *context, int32_t dataType) {
  if (dataType == 0)
    return "undefined";
  if (dataType == kComplex64)
    return "complex64";
  if (dataType == kComplex128)
    return "complex128";
  Type type = getTypeFromOnnxDataType(context, dataType);
  return type ? getOnnxTypeName(type).str() : std::to_string(dataType);
}

// Protobuf's recursion limit bounds the nesting of a parsed type.
std::string onnx_import::spell(MLIRContext *context,
                               const ::onnx::TypeProto &type) {
  switch (type.value_case()) {
  case ::onnx::TypeProto::kTensorType:
    return "tensor(" + spellElement(context, type.tensor_type().elem_type()) +
           ")";
  case ::onnx::TypeProto::kSparseTensorType:
    return "sparse_tensor(" +
           spellElement(context, type.sparse_tensor_type().elem_type()) + ")";
  case ::onnx::TypeProto::kSequenceType:
    return "seq(" + spell(context, type.sequence_type().elem_type()) + ")";
  case ::onnx::TypeProto::kOptionalType:
    return "optional(" + spell(context, type.optional_type().elem_type()) + ")";
  case ::onnx::TypeProto::kMapType:
    return "map(" + spellElement(context, type.map_type().key_type()) + "," +
           spell(context, type.map_type().value_type()) + ")";
  case ::onnx::TypeProto::kOpaqueType: {
    const auto &opaque = type.opaque_type();
    return "opaque(" + opaque.domain() + "," + opaque.name() + ")";
  }
  default:
    return "undefined";
  }
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

static FailureOr<Type> convertTensor(const ::onnx::TypeProto::Tensor &tensor,
                                     const Subject &subject) {
  MLIRContext *context = subject.loc.getContext();
  if (tensor.elem_type() == 0)
    return Type(UnknownType::get(context));
  Type elementType = getElementType(context, tensor.elem_type());
  if (!elementType)
    return diagnose(subject, Diag::UnknownElementType, tensor.elem_type());
  if (!tensor.has_shape())
    return Type(UnrankedTensorType::get(elementType));

  SmallVector<int64_t> dims;
  for (auto [index, dim] : llvm::enumerate(tensor.shape().dim())) {
    // The size is dynamic if the dimension has a symbolic name, no value, or
    // -1.
    bool dynamic = !dim.has_dim_value() || dim.dim_value() == -1;
    if (!dynamic && dim.dim_value() < 0)
      return diagnose(subject, Diag::NegativeDim, index, dim.dim_value());
    dims.push_back(dynamic ? ShapedType::kDynamic : dim.dim_value());
  }
  if (failed(checkShape<Diag>(dims, subject)))
    return failure();
  return Type(RankedTensorType::get(dims, elementType));
}

FailureOr<Type> onnx_import::convertType(const ::onnx::TypeProto &type,
                                         const Subject &subject) {
  MLIRContext *context = subject.loc.getContext();
  switch (type.value_case()) {
  case ::onnx::TypeProto::kTensorType:
    return convertTensor(type.tensor_type(), subject);
  case ::onnx::TypeProto::VALUE_NOT_SET:
    return Type(UnknownType::get(context));
  default:
    return Type(OpaqueType::get(context, spell(context, type)));
  }
}

std::optional<int32_t> onnx_import::getOnnxNumber(Type elementType) {
  if (auto complex = dyn_cast<ComplexType>(elementType)) {
    if (complex.getElementType().isF32())
      return kComplex64;
    if (complex.getElementType().isF64())
      return kComplex128;
    return std::nullopt;
  }
  return getOnnxDataType(elementType);
}

::onnx::TypeProto onnx_import::exportType(Type type) {
  // The nesting that protobuf accepts when it reads the type. The spelling in
  // textual IR can be nested arbitrarily.
  constexpr size_t kDeepest = 32;
  if (auto opaque = dyn_cast<OpaqueType>(type))
    return opaque.getSpelling().count('(') <= kDeepest
               ? parseType(opaque.getSpelling().str())
               : ::onnx::TypeProto();
  ::onnx::TypeProto proto;
  auto tensor = dyn_cast<TensorType>(type);
  std::optional<int32_t> number =
      tensor ? getOnnxNumber(tensor.getElementType()) : std::nullopt;
  if (!number)
    return proto;
  proto.mutable_tensor_type()->set_elem_type(*number);
  if (!tensor.hasRank())
    return proto;
  auto *shape = proto.mutable_tensor_type()->mutable_shape();
  for (int64_t size : tensor.getShape()) {
    auto *dim = shape->add_dim();
    if (!ShapedType::isDynamic(size))
      dim->set_dim_value(size);
  }
  return proto;
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

Type onnx_import::getTensorElementType(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  return tensor ? tensor.getElementType() : Type();
}
