//===- Layouts.h - Tensors that are a weight together -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_SAFETENSORS_LAYOUTS_H
#define QUANT_FLOAT_LIB_TARGET_SAFETENSORS_LAYOUTS_H

#include "../Common/WeightsModule.h"
#include "Checkpoint.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::quant_float::safetensors_import {

/// What f8E8M0FNU has as NaN, and programs that add exponents do not.
inline constexpr uint8_t kNanScale = 255;

/// By the place in a word of AWQ: the column whose code of 4 bits is there, and
/// the other way.
inline constexpr unsigned kAwqColumns[8] = {0, 2, 4, 6, 1, 3, 5, 7};
inline constexpr unsigned kAwqPlaces[8] = {0, 4, 1, 5, 2, 6, 3, 7};

/// Tensors of a weight beside its codes.
inline constexpr unsigned kMostParts = 6;

/// A row of the table of layouts.
struct Layout;

/// What a tensor is the codes of, by the names and types of all.
struct Match {
  const Layout *layout = nullptr;
  /// What names of the weight's tensors begin with.
  StringRef prefix;
  /// The end of the name of a part that is not there, or is of another type,
  /// and its types: "U8 or F8_E8M0".
  StringRef absent;
  std::string absentTypes;
  /// Where there is no layout: a tensor that is a scale by its name, so that
  /// this one is no plain tensor; and the types that it would have in a layout
  /// with these codes. With a layout: one that has no place in it.
  StringRef stray;
  std::string strayTypes;
};

/// Finds the weights among tensors, by names and types.
class LayoutFinder {
public:
  /// `isZero` is asked of a tensor that has zero points by its name: those that
  /// are all 0 change nothing.
  void add(StringRef name, DType dtype, int64_t count,
           llvm::function_ref<bool()> isZero);
  /// When all are added: finds those that are parts of weights.
  void findParts();
  Match match(StringRef name) const;
  /// Whether an importer would not read the tensor as a plain one.
  bool isWeightOrRefused(StringRef name) const;
  /// Whether it is read as codes, with other tensors that have no place there.
  bool hasStray(StringRef name) const;

private:
  struct Entry {
    DType dtype;
    int64_t count;
  };
  const Entry *find(StringRef name) const;
  Match matchLayout(StringRef name) const;
  StringRef findStray(StringRef name, const Match &match) const;
  /// A tensor that other codes of that name and type have to have.
  StringRef findOtherPart(StringRef name, const Match &match) const;
  std::string getTypes(StringRef name, StringRef part) const;

  llvm::StringMap<Entry> entries;
  /// Those that are scales of a tensor or module, by its name.
  llvm::StringMap<std::vector<std::string>> scales;
  /// Those that are zero points of a tensor, if that has codes.
  llvm::StringMap<std::vector<std::string>> zeroPoints;
  /// Those that are part of a weight beside its codes.
  llvm::StringSet<> parts;
};

inline bool isZero(ArrayRef<char> bytes) {
  return llvm::all_of(bytes, [](char byte) { return byte == 0; });
}

/// The tensor, or the module, whose scale a tensor is by its name; none where
/// it is no scale.
std::optional<std::string> getScaleOwner(StringRef name);

/// The tensor whose zero point a tensor is by its name, if there are codes of
/// that name.
std::optional<std::string> getZeroPointOwner(StringRef name);

/// The module of all tensors. Null after an error diagnostic.
OwningOpRef<ModuleOp> importWeights(const Checkpoint &checkpoint, Location loc);

} // namespace mlir::quant_float::safetensors_import

#endif // QUANT_FLOAT_LIB_TARGET_SAFETENSORS_LAYOUTS_H
