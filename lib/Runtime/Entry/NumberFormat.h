/*===-- NumberFormat.h - Number formats of elements ---------------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * Describes each element type, so that one algorithm prints all types and one
 * parses them.
 */
#ifndef QUANT_FLOAT_LIB_RUNTIME_ENTRY_NUMBERFORMAT_H
#define QUANT_FLOAT_LIB_RUNTIME_ENTRY_NUMBERFORMAT_H

#include "quant-float-c/EntryPoint.h"
#include <stdbool.h>

typedef enum NumberKind {
  QF_NUMBER_Float,
  QF_NUMBER_Signed,
  QF_NUMBER_Unsigned,
  QF_NUMBER_Bool,
  QF_NUMBER_String
} NumberKind;

/* Which encodings are not finite numbers, as in FloatFormats.def. */
typedef enum NumberSpecials {
  QF_SPECIALS_None,
  QF_SPECIALS_Ieee,
  QF_SPECIALS_AllOnes,
  QF_SPECIALS_NegativeZero
} NumberSpecials;

typedef struct NumberFormat {
  NumberKind kind;
  int bits;
  /* The following fields are for floats. */
  int isSigned;
  int mantissaBits;
  int bias;
  NumberSpecials specials;
  int hasZero;
} NumberFormat;

static inline int isSameString(const char *one, const char *other) {
  while (*one && *one == *other) {
    ++one;
    ++other;
  }
  return *one == *other;
}

static inline NumberFormat getNumberFormat(int64_t dtype) {
  NumberFormat format = {QF_NUMBER_String, 0, 1, 0, 0, QF_SPECIALS_None, 1};
  const char *type = "";
  switch (dtype) {
#define QUANT_FLOAT_ELEMENT(Kind, Number, Onnx, Mlir, Getter, Class, Bits,     \
                            ...)                                               \
  case Number:                                                                 \
    format.kind = QF_NUMBER_##Class;                                           \
    format.bits = Bits;                                                        \
    type = Mlir;                                                               \
    break;
#include "quant-float/Support/ElementTypes.def"
  default:
    break;
  }
#define QUANT_FLOAT_FORMAT(Type, IsSigned, ExponentBits, MantissaBits, Bias,   \
                           Specials, HasZero)                                  \
  if (isSameString(type, Type)) {                                              \
    format.isSigned = IsSigned;                                                \
    format.mantissaBits = MantissaBits;                                        \
    format.bias = Bias;                                                        \
    format.specials = QF_SPECIALS_##Specials;                                  \
    format.hasZero = HasZero;                                                  \
  }
#include "quant-float/Support/FloatFormats.def"
  return format;
}

/* Whether the format is f8E8M0FNU, which has powers of two and no zero. */
static inline int isScale(const NumberFormat *format) {
  return format->kind == QF_NUMBER_Float && !format->hasZero;
}

/* The size in bytes of an element in memory. */
static inline int getSlotBytes(const NumberFormat *format) {
  return (format->bits + 7) / 8;
}

/* The mask of the sign bit, or 0 if there are no negative numbers. */
static inline uint64_t getSignBit(const NumberFormat *format) {
  return format->isSigned ? (uint64_t)1 << (format->bits - 1) : 0;
}

/* The magnitude encoding after that of the largest finite number. */
static inline uint64_t getFirstNonFinite(const NumberFormat *format) {
  uint64_t all = (uint64_t)1 << (format->bits - format->isSigned);
  if (format->specials == QF_SPECIALS_Ieee)
    return all - ((uint64_t)1 << format->mantissaBits);
  return format->specials == QF_SPECIALS_AllOnes ? all - 1 : all;
}

#endif
