# Models as OpenVINO and NNCF write them: FakeConvert before matmuls, weights of narrow floats and
# integers with scales and zero points, codebooks, and constants that save_model stores in f16. The
# outputs have the bits of the CPU plugin (in f32) or, if the plugin fuses layers, of
# Model.evaluate. Sums have error bounds. Decoders are also compiled to cubins.
# RUN: rm -rf %t && %python %s %tools_dir %t
import os
import pathlib
import subprocess
import sys
import sysconfig

import numpy as np
import openvino
from conformance.formats import FORMATS
from openvino import opset1, opset3, opset4, opset8, opset13
from openvino_layers import driver

random = np.random.default_rng(0)
f16, f32 = np.float16, np.float32
# Bounds relative to the largest result: for sums of up to 64 products, and for weights that the
# plugin does not round to f16, unlike the reference and this project.
SUM = 64 * 2.0**-23
HALF = 2.0**-10
# The bound for one value that FakeQuantize maps to the other of two levels at the same distance.
LEVEL = 0.01


def normal(*shape, dtype=f32):
    return random.normal(size=shape).astype(dtype)


def constant(array, dtype=f32):
    return opset13.constant(np.asarray(array, dtype))


def narrow(name, values):
    """A constant of a type that numpy lacks."""
    form = FORMATS[name]
    encodings = form.from_array(np.asarray(values).astype(form.dtype))
    return opset13.constant(driver.make_tensor(name, encodings))


def fake_convert(x, scale, destination="f8e4m3", shift=None):
    return opset13.fake_convert(x, scale, shift, destination_type=destination)


def parameter(*sizes):
    return opset13.parameter(openvino.PartialShape(list(sizes)), openvino.Type.f32, "x")


# A model with its input, the reference implementation, and the error bound of its outputs relative
# to the largest one (None: no error).
MODELS = {}


def model(*sizes, right="plugin", bound=None, dynamic_sizes=None):
    def add(build):
        x = parameter(*(dynamic_sizes or sizes))
        values = 4 * normal(*sizes)
        if values.size > 1:
            values.flat[:3] = [0.0, -0.0, 1e-3]
        MODELS[build.__name__] = (
            openvino.Model([build(x)], [x], build.__name__),
            values,
            right,
            bound,
        )
        return build

    return add


# FakeConvert alone. Other tests cover its modes and types other than f32.
@model(4, 64)
def scale_of_one(x):
    return fake_convert(x, constant(1))


@model(4, 64)
def scale_and_shift(x):
    return fake_convert(x, constant([37.5]), "f8e5m2", constant([0.25]))


@model(2, 4, 16, dynamic_sizes=(-1, 4, -1))
def scales_per_channel(x):
    return fake_convert(x, constant(np.abs(normal(4, 1)) + 0.1), "f8e4m3", constant(normal(4, 1)))


@model(4, 64)
def scale_in_half(x):
    # The conversions of constants that save_model inserts before other layers.
    scale = opset13.convert(constant([0.7], f16), "f32")
    return fake_convert(x, scale, "f8e4m3")


# NNCF's quantize: activations, and weights that compress_quantize_weights has folded.
weights = normal(16, 64)
encodings = (weights * 100).astype(FORMATS["f8E4M3FN"].dtype)


@model(4, 64, bound=SUM)
def quantized_matmul(x):
    w = opset1.multiply(
        opset13.convert(narrow("f8E4M3FN", encodings), "f32"), constant(np.full((16, 1), 0.01))
    )
    y = opset1.matmul(fake_convert(x, constant(27.3), "f8e4m3", constant(0)), w, False, True)
    return opset1.relu(opset1.add(y, constant(normal(1, 16))))


@model(4, 64, bound=SUM)
def unfolded_weights(x):
    w = fake_convert(
        constant(weights), constant(np.full((16, 1), 99.0)), "f8e4m3", constant(np.zeros((16, 1)))
    )
    return opset1.matmul(fake_convert(x, constant(27.3)), w, False, True)


kernel = (normal(5, 3, 3, 3) * 1000).astype(FORMATS["f8E5M2"].dtype)


@model(2, 3, 8, 8, bound=SUM)
def quantized_convolution(x):
    w = opset1.multiply(
        opset13.convert(narrow("f8E5M2", kernel), "f32"), constant(np.full((5, 1, 1, 1), 0.001))
    )
    y = opset1.convolution(
        fake_convert(x, constant(57.0), "f8e5m2"), w, [1, 1], [1, 1], [1, 1], [1, 1]
    )
    return opset1.relu(opset1.add(y, constant(normal(1, 5, 1, 1))))


@model(4, 64)
def activation_after_activation(x):
    y = opset1.relu(fake_convert(x, constant(27.3), "f8e4m3"))
    return fake_convert(opset1.multiply(y, constant(0.5)), constant(3.7), "f8e5m2")


# NNCF's compress_weights.
def decoded(w, scale, x, zero_point=None, shape=None):
    w = opset13.convert(w, "f16")
    if zero_point is not None:
        w = opset1.subtract(w, zero_point)
    w = opset1.multiply(w, scale)
    if shape:
        w = opset1.reshape(w, constant(shape, np.int64), False)
    return opset1.matmul(x, opset13.convert(w, "f32"), False, True)


scales = (np.abs(normal(16, 1)) / 50 + 0.01).astype(f16)


@model(4, 64, right="reference", bound=SUM)
def float8_weights(x):
    return decoded(narrow("f8E4M3FN", encodings), constant(scales, f16), x)


@model(4, 64, bound=SUM + HALF)
def float8_weights_in_the_plugin(x):
    return decoded(narrow("f8E4M3FN", encodings), constant(scales, f16), x)


float4 = normal(16, 2, 32) * 2
exponents = 2.0 ** random.integers(-6, 1, (16, 2, 1))


@model(4, 64, right="reference", bound=SUM)
def float4_weights_in_blocks(x):
    scale = opset13.convert(narrow("f8E8M0FNU", exponents), "f16")
    return decoded(narrow("f4E2M1FN", float4), scale, x, shape=[16, 64])


@model(4, 64, right="reference", bound=SUM)
def float4_weights_with_two_scales(x):
    scale = opset13.convert(narrow("f8E4M3FN", np.abs(normal(16, 2, 1)) + 0.1), "f32")
    scale = opset13.convert(opset1.multiply(scale, constant(0.37)), "f16")
    return decoded(narrow("f4E2M1FN", float4), scale, x, shape=[16, 64])


# The reference does not gather float8.
@model(4, 64, bound=SUM + HALF)
def codebook(x):
    book = narrow("f8E4M3FN", np.linspace(-3, 3, 16))
    indices = opset13.constant(
        driver.make_tensor("ui8", random.integers(0, 16, (16, 64), dtype=np.uint8))
    )
    return decoded(opset8.gather(book, indices, constant(0, np.int64)), constant(scales, f16), x)


@model(4, 64, right="reference", bound=SUM)
def integer_weights_with_zero_points(x):
    w = narrow("ui4", random.integers(0, 16, (16, 2, 32)))
    zero_point = opset13.convert(narrow("ui4", random.integers(0, 16, (16, 2, 1))), "f16")
    return decoded(w, constant(normal(16, 2, 1) / 10, f16), x, zero_point, [16, 64])


@model(4, 64, right="reference", bound=SUM)
def integer_weights(x):
    return decoded(narrow("i8", random.integers(-128, 128, (16, 64))), constant(scales, f16), x)


# The bits of the decoded weights.
@model(1, right="reference")
def decoded_weights(x):
    w = opset1.multiply(
        opset13.convert(narrow("f8E4M3FN", encodings), "f16"), constant(scales, f16)
    )
    return opset1.multiply(opset13.convert(w, "f32"), x)


# Networks from converters: FakeQuantize around matmuls, and attention.
@model(2, 3, 8, 8, bound=LEVEL)
def fake_quantized_convolution(x):
    def quantize(y, low, high, count):
        return opset1.fake_quantize(y, *(constant(v) for v in (low, high, low, high)), count)

    w = quantize(
        constant(normal(5, 3, 3, 3) / 10),
        np.full((5, 1, 1, 1), -0.3),
        np.full((5, 1, 1, 1), 0.3),
        255,
    )
    y = opset1.convolution(quantize(x, -12.8, 12.7, 256), w, [1, 1], [0, 0], [0, 0], [1, 1])
    return opset1.clamp(y, 0, 6)


@model(2, 6, 16, bound=1e-5, dynamic_sizes=(-1, -1, 16))
def attention(x):
    def heads(y):
        y = opset1.reshape(y, constant([0, -1, 4, 4], np.int64), True)
        return opset1.transpose(y, constant([0, 2, 1, 3], np.int64))

    scores = opset1.matmul(heads(x), heads(x), False, True)
    weighted = opset1.matmul(
        opset8.softmax(opset1.divide(scores, constant(2)), -1), heads(x), False, False
    )
    joined = opset1.transpose(weighted, constant([0, 2, 1, 3], np.int64))
    return opset1.sigmoid(opset1.reshape(joined, constant([0, -1, 16], np.int64), True))


# A decoder block, as exporters write it and NNCF compresses it: RMS norm and rotary embeddings as
# separate layers.
WIDTH, HEADS, HEAD = 32, 4, 8


def rms_norm(x):
    square = opset1.power(x, constant(2))
    mean = opset1.reduce_mean(square, constant([-1], np.int64), True)
    length = opset1.sqrt(opset1.add(mean, constant(1e-5)))
    return opset1.multiply(
        opset1.multiply(x, opset1.divide(constant(1), length)), constant(np.abs(normal(WIDTH)))
    )


def rotate(x, cosine, sine):
    low, high = opset1.variadic_split(
        x, constant(-1, np.int64), constant([HEAD // 2, -1], np.int64)
    ).outputs()
    turned = opset1.concat([opset1.multiply(high, constant(-1)), low], -1)
    return opset1.add(opset1.multiply(x, cosine), opset1.multiply(turned, sine))


def decoder_block(x, product):
    length = opset8.gather(opset3.shape_of(x, "i64"), constant(1, np.int64), constant(0, np.int64))
    positions = opset4.range(constant(0, np.int64), length, constant(1, np.int64), "i64")
    positions = opset1.convert(positions, "f32")
    frequencies = constant(10000.0 ** (-np.arange(HEAD // 2) / (HEAD // 2)))
    angles = opset1.multiply(opset1.unsqueeze(positions, constant(1, np.int64)), frequencies)
    angles = opset1.concat([angles, angles], -1)
    cosine, sine = opset1.cos(angles), opset1.sin(angles)

    def heads(y):
        y = opset1.reshape(y, constant([0, -1, HEADS, HEAD], np.int64), True)
        return opset1.transpose(y, constant([0, 2, 1, 3], np.int64))

    normed = rms_norm(x)
    q, k, v = (heads(product(normed, WIDTH, WIDTH)) for _ in range(3))
    mixed = opset13.scaled_dot_product_attention(
        rotate(q, cosine, sine), rotate(k, cosine, sine), v, causal=True
    )
    mixed = opset1.transpose(mixed, constant([0, 2, 1, 3], np.int64))
    x = opset1.add(
        x, product(opset1.reshape(mixed, constant([0, -1, WIDTH], np.int64), True), WIDTH, WIDTH)
    )
    normed = rms_norm(x)
    gated = opset1.multiply(opset4.swish(product(normed, WIDTH, 64)), product(normed, WIDTH, 64))
    return opset1.add(x, product(gated, 64, WIDTH))


@model(2, 5, WIDTH, bound=SUM + 4 * HALF, dynamic_sizes=(-1, -1, WIDTH))
def decoder_with_integer_weights(x):
    def product(y, inner, outer):
        w = narrow("ui4", random.integers(0, 16, (outer, inner // 32, 32)))
        point = opset13.convert(
            narrow("ui4", random.integers(6, 10, (outer, inner // 32, 1))), "f16"
        )
        return decoded(
            w, constant(np.abs(normal(outer, inner // 32, 1)) / 40, f16), y, point, [outer, inner]
        )

    return decoder_block(x, product)


@model(2, 5, WIDTH, bound=SUM + 4 * HALF)
def decoder_with_fake_convert(x):
    def product(y, inner, outer):
        w = fake_convert(constant(normal(outer, inner) / 8), constant(np.full((outer, 1), 99.0)))
        return opset1.matmul(y, w, False, True)

    return decoder_block(x, product)


@model(4, 64, bound=SUM)
def compressed_by_save_model(x):
    return opset1.matmul(x, constant(weights), False, True)


COMPRESSED = ("compressed_by_save_model",)
tools_dir, work = sys.argv[1:]
run = driver.Driver(tools_dir, work)
print(driver.describe())
failures, refused = [], []
for name, (built, values, right, bound) in MODELS.items():
    x = ("f32", values.view(np.uint32))
    folder = pathlib.Path(work) / name
    folder.mkdir(parents=True)
    path = folder / "model.xml"
    openvino.save_model(built, path, compress_to_fp16=name in COMPRESSED)
    # The model as it is in the file.
    built = openvino.Core().read_model(path)
    found = run.run_file(path, [x], 1, folder)
    if isinstance(found, str):
        failures.append(f"{name}: {found}")
        continue
    try:
        if right == "plugin":
            [(element_type, wanted)] = driver.plugin(built, [x])
        else:
            [(element_type, wanted)] = driver.evaluate(built, [x], [found[0].shape])
    except RuntimeError as error:
        # Some weights need a newer instruction set.
        print(f"{name}: the {right} cannot: {str(error).strip().splitlines()[-1]}")
        refused.append(name)
        continue
    got = driver.slots_of(element_type, found[0])
    if got.shape != wanted.shape:
        failures.append(f"{name}: expected the shape {wanted.shape}, but got {got.shape}")
        continue
    form = FORMATS[element_type]
    a, b = (form.array(encodings).astype(np.float64) for encodings in (got, wanted))
    largest = np.abs(b).max()
    difference = np.max(np.abs(a - b)) / largest
    differing = np.count_nonzero(~driver.equal(element_type, got, wanted))
    line = f"{name}: {differing} of {got.size} differ from the {right}, at most by {difference:.2g} of the largest"
    print(line)
    if differing and (bound is None or not difference <= bound):
        failures.append(f"{line}, with the bound {bound or 0:.3g}")
# The assembler of the pinned wheel.
ptxas = pathlib.Path(sysconfig.get_path("purelib")) / "nvidia" / "cu13" / "bin"
for name in ("decoder_with_integer_weights", "decoder_with_fake_convert"):
    cubin = pathlib.Path(work) / name / "model.cubin"
    command = [f"{tools_dir}/quant-float-compile", cubin.with_suffix(".xml"), "-o", cubin]
    done = subprocess.run(
        [*command, "--target", "nvvm", "--chip", "sm_90"],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PATH": f"{ptxas}:{os.environ['PATH']}"},
    )
    if done.returncode or cubin.read_bytes()[:4] != b"\x7fELF":
        failures.append(f"{name}: no cubin: {done.stderr}")
if len(refused) > len(MODELS) // 2:
    failures.append(f"OpenVINO runs too few: not {', '.join(refused)}")
sys.exit("\n".join(failures) if failures else 0)
