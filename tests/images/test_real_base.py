"""Builds on a true Debian, as root: apt, users, set-id files. Slow: made with debootstrap unless one lies at hand."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from river_envs.environment import File, ImageRecipe
from river_envs.images.builder import Builder
from river_envs.images.importer import import_base
from river_envs.images.options import default_build_options
from river_envs.sandbox.base import BuildFailed
from river_envs.sandbox.namespaces import Namespaces

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]
AT_HAND = Path("/var/tmp/river-base/bookworm")


@pytest.fixture(scope="module")
def debian(tmp_path_factory):
    if (AT_HAND / "etc" / "debian_version").exists() and os.access(AT_HAND / "root", os.R_OK):
        return AT_HAND
    if os.getuid() or not shutil.which("debootstrap"):
        pytest.skip("debootstrap as root is needed")
    target = tmp_path_factory.mktemp("bookworm")
    done = subprocess.run(
        ["debootstrap", "--variant=minbase", "bookworm", str(target)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"debootstrap failed: {done.stdout[-200:]}")
    return target


@pytest.fixture(scope="module")
def builder(debian, tmp_path_factory):
    namespaces = Namespaces()
    store = tmp_path_factory.mktemp("store")
    made = Builder(namespaces, default_build_options(store=str(store), aliases={"ubuntu:22.04": "debian:bookworm"}))
    import_base(made.store, namespaces, "debian:bookworm", debian)
    yield made
    made.close()
    namespaces.rmtree(store)
    namespaces.close()


INSTALL = "apt-get update && apt-get install -y --no-install-recommends tree cron"


def test_packages_from_both_languages(builder):
    definition = (
        "Bootstrap: docker\nFrom: ubuntu:22.04\n%files\n/g/fixtures/a /app/a\n"
        f"%post\n{INSTALL}\nuseradd -m -u 1234 app\ntree /app > /seen\n"
    )
    first = builder.build(ImageRecipe("apptainer", definition, (File("fixtures/a", b""),)))
    second = builder.build(ImageRecipe("apptainer", definition.replace("1234", "1235"), (File("fixtures/a", b"b"),)))
    assert first.layers[1] == second.layers[1]  # the packages are installed once
    assert first.bases[0].substituted
    namespaces = builder.steps.namespaces
    with namespaces.start(builder.rootfs(first)) as sandbox:
        look = sandbox.exec(
            ["sh", "-c", "stat -c '%G %a' /usr/bin/crontab; stat -c %u /home/app; cat /seen; ls -A / | grep river"],
            timeout_sec=30,
        ).text
    assert look.startswith("crontab 2755\n1234\n/app\n")
    assert "river" not in look


def test_a_package_that_does_not_exist_is_the_recipes_fault(builder):
    text = "FROM debian:bookworm\nRUN apt-get update && apt-get install -y nosuch\n"
    with pytest.raises(BuildFailed, match="status 100") as caught:
        builder.build(ImageRecipe("dockerfile", text))
    assert caught.value.blameless is False
    assert "Unable to locate package nosuch" in caught.value.log


def test_without_a_network_nobody_is_blamed(builder):
    text = "FROM debian:bookworm\nRUN apt-get update -q\nRUN apt-get install -y jq\n"
    with pytest.raises(BuildFailed) as caught:
        builder.build(ImageRecipe("dockerfile", text), network=False)
    assert caught.value.blameless
