//===- host-instructions.cpp - Conversion instructions on the host --------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of LLVM's intrinsics for conversion instructions, implemented
// with cuda_fp8.h, cuda_fp6.h and cuda_fp4.h, compiled as plain host C++. Of
// two operands, the first is the high half. Pairs of f16 are passed as
// integers. Also rounded square roots, which the C library provides, and the
// byte permutation, by its description in the PTX ISA.
//
//===----------------------------------------------------------------------===//

#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

#include <cmath>
#include <cstdint>
#include <cstring>

template <typename To, typename From> static To bitCast(const From &from) {
  static_assert(sizeof(To) == sizeof(From), "must have the same size");
  To to;
  std::memcpy(&to, &from, sizeof(To));
  return to;
}

extern "C" float nvvm_sqrt_rn_f(float x) { return std::sqrt(x); }

/// Each four bits of `selector` select one of eight bytes, or, if the fourth
/// bit is set, eight copies of its sign.
extern "C" uint32_t nvvm_prmt(uint32_t low, uint32_t high, uint32_t selector) {
  uint64_t bytes = uint64_t(high) << 32 | low;
  uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned choice = selector >> (4 * i) & 15;
    uint8_t byte = bytes >> (8 * (choice & 7));
    if (choice & 8)
      byte = byte & 0x80 ? 0xFF : 0;
    result |= uint32_t(byte) << (8 * i);
  }
  return result;
}

#define ENCODE_FLOAT8(Name, Format)                                            \
  extern "C" uint16_t nvvm_ff_to_##Name##_rn(float high, float low) {          \
    return __nv_cvt_float2_to_fp8x2({low, high}, __NV_SATFINITE, Format);      \
  }                                                                            \
  extern "C" uint16_t nvvm_f16x2_to_##Name##_rn(uint32_t pair) {               \
    return __nv_cvt_halfraw2_to_fp8x2(bitCast<__half2_raw>(pair),              \
                                      __NV_SATFINITE, Format);                 \
  }                                                                            \
  extern "C" uint32_t nvvm_##Name##_to_f16x2_rn(uint16_t encodings) {          \
    return bitCast<uint32_t>(__nv_cvt_fp8x2_to_halfraw2(encodings, Format));   \
  }
ENCODE_FLOAT8(e4m3x2, __NV_E4M3)
ENCODE_FLOAT8(e5m2x2, __NV_E5M2)

#define ENCODE_SCALE(Name, Mode)                                               \
  extern "C" uint16_t nvvm_ff_to_ue8m0x2_##Name##_satfinite(float high,        \
                                                            float low) {       \
    return __nv_cvt_float2_to_e8m0x2({low, high}, __NV_SATFINITE, Mode);       \
  }                                                                            \
  extern "C" uint16_t nvvm_bf16x2_to_ue8m0x2_##Name##_satfinite(               \
      uint32_t pair) {                                                         \
    return __nv_cvt_bfloat162raw_to_e8m0x2(bitCast<__nv_bfloat162_raw>(pair),  \
                                           __NV_SATFINITE, Mode);              \
  }
ENCODE_SCALE(rp, cudaRoundPosInf)
ENCODE_SCALE(rz, cudaRoundZero)

extern "C" uint32_t nvvm_ue8m0x2_to_bf16x2(uint16_t encodings) {
  return bitCast<uint32_t>(__nv_cvt_e8m0x2_to_bf162raw(encodings));
}

#define ENCODE_FLOAT6(Name, Format)                                            \
  extern "C" uint16_t nvvm_ff_to_##Name##_rn_satfinite(float high,             \
                                                       float low) {            \
    return __nv_cvt_float2_to_fp6x2({low, high}, Format, cudaRoundNearest);    \
  }                                                                            \
  extern "C" uint32_t nvvm_##Name##_to_f16x2_rn(uint16_t encodings) {          \
    return bitCast<uint32_t>(__nv_cvt_fp6x2_to_halfraw2(encodings, Format));   \
  }
ENCODE_FLOAT6(e2m3x2, __NV_E2M3)
ENCODE_FLOAT6(e3m2x2, __NV_E3M2)

// Two encodings in one byte, which is passed in the low half of 16 bits.
extern "C" uint16_t nvvm_ff_to_e2m1x2_rn_satfinite(float high, float low) {
  return __nv_cvt_float2_to_fp4x2({low, high}, __NV_E2M1, cudaRoundNearest);
}
extern "C" uint32_t nvvm_e2m1x2_to_f16x2_rn(uint16_t encodings) {
  return bitCast<uint32_t>(
      __nv_cvt_fp4x2_to_halfraw2(uint8_t(encodings), __NV_E2M1));
}

// Some compilers' runtime libraries lack it.
extern "C" __bf16 __truncsfbf2(float value) {
  uint32_t bits = bitCast<uint32_t>(value);
  return bitCast<__bf16>(uint16_t((bits + 0x7FFF + (bits >> 16 & 1)) >> 16));
}
