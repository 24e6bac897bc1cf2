/*===-- quant-float-c/Opsets.h - What op versions accept ---------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * The rules of every version of the quantization ops, as tables to look up in:
 * which element types and attributes an opset accepts, and which was the first.
 * Ops go by ONNX's names, those of other domains with the domain before them:
 * "Cast", "CastLike", "QuantizeLinear", "DequantizeLinear",
 * "DynamicQuantizeLinear", "BitCast", "ConvInteger", "MatMulInteger",
 * "QLinearConv", "QLinearMatMul", "com.microsoft.QuantizeLinear",
 * "com.microsoft.DequantizeLinear". No function here allocates or takes a lock.
 */
#ifndef QUANT_FLOAT_C_OPSETS_H
#define QUANT_FLOAT_C_OPSETS_H

#include "quant-float-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Which of an op's sets of types is meant. */
typedef enum QuantFloatRole {
  QUANT_FLOAT_ROLE_INPUT = 0,
  /** Of the quantizing ops alone. */
  QUANT_FLOAT_ROLE_SCALE = 1,
  /** Of QuantizeLinear also the zero point, which has the same type; of
   * DequantizeLinear the zero point has the input's. */
  QUANT_FLOAT_ROLE_RESULT = 2
} QuantFloatRole;

/** ONNX's newest opset that is known. */
QUANT_FLOAT_EXPORTED int64_t quantFloatGetNewestOpset(void);

/** The number of ops. */
QUANT_FLOAT_EXPORTED size_t quantFloatGetNumOps(void);

/** The name of an op; null if there is no such one. Lives as long as the
 * library. */
QUANT_FLOAT_EXPORTED const char *quantFloatGetOpName(size_t index);

/** The number of versions that the op has; 0 for an unknown op. */
QUANT_FLOAT_EXPORTED size_t quantFloatOpGetNumVersions(const char *op);

/** The opset that brought a version, oldest first; 0 if there is no such one.
 */
QUANT_FLOAT_EXPORTED int64_t quantFloatOpGetVersion(const char *op,
                                                    size_t version);

/** The version of the op that an opset resolves to: the newest not above it; 0
 * for an unknown op and for opsets that have none of it. */
QUANT_FLOAT_EXPORTED int64_t quantFloatOpResolveVersion(const char *op,
                                                        int64_t opset);

/** Whether the opset's version of the op accepts the element type, a qf_dtype
 * or ONNX's number of string, for the role, a QuantFloatRole. False for
 * everything unknown. */
QUANT_FLOAT_EXPORTED bool quantFloatOpAcceptsType(const char *op, int64_t opset,
                                                  int32_t role, int32_t dtype);

/** The first opset that does; 0 if none does. */
QUANT_FLOAT_EXPORTED int64_t quantFloatOpGetFirstOpsetOfType(const char *op,
                                                             int32_t role,
                                                             int32_t dtype);

/** Whether the opset's version of the op has the attribute, by ONNX's name:
 * "saturate", "round_mode", "axis", "block_size", "output_dtype", "precision".
 * False for everything unknown. */
QUANT_FLOAT_EXPORTED bool
quantFloatOpHasAttribute(const char *op, int64_t opset, const char *attribute);

/** The first opset that does; 0 if none does. */
QUANT_FLOAT_EXPORTED int64_t
quantFloatOpGetFirstOpsetOfAttribute(const char *op, const char *attribute);

/** Whether the scale must have the input's element type at this opset. False
 * for everything unknown. */
QUANT_FLOAT_EXPORTED bool quantFloatOpScaleHasInputType(const char *op,
                                                        int64_t opset);

#ifdef __cplusplus
}
#endif

#endif /* QUANT_FLOAT_C_OPSETS_H */
