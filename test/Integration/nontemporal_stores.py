# Results that are larger than the last-level cache are written with non-temporal stores, at any
# offset in memory and with any remainder: the bits are those of separate calls for parts that fit
# into the cache, and no byte around a result is written.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t host
# RUN: %if host-x86_64 %{ %python %s %tools_dir %t x86-64-v3 %}
import ctypes
import subprocess
import sys
from pathlib import Path

import numpy as np

tools, work, cpu = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
PARTS, PART = 48, 3 << 18  # in all more than the largest caches of most machines
# Type number and bits. 256 is the flag for packed elements.
TYPES = {"f32": (1, 32), "f8E4M3FN": (17, 8), "i8": (3, 8), "f16": (10, 16), "f4E2M1FN": (256 + 23, 4)}  # fmt: skip


def count_bytes(type, elements):
    return (elements * TYPES[type][1] + 7) // 8


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("sizes", ctypes.POINTER(ctypes.c_int64)),
        ("rank", ctypes.c_int32),
        ("dtype", ctypes.c_int32),
    ]


def tensor(address, shape, type):
    sizes = (ctypes.c_int64 * max(len(shape), 1))(*shape)
    return Tensor(address, sizes, len(shape), TYPES[type][0])


CASES = {
    "encode": ("f32", "f8E4M3FN", "?", None),
    "decode": ("f8E4M3FN", "f32", "?", None),
    "half": ("f32", "f16", "?", None),
    "packed": ("f32", "f4E2M1FN", "?", None),
    "rows": ("i8", "f32", "?x1000", "axis 0"),
    "blocks": ("i8", "f32", "?x768", "axis 1 block_size 32"),
}
text = ""
for name, (source, target, shape, granularity) in CASES.items():
    x, y = f"tensor<{shape}x{source}>", f"tensor<{shape}x{target}>"
    if granularity is None:
        text += f"func.func @{name}(%x: {x}) -> {y} {{\n  %y = quant_float.cast %x opset 25 : {x} to {y}\n  return %y : {y}\n}}\n"
        continue
    s = "tensor<?xf32>" if granularity == "axis 0" else "tensor<?x24xf32>"
    text += f"func.func @{name}(%x: {x}, %s: {s}) -> {y} {{\n  %y = quant_float.dequantize %x, %s {granularity} opset 25 : {x}, {s} to {y}\n  return %y : {y}\n}}\n"
(work / "model.mlir").write_text(text)
library = work / f"{cpu}.so"
subprocess.run([tools / "quant-float-compile", work / "model.mlir", "-o", library, "--cpu", cpu, "--packed", "all"], check=True)  # fmt: skip
# The code has a second version of the loop.
assembly = work / f"{cpu}.s"
subprocess.run([tools / "quant-float-compile", work / "model.mlir", "-o", assembly, "--cpu", cpu, "--packed", "all"], check=True)  # fmt: skip
if cpu != "host":
    assert "vmovnt" in assembly.read_text()
functions = ctypes.CDLL(str(library))


def call(name, inputs, output):
    error = ctypes.create_string_buffer(500)
    given = (Tensor * len(inputs))(*inputs)
    status = getattr(functions, name)(given, ctypes.byref(output), error, ctypes.c_size_t(500))
    assert status == 0, error.value


def run(name, columns, scales, first, count, output):
    """Rows from `first` on, in the memory of the entire result."""
    source, target, _, granularity = CASES[name]
    size = [count, columns] if columns > 1 else [count]
    start = memory[source].ctypes.data + count_bytes(source, first * columns)
    inputs = [tensor(start, size, source)]
    if granularity:
        shape = [count] if granularity == "axis 0" else [count, 24]
        inputs.append(tensor(scales.ctypes.data + first * scales.strides[0], shape, "f32"))
    call(name, inputs, tensor(output + count_bytes(target, first * columns), size, target))


random = np.random.default_rng(15)
total = PARTS * PART
memory = {
    "f8E4M3FN": random.integers(0, 256, total, dtype=np.uint8),
    "f32": np.exp2(random.uniform(-12, 10, total).astype("f4")).astype("f4"),
}
memory["i8"] = memory["f8E4M3FN"]
MARGIN = 64
result = np.empty(total * 4 + 3 * MARGIN, np.uint8)
wanted = np.empty_like(result)
failures = []
for name, (_, target, shape, granularity) in CASES.items():
    columns = int(shape[2:]) if "x" in shape else 1
    rows = (total - 77) // columns
    part = PART // columns
    scales = np.exp2(random.integers(-3, 4, (rows, 24 if granularity and "block" in granularity else 1))).astype("f4")  # fmt: skip

    start = -wanted.ctypes.data % MARGIN
    for first in range(0, rows, part):
        run(name, columns, scales, first, min(part, rows - first), wanted.ctypes.data + start)
    size = count_bytes(target, rows * columns)
    for offset in (0, count_bytes(target, 1), 16, 1):
        begin = -result.ctypes.data % MARGIN + MARGIN + offset
        result[:] = 0xA5
        run(name, columns, scales, 0, rows, result.ctypes.data + begin)
        if not np.array_equal(result[begin : begin + size], wanted[start : start + size]):
            failures.append(f"{name} from byte {offset} of a line on: differs")
        if (result[:begin] != 0xA5).any() or (result[begin + size :] != 0xA5).any():
            failures.append(f"{name} from byte {offset} of a line on: bytes around were written")
print(*failures, sep="\n")
sys.exit(bool(failures))
