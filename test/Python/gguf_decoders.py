# A decoder of the architecture `llama` as an ONNX model whose weights are inputs, bound to GGUF files. The logits are those
# that NumPy computes in f64 from the weights that ggml's package dequantizes: after a prompt, and token by token with a cache.
# With activations of 8 bits, as llama.cpp rounds them, they differ by that rounding.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %t
import pathlib
import sys

import numpy as np
import quant_float as qf
from networks.gguf_decoders import (
    Kind,
    Size,
    compute_logits,
    make_gguf_decoder,
    read_weights,
    write_gguf,
)

folder = pathlib.Path(sys.argv[1])
SIZE = Size(256, 4, 512, layers=1)
TOKENS = [5, 9, 400, 3, 77, 12]


def prefill(path, **options):
    module = qf.import_onnx(make_gguf_decoder(SIZE, prompt=True))
    module.bind_weights(path)
    logits = module.compile(**options)(np.array([TOKENS]), np.arange(len(TOKENS))[None])
    return logits[0]


def decode(path, **options):
    module = qf.import_onnx(make_gguf_decoder(SIZE))
    module.bind_weights(path)
    step = module.compile(**options)
    past, rows = [np.zeros((1, 4, 0, 64), np.float32)] * 2, []
    for position, token in enumerate(TOKENS):
        logits, *past = step(np.array([[token]]), np.array([[position]]), *past)
        rows.append(logits[0, 0])
    return rows


failures = 0
for kind in (Kind.Q4_0, Kind.Q8_0, Kind.Q4_K, Kind.MXFP4):
    path = folder / f"{kind.name}.gguf"
    write_gguf(path, kind, SIZE)
    expected = compute_logits(read_weights(path), TOKENS, SIZE)
    for name, results, rows in (
        ("prompt", prefill(path), expected[-1:]),
        ("tokens", decode(path), expected),
        ("tokens, int8", decode(path, activations="int8"), expected),
    ):
        error = np.abs(results - rows).max() / np.abs(rows).max()
        print(f"{kind.name}, {name}: {error:.1e}")
        failures += error > (0.03 if "int8" in name else 5e-6)
sys.exit(f"{failures} results differ by more than expected" if failures else None)
