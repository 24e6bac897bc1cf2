# Mathematical functions of f32 against NumPy's in f64: dense in their domains, at their limits, at
# powers of two, where signs and infinities matter, and for angles of any size. The errors are a few
# units in the last place at most, and the bits are the same from code for x86-64 CPUs of each kind
# and from kernels, which run as host code (Integration/CUDA). The results are kept for comparison
# with other machines.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t %clangxx %cuda_include %obj_root | FileCheck %s
# RUN: %if qemu-aarch64 %{ %python %s %tools_dir %t %src_root aarch64 --triple aarch64-linux-gnu --cpu generic -- %clang_aarch64 -static -- %run_aarch64 %}
# RUN: %if qemu-riscv64 %{ %python %s %tools_dir %t %src_root riscv64 --triple riscv64-linux-gnu --cpu rv64gcv -- %clang_riscv64 -static -- %run_riscv64 %}
# CHECK: 15 functions, 0 failures
import pathlib
import subprocess
import sys

import cuda
import numpy as np
import onnx
from compiled_cases import Argument, Case, split_commands
from compiled_cases import run as run_cases
from onnx import TensorProto, helper

tools, work = sys.argv[1], pathlib.Path(sys.argv[2])


def call_elsewhere(src_root, machine, *words):
    """Except for NaNs, whose sign depends on the machine, the bits equal those of this machine."""
    text, cases = "", []
    for path in sorted(work.glob("*.npz")):
        arrays = np.load(path)
        names = [name for name in ("x", "e") if name in arrays]
        given = ", ".join(f"%{name}: tensor<?xf32>" for name in names)
        types = ", ".join(["tensor<?xf32>"] * len(names))
        operands = ", ".join(f"%{name}" for name in names)
        text += f"func.func @f{path.stem}({given}) -> tensor<?xf32> {{\n"
        text += f'  %0 = quant_float.node "{path.stem}"({operands}) opset 21 : ({types}) -> tensor<?xf32>\n'
        text += "  return %0 : tensor<?xf32>\n}\n"
        inputs, output = [arrays[name] for name in names], arrays["y"]
        # Every third value, as the driver has limited memory.
        kept = np.flatnonzero(~np.isnan(output))[::3]
        arguments = [Argument(1, a[kept].shape, a[kept].tobytes()) for a in (*inputs, output)]
        cases.append(Case(f"f{path.stem}", path.stem, arguments[:-1], arguments[-1:]))
    folder = work / machine
    folder.mkdir()
    return run_cases(tools, src_root, folder, split_commands(words), text, cases)


if "--" in sys.argv:
    sys.exit(call_elsewhere(*sys.argv[3:]))
compiler, cuda_include, obj_root = sys.argv[3:]
random = np.random.default_rng(1)
specials = np.float32(
    [0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 0.5, -0.5, 2, -2, 1e-45, -1e-45, 1e-38, 3e38, -3e38]
)
powers = np.exp2(np.arange(-149, 128)).astype(np.float32)
wide = (random.normal(0, 1, 1 << 16) * np.exp2(random.integers(-40, 40, 1 << 16))).astype(
    np.float32
)
bits = random.integers(0, 1 << 32, 1 << 16, dtype=np.uint64).astype(np.uint32).view(np.float32)
anything = np.concatenate([specials, powers, -powers, wide, bits])
unit = np.concatenate([specials, np.linspace(-1, 1, 1 << 16, dtype=np.float32), powers[:149], wide])
# Angles near multiples of a quarter turn are the hardest ones.
turns = (np.arange(1, 1 << 14) * (np.pi / 2)).astype(np.float32)
angles = np.concatenate(
    [anything, turns, -turns, np.linspace(-100, 100, 1 << 16, dtype=np.float32)]
)
UNARY = {
    "Sin": (np.sin, angles, 2),
    "Cos": (np.cos, angles, 2),
    "Tan": (np.tan, angles, 4),
    "Asin": (np.arcsin, unit, 3),
    "Acos": (np.arccos, unit, 3),
    "Atan": (np.arctan, anything, 3),
    "Sinh": (
        np.sinh,
        np.concatenate([anything, np.linspace(-92, 92, 1 << 16, dtype=np.float32)]),
        5,
    ),
    "Cosh": (
        np.cosh,
        np.concatenate([anything, np.linspace(-92, 92, 1 << 16, dtype=np.float32)]),
        5,
    ),
    "Tanh": (np.tanh, anything, 3),
    "Asinh": (np.arcsinh, anything, 4),
    "Acosh": (
        np.arccosh,
        np.concatenate([anything, np.linspace(1, 9, 1 << 16, dtype=np.float32)]),
        4,
    ),
    "Atanh": (np.arctanh, unit, 4),
    "Exp": (np.exp, anything, 2),
    "Log": (np.log, anything, 2),
}
x, y = np.meshgrid(
    np.concatenate([specials, np.float32([3, -3, 1.5, -7, 1e9, 16777217, 0.1])]),
    specials.tolist() + [3, -3, 1e9, 4, 0.1, 1.25, -151],
)
bases = np.concatenate(
    [x.ravel(), np.exp2(random.uniform(-30, 30, 1 << 16)), -np.arange(1, 41)]
).astype(np.float32)
exponents = np.concatenate([y.ravel(), random.uniform(-6, 6, 1 << 16), np.arange(-20, 20)]).astype(
    np.float32
)


def make(op, names):
    nodes = [helper.make_node(op, names, ["y"], op)]
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n"]) for name in names]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n"])]
    graph = helper.make_graph(nodes, "g", inputs, outputs)
    path = work / f"{op}.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)]), path)
    return path


def run(path, inputs, *options, environment=None):
    files = []
    for i, values in enumerate(inputs):
        files.append(work / f"in{i}.npy")
        np.save(files[-1], values)
    out = work / "out"
    subprocess.run(
        [f"{tools}/quant-float-run", path, *options, "--inputs", *files, "--outputs", out],
        env=environment,
        check=True,
    )
    return np.load(out / "output_0.npy")


failures = 0
for op, (function, *inputs, most) in (UNARY | {"Pow": (np.power, bases, exponents, 1)}).items():
    path = make(op, ["x", "e"][: len(inputs)])
    with np.errstate(all="ignore"):
        exact = function(*(values.astype(np.float64) for values in inputs))
        wanted = exact.astype(np.float32)
    found = run(path, inputs)
    isSpecial = ~np.isfinite(wanted) | ~np.isfinite(found) | (wanted == 0)
    # A result that overflows may be the largest number, and vice versa.
    largest = np.finfo(np.float32).max
    isEdge = np.abs(np.abs(exact) / np.float64(largest) - 1) < 1e-6
    same = (found == wanted) & (np.signbit(found) == np.signbit(wanted)) | (
        np.isnan(found) & np.isnan(wanted)
    )
    wrong = isSpecial & ~same & ~isEdge
    with np.errstate(all="ignore"):
        unit_in_last_place = np.maximum(np.spacing(np.abs(wanted)), np.float32(1e-45)).astype(
            np.float64
        )
        error = np.abs(found - exact) / unit_in_last_place
    worst = error[~isSpecial].max()
    # A kernel as PTX, and as LLVM IR for the simulator.
    kernel, library = work / "k.ll", work / "k.so"
    nvvm = ["--target", "nvvm", "--chip", "sm_90"]
    for output, more in ((work / "k.ptx", []), (kernel, ["--emit", "llvm-ir"])):
        subprocess.run(
            [f"{tools}/quant-float-compile", path, *nvvm, *more, "-o", output], check=True
        )
    cuda.build_kernels(kernel.read_text(), library, compiler, cuda_include)
    simulated = cuda.simulator_environment(obj_root, [library], chip=90)
    others = {cpu: run(path, inputs, "--cpu", cpu) for cpu in ("x86-64", "x86-64-v3")}
    others["nvvm"] = run(path, inputs, *nvvm, environment=simulated)
    for target, other in others.items():
        if not np.array_equal(other.view("u4")[~np.isnan(found)], found.view("u4")[~np.isnan(found)]) or not np.array_equal(np.isnan(other), np.isnan(found)):  # fmt: skip
            failures += 1
            print(f"{op}: different bits with {target}")
    names = ["x", "e"][: len(inputs)]
    np.savez(work / f"{op}.npz", y=found, **dict(zip(names, inputs, strict=True)))
    isRight = not wrong.any() and worst <= most
    failures += not isRight
    print(f"{op}: {len(found)} values, {worst:.2f} units at worst")
    if not isRight:
        at = (
            np.flatnonzero(wrong)[:5] if wrong.any() else [np.argmax(np.where(isSpecial, 0, error))]
        )
        for i in at:
            print(
                "  ", *(values[i] for values in inputs), "gives", found[i], "instead of", wanted[i]
            )
print(f"{len(UNARY) + 1} functions, {failures} failures")
sys.exit(bool(failures))
