//===- CustomOps.cpp - Operators for ONNX Runtime -------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library for SessionOptions.register_custom_ops_library. It defines the
// operators Cast, QuantizeLinear, DequantizeLinear and MatMulNBits of the
// domain quant_float, with the attributes of ONNX's and com.microsoft's
// operators.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "quant-float-c/Runtime.h"
#include <array>
#include <memory>
#include <onnxruntime_c_api.h>

#if ORT_API_VERSION < 21
#error "the headers of ONNX Runtime 1.21 or later are required"
#endif

using namespace quant_float_ort;

namespace {

constexpr const char *kDomain = "quant_float";
constexpr size_t kMaxInputs = 6;

/// The API of the host, which stays the same.
const OrtApi *api = nullptr;

struct StatusDeleter {
  void operator()(OrtStatus *status) const { api->ReleaseStatus(status); }
};

struct InfoDeleter {
  void operator()(OrtTensorTypeAndShapeInfo *info) const {
    api->ReleaseTensorTypeAndShapeInfo(info);
  }
};
using Info = std::unique_ptr<OrtTensorTypeAndShapeInfo, InfoDeleter>;

/// Whether a call succeeded. Frees the status.
bool succeeds(OrtStatus *status) {
  std::unique_ptr<OrtStatus, StatusDeleter> owner(status);
  return !status;
}

OrtStatus *fail(const std::string &message) {
  return api->CreateStatus(ORT_INVALID_ARGUMENT,
                           ("quant_float: " + message).c_str());
}

/// The number of float4e2m1, which headers have since ONNX Runtime 1.24.
constexpr auto kFloat4E2M1 = static_cast<ONNXTensorElementDataType>(23);

/// ONNX Runtime's numbers of element types and those of EntryPoint.h. ONNX
/// Runtime has more types, which custom operators do not accept.
constexpr std::pair<ONNXTensorElementDataType, int32_t> kTypes[] = {
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, QF_FLOAT32},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8, QF_UINT8},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8, QF_INT8},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16, QF_UINT16},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16, QF_INT16},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32, QF_INT32},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, QF_INT64},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL, QF_BOOL},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16, QF_FLOAT16},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE, QF_FLOAT64},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32, QF_UINT32},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64, QF_UINT64},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16, QF_BFLOAT16},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN, QF_FLOAT8E4M3FN},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ, QF_FLOAT8E4M3FNUZ},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2, QF_FLOAT8E5M2},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ, QF_FLOAT8E5M2FNUZ},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT4, QF_UINT4},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4, QF_INT4},
    {kFloat4E2M1, QF_FLOAT4E2M1},
};

/// Returns the number in EntryPoint.h, or 0.
int32_t getDtype(ONNXTensorElementDataType type) {
  for (auto [theirs, ours] : kTypes)
    if (theirs == type)
      return ours;
  return 0;
}

/// Returns ONNX Runtime's number for a number in a model, or UNDEFINED.
ONNXTensorElementDataType getElementType(int64_t dtype) {
  for (auto [theirs, ours] : kTypes)
    if (ours == dtype)
      return theirs;
  return ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
}

/// An operator in the form that ONNX Runtime registers.
struct CustomOp : OrtCustomOp {
  Operator op = Operator::Cast;
  const char *name = nullptr;
  size_t numInputs = 0;
  size_t numRequired = 0;
};

/// A node of a session.
struct Node {
  Operator op;
  Attributes attributes;
};

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Reads the type and the sizes. Returns false if the element type is unknown.
bool readType(const OrtTensorTypeAndShapeInfo *info, TensorType &type) {
  ONNXTensorElementDataType element = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  size_t rank = 0;
  if (!succeeds(api->GetTensorElementType(info, &element)) ||
      !succeeds(api->GetDimensionsCount(info, &rank)))
    return false;
  type.dtype = getDtype(element);
  type.sizes.resize(rank);
  return succeeds(api->GetDimensions(info, type.sizes.data(), rank)) &&
         type.dtype;
}

/// Returns an integer attribute during type inference.
int64_t inferInteger(const OrtShapeInferContext *context, const char *name) {
  const OrtOpAttr *attribute = nullptr;
  int64_t value = 0;
  size_t size = 0;
  if (!succeeds(
          api->ShapeInferContext_GetAttribute(context, name, &attribute)) ||
      !attribute ||
      !succeeds(api->ReadOpAttr(attribute, ORT_OP_ATTR_INT, &value,
                                sizeof(value), &size)))
    return 0;
  return value;
}

/// Returns the type of an input during type inference, or UNDEFINED.
ONNXTensorElementDataType inferInput(const OrtShapeInferContext *context,
                                     size_t index) {
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  size_t count = 0;
  // The context owns it.
  OrtTensorTypeAndShapeInfo *info = nullptr;
  if (succeeds(api->ShapeInferContext_GetInputCount(context, &count)) &&
      index < count &&
      succeeds(api->ShapeInferContext_GetInputTypeShape(context, index, &info)))
    (void)succeeds(api->GetTensorElementType(info, &type));
  return type;
}

ONNXTensorElementDataType inferResult(Operator op,
                                      const OrtShapeInferContext *context) {
  auto given = [&](const char *name) {
    return getElementType(inferInteger(context, name));
  };
  auto either = [](ONNXTensorElementDataType first, auto second) {
    return first != ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED ? first : second();
  };
  switch (op) {
  case Operator::Cast:
    return given("to");
  case Operator::QuantizeLinear:
    return either(given("output_dtype"), [&] {
      return either(inferInput(context, 2),
                    [] { return ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8; });
    });
  case Operator::DequantizeLinear:
    return either(given("output_dtype"),
                  [&] { return inferInput(context, 1); });
  case Operator::MatMulNBits:
    return inferInput(context, 0);
  }
  return ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
}

/// The result has the sizes of the first input; of matmuls, the last one is N.
OrtStatus *ORT_API_CALL inferOutput(const OrtCustomOp *self,
                                    OrtShapeInferContext *context) {
  const auto *op = static_cast<const CustomOp *>(self);
  ONNXTensorElementDataType type = inferResult(op->op, context);
  if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED)
    return fail(std::string(op->name) +
                ": expected an element type of ONNX as type of the result");
  OrtTensorTypeAndShapeInfo *input = nullptr;
  if (OrtStatus *status =
          api->ShapeInferContext_GetInputTypeShape(context, 0, &input))
    return status;
  size_t rank = 0;
  if (OrtStatus *status = api->GetDimensionsCount(input, &rank))
    return status;
  std::vector<int64_t> sizes(rank);
  std::vector<const char *> names(rank);
  if (OrtStatus *status = api->GetDimensions(input, sizes.data(), rank))
    return status;
  if (OrtStatus *status = api->GetSymbolicDimensions(input, names.data(), rank))
    return status;
  if (op->op == Operator::MatMulNBits && rank) {
    sizes.back() = inferInteger(context, "N");
    names.back() = "";
  }
  OrtTensorTypeAndShapeInfo *made = nullptr;
  if (OrtStatus *status = api->CreateTensorTypeAndShapeInfo(&made))
    return status;
  Info owner(made);
  if (OrtStatus *status = api->SetTensorElementType(made, type))
    return status;
  if (OrtStatus *status = api->SetDimensions(made, sizes.data(), rank))
    return status;
  if (OrtStatus *status = api->SetSymbolicDimensions(made, names.data(), rank))
    return status;
  return api->ShapeInferContext_SetOutputTypeShape(context, 0, made);
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

void readInteger(const OrtKernelInfo *info, const char *name, int64_t &value) {
  int64_t read = 0;
  if (succeeds(api->KernelInfoGetAttribute_int64(info, name, &read)))
    value = read;
}

/// Checks an attribute that is an element type; 0 means that it is absent.
OrtStatus *checkType(const CustomOp *op, const char *name, int64_t value,
                     bool isRequired) {
  if ((!value && !isRequired) ||
      getElementType(value) != ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED)
    return nullptr;
  return fail(std::string(op->name) + ": expected an element type of ONNX as " +
              name + ", but got " + std::to_string(value));
}

OrtStatus *ORT_API_CALL createNode(const OrtCustomOp *self, const OrtApi *,
                                   const OrtKernelInfo *info, void **kernel) {
  const auto *op = static_cast<const CustomOp *>(self);
  auto node = std::make_unique<Node>();
  node->op = op->op;
  Attributes &attributes = node->attributes;
  readInteger(info, "to", attributes.to);
  readInteger(info, "saturate", attributes.saturate);
  readInteger(info, "axis", attributes.axis);
  readInteger(info, "block_size", attributes.blockSize);
  readInteger(info, "precision", attributes.precision);
  readInteger(info, "output_dtype", attributes.outputDtype);
  readInteger(info, "bits", attributes.bits);
  readInteger(info, "K", attributes.sizeK);
  readInteger(info, "N", attributes.sizeN);
  // ONNX Runtime continues if type inference fails.
  bool isCast = op->op == Operator::Cast;
  if (OrtStatus *status = checkType(op, "to", attributes.to, isCast))
    return status;
  if (OrtStatus *status =
          checkType(op, "output_dtype", attributes.outputDtype, false))
    return status;
  if (OrtStatus *status =
          checkType(op, "precision", attributes.precision, false))
    return status;
  *kernel = node.release();
  return nullptr;
}

void ORT_API_CALL destroyNode(void *kernel) {
  delete static_cast<Node *>(kernel);
}

/// The inputs of a call.
struct Inputs {
  std::vector<TensorType> types;
  std::vector<void *> data;
};

OrtStatus *readInputs(OrtKernelContext *context, const char *name,
                      Inputs &inputs) {
  size_t count = 0;
  if (OrtStatus *status = api->KernelContext_GetInputCount(context, &count))
    return status;
  for (size_t i = 0; i < count; ++i) {
    const OrtValue *value = nullptr;
    if (OrtStatus *status = api->KernelContext_GetInput(context, i, &value))
      return status;
    TensorType type;
    void *data = nullptr;
    if (value) {
      OrtTensorTypeAndShapeInfo *info = nullptr;
      if (OrtStatus *status = api->GetTensorTypeAndShape(value, &info))
        return status;
      Info owner(info);
      if (!readType(info, type))
        return fail(std::string(name) +
                    ": expected an element type of ONNX "
                    "as type of input " +
                    std::to_string(i));
      // Compiled code only reads inputs.
      if (OrtStatus *status =
              api->GetTensorMutableData(const_cast<OrtValue *>(value), &data))
        return status;
    }
    inputs.types.push_back(std::move(type));
    inputs.data.push_back(data);
  }
  while (!inputs.types.empty() && !inputs.types.back().dtype) {
    inputs.types.pop_back();
    inputs.data.pop_back();
  }
  return nullptr;
}

/// Returns the type of the result of a call, whose inputs exist.
TensorType getResult(const Node &node, const std::vector<TensorType> &types) {
  TensorType result = types[0];
  const Attributes &attributes = node.attributes;
  switch (node.op) {
  case Operator::Cast:
    result.dtype = static_cast<int32_t>(attributes.to);
    break;
  case Operator::QuantizeLinear:
    result.dtype = static_cast<int32_t>(attributes.outputDtype);
    if (!result.dtype)
      result.dtype = types.size() > 2 ? types[2].dtype : int32_t(QF_UINT8);
    break;
  case Operator::DequantizeLinear:
    result.dtype = static_cast<int32_t>(attributes.outputDtype);
    if (!result.dtype)
      result.dtype = types[1].dtype;
    break;
  case Operator::MatMulNBits:
    if (!result.sizes.empty())
      result.sizes.back() = attributes.sizeN;
    break;
  }
  return result;
}

const char *getName(Operator op) {
  constexpr const char *names[] = {"Cast", "QuantizeLinear", "DequantizeLinear",
                                   "MatMulNBits"};
  return names[static_cast<size_t>(op)];
}

OrtStatus *ORT_API_CALL computeNode(void *kernel, OrtKernelContext *context) {
  const auto &node = *static_cast<const Node *>(kernel);
  const char *name = getName(node.op);
  Inputs inputs;
  if (OrtStatus *status = readInputs(context, name, inputs))
    return status;
  size_t numRequired = node.op == Operator::Cast          ? 1
                       : node.op == Operator::MatMulNBits ? 3
                                                          : 2;
  if (inputs.types.size() < numRequired)
    return fail(std::string(name) + ": expected " +
                std::to_string(numRequired) + " inputs, but got " +
                std::to_string(inputs.types.size()));
  TensorType result = getResult(node, inputs.types);
  OrtValue *output = nullptr;
  if (OrtStatus *status = api->KernelContext_GetOutput(
          context, 0, result.sizes.data(), result.sizes.size(), &output))
    return status;
  void *data = nullptr;
  if (OrtStatus *status = api->GetTensorMutableData(output, &data))
    return status;

  std::string message;
  std::optional<Function> function =
      getFunction(node.op, node.attributes, inputs.types, result, message);
  if (!function)
    return fail(std::string(name) + ": " + message);
  std::vector<qf_tensor> tensors;
  for (size_t i = 0; i < inputs.types.size(); ++i) {
    const TensorType &type = inputs.types[i];
    if (!type.dtype)
      continue;
    size_t rank = i && function->hasScalarScale ? 0 : type.sizes.size();
    tensors.push_back({inputs.data[i], type.sizes.data(),
                       static_cast<int32_t>(rank), getPassedDtype(type.dtype)});
  }
  qf_tensor made = {data, result.sizes.data(),
                    static_cast<int32_t>(result.sizes.size()),
                    getPassedDtype(result.dtype)};
  std::array<char, 512> error = {};
  if (function->run(tensors.data(), &made, error.data(), error.size()))
    return fail(std::string(name) + ": " + error.data());
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

ONNXTensorElementDataType ORT_API_CALL getAnyType(const OrtCustomOp *, size_t) {
  return ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
}

OrtCustomOpInputOutputCharacteristic ORT_API_CALL
getInputCharacteristic(const OrtCustomOp *self, size_t index) {
  const auto *op = static_cast<const CustomOp *>(self);
  return index < op->numRequired ? INPUT_OUTPUT_REQUIRED
                                 : INPUT_OUTPUT_OPTIONAL;
}

CustomOp makeOperator(Operator op, size_t numRequired, size_t numInputs) {
  CustomOp made = {};
  made.op = op;
  made.name = getName(op);
  made.numRequired = numRequired;
  made.numInputs = numInputs;
  made.version = ORT_API_VERSION;
  made.GetName = [](const OrtCustomOp *self) {
    return static_cast<const CustomOp *>(self)->name;
  };
  made.GetExecutionProviderType = [](const OrtCustomOp *) -> const char * {
    return nullptr;
  };
  made.GetInputType = getAnyType;
  made.GetOutputType = getAnyType;
  made.GetInputTypeCount = [](const OrtCustomOp *self) {
    return static_cast<const CustomOp *>(self)->numInputs;
  };
  made.GetOutputTypeCount = [](const OrtCustomOp *) -> size_t { return 1; };
  made.GetInputCharacteristic = getInputCharacteristic;
  made.GetOutputCharacteristic = [](const OrtCustomOp *, size_t) {
    return INPUT_OUTPUT_REQUIRED;
  };
  made.GetInputMemoryType = [](const OrtCustomOp *, size_t) {
    return OrtMemTypeDefault;
  };
  made.GetVariadicInputMinArity = [](const OrtCustomOp *) { return 1; };
  made.GetVariadicInputHomogeneity = [](const OrtCustomOp *) { return 0; };
  made.GetVariadicOutputMinArity = [](const OrtCustomOp *) { return 1; };
  made.GetVariadicOutputHomogeneity = [](const OrtCustomOp *) { return 0; };
  made.CreateKernelV2 = createNode;
  made.KernelComputeV2 = computeNode;
  made.KernelDestroy = destroyNode;
  made.InferOutputShapeFn = inferOutput;
  made.GetStartVersion = [](const OrtCustomOp *) { return 1; };
  made.GetEndVersion = [](const OrtCustomOp *) { return 1; };
  return made;
}

} // namespace

/// Registers the operators in a session.
extern "C" __attribute__((visibility("default"))) OrtStatus *ORT_API_CALL
RegisterCustomOps(OrtSessionOptions *options, const OrtApiBase *base) {
  api = base->GetApi(ORT_API_VERSION);
  if (!api) {
    // All versions have the first one.
    api = base->GetApi(1);
    return fail(std::string("expected ONNX Runtime 1.") +
                std::to_string(ORT_API_VERSION) + " or later, but got " +
                base->GetVersionString());
  }
  static const std::array<CustomOp, 4> operators = {
      makeOperator(Operator::Cast, 1, 1),
      makeOperator(Operator::QuantizeLinear, 2, 3),
      makeOperator(Operator::DequantizeLinear, 2, 3),
      makeOperator(Operator::MatMulNBits, 3, kMaxInputs)};
  OrtCustomOpDomain *domain = nullptr;
  if (OrtStatus *status = api->CreateCustomOpDomain(kDomain, &domain))
    return status;
  // Sessions refer to the domain as long as they live, so it stays.
  for (const CustomOp &op : operators)
    if (OrtStatus *status = api->CustomOpDomain_Add(domain, &op))
      return status;
  return api->AddCustomOpDomain(options, domain);
}
