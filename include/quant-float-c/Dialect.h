/*===-- quant-float-c/Dialect.h - The dialect for MLIR's C API ---*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * The dialect's handle, types and attributes. The conventions are those of
 * MLIR's C API: objects of a context are not owned by the caller and are valid
 * for the lifetime of the context. Arguments must be valid. For a null
 * argument, functions return null, false or 0; for a type or attribute of
 * another kind, they return -1 or an empty string.
 *
 * Ops are created with mlirOperationCreate. The following list has their
 * operands, in this order, and their attributes; those in brackets are
 * optional:
 *
 *   quant_float.cast       input, [random]
 *       opset: i64 integer, [like: unit], [saturate: bool],
 *       [round_mode: quantFloatRoundModeAttrGet],
 *       [mode: quantFloatCastModeAttrGet],
 *       [projection: quantFloatProjectionAttrGet, required if and only if the
 *       mode is p3109]
 *   quant_float.quantize   input, scale, [zero_point], [random]
 *       opset: i64 integer, [domain: string], [axis: i64 integer],
 *       [block_size: i64 integer], [saturate: bool], [precision: type],
 *       [round_mode: stochastic, required if and only if random is present],
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
 *   quant_float.block_quantize input, [tensor_amax], [tensor_scale], [random]
 *       block: dense i64 array, rule: quantFloatBlockScaleRuleAttrGet,
 *       [round_mode], operandSegmentSizes: dense i32 array; two results, or
 *       three with a scale of the tensor
 *   quant_float.block_dequantize input, scale, [tensor_scale]
 *       block, [order: quantFloatScaleOrderAttrGet]
 *   quant_float.block_amax input
 *       block, [finite: unit]
 *   quant_float.tensor_scale tensor_amax
 *   quant_float.block_scale amax, [tensor_amax], [tensor_scale]
 *       rule, element: type, operandSegmentSizes
 *   quant_float.block_quantize_elements input, scale, [tensor_amax],
 *       [tensor_scale], [random]
 *       block, rule, [round_mode], operandSegmentSizes
 *   quant_float.convert_to_block, quant_float.convert_from_block input, scale,
 *       [random]
 *       block, projection: quantFloatProjectionAttrGet
 *   quant_float.pack_scales, quant_float.unpack_scales input
 *       layout: quantFloatScaleLayoutAttrGet
 *   quant_float.philox     seed, offset, like
 *   quant_float.node       any
 *       op_type: string, opset: i64 integer, [domain: string],
 *       [node_name: string], [node_attributes: dictionary],
 *       [absent_inputs: dense i64 array], [body_names: array of strings]
 *
 * operandSegmentSizes has the number, 0 or 1, of each of the operands. Each op
 * has one result, except quant_float.block_quantize and quant_float.node, which
 * has any number.
 * mlirOperationVerify checks the dialect's constraints on sizes, granularity
 * and types.
 */
#ifndef QUANT_FLOAT_C_DIALECT_H
#define QUANT_FLOAT_C_DIALECT_H

#include "mlir-c/IR.h"
#include "quant-float-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Declares mlirGetDialectHandle__quant_float__, the handle of the dialect
 * `quant_float`. */
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(QuantFloat, quant_float);

/** Adds the dialect, the dialects that its lowerings use, and the interfaces
 * that these require to a registry. */
QUANT_FLOAT_EXPORTED void
quantFloatRegisterAllDialects(MlirDialectRegistry registry);

/* Types -------------------------------------------------------------------- */

/** `!quant_float.string`, the element type of ONNX's tensor(string). */
QUANT_FLOAT_EXPORTED MlirType quantFloatStringTypeGet(MlirContext context);
QUANT_FLOAT_EXPORTED bool quantFloatTypeIsAString(MlirType type);
QUANT_FLOAT_EXPORTED MlirTypeID quantFloatStringTypeGetTypeID(void);

/** `!quant_float.f8UE5M3`, an unsigned float8 type. */
QUANT_FLOAT_EXPORTED MlirType quantFloatFloat8UE5M3TypeGet(MlirContext context);
QUANT_FLOAT_EXPORTED bool quantFloatTypeIsAFloat8UE5M3(MlirType type);
QUANT_FLOAT_EXPORTED MlirTypeID quantFloatFloat8UE5M3TypeGetTypeID(void);

/** `!quant_float.binary8p4se`, a format of IEEE P3109 of 3 to 8 bits:
 * Binary{width, precision, signed or unsigned, extended or finite}. Returns
 * f8E4M3FNUZ for Binary8p4sf and f8E5M2FNUZ for Binary8p3sf; null for
 * parameters that the draft does not permit, and for more than 8 bits. */
QUANT_FLOAT_EXPORTED MlirType quantFloatBinaryTypeGet(MlirContext context,
                                                      int32_t width,
                                                      int32_t precision,
                                                      bool isSigned,
                                                      bool isExtended);
/** Returns whether the type is such a format other than f8E4M3FNUZ and
 * f8E5M2FNUZ. */
QUANT_FLOAT_EXPORTED bool quantFloatTypeIsABinary(MlirType type);
QUANT_FLOAT_EXPORTED MlirTypeID quantFloatBinaryTypeGetTypeID(void);

/** `!quant_float.unknown`, the type of a value whose type the model does not
 * specify. */
QUANT_FLOAT_EXPORTED MlirType quantFloatUnknownTypeGet(MlirContext context);
QUANT_FLOAT_EXPORTED bool quantFloatTypeIsAnUnknown(MlirType type);
QUANT_FLOAT_EXPORTED MlirTypeID quantFloatUnknownTypeGetTypeID(void);

/** `!quant_float.opaque<"spelling">`, a type without an MLIR counterpart. */
QUANT_FLOAT_EXPORTED MlirType quantFloatOpaqueTypeGet(MlirContext context,
                                                      MlirStringRef spelling);
QUANT_FLOAT_EXPORTED bool quantFloatTypeIsAnOpaque(MlirType type);
/** Returns the source format's spelling of the type. */
QUANT_FLOAT_EXPORTED MlirStringRef
quantFloatOpaqueTypeGetSpelling(MlirType type);
QUANT_FLOAT_EXPORTED MlirTypeID quantFloatOpaqueTypeGetTypeID(void);

/** Returns the element type with this number: a qf_dtype (EntryPoint.h), or 8,
 * ONNX's number of strings; null if there is none. */
QUANT_FLOAT_EXPORTED MlirType quantFloatElementTypeGet(MlirContext context,
                                                       int32_t dtype);
/** Returns the number of an element type; 0 if it has none. */
QUANT_FLOAT_EXPORTED int32_t quantFloatElementTypeGetDtype(MlirType type);

/* Attributes --------------------------------------------------------------- */

/** The rounding mode of a cast: to f8E8M0FNU, or stochastic. */
typedef enum QuantFloatRoundMode {
  QUANT_FLOAT_ROUND_UP = 0,
  QUANT_FLOAT_ROUND_DOWN = 1,
  QUANT_FLOAT_ROUND_NEAREST = 2,
  QUANT_FLOAT_ROUND_STOCHASTIC = 3
} QuantFloatRoundMode;

/** `#quant_float<round_mode up>`; null for a number that is not a
 * QuantFloatRoundMode. */
QUANT_FLOAT_EXPORTED MlirAttribute
quantFloatRoundModeAttrGet(MlirContext context, int32_t mode);
QUANT_FLOAT_EXPORTED bool
quantFloatAttributeIsARoundMode(MlirAttribute attribute);
/** Returns the QuantFloatRoundMode of the attribute. */
QUANT_FLOAT_EXPORTED int32_t
quantFloatRoundModeAttrGetValue(MlirAttribute attribute);
QUANT_FLOAT_EXPORTED MlirTypeID quantFloatRoundModeAttrGetTypeID(void);

/** The semantics of a cast other than ONNX's. */
typedef enum QuantFloatCastMode {
  QUANT_FLOAT_CAST_OPENVINO = 0,
  QUANT_FLOAT_CAST_QUANT_FLOAT = 1,
  QUANT_FLOAT_CAST_P3109 = 2
} QuantFloatCastMode;

/** `#quant_float<cast_mode openvino>`; null for a number that is not a
 * QuantFloatCastMode. */
QUANT_FLOAT_EXPORTED MlirAttribute
quantFloatCastModeAttrGet(MlirContext context, int32_t mode);
QUANT_FLOAT_EXPORTED bool
quantFloatAttributeIsACastMode(MlirAttribute attribute);
/** Returns the QuantFloatCastMode of the attribute. */
QUANT_FLOAT_EXPORTED int32_t
quantFloatCastModeAttrGetValue(MlirAttribute attribute);
QUANT_FLOAT_EXPORTED MlirTypeID quantFloatCastModeAttrGetTypeID(void);

/** A rounding mode of IEEE P3109. */
typedef enum QuantFloatP3109Rounding {
  QUANT_FLOAT_P3109_NEAREST_TIES_TO_EVEN = 0,
  QUANT_FLOAT_P3109_NEAREST_TIES_TO_AWAY = 1,
  QUANT_FLOAT_P3109_TOWARD_POSITIVE = 2,
  QUANT_FLOAT_P3109_TOWARD_NEGATIVE = 3,
  QUANT_FLOAT_P3109_TOWARD_ZERO = 4,
  QUANT_FLOAT_P3109_TO_ODD = 5,
  QUANT_FLOAT_P3109_STOCHASTIC_A = 6,
  QUANT_FLOAT_P3109_STOCHASTIC_B = 7,
  QUANT_FLOAT_P3109_STOCHASTIC_C = 8
} QuantFloatP3109Rounding;

/** A saturation mode of IEEE P3109. */
typedef enum QuantFloatP3109Saturation {
  QUANT_FLOAT_P3109_SAT_FINITE = 0,
  QUANT_FLOAT_P3109_SAT_PROPAGATE = 1,
  QUANT_FLOAT_P3109_SAT_NONE = 2
} QuantFloatP3109Saturation;

/** `#quant_float.projection<D1, NearestTiesToEven, SatNone>`: the modes of
 * draft D1, a QuantFloatP3109Rounding and a QuantFloatP3109Saturation; null for
 * other numbers. */
QUANT_FLOAT_EXPORTED MlirAttribute quantFloatProjectionAttrGet(
    MlirContext context, int32_t rounding, int32_t saturation);
QUANT_FLOAT_EXPORTED bool
quantFloatAttributeIsAProjection(MlirAttribute attribute);
/** Return the number of each mode. */
QUANT_FLOAT_EXPORTED int32_t
quantFloatProjectionAttrGetRounding(MlirAttribute attribute);
QUANT_FLOAT_EXPORTED int32_t
quantFloatProjectionAttrGetSaturation(MlirAttribute attribute);
QUANT_FLOAT_EXPORTED MlirTypeID quantFloatProjectionAttrGetTypeID(void);

/** `#quant_float<fakeconvert_mode exact>`, the implementation whose rounding a
 * fakeconvert reproduces: 0 is exact, 1 openvino, 2 openvino_reference, as in
 * QuantFloatFakeConvertMode (Compiler.h); null for other numbers. */
QUANT_FLOAT_EXPORTED MlirAttribute
quantFloatFakeConvertModeAttrGet(MlirContext context, int32_t mode);
QUANT_FLOAT_EXPORTED bool
quantFloatAttributeIsAFakeConvertMode(MlirAttribute attribute);
/** Returns the number of the mode. */
QUANT_FLOAT_EXPORTED int32_t
quantFloatFakeConvertModeAttrGetValue(MlirAttribute attribute);
QUANT_FLOAT_EXPORTED MlirTypeID quantFloatFakeConvertModeAttrGetTypeID(void);

/** The rounding of the reciprocal of a fakeconvert's scale. */
typedef enum QuantFloatFakeConvertReciprocal {
  QUANT_FLOAT_RECIPROCAL_SINGLE = 0,
  QUANT_FLOAT_RECIPROCAL_NEAREST = 1,
  QUANT_FLOAT_RECIPROCAL_OPENVINO = 2
} QuantFloatFakeConvertReciprocal;

/** `#quant_float<fakeconvert_reciprocal nearest>`; null for a number that is
 * not a QuantFloatFakeConvertReciprocal. */
QUANT_FLOAT_EXPORTED MlirAttribute
quantFloatFakeConvertReciprocalAttrGet(MlirContext context, int32_t reciprocal);
QUANT_FLOAT_EXPORTED bool
quantFloatAttributeIsAFakeConvertReciprocal(MlirAttribute attribute);
/** Returns the QuantFloatFakeConvertReciprocal of the attribute. */
QUANT_FLOAT_EXPORTED int32_t
quantFloatFakeConvertReciprocalAttrGetValue(MlirAttribute attribute);
QUANT_FLOAT_EXPORTED MlirTypeID
quantFloatFakeConvertReciprocalAttrGetTypeID(void);

/** The rule that derives the scale of a block from its largest magnitude. */
typedef enum QuantFloatBlockScaleRule {
  QUANT_FLOAT_BLOCK_SCALE_FLOOR = 0,
  QUANT_FLOAT_BLOCK_SCALE_CEIL = 1,
  QUANT_FLOAT_BLOCK_SCALE_EVEN = 2,
  QUANT_FLOAT_BLOCK_SCALE_RCEIL = 3,
  QUANT_FLOAT_BLOCK_SCALE_CEIL_EXACT = 4,
  QUANT_FLOAT_BLOCK_SCALE_NEAREST = 5,
  QUANT_FLOAT_BLOCK_SCALE_TOSA = 6,
  QUANT_FLOAT_BLOCK_SCALE_ABSMAX = 7,
  QUANT_FLOAT_BLOCK_SCALE_DEEPGEMM = 8,
  QUANT_FLOAT_BLOCK_SCALE_GGML = 9,
  QUANT_FLOAT_BLOCK_SCALE_TRANSFORMER_ENGINE = 10,
  QUANT_FLOAT_BLOCK_SCALE_TORCHAO = 11,
  QUANT_FLOAT_BLOCK_SCALE_MODEL_OPTIMIZER = 12,
  QUANT_FLOAT_BLOCK_SCALE_COMPRESSED_TENSORS = 13
} QuantFloatBlockScaleRule;

/** `#quant_float<block_scale_rule rceil>`; null for a number that is not a
 * QuantFloatBlockScaleRule. */
QUANT_FLOAT_EXPORTED MlirAttribute
quantFloatBlockScaleRuleAttrGet(MlirContext context, int32_t rule);
QUANT_FLOAT_EXPORTED bool
quantFloatAttributeIsABlockScaleRule(MlirAttribute attribute);
/** Returns the QuantFloatBlockScaleRule of the attribute. */
QUANT_FLOAT_EXPORTED int32_t
quantFloatBlockScaleRuleAttrGetValue(MlirAttribute attribute);
QUANT_FLOAT_EXPORTED MlirTypeID quantFloatBlockScaleRuleAttrGetTypeID(void);

/** The order in which a block_dequantize multiplies by two scales. */
typedef enum QuantFloatScaleOrder {
  QUANT_FLOAT_SCALE_ORDER_BLOCK_FIRST = 0,
  QUANT_FLOAT_SCALE_ORDER_TENSOR_FIRST = 1
} QuantFloatScaleOrder;

/** `#quant_float<scale_order block_first>`; null for a number that is not a
 * QuantFloatScaleOrder. */
QUANT_FLOAT_EXPORTED MlirAttribute
quantFloatScaleOrderAttrGet(MlirContext context, int32_t order);
QUANT_FLOAT_EXPORTED bool
quantFloatAttributeIsAScaleOrder(MlirAttribute attribute);
/** Returns the QuantFloatScaleOrder of the attribute. */
QUANT_FLOAT_EXPORTED int32_t
quantFloatScaleOrderAttrGetValue(MlirAttribute attribute);
QUANT_FLOAT_EXPORTED MlirTypeID quantFloatScaleOrderAttrGetTypeID(void);

/** The layout in which matmul kernels read scales of blocks. */
typedef enum QuantFloatScaleLayout {
  QUANT_FLOAT_SCALE_LAYOUT_TILE_128X4 = 0,
  QUANT_FLOAT_SCALE_LAYOUT_TILE_8X4 = 1,
  QUANT_FLOAT_SCALE_LAYOUT_DEEPGEMM_F32 = 2,
  QUANT_FLOAT_SCALE_LAYOUT_DEEPGEMM_E8M0 = 3,
  QUANT_FLOAT_SCALE_LAYOUT_GFX950 = 4,
  QUANT_FLOAT_SCALE_LAYOUT_GFX1250_N32K4 = 5
} QuantFloatScaleLayout;

/** `#quant_float<scale_layout tile_128x4>`; null for a number that is not a
 * QuantFloatScaleLayout. */
QUANT_FLOAT_EXPORTED MlirAttribute
quantFloatScaleLayoutAttrGet(MlirContext context, int32_t layout);
QUANT_FLOAT_EXPORTED bool
quantFloatAttributeIsAScaleLayout(MlirAttribute attribute);
/** Returns the QuantFloatScaleLayout of the attribute. */
QUANT_FLOAT_EXPORTED int32_t
quantFloatScaleLayoutAttrGetValue(MlirAttribute attribute);
QUANT_FLOAT_EXPORTED MlirTypeID quantFloatScaleLayoutAttrGetTypeID(void);

#ifdef __cplusplus
}
#endif

#endif /* QUANT_FLOAT_C_DIALECT_H */
