//===- Digests.h - Outputs in 64 bits ---------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_GPULAUNCH_DIGESTS_H
#define QUANT_FLOAT_TOOLS_GPULAUNCH_DIGESTS_H

#include "Elements.h"
#include <map>

namespace launch {

/// Outputs by digest: an entry, which output, and which of its elements.
class Digests {
public:
  void add(const std::string &entry, size_t output, uint64_t first,
           const Array &array);
  bool write(const std::string &path, Error &error) const;
  /// Says how many are others than those in the file. With `isWhole` the file
  /// must have no more.
  bool compare(const std::string &path, bool isWhole, Error &error) const;
  size_t size() const { return values.size(); }

private:
  /// "main 0 4096 65536": of output 0 of main, 65536 elements from the 4096th.
  std::map<std::string, uint64_t> values;
};

} // namespace launch

#endif // QUANT_FLOAT_TOOLS_GPULAUNCH_DIGESTS_H
