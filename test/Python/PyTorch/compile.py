# The backend of torch.compile against eager PyTorch: equal bits where sums are exact, close ones elsewhere; what is compiled,
# and what is not and why; dynamic shapes, training, options.
# REQUIRES: full
# RUN: %python -m zoo.environment %src_root %obj_root/networks/venv
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
            expect.true(f"{what}: values", torch.allclose(one, other, tolerance, tolerance))
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

    check(
        "PyTorch's cast",
        overflow,
        x,
        compiled=0,
        eager="aten._to_copy.default (1), quant_float.cast.default (1)",
    )
    expect.true(
        f"its reason: {messages}",
        any(
            "a subgraph of 2 ops runs in eager PyTorch: a cast of float16 to float8e5m2 by PyTorch's rules"
            in m
            for m in messages
        ),
    )

    def clipped(x):
        return qt.qdq(x, 0.5, storage="int8").clamp(-1, 1) + 1

    check("clamp", clipped, x, compiled=1, eager="aten.add.Tensor (1), aten.clamp.default (1)")

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
    """A block of a transformer, whose linear layers have weights in float8."""

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
    """Several subgraphs, and several dynamic sizes."""
    network = nn.Sequential(Block(), Block())
    torch._dynamo.reset()
    messages.clear()
    compiled = torch.compile(network, backend="quant_float", dynamic=True)
    with torch.no_grad():
        for shape in ((2, 7, 64), (3, 5, 64)):
            x = torch.randn(shape)
            error = (compiled(x) - network(x)).abs().max().item()
            # A step of a quantization is 0.02, and the last bit of a sum may choose another one.
            expect.true(f"transformer {shape}: {error}", error < 0.05)
    expect.true(f"transformer: {messages}", len(messages) == 1)
    expect.true(f"transformer: {messages}", messages[0].startswith("compiled 6 subgraphs; "))


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
    """The function is one of tensors of open and fixed sizes."""
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
    """PyTorch finds the backend of an installed package, whether it is imported or not."""
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
check_fallbacks()
check_dynamic_shapes()
check_transformer()
check_training()
check_text()
expect.finish()
