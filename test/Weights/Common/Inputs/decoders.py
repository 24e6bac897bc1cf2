"""Decodes the weights of files independently: tensors of a checkpoint in NumPy, and GGUF by its
package."""

import json

import gguf
import ml_dtypes
import numpy as np
from layouts import AWQ_ORDER, E2M1, scaled, spread
from safetensors import deserialize, safe_open

DTYPES = {
    "BF16": ml_dtypes.bfloat16,
    "F8_E4M3": ml_dtypes.float8_e4m3fn,
    "F8_E5M2": ml_dtypes.float8_e5m2,
    "F32": np.float32,
    "F16": np.float16,
    "I64": np.int64,
    "I32": np.int32,
    "I8": np.int8,
    "U8": np.uint8,
}


def read_checkpoint(path):
    """The tensors, and the quantization_config of the metadata."""
    tensors = {
        name: np.frombuffer(tensor["data"], DTYPES[tensor["dtype"]]).reshape(tensor["shape"])
        for name, tensor in deserialize(path.read_bytes())
    }
    with safe_open(path, "np") as file:
        metadata = file.metadata()
    return tensors, json.loads(metadata.get("quantization_config", "{}"))


def unpack_words(words, bits, count):
    """Rows of quantized values from 32-bit integers, lowest bits first."""
    single = np.unpackbits(words.view(np.uint8), axis=-1, bitorder="little")
    encodings = single.reshape(*words.shape[:-1], -1, bits) << np.arange(bits, dtype=np.uint8)
    return encodings.sum(-1, dtype=np.uint8)[..., :count]


def unpack_halves(encodings):
    return E2M1[np.stack([encodings & 15, encodings >> 4], -1).reshape(*encodings.shape[:-1], -1)]


def powers(exponents):
    return np.ldexp(np.float32(1), exponents.astype(np.int32) - 127)


def decode_words(tensors, config):
    bits, awq = config["bits"], config["quant_method"] == "awq"
    words, zeros, scales = (tensors[f"a.{name}"] for name in ("qweight", "qzeros", "scales"))
    outputs = scales.shape[1]
    zeros = unpack_words(zeros, bits, outputs)
    if awq:
        order = np.argsort(AWQ_ORDER)
        encodings = unpack_words(words, bits, outputs)
        encodings, zeros = (
            x.reshape(len(x), -1, 8)[..., order].reshape(x.shape) for x in (encodings, zeros)
        )
    else:
        encodings = unpack_words(words.T.copy(), bits, len(words) * 32 // bits).T
        zeros = zeros + (config["checkpoint_format"] == "gptq")
    group = tensors.get("a.g_idx", np.arange(len(encodings)) // (len(encodings) // len(scales)))
    return scaled(encodings, zeros[group], scales[group]).T


def decode_packed(tensors, bits):
    rows, columns = tensors["a.weight_shape"]
    scale, offset = tensors["a.weight_scale"], 1 << (bits - 1)
    encodings = unpack_words(tensors["a.weight_packed"], bits, columns)
    zeros = np.full(scale.shape, offset)
    if "a.weight_zero_point" in tensors:
        zeros = unpack_words(tensors["a.weight_zero_point"].T.copy(), bits, rows).T
    group = tensors.get("a.weight_g_idx", np.arange(columns) // (columns // scale.shape[1]))
    return scaled(encodings, zeros[:, group], scale[:, group])


def decode_checkpoint(path):
    """The layout of the weight `a.weight` or `a`, and its values."""
    tensors, config = read_checkpoint(path)
    if "a.qweight" in tensors:
        return config["quant_method"].upper(), decode_words(tensors, config)
    if "a_blocks" in tensors:
        values = unpack_halves(tensors["a_blocks"]) * powers(tensors["a_scales"])[..., None]
        return "MXFP4 blocks", values.reshape(*values.shape[:-2], -1)
    scale = tensors["a.weight_scale"]
    if "a.weight_shape" in tensors:
        (group,) = config["config_groups"].values()
        bits = group["weights"]["num_bits"]
        return f"pack-quantized {bits}", decode_packed(tensors, bits)
    if "a.weight_global_scale" in tensors:
        scale = scale.astype(np.float32) / tensors["a.weight_global_scale"]
        return "nvfp4-pack-quantized", unpack_halves(tensors["a.weight_packed"]) * spread(scale, 16)
    if "a.weight_scale_2" in tensors:
        scale = scale.astype(np.float32) * tensors["a.weight_scale_2"]
        return "ModelOpt NVFP4", unpack_halves(tensors["a.weight"]) * spread(scale, 16)
    if "a.weight_packed" in tensors:
        values = unpack_halves(tensors["a.weight_packed"])
        return "mxfp4-pack-quantized", values * spread(powers(scale), 32)
    encodings = tensors["a.weight"]
    name = "int-quantized" if encodings.dtype == np.int8 else "float-quantized"
    if scale.dtype == np.uint8:
        name, scale = "mxfp8-quantized", powers(scale)
    zeros = tensors.get("a.weight_zero_point", np.zeros_like(scale, np.float32))
    if scale.ndim == 2:
        zeros, scale = (spread(x, encodings.shape[1] // x.shape[1]) for x in (zeros, scale))
    return name, scaled(encodings, zeros, scale)


def decode_gguf(path):
    """NVFP4's scale of the tensor multiplies the scales of the blocks."""
    tensor, *scales = gguf.GGUFReader(path).tensors
    values = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
    if scales:
        assert [scale.name for scale in scales] == ["a.scale"]
        blocks = tensor.data.reshape(-1, 36)[:, :4].copy().view(ml_dtypes.float8_e4m3fn)
        blocks = spread(blocks.astype(np.float32).reshape(len(values), -1), 16)
        # Quotients by the scales of blocks are exact. Those by 0 have the element 0.
        elements = values / np.where(blocks == 0, 1, blocks)
        values = elements * (blocks * scales[0].data)
    return tensor.tensor_type.name, values.reshape(tuple(reversed(tensor.shape.tolist())))
