//===- Passes.td - Code generation for CPUs ----------------*- tablegen -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CODEGEN_CPU_PASSES_TD
#define QUANT_FLOAT_CODEGEN_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def QuantFloatTileAndVectorizePass
    : InterfacePass<"quant-float-tile-and-vectorize", "mlir::FunctionOpInterface"> {
  let summary = "Tile elementwise linalg ops on memrefs and vectorize them";
  let description = [{
    Matches `linalg.generic` ops on memrefs whose loops are all parallel, tiles
    them, and vectorizes the tiles. The pass builds the loops around the tiles.
    Tiling, peeling and vectorization are upstream's.

    - Contiguous dimensions are collapsed into one.
    - If several dimensions remain, the loop along the last dimension of the
      output is tiled. The other loops surround it, with a step of one. Inputs
      that are invariant along the tiled loop, or that only change from block to
      block (`d floordiv B`), become scalars that are loaded before the loop or
      the block. This avoids gathers. If the blocks are small, one iteration
      processes several of them.
    - If the body selects rows by a computed index, the same loops surround it,
      and the selected rows become subviews.
    - Scalar inputs are loaded before the loops.
    - With `parallel`, an outer `scf.forall` distributes large chunks, or
      iterations of the outermost loop, among threads. Adjacent ops are
      distributed together if their elements together are enough for several
      threads. If results are packed, the part of a thread ends on a byte
      boundary.
    - An `scf.for` iterates over tiles of `tile-size` elements. It is peeled, so
      that all tiles of the main loop are full. Upstream's vectorizer converts
      each tile to vector ops.
    - With `masked-tail`, the remainder is vectorized with masks. Otherwise, if
      the op provably does not read what it writes, the remainder is one more
      full tile, which overlaps the last tile and computes some elements twice.
      In all other cases, the remainder is a scalar loop.

    ```
    linalg.generic ins(%x : memref<?xf32>) outs(%y : memref<?xi8>)
    // becomes, with tile-size=16
    %end = ... // the size, rounded down to a multiple of 16
    scf.for %i = %c0 to %end step %c16 {
      %v = vector.transfer_read %x[%i] ... : memref<?xf32>, vector<16xf32>
      // The body on vectors of 16 elements.
      vector.transfer_write %q, %y[%i] ... : vector<16xi8>, memref<?xi8>
    }
    // The remainder.
    ```

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
  let statistics = [
    Statistic<"numVectorized", "num-vectorized", "Number of tiles vectorized">,
    Statistic<"numDistributed", "num-distributed",
              "Number of elementwise ops distributed among threads">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::linalg::LinalgDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"
  ];
}

def QuantFloatLowerWeightContractionsPass
    : InterfacePass<"quant-float-lower-weight-contractions", "mlir::FunctionOpInterface"> {
  let summary = "Lower contractions with a specified accumulation order to vector loops";
  let description = [{
    Matches `linalg.generic` ops on memrefs with the attribute
    `quant_float.reduction_schedule`, which
    `quant-float-fuse-weight-dequantization` creates, and lowers them to `scf`
    loops of vector ops. The loops read the weights once, one register of
    quantized values at a time, and convert them to f32 in registers. Before the
    loops, the elements of the activations `x` are rearranged, and scaled by
    powers of two.

    If K is contiguous in the weights, several channels share each load of `x`:

    ```
    for each group of channels:
      for each chunk of K:
        for each channel of the group:
          quantized = load weights[channel, chunk]
          acc = -offset * (sums of x)
          for each term: acc = fma(decode(quantized, term), x[chunk, term], acc)
          lanes[channel] = fma(scale, acc, lanes[channel])
      y[channel] = the sum of lanes[channel]
    ```

    If the channels are contiguous, the loops accumulate vectors of channels,
    one block of K at a time.

    If the attribute has `x_bits`, `x` is quantized to integers, 16 or 32 of
    which share a scale, and dot-product instructions accumulate the products.
    Such contractions may have any number of rows. More than four share a panel:
    the weights of several registers of channels, unpacked for the instruction.

    ```
    for each panel of channels:
      panel = unpack weights[channels]
      for each tile of rows:
        for each block of x:
          sum[row, channels] = -offset * (sum of x) + x[row, block] . panel[block]
          acc[row, channels] = fma(float(sum), scale of x * scale, acc[row, channels])
        y[row, channels] = acc[row, channels]
    ```

    Every element has the same bits on all targets and with any number of
    threads, because fused multiply-adds accumulate the products in the order of
    the schedule (R7). The CPU of the module attribute `quant_float.target`
    determines the registers, the number of rows that are processed together,
    and the instructions for table lookup and integer multiplication.

    Runs after bufferization, before `quant-float-configure-reductions`.
  }];
  let options = [
    Option<"threads", "threads", "unsigned", /*default=*/"1",
           "number of threads among which large matmuls are distributed; 1 disables "
           "threading">
  ];
  let statistics = [
    Statistic<"numLowered", "num-lowered", "Number of contractions lowered">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::LLVM::LLVMDialect", "mlir::memref::MemRefDialect",
    "mlir::quant_float::QuantFloatDialect", "mlir::scf::SCFDialect",
    "mlir::vector::VectorDialect"
  ];
}

def QuantFloatPropagateTransposesPass
    : InterfacePass<"quant-float-propagate-transposes", "mlir::FunctionOpInterface"> {
  let summary = "Fold transposes into the indexing maps of contractions";
  let description = [{
    Matches `linalg.generic` ops on tensors whose innermost loop is a reduction.
    One operand is the result of an elementwise op that has no other use and
    transposes its input, so that the reduction dimension is not contiguous. The
    elementwise op then keeps the layout of its input. It is removed if it only
    transposes. The operand's indexing map expresses the transposition. An
    example is the Q*K^T matmul of attention, where keys are transposed and
    scaled. The results keep their bits: the order of accumulation is the same.

    ```
    %t = linalg.generic {indexing_maps = [(d0, d1) -> (d1, d0), (d0, d1) -> (d0, d1)]} ins(%keys : tensor<?x64xf32>)
    %y = linalg.generic /* (m, n, k), (k, n) */ ins(%x, %t : tensor<1x64xf32>, tensor<64x?xf32>)
    // becomes
    %s = linalg.generic {indexing_maps = [(d0, d1) -> (d0, d1), (d0, d1) -> (d0, d1)]} ins(%keys : tensor<?x64xf32>)
    %y = linalg.generic /* (m, n, k), (n, k) */ ins(%x, %s : tensor<1x64xf32>, tensor<?x64xf32>)
    ```

    The CPU pipeline runs this pass after `quant-float-fuse-weight-dequantization`.
  }];
  let statistics = [
    Statistic<"numFolded", "num-folded", "Number of transposes folded into indexing maps">
  ];
  let dependentDialects = ["mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect"];
}

def QuantFloatTileWindowChannelsPass
    : InterfacePass<"quant-float-tile-window-channels", "mlir::FunctionOpInterface"> {
  let summary = "Tile depthwise convolutions and pooling by channels";
  let description = [{
    Matches `linalg.generic` ops on tensors of static shape that slide a window
    along the last two dimensions of an image, and whose other parallel loops
    are those of the leading dimensions of the image: batches and channels. Tiles
    these loops, and fuses the padding of the image, the initialization of the
    accumulators, and the elementwise op that alone reads the result. The copies
    of the image that padding and `quant-float-flatten-conv-spatial-dims` make
    then fit into a cache. Each element is accumulated as before.

    ```
    %padded = tensor.pad %x ... : tensor<1x96x112x112xf32> to tensor<1x96x114x114xf32>
    %y = linalg.generic /* (n, c, h + r, w + s), (c, r, s) */ ins(%padded, %weights)
    // becomes
    scf.for %c = 0 to 96 step 1 {
      %slice = tensor.extract_slice %x[0, %c, 0, 0] [1, 1, 112, 112]
      %padded = tensor.pad %slice ... : tensor<1x1x112x112xf32> to tensor<1x1x114x114xf32>
      %tile = linalg.generic /* (n, c, h + r, w + s), (c, r, s) */ ins(%padded, ...)
      tensor.insert_slice %tile into ...[0, %c, 0, 0]
    }
    ```

    Images of less than 128 KiB are not tiled. The CPU pipeline runs this pass
    after `quant-float-fuse-elementwise` and before
    `quant-float-flatten-conv-spatial-dims`.
  }];
  let options = [
    Option<"parallel", "parallel", "bool", "false",
           "create parallel loops for large tensors">
  ];
  let statistics = [
    Statistic<"numTiled", "num-tiled", "Number of convolutions and poolings tiled">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::linalg::LinalgDialect", "mlir::scf::SCFDialect",
    "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatFlattenConvSpatialDimsPass
    : InterfacePass<"quant-float-flatten-conv-spatial-dims", "mlir::FunctionOpInterface"> {
  let summary = "Flatten the spatial dimensions of convolutions and pooling";
  let description = [{
    Matches `linalg.generic` ops on tensors with reductions that slide a window
    along the last two dimensions of one operand, the image, and start from a
    constant. Collapses both dimensions into one. Rows are then consecutive, and
    the window advances by one element between output positions, also across the
    end of a row. Results of positions that straddle two rows are dropped. A
    strided image is first de-interleaved by a copy to one image per stride
    phase (for stride 2: even and odd rows and columns). The copy also pads the
    image, and replaces a `tensor.pad` by a constant. Vectors of contiguous
    elements then extend across rows, even if the rows are short. Each output
    element is accumulated as before. If the sizes of the image are dynamic, the
    phases are de-interleaved but nothing is flattened.

    ```
    %y = linalg.generic /* (n, c, 2 * h + r, 2 * w + s) */ ins(%x, %weights : tensor<1x3x16x16xf32>, ...)
    // becomes
    %phases = linalg.generic /* (n, c, 2 * h + p, 2 * w + q) */ ins(%x) -> tensor<1x3x2x2x8x8xf32>
    %flat = tensor.collapse_shape %phases : ... into tensor<1x3x2x2x64xf32>
    %outs = linalg.generic /* (n, c, r mod 2, s mod 2, p + r floordiv 2 * 8 + s floordiv 2) */ ins(%flat, %weights)
    %rows = tensor.expand_shape %outs ...
    %y = tensor.extract_slice %rows ...
    ```

    Flattening requires that both dimensions are static. Rows are not flattened
    either if the window extends past the end of a row by about half of a row or
    more, because too many results would be dropped.

    The CPU pipeline runs this pass after `quant-float-fuse-elementwise`.
  }];
  let statistics = [
    Statistic<"numFlattened", "num-flattened", "Number of convolutions and poolings flattened">,
    Statistic<"numDeinterleaved", "num-deinterleaved",
              "Number of convolutions and poolings of dynamic size de-interleaved">
  ];
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
    fuses everything between the two matmuls into the loops. At any time, only
    the scores of one tile of rows exist, for all keys. The accumulation order
    does not change, so no result changes. Values that all tiles share, such as
    scaled keys, are computed before the loops.

    Small score matrices are not tiled. Neither are consecutive matmuls, such as
    those of feed-forward blocks, whose weights are larger than a cache and
    larger than the scores: each tile of rows would read all weights again.

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
  let statistics = [
    Statistic<"numFused", "num-fused", "Number of attention subgraphs fused into tiles of rows">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::scf::SCFDialect", "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatFuseBlockReductionsPass
    : InterfacePass<"quant-float-fuse-block-reductions", "mlir::FunctionOpInterface"> {
  let summary = "Fuse the reductions of blocks and rows into the quantization of their elements";
  let description = [{
    Matches elementwise `linalg.generic` ops on tensors that read a tensor and
    values that are computed from reductions of its blocks or rows, such as the
    scales of `quant_float.block_quantize`. The pass tiles such an op by full
    blocks, and fuses the reductions, and the ops on their results, into the
    tile loops. The tile of the input fits into the L1 data cache, so the input
    is read from memory only once.

    Computations in the body whose results all elements of a block share, such
    as the reciprocal of a scale, move to a separate op on blocks.

    ```
    %amax = linalg.generic /* largest magnitude of 32 */ ins(%blocks) ...
    %scale = linalg.generic /* scale */ ins(%amax) ...
    %y = linalg.generic /* quantize */ ins(%x, %scale) ...
    // becomes
    scf.for %i = 0 to 65536 step 4096 {
      %amax = linalg.generic /* largest magnitude of 32 */ ins(%blocks[%i floordiv 32])
      %scale = linalg.generic /* scale */ ins(%amax)
      %reciprocal = linalg.generic /* reciprocal */ ins(%scale)
      linalg.generic /* multiply and convert */ ins(%x[%i], %reciprocal)
    }
    ```

    *Producers.* If the results of the op have at most 8 bits, the pass also
    fuses the elementwise ops that compute its input, and the row reductions of
    a normalization. Float additions keep their order: each lane of a vector
    accumulates one row. The reductions of up to 16 rows are computed first.
    Then each row is normalized and quantized. Only tiles of the normalized
    tensor exist, unless other ops read it.

    ```
    scf.for %i = 0 to 4096 step 16 {
      %sums = linalg.generic /* sums of squares */ ins(%x[%i : %i + 16])
      scf.for %j = %i to %i + 16 {
        %norm = linalg.generic /* divide and scale */ ins(%x[%j], %sums)
        %amax = linalg.generic /* largest magnitude */ ins(%norm)
        %scale = linalg.generic /* scale */ ins(%amax)
        linalg.generic /* quantize */ ins(%norm, %scale)
      }
    }
    ```

    *Reductions of an entire tensor.* Reductions of the same tensor with the
    same loops become one op. If a tensor is both reduced as a whole and
    quantized, as before DynamicQuantizeLinear, the additions and
    multiplications that compute it are duplicated into both consumers, and the
    tensor is not stored. If the result has at least 1 Mi elements, up to 64 ops
    of any kind are duplicated.

    *Limits.* An op is not tiled if its block has more than 32768 elements (or,
    with floating-point row reductions, if four rows have more than 131072). It
    is not tiled either if it depends on an op that reads a reduction of the
    entire tensor, such as the computation of a tensor scale. If the number of
    blocks in a row is dynamic, tiles have 1024 elements, and the blocks after
    the last full tile form tiles of 16 blocks and of one block. If the tiles
    are entire rows of dynamic size, their producers are not fused.

    The CPU pipeline runs this pass after elementwise fusion, before
    bufferization.
  }];
  let options = [
    Option<"parallel", "parallel", "bool", "false",
           "create parallel loops for large tensors">
  ];
  let statistics = [
    Statistic<"numFused", "num-fused", "Number of ops with fused reductions">,
    Statistic<"numMerged", "num-merged",
              "Number of reductions merged with another one of their tensor">,
    Statistic<"numHoisted", "num-hoisted",
              "Number of ops whose computations for a block are hoisted">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::linalg::LinalgDialect",
    "mlir::scf::SCFDialect", "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatHoistOperandUpcastsPass
    : InterfacePass<"quant-float-hoist-operand-upcasts", "mlir::FunctionOpInterface"> {
  let summary = "Hoist operand upcasts out of contractions";
  let description = [{
    Matches a `linalg.generic` on tensors with reductions whose body casts an 8-
    or 16-bit float to f32 and only uses the result as an operand of
    multiplications. If each element is read many times, as in matmuls and
    convolutions, the cast moves to a separate elementwise op on the whole
    operand, so that each element is cast once.

    ```
    %y = linalg.generic /* (m, n, k), (m, k), (k, n) */ ins(%a, %b : tensor<16x?xf16>, tensor<?x32xf16>) outs(%c) {
    ^bb0(%x: f16, %w: f16, %sum: f32):
      %0 = quant_float.cast %x opset 28 : f16 to f32
      ...
    // becomes
    %wide = linalg.generic ins(%a : tensor<16x?xf16>) ... {
    ^bb0(%x: f16, %out: f32):
      %0 = quant_float.cast %x opset 28 : f16 to f32
      linalg.yield %0 : f32
    } -> tensor<16x?xf32>
    // The same for %b.
    %y = linalg.generic ins(%wide, %wide_b : tensor<16x?xf32>, tensor<?x32xf32>) outs(%c) ...
    ```

    The CPU pipeline runs this pass before `quant-float-tile-contractions`,
    which fuses the casts of weights into its tile loops again.
  }];
  let statistics = [
    Statistic<"numHoisted", "num-hoisted", "Number of operand upcasts hoisted">
  ];
  let dependentDialects = [
    "mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatTileContractionsPass
    : InterfacePass<"quant-float-tile-contractions", "mlir::FunctionOpInterface"> {
  let summary = "Tile contractions and dequantize their weights tile by tile";
  let description = [{
    Matches `linalg.generic` ops on tensors with reductions, such as a matmul or
    a convolution, one of whose operands is a weight. A weight is the result of
    an elementwise op on constants or function arguments, such as a
    dequantization. It has no other use, and is indexed by output channels that
    do not index any other operand. Key and value caches also count as weights.
    Caches of at most 8 bits may have dynamic sizes, and slices that the
    function appends. If both operands qualify, the weight is the quantized one,
    or else the larger one.

    The pass tiles the op along these channels and one reduction dimension, with
    tile size one along dimensions that both operands share (batches, heads). It
    fuses the dequantization into the loops, so that the dequantized weights
    never exist as a whole. In a tile of the weights (a panel), the channels are
    the innermost dimension if they are innermost in the output. Packed weights
    and weights with scales of blocks are decoded in the order of memory, and
    another op transposes the panel. Weights that need no dequantization are
    copied to such panels if they have another layout and there are many rows. A
    two-dimensional constant without other uses is transposed instead.

    ```
    %w = linalg.generic /* dequantize */ ins(%quantized : tensor<512x128xi8>) ...
    %y = linalg.generic /* matmul */ ins(%x, %w) ...
    // becomes
    scf.for %n = 0 to 128 step 64 {
      scf.for %k = 0 to 512 step 256 {
        %panel = linalg.generic /* dequantize */ ... -> tensor<256x64xf32>
        linalg.generic /* matmul */ ins(%x[:, %k:], %panel) outs(%y[:, %n:])
      }
    }
    ```

    With `parallel`, the loop over channels of a large contraction is an
    `scf.forall`, if the tile size divides the number of channels. Each result
    is accumulated by one thread, in the same order.

    The CPU pipeline runs this pass after `quant-float-hoist-operand-upcasts`,
    before bufferization.
  }];
  let options = [
    Option<"parallel", "parallel", "bool", /*default=*/"false",
           "whether to distribute the channels of large contractions among threads">
  ];
  let statistics = [
    Statistic<"numTiled", "num-tiled", "Number of contractions tiled">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::scf::SCFDialect", "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatPadIntoDestinationPass
    : InterfacePass<"quant-float-pad-into-destination", "mlir::FunctionOpInterface"> {
  let summary = "Compute elements directly into the padded tensor";
  let description = [{
    Matches a `tensor.pad` of static shape with a constant value, whose source
    is an elementwise `linalg.generic` without other uses. Replaces the pad by a
    fill; the op writes its results to the interior of the filled tensor, and no
    copy is made. Tensors of packed sub-byte elements are still copied.

    ```
    %y = linalg.generic /* elementwise */ ins(%x) outs(%empty) -> tensor<14x14xf32>
    %p = tensor.pad %y low[1, 1] high[1, 1] { /* yields %zero */ } : tensor<14x14xf32> to tensor<16x16xf32>
    // becomes
    %filled = linalg.fill ins(%zero : f32) outs(%padded : tensor<16x16xf32>) -> tensor<16x16xf32>
    %interior = tensor.extract_slice %filled[1, 1] [14, 14] [1, 1] : tensor<16x16xf32> to tensor<14x14xf32>
    %y = linalg.generic /* elementwise */ ins(%x) outs(%interior) -> tensor<14x14xf32>
    %p = tensor.insert_slice %y into %filled[1, 1] [14, 14] [1, 1] : tensor<14x14xf32> into tensor<16x16xf32>
    ```

    A chain of `tensor.insert_slice` that starts with a `tensor.empty` and is
    materialized in an argument starts with that argument instead, so that
    the producers of the slices write to it.

    Runs before bufferization, which would copy the source of the pad.
  }];
  let statistics = [
    Statistic<"numPads", "num-pads", "Number of pads replaced by writes to their interior">
  ];
  let dependentDialects = [
    "mlir::bufferization::BufferizationDialect", "mlir::linalg::LinalgDialect",
    "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatHoistFillsPass
    : InterfacePass<"quant-float-hoist-fills", "mlir::FunctionOpInterface"> {
  let summary = "Hoist fills of padded buffers out of loops";
  let description = [{
    Moves a linalg op that fills an allocation with one value out of an
    `scf.for`, if each iteration overwrites the same parts of the allocation
    before it reads any. All other elements keep the value of the fill. In a
    loop over the channels of a convolution, these are the padding around the
    image.

    ```mlir
    scf.for %channel = %c0 to %c16 step %c1 {
      linalg.fill ins(%zero : f32) outs(%padded : memref<66x66xf32>)
      %image = memref.subview %x[%channel, 0, 0] [1, 64, 64] [1, 1, 1]
          : memref<16x64x64xf32> to memref<64x64xf32, strided<[64, 1], offset: ?>>
      %interior = memref.subview %padded[1, 1] [64, 64] [1, 1]
          : memref<66x66xf32> to memref<64x64xf32, strided<[66, 1], offset: 67>>
      memref.copy %image, %interior
          : memref<64x64xf32, strided<[64, 1], offset: ?>> to memref<64x64xf32, strided<[66, 1], offset: 67>>
      // Ops that read %padded.
    }
    ```

    Runs after bufferization and the hoisting of allocations.
  }];
  let statistics = [
    Statistic<"numHoisted", "num-hoisted", "Number of fills moved out of a loop">
  ];
}

def QuantFloatPackVnniOperandsPass
    : InterfacePass<"quant-float-pack-vnni-operands", "mlir::FunctionOpInterface"> {
  let summary = "Pack 8-bit matmul operands for dot-product instructions";
  let description = [{
    Matches `linalg.generic` ops on tensors that accumulate products of 8-bit
    integers, each minus a zero point, in i32: matmuls and convolutions. If the
    CPU of the module attribute `quant_float.target` has instructions that
    accumulate the products of four bytes or two 16-bit integers per lane, the
    pass packs elements that are adjacent along the reduction dimension of both
    operands into i32 elements, and rewrites the op to one on packed operands.
    Its attribute `quant_float.packed_operands` holds the types of the packed
    elements of each operand. The op keeps its loops and reductions.

    Bytes are packed if an instruction accumulates them exactly (VNNI, Arm's dot
    product). This may add 128 to signed values to make them unsigned; the
    initial value of the accumulators compensates for this and for the zero
    points. Otherwise each i32 element holds two 16-bit differences (AVX-512,
    AVX2, SSE2). Constants are packed at compile time, except those with 16-bit
    differences in matmuls of many rows, which pack panels that fit a cache.

    ```
    linalg.generic ins(%a, %b : tensor<64x256xi8>, tensor<256x64xi8>)
        outs(%c : tensor<64x64xi32>)
    // becomes
    %aw = linalg.generic ins(%a, %a, %a, %a) outs(... : tensor<64x64xi32>)
    %bw = linalg.generic ins(%b, %b, %b, %b) outs(... : tensor<64x64xi32>)
    linalg.generic ins(%aw, %bw) outs(%c) attrs = {quant_float.packed_operands = [ui8, si8]}
    ```

    Additions of i32 wrap, so every accumulation order gives the same bits.

    The CPU pipeline runs this pass before `quant-float-tile-contractions`;
    `quant-float-vectorize-reductions` selects the instructions.
  }];
  let statistics = [
    Statistic<"numPacked", "num-packed", "Number of contractions whose operands are packed">
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
    Matches `linalg.generic` ops on memrefs with reductions, whose number of
    iterations outweighs the cost of waking threads. Tiles one of the parallel
    loops by an `scf.forall` over equal parts: channels of a convolution, rows
    of a matmul, or columns if there are few rows. Reduction loops are never
    split, so the bits do not depend on the number of threads.

    There is one part per thread if the loop extent is divisible. Otherwise
    there are more parts, eight if possible. Block boundaries of scales coincide
    with part boundaries. A dynamic size counts as one. If no loop has equal
    parts, or the results are packed, one thread computes the op.

    ```
    linalg.generic /* matmul */ ins(%a, %b : memref<96x128xf32>, memref<128x96xf32>) outs(%c : memref<96x96xf32>)
    // becomes, with threads=2
    scf.forall (%i) = (0) to (96) step (48) {
      %a_i = memref.subview %a[%i, 0] [48, 128] [1, 1] : ...
      %c_i = memref.subview %c[%i, 0] [48, 96] [1, 1] : ...
      linalg.generic /* matmul */ ins(%a_i, %b) outs(%c_i)
    }
    ```

    The CPU pipeline runs this pass on memrefs, before
    `quant-float-configure-reductions`, if there are several threads.
  }];
  let options = [
    Option<"threads", "threads", "unsigned", /*default=*/"0",
           "number of threads; 0 means unknown">
  ];
  let statistics = [
    Statistic<"numDistributed", "num-distributed",
              "Number of reductions distributed among threads">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::linalg::LinalgDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect"
  ];
}

def QuantFloatFuseEpiloguesPass
    : InterfacePass<"quant-float-fuse-epilogues", "mlir::FunctionOpInterface"> {
  let summary = "Fuse elementwise epilogues into tile loops of reductions";
  let description = [{
    Matches an elementwise `linalg.generic` on memrefs, such as an activation or
    a requantization, that reads the result of a reduction without other
    readers. Fuses both into a loop over blocks of the results, which gets the
    attribute `quant_float.tile_loop`: the reduction writes a block to a buffer
    of the block's size, and the elementwise op writes the block's part of the
    output. The buffer for all results of the reduction is removed, and each
    element is accumulated as before.

    ```
    linalg.generic ... outs(%acc : memref<1x64x4096xf32>)          // zeros or a bias
    linalg.generic ... ins(%x, %w) outs(%acc)                      // the reduction
    linalg.generic ... ins(%acc) outs(%y : memref<1x64x4096xf32>)  // ReLU
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
    are not fused if there is no such size, if all results fit in one block, if
    sizes are dynamic, or if several ops read the result of the reduction.

    The CPU pipeline runs this pass after
    `quant-float-lower-weight-contractions`, if there is one thread. With
    several threads, the reduction is distributed among them, but not its
    epilogue.
  }];
  let options = [
    Option<"blockBytes", "block-bytes", "int64_t", /*default=*/"1 << 17",
           "maximum size of a block of accumulators in bytes">,
    Option<"vectorBytes", "vector-bytes", "int64_t", /*default=*/"16",
           "size of a vector register in bytes">
  ];
  let statistics = [
    Statistic<"numFused", "num-fused", "Number of epilogues fused into reductions">
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
    Replaces the allocations of static size in a block by views of one
    allocation. The pass matches buffers that are allocated and freed in the
    entry block of the function, or in a branch of an `scf.if` there. Buffers
    with overlapping lifetimes do not overlap in memory.

    ```
    %a = memref.alloc() : memref<128x256xf32>
    ...
    %b = memref.alloc() : memref<128x256xf32>
    ...
    memref.dealloc %a : memref<128x256xf32>
    %c = memref.alloc() : memref<100x300xf32>
    // becomes
    %all = memref.alloc() {alignment = 64 : i64} : memref<262144xi8>
    %a = memref.view %all[%c0][] : memref<262144xi8> to memref<128x256xf32>
    ...
    %b = memref.view %all[%c131072][] : memref<262144xi8> to memref<128x256xf32>
    ...
    %c = memref.view %all[%c0][] : memref<262144xi8> to memref<100x300xf32>
    ```

    malloc maps large blocks and unmaps them when they are freed, so that every
    call causes page faults. It adapts to the size of the one allocation and
    keeps the memory for the next call. Therefore the pass only applies if the
    buffers have at least 128 KiB together: malloc does not map smaller blocks.

    Buffers of dynamic size remain separate. If there are any, the function
    allocates and frees one more block at its end. Its size is the number of
    bytes that were live at the same time, so that malloc adapts to this size as
    well.

    The CPU pipeline runs this pass on memrefs, after
    `quant-float-fuse-epilogues`.
  }];
  let statistics = [
    Statistic<"numMerged", "num-merged", "Number of allocations replaced by views of a merged one">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect", "mlir::memref::MemRefDialect"
  ];
}

def QuantFloatConfigureReductionsPass
    : InterfacePass<"quant-float-configure-reductions", "mlir::FunctionOpInterface"> {
  let summary = "Choose how reductions on memrefs are lowered";
  let description = [{
    Matches `linalg.generic` ops on memrefs with reductions, and chooses the
    loops for each from its indexing maps, its sizes and the CPU of the module
    attribute `quant_float.target`. Sets the result as the attribute
    `quant_float.lowering_config` of the op: a strategy, an instruction and tile
    sizes. An op that already has the attribute keeps it, so a config can be
    written by hand.

    The choice is separate from the code that emits the loops, so that tests and
    `--explain` can show it. The pass runs right before
    `quant-float-vectorize-reductions`, with the same options. That pass emits
    the loops of the config.

    The tile sizes are the rows (M) and lanes (N) of a tile of accumulators and,
    with a panel, the steps of the reduction loops (K) in it. The pass chooses
    the first applicable strategy:

    - `window_rows`: a depthwise convolution or a pooling with stride one, whose
      rows and windows are static. Four rows of the result share the loads of a
      window of at most 49 elements.
    - `panels`, `matrix_tiles`: a floating-point matmul or convolution, or one
      of packed operands for which the CPU has a dot-product instruction, with
      at least 16 rows. A panel has at most 64 KiB, which the L2 cache holds. If
      all sizes are static and the CPU has a matrix instruction for the operand
      types, the instruction is that one. The strategy is `matrix_tiles` for
      instructions on tile registers (AMX), and `panels` for others (Arm's
      I8MM). If the number of rows is dynamic, `otherwise` is the config for
      fewer rows.
    - `square_blocks`: an input is contiguous along the innermost reduction
      loop, and not along the vectors. With a static number of rows, this
      strategy precedes `panels`.
    - `vectors`: another reduction whose output has a contiguous loop, and whose
      body can be vectorized. Half of the registers hold accumulators, or three
      quarters for floating-point contractions.
    - `folded`: a minimum, a maximum or an integer sum, whose result does not
      depend on the accumulation order, if no loop of the output can be
      vectorized.
    - `scalar`: any other reduction.

    The pass emits a remark for each contraction: the config, and the
    requirements of better instructions of
    include/quant-float/TargetInfo/MatrixInstructions.def.

    For example, this matmul has 64 rows, which share panels. A tile of
    accumulators has 6 rows and 16 lanes, and a panel has all 512 steps of K:

    ```mlir
    linalg.generic {
        indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                         affine_map<(m, n, k) -> (k, n)>,
                         affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : memref<64x512xf32>, memref<512x64xf32>)
        outs(%y : memref<64x64xf32>)
        attrs = {quant_float.lowering_config =
                     #quant_float.lowering_config<panels tiles = [[6, 16, 512]]>} {
    ^bb0(%lhs: f32, %rhs: f32, %sum: f32):
      %next = math.fma %lhs, %rhs, %sum : f32
      linalg.yield %next : f32
    }
    ```
  }];
  let options = [
    Option<"vectorBytes", "vector-bytes", "int64_t", /*default=*/"16",
           "size of a vector register in bytes">,
    Option<"registers", "registers", "int64_t", /*default=*/"16",
           "number of vector registers">,
  ];
  let dependentDialects = ["mlir::quant_float::QuantFloatDialect"];
}

def QuantFloatVectorizeReductionsPass
    : InterfacePass<"quant-float-vectorize-reductions", "mlir::FunctionOpInterface"> {
  let summary = "Lower reductions on memrefs to vector loops";
  let description = [{
    Matches `linalg.generic` ops on memrefs with reductions, and lowers them to
    `scf` loops of vector ops that hold tiles of the output in registers.

    Upstream's vectorizer rejects the indexing maps of convolutions, and creates
    vector reductions, whose accumulation order depends on the target. This pass
    vectorizes across output elements instead. Each element is accumulated in
    the order of the op's loops, so that its bits depend neither on tile sizes
    nor on the target.

    The attribute `quant_float.lowering_config`, which
    `quant-float-configure-reductions` sets, determines the loops. An op without
    the attribute is lowered as if that pass had run. It is an error if the
    strategy, the instruction or the tile sizes are not applicable to the op and
    the target.

    The tile sizes are [M, N], or [M, N, K] with a panel:

    - `vectors`: vectors run along the innermost dimension of the output. A tile
      of M rows by N lanes is accumulated in registers. The rows share the
      vectors that do not change along them, and all rows of one column of
      vectors are computed before the next column. M is at most 64, or 1 if no
      loop shares the vectors. N is the size of a vector, or of several full
      registers, at most as many as hold accumulators.
    - `window_rows`: the same for windows that slide over an image. The M rows
      of a tile share the loads of the image.
    - `square_blocks`: the same for a transposed operand, whose rows are along
      K. It is loaded in square blocks, which are transposed by shuffles. If M
      is 1 and the result does not depend on the accumulation order, each lane
      is reduced separately instead. N is one register.
    - `panels`: the vectors that rows share are first packed into a contiguous
      panel of K steps, at most 64 KiB. All columns are processed for one such
      part of K before the next part. K is a multiple of the iterations of the
      inner reduction loops.
    - `matrix_tiles`, and `panels` with a matrix instruction: blocks of the
      panel are multiplied by blocks of rows, several steps of K at once. The
      panel is padded with zeros to full blocks along K. Tile registers are
      configured to the sizes of the row and lane remainders.
    - `folded`: the only tile size is K, a power of two. Vectors of K elements
      run along the innermost reduction loop, and are combined after it.
    - `scalar`: there are no tile sizes. The elements of the output are computed
      one by one.

    If the config has `otherwise`, the code selects one of two versions at run
    time: the config applies to at least 16 rows, `otherwise` to fewer.

    The remainder uses masked vectors if the registers are large enough for
    masks on all element types of the op, and narrower vectors and scalars
    otherwise.

    ```
    linalg.generic {... quant_float.lowering_config = #quant_float.lowering_config<vectors tiles = [[4, 8]]>}
        ins(%a, %b : memref<8x32xf32>, memref<32x16xf32>) outs(%c : memref<8x16xf32>)
    // becomes
    scf.for %n = %c0 to %c16 step %c8 {
      scf.for %m = %c0 to %c8 step %c4 {
        %init0 = vector.load %c[%m, %n] : memref<8x16xf32>, vector<8xf32>
        // The same for three more rows.
        %sum:4 = scf.for %k = %c0 to %c32 step %c1 iter_args(%acc0 = %init0, ...) {
          %lhs0 = memref.load %a[%m, %k] : memref<8x32xf32>
          %rhs = vector.load %b[%k, %n] : memref<32x16xf32>, vector<8xf32>
          %splat0 = vector.broadcast %lhs0 : f32 to vector<8xf32>
          %next0 = math.fma %splat0, %rhs, %acc0 : vector<8xf32>
          // The same for three more rows, which also read %rhs.
          scf.yield %next0, ...
        }
        vector.store %sum#0, %c[%m, %n] : memref<8x16xf32>, vector<8xf32>
        // The same for three more rows.
      }
    }
    ```

    Runs on memrefs, after `quant-float-configure-reductions` and before
    `quant-float-tile-and-vectorize`, which vectorizes ops without reductions.
  }];
  let options = [
    Option<"vectorBytes", "vector-bytes", "int64_t", /*default=*/"16",
           "size of a vector register in bytes">,
    Option<"registers", "registers", "int64_t", /*default=*/"16",
           "number of vector registers">,
  ];
  let statistics = [
    Statistic<"numVectorized", "num-vectorized", "Number of reductions lowered to vector loops">,
    Statistic<"numScalar", "num-scalar", "Number of reductions lowered to scalar loops">
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
    Matches kernels on memrefs whose results do not change if subnormal operands
    and results of arithmetic are treated as zero, and sets the attribute
    `quant_float.flushes_subnormals` on them. The entry runtime then calls the
    kernel with the processor flags for this mode. The pass leaves a kernel
    unchanged if it cannot prove that no bit changes, or if no arithmetic of the
    kernel can have subnormal operands.

    Arithmetic on subnormals is about 100 times slower on Intel CPUs. Most
    conversions to narrow floats or integers turn subnormals into zeros, or add
    them to much larger numbers, so that flushing them changes no result.

    The analysis follows the floats of a kernel through `linalg.generic` ops. If
    elements are multiplied or divided by a scale, or a shift is added to them,
    the kernel checks the scales and shifts at run time, once for each buffer.
    If the magnitude of one is not between 2^-30 and 2^30, the kernel clears the
    flags (`__qf_keep_subnormals`) before it computes anything:

    ```
    func.func @quantize.kernel(%x: memref<?xf32>, %scale: memref<f32>, %y: memref<?xi8>)
        attributes {quant_float.entry_point = {...}} {
      linalg.generic ... ins(%x, %scale) outs(%y)  // quantize_elements
    }
    // becomes
    func.func @quantize.kernel(%x: memref<?xf32>, %scale: memref<f32>, %y: memref<?xi8>)
        attributes {quant_float.entry_point = {...}, quant_float.flushes_subnormals} {
      %0 = memref.load %scale[] : memref<f32>
      %in_range = ...
      %out_of_range = arith.xori %in_range, %true : i1
      scf.if %out_of_range {
        func.call @__qf_keep_subnormals() : () -> ()
      }
      linalg.generic ... ins(%x, %scale) outs(%y)
    }
    ```

    The instructions of F16C and AVX512-FP16 preserve f16 subnormals even if the
    flags are set. It is not known whether those of AVX10.2 do. With
    `preserve-f16-subnormals`, the pass therefore leaves kernels with f16 values
    unchanged.

    The CPU pipeline runs this pass on memrefs, for x86 targets, after
    `quant-float-outline-kernels` and before `quant-float-lower-copies`.
  }];
  let options = [
    Option<"preserveF16Subnormals", "preserve-f16-subnormals", "bool", "false",
           "do not flush in kernels with f16 values">
  ];
  let statistics = [
    Statistic<"numFlushing", "num-flushing", "Number of kernels that flush subnormals">,
    Statistic<"numChecked", "num-checked", "Number of parameter buffers checked at run time">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::vector::VectorDialect"
  ];
}

def QuantFloatDeinterleaveStridedCopiesPass
    : InterfacePass<"quant-float-deinterleave-strided-copies", "mlir::FunctionOpInterface"> {
  let summary = "Lower strided copies to vector de-interleaving";
  let description = [{
    Matches a `linalg.generic` on memrefs that copies every other element along
    the last dimension, by an index `d * 2` or `d * 2 + phase`. Lowers it to
    contiguous vector loads whose elements are de-interleaved in registers. All
    loads are in bounds of the row. If a row's size is dynamic, its remainder
    uses narrower vectors.

    `quant-float-flatten-conv-spatial-dims` creates such copies. The CPU
    pipeline runs this pass before `quant-float-vectorize-reductions`.
  }];
  let options = [
    Option<"vectorBytes", "vector-bytes", "int64_t", "32",
           "size of a vector register in bytes">,
  ];
  let statistics = [
    Statistic<"numLowered", "num-lowered", "Number of strided copies lowered">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::vector::VectorDialect"
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

    Runs after `quant-float-fuse-parallel-regions` and before
    `convert-scf-to-cf`.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def QuantFloatUseNontemporalStoresPass
    : Pass<"quant-float-use-nontemporal-stores", "mlir::ModuleOp"> {
  let summary = "Use non-temporal stores for large results";
  let description = [{
    Matches `scf.for` loops in kernels that write consecutive vectors to buffers
    that they do not read, and adds a second version of each loop, which uses
    non-temporal stores. The kernel selects this version at run time if the
    total size of the buffers that the loop reads and writes exceeds a
    threshold, or half of the threshold if the loop reads more bytes than it
    writes. The entry runtime provides the threshold: the size of the last-level
    cache, but at most 32 MiB, or 8 MiB on Intel CPUs.

    An ordinary store to memory that is not cached first reads the cache line. A
    non-temporal store of a full line does not, and does not evict other data.
    It is slower if the results fit into the caches.

    The second version also prefetches its inputs 8 KiB ahead, across the ends
    of rows. Non-temporal stores require aligned addresses. If the results are
    not aligned to cache lines, the second version starts at the next line. The
    original loop, with other bounds and another step, first computes one full
    vector at each end. Loops over blocks of scales cannot start at any element,
    so they use the second version only if the results are aligned. A fence
    follows the stores.

    ```
    scf.for %i = %lb to %ub step %c64 {
      %y_i = memref.subview %y[%i] [64] [1] : memref<?xi8> to memref<64xi8, strided<[1], offset: ?>>
      vector.transfer_write %v, %y_i[%c0] {in_bounds = [true]} : vector<64xi8>, ...
    }
    // becomes
    %large = arith.cmpi ugt, %bytes, %threshold : index
    %nontemporal = arith.andi %large, %aligned : i1
    // If %nontemporal, this loop computes only the vectors at both ends.
    scf.for %i = %lb to %end step %step { ... }
    scf.if %nontemporal {
      scf.for %i = %shifted_lb to %shifted_ub step %c64 {
        memref.prefetch %x[%i_plus_8_KiB], read, locality<3>, data : memref<?xf32>
        vector.store %v, %y_i[%c0] {alignment = 64, nontemporal = true} : ...
      }
    }
    scf.if %large {
      llvm.fence seq_cst
    }
    ```

    A loop gets no second version in these cases:

    - The surrounding loops overwrite the same tile in each iteration, so it
      should remain in the caches. If such a loop reads a large buffer, it only
      gets prefetches of the next tile.
    - All buffers have static sizes, with a total of less than 4 MiB.
    - The function has more than 64 such loops.

    Runs after `quant-float-lower-strided-transfers`, and before
    `quant-float-lower-packed-elements`, on vector transfers in `scf.for` loops.
  }];
  let statistics = [
    Statistic<"numSplit", "num-split",
              "Number of loops with a second version that uses non-temporal stores">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::func::FuncDialect", "mlir::LLVM::LLVMDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::vector::VectorDialect"
  ];
}

def QuantFloatOutlineDuplicateReductionsPass
    : Pass<"quant-float-outline-duplicate-reductions", "mlir::ModuleOp"> {
  let summary = "Outline equal reductions into shared functions";
  let description = [{
    Outlines linalg ops on memrefs with reductions into internal functions. Ops
    that only differ in their buffers, and in the offsets into them, call the
    same function, so that layers that a network repeats are compiled once.

    ```
    linalg.generic /* reduction */ ins(%x : memref<4x8xf32>) outs(%z0 : memref<4xf32, strided<[1]>>) ...
    linalg.generic /* the same */ ins(%y : memref<4x8xf32>) outs(%z1 : memref<4xf32, strided<[1], offset: 4>>) ...
    // becomes
    %a = memref.cast %z0 : ... to memref<4xf32, strided<[1], offset: ?>>
    call @shared.reduction(%x, %a)
    %b = memref.cast %z1 : ... to memref<4xf32, strided<[1], offset: ?>>
    call @shared.reduction(%y, %b)
    ```

    - If a module has more than `unique-threshold` such ops, the pass also
      outlines ops that occur only once, because LLVM's compile time grows
      faster than linearly with the size of a function.
    - If more than `merge-threshold` functions differ only in the extent of the
      reduction, they are merged into one with a dynamic extent. Functions on
      packed operands are not merged, because matrix instructions require a
      static extent.
    - The op that initializes the output is outlined together with the
      reduction, if no other op uses the output in between.
    - Ops in loops (except loops over large blocks) are not outlined.

    The CPU pipeline runs this pass after bufferization.
  }];
  let options = [
    Option<"uniqueThreshold", "unique-threshold", "unsigned", /*default=*/"8",
           "number of reductions in a module above which unique ones are outlined, too">,
    Option<"mergeThreshold", "merge-threshold", "unsigned", /*default=*/"4",
           "number of functions that only differ in the reduction extent above which "
           "they are merged; 0 disables merging">
  ];
  let statistics = [
    Statistic<"numOutlined", "num-outlined", "Number of reductions replaced by calls">,
    Statistic<"numFunctions", "num-functions", "Number of functions created">
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
    If an entry point has more than `kernel-threshold` linalg ops and loops on
    memrefs, outlines each of them into an internal function. Equal ops share a
    function. With `min-duplicates`, only ops that occur at least this often are
    outlined. If no two arguments of a function alias, it has the attribute
    `quant_float.noalias`.

    The pass limits compile time, because several LLVM passes are quadratic in
    the size of a function. Code is also faster: in large functions, LLVM
    reloads constants in loops.

    ```
    scf.for %i = %c0 to %n step %c1 { ... memref.store %1, %y[%i] ... }
    // becomes
    call @shared.kernel(%n, %x, %y)
    ```

    Runs after `quant-float-outline-duplicate-reductions`, which outlines
    reductions.
  }];
  let options = [
    Option<"kernelThreshold", "kernel-threshold", "unsigned", /*default=*/"16",
           "number of kernels in a function above which they are outlined">,
    Option<"minDuplicates", "min-duplicates", "unsigned", /*default=*/"1",
           "minimum number of equal kernels to outline">
  ];
  let statistics = [
    Statistic<"numOutlined", "num-outlined", "Number of kernels replaced by calls">,
    Statistic<"numFunctions", "num-functions", "Number of functions created">
  ];
  let dependentDialects = [
    "mlir::LLVM::LLVMDialect", "mlir::func::FuncDialect",
    "mlir::memref::MemRefDialect"
  ];
}

def QuantFloatOutlineDuplicateCastsPass : Pass<"quant-float-outline-duplicate-casts", "mlir::ModuleOp"> {
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
  let statistics = [
    Statistic<"numOutlined", "num-outlined", "Number of casts replaced by calls">,
    Statistic<"numFunctions", "num-functions", "Number of functions created">
  ];
  let dependentDialects = ["mlir::func::FuncDialect", "mlir::LLVM::LLVMDialect"];
}

def QuantFloatFuseParallelRegionsPass
    : InterfacePass<"quant-float-fuse-parallel-regions", "mlir::FunctionOpInterface"> {
  let summary = "Fuse consecutive omp.parallel regions";
  let description = [{
    Fuses consecutive `omp.parallel` regions into one, because waking threads
    takes as long as converting some ten thousand elements. Ops between the
    regions move before the fused region, if they only read memory that the
    regions do not write. If no later worksharing loop of the region depends on
    a loop, the loop has no barrier at its end (`nowait`). The pass knows that
    allocations, constants and kernel arguments do not alias.

    ```
    omp.parallel { omp.wsloop { /* %a[i] = f(%x[i]) */ } }
    %n = memref.dim %y, %c0 : memref<?xf32>
    omp.parallel { omp.wsloop { /* %b[i] = f(%y[i]) for i < %n */ } }
    // becomes
    %n = memref.dim %y, %c0 : memref<?xf32>
    omp.parallel {
      omp.wsloop nowait { /* %a[i] = f(%x[i]) */ }
      omp.wsloop { /* %b[i] = f(%y[i]) for i < %n */ }
    }
    ```

    Runs after `convert-scf-to-openmp`.
  }];
  let statistics = [
    Statistic<"numFused", "num-fused",
              "Number of omp.parallel regions fused into the previous one">
  ];
}

def QuantFloatLowerMinMaxPass
    : InterfacePass<"quant-float-lower-min-max", "mlir::FunctionOpInterface"> {
  let summary = "Lower minima and maxima to instructions of x86";
  let description = [{
    Lowers `arith.maximumf` and `arith.minimumf` on vectors of f32 and f64,
    which order zeros and propagate NaN, to x86 instructions. `vmaxps` does
    neither: LLVM corrects its operands and its result for each op.

    - The maximum of a vector and +0 becomes an addition of +0, which turns -0
      into +0, followed by `vmaxps`.
    - Any other minimum or maximum becomes `vrangeps` with `range`, and
      otherwise two `vminps` or `vmaxps` and a bitwise operation. NaN is
      selected once at the end of a chain of ops. Each comparison for NaN tests
      two elements.

    ```
    %0 = arith.maximumf %a, %b : vector<16xf32>
    %1 = arith.maximumf %0, %c : vector<16xf32>
    // becomes, with range and vector-bytes=64
    %0 = llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.512"(%a, %b, ...)
    %1 = llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.512"(%0, %c, ...)
    %2 = arith.cmpf ord, %a, %b : vector<16xf32>
    %3 = arith.cmpf ord, %c, %c : vector<16xf32>
    %4 = arith.andi %2, %3 : vector<16xi1>
    %5 = arith.select %4, %1, %nan : vector<16xi1>, vector<16xf32>
    ```

    Runs after `quant-float-flush-subnormals`, which analyzes the original ops.
  }];
  let options = [
    Option<"vectorBytes", "vector-bytes", "int64_t", /*default=*/"32",
           "size of a vector register in bytes: 16, 32 or 64">,
    Option<"range", "range", "bool", /*default=*/"false",
           "the target has AVX-512DQ and AVX-512VL">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect",
    "mlir::vector::VectorDialect"
  ];
}

def QuantFloatVectorizeTransposesPass
    : InterfacePass<"quant-float-vectorize-transposes", "mlir::FunctionOpInterface"> {
  let summary = "Vectorize elementwise ops that transpose an input";
  let description = [{
    Matches elementwise `linalg.generic` ops on memrefs whose outputs are
    contiguous along one loop, and that have an input which is contiguous along
    another loop. Emits loops over square blocks of 4, 8 or 16
    rows and columns, which are transposed in registers. The last blocks overlap
    the previous ones. If the extents are dynamic, the op remains for extents
    that are smaller than a block.

    ```mlir
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>,
                                     affine_map<(i, j) -> (i, j)>],
                    iterator_types = ["parallel", "parallel"]}
        ins(%x : memref<64x32xf32>) outs(%y : memref<32x64xf32>) {
    ^bb0(%a: f32, %b: f32):
      linalg.yield %a : f32
    }
    ```

    Runs before `quant-float-tile-and-vectorize`, which would load the input
    element by element.
  }];
  let options = [
    Option<"vectorBytes", "vector-bytes", "int64_t", /*default=*/"32",
           "size of a vector register in bytes">,
    Option<"parallel", "parallel", "bool", /*default=*/"false",
           "distribute large ops among threads">
  ];
  let statistics = [
    Statistic<"numVectorized", "num-vectorized",
              "Number of ops lowered to transposed blocks">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::vector::VectorDialect"
  ];
}

def QuantFloatBroadcastFromMemoryPass
    : Pass<"quant-float-broadcast-from-memory", "mlir::ModuleOp"> {
  let summary = "Broadcast floats from memory by integer instructions";
  let description = [{
    Matches, on x86 with AVX-512, a float that is loaded and broadcast to all
    lanes of a 64-byte vector, and that has several uses. Replaces the load and
    the broadcast by inline assembly with `vpbroadcastd`. LLVM would select
    `vbroadcastss`, which also occupies a floating-point port on Zen 4 and
    lengthens matmuls by up to a quarter. A broadcast with one use is not
    replaced, because LLVM folds it into the instruction that uses it.

    Runs after `quant-float-assume-no-alignment`.
  }];
  let statistics = [
    Statistic<"numBroadcasts", "num-broadcasts",
              "Number of broadcasts loaded by integer instructions">
  ];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

#endif // QUANT_FLOAT_CODEGEN_CPU_PASSES_TD
