"""The system call filter of every command in a sandbox, compiled once with libseccomp.

It denies what a task never needs and what has let processes out of containers before: mounts and namespaces, the kernel
keyring, which is not namespaced, tracing of other processes, loading of kernel code, io_uring, and sockets that reach
the hypervisor although the network is cut off. ptrace is denied because a traced shell can be made to report a false
status.
"""

from __future__ import annotations

import errno
import tempfile
from functools import cache

from river_envs.sandbox.base import BackendUnavailable
from river_envs.sandbox.inside import syscalls

_DENIED = """
    mount umount umount2 pivot_root mount_setattr open_tree move_mount fsopen fsconfig fsmount fspick unshare setns
    keyctl add_key request_key bpf perf_event_open userfaultfd fanotify_init
    kexec_load kexec_file_load init_module finit_module delete_module create_module
    open_by_handle_at name_to_handle_at lookup_dcookie quotactl quotactl_fd acct swapon swapoff reboot
    ptrace process_vm_readv process_vm_writev process_madvise kcmp pidfd_getfd
    io_uring_setup io_uring_enter io_uring_register
    iopl ioperm settimeofday clock_settime clock_adjtime adjtimex syslog vhangup nfsservctl move_pages mbind
    migrate_pages set_mempolicy
""".split()  # noqa: SIM905 - a table
_DENIED_BY_NUMBER = (467,)  # open_tree_attr: newer than the names that libseccomp knows
_AF_VSOCK, _AF_ALG = 40, 38
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_NEW_NAMESPACES = (
    syscalls.CLONE_NEWUSER, syscalls.CLONE_NEWNS, syscalls.CLONE_NEWPID, syscalls.CLONE_NEWNET, syscalls.CLONE_NEWIPC,
    syscalls.CLONE_NEWUTS, syscalls.CLONE_NEWCGROUP,
)


@cache
def program() -> bytes:
    """The filter as BPF instructions. Raises BackendUnavailable without libseccomp."""
    try:
        import pyseccomp
    except (ImportError, OSError, RuntimeError) as error:
        raise BackendUnavailable(
            f"the system call filter needs libseccomp ({error}): install your system's package libseccomp2"
        ) from None
    deny = pyseccomp.ERRNO(errno.EPERM)
    built = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    for name in _DENIED:
        if pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name) >= 0:
            built.add_rule(deny, name)
    for number in _DENIED_BY_NUMBER:
        built.add_rule(deny, number)
    built.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "clone3")  # its flags are in memory, out of a filter's reach
    for flag in _NEW_NAMESPACES:
        built.add_rule(deny, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, flag, flag))
    for family in (_AF_VSOCK, _AF_ALG):
        built.add_rule(deny, "socket", pyseccomp.Arg(0, pyseccomp.EQ, family))
    for request in (_TIOCSTI, _TIOCLINUX):
        built.add_rule(deny, "ioctl", pyseccomp.Arg(1, pyseccomp.MASKED_EQ, 0xFFFFFFFF, request))
    with tempfile.TemporaryFile() as file:
        built.export_bpf(file)
        file.seek(0)
        return file.read()
