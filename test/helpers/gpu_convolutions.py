"""Convolutions for GPUs: models, inputs, and NumPy's results."""

from dataclasses import dataclass

import numpy as np
from gpu_matmuls import node


@dataclass(frozen=True)
class Convolution:
    """`x` and `w` are types. Shapes are those of the run, `open` makes them dynamic in the model.
    `points` are the shapes of zero points. With `scales`, weights are dequantized with a scale for
    each channel, and quantized images with one scale."""

    name: str
    x: str
    w: str
    x_shape: tuple
    w_shape: tuple
    strides: tuple = ()
    pads: tuple = ()
    dilations: tuple = ()
    group: int = 1
    bias: bool = False
    points: tuple = (None, None)
    scales: bool = False
    open: bool = False
    op: str = ""

    def factors(self):
        return self.x, self.w

    def is_integer(self):
        return self.x in ("i8", "ui8")

    def inputs(self):
        """Names, types and shapes."""
        channels = (self.w_shape[0],)
        found = [("x", self.x, self.x_shape), ("w", self.w, self.w_shape)]
        if self.op == "QLinearConv":
            found[1:1] = [("xs", "f32", ()), ("xp", self.x, ())]
            found += [("ws", "f32", channels), ("wp", self.w, channels), ("ys", "f32", ()), ("yp", self.x, ()), ("bias", "i32", channels)]  # fmt: skip
            return found
        for name, kind, shape in zip("pq", (self.x, self.w), self.points, strict=True):
            if shape is not None:
                found.append((name, kind, channels if shape else ()))
        if self.bias:
            found.append(("bias", self.x, channels))
        if self.scales and self.x != "f32":
            found.append(("xs", "f32", ()))
        if self.scales:
            found.append(("ws", "f32", channels))
        return found

    def result(self):
        if self.op == "QLinearConv":
            return self.x
        return "i32" if self.is_integer() else "f32" if self.scales else self.x

    def rank(self):
        return len(self.x_shape) - 2

    def windows(self):
        """Strides, pads and dilations, with the defaults filled in."""
        rank = self.rank()
        return self.strides or (1,) * rank, self.pads or (0,) * 2 * rank, self.dilations or (1,) * rank  # fmt: skip

    def result_shape(self):
        strides, pads, dilations = self.windows()
        rank = self.rank()
        sizes = [
            (self.x_shape[2 + i] + pads[i] + pads[rank + i] - (self.w_shape[2 + i] - 1) * dilations[i] - 1) // strides[i] + 1
            for i in range(rank)
        ]  # fmt: skip
        return (self.x_shape[0], self.w_shape[0], *sizes)

    def type_of(self, kind, shape):
        return "".join(f"{'?' if self.open else size}x" for size in shape) + kind

    def text(self):
        types = [(name, self.type_of(kind, shape)) for name, kind, shape in self.inputs()]
        result = self.type_of(self.result(), self.result_shape())
        lists = {"strides": self.strides, "pads": self.pads, "dilations": self.dilations}
        attributes = [f"group = {self.group} : i64"]
        attributes += [f"{name} = array<i64: {', '.join(map(str, given))}>" for name, given in lists.items() if given]  # fmt: skip
        arguments = ", ".join(f"%{name}: tensor<{kind}>" for name, kind in types)
        operands = [(name, kind) for name, kind in types if self.op or name not in ("xs", "ws")]
        lines = []
        known = dict(types)
        for at, (name, shape) in enumerate((("x", self.x_shape), ("w", self.w_shape))):
            if self.scales and f"{name}s" in known:
                whole = self.type_of("f32", shape)
                axis = "axis 0 " if name == "w" else ""
                lines.append(
                    f"  %{name}f = quant_float.dequantize %{name}, %{name}s {axis}opset 21 : tensor<{known[name]}>, tensor<{known[name + 's']}> to tensor<{whole}>"
                )
                operands[at] = (f"{name}f", whole)
        op = self.op or ("ConvInteger" if self.is_integer() else "Conv")
        lines.append(node(op, operands, result, ", ".join(attributes)))
        return f"func.func @{self.name}({arguments}) -> tensor<{result}> {{\n" + "\n".join(lines) + f"\n  return %y : tensor<{result}>\n}}\n"  # fmt: skip

    def k_extent(self):
        return int(np.prod(self.w_shape[1:]))

    def expected(self, values):
        """The result in f64 or as 32-bit integers, and the sum of magnitudes (None for
        integers)."""
        if self.op:
            return None, None
        exact = np.int64 if self.is_integer() else np.float64
        given = {
            name: value.astype(exact)
            for (name, _, _), value in zip(self.inputs(), values, strict=True)
        }
        lead = (-1,) + (1,) * (self.rank() + 1)
        x = given["x"] - given.get("p", 0)
        w = given["w"] - given.get("q", np.zeros((), exact)).reshape(lead)
        x = x * given.get("xs", 1)
        w = w * given.get("ws", np.ones((), exact)).reshape(lead)
        bias = given.get("bias", np.zeros((), exact)).reshape((1, *lead[:-1]))
        result = self.convolve(x, w) + bias
        if self.is_integer():
            return result.astype(np.int32), None
        return result, self.convolve(np.abs(x), np.abs(w)) + np.abs(bias)

    def convolve(self, x, w):
        strides, pads, dilations = self.windows()
        rank = self.rank()
        x = np.pad(x, [(0, 0), (0, 0), *((pads[i], pads[rank + i]) for i in range(rank))])
        shape = self.result_shape()
        result = np.zeros(shape, x.dtype)
        inputs, outputs = self.w_shape[1], self.w_shape[0] // self.group
        for element in np.ndindex(*self.w_shape[2:]):
            at = tuple(
                slice(element[i] * dilations[i], element[i] * dilations[i] + (shape[2 + i] - 1) * strides[i] + 1, strides[i])
                for i in range(rank)
            )  # fmt: skip
            for group in range(self.group):
                here = slice(group * outputs, (group + 1) * outputs)
                image = x[(slice(None), slice(group * inputs, (group + 1) * inputs), *at)]
                filters = w[(here, slice(None), *element)]
                result[:, here] += np.einsum("oc,nc...->no...", filters, image)
        return result


CONVOLUTIONS = (
    Convolution("padded", "f32", "f32", (2, 5, 9, 11), (13, 5, 3, 3), pads=(1, 1, 1, 1), bias=True),
    Convolution("tiles", "f32", "f32", (1, 16, 8, 8), (64, 16, 1, 1)),
    Convolution("row", "f32", "f32", (3, 4, 40), (9, 4, 5), pads=(2, 0), strides=(2,), open=True),
    Convolution("volume", "f32", "f32", (1, 3, 4, 5, 6), (8, 3, 2, 3, 2), pads=(1, 0, 1, 0, 1, 0)),
    Convolution("groups", "f32", "f32", (1, 6, 12, 13), (20, 3, 3, 2), (2, 3), (0, 1, 2, 1), (1, 2), 2, open=True),
    Convolution("depthwise", "f32", "f32", (2, 6, 9, 9), (6, 1, 3, 3), pads=(1, 1, 1, 1), group=6),
    Convolution("f64", "f64", "f64", (1, 3, 9, 9), (10, 3, 3, 3), bias=True),
    Convolution("f16", "f16", "f16", (2, 8, 10, 12), (24, 8, 3, 3), pads=(1, 1, 1, 1), bias=True),
    Convolution("f16_open", "f16", "f16", (2, 3, 10, 12), (70, 3, 3, 3), (2, 1), (1, 2, 1, 0), open=True),
    Convolution("f16_one", "f16", "f16", (2, 16, 7, 9), (8, 16, 1, 1)),
    Convolution("bf16", "bf16", "bf16", (1, 7, 9, 9), (16, 7, 3, 3), dilations=(2, 2)),
    Convolution("i8", "i8", "i8", (1, 8, 12, 12), (16, 8, 3, 3), pads=(1, 1, 1, 1)),
    Convolution("zero_points", "ui8", "i8", (2, 5, 9, 10), (18, 5, 3, 3), (2, 2), (1, 1, 0, 1), points=((), (1,))),
    Convolution("integers_open", "ui8", "ui8", (2, 6, 9, 10), (18, 3, 3, 2), pads=(0, 1, 1, 1), group=2, points=((), ()), open=True),
    Convolution("one", "ui8", "i8", (2, 32, 6, 6), (24, 32, 1, 1), points=((), None)),
    Convolution("one_odd", "ui8", "i8", (3, 20, 5, 7), (9, 20, 1, 1), points=((), ())),
    Convolution("one_strided", "i8", "i8", (1, 20, 9, 9), (9, 20, 1, 1), (2, 2)),
    Convolution("one_open", "i8", "i8", (2, 20, 8, 8), (9, 20, 1, 1), open=True),
    Convolution("requantized", "ui8", "i8", (2, 6, 9, 10), (16, 6, 3, 3), pads=(1, 1, 1, 1), op="QLinearConv"),
    Convolution("requantized_groups", "i8", "i8", (1, 6, 9, 10), (16, 3, 3, 3), pads=(1, 0, 1, 0), group=2, op="QLinearConv", open=True),
    Convolution("dequantized", "f32", "i8", (1, 6, 9, 9), (12, 6, 3, 3), pads=(1, 1, 1, 1), scales=True),
    Convolution("f8", "f8E4M3FN", "f8E4M3FN", (1, 9, 9, 9), (12, 9, 3, 3), scales=True),
    Convolution("f8_one", "f8E5M2", "f8E4M3FN", (2, 32, 6, 8), (24, 32, 1, 1), scales=True, open=True),
    Convolution("f8_padded", "f8E4M3FN", "f8E4M3FN", (2, 9, 9, 9), (12, 9, 3, 3), pads=(1, 1, 1, 1), scales=True),
    Convolution("f8_groups", "f8E5M2", "f8E4M3FN", (1, 8, 7, 9), (24, 4, 3, 2), (2, 1), (1, 0, 2, 1), group=2, scales=True, open=True),
    Convolution("empty", "f32", "f32", (0, 5, 9, 11), (13, 5, 3, 3), open=True),
)  # fmt: skip
