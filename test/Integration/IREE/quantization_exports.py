# Quantizations exported to IREE's affine quantization, compiled and run by IREE, against the
# reference evaluator.
# REQUIRES: full
# RUN: rm -rf %t && mkdir %t
# RUN: %python -m environment %src_root %obj_root/iree
# RUN: %obj_root/iree/bin/python %s %tools_dir %t
import subprocess
import sys
from pathlib import Path

import iree.compiler
import iree.runtime
import numpy as np
from conformance import quantization_exports as exports

tools, work = Path(sys.argv[1]), Path(sys.argv[2])
CONFIG = iree.runtime.Config("local-task")
EXPORT = ["--convert-quant-float-to-iree-linalg-ext"]
LOWER = ["--convert-quant-float-to-linalg", "--convert-quant-float-to-arith", "--canonicalize"]


def execute(tools, work, source, arrays):
    lowered = work / f"{source.stem}_lowered.mlir"
    command = [tools / "quant-float-opt", source, "--allow-unregistered-dialect", *LOWER]
    subprocess.run([*command, "--mlir-print-op-generic", "-o", lowered], check=True)
    blob = iree.compiler.compile_file(
        str(lowered), target_backends=["llvm-cpu"], extra_args=["--iree-llvmcpu-target-cpu=host"]
    )
    context = iree.runtime.SystemContext(config=CONFIG)
    context.add_vm_module(iree.runtime.VmModule.copy_buffer(context.instance, blob))
    # IREE's integers are signless.
    given = [
        array.view(f"i{array.dtype.itemsize}") if array.dtype.kind == "u" else array
        for array in arrays
    ]
    outputs = context.modules.module["main"](*given)
    return [np.asarray(output.to_host()) for output in outputs]


both = (True, False)
failures = exports.quantizations(
    tools, work, EXPORT, ["i8", "ui8", "i16", "ui16"], ["f32"], both, execute=execute
)
failures += exports.dequantizations(
    tools, work, EXPORT, ["i8", "ui8", "i16", "i32"], ["f32", "f16"], both, True, execute=execute
)
sys.exit(failures != 0)
