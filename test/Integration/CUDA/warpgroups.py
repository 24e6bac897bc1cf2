# The simulator's wgmma, TMA loads and mbarriers: matrices of all types that a tensor map supports,
# in and out of bounds, are multiplied as in NumPy. Errors that a GPU does not report are detected:
# missing waits and fences, overwritten operands, misaligned descriptors and boxes.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %clangxx %cuda_include %obj_root %t
import ctypes
import subprocess
import sys
from pathlib import Path

import cuda
import ml_dtypes
import numpy as np
from threads import Driver

THREADS, ROWS, SWIZZLE_BYTES = 128, 64, 128
# Types in PTX and in NumPy.
TYPES = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "s8": np.int8,
    "u8": np.uint8,
}
# Types of A and B, columns, and whether B is contiguous along its columns.
PRODUCTS = (
    ("f16", "f16", 8, 0),
    ("f16", "f16", 128, 1),
    ("bf16", "bf16", 40, 0),
    ("bf16", "bf16", 64, 1),
    ("e4m3", "e4m3", 24, 0),
    ("e4m3", "e5m2", 8, 0),
    ("e5m2", "e4m3", 16, 0),
    ("e5m2", "e5m2", 256, 0),
    ("s8", "s8", 24, 0),
    ("s8", "u8", 32, 0),
    ("u8", "s8", 8, 0),
    ("u8", "u8", 16, 0),
)
HEADER = """
@a = internal addrspace(3) global [8192 x i8] undef, align 1024
@__dynamic_shmem__0 = external addrspace(3) global [0 x i8], align 1024
@barriers = internal addrspace(3) global [16 x i8] undef, align 8
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3))
declare i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(ptr addrspace(3), i32)
declare void @llvm.nvvm.fence.proxy.async.shared_cta()
declare void @llvm.nvvm.wgmma.fence.sync.aligned()
declare void @llvm.nvvm.wgmma.commit_group.sync.aligned()
declare void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64 immarg)
declare void @llvm.nvvm.setmaxnreg.inc.sync.aligned.u32(i32 immarg)
declare void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(ptr addrspace(7), ptr addrspace(3), ptr, i32, i32, i16, i64, i1 immarg, i1 immarg, i32 immarg)
"""


class Kernel:
    """LLVM IR of a kernel of one warpgroup, whose first thread loads both matrices. Steps can be
    omitted, or `more` can follow them."""

    def __init__(self, name, a, b, n, transposed=0, without=(), more=None, a_at=0, start=0):
        self.name, self.count, self.more, self.without = name, n // 2, more or {}, without
        self.instruction = (
            f"m64n{n}k{16 if a.endswith('f16') else 32}.{'s32' if a[1:] == '8' else 'f32'}.{a}.{b}"
        )
        self.is_integer, self.is_wide, self.transposed = a[1:] == "8", a.endswith("f16"), transposed
        self.type = "i32" if self.is_integer else "float"
        self.a_at, self.start, self.lines, self.values = a_at, start, [], 0
        self.n = n

    def new(self):
        self.values += 1
        return f"%n{self.values}"

    def step(self, name, *lines):
        if name not in self.without:
            self.lines += lines
        self.lines += self.more.get(name, ())

    def barrier(self):
        return "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)"

    def load(self, target, tensor_map, x="0", y="0", barrier="@barriers"):
        cast = self.new()
        return (
            f"{cast} = addrspacecast ptr addrspace(3) {target} to ptr addrspace(7)",
            f"call void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(ptr addrspace(7) {cast}, ptr addrspace(3) {barrier}, ptr {tensor_map}, i32 {x}, i32 {y}, i16 0, i64 0, i1 false, i1 false, i32 0)",
        )  # fmt: skip

    def wait(self, parity="0", barrier="@barriers"):
        return f'call void asm sideeffect "{{ mbarrier.try_wait.parity.shared.b64 P1, [$0], $1, $2; }}", "r,r,r"(ptr addrspace(3) {barrier}, i32 {parity}, i32 1000)'

    def registers(self, before):
        struct = "{ " + ", ".join([self.type] * self.count) + " }"
        names = [f"{before}.{i}" for i in range(self.count)]
        return struct, names

    def multiply(self, result, before, a, b, scale="1"):
        struct, names = self.registers(result)
        modes = (
            f", i32 1, i32 1, i32 0, i32 {self.transposed}" if self.is_wide else ", i32 1, i32 1"
        )
        given = ", ".join(f"{self.type} {each}" for each in before)
        code = f"wgmma.mma_async.sync.aligned.{self.instruction} {{}}, p;"
        lines = [
            f'{result} = call {struct} asm sideeffect "{code}", ""({given}, i64 {a}, i64 {b}, i32 {scale}{"" if self.is_integer else modes})'
        ]
        lines += [f"{name} = extractvalue {struct} {result}, {i}" for i, name in enumerate(names)]
        return lines, names

    def descriptor(self, name, pointer, offset, leading):
        """With 1024 bytes between groups of eight rows."""
        return (
            f"{name}.address = ptrtoint ptr addrspace(3) {pointer} to i64",
            f"{name}.moved = add i64 {name}.address, {offset}",
            f"{name}.low = and i64 {name}.moved, 262143",
            f"{name}.start = lshr i64 {name}.low, 4",
            f"{name} = or i64 {name}.start, {1 << 62 | 64 << 32 | leading >> 4 << 16}",
        )

    def text(self):
        self.step(
            "init", "call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @barriers, i32 1)"
        )
        self.step("proxy_fence", "call void @llvm.nvvm.fence.proxy.async.shared_cta()")
        self.lines += ["br label %ready", "ready:"]
        self.step("barrier", self.barrier())
        self.lines += ["br i1 %first, label %load, label %loaded", "load:"]
        a_bytes = ROWS * SWIZZLE_BYTES
        # A transposed matrix has 64 columns in each box.
        boxes = self.n // 64 if self.transposed else 1
        b_bytes = 64 * SWIZZLE_BYTES if self.transposed else self.n * SWIZZLE_BYTES
        call = self.new()
        self.step(
            "expect",
            f"{call} = call i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(ptr addrspace(3) @barriers, i32 {a_bytes + boxes * b_bytes})",
        )
        target = self.new()
        self.lines.append(f"{target} = getelementptr i8, ptr addrspace(3) @a, i64 {self.a_at}")
        self.step("load_a", *self.load(target, "%map_a", y=self.start))
        for box in range(boxes):
            target = self.new()
            self.lines.append(
                f"{target} = getelementptr i8, ptr addrspace(3) @__dynamic_shmem__0, i64 {box * b_bytes}"
            )
            self.lines += self.load(target, "%map_b", x=64 * box)
        self.lines += ["br label %loaded", "loaded:"]
        self.step("wait", self.wait())
        self.step("wgmma_fence", "call void @llvm.nvvm.wgmma.fence.sync.aligned()")
        names = ["0" if self.is_integer else "0.0"] * self.count
        for i in range(4):
            depth = 16 * SWIZZLE_BYTES if self.transposed else 32
            self.lines += self.descriptor(
                f"%a{i}", "@a", 32 * i + self.more.get("descriptor", 0), 16
            )
            self.lines += self.descriptor(
                f"%b{i}", "@__dynamic_shmem__0", depth * i, b_bytes if self.transposed else 16
            )
            lines, names = self.multiply(f"%d{i}", names, f"%a{i}", f"%b{i}")
            self.lines += lines
        self.step("commit", "call void @llvm.nvvm.wgmma.commit_group.sync.aligned()")
        self.step("committed")
        struct, done = self.registers("%done")
        given = ", ".join(f"{self.type} {each}" for each in names)
        self.step(
            "finish",
            f'%done = call {struct} asm sideeffect "wgmma.wait_group.sync.aligned 0;", ""({given})',
        )
        if "finish" not in self.without:
            self.lines += [
                f"{name} = extractvalue {struct} %done, {i}" for i, name in enumerate(done)
            ]
            names = done
        self.step("finished")
        for i, name in enumerate(names):
            self.lines.append(
                f"%o{i} = getelementptr [{self.count} x i32], ptr %out, i64 %i, i64 {i}"
            )
            self.lines.append(f"store {self.type} {name}, ptr %o{i}, align 4")
        body = "\n".join("  " * (not line.endswith(":")) + line for line in self.lines)
        # Thread 0 initializes.
        return (
            f"define ptx_kernel void @{self.name}(ptr byval([16 x i64]) align 64 %map_a, ptr byval([16 x i64]) align 64 %map_b, ptr %out) {{\n"
            "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  %i = zext i32 %t to i64\n  %first = icmp eq i32 %t, 0\n"
            "  br i1 %first, label %init, label %ready\ninit:\n" + body + "\n  ret void\n}\n"
        )  # fmt: skip


STORE_A = "store i32 %t, ptr addrspace(3) @a, align 4"
ARRIVE = "call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3) @barriers)"
SYNCHRONIZE = "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 3)"
PROXY_FENCE = "call void @llvm.nvvm.fence.proxy.async.shared_cta()"
STORE_OWN = (
    "%own = getelementptr i32, ptr addrspace(3) @a, i64 %i",
    "store i32 %t, ptr addrspace(3) %own, align 4",
)
RELOAD = (
    "br i1 %first, label %reload, label %reloaded",
    "reload:",
    "%again = addrspacecast ptr addrspace(3) @a to ptr addrspace(7)",
    "call void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(ptr addrspace(7) %again, ptr addrspace(3) @barriers, ptr %map_a, i32 0, i32 0, i16 0, i64 0, i1 false, i1 false, i32 0)",
    "br label %reloaded",
    "reloaded:",
)
# The modifications of a right kernel, and the expected errors.
ERRORS = {
    "no_proxy_fence": ({"without": ["proxy_fence"]}, "no proxy fence since the mbarrier was initialized"),
    "no_barrier": ({"without": ["barrier"]}, "without a barrier since"),
    "no_wait": ({"without": ["wait"]}, "a TMA load to what a wgmma reads is not waited for"),
    "other_wait": (
        {"without": ["wait"], "more": {"wait": ["call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 1)"]}},
        "a TMA load to what a wgmma reads is not waited for",
    ),
    "wrong_parity": (
        {"without": ["wait"], "more": {"wait": ['call void asm sideeffect "mbarrier.try_wait.parity", "r,r,r"(ptr addrspace(3) @barriers, i32 1, i32 1)']}},
        "a TMA load to what a wgmma reads is not waited for",
    ),
    "no_expect": ({"without": ["expect"]}, "128 threads wait at an mbarrier"),
    "too_few_bytes": ({"without": ["load_a"]}, "128 threads wait at an mbarrier"),
    "no_wgmma_fence": ({"without": ["wgmma_fence"]}, "no wgmma.fence since the accumulators were written"),
    "no_commit": ({"without": ["commit"]}, "the kernel ends without waiting for its wgmma"),
    "no_finish": ({"without": ["finish"]}, "the kernel ends without waiting for its wgmma"),
    "early_finish": (
        {"without": ["finish"], "more": {"finish": ["call void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64 0)"]}},
        "other values",
    ),
    "overwritten": ({"more": {"committed": [STORE_A]}}, "a wgmma that reads this is not waited for"),
    "stored": ({"more": {"wait": [*STORE_OWN, SYNCHRONIZE]}}, "no proxy fence since a thread wrote what a wgmma reads"),
    "stored_without_barrier": ({"more": {"wait": [*STORE_OWN, PROXY_FENCE]}}, "a race: another thread wrote what a wgmma reads"),
    "stored_and_fenced": ({"more": {"wait": [*STORE_OWN, PROXY_FENCE, SYNCHRONIZE]}}, "other values"),
    "reloaded_early": ({"more": {"committed": RELOAD}}, "a race: a wgmma that reads this is not waited for"),
    "reloaded_without_barrier": ({"more": {"finished": RELOAD}}, "a race: a wgmma that reads this is not waited for"),
    "reloaded": ({"more": {"finished": [SYNCHRONIZE, *RELOAD]}}, ""),
    "misaligned_descriptor": ({"more": {"descriptor": 128}}, "the matrix does not start in the first row of the swizzle"),
    "misaligned_in_row": ({"more": {"descriptor": 112}}, "the matrix exceeds the rows of the swizzle"),
    "misaligned_target": ({"a_at": 64}, "expected a TMA load to a multiple of 128 bytes"),
    "box_out_of_bounds": ({"a_at": 128}, "the box of a TMA load is out of bounds of shared memory"),
    "arrived_twice": ({"more": {"expect": [ARRIVE]}}, "more threads arrive at an mbarrier|128 threads wait"),
    "read_barrier": ({"more": {"wait": ["%x = load i32, ptr addrspace(3) @barriers, align 4", "store i32 %x, ptr %out, align 4"]}}, "an access to an mbarrier"),
    "registers": ({"more": {"wait": ["call void @llvm.nvvm.setmaxnreg.inc.sync.aligned.u32(i32 230)"]}}, "a multiple of 8"),
    "right": ({"more": {"wait": ["call void @llvm.nvvm.setmaxnreg.inc.sync.aligned.u32(i32 232)"]}}, ""),
    "past_the_end": ({"start": 40}, ""),
    "before_the_start": ({"start": -8}, ""),
}  # fmt: skip


class Device(Driver):
    def allocate(self, array):
        pointer = ctypes.c_uint64()
        bytes_ = ctypes.c_size_t(array.nbytes)
        self.cuda.cuMemAlloc_v2(ctypes.byref(pointer), bytes_)
        self.cuda.cuMemcpyHtoD_v2(pointer, ctypes.c_void_p(array.ctypes.data), bytes_)
        return pointer

    def encode(self, address, item, sizes, row_bytes, box, swizzle=3, rank=2):
        """The 128 bytes of a tensor map, aligned, and the driver's status."""
        memory = np.zeros(256, np.uint8)
        tensor_map = memory[-memory.ctypes.data % 64 :][:128]
        result = self.cuda.cuTensorMapEncodeTiled(
            ctypes.c_void_p(tensor_map.ctypes.data), item - 1, rank, ctypes.c_uint64(address),
            (ctypes.c_uint64 * 2)(*sizes), (ctypes.c_uint64 * 1)(row_bytes), (ctypes.c_uint32 * 2)(*box),
            (ctypes.c_uint32 * 2)(1, 1), 0, swizzle, 0, 0,
        )  # fmt: skip
        return tensor_map, result

    def multiply(self, name, a, b, n, transposed):
        """The result, and the driver's status. All of K is 128 bytes."""
        item = a.itemsize
        function, pointers, maps = ctypes.c_void_p(), [], []
        self.cuda.cuModuleGetFunction(ctypes.byref(function), self.module, name.encode())
        in_row = SWIZZLE_BYTES // item
        for matrix, box in ((a, (in_row, ROWS)), (b, (64, 64) if transposed else (in_row, n))):
            pointers.append(self.allocate(matrix))
            sizes = matrix.shape[::-1]
            maps.append(
                self.encode(pointers[-1].value, item, sizes, matrix.shape[1] * item, box)[0]
            )
        out = np.zeros((THREADS, n // 2), np.uint32)
        pointers.append(self.allocate(out))
        values = (ctypes.c_void_p * 3)(
            *(each.ctypes.data for each in maps), ctypes.addressof(pointers[-1])
        )
        shared = n * SWIZZLE_BYTES
        result = self.cuda.cuLaunchKernel(
            function, 1, 1, 1, THREADS, 1, 1, shared, None, values, None
        )
        result = result or self.cuda.cuCtxSynchronize()
        if not result:
            self.cuda.cuMemcpyDtoH_v2(
                ctypes.c_void_p(out.ctypes.data), pointers[-1], ctypes.c_size_t(out.nbytes)
            )
        # The fragments of the PTX ISA.
        found = np.zeros((ROWS, n), np.uint32)
        for thread in range(THREADS):
            for i in range(n // 2):
                row = thread // 32 * 16 + thread % 32 // 4 + i // 2 % 2 * 8
                found[row, i // 4 * 8 + thread % 4 * 2 + i % 2] = out[thread, i]
        return found, result


def some(kind, shape, seed):
    generator = np.random.default_rng(seed)
    if kind in ("s8", "u8"):
        return generator.integers(0, 255, shape, np.uint8, endpoint=True).view(TYPES[kind])
    return generator.standard_normal(shape).astype(np.float32).astype(TYPES[kind])


def compare(found, a, b):
    """Whether the result equals NumPy's a times b transposed."""
    if a.dtype.kind in "iu":
        return (found.view("i4") == a.astype(int) @ b.astype(int).T).all()
    exact = a.astype(float) @ b.astype(float).T
    magnitude = np.abs(a.astype(float)) @ np.abs(b.astype(float)).T
    return (np.abs(found.view("f4") - exact) <= magnitude * 2.0**-22).all()


def run_matmuls():
    device = Device([f"product_{i}" for i in range(len(PRODUCTS))])
    for index, (a_kind, b_kind, n, transposed) in enumerate(PRODUCTS):
        k = SWIZZLE_BYTES // np.dtype(TYPES[a_kind]).itemsize
        # A partial box, which is filled with zeros.
        rows, columns, depth = ROWS - 3, n - 1, k - 16
        a, b = some(a_kind, (rows, depth), index), some(b_kind, (columns, depth), 50 + index)
        given = b
        if transposed:
            given = np.zeros((depth, n), b.dtype)
            given[:, :columns] = b.T
        found, result = device.multiply(f"product_{index}", a, given, n, transposed)
        right = compare(found[:rows, :columns], a, b)
        print(a_kind, b_kind, n, result, right, (found[rows:] == 0).all())


def run_error(name):
    """Runs in a separate process, because errors of a context are permanent."""
    a, b = some("f16", (ROWS, 64), 1), some("f16", (8, 64), 2)
    found, result = Device([name]).multiply(name, a, b, 8, 0)
    start = ERRORS[name][0].get("start", 0)
    moved = np.zeros_like(a)
    for row in range(ROWS):
        if 0 <= row + start < ROWS:
            moved[row] = a[row + start]
    print(result, "" if result else "right" if compare(found, moved, b) else "other values")


def run_maps():
    """Tensor maps that the driver rejects."""
    device = Device(["product_0"])
    address = device.allocate(np.zeros(4096, np.uint8)).value
    right = {"address": address, "item": 2, "sizes": (64, 16), "row_bytes": 128, "box": (64, 16)}
    for change in (
        {}, {"address": address + 8}, {"row_bytes": 120}, {"row_bytes": 1 << 40}, {"sizes": (0, 16)}, {"sizes": (64, 1 << 33)},
        {"box": (65, 16)}, {"box": (64, 257)}, {"box": (4, 16)}, {"box": (0, 16)}, {"swizzle": 0}, {"rank": 3},
    ):  # fmt: skip
        print(device.encode(**(right | change))[1])


def main(compiler, cuda_include, obj_root, folder):
    folder, failures = Path(folder), []

    kernels = [Kernel(f"product_{i}", *row) for i, row in enumerate(PRODUCTS)]
    kernels += [Kernel(name, "f16", "f16", 8, **changes) for name, (changes, _) in ERRORS.items()]
    library = folder / "kernels.so"
    text = HEADER + "".join(kernel.text() for kernel in kernels)
    cuda.build_kernels(text, library, compiler, cuda_include)
    environment = cuda.simulator_environment(obj_root, [library])

    def execute(*arguments):
        return subprocess.run([sys.executable, __file__, *arguments], env=environment, capture_output=True, text=True, check=False)  # fmt: skip

    done = execute("products")
    wanted = "".join(f"{a} {b} {n} 0 True True\n" for a, b, n, _ in PRODUCTS)
    if done.stdout != wanted:
        failures.append(f"products: {done.stdout}{done.stderr}")
    done = execute("maps")
    if done.stdout != "0\n" + 11 * "1\n":
        failures.append(f"maps: {done.stdout}{done.stderr}")
    for name, (_, message) in ERRORS.items():
        done = execute("error", name)
        said = done.stdout + done.stderr
        is_right = done.stdout == "0 right\n"
        if is_right != (not message) or not any(part in said for part in message.split("|")):
            failures.append(f"{name}: {said}")
    print(f"{len(PRODUCTS) + len(ERRORS) + 1} cases, {len(failures)} failures")
    return "\n".join(failures) if failures else 0


if __name__ == "__main__":
    if sys.argv[1] == "products":
        run_matmuls()
    elif sys.argv[1] == "maps":
        run_maps()
    elif sys.argv[1] == "error":
        run_error(sys.argv[2])
    else:
        sys.exit(main(*sys.argv[1:]))
