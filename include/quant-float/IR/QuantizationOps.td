//===- QuantizationOps.td - Quantization operations --------*- tablegen -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_QUANTIZATIONOPS_TD
#define QUANT_FLOAT_IR_QUANTIZATIONOPS_TD

include "quant-float/IR/QuantFloatBase.td"

//===----------------------------------------------------------------------===//
// QuantizeOp, DequantizeOp, QdqOp
//===----------------------------------------------------------------------===//

// Base class of the three ops: the operands, the granularity (Q1) and the
// standard that the op follows.
class QuantFloat_QuantizationOp<string opMnemonic> : QuantFloat_Op<opMnemonic, [
    Pure, DeclareOpInterfaceMethods<QuantFloat_QuantizationOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<InferShapedTypeOpInterface, ["inferReturnTypeComponents"]>]> {
  dag values = (ins QuantFloat_Value:$input, QuantFloat_Value:$scale);
  dag standard = (ins
    I64Attr:$opset,
    OptionalAttr<StrAttr>:$domain,
    OptionalAttr<I64Attr>:$axis,
    OptionalAttr<I64Attr>:$block_size,
    OptionalAttr<StrArrayAttr>:$ignored_attributes);
  let results = (outs QuantFloat_Value:$result);
  let hasFolder = 1;
  let hasVerifier = 1;
}

// The random bits of stochastic rounding are the last operand. `others` and
// `round_mode` keep bytecode of older versions, which lack random bits,
// readable.
defvar othersArgument = (ins Variadic<QuantFloat_Value>:$others);
defvar roundModeArgument = (ins OptionalAttr<QuantFloat_RoundModeAttr>:$round_mode);
defvar othersDeclaration = [{
    /// Returns the zero point, the first of `others`, or null if absent.
    ::mlir::Value getZeroPoint() {
      bool isGiven = getOthers().size() > (getRoundMode() ? 1 : 0);
      return isGiven ? getOthers().front() : ::mlir::Value();
    }
    /// Returns the random bits, the last of `others` (S4), or null if absent.
    ::mlir::Value getRandom() {
      bool isGiven = getRoundMode() && !getOthers().empty();
      return isGiven ? getOthers().back() : ::mlir::Value();
    }
}];

// The constraints that the three ops share; their descriptions append to it.
defvar quantizationConstraints = [{
    - (V1, V2) the element types are ones that the op version accepts;
    - (V3) an attribute that the op version lacks is absent: `axis` exists from
      13, `saturate` from 19, `block_size` from 21, `precision` from 23. This
      includes `ignored_attributes`, the names of attributes that the source
      node specifies without effect (the axis of a per-tensor scale, a
      `block_size` of 0, an `output_dtype` that equals the zero point's type);
    - (V4) `domain` is absent (ONNX's default domain), and `opset` is between 10
      and 28; or it is "com.microsoft" with opset 1, which means the rules of
      opset 21 for i8, ui8, i16, ui16, i4, ui4 (`dequantize`: also i32) with f32
      and f16 (V9); or it is "quant_float" with opset 1, which means the rules
      of opset 28 for its types and for f8E3M4, f8E4M3, f8E4M3B11FNUZ and
      !quant_float.f8UE5M3, with every float8 type as a scale (F1);
    - (V8) input and result have compatible shapes; either both input and scale
      are tensors, or neither is;
    - (Q1) per tensor, without `axis`, `scale` has one element: a scalar or a
      tensor of rank 0 or 1; per axis, with `axis`, it has rank 1 and as many
      elements as the input's dimension; blocked, with `axis` and `block_size`,
      it has the input's rank and sizes, but ceil(size / block_size) along the
      axis. Dynamic sizes are checked at run time;
    - (Q2) `zero_point` has the quantized element type and the scale's shape; a
      scalar is equivalent to a tensor of one element;
    - (Q3) `axis` is in [-rank, rank - 1];
    - (Q4) `block_size` is positive and requires `axis`;
}];

def QuantFloat_QuantizeOp : QuantFloat_QuantizationOp<"quantize"> {
  let summary = "Divides by a scale, rounds and adds a zero point";
  let description = [{
    Quantizes each element of `input` with the semantics of ONNX QuantizeLinear
    at `opset`.

    ```
    q         = P(input[i]) / P(scale[g(i)])                     // rounded to P
    result[i] = clamp(round_half_even(q) + zero_point[g(i)])     // integers (D1)
    result[i] = cast(q)                                          // float8 (D3)
    result[i] = cast(q + zero_point[g(i)])                       // float6, float4 (D3)
    ```

    `g(i)` is the index of the scale that applies to element `i`, according to
    the granularity. The zero point may be absent.

    *Precision.* The division is done in the type P and rounded once (D2).
    Before opset 23, P is the input's type (f64 for i32); from 23 on, it is
    `precision`, or else the scale's type (f32 for f8E8M0FNU, f64 for i32).

    *Rounding and overflow.* To integers: the quotient is rounded to nearest,
    ties to even; the zero point is added exactly, and the sum is clamped to the
    range of the type, also for infinities; a NaN gives the zero point (D1). To
    float8: as `cast` at opset 28 with this op's `saturate` (default true); the
    zero point is not added. To float6 and float4: always saturating. Division
    by a scale of zero follows IEEE 754 (D4). No value is an error.

    *Stochastic rounding.* With `round_mode stochastic` the last operand has k
    random bits for each element, which determine the direction of rounding
    (S5). To integers, let `fraction` be the fractional distance of `q` from its
    neighbor nearer to zero. `q` is rounded away from zero if the fraction,
    truncated to k bits, and the random bits add up to at least 1:

    ```
    n          = trunc(|q|)
    up         = floor((|q| - n) * 2^k) + random[i] >= 2^k
    result[i]  = clamp(sign(q) * (n + up) + zero_point[g(i)])
    ```

    Exactly floor(fraction * 2^k) of the 2^k values of the random bits round
    away from zero. To floats, `q` is rounded as by a stochastic `cast` (S2); to
    float6 and float4, the zero point is added before.

    Constraints:}] # quantizationConstraints # [{
    - (S4) `round_mode`, if present, is stochastic; then the last operand has
      the input's shape and elements of ui2, ui4, ui8 or ui16, and `domain` is
      "quant_float";
    - (Q5) the result has the zero point's element type; without a zero point it
      is ui8, and from opset 21 on (`output_dtype`) any type that the version
      accepts;
    - (Q6) at opsets 19 to 22 the scale has the input's element type;
    - (Q9) `precision` is f32, f16, bf16 or f64.

    A float8 zero point is ignored; importers reject a constant one that is not
    zero (Q7).

    Example:

    ```mlir
    %1 = quant_float.quantize %x, %s, %z opset 13
           : tensor<?x64xf32>, tensor<f32>, tensor<i8> to tensor<?x64xi8>
    %2 = quant_float.quantize %x, %s axis 1 block_size 32 opset 23 saturate false
           : tensor<?x64xf32>, tensor<?x2xf16> to tensor<?x64xf8E4M3FN>
    %3 = quant_float.quantize %x, %s, %z, %r opset 1 domain "quant_float"
           round_mode stochastic
           : tensor<?x64xf32>, tensor<f32>, tensor<i4>, tensor<?x64xui8> to tensor<?x64xi4>
    ```

    Source: ONNX QuantizeLinear 10, 13, 19, 21, 23, 24, 25, 28; com.microsoft
    QuantizeLinear 1.
  }];
  let arguments = !con(values, othersArgument, standard, (ins
    OptionalAttr<BoolAttr>:$saturate,
    OptionalAttr<TypeAttr>:$precision), roundModeArgument);
  // The encoding of version 0.3, followed by the round mode.
  let useCustomPropertiesEncoding = 1;
  let builders = [
    // Every argument may be null but the types, input, scale and opset.
    OpBuilder<(ins "Type":$result, "Value":$input, "Value":$scale,
                   "Value":$zeroPoint, "IntegerAttr":$opset, "StringAttr":$domain,
                   "IntegerAttr":$axis, "IntegerAttr":$blockSize,
                   "ArrayAttr":$ignoredAttributes, "BoolAttr":$saturate,
                   "TypeAttr":$precision, CArg<"Value", "{}">:$random)>
  ];
  let assemblyFormat = [{
    $input `,` $scale (`,` $others^)? (`axis` $axis^)? (`block_size` $block_size^)?
    `opset` $opset (`domain` $domain^)? (`saturate` $saturate^)? (`precision` $precision^)?
    (`round_mode` $round_mode^)?
    (`ignored_attributes` $ignored_attributes^)?
    attr-dict `:` type($input) `,` type($scale) (`,` type($others)^)? `to` type($result)
  }];
  let extraClassDeclaration = othersDeclaration # [{
    /// Returns the semantics of the op, resolved from the opset.
    QuantizeSemantics getSemantics();
  }];
}

def QuantFloat_DequantizeOp : QuantFloat_QuantizationOp<"dequantize"> {
  let summary = "Subtracts a zero point and multiplies by a scale";
  let description = [{
    Dequantizes each element of `input` with the semantics of ONNX
    DequantizeLinear at `opset`.

    ```
    result[i] = cast(f32(input[i] - zero_point[g(i)]) * f32(scale[g(i)]))    // (D5)
    ```

    `g(i)` is the index of the scale that applies to element `i`, according to
    the granularity.

    *Rounding and overflow.* The exact difference is rounded once to f32, which
    only affects i32; the product is one f32 multiplication; the cast to the
    result's type rounds once more, to nearest, ties to even, and overflows to
    infinity. NaN and infinities of float8 propagate, and the zero point of
    float8 is not subtracted.

    *Folding.* Dense constants fold if the result has a static shape and at most
    64 elements, or if the input, the scale and the zero point are splats, of
    any size. Constants in resources do not fold.

    Constraints:}] # quantizationConstraints # [{
    - (Q5, Q6) the result has the scale's element type; from opset 23 on
      (`output_dtype`) any that the version accepts;
    - (Q8) with a scale of f8E8M0FNU, `output_dtype` is required, because the
      result cannot have the scale's type.

    Example:

    ```mlir
    %1 = quant_float.dequantize %q, %s, %z axis 0 opset 13
           : tensor<8x?xi8>, tensor<8xf32>, tensor<8xi8> to tensor<8x?xf32>
    %2 = quant_float.dequantize %w, %e axis -1 block_size 32 opset 24
           : tensor<?x64xf4E2M1FN>, tensor<?x2xf8E8M0FNU> to tensor<?x64xbf16>
    ```

    Source: ONNX DequantizeLinear 10, 13, 19, 21, 23, 24, 25, 28; com.microsoft
    DequantizeLinear 1.
  }];
  let arguments = !con(values, (ins Optional<QuantFloat_Value>:$zero_point), standard);
  let assemblyFormat = [{
    $input `,` $scale (`,` $zero_point^)? (`axis` $axis^)? (`block_size` $block_size^)?
    `opset` $opset (`domain` $domain^)?
    (`ignored_attributes` $ignored_attributes^)?
    attr-dict `:` type($input) `,` type($scale) (`,` type($zero_point)^)? `to` type($result)
  }];
}

def QuantFloat_QdqOp : QuantFloat_QuantizationOp<"qdq"> {
  let summary = "Quantizes and dequantizes";
  let description = [{
    Quantizes each element of `input` to the type `storage` and dequantizes it:

    ```
    result = dequantize(quantize(input, scale, zero_point) : storage, scale, zero_point)
    ```

    Both ops are at `opset`, and the results have the same bits (D6). With
    `round_mode stochastic`, `quantize` has this rounding mode and the random
    bits, which are the last operand.

    Constraints:}] # quantizationConstraints # [{
    - (Q5b) `quantize` and `dequantize` accept the types and attributes at
      `opset`; the result has the input's type, so before opset 23 the scale has
      it, too;
    - (S4) the constraints on the random bits are those of `quantize`;
    - (Q9) `precision` is f32, f16, bf16 or f64.

    Example:

    ```mlir
    %1 = quant_float.qdq %x, %s storage f8E4M3FN opset 23
           : tensor<?x128xf32>, tensor<f32> to tensor<?x128xf32>
    ```

    Source: ONNX QuantizeLinear and DequantizeLinear with the same scale and
    zero point.
  }];
  let arguments = !con(values, othersArgument, standard, (ins
    TypeAttr:$storage,
    OptionalAttr<BoolAttr>:$saturate,
    OptionalAttr<TypeAttr>:$precision), roundModeArgument);
  // The encoding of version 0.3, followed by the round mode.
  let useCustomPropertiesEncoding = 1;
  let builders = [
    // Every argument may be null but the types, input, scale and opset.
    OpBuilder<(ins "Type":$result, "Value":$input, "Value":$scale,
                   "Value":$zeroPoint, "IntegerAttr":$opset, "StringAttr":$domain,
                   "IntegerAttr":$axis, "IntegerAttr":$blockSize,
                   "ArrayAttr":$ignoredAttributes, "TypeAttr":$storage,
                   "BoolAttr":$saturate,
                   "TypeAttr":$precision, CArg<"Value", "{}">:$random)>
  ];
  let assemblyFormat = [{
    $input `,` $scale (`,` $others^)? (`axis` $axis^)? (`block_size` $block_size^)?
    `storage` $storage `opset` $opset (`domain` $domain^)? (`saturate` $saturate^)?
    (`precision` $precision^)? (`round_mode` $round_mode^)?
    (`ignored_attributes` $ignored_attributes^)?
    attr-dict `:` type($input) `,` type($scale) (`,` type($others)^)? `to` type($result)
  }];
  let extraClassDeclaration = othersDeclaration # [{
    /// Returns the semantics of the quantization, resolved from the opset.
    QuantizeSemantics getSemantics();
  }];
}

//===----------------------------------------------------------------------===//
// FakeConvertOp
//===----------------------------------------------------------------------===//

def QuantFloat_FakeConvertOp : QuantFloat_Op<"fakeconvert", [
    Pure, DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<InferShapedTypeOpInterface, ["inferReturnTypeComponents"]>]> {
  let summary = "Rounds to the values of a float8 type as OpenVINO FakeConvert does";
  let description = [{
    Scales and shifts each element of `input`, casts it to a float8 type and
    back, and reverts shift and scale, as OpenVINO FakeConvert-13 does. `scale`
    and `shift` are broadcast to the input as in NumPy.

    ```
    t         = input[i] * scale[b(i)] - shift[b(i)]
    result[i] = (cast(t) + shift[b(i)]) / scale[b(i)]       // cast saturates
    ```

    Unlike `quantize`, the op multiplies by the scale before the cast.

    *Modes.* The modes differ in where they round:
    - `exact` (default): the operations above are f32 operations, rounded once
      each; f16 and bf16 inputs are extended before and rounded once at the end;
      the cast rounds once and preserves NaN and the sign of zero (C3, C5);
    - `openvino`: the bits of OpenVINO's CPU plugin. For f16 and bf16 inputs,
      `t` is rounded to the input's type; NaN is treated as below the range; the
      cast rounds to f16 and then to float8; the division is a multiplication by
      the f32 reciprocal. The plugin's result also depends on whether operands
      are constants of the model. The importer expresses this by attributes:
      `reciprocal nearest` rounds the reciprocal to the input's type;
      `reciprocal openvino` does so with OpenVINO's rule for bf16, which adds
      half a unit in the last place only if the last bit that is kept is 1;
      `positive_zero` returns +0 for every zero; with `neutral_shift`, adding
      back a shift of zero preserves the sign of a zero;
    - `openvino_reference`: the bits of OpenVINO's reference implementation,
      which constant folding and the GPU plugin follow. Every operation rounds
      to the input's type; subnormal float8 results are truncated.

    Constraints:
    - (K1) `opset` is 13, 14 or 15, all of which denote FakeConvert-13 (V4);
    - (K2) the input has elements of f32, f16 or bf16; scale, shift and result
      have the same element type; all are tensors, or none is;
    - (K3) `destination` is f8E4M3FN or f8E5M2;
    - (K4) scale and shift have the same rank and compatible sizes;
    - (K5) the scale broadcasts to the input without changing the input's shape:
      its rank is at most the input's, and its sizes are 1 or the input's;
    - (K6) the result has the input's shape; a dynamic size of the input may be
      static in the result if the scale's size determines it;
    - (K7) `reciprocal`, `positive_zero` and `neutral_shift` require mode
      `openvino`; `neutral_shift` requires a shift, and `reciprocal openvino`
      requires bf16.

    Example:

    ```mlir
    %1 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13
           : tensor<?x8xf32>, tensor<8xf32> to tensor<?x8xf32>
    %2 = quant_float.fakeconvert %x, %s, %t to f8E5M2 mode openvino opset 13
           : tensor<2x3x8xf16>, tensor<1x3x1xf16>, tensor<1x3x1xf16> to tensor<2x3x8xf16>
    ```

    Source: OpenVINO FakeConvert-13.
  }];
  let arguments = (ins
    QuantFloat_Value:$input,
    QuantFloat_Value:$scale,
    Optional<QuantFloat_Value>:$shift,
    TypeAttr:$destination,
    OptionalAttr<QuantFloat_FakeConvertModeAttr>:$mode,
    OptionalAttr<QuantFloat_FakeConvertReciprocalAttr>:$reciprocal,
    UnitAttr:$positive_zero,
    UnitAttr:$neutral_shift,
    I64Attr:$opset);
  let results = (outs QuantFloat_Value:$result);
  let assemblyFormat = [{
    $input `,` $scale (`,` $shift^)? `to` $destination (`mode` $mode^)?
    (`reciprocal` $reciprocal^)? (`positive_zero` $positive_zero^)?
    (`neutral_shift` $neutral_shift^)? `opset` $opset
    attr-dict `:` type($input) `,` type($scale) (`,` type($shift)^)? `to` type($result)
  }];
  let extraClassDeclaration = [{
    /// Returns the attributes as options of the Reference.
    ::mlir::quant_float::reference::FakeConvertOptions getReferenceOptions();
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// QuantizeElementsOp
//===----------------------------------------------------------------------===//

def QuantFloat_QuantizeElementsOp : QuantFloat_Op<"quantize_elements",
    [Pure, QuantFloat_HasDefaultAttributes] # ElementwiseMappable.traits> {
  let summary = "Quantizes elements, each with a separate scale";
  let description = [{
    The elementwise computation of `quantize`, with semantics resolved from the
    opset and operands converted to the precision P of the division (D2). The op
    has no granularity, so that it can be used in the body of a `linalg.generic`
    and be vectorized.

    ```
    q      = input / scale                              // rounded to P
    result = clamp(round_half_even(q) + zero_point)     // integers (D1)
    result = cast(q)                                    // float8 (D3)
    result = cast(q + zero_point)                       // float6, float4 (D3)
    ```

    With `round_mode stochastic` the last operand has the random bits (S5).

    Constraints:
    - `input` and `scale` have the same element type: f32, f16, bf16 or f64;
    - (Q2) `zero_point` has the result's element type; it has no effect on
      float8;
    - (S4) `round_mode`, if present, is stochastic, and the random bits have
      elements of ui2, ui4, ui8 or ui16.

    Example:

    ```mlir
    %1 = quant_float.quantize_elements %x, %s, %z : f32, f32, ui8 to ui8
    %2 = quant_float.quantize_elements %x, %s saturate false
           : vector<16xf16>, vector<16xf16> to vector<16xf8E4M3FN>
    %3 = quant_float.quantize_elements %x, %s, %r round_mode stochastic
           : f32, f32, ui8 to i4
    ```
  }];
  let arguments = !con((ins QuantFloat_Value:$input, QuantFloat_Value:$scale),
    othersArgument, (ins DefaultValuedAttr<BoolAttr, "true">:$saturate),
    roundModeArgument);
  let results = (outs QuantFloat_Value:$result);
  let assemblyFormat = [{
    $input `,` $scale (`,` $others^)? (`saturate` $saturate^)? (`round_mode` $round_mode^)?
    attr-dict `:` type($input) `,` type($scale) (`,` type($others)^)? `to` type($result)
  }];
  // The encoding of version 0.3, followed by the round mode.
  let useCustomPropertiesEncoding = 1;
  let builders = [
    OpBuilder<(ins "Type":$result, "Value":$input, "Value":$scale,
                   "Value":$zeroPoint, "bool":$saturate, CArg<"Value", "{}">:$random)>
  ];
  let extraClassDeclaration = othersDeclaration;
  let hasVerifier = 1;
}

#endif // QUANT_FLOAT_IR_QUANTIZATIONOPS_TD
