# The GoogleTest programs, run and sharded by lit.
import os
import sys

import lit.formats

sys.path.insert(0, os.path.join(os.path.dirname(__file__), os.pardir, "helpers"))
import sanitizers  # noqa: E402

config.name = "quant-float-unit"
config.suffixes = []
config.test_exec_root = os.path.join(config.quant_float_obj_root, "test", "Unit")
config.test_source_root = config.test_exec_root
config.test_format = lit.formats.GoogleTest(".", "Tests")

for name in ("HOME", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "GTEST_FILTER"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
if config.quant_float_sanitizers:
    for name, options in sanitizers.OPTIONS.items():
        config.environment.setdefault(name, options)
