# The table of docs/weights.md: each format of weights, converted to each other one, has the same
# bits, as its package or NumPy reads them there, or is rejected for the reason that the table
# names. Round trips yield the same bytes, and checkpoints of all cases the same bits.
# RUN: rm -rf %t && mkdir -p %t && env PYTHONPATH=%S/Inputs:%S/../GGUF/Inputs:%S/../Safetensors/Inputs %python %s %t %src_root/docs/weights.md quant-float-translate quant-float-run
import json
import pathlib
import re
import subprocess
import sys
import warnings

import blocks
import checkpoint_files
import gguf
import layouts
import numpy as np
import onnx
import openvino
from decoders import decode_checkpoint, decode_gguf, read_checkpoint
from files import BLOCKS
from gguf import GGMLQuantizationType
from onnx.reference import ReferenceEvaluator

folder, page, translate, run = pathlib.Path(sys.argv[1]), *sys.argv[2:5]
warnings.simplefilter("ignore", RuntimeWarning)

# The meaning of the table's letters, by messages.
REASONS = {
    "a": "ggml has no block format with quantized values of type f8E4M3FN",
    "b": "groups of 16 elements are not a whole number of blocks of 32, which all formats with one level of scales require",
    "c": "scale 0 is .*, which is not representable in f16",
    "d": "ggml has no block format for quantized values of type f4E2M1FN in groups of 16 with two levels of scales of type f8E4M3FN",
    "e": "GGUF does not support columns in another order than their groups",
    "f": "the minimum .* of group 0 with the scale .* does not correspond to a zero point of [0-9] bits",
    "g": "(GPTQ|AWQ) does not support quantized values of type (f4E2M1FN|f8E4M3FN) in groups of .*",
    "h": "AWQ does not support quantized values of type (i8|ui8|ui2) in groups of .*",
    "i": "AWQ does not support columns in another order than their groups",
    "j": "value .* minus its zero point .* is .*, which is not representable in i8",
}


def gguf_file(path, number, data):
    writer = gguf.GGUFWriter(path, "test")
    writer.add_tensor("a.weight", data, raw_dtype=GGMLQuantizationType(number))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def translated(option, source, output, *more):
    done = subprocess.run(
        [translate, option, source, "-o", output, *more], capture_output=True, text=True
    )
    if done.returncode == 0:
        return None
    # For MLIR, the line is printed as well.
    found = re.match(r".*: error: (?:result|node) '[^']+'(?: \(\w+\))?: (.*)\n", done.stderr)
    assert done.returncode == 1 and found and not output.exists(), done
    return found[1]


def decode_onnx(path):
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    (values,) = ReferenceEvaluator(model).run(None, {})
    return "QDQ", values


def decode_openvino(path):
    """The results of the plugin for the layers, in f32, and the quantized type."""
    model = openvino.Core().read_model(path)
    hint = {"INFERENCE_PRECISION_HINT": "f32"}
    (values,) = openvino.Core().compile_model(model, "CPU", hint)([]).values()
    return "compressed", np.array(values)


TARGETS = {
    "GGUF": (".gguf", decode_gguf, "--export-gguf"),
    "safetensors": (".safetensors", decode_checkpoint, "--export-safetensors"),
    "GPTQ": (
        ".gptq.safetensors",
        decode_checkpoint,
        "--export-safetensors",
        "--safetensors-layout=gptq",
    ),
    "AWQ": (
        ".awq.safetensors",
        decode_checkpoint,
        "--export-safetensors",
        "--safetensors-layout=awq",
    ),
    "ONNX": (".onnx", decode_onnx, "--export-onnx"),
    "OpenVINO": (".xml", decode_openvino, "--export-openvino"),
}


def same_bits(a, b):
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


compared = 0


def make_row(name, source, want):
    """The table's entries of a source: for each target a format or the letter of a reason."""
    global compared
    cells = []
    module = folder / f"{name}.mlir"
    option = "--import-gguf" if source.suffix == ".gguf" else "--import-safetensors"
    assert translated(option, source, module) is None
    for target, (suffix, decode, option, *more) in TARGETS.items():
        output = folder / f"{name}{suffix}"
        # OpenVINO requires the module to have layers.
        error = translated(option, source if target == "OpenVINO" else module, output, *more)
        # The file itself works like its MLIR.
        again = folder / f"{name}.again{suffix}"
        assert translated(option, source, again, *more) == error
        if error is None:
            found, values = decode(output)
            if target == "OpenVINO":
                # Its plugin flushes subnormal numbers.
                tiny = np.abs(want) < np.finfo(np.float32).tiny
                assert same_bits(values[~tiny], want[~tiny]) and not values[tiny].any(), name
            elif {name, found} & {"MXFP4", "NVFP4"}:
                # ggml has no negative zero.
                assert np.array_equal(values, want), (name, target)
            else:
                assert same_bits(values, want), (name, target)
            # MLIR text does not keep the names of intermediate values of an ONNX model.
            assert target == "ONNX" or output.read_bytes() == again.read_bytes()
            assert target != "ONNX" or same_bits(decode(again)[1], values)
            compared += want.size
            cells.append(found)
        else:
            letters = [key for key, text in REASONS.items() if re.fullmatch(text, error)]
            assert len(letters) == 1, (name, target, error)
            cells += letters
    # And back from ONNX and OpenVINO.
    for target, cell in zip(TARGETS, cells, strict=True):
        suffix, _, option, *more = TARGETS[target]
        for model in ("onnx", "xml"):
            if target in ("ONNX", "OpenVINO") or cell in REASONS or cells[-1] in REASONS and model == "xml":  # fmt: skip
                continue
            again = folder / f"{name}.{model}{suffix}"
            error = translated(option, folder / f"{name}.{model}", again, *more)
            assert error is None, (name, target, model, error)
            assert again.read_bytes() == (folder / f"{name}{suffix}").read_bytes(), (name, target)
    return cells


rows = {}
for number in BLOCKS:
    name = GGMLQuantizationType(number).name
    path = folder / f"source-{name}.gguf"
    data = blocks.make_blocks(number, 16, 512)
    gguf_file(path, number, data)
    want = gguf.quants.dequantize(data, GGMLQuantizationType(number))
    rows[name] = make_row(name, path, want)
    back = gguf.GGUFReader(folder / f"{name}.gguf").tensors[0]
    assert back.tensor_type == number and back.data.tobytes() == data.tobytes(), name


# One weight of each layout, with f16 scales for groups of 32 if the layout permits these.
def pick(case, name, to="a"):
    case = layouts.CASES[case]
    parts = {
        to + key.removeprefix(name): part
        for key, part in case.tensors.items()
        if key.startswith((f"{name}.", f"{name}_"))
    }
    (want,) = (part for key, part in case.weights.items() if key.removesuffix(".weight") == name)
    return parts, case.config, want


LAYOUTS = {
    "float-quantized": pick("bytes-float16", "float8_e4m3fn.channel"),
    "int-quantized": pick("bytes-float16", "int8.channel"),
    "int-quantized, zero points": pick("bytes-float16", "z"),
    "int-quantized, float32": pick("bytes-float32", "int8.channel"),
    "pack-quantized 4": pick("packed4-float16", "128.32.False.none"),
    "pack-quantized 4, zero points": pick("packed4-float16", "128.32.True.none"),
    "pack-quantized 4, g_idx": pick("packed4-float16", "128.32.False.random"),
    "pack-quantized 8": pick("packed8-float16", "128.32.False.none"),
    "nvfp4-pack-quantized": pick("float4", "nv"),
    "ModelOpt NVFP4": pick("float4", "opt"),
    "mxfp4-pack-quantized": pick("float4", "mx"),
    "MXFP4 blocks": pick("float4", "experts"),
    "mxfp8-quantized": pick("float4", "mx8"),
    "GPTQ 2": pick("gptq2gptq", "64.none"),
    "GPTQ 4": pick("gptq4gptq", "64.none"),
    "GPTQ 4, groups of 16": pick("gptq4gptq", "16.none"),
    "GPTQ 4, g_idx": pick("gptq4gptq", "16.random"),
    "GPTQ 8": pick("gptq8gptq", "64.none"),
    "AWQ": pick("awq", "64"),
}
for name, (parts, config, want) in LAYOUTS.items():
    place = folder / f"source-{name}"
    place.mkdir()
    path = place / "model.safetensors"
    path.write_bytes(checkpoint_files.write(parts))
    (place / "config.json").write_text(json.dumps({"quantization_config": config}))
    rows[name] = make_row(name, path, want)
    if name == "pack-quantized 8":  # becomes int-quantized then
        continue
    target = {"GPTQ": ".gptq", "AWQ": ".awq"}.get(name.split()[0], "")
    back, _ = read_checkpoint(folder / f"{name}{target}.safetensors")
    for key, part in parts.items():
        assert back[key].tobytes() == np.asarray(part).tobytes(), (name, key)

# Every case, through each layout that supports all of it: the same bits, without config.json.
counts = {}
for name, case in layouts.CASES.items():
    place = folder / f"case-{name}"
    place.mkdir()
    (place / "model.safetensors").write_bytes(checkpoint_files.write(case.tensors))
    (place / "config.json").write_text(json.dumps({"quantization_config": case.config}))
    for layout in ("auto", "gptq", "awq"):
        output = folder / f"{name}-{layout}.safetensors"
        error = translated(
            "--export-safetensors",
            place / "model.safetensors",
            output,
            f"--safetensors-layout={layout}",
        )
        if error is not None:
            continue
        module = output.with_suffix(".mlir")
        assert translated("--import-safetensors", output, module) is None, output
        subprocess.run([run, module, "--outputs", output.with_suffix("")], check=True)
        names = re.findall(r'quant_float.name = "([^"]*)"', module.read_text().split("{\n")[1])
        assert sorted(names) == sorted(case.weights), output
        for index, weight in enumerate(names):
            got = np.load(output.with_suffix("") / f"output_{index}.npy")
            assert same_bits(got, case.weights[weight]), (output, weight)
            compared += got.size
        counts[layout] = counts.get(layout, 0) + 1
assert counts == {"auto": 28, "gptq": 19, "awq": 5}, counts

header = ["from", *TARGETS]
lines = [f"| {' | '.join(header)} |", f"|{'---|' * len(header)}"]
lines += [f"| {' | '.join([name, *cells])} |" for name, cells in rows.items()]
table = "\n".join(lines)
used = {cell for cells in rows.values() for cell in cells if cell in REASONS}
assert used == set(REASONS), set(REASONS) - used
if table not in pathlib.Path(page).read_text():
    sys.exit(f"{page} should have this table:\n{table}")
print(f"{compared} elements, {len(rows)} sources, {len(TARGETS)} targets")
