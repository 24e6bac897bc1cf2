//===- SharedFunctions.cpp - Outlined functions ---------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedFunctions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "quant-float/Support/LlvmCompat.h"

using namespace mlir;
using namespace mlir::quant_float;

Type quant_float::getBufferArgumentType(Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!type)
    return {};
  auto layout = dyn_cast<StridedLayoutAttr>(type.getLayout());
  if (!layout)
    return type.getLayout().isIdentity() ? type : Type();
  return MemRefType::get(type.getShape(), type.getElementType(),
                         StridedLayoutAttr::get(type.getContext(),
                                                ShapedType::kDynamic,
                                                layout.getStrides()),
                         type.getMemorySpace());
}

func::FuncOp quant_float::makeInternalFunction(Location loc, StringRef name,
                                               TypeRange arguments,
                                               TypeRange results) {
  OpBuilder builder(loc.getContext());
  auto function = func::FuncOp::create(
      loc, name, builder.getFunctionType(arguments, results));
  function.setPrivate();
  function->setAttr(
      "llvm.linkage",
      LLVM::LinkageAttr::get(loc.getContext(), LLVM::Linkage::Internal));
  function->setAttr(kPassthroughAttrName,
                    builder.getStrArrayAttr({"noinline"}));
  function.addEntryBlock();
  return function;
}

func::CallOp quant_float::callWithCasts(OpBuilder &builder, Location loc,
                                        func::FuncOp function,
                                        ValueRange arguments) {
  SmallVector<Value> cast;
  for (auto [argument, type] :
       llvm::zip_equal(arguments, function.getArgumentTypes()))
    cast.push_back(
        argument.getType() == type
            ? argument
            : memref::CastOp::create(builder, loc, type, argument).getResult());
  return func::CallOp::create(builder, loc, function, cast);
}
