"""The results of ONNX Runtime and the ONNX reference evaluator for a case."""

import ctypes

import numpy as np
import onnx
import onnxruntime
from conformance.formats import FLOAT4_AND_6, FLOAT8, FORMATS
from onnx.reference import ReferenceEvaluator
from onnxruntime.capi import onnxruntime_pybind11_state as state

from quantize_matrix import models
from quantize_matrix.cases import HUGE_BLOCK

# For ONNX Runtime 1.31.1.
_NEWEST_OPSET, _NEWEST_IR = 25, 13
_BATCH = 64


def _nonzero_float8(case, data):
    dequantizes_float8 = not case.quantizes and case.x in FLOAT8
    return dequantizes_float8 and data.zero_point is not None and data.zero_point.any()


def _signature(case):
    return (
        case.op,
        case.opset,
        case.domain,
        case.x,
        case.scale,
        case.y,
        "block_size" in case.attributes,
    )


class OnnxRuntime:
    name = "onnxruntime"

    def __init__(self):
        onnxruntime.set_default_logger_severity(4)

    @staticmethod
    def refusal(case):
        """The exception of a case without a kernel, and a part of its message, or None if there is
        a kernel."""
        if case.opset > _NEWEST_OPSET:
            return state.Fail, "ValidateOpsetForDomain"
        if case.domain and "block_size" in case.attributes:
            return state.InvalidGraph, "Unrecognized attribute: block_size"
        types = {case.scale, case.x if case.quantizes else case.y}
        if case.x == "f4E2M1FN" and types == {"f16"} and case.attributes.get("output_dtype"):
            # Without a kernel for f16, it uses one of f32 between casts.
            return state.Fail, "InsertedPrecisionFreeCast"
        if case.quantized in FLOAT4_AND_6 or not types <= {"f32", "f16"}:
            return state.NotImplemented, "NOT_IMPLEMENTED"
        if case.quantizes and case.scale != case.x:
            # Kernels are selected by the types of x and y. The call reads the scale with the type
            # of x.
            return RuntimeError, "Tensor::Data()"
        return None

    @classmethod
    def has_kernel(cls, case):
        return cls.refusal(case) is None

    @staticmethod
    def session(cases, datas):
        model = models.model(cases, datas, every_constant=True, ir_version=_NEWEST_IR)
        options = onnxruntime.SessionOptions()
        level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.graph_optimization_level = level
        options.intra_op_num_threads = 1
        return onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )

    def batch(self, cases, datas):
        """The encodings of several cases of one opset."""
        binding = (session := self.session(cases, datas)).io_binding()
        for index in range(len(cases)):
            binding.bind_output(f"y{index}")
        session.run_with_iobinding(binding)
        results = []
        for case, value in zip(cases, binding.get_outputs(), strict=True):
            count = int(np.prod(case.shape))
            size = (count * FORMATS[case.y].width + 7) // 8
            found = ctypes.string_at(value.data_ptr(), size) if count else b""
            results.append(models.unpack(case.y, found, count).reshape(case.shape))
        return results

    def run(self, cases, datas):
        """Yields (case, data, encodings) for the cases with kernels."""
        pairs = list(zip(cases, datas, strict=True))
        # It rejects float8 zero points other than the byte 0.
        chosen = [(c, d) for c, d in pairs if self.has_kernel(c) and not _nonzero_float8(c, d)]
        for case, data in {
            _signature(c): (c, d) for c, d in pairs if not self.has_kernel(c)
        }.values():
            error, words = self.refusal(case)
            try:
                self.batch([case], [data])
            except error as found:
                if words not in str(found):
                    raise
                continue
            raise AssertionError(f"{case}: ONNX Runtime has a kernel")
        for start in range(0, len(chosen), _BATCH):
            part = chosen[start : start + _BATCH]
            found = self.batch(*zip(*part, strict=True))
            for (case, data), encodings in zip(part, found, strict=True):
                yield case, data, encodings


class OnnxReference:
    name = "onnx"

    @staticmethod
    def supports(case, data):
        """It has no DequantizeLinear before 19, and rejects nonzero float8 zero points. It repeats
        a scale for each element of a block."""
        if case.domain or case.block == HUGE_BLOCK or not (case.quantizes or case.opset >= 19):
            return False
        if case.quantizes or case.x not in FLOAT8 or data.zero_point is None:
            return True
        return data.zero_point.size > 0 and not (data.zero_point & 0x7F).any()

    def run(self, cases, datas):
        for case, data in zip(cases, datas, strict=True):
            if not self.supports(case, data):
                continue
            given = (data.x, data.scale, data.zero_point)
            types = (case.x, case.scale, case.quantized)
            feeds = {
                name: FORMATS[t].array(encodings).reshape(encodings.shape)
                for name, t, encodings in zip(
                    models.input_names(0, case), types, given, strict=False
                )
            }
            graph = onnx.helper.make_graph(
                [models.node(0, case)],
                "case",
                [onnx.helper.make_empty_tensor_value_info(name) for name in feeds],
                [onnx.helper.make_empty_tensor_value_info("y0")],
            )
            opsets = [onnx.helper.make_opsetid("", case.opset)]
            model = onnx.helper.make_model(graph, opset_imports=opsets)
            with np.errstate(all="ignore"):
                (found,) = ReferenceEvaluator(model).run(None, feeds)
            found = np.asarray(found)
            if found.dtype != FORMATS[case.y].dtype:
                raise TypeError(f"{case}: the ONNX reference gives {found.dtype}")
            yield case, data, FORMATS[case.y].from_array(found).reshape(np.shape(found))
