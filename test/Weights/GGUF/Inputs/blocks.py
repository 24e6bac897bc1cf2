"""Blocks of ggml's formats, with random bits for quantized values and scales."""

import numpy as np
from files import BLOCKS

random = np.random.default_rng(11)
# The positions of a block's f16 numbers. Random bits would make most of them useless.
HALVES = {
    3: (0, 2),
    7: (0, 2),
    10: (80, 82),
    11: (108,),
    12: (0, 2),
    13: (0, 2),
    14: (208,),
    39: (),
    40: (),
}


def make_blocks(number, rows, row):
    elements, size = BLOCKS[number]
    data = random.integers(0, 256, (rows, row // elements * size), np.uint8)
    blocks = data.reshape(-1, size)
    for place in HALVES.get(number, (0,)):
        halves = random.normal(size=len(blocks)).astype(np.float16)
        halves[::7] = random.integers(0, 2**10, len(halves[::7])).astype(np.uint16).view(np.float16)
        blocks[:, place : place + 2] = halves.view(np.uint8).reshape(-1, 2)
    if number == 39:
        blocks[:, 0] = np.arange(len(blocks)) % 255
    if number == 40:
        # Neither signs nor NaN of scales are written.
        blocks[:, :4] = (np.arange(4 * len(blocks)) % 127).reshape(-1, 4)
    return data
