# quant-float-translate --quantize-weights: the values of the weights in the exported ONNX models
# and checkpoints, and the results of the models, equal those of the oracle.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import subprocess
import sys
from pathlib import Path

import gguf
import numpy as np
import onnx
from conformance import blocks
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import save_file

F32 = np.float32
random = np.random.default_rng(5)
# Format, element type, scale type, outputs and inputs of a block, rules.
FORMATS = [
    ("mxfp8-e4m3", "f8E4M3FN", "f8E8M0FNU", 1, 32, blocks.POWERS),
    ("mxfp8-e5m2", "f8E5M2", "f8E8M0FNU", 1, 32, ("rceil",)),
    ("mxfp6-e2m3", "f6E2M3FN", "f8E8M0FNU", 1, 32, ("even",)),
    ("mxfp6-e3m2", "f6E3M2FN", "f8E8M0FNU", 1, 32, ("ceil",)),
    ("mxfp4", "f4E2M1FN", "f8E8M0FNU", 1, 32, ("floor", "rceil", "ggml")),
    ("mxint8", "i8", "f8E8M0FNU", 1, 32, ("floor",)),
    ("nvfp4", "f4E2M1FN", "f8E4M3FN", 1, 16, (*blocks.TWO_LEVELS, "ggml", "absmax")),
    ("fp8-1x128", "f8E4M3FN", "f32", 1, 128, ("deepgemm",)),
    ("fp8-128x128", "f8E4M3FN", "f32", 128, 128, ("absmax",)),
    ("fp8-channel", "f8E4M3FN", "f32", 1, None, ("absmax",)),
    ("int8-channel", "i8", "f32", 1, None, ("absmax",)),
    ("int8-32", "i8", "f32", 1, 32, ("absmax",)),
    ("int4-32", "i4", "f32", 1, 32, ("absmax",)),
    ("int4-128", "i4", "f32", 1, 128, ("absmax",)),
]
# Formats without a safetensors layout.
NOT_IN_SAFETENSORS = ("mxfp6-e2m3", "mxfp6-e3m2")
IN_GGUF = {"mxfp4": "MXFP4", "nvfp4": "NVFP4"}


def expect(w, rule, element, scale, outputs, inputs):
    """The values of a matrix of outputs x inputs after quantization."""
    inputs = inputs or w.shape[1]
    rows, columns = -(-w.shape[0] // outputs), -(-w.shape[1] // inputs)
    padded = np.zeros((rows * outputs, columns * inputs), F32)
    padded[: w.shape[0], : w.shape[1]] = w
    amax = np.abs(padded.reshape(rows, outputs, columns, inputs)).max(axis=(1, 3))
    level = blocks.Level(amax=np.abs(w).max()) if rule in blocks.TWO_LEVELS else None
    with np.errstate(all="ignore"):
        found = blocks.scales(rule, element, scale, amax, level)
        encodings = np.repeat(np.repeat(found, outputs, 0), inputs, 1)[: w.shape[0], : w.shape[1]]
        values = blocks.elements(rule, element, scale, w, encodings, level)
        factor = blocks.tensor_scale(level.amax) if level else None
        return blocks.dequantize(values, element, encodings, scale, factor, tensor_first=True)


def main(tools, work):
    tools, work = Path(tools), Path(work)
    w1 = random.standard_normal((256, 48)).astype(F32)
    w2 = (random.standard_normal((144, 256)) * 100).astype(F32)
    w3 = random.standard_normal((20, 70)).astype(F32)
    graph = helper.make_graph(
        [
            helper.make_node("MatMul", ["x", "w1"], ["a"]),
            helper.make_node("Gemm", ["x", "w2"], ["b"], transB=1),
            helper.make_node("Transpose", ["w3"], ["t"], perm=[1, 0]),
            helper.make_node("MatMul", ["z", "t"], ["c"]),
        ],
        "g",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 256]),
            helper.make_tensor_value_info("z", TensorProto.FLOAT, ["N", 70]),
        ],
        [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", size])
            for name, size in (("a", 48), ("b", 144), ("c", 20))
        ],
        [numpy_helper.from_array(w, f"w{i}") for i, w in enumerate((w1, w2, w3), 1)],
    )
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), work / "in.onnx"
    )
    save_file({"a.weight": w2, "norm.weight": w3[0], "embed.weight": w3}, work / "in.safetensors")
    # With rows of the identity matrix, the results are the weights.
    np.save(work / "x.npy", np.eye(256, dtype=F32))
    # Both inputs have N rows.
    np.save(work / "z.npy", np.eye(256, 70, dtype=F32))
    failures = 0

    def same(name, found, expected):
        nonlocal failures
        # Products with 0 and sums with 0 lose the sign of zero.
        if not np.array_equal(found, expected):
            failures += 1
            print(f"{name}: {np.sum(found != expected)} of {found.size} values differ")

    for name, element, scale, outputs, inputs, rules in FORMATS:
        for rule in rules:
            quantize = ["--quantize-weights", f"{name}:{rule}"]
            what = f"{name}:{rule}"
            model, out = work / "out.onnx", work / "out"
            command = [tools / "quant-float-translate", *quantize]
            subprocess.run([*command, "--export-onnx", work / "in.onnx", "-o", model], check=True)
            onnx.checker.check_model(onnx.load(model))
            run = [tools / "quant-float-run", model, "--inputs"]
            feeds = [f"x={work / 'x.npy'}", f"z={work / 'z.npy'}"]
            subprocess.run([*run, *feeds, "--outputs", out], check=True)
            for index, w in enumerate((w1.T, w2, w3)):
                found = np.load(out / f"output_{index}.npy")[: w.shape[1]].T
                same(
                    f"{what}, weight {index}",
                    found,
                    expect(w, rule, element, scale, outputs, inputs),
                )
            if name in NOT_IN_SAFETENSORS:
                continue
            checkpoint = work / "out.safetensors"
            exclude = ["--exclude-weights", "embed"]
            subprocess.run(
                [
                    *command,
                    *exclude,
                    "--export-safetensors",
                    work / "in.safetensors",
                    "-o",
                    checkpoint,
                ],
                check=True,
            )
            imported = work / "out.mlir"
            subprocess.run(
                [
                    tools / "quant-float-translate",
                    "--import-safetensors",
                    checkpoint,
                    "-o",
                    imported,
                ],
                check=True,
            )
            subprocess.run([tools / "quant-float-run", imported, "--outputs", out], check=True)
            # The writer chooses the order of tensors.
            found = {a.shape: a for a in (np.load(out / f"output_{i}.npy") for i in range(3))}
            same(
                f"{what}, a.weight",
                found[w2.shape],
                expect(w2, rule, element, scale, outputs, inputs),
            )
            same(f"{what}, embed.weight", found[w3.shape], w3)
            if name not in IN_GGUF:
                continue
            weights = work / "out.gguf"
            source = work / "in.safetensors"
            command += [*exclude, "--export-gguf", source, "-o", weights]
            subprocess.run(command, check=True)
            tensors = {tensor.name: tensor for tensor in gguf.GGUFReader(weights).tensors}
            weight = tensors.pop("a.weight")
            assert weight.tensor_type.name == IN_GGUF[name], weight.tensor_type
            found = gguf.quants.dequantize(weight.data, weight.tensor_type)
            expected = expect(w2, rule, element, scale, outputs, inputs)
            if "a.scale" in tensors:
                # The package only has the product with the scale of the block, which is rounded
                # after the product of both scales here.
                found = found * tensors.pop("a.scale").data
                near = np.isclose(found, expected, 2e-7, 0)
                same(f"{what} in GGUF, nearly", near, np.ones_like(near))
            else:
                same(f"{what} in GGUF", found, expected)
            assert sorted(tensors) == ["embed.weight", "norm.weight"], tensors
        print(f"{name}: {len(rules)} rules")
    # Options that would have no effect.
    quantize = ["--quantize-weights", "mxfp4:rceil"]
    for options, message in (
        (["--import-onnx", *quantize], "--quantize-weights: expected --export-onnx"),
        (["--export-openvino", *quantize], "--quantize-weights: expected --export-onnx"),
        (
            ["--export-onnx", "--exclude-weights", "w"],
            "--exclude-weights: expected --quantize-weights",
        ),
        (
            ["--export-onnx", "--quantize-weights="],
            "expected FORMAT:RULE, such as mxfp4:rceil, but got ''",
        ),
    ):
        command = [tools / "quant-float-translate", *options, work / "in.onnx", "-o", work / "none"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode == 0 or message not in result.stderr or (work / "none").exists():
            failures += 1
            print(f"{options}: expected the error '{message}', got {result}")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
