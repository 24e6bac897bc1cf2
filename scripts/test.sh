#!/usr/bin/env bash
# Sets up, builds and runs all tests. The last line is "N passed, N failed[, N skipped]".
#   scripts/test.sh [--no-setup] [lit's own arguments, e.g. --filter=cast]
#   scripts/test.sh --full[=STEP,...] [--no-setup]
# --full also runs the exhaustive tests (hours) and the checks that require other builds or packages,
# step by step: wheel, packages, site, sanitizers, fuzzers, clang-tidy and others. scripts/full_tests.py
# --help lists the steps. The results are written to test/results/ as JSON.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

full='' setup=1
while [ $# -gt 0 ]; do
  case "$1" in
    --full | --full=*) full=$1 ;;
    --no-setup) setup=0 ;;
    -h | --help) sed -n '2,7s/^# *//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) break ;;
  esac
  shift
done

[ -z "$full" ] || [ $# = 0 ] || { echo "test.sh: --full takes no arguments of lit: $*" >&2; exit 2; }

[ "$setup" = 0 ] || qf_setup
# Runs during the build. If a download fails, the tests that require it are skipped.
emulators=''
if [ "$setup" = 1 ]; then
  bash scripts/setup.sh --emulators &
  emulators=$!
fi
# If this fails, steps are skipped.
[ "$setup" = 0 ] || [ -z "$full" ] || bash scripts/setup.sh --full || true
qf_build all quant-float-test-depends
[ -z "$emulators" ] || wait "$emulators" || true

if [ -n "$full" ]; then
  steps=${full#--full}
  exec "$QF_PYTHON" scripts/full_tests.py ${steps:+"${steps#=}"}
fi

# Remove the records of earlier runs.
rm -rf "$QF_BUILD/test/results" "$QF_BUILD/test/summary.json"
status=0
"/usr/lib/llvm-$QF_LLVM/bin/lit" -sv --no-progress-bar --param strict=1 \
  --output "$QF_BUILD/test/summary.json" "$@" "$QF_BUILD/test" || status=$?
"$QF_PYTHON" scripts/summarize_tests.py "$QF_BUILD/test" || status=1
exit $status
