//===- SetTarget.cpp - The target that code is generated for --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/IR/CodegenAttributes.h"
#include "quant-float/IR/QuantFloatAttributes.h"
#include "quant-float/IR/QuantFloatDialect.h"
#include "quant-float/TargetInfo/NvidiaChip.h"
#include "quant-float/TargetInfo/TargetCpu.h"
#include "quant-float/Transforms/Passes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATSETTARGETPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

namespace {
struct SetTargetPass final
    : quant_float::impl::QuantFloatSetTargetPassBase<SetTargetPass> {
  using QuantFloatSetTargetPassBase::QuantFloatSetTargetPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<QuantFloatDialect>();
  }

  void runOnOperation() override {
    markAllAnalysesPreserved();
    bool hasCPU = !cpu.empty() || !triple.empty() || !features.empty();
    if (hasCPU && !chip.empty()) {
      getOperation().emitError()
          << "expected options of a CPU or of a chip, but got both";
      return signalPassFailure();
    }
    if (!ptx.empty() && chip.empty()) {
      getOperation().emitError()
          << "expected the option 'chip' with the option 'ptx'";
      return signalPassFailure();
    }
    llvm::Expected<TargetAttr> target = chip.empty() ? getCPU() : getGPU();
    if (!target) {
      getOperation().emitError() << llvm::toString(target.takeError());
      return signalPassFailure();
    }
    getOperation()->setAttr(kTargetAttrName, *target);
  }

private:
  llvm::Expected<TargetAttr> getCPU() {
    llvm::Expected<TargetCpu> known = TargetCpu::get(triple, cpu, features);
    if (!known)
      return known.takeError();
    return TargetAttr::get(&getContext(), TargetKind::CPU, known->cpu,
                           known->triple, known->features);
  }

  llvm::Expected<TargetAttr> getGPU() {
    llvm::Expected<NvidiaChip> known = NvidiaChip::get(chip, ptx);
    if (!known)
      return known.takeError();
    return TargetAttr::get(&getContext(), TargetKind::NVVM, known->name,
                           /*triple=*/"", known->getFeatures());
  }
};
} // namespace
