//===- Digests.cpp - Outputs in 64 bits -----------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Digests.h"
#include <cstdio>
#include <cstdlib>
#include <sstream>

using namespace launch;

void Digests::add(const std::string &entry, size_t output, uint64_t first,
                  const Array &array) {
  std::string key = entry + " " + std::to_string(output) + " " +
                    std::to_string(first) + " " +
                    std::to_string(array.getNumElements());
  values[key] = digest(array.bytes.data(), array.bytes.size());
}

static std::string toHex(uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx",
                static_cast<unsigned long long>(value));
  return text;
}

bool Digests::write(const std::string &path, Error &error) const {
  std::string text;
  for (const auto &[key, value] : values)
    text += key + " " + toHex(value) + "\n";
  return writeFile(path, text, "", error);
}

bool Digests::compare(const std::string &path, bool isWhole,
                      Error &error) const {
  std::string text;
  if (!readFile(path, text, error))
    return false;
  std::map<std::string, std::string> expected;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    size_t space = line.rfind(' ');
    if (space == line.npos || line.size() - space != 17)
      return error.fail(path + ": error: expected lines of digests, but got '" +
                        line.substr(0, 80) + "'");
    expected[line.substr(0, space)] = line.substr(space + 1);
  }
  std::string first;
  size_t different = 0;
  for (const auto &[key, value] : values) {
    auto found = expected.find(key);
    std::string wanted = found == expected.end() ? "none" : found->second;
    if (wanted == toHex(value))
      continue;
    if (!different++)
      first = "'" + key + "': expected " + wanted + ", but got " + toHex(value);
  }
  if (different)
    return error.fail(path + ": error: " + std::to_string(different) + " of " +
                      std::to_string(values.size()) +
                      " digests differ, the first: " + first);
  if (isWhole && expected.size() != values.size())
    return error.fail(path + ": error: expected " +
                      std::to_string(expected.size()) + " digests, but got " +
                      std::to_string(values.size()));
  return true;
}
