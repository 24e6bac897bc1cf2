"""Runs instrumented programs of this project together with libraries that are not instrumented."""

import os
import pathlib
import subprocess

SUPPRESSIONS = pathlib.Path(__file__).parent / "tsan.supp"
# Memory that libMLIR.so keeps until the process ends is not a leak of this project. Unlike
# instrumented code, libMLIR.so does not annotate the unused capacity of containers and allocators,
# and the synchronization of its threads is invisible.
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0:detect_container_overflow=0:allow_user_poisoning=0"
    ":allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": f"suppressions={SUPPRESSIONS}:second_deadlock_stack=1",
}


def runtime(compiler, sanitizers):
    """The shared library that a program without instrumentation must preload."""
    name = {"Address": "asan", "Thread": "tsan"}[sanitizers.split(";")[0]]
    command = [compiler, f"-print-file-name=libclang_rt.{name}-x86_64.so"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def tool_environment():
    """The environment for this project's programs: they contain the runtime, which Python
    preloads."""
    return {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
