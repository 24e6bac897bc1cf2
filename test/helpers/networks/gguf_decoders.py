"""A decoder of the architecture `llama` of llama.cpp: its weights in a GGUF file, and its graph in
ONNX, which has the weights as inputs with the names of the file."""

from typing import NamedTuple

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Kind
from onnx import TensorProto as T

from networks.transformers import Builder, value

VOCABULARY, CONTEXT, EPSILON, BASE = 512, 512, 1e-5, 10000.0


class Size(NamedTuple):
    width: int
    heads: int
    hidden: int
    layers: int = 4


def list_weights(size):
    """The shapes of the matrices, rows of outputs, in the order of llama.cpp."""
    width, _, hidden, layers = size
    shapes = {"token_embd.weight": (VOCABULARY, width)}
    for layer in range(layers):
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            shapes[f"blk.{layer}.{name}.weight"] = (width, width)
        for name in ("ffn_gate", "ffn_up"):
            shapes[f"blk.{layer}.{name}.weight"] = (hidden, width)
        shapes[f"blk.{layer}.ffn_down.weight"] = (width, hidden)
    shapes["output.weight"] = (VOCABULARY, width)
    return shapes


def list_norms(size):
    names = [
        f"{layer}.{name}" for layer in range(size.layers) for name in ("attn_norm", "ffn_norm")
    ]
    return [*(f"blk.{name}.weight" for name in names), "output_norm.weight"]


def make_rows(rng, kind, rows, columns):
    """A matrix with elements of about 1 / sqrt(columns), in the bytes of the file."""
    if kind is not Kind.Q4_K:
        data = rng.standard_normal((rows, columns), np.float32) * np.float32(columns**-0.5)
        return gguf.quants.quantize(data, kind)
    # The package only reads Q4_K. A block of 256 has an f16 scale of the scales, one of the
    # minima, 12 bytes with 6 bits for each scale and minimum, and elements of 4 bits.
    blocks = rng.integers(0, 256, (rows, columns // 256, 144), np.uint8)
    scale = columns**-0.5 / (31.5 * 4.6)
    blocks[..., :2] = np.frombuffer(np.float16(scale).tobytes(), np.uint8)
    blocks[..., 2:4] = np.frombuffer(np.float16(scale * 7.5).tobytes(), np.uint8)
    return blocks.reshape(rows, -1)


def write_gguf(path, kind, size):
    """Writes random weights; the matrices of the layers and of the output have type `kind`."""
    rng = np.random.default_rng(11)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(size.width)
    writer.add_block_count(size.layers)
    writer.add_feed_forward_length(size.hidden)
    writer.add_head_count(size.heads)
    writer.add_layer_norm_rms_eps(EPSILON)
    writer.add_rope_dimension_count(size.width // size.heads)
    writer.add_rope_freq_base(BASE)
    writer.add_vocab_size(VOCABULARY)
    writer.add_tokenizer_model("llama")
    words = ["<unk>", "<s>", "</s>"]
    types = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL]
    count = VOCABULARY - len(words)
    writer.add_token_list([*words, *(f"t{index}" for index in range(count))])
    writer.add_token_scores([0.0] * VOCABULARY)
    writer.add_token_types([*types, *[gguf.TokenType.NORMAL] * count])
    for name, (rows, columns) in list_weights(size).items():
        if name == "token_embd.weight":
            writer.add_tensor(name, rng.standard_normal((rows, columns), np.float32))
        else:
            writer.add_tensor(name, make_rows(rng, kind, rows, columns), raw_dtype=kind)
    for name in list_norms(size):
        writer.add_tensor(name, 1 + rng.standard_normal(size.width, np.float32) / 4)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def read_weights(path):
    """The dequantized weights, by the package of ggml."""
    return {
        tensor.name: gguf.dequantize(tensor.data, tensor.tensor_type).reshape(tensor.shape[::-1])
        for tensor in gguf.GGUFReader(path).tensors
    }


def make_gguf_decoder(size, prompt=False, make_weight=None):
    """The graph for one token with a cache, or for a prompt of any length without one.

    `make_weight(builder, name, shape)` adds a matrix, transposed, to the graph. By default, it is
    an input."""
    width, heads, _, layers = size
    b, head, shapes = Builder(), width // heads, list_weights(size)
    inputs = [value("tokens", T.INT64, 1, "length"), value("positions", T.INT64, 1, "length")]

    def add_input(name, *shape):
        inputs.append(value(name, T.FLOAT, *shape))
        return name

    def matmul(x, name):
        if make_weight:
            return b.add("MatMul", x, make_weight(b, name, shapes[name]))
        return b.add("MatMul", x, b.add("Transpose", add_input(name, *shapes[name]), perm=[1, 0]))

    def normalize(x, name):
        return b.add("RMSNormalization", x, add_input(name, width), axis=-1, epsilon=EPSILON)

    angles = np.outer(np.arange(CONTEXT), BASE ** (-np.arange(head // 2) / (head // 2)))
    cos, sin = (b.constant(f(angles).astype(np.float32)) for f in (np.cos, np.sin))
    x = b.add("Gather", add_input("token_embd.weight", VOCABULARY, width), "tokens")
    caches = []
    for layer in range(layers):
        h = normalize(x, f"blk.{layer}.attn_norm.weight")
        q, k, v = (matmul(h, f"blk.{layer}.attn_{part}.weight") for part in "qkv")
        q, k = (
            b.add("RotaryEmbedding", t, cos, sin, "positions", num_heads=heads, interleaved=1)
            for t in (q, k)
        )
        past = [] if prompt else [f"past_{part}_{layer}" for part in ("key", "value")]
        inputs += [value(name, T.FLOAT, 1, heads, "past", head) for name in past]
        attributes = {"q_num_heads": heads, "kv_num_heads": heads, "is_causal": int(prompt)}
        operands = [q, k, v, *([""] if past else []), *past]
        if prompt:
            y = b.add("Attention", *operands, **attributes)
        else:
            y, *present = b.add("Attention", *operands, outputs=3, **attributes)
            caches += present
        x = b.add("Add", x, matmul(y, f"blk.{layer}.attn_output.weight"))
        h = normalize(x, f"blk.{layer}.ffn_norm.weight")
        gate, up = (matmul(h, f"blk.{layer}.ffn_{part}.weight") for part in ("gate", "up"))
        gated = b.add("Mul", b.add("Mul", gate, b.add("Sigmoid", gate)), up)
        x = b.add("Add", x, matmul(gated, f"blk.{layer}.ffn_down.weight"))
    if prompt:  # llama.cpp computes the logits of the last token only.
        x = b.add("Gather", x, b.constant(np.array([-1])), axis=1)
    logits = matmul(normalize(x, "output_norm.weight"), "output.weight")
    outputs = [value(logits, T.FLOAT, 1, 1 if prompt else "length", VOCABULARY)]
    outputs += [value(name, T.FLOAT, 1, heads, "all", head) for name in caches]
    return b.model(inputs, outputs)


def compute_logits(weights, tokens, size):
    """The logits after each token, in f64."""
    weights = {name: array.astype(np.float64) for name, array in weights.items()}
    count, heads, head = len(tokens), size.heads, size.width // size.heads
    angles = np.outer(np.arange(count), BASE ** (-np.arange(head // 2) / (head // 2)))
    turns = np.exp(1j * angles)[:, None]
    masked = np.triu(np.full((count, count), -np.inf), 1)

    def normalize(x, name):
        return x / np.sqrt(np.mean(x * x, -1, keepdims=True) + EPSILON) * weights[name]

    def rotate(x):
        pairs = x.reshape(count, heads, head // 2, 2)
        turned = (pairs[..., 0] + 1j * pairs[..., 1]) * turns
        return np.stack([turned.real, turned.imag], -1).reshape(count, heads, head)

    x = weights["token_embd.weight"][tokens]
    for layer in range(size.layers):
        prefix = f"blk.{layer}."
        w = {
            name.removeprefix(prefix).removesuffix(".weight"): array
            for name, array in weights.items()
            if name.startswith(prefix)
        }
        h = normalize(x, f"blk.{layer}.attn_norm.weight")
        q, k, v = (h @ w[f"attn_{part}"].T for part in "qkv")
        scores = np.einsum("ihd,jhd->hij", rotate(q), rotate(k)) / np.sqrt(head) + masked
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        y = np.einsum("hij,jhd->ihd", shares, v.reshape(count, heads, head)).reshape(count, -1)
        x = x + y @ w["attn_output"].T
        h = normalize(x, f"blk.{layer}.ffn_norm.weight")
        gate, up = h @ w["ffn_gate"].T, h @ w["ffn_up"].T
        x = x + (gate / (1 + np.exp(-gate)) * up) @ w["ffn_down"].T
    return normalize(x, "output_norm.weight") @ weights["output.weight"].T
