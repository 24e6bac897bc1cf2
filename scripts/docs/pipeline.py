"""Writes docs/pipeline.md: the IR of one layer after each stage of code generation, and the passes
of each stage.

usage: pipeline.py TOOLS_DIR [FILE]

Without FILE, the page is written to standard output.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

LAYER = """\
func.func @layer(%x: tensor<8x16xf32>) -> tensor<8x8xf32> {
  %s = arith.constant dense<0.5> : tensor<f32>
  %w = arith.constant dense<"0x8EB3D8FD22476C96BBE0052A4F749EC3E80D32577CA6CBF0153A5F89AED3F81D426791B6DB00254A6F99BEE3082D5277A1C6EB10355A84A9CEF3183D628CB1D6FB20456A94B9DE03284D729CC1E60B30557AA4C9EE13385D87ACD1F61B40658FB4D9FE23486D97BCE1062B50759FC4E90E33587DA7CCF1163B608AAFD4F91E43"> : tensor<16x8xi8>
  %q = quant_float.quantize %x, %s opset 21 : tensor<8x16xf32>, tensor<f32> to tensor<8x16xi8>
  %a = quant_float.dequantize %q, %s opset 21 : tensor<8x16xi8>, tensor<f32> to tensor<8x16xf32>
  %b = quant_float.dequantize %w, %s opset 21 : tensor<16x8xi8>, tensor<f32> to tensor<16x8xf32>
  %m = quant_float.node "MatMul"(%a, %b) opset 21 : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %y = quant_float.node "Relu"(%m) opset 21 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
"""
CPU = ["cpu=x86-64-v3", "triple=x86_64-linux-gnu"]
GPU = ["chip=sm_90"]
# Longer IR is truncated.
MAX_LINES = 48

HEAD = """\
# The pipeline

This page shows how code generation transforms a quantized layer: the IR after each [stage](glossary.md#stage), and
[the passes of each stage](#the-passes-of-each-stage). Use it to find the stage and the pass that create or lower
an op. [Architecture](architecture.md#from-a-model-to-machine-code) lists the stages with their invariants.

Each stage is a function in `lib/Pipelines` and a pipeline of `quant-float-opt`, such as `quant-float-bufferize`. The
comment at the top of its file states its input, its output and its invariant, on which the next stage relies.
`quant-float-lower-to-cpu` runs all stages for a CPU, and `quant-float-lower-to-nvvm` runs all stages for an NVIDIA GPU.

## Inspecting another model

These commands compile a model, and write the module after each stage to a file in an existing folder:

```text
mkdir stages
quant-float-compile examples/digits/digits-f8.onnx -o digits.so --dump-stages stages
```

The option `verify-stages` of the pipelines checks the invariants
([quant-float-verify-stage](../include/quant-float/Pipelines/Passes.td)); debug builds always check them.

## The example

The layer quantizes a float32 input to int8, multiplies it by int8 weights, and applies Relu. The target is
x86-64-v3, and sm_90 for `generate-gpu-code`. Long IR is shortened. `scripts/docs/pipeline.py` generates this page.

```mlir
"""
STAGES = (
    (
        "normalize-import",
        "NormalizeImport.cpp",
        "Converts imported models to ONNX nodes and operations of the dialect, so that later stages match only one"
        " representation of each quantization. The stage converts the ops of other compilers, OpenVINO layers and"
        " upstream's casts of narrow floats, and inlines calls. This layer contains none of these, so the stage does"
        " not change it.",
    ),
    (
        "rewrite-quantization",
        "RewriteQuantization.cpp",
        "Converts 8-bit [QDQ](glossary.md#qdq) matmuls and convolutions to integer matmuls and convolutions"
        " ([R7](rules.md#r-ops-on-quantized-tensors)), which have the same bits on every target. No other result"
        " changes. For matmuls of at most four rows, and for all if activations are quantized, the stage also"
        " transposes constant weights to make K contiguous. On CPUs, it first eliminates dequantize-quantize pairs, and sinks quantizations through Concat"
        " to its operands.",
    ),
    (
        "lower-nodes-to-linalg",
        "LowerNodesToLinalg.cpp",
        "Converts nodes and operations of the dialect to linalg on tensors. The bodies of `linalg.generic` ops contain"
        " scalar operations of the dialect. The function becomes a kernel that writes its result to the caller's"
        " buffer.",
    ),
    (
        "optimize-tensors",
        "OptimizeTensors.cpp",
        "Fuses elementwise operations. On CPUs, the stage also tiles contractions, attention and quantizations of"
        " blocks, and packs the operands of contractions for dot-product instructions.",
    ),
    (
        "bufferize",
        "Bufferize.cpp",
        "Converts tensors to memrefs, inserts allocations and deallocations, and hoists allocations out of loops.",
    ),
    (
        "generate-cpu-code",
        "GenerateCPUCode.cpp",
        "Lowers linalg ops to vectorized loops, expands conversions to instructions of the CPU or to arithmetic, and"
        " converts the module to the LLVM dialect.",
    ),
    (
        "generate-gpu-code",
        "GenerateGPUCode.cpp",
        "Runs instead of `generate-cpu-code` if the target is a GPU. The stage outlines kernels, expands conversions to"
        " instructions of the chip or to arithmetic, and compiles the kernels to PTX. The host code, in the LLVM"
        " dialect, launches them.",
    ),
    (
        "emit-abi",
        "EmitABI.cpp",
        "Emits the C functions of the [entry point](glossary.md#entry-point), which check the arguments and call"
        " the kernel.",
    ),
)


def run(*command, text=None):
    return subprocess.run(command, input=text, capture_output=True, check=True, text=True)


def cut(text):
    """The IR without attributes of the module, up to MAX_LINES."""
    lines = re.sub(r"LLVMIRToISATimeInMs = \d+ : i64, ", "", text.strip()).split("\n")
    if len(lines) > MAX_LINES:
        lines = [*lines[:MAX_LINES], f"// ... {len(lines) - MAX_LINES} more lines"]
    # Lines of constants or of a cubin are shortened.
    return "\n".join(line if len(line) <= 220 else line[:220] + " ..." for line in lines) + "\n"


def describe(description, file):
    """The description of a stage with a link to its file, in lines of the pages' width."""
    text = f"{description} ([{file}](../lib/Pipelines/{file}))"
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def list_passes(opt, stage, options):
    """The names of the passes that a stage runs, in order, without duplicates. Debug builds also run
    quant-float-verify-stage, unless it is disabled."""
    dumped = run(
        opt,
        f"--quant-float-{stage}={' '.join(options)} verify-stages=false",
        "--dump-pass-pipeline",
        "-",
        text="module {}\n",
    )
    pipeline = dumped.stderr[dumped.stderr.index("builtin.module(") :]
    # Options may contain names of passes.
    pipeline = re.sub(r"\{[^{}]*\}", "", re.sub(r"\{[^{}]*\}", "", pipeline))
    names = re.findall(r"(?<![\w.-])([a-z][\w-]+)(?=[,()\s])", pipeline)
    return [name for name in dict.fromkeys(names) if name not in ("builtin", "func", "gpu", "any")]


def read_summaries(opt):
    """The first line of each pass in --help."""
    text = run(opt, "--help").stdout
    return dict(re.findall(r"^ {6}--([\w-]+)(?:=<[^>]*>)? +- +(.+)$", text, re.M))


def write_table(opt, summaries):
    text = "## The passes of each stage\n\n"
    text += "The table lists the passes that each stage runs with default options. If a stage runs a pass several times, the table lists it once. `quant-float-set-target` runs before the first stage.\n\n"
    text += "| stage | pass | summary | target |\n|---|---|---|---|\n"
    for stage, _, _ in STAGES:
        on = {}
        for target, options in (("CPU", CPU), ("GPU", GPU)):
            if (
                stage in ("generate-cpu-code", "generate-gpu-code")
                and f"-{target.lower()}-" not in stage
            ):
                continue
            for name in list_passes(opt, stage, options):
                if name != "quant-float-set-target":
                    on.setdefault(name, []).append(target)
        for name, targets in on.items():
            only = "" if len(targets) == 2 else f"{targets[0]}"
            text += f"| `{stage}` | `{name}` | {summaries.get(name, '-')} | {only} |\n"
    return text


def write(tools):
    opt, compiler = tools / "quant-float-opt", tools / "quant-float-compile"
    text = HEAD + LAYER + "```\n"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "layer.mlir").write_text(LAYER)
        for name, options in (
            ("cpu", ["--cpu", "x86-64-v3", "--triple", "x86_64-linux-gnu"]),
            ("gpu", ["--target", "nvvm", "--chip", "sm_90"]),
        ):
            (folder / name).mkdir()
            target = [
                *options,
                "--emit",
                "llvm-dialect",
                "-o",
                folder / "out",
                "--dump-stages",
                folder / name,
            ]
            run(compiler, folder / "layer.mlir", *target)
        for stage, file, description in STAGES:
            where = "gpu" if stage == "generate-gpu-code" else "cpu"
            (dump,) = (folder / where).glob(f"*-{stage}.mlir")
            text += f"\n## {stage}\n\n{describe(description, file)}\n\n"
            text += f"```text\n{cut(dump.read_text())}```\n"
    return text + "\n" + write_table(opt, read_summaries(opt))


def main():
    text = write(pathlib.Path(sys.argv[1]))
    if len(sys.argv) > 2:
        pathlib.Path(sys.argv[2]).write_text(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
