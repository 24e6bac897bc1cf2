# The conformance vectors: what is known of them otherwise, the runner, other libraries, which differ as recorded and where
# peers.toml says why, the source distribution, and files that are no vectors.
# RUN: rm -rf %t && mkdir %t
# RUN: env PYTHONPATH=%src_root/vectors:%S/../Tools/Inputs:%S/../helpers %python %s %tools_dir/quant-float-certify %t %src_root
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

import ml_dtypes
import numpy as np
import quant_float_vectors as vectors
from conformance import blocks, p3109
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
        assert np.array_equal(vectors.get_codes(table.input), np.arange(count)), table.name


# Every table of IEEE P3109, by the oracle of the tests in numpy.
projections = [table for table in tables.values() if table.operation == "project"]
assert len(projections) >= 250, len(projections)
for table in projections:
    given, target = p3109.BY_MLIR[table.source], p3109.BY_MLIR[table.target]
    modes = table.attributes["rounding"], table.attributes["saturation"]
    expected = p3109.project(target, given.values(vectors.get_codes(table.input)), *modes)
    assert not vectors.compare(table, expected).size, table.name


# Every table of blocks, by the oracle of the tests in numpy.
def get_level(table, row):
    for role, key in (("tensor_amax", "amax"), ("tensor_scale", "scale")):
        if getattr(table, role) is not None:
            return blocks.Level(**{key: getattr(table, role)[row]})
    return None


def get_scales(table, codes):
    """The type that the oracle has scales of: codes, or floats of numpy."""
    kind = table.scale_type or table.target
    return codes.view(ml_dtypes.bfloat16) if kind == "bf16" else codes


def convert_block(table):
    made = np.empty_like(table.output)
    levels = (
        get_level(table, 0)
        and [
            getattr(table, role).view(np.uint32)
            for role in ("tensor_amax", "tensor_scale")
            if getattr(table, role) is not None
        ][0]
    )
    for level_code in [None] if levels is None else np.unique(levels):
        rows = np.arange(made.size) if levels is None else np.flatnonzero(levels == level_code)
        level = get_level(table, rows[0])
        x = table.input[rows]
        if table.operation == "tensor_scale":
            some = np.where(np.abs(x) / np.float32(2688) == 0, 1, np.abs(x) / np.float32(2688))
            some = some.astype(np.float32)
        elif table.operation == "block_scale":
            rule, element = table.attributes["rule"], table.attributes["element"]
            kind = table.target.rpartition(".")[2]
            some = blocks.scales(rule, element, kind, x, level)
        elif table.operation == "block_quantize_elements":
            rule, kind = table.attributes["rule"], table.scale_type.rpartition(".")[2]
            codes = get_scales(table, table.scale[rows])
            some = blocks.elements(rule, table.target, kind, x, codes, level)
            # NaN, where the format has one.
            some = (
                np.where(some == -1, NANS.get(table.target, 0), some)
                if table.target[0] == "f"
                else some
            )
            some = some.astype(np.uint8)
        else:
            order = table.attributes.get("order")
            factor = None if order is None else level.scale
            if order is not None:
                factor = table.tensor_scale[rows[0]]
            codes = x if table.source[0] == "f" else x.view(np.int8)
            some = blocks.dequantize(
                codes,
                table.source,
                table.scale[rows],
                table.scale_type,
                factor,
                order == "tensor_first",
            ).astype(np.float32)
        made[rows] = np.ascontiguousarray(some).view(made.dtype)
    return made


def convert_layout(table):
    """The offset of each number from 1 on."""
    shape = [table.attributes[key] for key in ("rows", "columns")]
    packed = blocks.pack_scales(table.attributes["layout"], table.input.reshape(shape) + 1)
    assert packed.size == table.attributes["padded_rows"] * table.attributes["padded_columns"]
    offsets = np.empty_like(table.output)
    offsets[packed[packed > 0] - 1] = np.flatnonzero(packed)
    return offsets


NANS = {"f8E4M3FN": 0x7F, "f8E5M2": 0x7E}
numbers = {}
for table in tables.values():
    is_block = "block" in table.operation or table.operation == "tensor_scale"
    if not is_block and table.operation != "pack_scales":
        continue
    numbers[table.operation] = numbers.get(table.operation, 0) + 1
    with np.errstate(all="ignore"):
        made = convert_block(table) if is_block else convert_layout(table)
    wrong = vectors.compare(table, made)
    if wrong.size:
        row = wrong[0]
        tool.failures.append(
            f"{table.name}: {wrong.size} rows differ: {table.cases.get(int(row))}: "
            f"{table.input[row]!r} gives {table.output[row]!r}, but by numpy {made[row]!r}"
        )
assert numbers == {
    "tensor_scale": 1,
    "block_scale": 96,
    "block_quantize_elements": 96,
    "block_dequantize": 9,
    "pack_scales": 54,
}, numbers

# Edge cases that implementations got wrong: the largest magnitude of the block, that of the tensor, the scale.
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

# The runner finds what is wrong, and only that.
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


def refuse(message, run):
    try:
        run()
    except vectors.VectorError as error:
        if message not in str(error):
            tool.failures.append(f"expected '{message}', but got '{error}'")
    else:
        tool.failures.append(f"expected '{message}', but all went well")


refuse("expected (65536,) of uint8", lambda: vectors.compare(tables[name], np.zeros(3, np.uint8)))
refuse("expected (65536,) of uint8", lambda: vectors.compare(tables[name], np.zeros(65536)))
refuse("expected elements of 1, 2, 4 or 8 bytes", lambda: vectors.get_codes(np.zeros(2, "V3")))

# What is none.
bad = tool.work / "bad"
refuse("vectors.json", lambda: vectors.load(bad))
bad.mkdir()
for text, message in (
    ("{", "vectors.json"),
    ("[" * 100_000, "vectors.json"),
    ("[]", "expected version 1 of 'vectors'"),
    ('{"vectors": 2}', "expected version 1 of 'vectors'"),
    ('{"vectors": 1}', "expected a list of 'tables'"),
    ('{"vectors": 1, "tables": [{"name": "x"}]}', "expected 'operation' in each table"),
):
    (bad / "vectors.json").write_text(text)
    refuse(message, lambda: vectors.load(bad))
entry = tables[name].entry
(bad / "vectors.json").write_text(json.dumps({"vectors": 1, "tables": [entry]}))
refuse("input.npy", lambda: vectors.load(bad))
for file in entry["files"].values():
    shutil.copy(data / file, bad)
assert len(vectors.load(bad)) == 1
output = bad / entry["files"]["output"]
output.write_bytes(output.read_bytes()[:-1])
refuse("output.npy", lambda: vectors.load(bad))
np.save(output, np.zeros(7, np.uint8))
refuse("expected 65536 rows, but got (7,)", lambda: vectors.load(bad))
tool.run(2, "--vectors", "data/vectors.json", stderr="vectors.json")
tool.run(2, "--vectors", "/dev/null/x", stderr="/dev/null/x")

# Other libraries: those of this environment, as recorded where the versions are the same.
command = [
    sys.executable,
    source / "vectors/peers.py",
    "--data",
    data,
    "-o",
    tool.work / "peers.json",
]
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
# The others may compute otherwise on another CPU; what differs there is explained as well.
for peer in ("ml_dtypes", "onnx.reference", "gguf"):
    result = found[peer]
    if recorded[peer]["version"] == result["version"] and recorded[peer] != result:
        tool.failures.append(f"{peer} differs otherwise than recorded")

# The source distribution has the version of all the rest, and works where it is unpacked.
version = re.search(r"project\(QuantFloat VERSION (\S+)", (source / "CMakeLists.txt").read_text())[
    1
]
command = [sys.executable, source / "scripts/make_vectors_sdist.py", source, data, tool.work]
subprocess.run(command, check=True, capture_output=True)
with tarfile.open(tool.work / f"quant_float_vectors-{version}.tar.gz") as archive:
    archive.extractall(tool.work / "sdist")
root = tool.work / f"sdist/quant_float_vectors-{version}"
assert f"\nVersion: {version}\n" in (root / "PKG-INFO").read_text()
program = "import quant_float_vectors as v; print(len(v.load()))"
command = [sys.executable, "-c", program]
done = subprocess.run(command, cwd=root, env={}, capture_output=True, text=True)
assert done.stdout == f"{len(tables)}\n", done.stdout + done.stderr
tool.finish()
