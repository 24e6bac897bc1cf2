# A zero point is part of the value in every form: QuantizeLinear and DequantizeLinear with all
# types of zero points, with zero points of 0, 1 and the ends of the range, constant or not, per
# tensor, axis and block. The results (by Inputs/definition.py) are the same for compiled, folded,
# exported and converted models, and after each of quant-float-convert's passes.
# RUN: rm -rf %t && mkdir %t && env PYTHONPATH=%S/Inputs:%src_root/test/helpers %python %s %tools_dir %t
import pathlib
import subprocess
import sys

import definition
import numpy as np
import onnx
import sharding
from definition import INTEGERS
from onnx import TensorProto as T
from onnx import helper

tools, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
SIZE = (4, 32)
GRANULARITIES = {
    "tensor": ((), {}),
    "columns": ((32,), {"axis": 1}),
    "blocks": ((4, 2), {"axis": 1, "block_size": 16}),
}
FLOATS = (T.FLOAT4E2M1, T.FLOAT6E2M3, T.FLOAT6E3M2)
KINDS = (T.INT2, T.UINT2, T.INT4, T.UINT4, T.INT8, T.UINT8, T.INT16, T.UINT16, T.INT32, *FLOATS)
REWRITES = ("eliminate-qdq", "collapse-casts", "reencode-fnuz", "widen-storage", "widen-storage{signed=true}", "merge-scales",
            "fold-scales", "unpack-weights", "pack-weights")  # fmt: skip
failures, count = [], 0


def get_ends(kind):
    if kind in INTEGERS:
        bits, is_signed = INTEGERS[kind]
        return (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
    most = definition.FLOATS[kind][2]
    return -most, most


def make_quantized(kind, generator):
    dtype = helper.tensor_dtype_to_np_dtype(kind)
    low, high = get_ends(kind)
    if kind in INTEGERS:
        encodings = generator.integers(low, high, SIZE, endpoint=True)
        encodings.flat[:2] = low, high
        return encodings.astype(dtype)
    width = 4 if kind == T.FLOAT4E2M1 else 6
    return generator.integers(0, 1 << width, SIZE).astype(np.uint8).view(dtype)


def add_constant(graph, name, kind, array):
    graph.initializer.add(
        name=name, data_type=kind, dims=array.shape, raw_data=definition.pack(array, kind)
    )


def make_model(kind, quantizes, at_run_time, is_constant):
    generator = np.random.default_rng(kind)
    graph, feeds = onnx.GraphProto(name="g"), {}
    encodings = make_quantized(kind, generator)
    dtype = helper.tensor_dtype_to_np_dtype(kind)
    x_kind = T.FLOAT if quantizes else kind
    x = (
        encodings.astype(np.float64).clip(-1e5, 1e5).astype(np.float32) * np.float32(0.37)
        if quantizes
        else encodings
    )
    if quantizes:
        x.flat[:3] = 0.0, -0.0, 0.25
    if is_constant:
        add_constant(graph, "x", x_kind, x)
    else:
        graph.input.append(helper.make_tensor_value_info("x", x_kind, SIZE))
        feeds["x"] = x
    low, high = get_ends(kind)
    for granularity, (sizes, attributes) in GRANULARITIES.items():
        scale = np.asarray(generator.random(sizes) + 0.25, np.float32)
        for index, point in enumerate((0, 1, low, high, None)):
            name = f"{granularity}{index}"
            points = np.asarray(
                generator.choice([0, 1, low, high], sizes)
                if point is None
                else np.full(sizes, point)
            ).astype(dtype)
            add_constant(graph, f"s{name}", T.FLOAT, scale)
            if at_run_time:
                graph.input.append(helper.make_tensor_value_info(f"z{name}", kind, sizes))
                feeds[f"z{name}"] = points
            else:
                add_constant(graph, f"z{name}", kind, points)
            op = "QuantizeLinear" if quantizes else "DequantizeLinear"
            graph.node.append(
                helper.make_node(
                    op, ["x", f"s{name}", f"z{name}"], [f"y{name}"], f"n{name}", **attributes
                )
            )
            graph.output.append(
                helper.make_tensor_value_info(f"y{name}", kind if quantizes else T.FLOAT, SIZE)
            )
    imports = [helper.make_opsetid("", 28)]
    return helper.make_model(graph, opset_imports=imports, ir_version=13), feeds


def run(path, feeds):
    given = []
    for name, array in feeds.items():
        file = work / f"{name}.npy"
        np.save(
            file,
            array
            if array.dtype.kind in "iuf" and array.dtype.num < 24
            else array.view(np.int8 if array.dtype.name in ("int2", "int4") else np.uint8),
        )
        given.append(f"--inputs={name}={file}")
    done = subprocess.run(
        [tools / "quant-float-run", path, *given, "--outputs", work / "outputs"],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        return done.stderr
    results = {}
    for index, output in enumerate(onnx.load(path).graph.output):
        kind = output.type.tensor_type.elem_type
        dtype = np.dtype(helper.tensor_dtype_to_np_dtype(kind))
        array = np.load(work / "outputs" / f"output_{index}.npy")
        results[output.name] = definition.to_numbers(
            array if array.dtype == dtype else array.view(dtype), kind
        )
    return results


def compare(text, path, feeds, expected):
    global count
    got = run(path, feeds)
    if isinstance(got, str):
        failures.append(f"{text}: {got[-300:]}")
        return
    for name, (_, numbers) in expected.items():
        count += 1
        if not definition.same(got[name], numbers):
            failures.append(f"{text}: {name}")


def convert(path, out, *options):
    return subprocess.run(
        [tools / "quant-float-convert", path, *options, "-o", out], capture_output=True, text=True
    )


for kind in KINDS:
    for quantizes, at_run_time, is_constant in (
        (False, False, False), (False, True, False), (False, False, True), (True, False, False), (True, True, False), (True, False, True),
    ):  # fmt: skip
        if quantizes and kind == T.INT32:
            continue
        model, feeds = make_model(kind, quantizes, at_run_time, is_constant)
        text = f"{T.DataType.Name(kind)} {'QuantizeLinear' if quantizes else 'DequantizeLinear'}{' at run time' if at_run_time else ''}{' of a constant' if is_constant else ''}"
        path, out = work / "model.onnx", work / "out.onnx"
        onnx.save(model, path)
        values = definition.evaluate(model, feeds)
        expected = {output.name: values[output.name] for output in model.graph.output}
        compare(text, path, feeds, expected)
        exported = subprocess.run(
            [tools / "quant-float-translate", "--export-onnx", path, "-o", out],
            capture_output=True,
            text=True,
        )
        if exported.returncode:
            failures.append(f"{text}: {exported.stderr}")
        again = definition.evaluate(onnx.load(out), feeds)
        if not all(
            definition.same(again[name][1], numbers) for name, (_, numbers) in expected.items()
        ):
            failures.append(f"{text}: exported")
        visible = at_run_time or quantizes or not is_constant
        all_options = [["--opset", opset] for opset in ("23", "21", "18", "10")]
        all_options += [["--rewrite", name] for name in REWRITES]
        for options in sharding.take(all_options, text):
            done = convert(path, out, *options)
            if done.returncode:
                if not (
                    visible
                    and "no exact equivalent" in done.stderr
                    and ("no type" in done.stderr or "is not accepted by" in done.stderr)
                ):
                    failures.append(f"{text} {options}: {done.stderr[-300:]}")
                continue
            converted = onnx.load(out)
            onnx.checker.check_model(converted, full_check=True)
            again = definition.evaluate(converted, feeds)
            wrong = [
                name
                for name, (_, numbers) in expected.items()
                if not definition.same(again[name][1], numbers)
            ]
            count += len(expected)
            if wrong:
                failures.append(f"{text} {options}: {wrong}")
            if options[1] in ("10", "widen-storage"):
                compare(f"{text} {options}", out, feeds, expected)
print(count, "results")
print(*failures[:40], sep="\n")
sys.exit(bool(failures))
