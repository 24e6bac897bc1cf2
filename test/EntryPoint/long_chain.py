# A size that depends on another one through a very long chain of ops. The checks before the kernel
# are computed without recursion.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import pathlib
import resource
import subprocess
import sys

tools_dir, work = map(pathlib.Path, sys.argv[1:])
STEPS = 100_000
# The stack size of a thread.
STACK_BYTES = 1 << 20
T = "tensor<?x?xf32>"
lines = [
    f"func.func @net(%x: {T}) -> {T} {{",
    "%c0 = arith.constant 0 : index",
    "%c1 = arith.constant 1 : index",
    f"%n0 = tensor.dim %x, %c0 : {T}",
    f"%m = tensor.dim %x, %c1 : {T}",
]
lines += [f"%n{i + 1} = arith.divui %n{i}, %m : index" for i in range(STEPS)]
lines += [
    f"%even = arith.cmpi eq, %n{STEPS}, %m : index",
    'cf.assert %even, "the last size equals the second"',
    f"return %x : {T}",
    "}",
]
(work / "net.mlir").write_text("\n".join(lines))
command = [tools_dir / "quant-float-opt", work / "net.mlir", "--quant-float-make-entry-points"]
result = subprocess.run(
    command,
    capture_output=True,
    check=True,
    text=True,
    timeout=60,
    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (STACK_BYTES, STACK_BYTES)),
)
assert 'message = "the last size equals the second"' in result.stdout, result.stdout[:2000]
