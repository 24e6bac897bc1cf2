//===- PackArguments.cpp - Mark arguments as packed -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "quant-float/EntryPoint/Passes.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/EntryPointInfo.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATPACKARGUMENTSPASS
#include "quant-float/EntryPoint/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

static bool isPackable(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && getPackedElementType(tensor.getElementType());
}

/// Unpacks the constant to one byte per element, the layout of other resources.
static DenseResourceElementsAttr spread(DenseResourceElementsAttr constant) {
  Type elementType = constant.getElementType();
  unsigned bits = elementType.getIntOrFloatBitWidth();
  unsigned unused = 8 - bits;
  int64_t count = constant.getNumElements();
  ArrayRef<char> packed = constant.getRawHandle().getBlob()->getData();
  AsmResourceBlob blob = HeapAsmResourceBlob::allocate(count, /*align=*/1);
  MutableArrayRef<char> bytes = blob.getMutableData();
  for (int64_t i = 0; i < count; ++i) {
    uint64_t first = uint64_t(i) * bits, last = first + bits - 1;
    unsigned window = uint8_t(packed[first / 8]);
    // A 6-bit element may straddle two bytes.
    window |= unsigned(uint8_t(packed[last / 8])) << (last / 8 - first / 8) * 8;
    auto byte = static_cast<uint8_t>(window >> (first % 8) << unused);
    bytes[i] = elementType.isSignlessInteger()
                   ? static_cast<char>(static_cast<int8_t>(byte) >> unused)
                   : static_cast<char>(byte >> unused);
  }
  return DenseResourceElementsAttr::get(cast<ShapedType>(constant.getType()),
                                        constant.getRawHandle().getKey(),
                                        std::move(blob));
}

namespace {
struct PackArguments final
    : quant_float::impl::QuantFloatPackArgumentsPassBase<PackArguments> {
  using QuantFloatPackArgumentsPassBase::QuantFloatPackArgumentsPassBase;

  void runOnOperation() override {
    UnitAttr packed = UnitAttr::get(&getContext());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function.isPublic())
        continue;
      for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
        if (unpack)
          function.removeArgAttr(index, kPackedAttrName);
        else if (isPackable(type))
          function.setArgAttr(index, kPackedAttrName, packed);
      for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
        if (unpack)
          function.removeResultAttr(
              index, StringAttr::get(&getContext(), kPackedAttrName));
        else if (isPackable(type))
          function.setResultAttr(index, kPackedAttrName, packed);
    }
    if (!unpack)
      return;
    // Several ops may use the same constant.
    llvm::DenseMap<Attribute, Attribute> known;
    getOperation().walk([&](Operation *op) {
      if (!op->hasTrait<OpTrait::ConstantLike>())
        return;
      auto constant = op->getAttrOfType<DenseResourceElementsAttr>("value");
      if (!constant || !isPacked(constant))
        return;
      Attribute &made = known[constant];
      if (!made)
        made = spread(constant);
      op->setAttr("value", made);
    });
  }
};
} // namespace
