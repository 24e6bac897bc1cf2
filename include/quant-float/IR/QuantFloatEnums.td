//===- QuantFloatEnums.td - Enum attributes ----------------*- tablegen -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_ENUMS_TD
#define QUANT_FLOAT_IR_ENUMS_TD

include "mlir/IR/EnumAttr.td"
include "quant-float/IR/QuantFloatDialect.td"

/// An enum whose attribute parser supports code completion in the language
/// server.
class QuantFloat_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::quant_float";
  let genSpecializedAttr = 0;
  let parameterParser = "parseEnumKeyword($_parser, " # cppNamespace # "::" # stringToSymbolFnName # ", {"
      # !interleave(!foreach(case, cases, "\"" # case.str # "\""), ", ") # "})";
}

/// An attribute that prints only its value. The default of LLVM 24 adds angle
/// brackets.
class QuantFloat_EnumAttr<EnumInfo info, string mnemonic>
    : EnumAttr<QuantFloat_Dialect, info, mnemonic> {
  let assemblyFormat = "$value";
}

def QuantFloat_RoundMode : QuantFloat_Enum<"RoundMode",
    "rounding mode of a cast: to f8E8M0FNU (round_mode of ONNX Cast-24) or stochastic", [
      I32EnumAttrCase<"Up", 0, "up">,
      I32EnumAttrCase<"Down", 1, "down">,
      I32EnumAttrCase<"Nearest", 2, "nearest">,
      I32EnumAttrCase<"Stochastic", 3, "stochastic">]>;

def QuantFloat_RoundModeAttr
    : QuantFloat_EnumAttr<QuantFloat_RoundMode, "round_mode">;

def QuantFloat_CastMode : QuantFloat_Enum<"CastMode",
    "semantics of a cast other than ONNX's", [
      I32EnumAttrCase<"OpenVINO", 0, "openvino">,
      I32EnumAttrCase<"QuantFloat", 1, "quant_float">,
      I32EnumAttrCase<"P3109", 2, "p3109">]>;

def QuantFloat_CastModeAttr
    : QuantFloat_EnumAttr<QuantFloat_CastMode, "cast_mode">;

def QuantFloat_P3109Draft : QuantFloat_Enum<"P3109Draft",
    "draft of IEEE P3109 that defines a projection", [
      I32EnumAttrCase<"D1", 0, "D1">]>;

def QuantFloat_P3109Rounding : QuantFloat_Enum<"P3109Rounding",
    "rounding mode of IEEE P3109", [
      I32EnumAttrCase<"NearestTiesToEven", 0>,
      I32EnumAttrCase<"NearestTiesToAway", 1>,
      I32EnumAttrCase<"TowardPositive", 2>,
      I32EnumAttrCase<"TowardNegative", 3>,
      I32EnumAttrCase<"TowardZero", 4>,
      I32EnumAttrCase<"ToOdd", 5>,
      I32EnumAttrCase<"StochasticA", 6>,
      I32EnumAttrCase<"StochasticB", 7>,
      I32EnumAttrCase<"StochasticC", 8>]>;

def QuantFloat_P3109Saturation : QuantFloat_Enum<"P3109Saturation",
    "saturation mode of IEEE P3109", [
      I32EnumAttrCase<"SatFinite", 0>,
      I32EnumAttrCase<"SatPropagate", 1>,
      I32EnumAttrCase<"SatNone", 2>]>;

def QuantFloat_FakeConvertMode : QuantFloat_Enum<"FakeConvertMode",
    "implementation whose rounding a fakeconvert reproduces", [
      I32EnumAttrCase<"Exact", 0, "exact">,
      I32EnumAttrCase<"OpenVINO", 1, "openvino">,
      I32EnumAttrCase<"OpenVINOReference", 2, "openvino_reference">]>;

def QuantFloat_FakeConvertModeAttr
    : QuantFloat_EnumAttr<QuantFloat_FakeConvertMode, "fakeconvert_mode">;

def QuantFloat_FakeConvertReciprocal : QuantFloat_Enum<"FakeConvertReciprocal",
    "rounding of the reciprocal of a fakeconvert's scale", [
      I32EnumAttrCase<"Single", 0, "single">,
      I32EnumAttrCase<"Nearest", 1, "nearest">,
      I32EnumAttrCase<"OpenVINO", 2, "openvino">]>;

def QuantFloat_FakeConvertReciprocalAttr
    : QuantFloat_EnumAttr<QuantFloat_FakeConvertReciprocal, "fakeconvert_reciprocal">;

def QuantFloat_TargetKind : QuantFloat_Enum<"TargetKind",
    "kind of machine that code is generated for", [
      I32EnumAttrCase<"CPU", 0, "cpu">,
      I32EnumAttrCase<"NVVM", 1, "nvvm">]>;

// LoweringStrategies.def has the same cases, with what they require.
def QuantFloat_LoweringStrategy : QuantFloat_Enum<"LoweringStrategy",
    "how a linalg op is lowered to loops or to a kernel", [
      I32EnumAttrCase<"Scalar", 0, "scalar">,
      I32EnumAttrCase<"Elementwise", 1, "elementwise">,
      I32EnumAttrCase<"TensorCore", 2, "tensor_core">,
      I32EnumAttrCase<"Warpgroup", 3, "warpgroup">,
      I32EnumAttrCase<"Simt", 4, "simt">,
      I32EnumAttrCase<"Skinny", 5, "skinny">,
      I32EnumAttrCase<"RowMatvec", 6, "row_matvec">,
      I32EnumAttrCase<"ColumnMatvec", 7, "column_matvec">,
      I32EnumAttrCase<"FusedReduction", 8, "fused_reduction">,
      I32EnumAttrCase<"Vectors", 9, "vectors">,
      I32EnumAttrCase<"Panels", 10, "panels">,
      I32EnumAttrCase<"MatrixTiles", 11, "matrix_tiles">,
      I32EnumAttrCase<"SquareBlocks", 12, "square_blocks">,
      I32EnumAttrCase<"Folded", 13, "folded">,
      I32EnumAttrCase<"WindowRows", 14, "window_rows">]>;

// The rows of Reference/BlockScaleRules.def, in their order.
def QuantFloat_BlockScaleRule : QuantFloat_Enum<"BlockScaleRule",
    "rule that derives the scale of a block from its largest magnitude", [
      I32EnumAttrCase<"Floor", 0, "floor">,
      I32EnumAttrCase<"Ceil", 1, "ceil">,
      I32EnumAttrCase<"Even", 2, "even">,
      I32EnumAttrCase<"RCeil", 3, "rceil">,
      I32EnumAttrCase<"CeilExact", 4, "ceil_exact">,
      I32EnumAttrCase<"Nearest", 5, "nearest">,
      I32EnumAttrCase<"Tosa", 6, "tosa">,
      I32EnumAttrCase<"AbsMax", 7, "absmax">,
      I32EnumAttrCase<"DeepGemm", 8, "deepgemm">,
      I32EnumAttrCase<"Ggml", 9, "ggml">,
      I32EnumAttrCase<"TransformerEngine", 10, "transformer_engine">,
      I32EnumAttrCase<"TorchAO", 11, "torchao">,
      I32EnumAttrCase<"ModelOptimizer", 12, "model_optimizer">,
      I32EnumAttrCase<"CompressedTensors", 13, "compressed_tensors">]>;

def QuantFloat_BlockScaleRuleAttr
    : QuantFloat_EnumAttr<QuantFloat_BlockScaleRule, "block_scale_rule">;

// The rows of Reference/ScaleLayouts.def, in their order.
def QuantFloat_ScaleLayout : QuantFloat_Enum<"ScaleLayout",
    "layout in which matmul kernels read scales of blocks", [
      I32EnumAttrCase<"Tile128x4", 0, "tile_128x4">,
      I32EnumAttrCase<"Tile8x4", 1, "tile_8x4">,
      I32EnumAttrCase<"DeepGemmF32", 2, "deepgemm_f32">,
      I32EnumAttrCase<"DeepGemmE8M0", 3, "deepgemm_e8m0">,
      I32EnumAttrCase<"GFX950", 4, "gfx950">,
      I32EnumAttrCase<"GFX1250", 5, "gfx1250_n32k4">]>;

def QuantFloat_ScaleLayoutAttr
    : QuantFloat_EnumAttr<QuantFloat_ScaleLayout, "scale_layout">;

def QuantFloat_ScaleOrder : QuantFloat_Enum<"ScaleOrder",
    "order in which a block_dequantize multiplies", [
      I32EnumAttrCase<"BlockFirst", 0, "block_first">,
      I32EnumAttrCase<"TensorFirst", 1, "tensor_first">]>;

def QuantFloat_ScaleOrderAttr
    : QuantFloat_EnumAttr<QuantFloat_ScaleOrder, "scale_order">;

#endif // QUANT_FLOAT_IR_ENUMS_TD
