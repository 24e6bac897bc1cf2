//===- Names.cpp - Names of functions -------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Names.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::quant_float;

std::string target::makeIdentifier(StringRef name) {
  // The name becomes the name of a function in a C header.
  static const llvm::StringSet<> keywords = {
      "auto",     "break",    "case",      "char",   "const",    "continue",
      "default",  "do",       "double",    "else",   "enum",     "extern",
      "float",    "for",      "goto",      "if",     "inline",   "int",
      "long",     "register", "restrict",  "return", "short",    "signed",
      "sizeof",   "static",   "struct",    "switch", "typedef",  "union",
      "unsigned", "void",     "volatile",  "while",  "bool",     "true",
      "false",    "nullptr",  "constexpr", "typeof", "class",    "namespace",
      "new",      "delete",   "template",  "this",   "operator", "private",
      "public",   "try",      "catch",     "throw",  "using",    "virtual"};
  constexpr size_t kLongest = 128;
  std::string result;
  for (char c : name.take_front(kLongest))
    result += llvm::isAlnum(c) ? c : '_';
  if (StringRef(result).find_first_not_of('_') == StringRef::npos)
    return "main";
  if (llvm::isDigit(result.front()))
    result.insert(0, "_");
  if (keywords.contains(result))
    result += '_';
  return result;
}
