# Runs casts of the quant dialect with integer storage: division, rounding to nearest even, zero
# point, clamp, against numpy.
# RUN: %python %s %tools_dir %t
import pathlib
import subprocess
import sys

import numpy as np

tools, work = map(pathlib.Path, sys.argv[1:])
work.mkdir(parents=True, exist_ok=True)
random = np.random.default_rng(1)
SHAPE = (4, 64)
X = (random.standard_normal(SHAPE) * 50).astype(np.float32)
X[0, :32] = np.arange(-16, 16) + 0.5
X[1, :7] = [0, -0.0, np.inf, -np.inf, 1e30, -1e30, 127.75]


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
    got, expected = got.view(np.uint8), np.ascontiguousarray(expected).view(np.uint8)
    assert got.shape == expected.shape, (name, got.shape, expected.shape)
    assert (got == expected).all(), (
        f"{name}: {int((got != expected).sum())} of {got.size} bytes differ"
    )
    print(f"{name}: {got.size} bytes equal")


def case(name, type_, scales, zeros, low, high, stored):
    """`scales` and `zeros` are those of each element."""
    text = f"""
func.func @main(%x: tensor<4x64xf32>) -> (tensor<4x64x{type_}>, tensor<4x64xf32>) {{
  %q = quant.qcast %x : tensor<4x64xf32> to tensor<4x64x{type_}>
  %d = quant.dcast %q : tensor<4x64x{type_}> to tensor<4x64xf32>
  return %q, %d : tensor<4x64x{type_}>, tensor<4x64xf32>
}}
"""
    scales = np.broadcast_to(np.float32(scales), SHAPE)
    zeros = np.broadcast_to(zeros, SHAPE)
    encodings = np.clip(np.rint(X / scales).astype(np.float64) + zeros, low, high).astype(np.int64)
    got = run(name, text, X)
    if got[0].dtype != stored and got[0].dtype.itemsize == 1:
        # Only the low bits of a byte with a 4-bit value are significant.
        same(
            f"{name} quantized values", got[0].view(np.uint8) & 15, encodings.astype(np.uint8) & 15
        )
    else:
        same(f"{name} quantized values", got[0], encodings.astype(stored))
    same(f"{name} values", got[1], (encodings - zeros).astype(np.float32) * scales)


case("tensor_i8", "!quant.uniform<i8:f32, 0.1:3>", 0.1, 3, -128, 127, np.int8)
case("tensor_u8", "!quant.uniform<u8:f32, 0.3:128>", 0.3, 128, 0, 255, np.uint8)
case("narrow", "!quant.uniform<i8<-127:127>:f32, 0.25>", 0.25, 0, -127, 127, np.int8)
case("tensor_i16", "!quant.uniform<i16:f32, 0.001:-7>", 0.001, -7, -32768, 32767, np.int16)
case("tensor_i4", "!quant.uniform<i4:f32, 2.0:-1>", 2, -1, -8, 7, None)
S = np.float32([[0.5], [0.25], [0.125], [1.0]])
Z = np.array([[8], [8], [7], [0]])
case("axis_u4", "!quant.uniform<u4:f32:0, {0.5:8, 0.25:8, 0.125:7, 1.0:0}>", S, Z, 0, 15, None)
S = np.repeat(np.repeat(np.float32([[0.5, 0.25], [0.125, 1.0]]), 2, 0), 32, 1)
Z = np.repeat(np.repeat(np.array([[0, 1], [-1, 0]]), 2, 0), 32, 1)
blocks = "!quant.uniform<i8:f32:{0:2, 1:32}, {{0.5, 0.25:1}, {0.125:-1, 1.0}}>"
case("blocks", blocks, S, Z, -128, 127, np.int8)

# All values, in storage of both signednesses, and a quantized argument.
for kind, type_, dtype in (("i", np.int8, "i8"), ("u", np.uint8, "u8")):
    encodings = np.arange(256).astype(np.uint8).view(type_)
    text = f"""
func.func @main(%q: tensor<256x!quant.uniform<{dtype}:f32, 0.1:7>>, %c: tensor<256xi8>) -> (tensor<256xf32>, tensor<256xf32>, tensor<256xi8>) {{
  %d = quant.dcast %q : tensor<256x!quant.uniform<{dtype}:f32, 0.1:7>> to tensor<256xf32>
  %r = quant.scast %c : tensor<256xi8> to tensor<256x!quant.uniform<{dtype}:f32, 0.1:7>>
  %e = quant.dcast %r : tensor<256x!quant.uniform<{dtype}:f32, 0.1:7>> to tensor<256xf32>
  %s = quant.scast %q : tensor<256x!quant.uniform<{dtype}:f32, 0.1:7>> to tensor<256xi8>
  return %d, %e, %s : tensor<256xf32>, tensor<256xf32>, tensor<256xi8>
}}
"""
    got = run(f"values_{kind}", text, encodings, encodings.view(np.int8))
    expected = (encodings.astype(np.int64) - 7).astype(np.float32) * np.float32(0.1)
    same(f"all values of {dtype}", got[0], expected)
    same(f"all values of {dtype}, from storage", got[1], expected)
    same(f"all values of {dtype}, to storage", got[2], encodings)
