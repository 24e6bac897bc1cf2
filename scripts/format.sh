#!/usr/bin/env bash
# Formats the C++ and Python sources and all headers in place, and applies the fixes of the linter.
# C sources (.c) are formatted by hand.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
find include lib tools test examples benchmarks python_bindings \( -name '*.h' -o -name '*.cpp' \) \
  -exec clang-format-22 -i {} +
"$QF_PYTHON" -m ruff check --quiet --fix .
"$QF_PYTHON" -m ruff format --quiet .
