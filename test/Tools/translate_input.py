# A device has no end: it is no input. What comes through a pipe is.
# RUN: rm -rf %t && mkdir %t
# RUN: env PYTHONPATH=%S/Inputs:%S/../helpers %python %s %tools_dir/quant-float-translate %t
import sys

from limits import bounded
from tool import Tool

# Not all of the memory, should it be read.
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
