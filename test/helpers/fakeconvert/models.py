"""Cases as OpenVINO models with many nodes in a model, and OpenVINO's results."""

import os
import platform

import numpy as np
import openvino
import openvino.properties.hint
from openvino import opset13

from fakeconvert.semantics import DOUBLED, FLUSHED, IN_F32, INVALID, POWER, TINY

TYPES = {"f32": openvino.Type.f32, "f16": openvino.Type.f16, "bf16": openvino.Type.bf16}
DESTINATIONS = {"f8E4M3FN": "f8e4m3", "f8E5M2": "f8e5m2"}


def _tensor(name, encodings):
    made = openvino.Tensor(TYPES[name], openvino.Shape(list(encodings.shape)))
    made.data.view(encodings.dtype)[...] = encodings
    return made


def _encodings(tensor):
    array = np.array(tensor.data)
    return array.view(f"u{array.itemsize}")


def build(cases, datas):
    """The model, and the (name, encodings) of its inputs."""
    parameters, results, inputs = [], [], []

    def place(name, type_name, encodings, constant, is_dynamic=False):
        if constant:
            return opset13.constant(_tensor(type_name, encodings))
        inputs.append((name, encodings))
        # A dynamic size works like a static one.
        shape = [-1] * encodings.ndim if is_dynamic else list(encodings.shape)
        parameters.append(opset13.parameter(shape, TYPES[type_name], name))
        return parameters[-1]

    for index, (case, data) in enumerate(zip(cases, datas, strict=True)):
        # Between several steps, the plugin may or may not round to a narrow type, depending on
        # whether the sizes are static.
        simple = case.type == "f32" or (data.shift is None and case.origin.scale)
        is_dynamic = simple and case.number % 4 == 3
        operands = [
            place(f"x{index}", case.type, data.x, case.is_folded, is_dynamic),
            place(f"s{index}", case.type, data.scale, case.origin.scale),
        ]
        if data.shift is not None:
            operands.append(place(f"t{index}", case.type, data.shift, case.origin.shift))
        destination = DESTINATIONS[case.destination]
        node = opset13.fake_convert(*operands, destination_type=destination, name=f"n{index}")
        results.append(opset13.result(node))
    return openvino.Model(results, parameters, "cases"), inputs


def save(model, path):
    openvino.save_model(model, path, compress_to_fp16=False)


class OpenVino:
    """The results of the CPU plugin and of Model.evaluate, and a description of the machine."""

    def __init__(self):
        self._core = openvino.Core()
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as info:
            flags = next((line for line in info if line.startswith("flags")), "").split()
        # oneDNN's own limit of the instruction set, which OpenVINO follows.
        bf16_and_on = ("avx512_bf16", "avx512_fp16")
        beyond = {"SSE41": ("avx",), "AVX2": ("avx512",), "AVX512_CORE": bf16_and_on}
        limit = beyond.get(os.environ.get("ONEDNN_MAX_CPU_ISA"), ())
        self._flags = {flag for flag in flags if not flag.startswith(limit)}

    def __str__(self):
        version = openvino.__version__.split("-")[0]
        names = ("avx2", "avx512f", "avx512bw", "avx512_bf16", "avx512_fp16")
        told = " ".join(f"{'' if name in self._flags else 'no '}{name}" for name in names)
        return f"OpenVINO {version} on a CPU with {told}"

    def _precision(self, case):
        """The plugin's precision hint. Only f16 keeps f16 in its own type, on CPUs with
        AVX512-FP16. The rounding of f16 inputs is not known."""
        own = case.type == "f16" and "avx512_fp16" in self._flags
        return "f16" if own and case.origin.scale and case.origin.shift else "f32"

    def quirks(self, mode, case):
        """The deviations of this machine's bits from a mode's."""
        if case.arithmetic(mode) == "openvino_reference":
            return {INVALID} if platform.machine() == "x86_64" else set()
        found = {POWER}
        # The plugin computes in bf16 regardless of the hint.
        in_bf16 = case.type == "bf16" and "avx512bw" in self._flags
        if case.type != "f32" and not in_bf16 and self._precision(case) == "f32":
            found.add(IN_F32)
        if case.type == "f32" or IN_F32 in found:
            found.add(FLUSHED)
        # The kernel with direct conversions requires AVX512-FP16.
        if case.destination == "f8E5M2" and "avx512_fp16" not in self._flags:
            found.add(DOUBLED)
        if in_bf16 and "avx512_bf16" in self._flags:
            found.add(TINY)
        return found

    def run(self, model, cases, inputs):
        """The results of the CPU plugin."""
        results = {}
        for precision in {self._precision(case) for case in cases}:
            options = {openvino.properties.hint.inference_precision: TYPES[precision]}
            request = self._core.compile_model(model, "CPU", options).create_infer_request()
            for index, (_, encodings) in enumerate(inputs):
                request.set_input_tensor(index, _tensor(cases[0].type, encodings))
            request.infer()
            results[precision] = [
                _encodings(request.get_output_tensor(i)) for i in range(len(cases))
            ]
        return [results[self._precision(case)][i] for i, case in enumerate(cases)]

    def evaluate(self, model, cases, inputs, datas):
        """The results of Model.evaluate."""
        name = cases[0].type
        made = [openvino.Tensor(TYPES[name], openvino.Shape(list(d.x.shape))) for d in datas]
        if not model.evaluate(made, [_tensor(name, encodings) for _, encodings in inputs]):
            raise RuntimeError("OpenVINO does not evaluate the model")
        return [_encodings(tensor) for tensor in made]
