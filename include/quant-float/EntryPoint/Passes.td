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

def QuantFloatPackArgumentsPass
    : Pass<"quant-float-pack-arguments", "mlir::ModuleOp"> {
  let summary = "let callers of functions pack elements of 2, 4 and 6 bits";
  let description = [{
    Gives the arguments and results of public functions that are ranked tensors
    of such elements the attribute `quant_float.packed`: their callers have the
    packed form of quant-float-c/EntryPoint.h then. Without it arguments and
    results have a byte for each element.

    Large constants stay as the model's file has them, which is packed; in IR
    that is a resource of fewer bytes than there are elements. With `unpack` they
    get a byte for each element, too, and the attributes go.

    ```mlir
    func.func private @f(tensor<3x5xi4>) -> tensor<3x5xf32>
    // becomes
    func.func private @f(tensor<3x5xi4> {quant_float.packed}) -> tensor<3x5xf32>
    ```
  }];
  let options = [
    Option<"unpack", "unpack", "bool", /*default=*/"false",
           "the other way around: nothing is packed">
  ];
}

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

    Where sizes of results depend on what tensors hold, `@f.sizes` returns the
    least number of 64 bits for them, and there is a kernel

    - `@f.measure`, which takes the tensors and writes all sizes that the result
      types leave open into a buffer of `i64`.

    `@f.kernel` asserts then that the buffers of results have these sizes, and
    writes to them when all is computed. Of functions with
    strings such sizes are an error: texts are not read without a run.

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

    Kernels with strings, as arguments or on the way, take an `i64` last: what
    the entry runtime keeps of the run.

    Functions that differ in names alone, theirs and those of graphs, arguments
    and results, get one kernel, the first one's, whose attribute has the names
    of the others in `sharing`. Places of ops do not count: errors that are
    found further down name those of the first.

    Functions without tensors are left alone.

    ```
    func.func @f(%x: tensor<?xf32>) -> tensor<?xf8E4M3FN>
    // becomes
    func.func @f.kernel(%x: tensor<?xf32>, %out: memref<?xf8E4M3FN>)
        attributes {quant_float.entry_point = {...}}
    func.func @f.sizes(%x0: index) -> index
    ```
  }];
  let options = [
    Option<"share", "share", "bool", /*default=*/"true",
           "make one kernel of functions that compute the same">,
    Option<"cutBranches", "cut-branches", "bool", /*default=*/"true",
           "compute nothing in branches but sizes where only these are wanted">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::bufferization::BufferizationDialect",
    "mlir::cf::ControlFlowDialect", "mlir::memref::MemRefDialect",
    "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatCopyMeasurementsPass
    : Pass<"quant-float-copy-measurements", "mlir::func::FuncOp"> {
  let summary = "let sizes that a device computes end in the host's memory";
  let description = [{
    The buffer that `@f.measure` writes is the host's. On buffers, this lets it
    write one of its own instead, which is copied when it ends.
  }];
  let dependentDialects = ["mlir::gpu::GPUDialect", "mlir::memref::MemRefDialect"];
}

def QuantFloatGuardKernelsPass
    : Pass<"quant-float-guard-kernels", "mlir::ModuleOp"> {
  let summary = "let kernels return an error instead of aborting";
  let description = [{
    A kernel that allocates or asserts gets an `i64` status to return: 0, 1
    where there is no memory, or what `cf.assert` found wrong as a number of the
    entry point's messages. Buffers that are alive then are freed. Loops and
    branches of scf around them become blocks; out of loops whose steps are
    independent nothing leads: there allocations are not guarded, and assertions
    are errors.

    Runs on buffers, after deallocation.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::cf::ControlFlowDialect",
    "mlir::memref::MemRefDialect"
  ];
}

def QuantFloatLowerPackedElementsPass
    : Pass<"quant-float-lower-packed-elements", "mlir::ModuleOp"> {
  let summary = "read and write packed elements in bytes";
  let description = [{
    Buffers of i2, i4 and i6 hold packed elements (P1), which the caller of an
    entry point or the model has so: element n is in the bits from n times its
    width on. Such a buffer becomes one of bytes whose sizes, strides and offset
    still count elements, the same descriptor, and every access one of the bytes
    that the element is in:

    - loads shift and mask, stores merge the element into what is there;
    - vectors along the last dimension are loaded and stored whole, moved by the
      bits that they begin within a byte, and spread to one element in each byte;
    - a `vector.store` says by its alignment that it begins with a byte.

    With `permutes`, what elementwise ops make of a vector of codes of up to 4
    bits, by themselves or with operands that all elements share, is looked up
    in a table of what they make of each code, straight from the packed bits.
    With the `register-bytes` of AVX2 that is done where the table is constant.

    Constants become as many bytes as there are. The bits behind the last element
    of a result are zero. Everything is moved by one thread for each byte: ops
    above that work in threads divide results where bytes end. With `in-order`,
    as in kernels of GPUs, a thread writes bytes from their first element on, and
    what is behind an element in its byte becomes zero.

    ```mlir
    %0 = memref.load %m[%i] : memref<?xi4>
    // becomes, of the buffer's %bytes number %i / 2, shifted by 4 where %i is odd
    %1 = memref.load %bytes[%half] : memref<?xi8>
    %2 = arith.shrui %1, %shift : i8
    %3 = arith.trunci %2 : i8 to i4
    ```
  }];
  let options = [
    Option<"permutes", "permutes", "bool", /*default=*/"false",
           "the machine has the permutes of AVX-512 VBMI">,
    Option<"registerBytes", "register-bytes", "int64_t", /*default=*/"0",
           "bytes of the registers of AVX2 or AVX-512, if it has these">,
    Option<"inOrder", "in-order", "bool", /*default=*/"false",
           "one thread writes the elements of a byte, in order">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::vector::VectorDialect"
  ];
}

def QuantFloatLowerTextsPass
    : Pass<"quant-float-lower-texts", "mlir::ModuleOp"> {
  let summary = "make calls of the ops on strings";
  let description = [{
    `quant_float.cast_texts` and `quant_float.load_texts` in kernels become
    calls of the entry runtime, which get what it keeps of the run: the last
    argument of kernels with strings. The node that a cast comes from is named
    by one of the entry point's messages.

    Runs on buffers, after `quant-float-guard-kernels`.
  }];
  let options = [
    Option<"onDevice", "on-device", "bool", /*default=*/"false",
           "refuse kernels with strings: they are for a GPU">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
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

def QuantFloatConvertToLLVMPass
    : Pass<"quant-float-convert-to-llvm", "mlir::ModuleOp"> {
  let summary = "convert all there is to the LLVM dialect";
  let description = [{
    Upstream's `convert-func-to-llvm`, then `convert-to-llvm`: with arguments
    converted first they become descriptors once, and not once for each use. Both
    fold every op that they look at, and the first looks at all of them; this does
    not, as LLVM folds constants itself, and books to take changes back by are not
    kept either. Constants become arrays of numbers, whatever their shape.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def QuantFloatAssumeNoAlignmentPass
    : Pass<"quant-float-assume-no-alignment", "mlir::ModuleOp"> {
  let summary = "let loads and stores of the caller's memory have any alignment";
  let description = [{
    Lowering to LLVM gives loads and stores the alignment of the element type.
    Callers of entry points promise none, so accesses get alignment 1, except
    where the address clearly comes from an alloca or a global, and of
    non-temporal accesses, which are behind a look at the address.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def QuantFloatPropagateFloatControlPass
    : Pass<"quant-float-propagate-float-control", "mlir::ModuleOp"> {
  let summary = "run all threads of a kernel under its floating-point control";
  let description = [{
    Rounding and flushing are flags of the processor, which each thread has for
    itself. OpenMP runtimes need not give the threads of a region those of the
    thread that starts it: LLVM's does, but not with `KMP_INHERIT_FP_CONTROL=0`.
    The region of an `omp.parallel` becomes a function that is not inlined; each
    thread loads the flags of the one that starts the region before it calls the
    function, and its own afterwards. Threads are started under the default flags,
    which new threads keep.

    ```mlir
    omp.parallel {
      %0 = llvm.fadd %a, %b : f32
      ...
    }
    // becomes
    %control = llvm.call @__qf_reset_float_control() : () -> i64
    omp.parallel {
      %own = llvm.call @__qf_set_float_control(%control) : (i64) -> i64
      llvm.call @kernel.threads(%a, %b) : (f32, f32) -> ()
      llvm.call @__qf_set_float_control(%own) : (i64) -> i64
      omp.terminator
    }
    llvm.call @__qf_set_float_control(%control) : (i64) -> i64
    ```

    Runs on the LLVM dialect. Only the body of a region is changed: what its
    clauses compute runs under the flags that the runtime gives.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "mlir::omp::OpenMPDialect"];
}

def QuantFloatBroadcastFromMemoryPass
    : Pass<"quant-float-broadcast-from-memory", "mlir::ModuleOp"> {
  let summary = "load a float into all lanes of 64 bytes by the integers' instruction";
  let description = [{
    Of an x86 with AVX-512: a float that is loaded and used in all lanes more
    than once comes by `vpbroadcastd`. LLVM takes `vbroadcastss`, which on a
    Zen 4 needs a port of the floats, too, and products of matrices as much as a
    quarter longer. Used once it is a part of the instruction that uses it.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

#endif // QUANT_FLOAT_ENTRYPOINT_PASSES_TD
