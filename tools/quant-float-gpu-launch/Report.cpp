//===- Report.cpp - What was found ----------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define JSON_NOEXCEPTION
#include "Report.h"
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

using namespace launch;
using nlohmann::ordered_json;

struct Report::Content {
  ordered_json value;
};

Report::Report() : content(std::make_unique<Content>()) {
  char date[32];
  std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  content->value["date"] = date;
}

Report::~Report() = default;

void Report::setCode(const std::string &file, const std::string &chip) {
  content->value["code"] = file;
  content->value["compiled_for"] = chip;
}

void Report::setDevice(const std::string &chip, const std::string &name,
                       const std::string &driver) {
  content->value["chip"] = chip;
  content->value["device"] = name;
  content->value["cuda_of_driver"] = driver;
}

void Report::addTiming(const Entry &entry, const Plan &plan,
                       const Timing &timing, unsigned repeat) {
  double bytes = static_cast<double>(plan.getBytes());
  auto perSecond = [&](double seconds) {
    return seconds > 0 ? bytes / seconds : 0.0;
  };
  ordered_json row;
  row["entry"] = entry.name;
  for (size_t i = 0; i < entry.inputs.size(); ++i)
    row["inputs"].push_back(spell(*entry.inputs[i].type, plan.inputs[i]));
  for (size_t i = 0; i < entry.outputs.size(); ++i)
    row["outputs"].push_back(spell(*entry.outputs[i].type, plan.outputs[i]));
  row["repeat"] = repeat;
  row["bytes"] = plan.getBytes();
  row["best_seconds"] = timing.bestSeconds;
  row["median_seconds"] = timing.medianSeconds;
  row["bytes_per_second"] = perSecond(timing.bestSeconds);
  row["copy_best_seconds"] = timing.copySeconds;
  row["copy_bytes_per_second"] = perSecond(timing.copySeconds);
  row["of_copy"] =
      timing.bestSeconds > 0 ? timing.copySeconds / timing.bestSeconds : 0.0;
  content->value["timings"].push_back(std::move(row));
}

void Report::setChecked(size_t digests, const std::string &difference) {
  content->value["digests"] = {{"checked", digests},
                               {"agree", difference.empty()}};
  if (!difference.empty())
    content->value["digests"]["difference"] = difference;
}

void Report::print() const {
  if (!content->value.contains("timings"))
    return;
  for (const ordered_json &row : content->value["timings"]) {
    std::printf("entry: %s\n",
                row["entry"].get_ref<const std::string &>().c_str());
    for (const char *key :
         {"best_seconds", "median_seconds", "bytes", "bytes_per_second",
          "copy_best_seconds", "copy_bytes_per_second", "of_copy"})
      std::printf("%s: %.9g\n", key, row[key].get<double>());
  }
}

bool Report::write(const std::string &path, Error &error) const {
  std::string text = content->value.dump(
      2, ' ', false, ordered_json::error_handler_t::replace);
  return writeFile(path, text + "\n", "", error);
}
