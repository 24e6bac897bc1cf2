//===- Checkpoint.h - A checkpoint in one file or several -------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_SAFETENSORS_CHECKPOINT_H
#define QUANT_FLOAT_LIB_TARGET_SAFETENSORS_CHECKPOINT_H

#include "File.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include <set>

namespace mlir::quant_float::safetensors_import {

/// What config.json says of the layouts of weights, as far as the tensors do
/// not say it themselves.
struct Config {
  /// "gptq", "awq", "compressed-tensors" and so on; empty without one.
  std::string method;
  /// Of GPTQ: how zero points are stored, and of AWQ: for which kernel.
  std::string format;
  /// Those of a code that are possible.
  SmallVector<int64_t> bits;
  /// Rows and columns that share a scale; {0, 0} where there is nothing.
  std::pair<int64_t, int64_t> block = {0, 0};
  /// Those of elements that share a scale that are possible.
  SmallVector<int64_t> groups;
};

/// Whether a tensor is nothing but ComfyUI's format of a layer, by its name.
bool isLayerFormat(StringRef name);

class Checkpoint {
public:
  /// A file, or where the name ends in ".json" the index of several, and
  /// config.json beside it. What has no path has nothing beside it.
  LogicalResult read(StringRef bytes, std::shared_ptr<llvm::MemoryBuffer> owner,
                     Location loc, StringRef path);

  /// What config.json says, in `bytes`.
  LogicalResult readConfig(StringRef bytes, Location loc);

  ArrayRef<Tensor> getTensors() const { return tensors; }
  /// Null where there is none of that name.
  const Tensor *find(StringRef name) const { return byName.lookup(name); }
  const Config &getConfig() const { return config; }
  /// What ComfyUI calls the format of a layer's tensor; null where it does not.
  const std::string *getLayerFormat(StringRef tensor) const;

private:
  LogicalResult readIndex(StringRef bytes, Location loc, StringRef folder);
  LogicalResult readConfigFile(MLIRContext *context, StringRef folder);
  LogicalResult readFile(StringRef bytes,
                         std::shared_ptr<llvm::MemoryBuffer> owner,
                         Location loc);
  LogicalResult readLayerFormats();
  LogicalResult readLayerTable(StringRef text, const Subject &subject);
  /// Of the layers that a tensor may be of, those as long as one that is known.
  SmallVector<StringRef> getLayers(StringRef tensor) const;
  LogicalResult addLayerFormat(StringRef layer, const llvm::json::Value &value,
                               const Subject &subject);

  std::vector<Tensor> tensors;
  llvm::StringMap<const Tensor *> byName;
  Config config;
  /// By layer.
  llvm::StringMap<std::string> layerFormats;
  std::set<size_t> layerLengths;
  /// Layers of tables, which have to be those of tensors.
  std::vector<std::pair<std::string, Subject>> listedLayers;
  /// That of each file; its config is for where there is no config.json.
  std::vector<std::pair<Location, Metadata>> metadata;
};

} // namespace mlir::quant_float::safetensors_import

#endif // QUANT_FLOAT_LIB_TARGET_SAFETENSORS_CHECKPOINT_H
