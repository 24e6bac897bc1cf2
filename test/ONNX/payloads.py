# Every element type in every payload form. Tensors above 1 KiB are printed as the bytes that
# kernels read, so those are compared. Each form of a small tensor must print the same text.
# RUN: rm -rf %t && mkdir %t && env PYTHONPATH=%S/Inputs %python %s %t quant-float-translate
import pathlib
import re
import subprocess
import sys

import numpy as np
from models import NEWEST_IR, NEWEST_OPSET
from onnx import GraphProto, ModelProto, TensorProto, helper

folder, translate = pathlib.Path(sys.argv[1]), sys.argv[2]
T = TensorProto

# type: (MLIR spelling, bits in a file, whether sub-byte elements are sign-extended, typed field)
TYPES = {
    T.FLOAT: ("f32", 32, False, "float_data"),
    T.DOUBLE: ("f64", 64, False, "double_data"),
    T.FLOAT16: ("f16", 16, False, "int32_data"),
    T.BFLOAT16: ("bf16", 16, False, "int32_data"),
    T.INT8: ("i8", 8, False, "int32_data"),
    T.UINT8: ("ui8", 8, False, "int32_data"),
    T.INT16: ("i16", 16, False, "int32_data"),
    T.UINT16: ("ui16", 16, False, "int32_data"),
    T.INT32: ("i32", 32, False, "int32_data"),
    T.UINT32: ("ui32", 32, False, "uint64_data"),
    T.INT64: ("i64", 64, False, "int64_data"),
    T.UINT64: ("ui64", 64, False, "uint64_data"),
    T.BOOL: ("i1", 8, False, "int32_data"),
    T.INT4: ("i4", 4, True, "int32_data"),
    T.UINT4: ("ui4", 4, False, "int32_data"),
    T.INT2: ("i2", 2, True, "int32_data"),
    T.UINT2: ("ui2", 2, False, "int32_data"),
    T.FLOAT8E4M3FN: ("f8E4M3FN", 8, False, "int32_data"),
    T.FLOAT8E4M3FNUZ: ("f8E4M3FNUZ", 8, False, "int32_data"),
    T.FLOAT8E5M2: ("f8E5M2", 8, False, "int32_data"),
    T.FLOAT8E5M2FNUZ: ("f8E5M2FNUZ", 8, False, "int32_data"),
    T.FLOAT8E8M0: ("f8E8M0FNU", 8, False, "int32_data"),
    T.FLOAT4E2M1: ("f4E2M1FN", 4, False, "int32_data"),
    T.FLOAT6E2M3: ("f6E2M3FN", 6, False, "int32_data"),
    T.FLOAT6E3M2: ("f6E3M2FN", 6, False, "int32_data"),
    T.COMPLEX64: ("complex<f32>", 64, False, "float_data"),
    T.COMPLEX128: ("complex<f64>", 128, False, "double_data"),
}
FIELD_TYPES = {
    "float_data": "<f4",
    "double_data": "<f8",
    "int64_data": "<i8",
    "uint64_data": None,
    "int32_data": None,
}


def make_encodings(data_type, count):
    """`count` bit patterns of the type, as rows of bytes."""
    bits = TYPES[data_type][1]
    rng = np.random.default_rng(data_type)
    if bits < 8:
        return rng.integers(0, 1 << bits, (count, 1), dtype=np.uint8)
    if data_type == T.BOOL:
        return rng.integers(0, 2, (count, 1), dtype=np.uint8)
    raw = rng.integers(0, 256, (count, bits // 8), dtype=np.uint8)
    if TYPES[data_type][3] in ("float_data", "double_data"):
        # The protobuf library may change NaNs, so no exponent has all bits set.
        raw.reshape(-1, 4 if "float" in TYPES[data_type][3] else 8)[:, -1] &= 0x3F
    return raw


def pack(encodings, bits):
    """The packed elements, lowest bits first."""
    if bits >= 8:
        return encodings.tobytes()
    stream = np.unpackbits(encodings, axis=1, bitorder="little")[:, :bits].reshape(-1)
    return np.packbits(stream, bitorder="little").tobytes()


def make_slots(encodings, bits, signed):
    if signed:
        encodings = ((encodings.astype(np.int16) ^ (1 << (bits - 1))) - (1 << (bits - 1))).astype(
            np.int8
        )
    return encodings.tobytes()


def make_entries(encodings, data_type):
    _, bits, _, field = TYPES[data_type]
    packed = pack(encodings, bits) if bits != 6 else encodings.tobytes()
    if FIELD_TYPES[field]:
        return np.frombuffer(packed, FIELD_TYPES[field])
    if bits < 8:
        return np.frombuffer(packed, np.uint8)
    signed = data_type in (T.INT8, T.INT16, T.INT32)
    return np.frombuffer(packed, f"<{'i' if signed else 'u'}{bits // 8}")


def make_forms(data_type, count, name):
    _, bits, _, field = TYPES[data_type]
    encodings = make_encodings(data_type, count)
    packed = pack(encodings, bits)
    raw = TensorProto(name=name, data_type=data_type, dims=[count], raw_data=packed)
    typed = TensorProto(name=name, data_type=data_type, dims=[count])
    getattr(typed, field).extend(make_entries(encodings, data_type).tolist())
    # Offset 8 keeps most types aligned, offset 3 only bytes.
    externals = []
    for offset in (8, 3):
        file = f"{name}.{offset}.bin"
        (folder / file).write_bytes(b"#" * offset + packed + b"tail")
        external = TensorProto(name=name, data_type=data_type, dims=[count])
        external.data_location = TensorProto.EXTERNAL
        for key, value in {"location": file, "offset": offset, "length": len(packed)}.items():
            external.external_data.add(key=key, value=str(value))
        externals.append(external)
    return encodings, [raw, typed, *externals]


def translate_model(name, tensors):
    graph = GraphProto(name="g", initializer=tensors)
    model = ModelProto(ir_version=NEWEST_IR, graph=graph)
    model.opset_import.append(helper.make_opsetid("", NEWEST_OPSET))
    path = folder / f"{name}.onnx"
    path.write_bytes(model.SerializeToString())
    return subprocess.run(
        [translate, "--import-onnx", path], check=True, capture_output=True, text=True
    ).stdout


SMALL, LARGE = 13, 5003
names = {data_type: f"t{data_type}" for data_type in TYPES}

# The forms of a small tensor print the same text, and the text is stable.
small = {t: make_forms(t, SMALL, f"small{t}")[1] for t in TYPES}
strings = [translate_model(f"small{i}", [small[t][i] for t in TYPES]) for i in range(4)]
assert strings.count(strings[0]) == len(strings), "the forms of small tensors differ"
for spelling, *_ in TYPES.values():
    assert f": tensor<{SMALL}x{spelling}>" in strings[0], spelling

# A large tensor has the same bytes, unpacked, or packed as in the file (typed fields do not support
# 6 bits).
large = {t: make_forms(t, LARGE, names[t]) for t in TYPES}
for form in range(4):
    text = translate_model(f"large{form}", [large[t][1][form] for t in TYPES])
    blobs = dict(re.findall(r'^ *"?(t\d+)"?: "0x([0-9A-F]+)"', text, re.M))
    for data_type, (spelling, bits, signed, _) in TYPES.items():
        assert f"dense_resource<{names[data_type]}> : tensor<{LARGE}x{spelling}>" in text, spelling
        found = bytes.fromhex(blobs[names[data_type]])[4:]
        stays_packed = bits < 8 and not (bits == 6 and form == 1)
        encodings = large[data_type][0]
        expected = pack(encodings, bits) if stays_packed else make_slots(encodings, bits, signed)
        assert found == expected, f"{spelling}, form {form}: {found[:8]} {expected[:8]}"
