"""Compares one network with ONNX Runtime: whether it compiles, the cost of compilation, the
differences, and the run times."""

import concurrent.futures
import contextlib
import multiprocessing
import os
import pathlib
import re
import resource
import subprocess
import tempfile
import time

import numpy as np

#: Tolerated differences relative to an output's largest element, by the output's type. Larger ones
#: are compared with the changes of ONNX Runtime's own results when its input, weights or
#: optimizations change.
LEAST = {np.dtype(np.float32): 2e-5, np.dtype(np.float16): 4e-3, np.dtype(np.float64): 2e-5}
#: The tolerance as a multiple of the differences between ONNX Runtime's own results.
FACTOR = 8


def compile_library(compiler, model, library, cpu="host", limit=300):
    """Runs quant-float-compile. Returns its CPU time, at most `limit` seconds, and memory, or its
    error."""

    def limited():
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))

    with tempfile.TemporaryFile() as log:
        command = [compiler, model, "--cpu", cpu, "-o", library]
        child = subprocess.Popen(command, stdout=log, stderr=log, preexec_fn=limited)  # noqa: PLW1509
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        log.seek(0)
        text = log.read().decode(errors="replace")
    seconds = usage.ru_utime + usage.ru_stime
    if child.returncode < 0 and seconds >= limit - 1:
        return {
            "refused": f"compiling takes more than {limit} s of CPU time",
            "exit_code": child.returncode,
        }
    if child.returncode:
        errors = [line for line in text.splitlines() if "error" in line]
        told = re.sub(r"\S*/(?=[^/ ]+\.onnx)", "", (errors or text.splitlines() or ["nothing"])[0])
        return {"refused": told[:400], "exit_code": child.returncode}
    return {"compile_s": round(seconds, 2), "peak_mib": usage.ru_maxrss // 1024}


def start_onnx_runtime(path, optimized=True):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    if not optimized:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    model = path if isinstance(path, bytes) else str(path)
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return lambda inputs: session.run(None, inputs)


def start_ours(library):
    import quant_float

    kernel = quant_float.load_kernel(library)

    def call(inputs):
        results = kernel(*inputs.values())
        return list(results) if isinstance(results, (tuple, list)) else [results]

    return call


def distance(found, wanted):
    """The largest difference of two arrays relative to the second's largest element, or infinity if
    shapes or types differ."""
    if found.shape != wanted.shape:
        return np.inf
    if not wanted.size:
        return 0.0
    a, b = np.asarray(found, np.float64), np.asarray(wanted, np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    if same.all():
        return 0.0
    finite = np.abs(b[np.isfinite(b)])
    with np.errstate(invalid="ignore"):
        off = np.where(same, 0, np.abs(a - b)).max()
    return float(off / max(finite.max(initial=0), 1e-30)) if np.isfinite(off) else np.inf


def nudged(inputs, random):
    """The inputs, with floats changed by some units in the last place."""
    return {
        name: (x * (1 + (random.random(x.shape) - 0.5) * 8 * np.finfo(x.dtype).eps)).astype(x.dtype) if x.dtype.kind == "f" else x
        for name, x in inputs.items()
    }  # fmt: skip


def nudged_weights(path, random):
    """The model as bytes, with f32 vectors and matrices changed by some units in the last place."""
    import onnx
    from onnx import numpy_helper

    model = onnx.load(path)
    for tensor in model.graph.initializer:
        if tensor.data_type == onnx.TensorProto.FLOAT and tensor.dims:
            moved = nudged({"": numpy_helper.to_array(tensor)}, random)[""]
            tensor.CopyFrom(numpy_helper.from_array(moved, tensor.name))
    return model.SerializeToString()


def judge(path, inputs, call):
    """The difference of our results from ONNX Runtime's without optimizations, and the
    tolerance."""
    peer, random = start_onnx_runtime(path, optimized=False), np.random.default_rng(1)
    wanted = peer(inputs)
    if any(x.dtype.kind == "f" for x in inputs.values()):
        others = [peer(nudged(inputs, random)) for _ in range(2)]
    else:
        models = [nudged_weights(path, random) for _ in range(2)]
        others = [start_onnx_runtime(model, optimized=False)(inputs) for model in models]
    found = call(inputs)
    verdict = {"off": 0.0, "allowed": 0.0, "agrees": True}
    if len(found) != len(wanted):
        return {"agrees": False, "told": f"{len(found)} results, not {len(wanted)}"}
    for index, (ours, theirs) in enumerate(zip(found, wanted, strict=True)):
        ours, theirs = np.asarray(ours), np.asarray(theirs)
        off = distance(ours, theirs)
        spread = max(distance(np.asarray(other[index]), theirs) for other in others)
        allowed = max(FACTOR * spread, LEAST.get(theirs.dtype, 0))
        if off > allowed and len(others) == 2:
            # Its optimizations change roundings, too, if a network has sums of quantized values.
            with contextlib.suppress(Exception):
                others.append(start_onnx_runtime(path)(inputs))
                spread = distance(np.asarray(others[-1][index]), theirs)
                allowed = max(allowed, FACTOR * spread)
        if off > allowed or ours.dtype != theirs.dtype:
            told = f"output {index}: {ours.dtype}{list(ours.shape)}, {theirs.dtype}{list(theirs.shape)}, {off:.1e} off, {allowed:.1e} allowed"
            verdict["agrees"] = False
            verdict.setdefault("told", told)
        if off >= verdict["off"]:
            verdict["off"], verdict["allowed"] = off, allowed
    for key in ("off", "allowed"):
        verdict[key] = float(f"{verdict[key]:.1e}")
    return verdict


def clock(calls, inputs, budget):
    """The best CPU time of each in ms. They take turns, for `budget` seconds in all."""
    best, end, turn = dict.fromkeys(calls, np.inf), time.monotonic() + budget, 0
    while turn < 2 or (time.monotonic() < end and turn < 50):
        for name, call in calls.items():
            for repeat in range(3):
                begin = time.thread_time()
                call(inputs)
                # The first call of a turn starts with cold caches.
                if repeat or not turn:
                    best[name] = min(best[name], (time.thread_time() - begin) * 1e3)
        turn += 1
    return {name: float(f"{ms:.4g}") for name, ms in best.items()}


def _try(path, values, libraries, budget):
    inputs = dict(np.load(values))
    calls, result = {}, {}
    for name, library in libraries.items():
        calls[name] = start_ours(library)
    first = next(iter(calls.values()))
    result.update(judge(path, inputs, first))
    if budget:
        calls["ONNX Runtime"] = start_onnx_runtime(path)
        times = clock(calls, inputs, budget)
        result["ms"] = times
        result["over"] = {
            k: round(v / times["ONNX Runtime"], 2) for k, v in times.items() if k in libraries
        }
    return result


def run_in_process(function, *arguments):
    """Runs in a separate process, which may crash."""
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(function, *arguments).result()


def run(compiler, path, values, cpus=("host",), budget=2.0):
    """Everything for one file and the values of its inputs. `budget` is in seconds for
    measurements, 0 for none."""
    result = {}
    with tempfile.TemporaryDirectory() as folder:
        libraries = {}
        for cpu in cpus:
            library = pathlib.Path(folder) / f"{cpu}.so"
            compiled = compile_library(compiler, path, library, cpu)
            if cpu == cpus[0]:
                result.update(compiled)
            if "refused" in compiled:
                return {**compiled, "agrees": False}
            libraries[cpu] = str(library)
        try:
            result.update(run_in_process(_try, str(path), str(values), libraries, budget))
        except Exception as error:  # The libraries raise any exception.
            lines = str(error).splitlines() or [type(error).__name__]
            result.update(agrees=False, told=f"{type(error).__name__}: {lines[0][:300]}")
    return result
