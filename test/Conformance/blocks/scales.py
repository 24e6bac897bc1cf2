# B3: scales of f8E8M0FNU by every rule for every element, compiled and by the Reference, against an oracle in NumPy: of every
# exponent, the magnitudes around the thresholds and random ones, all magnitudes around the smallest scale, infinity and NaN.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir/quant-float-run %t %if full %{ full %}
import subprocess
import sys
from pathlib import Path

import numpy as np
from conformance import blocks

ELEMENTS = [*blocks.FLOATS, *blocks.INTEGERS]
CASES = [(rule, element) for rule in blocks.POWERS for element in ELEMENTS]
CASES += [("ggml", "f4E2M1FN"), ("deepgemm", "f8E4M3FN")]


def magnitudes(is_full):
    """The bits of f32."""
    random = np.random.default_rng(1)
    # Fractions at which some rule changes the scale, as multiples of powers of two.
    points = [1.0]
    for element in ELEMENTS:
        m = blocks.largest(element, "f8E8M0FNU")
        fraction = m / 2.0 ** int(blocks.floor_log2(m))
        points += [fraction, *(p * fraction for p in (0.75, 1.5)), 2 - 2.0 ** -(1 + 3)]
    mantissas = {0, 0x7FFFFF}
    for point in points:
        point /= 2.0 ** int(blocks.floor_log2(point))
        center = int((point - 1) * 2**23)
        mantissas.update(center + d for d in range(-4, 5))
    for bit in range(23):
        mantissas.update({(1 << bit), (1 << bit) - 1, 0x800000 - (1 << bit)})
    mantissas = np.array(sorted(m for m in mantissas if 0 <= m <= 0x7FFFFF), np.uint32)
    exponents = np.arange(256, dtype=np.uint32)[:, None] << 23
    parts = [
        (exponents | mantissas).ravel(),
        random.integers(0, 0x7F800000, 20000, dtype=np.uint32),
    ]
    # Around the smallest scale of each element.
    for element in ELEMENTS:
        m = blocks.largest(element, "f8E8M0FNU")
        for power in (-128, -127, -126):
            center = int(np.float32(m * 2.0**power).view(np.uint32))
            parts.append(np.arange(max(0, center - 300), center + 300, dtype=np.uint32))
    if is_full:
        parts.append(np.uint32(130 << 23) + np.arange(1 << 23, dtype=np.uint32))
        parts.append(np.arange(1 << 22, dtype=np.uint32))
    # The sign is ignored.
    parts.append(parts[0][::5] | np.uint32(1 << 31))
    return np.unique(np.concatenate(parts))


def text():
    lines = []
    for i, (rule, element) in enumerate(CASES):
        lines.append(
            f"  %{i} = quant_float.block_scale %a rule {rule} element {element} : tensor<?xf32> to tensor<?xf8E8M0FNU>"
        )
    types = ", ".join(["tensor<?xf8E8M0FNU>"] * len(CASES))
    values = ", ".join(f"%{i}" for i in range(len(CASES)))
    return (
        f"func.func @main(%a: tensor<?xf32>) -> ({types}) {{\n"
        + "\n".join(lines)
        + f"\n  return {values} : {types}\n}}\n"
    )


def main(tool, work, is_full=""):
    work = Path(work)
    (work / "model.mlir").write_text(text())
    failures = 0
    for target, step in (("cpu", 1), ("reference", 97 if is_full else 7)):
        bits = magnitudes(is_full)[::step]
        np.save(work / "a.npy", bits.view(np.float32))
        command = [
            tool,
            work / "model.mlir",
            "--inputs",
            work / "a.npy",
            "--outputs",
            work / target,
        ]
        subprocess.run([*command, "--target", target], check=True)
        for i, (rule, element) in enumerate(CASES):
            found = np.load(work / target / f"output_{i}.npy").view(np.uint8)
            with np.errstate(all="ignore"):
                expected = blocks.scales(rule, element, "f8E8M0FNU", bits.view(np.float32))
            bad = np.flatnonzero(found != expected)
            failures += bad.size > 0
            for at in bad[:3]:
                print(
                    f"{target}: {rule} {element}: amax 0x{bits[at]:08x} ({bits.view(np.float32)[at]:g}): expected {expected[at]}, got {found[at]}"
                )
        print(f"{target}: {len(CASES)} cases of {bits.size} magnitudes")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
