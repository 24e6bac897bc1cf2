/*===-- quant-float-c/Dialect.h - The dialect for MLIR's C API ---*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * The dialect's handle, types and attributes. Everything here follows the rules
 * of MLIR's own C API: what belongs to a context is not owned and lives as long
 * as it. Arguments are trusted to be alive, but null gives null, false or 0,
 * and a type or attribute of another kind -1 or an empty string.
 *
 * Ops are made with mlirOperationCreate. Their operands, in this order, and
 * their attributes; those in brackets may be absent:
 *
 *   quant_float.cast       input, [random]
 *       opset: i64 integer, [like: unit], [saturate: bool],
 *       [round_mode: quantFloatRoundModeAttrGet],
 *       [mode: quantFloatCastModeAttrGet]
 *   quant_float.quantize   input, scale, [zero_point], [random]
 *       opset: i64 integer, [domain: string], [axis: i64 integer],
 *       [block_size: i64 integer], [saturate: bool], [precision: type],
 *       [round_mode: stochastic, with random and never without],
 *       [ignored_attributes: array of strings]
 *   quant_float.dequantize input, scale, [zero_point]
 *       opset, [domain], [axis], [block_size], [ignored_attributes]
 *   quant_float.qdq        input, scale, [zero_point], [random]
 *       storage: type, and the attributes of quantize
 *   quant_float.fakeconvert input, scale, [shift]
 *       destination: type, opset: i64 integer,
 *       [mode: quantFloatFakeConvertModeAttrGet],
 *       [reciprocal: quantFloatFakeConvertReciprocalAttrGet],
 *       [positive_zero: unit], [neutral_shift: unit]
 *   quant_float.philox     seed, offset, like
 *   quant_float.node       any
 *       op_type: string, opset: i64 integer, [domain: string],
 *       [node_name: string], [node_attributes: dictionary],
 *       [absent_inputs: dense i64 array], [body_names: array of strings]
 *
 * Each has one result, a node any number. mlirOperationVerify says what is
 * wrong with them. Sizes, granularity and types are the dialect's constraints.
 */
#ifndef QUANT_FLOAT_C_DIALECT_H
#define QUANT_FLOAT_C_DIALECT_H

#include "mlir-c/IR.h"
#include "quant-float-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/** mlirGetDialectHandle__quant_float__: the dialect `quant_float` alone. */
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(QuantFloat, quant_float);

/** Adds the dialect, those that its lowerings use, and the interfaces that
 * these need to a registry. */
QUANT_FLOAT_EXPORTED void
quantFloatRegisterAllDialects(MlirDialectRegistry registry);

/* Types -------------------------------------------------------------------- */

/** `!quant_float.string`, the element type of ONNX's tensor(string). */
QUANT_FLOAT_EXPORTED MlirType quantFloatStringTypeGet(MlirContext context);
QUANT_FLOAT_EXPORTED bool quantFloatTypeIsAString(MlirType type);
QUANT_FLOAT_EXPORTED MlirTypeID quantFloatStringTypeGetTypeID(void);

/** `!quant_float.f8UE5M3`, a float8 without a sign. */
QUANT_FLOAT_EXPORTED MlirType quantFloatFloat8UE5M3TypeGet(MlirContext context);
QUANT_FLOAT_EXPORTED bool quantFloatTypeIsAFloat8UE5M3(MlirType type);
QUANT_FLOAT_EXPORTED MlirTypeID quantFloatFloat8UE5M3TypeGetTypeID(void);

/** `!quant_float.unknown`, of a value whose type the model does not tell. */
QUANT_FLOAT_EXPORTED MlirType quantFloatUnknownTypeGet(MlirContext context);
QUANT_FLOAT_EXPORTED bool quantFloatTypeIsAnUnknown(MlirType type);
QUANT_FLOAT_EXPORTED MlirTypeID quantFloatUnknownTypeGetTypeID(void);

/** `!quant_float.opaque<"spelling">`, of a type that MLIR has no counterpart
 * of. */
QUANT_FLOAT_EXPORTED MlirType quantFloatOpaqueTypeGet(MlirContext context,
                                                      MlirStringRef spelling);
QUANT_FLOAT_EXPORTED bool quantFloatTypeIsAnOpaque(MlirType type);
/** The source format's spelling of it. */
QUANT_FLOAT_EXPORTED MlirStringRef
quantFloatOpaqueTypeGetSpelling(MlirType type);
QUANT_FLOAT_EXPORTED MlirTypeID quantFloatOpaqueTypeGetTypeID(void);

/** The element type that has this number: a qf_dtype (EntryPoint.h), or 8,
 * ONNX's number of strings; null if there is none. */
QUANT_FLOAT_EXPORTED MlirType quantFloatElementTypeGet(MlirContext context,
                                                       int32_t dtype);
/** The number of an element type; 0 if it has none. */
QUANT_FLOAT_EXPORTED int32_t quantFloatElementTypeGetDtype(MlirType type);

/* Attributes --------------------------------------------------------------- */

/** How a cast rounds: to f8E8M0FNU, or by random bits. */
typedef enum QuantFloatRoundMode {
  QUANT_FLOAT_ROUND_UP = 0,
  QUANT_FLOAT_ROUND_DOWN = 1,
  QUANT_FLOAT_ROUND_NEAREST = 2,
  QUANT_FLOAT_ROUND_STOCHASTIC = 3
} QuantFloatRoundMode;

/** `#quant_float<round_mode up>`; null for a number that is no
 * QuantFloatRoundMode. */
QUANT_FLOAT_EXPORTED MlirAttribute
quantFloatRoundModeAttrGet(MlirContext context, int32_t mode);
QUANT_FLOAT_EXPORTED bool
quantFloatAttributeIsARoundMode(MlirAttribute attribute);
/** The QuantFloatRoundMode of it. */
QUANT_FLOAT_EXPORTED int32_t
quantFloatRoundModeAttrGetValue(MlirAttribute attribute);
QUANT_FLOAT_EXPORTED MlirTypeID quantFloatRoundModeAttrGetTypeID(void);

/** Whose conversion a cast is, if not ONNX's. */
typedef enum QuantFloatCastMode {
  QUANT_FLOAT_CAST_OPENVINO = 0,
  QUANT_FLOAT_CAST_QUANT_FLOAT = 1
} QuantFloatCastMode;

/** `#quant_float<cast_mode openvino>`; null for a number that is no
 * QuantFloatCastMode. */
QUANT_FLOAT_EXPORTED MlirAttribute
quantFloatCastModeAttrGet(MlirContext context, int32_t mode);
QUANT_FLOAT_EXPORTED bool
quantFloatAttributeIsACastMode(MlirAttribute attribute);
/** The QuantFloatCastMode of it. */
QUANT_FLOAT_EXPORTED int32_t
quantFloatCastModeAttrGetValue(MlirAttribute attribute);
QUANT_FLOAT_EXPORTED MlirTypeID quantFloatCastModeAttrGetTypeID(void);

/** `#quant_float<fakeconvert_mode exact>`: whose arithmetic a fakeconvert
 * follows, 0 exact, 1 openvino, 2 openvino_reference, as the numbers of
 * QuantFloatFakeConvertMode (Compiler.h); null for other numbers. */
QUANT_FLOAT_EXPORTED MlirAttribute
quantFloatFakeConvertModeAttrGet(MlirContext context, int32_t mode);
QUANT_FLOAT_EXPORTED bool
quantFloatAttributeIsAFakeConvertMode(MlirAttribute attribute);
/** The number of its mode. */
QUANT_FLOAT_EXPORTED int32_t
quantFloatFakeConvertModeAttrGetValue(MlirAttribute attribute);
QUANT_FLOAT_EXPORTED MlirTypeID quantFloatFakeConvertModeAttrGetTypeID(void);

/** How the reciprocal of a fakeconvert's scale is rounded. */
typedef enum QuantFloatFakeConvertReciprocal {
  QUANT_FLOAT_RECIPROCAL_SINGLE = 0,
  QUANT_FLOAT_RECIPROCAL_NEAREST = 1,
  QUANT_FLOAT_RECIPROCAL_OPENVINO = 2
} QuantFloatFakeConvertReciprocal;

/** `#quant_float<fakeconvert_reciprocal nearest>`; null for a number that is no
 * QuantFloatFakeConvertReciprocal. */
QUANT_FLOAT_EXPORTED MlirAttribute
quantFloatFakeConvertReciprocalAttrGet(MlirContext context, int32_t reciprocal);
QUANT_FLOAT_EXPORTED bool
quantFloatAttributeIsAFakeConvertReciprocal(MlirAttribute attribute);
/** The QuantFloatFakeConvertReciprocal of it. */
QUANT_FLOAT_EXPORTED int32_t
quantFloatFakeConvertReciprocalAttrGetValue(MlirAttribute attribute);
QUANT_FLOAT_EXPORTED MlirTypeID
quantFloatFakeConvertReciprocalAttrGetTypeID(void);

#ifdef __cplusplus
}
#endif

#endif /* QUANT_FLOAT_C_DIALECT_H */
