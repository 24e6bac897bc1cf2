# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A bound for the difference between two correct runs of a quantized network.

Two runtimes add the terms of a dot product in different orders. A sum of n products differs from
the exact one by at most gamma(n) * sum |a||b|, where gamma(n) = n u / (1 - n u) and u = 2^-24, in
any order, and two such sums differ by at most twice that. All other ops are exact or rounded once,
and therefore equal for equal inputs. `bounds` propagates the largest possible difference through a
network, starting from the values of one of the two runs: a reduction adds the bound above, a matmul
with weights multiplies by their magnitudes, and a quantization takes the difference of the
quantized values at both ends of the interval, which is 0 if it contains no rounding boundary. If
the quantized values of the other run are known as well, their actual difference is propagated.
"""

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

UNIT = 2.0**-24
# numpy's types for these formats.
CODES = {
    TensorProto.FLOAT8E4M3FN: ml_dtypes.float8_e4m3fn,
    TensorProto.FLOAT8E4M3FNUZ: ml_dtypes.float8_e4m3fnuz,
    TensorProto.FLOAT8E5M2: ml_dtypes.float8_e5m2,
    TensorProto.FLOAT8E5M2FNUZ: ml_dtypes.float8_e5m2fnuz,
}

QUANTIZING = ("QuantizeLinear", "DynamicQuantizeLinear")


def value_infos(model):
    """The known type and shape of each value."""
    plain = onnx.ModelProto()
    plain.CopyFrom(model)
    # Before version 4, an initializer that is not an input has no type.
    plain.ir_version = max(plain.ir_version, 4)
    for node in plain.graph.node:
        # ONNX Runtime's own quantization nodes, which onnx does not know, have the types of ONNX's.
        node.domain = ""
    graph = onnx.shape_inference.infer_shapes(plain).graph
    infos = {
        tensor.name: helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
        for tensor in graph.initializer
    }
    return infos | {info.name: info for info in (*graph.input, *graph.output, *graph.value_info)}


def element_type(info):
    return info.type.tensor_type.elem_type


def code_names(model):
    """The quantized activations."""
    nodes = [node for node in model.graph.node if node.op_type in QUANTIZING]
    return [node.output[0] for node in nodes]


def probed(model, names):
    """The model with these values as its outputs."""
    infos = value_infos(model)
    result = onnx.ModelProto()
    result.CopyFrom(model)
    del result.graph.output[:]
    result.graph.output.extend(infos[name] for name in names)
    return result


def unsigned_weights(model):
    """The same model with unsigned weights, and zero points of weights, in integer matmuls.

    On x86-64 CPUs without VNNI, ONNX Runtime adds products of an unsigned and a signed byte in 16
    bits, which saturate. Products of unsigned bytes are exact everywhere.
    """
    result = onnx.ModelProto()
    result.CopyFrom(model)
    products = [n for n in result.graph.node if n.op_type in ("MatMulInteger", "ConvInteger")]
    operands = {name for node in products for name in (node.input[1], *node.input[3:])}
    for tensor in result.graph.initializer:
        if tensor.name in operands and tensor.data_type == TensorProto.INT8:
            shifted = numpy_helper.to_array(tensor).view(np.uint8) ^ np.uint8(128)
            tensor.CopyFrom(numpy_helper.from_array(shifted, tensor.name))
    return result


def runtime_values(model, inputs):
    """Every value of a model in ONNX Runtime without optimizations, by name."""
    import onnxruntime as ort

    names = [name for node in model.graph.node for name in node.output if name]
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = ort.InferenceSession(
        probed(unsigned_weights(model), names).SerializeToString(),
        options,
        ["CPUExecutionProvider"],
    )
    values = dict(zip(names, session.run(names, inputs), strict=True))
    infos = value_infos(model)
    values = {name: typed(value, element_type(infos[name])) for name, value in values.items()}
    constants = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    values = constants | inputs | values
    for node in model.graph.node:
        if node.op_type in ("MatMulInteger", "ConvInteger"):
            exact = evaluate(node, [values[name] for name in node.input])
            wrong = np.count_nonzero(exact != values[node.output[0]])
            if wrong:
                raise ArithmeticError(
                    f"ONNX Runtime has {wrong} of {exact.size} sums of {node.output[0]} wrong"
                )
    return values


def evaluate(node, arrays):
    """The first result of one node, in the reference evaluator."""
    from onnx.reference import ReferenceEvaluator

    copy = onnx.NodeProto()
    copy.CopyFrom(node)
    copy.input[:] = [f"x{index}" for index in range(len(arrays))]
    del copy.output[1:]
    infos = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), None)
        for name, array in zip(copy.input, arrays, strict=True)
    ]
    result = helper.make_empty_tensor_value_info(copy.output[0])
    model = helper.make_model(
        helper.make_graph([copy], "node", infos, [result]),
        opset_imports=[helper.make_opsetid("", 21)],
    )
    return ReferenceEvaluator(model).run(None, dict(zip(copy.input, arrays, strict=True)))[0]


def typed(array, onnx_type):
    """Quantized values as numpy arrays of their own type. Other values are returned unchanged."""
    kind = CODES.get(onnx_type)
    return array.view(kind) if kind and array.dtype != kind else array


def difference(first, second):
    """Elementwise differences, of quantized values in their numeric values."""
    return np.abs(first.astype(np.float64) - second.astype(np.float64))


def gamma(terms):
    return terms * UNIT / (1 - terms * UNIT)


def channelwise(parameter, x, node):
    """A scale or zero point in the shape of x, or one that broadcasts."""
    attributes = {a.name: a.i for a in node.attribute}
    axis, block = attributes.get("axis", 1), attributes.get("block_size", 0)
    if parameter.size == 1:
        return parameter.reshape(())
    if block:
        return np.repeat(parameter, block, axis).take(range(x.shape[axis]), axis)
    return parameter.reshape([-1 if k == axis % x.ndim else 1 for k in range(x.ndim)])


def quantize(x, scale, zero_point, kind):
    """Quantizes x, by the definition."""
    with np.errstate(over="ignore"):
        quotient = (x.astype(np.float32) / scale.astype(np.float32)).astype(np.float32)
    if kind.name.startswith("float8"):
        largest = ml_dtypes.finfo(kind).max.astype(np.float32)
        return np.clip(quotient, -largest, largest).astype(kind)
    limits = ml_dtypes.iinfo(kind) if kind.kind == "V" else np.iinfo(kind)
    shifted = np.rint(quotient).astype(np.float64) + zero_point.astype(np.float64)
    return np.clip(shifted, limits.min, limits.max).astype(kind)


class Bounds:
    """The bounds by name, with one method for each op, which computes its bound from those of its
    inputs.

    `others` are values of the other run. `excess` contains the elements that exceed their bound.
    """

    def __init__(self, model, values, others=None):
        self.values, self.found, self.excess = values, {}, []
        self.quantized = set(code_names(model))
        for node in model.graph.node:
            inputs = [values.get(name) for name in node.input]
            distances = [self[name] for name in node.input]
            result = getattr(self, node.op_type)(node, inputs, distances)
            results = result if isinstance(result, list) else [result]
            self.found.update(zip(node.output, results, strict=True))
            for name in set(node.output) & set(others or ()):
                self.compare(name, others[name])

    def compare(self, name, other):
        """Counts the elements that exceed their bound. For the following nodes, the actual
        differences are used."""
        value = self.values[name]
        if other.shape != value.shape or other.dtype != value.dtype:
            self.excess.append(
                f"{name}: {other.dtype}{other.shape}, not {value.dtype}{value.shape}"
            )
            return
        actual = np.where(other == value, 0.0, difference(other, value))
        # A NaN on one side only is a difference without a size.
        wrong = ~((actual <= self.found[name]) | ((other != other) & (value != value)))
        if wrong.any():
            self.excess.append(
                f"{name}: {np.count_nonzero(wrong)} of {value.size} beyond the bound"
            )
        if name in self.quantized:
            self.found[name] = actual

    def __getitem__(self, name):
        """0 for inputs and constants."""
        value = self.values.get(name)
        return self.found.get(name, np.zeros(np.shape(value)))

    def rounded(self, node, difference):
        """One more rounding on either side, unless the operands are equal."""
        y = np.abs(self.values[node.output[0]].astype(np.float64))
        return np.where(difference > 0, difference + 2 * gamma(1) * (y + difference), 0)

    def summed(self, node, magnitudes, carried, terms):
        """Sums of `terms` products whose magnitudes add up to `magnitudes`."""
        return carried + 2 * gamma(terms) * (magnitudes + carried)

    def same_shape(self, node, inputs, distances):
        return distances[0].reshape(self.values[node.output[0]].shape)

    Relu = Flatten = Reshape = Squeeze = Unsqueeze = Identity = same_shape

    def Cast(self, node, inputs, distances):  # noqa: N802
        return self.rounded(node, distances[0])

    def Transpose(self, node, inputs, distances):  # noqa: N802
        axes = [list(a.ints) for a in node.attribute if a.name == "perm"]
        return np.transpose(distances[0], axes[0] if axes else None)

    def Add(self, node, inputs, distances):  # noqa: N802
        return self.rounded(node, distances[0] + distances[1])

    def Mul(self, node, inputs, distances):  # noqa: N802
        (a, b), (da, db) = (np.abs(x.astype(np.float64)) for x in inputs), distances
        return self.rounded(node, a * db + b * da + da * db)

    def MaxPool(self, node, inputs, distances):  # noqa: N802
        # ONNX's own padding and strides, applied to bounds instead of values.
        return self.evaluate(node, distances[0])

    def evaluate(self, node, *arrays):
        """Evaluates the node with other inputs, in double precision."""
        return evaluate(node, [np.asarray(array, np.float64) for array in arrays])

    def contraction(self, node, inputs, distances):
        a, b = (np.abs(x.astype(np.float64)) for x in inputs[:2])
        da, db = distances[:2]
        bias = inputs[2:] and [np.abs(inputs[2].astype(np.float64))]
        magnitudes = self.evaluate(node, a, b, *bias)
        carried = self.evaluate(node, da, b + db) + self.evaluate(node, a, db)
        if inputs[2:]:
            carried = carried + distances[2].reshape(
                (-1, *[1] * (carried.ndim - 2)) if node.op_type == "Conv" else (-1,)
            )
        # The number of products of one output: MatMul's rows of b, or the other dimensions of
        # Conv's and Gemm's weights.
        terms = b[0].size if node.op_type == "Conv" else a.shape[-1]
        return self.summed(node, magnitudes, carried, terms + len(bias))

    MatMul = Conv = Gemm = contraction

    def QuantizeLinear(self, node, inputs, distances):  # noqa: N802
        x, scale, *zero_point = inputs
        parameters = (scale, zero_point[0] if zero_point else np.zeros_like(scale))
        scale, zero_point = (channelwise(parameter, x, node) for parameter in parameters)
        return self.quantized_difference(node, x, distances[0], scale, zero_point)

    def quantized_difference(self, node, x, dx, scale, zero_point):
        quantized = self.values[node.output[0]]
        ends = []
        for end, far in ((x - dx, -np.inf), (x + dx, np.inf)):
            # Rounds outwards to float32.
            end = np.where(dx > 0, np.nextafter(end.astype(np.float32), np.float32(far)), x)
            ends.append(difference(quantize(end, scale, zero_point, quantized.dtype), quantized))
        return np.maximum(*ends)

    def DequantizeLinear(self, node, inputs, distances):  # noqa: N802
        scale = np.abs(channelwise(inputs[1], inputs[0], node).astype(np.float64))
        return self.rounded(node, distances[0] * scale)

    def DynamicQuantizeLinear(self, node, inputs, distances):  # noqa: N802
        x, dx = inputs[0].astype(np.float64), distances[0]
        quantized, scale, _ = (self.values[name].astype(np.float64) for name in node.output)
        farthest = dx.max(initial=0)
        if not farthest:
            return [np.zeros(quantized.shape), np.zeros(()), np.zeros(())]
        # Both ends of the range vary, and the subtraction and the division round.
        ds = 2 * farthest / 255
        ds += 2 * gamma(2) * (scale + ds)
        least, most = scale - ds, scale + ds
        low = -min(x.min(), 0.0)
        middle = np.rint(low / scale)
        dz = max(
            np.rint((low + farthest) / least) - middle,
            middle - np.rint(max(low - farthest, 0.0) / most),
        )
        # The largest and the smallest possible quotient.
        far = np.copysign((np.abs(x) + dx) / least * (1 + 2 * UNIT), x)
        near = (np.abs(x) - dx) / np.where(np.abs(x) > dx, most, least)
        near = np.copysign(1, x) * near * (1 - 2 * UNIT)
        middle = np.rint(x / scale)
        steps = np.maximum(np.abs(np.rint(far) - middle), np.abs(np.rint(near) - middle))
        return [steps + dz, np.asarray(ds), np.asarray(dz)]

    def integer_contraction(self, node, inputs, distances):
        """Exact, so that only different quantized values matter."""
        a, b = (x.astype(np.float64) for x in inputs[:2])
        zero = [0.0 if z is None or not z.size else z.astype(np.float64) for z in inputs[2:]]
        weights = np.abs(b - (zero[1] if len(zero) > 1 else 0.0))
        da = distances[0] + (distances[2] if len(inputs) > 2 else 0.0)
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        copy.op_type = node.op_type.removesuffix("Integer")
        return self.evaluate(copy, da, weights)

    MatMulInteger = ConvInteger = integer_contraction
