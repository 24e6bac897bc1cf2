"""Functions of a model, compiled for the CPU and as kernels for the simulator of a driver and for a
GPU if there is one, run on the same inputs and compared."""

import re
import subprocess
from pathlib import Path

import cuda
import numpy as np
from gpu_matmuls import TYPES

# Chip, accumulation, and the rounding of the simulator's instructions.
VARIANTS = (("sm_90", "ordered", "exact"), ("sm_75", "ordered", "exact"), ("sm_90", "reassociate", "exact"), ("sm_90", "reassociate", "cut"), ("sm_75", "reassociate", "cut"))  # fmt: skip


def bound(kind, k, magnitude, fast):
    """The bound for the error of a sum of k products (R7)."""
    unit = 2.0**-53 if kind == "f64" else 2.0**-24
    if not fast or kind in ("f32", "f64"):
        return (k + 4) * unit * magnitude
    # Tensor core instructions accumulate at least 8 products at once.
    return (k + k // 4 + 8) * 2.0 ** (-12 if kind.startswith("f8") else -23) * magnitude


def save(file, kind, value):
    if kind.startswith("f8") or kind == "f4E2M1FN":
        value = value.view("u1")
    elif kind == "bf16":
        value = value.view("u2")
    elif kind == "i4":
        value = value.astype("i1")
    np.save(file, value)


class Comparison:
    def __init__(self, tools, compiler, cuda_include, obj_root, folder, text, variants=VARIANTS):
        self.tools, self.folder, self.obj_root = Path(tools), Path(folder), obj_root
        self.compiler, self.cuda_include = compiler, cuda_include
        self.variants, self.failures, self.runs = variants, [], 0
        # The file to which the simulator logs its calls.
        self.log = ""
        model = self.folder / "model.mlir"
        model.write_text(text)
        self.run("quant-float-compile", model, "-o", self.folder / "cpu.so")
        for chip, sums in dict.fromkeys((chip, sums) for chip, sums, _ in variants):
            name = f"{chip}.{sums}"
            on = ("--target", "nvvm", "--chip", chip, "--accumulation", sums)
            self.run("quant-float-compile", model, "-o", self.folder / f"{name}.so", *on)
            self.run("quant-float-compile", model, "-o", self.folder / f"{name}.ll", *on, "--emit", "llvm-ir")  # fmt: skip
            if self.failures:
                raise RuntimeError("\n".join(self.failures))
            code = (self.folder / f"{name}.ll").read_text()
            cuda.build_kernels(code, self.folder / f"{name}.kernels.so", compiler, cuda_include)

    def run(self, program, *arguments, environment=None):
        result = subprocess.run(
            [self.tools / program, *map(str, arguments)], env=environment, capture_output=True, text=True, check=False
        )  # fmt: skip
        if result.returncode:
            self.failures.append(
                f"{program} {' '.join(map(str, arguments))}: {result.stderr[-500:]}"
            )
        return result

    def compute(self, library, entry, files, environment=None, offset=0):
        output = self.folder / "out/output_0.npy"
        output.unlink(missing_ok=True)
        given = ("--entry", entry, "--inputs", *files, "--outputs", output.parent)
        given += ("--offset-bytes", offset)
        self.run("quant-float-exec", library, *given, environment=environment)
        return np.load(output) if output.exists() else None

    def compare(self, entry, where, inputs, values, expected, k, offset=0, fast_kind=None):
        """`inputs` are (name, kind). `expected` is the result, or None if only the CPU's result
        counts, and the sum of magnitudes, or None for integers. Float sums are of `fast_kind` with
        --accumulation reassociate."""
        files = [self.folder / f"{name}.npy" for name, _ in inputs]
        for file, (_, kind), value in zip(files, inputs, values, strict=True):
            save(file, kind, value)
        result, magnitude = expected
        kind = inputs[0][1]
        cpu = self.compute(self.folder / "cpu.so", entry, files)
        if cpu is None:
            return
        on_device = dict.fromkeys((chip, sums, "on a device") for chip, sums, _ in self.variants if cuda.has_device(chip))  # fmt: skip
        for chip, sums, rounding in (*self.variants, *on_device):
            self.runs += 1
            environment = None
            if rounding != "on a device":
                environment = cuda.simulator_environment(
                    self.obj_root, [self.folder / f"{chip}.{sums}.kernels.so"], chip=chip[3:], sums=rounding, log=self.log
                )  # fmt: skip
            gpu = self.compute(self.folder / f"{chip}.{sums}.so", entry, files, environment, offset)
            at = f"{where} on {chip}, {sums}, {rounding}"
            if gpu is None:
                continue
            if gpu.shape != cpu.shape or gpu.dtype != cpu.dtype:
                self.failures.append(f"{at}: another shape or type")
                continue
            is_exact = sums == "ordered" or magnitude is None
            if is_exact and gpu.tobytes() != cpu.tobytes():
                self.failures.append(f"{at}: other bits than on a CPU")
            if result is None:
                continue
            if gpu.shape != result.shape:
                self.failures.append(f"{at}: another shape than NumPy's")
                continue
            if magnitude is None:
                if (gpu != result).any():
                    self.failures.append(f"{at}: other integers than NumPy's")
                continue
            if kind == "bf16":
                gpu = gpu.view(TYPES["bf16"])
            last = {"f16": 2**-11, "bf16": 2**-8}.get(kind, 0)
            most = bound(fast_kind or kind, k, magnitude, sums == "reassociate") + last * np.abs(
                result
            )
            if not (np.abs(gpu.astype(np.float64) - result) <= most).all():
                self.failures.append(f"{at}: not within the bound")

    def need_barriers(self, variant, entry, number, count, files, reached=None):
        """Checks that a kernel without any one of its `count` barriers and waits is wrong, as the
        simulator detects, as far as these inputs reach the barrier."""
        text = (self.folder / f"{variant}.ll").read_text()
        start = text.index(f"ptx_kernel void @{entry}_kernel_{number}(")
        end = text.index("\n}\n", start)
        marked = re.sub("call void @llvm.nvvm.(barrier|cp.async.wait)", "call void @BARRIER.\\1", text[start:end])  # fmt: skip
        parts = re.split(
            r"^.*call void @BARRIER.*$", text[:start] + marked + text[end:], flags=re.MULTILINE
        )
        calls = re.findall(r"^.*call void @BARRIER.*$", marked, re.MULTILINE)
        calls = [call.replace("@BARRIER", "@llvm.nvvm") for call in calls]
        if len(parts) != count + 1:
            self.failures.append(
                f"{entry}, {variant}: expected {count} barriers, but got {len(parts) - 1}"
            )
        for left_out in reached or range(1, len(parts)):
            kept = parts[0] + "".join(
                ("" if i == left_out else calls[i - 1]) + part
                for i, part in enumerate(parts[1:], 1)
            )
            library = self.folder / "without.kernels.so"
            cuda.build_kernels(kept, library, self.compiler, self.cuda_include)
            done = subprocess.run(
                [self.tools / "quant-float-exec", self.folder / f"{variant}.so", "--entry", entry, "--inputs", *files],
                env=cuda.simulator_environment(self.obj_root, [library]), capture_output=True, text=True, check=False,
            )  # fmt: skip
            if not re.search("a race|nobody wrote|not waited for", done.stderr):
                self.failures.append(
                    f"{entry}, {variant}: no error without barrier {left_out}: {done.stderr}"
                )
