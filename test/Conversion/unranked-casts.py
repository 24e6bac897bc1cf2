# Casts of tensors of dynamic rank: compiled, with the values of ml_dtypes and numpy, for several
# ranks and sizes, one cast after the other and in one function.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np

tools, work = map(Path, sys.argv[1:])
random = np.random.default_rng(5)
SHAPES = [(), (1,), (1003,), (7, 0, 2), (3, 5, 67), (1, 2, 1, 3, 2)]
# The intermediate type, which has another storage type in most cases, and its effect on a value.
CASES = {
    "f8E4M3FN": lambda x: np.clip(x, -448, 448).astype(ml_dtypes.float8_e4m3fn),
    "f4E2M1FN": lambda x: x.astype(ml_dtypes.float4_e2m1fn),
    "ui8": lambda x: np.abs(x).astype(np.uint8),
    "i4": lambda x: np.clip(x, -8, 7).astype(ml_dtypes.int4),
    "f16": lambda x: x.astype(np.float16),
}


def spell(shape):
    return f"tensor<{''.join(f'{size}x' for size in shape)}f32>"


for name, cast in CASES.items():
    text = f"""func.func private @through(%x: tensor<*xf32>) -> tensor<*xf32> attributes {{no_inline}} {{
  %0 = quant_float.cast %x opset 25 : tensor<*xf32> to tensor<*x{name}>
  %1 = quant_float.cast %0 opset 25 : tensor<*x{name}> to tensor<*xf32>
  return %1 : tensor<*xf32>
}}
"""
    values, arguments, body = [], [], []
    for i, shape in enumerate(SHAPES):
        x = random.uniform(-6, 6, shape).astype("f4")
        if name == "ui8":
            x = np.abs(x) * 40
        if name == "i4":
            x = np.trunc(x)
        values.append(x)
        np.save(work / f"{i}.npy", x)
        arguments.append(f"%x{i}: {spell(shape)}")
        body += [
            f"%a{i} = tensor.cast %x{i} : {spell(shape)} to tensor<*xf32>",
            f"%b{i} = call @through(%a{i}) : (tensor<*xf32>) -> tensor<*xf32>",
            f"%c{i} = tensor.cast %b{i} : tensor<*xf32> to {spell(shape)}",
        ]
    types = ", ".join(map(spell, SHAPES))
    text += f"func.func @main({', '.join(arguments)}) -> ({types}) {{\n" + "\n".join(body)
    text += f"\nreturn {', '.join(f'%c{i}' for i in range(len(SHAPES)))} : {types}\n}}\n"
    (work / "model.mlir").write_text(text)
    inputs = [work / f"{i}.npy" for i in range(len(SHAPES))]
    command = [
        tools / "quant-float-run",
        work / "model.mlir",
        "--inputs",
        *inputs,
        "--outputs",
        work,
    ]
    subprocess.run(command, check=True)
    for i, x in enumerate(values):
        found = np.load(work / f"output_{i}.npy")
        expected = cast(x).astype("f4")
        assert found.shape == x.shape and np.array_equal(found, expected), (name, x.shape)
