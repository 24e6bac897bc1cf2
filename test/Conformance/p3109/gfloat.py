# Casts in mode p3109 against gfloat, an independent implementation: every f16 value to every format
# of 3 to 8 bits, in the modes that both have. gfloat has no results for negative values in unsigned
# formats.
# REQUIRES: full
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir/quant-float-run %src_root %obj_root %t
import itertools
import pathlib
import subprocess
import sys

import numpy as np
from conformance.p3109 import ALL, SATURATIONS
from model_zoo import environment

ROUNDINGS = (
    "NearestTiesToEven",
    "NearestTiesToAway",
    "TowardPositive",
    "TowardNegative",
    "TowardZero",
)
STOCHASTIC = ("StochasticA", "StochasticB", "StochasticC")
program, source, build, work = sys.argv[1], *map(pathlib.Path, sys.argv[2:5])
modes = list(itertools.product(ROUNDINGS, (SATURATIONS[0], SATURATIONS[2])))

encodings = np.arange(1 << 16, dtype=np.uint16)
np.save(work / "x.npy", encodings.view(np.float16))
np.save(work / "r.npy", (encodings * 40503 >> 7).astype(np.uint8))
for name, to in ALL.items():
    lines, types = [], []
    for i, (rounding, saturation) in enumerate([*modes, *((s, "SatNone") for s in STOCHASTIC)]):
        is_random = rounding in STOCHASTIC
        operands = (
            ("%x, %r", "tensor<?xf16>, tensor<?xui8>") if is_random else ("%x", "tensor<?xf16>")
        )
        types.append(f"tensor<?x{to.mlir}>")
        lines.append(
            f"  %{i} = quant_float.cast {operands[0]} mode p3109 opset 1 projection <D1, {rounding}, {saturation}>"
            f" : {operands[1]} to {types[-1]}\n"
        )
    names = ", ".join(f"%{i}" for i in range(len(lines)))
    (work / "m.mlir").write_text(
        f"func.func @main(%x: tensor<?xf16>, %r: tensor<?xui8>) -> ({', '.join(types)}) {{\n{''.join(lines)}"
        f"  return {names} : {', '.join(types)}\n}}\n"
    )
    command = [
        program,
        work / "m.mlir",
        "--inputs",
        work / "x.npy",
        work / "r.npy",
        "--outputs",
        work,
    ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    np.save(
        work / f"{name}.npy",
        np.stack([np.load(work / f"output_{i}.npy") for i in range(len(lines))]),
    )
python = environment.make(source, build / "networks" / "venv")
script = pathlib.Path(__file__).parent / "Inputs" / "by_gfloat.py"
subprocess.run([python, script, work], check=True)
