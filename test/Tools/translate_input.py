# Devices are endless, and rejected as inputs. Pipes are accepted.
# RUN: rm -rf %t && mkdir %t
# RUN: env PYTHONPATH=%S/Inputs:%S/../helpers %python %s %tools_dir/quant-float-translate %t
import sys

from limits import bounded
from tool import Tool

# A limit, in case the tool reads it.
program, *options = [*bounded(2**33), sys.argv[1]]
tool = Tool(program, sys.argv[2], *options)
for option in ("--import-onnx", "--import-openvino"):
    for device in ("/dev/zero", "/dev/null"):
        message = f"{device}: error: expected a file or a pipe, but got a device"
        tool.run(1, option, device, "-o", "out.mlir", stderr=message)
tool.run(1, "--import-openvino", "-", stdin="<net", stderr="<stdin>:1:")
if (tool.work / "out.mlir").exists():
    tool.failures.append("something was written")
tool.finish()
