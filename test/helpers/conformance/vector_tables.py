"""The results of the conformance vectors, computed by the tests' oracles in NumPy."""

import ml_dtypes
import numpy as np
import quant_float_vectors as vectors

from . import blocks, p3109

BLOCKS = (
    "tensor_scale",
    "block_scale",
    "block_quantize_elements",
    "block_dequantize",
    "pack_scales",
)
NANS = {"f8E4M3FN": 0x7F, "f8E5M2": 0x7E}


def project(table):
    given, target = p3109.BY_MLIR[table.source], p3109.BY_MLIR[table.target]
    modes = table.attributes["rounding"], table.attributes["saturation"]
    values = given.values(vectors.get_encodings(table.input))
    bits = () if table.random is None else (table.random, table.attributes["random_bits"])
    return p3109.project(target, values, *modes, *bits)


def get_level(table, row):
    for role, key in (("tensor_amax", "amax"), ("tensor_scale", "scale")):
        if getattr(table, role) is not None:
            return blocks.Level(**{key: getattr(table, role)[row]})
    return None


def get_scales(table, encodings):
    """The type of the oracle's scales: encodings, or NumPy floats."""
    kind = table.scale_type or table.target
    return encodings.view(ml_dtypes.bfloat16) if kind == "bf16" else encodings


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
    for level_bits in [None] if levels is None else np.unique(levels):
        rows = np.arange(made.size) if levels is None else np.flatnonzero(levels == level_bits)
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
            encodings = get_scales(table, table.scale[rows])
            some = blocks.elements(rule, table.target, kind, x, encodings, level)
            # NaN, if the format has one.
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
            encodings = x if table.source[0] == "f" else x.view(np.int8)
            some = blocks.dequantize(
                encodings,
                table.source,
                table.scale[rows],
                table.scale_type,
                factor,
                order == "tensor_first",
            ).astype(np.float32)
        made[rows] = np.ascontiguousarray(some).view(made.dtype)
    return made


def convert_layout(table):
    """The offset of each index from 1 on."""
    shape = [table.attributes[key] for key in ("rows", "columns")]
    packed = blocks.pack_scales(table.attributes["layout"], table.input.reshape(shape) + 1)
    assert packed.size == table.attributes["padded_rows"] * table.attributes["padded_columns"]
    offsets = np.empty_like(table.output)
    offsets[packed[packed > 0] - 1] = np.flatnonzero(packed)
    return offsets


def convert(table):
    """The results of a table of IEEE P3109 or of blocks."""
    if table.operation == "project":
        return project(table)
    return convert_layout(table) if table.operation == "pack_scales" else convert_block(table)
