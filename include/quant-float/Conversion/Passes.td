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
    include/quant-float/Conversion/OnnxNodes.def) by linalg, tensor and arith ops
    that do what the op's version at the node's opset does. Shapes become known
    on the way: the functions are walked in order, the results of
    `quant_float` ops behind a converted node get their shapes, and the
    functions the types of what they return.

    A node of an op that is not in the table and that ONNX defines by a function
    of other ops at its opset becomes those first, as ONNX's own library has
    them; their locations are calls at the node's. Where one of them has no
    lowering, nothing is changed, and the error names both.

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
           "leave nodes that have no lowering as they are">,
    Option<"onDevice", "on-device", "bool", /*default=*/"false",
           "sort by networks of comparisons, whose steps are parallel">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::bufferization::BufferizationDialect", "mlir::cf::ControlFlowDialect",
    "mlir::linalg::LinalgDialect", "mlir::math::MathDialect",
    "mlir::scf::SCFDialect", "mlir::tensor::TensorDialect",
    "mlir::vector::VectorDialect", "mlir::quant_float::QuantFloatDialect"
  ];
}

def ConvertOnnxNodesToOpenVinoPass
    : Pass<"convert-onnx-nodes-to-openvino", "mlir::ModuleOp"> {
  let summary = "rewrite ONNX nodes and ops of the dialect to OpenVINO layers";
  let description = [{
    Replaces every `quant_float.node` of ONNX's own domain, of opset 21, by
    layers of OpenVINO that compute the same (the table is
    include/quant-float/Conversion/OpenVinoForms.def), and casts, quantize and
    dequantize by Convert and arithmetic in f32.

    - A cast is Convert where OpenVINO rounds as ONNX does: not to float8 from
      f32, nor saturating. What a type of integers does not hold becomes
      anything in both.
    - Dequantize is Convert, Subtract and Multiply; scales and zero points of
      axes are reshaped, those of blocks repeated. Quantize to integers is
      Divide, Round, Add, Clamp and Convert, and divides in f32 only; to floats
      it has no form.
    - OpenVINO's CPU plugin multiplies by the reciprocal where Divide is said,
      and Clamp gives the lower bound for NaN.

    All nodes that have no such form are listed, with the reason, and the pass
    fails.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect",
                           "mlir::quant_float::QuantFloatDialect"];
}

def ConvertOpenVinoNodesToOnnxPass
    : Pass<"convert-openvino-nodes-to-onnx", "mlir::ModuleOp"> {
  let summary = "rewrite OpenVINO layers to ONNX nodes and ops of the dialect";
  let description = [{
    Replaces every `quant_float.node` of domain "openvino" that has a lowering
    (the table is include/quant-float/Conversion/OpenVinoLayers.def, layer by opset)
    by ONNX nodes that compute the same, and Convert by `quant_float.cast` in the
    mode openvino.

    Where the bits of OpenVINO's CPU plugin (precision hint f32) and of
    Model.evaluate differ, the following holds; for Convert see the op.
    - Clamp and ReLU give the lower bound for NaN, and -0 beside a bound of 0
      gives 0, as the plugin has it.
    - Divide divides; the plugin multiplies by the reciprocal. FakeQuantize is
      the formula of the reference; the plugin's differs in the last bits.
    - Integer arithmetic wraps; the plugin saturates 8 bits.
    - LRN adds the bias as it is; the plugin takes its whole part. MaxPool gives
      -inf for a window of padding alone; the plugin the lowest number.
    - TopK gives of equal elements the first ones, stable or not, and orders
      them by value where no order is asked for.
    - Indices outside of their axis become the nearest inside (Gather-1 and -7)
      or give zeros (Gather-8), as negative ones count from the end there.

    Without `allow-unsupported` all layers that have no lowering are listed,
    with the reason, and the pass fails.
  }];
  let options = [
    Option<"allowUnsupported", "allow-unsupported", "bool", /*default=*/"false",
           "leave layers that have no lowering as they are">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::tensor::TensorDialect",
    "mlir::quant_float::QuantFloatDialect"
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
    `quant_float.element_type`. What arith and math compute on tensors becomes a
    `linalg.generic`, too.

    Of a byte with a smaller element only the element counts. The other bits are
    what a caller gave wherever the byte was only moved; results of public
    functions that may hold such bytes are masked, and nothing else is.

    Arguments and results of public functions with the attribute
    `quant_float.packed`, and constants whose bytes are packed, become tensors of
    i2, i4 or i6, whatever the type is of which the elements are. An op on them
    spreads the elements to bytes (`arith.extui`); slices, reshapes and single
    elements are taken from the packed tensor. `quant-float-lower-packed-elements`
    knows such buffers.

    A result without a rank gets that of the input. A cast whose rank nobody
    knows casts a tensor of one dimension, in whose shape the elements are put
    and out of it again. Casts of tensors of strings become `cast_texts`, on
    addresses of texts. Refused, with an error that names the op: other ops on
    tensors whose rank is not known, strings outside of tensors and
    `quant_float.node`.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::scf::SCFDialect", "mlir::tensor::TensorDialect", "mlir::quant_float::QuantFloatDialect"
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

    `quant_float.fakeconvert` is expanded as by `quant-float-decompose-fakeconvert`,
    a cast in the mode openvino to arithmetic and casts of ONNX.
    A saturating cast of f32 to float8, through f16 perhaps, and back is rounding
    in place, without codes. What that gives is divided by a scalar by its
    reciprocal, too; scalars for which this is not exact, which an `scf.if` asks
    for, are divided by.

    `cpu` says which of upstream's own conversions are instructions on the
    target (of f16, fused multiply-add) and so may be used, and which conversion
    instructions it has
    (include/quant-float/Emulation/Conversions.def is the table): vectors of as
    many elements as these take become LLVM's intrinsics. With byte tables
    (AVX-512 VBMI) results of 32 bits are cut to bytes and words by permutes.

    Each cast has a remark of the category "quant-float-conversion" that says
    which instruction was taken and what a better one needs, and so has the
    quotient of each quantization: `--remarks-filter=quant-float-conversion
    --remark-format=emitRemark` shows them.
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
    (include/quant-float/Emulation/Conversions.def is the table), with the arith
    ops that make up for where the instruction differs from ONNX: NaN, overflow
    that does not saturate, negative numbers to f8E8M0FNU. `quantize`, `dequantize`,
    `qdq` and `fakeconvert` are arithmetic and such casts. Everything else, and
    everything on chips without these instructions, is expanded into arith ops as
    by `convert-quant-float-to-arith`, for what GPUs do well.

    | floats                         | chips                                       | PTX              |
    |--------------------------------|---------------------------------------------|------------------|
    | f8E4M3FN, f8E5M2               | sm_89, sm_90 and above                      | 8.1 on sm_89     |
    | to f8E4M3FNUZ, f8E5M2FNUZ      | the same, by those instructions twice       | the same         |
    | f4, f6, f8E8M0FNU up, down     | those from sm_100a on that end in `a` or `f` | that of the chip |

    Other sources than those of an instruction are brought to f32 first, f64 and
    wide integers by rounding to odd, so that one rounding is left (C1).

    Remarks say which instruction was taken for each cast, as by
    `convert-quant-float-to-arith`.

    Upstream's `gpu-lower-to-nvvm-pipeline` lowers what comes out: what it makes
    library calls of where PTX has instructions (fused multiply-add, minima) is in
    the LLVM dialect, and `vector.shape_cast` and slices are gone. Tensors, vectors
    of unknown size and strings are errors.

    Without `chip` it is that of the GPU module's one `#nvvm.target`, and the
    version of PTX is the one among its features, or the first that knows the chip.
    A target that has less than what is asked for is an error: LLVM would abort.
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

def QuantFloatLegalizeArithPass
    : Pass<"quant-float-legalize-arith"> {
  let summary = "turn upstream's casts of narrow floats into quant_float ops";
  let description = [{
    Upstream has ops for narrow floats (f8E4M3FN, f8E5M2, their FNUZ forms,
    f8E8M0FNU, f6E2M3FN, f6E3M2FN, f4E2M1FN) and next to no lowering of them. Of
    scalars, vectors and tensors,

    | op                                               | becomes                   |
    |--------------------------------------------------|---------------------------|
    | `arith.truncf`, `arith.extf`                     | `quant_float.cast`        |
    | `arith.sitofp`, `uitofp`, `fptosi`, `fptoui`     | the same, with the integer widened or cut where ONNX has none of its width, and from and to the unsigned ones |
    | `arith.scaling_truncf`, `arith.scaling_extf`     | casts and a division or a multiplication, as their text has it |
    | `quant.qcast`, `quant.dcast` with float8 storage | `quant_float.quantize`, `quant_float.dequantize` |

    with the opset that is the newest known. Where one op becomes several,
    tensors become a `linalg.generic` that holds them. Ops without a narrow float
    stay. The lowering pipelines begin with this pass. Arithmetic on narrow floats
    becomes casts by upstream's `arith-emulate-unsupported-floats` before.

    *Values.* arith says that a value is rounded, by default to nearest, ties to
    even; what the type cannot hold at all is what `llvm::APFloat` makes of it:
    - to float8: too large, also infinite, is NaN (f8E5M2: an infinity), which is
      `saturate false`;
    - to f8E8M0FNU: all rounding modes; ties go up, which is to even there;
      negative, too large and infinite is NaN (APFloat's own bits of negative ones
      have the sign among those of the exponent); zero and what is too small is
      the least value, 2^-127;
    - to float6 and float4: too large is the largest value. Infinities are, too
      (C8), and NaN gives a zero of the opposite sign, where APFloat makes zeros
      of all three;
    - to integers: toward zero. What is out of range is poison there and has the
      value of C11 here.

    A NaN becomes quiet and canonical, its sign is kept (C5, C7). Flags of fast
    math only allow what is not done here: they are dropped, and so nothing is
    flushed. `scaling_truncf` and `scaling_extf` cast a scale of 16 bits or more to
    f8E8M0FNU as `truncf` does, to nearest (`arith-expand` cuts it off instead),
    and divide or multiply in the wide type.

    *quant.* MLIR 22 itself reads no float as a storage type; newer versions read
    `!quant.uniform<f8E4M3FN:f32, 0.5>` and write it in generic form for others to
    read as unregistered (`--allow-unregistered-dialect`, in tools that do not
    register MLIR 22's own). Such types per tensor and per axis are taken; the
    range is what the storage type has, so that quantize saturates. `quant.scast`
    goes between where a value of a quantized type comes in or is left. Integer
    storage is for upstream's own passes.

    What has no such op stays, with a remark that begins with "not legalized" and
    says why: other types of floats (f8E4M3, f8E3M4, f8E4M3B11FNUZ, f128, ...),
    integers of more than 64 bits, other rounding modes than to nearest even,
    scales that are narrow and not of f8E8M0FNU, scaling from or to two narrow
    types.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::tensor::TensorDialect", "mlir::vector::VectorDialect",
    "mlir::quant_float::QuantFloatDialect"
  ];
}

def QuantFloatImportOnnxOpsPass
    : Pass<"quant-float-import-onnx-ops", "mlir::ModuleOp"> {
  let summary = "turn the quantization ops of onnx-mlir and torch-mlir into quant_float ops";
  let description = [{
    Takes Cast, CastLike, QuantizeLinear and DequantizeLinear as
    - onnx-mlir has them, `"onnx.Cast"(%x) {to = f8E4M3FN, saturate = 1 : si64}`,
      on tensors. `"onnx.NoValue"` is an input left out. onnx-mlir writes defaults
      out: an attribute that the op version lacks is dropped if it has the value
      that became its default. `onnx_node_name` names the node in errors;
    - torch-mlir's ONNX importer has them,
      `"torch.operator"(%x) <{name = "onnx.Cast"}> {torch.onnx.to = 17 : si64}`, on
      `!torch.vtensor` types. `"torch.constant.none"` is an input left out.

    Both dialects are read as unregistered ones, in generic form
    (`--mlir-print-op-generic` there, `--allow-unregistered-dialect` here). Each
    such op is verified against the rules of the opset, as the ONNX importer does;
    what is wrong with any of them is an error, and the pass fails.

    The opset is that of `opset`, or else of the attribute
    `torch.onnx_meta.opset_version` of the function or the module, or else the
    newest known.

    Constants (`onnx.Constant` with `value`) of these ops become `arith.constant`,
    and `onnx.Return` becomes `return`. Values of torch types go through
    `torch_c.to_builtin_tensor` and `torch_c.from_builtin_tensor`, unless nothing
    else but the importing function's own arguments and results is left between:
    a function that nobody calls then gets builtin tensors.
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
