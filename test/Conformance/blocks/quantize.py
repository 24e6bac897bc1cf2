# B: block_quantize and block_dequantize by every rule, for every type of elements and scales, compiled and by the Reference, against
# an oracle in NumPy: blocks along rows, rectangles, partial blocks, rows and the whole tensor; subnormal, infinite and NaN elements.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir/quant-float-run %t
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
from conformance import block_cases as cases


def check_stochastic(tool, work):
    """Compares compiled code with the Reference, whose stochastic rounding other tests compare with
    an oracle. Random bits of 0 must truncate."""
    rules = [
        ("floor", "f8E4M3FN", "f8E8M0FNU"),
        ("floor", "f4E2M1FN", "f8E8M0FNU"),
        ("absmax", "i4", "f32"),
        ("ggml", "f4E2M1FN", "f8E8M0FNU"),
        ("torchao", "f4E2M1FN", "f8E4M3FN"),
    ]
    model = cases.write_model(rules, (8, 64), (1, 16))
    model = model.replace("%x: tensor<8x64xf32>", "%x: tensor<8x64xf32>, %r: tensor<8x64xui8>")
    model = re.sub(
        r"(block_quantize .* rule \w+)",
        r"\1 round_mode stochastic random(%r : tensor<8x64xui8>)",
        model,
    )
    (work / "stochastic.mlir").write_text(model)
    x = cases.inputs((8, 64), "usual")
    random = np.random.default_rng(3).integers(0, 256, x.shape).astype(np.uint8)
    failures = 0
    for bits in (random, np.zeros_like(random)):
        np.save(work / "x.npy", x)
        np.save(work / "r.npy", bits)
        outputs = []
        for target in ("cpu", "reference"):
            out = work / f"stochastic-{target}"
            command = [tool, work / "stochastic.mlir", "--inputs", work / "x.npy", work / "r.npy"]
            subprocess.run([*command, "--outputs", out, "--target", target], check=True)
            outputs.append([np.load(out / f"output_{i}.npy") for i in range(16)])
        for i, (found, expected) in enumerate(zip(*outputs, strict=True)):
            if not np.array_equal(found, expected):
                print(f"stochastic: output {i}: {np.sum(found != expected)} of {found.size} differ")
                failures += 1
        if not bits.any():
            # The dequantized values are not larger in magnitude.
            dequantized = [
                output
                for output in outputs[0]
                if output.dtype == np.float32 and output.shape == x.shape
            ]
            for values in dequantized:
                failures += bool((np.abs(values) > np.abs(x) * (1 + 1e-6)).any())
    return failures


# Larger than a tile of the loops that amax is fused into: columns that a tile does not divide, rectangles, columns, rows, dynamic
# rows, and enough elements for two threads. Which sizes are dynamic: none, the first or all.
TILED = [
    ((3, 2144), (1, 32), False, 1),
    ((260, 48), (2, 8), False, 1),
    ((300, 20), (-1, 1), False, 1),
    ((256, 40), (128, 128), False, 1),
    ((9, 4096), (1, -1), True, 1),
    ((9, 2048), (1, 32), True, 1),
    ((128, 2080), (1, 32), False, 2),
    # Partial blocks after tiles of full ones, with all sizes dynamic.
    ((3, 2150), (1, 32), False, 1),
    ((150, 300), (128, 128), False, 1),
    ((3, 2150), (1, 32), "all", 1),
    ((2, 4096), (1, 16), "all", 2),
    ((150, 300), (128, 128), "all", 1),
    ((5, 3000), (1, -1), "all", 1),
    ((3, 20), (1, 32), "all", 1),
]
TILED_RULES = [
    ("rceil", "f8E4M3FN", "f8E8M0FNU"),
    ("absmax", "i8", "f32"),
    ("ggml", "f4E2M1FN", "f8E4M3FN"),
    ("transformer_engine", "f4E2M1FN", "f8E4M3FN"),
]


def check_tiles(tool, work):
    failures = 0
    for index, (shape, block, is_dynamic, threads) in enumerate(TILED):
        model = cases.write_model(TILED_RULES, shape, block, "f32", is_dynamic == "all")
        if is_dynamic is True:
            model = model.replace(f"tensor<{shape[0]}x", "tensor<?x")
        source = work / f"tiled{index}.mlir"
        source.write_text(model)
        for kind in ("usual", "edge"):
            with np.errstate(all="ignore"):
                data = cases.inputs(shape, kind)
            cases.save_input(work / "x.npy", data)
            out = work / f"tiled{index}-{kind}"
            command = [tool, source, "--inputs", work / "x.npy", "--outputs", out]
            subprocess.run([*command, "--threads", str(threads)], check=True)
            name = f"{shape} in {block}, {kind}"
            failures += cases.check_all(name, TILED_RULES, data, block, out)
    return failures


def main(tool, work):
    work = Path(work)
    runs = []
    for shape, block in (
        ((7, 70), (1, 32)),
        ((8, 64), (1, 16)),
        *(((9, 40), b) for b in cases.SHAPES[2:]),
    ):
        for x_type in cases.DTYPES if block == (1, 32) else ("f32",):
            dynamic = block in ((1, 32), (2, 8), (-1, -1)) and x_type == "f32"
            runs += [
                (shape, block, x_type, is_dynamic) for is_dynamic in (False, True)[: 1 + dynamic]
            ]
    failures = check_stochastic(tool, work) + check_tiles(tool, work)
    for index, (shape, block, x_type, is_dynamic) in enumerate(runs):
        rules = cases.RULES if index < 2 else cases.RULES[index % 5 :: 5]
        source = work / f"{index}.mlir"
        source.write_text(cases.write_model(rules, shape, block, x_type, is_dynamic))
        for kind in ("usual", "edge", "special"):
            with np.errstate(all="ignore"):
                data = cases.inputs(shape, kind).astype(cases.DTYPES[x_type])
            cases.save_input(work / "x.npy", data)
            for target in ("cpu", "reference"):
                out = work / f"{index}-{kind}-{target}"
                command = [
                    tool,
                    source,
                    "--inputs",
                    work / "x.npy",
                    "--outputs",
                    out,
                    "--target",
                    target,
                ]
                subprocess.run(command, check=True)
                name = f"{target}: {x_type} {shape} in {block}{' dynamic' if is_dynamic else ''}, {kind}"
                failures += cases.check_all(name, rules, data, block, out)
        print(f"{shape} in {block} of {x_type}: {len(rules)} rules")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
