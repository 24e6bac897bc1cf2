# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The groups of rows, each of which has a record and a table."""

GROUPS = {"casts": "Casts", "quantize": "Quantization", "fakeconvert": "FakeConvert"}


def find_group(row: dict) -> str:
    return {"cast": "casts", "fakeconvert": "fakeconvert"}.get(row["op"], "quantize")
