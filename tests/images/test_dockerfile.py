"""Dockerfiles into steps."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_envs.images.dockerfile import parse_dockerfile
from river_envs.images.recipe import Arg, Copy, Env, Inline, Note, RecipeError, Run, Shell, User, Workdir


def steps(body, head="FROM ubuntu:22.04\n"):
    return parse_dockerfile(head + body).stages[-1].steps


def only(body):
    (step,) = steps(body)
    return step


def script(body):
    return only(body).script


def test_continuations_comments_and_empty_lines_inside():
    text = "RUN apt-get update && \\\n  # why\n\n    apt-get install -y \\  \n curl\nRUN next"
    assert [step.script for step in steps(text)] == ["apt-get update &&     apt-get install -y  curl", "next"]


def test_comment_with_a_trailing_backslash_does_not_continue():
    assert script("# comment \\\nRUN a") == "a"


def test_escape_directive():
    parsed = parse_dockerfile("# escape=`\nFROM x\nRUN dir C:\\ `\n && b\n")
    assert parsed.stages[0].steps[0].script == "dir C:\\  && b"


def test_escape_directive_after_a_comment_is_a_comment():
    assert parse_dockerfile("# hello\n# escape=`\nFROM x\nRUN a \\\n b\n").stages[0].steps[0].script == "a  b"


def test_syntax_directive_before_the_escape_directive():
    assert parse_dockerfile("# syntax=docker/dockerfile:1\n#escape = `\nFROM x\n").escape == "`"


def test_byte_order_mark_and_dos_line_ends():
    assert parse_dockerfile("\ufeffFROM x\r\nRUN a \\\r\n b\r\n").stages[0].steps[0].script == "a  b"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('RUN ["a", "b c"]', Run(argv=("a", "b c"), line=2)),
        ('RUN [ "a", b ]', Run(script='[ "a", b ]', line=2)),
        ("RUN [ -f x ]", Run(script="[ -f x ]", line=2)),
        ("run a", Run(script="a", line=2)),
        ("RUN\ta", Run(script="a", line=2)),
        ("RUN --network=none a", Run(script="a", network=False, line=2)),
        ("SHELL [\"/bin/bash\", \"-c\"]", Shell(("/bin/bash", "-c"), 2)),
        ("WORKDIR /a b", Workdir("/a b", 2)),
        ("USER app:app", User("app:app", 2)),
        ("ENV A=1 B=\"x y\" C='$A'", Env((("A", "1"), ("B", '"x y"'), ("C", "'$A'")), 2)),
        ("ENV A some  words = here", Env((("A", "some  words = here"),), 2)),
        ("ENV A=1 \\\n  B=2", Env((("A", "1"), ("B", "2")), 2)),
        ("ARG A", Arg("A", None, 2)),
        ("ARG A=", Arg("A", "", 2)),
        ("COPY a b /c/", Copy(("a", "b"), "/c/", line=2)),
        ('COPY ["a b", "/c d"]', Copy(("a b",), "/c d", line=2)),
        ("COPY --chown=1:2 --chmod=755 a /b", Copy(("a",), "/b", owner="1:2", mode="755", line=2)),
        ("COPY --link a /b", Copy(("a",), "/b", line=2)),
        ("ADD a.tar.gz /b", Copy(("a.tar.gz",), "/b", unpack=True, line=2)),
        ("COPY --from=nginx:1 /etc/x /y", Copy(("/etc/x",), "/y", "nginx:1", line=2)),
        ('CMD ["a"]', Note("CMD", '["a"]', 2)),
        ("ONBUILD RUN a", Note("ONBUILD", "RUN a", 2)),
    ],
)
def test_instruction(body, expected):
    assert only(body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("RUN <<EOF\na\n b\nEOF", Run(script="a\n b\n", line=2)),
        ("RUN <<-EOF\n\ta\n\tEOF", Run(script="a\n", line=2)),
        ("RUN << 'EOF'\n$a\nEOF", Run(script="$a\n", line=2)),
        ("RUN <<EOF\n#!/usr/bin/python3\nprint()\nEOF", Run(program="#!/usr/bin/python3\nprint()\n", line=2)),
        ("RUN cat <<EOF > /x && echo\na\nEOF", Run(script="cat <<EOF > /x && echo\na\nEOF", line=2)),
        ("RUN cat > /x << 'EOF'\n#!/bin/sh\nFROM y\nEOF",
         Run(script="cat > /x << 'EOF'\n#!/bin/sh\nFROM y\nEOF", line=2)),
        ("RUN cat <<A && cat <<B\n1\nA\n2\nB", Run(script="cat <<A && cat <<B\n1\nA\n2\nB", line=2)),
        ('RUN ["<<EOF"]', Run(argv=("<<EOF",), line=2)),
        ('RUN echo "<<EOF"', Run(script='echo "<<EOF"', line=2)),
        ("RUN cat <<<word", Run(script="cat <<<word", line=2)),
        ("RUN a \\\n && cat <<EOF\nx\nEOF", Run(script="a  && cat <<EOF\nx\nEOF", line=2)),
        ("COPY <<EOF /x\na $B\nEOF", Copy((), "/x", inline=(Inline("EOF", "a $B\n", True),), line=2)),
        ('COPY <<"a.txt" <<b.txt c /x/\n1\na.txt\n2\nb.txt',
         Copy(("c",), "/x/", inline=(Inline("a.txt", "1\n", False), Inline("b.txt", "2\n", True)), line=2)),
    ],
)
def test_heredocs(body, expected):
    assert only(body) == expected


def test_stages_names_numbers_and_images():
    parsed = parse_dockerfile(
        "ARG TAG=22.04\nFROM ubuntu:${TAG} AS Build\nRUN a\nFROM build\nCOPY --from=0 /a /b\nCOPY --from=BUILD /a /b\n"
        "COPY --from=alpine /a /b\n"
    )
    first, second = parsed.stages
    assert (first.base, first.name, second.base) == ("ubuntu:22.04", "build", 0)
    assert [step.origin for step in second.steps] == [0, 0, "alpine"]
    assert parsed.bases == ("ubuntu:22.04", "alpine")


def test_global_arguments_and_overrides():
    text = "ARG A=x\nARG B=$A-y\nFROM $B\n"
    assert parse_dockerfile(text).stages[0].base == "x-y"
    assert parse_dockerfile(text, {"A": "z"}).stages[0].base == "z-y"
    assert parse_dockerfile("ARG V\nFROM a:${V:-7}\n").stages[0].base == "a:7"


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ("ADD https://x.org/a /b", "ADD of a URL"),
        ("ADD git@github.com:a/b.git /b", "ADD of a URL"),
        ("RUN --mount=type=secret,id=x a", "RUN --mount=type=secret"),
        ("RUN --mount=target=/src a", "RUN --mount=type=bind"),
        ("RUN --security=insecure a", "RUN --security"),
        ("COPY --parents a /b", "COPY --parents"),
        ("COPY --exclude=x a /b", "COPY --exclude"),
        ("ENV A=${B#x}", "ENV with the expansion"),
        ("FROM --platform=linux/riscv64 x", "FROM --platform=linux/riscv64"),
    ],
)
def test_outside_the_subset_is_named(body, named):
    (reason,) = parse_dockerfile("FROM x\n" + body).unsupported
    assert reason.startswith(named)


def test_ignored_things_are_notes():
    parsed = parse_dockerfile("FROM --platform=$BUILDPLATFORM x\nRUN --mount=type=cache,target=/c a\nCMD a\nCMD b\n")
    assert parsed.unsupported == ()
    assert parsed.notes == ("RUN --mount=type=cache is run without the mount", "CMD is ignored")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "no FROM"),
        ("# only a comment\n", "no FROM"),
        ("RUN a\nFROM x\n", "before the first FROM"),
        ("FROM\n", "FROM takes"),
        ("FROM a b\n", "FROM takes"),
        ("FROM a AS 1\n", "invalid stage name"),
        ("ARG X\nFROM $X\n", "blank"),
        ("FROM x\nRUNN a\n", "line 2: unknown instruction 'RUNN'"),
        ("FROM x\nimport os\n", "unknown instruction 'IMPORT'"),
        ("FROM x\nRUN\n", "RUN needs"),
        ("FROM x\nRUN --mounts=x a\n", "unknown flag --mounts"),
        ("FROM x\nCOPY a\n", "at least a source"),
        ("FROM x\nCOPY --from=3 a b\n", "no such earlier stage"),
        ("FROM x AS y\nCOPY --from=y a b\n", "from itself"),
        ("FROM x\nENV A\n", "ENV needs"),
        ("FROM x\nENV A=1 B\n", "NAME=VALUE"),
        ("FROM x\nENV A='b\n", "unclosed"),
        ("FROM x\nRUN <<EOF\na\n", "heredoc 'EOF' never ends"),
        ("FROM x\nSHELL /bin/bash -c\n", "JSON list"),
        ("# escape=x\nFROM x\n", "escape directive"),
        ("FROM x\nRUN []\n", "empty list"),
    ],
)
def test_syntax_errors(text, complaint):
    with pytest.raises(RecipeError, match=complaint):
        parse_dockerfile(text)


@given(st.text(max_size=200))
def test_any_text_is_parsed_or_refused(text):
    try:
        parse_dockerfile("FROM x\n" + text)
    except RecipeError:
        return
