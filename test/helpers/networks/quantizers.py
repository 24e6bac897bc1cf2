"""Networks as onnxruntime.quantization writes them, from the example's float32 networks."""

import contextlib
import io
import logging

import numpy as np
import onnx
from onnxruntime.quantization import (
    CalibrationDataReader,
    CalibrationMethod,
    QuantFormat,
    QuantType,
    quantize_dynamic,
    quantize_static,
)


class Images(CalibrationDataReader):
    """The calibration images, in batches of the network's input."""

    def __init__(self, folder, shape):
        pixels = np.load(folder / "calibration-images.npy")
        images = (pixels / 16).astype(np.float32).reshape(-1, *shape)
        self._batches = iter(np.split(images, 4))

    def get_next(self):
        batch = next(self._batches, None)
        return batch if batch is None else {"image": batch}


def image_shape(network):
    return [d.dim_value for d in network.graph.input[0].type.tensor_type.shape.dim[1:]]


def static(activations, weights, **options):
    """QDQ around all ops, with scales from calibration images."""

    def quantize(source, target):
        quantize_static(
            source,
            target,
            Images(source.parent, image_shape(onnx.load(source))),
            quant_format=QuantFormat.QDQ,
            activation_type=QuantType[activations],
            weight_type=QuantType[weights],
            **options,
        )

    return quantize


def float8(**options):
    options["calibrate_method"] = CalibrationMethod.Distribution
    return static("QFLOAT8E4M3FN", "QFLOAT8E4M3FN", **options)


def dynamic(weights):
    """DynamicQuantizeLinear before integer matmuls."""

    def quantize(source, target):
        kinds = ["MatMul", "Gemm", "Conv"]
        quantize_dynamic(source, target, kinds, weight_type=QuantType[weights])

    return quantize


def weights_only(**options):
    """4-bit weights in blocks or channels, with DequantizeLinear."""

    def quantize(source, target):
        from onnxruntime.quantization import matmul_nbits_quantizer as nbits

        options.setdefault("quant_format", QuantFormat.QDQ)
        config = nbits.DefaultWeightOnlyQuantConfig(**options)
        quantizer = nbits.MatMulNBitsQuantizer(onnx.load(source), algo_config=config)
        quantizer.process()
        quantizer.model.save_model_to_file(str(target), False)

    return quantize


SCHEMES = {
    "u8s8_per_tensor": static("QUInt8", "QInt8"),
    "s8s8_per_channel": static("QInt8", "QInt8", per_channel=True),
    "u16u16_per_tensor": static("QUInt16", "QUInt16"),
    "s16s16_per_channel": static("QInt16", "QInt16", per_channel=True),
    "u16s4_per_channel": static("QUInt16", "QInt4", per_channel=True),
    # QuantizeLinear and DequantizeLinear in the domain com.microsoft.
    "u8u8_contrib": static("QUInt8", "QUInt8", extra_options={"UseQDQContribOps": True}),
    "u16s8_contrib": static("QUInt16", "QInt8", extra_options={"UseQDQContribOps": True}),
    "f8_per_tensor": float8(),
    "f8_per_channel": float8(per_channel=True),
    "dynamic_s8": dynamic("QInt8"),
    "dynamic_u8": dynamic("QUInt8"),
    "w4_blocks_of_32": weights_only(block_size=32),
    "w4_blocks_of_32_symmetric": weights_only(block_size=32, is_symmetric=True),
    "w4_per_channel": weights_only(channel_wised_quantize=True),
}


def quantized(scheme, source, target):
    """Quantizes the network of this file by this scheme, writes it to another file and loads it
    from there."""
    logging.disable(logging.WARNING)
    with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
        SCHEMES[scheme](source, target)
    return onnx.load(target)
