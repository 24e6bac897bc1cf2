# The backend of torch.compile against eager PyTorch: equal bits if sums are exact, otherwise a
# tolerance; the compiled subgraphs, and the ops in eager PyTorch with the reasons; dynamic shapes,
# training, options.
# REQUIRES: full
# RUN: %python -m model_zoo.environment %src_root %obj_root/networks/venv
# RUN: %obj_root/networks/venv/bin/python %s %src_root
import logging
import os
import pathlib
import subprocess
import sys
import tempfile
import tomllib
import warnings

import expect
import quant_float.torch as qt
import torch
from quant_float import _torch_compile
from torch import nn

warnings.filterwarnings("ignore")
torch.manual_seed(4)


class Messages(logging.Handler):
    def emit(self, record):
        messages.append(record.getMessage())


source = pathlib.Path(sys.argv[1])
messages = []
logger = logging.getLogger("quant_float.torch")
logger.addHandler(Messages())
logger.setLevel(logging.INFO)
logger.propagate = False


def integers(*shape):
    return torch.randint(-4, 5, shape).float()


def check(what, function, *inputs, compiled=1, eager="none", tolerance=0.0, **options):
    """Compares the compiled function with the eager one."""
    messages.clear()
    torch._dynamo.reset()
    got = torch.compile(function, backend="quant_float", **options)(*inputs)
    wanted = function(*inputs)
    for one, other in zip(
        got if isinstance(got, tuple) else [got],
        wanted if isinstance(wanted, tuple) else [wanted],
        strict=True,
    ):
        expect.true(
            f"{what}: {one.dtype} {one.shape}", (one.dtype, one.shape) == (other.dtype, other.shape)
        )
        if tolerance:
            close = torch.allclose(one, other, tolerance, tolerance, equal_nan=True)
            expect.true(f"{what}: values", close)
        else:
            one, other = (x.view(torch.uint8) if x.dtype.itemsize == 1 else x for x in (one, other))
            expect.true(f"{what}: bits", torch.equal(one, other))
    wanted = f"compiled {compiled} subgraphs; ops in eager PyTorch: {eager}"
    expect.true(f"{what}: expected '{wanted}', but got {messages}", wanted in messages)


class Network(nn.Module):
    """Weights in MXFP4, activations in int8."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(64, 32), nn.Linear(32, 8, bias=False)
        weight = self.first.weight.detach()
        values, scales = qt.block_quantize(
            weight, torch.float4_e2m1fn_x2, torch.float8_e8m0fnu, 32, "rceil"
        )
        self.register_buffer("values", values)
        self.register_buffer("scales", scales)

    def forward(self, x):
        x = qt.qdq(x, 0.05, storage="int8")
        weight = qt.block_dequantize(self.values, self.scales, 32)
        x = torch.relu(nn.functional.linear(x, weight, self.first.bias))
        return self.second(qt.qdq(x, 0.05, storage=torch.float8_e4m3fn))


def check_networks():
    x = torch.randn(3, 5, 64)
    with torch.no_grad():
        check("network", Network(), x, tolerance=1e-5)
        check("threads", Network(), x, tolerance=1e-5, options={"threads": 2})
        check(
            "fast", Network(), x, tolerance=1e-5,
            options={"accumulation": "reassociate", "activations": "int16"},
        )  # fmt: skip

    def product(x, w, scale, zero):
        q = qt.quantize(x, scale, zero, dtype=torch.int8)
        return qt.dequantize(q, scale, zero) @ qt.dequantize(w, torch.tensor(1.0)).t()

    check(
        "integers", product, integers(6, 32), torch.randint(-9, 9, (8, 32), dtype=torch.int8),
        torch.tensor(0.5), torch.tensor(3, dtype=torch.int8),
    )  # fmt: skip


def check_ops():
    x, y = torch.randn(4, 6), torch.randn(4, 6)

    def elementwise(x, y):
        a = qt.qdq(x + 2 * y - 0.5, 0.1, storage="uint8")
        return qt.cast(torch.relu(-a / 4), torch.float16), qt.fakeconvert(a * y, 2.0)

    check("elementwise", elementwise, x, y)

    def functions(x, y):
        a = qt.qdq(x, 0.1, storage="int4")
        b = torch.sigmoid(a) + torch.tanh(a) + torch.exp(a) + nn.functional.silu(a)
        c = nn.functional.gelu(y) + nn.functional.gelu(y, approximate="tanh")
        return torch.softmax(a + b + c, -1), torch.sqrt(a * a)

    check("functions", functions, x, y, tolerance=1e-6)

    def moves(x):
        a = qt.cast(x, torch.bfloat16)
        b = a.transpose(0, 1).unsqueeze(0).permute(2, 1, 0).reshape(8, 3).squeeze(0)
        return b, a.flatten(), a.float(), a.clone()

    check("moves", moves, x)

    def batches(x, w):
        return torch.bmm(qt.qdq(x, 1.0, storage="int8"), w)

    check("batches", batches, integers(3, 4, 8), integers(3, 8, 5))

    def encodings(x):
        values, scales = qt.block_quantize(x, "float6e2m3", torch.float8_e8m0fnu, 3, "floor")
        packed = qt.cast(x, torch.float4_e2m1fn_x2)
        return (
            values, scales, packed, qt.quantize(x, 0.5, 1, dtype="int4"),
            qt.block_dequantize(values, scales, 3, x_dtype="float6e2m3"),
            qt.cast(packed, torch.float16),
        )  # fmt: skip

    check("encodings", encodings, x)

    def levels(x):
        values, scales, level = qt.block_quantize(
            x, "float4e2m1", torch.float8_e4m3fn, 16, "torchao"
        )
        return qt.block_dequantize(values, scales, 16, tensor_scale=level, x_dtype="float4e2m1")

    check("levels", levels, torch.randn(4, 32))

    def axes(x, scale):
        q = qt.quantize(x, scale, axis=-1, dtype=torch.int8)
        return qt.dequantize(q, scale, axis=1), q

    check("axes", axes, x, torch.rand(6) + 0.1)


def quantized(x):
    return qt.qdq(x, 0.05, storage="int8")


def check_layers():
    """Layers of networks, whose inputs are quantized."""
    image, tokens = torch.randn(2, 3, 9, 8), torch.randn(2, 5, 16)
    heads = torch.randn(2, 4, 5, 16)
    layers = {
        "convolutions": (
            nn.Sequential(
                nn.Conv2d(3, 6, 3, padding=1), nn.BatchNorm2d(6), nn.ReLU6(), nn.MaxPool2d(2),
                nn.Conv2d(6, 6, 3, padding=(0, 1), stride=(1, 2), groups=3, bias=False),
                nn.GroupNorm(2, 6), nn.AvgPool2d(2, padding=1), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
            ),
            image,
        ),
        "1-D convolution": (nn.Conv1d(3, 4, 3, dilation=2), image[:, :, 0]),
        "3-D convolution": (nn.Conv3d(3, 4, 2, padding=(0, 1, 2)), torch.randn(1, 3, 4, 5, 6)),
        "transposed convolution": (
            nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1, output_padding=1, groups=1),
            image,
        ),
        "plain normalizations": (
            nn.Sequential(
                nn.BatchNorm2d(3, affine=False), nn.LayerNorm((9, 8), elementwise_affine=False)
            ),
            image,
        ),
        "layer norm": (nn.LayerNorm(16), tokens),
        "RMS norm": (nn.RMSNorm(16), tokens),
    }  # fmt: skip
    with torch.no_grad():
        for name, (layer, x) in layers.items():
            layer.eval()
            check(name, lambda x, layer=layer: layer(quantized(x)), x, tolerance=1e-5)

        attention = nn.functional.scaled_dot_product_attention
        masks = torch.randn(2, 1, 5, 5), torch.rand(5, 5) > 0.3
        # PyTorch's result is 0 for a query without keys.
        masks[1][2] = False
        for i, mask in enumerate(masks):
            check(
                f"attention, mask {i}",
                lambda q, m: attention(quantized(q), q, q, attn_mask=m), heads, mask, tolerance=1e-5,
            )  # fmt: skip
        for dynamic in (False, True):
            check(
                f"causal attention, dynamic {dynamic}",
                lambda q: attention(quantized(q), q, q, is_causal=True, scale=0.3), heads,
                tolerance=1e-5, dynamic=dynamic,
            )  # fmt: skip
        several = nn.MultiheadAttention(16, 4, batch_first=True).eval()
        check("heads", lambda x: several(quantized(x), x, x), tokens, tolerance=1e-5)

        indices = torch.tensor([[1, 2, 9]])
        check(
            "embedding", lambda i, w: quantized(nn.functional.embedding(i, w)), indices,
            torch.randn(10, 16),
        )  # fmt: skip
        weight = qt.block_quantize(
            torch.randn(10, 64), torch.float8_e4m3fn, torch.float8_e8m0fnu, 32, "floor"
        )
        check(
            "quantized embedding",
            lambda i, w, s: nn.functional.embedding(i, qt.block_dequantize(w, s, 32)), indices, *weight,
        )  # fmt: skip


_FUNCTIONS = {
    "activations": lambda x: (
        nn.functional.hardswish(x), nn.functional.leaky_relu(x), nn.functional.elu(x),
        nn.functional.hardsigmoid(x), nn.functional.mish(x), nn.functional.relu6(x),
    ),
    "bounds": lambda x: (
        x.clamp(-1, 1), x.clamp(min=0.25), x.clamp(max=0.1), torch.maximum(x, -x), torch.minimum(x, -x),
    ),
    "comparisons": lambda x: (x > 0, x >= 0.5, x < x.mean(), x == 0, x != 0, ~(x <= 0)),
    "choices": lambda x: (torch.where(x > 0, x, 0.5), x.masked_fill(x > 0, float("-inf"))),
    "numbers": lambda x: (
        x.abs(), x.floor(), x.ceil(), x.round(), x.reciprocal(), x.sin(), x.cos(), x.erf(),
        x.abs().log(), x.abs().rsqrt(),
    ),
    "powers": lambda x: (x.pow(2), x.pow(3), x.abs().pow(0.5), x.pow(-1)),
    "reductions": lambda x: (
        x.mean(-1, keepdim=True), x.mean(), x.sum((1, 2)), x.sum(), x.amax(-1),
        x.amin((0, 1), keepdim=True), x.log_softmax(-1),
    ),
    "movement": lambda x: (
        torch.cat([x, x], 1), torch.stack([x, x], -1), *x.chunk(2, 1), *x.split([1, 2], 1), x[:, 1:2],
        x[..., ::2], x[:, -2:], x[-1], x.select(1, 0), x[:, :1].expand(2, 3, 8, 8),
        x.index_select(1, torch.tensor([2, 0])), nn.functional.pad(x, (1, 2, 0, 3), value=1.5),
    ),
    "pools": lambda x: (
        nn.functional.max_pool2d(x, 3, 2, 1), nn.functional.avg_pool2d(x, 3, 2, 1),
        nn.functional.avg_pool2d(x, 3, 2, 1, count_include_pad=False), nn.functional.avg_pool1d(x[0], 2),
    ),
}  # fmt: skip


def check_functions():
    """Special values, too, and float16."""
    x = torch.randn(2, 3, 8, 8)
    special = x.clone()
    values = [float("nan"), float("inf"), float("-inf"), 100, -100, 2.5, -0.0, 0, 1e-40]
    special.view(-1)[: len(values)] = torch.tensor(values)
    for name, function in _FUNCTIONS.items():
        check(name, lambda x, f=function: f(quantized(x)), x, tolerance=1e-5)
        check(
            f"{name}, special values", lambda x, f=function: f(qt.cast(x, torch.float32)), special,
            tolerance=1e-5,
        )  # fmt: skip
        check(f"{name}, float16", lambda x, f=function: f(quantized(x)), x.half(), tolerance=4e-3)


def check_fallbacks():
    x = torch.randn(4, 6)

    def sorted_(x):
        return qt.qdq(torch.sort(qt.qdq(x, 0.5, storage="int8"))[0], 0.25, storage="int8")

    check("sort", sorted_, x, compiled=2, eager="aten.sort.default (1)")
    check(
        "without an operator",
        lambda x: x @ x.t(),
        x,
        compiled=0,
        eager="aten.mm.default (1), aten.t.default (1)",
    )

    def overflow(x):
        return qt.cast(x, torch.float16).to(torch.float8_e5m2)

    def expect_reason(op, reason):
        wanted = f"aten.{op} runs in eager PyTorch: {reason}"
        expect.true(f"expected '{wanted}', but got {messages}", wanted in messages)

    check("PyTorch's cast", overflow, x, eager="aten._to_copy.default (1)")
    expect_reason("_to_copy.default", "a cast of float16 to float8e5m2 by PyTorch's rules")

    def summed(x):
        return qt.qdq(x, 0.5, storage="int8").cumsum(0) + 1

    check("without a conversion", summed, x, eager="aten.add.Tensor (1), aten.cumsum.default (1)")

    def pool(x):
        return nn.functional.max_pool2d(qt.qdq(x, 0.5, storage="int8"), 3, ceil_mode=True)

    op = "max_pool2d_with_indices.default"
    check("ceil_mode", pool, torch.randn(1, 2, 8, 8), eager=f"aten.{op} (1)")
    expect_reason(op, f"aten.{op} with ceil_mode")

    def indices(x):
        x = qt.qdq(x, 0.5, storage="int8")
        return nn.functional.max_pool2d(x, 2, return_indices=True)

    check("indices", indices, torch.randn(1, 2, 8, 8), eager=f"aten.{op} (1)")
    expect_reason(op, "only its first result has a conversion")

    def attention(query, key):
        query = qt.qdq(query, 0.5, storage="int8")
        return nn.functional.scaled_dot_product_attention(query, key, key, is_causal=True)

    op = "_scaled_dot_product_flash_attention_for_cpu.default"
    inputs = torch.randn(1, 2, 5, 16), torch.randn(1, 2, 7, 16)
    check("keys", attention, *inputs, eager=f"aten.{op} (1)")
    expect_reason(op, f"aten.{op} with a causal mask and another number of keys than of queries")

    def integers_(x):
        return qt.dequantize(torch.bitwise_and(qt.quantize(x, 0.5, dtype="int8"), 15), 0.5)

    check("integers", integers_, x, compiled=2, eager="aten.bitwise_and.Scalar (1)")

    for bad, words in (
        ({"thread": 1}, "options must be among threads, accumulation, activations, but got thread"),
        ({"threads": -1}, "threads must be between 0 and 4096"),
        ({"accumulation": "fast"}, "accumulation must be one of"),
    ):
        torch._dynamo.reset()
        try:
            torch.compile(overflow, backend="quant_float", options=bad)(x)
        except Exception as error:
            expect.true(f"options {bad}: {error}", words in str(error))
        else:
            expect.true(f"options {bad} are accepted", False)


def check_dynamic_shapes():
    network = Network()
    torch._dynamo.reset()
    messages.clear()
    compiled = torch.compile(network, backend="quant_float", dynamic=True)
    with torch.no_grad():
        for rows in (3, 8, 50):
            x = torch.randn(rows, 64)
            expect.true(f"{rows} rows", torch.allclose(compiled(x), network(x), 1e-5, 1e-5))
    expect.true(f"compiled once: {messages}", len(messages) == 1)


class Block(nn.Module):
    """A transformer block, whose linear layers have weights in float8."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.LayerNorm(64), nn.LayerNorm(64)
        for name, sizes in {
            "qkv": (192, 64),
            "out": (64, 64),
            "up": (256, 64),
            "down": (64, 256),
        }.items():
            values = qt.block_quantize(
                torch.randn(sizes) / 8, torch.float8_e4m3fn, torch.float8_e8m0fnu, 32, "floor"
            )
            for part, value in zip(("values", "scales"), values, strict=True):
                self.register_buffer(f"{name}_{part}", value)

    def linear(self, x, name):
        weight = qt.block_dequantize(
            getattr(self, f"{name}_values"), getattr(self, f"{name}_scales"), 32, dtype=x.dtype
        )
        return nn.functional.linear(qt.qdq(x, 0.02, storage="int8"), weight)

    def forward(self, x):
        batch, tokens, width = x.shape
        parts = self.linear(self.first(x), "qkv").chunk(3, -1)
        heads = [part.view(batch, tokens, 4, -1).transpose(1, 2) for part in parts]
        attention = nn.functional.scaled_dot_product_attention(*heads, is_causal=True)
        attention = attention.transpose(1, 2).reshape(batch, tokens, width)
        x = x + self.linear(attention, "out")
        return x + self.linear(nn.functional.gelu(self.linear(self.second(x), "up")), "down")


def check_transformer():
    """All layers are one subgraph, with several dynamic sizes."""
    network = nn.Sequential(Block(), Block())
    torch._dynamo.reset()
    messages.clear()
    compiled = torch.compile(network, backend="quant_float", dynamic=True)
    with torch.no_grad():
        for shape in ((2, 7, 64), (3, 5, 64)):
            x = torch.randn(shape)
            error = (compiled(x) - network(x)).abs().max().item()
            # The step of a quantization is 0.02, and a rounding error of a sum may select the next
            # one.
            expect.true(f"transformer {shape}: {error}", error < 0.05)
    expect.true(f"transformer: {messages}", len(messages) == 1)
    wanted = "compiled 1 subgraphs; ops in eager PyTorch: none"
    expect.true(f"transformer: {messages}", messages == [wanted])


def check_training():
    network = Network()
    torch._dynamo.reset()
    compiled = torch.compile(network, backend="quant_float")
    x = torch.randn(5, 64, requires_grad=True)
    compiled(x).square().sum().backward()
    gradients = [x.grad.clone(), network.second.weight.grad.clone()]
    x.grad = network.second.weight.grad = None
    network(x).square().sum().backward()
    for got, wanted in zip(gradients, [x.grad, network.second.weight.grad], strict=True):
        expect.true("gradient", torch.allclose(got, wanted, 1e-4, 1e-5))


def check_text():
    """The function has tensors of dynamic and static sizes."""
    seen = []
    make = _torch_compile.CompiledGraph.__init__

    def spy(self, function, *rest):
        seen.append(function.text)
        make(self, function, *rest)

    _torch_compile.CompiledGraph.__init__ = spy
    torch._dynamo.reset()
    x = torch.randn(4, 6)
    torch._dynamo.mark_dynamic(x, 0)
    torch.compile(lambda x: qt.cast(x, torch.float4_e2m1fn_x2), backend="quant_float")(x)
    wanted = (
        "func.func @graph(%a1: tensor<?x6xf32>) -> (tensor<?x6xf4E2M1FN> {quant_float.packed}) {\n"
        "  %0 = quant_float.cast %a1 opset 28 : tensor<?x6xf32> to tensor<?x6xf4E2M1FN>\n"
        "  return %0 : tensor<?x6xf4E2M1FN>\n}\n"
    )
    expect.true(f"text: {seen}", [text.replace("%a0", "%a1") for text in seen] == [wanted])
    _torch_compile.CompiledGraph.__init__ = make


def check_entry_point():
    """PyTorch finds the backend of an installed package without importing it."""
    package = tomllib.loads((source / "python_bindings/pyproject.toml").read_text())["project"]
    [(name, value)] = package["entry-points"]["torch_dynamo_backends"].items()
    program = (
        "import torch; {}; torch.compile(lambda x: x + 1, backend='quant_float')(torch.ones(3)); "
        "import quant_float.torch; torch.compile(lambda x: x, backend='quant_float')(torch.ones(3))"
    )
    with tempfile.TemporaryDirectory() as folder:
        metadata = pathlib.Path(folder) / "quant_float-0.1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: quant-float\nVersion: 0.1.0\n"
        )
        (metadata / "entry_points.txt").write_text(f"[torch_dynamo_backends]\n{name} = {value}\n")
        path = os.pathsep.join([folder, os.environ["PYTHONPATH"]])
        for first in ("pass", "torch._dynamo.list_backends()", "import quant_float.torch"):
            command = [sys.executable, "-c", program.format(first)]
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                check=False,
                env={**os.environ, "PYTHONPATH": path},
            )
            expect.true(f"entry point, {first}: {done.stderr[-500:]}", done.returncode == 0)


check_networks()
check_entry_point()
check_ops()
check_layers()
check_functions()
check_fallbacks()
check_dynamic_shapes()
check_transformer()
check_training()
check_text()
expect.finish()
