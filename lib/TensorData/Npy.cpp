//===- Npy.cpp - NumPy's file format --------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/TensorData/Npy.h"

#include "quant-float-c/EntryPoint.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Whether a file may store the elements as `kind`: the type that this project
/// writes, or those that ml_dtypes writes, which are V1 or V2 and, for some
/// types, f1.
static bool accepts(const ElementInfo &element, StringRef kind) {
  if (element.isString()) {
    size_t size;
    return (kind.consume_front("U") || kind.consume_front("S")) &&
           !kind.getAsInteger(10, size) && size >= 1 && size <= INT32_MAX;
  }
  if (kind == element.npy)
    return true;
  if (element.number == QF_BFLOAT16)
    return kind == "V2";
  bool isFloat = element.elementClass == ElementClass::Float;
  bool isNarrow =
      isFloat ? element.bits <= 8 : element.bits > 1 && element.bits < 8;
  return isNarrow && (kind == "V1" || (kind == "f1" && isFloat));
}

static llvm::Error makeHeaderError(const Twine &what) {
  return llvm::createStringError("header of the .npy file: " + what);
}

namespace {

/// Parses the header, which is the literal of a Python dictionary.
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : rest(text) {}
  llvm::Error parse();

  StringRef descr;
  bool isColumnMajor = false;
  SmallVector<int64_t> sizes;

private:
  bool consume(StringRef token) {
    rest = rest.ltrim(" \t\n\r");
    return rest.consume_front(token);
  }
  bool parseString(StringRef &string);
  bool parseSizes();
  llvm::Error parseValue(StringRef key);

  StringRef rest;
  bool hasDescr = false, hasOrder = false, hasShape = false;
};

} // namespace

bool HeaderParser::parseString(StringRef &string) {
  StringRef quote = consume("'") ? "'" : consume("\"") ? "\"" : "";
  if (quote.empty() || !rest.contains(quote))
    return false;
  std::tie(string, rest) = rest.split(quote);
  return true;
}

bool HeaderParser::parseSizes() {
  sizes.clear();
  if (!consume("("))
    return false;
  while (!consume(")")) {
    uint64_t size;
    if (rest.consumeInteger(10, size) || size > INT64_MAX)
      return false;
    sizes.push_back(size);
    // Python 2 wrote the suffix L after long integers.
    rest.consume_front("L");
    if (!consume(","))
      return consume(")");
  }
  return true;
}

llvm::Error HeaderParser::parseValue(StringRef key) {
  if (key == "descr") {
    hasDescr = true;
    if (!parseString(descr))
      return makeHeaderError("'descr': expected a single type name");
  } else if (key == "fortran_order") {
    hasOrder = true;
    isColumnMajor = consume("True");
    if (!isColumnMajor && !consume("False"))
      return makeHeaderError("'fortran_order': expected True or False");
  } else if (key == "shape") {
    hasShape = true;
    if (!parseSizes())
      return makeHeaderError("'shape': expected sizes in parentheses");
  } else {
    return makeHeaderError("unknown key '" + key + "'");
  }
  return llvm::Error::success();
}

llvm::Error HeaderParser::parse() {
  if (!consume("{"))
    return makeHeaderError("expected a dictionary");
  while (!consume("}")) {
    StringRef key;
    if (!parseString(key) || !consume(":"))
      return makeHeaderError("expected a key and a colon");
    if (llvm::Error error = parseValue(key))
      return error;
    if (consume(","))
      continue;
    if (!consume("}"))
      return makeHeaderError("expected a comma or the end");
    break;
  }
  if (!hasDescr || !hasOrder || !hasShape)
    return makeHeaderError(
        "expected the keys 'descr', 'fortran_order' and 'shape'");
  return llvm::Error::success();
}

/// Returns the header. Removes everything before the data from `bytes`.
static llvm::Expected<StringRef> splitHeader(StringRef &bytes) {
  if (!bytes.consume_front(StringRef("\x93NUMPY", 6)))
    return llvm::createStringError(
        "expected a .npy file, but the magic string is missing");
  auto byte = [&](size_t i) { return unsigned(bytes.bytes_begin()[i]); };
  if (bytes.size() < 2)
    return makeHeaderError("the file is truncated");
  if (byte(0) < 1 || byte(0) > 3)
    return makeHeaderError("expected version 1, 2 or 3, but got " +
                           Twine(byte(0)) + "." + Twine(byte(1)));
  size_t lengthBytes = byte(0) == 1 ? 2 : 4;
  bytes = bytes.drop_front(2);
  if (bytes.size() < lengthBytes)
    return makeHeaderError("the file is truncated");
  uint64_t length = lengthBytes == 2
                        ? llvm::support::endian::read16le(bytes.data())
                        : llvm::support::endian::read32le(bytes.data());
  bytes = bytes.drop_front(lengthBytes);
  if (bytes.size() < length)
    return makeHeaderError("expected " + Twine(length) +
                           " bytes, but the file ends after " +
                           Twine(bytes.size()));
  StringRef header = bytes.take_front(length);
  bytes = bytes.drop_front(length);
  return header;
}

llvm::Expected<NpyContents> quant_float::parseNpy(StringRef bytes,
                                                  const ElementInfo &element) {
  llvm::Expected<StringRef> headerText = splitHeader(bytes);
  if (!headerText)
    return headerText.takeError();
  HeaderParser header(*headerText);
  if (llvm::Error error = header.parse())
    return std::move(error);
  StringRef kind = header.descr;
  bool isBigEndian = kind.starts_with(">");
  if (kind.find_first_of("<>=|") == 0)
    kind = kind.drop_front();
  if (!accepts(element, kind))
    return llvm::createStringError(Twine("expected ") + element.onnx +
                                   " in a .npy type '" + element.npy +
                                   "', but got '" + header.descr + "'");
  llvm::Expected<int64_t> count = countBytes(element, header.sizes);
  if (!count)
    return count.takeError();
  NpyContents contents;
  if (element.isString()) {
    contents.isUnicode = kind[0] == 'U';
    kind.drop_front().getAsInteger(10, contents.stringBytes);
    contents.stringBytes *= contents.isUnicode ? sizeof(llvm::UTF32) : 1;
    // `count` includes the bytes of one offset for each string so far.
    if (llvm::MulOverflow<int64_t>(*count / sizeof(int64_t),
                                   contents.stringBytes, *count))
      *count = -1;
  }
  if (static_cast<uint64_t>(*count) != bytes.size())
    return llvm::createStringError("expected " + Twine(*count) +
                                   " bytes of data for " +
                                   spellTensor(element, header.sizes) +
                                   ", but got " + Twine(bytes.size()));
  contents.sizes = std::move(header.sizes);
  contents.data = bytes;
  contents.isBigEndian =
      isBigEndian && (element.getSlotBytes() > 1 || contents.isUnicode);
  contents.isColumnMajor = header.isColumnMajor && contents.sizes.size() > 1;
  // ml_dtypes leaves the bits above the value of a narrow integer undefined.
  contents.needsSignExtension = kind == "V1" &&
                                element.elementClass == ElementClass::Signed &&
                                element.bits < 8;
  return contents;
}

void quant_float::convertNpy(const NpyContents &contents,
                             const ElementInfo &element, void *slots) {
  ArrayRef<int64_t> sizes = contents.sizes;
  // If one size is 0, the product of the others may overflow.
  if (contents.data.empty())
    return;
  size_t rank = sizes.size();
  size_t slotBytes =
      element.isString() ? contents.stringBytes : element.getSlotBytes();
  bool isReversed = contents.isBigEndian && !element.isString();
  SmallVector<int64_t> strides(rank), index(rank, 0);
  int64_t stride = 1;
  for (size_t i = 0; i < rank; ++i) {
    size_t axis = contents.isColumnMajor ? i : rank - 1 - i;
    strides[axis] = stride;
    stride *= sizes[axis];
  }
  char *to = static_cast<char *>(slots);
  int64_t source = 0;
  for (size_t at = 0; at < contents.data.size(); at += slotBytes) {
    const char *from = contents.data.data() + source * slotBytes;
    for (size_t i = 0; i < slotBytes; ++i)
      to[at + i] = from[isReversed ? slotBytes - 1 - i : i];
    if (contents.needsSignExtension) {
      unsigned unused = 8 - element.bits;
      auto bits = static_cast<uint8_t>(static_cast<uint8_t>(to[at]) << unused);
      to[at] = static_cast<char>(static_cast<int8_t>(bits) >> unused);
    }
    for (size_t axis = rank; axis-- > 0;) {
      source += strides[axis];
      if (++index[axis] < sizes[axis])
        break;
      source -= strides[axis] * sizes[axis];
      index[axis] = 0;
    }
  }
}

/// Returns the header for elements whose NumPy type is `type`.
static std::string makeHeader(StringRef type, ArrayRef<int64_t> sizes) {
  std::string text = "{'descr': '";
  text += type;
  text += "', 'fortran_order': False, 'shape': (";
  for (int64_t size : sizes)
    text += std::to_string(size) + ", ";
  text += "), }";
  bool isLong = text.size() > 65000;
  size_t fixed = isLong ? 12 : 10;
  size_t paddedSize = (fixed + text.size() + 1 + 63) / 64 * 64;
  text.resize(paddedSize - fixed - 1, ' ');
  text += '\n';

  std::string header("\x93NUMPY", 6);
  header += static_cast<char>(isLong ? 2 : 1);
  header += '\0';
  for (unsigned i = 0; i < (isLong ? 4 : 2); ++i)
    header += static_cast<char>(text.size() >> (8 * i));
  return header + text;
}

std::string quant_float::makeNpyHeader(const ElementInfo &element,
                                       ArrayRef<int64_t> sizes) {
  return makeHeader((element.getSlotBytes() == 1 ? "|" : "<") +
                        std::string(element.npy),
                    sizes);
}

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

/// Converts the UTF-32 code points in memory to UTF-8. Returns false if one is
/// not a valid code point.
static bool decodeCodePoints(StringRef slot, bool isBigEndian,
                             std::string &string) {
  SmallVector<llvm::UTF32> points;
  for (; !slot.empty(); slot = slot.drop_front(sizeof(llvm::UTF32)))
    points.push_back(isBigEndian
                         ? llvm::support::endian::read32be(slot.data())
                         : llvm::support::endian::read32le(slot.data()));
  while (!points.empty() && !points.back())
    points.pop_back();
  string.resize(points.size() * UNI_MAX_UTF8_BYTES_PER_CODE_POINT);
  const llvm::UTF32 *from = points.begin();
  auto *begin = reinterpret_cast<llvm::UTF8 *>(string.data()), *to = begin;
  bool isValid =
      llvm::ConvertUTF32toUTF8(&from, points.end(), &to, begin + string.size(),
                               llvm::strictConversion) == llvm::conversionOK;
  string.resize(to - begin);
  return isValid;
}

llvm::Expected<std::vector<std::string>>
quant_float::readNpyStrings(const NpyContents &contents) {
  // If one size is 0, the product of the others may overflow.
  uint64_t count = 1;
  for (int64_t size : contents.sizes)
    count *= static_cast<uint64_t>(size);
  std::vector<std::string> strings(count);
  std::string slots(contents.data.size(), '\0');
  convertNpy(contents, *findElement(QF_STRING), slots.data());
  for (uint64_t i = 0; i < count; ++i) {
    StringRef slot =
        StringRef(slots).substr(i * contents.stringBytes, contents.stringBytes);
    if (!contents.isUnicode)
      strings[i] = slot.rtrim('\0').str();
    else if (!decodeCodePoints(slot, contents.isBigEndian, strings[i]))
      return llvm::createStringError(
          "element " + Twine(i) +
          ": expected Unicode code points, but got an invalid value");
  }
  return strings;
}

/// Returns false if the string is not valid UTF-8.
static bool encodeCodePoints(StringRef string,
                             SmallVectorImpl<llvm::UTF32> &points) {
  points.resize(string.size());
  auto *from = reinterpret_cast<const llvm::UTF8 *>(string.begin());
  llvm::UTF32 *to = points.begin();
  bool isValid =
      llvm::ConvertUTF8toUTF32(
          &from, reinterpret_cast<const llvm::UTF8 *>(string.end()), &to,
          points.end(), llvm::strictConversion) == llvm::conversionOK;
  points.truncate(to - points.begin());
  return isValid;
}

llvm::Error quant_float::checkNpyString(StringRef string) {
  SmallVector<llvm::UTF32> points;
  if (!encodeCodePoints(string, points))
    return llvm::createStringError("expected UTF-8 for a .npy file, but got '" +
                                   printable(string) + "'");
  if (string.ends_with(StringRef("\0", 1)))
    return llvm::createStringError("expected a string without a trailing null "
                                   "character for a .npy file, but got '" +
                                   printable(string) + "'");
  return llvm::Error::success();
}

std::string quant_float::makeNpyStrings(ArrayRef<int64_t> sizes,
                                        ArrayRef<StringRef> strings) {
  // NumPy stores empty strings with a size of one code point.
  size_t longest = 1;
  SmallVector<llvm::UTF32> points;
  for (StringRef string : strings) {
    encodeCodePoints(string, points);
    longest = std::max(longest, points.size());
  }
  std::string file = makeHeader("<U" + std::to_string(longest), sizes);
  file.reserve(file.size() + strings.size() * longest * sizeof(llvm::UTF32));
  for (StringRef string : strings) {
    encodeCodePoints(string, points);
    points.resize(longest, 0);
    for (llvm::UTF32 point : points)
      for (unsigned i = 0; i < sizeof point; ++i)
        file += static_cast<char>(point >> (8 * i));
  }
  return file;
}
