# Tensors of PyTorch as inputs and outputs of kernels and array functions, and results as tensors,
# without copies.
# REQUIRES: full
# RUN: %python -m model_zoo.environment %src_root %obj_root/networks/venv
# RUN: %obj_root/networks/venv/bin/python %s
import expect
import ml_dtypes
import numpy as np
import quant_float as qf
import torch

TYPES = (
    "float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "uint16", "int32", "int64",
    "bool", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu",
)  # fmt: skip
ENCODINGS = {1: torch.uint8, 2: torch.uint16, 4: torch.uint32, 8: torch.uint64}
pointers = []
run = qf.Kernel.run


def spy(self, inputs, outputs):
    pointers.append([tensor.data.ctypes.data for tensor in (*inputs, *outputs)])
    run(self, inputs, outputs)


qf.Kernel.run = spy
for name in TYPES:
    dtype, element = getattr(torch, name), qf.dtype(getattr(torch, name))
    values = np.float32([[1, 0, 4], [1, 2, 1]])
    array = qf.cast(values, element)
    if name == "bool":
        tensor = torch.from_numpy(array)
    else:
        tensor = torch.from_numpy(expect.encodings(array)).view(dtype)
    out = torch.empty(2, 3)
    pointers.clear()
    expect.true(f"{name}: out", qf.cast(tensor, "float", out=out) is out)
    expect.true(f"{name}: no copy", pointers == [[tensor.data_ptr(), out.data_ptr()]])
    expect.same(f"{name}: values", out.numpy(), array.astype(np.float32))
    back = torch.empty(2, 3, dtype=dtype)
    qf.cast(out, element, out=back)
    expect.true(f"{name}: no copy of the result", pointers[1] == [out.data_ptr(), back.data_ptr()])
    same = torch.equal(back.view(ENCODINGS[dtype.itemsize]), tensor.view(ENCODINGS[dtype.itemsize]))
    expect.true(f"{name}: back", same)
    made = torch.from_dlpack(qf.as_dlpack(array))
    expect.true(f"{name}: exported", made.dtype is dtype and made.data_ptr() == array.ctypes.data)
    kernel = qf.parse(f"""func.func @f(%x: tensor<?x3x{element.mlir}>) -> tensor<?x3xf32> {{
      %0 = quant_float.cast %x opset 28 : tensor<?x3x{element.mlir}> to tensor<?x3xf32>
      return %0 : tensor<?x3xf32>
    }}""").compile()
    pointers.clear()
    result = kernel(tensor)
    expect.true(f"{name}: kernel", pointers == [[tensor.data_ptr(), result.ctypes.data]])
    expect.true(f"{name}: kernel, out", kernel(tensor, out=out) is out)
    expect.true(f"{name}: in place", pointers[1] == [tensor.data_ptr(), out.data_ptr()])

# Packed: two elements in a byte.
x = np.float32([[0.5, -6, 1.5, 2], [4, 0, -0.5, 3]])
packed = qf.pack(qf.cast(x, "float4e2m1"))
tensor = torch.from_dlpack(qf.as_dlpack(packed))
expect.true("packed", tensor.dtype is torch.float4_e2m1fn_x2 and tensor.shape == (2, 2))
expect.true("packed: no copy", tensor.data_ptr() == packed.bytes.ctypes.data)
pointers.clear()
expect.same("packed: input", qf.cast(tensor, "float"), x)
expect.true("packed: its memory", pointers[0][0] == tensor.data_ptr())
out = torch.zeros(2, 2, dtype=torch.uint8).view(torch.float4_e2m1fn_x2)
qf.cast(torch.from_numpy(x), "float4e2m1", out=out)
expect.true("packed: out", pointers[1][1] == out.data_ptr())
expect.same("packed: bytes", out.view(torch.uint8).numpy().ravel(), packed.bytes)

# A tensor keeps the memory of a result alive.
made = torch.from_dlpack(qf.as_dlpack(qf.cast(np.full(1 << 16, 1.1, np.float32), "float8e4m3fn")))
junk = [np.zeros(1 << 16, np.uint8) for _ in range(8)]
expect.true("owner", bool((made.float() == 1.125).all()))
strided = torch.arange(6.0).reshape(2, 3).t()
expect.same("strides", qf.cast(strided, "bf16"), strided.numpy().astype(ml_dtypes.bfloat16))
expect.finish()
