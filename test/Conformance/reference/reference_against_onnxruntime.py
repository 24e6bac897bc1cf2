# The Reference against ONNX Runtime's Cast, one model for each pair and option. ONNX Runtime has no
# kernel for float4 and does not load opset 28, which introduced float6.
# RUN: %python %s %tools_dir/quant-float-reference-cast %src_root/test/Conformance/waivers.toml

import ctypes
import sys

import numpy as np
import onnx
import onnxruntime
from conformance import inputs
from conformance.compare import Comparison
from conformance.formats import FLOAT4_AND_6, FLOAT8, FNUZ, FORMATS
from conformance.process import CastProcess
from onnx import helper

OPSET = 25
IR_VERSION = 13
# The source types that are newer than float8.
FIRST_OPSET = {"i4": 21, "ui4": 21, "f8E8M0FNU": 24, "i2": 25, "ui2": 25}
TYPES = [name for name in FORMATS if name not in FLOAT4_AND_6]


def pack(name, encodings):
    """The layout of tensors: 4-bit and 2-bit integers share bytes, lowest bits first."""
    form = FORMATS[name]
    if form.kind != "integer" or form.width >= 8:
        return form.slots(encodings).tobytes()
    per_byte = 8 // form.width
    encodings = np.concatenate([encodings, np.zeros(-encodings.size % per_byte, np.uint8)]).reshape(
        -1, per_byte
    )
    shifts = np.arange(per_byte, dtype=np.uint8) * form.width
    return (
        np.bitwise_or.reduce(encodings.astype(np.uint8) << shifts, axis=1)
        .astype(np.uint8)
        .tobytes()
    )


def unpack(name, address, count):
    form = FORMATS[name]
    if form.kind != "integer" or form.width >= 8:
        data = ctypes.string_at(address, count * form.slot.itemsize)
        return form.encodings(np.frombuffer(data, form.slot))
    per_byte = 8 // form.width
    data = np.frombuffer(ctypes.string_at(address, -(-count // per_byte)), np.uint8)
    shifts = np.arange(per_byte, dtype=np.uint8) * form.width
    return form.encodings((data[:, None] >> shifts).ravel()[:count])


def run(source, to, encodings, opset=OPSET, **attributes):
    count = encodings.size
    data = onnx.TensorProto(
        name="x", data_type=FORMATS[source].onnx, dims=[count], raw_data=pack(source, encodings)
    )
    node = helper.make_node("Cast", ["x"], ["y"], to=FORMATS[to].onnx, **attributes)
    result = helper.make_tensor_value_info("y", FORMATS[to].onnx, [count])
    graph = helper.make_graph([node], "cast", [], [result], [data])
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=IR_VERSION
    )
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    binding = session.io_binding()
    binding.bind_output("y")
    session.run_with_iobinding(binding)
    value = binding.get_outputs()[0]
    return unpack(to, value.data_ptr(), count)


def options(to):
    """The (opset, attributes) of the casts."""
    if to == "f8E8M0FNU":
        return [
            (OPSET, {"saturate": saturate, "round_mode": mode})
            for saturate in (0, 1)
            for mode in ("up", "down", "nearest")
        ]
    if to in FLOAT8:
        older = [(19, {"saturate": 1}), (23, {"saturate": 1})] if to in FNUZ else []
        return [(OPSET, {"saturate": saturate}) for saturate in (0, 1)] + older
    return [(OPSET, {})]


def main(program, waiver_file):
    onnxruntime.set_default_logger_severity(3)
    with CastProcess(program) as reference:
        comparison = Comparison("onnxruntime", reference, waiver_file)
        for source in TYPES:
            for to in TYPES:
                encodings = inputs.encodings(source, to)
                for opset, attributes in options(to):
                    if opset < FIRST_OPSET.get(source, 1):
                        continue
                    comparison.check(
                        source,
                        to,
                        encodings,
                        run(source, to, encodings, opset, **attributes),
                        opset=opset,
                        saturate=bool(attributes.get("saturate", 1)),
                        round_mode=attributes.get("round_mode", "up"),
                    )
        return comparison.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
