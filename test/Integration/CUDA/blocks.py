# Blocks with scales on a GPU, executed in the simulator of a driver, against an oracle in NumPy.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %clangxx %cuda_include %obj_root %t
import os
import subprocess
import sys
from pathlib import Path

import cuda
import numpy as np
from conformance import block_cases as cases
from nvvm.ptx import PTXAS


def main(tools, compiler, cuda_include, obj_root, folder):
    tools, folder = Path(tools), Path(folder)
    with_assembler = os.environ | {"PATH": f"{PTXAS.parent}:{os.environ['PATH']}"}
    failures = 0
    for index, (shape, block, chip, is_dynamic) in enumerate(
        [
            ((7, 70), (1, 32), "sm_90", True),
            ((8, 64), (1, 16), "sm_100a", False),
            ((9, 40), (-1, -1), "sm_75", False),
            ((9, 40), (2, 8), "sm_90", True),
        ]
    ):
        rules = cases.RULES[index::7]
        rules += [case for case in cases.RULES if case[0] in ("torchao", "ggml")]
        model = folder / f"{index}.mlir"
        model.write_text(cases.write_model(rules, shape, block, is_dynamic=is_dynamic))
        device, kernels = folder / f"{index}.ll", folder / f"{index}.so"
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
        command[3] = folder / f"{index}.cubin"
        subprocess.run([*command, "--emit", "cubin"], env=with_assembler, check=True)
        cuda.build_kernels(device.read_text(), kernels, compiler, cuda_include)
        environment = cuda.simulator_environment(obj_root, [kernels], chip=chip[3:].rstrip("a"))
        for kind in ("usual", "edge", "special"):
            with np.errstate(all="ignore"):
                data = cases.inputs(shape, kind)
            cases.save_input(folder / "x.npy", data)
            out = folder / f"{index}-{kind}"
            command = [
                tools / "quant-float-run",
                model,
                "--inputs",
                folder / "x.npy",
                "--outputs",
                out,
            ]
            subprocess.run(
                [*command, "--target", "nvvm"],
                env=environment,
                check=True,
                stdout=subprocess.DEVNULL,
            )
            failures += cases.check_all(
                f"{chip}: {shape} in {block}, {kind}", rules, data, block, out
            )
        print(f"{chip}: {len(rules)} rules")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
