# No multiplication, division or fused multiply-add of a conversion has a subnormal operand or
# result, unless subnormals are flushed to zero: Intel's CPUs take microcode assists for these,
# which are 60 to 200 times as slow. Other CPUs do not report such assists. So the test inserts a
# call after each such instruction in the LLVM IR, which checks its operands, its result and MXCSR.
# The inputs are subnormals of every kind and the limits of the ranges. The results are compared
# with the definition, and MXCSR must be restored. If a scale is subnormal or extreme, only the bits
# are compared.
# RUN: rm -rf %t && mkdir %t
# RUN: %if host-x86_64 %{ %python %s %tools_dir %clang %t x86-64 2>&1 | FileCheck %s %}
# RUN: %if host-avx2 %{ %python %s %tools_dir %clang %t x86-64-v3 2>&1 | FileCheck %s %}
# RUN: %if host-avx512 %{ %python %s %tools_dir %clang %t x86-64-v4 2>&1 | FileCheck %s %}
# RUN: %if host-avx512vbmi %{ %python %s %tools_dir %clang %t host 2>&1 | FileCheck %s %}
# New threads inherit the flags of the thread that creates them.
# RUN: %if host-avx2 %{ %python %s %tools_dir %clang %t x86-64-v3 2 2>&1 | FileCheck %s %}
# CHECK-NOT: error
# CHECK: {{[0-9]+}} conversions, 0 with assists, 0 wrong
# REQUIRES: host-x86_64
import ctypes
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import ml_dtypes
import numpy as np

np.seterr(all="ignore")
tools, clang, work, cpu = sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4]
threads = sys.argv[5] if len(sys.argv) > 5 else "1"

CHECKER = r"""
#include <stdint.h>
#include <string.h>
#include <xmmintrin.h>
_Thread_local char qf_probe[4096];
_Atomic long qf_assists;
_Atomic int qf_first;
unsigned qf_get_csr(void) { return _mm_getcsr(); }
void qf_set_csr(unsigned csr) { _mm_setcsr(csr); }
/* Operands and the result, one behind the other. */
void qf_check(int number, int width, int bytes) {
  if ((_mm_getcsr() & 0x8040) == 0x8040)
    return;
  for (int i = 0; i < bytes; i += width / 8) {
    uint64_t bits = 0;
    memcpy(&bits, qf_probe + i, width / 8);
    int mantissa = width == 32 ? 23 : 52;
    uint64_t magnitude = bits & (~(uint64_t)0 >> (65 - width));
    if (magnitude && !(magnitude >> mantissa)) {
      if (!qf_assists)
        qf_first = number;
      ++qf_assists;
      return;
    }
  }
}
"""

# `%3 = fmul <16 x float> %1, %2`, or an intrinsic call.
VALUE = r"(?:<\d+ x (?:float|double)>|float|double)"
INSTRUCTION = re.compile(rf"^\s*(%[\w.]+) = (?:[\w]+ )*?(?:(fmul|fdiv) (?:[a-z]+ )*?({VALUE}) (.*)|call (?:[a-z]+ )*({VALUE}) @llvm\.(?:fma|fmuladd)\.\w+\((.*)\).*)$")  # fmt: skip


def split_operands(text):
    """Splits at the commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for index, letter in enumerate(text):
        depth += (letter in "(<[{") - (letter in ")>]}")
        if letter == "," and depth == 0:
            parts.append(text[start:index].strip())
            start = index + 1
    return [*parts, text[start:].strip()]


def instrument(text):
    """Inserts a call after each instruction that takes assists. Returns the number of calls and the
    instructions."""
    lines, found = [], []
    for line in text.splitlines():
        lines.append(line)
        match = INSTRUCTION.match(line)
        if not match:
            continue
        result, opcode, kind, operands, call_kind, call_operands = match.groups()
        kind = kind or call_kind
        if opcode:
            values = [part for part in split_operands(operands) if not part.startswith("!")]
        else:
            values = [part.split(kind, 1)[1].strip() for part in split_operands(call_operands)]
        vector = re.match(r"<(\d+) x (\w+)>", kind)
        count, element = (int(vector[1]), vector[2]) if vector else (1, kind)
        width = 32 if element == "float" else 64
        offset = 0
        for value in (*values, result):
            lines.append(
                f"  store {kind} {value}, ptr getelementptr (i8, ptr @qf_probe, i64 {offset}), align 1"
            )
            offset += count * width // 8
        assert offset <= 4096, line
        lines.append(f"  call void @qf_check(i32 {len(found)}, i32 {width}, i32 {offset})")
        found.append(line.strip())
    lines.append(
        "@qf_probe = external thread_local global [4096 x i8]\ndeclare void @qf_check(i32, i32, i32)"
    )
    return "\n".join(lines), found


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("sizes", ctypes.POINTER(ctypes.c_int64)), ("rank", ctypes.c_int32), ("dtype", ctypes.c_int32)]  # fmt: skip


class Format(NamedTuple):
    number: int  # ONNX's type numbers
    numpy: type
    storage: type
    largest: float


def get_format(number, kind, storage, largest=None):
    return Format(
        number, kind, storage, float(ml_dtypes.finfo(kind).max) if largest is None else largest
    )


FORMATS = {
    "f32": Format(1, np.float32, np.float32, 0),
    "f16": Format(10, np.float16, np.float16, 0),
    "bf16": Format(16, ml_dtypes.bfloat16, np.uint16, 0),
    "f64": Format(11, np.float64, np.float64, 0),
    "f8E4M3FN": get_format(17, ml_dtypes.float8_e4m3fn, np.uint8),
    "f8E4M3FNUZ": get_format(18, ml_dtypes.float8_e4m3fnuz, np.uint8),
    "f8E5M2": get_format(19, ml_dtypes.float8_e5m2, np.uint8),
    "f8E5M2FNUZ": get_format(20, ml_dtypes.float8_e5m2fnuz, np.uint8),
    "f4E2M1FN": get_format(23, ml_dtypes.float4_e2m1fn, np.uint8),
    "f6E2M3FN": get_format(27, ml_dtypes.float6_e2m3fn, np.uint8),
    "f6E3M2FN": get_format(28, ml_dtypes.float6_e3m2fn, np.uint8),
    "ui8": Format(2, np.uint8, np.uint8, 0),
    "i8": Format(3, np.int8, np.int8, 0),
    "ui16": Format(4, np.uint16, np.uint16, 0),
    "i16": Format(5, np.int16, np.int16, 0),
    "ui4": Format(21, np.uint8, np.uint8, 0),
    "i4": Format(22, np.int8, np.int8, 0),
}
FLOAT8 = [name for name in FORMATS if name.startswith("f8")]
NARROW = [*FLOAT8, "f4E2M1FN"]
INTEGERS = ["ui8", "i8", "ui16", "i16", "ui4", "i4"]


def make_inputs(kind):
    """Subnormals, the exponents for which products may be subnormal, and ordinary values, whose
    quotients stay in range."""
    random = np.random.default_rng(40)
    dtype = np.dtype(kind)
    if dtype.itemsize == 2:
        bits = np.arange(1 << 16, dtype=np.uint16)
        values = bits.view(dtype)
        return np.ascontiguousarray(values[np.isfinite(values.astype(np.float32))])
    integers, mantissa = {4: (np.uint32, 23), 8: (np.uint64, 52)}[dtype.itemsize]
    small = [1, 2, 3, (1 << mantissa) - 1, 1 << (mantissa - 1)]
    small += [1 << i for i in range(mantissa)]
    small += random.integers(1, 1 << mantissa, 500).tolist()
    bias = 127 if mantissa == 23 else 1023
    fields = (
        [*range(1, 64), *range(bias - 150, bias + 20)] if mantissa == 52 else range(1, bias + 20)
    )
    normal = [
        field << mantissa | int(low)
        for field in fields
        for low in (0, 1, (1 << mantissa) - 1, *random.integers(0, 1 << mantissa, 9))
    ]
    bits = np.array([0, *small, *normal], dtype=integers)
    bits = np.concatenate([bits, bits | integers(1 << (dtype.itemsize * 8 - 1))])
    random.shuffle(bits)
    return np.ascontiguousarray(bits[: len(bits) // 32 * 32]).view(dtype)


def to_float(values, name):
    """The encodings of the values, rounded once and saturated. The values must be finite."""
    kind, largest = FORMATS[name].numpy, FORMATS[name].largest
    clipped = np.clip(values, -largest, largest)
    if clipped.dtype == np.float64:
        # ml_dtypes rounds f64 through f32. Rounding to odd avoids a double rounding.
        near = clipped.astype(np.float32)
        away = np.abs(near.astype(np.float64)) > np.abs(clipped)
        bits = near.view(np.uint32) - away.astype(np.uint32)
        clipped = np.where(near == clipped, bits, bits | 1).astype(np.uint32).view(np.float32)
    return clipped.astype(kind).view(np.uint8)


def to_integer(values, name, zero_point=0):
    width = int(name.lstrip("ui"))
    low = 0 if name[0] == "u" else -(1 << (width - 1))
    rounded = np.rint(np.clip(values.astype(np.float64), -1e6, 1e6)) + zero_point
    return np.clip(rounded, low, low + (1 << width) - 1).astype(FORMATS[name].storage)


class Case(NamedTuple):
    name: str
    text: str
    inputs: list  # (type, array)
    output: str
    expected: np.ndarray
    isCounted: bool = True


cases = []


def add(label, types, line, inputs, output, expected, is_counted=True):
    name = f"f{len(cases)}"
    arguments = ", ".join(
        f"%{letter}: tensor<{type_}>" for letter, type_ in zip("xszt", types, strict=False)
    )
    text = f"func.func @{name}({arguments}) -> tensor<?x{output}> {{\n  %0 = quant_float.{line}\n  return %0 : tensor<?x{output}>\n}}\n"
    cases.append((label, Case(name, text, inputs, output, expected, is_counted)))


inputs = {name: make_inputs(FORMATS[name].numpy) for name in ("f32", "f64", "f16", "bf16")}
for source, values in inputs.items():
    wide = values if source == "f64" else values.astype(np.float32)
    for name in NARROW:
        expected = to_float(wide, name)
        add(f"cast {source} to {name}", [f"?x{source}"], f"cast %x opset 25 : tensor<?x{source}> to tensor<?x{name}>", [(source, values)], name, expected)  # fmt: skip
x = inputs["f32"]
add(
    "cast f32 to f16",
    ["?xf32"],
    "cast %x opset 25 : tensor<?xf32> to tensor<?xf16>",
    [("f32", x)],
    "f16",
    x.astype(np.float16),
)
add(
    "cast f32 to bf16",
    ["?xf32"],
    "cast %x opset 25 : tensor<?xf32> to tensor<?xbf16>",
    [("f32", x)],
    "bf16",
    x.astype(ml_dtypes.bfloat16),
)

# For the last scales, only the bits are compared.
SCALES = [0.1, 3.0, 1.0, 2.0**-29, 2.0**29, 2.0**-31, 1e-40, 1e35]
for scale in map(np.float32, SCALES):
    ordinary = 2.0**-30 <= scale <= 2.0**30
    with np.errstate(over="ignore"):
        quotient = x / scale
    for name in [*INTEGERS, *NARROW]:
        zero_point = 3 if name in ("ui8", "i8") else 0
        expected = (
            to_integer(quotient, name, zero_point)
            if name in INTEGERS
            else to_float(np.nan_to_num(quotient, nan=0, posinf=1e30, neginf=-1e30), name)
        )
        types, given = ["?xf32", "f32"], [("f32", x), ("f32", scale)]
        operands, tensors = "%x, %s", "tensor<?xf32>, tensor<f32>"
        if zero_point:
            types, given = (
                [*types, name],
                [*given, (name, np.array(zero_point, dtype=FORMATS[name].storage))],
            )
            operands, tensors = f"{operands}, %z", f"{tensors}, tensor<{name}>"
        add(f"quantize to {name} by {scale}", types, f"quantize {operands} opset 25 : {tensors} to tensor<?x{name}>", given, name, expected, ordinary)  # fmt: skip
    # With a zero point of +0, the encoding has the sign of the quotient unless the quotient is
    # zero: -0 + +0 is +0.
    for name in ("f4E2M1FN", "f6E2M3FN", "f6E3M2FN"):
        for zero_point in (0.0, -0.0, 1.5):
            encoded = to_float(np.array([zero_point], dtype=np.float32), name)
            sums = np.nan_to_num(
                quotient + np.float32(zero_point), nan=0, posinf=1e30, neginf=-1e30
            )
            add(f"quantize to {name} by {scale} with {zero_point}", ["?xf32", "f32", name], f"quantize %x, %s, %z opset 28 : tensor<?xf32>, tensor<f32>, tensor<{name}> to tensor<?x{name}>", [("f32", x), ("f32", scale), (name, encoded.reshape(()))], name, to_float(sums, name), ordinary)  # fmt: skip
    for storage in ("i8", "f8E4M3FN"):
        if storage == "i8":
            back = to_integer(quotient, "i8").astype(np.float32)
        else:
            back = (
                to_float(np.nan_to_num(quotient, nan=0, posinf=1e30, neginf=-1e30), storage)
                .view(ml_dtypes.float8_e4m3fn)
                .astype(np.float32)
            )
        add(f"qdq {storage} by {scale}", ["?xf32", "f32"], f"qdq %x, %s storage {storage} opset 25 : tensor<?xf32>, tensor<f32> to tensor<?xf32>", [("f32", x), ("f32", scale)], "f32", back * scale, ordinary)  # fmt: skip
    with np.errstate(over="ignore", under="ignore"):
        for mode, kind in (("", "f8E4M3FN"), ("", "f8E5M2"), (" mode openvino", "f8E5M2")):
            scaled = np.nan_to_num(x * scale, posinf=1e30, neginf=-1e30)
            if mode:
                scaled = np.clip(scaled, -57344, 57344).astype(np.float16).astype(np.float32)
            rounded = to_float(scaled, kind).view(FORMATS[kind].numpy).astype(np.float32)
            expected = rounded * (np.float32(1) / scale) if mode else rounded / scale
            add(f"fakeconvert{mode} {kind} by {scale}", ["?xf32", "f32"], f"fakeconvert %x, %s to {kind}{mode} opset 13 : tensor<?xf32>, tensor<f32> to tensor<?xf32>", [("f32", x), ("f32", scale)], "f32", expected, ordinary)  # fmt: skip

# Scales of blocks and of rows. The second set contains subnormal scales.
for label, values, ordinary in (
    ("ordinary", [0.1, 3.0, 2.0**-20, 7e5], True),
    ("one subnormal", [0.1, 1e-41, 3.0, 2.0], False),
):
    scales = np.resize(np.array(values, dtype=np.float32), len(x) // 32)
    with np.errstate(over="ignore"):
        quotient = x / np.repeat(scales, 32)
    for name in ("ui8", "i4", "f8E4M3FN", "f8E5M2"):
        expected = (
            to_integer(quotient, name)
            if name in INTEGERS
            else to_float(np.nan_to_num(quotient, posinf=1e30, neginf=-1e30), name)
        )
        add(f"quantize blocks to {name}, {label}", ["?xf32", "?xf32"], f"quantize %x, %s axis 0 block_size 32 opset 25 : tensor<?xf32>, tensor<?xf32> to tensor<?x{name}>", [("f32", x), ("f32", scales)], name, expected, ordinary)  # fmt: skip

source = work / f"{cpu}.mlir"
source.write_text("".join(case.text for _, case in cases))
subprocess.run(
    [
        f"{tools}/quant-float-compile",
        source,
        "-o",
        source.with_suffix(".ll"),
        "--cpu",
        cpu,
        "--threads",
        threads,
    ],
    check=True,
)
text, found = instrument(source.with_suffix(".ll").read_text())
assert len(found) > 100, "no instructions"
assert ("__kmpc_fork_call" in text) == (threads != "1")
(work / f"{cpu}.probe.ll").write_text(text)
(work / "checker.c").write_text(CHECKER)
library = work / f"{cpu}.so"
subprocess.run([clang, "-O1", "-Xclang", "-disable-llvm-passes", "-Wno-override-module", "-fPIC", "-fopenmp", "-shared", work / f"{cpu}.probe.ll", work / "checker.c", "-o", library], check=True)  # fmt: skip
probe = ctypes.CDLL(str(library))
assists = ctypes.c_long.in_dll(probe, "qf_assists")
first = ctypes.c_int.in_dll(probe, "qf_first")


def describe(type_, array):
    array = np.asarray(array, order="C")
    sizes = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
    return Tensor(array.ctypes.data, sizes, array.ndim, FORMATS[type_].number), array


with_assists = wrong = 0
for label, case in cases:
    kept = [describe(type_, array) for type_, array in case.inputs]
    result = np.full(case.expected.shape, 0x55, dtype=FORMATS[case.output].storage)
    to, result = describe(case.output, result)
    message = ctypes.create_string_buffer(300)
    assists.value = 0
    probe.qf_set_csr(0x1F80)
    status = getattr(probe, case.name)(
        (Tensor * len(kept))(*[tensor for tensor, _ in kept]), ctypes.byref(to), message, 300
    )
    if status or probe.qf_get_csr() & ~0x3F != 0x1F80:
        print("error:", label, message.value.decode(), hex(probe.qf_get_csr()))
    expected = (
        case.expected.view(result.dtype)
        if case.expected.dtype.itemsize == result.dtype.itemsize
        else case.expected
    )
    same = (
        (result.view(np.uint8) == np.ascontiguousarray(expected).view(np.uint8))
        .reshape(len(result), -1)
        .all(axis=1)
    )
    if not same.all():
        at = int(np.argmin(same))
        print(
            f"error: {label}: {np.count_nonzero(~same)} differ, x[{at}] = {case.inputs[0][1][at]}: expected {expected[at]}, but got {result[at]}"
        )
        wrong += 1
    if case.isCounted and assists.value:
        print(f"error: {label}: {assists.value} assists, the first by {found[first.value]}")
        with_assists += 1
print(f"{len(cases)} conversions, {with_assists} with assists, {wrong} wrong")
