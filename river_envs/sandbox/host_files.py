"""The copied part of the ``host`` base: an /etc, empty directories, and a skeleton above /usr."""

from __future__ import annotations

import io
import os
import stat
import tarfile
from pathlib import Path

_DIRECTORIES = """
    boot dev etc home media mnt opt proc root run run/lock srv sys tmp usr var var/backups var/cache var/lib
    var/lib/misc var/local var/log var/mail var/opt var/spool var/tmp
""".split()  # noqa: SIM905 - a table
_MODES = {"tmp": 0o1777, "var/tmp": 0o1777, "run/lock": 0o1777, "root": 0o700, "var/mail": 0o2775, "var/local": 0o2775}
_LINKS = {"var/run": "/run", "var/lock": "/run/lock", "var/spool/mail": "../mail"}
_MERGED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")

# Configuration without secrets: names below /etc, files or whole directories.
_ETC = """
    adduser.conf alternatives bash.bashrc ca-certificates ca-certificates.conf crypto-policies debconf.conf
    debian_version default/useradd deluser.conf fonts gai.conf gprofng.rc groff host.conf ImageMagick-6 inputrc issue
    java-11-openjdk java-17-openjdk java-21-openjdk ld.so.cache ld.so.conf ld.so.conf.d libaudit.conf locale.alias
    localtime login.defs lsb-release magic magic.mime manpath.config mime.types networks nsswitch.conf os-release
    pam.conf pam.d perl pki/tls/certs pki/ca-trust pki/tls/openssl.cnf pki/java profile protocols python3 python3.11
    python3.12 python3.13 python3.14 redhat-release rpc rsyslog.conf screenrc securetty security/limits.conf services
    shells skel ssl/certs ssl/openssl.cnf terminfo timezone tmux.conf ucf.conf vim xattr.conf
""".split()  # noqa: SIM905 - a table
_HOSTS = "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n127.0.1.1\tsandbox\n"
_USERS = """
    root:0:0:/root:/bin/bash daemon:1:1:/usr/sbin:- bin:2:2:/bin:- sys:3:3:/dev:- sync:4:65534:/bin:/bin/sync
    games:5:60:/usr/games:- man:6:12:/var/cache/man:- lp:7:7:/var/spool/lpd:- mail:8:8:/var/mail:-
    news:9:9:/var/spool/news:- uucp:10:10:/var/spool/uucp:- proxy:13:13:/bin:- www-data:33:33:/var/www:-
    backup:34:34:/var/backups:- list:38:38:/var/list:- irc:39:39:/run/ircd:- _apt:42:65534:/nonexistent:-
    nobody:65534:65534:/nonexistent:-
""".split()  # noqa: SIM905 - a table
_GROUPS = """
    root:0 daemon:1 bin:2 sys:3 adm:4 tty:5 disk:6 lp:7 mail:8 news:9 uucp:10 man:12 proxy:13 kmem:15 dialout:20 fax:21
    voice:22 cdrom:24 floppy:25 tape:26 sudo:27 audio:29 dip:30 www-data:33 backup:34 operator:37 list:38 irc:39 src:40
    shadow:42 utmp:43 video:44 sasl:45 plugdev:46 staff:50 games:60 users:100 nogroup:65534
""".split()  # noqa: SIM905 - a table
_SKELETON = """
    bin games include lib lib/python3 lib/python3/dist-packages libexec local local/bin local/etc local/games
    local/include local/lib local/sbin local/share local/src sbin share src
""".split()  # noqa: SIM905 - a table


_DEPTH = 4
_WHOLE = ("share/doc", "share/man", "local/")


def add_directory(tar: tarfile.TarFile, path: str, mode: int = 0o755, *, opaque: bool = False) -> None:
    """A directory of root's; an opaque one hides what lies below it in lower layers."""
    info = tarfile.TarInfo(path)
    info.type, info.mode = tarfile.DIRTYPE, mode
    if opaque:
        info.pax_headers = {"SCHILY.xattr.user.overlay.opaque": "y"}
    tar.addfile(info)


def add_file(tar: tarfile.TarFile, path: str, content: str | bytes, mode: int = 0o644, mtime: float = 0) -> None:
    """A regular file of root's."""
    data = content.encode() if isinstance(content, str) else content
    info = tarfile.TarInfo(path)
    info.size, info.mode, info.mtime = len(data), mode, int(mtime)
    tar.addfile(info, io.BytesIO(data))


def add_link(tar: tarfile.TarFile, path: str, target: str) -> None:
    """A symbolic link of root's."""
    info = tarfile.TarInfo(path)
    info.type, info.linkname, info.mode = tarfile.SYMTYPE, target, 0o777
    tar.addfile(info)


def write_root(tar: tarfile.TarFile) -> None:
    """The layer for /: directories, links to /usr, and an /etc."""
    for path in _DIRECTORIES:
        add_directory(tar, path, _MODES.get(path, 0o755))
    for path, target in _LINKS.items():
        add_link(tar, path, target)
    for name in _MERGED:
        host = Path("/", name)
        if host.is_symlink():
            add_link(tar, name, str(host.readlink()))
        elif host.is_dir():
            add_directory(tar, name)
    for name in _ETC:
        _copy(tar, Path("/etc", name), f"etc/{name}")
    _write_accounts(tar)
    add_file(tar, "etc/hosts", _HOSTS)
    add_file(tar, "etc/hostname", "sandbox\n")
    add_file(tar, "etc/fstab", "")
    add_link(tar, "etc/mtab", "/proc/mounts")
    for name in (".bashrc", ".profile"):
        _copy(tar, Path("/etc/skel", name), f"root/{name}")


def _write_accounts(tar: tarfile.TarFile) -> None:
    passwd, shadow = [], []
    for entry in _USERS:
        name, uid, gid, home, shell = entry.split(":")
        shell = "/usr/sbin/nologin" if shell == "-" else shell
        passwd.append(f"{name}:x:{uid}:{gid}:{name}:{home}:{shell}\n")
        shadow.append(f"{name}:*:19000:0:99999:7:::\n")
    groups = [entry.split(":") for entry in _GROUPS]
    add_file(tar, "etc/passwd", "".join(passwd))
    add_file(tar, "etc/shadow", "".join(shadow), 0o640)
    add_file(tar, "etc/group", "".join(f"{name}:x:{gid}:\n" for name, gid in groups))
    add_file(tar, "etc/gshadow", "".join(f"{name}:*::\n" for name, _ in groups), 0o640)


def _copy(tar: tarfile.TarFile, source: Path, path: str) -> None:
    """Copy what every user may read; anything else, and what is not there, is left out."""
    try:
        status = source.lstat()
    except OSError:
        return
    if stat.S_ISLNK(status.st_mode):
        add_link(tar, path, str(source.readlink()))
    elif stat.S_ISDIR(status.st_mode) and status.st_mode & 0o005 == 0o005:
        add_directory(tar, path)
        for child in sorted(source.iterdir()):
            _copy(tar, child, f"{path}/{child.name}")
    elif stat.S_ISREG(status.st_mode) and status.st_mode & 0o004:
        add_file(tar, path, source.read_bytes(), stat.S_IMODE(status.st_mode) & 0o755, status.st_mtime)


def write_usr(tar: tarfile.TarFile, *, deep: bool) -> None:
    """The skeleton above /usr: directories that belong to root inside.

    ``deep`` copies the host's tree of directories down to a depth, for users to whom the host's own belong to nobody:
    only in a directory of one's own can files be added, replaced and removed.
    """
    for path in _SKELETON:
        add_directory(tar, path)
    if deep:
        for name in _SKELETON:
            if "/" not in name:
                _copy_directories(tar, Path("/usr", name), name, _DEPTH - 1)


def _copy_directories(tar: tarfile.TarFile, source: Path, path: str, depth: int) -> None:
    try:
        children = sorted(child.name for child in os.scandir(source) if child.is_dir(follow_symlinks=False))
    except OSError:
        return  # not for us to read: shown as it is
    for name in children:
        child = f"{path}/{name}"
        if child not in _SKELETON:
            add_directory(tar, child)
        if depth > 1 or child.startswith(_WHOLE):
            _copy_directories(tar, source / name, child, depth - 1)
