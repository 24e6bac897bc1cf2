//===- Npy.cpp - NumPy's file format --------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/TensorData/Npy.h"

#include "quant-float-c/EntryPoint.h"
#include <cstring>

using namespace mlir::quant_float;

/// Whether elements may be stored as `kind`: as we write them, or as ml_dtypes
/// does, for which NumPy has no name but V and, for some, f1.
static bool accepts(const ElementLayout &element, std::string_view kind) {
  if (kind == element.npy)
    return true;
  if (element.dtype == QF_BFLOAT16)
    return kind == "V2";
  bool isNarrowInteger =
      !element.isFloat() && element.bits > 1 && element.bits < 8;
  return (kind == "V1" && (element.isNarrowFloat || isNarrowInteger)) ||
         (kind == "f1" && element.isNarrowFloat);
}

namespace {

/// Reads the header's text, a literal of a Python dictionary.
class HeaderParser {
public:
  HeaderParser(std::string_view text, std::string &error)
      : rest(text), error(error) {}
  bool parse();

  std::string_view descr;
  bool isColumnMajor = false;
  std::vector<int64_t> sizes;

private:
  bool fail(const std::string &what) {
    error = "header of the .npy file: " + what;
    return false;
  }
  void skipBlanks() {
    size_t next = rest.find_first_not_of(" \t\n\r");
    rest.remove_prefix(next == rest.npos ? rest.size() : next);
  }
  bool consume(std::string_view token) {
    skipBlanks();
    if (rest.substr(0, token.size()) != token)
      return false;
    rest.remove_prefix(token.size());
    return true;
  }
  bool parseString(std::string_view &text);
  bool parseSize(int64_t &size);
  bool parseSizes();
  bool parseValue(std::string_view key);

  std::string_view rest;
  std::string &error;
  bool hasDescr = false, hasOrder = false, hasShape = false;
};

} // namespace

bool HeaderParser::parseString(std::string_view &text) {
  skipBlanks();
  if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
    return false;
  size_t end = rest.find(rest[0], 1);
  if (end == rest.npos)
    return false;
  text = rest.substr(1, end - 1);
  rest.remove_prefix(end + 1);
  return true;
}

bool HeaderParser::parseSize(int64_t &size) {
  skipBlanks();
  size_t digits = 0;
  size = 0;
  for (; digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9';
       ++digits)
    if (__builtin_mul_overflow(size, 10, &size) ||
        __builtin_add_overflow(size, rest[digits] - '0', &size))
      return false;
  rest.remove_prefix(digits);
  return digits;
}

bool HeaderParser::parseSizes() {
  if (!consume("("))
    return false;
  while (!consume(")")) {
    if (!parseSize(sizes.emplace_back()))
      return false;
    // Python 2 wrote long integers so.
    if (!rest.empty() && rest[0] == 'L')
      rest.remove_prefix(1);
    if (!consume(","))
      return consume(")");
  }
  return true;
}

bool HeaderParser::parseValue(std::string_view key) {
  if (key == "descr") {
    hasDescr = true;
    return parseString(descr) || fail("'descr': expected the name of one type");
  }
  if (key == "fortran_order") {
    hasOrder = true;
    isColumnMajor = consume("True");
    return isColumnMajor || consume("False") ||
           fail("'fortran_order': expected True or False");
  }
  if (key == "shape") {
    hasShape = true;
    sizes.clear();
    return parseSizes() || fail("'shape': expected sizes in parentheses");
  }
  return fail("unknown key '" + std::string(key) + "'");
}

bool HeaderParser::parse() {
  if (!consume("{"))
    return fail("expected a dictionary");
  while (!consume("}")) {
    std::string_view key;
    if (!parseString(key) || !consume(":"))
      return fail("expected a key and a colon");
    if (!parseValue(key))
      return false;
    if (!consume(",")) {
      if (!consume("}"))
        return fail("expected a comma or the end");
      break;
    }
  }
  return (hasDescr && hasOrder && hasShape) ||
         fail("expected the keys 'descr', 'fortran_order' and 'shape'");
}

/// The header's text in `header`; `bytes` loses everything before the data.
static bool splitHeader(std::string_view &bytes, std::string_view &header,
                        std::string &error) {
  auto fail = [&](const std::string &what) {
    error = "header of the .npy file: " + what;
    return false;
  };
  constexpr std::string_view kMagic("\x93NUMPY", 6);
  if (bytes.substr(0, kMagic.size()) != kMagic) {
    error = "expected a .npy file, but its first bytes are not those of one";
    return false;
  }
  bytes.remove_prefix(kMagic.size());
  auto byte = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  if (bytes.size() < 2)
    return fail("the file ends within it");
  if (byte(0) < 1 || byte(0) > 3)
    return fail("expected version 1, 2 or 3, but got " +
                std::to_string(byte(0)) + "." + std::to_string(byte(1)));
  size_t lengthBytes = byte(0) == 1 ? 2 : 4;
  bytes.remove_prefix(2);
  if (bytes.size() < lengthBytes)
    return fail("the file ends within it");
  uint64_t length = 0;
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= static_cast<uint64_t>(byte(i)) << (8 * i);
  bytes.remove_prefix(lengthBytes);
  if (bytes.size() < length)
    return fail("expected " + std::to_string(length) +
                " bytes, but the file ends after " +
                std::to_string(bytes.size()));
  header = bytes.substr(0, length);
  bytes.remove_prefix(length);
  return true;
}

bool mlir::quant_float::parseNpy(std::string_view bytes,
                                 const ElementLayout &element,
                                 NpyContents &contents, std::string &error) {
  std::string_view text;
  if (!splitHeader(bytes, text, error))
    return false;
  HeaderParser header(text, error);
  if (!header.parse())
    return false;
  std::string_view kind = header.descr;
  bool isBigEndian = !kind.empty() && kind[0] == '>';
  if (kind.find_first_of("<>=|") == 0)
    kind.remove_prefix(1);
  if (!accepts(element, kind)) {
    error = std::string("expected ") + element.name + " in a .npy type '" +
            element.npy + "', but got '" + std::string(header.descr) + "'";
    return false;
  }
  int64_t count;
  if (!countBytes(element, header.sizes, count, error))
    return false;
  if (static_cast<uint64_t>(count) != bytes.size()) {
    error = "expected " + std::to_string(count) + " bytes of data for " +
            spellTensor(element, header.sizes) + ", but got " +
            std::to_string(bytes.size());
    return false;
  }
  contents.sizes = std::move(header.sizes);
  contents.data = bytes;
  contents.isBigEndian = isBigEndian && element.slotBytes > 1;
  contents.isColumnMajor = header.isColumnMajor && contents.sizes.size() > 1;
  // ml_dtypes leaves the bits above a narrow integer's value undefined.
  contents.needsSignExtension =
      kind == "V1" && element.isSigned && element.bits < 8;
  return true;
}

void mlir::quant_float::convertNpy(const NpyContents &contents,
                                   const ElementLayout &element, void *slots) {
  const std::vector<int64_t> &sizes = contents.sizes;
  // Beside a size of 0, the product of the others may be any number.
  if (contents.data.empty())
    return;
  size_t rank = sizes.size(), slotBytes = element.slotBytes;
  std::vector<int64_t> strides(rank), index(rank, 0);
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
      to[at + i] = from[contents.isBigEndian ? slotBytes - 1 - i : i];
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

std::string
mlir::quant_float::makeNpyHeader(const ElementLayout &element,
                                 const std::vector<int64_t> &sizes) {
  std::string text = "{'descr': '";
  text += element.slotBytes == 1 ? '|' : '<';
  text += element.npy;
  text += "', 'fortran_order': False, 'shape': (";
  for (int64_t size : sizes)
    text += std::to_string(size) + ", ";
  text += "), }";
  bool isLong = text.size() > 65000;
  size_t fixed = isLong ? 12 : 10;
  size_t whole = (fixed + text.size() + 1 + 63) / 64 * 64;
  text.resize(whole - fixed - 1, ' ');
  text += '\n';

  std::string header("\x93NUMPY", 6);
  header += static_cast<char>(isLong ? 2 : 1);
  header += '\0';
  for (unsigned i = 0; i < (isLong ? 4 : 2); ++i)
    header += static_cast<char>(text.size() >> (8 * i));
  return header + text;
}
