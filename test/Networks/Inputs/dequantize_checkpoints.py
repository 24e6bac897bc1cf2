"""Dequantizes the weights of NAME.safetensors with torchao into NAME-torchao.safetensors: `dequantize_checkpoints.py FOLDER NAME...`,
in the environment of requirements-networks.txt."""

import sys
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torchao.prototype.mx_formats.mx_tensor import to_dtype
from torchao.prototype.mx_formats.nvfp4_tensor import NVFP4Tensor

BLOCK, NV_BLOCK = 32, 16


def dequantize(tensors, name, element):
    """The part of a weight whose name ends in .weight."""
    scale = tensors[f"{name}_scale"]
    if f"{name}_scale_2" in tensors:
        level = tensors[f"{name}_scale_2"]
        weight = NVFP4Tensor(tensors[name], scale, NV_BLOCK, torch.float32, level)
        return weight.dequantize(torch.float32)
    encodings = tensors.get(name, tensors.get(f"{name}_packed"))
    return to_dtype(encodings, scale.view(torch.float8_e8m0fnu), element, BLOCK, torch.float32)


def main(folder, names):
    for name in names:
        tensors = load_file(folder / f"{name}.safetensors")
        element = torch.float4_e2m1fn_x2 if "fp4" in name else torch.float8_e4m3fn
        weights = [key.removesuffix("_scale") for key in tensors if key.endswith("weight_scale")]
        values = {weight: dequantize(tensors, weight, element) for weight in weights}
        save_file(values, folder / f"{name}-torchao.safetensors")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
