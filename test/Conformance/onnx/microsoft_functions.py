# Operators of com.microsoft that are defined by ONNX's, with random choices of inputs and attributes: the outputs of
# quant-float-run are those of ONNX Runtime, with static and with open sizes.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t %if full %{ 40 %} %else %{ 5 %}
import sys

import numpy as np
from conformance.op_cases import Constant, add, floats, get_expected, make_model, rng, run

OPSET = 17
MICROSOFT = {"domain": "com.microsoft"}


def sizes(count):
    return [int(size) for size in rng.integers(1, 6, count)]


def maybe(value):
    return value if rng.random() < 0.5 else None


def trimmed(*inputs):
    inputs = list(inputs)
    while inputs[-1] is None:
        inputs.pop()
    return inputs


def add_activations():
    shape = sizes(rng.integers(1, 4))
    x = floats(*shape) * np.float32(3)
    add("BiasGelu", OPSET, x, floats(shape[-1]), **MICROSOFT)
    add("Gelu", OPSET, x, **MICROSOFT)
    add("FastGelu", OPSET, *trimmed(x, maybe(floats(shape[-1]))), **MICROSOFT)
    add("QuickGelu", OPSET, x, alpha=float(rng.choice([1.0, 1.702])), **MICROSOFT)


def add_normalizations():
    batch, length, hidden = sizes(3)
    hidden += 1
    x, skip = floats(batch, length, hidden), floats(batch, length, hidden)
    scale, shift, bias = floats(hidden), maybe(floats(hidden)), maybe(floats(hidden))
    epsilon = {"epsilon": float(rng.choice([1e-5, 1e-3]))}
    outputs = [(0,), (0, 3)][int(rng.integers(2))]
    add(
        "SkipLayerNormalization",
        OPSET,
        *trimmed(x, skip, scale, shift, bias),
        outputs=outputs,
        **epsilon,
        **MICROSOFT,
    )
    add(
        "SkipSimplifiedLayerNormalization",
        OPSET,
        *trimmed(x, skip, scale, bias),
        outputs=outputs,
        **epsilon,
        **MICROSOFT,
    )
    axis = {"axis": int(rng.choice([-1, 2]))}
    # ONNX Runtime has these among ONNX's.
    add("SimplifiedLayerNormalization", OPSET, x, scale, **axis, **epsilon)
    add("LayerNormalization", 16, *trimmed(x, scale, shift), **axis, **epsilon)


def add_products():
    batch, rows, columns, inner = sizes(4)
    alpha = {"alpha": float(rng.choice([1.0, 0.25]))}
    transposed = {"transA": int(rng.integers(2)), "transB": int(rng.integers(2))}
    a = floats(batch, inner, rows) if transposed["transA"] else floats(batch, rows, inner)
    b = floats(columns, inner) if transposed["transB"] else floats(inner, columns)
    add("FusedMatMul", OPSET, a, b, **alpha, **transposed, **MICROSOFT)


def add_positions():
    batch, length, heads = sizes(3)
    width, most = 2 * int(rng.integers(1, 5)), 12
    x = floats(batch, length, heads * width)
    if rng.random() < 0.5:
        x = np.ascontiguousarray(x.reshape(batch, length, heads, width).transpose(0, 2, 1, 3))
    angles = floats(most, width // 2)
    first = rng.integers(0, most - length, 1)
    each = rng.integers(0, most, (batch, length))
    tables = [Constant(), Constant()]
    for table, function in zip(tables, (np.cos, np.sin), strict=True):
        table.value = function(angles)
    positions = first if rng.random() < 0.5 else each
    choices = {"interleaved": int(rng.integers(2))}
    # Without their number the heads are as wide as the tables.
    refused = None
    if rng.random() < 0.5:
        choices["num_heads"] = heads
    elif x.ndim == 3:
        refused = "the size of axis 2 of input 0 is not known"
    add("RotaryEmbedding", OPSET, x, positions, *tables, refused=refused, **choices, **MICROSOFT)


def make_padding(batch, length, keys):
    """Which keys count: a length each, or a flag for each key."""
    lengths = rng.integers(1, keys + 1, batch).astype(np.int32)
    each = (np.arange(keys) < lengths[:, None]).astype(np.int32)
    return [None, None, lengths, each, np.tile(each[:, None], (1, length, 1))][int(rng.integers(5))]


def unpack(op, given, attributes):
    """ONNX Runtime takes no packed keys and values on CPUs: what it makes of the parts."""
    parts = [np.ascontiguousarray(given[-1][:, :, :, i]) for i in range(given[-1].shape[3])]
    parts = [part.reshape(*part.shape[:2], -1) for part in parts]
    inputs = (given[0], *parts) if len(given) > 1 else parts
    model = make_model(op, OPSET, inputs, 1, attributes, open_sizes=False)
    return get_expected("onnxruntime", op, inputs, attributes, model, None)


def add_attention():
    batch, length, keys, heads, width = sizes(5)
    past = int(rng.integers(1, 4)) if rng.random() < 0.4 else 0
    choices = {"num_heads": heads} | MICROSOFT
    if rng.random() < 0.5:
        choices["scale"] = 0.7
    hidden = heads * width
    query, key, value = (
        floats(batch, length, hidden),
        floats(batch, keys, hidden),
        floats(batch, keys, hidden),
    )
    packed = {"oracle": "formula"} | choices
    add("MultiHeadAttention", OPSET, query, floats(batch, keys, heads, 2, width), **packed)
    add("MultiHeadAttention", OPSET, floats(batch, length, heads, 3, width), **packed)
    bias = maybe(floats(3 * hidden))
    if bias is None and not past and rng.random() < 0.3:
        key, value = floats(batch, heads, keys, width), floats(batch, heads, keys, width)
    padding = make_padding(batch, length, past + keys)
    added = maybe(floats(batch, heads, length, past + keys))
    before = [floats(batch, heads, past, width) for _ in range(2)] if past else []
    causal = {"unidirectional": 1} if length == keys and not past and rng.random() < 0.4 else {}
    inputs = trimmed(query, key, value, bias, padding, added, *before)
    # Lengths are told from other masks by the size of the batch.
    refused = "the size of axis 0 of input" if padding is not None and padding.ndim == 1 else None
    if bias is not None:
        refused = "the size of axis 2 of input 0 is not known"
    add(
        "MultiHeadAttention",
        OPSET,
        *inputs,
        outputs=3 if past else 1,
        refused=refused,
        **causal,
        **choices,
    )

    given = int(rng.integers(1, 6))
    padding = make_padding(batch, length, past + length)
    before = floats(2, batch, heads, past, width) if past else None
    bias = floats(3 * hidden)
    inputs = trimmed(floats(batch, length, given), floats(given, 3 * hidden), bias, padding, before)
    refused = "the size of axis 0 of input" if padding is not None and padding.ndim == 1 else None
    add("Attention", OPSET, *inputs, outputs=2 if past else 1, refused=refused, **choices)


for _ in range(int(sys.argv[3])):
    add_activations()
    add_normalizations()
    add_products()
    add_positions()
    add_attention()
run(*sys.argv[1:3], formula=unpack)
