//===- EntryPointInfo.h - Entry point metadata ------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_ENTRYPOINT_ENTRYPOINTINFO_H
#define QUANT_FLOAT_ENTRYPOINT_ENTRYPOINTINFO_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include <string>
#include <vector>

namespace mlir::quant_float {

/// The kernel's attribute that holds its EntryPointInfo.
constexpr llvm::StringLiteral kEntryPointAttrName = "quant_float.entry_point";
/// On kernels: run with subnormals taken for zero.
constexpr llvm::StringLiteral kFlushesSubnormalsAttrName =
    "quant_float.flushes_subnormals";
/// On arguments and results: the element type before storage replaced it.
constexpr llvm::StringLiteral kElementTypeAttrName = "quant_float.element_type";
/// On arguments and results of a type of 2, 4 or 6 bits: the caller's elements
/// are packed.
constexpr llvm::StringLiteral kPackedAttrName = "quant_float.packed";
/// On arguments and results: the value's name in the source model.
constexpr llvm::StringLiteral kNameAttrName = "quant_float.name";
/// On functions: the graph's name in the source model.
constexpr llvm::StringLiteral kGraphNameAttrName = "quant_float.graph_name";

/// One input or output of an entry point.
struct EntryPointArgument {
  /// Name in the source model; may be empty, may be any text.
  std::string name;
  /// The ONNX DataType number, with kPackedFlag where elements are packed.
  int32_t dtype = 0;
  /// -1 where the size is open.
  llvm::SmallVector<int64_t> sizes;
};

/// Two numbers that @f.sizes computes and that have to be equal.
struct EntryPointCheck {
  /// The input and the dimension that the second number is the size of; -1
  /// where it is of no input.
  int64_t input = -1;
  int64_t dimension = -1;
  /// What is compared; the whole message where `isAssertion`.
  std::string text;
  bool isAssertion = false;
};

/// What kernels that can fail return; from kKernelMessages on, that number of
/// EntryPointInfo::messages.
enum KernelStatus : int64_t {
  kKernelDone = 0,
  kKernelOutOfMemory = 1,
  kKernelMessages = 4
};

/// What of an entry point differs from another's with the same kernel.
struct EntryPointNames {
  std::string symbol;
  std::string graphName;
  /// Of inputs, then of outputs.
  std::vector<std::string> arguments;
  /// The place among the module's entry points.
  int64_t position = 0;
};

/// An entry point as its C function presents it.
struct EntryPointInfo {
  /// The C function.
  std::string symbol;
  /// The graph's name in the source model, if it had one.
  std::string graphName;
  llvm::SmallVector<EntryPointArgument> inputs;
  llvm::SmallVector<EntryPointArgument> outputs;
  /// What has to hold before the kernel runs; @f.sizes returns two numbers for
  /// each, after the sizes of results.
  std::vector<EntryPointCheck> checks;
  /// What the kernel may find wrong, and where.
  std::vector<std::string> messages;
  /// Whether there are strings: the kernel's last argument, an i64, is then the
  /// address of what Runtime/TextRuntime.c keeps of a run.
  bool hasTexts = false;
  /// Whether the kernel is @f.measure, whose output are the sizes of the
  /// others'.
  bool isMeasure = false;
  /// The place among the module's entry points, where some share a kernel.
  int64_t position = 0;
  /// Entry points that share this one's kernel, @f.sizes and @f.measure.
  std::vector<EntryPointNames> sharing;

  EntryPointNames getNames() const;
  /// The entry point that shares this one's kernel by these names.
  EntryPointInfo withNames(const EntryPointNames &names) const;
  /// Of @f.measure, which comes to `count` sizes.
  EntryPointInfo makeMeasure(int64_t count) const;
  DictionaryAttr toAttribute(MLIRContext *context) const;
  /// Of an op with the attribute; an error when it is not what toAttribute
  /// makes.
  static FailureOr<EntryPointInfo> get(Operation *op);
};

/// Bytes of one element in memory, for a string those of its offset; 0 for an
/// unknown type and a packed one.
int64_t getElementBytes(int32_t dtype);

/// Bits from one element in memory to the next; 0 for an unknown type.
int64_t getElementBits(int32_t dtype);

/// The entry points of a module, after quant-float-make-entry-points and at any
/// level below, in the module's order, without @f.measure. Malformed attributes
/// are errors.
FailureOr<std::vector<EntryPointInfo>> getEntryPoints(ModuleOp module);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_ENTRYPOINT_ENTRYPOINTINFO_H
