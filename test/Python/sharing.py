# Entry points that compute the same share a kernel: each keeps its name, its index, its arguments'
# names and its weights, in libraries for one and for several CPU levels and in the process.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
import quant_float as qf
from quant_float import _native
from quant_float._kernels import Kernel
from sanitizers import tool_environment

tools, work = sys.argv[1], Path(sys.argv[2])
failures = []


def check(what, given, expected):
    if given != expected:
        failures.append(f"{what}: expected {expected!r}, but got {given!r}")


def add(name, argument, weights):
    values = ", ".join(f"{value:.1f}" for value in weights)
    return f"""func.func @{name}(%x: tensor<?xf32> {{quant_float.name = "{argument}"}}) -> (tensor<?xf32>) {{
  %c0 = arith.constant 0 : index
  %w = arith.constant dense<[{values}]> : tensor<{len(weights)}xf32>
  %wide = tensor.cast %w : tensor<{len(weights)}xf32> to tensor<?xf32>
  %y = arith.addf %x, %wide : tensor<?xf32>
  return %y : tensor<?xf32>
}}
"""


ONE, OTHER = range(300), range(7, 307)
FUNCTIONS = {
    "zebra": ("x", ONE),
    "ape": ("ape x", OTHER),
    "bee": ("x of bee", ONE),
    "cat": ("x", OTHER),
}
source = work / "model.mlir"
source.write_text("".join(add(name, *rest) for name, rest in FUNCTIONS.items()))
x = np.linspace(-5, 5, 300, dtype=np.float32)

libraries = {}
for cpu in ("host", "x86-64,x86-64-v3" if platform.machine() == "x86_64" else "generic"):
    library = work / f"{cpu}.so"
    done = subprocess.run(
        [f"{tools}/quant-float-compile", source, "-o", library, "--cpu", cpu],
        capture_output=True,
        text=True,
        check=False,
        env=tool_environment(),
    )
    if done.returncode:
        sys.exit(done.stderr)
    libraries[cpu] = library
header = (work / "host.h").read_text()
places = [header.index(f"int {name}(") for name in FUNCTIONS]
check("the header's order", sorted(places), places)

# All in one module, where weights are arguments, so that all four share a kernel.
every = qf.load(source)._native.compile(_native.Options(), None)
check("entry points in the process", every.num_entries, len(FUNCTIONS))

for place, (name, (argument, weights)) in enumerate(FUNCTIONS.items()):
    expected = x + np.asarray(weights, np.float32)
    kernels = {cpu: qf.load_kernel(library, function=name) for cpu, library in libraries.items()}
    kernels["process"] = qf.load(source).compile(function=name)
    kernels["all in the process"] = Kernel(every, place)
    for kind, kernel in kernels.items():
        check(f"{name}, {kind}: name", kernel.name, name)
        check(f"{name}, {kind}: bits", kernel(x).tobytes(), expected.tobytes())
        check(f"{name}, {kind}: argument", kernel.inputs[0].name, argument)
        try:
            kernel(x[:-1])
            failures.append(f"{name}, {kind}: 299 elements are not rejected")
        except qf.RunError as error:
            if not str(error).startswith(f"{name}: "):
                failures.append(f"{name}, {kind}: the error does not name the entry point: {error}")
if failures:
    sys.exit("\n".join(failures))
