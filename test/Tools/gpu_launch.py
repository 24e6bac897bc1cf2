# quant-float-gpu-launch without a GPU: what it is linked with, its command line, descriptions and files that are wrong, what it
# does with numbers, and, under the simulator of a driver, what it says of a device.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir/quant-float-gpu-launch %obj_root %t
import copy
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import cuda
import numpy as np

tool, build, work = sys.argv[1], sys.argv[2], Path(sys.argv[3])
failures = []
plain = dict(os.environ, LD_LIBRARY_PATH=str(work / "no-driver"))
(work / "no-driver").mkdir()
(work / "no-driver" / "libcuda.so.1").write_text("no library\n")
simulated = cuda.simulator_environment(build)


def run(code, *arguments, stderr="", stdout="", environment=plain):
    result = subprocess.run(
        [tool, *map(str, arguments)], capture_output=True, text=True, errors="replace", check=False, cwd=work, env=environment
    )  # fmt: skip
    what = " ".join(map(str, arguments))
    if result.returncode != code:
        failures.append(f"{what}: exit code {result.returncode}: {result.stderr[-300:]}")
    for text, stream in ((stderr, result.stderr), (stdout, result.stdout)):
        if text not in stream:
            failures.append(f"{what}: expected '{text}', but got '{stream[-300:]}'")
    return result.stdout


# Only what every machine has.
if "sanitize" not in Path(build, "CMakeCache.txt").read_text().lower().split("quant_float_sanitizers:string=")[-1][:10]:  # fmt: skip
    linked = subprocess.run(["ldd", tool], capture_output=True, text=True, check=True).stdout
    names = {line.split()[0].split("/")[-1].split(".so")[0] for line in linked.splitlines()}
    allowed = {"linux-vdso", "libc", "libm", "libdl", "libpthread", "librt", "ld-linux-x86-64", "ld-linux-aarch64"}  # fmt: skip
    if names - allowed:
        failures.append(f"linked with {sorted(names - allowed)}")

ENTRY = {
    "name": "main",
    "inputs": [
        {"name": "x", "type": "f32", "shape": [-1, 4]},
        {"name": "y", "type": "i8", "shape": [-1]},
    ],
    "outputs": [{"name": "z", "type": "f8E4M3FN", "shape": [["size", 0, 0], 4]}],
    "checks": [{"left": ["size", 0, 0], "right": ["size", 1, 0], "message": "input 1: dimension 0"}],
    "temporaries": [{"bytes": ["mul", 4, ["size", 0, 0]]}],
    "launches": [
        {
            "kernel": "k",
            "grid": [["max", ["ceildiv", ["mul", ["size", 0, 0], 4], 3], 1], 1, 1],
            "block": [256, 1, 1],
            "shared": 16,
            "parameters": [
                {"input": 0},
                {"output": 0},
                {"temporary": 0},
                {"i64": ["sub", ["add", ["size", 0, 0], 7], ["mod", -3, 5]]},
                {"i32": ["min", ["floordiv", -7, 2], 9]},
                {"f32": 1.5},
                {"f64": -2},
            ],
        }
    ],
}  # fmt: skip
GOOD = {"version": 1, "chip": "sm_90", "entries": [ENTRY]}


def describe(value, name="d.json"):
    (work / name).write_text(value if isinstance(value, str) else json.dumps(value))


describe(GOOD)
describe(GOOD, "code.json")
(work / "code.ptx").write_text("//\n.version 8.0\n.target sm_90\n" + "// " * 40)
sizes = ("--shapes", "x=5x4", "y=5")
text = run(0, "code.ptx", "--random", 1, *sizes, "--dry-run")
expected = """entry 'main'
  input 0 'x': f32[5x4]
  input 1 'y': i8[5]
  output 0 'z': f8E4M3FN[5x4]
  temporary 0: 20 bytes
  launch 'k': 7x1x1 blocks of 256x1x1 threads, 16 bytes shared
    input:0 output:0 temporary:0 i64:10 i32:-4 f32:1.5 f64:-2
"""
if text != expected:
    failures.append(f"--dry-run: expected\n{expected}but got\n{text}")
run(0, "code.ptx", "d.json", "--random", 1, "--shapes=x=0x4", "--shapes", "y=0", "--dry-run", stdout="launch 'k': 1x1x1")  # fmt: skip
run(0, "--help", stdout="--fill-range FIRST COUNT")
run(0, "--version", stdout="quant-float-gpu-launch, part of quant-float ")

# Wrong usage.
run(2, stderr="error: expected a file, --help tells more")
run(2, "code.ptx", "d.json", "x", stderr="error: unexpected 'x'")
run(2, "code.ptx", "--nothing", stderr="error: unknown option '--nothing'")
run(2, "code.ptx", "--entry", stderr="error: --entry: a value is missing")
run(2, "code.ptx", "--time=3", stderr="error: --time: unexpected value '3'")
run(2, "code.ptx", "--random", "one", stderr="error: --random: expected a number up to 18446744073709551615, but got 'one'")  # fmt: skip
run(2, "code.ptx", "--repeat", "0", stderr="error: --repeat: expected 1 or more, but got 0")
run(2, "code.ptx", "--chunk", "0", stderr="error: --chunk: expected 1 or more, but got 0")
run(2, "code.ptx", "--chunk", "0x", stderr="error: --chunk: expected a number up to 4294967296, but got '0x'")  # fmt: skip
run(2, "code.ptx", "--shapes", "x", stderr="error: --shapes: expected NAME=SIZES, but got 'x'")
run(2, "code.ptx", "--shapes", "x=2x?", stderr="error: --shapes: expected sizes like 1x3, but got '2x?'")  # fmt: skip
run(2, "code.ptx", "--show-device", stderr="error: --show-device: expected no files")
run(2, "--host", "l.so", "d.json", "--time", stderr="error: --host: expected none of --time, --offset-bytes, --dry-run")  # fmt: skip
run(2, "code.ptx", "--fill-range", 0, 1, "--random", 1, stderr="error: --fill-range: expected none of --random, --inputs, --outputs, --time")  # fmt: skip
run(2, "code.ptx", "--merge-nans", "--outputs", "o", stderr="error: --merge-nans: expected no --outputs")  # fmt: skip
run(2, "code.ptx", "none.json", stderr="none.json: error: cannot be read: No such file")
run(2, "code.ptx", "no-driver", stderr="no-driver: error: cannot be read: expected a regular file")
run(2, "code.ptx", stderr="error: input 0 'x': expected a file for it in --inputs, or --random SEED")  # fmt: skip
run(2, "code.ptx", "--random", 1, stderr="error: input 0 'x': the sizes of f32[?x4] are open, --shapes x=... gives them")  # fmt: skip
run(2, "code.ptx", "--random", 1, "--shapes", "x=5x5", stderr="error: input 0 'x': expected sizes of f32[?x4], but got f32[5x5]")  # fmt: skip
run(2, "code.ptx", "--random", 1, "--shapes", "w=5", stderr="error: --shapes: no input is called 'w'")  # fmt: skip
run(2, "code.ptx", "--entry", "other", stderr="error: --entry: no function is called 'other', there are 'main'")  # fmt: skip
run(2, "code.ptx", "--inputs", "a", "b", "c", stderr="error: --inputs: expected 2 files or fewer, but got 3")  # fmt: skip
two = copy.deepcopy(GOOD)
two["entries"].append({**ENTRY, "name": "second"})
describe(two, "two.json")
run(2, "code.ptx", "two.json", "--random", 1, "--outputs", "o", stderr="error: expected --entry to choose one of the functions 'main', 'second'")  # fmt: skip

# Inputs.
np.save(work / "x.npy", np.zeros((5, 4), "f4"))
np.save(work / "y.npy", np.zeros(5, "i1"))
np.save(work / "wide.npy", np.zeros((5, 4), "f8"))
np.save(work / "big.npy", np.zeros((5, 4), ">f4"))
np.save(work / "columns.npy", np.asfortranarray(np.zeros((5, 4), "f4")))
np.save(work / "flat.npy", np.zeros(5, "f4"))
whole = (work / "x.npy").read_bytes()
(work / "short.npy").write_bytes(whole[:-1])
(work / "cut.npy").write_bytes(whole[:40])
(work / "none.npy").write_bytes(b"nothing of the kind")
(work / "later.npy").write_bytes(whole[:6] + b"\x09" + whole[7:])
(work / "header.npy").write_bytes(whole.replace(b"'fortran_order'", b"'fortran-order'"))
run(0, "code.ptx", "--inputs", "x.npy", "y.npy", "--dry-run", stdout="input 0 'x': f32[5x4]")
run(1, "code.ptx", "--inputs", "x.npy", "--random", 1, "--shapes", "y=4", "--dry-run", stderr="error: 'main': input 1: dimension 0: expected 5, but got 4")  # fmt: skip
for name, message in {
    "wide": "expected f32 in a .npy type 'f4', but got '<f8'",
    "big": "expected little-endian elements in row-major order",
    "columns": "expected little-endian elements in row-major order",
    "flat": "expected f32[?x4], but got f32[5]",
    "short": "expected the data of f32[5x4], but got 79 bytes",
    "cut": "the header of the .npy file is cut off",
    "none": "expected a .npy file, but its first bytes are not those of one",
    "later": "expected version 1, 2 or 3 of .npy, but got 9",
    "header": "the header of the .npy file is wrong: '",
}.items():
    run(1, "code.ptx", "--inputs", f"{name}.npy", "y.npy", stderr=f"{name}.npy: error: {message}")


# Descriptions: a value at a place, and what is said of it.
def changed(path, value):
    description = copy.deepcopy(GOOD)
    target = description
    for key in path[:-1]:
        target = target[key]
    if value is None:
        del target[path[-1]]
    else:
        target[path[-1]] = value
    return description


E, L, P = ("entries", 0), ("entries", 0, "launches", 0), ("entries", 0, "launches", 0, "parameters")
sys.setrecursionlimit(10_000)
deep = 1
for _ in range(1100):
    deep = ["add", deep, 1]
WRONG = [
    (("version",), 2, "version: expected version 1, but got 2"),
    (("version",), None, "'version' is missing"),
    (("chip",), 90, "chip: expected a string, but got 90"),
    (("entries",), {}, "entries: expected an array, but got {}"),
    (("entries",), [], "there is no function to run"),
    (("entries",), [3], "entries[0]: expected an object, but got 3"),
    ((*E, "name"), None, "entries[0]: 'name' is missing"),
    ((*E, "name"), "a\0b", "entries[0].name: expected a string without zero bytes"),
    ((*E, "inputs", 0, "type"), "f33", 'entries[0].inputs[0].type: expected an element type, but got "f33"'),
    ((*E, "inputs", 0, "shape", 0), -2, "entries[0].inputs[0].shape[0]: expected a size or -1, but got -2"),
    ((*E, "outputs", 0, "shape", 0), ["size", 2, 0], "shape[0]: expected a number below 2, but got 2"),
    ((*E, "outputs", 0, "shape", 0), ["size", 1, -1], "shape[0]: expected a number of 0 or more, but got -1"),
    ((*E, "outputs", 0, "shape", 0), ["pow", 1, 2], 'shape[0]: expected an expression, but got ["pow",1,2]'),
    ((*E, "outputs", 0, "shape", 0), "many", 'shape[0]: expected a number or an expression, but got "many"'),
    ((*E, "outputs", 0, "shape", 0), 1 << 63, "shape[0]: expected a number of 64 bits, but got 9223372036854775808"),
    ((*E, "outputs", 0, "shape", 0), deep, "shape[0]: expected expressions of at most 1000 levels"),
    (("version",), [[1]], "version: expected version 1, but got array"),
    ((*L, "grid"), [1, 1], "entries[0].launches[0]: 'grid': expected 3 numbers, but got 2"),
    ((*L, "shared"), 1 << 20, "shared: expected a number below 1048576, but got 1048576"),
    ((*P, 0), {"input": 9}, "parameters[0]: expected a number below 2, but got 9"),
    ((*P, 0), {"input": 0, "output": 0}, 'parameters[0]: expected an object of one member, but got {"input":0,"output":0}'),
    ((*P, 0), {"pointer": 0}, 'parameters[0]: expected a parameter of a kernel, but got {"pointer":0}'),
    ((*P, 5), {"f32": "1"}, 'parameters[5]: expected a number, but got "1"'),
    # Numbers that only show with the sizes.
    ((*E, "outputs", 0, "shape", 0), ["sub", 0, 1], "'main': expected a number from 0 to 9223372036854775807, but got -1"),
    ((*E, "outputs", 0, "shape", 0), ["mul", 1 << 40, 1 << 40], "'main': expected sizes whose products fit 64 bits"),
    ((*E, "outputs", 0, "shape", 0), ["mod", 1, 0], "'main': expected sizes that can be divided, but got 1 by 0"),
    ((*E, "outputs", 0, "shape"), [1 << 40, 1 << 40], "'main': f8E4M3FN[1099511627776x1099511627776]: expected fewer than 2^63 bytes"),
    ((*L, "grid", 0), 1 << 31, "'main': expected a number from 0 to 2147483647, but got 2147483648"),
    ((*L, "grid", 1), 65536, "'main': expected a number from 0 to 65535, but got 65536"),
    ((*L, "block", 0), 1025, "'main': expected a number from 0 to 1024, but got 1025"),
    ((*P, 4), {"i32": 1 << 31}, "'main': expected a number from -2147483648 to 2147483647, but got 2147483648"),
]  # fmt: skip
for path, value, message in WRONG:
    describe(changed(path, value), "wrong.json")
    run(1, "code.ptx", "wrong.json", "--random", 1, *sizes, "--dry-run", stderr=message)
for text in ("", "{", "[1", '{"version": 1e999}', "\xff", "[" * 100000, '{"version": ' + "[" * 2000000 + "]" * 2000000 + "}"):  # fmt: skip
    describe(text, "wrong.json")
    run(1, "code.ptx", "wrong.json", "--dry-run", stderr="wrong.json: error: ")
# Every cut and many a change of the description ends with a message.
whole_text = json.dumps(GOOD)
random = np.random.default_rng(1)
for turn in range(60):
    at = int(random.integers(len(whole_text)))
    text = whole_text[:at]
    if turn % 2:
        text += chr(int(random.integers(32, 127))) + whole_text[at + 1 :]
    describe(text, "wrong.json")
    result = subprocess.run(
        [tool, "code.ptx", "wrong.json", "--random", "1", *sizes, "--dry-run"], capture_output=True, check=False, cwd=work
    )  # fmt: skip
    if result.returncode not in (0, 1, 2) or (result.returncode and not result.stderr):
        failures.append(f"exit code {result.returncode} for {text}")

# No driver, and nothing is written.
run(1, "code.ptx", "--random", 1, *sizes, "--outputs", "out", stderr="error: no NVIDIA driver: cannot load ")  # fmt: skip
run(1, "--show-device", stderr="error: no NVIDIA driver: cannot load ")
if (work / "out").exists():
    failures.append("outputs without a driver")
# A library for the CPU that is none, and one without the function.
run(2, "--host", "x.npy", "d.json", "--random", 1, *sizes, stderr="error: --host: ")
run(1, "--host", f"{build}/lib/libQuantFloatCudaRuntime.so", "d.json", "--random", 1, *sizes, stderr="error: there is no function 'main'")  # fmt: skip

# With the simulator.
run(0, "--show-device", stdout="sm_90\nSimulator 0\n13.0\n", environment=simulated)
run(1, "--show-device", "--device", 7, stderr="error: --device: expected a device below 2, but got 7", environment=simulated)  # fmt: skip
run(1, "code.ptx", "--random", 1, *sizes, stderr="error: cuModuleGetFunction of 'k' failed: CUDA_ERROR_NOT_FOUND (named symbol not found)", environment=simulated)  # fmt: skip
run(1, "x.npy", "d.json", "--random", 1, *sizes, stderr="x.npy: error: cuModuleLoadDataEx failed: CUDA_ERROR_INVALID_IMAGE (device kernel image is invalid)", environment=simulated)  # fmt: skip
(work / "empty.cubin").write_text("")
run(1, "empty.cubin", "d.json", "--random", 1, *sizes, stderr="empty.cubin: error: expected a .cubin or .ptx file, but got 0 bytes", environment=simulated)  # fmt: skip
run(1, "code.ptx", "--fill-range", 0, 8, stderr="error: 'main': expected one input of one open size for --fill-range", environment=simulated)  # fmt: skip
full = cuda.simulator_environment(build, fail="cuMemAlloc_v2:2:2")
run(1, "code.ptx", "--random", 1, *sizes, stderr="error: cuMemAlloc of 5 bytes failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory)", environment=full)  # fmt: skip
# Without launches the outputs are what memory had; enough for files.
describe(changed((*E, "launches"), []), "idle.json")
run(0, "code.ptx", "idle.json", "--random", 1, *sizes, "--outputs", "deep/out", environment=simulated)  # fmt: skip
output = np.load(work / "deep/out/output_0.npy")
if output.shape != (5, 4) or output.dtype != np.uint8:
    failures.append(f"output: {output.shape}, {output.dtype}")
run(2, "code.ptx", "idle.json", "--random", 1, *sizes, "--outputs", "x.npy/out", stderr="x.npy/out: error: cannot be made: ", environment=simulated)  # fmt: skip
run(2, "code.ptx", "idle.json", "--random", 1, *sizes, "--json", "none/r.json", stderr="none/r.json: error: cannot be written: ", environment=simulated)  # fmt: skip
run(0, "code.ptx", "idle.json", "--random", 1, *sizes, "--digests", "digests", environment=simulated)  # fmt: skip
digests = (work / "digests").read_text()
if not re.fullmatch("main 0 0 20 [0-9a-f]{16}\n", digests):
    failures.append(f"digests: {digests}")
for text, message in {
    digests: "",
    digests.replace("main", "other"): "1 of 1 digests differ, the first: 'main 0 0 20': expected none, but got ",
    digests[:-3] + "zz\n": "1 of 1 digests differ, the first: 'main 0 0 20': expected ",
    digests + digests.replace("main", "other"): "expected 2 digests, but got 1",
    "main\n": "expected lines of digests, but got 'main'",
}.items():  # fmt: skip
    (work / "other").write_text(text)
    run(bool(message), "code.ptx", "idle.json", "--random", 1, *sizes, "--check-digests", "other", stderr=message, environment=simulated)  # fmt: skip

print(f"{len(WRONG)} wrong descriptions, {len(failures)} failures")
sys.exit("\n".join(failures) if failures else 0)
