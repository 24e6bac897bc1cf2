//===- AssumeNoAlignment.cpp - Assume unaligned buffers -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InsertedValue.h"
#include "quant-float/EntryPoint/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATASSUMENOALIGNMENTPASS
#include "quant-float/EntryPoint/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

/// Whether the address is in memory that the compiled code lays out itself, an
/// alloca or a global. Arguments, and addresses of unknown origin, may be the
/// caller's.
static bool isCompilerAllocated(Value address) {
  while (Operation *op = address.getDefiningOp()) {
    if (isa<LLVM::AllocaOp, LLVM::AddressOfOp>(op))
      return true;
    if (auto gep = dyn_cast<LLVM::GEPOp>(op)) {
      address = gep.getBase();
      continue;
    }
    auto extract = dyn_cast<LLVM::ExtractValueOp>(op);
    if (!extract)
      return false;
    address = findInserted(extract.getContainer(), extract.getPosition());
    if (!address)
      return false;
  }
  return false;
}

namespace {

struct QuantFloatAssumeNoAlignmentPass
    : public quant_float::impl::QuantFloatAssumeNoAlignmentPassBase<
          QuantFloatAssumeNoAlignmentPass> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      llvm::TypeSwitch<Operation *>(op)
          .Case<LLVM::LoadOp, LLVM::StoreOp>([](auto access) {
            // Atomic accesses require their alignment, and never access
            // tensors. Non-temporal accesses are guarded by a check of the
            // address.
            if (access.getOrdering() == LLVM::AtomicOrdering::not_atomic &&
                !access.getNontemporal() &&
                !isCompilerAllocated(access.getAddr()))
              access.setAlignment(1);
          })
          .Case<LLVM::MaskedLoadOp, LLVM::MaskedStoreOp>([](auto access) {
            if (!isCompilerAllocated(access.getData()))
              access.setAlignment(1);
          })
          .Case<LLVM::masked_gather, LLVM::masked_scatter>(
              [](auto access) { access.setAlignment(1); });
    });
  }
};

} // namespace
