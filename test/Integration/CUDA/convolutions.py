# Convolutions as kernels, executed by the simulator of a driver: one to three axes, pads, strides, dilations, groups, windows of
# one element, known and open sizes. The bits must be those of code for the CPU; integers, which are instructions of a warp, are
# NumPy's, floats within the bound of every order of additions, and of the instructions' with --accumulation reassociate (R7).
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %clangxx %cuda_include %obj_root %t
import sys

import gpu_products
import numpy as np
import shares
from gpu_convolutions import CONVOLUTIONS
from gpu_runs import Comparison


def values_of(convolution, seed):
    for index, (name, kind, shape) in enumerate(convolution.inputs()):
        if kind == "i32":
            yield np.random.default_rng(seed).integers(-5000, 5000, shape).astype(np.int32)
        elif kind == "f32" and name.endswith("s"):
            # Scales.
            scale = {"ys": 4.0}.get(name, 0.05)
            yield (scale * np.random.default_rng(seed + index).uniform(0.5, 1, shape)).astype("f4")
        else:
            yield gpu_products.random(kind, shape, 100 * seed + index)


def main(tools, compiler, cuda_include, obj_root, folder):
    convolutions = shares.take(CONVOLUTIONS)
    text = "".join(convolution.text() for convolution in convolutions)
    comparison = Comparison(tools, compiler, cuda_include, obj_root, folder, text)
    for seed, convolution in enumerate(convolutions):
        values = list(values_of(convolution, seed))
        comparison.compare(
            convolution.name,
            convolution.name,
            [(name, kind) for name, kind, _ in convolution.inputs()],
            values,
            convolution.expected(values),
            convolution.summands(),
            8 * (seed % 2),
        )
    print(f"{comparison.runs} runs, {len(comparison.failures)} failures")
    return "\n".join(comparison.failures) if comparison.failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
