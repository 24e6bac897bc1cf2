# Compiled code on disk: other processes find it; the key contains model, options and compiler;
# files are complete at any time, the size is bounded, and failures of the cache are no errors.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %t
import os
import pathlib
import subprocess
import sys
import time

import expect
import numpy as np
import quant_float as qf
from quant_float import _disk

work = pathlib.Path(sys.argv[1])
x = np.linspace(-9, 9, 64, dtype=np.float32)
MODEL = """
func.func @cast(%x: tensor<?xf32>) -> tensor<?x{to}> {{
  %0 = quant_float.cast %x opset 28 : tensor<?xf32> to tensor<?x{to}>
  return %0 : tensor<?x{to}>
}}
"""
USE = """
import sys
import numpy as np
import quant_float as qf
x = np.linspace(-9, 9, 64, dtype=np.float32)
told = []
module = qf.parse(sys.argv[1])
y = module.compile(progress=lambda stage, *_: told.append(stage))(x)
z = qf.qdq(x, 0.5, storage="i8")
assert (y == x.astype(np.float16)).all() and (z == np.rint(x / 0.5) * 0.5).all()
info = qf.disk_cache.info()
print(info.hits, info.misses, bool(told), qf.disk_cache.folder)
"""


def start(**environment):
    command = [sys.executable, "-W", "always", "-c", USE, MODEL.format(to="f16")]
    return subprocess.Popen(
        command, env=os.environ | environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )  # fmt: skip


def use(**environment):
    process = start(**environment)
    told, errors = process.communicate(timeout=120)
    expect.true(f"{environment}: {errors[-400:]}", process.returncode == 0)
    return told.strip(), errors


def check_processes():
    home = str(work / "xdg")
    told, _ = use(XDG_CACHE_HOME=home)
    expect.true(
        f"disabled by default: {told}", told == "0 0 True None" and not os.path.exists(home)
    )
    folder = pathlib.Path(home) / "quant-float"
    told, _ = use(XDG_CACHE_HOME=home, QUANT_FLOAT_CACHE="1")
    expect.true(f"first: {told}", told == f"0 2 True {folder}")
    names = sorted(path.name for path in folder.iterdir())
    expect.true(f"two libraries: {names}", [path[-3:] for path in names] == [".so"] * 2)
    expect.true("nobody else's", folder.stat().st_mode & 0o777 == 0o700)
    told, _ = use(XDG_CACHE_HOME=home, QUANT_FLOAT_CACHE="on")
    expect.true(f"second: {told}", told == f"2 0 False {folder}")
    for path in folder.iterdir():
        path.write_bytes(path.read_bytes()[:100])
    told, _ = use(XDG_CACHE_HOME=home, QUANT_FLOAT_CACHE="1")
    expect.true(f"damaged: {told}", told == f"0 2 True {folder}")
    told, _ = use(XDG_CACHE_HOME=home, QUANT_FLOAT_CACHE="1")
    expect.true(f"mended: {told}", told == f"2 0 False {folder}")
    told, _ = use(XDG_CACHE_HOME="relative", HOME=str(work / "home"), QUANT_FLOAT_CACHE="1")
    expect.true(f"{told}", told == f"0 2 True {work / 'home/.cache/quant-float'}")
    other = work / "other"
    processes = [start(QUANT_FLOAT_CACHE=str(other)) for _ in range(4)]
    told = [process.communicate(timeout=120) for process in processes]
    expect.true(f"four at once: {told}", not any(process.returncode for process in processes))
    expect.true("two libraries", len(list(other.iterdir())) == 2)
    shared = work / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    told, errors = use(QUANT_FLOAT_CACHE=str(shared))
    expect.true(f"anybody's: {told}", told == "0 0 True None")
    expect.true(f"anybody's: {errors}", "others may write to this folder" in errors)
    told, errors = use(QUANT_FLOAT_CACHE="/dev/null/x")
    expect.true(f"no folder: {errors}", told == "0 0 True None" and "RuntimeWarning" in errors)
    told, _ = use(QUANT_FLOAT_CACHE=str(work / "no-linker"), PATH="/nonexistent")
    expect.true(f"no linker: {told}", told.startswith("0 2"))


def check_keys():
    """Changes that need another kernel, and those that do not."""
    cache = qf.disk_cache
    cache.enable(work / "keys")

    def misses(what, wanted, **options):
        before = cache.info().misses
        text = options.pop("text", MODEL.format(to="f16"))
        y = qf.parse(text).compile(**options)(x)
        expect.true(f"{what} computes", y.shape == x.shape)
        expect.true(f"{what}: compiled", cache.info().misses - before == wanted)

    misses("a model", 1)
    misses("again", 0)
    misses("another model", 1, text=MODEL.format(to="bf16"))
    misses("threads", 0, threads=2)
    misses("a level", 1, optimization_level=1)
    misses("a CPU", 1, cpu="x86-64" if os.uname().machine == "x86_64" else "generic")
    misses("a mode", 1, fakeconvert_mode="openvino")
    misses("its name", 0, function="cast")
    identify = _disk._identify_compiler
    _disk._identify_compiler = lambda: "another"
    misses("another compiler", 1)
    _disk._identify_compiler = identify
    machine = _disk._identify_cpu
    _disk._identify_cpu = lambda: "another"
    misses("another machine", 1)
    _disk._identify_cpu = machine
    expect.raises("a wrong model", qf.CompileError, "Strange", lambda: qf.parse(STRANGE).compile())
    error = expect.raises(
        "cancelled", qf.Error, "", lambda: qf.parse(MODEL.format(to="f8E5M2")).compile(progress=lambda *_: False)
    )  # fmt: skip
    expect.true(f"{error!r}", not isinstance(error, qf.CompileError))
    count = cache.info().files
    expect.true(f"{count} files", count == len(list((work / "keys").iterdir())))
    kernel = qf.parse(MODEL.format(to="f16")).compile()
    cache.clear()
    expect.true(f"cleared: {cache.info()}", cache.info() == (0, 0, 0, 0))
    expect.same("an entry in use is kept", kernel(x), x.astype(np.float16))
    misses("after that", 1)


STRANGE = """
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = quant_float.node "Strange"(%x) opset 21 : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
"""


def check_bounds():
    cache = qf.disk_cache
    folder = work / "bounds"
    cache.enable(folder, max_bytes=100_000)
    abandoned = folder / ".quant-float-of-a-killed-process"
    abandoned.mkdir()
    (abandoned / "half.so").write_bytes(b"x")
    os.utime(abandoned, (0, 0))
    # Files of others are kept.
    foreign = [folder / "tmp-results", folder / "extension.so"]
    foreign[0].mkdir()
    foreign[1].write_bytes(bytes(200_000))
    os.utime(foreign[0], (0, 0))
    first = None
    for number, to in enumerate(
        ["f16", "bf16", "f8E4M3FN", "f8E5M2", "i8", "i16", "i32", "f64"] * 2
    ):
        y = qf.parse(MODEL.format(to=to)).compile()(x)
        expect.true("computes", y.shape == x.shape)
        files = sorted(path for path in folder.glob("*.so") if path not in foreign)
        first = first or files[0]
        size = sum(path.stat().st_size for path in files)
        expect.true(f"{number}: {size} bytes", size <= 100_000 or len(files) == 1)
        # The first entry is used repeatedly.
        qf.parse(MODEL.format(to="f16")).compile()
        time.sleep(0.01)
    expect.true("entries in use are kept", first.exists())
    expect.true("abandoned files are removed", not abandoned.exists())
    cache.clear()
    expect.true("files of others are kept", all(path.exists() for path in foreign))
    cache.disable()
    expect.true("off", cache.folder is None and cache.info().files == 0)


def check_misuse():
    cache = qf.disk_cache
    for what, kind, words, call in [
        ("a number", TypeError, "", lambda: cache.enable(3)),
        ("max_bytes", ValueError, "max_bytes must be 0 or more, but got -1", lambda: cache.enable(work, max_bytes=-1)),
        ("max_bytes", TypeError, "max_bytes must be an integer", lambda: cache.enable(work, max_bytes=1.0)),
        ("a file", OSError, "", lambda: cache.enable(__file__)),
    ]:  # fmt: skip
        expect.raises(what, kind, words, call)
    expect.true("still off", cache.folder is None)


check_processes()
check_keys()
check_bounds()
check_misuse()
expect.finish()
