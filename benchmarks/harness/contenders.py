# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The contenders: ours, the peers, and plain traffic.

A contender is created for one row, one input and one output buffer, which all contenders of the row
share, so that caches and pages are the same for each. `time(calls)` runs this number of conversions
and returns the seconds they took.
"""

import copy
import ctypes
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from . import blocks, fakeconvert, modules, quantization
from .formats import FORMATS, Format


class Unsupported(Exception):
    """The contender does not support this row. The message gives the reason."""


def count_differing(result: np.ndarray, want: np.ndarray, target: Format) -> int:
    wrong = result.reshape(-1).view(target.code) != want
    if wrong.any() and target.numpy.kind != "i":
        # All NaNs are equal, as the sign of NaN does not affect the time.
        values = (result.reshape(-1), want.view(target.numpy))
        wrong &= ~np.logical_and(*(np.isnan(value.astype(np.float32)) for value in values))
    return int(np.count_nonzero(wrong))


class Contender:
    converts = True  # whether the output is compared
    has_blocks = False  # whether block_quantize and block_dequantize are supported
    has_p3109 = False  # whether formats of IEEE P3109 are supported

    def __init__(self, row: dict, inputs: list[np.ndarray], result: np.ndarray, setting):
        self.row, self.inputs, self.result, self.setting = row, inputs, result, setting
        self.data = inputs[0]
        self.source: Format = FORMATS[row["from"]]
        self.target: Format = FORMATS[row["to"]]
        self.prepare()

    def prepare(self) -> None:
        pass

    def time(self, calls: int) -> float:
        raise NotImplementedError

    def count_differing(self, want: np.ndarray) -> int:
        """The number of elements with other encodings."""
        return count_differing(self.result, want, self.target)


class Ours(Contender):
    """The entry point of a shared library, called from C."""

    cpu = "host"
    has_blocks = has_p3109 = True

    def prepare(self) -> None:
        if self.setting.tool is None:
            raise Unsupported("quant-float-compile is not built")
        try:
            self.function = self.setting.entry_point(self.row, self.cpu)
        except modules.CompileError as error:
            raise Unsupported(f"does not compile: {error}") from error
        types = [self.source.onnx]
        if self.row["op"] in blocks.OPERATIONS:
            types = [form.onnx for form in blocks.input_types(self.row)]
        elif self.row["op"] == "fakeconvert":
            types += [FORMATS["f32"].onnx] * (len(self.inputs) - 1)
        elif len(self.inputs) > 1:
            types += [FORMATS["f32"].onnx, quantization.storage(self.row).onnx]
        tensors = [modules.tensor(*pair) for pair in zip(self.inputs, types, strict=True)]
        self.output = modules.tensor(self.result, self.target.onnx)
        if self.row.get("packed") == "input":
            self.encodings = quantization.packed(self.data)
            tensors[0] = modules.packed_tensor(self.encodings, self.data, types[0])
        elif self.row.get("packed") == "result":
            self.output = modules.packed_tensor(self.result, self.data, self.target.onnx)
        self.scales = None
        if self.row["op"] in blocks.OPERATIONS:
            self.scales = blocks.make_scales(self.row, self.data.size)
        if self.scales is not None:
            form = FORMATS[self.row["scale"]]
            scales = modules.tensor(self.scales, form.onnx)
            self.output = (modules.Tensor * 2)(self.output, scales)
        self.input = (modules.Tensor * len(tensors))(*tensors)
        self.error = ctypes.create_string_buffer(modules.ERROR_SIZE)
        self.time(1)

    def count_differing(self, want: np.ndarray) -> int:
        if self.scales is not None:
            scales = blocks.expected_scales(self.row, self.data).view(np.uint8)
            if differing := int(np.count_nonzero(self.scales.view(np.uint8) != scales)):
                return differing
        if self.row.get("packed") != "result":
            return super().count_differing(want)
        encodings = self.result.reshape(-1).view(np.uint8)[: want.size // 2]
        encodings = np.stack((encodings & 15, encodings >> 4), axis=1)
        return count_differing(encodings.view(self.target.numpy), want, self.target)

    def time(self, calls: int) -> float:
        status = ctypes.c_int()
        seconds = self.setting.natives[self.cpu].time_entry_point(
            self.function,
            ctypes.byref(self.input),
            ctypes.byref(self.output),
            self.error,
            ctypes.c_size_t(modules.ERROR_SIZE),
            ctypes.c_int64(calls),
            ctypes.byref(status),
        )
        if status.value:
            raise Unsupported(f"error {status.value}: {self.error.value.decode()}")
        return seconds


class NumKong(Contender):
    """The C function that the Python package exports, called from C."""

    name = "NumKong"

    def prepare(self) -> None:
        import numkong

        if self.row["op"] != "cast":
            raise Unsupported("only casts")
        if "f4e2m1" in (self.source.name, self.target.name):
            raise Unsupported("packs two f4E2M1 in a byte, with the first one on top")
        if None in (self.source.numkong, self.target.numkong):
            raise Unsupported("no such types")
        library = ctypes.CDLL(numkong._numkong.__file__)
        self.function = library.nk_cast

    def time(self, calls: int) -> float:
        return self.setting.native.time_numkong(
            self.function,
            ctypes.c_void_p(self.data.ctypes.data),
            ctypes.c_uint32(self.source.numkong),
            ctypes.c_uint64(self.data.size),
            ctypes.c_void_p(self.result.ctypes.data),
            ctypes.c_uint32(self.target.numkong),
            ctypes.c_int64(calls),
        )


class OnnxRuntime(Contender):
    """One thread, a model of one node, with both buffers bound: nothing is copied."""

    name = "ONNX Runtime"

    def prepare(self) -> None:
        import onnxruntime as ort

        if self.row["op"] == "fakeconvert":
            raise Unsupported("not an ONNX op")
        if self.row["op"] == "cast" and self.row.get("packed"):
            raise Unsupported("binds no buffer of packed elements")
        if self.row["op"] == "cast":
            model = self._cast_model()
        else:
            model = quantization.onnx_model(self.row, self.inputs)
        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        binds_input = self.source.name != "i4"
        if not binds_input:  # otherwise, it would fold the computation
            options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        try:
            self.session = ort.InferenceSession(
                model.SerializeToString(), options, ["CPUExecutionProvider"]
            )
            self.binding = self.session.io_binding()
            shape = list(self.data.shape)
            for bind, name, form, array in (
                (self.binding.bind_input, "x", self.source, self.data),
                (self.binding.bind_output, "y", self.target, self.result),
            ):
                if name == "y" or binds_input:
                    bind(name, "cpu", 0, form.onnx, shape, array.ctypes.data)
            self.time(1)
        except Exception as error:  # its own exceptions have no useful common base
            raise Unsupported(str(error).splitlines()[0][:200]) from error

    def _cast_model(self):
        from onnx import helper

        node = helper.make_node("Cast", ["x"], ["y"], to=self.target.onnx)
        graph = helper.make_graph(
            [node],
            self.row["name"],
            [helper.make_tensor_value_info("x", self.source.onnx, ["n"])],
            [helper.make_tensor_value_info("y", self.target.onnx, ["n"])],
        )
        # Runtimes lag behind the newest version. The results do not depend on it for finite data,
        # so the oldest version with these types suffices.
        types = (self.source.onnx, self.target.onnx)
        opset = 23 if 23 in types else 19
        imports = [helper.make_opsetid("", opset)]
        return helper.make_model(graph, opset_imports=imports, ir_version=10)

    def time(self, calls: int) -> float:
        run, binding = self.session.run_with_iobinding, self.binding
        start = time.perf_counter()
        for _ in range(calls):
            run(binding)
        return time.perf_counter() - start


CONVERT_TYPES = {"f32": "f32", "f16": "f16", "bf16": "bf16", "e4m3fn": "f8e4m3", "e5m2": "f8e5m2"}


class OpenVino(Contender):
    """One thread and both tensors in place: the ONNX model of the row, or the most similar one."""

    name = "OpenVINO"

    def prepare(self) -> None:
        import openvino

        if self.source.name == "i4" or self.row.get("packed"):
            raise Unsupported("packs two in a byte, and takes no such buffer")
        core = openvino.Core()
        settings = {"INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": "f32"}
        try:
            model = self._make_model(core)
            compiled = core.compile_model(model, "CPU", settings)
            self.request = compiled.create_infer_request()
            for port, array, bind in (
                (compiled.input(0), self.data, self.request.set_input_tensor),
                (compiled.output(0), self.result, self.request.set_output_tensor),
            ):
                if port.element_type.size != array.itemsize:
                    raise Unsupported(f"has {port.element_type} there")
                bind(openvino.Tensor(array.view(np.uint8), port.get_shape(), port.element_type))
            self.time(1)
        except (RuntimeError, TypeError, ValueError) as error:
            raise Unsupported(str(error).strip().splitlines()[-1][:200]) from error

    def _make_model(self, core):
        import openvino
        from openvino import opset13

        if self.row["op"] == "cast":
            names = [CONVERT_TYPES.get(form.name) for form in (self.source, self.target)]
            if None in names:
                raise Unsupported("no such types")
            x = opset13.parameter(list(self.data.shape), getattr(openvino.Type, names[0]))
            return openvino.Model([opset13.convert(x, names[1])], [x])
        if self.row["op"] == "fakeconvert":
            return fakeconvert.openvino_model(self.row, self.inputs)
        if self.row["op"] != "qdq":
            model = quantization.onnx_model(self.row, self.inputs)
            return core.read_model(model.SerializeToString())
        # (f8(x * scale) / scale), with a reciprocal, where ours divides first.
        x = opset13.parameter(list(self.data.shape), np.float32)
        scale = opset13.constant(np.float32(1) / self.inputs[1].reshape(1))
        y = opset13.fake_convert(x, scale, destination_type="f8e4m3")
        return openvino.Model([y], [x])

    def time(self, calls: int) -> float:
        infer = self.request.infer
        start = time.perf_counter()
        for _ in range(calls):
            infer()
        return time.perf_counter() - start


class MlDtypes(Contender):
    """numpy's casting loops with ml_dtypes' types, into the given buffer."""

    name = "ml_dtypes"

    def prepare(self) -> None:
        if self.row["op"] != "cast":
            raise Unsupported("only casts")
        if self.row.get("packed"):
            raise Unsupported("has a byte for each element")

    def time(self, calls: int) -> float:
        start = time.perf_counter()
        for _ in range(calls):
            np.copyto(self.result, self.data, casting="unsafe")
        return time.perf_counter() - start


class Traffic(Contender):
    """Reads and writes the row's bytes without a conversion, with the vectors of a CPU."""

    cpu = "host"
    converts = False
    has_blocks = True
    non_temporal = 0

    def time(self, calls: int) -> float:
        # Two packed elements count as one.
        packed = self.row.get("packed")
        together = 2 if packed else 1
        seconds = self.setting.natives[self.cpu].time_traffic(
            ctypes.c_void_p(self.data.ctypes.data),
            ctypes.c_int64(self.source.size * (1 if packed == "input" else together)),
            ctypes.c_void_p(self.result.ctypes.data),
            ctypes.c_int64(self.target.size * (1 if packed == "result" else together)),
            ctypes.c_int64(self.data.size // together),
            ctypes.c_int(self.non_temporal),
            ctypes.c_int64(calls),
        )
        if seconds < 0:
            raise Unsupported("no loop for these sizes")
        return seconds


def ours_name(cpu: str, first: str) -> str:
    return "quant-float" if cpu == first else f"quant-float ({cpu})"


def traffic_name(cpu: str, first: str, non_temporal: bool) -> str:
    """Non-temporal stores in the second one."""
    words = [word for word in (cpu if cpu != first else "", "nt" if non_temporal else "") if word]
    return f"traffic ({', '.join(words)})" if words else "traffic"


def list_contenders(cpus: list[str]) -> list[type[Contender]]:
    """The contenders: ours and traffic for each CPU, and the peers."""

    def make(kind, name, **values):
        return type(kind.__name__, (kind,), {"name": name, **values})

    from .compilers import Iree, Jax
    from .ggml import Ggml
    from .torchao import TorchAO

    first = cpus[0]
    ours = [make(Ours, ours_name(cpu, first), cpu=cpu) for cpu in cpus]
    traffic = [
        make(Traffic, traffic_name(cpu, first, bool(way)), cpu=cpu, non_temporal=way)
        for cpu in cpus
        for way in (0, 1)
    ]
    return [*ours, NumKong, OnnxRuntime, OpenVino, Jax, Iree, MlDtypes, TorchAO, Ggml, *traffic]


class Setting:
    """The common environment of all contenders: the native helpers, by CPU, and our compiler."""

    def __init__(
        self,
        natives: dict[str, ctypes.CDLL],
        tool: Path | None,
        folder: Path,
        without: Sequence[str] = (),
    ):
        self.natives, self.tool, self.folder = natives, tool, folder
        self.native = next(iter(natives.values()))
        self.contenders = [c for c in list_contenders(list(natives)) if c.name not in without]
        for native in natives.values():
            for name in ("time_entry_point", "time_numkong", "time_traffic"):
                getattr(native, name).restype = ctypes.c_double
        self._entry_points: dict = {}

    def exclude(self, names: Sequence[str]) -> "Setting":
        """The same setting without the contenders of these names."""
        other = copy.copy(self)
        other.contenders = [c for c in self.contenders if c.name not in names]
        return other

    def entry_point(self, row: dict, cpu: str):
        key = (row["name"], row.get("columns"), cpu)
        if key not in self._entry_points:
            folder = self.folder / "-".join(map(str, key))
            folder.mkdir(exist_ok=True)
            self._entry_points[key] = modules.compile_row(row, self.tool, folder, cpu)
        return self._entry_points[key]
