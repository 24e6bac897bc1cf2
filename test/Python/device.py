# Kernels on a GPU, in the simulator of a driver: host and device arrays, by DLPack and by
# __cuda_array_interface__, as inputs and outputs; errors of the driver; saving and loading of the
# model.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s prepare %clangxx %cuda_include %obj_root %t
# RUN: %python %s none %t
import os
import pathlib
import subprocess
import sys

import cuda
import expect
import numpy as np
import quant_float as qf

MODEL = """
func.func @cast(%x: tensor<?xf32>) -> tensor<?xf8E4M3FN> {
  %0 = quant_float.cast %x opset 28 : tensor<?xf32> to tensor<?xf8E4M3FN>
  return %0 : tensor<?xf8E4M3FN>
}
func.func @scale(%x: tensor<?x4xf32>, %s: tensor<4xf32>) -> (tensor<?x4xi8>, tensor<?x4xf16>) {
  %0 = quant_float.quantize %x, %s axis 1 opset 28 : tensor<?x4xf32>, tensor<4xf32> to tensor<?x4xi8>
  %1 = quant_float.cast %x opset 28 : tensor<?x4xf32> to tensor<?x4xf16>
  return %0, %1 : tensor<?x4xi8>, tensor<?x4xf16>
}
"""
x = np.linspace(-500, 500, 1003, dtype=np.float32)
rows = np.linspace(-9, 9, 40, dtype=np.float32).reshape(10, 4)
scales = np.float32([0.25, 0.5, 1, 2])


class Cupy:
    """Has only __cuda_array_interface__."""

    def __init__(self, array, **other):
        self.array = array
        self.__cuda_array_interface__ = array.__cuda_array_interface__ | other


class Torch:
    """Has only __dlpack__."""

    def __init__(self, array, device=(2, 0)):
        self.array, self.device = array, device

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)


def prepare(compiler, cuda_include, obj_root, folder):
    folder = pathlib.Path(folder)
    kernels = []
    for name in ("cast", "scale"):
        text = qf.parse(MODEL).emit("llvm-ir", target="nvvm", chip="sm_90", function=name)
        kernels.append(folder / f"{name}.so")
        cuda.build_kernels(text.decode(), kernels[-1], compiler, cuda_include)
    run = [sys.executable, __file__]
    environment = cuda.simulator_environment(obj_root, kernels)
    subprocess.run([*run, "use", folder], env=environment, check=True)
    for call, words in [
        ("cuInit:1:100", "CUDA_ERROR_NO_DEVICE"),
        ("cuMemAlloc_v2:1:2", "CUDA_ERROR_OUT_OF_MEMORY"),
        ("cuLaunchKernel:1:1", "CUDA_ERROR_INVALID_VALUE"),
    ]:
        environment = cuda.simulator_environment(obj_root, kernels, fail=call)
        subprocess.run([*run, "fail", words], env=environment, check=True)


def use(folder):
    cast = qf.compile(qf.parse(MODEL), "cast", target="nvvm")
    expect.true(
        "its target", cast.target == "nvvm" and qf.parse(MODEL).compile("cast").target == "cpu"
    )
    wanted = qf.cast(x, "f8E4M3FN")
    expect.same("host arrays", cast(x), wanted)
    expect.same("strided host arrays", cast(x[::-1]), wanted[::-1].copy())
    expect.same("a list", cast([1.1, 500]), np.array([1.125, 448], wanted.dtype))
    out = np.zeros(1003, wanted.dtype)
    expect.true("a host output", cast(x, out=out) is out)
    expect.same("its values", out, wanted)
    there = qf.to_device(x)
    expect.true(f"{there!r}", repr(there) == "<quant_float.DeviceArray float[1003]>")
    expect.same("to the device and back", there.numpy(), x)
    expect.same("as numpy", np.asarray(there), x)
    for what, given in [("its own", there), ("CUDA's", Cupy(there)), ("DLPack's", Torch(there))]:
        y = cast(given)
        expect.true(f"{what}: {y!r}", isinstance(y, qf.DeviceArray) and y.shape == (1003,))
        expect.same(f"{what}: values", y.numpy(), wanted)
        place = qf.to_device(np.zeros(1003, wanted.dtype))
        expect.true(f"{what}: an output", cast(given, out=place) is place)
        expect.same(f"{what}: an output's values", place.numpy(), wanted)
        expect.true(f"{what}: on the host", cast(given, out=out) is out)
        expect.same(f"{what}: on the host, values", out, wanted)
    place = Torch(qf.to_device(np.zeros(1003, wanted.dtype)))
    expect.true("DLPack's output", cast(x, out=place) is place)
    expect.same("DLPack's output's values", place.array.numpy(), wanted)
    narrow = cast(there)
    expect.true("not a type of CUDA's interface", not hasattr(narrow, "__cuda_array_interface__"))
    expect.same("nothing", cast(qf.to_device(x[:0])).numpy(), wanted[:0])

    scale = qf.compile(qf.parse(MODEL), "scale", target="nvvm")
    quantized, half = qf.parse(MODEL).compile("scale")(rows, scales)
    y, z = scale(qf.to_device(rows), scales)
    expect.same("one input of each", y.numpy(), quantized)
    expect.same("the second output", z.numpy(), half)
    place = np.zeros((10, 4), np.float16)
    y, z = scale(Cupy(qf.to_device(rows)), qf.to_device(scales), out=(None, place))
    expect.true("one output of each", isinstance(y, qf.DeviceArray) and z is place)
    expect.same("their values", y.numpy(), quantized)
    expect.same("of both", z, half)

    for what, kind, words, call in [
        ("a GPU's array for a CPU", TypeError, "", lambda: qf.parse(MODEL).compile("cast")(Cupy(there))),
        ("and by DLPack", ValueError, "in the CPU's memory", lambda: qf.parse(MODEL).compile("cast")(there)),
        ("another type", TypeError, "input 0 must have type float, but got float8e4m3fn", lambda: cast(narrow)),
        ("another GPU", ValueError, "in the memory of GPU 0, but got GPU 1", lambda: cast(Torch(there, (2, 1)))),
        ("strides", ValueError, "contiguous", lambda: cast(Cupy(there, strides=(8,), shape=(500,)))),
        ("a mask", TypeError, "without a mask", lambda: cast(Cupy(there, mask=there))),
        ("complex", TypeError, "element type", lambda: cast(Cupy(there, typestr="<c8"))),
        ("a shape", ValueError, "must have shape", lambda: scale(qf.to_device(rows[0]), scales)),
        ("out read-only", ValueError, "writable", lambda: scale(rows, scales, out=(None, Cupy(qf.to_device(np.float16(rows)), data=(1, True))))),
        ("out of another shape", ValueError, "output 0 must have shape (1003,)", lambda: cast(x, out=qf.to_device(wanted[:9]))),
        ("out is the input", qf.RunError, "overlap", lambda: qf.compile(qf.parse(MODEL.replace("f8E4M3FN", "f32")), "cast", target="nvvm")(there, out=there)),
        ("made by hand", TypeError, "DeviceArray is only created by", lambda: qf.DeviceArray(None, 0)),
        ("a mode of numpy", ValueError, "requires a copy", lambda: np.array(there, copy=False)),
    ]:  # fmt: skip
        expect.raises(what, kind, words, call)
    path = pathlib.Path(folder) / "saved.so"
    saved = qf.compile(qf.parse(MODEL), "cast", target="nvvm", path=path)
    for what, kernel in [("saved", saved), ("loaded", qf.load_kernel(path))]:
        expect.true(f"{what}: its target", kernel.target == "nvvm")
        expect.same(what, kernel(x), wanted)
        expect.same(f"{what}: on the device", kernel(there).numpy(), wanted)


def fail(words):
    """An error of the driver is an exception, and has no other effects."""

    def run():
        qf.compile(qf.parse(MODEL), "cast", target="nvvm", chip="sm_90")(qf.to_device(x))

    error = expect.raises(words, qf.RunError, words, run)
    expect.true(f"{error!r}: {error.status}", error.status == 9)


def none(folder):
    """Without a driver."""
    (pathlib.Path(folder) / "libcuda.so.1").write_text("no library\n")
    environment = os.environ | {"LD_LIBRARY_PATH": folder}
    code = "import quant_float as qf\ntry: qf.to_device([1.0])\nexcept qf.RunError as e: print(e)"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    expect.true(f"{done.stdout}", "no NVIDIA driver" in done.stdout)


{"prepare": prepare, "use": use, "fail": fail, "none": none}[sys.argv[1]](*sys.argv[2:])
expect.finish()
