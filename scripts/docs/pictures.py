"""Draws the pictures of docs/pictures.

usage: pictures.py QUANT_FLOAT_OPT FOLDER

The compiler computes the values of the formats: it folds the cast of all encodings to f32.
"""

import math
import pathlib
import re
import struct
import subprocess
import sys

import elements
from packings import PACKINGS
from picture import LINE, Picture

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def list_formats():
    """Floats of up to a byte for which constants exist. Those that represent powers of two only
    come last."""
    rows = (row for row in elements.read() if row["Class"] == "Float" and int(row["Bits"]) <= 8)
    rows = (row for row in rows if not row["Mlir"].startswith("!"))
    return [row["Mlir"] for row in sorted(rows, key=lambda r: ("M0" in r["Mlir"], -int(r["Bits"])))]


def read_values(opt, name):
    """The value of each encoding, as a float."""
    count = 1 << int(re.match(r"f(\d+)", name)[1])
    types = f"tensor<{count}x{name}> to tensor<{count}xf32>"
    encodings = "".join(f"{encoding:02X}" for encoding in range(count))
    text = f'%0 = arith.constant dense<"0x{encodings}"> : tensor<{count}x{name}>\n'
    text = f"func.func @f() -> tensor<{count}xf32> {{\n{text}"
    text += f"%1 = quant_float.cast %0 mode quant_float opset 1 : {types}\nreturn %1 : tensor<{count}xf32>\n}}\n"
    command = [opt, "--canonicalize", "--mlir-print-elementsattrs-with-hex-if-larger=0", "-"]
    answer = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    folded = bytes.fromhex(re.search(r'dense<"0x(\w+)">', answer.stdout)[1])
    return struct.unpack(f"<{count}f", folded)


def power(exponent):
    return f"2{str(exponent).translate(SUPERSCRIPTS)}"


def show_number(value):
    mantissa, exponent = math.frexp(value)
    is_long = mantissa == 0.5 and not 1 / 16 <= value < 1e6
    return power(exponent - 1) if is_long else f"{value:g}"


def list_encodings(values, matches, digits):
    """Encodings in hexadecimal, with ranges given by their ends."""
    encodings = [encoding for encoding, value in enumerate(values) if matches(value)]
    runs = []
    for encoding in encodings:
        if runs and runs[-1][1] == encoding - 1:
            runs[-1][1] = encoding
        else:
            runs.append([encoding, encoding])
    written = (f"0x{a:0{digits}X}" + (f"–{b:0{digits}X}" if b > a else "") for a, b in runs)
    return ", ".join(written)


def draw_format(picture, y, name, values, to_x):
    bits, exponent, mantissa = map(int, re.match(r"f(\d+)E(\d+)M(\d+)", name).groups())
    fields = "S" * (bits - exponent - mantissa) + "E" * exponent + "M" * mantissa
    picture.text(8, y + 15, name, "code bold")
    for index, field in enumerate(fields):
        x = 110 + 20 * index
        picture.rect(x, y + 1, 18, 19, {"S": "d", "E": "a", "M": "b"}[field])
        picture.text(x + 9, y + 15, field, "middle code")

    positive = [v for code, v in enumerate(values) if v > 0 and math.isfinite(v)]
    # The first encoding with an exponent of 1: below it, the exponent is constant.
    least_normal = values[1 << mantissa] if mantissa else min(positive)
    bias = 1 - round(math.log2(values[1 << mantissa]))
    facts = [f"bias {bias}", f"from {show_number(min(positive))} to {show_number(max(positive))}"]
    picture.text(284, y + 10, ", ".join(facts), "soft")
    digits = math.ceil(bits / 4)
    zeros = sum(v == 0 for v in values)
    special = [{0: "no zero", 1: "no −0", 2: ""}[zeros]]
    infinite, invalid = (list_encodings(values, test, digits) for test in (math.isinf, math.isnan))
    special.append(f"∞ {infinite}" if infinite else "no ∞")
    special.append(f"NaN {invalid}" if invalid else "no NaN")
    if "S" not in fields:
        special.append("no sign")
    picture.text(284, y + 26, ", ".join(filter(None, special)), "soft")

    low, high = y + 34, y + 46
    picture.path(f"M8 {high}H512", "faint")
    # Below the smallest normal number, the spacing is the same as above it.
    for style, chosen in (
        ("ticks", [v for v in positive if v >= least_normal]),
        ("ticks less", [v for v in positive if v < least_normal]),
    ):
        # Values at the same position are drawn once.
        places = sorted({round(to_x(v), 1) for v in chosen if 8 <= to_x(v) <= 512})
        if places:
            picture.path("".join(f"M{x:g} {low}V{high}" for x in places), style)
    if to_x(min(positive)) < 8:
        picture.arrow((20, low + 18), (8, low + 18))
        picture.text(24, low + 22, f"to {show_number(min(positive))}", "soft")
        picture.arrow((500, low + 18), (512, low + 18))
        picture.text(496, low + 22, f"to {show_number(max(positive))}", "soft end")


def draw_formats(opt):
    picture = Picture(
        "formats", 520, "The bits of each narrow float, and its numbers on a scale of powers of 2"
    )

    def to_x(value):
        return 14 + (math.log2(value) + 18) * 14.2

    x = 8
    for letter, style, meaning in (
        ("S", "d", "sign"),
        ("E", "a", "exponent"),
        ("M", "b", "mantissa"),
    ):
        picture.rect(x, 4, 18, 19, style)
        picture.text(x + 9, 18, letter, "middle code")
        picture.text(x + 24, 18, meaning, "soft")
        x += 46 + 7 * len(meaning)
    picture.path("M280 8V20", "ticks")
    picture.text(286, 18, "a number", "soft")
    picture.path("M360 8V20", "ticks less")
    picture.text(366, 18, "one that is subnormal", "soft")
    top, y = 32, 40
    for name in list_formats():
        draw_format(picture, y, name, read_values(opt, name), to_x)
        y += 62
    bottom = y + 6
    for exponent in range(-16, 17, 8):
        at = to_x(2.0**exponent)
        picture.text(at, bottom + LINE - 2, power(exponent) if exponent else "1", "middle soft")
    marks = "".join(f"M{to_x(2.0**e):g} {top}V{bottom}" for e in range(-16, 17, 8))
    picture.parts.insert(0, f'<path d="{marks}" class="faint"/>')
    return picture


def draw_stages():
    picture = Picture("stages", 520, "The stages of the compiler, from a model to code")
    whole, half, gap = 512, 250, 30

    def go(x, y, label):
        """An arrow down from `y` with the name of a stage next to it. Returns the position of its
        end."""
        picture.arrow((x, y), (x, y + gap))
        picture.text(x + 12, y + 19, label.strip("`"), "code" if label.startswith("`") else "soft")
        return y + gap

    for x, lines in (
        (4, ["ONNX", "`.onnx`"]),
        (178, ["OpenVINO", "`.xml .bin`"]),
        (352, ["MLIR", "`.mlir .mlirbc`"]),
    ):
        y = picture.box(x, 4, 164, lines, "a")
    picture.arrow((260, y), (260, y + gap))
    go(40, y, "import")
    y = go(388, y, "parse")
    y = picture.box(4, y, whole, ["imported model", "quant_float ops and nodes"], "c")
    y = go(40, y, "`normalize-import, rewrite-quantization`")
    y = picture.box(4, y, whole, ["ONNX nodes and quant_float ops", "on tensors"], "c")
    y = go(40, y, "`lower-nodes-to-linalg, optimize-tensors`")
    y = picture.box(4, y, whole, ["linalg on tensors", "kernels and shape functions"])
    y = go(40, y, "`bufferize`")
    y = picture.box(4, y, whole, ["linalg on memrefs", "conversions of one element in bodies"])
    go(40, y, "`generate-cpu-code`")
    y = go(302, y, "`generate-gpu-code`")
    picture.box(4, y, half, ["CPU: LLVM dialect", "vectors, instructions of the CPU"], "b")
    y = picture.box(266, y, half, ["GPU: gpu.binary", "PTX or a cubin, and host code"], "b")
    picture.arrow((302, y), (302, y + gap))
    y = go(40, y, "`emit-abi`")
    y = picture.box(4, y, whole, ["LLVM dialect", "C functions that check arguments"])
    go(40, y, "LLVM, lld")
    y = go(388, y, "JIT compiler")
    picture.box(4, y, 338, ["files", "`.ll .s .o .so .h .ptx .cubin`"], "a")
    picture.box(352, y, 164, ["this process", "run, time, compare"], "a")
    return picture


# From the highest layer to the lowest, in the order of lib/CMakeLists.txt.
COMPONENTS = (
    (
        "networks",
        "the compiler of whole networks and its runtime",
        "a",
        (
            ("CAPI", "Report", "Certify"),
            ("Model",),
            ("Driver", "ExecutionEngine"),
            ("Pipelines",),
            ("Codegen", "EntryPoint", "Runtime", "ONNX/ToLinalg"),
        ),
    ),
    (
        "interchange",
        "files of models and weights",
        "c",
        (("ONNX", "OpenVINO", "Weights"), ("Interchange", "TensorData")),
    ),
    (
        "core",
        "the dialect and its conversions, on MLIR alone",
        "b",
        (
            ("Conversion",),
            ("Transforms",),
            ("Lowering",),
            ("IR",),
            ("Reference", "TargetInfo", "Support"),
        ),
    ),
)


def draw_layers():
    picture = Picture("layers", 520, "The libraries, from the highest layer to the lowest")
    left, whole, gap, y = 4, 512, 6, 4
    y = picture.box(left, y, whole, ["tools, Python, C and C++ programs"], "d") + 16
    for name, purpose, style, rows in COMPONENTS:
        picture.text(left, y + 4, f"{name}: {purpose}", "bold")
        y += 14
        for row in rows:
            width = (whole - gap * (len(row) - 1)) / len(row)
            for number, library in enumerate(row):
                bottom = picture.box(left + number * (width + gap), y, width, [library], style)
            y = bottom + gap
        y += 18
    picture.text(left, y, "A library uses only libraries below it.", "soft")
    return picture


# Multiples of the alignments of all layouts.
ROWS, BLOCKS, CELLS = 256, 16, 8


def list_layouts():
    """From the table of layouts: keywords, and the multiples to which rows and blocks are
    padded."""
    path = elements.INCLUDE / "Reference" / "ScaleLayouts.def"
    rows = re.findall(r'LAYOUT\(\w+, "(\w+)", (\d+), (\d+),', path.read_text())
    return [(keyword, int(rows), int(blocks)) for keyword, rows, blocks in rows]


def read_layout(opt, keyword):
    """The row and the block of the scale at each offset: the compiler rearranges the numbers of
    rows and blocks."""
    element, code, size = ("f32", "f", 4) if keyword.endswith("f32") else ("f8E8M0FNU", "B", 1)
    count = ROWS * BLOCKS
    numbers = ([i // BLOCKS for i in range(count)], [i % BLOCKS for i in range(count)])
    found = []
    for values in numbers:
        plain, packed = f"tensor<{ROWS}x{BLOCKS}x{element}>", f"tensor<{count}x{element}>"
        given = struct.pack(f"<{count}{code}", *values).hex()
        text = f"""func.func @f() -> {packed} {{
  %0 = arith.constant dense<"0x{given}"> : {plain}
  %1 = quant_float.pack_scales %0 layout {keyword} : {plain} to {packed}
  return %1 : {packed}
}}"""
        command = [opt, "--canonicalize", "--mlir-print-elementsattrs-with-hex-if-larger=0", "-"]
        answer = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
        folded = bytes.fromhex(
            re.search(rf'dense<"0x(\w{{{2 * count * size}}})">', answer.stdout)[1]
        )
        found.append([int(value) for value in struct.unpack(f"<{count}{code}", folded)])
    return list(zip(*found, strict=True))


def draw_scale_layouts(opt):
    picture = Picture(
        "scale-layouts", 520, "The order of the scales of blocks in each layout, by row and block"
    )
    left, width, height, y = 52, 58, 20, 4
    picture.text(
        8,
        y + 12,
        f"The row and the block of each scale, of {ROWS} rows and {BLOCKS} blocks.",
        "soft",
    )
    y += 28
    for keyword, rows, blocks in list_layouts():
        scales = read_layout(opt, keyword)
        picture.text(8, y + 12, keyword, "code bold")
        padding = f"rows padded to a multiple of {rows}"
        if blocks > 1:
            padding += f", blocks to one of {blocks}"
        picture.text(140, y + 12, padding, "soft")
        y += 20
        # The first lines, and the line with the next blocks of the first row.
        ahead = scales.index((0, max(blocks, 4))) // CELLS
        lines = [0, 1, 2, 3]
        for line in [*lines, *([None, ahead] if ahead > 4 else [ahead] if ahead == 4 else [])]:
            if line is None:
                picture.text(left + width * CELLS / 2, y + 8, "…", "middle soft")
                y += 14
                continue
            picture.text(left - 8, y + 14, str(line * CELLS), "end soft")
            for cell, (row, block) in enumerate(scales[line * CELLS : (line + 1) * CELLS]):
                picture.rect(left + width * cell, y, width - 2, height - 2, "abcd"[block % 4])
                middle = left + width * cell + width / 2 - 1
                picture.text(middle, y + 14, f"{row}, {block}", "middle code")
            y += height
        y += 12
    return picture


def draw_packings():
    picture = Picture("packings", 520, "The elements and scales in the bytes of each packing")
    bit, gap, y = 7, 4, 4
    width = 8 * bit
    picture.text(8, y + 12, "The lowest bit of a byte is on the right.", "soft")
    y += 28
    for packing in PACKINGS:
        picture.text(8, y + 12, packing.name, "code bold")
        picture.text(70, y + 12, packing.users, "soft")
        y += 20
        for place, byte in enumerate([*range(7), packing.size - 1]):
            x = 8 + place * (width + gap) + (16 if place == 7 else 0)
            picture.text(x + width / 2, y + 10, f"byte {byte}", "middle soft")
            right = x + width
            for name, bits in packing.fields(byte):
                right -= bits * bit
                style = "abcd"[name % 4] if isinstance(name, int) else ""
                picture.rect(right, y + 16, bits * bit, 20, style or "box")
                picture.text(right + bits * bit / 2, y + 30, str(name), "middle code")
        picture.text(8 + 7 * (width + gap) + 6, y + 30, "…", "middle soft")
        y += 50
    return picture


def main():
    opt, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    pictures = (
        draw_formats(opt),
        draw_stages(),
        draw_layers(),
        draw_scale_layouts(opt),
        draw_packings(),
    )
    for picture in pictures:
        (folder / f"{picture.name}.svg").write_text(picture.render())


if __name__ == "__main__":
    main()
