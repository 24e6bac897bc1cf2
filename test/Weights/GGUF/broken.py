# Files with one error each, with the exact message. Every diagnostic of the importer has a case
# here or is listed with the reason.
# RUN: rm -rf %t && env PYTHONPATH=%S/Inputs:%S/../../ONNX/Inputs %python %s %t quant-float-translate %src_root/lib/Weights/GGUF/Diagnostics.def
import pathlib
import struct
import sys

from cases import Table, read_diagnostics
from files import BLOCKS, Tensor, make_tensor, write
from gguf import GGMLQuantizationType

# Importers other than ONNX's use upstream's driver, which opens the file, and there is enough
# memory.
ELSEWHERE = ("CannotOpen", "NoMemory")


class GgufTable(Table):
    option, suffix = "--import-gguf", ".gguf"


table = GgufTable(*sys.argv[1:4])
# Formats without blocks, and those that ggml has removed, whose names are in its history.
PLAIN = ("F32", "F16", "I8", "I16", "I32", "I64", "F64", "BF16")
GONE = {4: "Q4_2", 5: "Q4_3"}
GONE |= {31: "Q4_0_4_4", 32: "Q4_0_4_8", 33: "Q4_0_8_8"}
GONE |= {36: "IQ4_NL_4_4", 37: "IQ4_NL_4_8", 38: "IQ4_NL_8_8"}
F32 = Tensor("w", 0, (2, 3), bytes(24))
WHOLE = write([F32])

# --- The file -------------------------------------------------------------------------------------

message = "not a GGUF file: it does not begin with 'GGUF'"
for data in (b"", b"GGU", b"GGML" + WHOLE[4:], b"\x08\x07", b"{}"):
    table.add("NotGguf", data, message)
message = "GGUF version 3 of a big-endian machine is not supported"
table.add("BigEndian", write(version=3 << 24), message)
for version in (0, 1, 4):
    message = f"GGUF version: expected 2 or 3, but got {version}"
    table.add("BadVersion", write(version=version), message)
for size, what in (
    (4, "the header"),
    (7, "the header"),
    (23, "the header"),
    (30, "a tensor's name"),
    (32, "a tensor's name"),
    (35, "tensor 'w'"),
    (52, "tensor 'w'"),
    (60, "tensor 'w'"),
):
    # The counts fit into the file, unlike those of the first cases.
    data = WHOLE[:size] if size < 24 else write([F32], counts=(1, 0))[:size]
    if size >= 24 and size - 24 < 24:
        message = f"1 tensors exceed the {size - 24} bytes that follow"
        table.add("BadCount", data, message)
    else:
        table.add("Truncated", data, f"the file ends at byte {size}, within {what}")
message = "18446744073709551615 tensors exceed the 0 bytes that follow"
table.add("BadCount", write(counts=(2**64 - 1, 0))[:24], message)
message = "4611686018427387904 keys exceed the 8 bytes that follow"
table.add("BadCount", write(counts=(0, 2**62)), message)
size = len(write([], {"key": struct.pack("<IIQ", 9, 5, 2**61)}))
behind = size - 24 - 8 - 3 - 4 - 4 - 8
message = f"2305843009213693952 values of 'key' exceed the {behind} bytes that follow"
table.add("BadCount", write([], {"key": struct.pack("<IIQ", 9, 5, 2**61)}), message)
data = write([], {"key": struct.pack("<IQ", 8, 2**63)})
message = f"the file ends at byte {len(data)}, within the value of 'key'"
table.add("Truncated", data, message)
data = write(counts=(0, 1))[:24] + struct.pack("<QQ", 2**64 - 1, 0)
table.add("Truncated", data, f"the file ends at byte {len(data)}, within a key")
for kind in (13, 2**32 - 1):
    message = f"value of 'key': expected a type from 0 to 12, but got {kind}"
    table.add("BadValueType", write([], {"key": struct.pack("<I", kind) + bytes(8)}), message)
    data = write([], {"key": struct.pack("<IIQ", 9, kind, 1) + bytes(8)})
    table.add("BadValueType", data, message)
message = "value of 'key': arrays of arrays are not supported"
table.add("NestedArray", write([], {"key": struct.pack("<IIQ", 9, 9, 1) + bytes(16)}), message)
message = "the key 'key' is given more than once"
table.add("DuplicateKey", write([], [("key", 1), ("key", 2)]), message)
for alignment, got in ((0, 0), (48, 48), ("32", 0)):
    message = f"general.alignment: expected a power of two in 32 bits, but got {got}"
    table.add("BadAlignment", write([], {"general.alignment": alignment}), message)

# --- Tensors --------------------------------------------------------------------------------------

message = "tensor 'w': the name is given more than once"
table.add("DuplicateTensor", write([F32, F32]), message)
for rank in (65, 2**20):
    data = write([F32._replace(dims=(1,) * 65)])
    data = data.replace(struct.pack("<I", 65), struct.pack("<I", rank), 1)
    message = f"tensor 'w': expected at most 64 dimensions, but got {rank}"
    table.add("HighRank", data, message)
for dims, spelled in (
    ((2**40, 2**40), "[1099511627776, 1099511627776]"),
    ((2**64 - 1,), "[9223372036854775807]"),
    ((2, 2**63), "[2, 9223372036854775807]"),
):
    if dims == (2**64 - 1,):
        # The maximum of int64_t, which exceeds the file.
        message = (
            "tensor 'w': bytes 0 to 18446744073709551615 of the data are needed, but it has 32"
        )
        table.add("OutOfBounds", write([F32._replace(dims=dims)]), message)
        continue
    message = f"tensor 'w': the shape {spelled} has too many elements"
    table.add("HugeShape", write([F32._replace(dims=dims)]), message)
for number in range(42):
    name = {member.value: member.name for member in GGMLQuantizationType}.get(number)
    # Formats that the package no longer names.
    name = name or GONE.get(number)
    if number not in BLOCKS and name not in PLAIN:
        message = f"tensor 'w': format {name} ({number}) is not supported"
        table.add("UnknownFormat", write([F32._replace(format=number)]), message)
for number in (42, 256, 2**32 - 1):
    message = f"tensor 'w': format {number} is not supported"
    table.add("UnknownFormat", write([F32._replace(format=number)]), message)
for number, name in ((2, "Q4_0"), (12, "Q4_K"), (39, "MXFP4"), (40, "NVFP4")):
    elements = BLOCKS[number][0]
    for dims in ((), (1,), (elements, elements - 1), (2 * elements, elements // 2)):
        row = dims[-1] if dims else 1
        message = f"tensor 'w': a row of {row} elements is not a whole number of {name} blocks, which have {elements} elements"
        table.add("PartialBlock", write([F32._replace(format=number, dims=dims)]), message)
message = "tensor 'w': the data begins at 8, which is not a multiple of 32"
table.add("Misaligned", write([F32._replace(offset=8)]), message)
for offset in (32, 2**63, 2**64 - 32):
    end = min(offset + 24, 2**64 - 1)
    message = f"tensor 'w': bytes {offset} to {end} of the data are needed, but it has 32"
    table.add("OutOfBounds", write([F32._replace(offset=offset)]), message)
message = "tensor 'w': bytes 0 to 216 of the data are needed, but it has 192"
table.add("OutOfBounds", write([make_tensor("w", 2, (12, 32), bytes(180))]), message)
message = "tensor 'v': its data overlaps the data of tensor 'w'"
wide = Tensor("w", 0, (16,), bytes(64))
table.add("Overlap", write([wide, F32._replace(name="v", offset=32)]), message)
table.add("Overlap", write([F32, F32._replace(name="v", offset=0)]), message)
message = "tensor 'w': the scale of block 1 is 255, which is NaN in f8E8M0FNU"
data = bytes([127]) + bytes(16) + bytes([255]) + bytes(16)
table.add("NanScale", write([make_tensor("w", 39, (64,), data)]), message)
message = "tensor 'w': the scale of group 6 is 255, which ggml reads as 480, more than f8E4M3FN can represent"
data = bytes(36) + bytes([0x7F, 0x80, 255, 0]) + bytes(32)
table.add("WideScale", write([make_tensor("w", 40, (128,), data)]), message)
message = "tensor 'w': bytes 0 to 72 of the data are needed, but it has 64"
table.add("OutOfBounds", write([make_tensor("w", 40, (2, 64), bytes(60))]), message)
WEIGHT, SCALE = make_tensor("a.weight", 40, (2, 64)), Tensor("a.scale", 0, (1,), bytes(4))
for scale, spelled, got in (
    (SCALE._replace(dims=(2,), data=bytes(8)), "[2]", "F32 (0)"),
    (SCALE._replace(dims=(0,), data=b""), "[0]", "F32 (0)"),
    (SCALE._replace(format=1), "[1]", "F16 (1)"),
    (make_tensor("a.scale", 40, (64,)), "[64]", "NVFP4 (40)"),
):
    message = f"tensor 'a.weight': its scale, tensor 'a.scale', must be one element of format F32 (0), but is {spelled} of format {got}"
    table.add("TensorScale", write([WEIGHT, scale]), message)
message = "tensor 'a.weight': its scale, tensor 'a.scale', must be one element or 3 of format F32 (0), but is [2] of format F32 (0)"
scale = SCALE._replace(dims=(2,), data=bytes(8))
table.add("TensorScale", write([make_tensor("a.weight", 40, (3, 2, 64)), scale]), message)
message = "tensor 'a.scale': bytes 96 to 100 of the data are needed, but it has 96"
table.add("OutOfBounds", write([WEIGHT, SCALE._replace(data=b"")]), message)

problems = table.run()
# Weights/Common/refused.py covers the diagnostics after that line.
elsewhere = {*ELSEWHERE, *read_diagnostics(pathlib.Path(sys.argv[3]), "// Export.")}
absent = set(table.diagnostics) - table.covered - elsewhere
problems += [f"no case for the diagnostic {name}" for name in sorted(absent)]
assert len(table.cases) >= 50, len(table.cases)
print(f"{len(table.cases)} cases")
sys.exit("\n".join(problems) if problems else 0)
