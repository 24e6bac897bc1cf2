# Packed arrays, against numpy with Python's unbounded integers: every type, odd lengths, kernels,
# errors.
# RUN: %python %s
import re

import ml_dtypes
import numpy as np
import quant_float as qf

TYPES = {
    "i4": (ml_dtypes.int4, 4),
    "ui4": (ml_dtypes.uint4, 4),
    "f4E2M1FN": (ml_dtypes.float4_e2m1fn, 4),
    "i2": (ml_dtypes.int2, 2),
    "ui2": (ml_dtypes.uint2, 2),
    "f6E2M3FN": (ml_dtypes.float6_e2m3fn, 6),
    "f6E3M2FN": (ml_dtypes.float6_e3m2fn, 6),
}
random = np.random.default_rng(3)


def expect(condition, message):
    assert condition, message


def expect_error(error, text, function, *arguments, **options):
    try:
        function(*arguments, **options)
    except error as raised:
        expect(text in str(raised), f"expected '{text}', but got '{raised}'")
    else:
        raise AssertionError(f"expected {error.__name__} with '{text}'")


MODEL = """func.func @f(%x: tensor<?x?xT> {quant_float.packed}, %y: tensor<3xT>) -> (tensor<?x?xf32>, tensor<?x?xT> {quant_float.packed}, tensor<3xT> {quant_float.packed}) {
  %0 = quant_float.cast %x opset 28 : tensor<?x?xT> to tensor<?x?xf32>
  return %0, %x, %y : tensor<?x?xf32>, tensor<?x?xT>, tensor<3xT>
}"""
for name, (dtype, bits) in TYPES.items():
    kernel = qf.parse(MODEL.replace("xT>", f"x{name}>")).compile()
    onnx = qf.dtype(dtype).name
    expect(str(kernel.inputs[0]) == f"_: packed {onnx}[?, ?]", kernel.inputs[0])
    expect(kernel.outputs[1].packed and not kernel.inputs[1].packed, kernel)
    for shape in ((3, 5), (1, 1), (0, 4), (2, 64), (7, 13)):
        elements = random.integers(0, 1 << bits, shape, dtype=np.uint8)
        array = elements.view(dtype)
        number = sum(int(element) << bits * at for at, element in enumerate(elements.ravel()))
        wanted = np.frombuffer(number.to_bytes(-(-elements.size * bits // 8), "little"), np.uint8)
        packed = qf.pack(array)
        expect(np.array_equal(packed.bytes, wanted), f"{name} {shape}: {packed}")
        expect(np.array_equal(packed.unpack(), array), f"{name} {shape}: unpack")
        y = random.integers(0, 1 << bits, 3, dtype=np.uint8).view(dtype)
        for given in (packed, array, qf.PackedArray(wanted, qf.dtype(dtype), shape)):
            values, same, others = kernel(given, y)
            expect(np.array_equal(values, array.astype(np.float32)), f"{name} {shape}: values")
            expect(np.array_equal(same.bytes, wanted) and same.shape == shape, f"{name} {shape}")
            expect(np.array_equal(others.bytes, qf.pack(y).bytes), f"{name}: packed by the kernel")
    out = qf.PackedArray(np.zeros(-(-35 * bits // 8), np.uint8), qf.dtype(dtype), (5, 7))
    x = random.integers(0, 1 << bits, (5, 7), dtype=np.uint8).view(dtype)
    given = kernel(x, y, out=(None, out, None))
    expect(given[1] is out and np.array_equal(out.unpack(), x), f"{name}: out")

# Slices that begin anywhere in a byte. There are enough of them for one function that all call.
COUNT = 24
slices = "".join(
    f"""  %s{index} = tensor.extract_slice %x[{index}] [7] [1] : tensor<40xT> to tensor<7xT>
  %{index} = quant_float.cast %s{index} opset 28 : tensor<7xT> to tensor<7xf32>
"""
    for index in range(COUNT)
)
results = ", ".join(f"%{index}" for index in range(COUNT))
types = ", ".join(["tensor<7xf32>"] * COUNT)
SLICES = f"""func.func @f(%x: tensor<40xT> {{quant_float.packed}}) -> ({types}) {{
{slices}  return {results} : {types}
}}"""
for name, (dtype, bits) in TYPES.items():
    module = qf.parse(SLICES.replace("xT>", f"x{name}>"))
    code = module.emit("llvm-dialect").decode()
    called = set(re.findall(r"llvm.call (@shared\.kernel\w*)", code))
    expect(len(called) == 1, f"{name}: calls {called}")
    x = random.integers(0, 1 << bits, 40, dtype=np.uint8).view(dtype)
    for index, values in enumerate(module.compile()(qf.pack(x))):
        wanted = x[index : index + 7].astype(np.float32)
        expect(np.array_equal(values, wanted), f"{name}: slice {index}")

kernel = qf.parse(MODEL.replace("xT>", "xi4>")).compile()
int4, y = qf.dtype("int4"), np.zeros(3, ml_dtypes.int4)
short = qf.PackedArray(np.zeros(7, np.uint8), int4, (3, 5))
expect_error(
    ValueError,
    "input 0 must have 8 bytes of packed int4 of shape (3, 5), but got 7",
    kernel,
    short,
    y,
)
expect_error(ValueError, "must have 8 bytes of packed int4", short.unpack)
whole = qf.PackedArray(np.zeros(8, np.uint8), int4, (3, 5))
expect_error(TypeError, "input 1 must not be packed", kernel, whole, qf.pack(y))
expect_error(
    TypeError,
    "input 0 must have type int4, but got uint4",
    kernel,
    whole._replace(dtype=qf.dtype("uint4")),
    y,
)
expect_error(
    TypeError,
    "input 0 must have its packed elements in a contiguous one-dimensional array of uint8",
    kernel,
    whole._replace(bytes=np.zeros(8, np.int8)),
    y,
)
expect_error(TypeError, "packed elements must have 2, 4 or 6 bits, but got float", qf.pack, np.zeros(3, np.float32))  # fmt: skip
expect_error(
    TypeError,
    "output 1 must be a PackedArray, but got ndarray",
    kernel,
    whole,
    y,
    out=(None, y, None),
)
locked = np.zeros(8, np.uint8)
locked.flags.writeable = False
expect_error(
    ValueError,
    "output 1 must be writable",
    kernel,
    whole,
    y,
    out=(None, whole._replace(bytes=locked), None),
)
expect_error(
    ValueError,
    "input 0 must have shape (?, ?)",
    kernel,
    qf.PackedArray(np.zeros(2, np.uint8), int4, (3,)),
    y,
)
