#!/usr/bin/env bash
# Downloads a package of another Debian suite, and unpacks files and folders of it, ./usr/bin/NAME
# for example, into a folder. Uses a separate apt configuration, so that the machine's does not
# change.
#   scripts/download-package.sh SUITE PACKAGE FOLDER PATH...
set -euo pipefail
[ $# -ge 4 ] || { sed -n '2,5s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2; }
suite=$1 package=$2 folder=$(realpath -m "$3")
shift 3

mirror=$(sed -n 's/^URIs: *//p;s/^deb  *\(\[[^]]*\]  *\)\{0,1\}\([^ ]*\).*/\2/p' \
  /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null | head -1) || true
[ -n "$mirror" ] || { echo "download-package.sh: error: the machine's apt sources name no Debian mirror" >&2; exit 1; }
apt=$(mktemp -d)
trap 'rm -rf "$apt"' EXIT
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$folder"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$apt/sources.list"
options=(-q -o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
  -o Dir::State::Lists="$apt/lists" -o Dir::Cache="$apt/cache" -o APT::Sandbox::User="$(id -un)"
  -o Acquire::Languages=none)
apt-get "${options[@]}" update
(cd "$apt" && apt-get "${options[@]}" download "$package")
dpkg-deb --fsys-tarfile "$apt"/*.deb | tar -x -C "$folder" "$@"
