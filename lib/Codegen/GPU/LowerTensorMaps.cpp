//===- LowerTensorMaps.cpp - Pass tensor maps to kernels ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's lowering of nvgpu.tma.create.descriptor copies the tensor map to
// memory of the device, which it does not free. A parameter of the kernel needs
// neither memory nor a copy.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/GPU/Passes.h"
#include "quant-float/Support/RuntimeFunction.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATLOWERTENSORMAPSPASS
#include "quant-float/Codegen/GPU/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;

static constexpr StringLiteral kEncode = "quantFloatGpuEncodeTensorMap";
/// The alignment of a tensor map in bytes.
static constexpr int64_t kAlignment = 64;

namespace {
struct LowerTensorMaps final
    : quant_float::impl::QuantFloatLowerTensorMapsPassBase<LowerTensorMaps> {
  void runOnOperation() override;

private:
  LogicalResult lower(RewriterBase &rewriter, nvgpu::TmaCreateDescriptorOp op);
  LogicalResult passByAddress(RewriterBase &rewriter, LLVM::LLVMFuncOp kernel);
};
} // namespace

/// Encodes the tensor map in memory of the host, and loads it.
LogicalResult LowerTensorMaps::lower(RewriterBase &rewriter,
                                     nvgpu::TmaCreateDescriptorOp op) {
  auto cast = op.getTensor().getDefiningOp<memref::CastOp>();
  auto matrix =
      cast ? dyn_cast<MemRefType>(cast.getSource().getType()) : MemRefType();
  nvgpu::TensorMapDescriptorType type = op.getTensorMap().getType();
  if (!matrix || matrix.getRank() != 2 || !matrix.isLastDimUnitStride() ||
      op.getBoxDimensions().size() != 2 ||
      type.getSwizzle() != nvgpu::TensorMapSwizzleKind::SWIZZLE_128B ||
      type.getOob() != nvgpu::TensorMapOOBKind::OOB_ZERO ||
      type.getInterleave() != nvgpu::TensorMapInterleaveKind::INTERLEAVE_NONE)
    return op.emitOpError("expected a cast of a matrix with contiguous rows, a "
                          "box of two dimensions, swizzle_128b, zeros out of "
                          "bounds and no interleaving");
  unsigned bits = type.getTensor().getElementTypeBitWidth();
  if (bits != 8 && bits != 16)
    return op.emitOpError("expected elements of 8 or 16 bits, but got ")
           << type.getTensor().getElementType();
  auto function = op->getParentOfType<FunctionOpInterface>();
  UnrealizedConversionCastOp array;
  for (Operation *user : op->getUsers())
    array = dyn_cast<UnrealizedConversionCastOp>(user);
  if (!function || !op->hasOneUse() || !array ||
      !isa<LLVM::LLVMArrayType>(array.getType(0)))
    return op.emitOpError("expected one cast to an LLVM array as the only use");

  Location loc = op.getLoc();
  Type i64 = rewriter.getI64Type(), i32 = rewriter.getI32Type();
  auto pointer = LLVM::LLVMPointerType::get(&getContext());
  rewriter.setInsertionPointToStart(&function.front());
  Value one = LLVM::ConstantOp::create(rewriter, loc, i64, 1);
  Value map = LLVM::AllocaOp::create(rewriter, loc, pointer, array.getType(0),
                                     one, kAlignment);
  rewriter.setInsertionPoint(op);
  auto toInteger = [&](Type type, Value index) -> Value {
    return arith::IndexCastOp::create(rewriter, loc, type, index);
  };
  auto metadata =
      memref::ExtractStridedMetadataOp::create(rewriter, loc, cast.getSource());
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(
      rewriter, loc, cast.getSource());
  Value bytes = arith::ConstantIndexOp::create(rewriter, loc, bits / 8);
  Value offset =
      arith::MulIOp::create(rewriter, loc, metadata.getOffset(), bytes);
  address = arith::AddIOp::create(rewriter, loc, address, offset);
  Value rowBytes =
      arith::MulIOp::create(rewriter, loc, metadata.getStrides()[0], bytes);
  LLVM::CallOp::create(
      rewriter, loc, TypeRange(), kEncode,
      ValueRange{map,
                 LLVM::IntToPtrOp::create(rewriter, loc, pointer,
                                          toInteger(i64, address)),
                 toInteger(i64, metadata.getSizes()[0]),
                 toInteger(i64, metadata.getSizes()[1]),
                 toInteger(i64, rowBytes), toInteger(i32, bytes),
                 toInteger(i32, op.getBoxDimensions()[0]),
                 toInteger(i32, op.getBoxDimensions()[1])});
  rewriter.replaceOpWithNewOp<LLVM::LoadOp>(array, array.getType(0), map,
                                            kAlignment);
  rewriter.eraseOp(op);
  return success();
}

/// Lets a kernel take each array that it uses as an address by the address of
/// the parameter.
LogicalResult LowerTensorMaps::passByAddress(RewriterBase &rewriter,
                                             LLVM::LLVMFuncOp kernel) {
  if (kernel.isExternal())
    return success();
  SmallVector<Type> types(kernel.getArgumentTypes());
  auto pointer = LLVM::LLVMPointerType::get(&getContext());
  for (BlockArgument argument : kernel.getArguments()) {
    Type array = argument.getType();
    if (!isa<LLVM::LLVMArrayType>(array))
      continue;
    for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
      auto cast = dyn_cast<UnrealizedConversionCastOp>(user);
      if (!cast || cast.getNumResults() != 1 || cast.getType(0) != pointer)
        return user->emitOpError("expected a cast to an LLVM pointer");
      rewriter.replaceAllUsesWith(cast.getResult(0), argument);
      rewriter.eraseOp(cast);
    }
    argument.setType(pointer);
    unsigned number = argument.getArgNumber();
    types[number] = pointer;
    kernel.setArgAttr(number, LLVM::LLVMDialect::getByValAttrName(),
                      TypeAttr::get(array));
    kernel.setArgAttr(number, LLVM::LLVMDialect::getAlignAttrName(),
                      rewriter.getI64IntegerAttr(kAlignment));
    kernel.setArgAttr(number, NVVM::NVVMDialect::getGridConstantAttrName(),
                      rewriter.getUnitAttr());
  }
  LLVM::LLVMFunctionType type = kernel.getFunctionType();
  kernel.setFunctionType(
      LLVM::LLVMFunctionType::get(type.getReturnType(), types));
  return success();
}

void LowerTensorMaps::runOnOperation() {
  ModuleOp module = getOperation();
  IRRewriter rewriter(&getContext());
  SmallVector<nvgpu::TmaCreateDescriptorOp> maps;
  module.walk([&](nvgpu::TmaCreateDescriptorOp op) { maps.push_back(op); });
  if (!maps.empty()) {
    auto pointer = LLVM::LLVMPointerType::get(&getContext());
    Type i64 = rewriter.getI64Type(), i32 = rewriter.getI32Type();
    if (failed(quant_float::declareFunction(
            rewriter, module, kEncode,
            {pointer, pointer, i64, i64, i64, i32, i32, i32},
            LLVM::LLVMVoidType::get(&getContext()))))
      return signalPassFailure();
  }
  for (nvgpu::TmaCreateDescriptorOp map : maps)
    if (failed(lower(rewriter, map)))
      return signalPassFailure();
  WalkResult result = module.walk([&](gpu::GPUModuleOp kernels) {
    // The size is that of the launch. Otherwise LLVM would place the variable
    // among those of static size.
    for (auto memory : kernels.getOps<LLVM::GlobalOp>())
      if (auto type = dyn_cast<LLVM::LLVMArrayType>(memory.getGlobalType());
          type && type.getNumElements() == 0)
        memory.setLinkage(LLVM::Linkage::External);
    for (auto kernel : kernels.getOps<LLVM::LLVMFuncOp>())
      if (failed(passByAddress(rewriter, kernel)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    signalPassFailure();
}
