//===- Checkpoint.cpp - Checkpoints of one or several files ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checkpoint.h"
#include "Json.h"
#include "quant-float/Support/InputFile.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <map>
#include <set>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::safetensors_import;

namespace json = llvm::json;
namespace path = llvm::sys::path;

static std::string getPathInFolder(StringRef folder, StringRef name) {
  SmallString<256> result(folder);
  path::append(result, name);
  return std::string(result);
}

/// Whether a name is a file name without a folder. Symbolic links are followed,
/// because caches of models are folders of links.
static bool isFileName(StringRef name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(StringRef("/\\\0", 3)) == StringRef::npos;
}

LogicalResult Checkpoint::readFile(StringRef bytes,
                                   std::shared_ptr<llvm::MemoryBuffer> owner,
                                   Location loc) {
  Metadata &found = metadata.emplace_back(loc, Metadata()).second;
  return parseFile(bytes, std::move(owner), loc, tensors, found);
}

LogicalResult Checkpoint::readIndex(StringRef bytes, Location loc,
                                    StringRef folder) {
  Subject index{loc, ""};
  FailureOr<json::Object> object = parseJson(bytes, index);
  if (failed(object))
    return failure();
  const json::Object *map = object->getObject("weight_map");
  if (!map)
    return diagnose(index, Diag::NoWeightMap);
  std::map<std::string, std::set<std::string>> shards;
  for (const auto &[name, value] : *map) {
    std::optional<StringRef> shard = value.getAsString();
    if (!shard)
      return diagnose(index, Diag::NoWeightMap);
    shards[shard->str()].insert(StringRef(name).str());
  }
  for (const auto &[shard, names] : shards) {
    if (!isFileName(shard))
      return diagnose(index, Diag::ShardPath, printable(shard));
    std::string file = getPathInFolder(folder, shard);
    Location shardLoc = FileLineColLoc::get(loc.getContext(), file, 0, 0);
    auto opened = openRegularFile(file);
    if (!opened)
      return diagnose(Subject{shardLoc, ""}, Diag::CannotOpen,
                      llvm::toString(opened.takeError()));
    std::shared_ptr<llvm::MemoryBuffer> buffer = std::move(*opened);
    size_t before = tensors.size();
    if (failed(readFile(buffer->getBuffer(), buffer, shardLoc)))
      return failure();
    std::set<std::string> absent = names;
    for (const Tensor &tensor : ArrayRef(tensors).drop_front(before))
      if (!absent.erase(tensor.name))
        return diagnose(tensor.subject, Diag::NotInIndex);
    if (!absent.empty())
      return diagnose(index / ("tensor '" + printable(*absent.begin()) + "'"),
                      Diag::NotInShard, printable(shard));
  }
  return success();
}

namespace {
/// Reads the members of a quantization_config.
class ConfigReader {
public:
  ConfigReader(Config &config, const Subject &subject)
      : config(config), subject(subject) {}

  LogicalResult read(const json::Object &object);

private:
  LogicalResult refuse(StringRef key, StringRef expected,
                       const json::Value *value) {
    return diagnose(subject, Diag::BadConfig, key, expected, spell(value));
  }
  LogicalResult readString(const json::Object &object, StringRef key,
                           std::string &contents);
  LogicalResult readBits(const json::Object &object, StringRef key);
  LogicalResult readBlock(const json::Object &object, StringRef key);
  LogicalResult readGroup(const json::Object &object);

  Config &config;
  const Subject &subject;
};
} // namespace

LogicalResult ConfigReader::readString(const json::Object &object,
                                       StringRef key, std::string &contents) {
  const json::Value *value = object.get(key);
  if (!value || value->getAsNull())
    return success();
  std::optional<StringRef> found = value->getAsString();
  if (!found)
    return refuse(key, "a string", value);
  contents = found->str();
  return success();
}

LogicalResult ConfigReader::readBits(const json::Object &object,
                                     StringRef key) {
  const json::Value *value = object.get(key);
  if (!value || value->getAsNull())
    return success();
  std::optional<int64_t> bits = value->getAsInteger();
  if (!bits || *bits < 1 || *bits > 64)
    return refuse(key, "1 to 64", value);
  if (!llvm::is_contained(config.bits, *bits))
    config.bits.push_back(*bits);
  return success();
}

LogicalResult ConfigReader::readBlock(const json::Object &object,
                                      StringRef key) {
  const json::Value *value = object.get(key);
  if (!value || value->getAsNull())
    return success();
  std::optional<SmallVector<int64_t>> sizes = getSizes(value);
  if (!sizes || sizes->size() != 2 || (*sizes)[0] == 0 || (*sizes)[1] == 0)
    return refuse(key, "rows and columns", value);
  config.block = {(*sizes)[0], (*sizes)[1]};
  return success();
}

LogicalResult ConfigReader::readGroup(const json::Object &object) {
  const json::Value *value = object.get("group_size");
  if (!value || value->getAsNull())
    return success();
  std::optional<int64_t> size = value->getAsInteger();
  if (!size || *size < -1)
    return refuse("group_size", "-1 or more", value);
  // A size of -1, for groups of entire rows, needs no search.
  if (*size > 0 && !llvm::is_contained(config.groups, *size))
    config.groups.push_back(*size);
  return success();
}

LogicalResult ConfigReader::read(const json::Object &object) {
  if (failed(readString(object, "quant_method", config.method)) ||
      failed(readString(
          object, config.method == "awq" ? "version" : "checkpoint_format",
          config.format)) ||
      failed(readBits(object, "bits")) || failed(readGroup(object)) ||
      failed(readBlock(object, "weight_block_size")))
    return failure();
  const json::Value *groups = object.get("config_groups");
  if (!groups)
    return success();
  const json::Object *byName = groups->getAsObject();
  if (!byName)
    return refuse("config_groups", "an object", groups);
  for (const auto &[name, group] : *byName) {
    const json::Object *scheme = group.getAsObject();
    const json::Object *weights =
        scheme ? scheme->getObject("weights") : nullptr;
    if (weights && (failed(readBits(*weights, "num_bits")) ||
                    failed(readGroup(*weights)) ||
                    failed(readBlock(*weights, "block_structure"))))
      return failure();
  }
  // The iteration order of LLVM's object is unspecified.
  llvm::sort(config.bits);
  return success();
}

LogicalResult Checkpoint::readConfigFile(MLIRContext *context,
                                         StringRef folder) {
  std::string file = getPathInFolder(folder, "config.json");
  Location loc = FileLineColLoc::get(context, file, 0, 0);
  if (!llvm::sys::fs::exists(file))
    return readConfig("{}", loc);
  auto opened = openRegularFile(file);
  if (!opened)
    return diagnose(Subject{loc, ""}, Diag::CannotOpen,
                    llvm::toString(opened.takeError()));
  return readConfig((*opened)->getBuffer(), loc);
}

LogicalResult Checkpoint::readConfig(StringRef bytes, Location loc) {
  Subject subject{loc, ""};
  FailureOr<json::Object> object = parseJson(bytes, subject);
  if (failed(object))
    return failure();
  for (StringRef key : {"quantization_config", "compression_config"})
    if (const json::Object *found = object->getObject(key))
      return ConfigReader(config, subject).read(*found);
  std::optional<json::Value> first;
  for (const auto &[fileLoc, stored] : metadata) {
    if (!stored.config)
      continue;
    Subject file{fileLoc, "__metadata__"};
    FailureOr<json::Object> found = parseJson(*stored.config, file);
    if (failed(found))
      return failure();
    if (!first && failed(ConfigReader(config, file).read(*found)))
      return failure();
    json::Value value(std::move(*found));
    if (first && *first != value)
      return diagnose(file, Diag::OtherConfig, spell(&*first), spell(&value));
    first = std::move(value);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// ComfyUI
//===----------------------------------------------------------------------===//

/// The suffix of the tensor that contains the format of a layer.
static constexpr StringRef kFormatSuffix = ".comfy_quant";

/// A layer's name is the tensor's name without its last component. Metadata may
/// omit leading components. The longest name is first. A long name has many
/// possible suffixes, so only those of a known length are returned.
SmallVector<StringRef> Checkpoint::getLayers(StringRef tensor) const {
  SmallVector<StringRef> layers;
  StringRef path = tensor.rsplit('.').first;
  for (size_t length : llvm::reverse(layerLengths)) {
    if (length == 0 || length > path.size())
      continue;
    StringRef before = path.drop_back(length);
    if (before.empty() || before.ends_with("."))
      layers.push_back(path.take_back(length));
  }
  return layers;
}

LogicalResult Checkpoint::addLayerFormat(StringRef layer,
                                         const json::Value &value,
                                         const Subject &subject) {
  auto refuse = [&](const Twine &expected, const Twine &got) {
    return diagnose(subject, Diag::BadLayerFormat,
                    "layer '" + printable(layer) + "'", expected.str(),
                    got.str());
  };
  const json::Object *object = value.getAsObject();
  std::optional<StringRef> format =
      object ? object->getString("format") : value.getAsString();
  if (!format)
    return refuse("an object with a string 'format'", spell(&value));
  std::string description = format->str();
  // Members that are null count as missing.
  auto find = [](const json::Object &part, StringRef key) {
    const json::Value *found = part.get(key);
    return found && !found->getAsNull() ? found : nullptr;
  };
  SmallVector<const json::Object *> parts;
  if (object) {
    parts.push_back(object);
    if (const json::Value *params = find(*object, "params")) {
      if (!params->getAsObject())
        return refuse("an object as 'params'", spell(params));
      parts.push_back(params->getAsObject());
    }
  }
  // `convrot` rotates weights before quantization.
  for (const json::Object *part : parts) {
    const json::Value *rotates = find(*part, "convrot");
    if (rotates && !rotates->getAsBoolean())
      return refuse("true or false as 'convrot'", spell(rotates));
    if (rotates && *rotates->getAsBoolean())
      description = format->str() + " with convrot";
  }
  layerLengths.insert(layer.size());
  auto [known, isNew] = layerFormats.insert({layer, description});
  if (!isNew && known->second != description)
    return refuse("'" + printable(known->second) +
                      "', as elsewhere in the checkpoint",
                  "'" + printable(description) + "'");
  return success();
}

LogicalResult Checkpoint::readLayerTable(StringRef contents,
                                         const Subject &subject) {
  FailureOr<json::Object> object = parseJson(contents, subject);
  if (failed(object))
    return failure();
  const json::Object *layers = object->getObject("layers");
  if (!layers)
    return diagnose(subject, Diag::BadLayerFormat, "layers", "an object",
                    spell(object->get("layers")));
  // The iteration order of LLVM's object is unspecified.
  SmallVector<StringRef> keys;
  for (const auto &entry : *layers)
    keys.push_back(entry.first);
  llvm::sort(keys);
  for (StringRef layer : keys) {
    if (failed(addLayerFormat(layer, *layers->get(layer), subject)))
      return failure();
    listedLayers.emplace_back(layer.str(), subject);
  }
  return success();
}

LogicalResult Checkpoint::readLayerFormats() {
  for (const auto &[loc, file] : metadata)
    if (file.layers &&
        failed(readLayerTable(*file.layers,
                              Subject{loc, "_quantization_metadata"})))
      return failure();
  llvm::StringSet<> named;
  for (const Tensor &tensor : tensors)
    if (!isLayerFormat(tensor.name))
      for (StringRef layer : getLayers(tensor.name))
        named.insert(layer);
  for (const auto &[layer, subject] : listedLayers)
    if (!named.contains(layer))
      return diagnose(subject, Diag::BadLayerFormat,
                      "layer '" + printable(layer) + "'",
                      "the layer of a tensor", "no tensor of this name");
  for (const Tensor &tensor : tensors) {
    StringRef layer = tensor.name;
    if (!layer.consume_back(kFormatSuffix))
      continue;
    if (tensor.dtype != DType::U8)
      return diagnose(tensor.subject, Diag::BadLayerFormat,
                      "layer '" + printable(layer) + "'", "U8",
                      getName(tensor.dtype));
    ArrayRef<char> bytes = tensor.bytes.data;
    FailureOr<json::Object> object =
        parseJson(StringRef(bytes.data(), bytes.size()), tensor.subject);
    if (failed(object) ||
        failed(addLayerFormat(layer, std::move(*object), tensor.subject)))
      return failure();
  }
  return success();
}

bool safetensors_import::isLayerFormat(StringRef name) {
  return name.ends_with(kFormatSuffix);
}

const std::string *Checkpoint::getLayerFormat(StringRef tensor) const {
  for (StringRef layer : getLayers(tensor))
    if (auto found = layerFormats.find(layer); found != layerFormats.end())
      return &found->second;
  return nullptr;
}

LogicalResult Checkpoint::read(StringRef bytes,
                               std::shared_ptr<llvm::MemoryBuffer> owner,
                               Location loc, StringRef path) {
  // Without a path, the folder is empty.
  StringRef folder = path::parent_path(path);
  if (path.ends_with(".json")) {
    if (failed(readIndex(bytes, loc, folder)))
      return failure();
  } else if (failed(readFile(bytes, std::move(owner), loc))) {
    return failure();
  }
  for (const Tensor &tensor : tensors)
    byName[tensor.name] = &tensor;
  if (failed(readLayerFormats()))
    return failure();
  return path.empty() ? success() : readConfigFile(loc.getContext(), folder);
}
