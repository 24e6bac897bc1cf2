"""Matmuls for GPUs: models, inputs, and NumPy's results."""

from dataclasses import dataclass

import ml_dtypes
import numpy as np

# Element types by MLIR's names.
TYPES = {
    "f32": np.float32,
    "f64": np.float64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "i8": np.int8,
    "ui8": np.uint8,
}
# M, N, K: full tiles, remainders of each, less than a tile, one more than a tile, K of 0, no rows.
SIZES = ((64, 64, 32), (65, 70, 33), (9, 130, 16), (128, 8, 7), (1, 1, 1), (40, 24, 0), (0, 9, 5))
# Skinny matmuls, with K above that of their tiles, or equal to it.
SKINNY = (
    (1, 70, 130),
    (2, 40, 64),
    (3, 65, 200),
    (5, 33, 67),
    (70, 1, 97),
    (40, 2, 128),
    (33, 4, 70),
    (64, 7, 65),
)


@dataclass(frozen=True)
class Matmul:
    """`inputs` are (name, shape, type) with ? for dynamic sizes. `node` computes %y from them."""

    name: str
    inputs: tuple
    node: str
    result: str

    def factors(self):
        return self.inputs[0][2], self.inputs[1][2]

    def text(self):
        arguments = ", ".join(
            f'%{name}: tensor<{shape}{kind}> {{quant_float.name = "{name}"}}' for name, shape, kind in self.inputs
        )  # fmt: skip
        return f"func.func @{self.name}({arguments}) -> tensor<{self.result}> {{\n{self.node}\n  return %y : tensor<{self.result}>\n}}\n"


def node(op, operands, result, attributes="", opset=21, name="y"):
    """Operands are (value, type)."""
    values = ", ".join(f"%{value}" for value, _ in operands)
    types = ", ".join(f"tensor<{kind}>" for _, kind in operands)
    given = f" attributes {{{attributes}}}" if attributes else ""
    return f'  %{name} = quant_float.node "{op}"({values}) opset {opset}{given} : ({types}) -> tensor<{result}>'


def matmul(kind, sizes=None):
    m, n, k = sizes or ("?", "?", "?")
    a, b, y = f"{m}x{k}x", f"{k}x{n}x", f"{m}x{n}x"
    is_integer = kind in ("i8", "ui8")
    op, result = ("MatMulInteger", y + "i32") if is_integer else ("MatMul", y + kind)
    name = f"{'integer' if is_integer else 'matmul'}_{kind}" + ("_{}_{}_{}".format(*sizes) if sizes else "")  # fmt: skip
    return Matmul(name, (("a", a, kind), ("b", b, kind)), node(op, [("a", a + kind), ("b", b + kind)], result), result)  # fmt: skip


def batched(kind, inner="?x?x?x?x"):
    tensor = inner + kind
    return Matmul(
        f"batched_{kind}", (("a", inner, kind), ("b", inner, kind)), node("MatMul", [("a", tensor), ("b", tensor)], tensor), tensor
    )  # fmt: skip


def shared_right(kind):
    """A batch of matrices times one matrix."""
    return Matmul(
        f"shared_right_{kind}",
        (("a", "?x?x?x", kind), ("b", "?x?x", kind)),
        node("MatMul", [("a", f"?x?x?x{kind}"), ("b", f"?x?x{kind}")], f"?x?x?x{kind}"),
        f"?x?x?x{kind}",
    )


def scores(kind):
    """Queries times transposed keys, as in attention."""
    tensor = f"?x?x?x?x{kind}"
    lines = [
        node("Transpose", [("b", tensor)], tensor, "perm = array<i64: 0, 1, 3, 2>", name="t"),
        node("MatMul", [("a", tensor), ("t", tensor)], tensor),
    ]
    return Matmul(f"scores_{kind}", (("a", "?x?x?x?x", kind), ("b", "?x?x?x?x", kind)), "\n".join(lines), tensor)  # fmt: skip


def blocked(kind):
    """An f32 matrix times quantized values with a scale for each 16 elements of K."""
    lines = [
        f"  %f = quant_float.dequantize %b, %s axis 0 block_size 16 opset 21 : tensor<?x?x{kind}>, tensor<?x?xf32> to tensor<?x?xf32>",
        node("MatMul", [("a", "?x?xf32"), ("f", "?x?xf32")], "?x?xf32"),
    ]
    return Matmul(f"blocked_{kind}", (("a", "?x?x", "f32"), ("b", "?x?x", kind), ("s", "?x?x", "f32")), "\n".join(lines), "?x?xf32")  # fmt: skip


def gemm(kind, trans_a, trans_b):
    matrix = f"?x?x{kind}"
    return Matmul(
        f"gemm_{kind}_{trans_a}{trans_b}",
        (("a", "?x?x", kind), ("b", "?x?x", kind), ("c", "?x", kind)),
        node(
            "Gemm",
            [("a", matrix), ("b", matrix), ("c", f"?x{kind}")],
            matrix,
            f"transA = {trans_a} : i64, transB = {trans_b} : i64",
        ),
        matrix,
    )


def integer(a, b, zero_a="", zero_b=""):
    """MatMulInteger, with zero points of one element, or of each row or column."""
    inputs = [("a", "?x?x", a), ("b", "?x?x", b)]
    if zero_a:
        inputs.append(("p", {"one": "", "all": "?x"}[zero_a], a))
    if zero_b:
        inputs.append(("q", {"one": "", "all": "?x"}[zero_b], b))
    return Matmul(
        f"integer_{a}_{b}_{zero_a or 'none'}_{zero_b or 'none'}",
        tuple(inputs),
        node("MatMulInteger", [(name, shape + kind) for name, shape, kind in inputs], "?x?xi32"),
        "?x?xi32",
    )


def dequantized(kind, trans_b=0):
    """The matmul of dequantized operands, with one scale for each operand."""
    lines = [
        f"  %{name}f = quant_float.dequantize %{name}, %{scale} opset 21 : tensor<?x?x{kind}>, tensor<f32> to tensor<?x?xf32>"
        for name, scale in (("a", "s"), ("b", "t"))
    ]
    if trans_b:
        lines.append(
            node("Transpose", [("bf", "?x?xf32")], "?x?xf32", "perm = array<i64: 1, 0>", name="bt")
        )
    right = "bt" if trans_b else "bf"
    lines.append(node("MatMul", [("af", "?x?xf32"), (right, "?x?xf32")], "?x?xf32"))
    return Matmul(
        f"dequantized_{kind}_{trans_b}",
        (("a", "?x?x", kind), ("b", "?x?x", kind), ("s", "", "f32"), ("t", "", "f32")),
        "\n".join(lines),
        "?x?xf32",
    )


def transposed(a, b, scales=False):
    """A matrix times a transposed one: integers, or floats that are dequantized with a scale for
    each row and column."""
    is_integer = a in ("i8", "ui8")
    inputs = [("a", "?x?x", a), ("b", "?x?x", b)]
    lines, names, kinds = [], ["a", "b"], [a, b]
    if scales:
        inputs += [("s", "?x", "f32"), ("t", "?x", "f32")]
        for name, scale, kind in (("a", "s", a), ("b", "t", b)):
            lines.append(
                f"  %{name}f = quant_float.dequantize %{name}, %{scale} axis 0 opset 21 : tensor<?x?x{kind}>, tensor<?xf32> to tensor<?x?xf32>"
            )
        names, kinds = ["af", "bf"], ["f32", "f32"]
    result = "?x?xi32" if is_integer else f"?x?x{kinds[0]}"
    lines += [
        node(
            "Transpose",
            [(names[1], f"?x?x{kinds[1]}")],
            f"?x?x{kinds[1]}",
            "perm = array<i64: 1, 0>",
            name="bt",
        ),
        node(
            "MatMulInteger" if is_integer else "MatMul",
            [(names[0], f"?x?x{kinds[0]}"), ("bt", f"?x?x{kinds[1]}")],
            result,
        ),
    ]
    name = f"{'integer' if is_integer else 'transposed'}_{a}_{b}{'_scales' if scales else ''}_t"
    return Matmul(name, tuple(inputs), "\n".join(lines), result)


def shapes(product, m, n, k):
    """The shapes of the inputs for the sizes M, N, K."""
    name = product.name
    if name.startswith("batched"):
        return [(2, 3, m, k), (2, 3, k, n)]
    if name.startswith("scores"):
        return [(2, 3, m, k), (2, 3, n, k)]
    if name.startswith("blocked"):
        return [(m, k), (k, n), (-(-k // 16), n)]
    if name.startswith("shared"):
        return [(3, m, k), (k, n)]
    trans_a, trans_b = (name[-2] == "1", name[-1] == "1") if name.startswith("gemm") else (0, 0)
    trans_b |= name.startswith("dequantized") and name[-1] == "1" or name.endswith("_t")
    found = [(k, m) if trans_a else (m, k), (n, k) if trans_b else (k, n)]
    for other, shape, _ in product.inputs[2:]:
        sizes = {"c": (n,), "p": (m,), "q": (n,), "s": (m,), "t": (n,)}
        found.append(sizes.get(other, ()) if shape else ())
    return found


def expected(product, values):
    """The result in f64 or as 32-bit integers that wrap, and the sum of magnitudes."""
    exact = np.int64 if product.name.startswith("integer") else np.float64
    given = {name: value.astype(exact) for (name, _, _), value in zip(product.inputs, values, strict=True)}  # fmt: skip
    a, b = given["a"], given["b"]
    if product.name.endswith("_t"):
        b = b.T
    if product.name.endswith("_scales_t"):
        a, b = a * given["s"][:, None], b * given["t"]
    if product.name.startswith("integer"):
        a = a - np.reshape(given.get("p", 0), (-1, 1))
        b = b - given.get("q", 0)
        return (a @ b).astype(np.int32), None
    if product.name.startswith("dequantized"):
        a, b = a * given["s"], b * given["t"]
        b = b.T if product.name[-1] == "1" else b
    if product.name.startswith("blocked"):
        b = b * np.repeat(given["s"], 16, axis=0)[: b.shape[0]]
    if product.name.startswith("scores"):
        b = np.swapaxes(b, 2, 3)
    if product.name.startswith("gemm"):
        a, b = (a.T if product.name[-2] == "1" else a), (b.T if product.name[-1] == "1" else b)
    c = given.get("c", 0)
    return a @ b + c, np.abs(a) @ np.abs(b) + np.abs(c)


def random(kind, shape, seed):
    """Values whose products have similar magnitudes. All values of integers."""
    generator = np.random.default_rng(seed)
    if kind == "i4":
        return generator.integers(-8, 8, shape).astype(np.int8)
    if kind in ("i8", "ui8"):
        info = np.iinfo(TYPES[kind])
        return generator.integers(info.min, info.max, shape, endpoint=True).astype(TYPES[kind])
    return generator.standard_normal(shape).astype(np.float32).astype(TYPES[kind])
