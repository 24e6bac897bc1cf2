# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The groups of rows, each of which has a record and a table."""

# Keyed by the operation of a row.
GROUPS = {"casts": "Casts", "quantize": "Quantization", "fakeconvert": "FakeConvert"}
# Some rows of all operations, at sizes that exceed most caches, without peers.
MEMORY = "memory"
TITLES = GROUPS | {MEMORY: "Memory-bound sizes"}

SIZES = (64, 1 << 12, 1 << 16, 1 << 24)
MEMORY_SIZES = tuple(count << 20 for count in (4, 8, 16, 64))
MEMORY_ROWS = (
    "f32_to_e4m3fn",
    "e4m3fn_to_f32",
    "f16_to_e4m3fn",
    "e4m3fn_to_bf16",
    "f32_to_f4e2m1_packed",
    "f4e2m1_packed_to_f32",
    "f32_to_bf16",
    "quantize_i8",
    "quantize_i8_block",
    "dequantize_i8",
    "dequantize_i4_packed_block",
    "quantize_mxfp8",
    "quantize_nvfp4_packed",
    "dequantize_mxfp4_packed",
    "fakeconvert_e4m3fn_exact",
)


def find_group(row: dict) -> str:
    return {"cast": "casts", "fakeconvert": "fakeconvert"}.get(row["op"], "quantize")


def choose_rows(rows: list[dict], group: str) -> list[dict]:
    if group == MEMORY:
        return [row for row in rows if row["name"] in MEMORY_ROWS]
    return [row for row in rows if find_group(row) == group]
