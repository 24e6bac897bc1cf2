#!/usr/bin/env bash
# Runs a command in a minimal Debian (minbase) of a suite, like a user's machine. Requires root and
# debootstrap.
#   test/helpers/in_container.sh SUITE FOLDER COMMAND    mounts the folder at its own path and starts there
# The base systems are kept in ~/.cache/quant-float/containers. Every run starts from a copy, which
# is removed at the end. Uses the mirror, the certificates and apt's settings of this machine.
set -euo pipefail
[ $# -eq 3 ] || { sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2; }
suite=$1 folder=$(realpath "$2") command=$3
containers=${XDG_CACHE_HOME:-$HOME/.cache}/quant-float/containers
base=$containers/$suite
if [ ! -e "$base/.ready" ]; then
  rm -rf "$base"
  mkdir -p "$containers"
  mirror=$(sed -n 's/^URIs: *//p;s/^deb  *\(\[[^]]*\]  *\)\{0,1\}\([^ ]*\).*/\2/p' \
    /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null | head -1) || true
  mirror=${mirror:-http://deb.debian.org/debian}
  debootstrap --variant=minbase --include=ca-certificates "$suite" "$base" "$mirror" >"$base.log" 2>&1 || { tail -3 "$base.log" >&2; exit 1; }
  # LLVM 22 is a security update of Debian 12.
  [ "$suite" != bookworm ] || echo "deb $mirror-security bookworm-security main" >>"$base/etc/apt/sources.list"
  for file in /etc/apt/apt.conf.d/99*; do [ ! -e "$file" ] || cp "$file" "$base/etc/apt/apt.conf.d/"; done
  touch "$base/.ready"
fi
root=$(mktemp -d "$containers/run.XXXXXX")
trap 'rm -rf --one-file-system "$root"' EXIT
cp -a "$base/." "$root/"
cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
cp -L /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null || true
mkdir -p "$root$folder"
export root folder
# A private mount namespace, so that no mounts remain on the machine.
# shellcheck disable=SC2016
unshare --mount --propagation private bash -c '
  mount --bind /dev "$root/dev" && mount -t proc proc "$root/proc" && mount --bind "$folder" "$root$folder" || exit 1
  exec chroot "$root" env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
    PIP_CERT=/etc/ssl/certs/ca-certificates.crt SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt sh -c "cd $folder && $1"
' in_container.sh "$command"
