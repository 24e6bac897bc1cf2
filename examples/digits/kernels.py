#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The two kernels of a float8 network alone: kernels.py prepare|check|time FOLDER

`prepare` writes into FOLDER quantize.onnx (float32 to float8 E4M3FN) and dequantize.onnx (back),
for any number of elements and with a scale of the digits network, and their inputs: the network's
weights, edge cases, and all 256 encodings. `check` compares quant-float-run's outputs in
FOLDER/quantized and FOLDER/dequantized with the definition, computed by ml_dtypes; exits with 1 if
any bit differs. `time` calls the compiled libraries in FOLDER through their C entry points, like a
C program, and compares their speed with ml_dtypes and ONNX Runtime on one thread.
"""

import ctypes
import sys
import time
from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = Path(__file__).resolve().parent
E4M3FN = ml_dtypes.float8_e4m3fn
ELEMENTS = 1 << 16
ROUNDS = 20

# Values beyond those of the weights, times the scale: zeros, NaN, infinities, midpoints around the
# largest value and in the subnormal range.
EDGES = (0.0, np.nan, np.inf, 448.0, 464.0, 464.1, 480.0, 1e30, 2.0**-9, 2.0**-10, 1.5 * 2.0**-9)


def network():
    """The digits network's weights, and the scale of its first activation."""
    floats = onnx.load(HERE / "digits-f32.onnx").graph.initializer
    weights = [numpy_helper.to_array(tensor).ravel() for tensor in floats]
    constants = onnx.load(HERE / "digits-f8.onnx").graph.initializer
    scales = [numpy_helper.to_array(t) for t in constants if t.name == "layer0.relu.scale"]
    return np.concatenate(weights), scales[0]


def model(op_type, source, target, scale):
    constants = [
        numpy_helper.from_array(scale, "scale"),
        helper.make_tensor("zero_point", TensorProto.FLOAT8E4M3FN, [], b"\0", raw=True),
    ]
    graph = helper.make_graph(
        [helper.make_node(op_type, ["x", "scale", "zero_point"], ["y"], op_type)],
        op_type.removesuffix("Linear").lower(),
        [helper.make_tensor_value_info("x", source, ["n"])],
        [helper.make_tensor_value_info("y", target, ["n"])],
        constants,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def prepare(folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    weights, scale = network()
    f32, f8 = TensorProto.FLOAT, TensorProto.FLOAT8E4M3FN
    onnx.save(model("QuantizeLinear", f32, f8, scale), folder / "quantize.onnx")
    onnx.save(model("DequantizeLinear", f8, f32, scale), folder / "dequantize.onnx")
    edges = np.array(EDGES, np.float32) * scale
    # 64 times the weights exceed the format's largest value.
    np.save(folder / "values.npy", np.concatenate([weights, 64 * weights, edges, -edges]))
    np.save(folder / "codes.npy", np.arange(256, dtype=np.uint8))
    return 0


def quantized(values: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """ml_dtypes' cast overflows to NaN, so values are clamped first, which preserves NaN."""
    return np.clip(values / scale, -448, 448).astype(E4M3FN)


def differing(found: np.ndarray, wanted: np.ndarray) -> int:
    """Elements with different bits, including the sign of zeros and NaN."""
    unsigned = np.dtype(f"u{wanted.itemsize}")
    if found.dtype.itemsize != wanted.itemsize or found.shape != wanted.shape:
        raise SystemExit(f"found {found.dtype}{found.shape}, not {wanted.dtype}{wanted.shape}")
    return int(np.count_nonzero(found.view(unsigned) != wanted.view(unsigned)))


def check(folder: Path) -> int:
    _, scale = network()
    values, encodings = np.load(folder / "values.npy"), np.load(folder / "codes.npy").view(E4M3FN)
    total = 0
    for title, result, wanted in (
        ("float32 -> float8", "quantized", quantized(values, scale)),
        ("float8 -> float32", "dequantized", encodings.astype(np.float32) * scale),
    ):
        count = differing(np.load(folder / result / "output_0.npy"), wanted)
        total += count
        print(f"  {title}: {count} of {wanted.size} differ")
    print(f"bit for bit against ml_dtypes {ml_dtypes.__version__}: {total} differ")
    return 1 if total else 0


class Tensor(ctypes.Structure):
    """qf_tensor, as declared in the header next to a compiled library."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("sizes", ctypes.POINTER(ctypes.c_int64)),
        ("rank", ctypes.c_int32),
        ("dtype", ctypes.c_int32),
    ]


def tensor(array: np.ndarray, onnx_type: int) -> Tensor:
    return Tensor(array.ctypes.data, (ctypes.c_int64 * 1)(array.size), 1, onnx_type)


def compiled(library: Path, inputs: Tensor, outputs: Tensor):
    function = getattr(ctypes.CDLL(str(library)), library.stem)
    message = ctypes.create_string_buffer(256)

    def call() -> None:
        if function(ctypes.byref(inputs), ctypes.byref(outputs), message, len(message)):
            raise SystemExit(f"{library.stem}: {message.value.decode()}")

    # ctypes converts Python integers to int, which is too narrow for the size of the buffer.
    function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
    return call


def runtime(model: Path, x: np.ndarray, y: np.ndarray, x_type: int, y_type: int):
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = ort.InferenceSession(str(model), options, ["CPUExecutionProvider"])
    binding = session.io_binding()
    binding.bind_input("x", "cpu", 0, x_type, [x.size], x.ctypes.data)
    binding.bind_output("y", "cpu", 0, y_type, [y.size], y.ctypes.data)
    return lambda: session.run_with_iobinding(binding)


def best_speed(calls: dict) -> dict:
    """Elements per second. The contenders take turns."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(ROUNDS):
        for name, call in calls.items():
            call()
            start = time.perf_counter()
            for _ in range(5):
                call()
            best[name] = min(best[name], (time.perf_counter() - start) / 5)
    return {name: ELEMENTS / seconds for name, seconds in best.items()}


def time_all(folder: Path) -> int:
    weights, scale = network()
    values = np.resize(weights, ELEMENTS)
    encodings = quantized(values, scale)
    back = np.empty_like(values)
    new = np.empty_like(encodings)
    f32, f8 = TensorProto.FLOAT, TensorProto.FLOAT8E4M3FN

    def ml_dtypes_quantize() -> None:
        np.copyto(new, quantized(values, scale))

    def ml_dtypes_dequantize() -> None:
        np.multiply(encodings.astype(np.float32), scale, out=back)

    rows = (
        ("float8 -> float32", "dequantize", encodings, f8, back, f32, ml_dtypes_dequantize),
        ("float32 -> float8", "quantize", values, f32, new, f8, ml_dtypes_quantize),
    )
    print(f"elements per second, {ELEMENTS} weights and one scale, one thread:")
    print(f"  {'':20}{'quant-float':>14}{'ml_dtypes':>14}{'ONNX Runtime':>14}")
    for title, stem, x, x_type, y, y_type, by_numpy in rows:
        speed = best_speed(
            {
                "quant-float": compiled(
                    folder / f"{stem}.so", tensor(x, x_type), tensor(y, y_type)
                ),
                "ml_dtypes": by_numpy,
                "ONNX Runtime": runtime(folder / f"{stem}.onnx", x, y, x_type, y_type),
            }
        )
        print(f"  {title:20}" + "".join(f"{value / 1e9:>12.2f} G" for value in speed.values()))
    return 0


if __name__ == "__main__":
    action = {"prepare": prepare, "check": check, "time": time_all}[sys.argv[1]]
    sys.exit(action(Path(sys.argv[2])))
