# Tensors in files (P3): every element type, NumPy version, byte order and layout passes through a
# function that returns its argument. Everything else in a file is a clear error.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir/quant-float-run %t
import os
import pathlib
import subprocess
import sys

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

tool, work = sys.argv[1], pathlib.Path(sys.argv[2])
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)


def run(mlir_type, path, rank=2, load=np.load):
    """Returns (exit code, stderr, output) of the identity on tensors of a type."""
    shape = "?x" * rank
    model = work / "identity.mlir"
    kind = f"tensor<{shape}{mlir_type}>"
    model.write_text(
        f'func.func @identity(%x: {kind} {{quant_float.name = "x"}}) -> {kind} {{\n'
        f"  return %x : {kind}\n}}\n",
        encoding="ascii",
    )
    output = work / "output_0.npy"
    output.unlink(missing_ok=True)
    command = [tool, model, "--target", "reference", "--inputs", path, "--outputs", work]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    loaded = load(output) if result.returncode == 0 else None
    return result.returncode, result.stderr, loaded


# MLIR type: NumPy's or ml_dtypes' type, the type that we write, ONNX's type number.
TYPES = {
    "f32": ("float32", "<f4", TensorProto.FLOAT),
    "f64": ("float64", "<f8", TensorProto.DOUBLE),
    "f16": ("float16", "<f2", TensorProto.FLOAT16),
    "bf16": (ml_dtypes.bfloat16, "<u2", TensorProto.BFLOAT16),
    "f8E4M3FN": (ml_dtypes.float8_e4m3fn, "|u1", TensorProto.FLOAT8E4M3FN),
    "f8E4M3FNUZ": (ml_dtypes.float8_e4m3fnuz, "|u1", TensorProto.FLOAT8E4M3FNUZ),
    "f8E5M2": (ml_dtypes.float8_e5m2, "|u1", TensorProto.FLOAT8E5M2),
    "f8E5M2FNUZ": (ml_dtypes.float8_e5m2fnuz, "|u1", TensorProto.FLOAT8E5M2FNUZ),
    "f8E8M0FNU": (ml_dtypes.float8_e8m0fnu, "|u1", TensorProto.FLOAT8E8M0),
    "f4E2M1FN": (ml_dtypes.float4_e2m1fn, "|u1", TensorProto.FLOAT4E2M1),
    "f6E2M3FN": (ml_dtypes.float6_e2m3fn, "|u1", 27),
    "f6E3M2FN": (ml_dtypes.float6_e3m2fn, "|u1", 28),
    "i8": ("int8", "|i1", TensorProto.INT8),
    "i16": ("int16", "<i2", TensorProto.INT16),
    "i32": ("int32", "<i4", TensorProto.INT32),
    "i64": ("int64", "<i8", TensorProto.INT64),
    "ui8": ("uint8", "|u1", TensorProto.UINT8),
    "ui16": ("uint16", "<u2", TensorProto.UINT16),
    "ui32": ("uint32", "<u4", TensorProto.UINT32),
    "ui64": ("uint64", "<u8", TensorProto.UINT64),
    "i4": (ml_dtypes.int4, "|i1", TensorProto.INT4),
    "ui4": (ml_dtypes.uint4, "|u1", TensorProto.UINT4),
    "i2": (ml_dtypes.int2, "|i1", TensorProto.INT2),
    "ui2": (ml_dtypes.uint2, "|u1", TensorProto.UINT2),
    "i1": ("bool", "|b1", TensorProto.BOOL),
}
for name, (dtype, written, onnx_type) in TYPES.items():
    dtype = np.dtype(dtype)
    values = np.array([[0, 1, -1], [1, 0, -2]] if name[0] == "i" else [[0, 1, 3], [2, 1, 0]])
    array = values.astype(dtype)
    # The same values as encodings in NumPy's own types.
    encodings = array if dtype.kind in "fiub" and dtype.str != "<f1" else array.view(written)
    if name in ("i4", "i2"):
        encodings = values.astype("int8")
    path = work / "input.npy"
    for stored in (encodings, array):
        np.save(path, stored)
        code, stderr, output = run(name, path)
        check(code == 0, f"{name} as {stored.dtype.str}: {stderr}")
        if code == 0:
            check(output.dtype.str == written, f"{name}: written as {output.dtype.str}")
            check((output == encodings).all(), f"{name} as {stored.dtype.str}: other values")
    # ONNX: packed raw data, and the typed field.
    raw = numpy_helper.from_array(encodings, "x") if dtype.kind in "fiub" else None
    packed = None
    if dtype.itemsize == 1 and dtype.kind == "V" or dtype.str == "<f1":
        packed = onnx.TensorProto(data_type=onnx_type, dims=array.shape)
        if "4" in name and name not in ("f8E4M3FN", "f8E4M3FNUZ"):
            nibbles = encodings.ravel().view("u1") & 15
            packed.raw_data = (nibbles[0::2] | nibbles[1::2] << 4).tobytes()
        elif name in ("i2", "ui2"):
            crumbs = np.append(encodings.ravel().view("u1") & 3, [0, 0])
            packed.raw_data = (
                (crumbs[0::4] | crumbs[1::4] << 2 | crumbs[2::4] << 4 | crumbs[3::4] << 6)
                .astype("u1")
                .tobytes()
            )
        elif name.startswith("f6"):
            bits = sum(int(c) << (6 * i) for i, c in enumerate(encodings.ravel()))
            packed.raw_data = bits.to_bytes(5, "little")
        else:
            packed.raw_data = encodings.tobytes()
    elif name == "bf16":
        packed = onnx.TensorProto(data_type=onnx_type, dims=array.shape)
        packed.int32_data.extend(int(c) for c in encodings.ravel())
    for form in (raw, packed):
        if form is None or form.data_type != onnx_type:
            continue
        pb = work / "input.pb"
        pb.write_bytes(form.SerializeToString())
        code, stderr, output = run(name, pb)
        check(code == 0 and (output == encodings).all(), f"{name} in ONNX: {stderr}")
    # The encodings in whole bytes.
    (work / "input.bin").write_bytes(np.ascontiguousarray(encodings).tobytes())
    code, stderr, output = run(name, work / "input.bin", rank=1)
    check(code == 0 and (output == encodings.ravel()).all(), f"{name} raw: {stderr}")

# Layouts and versions.
array = np.random.default_rng(0).standard_normal((3, 4, 5)).astype("f4")
for form in (array, np.asfortranarray(array), array.astype(">f4")):
    np.save(work / "input.npy", form)
    code, stderr, output = run("f32", work / "input.npy", rank=3)
    check(code == 0 and (output == array).all(), f"{form.flags} {form.dtype.str}: {stderr}")
for version in ((1, 0), (2, 0), (3, 0)):
    with open(work / "input.npy", "wb") as file:
        np.lib.format.write_array(file, array, version=version)
    code, stderr, output = run("f32", work / "input.npy", rank=3)
    check(code == 0 and (output == array).all(), f"version {version}: {stderr}")
for empty in (np.float32(3), np.zeros((0, 3), "f4"), np.zeros((2**40, 0), "f4")):
    np.save(work / "input.npy", empty)
    code, stderr, output = run("f32", work / "input.npy", rank=empty.ndim)
    check(code == 0 and output.shape == empty.shape, f"shape {empty.shape}: {stderr}")
# Byte-swapped elements of an empty tensor: the product of its other sizes overflows, which the
# sanitizers detect and NumPy rejects.
with (work / "input.npy").open("wb") as file:
    shape = (0, 2**40, 2**40)
    np.lib.format.write_array_header_1_0(
        file, {"descr": ">f4", "fortran_order": False, "shape": shape}
    )
code, stderr, output = run("f32", work / "input.npy", rank=3, load=pathlib.Path.read_bytes)
check(code == 0 and b"1099511627776" in output, f"shape {shape}: {stderr}")


# Errors: the contents of the file, and the message.
def npy(header, data=b"", version=1, length=None):
    text = header.encode()
    size = len(text) if length is None else length
    return (
        b"\x93NUMPY"
        + bytes([version, 0])
        + size.to_bytes(2 if version == 1 else 4, "little")
        + text
        + data
    )


GOOD = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }"
BROKEN = [
    (b"", "expected a .npy file"),
    (b"\x93NUMP", "expected a .npy file"),
    (b"\x93NUMPY", "the file is truncated"),
    (b"\x93NUMPY\x01\x00\x10", "the file is truncated"),
    (npy(GOOD, version=9), "expected version 1, 2 or 3, but got 9.0"),
    (npy(GOOD, length=200), "expected 200 bytes, but the file ends after"),
    (npy("[1]"), "expected a dictionary"),
    (npy("{'descr' '<f4'}"), "expected a key and a colon"),
    (npy("{'descr': [('a', '<f4')]}"), "'descr': expected a single type name"),
    (npy("{'fortran_order': 1}"), "'fortran_order': expected True or False"),
    (npy("{'shape': (-1, 2)}"), "'shape': expected sizes in parentheses"),
    (npy("{'shape': (99999999999999999999,)}"), "'shape': expected sizes in parentheses"),
    (npy("{'shape': 3}"), "'shape': expected sizes in parentheses"),
    (npy("{'color': 'red'}"), "unknown key 'color'"),
    (npy("{'descr': '<f4' 'shape': ()}"), "expected a comma or the end"),
    (npy("{'descr': '<f4'}"), "expected the keys 'descr', 'fortran_order' and 'shape'"),
    (npy(GOOD.replace("<f4", "<f8"), b"0" * 16), "in a .npy type 'f4', but got '<f8'"),
    (npy(GOOD.replace("<f4", ""), b"0" * 8), "in a .npy type 'f4', but got ''"),
    (npy(GOOD, b"0" * 7), "expected 8 bytes of data for float[1x2], but got 7"),
    (npy(GOOD, b"0" * 9), "expected 8 bytes of data for float[1x2], but got 9"),
    (npy(GOOD.replace("(1, 2)", f"({2**62}, 4)")), "expected fewer than 2^63 bytes"),
    (npy(GOOD.replace("(1, 2)", "(2,)"), b"0" * 8), "expected float[?x?], but got float[2]"),
]
for content, message in BROKEN:
    (work / "broken.npy").write_bytes(content)
    code, stderr, _ = run("f32", work / "broken.npy")
    check(code == 1, f"{content!r}: exit code {code}")
    check(
        stderr.startswith(f"{work / 'broken.npy'}: error: input 0 'x': ") and message in stderr,
        f"{content!r}: expected '{message}', but got '{stderr}'",
    )
tensor = helper.make_tensor("x", TensorProto.FLOAT, [1, 2], [1, 2])
short = onnx.TensorProto(data_type=TensorProto.FLOAT, dims=[1, 2], raw_data=b"1234567")
external = onnx.TensorProto(data_type=TensorProto.FLOAT, dims=[1, 2])
external.external_data.add(key="location", value="input.bin")
external.data_location = TensorProto.EXTERNAL
for content, message in (
    (b"\xff\xff", "expected a serialized ONNX TensorProto"),
    (tensor.SerializeToString()[:-5], "expected a serialized ONNX TensorProto"),
    (short.SerializeToString(), "expected 8 bytes for tensor<1x2xf32>, but got 7"),
    (external.SerializeToString(), "has no folder of external data"),
    (
        helper.make_tensor("x", TensorProto.INT8, [1, 2], [1, 2]).SerializeToString(),
        "expected float[?x?], but got int8[1x2]",
    ),
    (
        helper.make_tensor("x", TensorProto.COMPLEX64, [1], [1j]).SerializeToString(),
        "complex<f32>[1]: expected an element type with a representation in memory",
    ),
):
    (work / "broken.pb").write_bytes(content)
    code, stderr, _ = run("f32", work / "broken.pb")
    check(code == 1, f"{content!r}: exit code {code}")
    check(
        stderr.startswith(f"{work / 'broken.pb'}: error: input 0 'x': ") and message in stderr,
        f"{content!r}: expected '{message}', but got '{stderr}'",
    )
(work / "input.dat").write_bytes(b"")
code, stderr, _ = run("f32", work / "input.dat")
check(code == 1 and "expected a file ending in .npy, .pb, .bin or .raw" in stderr, stderr)
code, stderr, _ = run("f32", work / "input.bin")
check(code == 1 and "does not determine several dynamic sizes" in stderr, stderr)
(work / "input.bin").write_bytes(b"123")
code, stderr, _ = run("f32", work / "input.bin", rank=1)
check(code == 1 and "expected 0 bytes, but got 3" in stderr, stderr)
for unreadable in ("missing.npy", "."):
    code, stderr, _ = run("f32", work / unreadable)
    check(code == 2 and "cannot be read" in stderr, f"{unreadable}: {code} {stderr}")
# Devices are endless.
for suffix in ("npy", "pb", "bin"):
    (work / f"zeros.{suffix}").symlink_to("/dev/zero")
    code, stderr, _ = run("f32", work / f"zeros.{suffix}", rank=1)
    check(code == 2 and "is not a regular file" in stderr, f"{suffix}: {code} {stderr}")

# Strings: NumPy's fixed-width strings, in either byte order and layout, and ONNX's.
words = np.array([["", "a", "zwölf"], ["\U0001f600", "x\0y", " "]])
STRING = "!quant_float.string"
for stored in (words, words.astype(">U7"), np.asfortranarray(words), words[::-1]):
    np.save(work / "input.npy", stored)
    code, stderr, got = run(STRING, work / "input.npy")
    check(code == 0 and (got == stored).all() and got.dtype == "<U5", f"{stored!r}: {stderr}{got}")
np.save(work / "input.npy", np.array([b"ab", b"c"]))
code, stderr, got = run(STRING, work / "input.npy", rank=1)
check(code == 0 and got.tolist() == ["ab", "c"], f"bytes: {stderr}{got}")
(work / "input.pb").write_bytes(numpy_helper.from_array(words.astype(object)).SerializeToString())
code, stderr, got = run(STRING, work / "input.pb")
check(code == 0 and (got == words).all(), f"strings of ONNX: {stderr}{got}")
np.save(work / "input.npy", np.zeros((2, 0), "U3"))
code, stderr, got = run(STRING, work / "input.npy")
check(code == 0 and got.shape == (2, 0), f"no strings: {stderr}")
# Strings that .npy cannot represent, or not reliably.
for content, message in (
    (b"\xff", "output 0: element 1: expected UTF-8 for a .npy file, but got '\\FF'"),
    (
        b"a\0",
        "output 0: element 1: expected a string without a trailing null character for a .npy file",
    ),
):
    tensor = onnx.TensorProto(data_type=TensorProto.STRING, dims=[2], string_data=[b"", content])
    (work / "input.pb").write_bytes(tensor.SerializeToString())
    code, stderr, _ = run(STRING, work / "input.pb", rank=1)
    check(code == 1 and message in stderr, f"{content!r}: {code} {stderr}")
numbers = np.array([0x110000, 0xD800], "<u4").tobytes()
header = b"\x93NUMPY\x01\0\x46\0{'descr': '<U1', 'fortran_order': False, 'shape': (2,), }"
(work / "input.npy").write_bytes(header.ljust(79) + b"\n" + numbers)
code, stderr, _ = run(STRING, work / "input.npy", rank=1)
check(code == 1 and "element 0: expected Unicode code points" in stderr, stderr)
(work / "input.npy").write_bytes(header.ljust(79) + b"\n" + numbers[:7])
code, stderr, _ = run(STRING, work / "input.npy", rank=1)
check(code == 1 and "expected 8 bytes of data for string[2], but got 7" in stderr, stderr)
code, stderr, _ = run(STRING, work / "input.bin", rank=1)
check(code == 1 and "expected strings in a .npy or .pb file" in stderr, stderr)

# The results of an earlier run are kept, and no other files remain.
check(not [name for name in os.listdir(work) if name.endswith(".tmp")], "temporary files left")
sys.exit("\n".join(failures) if failures else 0)
