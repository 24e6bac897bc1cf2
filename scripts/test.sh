#!/usr/bin/env bash
# Sets up, builds and runs all tests; the last line is "N passed, N failed". With --full it also
# runs the tests marked `REQUIRES: full` (exhaustive, hours) and writes what was found as JSON under
# test/results/.
#   scripts/test.sh [--full] [--no-setup] [lit's own arguments, e.g. --filter=cast]
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

full=0 setup=1
while [ $# -gt 0 ]; do
  case "$1" in
    --full) full=1 ;;
    --no-setup) setup=0 ;;
    -h | --help) sed -n '2,4s/^# *//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) break ;;
  esac
  shift
done

[ "$setup" = 0 ] || qf_setup
qf_build all quant-float-test-depends

# What tests record must be of this run.
rm -rf "$QF_BUILD/test/results" "$QF_BUILD/test/summary.json"
status=0
/usr/lib/llvm-22/bin/lit -sv --no-progress-bar --param strict=1 --param full=$full \
  --output "$QF_BUILD/test/summary.json" "$@" "$QF_BUILD/test" || status=$?

"$QF_PYTHON" scripts/summarize-tests.py "$QF_BUILD/test" $([ $full = 0 ] || echo --record test/results) || status=1
exit $status
