# Models that cannot be exported, with the exact message. Existing outputs are kept. Every
# diagnostic of the exporter has a case here.
# RUN: rm -rf %t && mkdir %t && env PYTHONPATH=%S/../ONNX/Inputs:%S/../helpers %python %s quant-float-translate %t %src_root/lib/OpenVINO/Common/Diagnostics.def
import pathlib
import subprocess
import sys

from cases import read_diagnostics

translate, work = sys.argv[1], pathlib.Path(sys.argv[2])
diagnostics = read_diagnostics(pathlib.Path(sys.argv[3]), after="// Export.")
outputs = [work / "kept.xml", work / "kept.bin"]
covered = set()


def export(path, output):
    return subprocess.run(
        [translate, "--export-openvino", path, "-o", output], capture_output=True, text=True
    )


def refuse(diagnostic, source, message, suffix="mlir", output=outputs[0]):
    path = work / f"model.{suffix}"
    path.write_text(source)
    for file in outputs:
        file.write_bytes(b"kept")
    done = export(path, output)
    assert done.returncode == 1, (diagnostic, done.returncode, done.stderr)
    assert f"error: {message}\n" in done.stderr, (diagnostic, done.stderr)
    assert str(path) in done.stderr, done.stderr
    assert diagnostic is None or diagnostics[diagnostic][1].search(message), (diagnostic, message)
    assert all(file.read_bytes() == b"kept" for file in outputs)
    assert sorted(p.name for p in work.iterdir() if "kept" in p.name) == ["kept.bin", "kept.xml"]
    covered.add(diagnostic)


def function(body, arguments="%x: tensor<2xf32>", result="%x : tensor<2xf32>"):
    return (
        f"func.func @f({arguments}) -> {result.split(' : ')[1]} {{\n{body}\nreturn {result}\n}}\n"
    )


def node(text, kind="tensor<2xf32>"):
    """A function that returns the node's result."""
    return function(
        f"%y = quant_float.node {text} : (tensor<2xf32>) -> {kind}", result=f"%y : {kind}"
    )


refuse("FunctionCount", "module {}", "expected one function with a body, but got 0")
both = function("") + function("").replace("@f", "@g")
refuse("FunctionCount", both, "expected one function with a body, but got 2")
lacking = "cannot be exported to OpenVINO: "
refuse(
    "NoLayer",
    function("%y = arith.addf %x, %x : tensor<2xf32>", result="%y : tensor<2xf32>"),
    f"op 'arith.addf': {lacking}arith.addf",
)
refuse(
    "NoLayer",
    "module { module {} }",
    f"op 'builtin.module': {lacking}expected a function",
)
refuse(
    "NoLayer",
    "func.func @f() {\n cf.br ^a\n^a:\n return\n}",
    f"op 'func.func': {lacking}a function with several blocks",
)
cast = "%y = quant_float.cast %x opset 19 : tensor<2xf32> to tensor<2xf16>"
refuse(
    "NoLayer",
    function(cast, result="%y : tensor<2xf16>"),
    f"op 'quant_float.cast': {lacking}a cast with ONNX semantics",
)
refuse("NoLayer", node('"Relu"(%x) opset 14'), f"op 'Relu': {lacking}an ONNX node")
refuse(
    "NoLayer",
    node('"A"(%x) opset 14 domain "custom"'),
    f"op 'A': {lacking}an ONNX node",
)
refuse(
    "NoLayer",
    node('"Clamp"(%x) opset 1 domain "openvino" absent [1]'),
    f"op 'Clamp': {lacking}an absent input",
)


def branches(lists, yielded="%a", domain="openvino", names='"then_body", "else_body"'):
    """An If in a function of a condition and x, which both bodies take and return."""
    body = f"{{\n^bb0(%a: tensor<2xf32>):\nquant_float.yield {yielded} : tensor<2xf32>\n}}"
    text = f'%y = quant_float.node "If"(%c, %x) opset 8 domain "{domain}" attributes {{{lists}}}'
    types = "(tensor<i1>, tensor<2xf32>) -> tensor<2xf32>"
    return function(
        f"{text} : {types} bodies [{names}] {body}, {body}",
        "%c: tensor<i1>, %x: tensor<2xf32>",
        "%y : tensor<2xf32>",
    )


LISTS = {
    f"{prefix}{name}": number
    for prefix in ("then_", "else_")
    for name, number in (("inputs", 1), ("outputs", 0))
}


def write_lists(**changed):
    lists = {**LISTS, **changed}
    return ", ".join(f"{name} = array<i64: {number}>" for name, number in lists.items())


for text, reason in (
    (branches(write_lists(), domain="extension"), "an ONNX node"),
    (branches(write_lists(), names='"else_body", "then_body"'), "a body"),
    (branches(write_lists(), yielded="%x"), "a body that uses outer values"),
    (branches(write_lists(then_inputs=2)), "attribute 'then_inputs' does not match the body"),
    (branches(write_lists(else_outputs=1)), "attribute 'else_outputs' does not match the body"),
    (branches(write_lists(then_inputs="0, 1")), "attribute 'then_inputs' does not match the body"),
    (branches(""), "attribute 'then_inputs' does not match the body"),
    (branches(write_lists()).replace('"If"', '"Relu"'), "a body"),
):
    refuse("NoLayer", text, f"op '{'Relu' if 'Relu' in text else 'If'}': {lacking}{reason}")
for kind in ("tensor<2xf8E4M3FNUZ>", "vector<2xf32>", "tensor<2xi7>"):
    refuse(
        "NoType",
        function("", f"%x: {kind}", f"%x : {kind}"),
        f"argument '': OpenVINO has no type {kind}",
    )
kind = "tensor<2xf8E5M2FNUZ>"
refuse(
    "NoType",
    node('"A"(%x) opset 1 domain "openvino"', kind),
    f"op 'A': output 0: OpenVINO has no type {kind}",
)
for text, kind in (("dense<1.0> : tensor<1xf8E5M2FNUZ>", "tensor<1xf8E5M2FNUZ>"),):
    refuse(
        "NoType",
        function(f"%y = arith.constant {text}", result=f"%y : {kind}"),
        f"op 'arith.constant': output 0: OpenVINO has no type {kind}",
    )
scalar = function("%y = arith.constant 1.0 : f32", result="%y : f32")
refuse("NoType", scalar, "op 'arith.constant': OpenVINO has no type f32")
for name, value in (("a", "1 : i32"), ('"a b"', '"c"'), ('"1"', '"c"')):
    refuse(
        "NoAttributeForm",
        node(f'"A"(%x) opset 1 domain "openvino" attributes {{{name} = {value}}}'),
        f"op 'A': attribute '{name.strip(chr(34))}': not representable in OpenVINO: {value}",
    )
refuse(
    "NoXmlForm",
    node('"A"(%x) opset 1 domain "openvino" attributes {a = "\\00"}'),
    "op 'A': attribute 'a': not representable in XML: '\\00'",
)
for text in ('"<layer"', "1", '"<net/>"', '"<layer/><layer/>"', '"a\\00"'):
    refuse(
        "BadSource",
        node(f'"A"(%x) opset 1 domain "openvino" {{quant_float.openvino_layer = {text}}}'),
        "op 'A': attribute 'quant_float.openvino_layer': expected a value that --keep-source writes",
    )
refuse(
    "BadSource",
    "module attributes {quant_float.openvino_model = 1} {" + function("") + "}",
    "attribute 'quant_float.openvino_model': expected a value that --keep-source writes",
)
held = function(
    "%c = arith.constant dense_resource<w> : tensor<300xf32>", result="%c : tensor<300xf32>"
)
resource = '{-# dialect_resources: { builtin: { w: "0x0400000000" } } #-}\n'
refuse("NoElements", held, "op 'arith.constant': the elements of tensor<300xf32> are not available")
refuse(
    "PayloadBytes",
    held + resource,
    "op 'arith.constant': expected 1200 bytes for tensor<300xf32>, but got 1",
)
count = 2**22
strings = f'%c = arith.constant dense<"{"t" * 1024}"> : tensor<{count}x!quant_float.string>'
refuse(
    "LongStrings",
    function(strings, result=f"%c : tensor<{count}x!quant_float.string>"),
    f"op 'arith.constant': expected at most {2**32 - 1} strings and string bytes, but got {2**32} bytes of {count} strings",
)
small = function("%c = arith.constant dense<1.0> : tensor<2xf32>", result="%c : tensor<2xf32>")
message = "op 'arith.constant': constants are written to a .bin file next to the output, which must be an .xml file"
refuse("NoWeightsOut", small, message, output=work / "out.txt")
refuse("NoWeightsOut", small, message, output="-")
assert not (work / "out.txt").exists()
(work / "folder.bin").mkdir()
refuse(
    "WeightsWrite",
    small,
    "op 'arith.constant': cannot write the .bin file of constants",
    output=work / "folder.xml",
)
BODY = """<net name="m" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="" element_type="boolean"/><output><port id="0"/></output></layer>
<layer id="1" name="if" type="ReadValue" version="opset6"><input><port id="0"/></input><output><port id="1"/></output><body/></layer>
<layer id="2" name="r" type="Result" version="opset1"><input><port id="0"/></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/><edge from-layer="1" from-port="1" to-layer="2" to-port="0"/>
</edges></net>"""
refuse(
    "BodyLost",
    BODY,
    "layer 'if' (ReadValue): the body in the element 'body' is not imported, so it cannot be exported",
    suffix="xml",
)
# Models that the importer rejects.
refuse(
    None,
    BODY.replace("<body/>", "").replace('to-port="0"', 'to-port="7"'),
    "edge from 0:0 to 1:7: layer 'if' (ReadValue, id 1) has no input port 7",
    suffix="xml",
)

done = subprocess.run(
    [translate, "--export-onnx", "model.xml", "-o", outputs[0]], capture_output=True, text=True
)
expected = "model.xml: error: expected a model in .onnx, .mlir or .mlirbc; --extract-weights extracts the weights of other models\n"
assert (done.returncode, done.stderr) == (1, expected), done
missing = set(diagnostics) - covered
sys.exit(f"no case for {missing}" if missing else 0)
