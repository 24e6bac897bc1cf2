# Sourced by the scripts beside it; leaves the caller in the repository's root.
#   qf_setup            everything the build and the tests need (setup.sh)
#   qf_build [TARGET…]  configures if need be and builds into build/, the tools into build/bin/
QF_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
QF_BUILD=$QF_ROOT/build
QF_PYTHON=$QF_BUILD/venv/bin/python
# The version of LLVM and of the tools of its packages; docs/llvm-versions.md lists those that are supported.
export QF_LLVM=${QF_LLVM:-22}
cd "$QF_ROOT" || exit 1

# Compiler output is the same wherever the checkout lies.
export CCACHE_BASEDIR=$QF_ROOT CCACHE_NOHASHDIR=1

qf_setup() {
  bash "$QF_ROOT/scripts/setup.sh"
}

qf_build() {
  local log=$QF_BUILD/build.log
  mkdir -p "$QF_BUILD"
  echo "build: configuring"
  # Every time: it takes two seconds, and a checkout may have gained folders.
  cmake --preset release "-DCMAKE_C_COMPILER=clang-$QF_LLVM" "-DCMAKE_CXX_COMPILER=clang++-$QF_LLVM" \
    "-DMLIR_DIR=/usr/lib/llvm-$QF_LLVM/lib/cmake/mlir" >"$log" 2>&1 || { tail -40 "$log" >&2; return 1; }
  echo "build: compiling into $QF_BUILD"
  local started=$SECONDS
  NINJA_STATUS='[%f/%t %es] ' ninja -C "$QF_BUILD" "$@" >"$log" 2>&1 || { grep -A30 '^FAILED' "$log" | head -80 >&2; return 1; }
  echo "build: done after $((SECONDS - started)) s"
}
