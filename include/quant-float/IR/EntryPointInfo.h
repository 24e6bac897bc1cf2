//===- EntryPointInfo.h - Entry point metadata ------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_ENTRYPOINTINFO_H
#define QUANT_FLOAT_IR_ENTRYPOINTINFO_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "quant-float/IR/CodegenAttributes.h"
#include "llvm/ADT/SmallVector.h"
#include <string>
#include <vector>

namespace mlir::quant_float {

/// The kernel's attribute that holds its EntryPointInfo.
constexpr llvm::StringLiteral kEntryPointAttrName = "quant_float.entry_point";
/// On arguments and results: the element type before the conversion to storage
/// types.
constexpr llvm::StringLiteral kElementTypeAttrName = "quant_float.element_type";
/// On arguments and results with elements of 2, 4 or 6 bits: the caller passes
/// packed elements.
constexpr llvm::StringLiteral kPackedAttrName = "quant_float.packed";
/// On arguments and results: the value's name in the source model.
constexpr llvm::StringLiteral kNameAttrName = "quant_float.name";
/// The message of the assertion that fails in a kernel that only computes the
/// sizes of its results.
constexpr llvm::StringLiteral kSizesOnlyMessage =
    "only the sizes of the results are computed";
/// On functions: the graph's name in the source model.
constexpr llvm::StringLiteral kGraphNameAttrName = "quant_float.graph_name";

/// One input or output of an entry point.
struct EntryPointArgument {
  /// The name in the source model: any string, possibly empty.
  std::string name;
  /// The qf_dtype number, combined with kPackedFlag if elements are packed.
  int32_t dtype = 0;
  /// The sizes; -1 for a dynamic size.
  llvm::SmallVector<int64_t> sizes;
};

/// A check that two sizes, which @f.sizes computes, are equal.
struct EntryPointCheck {
  /// The input and its dimension that the second size belongs to; -1 if it does
  /// not belong to an input.
  int64_t input = -1;
  int64_t dimension = -1;
  /// A description of the compared sizes, or the complete message if
  /// `isAssertion`.
  std::string message;
  bool isAssertion = false;
};

/// The status codes of kernels that can fail. Codes from kKernelMessages on are
/// an index into EntryPointInfo::messages plus kKernelMessages.
enum KernelStatus : int64_t {
  /// The kernel has computed the sizes of its results, and written no result.
  kKernelSizesComputed = -1,
  kKernelDone = 0,
  kKernelOutOfMemory = 1,
  kKernelMessages = 4
};

/// The properties that differ between entry points with a common kernel.
struct EntryPointNames {
  std::string symbol;
  std::string graphName;
  /// The names of the inputs, then of the outputs.
  std::vector<std::string> arguments;
  /// The position in the order of the module's entry points.
  int64_t position = 0;
};

/// An entry point as its C function presents it.
struct EntryPointInfo {
  /// The symbol name of the C function.
  std::string symbol;
  /// The graph's name in the source model; empty if it has none.
  std::string graphName;
  llvm::SmallVector<EntryPointArgument> inputs;
  llvm::SmallVector<EntryPointArgument> outputs;
  /// The checks to perform before the kernel runs. @f.sizes returns two sizes
  /// for each, after the sizes of the results.
  std::vector<EntryPointCheck> checks;
  /// The messages of errors that the kernel can detect.
  std::vector<std::string> messages;
  /// Whether the entry point uses strings. If so, the kernel's last argument,
  /// an i64, is the address of the string storage that
  /// Runtime/Entry/StringRuntime.c keeps for the call.
  bool hasStrings = false;
  /// Whether sizes of results depend on the contents of tensors. If so, the
  /// kernel's last arguments are a buffer of i64, which it writes all dynamic
  /// sizes of the results to, and an i64. If the latter is not 0, the kernel
  /// returns kKernelSizesComputed once it has written the sizes.
  bool hasDataDependentSizes = false;
  /// The position in the order of the module's entry points. Used if entry
  /// points share a kernel.
  int64_t position = 0;
  /// The other entry points that share this one's kernel and @f.sizes.
  std::vector<EntryPointNames> sharing;

  EntryPointNames getNames() const;
  /// Returns the entry point with these names that shares this one's kernel.
  EntryPointInfo withNames(const EntryPointNames &names) const;
  /// Returns the number of dynamic sizes of the results.
  int64_t getNumDynamicSizes() const;
  DictionaryAttr toAttribute(MLIRContext *context) const;
  /// Returns the entry point that the attribute of `op` describes. Emits an
  /// error if the attribute is malformed.
  static FailureOr<EntryPointInfo> get(Operation *op);
};

/// Returns the number of bytes of one element in memory; for a string, those of
/// its offset. Returns 0 for unknown and packed types.
int64_t getElementBytes(int32_t dtype);

/// Returns the distance of consecutive elements in memory in bits, or 0 for an
/// unknown type.
int64_t getElementBits(int32_t dtype);

/// Returns the entry points of a module after quant-float-make-entry-points, at
/// any later stage of the lowering, in the module's order. Emits an error for
/// malformed attributes.
FailureOr<std::vector<EntryPointInfo>> getEntryPoints(ModuleOp module);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_IR_ENTRYPOINTINFO_H
