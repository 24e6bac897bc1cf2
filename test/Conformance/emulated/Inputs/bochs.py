"""Runs a static x86-64 program that reads, writes and exits on Bochs's CPU, which has AVX10.2 and
AMX.

The CPU is in 64-bit mode with identity-mapped memory and no operating system: a system call jumps
to a HLT instruction, and this program emulates it.
"""

import argparse
import ctypes
import importlib.util
import mmap
import os
import pathlib
import struct
import sys

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("shim", help="bochs.c, compiled")
parser.add_argument("package", help="the folder with bochscpu")
parser.add_argument("program")
parser.add_argument(
    "--no-tiles",
    action="store_true",
    help="deny tile registers to a program that requests them, as a system may",
)
arguments = parser.parse_args()

sys.path.insert(0, arguments.package)
shim = ctypes.CDLL(arguments.shim, mode=ctypes.RTLD_GLOBAL)
folder = pathlib.Path(importlib.util.find_spec("bochscpu").origin).parent
(module,) = folder.glob("_bochscpu*.so")
ctypes.CDLL(str(module))
shim.useBochs(str(module).encode())
import bochscpu  # noqa: E402
import bochscpu._bochscpu as core  # noqa: E402
import bochscpu.cpu  # noqa: E402

PAGE, LARGE_PAGE, MEMORY = 1 << 12, 1 << 21, 1 << 27
LEVEL4, LEVEL3, LEVEL2, HALT = 0x1000, 0x2000, 0x3000, 0x10000
memory = mmap.mmap(-1, MEMORY)
address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
for page in range(0, MEMORY, PAGE):
    core.memory.page_insert(page, address + page)
shim.emulateTiles(str(module).encode(), ctypes.c_void_p(address))
struct.pack_into("<Q", memory, LEVEL4, LEVEL3 | 7)
struct.pack_into("<Q", memory, LEVEL3, LEVEL2 | 7)
for index in range(MEMORY // LARGE_PAGE):
    struct.pack_into("<Q", memory, LEVEL2 + 8 * index, index * LARGE_PAGE | 0x87)
memory[HALT : HALT + 2] = b"\xf4\xf4"

program = pathlib.Path(arguments.program).read_bytes()
if program[:5] != b"\x7fELF\x02" or struct.unpack_from("<HH", program, 16) != (2, 62):
    sys.exit(f"{arguments.program} is no static program for x86-64")
entry, headers = struct.unpack_from("<QQ", program, 24)
size, count = struct.unpack_from("<HH", program, 54)
for index in range(count):
    kind, _, offset, place, _, length, _, _ = struct.unpack_from(
        "<IIQQQQQQ", program, headers + index * size
    )
    if kind == 1:
        memory[place : place + length] = program[offset : offset + length]


def segment(selector, attributes):
    made = bochscpu.Segment()
    made.present, made.selector, made.base, made.limit = True, selector, 0, 0xFFFFFFFF
    made.attr = attributes
    return made


state = bochscpu.State()
bochscpu.cpu.set_long_mode(state)
# FXSAVE, SIMD exceptions and XSAVE, with the state of all registers up to tiles.
state.cr4 |= 0x40600
state.cr3, state.xcr0 = LEVEL4, 0x600E7
state.mxcsr, state.mxcsr_mask = 0x1F80, 0xFFFF
state.fpcw, state.fptw = 0x37F, 0xFFFF
state.star, state.lstar, state.sfmask = 8 << 32, HALT, 0
state.rflags = 2
state.cs = segment(8, 0xA09B)
for name in ("ss", "ds", "es", "fs", "gs"):
    setattr(state, name, segment(16, 0xC093))
state.rip, state.rsp = entry, MEMORY - PAGE

session = bochscpu.Session()
session.cpu.state = state
trouble = []


def on_missing_page(where):
    trouble.append(f"no memory at {where:#x}")
    session.stop()


def on_exception(session, cpu, vector, error):
    trouble.append(f"exception {vector}")
    session.stop()


session.missing_page_handler = on_missing_page
hook = bochscpu.Hook()
hook.hlt = lambda session, cpu: session.stop()
hook.exception = on_exception

READ, WRITE, EXIT, CONTROL, UNKNOWN = 0, 1, 60, 158, -38
REQUEST, TILE_DATA = 0x1023, 18
while True:
    session.run([hook])
    state = session.cpu.state
    if trouble or state.rip not in (HALT, HALT + 1):
        print(f"bochs: {trouble or 'halted'} at {state.rip:#x}", file=sys.stderr, flush=True)
        os._exit(126)
    number, file, place, length = state.rax, state.rdi, state.rsi, state.rdx
    answer = UNKNOWN
    if number == READ:
        data = os.read(file, length)
        memory[place : place + len(data)] = data
        answer = len(data)
    elif number == WRITE:
        answer = os.write(file, memory[place : place + length])
    elif number == CONTROL and (file, place) == (REQUEST, TILE_DATA) and not arguments.no_tiles:
        answer = 0
    elif number == EXIT:
        # Written at once, without buffering.
        os._exit(file & 255)
    state.rax = answer & (1 << 64) - 1
    state.rip, state.rflags = state.rcx, state.r11
    session.cpu.state = state
