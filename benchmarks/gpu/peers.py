#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""peers.py ELEMENTS REPEAT: measures PyTorch, torch.compile and a Triton kernel like the launcher
measures ours: with events around each call, in turns with a copy of the same number of bytes.
Writes JSON."""

import json
import sys
from functools import partial

import torch

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

E4M3 = torch.float8_e4m3fn

if triton:

    @triton.jit
    def cast_kernel(source, target, count, BLOCK: tl.constexpr):
        places = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        values = tl.load(source + places, mask=places < count)
        tl.store(target + places, values.to(target.dtype.element_ty), mask=places < count)


def by_triton(x, dtype):
    target = torch.empty(x.shape, dtype=dtype, device=x.device)
    block = 4096
    grid = (triton.cdiv(x.numel(), block),)

    def run():
        cast_kernel[grid](x, target, x.numel(), BLOCK=block, num_warps=8)
        return target

    return run


def quantize(x, s):
    return (x / s).clamp(-448, 448).to(E4M3)


def dequantize(q, s):
    return q.to(torch.float32) * s


def qdq(x, s):
    return dequantize(quantize(x, s), s)


def by_blocks(function):
    """With a scale for each 32 elements of a row."""
    return lambda x, s: function(x.unflatten(1, (-1, 32)), s[..., None]).flatten(1)


def seconds_of(run):
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    run()
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop) * 1e-3


def measure(run, count, repeat):
    half = count // 2
    source = torch.empty(half, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    times, copies = [], []
    for turn in range(repeat + 3):
        pair = seconds_of(run), seconds_of(lambda: target.copy_(source))
        if turn >= 3:
            times.append(pair[0])
            copies.append(pair[1])
    best, copy = min(times), min(copies)
    return {
        "bytes": count,
        "best_seconds": best,
        "median_seconds": sorted(times)[len(times) // 2],
        "bytes_per_second": count / best,
        "copy_best_seconds": copy,
        "of_copy": copy / best,
    }


def cases(elements):
    """Name, the PyTorch function, its arguments, a Triton one, bytes read and written."""
    columns = 1 << (elements.bit_length() - 1) // 2
    rows = elements // columns
    x = torch.randn(rows, columns, device="cuda")
    q = x.to(E4M3)
    scales = {
        "tensor": torch.tensor(0.5, device="cuda"),
        "axis": torch.rand(columns, device="cuda") + 0.5,
        "block": torch.rand(rows, columns // 32, device="cuda") + 0.5,
    }
    yield "cast_f32_f8E4M3FN", lambda x: x.to(E4M3), (x,), (x, E4M3), 5 * elements
    yield "cast_f8E4M3FN_f32", lambda q: q.float(), (q,), (q, torch.float32), 5 * elements
    yield "cast_f8E4M3FN_f16", lambda q: q.half(), (q,), (q, torch.float16), 3 * elements
    for name, function, given, each in (
        ("quantize", quantize, x, 5),
        ("dequantize", dequantize, q, 5),
        ("qdq", qdq, x, 8),
    ):
        for granularity, s in scales.items():
            form = by_blocks(function) if granularity == "block" else function
            yield f"{name}_{granularity}", form, (given, s), None, each * elements + 4 * s.numel()


def main():
    elements, repeat = map(int, sys.argv[1:])
    report = {"torch": torch.__version__, "triton": triton and triton.__version__, "timings": []}
    for name, function, arguments, cast, count in cases(elements):
        forms = {"torch": function, "torch.compile": None}
        for form in forms:
            try:
                chosen = function if form == "torch" else torch.compile(function)
                row = measure(partial(chosen, *arguments), count, repeat)
            except Exception as error:
                row = {"error": f"{type(error).__name__}: {str(error)[:200]}"}
            report["timings"].append({"entry": name, "by": form, **row})
        if cast and triton:
            try:
                row = measure(by_triton(*cast), count, repeat)
            except Exception as error:
                row = {"error": f"{type(error).__name__}: {str(error)[:200]}"}
            report["timings"].append({"entry": name, "by": "triton", **row})
    json.dump(report, sys.stdout, indent=2)


if __name__ == "__main__":
    main()
