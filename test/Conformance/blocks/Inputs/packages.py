"""Quantizes the blocks of x.npy by torchao and gfloat: writes scales and elements of each rule as encodings, one file for each
package. Runs in the environment of torch's packages."""

import importlib.metadata
import sys
import warnings
from pathlib import Path

import numpy as np

FORMATS = ("f8E4M3FN", "f8E5M2", "f6E2M3FN", "f6E3M2FN", "f4E2M1FN")


def unpack(encodings, count):
    """Two elements of 4 bits in each byte, the first in the low half."""
    encodings = encodings.reshape(-1, 1) >> np.array([0, 4], np.uint8) & 15
    return encodings.reshape(-1)[:count]


def by_torchao(x):
    import torch
    from torchao.prototype.mx_formats import mx_tensor, nvfp4_tensor

    names = (torch.float8_e4m3fn, torch.float8_e5m2, "fp6_e2m3", "fp6_e3m2", torch.float4_e2m1fn_x2)
    results = {}
    data = torch.from_numpy(x)
    for element, dtype in zip(FORMATS, names, strict=True):
        for mode in mx_tensor.ScaleCalculationMode:
            scale, values = mx_tensor.to_mx(data, dtype, 32, mode)[:2]
            encodings = values.view(torch.uint8).numpy().reshape(-1)
            if element == "f4E2M1FN":
                encodings = unpack(encodings, x.size)
            results[f"{mode.value} {element} scales"] = scale.view(torch.uint8).numpy().reshape(-1)
            results[f"{mode.value} {element}"] = encodings.reshape(-1)
    amax = np.abs(x).max()
    if np.isfinite(amax):
        tensor = nvfp4_tensor.per_tensor_amax_to_scale(torch.tensor(amax))
        scale, values = nvfp4_tensor.nvfp4_quantize(data, 16, tensor)[:2]
        results["torchao f4E2M1FN scales"] = scale.view(torch.uint8).numpy().reshape(-1)
        results["torchao f4E2M1FN"] = unpack(values.view(torch.uint8).numpy().reshape(-1), x.size)
        results["torchao f4E2M1FN tensor"] = tensor.numpy().reshape(1).view(np.uint32)
    from torchao.prototype.mx_formats.utils import to_blocked

    scales = torch.arange(130 * 5, dtype=torch.int32).remainder(251).to(torch.uint8).view(130, 5)
    results["tile_128x4"] = to_blocked(scales).numpy().reshape(-1)
    return results


def by_gfloat(x):
    import gfloat
    from gfloat import formats

    blocks = {
        "f8E4M3FN": formats.format_info_ocp_e4m3,
        "f8E5M2": formats.format_info_ocp_e5m2,
        "f6E2M3FN": formats.format_info_ocp_e2m3,
        "f6E3M2FN": formats.format_info_ocp_e3m2,
        "f4E2M1FN": formats.format_info_ocp_e2m1,
    }
    results = {}
    for element, info in blocks.items():
        block_info = gfloat.BlockFormatInfo("mx", info, 32, formats.format_info_ocp_e8m0)
        scales, encodings = [], []
        for block in x.reshape(-1, 32).astype(np.float64):
            scale = gfloat.compute_scale_amax(info.emax, block)
            encoded = list(gfloat.encode_block(block_info, scale, block / scale))
            scales.append(encoded[0])
            encodings += encoded[1:]
        results[f"floor {element} scales"] = np.array(scales, np.uint8)
        results[f"floor {element}"] = np.array(encodings, np.uint8)
    return results


def main(work):
    work = Path(work)
    warnings.simplefilter("ignore")
    x = np.load(work / "x.npy")
    for package, quantize, rows in (("torchao", by_torchao, len(x)), ("gfloat", by_gfloat, 64)):
        np.savez(work / f"{package}.npz", **quantize(x[:rows]))
        print(package, importlib.metadata.version(package))


if __name__ == "__main__":
    main(*sys.argv[1:])
