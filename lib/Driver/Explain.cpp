//===- Explain.cpp - Explains how conversions are lowered -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Explain.h"

#include "mlir/IR/Remarks.h"
#include "quant-float/Lowering/ConversionPlan.h"
#include "quant-float/Support/Locations.h"
#include "quant-float/Support/ModelError.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
class Streamer final : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit Streamer(std::vector<std::string> &lines) : lines(lines) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    std::string line;
    llvm::raw_string_ostream os(line);
    os << FileLocation(remark.getLocation());
    if (StringRef name = getNodeName(remark.getLocation()); !name.empty())
      os << "node '" << name << "': ";
    // Since LLVM 23, another argument is the number of the remark.
    for (const remark::detail::Remark::Arg &argument : remark.getArgs())
      if (argument.key == "Remark")
        os << argument.val;
    // The vector loop and its remainder may have the same plan.
    if (seen.insert(line).second)
      lines.push_back(std::move(line));
  }

private:
  std::vector<std::string> &lines;
  llvm::StringSet<> seen;
};
} // namespace

PlanRecorder::PlanRecorder(MLIRContext &context)
    : context(context), isThreaded(context.isMultithreadingEnabled()) {
  // Remarks must follow the order of the model.
  context.disableMultithreading();
  remark::RemarkCategories categories;
  categories.passed = categories.missed = kConversionRemarks.str();
  // Does not open a file, so it cannot fail.
  (void)remark::enableOptimizationRemarks(
      context, std::make_unique<Streamer>(lines),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
}

PlanRecorder::~PlanRecorder() {
  context.setRemarkEngine(nullptr);
  context.disableMultithreading(!isThreaded);
}

void PlanRecorder::print(llvm::raw_ostream &os) const {
  for (const std::string &line : lines)
    os << line << "\n";
}
