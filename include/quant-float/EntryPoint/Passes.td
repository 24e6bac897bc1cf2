//===- Passes.td - Passes that make C entry points ---------*- tablegen -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_ENTRYPOINT_PASSES_TD
#define QUANT_FLOAT_ENTRYPOINT_PASSES_TD

include "mlir/Pass/PassBase.td"

def QuantFloatMakeEntryPointsPass
    : Pass<"quant-float-make-entry-points", "mlir::ModuleOp"> {
  let summary = "turn functions on tensors into kernels that write into buffers";
  let description = [{
    For every public function whose arguments and results are ranked tensors
    of storage types, before bufferization:

    - `@f.kernel` takes a buffer per result after the tensors and writes the
      results there, so that bufferization computes them in place;
    - `@f.sizes` takes all sizes of the arguments and returns the sizes of the
      results that the result types leave open, then two numbers for each check.

    A check is what the ops require of sizes that types leave open: operands of
    a linalg op that share a loop have the same size along it, an operand with
    one element per block of a loop as many elements as there are blocks; and
    conditions of `cf.assert` that depend on sizes alone, which the kernel then
    does without. The two numbers have to be equal before the kernel runs.

    The kernel's attribute `quant_float.entry_point` tells
    `quant-float-emit-c-wrappers` names, element types and sizes of arguments
    and results. Element types come from the attribute
    `quant_float.element_type` of arguments and results where storage has
    replaced them, names from `quant_float.name`.

    Functions without tensors are left alone.

    ```
    func.func @f(%x: tensor<?xf32>) -> tensor<?xf8E4M3FN>
    // becomes
    func.func @f.kernel(%x: tensor<?xf32>, %out: memref<?xf8E4M3FN>)
        attributes {quant_float.entry_point = {...}}
    func.func @f.sizes(%x0: index) -> index
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::bufferization::BufferizationDialect",
    "mlir::cf::ControlFlowDialect", "mlir::memref::MemRefDialect",
    "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatGuardKernelsPass
    : Pass<"quant-float-guard-kernels", "mlir::ModuleOp"> {
  let summary = "let kernels return an error instead of aborting";
  let description = [{
    A kernel that allocates or asserts gets an `i64` status to return: 0, 1
    where there is no memory, or what `cf.assert` found wrong as a number of the
    entry point's messages. Buffers that are alive then are freed. Only
    allocations and assertions outside of loops are guarded.

    Runs on buffers, after deallocation.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::cf::ControlFlowDialect",
    "mlir::memref::MemRefDialect"
  ];
}

def QuantFloatEmitCWrappersPass
    : Pass<"quant-float-emit-c-wrappers", "mlir::ModuleOp"> {
  let summary = "add the C functions that check arguments and call kernels";
  let description = [{
    For every `llvm.func` with the attribute `quant_float.entry_point` adds the
    functions of quant-float-c/EntryPoint.h, `@f` and `@f_output_sizes`. The
    checks themselves are data: a constant table per entry point that functions
    of the entry runtime interpret, declared here and linked in by
    `linkEntryRuntime`. Everything else becomes internal to the module. Where
    kernels run on a device (`gpu.container_module`) the functions ask
    `quantFloatGpuTakeError` what its driver said.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def QuantFloatAssumeNoAlignmentPass
    : Pass<"quant-float-assume-no-alignment", "mlir::ModuleOp"> {
  let summary = "let loads and stores of the caller's memory have any alignment";
  let description = [{
    Lowering to LLVM gives loads and stores the alignment of the element type.
    Callers of entry points promise none, so accesses get alignment 1, except
    where the address clearly comes from an alloca or a global.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

#endif // QUANT_FLOAT_ENTRYPOINT_PASSES_TD
