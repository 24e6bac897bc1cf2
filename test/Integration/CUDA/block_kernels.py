# Quantizations of blocks and rows, each of which is one kernel that reads every element once. The
# simulator of a driver executes them and counts accesses. The oracle is NumPy.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %clangxx %cuda_include %obj_root %t
import os
import subprocess
import sys
from pathlib import Path

import cuda
import numpy as np
from conformance import block_cases as cases
from conformance import blocks
from nvvm.ptx import PTXAS

# Sizes, block, chip, type, whether the sizes are dynamic, and the stride through the list of rules.
CASES = (
    # Blocks of rows: one, two and eight threads, partial blocks, and columns that are no multiple
    # of vectors.
    ((8, 64), (1, 16), "sm_100a", "f32", False, 5),
    ((9, 96), (1, 32), "sm_100a", "f16", True, 5),
    ((7, 70), (1, 32), "sm_90", "f32", True, 7),
    ((7, 45), (1, 32), "sm_75", "bf16", False, 7),
    ((7, 300), (1, 128), "sm_89", "f16", True, 8),
    # Entire rows, for a part of a warp, a warp, several warps, and 1024 threads.
    ((9, 21), (1, -1), "sm_90", "f32", False, 8),
    ((7, 1000), (1, -1), "sm_103a", "f16", False, 8),
    ((7, 4096), (1, -1), "sm_90", "f32", False, 11),
    ((7, 20000), (1, -1), "sm_120a", "bf16", False, 17),
    # Blocks of columns.
    ((64, 72), (32, 1), "sm_100a", "f32", False, 13),
    ((70, 45), (32, 1), "sm_90", "f16", True, 23),
    ((40, 24), (16, 1), "sm_80", "f32", True, 13),
    ((130, 24), (128, 1), "sm_90", "f32", False, 31),
    # Blocks of rows and columns.
    ((9, 40), (2, 8), "sm_90", "f32", True, 7),
    ((130, 260), (128, 128), "sm_90", "bf16", True, 23),
    ((256, 128), (128, 128), "sm_100a", "f32", False, 23),
    ((9, 40), (-1, -1), "sm_75", "f32", False, 8),
    ((0, 64), (1, 32), "sm_90", "f32", True, 11),
    ((0, 64), (32, 1), "sm_90", "f32", True, 11),
)
# Packed results of 4 and 6 bits. The rows have a static size that fills entire bytes, also if it is
# no multiple of vectors.
PACKED = (
    ((8, 64), (1, 16), "sm_100a", "f32", False, 7),
    ((9, 96), (1, 32), "sm_100a", "f16", (True, False), 11),
    ((7, 76), (1, 32), "sm_75", "bf16", (True, False), 7),
    ((7, 1000), (1, -1), "sm_90", "f32", (True, False), 17),
    ((64, 72), (32, 1), "sm_100a", "f32", False, 11),
    ((70, 44), (16, 1), "sm_90", "f16", (True, False), 17),
    ((9, 40), (2, 8), "sm_90", "f32", (True, False), 11),
)
LEVEL = np.float32(0.0078125)


def read_accesses(file):
    """For each kernel: loads, bytes, stores, bytes."""
    lines = file.read_text().split("\n")[:-1] if file.exists() else []
    return [[int(number) for number in line.split()[1:]] for line in lines]


def main(tools, compiler, cuda_include, obj_root, folder):
    tools, folder = Path(tools), Path(folder)
    with_assembler = os.environ | {"PATH": f"{PTXAS.parent}:{os.environ['PATH']}"}
    failures = 0
    for index, (shape, block, chip, x_type, is_dynamic, step) in enumerate(CASES + PACKED):
        is_packed = index >= len(CASES)
        name = f"{chip}: {shape} of {x_type} in {block}{', packed' * is_packed}"
        rules = [rule for rule in cases.RULES if not is_packed or cases.get_bits(rule[1]) < 8]
        rules = rules[index % step :: step]
        model = folder / f"{index}.mlir"
        model.write_text(cases.write_kernels(rules, shape, block, x_type, is_dynamic, is_packed))
        device, kernels = folder / f"{index}.ll", folder / f"{index}.so"
        command = [tools / "quant-float-compile", model, "-o", device, "--target", "nvvm", "--chip", chip]  # fmt: skip
        subprocess.run([*command, "--emit", "llvm-ir"], check=True)
        command[3] = folder / f"{index}.cubin"
        subprocess.run([*command, "--emit", "cubin"], env=with_assembler, check=True)
        cuda.build_kernels(device.read_text(), kernels, compiler, cuda_include)
        accesses = folder / f"{index}.accesses"
        environment = cuda.simulator_environment(
            obj_root, [kernels], chip=chip[3:].rstrip("a"), accesses=accesses
        )
        is_large = shape[0] >= 7 and shape[1] >= 21
        for kind in ("usual", "edge", "special") if is_large else ("usual",):
            accesses.unlink(missing_ok=True)
            with np.errstate(all="ignore"):
                data = cases.inputs(shape, kind).astype(cases.DTYPES[x_type])
            cases.save_input(folder / "x.npy", data)
            np.save(folder / "t.npy", LEVEL)
            inputs = []
            for rule, _, _ in rules:
                inputs += [folder / "x.npy"] + [folder / "t.npy"] * (rule in blocks.TWO_LEVELS)
            out = folder / f"{index}-{kind}"
            command = [tools / "quant-float-run", model, "--inputs", *inputs, "--outputs", out, "--target", "nvvm"]  # fmt: skip
            subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
            outputs = [np.load(out / f"output_{i}.npy") for i in range(2 * len(rules))]
            for i, case in enumerate(rules):
                q, s = outputs[2 * i : 2 * i + 2]
                if not is_large:
                    failures += q.shape != shape
                    continue
                level = blocks.Level(scale=LEVEL) if case[0] in blocks.TWO_LEVELS else None
                failures += cases.check(f"{name}, {kind}: {' '.join(case)}", case, data, block, [q, s], level)  # fmt: skip
            # Each kernel loads an input once, and each thread loads the scale of a tensor.
            counts = sorted(read_accesses(accesses))
            expected = sorted(
                (
                    data.nbytes,
                    (q.size * cases.get_bits(case[1]) // 8 if is_packed else q.nbytes) + s.nbytes,
                )
                for case, q, s in zip(rules, outputs[::2], outputs[1::2], strict=True)
                if case[0] not in blocks.TWO_LEVELS
            )
            found = sorted((bytes_, stored) for _, bytes_, _, stored in counts)
            missing = list(expected)
            for count in found:
                if count in missing:
                    missing.remove(count)
            if len(counts) != len(rules) or missing:
                print(f"{name}: {len(rules)} kernels with accesses to {expected} bytes, but got {found}")  # fmt: skip
                failures += 1
        print(f"{name}: {len(rules)} rules", flush=True)
    return failures > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
