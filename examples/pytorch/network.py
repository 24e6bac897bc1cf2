# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A network of PyTorch with weights in MXFP4 and activations in int8, in eager PyTorch and compiled."""

import logging

import quant_float.torch as qt
import torch
from torch import nn


class Linear(nn.Module):
    """A linear layer whose weights are quantized to blocks of 32 elements."""

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        values, scales = qt.block_quantize(
            layer.weight.detach(), torch.float4_e2m1fn_x2, torch.float8_e8m0fnu, 32, "rceil"
        )
        self.register_buffer("values", values)
        self.register_buffer("scales", scales)
        self.bias = layer.bias

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weight = qt.block_dequantize(self.values, self.scales, 32)
        return nn.functional.linear(qt.qdq(x, 0.04, storage="int8"), weight, self.bias)


def main() -> None:
    logging.basicConfig(format="%(name)s: %(message)s")
    logging.getLogger("quant_float.torch").setLevel(logging.INFO)
    torch.manual_seed(0)
    layers = nn.Linear(256, 512), nn.Linear(512, 64)
    network = nn.Sequential(Linear(layers[0]), nn.ReLU(), Linear(layers[1]))
    compiled = torch.compile(network, backend="quant_float", dynamic=True)
    with torch.no_grad():
        for rows in (1, 16, 100):
            x = torch.randn(rows, 256)
            error = (compiled(x) - network(x)).abs().max().item()
            print(f"{rows} rows: {'close' if error < 1e-5 else f'off by {error}'}")
    stored = sum(x.nbytes for name, x in network.named_buffers())
    print(f"weights: {stored} bytes, {sum(layer.weight.nbytes for layer in layers)} in float")


if __name__ == "__main__":
    main()
