#!/usr/bin/env bash
# Brings a Debian 12 machine to where this project builds and its tests run: installs the packages
# of packages.txt (as root, or with sudo) and makes the Python environment build/venv from
# requirements.txt. What is already there is left alone, so it is cheap to call again;
# run-example.sh and test.sh call it first.
#   scripts/setup.sh --docs      the environment build/docs/venv instead, which builds the site
#   scripts/setup.sh --browser   with a browser to try the site in
#   scripts/setup.sh --full      only the packages that test.sh --full needs beside
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=scripts/packages.txt venv=build/venv requirements=scripts/requirements.txt
case "${1:-}" in
  "") ;;
  --docs) packages='' venv=build/docs/venv requirements=scripts/requirements-docs.txt ;;
  --browser) packages=scripts/packages-browser.txt venv=build/docs/browser requirements=scripts/requirements-browser.txt ;;
  --full) packages=scripts/packages-full.txt venv='' ;;
  -h | --help) echo "usage: scripts/setup.sh [--docs|--browser|--full]    installs what the build, the tests and the example need, or what the documentation's site does"; exit 0 ;;
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
    [[ -z $name || $name == \#* ]] || wanted+=("$name")
  done <"$packages"
  command -v dpkg-query >/dev/null || die "this is not a Debian system; install the counterparts of: ${wanted[*]}"

  for package in "${wanted[@]}"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ "${#missing[@]}" -gt 0 ] || return 0

  say "installing ${#missing[@]} packages: ${missing[*]}"
  local log
  log=$(mktemp)
  # A source of the machine's own that cannot be reached is not our trouble as long as the packages
  # can be had.
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
  # An environment that was copied or moved, or whose interpreter is gone, is made anew.
  "$venv/bin/python" -m pip --version >/dev/null 2>&1 || rm -rf "$venv"
  rm -f "$stamp"
  [ -d "$venv" ] || "$python" -m venv "$venv"
  "$venv/bin/python" -m pip install -q --disable-pip-version-check -r "$requirements"
  echo "$want" >"$stamp"
}

started=$SECONDS
[ -z "$packages" ] || install_packages
[ -z "$venv" ] || make_environment
say "ready after $((SECONDS - started)) s"
