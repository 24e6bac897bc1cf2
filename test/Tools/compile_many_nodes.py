# A function of many nodes with dynamic sizes compiles for GPUs: upstream's conversion of launches
# simplifies blocks in at most ten iterations and fails otherwise, and the size checks create many
# blocks.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir/quant-float-compile %t
import pathlib
import subprocess
import sys

compiler, work = sys.argv[1], pathlib.Path(sys.argv[2])
COUNT, IMAGE, MEAN = 40, "tensor<?x?x?xf32>", "tensor<?x?x1xf32>"
nodes = [
    f'  %y{i} = quant_float.node "GlobalAveragePool"(%x{i}) opset 1 : ({IMAGE}) -> {MEAN}'
    for i in range(COUNT)
]
inputs = ", ".join(f"%x{i}: {IMAGE}" for i in range(COUNT))
types = ", ".join([MEAN] * COUNT)
outputs = ", ".join(f"%y{i}" for i in range(COUNT))
module, kernels = work / "pools.mlir", work / "pools.ptx"
lines = [
    f"func.func @pools({inputs}) -> ({types}) {{",
    *nodes,
    f"  return {outputs} : {types}",
    "}",
]
module.write_text("\n".join(lines))
command = [compiler, module, "--target", "nvvm", "--chip", "sm_90", "-o", kernels]
done = subprocess.run(command, capture_output=True, text=True)
assert done.returncode == 0, done.stderr
# One for each, or a shared one.
assert ".entry" in kernels.read_text()
