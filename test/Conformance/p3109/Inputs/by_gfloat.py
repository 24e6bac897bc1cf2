"""Compares results with gfloat's, in an environment that has it: by_gfloat.py FOLDER"""

import pathlib
import re
import sys

import gfloat
import numpy as np
from gfloat import RoundMode
from gfloat.formats import format_info_p3109
from gfloat.types import Domain, Signedness

MODES = [
    RoundMode.TiesToEven,
    RoundMode.TiesToAway,
    RoundMode.TowardPositive,
    RoundMode.TowardNegative,
    RoundMode.TowardZero,
]
# StochasticA, B and C, with 8 random bits.
STOCHASTIC = [RoundMode.StochasticFastest, RoundMode.StochasticFast, RoundMode.Stochastic]

work = pathlib.Path(sys.argv[1])
values = np.load(work / "x.npy").astype(np.float64)
random = np.load(work / "r.npy").astype(np.int64)
compared, different = 0, []
for path in sorted(work.glob("binary*.npy")):
    k, p, sign, domain = re.fullmatch(r"binary(\d)p(\d)([su])([ef])", path.stem).groups()
    format = format_info_p3109(
        int(k),
        int(p),
        Signedness.Signed if sign == "s" else Signedness.Unsigned,
        Domain.Extended if domain == "e" else Domain.Finite,
    )
    kept = ~(values < 0) if sign == "u" else np.ones(values.shape, bool)
    casts = [(mode, saturate, ()) for mode in MODES for saturate in (True, False)]
    casts += [(mode, False, (random[kept], 8)) for mode in STOCHASTIC]
    for (mode, saturate, bits), ours in zip(casts, np.load(path), strict=True):
        with np.errstate(all="ignore"):
            rounded = gfloat.round_ndarray(format, values[kept], mode, saturate, *bits)
            theirs = gfloat.encode_ndarray(format, rounded)
        wrong = np.flatnonzero(theirs.astype(np.uint8) != ours[kept])
        compared += theirs.size
        if wrong.size:
            i = wrong[0]
            different.append(
                f"{path.stem} {mode.name} {saturate}: {wrong.size} differ, {values[kept][i]}: {ours[kept][i]:#x} and {theirs[i]:#x}"
            )
print(f"gfloat: {compared} results compared, {len(different)} casts differ")
sys.exit("\n".join(different[:20]) or 0)
