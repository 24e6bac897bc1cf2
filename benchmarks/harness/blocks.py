# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rows of block_quantize and block_dequantize: data, modules, and expected results.

A row of x has 1024 elements, or x has one shorter row. Each block of neighbors in a row has a
scale: a power of two by the rule floor, or an f8E4M3FN by the rule model_optimizer with a given
scale of the tensor.
"""

import numpy as np

from .formats import FORMATS, Format, aligned_empty
from .quantization import kept, width

OPERATIONS = ("block_quantize", "block_dequantize")
LARGEST_E4M3 = 448
TENSOR_SCALE = np.float32(0.0037)


def elements(row: dict) -> Format:
    """The type of the quantized elements."""
    return FORMATS[row["to" if row["op"] == "block_quantize" else "from"]]


def _is_power_of_two(row: dict) -> bool:
    return row["scale"] == "e8m0"


def _scale_shape(row: dict, count: int) -> tuple[int, int]:
    return count // width(row), width(row) // row["block"]


def make_inputs(row: dict, count: int) -> list[np.ndarray]:
    """x and, for two levels, the scale of the tensor; or elements and scales."""
    random = np.random.default_rng(20247)
    form = elements(row)
    shape = (count // width(row), width(row))
    if row["op"] == "block_quantize":
        # Magnitudes of weights and activations, which vary between blocks.
        x = random.standard_normal(shape, np.float32)
        x *= np.exp2(random.integers(-8, 9, _scale_shape(row, count))).repeat(row["block"], axis=1)
        return [kept(x.astype(np.float32))] + (
            [] if _is_power_of_two(row) else [kept(np.array(TENSOR_SCALE))]
        )
    encodings = np.arange(1 << (4 if form.name == "f4e2m1" else 8), dtype=np.uint8)
    values = encodings.view(form.numpy)
    values = values[np.isfinite(values.astype(np.float32))]
    scales = random.integers(100, 150, _scale_shape(row, count)).astype(np.uint8)
    if not _is_power_of_two(row):
        scales = random.integers(8, 127, scales.shape).astype(np.uint8)
    x = random.choice(values.view(np.uint8), shape).view(form.numpy)
    return [kept(x), kept(scales.view(FORMATS[row["scale"]].numpy))]


def input_types(row: dict) -> list[Format]:
    types = [FORMATS[row["from"]]]
    if row["op"] == "block_dequantize":
        return [*types, FORMATS[row["scale"]]]
    return types if _is_power_of_two(row) else [*types, FORMATS["f32"]]


def make_scales(row: dict, count: int) -> np.ndarray | None:
    """The buffer of the second result, or None."""
    if row["op"] == "block_dequantize":
        return None
    shape = _scale_shape(row, count)
    return aligned_empty(shape[0] * shape[1]).view(FORMATS[row["scale"]].numpy).reshape(shape)


def expected_scales(row: dict, x: np.ndarray) -> np.ndarray:
    amax = np.abs(x).reshape(x.shape[0], -1, row["block"]).max(axis=2)
    largest = elements(row).largest
    if _is_power_of_two(row):
        exponents = np.frexp(amax)[1] - np.frexp(np.float32(largest))[1]
        encodings = np.where(amax == 0, 0, np.clip(exponents + 127, 0, 254))
        return encodings.astype(np.uint8).view(FORMATS["e8m0"].numpy)
    quotient = amax / (np.float32(largest) * TENSOR_SCALE)
    quotient[quotient == 0] = 1
    return np.clip(quotient, 2.0**-9, LARGEST_E4M3).astype(FORMATS["e4m3fn"].numpy)


def expected(row: dict, inputs: list[np.ndarray]) -> np.ndarray:
    x = inputs[0]
    is_quantization = row["op"] == "block_quantize"
    scales = expected_scales(row, x) if is_quantization else inputs[1]
    factors = scales.astype(np.float32).repeat(row["block"], axis=1)
    if not is_quantization:
        return (x.astype(np.float32) * factors).reshape(-1)
    if not _is_power_of_two(row):
        factors *= TENSOR_SCALE
    form = elements(row)
    return np.clip(x / factors, -form.largest, form.largest).astype(form.numpy).reshape(-1)


def module(row: dict) -> str:
    form, scale = elements(row), FORMATS[row["scale"]].mlir
    wide = f"tensor<?x{width(row)}xf32>"
    narrow = f"tensor<?x{width(row)}x{form.mlir}>"
    scales = f"tensor<?x{width(row) // row['block']}x{scale}>"
    packed = " {quant_float.packed}" if row.get("packed") else ""
    block = f"block [1, {row['block']}]"
    if row["op"] == "block_dequantize":
        return (
            f"func.func @{row['name']}(%x: {narrow}{packed}, %s: {scales}) -> {wide} {{\n"
            f"  %y = quant_float.block_dequantize %x, %s {block} : {narrow}, {scales} to {wide}\n"
            f"  return %y : {wide}\n"
            "}\n"
        )
    parameter = argument = ""
    rule = "floor"
    if not _is_power_of_two(row):
        rule = "model_optimizer"
        parameter, argument = ", %t: tensor<f32>", " tensor_scale(%t : tensor<f32>)"
    return (
        f"func.func @{row['name']}(%x: {wide}{parameter}) -> ({narrow}{packed}, {scales}) {{\n"
        f"  %y:2 = quant_float.block_quantize %x{argument} {block} rule {rule}"
        f" : {wide} to {narrow}, {scales}\n"
        f"  return %y#0, %y#1 : {narrow}, {scales}\n"
        "}\n"
    )
