//===- Json.cpp - JSON from untrusted files -------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Json.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::safetensors_import;

/// Deeper than any header or config.json.
static constexpr unsigned kDeepest = 64;

/// The maximum length of a value in a message.
static constexpr unsigned kLongest = 100;

/// Returns the string of a quoted key, which may have escapes.
static std::string getKey(StringRef quoted) {
  if (!quoted.contains('\\'))
    return quoted.drop_front().drop_back().str();
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(quoted);
  if (value)
    return value->getAsString()->str();
  // The parser of the entire string reports the error.
  llvm::consumeError(value.takeError());
  return quoted.str();
}

/// Scans brackets, strings and colons only. The parser checks everything else.
static LogicalResult checkNesting(StringRef text, const Subject &subject) {
  // The keys of the open objects, by depth.
  SmallVector<llvm::StringSet<>> keys;
  StringRef last;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"') {
      size_t begin = i++;
      while (i < text.size() && text[i] != '"')
        i += text[i] == '\\' ? 2 : 1;
      last = text.slice(begin, i + 1);
    } else if (c == '{' || c == '[') {
      if (keys.size() == kDeepest)
        return diagnose(subject, Diag::DeepJson, kDeepest);
      keys.emplace_back();
    } else if ((c == '}' || c == ']') && !keys.empty()) {
      keys.pop_back();
    } else if (c == ':' && !keys.empty() && last.size() >= 2) {
      std::string key = getKey(last);
      if (!keys.back().insert(key).second)
        return diagnose(subject, Diag::DuplicateKey, printable(key));
    }
  }
  return success();
}

FailureOr<llvm::json::Object>
safetensors_import::parseJson(StringRef text, const Subject &subject) {
  if (text.size() > kLargestHeader)
    return diagnose(subject, Diag::HugeHeader, text.size(), kLargestHeader);
  if (failed(checkNesting(text, subject)))
    return failure();
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value)
    return diagnose(subject, Diag::BadJson,
                    printable(llvm::toString(value.takeError())));
  if (llvm::json::Object *object = value->getAsObject())
    return std::move(*object);
  return diagnose(subject, Diag::BadJson,
                  "expected an object, but got " + spell(&*value));
}

std::string safetensors_import::spell(const llvm::json::Value *value) {
  if (!value)
    return "nothing";
  std::string text = llvm::formatv("{0}", *value).str();
  if (text.size() > kLongest)
    text = text.substr(0, kLongest) + "...";
  // Split at quotes, because `printable` would escape them.
  SmallVector<StringRef> parts;
  StringRef(text).split(parts, '"');
  return llvm::join(llvm::map_range(parts, printable), "\"");
}

std::optional<SmallVector<int64_t>>
safetensors_import::getSizes(const llvm::json::Value *value) {
  const llvm::json::Array *array = value ? value->getAsArray() : nullptr;
  if (!array)
    return std::nullopt;
  SmallVector<int64_t> sizes;
  for (const llvm::json::Value &element : *array) {
    std::optional<int64_t> size = element.getAsInteger();
    if (!size || *size < 0)
      return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}
