"""Writes the tables of docs/interoperability.md: what the casts and quantizations of other compilers compute, compared with ONNX's.

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
    """About a million values: neighbors of all f16 and of all values with short mantissas, and the simple ones."""
    halves = np.arange(65536, dtype=np.uint16).view(np.float16).astype(np.float32)
    high = (np.arange(65536, dtype=np.uint32) << 16).view(np.float32)
    values = np.concatenate([halves, high])
    near = [values] + [np.nextafter(values, np.float32(d)) for d in (-np.inf, np.inf)]
    spread = np.random.default_rng(0).uniform(-2000, 2000, 1 << 19).astype(np.float32)
    ties = (np.arange(-3000, 3000) * 0.05).astype(np.float32)
    return np.concatenate([np.float32(SIMPLE), ties, *near, spread])


def codes(name):
    size = 16 if name == "f4E2M1FN" else 256
    return np.arange(size, dtype=np.uint8).view(TYPES[name])


class Construct:
    """An op: its title, argument, result type, the ONNX op, and the op of each dialect."""

    def __init__(self, title, source, to, onnx, **dialects):
        self.title, self.source, self.to, self.onnx, self.dialects = (
            title,
            source,
            to,
            onnx,
            dialects,
        )


def cast(source, to):
    """`X` and `R` stand for the types of the argument and the result."""
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


CONSTRUCTS = [
    *(cast("f32", to) for to in ("f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E8M0FNU", "f4E2M1FN", "i8", "i4")),
    *(cast(source, "f32") for source in ("f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E8M0FNU", "f4E2M1FN", "i8")),
    quantize(),
    dequantize(),
]  # fmt: skip
DIALECTS = {
    "stablehlo": "StableHLO (XLA)", "torch": "torch", "arith": "arith", "tosa": "tosa",
    "iree": "iree_linalg_ext", "quant": "quant",
}  # fmt: skip


def run(tools, work, construct, body, values):
    """The results of the op, or the error message."""
    shaped = {
        "X": f"tensor<{values.size}x{construct.source}>",
        "R": f"tensor<{values.size}x{construct.to}>",
    }
    torch = {
        f"V{key}": f"!torch.vtensor<[{values.size}],{re.sub('^i', 'si', name)}>"
        for key, name in (("X", construct.source), ("R", construct.to))
    }
    words = torch | shaped
    types = ("VX", "VR") if "VX" in body else ("X", "R")
    text = f"func.func @main(%x: {types[0]}) -> {types[1]} {{\n  {body}\n  return %r : {types[1]}\n}}\n"
    text = text.replace("tensor<Nx", f"tensor<{values.size}x")
    text = re.sub(r"\b(VX|VR|X|R)\b", lambda match: words[match[1]], text)
    source = work / "cell.mlir"
    source.write_text(text)
    np.save(work / "x.npy", values)
    command = [
        tools / "quant-float-run",
        source,
        "--inputs",
        work / "x.npy",
        "--outputs",
        work / "out",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr.splitlines()[0].split("error: ", 1)[-1]
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
    place = np.argwhere(~same)[0][0]
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
            values = floats() if construct.source == "f32" else codes(construct.source)
            expected = run(tools, work, construct, construct.onnx, values)
            cells = []
            for dialect in DIALECTS:
                body = construct.dialects.get(dialect)
                if body is None:
                    cells.append("–")
                    continue
                got = run(tools, work, construct, body, values)
                count, inputs = count + 1, inputs + values.size
                cells.append(
                    f"refused: {got}" if isinstance(got, str) else compare(values, got, expected)
                )
            lines.append(f"| {construct.title} | " + " | ".join(cells) + " |")
    lines.append("")
    lines.append(f"{count} cells, {inputs:,} values.")
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
