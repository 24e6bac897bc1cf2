# Runs the output of other compilers, imported or legalized: the values of ml_dtypes and numpy.
# RUN: %python %s %tools_dir %t
import pathlib
import subprocess
import sys

import ml_dtypes
import numpy as np

tools, work = map(pathlib.Path, sys.argv[1:])
work.mkdir(parents=True, exist_ok=True)
random = np.random.default_rng(1)
X = (random.standard_normal((3, 1000)) * 40).astype(np.float32)
S = np.array([0.5, 0.25, 3.0], np.float32)
Z = np.array([128, 3, 250], np.uint8)
f8E4M3FN, f4E2M1FN = ml_dtypes.float8_e4m3fn, ml_dtypes.float4_e2m1fn


def call(program, *arguments):
    done = subprocess.run([tools / program, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, f"{program} {arguments}:\n{done.stderr}"
    return done.stdout


def run(name, text, arrays, *passes, program="quant-float-opt"):
    """The first output."""
    source, module = work / f"{name}.mlir", work / f"{name}.ours.mlir"
    source.write_text(text)
    if passes:
        call(program, "--allow-unregistered-dialect", source, *passes, "-o", module)
    else:
        module = source
    files = []
    for index, array in enumerate(arrays):
        files.append(work / f"{name}.{index}.npy")
        np.save(files[-1], array)
    call("quant-float-run", module, "--outputs", work / name, "--inputs", *files)
    return np.load(work / name / "output_0.npy")


def same(name, got, expected):
    expected = np.asarray(expected)
    if got.dtype != expected.dtype:
        # Narrow floats are passed as their encodings (P3).
        expected = expected.view(np.uint8)
    wrong = int((got != expected).sum())
    assert not wrong, f"{name}: {wrong} of {got.size} differ: {got[got != expected][:4]}"
    print(f"{name}: {got.size} equal")


def quantize_ui8(x):
    return np.clip(np.round(x / S[:, None]) + Z[:, None], 0, 255).astype(np.uint8)


def saturate(x, kind):
    most = float(ml_dtypes.finfo(kind).max)
    return np.clip(x, -most, most).astype(kind)


TORCH = """
func.func @main(%x: !torch.vtensor<[3,?],f32>, %s: !torch.vtensor<[3],f32>, %z: !torch.vtensor<[3],ui8>) -> !torch.vtensor<[3,?],f8E4M3FN> attributes {torch.onnx_meta.opset_version = 21 : si64} {
  %0 = "torch.operator"(%x, %s, %z) <{name = "onnx.QuantizeLinear"}> {torch.onnx.axis = 0 : si64} : (!torch.vtensor<[3,?],f32>, !torch.vtensor<[3],f32>, !torch.vtensor<[3],ui8>) -> !torch.vtensor<[3,?],ui8>
  %1 = "torch.operator"(%0, %s, %z) <{name = "onnx.DequantizeLinear"}> {torch.onnx.axis = 0 : si64} : (!torch.vtensor<[3,?],ui8>, !torch.vtensor<[3],f32>, !torch.vtensor<[3],ui8>) -> !torch.vtensor<[3,?],f32>
  %2 = "torch.operator"(%1) <{name = "onnx.Cast"}> {torch.onnx.to = 17 : si64} : (!torch.vtensor<[3,?],f32>) -> !torch.vtensor<[3,?],f8E4M3FN>
  func.return %2 : !torch.vtensor<[3,?],f8E4M3FN>
}
"""
encodings = quantize_ui8(X).astype(np.float32)
restored = (encodings - Z[:, None]) * S[:, None]
got = run("torch", TORCH, (X, S, Z), "--quant-float-import-onnx-ops")
same("torch-mlir", got, saturate(restored, f8E4M3FN))

ONNX_MLIR = """
func.func @main(%x: tensor<3x?xf32>) -> tensor<3x?xf32> {
  %s = "onnx.Constant"() {value = dense<[0.5, 0.25, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %z = "onnx.Constant"() {value = dense<[128, 3, 250]> : tensor<3xui8>} : () -> tensor<3xui8>
  %q = "onnx.QuantizeLinear"(%x, %s, %z) {axis = 0 : si64, block_size = 0 : si64, output_dtype = 0 : si64, saturate = 1 : si64} : (tensor<3x?xf32>, tensor<3xf32>, tensor<3xui8>) -> tensor<3x?xui8>
  %d = "onnx.DequantizeLinear"(%q, %s, %z) {axis = 0 : si64, block_size = 0 : si64} : (tensor<3x?xui8>, tensor<3xf32>, tensor<3xui8>) -> tensor<3x?xf32>
  "onnx.Return"(%d) : (tensor<3x?xf32>) -> ()
}
"""
got = run("onnx-mlir", ONNX_MLIR, (X,), "--quant-float-import-onnx-ops=opset=21")
same("onnx-mlir", got, restored)

QUANT = """
func.func @main(%x: tensor<3x?xf32>) -> tensor<3x?xf32> {
  %0 = "quant.qcast"(%x) : (tensor<3x?xf32>) -> tensor<3x?x!quant.uniform<f8E4M3FN:f32:0, {0.5, 0.25, 3.0}>>
  %1 = "quant.dcast"(%0) : (tensor<3x?x!quant.uniform<f8E4M3FN:f32:0, {0.5, 0.25, 3.0}>>) -> tensor<3x?xf32>
  return %1 : tensor<3x?xf32>
}
"""
without = "quant-float-opt-without-quant"
got = run("quant", QUANT, (X * 20,), "--quant-float-legalize-arith", program=without)
stored = saturate(X * 20 / S[:, None], f8E4M3FN).astype(np.float32)
same("quant", got, stored * S[:, None])

# The drivers accept upstream's casts without further options.
ARITH = """
func.func @main(%x: tensor<3x?xf32>, %s: tensor<3x?xf8E8M0FNU>) -> tensor<3x?xf4E2M1FN> {
  %0 = arith.scaling_truncf %x, %s : tensor<3x?xf32>, tensor<3x?xf8E8M0FNU> to tensor<3x?xf4E2M1FN>
  return %0 : tensor<3x?xf4E2M1FN>
}
"""
scales = random.integers(120, 134, X.shape).astype(np.uint8)
got = run("arith", ARITH, (X, scales))
same("arith", got, saturate(X / np.exp2(scales.astype(np.float32) - 127), f4E2M1FN))

TABLE = np.array([-1, 0.25, 0.5, 1], np.float32)
QUANTILES = """
func.func @main(%x: tensor<3x?xui2>) -> tensor<3x?xf32> {
  %0 = builtin.unrealized_conversion_cast %x : tensor<3x?xui2> to tensor<3x?x!quant.uniform<!quant.quantile<ui2:f16, {-1.0, 0.25, 0.5, 1.0}>:f32:0, {0.5, 0.25, 3.0}>>
  %1 = "quant.dcast"(%0) : (tensor<3x?x!quant.uniform<!quant.quantile<ui2:f16, {-1.0, 0.25, 0.5, 1.0}>:f32:0, {0.5, 0.25, 3.0}>>) -> tensor<3x?xf32>
  return %1 : tensor<3x?xf32>
}
"""
encodings = random.integers(0, 4, X.shape).astype(np.uint8)
got = run("quantiles", QUANTILES, (encodings,), "--quant-float-legalize-arith", program=without)
same("quantiles", got, TABLE[encodings] * S[:, None])

# Five rows: the products of an element are added in the order of the reduction dimension.
TOSA = """
func.func @main(%x: tensor<2x5x64xf8E4M3FN>, %s: tensor<2x5x2xf8E8M0FNU>, %y: tensor<1x8x64xf8E4M3FN>, %t: tensor<1x8x2xf8E8M0FNU>) -> tensor<2x5x8xf32> {
  %0 = "tosa.matmul_t_block_scaled"(%x, %s, %y, %t) <{block_size = #tosa.block_size<BLOCK_SIZE_32>}> : (tensor<2x5x64xf8E4M3FN>, tensor<2x5x2xf8E8M0FNU>, tensor<1x8x64xf8E4M3FN>, tensor<1x8x2xf8E8M0FNU>) -> tensor<2x5x8xf32>
  return %0 : tensor<2x5x8xf32>
}
"""
blocks = [
    (random.standard_normal((n, m, 64)).astype(f8E4M3FN), random.integers(120, 134, (n, m, 2)))
    for n, m in ((2, 5), (1, 8))
]
values = [x.astype(np.float32) * np.repeat(np.exp2(np.float32(s - 127)), 32, 2) for x, s in blocks]
expected = np.zeros((2, 5, 8), np.float32)
for k in range(64):
    expected = expected + values[0][:, :, None, k] * values[1][:, None, :, k]
inputs = [array.view(np.uint8) for x, s in blocks for array in (x, s.astype(np.uint8))]
same("tosa", run("tosa", TOSA, inputs, "--quant-float-legalize-arith"), expected)

# MXINT8: of magnitudes from the smallest normal to the largest number, and next to the thresholds of the scales, 127/64 * 2^k. A
# block's scale is the power of two above its largest magnitude divided by 127/64 (rule tosa).
MXINT8 = """
func.func @main(%x: tensor<?x64xf32>) -> (tensor<?x64x!tosa.mxint8>, tensor<?x2xf8E8M0FNU>, tensor<?x64xf32>) {
  %0:2 = "tosa.cast_to_block_scaled"(%x) <{block_size = #tosa.block_size<BLOCK_SIZE_32>}> : (tensor<?x64xf32>) -> (tensor<?x64x!tosa.mxint8>, tensor<?x2xf8E8M0FNU>)
  %1 = "tosa.cast_from_block_scaled"(%0#0, %0#1) <{block_size = #tosa.block_size<BLOCK_SIZE_32>}> : (tensor<?x64x!tosa.mxint8>, tensor<?x2xf8E8M0FNU>) -> tensor<?x64xf32>
  return %0#0, %0#1, %1 : tensor<?x64x!tosa.mxint8>, tensor<?x2xf8E8M0FNU>, tensor<?x64xf32>
}
"""
x = random.uniform(-1, 1, (512, 2, 32))
most = np.float64(127 / 64) * np.exp2(random.integers(-120, 126, (512, 2, 1)))
most *= random.choice([1, 1 - 2.0**-24, 1 + 2.0**-23, 1.25], most.shape)
x[..., :1] = 1
x = (x * most).astype(np.float32)
x[0] = 0
# Exact in f64: 2^(k + 1) for magnitudes in [127/64 * 2^k, 127/64 * 2^(k + 1)).
with np.errstate(divide="ignore"):
    mantissa, exponent = np.frexp(np.abs(x).max(-1).astype(np.float64) * 64 / 127)
exponents = np.where(mantissa == 0, -127, exponent)
scales = np.exp2(exponents.astype(np.float64))[..., None]
encodings = np.rint(x.astype(np.float64) * 64 / scales).astype(np.int8)
assert np.abs(encodings).max() == 127
got = run("mxint8", MXINT8, (x.reshape(-1, 64),), "--quant-float-legalize-arith")
assert got.dtype == np.int8
same("mxint8", got, encodings.reshape(-1, 64))
out = work / "mxint8"
same("mxint8 scales", np.load(out / "output_1.npy"), (exponents + 127).astype(np.uint8))
back = (encodings / 64 * scales).astype(np.float32).reshape(-1, 64)
same("mxint8 back", np.load(out / "output_2.npy"), back)

# All values and scales, also -128 and NaN.
FROM_MXINT8 = """
func.func @main(%x: tensor<256x256x!tosa.mxint8>, %s: tensor<256x8xf8E8M0FNU>) -> tensor<256x256xf32> {
  %0 = "tosa.cast_from_block_scaled"(%x, %s) <{block_size = #tosa.block_size<BLOCK_SIZE_32>}> : (tensor<256x256x!tosa.mxint8>, tensor<256x8xf8E8M0FNU>) -> tensor<256x256xf32>
  return %0 : tensor<256x256xf32>
}
"""
encodings = np.broadcast_to(np.arange(256, dtype=np.uint8).view(np.int8), (256, 256)).copy()
scales = np.repeat(np.arange(256, dtype=np.uint8)[:, None], 8, 1)
got = run("from_mxint8", FROM_MXINT8, (encodings, scales), "--quant-float-legalize-arith")
factors = np.exp2(np.arange(256, dtype=np.float64) - 127)[:, None]
expected = (encodings / 64 * factors).astype(np.float32)
assert np.isnan(got[255]).all()
same("from mxint8", got[:255], expected[:255])
