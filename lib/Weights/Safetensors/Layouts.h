//===- Layouts.h - Recognition of quantized weights -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_WEIGHTS_SAFETENSORS_LAYOUTS_H
#define QUANT_FLOAT_LIB_WEIGHTS_SAFETENSORS_LAYOUTS_H

#include "../Common/WeightsModule.h"
#include "Checkpoint.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::quant_float::safetensors_import {

/// The encoding of NaN in f8E8M0FNU. Programs that add exponents treat it as a
/// number.
inline constexpr uint8_t kNanScale = 255;

/// The order of 4-bit values in a 32-bit integer of AWQ: the column at each
/// position of the integer, and the position of each column.
inline constexpr unsigned kAwqColumns[8] = {0, 2, 4, 6, 1, 3, 5, 7};
inline constexpr unsigned kAwqPositions[8] = {0, 4, 1, 5, 2, 6, 3, 7};

/// The maximum number of tensors of a weight in addition to its quantized
/// values.
inline constexpr unsigned kMaxParts = 6;

/// A row of the table of layouts.
struct Layout;

/// The layout of the weight whose quantized values are in a tensor, found by
/// the names and types of all tensors.
struct Match {
  const Layout *layout = nullptr;
  /// The common prefix of the names of the weight's tensors.
  StringRef prefix;
  /// The name's suffix of a part that is missing or has another type, and the
  /// types that it may have: "U8 or F8_E8M0".
  StringRef absent;
  std::string absentTypes;
  /// Without a layout: a tensor whose name marks it as a scale of this tensor,
  /// so that this one is not a plain tensor. `strayTypes` are the types that
  /// the scale would have in a layout of these quantized values. With a layout:
  /// a tensor that is not part of the layout.
  StringRef stray;
  std::string strayTypes;
};

/// Recognizes quantized weights by the names and types of tensors.
class LayoutFinder {
public:
  /// Adds a tensor. `isZero` is called for tensors that are zero points by
  /// their names. Zero points that are all 0 are ignored, because they have no
  /// effect.
  void add(StringRef name, DType dtype, int64_t count,
           llvm::function_ref<bool()> isZero);
  /// Finds all tensors that are parts of weights. Call after the last `add`.
  void findParts();
  Match match(StringRef name) const;
  /// Whether an importer does not read the tensor as a plain one.
  bool isWeightOrRefused(StringRef name) const;
  /// Whether the tensor is read as quantized values, but other tensors that
  /// refer to it do not belong to the layout.
  bool hasStray(StringRef name) const;

private:
  struct Entry {
    DType dtype;
    int64_t count;
  };
  const Entry *find(StringRef name) const;
  Match matchLayout(StringRef name) const;
  StringRef findStray(StringRef name, const Match &match) const;
  /// Returns a tensor that another layout requires for quantized values of this
  /// name and type.
  StringRef findOtherPart(StringRef name, const Match &match) const;
  std::string getTypes(StringRef name, StringRef part) const;

  llvm::StringMap<Entry> entries;
  /// The names of scales, by the tensor or module to which they belong.
  llvm::StringMap<std::vector<std::string>> scales;
  /// The names of zero points, by the tensor to which they belong if that
  /// contains quantized values.
  llvm::StringMap<std::vector<std::string>> zeroPoints;
  /// The names of all parts of weights except their quantized values.
  llvm::StringSet<> parts;
};

inline bool isZero(ArrayRef<char> bytes) {
  return llvm::all_of(bytes, [](char byte) { return byte == 0; });
}

/// Returns the tensor or module to which a tensor belongs as a scale, by its
/// name, or nullopt if it is not a scale.
std::optional<std::string> getScaleOwner(StringRef name);

/// Returns the tensor to which a tensor belongs as zero points, by its name.
/// That tensor may not contain quantized values, or may not exist.
std::optional<std::string> getZeroPointOwner(StringRef name);

/// Creates the module of all tensors. Returns null after an error diagnostic.
OwningOpRef<ModuleOp> importWeights(const Checkpoint &checkpoint, Location loc);

} // namespace mlir::quant_float::safetensors_import

#endif // QUANT_FLOAT_LIB_WEIGHTS_SAFETENSORS_LAYOUTS_H
