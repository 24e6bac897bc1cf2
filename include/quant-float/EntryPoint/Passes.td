//===- Passes.td - Entry point passes ----------------------*- tablegen -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_ENTRYPOINT_PASSES_TD
#define QUANT_FLOAT_ENTRYPOINT_PASSES_TD

include "mlir/Pass/PassBase.td"

def QuantFloatPackArgumentsPass
    : Pass<"quant-float-pack-arguments", "mlir::ModuleOp"> {
  let summary = "Pack 2-, 4- and 6-bit arguments and results";
  let description = [{
    Sets the attribute `quant_float.packed` on the arguments and results of
    public functions that are ranked tensors of 2-, 4- or 6-bit elements: their
    callers then pass them packed, as quant-float-c/EntryPoint.h describes.
    Without the attribute, arguments and results have one byte per element.

    Large constants keep the layout of the model file, which is packed; in IR
    this is a resource with fewer bytes than elements. With `unpack`, constants
    are unpacked to one byte per element, too, and the attributes are removed.

    ```mlir
    func.func private @f(tensor<3x5xi4>) -> tensor<3x5xf32>
    // becomes
    func.func private @f(tensor<3x5xi4> {quant_float.packed}) -> tensor<3x5xf32>
    ```

    Runs before `convert-quant-float-to-linalg`, which converts packed tensors
    to i2, i4 and i6.
  }];
  let options = [
    Option<"unpack", "unpack", "bool", /*default=*/"false",
           "unpack constants and remove the attributes">
  ];
}

def QuantFloatMakeEntryPointsPass
    : Pass<"quant-float-make-entry-points", "mlir::ModuleOp"> {
  let summary = "Convert functions on tensors to kernels that write to buffers";
  let description = [{
    Matches public functions whose arguments and results are ranked tensors of
    storage types. Functions without tensors are not changed. For each function,
    the pass creates two functions:

    - The kernel, `@f.kernel`, takes one buffer for each result after the
      tensors, and writes the results there, so that bufferization computes them
      in place.
    - The shape function, `@f.sizes`, takes all sizes of the arguments. It
      returns the dynamic sizes of the results, followed by two numbers for each
      check.

    ```
    func.func @f(%x: tensor<?xf32>) -> tensor<?xf8E4M3FN>
    // becomes
    func.func @f.kernel(%x: tensor<?xf32>, %out: memref<?xf8E4M3FN>)
        attributes {quant_float.entry_point = {...}}
    func.func @f.sizes(%x0: index) -> index
    ```

    *Checks.* A check is a requirement of the ops on dynamic sizes. For example,
    operands of a linalg op that share a loop have the same size along it, and
    an operand with one element per block of a loop has as many elements as
    there are blocks. Conditions of `cf.assert` that depend on sizes only also
    become checks, and are removed from the kernel. The two numbers of a check
    must be equal before the kernel runs.

    *Data-dependent sizes.* If sizes of results depend on the contents of
    tensors, `@f.sizes` returns the smallest 64-bit integer for them, and
    `@f.kernel` has two more arguments: a buffer of `i64`, to which it writes
    all dynamic sizes of the results, and an `i64`, which is not 0 if the caller
    only requests these sizes. The kernel first computes the sizes, then asserts
    that the result buffers have these sizes, and writes to the buffers only
    after everything is computed. For functions with strings, such sizes are an
    error: the contents of strings are only read when the kernel runs.

    *The attribute.* `quant_float.entry_point` of the kernel describes the
    names, element types and sizes of arguments and results to
    `quant-float-emit-c-wrappers`. The pass takes the names from the attribute
    `quant_float.name` of arguments and results. If storage types have replaced
    the element types, it takes these from `quant_float.element_type`.

    *Strings.* Kernels with strings, as arguments or intermediate values, take
    an `i64` as last argument: the state that the entry runtime keeps for the
    run.

    *Sharing.* With `share`, functions that only differ in the names of
    functions, graphs, arguments and results share the kernel of the first
    function. The key `sharing` of its attribute lists the names of the others.
    The locations of ops are ignored: later errors name the locations of the
    first function.

    Runs before bufferization.
  }];
  let options = [
    Option<"share", "share", "bool", /*default=*/"true",
           "share one kernel among functions that compute the same">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::bufferization::BufferizationDialect",
    "mlir::cf::ControlFlowDialect", "mlir::memref::MemRefDialect",
    "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatCopyShapesToHostPass
    : Pass<"quant-float-copy-shapes-to-host", "mlir::func::FuncOp"> {
  let summary = "Copy data-dependent shapes to host memory";
  let description = [{
    The buffer that a kernel writes data-dependent sizes of its results to is in
    host memory. This pass makes the kernel write to a device buffer instead,
    and copies that buffer to the host once the sizes are known.

    The GPU pipeline runs this pass on memrefs, before
    `quant-float-outline-scalar-gpu-kernels`.
  }];
  let dependentDialects = ["mlir::gpu::GPUDialect", "mlir::memref::MemRefDialect"];
}

def QuantFloatConvertAssertsToStatusPass
    : Pass<"quant-float-convert-asserts-to-status", "mlir::ModuleOp"> {
  let summary = "Convert failed asserts and allocations to status codes";
  let description = [{
    Matches kernels that allocate or assert, and makes them return an `i64`
    status instead of aborting:

    | status | meaning |
    |---|---|
    | 0 | success |
    | 1 | a memory allocation failed |
    | 4 + n | a `cf.assert` failed whose message has the index n among the messages of the entry point |
    | -1 | the kernel only computed the sizes of its results |

    The scf loops and branches around such ops are converted to blocks. There is
    no early exit from loops whose iterations are independent: allocations in
    them are not checked, and assertions are errors.
    `quant-float-free-on-failure` later frees the buffers that are live when a
    kernel fails.

    ```
    func.func @f.kernel(%x: memref<4xf32>) attributes {quant_float.entry_point = {...}} {
      %a = memref.alloc() : memref<400xf32>
      ...
      return
    }
    // becomes
    func.func @f.kernel(%x: memref<4xf32>) -> i64 attributes {quant_float.entry_point = {...}} {
      %a = memref.alloc() : memref<400xf32>
      %allocated = ... // whether the address of %a is not null
      cf.cond_br %allocated, ^bb1, ^bb2(%c1 : i64)
    ^bb1:
      ...
      return %c0 : i64
    ^bb2(%status: i64):
      return %status : i64
    }
    ```

    Runs on memrefs, after buffer deallocation.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::cf::ControlFlowDialect",
    "mlir::memref::MemRefDialect"
  ];
}

def QuantFloatLowerStringsPass
    : Pass<"quant-float-lower-strings", "mlir::ModuleOp"> {
  let summary = "Lower string ops to runtime calls";
  let description = [{
    Converts `quant_float.cast_strings` and `quant_float.load_strings` in kernels
    to calls of the entry runtime. The calls take the state of the run, the last
    argument of kernels with strings. An entry point's message names the node
    that a cast comes from.

    Runs on memrefs, after `quant-float-convert-asserts-to-status`.
  }];
  let options = [
    Option<"onDevice", "on-device", "bool", /*default=*/"false",
           "report kernels with strings as errors, because they are for a GPU">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::memref::MemRefDialect"
  ];
}

def QuantFloatEmitCWrappersPass
    : Pass<"quant-float-emit-c-wrappers", "mlir::ModuleOp"> {
  let summary = "Emit the C functions that check arguments and call kernels";
  let description = [{
    For every `llvm.func` with the attribute `quant_float.entry_point`, adds the
    functions of quant-float-c/EntryPoint.h, `@f` and `@f_output_sizes`. The
    checks are data: each entry point has a constant table, which functions of
    the entry runtime interpret. These functions are declared here and linked in
    by `linkEntryRuntime`. All other functions become internal to the module. If
    kernels run on a device (`gpu.container_module`), the C functions query the
    driver's error by `quantFloatGpuTakeError`.

    The pipelines run this pass last.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def QuantFloatAssumeNoAlignmentPass
    : Pass<"quant-float-assume-no-alignment", "mlir::ModuleOp"> {
  let summary = "Assume no alignment of the caller's buffers";
  let description = [{
    The conversion to LLVM gives loads and stores the alignment of the element
    type. Callers of entry points do not guarantee this alignment, so the pass
    sets the alignment of accesses to 1. Exceptions are addresses that provably
    come from an alloca or a global, and non-temporal accesses, which are
    guarded by a check of the address.

    Runs after `quant-float-convert-to-llvm`.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def QuantFloatFreeOnFailurePass
    : Pass<"quant-float-free-on-failure", "mlir::ModuleOp"> {
  let summary = "Free the buffers of a kernel on its failure paths";
  let description = [{
    Inserts a table into the frame of each kernel that returns a status. The
    table holds the buffers that the kernel has allocated and not freed yet:
    functions of the entry runtime insert a buffer after `malloc` and remove it
    before `free`. A `return` of a value other than the constant 0 frees the
    remaining buffers in a loop. The code size is therefore linear in the number
    of allocations, regardless of the buffers that are live at the failing
    checks. If the status is an argument of the block of the `return`, its
    predecessors store it in a volatile variable instead, because a phi of many
    constants makes LLVM's code generator slow. GPU memory (`mgpuMemAlloc`,
    `mgpuMemFree`) has a separate table.

    The table has two slots for each allocation, because a loop may carry the
    buffer of one iteration to the next, which allocates again. It has at most
    4096 slots, so that it fits on the stack. If the table is full, further
    buffers are not inserted, and leak if the kernel fails. Buffers that a
    thread allocates in an `omp` region are not in the table.

    In pseudo code:

    ```text
    %0 = call @malloc(%n)
    call @__qf_keep_buffer(%table, %size, %slot, %0)
    ...
    call @__qf_drop_buffer(%table, %size, %slot, %0)
    call @free(%0)
    ```

    Runs on the LLVM dialect, after `quant-float-convert-asserts-to-status`.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def QuantFloatPropagateFloatControlPass
    : Pass<"quant-float-propagate-float-control", "mlir::ModuleOp"> {
  let summary = "Propagate the floating-point control register to all threads of a kernel";
  let description = [{
    Rounding mode and flushing are flags of the processor, one set for each
    thread. OpenMP runtimes need not pass the flags of the thread that starts a
    region to the threads of the region: LLVM's does, but not with
    `KMP_INHERIT_FP_CONTROL=0`. This pass outlines the region of an
    `omp.parallel` to a function that is not inlined. Each thread loads the
    flags of the thread that starts the region before it calls the function, and
    restores its own afterward. Threads are started under the default flags,
    which new threads keep.

    In pseudo code, where `@kernel.threads` is the outlined region:

    ```text
    %control = call @__qf_reset_float_control()
    omp.parallel {
      %own = call @__qf_set_float_control(%control)
      call @kernel.threads(%a, %b)
      call @__qf_set_float_control(%own)
    }
    call @__qf_set_float_control(%control)
    ```

    Runs on the LLVM dialect. Only the body of a region changes: its clauses are
    evaluated under the flags that the runtime sets.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "mlir::omp::OpenMPDialect"];
}

#endif // QUANT_FLOAT_ENTRYPOINT_PASSES_TD
