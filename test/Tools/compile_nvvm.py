# quant-float-compile --target nvvm: every kind of output, and invalid requests.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import os
import pathlib
import subprocess
import sys
import sysconfig

tools_dir, work = map(pathlib.Path, sys.argv[1:])
ptxas = pathlib.Path(sysconfig.get_path("purelib")) / "nvidia" / "cu13" / "bin" / "ptxas"
failures = []
requests = 0
environment = os.environ | {"PATH": f"{ptxas.parent}:{os.environ['PATH']}"}

MODELS = {
    "narrow": """func.func @narrow(%x: tensor<?x3xf32> {quant_float.name = "x"}) -> (tensor<?x3xf8E4M3FN> {quant_float.name = "y"}) {
  %0 = quant_float.cast %x opset 19 : tensor<?x3xf32> to tensor<?x3xf8E4M3FN>
  return %0 : tensor<?x3xf8E4M3FN>
}""",
    "blocked": """func.func @blocked(%x: tensor<?x64xf32>, %s: tensor<?x2xf32>, %z: tensor<?x2xi8>) -> tensor<?x64xi8> {
  %0 = quant_float.quantize %x, %s, %z axis 1 block_size 32 opset 21 : tensor<?x64xf32>, tensor<?x2xf32>, tensor<?x2xi8> to tensor<?x64xi8>
  return %0 : tensor<?x64xi8>
}""",
    "tangent": """func.func @tangent(%x: tensor<?xf64>) -> tensor<?xf64> {
  %0 = quant_float.node "Tan"(%x) opset 7 : (tensor<?xf64>) -> tensor<?xf64>
  return %0 : tensor<?xf64>
}""",
    "unranked": """func.func @unranked(%x: tensor<*xf32>) -> tensor<*xf16> {
  %0 = quant_float.cast %x opset 19 : tensor<*xf32> to tensor<*xf16>
  return %0 : tensor<*xf16>
}""",
    "string": """func.func @string(%x: tensor<2xf32>) -> tensor<2x!quant_float.string> {
  %0 = quant_float.cast %x opset 19 : tensor<2xf32> to tensor<2x!quant_float.string>
  return %0 : tensor<2x!quant_float.string>
}""",
    "opaque": """func.func @opaque(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = quant_float.node "Unheard"(%x) opset 1 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}""",
    "odd_size": """func.func @odd_size(%x: tensor<?xf32>) -> tensor<?xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.xori %n, %c1 : index
  %0 = tensor.extract_slice %x[0] [%m] [1] : tensor<?xf32> to tensor<?xf32>
  %1 = quant_float.cast %0 opset 19 : tensor<?xf32> to tensor<?xf16>
  return %1 : tensor<?xf16>
}""",
    "nothing": "func.func private @nothing()",
}
for name, text in MODELS.items():
    (work / f"{name}.mlir").write_text(text + "\n")


def expect(condition, message):
    if not condition:
        failures.append(message)


def compile_model(
    code, model, output, *arguments, stderr="", target=("--target", "nvvm"), env=environment
):
    global requests
    requests += code != 0
    command = [
        tools_dir / "quant-float-compile",
        f"{model}.mlir",
        "-o",
        output,
        *target,
        *arguments,
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=work, env=env)
    what = " ".join(map(str, command[1:]))
    expect(
        result.returncode == code, f"{what}: exit code {result.returncode}: {result.stderr[-300:]}"
    )
    expect(
        stderr in result.stderr, f"{what}: expected '{stderr}', but got '{result.stderr[-300:]}'"
    )
    if code:
        expect(not (work / output).exists(), f"{what}: wrote something")


def compile_for(chip, output, *arguments, model="narrow"):
    compile_model(0, model, output, "--chip", chip, *arguments)
    path = work / output
    return path.read_bytes() if path.exists() else b""


# --- kinds of output ---------------------------------------------------------------------------------

ptx = compile_for("sm_90", "narrow.ptx").decode()
expect(
    ".target sm_90" in ptx and ".entry narrow_kernel_0(" in ptx and "\0" not in ptx, "narrow.ptx"
)
expect("ld.global.v4.b32" in ptx and "st.global.v4.b32" in ptx, "narrow.ptx: no wide accesses")
expect("cvt.rn.satfinite.e4m3x2.f32" in ptx, "narrow.ptx: no conversion instruction")
expect(compile_for("sm_90", "by-name.s", "--emit", "ptx").decode() == ptx, "--emit ptx")
expect(compile_for("sm_90", "narrow.s").decode() == ptx, "narrow.s: assembly of the device")
expect(".version 8.3" in compile_for("sm_90", "83.ptx", "--ptx", "83").decode(), "--ptx 83")
expect(compile_for("sm_90", "narrow.cubin")[:4] == b"\x7fELF", "narrow.cubin")
expect(b"nvptx64" in compile_for("sm_90", "narrow.ll"), "narrow.ll: not LLVM IR of the device")
host = compile_for("sm_90", "host.mlir", "--emit", "llvm-dialect")
expect(b"gpu.binary @quant_float_kernels" in host and b"llvm.func @narrow(" in host, "host.mlir")
expect(b"int narrow(" in compile_for("sm_90", "narrow.h"), "narrow.h")
expect(compile_for("sm_90", "narrow.o")[:4] == b"\x7fELF", "narrow.o")
expect(compile_for("sm_90", "narrow.so")[:4] == b"\x7fELF", "narrow.so")
expect(b"quant_float.cast" in compile_for("sm_90", "same.mlir"), "same.mlir")
expect(not list(work.glob("*.json")), "files in addition to device code")
compile_for("sm_90", "odd_size.so", model="odd_size")
for chip in ("sm_75", "sm_100f", "sm_121a"):
    compile_for(chip, f"{chip}.cubin", model="blocked")

# --- wrong chips and versions ------------------------------------------------------------------------

WRONG_CHIPS = (
    "sm_70", "sm_72", "sm_60", "sm_30", "sm_89a", "sm_80a", "sm_90f", "sm_91", "sm_99", "sm_101", "sm_100b", "sm_100A", "SM_90", "sm90",
    "90", "compute_90", "sm_", "sm_090", "gfx942", "h100", "native", " sm_90", "sm_90 ", "sm_90,sm_80", "sm_999999999999999999999",
)  # fmt: skip
for chip in WRONG_CHIPS:
    compile_model(
        1,
        "narrow",
        "bad.ptx",
        "--chip",
        chip,
        stderr="chip must be one of sm_75, sm_80, sm_86, sm_87, sm_88, sm_89, sm_90",
    )
for version in (
    "0",
    "60",
    "79",
    "89",
    "91",
    "8.0",
    "ptx",
    "+ptx",
    "99999999999999999999",
    "-80",
    "latest",
):
    compile_model(
        1,
        "narrow",
        "bad.ptx",
        "--chip",
        "sm_90",
        f"--ptx={version}",
        stderr="ptx must be one of 63, 64",
    )
for chip, version, least in (
    ("sm_90", "77", "7.8"),
    ("sm_100a", "85", "8.6"),
    ("sm_121f", "87", "8.8"),
    ("sm_88", "88", "9.0"),
):
    compile_model(
        1, "narrow", "bad.cubin", "--chip", chip, "--ptx", version, stderr=f"chip '{chip}' needs PTX {least} or later, but got",
    )  # fmt: skip

# --- models without kernels
# ----------------------------------------------------------------------------

sm_90 = ("--chip", "sm_90")
compile_model(
    1, "tangent", "bad.ptx", *sm_90, stderr="'math.tan' op has no lowering for this target"
)
compile_model(1, "unranked", "bad.ptx", *sm_90, stderr="argument 0: expected a ranked tensor")
compile_model(1, "string", "bad.ptx", *sm_90, stderr="string")
compile_model(1, "opaque", "bad.ptx", *sm_90, stderr="Unheard")
compile_model(
    1,
    "nothing",
    "bad.ptx",
    *sm_90,
    stderr="expected at least one kernel, but the model computes nothing",
)
without_ptxas = {
    name: value for name, value in os.environ.items() if not name.startswith("CUDA")
} | {"PATH": "/nowhere"}
compile_model(1, "narrow", "bad.cubin", *sm_90, stderr="ptxas", env=without_ptxas)

# --- wrong usage -------------------------------------------------------------------------------------

compile_model(
    2, "narrow", "bad.ptx", stderr="--chip: expected a chip, such as sm_90, with --target nvvm"
)
compile_model(
    2, "narrow", "bad.s", *sm_90, stderr="--chip: expected --target nvvm with a chip", target=()
)
compile_model(
    2,
    "narrow",
    "bad.s",
    "--ptx",
    "80",
    stderr="--ptx: expected --target nvvm with a version of PTX",
    target=(),
)
compile_model(
    2, "narrow", "bad.ptx", stderr="--emit: expected --target nvvm for ptx and cubin", target=()
)
compile_model(
    2,
    "narrow",
    "bad.cubin",
    stderr="--emit: expected --target nvvm for ptx and cubin",
    target=("--target", "cpu"),
)
compile_model(2, "narrow", "bad.h", "--emit", "obj", *sm_90, stderr="would overwrite it")

print(f"{requests} wrong requests, {len(failures)} failures")
sys.exit("\n".join(failures) if failures else 0)
