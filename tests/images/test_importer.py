"""Bases from archives and directories: layers flattened, hostile members refused."""

import json
import os
import tarfile

import pytest

from river_envs.environment import RiverError
from river_envs.images.importer import import_base, imported_bases
from river_envs.images.store import Store
from river_envs.images.tree import BadArchive

from .conftest import folder, link, member, tar_bytes


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


@pytest.fixture
def load(store, unpacker, tmp_path):
    def load(content, name="base:1"):
        path = tmp_path / "archive.tar"
        path.write_bytes(content)
        base = import_base(store, unpacker, name, path)
        return base, store.path(base.layer) / "root"

    return load


def saved(*layers, config=None, tags=("base:1",), **extra):
    """A docker-save archive."""
    names = [f"{n}/layer.tar" for n in range(len(layers))]
    manifest = [{"Config": "config.json", "RepoTags": list(tags), "Layers": names}]
    parts = [
        member("config.json", json.dumps({"config": config or {}}).encode()),
        member("manifest.json", json.dumps(extra.get("manifest", manifest)).encode()),
    ]
    parts += [member(f"{n}/layer.tar", layer) for n, layer in enumerate(layers)]
    return tar_bytes(*parts)


def listing(root):
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


def test_a_plain_tar(load):
    file = member("./etc/x", b"1", mode=0o4755)
    base, root = load(tar_bytes(folder("./"), folder("./etc"), file, link("./l", "/etc/x")))
    assert listing(root) == ["etc", "etc/x", "l"]
    assert (root / "etc/x").stat().st_mode & 0o7777 == 0o4755
    assert (root / "l").readlink().as_posix() == "/etc/x"
    assert (base.env, base.workdir, base.user) == ((), "/", "root")


@pytest.mark.parametrize("mode", ["w:gz", "w:xz", "w:bz2"])
def test_compressed(load, mode):
    _, root = load(tar_bytes(member("x", b"1"), mode=mode))
    assert (root / "x").read_bytes() == b"1"


def test_a_directory(store, unpacker, tmp_path):
    source = tmp_path / "rootfs"
    (source / "bin").mkdir(parents=True)
    (source / "bin/a").write_text("a")
    (source / "bin/a").chmod(0o755)
    (source / "bin/b").symlink_to("a")
    os.link(source / "bin/a", source / "bin/c")
    os.mkfifo(source / "fifo")
    base = import_base(store, unpacker, "Ubuntu:22.04", source)
    root = store.path(base.layer) / "root"
    assert listing(root) == ["bin", "bin/a", "bin/b", "bin/c"]
    assert (root / "bin/a").stat().st_nlink == 2
    assert imported_bases(store)["ubuntu:22.04"] == base
    assert import_base(store, unpacker, "ubuntu:22.04", source).layer == base.layer


def test_layers_whiteouts_and_opaque_directories(load):
    first = tar_bytes(
        folder("a"), member("a/gone", b"1"), member("a/kept", b"1"), folder("b"), member("b/old", b"1"),
        folder("b/deep"), member("b/deep/old", b"1"), folder("c"), member("c/x", b"1"), member("f", b"file"),
    )
    second = tar_bytes(
        member("a/.wh.gone", b""), folder("b"), member("b/.wh..wh..opq", b""), member("b/new", b"2"),
        member(".wh.c", b""), folder("f"), member("f/inside", b"2"),
    )
    third = tar_bytes(folder("c"), member("c/y", b"3"), member("a/kept", b"3"))
    _, root = load(saved(first, second, third))
    assert listing(root) == ["a", "a/kept", "b", "b/new", "c", "c/y", "f", "f/inside"]
    assert (root / "a/kept").read_bytes() == b"3"


def test_a_hard_link_whose_target_a_later_layer_replaced(load):
    first = tar_bytes(member("a", b"old"), link("b", "a", hard=True))
    _, root = load(saved(first, tar_bytes(member("a", b"new"))))
    assert ((root / "a").read_bytes(), (root / "b").read_bytes()) == (b"new", b"old")


def test_the_configuration_of_the_image(load):
    config = {"Env": ["PATH=/x", "A=b=c"], "WorkingDir": "/w", "User": "app"}
    base, _ = load(saved(tar_bytes(member("x", b"")), config=config))
    assert (base.env, base.workdir, base.user) == ((("PATH", "/x"), ("A", "b=c")), "/w", "app")


def test_whiteout_names_in_a_plain_tar_are_names(load):
    _, root = load(tar_bytes(member(".wh.x", b""), member("x", b"")))
    assert listing(root) == [".wh.x", "x"]


@pytest.mark.parametrize(
    "members",
    [
        [member("/etc/x", b"1")],
        [member("../x", b"1")],
        [member("a/../../x", b"1")],
        [link("a", "/tmp"), member("a/x", b"1")],
        [link("a", ".."), folder("a/b")],
        [member("a", b""), member("a/x", b"1")],
        [link("a", "../../etc/passwd", hard=True)],
        [link("a", "/etc/passwd", hard=True)],
        [link("a", "nowhere", hard=True)],
    ],
)
def test_hostile_members_are_refused(load, members):
    with pytest.raises(BadArchive):
        load(tar_bytes(*members))


def test_devices_and_fifos_are_left_out(load):
    device = member("null", type=tarfile.CHRTYPE, devmajor=1, devminor=3)
    _, root = load(tar_bytes(device, member("p", type=tarfile.FIFOTYPE), member("x", b"")))
    assert listing(root) == ["x"]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"no archive", "cannot be read as a tar"),
        (b"", "cannot be read as a tar"),
        (tar_bytes(member("oci-layout", b"{}")), "OCI layout"),
        (tar_bytes(), "holds no files"),
        (tar_bytes(member("x", b"1" * 9000))[:6000], "damaged|cannot be read"),
        (saved(b"rubbish"), "layer .* cannot be read"),
        (saved(tags=("a:1",), manifest=[{"RepoTags": ["a:1"]}, {"RepoTags": ["b:1"]}]), "holds 2 images"),
        (tar_bytes(member("manifest.json", b"[{\"Config\": \"nope\", \"Layers\": []}]")), "lacks 'nope'"),
    ],
)
def test_bad_archives_are_named(load, content, complaint):
    with pytest.raises(BadArchive, match=complaint):
        load(content)


def test_one_image_of_several(load):
    layers = [tar_bytes(member("x", b"0")), tar_bytes(member("x", b"1"))]
    manifest = [
        {"Config": "config.json", "RepoTags": [f"base:{n}"], "Layers": [f"{n}/layer.tar"]} for n in range(2)
    ]
    _, root = load(saved(*layers, manifest=manifest), name="docker.io/library/base:1")
    assert (root / "x").read_bytes() == b"1"


def test_a_missing_source(store, unpacker, tmp_path):
    with pytest.raises(RiverError, match="does not exist"):
        import_base(store, unpacker, "x", tmp_path / "none")
