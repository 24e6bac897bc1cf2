# Attributes of layers: numbers, booleans and lists if the operator is known, otherwise strings.
# RUN: rm -rf %t && mkdir %t && %python %s %t
# RUN: quant-float-translate --import-openvino %t/m.xml | FileCheck %s
import pathlib
import sys

# CHECK-LABEL: func.func @m
# CHECK: "Clamp"({{.*}} {max = 0x7FF0000000000000 : f64, min = -2.500000e+00 : f64}
# CHECK: "Concat"({{.*}} {axis = -2 : i64}
# CHECK: "Convert"({{.*}} {destination_type = bf16}
# CHECK: "Convert"({{.*}} {destination_type = f8E4M3FN}
# CHECK: "Convert"({{.*}} {destination_type = i1}
# CHECK: "Convert"({{.*}} {destination_type = "nf4"}
# CHECK: "Convert"({{.*}} {destination_type = "u1"}
# CHECK: "Convert"({{.*}} {destination_type = "u6"}
# CHECK: "Convert"({{.*}} {destination_type = "undefined"}
# CHECK: "Convolution"({{.*}} {auto_pad = "explicit", dilations = array<i64: 1, 1>,
# CHECK-SAME:   pads_begin = array<i64: 0, -1>, pads_end = array<i64>, strides = array<i64: 2, 3>}
# CHECK: "Divide"({{.*}} {auto_broadcast = "numpy", m_pythondiv = true}
# CHECK: "FakeQuantize"({{.*}} {auto_broadcast = "numpy", levels = 256 : i64}
# CHECK: "Gather"({{.*}} {batch_dims = 0 : i64}
# CHECK: "MatMul"({{.*}} {transpose_a = true, transpose_b = false}
# CHECK: "Reshape"({{.*}} {special_zero = true}
# The first of two values is used.
# CHECK: "Softmax"({{.*}} {axis = 1 : i64}
# CHECK: "Unheard"({{.*}} {axis = "1", empty = "", strides = "1,2"}
LAYERS = [
    ("Clamp", 'min="-2.5" max="inf"'),
    ("Concat", 'axis=" -2"'),
    ("Convert", 'destination_type="BF16"'),
    ("Convert", 'destination_type="f8e4m3"'),
    ("Convert", 'destination_type="boolean"'),
    ("Convert", 'destination_type="NF4"'),
    ("Convert", 'destination_type="u1"'),
    ("Convert", 'destination_type="u6"'),
    ("Convert", 'destination_type="undefined"'),
    (
        "Convolution",
        'strides="2, 3" dilations="1,1" pads_begin="0,-1" pads_end="" auto_pad="explicit"',
    ),
    ("Divide", 'auto_broadcast="numpy" m_pythondiv="1"'),
    ("FakeQuantize", 'levels="256" auto_broadcast="numpy"'),
    ("Gather", 'batch_dims="0"'),
    ("MatMul", 'transpose_a="True" transpose_b="0"'),
    ("Reshape", 'special_zero="true"'),
    ("Softmax", 'axis="1" axis="2"'),
    ("Unheard", 'axis="1" strides="1,2" empty=""'),
]

layers = '<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2" element_type="f32"/><output><port id="0"/></output></layer>\n'
edges = ""
for number, (kind, data) in enumerate(LAYERS, 1):
    layers += (
        f'<layer id="{number}" name="l{number}" type="{kind}" version="opset8"><data {data}/>'
        '<input><port id="0"/></input><output><port id="1"/></output></layer>\n'
        f'<layer id="{number + 100}" name="r{number}" type="Result" version="opset1"><input><port id="0"/></input></layer>\n'
    )
    edges += f'<edge from-layer="0" from-port="0" to-layer="{number}" to-port="0"/>\n'
    edges += f'<edge from-layer="{number}" from-port="1" to-layer="{number + 100}" to-port="0"/>\n'
text = f'<net name="m" version="11"><layers>{layers}</layers><edges>{edges}</edges></net>'
(pathlib.Path(sys.argv[1]) / "m.xml").write_text(text)
