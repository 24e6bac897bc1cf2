"""Skinny matmuls with low-bit weights: models for GPUs, whose accumulation order is that of CPU
code."""

from dataclasses import dataclass

import ml_dtypes
import numpy as np
from gpu_matmuls import TYPES, node


@dataclass(frozen=True)
class Vectors:
    """`rows` rows of `depth` elements of `x` times weights, which are K-contiguous if `along`. One
    scale for each `block` of them, for each channel (0), or for all (None). If blocks have a
    `minimum`, they are a dimension of the weights. Packed arguments, or constants."""

    name: str
    kind: str
    rows: int
    channels: int
    depth: int
    block: int | None = 0
    along: bool = True
    points: bool = False
    packed: bool = False
    constant: bool = False
    x: str = "f32"
    minimum: bool = False

    def shapes(self):
        n, k = self.channels, self.depth
        weights = (n, k) if self.along else (k, n)
        if self.minimum:
            weights, scales = (n, k // self.block, self.block), (n, k // self.block, 1)
        elif self.block is None:
            scales = ()
        elif self.block == 0:
            scales = (n,)
        else:
            scales = (n, k // self.block) if self.along else (k // self.block, n)
        return (self.rows, k), weights, scales

    def inputs(self):
        x, weights, scales = self.shapes()
        found = [("x", self.x, x)]
        if not self.constant:
            found += [("w", self.kind, weights), ("s", "f32", scales)]
            if self.points:
                found.append(("z", self.kind, scales))
            if self.minimum:
                found.append(("m", "f32", scales))
        return found

    def factors(self):
        return self.x, self.kind

    def values(self, seed=0):
        generator = np.random.default_rng(seed)
        x, weights, scales = self.shapes()
        signs = generator.choice([-1, 1], x)
        found = {"x": (generator.standard_normal(x) + signs).astype(np.float16 if self.x == "f16" else np.float32)}  # fmt: skip

        def encodings(shape):
            if self.kind.startswith("f8"):
                # Without NaN and infinities.
                return (generator.integers(0, 0x78, shape) | generator.choice([0, 0x80], shape)).astype(np.uint8)  # fmt: skip
            bits = int(self.kind.strip("uif").split("E")[0])
            least = -(2 ** (bits - 1)) if self.kind.startswith("i") else 0
            return generator.integers(least, least + 2**bits, shape).astype(np.int8 if least else np.uint8)  # fmt: skip

        found["w"] = encodings(weights)
        found["s"] = generator.uniform(0.25, 1, scales).astype(np.float32)
        if self.points:
            found["z"] = encodings(scales)
        if self.minimum:
            found["m"] = generator.uniform(1, 4, scales).astype(np.float32)
        return found

    def text(self):
        x, weights, scales = self.shapes()

        def tensor(shape, kind):
            return f"tensor<{''.join(f'{size}x' for size in shape)}{kind}>"

        types = {name: tensor(shape, kind) for name, kind, shape in (("x", self.x, x), ("w", self.kind, weights), ("s", "f32", scales), ("z", self.kind, scales), ("m", "f32", scales))}  # fmt: skip
        packs = " {quant_float.packed}" if self.packed else ""
        arguments = ", ".join(
            f"%{name}: {types[name]}{packs if name == 'w' else ''}" for name, _, _ in self.inputs()
        )
        lines = []
        if self.constant:
            for name, value in self.values().items():
                if name == "x" or (name == "z" and not self.points):
                    continue
                data = ", ".join(map(str, value.ravel().tolist()))
                if name != "s" and self.kind.startswith("f"):
                    raise ValueError("encodings of floats are arguments")
                if value.ndim:
                    data = str(value.tolist())
                # arith.constant accepts signless types only.
                dialect = "quant_float" if "ui" in types[name] else "arith"
                lines.append(f"  %{name} = {dialect}.constant dense<{data}> : {types[name]}")
        axis = 0 if self.along else 1
        if self.minimum:
            axis = -1  # Blocks are along dimension 2.
        how = {None: "", 0: f"axis {axis} "}.get(
            self.block, f"axis {1 - axis} block_size {self.block} "
        )
        given = ", ".join(f"%{name}" for name in ("w", "s", "z")[: 2 + self.points])
        points = f", {types['z']}" if self.points else ""
        whole = tensor(weights, "f32")
        lines.append(
            f"  %f = quant_float.dequantize {given} {how}opset 25 : {types['w']}, {types['s']}{points} to {whole}"
        )
        operand = ("f", whole[7:-1])
        if self.minimum:
            lines.append(node("Sub", [operand, ("m", types["m"][7:-1])], operand[1], name="d"))
            weights = (self.channels, self.depth)
            whole = tensor(weights, "f32")
            lines.append(f"  %shape = arith.constant dense<{list(weights)}> : tensor<2xi64>")
            lines.append(node("Reshape", [("d", operand[1]), ("shape", "2xi64")], whole[7:-1], name="r"))  # fmt: skip
            operand = ("r", whole[7:-1])
        if self.along:
            turned = tensor(weights[::-1], "f32")[7:-1]
            lines.append(node("Transpose", [operand], turned, "perm = array<i64: 1, 0>", name="t"))  # fmt: skip
            operand = ("t", turned)
        given_x = "x"
        if self.x != "f32":
            lines.append(
                f"  %c = quant_float.cast %x opset 21 : {types['x']} to {tensor(x, 'f32')}"
            )
            given_x = "c"
        result = tensor((self.rows, self.channels), "f32")
        lines.append(node("MatMul", [(given_x, tensor(x, "f32")[7:-1]), operand], result[7:-1]))
        return f"func.func @{self.name}({arguments}) -> {result} {{\n" + "\n".join(lines) + f"\n  return %y : {result}\n}}\n"  # fmt: skip

    def expected(self, values):
        """The result in f64, and the sum of magnitudes for the error bound of R7."""
        x, w, s = (values[name].astype(np.float64) for name in "xws")
        least = 0.0
        if self.kind.startswith("f"):
            kind = ml_dtypes.float4_e2m1fn if self.kind == "f4E2M1FN" else TYPES[self.kind]
            w = values["w"].view(kind).astype(np.float64)
            least = -6.0 if self.kind == "f4E2M1FN" else 0.0
        elif not self.kind.endswith("8"):
            bits = int(self.kind.strip("ui"))
            least = -(2.0 ** (bits - 1)) if self.kind.startswith("i") else 0.0
        axis = 1 if self.along else 0
        w = w.reshape(self.channels, self.depth) if self.along else w

        def spread(parameter):
            parameter = parameter.astype(np.float64)
            if self.minimum:
                parameter = parameter[..., 0]
            if self.block:
                return np.repeat(parameter, self.block, axis=axis)
            return np.expand_dims(parameter, axis) if parameter.ndim else parameter

        point = spread(values["z"]) if self.points else 0.0
        s = spread(s)
        magnitude = np.abs(s) * (np.abs(w - least) + np.abs(least - point))
        weights = s * (w - point)
        if self.minimum:
            weights = weights - spread(values["m"])
            magnitude = magnitude + spread(values["m"])
        if self.along:
            weights, magnitude = weights.T, magnitude.T
        return x @ weights, np.abs(x) @ magnitude


# Full and partial chunks, parts of x in shared memory, and rows of threads. Each layout, type and
# kind of scale.
VECTORS = (
    Vectors("bytes", "i8", 1, 40, 256),
    Vectors("bytes_tail", "i8", 1, 33, 203, None),
    Vectors("bytes_blocks", "ui8", 2, 9, 96, 32, points=True),
    Vectors("bytes_long", "i8", 4, 3, 3000),
    Vectors("bytes_half", "ui8", 3, 5, 77, points=True, x="f16"),
    Vectors("float8", "f8E4M3FN", 1, 35, 160),
    Vectors("float8_blocks", "f8E5M2", 1, 7, 256, 64),
    Vectors("nibbles", "i4", 1, 40, 256, packed=True),
    Vectors("nibbles_blocks", "ui4", 1, 18, 416, 32, points=True, packed=True),
    Vectors("nibbles_tail", "i4", 2, 17, 138, None, packed=True),
    Vectors("nibbles_long", "i4", 4, 2, 2048, 16, packed=True),
    Vectors("nibbles_wide_blocks", "i4", 1, 5, 512, 256, packed=True),
    Vectors("pairs", "ui2", 1, 20, 320, 64, points=True, packed=True),
    Vectors("bytes_minimum", "ui8", 2, 9, 96, 32, minimum=True),
    Vectors("nibbles_minimum", "ui4", 1, 18, 416, 32, packed=True, minimum=True),
    Vectors("nibbles_point_minimum", "i4", 2, 7, 256, 16, points=True, packed=True, minimum=True),
    Vectors("float4", "f4E2M1FN", 1, 20, 288, 32, packed=True),
    Vectors("constants", "i4", 1, 24, 128, 32, along=False, points=True, constant=True),
    Vectors("constant_bytes", "i8", 2, 24, 128, along=False, constant=True),
    Vectors("columns", "i8", 1, 70, 300, along=False),
    Vectors("columns_tail", "ui8", 3, 33, 45, None, along=False, points=True),
    Vectors("columns_blocks", "i8", 1, 40, 96, 16, along=False),
    Vectors("columns_float8", "f8E4M3FN", 2, 40, 64, along=False),
    Vectors("columns_nibbles", "ui4", 4, 150, 96, along=False, points=True, packed=True),
    Vectors("columns_nibbles_blocks", "i4", 1, 72, 320, 64, along=False, packed=True),
    Vectors("columns_pairs", "i2", 1, 136, 100, along=False, packed=True),
    Vectors("columns_float4", "f4E2M1FN", 1, 72, 64, 32, along=False, packed=True),
)  # fmt: skip
