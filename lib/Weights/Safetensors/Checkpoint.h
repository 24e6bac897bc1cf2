//===- Checkpoint.h - Checkpoints of one or several files -------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_WEIGHTS_SAFETENSORS_CHECKPOINT_H
#define QUANT_FLOAT_LIB_WEIGHTS_SAFETENSORS_CHECKPOINT_H

#include "File.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include <set>

namespace mlir::quant_float::safetensors_import {

/// The information of config.json about the layouts of weights that the tensors
/// alone do not determine.
struct Config {
  /// "gptq", "awq", "compressed-tensors" and so on; empty without a config.
  std::string method;
  /// For GPTQ: how zero points are stored. For AWQ: the kernel for which the
  /// weights are packed.
  std::string format;
  /// The possible numbers of bits of a quantized value.
  SmallVector<int64_t> bits;
  /// The number of rows and columns that share a scale; {0, 0} if not
  /// specified.
  std::pair<int64_t, int64_t> block = {0, 0};
  /// The possible numbers of elements that share a scale.
  SmallVector<int64_t> groups;
};

/// Whether a tensor, by its name, contains only ComfyUI's format of a layer.
bool isLayerFormat(StringRef name);

class Checkpoint {
public:
  /// Reads a file, or all files of an index if `path` ends in ".json", and then
  /// config.json in the same folder. If `path` is empty, reads no other files.
  LogicalResult read(StringRef bytes, std::shared_ptr<llvm::MemoryBuffer> owner,
                     Location loc, StringRef path);

  /// Parses `bytes`, the contents of config.json.
  LogicalResult readConfig(StringRef bytes, Location loc);

  ArrayRef<Tensor> getTensors() const { return tensors; }
  /// Returns null if there is no tensor of this name.
  const Tensor *find(StringRef name) const { return byName.lookup(name); }
  const Config &getConfig() const { return config; }
  /// Returns the name that ComfyUI gives to the format of a tensor's layer, or
  /// null if there is none.
  const std::string *getLayerFormat(StringRef tensor) const;

private:
  LogicalResult readIndex(StringRef bytes, Location loc, StringRef folder);
  LogicalResult readConfigFile(MLIRContext *context, StringRef folder);
  LogicalResult readFile(StringRef bytes,
                         std::shared_ptr<llvm::MemoryBuffer> owner,
                         Location loc);
  LogicalResult readLayerFormats();
  LogicalResult readLayerTable(StringRef text, const Subject &subject);
  /// Returns the names of the layers to which a tensor may belong, limited to
  /// the lengths of known layer names.
  SmallVector<StringRef> getLayers(StringRef tensor) const;
  LogicalResult addLayerFormat(StringRef layer, const llvm::json::Value &value,
                               const Subject &subject);

  std::vector<Tensor> tensors;
  llvm::StringMap<const Tensor *> byName;
  Config config;
  /// By layer.
  llvm::StringMap<std::string> layerFormats;
  std::set<size_t> layerLengths;
  /// The layers in the tables of the metadata, each of which must have a
  /// tensor.
  std::vector<std::pair<std::string, Subject>> listedLayers;
  /// The metadata of each file. Its config is used if there is no config.json.
  std::vector<std::pair<Location, Metadata>> metadata;
};

} // namespace mlir::quant_float::safetensors_import

#endif // QUANT_FLOAT_LIB_WEIGHTS_SAFETENSORS_CHECKPOINT_H
