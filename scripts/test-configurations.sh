#!/usr/bin/env bash
# Builds the component core in other configurations, with the version of LLVM that QF_LLVM names, and runs the tests of
# its passes with them. Requires a complete build in build/ (scripts/build.sh all quant-float-test-depends).
#   scripts/test-configurations.sh [debug] [static] [assertions]    all three by default
# debug       -O0 with the assertions of this project and of LLVM's headers
# static      with MLIR's static libraries instead of libMLIR.so
# assertions  compiled, but not linked, as for an LLVM that is built with assertions: Debian has no such packages
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
[ $# -gt 0 ] || set -- debug static assertions
for name in "$@"; do
  case $name in
    debug | static | assertions) ;;
    -h | --help) sed -n '2,7s/^# \{0,1\}//p' "$QF_ROOT/scripts/test-configurations.sh"; exit 0 ;;
    *) echo "test-configurations.sh: error: expected debug, static or assertions, but got '$name'" >&2; exit 2 ;;
  esac
done

build() { # FOLDER OPTION...
  local folder=$1
  shift
  mkdir -p "$folder"
  { cmake --preset core -B "$folder" "-DCMAKE_C_COMPILER=clang-$QF_LLVM" "-DCMAKE_CXX_COMPILER=clang++-$QF_LLVM" \
      "-DMLIR_DIR=/usr/lib/llvm-$QF_LLVM/lib/cmake/mlir" "$@" &&
    ninja -C "$folder" "${targets[@]}"
  } >"$folder/build.log" 2>&1 || { tail -40 "$folder/build.log" >&2; exit 1; }
}

# The other tools are those of build/.
run_tests() { # FOLDER
  local tool
  for tool in "$QF_BUILD"/bin/*; do
    [ -e "$1/bin/$(basename "$tool")" ] || ln -s "$tool" "$1/bin/"
  done
  mkdir -p "$1/test"
  sed "s|$QF_BUILD/bin|$1/bin|" "$QF_BUILD/test/lit.site.cfg.py" >"$1/test/lit.site.cfg.py"
  "/usr/lib/llvm-$QF_LLVM/bin/lit" -sv --no-progress-bar --param strict=1 --param component=core \
    --filter ':: (IR|Conversion|Transforms)/.*\.mlir' "$1/test"
}

for name in "$@"; do
  folder=$QF_BUILD/core-$name targets=(all)
  echo "configuration: $name"
  case $name in
    debug)
      build "$folder" -DCMAKE_BUILD_TYPE=Debug
      run_tests "$folder"
      ;;
    static)
      build "$folder" -DQUANT_FLOAT_LINK_STATIC=ON
      run_tests "$folder"
      ;;
    assertions)
      header=llvm/Config/abi-breaking.h targets=(lib/all)
      mkdir -p "$folder/llvm/llvm/Config"
      sed 's/\(LLVM_ENABLE_ABI_BREAKING_CHECKS\) 0/\1 1/' "/usr/lib/llvm-$QF_LLVM/include/$header" >"$folder/llvm/$header"
      build "$folder" -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS=-I$folder/llvm -DQUANT_FLOAT_LLVM_HAS_ASSERTIONS"
      ;;
  esac
done
