# Invalid chips and versions of PTX, and invalid combinations: each is one clear error, before LLVM
# could abort. Also every chip with its default version.
# RUN: %python %s %tools_dir/quant-float-opt
import subprocess
import sys

KERNEL = """gpu.module @kernels {target} {{
  gpu.func @cast(%x: vector<4xf32>, %y: memref<vector<4xf8E4M3FN>>) kernel {{
    %0 = quant_float.cast %x opset 19 : vector<4xf32> to vector<4xf8E4M3FN>
    memref.store %0, %y[] : memref<vector<4xf8E4M3FN>>
    gpu.return
  }}
}}
"""
CHIPS = (
    "sm_75, sm_80, sm_86, sm_87, sm_88, sm_89, sm_90, sm_90a, sm_100, sm_100a, sm_100f, sm_103, sm_103a, sm_103f, "
    "sm_110, sm_110a, sm_110f, sm_120, sm_120a, sm_120f, sm_121, sm_121a, sm_121f"
)
VERSIONS = "63, 64, 65, 70, 71, 72, 73, 74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90"

# chip, ptx, the module's target, and the expected error.
WRONG = [
    *[
        (chip, "", "", f"chip must be one of {CHIPS}, but got '{chip}'")
        for chip in (
            "sm_42", "sm_70", "sm_72", "sm_91", "sm_85", "sm_80a", "sm_89a", "sm_90f", "sm_100b", "sm_101a", "sm_130", "sm_",
            "sm90", "SM_90", "90", "compute_90", "gfx942", "h100", "x86-64",
        )
    ],
    *[
        ("sm_90", ptx, "", f"ptx must be one of {VERSIONS}, but got '{ptx}'")
        for ptx in ("79", "89", "91", "60", "100", "8.0", "ptx", "+ptx", "isa80", "-80", "0", "4294967376")
    ],
    ("sm_80", "63", "", "chip 'sm_80' needs PTX 7.0 or later, but got 6.3"),
    ("sm_86", "70", "", "chip 'sm_86' needs PTX 7.1 or later, but got 7.0"),
    ("sm_89", "77", "", "chip 'sm_89' needs PTX 7.8 or later, but got 7.7"),
    ("sm_90", "ptx77", "", "chip 'sm_90' needs PTX 7.8 or later, but got 7.7"),
    ("sm_90a", "+ptx78", "", "chip 'sm_90a' needs PTX 8.0 or later, but got 7.8"),
    ("sm_100a", "85", "", "chip 'sm_100a' needs PTX 8.6 or later, but got 8.5"),
    ("sm_100f", "87", "", "chip 'sm_100f' needs PTX 8.8 or later, but got 8.7"),
    ("sm_103a", "87", "", "chip 'sm_103a' needs PTX 8.8 or later, but got 8.7"),
    ("sm_110", "88", "", "chip 'sm_110' needs PTX 9.0 or later, but got 8.8"),
    ("sm_120a", "86", "", "chip 'sm_120a' needs PTX 8.7 or later, but got 8.6"),
    ("sm_121f", "87", "", "chip 'sm_121f' needs PTX 8.8 or later, but got 8.7"),
    ("", "", "", "expected a chip as an option of the pass or as the module's target"),
    ("", "80", "", "expected a chip as an option of the pass or as the module's target"),
    ("", "", '[#nvvm.target<chip = "sm_61">]', f"chip must be one of {CHIPS}, but got 'sm_61'"),
    ("", "", '[#nvvm.target<chip = "sm_90a", features = "+ptx78">]', "chip 'sm_90a' needs PTX 8.0 or later, but got 7.8"),
    ("", "", '[#nvvm.target<chip = "sm_80">, #nvvm.target<chip = "sm_90">]', "expected the option chip or exactly one target, but got 2 targets"),
    *[
        (chip, "", '[#rocdl.target<chip = "gfx942">]', 'target must be a #nvvm.target, but got #rocdl.target<chip = "gfx942">')
        for chip in ("", "sm_90")
    ],
    *[
        ("", "", f'[#nvvm.target<chip = "sm_90", triple = "{triple}">]', f"triple of the target must be 'nvptx64-nvidia-cuda', but got '{triple}'")
        for triple in ("x86_64-linux-gnu", "nvptx-nvidia-cuda", "amdgcn-amd-amdhsa", "nvptx64")
    ],
    *[
        ("", "", f'[#nvvm.target<chip = "sm_90", features = "{features}">]',
         f"features of the target must be a PTX version such as '+ptx80', but got '{features}'")
        for features in ("ptx80", "-ptx80", "+avx2", "+sm_90", "+ptx80,+ptx81", "+ptx80,+foo", " +ptx80", ",")
    ],
    ("", "", '[#nvvm.target<chip = "sm_90", features = "+ptx8">]', f"ptx must be one of {VERSIONS}, but got '+ptx8'"),
    ("", "", '[#nvvm.target<chip = "sm_90", features = "+ptx">]', f"ptx must be one of {VERSIONS}, but got '+ptx'"),
    ("", "", '[#nvvm.target<chip = "sm_80", features = "+ptx63">]', "chip 'sm_80' needs PTX 7.0 or later, but got 6.3"),
    *[
        (
            chip, ptx, f"[{', '.join(f'#nvvm.target<chip = {name!r}>' for name in names)}]".replace("'", '"'),
            f"expected no newer instructions than those of the target, '{names[-1]}' with PTX {has}, "
            f"but got those of '{chip or names[-1]}' with PTX {wanted}",
        )
        for chip, ptx, names, has, wanted in (
            ("sm_90", "", ["sm_80"], "7.0", "8.4"),
            ("sm_80", "", ["sm_75"], "6.3", "7.0"),
            ("sm_100a", "", ["sm_100"], "8.6", "8.6"),
            ("sm_89", "", ["sm_89"], "7.8", "8.4"),
            ("", "81", ["sm_89"], "7.8", "8.1"),
            ("sm_90", "", ["sm_90", "sm_80"], "7.0", "8.4"),
        )
    ],
]  # fmt: skip

# chip, ptx, the module's target, and whether f32 to f8E4M3FN has an instruction.
RIGHT = [
    *[(chip, "", "", chip not in ("sm_75", "sm_80", "sm_86", "sm_87", "sm_88")) for chip in CHIPS.split(", ")],
    ("sm_89", "78", "", False),
    ("sm_89", "80", "", False),
    ("sm_89", "81", "", True),
    ("sm_90", "78", "", True),
    ("sm_90", "+ptx90", "", True),
    ("", "", '[#nvvm.target<chip = "sm_90">]', True),
    ("", "", '[#nvvm.target<chip = "sm_89", features = "+ptx78">]', False),
    # LLVM's default version of PTX is 7.8 then.
    ("", "", '[#nvvm.target<chip = "sm_89">]', False),
    ("", "81", '[#nvvm.target<chip = "sm_89", features = "+ptx81">]', True),
    ("sm_89", "81", "", True),
    ("sm_90", "", '[#nvvm.target<chip = "sm_90a">, #nvvm.target<chip = "sm_100">]', True),
    ("", "", '[#nvvm.target<chip = "sm_80">]', False),
    ("sm_80", "", '[#nvvm.target<chip = "sm_90">]', False),
]  # fmt: skip

# Ops on types that kernels do not support, and the errors: each op's own verifier comes first.
TYPES = [
    ("%0 = quant_float.cast %a opset 24 : {0} to {1}", ["{0}"], "quant_float.cast", [
        ("tensor<4xf32>", "tensor<4xf8E4M3FN>"), ("tensor<?xf32>", "tensor<?xf8E5M2>"), ("tensor<*xf32>", "tensor<*xf8E4M3FN>"),
        ("tensor<f32>", "tensor<f8E8M0FNU>"), ("vector<[4]xf32>", "vector<[4]xf8E4M3FN>"), ("vector<2x[4]xf16>", "vector<2x[4]xf8E5M2>"),
        ("vector<[4]xf8E5M2>", "vector<[4]xf32>"), ("vector<[8]xi32>", "vector<[8]xf16>"),
    ]),
    ("%0 = quant_float.quantize %a, %b opset 23 : {0}, {1} to {2}", ["{0}", "{1}"], "quant_float.quantize", [
        ("tensor<4xf32>", "tensor<f32>", "tensor<4xf8E4M3FN>"), ("vector<[4]xf32>", "f32", "vector<[4]xi8>"),
    ]),
    ("%0 = quant_float.dequantize %a, %b opset 23 : {0}, {1} to {2}", ["{0}", "{1}"], "quant_float.dequantize", [
        ("tensor<4xf8E4M3FN>", "tensor<f32>", "tensor<4xf32>"), ("vector<[4]xi8>", "f32", "vector<[4]xf32>"),
    ]),
    ("%0 = quant_float.qdq %a, %b storage f8E4M3FN opset 23 : {0}, {1} to {0}", ["{0}", "{1}"], "quant_float.qdq", [
        ("tensor<?x4xf32>", "tensor<f32>"), ("vector<[4]xf32>", "f32"),
    ]),
    ("%0 = quant_float.fakeconvert %a, %b to f8E4M3FN opset 13 : {0}, {1} to {0}", ["{0}", "{1}"], "quant_float.fakeconvert", [
        ("tensor<4xf32>", "tensor<1xf32>"), ("vector<[4]xf32>", "f32"),
    ]),
    ("%0 = quant_float.quantize_elements %a, %b : {0}, {0} to {1}", ["{0}", "{0}"], "quant_float.quantize_elements", [
        ("vector<[4]xf32>", "vector<[4]xf8E4M3FN>"),
    ]),
]  # fmt: skip
# Casts that the op's verifier rejects everywhere.
REFUSED = [
    ("f32", "f8E3M4"), ("f32", "f8E4M3"), ("f32", "f8E4M3B11FNUZ"), ("f80", "f8E4M3FN"), ("f128", "f32"), ("tf32", "f8E5M2"),
    ("index", "f8E4M3FN"), ("i3", "f8E4M3FN"), ("i128", "f32"), ("complex<f32>", "f8E4M3FN"), ("memref<4xf32>", "memref<4xf8E4M3FN>"),
    ("vector<4xf32>", "vector<8xf8E4M3FN>"), ("vector<4xf32>", "f8E4M3FN"), ("vector<4xindex>", "vector<4xf32>"),
    ("!quant_float.string", "tensor<f32>"),
]  # fmt: skip


def run(program, chip, ptx, target):
    option = f"--convert-quant-float-to-nvvm=chip={chip} ptx={ptx}"
    return subprocess.run(
        [program, option], input=KERNEL.format(target=target), capture_output=True, text=True
    )


def kernel_of(line, types):
    arguments = ", ".join(f"%{name}: {kind}" for name, kind in zip("abc", types, strict=False))
    body = f"gpu.func @kernel({arguments}) {{\n{line}\ngpu.return\n}}"
    return f"gpu.module @kernels {{\n{body}\n}}\n"


def type_requests():
    for line, operands, name, choices in TYPES:
        for types in choices:
            given = [operand.format(*types) for operand in operands]
            wrong = next(kind for kind in given if not kind.startswith("f"))
            message = f"error: '{name}' op expected scalars or vectors of fixed size in kernels, but got '{wrong}'\n"
            yield kernel_of(line.format(*types), given), message
    for types in (
        ("!quant_float.string", "f32"),
        ("vector<4xf32>", "vector<4x!quant_float.string>"),
    ):
        line = f"%0 = quant_float.cast %a opset 24 : {types[0]} to {types[1]}"
        wrong = next(kind for kind in types if "string" in kind)
        yield (
            kernel_of(line, types[:1]),
            f"op expected numeric types in kernels, but got '{wrong}'\n",
        )
    for types in REFUSED:
        line = f"%0 = quant_float.cast %a opset 24 : {types[0]} to {types[1]}"
        yield kernel_of(line, types[:1]), "error: "


def main(program):
    failures = []
    for chip, ptx, target, message in WRONG:
        done = run(program, chip, ptx, target)
        if done.returncode != 1 or f"error: {message}\n" not in done.stderr:
            failures.append(f"{chip} {ptx} {target}: {done.returncode}: {done.stderr}")
    for chip, ptx, target, is_native in RIGHT:
        done = run(program, chip, ptx, target)
        if done.returncode != 0 or ("nvvm.convert" in done.stdout) != is_native:
            failures.append(f"{chip} {ptx} {target}: {done.returncode}: {done.stderr}{done.stdout}")
    wrong_types = list(type_requests())
    for text, message in wrong_types:
        done = subprocess.run(
            [program, "--convert-quant-float-to-nvvm=chip=sm_90"], input=text, capture_output=True, text=True
        )  # fmt: skip
        if done.returncode != 1 or message not in done.stderr or "bug report" in done.stderr:
            failures.append(f"{text}: {done.returncode}: {done.stderr}")
    print(
        f"{len(wrong_types)} wrong types, {len(WRONG)} wrong and {len(RIGHT)} right targets, {len(failures)} failures"
    )
    return "\n".join(failures) if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
