//===- Passes.td - Conversion passes -----------------------*- tablegen -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CONVERSION_PASSES_TD
#define QUANT_FLOAT_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertQuantFloatToLinalgPass
    : Pass<"convert-quant-float-to-linalg", "mlir::ModuleOp"> {
  let summary = "Convert tensor ops to linalg.generic on storage types";
  let description = [{
    Converts every op on ranked tensors to a `linalg.generic` whose body
    computes one element with `cast`, `quantize_elements` and ops of arith.
    Tensors of unsigned and sub-byte elements are converted to their storage
    type throughout the function and its signature: arith is signless, and
    stores of sub-byte vectors write packed bytes. The body converts between
    both types by `quant_float.storage_cast`. The arguments and results of
    public functions keep their element type in the attribute
    `quant_float.element_type`. arith and math ops on tensors become
    `linalg.generic`, too.

    In a byte that stores a narrower element, only the bits of the element are
    significant. If ops only move such a byte, its other bits are those that the
    caller passed. The pass masks these bits in results of public functions, and
    nowhere else.

    Arguments and results of public functions with the attribute
    `quant_float.packed`, and constants whose bytes are packed, become tensors
    of i2, i4 or i6, whatever their element type is. An op on them unpacks the
    elements to bytes (`arith.extui`); slices, reshapes and accesses of single
    elements are done on the packed tensor. `quant-float-lower-packed-elements`
    lowers such buffers.

    An unranked result gets the rank of the input. A cast of unknown rank is
    done on a rank-1 tensor: the pass flattens the elements and restores the
    shape afterward. Casts of string tensors become `cast_strings` on tensors of
    string addresses. Other ops on unranked tensors, strings outside of tensors
    and `quant_float.node` are errors that name the op.

    Runs after `convert-onnx-nodes-to-linalg` and `quant-float-decompose-qdq`,
    before `quant-float-make-entry-points`.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::scf::SCFDialect", "mlir::tensor::TensorDialect", "mlir::quant_float::QuantFloatDialect"
  ];
}

def ConvertQuantFloatToArithPass
    : Pass<"convert-quant-float-to-arith"> {
  let summary = "Expand casts and quantization ops on scalars and vectors to arith ops";
  let description = [{
    Expands `cast`, `storage_cast`, `quantize`, `dequantize`, `qdq`,
    `quantize_elements` and `fakeconvert` on scalars and vectors to arith and
    math ops, to vector ops, and to LLVM intrinsics for conversion instructions
    of the CPU. No op on narrow floats remains for later stages.

    *Casts.* One algorithm, parameterized by the formats, handles every pair of
    types. It rounds the magnitude by adding a power of two, so that the
    required number of mantissa bits remains. Integer arithmetic then moves the
    bits to their positions in the result. A cast with `mode openvino` is
    expanded to arithmetic and ONNX casts.

    *Quantizations.* If the elements of a vector share a scale, and the target
    has a fused multiply-add, the division is a multiplication by the
    reciprocal, followed by a correction by the remainder. The result has the
    same bits. `fakeconvert` is expanded as by
    `quant-float-decompose-fakeconvert`.

    *Round trips.* A saturating cast of f32 to float8, possibly via f16, and
    back is expanded to rounding in f32, without the encoding. A division of its
    result by a scalar becomes a multiplication by the reciprocal in a branch of
    an `scf.if`, which checks whether this is exact for the scalar.

    *bf16 on x86.* Ops of arith and math with results of bf16 become ops on f32
    and casts, and so do conversions of integers of 32 and 64 bits to bf16.
    Truncations of f64 to f16 and bf16 become casts. LLVM would use
    `vcvtneps2bf16`, which treats subnormals as zero, convert integers via f32,
    which rounds twice, or call functions of the C runtime.

    *The target* determines which of upstream's conversions are instructions
    (f16, fused multiply-add), and which conversion instructions exist (see
    include/quant-float/Lowering/Conversions.def). Vectors whose size is a
    multiple of the number of elements that an instruction converts become calls
    of its intrinsic. If the target has byte permutes (AVX-512 VBMI), permutes
    truncate 32-bit results to 8 and 16 bits. The target is the CPU of the
    module attribute `quant_float.target`, which `quant-float-set-target` sets;
    the options override it. Without both, no conversion instructions are used.

    ```
    %y = quant_float.cast %x opset 28 : vector<32xf32> to vector<32xf8E4M3FN>
    // becomes, without conversion instructions
    %bits = arith.bitcast %x : vector<32xf32> to vector<32xi32>
    ... // rounds and moves the bits
    %encodings = arith.trunci %moved : vector<32xi32> to vector<32xi8>
    %y = arith.bitcast %encodings : vector<32xi8> to vector<32xf8E4M3FN>
    ```

    *Remarks.* Each cast, and the division of each quantization, emits a remark
    of the category "quant-float-conversion". It names the instruction, and the
    features that a better one requires.
    `--remarks-filter=quant-float-conversion --remark-format=emitRemark` shows
    them.

    The CPU pipeline runs this pass late, after vectorization. Until then, a
    cast is one op, which keeps the earlier passes fast.
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", /*default=*/"\"\"",
           "target CPU; empty means that of the module attribute "
           "quant_float.target">,
    Option<"triple", "triple", "std::string", /*default=*/"\"\"",
           "target triple; empty means the host's">,
    Option<"features", "features", "std::string", /*default=*/"\"\"",
           "LLVM target features such as +avx2,-fma; empty means those of the CPU">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::math::MathDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect",
    "mlir::LLVM::LLVMDialect", "mlir::quant_float::QuantFloatDialect"
  ];
}

def ConvertQuantFloatToNVVMPass
    : Pass<"convert-quant-float-to-nvvm"> {
  let summary = "Convert casts of scalars and vectors to NVIDIA conversion instructions";
  let description = [{
    Visits the GPU modules inside the op that it runs on, or the whole op if
    there are none. Casts of scalars and vectors become `nvvm.convert` ops if
    the chip and the PTX version support them (see
    include/quant-float/Lowering/Conversions.def). Additional arith ops handle
    the cases in which the instruction differs from ONNX: NaN, overflow without
    saturation, and negative numbers to f8E8M0FNU. `quantize`, `dequantize`,
    `qdq` and `fakeconvert` are expanded to arithmetic and such casts.
    Everything else, and everything on chips without these instructions, is
    expanded to arith ops as by `convert-quant-float-to-arith`, tuned for GPUs.

    | floats                         | chips                                       | PTX              |
    |--------------------------------|---------------------------------------------|------------------|
    | f8E4M3FN, f8E5M2               | sm_89, sm_90 and above                      | 8.1 on sm_89     |
    | to f8E4M3FNUZ, f8E5M2FNUZ      | the same; the instruction is used twice     | the same         |
    | f4, f6, f8E8M0FNU up, down     | sm_100a and above with the suffix `a` or `f` | that of the chip |

    Source types that the instructions do not accept are first converted to f32.
    f64 and wide integers are rounded to odd, so that only one rounding takes
    effect (C1).

    Each cast emits a remark with the instruction that is used, as in
    `convert-quant-float-to-arith`.

    The output can be lowered by upstream's `gpu-lower-to-nvvm-pipeline`: ops
    that it would lower to library calls although PTX has instructions (fused
    multiply-add, minima) are in the LLVM dialect, and `vector.shape_cast` and
    slices are lowered. Tensors, scalable vectors and strings are errors.

    The option `chip` selects the chip. Without it, the chip is that of the GPU
    module's only `#nvvm.target`, whose features contain the PTX version, by
    default the first that supports the chip. Without such a target, the module
    attribute `quant_float.target`, which `quant-float-set-target` sets,
    determines both. A `#nvvm.target` without the requested features is an
    error, because LLVM would abort.
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"\"",
           "GPU, such as sm_90a; empty means that of the GPU module's "
           "#nvvm.target or of the module attribute quant_float.target">,
    Option<"ptx", "ptx", "std::string", /*default=*/"\"\"",
           "PTX version such as 81; empty means the lowest that supports the chip's "
           "instructions">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::math::MathDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect",
    "mlir::LLVM::LLVMDialect", "mlir::NVVM::NVVMDialect"
  ];
}

def QuantFloatLegalizeArithPass
    : Pass<"quant-float-legalize-arith"> {
  let summary = "Convert upstream's casts of narrow floats to quant_float ops";
  let description = [{
    Upstream has ops on narrow floats (f8E4M3FN, f8E5M2, their FNUZ variants,
    f8E8M0FNU, f6E2M3FN, f6E3M2FN, f4E2M1FN) but almost no lowering of them.
    This pass converts ops on scalars, vectors and tensors as follows, with the
    newest known opset:

    | op                                               | becomes                   |
    |--------------------------------------------------|---------------------------|
    | `arith.truncf`, `arith.extf`                     | `quant_float.cast`        |
    | `arith.sitofp`, `uitofp`, `fptosi`, `fptoui`     | `quant_float.cast`; an integer of a width that ONNX lacks is extended or truncated, and unsigned ones are converted from and to unsigned types |
    | `arith.scaling_truncf`, `arith.scaling_extf`     | casts and a division or a multiplication, as arith specifies |
    | `quant.qcast`, `quant.dcast` with float8 storage | `quant_float.quantize`, `quant_float.dequantize` |
    | `quant.qcast`, `quant.dcast` with integer storage | the same, per tensor, per axis or sub-channel; other storage ranges are clamped |
    | `quant.dcast` of quantiles                       | a table lookup and a multiplication by the scale |
    | `tosa.cast_to_block_scaled`                      | `quant_float.block_quantize` with `rule tosa` |
    | `tosa.cast_from_block_scaled`, `tosa.cast` of a constant of `!tosa.block_scaled` | `quant_float.dequantize`, or `quant_float.block_dequantize` of i8 |
    | `tosa.matmul_t_block_scaled`                     | `quant_float.dequantize` of both operands and a `linalg.generic` |
    | `linalg.scaled_contract`                         | the same; if `dequantize` does not support the scales, a `linalg.generic` multiplies by them |

    If one op becomes several, a tensor op becomes a `linalg.generic` that
    contains them. Ops without a narrow float are left unchanged. The stage
    `normalize-import` runs this pass twice: before `quant-float-lower-tosa`
    with `require-quant`, and after it. Upstream's
    `arith-emulate-unsupported-floats` must first convert arithmetic on narrow
    floats to casts.

    *Values.* arith specifies that a value is rounded, by default to nearest,
    ties to even. Values that the type cannot represent are converted as
    `llvm::APFloat` does:
    - to float8: overflow, including infinity, gives NaN (f8E5M2: infinity),
      which is `saturate false`;
    - to f8E8M0FNU: all rounding modes are supported; ties round up, which is to
      even in this format; negative values, overflow and infinity give NaN
      (APFloat's own result for negative values has the sign among the exponent
      bits); zero and underflow give the smallest value, 2^-127;
    - to f8E5M3FNU: overflow and negative values give NaN (F3; APFloat drops the
      sign of negative values);
    - to float6 and float4: overflow gives the largest value. So do infinities
      (C8); NaN gives a zero of the opposite sign, where APFloat returns zeros
      for all three;
    - to integers: toward zero. Out-of-range values are poison in arith and have
      the value of C11 here.

    A NaN becomes quiet and canonical and keeps its sign (C5, C7). Fast-math
    flags are dropped. They only permit transformations, which this pass does
    not perform. `scaling_truncf` and `scaling_extf` cast a scale of 16 bits or
    more to f8E8M0FNU as `truncf` does, to nearest (`arith-expand` truncates it
    instead), and divide or multiply in the wide type.

    *quant.* MLIR 22 does not accept a float as a storage type. Newer versions
    parse `!quant.uniform<f8E4M3FN:f32, 0.5>` and print it in generic form,
    which others can parse as unregistered (`--allow-unregistered-dialect`, in
    tools that do not register the quant dialect of MLIR 22). Such types are
    supported per tensor and per axis; the range is that of the storage type, so
    `quantize` saturates. `quant.scast` is inserted where a value of a quantized
    type enters or leaves the converted ops. If the quant dialect is registered,
    `builtin.unrealized_conversion_cast` is inserted instead, because the
    verifier of `quant.scast` accepts only integer storage.

    *Integer storage.* The quant dialect leaves the rounding of `quant.qcast`
    open. Here, the value is divided by the scale, rounded to nearest, ties to
    even, added to the zero point, and clamped to the range of the storage; NaN
    gives the zero point (D1). If the pass runs on a module in which only ops of
    func, tensor, scf and cf and `arith.select` use quantized values, these
    values become values of the storage type, also in the signatures of
    functions: signless integers, or unsigned integers for `u8`. Upstream's
    `canonicalize` folds `dcast(qcast(x))` to `x`, so this pass must run before
    it. The pipelines set `require-quant`, because `canonicalize` would fold an
    op that remains.

    *Quantiles.* MLIR 23 has the storage type `!quant.quantile`. A `dcast` of
    `!quant.uniform<!quant.quantile<ui4:f16, {...}>:f32, 0.5>` selects a
    quantile by the stored index, multiplies it by the scale in f32 and casts
    the product to the expressed type, as D5 specifies. Indices must be unsigned
    and start at 0; the dialect does not state which quantile a signed index
    selects. Indices above the storage range have the last quantile. `qcast` is
    not converted: the dialect does not state how values are rounded to
    quantiles. MLIR prints quantiles with seven digits, so only bytecode
    preserves all values.

    *Block-scaled tensors.* The value of an element of tosa is its product with
    the scale of its block, in f32, cast to the result's type. A tensor of
    `!tosa.block_scaled` (MLIR 23) must be a `tosa.const` whose type states the
    scales, because the type has no specified layout. For the same reason,
    `tosa.cast` to such a tensor is an error. Elements of `!tosa.mxint8` become
    i8 in all types of the module: MXINT8, multiples of 1/64 (docs/rules.md,
    B7).

    `linalg.scaled_contract` (MLIR 24) is converted as its description
    specifies: elements and scales are promoted to the result's type and
    multiplied. The body of this op differs: its `arith.scaling_extf` would
    round scales to powers of two. If the elements of a block have a separate
    reduction dimension, it is collapsed with the dimension of the blocks, so
    that the accumulation order is that of the elements.

    *f8E5M3FNU.* MLIR 24 has this builtin type. It is replaced by
    `!quant_float.f8UE5M3`, which has the same format, in all types except those
    of memrefs.

    Other ops are left unchanged, with a remark that begins with "not legalized"
    and states the reason: other float types (f128, ...), integers of more than
    64 bits, rounding modes other than to nearest even, narrow scales of `arith`
    of a type other than f8E8M0FNU, and scaling from or to two narrow types.
  }];
  let options = [
    Option<"requireQuant", "require-quant", "bool", /*default=*/"false",
           "fail if an op on quantized types of the quant dialect is not "
           "legalizable, because upstream would fold it">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::tensor::TensorDialect", "mlir::vector::VectorDialect",
    "mlir::quant_float::QuantFloatDialect"
  ];
}

def ConvertOnnxToStablehloPass
    : Pass<"convert-onnx-to-stablehlo", "mlir::ModuleOp"> {
  let summary = "Convert ONNX nodes and quant_float ops to StableHLO";
  let description = [{
    Converts functions on tensors of static shape to StableHLO, which is not
    registered: print the module in the generic form
    (`--mlir-print-op-generic`).

    `quant_float.cast`, `quantize`, `dequantize` and `qdq` have the bits of the
    rules (docs/rules.md) with XLA's CPU backend, for all inputs; an op for which
    this is not possible is an error that states an input with another result.
    NaNs are equal as a class. A division has a barrier before a divisor that is
    broadcast, because XLA would multiply by its reciprocal. Other differences of
    XLA from StableHLO's specification, such as flushed subnormal numbers, are
    those of `convert-stablehlo-to-onnx`.

    The table include/quant-float/Conversion/OnnxToStablehlo/OnnxForms.def lists
    the ONNX nodes that are legalizable. Other nodes, dynamic shapes, stochastic
    rounding, `fakeconvert` (see `quant-float-decompose-fakeconvert`) and types
    that XLA lacks are errors that name the op.
  }];
  let dependentDialects = [
    "mlir::func::FuncDialect", "mlir::quant_float::QuantFloatDialect"
  ];
}

def ConvertQuantFloatToIreeLinalgExtPass
    : Pass<"convert-quant-float-to-iree-linalg-ext", "mlir::ModuleOp"> {
  let summary = "Convert quantize and dequantize to IREE's affine quantization";
  let description = [{
    Converts `quant_float.quantize` and `dequantize` on tensors with integer
    storage to `iree_linalg_ext.quantize_affine` and `dequantize_affine`. The
    dialect is not registered: print the module in the generic form
    (`--mlir-print-op-generic`) for `iree-compile`.

    The results have the bits of the rules (docs/rules.md) with IREE's
    decomposition, which `convert-iree-linalg-ext-to-quant-float` describes:
    - scales of `quantize` are converted to the type of the division (D2), those
      of `dequantize` to f32;
    - IREE quantizes NaN to `quant_min` instead of the zero point. A
      `linalg.generic` replaces NaN by 0 before the op if all scales are
      constants that are finite and not zero. Otherwise, a `linalg.generic`
      selects the zero point where the quotient is NaN. If the zero point is
      `quant_min`, neither is created;
    - a dimension in blocks is expanded to blocks and their elements, and
      collapsed after the op. Blocks must be whole;
    - unsigned integers become signless ones with `storage_unsigned`,
      `input_unsigned` and `zp_unsigned`.

    Float8, float6 and float4 storage, stochastic rounding, scalars and vectors,
    and 16-bit storage with a division in f16 or bf16 are errors that name the
    op. Other ops are left unchanged. Run `quant-float-decompose-qdq` before
    this pass to convert `qdq`. Run `convert-quant-float-to-linalg` and
    `convert-quant-float-to-arith` after it to lower casts and the types of the
    function; they refuse IREE's ops on integers of less than 8 bits, which they
    store in bytes. `quant-float-lower-to-upstream` would convert IREE's ops
    back.

    Example:

    ```mlir
    %1 = quant_float.dequantize %q, %s, %z axis 0 opset 13
           : tensor<4x8xi8>, tensor<4xf32>, tensor<4xi8> to tensor<4x8xf32>
    ```

    becomes

    ```mlir
    %0 = tensor.empty() : tensor<4x8xf32>
    %1 = "iree_linalg_ext.dequantize_affine"(%q, %s, %z, %0) <{indexing_maps = [
           affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>,
           affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]}>
           : (tensor<4x8xi8>, tensor<4xf32>, tensor<4xi8>, tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::tensor::TensorDialect", "mlir::quant_float::QuantFloatDialect"
  ];
}

def ConvertQuantFloatToQuantPass
    : Pass<"convert-quant-float-to-quant", "mlir::ModuleOp"> {
  let summary = "Convert quantize and dequantize to the quant dialect";
  let description = [{
    Converts `quant_float.quantize` to `quant.qcast` and `quant.scast`, and
    `dequantize` to `quant.scast` and `quant.dcast`, on tensors with integer
    storage and constant scales and zero points. The expressed type is f32, f16
    or bf16. Scales are per tensor, per axis, or in whole blocks (sub-channel
    types).

    *Rounding.* The quant dialect leaves the rounding of these ops open. The
    results have the bits of the rules (docs/rules.md) in a compiler that
    - for `qcast`, divides in the expressed type, rounds to nearest, ties to
      even, adds the zero point, clamps to the range of the storage, and
      converts NaN to the zero point;
    - for `dcast`, subtracts integers, multiplies in f32 and rounds to the
      expressed type.

    `quant-float-legalize-arith` does, so it is the inverse of this pass.
    Upstream's `lower-quant-ops` truncates: it quantizes 0.6 with the scale 1 to
    0, not to 1, and does not clamp. Upstream's `canonicalize` folds
    `scast(scast(x))` to x, and `dcast(qcast(x))` to x, which drops the rounding:
    lower the ops before it.

    Errors name the op: scales that are not constant, finite and positive;
    scales of `dequantize` that the expressed type does not represent; a
    division in another type than the input's (D2); zero points of 32-bit
    integers other than 0, because the dialect subtracts floats; float storage,
    which the types of LLVM 22 do not support; stochastic rounding; scalars and
    vectors. Other ops are left unchanged. Run `quant-float-decompose-qdq`
    before this pass to convert `qdq`.

    Example:

    ```mlir
    %1 = quant_float.quantize %x, %s, %z opset 28
           : tensor<4xf32>, tensor<f32>, tensor<i8> to tensor<4xi8>
    ```

    becomes, for the constants 0.5 and 3,

    ```mlir
    %0 = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<i8:f32, 0.5:3>>
    %1 = quant.scast %0 : tensor<4x!quant.uniform<i8:f32, 0.5:3>> to tensor<4xi8>
    ```
  }];
  let dependentDialects = [
    "mlir::quant::QuantDialect", "mlir::tensor::TensorDialect",
    "mlir::quant_float::QuantFloatDialect"
  ];
}

def ConvertQuantFloatToTosaPass
    : Pass<"convert-quant-float-to-tosa", "mlir::ModuleOp"> {
  let summary = "Convert casts, quantize and dequantize to TOSA";
  let description = [{
    Converts `quant_float.cast`, `quantize` and `dequantize` on tensors to TOSA.
    The results have the bits of the rules (docs/rules.md) with upstream's
    `tosa-to-linalg`, where `tosa.cast` to float8 overflows to NaN or, for
    f8E5M2, infinity. NaNs are equal as a class. `quant-float-lower-tosa` lowers
    the ops in this way.

    | op                              | TOSA                                      |
    |---------------------------------|-------------------------------------------|
    | `cast` between f32, f16, bf16, f8E4M3FN and f8E5M2 | `cast`, via f32 between types of the same width; `clamp` before it if the cast saturates |
    | `cast` of i1, i8, i16 and i32   | `cast`; i32 not to bf16                   |
    | `cast` of floats to i1          | `equal` and `logical_not`                 |
    | `quantize` by constant powers of two | `mul` by the reciprocal, which is exact; to integers, `select` of 0 for NaN, `clamp`, `cast`, `add`, `clamp`, `cast` |
    | `dequantize`                    | `cast`, `sub`, `cast`, `mul`, `cast`      |

    Dimensions in blocks are split and merged by `reshape`.

    Ops without an exact equivalent are errors that name the op and an input
    with another result. `tosa.cast` of floats to integers rounds to nearest and
    saturates, but `quant_float.cast` truncates and keeps the low bits: 1.5
    would become 2. TOSA has no division, so `quantize` by other scales is an
    error. TOSA has no unsigned integers and none of the other narrow types.

    Run `quant-float-decompose-qdq` before this pass to convert `qdq`. Other ops
    are left unchanged.

    Example:

    ```mlir
    %1 = quant_float.cast %0 opset 28 : tensor<4xf32> to tensor<4xf8E4M3FN>
    ```

    becomes

    ```mlir
    %1 = "tosa.clamp"(%0) <{min_val = -448.0 : f32, max_val = 448.0 : f32}> : (tensor<4xf32>) -> tensor<4xf32>
    %2 = tosa.cast %1 : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
    ```
  }];
  let dependentDialects = [
    "mlir::tensor::TensorDialect", "mlir::tosa::TosaDialect",
    "mlir::quant_float::QuantFloatDialect"
  ];
}

def ConvertIreeLinalgExtToQuantFloatPass
    : Pass<"convert-iree-linalg-ext-to-quant-float", "mlir::ModuleOp"> {
  let summary = "Convert IREE's affine quantization and functions to quant_float and func";
  let description = [{
    Converts modules that `iree-compile` writes with `--compile-to=input` or
    `--compile-to=abi` and `iree-opt --mlir-print-op-generic` prints in generic
    form. IREE's dialects are parsed as unregistered
    (`--allow-unregistered-dialect`).

    *Quantization.* `iree_linalg_ext.quantize_affine` and `dequantize_affine`
    become `quant_float.quantize` and `dequantize` where these have the values
    that IREE's decomposition computes:
    - the scales are per tensor, per axis, per element, or differ along all
      dimensions but one;
    - the value maps are identities;
    - scales of `quantize_affine` are positive constants;
    - the integers, the zero points and the differences are representable in the
      type of the scale, which is that of the computation.

    Any other op becomes a `linalg.generic` with IREE's decomposition:
    `quantize_affine` divides, rounds to nearest, ties to even, adds the zero
    point and clamps to `quant_min` and `quant_max`; `dequantize_affine` subtracts
    integers and multiplies. NaN is quantized to `quant_min`: a select before
    `quantize` replaces NaN by an infinity. Unsigned storage (`storage_unsigned`,
    `input_unsigned`) is converted from and to signless integers by casts, which
    keep the bits.

    *Functions.* `util.func`, `util.call` and `util.return` become those of
    func. Buffer views become tensors, and `hal.tensor.import`, `export`,
    `barrier` and fences are removed. An asynchronous function gets the name of
    the function that waits for it, which is erased. A `util.global` with an
    initial value that is not mutable becomes a constant.

    All other ops of the dialects iree_linalg_ext, util and hal are errors that
    name the op.

    Example:

    ```mlir
    %q = "iree_linalg_ext.quantize_affine"(%x, %scale, %zp, %init) <{
        indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>,
                         affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>],
        quant_max = 127 : i64, quant_min = -128 : i64}>
        : (tensor<4xf32>, f32, i64, tensor<4xi8>) -> tensor<4xi8>
    ```

    becomes, for constants `%scale` and `%zp`,

    ```mlir
    %q = quant_float.quantize %finite, %s, %z opset 28
         : tensor<4xf32>, tensor<f32>, tensor<i8> to tensor<4xi8>
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::linalg::LinalgDialect", "mlir::math::MathDialect",
    "mlir::tensor::TensorDialect", "mlir::quant_float::QuantFloatDialect"
  ];
}

def ConvertStablehloToOnnxPass
    : Pass<"convert-stablehlo-to-onnx", "mlir::ModuleOp"> {
  let summary = "Convert StableHLO ops to ONNX nodes and quant_float ops";
  let description = [{
    Converts the ops of StableHLO that
    include/quant-float/Conversion/StablehloToOnnx/StablehloOps.def lists to
    `quant_float.node` and `quant_float.cast`, at the newest known opset. The
    dialect is parsed as unregistered, so the module must be in generic form:
    `stablehlo-opt --mlir-print-op-generic` or, in JAX,
    `lowered.compiler_ir("stablehlo").operation.print(print_generic_op_form=True)`
    writes it, and `--allow-unregistered-dialect` reads it. VHLO bytecode is not
    read.

    *Conversions.* `stablehlo.convert` has the values that XLA's CPU backend
    computes where StableHLO's specification leaves them open:
    - between floats, to nearest, ties to even; overflow and infinity give an
      infinity, or NaN if the type has none; to f8E8M0FNU, ties round up, and
      NaN results from zeros, negative values and overflow; to f4E2M1FN, values
      saturate, and NaN gives the encoding of -0;
    - from floats to integers, also of 2 and 4 bits, toward zero, saturating to
      the range of the type; NaN gives 0;
    - between integers, the low bits.

    *Arithmetic.* Floats of at most 8 bits are computed in f32 and rounded once,
    integers of less than 8 bits in 8 bits. By default, a division of f16, f32
    or f64 by a constant or by a value that is broadcast is a multiplication by
    the reciprocal, as XLA compiles it; the specification defines a division.
    Subnormal numbers are preserved; XLA's CPU backend flushes those of f32 in
    most ops but not in conversions. `maximum`, `minimum` and `clamp` propagate
    NaN.

    *Contractions.* `dot_general` and `convolution` of integers of at most 8 bits
    are computed exactly in 32 bits, those of f64 in f64, and those of other
    floats in f32 with the accumulation order of rule R7. The attribute
    `algorithm` is an error.

    *Reductions.* The region must contain one op that combines both arguments,
    or be that of JAX's `argmax` or `argmin`, which has an operand of indices.

    *Sorts.* The comparator must be a `compare` of the elements of the first
    operand, or the comparator that JAX writes for one or several operands.
    Sorts are stable. NaN is larger than any number, and zeros are equal, unless
    the comparison is of the total order.

    *Gathers and scatters.* Gathers and slices move windows that are out of
    bounds into the tensor; scatters ignore such windows. The region of a
    scatter returns the update, or adds, multiplies, or takes the maximum or
    minimum.

    *Control flow.* `if` and `case` become If, and `while` becomes Loop, whose
    bodies evaluate the condition of the next step.

    *Quantized types.* Values of the types `!quant.uniform` become values of the
    storage type. `uniform_quantize` divides by the scale, rounds to nearest,
    ties to even, adds the zero point and clamps. Any other op computes on
    dequantized operands and quantizes its result, as the specification defines.

    *Calls.* A `composite` becomes a call of its decomposition. A `custom_call`
    of "shape_assertion" becomes `cf.assert`, and annotations of shardings are
    dropped. All other custom calls, all ops without a conversion, and attributes
    that are not known, are errors that name the op.

    The stage `normalize-import` runs this pass.

    Example:

    ```
    %0 = "stablehlo.convert"(%x) : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
    // becomes
    %0 = quant_float.cast %x opset 28 saturate false : tensor<4xf32> to tensor<4xf8E4M3FN>
    ```
  }];
  let options = [
    Option<"division", "division", "Division", /*default=*/"Division::XLA",
           "how to divide by constants and by values that are broadcast",
           [{::llvm::cl::values(
             clEnumValN(Division::XLA, "xla",
                        "multiply by the reciprocal, as XLA does"),
             clEnumValN(Division::Exact, "exact",
                        "divide, as StableHLO's specification defines"))}]>
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::cf::ControlFlowDialect",
    "mlir::func::FuncDialect", "mlir::math::MathDialect",
    "mlir::quant::QuantDialect", "mlir::tensor::TensorDialect",
    "mlir::quant_float::QuantFloatDialect"
  ];
}

def ConvertTorchToOnnxPass
    : Pass<"convert-torch-to-onnx", "mlir::ModuleOp"> {
  let summary = "Convert torch ops to ONNX nodes and quant_float ops";
  let description = [{
    Converts the ops of torch-mlir's raw import that
    include/quant-float/Conversion/TorchToOnnx/TorchOps.def lists to
    `quant_float.node` and `quant_float.cast`, at the newest known opset. The
    dialect is parsed as unregistered, in generic form:
    `fx.export_and_import(program, output_type="raw").operation.get_asm(
    print_generic_op_form=True)` writes it, and `--allow-unregistered-dialect`
    reads it. An op may also be a `torch.operator` with its name.

    *Types.* Values of `!torch.vtensor` become builtin tensors; `si8` becomes
    `i8`, and `ui8` remains. Numbers, lists and types must be constants.
    Sizes may also be those of tensors.

    *Arithmetic.* Operands are converted to the type to which PyTorch promotes
    them. f16 and bf16 are computed in f32, and each op rounds its result. A
    zero that `clamp` and `relu` do not change keeps its sign.

    *Conversions* are those of PyTorch on x86-64:
    - floats to float8: f64 and integers are rounded to f32 first. f8E4M3FN
      saturates, infinities included; with a `torch-version` before 2.12,
      overflow gives NaN. The other types do not saturate. To f8E8M0FNU, the
      sign is ignored;
    - floats to integers: toward zero to a signed integer of 32 bits, or of 64
      bits for ui8 and i64, of which the result has the low bits. NaN and
      values out of range give the lowest integer of that width.

    *Quantization.* `quantized_decomposed` ops follow PyTorch's Python
    functions. `quantize_per_tensor` and `quantize_per_channel` multiply by the
    reciprocal of the scale, round to nearest, ties to even, add the zero point
    and clamp; NaN gives 0. `quantize_per_token` and
    `quantize_per_channel_group` add the zero point before they round. The
    reciprocal is computed in f64 for one scale, and in the type of the scales
    otherwise. The values are quantized by QuantizeLinear with scale 1 and
    dequantized by DequantizeLinear if the zero points are constants.
    `fake_quantize` gives the lowest quantized value for NaN and, per channel,
    for values of at least 2^63.

    torchao's `quantize_affine`, `dequantize_affine` and `choose_qparams_affine`
    round each step to the type of the input.

    *Contractions* of integers of 8 bits accumulate exactly in 32 bits. Those of
    floats are computed in f32 with the accumulation order of rule R7, and
    rounded once. `_scaled_mm` multiplies the sums by the scales.
    `scaled_dot_product_attention` computes f16 and bf16 in f32, and gives 0 for
    queries whose keys are all masked.

    *Order.* NaN is larger than any number. Of equal elements, the first is the
    extremum and comes first in a sort, even where PyTorch does not specify it.

    *ONNX.* A `torch.operator` of torch-mlir's ONNX importer, such as
    "onnx.Conv", becomes the node of that operator. Its opset is that of the
    attribute `torch.onnx_meta.opset_version` of the function or the module.

    Assertions of metadata are checked and removed. All other ops are errors
    that name the op.

    The stage `normalize-import` runs this pass.

    Example:

    ```
    %float8 = "torch.constant.int"() <{value = 24 : i64}> : () -> !torch.int
    %0 = "torch.prims.convert_element_type"(%x, %float8)
           : (!torch.vtensor<[4],f32>, !torch.int) -> !torch.vtensor<[4],f8E4M3FN>
    // becomes
    %0 = quant_float.node "Cast"(%x) opset 28 attributes {saturate = 1 : i64, to = 17 : i64}
           : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
    ```
  }];
  let options = [
    Option<"torchVersion", "torch-version", "std::string",
           /*default=*/"\"2.12\"",
           "Version of PyTorch that defines the results">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::math::MathDialect", "mlir::tensor::TensorDialect",
    "mlir::quant_float::QuantFloatDialect"
  ];
}

def ConvertOnnxMlirToOnnxPass
    : Pass<"convert-onnx-mlir-to-onnx", "mlir::ModuleOp"> {
  let summary = "Convert the dialect of onnx-mlir to ONNX nodes";
  let description = [{
    Converts each op of onnx-mlir's dialect to the `quant_float.node` of its
    ONNX operator. The dialect is parsed as unregistered, in generic form:
    `onnx-mlir-opt --mlir-print-op-generic` writes it, and
    `--allow-unregistered-dialect` reads it.

    - `"onnx.Relu"(%x)` is the operator Relu. A version may follow the name:
      `onnx.SplitV11` is Split of opset 11. All other nodes have the opset of
      the option `opset`. Operators of ai.onnx.ml are known by their names.
    - `onnx.Custom` is the operator `function_name` of the domain `domain_name`.
    - `onnx.MaxPoolSingleOut` and `onnx.BatchNormalizationInferenceMode` are
      MaxPool and BatchNormalization with one result.
    - Attributes have onnx-mlir's types: `1 : si64`, and `to = f16` for the
      number of an element type. `onnx_node_name` is the name of the node, and
      attributes with a dialect in their names are dropped.
    - `onnx.Constant` becomes `arith.constant`; `onnx.NoValue` and the type
      `none` are absent inputs and results.
    - The regions of If, Loop and Scan become those of the node. `onnx.Return`
      becomes `return`, and `onnx.EntryPoint` is dropped.

    All other ops are errors that name the op. The passes that follow check the
    nodes as those of a model file.

    The stage `normalize-import` runs this pass.

    Example:

    ```
    %y = "onnx.Relu"(%x) {onnx_node_name = "act"} : (tensor<1x3x4xf32>) -> tensor<1x3x4xf32>
    // becomes
    %y = quant_float.node "Relu"(%x) opset 28 name "act" : (tensor<1x3x4xf32>) -> tensor<1x3x4xf32>
    ```
  }];
  let options = [
    Option<"opset", "opset", "int64_t", /*default=*/"0",
           "ONNX opset of ops without a version; 0 means the newest known">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::tensor::TensorDialect", "mlir::quant_float::QuantFloatDialect"
  ];
}

def QuantFloatImportOnnxOpsPass
    : Pass<"quant-float-import-onnx-ops", "mlir::ModuleOp"> {
  let summary = "Convert the quantization ops of onnx-mlir and torch-mlir to quant_float ops";
  let description = [{
    Converts Cast, CastLike, QuantizeLinear and DequantizeLinear of
    - onnx-mlir, `"onnx.Cast"(%x) {to = f8E4M3FN, saturate = 1 : si64}`, on
      tensors. `"onnx.NoValue"` is an absent input. onnx-mlir writes default
      values: an attribute that the op version lacks is dropped if its value is
      the later default. `onnx_node_name` names the node in errors;
    - torch-mlir's ONNX importer, `"torch.operator"(%x) <{name = "onnx.Cast"}>
      {torch.onnx.to = 17 : si64}`, on `!torch.vtensor` types.
      `"torch.constant.none"` is an absent input.

    Both dialects are parsed as unregistered, in generic form
    (`--mlir-print-op-generic` there, `--allow-unregistered-dialect` here). Each
    op is verified against the rules of its opset, as in the ONNX importer; any
    violation is an error, and the pass fails.

    The opset is that of the option `opset`, else that of the attribute
    `torch.onnx_meta.opset_version` of the function or the module, else the
    newest known.

    Constants (`onnx.Constant` with `value`) that these ops use become
    `arith.constant`, and `onnx.Return` becomes `return`. Values of torch types
    are converted by `torch_c.to_builtin_tensor` and
    `torch_c.from_builtin_tensor`. If all remaining conversions are of arguments
    and results of a function that has no callers, its signature is converted to
    builtin tensors instead.
  }];
  let options = [
    Option<"opset", "opset", "int64_t", /*default=*/"0",
           "ONNX opset of the ops; 0 means that of the function or the module">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::tensor::TensorDialect", "mlir::quant_float::QuantFloatDialect"
  ];
}

#endif // QUANT_FLOAT_CONVERSION_PASSES_TD
