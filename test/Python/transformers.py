# Networks with the structure of common models: a decoder with a cache of keys and values, with int4
# weights in blocks of 32, generates the same tokens as ONNX Runtime. An encoder with float8 weights
# and activations, bidirectional LSTMs and a Loop agree with it. All are also compiled to cubins.
# RUN: %python %s
import os
import pathlib
import sys
import sysconfig

import numpy as np
import onnxruntime
import quant_float as qf
from networks.transformers import (
    VOCABULARY,
    WIDTH,
    decode,
    make_decoder,
    make_encoder,
    make_loop,
    make_lstm,
)

# The assembler of the pinned wheel.
ptxas = pathlib.Path(sysconfig.get_path("purelib")) / "nvidia" / "cu13" / "bin"
os.environ["PATH"] = f"{ptxas}:{os.environ['PATH']}"
rng = np.random.default_rng(12)


def make_session(model):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    # Rewritten graphs round differently.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(model.SerializeToString(), options)


failures = []
decoder = make_decoder()
session, kernel = make_session(decoder), qf.compile(decoder)
names = [entry.name for entry in session.get_inputs()]
expected = decode(lambda *inputs: session.run(None, dict(zip(names, inputs, strict=True))))
found = decode(kernel)
if found != expected:
    failures.append(f"decoder: expected {expected}, but got {found}")
if len(set(expected)) < 10:
    failures.append(f"the decoder repeats itself: {expected}")

encoder = make_encoder()
session, kernel = make_session(encoder), qf.compile(encoder)
for length in (1, 7, 16):
    x = rng.standard_normal((2, length, WIDTH)).astype(np.float32)
    mask = np.tril(np.ones((length, length), bool))
    wanted, got = session.run(None, {"x": x, "mask": mask})[0], kernel(x, mask)
    # Other orders of additions may change a float8 result by a step of 1/16.
    close = np.isclose(got, wanted, 1e-3, 1e-3).mean()
    if got.shape != wanted.shape or close < 0.9 or np.abs(got - wanted).max() > 0.5:
        failures.append(
            f"encoder, {length}: {close:.3f} agree, at most {np.abs(got - wanted).max()} apart"
        )
# Sums of up to 128 products with magnitudes of about 1 differ by at most 128 * 2^-24 between
# orders. A step of the state at most doubles an error, and there are 14 steps, with contracting
# tanh and gates, so that a tolerance of a thousandth for outputs of about 10 is generous.
lstm, loop = make_lstm(), make_loop()
for name, model, x in (
    ("LSTM", lstm, rng.integers(0, VOCABULARY, (7, 3))),
    ("LSTM of one", lstm, rng.integers(0, VOCABULARY, (1, 3))),
    ("Loop", loop, rng.standard_normal((4, 32)).astype(np.float32)),
):
    session = make_session(model)
    wanted, got = session.run(None, {session.get_inputs()[0].name: x}), qf.compile(model)(x)
    for one, other in zip(wanted, got if isinstance(got, tuple) else (got,), strict=True):
        if one.shape != other.shape or not np.allclose(one, other, 1e-3, 1e-3):
            failures.append(f"{name}: {np.abs(one - other).max()} apart")

for name, model in (("decoder", decoder), ("encoder", encoder), ("LSTM", lstm), ("Loop", loop)):
    cubin = qf.import_onnx(model).emit("cubin", target="nvvm", chip="sm_90")
    if b"\x7fELF" not in cubin:
        failures.append(f"{name}: no cubin")
print(*failures, sep="\n")
sys.exit(bool(failures))
