# Models are imported and exported with everything that a file can contain, and the second export
# has the same bytes. Conformance/openvino/ export*.test covers ONNX's node tests, as OpenVINO
# converts them.
# RUN: rm -rf %t && mkdir %t && env PYTHONPATH=%S/../helpers %python %s %tools_dir %t
import pathlib
import re
import sys
from xml.etree import ElementTree

import ml_dtypes
import numpy as np
import openvino as ov
from openvino import opset13 as ops
from round_trips.openvino_check import RoundTrips, make_tensor, run_model
from round_trips.openvino_normal import normalize

# OpenVINO's package starts a process. Since Python 3.14, it imports this module, and would write to the same folder.
if __name__ != "__main__":
    sys.exit()
work = pathlib.Path(sys.argv[2])
trips = RoundTrips(sys.argv[1], work)
PORT = '<port id="{}" precision="FP32"><dim>2</dim></port>'


def check(name, text, weights=b"", runs=True):
    path = work / f"{name}.xml"
    path.write_text(text)
    path.with_suffix(".bin").write_bytes(weights)
    trips.check(name, path, runs)
    return path


def check_model(name, model):
    path = work / f"{name}.xml"
    ov.serialize(model, path)
    trips.check(name, path)
    return path


# --- Names, strings, metadata, order ------------------------------------------------------------------

# Layers and ports in any order and with any ids, two layers without users, one that assigns;
# spellings and values other than OpenVINO's own; names with commas, quotes, line ends; rt_info
# everywhere; unknown elements.
TEXTS = f"""<?xml version="1.0"?>
<!-- not kept -->
<net name="my &quot;net&quot;&#10;&lt;2&gt;" version="10" extra="1">
<layers>
<layer id="40" name="r0" type="Result" version="opset1" output_names="z,y"><input>{PORT.format(7)}</input></layer>
<layer id="30" name="sub" type="subtract" version="opset1" more="kept">
  <data auto_broadcast="numpy"/>
  <input><port id="5"/><port id="1" precision="fp32"><dim> 2 </dim><rt_info><a b="c"/></rt_info></port></input>
  <output><port id="9" precision="FP32" names="a\\,b,c"><dim>2</dim>
    <rt_info><attribute name="layout" version="0" layout="[N]"/></rt_info></port></output>
  <rt_info><attribute name="fused_names_0" version="0" value="sub"/>text<![CDATA[<&]]></rt_info>
</layer>
<layer id="10" name="b" type="Parameter" version="opset1"><data shape="2" element_type="FP32"/>
  <output>{PORT.format(0)}</output></layer>
<layer id="11" name="unused" type="Parameter" version="opset1"><data element_type="f32" shape="[1..10,?]"/>
  <output><port id="0"/></output></layer>
<layer id="20" name="" type="ReLU" version="opset1"><input>{PORT.format(3)}</input>
  <output>{PORT.format(4)}</output></layer>
<layer id="50" name="loose" type="Relu" version="opset1"><input><port id="0"/></input>
  <output><port id="1"/></output></layer>
<layer id="51" name="clamp" type="Clamp" version="opset1"><data max=" 6.00" min="-inf" min="3"/>
  <input><port id="0"/></input><output><port id="1" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="60" name="assign" type="Assign" version="opset6"><data variable_id="v"/><input>{PORT.format(0)}</input>
  <output>{PORT.format(1)}</output></layer>
<layer id="61" name="read" type="ReadValue" version="opset6">
  <data variable_id="v" variable_type="f32" variable_shape="2"/><input>{PORT.format(0)}</input>
  <output>{PORT.format(1)}</output></layer>
<layer id="41" name="r1" type="Result" version="opset1"><input><port id="0"/></input></layer>
</layers>
<edges>
<edge from-layer="20" from-port="4" to-layer="40" to-port="7"/>
<edge from-layer="10" from-port="0" to-layer="20" to-port="3"/>
<edge from-layer="10" from-port="0" to-layer="51" to-port="0"/>
<edge from-layer="51" from-port="1" to-layer="30" to-port="5"/>
<edge from-layer="61" from-port="1" to-layer="30" to-port="1"/>
<edge from-layer="10" from-port="0" to-layer="61" to-port="0"/>
<edge from-layer="20" from-port="4" to-layer="60" to-port="0"/>
<edge from-layer="10" from-port="0" to-layer="50" to-port="0"/>
<edge from-layer="30" from-port="9" to-layer="41" to-port="0"/>
</edges>
<rt_info><MO_version value="x &amp; y"/><conversion_parameters><is_python value="&#9;"/></conversion_parameters></rt_info>
<meta_data><any/></meta_data>
</net>
"""
# Other XML parsers reject duplicate attributes.
once = TEXTS.replace(' min="3"', "")
check("strings", once, runs=False)
twice = work / "twice.xml"
twice.write_text(TEXTS)
assert trips.call("--export-openvino", twice, "-o", work / "twice-out.xml").returncode == 0
assert (work / "twice-out.xml").read_bytes() == (work / "out.xml").read_bytes()

# A layer outside of the opsets, an unknown type, and a scalar.
EXTENSION = """<net name="m" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="" element_type="dynamic"/><output><port id="0"/></output></layer>
<layer id="1" name="odd" type="Odd" version="extension"><data a="1" b="&#9;" c=""/><input><port id="0"/></input>
<output><port id="1" precision="UNSPECIFIED"/><port id="2" precision="NF4"><dim>2</dim></port></output></layer>
<layer id="2" name="r" type="Result" version="opset1"><input><port id="0"/></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/><edge from-layer="1" from-port="2" to-layer="2" to-port="0"/>
</edges></net>"""
check("extension", EXTENSION)

# A port type other than that of the value is corrected. Everything else is kept.
STALE = f"""<net name="m" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2" element_type="f32"/><output>{PORT.format(0)}</output></layer>
<layer id="1" name="r" type="Relu" version="opset1"><input><port id="0" precision="I8"><dim>9</dim><dim>9</dim><rt_info/></port></input>
<output>{PORT.format(1)}</output></layer>
<layer id="2" name="y" type="Result" version="opset1"><input>{PORT.format(0)}</input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/><edge from-layer="1" from-port="1" to-layer="2" to-port="0"/>
</edges></net>"""
path = work / "stale.xml"
path.write_text(STALE)
assert trips.call("--export-openvino", path, "-o", work / "fresh.xml").returncode == 0
path.write_text(STALE.replace('"I8"><dim>9</dim><dim>9</dim>', '"FP32"><dim>2</dim>'))
assert normalize(path) == normalize(work / "fresh.xml")
assert (work / "fresh.bin").read_bytes() == b""

# --- Constants ----------------------------------------------------------------------------------------

rng = np.random.default_rng(0)
outputs = []
TYPES = "boolean bf16 f16 f32 f64 f8e4m3 f8e5m2 f8e8m0 f4e2m1 nf4 i4 i8 i16 i32 i64 u1 u2 u4 u8 u16 u32 u64"
for name in TYPES.split():
    for shape in ([], [5], [1, 5], [0, 3], [37, 41], [70, 30]):
        numbers = rng.integers(0, 2, int(np.prod(shape)))
        if shape == [0, 3] and name in ("nf4", "u1"):
            continue
        constant = ov.op.Constant(getattr(ov.Type, name), ov.Shape(shape), list(numbers))
        constant.friendly_name = f"{name} {shape}"
        outputs.append(ops.result(constant))
for words in ([["a", "", "é\n"]], ["long" * 500]):
    stored = np.array(np.char.encode(np.array(words), "utf-8"))
    outputs.append(ops.result(ov.op.Constant(ov.Tensor(stored))))
path = check_model("constants", ov.Model(outputs, [], "constants"))
weights = (work / "out.bin").read_bytes()
before = path.with_suffix(".bin").stat().st_size
offsets = [int(o) for o in re.findall(r'offset="(\d+)"', (work / "out.xml").read_text())]
# Equal bytes are written once, whatever their types are.
assert len(set(offsets)) < len(offsets) - 20 and len(weights) < 1.3 * before, (len(weights), before)
assert all(offset % 64 == 0 for offset in offsets)
# Over itself, also by a relative name.
copy = work / "copy.xml"
copy.write_bytes((work / "out.xml").read_bytes())
copy.with_suffix(".bin").write_bytes(weights)
assert trips.call("--export-openvino", copy, "-o", copy).returncode == 0
assert copy.read_bytes() == (work / "out.xml").read_bytes()
assert copy.with_suffix(".bin").read_bytes() == weights

# Compressed weights stay compressed: u4 with zero points, groups, a float8 with a scale, nf4.
x = ops.parameter([2, 64], np.float32)
encodings = rng.integers(0, 16, (8, 2, 32)).astype(np.uint8)
grouped = ops.convert(
    ov.op.Constant(ov.Type.u4, ov.Shape([8, 2, 32]), list(encodings.reshape(-1))), np.float32
)
zero = ops.convert(ov.op.Constant(ov.Type.u4, ov.Shape([8, 2, 1]), [8] * 16), np.float32)
scale = ops.constant(rng.random((8, 2, 1)).astype(np.float32))
weight = ops.reshape(ops.multiply(ops.subtract(grouped, zero), scale), np.array([8, 64]), False)
f8 = ops.convert(ov.op.Constant(ov.Type.f8e4m3, ov.Shape([4, 8]), [0.5, -1.5] * 16), np.float32)
nf4 = ops.convert(ov.op.Constant(ov.Type.nf4, ov.Shape([40, 4]), [1.0, -1.0] * 80), np.float32)
hidden = ops.matmul(ops.matmul(x, weight, False, True), f8, False, True)
compressed = ov.Model([ops.result(ops.matmul(hidden, nf4, False, True))], [x], "compressed")
path = check_model("compressed", compressed)
# Matrices of 512, 16 and 32 bytes, scales and zero points of 64 and 8, the shape operand of Reshape
# of 16: at multiples of 64.
assert (work / "out.bin").stat().st_size < 1100

# --- FakeConvert -----------------------------------------------------------------------------------------

# A zero shift that the plugin drops becomes a separate constant again.
made = []
for type, zero_shape in ((np.float32, [1, 4]), (np.float32, []), (np.float16, [1, 1])):
    data = ops.parameter([3, 4], type)
    scale = np.array([[2, 0.5, 1, 3]] if zero_shape == [1, 4] else np.full(zero_shape, 3), type)
    made.append((data, ops.fake_convert(data, scale, np.zeros(zero_shape, type), "f8e5m2")))
dropped = ov.Model([ops.result(fake) for _, fake in made], [data for data, _ in made], "dropped")
path = check_model("dropped", dropped)
text, out = work / "dropped.mlir", work / "dropped-out.xml"
assert trips.call("--import-openvino", "--keep-source", path, "-o", text).returncode == 0
assert len(re.findall(r"%cst\S* to f8E5M2 mode +openvino", text.read_text())) == 3
assert trips.call("--export-openvino", text, "-o", out).returncode == 0
inputs = [make_tensor(i.element_type, [3, 4], rng) for i in dropped.inputs]
assert run_model(ov.Core().read_model(path), inputs) == run_model(ov.Core().read_model(out), inputs)

# --- Modules without a source -----------------------------------------------------------------------------------

bare = work / "bare.mlir"
bare.write_text("""
func.func @main(%x: tensor<?x4xf32> {quant_float.name = "x,0", quant_float.shape = "1..8,4"}, %i: tensor<4xi32>)
    -> (tensor<?x4xf32> {quant_float.name = "y"}, tensor<?x4xf32> {quant_float.name = "z"}, tensor<4xf16>, tensor<?x4xf32>, tensor<4x!quant_float.string>) {
  %s = arith.constant dense<[0.5, 2.0, 1.0, 0.25]> : tensor<4xf32>
  %dead = arith.constant dense<1> : tensor<4xi4>
  %t = arith.constant dense<["a", "b", "", "d"]> : tensor<4x!quant_float.string>
  %q = quant_float.fakeconvert %x, %s to f8E4M3FN mode openvino opset 13 : tensor<?x4xf32>, tensor<4xf32> to tensor<?x4xf32>
  %c = quant_float.node "Clamp"(%q) opset 1 domain "openvino" attributes {max = 0x7FF0000000000000 : f64, min = -0.1 : f64} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %h = quant_float.cast %i mode openvino opset 1 : tensor<4xi32> to tensor<4xf16>
  %k = arith.constant dense<1> : tensor<1xi64>
  %r = quant_float.node "ReduceSum"(%c, %k) opset 1 domain "openvino" attributes {keep_dims = true} name "sum" : (tensor<?x4xf32>, tensor<1xi64>) -> tensor<?x1xf32>
  %m = quant_float.node "Multiply"(%c, %r) opset 1 domain "openvino" attributes {auto_broadcast = "numpy"} : (tensor<?x4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  return %c, %m, %h, %x, %t : tensor<?x4xf32>, tensor<?x4xf32>, tensor<4xf16>, tensor<?x4xf32>, tensor<4x!quant_float.string>
}
""")
path = work / "bare.xml"
done = trips.call("--export-openvino", bare, "-o", path)
assert done.returncode == 0, done.stderr
trips.check("bare", path)
model = ov.Core().read_model(path)
assert [sorted(port.names) for port in model.outputs][:2] == [["y"], ["z"]], model.outputs
assert model.inputs[0].get_partial_shape() == ov.PartialShape([(1, 8), 4])
layers = [(layer.get("name"), layer.get("type")) for layer in ElementTree.parse(path).iter("layer")]
assert ("sum", "ReduceSum") in layers and len(layers) == 2 + 3 + 5 + 5, layers
given = np.array([[0.1, -0.1, 1000, 3]], np.float32)
got = run_model(model, [ov.Tensor(given), ov.Tensor(np.arange(4, dtype=np.int32))])

scales = np.array([0.5, 2.0, 1.0, 0.25], np.float32)
expected = (
    np.clip(given * scales, -448, 448).astype(ml_dtypes.float8_e4m3fn).astype(np.float32) / scales
)
expected = np.maximum(expected, np.float32(-0.1))
assert got[0][2] == expected.tobytes(), (got[0], expected)
assert got[2][2] == np.arange(4, dtype=np.float16).tobytes()

# A model without constants can be written to any path.
done = trips.call("--export-openvino", twice)
assert done.returncode == 0 and done.stdout == (work / "twice-out.xml").read_text(), done.stderr

sys.exit(trips.report())
