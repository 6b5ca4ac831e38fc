"""Apptainer definitions, read as Apptainer reads them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_envs.environment import File
from river_envs.images.apptainer import SHELL, map_to_context, parse_apptainer, split_post
from river_envs.images.recipe import Copy, Env, RecipeError, Run

HEAD = "Bootstrap: docker\nFrom: ubuntu:22.04\n"


def steps(body, context=(), head=HEAD):
    return parse_apptainer(head + body, context).stages[-1].steps


def test_a_task_of_the_corpus():
    text = HEAD + (
        "\n%files\n    /tmp/gen/task_1/fixtures/a.txt /app/fixtures/a.txt\n\n%post\n    mkdir -p /home/user\n"
        "    cat > /home/user/x <<EOF\nhello\nEOF\n\n%environment\n    export LANG=C.UTF-8\n"
        "    export PATH=/x:$PATH\n\n%runscript\n    exec /bin/bash\n%labels\n    Author me\n"
    )
    parsed = parse_apptainer(text, (File("fixtures/a.txt", b"A"),))
    (stage,) = parsed.stages
    assert stage.base == "ubuntu:22.04"
    copy, run, lang, path = stage.steps[:4]
    assert copy == Copy(("fixtures/a.txt",), "/app/fixtures/a.txt", nest=True, follow=True, line=5)
    assert run.shell == ("/bin/sh", "-ex")
    assert run.program.startswith("    mkdir -p /home/user\n    cat > /home/user/x <<EOF\nhello\nEOF\n")
    assert (lang, path) == (Env((("LANG", "C.UTF-8"),)), Env((("PATH", "/x:$PATH"),)))
    assert parsed.notes == ("%runscript is ignored", "%labels is ignored")
    assert parsed.unsupported == ()


def test_posts_are_joined_and_files_come_first():
    order = steps("%post\necho 1\n%files\na /b\n%post\necho 2\n")
    assert [type(step) for step in order] == [Copy, Run]
    assert order[1].program == "echo 1\necho 2\n"


def test_a_known_section_inside_a_heredoc_cuts_the_script():
    body = "%post\ncat > /a.spec <<'SPEC'\nName: a\n%files\n/usr/bin/a /usr/bin/a\nSPEC\necho never\n"
    parsed = parse_apptainer(HEAD + body)
    copies = [step for step in parsed.stages[0].steps if isinstance(step, Copy)]
    (run,) = [step for step in parsed.stages[0].steps if isinstance(step, Run)]
    assert run.program == "cat > /a.spec <<'SPEC'\nName: a\n"
    assert [copy.target for copy in copies] == ["/usr/bin/a", "SPEC", "never"]
    assert "inside the heredoc 'SPEC' of %post" in parsed.notes[0]


@pytest.mark.parametrize("line", ["%description", "%d items", "   %files", "%", "%!PS"])
def test_an_unknown_section_inside_a_heredoc_is_refused_as_by_apptainer(line):
    with pytest.raises(RecipeError, match=r"invalid section.*inside the heredoc 'EOF'"):
        parse_apptainer(HEAD + f"%post\ncat > /x <<EOF\n{line}\nEOF\n")


def test_a_million_lines_take_no_quadratic_time():
    (run,) = steps("%post\n" + "echo x\n" * 1_000_000)
    assert run.program.count("\n") == 1_000_000


def test_percent_signs_elsewhere_are_text():
    (run,) = steps("%post\nprintf 'a%s\\n' x\ndate +%Y # %post\n")
    assert run.program == "printf 'a%s\\n' x\ndate +%Y # %post\n"


@pytest.mark.parametrize(
    ("header", "base", "unsupported"),
    [
        ("Bootstrap: docker\nFrom: a/b:1\n", "a/b:1", ()),
        ("BootStrap: docker # x\nFROM: a # y\n", "a", ()),
        ("From: a\nBootstrap: docker\n", "a", ()),
        ("# comment\n\nBootstrap: docker\nFrom: a\n", "a", ()),
        ("Bootstrap: docker\nRegistry: r.io\nNamespace: n\nFrom: a\n", "r.io/n/a", ()),
        ("Bootstrap: localimage\nFrom: ./ubuntu_22.04.sif\n", "ubuntu:22.04", ()),
        ("Bootstrap: localimage\nFrom: ./mine.sif\n", "./mine.sif", ("Bootstrap: localimage, From: ./mine.sif",)),
        ("Bootstrap: scratch\n", "scratch", ()),
        ("Bootstrap: debootstrap\nOSVersion: jammy\n", "debootstrap", ("Bootstrap: debootstrap",)),
        ("Bootstrap: library\nFrom: a\n", "a", ("Bootstrap: library",)),
    ],
)
def test_headers(header, base, unsupported):
    parsed = parse_apptainer(header + "%post\ntrue\n")
    assert (parsed.stages[0].base, parsed.unsupported) == (base, unsupported)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "no 'Bootstrap:' header"),
        ("%post\ntrue\n", "no 'Bootstrap:' header"),
        ("Bootstrap: docker\n", "without 'From:'"),
        ("Bootstrap: docker\nFrom: a\nnonsense\n", "has no value"),
        ("Bootstrap: docker\nFrom: a\nFoo: b\n", "invalid header 'foo'"),
        (HEAD + "%wrong\n", "invalid section '%wrong'"),
        (HEAD + "%post -c\ntrue\n", "needs a shell"),
        (HEAD + "%files from x\na b\n", "names no earlier stage"),
    ],
)
def test_refused(text, complaint):
    with pytest.raises(RecipeError, match=complaint):
        parse_apptainer(text)


def test_sections_that_run_on_the_host_are_named():
    parsed = parse_apptainer(HEAD + "%setup\ntouch x\n%appinstall a\ntrue\n%pre\n\n")
    assert parsed.unsupported == ("%setup (it runs on the host)", "%appinstall")


def test_another_shell_loses_the_error_check_like_in_apptainer():
    (run,) = steps("%post -c /bin/bash -u\nfalse\n")
    assert run.shell == ("/bin/sh", "-ex", "-c", "/bin/bash -u")


def test_stages():
    parsed = parse_apptainer(
        "Bootstrap: docker\nFrom: a\nStage: build\n%post\nmake\nBootstrap: docker\nFrom: b\n%files from build\n/x /y\n"
    )
    assert [stage.base for stage in parsed.stages] == ["a", "b"]
    assert parsed.stages[1].steps[0].origin == 0


def test_files_quotes_comments_and_missing_target():
    context = (File("a b.txt", b""), File("d/e", b""))
    copies = steps("%files\n# no\n\"/x/a b.txt\" /t\n/x/d /t2/\n/etc/other\n", context)
    assert [(copy.sources[0], copy.target) for copy in copies] == [
        ("a b.txt", "/t"), ("d", "/t2/"), ("/etc/other", "/etc/other"),
    ]


@pytest.mark.parametrize(
    ("source", "mapped"),
    [
        ("/gen/1/fixtures/a.txt", "fixtures/a.txt"),
        ("/gen/1/fixtures", "fixtures"),
        ("/gen/1/fixtures/", "fixtures/"),
        ("/gen/1/fixtures/*.txt", "fixtures/*.txt"),
        ("fixtures/a.txt", "fixtures/a.txt"),
        ("/gen/a.txt", "a.txt"),
        ("/gen/none.txt", "/gen/none.txt"),
    ],
)
def test_longest_suffix_in_the_context(source, mapped):
    context = (File("fixtures/a.txt", b""), File("a.txt", b""))
    assert map_to_context(source, context) == mapped


def test_environment_keeps_assignments_and_notes_the_rest():
    parsed = parse_apptainer(HEAD + "%environment\n# c\nexport A='x y'\nB=1;\nexport B\nexport C=$(id)\numask 0\n")
    pairs = [pair for step in parsed.stages[0].steps for pair in step.pairs]
    assert pairs == [("A", "'x y'"), ("B", "1")]
    assert len(parsed.notes) == 2


def test_build_arguments():
    text = "Bootstrap: docker\nFrom: a:{{ TAG }}\n%arguments\nTAG=1\n%post\necho {{ TAG }} {{ OTHER }}\n"
    assert parse_apptainer(text).stages[0].base == "a:1"
    parsed = parse_apptainer(text, (), {"TAG": "2"})
    assert parsed.stages[0].base == "a:2"
    assert parsed.stages[0].steps[0].program == "echo 2 {{ OTHER }}\n"


INSTALL = "apt-get update && apt-get install -y curl\n"


@pytest.mark.parametrize(
    ("body", "first"),
    [
        (INSTALL + "mkdir /x\n", INSTALL),
        ("# c\n\n" + INSTALL + "mkdir /x\n", INSTALL),
        ("    apt-get update && \\\n      apt-get install -y \\\n   curl\n  mkdir /x\n", INSTALL),
        ("apt-get update &&\napt-get install -y curl\nmkdir /x\n", INSTALL),
        ("export A=b\n" + INSTALL + "pip install --no-cache-dir pytest==8.1\nmkdir /x\n",
         "export A=b\n" + INSTALL + "pip install --no-cache-dir pytest==8.1\n"),
        (INSTALL + "rm -rf /var/lib/apt/lists/*\nmkdir /x\n", INSTALL + "rm -rf /var/lib/apt/lists/*\n"),
        ("apt-get update -qq || true\nmkdir /x\n", "apt-get update -qq || true\n"),
        (INSTALL + "set +e\nmkdir /x\n", INSTALL),
    ],
)
def test_leading_installations_become_a_step(body, first):
    parts = split_post(body)
    assert parts[0] == first
    assert parts[1].endswith("mkdir /x\n")
    assert ("export A=b" in parts[1]) == ("export A=b" in body)
    assert ("set +e" in parts[1]) == ("set +e" in body)


@pytest.mark.parametrize(
    "body",
    [
        INSTALL,
        "mkdir /x\n" + INSTALL,
        "cd /tmp\n" + INSTALL + "mkdir /x\n",
        "apt-get install -y $(cat list)\nmkdir /x\n",
        "apt-get install -y \"$A\"\nmkdir /x\n",
        "apt-get update; cd /x\nmkdir y\n",
        "apt-get update && cd /x\nmkdir y\n",
        "apt-get update <<EOF\nx\nEOF\nmkdir y\n",
        "apt-get install -y \\\n # comment\n curl\nmkdir x\n",
        "if true; then\napt-get update\nfi\nmkdir x\n",
        "A=1\n" + INSTALL + "echo $A\n",
    ],
)
def test_anything_else_is_left_whole(body):
    assert split_post(body) == (body,)


def test_installations_go_before_files_that_cannot_matter():
    context = (File("fixtures/a", b""), File("requirements.txt", b""))
    moved = steps("%files\n/g/fixtures/a /app/a\n%post\n" + INSTALL + "mkdir /x\n", context)
    assert [type(step) for step in moved] == [Run, Copy, Run]
    system = steps("%files\n/g/fixtures/a /etc/apt/a\n%post\n" + INSTALL + "mkdir /x\n", context)
    assert [type(step) for step in system] == [Copy, Run, Run]
    reads = "%files\n/g/requirements.txt /app/r.txt\n%post\npip install -r /app/r.txt\nmkdir /x\n"
    assert [type(step) for step in steps(reads, context)] == [Copy, Run, Run]


@given(st.text(max_size=200))
def test_any_text_is_parsed_or_refused(text):
    try:
        parse_apptainer(HEAD + text)
    except RecipeError:
        return


LINES = [INSTALL, "mkdir /x\n", "export A=1\n", "# c\n", "\n", "apt-get update && \\\n", "echo <<E\n"]


@given(st.lists(st.sampled_from(LINES)))
def test_splitting_loses_no_line(lines):
    body = "".join(lines)
    parts = split_post(body)
    kept = "".join(parts)
    assert all(kept.count(word) >= body.count(word) for word in ("mkdir", "install", "echo"))
    assert len(parts) in (1, 2)
    assert SHELL == ("/bin/sh", "-ex")
