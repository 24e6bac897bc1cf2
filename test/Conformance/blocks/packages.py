# B: the scales and elements of compiled code against those of packages that others wrote: gguf, and with --full torchao and gfloat.
# RUN: rm -rf %t && mkdir %t
# RUN: env PYTHONPATH=%src_root/test/helpers %python %s %tools_dir/quant-float-run %src_root %obj_root %t %if full %{ full %}
import subprocess
import sys
from pathlib import Path

import numpy as np
from conformance import blocks as block_rules
from gguf import quants

F32 = np.float32
RULES = [
    (rule, element, "f8E8M0FNU", 32)
    for rule in ("floor", "ceil", "even", "rceil")
    for element in ("f8E4M3FN", "f8E5M2", "f6E2M3FN", "f6E3M2FN", "f4E2M1FN")
]
RULES += [("ggml", "f4E2M1FN", "f8E8M0FNU", 32), ("ggml", "f4E2M1FN", "f8E4M3FN", 16)]
TORCHAO = ("torchao", "f4E2M1FN", "f8E4M3FN", 16)


def inputs(rows):
    """Rows of 64 finite numbers: usual ones, and multiples of powers of two next to thresholds."""
    random = np.random.default_rng(7)
    x = random.standard_normal((rows, 64)) * np.exp2(random.integers(-8, 8, (rows, 1)))
    fractions = [
        1,
        1.25,
        1.5,
        1.75,
        1.875,
        1.9375,
        6,
        5,
        7,
        3.5,
        2.5,
        0.75,
        448,
        464,
        57344,
        7.5,
        28,
    ]
    edges = random.choice(fractions, (rows // 2, 64)) * np.exp2(
        random.integers(-100, 100, (rows // 2, 1))
    )
    edges = edges.astype(F32).view(np.int32) + random.integers(-1, 2, edges.shape)
    x[: rows // 2] = edges.astype(np.int32).view(F32) * random.choice([1, -1], edges.shape)
    x[: rows // 2 : 7, ::5] = 0
    x[3] = 0
    return x.astype(F32)


def compile_and_run(tool, work, name, rules, x):
    """The outputs of rules, by rule and element."""
    lines, types, values = [], [], []
    for i, (rule, element, scale, block) in enumerate(rules):
        q, s = f"tensor<{len(x)}x64x{element}>", f"tensor<{len(x)}x{64 // block}x{scale}>"
        level, results = (
            (", tensor<f32>", [f"%q{i}", f"%s{i}", f"%t{i}"])
            if rule == "torchao"
            else ("", [f"%q{i}", f"%s{i}"])
        )
        lines.append(
            f"  {', '.join(results)} = quant_float.block_quantize %x block [1, {block}] rule {rule} : tensor<{len(x)}x64xf32> to {q}, {s}{level}"
        )
        types += [q, s] + ["tensor<f32>"] * bool(level)
        values += results
    joined = ", ".join(types)
    source = work / f"{name}.mlir"
    source.write_text(
        f"func.func @main(%x: tensor<{len(x)}x64xf32>) -> ({joined}) {{\n"
        + "\n".join(lines)
        + f"\n  return {', '.join(values)} : {joined}\n}}\n"
    )
    np.save(work / f"{name}.npy", x)
    command = [tool, source, "--inputs", work / f"{name}.npy", "--outputs", work / name]
    subprocess.run(command, check=True)
    outputs = iter(np.load(work / name / f"output_{i}.npy").reshape(-1) for i in range(len(types)))
    found = {}
    for rule, element, scale, _ in rules:
        key = f"{rule} {element}" + (f" {scale}" if rule == "ggml" else "")
        found[key], found[f"{key} scales"] = (next(outputs).view(np.uint8) for _ in range(2))
        if rule == "torchao":
            found[f"{key} tensor"] = next(outputs).view(np.uint32)
    return found


def is_log2_right(x, element):
    """Of each block of 32, whether log2 in f32 gives the exponent that rceil rounds up to."""
    m = F32(block_rules.largest(element, "f8E8M0FNU"))
    with np.errstate(divide="ignore"):
        quotient = np.abs(x.reshape(-1, 32)).max(axis=1) / m
        return np.ceil(np.log2(quotient)) == np.ceil(np.log2(quotient.astype(np.float64)))


def compare(package, found, expected, x):
    """Returns the number of outputs with differences."""
    failures = 0
    for key, want in expected.items():
        got = found[key][: want.size]
        differs = got != want
        # torchao takes log2 in f32, which is wrong for quotients next to powers of two.
        if key.startswith("rceil"):
            differs &= np.repeat(is_log2_right(x, key.split()[1]), got.size // (x.size // 32))
        bad = np.flatnonzero(differs)
        if bad.size:
            print(
                f"{package}: {key}: {bad.size} of {want.size} differ: [{bad[0]}]: expected {want[bad[0]]}, got {got[bad[0]]}"
            )
            failures += 1
    print(f"{package}: {len(expected)} outputs, {failures} with differences")
    return failures


def by_gguf(x):
    """MXFP4. NVFP4, which the package only dequantizes, with our scales and values."""
    blocks = quants.MXFP4.quantize_blocks(x.reshape(-1, 32))
    encodings = blocks[:, 1:]
    encodings = np.concatenate([encodings & 15, encodings >> 4], axis=1)
    amax = np.abs(x.reshape(-1, 16)).max(axis=1)
    return {
        "ggml f4E2M1FN f8E8M0FNU scales": blocks[:, 0],
        "ggml f4E2M1FN f8E8M0FNU": encodings.reshape(-1),
        "ggml f4E2M1FN f8E4M3FN scales": quants.NVFP4.fp32_to_ue4m3(amax / F32(6)),
    }


def pack_scales(tool, work):
    """The scales that Inputs/packages.py rearranges."""
    types = "tensor<130x5xf8E8M0FNU>", "tensor<2048xf8E8M0FNU>"
    (work / "pack.mlir").write_text(
        f"func.func @main(%s: {types[0]}) -> {types[1]} {{\n"
        f"  %p = quant_float.pack_scales %s layout tile_128x4 : {types[0]} to {types[1]}\n"
        f"  return %p : {types[1]}\n}}\n"
    )
    np.save(work / "scales.npy", (np.arange(130 * 5) % 251).astype(np.uint8).reshape(130, 5))
    command = [
        tool,
        work / "pack.mlir",
        "--inputs",
        work / "scales.npy",
        "--outputs",
        work / "pack",
    ]
    subprocess.run(command, check=True)
    return np.load(work / "pack" / "output_0.npy").view(np.uint8)


def main(tool, src_root, obj_root, work, is_full=""):
    work = Path(work)
    x = inputs(4096)
    # gguf takes log2 in f32, which is wrong for magnitudes next to powers of two.
    halves = np.abs(x.reshape(-1, 2, 32)).max(axis=2).astype(F32)
    with np.errstate(divide="ignore"):
        rounded = np.floor(np.log2(halves))
        right = np.floor(np.log2(halves.astype(np.float64)))
    x = x[(rounded == right).all(axis=1)]
    found = compile_and_run(tool, work, "all", RULES, x)
    failures = compare("gguf", found, by_gguf(x), x)
    if is_full:
        from model_zoo import environment

        np.save(work / "x.npy", x)
        script = Path(__file__).parent / "Inputs" / "packages.py"
        python = environment.make(Path(src_root), Path(obj_root) / "networks" / "venv")
        subprocess.run([python, script, work], check=True)
        found |= compile_and_run(tool, work, "torchao", [TORCHAO], x)
        found["tile_128x4"] = pack_scales(tool, work)
        for package in ("torchao", "gfloat"):
            failures += compare(package, found, np.load(work / f"{package}.npz"), x)
    return failures > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
