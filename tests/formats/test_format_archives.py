"""Zip and tar files: tasks at any depth, hostile members, bombs."""

import gzip
import io
import stat
import tarfile
import zipfile

import pytest
from formats.format_tasks import harbor_files, read_one, tmax_files

from river_envs.formats.archives import member_name
from river_envs.formats.base import Bounds, Found, Rejected, RejectedInput
from river_envs.formats.detect import read_all


def as_bytes(content: str | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.encode()


def write_zip(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, as_bytes(content))
    return path


def write_tar(path, members):
    with tarfile.open(path, "w:gz" if path.name.endswith("gz") else "w") as archive:
        for name, content in members:
            info = name if isinstance(name, tarfile.TarInfo) else tarfile.TarInfo(name)
            data = as_bytes(content)
            info.size = len(data) if info.isreg() else 0
            archive.addfile(info, io.BytesIO(data))
    return path


WRITERS = {"tasks.zip": write_zip, "tasks.tar.gz": write_tar, "tasks.tar": write_tar}


def members(root, files=None):
    return [(f"{root}/{path}", content) for path, content in (files or harbor_files()).items()]


@pytest.fixture(params=sorted(WRITERS))
def pack(request, tmp_path):
    return lambda content: WRITERS[request.param](tmp_path / request.param, content)


def test_tasks_at_any_depth(pack):
    path = pack([*members("a/one"), *members("b", tmax_files()), ("README.md", "x")])
    items = list(read_all([path]))
    assert {item.where: item.environment.format for item in items} == {
        f"{path}!a/one": "harbor", f"{path}!b": "tmax",
    }


def test_the_archive_is_one_task(pack):
    path = pack([(f"./{name}", content) for name, content in harbor_files().items()])
    assert isinstance(read_one(path), Found)


def test_same_environment_as_the_directory(pack, tmp_path):
    from formats.format_tasks import write_tree

    packed = read_one(pack(members("t")))
    unpacked = read_one(write_tree(tmp_path / "dir/t", harbor_files()))
    assert packed.environment.id == unpacked.environment.id


@pytest.mark.parametrize("name", ["../evil", "t/../../evil", "/etc/passwd", "C:/evil", "..\\evil"])
def test_member_that_leaves_the_archive(pack, name):
    items = list(read_all([pack([*members("t"), (name, "x")])]))
    assert sorted(type(item).__name__ for item in items) == ["Found", "Rejected"]
    [rejected] = [item for item in items if isinstance(item, Rejected)]
    assert "path" in rejected.reason


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_member_that_appears_twice(pack):
    path = pack([*members("t"), ("t/tests/test.sh", "echo other"), *members("u")])
    items = {item.where.rpartition("!")[2]: item for item in read_all([path])}
    assert "twice in the archive" in items["t"].reason
    assert isinstance(items["u"], Found)


def test_member_below_a_file(pack):
    item = read_one(pack([*members("t"), ("t/environment/data/numbers.txt/x", "y")]))
    assert isinstance(item, Rejected)
    assert "below a member that is no directory" in item.reason


def test_large_member(pack):
    path = pack(members("t", harbor_files(environment__big="x" * 5000)))
    item = read_one(path, bounds=Bounds(file_bytes=1000))
    assert isinstance(item, Rejected)
    assert "too large: 5,000 bytes" in item.reason


def test_not_an_archive(tmp_path):
    for name in WRITERS:
        (tmp_path / name).write_bytes(b"not an archive at all" * 100)
        assert "not a readable" in read_one(tmp_path / name).reason


def test_archive_without_tasks(pack):
    assert "no environment" in read_one(pack([("a.txt", "x")])).reason


def test_zip_that_lies_about_a_size(tmp_path):
    path = write_zip(tmp_path / "tasks.zip", members("t", harbor_files(environment__big="x" * 9000)))
    data = bytearray(path.read_bytes())
    for at in range(len(data) - 46):
        if data[at : at + 4] in (b"PK\x01\x02", b"PK\x03\x04"):
            name_at, size_at = (at + 46, at + 24) if data[at + 2] == 1 else (at + 30, at + 22)
            if data[name_at : name_at + 17] == b"t/environment/big":
                data[size_at : size_at + 4] = (10).to_bytes(4, "little")
    path.write_bytes(data)
    assert isinstance(read_one(path), Rejected)


def test_zip_links_and_special_files(tmp_path):
    with zipfile.ZipFile(tmp_path / "tasks.zip", "w") as archive:
        links = (("in", stat.S_IFLNK, "data"), ("out", stat.S_IFLNK, "../.."), ("fifo", stat.S_IFIFO, ""))
        for root, kind, target in links:
            for name, content in members(root):
                archive.writestr(name, content)
            info = zipfile.ZipInfo(f"{root}/environment/special")
            info.external_attr = (kind | 0o644) << 16
            archive.writestr(info, target)
    items = {item.where.rpartition("!")[2]: item for item in read_all([tmp_path / "tasks.zip"])}
    assert isinstance(items["in"], Found)
    assert "out of the tree" in items["out"].reason
    assert "FIFO" in items["fifo"].reason


def test_encrypted_member(tmp_path):
    path = write_zip(tmp_path / "tasks.zip", members("t"))
    data = bytearray(path.read_bytes())
    for at in range(len(data) - 10):
        if data[at : at + 4] == b"PK\x01\x02":
            data[at + 8] |= 1
    path.write_bytes(data)
    assert "encrypted" in read_one(path).reason


def test_zip_member_without_a_name(tmp_path):
    path = write_zip(tmp_path / "tasks.zip", [*members("t"), ("q", "x")])
    path.write_bytes(path.read_bytes().replace(b"q", b"\0"))
    items = list(read_all([path]))
    assert any(isinstance(item, Found) for item in items)
    assert any("no name" in item.reason for item in items if isinstance(item, Rejected))


def special(name, kind, target=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def test_tar_links_and_special_files(tmp_path):
    path = write_tar(tmp_path / "tasks.tgz", [
        *members("in"), (special("in/environment/x", tarfile.SYMTYPE, "data"), ""),
        *members("out"), (special("out/environment/x", tarfile.SYMTYPE, "/etc/passwd"), ""),
        *members("hard"), (special("hard/environment/x", tarfile.LNKTYPE, "in/instruction.md"), ""),
        *members("device"), (special("device/environment/x", tarfile.CHRTYPE), ""),
    ])  # fmt: skip
    items = {item.where.rpartition("!")[2]: item for item in read_all([path])}
    assert isinstance(items["in"], Found)
    assert "out of the tree" in items["out"].reason
    assert "hard link" in items["hard"].reason
    assert "a device" in items["device"].reason


def test_tar_with_scattered_members(tmp_path):
    one, two = members("one"), members("two")
    mixed = [member for pair in zip(one, two, strict=True) for member in pair]
    assert all(isinstance(item, Found) for item in read_all([write_tar(tmp_path / "t.tar.gz", mixed)]))


def test_truncated_tar_keeps_what_came_before(tmp_path):
    noise = bytes(range(256)) * 400
    path = write_tar(tmp_path / "t.tar", [*members("a"), *members("b", harbor_files(environment__noise=noise))])
    path.write_bytes(path.read_bytes()[:-60_000])
    items = list(read_all([path]))
    assert [item.where.rpartition("!")[2] for item in items if isinstance(item, Found)] == ["a"]
    assert any(isinstance(item, Rejected) for item in items)


def test_gzip_bomb(tmp_path, monkeypatch):
    from river_envs.formats import tars

    monkeypatch.setattr(tars, "SPARE", 1_000_000)
    monkeypatch.setattr(tars, "MOST_EXPANSION", 1)
    path = tmp_path / "t.tar.gz"
    inner = io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w") as archive:
        info = tarfile.TarInfo("t/instruction.md")
        info.size = 5_000_000
        archive.addfile(info, io.BytesIO(bytes(info.size)))
    path.write_bytes(gzip.compress(inner.getvalue()))
    items = list(read_all([path]))
    assert all(isinstance(item, Rejected) for item in items)
    assert any("expands to over" in item.reason for item in items)


@pytest.mark.parametrize(("raw", "name"), [("./a/b", "a/b"), ("a//b/", "a/b"), (".", ""), ("a/./b", "a/b")])
def test_member_names(raw, name):
    assert member_name(raw) == name


def test_member_name_with_nul():
    with pytest.raises(RejectedInput):
        member_name("a\0b")
