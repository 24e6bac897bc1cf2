#!/usr/bin/env bash
# Builds everything, or the named targets, into build/ (Release); the tools are in build/bin/.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
qf_setup
qf_build "$@"
