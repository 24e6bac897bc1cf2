# quant-float-exec: its libraries, its command line, invalid files, and its results, which equal
# those of quant-float-run on the CPU and, in the simulator of a driver, on a GPU.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %clang %clangxx %cuda_include %obj_root %src_root %t
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import cuda
import gpu_models
import numpy as np

tools, obj_root, src_root, work = map(Path, (sys.argv[1], *sys.argv[5:8]))
clang, clangxx, cuda_include = sys.argv[2:5]
failures = []
tool = tools / "quant-float-exec"
plain = dict(os.environ, LD_LIBRARY_PATH=str(work / "no-driver"))
(work / "no-driver").mkdir()
(work / "no-driver" / "libcuda.so.1").write_text("no library\n")


def run(code, *arguments, program="quant-float-exec", stderr="", stdout="", environment=plain):
    result = subprocess.run(
        [tools / program, *map(str, arguments)], capture_output=True, text=True, errors="replace", check=False, cwd=work, env=environment
    )  # fmt: skip
    what = f"{program} {' '.join(map(str, arguments))}"
    if result.returncode != code:
        failures.append(f"{what}: exit code {result.returncode}: {result.stderr[-300:]}")
    if code and not result.stderr:
        failures.append(f"{what}: expected a message")
    for text, stream in ((stderr, result.stderr), (stdout, result.stdout)):
        if text not in stream:
            failures.append(f"{what}: expected '{text}', but got '{stream[-300:]}'")
    return result.stdout


def expect(condition, message):
    if not condition:
        failures.append(message)


def compile_model(model, output, *arguments):
    run(
        0, model, "-o", output, *arguments, program="quant-float-compile", environment=dict(os.environ)
    )  # fmt: skip


# It requires only libraries that every machine has.
if not re.search(r"QUANT_FLOAT_SANITIZERS:STRING=.", (obj_root / "CMakeCache.txt").read_text()):
    linked = subprocess.run(["ldd", tool], capture_output=True, text=True, check=True).stdout
    names = {line.split()[0].split("/")[-1].split(".so")[0] for line in linked.splitlines()}
    allowed = {"linux-vdso", "libc", "libm", "libdl", "libpthread", "librt", "ld-linux-x86-64", "ld-linux-aarch64"}  # fmt: skip
    expect(not names - allowed, f"linked with {sorted(names - allowed)}")

MODEL = """
func.func @main(%x: tensor<?x4xf32> {quant_float.name = "x"}, %s: tensor<f32> {quant_float.name = "scale"},
                %c: tensor<?xi4>) -> (tensor<?x4xf8E4M3FN>, tensor<?xi8>)
    attributes {quant_float.graph_name = "the graph"} {
  %0 = quant_float.quantize %x, %s opset 21 : tensor<?x4xf32>, tensor<f32> to tensor<?x4xf8E4M3FN>
  %1 = quant_float.cast %c opset 28 : tensor<?xi4> to tensor<?xi8>
  return %0, %1 : tensor<?x4xf8E4M3FN>, tensor<?xi8>
}
"""
(work / "main.mlir").write_text(MODEL)
(work / "two.mlir").write_text(
    gpu_models.cast("f32", "f8E4M3FN") + gpu_models.cast("f16", "f8E5M2")
)
compile_model("main.mlir", "main.so")
compile_model("two.mlir", "two.so")
sizes = ("--shapes", "x=5x4", "2=7")

# The bits of quant-float-run, for the same random tensors and the same files.
symbol = "graph_main"
run(0, "--help", stdout="USAGE: quant-float-exec [options] MODEL.so")
run(0, "--version", stdout="quant-float-exec, part of quant-float ")
listed = run(0, "main.so", "--list")
expected = f"""{symbol} 'the graph'
  input 0 'x': float[?x4]
  input 1 'scale': float[]
  input 2: int4[?]
  output 0: float8e4m3fn[?x4]
  output 1: int8[?]
"""
expect(listed.endswith(expected) and listed.startswith("quant-float "), f"--list: {listed}")


def compare(*arguments, environment=plain):
    run(0, "main.mlir", *arguments, "--outputs", "expected", program="quant-float-run")
    run(0, "main.so", *arguments, "--outputs", "deep/given")
    for name in ("output_0.npy", "output_1.npy"):
        expect(
            (work / "expected" / name).read_bytes() == (work / "deep/given" / name).read_bytes(),
            f"{arguments}: {name} differs",
        )


compare("--random", 0x7, *sizes)
random = np.random.default_rng(3)
x = (random.standard_normal((5, 4)) * 100).astype("f4")
np.save(work / "x.npy", x)
np.save(work / "s.npy", np.float32(0.5))
np.save(work / "c.npy", random.integers(-8, 8, 7).astype("i1"))
np.save(work / "columns.npy", np.asfortranarray(x))
np.save(work / "big.npy", x.astype(">f4"))
(work / "x.bin").write_bytes(x.tobytes())
for name in ("x.npy", "columns.npy", "big.npy", "x.bin"):
    compare("--inputs", name, "s.npy", "c.npy")
    compare("--inputs", "scale=s.npy", name, "2=c.npy")
compare("--inputs", "x.npy", "--random", 2, "--shapes", "2=9")
compare("--random", 1, "--shapes", "x=0x4", "2=0")
run(0, "main.so", "--random", 1, *sizes, stdout="output_0: float8e4m3fn[5x4]\noutput_1: int8[7]\n")
run(0, "--random", 1, "--shapes", "x=1x4", "2=1", "main.so", "--entry", "the graph")
run(0, "--random=1", "--shapes=x=1x4", "--shapes=2=1", "--entry=graph_main", "main.so")
timed = run(0, "main.so", "--random", 1, *sizes, "--time", "--repeat", 4)
expect(
    re.match(
        r"best_seconds: \S+\nmedian_seconds: \S+\nelements: 27\nelements_per_second: \S+\n", timed
    ),
    f"--time: {timed}",
)
digests = run(0, "main.so", "--random", 1, *sizes, "--digest")
expect(
    re.fullmatch(rf"digest: {symbol} 0 0 20 [0-9a-f]{{16}}\ndigest: {symbol} 1 0 7 [0-9a-f]{{16}}\n", digests),
    f"--digest: {digests}",
)  # fmt: skip
for offset in (1, 3, 64):
    given = run(0, "main.so", "--random", 1, *sizes, "--digest", "--offset-bytes", offset)
    expect(given == digests, f"--offset-bytes {offset}: {given}")
run(0, "two.so", "--all", "--random", 1, "--shapes", "x=3", stdout="entry: cast_f16_f8E5M2\n")

# A sweep yields the same as a file of the same bits, chunk by chunk.
bits = np.arange(0x3F7FFF00, 0x3F7FFF00 + 1000, dtype="u4").view("f4")
np.save(work / "bits.npy", bits)
entry = ("--entry", "cast_f32_f8E4M3FN")
whole = run(0, "two.so", *entry, "--inputs", "bits.npy", "--digest")
swept = run(0, "two.so", *entry, "--sweep", "0x3f7fff00,1000", "--digest")
expect(whole.split()[-1] == swept.split()[-1], f"--sweep: {swept}")
chunks = run(0, "two.so", "--all", "--sweep", "0,1000", "--chunk", 300, "--digest")
places = [line.split()[3:5] for line in chunks.splitlines()]
expect(places == [[str(i), str(min(300, 1000 - i))] for i in (0, 300, 600, 900) for _ in (0, 1)], chunks)  # fmt: skip

# Wrong usage.
run(2, stderr="quant-float-exec: error: expected a shared library, see --help")
run(2, "main.so", "two.so", stderr="Too many positional arguments specified!")
run(2, "main.so", "--nothing", stderr="Unknown command line argument '--nothing'.")
run(2, "main.so", "--entry", stderr="for the --entry option: requires a value!")
run(
    2,
    "main.so",
    "--time=3",
    stderr="for the --time option: '3' is invalid value for boolean argument!",
)
run(2, "main.so", "--random", "one", stderr="error: --random: expected a number, but got 'one'")
run(2, "main.so", "--random", 1 << 64, stderr="error: --random: expected a number, but got '18446")
for repeat in (0, 1000001):
    run(2, "main.so", "--repeat", repeat, stderr=f"error: --repeat: expected 1 to 1000000, but got {repeat}")  # fmt: skip
run(2, "main.so", "--device", 1024, stderr="error: --device: expected 0 to 1023, but got 1024")
run(2, "main.so", "--device", -1, stderr="for the --device option: '-1' value invalid for uint argument!")  # fmt: skip
for words in (("--inputs",), ("--inputs", "--random", 1), ("--shapes", "x=5x4", "--inputs"), ("--inputs", "x.npy", "--shapes"), ("--shapes", "--time")):  # fmt: skip
    option = "--shapes" if words[-1] in ("--shapes", "--time") else "--inputs"
    for line in (("main.so", *words), (*words, "main.so")):
        run(2, *line, stderr=f"quant-float-exec: error: {option}: expected at least one value\n")
for word in ("x=", "0=", ""):
    for words in (("--inputs", word), (f"--inputs={word}",)):
        run(2, "main.so", *words, stderr=f"error: --inputs: expected FILE or NAME=FILE, but got '{word}'\n")  # fmt: skip
run(
    2,
    "main.so",
    "--chunk",
    "0x",
    stderr="for the --chunk option: '0x' value invalid for ulong argument!",
)
run(2, "main.so", "--chunk", 0, stderr="error: --chunk: expected 1 to 4294967296, but got 0")
run(2, "two.so", "--sweep", f"0,{(1 << 40) + 1}", stderr="error: --sweep: COUNT: expected 0 to 1099511627776, but got 1099511627777")  # fmt: skip
run(2, "two.so", "--sweep", f"0,{(1 << 64) - 1}", stderr="but got 18446744073709551615")
run(2, "two.so", "--sweep", "0,1", "--sweep", "4,1", stderr="error: --sweep: expected FIRST,COUNT, but got 4 numbers")  # fmt: skip
run(2, "main.so", "--sweep", 1, stderr="error: --sweep: expected FIRST,COUNT, but got 1 numbers")
run(
    2,
    "main.so",
    "--offset-bytes",
    4097,
    stderr="error: --offset-bytes: expected 0 to 4096, but got 4097",
)
run(2, "main.so", "--shapes", "x", stderr="error: --shapes: expected NAME=SIZES, but got 'x'")
run(2, "main.so", "--shapes", "x=2y", stderr="error: --shapes: expected sizes like 1x3x?, but got '2y' for 'x'")  # fmt: skip
run(2, "main.so", "--shapes", "x=2x", stderr="expected sizes like 1x3x?, but got '2x' for 'x'")
run(2, "main.so", "--shapes", "x=9223372036854775808x4", stderr="expected sizes like 1x3x?")
run(2, "main.so", "--show-device", stderr="error: --show-device: expected no library")
run(2, "two.so", "--all", "--outputs", "o", stderr="error: --all: expected none of --entry, --inputs, --outputs")  # fmt: skip
run(2, "two.so", "--merge-nans", stderr="error: --merge-nans: expected --digest")
run(2, "two.so", "--sweep", "0,1", "--random", 1, stderr="error: --sweep: expected none of --random, ")  # fmt: skip
run(2, "main.so", stderr="error: input 0 'x': expected a file in --inputs, or --random SEED")
run(2, "main.so", "--random", 1, stderr="error: input 0 'x': the dynamic sizes of float[?x4] must be specified by --shapes x=...")  # fmt: skip
run(2, "main.so", "--random", 1, "--shapes", "x=5x5", stderr="--shapes: input 0 'x': expected sizes of float[?x4], but got float[5x5]")  # fmt: skip
run(2, "main.so", "--random", 1, "--shapes", "w=5", stderr="--shapes: no input is named 'w'; the inputs are 'x', 'scale', 2")  # fmt: skip
run(2, "main.so", "--entry", "other", stderr=f"main.so: error: no function is named 'other'; the functions are '{symbol}'")  # fmt: skip
run(2, "two.so", stderr="expected --entry to choose one of the functions 'cast_f32_f8E4M3FN', 'cast_f16_f8E5M2', or --all")  # fmt: skip
run(2, "main.so", "--inputs", *"abcd", stderr="--inputs: expected 3 files or fewer, but got 'd' as well")  # fmt: skip
run(2, "main.so", "--inputs", "x=a", "0=b", stderr="--inputs: input 0 'x' is specified twice")
run(2, "main.so", "--inputs", "none.npy", stderr="none.npy: error: input 0 'x' cannot be read: No such file")  # fmt: skip
run(2, "main.so", "--inputs", "no-driver", stderr="cannot be read: it is not a regular file")
run(2, "main.so", "--random", 1, *sizes, "--outputs", "x.npy/out", stderr="x.npy/out: error: cannot be created: ")  # fmt: skip
run(1, "main.so", "--sweep", "0,1", stderr=f"'{symbol}': expected one input with one dynamic size for --sweep")  # fmt: skip

# Invalid files.
whole_file = (work / "x.npy").read_bytes()
for name, content, message in (
    ("wide.npy", None, "expected float in a .npy type 'f4', but got '<f8'"),
    ("flat.npy", None, "expected float[?x4], but got float[20]"),
    ("short.npy", whole_file[:-1], "expected 80 bytes of data for float[5x4], but got 79"),
    ("cut.npy", whole_file[:40], "header of the .npy file: expected 118 bytes, but the file ends after 30"),
    ("none.npy", b"nothing of the kind", "expected a .npy file, but the magic string is missing"),
    ("later.npy", whole_file[:6] + b"\x09" + whole_file[7:], "expected version 1, 2 or 3, but got 9.0"),
    ("header.npy", whole_file.replace(b"'fortran_order'", b"'fortran-order'"), "unknown key 'fortran-order'"),
    ("empty.npy", b"", "expected a .npy file"),
    ("odd.bin", b"12345", "float[0x4]: expected 0 bytes, but got 5"),
    ("text.txt", b"", "expected a file ending in .npy, .bin or .raw"),
):  # fmt: skip
    if content is None:
        np.save(work / name, x.astype("f8") if name == "wide.npy" else x.reshape(-1))
    else:
        (work / name).write_bytes(content)
    run(1, "main.so", "--inputs", name, "s.npy", "c.npy", stderr=f"{name}: error: input 0 'x': {message}" if "header" not in name and "later" not in name else message)  # fmt: skip
for at in range(0, 128, 3):
    (work / "cut.npy").write_bytes(whole_file[:at] + b"\xff" + whole_file[at + 1 :])
    result = subprocess.run(
        [tool, "main.so", "--inputs", "cut.npy", "s.npy", "c.npy"], capture_output=True, check=False, cwd=work
    )  # fmt: skip
    expect(result.returncode in (0, 1), f"byte {at}: exit code {result.returncode}")

# Libraries that do not load, are not of this project, or are newer.
run(2, "missing.so", stderr="missing.so: error: cannot be read: No such file or directory")
run(2, "no-driver", stderr="no-driver: error: cannot be read: it is not a regular file")
run(1, "x.npy", stderr="x.npy: error: cannot be loaded: ")
run(1, obj_root / "lib/libQuantFloatCudaRuntime.so", stderr="expected a shared library of quant-float-compile")  # fmt: skip
(work / "later.c").write_text(
    '#include "quant-float-c/EntryPoint.h"\n'
    "static const uint32_t later[2] = {QF_LIBRARY_VERSION + 1, 8};\n"
    "const qf_library *qf_get_library(void) { return (const qf_library *)later; }\n"
)
subprocess.run([clang, "-shared", "-fPIC", "-I", src_root / "include", work / "later.c", "-o", work / "later.so"], check=True)  # fmt: skip
run(1, "later.so", stderr="later.so: error: expected a description of version 1 or older, but got 2")  # fmt: skip
if platform.machine() == "x86_64":
    compile_model("main.mlir", "arm.so", "--triple", "aarch64-linux-gnu")
    run(1, "arm.so", stderr="arm.so: error: cannot be loaded: ")

# On a GPU.
on = ("--target", "nvvm", "--chip", "sm_90")
compile_model("two.mlir", "gpu.so", *on)
compile_model("two.mlir", "device.ll", *on, "--emit", "llvm-ir")
cuda.build_kernels((work / "device.ll").read_text(), work / "kernels.so", clangxx, cuda_include)
simulated = cuda.simulator_environment(obj_root, [work / "kernels.so"])
run(0, "--show-device", stdout="sm_90\nSimulator 0\n13.0\n", environment=simulated)
run(1, "--show-device", "--device", 7, stderr="quant-float-exec: error: expected a device below 2, but got 7", environment=simulated)  # fmt: skip
run(1, "--show-device", stderr="quant-float-exec: error: no NVIDIA driver: cannot load ")
run(0, "gpu.so", "--list", stdout=", for nvvm sm_90 (")
given = ("--all", "--random", 4, "--shapes", "x=1003", "--digest")
expected = run(0, "two.so", *given)
for more in ((), ("--offset-bytes", 16), ("--device", 1)):
    found = run(0, "gpu.so", *given, *more, environment=simulated)
    expect(found == expected, f"gpu.so {more}: {found}")
timed = run(0, "gpu.so", *entry, "--random", 1, "--shapes", "x=4096", "--time", environment=simulated)  # fmt: skip
expect(
    re.match(
        r"best_seconds: \S+\nmedian_seconds: \S+\nelements: 4096\nelements_per_second: \S+\nbytes: 20480\nbytes_per_second: \S+\n"
        r"copy_best_seconds: \S+\ncopy_bytes_per_second: \S+\nof_copy: \S+\noutput_0: float8e4m3fn\[4096\]\n",
        timed,
    ),
    f"--time: {timed}",
)  # fmt: skip
# The primary context is released, also after failures. The runtime uses the current context.
random = ("gpu.so", "--all", "--random", 4, "--shapes", "x=1003")
for code, calls, more in (
    (0, random, {}),
    (0, (*random, "--device", 1), {}),
    (0, (*random, "--time"), {}),
    (0, ("--show-device",), {}),
    (1, random, {"QUANT_FLOAT_SIMULATOR_FAIL": "cuMemAlloc_v2:2:2"}),
):
    log = work / "calls.log"
    log.unlink(missing_ok=True)
    run(code, *calls, environment={**simulated, **more, "QUANT_FLOAT_SIMULATOR_LOG": str(log)})
    made = log.read_text().split()
    held = made.count("cuDevicePrimaryCtxRetain") - made.count("cuDevicePrimaryCtxRelease_v2")
    expect("cuDevicePrimaryCtxRetain" in made and not held, f"{calls}: the primary context is held {held} times")  # fmt: skip
run(0, "gpu.so", "--all", "--sweep", "0,0", "--digest", environment=simulated)
bad = ("gpu.so", *entry, "--random", 1, "--shapes", "x=4096", "--outputs", "none")
run(1, *bad, stderr="gpu.so: error: no NVIDIA driver: cannot load ")
for fail, message in (
    ("cuInit:1:100", "cuInit failed: CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)"),
    ("cuMemAlloc_v2:2:2", "cuMemAlloc of 4096 bytes failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory)"),
    ("cuModuleLoadDataEx:1:209", "no kernel image is available for execution on the device); the device is sm_90"),
    ("cuLaunchKernel:1:1", "cuLaunchKernel failed: CUDA_ERROR_INVALID_VALUE (invalid argument)"),
    ("cuMemcpyDtoH_v2:1:700", "cuMemcpyDtoH failed: CUDA_ERROR_ILLEGAL_ADDRESS"),
):  # fmt: skip
    failing = cuda.simulator_environment(obj_root, [work / "kernels.so"], fail=fail)
    run(1, *bad, stderr=message, environment=failing)
expect(not (work / "none").exists(), "outputs of a run that failed")

sys.exit("\n".join(failures) if failures else 0)
