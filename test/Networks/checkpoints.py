# A decoder with one layer as an ONNX model whose weights are inputs, and checkpoints of block formats that are bound to them:
# compressed-tensors' MXFP4, MXFP8 and NVFP4, and ModelOpt's NVFP4. The weights have the values that the formats define; the
# outputs have the bits of the same model with the float values as constants, which ONNX Runtime computes as well.
# RUN: rm -rf %t && mkdir %t
# RUN: env PYTHONPATH=%src_root/test/helpers %python %s %tools_dir %src_root %obj_root %t %if full %{ full %}
import json
import pathlib
import re
import subprocess
import sys
from typing import NamedTuple

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
import safetensors.numpy
from conformance import blocks
from networks.transformers import Builder, value
from onnx import TensorProto as T
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

F32, F4, F8 = np.float32, ml_dtypes.float4_e2m1fn, ml_dtypes.float8_e4m3fn
E8M0, BF16 = ml_dtypes.float8_e8m0fnu, ml_dtypes.bfloat16
WIDTH, HEADS, KV_HEADS, HIDDEN, LAYERS, TOKENS, VOCABULARY = 64, 4, 2, 160, 1, 7, 50
KV_WIDTH = WIDTH // HEADS * KV_HEADS
random = np.random.default_rng(20)

# The matrices of a layer: outputs and inputs.
MATRICES = {
    "self_attn.q_proj": (WIDTH, WIDTH),
    "self_attn.k_proj": (KV_WIDTH, WIDTH),
    "self_attn.v_proj": (KV_WIDTH, WIDTH),
    "self_attn.o_proj": (WIDTH, WIDTH),
    "mlp.gate_proj": (HIDDEN, WIDTH),
    "mlp.up_proj": (HIDDEN, WIDTH),
    "mlp.down_proj": (WIDTH, HIDDEN),
}


class Network(Builder):
    """Its weights are inputs, named as in checkpoints."""

    def __init__(self):
        super().__init__()
        self.inputs = [value("x", T.FLOAT, 1, "tokens", WIDTH)]

    def weight(self, name, shape, kind=T.FLOAT):
        self.inputs.append(value(name, kind, *shape))
        return name if kind == T.FLOAT else self.add("Cast", name, to=T.FLOAT)

    def linear(self, x, name, shape):
        return self.add("MatMul", x, self.add("Transpose", self.weight(name, shape), perm=[1, 0]))

    def norm(self, x, name):
        scale = self.weight(f"{name}.weight", [WIDTH], T.BFLOAT16)
        return self.add("RMSNormalization", x, scale, axis=-1, epsilon=1e-5)

    def layer(self, x, prefix):
        def linear(x, name):
            return self.linear(x, f"{prefix}.{name}.weight", MATRICES[name])

        h = self.norm(x, f"{prefix}.input_layernorm")
        q, k, v = (linear(h, f"self_attn.{part}_proj") for part in "qkv")
        y = self.add("Attention", q, k, v, q_num_heads=HEADS, kv_num_heads=KV_HEADS, is_causal=1)
        x = self.add("Add", x, linear(y, "self_attn.o_proj"))
        h = self.norm(x, f"{prefix}.post_attention_layernorm")
        gate, up = linear(h, "mlp.gate_proj"), linear(h, "mlp.up_proj")
        gated = self.add("Mul", self.add("Mul", gate, self.add("Sigmoid", gate)), up)
        return self.add("Add", x, linear(gated, "mlp.down_proj"))

    def finish(self):
        x = "x"
        for layer in range(LAYERS):
            x = self.layer(x, f"model.layers.{layer}")
        y = self.linear(self.norm(x, "model.norm"), "lm_head.weight", [VOCABULARY, WIDTH])
        self.nodes.append(onnx.helper.make_node("Identity", [y], ["logits"]))
        logits = value("logits", T.FLOAT, 1, "tokens", VOCABULARY)
        return self.model(self.inputs, [logits])


def make_weights():
    """In f32, as trained."""
    norms = [
        f"model.layers.{layer}.{name}"
        for layer in range(LAYERS)
        for name in ("input_layernorm", "post_attention_layernorm")
    ]
    plain = {
        f"{name}.weight": random.normal(1, 0.2, WIDTH).astype(BF16)
        for name in [*norms, "model.norm"]
    }
    plain["lm_head.weight"] = random.normal(0, 0.2, (VOCABULARY, WIDTH)).astype(F32)
    matrices = {
        f"model.layers.{layer}.{name}.weight": random.normal(0, 0.15, shape).astype(F32)
        for layer in range(LAYERS)
        for name, shape in MATRICES.items()
    }
    # A block of zeros, one of subnormal numbers, one with an outlier, and negative zeros.
    first = matrices["model.layers.0.mlp.up_proj.weight"]
    first[0, :32], first[1, :32], first[2, 3], first[3, :32:2] = 0, 1e-39, 30, -0.0
    return plain, matrices


class Format(NamedTuple):
    """The storage of a weight in a package, and the float that it represents."""

    element: str
    scale: str
    block: int
    rule: str
    config: dict

    def split(self, w):
        return w.reshape(len(w), -1, self.block)

    def quantize(self, w):
        """Elements in their type, encodings of scales, and the scale of the tensor."""
        level = None
        if self.rule in blocks.TWO_LEVELS:
            level = blocks.Level(amax=np.abs(w).max())
        x = self.split(w)
        encodings = blocks.scales(self.rule, self.element, self.scale, np.abs(x).max(-1), level)
        wide = np.broadcast_to(encodings[..., None], x.shape)
        bits = blocks.elements(self.rule, self.element, self.scale, x, wide, level)
        kind = blocks.FLOATS[self.element][0]
        return bits.astype(np.uint8).view(kind).reshape(w.shape), encodings.astype(np.uint8), level


def pack(elements):
    """Two elements in a byte, the first in the low nibble."""
    encodings = elements.view(np.uint8)
    return encodings[:, 0::2] | encodings[:, 1::2] << 4


def unpack(packed):
    return np.stack([packed & 15, packed >> 4], -1).reshape(len(packed), -1).view(F4)


def multiply(elements, scales):
    """In f32, with the scale of each block."""
    blocks_of = elements.astype(F32).reshape(*scales.shape, -1)
    return (blocks_of * scales[..., None]).reshape(elements.shape)


def store_mxfp4(form, name, w):
    elements, scales, _ = form.quantize(w)
    return {f"{name}_packed": pack(elements), f"{name}_scale": scales}


def load_mxfp4(tensors, name):
    scales = tensors[f"{name}_scale"].view(E8M0).astype(F32)
    return multiply(unpack(tensors[f"{name}_packed"]), scales)


def store_mxfp8(form, name, w):
    elements, scales, _ = form.quantize(w)
    return {name: elements, f"{name}_scale": scales}


def load_mxfp8(tensors, name):
    return multiply(tensors[name], tensors[f"{name}_scale"].view(E8M0).astype(F32))


def store_compressed(form, name, w):
    elements, scales, level = form.quantize(w)
    return {
        f"{name}_packed": pack(elements),
        f"{name}_scale": scales.view(F8),
        f"{name}_global_scale": F32([level.reciprocal(form.rule)]),
    }


def load_compressed(tensors, name):
    scales = tensors[f"{name}_scale"].astype(F32) / tensors[f"{name}_global_scale"]
    return multiply(unpack(tensors[f"{name}_packed"]), scales)


def store_modelopt(form, name, w):
    elements, scales, level = form.quantize(w)
    return {
        name: pack(elements),
        f"{name}_scale": scales.view(F8),
        f"{name}_scale_2": np.array(level.factor(), F32),
    }


def load_modelopt(tensors, name):
    scales = tensors[f"{name}_scale"].astype(F32) * tensors[f"{name}_scale_2"]
    return multiply(unpack(tensors[name]), scales)


def compressed(name, bits, block):
    weights = {"num_bits": bits, "type": "float", "strategy": "group", "group_size": block}
    group = {"format": name, "targets": ["Linear"], "weights": weights}
    return {
        "quant_method": "compressed-tensors",
        "format": name,
        "config_groups": {"group_0": group},
        "ignore": ["lm_head"],
    }


MODELOPT = {"quant_method": "modelopt", "quant_algo": "NVFP4", "group_size": 16}
FORMATS = {
    "mxfp4-pack-quantized": (
        Format("f4E2M1FN", "f8E8M0FNU", 32, "floor", compressed("mxfp4-pack-quantized", 4, 32)),
        store_mxfp4,
        load_mxfp4,
    ),
    "mxfp8-quantized": (
        Format("f8E4M3FN", "f8E8M0FNU", 32, "rceil", compressed("mxfp8-quantized", 8, 32)),
        store_mxfp8,
        load_mxfp8,
    ),
    "nvfp4-pack-quantized": (
        Format(
            "f4E2M1FN",
            "f8E4M3FN",
            16,
            "compressed_tensors",
            compressed("nvfp4-pack-quantized", 4, 16),
        ),
        store_compressed,
        load_compressed,
    ),
    "modelopt-nvfp4": (
        Format("f4E2M1FN", "f8E4M3FN", 16, "model_optimizer", MODELOPT),
        store_modelopt,
        load_modelopt,
    ),
}

failures = []


def expect(what, found, wanted):
    if found.shape != wanted.shape or found.dtype != wanted.dtype:
        failures.append(f"{what}: {found.dtype}{found.shape}, not {wanted.dtype}{wanted.shape}")
    elif found.tobytes() != wanted.tobytes():
        bits = f"u{found.dtype.itemsize}"
        places = np.argwhere(found.view(bits) != wanted.view(bits))
        at = tuple(places[0])
        failures.append(f"{what}: {len(places)} differ, {at}: {found[at]}, not {wanted[at]}")


class Tools:
    def __init__(self, folder, work):
        self.folder, self.work = folder, work

    def call(self, name, *arguments):
        subprocess.run([self.folder / f"quant-float-{name}", *arguments], check=True, cwd=self.work)

    def run(self, outputs, *arguments):
        """The outputs in order."""
        self.call("run", *arguments, "--outputs", outputs)
        files = sorted(
            (self.work / outputs).glob("output_*.npy"),
            key=lambda file: int(file.stem.split("_")[1]),
        )
        return [np.load(file) for file in files]


def bind_floats(network, weights):
    """The model with the weights as constants."""
    bound = onnx.ModelProto()
    bound.CopyFrom(network)
    del bound.graph.input[1:]
    bound.graph.initializer.extend(
        numpy_helper.from_array(array, name) for name, array in weights.items()
    )
    onnx.checker.check_model(bound, full_check=True)
    return bound


def check_weights(tools, name, wanted):
    """The results of compiled code, of the Reference if it supports all ops, and of ONNX's
    reference evaluator."""
    tools.call("translate", "--import-safetensors", f"{name}.safetensors", "-o", f"{name}.mlir")
    tools.call("translate", "--export-onnx", f"{name}.mlir", "-o", f"{name}.onnx")
    text = (tools.work / f"{name}.mlir").read_text()
    names = re.findall(r'quant_float.name = "(.*?)"', text)
    if sorted(names) != sorted(wanted):
        failures.append(f"{name}: {sorted(set(names) ^ set(wanted))}")
        return
    for target in ("cpu", "reference"):
        if target == "reference" and "quant_float.node" in text:
            continue
        found = tools.run(f"{name}-{target}", f"{name}.mlir", "--target", target)
        for weight, array in zip(names, found, strict=True):
            expect(f"{name}, {target}: {weight}", array.view(wanted[weight].dtype), wanted[weight])
    found = ReferenceEvaluator(onnx.load(tools.work / f"{name}.onnx")).run(None, {})
    for weight, array in zip(names, found, strict=True):
        expect(f"{name}, onnx: {weight}", np.asarray(array), wanted[weight])


def check_network(tools, network, name, weights, x):
    """The bits are the same with quantized weights and with their values, and close to those of
    ONNX Runtime."""
    bound = bind_floats(network, weights)
    onnx.save(bound, tools.work / f"{name}-float.onnx")
    wanted = tools.run(f"{name}-float", f"{name}-float.onnx", "--inputs", "x.npy")[0]
    options = ["network.onnx", "--bind-weights", f"{name}.safetensors"]
    for extra in ([], ["-O3", "--threads=2"], ["--cpu=x86-64-v2"]):
        found = tools.run(f"{name}-quantized", *options, "--inputs", "x.npy", *extra)[0]
        expect(f"{name} {' '.join(extra)}: logits", found, wanted)
    sizes = []
    for library, arguments in ((f"{name}.so", options), ("float.so", [f"{name}-float.onnx"])):
        tools.call("compile", *arguments, "-o", library)
        tools.call("exec", library, "--inputs", "x.npy", "--outputs", f"{name}-library")
        found = np.load(tools.work / f"{name}-library" / "output_0.npy")
        expect(f"{name}, {library}: logits", found, wanted)
        sizes.append((tools.work / library).stat().st_size)
    # The library contains the quantized weights, not their values.
    if not sizes[0] < sizes[1] - 100_000:
        failures.append(f"{name}: the library has {sizes[0]} bytes, that of floats {sizes[1]}")
    peer = onnxruntime.InferenceSession(bound.SerializeToString()).run(None, {"x": x})[0]
    error = np.abs(peer - wanted).max() / np.abs(peer).max()
    if not error < 2e-5:
        failures.append(f"{name}: the largest relative difference from ONNX Runtime is {error}")


def check_torchao(source, build, work, expected):
    """The values that torchao dequantizes. It does not support NVFP4 with a divisor as the scale of
    the tensor."""
    from model_zoo import environment

    python = environment.make(source, build / "networks" / "venv")
    script = pathlib.Path(__file__).parent / "Inputs" / "dequantize_checkpoints.py"
    names = [name for name in expected if name != "nvfp4-pack-quantized"]
    subprocess.run([python, script, work, *names], check=True)
    for name in names:
        found = safetensors.numpy.load_file(work / f"{name}-torchao.safetensors")
        for weight, array in found.items():
            expect(f"{name}, torchao: {weight}", array, expected[name][weight])


def main():
    folder, source, build, work = map(pathlib.Path, sys.argv[1:5])
    tools = Tools(folder, work)
    network = Network().finish()
    onnx.save(network, work / "network.onnx")
    plain, matrices = make_weights()
    x = random.standard_normal((1, TOKENS, WIDTH)).astype(F32)
    np.save(work / "x.npy", x)
    expected = {}
    for name, (form, store, load) in FORMATS.items():
        stored, weights = dict(plain), dict(plain)
        for weight, w in matrices.items():
            stored |= store(form, weight, w)
            weights[weight] = load(stored, weight)
        metadata = {"quantization_config": json.dumps(form.config)}
        safetensors.numpy.save_file(stored, work / f"{name}.safetensors", metadata)
        check_weights(tools, name, weights)
        check_network(tools, network, name, weights, x)
        expected[name] = weights
    if "full" in sys.argv[5:]:
        check_torchao(source, build, work, expected)
    print(*failures[:20], sep="\n")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
