# quant-float-compile, in addition to cli.py's checks of every tool: each kind of output from each
# kind of input, by suffix and by --emit; other triples and CPUs; calls of the library; outputs of
# failed runs; wrong targets.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %llvm_bin %t
import ctypes
import pathlib
import platform
import subprocess
import sys

import ml_dtypes
import numpy as np
from onnx import TensorProto as T
from onnx import helper

tools_dir, llvm_bin, work = map(pathlib.Path, sys.argv[1:])
failures = []

NARROW = """func.func @narrow(%x: tensor<?x3xf32> {quant_float.name = "x"}) -> (tensor<?x3xf8E4M3FN> {quant_float.name = "y"}) {
  %0 = quant_float.cast %x opset 19 : tensor<?x3xf32> to tensor<?x3xf8E4M3FN>
  return %0 : tensor<?x3xf8E4M3FN>
}
"""
MODEL = helper.make_model(
    helper.make_graph(
        [helper.make_node("Cast", ["x"], ["y"], to=T.FLOAT8E4M3FN)],
        "narrow",
        [helper.make_tensor_value_info("x", T.FLOAT, ["N", 3])],
        [helper.make_tensor_value_info("y", T.FLOAT8E4M3FN, ["N", 3])],
    ),
    opset_imports=[helper.make_opsetid("", 19)],
    ir_version=9,
)
(work / "narrow.mlir").write_text(NARROW)
(work / "narrow.onnx").write_bytes(MODEL.SerializeToString())
subprocess.run(
    [tools_dir / "quant-float-opt", "narrow.mlir", "--emit-bytecode", "-o", "narrow.mlirbc"],
    cwd=work,
    check=True,
)


def expect(condition, message):
    if not condition:
        failures.append(message)


def compile_model(code, *arguments, stderr="", stdin=None):
    """Runs the tool in the work folder and returns its output."""
    command = [tools_dir / "quant-float-compile", *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, check=False, cwd=work, input=stdin)
    what = " ".join(map(str, arguments))
    said = result.stderr.decode(errors="replace")
    expect(result.returncode == code, f"{what}: exit code {result.returncode}: {said[-300:]}")
    expect(stderr in said, f"{what}: expected '{stderr}', but got '{said[-300:]}'")
    return result.stdout


def succeeds(*command):
    return subprocess.run(command, capture_output=True, check=False, cwd=work).returncode == 0


# --- kinds of output, by suffix and by name ----------------------------------------------------------


def is_mlir(path):
    text = path.read_text()
    parsed = succeeds(tools_dir / "quant-float-opt", path)
    return parsed and "quant_float.cast" in text and "llvm.func" not in text


def is_llvm_dialect(path):
    text = path.read_text()
    parsed = succeeds(tools_dir / "quant-float-opt", path)
    return parsed and "quant_float.cast" not in text and "llvm.func @narrow(" in text


def is_llvm_ir(path):
    return succeeds(llvm_bin / "opt", "-passes=verify", "-disable-output", path)


def is_assembly(path):
    return "narrow:" in path.read_text()


def is_elf(kind):
    # e_type of the header: 1 is an object, 3 a library.
    return lambda path: path.read_bytes()[:4] == b"\x7fELF" and path.read_bytes()[16] == kind


def is_header(path):
    text = path.read_text()
    return "int narrow(" in text and "int narrow_output_sizes(" in text and "#ifndef" in text


KINDS = {
    "mlir": ("mlir", is_mlir),
    "llvm-dialect": (None, is_llvm_dialect),
    "llvm-ir": ("ll", is_llvm_ir),
    "asm": ("s", is_assembly),
    "obj": ("o", is_elf(1)),
    "shared": ("so", is_elf(3)),
    "header": ("h", is_header),
}
for kind, (suffix, is_right) in KINDS.items():
    outputs = []
    for index, model in enumerate(("narrow.mlir", "narrow.mlirbc", "narrow.onnx")):
        output = work / f"{kind}{index}.out"
        compile_model(0, model, "-o", output, "--emit", kind)
        outputs.append(output)
    output = work / f"{kind}-stdin.out"
    compile_model(0, "-", "-o", output, "--emit", kind, stdin=NARROW.encode())
    outputs.append(output)
    if suffix:
        output = work / f"suffix.{suffix}"
        compile_model(0, "narrow.mlir", "-o", output)
        outputs.append(output)
        # The name of an output kind overrides its suffix.
        output = work / f"{kind}.other.ll"
        compile_model(0, "narrow.mlir", "-o", output, "--emit", kind)
        outputs.append(output)
    for output in outputs:
        expect(output.exists() and is_right(output), f"{output.name}: not {kind}")
    # The same input yields the same bytes. A header's guard contains the name of the file.
    if kind != "header":
        again = work / f"{kind}-again.out"
        compile_model(0, "narrow.mlir", "-o", again, "--emit", kind)
        expect(again.read_bytes() == outputs[0].read_bytes(), f"{kind}: two runs differ")

# A header is written next to objects and libraries only.
for name in ("beside.o", "beside.so", "x.y.so"):
    header = (work / name).with_suffix(".h")
    header.unlink(missing_ok=True)
    compile_model(0, "narrow.mlir", "-o", name)
    expect(header.exists() and is_header(header), f"{name}: no header next to it")
for name in ("alone.mlir", "alone.ll", "alone.s"):
    compile_model(0, "narrow.mlir", "-o", name)
expect(not (work / "alone.h").exists(), "alone.h: an unexpected header")

# Text may be written to standard output, and no other files are.
before = sorted(p.name for p in work.iterdir())
text = compile_model(0, "narrow.mlir", "-o", "-", "--emit", "asm")
expect(b"narrow:" in text, "no assembly on standard output")
expect(sorted(p.name for p in work.iterdir()) == before, "a file in addition to standard output")
compile_model(2, "narrow.mlir", "-o", "-", stderr="expected --emit")
compile_model(2, "narrow.mlir", "-o", "-", "--emit", "shared", stderr="must be written to a file")

# --- plans of conversions
# ----------------------------------------------------------------------------

CPU = ("--triple", "x86_64-linux-gnu", "--cpu")
for name, options, plan in (
    ("narrow.mlir", (*CPU, "diamondrapids"), "f32 to f8E4M3FN by vcvt2ps2phx+vcvtph2hf8s\n"),
    ("narrow.onnx", (*CPU, "x86-64-v2"), ": vcvt2ps2phx+vcvtph2hf8s needs avx10.2, vpmaddwd needs avx512bw, vpmaddwd needs avx2, pmaddwd takes vectors of 16\n"),
    ("narrow.onnx", ("--target", "nvvm", "--chip", "sm_90"), "f32 to f8E4M3FN by cvt.rn.satfinite.e4m3x2.f32\n"),
):  # fmt: skip
    text = compile_model(0, name, "--explain", *options).decode()
    place = "narrow.mlir:2:8: " if name == "narrow.mlir" else "narrow.onnx: node 'y': "
    lines = text.splitlines()
    expect(
        all(line.startswith(f"{place}f32 to f8E4M3FN ") for line in lines)
        and len(set(lines)) == len(lines)
        and text.endswith(plan),
        f"{name} {options}: {text}",
    )
    compile_model(0, name, "--explain", *options, "-o", "plan.txt")
    expect((work / "plan.txt").read_text() == text, f"plan.txt is not what {name} prints")
compile_model(1, "narrow.mlir", "--explain", "--cpu", "nosuch", stderr="unknown cpu 'nosuch'")
message = "--explain: expected no --emit, but got 'asm'"
compile_model(2, "narrow.mlir", "--explain", "--emit", "asm", stderr=message)

# --- compile times
# -------------------------------------------------------------------------------------

STAGES = (
    "import",
    "MLIR passes",
    "translation to LLVM",
    "LLVM optimization",
    "code generation",
    "link",
)
for count, output in ((len(STAGES), "timed.so"), (len(STAGES) - 1, "timed.o")):
    command = [tools_dir / "quant-float-compile", "narrow.onnx", "--time-report", "-o", output]
    report = subprocess.run(command, cwd=work, capture_output=True, text=True, check=True).stderr
    places = [report.find(stage) for stage in STAGES]
    expect(
        places[:count] == sorted(places[:count]) and places[0] > 0, f"stages of {output}: {report}"
    )
    expect(all(place < 0 for place in places[count:]), f"{output} is not linked: {report}")

# --- calls of the library
# ----------------------------------------------------------------------------


class QfTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("sizes", ctypes.POINTER(ctypes.c_int64)),
        ("rank", ctypes.c_int32),
        ("dtype", ctypes.c_int32),
    ]


def make_tensor(array, dtype):
    sizes = (ctypes.c_int64 * array.ndim)(*array.shape)
    return QfTensor(array.ctypes.data, sizes, array.ndim, dtype), sizes


def call(library, x, y):
    function = ctypes.CDLL(str(library)).narrow
    first, keep = make_tensor(x, T.FLOAT)
    second, keep_too = make_tensor(y, T.FLOAT8E4M3FN)
    error = ctypes.create_string_buffer(256)
    status = function(ctypes.byref(first), ctypes.byref(second), error, ctypes.c_size_t(256))
    return status, error.value.decode(), keep, keep_too


x = np.linspace(-440, 440, 303, dtype=np.float32).reshape(101, 3)
expected = x.astype(ml_dtypes.float8_e4m3fn).view(np.uint8)
for name, arguments in {
    "host": [],
    "O0": ["-O0"],
    "O3": ["-O3"],
    "threads": ["--threads", "2"],
    "baseline": ["--cpu", "x86-64"] if platform.machine() == "x86_64" else ["--cpu", "generic"],
}.items():
    library = work / f"{name}.so"
    compile_model(0, "narrow.onnx", "-o", library, *arguments)
    y = np.zeros_like(expected)
    status, error, *_ = call(library, x, y)
    expect(status == 0 and np.array_equal(y, expected), f"{name}: status {status} {error}, {y}")
status, error, *_ = call(work / "host.so", x, np.zeros((7, 3), np.uint8))
expect(status != 0 and error, "expected an error for an output of another shape")

# --- other targets -----------------------------------------------------------------------------------

MACHINES = {"x86_64-linux-gnu": 62, "aarch64-linux-gnu": 183, "riscv64-linux-gnu": 243}
for triple, machine in MACHINES.items():
    output = work / f"{triple}.o"
    compile_model(0, "narrow.mlir", "-o", output, "--triple", triple)
    found = int.from_bytes(output.read_bytes()[18:20], "little")
    expect(found == machine, f"{triple}: machine {found}")
for cpu, wanted in {"x86-64-v3": "ymm", "x86-64-v4": "zmm", "znver4": "zmm"}.items():
    output = work / f"{cpu}.s"
    compile_model(0, "narrow.mlir", "-o", output, "--cpu", cpu, "--triple", "x86_64-linux-gnu")
    expect(wanted in output.read_text(), f"{cpu}: no {wanted}")
output = work / "rv64gcv.s"
compile_model(0, "narrow.mlir", "-o", output, "--cpu", "rv64gcv", "--triple", "riscv64-linux-gnu")
expect("vsetvli" in output.read_text(), "rv64gcv: no vectors")

# Plans for several CPUs, and one header.
LEVELS = ("--triple", "x86_64-linux-gnu", "--cpu", "x86-64-v3,x86-64-v4")
expect(
    [
        line
        for line in compile_model(0, "narrow.mlir", "--explain", *LEVELS).splitlines()
        if line.startswith(b"for ")
    ]
    == [b"for x86-64-v4:", b"for x86-64-v3:"],
    "levels: no plan for each",
)
compile_model(0, "narrow.mlir", "-o", work / "levels.h", *LEVELS)
compile_model(
    1, "narrow.mlir", "--emit", "llvm-dialect", "-o", "-", *LEVELS,
    stderr="expected one CPU for the LLVM dialect, but got 'x86-64-v3,x86-64-v4'",
)  # fmt: skip
compile_model(
    1, "narrow.mlir", "--target", "nvvm", "--chip", "sm_90", "-o", work / "levels.so", *LEVELS,
    stderr="expected one CPU for the host code of GPU kernels, but got 'x86-64-v3,x86-64-v4'",
)  # fmt: skip

# --- failures keep existing files
# --------------------------------------------------------------------

(work / "invalid.mlir").write_text(NARROW.replace("opset 19", "opset 18"))
(work / "unranked.mlir").write_text(NARROW.replace("?x3x", "*x"))
(work / "unknown.mlir").write_text(
    "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
    '  %0 = quant_float.node "Sort"(%x) opset 19 : (tensor<2xf32>) -> tensor<2xf32>\n'
    "  return %0 : tensor<2xf32>\n}\n"
)
X86 = ("--triple", "x86_64-linux-gnu")
FAILING = [
    ("invalid.mlir", (), "is not accepted by Cast-13 (opset 18)"),
    ("unranked.mlir", (), "argument 0: expected a ranked tensor, but got 'tensor<*xf32>'"),
    (
        "unknown.mlir",
        (),
        "node without a name (Sort): no lowering of the op 'Sort' of the domain 'ai.onnx'",
    ),
    ("narrow.mlir", ("--cpu", "nope", *X86), "unknown cpu 'nope' for the triple 'x86_64-"),
    (
        "narrow.mlir",
        ("--cpu", "x86-64-v3,,x86-64-v4"),
        "expected CPU names separated by commas, but got 'x86-64-v3,,x86-64-v4'",
    ),
    (
        "narrow.mlir",
        ("--cpu", "neoverse-v1,znver4"),
        "expected CPUs of the same triple, but 'neoverse-v1' is of 'aarch64-unknown-linux-gnu' and "
        "'znver4' of 'x86_64-",
    ),
    (
        "narrow.mlir",
        ("--cpu", "x86-64-v3,x86-64-v4,x86-64-v3", *X86),
        "expected CPUs with different features, but 'x86-64-v3' and 'x86-64-v3' require the same features",
    ),
    (
        "narrow.mlir",
        ("--cpu", "apple-m1,apple-m4"),
        "but 'apple-m4' and 'apple-m1' require the same features",
    ),
    ("narrow.mlir", ("--triple", "pdp11"), "unknown target triple 'pdp11'"),
    ("narrow.mlir", ("--triple", "mips-linux-gnu"), "expected an x86-64, aarch64 or riscv64"),
    (
        "narrow.mlir",
        ("--triple", "aarch64_be-linux-gnu"),
        "expected a little-endian triple with 64-bit pointers, but got 'aarch64_be-unknown-linux-gnu'",
    ),
]
for model, arguments, message in FAILING:
    for suffix in ("s", "o", "so", "ll"):
        kept = work / f"kept.{suffix}"
        header = work / "kept.h"
        kept.write_text("kept")
        header.write_text("kept")
        before = sorted(p.name for p in work.iterdir())
        compile_model(1, model, "-o", kept, *arguments, stderr=message)
        expect(
            kept.read_text() == "kept" and header.read_text() == "kept",
            f"{model} {arguments}: the old {kept.name} is gone",
        )
        after = sorted(p.name for p in work.iterdir())
        expect(after == before, f"{model} {arguments}: left behind {set(after) ^ set(before)}")

# If one of two files cannot be written, neither is replaced.
for name, suffixes in {"two": ("o", "h"), "owt": ("h", "o"), "lib": ("so", "h")}.items():
    kept, folder = (work / f"{name}.{suffix}" for suffix in suffixes)
    kept.write_text("kept")
    folder.mkdir()
    before = sorted(p.name for p in work.iterdir())
    output = f"{name}.so" if name == "lib" else f"{name}.o"
    compile_model(2, "narrow.mlir", "-o", output, stderr=f"{folder.name}: error: ")
    expect(kept.read_text() == "kept", f"{kept.name} is gone")
    expect(sorted(p.name for p in work.iterdir()) == before, f"{output}: other files remain")

# --- wrong usage -------------------------------------------------------------------------------------

(work / "folder.s").mkdir()
compile_model(2, "narrow.mlir", "-o", "folder.s", stderr="folder.s: error: ")
compile_model(2, "narrow.mlir", "-o", "no/folder/out.s", stderr="there is no directory 'no/folder'")
compile_model(2, "narrow.mlir", "-o", "out.h", "--emit", "obj", stderr="would overwrite it")
compile_model(2, "narrow.mlir", "-o", "out.txt", stderr="or an output named .mlir, .ll, .s")
compile_model(2, "narrow.mlir", "-o", "out.s", "--emit", "hex", stderr="but got 'hex'")
compile_model(2, "narrow.mlir", "-o", "out.s", "-O4", stderr="-O: expected 0 to 3, but got 4")
compile_model(2, "narrow.mlir", "-o", "out.s", "-O22", stderr="-O: expected 0 to 3, but got 22")
compile_model(2, "narrow.mlir", "-o", "out.s", "--target", "tpu", stderr="but got 'tpu'")
compile_model(2, "narrow.mlir", stderr="-o: expected the file to write")
sys.exit("\n".join(failures) if failures else 0)
