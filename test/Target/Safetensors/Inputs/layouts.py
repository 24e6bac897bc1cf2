"""Quantized weights as checkpoints have them, made from codes and scales in NumPy as the packages that write
the layouts describe them, with what each weight has to be: every value is one or two operations in f32."""

from typing import NamedTuple

import ml_dtypes
import numpy as np

random = np.random.default_rng(18)
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
E4M3, E5M2, E8M0 = (
    np.dtype(getattr(ml_dtypes, f"float8_{name}")) for name in ("e4m3fn", "e5m2", "e8m0fnu")
)
FLOATS = (np.dtype(np.float32), np.dtype(np.float16), BFLOAT16)
E2M1 = np.float32([0, 0.5, 1, 1.5, 2, 3, 4, 6])
E2M1 = np.concatenate([E2M1, -E2M1])
# By the place in a word of AWQ: the column that is there.
AWQ_ORDER = [0, 2, 4, 6, 1, 3, 5, 7]


class Case(NamedTuple):
    tensors: dict
    weights: dict
    config: dict = {}


def make_codes(bits, *shape):
    return random.integers(0, 1 << bits, shape, np.uint8)


def make_scales(dtype, *shape):
    return random.normal(size=shape).astype(np.float32).astype(dtype)


def make_float8(dtype, *shape):
    """All codes but those of NaN and infinity."""
    codes = random.integers(0, 256, shape, np.uint8).view(dtype)
    return np.where(np.isfinite(codes.astype(np.float32)), codes, codes.dtype.type(1))


def pack_words(codes, bits):
    """Rows of codes in words of 32 bits, the first in the lowest bits."""
    single = np.unpackbits(codes[..., None], axis=-1, bitorder="little")[..., :bits]
    rows = single.reshape(*codes.shape[:-1], -1)
    missing = -rows.shape[-1] % 32
    rows = np.pad(rows, [(0, 0)] * (rows.ndim - 1) + [(0, missing)])
    return np.packbits(rows, axis=-1, bitorder="little").view("<i4")


def pack_halves(codes):
    """Two codes of 4 bits in a byte, the first in the low half."""
    return codes[..., 0::2] | codes[..., 1::2] << 4


def spread(scales, size):
    """Those of groups along the last axis, for each element."""
    return np.repeat(scales, size, -1)


def scaled(codes, zeros, scales):
    return (codes.astype(np.float32) - np.asarray(zeros).astype(np.float32)) * scales.astype(
        np.float32
    )


def compressed(bits, **weights):
    scheme = {"num_bits": bits, **weights}
    groups = {"group_0": {"targets": ["Linear"], "weights": scheme}}
    return {"quant_method": "compressed-tensors", "config_groups": groups}


def bytes_case(dtype):
    """compressed-tensors' float-quantized and int-quantized, and others' float8."""
    rows, columns = 24, 64
    tensors, weights = {}, {}
    shapes = {
        "tensor": (),
        "one": (1,),
        "channel": (rows, 1),
        "channels": (rows,),
        "group": (rows, columns // 16),
        "block": (rows // 8, columns // 32),
    }
    for kind in (np.dtype(np.int8), E4M3, E5M2):
        for strategy, shape in shapes.items():
            name = f"{kind}.{strategy}"
            codes = make_codes(8, rows, columns).view(np.int8)
            codes = codes if kind == np.int8 else make_float8(kind, rows, columns)
            scale = np.asarray(make_scales(dtype, *shape))
            tensors |= {f"{name}.weight": codes, f"{name}.weight_scale": scale}
            wide = scale.reshape(-1, 1) if strategy == "channels" else scale
            if wide.ndim == 2:
                wide = spread(wide, columns // wide.shape[1])
                wide = np.repeat(wide, rows // wide.shape[0], 0)
            weights[f"{name}.weight"] = scaled(codes, 0, wide)
    codes = make_codes(8, rows, columns).view(np.int8)
    scale = make_scales(dtype, rows, 1)
    zeros = make_codes(8, rows, 1).view(np.int8)
    tensors |= {"z.weight": codes, "z.weight_scale": scale, "z.weight_zero_point": zeros}
    weights["z.weight"] = scaled(codes, zeros, scale)
    # Floats have none, but some programs write it.
    codes = make_float8(E4M3, rows, columns)
    tensors |= {"f.weight": codes, "f.weight_scale": scale}
    tensors["f.weight_zero_point"] = np.zeros((rows, 1), np.int8)
    weights["f.weight"] = scaled(codes, 0, scale)
    # The experts of a layer.
    codes = make_float8(E4M3, 3, rows, columns)
    scale = make_scales(dtype, 3, rows, 1)
    tensors |= {"experts.weight": codes, "experts.weight_scale": scale}
    weights["experts.weight"] = scaled(codes, 0, scale)
    # What belongs to no weight stays as it is.
    tensors["f.input_scale"] = weights["f.input_scale"] = np.float32([0.5])
    return Case(tensors, weights, {"quant_method": "compressed-tensors"})


def inverse_case():
    """Blocks of 128 by 128, of which the last are smaller."""
    codes = make_float8(E4M3, 160, 192)
    scale = make_scales(np.float32, 2, 2)
    wide = np.repeat(spread(scale, 128)[:, :192], 128, 0)[:160]
    return Case(
        {"a.weight": codes, "a.weight_scale_inv": scale},
        {"a.weight": scaled(codes, 0, wide)},
        {"quant_method": "fp8", "weight_block_size": [128, 128]},
    )


def packed_case(bits, dtype):
    """compressed-tensors' pack-quantized: signed codes less their least value."""
    tensors, weights = {}, {}
    offset = 1 << (bits - 1)
    for rows, columns, size in ((20, 64, 64), (20, 64, 16), (20, 52, 52), (32, 128, 32)):
        for has_zeros in (False, True):
            for order in ("none", "unset", "sorted", "random"):
                name = f"{columns}.{size}.{has_zeros}.{order}"
                codes = make_codes(bits, rows, columns)
                scale = make_scales(dtype, rows, columns // size)
                zeros = make_codes(bits, rows, columns // size)
                zeros = zeros if has_zeros else np.full_like(zeros, offset)
                group = np.arange(columns) // size
                if order == "random":
                    group = random.permutation(group)
                tensors[f"{name}.weight_packed"] = pack_words(codes, bits)
                tensors[f"{name}.weight_scale"] = scale
                tensors[f"{name}.weight_shape"] = np.int64([rows, columns])
                if has_zeros:
                    packed = np.ascontiguousarray(pack_words(zeros.T.copy(), bits).T)
                    tensors[f"{name}.weight_zero_point"] = packed
                if order == "unset":
                    tensors[f"{name}.weight_g_idx"] = np.full(columns, -1, np.int32)
                elif order != "none":
                    tensors[f"{name}.weight_g_idx"] = group.astype(np.int32)
                weights[f"{name}.weight"] = scaled(codes, zeros[:, group], scale[:, group])
    return Case(tensors, weights, compressed(bits))


def float4_case():
    """NVFP4 and MXFP4 of compressed-tensors and ModelOpt, MXFP8, and MXFP4 in rows of blocks."""
    codes = make_codes(4, 8, 96)
    values, packed = E2M1[codes], pack_halves(codes)
    scale = np.abs(make_float8(E4M3, 8, 6))
    whole = np.float32([423.7])
    exponents = random.integers(90, 160, (8, 3), np.uint8)
    powers = np.ldexp(np.float32(1), exponents.astype(np.int32) - 127)
    tensors = {
        "nv.weight_packed": packed,
        "nv.weight_scale": scale,
        "nv.weight_global_scale": whole,
        "mx.weight_packed": packed,
        "mx.weight_scale": exponents,
        "typed.weight_packed": packed,
        "typed.weight_scale": exponents.view(E8M0),
        "opt.weight": packed,
        "opt.weight_scale": scale,
        "opt.weight_scale_2": whole[0],
    }
    divided = scale.astype(np.float32) / whole
    product = scale.astype(np.float32) * whole
    micro = values * spread(powers, 32)
    weights = {
        "nv.weight": values * spread(divided, 16),
        "mx.weight": micro,
        "typed.weight": micro,
        "opt.weight": values * spread(product, 16),
    }
    wide = make_float8(E4M3, 8, 96)
    tensors |= {"mx8.weight": wide, "mx8.weight_scale": exponents}
    weights["mx8.weight"] = scaled(wide, 0, spread(powers, 32))
    tensors |= {
        "experts_blocks": packed.reshape(2, 4, 3, 16),
        "experts_scales": exponents.reshape(2, 4, 3),
    }
    weights["experts"] = micro.reshape(2, 4, 96)
    return Case(tensors, weights)


def gptq_case(bits, form):
    """Words along the inputs, zero points along the outputs, less one before version 2."""
    inputs, outputs, less = 64, 32, form != "gptq_v2"
    tensors, weights = {}, {}
    for size in (64, 16):
        for order in ("none", "sorted", "random"):
            name = f"{size}.{order}"
            codes = make_codes(bits, inputs, outputs)
            zeros = random.integers(less, 1 << bits, (inputs // size, outputs), np.uint8)
            scale = make_scales(np.float16, inputs // size, outputs)
            group = np.arange(inputs) // size
            if order == "random":
                group = random.permutation(group)
            tensors[f"{name}.qweight"] = pack_words(codes.T.copy(), bits).T.copy()
            tensors[f"{name}.qzeros"] = pack_words(zeros - less, bits)
            tensors[f"{name}.scales"] = scale
            if order != "none":
                tensors[f"{name}.g_idx"] = group.astype(np.int32)
            weights[f"{name}.weight"] = scaled(codes, zeros[group], scale[group]).T
    config = {"quant_method": "gptq", "bits": bits, "group_size": 16}
    return Case(tensors, weights, config | ({"checkpoint_format": form} if form else {}))


def awq_case():
    """Words along the outputs, in the order of a kernel."""
    inputs, outputs = 64, 32
    tensors, weights = {}, {}

    def pack(codes):
        eights = codes.reshape(len(codes), -1, 8)[..., AWQ_ORDER]
        return pack_words(eights.reshape(codes.shape), 4)

    for size in (64, 16):
        codes = make_codes(4, inputs, outputs)
        zeros = make_codes(4, inputs // size, outputs)
        scale = make_scales(np.float16, inputs // size, outputs)
        tensors[f"{size}.qweight"] = pack(codes)
        tensors[f"{size}.qzeros"] = pack(zeros)
        tensors[f"{size}.scales"] = scale
        group = np.arange(inputs) // size
        weights[f"{size}.weight"] = scaled(codes, zeros[group], scale[group]).T
    return Case(
        tensors, weights, {"quant_method": "awq", "bits": 4, "version": "gemm", "group_size": 16}
    )


CASES = (
    {"inverse": inverse_case(), "float4": float4_case(), "awq": awq_case()}
    | {f"bytes-{dtype}": bytes_case(dtype) for dtype in FLOATS}
    | {f"packed{bits}-{dtype}": packed_case(bits, dtype) for bits in (4, 8) for dtype in FLOATS}
    | {
        f"gptq{bits}{form}": gptq_case(bits, form)
        for bits in (2, 4, 8)
        for form in ("", "gptq", "gptq_v2")
    }
)
