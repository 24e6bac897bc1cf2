"""A quantized network as a whole and node by node, against ONNX Runtime.

For each network: quant-float-check reports no problem. Every quantization node computes ONNX
Runtime's bits for ONNX Runtime's inputs. The network as a whole computes quantized values and
results within a bound for other orders of additions, which agreement.py of the example derives: 2
gamma(n) sum |a||b| for each sum of n products with gamma(n) = n u / (1 - n u) and u = 2^-24,
propagated to the next quantization, whose results may differ only if a rounding boundary is that
close.
"""

import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import helper

# Quantization nodes of both domains.
OPERATIONS = ("QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear")


def as_stored(array):
    """The array in a .npy file: one byte for each encoding of narrow formats."""
    name = array.dtype.name
    if array.dtype.kind != "V" and not name.startswith(
        ("float8", "int4", "uint4", "int2", "uint2")
    ):
        return array
    if name.startswith("float"):
        return array.view(np.uint8)
    return array.astype(np.uint8 if name.startswith("u") else np.int8)


def same_bits(found, wanted):
    """The elements that have the same bits, or are both NaN."""
    unsigned = np.dtype(f"u{wanted.itemsize}")
    return (found.view(unsigned) == wanted.view(unsigned)) | ((found != found) & (wanted != wanted))


class Tools:
    def __init__(self, folder, work):
        self._folder, self._work = folder, work
        self.failed = 0

    def fail(self, message):
        self.failed += 1
        print(message)

    def call(self, tool, *arguments):
        command = [str(self._folder / tool), *map(str, arguments)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode:
            self.fail(
                f"{' '.join(command)}: exit code {result.returncode}\n{result.stderr[-2000:]}"
            )
        return not result.returncode

    def run(self, model, inputs, name):
        """A model's outputs by their names, or None."""
        folder = self._work / name
        folder.mkdir(parents=True, exist_ok=True)
        onnx.save(model, folder / "model.onnx")
        files = []
        for index, array in enumerate(inputs):
            files.append(folder / f"input_{index}.npy")
            np.save(files[-1], as_stored(array))
        options = ["--inputs", *files] if files else []
        if not self.call("quant-float-run", folder / "model.onnx", *options, "--outputs", folder):
            return None
        names = [output.name for output in model.graph.output]
        return {name: np.load(folder / f"output_{k}.npy") for k, name in enumerate(names)}


def nodes_alone(model, values, agreement):
    """The quantization nodes alone: their data inputs become graph inputs, and their parameters are
    kept."""
    nodes, inputs, outputs, arrays = [], [], [], []
    infos = agreement.value_infos(model)
    types = {name: agreement.element_type(info) for name, info in infos.items()}
    for index, node in enumerate(model.graph.node):
        if node.op_type not in OPERATIONS:
            continue
        x = values[node.input[0]]
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        copy.input[0] = f"input_{index}"
        nodes.append(copy)
        inputs.append(helper.make_tensor_value_info(copy.input[0], types[node.input[0]], x.shape))
        arrays.append(x)
        outputs += [
            helper.make_tensor_value_info(name, types[name], values[name].shape)
            for name in node.output
        ]
    needed = {name for node in nodes for name in node.input[1:]}
    parameters = [tensor for tensor in model.graph.initializer if tensor.name in needed]
    graph = helper.make_graph(nodes, "nodes", inputs, outputs, parameters)
    alone = helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)
    return alone, arrays


def check_nodes(tools, name, model, values, agreement):
    alone, arrays = nodes_alone(model, values, agreement)
    found = tools.run(alone, arrays, f"{name}-nodes")
    if found is None:
        return
    elements = 0
    for key, array in found.items():
        wanted = values[key]
        array = array.view(wanted.dtype) if array.itemsize == wanted.itemsize else array
        if array.shape != wanted.shape or array.dtype != wanted.dtype:
            tools.fail(
                f"{name}: {key}: {array.dtype}{array.shape}, not {wanted.dtype}{wanted.shape}"
            )
            continue
        wrong = np.count_nonzero(~same_bits(array, wanted))
        elements += wanted.size
        if wrong:
            tools.fail(f"{name}: {key}: {wrong} of {wanted.size} have different bits")
    if not elements:
        tools.fail(f"{name}: no element of a quantization node to compare")
    print(f"{name}: {len(alone.graph.node)} quantization nodes, {elements} elements compared")


def check_whole(tools, name, model, values, agreement):
    """The network as it is, and with the quantized activations as additional results."""
    (image,) = (value.name for value in model.graph.input)
    results = [output.name for output in model.graph.output]
    encodings = agreement.code_names(model)
    for title, names in ((name, results), (f"{name}-codes", results + encodings)):
        found = tools.run(agreement.probed(model, names), [values[image]], title)
        if found is None:
            continue
        found = {key: array.view(values[key].dtype) for key, array in found.items()}
        total = sum(array.size for array in found.values())
        if not total:
            tools.fail(f"{title}: no element to compare")
            continue
        bounds = agreement.Bounds(model, values, found)
        for line in bounds.excess:
            tools.fail(f"{title}: {line}")
        off = max(agreement.difference(found[key], values[key]).max() for key in results)
        allowed = max(bounds[key].max() for key in results)
        differing = sum(np.count_nonzero(found[key] != values[key]) for key in names)
        print(f"{title}: {off:.1e} off, {allowed:.1e} allowed; {differing} of {total} differ")


def main(arguments):
    """check.py's tests: TOOLS EXAMPLE WORK NETWORK:SCHEME..."""
    tools_folder, example, work = map(pathlib.Path, arguments[:3])
    # The agreement check of the example.
    sys.path.insert(0, str(example))
    import agreement

    from networks import quantizers

    tools = Tools(tools_folder, work)
    for case in arguments[3:]:
        network, scheme = case.split(":")
        name = f"{network}-{scheme}"
        file = work / f"{name}.onnx"
        model = quantizers.quantized(scheme, example / f"{network}-f32.onnx", file)
        pixels = np.load(example / "test-images.npy")
        images = (pixels / 16).astype(np.float32).reshape(-1, *quantizers.image_shape(model))
        values = agreement.runtime_values(model, {"image": images})
        tools.call("quant-float-check", file)
        check_nodes(tools, name, model, values, agreement)
        check_whole(tools, name, model, values, agreement)
    print(f"{tools.failed} failures")
    return 1 if tools.failed else 0
