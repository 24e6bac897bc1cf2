# Data-dependent result shapes: one kernel returns new arrays of the right shapes each time.
# RUN: %python %s
import expect
import numpy as np
import quant_float as qf

MODEL = """
func.func @main(%x: tensor<?x?xf32>, %shape: tensor<2xi64>) -> (tensor<?x?xi64>, tensor<?x?xf32>) {
  %0 = quant_float.node "NonZero"(%x) opset 13 : (tensor<?x?xf32>) -> tensor<?x?xi64>
  %1 = quant_float.node "Reshape"(%x, %shape) opset 13 : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0, %1 : tensor<?x?xi64>, tensor<?x?xf32>
}
"""

kernel = qf.parse(MODEL).compile()
generator = np.random.default_rng(3)
for rows, columns, shape in ((3, 4, (2, 6)), (1, 5, (-1, 1)), (0, 2, (0, 0)), (4, 4, (0, -1))):
    x = generator.integers(-1, 2, (rows, columns)).astype(np.float32)
    places, reshaped = kernel(x, np.array(shape))
    expect.same(f"places of {x.shape}", places, np.array(np.nonzero(x), np.int64))
    wanted = x.reshape([n or x.shape[i] for i, n in enumerate(shape)])
    expect.same(f"{x.shape} as {shape}", reshaped, wanted)
expect.raises(
    "a shape that does not fit",
    qf.RunError,
    "the number of elements must match the other sizes",
    lambda: kernel(np.zeros((2, 3), np.float32), np.array([4, 2])),
)
expect.finish()
