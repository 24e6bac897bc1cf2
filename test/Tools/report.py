# quant-float-report: its statements about quantizations, alternatives and networks equal the
# results of numpy and ml_dtypes. Its page is well-formed and self-contained for any names, and
# failures do not change files.
# RUN: rm -rf %t && mkdir %t
# RUN: env PYTHONPATH=%S/Inputs:%S/../helpers %python %s %tools_dir/quant-float-report %t
import json
import math
import sys
from html.parser import HTMLParser

import ml_dtypes
import numpy as np
import onnx
from conformance import blocks
from onnx import TensorProto as T
from onnx import helper, numpy_helper
from tool import Tool

tool = Tool(sys.argv[1], sys.argv[2])
run, work, failures = tool.run, tool.work, tool.failures
rng = np.random.default_rng(17)
FLOATS = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f6E2M3FN": ml_dtypes.float6_e2m3fn,
    "f6E3M2FN": ml_dtypes.float6_e3m2fn,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
}
INTEGERS = {"i8": (-128, 127), "i4": (-8, 7)}


def expect(condition, text):
    if not condition:
        failures.append(text)


def sqnr(x, y):
    x, y = (np.asarray(a, np.float64).ravel() for a in (x, y))
    finite = np.isfinite(x) & np.isfinite(y)
    x, y = x[finite], y[finite]
    noise = ((x - y) ** 2).sum()
    return math.inf if noise == 0 else 10 * math.log10((x**2).sum() / noise)


def read(value):
    return float(value)


def expect_near(found, wanted, what, tolerance=1e-6):
    same = found == wanted or abs(found - wanted) <= tolerance * max(1, abs(wanted))
    expect(same, f"{what}: expected {wanted}, but got {found}")


def save(name, nodes, inputs, outputs, constants, opset=23):
    tensors = [
        array if isinstance(array, onnx.TensorProto) else numpy_helper.from_array(array, key)
        for key, array in constants.items()
    ]
    graph = helper.make_graph(nodes, "g", inputs, outputs, tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=11)
    onnx.save(model, work / name)
    return name


def value(name, *shape):
    return helper.make_tensor_value_info(name, T.FLOAT, shape)


def report(name, *options, output="report.html"):
    run(0, name, "-o", output, *options)
    return json.loads((work / output).with_suffix(".json").read_text())


class Strict(HTMLParser):
    """Void elements, and elements that load or run something."""

    EMPTY = {"meta", "rect", "line", "br"}

    def __init__(self):
        super().__init__()
        self.open, self.wrong = [], []

    def handle_starttag(self, tag, attributes):
        if tag not in self.EMPTY:
            self.open.append(tag)
        for name, text in attributes:
            outside = name in ("src", "href") and not (text or "").startswith("#")
            if outside or name.startswith("on") or tag in ("script", "link", "iframe", "img"):
                self.wrong.append(f"<{tag} {name}={text}>")

    def handle_endtag(self, tag):
        if tag not in self.EMPTY and (not self.open or self.open.pop() != tag):
            self.wrong.append(f"</{tag}>")


def check_page(name):
    text = (work / name).read_text()
    page = Strict()
    page.feed(text)
    expect(not page.wrong and not page.open, f"{name}: {page.wrong[:3]}, {page.open}")
    expect("url(" not in text and "@import" not in text, f"{name}: an external resource")
    return text


# --- One quantization -----------------------------------------------------------------------------

x = (rng.standard_normal((6, 64)) * rng.uniform(0.01, 4, (6, 1))).astype(np.float32)
x[0, :5] = [0, 1e-6, np.nan, np.inf, 900]
scale = np.array([0.5, 0.01, 0.02, 0.01, 0.03, 0.001], np.float32)


def check_alternatives(found, x):
    """Each format with scales from the maximum magnitude, over groups of elements of each kind."""
    x = np.where(np.isfinite(x), x, 0).astype(np.float32)
    rows, columns = x.shape
    groups = {"tensor": x.reshape(1, -1), "axis 0": x, "axis 1": x.T}
    for size in (16, 32, 64):
        groups[f"blocks of {size}"] = x.reshape(-1, size)
    groups["blocks of 32 (MX)"] = groups["blocks of 32"]
    expected = {}
    for type in [*FLOATS, *INTEGERS]:
        top = float(ml_dtypes.finfo(FLOATS[type]).max) if type in FLOATS else INTEGERS[type][1]
        for name, numbers in groups.items():
            largest = np.abs(numbers).max(axis=1, keepdims=True)
            if "MX" in name:
                exponents = np.floor(np.log2(np.where(largest == 0, 1, largest)))
                scales = np.exp2(exponents - math.floor(math.log2(top))).astype(np.float32)
            else:
                scales = largest / np.float32(top)
            scales = np.where(largest == 0, np.float32(1), scales)
            quotients = numbers / scales
            if type in FLOATS:
                encodings = np.clip(quotients, -top, top).astype(FLOATS[type]).astype(np.float32)
            else:
                encodings = np.clip(np.rint(quotients), *INTEGERS[type])
            expected[type, name] = sqnr(numbers, encodings * scales)
    expect(len(found) == len(expected), f"{len(found)} alternatives, not {len(expected)}")
    for one in found:
        key = one["type"], one["granularity"]
        expect_near(read(one["sqnr_db"]), expected[key], key)


# The formats of WeightFormats.def: elements, scales, rows and columns of blocks.
BLOCK_FORMATS = {
    "mxfp8-e4m3": ("f8E4M3FN", "f8E8M0FNU", 1, 32),
    "mxfp8-e5m2": ("f8E5M2", "f8E8M0FNU", 1, 32),
    "mxfp6-e2m3": ("f6E2M3FN", "f8E8M0FNU", 1, 32),
    "mxfp6-e3m2": ("f6E3M2FN", "f8E8M0FNU", 1, 32),
    "mxfp4": ("f4E2M1FN", "f8E8M0FNU", 1, 32),
    "mxint8": ("i8", "f8E8M0FNU", 1, 32),
    "nvfp4": ("f4E2M1FN", "f8E4M3FN", 1, 16),
    "fp8-1x128": ("f8E4M3FN", "f32", 1, 128),
    "fp8-128x128": ("f8E4M3FN", "f32", 128, 128),
    "fp8-channel": ("f8E4M3FN", "f32", 1, -1),
    "int8-channel": ("i8", "f32", 1, -1),
    "int8-32": ("i8", "f32", 1, 32),
    "int4-32": ("i4", "f32", 1, 32),
    "int4-128": ("i4", "f32", 1, 128),
}


def list_rules(element, scale):
    if scale == "f8E4M3FN":
        return blocks.TWO_LEVELS
    if scale == "f32":
        return ("absmax", "deepgemm") if element == "f8E4M3FN" else ("absmax",)
    own = {"f8E4M3FN": ("deepgemm",), "f4E2M1FN": ("ggml",)}
    return (*blocks.POWERS, *own.get(element, ()))


def check_block_formats(found, x):
    """Each format with each rule, by the oracle of the rules. `x` is small, so that it is not
    sampled."""
    x = np.where(np.isfinite(x), x, 0).astype(np.float32)
    expected = {}
    for name, (element, scale, *block) in BLOCK_FORMATS.items():
        amax = broadcast_blocks(x, block)
        for rule in list_rules(element, scale):
            with np.errstate(all="ignore"):
                level = blocks.Level(amax=np.abs(x).max()) if scale == "f8E4M3FN" else None
                scales = blocks.scales(rule, element, scale, amax, level)
                encodings = blocks.elements(rule, element, scale, x, scales, level)
                factor = level.factor() if level else None
                y = blocks.dequantize(encodings, element, scales, scale, factor)
            expected[name, rule] = (block, sqnr(x, y))
    expect(len(found) == len(expected), f"{len(found)} block formats, not {len(expected)}")
    for one in found:
        key = one["format"], one["rule"]
        block, wanted = expected[key]
        expect(one["block"] == block, f"{key}: block {one['block']}, not {block}")
        expect_near(read(one["sqnr_db"]), wanted, key)


def broadcast_blocks(x, block):
    """The maximum magnitude of the block of each element."""
    result = np.zeros_like(x)
    rows, columns = block[0], x.shape[1] if block[1] == -1 else block[1]
    for i in range(0, x.shape[0], rows):
        for j in range(0, x.shape[1], columns):
            part = slice(i, i + rows), slice(j, j + columns)
            result[part] = np.abs(x[part]).max()
    return result


for zero_point, kind in ((np.zeros(6, np.int8), T.INT8), (None, T.FLOAT8E4M3FN)):
    zero = zero_point if kind == T.INT8 else np.zeros(6, ml_dtypes.float8_e4m3fn)
    constants = {
        "scale": scale,
        "zero": helper.make_tensor("zero", kind, [6], zero.tobytes(), True),
    }
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["q"], "first", axis=0),
        helper.make_node("DequantizeLinear", ["q", "scale", "zero"], ["y"], axis=0),
    ]
    save("one.onnx", nodes, [value("x", 6, 64)], [value("y", 6, 64)], constants)
    np.save(work / "x.npy", x)
    given = report("one.onnx", "--inputs", "x.npy")
    expect(len(given["quantizations"]) == 1 and given["skipped"] == 0, "expected one quantization")
    one = given["quantizations"][0]
    quotient = x / scale[:, None]
    with np.errstate(invalid="ignore"):
        if kind == T.INT8:
            encodings = np.clip(np.rint(np.nan_to_num(quotient)), -128, 127)
            encodings = np.where(np.isnan(x), 0, encodings)
            least, most = -128, 127
        else:
            least, most = -448, 448
            encodings = np.where(np.isnan(x), x, np.clip(quotient, least, most))
            encodings = encodings.astype(ml_dtypes.float8_e4m3fn).astype(np.float32)
    y = (encodings * scale[:, None]).astype(np.float32)
    number = ~np.isnan(x)
    both = np.isfinite(x) & np.isfinite(y)
    expect(one["name"] == "first" and one["tensor"] == "float[6x64]", str(one["name"]))
    expect(one["granularity"] == "axis 0" and not one["constant"], one["granularity"])
    expect((one["elements"], one["nan"], one["infinite"]) == (x.size, 1, 1), "counts of specials")
    expect_near(one["least"], float(x[np.isfinite(x)].min()), "least")
    expect_near(one["greatest"], float(x[np.isfinite(x)].max()), "greatest")
    expect(one["zero"] == (y == 0).sum(), f"zero {one['zero']}")
    expect(one["flushed"] == ((x != 0) & (y == 0) & number).sum(), f"flushed {one['flushed']}")
    saturated = ((encodings >= most) & (x > y)) | ((encodings <= least) & (x < y))
    expect(one["saturated"] == saturated.sum(), f"{one['saturated']} saturated")
    expect_near(read(one["sqnr_db"]), sqnr(x, y), "sqnr")
    errors = np.where(both, np.abs(x.astype(np.float64) - y), 0)
    expect_near(one["max_absolute"], errors.max(), "largest error")
    for worst, element in zip(
        one["worst"], np.argsort(-errors, axis=None, kind="stable")[:5], strict=True
    ):
        index = np.unravel_index(element, x.shape)
        expect(tuple(worst["index"]) == index, f"worst {worst} at {index}")
        expect_near(worst["before"], float(x[index]), "before")
        expect_near(worst["after"], float(y[index]), "after")
    counted = {read(v): c for v, c in one["histogram"]}
    for quantized, count in zip(
        *np.unique(encodings[~np.isnan(encodings)], return_counts=True), strict=True
    ):
        expect(
            counted.get(quantized) == count, f"{quantized}: {counted.get(quantized)}, not {count}"
        )
    expect(len(one["histogram"]) >= 253, f"{len(one['histogram'])} values")
    scales = one["scales"]
    expect(scales["count"] == 6, str(scales))
    expect_near(scales["median"], float(np.sort(scale)[3]), "median")
    expect([o["index"] for o in scales["outliers"]] == [0, 5], f"outliers {scales['outliers']}")
    check_alternatives(one["alternatives"], x)
    check_block_formats(one["block_formats"], x)
    # The output is the only quantized tensor, so that quantizing all or one is the same.
    for difference in (given["outputs"][0], one["alone"]):
        expect_near(read(difference["sqnr_db"]), sqnr(x, y), "network")
    expect(one["network"]["sqnr_db"] == "inf", str(one["network"]))
    check_page("report.html")

# --- A network ------------------------------------------------------------------------------------

a, b = ((rng.standard_normal((32, 32)) / 4).astype(np.float32) for _ in range(2))
encodings = rng.integers(-8, 8, (32, 32)).astype(np.int8)
small, large = np.float32(0.001), np.float32(0.4)
zero = np.zeros((), np.int8)
evil = '</summary><script>alert("x")</script>&amp;\x01'
nodes = [
    helper.make_node("QuantizeLinear", ["x", "small", "zero"], ["q0"], "fine"),
    helper.make_node("DequantizeLinear", ["q0", "small", "zero"], ["x0"]),
    helper.make_node("MatMul", ["x0", "a"], ["h"]),
    helper.make_node("QuantizeLinear", ["h", "large", "zero"], ["q1"], evil),
    helper.make_node("DequantizeLinear", ["q1", "large", "zero"], ["h1"]),
    helper.make_node("DequantizeLinear", ["quantized", "small"], ["w"], "weight"),
    helper.make_node("MatMul", ["h1", "w"], ["y"]),
]
constants = {"a": a, "small": small, "large": large, "zero": zero, "quantized": encodings}
save("net.onnx", nodes, [value("x", 4, 32)], [value("y", 4, 32)], constants)
x = np.clip(rng.standard_normal((4, 32)) / 20, -0.12, 0.12).astype(np.float32)
np.save(work / "x.npy", x)
given = report("net.onnx", "--inputs", "x=x.npy")


def network(first, second):
    def there_and_back(x, scale, on):
        return np.clip(np.rint(x / scale), -128, 127) * scale if on else x

    h = there_and_back(x, small, first).astype(np.float32) @ a
    return h, there_and_back(h, large, second).astype(np.float32) @ (encodings * small)


by_name = {one["name"]: one for one in given["quantizations"]}
expect(len(by_name) == 3, f"quantizations {list(by_name)}")
fine, coarse = given["quantizations"][0], given["quantizations"][1]
h, y = network(False, False)
# Another accumulation order.
for found, pair in (
    (given["outputs"][0], (y, network(True, True)[1])),
    (fine["alone"], (y, network(True, False)[1])),
    (coarse["alone"], (y, network(False, True)[1])),
    (coarse["network"], (h, network(True, True)[0])),
):
    expect_near(read(found["sqnr_db"]), sqnr(*pair), "network", 1e-2)
weight = by_name["weight"]
expect(weight["constant"] and "sqnr_db" not in weight and "alone" not in weight, str(weight.keys()))
expect(weight["zero"] == (encodings == 0).sum(), f"zero weights {weight['zero']}")
text = check_page("report.html")
expect("<h3>Block formats</h3>" in text and "<td>nvfp4</td>" in text, "no block formats")
expect("<script" not in text and "&lt;script&gt;" in text, "a name is markup")
expect(
    text.index("&lt;script&gt;") < text.index(">fine<"), "expected the largest contribution first"
)

# Without inputs, only constants are described.
given = report("net.onnx", output="weights.json")
expect([one["name"] for one in given["quantizations"]] == ["weight"], "expected the weight alone")
expect(given["outputs"] == [] and not (work / "weights.html").exists(), "expected JSON alone")

# Random inputs with a given seed. qdq, fakeconvert and casts in MLIR.
(work / "ops.mlir").write_text("""
func.func @f(%x: tensor<4x8xf32>, %n: tensor<0x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf8E5M2>, tensor<0x8xf32>) {
  %s = arith.constant dense<0.25> : tensor<f32>
  %z = quant_float.constant dense<3> : tensor<ui8>
  %0 = quant_float.qdq %x, %s, %z storage ui8 opset 23 : tensor<4x8xf32>, tensor<f32>, tensor<ui8> to tensor<4x8xf32>
  %1 = quant_float.fakeconvert %0, %s to f8E4M3FN opset 13 : tensor<4x8xf32>, tensor<f32> to tensor<4x8xf32>
  %2 = quant_float.cast %1 opset 23 : tensor<4x8xf32> to tensor<4x8xf8E5M2>
  %3 = quant_float.qdq %n, %s storage i4 opset 23 : tensor<0x8xf32>, tensor<f32> to tensor<0x8xf32>
  return %1, %2, %3 : tensor<4x8xf32>, tensor<4x8xf8E5M2>, tensor<0x8xf32>
}
""")
given = report("ops.mlir", "--random", "7")
kinds = [one["operation"] for one in given["quantizations"]]
expect(kinds == ["qdq", "fakeconvert", "cast", "qdq"], f"operations {kinds}")
expect("seed 7" in given["inputs"], given["inputs"])
expect(given["quantizations"][3]["elements"] == 0, "an empty tensor")
check_page("report.html")
again = report("ops.mlir", "--random", "7")
expect(again == given, "the same seed yields another report")

# --- Errors ---------------------------------------------------------------------------------------

before = (work / "report.html").read_text()
run(
    2,
    "net.onnx",
    "-o",
    "report.txt",
    stderr="expected a file named .html or .json, but got 'report.txt'",
)
run(2, "none.onnx", "-o", "report.html", stderr="none.onnx")
run(2, "net.onnx", "-o", "report.html", "--inputs", "none.npy", stderr="none.npy")
run(
    2,
    "net.onnx",
    "-o",
    "no/folder/report.html",
    stderr="no/folder/report.html: error: cannot be written",
)
run(1, "net.onnx", "-o", "report.html", "--cpu", "none", stderr="--cpu: unknown cpu 'none'")
run(2, "net.onnx", stderr="-o")
(work / "broken.onnx").write_bytes((work / "net.onnx").read_bytes()[:200])
run(1, "broken.onnx", "-o", "report.html", stderr="broken.onnx")
expect((work / "report.html").read_text() == before, "a failed run has changed the page")
tool.finish()
