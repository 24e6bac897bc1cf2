# Mathematical functions of f64 against 80-bit long doubles: dense in their domains, at their
# limits, where signs and infinities matter, and for angles of any size. The errors are below two
# units in the last place, and the bits of kernels, which run as host code (Integration/CUDA), are
# those of CPU code.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t %clangxx %cuda_include %obj_root | FileCheck %s
# CHECK: 8 functions, 0 failures
import pathlib
import subprocess
import sys

import cuda
import numpy as np

tools, work, compiler, cuda_include, obj_root = map(pathlib.Path, sys.argv[1:])
assert np.finfo(np.longdouble).nmant >= 63
random = np.random.default_rng(1)
COUNT = 1 << 15
ends = [710.4, 709.79, 709.78, -745.2, -745.13, -744, -708.4, 22, 22.1, 2.3e-308, 5e-324, 1.7e308]
specials = np.array([0, 1, np.inf, 0.5, 2, np.nan, *ends])
specials = np.concatenate([specials, -specials])


def spread(least, most):
    return random.normal(0, 1, COUNT) * np.exp2(random.integers(least, most, COUNT).astype(float))


bits = random.integers(0, 1 << 64, COUNT, dtype=np.uint64).view(np.float64)
middle = np.concatenate(
    [specials, random.uniform(-746, 710, COUNT), random.uniform(-1, 1, COUNT), spread(-60, 6)]
)
positive = np.concatenate(
    [specials, np.abs(bits), random.uniform(0.5, 2, COUNT), 1 + spread(-50, -1)]
)
# Angles near multiples of a quarter turn are the hardest ones, and the number nearest to one of
# them.
turns = np.arange(1, 1 << 14) * (np.pi / 2)
near = [float.fromhex("0x1.6ac5b262ca1ffp+849"), 1.7976931348623157e308]
angles = np.concatenate(
    [specials, bits, turns, -turns, near, random.uniform(-100, 100, COUNT), spread(-40, 0)]
)
with np.errstate(all="ignore"):
    powers = random.uniform(-1076, 1025, len(positive)) / np.log2(np.abs(positive))
grid = np.meshgrid(specials, specials)
bases = np.concatenate([positive, grid[0].ravel(), -random.uniform(0, 9, 99)])
powers = np.concatenate([powers, grid[1].ravel(), random.integers(-9, 9, 99).astype(float)])
FUNCTIONS = {
    "Exp": (np.exp, 1, [middle]),
    "Log": (np.log, 1, [positive]),
    "Tanh": (np.tanh, 2, [middle]),
    "Sinh": (np.sinh, 2, [middle]),
    "Cosh": (np.cosh, 1.5, [middle]),
    "Sin": (np.sin, 1, [angles]),
    "Cos": (np.cos, 1, [angles]),
    "Pow": (np.power, 1.5, [bases, powers]),
}
failures = []


def run(tool, *arguments, environment=None):
    result = subprocess.run(
        [tools / f"quant-float-{tool}", *map(str, arguments)], env=environment, capture_output=True, text=True, check=False
    )  # fmt: skip
    if result.returncode:
        sys.exit(f"{tool} {' '.join(map(str, arguments))}: {result.stderr}")


text = ""
for name, (_, _, inputs) in FUNCTIONS.items():
    given = ", ".join(f"%{i}: tensor<?xf64>" for i in "xy"[: len(inputs)])
    types = ", ".join(["tensor<?xf64>"] * len(inputs))
    text += f"func.func @f{name}({given}) -> tensor<?xf64> {{\n"
    text += f'  %0 = quant_float.node "{name}"({", ".join("%" + i for i in "xy"[: len(inputs)])}) opset 21 : ({types}) -> tensor<?xf64>\n'
    text += "  return %0 : tensor<?xf64>\n}\n"
model, library, code, device, kernels = (
    work / name for name in ("m.mlir", "m.so", "m.gpu.so", "m.ll", "m.kernels.so")
)
model.write_text(text)
on = ("--target", "nvvm", "--chip", "sm_90")
run("compile", model, "-o", library)
run("compile", model, "-o", code, *on)
run("compile", model, "-o", device, *on, "--emit", "llvm-ir")
cuda.build_kernels(device.read_text(), kernels, compiler, cuda_include)
environment = cuda.simulator_environment(obj_root, [kernels], chip=90)

for name, (function, most, inputs) in FUNCTIONS.items():
    files = [work / f"{name}.{i}.npy" for i in range(len(inputs))]
    for file, values in zip(files, inputs, strict=True):
        np.save(file, values)
    given = ("--entry", f"f{name}", "--inputs", *files, "--outputs")
    run("exec", library, *given, work / f"{name}.cpu")
    run("exec", code, *given, work / f"{name}.gpu", environment=environment)
    got, other = (np.load(work / f"{name}.{where}" / "output_0.npy") for where in ("cpu", "gpu"))
    if not np.array_equal(got.view(np.int64)[~np.isnan(got)], other.view(np.int64)[~np.isnan(got)]):
        failures.append(f"{name}: different bits on a GPU")
    with np.errstate(all="ignore"):
        exact = function(*(values.astype(np.longdouble) for values in inputs))
        rounded = exact.astype(np.float64)
        unit = np.exp2(np.maximum(np.frexp(exact)[1] - 53, -1074).astype(np.longdouble))
        off = np.where(np.isfinite(rounded) & (got != rounded), np.abs(got - exact) / unit, 0)
        # Beyond the largest number, an infinity is equally near.
        same = (got == rounded) | (np.isnan(got) & np.isnan(rounded)) | (off < most)
        same &= np.isnan(rounded) | (np.signbit(got) == np.signbit(rounded))
    if not same.all():
        i = np.flatnonzero(~same)[0]
        failures.append(
            f"{name}({[float(v[i]) for v in inputs]}): expected {rounded[i]!r}, but got {got[i]!r}"
        )
    print(name, f"{np.nanmax(off):.3f} units")
print(f"{len(FUNCTIONS)} functions, {len(failures)} failures")
sys.exit("\n".join(failures) if failures else 0)
