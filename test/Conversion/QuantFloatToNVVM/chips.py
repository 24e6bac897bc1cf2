# Chips and versions of PTX that are none, or do not go together: each is one clear error, before LLVM could abort. And every chip
# with the version that is its default.
# RUN: %python %s %tools_dir/quant-float-opt
import subprocess
import sys

KERNEL = """gpu.module @kernels {target} {{
  gpu.func @cast(%x: vector<4xf32>) kernel {{
    %0 = quant_float.cast %x opset 19 : vector<4xf32> to vector<4xf8E4M3FN>
    gpu.return
  }}
}}
"""
CHIPS = (
    "sm_75, sm_80, sm_86, sm_87, sm_88, sm_89, sm_90, sm_90a, sm_100, sm_100a, sm_100f, sm_103, sm_103a, sm_103f, "
    "sm_110, sm_110a, sm_110f, sm_120, sm_120a, sm_120f, sm_121, sm_121a, sm_121f"
)
VERSIONS = "63, 64, 65, 70, 71, 72, 73, 74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90"

# chip, ptx, the module's target, what the error says.
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
    ("", "", "", "expected a chip, of the pass or of the module's target"),
    ("", "80", "", "expected a chip, of the pass or of the module's target"),
    ("", "", '[#nvvm.target<chip = "sm_61">]', f"chip must be one of {CHIPS}, but got 'sm_61'"),
    ("", "", '[#nvvm.target<chip = "sm_90a", features = "+ptx78">]', "chip 'sm_90a' needs PTX 8.0 or later, but got 7.8"),
    ("", "", '[#nvvm.target<chip = "sm_80">, #nvvm.target<chip = "sm_90">]', "expected a chip or one target, but got 2 targets"),
    ("", "", '[#rocdl.target<chip = "gfx942">]', "expected a chip, of the pass or of the module's target"),
]  # fmt: skip

# chip, ptx, the module's target, whether f32 to f8E4M3FN is an instruction.
RIGHT = [
    *[(chip, "", "", chip not in ("sm_75", "sm_80", "sm_86", "sm_87", "sm_88")) for chip in CHIPS.split(", ")],
    ("sm_89", "78", "", False),
    ("sm_89", "80", "", False),
    ("sm_89", "81", "", True),
    ("sm_90", "78", "", True),
    ("sm_90", "+ptx90", "", True),
    ("", "", '[#nvvm.target<chip = "sm_90">]', True),
    ("", "", '[#nvvm.target<chip = "sm_89", features = "+ptx78">]', False),
    # The version of PTX that LLVM takes then is 7.8.
    ("", "", '[#nvvm.target<chip = "sm_89">]', False),
    ("", "81", '[#nvvm.target<chip = "sm_89">]', True),
    ("", "", '[#nvvm.target<chip = "sm_80">]', False),
    ("sm_80", "", '[#nvvm.target<chip = "sm_90">]', False),
]  # fmt: skip


def run(program, chip, ptx, target):
    option = f"--convert-quant-float-to-nvvm=chip={chip} ptx={ptx}"
    return subprocess.run(
        [program, option], input=KERNEL.format(target=target), capture_output=True, text=True
    )


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
    print(f"{len(WRONG)} wrong and {len(RIGHT)} right targets, {len(failures)} failures")
    return "\n".join(failures) if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
