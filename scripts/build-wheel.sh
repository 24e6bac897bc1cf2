#!/usr/bin/env bash
# Builds the source distribution of the Python package into build/wheels/, and from it, in an isolated environment, the
# wheel for the Python of this machine. This wheel uses the installed libraries of LLVM.
#   scripts/build-wheel.sh [--self-contained] [--no-setup]
# --self-contained  also builds wheels that contain LLVM, MLIR, lld and LLVM's OpenMP runtime, into build/wheels/manylinux/:
#                   one for the Python of this machine, and one for the stable ABI of CPython 3.12 and later
# --no-setup        does not install the packages and the Python environment that the build needs (scripts/setup.sh)
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

self_contained=0 setup=1
while [ $# -gt 0 ]; do
  case "$1" in
    --self-contained) self_contained=1 ;;
    --no-setup) setup=0 ;;
    -h | --help) sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
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

# The relative paths of sources and build, and the flags, are those of this project's own build, so
# that ccache has the objects.
export CC=clang-$QF_LLVM CXX=clang++-$QF_LLVM MLIR_DIR=/usr/lib/llvm-$QF_LLVM/lib/cmake/mlir
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$wheels/source/project
fi
build_wheel() { # FOLDER [SETTING=VALUE...]
  local folder=$1
  shift
  "$QF_PYTHON" -m pip wheel --disable-pip-version-check --no-deps --config-settings=build-dir=project/build \
    --config-settings=cmake.define.QUANT_FLOAT_WARNINGS_AS_ERRORS=ON "${@/#/--config-settings=cmake.define.}" \
    -w "$folder" "$wheels/source" >"$wheels/wheel.log" 2>&1 || { tail -40 "$wheels/wheel.log" >&2; exit 1; }
}
build_wheel "$wheels"
echo "build-wheel: $(cd "$wheels" && ls ./*.tar.gz ./*.whl | xargs)"
[ $self_contained = 1 ] || exit 0

# The stable ABI needs the headers of a newer Python than that of Debian 12.
headers=${XDG_CACHE_HOME:-$HOME/.cache}/quant-float/python3.13
if [ ! -e "$headers/.complete" ]; then
  rm -rf "$headers"
  mkdir -p "$headers"
  bash scripts/download-package.sh trixie libpython3.13-dev "$headers" ./usr/include >\
    "$wheels/headers.log" 2>&1 || { tail -5 "$wheels/headers.log" >&2; exit 1; }
  touch "$headers/.complete"
fi
build_wheel "$wheels/linux" QUANT_FLOAT_PYTHON_SELF_CONTAINED=ON \
  "QUANT_FLOAT_PYTHON_STABLE_INCLUDE_DIRS=$headers/usr/include/python3.13;$headers/usr/include"

# The second wheel differs in the extension only.
"$QF_PYTHON" - "$wheels/linux" "$wheels/source/project/build/lib/_native.abi3.so" <<'EOF'
import pathlib, re, shutil, sys
from auditwheel.wheeltools import InWheel

[wheel] = pathlib.Path(sys.argv[1]).glob("*.whl")
stable = wheel.with_name(re.sub(r"-cp\d+-cp\d+-", "-cp312-abi3-", wheel.name))
with InWheel(wheel, stable):
    [extension] = pathlib.Path("quant_float").glob("_native.*.so")
    extension.unlink()
    shutil.copy(sys.argv[2], "quant_float")
    [tags] = pathlib.Path().glob("*.dist-info/WHEEL")
    tags.write_text(re.sub(r"^Tag: cp\d+-cp\d+-", "Tag: cp312-abi3-", tags.read_text(), flags=re.M))
EOF
# Only the plugin uses LLVM's shared libraries: those of MLIR's own Python bindings.
PATH=$QF_BUILD/venv/bin:$PATH "$QF_PYTHON" -m auditwheel repair --exclude 'libMLIR.so.*' --exclude 'libLLVM.so.*' -z 9 \
  -w "$wheels/manylinux" "$wheels"/linux/*.whl >"$wheels/repair.log" 2>&1 || { tail -40 "$wheels/repair.log" >&2; exit 1; }
(cd "$wheels/manylinux" && stat -c 'build-wheel: manylinux/%n: %s bytes' ./*.whl | sed 's|/\./|/|')
