//===- File.cpp - Header of a GGUF file -----------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "File.h"
#include "quant-float/Support/BufferSize.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::gguf_import;

/// The number of bytes of a value by its type; 0 for strings and arrays.
static constexpr unsigned kValueBytes[] = {1, 1, 2, 2, 4, 4, 4,
                                           1, 0, 0, 8, 8, 8};
static constexpr unsigned kUInt32 = 4, kString = 8, kArray = 9;
/// The minimum number of bytes of a string, of a key and its value, and of a
/// tensor's description.
static constexpr uint64_t kMinStringBytes = 8, kMinPairBytes = 8 + 4 + 1,
                          kMinTensorBytes = 8 + 4 + 4 + 8;

namespace {
class Parser {
public:
  Parser(StringRef bytes, Location loc) : bytes(bytes), file{loc, ""} {}

  LogicalResult parseHeader();
  LogicalResult parsePair(uint64_t &alignment);
  LogicalResult parseTensor(Tensor &tensor);
  /// Returns the bytes from the next multiple of `alignment` on.
  StringRef getRest(uint64_t alignment) const {
    return bytes.drop_front(
        std::min<uint64_t>(llvm::alignTo(position, alignment), bytes.size()));
  }

  uint64_t tensorCount = 0, pairCount = 0;

private:
  LogicalResult skip(uint64_t size, const Twine &what);
  template <typename T> LogicalResult read(T &value, const Twine &what);
  LogicalResult readString(StringRef &value, const Twine &what);
  /// Checks that the remaining bytes suffice for `count` items of at least
  /// `minBytes` bytes.
  LogicalResult checkCount(uint64_t count, uint64_t minBytes, StringRef things);
  LogicalResult skipValue(unsigned type, StringRef key);

  StringRef bytes;
  uint64_t position = 0;
  Subject file;
  llvm::StringSet<> keys, names;
};
} // namespace

LogicalResult Parser::skip(uint64_t size, const Twine &what) {
  if (size > bytes.size() - position)
    return diagnose(file, Diag::Truncated, bytes.size(), what.str());
  position += size;
  return success();
}

template <typename T> LogicalResult Parser::read(T &value, const Twine &what) {
  if (failed(skip(sizeof(T), what)))
    return failure();
  value = llvm::support::endian::read<T, llvm::endianness::little>(
      bytes.data() + position - sizeof(T));
  return success();
}

LogicalResult Parser::readString(StringRef &value, const Twine &what) {
  uint64_t size;
  if (failed(read(size, what)) || failed(skip(size, what)))
    return failure();
  value = bytes.substr(position - size, size);
  return success();
}

LogicalResult Parser::checkCount(uint64_t count, uint64_t minBytes,
                                 StringRef things) {
  uint64_t rest = bytes.size() - position;
  if (count > rest / minBytes)
    return diagnose(file, Diag::BadCount, count, things, rest);
  return success();
}

LogicalResult Parser::parseHeader() {
  if (!bytes.starts_with("GGUF"))
    return diagnose(file, Diag::NotGguf);
  position = 4;
  uint32_t version;
  if (failed(read(version, "the header")))
    return failure();
  uint32_t swapped = llvm::byteswap(version);
  if (version > swapped && swapped != 0)
    return diagnose(file, Diag::BigEndian, swapped);
  if (version != 2 && version != 3)
    return diagnose(file, Diag::BadVersion, version);
  if (failed(read(tensorCount, "the header")) ||
      failed(read(pairCount, "the header")))
    return failure();
  if (failed(checkCount(pairCount, kMinPairBytes, "keys")))
    return failure();
  return checkCount(tensorCount, kMinTensorBytes, "tensors");
}

LogicalResult Parser::skipValue(unsigned type, StringRef key) {
  std::string name = printable(key), what = "the value of '" + name + "'";
  if (type >= std::size(kValueBytes))
    return diagnose(file, Diag::BadValueType, name, type);
  StringRef skipped;
  if (type == kString)
    return readString(skipped, what);
  if (type != kArray)
    return skip(kValueBytes[type], what);
  uint32_t element;
  uint64_t count;
  if (failed(read(element, what)) || failed(read(count, what)))
    return failure();
  if (element == kArray)
    return diagnose(file, Diag::NestedArray, name);
  if (element >= std::size(kValueBytes))
    return diagnose(file, Diag::BadValueType, name, element);
  uint64_t min = element == kString ? kMinStringBytes : kValueBytes[element];
  if (failed(checkCount(count, min, "values of '" + name + "'")))
    return failure();
  if (element != kString)
    return skip(count * min, what);
  for (uint64_t i = 0; i != count; ++i)
    if (failed(readString(skipped, what)))
      return failure();
  return success();
}

LogicalResult Parser::parsePair(uint64_t &alignment) {
  StringRef key;
  uint32_t type;
  if (failed(readString(key, "a key")) || failed(read(type, "a value's type")))
    return failure();
  if (!keys.insert(key).second)
    return diagnose(file, Diag::DuplicateKey, printable(key));
  if (key != "general.alignment")
    return skipValue(type, key);
  uint32_t value = 0;
  if (type == kUInt32 ? failed(read(value, "the value of '" + key + "'"))
                      : failed(skipValue(type, key)))
    return failure();
  if (!llvm::isPowerOf2_32(value))
    return diagnose(file, Diag::BadAlignment, value);
  alignment = value;
  return success();
}

LogicalResult Parser::parseTensor(Tensor &tensor) {
  if (failed(readString(tensor.name, "a tensor's name")))
    return failure();
  std::string name = printable(tensor.name), what = "tensor '" + name + "'";
  tensor.subject = {
      NameLoc::get(StringAttr::get(file.loc.getContext(), tensor.name),
                   file.loc),
      what};
  uint32_t rank;
  if (failed(read(rank, what)))
    return failure();
  if (!names.insert(tensor.name).second)
    return diagnose(tensor.subject, Diag::DuplicateTensor);
  if (rank > kMaxDimensions)
    return diagnose(tensor.subject, Diag::HighRank, kMaxDimensions, rank);
  // checkShape rejects shapes with a size that does not fit into int64_t.
  for (uint32_t i = 0; i != rank; ++i) {
    uint64_t size;
    if (failed(read(size, what)))
      return failure();
    tensor.dims.insert(tensor.dims.begin(),
                       int64_t(std::min<uint64_t>(size, INT64_MAX)));
  }
  uint32_t format;
  if (failed(read(format, what)) || failed(read(tensor.offset, what)))
    return failure();
  tensor.format = format;
  return success();
}

LogicalResult File::parse(StringRef bytes, Location loc) {
  Parser parser(bytes, loc);
  if (failed(parser.parseHeader()))
    return failure();
  for (uint64_t i = 0; i != parser.pairCount; ++i)
    if (failed(parser.parsePair(alignment)))
      return failure();
  for (uint64_t i = 0; i != parser.tensorCount; ++i) {
    Tensor &tensor = tensors.emplace_back(Tensor{{loc, ""}, {}, {}, 0, 0});
    if (failed(parser.parseTensor(tensor)))
      return failure();
  }
  data = parser.getRest(alignment);
  return success();
}
