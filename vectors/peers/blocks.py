"""Scales, elements, dequantization and layouts of blocks."""

import ctypes
import pathlib

import numpy as np
import quant_float_vectors as vectors

from .tables import get_dtype, get_input


def make_blocks(magnitudes, size):
    """Returns a block for each magnitude, whose other elements are 0."""
    blocks = np.zeros((magnitudes.size, size), np.float32)
    blocks[:, 0] = np.abs(magnitudes)
    return blocks


def get_rule(table):
    return table.attributes.get("rule"), table.attributes.get("element", table.target)


def has_tensor_level(table):
    return table.tensor_amax is not None or table.tensor_scale is not None


def encode(values, kind):
    """Returns the encodings of values that the type represents exactly."""
    with np.errstate(all="ignore"):
        return np.asarray(values, np.float32).astype(get_dtype(kind)).view(np.uint8)


def get_scales(table):
    return vectors.get_encodings(table.scale)


def run_by_level(table, run):
    """Calls `run` with the rows that share a number of the tensor, and that number."""
    levels = table.tensor_amax if table.tensor_amax is not None else table.tensor_scale
    made = np.empty_like(table.output)
    for level in np.unique(levels.view(np.uint32)):
        rows = np.flatnonzero(levels.view(np.uint32) == level)
        made[rows] = run(rows, level.view(np.float32))
    return made


def run_joint(table, size, quantize):
    """The elements of libraries that compute the scale themselves.

    `quantize` returns the encodings of the scales and of the first elements of blocks. The second
    element of each block is a magnitude from which the library computes the scale of the row. Rows
    without such a magnitude, and those whose input is larger, are masked.
    """
    exponents = np.arange(-149, 128).repeat(5)
    mantissas = np.tile([1, 1.2, 1.45, 1.7, 1.95], 277)
    magnitudes = np.ldexp(mantissas, exponents).astype(np.float32)
    with np.errstate(all="ignore"):
        scales, _ = quantize(make_blocks(magnitudes, size))
    largest = np.zeros(256, np.float32)
    np.maximum.at(largest, scales, magnitudes)
    wanted, x = get_scales(table), get_input(table)
    blocks = np.zeros((x.size, size), np.float32)
    blocks[:, 1] = largest[wanted]
    valid = (blocks[:, 1] > 0) & (np.abs(x) <= blocks[:, 1])
    blocks[:, 0] = np.where(valid, x, 0)
    with np.errstate(all="ignore"):
        scales, elements = quantize(blocks)
    return np.ma.array(elements, mask=~(valid & (scales == wanted)))


class Gguf:
    """gguf.quants, the Python of llama.cpp: MXFP4, and the scales of NVFP4."""

    name, package = "gguf", "gguf"

    def quantize(self, blocks):
        from gguf import quants

        made = quants.MXFP4.quantize_blocks(blocks)
        return made[:, 0].copy(), made[:, 1] & 15

    def convert(self, table):
        from gguf import quants

        rule, element = get_rule(table)
        is_mx = "f8E8M0FNU" in (table.target, table.scale_type)
        with np.errstate(all="ignore"):
            if rule == "ggml" and table.operation == "block_scale":
                if is_mx:
                    return self.quantize(make_blocks(get_input(table), 32))[0]
                return quants.NVFP4.fp32_to_ue4m3(np.abs(get_input(table)) / np.float32(6))
            if rule == "ggml" and is_mx:
                return run_joint(table, 32, self.quantize)
            if table.operation == "block_dequantize" and table.source == "f4E2M1FN" and is_mx:
                blocks = np.zeros((table.input.size, 17), np.uint8)
                blocks[:, 0], blocks[:, 1] = get_scales(table), table.input
                return quants.MXFP4.dequantize_blocks(blocks)[:, 0].astype(np.float32)
        return None


class Ggml:
    """ggml's C library: MXFP4 and NVFP4, and casts to f16 and bf16."""

    name, package = "ggml", "libggml-python"
    # The number of the type, elements and bytes of a block, elements of a scale.
    TYPES = {"f8E8M0FNU": (39, 32, 17, 32), "f8E4M3FN": (40, 64, 36, 16)}
    CASTS = {
        ("f32", "f16"): "ggml_fp32_to_fp16_row",
        ("f16", "f32"): "ggml_fp16_to_fp32_row",
        ("f32", "bf16"): "ggml_fp32_to_bf16_row",
        ("bf16", "f32"): "ggml_bf16_to_fp32_row",
    }

    def __init__(self):
        import libggml

        folder = pathlib.Path(libggml.__file__).parent / "lib64"
        self.library = ctypes.CDLL(str(folder / "libggml-base.so"))
        # This initializes a table that f16 needs.
        parameters = (ctypes.c_size_t * 3)(1 << 20, 0, 0)
        self.library.ggml_init.argtypes = [ctypes.c_size_t * 3]
        self.library.ggml_init(parameters)

    def call(self, function, *arguments):
        getattr(self.library, function)(
            *(
                ctypes.c_void_p(a.ctypes.data)
                if isinstance(a, np.ndarray)
                else ctypes.c_void_p(a)
                if a is None
                else ctypes.c_int64(a)
                for a in arguments
            )
        )

    def quantize(self, kind, blocks):
        """Returns the scales and first elements. One unit of NVFP4 has four blocks of 16."""
        number, size, count, part = self.TYPES[kind]
        x = np.zeros((len(blocks), size), np.float32)
        x[:, :part] = blocks
        made = np.zeros((len(blocks), count), np.uint8)
        self.call("ggml_quantize_chunk", number, x, made, 0, len(x), size, None)
        return made[:, 0].copy(), made[:, size // part] & 15

    def convert(self, table):
        function = self.CASTS.get((table.source, table.target))
        if function and table.operation == "cast" and table.attributes["opset"] == 28:
            made = np.empty_like(table.output)
            self.call(function, np.ascontiguousarray(table.input), made, table.input.size)
            return made
        rule, element = get_rule(table)
        kind = table.target if table.operation == "block_scale" else table.scale_type
        if kind not in self.TYPES or has_tensor_level(table):
            return None
        part = self.TYPES[kind][3]
        if rule == "ggml" and table.operation == "block_scale":
            return self.quantize(kind, make_blocks(get_input(table), part))[0]
        if rule == "ggml":
            return run_joint(table, part, lambda blocks: self.quantize(kind, blocks))
        if table.operation == "block_dequantize" and table.source == "f4E2M1FN":
            number, size, count, _ = self.TYPES[kind]
            blocks = np.zeros((table.input.size, count), np.uint8)
            blocks[:, 0], blocks[:, size // part] = get_scales(table), table.input
            made = np.empty((table.input.size, size), np.float32)
            name = {39: "dequantize_row_mxfp4", 40: "dequantize_row_nvfp4"}[number]
            self.call(name, blocks, made, made.size)
            return made[:, 0].copy()
        return None


class Mlx:
    """mlx.core.quantize and dequantize on the CPU, and to_fp8 and from_fp8."""

    name, package = "MLX", "mlx"
    MODES = {
        ("f4E2M1FN", "f8E8M0FNU"): ("mxfp4", 32),
        ("f8E4M3FN", "f8E8M0FNU"): ("mxfp8", 32),
    }

    def quantize(self, mode, blocks):
        import mlx.core as mx

        mode, size = mode
        made, scales = mx.quantize(mx.array(blocks), group_size=size, mode=mode)
        elements = np.array(made).view(np.uint8)[:, 0]
        return np.array(scales)[:, 0], elements & 15 if mode == "mxfp4" else elements

    def convert(self, table):
        import mlx.core as mx

        rule, element = get_rule(table)
        if table.operation == "cast" and table.attributes["opset"] == 28:
            if (table.source, table.target) == ("f8E4M3FN", "f32"):
                quantized = mx.array(vectors.get_encodings(table.input))
                return np.array(mx.from_fp8(quantized, mx.float32))
            if table.name == "cast_f32_to_f8E4M3FN_saturate1":
                return np.array(mx.to_fp8(mx.array(get_input(table))))
            return None
        if table.operation == "block_dequantize" and not has_tensor_level(table):
            mode = self.MODES.get((table.source, table.scale_type))
            if not mode:
                return None
            bits = 4 if mode[0] == "mxfp4" else 8
            quantized = np.zeros((table.input.size, mode[1] * bits // 8), np.uint8)
            quantized[:, 0] = vectors.get_encodings(table.input)
            scales = mx.array(get_scales(table)[:, None])
            made = mx.dequantize(
                mx.array(quantized.view(np.uint32)),
                scales,
                group_size=mode[1],
                mode=mode[0],
                dtype=mx.float32,
            )
            return np.array(made)[:, 0]
        kind = table.target if table.operation == "block_scale" else table.scale_type
        mode = self.MODES.get((element, kind))
        if rule != "rceil" or not mode:
            return None
        if table.operation == "block_scale":
            return self.quantize(mode, make_blocks(get_input(table), mode[1]))[0]
        return run_joint(table, mode[1], lambda blocks: self.quantize(mode, blocks))


class TorchAo:
    """to_mx and to_dtype, NVFP4 with a scale of the tensor, and to_blocked."""

    name, package = "torchao", "torchao"
    MODES = ("floor", "ceil", "even", "rceil")

    def convert(self, table):
        import torch
        from torchao.prototype.mx_formats import mx_tensor, nvfp4_tensor
        from torchao.prototype.mx_formats.utils import to_blocked

        kinds = {"f6E2M3FN": "fp6_e2m3", "f6E3M2FN": "fp6_e3m2"}
        kinds |= {"f8E4M3FN": torch.float8_e4m3fn, "f8E5M2": torch.float8_e5m2}
        kinds["f4E2M1FN"] = torch.float4_e2m1fn_x2
        rule, element = get_rule(table)

        def quantize(blocks):
            mode = mx_tensor.ScaleCalculationMode(rule)
            scales, made = mx_tensor.to_mx(torch.from_numpy(blocks), kinds[element], 32, mode)
            elements = made.view(torch.uint8).numpy()[:, 0]
            elements = elements & 15 if element == "f4E2M1FN" else elements
            return scales.view(torch.uint8).numpy().reshape(-1), elements

        if rule in self.MODES and element in kinds:
            if table.operation == "block_scale":
                return quantize(make_blocks(get_input(table), 32))[0]
            return run_joint(table, 32, quantize)
        is_mx = table.scale_type == "f8E8M0FNU" and table.source in kinds
        if table.operation == "block_dequantize" and is_mx:
            quantized = torch.zeros(table.input.size, 32, dtype=torch.uint8)
            quantized[:, 0] = torch.from_numpy(vectors.get_encodings(table.input).copy())
            if table.source == "f4E2M1FN":
                quantized = quantized[:, :16].contiguous()
            elif not isinstance(kinds[table.source], str):
                quantized = quantized.view(kinds[table.source])
            scales = torch.from_numpy(get_scales(table)[:, None].copy())
            made = mx_tensor.to_dtype(
                quantized, scales.view(torch.float8_e8m0fnu), kinds[table.source], 32, torch.float32
            )
            return made[:, 0].numpy().copy()
        if table.operation == "tensor_scale":
            scales = [
                nvfp4_tensor.per_tensor_amax_to_scale(torch.tensor(abs(x))).numpy()
                for x in get_input(table)
            ]
            return np.array(scales, np.float32)
        is_scale = table.operation == "block_scale" and table.tensor_scale is not None
        if is_scale and rule == "torchao":
            blocks = make_blocks(get_input(table), 16)

            def derive(rows, level):
                level = torch.tensor(level)
                scale = nvfp4_tensor.nvfp4_quantize(torch.from_numpy(blocks[rows]), 16, level)[0]
                return scale.view(torch.uint8).numpy().reshape(-1)

            return run_by_level(table, derive)
        if table.operation == "pack_scales" and table.attributes["layout"] == "tile_128x4":
            shape = [table.attributes[key] for key in ("rows", "columns")]
            # Each byte of the index separately.
            index = np.zeros(table.attributes["padded_rows"] * table.attributes["padded_columns"])
            for shift in (0, 8, 16):
                part = ((table.input + 1) >> shift & 255).astype(np.uint8).reshape(shape)
                index += to_blocked(torch.from_numpy(part)).numpy().reshape(-1) * float(1 << shift)
            offsets = np.empty_like(table.output)
            offsets[index[index > 0].astype(int) - 1] = np.flatnonzero(index)
            return offsets
        return None


class CompressedTensors:
    """calculate_qparams and quantize of MXFP4, MXFP6, MXFP8 and NVFP4."""

    name, package = "compressed-tensors", "compressed-tensors"
    BITS = {"f4E2M1FN": 4, "f6E2M3FN": 6, "f8E4M3FN": 8}

    def make_arguments(self, element, scale):
        import torch
        from compressed_tensors.quantization import QuantizationArgs

        is_mx = scale == "f8E8M0FNU"
        return QuantizationArgs(
            num_bits=self.BITS[element],
            type="float",
            strategy="group" if is_mx else "tensor_group",
            group_size=32 if is_mx else 16,
            symmetric=True,
            scale_dtype=torch.uint8 if is_mx else torch.float8_e4m3fn,
            zp_dtype=torch.uint8 if is_mx else torch.float8_e4m3fn,
        )

    def get_level(self, level):
        import torch
        from compressed_tensors.quantization.utils.helpers import generate_gparam

        amax = torch.tensor([abs(level)])
        return generate_gparam(-amax, amax)

    def convert(self, table):
        import torch
        from compressed_tensors.compressors.mx_utils import compress_mx_scale
        from compressed_tensors.compressors.nvfp4.helpers import pack_fp4_to_uint8
        from compressed_tensors.quantization.lifecycle.forward import quantize
        from compressed_tensors.quantization.utils.helpers import calculate_qparams

        rule, element = get_rule(table)
        kind = table.target if table.operation == "block_scale" else table.scale_type
        is_mx = rule == "even" and kind == "f8E8M0FNU"
        is_nv = rule == "compressed_tensors" and table.tensor_amax is not None
        if element not in self.BITS or not (is_mx or is_nv):
            return None
        arguments = self.make_arguments(element, kind)
        if table.operation == "block_scale":
            amax = torch.from_numpy(np.abs(get_input(table)))
            if is_mx:
                scale = calculate_qparams(-amax, amax, arguments)[0]
                return compress_mx_scale(scale, torch.uint8).numpy()

            def derive(rows, level):
                part = amax[rows]
                scale = calculate_qparams(-part, part, arguments, self.get_level(level))[0]
                return scale.to(torch.float8_e4m3fn).view(torch.uint8).numpy()

            return run_by_level(table, derive)
        if element != "f4E2M1FN":
            return None
        blocks = np.zeros((table.input.size, arguments.group_size), np.float32)
        blocks[:, 0] = get_input(table)

        def run(rows, level=None):
            scale = torch.from_numpy(get_scales(table)[rows].copy())[:, None]
            kind = torch.float8_e8m0fnu if is_mx else torch.float8_e4m3fn
            scale = scale.view(kind).float()
            made = quantize(
                torch.from_numpy(blocks[rows]),
                scale,
                torch.zeros_like(scale),
                arguments,
                global_scale=None if is_mx else self.get_level(level),
            )
            return pack_fp4_to_uint8(made).numpy()[:, 0] & 15

        return run(slice(None)) if is_mx else run_by_level(table, run)


class ModelOptimizer:
    """NVIDIA Model Optimizer's tensors of MXFP4, MXFP8 and NVFP4."""

    name, package = "Model-Optimizer", "nvidia-modelopt"

    def convert(self, table):
        import torch
        from modelopt.torch.quantization.qtensor.mxfp4_tensor import MXFP4QTensor
        from modelopt.torch.quantization.qtensor.mxfp8_tensor import MXFP8QTensor
        from modelopt.torch.quantization.qtensor.nvfp4_tensor import NVFP4QTensor

        rule, element = get_rule(table)
        if table.operation != "tensor_scale" and rule not in ("model_optimizer", "ceil_exact"):
            return None
        x = get_input(table)

        def fill(size):
            blocks = np.zeros((x.size, size), np.float32)
            blocks[:, 0] = x
            return torch.from_numpy(blocks)

        if table.operation == "tensor_scale":
            scales = [NVFP4QTensor.get_weights_scaling_factor_2(torch.tensor([v])) for v in x]
            return np.array(scales, np.float32)
        if rule == "model_optimizer" and table.tensor_scale is not None:

            def run(rows, level):
                level = torch.tensor(level)
                if table.operation == "block_scale":
                    made = NVFP4QTensor.get_weights_scaling_factor(fill(16)[rows], 16, level)[0]
                    return made.view(torch.uint8).numpy()[:, 0]
                scale = torch.from_numpy(get_scales(table)[rows].copy())[:, None]
                scale = scale.view(torch.float8_e4m3fn)
                made = NVFP4QTensor.quantize(fill(16)[rows], 16, scale, level)[0]
                return made._quantized_data.numpy()[:, 0] & 15

            return run_by_level(table, run)
        # It rounds the logarithm of the quotient up.
        if rule == "ceil_exact" and element == "f8E4M3FN":
            if table.operation == "block_scale":
                return MXFP8QTensor.get_weights_scaling_factor(fill(32)).numpy()[:, 0]
            scale = torch.from_numpy(get_scales(table)[:, None].copy())
            made = MXFP8QTensor.quantize_with_scale(fill(32), scale)
            return made.view(torch.uint8).numpy()[:, 0]
        if rule == "ceil_exact" and element == "f4E2M1FN":

            def quantize(blocks):
                made, scales = MXFP4QTensor.quantize(torch.from_numpy(blocks), 32)
                return scales.numpy()[:, 0], made._quantized_data.numpy()[:, 0] & 15

            if table.operation == "block_scale":
                return quantize(make_blocks(x, 32))[0]
            return run_joint(table, 32, quantize)
        return None


class Microxcaling:
    """Microsoft's emulation of MX, imported from a folder of sources; with its default, ties away from zero."""

    name, source = "microxcaling", "microxcaling"
    url = "https://github.com/microsoft/microxcaling"
    FORMATS = {
        "f8E4M3FN": "fp8_e4m3",
        "f8E5M2": "fp8_e5m2",
        "f6E2M3FN": "fp6_e2m3",
        "f6E3M2FN": "fp6_e3m2",
        "f4E2M1FN": "fp4_e2m1",
    }

    def __init__(self, folder):
        import sys

        sys.path.append(str(folder))

    def convert(self, table):
        import torch
        from mx.formats import _get_format_params
        from mx.mx_ops import _quantize_mx, _shared_exponents

        rule, element = get_rule(table)
        if rule != "floor" or element not in self.FORMATS:
            return None
        format = self.FORMATS[element]

        def get_exponents(blocks):
            """As in _quantize_mx, which only returns the values."""
            exponents = _shared_exponents(torch.from_numpy(blocks), axes=[1])[:, 0]
            exponents = exponents - _get_format_params(format)[2]
            exponents[exponents > 127] = float("nan")
            return exponents.clamp(min=-127).numpy()

        def quantize(blocks):
            exponents = get_exponents(blocks)
            scales = np.where(np.isnan(exponents), 255, exponents + 127).astype(np.uint8)
            made = _quantize_mx(torch.from_numpy(blocks), 8, format, axes=[-1], block_size=32)
            elements = made[:, 0].numpy() / np.exp2(exponents.astype(np.float64))
            return scales, encode(elements, element)

        if table.operation == "block_scale":
            return quantize(make_blocks(get_input(table), 32))[0]
        return run_joint(table, 32, quantize)


PEERS = [Gguf, Ggml, Mlx, TorchAo, CompressedTensors, ModelOptimizer, Microxcaling]
