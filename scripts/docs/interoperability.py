"""Writes the tables of docs/interoperability.md: the results of the casts and quantizations of other compilers, compared with ONNX's.

usage: interoperability.py TOOLS PAGE

Runs each op on dense edge values, and replaces the text between the markers of the page.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import ml_dtypes
import numpy as np

TYPES = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
    "i4": ml_dtypes.int4,
    "i8": np.int8,
    "ui8": np.uint8,
    "f32": np.float32,
}
# PyTorch's numbers of dtypes.
TORCH = {
    "f8E5M2": 23, "f8E4M3FN": 24, "f8E5M2FNUZ": 25, "f8E4M3FNUZ": 26, "f8E8M0FNU": 44,
    "i8": 1, "ui8": 0, "f32": 6,
}  # fmt: skip
# Examples are searched among these values first.
SIMPLE = [
    0.25,
    0.5,
    1.5,
    2.5,
    1000,
    -1000,
    300,
    -300,
    1e6,
    -12.149999618530273,
    np.inf,
    -np.inf,
    0,
    -0.0,
    -1,
    1e-40,
    np.nan,
]


def floats():
    """About a million values: the neighbors of all f16 values and of all values with short
    mantissas, and these values."""
    halves = np.arange(65536, dtype=np.uint16).view(np.float16).astype(np.float32)
    high = (np.arange(65536, dtype=np.uint32) << 16).view(np.float32)
    values = np.concatenate([halves, high])
    near = [values] + [np.nextafter(values, np.float32(d)) for d in (-np.inf, np.inf)]
    spread = np.random.default_rng(0).uniform(-2000, 2000, 1 << 19).astype(np.float32)
    ties = (np.arange(-3000, 3000) * 0.05).astype(np.float32)
    return np.concatenate([np.float32(SIMPLE), ties, *near, spread])


# A matrix has each value in four columns, and therefore every fourth of the dense values.
MATRIX_STEP = 4

# The rows of a matrix of inputs have 4 elements: each is quantized by its column's scale, or by that of two columns.
AXIS_SCALES, AXIS_ZERO_POINTS = [0.1, 0.25, 0.3, 1.5], [3, 0, -7, 5]
BLOCK_SCALES, BLOCK_ZERO_POINTS = [0.1, 0.3], [3, -7]


def encodings(name):
    size = 16 if name == "f4E2M1FN" else 256
    return np.arange(size, dtype=np.uint8).view(TYPES[name])


class Construct:
    """An op: its title, argument, result type, the ONNX op, and the op of each dialect.

    `granularity` is "tensor", "axis" or "block". Matrices have columns, and scales and zero points as arguments %s and %z.
    """

    def __init__(self, title, source, to, onnx, granularity="tensor", **dialects):
        self.title, self.source, self.to, self.onnx = title, source, to, onnx
        self.granularity, self.dialects = granularity, dialects

    def arrange(self, values):
        """The inputs: the values, in each column if there are several."""
        return values if self.granularity == "tensor" else np.repeat(values, 4).reshape(-1, 4)

    def operands(self, rows):
        """The scales and the zero points."""
        if self.granularity == "tensor":
            return []
        if self.granularity == "axis":
            return [np.float32(AXIS_SCALES), np.int8(AXIS_ZERO_POINTS)]
        scales, zeros = np.float32(BLOCK_SCALES), np.int8(BLOCK_ZERO_POINTS)
        return [np.tile(scales, (rows, 1)), np.tile(zeros, (rows, 1))]


def cast(source, to):
    """`X` and `R` are replaced by the types of the argument and the result."""
    dialects = {"stablehlo": '%r = "stablehlo.convert"(%x) : (X) -> R'}
    if source == "f32":
        op = "fptosi" if to in ("i8", "i4") else "truncf"
    else:
        op = "sitofp" if source == "i8" else "extf"
    dialects["arith"] = f"%r = arith.{op} %x : X to R"
    if (
        to != "f8E8M0FNU"
        and source != "f8E8M0FNU"
        and not {source, to} & {"f8E4M3FNUZ", "f8E5M2FNUZ", "f4E2M1FN", "i4"}
    ):
        dialects["tosa"] = "%r = tosa.cast %x : (X) -> R"
    if {source, to} <= TORCH.keys():
        dialects["torch"] = (
            f'%t = "torch.constant.int"() <{{value = {TORCH[to]} : i64}}> : () -> !torch.int\n'
            '  %r = "torch.prims.convert_element_type"(%x, %t) : (VX, !torch.int) -> VR'
        )
    onnx = "%r = quant_float.cast %x opset 28 : X to R"
    return Construct(f"cast {source} to {to}", source, to, onnx, **dialects)


SCALE, ZERO_POINT = "0.1", "3"
UNIFORM = f"tensor<Nx!quant.uniform<i8:f32, {SCALE}:{ZERO_POINT}>>"


def decomposed(op, operands=""):
    """An op of PyTorch's quantized_decomposed."""
    constants = "".join(
        f'%{name} = "torch.constant.{kind}"() <{{value = {value}}}> : () -> !torch.{kind}\n  '
        for name, kind, value in (
            ("s", "float", f"{SCALE} : f64"), ("z", "int", f"{ZERO_POINT} : i64"),
            ("l", "int", "-128 : i64"), ("h", "int", "127 : i64"), ("t", "int", "1 : i64"),
        )
    )  # fmt: skip
    types = "VX, !torch.float, !torch.int, !torch.int, !torch.int, !torch.int"
    if operands:
        constants += '%n = "torch.constant.none"() : () -> !torch.none\n  '
        types += ", !torch.none"
    return f'{constants}%r = "torch.quantized_decomposed.{op}"(%x, %s, %z, %l, %h, %t{operands}) : ({types}) -> VR'


def affine(op):
    """An op of IREE."""
    maps = ", ".join(f"affine_map<(d0) -> ({result})>" for result in ("d0", "", "", "d0"))
    return (
        f"%s = arith.constant {SCALE} : f32\n  %z = arith.constant {ZERO_POINT} : i64\n  %i = tensor.empty() : R\n  "
        f'%r = "iree_linalg_ext.{op}"(%x, %s, %z, %i) <{{indexing_maps = [{maps}], quant_max = 127 : i64, '
        "quant_min = -128 : i64}> : (X, f32, i64, R) -> R"
    )


def onnx(op):
    return (
        f"%s = arith.constant dense<{SCALE}> : tensor<f32>\n  %z = arith.constant dense<{ZERO_POINT}> : tensor<i8>\n  "
        f"%r = quant_float.{op} %x, %s, %z opset 28 : X, tensor<f32>, tensor<i8> to R"
    )


def quantize():
    return Construct(
        f"quantize f32 to i8, scale {SCALE}, zero point {ZERO_POINT}", "f32", "i8", onnx("quantize"),
        stablehlo=f'%q = "stablehlo.uniform_quantize"(%x) : (X) -> {UNIFORM}\n  %r = "stablehlo.bitcast_convert"(%q) : ({UNIFORM}) -> R',
        torch=decomposed("quantize_per_tensor"), iree=affine("quantize_affine"),
        quant=f"%q = quant.qcast %x : X to {UNIFORM}\n  %r = quant.scast %q : {UNIFORM} to R",
    )  # fmt: skip


def dequantize():
    return Construct(
        f"dequantize i8 to f32, scale {SCALE}, zero point {ZERO_POINT}", "i8", "f32", onnx("dequantize"),
        stablehlo=f'%q = "stablehlo.bitcast_convert"(%x) : (X) -> {UNIFORM}\n  %r = "stablehlo.uniform_dequantize"(%q) : ({UNIFORM}) -> R',
        torch=decomposed("dequantize_per_tensor", ", %n"), iree=affine("dequantize_affine"),
        quant=f"%q = quant.scast %x : X to {UNIFORM}\n  %r = quant.dcast %q : {UNIFORM} to R",
    )  # fmt: skip


# The scales per column and per two columns, in the type of quant and of StableHLO.
def _spell(scales, zero_points):
    return ", ".join(f"{s}:{z}" for s, z in zip(scales, zero_points, strict=True))


UNIFORM_AXIS = f"tensor<Nx4x!quant.uniform<i8:f32:1, {{{_spell(AXIS_SCALES, AXIS_ZERO_POINTS)}}}>>"
UNIFORM_BLOCK = f"tensor<Nx4x!quant.uniform<i8:f32:{{0:N, 1:2}}, {{{{{_spell(BLOCK_SCALES, BLOCK_ZERO_POINTS)}}}}}>>"


def onnx_matrix(op, granularity):
    words = "axis 1" + (" block_size 2" if granularity == "block" else "")
    return f"%r = quant_float.{op} %x, %s, %z {words} opset 28 : X, S, Z to R"


def uniform(op, kind):
    """Ops of StableHLO and quant on quantized types."""
    if op == "quantize":
        stablehlo = f'%q = "stablehlo.uniform_quantize"(%x) : (X) -> {kind}\n  %r = "stablehlo.bitcast_convert"(%q) : ({kind}) -> R'
        quant = f"%q = quant.qcast %x : X to {kind}\n  %r = quant.scast %q : {kind} to R"
    else:
        stablehlo = f'%q = "stablehlo.bitcast_convert"(%x) : (X) -> {kind}\n  %r = "stablehlo.uniform_dequantize"(%q) : ({kind}) -> R'
        quant = f"%q = quant.scast %x : X to {kind}\n  %r = quant.dcast %q : {kind} to R"
    return {"stablehlo": stablehlo, "quant": quant}


def arithmetic(op, barrier):
    """Plain ops of StableHLO on matrices, as JAX generates them for scales in blocks."""
    wide = "tensor<Nx4xf32>"
    lines = [
        '%wz = "stablehlo.convert"(%z) : (Z) -> tensor<Nx2xf32>',
        *(
            f'%{name}w = "stablehlo.broadcast_in_dim"(%{value}) <{{broadcast_dimensions = array<i64: 0, 1>}}> : (tensor<Nx2xf32>) -> tensor<Nx2x2xf32>\n'
            f'  %{name}r = "stablehlo.reshape"(%{name}w) : (tensor<Nx2x2xf32>) -> {wide}'
            for name, value in (("s", "s"), ("z", "wz"))
        ),
    ]
    if op == "quantize":
        if barrier:
            lines.append(f'%sb = "stablehlo.optimization_barrier"(%sr) : ({wide}) -> {wide}')
        scale = "%sb" if barrier else "%sr"
        lines += [
            f'%q = "stablehlo.divide"(%x, {scale}) : (X, {wide}) -> {wide}',
            f'%n = "stablehlo.round_nearest_even"(%q) : ({wide}) -> {wide}',
            f'%a = "stablehlo.add"(%n, %zr) : ({wide}, {wide}) -> {wide}',
            f'%r = "stablehlo.convert"(%a) : ({wide}) -> R',
        ]
    else:
        lines += [
            f'%q = "stablehlo.convert"(%x) : (X) -> {wide}',
            f'%n = "stablehlo.subtract"(%q, %zr) : ({wide}, {wide}) -> {wide}',
            f'%r = "stablehlo.multiply"(%n, %sr) : ({wide}, {wide}) -> R',
        ]
    return "\n  ".join(lines)


def decomposed_matrix(op, name):
    """An op of PyTorch's quantized_decomposed, with tensors of scales and zero points."""
    numbers = {"axis": 1, "l": -128, "h": 127, "t": 1, "g": 2}
    order = {"channel": ["axis", "l", "h", "t"], "channel_group": ["l", "h", "t", "g"]}[name]
    if op == "dequantize" and name == "channel_group":
        numbers["f"] = TORCH["f32"]
        order = ["l", "h", "t", "g", "f"]
    lines = [
        f'%{key} = "torch.constant.int"() <{{value = {numbers[key]} : i64}}> : () -> !torch.int'
        for key in order
    ]
    operands = ["%x", "%s", "%z", *(f"%{key}" for key in order)]
    types = ["VX", "VS", "VZ", *["!torch.int"] * len(order)]
    if op == "dequantize" and name == "channel":
        lines.append('%none = "torch.constant.none"() : () -> !torch.none')
        operands.append("%none")
        types.append("!torch.none")
    lines.append(
        f'%r = "torch.quantized_decomposed.{op}_per_{name}"({", ".join(operands)}) : ({", ".join(types)}) -> VR'
    )
    return "\n  ".join(lines)


def affine_matrix(op, granularity, source, to):
    """An op of IREE. Blocks are dimensions."""
    if granularity == "axis":
        dims, scale, before, after = "d0, d1", "d1", [], []
        x, init, result = "%x", "R", "%r"
    else:
        dims, scale = "d0, d1, d2", "d0, d1"
        shape, init = f"tensor<Nx2x2x{source}>", f"tensor<Nx2x2x{to}>"
        x, result = "%e", "%y"
        before = [
            f"%e = tensor.expand_shape %x [[0], [1, 2]] output_shape [N, 2, 2] : X into {shape}"
        ]
        after = [f"%r = tensor.collapse_shape %y [[0], [1, 2]] : {init} into R"]
    type_of_x = "X" if granularity == "axis" else shape
    maps = ", ".join(f"affine_map<({dims}) -> ({each})>" for each in (dims, scale, scale, dims))
    lines = [
        *before,
        f"%i = tensor.empty() : {init}",
        f'{result} = "iree_linalg_ext.{op}"({x}, %s, %z, %i) <{{indexing_maps = [{maps}], quant_max = 127 : i64, '
        f"quant_min = -128 : i64}}> : ({type_of_x}, S, Z, {init}) -> {init}",
        *after,
    ]
    return "\n  ".join(lines)


def quantize_matrix(op, granularity):
    source, to = ("f32", "i8") if op == "quantize" else ("i8", "f32")
    kind = UNIFORM_AXIS if granularity == "axis" else UNIFORM_BLOCK
    where = "per axis" if granularity == "axis" else "in blocks of 2"
    dialects = uniform(op, kind)
    if granularity == "block":
        dialects["stablehlo"] = arithmetic(op, barrier=False)
    dialects["torch"] = decomposed_matrix(
        op, "channel" if granularity == "axis" else "channel_group"
    )
    dialects["iree"] = affine_matrix(f"{op}_affine", granularity, source, to)
    title = f"{op} {source} to {to} {where}"
    return Construct(title, source, to, onnx_matrix(op, granularity), granularity, **dialects)


def quantize_float8():
    """To float8, with scale 0.1 and without a zero point."""
    kind = f"tensor<Nx!quant.uniform<f8E4M3FN:f32, {SCALE}>>"
    torch = decomposed("quantize_per_tensor")
    for before, after in (
        (f"{ZERO_POINT} : i64", "0 : i64"),
        ("-128 :", "-448 :"),
        ("127 :", "448 :"),
        ("{value = 1 :", f"{{value = {TORCH['f8E4M3FN']} :"),
    ):
        torch = torch.replace(before, after)
    wide = "tensor<Nxf32>"
    stablehlo = "\n  ".join([
        f'%c = "stablehlo.constant"() <{{value = dense<{SCALE}> : {wide}}}> : () -> {wide}',
        f'%s = "stablehlo.optimization_barrier"(%c) : ({wide}) -> {wide}',
        '%l = "stablehlo.constant"() <{value = dense<-448.0> : tensor<f32>}> : () -> tensor<f32>',
        '%h = "stablehlo.constant"() <{value = dense<448.0> : tensor<f32>}> : () -> tensor<f32>',
        f'%q = "stablehlo.divide"(%x, %s) : ({wide}, {wide}) -> {wide}',
        f'%b = "stablehlo.clamp"(%l, %q, %h) : (tensor<f32>, {wide}, tensor<f32>) -> {wide}',
        f'%r = "stablehlo.convert"(%b) : ({wide}) -> R',
    ])  # fmt: skip
    return Construct(
        f"quantize f32 to f8E4M3FN, scale {SCALE}", "f32", "f8E4M3FN",
        f"%s = arith.constant dense<{SCALE}> : tensor<f32>\n  %r = quant_float.quantize %x, %s opset 28 : X, tensor<f32> to R",
        stablehlo=stablehlo, torch=torch, iree=affine("quantize_affine"),
        quant=f"%q = quant.qcast %x : X to {kind}\n  %r = quant.scast %q : {kind} to R",
    )  # fmt: skip


CONSTRUCTS = [
    *(cast("f32", to) for to in ("f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E8M0FNU", "f4E2M1FN", "i8", "i4")),
    *(cast(source, "f32") for source in ("f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E8M0FNU", "f4E2M1FN", "i8")),
    *(make() for make in (quantize, dequantize, quantize_float8)),
    *(quantize_matrix(op, granularity) for granularity in ("axis", "block") for op in ("quantize", "dequantize")),
]  # fmt: skip
DIALECTS = {
    "stablehlo": "StableHLO (XLA)", "torch": "torch", "arith": "arith", "tosa": "tosa",
    "iree": "iree_linalg_ext", "quant": "quant",
}  # fmt: skip


def run(tools, work, construct, body, values):
    """The results of the op, or the error message."""
    arrays = [construct.arrange(values), *construct.operands(values.size)]
    names = dict(zip("XSZ", (construct.source, "f32", "i8"), strict=True))
    prefix = "V" if "VX" in body else ""
    if prefix and len(arrays) == 3:
        # As PyTorch's observers generate them. int8 ones wrap in dequantize.
        names["Z"], arrays[2] = "i64", arrays[2].astype(np.int64)
    shapes = dict(zip("XSZ", [array.shape for array in arrays], strict=False))
    names["R"], shapes["R"] = construct.to, arrays[0].shape
    words = {}
    for letter, shape in shapes.items():
        name = names[letter]
        words[letter] = f"tensor<{'x'.join(map(str, shape))}x{name}>"
        sizes = ",".join(map(str, shape))
        words[f"V{letter}"] = f"!torch.vtensor<[{sizes}],{re.sub('^i', 'si', name)}>"
    arguments = ", ".join(
        f"%{letter.lower()}: {prefix}{letter}" for letter, _ in zip("XSZ", arrays, strict=False)
    )
    text = f"func.func @main({arguments}) -> {prefix}R {{\n  {body}\n  return %r : {prefix}R\n}}\n"
    text = re.sub(r"\b(V?[XSZR])\b", lambda match: words[match[1]], text)
    # N is the number of rows.
    text = re.sub(r"\bN(?=x|\b)", str(values.size), text)
    source, inputs = work / "cell.mlir", []
    source.write_text(text)
    for index, array in enumerate(arrays):
        inputs.append(work / f"{index}.npy")
        np.save(inputs[-1], array)
    command = [tools / "quant-float-run", source, "--outputs", work / "out", "--inputs", *inputs]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = done.stderr.splitlines()[0].split("error: ", 1)[-1]
        # MLIR 22 prints a size that it has not computed.
        reason = re.sub(r"(illegal storage type) size: \d+", r"\1", reason)
        return reason.replace(f"<{values.size}x", "<Nx")
    return np.load(work / "out" / "output_0.npy").view(TYPES[construct.to])


def show(value):
    number = float(value)
    if np.isnan(number):
        return "NaN"
    return f"{number:.17g}" if abs(number) >= 1e-3 or number == 0 else f"{number:.3g}"


def compare(values, got, expected):
    """`exact`, or an input with another result and their number."""
    wide, wanted = got.astype(np.float64), expected.astype(np.float64)
    same = (wide == wanted) & (np.signbit(wide) == np.signbit(wanted)) | np.isnan(wide) & np.isnan(
        wanted
    )
    if same.all():
        return "exact"
    place = tuple(np.argwhere(~same)[0])
    x = values.astype(np.float64)[place]
    if np.isnan(x) and np.isnan(wide[place]) == np.isnan(wanted[place]):
        x = np.copysign(np.nan, x)
    return f"{show(x)} gives {show(wide[place])}, not {show(wanted[place])}"


def make_table(tools):
    lines = ["| ONNX | " + " | ".join(DIALECTS.values()) + " |", "|---" * (len(DIALECTS) + 1) + "|"]
    count = inputs = 0
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for construct in CONSTRUCTS:
            values = floats() if construct.source == "f32" else encodings(construct.source)
            if construct.granularity != "tensor":
                simple = np.concatenate([np.float32(SIMPLE), values[::MATRIX_STEP]])
                values = simple if values.size > 256 else values
            expected = run(tools, work, construct, construct.onnx, values)
            cells = []
            for dialect in DIALECTS:
                body = construct.dialects.get(dialect)
                if body is None:
                    cells.append("–")
                    continue
                got = run(tools, work, construct, body, values)
                arranged = construct.arrange(values)
                count, inputs = count + 1, inputs + arranged.size
                cells.append(
                    f"refused: {got}" if isinstance(got, str) else compare(arranged, got, expected)
                )
            lines.append(f"| {construct.title} | " + " | ".join(cells) + " |")
    lines.append("")
    cells = [cell for line in lines[2:] for cell in line.split(" | ")[1:]]
    exact, refused = (
        sum(cell.strip(" |").startswith(word) for cell in cells) for word in ("exact", "refused")
    )
    lines.append(
        f"{count} cells, {inputs:,} values: {exact} exact, {count - exact - refused} with another result, {refused} refused."
    )
    return "\n".join(lines)


def main():
    tools, page = map(pathlib.Path, sys.argv[1:])
    np.seterr(all="ignore")
    text = page.read_text()
    begin, end = "<!-- generated by scripts/docs/interoperability.py -->\n", "\n<!-- end -->"
    head, rest = text.split(begin)
    tail = rest.split(end)[1]
    page.write_text(f"{head}{begin}\n{make_table(tools)}\n{end}{tail}")


if __name__ == "__main__":
    main()
