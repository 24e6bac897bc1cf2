"""Writes GGUF files, byte by byte, valid and invalid ones."""

import struct
from typing import NamedTuple

# Elements and bytes of a block, by the number of its format in a file.
BLOCKS = {
    2: (32, 18),
    3: (32, 20),
    6: (32, 22),
    7: (32, 24),
    8: (32, 34),
    10: (256, 84),
    11: (256, 110),
    12: (256, 144),
    13: (256, 176),
    14: (256, 210),
    20: (32, 18),
    23: (256, 136),
    39: (32, 17),
    40: (64, 36),
}


class Tensor(NamedTuple):
    name: str
    format: int
    dims: tuple  # outermost first
    data: bytes
    offset: int | None = None  # in the data; None: after the previous tensor


def make_tensor(name, number, dims, data=None):
    """A tensor of a block format, of zeros by default."""
    elements, size = BLOCKS[number]
    count = 1
    for dim in dims:
        count *= dim
    return Tensor(name, number, dims, data or bytes(count // elements * size))


def text(value):
    data = value if isinstance(value, bytes) else value.encode()
    return struct.pack("<Q", len(data)) + data


def value(item):
    """A value with its type."""
    if isinstance(item, bytes):
        return item
    if isinstance(item, str):
        return struct.pack("<I", 8) + text(item)
    if isinstance(item, list):
        return struct.pack("<IIQ", 9, 8, len(item)) + b"".join(map(text, item))
    return struct.pack("<II", 4, item)


def write(tensors=(), pairs=None, *, magic=b"GGUF", version=3, counts=None, alignment=32):
    """A file. The values of pairs are strings, lists of strings, numbers, or bytes of a type with
    their contents."""
    pairs = list((pairs or {}).items()) if not isinstance(pairs, list) else pairs
    counts = counts or (len(tensors), len(pairs))
    header = magic + struct.pack("<IQQ", version, *counts)
    header += b"".join(text(key) + value(item) for key, item in pairs)
    data = b""
    for tensor in tensors:
        offset = len(data) if tensor.offset is None else tensor.offset
        header += text(tensor.name) + struct.pack("<I", len(tensor.dims))
        header += b"".join(struct.pack("<Q", dim) for dim in reversed(tensor.dims))
        header += struct.pack("<IQ", tensor.format, offset)
        data += tensor.data + bytes(-len(tensor.data) % alignment)
    return header + bytes(-len(header) % alignment) + data
