//===- Instructions.cpp - Conversion instructions of RISC-V ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Zvfofp8min converts between float8 and f32 or bf16. The register vtype
// selects the float8 format: E5M2 if its bit altfmt is set. LLVM has intrinsics
// for both formats, but does not clear the bit before later instructions on
// other types, for which it is reserved. E5M2 is therefore converted by inline
// assembly that clobbers vtype.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "quant-float/Support/InlineAsm.h"

using namespace mlir;
using namespace mlir::quant_float;

/// The number of elements that one instruction converts. Registers have at
/// least 128 bits, so vscale is at least 2, and the scalable vectors below have
/// at least 16 elements.
static constexpr int64_t kElements = 16;

static VectorType getScalable(Type element) {
  return VectorType::get(kElements / 2, element, /*scalableDims=*/true);
}

/// Converts the first elements of a register group by `instruction`, or by
/// `intrinsic` for E4M3. The intrinsic takes a rounding mode if `takesRounding`
/// is set, and the number of elements.
static Value convertVector(VectorBuilder &lanes, Value part, Type to,
                           bool isE5M2, StringRef intrinsic,
                           StringRef instruction, bool takesRounding) {
  OpBuilder &builder = lanes.getBuilder();
  Location loc = lanes.getLoc();
  VectorType fromType = getScalable(getElementTypeOrSelf(part));
  VectorType toType = getScalable(to);
  Value poison = LLVM::PoisonOp::create(builder, loc, fromType);
  Value wide = vector::ScalableInsertOp::create(builder, loc, part, poison, 0);
  Value result;
  if (isE5M2) {
    std::string assembly =
        ("vsetivli zero, 16, e8alt, m1, ta, ma\n\t" + instruction + " $0, $1")
            .str();
    result = createInlineAsm(builder, loc, toType, wide, assembly,
                             "=&^vr,^vr,~{vl},~{vtype}",
                             /*hasSideEffects=*/false)
                 .getResult(0);
  } else {
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantIntOp::create(builder, loc, value, 64);
    };
    SmallVector<Value> operands = {LLVM::PoisonOp::create(builder, loc, toType),
                                   wide};
    // The dynamic rounding mode, which is to nearest even in kernels (E1).
    if (takesRounding)
      operands.push_back(number(7));
    operands.push_back(number(kElements));
    result = LLVM::CallIntrinsicOp::create(builder, loc, toType,
                                           builder.getStringAttr(intrinsic),
                                           operands)
                 .getResult(0);
  }
  return vector::ScalableExtractOp::create(
      builder, loc, VectorType::get(kElements, to), result, 0);
}

Value riscv::encodeFloat8(VectorBuilder &lanes, Value part,
                          const Conversion &conversion) {
  bool isBF16 = getElementTypeOrSelf(part).isBF16();
  std::string saturates = conversion.semantics.saturate ? ".sat" : "";
  std::string intrinsic =
      "llvm.riscv.vfncvt" + saturates + (isBF16 ? ".f.f.w" : ".f.f.q");
  std::string instruction = (isBF16 ? "vfncvtbf16" : "vfncvt") + saturates +
                            (isBF16 ? ".f.f.w" : ".f.f.q");
  return convertVector(lanes, part, lanes.getInt(8),
                       isa<Float8E5M2Type>(conversion.to), intrinsic,
                       instruction, /*takesRounding=*/true);
}

Value riscv::finishEncoded(VectorBuilder &lanes,
                           function_ref<Value(Value)> convert, Value value,
                           const Conversion &conversion) {
  Value encodings = convert(value);
  bool isE5M2 = isa<Float8E5M2Type>(conversion.to);
  bool canBeNaN = conversion.nans != NaNs::None && conversion.nanMatters;
  if (!canBeNaN && (isE5M2 || conversion.semantics.saturate))
    return encodings;
  if (isE5M2)
    encodings = lanes.make<arith::MinUIOp>(lanes.bitAnd(encodings, 0x7F),
                                           lanes.integer(encodings, 0x7E));
  Value bits = lanes.toBits(value);
  Value isNegative = lanes.compare(arith::CmpIPredicate::slt, bits, 0);
  return lanes.select(isNegative, lanes.bitOr(encodings, 0x80), encodings);
}

Value riscv::decodeFloat8(VectorBuilder &lanes, Value part,
                          const Conversion &conversion) {
  return convertVector(lanes, part,
                       BFloat16Type::get(conversion.from.getContext()),
                       isa<Float8E5M2Type>(conversion.from),
                       "llvm.riscv.vfwcvt.f.f.v", "vfwcvtbf16.f.f.v",
                       /*takesRounding=*/false);
}

Value riscv::finishDecoded(VectorBuilder &lanes,
                           function_ref<Value(Value)> convert, Value encodings,
                           const Conversion &conversion) {
  Value bits = lanes.toBits(convert(encodings));
  if (conversion.nanMatters) {
    Value sign = lanes.shl(lanes.resize(lanes.bitAnd(encodings, 0x80), 16), 8);
    bits = lanes.make<arith::OrIOp>(bits, sign);
  }
  Type bf16 = BFloat16Type::get(conversion.from.getContext());
  if (conversion.to.isBF16())
    return lanes.bitcast(bits, bf16);
  // The instructions that widen floats also drop the signs of NaNs.
  Intermediate intermediate =
      decodeFloat(lanes, lanes.bitcast(bits, bf16), bf16);
  intermediate.nans = NaNs::Canonical;
  return encodeStandardFloat(lanes, intermediate,
                             cast<FloatType>(conversion.to));
}
