# IREE, which is based on a newer LLVM, compiles this project's lowering to upstream dialects, given
# as text, and computes this project's bits: float8 casts of all f16 and bf16 values and of dense
# f32 values, and back. IREE alone does not compile f16 from and to float8, and flushes values just
# below 2^-6 to 0.
# REQUIRES: full
# RUN: %python -m environment %src_root %obj_root/iree
# RUN: %obj_root/iree/bin/python %s %tools_dir %src_root/examples/digits %t %results/iree.json
import importlib.metadata
import json
import pathlib
import subprocess
import sys
import time

import iree.compiler
import iree.runtime
import ml_dtypes
import numpy as np

tools, examples, work, record = map(pathlib.Path, sys.argv[1:])
work.mkdir(parents=True, exist_ok=True)
FLOAT8 = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
}
WIDE = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32}
TYPES = FLOAT8 | WIDE
LOWER = [
    "--quant-float-legalize-arith",
    "--quant-float-decompose-qdq",
    "--convert-quant-float-to-linalg",
    "--convert-quant-float-to-arith",
    "--canonicalize",
    "--cse",
]


def lower(name, text, *before):
    source = work / f"{name}.mlir"
    source.write_text(text)
    command = [tools / "quant-float-opt", source, *before, *LOWER]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def compile_with_iree(text):
    arguments = ["--iree-llvmcpu-target-cpu=host"]
    return iree.compiler.compile_str(text, target_backends=["llvm-cpu"], extra_args=arguments)


CONFIG = iree.runtime.Config("local-task")


class Program:
    def __init__(self, blob):
        self.context = iree.runtime.SystemContext(config=CONFIG)
        module = iree.runtime.VmModule.copy_buffer(self.context.instance, blob)
        self.context.add_vm_module(module)

    def __call__(self, *arrays, function="main"):
        main = self.context.modules.module[function]
        try:
            return main(*arrays).to_host()
        except ValueError as error:
            # IREE hoists bitcasts out of functions: a bf16 argument that is only used as bits
            # becomes an integer.
            assert "expected i16" in str(error), error
            bits = [a.view(np.int16) if a.dtype == ml_dtypes.bfloat16 else a for a in arrays]
            return main(*bits).to_host()


def cast_module(source, result):
    op = "extf" if source in FLOAT8 else "truncf"
    return f"""func.func @main(%x: tensor<?x{source}>) -> tensor<?x{result}> {{
  %y = arith.{op} %x : tensor<?x{source}> to tensor<?x{result}>
  return %y : tensor<?x{result}>
}}
"""


def count_wrong(program, values, result):
    got = program(values)
    with np.errstate(all="ignore"):
        expected = values.astype(TYPES[result])
    kind = f"u{expected.itemsize}"
    got = got.view(kind)
    nan = np.isnan(got.view(TYPES[result]).astype(np.float32))
    nan &= np.isnan(expected.astype(np.float32))
    return int(((got != expected.view(kind)) & ~nan).sum())


def make_values(source):
    """All bit patterns, for f32 every 64th, in chunks."""
    if source == "f32":
        for piece in range(16):
            encodings = np.arange(piece << 28, (piece + 1) << 28, 64, dtype=np.uint64)
            # The low bits, which decide ties, vary.
            yield (encodings + encodings // 64 * 37 % 64).astype(np.uint32).view(np.float32)
    else:
        bits = 8 if source in FLOAT8 else 16
        yield np.arange(1 << bits, dtype=f"u{bits // 8}").view(TYPES[source])


failures, found = [], []
for float8 in FLOAT8:
    for wide in WIDE:
        for source, result in ((wide, float8), (float8, wide)):
            text = cast_module(source, result)
            started = time.perf_counter()
            ours = Program(compile_with_iree(lower("cast", text)))
            seconds = time.perf_counter() - started
            try:
                alone = Program(compile_with_iree(text))
            except iree.compiler.CompilerToolError as error:
                assert "failed to legalize operation" in str(error), error
                alone = None
            entry = {"cast": f"{source} to {result}", "compile_seconds": round(seconds, 2)}
            entry |= {"values": 0, "wrong": 0, "wrong_alone": 0 if alone else "does not compile"}
            for values in make_values(source):
                entry["values"] += len(values)
                entry["wrong"] += count_wrong(ours, values, result)
                if alone:
                    entry["wrong_alone"] += count_wrong(alone, values, result)
            found.append(entry)
            print(entry, flush=True)
            if entry["wrong"]:
                failures.append(f"{source} to {result}: {entry['wrong']} wrong")

# The results of IREE alone, which show why this lowering is useful.
alone = {entry["cast"]: entry["wrong_alone"] for entry in found}
for cast in ("f16 to f8E4M3FN", "f8E4M3FN to f16"):
    if alone[cast] != "does not compile":
        failures.append(f"{cast}: IREE alone compiles this by now ({alone[cast]} wrong)")
below = np.full(16, 2.0**-6 * (1 - 2.0**-10), np.float32)
encodings = Program(compile_with_iree(cast_module("f32", "f8E4M3FN")))(below).view(np.uint8)
if encodings[0] != 0x00 or alone["f32 to f8E4M3FN"] == 0:
    failures.append(f"just below 2^-6 IREE alone gives {encodings[0]:#x} by now")
encodings = Program(compile_with_iree(lower("below", cast_module("f32", "f8E4M3FN"))))(below)
if encodings.view(np.uint8)[0] != 0x08:
    failures.append(f"just below 2^-6: expected 0x08, but got {encodings.view(np.uint8)[0]:#x}")

# Quantization: the bits of this project's compiled code.
QUANTIZE = """func.func @main(%x: tensor<64x?xf32>, %s: tensor<64xf32>) -> tensor<64x?xf32> {
  %i = quant_float.quantize %x, %s axis 0 opset 21 : tensor<64x?xf32>, tensor<64xf32> to tensor<64x?xi8>
  %d = quant_float.dequantize %i, %s axis 0 opset 21 : tensor<64x?xi8>, tensor<64xf32> to tensor<64x?xf32>
  %q = quant_float.qdq %d, %s axis 0 storage f8E4M3FN opset 21 : tensor<64x?xf32>, tensor<64xf32> to tensor<64x?xf32>
  %h = quant_float.cast %q opset 21 : tensor<64x?xf32> to tensor<64x?xf8E5M2>
  %y = quant_float.cast %h opset 21 : tensor<64x?xf8E5M2> to tensor<64x?xf32>
  return %y : tensor<64x?xf32>
}
"""
random = np.random.default_rng(1)
inputs = {
    "x": (random.standard_normal((64, 1000)) * 50).astype(np.float32),
    "s": random.uniform(0.01, 2, 64).astype(np.float32),
}


def run_here(model, arrays):
    for name, array in arrays.items():
        np.save(work / f"{name}.npy", array)
    command = [tools / "quant-float-run", model, "--outputs", work / "out", "--inputs"]
    command += [work / f"{name}.npy" for name in arrays]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return np.load(work / "out" / "output_0.npy")


got = Program(compile_with_iree(lower("quantize", QUANTIZE)))(*inputs.values())
expected = run_here(work / "quantize.mlir", inputs)
wrong = int((got.view(np.uint32) != expected.view(np.uint32)).sum())
if wrong:
    failures.append(f"quantize: {wrong} of {got.size} differ from quant-float-run")

# A whole network. IREE uses another order of additions. The network is int8, because IREE stores no
# float8 constants.
model = examples / "digits-i8.onnx"
text = subprocess.run(
    [tools / "quant-float-translate", "--import-onnx", model],
    check=True,
    capture_output=True,
    text=True,
).stdout
passes = ("--inline", "--canonicalize", "--convert-onnx-nodes-to-linalg")
images = random.uniform(0, 16, (100, 64)).astype(np.float32)
got = Program(compile_with_iree(lower("digits", text, *passes)))(images, function="digits")
expected = run_here(model, {"image": images})
error = float(np.abs(got - expected).max())
print(f"digits: {error} between the two")
if error > 1e-4 or (got.argmax(1) != expected.argmax(1)).any():
    failures.append(f"digits: {error} between IREE and quant-float-run")

version = importlib.metadata.version("iree-base-compiler")
record.write_text(
    json.dumps(
        {"iree": version, "casts": found, "quantize_wrong": wrong, "network_error": error}, indent=1
    )
)
sys.exit("\n".join(failures) if failures else 0)
