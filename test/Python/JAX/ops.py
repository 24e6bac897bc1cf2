# The functions for JAX: bits against ml_dtypes, JAX's own casts and the package's array functions,
# under jit, vmap and grad, without copies; the compilation of the handler at the first use; errors.
# REQUIRES: full
# RUN: %python -m environment %src_root %obj_root/jax
# RUN: rm -rf %t && mkdir %t
# RUN: env XDG_CACHE_HOME=%t JAX_PLATFORMS=cpu %obj_root/jax/bin/python %s
# RUN: not env XDG_CACHE_HOME=%t/other CC=false JAX_PLATFORMS=cpu %obj_root/jax/bin/python -c "import quant_float.jax as qj; qj.cast(qj.jnp.ones(3), 'float16')" 2>&1 | FileCheck %s --check-prefix=COMPILER
# COMPILER: Error: the handler for JAX cannot be compiled
# RUN: env XDG_CACHE_HOME=%t %obj_root/jax/bin/python %src_root/benchmarks/frameworks.py jax --package %obj_root/python_packages --size 4096 --repeat 1 --output %t/benchmark.json
# RUN: FileCheck %s --check-prefix=BENCHMARK < %t/benchmark.json
# BENCHMARK: "cpu_vendor": "
# BENCHMARK: "name": "f32 to float8_e4m3fn"
# BENCHMARK: "name": "qdq to int8 per axis"
# BENCHMARK: "name": "block_dequantize from MXFP8"
import ctypes
import os
import pathlib
import subprocess
import sys

import expect
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import quant_float as qf
import quant_float.jax as qj

random = np.random.default_rng(5)
FLOAT8 = (
    "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e3m4", "float8_e4m3",
    "float8_e4m3b11fnuz",
)  # fmt: skip
WIDE = ("float32", "float16", "bfloat16")


def check_casts():
    patterns = np.arange(1 << 16, dtype=np.uint16)
    wide = np.concatenate([patterns.view(np.float16).astype(np.float32)] * 2)
    wide[1 << 16 :] = random.integers(0, 1 << 32, 1 << 16, dtype=np.uint32).view(np.float32)
    values = {
        "float32": wide,
        "float16": patterns.view(np.float16),
        "bfloat16": patterns.view(ml_dtypes.bfloat16),
    }
    unlike = {}
    for source, x in values.items():
        for to in (*FLOAT8, *WIDE):
            got = np.asarray(jax.jit(lambda x, to=to: qj.cast(x, to))(x))
            expect.same(f"{source} to {to}: function", got, qf.cast(x, to))
            if not to.startswith("float8"):
                continue
            got = np.asarray(jax.jit(lambda x, to=to: qj.cast(x, to, saturate=False))(x))
            with np.errstate(all="ignore"):
                wanted = x.astype(to)
            # The package's rules for types that ONNX lacks either always saturate or never do.
            expect.same(f"{source} to {to}: ml_dtypes", got, wanted)
            own = np.asarray(jax.jit(lambda x, to=to: x.astype(to))(x))
            differs = (own.view(np.uint8) != got.view(np.uint8)) & ~(
                np.isnan(own.astype(np.float32)) & np.isnan(got.astype(np.float32))
            )
            if differs.any():
                unlike[source, to] = int(differs.sum())
    # XLA's casts for CPUs round once, too.
    expect.true(f"JAX: {unlike}", not unlike)
    for source in (*FLOAT8, "float8_e8m0fnu"):
        x = np.arange(256, dtype=np.uint8).view(getattr(ml_dtypes, source))
        for to in WIDE:
            got = np.asarray(qj.cast(jnp.asarray(x), to))
            with np.errstate(all="ignore"):
                expect.same(f"{source} to {to}: ml_dtypes", got, x.astype(got.dtype))
    for source in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "bool"):
        x = random.integers(0, 2 if source == "bool" else 100, (7, 5)).astype(source)
        expect.same(source, np.asarray(qj.cast(jnp.asarray(x), "float16")), x.astype(np.float16))
    for name in ("int4", "uint4", "float4_e2m1fn", "int2", "uint2"):
        x = random.uniform(-9, 9, (3, 7)).astype(np.float32)
        got = np.asarray(jax.jit(lambda x, name=name: qj.cast(x, name))(x))
        expect.same(f"{name}: packed by XLA", got, qf.cast(x, name))
        back = np.asarray(jax.jit(lambda x: qj.cast(x, "float32"))(jnp.asarray(got)))
        expect.same(f"{name}: back", back, qf.cast(qf.cast(x, name), "float"))


def check_quantization():
    x = (random.standard_normal((4, 6, 32)) * 20).astype(np.float32)
    scale = random.uniform(0.01, 1, 6).astype(np.float32)
    zero = random.integers(-5, 5, 6).astype(np.int8)
    got = np.asarray(jax.jit(lambda x, s, z: qj.quantize(x, s, z, axis=1))(x, scale, zero))
    wanted = np.clip(np.rint(x / scale[:, None]) + zero[:, None], -128, 127).astype(np.int8)
    expect.same("quantize: numpy", got, wanted)
    y = np.asarray(jax.jit(lambda x, s, z: qj.dequantize(x, s, z, axis=1))(got, scale, zero))
    expect.same("dequantize", y, (got.astype(np.float32) - zero[:, None]) * scale[:, None])
    z = np.asarray(jax.jit(lambda x: qj.qdq(x, scale, zero, storage="int8", axis=1))(x))
    expect.same("qdq", z, y)
    half = jnp.asarray(x).astype(jnp.bfloat16)
    got = np.asarray(qj.qdq(half, 0.25, storage="float8e4m3fn"))
    expect.same("qdq of bfloat16", got, qf.qdq(np.asarray(half), 0.25, storage="float8e4m3fn"))
    got = np.asarray(qj.quantize(x, 0.5, 3, dtype="uint8"))
    expect.same("numbers", got, qf.quantize(x, 0.5, 3, dtype="uint8"))
    got = np.asarray(qj.dequantize(jnp.asarray(got), 0.5, 3, dtype="float16"))
    expect.same(
        "numbers back",
        got,
        qf.dequantize(qf.quantize(x, 0.5, 3, dtype="uint8"), 0.5, 3, dtype="float16"),
    )
    blocks = random.uniform(0.01, 1, (4, 6, 2)).astype(np.float32)
    got = np.asarray(qj.quantize(x, blocks, dtype="int4", axis=2, block_size=16))
    expect.same("blocked", got, qf.quantize(x, blocks, dtype="int4", axis=2, block_size=16))
    got = np.asarray(
        jax.jit(lambda x: qj.fakeconvert(x, 2.0, 0.5, dtype="f8e5m2", mode="openvino"))(x)
    )
    expect.same("fakeconvert", got, qf.fakeconvert(x, 2.0, 0.5, dtype="f8e5m2", mode="openvino"))
    bits = qf.philox(x.shape, seed=3)
    got = np.asarray(qj.cast(x, "float8e5m2", round_mode="stochastic", random=bits))
    expect.same("stochastic", got, qf.cast(x, "float8e5m2", round_mode="stochastic", random=bits))
    for dtype, scales, block, rule in (
        ("float8e4m3fn", "float8e8m0", 32, "floor"),
        ("float4e2m1", "float8e8m0", 32, "rceil"),
        ("float4e2m1", "float8e4m3fn", 16, "torchao"),
        ("int8", "float", (1, -1, 8), "absmax"),
    ):
        got = jax.jit(lambda x, a=(dtype, scales, block, rule): qj.block_quantize(x, *a))(x)
        wanted = qf.block_quantize(x, dtype, scales, block, rule)
        for index, (one, other) in enumerate(zip(got, wanted, strict=True)):
            expect.same(f"{rule}: {index}", np.atleast_1d(one), np.atleast_1d(other))
        level = {"tensor_scale": got[2]} if len(got) > 2 else {}
        back = np.asarray(qj.block_dequantize(got[0], got[1], block, **level))
        level = {"tensor_scale": wanted[2]} if len(wanted) > 2 else {}
        expect.same(f"{rule}: back", back, qf.block_dequantize(*wanted[:2], block, **level))


def check_transformations():
    x = random.standard_normal((5, 4, 8)).astype(np.float32)
    got = np.asarray(jax.vmap(lambda x: qj.cast(x, "float8e4m3fn"))(x))
    expect.same("vmap of cast", got, qf.cast(x, "float8e4m3fn"))
    got = np.asarray(jax.vmap(jax.vmap(lambda x: qj.cast(x, "int4")))(3 * x))
    expect.same("vmap of packed", got, qf.cast(3 * x, "int4"))
    scales = np.linspace(0.1, 1, 5, dtype=np.float32)
    got = np.asarray(jax.jit(jax.vmap(lambda x, s: qj.quantize(x, s, dtype="int8")))(x, scales))
    wanted = np.stack([qf.quantize(*pair, dtype="int8") for pair in zip(x, scales, strict=True)])
    expect.same("vmap of quantize", got, wanted)
    scales = random.uniform(0.1, 1, 4).astype(np.float32)
    got = jax.jit(jax.vmap(lambda x: qj.quantize(x, scales, dtype="int8", axis=-2)))(x)
    expect.same("vmap per axis", np.asarray(got), qf.quantize(x, scales, dtype="int8", axis=1))
    batch = random.uniform(0.1, 1, (5, 4)).astype(np.float32)
    got = jax.vmap(lambda x, s: qj.qdq(x, s, storage="int8", axis=0))(x, batch)
    wanted = np.stack(
        [qf.qdq(*pair, storage="int8", axis=0) for pair in zip(x, batch, strict=True)]
    )
    expect.same("vmap per axis, scales", np.asarray(got), wanted)
    blocks = random.uniform(0.1, 1, (4, 2)).astype(np.float32)
    got = jax.vmap(lambda x: qj.quantize(x, blocks, dtype="int4", axis=1, block_size=4))(x)
    wanted = np.stack([qf.quantize(y, blocks, dtype="int4", axis=1, block_size=4) for y in x])
    expect.same("vmap blocked", np.asarray(got), wanted)

    def round_blocks(x):
        return qj.block_dequantize(*qj.block_quantize(x, "float4e2m1", "float8e8m0", 4, "rceil"), 4)

    wanted = qf.block_dequantize(*qf.block_quantize(x, "float4e2m1", "float8e8m0", 4, "rceil"), 4)
    expect.same("vmap of blocks", np.asarray(jax.jit(jax.vmap(round_blocks))(x)), wanted)
    for name, function in {
        "cast": lambda x: qj.cast(x, "float16").sum().astype("float32"),
        "quantize": lambda x: qj.dequantize(qj.quantize(x, 0.1, dtype="int8"), 0.1).sum(),
        "dequantize": lambda x: qj.dequantize(jnp.ones(5, jnp.int8), x[:, 0, 0], axis=0).sum(),
        "block_quantize": lambda x: round_blocks(x).sum(),
    }.items():
        words = f"quant_float.jax.{name} has no gradient"
        expect.raises(
            f"grad of {name}", TypeError, words, lambda f=function: jax.jit(jax.grad(f))(x)
        )
    frozen = qj.block_quantize(x[0], "float4e2m1", "float8e8m0", 4, "rceil")
    got = jax.grad(lambda y: (y @ qj.block_dequantize(*frozen, 4)).sum())(jnp.ones(4))
    expect.true("grad with quantized weights", bool(jnp.isfinite(got).all()))
    got = jax.jvp(lambda x: qj.qdq(x, 0.1, storage="int8", axis=None), (x,), (2 * x,))[1]
    expect.same("jvp of qdq", np.asarray(got), 2 * x)
    got = jax.vmap(jax.grad(lambda x, s: qj.qdq(x, s, storage="int8", axis=0).sum()))(x, batch)
    expect.same("vmap of grad of qdq", np.asarray(got), np.ones_like(x))
    got = jax.grad(lambda x: (qj.qdq(x, 0.1, storage="int8") * np.arange(8)).sum())(x)
    expect.same(
        "grad of qdq", np.asarray(got), np.broadcast_to(np.arange(8, dtype=np.float32), x.shape)
    )
    got = jax.jit(jax.grad(lambda x: (3 * qj.fakeconvert(x, 2.0, 1.0)).sum()))(x)
    expect.same("grad of fakeconvert", np.asarray(got), np.full(x.shape, 3, np.float32))

    def network(x, w):
        q = qj.quantize(jnp.tanh(x), 0.01, dtype="int8")
        return qj.dequantize(q, 0.01) @ w

    w = random.standard_normal((8, 3)).astype(np.float32)
    wanted = qf.qdq(np.asarray(jax.jit(jnp.tanh)(x)), 0.01, storage="int8") @ w
    error = np.abs(np.asarray(jax.jit(network)(x, w)) - wanted).max()
    expect.true(f"network: {error}", error < 1e-5)
    body = jax.lax.scan(
        lambda c, y: (c + qj.cast(y, "float32").sum(), None), 0.0, jnp.ones((3, 4), jnp.bfloat16)
    )
    expect.true("scan", float(body[0]) == 12)
    empty = qj.cast(jnp.zeros((0, 3)), "float16")
    expect.true("no elements", empty.shape == (0, 3) and empty.dtype == jnp.float16)


def check_memory():
    """The handler gets XLA's buffers: the outputs of jit are at the addresses that the kernel
    writes."""
    seen = []
    signature = ctypes.CFUNCTYPE(
        ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t
    )

    @signature
    def spy(inputs, outputs, error, size):
        seen.append([ctypes.cast(p, ctypes.POINTER(ctypes.c_uint64))[0] for p in (inputs, outputs)])
        return 0

    library = qj._load()
    numbers, ranks = (ctypes.c_int32 * 2)(1, 10), (ctypes.c_int32 * 2)(1, 1)
    address = ctypes.cast(spy, ctypes.c_void_p)
    expect.true("registered", library.quantFloatJaxRegister(77, address, 1, 1, numbers, ranks) == 0)
    function = jax.ffi.ffi_call("quant_float", [jax.ShapeDtypeStruct((64,), jnp.float16)])
    x = jnp.ones(64)
    (y,) = jax.jit(lambda x: function(x, kernel=np.int64(77)))(x)
    y.block_until_ready()
    wanted = [[x.unsafe_buffer_pointer(), y.unsafe_buffer_pointer()]]
    expect.true(f"no copies: {seen}, {wanted}", seen == wanted)
    try:
        jax.block_until_ready(function(x, kernel=np.int64(78)))
        expect.true("an unknown kernel", False)
    except Exception as error:
        expect.true(f"an unknown kernel: {error}", "is not compiled in this process" in str(error))
    try:
        jax.block_until_ready(function(x.reshape(8, 8), x, kernel=np.int64(77)))
        expect.true("two operands", False)
    except Exception as error:
        expect.true(f"two operands: {error}", "the number of tensors" in str(error))
    expect.true("too many", library.quantFloatJaxRegister(79, address, 16, 1, numbers, ranks) == 1)


def check_dlpack():
    for name in (*FLOAT8, *WIDE, "float8_e8m0fnu", "int8", "uint16", "int32", "bool"):
        element = qf.dtype(name)
        memory = np.zeros(4096, np.uint8)
        start = -memory.ctypes.data % 64
        array = memory[start : start + 12 * element.itemsize].view(element.numpy).reshape(3, 4)
        array[...] = 1
        made = jax.dlpack.from_dlpack(qf.as_dlpack(array))
        expect.true(
            f"{name}: no copy of a result", made.unsafe_buffer_pointer() == array.ctypes.data
        )
        pointers = []
        run = qf.Kernel.run

        def spy(self, inputs, outputs, run=run, pointers=pointers):
            pointers.append(inputs[0].data.ctypes.data)
            run(self, inputs, outputs)

        qf.Kernel.run = spy
        expect.same(f"{name}: input", qf.cast(made, "float"), np.ones((3, 4), np.float32))
        qf.Kernel.run = run
        expect.true(f"{name}: no copy of an input", pointers == [made.unsafe_buffer_pointer()])


def check_errors():
    x = jnp.ones((3, 5))
    for what, kind, words, call in (
        ("float6", TypeError, "expected a type of JAX", lambda: qj.cast(x, "float6e2m3")),
        ("double", TypeError, "requires jax_enable_x64", lambda: qj.cast(x, "double")),
        ("a list", TypeError, "expected an array of JAX", lambda: qj.cast([1.0], "float16")),
        ("scale", ValueError, "scale must have shape (3,)", lambda: qj.quantize(x, jnp.ones(5), axis=0)),
        ("rule", ValueError, "rule must be one of", lambda: qj.block_quantize(x, "int8", "float", 5, "max")),
        ("opset", qf.ModelError, "not accepted", lambda: qj.cast(x, "float8e4m3fn", opset=18)),
        ("traced scale", ValueError, "scale must have shape (3,)", lambda: jax.jit(lambda x: qj.quantize(x, jnp.ones(5), axis=0))(x)),
    ):  # fmt: skip
        expect.raises(what, kind, words, call)


def check_cache():
    """The handler is compiled once for all processes. Only the user can write to the folder."""
    folder = pathlib.Path(os.environ["XDG_CACHE_HOME"]) / "quant-float" / "jax"
    [library] = folder.iterdir()
    changed = library.stat().st_mtime_ns
    program = "import quant_float.jax as qj; print(qj.cast(qj.jnp.ones(3), 'float16').sum())"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    expect.true(f"another process: {done.stdout}", done.stdout == "3.0\n")
    expect.true(
        "one file", [library] == list(folder.iterdir()) and library.stat().st_mtime_ns == changed
    )
    folder.chmod(0o777)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    expect.true(
        f"a folder that others can write to: {done.stderr}",
        "others may write to this folder" in done.stderr,
    )
    folder.chmod(0o700)


check_casts()
check_quantization()
check_transformations()
check_memory()
check_dlpack()
check_errors()
check_cache()
expect.finish()
