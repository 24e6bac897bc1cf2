# Arrays of callers: memory is shared, not copied; results go where `out` says; DLPack of every element type; the layouts that
# numpy calls contiguous.
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


def check_out():
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    out = np.empty((3, 4), np.float16)
    expect.true("the array that was given comes back", qf.cast(x, "f16", out=out) is out)
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
    expect.same("no place", kernel(x, out=[None]), x.astype(np.float16))


def check_layouts():
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    wanted = x.astype(np.float16)
    expect.same("a part that is contiguous", qf.cast(x[1], "f16"), wanted[1])
    expect.same("read-only", qf.cast(np.broadcast_to(x, x.shape), "f16"), wanted)
    column = x.reshape(24, 1)[:, ::-1]
    expect.same(
        "strides of one element do not count", qf.cast(column, "f16"), wanted.reshape(24, 1)
    )
    frozen = x.copy()
    frozen.flags.writeable = False
    expect.same("not writable", qf.cast(frozen, "f16"), wanted)
    expect.same("a subclass", qf.cast(np.asmatrix(x[0]), "f16"), wanted[0])
    expect.same(
        "mapped bytes", qf.cast(np.frombuffer(x.tobytes(), np.float32), "f16"), wanted.ravel()
    )


def check_no_copies():
    """A result shows what the input holds at the time of the call, and its object is not kept."""
    x = np.zeros(8, ml_dtypes.bfloat16)
    before = sys.getrefcount(x)
    for value in (1, 2):
        x[...] = value
        expect.same("the memory itself", qf.cast(x, "f32"), np.full(8, value, np.float32))
    expect.true("no reference stays", sys.getrefcount(x) == before)


def check_dlpack():
    codes = {
        "float": 2, "float16": 2, "double": 2, "bfloat16": 4, "bool": 6, "float8e4m3fn": 10,
        "float8e4m3fnuz": 11, "float8e5m2": 12, "float8e5m2fnuz": 13, "float8e8m0": 14,
    }  # fmt: skip
    for element in qf.DTYPES.values():
        code = codes.get(element.name, 1 if element.name.startswith("u") else 0)
        if element.bits < 8 and element.name != "bool":
            continue
        values = np.array([[1, 0, 1], [1, 1, 0]]).astype(element.numpy)
        memory = expect.codes(values)
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
            expect.codes(qf.cast(values.astype(np.float32), element)),
        )
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    y = qf.cast(foreign.Foreign(x, 2, 32, strides=(3, 1)), "f16")
    expect.same("strides that are written out", y, x.astype(np.float16))
    y = qf.cast(foreign.Foreign(x, 2, 32, strides=(0, 0), sizes=(1, 1)), "f16")
    expect.same("strides of single elements", y, x[:1, :1].astype(np.float16))
    y = qf.cast(foreign.Foreign(x, 2, 32, sizes=(0, 3), strides=(1, 7)), "f16")
    expect.same("no elements", y, np.empty((0, 3), np.float16))
    y = qf.cast(foreign.Foreign(x, 2, 32, sizes=()), "f16")
    expect.same("rank 0", y, np.array(0, np.float16))
    gc.collect()
    expect.true(f"{len(foreign.alive)} capsules stay alive", not foreign.alive)


check_out()
check_layouts()
check_no_copies()
check_dlpack()
expect.finish()
