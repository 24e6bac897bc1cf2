# Random bits and stochastically rounded results on a GPU, executed in the simulator of a driver:
# the bits of the generator and of CPU code.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %clangxx %cuda_include %obj_root %t
import os
import subprocess
import sys
from pathlib import Path

import cuda
import numpy as np
from conformance.stochastic import expect_outputs, make_inputs, write_model
from nvvm.ptx import PTXAS


def main(tools, compiler, cuda_include, obj_root, folder):
    tools, folder = Path(tools), Path(folder)
    model = folder / "m.mlir"
    model.write_text(write_model())
    values = make_inputs()
    inputs = [folder / f"input_{i}.npy" for i in range(len(values))]
    for path, value in zip(inputs, values, strict=True):
        np.save(path, value)
    expected = expect_outputs(values)
    failures = []
    with_assembler = os.environ | {"PATH": f"{PTXAS.parent}:{os.environ['PATH']}"}
    for chip in ("sm_90", "sm_100a"):
        device, kernels = folder / f"{chip}.ll", folder / f"{chip}.so"
        command = [
            tools / "quant-float-compile",
            model,
            "-o",
            device,
            "--target",
            "nvvm",
            "--chip",
            chip,
        ]
        subprocess.run([*command, "--emit", "llvm-ir"], check=True)
        # NVIDIA's assembler accepts the code.
        subprocess.run(
            [*command[:3], folder / f"{chip}.cubin", *command[4:], "--emit", "cubin"],
            env=with_assembler,
            check=True,
        )
        cuda.build_kernels(device.read_text(), kernels, compiler, cuda_include)
        environment = cuda.simulator_environment(obj_root, [kernels], chip=chip[3:].rstrip("a"))
        command = [tools / "quant-float-run", model, "--inputs", *inputs, "--outputs", folder]
        subprocess.run(
            [*command, "--target", "nvvm"], env=environment, check=True, stdout=subprocess.DEVNULL
        )
        for i, wanted in enumerate(expected):
            found = np.load(folder / f"output_{i}.npy")
            found = found.view(f"u{found.dtype.itemsize}")
            different = np.flatnonzero(found.ravel() != wanted.ravel())
            if different.size:
                failures.append(f"{chip}: output {i}: {different.size} of {found.size} differ")
    print(f"{2 * len(expected)} outputs, {len(failures)} failures")
    return "\n".join(failures) if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
