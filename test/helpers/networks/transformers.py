"""Networks with the structure of common models: a decoder with a cache, an encoder in float8,
bidirectional LSTMs, a Loop."""

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper, numpy_helper

rng = np.random.default_rng(11)
WIDTH, HEADS, LAYERS, HIDDEN, VOCABULARY, TOKENS = 256, 4, 4, 512, 300, 64
HEAD = WIDTH // HEADS


class Builder:
    """A graph under construction, with generated names."""

    def __init__(self):
        self.nodes, self.initializers = [], []

    def add(self, op, *inputs, outputs=1, **attributes):
        results = [f"{op}_{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, results, **attributes))
        return results[0] if outputs == 1 else results

    def constant(self, array, data_type=None):
        name = f"c{len(self.initializers)}"
        tensor = (
            numpy_helper.from_array(array, name)
            if data_type is None
            else helper.make_tensor(name, data_type, array.shape, array.tobytes(), raw=True)
        )
        self.initializers.append(tensor)
        return name

    def random(self, *shape, scale=1.0):
        return self.constant((rng.standard_normal(shape) * scale).astype(np.float32))

    def model(self, inputs, outputs, opset=23):
        graph = helper.make_graph(self.nodes, "g", inputs, outputs, self.initializers)
        made = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=11
        )
        onnx.checker.check_model(made)
        return made


def value(name, kind, *shape):
    return helper.make_tensor_value_info(name, kind, shape)


def int4_matmul(b, x, rows, columns):
    """x times an int4 matrix in blocks of 32 rows."""
    encodings = (
        rng.integers(-8, 8, (rows, columns), dtype=np.int8).view(np.uint8).reshape(-1, 2) & 15
    )
    weight = b.constant((encodings[:, 0] | encodings[:, 1] << 4).reshape(rows, columns // 2), None)
    b.initializers[-1].CopyFrom(
        T(name=weight, data_type=T.INT4, dims=[rows, columns], raw_data=b.initializers[-1].raw_data)
    )
    scales = b.constant((rng.random((rows // 32, columns)) * 0.02 + 0.005).astype(np.float32))
    decoded = b.add("DequantizeLinear", weight, scales, axis=0, block_size=32)
    return b.add("MatMul", x, decoded)


def make_decoder(width=WIDTH, heads=HEADS, hidden=HIDDEN):
    b, head = Builder(), width // heads
    angles = np.outer(np.arange(TOKENS), 10000.0 ** (-np.arange(head // 2) / (head // 2)))
    cos, sin = (b.constant(f(angles).astype(np.float32)) for f in (np.cos, np.sin))
    inputs = [value("token", T.INT64, 1, 1), value("position", T.INT64, 1, 1)]
    outputs = [value("next", T.INT64, 1, 1)]
    x = b.add("Gather", b.random(VOCABULARY, width), "token")
    for layer in range(LAYERS):
        h = b.add("RMSNormalization", x, b.random(width, scale=0.5), axis=-1, epsilon=1e-5)
        q, k, v = (int4_matmul(b, h, width, width) for _ in range(3))
        q, k = (b.add("RotaryEmbedding", t, cos, sin, "position", num_heads=heads) for t in (q, k))
        past = [f"past_{part}_{layer}" for part in ("key", "value")]
        inputs += [value(name, T.FLOAT, 1, heads, "past", head) for name in past]
        y, *present = b.add(
            "Attention", q, k, v, "", *past, outputs=3, q_num_heads=heads, kv_num_heads=heads
        )
        outputs += [value(name, T.FLOAT, 1, heads, "all", head) for name in present]
        x = b.add("Add", x, int4_matmul(b, y, width, width))
        h = b.add("RMSNormalization", x, b.random(width, scale=0.5), axis=-1, epsilon=1e-5)
        gate, up = (int4_matmul(b, h, width, hidden) for _ in range(2))
        gated = b.add("Mul", b.add("Mul", gate, b.add("Sigmoid", gate)), up)
        x = b.add("Add", x, int4_matmul(b, gated, hidden, width))
    scores = b.add("MatMul", x, b.random(width, VOCABULARY))
    b.nodes.append(helper.make_node("ArgMax", [scores], ["next"], axis=-1, keepdims=0))
    return b.model(inputs, outputs)


def decode(step, width=WIDTH, heads=HEADS):
    """The tokens after the first one: `step` computes the decoder."""
    past = [np.zeros((1, heads, 0, width // heads), np.float32)] * (2 * LAYERS)
    token, tokens = np.array([[1]]), []
    for position in range(TOKENS):
        token, *past = step(token, np.array([[position]]), *past)
        tokens.append(int(token[0, 0]))
    return tokens


def float8(b, x, scale):
    """Quantized and dequantized."""
    scale = b.constant(np.float32(scale))
    zero = b.constant(np.zeros((), ml_dtypes.float8_e4m3fn), T.FLOAT8E4M3FN)
    return b.add("DequantizeLinear", b.add("QuantizeLinear", x, scale, zero), scale, zero)


def float8_matmul(b, x, rows, columns):
    encodings = (rng.standard_normal((rows, columns)) * 8).astype(ml_dtypes.float8_e4m3fn)
    scale = b.constant(np.float32(0.01))
    weight = b.add("DequantizeLinear", b.constant(encodings, T.FLOAT8E4M3FN), scale)
    return b.add("MatMul", float8(b, x, 0.05), weight)


def make_encoder():
    b = Builder()
    x = "x"
    for _ in range(2):
        q, k, v = (float8_matmul(b, x, WIDTH, WIDTH) for _ in range(3))
        y = b.add("Attention", q, k, v, "mask", q_num_heads=HEADS, kv_num_heads=HEADS)
        x = b.add("Add", x, float8_matmul(b, y, WIDTH, WIDTH))
        x = b.add("LayerNormalization", x, b.random(WIDTH), b.random(WIDTH, scale=0.1), axis=-1)
        h = b.add("Gelu", float8_matmul(b, x, WIDTH, HIDDEN), approximate="tanh")
        x = b.add("Add", x, float8_matmul(b, h, HIDDEN, WIDTH))
        x = b.add("LayerNormalization", x, b.random(WIDTH), b.random(WIDTH, scale=0.1), axis=-1)
    b.nodes.append(helper.make_node("Identity", [x], ["y"]))
    inputs = [value("x", T.FLOAT, 2, "length", WIDTH), value("mask", T.BOOL, "length", "length")]
    return b.model(inputs, [value("y", T.FLOAT, 2, "length", WIDTH)])


def make_lstm():
    b = Builder()
    x, width = b.add("Gather", b.random(VOCABULARY, 64, scale=0.5), "tokens"), 64
    size = 48
    for _ in range(2):
        weights = (b.random(2, 4 * size, n, scale=0.2) for n in (width, size))
        bias, width = b.random(2, 8 * size, scale=0.1), 2 * size
        y, *_ = b.add(
            "LSTM", x, *weights, bias, outputs=3, hidden_size=size, direction="bidirectional"
        )
        x = b.add(
            "Reshape", b.add("Transpose", y, perm=[0, 2, 1, 3]), b.constant(np.array([0, 0, -1]))
        )
    x = b.add("LayerNormalization", x, b.random(width), b.random(width), axis=-1)
    b.nodes.append(helper.make_node("MatMul", [x, b.random(width, 20)], ["y"]))
    inputs = [value("tokens", T.INT64, "length", 3)]
    return b.model(inputs, [value("y", T.FLOAT, "length", 3, 20)], opset=22)


def make_loop():
    """Ten iterations of a recurrent network, and the mean of each state."""
    b, body = Builder(), Builder()
    weights = b.random(32, 32, scale=0.2)
    state = body.add("Tanh", body.add("Add", body.add("MatMul", "state", weights), "x"))
    for op, result, source in (
        ("Identity", "next", state),
        ("ReduceMean", "mean", state),
        ("Identity", "goes", "go"),
    ):
        body.nodes.append(
            helper.make_node(
                op, [source], [result], **({"keepdims": 0} if result == "mean" else {})
            )
        )
    step = helper.make_graph(
        body.nodes,
        "step",
        [value("i", T.INT64), value("go", T.BOOL), value("state", T.FLOAT, 4, 32)],
        [value("goes", T.BOOL), value("next", T.FLOAT, 4, 32), value("mean", T.FLOAT)],
    )
    steps, go = b.constant(np.array(10)), b.constant(np.array(True))
    b.nodes.append(helper.make_node("Loop", [steps, go, "x"], ["y", "means"], body=step))
    results = [value("y", T.FLOAT, 4, 32), value("means", T.FLOAT, 10)]
    return b.model([value("x", T.FLOAT, 4, 32)], results, opset=22)
