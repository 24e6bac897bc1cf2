"""Models run by OpenVINO (CPU plugin and Model.evaluate) and by quant-float-run. Tensors are
(MLIR's element type, encodings)."""

import os
import pathlib
import subprocess

import numpy as np
import openvino
import openvino.properties.hint
from conformance.formats import FORMATS

NAMES = {
    "i1": "boolean",
    "f8E4M3FN": "f8e4m3",
    "f8E5M2": "f8e5m2",
    "f8E8M0FNU": "f8e8m0",
    "f4E2M1FN": "f4e2m1",
} | {f"ui{n}": f"u{n}" for n in (2, 4, 8, 16, 32, 64)}
for _name in ("f16", "bf16", "f32", "f64", "i4", "i8", "i16", "i32", "i64"):
    NAMES[_name] = _name
MLIR_NAMES = {name: mlir for mlir, name in NAMES.items()}


def get_type(name):
    return getattr(openvino.Type, NAMES[name])


def name_of(element_type):
    return MLIR_NAMES[element_type.get_type_name()]


def make_tensor(name, encodings):
    """Sub-byte elements are packed, lowest bits first."""
    width = FORMATS[name].width
    tensor = openvino.Tensor(get_type(name), openvino.Shape(list(encodings.shape)))
    flat = np.ascontiguousarray(encodings).reshape(-1)
    if width in (2, 4):
        parts = 8 // width
        padded = np.zeros((flat.size + parts - 1) // parts * parts, np.uint8)
        padded[: flat.size] = flat
        shifts = np.arange(0, 8, width, dtype=np.uint8)
        flat = np.bitwise_or.reduce(padded.reshape(-1, parts) << shifts, axis=1)
    if flat.size:
        tensor.data.reshape(-1).view(np.uint8)[...] = flat.view(np.uint8)
    return tensor


def read_tensor(tensor):
    name = name_of(tensor.element_type)
    form, shape = FORMATS[name], list(tensor.shape)
    count = int(np.prod(shape))
    raw = np.ascontiguousarray(tensor.data).reshape(-1).view(np.uint8)
    if form.width in (2, 4):
        shifts = np.arange(0, 8, form.width, dtype=np.uint8)
        encodings = ((raw[:, None] >> shifts) & ((1 << form.width) - 1)).reshape(-1)[:count]
        return name, encodings.reshape(shape)
    return name, raw.view(form.slot).reshape(shape)


def plugin(model, inputs):
    """The results of the CPU plugin, in f32."""
    hint = openvino.properties.hint
    compiled = openvino.Core().compile_model(
        model, "CPU", {hint.inference_precision: openvino.Type.f32}
    )
    request = compiled.create_infer_request()
    for index, tensor in enumerate(inputs):
        request.set_input_tensor(index, make_tensor(*tensor))
    request.infer()
    count = len(model.outputs)
    return [read_tensor(request.get_output_tensor(index)) for index in range(count)]


def evaluate(model, inputs, shapes):
    """The results of OpenVINO's reference. `shapes` are those of the results."""
    outputs = [
        openvino.Tensor(output.element_type, openvino.Shape(list(shape)))
        for output, shape in zip(model.outputs, shapes, strict=True)
    ]
    if not model.evaluate(outputs, [make_tensor(*tensor) for tensor in inputs]):
        raise RuntimeError("OpenVINO has no reference for the model")
    return [read_tensor(tensor) for tensor in outputs]


def save_input(path, name, encodings):
    slots = np.ascontiguousarray(FORMATS[name].slots(encodings))
    if name in ("f16", "f32", "f64"):
        slots = slots.view(FORMATS[name].dtype)
    elif FORMATS[name].kind == "integer" and FORMATS[name].signed:
        slots = slots.view(f"i{slots.itemsize}")
    elif name == "i1":
        slots = slots.view(np.bool_)
    np.save(path, slots.reshape(encodings.shape))


class Driver:
    """Runs models by quant-float-run, each in its own folder."""

    def __init__(self, tools_dir, work):
        self._program = pathlib.Path(tools_dir) / "quant-float-run"
        self._work = pathlib.Path(work)

    def run(self, name, model, inputs, options=()):
        """The results, or the error message."""
        folder = self._work / name
        folder.mkdir(parents=True)
        openvino.save_model(model, folder / "model.xml", compress_to_fp16=False)
        return self.run_file(folder / "model.xml", inputs, len(model.outputs), folder, options)

    def run_file(self, path, inputs, count, folder, options=()):
        files = [folder / f"input_{index}.npy" for index in range(len(inputs))]
        for file, tensor in zip(files, inputs, strict=True):
            save_input(file, *tensor)
        command = [self._program, path, "--outputs", folder, *options]
        if files:
            command += ["--inputs", *files]
        done = subprocess.run(
            list(map(str, command)), capture_output=True, text=True, check=False, errors="replace"
        )
        if done.returncode:
            return f"exit code {done.returncode}: {done.stderr.strip()}"
        return [np.load(folder / f"output_{index}.npy") for index in range(count)]


def slots_of(name, array):
    """The encodings of an output file."""
    form = FORMATS[name]
    slots = np.ascontiguousarray(array).view(form.slot).reshape(array.shape)
    return form.encodings(slots)


def equal(name, one, other):
    """Elementwise. Any two NaNs are equal."""
    form = FORMATS[name]
    same = one == other
    if form.kind == "float" and name != "f4E2M1FN":
        with np.errstate(invalid="ignore"):
            a, b = (
                np.isnan(form.array(encodings).astype(np.float64)) for encodings in (one, other)
            )
        same |= (a & b).reshape(same.shape)
    return same


def describe():
    """The versions of OpenVINO and the machine, for the log."""
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    sets = [s for s in ("avx2", "avx512f", "avx512_bf16", "avx512_fp16", "amx_tile") if s in flags]
    limit = os.environ.get("ONEDNN_MAX_CPU_ISA", "none")
    return f"OpenVINO {openvino.get_version()}, {' '.join(sets)}, limit {limit}"
