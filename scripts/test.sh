#!/usr/bin/env bash
# Sets up, builds and runs all tests; the last line is "N passed, N failed[, N skipped]".
#   scripts/test.sh [--no-setup] [lit's own arguments, e.g. --filter=cast]
#   scripts/test.sh --full[=STEP,...] [--no-setup]
# With --full the exhaustive tests (hours) and the checks that need other builds or packages run as
# well, step by step: wheel, packages, site, sanitizers, fuzzers, clang-tidy
# (scripts/full_tests.py --help has the list); what was found is written as JSON to test/results/.
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
# While the build goes on. What cannot be downloaded, tests do without, and say so.
emulators=''
if [ "$setup" = 1 ]; then
  bash scripts/setup.sh --emulators &
  emulators=$!
fi
# Without them, steps are skipped.
[ "$setup" = 0 ] || [ -z "$full" ] || bash scripts/setup.sh --full || true
qf_build all quant-float-test-depends
[ -z "$emulators" ] || wait "$emulators" || true

if [ -n "$full" ]; then
  steps=${full#--full}
  exec "$QF_PYTHON" scripts/full_tests.py ${steps:+"${steps#=}"}
fi

# What tests record must be of this run.
rm -rf "$QF_BUILD/test/results" "$QF_BUILD/test/summary.json"
status=0
"/usr/lib/llvm-$QF_LLVM/bin/lit" -sv --no-progress-bar --param strict=1 \
  --output "$QF_BUILD/test/summary.json" "$@" "$QF_BUILD/test" || status=$?
"$QF_PYTHON" scripts/summarize_tests.py "$QF_BUILD/test" || status=1
exit $status
