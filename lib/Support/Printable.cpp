//===- Printable.cpp - Strings in diagnostics -----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Support/Printable.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

std::string quant_float::printable(llvm::StringRef string) {
  // Long enough for reasonable names.
  constexpr size_t kHead = 120, kTail = 40;
  std::string result;
  llvm::raw_string_ostream os(result);
  if (string.size() <= kHead + kTail) {
    llvm::printEscapedString(string, os);
    return result;
  }
  llvm::printEscapedString(string.take_front(kHead), os);
  os << "...";
  llvm::printEscapedString(string.take_back(kTail), os);
  return result;
}
