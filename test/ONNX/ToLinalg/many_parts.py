# A Concat of very many inputs, with static and dynamic sizes: the number of ops is linear, no more
# than 32 slices of a tensor follow each other, because bufferization compares all pairs of them,
# and the elements are numpy's.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import itertools
import pathlib
import re
import subprocess
import sys

import numpy as np

tools_dir, work = map(pathlib.Path, sys.argv[1:])
MAX_SLICES = 32
GIVEN = [np.full((rows, 4), 10 * rows, np.float32) + np.arange(4) for rows in (1, 2, 3)]
paths = [work / f"x{index}.npy" for index in range(len(GIVEN))]
for path, array in zip(paths, GIVEN, strict=True):
    np.save(path, array.astype(np.float32))


def write(count, is_static):
    sizes = [len(array) if is_static else "?" for array in GIVEN]
    types = [f"tensor<{size}x4xf32>" for size in sizes]
    chosen = list(itertools.islice(itertools.cycle(range(len(GIVEN))), count))
    rows = sum(len(GIVEN[index]) for index in chosen) if is_static else "?"
    path = work / f"{count}_{is_static}.mlir"
    path.write_text(
        f"func.func @concat({', '.join(f'%x{i}: {type}' for i, type in enumerate(types))})"
        f" -> tensor<{rows}x4xf32> {{\n"
        f'  %0 = quant_float.node "Concat"({", ".join(f"%x{i}" for i in chosen)}) opset 23'
        f" attributes {{axis = 0 : i64}} : ({', '.join(types[i] for i in chosen)})"
        f" -> tensor<{rows}x4xf32>\n"
        f"  return %0 : tensor<{rows}x4xf32>\n}}\n"
    )
    return path, np.concatenate([GIVEN[index] for index in chosen])


def convert(path):
    command = [tools_dir / "quant-float-opt", path, "--convert-onnx-nodes-to-linalg"]
    command += ["--canonicalize", "--cse"]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


def count_slices(text):
    """The length of the longest chain of slices."""
    lengths = {}
    for result, target in re.findall(r"(%\w+) = tensor.insert_slice %\w+ into (%\w+)", text):
        lengths[result] = lengths.get(target, 0) + 1
    return max(lengths.values())


for is_static in (True, False):
    lines = {}
    for count in (250, 1000):
        path, wanted = write(count, is_static)
        text = convert(path)
        lines[count] = text.count("\n")
        assert count_slices(text) <= MAX_SLICES, (count, is_static, count_slices(text))
        # The other cases take long to run.
        if count == 1000:
            continue
        folder = work / path.stem
        command = [tools_dir / "quant-float-run", path, "--outputs", folder, "--inputs", *paths]
        subprocess.run(command, check=True)
        assert np.array_equal(np.load(folder / "output_0.npy"), wanted), (count, is_static)
    assert lines[1000] <= 4.2 * lines[250], (is_static, lines)
