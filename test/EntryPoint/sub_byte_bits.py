# The unused bits of a byte that holds one element of 1, 2, 4 or 6 bits never affect a result,
# whatever op moves the element: all bytes of all such types are compared with numpy. Computed
# elements and elements of larger types are stored unchanged.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import ctypes
import pathlib
import subprocess
import sys

import numpy as np

tools_dir, work = map(pathlib.Path, sys.argv[1:])
# MLIR's name, ONNX's type number, bits, signedness.
TYPES = [
    ("ui4", 21, 4, False),
    ("i4", 22, 4, True),
    ("f4E2M1FN", 23, 4, False),
    ("ui2", 25, 2, False),
    ("i2", 26, 2, True),
    ("f6E2M3FN", 27, 6, False),
    ("f6E3M2FN", 28, 6, False),
    ("i1", 9, 1, False),
    ("i8", 3, 8, True),
    ("f8E4M3FN", 17, 8, False),
]
NODE = 'quant_float.node "{}"({}) opset 25 attributes {{{}}} : ({}) -> {}'
X, B, INDICES = "tensor<16x16xT>", "tensor<16x16xi1>", "tensor<3xi64>"
ROWS = "%i = arith.constant dense<[5, 0, 11]> : tensor<3xi64>\n"
SHAPE = "%i = arith.constant dense<[8, 2, 16]> : tensor<3xi64>\n"
LIMITS = (
    "%i = arith.constant dense<2> : tensor<1xi64>\n%j = arith.constant dense<9> : tensor<1xi64>\n"
)
PAD = """%p = tensor.extract %x[%c, %c] : tensor<16x16xT>
%0 = tensor.pad %x low[1, 0] high[0, 2] {
^bb0(%m: index, %n: index):
  tensor.yield %p : T
} : tensor<16x16xT> to tensor<17x18xT>"""
# The body, the result type, and the expected result from x, a second tensor and booleans in numpy.
CASES = {
    "returned": ("%0 = tensor.cast %x : tensor<16x16xT> to tensor<16x16xT>", X, lambda x, b: x),
    "identity": ("%0 = " + NODE.format("Identity", "%x", "", X, X), X, lambda x, b: x),
    "transpose": (
        "%0 = " + NODE.format("Transpose", "%x", "perm = array<i64: 1, 0>", X, X),
        X,
        lambda x, b: x.T,
    ),
    "reshape": (
        SHAPE
        + "%0 = "
        + NODE.format("Reshape", "%x, %i", "", f"{X}, {INDICES}", "tensor<8x2x16xT>"),
        "tensor<8x2x16xT>",
        lambda x, b: x.reshape(8, 2, 16),
    ),
    "concat": (
        "%0 = " + NODE.format("Concat", "%x, %x", "axis = 1 : i64", f"{X}, {X}", "tensor<16x32xT>"),
        "tensor<16x32xT>",
        lambda x, b: np.concatenate([x, x], 1),
    ),
    "slice": (
        LIMITS
        + "%0 = "
        + NODE.format(
            "Slice", "%x, %i, %j", "", f"{X}, tensor<1xi64>, tensor<1xi64>", "tensor<7x16xT>"
        ),
        "tensor<7x16xT>",
        lambda x, b: x[2:9],
    ),
    "gather": (
        ROWS
        + "%0 = "
        + NODE.format("Gather", "%x, %i", "axis = 0 : i64", f"{X}, {INDICES}", "tensor<3x16xT>"),
        "tensor<3x16xT>",
        lambda x, b: x[[5, 0, 11]],
    ),
    "where": (
        "%t = "
        + NODE.format("Transpose", "%x", "perm = array<i64: 1, 0>", X, X)
        + "\n%0 = "
        + NODE.format("Where", "%b, %x, %t", "", f"{B}, {X}, {X}", X),
        X,
        lambda x, b: np.where(b, x, x.T),
    ),
    "selected": (
        "%t = arith.constant true\n%0 = arith.select %t, %x, %x : tensor<16x16xT>",
        X,
        lambda x, b: x,
    ),
    "pad": (
        PAD,
        "tensor<17x18xT>",
        lambda x, b: np.pad(x, ((1, 0), (0, 2)), constant_values=x[0, 0]),
    ),
}


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("sizes", ctypes.POINTER(ctypes.c_int64)),
        ("rank", ctypes.c_int32),
        ("dtype", ctypes.c_int32),
    ]


def describe(array, dtype):
    sizes = (ctypes.c_int64 * array.ndim)(*array.shape)
    return Tensor(array.ctypes.data, sizes, array.ndim, dtype)


text = ""
for element, *_ in TYPES:
    for case, (body, result, _) in CASES.items():
        text += (
            f"""
func.func @{case}_{element}(%x: {X}, %b: {B}) -> {result} {{
%c = arith.constant 0 : index
{body}
return %0 : {result}
}}""".replace("T>", f"{element}>")
            .replace(": T\n", f": {element}\n")
            .replace("xT", f"x{element}")
        )
(work / "moves.mlir").write_text(text)
subprocess.run(
    [tools_dir / "quant-float-compile", work / "moves.mlir", "-o", work / "moves.so"], check=True
)
library = ctypes.CDLL(str(work / "moves.so"))

given = np.random.default_rng(1).permutation(np.arange(256, dtype=np.uint8)).reshape(16, 16)
chosen = np.arange(256, dtype=np.uint8)[::-1].reshape(16, 16).copy()
failed = 0
for element, dtype, bits, is_signed in TYPES:
    clean = given & ((1 << bits) - 1)
    if is_signed:
        clean = np.where(clean >> (bits - 1), clean | (0xFF << bits & 0xFF), clean).astype(np.uint8)
    for case, (_, _, move) in CASES.items():
        wanted = move(clean, chosen & 1)
        found = np.full(wanted.shape, 0xAA, np.uint8)
        inputs = (Tensor * 2)(describe(given, dtype), describe(chosen, 9))
        outputs = (Tensor * 1)(describe(found, dtype))
        error = ctypes.create_string_buffer(500)
        function = getattr(library, f"{case}_{element}")
        if function(inputs, outputs, error, ctypes.c_size_t(500)):
            print(f"{case} of {element}: {error.value.decode()}")
            failed += 1
        elif not np.array_equal(found, wanted):
            wrong = np.argwhere(found != wanted)
            at = tuple(wrong[0])
            print(
                f"{case} of {element}: {len(wrong)} bytes differ, the first {found[at]:#04x} instead of {wanted[at]:#04x}"
            )
            failed += 1

# A cast reads the value of the element, not all bits of its byte.
INTEGERS = [type for type in TYPES if type[0][0] in "iu"]
text = "".join(
    f"""func.func @to_{to}_{element}(%x: tensor<256x{element}>) -> tensor<256x{to}> {{
  %0 = quant_float.cast %x opset 25 : tensor<256x{element}> to tensor<256x{to}>
  return %0 : tensor<256x{to}>
}}
"""
    for element, *_ in INTEGERS
    for to in ("i32", "f32")
)
(work / "casts.mlir").write_text(text)
subprocess.run(
    [tools_dir / "quant-float-compile", work / "casts.mlir", "-o", work / "casts.so"], check=True
)
library = ctypes.CDLL(str(work / "casts.so"))
given = np.arange(256, dtype=np.uint8)
for element, dtype, bits, is_signed in INTEGERS:
    value = (given & ((1 << bits) - 1)).astype(np.int64)
    if is_signed:
        value -= (value >> (bits - 1)) << bits
    for to, number, numpy in (("i32", 6, np.int32), ("f32", 1, np.float32)):
        found = np.zeros(256, numpy)
        inputs, outputs = (
            (Tensor * 1)(describe(given, dtype)),
            (Tensor * 1)(describe(found, number)),
        )
        status = getattr(library, f"to_{to}_{element}")(inputs, outputs, None, ctypes.c_size_t(0))
        if status or not np.array_equal(found, value.astype(numpy)):
            wrong = np.flatnonzero(found != value)
            print(f"{element} to {to}: status {status}, {len(wrong)} wrong, first at {wrong[:1]}")
            failed += 1
sys.exit(failed != 0)
