# A shared library of entry points whose kernels run on a GPU, as an embedder uses it: called with
# device memory, from several threads, and without a driver.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %clangxx %cuda_include %obj_root %t
import ctypes
import os
import subprocess
import sys
import threading
from pathlib import Path

import cuda
import gpu_models
import ml_dtypes
import numpy as np

F32, FLOAT8E4M3FN, DEVICE_ERROR = 1, 17, 9


class Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("sizes", ctypes.POINTER(ctypes.c_int64)),
        ("rank", ctypes.c_int32),
        ("dtype", ctypes.c_int32),
    )


def tensor(address, size, dtype):
    return Tensor(address, (ctypes.c_int64 * 1)(size), 1, dtype)


def call(library, given, taken, size):
    error = ctypes.create_string_buffer(512)
    x, y = tensor(given, size, F32), tensor(taken, size, FLOAT8E4M3FN)
    status = library.cast_f32_f8E4M3FN(ctypes.byref(x), ctypes.byref(y), error, ctypes.c_size_t(512))  # fmt: skip
    return status, error.value.decode()


def embed(path):
    """The embedder's own process, which manages device memory itself."""
    library, driver = ctypes.CDLL(path), ctypes.CDLL("libcuda.so.1")
    context = ctypes.c_void_p()
    driver.cuInit(0)
    driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    found = []

    def work(seed):
        driver.cuCtxPushCurrent_v2(context)
        size = 1000 + seed
        values = (np.random.default_rng(seed).standard_normal(size) * 100).astype("f4")
        given, taken = ctypes.c_uint64(), ctypes.c_uint64()
        driver.cuMemAlloc_v2(ctypes.byref(given), ctypes.c_size_t(4 * size))
        driver.cuMemAlloc_v2(ctypes.byref(taken), ctypes.c_size_t(size))
        driver.cuMemcpyHtoD_v2(given, ctypes.c_void_p(values.ctypes.data), ctypes.c_size_t(4 * size))  # fmt: skip
        driver.cuStreamSynchronize(None)
        encodings = np.zeros(size, "u1")
        for _ in range(5):
            status, text = call(library, given.value, taken.value, size)
            driver.cuMemcpyDtoH_v2(
                ctypes.c_void_p(encodings.ctypes.data), taken, ctypes.c_size_t(size)
            )
            expected = np.clip(values, -448, 448).astype(ml_dtypes.float8_e4m3fn).view("u1")
            found.append((status, text, bool((encodings == expected).all())))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # Invalid arguments are reported before anything runs.
    print(found == [(0, "", True)] * 15, call(library, None, 8, 4))


def without_driver(path):
    print(call(ctypes.CDLL(path), 4096, 8192, 16))


def main(tools, compiler, cuda_include, obj_root, folder):
    tools, folder, failures = Path(tools), Path(folder), []
    (folder / "model.mlir").write_text(gpu_models.cast("f32", "f8E4M3FN"))
    on = ("--target", "nvvm", "--chip", "sm_90")
    for output, emit in (("model.so", "shared"), ("device.ll", "llvm-ir")):
        subprocess.run(
            [tools / "quant-float-compile", folder / "model.mlir", "-o", folder / output, *on, "--emit", emit],
            check=True,
        )  # fmt: skip
    cuda.build_kernels(
        (folder / "device.ll").read_text(), folder / "kernels.so", compiler, cuda_include
    )

    def expect(what, environment, said):
        result = subprocess.run(
            [sys.executable, __file__, what, folder / "model.so"], env=environment, capture_output=True, text=True, check=False
        )  # fmt: skip
        if result.returncode or not result.stdout.startswith(said) or result.stderr:
            failures.append(f"{what}: exit code {result.returncode}: {result.stdout}{result.stderr}")  # fmt: skip

    simulated = cuda.simulator_environment(obj_root, [folder / "kernels.so"])
    expect("embed", simulated, "True (1, \"cast_f32_f8E4M3FN: input 0 'x'")
    (folder / "no-driver").mkdir()
    (folder / "no-driver/libcuda.so.1").write_text("no library\n")
    expect(
        "without_driver",
        dict(os.environ, LD_LIBRARY_PATH=str(folder / "no-driver")),
        f"({DEVICE_ERROR}, 'cast_f32_f8E4M3FN: no NVIDIA driver: cannot load ",
    )
    return "\n".join(failures) if failures else 0


if __name__ == "__main__":
    CASES = {"embed": embed, "without_driver": without_driver}
    sys.exit(CASES.get(sys.argv[1], main)(*sys.argv[1 + (sys.argv[1] in CASES) :]))
