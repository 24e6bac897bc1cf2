//===- ResolveChip.cpp - Selection of the NVIDIA chip ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM aborts if a target does not support an instruction. This file reports
// targets for which that would happen.
//
//===----------------------------------------------------------------------===//

#include "ResolveChip.h"
#include "quant-float/Lowering/LoweringTarget.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::quant_float;

static constexpr StringLiteral kTriple = "nvptx64-nvidia-cuda";

static FailureOr<NvidiaChip> lookup(Operation *op, StringRef chip,
                                    StringRef ptx) {
  llvm::Expected<NvidiaChip> known = NvidiaChip::get(chip, ptx);
  if (known)
    return *known;
  op->emitError() << llvm::toString(known.takeError());
  return failure();
}

/// Returns the chip and the PTX version that a target attribute selects.
static FailureOr<NvidiaChip> resolveTarget(Operation *op, Attribute attribute) {
  auto target = dyn_cast<NVVM::NVVMTargetAttr>(attribute);
  if (!target) {
    op->emitError("target must be a #nvvm.target, but got ") << attribute;
    return failure();
  }
  if (target.getTriple() != kTriple) {
    op->emitError("triple of the target must be '")
        << kTriple << "', but got '" << target.getTriple() << "'";
    return failure();
  }
  StringRef features = target.getFeatures();
  if (!features.empty() &&
      (!features.starts_with("+ptx") || features.contains(','))) {
    op->emitError("features of the target must be a PTX version such as "
                  "'+ptx80', but got '")
        << features << "'";
    return failure();
  }
  FailureOr<NvidiaChip> chip = lookup(op, target.getChip(), features);
  // Without a PTX version, the module is compiled for the first one of the
  // chip.
  if (succeeded(chip) && features.empty())
    chip->ptx = chip->getLeastPtx();
  return chip;
}

FailureOr<NvidiaChip> quant_float::resolveChip(Operation *op, StringRef chip,
                                               StringRef ptx) {
  SmallVector<NvidiaChip> targets;
  auto module = dyn_cast<gpu::GPUModuleOp>(op);
  if (module && module.getTargetsAttr()) {
    for (Attribute attribute : module.getTargetsAttr()) {
      FailureOr<NvidiaChip> target = resolveTarget(op, attribute);
      if (failed(target))
        return failure();
      targets.push_back(*target);
    }
  }
  if (chip.empty() && targets.empty()) {
    if (std::optional<NvidiaChip> found = lookupChip(op))
      return *found;
    op->emitError(
        "expected a chip as an option of the pass or as the module's target");
    return failure();
  }
  if (chip.empty() && targets.size() > 1) {
    op->emitError("expected the option chip or exactly one target, but got ")
        << targets.size() << " targets";
    return failure();
  }
  if (chip.empty() && ptx.empty())
    return targets.front();
  FailureOr<NvidiaChip> result =
      lookup(op, chip.empty() ? StringRef(targets.front().name) : chip, ptx);
  if (failed(result))
    return failure();
  for (const NvidiaChip &target : targets) {
    for (NvidiaFeature feature : {NvidiaFeature::Minimum, NvidiaFeature::Float8,
                                  NvidiaFeature::NarrowFloat}) {
      if (!result->has(feature) || target.has(feature))
        continue;
      op->emitError(
          "expected no newer instructions than those of the target, '")
          << target.name << "' with PTX " << getPtxName(target.ptx)
          << ", but got those of '" << result->name << "' with PTX "
          << getPtxName(result->ptx);
      return failure();
    }
  }
  return result;
}
