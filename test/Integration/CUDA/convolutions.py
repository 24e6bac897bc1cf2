# Convolutions as kernels, executed in the simulator of a driver: one to three dimensions, pads,
# strides, dilations, groups, windows of one element, static and dynamic sizes. The bits must be
# those of CPU code. Integer convolutions, which use tensor cores, must equal NumPy's. With
# --accumulation reassociate, floats must be within the bound for other orders of additions and for
# the instructions (R7).
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %clangxx %cuda_include %obj_root %t
import sys

import gpu_matmuls
import numpy as np
import sharding
from gpu_convolutions import CONVOLUTIONS
from gpu_runs import Comparison


def values_of(convolution, seed):
    for index, (name, kind, shape) in enumerate(convolution.inputs()):
        if kind == "i32":
            yield np.random.default_rng(seed).integers(-5000, 5000, shape).astype(np.int32)
        elif kind == "f32" and name.endswith("s"):
            # Values of scales.
            scale = {"ys": 4.0}.get(name, 0.05)
            yield (scale * np.random.default_rng(seed + index).uniform(0.5, 1, shape)).astype("f4")
        else:
            yield gpu_matmuls.random(kind, shape, 100 * seed + index)


def main(tools, compiler, cuda_include, obj_root, folder):
    convolutions = sharding.take(CONVOLUTIONS)
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
            convolution.k_extent(),
            8 * (seed % 2),
        )
    print(f"{comparison.runs} runs, {len(comparison.failures)} failures")
    return "\n".join(comparison.failures) if comparison.failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
