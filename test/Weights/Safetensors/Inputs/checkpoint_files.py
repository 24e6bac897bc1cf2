"""Writes safetensors files, byte by byte, valid and invalid ones."""

import json
import struct
from typing import NamedTuple

# The name of a type in a file, by its name in NumPy and ml_dtypes.
NAMES = {
    "bool": "BOOL",
    "uint8": "U8",
    "int8": "I8",
    "int16": "I16",
    "uint16": "U16",
    "int32": "I32",
    "uint32": "U32",
    "int64": "I64",
    "uint64": "U64",
    "float16": "F16",
    "bfloat16": "BF16",
    "float32": "F32",
    "float64": "F64",
    "complex64": "C64",
    "float8_e4m3fn": "F8_E4M3",
    "float8_e5m2": "F8_E5M2",
    "float8_e4m3fnuz": "F8_E4M3FNUZ",
    "float8_e5m2fnuz": "F8_E5M2FNUZ",
    "float8_e8m0fnu": "F8_E8M0",
}


class Tensor(NamedTuple):
    dtype: str
    shape: list
    data: bytes
    offsets: list | None = None  # None: after the previous tensor


def make_tensor(array):
    return Tensor(NAMES[array.dtype.name], list(array.shape), array.tobytes())


def pack(header, data=b""):
    """A file with a header, which is text, bytes or a JSON value."""
    if not isinstance(header, str | bytes):
        header = json.dumps(header)
    text = header if isinstance(header, bytes) else header.encode()
    return struct.pack("<Q", len(text)) + text + data


def write(tensors, metadata=None):
    """A file of tensors, which are arrays or Tensor."""
    header = {} if metadata is None else {"__metadata__": metadata}
    data = b""
    for name, tensor in tensors.items():
        tensor = tensor if isinstance(tensor, Tensor) else make_tensor(tensor)
        offsets = tensor.offsets or [len(data), len(data) + len(tensor.data)]
        header[name] = {"dtype": tensor.dtype, "shape": tensor.shape, "data_offsets": offsets}
        data += tensor.data
    return pack(header, data)
