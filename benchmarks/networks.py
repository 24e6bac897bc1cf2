#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures entire networks in one thread, against ONNX Runtime and, on request, OpenVINO.

    benchmarks/networks.py [--only NAME;...] [--models FOLDER] [--cpus host,x86-64-v3]
    [--accumulation ordered,reassociate]
                           [--threads 1] [--repeat N] [--openvino] [--output FILE.json | --record]
                           [--table] [--model-zoo]

The networks are those of the onnx package (backend/test/data/light) with random weights instead of
constant ones, the same quantized by onnxruntime.quantization, and a detector of depthwise and
pointwise convolutions. FOLDER contains further ones: FOLDER/NAME/model.onnx, with input_0.npy and
so on next to it, or random inputs. `--model-zoo` selects those of test/helpers/model_zoo instead, which
torch exports: those of --only, or those whose speed is tracked. All contenders run the same file
and take turns. The minimum time of a call counts, in CPU time, which excludes other processes.
`start_s` is the CPU time of compilation and loading. `over` is our time divided by ONNX Runtime's.
`off` is the largest difference from ONNX Runtime's results, computed without its optimizations,
relative to the largest result.
"""

import argparse
import concurrent.futures
import contextlib
import io
import json
import logging
import multiprocessing
import pathlib
import sys
import tempfile
import time

from harness.environment import BUILD, ROOT, use_build_environment

use_build_environment()
sys.path[:0] = [str(BUILD / "python_packages"), str(ROOT / "test" / "helpers")]

import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnxruntime  # noqa: E402
import quant_float as qf  # noqa: E402
from harness import tables  # noqa: E402
from harness.records import add_output, choose_output, record_path, write_rows  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from onnxruntime import quantization  # noqa: E402

LIGHT = pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"

#: Networks of the onnx package, and the schemes by which they are also quantized.
LIGHT_NETWORKS = {
    "squeezenet": ("static", "dynamic", "u16s4"),
    "resnet50": ("static",),
    "densenet121": (),
    "shufflenet": ("static",),
    "inception_v2": (),
    "vgg19": (),
}


def fill(random, shape, node, position):
    """A weight that keeps the magnitude of values from one layer to the next."""
    if node.op_type in ("Conv", "Gemm") and position == 1:
        depth = shape[1] if node.op_type == "Gemm" else np.prod(shape[1:])
        return random.standard_normal(shape) * np.sqrt(2 / depth)
    if (node.op_type == "BatchNormalization" and position in (1, 4)) or node.op_type == "Mul":
        return random.random(shape) * 0.2 + 0.9
    return random.standard_normal(shape) * 0.1


def make_light(name):
    """The package's model, with its constant weights replaced by random ones."""
    model = onnx.load(LIGHT / f"light_{name}.onnx")
    graph, random = model.graph, np.random.default_rng(5)
    shapes = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    # Unsqueeze turns vectors into a column matrix before they scale.
    through = {n.output[0]: n for n in graph.node if n.op_type == "Unsqueeze"}
    uses = {}
    for node in graph.node:
        for position, value in enumerate(node.input):
            while value in through:
                value = through[value].input[0]
            uses[value] = node, position
    kept = []
    for node in graph.node:
        if node.op_type != "ConstantOfShape":
            kept.append(node)
            continue
        shape = tuple(int(size) for size in shapes.pop(node.input[0]))
        weight = fill(random, shape, *uses[node.output[0]]).astype(np.float32)
        graph.initializer.append(numpy_helper.from_array(weight, node.output[0]))
    del graph.node[:]
    graph.node.extend(kept)
    values = [tensor for tensor in graph.initializer if tensor.name in shapes or tensor.dims]
    inputs = [
        value for value in graph.input if value.name not in {t.name for t in graph.initializer}
    ]
    used = {name for node in kept for name in node.input}
    for field, entries in (("initializer", values), ("input", inputs)):
        kept_entries = [entry for entry in entries if entry.name in used]
        del getattr(graph, field)[:]
        getattr(graph, field).extend(kept_entries)
    model.ir_version = 8
    return onnx.version_converter.convert_version(model, 13)


def make_detector():
    """Alternating depthwise and pointwise convolutions, as in detectors for small machines."""
    random, nodes, weights = np.random.default_rng(6), [], []

    def convolve(x, filters, channels, size, group=1, stride=1, activation=True):
        name = f"conv_{len(weights)}"
        shape = (filters, channels // group, size, size)
        weight = random.standard_normal(shape) * np.sqrt(2 / np.prod(shape[1:]))
        bias = random.standard_normal(filters) * 0.1
        for suffix, array in (("w", weight), ("b", bias)):
            weights.append(numpy_helper.from_array(array.astype(np.float32), f"{name}_{suffix}"))
        options = {"pads": [size // 2] * 4, "strides": [stride] * 2, "group": group}
        nodes.append(helper.make_node("Conv", [x, f"{name}_w", f"{name}_b"], [name], **options))
        if not activation:
            return name
        nodes.append(helper.make_node("Relu", [name], [f"{name}_r"]))
        return f"{name}_r"

    x, channels, flat = convolve("image", 16, 3, 3, stride=2), 16, []
    for filters, stride, head in ((32, 1, 0), (32, 2, 0), (32, 1, 0), (64, 2, 0), (64, 1, 0), (64, 1, 3), (128, 2, 0), (128, 1, 2), (256, 2, 0), (256, 1, 3)):  # fmt: skip
        x = convolve(x, channels, channels, 3, group=channels, stride=stride)
        x, channels = convolve(x, filters, channels, 1), filters
        if head:
            y = convolve(x, channels, channels, 3, group=channels)
            y = convolve(y, 6 * head, channels, 1, activation=False)
            nodes.append(helper.make_node("Transpose", [y], [f"{y}_t"], perm=[0, 2, 3, 1]))
            nodes.append(helper.make_node("Reshape", [f"{y}_t", "six"], [f"{y}_f"]))
            flat.append(f"{y}_f")
    nodes.append(helper.make_node("Concat", flat, ["boxes"], axis=1))
    weights.append(numpy_helper.from_array(np.array([1, -1, 6]), "six"))
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, 240, 320])
    boxes = helper.make_tensor_value_info("boxes", TensorProto.FLOAT, [1, None, 6])
    graph = helper.make_graph(nodes, "detector", [image], [boxes], weights)
    opsets = [helper.make_opsetid("", 13)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


class Images(quantization.CalibrationDataReader):
    def __init__(self, feeds):
        self._feeds = iter(feeds)

    def get_next(self):
        return next(self._feeds, None)


def quantize(scheme, source, target, inputs):
    """Quantizes with onnxruntime.quantization, which writes to standard output and warns."""
    logging.disable(logging.WARNING)
    with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
        if scheme == "dynamic":
            kinds = ["MatMul", "Gemm", "Conv"]
            kind = quantization.QuantType.QUInt8
            quantization.quantize_dynamic(source, target, kinds, weight_type=kind)
            return
        kinds = {"static": ("QUInt8", "QInt8"), "u16s4": ("QUInt16", "QInt4")}[scheme]
        activations, weights = (quantization.QuantType[kind] for kind in kinds)
        if scheme == "u16s4":
            model = onnx.version_converter.convert_version(onnx.load(source), 21)
            model.ir_version = 10
            source = source.with_name("opset21.onnx")
            onnx.save(model, source)
        quantization.quantize_static(
            source,
            target,
            Images([inputs]),
            quant_format=quantization.QuantFormat.QDQ,
            activation_type=activations,
            weight_type=weights,
            per_channel=True,
        )


def make_inputs(model, folder):
    weights = {tensor.name for tensor in model.graph.initializer}
    random, inputs = np.random.default_rng(7), {}
    for index, value in enumerate(v for v in model.graph.input if v.name not in weights):
        kind = value.type.tensor_type
        shape = [d.dim_value or 1 for d in kind.shape.dim]
        dtype = helper.tensor_dtype_to_np_dtype(kind.elem_type)
        file = folder / f"input_{index}.npy" if folder else None
        if file and file.exists():
            inputs[value.name] = np.load(file)
        elif np.issubdtype(dtype, np.floating):
            inputs[value.name] = random.standard_normal(shape).astype(dtype)
        else:
            inputs[value.name] = random.integers(0, 2, shape).astype(dtype)
    return inputs


def list_networks(work, options):
    """The name, the file and the inputs of each network."""
    only = set(options.only.split(";")) if options.only else None
    makers = {name: (lambda name=name: make_light(name), kinds) for name, kinds in LIGHT_NETWORKS.items()}  # fmt: skip
    makers["detector"] = make_detector, ("static", "dynamic", "u16s4")
    for name, (make, kinds) in makers.items():
        wanted = [kind for kind in (None, *kinds) if only is None or (f"{name}, {kind}" if kind else name) in only]  # fmt: skip
        if not wanted:
            continue
        model, source = make(), work / f"{name}.onnx"
        inputs = make_inputs(model, None)
        onnx.save(model, source)
        for kind in wanted:
            target = source if kind is None else work / f"{name}.{kind}.onnx"
            if kind:
                quantize(kind, source, target, inputs)
            yield f"{name}, {kind}" if kind else name, target, inputs
    for file in sorted(options.models.glob("*/model.onnx")) if options.models else []:
        if only is None or file.parent.name in only:
            yield file.parent.name, file, make_inputs(onnx.load(file), file.parent)


def start_ours(path, inputs, cpu, accumulation, threads):
    kernel = qf.compile(str(path), cpu=cpu, accumulation=accumulation, threads=threads)
    arrays = list(inputs.values())

    def call():
        results = kernel(*arrays)
        return list(results) if isinstance(results, (tuple, list)) else [results]

    return call


def start_onnx_runtime(path, inputs, threads, optimized=True):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4
    if not optimized:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, inputs)


def start_openvino(path, inputs, threads):
    import openvino

    core = openvino.Core()
    settings = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32"}
    request = core.compile_model(str(path), "CPU", settings).create_infer_request()
    arrays = list(inputs.values())

    def call():
        results = request.infer(arrays, share_inputs=True)
        return [np.array(results[port]) for port in request.model_outputs]

    return call


def find_difference(results, wanted):
    pairs = [(np.asarray(a, float), np.asarray(b, float)) for a, b in zip(results, wanted, strict=True)]  # fmt: skip
    return max(float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-30)) for a, b in pairs)


def compute(path, inputs):
    return start_onnx_runtime(path, inputs, 1, optimized=False)()


def run_alone(function, *arguments):
    """Runs in a separate process, whose memory is only used for this."""
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(function, *arguments).result()


def measure(path, inputs, wanted, options):
    threads, result = options.threads, {}
    starts = {}
    for accumulation in options.accumulation.split(","):
        for cpu in options.cpus.split(","):
            name = f"quant-float ({cpu}{'' if accumulation == 'ordered' else ', ' + accumulation})"
            starts[name] = lambda cpu=cpu, accumulation=accumulation: start_ours(
                path, inputs, cpu, accumulation, threads
            )
    starts["ONNX Runtime"] = lambda: start_onnx_runtime(path, inputs, threads)
    if options.openvino:
        starts["OpenVINO"] = lambda: start_openvino(path, inputs, threads)
    calls = {}
    for name, start in starts.items():
        try:
            begin = time.process_time()
            call = start()
            started = time.process_time() - begin
            result[name] = {"ms": np.inf, "off": float(f"{find_difference(call(), wanted):.1e}"), "start_s": round(started, 2)}  # fmt: skip
            calls[name] = call
        except Exception as error:  # The libraries raise any exception.
            result[name] = {"refused": str(error).splitlines()[0][:200]}
    clock = time.thread_time if threads == 1 else time.perf_counter
    for turn in range(options.repeat):
        for name, call in calls.items():
            call()  # restores the caches after another contender
            for _ in range(3 if turn else 1):
                begin = clock()
                call()
                result[name]["ms"] = min(result[name]["ms"], (clock() - begin) * 1e3)
    peer = result["ONNX Runtime"].get("ms")
    for cell in result.values():
        if "ms" in cell:
            cell["ms"] = float(f"{cell['ms']:.4g}")
            if peer:
                cell["over"] = round(cell["ms"] / peer, 2)
    return result


def measure_model_zoo(options):
    from model_zoo import run

    wanted = ["--only", options.only] if options.only else ["--named"]
    kept = ["--output", str(options.output)] if options.output else []
    return run.main([*wanted, *kept, "--cpus", options.cpus, "--times", str(options.repeat)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--only")
    parser.add_argument("--models", type=pathlib.Path)
    parser.add_argument("--cpus", default="host,x86-64-v3")
    parser.add_argument("--accumulation", default="ordered,reassociate")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--openvino", action="store_true")
    add_output(parser)
    parser.add_argument("--table", action="store_true", help="print the record and measure nothing")
    parser.add_argument("--model-zoo", action="store_true", help="networks that torch exports")
    options = parser.parse_args()
    name = "model_zoo" if options.model_zoo else "networks"
    options.output = choose_output(options, name)
    if options.table:
        record = json.loads((options.output or record_path(name)).read_text())
        print(tables.WRITERS[name](record))
        return None
    if options.model_zoo:
        return measure_model_zoo(options)
    records = []
    with tempfile.TemporaryDirectory() as folder:
        for name, path, inputs in list_networks(pathlib.Path(folder), options):
            wanted = run_alone(compute, path, inputs)
            result = run_alone(measure, path, inputs, wanted, options)
            records.append({"network": name, "contenders": result})
            cells = [
                f"{who} {cell['ms']:.4g} ({cell.get('over')}, off {cell['off']:.0e})" if "ms" in cell else f"{who} - ({cell['refused'][:60]})"
                for who, cell in result.items()
            ]  # fmt: skip
            print(f"{name}: {'; '.join(cells)}", flush=True)
            if options.output:
                write_rows(options.output, records)


if __name__ == "__main__":
    main()
