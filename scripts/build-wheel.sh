#!/usr/bin/env bash
# Builds the Python package's sdist and wheel into build/wheels/, the wheel from the sdist in an isolated environment.
# With --repair, build/wheels/repaired/ gets one that holds LLVM's and all other libraries as well.
#   scripts/build-wheel.sh [--repair] [--no-setup]
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

repair=0 setup=1
while [ $# -gt 0 ]; do
  case "$1" in
    --repair) repair=1 ;;
    --no-setup) setup=0 ;;
    -h | --help) sed -n '2,4s/^# *//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) echo "build-wheel.sh: unknown option '$1'" >&2; exit 2 ;;
  esac
  shift
done
[ "$setup" = 0 ] || qf_setup

wheels=$QF_BUILD/wheels
rm -rf "$wheels"
mkdir -p "$wheels"
# What CMake passes on to the compiler; nothing else of the outer build reaches the inner one.
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
fi
"$QF_PYTHON" -m scikit_build_core.build sdist --help >/dev/null 2>&1 || true
(cd python_bindings && "$QF_PYTHON" -c '
import sys
from scikit_build_core.build import build_sdist
print("build-wheel:", build_sdist(sys.argv[1]))' "$wheels")
# Where the sources lie decides what ccache finds again.
CCACHE_BASEDIR=$wheels "$QF_PYTHON" -m pip wheel -q --disable-pip-version-check --no-deps -w "$wheels" "$wheels"/*.tar.gz
echo "build-wheel: $(cd "$wheels" && ls ./*.whl)"

if [ $repair = 1 ]; then
  mkdir -p "$wheels/repaired"
  PATH=$QF_BUILD/venv/bin:$PATH "$QF_PYTHON" -m auditwheel repair -w "$wheels/repaired" "$wheels"/*.whl
  echo "build-wheel: repaired/$(cd "$wheels/repaired" && ls ./*.whl)"
fi
