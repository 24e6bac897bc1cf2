//===- Kernels.cpp - Compiled nodes of ONNX Runtime -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "quant-float-c/Opsets.h"
#include "quant-float-c/Runtime.h"
#include <map>
#include <mutex>

using namespace quant_float_ort;

static bool isPacked(int32_t dtype) {
  return dtype == QF_UINT4 || dtype == QF_INT4 || dtype == QF_FLOAT4E2M1;
}

int32_t quant_float_ort::getPassedDtype(int32_t dtype) {
  return isPacked(dtype) ? dtype | QF_PACKED : dtype;
}

/// Returns a type such as tensor<?x64xf32>. The last `numStatic` sizes are
/// static.
static std::string spellType(const TensorType &type, size_t numStatic) {
  std::string text = "tensor<";
  for (size_t i = 0; i < type.sizes.size(); ++i) {
    bool isStatic = type.sizes.size() - i <= numStatic;
    text += (isStatic ? std::to_string(type.sizes[i]) : "?") + "x";
  }
  return text + quantFloatDtypeGetMlirName(type.dtype) + ">";
}

static std::string declare(const TensorType &type, const std::string &spelled) {
  return isPacked(type.dtype) ? spelled + " {quant_float.packed}" : spelled;
}

/// Returns the attributes of a quantization in the syntax of its op.
static std::string spellGranularity(const Attributes &attributes,
                                    const TensorType &scale) {
  std::string text;
  if (!scale.sizes.empty())
    text += " axis " + std::to_string(attributes.axis);
  if (attributes.blockSize)
    text += " block_size " + std::to_string(attributes.blockSize);
  return text;
}

static std::string spellOpset() {
  return " opset " + std::to_string(quantFloatGetNewestOpset());
}

/// Returns the op in the syntax of the dialect, without types; nothing for
/// nodes.
static std::string spellOp(Operator op, const Attributes &attributes,
                           const std::vector<TensorType> &operands,
                           const std::string &names) {
  std::string saturate = attributes.saturate ? "" : " saturate false";
  switch (op) {
  case Operator::Cast:
    return "quant_float.cast " + names + spellOpset() + saturate;
  case Operator::QuantizeLinear: {
    std::string precision;
    if (attributes.precision)
      precision = std::string(" precision ") +
                  quantFloatDtypeGetMlirName(
                      static_cast<int32_t>(attributes.precision));
    return "quant_float.quantize " + names +
           spellGranularity(attributes, operands[1]) + spellOpset() + saturate +
           precision;
  }
  case Operator::DequantizeLinear:
    return "quant_float.dequantize " + names +
           spellGranularity(attributes, operands[1]) + spellOpset();
  case Operator::MatMulNBits:
    break;
  }
  return {};
}

/// Whether all sizes but the last one are 1.
static bool isVector(const TensorType &type) {
  for (size_t i = 0; i + 1 < type.sizes.size(); ++i)
    if (type.sizes[i] != 1)
      return false;
  return true;
}

/// Returns the module with the function of a node.
static std::string writeModule(Operator op, const Attributes &attributes,
                               const std::vector<TensorType> &operands,
                               const TensorType &result) {
  bool isNode = op == Operator::MatMulNBits;
  // A matvec has other code than a matmul whose number of rows is dynamic.
  size_t numLast = isVector(operands[0]) ? operands[0].sizes.size() : 1;
  std::string arguments, names, types, absent;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i].dtype) {
      absent += (absent.empty() ? "" : ", ") + std::to_string(i);
      continue;
    }
    // The sizes of weights and the K extent of activations are static.
    size_t numStatic = isNode ? (i ? operands[i].sizes.size() : numLast) : 0;
    std::string type = spellType(operands[i], numStatic);
    std::string name = "%a" + std::to_string(i);
    std::string separator = names.empty() ? "" : ", ";
    arguments += separator + name + ": " + declare(operands[i], type);
    names += separator + name;
    types += separator + type;
  }
  std::string made = spellType(result, isNode ? numLast : 0);
  std::string body;
  if (isNode) {
    auto spell = [](const char *name, int64_t value) {
      return std::string(name) + " = " + std::to_string(value) + " : i64";
    };
    body = "quant_float.node \"MatMulNBits\"(" + names +
           ") opset 1 domain \"com.microsoft\" attributes {" +
           spell("K", attributes.sizeK) + ", " + spell("N", attributes.sizeN) +
           ", " + spell("bits", attributes.bits) + ", " +
           spell("block_size", attributes.blockSize) + "}" +
           (absent.empty() ? "" : " absent [" + absent + "]") + " : (" + types +
           ") -> " + made;
  } else {
    body = spellOp(op, attributes, operands, names) + " : " + types + " to " +
           made;
  }
  return "func.func @node(" + arguments + ") -> (" + declare(result, made) +
         ") {\n  %0 = " + body + "\n  return %0 : " + made + "\n}\n";
}

/// Compiles a module. On failure returns null and sets `message`.
static decltype(Function::run) compile(const std::string &text,
                                       std::string &message) {
  QuantFloatError error = {};
  QuantFloatSession session = {};
  QuantFloatModel model = {};
  QuantFloatKernel kernel = {};
  decltype(Function::run) run = nullptr;
  QuantFloatStatus status = quantFloatSessionCreate(nullptr, &session, &error);
  if (status == QUANT_FLOAT_OK)
    status = quantFloatModelParse(session, QUANT_FLOAT_FORMAT_MLIR, text.data(),
                                  text.size(), nullptr, &model, &error);
  if (status == QUANT_FLOAT_OK)
    status = quantFloatModelCompile(model, nullptr, &kernel, &error);
  // The kernel stays for the rest of the process.
  if (status == QUANT_FLOAT_OK)
    status = quantFloatKernelGetFunctions(kernel, 0, &run, nullptr, &error);
  if (status != QUANT_FLOAT_OK) {
    message = quantFloatErrorGetMessage(error);
    (void)quantFloatErrorDestroy(error);
  }
  (void)quantFloatModelDestroy(model);
  (void)quantFloatSessionDestroy(session);
  return run;
}

std::optional<Function>
quant_float_ort::getFunction(Operator op, const Attributes &attributes,
                             const std::vector<TensorType> &operands,
                             const TensorType &result, std::string &message) {
  std::vector<TensorType> types = operands;
  Function function;
  // A scale of one element is per tensor, as in ONNX Runtime.
  bool isQuantization =
      op == Operator::QuantizeLinear || op == Operator::DequantizeLinear;
  if (isQuantization && !attributes.blockSize && types.size() > 1 &&
      types[1].sizes.size() == 1 && types[1].sizes[0] == 1) {
    function.hasScalarScale = true;
    for (size_t i = 1; i < types.size(); ++i)
      types[i].sizes.clear();
  }
  std::string text = writeModule(op, attributes, types, result);
  static std::mutex mutex;
  static auto *compiled = new std::map<std::string, decltype(Function::run)>;
  std::lock_guard<std::mutex> lock(mutex);
  auto found = compiled->find(text);
  if (found == compiled->end()) {
    decltype(Function::run) run = compile(text, message);
    if (!run)
      return std::nullopt;
    found = compiled->emplace(std::move(text), run).first;
  }
  function.run = found->second;
  return function;
}
