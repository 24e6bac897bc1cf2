# Runs models in TOSA: casts of narrow floats like ml_dtypes, integer matmuls and their rescale, and
# block-scaled ops.
# RUN: %python %s %tools_dir %t
import pathlib
import subprocess
import sys

import ml_dtypes
import numpy as np

tools, work = map(pathlib.Path, sys.argv[1:])
work.mkdir(parents=True, exist_ok=True)
random = np.random.default_rng(1)


def run(name, text, *arrays):
    source = work / f"{name}.mlir"
    source.write_text(text)
    files = []
    for index, array in enumerate(arrays):
        files.append(work / f"{name}.{index}.npy")
        np.save(files[-1], array)
    command = [tools / "quant-float-run", source, "--outputs", work / name, "--inputs", *files]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{name}:\n{done.stderr}\n{text}"
    return [np.load(path) for path in sorted((work / name).glob("*.npy"))]


def same(name, got, expected):
    assert got.dtype.itemsize == expected.dtype.itemsize, (name, got.dtype, expected.dtype)
    bits = f"u{expected.dtype.itemsize}"
    wrong = got.view(bits) != np.ascontiguousarray(expected).view(bits)
    if expected.dtype.kind != "i":
        # The sign and the payload of a NaN are those of rules C5 and C7.
        nan = np.isnan(expected.astype(np.float32))
        assert (np.isnan(got.view(expected.dtype).astype(np.float32)) == nan).all(), name
        wrong &= ~nan
    assert not wrong.any(), (
        f"{name}: {int(wrong.sum())} of {got.size}: {got[wrong][:4]} {expected[wrong][:4]}"
    )
    print(f"{name}: {got.size} equal")


# All f16 values as f32, including ties and limits of float8.
X = np.arange(1 << 16).astype(np.uint16).view(np.float16).astype(np.float32)
with np.errstate(all="ignore"):
    for kind, dtype in (("f8E4M3FN", ml_dtypes.float8_e4m3fn), ("f8E5M2", ml_dtypes.float8_e5m2)):
        text = f"""
func.func @main(%x: tensor<65536xf32>) -> (tensor<65536x{kind}>, tensor<65536xf32>, tensor<65536xbf16>) {{
  %0 = tosa.cast %x : (tensor<65536xf32>) -> tensor<65536x{kind}>
  %1 = tosa.cast %0 : (tensor<65536x{kind}>) -> tensor<65536xf32>
  %2 = tosa.cast %0 : (tensor<65536x{kind}>) -> tensor<65536xbf16>
  return %0, %1, %2 : tensor<65536x{kind}>, tensor<65536xf32>, tensor<65536xbf16>
}}
"""
        got = run(kind, text, X)
        encodings = X.astype(dtype)
        same(f"{kind} quantized values", got[0], encodings)
        same(f"{kind} to f32", got[1], encodings.astype(np.float32))
        same(f"{kind} to bf16", got[2], encodings.astype(ml_dtypes.bfloat16))

    numbers = X[~np.isnan(X)]
    size = numbers.size
    text = f"""
func.func @main(%x: tensor<{size}xf32>) -> tensor<{size}xi8> {{
  %0 = tosa.cast %x : (tensor<{size}xf32>) -> tensor<{size}xi8>
  return %0 : tensor<{size}xi8>
}}
"""
    same(
        "f32 to i8",
        run("i8", text, numbers)[0],
        np.clip(np.rint(numbers), -128, 127).astype(np.int8),
    )

MATMUL = """
func.func @main(%x: tensor<1x4x16xi8>, %w: tensor<1x16x8xi8>) -> tensor<1x4x8xi8> {
  %azp = "tosa.const"() <{values = dense<4> : tensor<1xi8>}> : () -> tensor<1xi8>
  %bzp = "tosa.const"() <{values = dense<-2> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.matmul %x, %w, %azp, %bzp : (tensor<1x4x16xi8>, tensor<1x16x8xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x8xi32>
  %mul = "tosa.const"() <{values = dense<1374389535> : tensor<1xi32>}> : () -> tensor<1xi32>
  %shift = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %izp = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %ozp = "tosa.const"() <{values = dense<-3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %1 = "tosa.rescale"(%0, %mul, %shift, %izp, %ozp) <{scale32 = true, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, per_channel = false, input_unsigned = false, output_unsigned = false}> : (tensor<1x4x8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x4x8xi8>
  return %1 : tensor<1x4x8xi8>
}
"""
x = random.integers(-128, 128, (1, 4, 16)).astype(np.int8)
w = random.integers(-128, 128, (1, 16, 8)).astype(np.int8)
acc = (x.astype(np.int64) - 4) @ (w.astype(np.int64) + 2)
scaled = (acc * 1374389535 + (1 << 37)) >> 38
same(
    "matmul and rescale",
    run("matmul", MATMUL, x, w)[0],
    np.clip(scaled - 3, -128, 127).astype(np.int8),
)

# Powers of two are exact in each block, whatever the rule of the scale is.
BLOCKS = """
func.func @main(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %q:2 = "tosa.cast_to_block_scaled"(%x) <{block_size = #tosa.block_size<BLOCK_SIZE_32>}> : (tensor<4x64xf32>) -> (tensor<4x64xf8E4M3FN>, tensor<4x2xf8E8M0FNU>)
  %d = "tosa.cast_from_block_scaled"(%q#0, %q#1) <{block_size = #tosa.block_size<BLOCK_SIZE_32>}> : (tensor<4x64xf8E4M3FN>, tensor<4x2xf8E8M0FNU>) -> tensor<4x64xf32>
  return %d : tensor<4x64xf32>
}
"""
x = np.ldexp(np.float32(1), random.integers(-4, 5, (4, 64))) * random.choice(
    np.float32([-1, 1]), (4, 64)
)
x = x.astype(np.float32)
same("blocks", run("blocks", BLOCKS, x)[0], x)
