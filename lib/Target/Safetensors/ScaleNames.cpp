//===- ScaleNames.cpp - Names that say a tensor is a scale ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs name what belongs to quantized values by the same words in many
// orders: `weight_scale_inv`, `scale_weight`, `weight.absmax`, `wscales`.
// Without the words the name is that of the tensor, or of the module where it
// has no others.
//
//===----------------------------------------------------------------------===//

#include "Layouts.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::safetensors_import;

/// Each makes a name one of scales, or of what is as necessary.
static constexpr StringRef kScaleWords[] = {
    "scale",  "scales",  "absmax",   "scb",       "qzeros",
    "qscale", "qscales", "codebook", "codebooks", "scaling"};

/// Words beside them that do not name a tensor.
static constexpr StringRef kOtherWords[] = {
    "inv", "2",      "global", "nested", "zero",    "zeros", "point",
    "map", "points", "quant",  "factor", "factors", "amax"};

/// Each makes a name that of zero points, where the rest of it is that of
/// codes: other tensors are moved as well.
static constexpr StringRef kZeroWords[] = {
    "zero",       "zeros",  "zp",      "zps",   "zeropoint",
    "zeropoints", "offset", "offsets", "shift", "shifts"};

/// "wscales" is one of w.
static bool isScaleWord(StringRef word) {
  return llvm::is_contained(kScaleWords, word) || word.ends_with("scale") ||
         word.ends_with("scales");
}

/// The owner by a name with a word of the kind, or that is one of it as a
/// whole.
static std::optional<std::string>
getOwner(StringRef name, llvm::function_ref<bool(StringRef)> isWord,
         llvm::function_ref<bool(ArrayRef<StringRef>)> isKind) {
  auto [path, leaf] = name.rsplit('.');
  if (leaf.empty())
    std::swap(path, leaf);
  SmallVector<StringRef> words, rest;
  leaf.split(words, '_', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  bool isFound = isKind(words);
  for (StringRef word : words) {
    std::string lower = word.lower();
    isFound |= isWord(lower);
    if (!isWord(lower) && !llvm::is_contained(kOtherWords, lower))
      rest.push_back(word);
  }
  if (!isFound)
    return std::nullopt;
  if (rest.empty()) {
    // Those of ModelOpt's and Quark's modules.
    path.consume_back("_quantizer");
    return path.str();
  }
  return (path + (path.empty() ? "" : ".")).str() + llvm::join(rest, "_");
}

std::optional<std::string> safetensors_import::getScaleOwner(StringRef name) {
  // bitsandbytes has JSON behind it.
  if (size_t state = name.find(".quant_state."); state != StringRef::npos)
    return name.take_front(state).str();
  return getOwner(name, isScaleWord, [](ArrayRef<StringRef> words) {
    auto has = [&](StringRef first, StringRef second) {
      return llvm::is_contained(words, first) &&
             llvm::is_contained(words, second);
    };
    return has("zero", "point") || has("zero", "points") || has("quant", "map");
  });
}

std::optional<std::string>
safetensors_import::getZeroPointOwner(StringRef name) {
  if (getScaleOwner(name))
    return std::nullopt;
  return getOwner(
      name, [](StringRef word) { return llvm::is_contained(kZeroWords, word); },
      [](ArrayRef<StringRef>) { return false; });
}
