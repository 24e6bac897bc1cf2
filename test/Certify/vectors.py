# The conformance vectors: comparison with other sources, the runner, other libraries, which differ
# as recorded and as differences.toml explains, and invalid files.
# RUN: rm -rf %t && mkdir %t
# RUN: env PYTHONPATH=%src_root/vectors:%S/../Tools/Inputs:%S/../helpers %python %s %tools_dir/quant-float-certify %t %src_root
import itertools
import json
import pathlib
import re
import shutil
import subprocess
import sys

import ml_dtypes
import numpy as np
import quant_float_vectors as vectors
from conformance import p3109
from conformance import vector_tables as oracle
from tool import Tool

tool, source = Tool(sys.argv[1], sys.argv[2]), pathlib.Path(sys.argv[3])
printed = tool.run(0, "--vectors", "data")
data = tool.work / "data"
tables = {table.name: table for table in vectors.load(data)}
rows = sum(table.entry["rows"] for table in tables.values())
assert printed == f"{len(tables)} tables of {rows} rows\n", printed
assert len(tables) >= 300, len(tables)
standards = {name for table in tables.values() for name in table.entry["standards"]}
index = json.loads((data / "vectors.json").read_text())
assert standards == {one["label"] for one in index["standards"]}, standards
labels = {one["label"] for one in index["rules"]}
law = (source / "docs/rules.md").read_text()
for table in tables.values():
    assert set(table.entry["rules"]) <= labels, table.entry["rules"]
assert all(re.search(rf"\b{label}\b", law) for label in labels), labels
with_files = {name for table in tables.values() for name in table.entry["files"].values()}
assert {path.name for path in data.iterdir()} == with_files | {"vectors.json"}

# Values from the standards' own tables.
for name, case, value, code in (
    ("cast_f32_to_f8E4M3FN_saturate0", "largest below overflow", 464.0, 0x7E),
    (
        "cast_f32_to_f8E4M3FN_saturate0",
        "smallest overflow",
        np.nextafter(np.float32(464), np.inf),
        0x7F,
    ),
    ("cast_f32_to_f8E4M3FN_saturate1", "infinity", np.inf, 0x7E),
    ("cast_f32_to_f8E5M2_saturate0", "smallest overflow", 61440.0, 0x7C),
    ("cast_f32_to_f8E5M2_saturate1", "smallest overflow", 61440.0, 0x7B),
    ("cast_f32_to_f8E4M3FN_saturate1", "tie to even at subnormal 4, from below", 3.5 * 2**-9, 4),
    ("cast_f32_to_f4E2M1FN", "tie to even at 4.00, from above", 5.0, 6),
    ("cast_f32_to_f8E8M0FNU_saturate1_nearest", "tie above 2^0", 1.5, 128),
):
    table = tables[name]
    row = {text: row for row, text in table.cases.items()}[case]
    assert table.input[row] == np.float32(value), (name, case, table.input[row])
    assert table.output[row] == code, (name, case, table.output[row])
for table in tables.values():
    if table.entry["complete"]:
        bits = {"f4E2M1FN": 4, "f6E2M3FN": 6, "f6E3M2FN": 6}.get(table.source)
        if table.source in p3109.BY_MLIR:
            bits = p3109.BY_MLIR[table.source].width
        count = 1 << (bits or 8 * table.input.itemsize)
        assert np.array_equal(vectors.get_encodings(table.input), np.arange(count)), table.name


# Every table of IEEE P3109, compared with the tests' oracle in numpy.
projections = [table for table in tables.values() if table.operation == "project"]
assert len(projections) >= 250, len(projections)
for table in projections:
    assert not vectors.compare(table, oracle.project(table)).size, table.name
# The formats that the draft requires have every rounding and saturation.
keys = ("rounding", "saturation")
found = {(table.target, *(table.attributes[key] for key in keys)) for table in projections}
names = [p3109.FORMATS[name].mlir for name in p3109.REQUIRED]
roundings = p3109.DETERMINISTIC + p3109.STOCHASTIC
wanted = set(itertools.product(names, roundings, p3109.SATURATIONS))
assert found >= wanted, wanted - found


# Every table of blocks, compared with the tests' oracle in numpy.
numbers = {}
for table in tables.values():
    if table.operation not in oracle.BLOCKS:
        continue
    numbers[table.operation] = numbers.get(table.operation, 0) + 1
    with np.errstate(all="ignore"):
        made = oracle.convert(table)
    wrong = vectors.compare(table, made)
    if wrong.size:
        row = wrong[0]
        tool.failures.append(
            f"{table.name}: {wrong.size} rows differ: {table.cases.get(int(row))}: "
            f"{table.input[row]!r} gives {table.output[row]!r}, but numpy computes {made[row]!r}"
        )
assert numbers == {
    "tensor_scale": 1,
    "block_scale": 96,
    "block_quantize_elements": 96,
    "block_dequantize": 9,
    "pack_scales": 54,
}, numbers

# Edge cases of known bugs: the maximum magnitude of the block or of the tensor, and the scale.
FLT_MAX, NAN = np.finfo(np.float32).max, np.float32(np.nan)
below_16, above_448 = np.nextafter(np.float32([16, 448]), np.float32([0, 512]))
NVFP4 = "block_scale_{}_f32_for_f4E2M1FN_to_f8E4M3FN_tensor_amax"
for name, amax, level, code in (
    ("block_scale_floor_f32_for_f4E2M1FN_to_f8E8M0FNU", below_16, None, 128),
    ("block_scale_rceil_f32_for_f8E4M3FN_to_f8E8M0FNU", above_448, None, 128),
    ("block_scale_even_f32_for_f8E4M3FN_to_f8E8M0FNU", 1.9375 * 2.0**127, None, 255),
    ("block_scale_floor_f32_for_f8E4M3FN_to_f8E8M0FNU", FLT_MAX, None, 246),
    ("block_scale_rceil_f32_for_f8E4M3FN_to_f8E8M0FNU", np.inf, None, 255),
    ("block_scale_ceil_f32_for_f8E4M3FN_to_f8E8M0FNU", 0.0, None, 0),
    ("block_scale_tosa_f32_for_f4E2M1FN_to_f8E8M0FNU", 6.0, None, 128),
    ("block_scale_tosa_f32_for_f8E4M3FN_to_f8E8M0FNU", 448.0, None, 127),
    ("block_scale_ggml_f32_for_f4E2M1FN_to_f8E4M3FN", 6 * 248.0, None, 0x7E),
    (NVFP4.format("transformer_engine"), 0.0, 2688.0, 0x00),
    (NVFP4.format("torchao"), 0.0, 2688.0, 0x08),
    (NVFP4.format("model_optimizer"), 0.0, 2688.0, 0x38),
    (NVFP4.format("compressed_tensors"), 0.0, 2688.0, 0x20),
    (NVFP4.format("transformer_engine"), 2.0**-149, 2.0**-149, 0x00),
    (NVFP4.format("torchao"), FLT_MAX, FLT_MAX, 0x7E),
):
    table = tables[name]
    rows = table.input.view(np.uint32) == np.float32(amax).view(np.uint32)
    if level is not None:
        rows &= table.tensor_amax.view(np.uint32) == np.float32(level).view(np.uint32)
    assert rows.any() and (table.output[rows] == code).all(), (name, amax, table.output[rows])

# The runner reports the wrong rows, and only these.
name = "cast_bf16_to_f8E5M2FNUZ_saturate0"


def convert(table, change=lambda made: made):
    if table.name != name:
        return None
    with np.errstate(all="ignore"):
        return change(table.input.view(ml_dtypes.bfloat16).astype(ml_dtypes.float8_e5m2fnuz))


[right] = vectors.check(convert, data)
assert right == {"table": name, "rows": 65536, "differ": 0, "rules": {}}, right


def spoil(made):
    made.view(np.uint8)[0x3F80] ^= 1
    return made


[wrong] = vectors.check(lambda table: convert(table, spoil), data)
assert wrong["differ"] == 1 and wrong["rules"] == {"C3": 1}, wrong
assert wrong["first"] == {
    "input": "0x3f80",
    "output": "0x40",
    "made": "0x41",
    "rule": "C3",
    "case": "1.00",
}, wrong
# Masked rows are not compared.
mask = np.arange(65536) == 0x3F80
hide = lambda made: np.ma.array(spoil(made).view(np.uint8), mask=mask)  # noqa: E731
[right] = vectors.check(lambda table: convert(table, hide), data)
assert right["rows"] == 65535 and right["differ"] == 0, right


def refuse(message, run):
    try:
        run()
    except vectors.VectorError as error:
        if message not in str(error):
            tool.failures.append(f"expected '{message}', but got '{error}'")
    else:
        tool.failures.append(f"expected '{message}', but no error was reported")


refuse("expected (65536,) of uint8", lambda: vectors.compare(tables[name], np.zeros(3, np.uint8)))
refuse("expected (65536,) of uint8", lambda: vectors.compare(tables[name], np.zeros(65536)))
refuse("expected elements of 1, 2, 4 or 8 bytes", lambda: vectors.get_encodings(np.zeros(2, "V3")))

# Invalid files.
bad = tool.work / "bad"
refuse("vectors.json", lambda: vectors.load(bad))
bad.mkdir()
for text, message in (
    ("{", "vectors.json"),
    ("[" * 100_000, "vectors.json"),
    ("[]", "expected version 2 of 'vectors'"),
    ('{"vectors": 1}', "expected version 2 of 'vectors'"),
    ('{"vectors": 2}', "expected a list of 'tables'"),
    ('{"vectors": 2, "tables": []}', "expected a list of 'cases'"),
    (
        '{"vectors": 2, "cases": [], "tables": [{"name": "x"}]}',
        "expected 'operation' in each table",
    ),
):
    (bad / "vectors.json").write_text(text)
    refuse(message, lambda: vectors.load(bad))
entry = tables[name].entry | {"cases": 1}
(bad / "vectors.json").write_text(json.dumps({"vectors": 2, "cases": [[], []], "tables": [entry]}))
refuse("input.npy", lambda: vectors.load(bad))
for file in entry["files"].values():
    shutil.copy(data / file, bad)
assert len(vectors.load(bad)) == 1
text = (bad / "vectors.json").read_text()
(bad / "vectors.json").write_text(text.replace('"cases": 1', '"cases": 2'))
refuse(
    "expected cast_bf16_to_f8E5M2FNUZ_saturate0 to have one of 2 'cases'", lambda: vectors.load(bad)
)
(bad / "vectors.json").write_text(text)
output = bad / entry["files"]["output"]
output.write_bytes(output.read_bytes()[:-1])
refuse("output.npy", lambda: vectors.load(bad))
np.save(output, np.zeros(7, np.uint8))
refuse("expected 65536 rows, but got (7,)", lambda: vectors.load(bad))
tool.run(2, "--vectors", "data/vectors.json", stderr="vectors.json")
tool.run(2, "--vectors", "/dev/null/x", stderr="/dev/null/x")

# The other libraries of this environment, compared with the record if the versions are equal.
command = [sys.executable, "-m", "peers", "--data", data, "-o", tool.work / "peers.json"]
done = subprocess.run(command, capture_output=True, text=True)
assert done.returncode == 0, done.stdout + done.stderr
recorded = json.loads((source / "test/results/peers.json").read_text())["peers"]
found = json.loads((tool.work / "peers.json").read_text())["peers"]
assert found.keys() >= {
    "ml_dtypes",
    "onnx.reference",
    "ONNX Runtime",
    "OpenVINO",
    "NumKong",
    "gguf",
}, found.keys()
assert len(recorded) >= 6, recorded.keys()
# Other versions may compute other results on another CPU. These differences are explained as well.
for peer in ("ml_dtypes", "onnx.reference", "gguf"):
    result = found[peer]
    if recorded[peer]["version"] == result["version"] and recorded[peer] != result:
        tool.failures.append(f"{peer} differs from the record")
tool.finish()
