#!/usr/bin/env bash
# Prints where ONNX's own C++ library is installed. Builds it if necessary, in half a minute on two
# cores.
#   cmake/onnx/build.sh [PYTHON]    PYTHON must have pip for the download (python3)
# CXXFLAGS is used as in CMake. The result is stored in ~/.cache/quant-float, for all checkouts,
# keyed by its version and its build settings.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=${1:-python3}
export CC=${CC:-clang-${QF_LLVM:-22}} CXX=${CXX:-clang++-${QF_LLVM:-22}}

version=$(sed -n 's/^onnx==\([^ ]*\).*/\1/p' "$here/requirements.txt")
key=$( (cat "$here/CMakeLists.txt" "$here/requirements.txt"; "$CXX" --version; protoc --version; echo "${CXXFLAGS:-}") |
  sha256sum | cut -c1-12)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/quant-float
prefix=$cache/onnx-$version-$key
if [ ! -e "$prefix" ]; then
  mkdir -p "$cache"
  # Only one of several checkouts builds at a time.
  exec 9>"$cache/.onnx.lock"
  flock 9
fi
if [ ! -e "$prefix" ]; then
  echo "onnx: building ONNX's C++ library $version" >&2
  part=$prefix.part
  rm -rf "$part"
  mkdir -p "$part/source"
  { "$python" -m pip download -q --disable-pip-version-check --no-deps --no-binary onnx --require-hashes \
      -r "$here/requirements.txt" -d "$part" &&
    tar -xzf "$part/onnx-$version.tar.gz" -C "$part/source" --strip-components=1 &&
    cmake -G Ninja -S "$here" -B "$part/build" -DONNX_SOURCE="$part/source" -DCMAKE_BUILD_TYPE=Release \
      -DCMAKE_INSTALL_PREFIX="$part/install" &&
    ninja -C "$part/build" -j "$(($(nproc) < 2 ? 1 : 2))" install
  } >"$part/log" 2>&1 || { tail -20 "$part/log" >&2; echo "onnx: error: not built, the whole log: $part/log" >&2; exit 1; }
  # Installed atomically.
  mv "$part/install" "$prefix"
  rm -rf "$part"
fi
echo "$prefix"
