//===- Passes.td - Transformation passes -------------------*- tablegen -*-===//
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
  }];
}

def QuantFloatEliminateQdqPass : Pass<"quant-float-eliminate-qdq"> {
  let summary = "Eliminate dequantize-quantize pairs where the result is exact";
  let description = [{
    The result of a `quantize` of dequantized values is a function of the
    quantized values alone. This pass evaluates that function with the Reference
    for every encoding of up to 16 bits, with constant parameters, and rewrites
    the pair:

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
      between the two ops; they then move quantized values. So may `MaxPool` if
      greater values have greater encodings, and `Relu`, `Clip` with constant
      bounds and casts, which become part of the function. Intermediate values
      must have no other uses.

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

    Every other `quantize` of dequantized values stays. With `remarks`, a remark
    states the reason and a counterexample: `code 0x80 (-128) becomes 0x81
    (-127)`. The sign of a NaN is unspecified (D8); with `any-nan`, an encoding
    of NaN may become any other encoding of NaN.

    The CPU pipeline runs this pass first, with `requantize=none` and
    `code-bits=8`.
  }];
  let options = [
    Option<"requantize", "requantize", "::mlir::quant_float::RequantizationForm",
           /*default=*/"::mlir::quant_float::RequantizationForm::Table",
           "how quantized values are mapped to other quantized values", [{::llvm::cl::values(
             clEnumValN(::mlir::quant_float::RequantizationForm::None, "none",
                        "no mapping: only remove pairs that are the identity"),
             clEnumValN(::mlir::quant_float::RequantizationForm::Table, "table",
                        "a lookup table of up to 256 entries"),
             clEnumValN(::mlir::quant_float::RequantizationForm::MultiplyShift,
                        "multiply-shift", "integer multiplication and shift"))}]>,
    Option<"anyNan", "any-nan", "bool", /*default=*/"false",
           "treat all encodings of NaN as equal">,
    Option<"codeBits", "code-bits", "unsigned", /*default=*/"16",
           "maximum width in bits of the encodings that are enumerated">,
    Option<"remarks", "remarks", "bool", /*default=*/"true",
           "emit a remark with the reason if a quantize stays">
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

    Every other chain stays, with a remark that shows an input and both results:
    two roundings are not equivalent to one, and casting back does not restore
    NaN payloads. Casts with `mode openvino` and casts with random bits are
    ignored.
  }];
}

def QuantFloatReencodeFnuzPass : Pass<"quant-float-reencode-fnuz"> {
  let summary = "Convert float8 weights between the FNUZ and the OCP encodings";
  let description = [{
    For equal encodings, a value of f8E4M3FNUZ or f8E5M2FNUZ is half of the
    value of f8E4M3FN or f8E5M2. This pass converts a `dequantize` of constants
    of the FNUZ type to one of the other type and halves its constant scales,
    which may be per tensor, per axis or blocked. With `to-fnuz` it converts in
    the other direction and doubles the scales. The products are the same
    values, so every result has the same bits, if

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

    Every other `dequantize` stays, with a remark that counts and names the
    encodings without a counterpart. Weights that are computed rather than
    constant stay, because the two types saturate at different values.
  }];
  let options = [
    Option<"toFnuz", "to-fnuz", "bool", /*default=*/"false",
           "convert to FNUZ instead of from FNUZ">,
    Option<"anyZero", "any-zero", "bool", /*default=*/"false",
           "allow negative zeros to become positive zeros">
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
    %w = arith.constant dense<[128, 255]> : tensor<2xui8>
    %z = arith.constant dense<128> : tensor<ui8>
    %y = quant_float.dequantize %w, %s, %z opset 13
           : tensor<2xui8>, tensor<f32>, tensor<ui8> to tensor<2xf32>
    // becomes, with signed
    %w = arith.constant dense<[0, 127]> : tensor<2xi8>
    %z = arith.constant dense<0> : tensor<i8>
    %y = quant_float.dequantize %w, %s, %z opset 13
           : tensor<2xi8>, tensor<f32>, tensor<i8> to tensor<2xf32>
    ```

    Every other `dequantize` of such a type stays, with a remark that states the
    reason. For example, the result of a `quantize` saturates at different
    bounds in the wider type; the remark shows an input for which the results
    differ.
  }];
  let options = [
    Option<"isSigned", "signed", "bool", /*default=*/"false",
           "convert unsigned integers to i8">
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
  let dependentDialects = ["mlir::arith::ArithDialect",
                           "mlir::quant_float::QuantFloatDialect"];
}

def QuantFloatExtractWeightsPass
    : Pass<"quant-float-extract-weights", "mlir::ModuleOp"> {
  let summary = "Extract the weights of a model";
  let description = [{
    Replaces the functions of the module by one function, `weights`, that
    returns what weight files can hold: each `dequantize` of constants that the
    model computes with, together with the ops that compute its scales, and each
    floating-point constant of rank 1 or more. Results are named after the
    constants that hold the elements. The name of quantized weights ends with
    `.weight`; suffixes that tools append after `.weight` are dropped.

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
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::func::FuncDialect"];
}

def QuantFloatPackWeightsPass : Pass<"quant-float-pack-weights"> {
  let summary = "Rewrite matmuls with block-quantized weights to com.microsoft.MatMulNBits";
  let description = [{
    Rewrites a `MatMul` or `Gemm` whose weights are a `dequantize` of 2-, 4- or
    8-bit constants in blocks along K, with or without a `Transpose` in between,
    to `MatMulNBits`, for which ONNX Runtime has faster kernels. The weights
    keep their values: signed quantized values and their zero points are
    increased by half of the range. `quant-float-unpack-weights` is the inverse.

    The block size must be a power of two and at least 16, and scales and
    results must be f32: a `dequantize` to f16 rounds its result, `MatMulNBits`
    does not. Every other matmul with block-quantized weights stays, with a
    remark that states the reason.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def QuantFloatUnpackWeightsPass
    : Pass<"quant-float-unpack-weights", "mlir::ModuleOp"> {
  let summary = "Rewrite com.microsoft.MatMulNBits to ONNX operators";
  let description = [{
    Rewrites `MatMulNBits` with constant quantized weights and scales to
    `DequantizeLinear`, `Transpose` and `MatMul`, and to `Add` if there is a
    bias. The quantized values are unpacked to ui8, ui4 or ui2. If the node has
    no zero points, the pass adds the default, the middle of the range. The
    weights have the same values (D5); the accumulation order is that of
    `MatMul` (R7).

    Types other than f32 are cast to f32 and back, because `MatMulNBits`
    dequantizes to f32. A node that cannot be rewritten stays, with a remark
    that states the reason. `quant-float-pack-weights` is the inverse.
  }];
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

    Every other op with several scales stays, with a remark that names two
    scales that differ and a quantized value for which their results differ.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def QuantFloatFoldScalesPass : Pass<"quant-float-fold-scales"> {
  let summary = "Fold two-level scales into one";
  let description = [{
    Low-bit scales often have a scale themselves. If that scale is applied to
    the scales, as in NVFP4, the scales are dequantized at compile time: a
    quantization op whose scale is computed from constants by `Mul`, `cast` and
    `dequantize` gets a constant scale.

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
    or their order differs. The multiplier becomes part of the scale only if
    every encoding gives the same value with every scale; for constant weights,
    only the encodings that occur count. Every other such `Mul` stays, with a
    remark that names an encoding and both of its values.
  }];
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
    `qdq` stays, with a remark that states the reason.

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
    rounded twice. Every other `fakeconvert` stays, with a remark that states
    the reason.

    `quant-float-convert-qdq-to-fakeconvert` is the inverse.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def QuantFloatDecomposeFakeConvertPass
    : Pass<"quant-float-decompose-fakeconvert"> {
  let summary = "Decompose fakeconvert into arith ops and casts";
  let description = [{
    Replaces every `fakeconvert` by the arithmetic of its mode, bit for bit. On
    scalars and vectors, the ops replace the `fakeconvert` in place, and vectors
    of scales and shifts are broadcast. On ranked tensors, the ops form the body
    of one `linalg.generic` whose indexing maps broadcast. Unranked tensors are
    not supported and stay.

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
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::tensor::TensorDialect", "mlir::vector::VectorDialect",
    "mlir::quant_float::QuantFloatDialect"
  ];
}

def QuantFloatRequireLoweredPass : Pass<"quant-float-require-lowered"> {
  let summary = "Report ops that the lowering should have removed";
  let description = [{
    Fails if an op of the `quant_float` dialect, or an `arith.extf`,
    `arith.truncf` or other cast from or to a narrow float, survives the
    lowerings: upstream's conversions would silently pass it on. The error names
    each op, its types, the target and what is missing.

    The pipelines run this pass before the conversion to the LLVM or NVVM
    dialect.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"cpu\"",
           "name of the target in the error message">
  ];
}

def QuantFloatTileAndVectorizePass
    : InterfacePass<"quant-float-tile-and-vectorize", "mlir::FunctionOpInterface"> {
  let summary = "Tile elementwise linalg ops on memrefs and vectorize them";
  let description = [{
    Matches `linalg.generic` ops on memrefs whose loops are all parallel:

    - Scalar inputs are loaded before the loops.
    - Contiguous dimensions are collapsed into one.
    - If several dimensions remain, loops with a step of one surround the loop
      along the output's last dimension. Inputs that do not change along it, or
      only change per block (`d floordiv B`), are scalars that are loaded before
      the loop or the block, so that there are no gathers. One loop iteration
      processes several small blocks. The same loops surround a body that
      selects rows by a computed index; the rows become subviews.
    - With `parallel`, an outer `scf.forall` distributes large chunks, or
      iterations of the outermost loop. If results are packed, each thread takes
      as many rows as end on a byte boundary. Adjacent ops are counted together
      and distributed if several threads are faster.
    - An `scf.for` iterates over tiles of `tile-size` elements. It is peeled, so
      that the tiles of the main loop are full, and upstream's vectorizer
      converts each tile to vectors.
    - The remainder is vectorized with masks if `masked-tail` is set. Otherwise,
      if the op provably does not read what it writes, the remainder is one more
      full tile that overlaps the last one and computes some elements twice.
      Otherwise it is a scalar loop.

    The pass generates the surrounding loops itself; tiling, peeling and
    vectorization are upstream's.

    Runs after `quant-float-vectorize-reductions` and before
    `quant-float-lower-linalg-to-loops`, which lowers the remaining ops.
  }];
  let options = [
    Option<"tileSize", "tile-size", "int64_t", /*default=*/"64",
           "number of elements that the main loop processes per iteration">,
    Option<"maskedTail", "masked-tail", "bool", /*default=*/"false",
           "vectorize the remainder with masks">,
    Option<"parallel", "parallel", "bool", /*default=*/"false",
           "distribute large chunks among threads">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::vector::VectorDialect"
  ];
}

def QuantFloatFuseElementwisePass
    : InterfacePass<"quant-float-fuse-elementwise", "mlir::FunctionOpInterface"> {
  let summary = "Fuse elementwise linalg ops on tensors";
  let description = [{
    Generalizes named linalg ops and fuses elementwise ops into their consumer,
    an elementwise op or a reduction, if the consumer reads each of their
    elements once. A producer that is read in a larger loop nest, that of a
    contraction or a broadcast, is not fused, because it would be recomputed.
    With `products`, such a producer is fused into a matmul or convolution if it
    only permutes elements or converts them to a wider type: GPU kernels then
    dequantize an element once for each of their tiles. Nothing is fused into
    ops with `quant_float.sum_order`. `tensor.concat` is
    decomposed into insertions.

    If a body extracts elements of an elementwise op, as gathers do, and the
    extracted elements are fewer, the body computes them itself: an embedding
    dequantizes the rows that it reads, and no f32 copy of its table exists.
    Casts, reshapes and slices may be in between. A slice of dequantized
    constants only dequantizes the elements of the slice.

    ```
    %t = linalg.generic /* dequantize */ ins(%codes : tensor<30522x384xi8>) ...
    %y = linalg.generic ins(%indices : tensor<24xi64>) ... {
      %e = tensor.extract %t[%index, %j]
    // becomes
    %y = linalg.generic ins(%indices : tensor<24xi64>) ... {
      %code = tensor.extract %codes[%index, %j]
      %e = quant_float.dequantize %code, ...
    ```

    Runs on tensors, after `resolve-shaped-type-result-dims`: a query of a
    result's size is a use that would prevent fusion. For GPUs it runs once
    more, with `products`, after `quant-float-fuse-weights`.
  }];
  let options = [
    Option<"products", "products", "bool", /*default=*/"false",
           "fuse dequantization and permutation into matmuls and convolutions">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::linalg::LinalgDialect",
    "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatFuseWeightsPass
    : InterfacePass<"quant-float-fuse-weights", "mlir::FunctionOpInterface"> {
  let summary = "Fuse weight dequantization into matmuls with few rows";
  let description = [{
    Matches a matmul of at most four rows (a GEMV-like contraction) with a
    weight matrix that an op dequantizes from 8-, 4- or 2-bit values, and fuses
    both into one `linalg.generic` that dequantizes each weight where it is
    used. Weights may have one scale and zero point, one per channel, or one per
    block of at least 16 elements of a channel.

    The attribute `quant_float.sum_order` specifies the accumulation order of an
    output element (R7). There are `lanes` partial accumulators over chunks of
    `lanes * terms` elements. In each chunk, a lane adds `terms` elements:
    adjacent ones if `consecutive`, else every `lanes`-th one.

    ```
    %w = linalg.generic /* dequantize */ ins(%codes : tensor<512x512xi8>) ...
    %y = linalg.generic /* matmul */ ins(%x, %w) outs(%z) ...
    // becomes
    %y = linalg.generic ins(%x, %codes, ...) outs(%z)
           attrs = {quant_float.sum_order = {consecutive = false,
                                             lanes = 16, terms = 8}} ...
    ```

    With `x-bits`, the activations are quantized dynamically, in blocks, to
    integers of this width, if the weights represent integers and K is
    contiguous in the weights (R8). The attribute then has `x_bits`.

    Runs on tensors, after `quant-float-fuse-elementwise` and before
    bufferization. `quant-float-lower-products` (CPU) and
    `quant-float-map-to-gpu` (GPU) lower the result.
  }];
  let options = [
    Option<"xBits", "x-bits", "unsigned", /*default=*/"0",
           "width in bits to which activations are quantized, 8 or 16; 0 keeps them">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::linalg::LinalgDialect",
    "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatLowerProductsPass
    : InterfacePass<"quant-float-lower-products", "mlir::FunctionOpInterface"> {
  let summary = "Lower contractions with a specified accumulation order to vector loops";
  let description = [{
    Matches `linalg.generic` ops on memrefs with `quant_float.sum_order`, which
    `quant-float-fuse-weights` creates, and lowers them to `scf` loops of vector
    ops. Weights are read once, one register of quantized values at a time, and
    are converted to f32 operands in registers. The activations `x` are
    rearranged, and scaled by powers of two, once before the loops. If K is
    contiguous in the weights, several channels share each load of `x`. If the
    channels are contiguous, vectors of channels are accumulated block by block.

    With `x_bits` in the attribute, `x` is quantized to integers, 16 or 32 of
    which share a scale, and dot-product instructions accumulate the products.

    Every element has the same bits whatever the target and the number of
    threads: each multiplication and each addition is rounded. The target
    determines registers, the number of rows that are processed together, and
    the instructions for table lookup and integer multiplication.

    Runs after bufferization.
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", /*default=*/"\"\"",
           "target CPU; empty means 16-byte vector registers">,
    Option<"triple", "triple", "std::string", /*default=*/"\"\"",
           "target triple; empty means the host's">,
    Option<"features", "features", "std::string", /*default=*/"\"\"",
           "LLVM target features such as +avx2,-fma; empty means those of the CPU">,
    Option<"threads", "threads", "unsigned", /*default=*/"1",
           "number of threads among which large matmuls are distributed; 1 disables "
           "threading">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::LLVM::LLVMDialect", "mlir::memref::MemRefDialect",
    "mlir::quant_float::QuantFloatDialect", "mlir::scf::SCFDialect",
    "mlir::vector::VectorDialect"
  ];
}

def QuantFloatTransposeWeightsPass
    : InterfacePass<"quant-float-transpose-weights", "mlir::FunctionOpInterface"> {
  let summary = "Transpose constant weights to make K contiguous";
  let description = [{
    Matches a `quant_float.dequantize` of constants whose only use is the weight
    matrix of a node "MatMul" or "Gemm" with at most four rows, if K is not
    contiguous in the matrix. Transposes the quantized values, scales and zero
    points, and adds a node "Transpose" after the `dequantize`. When
    `quant-float-fuse-weights` later fuses the dequantization into the matmul,
    rows of quantized values are read once and in order. The accumulation order
    is that of K-contiguous weights (R7). Packed constants stay packed.

    Runs before `convert-onnx-nodes-to-linalg`.

    ```
    %w = quant_float.dequantize %codes, %scales axis 0 block_size 32 opset 21 : tensor<512x64xi4>, tensor<16x64xf32> to tensor<512x64xf32>
    %y = quant_float.node "MatMul"(%x, %w) opset 21 : (tensor<1x512xf32>, tensor<512x64xf32>) -> tensor<1x64xf32>
    // becomes, with other constants
    %r = quant_float.dequantize %codes, %scales axis 1 block_size 32 opset 21 : tensor<64x512xi4>, tensor<64x16xf32> to tensor<64x512xf32>
    %w = quant_float.node "Transpose"(%r) opset 21 attributes {perm = array<i64: 1, 0>} : (tensor<64x512xf32>) -> tensor<512x64xf32>
    %y = quant_float.node "MatMul"(%x, %w) ...
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def QuantFloatPropagateTransposesPass
    : InterfacePass<"quant-float-propagate-transposes", "mlir::FunctionOpInterface"> {
  let summary = "Fold transposes into the indexing maps of contractions";
  let description = [{
    Matches `linalg.generic` ops on tensors whose innermost loop is a reduction,
    and an operand that an elementwise op without other uses transposes so that
    the reduction dimension is no longer contiguous. The elementwise op keeps
    the layout of its input instead, and is removed if it only transposes; the
    operand's indexing map expresses the transposition. An example is the Q*K^T
    matmul of attention, where keys are transposed and scaled. The results keep
    their bits: every element is computed, and accumulated, as before.

    ```
    %t = linalg.generic {indexing_maps = [(d0, d1) -> (d1, d0), (d0, d1) -> (d0, d1)]} ins(%keys : tensor<?x64xf32>)
    %y = linalg.generic /* (m, n, k), (k, n) */ ins(%x, %t : tensor<1x64xf32>, tensor<64x?xf32>)
    // becomes
    %s = linalg.generic {indexing_maps = [(d0, d1) -> (d0, d1), (d0, d1) -> (d0, d1)]} ins(%keys : tensor<?x64xf32>)
    %y = linalg.generic /* (m, n, k), (n, k) */ ins(%x, %s : tensor<1x64xf32>, tensor<?x64xf32>)
    ```

    The CPU pipeline runs this pass after `quant-float-fuse-weights`.
  }];
  let dependentDialects = ["mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect"];
}

def QuantFloatContractSumsPass
    : InterfacePass<"quant-float-contract-sums", "mlir::FunctionOpInterface"> {
  let summary = "Allow FMA contraction in reductions";
  let description = [{
    Sets the fast-math flag `contract` on multiplications and on the additions
    that accumulate their results, so that LLVM forms fused multiply-adds if the
    target has them. This applies to `linalg` ops with reductions and to the
    loops that they have been lowered to; the bodies of other ops keep their
    roundings. Results then depend on the target. The specified accumulation
    order (R7) stays.

    The pipelines run this pass with `sums=fast` only.
  }];
}

def QuantFloatFlattenWindowsPass
    : InterfacePass<"quant-float-flatten-windows", "mlir::FunctionOpInterface"> {
  let summary = "Flatten the spatial dimensions of convolutions and pooling";
  let description = [{
    Matches `linalg.generic` ops on tensors with reductions that slide a window
    along the last two dimensions of one operand, the image, and start from a
    constant. Collapses both dimensions into one: rows are consecutive, and the
    window advances by one element between output positions, also across the end
    of a row; results of positions that straddle two rows are dropped. A strided
    image is first de-interleaved by a copy: one image per stride phase (for
    stride 2: even and odd rows and columns). Vectors then run across rows,
    however short the rows are, over contiguous elements. Each output element is
    accumulated as before. If the sizes of the image are dynamic, the phases are
    de-interleaved but nothing is flattened.

    ```
    %y = linalg.generic /* (n, c, 2 * h + r, 2 * w + s) */ ins(%x, %weights : tensor<1x3x16x16xf32>, ...)
    // becomes
    %phases = linalg.generic /* (n, c, 2 * h + p, 2 * w + q) */ ins(%x) -> tensor<1x3x2x2x8x8xf32>
    %flat = tensor.collapse_shape %phases : ... into tensor<1x3x2x2x64xf32>
    %places = linalg.generic /* (n, c, r mod 2, s mod 2, p + r floordiv 2 * 8 + s floordiv 2) */ ins(%flat, %weights)
    %rows = tensor.expand_shape %places ...
    %y = tensor.extract_slice %rows ...
    ```

    Flattening requires that both dimensions are static. Rows also stay if the
    window extends past the end of a row by about half of a row or more, because
    too many results would be dropped.

    The CPU pipeline runs this pass after `quant-float-fuse-elementwise`.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatFuseAttentionPass
    : InterfacePass<"quant-float-fuse-attention", "mlir::FunctionOpInterface"> {
  let summary = "Fuse attention into tiles of query rows";
  let description = [{
    Matches a `linalg.generic` on tensors that multiplies scores and values,
    where the scores are computed from a matmul of queries and keys by ops
    without other uses (scale, mask, softmax). Tiles the op along the queries
    and along the dimensions that queries and values share (batches, heads), and
    fuses everything between the two matmuls into the loops. Only the scores of
    one tile of rows exist at a time, for all keys. The accumulation order does
    not change, so no result changes. Values that all tiles share, such as
    scaled keys, stay before the loops.

    Small score matrices stay. So do consecutive matmuls, such as those of
    feed-forward blocks, whose matrices are larger than a cache and larger than
    the scores: each tile of rows would read all weights again.

    ```
    %s = linalg.generic /* Q * K */ ... -> tensor<8x2048x2048xf32>
    %p = linalg.generic /* softmax, several ops */ ins(%s) ...
    %y = linalg.generic /* P * V */ ins(%p, %v) ...
    // becomes
    scf.for %h = 0 to 8 step 1 {
      scf.for %q = 0 to 2048 step 16 {
        %s = linalg.generic /* Q * K */ ... -> tensor<1x16x2048xf32>
        %p = linalg.generic /* softmax */ ins(%s) ...
        linalg.generic /* P * V */ ins(%p, %v[%h]) outs(%y[%h, %q:])
      }
    }
    ```

    The CPU pipeline runs this pass after `quant-float-propagate-transposes`.
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::scf::SCFDialect", "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatWidenFactorsPass
    : InterfacePass<"quant-float-widen-factors", "mlir::FunctionOpInterface"> {
  let summary = "Hoist operand upcasts out of contractions";
  let description = [{
    Matches a `linalg.generic` with reductions that casts an element of an 8- or
    16-bit float to f32 and only multiplies the result. If each element is read
    many times, as in matmuls and convolutions, the casts move to a separate
    elementwise op on the whole operand.

    The CPU pipeline runs this pass before `quant-float-tile-contractions`,
    which fuses the casts of weights into its tile loops again.
  }];
  let dependentDialects = [
    "mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatTileContractionsPass
    : InterfacePass<"quant-float-tile-contractions", "mlir::FunctionOpInterface"> {
  let summary = "Tile contractions and dequantize their weights tile by tile";
  let description = [{
    Matches `linalg.generic` ops on tensors with reductions, such as a matmul or
    a convolution, one of whose operands is a weight: the result of an
    elementwise op on constants or function arguments, such as a dequantization,
    that has no other use and is indexed by output channels that no other
    operand has. Key and value caches count as weights: 8-bit and narrower ones
    may have dynamic sizes and slices that the function appends. If both
    operands qualify, the quantized one, else the larger one, is the weight.

    The op is tiled along these channels and one reduction dimension, with tile
    size one along dimensions that both operands share (batches, heads). The
    dequantization is fused into the loops, so that the dequantized weights
    never exist as a whole. In a tile of the weights (a panel), the channels are
    the innermost dimension if they are innermost in the output. Weights without
    dequantization are copied to such panels if they are laid out differently
    and there are many rows.

    ```
    %w = linalg.generic /* dequantize */ ins(%codes : tensor<512x128xi8>) ...
    %y = linalg.generic /* matmul */ ins(%x, %w) ...
    // becomes
    scf.for %n = 0 to 128 step 64 {
      scf.for %k = 0 to 512 step 256 {
        %panel = linalg.generic /* dequantize */ ... -> tensor<256x64xf32>
        linalg.generic /* matmul */ ins(%x[:, %k:], %panel) outs(%y[:, %n:])
      }
    }
    ```

    The CPU pipeline runs this pass after `quant-float-widen-factors`, before
    bufferization.
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::scf::SCFDialect", "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatSeparateInitsPass
    : InterfacePass<"quant-float-separate-inits", "mlir::FunctionOpInterface"> {
  let summary = "Give every op that overwrites a tensor a separate init";
  let description = [{
    Two reductions that start from the same tensor of zeros need two buffers. If
    both are function results, `eliminate-empty-tensors` places these zeros in
    the memory of one of them, and bufferization no longer knows that storing
    this result overwrites the other one. If several ops write to the same
    tensor, or an op writes to a tensor that is also a result, this pass gives
    each writer a separate init: a clone of the fill, or a copy.

    With `empty`, it also clones a static `tensor.empty` for each op that writes
    to it. A shared buffer would be live from the first of these ops to the
    last.

    Runs on tensors, before `eliminate-empty-tensors` and One-Shot Bufferize.
  }];
  let options = [
    Option<"empty", "empty", "bool", /*default=*/"false",
           "clone shared tensor.empty ops, too">
  ];
  let dependentDialects = ["mlir::bufferization::BufferizationDialect"];
}

def QuantFloatPadInPlacePass
    : InterfacePass<"quant-float-pad-in-place", "mlir::FunctionOpInterface"> {
  let summary = "Compute elements directly into the padded tensor";
  let description = [{
    Matches a `tensor.pad` of static shape with a constant value, whose source
    is an elementwise `linalg.generic` without other uses. Replaces the pad by a
    fill; the op writes its results to the interior of the filled tensor, and no
    copy is made. Tensors of packed sub-byte elements stay and are copied.

    Runs before bufferization, which would copy the source of the pad.
  }];
  let dependentDialects = ["mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect"];
}

def QuantFloatPadCodesPass
    : InterfacePass<"quant-float-pad-codes", "mlir::FunctionOpInterface"> {
  let summary = "Pad float8 values before dequantization instead of after it";
  let description = [{
    Replaces a `tensor.pad` with zeros of the result of a `linalg.generic` that
    dequantizes f8E4M3FN or f8E5M2 and multiplies by scales, by a pad of the
    float8 values followed by the dequantization. A convolution can then fuse
    the dequantization, and matrix instructions multiply the float8 values.

    Zero times an infinite or NaN scale is not zero, and zeros may change their
    sign. The GPU pipeline therefore runs this pass only if sums may be
    reassociated (`sums=fast`).
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatPackDotsPass
    : InterfacePass<"quant-float-pack-dots", "mlir::FunctionOpInterface"> {
  let summary = "Pack 8-bit matmul operands for dot-product instructions";
  let description = [{
    Matches `linalg.generic` ops on tensors that accumulate products of 8-bit
    integers, each minus a zero point, in i32: matmuls and convolutions. If the
    target has instructions that accumulate the products of four bytes or two
    16-bit integers per lane, the pass packs elements that are adjacent along
    the reduction dimension of both operands into i32 elements, and rewrites the
    op to one on packed operands. Its attribute `quant_float.dots` holds the
    types of the packed elements of each operand. The loops and the reductions
    stay.

    Bytes are packed if an instruction accumulates them exactly (VNNI, Arm's dot
    product). This may add 128 to signed values to make them unsigned; the
    initial value of the accumulators compensates for this and for the zero
    points. Otherwise each i32 element holds two 16-bit differences (AVX-512,
    AVX2, SSE2). Constants are packed at compile time, except for large matmuls,
    which pack panels that fit a cache.

    ```
    linalg.generic ins(%a, %b : tensor<64x256xi8>, tensor<256x64xi8>)
        outs(%c : tensor<64x64xi32>)
    // becomes
    %aw = linalg.generic ins(%a, %a, %a, %a) outs(... : tensor<64x64xi32>)
    %bw = linalg.generic ins(%b, %b, %b, %b) outs(... : tensor<64x64xi32>)
    linalg.generic ins(%aw, %bw) outs(%c) attrs = {quant_float.dots = [ui8, si8]}
    ```

    Sums of i32 wrap, so every accumulation order gives the same bits.

    The CPU pipeline runs this pass before `quant-float-tile-contractions`;
    `quant-float-vectorize-reductions` selects the instructions.
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", /*default=*/"\"\"",
           "target CPU; empty means one without dot-product instructions">,
    Option<"triple", "triple", "std::string", /*default=*/"\"\"",
           "target triple; empty means the host's">,
    Option<"features", "features", "std::string", /*default=*/"\"\"",
           "LLVM target features such as +avx2,-fma; empty means those of the CPU">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatDistributeReductionsPass
    : InterfacePass<"quant-float-distribute-reductions", "mlir::FunctionOpInterface"> {
  let summary = "Distribute the results of reductions among threads";
  let description = [{
    Tiles a `linalg.generic` on memrefs with reductions, if it has enough
    iterations to outweigh waking threads, by an `scf.forall` over equal parts
    of one of its parallel loops: channels of a convolution, rows of a matmul,
    or columns if there are few rows. There is one part per thread if the loop
    extent is divisible, else there are more, eight if possible. Block
    boundaries of scales coincide with part boundaries. Reductions are never
    split, so the bits do not depend on the number of threads. A dynamic size
    counts as one; if no loop has equal parts, one thread computes the op.

    Runs on memrefs, before `quant-float-vectorize-reductions`, if there are
    several threads.
  }];
  let options = [
    Option<"threads", "threads", "unsigned", /*default=*/"0",
           "number of threads; 0 means unknown">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::linalg::LinalgDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect"
  ];
}

def QuantFloatQuantizePartsPass
    : Pass<"quant-float-quantize-parts", "mlir::func::FuncOp"> {
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

    Values that are not quantized to 8 bits are concatenated as floats. The CPU
    pipeline runs this pass before nodes are lowered.
  }];
}

def QuantFloatMultiplyCodesPass
    : InterfacePass<"quant-float-multiply-codes", "mlir::FunctionOpInterface"> {
  let summary = "Convert QDQ matmuls and convolutions to integer arithmetic";
  let description = [{
    Replaces a `Conv`, and a `MatMul` or `Gemm` of more than four rows, both of
    whose operands are dequantized from 8 bits, by a `ConvInteger` or
    `MatMulInteger`, whose accumulation is exact. The result is multiplied by
    the product of both scales, and the bias is added, in f32. The lhs has one
    scale, the weights have one or one per channel; all are constants. The error
    of the result is within that of floating-point accumulation, and the bits
    are the same on every target, but they differ from those of the
    floating-point op.

    ```
    sum(sx * (x - zx) * (sw[c] * (w - zw[c]))) + bias[c]
    // becomes
    f32(sum((x - zx) * (w - zw[c]))) * (sx * sw[c]) + bias[c]
    ```

    Runs before nodes are lowered.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::quant_float::QuantFloatDialect"
  ];
}

def QuantFloatFuseEpiloguesPass
    : InterfacePass<"quant-float-fuse-epilogues", "mlir::FunctionOpInterface"> {
  let summary = "Fuse elementwise epilogues into blocks of reductions";
  let description = [{
    Matches an elementwise `linalg.generic` on memrefs, such as an activation or
    a requantization, that reads the result of a reduction without other
    readers. Fuses both into a loop over blocks of the results: the reduction
    writes a block to a buffer of the block's size, and the elementwise op
    writes the block's part of the output. The buffer for all results of the
    reduction is removed, and each element is accumulated as before.

    ```
    linalg.generic ... outs(%sums : memref<1x64x4096xf32>)          // zeros or a bias
    linalg.generic ... ins(%x, %w) outs(%sums)                      // the sum
    linalg.generic ... ins(%sums) outs(%y : memref<1x64x4096xf32>)  // its maximum with 0
    // becomes
    scf.for %i = %c0 to %c4096 step %c512 {
      linalg.generic ... outs(%block : memref<1x64x512xf32>)
      linalg.generic ... ins(%part_of_x, %w) outs(%block)
      linalg.generic ... ins(%block) outs(%part_of_y)
    }
    ```

    Blocks are slices of channels if each channel has separate inputs, as in
    depthwise convolutions. Otherwise they are slices of the last dimension,
    which may consist of the flattened rows of an image, the ends of which the
    elementwise op drops. A block has at most `block-bytes` bytes of
    accumulators, and at least three times as many elements of the last
    dimension as a register has bytes; all blocks have the same size. The ops
    stay if there is no such size, if all results fit in one block, if sizes are
    dynamic, or if several ops read the result of the reduction.

    The CPU pipeline runs this pass after `quant-float-lower-products` if there
    is one thread: with several, threads share the reduction but not its
    epilogue.
  }];
  let options = [
    Option<"blockBytes", "block-bytes", "int64_t", /*default=*/"1 << 17",
           "maximum size of a block of accumulators in bytes">,
    Option<"vectorBytes", "vector-bytes", "int64_t", /*default=*/"16",
           "size of a vector register in bytes">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect"
  ];
}

def QuantFloatPlanBuffersPass
    : InterfacePass<"quant-float-plan-buffers", "mlir::FunctionOpInterface"> {
  let summary = "Merge the allocations of a function into one";
  let description = [{
    Replaces buffers of static sizes that are allocated and freed in the
    function's entry block, or in a branch of an `scf.if` there, by views of one
    buffer. Buffers with overlapping lifetimes do not overlap in memory. The
    pass applies from 128 KiB on: malloc caches smaller blocks for the next
    call.

    If some sizes are dynamic, the function also allocates and frees one more
    block, at its end, of the number of bytes that were live at the same time:
    malloc then keeps memory of this size, and does not return its pages to the
    system.

    The CPU pipeline runs this pass on memrefs, after
    `quant-float-fuse-epilogues`.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect", "mlir::memref::MemRefDialect"
  ];
}

def QuantFloatVectorizeReductionsPass
    : InterfacePass<"quant-float-vectorize-reductions", "mlir::FunctionOpInterface"> {
  let summary = "Lower reductions on memrefs to vector loops";
  let description = [{
    Matches `linalg.generic` ops on memrefs with reductions. Each element is
    accumulated in the order of the op's loops, so that its bits depend neither
    on tile sizes nor on the target.

    Vectors run along the innermost dimension of the output; if there is no such
    loop, or the body cannot be vectorized, the code is scalar. Several rows
    share the vectors that do not change along them, and all rows of one column
    of vectors are computed before the next column. Half of the registers hold
    accumulators, or three quarters if separate instructions add the products.
    For floating-point matmuls, and for packed operands of dot-product
    instructions, with at least 16 rows, the vectors are first packed into a
    contiguous panel, whose extent along K fits in half of a first-level cache;
    all columns are processed for one such part of K before the next part. If
    the number of rows is dynamic, the choice is made at run time.

    The remainder uses masked vectors if the registers are large enough to have
    instructions for masking, and narrower vectors and scalars otherwise. A
    transposed matrix, whose rows are along K, is loaded in square blocks that
    are transposed by shuffles.

    The target's dot-product instructions accumulate the packed operands that
    `quant-float-pack-dots` creates. If the target has matrix instructions for
    bytes (AMX, Arm's I8MM), blocks of the panel are multiplied by blocks of
    rows, several steps of K at once. The panel is padded with zeros to a whole
    number of blocks along K; tile registers are configured to the sizes of the
    row and lane remainders. If the output has no loop to vectorize, minima,
    maxima and integer sums, whose result does not depend on the accumulation
    order, are computed in vectors along the reduction dimension.

    Runs on memrefs, before `quant-float-tile-and-vectorize`.
  }];
  let options = [
    Option<"vectorBytes", "vector-bytes", "int64_t", /*default=*/"16",
           "size of a vector register in bytes">,
    Option<"registers", "registers", "int64_t", /*default=*/"16",
           "number of vector registers">,
    Option<"cpu", "cpu", "std::string", /*default=*/"\"\"",
           "target CPU; empty means one without dot-product instructions">,
    Option<"triple", "triple", "std::string", /*default=*/"\"\"",
           "target triple; empty means the host's">,
    Option<"features", "features", "std::string", /*default=*/"\"\"",
           "LLVM target features such as +avx2,-fma; empty means those of the CPU">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::LLVM::LLVMDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"
  ];
}

def QuantFloatFlushSubnormalsPass
    : Pass<"quant-float-flush-subnormals", "mlir::ModuleOp"> {
  let summary = "Allow kernels to flush subnormals where no result changes";
  let description = [{
    Arithmetic on subnormals is about 100 times slower on Intel CPUs. Kernels
    that convert to narrow floats or integers turn subnormals into zeros anyway,
    or add them to much larger numbers. Such kernels get the attribute
    `quant_float.flushes_subnormals`: the entry runtime calls them with the
    processor flags that treat subnormal operands and results as zero.

    The pass follows the floats of a kernel through `linalg.generic` ops on
    memrefs. The values of scales and shifts are checked at run time, once for
    each buffer: if the magnitude of one is not between 2^-30 and 2^30, the
    kernel clears the flags (`__qf_keep_subnormals`) before it computes
    anything. Kernels for which the pass cannot prove that no bit changes stay.

    F16C's conversions to f16 ignore the flags. Whether those of AVX512-FP16 and
    AVX10 do is not known for every CPU and emulator, so with
    `has-half-arithmetic` kernels with values of f16 stay.

    The CPU pipeline runs this pass on memrefs, for x86 targets.
  }];
  let options = [
    Option<"hasHalfArithmetic", "has-half-arithmetic", "bool", "false",
           "do not flush in kernels with f16 values">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::vector::VectorDialect"
  ];
}

def QuantFloatLowerCopiesPass
    : InterfacePass<"quant-float-lower-copies", "mlir::FunctionOpInterface"> {
  let summary = "Convert copies of strided memrefs to linalg.generic";
  let description = [{
    Converts a `memref.copy` from or to a strided memref to a `linalg.generic`,
    which is then tiled and vectorized like any other op. Otherwise the copy
    would be lowered to a call of MLIR's runner library.
  }];
  let dependentDialects = ["mlir::linalg::LinalgDialect"];
}

def QuantFloatLowerPhasesPass
    : InterfacePass<"quant-float-lower-phases", "mlir::FunctionOpInterface"> {
  let summary = "Lower strided copies to vector de-interleaving";
  let description = [{
    Matches a `linalg.generic` on memrefs that copies every other element along
    the last dimension, by an index `d * 2` or `d * 2 + phase`. Lowers it to
    contiguous vector loads whose elements are de-interleaved in registers. All
    loads are in bounds of the row. If a row's size is dynamic, its remainder
    uses narrower vectors.

    `quant-float-flatten-windows` creates such copies. The CPU pipeline runs
    this pass before `quant-float-vectorize-reductions`.
  }];
  let options = [
    Option<"vectorBytes", "vector-bytes", "int64_t", "32",
           "size of a vector register in bytes">,
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::vector::VectorDialect"
  ];
}

def QuantFloatLowerMathPass
    : Pass<"quant-float-lower-math", "mlir::ModuleOp"> {
  let summary = "Expand math functions or call libm";
  let description = [{
    Expands exponentials, logarithms, powers, trigonometric and hyperbolic
    functions and their inverses on f32, scalars and vectors, to arithmetic. The
    error is at most a few units in the last place (`exp`, `log` and `pow`: one;
    `tan`: four), including subnormal results and arguments of any magnitude,
    and the bits are the same on every target. `exp`, `log`, `pow`, `sin`,
    `cos`, `sinh`, `cosh` and `tanh` on f64 are expanded likewise, with an error
    of less than two units. Other functions become calls of the C library,
    element by element, or are errors if `libm` is not set. Roots and roundings,
    for which there are instructions, stay.
  }];
  let options = [
    Option<"libm", "libm", "bool", /*default=*/"true",
           "allow calls of the C library">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::math::MathDialect", "mlir::vector::VectorDialect"
  ];
}

def QuantFloatLowerAllocaScopesPass
    : InterfacePass<"quant-float-lower-alloca-scopes", "mlir::FunctionOpInterface"> {
  let summary = "Lower memref.alloca_scope to stacksave and stackrestore";
  let description = [{
    Inlines a `memref.alloca_scope` between `llvm.intr.stacksave` and
    `llvm.intr.stackrestore`, as upstream's conversion to LLVM does. Upstream's
    conversion of loops to OpenMP creates these scopes, and its conversion of
    the loops within them to branches needs regions of several blocks, which the
    scope does not allow.

    Runs after `quant-float-merge-parallel-regions` and before
    `convert-scf-to-cf`.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def QuantFloatLowerLinalgToLoopsPass
    : InterfacePass<"quant-float-lower-linalg-to-loops", "mlir::FunctionOpInterface"> {
  let summary = "Lower linalg ops on memrefs to scalar loops";
  let description = [{
    Lowers each linalg op on memrefs to `scf.for` loops with upstream's
    `linalgOpToLoops`. Unlike `convert-linalg-to-loops`, it runs no greedy
    rewriter, whose region simplification is slow for functions of many blocks;
    a canonicalizer that follows composes the `affine.apply` ops.
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect"
  ];
}

def QuantFloatLowerReshapesPass
    : InterfacePass<"quant-float-lower-reshapes", "mlir::FunctionOpInterface"> {
  let summary = "Lower reshapes of contiguous memrefs to reinterpret casts";
  let description = [{
    Converts a `memref.expand_shape` of a contiguous memref, and a
    `memref.reshape` of an unranked memref to a ranked one, to a
    `memref.reinterpret_cast` with the sizes of the result. Upstream's lowerings
    support one dynamic size in each reassociation group, and no unranked
    memrefs; networks need more.
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::memref::MemRefDialect"
  ];
}

def QuantFloatIfPresentPass : Pass<"quant-float-if-present"> {
  let summary = "Run a pipeline if certain ops are present";
  let description = [{
    Runs `pipeline` on the current op if it contains an op of `ops`, a list of
    op names, or of dialect names that match any op of the dialect. This check
    is faster than most passes are on IR that has nothing for them to match.
  }];
  let options = [
    ListOption<"ops", "ops", "std::string", "names of ops or dialects">,
    Option<"pipelineText", "pipeline", "std::string", /*default=*/"\"\"",
           "pipeline to run, such as any(convert-linalg-to-loops)">
  ];
}

def QuantFloatLowerTransfersPass
    : InterfacePass<"quant-float-lower-transfers", "mlir::FunctionOpInterface"> {
  let summary = "Lower multi-dimensional vector transfers to loops";
  let description = [{
    Applies the patterns of upstream's `convert-vector-to-scf` to vector
    transfers only. The upstream pass visits every op twice and tries to fold
    it, which is slow on large functions.
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect", "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatExpandViewsPass
    : InterfacePass<"quant-float-expand-views", "mlir::FunctionOpInterface"> {
  let summary = "Expand memref views to offsets, sizes and strides";
  let description = [{
    Applies the patterns of upstream's `expand-strided-metadata` to `memref` ops
    and the ops that replace them only. The upstream pass tries to fold all
    other ops, too, which is slow on large functions.
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::memref::MemRefDialect"
  ];
}

def QuantFloatLowerStridedTransfersPass
    : InterfacePass<"quant-float-lower-strided-transfers", "mlir::FunctionOpInterface"> {
  let summary = "Lower strided vector transfers to scalar loads and stores";
  let description = [{
    Lowers a `vector.transfer_read` or `vector.transfer_write` along a non-unit
    stride, as in transpositions, to one scalar load or store per element.
    Upstream's lowering is a loop that keeps the vector in memory. A
    `vector.mask` around a transfer becomes its mask operand.
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::memref::MemRefDialect", "mlir::vector::VectorDialect"
  ];
}

def QuantFloatLowerVectorsPass
    : InterfacePass<"quant-float-lower-vectors", "mlir::FunctionOpInterface"> {
  let summary = "Lower vector ops to those that convert to LLVM directly";
  let description = [{
    Applies the patterns that upstream's `convert-vector-to-llvm` starts with:
    transfers become loads and stores, masks become comparisons, and slices,
    transpositions and multi-dimensional contractions become one-dimensional
    ops. `convert-to-llvm` converts the rest. Only vector ops are visited:
    upstream's pass also tries to fold all other ops, and takes most of the
    compile time of a module of small functions.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::memref::MemRefDialect",
    "mlir::vector::VectorDialect"
  ];
}

def QuantFloatStreamStoresPass
    : Pass<"quant-float-stream-stores", "mlir::ModuleOp"> {
  let summary = "Use non-temporal stores for large results";
  let description = [{
    Adds a second version to kernel loops that write consecutive vectors. It
    uses non-temporal stores, and prefetches inputs 8 KB ahead, also from the
    following rows. At run time it is chosen if the buffers that the loop reads
    and writes are together larger than the last-level cache, whose size the
    entry runtime provides; if the loop reads more bytes than it writes, half of
    that size is enough.

    Non-temporal stores need aligned addresses. If the result is not aligned to
    a cache line, the iterations are shifted to start at the next line, and
    whole vectors at both ends are computed first, by the original loop with
    other bounds and another step. Loops over blocks of scales are not shifted;
    they use the second version only if the results are aligned. A fence follows
    the stores.

    There is no second version of loops over buffers that are together smaller
    than 4 MiB as far as their sizes are static, and none in a function with
    more than 64 such loops.

    Runs after `quant-float-lower-strided-transfers`, on vector transfers in
    `scf.for` loops.
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::func::FuncDialect", "mlir::LLVM::LLVMDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::vector::VectorDialect"
  ];
}

def QuantFloatShareReductionsPass
    : Pass<"quant-float-share-reductions", "mlir::ModuleOp"> {
  let summary = "Outline equal reductions into shared functions";
  let description = [{
    Outlines linalg ops with reductions on memrefs into internal functions. Ops
    that only differ in their buffers, and in the offsets into them, call the
    same function, so that layers that a network repeats are compiled once. If a
    module has more than `few` such ops, ops that occur once are outlined as
    well, because LLVM's compile time grows faster than linearly with the size
    of a function.

    Functions that only differ in the extent of the reduction are merged into
    one with a dynamic extent if there are more than `lengths` of them;
    functions on packed operands are not, because matrix instructions need a
    static extent. The op that initializes the output is outlined together with
    the reduction if no other op uses the output in between. Ops in loops
    (except loops over large blocks) and ops on buffers of sub-byte elements
    stay.

    The CPU pipeline runs this pass after bufferization.
  }];
  let options = [
    Option<"few", "few", "unsigned", /*default=*/"8",
           "maximum number of reductions in a module up to which unique ones stay in "
           "place">,
    Option<"lengths", "lengths", "unsigned", /*default=*/"4",
           "maximum number of functions that only differ in the reduction extent before "
           "they are merged; 0 means no limit">
  ];
  let dependentDialects = [
    "mlir::LLVM::LLVMDialect", "mlir::func::FuncDialect",
    "mlir::memref::MemRefDialect"
  ];
}

def QuantFloatOutlineKernelsPass
    : Pass<"quant-float-outline-kernels", "mlir::ModuleOp"> {
  let summary = "Outline the kernels of large functions and deduplicate them";
  let description = [{
    If an entry point has more than `few` linalg ops and loops on memrefs,
    outlines each into an internal function; equal ones share a function. This
    limits compile time: several of LLVM's passes are quadratic in the size of a
    function. Runs after `quant-float-share-reductions`, which outlines
    reductions. Ops on buffers of packed elements stay in place.

    ```
    scf.for %i = %c0 to %n step %c1 { ... memref.store %1, %y[%i] ... }
    // becomes
    call @shared.kernel(%n, %x, %y)
    ```
  }];
  let options = [
    Option<"few", "few", "unsigned", /*default=*/"64",
           "maximum number of kernels of a function that stay in place">,
    Option<"least", "least", "unsigned", /*default=*/"1",
           "minimum number of equal kernels to outline">
  ];
  let dependentDialects = [
    "mlir::LLVM::LLVMDialect", "mlir::func::FuncDialect",
    "mlir::memref::MemRefDialect"
  ];
}

def QuantFloatShareCastsPass : Pass<"quant-float-share-casts", "mlir::ModuleOp"> {
  let summary = "Outline equal casts into shared functions";
  let description = [{
    Replaces equal `quant_float.cast` ops from or to a narrow float by calls of
    one function, which LLVM inlines. Such a cast is expanded to about seventy
    ops, and a loop contains up to three copies: in its body, in the version
    with non-temporal stores and in the remainder. The pass only matches casts
    of a loaded value whose result is only stored; other casts are expanded
    together with the ops around them.

    ```
    %1 = quant_float.cast %0 opset 28 : vector<64xf32> to vector<64xf8E4M3FN>
    // becomes
    %1 = call @cast.f32.f8E4M3FN(%0) : (vector<64xf32>) -> vector<64xf8E4M3FN>
    ```

    Runs before `convert-quant-float-to-arith`, except on targets whose float8
    conversion instructions depend on a mode register: the mode is set before
    the loop.
  }];
  let dependentDialects = ["mlir::func::FuncDialect", "mlir::LLVM::LLVMDialect"];
}

def QuantFloatMergeParallelRegionsPass
    : InterfacePass<"quant-float-merge-parallel-regions", "mlir::FunctionOpInterface"> {
  let summary = "Fuse consecutive omp.parallel regions";
  let description = [{
    Fuses consecutive `omp.parallel` regions into one: waking threads takes as
    long as converting some ten thousand elements. Ops in between are moved
    before the region if they only read what the regions do not write. If no
    later worksharing loop depends on a loop, it ends without a barrier
    (`nowait`). Allocations, constants and kernel arguments are known not to
    alias.

    Runs after `convert-scf-to-openmp`.
  }];
}

def QuantFloatMapScalarsToGpuPass
    : InterfacePass<"quant-float-map-scalars-to-gpu", "mlir::FunctionOpInterface"> {
  let summary = "Outline scalar code to single-thread GPU kernels";
  let description = [{
    Converts consecutive loads and stores, and loops and branches that contain
    nothing else, to a `gpu.launch` of one thread, together with the arithmetic
    between them and the ops that depend on the loaded values. The kernel
    preserves program order; it is correct but not fast. Linalg ops, and loops
    around them, stay.

    Values that the host needs, such as a condition, a trip count or the size of
    a buffer, are copied to a host buffer after the launch. If the device has
    failed, an entry point returns at this point; other functions continue with
    zeros.

    Runs on memrefs, before `quant-float-guard-kernels`.
  }];
  let options = [
    Option<"module", "module", "std::string", /*default=*/"\"quant_float_kernels\"",
           "symbol of the gpu.module for the kernels">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::cf::ControlFlowDialect",
    "mlir::gpu::GPUDialect", "mlir::memref::MemRefDialect"
  ];
}

def QuantFloatAlignSharedPass
    : Pass<"quant-float-align-shared", "mlir::gpu::GPUFuncOp"> {
  let summary = "Align workgroup memory to 32 bytes";
  let description = [{
    Sets an alignment of 32 bytes, the width of the widest vector access, on the
    workgroup attributions of a `gpu.func`. `gpu.launch` has no attributes for
    its attributions, so this pass runs after `gpu-kernel-outlining`.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def QuantFloatMapToGpuPass
    : InterfacePass<"quant-float-map-to-gpu", "mlir::FunctionOpInterface"> {
  let summary = "Map linalg ops on memrefs to GPU kernels";
  let description = [{
    Converts every linalg op on memrefs to a `gpu.launch` with a one-dimensional
    grid of the size of the problem. All buffers and their contents are in
    device memory.

    - Elementwise `linalg.generic`: contiguous dimensions are collapsed. A
      thread processes as many adjacent elements as 16 bytes of the narrowest
      operand hold, and stores at most 16 bytes, because several stores would
      leave gaps between the stores of adjacent threads. The accesses are
      vectors if the elements are in one row along the output's last dimension
      and in one block of a scale (`d floordiv B`), and if all addresses are
      aligned to the access size; otherwise they are scalars. Scales that do not
      change along the row are loaded once. For packed results, a thread
      processes at least as many elements as end on a byte boundary; packed
      results must be written in row-major order.
    - Matmul, `out[b, m, n] += left(b, m, k) * right(b, k, n)`, of floats or
      integers, either operand of which may be dequantized: a thread block
      computes a tile of up to 128 x 128 elements, and loads 16 elements of K at
      a time, dequantized, of all rows and columns of the tile to its workgroup
      memory. The tile size is a row of
      [ProductTiles.def](../../../lib/Transforms/ProductTiles.def); if it
      depends on dynamic sizes, there are two kernels, one of which the host
      launches. Products are accumulated in the order of K, so that the bits are
      those of the op's loops. If `chip` has an instruction of
      [MatrixInstructions.def](../../../lib/Transforms/MatrixInstructions.def)
      for the operand types, warps use it instead: for integers of at most 8
      bits, whose accumulation is exact in any order, and, with `fast-sums`, for
      floats. Quantized values that are contiguous along K are copied
      asynchronously by `nvgpu.device_async_copy` if the chip supports it. Each
      of `b`, `m`, `n` and `k` stands for any number of loops, including those
      of a convolution.
    - Contraction with `quant_float.sum_order` (`quant-float-fuse-weights`):
      threads take the role of vector lanes, and each reads its quantized values
      once.
    - All other ops: one thread computes one element of the result and
      accumulates reductions in registers, in the order of the op's loops. These
      kernels are correct but not fast.
    - Initialization of a buffer right before a reduction into it: no kernel;
      the accumulators start from the value.

    Allocations become device allocations, and `gpu-kernel-outlining` moves
    constants into the kernel module. Any other access to device memory is an
    error: `quant-float-map-scalars-to-gpu` runs before and converts scalar
    accesses. `module` is the symbol of the `gpu.module`; kernels are named
    after their function.
  }];
  let options = [
    Option<"module", "module", "std::string", /*default=*/"\"quant_float_kernels\"",
           "symbol of the gpu.module for the kernels">,
    Option<"chip", "chip", "std::string", /*default=*/"",
           "NVIDIA chip whose matrix instructions may be used">,
    Option<"ptx", "ptx", "std::string", /*default=*/"",
           "PTX version; empty means the lowest that supports all of the chip's "
           "instructions">,
    Option<"fastSums", "fast-sums", "bool", /*default=*/"false",
           "allow reassociation of floating-point reductions">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::gpu::GPUDialect", "mlir::linalg::LinalgDialect",
    "mlir::LLVM::LLVMDialect", "mlir::memref::MemRefDialect",
    "mlir::nvgpu::NVGPUDialect", "mlir::NVVM::NVVMDialect",
    "mlir::scf::SCFDialect",
    "mlir::vector::VectorDialect"
  ];
}

def QuantFloatOutlineIslandsPass
    : Pass<"quant-float-outline-islands", "mlir::ModuleOp"> {
  let summary = "Outline the subgraphs around quantization ops that can be compiled";
  let description = [{
    Partitions models that have nodes without a lowering. Runs after
    `convert-onnx-nodes-to-linalg` with `allow-unsupported`. Outlines every
    maximal connected subgraph of supported ops that contains a quantization op
    (`quantize`, `dequantize`, `qdq`, `fakeconvert`, `cast`) to a public
    function `@<graph>_island_<n>`, and drops the original function.

    Subgraphs are convex: no path leaves a subgraph and returns to it through
    another op. Tensors that cross a boundary are ranked. Arguments and results
    that the model names keep their names; others are named after the node that
    computes them. Constants are duplicated into the subgraphs that use them.
  }];
}

#endif // QUANT_FLOAT_TRANSFORMS_PASSES_TD
