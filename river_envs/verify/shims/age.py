"""Run as root before grading: the state looks as many seconds older as the first argument says.

Moves the time stamps of everything that was made in the last 400 days back by the same amount, so that their order
stays. What the system ships is not touched. Runs in the image's own Python (3.6 and later).
"""

import os
import stat
import sys
import time

WINDOW = 400 * 86400
MOST_ENTRIES, MOST_BYTES = 20000, 256 << 20
SHIPPED = frozenset((
    "/proc", "/sys", "/dev", "/boot", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr/bin", "/usr/sbin",
    "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec", "/usr/share", "/usr/include", "/usr/local/lib", "/var/lib/apt",
    "/var/lib/dpkg", "/var/cache", "/etc/alternatives", "/etc/ssl", "/tests", "/logs", "/solution",
))
PACKAGES = frozenset(("site-packages", "dist-packages", "node_modules"))


def entries(folder):
    """Every path below ``folder`` that is not shipped, with its status."""
    try:
        found = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in found:
        if entry.path in SHIPPED or entry.name in PACKAGES or entry.path.startswith("/opt/river-"):
            continue
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            continue  # gone since it was listed
        if os.path.lexists(os.path.join(entry.path, "bin", "python3")) and entry.path != "/usr/local":
            continue  # an interpreter or a virtual environment
        yield entry.path, status
        if stat.S_ISDIR(status.st_mode):
            yield from entries(entry.path)


def main(seconds, seen):
    """Move the time stamps; leave a trace when all were moved."""
    now = time.time()
    found, size = [], 0
    for path, status in entries("/"):
        if now - WINDOW < status.st_mtime <= now + 60:
            found.append((path, status))
            size += status.st_size if stat.S_ISREG(status.st_mode) else 0
        if len(found) > MOST_ENTRIES or size > MOST_BYTES:
            sys.exit("too much to move")
    back = int(seconds * 10**9)
    for path, status in found:
        try:
            os.utime(path, ns=(status.st_atime_ns - back, status.st_mtime_ns - back), follow_symlinks=False)
        except OSError:
            if stat.S_ISREG(status.st_mode):
                raise
    with open(seen, "a") as stream:
        stream.write("aged %d\n" % len(found))


main(float(sys.argv[1]), sys.argv[2])
