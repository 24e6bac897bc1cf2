#!/usr/bin/env bash
# Builds and tests with another version of LLVM than that of Debian 12, in a chroot of the Debian suite
# that has it. Requires root, and installs debootstrap. Tests the commit that is checked out. If there is a
# build in build/, also tests that both builds read each other's modules.
#   scripts/test-llvm.sh 23 [ARGUMENT...]    LLVM 23 of the unstable suite; the arguments are those of test.sh
#   scripts/test-llvm.sh 24 [ARGUMENT...]    the snapshot of LLVM 24 in the experimental suite
#   scripts/test-llvm.sh VERSION --run COMMAND    only runs a command of bash there, in the checkout
# The chroot is kept in ~/.cache/quant-float/llvm-VERSION, so the next run only builds what has changed.
# Without --run, the results are written to test/results/llvm-VERSION.json, one entry for each list of arguments.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

version=${1:-}
case "$version" in
  23) suites=sid ;;
  24) suites="sid experimental" ;;
  -h | --help) sed -n '2,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
  *) echo "test-llvm.sh: error: expected the version 23 or 24, but got '$version'" >&2; exit 2 ;;
esac
shift
die() { echo "test-llvm.sh: error: $*" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || die "expected to run as root"
commit=$(git rev-parse HEAD) || die "expected a checkout of git"
unshare --mount true || die "expected the right to mount, which a container without CAP_SYS_ADMIN lacks"
if ! command -v debootstrap >/dev/null; then
  echo "test-llvm: installing debootstrap"
  { apt-get update -q && apt-get install -y -q debootstrap; } >/dev/null || die "cannot install debootstrap"
fi

root=${XDG_CACHE_HOME:-$HOME/.cache}/quant-float/llvm-$version
if [ ! -e "$root/.ready" ]; then
  # Other systems have no mirror of Debian.
  mirror=''
  ! grep -qx 'ID=debian' /etc/os-release ||
    mirror=$(sed -n 's/^URIs: *//p;s/^deb  *\(\[[^]]*\]  *\)\{0,1\}\([^ ]*\).*/\2/p' \
      /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null | head -1) || true
  mirror=${mirror:-http://deb.debian.org/debian}
  echo "test-llvm: installing a Debian system into $root"
  rm -rf "$root"
  mkdir -p "$root"
  debootstrap --variant=minbase --include=ca-certificates,git sid "$root" "$mirror" >"$root.log" 2>&1 ||
    { tail -3 "$root.log" >&2; die "no Debian system from $mirror (the whole log: $root.log)"; }
  rm -f "$root"/etc/apt/sources.list "$root"/etc/apt/sources.list.d/*
  printf '%s\n' "Types: deb" "URIs: $mirror" "Suites: $suites" "Components: main" \
    "Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg" >"$root/etc/apt/sources.list.d/debian.sources"
  # Only the packages of this version come from the experimental suite. Debian's source package of
  # unreleased versions is llvm-toolchain-snapshot.
  printf '%s\n' "Package: src:llvm-toolchain-snapshot" "Pin: release a=experimental" "Pin-Priority: 990" "" \
    "Package: *" "Pin: release a=experimental" "Pin-Priority: 1" >"$root/etc/apt/preferences.d/experimental"
  # The machine's own settings: certificates and proxies.
  for file in /etc/apt/apt.conf.d/99*; do [ ! -e "$file" ] || cp "$file" "$root/etc/apt/apt.conf.d/"; done
  if [ "$version" = 24 ]; then
    # The CMake package of the snapshot names a program that no package contains, and requires the
    # file to exist.
    mkdir -p "$root/usr/lib/llvm-24/bin"
    touch "$root/usr/lib/llvm-24/bin/cir-lsp-server"
  fi
  touch "$root/.ready"
fi
cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
cp -L /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null || true

[ -z "$(git status --porcelain --untracked-files=no)" ] ||
  echo "test-llvm: changes that are not committed are not tested"
[ -e "$root/src/.git/HEAD" ] || { rm -rf "$root/src" && git clone -q --no-checkout . "$root/src"; }
git -C "$root/src" fetch -q --update-shallow "$PWD" "$commit"
git -C "$root/src" checkout -qf --detach "$commit"

# If the build fails, no test runs, and the results of an earlier run must not be recorded.
rm -f "$root/src/build/test/summary.json"
started=$SECONDS status=0 command='bash scripts/test.sh "$@"'
if [ "${1:-}" = --run ]; then
  command=${2:?expected a command}
  shift 2
  run=1
fi
export root version command
# shellcheck disable=SC2016
unshare --mount --propagation private bash -c '
  mount --bind /dev "$root/dev" && mount -t proc proc "$root/proc" || exit 1
  exec chroot "$root" env HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin QF_LLVM="$version" \
    PIP_CERT=/etc/ssl/certs/ca-certificates.crt REQUESTS_CA_BUNDLE=/etc/ssl/certs/ca-certificates.crt \
    SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt bash -c "cd /src && $command" test.sh "$@"
' test-llvm.sh "$@" || status=$?
[ -z "${run:-}" ] || exit $status

# Each build of this commit reads the modules of each other one.
others=''
for other in "${root%/*}"/llvm-*; do
  [ "$(git -C "$other/src" rev-parse HEAD 2>/dev/null)" != "$commit" ] || others=$others${others:+:}$other
done
own=${QF_LLVM:-22}
if [ -x build/bin/quant-float-run ]; then
  QUANT_FLOAT_OTHER_LLVM=$others "/usr/lib/llvm-$own/bin/lit" -v build/test --filter=IR/other_llvm || status=1
else
  echo "test-llvm: no build with LLVM $own, so modules are not exchanged with it (scripts/build.sh builds)"
fi

# shellcheck disable=SC2016
package=$(chroot "$root" dpkg-query -W -f='${Version}' "libmlir-$version-dev")
python3 - "$root/src/build/test/summary.json" "test/results/llvm-$version.json" "$version" "$package" "$commit" \
  $((SECONDS - started)) "$@" <<'EOF'
import collections
import json
import pathlib
import sys

summary, record, version, package, commit, seconds, *arguments = sys.argv[1:]
record = pathlib.Path(record)
try:
    tests = json.loads(pathlib.Path(summary).read_text())["tests"]
except OSError:
    sys.exit("test-llvm: no test ran")
counts = collections.Counter(test["code"] for test in tests if test["code"] != "EXCLUDED")
failed = sorted(test["name"] for test in tests if test["code"] not in ("PASS", "UNSUPPORTED", "EXCLUDED"))
found = {"llvm": int(version), "package": package, "commit": commit, "runs": []}
# Runs with other filters at the same commit are kept.
before = json.loads(record.read_text()) if record.exists() else {}
if all(before.get(key) == found[key] for key in ("package", "commit")):
    found["runs"] = [run for run in before["runs"] if run["arguments"] != arguments]
found["runs"].append({"arguments": arguments, "seconds": int(seconds), "tests": dict(counts), "failed": failed})
record.write_text(json.dumps(found, indent=2) + "\n")
print(f"test-llvm: LLVM {version}: {dict(counts)}, recorded in {record}")
EOF
exit $status
