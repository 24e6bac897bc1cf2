# Misuse of the package: every case is a clear exception and none a crash, and the process computes
# correctly afterward.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %t
import pathlib
import sys
import threading
from functools import partial

import expect
import foreign
import ml_dtypes
import numpy as np
import quant_float as qf

work = pathlib.Path(sys.argv[1])
x = np.linspace(-4, 4, 12, dtype=np.float32).reshape(3, 4)
one = np.float32(0.5)

INVALID = 'func.func @f() -> i8 {\n%0 = "quant_float.constant"() : () -> i8\nreturn %0 : i8\n}'
PLAIN = """
func.func @plain(%x: tensor<3x?xf32>, %s: tensor<?xf32>) -> tensor<3x?xi8> {
  %z = arith.constant dense<0> : tensor<i8>
  %0 = quant_float.quantize %x, %s axis 1 opset 28 : tensor<3x?xf32>, tensor<?xf32> to tensor<3x?xui8>
  %1 = quant_float.cast %0 opset 28 : tensor<3x?xui8> to tensor<3x?xi8>
  return %1 : tensor<3x?xi8>
}
"""
TWO = PLAIN + PLAIN.replace("@plain", "@other").replace(
    "return %1 : tensor<3x?xi8>", "return %1, %0 : tensor<3x?xi8>, tensor<3x?xui8>"
).replace("-> tensor<3x?xi8>", "-> (tensor<3x?xi8>, tensor<3x?xui8>)")


class Raises:
    """Has a __dlpack__ that fails."""

    def __init__(self, error):
        self.error = error

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **_):
        raise self.error


class Strange:
    """Claims to be a DLPack array, but returns another object."""

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **_):
        return 42


class ReadOnly:
    """Read-only numpy memory."""

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **options):
        return read_only().__dlpack__(**options)


def read_only():
    array = np.empty((3, 4), np.float16)
    array.flags.writeable = False
    return array


def overlapping():
    memory = np.zeros(48, np.uint8)
    return memory.view(np.float32).reshape(3, 4), memory[2:26].view(np.float16).reshape(3, 4)


def closed_kernel():
    kernel = qf.parse(PLAIN).compile()
    kernel.close()
    return kernel


def closed_module():
    module = qf.parse(PLAIN)
    module.close()
    return module


def endless():
    items = [1.0]
    items.append(items)
    return items


def masked():
    return np.ma.masked_array(x, x > 0)


kernel = qf.parse(PLAIN).compile()
pair = qf.parse(TWO).compile("other")
module = qf.parse(PLAIN)
scales = np.ones(4, np.float32)
i8 = np.zeros((3, 4), np.int8)

# The case, the exception, a part of its message, the call.
CASES = [
    # no arrays
    ("None", TypeError, "x must be a numpy array or have __dlpack__, or be a number or a list of numbers, but got NoneType", lambda: qf.cast(None, "f16")),
    ("bytes", TypeError, "but got bytes", lambda: qf.cast(b"1.0", "f16")),
    ("bytes", TypeError, "but got bytes", lambda: qf.cast(b"1234", "f16")),
    ("a memoryview", TypeError, "but got memoryview", lambda: qf.cast(memoryview(x), "f16")),
    ("a class", TypeError, "ndarray", lambda: qf.cast(np.ndarray, "f16")),
    ("a masked array", TypeError, "without a mask", lambda: qf.cast(masked(), "f16")),
    ("objects", TypeError, "x: dtype must be an element type", lambda: qf.cast(np.array([None]), "f16")),
    ("complex", TypeError, "complex64", lambda: qf.cast(x.astype(np.complex64), "f16")),
    ("dates", TypeError, "M8", lambda: qf.cast(np.array(["2020"], "M8[Y]"), "f16")),
    ("records", TypeError, "x: dtype", lambda: qf.cast(np.zeros(3, "f4,i4"), "f16")),
    ("void", TypeError, "x: dtype", lambda: qf.cast(np.zeros(3, "V2"), "f16")),
    ("long double", TypeError, "float128", lambda: qf.cast(x.astype(np.longdouble), "f16")),
    ("encodings of an unknown type", TypeError, "dtype must be an element type", lambda: qf.cast(np.zeros(3, np.dtype("u1", metadata={"quant_float": "float9"})), "f16")),
    ("numbers as encodings", TypeError, "zero_point must be an array of encodings for type float8ue5m3", lambda: qf.quantize(x, 1.0, 0.0, dtype="float8ue5m3")),
    ("random bits of another shape", ValueError, "random must have the shape of x, (2, 3), but got (3,)", lambda: qf.cast(np.zeros((2, 3), np.float32), "float8e3m4", round_mode="stochastic", random=np.zeros(3, np.uint8))),
    ("random bits of another shape than a row's", ValueError, "random must have the shape of x, (2, 3), but got (2,)", lambda: qf.quantize(np.zeros((2, 3), np.float32), 1.0, random=np.zeros(2, np.uint8))),
    ("random bits with a sign", qf.ModelError, "random bits must have elements of ui2, ui4, ui8 or ui16, but got 'i8'", lambda: qf.qdq(x, 1.0, storage="i8", random=np.zeros(x.shape, np.int8))),
    ("random bits with an opset", qf.ModelError, "round_mode stochastic requires domain 'quant_float'", lambda: qf.quantize(x, 1.0, opset=28, random=np.zeros(x.shape, np.uint8))),
    ("random bits of signed integers", TypeError, "dtype must be one of uint2, uint4, uint8, uint16, uint32, but got int8", lambda: qf.philox(3, 0, dtype="i8")),
    ("a negative seed", ValueError, "seed must be between 0 and 18446744073709551615, but got -1", lambda: qf.philox(3, -1)),
    ("an offset of 65 bits", ValueError, "offset must be between 0", lambda: qf.philox(3, 0, 2**64)),
    ("a negative size", ValueError, "a size of shape must be between 0", lambda: qf.philox((3, -1), 0)),
    ("no random bits", qf.ModelError, "round_mode stochastic requires random bits", lambda: qf.cast(x, "float8e3m4", round_mode="stochastic")),
    ("an opset of IEEE P3109", ValueError, "opset has no meaning in a conversion of IEEE P3109", lambda: qf.cast(x, "binary8p4se", opset=28)),
    ("a saturate of IEEE P3109", ValueError, "saturate has no meaning in a conversion of IEEE P3109", lambda: qf.cast(x, "f16", rounding="ToOdd", saturate=True)),
    ("another draft", ValueError, "draft must be one of D1, but got 'v4.0'", lambda: qf.cast(x, "binary8p4se", draft="v4.0")),
    ("another rounding", ValueError, "rounding must be one of NearestTiesToEven,", lambda: qf.cast(x, "binary8p4se", rounding="nearest")),
    ("another saturation", ValueError, "saturation must be one of SatFinite, SatPropagate, SatNone, but got 'OvfInf'", lambda: qf.cast(x, "binary8p4se", saturation="OvfInf")),
    ("no random bits of IEEE P3109", qf.ModelError, "StochasticA requires random bits", lambda: qf.cast(x, "binary8p4se", rounding="StochasticA")),
    ("an integer of IEEE P3109", qf.ModelError, "with mode p3109 supports f64, f32, f16, bf16 and the formats of IEEE P3109, but got 'i8'", lambda: qf.cast(x, "i8", rounding="ToOdd")),
    ("a format that IEEE P3109 lacks", TypeError, "but got 'binary8p8se'", lambda: qf.cast(x, "binary8p8se")),
    ("a zero point of IEEE P3109", ValueError, "zero_point has no meaning in a conversion of IEEE P3109", lambda: qf.quantize(x, 1.0, zero_point=np.uint8(1), dtype="binary8p4se")),
    ("a scale that IEEE P3109 lacks", qf.ModelError, "input and scale must have elements of f32, f16, bf16 or a format of IEEE P3109, but got 'f64'", lambda: qf.quantize(x, np.float64(1), dtype="binary8p4se")),
    ("a qdq of IEEE P3109", qf.ModelError, "binary8p4se", lambda: qf.qdq(x, 1.0, storage="binary8p4se")),
    ("an opset for a type that ONNX lacks", qf.ModelError, "is not accepted by Cast-28", lambda: qf.cast(x, "float8e3m4", opset=28)),
    ("int1 of ml_dtypes", TypeError, "int1", lambda: qf.cast(np.zeros(3, ml_dtypes.int1), "f16")),
    # element types
    ("dtype None", TypeError, "dtype must be an element type of ONNX tensors, but got None", lambda: qf.cast(x, None)),
    ("dtype True", TypeError, "but got True", lambda: qf.cast(x, True)),
    ("dtype 0", TypeError, "but got 0", lambda: qf.cast(x, 0)),
    ("dtype -1", TypeError, "but got -1", lambda: qf.cast(x, -1)),
    ("dtype 2**70", TypeError, "element type", lambda: qf.cast(x, 2**70)),
    ("an unknown name", TypeError, "but got 'f8'", lambda: qf.cast(x, "f8")),
    ("an empty name", TypeError, "but got ''", lambda: qf.cast(x, "")),
    ("a class", TypeError, "Strange", lambda: qf.cast(x, Strange)),
    ("a list", TypeError, "but got []", lambda: qf.cast(x, [])),
    ("complex", TypeError, "complex", lambda: qf.cast(x, np.complex64)),
    ("big-endian dtype", ValueError, "machine's byte order, but got >f2", lambda: qf.cast(x, np.dtype(">f2"))),
    # numbers and lists
    ("lists of other lengths", ValueError, "x must have lists of equal lengths and nesting, but got [1, 2] as an element", lambda: qf.cast([[1, 2], [3]], "f16")),
    ("a list in a list of numbers", ValueError, "x must have lists of equal lengths", lambda: qf.cast([1, [2]], "f16")),
    ("a list of None", TypeError, "x must contain numbers, but got None", lambda: qf.quantize([None], 1)),
    ("a list of complex numbers", TypeError, "x must contain numbers, but got 1j", lambda: qf.cast([1j], "f16")),
    ("a list of itself", ValueError, "", lambda: qf.cast(endless(), "f16")),
    ("a list of 2**70", TypeError, "x: dtype must be an element type", lambda: qf.cast([2**70], "f16")),
    ("a list out of range", ValueError, "zero_point must be a value of type int8, but got 300", lambda: qf.quantize(x, scales, [0, 0, 300, 0], dtype="i8", axis=1)),
    ("a list of 10**400", ValueError, "a number of 1329 bits", lambda: qf.quantize([10**400, 1.0], 1)),
    # outputs
    ("out of another type", TypeError, "out must have type float16, but got float", lambda: qf.cast(x, "f16", out=x.copy())),
    ("out of another shape", ValueError, "out must have shape (3, 4), but got (4, 3)", lambda: qf.cast(x, "f16", out=np.empty((4, 3), np.float16))),
    ("out of another rank", ValueError, "out must have shape (3, 4), but got (12,)", lambda: qf.cast(x, "f16", out=np.empty(12, np.float16))),
    ("out read-only", ValueError, "out must be writable", lambda: qf.cast(x, "f16", out=read_only())),
    ("out backwards", ValueError, "out must be contiguous", lambda: qf.cast(x, "f16", out=np.empty((3, 4), np.float16)[::-1])),
    ("out of other strides by DLPack", ValueError, "out must be contiguous", lambda: qf.cast(x, "f32", out=foreign.Foreign(x.copy(), 2, 32, strides=(1, 3)))),
    ("out a tuple", TypeError, "out must be a numpy array", lambda: qf.cast(x, "f16", out=(1.0,))),
    ("out not contiguous", ValueError, "out must be contiguous", lambda: qf.cast(x, "f16", out=np.empty((4, 3), np.float16).T)),
    ("out big-endian", ValueError, "out: dtype", lambda: qf.cast(x, "f16", out=np.empty((3, 4), ">f2"))),
    ("out a list", TypeError, "out must be a numpy array", lambda: qf.cast(x, "f16", out=[])),
    ("out a number", TypeError, "but got float", lambda: qf.cast(x, "f16", out=1.0)),
    ("out a scalar", TypeError, "but got float16", lambda: qf.cast(one, "f16", out=np.float16(1))),
    ("out masked", TypeError, "without a mask", lambda: qf.cast(x, "f32", out=masked())),
    ("out is x", qf.RunError, "overlap", lambda: qf.cast(x, "f32", out=x)),
    ("out is x of the Reference", qf.RunError, "cast: output 0: overlaps input 0", lambda: qf.cast(x, "f32", out=x, target="reference")),
    ("out overlaps x of the Reference", qf.RunError, "overlaps input 0", lambda: (lambda pair: qf.cast(pair[0], "f16", out=pair[1], target="reference"))(overlapping())),
    ("threads of the Reference", ValueError, "threads must be between 0 and 4096, but got -1", lambda: qf.cast(x, "f16", target="reference", threads=-1)),
    ("out overlaps x", qf.RunError, "overlap", lambda: (lambda pair: qf.cast(pair[0], "f16", out=pair[1]))(overlapping())),
    # DLPack
    ("another device", ValueError, "in the CPU's memory, but got DLPack device 2", lambda: qf.cast(foreign.Foreign(x, 2, 32, device=2), "f16")),
    ("lanes", ValueError, "several lanes", lambda: qf.cast(foreign.Foreign(x, 2, 32, lanes=2), "f16")),
    ("complex", TypeError, "DLPack type 5 of 64 bits", lambda: qf.cast(foreign.Foreign(x, 5, 64, sizes=(3, 2)), "f16")),
    ("packed float4", TypeError, "DLPack type 17 of 4 bits", lambda: qf.cast(foreign.Foreign(x, 17, 4), "f16")),
    ("packed int4", TypeError, "DLPack type 0 of 4 bits", lambda: qf.cast(foreign.Foreign(x, 0, 4), "f16")),
    ("an unknown type", TypeError, "DLPack type 99 of 8 bits", lambda: qf.cast(foreign.Foreign(x, 99, 8), "f16")),
    ("it raises BufferError", ValueError, "x must be a DLPack array", lambda: qf.cast(Raises(BufferError("no")), "f16")),
    ("it raises ValueError", ValueError, "x must be a DLPack array", lambda: qf.cast(Raises(ValueError("no")), "f16")),
    ("no capsule", ValueError, "x must be a DLPack array: its __dlpack__ does not return an array", lambda: qf.cast(Strange(), "f16")),
    ("long double", TypeError, "DLPack type 2 of 128 bits", lambda: qf.cast(foreign.Foreign(x, 2, 128, sizes=(3,)), "f16")),
    ("out read-only", ValueError, "out must be a writable DLPack array: it is read-only", lambda: qf.cast(x, "f16", out=ReadOnly())),
    ("many dimensions", ValueError, "", lambda: qf.cast(foreign.Foreign(x, 2, 32, sizes=(1,) * 100), "f16")),
    ("out of another type", TypeError, "out must have type float16", lambda: qf.cast(x, "f16", out=foreign.Foreign(x.copy(), 2, 32))),
    # attributes of cast
    ("saturate 1", TypeError, "saturate must be True, False or None, but got 1", lambda: qf.cast(x, "f8e4m3", saturate=1)),
    ("saturate 'no'", TypeError, "but got 'no'", lambda: qf.cast(x, "f8e4m3", saturate="no")),
    ("round_mode", ValueError, "round_mode must be one of up, down, nearest, stochastic, but got 'even'", lambda: qf.cast(x, "f8e8m0", round_mode="even")),
    ("round_mode 1", TypeError, "round_mode must be a string, but got 1", lambda: qf.cast(x, "f8e8m0", round_mode=1)),
    ("opset 0", qf.ModelError, "opset", lambda: qf.cast(x, "f16", opset=0)),
    ("opset -5", qf.ModelError, "opset", lambda: qf.cast(x, "f16", opset=-5)),
    ("opset 29", qf.ModelError, "but got 29", lambda: qf.cast(x, "f16", opset=29)),
    ("opset 2**64", ValueError, "opset must be between", lambda: qf.cast(x, "f16", opset=2**64)),
    ("opset '19'", TypeError, "opset must be an integer, but got '19'", lambda: qf.cast(x, "f16", opset="19")),
    ("opset 19.0", TypeError, "but got 19.0", lambda: qf.cast(x, "f16", opset=19.0)),
    ("an old opset", qf.ModelError, "is not accepted by Cast-13", lambda: qf.cast(x, "f8e4m3", opset=13)),
    ("an attribute of later", qf.ModelError, "saturate", lambda: qf.cast(x, "f16", opset=13, saturate=True)),
    ("target", ValueError, "target must be one of cpu, reference, but got 'gpu'", lambda: qf.cast(x, "f16", target="gpu")),
    ("target None", TypeError, "target must be a string", lambda: qf.cast(x, "f16", target=None)),
    ("threads -1", ValueError, "threads must be between 0 and 4096, but got -1", lambda: qf.cast(x, "f16", threads=-1)),
    ("threads 1.0", TypeError, "threads must be an integer", lambda: qf.cast(x, "f16", threads=1.0)),
    ("an unknown name", TypeError, "unexpected keyword", lambda: qf.cast(x, "f16", saturates=True)),
    ("no dtype", TypeError, "dtype", lambda: qf.cast(x)),
    # quantization
    ("no scale", TypeError, "scale", lambda: qf.quantize(x)),
    ("scale None", TypeError, "scale must be a numpy array", lambda: qf.quantize(x, None)),
    ("scale a string", TypeError, "scale must be a numpy array", lambda: qf.quantize(x, "1")),
    ("scale far out", ValueError, "scale must be representable as a double, but got a number of 1329 bits", lambda: qf.quantize(x, 10**400)),
    ("scale of integers", qf.ModelError, "scale", lambda: qf.quantize(x, np.int8(1))),
    ("scale of four without axis", ValueError, "scale must be one value if there is no axis, but got shape (4,)", lambda: qf.quantize(x, scales)),
    ("scale of rank 2", ValueError, "scale must be one value", lambda: qf.quantize(x, np.ones((1, 1), np.float32))),
    ("scale of no elements", ValueError, "scale must be one value", lambda: qf.quantize(x, np.ones(0, np.float32))),
    ("scale of another length", ValueError, "scale must have shape (3,), but got (4,)", lambda: qf.quantize(x, scales, axis=0)),
    ("axis 2", ValueError, "axis must be in [-2, 1], but got 2", lambda: qf.quantize(x, scales, axis=2)),
    ("axis -3", ValueError, "but got -3", lambda: qf.quantize(x, scales, axis=-3)),
    ("axis of rank 0", ValueError, "axis must be in [0, -1]", lambda: qf.quantize(one, scales, axis=0)),
    ("axis '1'", TypeError, "axis must be an integer", lambda: qf.quantize(x, scales, axis="1")),
    ("axis True", TypeError, "axis must be an integer", lambda: qf.quantize(x, scales, axis=True)),
    ("block_size alone", ValueError, "block_size requires an axis", lambda: qf.quantize(x, one, block_size=2)),
    ("block_size 0", ValueError, "block_size must be 1 or more, but got 0", lambda: qf.quantize(x, x, axis=1, block_size=0)),
    ("block_size -1", ValueError, "but got -1", lambda: qf.quantize(x, x, axis=1, block_size=-1)),
    ("scale of blocks", ValueError, "scale must have shape (3, 2), but got (4,)", lambda: qf.quantize(x, scales, axis=1, block_size=2)),
    ("zero point of another type", TypeError, "zero_point must have type int8, but got uint8", lambda: qf.quantize(x, one, np.uint8(0), dtype="i8")),
    ("zero point of another shape", ValueError, "zero_point must have the shape of scale, (4,), but got (3,)", lambda: qf.quantize(x, scales, np.zeros(3, np.int8), axis=1)),
    ("zero point out of range", ValueError, "zero_point must be a value of type int8, but got 200", lambda: qf.quantize(x, one, 200, dtype="i8")),
    ("zero point between", ValueError, "but got 1.5", lambda: qf.quantize(x, one, 1.5, dtype="i8")),
    ("zero point far out", ValueError, "zero_point must be", lambda: qf.quantize(x, one, 10**30, dtype="i8")),
    ("zero point NaN", ValueError, "zero_point must be", lambda: qf.quantize(x, one, float("nan"), dtype="i8")),
    ("a result that none has", qf.ModelError, "f32", lambda: qf.quantize(x, one, dtype="f32")),
    ("doubles", qf.ModelError, "f64", lambda: qf.quantize(x.astype(float), 0.5)),
    ("precision", qf.ModelError, "precision", lambda: qf.quantize(x, one, precision="i8")),
    ("storage missing", TypeError, "storage", lambda: qf.qdq(x, one)),
    ("storage None", TypeError, "dtype must be", lambda: qf.qdq(x, one, storage=None)),
    ("zero point of dequantize", TypeError, "zero_point must have type int8", lambda: qf.dequantize(i8, one, np.uint8(1))),
    ("floats dequantized", qf.ModelError, "f32", lambda: qf.dequantize(x, one)),
    ("dequantize to integers", qf.ModelError, "i8", lambda: qf.dequantize(i8, one, dtype="i8")),
    # fakeconvert
    ("a scale that would grow x", ValueError, "scale must broadcast to shape (3, 4), but got (1, 3, 4)", lambda: qf.fakeconvert(x, np.ones((1, 3, 4), np.float32))),
    ("a scale that does not broadcast", ValueError, "but got (3,)", lambda: qf.fakeconvert(x, np.ones(3, np.float32))),
    ("a shift of another shape", ValueError, "shift must have the shape of scale", lambda: qf.fakeconvert(x, scales, np.ones(3, np.float32))),
    ("a scale of another type", TypeError, "scale must have type float, but got float16", lambda: qf.fakeconvert(x, np.float16(1))),
    ("a shift of another type", TypeError, "shift must have type float", lambda: qf.fakeconvert(x, one, np.float64(1))),
    ("mode", ValueError, "mode must be one of exact, openvino", lambda: qf.fakeconvert(x, one, mode="fast")),
    ("to float16", qf.ModelError, "f16", lambda: qf.fakeconvert(x, one, dtype="f16")),
    ("of integers", qf.ModelError, "i8", lambda: qf.fakeconvert(i8, np.int8(1))),
    ("opset 16", qf.ModelError, "opset", lambda: qf.fakeconvert(x, one, opset=16)),
    # kernels
    ("too few inputs", TypeError, "plain takes 2 inputs, but got 1", lambda: kernel(x)),
    ("too many", TypeError, "but got 3", lambda: kernel(x, scales, x)),
    ("none", TypeError, "but got 0", lambda: kernel()),
    ("another order", ValueError, "input 0 must have shape (3, ?), but got (4,)", lambda: kernel(scales, x)),
    ("another type", TypeError, "input 0 must have type float, but got double", lambda: kernel(x.astype(float), scales)),
    ("another rank", ValueError, "input 0 must have shape (3, ?)", lambda: kernel(x[None], scales)),
    ("another size", ValueError, "but got (2, 4)", lambda: kernel(x[:2], scales)),
    ("sizes that do not fit", qf.RunError, "", lambda: kernel(x, scales[:2])),
    ("input None", TypeError, "input 1 must be a numpy array", lambda: kernel(x, None)),
    ("out of two", TypeError, "plain has 1 outputs, but out has 2 arrays", lambda: kernel(x, scales, out=[None, None])),
    ("out of none", TypeError, "but out has 0 arrays", lambda: kernel(x, scales, out=())),
    ("an array for two", TypeError, "out must be a sequence of 2 arrays, but got ndarray", lambda: pair(x, scales, out=i8)),
    ("out of another shape", ValueError, "output 0 must have shape (3, 4), but got (3, 5)", lambda: kernel(x, scales, out=np.empty((3, 5), np.int8))),
    ("out of another type", TypeError, "output 0 must have type int8", lambda: kernel(x, scales, out=i8.view(np.uint8))),
    ("outputs that overlap", qf.RunError, "overlap", lambda: pair(x, scales, out=[i8, i8.view(np.uint8)])),
    ("a name", TypeError, "keyword", lambda: kernel(x, s=scales)),
    ("closed", ValueError, "the kernel is closed", lambda: closed_kernel()(x, scales)),
    ("closed twice", type(None), "", lambda: closed_kernel().close()),
    ("made by hand", TypeError, "a Kernel is only created by compile", lambda: qf.Kernel(None, 0)),
    ("native", TypeError, "", lambda: type(kernel._native)()),
    ("an entry", ValueError, "", lambda: qf.Kernel(kernel._native, 9)),
    # modules
    ("no MLIR", qf.ModelError, "", lambda: qf.parse("no module at all")),
    ("half of one", qf.ModelError, "", lambda: qf.parse(PLAIN[:200])),
    (
        "bytecode of what is not valid",
        qf.ModelError,
        "requires attribute 'value'",
        lambda: qf.parse(INVALID, verify=False).bytecode,
    ),
    ("half of bytecode", qf.ModelError, "", lambda: qf.parse(module.bytecode[:100])),
    ("not UTF-8", qf.ModelError, "", lambda: qf.parse(b"\xff\xfe\xfd")),
    ("source None", TypeError, "source must be bytes, but got NoneType", lambda: qf.parse(None)),
    ("source a number", TypeError, "but got int", lambda: qf.parse(7)),
    ("name None", TypeError, "name must be a string", lambda: qf.parse(PLAIN, name=None)),
    ("name with zeros", ValueError, "must not contain null characters", lambda: qf.parse(PLAIN, name="a\0b")),
    ("an op that is wrong", qf.ModelError, "axis", lambda: qf.parse(PLAIN.replace("axis 1", "axis 7"))),
    ("no file", OSError, "", lambda: qf.load(work / "none.onnx")),
    ("a folder", OSError, "", lambda: qf.load(work)),
    ("another suffix", (OSError, ValueError), "", lambda: qf.load(write("model.txt", b""))),
    ("an empty file", qf.ModelError, "", lambda: qf.load(write("empty.onnx", b"\x80"))),
    ("a path that is none", TypeError, "path must be a string or a path, but got int", lambda: qf.load(3)),
    ("path None", TypeError, "but got NoneType", lambda: qf.load(None)),
    ("an empty path", ValueError, "path must be a file name", lambda: qf.load("")),
    ("a path with zeros", ValueError, "path must be a file name", lambda: qf.load("a\0.onnx")),
    ("no ONNX", qf.ModelError, "", lambda: qf.import_onnx(b"\xff" * 10)),
    ("ONNX None", TypeError, "source must be bytes", lambda: qf.import_onnx(None)),
    ("no such ONNX", OSError, "", lambda: qf.import_onnx(work / "none.bin")),
    ("no XML", qf.ModelError, "", lambda: qf.import_openvino(b"<net")),
    ("weights that are none", TypeError, "weights must be", lambda: qf.import_openvino(b"<net/>", 7)),
    ("mode", ValueError, "fakeconvert_mode must be one of", lambda: qf.parse(PLAIN, fakeconvert_mode="fast")),
    ("mode 1", TypeError, "fakeconvert_mode must be a string", lambda: qf.parse(PLAIN, fakeconvert_mode=1)),
    ("progress", TypeError, "progress must be callable, but got int", lambda: module.compile(progress=3)),
    ("cpu", (qf.CompileError, ValueError), "nonesuch", lambda: module.compile(cpu="nonesuch")),
    ("cpu None", TypeError, "cpu must be a string", lambda: module.compile(cpu=None)),
    ("level 4", ValueError, "optimization_level must be between 0 and 3, but got 4", lambda: module.compile(optimization_level=4)),
    ("level 'fast'", TypeError, "optimization_level must be an integer", lambda: module.compile(optimization_level="fast")),
    ("threads 5000", ValueError, "threads must be between 0 and 4096", lambda: module.compile(threads=5000)),
    ("accumulation", ValueError, "accumulation must be one of ordered, reassociate, but got 'any'", lambda: module.compile(accumulation="any")),
    ("activations", ValueError, "activations must be one of float, int16, int8, but got 'f16'", lambda: module.compile(activations="f16")),
    ("accumulation None", TypeError, "accumulation must be a string, but got None", lambda: module.compile(accumulation=None)),
    ("a function", ValueError, "function must be one of plain, but got 'none'", lambda: module.compile("none")),
    ("one of two", ValueError, "function must be one of plain, other, but got None", lambda: qf.parse(TWO).compile()),
    ("function 1", TypeError, "function must be a string", lambda: module.compile(1)),
    ("no functions", ValueError, "function must be one of none, but got None", lambda: qf.parse("module {}").compile()),
    ("an empty module", qf.ModelError, "expected MLIR, but the input is empty", lambda: qf.parse("")),
    ("kind", ValueError, "kind must be one of mlir", lambda: module.emit("exe")),
    ("shared to memory", qf.CompileError, "must be written to a file", lambda: module.emit("shared")),
    ("a target", ValueError, "target must be one of cpu, nvvm", lambda: module.emit("asm", target="tpu")),
    ("a triple", (qf.CompileError, ValueError), "", lambda: module.emit("asm", triple="nonesuch-none")),
    ("a chip", (qf.CompileError, ValueError), "", lambda: module.emit("ptx", target="nvvm", chip="sm_1")),
    ("a folder that is not there", OSError, "", lambda: module.emit("obj", work / "none" / "a.o")),
    ("evaluate", TypeError, "plain takes 2 inputs, but got 1", lambda: module.evaluate(x)),
    ("evaluate a type", TypeError, "input 0 must have type float", lambda: module.evaluate(i8, scales)),
    ("evaluate sizes", qf.RunError, "", lambda: module.evaluate(x, scales[:2])),
    ("passes", ValueError, "pipeline cannot be parsed", lambda: qf.parse(PLAIN).run_passes("builtin.module(")),
    ("bind another", ValueError, "there is no input 'none' to bind", lambda: module.bind_input("none", x)),
    ("bind a number", TypeError, "name must be a string", lambda: module.bind_input(1, x)),
    ("passes None", TypeError, "pipeline must be a string", lambda: module.run_passes(None)),
    ("opset of check", ValueError, "opset must be between 1 and 28, but got 29", lambda: module.check(29)),
    ("opset 'none'", TypeError, "opset must be", lambda: module.check("none")),
    ("a model that is none", TypeError, "model must be a Module, a path or an onnx.ModelProto, but got list", lambda: qf.compile([])),
    ("check None", TypeError, "but got NoneType", lambda: qf.check(None)),
    ("made by hand", TypeError, "Module is only created by", lambda: qf.Module(None)),
    *(
        (f"closed: {name}", ValueError, "the module is closed", partial(call, closed_module()))
        for name, call in {
            "text": lambda m: m.text,
            "bytecode": lambda m: m.bytecode,
            "functions": lambda m: m.functions,
            "verify": lambda m: m.verify(),
            "check": lambda m: m.check(),
            "passes": lambda m: m.run_passes("builtin.module()"),
            "compile": lambda m: m.compile(),
            "emit": lambda m: m.emit("asm"),
            "evaluate": lambda m: m.evaluate(x, scales),
        }.items()
    ),
    # opsets
    ("an op", ValueError, "op must be one of", lambda: qf.opsets.versions("Relu")),
    ("op None", TypeError, "op must be a string, but got None", lambda: qf.opsets.versions(None)),
    ("a role", ValueError, "role must be one of", lambda: qf.opsets.accepts_type("Cast", 13, "output", "f32")),
    ("an attribute", ValueError, "attribute must be one of", lambda: qf.opsets.accepts_attribute("Cast", 13, "to")),
    ("an opset", TypeError, "opset must be an integer", lambda: qf.opsets.resolve_version("Cast", "13")),
    ("a type", TypeError, "dtype must be", lambda: qf.opsets.accepts_type("Cast", 13, "input", "f7")),
    ("max_size 0", ValueError, "max_size must be 1 or more, but got 0", lambda: qf.kernel_cache.resize(0)),
    ("max_size '1'", TypeError, "max_size must be an integer", lambda: qf.kernel_cache.resize("1")),
]  # fmt: skip


def write(name, data):
    (work / name).write_bytes(data)
    return work / name


def check(what, kind, words, function):
    if kind is type(None):
        function()
        return
    kinds = kind if isinstance(kind, tuple) else (kind,)
    try:
        result = function()
    except Exception as error:
        # The exact class, or a subclass that the system has for such files.
        fits = type(error) in kinds or (OSError in kinds and isinstance(error, OSError))
        expect.true(f"{what}: {error!r}", fits and words in str(error) and str(error))
        return
    expect.true(f"{what}: no exception but {result!r}", False)


for case in CASES:
    check(*case)
expect.true(f"{len(CASES)} cases", len(CASES) >= 100)

# Threads close kernels and modules that others use.
for _ in range(20):
    shared = qf.parse(PLAIN)
    victim = shared.compile()
    errors = []

    def use(shared=shared, victim=victim, errors=errors):
        try:
            for _ in range(20):
                victim(x, scales)
                shared.functions  # noqa: B018
        except ValueError as closed:
            errors.append(str(closed))

    threads = [threading.Thread(target=use) for _ in range(3)]
    for thread in threads:
        thread.start()
    victim.close()
    shared.close()
    for thread in threads:
        thread.join()
    expect.true(f"{errors}", all("is closed" in error for error in errors))

expect.same("computes afterward", qf.cast(x, "f16"), x.astype(np.float16))
expect.same("and the kernel", kernel(x, scales), np.clip(np.rint(x), 0, 255).astype(np.int8))
print(f"{len(CASES)} cases of misuse")
expect.finish()
