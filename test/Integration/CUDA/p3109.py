# Casts of IEEE P3109 on a GPU, executed by the simulator of a driver, against the draft's definitions.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %clangxx %cuda_include %obj_root %t
import os
import subprocess
import sys
from pathlib import Path

import cuda
import numpy as np
from conformance.p3109 import DETERMINISTIC, FORMATS, REQUIRED, SATURATIONS, STOCHASTIC, project
from nvvm.ptx import PTXAS

# Of sources: f32 next to numbers and midpoints, and every encoding of the others.
SOURCES = ("f32", "f16", "bf16", "binary8p4se", "binary8p1uf", "binary8p4sf")


def make_codes(name):
    source = FORMATS[name]
    if name != "f32":
        unsigned = np.uint8 if source.width == 8 else np.uint16
        return np.arange(1 << source.width).astype(unsigned)
    numbers = [np.array([0, 2.0**-149, 2.0**-127, np.inf, np.nan])]
    for target in REQUIRED:
        values = FORMATS[target].magnitudes[np.isfinite(FORMATS[target].magnitudes)]
        numbers += [values, (values[1:] + values[:-1]) / 2, 2 * values[-3:]]
    codes = np.concatenate(numbers).astype(np.float32).view(np.uint32)
    codes = np.unique(np.concatenate([codes - np.uint32(1), codes, codes + np.uint32(1)]))
    return np.concatenate([codes, codes | np.uint32(1 << 31)])


def make_casts():
    """Source, result, rounding, saturation and number of random bits."""
    for i, rounding in enumerate(DETERMINISTIC):
        for j, saturation in enumerate(SATURATIONS):
            for k, target in enumerate(REQUIRED):
                yield SOURCES[(i + j + k) % 3], target, rounding, saturation, 0
    for i, rounding in enumerate(STOCHASTIC):
        for k, target in enumerate((*REQUIRED, "f16")):
            yield "f32", target, rounding, SATURATIONS[(i + k) % 3], 8
    for source in SOURCES:
        for k, target in enumerate(("f32", "f16", "bf16", "binary8p3se", "binary4p2sf")):
            yield source, target, "NearestTiesToEven", SATURATIONS[k % 3], 0


def write_model(casts):
    arguments = [f"%{name}: tensor<?x{FORMATS[name].mlir}>" for name in SOURCES]
    lines, types = [], []
    for i, (source, target, rounding, saturation, bits) in enumerate(casts):
        types.append(f"tensor<?x{FORMATS[target].mlir}>")
        random = (", %r", f", tensor<?xui{bits}>") if bits else ("", "")
        lines.append(
            f"  %{i} = quant_float.cast %{source}{random[0]} mode p3109 opset 1 projection <D1, {rounding}, {saturation}>"
            f" : tensor<?x{FORMATS[source].mlir}>{random[1]} to {types[-1]}\n"
        )
    names = ", ".join(f"%{i}" for i in range(len(types)))
    return (
        f"func.func @main({', '.join(arguments)}, %r: tensor<?xui8>) -> ({', '.join(types)}) {{\n"
        f"{''.join(lines)}  return {names} : {', '.join(types)}\n}}\n"
    )


def main(tools, compiler, cuda_include, obj_root, folder):
    tools, folder = Path(tools), Path(folder)
    model = folder / "m.mlir"
    casts = list(make_casts())
    model.write_text(write_model(casts))
    codes = {name: make_codes(name) for name in SOURCES}
    random = np.random.default_rng(3).integers(0, 256, codes["f32"].size).astype(np.uint8)
    inputs = []
    for name, array in [*codes.items(), ("r", random)]:
        inputs.append(folder / f"{name}.npy")
        kind = {"f32": np.float32, "f16": np.float16}.get(name, array.dtype)
        np.save(inputs[-1], array.view(kind))
    failures = []
    with_assembler = os.environ | {"PATH": f"{PTXAS.parent}:{os.environ['PATH']}"}
    for chip in ("sm_80", "sm_90"):
        device, kernels = folder / f"{chip}.ll", folder / f"{chip}.so"
        compile = [tools / "quant-float-compile", model, "--target", "nvvm", "--chip", chip, "-o"]
        subprocess.run([*compile, device, "--emit", "llvm-ir"], check=True)
        # NVIDIA's assembler takes the code.
        command = [*compile, folder / f"{chip}.cubin", "--emit", "cubin"]
        subprocess.run(command, env=with_assembler, check=True)
        cuda.build_kernels(device.read_text(), kernels, compiler, cuda_include)
        environment = cuda.simulator_environment(obj_root, [kernels], chip=chip[3:])
        command = [tools / "quant-float-run", model, "--inputs", *inputs, "--outputs", folder]
        subprocess.run(
            [*command, "--target", "nvvm"], env=environment, check=True, stdout=subprocess.DEVNULL
        )
        for i, (source, target, rounding, saturation, bits) in enumerate(casts):
            found = np.load(folder / f"output_{i}.npy")
            found = found.view(f"u{found.dtype.itemsize}")
            values = FORMATS[source].values(codes[source])
            wanted = project(
                FORMATS[target], values, rounding, saturation, random if bits else 0, bits
            )
            different = np.flatnonzero(found != wanted)
            if different.size:
                j = different[0]
                failures.append(
                    f"{chip}: {source} to {target} {rounding} {saturation}: {different.size} differ, "
                    f"{codes[source][j]:#x}: {found[j]:#x}, expected {wanted[j]:#x}"
                )
    print(f"{2 * len(casts)} outputs, {len(failures)} failures")
    return "\n".join(failures[:20]) if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
