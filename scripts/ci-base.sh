#!/usr/bin/env bash
# Makes the Docker image that the tests start from: a minimal Debian with Python, pytest and git, from debootstrap.
# Does nothing when the image is there. RIVER_TEST_IMAGE names it, RIVER_TEST_MIRROR the Debian mirror.
set -euo pipefail
image=${RIVER_TEST_IMAGE:-river-base:1}
docker=/usr/bin/docker
[ -x "$docker" ] || docker=docker
"$docker" image inspect "$image" >/dev/null 2>&1 && { echo "$image is there"; exit 0; }

mirror=${RIVER_TEST_MIRROR:-}
if [ -z "$mirror" ] && grep -qs '^ID=debian' /etc/os-release; then # the mirror that this machine uses itself
    mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
        awk '/^deb / { for (i = 2; i <= NF; i++) if ($i ~ /^http/) { print $i; exit } } /^URIs:/ { print $2; exit }') || true
fi
work=$(mktemp -d -p /var/tmp river-base.XXXXXX)
trap 'rm -rf "$work"' EXIT
packages=python3,python3-pytest,git,ca-certificates
/usr/sbin/debootstrap --variant=minbase --include="$packages" bookworm "$work/root" ${mirror:+"$mirror"} >"$work/log" 2>&1 ||
    { tail -n 20 "$work/log" >&2; echo "debootstrap failed" >&2; exit 1; }
rm -rf "$work"/root/var/cache/apt/archives/*.deb "$work"/root/var/lib/apt/lists/*
tar -C "$work/root" -c . | "$docker" import - "$image"
