# The custom operators of PyTorch: opcheck, shapes of fake tensors, bits against ml_dtypes,
# PyTorch's own casts and the package's array functions, no copies, gradients.
# REQUIRES: full
# RUN: %python -m model_zoo.environment %src_root %obj_root/networks/venv
# RUN: %obj_root/networks/venv/bin/python %s
# RUN: %obj_root/networks/venv/bin/python %src_root/benchmarks/frameworks.py torch --package %obj_root/python_packages --size 4096 --repeat 1 --output %t.json
# RUN: FileCheck %s --check-prefix=BENCHMARK < %t.json
# BENCHMARK: "cpu_vendor": "
# BENCHMARK: "name": "f32 to float8_e4m3fn"
# BENCHMARK: "name": "compiled matvec, MXFP4 weights beside float"
# BENCHMARK: "name": "compiled embedding of 64 rows of float8"
import warnings

import expect
import ml_dtypes
import numpy as np
import quant_float as qf
import quant_float.torch as qt
import torch

warnings.filterwarnings("ignore")
ops = torch.ops.quant_float
random = np.random.default_rng(5)
ENCODINGS = {1: torch.uint8, 2: torch.uint16, 4: torch.uint32, 8: torch.uint64}
FLOAT8 = ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz")
WIDE = ("float32", "float16", "bfloat16", "float64")
INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "int64")


def as_numpy(tensor):
    """The same bits, with the type of ml_dtypes."""
    encodings = tensor.contiguous().view(ENCODINGS[tensor.element_size()]).numpy()
    return encodings.view(qf.dtype(tensor.dtype).numpy)


def as_torch(array):
    encodings = torch.from_numpy(np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}"))
    return encodings.view(getattr(torch, array.dtype.name))


def check_casts():
    """All 16-bit values. For f32, these and random ones."""
    patterns = np.arange(1 << 16, dtype=np.uint16)
    wide = np.concatenate([patterns.view(np.float16).astype(np.float32)] * 2)
    wide[1 << 16 :] = random.integers(0, 1 << 32, 1 << 16, dtype=np.uint32).view(np.float32)
    values = {
        "float32": wide,
        "float16": patterns.view(np.float16),
        "bfloat16": patterns.view(ml_dtypes.bfloat16),
        "float64": wide.astype(np.float64),
    }
    for source, x in values.items():
        for to in (*FLOAT8, *WIDE):
            tensor, dtype = as_torch(x), getattr(torch, to)
            got = qt.cast(tensor, dtype)
            expect.same(f"{source} to {to}: function", as_numpy(got), qf.cast(x, to))
            if to.startswith("float8") and source != "float64":
                infinite = as_numpy(qt.cast(tensor, dtype, saturate=False))
                with np.errstate(all="ignore"):
                    wanted = x.astype(infinite.dtype)
                expect.same(f"{source} to {to}: ml_dtypes", infinite, wanted)
                # Only this type saturates in PyTorch.
                same = as_numpy(got) if to == "float8_e4m3fn" else infinite
                expect.same(f"{source} to {to}: PyTorch", same, as_numpy(tensor.to(dtype)))
            elif not to.startswith("float8"):
                expect.same(f"{source} to {to}: PyTorch", as_numpy(got), as_numpy(tensor.to(dtype)))
    for source in (*FLOAT8, "float8_e8m0fnu"):
        x = np.arange(256, dtype=np.uint8).view(getattr(ml_dtypes, source))
        for to in WIDE:
            got = as_numpy(qt.cast(as_torch(x), getattr(torch, to)))
            with np.errstate(all="ignore"):
                expect.same(f"{source} to {to}: ml_dtypes", got, x.astype(got.dtype))
            wanted = as_numpy(as_torch(x).to(getattr(torch, to)))
            expect.same(f"{source} to {to}: PyTorch", got, wanted)
    for source in (*INTEGERS, "bool"):
        x = random.integers(0, 2 if source == "bool" else 100, (7, 5)).astype(source)
        for to in (*FLOAT8, *WIDE):
            got = as_numpy(qt.cast(as_torch(x) if source != "bool" else torch.from_numpy(x), to))
            expect.same(f"{source} to {to}: function", got, qf.cast(x, to))
    for to in INTEGERS:
        got = qt.cast(torch.tensor([1.5, 2.5, 100.25, 3.0]), getattr(torch, to))
        expect.same(f"float to {to}", as_numpy(got), np.array([1, 2, 100, 3], to))
    got = qt.cast(torch.tensor([0.0, 2.5]), torch.bool)
    expect.true("float to bool", got.dtype is torch.bool and got.tolist() == [False, True])


def check_encodings():
    """Types that torch lacks, and float4 in both layouts."""
    x = random.standard_normal((6, 64)).astype(np.float32) * 3
    tensor = torch.from_numpy(x)
    for name in ("float6e2m3", "float6e3m2", "float4e2m1", "float8e3m4", "float8e4m3"):
        got = qt.cast(tensor, name)
        wanted = qf.cast(x, name)
        expect.same(f"{name}: encodings", got.numpy(), wanted.view(np.uint8))
        back = qt.cast(got, torch.float32, x_dtype=name)
        expect.same(f"{name}: back", back.numpy(), wanted.astype(np.float32))
    packed = qt.cast(tensor, torch.float4_e2m1fn_x2)
    expect.true("shape of packed", packed.shape == (6, 32))
    wanted = qf.pack(qf.cast(x, "float4e2m1")).bytes.reshape(6, 32)
    expect.same("packed", packed.view(torch.uint8).numpy(), wanted)
    expect.same(
        "unpacked",
        qt.cast(packed, torch.float32).numpy(),
        qf.cast(x, "float4e2m1").astype(np.float32),
    )
    q = qt.quantize(tensor, 0.5, 1, dtype="int4")
    expect.same("int4", q.numpy(), qf.quantize(x, 0.5, 1, dtype="int4").view(np.int8))
    y = qt.dequantize(q, 0.5, 1, x_dtype="int4")
    expect.same("from int4", y.numpy(), qf.qdq(x, 0.5, 1, storage="int4"))


def check_quantization():
    x = (random.standard_normal((4, 6, 32)) * 20).astype(np.float32)
    tensor = torch.from_numpy(x)
    scale = random.uniform(0.01, 1, 6).astype(np.float32)
    zero = random.integers(-5, 5, 6).astype(np.int8)
    got = qt.quantize(tensor, torch.from_numpy(scale), torch.from_numpy(zero), axis=1)
    scaled = x / scale[:, None]
    wanted = np.clip(np.rint(scaled) + zero[:, None], -128, 127).astype(np.int8)
    expect.same("quantize: numpy", got.numpy(), wanted)
    own = torch.quantize_per_channel(
        tensor, torch.from_numpy(scale), torch.from_numpy(zero).long(), 1, torch.qint8
    ).int_repr()
    # PyTorch multiplies by the reciprocal of the scale: results at ties differ by one.
    difference = (own.int() - got.int()).abs()
    expect.true(
        "quantize: PyTorch", difference.max() <= 1 and (difference > 0).float().mean() < 1e-3
    )
    y = qt.dequantize(got, torch.from_numpy(scale), torch.from_numpy(zero), axis=1)
    wanted = (got.numpy().astype(np.float32) - zero[:, None]) * scale[:, None]
    expect.same("dequantize: numpy", y.numpy(), wanted.astype(np.float32))
    z = qt.qdq(tensor, torch.from_numpy(scale), torch.from_numpy(zero), storage="int8", axis=1)
    expect.same("qdq", z.numpy(), y.numpy())
    for kind in (torch.float16, torch.bfloat16):
        got = qt.qdq(tensor.to(kind), 0.25, storage=torch.float8_e4m3fn)
        wanted = qf.qdq(as_numpy(tensor.to(kind)), 0.25, storage="float8e4m3fn")
        expect.same(f"qdq of {kind}", as_numpy(got), wanted)
    blocks = torch.from_numpy(random.uniform(0.01, 1, (4, 6, 2)).astype(np.float32))
    got = qt.quantize(tensor, blocks, dtype=torch.uint8, axis=2, block_size=16)
    wanted = qf.quantize(x, blocks.numpy(), dtype="uint8", axis=2, block_size=16)
    expect.same("blocked", got.numpy(), wanted)
    got = qt.fakeconvert(tensor, 2.0, 0.5, dtype=torch.float8_e5m2, mode="openvino")
    wanted = qf.fakeconvert(x, 2.0, 0.5, dtype="f8e5m2", mode="openvino")
    expect.same("fakeconvert", got.numpy(), wanted)
    bits = qf.philox(x.shape, seed=3)
    got = qt.cast(tensor, torch.float8_e5m2, round_mode="stochastic", random=torch.from_numpy(bits))
    wanted = qf.cast(x, "float8e5m2", round_mode="stochastic", random=bits)
    expect.same("stochastic", as_numpy(got), wanted)
    for dtype, scales, block, rule in (
        (torch.float8_e4m3fn, torch.float8_e8m0fnu, 32, "floor"),
        ("float6e2m3", torch.float8_e8m0fnu, 32, "even"),
        ("float4e2m1", torch.float8_e4m3fn, 16, "torchao"),
        (torch.float8_e4m3fn, torch.float32, (1, -1, 8), "absmax"),
    ):
        got = qt.block_quantize(tensor, dtype, scales, block, rule)
        wanted = qf.block_quantize(x, dtype, scales, block, rule)
        for index, (one, other) in enumerate(zip(got, wanted, strict=True)):
            encodings = expect.encodings(other.reshape(other.shape or 1)).reshape(other.shape)
            expect.same(
                f"{rule}: {index}",
                one.view(ENCODINGS[one.element_size()]).numpy(),
                encodings,
            )
        name = dtype if isinstance(dtype, str) else None
        level = {"tensor_scale": got[2]} if len(got) > 2 else {}
        back = qt.block_dequantize(got[0], got[1], block, x_dtype=name, **level)
        level = {"tensor_scale": wanted[2]} if len(wanted) > 2 else {}
        expect.same(f"{rule}: back", back.numpy(), qf.block_dequantize(*wanted[:2], block, **level))
    packed, scales = qt.block_quantize(
        tensor, torch.float4_e2m1fn_x2, torch.float8_e8m0fnu, 32, "rceil"
    )
    values, _ = qf.block_quantize(x, "float4e2m1", "float8e8m0", 32, "rceil")
    expect.same("MXFP4", packed.view(torch.uint8).numpy().ravel(), qf.pack(values).bytes)
    back = qt.block_dequantize(packed, scales, 32)
    wanted = qt.block_dequantize(
        torch.from_numpy(values.view(np.uint8)), scales, 32, x_dtype="float4e2m1"
    )
    expect.same("MXFP4: back", back.numpy(), wanted.numpy())


def check_layouts():
    """Contiguous inputs are not copied."""
    pointers = []
    run = qf.Kernel.run

    def spy(self, inputs, outputs):
        pointers.append([tensor.data for tensor in (*inputs, *outputs)])
        return run(self, inputs, outputs)

    qf.Kernel.run = spy
    x, scale = torch.randn(8, 16), torch.tensor(0.5)
    y = qt.quantize(x, scale, dtype=torch.int8)
    expect.true("pointers", pointers == [[x.data_ptr(), scale.data_ptr(), y.data_ptr()]])
    part = x[2:4]
    qt.cast(part, torch.float16)
    expect.true("a part", pointers[1][0] == part.data_ptr() == x.data_ptr() + 128)
    qf.Kernel.run = run
    same = qt.cast(x.t(), torch.float16)
    expect.same("transposed", same.numpy(), x.t().numpy().astype(np.float16))
    expect.same(
        "no elements",
        qt.cast(torch.empty(0, 3), torch.float16).numpy(),
        np.empty((0, 3), np.float16),
    )
    hits = qf.kernel_cache.info().hits
    qt.cast(torch.randn(3, 5, 7), torch.float16)
    expect.true("one kernel for all shapes", qf.kernel_cache.info().hits == hits + 1)


def list_samples():
    x, y = torch.randn(4, 8), torch.randn(2, 3, 32, dtype=torch.bfloat16)
    scales, zeros = torch.rand(8) + 0.1, torch.zeros(8, dtype=torch.int8)
    q = qt.quantize(x, scales, zeros, axis=1)
    bits = torch.randint(0, 255, (4, 8), dtype=torch.uint8)
    yield ops.cast, (x, "float8e4m3fn"), {}
    yield ops.cast, (y, "float16"), {}
    yield ops.cast, (x, "float8e5m2", bits), {"round_mode": "stochastic"}
    yield ops.cast, (x, "float4_e2m1fn_x2"), {}
    yield ops.cast, (x, "float6e2m3"), {}
    yield ops.cast, (x.t(), "int32"), {}
    yield ops.quantize, (x, torch.tensor(0.5)), {"dtype": "uint8"}
    yield ops.quantize, (x, scales, zeros), {"axis": 1}
    yield ops.quantize, (x, scales, zeros), {"axis": -1, "dtype": "int4"}
    yield ops.dequantize, (q, scales, zeros), {"axis": 1}
    yield ops.dequantize, (q, torch.tensor(0.5, dtype=torch.float16)), {"dtype": "bfloat16"}
    yield ops.qdq, (x, torch.tensor(0.5)), {"storage": "float8e4m3fn"}
    yield ops.qdq, (x.clone().requires_grad_(), scales), {"storage": "int4", "axis": 1}
    yield ops.fakeconvert, (x, torch.tensor(2.0)), {}
    yield ops.fakeconvert, (x.clone().requires_grad_(), scales, scales), {"mode": "openvino"}
    yield ops.block_quantize, (x, "float8e4m3fn", "float8e8m0", [8], "floor"), {}
    yield ops.block_quantize, (y, "float4_e2m1fn_x2", "float8e4m3fn", [16], "torchao"), {}
    yield ops.block_quantize, (x, "int8", "float", [-1, 3], "absmax"), {}
    values, scale = ops.block_quantize(y, "float4_e2m1fn_x2", "float8e8m0", [1, 1, 32], "rceil")
    yield ops.block_dequantize, (values, scale, [32]), {}
    yield ops.block_dequantize, (values, scale, [32], torch.tensor(2.0)), {"dtype": "bfloat16"}


def check_opcheck():
    for op, arguments, options in list_samples():
        what = f"opcheck {op} {arguments[1:]} {options}"
        try:
            # PyTorch cannot copy packed float4, but the schema test copies inputs.
            packed = arguments[0].dtype is torch.float4_e2m1fn_x2
            tests = ["test_schema"] * (not packed) + [
                "test_autograd_registration",
                "test_faketensor",
                "test_aot_dispatch_dynamic",
            ]
            found = torch.library.opcheck(op.default, arguments, options, test_utils=tests)
        except Exception as error:
            expect.true(f"{what}: {error}", False)
            continue
        expect.true(f"{what}: {found}", set(found.values()) == {"SUCCESS"})


def check_dynamic_shapes():
    def network(x, scale):
        q = qt.quantize(x, scale, dtype=torch.int8)
        values, scales = qt.block_quantize(
            qt.dequantize(q, scale), torch.float4_e2m1fn_x2, torch.float8_e8m0fnu, 32, "floor"
        )
        return qt.block_dequantize(values, scales, 32), scales

    torch._dynamo.config.error_on_recompile = True
    compiled = torch.compile(network, backend="aot_eager", fullgraph=True, dynamic=True)
    for shape in ((4, 64), (6, 128), (3, 96)):
        x = torch.randn(shape)
        for one, other in zip(compiled(x, 0.1), network(x, 0.1), strict=True):
            expect.same(f"dynamic {shape}", as_numpy(one), as_numpy(other))
    torch._dynamo.config.error_on_recompile = False
    torch._dynamo.reset()


def check_export():
    class Network(torch.nn.Module):
        def forward(self, x):
            return qt.qdq(x, 0.5, storage="int8")

    x = torch.randn(2, 4)
    exported = torch.export.export(Network(), (x,), dynamic_shapes=({0: torch.export.Dim.AUTO},))
    targets = [node.target for node in exported.graph.nodes if node.op == "call_function"]
    expect.true("the operator is in the exported program", ops.qdq.default in targets)
    expect.same("exported", exported.module()(x).numpy(), Network()(x).numpy())


def check_gradients():
    x = torch.randn(4, 8, requires_grad=True)
    (qt.qdq(x, 0.1, storage="int8") * torch.arange(8.0)).sum().backward()
    expect.same("qdq", x.grad.numpy(), np.tile(np.arange(8, dtype=np.float32), (4, 1)))
    x.grad = None
    (3 * qt.fakeconvert(x, torch.tensor(2.0))).sum().backward()
    expect.same("fakeconvert", x.grad.numpy(), np.full((4, 8), 3, np.float32))


def check_errors():
    x = torch.randn(3, 5)
    for what, kind, words, call in (
        ("complex", TypeError, "x must have an element type", lambda: qt.cast(x + 0j, "float16")),
        ("odd", RuntimeError, "must be even", lambda: qt.cast(x, torch.float4_e2m1fn_x2)),
        ("encodings", TypeError, "torch.uint8 for type float6e2m3", lambda: qt.cast(x, "float", x_dtype="float6e2m3")),
        ("block", ValueError, "block must be a size", lambda: qt.block_quantize(x, "int8", "float", 0, "absmax")),
        ("axis", ValueError, "axis must be in", lambda: qt.quantize(x, torch.ones(3), axis=2)),
        ("scale", ValueError, "scale must have shape (3,)", lambda: qt.quantize(x, torch.ones(5), axis=0)),
        ("type", TypeError, "dtype must be", lambda: qt.cast(x, "float7")),
        ("opset", qf.ModelError, "not accepted", lambda: qt.cast(x, torch.float8_e4m3fn, opset=18)),
        ("scalar", ValueError, "at least one dimension", lambda: qt.cast(torch.tensor(1.0), torch.float4_e2m1fn_x2)),
    ):  # fmt: skip
        expect.raises(what, kind, words, call)


check_casts()
check_encodings()
check_quantization()
check_layouts()
check_opcheck()
check_dynamic_shapes()
check_export()
check_gradients()
check_errors()
expect.finish()
