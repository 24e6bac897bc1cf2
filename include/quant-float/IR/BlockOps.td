//===- BlockOps.td - Operations on blocks with scales ------*- tablegen -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_BLOCKOPS_TD
#define QUANT_FLOAT_IR_BLOCKOPS_TD

include "quant-float/IR/QuantFloatBase.td"

// An op on tensors that are divided into blocks. `block` has one size for each
// dimension of the input; -1 is the whole dimension.
class QuantFloat_BlockOp<string opMnemonic, list<Trait> traits = []>
    : QuantFloat_Op<opMnemonic, [Pure] # traits> {
  let hasFolder = 1;
  let hasVerifier = 1;
  string blockAccessor = [{
    /// Returns the blocks as a granularity of scales.
    ::mlir::quant_float::reference::Granularity getGranularity() {
      return ::mlir::quant_float::reference::Granularity::getBlocks(getBlock());
    }
  }];
}

// The operands of rules with two levels; at most one of the two is present.
defvar tensorLevelArguments = (ins
  Optional<QuantFloat_Value>:$tensor_amax,
  Optional<QuantFloat_Value>:$tensor_scale);

//===----------------------------------------------------------------------===//
// BlockQuantizeOp, BlockDequantizeOp
//===----------------------------------------------------------------------===//

def QuantFloat_BlockQuantizeOp : QuantFloat_BlockOp<"block_quantize", [
    AttrSizedOperandSegments]> {
  let summary = "Derives a scale for each block and quantizes with it";
  let description = [{
    Divides a tensor into blocks, derives a scale from the largest magnitude of
    each block, and quantizes the elements with it. The result has the scales,
    and for rules with two levels also a scale of the tensor.

    `block` has one size for each dimension; -1 is the whole dimension. The last
    block of a dimension may be smaller (B1). So `[1, 32]` is the MX formats'
    blocks along the rows, `[128, 128]` a square block, `[1, -1]` a scale for
    each row (token), and `[-1, -1]` one scale for the tensor.

    ```
    amax   = block_amax(input)                                   // (B2)
    scales = block_scale(amax, rule)                             // (B3 to B6)
    values = block_quantize_elements(input, scales, rule)        // (B7)
    ```

    `rule` is always explicit, because implementations of the same format
    differ:

    - for scales of f8E8M0FNU: `floor`, `ceil`, `even`, `rceil`, `ceil_exact`,
      `nearest`, `tosa` (B3);
    - for other scales: `absmax`, the largest magnitude divided by the largest
      value of the element type (B4);
    - the rules of implementations: `deepgemm`, `ggml` (B5), and with two levels
      `transformer_engine`, `torchao`, `model_optimizer` and
      `compressed_tensors` (B6).

    Rules with two levels derive the tensor's scale from the largest magnitude
    of the tensor, or of `tensor_amax` if it is present, for example from a
    calibration. With `tensor_scale`, they use this scale, and the op has no
    result for it.

    With `round_mode stochastic`, `random` has the random bits of each element
    (S2, S5). The rounding of scales does not change.

    Constraints:
    - (B1) `block` has a size for each dimension of the input, at least 1 or -1;
      the scales have the sizes ceil(size / block size);
    - (B3 to B6) the rule defines scales of this type for elements of this type;
    - the input has elements of f32, f16 or bf16; all values are ranked tensors;
    - `tensor_amax` and `tensor_scale` are f32 tensors of one element. They and
      the third result require a rule with two levels;
    - (S4) `random` has the input's shape and elements of ui2, ui4, ui8 or ui16,
      and requires `round_mode stochastic`.

    Example:

    ```mlir
    %q, %s = quant_float.block_quantize %x block [1, 32] rule rceil
           : tensor<4x64xf32> to tensor<4x64xf8E4M3FN>, tensor<4x2xf8E8M0FNU>
    %v, %e, %t = quant_float.block_quantize %x block [1, 16] rule torchao
           : tensor<4x64xf32>
           to tensor<4x64xf4E2M1FN>, tensor<4x4xf8E4M3FN>, tensor<f32>
    %w, %f = quant_float.block_quantize %x tensor_scale(%t : tensor<f32>)
           block [1, 16] rule torchao
           : tensor<4x64xf32> to tensor<4x64xf4E2M1FN>, tensor<4x4xf8E4M3FN>
    ```

    Source: OCP Microscaling Formats 1.0; for the rules, the implementations
    that the rules B3 to B6 name.
  }];
  let arguments = !con((ins QuantFloat_Value:$input), tensorLevelArguments, (ins
    Optional<QuantFloat_Value>:$random,
    DenseI64ArrayAttr:$block,
    QuantFloat_BlockScaleRuleAttr:$rule,
    OptionalAttr<QuantFloat_RoundModeAttr>:$round_mode));
  let results = (outs QuantFloat_Value:$values, QuantFloat_Value:$scales,
                      Optional<QuantFloat_Value>:$computed_tensor_scale);
  let assemblyFormat = [{
    $input (`tensor_amax` `(` $tensor_amax^ `:` type($tensor_amax) `)`)?
    (`tensor_scale` `(` $tensor_scale^ `:` type($tensor_scale) `)`)?
    `block` $block `rule` $rule
    (`round_mode` $round_mode^ `random` `(` $random `:` type($random) `)`)?
    attr-dict `:` type($input) `to` type($values) `,` type($scales)
    (`,` type($computed_tensor_scale)^)?
  }];
  let extraClassDeclaration = blockAccessor;
}

def QuantFloat_BlockDequantizeOp : QuantFloat_BlockOp<"block_dequantize", [
    QuantFloat_HasDefaultAttributes]> {
  let summary = "Multiplies elements of blocks by their scales";
  let description = [{
    Multiplies each element by the scale of its block, and by the scale of the
    tensor if it is present. Multiplications are in f32, rounded once each, and
    the result is cast to its type (B8):

    ```
    result[i] = cast(f32(values[i]) * f32(scales[b(i)]))
    result[i] = cast((f32(values[i]) * f32(scales[b(i)])) * tensor_scale)
    result[i] = cast(f32(values[i]) * (f32(scales[b(i)]) * tensor_scale))
    ```

    The second line is `order block_first`, the default, and the third line
    `order tensor_first`. The two differ in the last bit, and implementations
    differ in the order.

    i8 elements with scales of f8E8M0FNU are MXINT8: multiples of 1/64 (B7).

    On scalars and vectors, without `block`, each element has a scale.

    Constraints:
    - (B1) `block` has a size for each dimension of the values, at least 1 or
      -1; the scales have the sizes ceil(size / block size);
    - the values have a type of elements, and the scales a type of scales of
      some rule (B3 to B6); the result has elements of f32, f16 or bf16 and the
      shape of the values;
    - `tensor_scale` is an f32, or a tensor of one element; `order` requires it.

    Example:

    ```mlir
    %y = quant_float.block_dequantize %q, %s block [1, 32]
           : tensor<4x64xf8E4M3FN>, tensor<4x2xf8E8M0FNU> to tensor<4x64xf32>
    %z = quant_float.block_dequantize %v, %e tensor_scale(%t : tensor<f32>)
           block [1, 16] order tensor_first
           : tensor<4x64xf4E2M1FN>, tensor<4x4xf8E4M3FN> to tensor<4x64xbf16>
    ```

    Source: OCP Microscaling Formats 1.0.
  }];
  let arguments = (ins
    QuantFloat_Value:$input,
    QuantFloat_Value:$scale,
    Optional<QuantFloat_Value>:$tensor_scale,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$block,
    OptionalAttr<QuantFloat_ScaleOrderAttr>:$order);
  let results = (outs QuantFloat_Value:$result);
  let assemblyFormat = [{
    $input `,` $scale (`tensor_scale` `(` $tensor_scale^ `:` type($tensor_scale) `)`)?
    (`block` $block^)? (`order` $order^)?
    attr-dict `:` type($input) `,` type($scale) `to` type($result)
  }];
  let extraClassDeclaration = blockAccessor;
}

//===----------------------------------------------------------------------===//
// BlockAmaxOp, TensorScaleOp, BlockScaleOp, BlockQuantizeElementsOp
//===----------------------------------------------------------------------===//

def QuantFloat_BlockAmaxOp : QuantFloat_BlockOp<"block_amax"> {
  let summary = "Returns the largest magnitude of each block";
  let description = [{
    Returns the largest magnitude of the elements of each block. It is NaN if an
    element is NaN, and 0 for a block without elements (B2). Nothing is rounded.

    With `finite`, infinities and NaN are ignored, and the result is NaN for a
    block without finite elements. A cast of this result is the scale of
    ConvertToBlockMaxAbsFinite of IEEE P3109 (I7).

    Constraints:
    - (B1) `block` has a size for each dimension of the input, at least 1 or -1;
      the result has the sizes ceil(size / block size);
    - the input has elements of f32, f16 or bf16, and the result has the same
      element type; both are ranked tensors.

    Example:

    ```mlir
    %a = quant_float.block_amax %x block [1, 32]
           : tensor<4x64xbf16> to tensor<4x2xbf16>
    ```
  }];
  let arguments = (ins QuantFloat_Value:$input, DenseI64ArrayAttr:$block,
                       UnitAttr:$finite);
  let results = (outs QuantFloat_Value:$result);
  let assemblyFormat = [{
    $input `block` $block (`finite` $finite^)? attr-dict `:` type($input) `to`
    type($result)
  }];
  let extraClassDeclaration = blockAccessor;
}

def QuantFloat_TensorScaleOp : QuantFloat_BlockOp<"tensor_scale", [
    AllTypesMatch<["tensor_amax", "result"]>]> {
  let summary = "Derives the scale of a tensor from its largest magnitude";
  let description = [{
    Returns the scale of a tensor for the rules with two levels (B6):

    ```
    result = tensor_amax / 2688      // in f32; 1 if this is 0
    ```

    2688 is the largest value of f4E2M1FN times that of f8E4M3FN.

    Constraint: the type is f32, or a vector or a ranked tensor of f32.

    Example:

    ```mlir
    %t = quant_float.tensor_scale %a : tensor<f32>
    ```
  }];
  let arguments = (ins QuantFloat_Value:$tensor_amax);
  let results = (outs QuantFloat_Value:$result);
  let assemblyFormat = "$tensor_amax attr-dict `:` type($tensor_amax)";
}

def QuantFloat_BlockScaleOp : QuantFloat_BlockOp<"block_scale", [
    AttrSizedOperandSegments]> {
  let summary = "Derives the scale of a block from its largest magnitude";
  let description = [{
    Derives the scales of blocks whose largest magnitudes are `amax` and whose
    elements have the type `element`, by a rule of B3 to B6.

    Rules with two levels need the largest magnitude of the tensor,
    `tensor_amax`, or its scale, `tensor_scale`.

    Constraints:
    - `amax` has elements of f32, f16 or bf16, and the result has the same
      shape; both are scalars, vectors or ranked tensors;
    - (B3 to B6) the rule defines scales of this type for elements of this type;
    - one of `tensor_amax` and `tensor_scale` is present if and only if the rule
      has two levels. It is an f32, or with tensors a tensor of one f32.

    Example:

    ```mlir
    %s = quant_float.block_scale %a rule rceil element f8E4M3FN
           : tensor<4x2xf32> to tensor<4x2xf8E8M0FNU>
    %e = quant_float.block_scale %b tensor_amax(%m : tensor<f32>)
           rule transformer_engine element f4E2M1FN
           : tensor<4x4xf32> to tensor<4x4xf8E4M3FN>
    ```
  }];
  let arguments = !con((ins QuantFloat_Value:$amax), tensorLevelArguments, (ins
    QuantFloat_BlockScaleRuleAttr:$rule, TypeAttr:$element));
  let results = (outs QuantFloat_Value:$result);
  let assemblyFormat = [{
    $amax (`tensor_amax` `(` $tensor_amax^ `:` type($tensor_amax) `)`)?
    (`tensor_scale` `(` $tensor_scale^ `:` type($tensor_scale) `)`)?
    `rule` $rule `element` $element attr-dict `:` type($amax) `to` type($result)
  }];
}

def QuantFloat_BlockQuantizeElementsOp
    : QuantFloat_BlockOp<"block_quantize_elements", [
    AttrSizedOperandSegments, QuantFloat_HasDefaultAttributes]> {
  let summary = "Quantizes elements with the scales of their blocks";
  let description = [{
    Quantizes each element with the scale of its block, as the rule specifies
    (B7). The rules of some implementations multiply by a rounded reciprocal
    instead of dividing.

    On scalars and vectors, without `block`, each element has a scale.

    Constraints:
    - (B1) `block` has a size for each dimension of the input, at least 1 or -1;
      the scales have the sizes ceil(size / block size);
    - the input has elements of f32, f16 or bf16; the result has its shape;
    - (B3 to B6) the rule defines scales of this type for elements of this type;
    - one of `tensor_amax` and `tensor_scale` is present if and only if the rule
      has two levels. It is an f32, or with tensors a tensor of one f32;
    - (S4) `random` has the input's shape and elements of ui2, ui4, ui8 or ui16,
      and requires `round_mode stochastic`.

    Example:

    ```mlir
    %q = quant_float.block_quantize_elements %x, %s block [1, 32] rule rceil
           : tensor<4x64xf32>, tensor<4x2xf8E8M0FNU> to tensor<4x64xf8E4M3FN>
    ```
  }];
  let arguments = !con((ins QuantFloat_Value:$input, QuantFloat_Value:$scale),
    tensorLevelArguments, (ins
    Optional<QuantFloat_Value>:$random,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$block,
    QuantFloat_BlockScaleRuleAttr:$rule,
    OptionalAttr<QuantFloat_RoundModeAttr>:$round_mode));
  let results = (outs QuantFloat_Value:$result);
  let assemblyFormat = [{
    $input `,` $scale (`tensor_amax` `(` $tensor_amax^ `:` type($tensor_amax) `)`)?
    (`tensor_scale` `(` $tensor_scale^ `:` type($tensor_scale) `)`)?
    (`block` $block^)? `rule` $rule
    (`round_mode` $round_mode^ `random` `(` $random `:` type($random) `)`)?
    attr-dict `:` type($input) `,` type($scale) `to` type($result)
  }];
  let extraClassDeclaration = blockAccessor;
}

//===----------------------------------------------------------------------===//
// ConvertToBlockOp, ConvertFromBlockOp
//===----------------------------------------------------------------------===//

// A block conversion of IEEE P3109.
class QuantFloat_BlockConversionOp<string opMnemonic>
    : QuantFloat_BlockOp<opMnemonic, [QuantFloat_HasDefaultAttributes]> {
  let arguments = (ins QuantFloat_Value:$input, QuantFloat_Value:$scale,
    Optional<QuantFloat_Value>:$random,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$block,
    QuantFloat_ProjectionAttr:$projection);
  let results = (outs QuantFloat_Value:$result);
  let assemblyFormat = [{
    $input `,` $scale (`,` $random^)? (`block` $block^)? `projection` $projection
    attr-dict `:` type($input) `,` type($scale) (`,` type($random)^)?
    `to` type($result)
  }];
  let extraClassDeclaration = blockAccessor;
  let hasCanonicalizer = 1;
}

def QuantFloat_ConvertToBlockOp
    : QuantFloat_BlockConversionOp<"convert_to_block"> {
  let summary = "Divides by the scales of blocks and rounds once (IEEE P3109)";
  let description = [{
    The operation ConvertToBlock of the draft of IEEE P3109 that `projection`
    names (I7): quantizes each element with the given scale of its block. The
    exact quotient is rounded and saturated once, as in a `cast` with mode
    p3109:

    ```
    result[i] = NaN                                  if scale or input[i] is NaN
    result[i] = 0                                    if scale is 0
    result[i] = project(sign(input[i]) * sign(scale)) if scale is infinite
    result[i] = project(input[i] / scale)            otherwise
    ```

    `quantize` and `block_quantize_elements` differ: they round the quotient to
    f32 first, follow IEEE 754 for scales of 0 and infinity, and may produce -0.

    On scalars and vectors, without `block`, each element has a scale.

    Constraints:
    - (B1) `block` has a size for each dimension of the input, at least 1 or -1;
      the scales have the sizes ceil(size / block size);
    - (I7) input and scale have elements of f32, f16, bf16 or a format of IEEE
      P3109; the result has the input's shape and elements of such a format;
    - (I4) stochastic roundings require `random`, with the input's shape and
      elements of ui2, ui4, ui8 or ui16; the others exclude it.

    Example:

    ```mlir
    %q = quant_float.convert_to_block %x, %s block [1, 32]
           projection <D1, NearestTiesToEven, SatFinite>
           : tensor<4x64xf32>, tensor<4x2x!quant_float.binary8p1uf>
           to tensor<4x64x!quant_float.binary8p4se>
    ```

    Source: IEEE P3109/D1, ConvertToBlock.
  }];
}

def QuantFloat_ConvertFromBlockOp
    : QuantFloat_BlockConversionOp<"convert_from_block"> {
  let summary = "Multiplies by the scales of blocks and rounds once (IEEE P3109)";
  let description = [{
    The operation ConvertFromBlock of the draft of IEEE P3109 that `projection`
    names (I7): dequantizes each element with the scale of its block. The exact
    product is rounded and saturated once, as in a `cast` with mode p3109:

    ```
    result[i] = project(input[i] * scale)
    ```

    0 times infinity is NaN. `dequantize` and `block_dequantize` differ: they
    round the product to f32 first, to nearest, and may produce -0.

    On scalars and vectors, without `block`, each element has a scale.

    Constraints:
    - (B1) `block` has a size for each dimension of the input, at least 1 or -1;
      the scales have the sizes ceil(size / block size);
    - (I7) input and scale have elements of f32, f16, bf16 or a format of IEEE
      P3109; the result has the input's shape and elements of such a type or
      f64;
    - (I4) stochastic roundings require `random`, with the input's shape and
      elements of ui2, ui4, ui8 or ui16; the others exclude it.

    Example:

    ```mlir
    %y = quant_float.convert_from_block %q, %s block [1, 32]
           projection <D1, NearestTiesToEven, SatNone>
           : tensor<4x64x!quant_float.binary8p4se>,
             tensor<4x2x!quant_float.binary8p1uf> to tensor<4x64xf32>
    ```

    Source: IEEE P3109/D1, ConvertFromBlock.
  }];
}

//===----------------------------------------------------------------------===//
// PackScalesOp, UnpackScalesOp
//===----------------------------------------------------------------------===//

def QuantFloat_PackScalesOp : QuantFloat_BlockOp<"pack_scales"> {
  let summary = "Arranges scales as a matmul kernel reads them";
  let description = [{
    Arranges the scales of M rows with K blocks each in `layout` (B9), and pads
    them with zeros. The last two dimensions of `input` are M and K; those
    before them are batches. The result has one dimension for the scales of each
    matrix.

    | layout        | read by                               | offset of row m, block k |
    |---------------|---------------------------------------|--------------------------|
    | tile_128x4    | cuBLAS, CUTLASS, tcgen05.mma          | (m/128 * K'/4 + k/4) * 512 + (m%32) * 16 + (m/32%4) * 4 + k%4 |
    | tile_8x4      | TensorRT-LLM, FlashInfer for few rows | (m/8 * K'/4 + k/4) * 32 + (m%8) * 4 + k%4 |
    | deepgemm_f32  | DeepGEMM, f32                         | k * M' + m |
    | deepgemm_e8m0 | DeepGEMM, four f8E8M0FNU in an i32    | (k/4 * M' + m) * 4 + k%4 |
    | gfx950        | AMD's aiter for gfx950                | ((((m/32 * K'/8 + k/8) * 4 + k%4) * 16 + m%16) * 2 + k/4%2) * 2 + m/16%2 |
    | gfx1250_n32k4 | AMD's aiter for gfx1250               | m/32 * 32 * K' + k/4 * 128 + (m%32) * 4 + k%4 |

    M' and K' are M and K, padded to multiples of 128 and 4, 8 and 4, 4 and 1, 4
    and 4, 256 and 8, or 32 and 4.

    Constraints:
    - the input is a ranked tensor of at least two dimensions, with elements of
      f32 for deepgemm_f32, f8E8M0FNU for deepgemm_e8m0, and otherwise
      f8E8M0FNU, f8E4M3FN or !quant_float.f8UE5M3;
    - the result has the same batches and elements, and M' * K' scales.

    Example:

    ```mlir
    %p = quant_float.pack_scales %s layout tile_128x4
           : tensor<130x5xf8E8M0FNU> to tensor<2048xf8E8M0FNU>
    ```

    Source: the layouts of the libraries in the table.
  }];
  let arguments = (ins QuantFloat_Value:$input,
                       QuantFloat_ScaleLayoutAttr:$layout);
  let results = (outs QuantFloat_Value:$result);
  let assemblyFormat = [{
    $input `layout` $layout attr-dict `:` type($input) `to` type($result)
  }];
}

def QuantFloat_UnpackScalesOp : QuantFloat_BlockOp<"unpack_scales"> {
  let summary = "Arranges the scales of a matmul kernel as rows";
  let description = [{
    The inverse of `pack_scales`: returns the scales of M rows with K blocks
    each, without the padding, whose values are not read. M and K are the static
    sizes of the result.

    Constraints: those of `pack_scales`, with operand and result exchanged; the
    last two dimensions of the result are static.

    Example:

    ```mlir
    %s = quant_float.unpack_scales %p layout tile_128x4
           : tensor<2048xf8E8M0FNU> to tensor<130x5xf8E8M0FNU>
    ```
  }];
  let arguments = (ins QuantFloat_Value:$input,
                       QuantFloat_ScaleLayoutAttr:$layout);
  let results = (outs QuantFloat_Value:$result);
  let assemblyFormat = [{
    $input `layout` $layout attr-dict `:` type($input) `to` type($result)
  }];
}

#endif // QUANT_FLOAT_IR_BLOCKOPS_TD
