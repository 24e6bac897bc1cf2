//===- Passes.td - Code generation for GPUs ----------------*- tablegen -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CODEGEN_GPU_PASSES_TD
#define QUANT_FLOAT_CODEGEN_GPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def QuantFloatCommutePadAndDequantizePass
    : InterfacePass<"quant-float-commute-pad-and-dequantize", "mlir::FunctionOpInterface"> {
  let summary = "Pad float8 values before dequantization instead of after it";
  let description = [{
    Replaces a `tensor.pad` with zeros of the result of a `linalg.generic` that
    dequantizes f8E4M3FN or f8E5M2 and multiplies by scales, by a pad of the
    float8 values followed by the dequantization. A convolution can then fuse
    the dequantization, and matrix instructions multiply the float8 values.

    Zero times an infinite or NaN scale is not zero, and zeros may change their
    sign. The GPU pipeline therefore runs this pass only if reductions may be
    reassociated (`accumulation=reassociate`).
  }];
  let statistics = [
    Statistic<"numCommuted", "num-commuted", "Number of pads moved before a dequantization">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatOutlineScalarGpuKernelsPass
    : InterfacePass<"quant-float-outline-scalar-gpu-kernels", "mlir::FunctionOpInterface"> {
  let summary = "Outline scalar code to single-thread GPU kernels";
  let description = [{
    Converts consecutive loads and stores, and loops and branches that contain
    nothing else, to a `gpu.launch` of one thread, together with the arithmetic
    between them and the ops that depend on the loaded values. The kernel
    preserves program order; it is correct but not fast. Linalg ops, and loops
    around them, are left unchanged.

    Values that the host needs, such as a condition, a trip count or the size of
    a buffer, are copied to a host buffer after the launch. If the device has
    failed, an entry point returns at this point; other functions continue with
    zeros.

    Runs on memrefs, before `quant-float-convert-asserts-to-status`.
  }];
  let options = [
    Option<"module", "module", "std::string", /*default=*/"\"quant_float_kernels\"",
           "symbol of the gpu.module for the kernels">
  ];
  let statistics = [
    Statistic<"numKernels", "num-kernels", "Number of single-thread kernels created">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::cf::ControlFlowDialect",
    "mlir::gpu::GPUDialect", "mlir::memref::MemRefDialect"
  ];
}

def QuantFloatAlignWorkgroupMemoryPass
    : Pass<"quant-float-align-workgroup-memory", "mlir::gpu::GPUFuncOp"> {
  let summary = "Align workgroup memory to 32 bytes";
  let description = [{
    Sets an alignment of 32 bytes, the width of the widest vector access, on the
    workgroup attributions of a `gpu.func`. `gpu.launch` has no attributes for
    its attributions, so this pass runs after `gpu-kernel-outlining`.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def QuantFloatConfigureGpuKernelsPass
    : InterfacePass<"quant-float-configure-gpu-kernels", "mlir::FunctionOpInterface"> {
  let summary = "Choose a GPU kernel for each linalg op";
  let description = [{
    Sets the attribute `quant_float.lowering_config` of linalg ops on memrefs:
    the kernel that `quant-float-fuse-gpu-reductions` and
    `quant-float-outline-gpu-kernels` build, which run next. An op that already
    has the attribute keeps it, and is not fused with other ops. The chip is
    that of the module attribute `quant_float.target`; without one, kernels only
    use instructions that all chips have.

    - `fused_reduction`: an elementwise op that uses the results of reductions
      of rows or blocks. The ops that its kernel contains as well get no
      attribute.
    - `row_matvec`, `column_matvec`: a contraction with
      `quant_float.reduction_schedule`.
    - `warpgroup`, `tensor_core`: a matmul whose operand types have an
      instruction of include/quant-float/TargetInfo/MatrixInstructions.def that
      the chip has. The accumulation of integers of at most 8 bits is exact in
      any order. Floats require `reassociate`.
    - `skinny`, `simt`: any other matmul, `skinny` for fewer than eight rows or
      columns. Products are accumulated in the order of K.
    - `elementwise`: another `linalg.generic` without reduction loops. The
      elements of a thread fill 16 bytes of the narrowest operand, but at most 16
      bytes of a result, because several stores of a thread would leave gaps
      between the stores of adjacent threads.
    - `scalar`: any other op, and matmuls that are too small for tiles.

    The tiles of a matmul are rows of lib/Codegen/GPU/MatmulTiles.def. If the
    best one depends on dynamic sizes, the config has two of them.

    The pass emits a remark for each matmul and matvec: the chosen instruction,
    and what a better one needs. It also converts `memref.copy` to
    `linalg.generic`.

    ```mlir
    linalg.generic {
        indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                         affine_map<(m, n, k) -> (k, n)>,
                         affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : memref<512x512xf32>, memref<512x512xf32>)
        outs(%y : memref<512x512xf32>)
        attrs = {quant_float.lowering_config =
                     #quant_float.lowering_config<simt tiles = [[64, 64, 4, 4]]>} {
    ^bb0(%lhs: f32, %rhs: f32, %sum: f32):
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }
    ```
  }];
  let options = [
    Option<"reassociate", "reassociate", "bool", /*default=*/"false",
           "allow reassociation of floating-point reductions">
  ];
  let dependentDialects = [
    "mlir::linalg::LinalgDialect", "mlir::memref::MemRefDialect",
    "mlir::quant_float::QuantFloatDialect"
  ];
}

def QuantFloatFuseGpuReductionsPass
    : InterfacePass<"quant-float-fuse-gpu-reductions", "mlir::FunctionOpInterface"> {
  let summary = "Map reductions and their elementwise users to one GPU kernel";
  let description = [{
    Converts reductions of rows or blocks, and the elementwise linalg ops before
    and after them, to one `gpu.launch` that reads each element once. Examples
    are the quantization of blocks (largest magnitude, scale, elements), the
    quantization of rows, normalizations, and both combined.

    The consumer is an elementwise op with the strategy `fused_reduction`
    (`quant_float.lowering_config`). The pass adds the ops before it that have no
    lowering config, as long as their loops are loops of the consumer, blocks of the
    indices of one of its loops (`d floordiv B`, or a reshape), or indices in
    such blocks. It runs on memrefs, before
    `quant-float-convert-asserts-to-status`, because buffers that only the fused
    ops access are not allocated.

    A tile contains entire rows or blocks:

    - A tile of one row, of a block of a row, or of a block of two dimensions
      (`128 x 128`): a group of threads, each of which keeps up to 32 elements
      in registers. A thread loads adjacent elements, and stores them with one
      access of up to 16 bytes. Threads combine their values by shuffles within
      a warp, and in workgroup memory between warps. A tile has at most 32768
      elements.
    - Blocks along another dimension than the last one: a thread has a few
      adjacent columns of a block, up to 128 elements. Adjacent threads access
      adjacent columns.

    The accesses are vectors if the length of the rows is a multiple of the
    vector size and all addresses are aligned; otherwise they are scalars. The
    zeros that a tensor is padded with up to a full block are not stored.

    Floating-point reductions keep the order of the op's loops: one thread of
    each group reads the tile from workgroup memory, to which it must fit (48
    KiB). With `reassociate`, they are combined like integers. Other ops, rows of
    dynamic size and larger rows are left to
    `quant-float-outline-gpu-kernels`. A consumer that the pass cannot fuse, or
    whose config has other tile sizes, is an error.

    ```mlir
    linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
        iterator_types = ["parallel", "reduction"]}
        ins(%x : memref<?x64xf32>) outs(%amax : memref<?xi32>) {
    ^bb0(%in: f32, %out: i32):
      %bits = arith.bitcast %in : f32 to i32
      %magnitude = arith.andi %bits, %mask : i32
      %max = arith.maxui %magnitude, %out : i32
      linalg.yield %max : i32
    }
    linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                         affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%x, %amax : memref<?x64xf32>, memref<?xi32>)
        outs(%y : memref<?x64xf32>)
        attrs = {quant_float.lowering_config =
                     #quant_float.lowering_config<fused_reduction tiles = [[1, 64]]>} {
    ^bb0(%in: f32, %largest: i32, %out: f32):
      %scale = arith.bitcast %largest : i32 to f32
      %quotient = arith.divf %in, %scale : f32
      linalg.yield %quotient : f32
    }
    ```
    becomes one `gpu.launch`, in which four threads compute a row.
  }];
  let options = [
    Option<"module", "module", "std::string", /*default=*/"\"quant_float_kernels\"",
           "symbol of the gpu.module for the kernels">,
    Option<"reassociate", "reassociate", "bool", /*default=*/"false",
           "allow reassociation of floating-point reductions">
  ];
  let statistics = [
    Statistic<"numFused", "num-fused", "Number of kernels">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::gpu::GPUDialect",
    "mlir::linalg::LinalgDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"
  ];
}

def QuantFloatLowerTensorMapsPass
    : Pass<"quant-float-lower-tensor-maps", "mlir::ModuleOp"> {
  let summary = "Pass tensor maps of TMA to kernels by value";
  let description = [{
    Converts `nvgpu.tma.create.descriptor` in host code to a call of
    `quantFloatGpuEncodeTensorMap`, which encodes a `CUtensorMap` in memory of
    the host, and a load of this array, `!llvm.array<16 x i64>`. The array is an
    operand of `gpu.launch_func`. The kernel, an `llvm.func` in a `gpu.module`,
    takes the address of the parameter, which is `byval` and `grid_constant`,
    instead of the array. Workgroup memory of dynamic size gets external linkage.

    `quant-float-outline-gpu-kernels` creates both casts that this pass replaces,
    of the descriptor to the array and of the array to an LLVM pointer. The pass
    runs after `convert-gpu-to-nvvm` and before `gpu-to-llvm`. Upstream's
    lowering in `convert-nvgpu-to-nvvm` copies tensor maps to device memory
    instead.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect",
    "mlir::memref::MemRefDialect"
  ];
}

def QuantFloatOutlineGpuKernelsPass
    : InterfacePass<"quant-float-outline-gpu-kernels", "mlir::FunctionOpInterface"> {
  let summary = "Outline linalg ops on memrefs to GPU kernels";
  let description = [{
    Converts every linalg op on memrefs to a `gpu.launch` with a one-dimensional
    grid of the size of the problem. All buffers are in device memory. The
    attribute `quant_float.lowering_config`, which
    `quant-float-configure-gpu-kernels` sets, determines the kernel. An op
    without the attribute is lowered as `scalar`. It is an error if the kernel
    does not support the op, its operand types or their layout, or if the chip
    of the module attribute `quant_float.target` lacks the instruction.

    - `elementwise`: contiguous dimensions are collapsed. A thread computes
      several elements. It uses vector accesses if these elements are in one row
      along the output's last dimension and in one block of a scale
      (`d floordiv B`), and if all addresses are aligned to the access size.
      Otherwise it uses scalar accesses. Scales that are invariant along the row
      are loaded once. If results are packed, the elements of a thread end on a
      byte boundary; packed results must be written in row-major order.
    - `simt`, `skinny`, `tensor_core`, `warpgroup`: a matmul,
      `out[b, m, n] += lhs(b, m, k) * rhs(b, k, n)`, of floats or integers.
      Either operand may be dequantized. Each of `b`, `m`, `n` and `k` stands
      for any number of loops, including those of a convolution. A thread block
      computes a tile of up to 128 x 256 elements. If the config has two tiles,
      the host launches the kernel with the lower cost.
      - `simt` and `skinny` load 16 or more elements of K of all rows and
        columns of the tile to workgroup memory, and dequantize them. Products
        are accumulated in the order of K, so the results have the bits of the
        op's loops.
      - `tensor_core` copies quantized values that are contiguous along K
        asynchronously by `nvgpu.device_async_copy`, if the chip supports it.
      - `warpgroup` loads tiles by `nvgpu.tma.async.load`. The host launches
        this kernel if addresses and strides are multiples of 16 bytes, and the
        kernel of `otherwise` if they are not.
    - `row_matvec`, `column_matvec`: a contraction with
      `quant_float.reduction_schedule`, which
      `quant-float-fuse-weight-dequantization` creates. Each lane of
      the schedule is a thread, which reads its quantized values once.
    - `scalar`: one thread computes one element of the result, and accumulates
      reductions in registers, in the order of the op's loops. These kernels are
      correct but not fast.

    If an op initializes a buffer and the next use of the buffer is a reduction
    into it, the op gets no kernel: the accumulators of the reduction start from
    the value. Other ops may be between the two if the buffer is a local one.

    ```
    linalg.generic {quant_float.lowering_config = #quant_float.lowering_config<elementwise tiles = [[4]]>}
        ins(%x : memref<?xf32>) outs(%y : memref<?xi8>) ...
    // becomes
    gpu.launch blocks(%bx, ...) in (%grid = ...) threads(%tx, ...) in (%block = %c256, ...) {
      // If the thread's elements are in bounds and aligned, vector accesses, else
      // a loop of scalar accesses.
    }
    ```

    Allocations become device allocations, and `gpu-kernel-outlining` moves
    constants into the kernel module. Any other access to device memory is an
    error: `quant-float-outline-scalar-gpu-kernels`, which runs earlier,
    converts scalar accesses. `module` is the symbol of the `gpu.module`.
    Kernels are named after their function.

    Runs on memrefs, after `quant-float-fuse-gpu-reductions` and before
    `gpu-kernel-outlining`.
  }];
  let options = [
    Option<"module", "module", "std::string", /*default=*/"\"quant_float_kernels\"",
           "symbol of the gpu.module for the kernels">
  ];
  let statistics = [
    Statistic<"numOutlined", "num-outlined",
              "Number of linalg ops outlined to kernels or folded into them">,
    Statistic<"numTensorCoreMatmuls", "num-tensor-core-matmuls",
              "Number of matmuls that use tensor-core instructions">
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

#endif // QUANT_FLOAT_CODEGEN_GPU_PASSES_TD
