# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchao's quantizers to blocks with scales, compiled by PyTorch. One thread."""

import importlib.util
import time

import numpy as np

from . import blocks
from .contenders import Contender, Unsupported


class TorchAO(Contender):
    name = "torchao"
    has_blocks = True
    # The packages only round like ours if their rules agree. test/Conformance/blocks compares them.
    converts = False

    def prepare(self) -> None:
        if self.row["op"] not in blocks.OPERATIONS:
            raise Unsupported("only blocks with scales")
        if any(importlib.util.find_spec(name) is None for name in ("torch", "torchao")):
            raise Unsupported("not installed: pip install torch torchao")
        import torch
        from torchao.prototype.mx_formats import mx_tensor, nvfp4_tensor

        if self.row["op"] != "block_quantize":
            raise Unsupported("dequantizes only as a part of a tensor subclass")
        torch.set_num_threads(1)
        dtype = {"e4m3fn": torch.float8_e4m3fn, "f4e2m1": torch.float4_e2m1fn_x2}[self.target.name]
        block = self.row["block"]

        def quantize(x):
            if self.row["scale"] == "e8m0":
                mode = mx_tensor.ScaleCalculationMode.FLOOR
                return mx_tensor.to_mx(x, dtype, block, mode)
            scale = torch.tensor(float(blocks.TENSOR_SCALE))
            return nvfp4_tensor.nvfp4_quantize(x, block, scale)

        self.x = torch.from_numpy(np.asarray(self.data))
        self.compiled = torch.compile(quantize)
        try:
            self.compiled(self.x)
        except Exception as error:  # PyTorch's own exceptions have no useful common base
            raise Unsupported(str(error).splitlines()[0][:200]) from error

    def time(self, calls: int) -> float:
        start = time.perf_counter()
        for _ in range(calls):
            self.compiled(self.x)
        return time.perf_counter() - start
