#!/usr/bin/env bash
# Builds the source distribution of the Python package into build/wheels/, and from it, in an isolated environment, the
# wheel. --repair also writes a wheel that contains LLVM and all other libraries to build/wheels/repaired/.
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
mkdir -p "$wheels/source"
(cd python_bindings && "$QF_PYTHON" -c 'import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])' \
  "$wheels" >"$wheels/sdist.log")
tar -xzf "$wheels"/*.tar.gz -C "$wheels/source" --strip-components=1

# Sources and build lie to each other as in this project's own build, so that ccache knows the objects.
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$wheels/source/project
fi
"$QF_PYTHON" -m pip wheel --disable-pip-version-check --no-deps --config-settings=build-dir=project/build \
  -w "$wheels" "$wheels/source" >"$wheels/wheel.log" 2>&1 || { tail -40 "$wheels/wheel.log" >&2; exit 1; }
echo "build-wheel: $(cd "$wheels" && ls ./*.tar.gz ./*.whl | xargs)"

if [ $repair = 1 ]; then
  PATH=$QF_BUILD/venv/bin:$PATH "$QF_PYTHON" -m auditwheel repair -w "$wheels/repaired" "$wheels"/*.whl \
    >"$wheels/repair.log" 2>&1 || { tail -40 "$wheels/repair.log" >&2; exit 1; }
  # Threads need LLVM's OpenMP runtime, which nothing links: it is loaded by name when code calls it.
  "$QF_PYTHON" - "$wheels"/repaired/*.whl /usr/lib/llvm-22/lib/libomp.so.5 <<'EOF'
import pathlib, shutil, sys
from auditwheel.wheeltools import InWheel

wheel = pathlib.Path(sys.argv[1])
with InWheel(wheel, wheel):
    shutil.copy(sys.argv[2], "quant_float.libs")
EOF
  echo "build-wheel: repaired/$(cd "$wheels/repaired" && ls)"
fi
