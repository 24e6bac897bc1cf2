"""quant_float.qdq has no ONNX node: the nodes of QuantizeLinear followed by DequantizeLinear, as
MLIR."""

from dataclasses import replace

import numpy as np
from conformance.formats import FLOAT4_AND_6, FLOAT8

from quantize_matrix import cases, semantics
from quantize_matrix import data as inputs


def build(version, full=False, seed=0):
    """Cases of QuantizeLinear. The result of the qdq has the type of x."""
    taken = set(cases.legal_types("DequantizeLinear", version))
    for case in cases.every(full, ("QuantizeLinear",), (version,), seed):
        if (case.y, case.scale, case.x) in taken and not case.domain:
            yield replace(case, constants="none")


def expected(case, data):
    """Rule D6, and the indices with two right results."""
    encodings, loose = inputs.expected(case, data)
    scale = inputs.spread(case, inputs.values_of(case.scale, data.scale))
    zero_point = None
    if data.zero_point is not None:
        zero_point = inputs.spread(case, inputs.values_of(case.y, data.zero_point))

    def back(quantized):
        x = inputs.values_of(case.y, quantized)
        return semantics.dequantize(x, scale, zero_point, case.x, case.y in FLOAT8)

    result, nan = back(encodings)
    if case.y in FLOAT4_AND_6:
        # A NaN may become either zero (D8).
        minus = {"f4E2M1FN": 0x8}.get(case.y, 0x20)
        other, _ = back(np.where(loose, minus, encodings).astype(encodings.dtype))
        return result, nan, other
    return result, nan, result


def _type(case, name, sizes):
    sizes = ["?"] * len(sizes) if case.dynamic else sizes
    return f"tensor<{''.join(f'{size}x' for size in sizes)}{name}>"


def _parameters(case):
    """The sizes of a scale of one element are static, because they make it per tensor."""
    return replace(case, dynamic=case.dynamic and case.axis is not None)


def text(chosen):
    """A module with one function, and the names of its arguments."""
    arguments, results, lines, values = [], [], [], []
    for index, case in enumerate(chosen):
        x = _type(case, case.x, case.shape)
        types = [x, _type(_parameters(case), case.scale, case.scale_shape)]
        if case.zp_shape is not None:
            types.append(_type(_parameters(case), case.y, case.zp_shape))
        names = [f"%{kind}{index}" for kind in "xsz"][: len(types)]
        arguments += [f"{name}: {kind}" for name, kind in zip(names, types, strict=True)]
        options = ""
        if case.axis is not None:
            options += f" axis {case.attributes.get('axis', case.axis)}"
        if case.block:
            options += f" block_size {case.block}"
        options += f" storage {case.y} opset {case.opset}"
        if "saturate" in case.attributes:
            options += f" saturate {'true' if case.saturate else 'false'}"
        if case.precision:
            options += f" precision {case.precision}"
        lines.append(
            f"  %y{index} = quant_float.qdq {', '.join(names)}{options} : {', '.join(types)} to {x}"
        )
        values.append(f"%y{index}")
        results.append(x)
    return "\n".join(
        [
            f"func.func @main({', '.join(arguments)}) -> ({', '.join(results)}) {{",
            *lines,
            f"  return {', '.join(values)} : {', '.join(results)}",
            "}",
            "",
        ]
    )
