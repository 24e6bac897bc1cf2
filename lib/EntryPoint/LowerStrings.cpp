//===- LowerStrings.cpp - Lower string ops to runtime calls ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "quant-float/EntryPoint/Passes.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/EntryPointInfo.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Support/Locations.h"
#include "quant-float/Support/Printable.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATLOWERSTRINGSPASS
#include "quant-float/EntryPoint/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// Lowers the string ops of one kernel.
class StringLowering {
public:
  StringLowering(func::FuncOp kernel, EntryPointInfo &info)
      : kernel(kernel), info(info), b(kernel.getLoc(), kernel.getContext()) {}

  void lower(CastStringsOp op);
  void lower(LoadStringsOp op);

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  /// Returns the address of the state that the runtime keeps for the run.
  Value getRun() {
    return arith::IndexCastOp::create(
        b, b.getIndexType(), kernel.getArgument(kernel.getNumArguments() - 1));
  }
  Value getAddress(Value buffer) {
    return memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
  }
  Value makeLayout(Value in, Value out);
  void call(StringRef name, ValueRange arguments);

  func::FuncOp kernel;
  EntryPointInfo &info;
  ImplicitLocOpBuilder b;
};

struct LowerStrings final
    : quant_float::impl::QuantFloatLowerStringsPassBase<LowerStrings> {
  using QuantFloatLowerStringsPassBase::QuantFloatLowerStringsPassBase;
  void runOnOperation() override;

private:
  LogicalResult lower(func::FuncOp function);
};
} // namespace

/// Returns the address of the `layout` of Runtime/Entry/StringRuntime.c: the
/// rank, the offsets of both buffers, the sizes, the strides of both, and space
/// for one number per dimension.
Value StringLowering::makeLayout(Value in, Value out) {
  auto from = memref::ExtractStridedMetadataOp::create(b, in);
  auto to = memref::ExtractStridedMetadataOp::create(b, out);
  auto rank = static_cast<int64_t>(to.getSizes().size());
  SmallVector<Value> fields = {constant(rank), from.getOffset(),
                               to.getOffset()};
  llvm::append_range(fields, to.getSizes());
  llvm::append_range(fields, from.getStrides());
  llvm::append_range(fields, to.getStrides());
  Value layout;
  {
    // In the entry block, because this may be in a loop: one allocation for
    // each call of the kernel.
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&kernel.getBody().front());
    layout = memref::AllocaOp::create(
        b, MemRefType::get({static_cast<int64_t>(fields.size()) + rank},
                           b.getIndexType()));
  }
  for (auto [index, field] : llvm::enumerate(fields))
    memref::StoreOp::create(b, field, layout, constant(index));
  return getAddress(layout);
}

void StringLowering::call(StringRef name, ValueRange arguments) {
  auto module = kernel->getParentOfType<ModuleOp>();
  auto type = b.getFunctionType(TypeRange(arguments), {});
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(module.getBody());
    func::FuncOp::create(b, name, type).setPrivate();
  }
  func::CallOp::create(b, name, TypeRange(), arguments);
}

/// Returns the flags of Runtime/Entry/ParseNumber.h.
static int64_t getFlags(CastStringsOp op) {
  constexpr int64_t kSaturates = 1, kInfinityIsNaN = 2, kRoundsDown = 4,
                    kRoundsNearest = 8;
  return (op.getSaturate() ? kSaturates : 0) |
         (op.getInfinityIsNan() ? kInfinityIsNaN : 0) |
         (op.getRoundMode() == RoundMode::Down      ? kRoundsDown
          : op.getRoundMode() == RoundMode::Nearest ? kRoundsNearest
                                                    : 0);
}

void StringLowering::lower(CastStringsOp op) {
  b.setLoc(op.getLoc());
  b.setInsertionPoint(op);
  std::string nodePrefix;
  StringRef node = getNodeName(op.getLoc());
  if (!node.empty())
    nodePrefix = "node '" + printable(node) + "': ";
  int64_t message = info.messages.size();
  info.messages.push_back(nodePrefix);
  Value in = op.getInput(), out = op.getInit();
  call("__qf_cast_strings",
       {getRun(), constant(message), getAddress(in), getAddress(out),
        makeLayout(in, out), constant(*getDataType(op.getFrom())),
        constant(*getDataType(op.getTo())), constant(getFlags(op))});
  op.erase();
}

void StringLowering::lower(LoadStringsOp op) {
  b.setLoc(op.getLoc());
  b.setInsertionPoint(op);
  Value out = op.getInit();
  call("__qf_load_strings",
       {getRun(), getAddress(op.getOffsets()), getAddress(op.getBytes()),
        getAddress(out), makeLayout(out, out)});
  op.erase();
}

LogicalResult LowerStrings::lower(func::FuncOp function) {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (isa<CastStringsOp, LoadStringsOp>(op))
      ops.push_back(op);
  });
  if (!function->hasAttr(kEntryPointAttrName)) {
    if (ops.empty())
      return success();
    return ops.front()->emitOpError()
           << "has no lowering outside of an entry point, but is in function '"
           << function.getSymName() << "'";
  }
  FailureOr<EntryPointInfo> info = EntryPointInfo::get(function);
  if (failed(info))
    return failure();
  if (onDevice && info->hasStrings)
    return function.emitError("function '")
           << info->symbol << "': strings have no lowering for GPUs";
  for (Operation *op : ops)
    for (Type type : op->getOperandTypes())
      if (!isa<MemRefType>(type))
        return op->emitOpError() << "expected memrefs, but got " << type;
  StringLowering lowering(function, *info);
  for (Operation *op : ops) {
    if (auto castOp = dyn_cast<CastStringsOp>(op))
      lowering.lower(castOp);
    else
      lowering.lower(cast<LoadStringsOp>(op));
  }
  if (!ops.empty())
    function->setAttr(kEntryPointAttrName, info->toAttribute(&getContext()));
  return success();
}

void LowerStrings::runOnOperation() {
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (!function.isExternal() && failed(lower(function)))
      return signalPassFailure();
}
