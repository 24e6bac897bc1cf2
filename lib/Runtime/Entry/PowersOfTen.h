/*===-- PowersOfTen.h - Multiplication by powers of ten -----------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef QUANT_FLOAT_LIB_RUNTIME_ENTRY_POWERSOFTEN_H
#define QUANT_FLOAT_LIB_RUNTIME_ENTRY_POWERSOFTEN_H

#include <stdint.h>

typedef unsigned __int128 UInt128;

/* The supported powers, both bounds inclusive. */
enum { QF_FIRST_POWER = -400, QF_LAST_POWER = 351 };

/* Returns floor(log2(10^power)). */
static inline int floorLog2OfPower(int power) { return power * 217706 >> 16; }

/* mantissa * 2^exponent, a lower bound of the exact number, which is at most
 * `error` units of the mantissa larger. */
typedef struct Scaled {
  UInt128 mantissa; /* the top bit is set */
  int exponent;
  int error;
} Scaled;

/* Returns the first 128 bits of 10^power. */
static inline Scaled getPowerOfTen(int power) {
  static const uint64_t coarse[][2] = {
#define POWER_OF_TEN(Power, High, Low) {High, Low},
#include "PowersOfTen.def"
  };
  static const uint64_t fine[] = {
      1u,
      10u,
      100u,
      1000u,
      10000u,
      100000u,
      1000000u,
      10000000u,
      100000000u,
      1000000000u,
      10000000000u,
      100000000000u,
      1000000000000u,
      10000000000000u,
      100000000000000u,
      1000000000000000u,
  };
  int row = (power - QF_FIRST_POWER) / 16;
  int rest = (power - QF_FIRST_POWER) % 16;
  int isExact = power - rest >= 0 && power - rest <= 48;
  Scaled result = {(UInt128)coarse[row][0] << 64 | coarse[row][1],
                   floorLog2OfPower(power) - 127, isExact ? 0 : 1};
  if (!rest)
    return result;
  uint64_t factor = fine[rest] << __builtin_clzll(fine[rest]);
  UInt128 high = (UInt128)coarse[row][0] * factor;
  UInt128 low = (UInt128)coarse[row][1] * factor;
  UInt128 sum = high + (uint64_t)(low >> 64);
  uint64_t cut = (uint64_t)low;
  if (!(sum >> 127)) {
    sum = sum << 1 | cut >> 63;
    cut <<= 1;
  }
  result.mantissa = sum;
  if (!isExact || cut)
    result.error = 3;
  return result;
}

/* Returns the first 128 bits of number * scale. `number` is not 0. */
static inline Scaled multiplyScaled(uint64_t number, Scaled scale) {
  int shift = __builtin_clzll(number);
  number <<= shift;
  UInt128 high = (UInt128)(uint64_t)(scale.mantissa >> 64) * number;
  UInt128 low = (UInt128)(uint64_t)scale.mantissa * number;
  UInt128 sum = high + (uint64_t)(low >> 64);
  uint64_t cut = (uint64_t)low;
  Scaled result = {sum, scale.exponent + 64 - shift, scale.error};
  if (!(sum >> 127)) {
    result.mantissa = sum << 1 | cut >> 63;
    cut <<= 1;
    --result.exponent;
    result.error *= 2;
  }
  if (cut || scale.error)
    result.error += 2;
  return result;
}

#endif
