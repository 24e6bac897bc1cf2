# The size of a tensor after very many casts is computed without recursion.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir/quant-float-opt %t
import pathlib
import resource
import subprocess
import sys

tool, work = sys.argv[1], pathlib.Path(sys.argv[2])
STEPS = 20_000
# The stack size of a thread.
STACK_BYTES = 1 << 20
SINGLE, HALF = "tensor<?xf32>", "tensor<?xf16>"
lines = [f"func.func @net(%x0: {SINGLE}) -> {SINGLE} {{"]
for i in range(0, STEPS, 2):
    lines.append(f"%x{i + 1} = quant_float.cast %x{i} opset 21 : {SINGLE} to {HALF}")
    lines.append(f"%x{i + 2} = quant_float.cast %x{i + 1} opset 21 : {HALF} to {SINGLE}")
lines += [
    f'%y = quant_float.node "Relu"(%x{STEPS}) opset 21 : ({SINGLE}) -> {SINGLE}',
    f"return %y : {SINGLE}",
    "}",
]
(work / "net.mlir").write_text("\n".join(lines))
result = subprocess.run(
    [tool, work / "net.mlir", "--convert-onnx-nodes-to-linalg"],
    capture_output=True,
    check=True,
    text=True,
    timeout=60,
    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (STACK_BYTES, STACK_BYTES)),
)
assert "linalg.generic" in result.stdout and "quant_float.node" not in result.stdout
