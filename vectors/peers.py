"""Runs other libraries on the vectors, and writes where they agree as JSON.

usage: peers.py [--data DIR] [--only PEER,...] [-o FILE]

A peer that is not installed is left out. What differs must be explained in peers.toml.
"""

import argparse
import ctypes
import importlib.metadata
import json
import pathlib
import re
import sys
import tomllib

import ml_dtypes
import numpy as np
import quant_float_vectors as vectors

# By MLIR's names: numpy's type, ONNX's number, OpenVINO's name, NumKong's number, gfloat's.
NAMES = {
    "f64": ("float64", 11, "f64", None, "binary64"),
    "f32": ("float32", 1, "f32", 1 << 11, "binary32"),
    "f16": ("float16", 10, "f16", 1 << 12, "binary16"),
    "bf16": ("bfloat16", 16, "bf16", 1 << 13, "bfloat16"),
    "f8E4M3FN": ("float8_e4m3fn", 17, "f8e4m3", 1 << 14, "ocp_e4m3"),
    "f8E4M3FNUZ": ("float8_e4m3fnuz", 18, None, None, None),
    "f8E5M2": ("float8_e5m2", 19, "f8e5m2", 1 << 15, "ocp_e5m2"),
    "f8E5M2FNUZ": ("float8_e5m2fnuz", 20, None, None, None),
    "f8E8M0FNU": ("float8_e8m0fnu", 24, "f8e8m0", None, "ocp_e8m0"),
    "f6E2M3FN": ("float6_e2m3fn", 27, None, None, "ocp_e2m3"),
    "f6E3M2FN": ("float6_e3m2fn", 28, None, None, "ocp_e3m2"),
    "f4E2M1FN": ("float4_e2m1fn", 23, None, None, "ocp_e2m1"),
    "i32": ("int32", 6, "i32", None, None),
    "ui32": ("uint32", 12, "u32", None, None),
    "i16": ("int16", 5, None, None, None),
    "ui16": ("uint16", 4, None, None, None),
    "i8": ("int8", 3, "i8", None, None),
    "ui8": ("uint8", 2, "u8", None, None),
    "i1": ("bool", 9, None, None, None),
}
FLOATS = [name for name in NAMES if name[0] in "fb"]
# Formats of IEEE P3109: K, P, signedness, domain.
BINARY = re.compile(r"!quant_float\.binary(\d)p(\d)([su])([ef])")
GFLOAT_ROUNDINGS = {
    "NearestTiesToEven": "TiesToEven",
    "NearestTiesToAway": "TiesToAway",
    "TowardPositive": "TowardPositive",
    "TowardNegative": "TowardNegative",
    "TowardZero": "TowardZero",
}
# Those that a value of their own type is in.
BYTES = [name for name in NAMES if not name.startswith("f4")]


def get_dtype(name):
    return np.dtype(getattr(ml_dtypes, NAMES[name][0], None) or NAMES[name][0])


def get_input(table, role="input", kind=None):
    array = getattr(table, role)
    return array.view(get_dtype(kind or table.source))


def knows(table, names):
    kinds = [table.source, table.target, table.scale_type, table.entry.get("zero_point")]
    return all(kind is None or kind in names for kind in kinds)


def is_plain_cast(table, saturate=False):
    """A cast of libraries without attributes, which do not saturate to float8."""
    attributes = table.attributes
    return (
        table.operation == "cast"
        and attributes.get("opset") == 28
        and attributes.get("saturate", saturate) == saturate
        and attributes.get("round_mode", "nearest") == "nearest"
    )


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
        except Exception as error:  # its own exceptions share no base
            print(f"JAX: {table.name}: {str(error).splitlines()[0]}", file=sys.stderr)
            return None


class Gfloat:
    """Graphcore's model of number formats, in numpy."""

    name, package = "gfloat", "gfloat"

    def project(self, table):
        """IEEE P3109. Rounding to odd and SatPropagate are newer than gfloat 0.5.2."""
        import gfloat
        import gfloat.formats
        from gfloat.types import Domain, Signedness

        name = BINARY.fullmatch(table.target)
        rounding = GFLOAT_ROUNDINGS.get(table.attributes["rounding"])
        saturation = table.attributes["saturation"]
        isKnown = table.source in ("f32", "f16", "bf16") and saturation != "SatPropagate"
        if not name or not rounding or not isKnown:
            return None
        format = gfloat.formats.format_info_p3109(
            int(name[1]),
            int(name[2]),
            Signedness.Signed if name[3] == "s" else Signedness.Unsigned,
            Domain.Extended if name[4] == "e" else Domain.Finite,
        )
        with np.errstate(all="ignore"):
            values = get_input(table).astype(np.float64)
            # It raises an exception for some of these, so that all are wrong answers.
            refused = (values < 0) & (name[3] == "u")
            rounded = gfloat.round_ndarray(
                format,
                np.where(refused, 0, values),
                gfloat.RoundMode[rounding],
                saturation == "SatFinite",
            )
            codes = gfloat.encode_ndarray(format, rounded)
            codes[refused] = 1
        return codes.astype(vectors.get_codes(table.output).dtype)

    def convert(self, table):
        import gfloat.formats

        if table.operation == "project":
            return self.project(table)
        source, target = NAMES.get(table.source, [None])[-1], NAMES.get(table.target, [None])[-1]
        attributes = table.attributes
        isCast = table.operation == "cast" and table.source in ("f64", "f32", "f16", "bf16")
        if not isCast or not source or not target or table.target == "f8E8M0FNU":
            return None
        format = getattr(gfloat.formats, f"format_info_{target}")
        saturate = attributes.get("saturate", not format.num_infs and not format.num_nans)
        with np.errstate(all="ignore"):
            values = get_input(table).astype(np.float64)
            rounded = gfloat.round_ndarray(format, values, sat=saturate)
            # Where there is no NaN it refuses them: no answer is a wrong one.
            refused = np.isnan(rounded) & (format.num_nans == 0)
            codes = gfloat.encode_ndarray(format, np.where(refused, 0, rounded))
            codes[refused] = 0xFF
        return codes.astype(vectors.get_codes(table.output).dtype)


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
    """Of tables with scales: `run` on the rows that have one scale and zero point in common."""
    if table.scale is None:
        return run(slice(None), None, None)
    parameters = [vectors.get_codes(table.scale)]
    if table.zero_point is not None:
        parameters.append(vectors.get_codes(table.zero_point))
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
        except Exception as error:  # whatever numpy does not like
            print(f"onnx.reference: {table.name}: {error}", file=sys.stderr)
            return None


class OnnxRuntime:
    """One node, on the CPU, with its own memory bound."""

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
        except Exception:  # what it has no kernel for
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
    """Convert and FakeConvert; the mode openvino_reference by Model.evaluate, the rest by the CPU plugin."""

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

        if not is_plain_cast(table) or not knows(table, FLOATS):
            return None
        source, target = (getattr(torch, NAMES[k][0], None) for k in (table.source, table.target))
        if source is None or target is None:
            return None
        codes = torch.from_numpy(table.input.copy())
        made = codes.view(source).to(target)
        sizes = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
        return made.view(sizes[table.output.itemsize]).numpy()


def make_blocks(magnitudes, size):
    """A block for each magnitude, whose other elements are 0."""
    blocks = np.zeros((magnitudes.size, size), np.float32)
    blocks[:, 0] = np.abs(magnitudes)
    return blocks


class Gguf:
    """gguf.quants: the scales of MXFP4 and NVFP4, and the values of MXFP4."""

    name, package = "gguf", "gguf"

    def convert(self, table):
        from gguf import quants

        is_scale = table.operation == "block_scale" and table.attributes["rule"] == "ggml"
        is_value = table.operation == "block_dequantize" and table.source == "f4E2M1FN"
        with np.errstate(all="ignore"):
            if is_scale and table.target == "f8E8M0FNU":
                return quants.MXFP4.quantize_blocks(make_blocks(get_input(table), 32))[:, 0].copy()
            if is_scale:
                return quants.NVFP4.fp32_to_ue4m3(np.abs(get_input(table)) / np.float32(6))
            if is_value and table.scale_type == "f8E8M0FNU":
                blocks = np.zeros((table.input.size, 17), np.uint8)
                blocks[:, 0], blocks[:, 1] = vectors.get_codes(table.scale), table.input
                return quants.MXFP4.dequantize_blocks(blocks)[:, 0].astype(np.float32)
        return None


class TorchAo:
    """The scales of to_mx, those of NVFP4 with the largest magnitude of the tensor, and to_blocked."""

    name, package = "torchao", "torchao"
    MODES = ("floor", "ceil", "even", "rceil")

    def convert(self, table):
        import torch
        from torchao.prototype.mx_formats import mx_tensor, nvfp4_tensor
        from torchao.prototype.mx_formats.utils import to_blocked

        kinds = {"f6E2M3FN": "fp6_e2m3", "f6E3M2FN": "fp6_e3m2"}
        kinds |= {"f8E4M3FN": torch.float8_e4m3fn, "f8E5M2": torch.float8_e5m2}
        kinds["f4E2M1FN"] = torch.float4_e2m1fn_x2
        rule, element = (table.attributes.get(key) for key in ("rule", "element"))
        if table.operation == "block_scale" and rule in self.MODES and element in kinds:
            blocks = torch.from_numpy(make_blocks(get_input(table), 32))
            mode = mx_tensor.ScaleCalculationMode(rule)
            scale = mx_tensor.to_mx(blocks, kinds[element], 32, mode)[0]
            return scale.view(torch.uint8).numpy().reshape(-1)
        if table.operation == "tensor_scale":
            return np.array(
                [
                    nvfp4_tensor.per_tensor_amax_to_scale(torch.tensor(abs(x))).numpy()
                    for x in get_input(table)
                ],
                np.float32,
            )
        if (
            table.operation == "block_scale"
            and rule == "torchao"
            and table.tensor_scale is not None
        ):
            blocks = make_blocks(get_input(table), 16)
            made = np.empty_like(table.output)
            levels = table.tensor_scale
            for level in np.unique(levels.view(np.uint32)):
                rows = levels.view(np.uint32) == level
                tensor = torch.tensor(np.uint32(level).view(np.float32))
                scale = nvfp4_tensor.nvfp4_quantize(torch.from_numpy(blocks[rows]), 16, tensor)[0]
                made[rows] = scale.view(torch.uint8).numpy().reshape(-1)
            return made
        if table.operation == "pack_scales" and table.attributes["layout"] == "tile_128x4":
            shape = [table.attributes[key] for key in ("rows", "columns")]
            # Each byte of the index by itself.
            index = np.zeros(table.attributes["padded_rows"] * table.attributes["padded_columns"])
            for shift in (0, 8, 16):
                part = ((table.input + 1) >> shift & 255).astype(np.uint8).reshape(shape)
                index += to_blocked(torch.from_numpy(part)).numpy().reshape(-1) * float(1 << shift)
            offsets = np.empty_like(table.output)
            offsets[index[index > 0].astype(int) - 1] = np.flatnonzero(index)
            return offsets
        return None


PEERS = [MlDtypes, OnnxReference, OnnxRuntime, OpenVino, NumKong, Jax, Gfloat, Torch, Gguf, TorchAo]


def explain(explanations, peer, result):
    """For each rule whose rows differ why, and whose bits are right; None where nobody has said."""
    found = {}
    for rule in result["rules"]:
        for one in explanations:
            here = re.fullmatch(one["peers"], peer) and re.search(one["tables"], result["table"])
            if here and re.fullmatch(one["rules"], rule):
                found[rule] = {"why": one["why"], "whose": one["whose"]}
                break
        else:
            print(f"unexplained: {peer}: {rule}: {result}", file=sys.stderr)
            return None
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, default=vectors.FOLDER)
    parser.add_argument("--only", default="")
    parser.add_argument("-o", dest="output", type=pathlib.Path)
    arguments = parser.parse_args()
    path = pathlib.Path(__file__).with_name("peers.toml")
    explanations = tomllib.loads(path.read_text())["difference"]
    report, unexplained = {}, 0
    for peer in PEERS:
        if arguments.only and peer.name not in arguments.only.split(","):
            continue
        try:
            version = importlib.metadata.version(peer.package)
        except importlib.metadata.PackageNotFoundError:
            print(f"{peer.name} is not installed", file=sys.stderr)
            continue
        results = vectors.check(peer().convert, arguments.data)
        differing = [result for result in results if result["differ"]]
        for result in differing:
            result["why"] = explain(explanations, peer.name, result)
            if result["why"] is None:
                unexplained += 1
        rows = sum(result["rows"] for result in results)
        differ = sum(result["differ"] for result in results)
        report[peer.name] = {
            "version": version,
            "tables": len(results),
            "rows": rows,
            "differ": differ,
            "differences": differing,
        }
        print(
            f"{peer.name} {version}: {len(results)} tables of {rows} rows, {differ} differ in {len(differing)}"
        )
    if arguments.output:
        arguments.output.write_text(json.dumps({"vectors": 1, "peers": report}, indent=1) + "\n")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
