"""Recipes as Dockerfiles."""

import pytest

from river_envs.environment import File, ImageRecipe
from river_envs.images.dockerfile import parse_dockerfile
from river_envs.images.recipe import Copy, Env, RecipeError, Run
from river_envs.images.writer import as_dockerfile, to_dockerfile, without_heredocs

DEFINITION = """Bootstrap: docker
From: ubuntu:22.04
%files
/gen/fixtures/a.txt /app/fixtures/a.txt
/gen/fixtures /opt/
/gen/fixtures /srv/all
%post
cat > /x <<EOF
text \\
EOF
%environment
export LANG=C.UTF-8
export NAME="two words"
export EMPTY=
"""
CONTEXT = (File("fixtures/a.txt", b"A"), File("fixtures/b.txt", b"B"))


def test_a_dockerfile_stays_as_it_is():
    recipe = ImageRecipe("dockerfile", "FROM x\nRUN <<E\na\nE\n")
    assert as_dockerfile(recipe) is recipe


def test_a_prebuilt_image():
    assert to_dockerfile(ImageRecipe("prebuilt", docker_image="a:1")) == "FROM a:1\n"


def test_an_apptainer_definition():
    made = as_dockerfile(ImageRecipe("apptainer", DEFINITION, CONTEXT))
    (stage,) = parse_dockerfile(made.text).stages
    assert stage.base == "ubuntu:22.04"
    copies = [(step.sources, step.target) for step in stage.steps if isinstance(step, Copy)]
    assert copies == [
        (("fixtures/a.txt",), "/app/fixtures/a.txt"),
        (("fixtures",), "/opt/fixtures"),
        (("fixtures",), "/srv/all"),
        ((".river/post-1.sh",), "/.post.script"),
    ]
    runs = [step.argv for step in stage.steps if isinstance(step, Run)]
    assert runs[0] == ("/bin/sh", "-ex", "/.post.script")
    assert {file.path: file.content for file in made.context}[".river/post-1.sh"] == b"cat > /x <<EOF\ntext \\\nEOF\n"
    assert [step.pairs for step in stage.steps if isinstance(step, Env)] == [
        (("LANG", "C.UTF-8"),), (("NAME", '"two words"'),), (("EMPTY", '""'),),
    ]


def test_what_a_dockerfile_cannot_say():
    with pytest.raises(RecipeError, match="cannot become a Dockerfile: %setup"):
        to_dockerfile(ImageRecipe("apptainer", "Bootstrap: docker\nFrom: x\n%setup\ntouch a\n"))


def rewritten(body, context=(), args=()):
    made = without_heredocs(ImageRecipe("dockerfile", body, context, build_args=args))
    assert "<<" not in "".join(line for line in made.text.splitlines() if not line.startswith("RUN ["))
    return made


def argv(made):
    return next(step.argv for step in parse_dockerfile(made.text).stages[-1].steps if isinstance(step, Run))


def test_plain_recipes_are_returned_as_they_are():
    recipe = ImageRecipe("dockerfile", "FROM x\nRUN a \\\n b\n")
    assert without_heredocs(recipe) is recipe


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("RUN <<E\na \"b\"\n\\c\nE", ("/bin/sh", "-c", 'a "b"\n\\c\n')),
        ("RUN cat > /x << 'E' && y\na\nE", ("/bin/sh", "-c", "cat > /x << 'E' && y\na\nE")),
        ('SHELL ["bash", "-ec"]\nRUN <<E\na\nE', ("bash", "-ec", "a\n")),
    ],
)
def test_runs(body, expected):
    assert argv(rewritten("FROM x\n" + body)) == expected


def test_lines_around_are_kept():
    made = rewritten("# one\nFROM x\nRUN a \\\n b\nRUN <<E\nc\nE\n# two\nRUN [\"d\"]\n")
    assert made.text.splitlines()[:4] == ["# one", "FROM x", "RUN a \\", " b"]
    assert made.text.splitlines()[5:7] == ["# two", 'RUN ["d"]']


def test_a_program():
    command = argv(rewritten("FROM x\nRUN <<E\n#!/usr/bin/python3\nprint('''RIVER_STEP''')\nRIVER_STEP\nE\n"))
    assert command[:2] == ("/bin/sh", "-c")
    assert "<<'RIVER_STEP_'\n#!/usr/bin/python3\n" in command[2]


def test_copies_become_files_with_their_variables_expanded():
    made = rewritten(
        "ARG V=1\nFROM x\nENV A=b\nCOPY --chown=1:1 <<\"E\" <<F other /d/\n$A\nE\n$A $V it's\nF\n",
        (File("other"),), (("V", "2"),),
    )
    files = {file.path: file.content for file in made.context}
    assert files[".river/line-4/E"] == b"$A\n"
    assert files[".river/line-4/F"] == b"b 2 it's\n"
    (copy,) = [step for step in parse_dockerfile(made.text).stages[0].steps if isinstance(step, Copy)]
    assert (copy.sources, copy.owner) == ((".river/line-4/E", ".river/line-4/F", "other"), "1:1")


def test_long_scripts_become_files_since_the_classic_builder_limits_lines():
    body = "echo x\n" * 20_000
    made = rewritten(f"FROM x\nRUN <<E\n{body}E\n")
    assert max(len(line) for line in made.text.splitlines()) < 60_000
    assert body.encode() in {file.content for file in made.context}
    assert argv(made)[:2] == ("/bin/sh", "-c")
