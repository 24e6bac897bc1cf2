"""How instrumented programs of this project are run beside libraries that are not instrumented."""

import os
import pathlib
import subprocess

SUPPRESSIONS = pathlib.Path(__file__).parent / "tsan.supp"
# What libMLIR.so keeps for the life of the process is not this project's leak, it does not mark the
# spare room of containers and allocators as instrumented code does, and how its threads agree among
# themselves cannot be seen.
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0:detect_container_overflow=0:allow_user_poisoning=0"
    ":allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": f"suppressions={SUPPRESSIONS}:second_deadlock_stack=1",
}


def runtime(compiler, sanitizers):
    """The shared library that a program which is not instrumented has to load first."""
    name = {"Address": "asan", "Thread": "tsan"}[sanitizers.split(";")[0]]
    command = [compiler, f"-print-file-name=libclang_rt.{name}-x86_64.so"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def tool_environment():
    """For this project's programs: they have the runtime within, which Python has loaded first."""
    return {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
