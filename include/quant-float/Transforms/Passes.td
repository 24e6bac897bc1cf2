//===- Passes.td - Rewrites of quantization ops ------------*- tablegen -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TRANSFORMS_PASSES_TD
#define QUANT_FLOAT_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def QuantFloatDecomposeQdqPass : Pass<"quant-float-decompose-qdq"> {
  let summary = "Decompose qdq into quantize and dequantize";
  let description = [{
    Replaces every `qdq` by a `quantize` and a `dequantize`, as rule D6 defines
    it. The results have the same bits. `quant-float-fuse-qdq` is the inverse.

    The lowering pipelines run this pass before `convert-quant-float-to-linalg`.

    ```mlir
    %y = quant_float.qdq %x, %s storage f8E4M3FN opset 23
           : tensor<8xf32>, tensor<f32> to tensor<8xf32>
    // becomes
    %q = quant_float.quantize %x, %s opset 23
           : tensor<8xf32>, tensor<f32> to tensor<8xf8E4M3FN>
    %y = quant_float.dequantize %q, %s opset 23
           : tensor<8xf8E4M3FN>, tensor<f32> to tensor<8xf32>
    ```
  }];
  let statistics = [
    Statistic<"numDecomposed", "num-decomposed", "Number of qdq ops decomposed">
  ];
}

def QuantFloatFuseQdqPass : Pass<"quant-float-fuse-qdq"> {
  let summary = "Fuse pairs of quantize and dequantize into qdq";
  let description = [{
    Replaces a `quantize` and the `dequantize` of its result by one `qdq` if:

    - both ops have the same opset, scale, zero point and granularity
      (parameters are the same if they are the same SSA value or equal
      constants);
    - the result has the input's type;
    - the quantized value has no other use.

    `quant-float-decompose-qdq` is the inverse.

    ```mlir
    %q = quant_float.quantize %x, %s opset 23
           : tensor<8xf32>, tensor<f32> to tensor<8xi8>
    %y = quant_float.dequantize %q, %s opset 23
           : tensor<8xi8>, tensor<f32> to tensor<8xf32>
    // becomes
    %y = quant_float.qdq %x, %s storage i8 opset 23
           : tensor<8xf32>, tensor<f32> to tensor<8xf32>
    ```
  }];
  let statistics = [
    Statistic<"numFused", "num-fused", "Number of pairs of quantize and dequantize fused">
  ];
}

def QuantFloatEliminateQdqPass : Pass<"quant-float-eliminate-qdq"> {
  let summary = "Eliminate dequantize-quantize pairs where the result is exact";
  let description = [{
    Matches a `quantize` of dequantized values with constant parameters. Its
    result is a function of the original quantized values alone. The pass
    evaluates this function with the Reference for every encoding, of up to 16
    bits, and rewrites the pair:

    - If the function is the identity and the types are the same, the quantized
      values replace the result of `quantize`. The parameters are per tensor, or
      they are along the same axis or in the same blocks.
    - Otherwise, with per-tensor parameters, the option `requantize` selects the
      replacement: a `Clip` if that is sufficient; with `table`, a `Gather` from
      a table of all encodings of up to 8 bits; with `multiply-shift`, and for
      16-bit values, an integer multiplication, an addition and a division by a
      power of two that give the same result for each encoding.
    - With per-tensor parameters, the ONNX nodes `Identity`, `Reshape`,
      `Flatten`, `Squeeze`, `Unsqueeze`, `Transpose`, `Slice`, `Gather`, `Tile`,
      `Expand`, `DepthToSpace`, `SpaceToDepth`, `Concat` and `Pad` may be
      between the two ops. They then operate on the quantized values. `MaxPool`
      is allowed if greater values have greater encodings. `Relu`, `Clip` with
      constant bounds and casts are allowed as well, and become part of the
      function. Intermediate values must have no other uses.

    ```mlir
    %d = quant_float.dequantize %q, %s, %z opset 21
           : tensor<1x8x8xi8>, tensor<f32>, tensor<i8> to tensor<1x8x8xf32>
    %m = quant_float.node "MaxPool"(%d) opset 21 attributes {kernel_shape = array<i64: 2>}
           : (tensor<1x8x8xf32>) -> tensor<1x8x7xf32>
    %y = quant_float.quantize %m, %s, %z opset 21
           : tensor<1x8x7xf32>, tensor<f32>, tensor<i8> to tensor<1x8x7xi8>
    // becomes
    %y = quant_float.node "MaxPool"(%q) opset 21 attributes {kernel_shape = array<i64: 2>}
           : (tensor<1x8x8xi8>) -> tensor<1x8x7xi8>
    ```

    Every other `quantize` of dequantized values is left unchanged. With
    `remarks`, a remark states the reason and a counterexample:
    `encoding 0x80 (-128) becomes 0x81 (-127)`. The sign of a NaN is unspecified
    (D8); with `any-nan`, an encoding of NaN may become any other encoding of
    NaN.

    The stage `rewrite-quantization` runs this pass for CPUs, with
    `requantize=none`, `max-encoding-width=8` and without remarks.
  }];
  let options = [
    Option<"requantize", "requantize", "::mlir::quant_float::RequantizationKind",
           /*default=*/"::mlir::quant_float::RequantizationKind::Table",
           "how quantized values are mapped to other quantized values", [{::llvm::cl::values(
             clEnumValN(::mlir::quant_float::RequantizationKind::None, "none",
                        "no mapping: only remove pairs that are the identity"),
             clEnumValN(::mlir::quant_float::RequantizationKind::Table, "table",
                        "a lookup table of up to 256 entries"),
             clEnumValN(::mlir::quant_float::RequantizationKind::MultiplyShift,
                        "multiply-shift", "integer multiplication and shift"))}]>,
    Option<"anyNan", "any-nan", "bool", /*default=*/"false",
           "treat all encodings of NaN as equal">,
    Option<"maxEncodingWidth", "max-encoding-width", "unsigned", /*default=*/"16",
           "maximum width in bits of the encodings that are enumerated">,
    Option<"remarks", "remarks", "bool", /*default=*/"true",
           "emit a remark with the reason if a quantize is not eliminated">
  ];
  let statistics = [
    Statistic<"numEliminated", "num-eliminated",
              "Number of quantize ops of dequantized values eliminated">,
    Statistic<"numKept", "num-kept", "Number of quantize ops of dequantized values that stay">
  ];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::tensor::TensorDialect"];
}

def QuantFloatCollapseCastsPass : Pass<"quant-float-collapse-casts"> {
  let summary = "Collapse chains of two casts where the result is exact";
  let description = [{
    Replaces a `cast` of the result of another `cast` by one cast, or by none,
    if this gives the same bits for every input under the rules of their opsets.
    For source types of up to 16 bits, the Reference evaluates all encodings.
    For wider source types, the chain collapses if the intermediate type
    represents every value of the source type (NaN is canonical after both), or
    if integers only lose high bits.

    ```mlir
    %0 = quant_float.cast %x opset 21 : tensor<4xf8E5M2> to tensor<4xf16>
    %1 = quant_float.cast %0 opset 21 : tensor<4xf16> to tensor<4xf32>
    // becomes
    %1 = quant_float.cast %x opset 21 : tensor<4xf8E5M2> to tensor<4xf32>
    ```

    Every other chain is left unchanged, with a remark that shows an input and
    both results: two roundings are not equivalent to one, and casting back does
    not restore NaN payloads. Casts with `mode openvino` and casts with random
    bits are ignored.
  }];
  let statistics = [
    Statistic<"numCollapsed", "num-collapsed", "Number of chains of two casts collapsed">
  ];
}

def QuantFloatReencodeFnuzPass : Pass<"quant-float-reencode-fnuz"> {
  let summary = "Convert float8 weights between the FNUZ and the OCP encodings";
  let description = [{
    An encoding represents half of the value in f8E4M3FNUZ or f8E5M2FNUZ that it
    represents in f8E4M3FN or f8E5M2. This pass converts a `dequantize` of
    constants of the FNUZ type to one of the other type and halves its constant
    scales, which may be per tensor, per axis or blocked. With `to-fnuz` it
    converts in the other direction and doubles the scales. The products are the
    same values, so every result has the same bits, if

    - each quantized value has a counterpart: from FNUZ, the values whose
      encodings are NaN in f8E4M3FN, or infinity or NaN in f8E5M2, have none; to
      FNUZ, infinities have none, and a negative zero has none unless `any-zero`
      allows a positive zero;
    - half or twice each scale is representable in the scale's type.

    ```mlir
    %w = arith.constant dense<[1.0, -0.5]> : tensor<2xf8E4M3FNUZ>
    %s = arith.constant dense<0.5> : tensor<f32>
    %y = quant_float.dequantize %w, %s opset 19
           : tensor<2xf8E4M3FNUZ>, tensor<f32> to tensor<2xf32>
    // becomes
    %w = arith.constant dense<[2.0, -1.0]> : tensor<2xf8E4M3FN>
    %s = arith.constant dense<0.25> : tensor<f32>
    %y = quant_float.dequantize %w, %s opset 19
           : tensor<2xf8E4M3FN>, tensor<f32> to tensor<2xf32>
    ```

    Every other `dequantize` is left unchanged, with a remark that counts and
    names the encodings without a counterpart. Weights that are computed rather
    than constant are not converted, because the two types saturate at different
    values.
  }];
  let options = [
    Option<"toFnuz", "to-fnuz", "bool", /*default=*/"false",
           "convert to FNUZ instead of from FNUZ">,
    Option<"anyZero", "any-zero", "bool", /*default=*/"false",
           "allow negative zeros to become positive zeros">
  ];
  let statistics = [
    Statistic<"numReencoded", "num-reencoded",
              "Number of dequantize ops whose weights are re-encoded">
  ];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def QuantFloatWidenStoragePass : Pass<"quant-float-widen-storage"> {
  let summary = "Widen the storage type of weights to 8 bits";
  let description = [{
    Changes the type of the constant operand of a `dequantize`, and of its
    constant zero point, to an 8-bit type that more runtimes support. The new
    type represents all of the values, so every result has the same bits:

    - 4-bit and 2-bit integers become 8-bit integers of the same signedness;
    - f4E2M1FN becomes f8E4M3FN;
    - with `signed`, unsigned integers become i8; 8-bit ones subtract 128 from
      values and zero point, so that a zero point of 128 becomes 0.

    ```mlir
    %w = quant_float.constant dense<[128, 255]> : tensor<2xui8>
    %z = quant_float.constant dense<128> : tensor<ui8>
    %y = quant_float.dequantize %w, %s, %z opset 13
           : tensor<2xui8>, tensor<f32>, tensor<ui8> to tensor<2xf32>
    // becomes, with signed
    %w = arith.constant dense<[0, 127]> : tensor<2xi8>
    %z = arith.constant dense<0> : tensor<i8>
    %y = quant_float.dequantize %w, %s, %z opset 13
           : tensor<2xi8>, tensor<f32>, tensor<i8> to tensor<2xf32>
    ```

    Every other `dequantize` of such a type is left unchanged, with a remark
    that states the reason. For example, the result of a `quantize` saturates at
    different bounds in the wider type; the remark shows an input for which the
    results differ.
  }];
  let options = [
    Option<"isSigned", "signed", "bool", /*default=*/"false",
           "convert unsigned integers to i8">
  ];
  let statistics = [
    Statistic<"numWidened", "num-widened", "Number of dequantize ops whose weights are widened">
  ];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def QuantFloatRecoverDequantizePass : Pass<"quant-float-recover-dequantize"> {
  let summary = "Recover dequantize from OpenVINO's decompression subgraph";
  let description = [{
    OpenVINO represents low-bit weights as a Convert of the quantized values, a
    Subtract of the zero points and a Multiply, mostly in f16, followed by a
    Reshape that concatenates groups and a Convert to f32. This pass replaces
    this subgraph by one `dequantize` with scales per tensor, per axis or per
    block:

    ```mlir
    %0 = quant_float.node "Convert"(%w) opset 13 domain "openvino"
           attributes {destination_type = f16} : (tensor<8x2x32xui4>) -> tensor<8x2x32xf16>
    %1 = quant_float.node "Multiply"(%0, %s) opset 13 domain "openvino"
           : (tensor<8x2x32xf16>, tensor<8x2x1xf16>) -> tensor<8x2x32xf16>
    %2 = quant_float.node "Reshape"(%1, %shape) opset 13 domain "openvino"
           : (tensor<8x2x32xf16>, tensor<2xi64>) -> tensor<8x64xf16>
    %3 = quant_float.node "Convert"(%2) opset 13 domain "openvino"
           attributes {destination_type = f32} : (tensor<8x64xf16>) -> tensor<8x64xf32>
    // becomes
    %3 = quant_float.dequantize %w, %s axis 1 block_size 32 opset 28
           : tensor<8x64xui4>, tensor<8x2xf16> to tensor<8x64xf32>
    ```

    Every quantized value, and every difference of two, must be representable in
    the type that it is converted to. If a Convert to f32 follows, the
    multiplication is done in f32, as OpenVINO's CPU plugin does, without
    rounding to f16 first.
  }];
  let statistics = [
    Statistic<"numRecovered", "num-recovered", "Number of dequantize ops recovered">
  ];
  let dependentDialects = ["mlir::arith::ArithDialect",
                           "mlir::quant_float::QuantFloatDialect"];
}

def QuantFloatExtractWeightsPass
    : Pass<"quant-float-extract-weights", "mlir::ModuleOp"> {
  let summary = "Extract the weights of a model";
  let description = [{
    Replaces the functions of the module by one function, `weights`. It returns
    the tensors that weight files can contain: the result of each `dequantize`
    of constants that the model uses, together with the ops that compute its
    scales, and each floating-point constant of rank 1 or more. Results are
    named after the constants that hold the elements. The name of quantized
    weights ends with `.weight`; suffixes that tools append after `.weight` are
    dropped.

    Weight files store output channels as rows. A rank-2 constant that is the
    rhs of `MatMul`, or of `Gemm` without `transB`, and has no other use, is
    transposed together with its scales.

    ```mlir
    func.func @main(%x: tensor<1x64xf32>) -> tensor<1x8xf32> {
      %w = arith.constant dense<3> : tensor<64x8xi4> loc("layer.weight")
      %s = arith.constant dense<0.5> : tensor<2x8xf32>
      %d = quant_float.dequantize %w, %s axis 0 block_size 32 opset 21
             : tensor<64x8xi4>, tensor<2x8xf32> to tensor<64x8xf32>
      %y = quant_float.node "MatMul"(%x, %d) opset 21
             : (tensor<1x64xf32>, tensor<64x8xf32>) -> tensor<1x8xf32>
      return %y : tensor<1x8xf32>
    }
    // becomes
    func.func @weights() -> (tensor<8x64xf32> {quant_float.name = "layer.weight"}) {
      %w = arith.constant dense<3> : tensor<8x64xi4>
      %s = arith.constant dense<0.5> : tensor<8x2xf32>
      %d = quant_float.dequantize %w, %s axis 1 block_size 32 opset 21
             : tensor<8x64xi4>, tensor<8x2xf32> to tensor<8x64xf32>
      return %d : tensor<8x64xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numExtracted", "num-extracted", "Number of weights extracted">
  ];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::func::FuncDialect"];
}

def QuantFloatPackWeightsPass : Pass<"quant-float-pack-weights"> {
  let summary = "Rewrite matmuls with block-quantized weights to com.microsoft.MatMulNBits";
  let description = [{
    Matches a `MatMul` or `Gemm` whose weights are a `dequantize` of 2-, 4- or
    8-bit constants in blocks along K, with or without a `Transpose` in between.
    Rewrites it to `MatMulNBits`, for which ONNX Runtime has faster kernels. The
    weights keep their values: half of the range is added to signed quantized
    values and to their zero points. `quant-float-unpack-weights` is the
    inverse.

    The block size must be a power of two and at least 16. Scales and results
    must be f32, because a `dequantize` to f16 rounds its result, and
    `MatMulNBits` does not. Every other matmul with block-quantized weights is
    left unchanged, with a remark that states the reason.

    ```mlir
    %d = quant_float.dequantize %w, %s axis 0 block_size 16 opset 21
           : tensor<64x8xi4>, tensor<4x8xf32> to tensor<64x8xf32>
    %y = quant_float.node "MatMul"(%x, %d) opset 21
           : (tensor<?x64xf32>, tensor<64x8xf32>) -> tensor<?x8xf32>
    // becomes, with other constants
    %y = quant_float.node "MatMulNBits"(%x, %v, %t) opset 1 domain "com.microsoft"
           attributes {K = 64 : i64, N = 8 : i64, bits = 4 : i64, block_size = 16 : i64}
           : (tensor<?x64xf32>, tensor<8x4x8xui8>, tensor<8x4xf32>) -> tensor<?x8xf32>
    ```
  }];
  let statistics = [
    Statistic<"numPacked", "num-packed", "Number of matmuls rewritten to MatMulNBits">
  ];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def QuantFloatQuantizeWeightsPass
    : Pass<"quant-float-quantize-weights", "mlir::ModuleOp"> {
  let summary = "Quantize constant float weights of matmuls in blocks";
  let description = [{
    Quantizes the constant weights of `MatMul` and `Gemm`, directly or through a
    `Transpose`, and replaces them by quantized constants and a `dequantize`. In
    a function without arguments, which importers of checkpoints create, it
    quantizes the results that are matrices and whose names end with "weight".
    f32, f16 and bf16 matrices are quantized; the results keep their type.

    `format` selects the types of values and scales and the shape of the blocks:

    | format                     | values                         | scales           | block            |
    |----------------------------|--------------------------------|------------------|------------------|
    | mxfp8-e4m3, mxfp8-e5m2     | f8E4M3FN, f8E5M2               | f8E8M0FNU        | 32 inputs        |
    | mxfp6-e2m3, mxfp6-e3m2     | f6E2M3FN, f6E3M2FN             | f8E8M0FNU        | 32 inputs        |
    | mxfp4, mxint8              | f4E2M1FN, i8                   | f8E8M0FNU        | 32 inputs        |
    | nvfp4                      | f4E2M1FN                       | f8E4M3FN and f32 | 16 inputs        |
    | fp8-1x128, fp8-128x128     | f8E4M3FN                       | f32              | as the names say |
    | fp8-channel, int8-channel  | f8E4M3FN, i8                   | f32              | an output        |
    | int8-32, int4-32, int4-128 | i8, i4                         | f32              | 32 or 128 inputs |

    `rule` is the rule for the scales (docs/rules.md, B3 to B6). The values and
    scales are those of `quant_float.block_quantize`, except that ONNX has
    neither two-dimensional blocks nor MXINT8: scales of 128x128 blocks are
    repeated for each output, and scales of MXINT8 are multiplied by 1/64. The
    scales of NVFP4 are the result of a second `dequantize`, so that the product
    of both scales is rounded first (`order tensor_first`). Rules without a
    scale of the tensor, such as `ggml`, give 1 for it.

    The `dequantize` ops are of the newest opset. Weights whose names match the
    regular expression `exclude` are not quantized. Neither is a weight with an
    infinity or NaN, for which the pass emits a remark.

    ```mlir
    %w = arith.constant dense<0.1> : tensor<64x16xf32>
    %y = quant_float.node "MatMul"(%x, %w) opset 21
           : (tensor<?x64xf32>, tensor<64x16xf32>) -> tensor<?x16xf32>
    // becomes, with format=mxfp4 rule=rceil
    %q = arith.constant dense<3.0> : tensor<64x16xf4E2M1FN>
    %s = arith.constant dense<0.03125> : tensor<2x16xf8E8M0FNU>
    %d = quant_float.dequantize %q, %s axis 0 block_size 32 opset 28
           : tensor<64x16xf4E2M1FN>, tensor<2x16xf8E8M0FNU> to tensor<64x16xf32>
    %z = quant_float.node "MatMul"(%x, %d) opset 21
           : (tensor<?x64xf32>, tensor<64x16xf32>) -> tensor<?x16xf32>
    ```
  }];
  let options = [
    Option<"format", "format", "std::string", /*default=*/"\"\"",
           "format of the quantized weights">,
    Option<"rule", "rule", "std::string", /*default=*/"\"\"",
           "rule for the scales">,
    Option<"exclude", "exclude", "std::string", /*default=*/"\"\"",
           "regular expression of the names of weights that are not quantized">
  ];
  let statistics = [
    Statistic<"numQuantized", "num-quantized", "Number of weights quantized">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::quant_float::QuantFloatDialect"
  ];
}

def QuantFloatUnpackWeightsPass
    : Pass<"quant-float-unpack-weights", "mlir::ModuleOp"> {
  let summary = "Rewrite matmuls with packed weights of com.microsoft to ONNX operators";
  let description = [{
    Rewrites `MatMulNBits` with constant quantized weights and scales to
    `DequantizeLinear`, `Transpose` and `MatMul`, and to `Add` if there is a
    bias. The quantized values are unpacked to ui8, ui4 or ui2. If the node has
    no zero points, the pass adds the default, the middle of the range. The
    weights have the same values (D5); the accumulation order is that of
    `MatMul` (R7).

    Types other than f32 are cast to f32 and back, because `MatMulNBits`
    dequantizes to f32. A node that cannot be rewritten is left unchanged, with
    a remark that states the reason. `quant-float-pack-weights` is the inverse.

    `MatMulBlockQuantizedFp4Weight` and `MatMulBlockQuantizedFp8Weight` with
    constant weights become the same operators, which compute in the type of
    the activations (R9). The bytes of the former become f4E2M1FN, and those of
    its scales f8E4M3FN.
  }];
  let statistics = [
    Statistic<"numUnpacked", "num-unpacked", "Number of nodes rewritten">
  ];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def QuantFloatMergeScalesPass : Pass<"quant-float-merge-scales"> {
  let summary = "Merge equal scales into coarser granularities";
  let description = [{
    Reduces the number of constant scales and zero points of a quantization op.
    If they are the same in all blocks along the op's axis, they become
    parameters of another axis. If all of them are the same, they become
    per-tensor parameters. Every element keeps its scale and zero point, so
    every result has the same bits.

    ```mlir
    %s = arith.constant dense<[[0.5, 0.5], [0.25, 0.25]]> : tensor<2x2xf32>
    %y = quant_float.dequantize %w, %s axis 1 block_size 16 opset 21
           : tensor<2x32xi4>, tensor<2x2xf32> to tensor<2x32xf32>
    // becomes
    %s = arith.constant dense<[0.5, 0.25]> : tensor<2xf32>
    %y = quant_float.dequantize %w, %s axis 0 opset 21
           : tensor<2x32xi4>, tensor<2xf32> to tensor<2x32xf32>
    ```

    Every other op with several scales is left unchanged, with a remark that
    names two scales that differ and a quantized value for which their results
    differ.
  }];
  let statistics = [
    Statistic<"numMerged", "num-merged", "Number of quantization ops whose scales are merged">
  ];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def QuantFloatFoldScalesPass : Pass<"quant-float-fold-scales"> {
  let summary = "Fold two-level scales into one";
  let description = [{
    Formats with low-bit scales often have a second scale. If the second scale
    is applied to the scales, as in NVFP4, the pass dequantizes the scales at
    compile time: a quantization op whose scale is computed from constants by
    `Mul`, `cast` and `dequantize` gets a constant scale.

    ```mlir
    %t = quant_float.dequantize %s, %g opset 23
           : tensor<2x2xf8E4M3FN>, tensor<f32> to tensor<2x2xf32>
    %y = quant_float.dequantize %w, %t axis 1 block_size 16 opset 23
           : tensor<2x32xf4E2M1FN>, tensor<2x2xf32> to tensor<2x32xf32>
    // becomes
    %c = arith.constant dense<[[0.5, 1.0], [0.25, 2.0]]> : tensor<2x2xf32>
    %y = quant_float.dequantize %w, %c axis 1 block_size 16 opset 23
           : tensor<2x32xf4E2M1FN>, tensor<2x2xf32> to tensor<2x32xf32>
    ```

    If the second scale is applied to the result, by a `Mul` with a constant
    after a `dequantize`, there are two rounded multiplications instead of one,
    or their order differs. The multiplier is folded into the scale only if
    every encoding gives the same value with every scale. For constant weights,
    only the encodings that occur are considered. Every other such `Mul` is left
    unchanged, with a remark that names an encoding and both of its values.
  }];
  let statistics = [
    Statistic<"numScalesFolded", "num-scales-folded",
              "Number of computed scales folded into constants">,
    Statistic<"numMultipliersFolded", "num-multipliers-folded",
              "Number of multiplications folded into scales">
  ];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def QuantFloatConvertQdqToFakeConvertPass
    : Pass<"quant-float-convert-qdq-to-fakeconvert"> {
  let summary = "Convert float8 qdq ops and pairs to fakeconvert where exact";
  let description = [{
    Replaces a `qdq`, or a pair of `quantize` and `dequantize` that
    `quant-float-fuse-qdq` would fuse, by a `fakeconvert` of mode `exact` whose
    scale is the reciprocal, if this gives the same bits for every input:

    - the storage type is f8E4M3FN or f8E5M2, and overflow saturates;
    - the scale is a constant, per tensor or per axis, and consists of powers of
      two whose reciprocals are normal numbers of the input's type;
    - rounding the quotient changes nothing (D2): the division is in a type that
      represents every input, and it is not a division in f16 to f8E5M2 with a
      scale above 1, where double rounding occurs.

    A zero point has no effect on float8 and is dropped. Every other float8
    `qdq` is left unchanged, with a remark that states the reason.

    ```mlir
    %s = arith.constant dense<[0.5, 4.0, 0.125]> : tensor<3xf32>
    %y = quant_float.qdq %x, %s axis 1 storage f8E4M3FN opset 23
           : tensor<?x3x8xf32>, tensor<3xf32> to tensor<?x3x8xf32>
    // becomes
    %r = arith.constant dense<[[[2.0], [0.25], [8.0]]]> : tensor<1x3x1xf32>
    %y = quant_float.fakeconvert %x, %r to f8E4M3FN opset 13
           : tensor<?x3x8xf32>, tensor<1x3x1xf32> to tensor<?x3x8xf32>
    ```

    `quant-float-convert-fakeconvert-to-qdq` is the inverse.
  }];
  let statistics = [
    Statistic<"numConverted", "num-converted", "Number of qdq ops and pairs converted">
  ];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def QuantFloatConvertFakeConvertToQdqPass
    : Pass<"quant-float-convert-fakeconvert-to-qdq"> {
  let summary = "Convert fakeconvert ops to float8 qdq where exact";
  let description = [{
    Replaces a `fakeconvert` by a `qdq` of opset 23 whose scale is the
    reciprocal, if this gives the same bits for every input: its mode is
    `exact`, it has no shift, and its scale is a constant of powers of two,
    along at most one axis, whose reciprocals are normal numbers of the input's
    type. For f16 inputs the division is in f32; otherwise the quotient would be
    rounded twice. Every other `fakeconvert` is left unchanged, with a remark
    that states the reason.

    ```mlir
    %r = arith.constant dense<[[[2.0], [0.25], [8.0]]]> : tensor<1x3x1xf32>
    %y = quant_float.fakeconvert %x, %r to f8E4M3FN opset 13
           : tensor<?x3x8xf32>, tensor<1x3x1xf32> to tensor<?x3x8xf32>
    // becomes
    %s = arith.constant dense<[0.5, 4.0, 0.125]> : tensor<3xf32>
    %y = quant_float.qdq %x, %s axis 1 storage f8E4M3FN opset 23
           : tensor<?x3x8xf32>, tensor<3xf32> to tensor<?x3x8xf32>
    ```

    `quant-float-convert-qdq-to-fakeconvert` is the inverse.
  }];
  let statistics = [
    Statistic<"numConverted", "num-converted", "Number of fakeconvert ops converted">
  ];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def QuantFloatConvertBlockDequantizePass
    : Pass<"quant-float-convert-block-dequantize"> {
  let summary = "Convert block_dequantize to dequantize of ONNX if the bits are the same";
  let description = [{
    Replaces a `block_dequantize` of tensors by `dequantize` ops of the newest
    opset of ONNX that compute the same bits. Blocks must have more than one
    element in at most one dimension. Scales of f8E4M3FN become a `dequantize`
    by the scale of the tensor, or by 1, which is exact.

    Other ops are left unchanged, with a remark that states the reason: MXINT8,
    scales of `!quant_float.f8UE5M3`, two-dimensional blocks, and
    `order block_first` with a scale of the tensor, because ONNX multiplies both
    scales first.

    ```mlir
    %y = quant_float.block_dequantize %q, %s tensor_scale(%t : tensor<f32>)
           block [1, 16] order tensor_first
           : tensor<4x64xf4E2M1FN>, tensor<4x4xf8E4M3FN> to tensor<4x64xf32>
    // becomes
    %0 = quant_float.dequantize %s, %t opset 28
           : tensor<4x4xf8E4M3FN>, tensor<f32> to tensor<4x4xf32>
    %z = quant_float.dequantize %q, %0 axis 1 block_size 16 opset 28
           : tensor<4x64xf4E2M1FN>, tensor<4x4xf32> to tensor<4x64xf32>
    ```

    `quant-float-translate` runs this pass before it exports MLIR.
  }];
  let statistics = [
    Statistic<"numConverted", "num-converted",
              "Number of block_dequantize ops converted">
  ];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def QuantFloatConvertBlockQuantizePass
    : Pass<"quant-float-convert-block-quantize"> {
  let summary = "Convert block_quantize to ONNX nodes with the same bits";
  let description = [{
    Replaces a `block_quantize` by nodes of the newest opset of ONNX that compute
    the same bits: Reshape to blocks, ReduceMax of the magnitudes' bits, the
    arithmetic of the rule, and QuantizeLinear by 1 of the quotients. BitCast
    requires opset 26 or later. Partial blocks are padded.

    Other ops are left unchanged, with a remark that states the reason:
    stochastic rounding, types that ONNX does not have, and more than one
    dynamic size or a dynamic size that is divided into blocks.

    ```mlir
    %q, %s = quant_float.block_quantize %x block [32] rule floor
           : tensor<64xf32> to tensor<64xf8E4M3FN>, tensor<2xf8E8M0FNU>
    // becomes
    %b = quant_float.node "Reshape"(%x, %shape) opset 28
           : (tensor<64xf32>, tensor<2xi64>) -> tensor<2x32xf32>
    %i = quant_float.node "BitCast"(%b) opset 28 {to = 6 : i64}
           : (tensor<2x32xf32>) -> tensor<2x32xi32>
    // ...
    %q = quant_float.quantize %quotients, %one opset 28
           : tensor<64xf32>, tensor<f32> to tensor<64xf8E4M3FN>
    ```

    `quant-float-translate` runs this pass before it exports MLIR.
  }];
  let statistics = [
    Statistic<"numConverted", "num-converted",
              "Number of block_quantize ops converted">
  ];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def QuantFloatDecomposeBlockQuantizePass
    : Pass<"quant-float-decompose-block-quantize"> {
  let summary = "Decompose block_quantize into its parts";
  let description = [{
    Replaces every `block_quantize` by a `block_amax`, a `block_scale` and a
    `block_quantize_elements`, which other passes can fuse with the ops around
    them. For rules with two levels, the largest magnitude of the tensor is that
    of the blocks, and a `tensor_scale` derives its scale.

    ```mlir
    %q, %s = quant_float.block_quantize %x block [1, 32] rule floor
           : tensor<4x64xf32> to tensor<4x64xf4E2M1FN>, tensor<4x2xf8E8M0FNU>
    // becomes
    %a = quant_float.block_amax %x block [1, 32]
           : tensor<4x64xf32> to tensor<4x2xf32>
    %s = quant_float.block_scale %a rule floor element f4E2M1FN
           : tensor<4x2xf32> to tensor<4x2xf8E8M0FNU>
    %q = quant_float.block_quantize_elements %x, %s block [1, 32] rule floor
           : tensor<4x64xf32>, tensor<4x2xf8E8M0FNU> to tensor<4x64xf4E2M1FN>
    ```

    `convert-quant-float-to-linalg` also decomposes them.
  }];
  let statistics = [
    Statistic<"numDecomposed", "num-decomposed",
              "Number of block_quantize ops decomposed">
  ];
  let dependentDialects = ["mlir::tensor::TensorDialect"];
}

def QuantFloatSplitPartialBlocksPass
    : Pass<"quant-float-split-partial-blocks"> {
  let summary = "Quantize full and partial blocks separately";
  let description = [{
    Replaces a `block_quantize` whose last block along a dimension may be
    partial by two: one of the full blocks, and one of the remaining elements:

    ```mlir
    %q, %s = quant_float.block_quantize %x block [1, 32] rule floor
           : tensor<4x70xf32> to tensor<4x70xf8E4M3FN>, tensor<4x3xf8E8M0FNU>
    // becomes
    %a = tensor.extract_slice %x [0, 0] [4, 64] [1, 1] : tensor<4x70xf32> to tensor<4x64xf32>
    %qa, %sa = quant_float.block_quantize %a block [1, 32] rule floor
           : tensor<4x64xf32> to tensor<4x64xf8E4M3FN>, tensor<4x2xf8E8M0FNU>
    %b = tensor.extract_slice %x [0, 64] [4, 6] [1, 1] : tensor<4x70xf32> to tensor<4x6xf32>
    %qb, %sb = quant_float.block_quantize %b block [1, 32] rule floor
           : tensor<4x6xf32> to tensor<4x6xf8E4M3FN>, tensor<4x1xf8E8M0FNU>
    // and tensor.insert_slice of the results
    ```

    `convert-quant-float-to-linalg` pads partial blocks, which copies the input,
    and `quant-float-fuse-block-reductions` tiles by full blocks. Ops that
    compute a scale of the tensor are not split, because they reduce all blocks
    before they quantize one. The pipeline for CPUs runs this pass before the
    conversion to linalg.
  }];
  let statistics = [
    Statistic<"numSplit", "num-split", "Number of block_quantize ops split">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatDecomposeFakeConvertPass
    : Pass<"quant-float-decompose-fakeconvert"> {
  let summary = "Decompose fakeconvert into arith ops and casts";
  let description = [{
    Replaces every `fakeconvert` by the arithmetic of its mode, bit for bit. On
    scalars and vectors, the ops replace the `fakeconvert` in place, and vectors
    of scales and shifts are broadcast. On ranked tensors, the ops form the body
    of one `linalg.generic` whose indexing maps broadcast. Ops on unranked
    tensors are left unchanged.

    ```mlir
    %y = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : f32, f32 to f32
    // becomes
    %0 = arith.mulf %x, %s : f32
    %1 = quant_float.cast %0 opset 28 : f32 to f8E4M3FN
    %2 = quant_float.cast %1 opset 28 : f8E4M3FN to f32
    %y = arith.divf %2, %s : f32
    ```

    A dynamic size of the scale or shift is assumed to be equal to the input's,
    as in `convert-onnx-nodes-to-linalg`; entry points check that it is.
  }];
  let statistics = [
    Statistic<"numDecomposed", "num-decomposed", "Number of fakeconvert ops decomposed">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::tensor::TensorDialect", "mlir::vector::VectorDialect",
    "mlir::quant_float::QuantFloatDialect"
  ];
}

def QuantFloatSinkQuantizeThroughConcatPass
    : Pass<"quant-float-sink-quantize-through-concat", "mlir::func::FuncOp"> {
  let summary = "Sink quantize through Concat to its operands";
  let description = [{
    Replaces a `quantize` with one scale, whose input is an ONNX `Concat` of
    floats without other uses, by a `quantize` of each operand of the `Concat`.
    Quantized values are concatenated instead of floats, and each operand is
    quantized where it is computed.

    ```mlir
    %c = quant_float.node "Concat"(%a, %b) opset 13 attributes {axis = 1 : si64}
           : (tensor<1x2xf32>, tensor<1x3xf32>) -> tensor<1x5xf32>
    %q = quant_float.quantize %c, %s opset 13 : tensor<1x5xf32>, tensor<f32> to tensor<1x5xui8>
    // becomes
    %0 = quant_float.quantize %a, %s opset 13 : tensor<1x2xf32>, tensor<f32> to tensor<1x2xui8>
    %1 = quant_float.quantize %b, %s opset 13 : tensor<1x3xf32>, tensor<f32> to tensor<1x3xui8>
    %q = quant_float.node "Concat"(%0, %1) opset 13 attributes {axis = 1 : si64}
           : (tensor<1x2xui8>, tensor<1x3xui8>) -> tensor<1x5xui8>
    ```

    Values that are not quantized to 8 bits are concatenated as floats. The
    stage `rewrite-quantization` runs this pass for CPUs.
  }];
  let statistics = [
    Statistic<"numSunk", "num-sunk", "Number of quantize ops sunk through Concat">
  ];
}

def QuantFloatQdqToIntegerMatmulPass
    : InterfacePass<"quant-float-qdq-to-integer-matmul", "mlir::FunctionOpInterface"> {
  let summary = "Convert QDQ matmuls and convolutions to integer arithmetic";
  let description = [{
    Matches a `Conv`, or a `MatMul` or `Gemm` of more than four rows, both of
    whose operands are dequantized from 8-bit integers. All scales must be
    constants: one for the lhs, and one for the weights or one per channel. R7
    of docs/rules.md lists all conditions. Replaces the op
    by a `ConvInteger` or `MatMulInteger`, whose accumulation is exact, followed
    by a multiplication by the product of both scales and the addition of the
    bias, in f32. The error of the result is within that of floating-point
    accumulation, and the bits are the same on every target, but they differ
    from those of the floating-point op.

    ```
    sum(sx * (x - zx) * (sw[c] * (w - zw[c]))) + bias[c]
    // becomes
    f32(sum((x - zx) * (w - zw[c]))) * (sx * sw[c]) + bias[c]
    ```

    The stage `rewrite-quantization` runs this pass.
  }];
  let statistics = [
    Statistic<"numConverted", "num-converted", "Number of matmuls and convolutions converted">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::quant_float::QuantFloatDialect"
  ];
}

def QuantFloatSetTargetPass
    : Pass<"quant-float-set-target", "mlir::ModuleOp"> {
  let summary = "Set the target that code is generated for";
  let description = [{
    Sets the attribute `quant_float.target` of the module, which the passes that
    choose instructions look up: `convert-quant-float-to-arith`,
    `convert-quant-float-to-nvvm` and the passes of code generation. An
    attribute that the module already has is replaced. Names are resolved:
    `host` becomes the CPU of this machine with its features. An unknown name is
    an error. The pipelines run the pass first.

    With `cpu=x86-64-v3 triple=x86_64-linux-gnu`:

    ```mlir
    module attributes {quant_float.target = #quant_float.target<cpu "x86-64-v3" triple = "x86_64-linux-gnu">} {
    }
    ```
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", /*default=*/"\"\"",
           "target CPU, or 'host'; empty means the baseline of the triple">,
    Option<"triple", "triple", "std::string", /*default=*/"\"\"",
           "target triple; empty means the host's">,
    Option<"features", "features", "std::string", /*default=*/"\"\"",
           "LLVM target features such as +avx2,-fma; empty means those of the CPU">,
    Option<"chip", "chip", "std::string", /*default=*/"\"\"",
           "NVIDIA chip, such as sm_90, instead of a CPU">,
    Option<"ptx", "ptx", "std::string", /*default=*/"\"\"",
           "PTX version, such as 80; empty means the lowest that supports "
           "all of the chip's instructions">,
  ];
}

def QuantFloatStripAttributesPass : Pass<"quant-float-strip-attributes"> {
  let summary = "Strip the discardable attributes of this dialect";
  let description = [{
    Removes all discardable attributes with the prefix `quant_float.` from ops
    and from the arguments and results of functions. Tools that do not know the
    dialect reject modules with such attributes. Without them, an entry point
    has no names of inputs and outputs, and unsigned elements are signless.

    `quant-float-lower-to-upstream` runs this pass last.

    ```mlir
    func.func @main(%x: tensor<8xi8> {quant_float.element_type = ui8}) {
      return
    }
    // becomes
    func.func @main(%x: tensor<8xi8>) {
      return
    }
    ```
  }];
}

#endif // QUANT_FLOAT_TRANSFORMS_PASSES_TD
