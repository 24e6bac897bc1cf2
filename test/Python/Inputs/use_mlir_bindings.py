"""The dialect in MLIR's Python bindings."""

import numpy as np
import quant_float
import quant_float.mlir
from mlir.ir import Context, DialectRegistry, Module
from mlir.passmanager import PassManager

TEXT = """func.func @f(%x: vector<4xf32>) -> vector<4xf8E5M2> {
  %0 = quant_float.cast %x opset 19 : vector<4xf32> to vector<4xf8E5M2>
  return %0 : vector<4xf8E5M2>
}"""
PIPELINE = "builtin.module(func.func(convert-quant-float-to-arith{cpu=x86-64-v3}))"

# The package's own models use other contexts, before and after.
model = quant_float.parse(TEXT.replace("vector<4x", "tensor<4x"))
model.run_passes("builtin.module(convert-quant-float-to-linalg)")
registry = DialectRegistry()
quant_float.mlir.register_dialects(registry)
for target in (None, registry):
    with Context() as context:
        if target:
            context.append_dialect_registry(target)
        else:
            quant_float.mlir.register_dialects(context)
        module = Module.parse(TEXT)
        assert module.operation.verify() and "quant_float.cast" in str(module)
        try:
            Module.parse(TEXT.replace("opset 19", "opset 18"))
        except Exception:
            pass
        else:
            raise AssertionError("no error")
        PassManager.parse(PIPELINE).run(module.operation)
        assert "quant_float" not in str(module) and "arith." in str(module), module
assert quant_float.cast(np.float32([1.1]), "f8e5m2").astype(float) == 1
try:
    quant_float.mlir.register_dialects("context")
except TypeError as error:
    print(error)
