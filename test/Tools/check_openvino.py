# quant-float-check on OpenVINO models: the rules of FakeConvert (K1 to K6), all of which OpenVINO
# has, too. Other layers are ignored.
# RUN: rm -rf %t && mkdir %t
# RUN: env PYTHONPATH=%S/../OpenVINO/Inputs:%S/../ONNX/Inputs %python %s %tools_dir/quant-float-check %t
import json
import pathlib
import subprocess
import sys

from pairs import MODEL, edited

tool, work = sys.argv[1], pathlib.Path(sys.argv[2])
failures = []


# The cases change types, so these ports do not declare any (see declared.py).
PORTS = {
    ' precision="FP32" names="x"><dim>2</dim><dim>3</dim></port>': ' names="x"/>',
    ' precision="FP32"><dim>1</dim><dim>3</dim></port>': "/>",
}


def check(code, model, *arguments):
    for port, open_port in PORTS.items():
        model = model.replace(port, open_port, 1)
    (work / "m.xml").write_text(model)
    (work / "m.bin").write_bytes(bytes(range(256)))
    command = [tool, "m.xml", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=work)
    if done.returncode != code:
        failures.append(f"exit code {done.returncode} instead of {code}: {done.stderr[-300:]}")
    return done.stdout, done.stderr


def expect(what, wanted, got):
    if wanted != got:
        failures.append(f"{what}: expected {wanted!r}, but got {got!r}")


PARAMETER = '<data shape="2,3" element_type="f32"/>'
CONST = '<data element_type="f32" shape="1, 3" offset="0" size="12"/>'
FAKE_CONVERT = '<data destination_type="f8e4m3"/>'
# Between the Parameter and FakeConvert, with its own type. This test does not need it.
DIRECT = (
    '<edge from-layer="2" from-port="1" to-layer="3"',
    '<edge from-layer="0" from-port="0" to-layer="3"',
)
SHIFT_PORT = (
    '<port id="1" precision="FP32"/></input>',
    '<port id="1" precision="FP32"/><port id="5"/></input>',
)


def parameter(shape, type="f32"):
    return (PARAMETER, f'<data shape="{shape}" element_type="{type}"/>')


def scale(shape, type="f32"):
    return (CONST, f'<data element_type="{type}" shape="{shape}" offset="0" size="256"/>')


def shift(shape, type="f32"):
    """A third input: a constant."""
    layer = f'<layer id="8" name="t" type="Const" version="opset1"><data element_type="{type}" shape="{shape}" offset="0" size="256"/><output><port id="0"/></output></layer>'
    edge = '<edge from-layer="8" from-port="0" to-layer="3" to-port="5"/>'
    return [SHIFT_PORT, ("</layers>", layer + "</layers>"), ("</edges>", edge + "</edges>")]


# --- Accepted -------------------------------------------------------------------------------------

PLACE = "m.xml:11:2: node 'fc': openvino.FakeConvert, opset 13, "
for changes, types in (
    ([], "tensor<2x3xf32>, tensor<1x3xf32> to tensor<2x3xf32>"),
    ([DIRECT], "tensor<2x3xf32>, tensor<1x3xf32> to tensor<2x3xf32>"),
    ([DIRECT, scale("")], "tensor<2x3xf32>, tensor<f32> to tensor<2x3xf32>"),
    ([DIRECT, parameter("2,3", "bf16"), scale("3", "bf16")], "tensor<2x3xbf16>, tensor<3xbf16> to tensor<2x3xbf16>"),
    ([DIRECT, parameter("?,?"), scale("4, 1")], "tensor<?x?xf32>, tensor<4x1xf32> to tensor<4x?xf32>"),
    ([DIRECT, parameter("4,2..5,6"), scale("4, 3, 1")], "tensor<4x?x6xf32>, tensor<4x3x1xf32> to tensor<4x3x6xf32>"),
    ([DIRECT, parameter("..."), scale("4, 1")], "tensor<*xf32>, tensor<4x1xf32> to tensor<*xf32>"),
    ([DIRECT, (FAKE_CONVERT, "")], "tensor<2x3xf32>, tensor<1x3xf32> to tensor<2x3xf32>"),
    ([DIRECT, (FAKE_CONVERT, '<data destination_type="F8E5M2"/>')], "tensor<2x3xf32>, tensor<1x3xf32> to tensor<2x3xf32>"),
    ([DIRECT, *shift("1, 3")], "tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf32> to tensor<2x3xf32>"),
):  # fmt: skip
    expect("accepted", (PLACE + types + ": ok\n", ""), check(0, edited(*changes)))
for version in (14, 15):
    place = PLACE.replace("13", str(version))
    types = "tensor<2x3xf32>, tensor<1x3xf32> to tensor<2x3xf32>"
    newer = edited(("opset13", f"opset{version}"))
    expect(f"opset{version}", (f"{place}{types}: ok\n", ""), check(0, newer))

# --- Rejected -------------------------------------------------------------------------------------

for changes, message in (
    # K2: "Mixed input types are not supported.", "The element type of the input tensor must be a bf16, f16, f32".
    ([scale("1, 3", "f16")], "scale must have the input's element type 'f32', but got 'f16'"),
    ([DIRECT, *shift("1, 3", "bf16")], "shift must have the input's element type 'f32', but got 'bf16'"),
    ([DIRECT, parameter("2,3", "f64"), scale("1, 3", "f64")], "input must have elements of f32, f16 or bf16, but got 'f64'"),
    ([DIRECT, parameter("2,3", "i32"), scale("1, 3", "i32")], "input must have elements of f32, f16 or bf16, but got 'i32'"),
    # K3: "Bad format for f8 conversion type".
    ([(FAKE_CONVERT, '<data destination_type="f8e8m0"/>')], "attribute 'destination_type': expected 'f8e4m3' or 'f8e5m2', but got 'f8e8m0'"),
    ([(FAKE_CONVERT, '<data destination_type="f8E4M3FN"/>')], "attribute 'destination_type': expected 'f8e4m3' or 'f8e5m2', but got 'f8E4M3FN'"),
    ([(FAKE_CONVERT, '<data destination_type=""/>')], "attribute 'destination_type': expected 'f8e4m3' or 'f8e5m2', but got ''"),
    # K4: "FakeConvert scale shape is not compatible with shift shape."
    ([DIRECT, *shift("3")], "shift must have the same shape as the scale, but got the shape [3] and the shape [1, 3]"),
    ([DIRECT, *shift("1, 1")], "shift must have the same shape as the scale, but got the shape [1, 1] and the shape [1, 3]"),
    # K5: "Argument shapes are inconsistent.", "FakeConvert support only unidirectional broadcasting".
    ([DIRECT, scale("4")], "scale must broadcast to the input without changing its shape, but got the shape [4] and the shape [2, 3]"),
    ([DIRECT, scale("1, 1, 3")], "scale must broadcast to the input without changing its shape, but got the shape [1, 1, 3] and the shape [2, 3]"),
    ([DIRECT, parameter("1,3"), scale("2, 3")], "scale must broadcast to the input without changing its shape, but got the shape [2, 3] and the shape [1, 3]"),
    ([DIRECT, parameter(""), scale("1")], "scale must broadcast to the input without changing its shape, but got the shape [1] and the shape []"),
    # K1 and other properties of the layer.
    ([("opset13", "opset12")], "opset of FakeConvert must be between 13 and 15, but got 12"),
    ([("opset13", "opset16")], "opset of FakeConvert must be between 13 and 15, but got 16"),
    ([(FAKE_CONVERT, '<data destination_type="f8e4m3" saturate="1"/>')], "unknown attribute 'saturate'"),
    ([('<port id="1" precision="FP32"/></input>', "</input>"), ('<edge from-layer="1" from-port="0" to-layer="3" to-port="1"/>', "")], "expected 2 or 3 input(s), but got 1"),
):  # fmt: skip
    out, err = check(1, edited(*changes))
    if (
        not out.startswith("m.xml:11:2: node 'fc': openvino.FakeConvert, opset ")
        or f": invalid: {message}\n" not in out
    ):
        failures.append(f"{changes}: expected '{message}', but got {out!r}")
    expect(f"{changes}", f"m.xml:11:2: error: node 'fc' (FakeConvert): {message}\n", err)

# --- Options, and unknown types
# ------------------------------------------------------------------------

out, _ = check(0, MODEL, "--opset", "all")
expect("every opset", [
    PLACE + "tensor<2x3xf32>, tensor<1x3xf32> to tensor<2x3xf32>: ok, accepted by OpenVINO opsets 13-15",
    "  OpenVINO opsets 1-12: opset of FakeConvert must be between 13 and 15, but got 12",
], out.splitlines())  # fmt: skip
# ONNX's opsets do not apply to OpenVINO.
out, err = check(0, MODEL, "--opset", "21")
expect("opset 21", PLACE + "tensor<2x3xf32>, tensor<1x3xf32> to tensor<2x3xf32>: ok\n", out)
warning = "--opset counts ONNX's opsets; the layers were verified against their own"
expect("opset 21", f"m.xml: warning: {warning}\n", err)
(report,) = json.loads(check(0, MODEL, "--json")[0])
wanted = {"file": "m.xml", "line": 11, "column": 2, "node": "fc", "op": "openvino.FakeConvert", "opset": 13, "status": "ok"}  # fmt: skip
expect("JSON", wanted, {key: report.get(key) for key in wanted})
# A layer of which nothing is known, not even its output type.
unknown = edited(('type="ReLU" version="opset1"', 'type="Mystery" version="extension"'), ('<output><port id="1" precision="FP32"><dim>2</dim><dim>3</dim></port>', '<output><port id="1"/>'))  # fmt: skip
out, err = check(0, unknown)
expect(
    "unknown type",
    ": not verified: the type of input 0 is not known",
    out[out.find(": not") :].strip(),
)
# No FakeConvert at all.
out, err = check(
    0, edited(('type="FakeConvert" version="opset13"', 'type="Mystery" version="extension"'))
)
expect("opaque layers", ("", ""), (out, err))

print("\n".join(failures) or "ok")
sys.exit(bool(failures))
