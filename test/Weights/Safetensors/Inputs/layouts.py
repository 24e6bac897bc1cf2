"""Quantized weights in the layouts of checkpoints, built from quantized values and scales in NumPy
as the packages that write the layouts document them, with the expected values of each weight: every
value takes one or two operations in f32."""

import json
from typing import NamedTuple

import ml_dtypes
import numpy as np

random = np.random.default_rng(18)
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
E4M3, E5M2, E8M0, E4M3FNUZ, E5M2FNUZ = (
    np.dtype(getattr(ml_dtypes, f"float8_{name}"))
    for name in ("e4m3fn", "e5m2", "e8m0fnu", "e4m3fnuz", "e5m2fnuz")
)
FLOATS = (np.dtype(np.float32), np.dtype(np.float16), BFLOAT16)
E2M1 = np.float32([0, 0.5, 1, 1.5, 2, 3, 4, 6])
E2M1 = np.concatenate([E2M1, -E2M1])
# For each position in an AWQ 32-bit integer, its column.
AWQ_ORDER = [0, 2, 4, 6, 1, 3, 5, 7]


class Case(NamedTuple):
    tensors: dict
    weights: dict
    config: dict = {}


def make_quantized(bits, *shape):
    return random.integers(0, 1 << bits, shape, np.uint8)


def make_scales(dtype, *shape):
    return random.normal(size=shape).astype(np.float32).astype(dtype)


def make_float8(dtype, *shape):
    """All encodings but those of NaN and infinity."""
    encodings = random.integers(0, 256, shape, np.uint8).view(dtype)
    return np.where(np.isfinite(encodings.astype(np.float32)), encodings, encodings.dtype.type(1))


def pack_into_32_bits(encodings, bits):
    """Rows of quantized values in 32-bit integers, lowest bits first."""
    single = np.unpackbits(encodings[..., None], axis=-1, bitorder="little")[..., :bits]
    rows = single.reshape(*encodings.shape[:-1], -1)
    missing = -rows.shape[-1] % 32
    rows = np.pad(rows, [(0, 0)] * (rows.ndim - 1) + [(0, missing)])
    return np.packbits(rows, axis=-1, bitorder="little").view("<i4")


def pack_halves(encodings):
    """Two 4-bit values in a byte, the first in the low half."""
    return encodings[..., 0::2] | encodings[..., 1::2] << 4


def spread(scales, size):
    """Broadcasts the parameters of groups along the last axis to the elements."""
    return np.repeat(scales, size, -1)


def scaled(encodings, zeros, scales):
    return (encodings.astype(np.float32) - np.asarray(zeros).astype(np.float32)) * scales.astype(
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
            encodings = make_quantized(8, rows, columns).view(np.int8)
            encodings = encodings if kind == np.int8 else make_float8(kind, rows, columns)
            scale = np.asarray(make_scales(dtype, *shape))
            tensors |= {f"{name}.weight": encodings, f"{name}.weight_scale": scale}
            wide = scale.reshape(-1, 1) if strategy == "channels" else scale
            if wide.ndim == 2:
                wide = spread(wide, columns // wide.shape[1])
                wide = np.repeat(wide, rows // wide.shape[0], 0)
            weights[f"{name}.weight"] = scaled(encodings, 0, wide)
    encodings = make_quantized(8, rows, columns).view(np.int8)
    scale = make_scales(dtype, rows, 1)
    zeros = make_quantized(8, rows, 1).view(np.int8)
    tensors |= {"z.weight": encodings, "z.weight_scale": scale, "z.weight_zero_point": zeros}
    weights["z.weight"] = scaled(encodings, zeros, scale)
    # Floats have no zero points, but some programs write them.
    encodings = make_float8(E4M3, rows, columns)
    tensors |= {"f.weight": encodings, "f.weight_scale": scale}
    tensors["f.weight_zero_point"] = np.zeros((rows, 1), np.int8)
    weights["f.weight"] = scaled(encodings, 0, scale)
    # As Ascend's programs write them, too.
    encodings = make_quantized(8, rows, columns).view(np.int8)
    tensors |= {"o.weight": encodings, "o.weight_scale": scale}
    weights["o.weight"] = scaled(encodings, 0, scale)
    for name, kind in (("o.weight_offset", np.float32), ("o.weight_zp", np.int8)):
        tensors[name] = weights[name] = np.zeros((rows, 1), kind)
    # Shifts of activations.
    for name in ("o.input_offset", "o.shift", "o.offset"):
        tensors[name] = weights[name] = np.float32([3, 4])
    # The experts of a layer.
    encodings = make_float8(E4M3, 3, rows, columns)
    scale = make_scales(dtype, 3, rows, 1)
    tensors |= {"experts.weight": encodings, "experts.weight_scale": scale}
    weights["experts.weight"] = scaled(encodings, 0, scale)
    # Tensors that belong to no weight are kept.
    tensors["f.input_scale"] = weights["f.input_scale"] = np.float32([0.5])
    return Case(tensors, weights, {"quant_method": "compressed-tensors"})


def inverse_case():
    """Blocks of 128 by 128, the last of which are partial."""
    encodings = make_float8(E4M3, 160, 192)
    scale = make_scales(np.float32, 2, 2)
    wide = np.repeat(spread(scale, 128)[:, :192], 128, 0)[:160]
    return Case(
        {"a.weight": encodings, "a.weight_scale_inv": scale},
        {"a.weight": scaled(encodings, 0, wide)},
        {"quant_method": "fp8", "weight_block_size": [128, 128]},
    )


def packed_case(bits, dtype):
    """compressed-tensors' pack-quantized: signed values minus their minimum."""
    tensors, weights = {}, {}
    offset = 1 << (bits - 1)
    for rows, columns, size in ((20, 64, 64), (20, 64, 16), (20, 52, 52), (32, 128, 32)):
        for has_zeros in (False, True):
            for order in ("none", "unset", "sorted", "random"):
                name = f"{columns}.{size}.{has_zeros}.{order}"
                encodings = make_quantized(bits, rows, columns)
                scale = make_scales(dtype, rows, columns // size)
                zeros = make_quantized(bits, rows, columns // size)
                zeros = zeros if has_zeros else np.full_like(zeros, offset)
                group = np.arange(columns) // size
                if order == "random":
                    group = random.permutation(group)
                tensors[f"{name}.weight_packed"] = pack_into_32_bits(encodings, bits)
                tensors[f"{name}.weight_scale"] = scale
                tensors[f"{name}.weight_shape"] = np.int64([rows, columns])
                if has_zeros:
                    packed = np.ascontiguousarray(pack_into_32_bits(zeros.T.copy(), bits).T)
                    tensors[f"{name}.weight_zero_point"] = packed
                if order == "unset":
                    tensors[f"{name}.weight_g_idx"] = np.full(columns, -1, np.int32)
                elif order != "none":
                    tensors[f"{name}.weight_g_idx"] = group.astype(np.int32)
                weights[f"{name}.weight"] = scaled(encodings, zeros[:, group], scale[:, group])
    # Groups where scales are per tensor, per row or per block of rows.
    rows, columns = 20, 64
    in_order = np.arange(columns) // 32
    for kind, scale in (
        ("whole", make_scales(dtype, 1)),
        ("rows", make_scales(dtype, rows)),
        ("blocks", make_scales(dtype, 5, 2)),
    ):
        orders = {"unset": np.full(columns, -1), "sorted": in_order}
        if kind == "blocks":
            orders["random"] = random.permutation(in_order)
        else:
            orders["zeros"] = np.zeros(columns)
        for order, indices in orders.items():
            name = f"{kind}.{order}"
            encodings = make_quantized(bits, rows, columns)
            tensors[f"{name}.weight_packed"] = pack_into_32_bits(encodings, bits)
            tensors[f"{name}.weight_scale"] = scale
            tensors[f"{name}.weight_shape"] = np.int64([rows, columns])
            tensors[f"{name}.weight_g_idx"] = indices.astype(np.int32)
            wide = scale if kind == "whole" else scale.reshape(rows, 1) if kind == "rows" else None
            if wide is None:
                group = indices if order == "random" else in_order
                wide = np.repeat(scale, 4, 0)[:, group]
            weights[f"{name}.weight"] = scaled(encodings, offset, wide)
    return Case(tensors, weights, compressed(bits))


def float4_case():
    """NVFP4 and MXFP4 of compressed-tensors and ModelOpt, MXFP8, and MXFP4 in rows of blocks."""
    encodings = make_quantized(4, 8, 192)
    values, packed = E2M1[encodings], pack_halves(encodings)
    scale = np.abs(make_float8(E4M3, 8, 12))
    whole = np.float32([423.7])
    exponents = random.integers(90, 160, (8, 6), np.uint8)
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
    wide = make_float8(E4M3, 8, 192)
    tensors |= {"mx8.weight": wide, "mx8.weight_scale": exponents}
    weights["mx8.weight"] = scaled(wide, 0, spread(powers, 32))
    tensors |= {
        "experts_blocks": packed.reshape(2, 4, 6, 16),
        "experts_scales": exponents.reshape(2, 4, 6),
    }
    weights["experts"] = micro.reshape(2, 4, 192)
    return Case(tensors, weights)


def cut_groups_case():
    """Groups of 48 of 64 inputs, which follows from no other shape."""
    inputs, outputs, size = 64, 32, 48
    group = np.arange(inputs) // size
    encodings, zeros = make_quantized(4, inputs, outputs), make_quantized(4, 2, outputs) | 1
    scale = make_scales(np.float16, 2, outputs)
    tensors = {
        "a.qweight": pack_into_32_bits(encodings.T.copy(), 4).T.copy(),
        "a.qzeros": pack_into_32_bits(zeros - 1, 4),
        "a.scales": scale,
        "a.g_idx": group.astype(np.int32),
    }
    weights = {"a.weight": scaled(encodings, zeros[group], scale[group]).T}
    return Case(tensors, weights, {"quant_method": "gptq", "bits": 4, "group_size": size})


def sizes_case():
    """Groups of 96 and of 64 in one checkpoint, where rows of 192 and of 128 match either."""
    tensors, weights = {}, {}
    for size, columns in ((96, 192), (64, 128), (96, 288)):
        for bits in (4, 8):
            name = f"{bits}.{size}.{columns}"
            encodings, scale = (
                make_quantized(bits, 32, columns),
                make_scales(np.float16, 32, columns // size),
            )
            tensors[f"{name}.weight_packed"] = pack_into_32_bits(encodings, bits)
            tensors[f"{name}.weight_scale"] = scale
            tensors[f"{name}.weight_shape"] = np.int64([32, columns])
            weights[f"{name}.weight"] = scaled(encodings, 1 << (bits - 1), spread(scale, size))
    schemes = [{"num_bits": bits, "group_size": size} for bits in (4, 8) for size in (64, 96)]
    groups = {f"group_{i}": {"weights": scheme} for i, scheme in enumerate(schemes)}
    return Case(tensors, weights, {"quant_method": "compressed-tensors", "config_groups": groups})


def gptq_case(bits, form):
    """32-bit integers along the inputs, zero points along the outputs, stored minus one before
    version 2."""
    inputs, outputs, less = 64, 32, form != "gptq_v2"
    tensors, weights = {}, {}
    for size in (64, 16):
        for order in ("none", "sorted", "random"):
            name = f"{size}.{order}"
            encodings = make_quantized(bits, inputs, outputs)
            zeros = random.integers(less, 1 << bits, (inputs // size, outputs), np.uint8)
            scale = make_scales(np.float16, inputs // size, outputs)
            group = np.arange(inputs) // size
            if order == "random":
                group = random.permutation(group)
            tensors[f"{name}.qweight"] = pack_into_32_bits(encodings.T.copy(), bits).T.copy()
            tensors[f"{name}.qzeros"] = pack_into_32_bits(zeros - less, bits)
            tensors[f"{name}.scales"] = scale
            if order != "none":
                tensors[f"{name}.g_idx"] = group.astype(np.int32)
            weights[f"{name}.weight"] = scaled(encodings, zeros[group], scale[group]).T
    config = {"quant_method": "gptq", "bits": bits, "group_size": 16}
    return Case(tensors, weights, config | ({"checkpoint_format": form} if form else {}))


def awq_case():
    """32-bit integers along the outputs, in the order of a kernel."""
    inputs, outputs = 64, 32
    tensors, weights = {}, {}

    def pack(encodings):
        eights = encodings.reshape(len(encodings), -1, 8)[..., AWQ_ORDER]
        return pack_into_32_bits(eights.reshape(encodings.shape), 4)

    for size in (64, 16):
        encodings = make_quantized(4, inputs, outputs)
        zeros = make_quantized(4, inputs // size, outputs)
        scale = make_scales(np.float16, inputs // size, outputs)
        tensors[f"{size}.qweight"] = pack(encodings)
        tensors[f"{size}.qzeros"] = pack(zeros)
        tensors[f"{size}.scales"] = scale
        group = np.arange(inputs) // size
        weights[f"{size}.weight"] = scaled(encodings, zeros[group], scale[group]).T
    return Case(
        tensors, weights, {"quant_method": "awq", "bits": 4, "version": "gemm", "group_size": 16}
    )


# bitsandbytes' lookup tables: NF4, and FP4 in twelfths.
NF4 = np.float32(
    [-1, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635]
    + [-0.18477343022823334, -0.09105003625154495, 0, 0.07958029955625534, 0.16093020141124725]
    + [0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941]
    + [0.7229568362236023, 1]
)
FP4 = np.float32([0, 0.0625, 8, 12, 4, 6, 2, 3]) / np.float32(12)
TABLES = {"nf4": NF4, "fp4": np.concatenate([FP4, -FP4])}


def to_bytes(state):
    """JSON as a tensor."""
    return np.frombuffer(json.dumps(state).encode(), np.uint8)


def table_parts(name, kind, shape, block, storage, nested):
    """QuantState.as_dict(packed=True) of bitsandbytes/functional.py, and the result of
    dequantize_4bit of its backends/default/ops.py."""
    count = int(np.prod(shape))
    encodings = make_quantized(4, count + count % 2)
    table, blocks = TABLES[kind], -(-count // block)
    # The first of two values is in the high half.
    packed = (encodings[0::2] << 4 | encodings[1::2]).view(storage).reshape(-1, 1)
    state = {"quant_type": kind, "blocksize": block, "dtype": "bfloat16", "shape": shape}
    tensors = {f"{name}.quant_map": table}
    if nested:
        inner, numbers = make_quantized(8, blocks), np.sort(make_scales(np.float32, 256))
        outer = np.abs(make_scales(np.float32, -(-blocks // 4)))
        offset = np.float32(0.7)
        # The practical block size is 256.
        state |= {"nested_blocksize": 4, "nested_dtype": "float32", "nested_offset": float(offset)}
        tensors[f"{name}.absmax"] = inner
        tensors[f"{name}.nested_absmax"] = outer
        tensors[f"{name}.nested_quant_map"] = numbers
        absmax = numbers[inner] * np.repeat(outer, 4)[:blocks] + offset
    else:
        absmax = tensors[f"{name}.absmax"] = np.abs(make_scales(np.float32, blocks))
    tensors[f"{name}.quant_state.bitsandbytes__{kind}"] = to_bytes(state)
    values = table[encodings[:count]] * np.repeat(absmax, block)[:count]
    return {name: packed} | tensors, values.reshape(shape)


def table_case(storage):
    tensors, weights = {}, {}
    shapes = [(16, 64), (6, 24, 32), (5, 48)] + ([(5, 7)] if storage == np.uint8 else [])
    for kind in TABLES:
        for nested in (False, True):
            for shape in shapes:
                name = f"{kind}.{nested}.{len(shape)}.{shape[-1]}.weight"
                # Blocks may span rows.
                parts, weights[name] = table_parts(name, kind, shape, 32, storage, nested)
                tensors |= parts
    # Experts in one tensor have another name.
    parts, weights["experts.down"] = table_parts(
        "experts.down", "nf4", (2, 8, 64), 64, storage, True
    )
    return Case(tensors | parts, weights, {"quant_method": "bitsandbytes"})


def rows_case():
    """LLM.int8 of bitsandbytes: the maximum of a row is 127. With and without the order of rows."""
    tensors, weights = {}, {}
    for name in ("a", "b"):
        encodings, largest = (
            make_quantized(8, 24, 64).view(np.int8),
            np.abs(make_scales(np.float32, 24)),
        )
        tensors |= {f"{name}.weight": encodings, f"{name}.SCB": largest}
        scale = (largest / np.float32(127))[:, None]
        weights[f"{name}.weight"] = scaled(encodings, 0, scale)
    tensors["a.weight_format"] = np.uint8(0).reshape(())
    return Case(tensors, weights, {"quant_method": "bitsandbytes", "load_in_8bit": True})


def pairs_case(dtype):
    """INT4 AWQ of ModelOpt, pack_int4_in_uint8 of modelopt/torch/export/quant_utils.py: two rows in
    one row of bytes, the first in the low half. The factors of the inputs are a separate tensor."""
    tensors, weights = {}, {}
    for shape in ((24, 128), (2, 8, 128)):
        for size in (16, 32, 128):
            name = f"{len(shape)}.{size}"
            encodings = make_quantized(4, *shape)
            scale = make_scales(dtype, *shape[:-1], shape[-1] // size)
            tensors[f"{name}.weight"] = encodings[..., 0::2, :] | encodings[..., 1::2, :] << 4
            tensors[f"{name}.weight_scale"] = scale
            signed = (encodings ^ 8).astype(np.int8) - 8
            weights[f"{name}.weight"] = scaled(signed, 0, spread(scale, size))
    tensors["2.16.pre_quant_scale"] = weights["2.16.pre_quant_scale"] = make_scales(dtype, 128)
    return Case(tensors, weights, {"quant_method": "modelopt", "quant_algo": "W4A16_AWQ"})


def quark_case():
    """MXFP4 of AMD's Quark, and of ModelOpt, which have no `weight_packed`, and of vLLM's
    experts."""
    tensors, weights = {}, {}
    for name, shape in (("a.weight", (24, 96)), ("experts.w13_weight", (3, 8, 64))):
        encodings = make_quantized(4, *shape)
        exponents = random.integers(90, 160, (*shape[:-1], shape[-1] // 32), np.uint8)
        tensors |= {name: pack_halves(encodings), f"{name}_scale": exponents}
        powers = np.ldexp(np.float32(1), exponents.astype(np.int32) - 127)
        weights[name] = E2M1[encodings] * spread(powers, 32)
    return Case(tensors, weights, {"quant_method": "quark"})


def fused_case():
    """Experts of vLLM: gate and up projections, with a scale each or none, are in one weight."""
    tensors, weights = {}, {}
    experts, rows, columns = 3, 8, 64
    shapes = {
        "expert": (experts,),
        "one": (experts, 1),
        "ones": (experts, 1, 1),
        "halves": (experts, 2),
        "row": (experts, rows),
        "column": (experts, rows, 1),
        "group": (experts, rows, columns // 16),
        "block": (experts, rows // 4, columns // 32),
    }
    for kind in (E4M3, E4M3FNUZ, np.dtype(np.int8)):
        for strategy, shape in shapes.items():
            for part in ("w13", "w2"):
                if strategy == "halves" and part == "w2":
                    continue
                name = f"{kind}.{strategy}.{part}_weight"
                encodings = make_quantized(8, experts, rows, columns).view(np.int8)
                encodings = encodings if kind == np.int8 else make_float8(kind, *encodings.shape)
                scale = make_scales(np.float32, *shape)
                suffix = "_scale_inv" if strategy == "block" and kind != np.int8 else "_scale"
                tensors |= {name: encodings, name + suffix: scale}
                wide = scale.reshape(*shape, *[1] * (3 - len(shape)))
                wide = np.repeat(wide, rows // wide.shape[1], 1)
                weights[name] = scaled(encodings, 0, spread(wide, columns // wide.shape[2]))
        # Factors of activations are not scales of a weight.
        name = f"{kind}.one.w13_input_scale"
        tensors[name] = weights[name] = make_scales(np.float32, experts)
    return Case(tensors, weights, {"quant_method": "fp8"})


def others_case():
    """float8 with the names and shapes of scales of ComfyUI, ModelOpt and DeepSeek, and with AMD's
    types."""
    tensors, weights = {}, {}

    def add(name, kind, scale, wide, suffix="weight_scale", shape=(24, 64)):
        encodings = make_float8(kind, *shape)
        tensors[f"{name}.weight"], tensors[f"{name}.{suffix}"] = encodings, np.asarray(scale)
        weights[f"{name}.weight"] = scaled(encodings, 0, wide)

    for kind in (E4M3, E5M2):
        one = make_scales(np.float32, 1)
        add(f"comfy.{kind}", kind, one, one, "scale_weight")
        add(f"comfy0.{kind}", kind, one.reshape(()), one, "scale_weight")
        format = "float8_e4m3fn" if kind == E4M3 else "float8_e5m2"
        add(f"newer.{kind}", kind, one.reshape(()), one)
        tensors[f"newer.{kind}.comfy_quant"] = to_bytes({"format": format})
    tensors["comfy.scale_input"] = weights["comfy.scale_input"] = np.float32([0.5])
    tensors["scaled_fp8"] = weights["scaled_fp8"] = np.zeros(2, E4M3)
    for kind in (E4M3FNUZ, E5M2FNUZ):
        rows = make_scales(np.float32, 24, 1)
        add(f"amd.{kind}", kind, rows, rows)
        blocks = make_scales(BFLOAT16, 3, 2)
        wide = np.repeat(spread(blocks, 32), 8, 0)
        add(f"blocks.{kind}", kind, blocks, wide, "weight_scale_inv")
    blocks = make_scales(np.float32, 3, 2)
    add("opt", E4M3, blocks.reshape(3, 1, 2, 1), np.repeat(spread(blocks, 32), 8, 0))
    exponents = random.integers(90, 160, (3, 2), np.uint8).view(E8M0)
    wide = np.repeat(spread(exponents, 32), 8, 0)
    add("deep", E4M3, exponents, wide, "weight_scale_inv")
    rows = make_scales(np.float32, 6, 1, 1, 1)
    add("conv", E4M3, rows, rows, shape=(6, 4, 3, 3))
    # Tensors that are not part of a weight.
    plain = {
        "norm.scale": make_scales(np.float32, 8),
        "norm.bias": make_scales(np.float32, 8),
        "attn.logit_scale": make_scales(np.float32, 2),
        "attn.index": np.arange(8).reshape(2, 4),
        "fake.scale": make_scales(np.float32, 1),
        "fake.zero_point": np.int32([3]),
        "fake.enabled": np.uint8([1]),
    }
    return Case(tensors | plain, weights | plain)


CASES = (
    {"inverse": inverse_case(), "float4": float4_case(), "awq": awq_case()}
    | {
        f"table-{np.dtype(kind)}": table_case(kind)
        for kind in (np.uint8, np.float16, np.float32, BFLOAT16)
    }
    | {"rows": rows_case(), "quark": quark_case(), "fused": fused_case(), "others": others_case()}
    | {f"pairs-{dtype}": pairs_case(dtype) for dtype in FLOATS}
    | {"cut": cut_groups_case(), "sizes": sizes_case()}
    | {f"bytes-{dtype}": bytes_case(dtype) for dtype in FLOATS}
    | {f"packed{bits}-{dtype}": packed_case(bits, dtype) for bits in (4, 8) for dtype in FLOATS}
    | {
        f"gptq{bits}{form}": gptq_case(bits, form)
        for bits in (2, 4, 8)
        for form in ("", "gptq", "gptq_v2")
    }
)
