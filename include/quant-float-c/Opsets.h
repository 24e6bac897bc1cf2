/*===-- quant-float-c/Opsets.h - What op versions accept ---------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * Queries of the rules of each version of the quantization ops: which element
 * types and attributes an opset accepts, and which opset was the first to do
 * so. Ops are identified by their ONNX names, prefixed by the domain unless it
 * is the default domain: "Cast", "CastLike", "QuantizeLinear",
 * "DequantizeLinear", "DynamicQuantizeLinear", "BitCast", "ConvInteger",
 * "MatMulInteger", "QLinearConv", "QLinearMatMul",
 * "com.microsoft.QuantizeLinear", "com.microsoft.DequantizeLinear",
 * "com.microsoft.QGemm". No function of this header allocates or takes a lock.
 */
#ifndef QUANT_FLOAT_C_OPSETS_H
#define QUANT_FLOAT_C_OPSETS_H

#include "quant-float-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The operand or result whose types are queried. */
typedef enum QuantFloatRole {
  QUANT_FLOAT_ROLE_INPUT = 0,
  /** Only of ops with a scale. */
  QUANT_FLOAT_ROLE_SCALE = 1,
  /** For QuantizeLinear also the zero point, which has the result's type. For
   * DequantizeLinear the zero point has the input's type. */
  QUANT_FLOAT_ROLE_RESULT = 2
} QuantFloatRole;

/** Returns the newest known ONNX opset. */
QUANT_FLOAT_EXPORTED int64_t quantFloatGetNewestOpset(void);

/** Returns the number of ops. */
QUANT_FLOAT_EXPORTED size_t quantFloatGetNumOps(void);

/** Returns the name of an op; null if the index is out of range. The string is
 * valid for the lifetime of the library. */
QUANT_FLOAT_EXPORTED const char *quantFloatGetOpName(size_t index);

/** Returns the number of versions of the op; 0 for an unknown op. */
QUANT_FLOAT_EXPORTED size_t quantFloatOpGetNumVersions(const char *op);

/** Returns the opset that introduced a version, oldest first; 0 if the index is
 * out of range. */
QUANT_FLOAT_EXPORTED int64_t quantFloatOpGetVersion(const char *op,
                                                    size_t version);

/** Returns the version of the op that an opset resolves to: the newest version
 * that is not newer than the opset. 0 for an unknown op and for opsets that
 * lack the op. */
QUANT_FLOAT_EXPORTED int64_t quantFloatOpResolveVersion(const char *op,
                                                        int64_t opset);

/** Returns whether the opset's version of the op accepts the element type (a
 * qf_dtype, or ONNX's number of string) for the role (a QuantFloatRole). False
 * for unknown arguments. */
QUANT_FLOAT_EXPORTED bool quantFloatOpAcceptsType(const char *op, int64_t opset,
                                                  int32_t role, int32_t dtype);

/** Returns the first opset whose version of the op accepts the type; 0 if none
 * does. */
QUANT_FLOAT_EXPORTED int64_t quantFloatOpGetFirstOpsetOfType(const char *op,
                                                             int32_t role,
                                                             int32_t dtype);

/** Returns whether the opset's version of the op has the attribute, given its
 * ONNX name: "saturate", "round_mode", "axis", "block_size", "output_dtype" or
 * "precision". False for unknown arguments. */
QUANT_FLOAT_EXPORTED bool
quantFloatOpHasAttribute(const char *op, int64_t opset, const char *attribute);

/** Returns the first opset whose version of the op has the attribute; 0 if none
 * does. */
QUANT_FLOAT_EXPORTED int64_t
quantFloatOpGetFirstOpsetOfAttribute(const char *op, const char *attribute);

/** Returns whether the scale must have the input's element type at this opset.
 * False for unknown arguments. */
QUANT_FLOAT_EXPORTED bool quantFloatOpScaleHasInputType(const char *op,
                                                        int64_t opset);

#ifdef __cplusplus
}
#endif

#endif /* QUANT_FLOAT_C_OPSETS_H */
