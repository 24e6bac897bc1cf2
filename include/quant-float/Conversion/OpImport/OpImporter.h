//===- OpImporter.h - Conversion of ops to ONNX nodes -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts ops of unregistered dialects, such as stablehlo and torch, to ONNX
// nodes and ops of this dialect. The values of the function are builtin tensors
// already.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CONVERSION_OPIMPORT_OPIMPORTER_H
#define QUANT_FLOAT_CONVERSION_OPIMPORT_OPIMPORTER_H

#include "mlir/IR/BuiltinOps.h"
#include "quant-float/Conversion/NodeToQuantFloat/OnnxNodeBuilder.h"
#include "quant-float/Conversion/OpImport/UnregisteredOp.h"

namespace mlir::quant_float {

/// Options of an import that conversions read.
struct ImportOptions {
  /// Whether casts to f8E4M3FN saturate, infinities included.
  bool saturateE4M3FN = true;
};

/// Converts one op: holds its operands, and creates the nodes and ops that
/// replace it. All nodes have the newest known opset.
class OpImporter : public OnnxNodeBuilder {
public:
  OpImporter(Operation *op, ImplicitLocOpBuilder &b,
             const ImportOptions &options = {});

  UnregisteredOp op;
  ImportOptions options;
  /// The operands of the op.
  SmallVector<Value> inputs;
  /// The ONNX operator of the op's row in the table; empty if no single node
  /// replaces the op.
  StringRef onnxType;

  //===--------------------------------------------------------------------===//
  // Operands, results and attributes
  //===--------------------------------------------------------------------===//

  Type elementType(size_t index) const;
  /// Returns the type of an operand if it is a ranked tensor, or null.
  RankedTensorType getRanked(size_t index) const;
  Type resultType(size_t index = 0) const;
  Type resultElementType(size_t index = 0) const;

  // These fail with `unsupported` if the operand, result or attribute is not of
  // this kind.
  FailureOr<RankedTensorType> requireRanked(size_t index);
  FailureOr<RankedTensorType> requireRankedResult(size_t index = 0);
  FailureOr<int64_t> requireInt(StringRef attribute);
  FailureOr<SmallVector<int64_t>> requireInts(StringRef attribute);
  FailureOr<std::string> requireKeyword(StringRef attribute);
  /// Requires distinct axes of a tensor of this rank.
  LogicalResult requireAxes(StringRef what, ArrayRef<int64_t> axes,
                            int64_t rank);
  /// Fails and states the value of the attribute. `expected` completes
  /// "expected ...".
  LogicalResult unsupportedAttribute(StringRef attribute,
                                     const Twine &expected);

  //===--------------------------------------------------------------------===//
  // Construction of nodes
  //===--------------------------------------------------------------------===//

  /// Returns the size of a tensor along an axis, as a tensor of one i64.
  Value getSize(Value tensor, int64_t axis);
  /// Converts a tensor to another shape. At most the sizes that are static in
  /// `type` or equal to a size of `value` at the same position are known, apart
  /// from one.
  Value reshapeTo(Value value, RankedTensorType type);
  /// Transposes a tensor: axis i of the result is axis `order[i]` of `value`.
  Value transpose(Value value, ArrayRef<int64_t> order);
};

/// Creates the values that replace the results of an op. On failure, records
/// the reason (see OnnxNodeBuilder::unsupported).
using OpConversion = NodeResults (*)(OpImporter &);

/// A row of the table of a dialect's ops. Ops without a conversion are kept.
struct OpRow {
  /// The number of operands; `maxOperands` is negative if there is no maximum.
  int minOperands, maxOperands;
  int results;
  OpConversion conversion;
  StringRef onnxType;
};

/// Converts all ops of these dialects in the functions of a module. `findRow`
/// returns null for ops without a conversion. Ops in the regions of ops are
/// part of these. Emits an error for each op that cannot be converted, and
/// fails if there is one.
LogicalResult
importOps(ModuleOp module, ArrayRef<StringRef> dialects,
          llvm::function_ref<const OpRow *(UnregisteredOp)> findRow,
          const ImportOptions &options = {});

/// Declares the opset of the nodes as that of the module, if all have the same
/// and the module declares none, so that the module can be exported.
void declareOpset(ModuleOp module);

/// Changes the types of all values and function signatures of a module.
/// `convert` returns the new type of a value.
void convertValueTypes(ModuleOp module, llvm::function_ref<Type(Type)> convert);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_CONVERSION_OPIMPORT_OPIMPORTER_H
