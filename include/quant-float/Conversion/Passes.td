//===- Passes.td - Conversions out of quant_float ----------*- tablegen -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CONVERSION_PASSES_TD
#define QUANT_FLOAT_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertOnnxNodesToLinalgPass
    : Pass<"convert-onnx-nodes-to-linalg", "mlir::ModuleOp"> {
  let summary = "give ordinary ONNX nodes their meaning in upstream dialects";
  let description = [{
    Replaces every `quant_float.node` of an op that has a lowering (the table is
    lib/Conversion/OnnxNodesToLinalg/Nodes.def) by linalg, tensor and arith ops
    that do what the op's version at the node's opset does. Shapes become known
    on the way: the functions are walked in order, the results of
    `quant_float` ops behind a converted node get their shapes, and the
    functions the types of what they return.

    Shape arithmetic (`Shape`, `Gather`, `Concat`, ... on small integer tensors)
    is done on scalars and folded, so that reshapes to sizes computed from those
    of the arguments have known sizes.

    Tensors are broadcast as in numpy. A size that is not known is taken to be
    the same as the other sizes it is broadcast with, unless those are 1; the
    entry point checks that it is. Where other sizes have to fit (`Reshape`,
    `Concat`, ...) a `cf.assert` says so. Indices that are outside of their axis
    (`Gather`) become the nearest inside.

    QuantizeLinear, DequantizeLinear, Cast and CastLike nodes that the importer
    had to leave for want of types become ops of the dialect.

    Without `allow-unsupported` all nodes that have no lowering are listed, with
    the reason, and the pass fails.
  }];
  let options = [
    Option<"allowUnsupported", "allow-unsupported", "bool", /*default=*/"false",
           "leave nodes that have no lowering as they are">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::cf::ControlFlowDialect",
    "mlir::linalg::LinalgDialect", "mlir::math::MathDialect",
    "mlir::scf::SCFDialect", "mlir::tensor::TensorDialect",
    "mlir::quant_float::QuantFloatDialect"
  ];
}

def ConvertOpenVinoNodesToOnnxPass
    : Pass<"convert-openvino-nodes-to-onnx", "mlir::ModuleOp"> {
  let summary = "rewrite OpenVINO layers to ONNX nodes and ops of the dialect";
  let description = [{
    Replaces every `quant_float.node` of domain "openvino" that has a lowering
    (the table is lib/Conversion/OpenVinoNodesToOnnx/Layers.def, layer by opset)
    by ONNX nodes that compute the same, and Convert by `quant_float.cast`.

    Where the bits of OpenVINO's CPU plugin (precision hint f32) and of
    Model.evaluate differ, the following holds.
    - Convert to float8 does not saturate and rounds twice, to f16 and to float8;
      to f8E8M0FNU it rounds to nearest, ties to the even code, what is not
      above 0 gives code 0, and an infinity 254; to f4E2M1FN it saturates, and
      NaN gives 6 with its sign. Between wider floats it rounds once, to nearest,
      as the plugin does; f64 goes through f32.
    - From floats to integers it cuts to an integer of 32 bits (of 64 for those
      of 64 bits and ui32), the lowest where there is none (NaN, too large), of
      which it takes the low bits; to booleans it asks for a number other than 0,
      which NaN is not. The plugin has no wider integers than 32 bits.
    - Integers that bf16 cannot hold are rounded to it as OpenVINO does: half a
      unit is added where the last bit kept is 1, else the rest is cut off.
    - Clamp and ReLU give the lower bound for NaN, and -0 beside a bound of 0
      gives 0, as the plugin has it.
    - Divide divides; the plugin multiplies by the reciprocal. FakeQuantize is
      the formula of the reference; the plugin's differs in the last bits.
    - Integer arithmetic wraps; the plugin saturates 8 bits.
    - Indices outside of their axis (Gather) become the nearest inside.

    What ONNX has no op for becomes a node of domain "quant_float", which
    `convert-onnx-nodes-to-linalg` knows.

    Without `allow-unsupported` all layers that have no lowering are listed,
    with the reason, and the pass fails.
  }];
  let options = [
    Option<"allowUnsupported", "allow-unsupported", "bool", /*default=*/"false",
           "leave layers that have no lowering as they are">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::quant_float::QuantFloatDialect"
  ];
}

def ConvertQuantFloatToLinalgPass
    : Pass<"convert-quant-float-to-linalg", "mlir::ModuleOp"> {
  let summary = "turn ops on tensors into linalg.generic on storage types";
  let description = [{
    Every op on ranked tensors becomes a `linalg.generic` whose body holds the
    scalar form of the op. Tensors of unsigned and sub-byte elements change to
    their storage type on the way, throughout the function and its signature
    (arith is signless, and stores of sub-byte vectors write packed bytes); the
    body moves between the two by `quant_float.storage_cast`. The arguments and
    results of public functions keep their element type in the attribute
    `quant_float.element_type`.

    Refused, with an error that names the op: unranked tensors, strings and
    `quant_float.node`.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::tensor::TensorDialect", "mlir::quant_float::QuantFloatDialect"
  ];
}

def ConvertQuantFloatToArithPass
    : Pass<"convert-quant-float-to-arith"> {
  let summary = "expand casts and quantizations of scalars and vectors into arith ops";
  let description = [{
    Expands `quant_float.cast`, `quant_float.storage_cast`,
    `quant_float.quantize`, `dequantize`, `qdq` and `quantize_elements` on
    scalars and vectors. One algorithm, parameterised by the formats, serves
    every pair: the magnitude is rounded by the addition of a power of two that leaves the
    wanted number of mantissa bits, and bits are moved by integer arithmetic, so
    that no narrow-float op is left for a later stage. Where vectors share a
    scale and there is a fused multiply-add, its reciprocal is multiplied and the
    quotient corrected by the rest, which gives the bits of the division.

    `quant_float.fakeconvert` is expanded as by `quant-float-decompose-fakeconvert`.
    A saturating cast of f32 to float8, through f16 perhaps, and back is rounding
    in place, without codes. What that gives is divided by a scalar by its
    reciprocal, too; scalars for which this is not exact, which an `scf.if` asks
    for, are divided by.

    `cpu` says which of upstream's own conversions are instructions on the
    target (f16 and bf16 conversions, fused multiply-add) and so may be used, and
    which casts the target has a faster way for: with byte tables (AVX-512 VBMI)
    vectors of 64 float8, float6, float4 or f8E8M0FNU codes are looked up, and
    results of 32 bits are cut to bytes and words by permutes.
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", /*default=*/"\"\"",
           "target CPU; empty means none of the target's own conversions">,
    Option<"triple", "triple", "std::string", /*default=*/"\"\"",
           "target triple; empty means that of this machine">,
    Option<"features", "features", "std::string", /*default=*/"\"\"",
           "LLVM features such as +avx2,-fma; empty means those of the CPU">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::math::MathDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect",
    "mlir::LLVM::LLVMDialect"
  ];
}

def ConvertQuantFloatToNVVMPass
    : Pass<"convert-quant-float-to-nvvm"> {
  let summary = "turn casts of scalars and vectors into conversions of NVIDIA GPUs";
  let description = [{
    Works on the GPU modules inside the op that it is given, or on all of the op
    if there are none. Casts of scalars and vectors become `nvvm.convert` ops
    where the chip and the version of PTX have them
    (lib/Conversion/QuantFloatToNVVM/Conversions.def is the table), with the arith
    ops that make up for where the instruction differs from ONNX: NaN, overflow
    that does not saturate, negative numbers to f8E8M0FNU. Everything else, and
    everything on chips without these instructions, is expanded into arith ops as
    by `convert-quant-float-to-arith`.

    | floats                     | chips                                       | PTX              |
    |----------------------------|---------------------------------------------|------------------|
    | f8E4M3FN, f8E5M2           | sm_89, sm_90 and above                      | 8.1 on sm_89     |
    | f4, f6, f8E8M0FNU up, down | those from sm_100a on that end in `a` or `f` | that of the chip |

    Other sources than those of an instruction are brought to f32 first, f64 and
    wide integers by rounding to odd, so that one rounding is left (C1).

    Each cast has a remark of the category "quant-float-nvvm" that says which
    instruction was taken or why none was: `--remarks-filter=quant-float-nvvm
    --remark-format=emitRemark` shows them.

    Without `chip` it is that of the GPU module's one `#nvvm.target`, and the
    version of PTX is the one among its features, or the first that knows the chip.
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"\"",
           "the GPU, such as sm_90a; empty means that of the module's target">,
    Option<"ptx", "ptx", "std::string", /*default=*/"\"\"",
           "PTX version such as 81; empty means the least with the chip's instructions">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::math::MathDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect",
    "mlir::LLVM::LLVMDialect", "mlir::NVVM::NVVMDialect"
  ];
}

#endif // QUANT_FLOAT_CONVERSION_PASSES_TD
