"""Device code as host code: each conversion instruction becomes a call of NVIDIA's host function
for it, and operations create the NaNs of a GPU."""

import re
import subprocess
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
INSTRUCTIONS = FOLDER / "host-instructions.cpp"
THREADS = FOLDER / "host-threads.cpp"

TYPE = r"(?:<\d+ x \w+>|\[\d+ x \w+\]|\w+)"
FLOAT = r"(?:<\d+ x )?(?:half|bfloat|float|double)>?"
FLAGS = r"(?: (?:nnan|ninf|nsz|arcp|contract|afn|reassoc|fast))*"
NAN_MAKERS = re.compile(
    rf"^  (%[\w.]+) = (?:(?:fpext|fptrunc){FLAGS} .* to ({FLOAT})|f(?:mul|add|sub|div|rem){FLAGS} ({FLOAT}) .*"
    rf"|(?:tail )?call{FLAGS} ({FLOAT}) @llvm\.(?:fma|fmuladd|sqrt|exp2?|log2?|roundeven|rint|floor|ceil|trunc|minimum|maximum)\..*)$",
    re.MULTILINE,
)
ACCESSES = re.compile(
    rf"^  (?:%[\w.]+ = )?(load|store)(?: volatile)? ({TYPE})(?: .*?)?, ptr (?:addrspace\((\d+)\) )?([%@][\w.]+), align (\d+).*$",
    re.MULTILINE,
)
KERNELS = re.compile(r"^define .*?ptx_kernel void @([\w$]+)\((.*)\)(.*\{)$", re.MULTILINE)
# The bits of a NaN on a GPU, and those of infinity.
NAN_BITS = {
    "half": (16, 0x7FFF, 0x7C00),
    "bfloat": (16, 0x7FFF, 0x7F80),
    "float": (32, 0x7FFFFFFF, 0x7F800000),
    "double": (64, 0x7FFFFFFFFFFFFFFF, 0x7FF0000000000000),
}
# The maximum dynamic shared memory of a block, and the type of the array.
DYNAMIC_BYTES = 227 * 1024
DYNAMIC = f"[{DYNAMIC_BYTES} x i8]"
BYTES = {"half": 2, "bfloat": 2, "float": 4, "double": 8, "ptr": 8}


def with_device_nans(match):
    """Replaces the NaN of an operation by the one that a GPU creates."""
    name, type_name = match[1], match[2] or match[3] or match[4]
    # Names that do not collide with LLVM's numbered values.
    step = name.replace("%", "%v", 1)
    vector = re.fullmatch(r"<(\d+) x (\w+)>", type_name)
    width, nan, infinity = NAN_BITS[vector[2] if vector else type_name]

    def shaped(element):
        return f"<{vector[1]} x {element}>" if vector else element

    def constant(value):
        return f"splat (i{width} {value})" if vector else str(value)

    integer, flag = shaped(f"i{width}"), shaped("i1")
    return "\n".join(
        [
            match[0].replace(f"{name} =", f"{step}.raw =", 1),
            f"  {step}.bits = bitcast {type_name} {step}.raw to {integer}",
            f"  {step}.magnitude = and {integer} {step}.bits, {constant((1 << (width - 1)) - 1)}",
            f"  {step}.nan = icmp ugt {integer} {step}.magnitude, {constant(infinity)}",
            f"  {step}.result = select {flag} {step}.nan, {integer} {constant(nan)}, {integer} {step}.bits",
            f"  {name} = bitcast {integer} {step}.result to {type_name}",
        ]
    )


def by_integers(match):
    """A call with pairs of f16 as integers, because the calling convention for them depends on the
    C++ compiler.

    Since LLVM 24, the last argument of conversions to narrow floats selects the modifier `.pzo`.
    """
    name, result, function, arguments = match.groups()
    step = name.replace("%", "%v", 1)
    if "i1 true" in arguments:
        raise ValueError(f"no host function implements .pzo: {match[0]}")
    arguments = arguments.removesuffix(", i1 false")
    pair = re.fullmatch(r"(<2 x \w+>) (\S+)", arguments)
    lines = [f"  {step}.pair = bitcast {pair[1]} {pair[2]} to i32"] if pair else []
    # C++ expects short integers to be extended.
    given = f"i32 {step}.pair" if pair else re.sub(r"\bi16 ", "i16 zeroext ", arguments)
    if result.startswith("<2 x"):
        lines += [
            f"  {step}.code = call i32 {function}({given})",
            f"  {name} = bitcast i32 {step}.code to {result}",
        ]
    else:
        lines.append(f"  {name} = call {result} {function}({given})")
    return "\n".join(lines)


def as_mma(match):
    """A matmul of a warp: the name of the instruction and the registers, as bits. The result is
    read from memory."""
    name, result, mma, arguments = match.groups()
    step = name.replace("%", "%v", 1)
    lines, registers = [], []
    for index, argument in enumerate(arguments.split(", ")):
        type_name, value = re.fullmatch(r"(<2 x half>|\w+)(?: noundef)? (.+)", argument).groups()
        registers.append(f"i32 {step}.in{index}")
        lines.append(f"  {step}.in{index} = bitcast {type_name} {value} to i32")
    return "\n".join(
        [
            *lines,
            f"  {step}.out = call ptr (ptr, i32, ...) @simulated_mma(ptr @simulated_{mma.replace('.', '_')}, i32 {len(registers)}, "
            + ", ".join(registers)
            + ")",
            f"  {name} = load {result}, ptr {step}.out",
        ]
    )


def as_matrix_load(match):
    """An ldmatrix of a warp: the name of the instruction and the thread's address. The registers
    are read from memory."""
    name, result, load, pointer = match.groups()
    step = name.replace("%", "%v", 1)
    return "\n".join(
        [
            f"  {step}.from = addrspacecast ptr addrspace(3) {pointer} to ptr",
            f"  {step}.out = call ptr @simulated_ldmatrix(ptr @simulated_{load.replace('.', '_')}, ptr {step}.from)",
            f"  {name} = load {result}, ptr {step}.out",
        ]
    )


def with_mma(text):
    """Warp matmuls, and loads for them, as calls of the simulator."""
    names = sorted(set(re.findall(r"call \{.*?\} @llvm\.nvvm\.((?:mma|ldmatrix)\.[\w.]+)", text)))
    text = re.sub(
        r"  (%[\w.]+) = (?:tail )?call (\{.*?\}) @llvm\.nvvm\.(mma\.[\w.]+)\((.*?)\)(?: #\d+)?", as_mma, text
    )  # fmt: skip
    text = re.sub(
        r"  (%[\w.]+) = (?:tail )?call (\{.*?\}) @llvm\.nvvm\.(ldmatrix\.[\w.]+)\(ptr addrspace\(3\) (?:\w+ )*?(%[\w.]+|@[\w.]+)\)(?: #\d+)?", as_matrix_load, text
    )  # fmt: skip
    text = re.sub(r"^declare .*@llvm\.nvvm\.(?:mma|ldmatrix)\..*$", "", text, flags=re.MULTILINE)
    for name in names:
        value = name.removeprefix("mma.")
        text += f'@simulated_{name.replace(".", "_")} = private constant [{len(value) + 1} x i8] c"{value}\\00"\n'
    declarations = "declare ptr @simulated_mma(ptr, i32, ...) convergent\ndeclare ptr @simulated_ldmatrix(ptr, ptr) convergent\n"  # fmt: skip
    return text + declarations * bool(names)


ASM = r"(?:tail )?call (void|\{.*?\}) asm sideeffect (?:alignstack )?\"([^\"]*)\", \"[^\"]*\"\((.*)\)(?: #\d+)?$"
TMA_LOAD = re.compile(
    r"^  call void @llvm\.nvvm\.cp\.async\.bulk\.tensor\.g2s\.tile\.2d(?:\.i16)?\((.*)\)(?: #\d+)?$", re.MULTILINE
)  # fmt: skip


def split_arguments(text):
    """Splits at commas outside of parentheses, which occur in constant expressions."""
    found, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not depth:
            found.append("")
        else:
            found[-1] += letter
    return [argument.strip() for argument in found]


def as_bits(step, arguments):
    """Bitcasts 32-bit arguments to integers."""
    lines, registers = [], []
    for index, argument in enumerate(arguments):
        type_name, value = argument.replace(" noundef", "").split(" ", 1)
        registers.append(f"i32 {step}.in{index}")
        lines.append(f"  {step}.in{index} = bitcast {type_name} {value} to i32")
    return lines, registers


class AsyncInstructions:
    """Instructions of the asynchronous proxy, some of which LLVM emits as inline assembly, as calls
    of the simulator."""

    def __init__(self):
        self.count, self.names = 0, {}

    def pointer(self, lines, argument):
        """An argument `ptr addrspace(3) nonnull %x` in the default address space."""
        self.count += 1
        argument = re.sub(r" (?:nonnull|noundef|align \d+|captures\(none\))(?= )", "", argument)
        lines.append(f"  %async{self.count} = addrspacecast {argument} to ptr")
        return f"ptr %async{self.count}"

    def load(self, match):
        target, barrier, tensor_map, x, y, *_ = split_arguments(match[1])
        lines = []
        pointers = [self.pointer(lines, target), self.pointer(lines, barrier)]
        given = ", ".join([*pointers, tensor_map, x, y])
        return "\n".join([*lines, f"  call void @simulated_tma_load({given})"])

    def inline(self, match):
        name, result, code, arguments = match.groups()
        given = split_arguments(arguments)
        self.count += 1
        step = f"%vasync{self.count}"
        if "mbarrier.try_wait.parity" in code:
            lines = []
            barrier = self.pointer(lines, given[0])
            return "\n".join(
                [*lines, f"  call void @simulated_mbarrier_wait({barrier}, {given[1]})"]
            )
        count = len(result.split(", "))
        lines, registers = as_bits(step, given[:count])
        if product := re.search(r"wgmma\.mma_async\.sync\.aligned\.(\S+)", code):
            symbol = self.names.setdefault(product[1], f"@simulated_wgmma{len(self.names)}")
            # The scale of D, those of A and B for floats, and the transpose flags for 16-bit types.
            a, b, scale, *more = given[count:]
            assert "i32 -1" not in more[:2], code
            transposed = more[2:] or ["i32 0", "i32 0"]
            call = f"call ptr (ptr, i32, i64, i64, i32, i32, i32, ...) @simulated_wgmma(ptr {symbol}, i32 {count}, {a}, {b}, {scale}, "
            call += ", ".join([*transposed, *registers]) + ")"
        elif wait := re.search(r"wgmma\.wait_group\.sync\.aligned (\d+);", code):
            call = f"call ptr (i32, i32, ...) @simulated_wgmma_wait(i32 {wait[1]}, i32 {count}, {', '.join(registers)})"
        elif code == "wgmma.fence.sync.aligned;":
            call = (
                f"call ptr (i32, ...) @simulated_wgmma_fence(i32 {count}, {', '.join(registers)})"
            )
        else:
            raise ValueError(f"unknown inline assembly: {code}")
        return "\n".join(
            [*lines, f"  {step}.out = {call}", f"  {name} = load {result}, ptr {step}.out"]
        )

    def replace(self, text):
        text = TMA_LOAD.sub(self.load, text)
        text = re.sub(rf"^  (?:(%[\w.]+) = )?{ASM}", self.inline, text, flags=re.MULTILINE)
        text = re.sub(r"^declare .*@llvm\.nvvm\.cp\.async\.bulk\..*$", "", text, flags=re.MULTILINE)
        for name, symbol in self.names.items():
            text += f'{symbol} = private constant [{len(name) + 1} x i8] c"{name}\\00"\n'
        declarations = (
            "ptr @simulated_wgmma(ptr, i32, i64, i64, i32, i32, i32, ...)",
            "ptr @simulated_wgmma_wait(i32, i32, ...)",
            "ptr @simulated_wgmma_fence(i32, ...)",
            "void @simulated_mbarrier_wait(ptr, i32)",
            "void @simulated_tma_load(ptr, ptr, ptr, i32, i32)",
        )
        return text + "".join(f"declare {each} convergent\n" for each in declarations) * bool(
            self.count
        )


def with_dynamic_shared(text):
    """Defines the external array of dynamic size with the maximum size of a block."""
    return re.sub(
        r"^(@__dynamic_shmem__\w+ = )external addrspace\(3\) global \[0 x i8\](?: \w+)?, align (\d+)$",
        rf"\1internal addrspace(3) global {DYNAMIC} undef, align \2",
        text,
        flags=re.MULTILINE,
    )  # fmt: skip


def shared_arrays(text):
    """The arrays in shared memory, and the bytes of each. An array without address terminates the
    list."""
    arrays = re.findall(
        r"^@([\w.]+) = .*addrspace\(3\) global (\[\d+ x \w+\]|\w+)", text, re.MULTILINE
    )
    entries = [
        f"{{ ptr, i64 }} {{ ptr addrspacecast (ptr addrspace(3) @{name} to ptr), i64 {0 if type_name == DYNAMIC else bytes_of(type_name)} }}"
        for name, type_name in arrays
    ] + ["{ ptr, i64 } zeroinitializer"]
    return (
        f"@simulated_shared = constant [{len(entries)} x {{ ptr, i64 }}] [{', '.join(entries)}]\n"
    )


def to_host(text):
    """LLVM IR with NVIDIA's intrinsics as LLVM IR for the host, and the names of the intrinsics."""
    instructions = set(re.findall(r"@llvm\.nvvm\.([\w.]+)", text))
    text = re.sub(r"@llvm\.nvvm\.([\w.]+)", lambda m: "@nvvm_" + m[1].replace(".", "_"), text)
    text = re.sub(
        r"  (%[\w.]+) = (?:tail )?call (.+) (@nvvm_\w+)\((.*?)\)(?: #\d+)?", by_integers, text
    )
    text = re.sub(r"(declare .*@nvvm_.*)", lambda m: re.sub(r"<2 x \w+>", "i32", m[1]), text)
    # Attributes of intrinsics only.
    text = re.sub(
        r"^(declare .*@nvvm_.*)",
        lambda m: m[1].replace(", i1 immarg", "").replace(" immarg", ""),
        text,
        flags=re.MULTILINE,
    )
    # The call site identifies the barrier or shuffle, so calls must not be merged or duplicated.
    text = re.sub(
        r"^(declare \w+ @nvvm_(?:barrier|shfl)\w+\(.*?\)).*",
        r"\1 convergent nomerge",
        text,
        flags=re.MULTILINE,
    )
    return re.sub(NAN_MAKERS, with_device_nans, text), instructions


def bytes_of(type_name):
    vector = re.fullmatch(r"[<\[](\d+) x (\w+)[>\]]", type_name)
    count, element = (int(vector[1]), vector[2]) if vector else (1, type_name)
    if element in BYTES:
        return count * BYTES[element]
    bits = int(element.removeprefix("i"))
    return -(-count * bits // 8) if type_name[0] == "<" else count * -(-bits // 8)


def with_checks(text):
    """Inserts a call before every memory access, with address, size and alignment."""
    count = 0

    def checked(match):
        nonlocal count
        count += 1
        kind, type_name, space, pointer, align = match.groups()
        lines = []
        if space and space != "0":
            lines.append(
                f"  %access{count} = addrspacecast ptr addrspace({space}) {pointer} to ptr"
            )
            pointer = f"%access{count}"
        lines.append(
            f"  call void @simulated_access(ptr {pointer}, i64 {bytes_of(type_name)}, i64 {align}, i32 {int(kind == 'store')})"
        )
        return "\n".join([*lines, match[0]])

    text = ACCESSES.sub(checked, text)
    return text + "\ndeclare void @simulated_access(ptr, i64, i64, i32)\n"


def parameter_types(parameters):
    """The types of `ptr noundef align 16 %0, ptr byval([16 x i64]) %1`, and the types of byval as
    arrays. Commas in brackets occur in `initializes((0, 8))` only."""
    parameters = re.sub(r"initializes\(.*?\)\)", "", parameters)
    found = []
    for parameter in parameters.split(","):
        by_value = re.search(r"byval\((.*?)\)", parameter)
        if parameter.strip():
            found.append(by_value[1] if by_value else parameter.split()[0])
    return found


def caller(name, parameters):
    """The function with which the simulator calls a kernel: it takes pointers to the values, each
    of the size that it reports."""
    types = parameter_types(parameters)
    by_value = [type_name.startswith("[") for type_name in types]
    sizes = ", ".join(f"i32 {size}" for size in [len(types), *map(bytes_of, types)])
    lines = [
        f"@simulated_{name}_sizes = constant [{len(types) + 1} x i32] [{sizes}]",
        f"define void @simulated_{name}_call(ptr %values) {{",
    ]
    for index, type_name in enumerate(types):
        lines += [
            f"  %p{index} = getelementptr ptr, ptr %values, i64 {index}",
            f"  %a{index} = load ptr, ptr %p{index}",
            f"  %v{index} = load {type_name}, ptr %a{index}, align 1",
        ]
        # All threads share one aligned copy.
        if by_value[index]:
            lines += [
                f"  %c{index} = alloca {type_name}, align 64",
                f"  store {type_name} %v{index}, ptr %c{index}",
            ]
    arguments = ", ".join(
        f"ptr byval({type_name}) align 64 %c{index}"
        if by_value[index]
        else f"{type_name} %v{index}"
        for index, type_name in enumerate(types)
    )
    return "\n".join([*lines, f"  call void @{name}({arguments})", "  ret void", "}", ""])


def build_kernels(text, library, compiler, cuda_include):
    """Builds the library of kernels that the simulator calls from a module of device code. Returns
    their names."""
    # Names with dollar signs need no quotes.
    text = re.sub(r'@"([\w$]+)"', r"@\1", text)
    kernels = KERNELS.findall(text)
    if not kernels:
        raise ValueError("no kernels in the device code")
    text = re.sub(r"^target (datalayout|triple) = .*$", "", text, flags=re.MULTILINE)
    text = re.sub(r' "target-(cpu|features)"="[^"]*"', "", text)
    text = re.sub(r"\bptx_kernel ", "", text)
    text = with_dynamic_shared(text)
    shared = shared_arrays(text)
    text = AsyncInstructions().replace(text)
    text, _ = to_host(with_mma(with_checks(text)))
    text += shared
    text += "".join(caller(name, parameters) for name, parameters, _ in kernels)
    names = "".join(name + "\\0A" for name, _, _ in kernels)
    length = sum(len(name) + 1 for name, _, _ in kernels) + 1
    text += f'@simulated_kernels = constant [{length} x i8] c"{names}\\00"\n'
    source = Path(library).with_suffix(".ll")
    source.write_text(text)
    subprocess.run(
        [compiler, "-std=c++17", "-O1", "-march=x86-64-v3", "-shared", "-fPIC", "-Wl,-z,defs", "-Wno-override-module",
         "-isystem", cuda_include, source, INSTRUCTIONS, THREADS, "-o", library],
        check=True,
    )  # fmt: skip
    return [name for name, _, _ in kernels]
