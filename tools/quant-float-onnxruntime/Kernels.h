//===- Kernels.h - Compiled nodes of ONNX Runtime ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_ONNXRUNTIME_KERNELS_H
#define QUANT_FLOAT_TOOLS_ONNXRUNTIME_KERNELS_H

#include "quant-float-c/Compiler.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace quant_float_ort {

/// The operators of the domain quant_float.
enum class Operator { Cast, QuantizeLinear, DequantizeLinear, MatMulNBits };

/// The attributes of a node. Operators use those that they have.
struct Attributes {
  int64_t to = 0;
  int64_t saturate = 1;
  int64_t axis = 1;
  int64_t blockSize = 0;
  int64_t precision = 0;
  int64_t outputDtype = 0;
  int64_t bits = 4;
  int64_t sizeK = 0;
  int64_t sizeN = 0;
};

/// An operand or result: an element type of quant-float-c/EntryPoint.h without
/// QF_PACKED, and the sizes. Absent operands have the type 0.
struct TensorType {
  int32_t dtype = 0;
  std::vector<int64_t> sizes;
};

/// A compiled node. It lives as long as the process.
struct Function {
  int (*run)(const qf_tensor *inputs, qf_tensor *outputs, char *error,
             size_t errorSize) = nullptr;
  /// Whether per-tensor scales of one element are passed without dimensions.
  bool hasScalarScale = false;
};

/// Returns the number with which a type is passed: elements of 4 bits are
/// packed in ONNX Runtime.
int32_t getPassedDtype(int32_t dtype);

/// Returns the function for a node with operands of these types and a result of
/// this type. It is compiled at the first request; all nodes of the process
/// share it. Dynamic sizes make it independent of the sizes of operands, except
/// for those of weights and vectors. On failure returns nothing and sets
/// `message`.
std::optional<Function> getFunction(Operator op, const Attributes &attributes,
                                    const std::vector<TensorType> &operands,
                                    const TensorType &result,
                                    std::string &message);

} // namespace quant_float_ort

#endif // QUANT_FLOAT_TOOLS_ONNXRUNTIME_KERNELS_H
