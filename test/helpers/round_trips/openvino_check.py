"""Imports and exports an OpenVINO model: the result is the same up to the normal form, and has the
same outputs."""

import xml.etree.ElementTree as ET

import numpy as np
import openvino
import openvino.properties.hint

from round_trips.openvino_normal import describe_difference, find_numbers, normalize
from round_trips.trips import Trips


def make_tensor(element_type, shape, rng):
    """A tensor of small numbers, or of random bits if numpy lacks the type."""
    tensor = openvino.Tensor(element_type, openvino.Shape(shape))
    name = element_type.get_type_name()
    if name == "string":
        return openvino.Tensor(np.full(shape, "text"))
    if name == "boolean" or name[0] in "iu":
        tensor.data[...] = rng.integers(0, 2, tensor.data.shape)
    elif name in ("f16", "f32", "f64"):
        tensor.data[...] = rng.standard_normal(tensor.data.shape)
    return tensor


def make_inputs(model):
    """Dynamic sizes are set to 1."""
    rng = np.random.default_rng(0)
    inputs = []
    for parameter in model.inputs:
        partial = parameter.partial_shape
        if partial.rank.is_dynamic or parameter.element_type == openvino.Type.dynamic:
            return None
        shape = [
            dim.get_length() if dim.is_static else max(1, dim.get_min_length()) for dim in partial
        ]
        inputs.append(make_tensor(parameter.element_type, shape, rng))
    return inputs


def run_model(model, inputs):
    """The results of the CPU plugin in f32, or None if it fails."""
    hint = openvino.properties.hint
    settings = {hint.inference_precision: openvino.Type.f32, "INFERENCE_NUM_THREADS": 1}
    try:
        compiled = openvino.Core().compile_model(model, "CPU", settings)
        request = compiled.create_infer_request()
        for index, tensor in enumerate(inputs):
            request.set_input_tensor(index, tensor)
        request.infer()
        outputs = [request.get_output_tensor(i) for i in range(len(compiled.outputs))]
        return [(t.element_type.get_type_name(), list(t.shape), read_bytes(t)) for t in outputs]
    except Exception:  # noqa: BLE001
        return None


def read_bytes(tensor):
    if tensor.element_type.get_type_name() == "string":
        return list(tensor.str_data.reshape(-1))
    return np.ascontiguousarray(tensor.data).tobytes()


def draws_numbers(path):
    """Whether a layer of the model or of its bodies is random without a seed. Running the model
    twice would not show this, as a few booleans may be equal by chance."""
    for layer in ET.parse(path).iter("layer"):
        if layer.get("type") in ("RandomUniform", "Multinomial"):
            data = layer.find("data")
            seeds = {} if data is None else data.attrib
            if all(int(seeds.get(name, 0)) == 0 for name in ("global_seed", "op_seed")):
                return True
    return False


def describe_interface(model):
    """Names, types and shapes of inputs and outputs."""
    return [
        (sorted(port.names), port.element_type.get_type_name(), str(port.partial_shape))
        for port in (*model.inputs, *model.outputs)
    ]


class RoundTrips(Trips):
    def check(self, name, path, runs=True):
        self.counts["models"] += 1
        out, again = self.folder / "out.xml", self.folder / "again.xml"
        done = self.call("--export-openvino", path, "-o", out)
        if done.returncode:
            # A model that is not imported cannot be exported.
            if done.returncode == 1 and "is not imported, so it cannot be exported" in done.stderr:
                self.counts["with bodies"] += 1
            elif (
                done.returncode == 1
                and self.call("--import-openvino", path, "-o", "/dev/null").returncode == 1
            ):
                self.counts["not importable"] += 1
            else:
                self.wrong.append(f"{name}: not exported: {done.stderr.strip()[:300]}")
            return
        self.counts["exported"] += 1
        after = normalize(out)
        if found := describe_difference(normalize(path), after) or find_numbers(out):
            self.wrong.append(f"{name}: {found}")
        else:
            self.counts["same"] += 1

        def is_same():
            files = [(f, f.with_name("again" + f.suffix)) for f in (out, out.with_suffix(".bin"))]
            return all(one.read_bytes() == other.read_bytes() for one, other in files)

        if self.call("--export-openvino", out, "-o", again).returncode or not is_same():
            self.wrong.append(f"{name}: different bytes after the second round trip")
        else:
            self.counts["stable"] += 1
        # Through MLIR's textual form.
        text = self.folder / "out.mlir"
        options = ("--keep-source", "--fakeconvert-mode=exact")
        ways = (
            ("--import-openvino", *options, path, "-o", text),
            ("--export-openvino", text, "-o", again),
        )
        if any(self.call(*way).returncode for way in ways) or not is_same():
            self.wrong.append(f"{name}: different bytes through MLIR")
        else:
            self.counts["the same through MLIR"] += 1
        if runs:
            self.run(name, path, out)

    def run(self, name, path, out):
        core = openvino.Core()
        try:
            before = core.read_model(path)
        except RuntimeError:
            return
        self.counts["read before"] += 1
        try:
            after = core.read_model(out)
        except RuntimeError as error:
            self.wrong.append(f"{name}: OpenVINO does not read it: {str(error)[:300]}")
            return
        if describe_interface(before) != describe_interface(after):
            self.wrong.append(f"{name}: different inputs or outputs")
        inputs = make_inputs(before)
        one = run_model(before, inputs) if inputs is not None else None
        if one is None:
            return
        self.counts["run before"] += 1
        other = run_model(after, inputs)
        if draws_numbers(path):
            # Only element types and sizes can be compared.
            if other is not None and [o[:2] for o in one] == [o[:2] for o in other]:
                self.counts["random outputs"] += 1
            else:
                self.wrong.append(f"{name}: OpenVINO computes different types or sizes")
        elif one == other:
            self.counts["same outputs"] += 1
        # Some bits are not defined, such as the unused bits of a 4-bit element's byte.
        elif other is not None and one != run_model(before, inputs):
            self.counts["random outputs"] += 1
        else:
            self.wrong.append(f"{name}: OpenVINO computes different outputs")
