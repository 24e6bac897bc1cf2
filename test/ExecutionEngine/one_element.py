# Q2: a scalar zero point beside a scale of one element, whatever the granularity, and blocks longer than the axis (Q1): the
# Reference and compiled code, on tensors and on vectors, against the formula (D1, D5), for which all of them broadcast.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import itertools
import pathlib
import re
import subprocess
import sys

import numpy as np

tools_dir, work = map(pathlib.Path, sys.argv[1:])
LONG = 9223372036854775807
# The shapes of the input, the scale and the zero point, and the granularity.
CASES = [
    ("1x9", "1", "", "axis 0"),
    ("9", "1", "", "axis 0 block_size 9"),
    ("9", "1", "1", f"axis 0 block_size {LONG}"),
    ("2x9", "2x1", "2x1", f"axis 1 block_size {LONG}"),
    ("2x9", "", "", ""),
    ("2x9", "", "1", ""),
    ("2x9", "1", "", ""),
]


def spell(shape, element, kind="tensor"):
    return f"{kind}<{shape + 'x' if shape else ''}{element}>"


def get_indices(shape):
    sizes = [range(int(size)) for size in shape.split("x") if size]
    return [", ".join(map(str, index)) for index in itertools.product(*sizes)]


def read(shape, element, name):
    """The elements of a tensor as a vector."""
    text, values = "", []
    for count, indices in enumerate(get_indices(shape)):
        values.append(f"%{name}_{count}")
        places = re.sub(r"\d+", r"%c\g<0>", indices)
        text += f"  {values[-1]} = tensor.extract %{name}[{places}] : {spell(shape, element)}\n"
    vector = spell(shape, element, "vector")
    return text + f"  %v{name} = vector.from_elements {', '.join(values)} : {vector}\n"


def write_functions():
    text = ""
    for index, (shape, scale, zero, granularity) in enumerate(CASES):
        x, s, z = spell(shape, "f32"), spell(scale, "f32"), spell(zero, "i8")
        signature = f"(%x: {x}, %s: {s}, %z: {z}) -> {x}"
        text += f"""
func.func @tensors{index}{signature} {{
  %0 = quant_float.qdq %x, %s, %z {granularity} storage i8 opset 21 : {x}, {s}, {z} to {x}
  return %0 : {x}
}}
func.func @vectors{index}{signature} {{
"""
        text += "".join(f"  %c{i} = arith.constant {i} : index\n" for i in range(9))
        text += read(shape, "f32", "x") + read(scale, "f32", "s") + read(zero, "i8", "z")
        types = [t.replace("tensor", "vector") for t in (x, s, z)]
        text += f"  %0 = quant_float.qdq %vx, %vs, %vz {granularity} storage i8 opset 21 : "
        text += f"{', '.join(types)} to {types[0]}\n"
        values = []
        for count, indices in enumerate(get_indices(shape)):
            values.append(f"%r_{count}")
            text += f"  {values[-1]} = vector.extract %0[{indices}] : f32 from {types[0]}\n"
        text += f"  %1 = tensor.from_elements {', '.join(values)} : {x}\n  return %1 : {x}\n}}\n"
    (work / "f.mlir").write_text(text)


def run(entry, inputs, *options):
    command = [tools_dir / "quant-float-run", "f.mlir", "--entry", entry, *options]
    command += ["--inputs", *inputs, "--outputs", "out"]
    result = subprocess.run(command, capture_output=True, check=False, cwd=work, text=True)
    assert result.returncode == 0, (entry, result)
    (output,) = (work / "out").iterdir()
    values = np.load(output)
    output.unlink()
    return values


write_functions()
generator = np.random.default_rng(1)
for index, (shape, scale, zero, _) in enumerate(CASES):
    sizes = [[int(size) for size in s.split("x") if size] for s in (shape, scale, zero)]
    arrays = [
        generator.normal(scale=20, size=sizes[0]).astype("f4"),
        generator.uniform(0.1, 0.4, size=sizes[1]).astype("f4"),
        generator.integers(-9, 9, size=sizes[2]).astype("i1"),
    ]
    inputs = []
    for name, array in zip("xsz", arrays, strict=True):
        np.save(work / f"{name}.npy", array)
        inputs.append(f"{name}.npy")
    x, s, z = arrays
    encodings = np.clip(np.rint(x / s) + z, -128, 127).astype("f4")
    expected = (encodings - z) * s
    assert len(set(expected.flat)) > 5, expected
    for entry, target in (("tensors", "reference"), ("tensors", "cpu"), ("vectors", "cpu")):
        found = run(f"{entry}{index}", inputs, "--target", target)
        assert found.tobytes() == expected.tobytes(), (entry, target, index, found, expected)
print("OK")
