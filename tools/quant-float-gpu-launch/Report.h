//===- Report.h - What was found --------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_GPULAUNCH_REPORT_H
#define QUANT_FLOAT_TOOLS_GPULAUNCH_REPORT_H

#include "Runners.h"
#include <nlohmann/json_fwd.hpp>

namespace launch {

/// What --time prints and --json writes.
class Report {
public:
  Report();
  ~Report();
  void setCode(const std::string &file, const std::string &chip);
  void setDevice(const std::string &chip, const std::string &name,
                 const std::string &driver);
  void addTiming(const Entry &entry, const Plan &plan, const Timing &timing,
                 unsigned repeat);
  /// So many digests were compared; `difference` is empty where all agree.
  void setChecked(size_t digests, const std::string &difference);

  void print() const;
  bool write(const std::string &path, Error &error) const;

private:
  struct Content;
  std::unique_ptr<Content> content;
};

} // namespace launch

#endif // QUANT_FLOAT_TOOLS_GPULAUNCH_REPORT_H
