#!/usr/bin/env bash
# Builds the documentation, including the reference that is generated from the sources, as a static
# site with search, build/docs/site/index.html. --pages only writes the Markdown pages, to
# build/docs/pages, and requires no network.
#   scripts/build-docs.sh [--pages] [--no-setup]
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

pages=0 setup=1
while [ $# -gt 0 ]; do
  case "$1" in
    --pages) pages=1 ;;
    --no-setup) setup=0 ;;
    -h | --help) sed -n '2,5s/^# *//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) echo "build-docs.sh: unknown option '$1'" >&2; exit 2 ;;
  esac
  shift
done
if [ $setup = 1 ]; then
  qf_setup
  qf_build quant-float-manuals quant-float-opset-rules
fi

"$QF_PYTHON" scripts/docs/generate.py --full . "$QF_BUILD" /usr/lib/llvm-22/bin "$QF_BUILD/docs/pages"
[ $pages = 0 ] || exit 0

bash scripts/setup.sh --docs
NO_MKDOCS_2_WARNING=1 "$QF_BUILD/docs/venv/bin/python" -m mkdocs --quiet build --clean
echo "build-docs: $QF_BUILD/docs/site/index.html"
