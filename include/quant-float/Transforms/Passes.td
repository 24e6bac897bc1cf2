//===- Passes.td - Passes on quant_float -------------------*- tablegen -*-===//
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
  let summary = "replace every qdq by a quantize and a dequantize";
  let description = [{
    By its definition (D6), bit for bit. `quant-float-fuse-qdq` is the inverse.

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
  let summary = "replace pairs of a quantize and a dequantize by a qdq";
  let description = [{
    A pair becomes one op when both have the same opset, scale, zero point and
    granularity, the result has the input's type, and nothing else uses the
    quantized value. Parameters are the same if they are one value or equal
    constants. `quant-float-decompose-qdq` is the inverse.
  }];
}

def QuantFloatEliminateQdqPass : Pass<"quant-float-eliminate-qdq"> {
  let summary = "leave out floats between dequantize and quantize where exact";
  let description = [{
    What a `quantize` makes of dequantized codes depends on the codes alone. All of
    them, up to 16 bits, are tried by the Reference, with constant parameters:

    - If every code comes back, of the same type, the codes take the place of the
      `quantize`. The parameters are per tensor, or lie along the same axis or in
      the same blocks.
    - Other codes, per tensor, become what `requantize` says: a `Clip` where that
      is all; else, `table`, a `Gather` from a table of all codes of up to 8
      bits, or, `multiply-shift` and codes of 16 bits, a multiplication, an
      addition and a division by a power of two in integers, which give the
      same for each code.
    - Between the two, per tensor, may be the ONNX nodes `Identity`, `Reshape`,
      `Flatten`, `Squeeze`, `Unsqueeze`, `Transpose`, `Slice`, `Gather`, `Tile`,
      `Expand`, `DepthToSpace`, `SpaceToDepth`, `Concat` and `Pad`, which then
      move codes; `MaxPool`, where greater values have greater codes; and `Relu`,
      `Clip` with constant bounds, and casts, which become part of what happens to
      the codes. Nobody else may use what they make.

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

    Every other `quantize` of dequantized codes is left, with `remarks` with one that says
    why, and which code shows it: `code 0x80 (-128) becomes 0x81 (-127)`.
    The sign of a NaN is open (D8); with `any-nan` a code of a NaN may come back as
    one of any other.
  }];
  let options = [
    Option<"requantize", "requantize", "::mlir::quant_float::RequantizationForm",
           /*default=*/"::mlir::quant_float::RequantizationForm::Table",
           "how codes become others", [{::llvm::cl::values(
             clEnumValN(::mlir::quant_float::RequantizationForm::None, "none",
                        "not: only where every code stays"),
             clEnumValN(::mlir::quant_float::RequantizationForm::Table, "table",
                        "a table of up to 256 codes"),
             clEnumValN(::mlir::quant_float::RequantizationForm::MultiplyShift,
                        "multiply-shift", "integer arithmetic"))}]>,
    Option<"anyNan", "any-nan", "bool", /*default=*/"false",
           "all codes of NaN are the same">,
    Option<"codeBits", "code-bits", "unsigned", /*default=*/"16",
           "codes of so many bits are tried">,
    Option<"remarks", "remarks", "bool", /*default=*/"true",
           "say why a quantize stays">
  ];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::tensor::TensorDialect"];
}

def QuantFloatCollapseCastsPass : Pass<"quant-float-collapse-casts"> {
  let summary = "make one cast of two where exact";
  let description = [{
    A `cast` of what another `cast` makes becomes one, or none, where that gives the
    same bits for every input, by the rules of their opsets: of types of up to 16
    bits all codes are tried by the Reference; of wider ones it holds where the
    type between has every value of the first one (NaN canonical behind both), or
    where integers lose high bits only.

    ```mlir
    %0 = quant_float.cast %x opset 21 : tensor<4xf8E5M2> to tensor<4xf16>
    %1 = quant_float.cast %0 opset 21 : tensor<4xf16> to tensor<4xf32>
    // becomes
    %1 = quant_float.cast %x opset 21 : tensor<4xf8E5M2> to tensor<4xf32>
    ```

    Every other chain is left with a remark that has an input and both results:
    two roundings are not one, and a cast back does not bring back payloads of NaN.
    Casts of OpenVINO's and by random bits are not looked at.
  }];
}

def QuantFloatReencodeFnuzPass : Pass<"quant-float-reencode-fnuz"> {
  let summary = "give float8 weights the other encoding and twice or half the scale";
  let description = [{
    A number of f8E4M3FNUZ and f8E5M2FNUZ is half of what f8E4M3FN and f8E5M2 have
    at the same code. A `dequantize` of constant codes of the former becomes one of
    the latter with half of its constant scales, per tensor, per axis or blocked;
    with `to-fnuz` the other way around, with twice the scales. Products are the same
    numbers, so every result has the same bits, where

    - each code has an equal: not FNUZ's largest binade, at f8E4M3FN's NaN and
      f8E5M2's infinities and NaN; nor, to FNUZ, infinities and a negative zero,
      which `any-zero` lets be a positive one;
    - each scale has a half or a double in its type.

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

    Every other dequantize is left with a remark that counts the codes that have no
    equal, and names them; codes that are computed saturate elsewhere.
  }];
  let options = [
    Option<"toFnuz", "to-fnuz", "bool", /*default=*/"false",
           "to FNUZ instead of from it">,
    Option<"anyZero", "any-zero", "bool", /*default=*/"false",
           "negative zeros may become positive ones">
  ];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def QuantFloatWidenStoragePass : Pass<"quant-float-widen-storage"> {
  let summary = "give weights types of 8 bits that more runtimes have";
  let description = [{
    A `dequantize` of constant codes has them, and its constant zero point, in a type
    that has all of their numbers, so every result has the same bits:

    - integers of 4 and 2 bits become ones of 8 bits with the same sign;
    - f4E2M1FN becomes f8E4M3FN;
    - with `signed` unsigned ones become i8, those of 8 bits as code - 128 with a
      zero point that is less by 128, too: one of 128 is 0 then.

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

    Every other dequantize of such a type is left with a remark that says why: codes
    that a quantize makes are cut at another end, which an input shows.
  }];
  let options = [
    Option<"isSigned", "signed", "bool", /*default=*/"false",
           "unsigned integers become i8">
  ];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def QuantFloatRecoverDequantizePass : Pass<"quant-float-recover-dequantize"> {
  let summary = "make one dequantize of the steps that OpenVINO has for it";
  let description = [{
    OpenVINO says weights of few bits by a Convert of the codes, a Subtract of zero
    points and a Multiply, in f16 mostly, a Reshape that puts groups behind one
    another, and a Convert to f32. These become one `dequantize`, with the scales of a
    tensor, an axis or blocks:

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

    Every code, and every difference of two, has to be a number of the type that they
    become. Where a Convert to f32 follows, the product is one of f32, as
    OpenVINO's CPU plugin computes it, and not rounded to f16 before.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect",
                           "mlir::quant_float::QuantFloatDialect"];
}

def QuantFloatExtractWeightsPass
    : Pass<"quant-float-extract-weights", "mlir::ModuleOp"> {
  let summary = "keep the weights of a model alone";
  let description = [{
    The module gets one function, `weights`, which returns what files of weights can
    hold: each `dequantize` of constants that the model computes with, with what makes
    its scales, and each constant of floats of rank 1 or more. Names are those of the
    constants that hold the elements; one of codes ends with `.weight`, behind which
    what tools add is left out.

    Weights of files have outputs as rows: of a constant of two dimensions that is the
    second factor of MatMul, or of Gemm without `transB`, and of nothing else, codes
    and scales are transposed.

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
  let summary = "say products with weights in blocks by com.microsoft's MatMulNBits";
  let description = [{
    A MatMul or Gemm of a `dequantize` of constant codes of 2, 4 or 8 bits in blocks
    along the sums, with or without a Transpose between, becomes MatMulNBits, which
    ONNX Runtime has faster kernels for. The weights are the same numbers: signed
    codes and their zero points are larger by half of the range. It is what
    `quant-float-unpack-weights` undoes.

    Blocks must have a power of two of elements from 16 on, and scales and results
    must be f32: a `dequantize` to f16 rounds its result, MatMulNBits does not. A
    product of weights in blocks that has to stay is left with a remark that says why.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def QuantFloatUnpackWeightsPass
    : Pass<"quant-float-unpack-weights", "mlir::ModuleOp"> {
  let summary = "say products with packed weights by ONNX's own operators";
  let description = [{
    com.microsoft's MatMulNBits of constant codes and scales becomes
    DequantizeLinear, Transpose and MatMul, and Add where there is a bias: the codes
    are those that were in the bytes, of ui8, ui4 or ui2, and where the node has no
    zero points they are the middle, which is what that means. The weights are the
    same numbers (D5); the sums are those of MatMul (R7).

    Other types than f32 are cast to it and back, because MatMulNBits dequantizes to
    f32. A node that has to stay is left with a remark that says why.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def QuantFloatMergeScalesPass : Pass<"quant-float-merge-scales"> {
  let summary = "make one scale of those that are alike";
  let description = [{
    A quantization op whose constant scales and zero points are the same in all blocks
    along its axis has them along another axis, and one whose scales are all the same
    has one for the tensor: every element keeps its own, so every result has the same
    bits.

    ```mlir
    %s = arith.constant dense<[[0.5, 0.5], [0.25, 0.25]]> : tensor<2x2xf32>
    %y = quant_float.dequantize %w, %s axis 1 block_size 16 opset 21
           : tensor<2x32xi4>, tensor<2x2xf32> to tensor<2x32xf32>
    // becomes
    %s = arith.constant dense<[0.5, 0.25]> : tensor<2xf32>
    %y = quant_float.dequantize %w, %s axis 0 opset 21
           : tensor<2x32xi4>, tensor<2xf32> to tensor<2x32xf32>
    ```

    Every other op with several scales is left with a remark that names two that
    differ, and a code that they make different numbers of.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def QuantFloatFoldScalesPass : Pass<"quant-float-fold-scales"> {
  let summary = "make one scale of two levels";
  let description = [{
    Scales of few bits have a scale of their own. Where it comes first, as NVFP4 has
    it, the scales are dequantized once for all: a quantization op whose scale `Mul`,
    `cast` and `dequantize` compute of constants gets the constant.

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

    Where it comes last, a `Mul` with a constant behind a dequantize, two products are
    rounded instead of one, or in another order. The factor becomes part of the scale
    where every code gives the same number with every scale: of constants the codes
    that there are. Every other such Mul is left with a remark that names a code, and
    both of its numbers.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def QuantFloatConvertQdqToFakeConvertPass
    : Pass<"quant-float-convert-qdq-to-fakeconvert"> {
  let summary = "replace float8 qdq ops and pairs by fakeconvert where exact";
  let description = [{
    A `qdq`, or the `quantize` and `dequantize` that `quant-float-fuse-qdq` would
    make one of, becomes a `fakeconvert` of mode exact whose scale is the
    reciprocal, where that gives the same bits for every input:

    - the storage type is f8E4M3FN or f8E5M2, and overflow saturates;
    - the scale is a constant, per tensor or per axis, of powers of two whose
      reciprocals are normal numbers of the input's type;
    - the quotient's own rounding changes nothing (D2): the division is in a
      type that holds every input, and not in f16 to f8E5M2 with a scale above
      1, where two roundings meet.

    A zero point has no effect on float8 and goes. Every other float8 qdq is left
    with a remark that says why.

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
  let summary = "replace fakeconvert ops by float8 qdq where exact";
  let description = [{
    A `fakeconvert` becomes a `qdq` of opset 23 whose scale is the reciprocal,
    where that gives the same bits for every input: its mode is exact, it has no
    shift, and its scale is a constant of powers of two along one axis at most
    whose reciprocals are normal numbers of the input's type. Where the input is
    of f16 the division is in f32, or else the quotient would be rounded twice.
    Every other fakeconvert is left with a remark that says why.

    `quant-float-convert-qdq-to-fakeconvert` is the inverse.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def QuantFloatDecomposeFakeConvertPass
    : Pass<"quant-float-decompose-fakeconvert"> {
  let summary = "replace every fakeconvert by arith ops and casts";
  let description = [{
    The arithmetic of its mode, bit for bit. On scalars and vectors the ops take
    its place, vectors of scales and shifts being broadcast; on ranked tensors
    they are the body of one `linalg.generic`, whose maps broadcast. Unranked
    tensors are left alone.

    ```mlir
    %y = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : f32, f32 to f32
    // becomes
    %0 = arith.mulf %x, %s : f32
    %1 = quant_float.cast %0 opset 28 : f32 to f8E4M3FN
    %2 = quant_float.cast %1 opset 28 : f8E4M3FN to f32
    %y = arith.divf %2, %s : f32
    ```

    A size of scale or shift that is not known is taken to be the input's, as
    `convert-onnx-nodes-to-linalg` takes it; entry points check that it is.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::tensor::TensorDialect", "mlir::vector::VectorDialect",
    "mlir::quant_float::QuantFloatDialect"
  ];
}

def QuantFloatRequireLoweredPass : Pass<"quant-float-require-lowered"> {
  let summary = "fail if anything is left that a lowering should have removed";
  let description = [{
    An op of the `quant_float` dialect, or an `arith.extf`, `arith.truncf` or
    other cast from or to a narrow float, that survives the lowerings would be
    passed on in silence by upstream's conversions. This pass names each, with
    its types, the target and what is missing, and fails.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"cpu\"",
           "name of the target in the error">
  ];
}

def QuantFloatTileAndVectorizePass
    : InterfacePass<"quant-float-tile-and-vectorize", "mlir::FunctionOpInterface"> {
  let summary = "tile elementwise linalg ops on buffers and vectorize them";
  let description = [{
    Takes `linalg.generic` on buffers, all of whose loops are parallel:

    - inputs that are one element for all are loaded before;
    - contiguous dimensions are collapsed into one;
    - of several that are left, loops of one element each go around that along
      the output's last dimension; inputs that do not change along it, or in
      blocks (`d floordiv B`), are scalars loaded in front of it or of a block,
      so that nothing gathers; small blocks are several in a round of the loop;
      so are rows that the body finds by an index, which become views of their
      elements;
    - with `parallel`, an `scf.forall` over large chunks comes first, or one over
      the outermost loop, as many rows at a time as end with a byte where results
      are packed; neighbouring ops are counted together, and distributed where
      several threads are faster;
    - an `scf.for` over tiles of `tile-size` elements, peeled, so that the main
      loop's tiles are full; upstream's vectorizer turns a tile into vectors;
    - what is left at the end is vectorized with masks if `masked-tail`; where it
      is known that nothing is read that is written, it is the end of one more
      full tile, elements of which are computed twice; a scalar loop otherwise.

    The loops around are this pass's own, tiling, peeling and vectorization
    upstream's.
  }];
  let options = [
    Option<"tileSize", "tile-size", "int64_t", /*default=*/"64",
           "elements that the main loop takes at a time">,
    Option<"maskedTail", "masked-tail", "bool", /*default=*/"false",
           "vectorize the rest with masks">,
    Option<"parallel", "parallel", "bool", /*default=*/"false",
           "distribute large chunks over threads">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::vector::VectorDialect"
  ];
}

def QuantFloatFuseElementwisePass
    : InterfacePass<"quant-float-fuse-elementwise", "mlir::FunctionOpInterface"> {
  let summary = "fuse elementwise linalg ops on tensors";
  let description = [{
    Gives named linalg ops their generic form and fuses elementwise ones into
    the consumer, elementwise or a reduction, that reads each of their elements
    once. A producer that a larger loop nest reads, a contraction's or a
    broadcast's, is not computed again there, unless with `products` it only
    permutes elements or makes wider ones of narrower ones, and the larger nest is
    a product of matrices or a convolution: kernels for GPUs decode an element
    once for each of their tiles. Nothing is fused into an op with
    `quant_float.sum_order`. `tensor.concat` becomes insertions.

    Where a body extracts elements of an elementwise op, as gathers do, it computes
    them itself if they are fewer: an embedding decodes the rows that it reads, and
    its table has no f32 copy. Casts, reshapes and slices may be in between. A slice
    of decoded constants decodes its part.

    ```
    %t = linalg.generic /* dequantize */ ins(%codes : tensor<30522x384xi8>) ...
    %y = linalg.generic ins(%indices : tensor<24xi64>) ... {
      %e = tensor.extract %t[%index, %j]
    // becomes
    %y = linalg.generic ins(%indices : tensor<24xi64>) ... {
      %code = tensor.extract %codes[%index, %j]
      %e = quant_float.dequantize %code, ...
    ```
  }];
  let options = [
    Option<"products", "products", "bool", /*default=*/"false",
           "decode and permute inside of products of matrices and convolutions">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::linalg::LinalgDialect",
    "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatFuseWeightsPass
    : InterfacePass<"quant-float-fuse-weights", "mlir::FunctionOpInterface"> {
  let summary = "decode weights inside of products with few rows";
  let description = [{
    A product of at most four vectors with a matrix of weights, which an op
    decodes from codes of 8, 4 or 2 bits, becomes one `linalg.generic` that
    decodes each weight where it is used. Weights may have one scale and zero
    point, some for each channel, or for blocks of 16 and more of a channel.

    The attribute `quant_float.sum_order` says which additions make an element
    (R7): sums of `lanes` lanes run side by side through chunks of
    `lanes * terms` elements; a lane adds `terms` of a chunk, neighbours if
    `consecutive`, else every `lanes`-th one.

    ```
    %w = linalg.generic /* dequantize */ ins(%codes : tensor<512x512xi8>) ...
    %y = linalg.generic /* matmul */ ins(%x, %w) outs(%z) ...
    // becomes
    %y = linalg.generic ins(%x, %codes, ...) outs(%z)
           attrs = {quant_float.sum_order = {consecutive = false,
                                             lanes = 16, terms = 8}} ...
    ```

    With `x-bits` vectors become integers of so many bits, in blocks, where
    weights stand for integers and summed elements are next to each other (R8):
    the attribute then has `x_bits`.
  }];
  let options = [
    Option<"xBits", "x-bits", "unsigned", /*default=*/"0",
           "0: vectors stay as they are; 8, 16: they become integers">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::linalg::LinalgDialect",
    "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatLowerProductsPass
    : InterfacePass<"quant-float-lower-products", "mlir::FunctionOpInterface"> {
  let summary = "turn products whose sums have a stated order into loops of vectors";
  let description = [{
    Takes `linalg.generic` on buffers with `quant_float.sum_order`. Weights are
    read once, a register of codes at a time, which become factors in f32 in
    place: x is rearranged, and scaled by powers of two, once before. Where
    summed elements are next to each other several channels share what is loaded
    of x; where channels are, vectors of them are added to, block by block.

    With `x_bits` in the attribute x becomes integers, 16 or 32 of which share a
    scale, and products are added up by instructions for dot products.

    Every element has the same bits whatever the target and the number of
    threads: products and sums are rounded one by one. Registers, rows at once
    and the instructions that look codes up or multiply integers depend on the
    target.
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", /*default=*/"\"\"",
           "target CPU; empty means registers of 16 bytes">,
    Option<"triple", "triple", "std::string", /*default=*/"\"\"",
           "target triple; empty means that of this machine">,
    Option<"features", "features", "std::string", /*default=*/"\"\"",
           "LLVM features such as +avx2,-fma; empty means those of the CPU">,
    Option<"threads", "threads", "unsigned", /*default=*/"1",
           "1: no threads; else large products are shared among them">
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
  let summary = "let constants of weights lie in the order in which they are summed";
  let description = [{
    Takes a `quant_float.dequantize` of constants whose only use is as matrix of
    a node "MatMul" or "Gemm" that multiplies at most four vectors, and sums
    across its rows. Its codes, scales and zero points are turned around, and a
    node "Transpose" behind it says so: decoded inside of the product, rows of
    codes are read once and in order. The order of sums becomes that of rows
    (R7). Packed codes stay packed.

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
  let summary = "let products read matrices the way they lie";
  let description = [{
    Takes `linalg.generic` on tensors whose innermost loop is a sum, and an
    operand of it that an elementwise op, for this use alone, has transposed so
    that the sum went across its rows. The elementwise op keeps the order of its
    input instead, and is nothing if it was a transposition only; the indexing
    map of the operand says how the matrix lies. Such is the product of queries
    and keys in attention: keys are transposed and scaled. The bits stay: every
    element is computed, and summed, as before.

    ```
    %t = linalg.generic {indexing_maps = [(d0, d1) -> (d1, d0), (d0, d1) -> (d0, d1)]} ins(%keys : tensor<?x64xf32>)
    %y = linalg.generic /* (m, n, k), (k, n) */ ins(%x, %t : tensor<1x64xf32>, tensor<64x?xf32>)
    // becomes
    %s = linalg.generic {indexing_maps = [(d0, d1) -> (d0, d1), (d0, d1) -> (d0, d1)]} ins(%keys : tensor<?x64xf32>)
    %y = linalg.generic /* (m, n, k), (n, k) */ ins(%x, %s : tensor<1x64xf32>, tensor<?x64xf32>)
    ```
  }];
  let dependentDialects = ["mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect"];
}

def QuantFloatContractSumsPass
    : InterfacePass<"quant-float-contract-sums", "mlir::FunctionOpInterface"> {
  let summary = "let sums take fused multiply-adds";
  let description = [{
    Allows that a product is rounded together with the sum it is added to: both
    get the flag `contract`, of which compilers make one instruction where the
    target has it. That is for sums, in `linalg` ops with reductions and in the
    loops that such have become; the bodies of other ops keep their roundings.
    Results then depend on the target. The stated order of sums (R7) stays.
  }];
}

def QuantFloatFlattenWindowsPass
    : InterfacePass<"quant-float-flatten-windows", "mlir::FunctionOpInterface"> {
  let summary = "let the windows of convolutions and pools slide along one dimension";
  let description = [{
    Takes `linalg.generic` on tensors with reductions that moves windows along
    the last two dimensions of one operand, the image, and starts from a
    constant. Both dimensions become one: rows follow each other, the window
    moves by one element from place to place, also across the end of a row, and
    what it finds there is dropped. An image with strides is copied first, by
    phases: its even rows and columns, its odd ones and so on. Vectors then run
    across rows, however short these are, over elements that lie next to each
    other. Each element of the result is summed as before. Of an image whose
    sizes are not known, the phases are split and nothing becomes flat.

    ```
    %y = linalg.generic /* (n, c, 2 * h + r, 2 * w + s) */ ins(%x, %weights : tensor<1x3x16x16xf32>, ...)
    // becomes
    %phases = linalg.generic /* (n, c, 2 * h + p, 2 * w + q) */ ins(%x) -> tensor<1x3x2x2x8x8xf32>
    %flat = tensor.collapse_shape %phases : ... into tensor<1x3x2x2x64xf32>
    %places = linalg.generic /* (n, c, r mod 2, s mod 2, p + r floordiv 2 * 8 + s floordiv 2) */ ins(%flat, %weights)
    %rows = tensor.expand_shape %places ...
    %y = tensor.extract_slice %rows ...
    ```

    To become one, both dimensions have to be static; rows are left as they are
    where windows hang over by half of a row.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatFuseAttentionPass
    : InterfacePass<"quant-float-fuse-attention", "mlir::FunctionOpInterface"> {
  let summary = "compute attention by rows, without a matrix of all scores";
  let description = [{
    Takes a `linalg.generic` on tensors that multiplies scores and values, where
    the scores come, through ops that nothing else reads (scale, mask, softmax),
    from a product of queries and keys. The op is tiled along the queries and
    along what queries and values share (batches, heads), and all that is
    between the two products goes into the loops: only the scores of one tile of
    rows exist, for all keys. No sum changes its order, and so no result
    changes. What the loops share, such as keys that are scaled once, stays
    before them. Scores that are few stay as they are, and so do matmuls in a row
    whose matrices are larger than a cache and than the scores, as those of
    feed-forward blocks: each tile of rows would read all weights again.

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
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::scf::SCFDialect", "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatWidenFactorsPass
    : InterfacePass<"quant-float-widen-factors", "mlir::FunctionOpInterface"> {
  let summary = "make f32 of the factors of products once";
  let description = [{
    Where a `linalg.generic` with reductions casts an element of a float of 8 or 16 bits to
    f32, multiplies that, and does nothing else with it, and reads each element many times,
    as products of matrices and convolutions do, an op of its own does the casts.
    `quant-float-tile-contractions` brings those of weights back, panel by panel.
  }];
  let dependentDialects = [
    "mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatTileContractionsPass
    : InterfacePass<"quant-float-tile-contractions", "mlir::FunctionOpInterface"> {
  let summary = "decode the weights of contractions panel by panel";
  let description = [{
    Takes `linalg.generic` on tensors with reductions, such as a matrix product
    or a convolution, of which one operand is a weight: the only use of an
    elementwise op on constants or arguments, such as a dequantize, along output
    channels that no other operand has. Caches of keys and values are weights,
    too: codes of 8 bits and less may have open sizes, and parts that the
    function has put beside them. Of two such operands codes, or else the larger
    one, are the weights.

    The op is tiled along these channels and one reduction, and one by one along
    what both operands of a product share (batches, heads); the decoding goes
    into the loops, so that the decoded weights never exist as a whole. A panel
    has the channels innermost where the output has; weights that nothing decodes
    are copied to such panels if they have not and there are many rows.

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
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::scf::SCFDialect", "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatSeparateInitsPass
    : InterfacePass<"quant-float-separate-inits", "mlir::FunctionOpInterface"> {
  let summary = "give every op that overwrites a tensor one of its own";
  let description = [{
    Two sums that start from one tensor of zeros need two buffers. Where both
    are results, `eliminate-empty-tensors` makes those zeros in the memory of
    one of them, and bufferization does not know then that storing this result
    overwrites what the other one has become there. So of several ops that write
    to a tensor, or an op that writes to one that is a result itself, each gets
    its own: what fills it once more, or a copy.

    With `empty`, so does each that writes to a `tensor.empty` of known sizes. A
    buffer for all of these would be there from the first of them to the last.
  }];
  let options = [
    Option<"empty", "empty", "bool", /*default=*/"false",
           "separate empty tensors, too">
  ];
  let dependentDialects = ["mlir::bufferization::BufferizationDialect"];
}

def QuantFloatPadInPlacePass
    : InterfacePass<"quant-float-pad-in-place", "mlir::FunctionOpInterface"> {
  let summary = "compute elements where their pads are";
  let description = [{
    A `tensor.pad` of static shape with a constant, of what an elementwise
    `linalg.generic` computes for it alone, becomes a fill: the op writes
    between the pads, and nothing is copied. This belongs in front of
    bufferization, which copies what is padded. Packed elements, below a byte
    each, are copied as before.
  }];
  let dependentDialects = ["mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect"];
}

def QuantFloatPadCodesPass
    : InterfacePass<"quant-float-pad-codes", "mlir::FunctionOpInterface"> {
  let summary = "put pads around codes of float8, rather than around their values";
  let description = [{
    A `tensor.pad` with zeros of what a `linalg.generic` decodes from f8E4M3FN or
    f8E5M2 and multiplies by scales becomes one of the codes, and what decodes
    comes behind it, where a convolution takes it in: instructions for matrices
    multiply the codes then. Zero times an infinite or NaN scale is no zero, and
    zeros may change their signs, so that this is for sums that may be rounded in
    any order.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatPackDotsPass
    : InterfacePass<"quant-float-pack-dots", "mlir::FunctionOpInterface"> {
  let summary = "pack the bytes of integer products for dot product instructions";
  let description = [{
    Takes `linalg.generic` on tensors that adds products of bytes, each less a
    zero point, in i32: products of matrices and convolutions. Where the target
    has instructions that add up the products of four bytes or two numbers of 16
    bits in a lane, numbers that are summed side by side go into words of 32 bits,
    of both factors, and the op into one of words, with the attribute
    `quant_float.dots`: the types of the numbers in words of each factor. The
    loops and the sums stay what they are.

    Bytes are taken where an instruction adds them exactly (VNNI, dot products
    of Arm), which may change what has a sign by adding 128; these and zero
    points are made up for by what the sums start with. Else the words have two
    differences of 16 bits (AVX-512, AVX2, SSE2). Constants are packed by the
    compiler, but for large products, which pack panels that fit a cache.

    ```
    linalg.generic ins(%a, %b : tensor<64x256xi8>, tensor<256x64xi8>)
        outs(%c : tensor<64x64xi32>)
    // becomes
    %aw = linalg.generic ins(%a, %a, %a, %a) outs(... : tensor<64x64xi32>)
    %bw = linalg.generic ins(%b, %b, %b, %b) outs(... : tensor<64x64xi32>)
    linalg.generic ins(%aw, %bw) outs(%c) attrs = {quant_float.dots = [ui8, si8]}
    ```

    Sums of i32 wrap, so that every way to add them has the same bits.
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", /*default=*/"\"\"",
           "target CPU; empty means one without such instructions">,
    Option<"triple", "triple", "std::string", /*default=*/"\"\"",
           "target triple; empty means that of this machine">,
    Option<"features", "features", "std::string", /*default=*/"\"\"",
           "LLVM features such as +avx2,-fma; empty means those of the CPU">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatDistributeReductionsPass
    : InterfacePass<"quant-float-distribute-reductions", "mlir::FunctionOpInterface"> {
  let summary = "give the results of reductions to several threads";
  let description = [{
    A `linalg.generic` on buffers with reductions and so many steps that waking threads
    pays becomes an `scf.forall` over equal parts of one of its loops of results: channels
    of a convolution, rows of a product, columns where there are few rows. There is one
    part for each thread where a loop can be cut so, else there are more, eight where that
    is possible. Blocks of scales begin where parts do, or parts where blocks. Reductions stay
    whole, so that bits do not depend on how many threads there are. A size that is
    unknown counts as one; where none has equal parts, one thread does it all.
  }];
  let options = [
    Option<"threads", "threads", "unsigned", /*default=*/"0",
           "how many threads there are; 0: not known">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::linalg::LinalgDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect"
  ];
}

def QuantFloatQuantizePartsPass
    : Pass<"quant-float-quantize-parts", "mlir::func::FuncOp"> {
  let summary = "quantize what is joined, not what that gives";
  let description = [{
    A `quantize` with one scale of what ONNX's `Concat` makes of floats, and that nobody else
    reads, is one of each part: codes are joined instead of floats, and each part is
    quantized where it is made.

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

    Numbers of other widths than 8 bits stay floats until they are joined.
  }];
}

def QuantFloatMultiplyCodesPass
    : InterfacePass<"quant-float-multiply-codes", "mlir::FunctionOpInterface"> {
  let summary = "multiply dequantized bytes as integers";
  let description = [{
    A `Conv`, and a `MatMul` or `Gemm` of more than four rows, both of whose factors are
    dequantized from 8 bits, becomes a `ConvInteger` or `MatMulInteger`, whose sums are
    exact. These are multiplied by the product of both scales, and the bias is added, in
    f32. The first factor has one scale, the weights one or one for each channel; both
    are constants. The result is as near to the exact one as sums of floats are, and has
    the same bits on every target, but not those of the products of floats.

    ```
    sum(sx * (x - zx) * (sw[c] * (w - zw[c]))) + bias[c]
    // becomes
    f32(sum((x - zx) * (w - zw[c]))) * (sx * sw[c]) + bias[c]
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::quant_float::QuantFloatDialect"
  ];
}

def QuantFloatFuseEpiloguesPass
    : InterfacePass<"quant-float-fuse-epilogues", "mlir::FunctionOpInterface"> {
  let summary = "compute what follows a sum while its results are in the cache";
  let description = [{
    An elementwise `linalg.generic` on buffers, such as an activation or a
    requantization, that reads a sum which nobody else reads becomes part of a
    loop over blocks of the results: a block is summed, into a buffer of its own
    size, and what follows writes its part of the output. The buffer for all sums
    is gone, and each element is summed as before.

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

    Blocks are of channels where each has inputs of its own, as in depthwise
    convolutions; else of the last dimension, which may be the rows of an image
    one behind the other, of which what follows drops the ends. They have at most
    `block-bytes` of sums, of the last dimension at least three times as many
    elements as a register has bytes, and are all of the same size; where there is
    no such size, or all sums are no more than a block, all stays as it is. So do
    sums and ops of open sizes, and sums that several ops read.
  }];
  let options = [
    Option<"blockBytes", "block-bytes", "int64_t", /*default=*/"1 << 17",
           "the most bytes of sums that are computed at once">,
    Option<"vectorBytes", "vector-bytes", "int64_t", /*default=*/"16",
           "bytes of one register">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect"
  ];
}

def QuantFloatPlanBuffersPass
    : InterfacePass<"quant-float-plan-buffers", "mlir::FunctionOpInterface"> {
  let summary = "make one allocation of those of a function";
  let description = [{
    Buffers of known sizes that are allocated and freed in the function's first block, or in a
    branch of an `scf.if` there, become views of one buffer, where those that are there at the
    same time do not overlap. It is worth it from 128 KiB on: below, malloc keeps what is freed
    for the next call.

    Where the sizes of some are only known when the function runs, it allocates and frees as
    many bytes as there were at the same time once more in the end: what malloc has freed of
    one size it keeps from then on, and does not give its pages back to the system.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect", "mlir::memref::MemRefDialect"
  ];
}

def QuantFloatVectorizeReductionsPass
    : InterfacePass<"quant-float-vectorize-reductions", "mlir::FunctionOpInterface"> {
  let summary = "turn reductions on buffers into loops that keep sums in registers";
  let description = [{
    Takes `linalg.generic` on buffers with reductions. Vectors run along the
    innermost dimension of the output; where no such loop exists, or the body
    has no vector form, the code is scalar. Several rows share the vectors that
    do not change along them, and go down a column of vectors before the next
    one; half of the registers hold sums, three quarters where products are added
    by an instruction of their own. Of products of floats, and of words by
    instructions, with 16 rows and more, the vectors are copied next
    to each other first, as far along the sum as half of a first
    cache holds; all columns go such a part of the way before the next part. Where
    only a run tells how many rows there are, it chooses.
    What is left at the end of a size are
    the first lanes of a register, by a mask, where the registers are large
    enough to have instructions for it, else a part of one and single elements.
    A matrix that lies the other way, with its rows along the sum, is loaded by
    squares that are turned around by shuffles. Each element is summed in the
    order of the op's loops, so that its bits depend neither on the sizes of
    tiles nor on the target.

    Sums of words that `quant-float-pack-dots` made are added by the target's
    instructions. Where it has some for matrices of bytes (AMX, Arm's I8MM), blocks
    of the panel are multiplied by blocks of rows, some steps at once, with zeros in
    the panel where steps are no whole number of blocks; tile registers have the
    sizes of what is left at the ends of rows and lanes. Where the output has no
    loop for vectors, minima, maxima and sums of integers, whose order does not
    show, are computed in the lanes of
    vectors along the sum.
  }];
  let options = [
    Option<"vectorBytes", "vector-bytes", "int64_t", /*default=*/"16",
           "bytes of one register">,
    Option<"registers", "registers", "int64_t", /*default=*/"16",
           "how many vector registers there are">,
    Option<"cpu", "cpu", "std::string", /*default=*/"\"\"",
           "target CPU; empty means one without instructions for dot products">,
    Option<"triple", "triple", "std::string", /*default=*/"\"\"",
           "target triple; empty means that of this machine">,
    Option<"features", "features", "std::string", /*default=*/"\"\"",
           "LLVM features such as +avx2,-fma; empty means those of the CPU">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::LLVM::LLVMDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"
  ];
}

def QuantFloatFlushSubnormalsPass
    : Pass<"quant-float-flush-subnormals", "mlir::ModuleOp"> {
  let summary = "let kernels take subnormals for zero where no bit changes";
  let description = [{
    Arithmetic on subnormals takes some 100 times as long on Intel's CPUs. Kernels
    that convert to narrow floats or integers make zeros of subnormals anyway, or
    add them to numbers that are larger by far: those get the attribute
    `quant_float.flushes_subnormals`, by which the entry runtime calls them with
    the processor's flags that take subnormal operands and results for zero.

    Follows the floats of a kernel through `linalg.generic` on buffers. What
    scales and shifts may be is checked when the kernel runs, once for each
    buffer of them: where one is not between 2^-30 and 2^30 in magnitude, the
    kernel clears the flags (`__qf_keep_subnormals`) before anything else. Kernels
    of which the pass cannot show that no bit changes stay as they are.

    F16C's conversions to f16 ignore the flags. Whether those of AVX512-FP16 and
    AVX10 do is not known for every CPU and emulator, so kernels with values of
    f16 stay as they are with the option `has-half-arithmetic`.
  }];
  let options = [
    Option<"hasHalfArithmetic", "has-half-arithmetic", "bool", "false",
           "do not flush kernels with values of f16">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::vector::VectorDialect"
  ];
}

def QuantFloatLowerCopiesPass
    : InterfacePass<"quant-float-lower-copies", "mlir::FunctionOpInterface"> {
  let summary = "turn copies of strided buffers into linalg.generic";
  let description = [{
    A `memref.copy` from or to a strided buffer would become a call of a support
    library; as `linalg.generic` it is tiled and vectorized like anything else.
  }];
  let dependentDialects = ["mlir::linalg::LinalgDialect"];
}

def QuantFloatLowerPhasesPass
    : InterfacePass<"quant-float-lower-phases", "mlir::FunctionOpInterface"> {
  let summary = "split even and odd columns by vectors";
  let description = [{
    A copy of every other element along the last dimension, as a `linalg.generic` on
    buffers with an index `d * 2` or `d * 2 + phase`, becomes loads of what lies side by
    side, whose elements are sorted in registers. No element behind the row is read.
    If a row's size is dynamic, its remainder takes narrower vectors.
  }];
  let options = [
    Option<"vectorBytes", "vector-bytes", "int64_t", "32",
           "bytes of a vector register">,
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::vector::VectorDialect"
  ];
}

def QuantFloatLowerMathPass
    : Pass<"quant-float-lower-math", "mlir::ModuleOp"> {
  let summary = "expand mathematical functions, or call the C library's";
  let description = [{
    Exponentials, logarithms, powers, circular and hyperbolic functions and their
    inverses on f32 become arithmetic, on vectors as well, that is right to some units
    in the last place (`exp`, `log` and `pow` to one, `tan` to four), subnormal results
    and angles of any size included, and has the same bits on every target. So do
    `exp`, `log`, `pow`, `sin`, `cos`, `sinh`, `cosh` and `tanh` on f64, right to less
    than two units. Other functions become
    calls of the C library, element by element, and are errors where there is
    no such library; roots and roundings, which are instructions, stay.
  }];
  let options = [
    Option<"libm", "libm", "bool", /*default=*/"true",
           "whether the code can call the C library's functions">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::math::MathDialect", "mlir::vector::VectorDialect"
  ];
}

def QuantFloatLowerAllocaScopesPass
    : InterfacePass<"quant-float-lower-alloca-scopes", "mlir::FunctionOpInterface"> {
  let summary = "lower memref.alloca_scope to a save and a restore of the stack";
  let description = [{
    A `memref.alloca_scope` becomes its operations between `llvm.intr.stacksave`
    and `llvm.intr.stackrestore`, as when upstream converts it to LLVM. Upstream's
    conversion of loops to OpenMP makes these scopes, and its conversion of the
    loops within them to branches needs regions of several blocks, which the scope
    does not allow.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def QuantFloatLowerLinalgToLoopsPass
    : InterfacePass<"quant-float-lower-linalg-to-loops", "mlir::FunctionOpInterface"> {
  let summary = "lower linalg ops on buffers to loops of scalars";
  let description = [{
    Lowers each linalg op on memrefs to `scf.for` loops with upstream's
    `linalgOpToLoops`. Unlike `convert-linalg-to-loops`, it runs no greedy
    rewriter, whose simplification of regions is slow for functions of many blocks;
    a canonicalizer that follows composes the `affine.apply` ops.
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect"
  ];
}

def QuantFloatLowerReshapesPass
    : InterfacePass<"quant-float-lower-reshapes", "mlir::FunctionOpInterface"> {
  let summary = "shape contiguous buffers by what their sizes are";
  let description = [{
    A `memref.expand_shape` of a contiguous buffer, and a `memref.reshape` of one
    without a rank to one that has it, become a `memref.reinterpret_cast` to the
    sizes they say. Upstream's lowerings take one open size in each group, of
    which networks have more, and no buffer without a rank.
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::memref::MemRefDialect"
  ];
}

def QuantFloatIfPresentPass : Pass<"quant-float-if-present"> {
  let summary = "run a pipeline where there is something for it";
  let description = [{
    Runs `pipeline` on what this pass runs on if an op of `ops` is inside:
    names of ops, or of dialects for any of theirs. To look for them takes less
    than most passes do to find that nothing is there.
  }];
  let options = [
    ListOption<"ops", "ops", "std::string", "names of ops and dialects">,
    Option<"pipelineText", "pipeline", "std::string", /*default=*/"\"\"",
           "what to run, such as any(convert-linalg-to-loops)">
  ];
}

def QuantFloatLowerTransfersPass
    : InterfacePass<"quant-float-lower-transfers", "mlir::FunctionOpInterface"> {
  let summary = "make transfers of vectors of several dimensions loops";
  let description = [{
    Upstream's `convert-vector-to-scf`, on transfers alone: it looks twice at
    every op and folds it.
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect", "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatExpandViewsPass
    : InterfacePass<"quant-float-expand-views", "mlir::FunctionOpInterface"> {
  let summary = "make parts of buffers offsets, sizes and strides";
  let description = [{
    Upstream's `expand-strided-metadata`, on ops of `memref` and what they become
    alone: it folds all others, too.
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::memref::MemRefDialect"
  ];
}

def QuantFloatLowerStridedTransfersPass
    : InterfacePass<"quant-float-lower-strided-transfers", "mlir::FunctionOpInterface"> {
  let summary = "load and store vectors of elements that are apart one by one";
  let description = [{
    A `vector.transfer_read` or `vector.transfer_write` along a stride, as in
    transposing, becomes as many loads or stores. Upstream's lowering is a loop
    that keeps the vector in memory. A `vector.mask` around a transfer becomes its
    operand.
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::memref::MemRefDialect", "mlir::vector::VectorDialect"
  ];
}

def QuantFloatLowerVectorsPass
    : InterfacePass<"quant-float-lower-vectors", "mlir::FunctionOpInterface"> {
  let summary = "make vector ops those that LLVM has";
  let description = [{
    The patterns that upstream's `convert-vector-to-llvm` begins with: transfers
    become loads and stores, masks comparisons, slices, transpositions and
    products of several dimensions become ops of one. `convert-to-llvm` knows
    the rest. Only vector ops are looked at; upstream's pass takes most of the
    time that a module of small functions needs, because it folds all others.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::memref::MemRefDialect",
    "mlir::vector::VectorDialect"
  ];
}

def QuantFloatStreamStoresPass
    : Pass<"quant-float-stream-stores", "mlir::ModuleOp"> {
  let summary = "write results past the caches where they are large";
  let description = [{
    Gives loops of kernels that write vectors one behind the other a second
    version, with non-temporal stores, and with prefetches of what is read 8 KB
    ahead, be it in rows that follow. It runs where the buffers that the loop
    reads and writes are together larger than the machine's last-level cache,
    which the entry runtime knows, and where stores can be aligned: where the
    result begins within a line, the iterations begin with the next one, and
    whole vectors at both ends come first, by the loop as it was with other
    bounds and another step. Loops over blocks of scales are not moved, and have
    it where results are aligned. A fence follows.

    Loops over buffers that have less than 4 MiB together, as far as their sizes
    are static, have no second version, nor have those of a function with more
    than 64.
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
  let summary = "compile equal sums of a network once";
  let description = [{
    Linalg ops on buffers that reduce and differ in their buffers alone, and in
    where these begin, become calls of one internal function: layers that a
    network repeats are compiled once. Where a module has more such ops than
    `few`, those that are there once become functions as well: of a function
    twice as long, LLVM takes more than twice as long. Functions that differ in
    how long they sum alone become one for sums of any length where there are
    more than `lengths` of them; not those of words, which instructions for
    matrices take by known lengths. What the output is filled
    with before goes along, where nothing uses it in between. Ops in loops and
    buffers of elements below a byte stay as they are.
  }];
  let options = [
    Option<"few", "few", "unsigned", /*default=*/"8",
           "so many ops stay where they are if none is like them">,
    Option<"lengths", "lengths", "unsigned", /*default=*/"4",
           "functions for so many lengths of a sum stay apart; with 0 all do">
  ];
  let dependentDialects = [
    "mlir::LLVM::LLVMDialect", "mlir::func::FuncDialect",
    "mlir::memref::MemRefDialect"
  ];
}

def QuantFloatOutlineKernelsPass
    : Pass<"quant-float-outline-kernels", "mlir::ModuleOp"> {
  let summary = "outline the kernels of large functions, equal ones once";
  let description = [{
    Where an entry point has more than `few` linalg ops and loops on buffers,
    each becomes a call of an internal function, and those that are equal call
    one: several of LLVM's passes take time that grows with the square of a
    function's size. Runs after `quant-float-share-reductions`, which takes what
    reduces; buffers of packed elements keep the ops that use them in place.

    ```
    scf.for %i = %c0 to %n step %c1 { ... memref.store %1, %y[%i] ... }
    // becomes
    call @shared.kernel(%n, %x, %y)
    ```
  }];
  let options = [
    Option<"few", "few", "unsigned", /*default=*/"64",
           "so many kernels stay where they are">,
    Option<"least", "least", "unsigned", /*default=*/"1",
           "kernels of which there are fewer equal ones stay where they are">
  ];
  let dependentDialects = [
    "mlir::LLVM::LLVMDialect", "mlir::func::FuncDialect",
    "mlir::memref::MemRefDialect"
  ];
}

def QuantFloatShareCastsPass : Pass<"quant-float-share-casts", "mlir::ModuleOp"> {
  let summary = "make one function of casts that are alike";
  let description = [{
    A `quant_float.cast` to or from a narrow float becomes some seventy ops, and
    a loop has it up to three times: in its body, in that with non-temporal
    stores and in that for what is left. A cast of what was just loaded to what
    is only stored has no neighbours to be expanded with, so that all that are
    alike become calls of one function, which LLVM inlines:

    ```
    %1 = quant_float.cast %0 opset 28 : vector<64xf32> to vector<64xf8E4M3FN>
    // becomes
    %1 = call @cast.f32.f8E4M3FN(%0) : (vector<64xf32>) -> vector<64xf8E4M3FN>
    ```
  }];
  let dependentDialects = ["mlir::func::FuncDialect", "mlir::LLVM::LLVMDialect"];
}

def QuantFloatMergeParallelRegionsPass
    : InterfacePass<"quant-float-merge-parallel-regions", "mlir::FunctionOpInterface"> {
  let summary = "let threads go from one loop to the next";
  let description = [{
    Makes one `omp.parallel` of several that follow each other: waking threads
    takes as long as converting some ten thousand elements. What is between them
    comes before, if it only reads what they do not write. A worksharing loop
    that those after it do not depend on ends without a barrier (`nowait`); which
    buffers are apart is known of allocations, constants and the arguments of
    kernels.
  }];
}

def QuantFloatMapScalarsToGpuPass
    : InterfacePass<"quant-float-map-scalars-to-gpu", "mlir::FunctionOpInterface"> {
  let summary = "make kernels of loads, stores and loops of scalars";
  let description = [{
    Loads and stores that follow each other, and loops and branches that hold
    nothing else, become a `gpu.launch` of one thread, with the arithmetic
    between them and what else follows from what they load: right, in the order
    of the program, and not fast. Linalg ops and loops around them stay as they
    are.

    What the host needs of it, such as a condition, a number of steps or the size
    of a buffer, is copied into a buffer of the host behind the launch. An entry
    point ends there if the device has failed; other functions go on with zeros.

    Runs on buffers, before `quant-float-guard-kernels`.
  }];
  let options = [
    Option<"module", "module", "std::string", /*default=*/"\"quant_float_kernels\"",
           "symbol of the module that holds the kernels">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::cf::ControlFlowDialect",
    "mlir::gpu::GPUDialect", "mlir::memref::MemRefDialect"
  ];
}

def QuantFloatAlignSharedPass
    : Pass<"quant-float-align-shared", "mlir::gpu::GPUFuncOp"> {
  let summary = "align the memory that the threads of a block share";
  let description = [{
    To 32 bytes, those of the widest vector that is accessed there: `gpu.launch` has
    no attributes for its attributions, so that this is done on the `gpu.func` that
    it becomes.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def QuantFloatMapToGpuPass
    : InterfacePass<"quant-float-map-to-gpu", "mlir::FunctionOpInterface"> {
  let summary = "make kernels of linalg ops on buffers";
  let description = [{
    Every linalg op on buffers becomes a `gpu.launch` on a grid of one dimension
    that is as large as the problem; buffers and what they hold are the device's.

    - An elementwise `linalg.generic` has its contiguous dimensions collapsed. A
      thread takes as many neighbours as 16 bytes of the narrowest operand hold,
      and stores no more than 16 bytes: several stores would have gaps between them
      and those of the next thread. They are vectors, if they are in one row along
      the output's last dimension and in one block of a scale (`d floordiv B`) and
      if the addresses of all are multiples of the access, and one by one
      otherwise. Scales that do not change along the row are loaded once. Of packed
      results it takes as many as end with a byte, at least; these have to be
      written in the order of their elements.
    - A product of matrices, `out[b, m, n] += left(b, m, k) * right(b, k, n)`, of
      floats or integers, of which either factor may be computed of codes, scales
      and zero points, has tiles of up to 128 x 128 elements, one for a block,
      and loads 16 summands of all of their rows and columns, decoded, into the
      block's shared memory at a time. Its size is a row of
      [ProductTiles.def](../../../lib/Transforms/ProductTiles.def); where it
      depends on open sizes there are two kernels, one of which the host
      launches. An element adds its products in
      the order of the sum, so that its bits are those of the op's own loops.
      Where `chip` has an instruction of
      [MatrixInstructions.def](../../../lib/Transforms/MatrixInstructions.def) for
      the factors' types, a warp multiplies by it instead: integers of at most 8
      bits, whose sums are exact in any order, and with `fast-sums` floats; codes
      that lie along the sum are copied by `nvgpu.device_async_copy` meanwhile,
      where the chip has it. `b`,
      `m`, `n` and `k` are any number of loops, those of a convolution too.
    - A product with `quant_float.sum_order` (`quant-float-fuse-weights`) has
      threads in place of a register's lanes, which read each code once.
    - Of other ops a thread computes one element of the result, reductions in the
      order of the op's loops and in registers: right, and not fast.
    - What a buffer is filled with right before something is added up in it has no
      kernel: registers begin with it.

    Allocations become the device's, constants move into the kernel's module with
    `gpu-kernel-outlining`. What else would touch the device's memory is an
    error: `quant-float-map-scalars-to-gpu` runs before. `module` is
    the symbol of the module that the kernels are outlined to; they are named
    after the function.
  }];
  let options = [
    Option<"module", "module", "std::string", /*default=*/"\"quant_float_kernels\"",
           "symbol of the module that holds the kernels">,
    Option<"chip", "chip", "std::string", /*default=*/"",
           "NVIDIA chip whose instructions for products of matrices are used">,
    Option<"ptx", "ptx", "std::string", /*default=*/"",
           "version of PTX; without one, the least that has all of the chip's "
           "instructions">,
    Option<"fastSums", "fast-sums", "bool", /*default=*/"false",
           "sums of floats may be rounded in any order">
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
  let summary = "make functions of what can be compiled around quantization ops";
  let description = [{
    For models with nodes that have no lowering, after
    `convert-onnx-nodes-to-linalg` with `allow-unsupported`. Every largest
    connected group of other ops that holds a quantization op (`quantize`,
    `dequantize`, `qdq`, `fakeconvert`, `cast`) becomes a public function
    `@<graph>_island_<n>` of its own, and the function that it comes from is dropped. Groups are
    convex: no value leaves a group and comes back through another op. Tensors
    that cross a border are ranked; arguments and results that the model names
    keep their names, others get that of the node that computes them.
    Constants are repeated where they are used.
  }];
}

#endif // QUANT_FLOAT_TRANSFORMS_PASSES_TD
