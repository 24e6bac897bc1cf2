# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The element types of the rows and the data to convert."""

from dataclasses import dataclass

import ml_dtypes
import numpy as np


@dataclass(frozen=True)
class Format:
    """One element type with all its names."""

    name: str
    mlir: str
    onnx: int  # TensorProto.DataType
    numpy: np.dtype
    numkong: int | None  # nk_dtype_t; None if NumKong lacks the type
    largest: float  # largest finite magnitude
    smallest: float  # smallest subnormal magnitude

    @property
    def size(self) -> int:
        return self.numpy.itemsize

    @property
    def code(self) -> np.dtype:
        """The unsigned integer of the same size."""
        return np.dtype(f"u{self.size}")


def _format(name: str, mlir: str, onnx: int, dtype: type, numkong: int | None) -> Format:
    info = ml_dtypes.finfo(dtype)
    return Format(
        name,
        mlir,
        onnx,
        np.dtype(dtype),
        numkong,
        float(info.max),
        float(info.smallest_subnormal),
    )


def _integer(name: str, onnx: int, dtype: type) -> Format:
    info = ml_dtypes.iinfo(dtype)
    return Format(name, name, onnx, np.dtype(dtype), None, float(info.max), 1.0)


FORMATS = {
    entry.name: entry
    for entry in (
        _format("f32", "f32", 1, np.float32, 1 << 11),
        _format("f16", "f16", 10, np.float16, 1 << 12),
        _format("bf16", "bf16", 16, ml_dtypes.bfloat16, 1 << 13),
        _format("e4m3fn", "f8E4M3FN", 17, ml_dtypes.float8_e4m3fn, 1 << 14),
        _format("e4m3fnuz", "f8E4M3FNUZ", 18, ml_dtypes.float8_e4m3fnuz, None),
        # QF_P3109(8, 4, 1, 1). Its values have the encodings of f8E4M3FNUZ's, the largest of which
        # is infinity.
        Format(
            "binary8p4se",
            "!quant_float.binary8p4se",
            0x1E13,
            np.dtype(ml_dtypes.float8_e4m3fnuz),
            None,
            224.0,
            2.0**-10,
        ),
        _format("e5m2", "f8E5M2", 19, ml_dtypes.float8_e5m2, 1 << 15),
        # NumKong packs two f4E2M1 in a byte, with the first one on top. The rows have one element
        # per byte, so the two do not compare.
        _format("f4e2m1", "f4E2M1FN", 23, ml_dtypes.float4_e2m1fn, None),
        _format("e8m0", "f8E8M0FNU", 24, ml_dtypes.float8_e8m0fnu, None),
        _integer("i8", 3, np.int8),
        _integer("i4", 22, ml_dtypes.int4),
    )
}


def aligned_empty(size: int) -> np.ndarray:
    """Uninitialized bytes at a page boundary, the same for every contender."""
    raw = np.empty(size + 4096, np.uint8)
    start = -raw.ctypes.data % 4096
    return raw[start : start + size]


# The kinds of unusual f32 data of rows. Names of rows end in `_` and the word.
SPECIAL = {
    "subnormals": "one in 16 subnormal",
    "infinities": "one in 16 infinite",
    "zeros": "all zero",
    "huge": "all above 2^100",
    "tiny": "all below 2^-100",
}


def make_special(values: np.ndarray, word: str | None) -> np.ndarray:
    """f32 values, modified as a word of SPECIAL says."""
    if not word:
        return values
    random = np.random.default_rng(20244)
    signs = random.choice(np.array([0, 1 << 31], np.uint32), values.shape)
    fraction = random.integers(1, 1 << 23, values.shape, np.uint32)
    chosen = random.random(values.shape) < 1 / 16
    if word == "subnormals":
        return np.where(chosen, (signs | fraction).view(np.float32), values)
    if word == "infinities":
        return np.where(chosen, (signs | np.uint32(0xFF << 23)).view(np.float32), values)
    if word == "zeros":
        return np.zeros_like(values)
    lowest, highest = {"huge": (227, 255), "tiny": (1, 27)}[word]
    exponents = random.integers(lowest, highest, values.shape, np.uint32)
    return (signs | exponents << 23 | fraction).view(np.float32)


def make_data(source: Format, target: Format, count: int, nans: bool = False) -> np.ndarray:
    """Finite values in the range of the target, of all its magnitudes and signs. With `nans`, every
    second one, at random positions, is a NaN instead.

    A decoder gets every finite encoding. An encoder gets exponents spread evenly from below the
    target's smallest subnormal to its maximum: such data leaves a peer's branches no pattern to
    predict.
    """
    random = np.random.default_rng(20240)
    if source.size == 1:
        encodings = np.arange(16 if source.name == "f4e2m1" else 256, dtype=np.uint8)
        values = encodings.view(source.numpy)
        values = values[np.abs(values.astype(np.float32)) <= source.largest]
        data = random.choice(values.view(np.uint8), count).view(source.numpy)
    else:
        smallest = max(target.smallest, source.smallest, 2.0**-24)
        largest = min(target.largest, source.largest, 65504.0)
        exponent = random.uniform(np.log2(smallest) - 1, np.log2(largest), count)
        value = np.exp2(exponent.astype(np.float32)) * random.choice((-1, 1), count)
        data = np.clip(value, -largest, largest).astype(source.numpy)
    if nans:
        data[random.random(count) < 0.5] = np.nan
    kept = aligned_empty(count * source.size)
    kept[:] = data.view(np.uint8)
    return kept.view(source.numpy)
