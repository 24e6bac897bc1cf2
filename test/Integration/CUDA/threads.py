# The simulator of a driver detects errors of threads that a GPU does not report: barriers that some
# threads never reach, or different ones; races, and out-of-bounds accesses of shared memory;
# missing waits for copies; matmuls without all threads of a warp. Its matmuls equal NumPy's, with
# fragments that are implemented independently from the pictures in the PTX ISA.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %clangxx %cuda_include %obj_root %t
import ctypes
import subprocess
import sys
from pathlib import Path

import cuda
import ml_dtypes
import numpy as np

KERNEL = """
@tile = internal addrspace(3) global [64 x i32] undef, align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
declare void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.cg.shared.global.16.s(ptr addrspace(3), ptr addrspace(1), i32)
declare void @llvm.nvvm.cp.async.commit.group()
declare void @llvm.nvvm.cp.async.wait.group(i32)
define ptx_kernel void @{name}(ptr %out) {{
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %next = xor i32 %t, 1
  %i = zext i32 %t to i64
  %j = zext i32 %next to i64
  %mine = getelementptr i32, ptr addrspace(3) @tile, i64 %i
  %other = getelementptr i32, ptr addrspace(3) @tile, i64 %j
  %is_first = icmp ult i32 %t, 32
{body}
  %to = getelementptr i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  ret void
}}
"""
BARRIER = "  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n"
STORE = "  store i32 %t, ptr addrspace(3) %mine, align 4\n"
LOAD = "  %v = load i32, ptr addrspace(3) %other, align 4\n"
BRANCH = "  br i1 %is_first, label %yes, label %no\n"
# 16 of the threads copy from global memory to the tile.
COPY = """  %copies = icmp ult i32 %t, 16
  br i1 %copies, label %copy, label %copied
copy:
  %offset = shl i64 %i, 4
  %from = getelementptr i8, ptr %out, i64 %offset
  %source = addrspacecast ptr %from to ptr addrspace(1)
  %target = getelementptr i8, ptr addrspace(3) @tile, i64 %offset
  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %target, ptr addrspace(1) %source)
  br label %copied
copied:
"""
# Some bytes of memory, and zeros.
COPY_SOME = COPY.replace("global.16(", "global.16.s(").replace("%source)", "%source, i32 {count})")
# From an unmapped address.
COPY_NONE = COPY_SOME.replace("%from to", "inttoptr (i64 16 to ptr) to").replace("{count}", "0")
COMMIT = "  call void @llvm.nvvm.cp.async.commit.group()\n"
WAIT = "  call void @llvm.nvvm.cp.async.wait.group(i32 0)\n"
# The code of 64 threads, and the expected error.
CASES = {
    "exchange": (STORE + BARRIER + LOAD, ""),
    "race": (STORE + LOAD, "a race|shared memory that nobody wrote"),
    "write_after_read": (
        STORE + BARRIER + LOAD + "  store i32 %v, ptr addrspace(3) %mine, align 4\n",
        "a race",
    ),
    "unwritten": (LOAD, "shared memory that nobody wrote"),
    "bounds": (
        STORE + BARRIER + "  %far = getelementptr i8, ptr addrspace(3) @tile, i64 254\n"
        "  %v = load i32, ptr addrspace(3) %far, align 2\n",
        "out of bounds of shared memory",
    ),
    "copy": (COPY + COMMIT + WAIT + BARRIER + LOAD, ""),
    "copy_none": (COPY_NONE + COMMIT + WAIT + BARRIER + LOAD, ""),
    "copy_too_much": (
        COPY_SOME.replace("{count}", "20") + COMMIT + WAIT + BARRIER + LOAD,
        "more than there is memory for",
    ),
    "copy_without_wait": (COPY + COMMIT + BARRIER + LOAD, "a copy to this is not waited for"),
    "copy_in_no_group": (COPY + WAIT + BARRIER + LOAD, "a copy to this is not waited for"),
    "copy_in_a_late_group": (
        COMMIT + COPY + COMMIT + WAIT.replace("i32 0", "i32 1") + BARRIER + LOAD,
        "a copy to this is not waited for",
    ),
    "copy_without_barrier": (COPY + COMMIT + WAIT + LOAD, "a race|a copy to this is not waited for"),
    "copy_over_loaded": (STORE + BARRIER + LOAD + COPY + COMMIT + WAIT, "a race"),
    "copy_misaligned": (
        COPY.replace("@tile, i64 %offset", "@tile, i64 %i") + "  %v = add i32 %t, 0\n",
        "misaligned",
    ),
    "some": (
        BRANCH + "yes:\n" + BARRIER + "  br label %no\nno:\n  %v = add i32 %t, 0\n",
        "of 64 are 32 at a barrier, 0 at a matmul, 32 done",
    ),
    "places": (
        BRANCH + "yes:\n" + BARRIER + "  br label %end\nno:\n" + BARRIER.replace("i32 0", "i32 1") + "  br label %end\nend:\n"
        "  %v = add i32 %t, 0\n",
        "of 64 are 64 at a barrier",
    ),
}  # fmt: skip

# Instruction: types of A, B and D, m, n, k, LLVM's types of the registers.
PRODUCTS = {
    "m8n8k16.row.col.s8": ("i1", "i1", "i4", 8, 8, 16, "i32", "i32"),
    "m8n8k16.row.col.u8.s8": ("u1", "i1", "i4", 8, 8, 16, "i32", "i32"),
    "m16n8k32.row.col.s8": ("i1", "i1", "i4", 16, 8, 32, "i32", "i32"),
    "m16n8k32.row.col.u8": ("u1", "u1", "i4", 16, 8, 32, "i32", "i32"),
    "m16n8k32.row.col.s8.u8": ("i1", "u1", "i4", 16, 8, 32, "i32", "i32"),
    "m16n8k8.row.col.f32.f32": (np.float16, np.float16, "f4", 16, 8, 8, "<2 x half>", "float"),
    "m16n8k16.row.col.f32.f32": (np.float16, np.float16, "f4", 16, 8, 16, "<2 x half>", "float"),
    "m16n8k16.row.col.bf16": (ml_dtypes.bfloat16, ml_dtypes.bfloat16, "f4", 16, 8, 16, "i32", "float"),
    "m16n8k32.row.col.f32.e4m3.e5m2.f32": (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, "f4", 16, 8, 32, "i32", "float"),
}  # fmt: skip

# Each thread stores 16 bytes, a row of one of four matrices, and gets four pairs of elements.
MATRICES = """
@tile = internal addrspace(3) global [512 x i8] undef, align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
"""
LOAD_MATRICES = """
declare {{ i32, i32, i32, i32 }} @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.{form}b16.p3(ptr addrspace(3))
define ptx_kernel void @{name}(ptr %in, ptr %out) {{
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %from = getelementptr [16 x i8], ptr %in, i64 %i
  %row = load <4 x i32>, ptr %from, align 16
  %at = getelementptr [16 x i8], ptr addrspace(3) @tile, i64 %i
  store <4 x i32> %row, ptr addrspace(3) %at, align 16
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %d = call {{ i32, i32, i32, i32 }} @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.{form}b16.p3(ptr addrspace(3) %at)
  %to = getelementptr [4 x i32], ptr %out, i64 %i
  store {{ i32, i32, i32, i32 }} %d, ptr %to, align 4
  ret void
}}
"""


def matmul_kernel(
    name, instruction, registers_of_a, registers_of_b, registers_of_c, factor, result
):
    """Each thread loads its registers from memory, in the order of the operands."""
    lines, operands = [], []
    for index in range(registers_of_a + registers_of_b + registers_of_c):
        kind = factor if index < registers_of_a + registers_of_b else result
        lines.append(f"  %p{index} = getelementptr [16 x i32], ptr %in, i64 %i, i64 {index}")
        lines.append(f"  %r{index} = load {kind}, ptr %p{index}, align 4")
        operands.append(f"{kind} %r{index}")
    struct = "{ " + ", ".join([result] * registers_of_c) + " }"
    types = ", ".join(operand.rsplit(" ", 1)[0] for operand in operands)
    lines.append(f"  %d = call {struct} @llvm.nvvm.mma.{instruction}({', '.join(operands)})")
    for index in range(registers_of_c):
        lines.append(f"  %d{index} = extractvalue {struct} %d, {index}")
        lines.append(f"  %o{index} = getelementptr [16 x i32], ptr %out, i64 %i, i64 {index}")
        lines.append(f"  store {result} %d{index}, ptr %o{index}, align 4")
    return (
        f"declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\ndeclare {struct} @llvm.nvvm.mma.{instruction}({types})\n"
        f"define ptx_kernel void @{name}(ptr %in, ptr %out) {{\n  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
        "  %i = zext i32 %t to i64\n" + "\n".join(lines) + "\n  ret void\n}\n"
    )  # fmt: skip


def fragments(matrix):
    """The registers of each thread for a matrix with the rows of A or the columns of B: a thread
    has 4 bytes of every 16 along K, of rows with a distance of 8. The rows change fastest from
    register to register."""
    encodings = np.ascontiguousarray(matrix).view(np.uint32)
    rows, words = encodings.shape
    found = np.zeros((32, rows // 8 * (words // 4)), np.uint32)
    for lane in range(32):
        found[lane] = [
            encodings[lane // 4 + 8 * row, lane % 4 + 4 * word]
            for word in range(words // 4)
            for row in range(rows // 8)
        ]
    return found


class Driver:
    def __init__(self, kernels):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        context = ctypes.c_void_p()
        self.cuda.cuInit(0)
        self.cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
        self.cuda.cuCtxPushCurrent_v2(context)
        self.module = ctypes.c_void_p()
        image = (".version 8.0\n.target sm_80\n" + " ".join(kernels)).encode()
        self.cuda.cuModuleLoadDataEx(ctypes.byref(self.module), image, 0, None, None)

    def launch(self, name, threads, *arrays):
        """Replaces the last array by the kernel's result. Returns the driver's status."""
        function = ctypes.c_void_p()
        if self.cuda.cuModuleGetFunction(ctypes.byref(function), self.module, name.encode()):
            return "no such kernel"
        pointers = []
        for array in arrays:
            pointers.append(ctypes.c_uint64())
            self.cuda.cuMemAlloc_v2(ctypes.byref(pointers[-1]), ctypes.c_size_t(array.nbytes))
            self.cuda.cuMemcpyHtoD_v2(pointers[-1], ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes))  # fmt: skip
        values = (ctypes.c_void_p * len(pointers))(*(ctypes.addressof(p) for p in pointers))
        self.cuda.cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, None, values, None)
        result = self.cuda.cuCtxSynchronize()
        if not result:
            last = arrays[-1]
            self.cuda.cuMemcpyDtoH_v2(ctypes.c_void_p(last.ctypes.data), pointers[-1], ctypes.c_size_t(last.nbytes))  # fmt: skip
        return result


def run_threads(name):
    """Runs in a separate process, because errors of a context are permanent."""
    out = np.arange(64, dtype=np.uint32)
    wanted = np.zeros(64) if name == "copy_none" else np.arange(64) ^ 1
    print(Driver([name]).launch(name, 64, out), (out == wanted).all())


def run_matmuls():
    generator = np.random.default_rng(3)
    driver = Driver([f"product_{i}" for i in range(len(PRODUCTS))] + ["half_a_warp"])
    for index, (name, (a_type, b_type, d_type, m, n, k, _, _)) in enumerate(PRODUCTS.items()):

        def some(kind, shape):
            if isinstance(kind, str):
                return generator.integers(0, 255, shape, np.uint8, endpoint=True).view(kind)
            return generator.standard_normal(shape).astype(np.float32).astype(kind)

        a, b = some(a_type, (m, k)), some(b_type, (k, n))
        c = generator.integers(-1000, 1000, (m, n)).astype(d_type)
        registers = np.zeros((32, 16), np.uint32)
        of_a, of_b = fragments(a), fragments(b.T)
        of_c = np.zeros((32, m // 8 * 2), np.uint32)
        places = [(lane, row, column) for lane in range(32) for row in range(m // 8) for column in range(2)]  # fmt: skip
        for lane, row, column in places:
            of_c[lane, 2 * row + column] = c.view(np.uint32)[lane // 4 + 8 * row, lane % 4 * 2 + column]  # fmt: skip
        given = np.concatenate([of_a, of_b, of_c], axis=1)
        registers[:, : given.shape[1]] = given
        out = np.zeros((32, 16), np.uint32)
        result = driver.launch(f"product_{index}", 32, registers, out)
        found = np.zeros((m, n), np.uint32)
        for lane, row, column in places:
            found[lane // 4 + 8 * row, lane % 4 * 2 + column] = out[lane, 2 * row + column]
        if d_type == "i4":
            right = (found.view("i4") == a.astype(int) @ b.astype(int) + c).all()
        else:
            exact = a.astype(float) @ b.astype(float) + c
            right = (np.abs(found.view("f4") - exact) <= np.abs(exact) * 2.0**-24 + 1e-12).all()
        print(name, result, right)
    registers = np.zeros((32, 16), np.uint32)
    print("half_a_warp", driver.launch("product_0", 16, registers, registers.copy()))


def run_matrices():
    rows = np.random.default_rng(5).integers(0, 1 << 16, (32, 8)).astype(np.uint16)
    matrices = rows.reshape(4, 8, 8)
    driver = Driver(["straight", "turned"])
    for name, given in (("straight", matrices), ("turned", matrices.swapaxes(1, 2))):
        out = np.zeros((32, 4), np.uint32)
        result = driver.launch(name, 32, rows, out)
        wanted = [[given[matrix, lane // 4, 2 * (lane % 4) : 2 * (lane % 4) + 2] for matrix in range(4)] for lane in range(32)]  # fmt: skip
        print(name, result, (out.view(np.uint16).reshape(32, 4, 2) == wanted).all())


def main(compiler, cuda_include, obj_root, folder):
    folder, failures = Path(folder), []

    def build(name, text):
        library = folder / f"{name}.so"
        cuda.build_kernels(text, library, compiler, cuda_include)
        return cuda.simulator_environment(obj_root, [library])

    def execute(environment, *arguments):
        return subprocess.run([sys.executable, __file__, *arguments], env=environment, capture_output=True, text=True, check=False)  # fmt: skip

    for name, (body, message) in CASES.items():
        done = execute(build(name, KERNEL.format(name=name, body=body)), "threads", name)
        said = any(part in done.stderr for part in message.split("|"))
        if (
            not said
            or done.stdout.startswith("0") != (not message)
            or not message
            and done.stdout != "0 True\n"
        ):
            failures.append(f"{name}: {done.stdout}{done.stderr}")

    text = ""
    for index, (name, (a, _, _, m, _, k, factor, result)) in enumerate(PRODUCTS.items()):
        size = np.dtype(a).itemsize
        words = k * size // 16
        kernel = matmul_kernel(f"product_{index}", name, m // 8 * words, words, m // 8 * 2, factor, result)  # fmt: skip
        text += kernel if not text else kernel.split("\n", 1)[1]
    environment = build("products", text)
    done = execute(environment, "products")
    expected = "".join(f"{name} 0 True\n" for name in PRODUCTS)
    if done.stdout != expected + "half_a_warp 719\n" or "0 at a barrier, 16 at a matmul" not in done.stderr:  # fmt: skip
        failures.append(f"products: {done.stdout}{done.stderr}")
    text = (
        MATRICES
        + LOAD_MATRICES.format(name="straight", form="")
        + LOAD_MATRICES.format(name="turned", form="trans.")
    )
    done = execute(build("matrices", text), "matrices")
    if done.stdout != "straight 0 True\nturned 0 True\n":
        failures.append(f"matrices: {done.stdout}{done.stderr}")
    print(f"{len(CASES) + len(PRODUCTS) + 3} cases, {len(failures)} failures")
    return "\n".join(failures) if failures else 0


if __name__ == "__main__":
    if sys.argv[1] == "threads":
        run_threads(sys.argv[2])
    elif sys.argv[1] == "products":
        run_matmuls()
    elif sys.argv[1] == "matrices":
        run_matrices()
    else:
        sys.exit(main(*sys.argv[1:]))
