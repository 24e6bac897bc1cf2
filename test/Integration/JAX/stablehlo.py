# Models of JAX, as StableHLO in generic form, compiled by this project and by XLA's CPU backend: conversions of edge values and
# integers with the same bits, floats within the rounding of another accumulation order.
# REQUIRES: full
# RUN: %python -m environment %src_root %obj_root/jax
# RUN: %obj_root/jax/bin/python %s %tools_dir %t
import pathlib
import subprocess
import sys

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

jax.config.update("jax_platforms", "cpu")
FLOAT8 = [
    jnp.float8_e4m3fn, jnp.float8_e5m2, jnp.float8_e4m3fnuz, jnp.float8_e5m2fnuz,
    jnp.float8_e4m3, jnp.float8_e3m4, jnp.float8_e4m3b11fnuz,
]  # fmt: skip
random = np.random.default_rng(5)


def floats(*shape):
    return random.normal(size=shape).astype(np.float32)


def integers(*shape):
    return random.integers(-127, 128, shape).astype(np.int8)


def edges():
    """Values at and next to the limits of narrow types."""
    exponents = np.arange(-40, 40)
    mantissas = 1 + np.arange(0, 64) / 64
    values = (mantissas * np.exp2(exponents.astype(np.float64))[:, None]).reshape(-1)
    near = [np.nextafter(values.astype(np.float32), np.float32(d)) for d in (0, np.inf)]
    special = [0, np.inf, np.nan, 1e-40, 3e38, 127.5, 128, 255.5, 32767.5, 2.0**31, 2.0**63]
    values = np.concatenate([values.astype(np.float32), *near, np.float32(special)])
    return np.concatenate([values, -values])


def softmax_attention(q, k, v):
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / jnp.sqrt(jnp.float32(q.shape[-1]))
    mask = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(jnp.where(mask, scores, -jnp.inf)), v)


def layer_norm(x, gain, bias):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * gain + bias


def convolution(x, kernel):
    y = lax.conv_general_dilated(
        x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )
    y = jax.nn.relu(y)
    return lax.reduce_window(y, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def transposed(x, kernel):
    return lax.conv_transpose(x, kernel, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def average_pool(x):
    return lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME") / 9


def quantize(x, scale, zero_point):
    return jnp.clip(jnp.round(x / scale) + zero_point, -128, 127).astype(jnp.int8)


def dense_int8(x, w, bias, scale):
    sums = lax.dot_general(x, w, (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32)
    return quantize((sums + bias).astype(jnp.float32), scale, 3)


def dense_float8(x, w):
    a = jnp.clip(x, -448, 448).astype(jnp.float8_e4m3fn)
    b = jnp.clip(w, -448, 448).astype(jnp.float8_e4m3fn)
    return lax.dot_general(a, b, (((1,), (0,)), ((), ())), preferred_element_type=jnp.float32)


def weights_int4(x, w, scales):
    blocks = w.reshape(scales.shape[0], -1, w.shape[1]).astype(jnp.float32)
    return x @ (blocks * scales[:, None]).reshape(w.shape)


def mlp(x, a, b):
    return jax.nn.gelu(x @ a, approximate=True) @ b


def silu_mlp(x, a, b):
    return jax.nn.silu(x @ a) @ b


def embed(table, tokens):
    return table[tokens]


def rotate(x):
    left, right = jnp.split(x, 2, axis=-1)
    return jnp.concatenate([-right, left], -1)


def statistics(x):
    return x.sum(0), x.max(1), x.min(), x.prod(1), x.mean(), jnp.var(x)


def cumulative(x):
    return jnp.cumsum(x, 1)


def booleans(x):
    return (x > 0).all(1), (x > 1).any(0), jnp.logical_xor(x > 0, x < 1), jnp.isfinite(x)


def movement(x):
    return x[::-1, 1:3], x.T, jnp.pad(x, ((1, 2), (0, 1))), jnp.roll(x, 1, 0), jnp.tile(x, (2, 1))


def sorts(x):
    return (
        jnp.sort(x),
        jnp.argsort(x),
        jnp.sort(x, descending=True),
        *lax.top_k(x, 3),
        jnp.argmax(x, 1),
        jnp.argmin(x, 0),
    )


def scatters(x, i, v):
    return (
        x.at[i].set(v),
        x.at[i].add(v),
        x.at[i].min(v),
        x.at[1:3].set(v[:2]),
        x.at[:, 1].set(2.0),
        x[i, 1],
    )


def cache(x, update, position):
    return lax.dynamic_update_slice(x, update, (0, position, 0))


def loops(x):
    doubled = lax.fori_loop(0, 5, lambda i, c: c * 2 + i, x)
    bounded = lax.while_loop(
        lambda c: c[1].max() < 100, lambda c: (c[0] + 1, c[1] * 1.5), (0, jnp.abs(x) + 1)
    )
    return (
        doubled,
        *bounded,
        *lax.scan(lambda c, a: (c * 0.5 + a, c.sum()), jnp.zeros(x.shape[1:]), x),
    )


def branches(i, x):
    chosen = lax.switch(i, [lambda a: a * 2, lambda a: a - 1, lambda a: a + 5], x)
    return chosen, lax.cond(i > 1, lambda a: a.sum(), lambda a: a.max(), x)


SORTED = np.float32(
    [
        [1, 3, 3, 2, np.nan, 5, 5, -1],
        [0, -0.0, 0, -1, -1, 2, 2, 2],
        [np.inf, 1, np.inf, 2, 2, -5, -5, -np.inf],
    ]
)
# The name, the function, its arguments, and whether all bits are equal.
CASES = [
    *[(f"to {np.dtype(t).name}", lambda x, t=t: (x.astype(t), x.astype(jnp.bfloat16).astype(t), x.astype(t).astype(jnp.float32)),
       [edges()], True) for t in FLOAT8],
    ("to f4E2M1FN", lambda x: x.astype(jnp.float4_e2m1fn), [edges()], True),
    ("to f8E8M0FNU", lambda x: x.astype(jnp.float8_e8m0fnu), [edges()], True),
    *[(f"to {np.dtype(t).name}", lambda x, t=t: x.astype(t), [edges()], True)
      for t in (jnp.int8, jnp.uint8, jnp.int16, jnp.int32, jnp.uint32, jnp.int4, jnp.uint4)],
    ("quantize", quantize, [edges(), np.float32(0.37), np.float32(-4)], True),
    ("dense_int8", dense_int8, [integers(5, 64), integers(64, 12), integers(12).astype(np.int32), np.float32(0.003)], True),
    ("dense_float8", dense_float8, [floats(5, 64), floats(64, 12)], False),
    ("weights_int4", weights_int4, [floats(5, 64), integers(64, 12).astype(ml_dtypes.int4), floats(2, 12)], False),
    ("attention", softmax_attention, [floats(2, 3, 7, 16), floats(2, 3, 7, 16), floats(2, 3, 7, 16)], False),
    ("layer_norm", layer_norm, [floats(4, 32), floats(32), floats(32)], False),
    ("convolution", convolution, [floats(1, 8, 8, 3), floats(3, 3, 3, 5)], False),
    ("transposed", transposed, [floats(1, 5, 5, 3), floats(3, 3, 3, 4)], False),
    ("average_pool", average_pool, [floats(1, 8, 8, 3)], False),
    ("mlp", mlp, [floats(4, 16), floats(16, 32), floats(32, 8)], False),
    ("silu_mlp", silu_mlp, [floats(4, 16), floats(16, 32), floats(32, 8)], False),
    ("embed", embed, [floats(10, 4), np.array([[1, 9, -1], [0, 3, 3]], np.int32)], True),
    ("rotate", rotate, [floats(3, 8)], True),
    ("statistics", statistics, [floats(5, 6)], False),
    ("cumulative", cumulative, [floats(3, 9)], False),
    ("booleans", booleans, [floats(5, 6)], True),
    ("movement", movement, [floats(5, 6)], True),
    ("sorts", sorts, [SORTED], True),
    ("scatters", scatters, [floats(5, 3), np.int32([1, 1, 9, -1]), floats(4, 3)], True),
    ("cache", cache, [floats(2, 8, 4), floats(2, 1, 4), np.int32(3)], True),
    ("loops", loops, [floats(4, 3)], False),
    *[(f"branches {i}", branches, [np.int32(i), floats(4, 3)], False) for i in (-1, 0, 1, 2, 5)],
]  # fmt: skip


def run(tools, work, name, function, arguments):
    lowered = jax.jit(function).lower(*arguments)
    source = work / "module.mlir"
    with source.open("w") as file:
        lowered.compiler_ir("stablehlo").operation.print(file=file, print_generic_op_form=True)
    paths = [work / f"in{i}.npy" for i in range(len(arguments))]
    for path, array in zip(paths, arguments, strict=True):
        np.save(path, array)
    out = work / "out"
    command = [tools / "quant-float-run", source, "--inputs", *paths, "--outputs", out]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        print(f"{name}: {result.stderr.splitlines()[0]}")
        return None
    leaves = jax.tree.leaves(lowered.out_info)
    return [np.load(out / f"output_{i}.npy") for i in range(len(leaves))]


def compare(name, got, expected, is_exact):
    expected = np.asarray(expected)
    if got.dtype != expected.dtype:
        got = got.view(expected.dtype)
    if got.shape != expected.shape:
        print(f"{name}: shape {got.shape}, expected {expected.shape}")
        return False
    wide, wanted = got.astype(np.float64), expected.astype(np.float64)
    same = (wide == wanted) & (np.signbit(wide) == np.signbit(wanted)) | np.isnan(wide) & np.isnan(
        wanted
    )
    if not is_exact:
        same |= np.abs(wide - wanted) <= 1e-5 * np.maximum(
            np.abs(wanted), np.abs(wanted[np.isfinite(wanted)]).max(initial=0)
        )
    if not same.all():
        place = tuple(np.argwhere(~same)[0])
        print(
            f"{name}: {np.count_nonzero(~same)} of {same.size} differ: {got[place]}, expected {expected[place]}"
        )
    return same.all()


def main():
    tools, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    work.mkdir(parents=True, exist_ok=True)
    failures = count = 0
    for name, function, arguments, is_exact in CASES:
        results = run(tools, work, name, function, arguments)
        if results is None:
            failures += 1
            continue
        expected = jax.tree.leaves(jax.jit(function)(*arguments))
        for got, wanted in zip(results, expected, strict=True):
            failures += not compare(name, got, wanted, is_exact)
            count += got.size
    print(f"jax {jax.__version__}: {len(CASES)} functions, {count} results")
    sys.exit(failures != 0)


main()
