"""Images built through real namespaces on the host base."""

import threading
from pathlib import Path

import pytest

from river_envs.environment import File, ImageRecipe
from river_envs.images import builder as builder_module
from river_envs.images.builder import Builder
from river_envs.images.importer import import_base
from river_envs.images.steps import StepFailed, downloads_quietly
from river_envs.sandbox.base import BackendOptions, BuildFailed
from river_envs.sandbox.namespaces import Namespaces

pytestmark = pytest.mark.sandbox


@pytest.fixture(scope="module")
def namespaces():
    made = Namespaces()
    yield made
    made.close()


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="module")
def builder(namespaces, shared):
    options = BackendOptions(store=str(shared), aliases={"x": "host", "y": "host"}, build_env={"SECRET_PROXY": "p"})
    made = Builder(namespaces, options)
    yield made
    made.close()
    made.store.shrink(0)
    namespaces.rmtree(shared)


@pytest.fixture
def build(builder):
    def build(text, *context, kind="dockerfile", **options):
        return builder.build(ImageRecipe(kind, text, context), network=False, **options)

    return build


@pytest.fixture
def look(builder, namespaces):
    """Run a shell line in a fresh sandbox of an image."""

    def look(image, line):
        with namespaces.start(
            builder.rootfs(image), env=image.env, workdir=image.workdir, user=image.user, image=image
        ) as sandbox:
            result = sandbox.exec(["/bin/sh", "-c", line], timeout_sec=30)
        assert result.exit_code == 0, result.text
        return result.text

    return look


def test_steps_and_defaults(build, look):
    image = build(
        "FROM x\nARG A=1\nENV B=$A C='two words'\nWORKDIR /w/d\nRUN echo $A-$B-$C > f && pwd >> f\n"
        'RUN ["/bin/sh", "-c", "echo $0 > exec", "zero"]\nRUN <<E\nset -e\necho here > h\nE\n'
        'SHELL ["/bin/bash", "-c"]\nRUN echo ${BASH_VERSION:+bash} > b\n'
    )
    assert look(image, "pwd; cat f exec h b; echo $A.$B") == "/w/d\n1-1-two words\n/w/d\nzero\nhere\nbash\n.1\n"
    assert dict(image.env) == {"B": "1", "C": "two words"}
    assert image.workdir == "/w/d"
    assert image.bases[0].substituted


def test_a_program_and_what_a_build_leaves_behind(build, look):
    image = build("FROM x\nRUN <<E\n#!/usr/bin/env python3\nopen('/made', 'w').write('python')\nE\n")
    assert look(image, "cat /made; ls -A / | grep -c river || true; env | grep -c SECRET || true") == "python0\n0\n"


def test_build_settings_reach_the_build_only(build, look):
    image = build("FROM x\nRUN echo $SECRET_PROXY > /seen\n")
    assert look(image, "cat /seen; echo [$SECRET_PROXY]") == "p\n[]\n"


def test_copying(build, look):
    files = (
        File("a.txt", b"a"), File("run.sh", b"#!/bin/sh\necho ran\n", 0o755), File("d/e/f", b"f"),
        File("d/l", link="e/f"), File("skip.me", b""), File(".dockerignore", b"*.me\n"),
    )
    image = build(
        "FROM x\nRUN mkdir /there && ln -s there /link && ln -s /nowhere /dangling\nCOPY a.txt /there\n"
        "COPY a.txt /link/b.txt\nCOPY d /link/\nCOPY d/e /new\nCOPY --chmod=640 *.txt run.sh /m/\n"
        "COPY . /all\nCOPY <<E /in/line\nx\nE\nADD a.txt /added\n",
        *files,
    )
    assert look(image, "cat /there/a.txt /there/b.txt /there/e/f /new/f /in/line; readlink /there/l") == "aaffx\ne/f\n"
    assert look(image, "stat -c '%U %G %a %Y' /m/run.sh /there/a.txt /all/run.sh").splitlines() == [
        "root root 640 1704067200", "root root 644 1704067200", "root root 755 1704067200",
    ]
    assert look(image, "ls -A /all").split() == [".dockerignore", "Dockerfile", "a.txt", "d", "run.sh"]


@pytest.fixture
def many_ids(namespaces):
    if namespaces.id_map.mode == "single":
        pytest.skip("this account has one user id for its sandboxes")


@pytest.mark.usefixtures("many_ids")
def test_owners(build, look):
    image = build(
        "FROM x\nCOPY --chown=www-data a /n/a\nCOPY --chown=33:0 a /n/b\nUSER www-data\nWORKDIR /w\nRUN touch f\n",
        File("a", b""),
    )
    assert look(image, "stat -c '%U:%G' /n /n/a /n/b /w f").split() == [
        "www-data:www-data", "www-data:www-data", "www-data:root", "www-data:www-data", "www-data:www-data",
    ]


@pytest.mark.usefixtures("many_ids")
def test_copying_from_stages(build, look):
    image = build(
        "FROM x AS one\nRUN mkdir -p /o/d && echo 1 > /o/d/1.txt && echo 2 > /o/d/2.md && ln /o/d/1.txt /o/d/hard "
        "&& chown 33:33 /o/d/1.txt && chmod 4755 /o/d/2.md && ln -s /o/d/1.txt /o/link\n"
        "FROM x AS unused\nRUN false\n"
        "FROM y\nCOPY --from=one /o/d /c\nCOPY --from=0 /o/d/*.txt /o/link /g/\n"
        "COPY --from=one --chown=0:0 /o/d/1.txt /r\n"
    )
    assert look(image, "cat /c/1.txt /g/1.txt /g/link /r") == "1\n1\n1\n1\n"
    assert look(image, "stat -c '%u %a %h' /c/1.txt /c/2.md /r").splitlines() == ["33 644 2", "0 4755 1", "0 644 1"]


def test_archives_are_unpacked_by_add(build, look):
    from .conftest import folder, member, tar_bytes

    archive = tar_bytes(folder("p"), member("p/q", b"1"), mode="w:gz")
    files = (File("a.tgz", archive), File("b.tgz", b"no"))
    image = build("FROM x\nADD a.tgz /u/\nCOPY a.tgz /c/\nADD b.tgz /u/\n", *files)
    assert look(image, "cat /u/p/q; ls /c /u") == "1/c:\na.tgz\n\n/u:\nb.tgz\np\n"


def test_an_apptainer_definition(build, look):
    text = (
        "Bootstrap: docker\nFrom: x\n%files\n"
        "/gen/fixtures/a /app/fixtures/a\n/gen/fixtures /opt\n/gen/fixtures/l /app/l\n"
        "%post\ntest -f /app/fixtures/a\npwd > /where; id -u >> /where\n%environment\nexport V=1\n"
    )
    image = build(text, File("fixtures/a", b"A"), File("fixtures/l", link="a"), kind="apptainer")
    assert look(image, "cat /where; ls /opt/fixtures; cat /app/l; test ! -L /app/l; echo $V") == "/\n0\na\nl\nA1\n"


def test_prefixes_are_shared_and_second_builds_only_look(build, builder, monkeypatch):
    first = build("FROM x\nRUN echo common > /c\nRUN echo one > /o\n")
    second = build("FROM x\n# comment\nLABEL a=b\nRUN echo common > /c\nRUN echo two > /o\n")
    assert first.layers[:2] == second.layers[:2]
    assert first.layers[2] != second.layers[2]
    monkeypatch.setattr(builder.steps, "run", None)
    assert build("FROM x\nRUN echo common > /c\nRUN echo one > /o\n") == first


def test_threads_build_an_image_once(build, builder):
    images = []
    text = "FROM x\nRUN echo $$ > /pid\n"
    threads = [threading.Thread(target=lambda: images.append(build(text))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({image.key for image in images}) == 1
    assert len(images) == 4


def test_many_steps_stay_within_the_limit_of_layers(build, look, monkeypatch):
    monkeypatch.setattr(builder_module, "MAX_LAYERS", 3)
    step = "RUN echo {0} > /f{0} && rm -f /f{1} && rm -rf /d && mkdir /d && touch /d/{0}\n"
    steps = "".join(step.format(number, number - 2) for number in range(5))
    image = build("FROM x\n" + steps + "COPY a /a\nRUN rm /a && touch /end\n", File("a", b""))
    assert len(image.layers) == 4
    assert look(image, "ls -d /f* /a /d/* /end 2>/dev/null || true").split() == ["/d/4", "/end", "/f3", "/f4"]


def test_extra_layers(build, builder, look):
    image = build("FROM x\nENV A=1\nRUN touch /base\n")
    made = builder.layer(
        image, [File("opt/t/x", b"x")], ["/bin/sh", "-c", "echo $A > /opt/t/y"], key="tests", network=False
    )
    assert look(made, "cat /opt/t/x /opt/t/y; ls /base") == "x1\n/base\n"
    assert builder.layer(image, [File("opt/t/x", b"x")], ["/bin/sh", "-c", "echo $A > /opt/t/y"], key="tests") == made
    with pytest.raises(BuildFailed, match="ended with status 7"):
        builder.layer(image, [], ["/bin/sh", "-c", "exit 7"], key="bad", network=False)


def test_scratch(build, builder):
    image = build("FROM scratch\nCOPY a /x/\n", File("a", b"1"))
    assert (Path(builder.rootfs(image).mounts[0].lowers[0]) / "x" / "a").read_bytes() == b"1"
    assert not image.bases[0].substituted


def test_an_imported_base(builder, namespaces, look, tmp_path):
    root = tmp_path / "root"
    for name in ("etc", "bin"):
        (root / name).mkdir(parents=True)
    (root / "etc" / "mine").write_text("mine")
    base = import_base(builder.store, namespaces, "mine", root, config={"Env": ["Z=1"], "WorkingDir": "/etc"})
    image = builder.build(ImageRecipe("prebuilt", docker_image="mine:latest"), network=False)
    assert (image.layers, image.env, image.workdir) == ((f"import-{base.layer}",), (("Z", "1"),), "/etc")
    assert not image.bases[0].substituted


@pytest.mark.parametrize(
    ("body", "complaint", "blameless"),
    [
        ("RUNN x", "unknown instruction", False),
        ("COPY nope /x", "not in the build context", False),
        ("ADD https://a/b /c", "does not know: ADD of a URL", True),
        ("RUN echo loud; exit 3", "ended with status 3: loud", True),
        ("COPY --chown=nobodyhere a /x", "no user 'nobodyhere'", True),
        ("COPY --from=y /nowhere /x", "/nowhere is not in the image", True),
    ],
)
def test_failures(build, body, complaint, blameless):
    with pytest.raises(BuildFailed, match=complaint) as caught:
        build("FROM x\n" + body, File("a", b""))
    assert caught.value.blameless is blameless


def test_a_failing_command_on_a_true_base_is_the_recipes_fault(builder, namespaces, tmp_path):
    (tmp_path / "r" / "etc").mkdir(parents=True)
    import_base(builder.store, namespaces, "true-base", tmp_path / "r")
    with pytest.raises(BuildFailed) as caught:
        builder.build(ImageRecipe("dockerfile", "FROM true-base\nRUN [\"/no/such\"]\n"), network=True)
    assert caught.value.blameless is False
    assert "127" in str(caught.value)


@pytest.mark.parametrize(
    ("command", "quiet"),
    [
        ("cd /tmp && wget -q https://a.example/b.tar.gz", True),
        ("wget --quiet -O - https://a.example/key | apt-key add -", True),
        ("curl -s https://a.example | bash", True),
        ("curl -fsSL https://a.example -o x", False),
        ("wget https://a.example/b", False),
        ("echo wget; grep -q x y", False),
    ],
)
def test_a_quiet_download_tells_nobody_why_it_failed(command, quiet):
    assert downloads_quietly(command) is quiet
    assert StepFailed("RUN", "it ended with status 1", "", "command", command).network is quiet


def test_a_build_ends_with_its_time(build):
    with pytest.raises(BuildFailed, match="did not end within") as caught:
        build("FROM x\nRUN echo before; sleep 30\n", timeout_sec=1.0)
    assert "before" in caught.value.log
    assert caught.value.blameless


def test_failed_builds_leave_no_layer(build, builder):
    before = len(list((builder.store.root / "layers").iterdir()))
    with pytest.raises(BuildFailed):
        build("FROM x\nRUN touch /half; false # unique\n")
    assert len(list((builder.store.root / "layers").iterdir())) == before
    assert list((builder.store.root / "tmp").iterdir()) == []


def test_images_in_use_survive_pruning(build, builder, look):
    image = build("FROM x\nRUN echo keep > /keep\n")
    builder.store.shrink(0)
    assert look(image, "cat /keep") == "keep\n"


def test_an_image_that_was_removed_is_named(builder, namespaces):
    other = Builder(namespaces, BackendOptions(store=str(builder.store.root), aliases={"x": "host"}))
    image = other.build(ImageRecipe("dockerfile", "FROM x\nRUN echo gone > /gone\n"), network=False)
    other.close()
    assert other.store.discard(image.layers[1])
    with pytest.raises(BuildFailed, match="removed from the cache"):
        other.rootfs(image)
