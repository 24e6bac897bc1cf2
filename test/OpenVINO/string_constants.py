# Constants of strings, as OpenVINO writes them.
# RUN: rm -rf %t && mkdir %t && %python %s %tools_dir/quant-float-run %t
# RUN: quant-float-translate --import-openvino %t/m.xml | FileCheck %s
import pathlib
import subprocess
import sys

import numpy as np
import openvino as ov

run, folder = sys.argv[1], pathlib.Path(sys.argv[2])
words = [["a", "zwölf"], ["", "xy"]]
# CHECK: arith.constant dense<{{\[\[}}"a", "zw\C3\B6lf"], ["", "xy"]]> : tensor<2x2x!quant_float.string>
stored = np.array([[word.encode() for word in row] for row in words])
constant = ov.op.Constant(ov.Tensor(stored))
ov.serialize(ov.Model([constant.output(0)], [], "m"), folder / "m.xml", folder / "m.bin")
for target in ("cpu", "reference"):
    command = [run, folder / "m.xml", "--target", target, "--outputs", folder]
    subprocess.run(command, check=True)
    got = np.load(folder / "output_0.npy").tolist()
    if got != words:
        sys.exit(f"{target}: {got}")
