# Functions for the other scripts, which source this file. Changes to the root of the repository.
#   qf_setup            installs everything that the build and the tests require (setup.sh)
#   qf_build [TARGET…]  configures, and builds into build/, the tools into build/bin/
QF_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
QF_BUILD=$QF_ROOT/build
QF_PYTHON=$QF_BUILD/venv/bin/python
# The version of LLVM and of the tools in its packages. docs/llvm-versions.md lists the supported
# ones.
export QF_LLVM=${QF_LLVM:-22}
cd "$QF_ROOT" || exit 1

# Compiler output does not depend on the path of the checkout.
export CCACHE_BASEDIR=$QF_ROOT CCACHE_NOHASHDIR=1

qf_setup() {
  bash "$QF_ROOT/scripts/setup.sh"
}

qf_build() {
  local log=$QF_BUILD/build.log headers=${XDG_CACHE_HOME:-$HOME/.cache}/quant-float/onnxruntime-headers
  mkdir -p "$QF_BUILD"
  # setup.sh --full downloads them.
  headers=${QUANT_FLOAT_ONNXRUNTIME_INCLUDE_DIR:-$headers/usr/include/onnxruntime}
  [ -e "$headers/onnxruntime_c_api.h" ] || headers=''
  echo "build: configuring"
  # Always, because it takes only two seconds, and a checkout may have new folders.
  cmake --preset release "-DCMAKE_C_COMPILER=clang-$QF_LLVM" "-DCMAKE_CXX_COMPILER=clang++-$QF_LLVM" \
    "-DMLIR_DIR=/usr/lib/llvm-$QF_LLVM/lib/cmake/mlir" \
    ${headers:+"-DQUANT_FLOAT_ONNXRUNTIME_INCLUDE_DIR=$headers"} >"$log" 2>&1 || { tail -40 "$log" >&2; return 1; }
  echo "build: compiling into $QF_BUILD"
  local started=$SECONDS
  NINJA_STATUS='[%f/%t %es] ' ninja -C "$QF_BUILD" "$@" >"$log" 2>&1 || { qf_failures "$log" >&2; return 1; }
  echo "build: done after $((SECONDS - started)) s"
}

# Prints the failed commands of a log of ninja, or its end if ninja itself failed.
qf_failures() {
  if grep -q '^FAILED' "$1"; then
    grep -A30 '^FAILED' "$1" | head -80
  else
    tail -20 "$1"
  fi
}
