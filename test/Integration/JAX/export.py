# Casts and quantizations exported to StableHLO, compiled by XLA's CPU backend, against this
# project's reference evaluator: all bits are equal, except for NaN encodings. Also models that are
# imported and exported again.
# REQUIRES: full
# RUN: %python -m environment %src_root %obj_root/jax
# RUN: %obj_root/jax/bin/python %s %tools_dir %t
import pathlib
import re
import sys

import jax
import ml_dtypes
import numpy as np
from conformance import stablehlo_exports as exports
from jax._src import compiler
from jax._src.interpreters import mlir
from jaxlib import xla_client
from jaxlib.mlir import ir

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_enable_x64", True)


def execute(text, arguments):
    """Compiles StableHLO with XLA and runs it."""
    with mlir.make_ir_context():
        module = ir.Module.parse(
            text.replace('"builtin.module"() (', '"builtin.module"() <{sym_name = "m"}> (', 1)
        )
    device = jax.devices("cpu")[0]
    options = compiler.get_compile_options(num_replicas=1, num_partitions=1)
    code = compiler.backend_compile_and_load(
        device.client, module, xla_client.DeviceList((device,)), options, []
    )
    results = code.execute_sharded([jax.device_put(array, device) for array in arguments])
    return [np.asarray(parts[0]) for parts in results.disassemble_into_single_device_arrays()]


def round_trips(tools, work):
    """Models of JAX, imported, exported and compiled by XLA again: the results equal those of the
    original."""
    random = np.random.default_rng(4)

    def dense(x, w):
        scale = abs(x).max(1, keepdims=True) / 127
        q = jax.numpy.clip(jax.numpy.round(x / scale), -127, 127).astype(np.int8)
        sums = jax.lax.dot_general(q, w, (((1,), (0,)), ((), ())), preferred_element_type=np.int32)
        return sums.astype(np.float32) * scale, q

    def float8(x, w):
        return jax.nn.relu(x.astype(ml_dtypes.float8_e4m3fn).astype(np.float32) @ w[::-1]).T.sum(0)

    def indexed(v, i):
        rows = jax.numpy.take_along_axis(v, jax.numpy.argsort(v, 1), 1)
        return jax.lax.top_k(v, 3), rows, v[i], v[i, i], v.at[i].set(7), v.at[i].add(v[:4])

    def loops(v, i):
        branch = jax.lax.cond(v.sum() > 0, lambda w: w * 2, lambda w: -w, v)
        chosen = jax.lax.switch(i[0], [lambda w: w + 1, lambda w: w * 3], v)
        carry = jax.lax.scan(lambda c, row: (c * 0.5 + row, c - row), v[0], v)
        steps = jax.lax.while_loop(
            lambda c: (c[0] < 7) & (c[1].sum() < 50),
            lambda c: (c[0] + 1, c[1] * 1.5 + v),
            (0, abs(v)),
        )
        return branch, chosen, carry, steps

    x = random.normal(size=(5, 16)).astype(np.float32)
    indices = random.integers(0, 5, 4).astype(np.int32)
    cases = [
        (indexed, [x, indices], 0),
        (loops, [x, indices], 1e-6),
        (dense, [x, random.integers(-99, 99, (16, 3)).astype(np.int8)], 0),
        (float8, [x, random.normal(size=(16, 3)).astype(np.float32)], 1e-5),
        (
            lambda v: jax.numpy.concatenate([v[1:, ::2], v[:2, :8]]).astype(ml_dtypes.int4),
            [x * 5],
            0,
        ),
    ]
    failures = 0
    for number, (function, arguments, tolerance) in enumerate(cases):
        lowered = jax.jit(function).lower(*arguments)
        source = work / f"trip_{number}.mlir"
        with source.open("w") as file:
            lowered.compiler_ir("stablehlo").operation.print(file=file, print_generic_op_form=True)
        text = exports.export(
            tools, source, "--convert-stablehlo-to-onnx", "--inline", "--symbol-dce"
        )
        text = re.sub(r'"builtin.module"\(\) <\{[^}]*\}>', '"builtin.module"()', text)
        expected = jax.tree.leaves(jax.jit(function)(*arguments))
        for got, wanted in zip(execute(text, arguments), expected, strict=True):
            failures += not exports.compare(
                f"round trip {number}", got, np.asarray(wanted), tolerance
            )
    print(f"{len(cases)} round trips")
    return failures


def main():
    tools, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    work.mkdir(parents=True, exist_ok=True)
    sys.exit(
        exports.casts(execute, tools, work, is_flushed=True)
        + exports.quantizations(execute, tools, work)
        + round_trips(tools, work)
        != 0
    )


main()
