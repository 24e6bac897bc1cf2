# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interleaved measurement of one row's contenders, and the check of their results."""

import random
import statistics

import numpy as np

from . import blocks, fakeconvert, quantization
from .contenders import Contender, Setting, Unsupported
from .formats import FORMATS, Format, aligned_empty, make_data, make_special

BATCH_SECONDS = 2e-3  # one measurement lasts about this long, or one call
SLOW_SECONDS = 0.04  # a longer call is measured fewer times
SLOW_REPEAT = 3


def expected(data: np.ndarray, target: Format) -> np.ndarray:
    """ml_dtypes' encodings, which do not saturate."""
    if target.size == 1:
        data = np.clip(data, -target.largest, target.largest)
    return data.astype(target.numpy).view(target.code)


def measure_row(row: dict, count: int, repeat: int, setting: Setting) -> dict:
    source, target = FORMATS[row["from"]], FORMATS[row["to"]]
    row = {**row, "columns": min(quantization.COLUMNS, count)}
    result = aligned_empty(count * target.size).view(target.numpy)
    if row["op"] == "cast":
        inputs = [make_data(source, target, count, row.get("nans", False))]
        if row.get("data"):
            inputs[0][:] = make_special(inputs[0], row["data"])
        want = expected(inputs[0], target)
    else:
        rows = quantization
        if row["op"] == "fakeconvert":
            rows = fakeconvert
        elif row["op"] in blocks.OPERATIONS:
            rows = blocks
        inputs = rows.make_inputs(row, count)
        want = rows.expected(row, inputs).view(target.code)
        result = result.reshape(inputs[0].shape)

    outcomes: dict[str, dict] = {}
    ready: list[tuple[Contender, int]] = []
    slow: set[str] = set()
    for kind in setting.contenders:
        result.view(np.uint8)[:] = 0xA5  # so that an unwritten output does not pass
        try:
            if row["op"] in blocks.OPERATIONS and not kind.has_blocks:
                raise Unsupported("no blocks with scales")
            if "projection" in row and kind.converts and not kind.has_p3109:
                raise Unsupported("no formats of IEEE P3109")
            contender = kind(row, inputs, result, setting)
            first = contender.time(1)
            outcome = {"seconds": []}
            if kind.converts:
                outcome["differing"] = contender.count_differing(want)
            ready.append((contender, max(1, round(BATCH_SECONDS / max(first, 1e-7)))))
            if first > SLOW_SECONDS:
                slow.add(contender.name)
        except Unsupported as reason:
            outcome = {"unsupported": str(reason)}
        outcomes[kind.name] = outcome

    # Contenders take turns in a varying order, so that other load affects all of them equally.
    order = random.Random(count)
    for turn in range(repeat):
        order.shuffle(ready)
        for contender, calls in ready:
            if contender.name in slow and turn >= SLOW_REPEAT:
                continue
            # One unmeasured call, so that the caches hold this contender's state, as in all its
            # other calls.
            if calls > 1:
                contender.time(1)
            seconds = contender.time(calls) / calls
            outcomes[contender.name]["seconds"].append(seconds)

    for outcome in outcomes.values():
        if seconds := outcome.pop("seconds", None):
            outcome["best_gelems"] = count / min(seconds) / 1e9
            quarters = statistics.quantiles(seconds * (1 + (len(seconds) == 1)), method="inclusive")
            names = ("upper_quartile", "median", "lower_quartile")
            for name, time in zip(names, quarters, strict=True):
                outcome[f"{name}_gelems"] = count / time / 1e9
            outcome["measurements"] = len(seconds)
    return {**row, "elements": count, "repeat": repeat, "contenders": outcomes}
