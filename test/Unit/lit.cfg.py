# The GoogleTest programs, run and sharded by lit.
import os

import lit.formats

config.name = "quant-float-unit"
config.suffixes = []
config.test_exec_root = os.path.join(config.quant_float_obj_root, "test", "Unit")
config.test_source_root = config.test_exec_root
config.test_format = lit.formats.GoogleTest(".", "Tests")

for name in ("HOME", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS", "GTEST_FILTER"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
if config.quant_float_sanitizers:
    # What libMLIR.so keeps for the life of the process is not this project's leak, and it does not
    # mark the spare room of containers and allocators as instrumented code does.
    config.environment.setdefault(
        "ASAN_OPTIONS", "detect_leaks=0:detect_container_overflow=0:allow_user_poisoning=0"
    )
    config.environment.setdefault("UBSAN_OPTIONS", "print_stacktrace=1")
