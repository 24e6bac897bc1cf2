#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares and times the compiled casts: compare.py check|time FOLDER

`check` compares what quant-float-run wrote into FOLDER/decoded and
FOLDER/encoded with ml_dtypes, bit for bit, and exits with 1 where any differ.
`time` calls the compiled libraries in FOLDER through their C entry points, the
way a program in C does, beside ml_dtypes and ONNX Runtime on one thread.
"""

import ctypes
import sys
import time
from pathlib import Path

import ml_dtypes
import numpy as np
import onnx

E4M3FN, E5M2 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
NUMPY = {onnx.TensorProto.FLOAT8E4M3FN: E4M3FN, onnx.TensorProto.FLOAT8E5M2: E5M2}
ELEMENTS = 1 << 16
ROUNDS = 20


def saturating_e4m3fn(values: np.ndarray) -> np.ndarray:
    """ml_dtypes' cast, which overflows to NaN, after a clamp that NaN passes."""
    return np.clip(values, -448, 448).astype(E4M3FN)


def differing(found: np.ndarray, wanted: np.ndarray) -> int:
    """Elements with other bits, the sign of zeros and NaN included."""
    code = np.dtype(f"u{wanted.itemsize}")
    if found.dtype.itemsize != wanted.itemsize or found.shape != wanted.shape:
        raise SystemExit(f"found {found.dtype}{found.shape}, not {wanted.dtype}{wanted.shape}")
    return int(np.count_nonzero(found.view(code) != wanted.view(code)))


def check(folder: Path) -> int:
    total = 0
    graph = onnx.load(folder / "decode.onnx").graph
    for index, (weight, result) in enumerate(zip(graph.input, graph.output, strict=True)):
        kind = NUMPY[weight.type.tensor_type.elem_type]
        codes = np.load(folder / "inputs" / f"{index}.npy")
        wanted = codes.view(kind).astype(np.float32)
        count = differing(np.load(folder / "decoded" / f"output_{index}.npy"), wanted)
        total += count
        rows, columns = codes.shape
        print(
            f"  {weight.name:>18} -> {result.name:<14} {np.dtype(kind).name:>13} "
            f"{rows:>3} x {columns:<3} {count} of {codes.size} differ"
        )
    values = np.load(folder / "encode-input.npy")
    found = np.load(folder / "encoded" / "output_0.npy")
    count = differing(found, saturating_e4m3fn(values))
    total += count
    print(
        f"  {'float32 weights':>18} -> float8_e4m3fn, saturating {count:>14} of {values.size} differ"
    )
    print(f"bit for bit against ml_dtypes {ml_dtypes.__version__}: {total} differ")
    return 1 if total else 0


class Tensor(ctypes.Structure):
    """qf_tensor, as the header beside a compiled library declares it."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("sizes", ctypes.POINTER(ctypes.c_int64)),
        ("rank", ctypes.c_int32),
        ("dtype", ctypes.c_int32),
    ]


def tensor(array: np.ndarray, onnx_type: int) -> Tensor:
    return Tensor(array.ctypes.data, (ctypes.c_int64 * 1)(array.size), 1, onnx_type)


def compiled(library: Path, name: str, inputs: Tensor, outputs: Tensor):
    function = getattr(ctypes.CDLL(str(library)), name)
    message = ctypes.create_string_buffer(256)

    def call() -> None:
        if function(ctypes.byref(inputs), ctypes.byref(outputs), message, len(message)):
            raise SystemExit(f"{name}: {message.value.decode()}")

    # ctypes turns Python integers into ints; the size of the buffer is wider.
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
    """Elements per second, contenders taking turns."""
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
    weights = np.resize(np.load(Path(__file__).parent / "weights-f32.npy"), ELEMENTS)
    codes = weights.astype(E4M3FN)
    f32, f8 = onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT8E4M3FN
    rows = (
        ("float8 -> float32", "time-decode", "time_decode", codes, f8, np.float32, f32),
        ("float32 -> float8", "encode", "encode", weights, f32, E4M3FN, f8),
    )
    print(f"elements per second, {ELEMENTS} weights, one thread:")
    print(f"  {'':20}{'quant-float':>14}{'ml_dtypes':>14}{'ONNX Runtime':>14}")
    for title, stem, name, x, x_type, kind, y_type in rows:
        y = np.empty(x.size, kind)
        speed = best_speed(
            {
                "quant-float": compiled(
                    folder / f"{stem}.so", name, tensor(x, x_type), tensor(y, y_type)
                ),
                "ml_dtypes": lambda x=x, y=y: np.copyto(y, x, casting="unsafe"),
                "ONNX Runtime": runtime(folder / f"{stem}.onnx", x, y, x_type, y_type),
            }
        )
        print(f"  {title:20}" + "".join(f"{value / 1e9:>12.2f} G" for value in speed.values()))
    return 0


if __name__ == "__main__":
    action = {"check": check, "time": time_all}[sys.argv[1]]
    sys.exit(action(Path(sys.argv[2])))
