#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Evaluates the digits networks: evaluate.py prepare|report FOLDER

`prepare` writes the inputs of quant-float-run into FOLDER:

  digits.npy, conv.npy   the test images as the networks take them
  NETWORK-codes.onnx     each quantized network with its quantized activations
                         as outputs after the logits

`report` reads quant-float-run's outputs in FOLDER/NETWORK and FOLDER/NETWORK-codes, counts the
correctly classified images, and compares with ONNX Runtime. Exits with 1 if a result exceeds the
bound for other orders of additions (agreement.py), or if a network classifies an image differently.
"""

import sys
from pathlib import Path

import agreement
import numpy as np
import onnx

HERE = Path(__file__).resolve().parent
NETWORKS = ("digits", "conv")
FORMATS = {"f32": "float32", "f8": "float8", "i8": "int8"}


def images(network):
    pixels = np.load(HERE / "test-images.npy")
    values = (pixels / 16).astype(np.float32)
    return values if network == "digits" else values.reshape(-1, 1, 8, 8)


def prepare(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for network in NETWORKS:
        np.save(folder / f"{network}.npy", images(network))
        for suffix in ("f8", "i8"):
            model = onnx.load(HERE / f"{network}-{suffix}.onnx")
            probed = agreement.probed(model, ["logits", *agreement.code_names(model)])
            onnx.save(probed, folder / f"{network}-{suffix}-codes.onnx")
    return 0


def compare(folder, network, suffix, labels):
    """Prints one line of the report. Returns whether the results agree."""
    name = f"{network}-{suffix}"
    model = onnx.load(HERE / f"{name}.onnx")
    values = agreement.runtime_values(model, {"image": images(network)})
    logits = np.load(folder / name / "output_0.npy")
    bounds = agreement.Bounds(model, values, {"logits": logits})
    excess = bounds.excess
    codes, beside = {}, logits
    if suffix != "f32":
        # A separate compilation, whose values have other users, and maybe another accumulation
        # order. But for these logits, the quantized values that they are computed from are known.
        beside, *arrays = (
            np.load(folder / f"{name}-codes" / f"output_{index}.npy")
            for index in range(1 + len(agreement.code_names(model)))
        )
        codes = {
            code: array.view(values[code].dtype)
            for code, array in zip(agreement.code_names(model), arrays, strict=True)
        }
        bounds = agreement.Bounds(model, values, codes | {"logits": beside})
        excess = excess + bounds.excess

    decisions, theirs = logits.argmax(axis=1), values["logits"].argmax(axis=1)
    otherwise = np.count_nonzero(decisions != theirs)
    differing = sum(np.count_nonzero(codes[code] != values[code]) for code in codes)
    all_codes = sum(array.size for array in codes.values())
    print(
        f"{network:8}{FORMATS[suffix]:9}"
        f"{(decisions == labels).mean():>8.1%}{(theirs == labels).mean():>14.1%}"
        f"{otherwise:>8} of {labels.size}"
        f"{agreement.difference(beside, values['logits']).max():>13.1e}{bounds['logits'].max():>9.1e}"
        f"{f'{differing} of {all_codes}' if all_codes else '-':>15}"
    )
    for line in excess:
        print(f"  {line}")
    return not excess and not otherwise


def report(folder):
    labels = np.load(HERE / "test-labels.npy")
    print(f"{labels.size} test images; ONNX Runtime on the CPU, without its optimizations\n")
    print(f"{'':17}{'read correctly':^22}{'decided':>14}{'logits differ':>22}{'codes':>15}")
    print(
        f"{'network':17}{'here':>8}{'ONNX Runtime':>14}{'otherwise':>14}"
        f"{'by':>13}{'may by':>9}{'differing':>15}"
    )
    agree = [compare(folder, n, suffix, labels) for n in NETWORKS for suffix in FORMATS]
    print("\nall agree" if all(agree) else "\nthe results differ by more than the bound")
    return 0 if all(agree) else 1


if __name__ == "__main__":
    action = {"prepare": prepare, "report": report}[sys.argv[1]]
    sys.exit(action(Path(sys.argv[2])))
