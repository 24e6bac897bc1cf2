# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ggml's own quantizers of MXFP4 and NVFP4, from the prebuilt library of libggml-python. One thread.

ggml stores the scale of a block next to its elements, and its NVFP4 has no scale of the tensor.
"""

import ctypes
import importlib.util
import time
from pathlib import Path

from . import blocks
from .contenders import Contender, Unsupported
from .formats import aligned_empty

# The numbers of the formats in ggml.h, and the bytes and elements of their units.
TYPES = {32: (39, 17, 32), 16: (40, 36, 64)}


class TypeTraits(ctypes.Structure):
    """The first members of ggml_type_traits."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("block_size", ctypes.c_int64),
        ("interleaved_block_size", ctypes.c_int64),
        ("type_size", ctypes.c_size_t),
        ("is_quantized", ctypes.c_bool),
        ("to_float", ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)),
    )


class Ggml(Contender):
    name = "ggml"
    has_blocks = True
    # Rounds ties toward zero, and has another layout.
    converts = False

    def prepare(self) -> None:
        if self.row["op"] not in blocks.OPERATIONS:
            raise Unsupported("only blocks with scales")
        if not self.row.get("packed"):
            raise Unsupported("only f4E2M1")
        found = importlib.util.find_spec("libggml")
        if found is None:
            raise Unsupported("not installed: pip install libggml-python")
        folder = Path(next(iter(found.submodule_search_locations))) / "lib64"
        library = ctypes.CDLL(str(folder / "libggml-base.so"))
        self.type, size, count = TYPES[self.row["block"]]
        library.ggml_get_type_traits.restype = ctypes.POINTER(TypeTraits)
        self.traits = library.ggml_get_type_traits(self.type).contents
        if (self.traits.type_size, self.traits.block_size) != (size, count):
            raise Unsupported("this version of ggml has another layout")
        self.quantize = library.ggml_quantize_chunk
        self.quantize.restype = ctypes.c_size_t
        shape = self.data.shape
        self.rows, self.columns = shape[0], shape[-1]
        # Scales and elements to dequantize, all of which are normal numbers.
        self.units = aligned_empty(self.data.size // count * size)
        self.units[:] = 0x38
        if self.row["op"] == "block_quantize":
            self.time(1)

    def time(self, calls: int) -> float:
        units = ctypes.c_void_p(self.units.ctypes.data)
        start = time.perf_counter()
        if self.row["op"] == "block_quantize":
            data = ctypes.c_void_p(self.data.ctypes.data)
            sizes = [ctypes.c_int64(size) for size in (0, self.rows, self.columns)]
            for _ in range(calls):
                self.quantize(ctypes.c_int(self.type), data, units, *sizes, None)
        else:
            result = ctypes.c_void_p(self.result.ctypes.data)
            count = ctypes.c_int64(self.data.size)
            for _ in range(calls):
                self.traits.to_float(units, result, count)
        return time.perf_counter() - start
