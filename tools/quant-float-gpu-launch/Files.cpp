//===- Files.cpp - NumPy arrays and other files ---------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "quant-float/Support/OutputFile.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

using namespace launch;

namespace {

struct Close {
  void operator()(FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<FILE, Close>;

/// Reads the header's text, a literal of a Python dictionary.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : rest(text) {}
  bool parse();

  std::string_view descr;
  bool isColumnMajor = false;
  std::vector<int64_t> sizes;

private:
  bool consume(std::string_view token);
  bool parseString(std::string_view &text);
  bool parseSizes();

  std::string_view rest;
};

} // namespace

/// Regular files alone: others may have no end.
static File openFile(const std::string &path, size_t &bytes, Error &error) {
  File file(std::fopen(path.c_str(), "rb"));
  struct stat status;
  if (!file || fstat(fileno(file.get()), &status)) {
    error.fail(path + ": error: cannot be read: " + std::strerror(errno),
               kWrongUsage);
    return nullptr;
  }
  if (!S_ISREG(status.st_mode)) {
    error.fail(path + ": error: cannot be read: expected a regular file",
               kWrongUsage);
    return nullptr;
  }
  bytes = static_cast<size_t>(status.st_size);
  return file;
}

bool launch::readFile(const std::string &path, std::string &text,
                      Error &error) {
  constexpr size_t kMost = size_t(1) << 28;
  size_t bytes = 0;
  File file = openFile(path, bytes, error);
  if (!file)
    return false;
  if (bytes > kMost)
    return error.fail(path + ": error: expected at most " +
                      std::to_string(kMost) + " bytes, but got " +
                      std::to_string(bytes));
  text.resize(bytes);
  if (std::fread(text.data(), 1, bytes, file.get()) != bytes)
    return error.fail(path + ": error: cannot be read to its end", kWrongUsage);
  return true;
}

bool HeaderParser::consume(std::string_view token) {
  size_t first = rest.find_first_not_of(" \t\r\n");
  rest.remove_prefix(first == rest.npos ? rest.size() : first);
  if (rest.substr(0, token.size()) != token)
    return false;
  rest.remove_prefix(token.size());
  return true;
}

bool HeaderParser::parseString(std::string_view &text) {
  bool isSingle = consume("'");
  if (!isSingle && !consume("\""))
    return false;
  size_t end = rest.find(isSingle ? '\'' : '"');
  if (end == rest.npos)
    return false;
  text = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return true;
}

bool HeaderParser::parseSizes() {
  if (!consume("("))
    return false;
  while (!consume(")")) {
    int64_t size = 0;
    size_t digits = 0;
    consume("");
    for (; digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9';
         ++digits)
      if (__builtin_mul_overflow(size, 10, &size) ||
          __builtin_add_overflow(size, rest[digits] - '0', &size))
        return false;
    if (!digits)
      return false;
    rest.remove_prefix(digits);
    sizes.push_back(size);
    if (!consume(","))
      return consume(")");
  }
  return true;
}

bool HeaderParser::parse() {
  int found = 0;
  if (!consume("{"))
    return false;
  while (!consume("}")) {
    std::string_view key;
    if (!parseString(key) || !consume(":"))
      return false;
    if (key == "descr") {
      found |= 1;
      if (!parseString(descr))
        return false;
    } else if (key == "fortran_order") {
      found |= 2;
      isColumnMajor = consume("True");
      if (!isColumnMajor && !consume("False"))
        return false;
    } else if (key == "shape") {
      found |= 4;
      if (!parseSizes())
        return false;
    } else {
      return false;
    }
    if (!consume(","))
      return consume("}") && found == 7;
  }
  return found == 7;
}

bool launch::readNpy(const std::string &path, const ElementType &type,
                     Array &array, Error &error) {
  auto fail = [&](const std::string &what) {
    return error.fail(path + ": error: " + what);
  };
  size_t bytes = 0;
  File file = openFile(path, bytes, error);
  if (!file)
    return false;
  unsigned char start[12] = {};
  if (std::fread(start, 1, 10, file.get()) != 10 ||
      std::memcmp(start, "\x93NUMPY", 6))
    return fail("expected a .npy file, but its first bytes are not those of "
                "one");
  size_t length = start[8] | start[9] << 8, fixed = 10;
  if (start[6] < 1 || start[6] > 3)
    return fail("expected version 1, 2 or 3 of .npy, but got " +
                std::to_string(start[6]));
  if (start[6] > 1) {
    fixed = 12;
    if (std::fread(start + 10, 1, 2, file.get()) != 2)
      return fail("the header of the .npy file is cut off");
    length |= size_t(start[10]) << 16 | size_t(start[11]) << 24;
  }
  if (length > bytes - fixed)
    return fail("the header of the .npy file is cut off");
  std::string text(length, 0);
  if (std::fread(text.data(), 1, length, file.get()) != length)
    return fail("cannot be read to its end");
  HeaderParser header(text);
  if (!header.parse())
    return fail("the header of the .npy file is wrong: '" + text + "'");

  std::string_view kind = header.descr;
  bool isBigEndian = !kind.empty() && kind[0] == '>' && type.slotBytes > 1;
  if (!kind.empty() && std::strchr("<>=|", kind[0]))
    kind.remove_prefix(1);
  bool isAlternative =
      kind.size() == 2 &&
      std::string_view(type.alternatives).find(kind) != std::string_view::npos;
  if (kind != type.npy && !isAlternative)
    return fail(std::string("expected ") + type.name + " in a .npy type '" +
                type.npy + "', but got '" + std::string(header.descr) + "'");
  if (isBigEndian || (header.isColumnMajor && header.sizes.size() > 1))
    return fail("expected little-endian elements in row-major order");
  array.type = &type;
  array.sizes = header.sizes;
  std::optional<size_t> expected = countBytes(type, header.sizes);
  size_t given = bytes - fixed - length;
  if (!expected || *expected != given)
    return fail("expected the data of " + spell(type, header.sizes) +
                ", but got " + std::to_string(given) + " bytes");
  if (!allocate(array, error))
    return fail(error.text);
  if (std::fread(array.bytes.data(), 1, given, file.get()) != given)
    return fail("cannot be read to its end");
  return true;
}

bool launch::writeFile(const std::string &path, std::string_view head,
                       std::string_view body, Error &error) {
  mlir::quant_float::OutputFile file(path);
  if (file.write(head) && file.write(body) && file.commit())
    return true;
  return error.fail(
      path + ": error: cannot be written: " + file.getError().message(),
      kWrongUsage);
}

bool launch::writeNpy(const std::string &path, const Array &array,
                      Error &error) {
  std::string text = std::string("{'descr': '") +
                     (array.type->slotBytes == 1 ? '|' : '<') +
                     array.type->npy + "', 'fortran_order': False, 'shape': (";
  for (int64_t size : array.sizes)
    text += std::to_string(size) + ", ";
  text += "), }";
  // The data starts at a multiple of 64 bytes.
  text.resize((text.size() + 11 + 63) / 64 * 64 - 11, ' ');
  text += '\n';
  std::string head("\x93NUMPY\x01\0", 8);
  head += static_cast<char>(text.size());
  head += static_cast<char>(text.size() >> 8);
  return writeFile(path, head + text, {array.bytes.data(), array.bytes.size()},
                   error);
}
