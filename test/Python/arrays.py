# Arrays of callers: contiguous memory is shared, other layouts and lists are copied. Results are
# written to `out`. DLPack of every element type.
# RUN: %python %s
import gc
import sys

import expect
import foreign
import ml_dtypes
import numpy as np
import quant_float as qf

IDENTITY = """
func.func @id(%x: tensor<?x?xf32>) -> tensor<?x?xf16> {
  %0 = quant_float.cast %x opset 28 : tensor<?x?xf32> to tensor<?x?xf16>
  return %0 : tensor<?x?xf16>
}
"""

PAIR = """
func.func @pair(%x: tensor<?x?xf32>) -> (tensor<?x?xf8E5M2>, tensor<?x?xf16>) {
  %0 = quant_float.cast %x opset 28 : tensor<?x?xf32> to tensor<?x?xf8E5M2>
  %1 = quant_float.cast %x opset 28 : tensor<?x?xf32> to tensor<?x?xf16>
  return %0, %1 : tensor<?x?xf8E5M2>, tensor<?x?xf16>
}
"""


def check_out():
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    out = np.empty((3, 4), np.float16)
    expect.true("the given array is returned", qf.cast(x, "f16", out=out) is out)
    expect.same("it is written", out, x.astype(np.float16))
    whole = np.zeros((5, 4), ml_dtypes.float8_e4m3fn)
    qf.cast(x, "f8e4m3", out=whole[1:4])
    expect.same("rows of an array", whole[1:4], x.astype(ml_dtypes.float8_e4m3fn))
    expect.true(
        "and nothing else", not whole[0].astype(bool).any() and not whole[4].astype(bool).any()
    )
    memory = np.zeros(100, np.uint8)
    odd = memory[1:49].view(np.uint8)
    misaligned = np.frombuffer(memory.data, np.float16, 12, 3).reshape(3, 4)
    qf.cast(x, "f16", out=misaligned)
    expect.same("any alignment", np.array(misaligned), x.astype(np.float16))
    del odd
    kernel = qf.parse(IDENTITY).compile()
    out = np.empty((3, 4), np.float16)
    expect.true("of a kernel", kernel(x, out=out) is out and kernel(x, out=[out]) is out)
    expect.same("its values", out, x.astype(np.float16))
    expect.same("a new array", kernel(x, out=[None]), x.astype(np.float16))
    kernel = qf.parse(PAIR).compile()
    pair = kernel(x, out=[None, out])
    expect.true("one of two", len(pair) == 2 and pair[1] is out and pair[0] is not out)
    expect.same("the new array", pair[0], x.astype(ml_dtypes.float8_e5m2))
    expect.same("the given array", out, x.astype(np.float16))
    of_type = np.empty((4, 3), ml_dtypes.float8_e5m2)
    for what, kind, words, wrong in [
        ("out of another type", TypeError, "output 0 must have type float8e5m2", out),
        ("out of another shape", ValueError, "output 0 must have shape (3, 4)", of_type),
        ("out not contiguous", ValueError, "output 0 must be contiguous", of_type.T),
    ]:
        expect.raises(what, kind, words, lambda wrong=wrong: kernel(x, out=[wrong, None]))


def check_layouts():
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    wanted = x.astype(np.float16)
    expect.same("a contiguous part", qf.cast(x[1], "f16"), wanted[1])
    expect.same("read-only", qf.cast(np.broadcast_to(x, x.shape), "f16"), wanted)
    column = x.reshape(24, 1)[:, ::-1]
    expect.same(
        "strides of dimensions of size 1 are ignored", qf.cast(column, "f16"), wanted.reshape(24, 1)
    )
    frozen = x.copy()
    frozen.flags.writeable = False
    expect.same("not writable", qf.cast(frozen, "f16"), wanted)
    expect.same("a subclass", qf.cast(np.asmatrix(x[0]), "f16"), wanted[0])
    expect.same(
        "mapped bytes", qf.cast(np.frombuffer(x.tobytes(), np.float32), "f16"), wanted.ravel()
    )


def check_copies():
    """Inputs of other strides, byte orders and owners yield the same as their copies."""
    x = (np.arange(24, dtype=np.float32) - 7.3).reshape(2, 3, 4)
    scales = np.linspace(0.1, 2, 8, dtype=np.float32)
    kernel = qf.parse(IDENTITY).compile()
    for what, other in [
        ("transposed", x.T),
        ("column-major", np.asfortranarray(x)),
        ("every other element", x[:, :, ::2]),
        ("backwards", x[::-1, ::-1]),
        ("broadcast", np.broadcast_to(x[0], (5, 3, 4))),
        ("big-endian", x.astype(">f4")),
        ("big-endian and transposed", x.astype(">f4").T),
        ("of bytes at odd addresses", np.frombuffer(b"." + x.tobytes(), "<f4", 24, 1)[::-1]),
    ]:
        copy = other.astype(np.float32, order="C")
        expect.same(what, qf.cast(other, "f16"), copy.astype(np.float16))
        expect.same(f"{what}: kernel", kernel(other.reshape(-1, 1)), kernel(copy.reshape(-1, 1)))
        expect.same(
            f"{what}: quantize",
            qf.quantize(other, 0.3, dtype="i8"),
            qf.quantize(copy, 0.3, dtype="i8"),
        )
        expect.same(f"{what}: fakeconvert", qf.fakeconvert(other, 1.5), qf.fakeconvert(copy, 1.5))
    narrow = x.astype(ml_dtypes.float8_e4m3fn)
    expect.same("ml_dtypes'", qf.cast(narrow.T, "f32"), narrow.T.astype(np.float32))
    expect.same(
        "scales", qf.quantize(x, scales[::2], axis=2), qf.quantize(x, scales[::2].copy(), axis=2)
    )
    square = np.arange(9, dtype=np.float32).reshape(3, 3)
    wanted = square.T.copy()
    expect.same(
        "written to the array that was copied", qf.cast(square.T, "f32", out=square), wanted
    )
    memory = np.arange(12, dtype=np.float32).reshape(3, 4)
    for what, strides, sizes in [("strides", (1, 4), (4, 3)), ("strides of zero", (0, 0), (2, 5))]:
        y = qf.cast(foreign.Foreign(memory, 2, 32, strides=strides, sizes=sizes), "f16")
        wanted = memory.T if strides[0] else np.zeros(sizes)
        expect.same(f"DLPack {what}", y, wanted.astype(np.float16))
    expect.true("its capsules", not foreign.alive)


def check_numbers():
    """Python's numbers and lists of them are converted to the required type with one rounding."""
    f8 = ml_dtypes.float8_e4m3fn
    expect.same("a number", qf.cast(1.1, "f8E4M3FN"), np.array(1.125, f8))
    expect.same("a list", qf.cast([1.1, 500], "f8E4M3FN"), np.array([1.125, 448], f8))
    expect.same("integers", qf.cast([[1, 2], [3, 300]], "u8"), np.uint8([[1, 2], [3, 44]]))
    expect.same("booleans", qf.cast((True, False), "f16"), np.float16([1, 0]))
    expect.same("a list of arrays", qf.cast([f8(2), f8(3)], "f32"), np.float32([2, 3]))
    expect.same("no numbers", qf.cast([[], []], "f16"), np.empty((2, 0), np.float16))
    # Between two f16 values: a double that rounds to the midpoint in f32.
    near = 1 + 2**-11 + 2**-40
    half = qf.parse("""
      func.func @id(%x: tensor<?xf16>) -> tensor<?xf32> {
        %0 = quant_float.cast %x opset 28 : tensor<?xf16> to tensor<?xf32>
        return %0 : tensor<?xf32>
      }""").compile()
    numbers = [near, -near, 2**60 + 2**49 + 1, float("nan"), float("-inf"), 0, np.float32(0.5)]
    numbers += [2049, 2051, True, 1e-8]
    wanted = [1 + 2**-10, -1 - 2**-10, float("inf"), float("nan"), float("-inf"), 0, 0.5]
    wanted += [2048, 2052, 1, 0]
    expect.same("rounded once", half(numbers), np.float32(wanted))
    x = [[0.1, -2.0, 500.0]]
    array = np.float32(x)
    expect.same(
        "quantize", qf.quantize(x, 0.02, 10, dtype="i8"), qf.quantize(array, 0.02, 10, dtype="i8")
    )
    expect.same(
        "lists of scales and zero points",
        qf.quantize(x, [0.1, 1, 7], [1, -2, 3], dtype="i8", axis=1),
        qf.quantize(array, np.float32([0.1, 1, 7]), np.int8([1, -2, 3]), axis=1),
    )
    expect.same("dequantize", qf.dequantize([3, -4], 0.5), np.float32([1.5, -2]))
    expect.same("qdq", qf.qdq(x, 0.25, storage="f4e2m1"), qf.qdq(array, 0.25, storage="f4e2m1"))
    expect.same(
        "fakeconvert",
        qf.fakeconvert(x, [2.0, 1, 1], 0.5),
        qf.fakeconvert(array, np.float32([2, 1, 1]), 0.5),
    )
    module = qf.parse(IDENTITY)
    expect.same("evaluate", module.evaluate(x), array.astype(np.float16))


def check_no_copies():
    """A contiguous input is not copied, and its object is not kept."""
    x = np.zeros(8, ml_dtypes.bfloat16)
    before = sys.getrefcount(x)
    for value in (1, 2):
        x[...] = value
        expect.same("the memory itself", qf.cast(x, "f32"), np.full(8, value, np.float32))
    expect.true("no reference stays", sys.getrefcount(x) == before)


def check_encodings():
    """A type that numpy lacks: encodings with metadata about the type."""
    element = qf.dtype("f8UE5M3")
    x = np.float32([1, 3, 200000, -1, 2.0**-17, np.nan])
    encodings = qf.cast(x, element)
    expect.same("encodings", encodings, np.uint8([0x78, 0x84, 0xFE, 0, 1, 0xFF]))
    expect.true("they say so", qf.dtype(encodings.dtype) is element)
    wanted = np.float32([1, 3, 114688, 0, 2.0**-17, np.nan])
    expect.same("and back", qf.cast(encodings, "f32"), wanted)
    loaded = np.uint8([0x78, 0x84, 0xFE, 0, 1, 0xFF])
    expect.same("encodings from elsewhere", qf.cast(loaded.view(element.numpy), "f32"), wanted)
    expect.same("without it they are integers", qf.cast(loaded[:2], "f32"), np.float32([120, 132]))
    scaled = qf.quantize(np.float32([[2, 6, -9, 1]]), encodings[None, :2], axis=1, block_size=2)
    expect.same("a scale", scaled, np.uint8([[2, 6, 0, 0]]))
    q = np.array([[1, -2, 0.5, 4]], ml_dtypes.float4_e2m1fn)
    y = qf.dequantize(q, encodings[None, :2], axis=1, block_size=2, dtype="f32")
    expect.same("of float4", y, np.float32([[1, -2, 1.5, 12]]))
    rounded = qf.qdq(np.float32([1.1, -300, 7]), 1.0, storage="f8E4M3")
    expect.same("f8E4M3, by its name in MLIR", rounded, np.float32([1.125, -240, 7]))


def check_dlpack():
    codes = {
        "float": 2, "float16": 2, "double": 2, "bfloat16": 4, "bool": 6, "float8e4m3fn": 10,
        "float8e4m3fnuz": 11, "float8e5m2": 12, "float8e5m2fnuz": 13, "float8e8m0": 14,
        "float8e3m4": 7, "float8e4m3": 8, "float8e4m3b11fnuz": 9,
    }  # fmt: skip
    for element in qf.DTYPES.values():
        code = codes.get(element.name, 1 if element.name.startswith("u") else 0)
        # DLPack lacks the last type.
        if (element.bits < 8 and element.name != "bool") or element.name == "float8ue5m3":
            continue
        values = np.array([[1, 0, 1], [1, 1, 0]]).astype(element.numpy)
        memory = expect.encodings(values)
        bits = 8 * element.itemsize
        if element.name == "float8e8m0":
            values = values.copy()
        y = qf.cast(foreign.Foreign(memory, code, bits), "f32")
        expect.same(f"DLPack {element}", y, qf.cast(values, "f32"))
        out = np.zeros((2, 3), memory.dtype)
        array = foreign.Foreign(out, code, bits)
        result = qf.cast(values.astype(np.float32), element, out=array)
        expect.true(f"DLPack {element} comes back", result is array)
        expect.same(
            f"DLPack {element} is written",
            out,
            expect.encodings(qf.cast(values.astype(np.float32), element)),
        )
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    y = qf.cast(foreign.Foreign(x, 2, 32, strides=(3, 1)), "f16")
    expect.same("explicit strides", y, x.astype(np.float16))
    y = qf.cast(foreign.Foreign(x, 2, 32, strides=(0, 0), sizes=(1, 1)), "f16")
    expect.same("strides of single elements", y, x[:1, :1].astype(np.float16))
    y = qf.cast(foreign.Foreign(x, 2, 32, sizes=(0, 3), strides=(1, 7)), "f16")
    expect.same("no elements", y, np.empty((0, 3), np.float16))
    y = qf.cast(foreign.Foreign(x, 2, 32, sizes=()), "f16")
    expect.same("rank 0", y, np.array(0, np.float16))
    gc.collect()
    expect.true(f"{len(foreign.alive)} capsules are not released", not foreign.alive)


def check_packed():
    """Two 4-bit elements in a byte, like PyTorch's float4_e2m1fn_x2."""
    x = np.float32([[0.5, -6, 1.5, 2], [4, 0, -0.5, 3]])
    values = qf.cast(x, "float4e2m1")
    memory = qf.pack(values).bytes.reshape(2, 2)
    packed = foreign.Foreign(memory, 17, 4, lanes=2)
    for target in ("cpu", "reference"):
        expect.same(f"input on {target}", qf.cast(packed, "f32", target=target), x)
        out = np.zeros((2, 2), np.uint8)
        array = foreign.Foreign(out, 17, 4, lanes=2)
        expect.true(f"out on {target}", qf.cast(x, "float4e2m1", out=array, target=target) is array)
        expect.same(f"output on {target}", out, memory)
    expect.same("scales", qf.dequantize(packed, 2.0), 2 * x)
    kernel = qf.parse("""func.func @f(%x: tensor<?x4xf4E2M1FN>) -> tensor<?x4xf32> {
      %0 = quant_float.cast %x opset 28 : tensor<?x4xf4E2M1FN> to tensor<?x4xf32>
      return %0 : tensor<?x4xf32>
    }""")
    expect.same("of a kernel with unpacked elements", kernel.compile()(packed), x)
    kernel.run_passes("builtin.module(quant-float-pack-arguments)")
    expect.same("of a kernel with packed elements", kernel.compile()(packed), x)
    back = qf.parse("""func.func @f(%x: tensor<?x4xf32>) -> (tensor<?x4xf4E2M1FN> {quant_float.packed}) {
      %0 = quant_float.cast %x opset 28 : tensor<?x4xf32> to tensor<?x4xf4E2M1FN>
      return %0 : tensor<?x4xf4E2M1FN>
    }""").compile()
    out = np.zeros((2, 2), np.uint8)
    array = foreign.Foreign(out, 17, 4, lanes=2)
    expect.true("out of a kernel", back(x, out=array) is array)
    expect.same("its bytes", out, memory)
    words = "must have one element per byte"
    expect.raises(
        "bytes", TypeError, "have packed elements", lambda: back(x, out=foreign.Foreign(out, 1, 8))
    )
    unpacked = qf.parse("""func.func @f(%x: tensor<?x4xf32>) -> tensor<?x4xf4E2M1FN> {
      %0 = quant_float.cast %x opset 28 : tensor<?x4xf32> to tensor<?x4xf4E2M1FN>
      return %0 : tensor<?x4xf4E2M1FN>
    }""").compile()
    expect.raises("packed", TypeError, words, lambda: unpacked(x, out=array))
    scalar = foreign.Foreign(np.zeros((), np.uint8), 17, 4, lanes=2)
    expect.raises("a scalar", ValueError, "at least one dimension", lambda: qf.cast(scalar, "f32"))
    gc.collect()


def check_as_dlpack():
    """Results of all types, imported again without a copy."""
    for element in qf.DTYPES.values():
        array = np.zeros((2, 3), element.numpy)
        if (element.bits < 8 and element.name != "bool") or element.name == "float8ue5m3":
            expect.raises(
                element.name,
                TypeError,
                "element type of DLPack",
                lambda array=array: qf.as_dlpack(array),
            )
            continue
        exported = qf.as_dlpack(array)
        expect.true(f"{element}: the array", exported.array is array)
        expect.encodings(array)[...] = 1
        got = qf.cast(exported, element)
        expect.same(f"{element}: elements", expect.encodings(got), expect.encodings(array))
        made = qf.cast(np.float32([[1, 0, 1], [0, 1, 1]]), element)
        expect.true(f"{element}: out", qf.cast(made, element, out=exported) is exported)
        expect.same(f"{element}: written", expect.encodings(array), expect.encodings(made))
    if hasattr(np, "from_dlpack"):
        array = np.arange(6, dtype=np.int16)
        expect.true("numpy", np.from_dlpack(qf.as_dlpack(array)).ctypes.data == array.ctypes.data)
    frozen = np.zeros(3, ml_dtypes.float8_e5m2)
    frozen.flags.writeable = False
    exported = qf.as_dlpack(frozen)
    expect.raises(
        "read-only", ValueError, "writable", lambda: qf.cast(frozen, "f8e5m2", out=exported)
    )
    packed = qf.pack(np.array([[1, -2], [3, 4]], ml_dtypes.int4))
    got = qf.cast(qf.as_dlpack(packed), "int32")
    expect.same("packed", got, np.int32([[1, -2], [3, 4]]))
    odd = qf.pack(np.zeros(3, ml_dtypes.int4))
    expect.raises("odd", ValueError, "even last dimension", lambda: qf.as_dlpack(odd))
    six = qf.pack(np.zeros(4, ml_dtypes.float6_e2m3fn))
    expect.raises("six bits", TypeError, "must not be packed", lambda: qf.as_dlpack(six))
    expect.raises("strides", ValueError, "contiguous", lambda: qf.as_dlpack(np.zeros((2, 3)).T))
    expect.raises("a list", TypeError, "must be a numpy array", lambda: qf.as_dlpack([1]))
    expect.true("its text", repr(qf.as_dlpack(np.zeros(1))).startswith("<quant_float.DLPackArray"))


check_out()
check_layouts()
check_copies()
check_numbers()
check_no_copies()
check_encodings()
check_dlpack()
check_packed()
check_as_dlpack()
expect.finish()
