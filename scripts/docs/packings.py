"""How file formats pack elements and their scales into bytes."""

from typing import NamedTuple


class Packing(NamedTuple):
    """Draws the layout of elements in bytes. `fields` lists the fields of a byte from its lowest bit: an element's number, or the name of
    a scale, and the number of bits."""

    name: str
    users: str
    size: int
    fields: object


PACKINGS = (
    Packing(
        "4 bits",
        "ONNX, compressed-tensors, ModelOpt, torchao: low half first",
        16,
        lambda byte: [(2 * byte, 4), (2 * byte + 1, 4)],
    ),
    Packing(
        "4 bits",
        "bitsandbytes: high half first",
        16,
        lambda byte: [(2 * byte + 1, 4), (2 * byte, 4)],
    ),
    Packing(
        "6 bits",
        "ONNX: four elements in three bytes, from the lowest bits",
        24,
        lambda byte: [
            (4 * (byte // 3) + number, bits)
            for number, bits in ([(0, 6), (1, 2)], [(1, 4), (2, 4)], [(2, 2), (3, 6)])[byte % 3]
        ],
    ),
    Packing(
        "MXFP4",
        "GGUF: the scale of 32 elements, then the elements",
        17,
        lambda byte: [("scale", 8)] if byte == 0 else [(byte - 1, 4), (byte + 15, 4)],
    ),
    Packing(
        "NVFP4",
        "GGUF: the scales of 4 groups of 16 elements, then the groups",
        36,
        lambda byte: (
            [(f"scale {byte}", 8)]
            if byte < 4
            else [(byte - 4 + (byte - 4) // 8 * 8 + half, 4) for half in (0, 8)]
        ),
    ),
)
