//===- Nf4.h - The values of NF4 encodings ----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_INTERCHANGE_NF4_H
#define QUANT_FLOAT_LIB_INTERCHANGE_NF4_H

namespace mlir::quant_float::target {

/// The f32 value of each encoding, from QLoRA (arXiv:2305.14314). bitsandbytes
/// and OpenVINO use the same values.
inline constexpr float kNf4Values[16] = {
    -1.0f,
    -0.6961928009986877f,
    -0.5250730514526367f,
    -0.39491748809814453f,
    -0.28444138169288635f,
    -0.18477343022823334f,
    -0.09105003625154495f,
    0.0f,
    0.07958029955625534f,
    0.16093020141124725f,
    0.24611230194568634f,
    0.33791524171829224f,
    0.44070982933044434f,
    0.5626170039176941f,
    0.7229568362236023f,
    1.0f,
};

} // namespace mlir::quant_float::target

#endif // QUANT_FLOAT_LIB_INTERCHANGE_NF4_H
