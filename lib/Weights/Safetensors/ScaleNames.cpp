//===- ScaleNames.cpp - Recognition of scales by name ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs name the scales and zero points of quantized values by the same
// words in different orders: `weight_scale_inv`, `scale_weight`,
// `weight.absmax`, `wscales`. Without these words, the name is that of the
// tensor, or of the module if no word is left.
//
//===----------------------------------------------------------------------===//

#include "Layouts.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::safetensors_import;

/// A name with one of these words is that of scales, or of other data that
/// dequantization requires.
static constexpr StringRef kScaleWords[] = {
    "scale",  "scales",  "absmax",   "scb",       "qzeros",
    "qscale", "qscales", "codebook", "codebooks", "scaling"};

/// Words of such names that are not part of the tensor's name either.
static constexpr StringRef kOtherWords[] = {
    "inv", "2",      "global", "nested", "zero",    "zeros", "point",
    "map", "points", "quant",  "factor", "factors", "amax"};

/// A name with one of these words is that of zero points, if the rest of it is
/// the name of quantized values. Other tensors may have offsets and shifts too.
static constexpr StringRef kZeroWords[] = {
    "zero",       "zeros",  "zp",      "zps",   "zeropoint",
    "zeropoints", "offset", "offsets", "shift", "shifts"};

/// For example, "wscales" are the scales of w.
static bool isScaleWord(StringRef word) {
  return llvm::is_contained(kScaleWords, word) || word.ends_with("scale") ||
         word.ends_with("scales");
}

/// Returns the owner if `isWord` accepts one of the words of the name, or
/// `isKind` accepts all words together.
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
    // Modules of ModelOpt and Quark have this suffix.
    path.consume_back("_quantizer");
    return path.str();
  }
  return (path + (path.empty() ? "" : ".")).str() + llvm::join(rest, "_");
}

std::optional<std::string> safetensors_import::getScaleOwner(StringRef name) {
  // The names of bitsandbytes's JSON continue after this.
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
