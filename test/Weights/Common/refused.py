# Models that the weight exporters reject, with the exact message. Every diagnostic of theirs has a
# case here or is listed with the reason. Nothing is written then, and an existing file is kept.
# RUN: rm -rf %t && env PYTHONPATH=%S/../../ONNX/Inputs %python %s %t quant-float-translate %src_root/lib/Weights
import pathlib
import subprocess
import sys

from cases import read_diagnostics

# There is enough memory. MLIR's parser rejects elements that cannot be read, and MLIR text is
# UTF-8.
ELSEWHERE = ("WriteMemory",)

folder, translate, target = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
folder.mkdir(parents=True)
MARK = "// Export."
TABLES = {
    "weights": read_diagnostics(target / "Common/WeightDiagnostics.def"),
    "gguf": read_diagnostics(target / "GGUF/Diagnostics.def", MARK),
    "safetensors": read_diagnostics(target / "Safetensors/Diagnostics.def", MARK),
}
EXPORTED = [(table, name) for table, entries in TABLES.items() for name in entries]
covered, problems, count = set(), [], 0


def module(body, results, names=None):
    """A function that returns the values of the body, by names of values and their types."""
    names = names or [f'quant_float.name = "{name}"' for name in ("a.weight", "b.weight")]
    types = [f"{kind} {{{name}}}" for (_, kind), name in zip(results, names, strict=False)]
    values = ", ".join(value for value, _ in results)
    kinds = ", ".join(kind for _, kind in results)
    return (
        f"func.func @weights() -> ({', '.join(types)}) {{\n"
        f"  {body}\n  return {values} : {kinds}\n}}\n"
    )


def constant(name, kind, value):
    # arith.constant accepts signless types only.
    dialect = "quant_float" if "ui" in kind else "arith"
    return f"%{name} = {dialect}.constant dense<{value}> : {kind}\n  "


def dequantized(encodings, scales, attributes="", code="1", scale="0.5", zeros=None, result=None):
    """The types of quantized values, scales and zero points: a module of one weight."""
    body = constant("q", encodings, code) + constant("s", scales, scale)
    operands, kinds = "%q, %s", f"{encodings}, {scales}"
    if zeros is not None:
        kind, value = zeros
        body += constant("z", kind, value)
        operands, kinds = f"{operands}, %z", f"{kinds}, {kind}"
    result = result or f"tensor<{encodings.removeprefix('tensor<').rpartition('x')[0]}xf32>"
    body += f"%w = quant_float.dequantize {operands} {attributes} opset 25 : {kinds} to {result}"
    return module(body, [("%w", result)])


def minimum(encodings, scales, minimums, operator="Add", minimum="0.3"):
    """The quantized values of two rows with two groups of 32."""
    cast = f"%n = quant_float.cast %m opset 25 : {minimums} to {minimums[:-4]}f32>\n  "
    body = (
        constant("q", encodings, "3")
        + constant("s", scales, "0.5")
        + constant("m", minimums, minimum)
    )
    body += cast + constant("h", "tensor<2xi64>", "[2, 64]")
    body += (
        f"%d = quant_float.dequantize %q, %s axis -1 block_size 32 opset 25 : {encodings}, {scales} "
        "to tensor<2x2x32xf32>\n  "
        f'%a = quant_float.node "{operator}"(%d, %n) opset 25 : '
        f"(tensor<2x2x32xf32>, {minimums[:-4]}f32>) -> tensor<2x2x32xf32>\n  "
        '%w = quant_float.node "Reshape"(%a, %h) opset 25 : '
        "(tensor<2x2x32xf32>, tensor<2xi64>) -> tensor<2x64xf32>"
    )
    return module(body, [("%w", "tensor<2x64xf32>")])


def ordered(encodings, scales, indices, axis=1):
    kind = f"tensor<2x{encodings.split('x')[1]}xf32>"
    columns = encodings.split("x")[1]
    body = constant("q", encodings, "1") + constant("s", scales, "0.5")
    body += constant("i", f"tensor<{columns}xi64>", indices)
    body += (
        f"%d = quant_float.dequantize %q, %s axis -1 block_size 4 opset 25 : {encodings}, {scales} to {kind}\n  "
        f'%w = quant_float.node "Gather"(%d, %i) opset 25 attributes {{axis = {axis} : i64}} : '
        f"({kind}, tensor<{columns}xi64>) -> {kind}"
    )
    return module(body, [("%w", kind)])


def add(table, diagnostic, text, message, *options, subject="result 'a.weight': "):
    global count
    severity, pattern = TABLES[table][diagnostic]
    assert severity == "error" and pattern.search(message), f"{message!r} is not {diagnostic}"
    covered.add((table, diagnostic))
    path = folder / f"{count}.mlir"
    path.write_text(text)
    if not options:
        options = ["--export-gguf"] if table != "safetensors" else ["--export-safetensors"]
    output = folder / f"{count}.out"
    output.write_text("as it was")
    done = subprocess.run([translate, *options, path, "-o", output], capture_output=True, text=True)
    first = done.stderr.partition("\n")[0]
    if done.returncode != 1 or not first.endswith(f": error: {subject}{message}"):
        problems.append(f"case {count} ({diagnostic}): {message!r}\n  got {done.stderr}")
    if output.read_text() != "as it was" or done.stdout:
        problems.append(f"case {count}: something was written")
    count += 1


# --- Not weights ----------------------------------------------------------------------------------

message = "expected one function without arguments, whose results are weights, but got "
for text, got in (
    ("module {}", "0 functions"),
    ("func.func @a() { return }\nfunc.func @b() { return }", "2 functions"),
    ("func.func @a(%x: tensor<f32>) { return }", "'a' with 1 arguments"),
    ("func.func private @a()", "'a' with 0 arguments"),
):
    add("weights", "NoFunction", text, message + got, subject="")
plain = constant("c", "tensor<2xf32>", "0.0").rstrip()
one, two = [("%c", "tensor<2xf32>")], [("%c", "tensor<2xf32>")] * 2
for names in ([""], ['quant_float.name = ""']):
    text = module(plain, one, names)
    add("weights", "NoName", text, "expected a name, quant_float.name", subject="result 0: ")
same = ['quant_float.name = "a.weight"'] * 2
add("weights", "SameName", module(plain, two, same), "the name is given more than once")
body = constant("c", "tensor<2xf32>", "0.0")
body += '%w = quant_float.node "Relu"(%c) opset 25 : (tensor<2xf32>) -> tensor<2xf32>'
message = "expected dequantize of constants, but got a node Relu"
add("weights", "NotAWeight", module(body, [("%w", "tensor<2xf32>")]), message)
body = constant("c", "tensor<2xf16>", "0.0")
body += "%w = quant_float.cast %c opset 25 : tensor<2xf16> to tensor<2xf32>"
message = "expected dequantize of constants, but got quant_float.cast"
add("weights", "NotAWeight", module(body, [("%w", "tensor<2xf32>")]), message)
body = constant("c", "tensor<4xi8>", "1") + constant("s", "tensor<f32>", "0.5")
body += '%r = quant_float.node "Relu"(%c) opset 25 : (tensor<4xi8>) -> tensor<4xi8>\n  '
body += "%w = quant_float.dequantize %r, %s opset 25 : tensor<4xi8>, tensor<f32> to tensor<4xf32>"
message = "quantized values: expected a constant, but got a node Relu"
add("weights", "NotConstant", module(body, [("%w", "tensor<4xf32>")]), message)
text = dequantized("tensor<4xi8>", "tensor<f16>", result="tensor<4xf16>")
message = "expected a dequantize to f32, but got tensor<4xf16>"
add("weights", "ResultType", text, message)
text = dequantized("tensor<4xi16>", "tensor<f32>")
add("weights", "QuantizedType", text, "quantized values of type i16 are not supported")
text = dequantized("tensor<2x4xi8>", "tensor<4xf32>", "axis 1")
message = "expected scales per tensor, per row or per group within rows, but got scales along axis 1 of tensor<2x4xf32>"
add("weights", "ScaleAxis", text, message)
text = dequantized("tensor<4x4xi8>", "tensor<2x4xf32>", "axis 0 block_size 2")
message = message.replace("axis 1 of tensor<2x4xf32>", "axis 0 of tensor<4x4xf32>")
add("weights", "ScaleAxis", text, message)
for kind, zero, spelled in (
    ("f4E2M1FN", "1.0", "1"),
    ("f4E2M1FN", "-6.0", "-6"),
    ("f4E2M1FN", "-0.0", "-0"),
    ("f6E2M3FN", "0.125", "0.125"),
    ("f6E3M2FN", "28.0", "28"),
):
    zeros = (f"tensor<2x1x{kind}>", zero)
    text = dequantized(
        f"tensor<2x32x{kind}>", "tensor<2x1xf8E8M0FNU>", "axis 1 block_size 32", "1.0", "1.0", zeros
    )
    text = text.replace("opset 25", "opset 28")
    message = (
        f"zero point 0 of quantized values of type {kind}: expected 0, because weight files "
        f"store no zero points of floats, but got {spelled}"
    )
    for option in ("--export-gguf", "--export-safetensors"):
        add("weights", "FloatZeroPoint", text, message, option)
message = "expected a Gather that permutes columns"
for indices in (
    "[0, 1, 2, 3, 4, 5, 6, 8]",
    "[0, 1, 2, 3, 4, 5, 6, 6]",
    "[0, 1, 2, 3, 4, 5, 6, -1]",
):
    text = ordered("tensor<2x8xi4>", "tensor<2x2xf32>", indices)
    add("weights", "Indices", text, message)
text = ordered("tensor<2x2xi4>", "tensor<2x1xf32>", "[1, 0]", axis=0)
add("weights", "Indices", text, message)
text = minimum("tensor<2x2x32xui4>", "tensor<2x2x1xf16>", "tensor<1x2x1xf16>")
message = "expected a minimum for each scale, but got [1, 2, 1] for [2, 2, 1]"
add("weights", "MinimumShape", text, message)
body = constant("q", "tensor<32xi8>", "1") + constant("c", "tensor<1xi32>", "1")
body += constant("f", "tensor<f32>", "0.5")
body += (
    "%s = quant_float.dequantize %c, %f opset 25 : tensor<1xi32>, tensor<f32> to tensor<1xf32>\n  "
)
body += "%w = quant_float.dequantize %q, %s axis 0 block_size 32 opset 25 : tensor<32xi8>, tensor<1xf32> to tensor<32xf32>"
message = "scales of i32 are not supported"
add("weights", "ScaleType", module(body, [("%w", "tensor<32xf32>")]), message)
body = constant("c", "tensor<2xindex>", "0").rstrip()
message = "the elements of the result are not available"
add("weights", "NoElements", module(body, [("%c", "tensor<2xindex>")]), message)

# --- Not representable in GGUF
# ---------------------------------------------------------------------

long = module(plain, one, [f'quant_float.name = "{"n" * 64}"'])
message = "expected a name of at most 63 bytes, but got 64"
add("gguf", "LongName", long, message, subject=f"result '{'n' * 64}': ")
kind = "tensor<1x1x1x1x2xf32>"
text = module(constant("c", kind, "0.0").rstrip(), [("%c", kind)])
message = "expected at most 4 dimensions, but got the shape [1, 1, 1, 1, 2]"
add("gguf", "ManyDims", text, message)
for element, value in (("ui8", "0"), ("f8E4M3FN", "0.0"), ("i4", "0")):
    kind = f"tensor<2x{element}>"
    text = module(constant("c", kind, value).rstrip(), [("%c", kind)])
    add("gguf", "NoElementType", text, f"GGUF has no type {element}")
text = ordered("tensor<2x32xi4>", "tensor<2x8xf32>", f"{[*range(31, -1, -1)]}")
message = "GGUF does not support columns in another order than their groups"
add("gguf", "NoOrder", text, message)
text = dequantized("tensor<2x32xf8E5M2>", "tensor<f32>", code="1.0")
message = "ggml has no block format with quantized values of type f8E5M2"
add("gguf", "NoQuantizedType", text, message)
text = dequantized("tensor<2x33xi8>", "tensor<f32>")
message = "a row of 33 elements is not a whole number of blocks of 32, which all formats require"
add("gguf", "UnevenRow", text, message)
text = dequantized("tensor<2x32xi8>", "tensor<2x2xf16>", "axis 1 block_size 16")
message = (
    "groups of 16 elements are not a whole number of blocks of 32, "
    "which all formats with one level of scales require"
)
add("gguf", "UnevenGroup", text, message)
for code, zero in ((0, 255), (255, 0)):
    zeros = ("tensor<ui8>", zero)
    text = dequantized("tensor<2x32xui8>", "tensor<f32>", code=code, zeros=zeros)
    message = f"value {code} minus its zero point {zero} is {code - zero}, which is not representable in i8"
    add("gguf", "WideValue", text, message)
for scale, spelled in (
    ("0.1", "0.100000001"),
    ("65520.0", "65520"),
    ("1.0e-8", "9.99999993E-9"),
    ("0x7FC00000", "NaN"),
):
    text = dequantized("tensor<2x32xi8>", "tensor<f32>", scale=scale)
    message = f"scale 0 is {spelled}, which is not representable in f16"
    add("gguf", "InexactScale", text, message)
text = dequantized("tensor<2x32xf4E2M1FN>", "tensor<f32>", code="1.0")
message = "ggml has no block format for quantized values of type f4E2M1FN in groups of 32 with scales of type f32"
add("gguf", "NoBlockFormat", text, message)


def two_levels(encodings="1.0", scale="0.5", factor="3.0", columns=64, names=("a.weight",)):
    """NVFP4 with a scale of the tensor. Further results are the scales of the tensors."""
    groups = columns // 16
    values, scales = f"tensor<2x{columns}xf4E2M1FN>", f"tensor<2x{groups}xf8E4M3FN>"
    body = constant("q", values, encodings) + constant("s", scales, scale)
    body += constant("t", "tensor<f32>", factor)
    body += f"%p = quant_float.dequantize %s, %t opset 25 : {scales}, tensor<f32> to tensor<2x{groups}xf32>\n  "
    body += f"%w = quant_float.dequantize %q, %p axis 1 block_size 16 opset 25 : {values}, tensor<2x{groups}xf32> to tensor<2x{columns}xf32>"
    results = [("%w", f"tensor<2x{columns}xf32>")] + [("%t", "tensor<f32>")] * (len(names) - 1)
    return module(body, results, [f'quant_float.name = "{name}"' for name in names])


message = "a row of 96 elements is not a whole number of blocks of 64, which NVFP4 requires"
add("gguf", "UnevenBlock", two_levels(columns=96), message)
for scale, spelled in (("-0.5", "-0.5"), ("-0.0", "-0"), ('"0x7F"', "NaN")):
    message = f"scale 0 is {spelled}, but the scales of ggml's NVFP4 are neither negative nor NaN"
    add("gguf", "SignedScale", two_levels(scale=scale), message)
message = "expected a name that ends in '.weight', because the scale of the tensor is stored as '.scale', but got 'a'"
add("gguf", "NoScaleName", two_levels(names=("a",)), message, subject="result 'a': ")
message = "the scale of the tensor is stored as 'a.scale', but the module has a tensor of this name"
add("gguf", "ScaleNameTaken", two_levels(names=("a.weight", "a.scale")), message)

# --- Not representable in safetensors
# --------------------------------------------------------------

text = module(plain, one, ['quant_float.name = "\\FF"'])
add(
    "safetensors",
    "BadName",
    text,
    "expected a name in UTF-8 that is not '__metadata__'",
    subject="result '\\FF': ",
)
text = dequantized("tensor<2x32xi8>", "tensor<f32>").replace("a.weight", "a")
message = "expected a name that ends in 'weight'"
add("safetensors", "NoSuffix", text, message, subject="result 'a': ")
kind = "tensor<2xi4>"
text = module(constant("c", kind, "0").rstrip(), [("%c", kind)])
add("safetensors", "NoElementType", text, "safetensors has no type i4")
for encodings in ("f6E2M3FN", "f4E2M1FN"):
    text = dequantized(f"tensor<2x32x{encodings}>", "tensor<f32>", code="1.0")
    text = text.replace("opset 25", "opset 28")
    message = f"safetensors does not support quantized values of type {encodings} in groups of 32 with scales of f32"
    add("safetensors", "NoLayout", text, message)
text = dequantized("tensor<2x8xi8>", "tensor<f32>")
message = "AWQ does not support quantized values of type i8 in groups of 8 with scales of f32"
awq = ("--export-safetensors", "--safetensors-layout=awq")
add("safetensors", "NoLayout", text, message, *awq)
text = dequantized("tensor<2x2x8xi4>", "tensor<f32>")
message = "pack-quantized supports only matrices, but got the shape [2, 2, 8]"
add("safetensors", "NoMatrix", text, message)
message = message.replace("pack-quantized", "AWQ")
add("safetensors", "NoMatrix", text, message, *awq)
text = ordered("tensor<2x8xi4>", "tensor<2x2xf32>", "[7, 6, 5, 4, 3, 2, 1, 0]")
message = "AWQ does not support columns in another order than their groups"
add("safetensors", "NoOrder", text, message, *awq)
for least, spelled in (("0.3", "0.300048828"), ("0.5", "0.5"), ("-8.0", "-8"), ("0x7C00", "+Inf")):
    text = minimum("tensor<2x2x32xui4>", "tensor<2x2x1xf16>", "tensor<2x2x1xf16>", minimum=least)
    message = f"the minimum {spelled} of group 0 with the scale 0.5 does not correspond to a zero point of 4 bits"
    add("safetensors", "MinimumNoZero", text, message)
message = "the shape [2, 9] is not a whole number of groups of 4"
text = dequantized("tensor<2x9xi8>", "tensor<2x3xf32>", "axis 1 block_size 4")
add("safetensors", "CutGroup", text, message)
message = "the shape [0, 8] is not a whole number of groups of 8"
text = dequantized("tensor<0x8xi8>", "tensor<f32>", code="")
add("safetensors", "CutGroup", text, message)
message = "AWQ packs 8 quantized values into 32 bits, but the shape [2, 8] is not a multiple of 8"
text = dequantized("tensor<2x8xi4>", "tensor<f32>")
add("safetensors", "UnevenWords", text, message, *awq)
message = "a constant of this name and type would be read as a part of a quantized weight"
for kinds, suffixes in (
    (("tensor<2x8xi8>", "tensor<2xf32>"), ("weight", "weight_scale")),
    (("tensor<2x8xi32>", "tensor<2xf32>"), ("qweight", "zero")),
    # Weights that the importer rejects.
    (("tensor<2x8xui8>", "tensor<2xf32>"), ("weight", "scale")),
    (("tensor<2x8xf32>", "tensor<2xf32>"), ("weight", "weight.absmax")),
    # Metadata that states the format of a layer.
    (("tensor<2x8xui8>", "tensor<2xf32>"), ("comfy_quant", "bias")),
):
    body = (
        constant("a", kinds[0], "1.0" if "xf32" in kinds[0] else "1")
        + constant("b", kinds[1], "0.5").rstrip()
    )
    names = [f'quant_float.name = "a.{suffix}"' for suffix in suffixes]
    text = module(body, list(zip(("%a", "%b"), kinds, strict=True)), names)
    add("safetensors", "Misread", text, message, subject=f"result 'a.{suffixes[0]}': ")
kind = "tensor<2x8xf32>"
text = dequantized("tensor<2x8xi8>", "tensor<f32>")
text = text.replace('"a.weight"}', '"a.weight"}, tensor<f32> {quant_float.name = "a.weight_scale"}')
text = text.replace(f"return %w : {kind}", f"return %w, %s : {kind}, tensor<f32>")
message = "its part 'a.weight_scale' has the name of another tensor"
add("safetensors", "PartTaken", text, message, subject="result 'a.weight_scale': ")
text = text.replace("a.weight_scale", "a.weight_scale_2")
message = "a constant of this name and type would be read as a part of a quantized weight"
add("safetensors", "Misread", text, message)

# --- Errors of both formats
# ------------------------------------------------------------------------

TABLES["gguf"] = read_diagnostics(target / "GGUF/Diagnostics.def")
TABLES["safetensors"] = read_diagnostics(target / "Safetensors/Diagnostics.def")
body = dequantized(
    "tensor<1x32xf4E2M1FN>",
    "tensor<1x1xf8E8M0FNU>",
    "axis 1 block_size 32",
    code="1.0",
    scale='"0xFF"',
)
message = "the scale of block 0 is 255, which is NaN in f8E8M0FNU"
add("gguf", "NanScale", body, message)
add("safetensors", "NanScale", body, "scale 0 is 255, which is NaN in f8E8M0FNU")
kind = "tensor<3xf4E2M1FN>"
text = module(constant("c", kind, "0.0").rstrip(), [("%c", kind)])
add("safetensors", "HalfByte", text, "3 elements of f4E2M1FN are not a whole number of bytes")
text = module(plain, one, ['quant_float.name = "__metadata__"'])
message = "expected a name in UTF-8 that is not '__metadata__'"
add("safetensors", "BadName", text, message, subject="result '__metadata__': ")

# A minimum that is equivalent to a zero point is converted to one.
text = minimum("tensor<2x2x32xui4>", "tensor<2x2x1xf16>", "tensor<2x2x1xf16>", minimum="-2.0")
(folder / "zero.mlir").write_text(text)
for option, suffix in (("--export-safetensors", "safetensors"), ("--export-gguf", "gguf")):
    command = [translate, option, folder / "zero.mlir", "-o", folder / f"zero.{suffix}"]
    subprocess.run(command, check=True)
assert b"weight_zero_point" in (folder / "zero.safetensors").read_bytes()

absent = {name for table, name in EXPORTED if (table, name) not in covered} - set(ELSEWHERE)
problems += [f"no case for the diagnostic {name}" for name in sorted(absent)]
assert count >= 45, count
print(f"{count} cases")
sys.exit("\n".join(problems) if problems else 0)
