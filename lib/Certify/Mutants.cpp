//===- Mutants.cpp - Incorrect lowerings ----------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Certify/Mutants.h"
#include "quant-float/IR/Constants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "quant-float/Certify/Certify.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Model/Model.h"
#include "quant-float/Support/FloatFormat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include <atomic>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::certify;
using arith::CmpFPredicate;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {
/// How a mutant changes an operation.
enum class Change {
  /// Replaces the constant operand that was matched.
  Constant,
  /// Replaces the predicate of a floating-point comparison.
  Predicate,
  /// Replaces the operation by the one named `replacement`.
  Operation,
  /// Replaces the operation by its first operand.
  LeaveOut,
  /// Adds `value` to the bits of the second operand.
  Add,
  /// Adds the zero point before rounding instead of after it.
  ZeroPointFirst,
  /// Rounds the result, an f64, to f32.
  RoundToF32,
  /// Changes the order of two multiplications or divisions, whose intermediate
  /// result is rounded.
  Reassociate
};

/// One mistake. It is applied to every matching operation, in vector loops as
/// well as in their remainders.
struct Mutant {
  StringLiteral name, mistake, conversion;
  /// The name of the operation. Empty matches any.
  StringLiteral op;
  /// The bits of a constant that must be an operand.
  std::optional<uint64_t> constant;
  Change change;
  /// The new constant, the new predicate of comparisons with OLT if there is no
  /// constant, or the addend.
  uint64_t value = 0;
  StringLiteral replacement = "";
};
} // namespace

static constexpr uint64_t toNumber(CmpFPredicate predicate) {
  return static_cast<uint64_t>(predicate);
}

static constexpr Mutant kMutants[] = {
    // f8E4M3FN
    {"e4m3_tie", "a tie goes up instead of to even",
     "cast_f16_to_f8E4M3FN_saturate1", "arith.addf", std::nullopt, Change::Add,
     1},
    {"e4m3_nan", "NaN becomes the largest number",
     "cast_f16_to_f8E4M3FN_saturate1", "arith.select", 0x43F00000,
     Change::Constant, 0x43E00000},
    {"e4m3_limit", "saturates from 465 instead of 448",
     "cast_f16_to_f8E4M3FN_saturate1", "", 0x43E00000, Change::Constant,
     0x43E88000},
    {"e4m3_limit_low", "saturates at 416 instead of 448",
     "cast_f16_to_f8E4M3FN_saturate1", "", 0x43E00000, Change::Constant,
     0x43D00000},
    {"e4m3_subnormal", "subnormals begin below 2^-5 instead of 2^-6",
     "cast_f32_to_f8E4M3FN_saturate1", "", 0x3C800000, Change::Constant,
     0x3D000000},
    {"e4m3_sign", "the sign is lost", "cast_f32_to_f8E4M3FN_saturate1",
     "arith.andi", 0x80, Change::Constant, 0},
    {"e4m3_factor", "keeps one mantissa bit too many",
     "cast_f32_to_f8E4M3FN_saturate1", "arith.mulf", 0x49800038,
     Change::Constant, 0x49000038},
    {"e4m3_overflow", "overflow becomes the largest number, not NaN",
     "cast_f16_to_f8E4M3FN_saturate0", "arith.select", 0x43F00000,
     Change::Constant, 0x43E00000},
    {"e4m3_decode_nan", "the encoding of NaN is decoded as 480",
     "cast_f8E4M3FN_to_f32", "arith.cmpi", 0x7F, Change::Constant, 0x80},
    {"e4m3_decode_subnormal", "subnormals are decoded with a half too much",
     "cast_f8E4M3FN_to_f32", "arith.subf", 0x3C800000, Change::Constant,
     0x3C000000},
    // f8E5M2
    {"e5m2_infinity", "overflow becomes the largest number, not infinity",
     "cast_f16_to_f8E5M2_saturate0", "", 0x47800000, Change::Constant,
     0x47600000},
    {"e5m2_tie", "a tie goes up instead of to even",
     "cast_bf16_to_f8E5M2_saturate1", "arith.addf", std::nullopt, Change::Add,
     1},
    {"e5m2_decode_infinity", "infinity is decoded as a number",
     "cast_f8E5M2_to_f32", "arith.cmpi", 0x7C, Change::Constant, 0x7D},
    {"e5m2_decode_nan", "NaN gets a payload", "cast_f8E5M2_to_f32",
     "arith.select", 0x7FC00000, Change::Constant, 0x7FE00000},
    // The FNUZ types
    {"fnuz_zero", "what underflows keeps its sign, and is NaN",
     "cast_f32_to_f8E4M3FNUZ_saturate1", "arith.cmpf", 0x3A000000,
     Change::Constant, 0x39800000},
    {"fnuz_infinity", "opset 23's infinity saturates",
     "cast_f16_to_f8E4M3FNUZ_saturate1_opset23", "arith.cmpf", 0x7F800000,
     Change::Predicate, toNumber(CmpFPredicate::OLE)},
    {"fnuz_nan", "NaN becomes the largest number",
     "cast_f16_to_f8E4M3FNUZ_saturate1", "arith.select", 0x43800000,
     Change::Constant, 0x43700000},
    {"fnuz_decode_nan", "zero is decoded as NaN", "cast_f8E4M3FNUZ_to_f32",
     "arith.cmpi", 0x80, Change::Constant, 0},
    {"fnuz_true", "NaN is false, and zero is true", "cast_f8E4M3FNUZ_to_i1",
     "arith.cmpi", 0, Change::Constant, 0x80},
    // f8E8M0FNU
    {"e8m0_tie", "a tie goes down", "cast_f32_to_f8E8M0FNU_saturate1_nearest",
     "arith.addi", 0x400000, Change::Constant, 0x3FFFFF},
    {"e8m0_smallest", "the tie between the smallest two goes down",
     "cast_f32_to_f8E8M0FNU_saturate1_nearest", "arith.cmpi", 0x600000,
     Change::Constant, 0x600001},
    {"e8m0_nan", "NaN becomes the largest number",
     "cast_f32_to_f8E8M0FNU_saturate1_nearest", "arith.select", 0xFF,
     Change::Constant, 0xFE},
    {"e8m0_limit", "overflow becomes NaN",
     "cast_bf16_to_f8E8M0FNU_saturate1_nearest", "arith.select", 0xFE,
     Change::Constant, 0xFF},
    {"e8m0_direction", "rounds down instead of up",
     "cast_f32_to_f8E8M0FNU_saturate0_up", "arith.addi", 0x7FFFFF,
     Change::Constant, 0},
    {"e8m0_range", "2^127 is an overflow", "cast_f32_to_f8E8M0FNU_saturate0_up",
     "arith.cmpi", 0x7EC00000, Change::Constant, 0x7EBFFFFF},
    {"e8m0_decode_smallest", "2^-127 is decoded as zero",
     "cast_f8E8M0FNU_to_f32", "arith.ori", 0x400000, Change::Constant, 0},
    // f4E2M1FN
    {"e2m1_nan", "NaN becomes a zero of one sign", "cast_f16_to_f4E2M1FN",
     "arith.xori", std::nullopt, Change::Operation, 0, "arith.ori"},
    {"e2m1_limit", "saturates at 4 instead of 6", "cast_f16_to_f4E2M1FN", "",
     0x40C00000, Change::Constant, 0x40800000},
    // bf16 and f16
    {"bf16_tie_away", "a tie goes away from zero", "cast_f64_to_bf16",
     "arith.addi", 0x7FFF, Change::Constant, 0x8000},
    {"bf16_tie_down", "a tie goes toward zero", "cast_f64_to_bf16",
     "arith.andi", 1, Change::Constant, 0},
    {"bf16_nan", "NaN becomes infinity", "cast_f32_to_bf16", "arith.ori",
     0x7FC0, Change::Constant, 0x7F80},
    {"bf16_nan_sign", "the sign of NaN is lost", "cast_f32_to_bf16",
     "arith.andi", 0x8000, Change::Constant, 0},
    {"f16_infinity", "overflow becomes the largest number", "cast_bf16_to_f16",
     "", 0x47800000, Change::Constant, 0x477FE000},
    {"f16_subnormal", "subnormals begin below 2^-13 instead of 2^-14",
     "cast_bf16_to_f16", "", 0x38800000, Change::Constant, 0x39000000},
    {"f16_decode_subnormal", "the largest subnormal is decoded as normal",
     "cast_f16_to_f32", "arith.cmpi", 0x400, Change::Constant, 0x3FF},
    {"f16_decode_infinity", "NaNs are decoded as infinity", "cast_f16_to_f32",
     "arith.select", 0x7FC00000, Change::Constant, 0x7F800000},
    // Two roundings
    {"f64_twice", "rounds to f32 and then to bf16", "cast_f64_to_bf16",
     "arith.ori", 1, Change::Constant, 0},
    {"f64_twice_e4m3", "rounds to f32 and then to f8E4M3FN",
     "cast_f64_to_f8E4M3FN_saturate1", "arith.ori", 1, Change::Constant, 0},
    // Integers
    {"i8_wrap", "what is too large saturates and does not wrap around",
     "cast_f32_to_i8", "arith.select", 0x7FFFFFFF, Change::Constant, 0x7F},
    {"i8_nan", "NaN becomes 1", "cast_bf16_to_i8", "arith.select", 0,
     Change::Constant, 1},
    {"ui32_limit", "saturates from 2^64 on instead of 2^63",
     "cast_bf16_to_ui32", "arith.cmpi", 1086, Change::Constant, 1087},
    {"i4_sign", "negative numbers become positive", "cast_i4_to_i8",
     "arith.shrsi", std::nullopt, Change::Operation, 0, "arith.shrui"},
    {"i32_clamp", "integers are cut at 256 before rounding",
     "cast_i32_to_f8E4M3FN_saturate1", "arith.minsi", 0x1000000,
     Change::Constant, 0x100},
    {"i64_negative", "negative integers become 0", "cast_i64_to_f16",
     "arith.maxsi", uint64_t(-0x1000000), Change::Constant, 0},
    // Quantizations
    {"quantize_wrap", "wraps around instead of saturating",
     "quantize_f32_by_f32_to_ui16_in_f32", "arith.minnumf", std::nullopt,
     Change::LeaveOut},
    {"quantize_tie", "a tie goes up instead of to even",
     "quantize_f32_by_f32_to_ui8_in_f32", "arith.divf", std::nullopt,
     Change::Add, uint64_t(-1)},
    {"quantize_nan", "NaN becomes 1",
     "quantize_f32_by_f32_to_ui16_in_f32_zero_point", "arith.select", 0,
     Change::Constant, 0x3F800000},
    {"quantize_zero_point", "the zero point is added before rounding",
     "quantize_f32_by_f32_to_ui16_in_f32_zero_point", "arith.addf", 0x4B400000,
     Change::ZeroPointFirst},
    {"quantize_limit", "saturates at 65534 instead of 65535",
     "quantize_f32_by_f32_to_ui16_in_f32_zero_point", "", 0x477FFF00,
     Change::Constant, 0x477FFE00},
    {"quantize_cap", "caps quotients at 32 instead of 2^14",
     "quantize_f32_by_f32_to_ui8_in_f32", "", 0x46800000, Change::Constant,
     0x42000000},
    {"quantize_cap_float", "caps quotients at 32 instead of 448",
     "quantize_f32_by_f32_to_f8E4M3FN_in_f32_saturate1", "", 0x43E00000,
     Change::Constant, 0x42000000},
    {"dequantize_zero_point", "the zero point is added",
     "dequantize_i8_by_f32_to_f32_zero_point", "arith.subi", std::nullopt,
     Change::Operation, 0, "arith.addi"},
    {"dequantize_sign", "the input's sign is lost",
     "dequantize_i32_by_f32_to_f16_zero_point", "arith.extsi", std::nullopt,
     Change::Operation, 0, "arith.extui"},
    // fakeconvert
    {"fakeconvert_nan", "NaN is above the range",
     "fakeconvert_f32_by_f32_through_f8E4M3FN_to_f32_openvino", "arith.cmpf",
     0xC3E00000, Change::Predicate, toNumber(CmpFPredicate::UGT)},
    {"fakeconvert_doubling", "numbers below a power of two are not doubled",
     "fakeconvert_f32_by_f32_through_f8E5M2_to_f32_openvino_reference",
     "arith.cmpi", 0x7FF000, Change::Constant, 0x800000},
    {"fakeconvert_tiny", "f8E4M3FN's numbers end at 2^-10",
     "fakeconvert_f32_by_f32_through_f8E4M3FN_to_f32_openvino_reference",
     "arith.cmpf", 0x3B000000, Change::Constant, 0x3A800000},
    // Scales of blocks that are powers of two
    {"block_floor_exponent", "the scale is twice as large",
     "block_scale_floor_f32_for_f8E4M3FN_to_f8E8M0FNU", "arith.addi",
     uint64_t(-8), Change::Constant, uint64_t(-7)},
    {"block_floor_zero", "a block of zeros has the scale 2^-126",
     "block_scale_floor_f32_for_f8E4M3FN_to_f8E8M0FNU", "arith.maxsi", 0,
     Change::Constant, 1},
    {"block_floor_nan", "NaN and infinity give the largest scale",
     "block_scale_floor_f32_for_f8E4M3FN_to_f8E8M0FNU", "arith.select", 0xFF,
     Change::Constant, 0xFE},
    {"block_floor_infinity", "infinity gives the largest scale",
     "block_scale_floor_f32_for_f8E4M3FN_to_f8E8M0FNU", "arith.cmpi",
     0x7F800000, Change::Constant, 0x7F800001},
    {"block_floor_sign", "the sign of a magnitude belongs to its exponent",
     "block_scale_floor_f32_for_f8E4M3FN_to_f8E8M0FNU", "arith.andi",
     0x7FFFFFFF, Change::Constant, uint64_t(-1)},
    {"block_ceil_power", "a power of two is rounded up",
     "block_scale_ceil_f32_for_f8E4M3FN_to_f8E8M0FNU", "arith.addi", 0x7FFFFF,
     Change::Constant, 0x800000},
    {"block_even_tie", "a tie of the mantissa goes down",
     "block_scale_even_f32_for_f8E4M3FN_to_f8E8M0FNU", "arith.addi", 0x80000,
     Change::Constant, 0x7FFFF},
    {"block_even_overflow", "a number that rounds to 2^128 is finite",
     "block_scale_even_f32_for_f8E4M3FN_to_f8E8M0FNU", "arith.cmpi", 0x7F780000,
     Change::Constant, 0x7F800000},
    {"block_rceil_threshold", "the quotient is exact, not the product",
     "block_scale_rceil_f32_for_i8_to_f8E8M0FNU", "arith.addi", 0x1FFFE,
     Change::Constant, 0x1FFFF},
    {"block_rceil_smallest", "a quotient that rounds to 2^-127 is above it",
     "block_scale_rceil_f32_for_f8E4M3FN_to_f8E8M0FNU", "arith.cmpi", 0x4600002,
     Change::Constant, 0x4600001},
    {"block_ceil_exact_bound", "the largest element takes twice the scale",
     "block_scale_ceil_exact_f32_for_f8E4M3FN_to_f8E8M0FNU", "arith.addi",
     0x1FFFFF, Change::Constant, 0x200000},
    {"block_nearest_tie", "1.5 times a power of two goes down",
     "block_scale_nearest_f32_for_f4E2M1FN_to_f8E8M0FNU", "arith.addi",
     0x700000, Change::Constant, 0x6FFFFF},
    {"block_tosa_bound", "the largest element keeps its scale",
     "block_scale_tosa_f32_for_f4E2M1FN_to_f8E8M0FNU", "arith.addi", 0x400000,
     Change::Constant, 0x3FFFFF},
    // Scales of blocks by implementations
    {"block_absmax_zero", "a scale of 0 stays 0",
     "block_scale_absmax_f32_for_f8E4M3FN_to_f32", "arith.select", 0x3F800000,
     Change::Constant, 0},
    {"block_absmax_overflow", "finite numbers give an infinite scale",
     "block_scale_absmax_f32_for_f4E2M1FN_to_f16", "arith.select", 0x477FE000,
     Change::Constant, 0x7F800000},
    {"block_absmax_largest", "divides by 128 instead of 127",
     "block_scale_absmax_f32_for_i8_to_f32", "arith.divf", 0x42FE0000,
     Change::Constant, 0x43000000},
    {"block_deepgemm_least", "there is no smallest magnitude",
     "block_scale_deepgemm_f32_for_f8E4M3FN_to_f32", "", 0x38D1B717,
     Change::Constant, 0},
    {"block_deepgemm_direction", "rounds down to a power of two",
     "block_scale_deepgemm_f32_for_f8E4M3FN_to_f8E8M0FNU", "arith.addi",
     0x7FFFFF, Change::Constant, 0},
    {"block_ggml_limit", "240 is the scale from 248 on",
     "block_scale_ggml_f32_for_f4E2M1FN_to_f8E4M3FN", "arith.cmpf", 0x43780000,
     Change::Constant, 0x437FFFFF},
    {"block_ggml_tie", "a tie goes down",
     "block_scale_ggml_f32_for_f4E2M1FN_to_f8E4M3FN", "arith.addi", 0x80000,
     Change::Constant, 0x7FFFF},
    {"block_ggml_subnormal", "subnormal scales round up to the smallest normal",
     "block_scale_ggml_f32_for_f4E2M1FN_to_f8E4M3FN", "", 0x40E00000,
     Change::Constant, 0x41000000},
    {"block_ggml_exponent", "the scale is half of it",
     "block_scale_ggml_f32_for_f4E2M1FN_to_f8E8M0FNU", "arith.addi",
     uint64_t(-2), Change::Constant, uint64_t(-3)},
    // Scales of two levels
    {"block_te_sixth", "1/6 is rounded down",
     "block_scale_transformer_engine_f32_for_f4E2M1FN_to_f8E4M3FN_tensor_amax",
     "arith.mulf", 0x3E2AAAAB, Change::Constant, 0x3E2AAAAA},
    {"block_te_infinity", "the reciprocal of a tiny tensor is infinite",
     "block_scale_transformer_engine_f32_for_f4E2M1FN_to_f8E4M3FN_tensor_amax",
     "", 0x7F7FFFFF, Change::Constant, 0x7F800000},
    {"block_te_zero", "a tensor of zeros has the reciprocal 0",
     "block_scale_transformer_engine_f32_for_f4E2M1FN_to_f8E4M3FN_tensor_amax",
     "arith.select", 0x3F800000, Change::Constant, 0},
    {"block_te_order", "multiplies the magnitude by E before 1/6",
     "block_scale_transformer_engine_f32_for_f4E2M1FN_to_f8E4M3FN_tensor_scale",
     "arith.mulf", std::nullopt, Change::Reassociate},
    {"block_torchao_least", "the smallest scale is 2^-9 instead of 2^-6",
     "block_scale_torchao_f32_for_f4E2M1FN_to_f8E4M3FN_tensor_amax", "",
     0x3C800000, Change::Constant, 0x3B000000},
    {"block_torchao_order", "divides by the product of 6 and T",
     "block_scale_torchao_f32_for_f4E2M1FN_to_f8E4M3FN_tensor_scale",
     "arith.divf", std::nullopt, Change::Reassociate},
    {"block_model_optimizer_zero", "a block of zeros has the smallest scale",
     "block_scale_model_optimizer_f32_for_f4E2M1FN_to_f8E4M3FN_tensor_scale",
     "arith.select", 0x3F800000, Change::Constant, 0x3B000000},
    {"block_model_optimizer_order", "divides by 6 before T",
     "block_scale_model_optimizer_f32_for_f4E2M1FN_to_f8E4M3FN_tensor_scale",
     "arith.divf", std::nullopt, Change::Reassociate},
    {"block_compressed_zero", "a block of zeros has the scale 1",
     "block_scale_compressed_tensors_f32_for_f4E2M1FN_to_f8E4M3FN_tensor_amax",
     "arith.select", 0x3E000000, Change::Constant, 0x3F800000},
    {"block_compressed_order", "divides 2688 by S instead of multiplying",
     "block_scale_compressed_tensors_f32_for_f4E2M1FN_to_f8E4M3FN_tensor_amax",
     "arith.mulf", std::nullopt, Change::Reassociate},
    {"tensor_scale_zero", "a tensor of zeros has the scale 0",
     "tensor_scale_f32_to_f32", "arith.select", 0x3F800000, Change::Constant,
     0},
    {"tensor_scale_largest", "divides by 2687 instead of 2688",
     "tensor_scale_f32_to_f32", "arith.divf", 0x45280000, Change::Constant,
     0x4527F000},
    // Elements of blocks
    {"block_element_exponent", "the reciprocal of the scale is half of it",
     "block_quantize_elements_floor_f32_by_f8E8M0FNU_to_f8E4M3FN", "arith.subi",
     254, Change::Constant, 253},
    {"block_element_sign", "the sign of an element is lost",
     "block_quantize_elements_rceil_f32_by_f8E8M0FNU_to_f8E4M3FN", "arith.andi",
     0x80, Change::Constant, 0},
    {"block_element_nan", "the elements of a NaN are the largest number",
     "block_quantize_elements_rceil_f32_by_f8E8M0FNU_to_f8E4M3FN",
     "arith.select", 0x43F00000, Change::Constant, 0x43E00000},
    {"block_element_lowest", "MXINT8 has the lowest integer",
     "block_quantize_elements_floor_f32_by_f8E8M0FNU_to_i8", "arith.maxsi",
     uint64_t(-127), Change::Constant, uint64_t(-128)},
    {"block_element_unit", "MXINT8 elements are multiples of 1/32",
     "block_quantize_elements_floor_f32_by_f8E8M0FNU_to_i8", "arith.mulf",
     0x42800000, Change::Constant, 0x42000000},
    {"block_element_ggml_tie", "the larger magnitude of two is nearest",
     "block_quantize_elements_ggml_f32_by_f8E8M0FNU_to_f4E2M1FN", "arith.cmpf",
     std::nullopt, Change::Predicate, toNumber(CmpFPredicate::OLE)},
    {"block_element_ggml_zero", "a negative zero keeps its sign",
     "block_quantize_elements_ggml_f32_by_f8E8M0FNU_to_f4E2M1FN", "arith.cmpi",
     0, Change::Constant, 8},
    {"block_element_deepgemm", "divides by the scale",
     "block_quantize_elements_deepgemm_f32_by_f32_to_f8E4M3FN", "arith.mulf",
     std::nullopt, Change::Reassociate},
    {"block_element_te_infinity", "the factor of a scale of 0 is infinite",
     "block_quantize_elements_transformer_engine_f32_by_f8E4M3FN_to_f4E2M1FN_"
     "tensor_scale",
     "", 0x7F7FFFFF, Change::Constant, 0x7F800000},
    {"block_element_torchao_order", "divides by T before the block's scale",
     "block_quantize_elements_torchao_f32_by_f8E4M3FN_to_f4E2M1FN_tensor_scale",
     "arith.mulf", std::nullopt, Change::Reassociate},
    {"block_element_optimizer_order", "divides by the block's scale before T",
     "block_quantize_elements_model_optimizer_f32_by_f8E4M3FN_to_f4E2M1FN_"
     "tensor_scale",
     "arith.divf", std::nullopt, Change::Reassociate},
    {"block_element_compressed_order", "multiplies by E before dividing",
     "block_quantize_elements_compressed_tensors_f32_by_f8E4M3FN_to_f4E2M1FN_"
     "tensor_scale",
     "arith.divf", std::nullopt, Change::Reassociate},
    {"block_dequantize_order", "multiplies the scales first",
     "block_dequantize_f4E2M1FN_by_f8E4M3FN_to_f32_tensor_scale_block_first",
     "arith.mulf", std::nullopt, Change::Reassociate},
    {"block_dequantize_order_tensor", "multiplies by the block's scale first",
     "block_dequantize_f4E2M1FN_by_f8E4M3FN_to_f32_tensor_scale_tensor_first",
     "arith.mulf", std::nullopt, Change::Reassociate},
    {"block_dequantize_unit", "MXINT8 elements are multiples of 1/32",
     "block_dequantize_i8_by_f8E8M0FNU_to_f32", "arith.mulf", 0x3C800000,
     Change::Constant, 0x3D000000},
    // IEEE P3109: rounding. Casts to signed formats to nearest, ties to even,
    // use
    // the instructions of other floats instead.
    {"p3109_even", "a tie goes toward zero",
     "project_f16_to_binary8p4ue_NearestTiesToEven_SatNone", "arith.andi", 1,
     Change::Constant, 0},
    {"p3109_even_precision1", "a tie of one significant bit goes toward zero",
     "project_f16_to_binary8p1uf_NearestTiesToEven_SatNone", "arith.andi", 1,
     Change::Constant, 0},
    {"p3109_away", "a tie goes toward zero",
     "project_f16_to_binary8p4se_NearestTiesToAway_SatNone", "arith.cmpi",
     0x800000, Change::Constant, 0x800001},
    {"p3109_positive", "negative numbers are rounded away from zero",
     "project_f16_to_binary8p3se_TowardPositive_SatNone", "arith.xori",
     std::nullopt, Change::LeaveOut},
    {"p3109_odd", "every inexact number is rounded away from zero",
     "project_f16_to_binary8p4se_ToOdd_SatNone", "arith.andi", 1,
     Change::Constant, 0},
    {"p3109_stochastic_a", "one random number less rounds away",
     "project_f16_to_binary8p4se_StochasticA_SatNone_by_ui4", "arith.cmpi", 16,
     Change::Constant, 17},
    {"p3109_stochastic_b", "the random number has no half",
     "project_f16_to_binary8p4se_StochasticB_SatNone_by_ui4", "arith.addi", 1,
     Change::Constant, 0},
    {"p3109_stochastic_c", "a tie of the fraction goes up",
     "project_f16_to_binary8p4se_StochasticC_SatNone_by_ui4", "arith.addi",
     0x7FFFF, Change::Constant, 0x80000},
    // IEEE P3109: saturation
    {"p3109_infinity", "overflow becomes the largest number",
     "project_f16_to_binary8p4se_NearestTiesToAway_SatNone", "arith.select",
     0x7F, Change::Constant, 0x7E},
    {"p3109_v4", "finite formats saturate, as in draft v4.0",
     "project_f16_to_binary4p2sf_NearestTiesToAway_SatNone", "arith.select", 8,
     Change::Constant, 7},
    {"p3109_directed", "a number rounded toward zero becomes infinity",
     "project_f16_to_binary8p4se_TowardZero_SatNone", "arith.select", 0x7E,
     Change::Constant, 0x7F},
    {"p3109_finite", "a number becomes infinity in spite of SatFinite",
     "project_f16_to_binary8p4se_NearestTiesToAway_SatFinite", "arith.cmpi",
     0x7E, Change::Constant, 0x7F},
    {"p3109_propagate", "an infinity becomes the largest number",
     "project_f16_to_binary8p4se_NearestTiesToEven_SatPropagate",
     "arith.select", 0x7F, Change::Constant, 0x7E},
    {"p3109_unsigned", "negative numbers become 0, as in draft v3.2",
     "project_f16_to_binary8p1uf_NearestTiesToEven_SatNone", "arith.select",
     0xFF, Change::Constant, 0},
    // IEEE P3109: encodings
    {"p3109_zero", "zeros have a sign, other numbers have none",
     "project_f32_to_f16_NearestTiesToEven_SatNone", "arith.xori", std::nullopt,
     Change::LeaveOut},
    {"p3109_nan", "NaN becomes infinity",
     "project_f32_to_f16_NearestTiesToEven_SatNone", "arith.select", 0x7E00,
     Change::Constant, 0x7C00},
    {"p3109_decode_infinity", "infinity is decoded as a number",
     "project_binary8p4se_to_bf16_NearestTiesToEven_SatNone", "arith.cmpi",
     0x7F, Change::Constant, 0x80},
    {"p3109_decode_nan", "zero is decoded as NaN",
     "project_binary8p4se_to_bf16_NearestTiesToEven_SatNone", "arith.cmpi",
     0x80, Change::Constant, 0},
    {"p3109_decode_smallest", "2^-127 is decoded as zero",
     "project_binary8p1uf_to_f32_NearestTiesToEven_SatNone", "arith.select",
     0x400000, Change::Constant, 0},
    // IEEE P3109: blocks
    {"p3109_zero_scale", "a scale of 0 gives NaN",
     "convert_to_block_f16_by_binary8p1uf_to_binary8p4se_NearestTiesToEven_"
     "SatNone",
     "arith.select", 0x3FF0000000000000, Change::Constant, 0},
    {"p3109_infinite_scale", "an infinite scale gives 0",
     "convert_to_block_f16_by_binary8p4se_to_binary8p4se_NearestTiesToEven_"
     "SatNone",
     "arith.cmpf", 0x7FF0000000000000, Change::Constant, 0x7FF8000000000000},
    {"p3109_quotient", "the quotient is rounded to f32",
     "convert_to_block_f32_by_f32_to_binary8p4se_NearestTiesToEven_SatNone",
     "arith.divf", std::nullopt, Change::RoundToF32},
    {"p3109_product", "the product is rounded to f32",
     "convert_from_block_binary8p4se_by_f32_to_f32_ToOdd_SatNone", "arith.mulf",
     std::nullopt, Change::RoundToF32},
    // Stochastic rounding
    {"stochastic_weight", "the random bits count half",
     "cast_f16_to_f8E4M3FN_saturate1_stochastic_ui4", "arith.shli", 16,
     Change::Constant, 15},
    {"stochastic_subnormal", "the fraction of a subnormal counts half",
     "cast_f16_to_f8E4M3FN_saturate1_stochastic_ui4", "arith.mulf", 0x46000000,
     Change::Constant, 0x45800000},
    {"stochastic_limit", "overflow becomes NaN",
     "cast_f16_to_f8E4M3FN_saturate1_stochastic_ui4", "arith.select", 0x7E,
     Change::Constant, 0x7F},
    {"stochastic_unsigned", "a negative number becomes 0 without saturate",
     "cast_f16_to_f8UE5M3_saturate0_stochastic_ui4", "arith.select", 0xFF,
     Change::Constant, 0},
    {"stochastic_integer", "the fraction of a quotient counts half",
     "quantize_f16_by_f32_to_i8_in_f32_stochastic_ui4", "arith.mulf",
     0x41800000, Change::Constant, 0x41000000},
    {"stochastic_integer_sign", "negative quotients are one too large",
     "quantize_f16_by_f32_to_i8_in_f32_stochastic_ui4", "arith.subi", 0,
     Change::Constant, 1},
    // Random bits
    {"philox_factor", "a factor of Philox is another odd number", "philox_ui32",
     "arith.muli", 0xD2511F53, Change::Constant, 0xD2511F55},
    {"philox_key", "the second key grows by one less", "philox_ui32",
     "arith.addi", 0xBB67AE85, Change::Constant, 0xBB67AE84},
    {"philox_bits", "the bits below the upper ones are taken", "philox_ui8",
     "arith.shrui", 24, Change::Constant, 23},
};

//===----------------------------------------------------------------------===//
// Changing operations
//===----------------------------------------------------------------------===//

/// Returns the bits of a constant or of a splat.
static std::optional<APInt> getBits(mlir::Value value) {
  Attribute attribute;
  if (!matchPattern(value, m_Constant(&attribute)))
    return std::nullopt;
  if (auto elements = dyn_cast<DenseElementsAttr>(attribute)) {
    if (!elements.isSplat())
      return std::nullopt;
    attribute = elements.getSplatValue<Attribute>();
  }
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getValue().bitcastToAPInt();
  if (auto number = dyn_cast<IntegerAttr>(attribute))
    return number.getValue();
  return std::nullopt;
}

/// Creates a constant or splat with these bits.
static mlir::Value makeConstant(OpBuilder &builder, Location loc, Type type,
                                uint64_t bits) {
  Type element = getElementTypeOrSelf(type);
  APInt integer(element.getIntOrFloatBitWidth(), bits, /*isSigned=*/false,
                /*implicitTrunc=*/true);
  TypedAttr attribute;
  if (auto floating = dyn_cast<FloatType>(element))
    attribute = FloatAttr::get(floating,
                               APFloat(floating.getFloatSemantics(), integer));
  else
    attribute = IntegerAttr::get(element, integer);
  if (auto shaped = dyn_cast<ShapedType>(type))
    attribute = DenseElementsAttr::get(shaped, Attribute(attribute));
  return createConstant(builder, loc, attribute);
}

/// Returns the operand that is this constant, or null.
static OpOperand *findConstant(Operation *op, uint64_t bits) {
  for (OpOperand &operand : op->getOpOperands()) {
    Type type = getElementTypeOrSelf(operand.get().getType());
    if (!type.isIntOrFloat())
      continue;
    std::optional<APInt> found = getBits(operand.get());
    APInt expectedBits(type.getIntOrFloatBitWidth(), bits, /*isSigned=*/false,
                       /*implicitTrunc=*/true);
    // The constant must not be truncated.
    bool fits = expectedBits.getZExtValue() == bits ||
                expectedBits.getSExtValue() == int64_t(bits);
    if (found && fits && *found == expectedBits)
      return &operand;
  }
  return nullptr;
}

static void addToOperand(OpBuilder &builder, OpOperand &operand,
                         uint64_t number) {
  Location loc = operand.getOwner()->getLoc();
  mlir::Value value = operand.get();
  Type type = value.getType(),
       bits = builder.getIntegerType(
           getElementTypeOrSelf(type).getIntOrFloatBitWidth());
  if (auto vector = dyn_cast<VectorType>(type))
    bits = vector.clone(bits);
  mlir::Value integer = arith::BitcastOp::create(builder, loc, bits, value);
  mlir::Value add = arith::AddIOp::create(
      builder, loc, integer, makeConstant(builder, loc, bits, number));
  operand.set(arith::BitcastOp::create(builder, loc, type, add));
}

/// Adds the zero point to the first operand of `add`, which rounds a quotient,
/// and removes the integer addition of the zero point that follows.
static bool addZeroPointFirst(OpBuilder &builder, Operation *add) {
  mlir::Value zeroPoint;
  add->getParentOfType<FunctionOpInterface>()->walk(
      [&](arith::SIToFPOp op) { zeroPoint = zeroPoint ? zeroPoint : op; });
  // `add` is followed by a bitcast, an operation that keeps the low bits, and
  // the integer addition.
  Operation *user = add;
  for (int step = 0; step < 3; ++step) {
    if (!user->hasOneUse())
      return false;
    user = *user->user_begin();
  }
  if (!zeroPoint || !isa<arith::AddIOp>(user))
    return false;
  Location loc = add->getLoc();
  // Clone the conversion of the zero point, because one in another block may
  // not dominate `add`.
  auto *source = zeroPoint.getDefiningOp();
  IRMapping mapping;
  SmallVector<Operation *> needed = {source};
  while (Operation *before = needed.back()->getOperand(0).getDefiningOp())
    if (isa<arith::ExtUIOp, arith::ExtSIOp>(before))
      needed.push_back(before);
    else
      break;
  for (Operation *op : llvm::reverse(needed))
    builder.clone(*op, mapping);
  mlir::Value number = mapping.lookup(zeroPoint);
  mlir::Value quotient = add->getOperand(0);
  if (number.getType() != quotient.getType())
    number =
        vector::BroadcastOp::create(builder, loc, quotient.getType(), number);
  add->setOperand(0, arith::AddFOp::create(builder, loc, quotient, number));
  user->getResult(0).replaceAllUsesWith(user->getOperand(0));
  return true;
}

/// Returns the operation that computes a value, before it is broadcast.
template <typename OpTy> static OpTy findDefinition(mlir::Value value) {
  while (auto broadcast = value.getDefiningOp<vector::BroadcastOp>())
    value = broadcast.getSource();
  return value.getDefiningOp<OpTy>();
}

/// Applies the inverse of one operation after that of another, of which one has
/// rounded its result: a * (b * c) becomes (a * b) * c, a / (b * c) becomes
/// (a / b) / c, and so on.
static bool reassociate(OpBuilder &builder, Operation *op) {
  Location loc = op->getLoc();
  Type type = op->getResult(0).getType();
  auto make = [&](bool multiplies, mlir::Value lhs,
                  mlir::Value rhs) -> mlir::Value {
    for (mlir::Value *value : {&lhs, &rhs})
      if (value->getType() != type)
        *value = vector::BroadcastOp::create(builder, loc, type, *value);
    if (multiplies)
      return arith::MulFOp::create(builder, loc, lhs, rhs);
    return arith::DivFOp::create(builder, loc, lhs, rhs);
  };
  bool multiplies = isa<arith::MulFOp>(op);
  mlir::Value lhs = op->getOperand(0), rhs = op->getOperand(1), result;
  if (auto product = findDefinition<arith::MulFOp>(rhs))
    result = make(multiplies, make(multiplies, lhs, product.getLhs()),
                  product.getRhs());
  else if (auto quotient = findDefinition<arith::DivFOp>(rhs))
    result = make(!multiplies, make(multiplies, lhs, quotient.getLhs()),
                  quotient.getRhs());
  else if (auto product = findDefinition<arith::MulFOp>(lhs))
    result = multiplies ? make(true, product.getLhs(),
                               make(true, product.getRhs(), rhs))
                        : mlir::Value();
  else if (auto quotient = findDefinition<arith::DivFOp>(lhs))
    result = multiplies ? mlir::Value()
                        : make(false, quotient.getLhs(),
                               make(true, quotient.getRhs(), rhs));
  if (!result)
    return false;
  op->getResult(0).replaceAllUsesWith(result);
  return true;
}

/// Applies the mistake if the operation matches. Returns whether it did.
static bool change(Operation *op, const Mutant &mutant) {
  if (!mutant.op.empty() && op->getName().getStringRef() != mutant.op)
    return false;
  bool hasElements =
      op->getNumResults() == 1 &&
      getElementTypeOrSelf(op->getResult(0).getType()).isIntOrFloat();
  OpOperand *constant =
      mutant.constant ? findConstant(op, *mutant.constant) : nullptr;
  if (!hasElements || (mutant.constant && !constant))
    return false;
  OpBuilder builder(op);
  Location loc = op->getLoc();
  switch (mutant.change) {
  case Change::Constant:
    constant->set(
        makeConstant(builder, loc, constant->get().getType(), mutant.value));
    return true;
  case Change::Predicate: {
    auto compare = cast<arith::CmpFOp>(op);
    if (!constant && compare.getPredicate() != CmpFPredicate::OLT)
      return false;
    compare.setPredicate(static_cast<CmpFPredicate>(mutant.value));
    return true;
  }
  case Change::Operation: {
    Operation *other =
        builder.create(loc, builder.getStringAttr(mutant.replacement),
                       op->getOperands(), op->getResultTypes());
    op->replaceAllUsesWith(other);
    return true;
  }
  case Change::LeaveOut:
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    return true;
  case Change::Add:
    addToOperand(builder, op->getOpOperand(1), mutant.value);
    return true;
  case Change::ZeroPointFirst:
    return addZeroPointFirst(builder, op);
  case Change::RoundToF32: {
    Type type = op->getResult(0).getType();
    if (!getElementTypeOrSelf(type).isF64())
      return false;
    Type narrow = builder.getF32Type();
    if (auto vector = dyn_cast<VectorType>(type))
      narrow = vector.clone(narrow);
    builder.setInsertionPointAfter(op);
    mlir::Value rounded =
        arith::TruncFOp::create(builder, loc, narrow, op->getResult(0));
    mlir::Value wide = arith::ExtFOp::create(builder, loc, type, rounded,
                                             arith::FastMathFlagsAttr());
    op->getResult(0).replaceAllUsesExcept(wide, rounded.getDefiningOp());
    return true;
  }
  case Change::Reassociate:
    return reassociate(builder, op);
  }
  return false;
}

/// Converts an operation on a one-dimensional vector to one on a
/// two-dimensional vector. No conversion instruction applies to those, so the
/// lowering expands them to the arithmetic that mutants change. Conversions of
/// the dialect's own types never have one.
static void addDimension(Operation *op) {
  auto isBuiltin = [](Type type) {
    return getElementTypeOrSelf(type).isIntOrFloat();
  };
  if (!llvm::all_of(op->getOperandTypes(), isBuiltin) ||
      !llvm::all_of(op->getResultTypes(), isBuiltin))
    return;
  auto result = dyn_cast<VectorType>(op->getResult(0).getType());
  if (!result || result.getRank() != 1 || result.isScalable() ||
      result.getNumElements() % 2 != 0)
    return;
  auto split = [](VectorType type) {
    return VectorType::get({2, type.getNumElements() / 2},
                           type.getElementType());
  };
  OpBuilder builder(op);
  Operation *other = builder.clone(*op);
  builder.setInsertionPoint(other);
  for (OpOperand &operand : other->getOpOperands())
    if (auto type = dyn_cast<VectorType>(operand.get().getType()))
      operand.set(vector::ShapeCastOp::create(builder, op->getLoc(),
                                              split(type), operand.get()));
  other->getResult(0).setType(split(result));
  builder.setInsertionPointAfter(other);
  op->getResult(0).replaceAllUsesWith(vector::ShapeCastOp::create(
      builder, op->getLoc(), result, other->getResult(0)));
  op->erase();
}

namespace {
/// Applies a mutant after convert-quant-float-to-arith.
struct Mutation final : PassInstrumentation {
  Mutation(const Mutant &mutant, std::atomic<size_t> &changes)
      : mutant(mutant), changes(changes) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    if (pass->getArgument() != "convert-quant-float-to-arith")
      return;
    SmallVector<Operation *> ops;
    op->walk([&](Operation *inner) {
      bool isQuantization = isa<QuantizeElementsOp>(inner) &&
                            isFloat(getElementTypeOrSelf(inner->getResult(0)));
      if (isa<CastOp>(inner) || isQuantization)
        ops.push_back(inner);
    });
    for (Operation *inner : ops)
      addDimension(inner);
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    if (pass->getArgument() != "convert-quant-float-to-arith")
      return;
    SmallVector<Operation *> ops;
    op->walk([&](Operation *inner) { ops.push_back(inner); });
    for (Operation *inner : ops)
      changes += change(inner, mutant);
  }

  const Mutant &mutant;
  std::atomic<size_t> &changes;
};
} // namespace

//===----------------------------------------------------------------------===//
// Running mutants
//===----------------------------------------------------------------------===//

static llvm::Error runMutant(const Mutant &mutant, const Conversion &conversion,
                             Session &session, MutantReport &report) {
  llvm::Expected<Model> model =
      Model::parse(session, ModelFormat::MLIR, conversion.print());
  if (!model)
    return model.takeError();
  std::atomic<size_t> changes = 0;
  BuildOptions options;
  options.cpu = "x86-64";
  options.instrument = [&](PassManager &manager) {
    manager.addInstrumentation(std::make_unique<Mutation>(mutant, changes));
  };
  llvm::Expected<CompiledModel> compiled = model->compile(options);
  if (!compiled)
    return compiled.takeError();
  report.changes = changes;
  if (!changes)
    return llvm::Error::success();
  std::unique_ptr<Code> code = viewCode(*compiled);
  for (bool isSampled : {true, false}) {
    llvm::Expected<Finding> finding =
        findMismatch(conversion, *code, session, isSampled);
    if (!finding)
      return finding.takeError();
    report.inputs += finding->inputs;
    report.seconds += finding->seconds;
    if (!finding->first)
      continue;
    report.isCaught = true;
    report.first = *finding->first;
    break;
  }
  return llvm::Error::success();
}

llvm::Error
certify::runMutants(const std::function<bool(StringRef)> &filter,
                    const std::function<void(const MutantReport &)> &onReport) {
  if (llvm::Triple(llvm::sys::getProcessTriple()).getArch() !=
      llvm::Triple::x86_64)
    return llvm::createStringError(
        "mutants require x86-64, which this machine does not support");
  llvm::StringMap<Conversion> conversions;
  for (Standard standard : {Standard::OnnxAndBlocks, Standard::P3109})
    for (const std::vector<Conversion> &group : listGroups(standard))
      for (const Conversion &conversion : group)
        conversions.try_emplace(conversion.getName(), conversion);
  Session session;
  for (const Mutant &mutant : kMutants) {
    if (filter && !filter(mutant.name))
      continue;
    MutantReport report;
    report.name = mutant.name;
    report.mistake = mutant.mistake;
    report.conversion = mutant.conversion;
    auto found = conversions.find(mutant.conversion);
    if (found == conversions.end())
      return llvm::createStringError("no conversion is named '" +
                                     mutant.conversion + "'");
    if (llvm::Error error = runMutant(mutant, found->second, session, report))
      return error;
    onReport(report);
  }
  return llvm::Error::success();
}

llvm::json::Value certify::toJSON(const MutantReport &report) {
  auto hex = [](uint64_t encoding) {
    return "0x" + llvm::utohexstr(encoding, /*LowerCase=*/true);
  };
  llvm::json::Object object{
      {"mutant", report.name},
      {"mistake", report.mistake},
      {"conversion", report.conversion},
      {"changes", int64_t(report.changes)},
      {"caught", report.isCaught},
      {"inputs", int64_t(report.inputs)},
      {"seconds", llvm::formatv("{0:f3}", report.seconds).str()}};
  if (report.isCaught) {
    const Difference &first = report.first;
    object["input"] = hex(first.input);
    object["scale"] = hex(first.scale);
    object["zero_point"] = hex(first.zeroPoint);
    if (first.random)
      object["random"] = hex(first.random);
    object["expected"] = hex(first.expected);
    object["made"] = hex(first.actual);
  }
  return object;
}
