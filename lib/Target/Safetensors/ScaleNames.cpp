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

/// "wscales" is one of w.
static bool isScaleWord(StringRef word) {
  return llvm::is_contained(kScaleWords, word) || word.ends_with("scale") ||
         word.ends_with("scales");
}

std::optional<std::string> safetensors_import::getScaleOwner(StringRef name) {
  // bitsandbytes has JSON behind it.
  if (size_t state = name.find(".quant_state."); state != StringRef::npos)
    return name.take_front(state).str();
  auto [path, leaf] = name.rsplit('.');
  if (leaf.empty())
    std::swap(path, leaf);
  SmallVector<StringRef> words, rest;
  leaf.split(words, '_', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  bool isScale = false;
  for (StringRef word : words) {
    std::string lower = word.lower();
    isScale |= isScaleWord(lower);
    if (!isScaleWord(lower) && !llvm::is_contained(kOtherWords, lower))
      rest.push_back(word);
  }
  auto has = [&](StringRef first, StringRef second) {
    return llvm::is_contained(words, first) &&
           llvm::is_contained(words, second);
  };
  isScale |=
      has("zero", "point") || has("zero", "points") || has("quant", "map");
  if (!isScale)
    return std::nullopt;
  if (rest.empty()) {
    // Those of ModelOpt's and Quark's modules.
    path.consume_back("_quantizer");
    return path.str();
  }
  return (path + (path.empty() ? "" : ".")).str() + llvm::join(rest, "_");
}
