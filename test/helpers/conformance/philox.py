"""Philox 4x32-10 from its paper (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3, 2011)."""

import numpy as np

# From Random123's kat_vectors: counter, key, result.
KNOWN = (
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
)
LOW = np.uint64(0xFFFFFFFF)


def philox(counter, key):
    """Counters are four arrays of 32-bit integers, stored in 64 bits. So are the results."""
    c = [np.asarray(word, np.uint64) for word in counter]
    k = [np.uint64(word) for word in key]
    for _ in range(10):
        p, q = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [
            (q >> np.uint64(32)) ^ c[1] ^ k[0],
            q & LOW,
            (p >> np.uint64(32)) ^ c[3] ^ k[1],
            p & LOW,
        ]
        k = [(k[0] + np.uint64(0x9E3779B9)) & LOW, (k[1] + np.uint64(0xBB67AE85)) & LOW]
    return c


def random_bits(count, width, seed, offset):
    """The result of quant_float.philox. Seed and offset are 64-bit integers."""
    blocks = np.arange(-(-count // 4), dtype=np.uint64) + np.uint64(offset)
    zero = np.zeros_like(blocks)
    counter = (blocks & LOW, blocks >> np.uint64(32), zero, zero)
    words = philox(counter, (seed & 0xFFFFFFFF, seed >> 32))
    every = np.stack(words, axis=1).ravel()[:count]
    return (every >> np.uint64(32 - width)).astype(np.uint32)


for _counter, _key, _words in KNOWN:
    assert tuple(map(int, philox(_counter, _key))) == _words, (_counter, _key)
