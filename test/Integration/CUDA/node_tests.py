# ONNX's node tests of operators whose conditions, trip counts, sizes or indices are data-dependent,
# and of f64, in the simulator of a driver, and on a GPU if there is one: the results are those of
# ONNX and have the bits of CPU code. The host does not access device memory.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %clangxx %cuda_include %obj_root %t
import os
import re
import subprocess
import sys
from pathlib import Path

import cuda
import numpy as np
from conformance.node_tests import FORMAT_OF_NUMBER, as_tensor, collect, compare
from nvvm.ptx import PTXAS
from onnx import numpy_helper

# Patterns of names of tests. Each group is one library.
GROUPS = {
    "control": "if|loop|scan9|range|det",
    "indices": "scatter|compress|nonzero|onehot|unique|maxunpool|nonmaxsuppression|constantofshape",
    "signals": "dft|stft|hannwindow|hammingwindow|blackmanwindow|reduce_log_sum_exp|affine_grid_2d",
    "sizes": "resize|upsample",
}
# Unsupported on every target: sequences, optional values, unknown sizes, batched scans. One
# recorded result has a rounding error.
REFUSED = re.compile("test_(if_seq|if_opt|loop1.*|scan_sum|dft_inverse.*)$")
EXPECTED = 141


def write_input(path, tensor):
    form = FORMAT_OF_NUMBER[tensor.data_type]
    values = numpy_helper.to_array(tensor)
    if values.dtype.kind == "V" or form.name == "bf16":
        path = path.with_suffix(".bin")
        path.write_bytes(np.ascontiguousarray(form.slots(form.from_array(values))).tobytes())
    else:
        np.save(path, values)
    return path


def main(tools, compiler, cuda_include, obj_root, folder):
    tools, folder = Path(tools), Path(folder)
    failures, runs = [], 0

    def run(tool, *arguments, **environment):
        command = [tools / f"quant-float-{tool}", *map(str, arguments)]
        return subprocess.run(
            command, env=os.environ | environment, capture_output=True, text=True, check=False
        )

    def require(tool, *arguments, **environment):
        result = run(tool, *arguments, **environment)
        if result.returncode != 0:
            sys.exit(f"{tool} {' '.join(map(str, arguments))}: {result.stderr}")
        return result.stdout

    everything = [c for c in collect() if c.data_sets and not REFUSED.match(c.name)]
    for group, pattern in GROUPS.items():
        cases = [c for c in everything if re.match(f"test_({pattern})(_|$|1)", c.name)]
        text = ""
        for case in cases:
            path = folder / f"{case.name}.onnx"
            path.write_bytes(case.model.SerializeToString())
            module = require("translate", "--import-onnx", path, "-o", "-")
            text += "".join(module.splitlines(keepends=True)[1:-1])
        model, library = folder / f"{group}.mlir", folder / f"{group}.so"
        code, device = folder / f"{group}.gpu.so", folder / f"{group}.ll"
        model.write_text(text)
        on = ("--target", "nvvm", "--chip", "sm_90")
        require("compile", model, "-o", library, "-O1")
        require("compile", model, "-o", code, *on)
        require("compile", model, "-o", device, *on, "--emit", "llvm-ir")
        # NVIDIA's assembler accepts the code.
        path = f"{PTXAS.parent}:{os.environ['PATH']}"
        require("compile", model, "-o", folder / f"{group}.cubin", *on, PATH=path)
        kernels = folder / f"{group}.kernels.so"
        cuda.build_kernels(device.read_text(), kernels, compiler, cuda_include)
        environment = cuda.simulator_environment(obj_root, [kernels], chip=90)
        for case in cases:
            for index, (inputs, outputs) in enumerate(case.data_sets):
                runs += 1
                files = [
                    write_input(folder / f"{case.name}.{index}.{i}.npy", as_tensor(value))
                    for i, value in enumerate(inputs)
                ]
                given = ["--entry", case.name, *(["--inputs", *files] if files else [])]
                runs_of_case = [("cpu", library, {}), ("gpu", code, environment)]
                if cuda.has_device("sm_90"):
                    runs_of_case.append(("device", code, {}))
                places = [folder / f"{case.name}.{index}.{where}" for where, _, _ in runs_of_case]
                results = [
                    run("exec", compiled, *given, "--outputs", place, **own)
                    for (_, compiled, own), place in zip(runs_of_case, places, strict=True)
                ]
                said = [result.stderr for result in results if result.returncode != 0]
                for i, value in enumerate(outputs if not said else []):
                    one, *others = (place / f"output_{i}.npy" for place in places)
                    for other in others:
                        wrong = compare(other, as_tensor(value), False, case.rtol, case.atol)
                        if wrong:
                            said.append(f"output {i}: {wrong}")
                        elif one.read_bytes() != other.read_bytes():
                            said.append(f"output {i}: different bits from the CPU's")
                failures += [f"{case.name}: {each}" for each in said]
    if runs != EXPECTED:
        failures.append(f"expected {EXPECTED} runs, but got {runs}")
    print(f"{runs} runs, {len(failures)} failures")
    return "\n".join(failures) if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
