//===- Float8Mode.cpp - Writes of the FPMR register -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Float8Mode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include <optional>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::aarch64;

static constexpr StringLiteral kIntrinsic = "llvm.aarch64.set.fpmr";

void aarch64::setFloat8Mode(OpBuilder &builder, Location loc, uint64_t mode) {
  Value bits = arith::ConstantIntOp::create(builder, loc, mode, 64);
  LLVM::CallIntrinsicOp::create(builder, loc, builder.getStringAttr(kIntrinsic),
                                bits);
}

/// Returns the mode if the op writes FPMR.
static std::optional<uint64_t> getMode(Operation *op) {
  auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
  APInt mode;
  if (!call || call.getIntrin() != kIntrinsic ||
      !matchPattern(call.getArgs().front(), m_ConstantInt(&mode)))
    return std::nullopt;
  return mode.getZExtValue();
}

static void setMode(Operation *op, uint64_t mode) {
  OpBuilder builder(op);
  Value bits = arith::ConstantIntOp::create(builder, op->getLoc(), mode, 64);
  op->setOperand(0, bits);
}

/// Returns a mode that is sufficient for both users, or none.
static std::optional<uint64_t> join(uint64_t a, uint64_t b) {
  if (a == b || b == kSecondSourceIsE4M3)
    return a;
  if (a == kSecondSourceIsE4M3)
    return b;
  return std::nullopt;
}

/// Whether FPMR is unknown after the op.
static bool clobbersMode(Operation *op) {
  return isa<CallOpInterface>(op) ||
         (op->getNumRegions() && !isa<scf::ForOp, scf::IfOp>(op));
}

/// Moves the writes inside of a loop or branch before it.
static void hoistOutOf(Operation *op) {
  SmallVector<Operation *> writes;
  std::optional<uint64_t> mode = kSecondSourceIsE4M3;
  WalkResult result = op->walk([&](Operation *nested) {
    if (clobbersMode(nested))
      return WalkResult::interrupt();
    std::optional<uint64_t> written = getMode(nested);
    if (!written)
      return WalkResult::advance();
    mode = join(*mode, *written);
    writes.push_back(nested);
    return mode ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (result.wasInterrupted() || writes.empty())
    return;
  for (Operation *write : writes)
    write->erase();
  OpBuilder builder(op);
  setFloat8Mode(builder, op->getLoc(), *mode);
}

static void hoistInside(Block &block) {
  for (Operation &op : block) {
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        hoistInside(nested);
    if (isa<scf::ForOp, scf::IfOp>(op))
      hoistOutOf(&op);
  }
  // The last write whose mode FPMR still has. A loop or branch that contains
  // writes leaves another mode.
  Operation *last = nullptr;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    std::optional<uint64_t> mode = getMode(&op);
    if (!mode) {
      bool forgets = op.walk([](Operation *nested) {
                         return clobbersMode(nested) || getMode(nested)
                                    ? WalkResult::interrupt()
                                    : WalkResult::advance();
                       }).wasInterrupted();
      last = forgets ? nullptr : last;
      continue;
    }
    std::optional<uint64_t> both;
    if (last)
      both = join(*getMode(last), *mode);
    if (!both) {
      last = &op;
      continue;
    }
    setMode(last, *both);
    op.erase();
  }
}

void aarch64::hoistFloat8Modes(Operation *root) {
  for (Region &region : root->getRegions())
    for (Block &block : region)
      hoistInside(block);
}
