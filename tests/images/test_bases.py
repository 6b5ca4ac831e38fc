"""Which base a name stands for."""

import pytest

from river_envs.environment import RiverError
from river_envs.images.bases import Bases, set_alias
from river_envs.images.importer import import_base
from river_envs.images.store import Store
from river_envs.sandbox.rootfs import Mount, Rootfs

from .conftest import member, tar_bytes

HOST = Rootfs((Mount("/", ("/somewhere",)),))


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


@pytest.fixture
def bases(store, unpacker, monkeypatch):
    def make(**aliases):
        made = Bases(store, unpacker, aliases, lambda: (HOST, "id"))
        monkeypatch.setattr(made, "from_docker", lambda *_: None)
        return made

    return make


@pytest.fixture
def mine(store, unpacker, tmp_path):
    archive = tmp_path / "a.tar"
    archive.write_bytes(tar_bytes(member("x", b"")))
    return import_base(store, unpacker, "mine", archive)


def test_scratch_and_host(bases):
    assert bases().resolve("scratch").base.origin == "scratch"
    point = bases().resolve("ubuntu:22.04")
    assert (point.base.requested, point.base.resolved, point.base.origin, point.base.substituted) == (
        "ubuntu:22.04", "host", "host", True,
    )
    assert bases().rootfs(point.mark) == HOST
    assert len(bases().rootfs("scratch").mounts) == 1


def test_an_imported_base_is_no_substitute(bases, mine, store):
    point = bases().resolve("docker.io/library/mine")
    assert (point.base.origin, point.base.substituted, point.layer) == ("imported", False, mine.layer)
    assert bases().rootfs(point.mark).mounts[0].lowers == (str(store.path(mine.layer) / "root"),)


def test_an_alias_is_a_substitute(bases, mine, store):
    set_alias(store, "ubuntu:22.04", "mine")
    point = bases().resolve("docker.io/library/ubuntu:22.04")
    assert (point.base.resolved, point.base.origin, point.base.substituted) == ("mine:latest", "alias", True)
    other = bases(**{"ubuntu:22.04": "host"}).resolve("ubuntu:22.04")  # given aliases win over stored ones
    assert (other.base.resolved, other.base.origin, other.base.substituted) == ("host", "alias", True)


def test_an_alias_comes_before_an_import(bases, mine, store):
    set_alias(store, "mine", "host")
    assert bases().resolve("mine").base.resolved == "host"
    assert set_alias(store, "mine", "mine") is False
    assert bases().resolve("mine").base.origin == "imported"


def test_aliases_that_lead_nowhere(bases, store):
    set_alias(store, "a", "gone:1")
    with pytest.raises(RiverError, match="alias 'a:latest' leads to 'gone:1'"):
        bases().resolve("a")


def test_aliases_in_a_circle(bases, store):
    set_alias(store, "a", "b")
    with pytest.raises(RiverError, match="leads back"):
        set_alias(store, "b", "a")
    with pytest.raises(RiverError, match="in a circle"):
        bases(b="a").resolve("a")


def test_an_import_whose_layer_is_gone_is_not_used(bases, mine, store):
    store.update("bases", lambda table: table)
    assert store.discard(mine.layer)
    assert bases().resolve("mine").base.origin == "host"
