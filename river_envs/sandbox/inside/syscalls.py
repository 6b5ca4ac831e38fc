"""The Linux system calls that Python does not offer, through ctypes. Each raises OSError with the kernel's errno."""

from __future__ import annotations

import ctypes
import os
from functools import cache

_libc = ctypes.CDLL(None, use_errno=True)

CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 4, 8, 0x1000, 0x4000, 0x40000
MNT_DETACH = 2

AT_FDCWD, AT_EMPTY_PATH, AT_RECURSIVE = -100, 0x1000, 0x8000
OPEN_TREE_CLONE, OPEN_TREE_CLOEXEC = 1, os.O_CLOEXEC
MOVE_MOUNT_F_EMPTY_PATH = 4
MOUNT_ATTR_IDMAP = 0x100000
RESOLVE_NO_MAGICLINKS, RESOLVE_IN_ROOT = 0x02, 0x10

# System calls added since Linux 5.1 have the same number on every architecture.
_OPEN_TREE, _MOVE_MOUNT, _OPENAT2, _MOUNT_SETATTR = 428, 429, 437, 442

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NAME, PR_SET_SECCOMP, PR_CAPBSET_DROP = 1, 4, 15, 22, 24
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 36, 38, 47
SECCOMP_MODE_FILTER, PR_CAP_AMBIENT_CLEAR_ALL = 2, 4
_CAPABILITY_VERSION_3 = 0x20080522


class _OpenHow(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


class _MountAttributes(ctypes.Structure):
    _fields_ = (("attr_set", ctypes.c_uint64), ("attr_clr", ctypes.c_uint64), ("propagation", ctypes.c_uint64),
                ("userns_fd", ctypes.c_uint64))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def unshare(flags: int) -> None:
    """unshare(2)."""
    _checked(_libc.unshare(flags), "unshare")


def setns(descriptor: int, kind: int) -> None:
    """setns(2)."""
    _checked(_libc.setns(descriptor, kind), "setns")


def mount(source: str, target: str, kind: str | None, flags: int = 0, options: str = "") -> None:
    """mount(2). Option strings above 4,095 bytes are refused here, because the kernel may cut them silently."""
    data = os.fsencode(options)
    if len(data) > 4095:
        raise OSError(7, f"mount options of {len(data)} bytes for {target}; the kernel takes 4,095")
    filesystem = kind.encode() if kind else None
    done = _libc.mount(os.fsencode(source), os.fsencode(target), filesystem, ctypes.c_ulong(flags), data or None)
    _checked(done, f"mount {kind or 'bind'} on {target}")


def detach(target: str) -> None:
    """umount2(2) with MNT_DETACH."""
    _checked(_libc.umount2(os.fsencode(target), MNT_DETACH), f"umount {target}")


def clone_mount(path: str, *, recursive: bool = False) -> int:
    """A detached copy of the mount at ``path`` (open_tree(2)); needs CAP_SYS_ADMIN over the mount namespace."""
    flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | (AT_RECURSIVE if recursive else 0)
    done = _libc.syscall(_OPEN_TREE, AT_FDCWD, os.fsencode(path), ctypes.c_uint(flags))
    return _checked(done, f"open_tree {path}")


def idmap_mount(mount_fd: int, userns_fd: int) -> None:
    """Map the owners of a detached mount through a user namespace (mount_setattr(2))."""
    attributes = _MountAttributes(attr_set=MOUNT_ATTR_IDMAP, userns_fd=userns_fd)
    done = _libc.syscall(_MOUNT_SETATTR, mount_fd, b"", ctypes.c_uint(AT_EMPTY_PATH), ctypes.byref(attributes),
                         ctypes.c_size_t(ctypes.sizeof(attributes)))
    _checked(done, "mount_setattr")


def attach_mount(mount_fd: int, target: str) -> None:
    """Attach a detached mount (move_mount(2))."""
    flags = ctypes.c_uint(MOVE_MOUNT_F_EMPTY_PATH)
    done = _libc.syscall(_MOVE_MOUNT, mount_fd, b"", AT_FDCWD, os.fsencode(target), flags)
    _checked(done, f"move_mount {target}")


def open_inside(root: int, path: str, flags: int, mode: int = 0) -> int:
    """openat2(2) that treats ``root`` as /: links, ``..`` and absolute paths stay inside, magic links are refused."""
    how = _OpenHow(flags=flags | os.O_CLOEXEC, mode=mode, resolve=RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS)
    done = _libc.syscall(_OPENAT2, root, os.fsencode(path), ctypes.byref(how), ctypes.c_size_t(ctypes.sizeof(how)))
    if done < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), path)
    return int(done)


def prctl(option: int, *arguments: int) -> None:
    """prctl(2) with integer arguments."""
    values = [ctypes.c_ulong(value) for value in (*arguments, 0, 0, 0, 0)[:4]]
    _checked(_libc.prctl(option, *values), f"prctl {option}")


def set_name(name: str) -> None:
    """What ps shows as this process's name."""
    _checked(_libc.prctl(PR_SET_NAME, name.encode()[:15], 0, 0, 0), "prctl PR_SET_NAME")


def hide_arguments(title: bytes) -> None:
    """Replace the command line in /proc/PID/cmdline, which would show the host's paths to the sandbox."""
    with open("/proc/self/stat", "rb") as stat:
        fields = stat.read().rpartition(b")")[2].split()
    start, end = int(fields[45]), int(fields[46])
    if 0 < start < end:
        ctypes.memset(start, 0, end - start)
        ctypes.memmove(start, title[: end - start - 1], min(len(title), end - start - 1))


_CAPABILITY_HEAD = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)


@cache
def _capability_data(mask: int) -> ctypes.Array[ctypes.c_uint32]:
    low, high = mask & 0xFFFFFFFF, mask >> 32
    return (ctypes.c_uint32 * 6)(low, low, 0, high, high, 0)


def set_capabilities(mask: int) -> None:
    """Make ``mask`` the permitted and effective set, and the inheritable and ambient sets empty (capset(2))."""
    _checked(_libc.capset(_CAPABILITY_HEAD, _capability_data(mask)), "capset")


def load_seccomp(program: bytes) -> None:
    """Install a compiled BPF filter for this process and its children."""
    argument = _Program(len(program) // 8, program)
    _checked(_libc.prctl(PR_SET_SECCOMP, ctypes.c_ulong(SECCOMP_MODE_FILTER), ctypes.byref(argument), 0, 0), "seccomp")
