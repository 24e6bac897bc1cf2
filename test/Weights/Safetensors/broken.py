# Files with one error each, with the exact message. Every diagnostic of the importer has a case
# here or is listed with the reason.
# RUN: rm -rf %t && env PYTHONPATH=%S/Inputs:%S/../../ONNX/Inputs %python %s %t quant-float-translate %src_root/lib/Weights/Safetensors/Diagnostics.def
import json
import os
import pathlib
import struct
import subprocess
import sys

import numpy as np
from cases import Table, read_diagnostics
from checkpoint_files import Tensor, make_tensor, pack, write
from layouts import NF4, to_bytes

# There is enough memory.
ELSEWHERE = ("NoMemory",)
INDEX = "model.safetensors.index.json"


class SafetensorsTable(Table):
    """Cases in separate folders, for files next to the model."""

    def add(
        self,
        diagnostic,
        data,
        message,
        *,
        name="model.safetensors",
        at=None,
        beside=None,
        severity="error",
    ):
        more = (name, at or name, beside or {})
        super().add(diagnostic, data, message, more=more, severity=severity)

    def run_case(self, index):
        _, data, severity, message, _, (name, at, beside) = self.cases[index]
        place = self.folder / str(index)
        place.mkdir()
        for file, content in {name: data, **beside}.items():
            if content is not None:
                content = content if isinstance(content, str | bytes) else json.dumps(content)
                (place / file).write_bytes(
                    content.encode() if isinstance(content, str) else content
                )
        output = self.folder / f"{index}.mlir"
        done = subprocess.run(
            [self.translate, "--import-safetensors", place / name, "-o", output],
            capture_output=True,
        )
        expected = f"{place / at}:0:0: {severity}: {message}\n"
        return self.judge(index, done, expected, done.stderr.decode(errors="replace"))


table = SafetensorsTable(*sys.argv[1:4])
F32 = Tensor("F32", [2, 3], bytes(24))


def ones(shape, dtype=np.float32):
    return np.ones(shape, dtype)


def zeros(shape, dtype=np.int32):
    return np.zeros(shape, dtype)


def entry(**members):
    return {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]} | members


def text(value):
    return json.dumps(value, separators=(",", ":"))


# --- The file -------------------------------------------------------------------------------------

for data in (b"", b"\x02", bytes(7)):
    message = f"the file has {len(data)} bytes, but a header has at least 8"
    table.add("NoHeader", data, message)
for size in (100_000_001, 2**63, 2**64 - 1):
    message = f"expected at most 100000000 bytes of JSON, but got {size}"
    table.add("HugeHeader", struct.pack("<Q", size) + b"{}", message)
for size, end in ((3, 11), (100_000_000, 100_000_008)):
    message = f"the header ends at byte {end}, but the file has 10"
    table.add("Truncated", struct.pack("<Q", size) + b"{}", message)
for header, message in (
    ("", "[1:0, byte=0]: Unexpected EOF"),
    ("{", "[1:1, byte=1]: Expected object key"),
    ("{}{}", "[1:2, byte=2]: Text after end of document"),
    (b'{"\xff": 1}', "[1:2, byte=2]: Invalid UTF-8 sequence"),
    ("[]", "expected an object, but got []"),
    ("3", "expected an object, but got 3"),
    ("null", "expected an object, but got null"),
):
    table.add("BadJson", pack(header), f"header: invalid JSON: {message}")
for header in ("[" * 65, "{" * 10_000_000, '{"a":' * 65 + "0" + "}" * 65):
    message = "header: brackets are nested more than 64 deep"
    table.add("DeepJson", pack(header), message)
for header, key in (
    ('{"a": {}, "a": {}}', "a"),
    ('{"a": {}, "\\u0061": {}}', "a"),
    ('{"__metadata__": {}, "__metadata__": {}}', "__metadata__"),
    ('{"a": {"dtype": "F32", "shape": [0], "dtype": "F16"}}', "dtype"),
):
    message = f"header: the key '{key}' is given more than once"
    table.add("DuplicateKey", pack(header), message)
long = "[" + ",".join(["[]"] * 100) + "]"
message = f"__metadata__: expected strings, but got {long[:100]}..."
table.add("BadMetadata", pack('{"__metadata__": ' + long + "}"), message)
for value in ({"a": 1}, {"a": None}, [], "text", 3, None):
    message = f"__metadata__: expected strings, but got {text(value)}"
    table.add("BadMetadata", pack({"__metadata__": value}), message)
metadata = {"tensor_names": '["a.weight"]', "a.weight": '{"_type": "Float8Tensor", "_data": {}}'}
message = "the layouts of torchao are not supported"
table.add("TorchAo", write({}, metadata), message)
message = "bytes 0 to 8 of the data belong to no tensor"
table.add("Hole", pack({}, bytes(8)), message)
message = "bytes 24 to 25 of the data belong to no tensor"
table.add("Hole", write({"w": F32}) + b"x", message)
message = "bytes 24 to 32 of the data belong to no tensor"
far = Tensor("U8", [4], bytes(12), [32, 36])
table.add("Hole", write({"w": F32, "v": far}), message)

# --- Tensors --------------------------------------------------------------------------------------

for value in (3, [], "F32", None):
    message = f"tensor 'w': entry: expected an object, but got {text(value)}"
    table.add("BadEntry", pack({"w": value}), message)
for value in (3, ["F32"], None):
    message = f"tensor 'w': dtype: expected a string, but got {text(value)}"
    table.add("BadEntry", pack({"w": entry(dtype=value)}), message)
message = "tensor 'w': dtype: expected a string, but got nothing"
table.add("BadEntry", pack({"w": {}}), message)
for value in ("f32", "F6_E2M3", "F6_E3M2", "", "F32\n"):
    spelled = value.replace("\n", "\\0A")
    table.add(
        "UnknownType",
        pack({"w": entry(dtype=value)}),
        f"tensor 'w': dtype '{spelled}' is not supported",
    )
for value in ([2, -3], [2, 1.5], ["2"], [[2]], 3, None):
    message = f"tensor 'w': shape: expected nonnegative sizes, but got {text(value)}"
    table.add("BadEntry", pack({"w": entry(shape=value)}), message)
for value in ([0], [0, 24, 48], [24, 0], [-1, 23], ["0", "24"], {}, [0, 1.8446744073709552e19]):
    message = (
        "tensor 'w': data_offsets: expected a begin offset and an end offset that is not less, "
        f"but got {text(value)}"
    )
    table.add("BadEntry", pack({"w": entry(data_offsets=value)}, bytes(24)), message)
message = "tensor 'w': expected at most 64 dimensions, but got 65"
table.add("HighRank", pack({"w": entry(shape=[1] * 65)}, bytes(24)), message)
for dims in ([2**40, 2**40], [2, 2**63 - 1]):
    message = f"tensor 'w': the shape {text(dims).replace(',', ', ')} has too many elements"
    table.add("HugeShape", pack({"w": entry(shape=dims)}, bytes(24)), message)
for dtype, shape, needed in (
    ("F32", "[3, 3]", 36),
    ("F32", "[]", 4),
    ("F16", "[2, 3]", 12),
    ("F4", "[2, 3]", 3),
    ("F32", "[0, 9]", 0),
    ("U64", f"[{2**61 - 1}]", 2**64 - 8),
):
    message = f"tensor 'w': {shape} of {dtype} require {needed} bytes, but data_offsets span 24"
    data = pack({"w": entry(dtype=dtype, shape=json.loads(shape))}, bytes(24))
    table.add("WrongSize", data, message)
message = "tensor 'w': 9 elements of F4 are not a whole number of bytes"
table.add("HalfByte", write({"w": Tensor("F4", [3, 3], bytes(5))}), message)
for begin in (1, 32, 2**62, 2**63 - 25):
    message = f"tensor 'w': bytes {begin} to {begin + 24} of the data are needed, but it has 24"
    data = pack({"w": entry(data_offsets=[begin, begin + 24])}, bytes(24))
    table.add("OutOfBounds", data, message)
message = "tensor 'w': its data overlaps the data of tensor 'v'"
table.add("Overlap", pack({"w": entry(), "v": entry()}, bytes(24)), message)
half = entry(shape=[3], data_offsets=[20, 32])
table.add("Overlap", pack({"v": entry(), "w": half}, bytes(32)), message)

# --- Several files, and files next to them
# ---------------------------------------------------------

for value in ({}, {"weight_map": []}, {"weight_map": {"w": 3}}, {"weight_map": {"w": None}}):
    message = "weight_map: expected an object of strings"
    table.add("NoWeightMap", text(value).encode(), message, name=INDEX)
for shard in ("../a", "/etc/passwd", "a/b", "..", ".", "", "a\\b", "a\0b"):
    spelled = shard.replace("\\", "\\\\").replace("\0", "\\00")
    message = f"weight_map: expected the name of a file next to the index, but got '{spelled}'"
    index = text({"weight_map": {"w": shard}}).encode()
    table.add("ShardPath", index, message, name=INDEX)
index = text({"weight_map": {"w": "a"}}).encode()
message = "cannot open the file: No such file or directory"
table.add("CannotOpen", index, message, name=INDEX, at="a")
message = "tensor 'w': the index maps it to 'a', which does not contain it"
table.add("NotInShard", index, message, name=INDEX, beside={"a": write({})})
message = "tensor 'v': the index does not map it to this file"
files = {"a": write({"w": F32, "v": F32})}
table.add("NotInIndex", index, message, name=INDEX, at="a", beside=files)
message = "header: invalid JSON: expected an object, but got []"
table.add("BadJson", index, message, name=INDEX, at="a", beside={"a": pack("[]")})
message = "invalid JSON: expected an object, but got []"
table.add("BadJson", b"[]", message, name=INDEX)
table.add("BadJson", write({}), message, at="config.json", beside={"config.json": "[]"})
for config, key, expected, got in (
    ({"quant_method": 3}, "quant_method", "a string", 3),
    ({"checkpoint_format": []}, "checkpoint_format", "a string", []),
    ({"quant_method": "awq", "version": 1}, "version", "a string", 1),
    ({"bits": "4"}, "bits", "1 to 64", "4"),
    ({"bits": 0}, "bits", "1 to 64", 0),
    ({"bits": 65}, "bits", "1 to 64", 65),
    ({"weight_block_size": [128]}, "weight_block_size", "rows and columns", [128]),
    ({"weight_block_size": [0, 128]}, "weight_block_size", "rows and columns", [0, 128]),
    ({"weight_block_size": 128}, "weight_block_size", "rows and columns", 128),
    ({"config_groups": []}, "config_groups", "an object", []),
    ({"config_groups": {"g": {"weights": {"num_bits": -1}}}}, "num_bits", "1 to 64", -1),
    (
        {"config_groups": {"g": {"weights": {"block_structure": "128x128"}}}},
        "block_structure",
        "rows and columns",
        "128x128",
    ),
):
    message = f"quantization_config: {key}: expected {expected}, but got {text(got)}"
    beside = {"config.json": {"quantization_config": config}}
    table.add("BadConfig", write({}), message, at="config.json", beside=beside)
for config, message in (
    ("[]", "invalid JSON: expected an object, but got []"),
    ('{"bits": 0}', "quantization_config: bits: expected 1 to 64, but got 0"),
):
    diagnostic = "BadJson" if config == "[]" else "BadConfig"
    data = write({}, {"quantization_config": config})
    table.add(diagnostic, data, f"__metadata__: {message}")
# Metadata of several files.
index = text({"weight_map": {"v": "a", "w": "b"}}).encode()
configs = ({"quant_method": "gptq", "bits": 4}, {"quant_method": "gptq", "bits": 8})
spelled = [text(dict(sorted(config.items()))) for config in configs]
message = f"__metadata__: quantization_config: expected {spelled[0]}, as in another file, but got {spelled[1]}"
files = {
    file: write({tensor: F32}, {"quantization_config": text(config)})
    for file, tensor, config in zip("ab", "vw", configs, strict=True)
}
table.add("OtherConfig", index, message, name=INDEX, at="b", beside=files)
for values, file in ((("[]", "{}"), "a"), (("{}", "[]"), "b")):
    message = "__metadata__: invalid JSON: expected an object, but got []"
    files = {
        file: write({tensor: F32}, {"quantization_config": value})
        for file, tensor, value in zip("ab", "vw", values, strict=True)
    }
    table.add("BadJson", index, message, name=INDEX, at=file, beside=files)


# --- Weights of several tensors -------------------------------------------------------------------


def add(diagnostic, tensors, tensor, message, config=None, **more):
    beside = {"config.json": {"quantization_config": config}} if config else {}
    message = f"tensor '{tensor}': {message}"
    table.add(diagnostic, write(tensors), message, beside=beside, **more)


PACKED = {
    "a.weight_packed": zeros((2, 4)),
    "a.weight_scale": ones((2, 1)),
    "a.weight_shape": np.int64([2, 32]),
}
GPTQ = {
    "a.qweight": zeros((4, 16)),
    "a.qzeros": zeros((2, 2)),
    "a.scales": ones((2, 16), np.float16),
    "a.g_idx": np.int32([0] * 16 + [1] * 16),
}
AWQ = {
    "a.qweight": zeros((32, 2)),
    "a.qzeros": zeros((2, 2)),
    "a.scales": ones((2, 16), np.float16),
}
FLOAT4 = {"a.weight_packed": zeros((2, 16), np.uint8), "a.weight_scale": ones((2, 1), np.uint8)}
FLOAT8 = {"a.weight": Tensor("F8_E4M3", [4, 8], bytes(32)), "a.weight_scale": ones(())}
E4M3 = Tensor("F8_E4M3", [4, 8], bytes(32))
IS_GPTQ, IS_AWQ = {"quant_method": "gptq", "bits": 4}, {"quant_method": "awq", "bits": 4}

for parts, missing, dtypes in (
    (PACKED, "a.weight_shape", "I64 or I32"),
    (PACKED, "a.weight_scale", "F32 or F16 or BF16"),
    (GPTQ, "a.scales", "F32 or F16 or BF16"),
    (GPTQ, "a.qzeros", "I32"),
    (FLOAT4, "a.weight_scale", "U8 or F8_E8M0"),
):
    encodings = next(iter(parts))
    message = f"expected a tensor '{missing}' of dtype {dtypes}, but got "
    add("NoPart", {k: v for k, v in parts.items() if k != missing}, encodings, message + "nothing")
    add("NoPart", parts | {missing: ones(2, np.float64)}, encodings, message + "F64")
message = "it is part of a weight that also exists as 'a.weight'"
add("NameTaken", PACKED | {"a.weight": ones(3)}, "a.weight_packed", message)
message = "expected a nonempty part of a weight, but got the shape [2, 0]"
add("Empty", PACKED | {"a.weight_packed": zeros((2, 0))}, "a.weight_packed", message)
add("Empty", PACKED | {"a.weight_scale": ones((2, 0))}, "a.weight_scale", message)

for shape in ((3,), (8,), (4, 5), (2, 4, 1), (4, 9), (5, 8)):
    message = f"the shape {list(shape)} does not match a weight of [4, 8]"
    add("ScaleShape", FLOAT8 | {"a.weight_scale": ones(shape)}, "a.weight_scale", message)
message = "the shape [2, 1] does not match a weight of [4, 8]"
parts = {"a.weight": FLOAT8["a.weight"], "a.weight_scale_inv": ones((2, 1))}
blocks = {"quant_method": "fp8", "weight_block_size": [128, 128]}
add("ScaleShape", parts, "a.weight_scale_inv", message, blocks)
message = "expected the shape [4, 1], because 'a.weight_scale' has the shape [4, 1], but got [4]"
parts = {
    "a.weight": zeros((4, 8), np.int8),
    "a.weight_scale": ones((4, 1)),
    "a.weight_zero_point": zeros(4, np.int8),
}
add("PartShape", parts, "a.weight_zero_point", message)
message = "expected zeros, but got 3"
parts = FLOAT8 | {"a.weight_zero_point": np.int8([3])}
add("FloatZeroPoint", parts, "a.weight_zero_point", message)
for dtype in ("I8", "F8_E4M3"):
    message = (
        "expected the shape [4, 1], because 'a.weight_scale' has the shape [4, 1], but got [7]"
    )
    parts = {
        "a.weight": E4M3,
        "a.weight_scale": ones((4, 1)),
        "a.weight_zero_point": Tensor(dtype, [7], bytes(7)),
    }
    add("PartShape", parts, "a.weight_zero_point", message)
message = "expected a tensor 'a.weight_zero_point' of dtype I8, but got F8_E4M3"
for shape in ([4, 1], [7]):
    parts = {
        "a.weight": zeros((4, 8), np.int8),
        "a.weight_scale": ones((4, 1)),
        "a.weight_zero_point": Tensor("F8_E4M3", shape, bytes(shape[0])),
    }
    add("NoPart", parts, "a.weight", message)
# 6-bit values, 4 in 3 bytes, are not 4-bit values.
message = (
    "expected the shape [2, 4], because 'a.weight_packed' has the shape [2, 64], but got [2, 2]"
)
parts = {"a.weight_packed": zeros((2, 64), np.uint8), "a.weight_scale": ones((2, 2), np.uint8)}
add("PartShape", parts, "a.weight_scale", message)
message = "the shape [2, 2] does not match a weight of [2, 96]"
parts = {"a.weight_packed": zeros((2, 24), np.uint8), "a.weight_scale": ones((2, 1), np.uint8)}
add("ScaleShape", parts, "a.weight_scale", message.replace("[2, 2]", "[2, 1]").replace("96", "48"))
message = "the shape [] does not match a weight of []"
parts = {"a.weight_packed": zeros((), np.uint8), "a.weight_scale": ones((), np.uint8)}
add("ScaleShape", parts, "a.weight_scale", message)
message = "scale 1 is 255, which is NaN in f8E8M0FNU"
parts = FLOAT4 | {"a.weight_scale": np.uint8([[127], [255]])}
add("NanScale", parts, "a.weight_scale", message)
message = "expected the shape [1], because 'a.weight_scale' has the shape [2, 1], but got [2]"
parts = {
    "a.weight_packed": zeros((2, 8), np.uint8),
    "a.weight_scale": Tensor("F8_E4M3", [2, 1], bytes(2)),
    "a.weight_global_scale": ones(2),
}
add("PartShape", parts, "a.weight_global_scale", message)
for shape in ((1, 3), (2, 2)):
    message = f"expected the shape [1, 2], because 'w_blocks' has the shape [1, 2, 16], but got {list(shape)}"
    parts = {"w_blocks": zeros((1, 2, 16), np.uint8), "w_scales": ones(shape, np.uint8)}
    add("PartShape", parts, "w_scales", message)
for shape in ((2, 8), (16,), (4, 32)):
    spelled = [*shape[:-1], 2 * shape[-1]]
    message = f"the shape {list(shape[:-1])} does not match a weight of {spelled}"
    parts = {"w_blocks": zeros(shape, np.uint8), "w_scales": ones(shape[:-1], np.uint8)}
    add("ScaleShape", parts, "w_scales", message)

for shape in ([3, 32], [2, 0], [2, -1], [2, 2**40]):
    message = f"expected two sizes that match 'a.weight_packed' of shape [2, 4], but got {shape}"
    add("WeightShape", PACKED | {"a.weight_shape": np.int64(shape)}, "a.weight_shape", message)
message = "expected two sizes that match 'a.weight_packed' of shape [2, 4], but got [3]"
add("WeightShape", PACKED | {"a.weight_shape": np.int64([2, 32, 1])}, "a.weight_shape", message)
message = "bits per quantized value: expected one of [2, 4, 8] that match '[2, 4]', but got no value in config.json"
add("NoBits", PACKED | {"a.weight_shape": np.int64([2, 9])}, "a.weight_packed", message)
message = "bits per quantized value: expected one of [2, 4, 8] that match '[2, 4]', but got [3]"
config = {"config_groups": {"g": {"weights": {"num_bits": 3}}}}
add("NoBits", PACKED, "a.weight_packed", message, config)
message = "expected the shape [32], because 'a.weight_shape' has the shape [2], but got [31]"
parts = PACKED | {"a.weight_scale": ones((2, 2)), "a.weight_g_idx": zeros(31)}
add("PartShape", parts, "a.weight_g_idx", message)
message = "expected the shape [1, 1], because 'a.weight_scale' has the shape [2, 1], but got [2, 1]"
add("PartShape", PACKED | {"a.weight_zero_point": zeros((2, 1))}, "a.weight_zero_point", message)
message = "the shape [1, 1] does not match a weight of [2, 32]"
parts = PACKED | {"a.weight_scale": ones(1), "a.weight_zero_point": zeros((1, 1))}
add("ScaleShape", parts, "a.weight_zero_point", message)
for groups, index, got in (([0] * 31 + [2], 31, 2), ([-2] + [0] * 31, 0, -2)):
    message = f"element {index} of g_idx: expected a group from 0 to 1, but got {got}"
    parts = PACKED | {"a.weight_scale": ones((2, 2)), "a.weight_g_idx": np.int32(groups)}
    add("BadGroup", parts, "a.weight_g_idx", message)
# Per-tensor, per-row and block scales may have group indices, too.
for scale, last in ((ones(()), 0), (ones((2, 1)), 0), (ones(2), 0), (ones((1, 2)), 1)):
    parts = PACKED | {"a.weight_scale": scale}
    for groups, index, got in (
        ([0] * 31 + [9], 31, 9),
        ([-1] + [0] * 31, 0, -1),
        ([2**31 - 1] * 32, 0, 2**31 - 1),
        ([0, 1] * 16, 1, 1),
    ):
        message = f"element {index} of g_idx: expected a group from 0 to {last}, but got {got}"
        if got <= last and got >= 0:
            continue
        add("BadGroup", parts | {"a.weight_g_idx": np.int32(groups)}, "a.weight_g_idx", message)
parts = PACKED | {"a.weight_scale": ones((1, 2)), "a.weight_g_idx": np.int32([0] * 31 + [1])}
message = "group 0 of g_idx has 31 elements, but a group has 16"
add("UnevenGroups", parts, "a.weight_g_idx", message)
message = "group 0 of g_idx has 31 elements, but a group has 16"
add("UnevenGroups", GPTQ | {"a.g_idx": np.int32([0] * 31 + [1])}, "a.g_idx", message, IS_GPTQ)

for config, got in ((None, ""), ({"quant_method": "auto-round"}, "auto-round")):
    message = (
        "quant_method in config.json determines its layout: expected 'gptq' or 'awq', "
        f"but got '{got}'"
    )
    add("NoMethod", GPTQ, "a.qweight", message, config)
for config, key, got in (
    (IS_GPTQ | {"checkpoint_format": "marlin"}, "checkpoint_format", "marlin"),
    (IS_AWQ | {"version": "gemv"}, "version", "gemv"),
):
    message = f"{key} '{got}' is not supported"
    add("BadFormat", GPTQ, "a.qweight", message, config)
message = "bits per quantized value: expected one of [2, 4, 8] that match '[4, 16]', but got [3]"
add("NoBits", GPTQ, "a.qweight", message, IS_GPTQ | {"bits": 3})
message = "bits per quantized value: expected one of [4] that match '[4, 16]', but got [4]"
add("NoBits", GPTQ, "a.qweight", message, IS_AWQ)
message = "the shape [16] does not match a weight of [4, 16]"
add("ScaleShape", GPTQ | {"a.scales": ones(16)}, "a.scales", message, IS_GPTQ)
message = "expected the shape [2, 2], because 'a.scales' has the shape [2, 16], but got [1, 2]"
add("PartShape", AWQ | {"a.qzeros": zeros((1, 2))}, "a.qzeros", message, IS_AWQ)
message = "expected the shape [32], because 'a.qweight' has the shape [4, 16], but got [16]"
add("PartShape", GPTQ | {"a.g_idx": zeros(16)}, "a.g_idx", message, IS_GPTQ)
message = (
    "the zero point 15 of 4 bits is stored minus one, "
    "which some programs read as 0 and others as 16"
)
add("ZeroPoint", GPTQ | {"a.qzeros": zeros((2, 2)) - 1}, "a.qzeros", message, IS_GPTQ)

# Ambiguous block sizes.
for part, weight, scale, block, size in (
    ("weight_scale", (192, 256), (2, 2), "96 to 191", 192),
    ("weight_scale", (256, 200), (2, 2), "100 to 199", 200),
    ("weight_scale_inv", (40, 256), (2, 2), "20 to 39", 40),
    ("weight_scale", (8, 192), (8, 2), "96 to 191", 192),
    ("weight_scale", (4, 8), (4, 3), "3", 8),
):
    message = (
        f"the shape {list(scale)} for a weight of {list(weight)}: blocks of {block} of {size} "
        "elements match; expected the block size in config.json"
    )
    encodings = Tensor("F8_E4M3", list(weight), bytes(weight[0] * weight[1]))
    parts = {"a.weight": encodings, f"a.{part}": ones(scale)}
    add("AmbiguousBlocks", parts, f"a.{part}", message)
message = (
    "the shape [2, 16] for a weight of [16, 192]: blocks of 96 to 191 of 192 "
    "elements match; expected the block size in config.json"
)
parts = {
    "a.qweight": zeros((24, 16)),
    "a.qzeros": zeros((2, 2)),
    "a.scales": ones((2, 16), np.float16),
}
add("AmbiguousBlocks", parts, "a.scales", message, IS_GPTQ)
for size, got in ((-2, "-2"), ("32", '"32"'), (1.5, "1.5")):
    message = f"quantization_config: group_size: expected -1 or more, but got {got}"
    beside = {"config.json": {"quantization_config": IS_GPTQ | {"group_size": size}}}
    table.add("BadConfig", write(GPTQ), message, at="config.json", beside=beside)
message = "no config.json specifies the block size, assuming 128 by 128"
encodings = Tensor("F8_E4M3", [192, 256], bytes(192 * 256))
parts = {"a.weight": encodings, "a.weight_scale_inv": ones((2, 2))}
add("AssumedBlocks", parts, "a.weight_scale_inv", message, severity="warning")

# Tensors next to scales that match no layout.
for parts, stray in (
    ({"a.weight": zeros((4, 8), np.uint8), "a.scale": ones(4)}, "a.scale"),
    ({"a.weight": ones((4, 8)), "a.weight_scale": ones(4)}, "a.weight_scale"),
    ({"a.weight": ones((4, 8), np.float16), "a.weight.absmax": ones(4)}, "a.weight.absmax"),
    ({"a.weight": zeros((4, 8), np.int8), "a.weight_scales": ones(4)}, "a.weight_scales"),
    ({"a.W_q": zeros((4, 8), np.uint8), "a.zero": ones(4), "a.scale": ones(4)}, "a.scale"),
    ({"a.codes": zeros((4, 8), np.int16), "a.codebooks": ones((1, 4))}, "a.codebooks"),
    ({"a.qweight": zeros((4, 8), np.int8), "a.wscales": ones((1, 4))}, "a.wscales"),
    ({"a.weight": E4M3, "a.weight_scaling_factor": ones(4)}, "a.weight_scaling_factor"),
    ({"a.weight": E4M3, "a.weight_quantizer._scale": ones(4)}, "a.weight_quantizer._scale"),
    ({"a.w13_qweight": zeros((4, 8), np.int16), "a.w13_scales": ones(4)}, "a.w13_scales"),
    ({"w_blocks": zeros((4, 8), np.uint8), "w_scales": ones(4)}, "w_scales"),
    ({"weight": zeros((4, 8), np.uint8), "SCB": ones(4)}, "SCB"),
    ({"a.weight": zeros((4, 8), np.uint8), "a.weight_zero_point": ones(4)}, "a.weight_zero_point"),
):
    encodings = next(iter(parts))
    kinds = [make_tensor(part) if isinstance(part, np.ndarray) else part for part in parts.values()]
    types = dict(zip(parts, kinds, strict=True))
    message = (
        f"{types[encodings].dtype} of {types[encodings].shape} with '{stray}', "
        f"{types[stray].dtype} of {types[stray].shape}: expected a supported layout of quantized weights"
    )
    if "w_blocks" in parts:
        message = "expected a tensor 'w_scales' of dtype U8 or F8_E8M0, but got F32"
        add("NoPart", parts, encodings, message)
    else:
        add("UnknownLayout", parts, encodings, message)
for encodings, scale, dtypes in (
    (E4M3, ones(4, np.float64), "U8 or F8_E8M0 or F32 or F16 or BF16"),
    (zeros((4, 8), np.int8), ones(4, np.float64), "F32 or F16 or BF16"),
    (zeros((4, 8), np.int8), ones(4, np.uint8), "F32 or F16 or BF16"),
    (zeros((4, 8), np.uint8), zeros(4), "F8_E4M3 or U8 or F8_E8M0 or F32 or F16 or BF16"),
):
    got = make_tensor(scale).dtype
    message = f"expected a tensor 'a.weight_scale' of dtype {dtypes}, but got {got}"
    add("NoPart", {"a.weight": encodings, "a.weight_scale": scale}, "a.weight", message)
message = "expected a tensor 'a.SCB' of dtype F32, but got F16"
parts = {"a.weight": zeros((4, 8), np.int8), "a.SCB": ones(4, np.float16)}
add("NoPart", parts, "a.weight", message)
for more in ("a.weight_scale_2", "a.weight_scale_inv", "a.scale_weight"):
    message = (
        f"F8_E4M3 of [4, 8]: '{more}', F32 of [1], is not part of the layout of the other tensors"
    )
    add("StrayScale", FLOAT8 | {more: ones(1)}, "a.weight", message)
# Zero points that the layout does not support.
ZERO_WORDS = ("offset", "offsets", "zero", "zeros", "zp", "zps", "zeropoint", "shift", "shifts")
I8 = zeros((4, 8), np.int8)
FLOAT4_OF_TWO = {
    "a.weight_packed": zeros((2, 8), np.uint8),
    "a.weight_scale": Tensor("F8_E4M3", [2, 1], bytes(2)),
    "a.weight_global_scale": ones(1),
}
for parts, config in (
    ({"a.weight": I8, "a.weight_scale": ones((4, 1))}, None),
    ({"a.weight": I8, "a.SCB": ones(4)}, None),
    (FLOAT8, None),
    (PACKED, None),
    (FLOAT4_OF_TWO, None),
    (GPTQ, IS_GPTQ),
):
    encodings = next(iter(parts))
    tensor = (
        parts[encodings]
        if encodings == "a.weight" and parts is FLOAT8
        else make_tensor(parts[encodings])
    )
    for word in ZERO_WORDS:
        for name in (f"a.weight_{word}", f"a.{word}_weight", f"a.weight.{word}"):
            for value in (ones((4, 1)), np.int8([[0], [0], [0], [-3]])):
                stray = make_tensor(value)
                message = (
                    f"{tensor.dtype} of {tensor.shape}: '{name}', {stray.dtype} of "
                    "[4, 1], is not part of the layout of the other tensors"
                )
                add("StrayScale", parts | {name: value}, encodings, message, config)
for word in ZERO_WORDS:
    message = f"I8 of [4, 8] with 'a.weight_{word}', F32 of [4]: expected a supported layout of quantized weights"
    add("UnknownLayout", {"a.weight": I8, f"a.weight_{word}": ones(4)}, "a.weight", message)
# Two scalings of one weight.
for stray in (ones(4), ones(4, np.float16)):
    dtype = make_tensor(stray).dtype
    message = (
        f"I8 of [4, 8]: 'a.SCB', {dtype} of [4], is not part of the layout of the other tensors"
    )
    parts = {"a.weight": I8, "a.weight_scale": ones((4, 1)), "a.SCB": stray}
    add("StrayScale", parts, "a.weight", message)
# One rule for 255, for both types of scales.
for dtype in ("U8", "F8_E8M0"):
    for suffix in ("weight_scale", "weight_scale_inv"):
        scale = Tensor(dtype, [1, 2], bytes([127, 255]))
        encodings = Tensor("F8_E4M3", [1, 64], bytes(64))
        message = "scale 1 is 255, which is NaN in f8E8M0FNU"
        parts = {"a.weight": encodings, f"a.{suffix}": scale}
        add("NanScale", parts, f"a.{suffix}", message)
message = "the shape [3, 2] does not match a weight of [8, 32]"
parts = {"a.weight": zeros((4, 32), np.uint8), "a.weight_scale": ones((3, 2))}
add("ScaleShape", parts, "a.weight_scale", message)
message = "the shape [8] does not match a weight of [8, 32]"
add("ScaleShape", parts | {"a.weight_scale": ones(8)}, "a.weight_scale", message)
message = "the shape [2, 4] does not match a weight of [2, 8, 64]"
encodings = Tensor("F8_E4M3", [2, 8, 64], bytes(1024))
for part in ("w2_weight", "w13_weight"):
    parts = {part: encodings, f"{part}_scale": ones((2, 4))}
    add("ScaleShape", parts, f"{part}_scale", message)

# ComfyUI's metadata of layers.
for format, spelled in (
    ({"format": "nvfp4"}, "nvfp4"),
    ({"format": "float8_e5m2"}, "float8_e5m2"),
    ({"format": "float8_e4m3fn", "convrot": True}, "float8_e4m3fn with convrot"),
    ({"format": "int8_tensorwise", "params": {"convrot": True}}, "int8_tensorwise with convrot"),
):
    message = f"ComfyUI's format '{spelled}' is not supported"
    add("BadFormat", FLOAT8 | {"a.comfy_quant": to_bytes(format)}, "a.weight", message)
    for layer in ("a", "net.a"):
        metadata = {"_quantization_metadata": json.dumps({"layers": {"a": format}})}
        prefix = layer.removesuffix("a")
        parts = {prefix + name: part for name, part in FLOAT8.items()}
        table.add("BadFormat", write(parts, metadata), f"tensor '{prefix}a.weight': {message}")
for value, got in ({"form": "nvfp4"}, '{"form":"nvfp4"}'), ({"format": 3}, '{"format":3}'):
    message = f"layer 'a': expected an object with a string 'format', but got {got}"
    parts = FLOAT8 | {"a.comfy_quant": to_bytes(value)}
    add("BadLayerFormat", parts, "a.comfy_quant", message)
for value in (1, 0, "true", [], 1.5):
    for format in (
        {"format": "float8_e4m3fn", "convrot": value},
        {"format": "float8_e4m3fn", "params": {"convrot": value}},
    ):
        message = f"layer 'a': expected true or false as 'convrot', but got {text(value)}"
        add(
            "BadLayerFormat", FLOAT8 | {"a.comfy_quant": to_bytes(format)}, "a.comfy_quant", message
        )
        metadata = {"_quantization_metadata": text({"layers": {"a": format}})}
        message = f"_quantization_metadata: {message}"
        table.add("BadLayerFormat", write(FLOAT8, metadata), message)
    format = {"format": "float8_e4m3fn", "params": value}
    message = f"layer 'a': expected an object as 'params', but got {text(value)}"
    add("BadLayerFormat", FLOAT8 | {"a.comfy_quant": to_bytes(format)}, "a.comfy_quant", message)
message = "layer 'a': expected U8, but got I8"
parts = FLOAT8 | {"a.comfy_quant": to_bytes({"format": "float8_e4m3fn"}).view(np.int8)}
add("BadLayerFormat", parts, "a.comfy_quant", message)
for layers in ([], [{"a": {"format": "nvfp4"}}], "a", 3, None, True):
    data = write(FLOAT8, {"_quantization_metadata": text({"layers": layers})})
    message = f"_quantization_metadata: layers: expected an object, but got {text(layers)}"
    table.add("BadLayerFormat", data, message)
for metadata in ({}, {"layer": {"a": {"format": "nvfp4"}}}):
    data = write(FLOAT8, {"_quantization_metadata": text(metadata)})
    message = "_quantization_metadata: layers: expected an object, but got nothing"
    table.add("BadLayerFormat", data, message)
for layer in ("b", "", "a.weight", "x.a", "a."):
    message = f"_quantization_metadata: layer '{layer}': expected the layer of a tensor, but got no tensor of this name"
    layers = {"layers": {layer: {"format": "float8_e4m3fn"}}}
    data = write(FLOAT8, {"_quantization_metadata": text(layers)})
    table.add("BadLayerFormat", data, message)
# The number of a name's prefixes is that of its dots. Only the lengths of known layers are looked
# up.
message = "_quantization_metadata: layer 'a': expected the layer of a tensor, but got no tensor of this name"
metadata = {"_quantization_metadata": text({"layers": {"a": "float8_e5m2"}})}
table.add("BadLayerFormat", write({"." * 300_000 + "weight": F32}, metadata), message)
message = (
    "layer 'a': expected 'float8_e5m2', as elsewhere in the checkpoint, but got 'float8_e4m3fn'"
)
metadata = {"_quantization_metadata": text({"layers": {"a": "float8_e5m2"}})}
parts = FLOAT8 | {"a.comfy_quant": to_bytes({"format": "float8_e4m3fn"})}
data = write(parts, metadata)
table.add("BadLayerFormat", data, f"tensor 'a.comfy_quant': {message}")
# The metadata of several files are combined.
index = text({"weight_map": dict.fromkeys(FLOAT8, "a") | {"w": "b"}}).encode()
for of_last in ({}, {"_quantization_metadata": text({"layers": {"w": "other"}})}):
    metadata = {"_quantization_metadata": text({"layers": {"a": {"format": "nvfp4"}}})}
    files = {"a": write(FLOAT8, metadata), "b": write({"w": F32}, of_last)}
    message = "tensor 'a.weight': ComfyUI's format 'nvfp4' is not supported"
    table.add("BadFormat", index, message, name=INDEX, at="a", beside=files)
message = "invalid JSON: [1:0, byte=0]: Unexpected EOF"
add("BadJson", FLOAT8 | {"a.comfy_quant": zeros(0, np.uint8)}, "a.comfy_quant", message)
table.add(
    "BadJson",
    write(FLOAT8, {"_quantization_metadata": "[]"}),
    "_quantization_metadata: invalid JSON: expected an object, but got []",
)

# bitsandbytes.
STATE = {"quant_type": "nf4", "blocksize": 32, "dtype": "float16", "shape": [4, 32]}
NESTED = {"nested_blocksize": 256, "nested_dtype": "float32", "nested_offset": 0.5}
NAME = "a.weight.quant_state.bitsandbytes__nf4"
TABLE = {
    "a.weight": zeros((64, 1), np.uint8),
    "a.weight.absmax": ones(4),
    "a.weight.quant_map": NF4,
    NAME: to_bytes(STATE),
}
INNER = TABLE | {
    "a.weight.absmax": zeros(4, np.uint8),
    "a.weight.nested_absmax": ones(1),
    "a.weight.nested_quant_map": ones(256),
    NAME: to_bytes(STATE | NESTED),
}


def without(parts, *names):
    return {name: part for name, part in parts.items() if name not in names}


def add_state(key, expected, *values, parts=TABLE, state=STATE):
    for value in values:
        changed = state | {key: value}
        if value is None:
            del changed[key]
        got = "nothing" if value is None else text(value)
        message = f"{key}: expected {expected}, but got {got}"
        add("BadState", parts | {NAME: to_bytes(changed)}, NAME, message)


FP4_NAME = NAME.replace("nf4", "fp4")
for parts, got in ((without(TABLE, NAME), "none"), (TABLE | {FP4_NAME: to_bytes(STATE)}, "both")):
    message = f"expected one of the tensors '{NAME}' and '{FP4_NAME}', but got {got}"
    add("StateCount", parts, "a.weight", message)
add_state("quant_type", "nf4", "fp4", "af4", 4, None)
add_state("dtype", "float32 or float16 or bfloat16", "float64", None)
add_state("blocksize", "1 to 1048576", 0, -64, 2**20 + 1, 64.5, "64", None)
shapes = ([4, 33], [4, 16], [0], [], [-4, -32], [2**40, 2**40], [4.5], 128, None)
add_state("shape", "sizes of 128 elements or up to 1 less", *shapes)
nested = {"parts": INNER, "state": STATE | NESTED}
add_state("nested_offset", "a float", "0.5", None, **nested)
message = f"nested_offset: expected a float, but got {1e39:.17g}"
state = to_bytes(STATE | NESTED | {"nested_offset": 1e39})
add("BadState", INNER | {NAME: state}, NAME, message)
message = f"shape: expected sizes of 128 elements or up to 1 less, but got [{'1,' * 49}1..."
add("BadState", TABLE | {NAME: to_bytes(STATE | {"shape": [1] * 65})}, NAME, message)
add_state("nested_blocksize", "1 to 1048576", 0, None, **nested)
add_state("nested_dtype", "float32", "float16", None, **nested)
message = "the key 'compress' is not supported"
add("UnknownKey", TABLE | {NAME: to_bytes(STATE | {"compress": 1, "zip": 2})}, NAME, message)
for data, message in (
    (b"{", "invalid JSON: [1:1, byte=1]: Expected object key"),
    (b"[1]", "invalid JSON: expected an object, but got [1]"),
    (b"\xff", "invalid JSON: [1:0, byte=0]: Invalid UTF-8 sequence"),
):
    add("BadJson", TABLE | {NAME: np.frombuffer(data, np.uint8)}, NAME, message)
message = "brackets are nested more than 64 deep"
add("DeepJson", TABLE | {NAME: np.frombuffer(b"[" * 999, np.uint8)}, NAME, message)
message = "expected the shape [4], because 'a.weight' has the shape [64, 1], but got [3]"
add("PartShape", TABLE | {"a.weight.absmax": ones(3)}, "a.weight.absmax", message)
message = "expected the shape [16], because 'a.weight' has the shape [64, 1], but got [15]"
add("PartShape", TABLE | {"a.weight.quant_map": NF4[1:]}, "a.weight.quant_map", message)
message = "expected the shape [1], because 'a.weight.absmax' has the shape [4], but got [2]"
add("PartShape", INNER | {"a.weight.nested_absmax": ones(2)}, "a.weight.nested_absmax", message)
message = "expected the shape [256], because 'a.weight.absmax' has the shape [4], but got [255]"
parts = INNER | {"a.weight.nested_quant_map": ones(255)}
add("PartShape", parts, "a.weight.nested_quant_map", message)
for part in ("a.weight.nested_absmax", "a.weight.nested_quant_map"):
    message = f"expected a tensor '{part}' of dtype F32, but got nothing"
    add("NoPart", without(INNER, part), "a.weight.absmax", message)
message = "expected U8, because 'a.weight.nested_absmax' exists, but got F32"
add("NestedType", INNER | {"a.weight.absmax": ones(4)}, "a.weight.absmax", message)
for index, value, expected, got in (
    (0, 1, "-1", "1"),
    (7, np.nan, "0", "NaN"),
    (8, 0.0796, "0.0795802995", "0.0795999988"),
):
    message = f"element {index} of the table: expected {expected}, as in nf4, but got {got}"
    table_of = NF4.copy()
    table_of[index] = value
    add("TableValue", TABLE | {"a.weight.quant_map": table_of}, "a.weight.quant_map", message)
ROWS = {"a.weight": zeros((4, 8), np.int8), "a.SCB": ones(4)}
for format in (np.uint8(2).reshape(()), np.uint8([0, 0])):
    message = (
        f"expected one 0, the format 'row', but got {format.flat[0]} of shape {list(format.shape)}"
    )
    add("RowFormat", ROWS | {"a.weight_format": format}, "a.weight_format", message)
message = "expected the shape [4], because 'a.weight' has the shape [4, 8], but got [4, 1]"
add("PartShape", ROWS | {"a.SCB": ones((4, 1))}, "a.SCB", message)
message = "the shape [1] does not match a weight of []"
add("ScaleShape", {"a.weight": zeros((), np.int8), "a.SCB": ones(1)}, "a.SCB", message)

problems = table.run()
# Weights/Common/refused.py covers the diagnostics after that line.
elsewhere = {*ELSEWHERE, *read_diagnostics(pathlib.Path(sys.argv[3]), "// Export.")}
absent = set(table.diagnostics) - table.covered - elsewhere
problems += [f"no case for the diagnostic {name}" for name in sorted(absent)]

# A shard may be a link, as in model caches, but not a device. A pipe has no sibling files.
place = table.folder / "links"
place.mkdir()
(place / INDEX).write_text(text({"weight_map": {"w": "a"}}))
(place / "blob").write_bytes(write({"w": F32}))
for target, status in (("blob", 0), ("/dev/zero", 1)):
    (place / "a").unlink(missing_ok=True)
    os.symlink(target, place / "a")
    command = [table.translate, "--import-safetensors", place / INDEX, "-o", os.devnull]
    assert subprocess.run(command, capture_output=True).returncode == status, target
command = [table.translate, "--import-safetensors", "-", "-o", os.devnull]
assert subprocess.run(command, input=write({"w": F32})).returncode == 0
piped = subprocess.run(command, input=write(GPTQ), capture_output=True)
assert b"quant_method" in piped.stderr, piped

assert len(table.cases) >= 120, len(table.cases)
print(f"{len(table.cases)} cases")
sys.exit("\n".join(problems) if problems else 0)
