//===- Calls.cpp - Who calls the driver -----------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calls.h"
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

int simulator::noteCall(const char *name) {
  static auto &calls = *new std::map<std::string, int>;
  int count = ++calls[name];
  const char *file = getenv("QUANT_FLOAT_SIMULATOR_LOG");
  if (file && *file)
    if (FILE *log = fopen(file, "a")) {
      fprintf(log, "%s\n", name);
      fclose(log);
    }
  const char *spec = getenv("QUANT_FLOAT_SIMULATOR_FAIL");
  std::string text = spec ? spec : "";
  size_t first = text.find(':'), second = text.find(':', first + 1);
  bool isMeant = second != std::string::npos && text.substr(0, first) == name &&
                 atoi(text.c_str() + first + 1) == count;
  return isMeant ? atoi(text.c_str() + second + 1) : 0;
}
