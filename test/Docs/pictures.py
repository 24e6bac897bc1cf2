# The pictures of the documentation equal the output of their script, and are SVG.
# RUN: %python %src_root/scripts/docs/pictures.py %tools_dir/quant-float-opt %t
# RUN: env PYTHONPATH=%src_root/scripts/docs %python %s %t %src_root/docs/pictures %src_root/lib
import pathlib
import re
import sys
import xml.etree.ElementTree as tree

import gguf
import ml_dtypes
import numpy as np
from onnx import TensorProto, numpy_helper
from packings import PACKINGS

drawn, committed = ({p.name: p for p in pathlib.Path(f).iterdir()} for f in sys.argv[1:3])
assert drawn.keys() == committed.keys(), drawn.keys() ^ committed.keys()
for name, path in drawn.items():
    text = path.read_text()
    assert text == committed[name].read_text(), f"run scripts/docs/pictures.py: {name} is old"
    root = tree.fromstring(text)
    assert root.get("aria-label") and "prefers-color-scheme:dark" in text, name
    width, height = map(float, root.get("viewBox").split()[2:])
    for element in root.iter():
        x, y = element.get("x"), element.get("y")
        assert x is None or (0 <= float(x) <= width and 0 <= float(y) <= height), element.attrib
        # Text ends within the picture, as estimated from its length.
        if element.tag.endswith("text"):
            style = element.get("class", "")
            length = len(element.text) * (7.3 if "code" in style else 6.4)
            share = 0.5 if "middle" in style else 1 if "end" in style else 0
            assert float(x) + (1 - share) * length <= width + 6, element.text

# The properties of the formats, from the standards.
words = re.sub("<[^>]+>", "\n", drawn["formats.svg"].read_text())
for fact in ("bias 7, from 2⁻⁹ to 448", "bias 16, from 2⁻¹⁷ to 57344", "bias 1, from 0.5 to 6"):
    assert fact in words, fact
assert "no −0, no ∞, NaN 0x80" in words and "bias 127, from 2⁻¹²⁷ to 2¹²⁷" in words

# Every library is in the picture of the layers.
words = re.sub("<[^>]+>", "\n", drawn["layers.svg"].read_text())
for folder in pathlib.Path(sys.argv[3]).iterdir():
    assert not folder.is_dir() or folder.name in words, folder.name

# The layouts, by the offsets that the libraries document.
words = re.sub("<[^>]+>", "\n", drawn["scale-layouts.svg"].read_text()).split("\n")
words = [word for word in words if word.strip()]
for layout, offset, scales in (
    ("tile_128x4", "8", ["64, 0", "64, 1", "64, 2", "64, 3", "96, 0"]),
    ("tile_128x4", "512", ["0, 4", "0, 5"]),
    ("tile_8x4", "32", ["0, 4", "0, 5"]),
    ("deepgemm_f32", "8", ["8, 0", "9, 0"]),
    ("deepgemm_e8m0", "8", ["2, 0", "2, 1"]),
    ("gfx950", "0", ["0, 0", "16, 0", "0, 4", "16, 4", "1, 0"]),
    ("gfx1250_n32k4", "128", ["0, 4", "0, 5"]),
):
    at = words.index(offset, words.index(layout))
    assert words[at + 1 : at + 1 + len(scales)] == scales, (layout, offset, words[at:][:9])

# The packings, by the packages that write or read them.
found = {f"{packing.name} {packing.users.split(':')[0]}": packing for packing in PACKINGS}
assert list(found) == [
    "4 bits ONNX, compressed-tensors, ModelOpt, torchao",
    "4 bits bitsandbytes",
    "6 bits ONNX",
    "MXFP4 GGUF",
    "NVFP4 GGUF",
]


def pack(packing, encodings):
    """The bytes of these elements. The scales are 0x38."""
    done, packed = dict.fromkeys(range(len(encodings)), 0), []
    for byte in range(packing.size):
        total, low = 0, 0
        for name, bits in packing.fields(byte):
            if isinstance(name, int):
                total |= (encodings[name] >> done[name] & (1 << bits) - 1) << low
                done[name] += bits
            else:
                total |= 0x38
            low += bits
        assert low == 8, (packing.name, byte)
        packed.append(total)
    width = 6 if packing.name == "6 bits" else 4
    assert set(done.values()) == {width}, packing.name
    return np.uint8(packed)


random = np.random.default_rng(1)
for name, dtype in (
    ("4 bits ONNX, compressed-tensors, ModelOpt, torchao", ml_dtypes.float4_e2m1fn),
    ("6 bits ONNX", ml_dtypes.float6_e2m3fn),
):
    encodings = random.integers(0, 16 if name[0] == "4" else 64, 32, np.uint8)
    tensor = numpy_helper.from_array(encodings.view(dtype))
    assert tensor.data_type in (TensorProto.FLOAT4E2M1, TensorProto.FLOAT6E2M3)
    assert pack(found[name], encodings.tolist()).tobytes() == tensor.raw_data, name
encodings = random.integers(0, 16, 32, np.uint8).tolist()
swapped = [element >> 4 | (element & 15) << 4 for element in pack(PACKINGS[0], encodings).tolist()]
assert pack(found["4 bits bitsandbytes"], encodings).tolist() == swapped
for name in ("MXFP4", "NVFP4"):
    kind = gguf.GGMLQuantizationType[name]
    encodings = random.integers(0, 16, gguf.GGML_QUANT_SIZES[kind][0], np.uint8)
    values = gguf.quants.dequantize(pack(found[f"{name} GGUF"], encodings.tolist())[None], kind)[0]
    scale = values[encodings == 2][0]
    assert scale and np.array_equal(values, encodings.view(ml_dtypes.float4_e2m1fn).astype(np.float32) * scale), name  # fmt: skip
