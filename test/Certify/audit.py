# The audit page of a model's conversions: certificates count if they are for the same code, other
# conversions are run, and uncovered ones fail.
# RUN: rm -rf %t && mkdir %t
# RUN: env PYTHONPATH=%S/../Tools/Inputs %python %s %tools_dir/quant-float-certify %t %src_root
import hashlib
import json
import pathlib
import re
import shutil
import sys

import onnx
from tool import Tool

tool, source = Tool(sys.argv[1], sys.argv[2], "--quiet"), pathlib.Path(sys.argv[3])
MODEL = """
func.func @f(%x: tensor<?xf16>, %c: tensor<?xf8E5M2>) -> (tensor<?xf8E5M2>, tensor<?xf32>) {
  %0 = quant_float.cast %x opset 28 : tensor<?xf16> to tensor<?xf8E5M2>
  %1 = quant_float.cast %x opset 19 saturate true : tensor<?xf16> to tensor<?xf8E5M2>
  %2 = quant_float.cast %c opset 23 : tensor<?xf8E5M2> to tensor<?xf32>
  return %1, %2 : tensor<?xf8E5M2>, tensor<?xf32>
}
"""
(tool.work / "m.mlir").write_text(MODEL)
ROW = r"^\| `(\w+)` \| (\d+) \| ([^|]+) \| ([^|]+) \| (\d+) \| `(\w{64})` \|$"


def read(page):
    """The rows for each conversion."""
    return {row[0]: row[1:] for row in re.findall(ROW, page, re.M)}


page = tool.run(0, "--audit", "m.mlir")
rows = read(page)
encode, decode = "cast_f16_to_f8E5M2_saturate1", "cast_f8E5M2_to_f32"
assert rows.keys() == {encode, decode}, page
assert rows[encode][:4] == ("2", "run now", "65536, all", "0"), rows
assert rows[decode][:4] == ("1", "run now", "256, all", "0"), rows
digest = hashlib.sha256(MODEL.encode()).hexdigest()
assert f"| SHA-256 of m.mlir | `{digest}` |" in page, page
assert "2 conversions of 3 nodes, 0 kinds of nodes not covered: right." in page, page
assert "Signed: ___" in page, page

# A certificate of the same code, and one of other code.
tool.run(0, "--only", f"^{encode}$", "--cpu", "host", "-o", "c.json")
page = tool.run(0, "--audit", "m.mlir", "--certificates", "c.json", "-o", "page.md")
assert page == "", page
rows = read((tool.work / "page.md").read_text())
assert rows[encode][1] == "c.json" and rows[decode][1] == "run now", rows
file = json.loads((tool.work / "c.json").read_text())
code = file["columns"].index("code")
[number] = file["conversions"][0][code]
right = list(file["hashes"])
file["hashes"][number] = "0" * 64
(tool.work / "other.json").write_text(json.dumps(file))
rows = read(tool.run(0, "--audit", "m.mlir", "--certificates", "other.json"))
assert rows[encode][1] == "run now", rows
# A certificate that records mismatches.
fields = ("input", "scale", "zero_point", "expected", "made")
file["hashes"] = right
file["conversions"][0].append([{"count": 3} | dict.fromkeys(fields, "0x1")])
(tool.work / "wrong.json").write_text(json.dumps(file))
page = tool.run(1, "--audit", "m.mlir", "--certificates", "wrong.json")
assert read(page)[encode][3] == "3" and "NOT TO BE RELEASED" in page, page

# Conversions that certificates do not cover.
model = MODEL.replace(
    "%2 = quant_float.cast %c opset 23", "%2 = quant_float.cast %c mode openvino opset 1"
)
(tool.work / "o.mlir").write_text(model)
page = tool.run(1, "--audit", "o.mlir", "--certificates", "c.json")
OPENVINO = "| Convert of OpenVINO | 1 | none: covered by the suite's comparison with OpenVINO | - | - | - |"
assert OPENVINO in page, page
assert "1 kinds of nodes not covered: NOT TO BE RELEASED" in page, page

strings = """
func.func @g(%x: tensor<?xf16>, %r: tensor<?xui16>, %s: tensor<?xui2>, %i: tensor<i64>) -> (tensor<?x!quant_float.string>, tensor<?xf8E5M2>, tensor<?xf8E5M2>, tensor<?xui2>) {
  %0 = quant_float.cast %x opset 28 : tensor<?xf16> to tensor<?x!quant_float.string>
  %1 = quant_float.cast %x, %r mode quant_float opset 1 round_mode stochastic : tensor<?xf16>, tensor<?xui16> to tensor<?xf8E5M2>
  %2 = quant_float.cast %x, %s mode quant_float opset 1 round_mode stochastic : tensor<?xf16>, tensor<?xui2> to tensor<?xf8E5M2>
  %3 = quant_float.philox %i, %i like %x : tensor<i64>, tensor<i64>, tensor<?xf16> to tensor<?xui2>
  return %0, %1, %2, %3 : tensor<?x!quant_float.string>, tensor<?xf8E5M2>, tensor<?xf8E5M2>, tensor<?xui2>
}
"""
(tool.work / "t.mlir").write_text(strings)
page = tool.run(1, "--audit", "t.mlir")
assert "| stochastic Cast | 1 | none: covered by the suite's tests of random bits |" in page, page  # fmt: skip
for name in ("cast_f16_to_f8E5M2_saturate1_stochastic_ui2", "philox_ui2", "cast_f16_to_string"):
    assert f"| `{name}` | 1 | run now |" in page, page

# An op on blocks performs several conversions.
blocks = """
func.func @b(%x: tensor<2x32xbf16>, %r: tensor<2x32xui8>) -> (tensor<2x32xf4E2M1FN>, tensor<2x2xf8E4M3FN>, tensor<2x32xf32>) {
  %q, %s, %t = quant_float.block_quantize %x block [1, 16] rule torchao : tensor<2x32xbf16> to tensor<2x32xf4E2M1FN>, tensor<2x2xf8E4M3FN>, tensor<f32>
  %y = quant_float.block_dequantize %q, %s tensor_scale(%t : tensor<f32>) block [1, 16] order tensor_first : tensor<2x32xf4E2M1FN>, tensor<2x2xf8E4M3FN> to tensor<2x32xf32>
  return %q, %s, %y : tensor<2x32xf4E2M1FN>, tensor<2x2xf8E4M3FN>, tensor<2x32xf32>
}
"""
(tool.work / "b.mlir").write_text(blocks)
rows = read(tool.run(0, "--audit", "b.mlir", "--sample"))
assert rows.keys() == {
    "tensor_scale_f32_to_f32",
    "block_scale_torchao_bf16_for_f4E2M1FN_to_f8E4M3FN_tensor_amax",
    "block_quantize_elements_torchao_bf16_by_f8E4M3FN_to_f4E2M1FN_tensor_amax",
    "block_dequantize_f4E2M1FN_by_f8E4M3FN_to_f32_tensor_scale_tensor_first",
}, rows
assert all(row[3] == "0" for row in rows.values()), rows
# Stochastic roundings with few random bits are run.
rounding = "rule torchao round_mode stochastic random(%r : tensor<2x32xui8>)"
stochastic = blocks.replace("rule torchao", rounding)
(tool.work / "s.mlir").write_text(stochastic)
rows = read(tool.run(0, "--audit", "s.mlir", "--sample"))
name = "block_quantize_elements_torchao_bf16_by_f8E4M3FN_to_f4E2M1FN_tensor_amax_stochastic_ui8"
assert len(rows) == 4 and rows[name][1:4] == ("run now", "5898240, all", "0"), rows
(tool.work / "s.mlir").write_text(stochastic.replace("ui8", "ui16"))
page = tool.run(1, "--audit", "s.mlir", "--sample")
assert "| stochastic quantization | 1 | none: covered by the suite's tests of random bits |" in page, page  # fmt: skip

# IEEE P3109: conversions that --p3109 lists, and others.
draft = """
func.func @p(%x: tensor<8xbf16>, %s: tensor<1xbf16>, %r: tensor<8xui4>) -> (tensor<8x!quant_float.binary5p2ue>, tensor<8xf64>, tensor<8x!quant_float.binary8p4se>) {
  %0 = quant_float.convert_to_block %x, %s, %r block [-1] projection <D1, StochasticB, SatNone> : tensor<8xbf16>, tensor<1xbf16>, tensor<8xui4> to tensor<8x!quant_float.binary8p4se>
  %1 = quant_float.cast %0 mode p3109 opset 1 projection <D1, ToOdd, SatFinite> : tensor<8x!quant_float.binary8p4se> to tensor<8x!quant_float.binary5p2ue>
  %2 = quant_float.convert_from_block %0, %s block [-1] projection <D1, NearestTiesToEven, SatNone> : tensor<8x!quant_float.binary8p4se>, tensor<1xbf16> to tensor<8xf64>
  %3 = quant_float.cast %x mode p3109 opset 1 projection <D1, ToOdd, SatNone> : tensor<8xbf16> to tensor<8x!quant_float.binary8p4se>
  return %1, %2, %3 : tensor<8x!quant_float.binary5p2ue>, tensor<8xf64>, tensor<8x!quant_float.binary8p4se>
}
"""
(tool.work / "p.mlir").write_text(draft)
rows = read(tool.run(0, "--audit", "p.mlir", "--sample"))
assert {name: row[2] for name, row in rows.items()} == {
    "convert_to_block_bf16_by_bf16_to_binary8p4se_StochasticB_SatNone_by_ui4": "262144, all",
    "project_binary8p4se_to_binary5p2ue_ToOdd_SatFinite": "256, all",
    "convert_from_block_binary8p4se_by_bf16_to_f64_NearestTiesToEven_SatNone": "1024, all",
    "project_bf16_to_binary8p4se_ToOdd_SatNone": "65536, all",
}, rows
assert all(row[3] == "0" for row in rows.values()), rows
(tool.work / "p.mlir").write_text(draft.replace("tensor<8xui4>", "tensor<8xui16>"))
page = tool.run(1, "--audit", "p.mlir", "--sample")
assert "| stochastic quantization | 1 | none: covered by the suite's tests of random bits |" in page, page  # fmt: skip

# Every file of the model is audited.
x, y, w = (onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT16, [4]) for n in "xyw")
(tool.work / "data").mkdir()
weights = bytes(range(8))
(tool.work / "data/w.bin").write_bytes(weights)
tensor = onnx.TensorProto(name="w", dims=[4], data_type=onnx.TensorProto.FLOAT16)
tensor.data_location = onnx.TensorProto.EXTERNAL
tensor.external_data.add(key="location", value="data/w.bin")
nodes = [
    onnx.helper.make_node("Add", ["x", "w"], ["s"]),
    onnx.helper.make_node("Cast", ["s"], ["f"], to=onnx.TensorProto.FLOAT8E5M2),
    onnx.helper.make_node("Cast", ["f"], ["y"], to=onnx.TensorProto.FLOAT16),
]
graph = onnx.helper.make_graph(nodes, "g", [x], [y], initializer=[tensor])
opset = [onnx.helper.make_opsetid("", 23)]
onnx.save(onnx.helper.make_model(graph, opset_imports=opset, ir_version=10), tool.work / "e.onnx")
page = tool.run(0, "--audit", "e.onnx")
digest = hashlib.sha256(weights).hexdigest()
assert f"| SHA-256 of data/w.bin | `{digest}` |" in page and "SHA-256 of e.onnx" in page, page

# An ONNX model, on parts of the inputs.
shutil.copy(source / "examples/digits/digits-i8.onnx", tool.work)
rows = read(tool.run(0, "--audit", "digits-i8.onnx", "--sample"))
names = {name.split("_")[0] for name in rows}
assert names and names <= {"quantize", "dequantize", "qdq", "cast"}, rows
assert all(row[1] == "run now" and row[3] == "0" for row in rows.values()), rows

tool.run(1, "--audit", "none.onnx", stderr="none.onnx")
(tool.work / "bad.mlir").write_text("func.func")
tool.run(1, "--audit", "bad.mlir", stderr="bad.mlir")
tool.run(2, "--audit", "m.mlir", "--certificates", "m.mlir", stderr="m.mlir")
tool.run(
    2, "--audit", "m.mlir", "--mutants", stderr="expected one task, but got --audit, --mutants"
)
tool.run(2, "--certificates", "c.json", stderr="--certificates requires --audit with a model")
tool.run(
    2,
    "--audit",
    "m.mlir",
    "--certificates",
    "c.json",
    "-o",
    "none/p.md",
    stderr="none/p.md: cannot be written",
)
tool.finish()
