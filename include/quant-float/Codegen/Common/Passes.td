//===- Passes.td - Code generation for all targets ---------*- tablegen -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CODEGEN_COMMON_PASSES_TD
#define QUANT_FLOAT_CODEGEN_COMMON_PASSES_TD

include "mlir/Pass/PassBase.td"

def QuantFloatRequireLoweredPass : Pass<"quant-float-require-lowered"> {
  let summary = "Report ops that the lowering should have removed";
  let description = [{
    Fails if the lowerings have not removed all ops of the `quant_float` dialect
    and all casts from or to narrow floats, such as `arith.extf` and
    `arith.truncf`. Upstream's conversions would leave such ops in the output
    without an error. The error names each op, its types, the target and the
    missing lowering.

    The pipelines run this pass before the conversion to the LLVM or NVVM
    dialect.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"cpu\"",
           "name of the target in the error message">
  ];
}

def QuantFloatFuseElementwisePass
    : InterfacePass<"quant-float-fuse-elementwise", "mlir::FunctionOpInterface"> {
  let summary = "Fuse elementwise linalg ops on tensors";
  let description = [{
    Generalizes named linalg ops, and fuses elementwise ops into their consumer,
    an elementwise op or a reduction, if the consumer reads each of their
    elements once. An op whose consumer has a larger loop nest, such as a
    contraction or a broadcast, is not fused, because it would be recomputed. An
    op that unpacks packed elements is always fused. Ops with blocks are not
    fused if the sizes of the blocks are not multiples of the smallest one.
    With `contractions`, such an op is fused into a matmul or a convolution if
    it only permutes elements or converts them to a wider type, because GPU
    kernels dequantize an element only once for each tile. Ops with
    `quant_float.reduction_schedule` are not fused with their producers.
    `tensor.concat` is decomposed into insertions.

    If an op decodes weights with a dimension for the elements of a block, and
    its result is reshaped to a matrix, the pass collapses the loops of the op
    instead, so that a matmul can fuse it:

    ```
    %d = linalg.generic ins(%quantized[n, b, i], %scale[n, b, 0] : tensor<64x8x32xi4>, tensor<64x8x1xf32>) ...
    %w = tensor.collapse_shape %d [[0], [1, 2]] : tensor<64x8x32xf32> into tensor<64x256xf32>
    // becomes
    %w = linalg.generic ins(%quantized[n, k], %scale[n, k floordiv 32] : tensor<64x256xi4>, tensor<64x8xf32>) ...
    ```

    If a body extracts elements from the result of an elementwise op, as gathers
    do, and extracts fewer elements than the result has, the pass moves the
    computation of these elements into the body. For example, an embedding
    dequantizes only the rows that it reads, and no f32 copy of its table
    exists. Casts, reshapes and slices may be in between. A slice of dequantized
    constants becomes a dequantization of the slice.

    ```
    %t = linalg.generic /* dequantize */ ins(%quantized : tensor<30522x384xi8>) ...
    %y = linalg.generic ins(%indices : tensor<24xi64>) ... {
      %e = tensor.extract %t[%index, %j]
    // becomes
    %y = linalg.generic ins(%indices : tensor<24xi64>) ... {
      %q = tensor.extract %quantized[%index, %j]
      %e = quant_float.dequantize %q, ...
    ```

    Runs on tensors, after `resolve-shaped-type-result-dims`: a `tensor.dim` of
    a result is a use that would prevent fusion. For GPUs it runs once more,
    with `contractions`, after `quant-float-fuse-weight-dequantization`.
  }];
  let options = [
    Option<"contractions", "contractions", "bool", /*default=*/"false",
           "fuse dequantization and permutation into matmuls and convolutions">
  ];
  let statistics = [
    Statistic<"numFused", "num-fused", "Number of elementwise ops fused into a consumer">,
    Statistic<"numGathersFused", "num-gathers-fused",
              "Number of gathers and slices that compute their elements">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::linalg::LinalgDialect",
    "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatHoistAssertsPass
    : InterfacePass<"quant-float-hoist-asserts", "mlir::FunctionOpInterface"> {
  let summary = "Move asserts out of linalg.generic ops on tensors";
  let description = [{
    Matches each `cf.assert` in the body of a `linalg.generic` on tensors, as
    other compilers emit it to check elements such as indices. A kernel returns
    a status if an assert fails, which is not possible from within a loop whose
    iterations are independent. The pass therefore inserts a reduction that
    computes whether the condition holds in all iterations, and asserts its
    result before the op:

    ```mlir
    %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%i : tensor<3xi64>) outs(%init : tensor<3xi64>) {
    ^bb0(%x: i64, %o: i64):
      %isInside = arith.cmpi ult, %x, %c10 : i64
      cf.assert %isInside, "index out of range"
      linalg.yield %x : i64
    } -> tensor<3xi64>
    ```

    becomes

    ```mlir
    %all = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
        ins(%i, %init : tensor<3xi64>, tensor<3xi64>) outs(%true : tensor<i1>) {
    ^bb0(%x: i64, %o: i64, %accumulator: i1):
      %isInside = arith.cmpi ult, %x, %c10 : i64
      %and = arith.andi %isInside, %accumulator : i1
      linalg.yield %and : i1
    } -> tensor<i1>
    %holds = tensor.extract %all[] : tensor<i1>
    cf.assert %holds, "index out of range"
    %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%i : tensor<3xi64>) outs(%init : tensor<3xi64>) {
    ^bb0(%x: i64, %o: i64):
      linalg.yield %x : i64
    } -> tensor<3xi64>
    ```

    If the loop has no iterations, the condition holds. Asserts in nested
    regions, and those that depend on partial results of a reduction, are left
    unchanged. `quant-float-convert-asserts-to-status` reports an error if the
    loop of such an assert is parallel. Runs after calls are inlined, before ops
    are fused.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::cf::ControlFlowDialect",
    "mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatFuseWeightDequantizationPass
    : InterfacePass<"quant-float-fuse-weight-dequantization", "mlir::FunctionOpInterface"> {
  let summary = "Fuse weight dequantization into matmuls with few rows";
  let description = [{
    Matches a matmul of at most four rows (a GEMV-like contraction) with a
    weight matrix that an op dequantizes from 8-, 4- or 2-bit values, and fuses
    both into one `linalg.generic` that dequantizes each weight where it is
    used. Weights may have one scale and zero point, one per channel, or one per
    block of at least 16 elements of a channel. K-contiguous weights with blocks
    may also have a minimum, which is added to the scaled values of a block or
    subtracted from them, as in GGUF's Q4_K. Scales and minimums of 4-bit and
    2-bit weights that are products of constants are fused as well.

    The attribute `quant_float.reduction_schedule` specifies the accumulation
    order of an output element (R7). There are `lanes` partial accumulators over
    chunks of `lanes * terms` elements. In each chunk, a lane adds `terms`
    elements: adjacent ones if `consecutive`, else every `lanes`-th one.

    ```
    %w = linalg.generic /* dequantize */ ins(%quantized : tensor<512x512xi8>) ...
    %y = linalg.generic /* matmul */ ins(%x, %w) outs(%z) ...
    // becomes
    %y = linalg.generic ins(%x, %quantized, ...) outs(%z)
           attrs = {quant_float.reduction_schedule = #quant_float.reduction_schedule<lanes = 16, terms = 8>} ...
    ```

    With `x-bits`, the activations are quantized dynamically, in blocks, to
    integers of this width, if the weights represent integers and K is
    contiguous in the weights (R8). The attribute then has `x_bits`, and matmuls
    of more than four rows are fused as well. Their schedule has one lane, and
    `terms` is the number of activations that share a scale.

    With `dynamic-rows`, a matmul of a dynamic number of rows becomes an
    `scf.if`. At most four rows are computed one by one with fused weights.
    More rows multiply the dequantized matrix, or with `x-bits` have fused
    weights as above.

    Runs on tensors, after `quant-float-fuse-elementwise` and before
    bufferization. `quant-float-lower-weight-contractions` (CPU) and
    `quant-float-outline-gpu-kernels` (GPU) lower the result.
  }];
  let options = [
    Option<"xBits", "x-bits", "unsigned", /*default=*/"0",
           "width in bits to which activations are quantized, 8 or 16; 0 keeps them">,
    Option<"dynamicRows", "dynamic-rows", "bool", /*default=*/"false",
           "also branch on dynamic numbers of rows">
  ];
  let statistics = [
    Statistic<"numFused", "num-fused", "Number of matmuls that dequantize their weights">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::linalg::LinalgDialect",
    "mlir::scf::SCFDialect", "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatTransposeWeightsPass
    : InterfacePass<"quant-float-transpose-weights", "mlir::FunctionOpInterface"> {
  let summary = "Transpose constant weights to make K contiguous";
  let description = [{
    Matches a `quant_float.dequantize` of constants whose only use is the weight
    matrix of a node "MatMul" or "Gemm" with at most four rows, if K is not
    contiguous in the matrix. With `any-rows`, the matmul may have any number of
    rows, unless the weights are float8. Transposes the quantized values, scales and zero
    points, and adds a node "Transpose" after the `dequantize`. When
    `quant-float-fuse-weight-dequantization` later fuses the dequantization into
    the matmul, rows of quantized values are read once and in order. The
    accumulation order is that of K-contiguous weights (R7). Packed constants
    stay packed.

    Runs before `convert-onnx-nodes-to-linalg`.

    ```
    %w = quant_float.dequantize %quantized, %scales axis 0 block_size 32 opset 21 : tensor<512x64xi4>, tensor<16x64xf32> to tensor<512x64xf32>
    %y = quant_float.node "MatMul"(%x, %w) opset 21 : (tensor<1x512xf32>, tensor<512x64xf32>) -> tensor<1x64xf32>
    // becomes, with other constants
    %r = quant_float.dequantize %quantized, %scales axis 1 block_size 32 opset 21 : tensor<64x512xi4>, tensor<64x16xf32> to tensor<64x512xf32>
    %w = quant_float.node "Transpose"(%r) opset 21 attributes {perm = array<i64: 1, 0>} : (tensor<64x512xf32>) -> tensor<512x64xf32>
    %y = quant_float.node "MatMul"(%x, %w) ...
    ```
  }];
  let options = [
    Option<"anyRows", "any-rows", "bool", /*default=*/"false",
           "also transpose the weights of matmuls with more rows">
  ];
  let statistics = [
    Statistic<"numTransposed", "num-transposed", "Number of weights transposed">
  ];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def QuantFloatFuseMultiplyAddPass
    : InterfacePass<"quant-float-fuse-multiply-add", "mlir::FunctionOpInterface"> {
  let summary = "Accumulate products by fused multiply-adds";
  let description = [{
    Replaces an `arith.mulf` and the `arith.addf` that adds it to an accumulator
    of a `linalg.generic` op with reductions by a `math.fma`, which is rounded
    once. This is the definition of the accumulation order (R7) of f32 and f64:
    the same bits on every target. It also applies to sums of squares and to
    other weighted sums.

    The pass runs before any fusion, so that the roundings depend on the model
    only: a product that a separate op computes keeps its rounding, also if it is
    fused with the reduction later. Targets without FMA instructions compute the
    same bits by `quant-float-lower-math`.

    For example, the body of a matmul becomes:

    ```mlir
    %sum = math.fma %a, %b, %accumulator : f32
    ```

    Named ops, whose bodies are fixed, become `linalg.generic` ops.
  }];
  let statistics = [
    Statistic<"numFused", "num-fused", "Number of fused multiply-adds">
  ];
  let dependentDialects = ["mlir::math::MathDialect"];
}

def QuantFloatPrivatizeDpsInitsPass
    : InterfacePass<"quant-float-privatize-dps-inits", "mlir::FunctionOpInterface"> {
  let summary = "Give every op that overwrites a tensor a separate init";
  let description = [{
    Matches tensors that several ops in destination-passing style overwrite, and
    tensors that an op overwrites and that are also function results. Gives each
    writer a separate init: a clone of the op that fills the tensor, or a copy
    of the tensor if its producer is not a fill. One writer can keep a tensor
    that is not a fill.

    Two reductions that start from the same tensor of zeros need two buffers. If
    both are function results, `eliminate-empty-tensors` places these zeros in
    the memory of one of them, and bufferization no longer detects that storing
    this result overwrites the other one.

    With `empty`, the pass also clones a static `tensor.empty` for each op that
    writes to it. A shared buffer would be live from the first of these ops to
    the last.

    ```
    %zeros = linalg.fill ins(%zero) outs(%empty) -> tensor<4x4xf32>
    %0 = linalg.matmul ins(%x, %y) outs(%zeros) -> tensor<4x4xf32>
    %1 = linalg.matmul ins(%y, %x) outs(%zeros) -> tensor<4x4xf32>
    // becomes
    %zeros0 = linalg.fill ins(%zero) outs(%empty) -> tensor<4x4xf32>
    %0 = linalg.matmul ins(%x, %y) outs(%zeros0) -> tensor<4x4xf32>
    %zeros1 = linalg.fill ins(%zero) outs(%empty) -> tensor<4x4xf32>
    %1 = linalg.matmul ins(%y, %x) outs(%zeros1) -> tensor<4x4xf32>
    ```

    Runs on tensors, after fusion and tiling, and before
    `eliminate-empty-tensors` and One-Shot Bufferize.
  }];
  let options = [
    Option<"empty", "empty", "bool", /*default=*/"false",
           "clone shared tensor.empty ops, too">
  ];
  let statistics = [
    Statistic<"numPrivatized", "num-privatized", "Number of inits replaced by a separate one">
  ];
  let dependentDialects = ["mlir::bufferization::BufferizationDialect"];
}

def QuantFloatLowerCopiesPass
    : InterfacePass<"quant-float-lower-copies", "mlir::FunctionOpInterface"> {
  let summary = "Convert copies of strided memrefs and fills to linalg.generic";
  let description = [{
    Matches a `memref.copy` from or to a memref that is strided or has packed
    elements, and converts it to a `linalg.generic`, which is then tiled and
    vectorized like any other op. Otherwise the copy would be lowered to a call
    of MLIR's runner library. Also generalizes `linalg.map`, which bufferization
    creates to fill a padded buffer.

    ```
    memref.copy %x, %interior : memref<64x64xf32> to memref<64x64xf32, strided<[66, 1], offset: 67>>
    // becomes
    linalg.generic {indexing_maps = [(d0, d1) -> (d0, d1), (d0, d1) -> (d0, d1)], ...}
        ins(%x) outs(%interior) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    }
    ```

    Runs on memrefs, before the passes that vectorize linalg ops.
  }];
  let dependentDialects = ["mlir::linalg::LinalgDialect"];
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

    ```
    %y = memref.expand_shape %x [[0, 1]] output_shape [%m, %n] : memref<?xf32> into memref<?x?xf32>
    // becomes
    %y = memref.reinterpret_cast %x to offset: [0], sizes: [%m, %n], strides: [%n, 1]
           : memref<?xf32> to memref<?x?xf32>
    ```

    Runs before `quant-float-expand-memref-views` (CPU) and
    `expand-strided-metadata` (GPU).
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
    is faster than running the passes on IR that contains no op for them to
    match.
  }];
  let options = [
    ListOption<"ops", "ops", "std::string", "names of ops or dialects">,
    Option<"pipelineText", "pipeline", "std::string", /*default=*/"\"\"",
           "pipeline to run, such as any(convert-linalg-to-loops)">
  ];
}

def QuantFloatLowerVectorTransfersPass
    : InterfacePass<"quant-float-lower-vector-transfers", "mlir::FunctionOpInterface"> {
  let summary = "Lower multi-dimensional vector transfers to loops";
  let description = [{
    Applies the patterns of upstream's `convert-vector-to-scf` to vector
    transfers only. The upstream pass visits every op twice and tries to fold
    it, which is slow on large functions.

    The CPU pipeline runs this pass after `quant-float-lower-packed-elements`.
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect", "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatExpandMemrefViewsPass
    : InterfacePass<"quant-float-expand-memref-views", "mlir::FunctionOpInterface"> {
  let summary = "Expand memref views to offsets, sizes and strides";
  let description = [{
    Applies the patterns of upstream's `expand-strided-metadata` only to
    `memref` ops and to the ops that replace them. The upstream pass tries to
    fold all other ops, too, which is slow on large functions.

    The CPU pipeline runs this pass after `quant-float-lower-reshapes` and
    before `lower-affine`.
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

    ```
    %v = vector.transfer_read %x[%c0, %i], %zero {in_bounds = [true]} : memref<8x?xf32, strided<[1, 8]>>, vector<4xf32>
    // becomes
    %0 = memref.load %x[%c0, %i] : memref<8x?xf32, strided<[1, 8]>>
    %1 = affine.apply affine_map<()[s0] -> (s0 + 1)>()[%i]
    %2 = memref.load %x[%c0, %1] : memref<8x?xf32, strided<[1, 8]>>
    // The same for two more elements.
    %v = vector.from_elements %0, %2, %4, %6 : vector<4xf32>
    ```

    The CPU pipeline runs this pass after linalg ops are lowered, and before
    `quant-float-use-nontemporal-stores`.
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::memref::MemRefDialect", "mlir::vector::VectorDialect"
  ];
}

def QuantFloatLowerVectorOpsPass
    : InterfacePass<"quant-float-lower-vector-ops", "mlir::FunctionOpInterface"> {
  let summary = "Lower vector ops to those that convert to LLVM directly";
  let description = [{
    Applies the patterns that upstream's `convert-vector-to-llvm` starts with:
    transfers become loads and stores, masks become comparisons, and slices,
    transpositions and multi-dimensional contractions become one-dimensional
    ops. `convert-to-llvm` converts the rest. Only vector ops are visited:
    upstream's pass also tries to fold all other ops, and takes most of the
    compile time of a module of small functions.

    The CPU pipeline runs this pass before `quant-float-convert-to-llvm`.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::memref::MemRefDialect",
    "mlir::vector::VectorDialect"
  ];
}

def QuantFloatOutlineSupportedSubgraphsPass
    : Pass<"quant-float-outline-supported-subgraphs", "mlir::ModuleOp"> {
  let summary = "Outline the subgraphs around quantization ops that can be compiled";
  let description = [{
    Partitions models that have nodes without a lowering. Runs after
    `convert-onnx-nodes-to-linalg` with `allow-unsupported`. Outlines every
    maximal connected subgraph of supported ops that contains a quantization op
    (`quantize`, `dequantize`, `qdq`, `fakeconvert`, `cast`) to a public
    function `@<graph>_subgraph_<n>`, and drops the original function.

    Subgraphs are convex: no path leaves a subgraph and returns to it through
    another op. Tensors that cross a boundary are ranked. Arguments and results
    that the model names keep their names; others are named after the node that
    computes them. Constants are duplicated into the subgraphs that use them.
  }];
  let statistics = [
    Statistic<"numOutlined", "num-outlined", "Number of subgraphs outlined">
  ];
}

def QuantFloatConvertToLLVMPass
    : Pass<"quant-float-convert-to-llvm", "mlir::ModuleOp"> {
  let summary = "Convert functions and all other ops to the LLVM dialect";
  let description = [{
    Runs upstream's `convert-func-to-llvm` patterns, then those of
    `convert-to-llvm`. Because arguments are converted first, each becomes a
    descriptor once and not at each use. Both upstream passes try to fold every
    op that they visit, and the first visits all ops. This pass does not fold,
    because LLVM folds constants itself, and disables pattern rollback.
    Constants become one-dimensional arrays, whatever their shape.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

#endif // QUANT_FLOAT_CODEGEN_COMMON_PASSES_TD
