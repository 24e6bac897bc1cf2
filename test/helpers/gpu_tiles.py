"""Products for each row of the table of tiles that kernels for GPUs have, by their sizes."""

import gpu_products
from gpu_products import node

# Matrices, rows, columns, summands, and the tile they need: by instructions of warps, and by threads.
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
# The same by the threads of a warp: lines of both tiles, and how many of them are one thread's.
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


def product(kind, other, sizes):
    matrices, m, n, k = sizes
    a, b = f"{matrices}x{m}x{k}x", f"{matrices}x{k}x{n}x"
    result = f"{matrices}x{m}x{n}x{'i32' if kind == 'ui8' else kind}"
    op = "MatMulInteger" if kind == "ui8" else "MatMul"
    name = f"{kind}_{matrices}_{m}_{n}_{k}"
    return gpu_products.Product(name, (("a", a, kind), ("b", b, other)), node(op, [("a", a + kind), ("b", b + other)], result), result)  # fmt: skip


def cases():
    """Products, their sizes, and the bytes of shared memory of the tiles of both factors."""
    for *sizes, by_warps, by_threads in SIZES:
        if by_warps:
            # Rows of 64 bytes of summands, in as many stages as there is room and use for.
            stages = min(3, 48 * 1024 // (64 * sum(by_warps)), -(-sizes[3] // 64))
            yield (
                product("ui8", "i8", sizes),
                sizes,
                tuple(64 * stages * lines for lines in by_warps),
            )
        if by_threads:
            # 16 summands of so many elements, and 4 behind.
            yield (
                product("f32", "f32", sizes),
                sizes,
                tuple(64 * (lines + 4) for lines in by_threads),
            )
    # Few rows or columns: 64 summands of so many elements, and up to 4 behind.
    for sizes, lines in LINES:
        yield product("f32", "f32", sizes), sizes, tuple(256 * (count + min(4, share)) for count, share in lines)  # fmt: skip
