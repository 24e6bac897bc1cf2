"""One case of ../runtime.py: calls the functions that MLIR compiled, and the runtime, and prints
the outcome."""

import ctypes
import os
import re
import sys
import threading
from pathlib import Path

import ml_dtypes
import numpy as np

POINTER, I64, F32 = ctypes.c_void_p, ctypes.c_int64, ctypes.c_float

runtime = ctypes.CDLL(sys.argv[3])
library = ctypes.CDLL(sys.argv[2])
runtime.quantFloatGpuTakeError.restype = ctypes.c_char_p
for name in (
    "mgpuModuleLoad",
    "mgpuModuleGetFunction",
    "mgpuStreamCreate",
    "mgpuEventCreate",
    "mgpuMemAlloc",
):
    getattr(runtime, name).restype = POINTER


def error():
    text = runtime.quantFloatGpuTakeError()
    return text and text.decode()


def call(name, *arguments):
    return getattr(runtime, "mgpu" + name)(*arguments)


class Memref(ctypes.Structure):
    _fields_ = (
        ("base", POINTER),
        ("data", POINTER),
        ("offset", I64),
        ("size", I64),
        ("stride", I64),
    )


def memref(pointer, size, stride=1):
    return Memref(pointer, pointer, 0, size, stride)


def allocate(count):
    return call("MemAlloc", ctypes.c_uint64(count), POINTER(), 0)


def copy(to, source, count):
    stream = call("StreamCreate")
    call("Memcpy", POINTER(to), POINTER(source), ctypes.c_size_t(count), POINTER(stream))
    call("StreamSynchronize", POINTER(stream))
    call("StreamDestroy", POINTER(stream))


def launch(x, encodings, scale, blocks):
    library._mlir_ciface_scale(ctypes.byref(x), ctypes.byref(encodings), F32(scale), I64(blocks))


def scale(seed=1, n=4096, offset=0, short=0):
    """The kernel on device memory. Returns an error, or the number of right elements."""
    x = (np.random.default_rng(seed).standard_normal(n) * 100).astype("f4")
    given, taken = allocate(4 * n + offset), allocate(n - short)
    found = np.zeros(n, "u1")
    if given and taken:
        copy(given + offset, x.ctypes.data, 4 * n)
        launch(memref(given + offset, n), memref(taken, n), 2, n // 1024)
        copy(found.ctypes.data, taken, n - short)
    call("MemFree", POINTER(given), POINTER())
    call("MemFree", POINTER(taken), POINTER())
    if (text := error()) is not None:
        return text
    expected = np.clip(x * 2, -448, 448).astype(ml_dtypes.float8_e4m3fn).view("u1")
    return f"{np.count_nonzero(found == expected)} equal"


def values():
    error()
    print("scale:", scale())
    encodings = np.zeros(1024, "u1")
    device = allocate(encodings.size)
    target = memref(device, encodings.size)
    library._mlir_ciface_constant(ctypes.byref(target), F32(1e9), I64(encodings.size), I64(1))
    copy(encodings.ctypes.data, device, encodings.size)
    assert error() is None
    print(f"constant: {np.count_nonzero(encodings == 126)} encodings of 126")


def threads():
    found = []

    def work(seed):
        error()
        found.extend(scale(seed) for _ in range(5))

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert found == ["4096 equal"] * 20, found
    print("threads: 4 without errors")
    log = Path(os.environ["QUANT_FLOAT_SIMULATOR_LOG"]).read_text()
    print("modules loaded:", len(re.findall("^cuModuleLoadDataEx$", log, re.MULTILINE)))


def devices():
    error()
    for device in (0, 1, 7, 64):
        call("SetDefaultDevice", device)
        print(f"device {device}:", scale())


def context():
    error()
    driver = ctypes.CDLL("libcuda.so.1")
    primary = POINTER()
    driver.cuInit(0)
    driver.cuDevicePrimaryCtxRetain(ctypes.byref(primary), 1)
    driver.cuCtxPushCurrent_v2(primary)
    print("in the caller's context:", scale())
    current = POINTER()
    driver.cuCtxGetCurrent(ctypes.byref(current))
    assert current.value == primary.value


def empty():
    error()
    launch(memref(0, 0), memref(0, 0), 1, 0)
    print("no blocks:", error())


def grid():
    error()
    launch(memref(0, 0), memref(0, 0), 1, 1 << 31)
    print("grid:", error())


def cluster():
    error()
    ptx = b"//\n.version 8.0\n.target sm_90\n.visible .entry scale("
    module = call("ModuleLoad", ptx, ctypes.c_size_t(len(ptx)))
    function = call("ModuleGetFunction", POINTER(module), b"scale")
    n = 4096
    x = np.full(n, 1.0, "f4")
    given, taken = allocate(4 * n), allocate(n)
    copy(given, x.ctypes.data, 4 * n)
    scalars = [
        *map(I64, (given, given, 0, n, 1)),
        *map(I64, (taken, taken, 0, n, 1)),
        ctypes.c_float(1),
    ]
    parameters = (POINTER * len(scalars))(*map(ctypes.addressof, scalars))
    one, stream, event = I64(1), call("StreamCreate"), call("EventCreate")
    other = call("StreamCreate")

    def launch_clusters():
        call("LaunchClusterKernel", POINTER(function), I64(2), one, one, I64(4), one, one, I64(256), one, one, 0, POINTER(stream), parameters, None)  # fmt: skip

    launch_clusters()
    call("EventRecord", POINTER(event), POINTER(stream))
    call("StreamWaitEvent", POINTER(other), POINTER(event))
    found = np.zeros(n, "u1")
    call("Memcpy", POINTER(found.ctypes.data), POINTER(taken), ctypes.c_size_t(n), POINTER(other))
    assert not found.any()
    call("StreamSynchronize", POINTER(other))
    call("EventSynchronize", POINTER(event))
    call("Memset16", POINTER(taken), 0x0101, ctypes.c_size_t(n // 2), POINTER(stream))
    runtime.quantFloatGpuStopTiming.restype = ctypes.c_double
    runtime.quantFloatGpuStartTiming()
    launch_clusters()
    assert runtime.quantFloatGpuStopTiming() > 0
    call("EventDestroy", POINTER(event))
    call("StreamDestroy", POINTER(stream))
    call("StreamDestroy", POINTER(other))
    call("ModuleUnload", POINTER(module))
    assert error() is None
    print(f"cluster: {np.count_nonzero(found == 0x38)} equal")


def misaligned():
    error()
    print("misaligned:", scale(offset=4))


def bounds():
    error()
    print("bounds:", scale(short=4))


def name():
    error()
    ptx = b"//\n.version 8.0\n.target sm_90\n"
    module = call("ModuleLoadJIT", ptx, 2)
    assert call("ModuleGetFunction", POINTER(module), b"nothing") is None
    print("name:", error())
    assert call("ModuleGetFunction", POINTER(), b"nothing") is None
    print("none:", error())
    call("ModuleUnload", POINTER(module))


def of_memrefs():
    error()
    x = np.zeros(16, "f4")
    whole, strided = memref(x.ctypes.data, 16), memref(x.ctypes.data, 8, 2)
    for text, descriptor in (("contiguous", whole), ("strided", strided)):
        call("MemHostRegisterMemRef", I64(1), ctypes.byref(descriptor), I64(4))
        print(f"{text}:", error())
    call("MemHostUnregisterMemRef", I64(1), ctypes.byref(whole), I64(4))
    assert error() is None


def first():
    error()
    found = np.zeros(4096, "u1")
    copy(found.ctypes.data, 8, 4096)
    launch(memref(0, 4096), memref(0, 4096), 1, 1)
    print("first:", error())
    print("again:", error())
    print(f"{np.count_nonzero(found == 0)} bytes untouched")
    print("then:", scale())


def allocation():
    error()
    assert allocate(4096) is None
    print("allocation:", error())


def of_scale():
    error()
    print("scale:", scale())


def without_query():
    print("without_query", flush=True)
    call("StreamCreate")


CASES = {"memref": of_memrefs, "binary": of_scale, "ptx": of_scale, "init": of_scale}
CASES["no_driver"] = of_scale
CASES.get(sys.argv[1], globals().get(sys.argv[1]))()
