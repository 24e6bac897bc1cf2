/*===-- BigNumber.h - Arbitrary-precision integers ----------------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * For the few strings and numbers that 128 bits do not decide. The largest
 * integers have 800 decimal digits, or are 5^1150, with 64 more bits.
 */
#ifndef QUANT_FLOAT_LIB_RUNTIME_ENTRY_BIGNUMBER_H
#define QUANT_FLOAT_LIB_RUNTIME_ENTRY_BIGNUMBER_H

#include <stdint.h>

enum { QF_BIG_LIMBS = 96 };

/* Only the first `count` limbs are valid. The last of them is not 0. */
typedef struct BigNumber {
  int count;
  uint32_t limbs[QF_BIG_LIMBS];
} BigNumber;

static inline void bigSet(BigNumber *big, uint64_t value) {
  big->count = 0;
  for (; value; value >>= 32)
    big->limbs[big->count++] = (uint32_t)value;
}

/* big = big * factor + addend */
static inline void bigMultiplyAdd(BigNumber *big, uint32_t factor,
                                  uint32_t addend) {
  uint64_t carry = addend;
  for (int i = 0; i < big->count; ++i) {
    carry += (uint64_t)big->limbs[i] * factor;
    big->limbs[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry)
    big->limbs[big->count++] = (uint32_t)carry;
}

static inline void bigMultiplyByPowerOf5(BigNumber *big, int power) {
  const uint32_t max = 1220703125; /* 5^13 */
  for (; power >= 13; power -= 13)
    bigMultiplyAdd(big, max, 0);
  uint32_t rest = 1;
  for (; power > 0; --power)
    rest *= 5;
  bigMultiplyAdd(big, rest, 0);
}

static inline void bigShiftLeft(BigNumber *big, int bits) {
  int limbs = bits / 32;
  if (!big->count)
    return;
  bigMultiplyAdd(big, (uint32_t)1 << (bits % 32), 0);
  for (int i = big->count - 1; i >= 0; --i)
    big->limbs[i + limbs] = big->limbs[i];
  for (int i = 0; i < limbs; ++i)
    big->limbs[i] = 0;
  big->count += limbs;
}

/* big = big / divisor; returns the remainder */
static inline uint32_t bigDivide(BigNumber *big, uint32_t divisor) {
  uint64_t rest = 0;
  for (int i = big->count - 1; i >= 0; --i) {
    rest = rest << 32 | big->limbs[i];
    big->limbs[i] = (uint32_t)(rest / divisor);
    rest %= divisor;
  }
  while (big->count && !big->limbs[big->count - 1])
    --big->count;
  return (uint32_t)rest;
}

static inline int bigCompare(const BigNumber *one, const BigNumber *other) {
  if (one->count != other->count)
    return one->count < other->count ? -1 : 1;
  for (int i = one->count - 1; i >= 0; --i)
    if (one->limbs[i] != other->limbs[i])
      return one->limbs[i] < other->limbs[i] ? -1 : 1;
  return 0;
}

/* big = big - other; `other` is not larger */
static inline void bigSubtract(BigNumber *big, const BigNumber *other) {
  uint64_t borrow = 0;
  for (int i = 0; i < big->count; ++i) {
    uint64_t taken = borrow + (i < other->count ? other->limbs[i] : 0);
    borrow = big->limbs[i] < taken;
    big->limbs[i] = (uint32_t)(big->limbs[i] - taken);
  }
  while (big->count && !big->limbs[big->count - 1])
    --big->count;
}

static inline int bigCountBits(const BigNumber *big) {
  return big->count
             ? 32 * big->count - __builtin_clz(big->limbs[big->count - 1])
             : 0;
}

#endif
