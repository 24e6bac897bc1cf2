# Casts and block conversions of IEEE P3109 on a GPU, executed in the simulator of a driver, against
# the draft's definitions.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %clangxx %cuda_include %obj_root %t
import itertools
import os
import subprocess
import sys
from pathlib import Path

import cuda
import numpy as np
from conformance.p3109 import DETERMINISTIC, FORMATS, REQUIRED, SATURATIONS, STOCHASTIC, project
from nvvm.ptx import PTXAS

# The encodings of sources: f32 next to values and midpoints, and every encoding of other types.
SOURCES = ("f32", "f16", "bf16", "binary8p4se", "binary8p1uf", "binary8p4sf")


def make_encodings(name):
    source = FORMATS[name]
    if name != "f32":
        unsigned = np.uint8 if source.width == 8 else np.uint16
        return np.arange(1 << source.width).astype(unsigned)
    numbers = [np.array([0, 2.0**-149, 2.0**-127, np.inf, np.nan])]
    for target in REQUIRED:
        values = FORMATS[target].magnitudes[np.isfinite(FORMATS[target].magnitudes)]
        numbers += [values, (values[1:] + values[:-1]) / 2, 2 * values[-3:]]
    encodings = np.concatenate(numbers).astype(np.float32).view(np.uint32)
    encodings = np.unique(
        np.concatenate([encodings - np.uint32(1), encodings, encodings + np.uint32(1)])
    )
    return np.concatenate([encodings, encodings | np.uint32(1 << 31)])


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


# The values of the scales.
SCALES = {"binary8p1uf": 0.125, "f32": float(np.float32(-0.37)), "binary8p4se": np.inf, "f16": 0.0}


def make_conversions():
    """Source, scale, result, rounding and saturation. For results of up to 8 bits the quotient,
    otherwise the product."""
    for i, (source, scale) in enumerate(itertools.product(SOURCES, SCALES)):
        for j in range(3):
            target = (*REQUIRED, "f32", "bf16")[(i + j) % 6]
            yield source, scale, target, DETERMINISTIC[(i + j) % 6], SATURATIONS[(i // 2 + j) % 3]


def write_model(casts, conversions):
    arguments = [f"%{name}: tensor<?x{FORMATS[name].mlir}>" for name in SOURCES]
    arguments += [f"%s_{name}: tensor<1x{FORMATS[name].mlir}>" for name in SCALES]
    lines, types = [], []
    for i, (source, target, rounding, saturation, bits) in enumerate(casts):
        types.append(f"tensor<?x{FORMATS[target].mlir}>")
        random = (", %r", f", tensor<?xui{bits}>") if bits else ("", "")
        lines.append(
            f"  %{i} = quant_float.cast %{source}{random[0]} mode p3109 opset 1 projection <D1, {rounding}, {saturation}>"
            f" : tensor<?x{FORMATS[source].mlir}>{random[1]} to {types[-1]}\n"
        )
    for i, (source, scale, target, rounding, saturation) in enumerate(conversions, len(casts)):
        types.append(f"tensor<?x{FORMATS[target].mlir}>")
        op = "convert_to_block" if target in REQUIRED else "convert_from_block"
        lines.append(
            f"  %{i} = quant_float.{op} %{source}, %s_{scale} block [-1] projection <D1, {rounding}, {saturation}>"
            f" : tensor<?x{FORMATS[source].mlir}>, tensor<1x{FORMATS[scale].mlir}> to {types[-1]}\n"
        )
    names = ", ".join(f"%{i}" for i in range(len(types)))
    return (
        f"func.func @main({', '.join(arguments)}, %r: tensor<?xui8>) -> ({', '.join(types)}) {{\n"
        f"{''.join(lines)}  return {names} : {', '.join(types)}\n}}\n"
    )


def scale_values(values, scale, target):
    """Sections 5.1.1 and 5.1.2 of the draft. The quotients that f64 rounds are far from any
    rounding boundary."""
    with np.errstate(all="ignore"):
        if target not in REQUIRED:
            return values * scale
        if np.isinf(scale):
            scaled = np.sign(values) * np.sign(scale)
        else:
            scaled = values / scale if scale else np.zeros_like(values)
    return np.where(np.isnan(values), np.nan, scaled)


def main(tools, compiler, cuda_include, obj_root, folder):
    tools, folder = Path(tools), Path(folder)
    model = folder / "m.mlir"
    casts, conversions = list(make_casts()), list(make_conversions())
    model.write_text(write_model(casts, conversions))
    encodings = {name: make_encodings(name) for name in SOURCES}
    random = np.random.default_rng(3).integers(0, 256, encodings["f32"].size).astype(np.uint8)
    inputs = []
    scales = {
        f"s_{name}": FORMATS[name].encodings(np.array([value])) for name, value in SCALES.items()
    }
    for name, array in [*encodings.items(), *scales.items(), ("r", random)]:
        inputs.append(folder / f"{name}.npy")
        kind = {"f32": np.float32, "f16": np.float16}.get(name.removeprefix("s_"), array.dtype)
        np.save(inputs[-1], array.view(kind))
    failures = []
    with_assembler = os.environ | {"PATH": f"{PTXAS.parent}:{os.environ['PATH']}"}
    for chip in ("sm_80", "sm_90"):
        device, kernels = folder / f"{chip}.ll", folder / f"{chip}.so"
        compile = [tools / "quant-float-compile", model, "--target", "nvvm", "--chip", chip, "-o"]
        subprocess.run([*compile, device, "--emit", "llvm-ir"], check=True)
        # NVIDIA's assembler accepts the code.
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
            values = FORMATS[source].values(encodings[source])
            wanted = project(
                FORMATS[target], values, rounding, saturation, random if bits else 0, bits
            )
            different = np.flatnonzero(found != wanted)
            if different.size:
                j = different[0]
                failures.append(
                    f"{chip}: {source} to {target} {rounding} {saturation}: {different.size} differ, "
                    f"{encodings[source][j]:#x}: {found[j]:#x}, expected {wanted[j]:#x}"
                )
        for i, (source, scale, target, *mode) in enumerate(conversions, len(casts)):
            found = np.load(folder / f"output_{i}.npy")
            found = found.view(f"u{found.dtype.itemsize}")
            values = scale_values(FORMATS[source].values(encodings[source]), SCALES[scale], target)
            wanted = project(FORMATS[target], values, *mode)
            different = np.flatnonzero(found != wanted)
            if different.size:
                j = different[0]
                failures.append(
                    f"{chip}: {source} by {scale} to {target} {mode}: {different.size} differ, "
                    f"{encodings[source][j]:#x}: {found[j]:#x}, expected {wanted[j]:#x}"
                )
    print(f"{2 * (len(casts) + len(conversions))} outputs, {len(failures)} failures")
    return "\n".join(failures[:20]) if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
