"""Matmuls for each row of the table of tile configurations of GPU kernels, by their sizes."""

import gpu_matmuls
from gpu_matmuls import node

# Matrices, M, N, K, and the tile size they need: for tensor cores, and for SIMT code.
SIZES = (
    (128, 127, 70, 140, (128, 128), None),
    (128, 100, 64, 17, (128, 64), (128, 64)),
    (128, 64, 100, 17, (64, 128), (64, 128)),
    (110, 50, 64, 160, (64, 64), None),
    (32, 97, 128, 18, (64, 64), (64, 64)),
    (128, 32, 97, 17, (32, 128), (32, 128)),
    (128, 97, 32, 17, (128, 32), (128, 32)),
    (3, 40, 70, 270, (32, 64), (32, 64)),
    (80, 64, 31, 18, (64, 32), (64, 32)),
    (100, 9, 127, 17, (16, 128), (16, 128)),
    (100, 127, 9, 17, (128, 16), (128, 16)),
)
# The same for the lanes of a warp: rows and columns of the tile, and how many of them one thread
# computes.
LINES = (
    ((3, 1, 70, 130), ((1, 1), (32, 1))),
    ((70, 2, 63, 100), ((2, 2), (32, 1))),
    ((70, 4, 60, 64), ((4, 4), (32, 1))),
    ((70, 7, 64, 70), ((8, 8), (32, 1))),
    ((3, 70, 1, 130), ((32, 1), (1, 1))),
    ((70, 63, 2, 100), ((32, 1), (2, 2))),
    ((70, 60, 4, 64), ((32, 1), (4, 4))),
    ((70, 64, 7, 70), ((32, 1), (8, 8))),
)


def matmul(kind, other, sizes):
    matrices, m, n, k = sizes
    a, b = f"{matrices}x{m}x{k}x", f"{matrices}x{k}x{n}x"
    result = f"{matrices}x{m}x{n}x{'i32' if kind == 'ui8' else kind}"
    op = "MatMulInteger" if kind == "ui8" else "MatMul"
    name = f"{kind}_{matrices}_{m}_{n}_{k}"
    return gpu_matmuls.Matmul(name, (("a", a, kind), ("b", b, other)), node(op, [("a", a + kind), ("b", b + other)], result), result)  # fmt: skip


def cases():
    """Matmuls, their sizes, and the bytes of shared memory for the tiles of both operands."""
    for *sizes, by_warps, by_threads in SIZES:
        if by_warps:
            # Rows of 64 bytes of K, in as many stages as fit and are useful.
            stages = min(3, 48 * 1024 // (64 * sum(by_warps)), -(-sizes[3] // 64))
            yield (
                matmul("ui8", "i8", sizes),
                sizes,
                tuple(64 * stages * lines for lines in by_warps),
            )
        if by_threads:
            # 16 elements of K with this size, and 4 more as padding.
            yield (
                matmul("f32", "f32", sizes),
                sizes,
                tuple(64 * (lines + 4) for lines in by_threads),
            )
    # Skinny matmuls: 64 elements of K with this size, and up to 4 more as padding.
    for sizes, lines in LINES:
        yield matmul("f32", "f32", sizes), sizes, tuple(256 * (count + min(4, share)) for count, share in lines)  # fmt: skip
