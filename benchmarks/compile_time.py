#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures compile times, in comparison with the shortest pipeline of upstream's passes.

    benchmarks/compile_time.py [--counts 10,100,1000,10000] [--repeat N] [--cpu host]
                               [--mlir-opt PROGRAM] [--networks FILE...] [--output FILE.json |
                               --record]

All times are CPU times, the minimum of the repetitions, which other processes affect little.

- The MLIR part is the time of quant-float-lower-to-cpu for modules of functions with one cast each,
  on one thread, without parsing and printing the module. --mlir-timing reports these parts of the
  time, without the start of the process. Equal functions share a kernel, functions of different
  sizes do not. Upstream's time is that of mlir-opt for the same number of functions with one
  negation, which it bufferizes and converts to loops, verifying after each pass by default.
- Models of one node, from file to file, without the start of the process (--version).
- Networks, from file to library: seconds, and the peak memory of the compiler or its linker, with
  the size of the model.
- Running code is the time in which Python's cast compiles, after a first one that loads the
  library.
"""

import argparse
import itertools
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

from harness.cpu import describe_cpu
from harness.environment import BUILD, use_build_environment
from harness.records import add_output, choose_output, write_record

RESULTS = ["f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f4E2M1FN", "f16", "bf16", "i8"]
UPSTREAM = """builtin.module(one-shot-bufferize{bufferize-function-boundaries},
    func.func(convert-linalg-to-loops), canonicalize, cse, convert-scf-to-cf, expand-strided-metadata,
    lower-affine, convert-arith-to-llvm, finalize-memref-to-llvm, convert-func-to-llvm, convert-cf-to-llvm,
    reconcile-unrealized-casts)"""
FIRST_CALLS = """
import sys, time
sys.path.insert(0, sys.argv[1])
import numpy, quant_float
x = numpy.ones(64, numpy.float32)
quant_float.cast(x, "f16")
start = time.process_time()
quant_float.cast(x, "f8e4m3")
print(time.process_time() - start)
"""


def make_casts(count, distinct=False):
    """Equal functions share a kernel. Those with another second size, which nothing depends on, do
    not."""
    rows = [f"?x{index + 2}" if distinct else "?" for index in range(count)]
    return "".join(
        f"func.func @cast_{index}(%x: tensor<{size}xf32>) -> tensor<{size}x{to}> {{\n"
        f"  %0 = quant_float.cast %x opset 28 : tensor<{size}xf32> to tensor<{size}x{to}>\n"
        f"  return %0 : tensor<{size}x{to}>\n"
        "}\n"
        for index, (size, to) in enumerate(zip(rows, itertools.cycle(RESULTS)))
    )


def make_negations(count):
    return "".join(
        f"func.func @negate_{index}(%x: tensor<?xf32>) -> tensor<?xf32> {{\n"
        "  %c0 = arith.constant 0 : index\n"
        "  %size = tensor.dim %x, %c0 : tensor<?xf32>\n"
        "  %empty = tensor.empty(%size) : tensor<?xf32>\n"
        "  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],\n"
        '      iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%empty : tensor<?xf32>) {\n'
        "  ^bb0(%in: f32, %out: f32):\n"
        "    %1 = arith.negf %in : f32\n"
        "    linalg.yield %1 : f32\n"
        "  } -> tensor<?xf32>\n"
        "  return %0 : tensor<?xf32>\n"
        "}\n"
        for index in range(count)
    )


def make_concat(count, size):
    """MLIR of a node with this number of inputs, so that the importer's time is negligible."""
    names = ", ".join(f"%x{index}: tensor<{size}x4xf32>" for index in range(count))
    total = "?" if size == "?" else size * count
    types = ", ".join([f"tensor<{size}x4xf32>"] * count)
    values = ", ".join(f"%x{index}" for index in range(count))
    return (
        "module attributes {quant_float.opset_imports = {ai.onnx = 23 : i64}} {\n"
        f"func.func @concat({names}) -> tensor<{total}x4xf32> {{\n"
        f'  %0 = quant_float.node "Concat"({values}) opset 23 attributes {{axis = 0 : i64}} '
        f": ({types}) -> tensor<{total}x4xf32>\n"
        f"  return %0 : tensor<{total}x4xf32>\n}}\n}}\n"
    )


def make_chain(count):
    """MLIR of a chain of matmuls and softmaxes with dynamic sizes: each size depends on all ops
    before."""
    square = "tensor<?x?xf32>"
    lines = []
    for i in range(count):
        lines += [
            f'  %s{i} = quant_float.node "Softmax"(%x{i}) opset 23 : ({square}) -> {square}',
            f'  %x{i + 1} = quant_float.node "MatMul"(%s{i}, %x0) opset 23 : ({square}, {square}) -> {square}',
        ]
    return (
        "module attributes {quant_float.opset_imports = {ai.onnx = 23 : i64}} {\n"
        f"func.func @chain(%x0: {square}) -> {square} {{\n"
        + "\n".join(lines)
        + f"\n  return %x{count} : {square}\n}}\n}}\n"
    )


# The memory of the largest child process, measured in a separate process, whose own children are
# smaller.
MEASURE_MEMORY = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


def run(command):
    """The CPU seconds of the process, and its output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if result.returncode:
        sys.exit(f"{command[0]}: {result.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, result


def best(command, repeat):
    return min(run(command)[0] for _ in range(repeat))


def measure_passes(tool, path, pipeline, *options):
    """The CPU seconds of the passes, and the share of each."""
    start = best([tool, "--version"], 3)
    seconds, result = run(
        [tool, path, f"--pass-pipeline={pipeline}", "--mlir-disable-threading", "--mlir-timing"]
        + ["--mlir-timing-display=list", "-o=/dev/null", *options]
    )
    parts = {
        name.strip(): float(time)
        for time, name in re.findall(
            r"^\s*([0-9.]+)\s+\(\s*[0-9.]+%\)\s+(.+)$", result.stderr, re.MULTILINE
        )
    }
    outside = sum(parts.get(name, 0) for name in ("Parser", "Output"))
    passes = {
        name: time
        for name, time in parts.items()
        if "ipeline" not in name and name not in ("root", "Parser", "Output", "Rest", "Total")
    }
    whole = sum(passes.values())
    shares = {name: time / whole for name, time in passes.items()}
    return (seconds - start) * (1 - outside / parts["root"]), shares


def measure_upstream(arguments, folder, count):
    path = folder / "negations.mlir"
    path.write_text(make_negations(count))
    return measure_passes(arguments.mlir_opt, path, UPSTREAM)[0]


def measure_modules(arguments, folder):
    rows = []
    pipeline = f"builtin.module(quant-float-lower-to-cpu{{cpu={arguments.cpu}}})"
    counts = [int(count) for count in arguments.counts.split(",")]
    for count, distinct in [(count, False) for count in counts] + [(1000, True)]:
        casts = folder / "casts.mlir"
        casts.write_text(make_casts(count, distinct))
        ours, upstream = [], []
        # The compilers take turns, as other processes slow both down.
        for _ in range(arguments.repeat if count < 5000 else 2):
            ours.append(
                measure_passes(
                    arguments.tools / "quant-float-opt", casts, pipeline, "--verify-each=0"
                )
            )
            upstream.append(measure_upstream(arguments, folder, count))
        seconds, passes = min(ours, key=lambda measured: measured[0])
        row = {
            "functions": count,
            "distinct": distinct,
            "ms_each": round(1000 * seconds / count, 3),
            "upstream_ms_each": round(1000 * min(upstream) / count, 3),
            "ratio": round(seconds / min(upstream), 1),
            "passes": {
                name: round(share, 3)
                for name, share in sorted(passes.items(), key=lambda item: -item[1])
                if share >= 0.02
            },
        }
        rows.append(row)
        print(
            f"{count}{' distinct' if distinct else ''} functions: {row['ms_each']:.2f} ms each, upstream {row['upstream_ms_each']:.2f}, "
            f"ratio {row['ratio']}",
            flush=True,
        )
    return rows


def measure_models(arguments, folder):
    """Compile times of files, in milliseconds and relative to upstream's time for one of 1000
    functions."""
    compiler = arguments.tools / "quant-float-compile"
    cast = folder / "cast.mlir"
    cast.write_text(make_casts(1))

    def compile_to(kind, path):
        command = [compiler, path, "--emit", kind, "--cpu", arguments.cpu, "-o", folder / "out"]
        return run(command)[0] - best([compiler, "--version"], 3)

    measured = {
        f"cast to {kind}": lambda kind=kind: compile_to(kind, cast)
        for kind in ("llvm-dialect", "llvm-ir", "obj", "shared")
    }
    package = arguments.tools.parent / "python_packages"
    if package.exists():
        command = [arguments.python, "-c", FIRST_CALLS, package]
        measured["cast to running code"] = lambda: float(run(command)[1].stdout)
    for count, size in ((250, 3), (250, "?")):
        concat = folder / f"concat_{count}_{len(measured)}.mlir"
        concat.write_text(make_concat(count, size))
        measured[f"Concat of {count} x {size} rows to obj"] = lambda concat=concat: compile_to(
            "obj", concat
        )

    for count in (25, 50):
        chain = folder / f"chain_{count}.mlir"
        chain.write_text(make_chain(count))
        measured[f"chain of {count} dynamic matmuls to obj"] = lambda chain=chain: compile_to(
            "obj", chain
        )

    units, seconds = [], {name: [] for name in measured}
    for _ in range(arguments.repeat):
        units.append(measure_upstream(arguments, folder, 1000) / 1000)
        for name, measure in measured.items():
            seconds[name].append(measure())
    unit = min(units)
    rows = {
        "start_ms": round(1000 * best([compiler, "--version"], 10), 1),
        "unit_ms": round(1000 * unit, 3),
    }
    for name, times in seconds.items():
        rows[name] = {"ms": round(1000 * min(times), 1), "units": round(min(times) / unit)}
        print(f"{name}: {rows[name]['ms']} ms, {rows[name]['units']} units", flush=True)
    return rows


def measure_networks(arguments, folder):
    rows = {}
    for path in arguments.networks:
        command = [arguments.tools / "quant-float-compile", path, "--cpu", arguments.cpu]
        command += ["-o", folder / "network.so"]
        script = [sys.executable, "-c", MEASURE_MEMORY, *command]
        measured = [run(script)[1].stdout.split() for _ in range(arguments.networks_repeat)]
        rows[path.stem] = row = {
            "s": round(min(float(seconds) for seconds, _ in measured), 2),
            "mib": round(min(int(kib) for _, kib in measured) / 1024),
            "model_mib": round(path.stat().st_size / 2**20, 1),
        }
        print(f"{path.stem}: {row['s']} s, {row['mib']} MiB of {row['model_mib']} MiB", flush=True)
    return rows


def main():
    use_build_environment()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--counts", default="10,100,1000,10000")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--cpu", default="host")
    parser.add_argument("--tools", type=pathlib.Path, default=BUILD / "bin")
    parser.add_argument("--python", default=sys.executable, help="a Python with numpy")
    parser.add_argument("--mlir-opt", default="mlir-opt-22")
    parser.add_argument("--networks", type=pathlib.Path, nargs="*", default=[])
    parser.add_argument("--networks-repeat", type=int, default=1)
    add_output(parser)
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        modules = measure_modules(arguments, folder)
        models = measure_models(arguments, folder)
        networks = measure_networks(arguments, folder)
    if output := choose_output(arguments, "compile_time"):
        record = {
            "cpu": describe_cpu(),
            "for": arguments.cpu,
            "modules": modules,
            "models": models,
        }
        if networks:
            record["networks"] = networks
        write_record(output, record)


if __name__ == "__main__":
    main()
