# Dropped modules, kernels, errors and arrays are freed: the library's count of objects returns to
# its initial value, and the process's memory does not grow. With a sanitizer, the resident memory
# grows: there is shadow memory, and AddressSanitizer quarantines freed blocks.
# UNSUPPORTED: sanitizers
# RUN: %python %s %results %if full %{ 10000 %} %else %{ 300 %}
import gc
import json
import pathlib
import sys

import expect
import foreign
import numpy as np
import quant_float as qf
from quant_float import _native

results, cycles = pathlib.Path(sys.argv[1]), int(sys.argv[2])
TYPES = ["f8E4M3FN", "f8E5M2", "f16", "bf16", "i8", "f4E2M1FN"]
MODULE = """
func.func @cast(%x: tensor<?xf32>) -> tensor<?x{to}> {{
  %0 = quant_float.cast %x opset {opset} : tensor<?xf32> to tensor<?x{to}>
  return %0 : tensor<?x{to}>
}}
"""
x = np.linspace(-3, 3, 64, dtype=np.float32)


def read_resident():
    """The memory of this process, in KiB."""
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    return 0


def cycle(number):
    to = TYPES[number % len(TYPES)]
    module = qf.parse(MODULE.format(to=to, opset=28))
    kernel = module.compile(optimization_level=number % 3)
    y = kernel(x)
    if number % 2:
        kernel.close()
        module.close()
    if number % 10 == 0:
        try:
            qf.parse(MODULE.format(to=to, opset=99))
        except qf.ModelError as error:
            assert error.diagnostics
        module = qf.parse(MODULE.format(to=to, opset=28))
        assert module.evaluate(x).dtype == y.dtype
        assert module.check()[0].valid and module.functions and module.bytecode
        qf.cast(foreign.Foreign(x, 2, 32), "f16")
    return y


warm_up = cycles // 3
for number in range(warm_up):
    cycle(number)
gc.collect()
objects, before = _native.get_num_live_objects(), read_resident()
for number in range(warm_up, cycles):
    cycle(number)
gc.collect()
after = read_resident()
expect.true(f"{_native.get_num_live_objects()} objects", _native.get_num_live_objects() == objects)
expect.true("capsules", not foreign.alive)
grown = (after - before) / (cycles - warm_up)
# The size of malloc's arenas converges. A leaked kernel would be 40 KiB or more.
expect.true(f"{grown:.2f} KiB more per cycle", after - before < 4096 + 0.5 * (cycles - warm_up))
record = {
    "cycles": cycles,
    "resident_kib_after_a_third": before,
    "resident_kib": after,
    "kib_per_cycle": round(grown, 3),
}
print(record)
if cycles >= 10000:
    (results / "python_memory.json").write_text(json.dumps(record, indent=2) + "\n")
expect.finish()
