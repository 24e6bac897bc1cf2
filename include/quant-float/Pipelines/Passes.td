//===- Passes.td - Passes of stages ------------------------*- tablegen -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_PIPELINES_PASSES_TD
#define QUANT_FLOAT_PIPELINES_PASSES_TD

include "mlir/Pass/PassBase.td"

def QuantFloatLowerTosaPass
    : Pass<"quant-float-lower-tosa", "mlir::ModuleOp"> {
  let summary = "Lower TOSA to linalg, arith and tensor ops";
  let description = [{
    Runs upstream's passes `tosa-to-scf`, `tosa-make-broadcastable`,
    `tosa-to-linalg-named`, `tosa-to-linalg`, `tosa-to-arith` and
    `tosa-to-tensor` on the functions of a module that contains TOSA ops. Runs
    after `quant-float-legalize-arith`, which converts the block-scaled ops, and
    before its second run, which converts the casts of narrow floats in the
    bodies of the linalg ops.

    Results are those of upstream: a cast to float8 overflows to NaN (f8E5M2: to
    infinity); a cast from a float to an integer rounds to nearest, ties to even,
    and saturates, and is undefined for NaN; `tosa.rescale` is integer arithmetic.
    TOSA ops that upstream does not lower are errors.

    TOSA's integers are signless. torch-mlir (20261001) drops the signedness of
    torch's types in its TOSA output: it casts activations to unsigned 8-bit
    integers, which `tosa.matmul` reads as signed integers. The results of
    dynamically quantized models of torchao are therefore wrong in all compilers
    that read this output.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::index::IndexDialect",
    "mlir::linalg::LinalgDialect", "mlir::math::MathDialect",
    "mlir::scf::SCFDialect", "mlir::tensor::TensorDialect"
  ];
}

def QuantFloatVerifyStagePass
    : Pass<"quant-float-verify-stage", "mlir::ModuleOp"> {
  let summary = "Verify the invariant of a stage of code generation";
  let description = [{
    Checks the invariant on which the next stage relies:

    | stage | invariant |
    |---|---|
    | `normalize-import` | no OpenVINO layers, and no calls except those with `no_inline` |
    | `rewrite-quantization` | the same |
    | `lower-nodes-to-linalg` | no `quant_float.node`, and no op of the dialect on tensors but `cast_strings` and `load_strings`; every public function has `quant_float.entry_point` |
    | `optimize-tensors` | the same |
    | `bufferize` | no tensors |
    | `generate-cpu-code` | functions, globals and ops of the LLVM dialect, with `omp` for threads |
    | `generate-gpu-code` | the same, with `gpu.binary` and `gpu.launch_func` |
    | `emit-abi` | the same |

    With `partition`, the first two stages are not verified. Each violation is
    an error on the op. The pass runs after each stage in debug builds and with
    `verify-stages` of the pipelines.
  }];
  let options = [
    Option<"stage", "stage", "std::string", /*default=*/"",
           "name of the stage that has run">,
    Option<"partition", "partition", "bool", /*default=*/"false",
           "allow nodes without a lowering">,
  ];
}

#endif // QUANT_FLOAT_PIPELINES_PASSES_TD
