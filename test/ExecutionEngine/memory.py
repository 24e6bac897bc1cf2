# Peak memory of a run: inputs, outputs and at most 256 MiB, whatever the tensor's size. A large
# input in a file is not copied, and a large constant stays in its file, too. A sanitizer adds
# shadow memory and redzones, so the peak memory exceeds the limits.
# UNSUPPORTED: sanitizers
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir/quant-float-run %t
# RUN: rm -rf %t
import pathlib
import resource
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

tool, work = sys.argv[1], pathlib.Path(sys.argv[2])
MEBIBYTE = 1 << 20
COUNT = 96 * MEBIBYTE
failures = []

np.save(work / "x.npy", np.zeros(COUNT, "f4"))
(work / "cast.mlir").write_text(
    """
func.func @cast(%x: tensor<?xf32>) -> tensor<?xf8E4M3FN> {
  %0 = quant_float.cast %x opset 19 : tensor<?xf32> to tensor<?xf8E4M3FN>
  return %0 : tensor<?xf8E4M3FN>
}
"""
)
weights = onnx.TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[COUNT])
weights.data_location = TensorProto.EXTERNAL
weights.external_data.add(key="location", value="w.bin")
np.zeros(COUNT, "f4").tofile(work / "w.bin")
graph = helper.make_graph(
    [helper.make_node("Cast", ["w"], ["y"], to=TensorProto.FLOAT8E4M3FN)],
    "weights",
    [],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT8E4M3FN, [COUNT])],
    [weights],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)])
(work / "weights.onnx").write_bytes(model.SerializeToString())

for arguments in (["cast.mlir", "--inputs", "x.npy"], ["weights.onnx"]):
    command = [tool, *arguments, "--outputs", "out"]
    result = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    allowed = COUNT * (4 + 1) + 256 * MEBIBYTE
    if result.returncode:
        failures.append(f"{arguments}: {result.stderr}")
    print(f"{arguments}: {peak / MEBIBYTE:.0f} MiB of {allowed / MEBIBYTE:.0f}")
    if peak > allowed:
        failures.append(f"{arguments}: {peak} bytes, expected at most {allowed}")

sys.exit("\n".join(failures) if failures else 0)
