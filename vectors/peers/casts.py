"""Casts, quantizations and FakeConvert of ONNX, OCP and OpenVINO."""

import ctypes
import sys

import numpy as np
import quant_float_vectors as vectors

from .tables import BYTES, FLOATS, NAMES, get_dtype, get_input, is_plain_cast, knows


class MlDtypes:
    """astype of numpy arrays."""

    name, package, saturate = "ml_dtypes", "ml_dtypes", False

    def convert(self, table):
        if not is_plain_cast(table) or not knows(table, FLOATS):
            return None
        try:
            with np.errstate(all="ignore"):
                return get_input(table).astype(get_dtype(table.target))
        except TypeError:  # no such cast
            return None


class Jax:
    """astype under jit, by XLA on the CPU."""

    name, package = "JAX", "jax"

    def __init__(self):
        import jax

        jax.config.update("jax_enable_x64", True)
        jax.config.update("jax_platforms", "cpu")
        self.jax = jax

    def convert(self, table):
        if not is_plain_cast(table) or not knows(table, FLOATS):
            return None
        target = get_dtype(table.target)
        try:
            return np.asarray(self.jax.jit(lambda x: x.astype(target))(get_input(table)))
        except Exception as error:  # its own exceptions have no common base
            print(f"JAX: {table.name}: {str(error).splitlines()[0]}", file=sys.stderr)
            return None


class NumKong:
    """The C function nk_cast."""

    name, package = "NumKong", "numkong"

    def __init__(self):
        import numkong

        self.cast = ctypes.CDLL(numkong._numkong.__file__).nk_cast

    def convert(self, table):
        numbers = [NAMES.get(kind, [None] * 4)[3] for kind in (table.source, table.target)]
        isOne = table.operation == "cast" and table.attributes.get("saturate", True)
        if None in numbers or not isOne:
            return None
        data = np.ascontiguousarray(table.input)
        made = np.empty_like(table.output)
        self.cast(
            ctypes.c_void_p(data.ctypes.data),
            ctypes.c_uint32(numbers[0]),
            ctypes.c_uint64(data.size),
            ctypes.c_void_p(made.ctypes.data),
            ctypes.c_uint32(numbers[1]),
        )
        return made


def make_model(table, opset):
    """A model of one node, with a scale and a zero point as inputs."""
    from onnx import helper

    attributes = {}
    has_zero_point = table.zero_point is not None
    if table.operation == "cast":
        op, names = "Cast", ["x"]
        attributes["to"] = NAMES[table.target][1]
        if "round_mode" in table.attributes:
            attributes["round_mode"] = table.attributes["round_mode"]
    elif table.operation == "quantize":
        op, names = "QuantizeLinear", ["x", "s"] + ["z"] * has_zero_point
        if not has_zero_point:
            attributes["output_dtype"] = NAMES[table.target][1]
    else:
        op, names = "DequantizeLinear", ["x", "s"] + ["z"] * has_zero_point
    if "saturate" in table.attributes:
        attributes["saturate"] = int(table.attributes["saturate"])
    kinds = [table.source, table.scale_type, table.entry.get("zero_point")]
    shapes = [["n"], [], []]
    inputs = [
        helper.make_tensor_value_info(name, NAMES[kind][1], shape)
        for name, kind, shape in zip(names, kinds, shapes, strict=False)
    ]
    output = helper.make_tensor_value_info("y", NAMES[table.target][1], ["n"])
    node = helper.make_node(op, names, ["y"], **attributes)
    graph = helper.make_graph([node], "g", inputs, [output])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=11)


def run_by_parameters(table, run):
    """For tables with scales: calls `run` with the rows that share a scale and zero point."""
    if table.scale is None:
        return run(slice(None), None, None)
    parameters = [vectors.get_encodings(table.scale)]
    if table.zero_point is not None:
        parameters.append(vectors.get_encodings(table.zero_point))
    made = np.empty_like(table.output)
    for pair in sorted(set(zip(*(p.tolist() for p in parameters), strict=True))):
        rows = np.logical_and.reduce([p == v for p, v in zip(parameters, pair, strict=True)])
        rows = np.flatnonzero(rows)
        scale = get_input(table, "scale", table.scale_type)[rows[0]]
        zero = None
        if table.zero_point is not None:
            zero = get_input(table, "zero_point", table.entry["zero_point"])[rows[0]]
        some = run(rows, scale, zero)
        if some is None:
            return None
        made[rows] = np.ascontiguousarray(some).view(made.dtype)
    return made


class OnnxReference:
    """onnx.reference.ReferenceEvaluator."""

    name, package = "onnx.reference", "onnx"

    def convert(self, table):
        from onnx.reference import ReferenceEvaluator

        if table.operation not in ("cast", "quantize", "dequantize") or not knows(table, NAMES):
            return None
        if table.attributes.get("precision", "f32") != "f32":
            return None
        evaluator = ReferenceEvaluator(make_model(table, table.attributes.get("opset", 28)))

        def run(rows, scale, zero):
            feeds = {"x": get_input(table)[rows], "s": scale, "z": zero}
            feeds = {key: np.asarray(value) for key, value in feeds.items() if value is not None}
            with np.errstate(all="ignore"):
                return evaluator.run(None, feeds)[0]

        try:
            return run_by_parameters(table, run)
        except Exception as error:  # any exception of numpy
            print(f"onnx.reference: {table.name}: {error}", file=sys.stderr)
            return None


class OnnxRuntime:
    """One node, on the CPU, with bound input and output buffers."""

    name, package = "ONNX Runtime", "onnxruntime"

    def convert(self, table):
        import onnxruntime as ort

        if table.operation not in ("cast", "quantize", "dequantize") or not knows(table, BYTES):
            return None
        if table.attributes.get("precision", "f32") != "f32":
            return None
        options = ort.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = 1
        opset = 23 if table.attributes.get("opset") == 23 else 25
        try:
            model = make_model(table, opset).SerializeToString()
            session = ort.InferenceSession(model, options, ["CPUExecutionProvider"])
        except Exception:  # there is no kernel
            return None

        def run(rows, scale, zero):
            binding = session.io_binding()
            feeds = [("x", table.source, get_input(table)[rows])]
            if scale is not None:
                feeds.append(("s", table.scale_type, np.asarray(scale)))
            if zero is not None:
                feeds.append(("z", table.entry["zero_point"], np.asarray(zero)))
            feeds = [(n, k, np.ascontiguousarray(array)) for n, k, array in feeds]
            made = np.empty(feeds[0][2].shape, get_dtype(table.target))
            for name, kind, array in feeds:
                shape = [] if name != "x" else list(array.shape)
                binding.bind_input(name, "cpu", 0, NAMES[kind][1], shape, array.ctypes.data)
            number = NAMES[table.target][1]
            binding.bind_output("y", "cpu", 0, number, list(made.shape), made.ctypes.data)
            session.run_with_iobinding(binding)
            return made

        return run_by_parameters(table, run)


class OpenVino:
    """Convert and FakeConvert: the mode openvino_reference in Model.evaluate, the others in the CPU
    plugin."""

    name, package = "OpenVINO", "openvino"

    def convert(self, table):
        import openvino
        from openvino import opset13

        kinds = [NAMES.get(kind, [None] * 3)[2] for kind in (table.source, table.target)]
        if None in kinds:
            return None
        source, target = (getattr(openvino.Type, kind) for kind in kinds)
        x = opset13.parameter([table.input.size], source)
        if table.operation == "fakeconvert":
            parameters = [opset13.constant(table.scale)]
            if table.zero_point is not None:
                parameters.append(opset13.constant(table.zero_point))
            kind = NAMES[table.attributes["destination_type"]][2]
            y = opset13.fake_convert(x, *parameters, destination_type=kind)
        elif is_plain_cast(table):
            y = opset13.convert(x, target)
        else:
            return None
        model = openvino.Model([y], [x])
        data = openvino.Tensor(np.ascontiguousarray(table.input).view(source.to_dtype()))
        try:
            if table.attributes.get("mode") == "openvino_reference":
                output = openvino.Tensor(target, [table.input.size])
                if not model.evaluate([output], [data]):
                    return None
                return output.data.copy()
            settings = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
            compiled = openvino.Core().compile_model(model, "CPU", settings)
            made = compiled([data])[0]
        except RuntimeError as error:
            print(f"OpenVINO: {table.name}: {str(error).strip().splitlines()[-1]}", file=sys.stderr)
            return None
        return made


class Torch:
    """Tensor.to on the CPU."""

    name, package = "PyTorch", "torch"

    def convert(self, table):
        import torch

        # Since 2.13, it saturates to these.
        saturate = table.target in ("f8E4M3FN", "f8E8M0FNU")
        if not is_plain_cast(table, saturate) or not knows(table, FLOATS):
            return None
        source, target = (getattr(torch, NAMES[k][0], None) for k in (table.source, table.target))
        if source is None or target is None:
            return None
        encodings = torch.from_numpy(table.input.copy())
        made = encodings.view(source).to(target)
        sizes = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
        return made.view(sizes[table.output.itemsize]).numpy()


PEERS = [MlDtypes, OnnxReference, OnnxRuntime, OpenVino, NumKong, Jax, Torch]
