# Kernels of several outputs, one of which flushes subnormals to zero: the others have the same bits
# as without it. LLVM must not turn integer tests of a float's bits into floating-point comparisons.
# RUN: %python %s host
# RUN: %if host-x86_64 %{ %python %s x86-64 %}
# RUN: %if host-avx2 %{ %python %s x86-64-v3 %}
# RUN: %if host-avx512 %{ %python %s x86-64-v4 %}
import itertools
import sys

import ml_dtypes
import numpy as np
import quant_float as qf

NARROW = {"f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2}
VALUES = (1e-40, -1e-40, 0.0, -0.0, 1.0, -3e-42, np.inf, np.nan)


def get_scalar_type(bits):
    return {32: np.float32, 64: np.float64}[bits]


def check(bits, size, cpu):
    float_type = get_scalar_type(bits)
    least = np.finfo(float_type).smallest_subnormal
    x = np.resize(np.array([*VALUES, least, -least], float_type), size)
    for name, narrow in NARROW.items():
        text = f"""
func.func @f(%x: tensor<?xf{bits}>) -> (tensor<?xi1>, tensor<?x{name}>) {{
  %0 = quant_float.cast %x opset 25 : tensor<?xf{bits}> to tensor<?xi1>
  %1 = quant_float.cast %x opset 25 : tensor<?xf{bits}> to tensor<?x{name}>
  return %0, %1 : tensor<?xi1>, tensor<?x{name}>
}}"""
        is_true, encodings = qf.parse(text).compile(cpu=cpu)(x)
        assert np.array_equal(np.asarray(is_true), x != 0), (bits, size, cpu, name, is_true)
        limit = float(ml_dtypes.finfo(narrow).max)
        # Saturated before the cast, as in ONNX. NaN is kept.
        wanted = np.clip(x, -limit, limit).astype(narrow).astype(np.float32)
        got = np.asarray(encodings).view(narrow).astype(np.float32)
        assert np.array_equal(got, wanted, equal_nan=True), (bits, size, cpu, name)
        ordered = ~np.isnan(x)
        assert np.array_equal(np.signbit(got[ordered]), np.signbit(wanted[ordered])), name
    if bits == 32:
        text = """
func.func @f(%x: tensor<?xf32>, %s: tensor<f32>) -> (tensor<?xi1>, tensor<?xui8>) {
  %0 = quant_float.cast %x opset 25 : tensor<?xf32> to tensor<?xi1>
  %1 = quant_float.quantize %x, %s opset 25 : tensor<?xf32>, tensor<f32> to tensor<?xui8>
  return %0, %1 : tensor<?xi1>, tensor<?xui8>
}"""
        is_true, _ = qf.parse(text).compile(cpu=cpu)(x, np.float32(1))
        assert np.array_equal(np.asarray(is_true), x != 0), (bits, size, cpu, is_true)


for bits, size in itertools.product((32, 64), (1, 3, 64, 67)):
    check(bits, size, sys.argv[1])
