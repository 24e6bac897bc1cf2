# With a driver: runs the package that benchmarks/gpu/prepare creates with its single command, and
# models by quant-float-run, against the CPU.
# REQUIRES: cuda
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %src_root %obj_root %tools_dir %t %if full %{ full %}
import json
import os
import subprocess
import sys
from pathlib import Path

import gpu_models


def main(src_root, obj_root, tools, folder, full=""):
    tools, folder = Path(tools), Path(folder)
    failures = []
    sizes = [] if full else ["--sweep", "0x1000000", "--elements", "0x1000000"]
    subprocess.run(
        [sys.executable, f"{src_root}/benchmarks/gpu/prepare", folder / "package", *sizes],
        env=dict(os.environ, QUANT_FLOAT_BUILD=obj_root), check=True,
    )  # fmt: skip
    results = folder / "results.json"
    if subprocess.run([folder / "package/run.sh", results], check=False).returncode:
        failures.append("run.sh: not all checks agree")
    print(json.dumps(json.loads(results.read_text())["timed"], indent=1))

    model = folder / "model.mlir"
    model.write_text(gpu_models.cast("f32", "f8E4M3FN"))
    for size in (0, 1, 1003, 1 << 20):
        outputs = []
        for target in ("cpu", "nvvm"):
            subprocess.run(
                [tools / "quant-float-run", model, "--random", "1", "--shapes", f"x={size}", "--target", target,
                 "--outputs", folder / target],
                check=True,
            )  # fmt: skip
            outputs.append((folder / target / "output_0.npy").read_bytes())
        if outputs[0] != outputs[1]:
            failures.append(f"{size} elements: the outputs differ")
    return "\n".join(failures) if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
