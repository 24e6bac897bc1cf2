# Operators of com.microsoft that are defined by ONNX operators, with random inputs and attributes:
# the outputs of quant-float-run equal those of ONNX Runtime, with static and dynamic sizes.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t %if full %{ 40 %} %else %{ 5 %}
import math
import sys

import numpy as np
from conformance.op_cases import (
    F32,
    Constant,
    add,
    floats,
    get_expected,
    integers,
    make_model,
    rng,
    run,
)
from onnx import TensorProto as T

OPSET = 17
MICROSOFT = {"domain": "com.microsoft"}
# A dynamic size is not broadcast, even if it is 1.
NO_BROADCAST = "dynamic sizes are not broadcast"


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
    halves = floats(*shape[:-1], 2 * shape[-1])
    add("BiasSplitGelu", OPSET, halves, floats(2 * shape[-1]), oracle="formula", **MICROSOFT)
    add("BiasAdd", OPSET, x, floats(shape[-1]), floats(*shape), oracle="formula", **MICROSOFT)
    add("FastGelu", OPSET, *trimmed(x, maybe(floats(shape[-1]))), **MICROSOFT)
    add("QuickGelu", OPSET, x, alpha=float(rng.choice([1.0, 1.702])), **MICROSOFT)


def add_scalers():
    channels = int(rng.integers(1, 4))
    bias = floats(channels).tolist()
    add("ImageScaler", 1, floats(2, channels, 4, 3), scale=0.5, bias=bias)


def add_four_bit_products():
    depth, columns = sizes(2)
    block = int(rng.choice([16, 32, 64]))
    count = depth * columns
    encodings, most = Constant(), Constant()
    encodings.value = rng.integers(0, 256, (count + 1) // 2).astype(np.uint8)
    most.value = np.abs(floats((count + block - 1) // block))
    shape = dict(K=depth, N=columns, block_size=block)
    a = floats(*sizes(2), depth)
    for kind in (0, 1):
        add("MatMulBnb4", OPSET, a, encodings, most, quant_type=kind, **shape, **MICROSOFT)


def get_magnitude(count, gamma, beta=None):
    """A bound for normalized elements, none of which exceeds the square root of their number, after
    multiplication and addition."""
    return np.sqrt(count) * np.abs(gamma) + (0 if beta is None else np.abs(beta))


def add_normalizations():
    batch, length, hidden = sizes(3)
    hidden += 3
    x, skip = floats(batch, length, hidden), floats(batch, length, hidden)
    scale, shift, bias = floats(hidden), maybe(floats(hidden)), maybe(floats(hidden))
    epsilon = {"epsilon": float(rng.choice([1e-5, 1e-3]))}
    outputs = [(0,), (0, 3), (0, 1, 3), (0, 1, 2)][int(rng.integers(4))]
    skip = [skip, skip[:1], skip[0]][int(rng.integers(3))]
    refused = NO_BROADCAST if skip.ndim == 3 and len(skip) < batch else None
    add(
        "SkipLayerNormalization",
        OPSET,
        *trimmed(x, skip, scale, shift, bias),
        outputs=outputs,
        refused=refused,
        magnitude=get_magnitude(hidden, scale, shift),
        **epsilon,
        **MICROSOFT,
    )
    add(
        "SkipSimplifiedLayerNormalization",
        OPSET,
        *trimmed(x, skip, scale, bias),
        outputs=[(0,), (0, 3)][int(rng.integers(2))],
        refused=refused,
        magnitude=get_magnitude(hidden, scale),
        **epsilon,
        **MICROSOFT,
    )
    axis = {"axis": int(rng.choice([-1, 2]))}
    # ONNX Runtime has these in ONNX's domain.
    largest = get_magnitude(hidden, scale)
    add("SimplifiedLayerNormalization", OPSET, x, scale, magnitude=largest, **axis, **epsilon)
    largest = get_magnitude(hidden, scale, shift)
    add("LayerNormalization", 16, *trimmed(x, scale, shift), magnitude=largest, **axis, **epsilon)


def add_embeddings():
    batch, length, hidden, words = sizes(4)
    hidden += 3
    ids, segments = (rng.integers(0, words, (batch, length)).astype(np.int32) for _ in range(2))
    positions = [None, segments, segments[:1]][int(rng.integers(3))]
    tables = [floats(words, hidden), floats(max(words, length), hidden), floats(words, hidden)]
    if rng.random() < 0.5:
        segments = tables[2] = None
    mask = maybe(rng.integers(0, 2, (batch, length)).astype(np.int32))
    gamma, beta = floats(hidden), floats(hidden)
    add(
        "EmbedLayerNormalization",
        OPSET,
        *trimmed(ids, segments, *tables, gamma, beta, mask, positions),
        magnitude=get_magnitude(hidden, gamma, beta),
        outputs=int(rng.integers(2, 4)),
        refused=NO_BROADCAST if positions is not None and len(positions) < batch else None,
        types=(T.FLOAT, T.INT32, T.FLOAT),
        **MICROSOFT,
    )


def add_group_norm():
    batch, groups = sizes(2)
    places = sizes(rng.integers(1, 4))
    channels = groups * int(rng.integers(2, 4))
    choices = {"groups": groups, "activation": int(rng.integers(2)), "epsilon": 1e-3}
    x = floats(batch, *places, channels)
    each = (channels,)
    if rng.random() < 0.3:
        choices["channels_last"] = 0
        x = np.ascontiguousarray(np.moveaxis(x, -1, 1))
        each = (channels, *[1] * len(places))
    gamma, beta = floats(channels), floats(channels)
    count = math.prod(places) * channels // groups
    add(
        "GroupNorm",
        OPSET,
        x,
        gamma,
        beta,
        magnitude=get_magnitude(count, gamma, beta).reshape(each),
        oracle="formula",
        **choices,
        **MICROSOFT,
    )


def add_products():
    batch, rows, columns, inner = sizes(4)
    alpha = {"alpha": float(rng.choice([1.0, 0.25]))}
    transposed = {"transA": int(rng.integers(2)), "transB": int(rng.integers(2))}
    a = floats(batch, inner, rows) if transposed["transA"] else floats(batch, rows, inner)
    b = floats(columns, inner) if transposed["transB"] else floats(inner, columns)
    add("FusedMatMul", OPSET, a, b, **alpha, **transposed, **MICROSOFT)
    # The sequence dimension before the batch.
    more = {"transBatchA": int(rng.integers(2)), "transBatchB": int(rng.integers(2))}
    a = np.ascontiguousarray(a.swapaxes(0, 1)) if more["transBatchA"] else a
    b = np.repeat(b[None], batch, 0)
    b = np.ascontiguousarray(b.swapaxes(0, 1)) if more["transBatchB"] else b
    add("FusedMatMul", OPSET, a, b, **alpha, **transposed, **more, **MICROSOFT)
    a, b = floats(batch, rows, inner), floats(inner, columns)
    add("TransposeMatMul", OPSET, a, b, **alpha, **MICROSOFT)
    gelu = trimmed(a, b, maybe(floats(columns)))
    add("GemmFastGelu", OPSET, *gelu, oracle="formula", **MICROSOFT)
    wide = [rng.integers(-999, 999, v.shape).astype(np.int16) for v in (a, b)]
    add("MatMulInteger16", OPSET, *wide, oracle="formula", types=(T.INT32,), **MICROSOFT)


ACTIVATIONS = [
    ("Relu", []),
    ("Tanh", []),
    ("Sigmoid", []),
    ("LeakyRelu", [0.25]),
    ("HardSigmoid", [0.2, 0.4]),
    ("Clip", [-0.5, 0.75]),
    ("Elu", [0.5]),
    ("Selu", [1.5, None, 1.1]),
    ("Softplus", []),
    ("Softsign", []),
    ("ThresholdedRelu", [0.1]),
]


def add_fused_activations():
    rows, columns, inner = sizes(3)
    a, b = floats(rows, inner), floats(inner, columns)
    c = [None, floats(columns), floats(rows, 1), floats(rows, columns)][int(rng.integers(4))]
    # A shape of (rows, 1) may be broadcast, but not with dynamic sizes.
    refused = NO_BROADCAST if c is not None and c.shape[-1:] < (columns,) else None
    transposed = {"transA": int(rng.integers(2)), "transB": int(rng.integers(2))}
    a = np.ascontiguousarray(a.T) if transposed["transA"] else a
    b = np.ascontiguousarray(b.T) if transposed["transB"] else b
    for name, numbers in ACTIVATIONS:
        if name == "Clip":
            continue
        names = ("activation_alpha", "activation_beta", "activation_gamma")
        given = {n: v for n, v in zip(names, numbers, strict=False) if v is not None}
        factors = {"alpha": 0.5, "beta": float(rng.choice([1.0, -2.0]))}
        add(
            "FusedGemm",
            OPSET,
            *trimmed(a, b, c),
            activation=name,
            refused=refused,
            **factors,
            **transposed,
            **given,
            **MICROSOFT,
        )
    channels, filters, kernel = (int(rng.integers(1, 4)) for _ in range(3))
    x, w = floats(2, channels, 5, 6), floats(filters, channels, kernel, kernel)
    bias = maybe(floats(filters))
    size = (5 - kernel + 1, 6 - kernel + 1)
    added = maybe(floats(2, filters, *size))
    for name, numbers in [*ACTIVATIONS[:6], (None, [])]:
        given = {"activation": name} if name else {}
        if numbers:
            given["activation_params"] = numbers
        add("FusedConv", OPSET, *trimmed(x, w, bias, added), **given, **MICROSOFT)


def add_pools():
    for dtype in (np.uint8, np.int8):
        x = integers(2, 6, 5, 3, dtype=dtype)
        choices = {"kernel_shape": [2, 3], "strides": [int(rng.integers(1, 3)), 1]}
        choices |= {"pads": [0, 1, 1, 1]} if rng.random() < 0.5 else {"auto_pad": "SAME_UPPER"}
        add("NhwcMaxPool", OPSET, x, **choices, **MICROSOFT)


def add_former():
    """Operators that ONNX has adopted, too."""
    x = floats(2, 3, 4, 5)
    axis = Constant(dtype=np.int32)
    axis.value = np.array(rng.integers(-3, 3), np.int32)
    add("ExpandDims", OPSET, x, axis, **MICROSOFT)
    places = rng.integers(0, 2, (3, 2)).astype(np.int32)
    refused = "the number of indices of a position must be static"
    add("GatherND", OPSET, x, places, refused=refused, **MICROSOFT)
    mode = str(rng.choice(["bilinear", "nearest", "bicubic"]))
    add("GridSample", OPSET, x, floats(2, 3, 3, 2), mode=mode, padding_mode="border", **MICROSOFT)
    pads = Constant(0, 1, 0, 2, 1, 0, 0, 1)
    if rng.random() < 0.5:
        pads.value = pads.value[None]
    value = maybe(np.array([1.5], np.float32))
    add("Pad", OPSET, x, pads, *trimmed(np.zeros(1), value)[1:], mode="constant", **MICROSOFT)
    limit = np.array(20, np.int32) if rng.random() < 0.5 else np.array([20], np.int32)
    start = Constant(3, dtype=np.int32)
    add("Range", OPSET, start, limit, types=(T.INT32,), oracle="formula", **MICROSOFT)
    add("Trilu", OPSET, x, upper=int(rng.integers(2)), **MICROSOFT)
    repeated = rng.integers(0, 4, 9).astype(np.float32)
    types = (T.FLOAT, T.INT64, T.INT64)
    add("Unique", OPSET, repeated, outputs=3, types=types, **MICROSOFT)
    for metric in ("sqeuclidean", "euclidean"):
        add("CDist", OPSET, floats(3, 7), floats(4, 7), metric=metric, **MICROSOFT)
    add("ScaledSiLU", OPSET, x, alpha=0.75, oracle="formula", **MICROSOFT)


def add_quantized_attention():
    batch, length, heads, width, given = sizes(5)
    past = int(rng.integers(1, 4)) if rng.random() < 0.4 else 0
    hidden = heads * width
    encodings = rng.integers(0, 256, (batch, length, given)).astype(np.uint8)
    weight = Constant()
    # Products with signed 7-bit values are exact on any CPU.
    weight.value = integers(given, 3 * hidden, dtype=rng.choice([np.uint8, np.int8])) >> 1
    each = (3 * hidden,) if rng.random() < 0.5 else ()
    scale = np.asarray(rng.uniform(0.001, 0.01, each), np.float32)
    point = integers(*each, dtype=weight.value.dtype)
    padding = make_padding(batch, length, past + length, spans=True)
    before = floats(2, batch, heads, past, width) if past else None
    points = [np.array(rng.integers(256), np.uint8), point] if rng.random() < 0.7 else [None, None]
    refused = "the size of axis 0 of input" if padding is not None and padding.ndim == 1 else None
    add(
        "QAttention",
        OPSET,
        *trimmed(
            encodings,
            weight,
            floats(3 * hidden),
            np.array(0.02, np.float32),
            scale,
            padding,
            *points,
            before,
        ),
        outputs=2 if past else 1,
        types=(T.FLOAT, T.FLOAT),
        refused=refused,
        num_heads=heads,
        unidirectional=int(rng.integers(2)),
        **MICROSOFT,
    )


def add_quantized_embeddings():
    batch, length, hidden, words = sizes(4)
    hidden += 3
    dtype = rng.choice([np.uint8, np.int8])
    ids, segments = (rng.integers(0, words, (batch, length)).astype(np.int32) for _ in range(2))
    tables = [integers(n, hidden, dtype=dtype) for n in (words, max(words, length), words)]
    tables += [integers(hidden, dtype=dtype) for _ in range(2)]
    scales = [np.array(rng.uniform(0.01, 0.1), np.float32) for _ in tables]
    points = [integers(dtype=dtype) for _ in tables]
    gamma, beta = (
        (tables[i].astype(np.float64) - points[i].astype(np.float64)) * scales[i] for i in (3, 4)
    )
    if rng.random() < 0.5:
        segments = tables[2] = scales[2] = points[2] = None
    mask = maybe(rng.integers(0, 2, (batch, length)).astype(np.int32))
    add(
        "QEmbedLayerNormalization",
        OPSET,
        ids,
        segments,
        *tables,
        mask,
        *scales,
        *points,
        magnitude=get_magnitude(hidden, gamma, beta),
        outputs=2,
        types=(T.FLOAT, T.INT32),
        **MICROSOFT,
    )


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
    # Without the number of heads, their size is that of the tables.
    refused = None
    if rng.random() < 0.5:
        choices["num_heads"] = heads
    elif x.ndim == 3:
        refused = "the size of axis 2 of input 0 is not known"
    add("RotaryEmbedding", OPSET, x, positions, *tables, refused=refused, **choices, **MICROSOFT)


def make_padding(batch, length, keys, spans=False):
    """The keys that are not masked: a length for each batch, with `spans` also a start, or a flag
    for each key."""
    lengths = rng.integers(1, keys + 1, batch).astype(np.int32)
    each = (np.arange(keys) < lengths[:, None]).astype(np.int32)
    # Keys before all starts are dropped, so that no row is without a key.
    begins = rng.integers(0, lengths) * (length == 1)
    choices = [None, None, lengths, each, np.tile(each[:, None], (1, length, 1))]
    choices += [np.concatenate([lengths, begins]).astype(np.int32)] if spans else []
    return choices[int(rng.integers(len(choices)))]


def normalize_groups(x, gamma, beta, choices):
    """GroupNorm has no CPU kernel in ONNX Runtime. This follows its documentation."""
    is_last = choices.get("channels_last", 1)
    x = np.moveaxis(x, -1, 1).astype(np.float64) if is_last else x.astype(np.float64)
    rows = x.reshape(len(x), choices["groups"], -1)
    spread = np.sqrt(rows.var(-1, keepdims=True) + choices["epsilon"])
    y = ((rows - rows.mean(-1, keepdims=True)) / spread).reshape(x.shape)
    each = (-1, *[1] * (x.ndim - 2))
    y = y * gamma.reshape(each) + beta.reshape(each)
    y = y / (1 + np.exp(-y)) if choices["activation"] else y
    return [(np.moveaxis(y, 1, -1) if is_last else y).astype(np.float32)]


def compute(op, given, attributes):
    """Attention features that ONNX Runtime does not run on CPUs: biases, GroupNorm, and packed keys
    and values, which it takes unpacked."""
    if op == "BiasAdd":
        return [given[0] + given[1] + given[2]]
    if op == "BiasSplitGelu":
        left, right = np.split((given[0] + given[1]).astype(np.float64), 2, axis=-1)
        return [
            (left * right * (1 + np.vectorize(math.erf)(right / 2**0.5)) / 2).astype(np.float32)
        ]
    if op == "GemmFastGelu":
        x = (given[0] @ given[1] + (given[2] if len(given) > 2 else 0)).astype(np.float64)
        return [(x / 2 * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3)))).astype(F32)]
    if op == "MatMulInteger16":
        return [np.matmul(*(v.astype(np.int32) for v in given))]
    if op == "Range":
        return [np.arange(3, given[0].item(), dtype=np.int32)]
    if op == "ScaledSiLU":
        z = given[0] * np.float32(attributes["alpha"])
        return [(z / (1 + np.exp(-z.astype(np.float64)))).astype(F32)]
    if op == "GroupNorm":
        return normalize_groups(*given, attributes)
    parts = [np.ascontiguousarray(given[-1][:, :, :, i]) for i in range(given[-1].shape[3])]
    parts = [part.reshape(*part.shape[:2], -1) for part in parts]
    inputs = (given[0], *parts) if len(given) > 1 else parts
    model = make_model(op, OPSET, inputs, 1, attributes, dynamic_sizes=False)
    return get_expected("onnxruntime", op, inputs, attributes, model, None)


def add_attention():
    batch, length, keys, heads, width = sizes(5)
    past = int(rng.integers(1, 4)) if rng.random() < 0.4 else 0
    choices = {"num_heads": heads} | MICROSOFT
    causal = {"unidirectional": int(rng.integers(2))}
    if causal["unidirectional"]:
        keys = length
    if rng.random() < 0.5:
        choices["scale"] = float(rng.choice([0.7, -0.3]))
    if rng.random() < 0.5:
        choices["mask_filter_value"] = float(rng.choice([-2.0, -1e9]))
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
    inputs = trimmed(query, key, value, bias, padding, added, *before)
    # Lengths are distinguished from other masks by the size of the batch.
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
    padding = make_padding(batch, length, past + length, spans=True)
    before = floats(2, batch, heads, past, width) if past else None
    projected = 3 * hidden
    if not past and rng.random() < 0.4:
        values = heads * int(rng.integers(1, 6))
        choices["qkv_hidden_sizes"] = [hidden, hidden, values]
        projected = 2 * hidden + values
    added = None if past else maybe(floats(batch, heads, length, length))
    inputs = trimmed(
        floats(batch, length, given),
        floats(given, projected),
        floats(projected),
        padding,
        before,
        added,
    )
    refused = "the size of axis 0 of input" if padding is not None and padding.ndim == 1 else None
    add(
        "Attention",
        OPSET,
        *inputs,
        outputs=2 if past else 1,
        refused=refused,
        **causal,
        **choices,
    )


def add_grouped_attention():
    batch, length, groups = sizes(3)
    heads, width = groups * int(rng.integers(1, 4)), 16
    # The past is a buffer that the keys are written to, or a tensor that is concatenated.
    kind = rng.choice(["none", "first", "append", "buffer", "chunk"])
    past = 0 if kind in ("none", "first") else int(rng.integers(1, 6))
    if kind in ("append", "buffer"):
        length = 1
    if kind == "chunk":
        batch = 1
    total = past + length
    room = past if kind == "append" or kind == "chunk" else total + int(rng.integers(3))
    lengths = (
        rng.integers(max(length, 1), total + 1, batch)
        if past
        else rng.integers(1, total + 1, batch)
    )
    lengths[0] = total
    choices = {"num_heads": heads, "kv_num_heads": groups} | MICROSOFT
    for name, values in (
        ("scale", [0.3, -0.2]),
        ("softcap", [0.5, 2.0]),
        ("local_window_size", [1, 3]),
        ("smooth_softmax", [0, 1]),
    ):
        if rng.random() < 0.3:
            choices[name] = rng.choice(values).item()
    if "local_window_size" in choices and not past:
        # A local window around rows past the end is meaningless.
        lengths[:] = total
    query, key, value = (
        floats(batch, length, heads * width),
        floats(batch, length, groups * width),
        floats(batch, length, groups * width),
    )
    if rng.random() < 0.3:
        query, key, value = np.concatenate([query, key, value], -1), None, None
    before = [floats(batch, groups, room, width) if kind != "none" else None for _ in range(2)]
    tables = [None, None, None]
    if rng.random() < 0.6:
        choices |= {"do_rotary": 1, "rotary_interleaved": int(rng.integers(2))}
        angles = floats(24, width // 2)
        tables = [Constant(), Constant(), maybe(rng.integers(0, 16, (batch, length)))]
        for table, function in zip(tables, (np.cos, np.sin), strict=False):
            table.value = function(angles)
    added = maybe(floats(batch, heads, length, total))
    sink = floats(heads) if "smooth_softmax" not in choices and rng.random() < 0.3 else None
    add(
        "GroupQueryAttention",
        OPSET,
        *trimmed(
            query,
            key,
            value,
            *before,
            (lengths - 1).astype(np.int32),
            np.array(total, np.int32),
            *tables,
            added,
            sink,
        ),
        outputs=3,
        **choices,
    )


def add_refused():
    def refuse(op, words, *inputs, **attributes):
        add(op, OPSET, *inputs, refused=words, oracle="none", **attributes, **MICROSOFT)

    x, past = floats(2, 3, 16), floats(2, 2, 4, 8)
    ends, total = np.array([2, 1], np.int32), np.array(3, np.int32)
    together = "expected inputs 6 and 7 together"
    refuse("MultiHeadAttention", together, x, x, x, None, None, None, past, num_heads=2)
    refuse("MultiHeadAttention", together, *[x] * 3, *[None] * 4, past, num_heads=2)
    queries, keys = (Constant(*floats(2, n, 16), dtype=np.float32) for n in (3, 4))
    triangle = "unidirectional attention of 3 queries and 4 keys is not defined"
    attributes = {"num_heads": 2, "unidirectional": 1, "types": (T.FLOAT,)}
    refuse("MultiHeadAttention", triangle, queries, keys, floats(2, 4, 16), **attributes)
    refuse("MultiHeadAttention", "attribute 'num_heads': expected 1 or more, but got 0", x, x, x)
    op, counts = "GroupQueryAttention", {"num_heads": 2, "kv_num_heads": 2}
    rest = (ends, total)
    refuse(op, "expected inputs 3 and 4 together", x, x, x, past, None, *rest, **counts)
    refuse(op, "expected inputs 1 and 2 together", x, x, None, None, None, *rest, **counts)
    refuse(
        op, "'qk_output': expected 0, but got 1", x, x, x, None, None, *rest, qk_output=1, **counts
    )
    divisor = "attribute 'kv_num_heads': expected a divisor of 2, but got 3"
    refuse(op, divisor, x, x, x, None, None, *rest, num_heads=2, kv_num_heads=3)
    ids, table = np.zeros((2, 3), np.int32), floats(4, 8)
    scale = floats(8)
    op = "EmbedLayerNormalization"
    embeddings = (ids, ids, table, table, None, scale, scale)
    refuse(op, "expected inputs 1 and 4 together", *embeddings, types=(T.FLOAT,))
    few = "input 0: expected 3 dimensions or more, but got 2"
    refuse("GroupNorm", few, floats(2, 8), scale, scale, groups=2)
    x, encodings, most = (
        floats(2, 8),
        Constant(*[0] * 16, dtype=np.uint8),
        Constant(1, 2, dtype=F32),
    )
    good = {"K": 8, "N": 4, "block_size": 16, "quant_type": 0}
    for words, wrong in (
        ("attribute 'N': expected 1 to 1073741824, but got 0", {"N": 0}),
        ("'block_size': expected a power of two from 16 on, but got 8", {"block_size": 8}),
        ("attribute 'quant_type': expected 0 or 1, but got 2", {"quant_type": 2}),
        ("input 1: expected a vector of 20 elements", {"N": 5}),
        ("input 2: expected a vector of 1 elements", {"block_size": 32}),
    ):
        refuse("MatMulBnb4", words, x, encodings, most, **good | wrong)
    refuse("MatMulBnb4", "input 2 is missing", x, encodings, **good)
    add("ImageScaler", 1, x, refused="attribute 'bias' is missing", oracle="none")


add_refused()
for _ in range(int(sys.argv[3])):
    add_grouped_attention()
    add_activations()
    add_scalers()
    add_four_bit_products()
    add_normalizations()
    add_embeddings()
    add_group_norm()
    add_products()
    add_fused_activations()
    add_pools()
    add_former()
    add_quantized_attention()
    add_quantized_embeddings()
    add_positions()
    add_attention()
run(*sys.argv[1:3], formula=compute)
