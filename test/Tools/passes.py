# Every pass of this project runs on IR with unexpected ops, types and sizes: it leaves them
# unchanged or reports an error. Also in a context into which no other pass or op has loaded a
# dialect.
# RUN: %python %s %tools_dir/quant-float-opt %src_root %S/Inputs/unusual.mlir
import pathlib
import re
import subprocess
import sys

tool, root, unusual = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
PASS = re.compile(r'Pass<\s*"([a-z0-9-]+)"(?:,\s*"([\w:]+)")?')
ANCHORS = {
    "": "builtin.module({})",
    "ModuleOp": "builtin.module({})",
    "FuncOp": "builtin.module(func.func({}))",
    "FunctionOpInterface": "builtin.module(func.func({}))",
    "GPUFuncOp": "builtin.module(gpu.module(gpu.func({})))",
}

passes = [
    found
    for path in sorted((root / "include/quant-float").rglob("Passes.td"))
    for found in PASS.findall(path.read_text())
]
failures = [] if len(passes) > 50 else [f"only {len(passes)} passes"]
for name, anchor in passes:
    pipeline = ANCHORS[anchor.split("::")[-1]].format(name)
    is_for_gpu = "gpu" in pipeline or "nvvm" in pipeline
    target = "{chip=sm_90}" if is_for_gpu else "{cpu=x86-64-v4}"
    on_target = pipeline.replace("(", f"(quant-float-set-target{target},", 1)
    runs = ((pipeline, "module {}"), (on_target, unusual.read_text()))
    for text, ir in runs:
        done = subprocess.run(
            [tool, f"--pass-pipeline={text}", "--split-input-file", "-o", "/dev/null"],
            input=ir,
            capture_output=True,
            text=True,
        )
        if done.returncode not in (0, 1) or (done.returncode == 1) != ("error:" in done.stderr):
            failures.append(f"{text}: exit code {done.returncode}: {done.stderr[-2000:]}")

print("\n".join(failures) or "ok")
sys.exit(bool(failures))
