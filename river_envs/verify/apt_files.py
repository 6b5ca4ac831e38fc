"""System packages that a verifier installs before it tests, taken from a build and unpacked while grading.

The packages are installed once in a layer on top of the image, where builds may use the network; what that changed is
kept as one tar. It is unpacked over the state that is graded, without replacing anything there.
"""

from __future__ import annotations

from shlex import quote

from river_envs.environment import digest
from river_envs.sandbox.base import Backend, BuildFailed, Image, Sandbox, SandboxError
from river_envs.verify.log import line

ARCHIVE = "/opt/river-tests/apt.tar"
MAX_ARCHIVE_BYTES = 512 << 20
BUILD_SECONDS = 600.0

_INSTALL = """set -e
mkdir -p /opt/river-tests
touch /opt/river-tests/start
sleep 0.1
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -y -q --no-install-recommends {packages}
find / -xdev \\( -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /tmp -o -path /opt/river-tests \\
  -o -path /var/cache -o -path /var/log -o -path /var/lib/apt -o -path /var/lib/dpkg -o -path /etc/ld.so.cache \\) \\
  -prune -o \\( -type f -o -type l \\) -cnewer /opt/river-tests/start -print0 > /opt/river-tests/changed
tar --null -T /opt/river-tests/changed -cf {archive}
"""
_MISSING = """for name in "$@"; do
  [ "$(dpkg-query -W -f='${Status}' "$name" 2>/dev/null)" = 'install ok installed' ] ||
    command -v "$name" >/dev/null 2>&1 || printf 'river-missing:%s\\n' "$name"
done
"""
_UNPACK = f"tar -C / --skip-old-files -xf {ARCHIVE} && rm -f {ARCHIVE} && {{ ldconfig 2>/dev/null || true; }}"


def missing_packages(sandbox: Sandbox, packages: tuple[str, ...]) -> tuple[str, ...]:
    """Which of ``packages`` the image of ``sandbox`` lacks, by package name or by command."""
    if not packages:
        return ()
    result = sandbox.exec(["/bin/sh", "-c", _MISSING, "sh", *packages], timeout_sec=60, user="root")
    absent = {entry.removeprefix("river-missing:") for entry in result.text.splitlines()}
    return tuple(name for name in packages if name in absent)


def install_packages(backend: Backend, image: Image, packages: tuple[str, ...]) -> bytes:
    """A tar of what installing ``packages`` adds to ``image``. Raises BuildFailed."""
    script = _INSTALL.format(packages=" ".join(quote(name) for name in packages), archive=ARCHIVE)
    layered = backend.layer(
        image, (), ["/bin/sh", "-c", script], key=digest("apt-1", image.key, packages), timeout_sec=BUILD_SECONDS
    )
    with backend.start(layered) as sandbox:
        try:
            content = sandbox.get(ARCHIVE, limit=MAX_ARCHIVE_BYTES + 1)
        except OSError as error:
            raise BuildFailed(f"the packages {', '.join(packages)} left no archive: {line(str(error))}") from error
    if len(content) > MAX_ARCHIVE_BYTES:
        raise BuildFailed(f"the packages {', '.join(packages)} are larger than {MAX_ARCHIVE_BYTES >> 20} MiB")
    return content


def unpack(sandbox: Sandbox) -> None:
    """Unpack the archive that was put at ``ARCHIVE``. Raises SandboxError."""
    result = sandbox.exec(["/bin/sh", "-c", _UNPACK], timeout_sec=120, user="root", cwd="/")
    if result.exit_code != 0:
        raise SandboxError(f"the system packages of the test layer could not be unpacked: {line(result.text)}")
