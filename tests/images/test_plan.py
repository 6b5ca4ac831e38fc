"""Stages as actions: expansion, scope of arguments, what shares a layer and what enters a key."""

import pytest

from river_envs.environment import File, ImageRecipe
from river_envs.images.context import Context
from river_envs.images.plan import DEFAULT_PATH, PROGRAM, Defaults, FilesAction, RunAction, plan_stage
from river_envs.images.recipe import RecipeError, parse

NOTHING = Defaults()
FILES = (File("a", b"A"), File("b", b"B"), File("d/c", b"C"))


def planned(body, base=NOTHING, args=(), files=FILES, head="FROM x\n"):
    recipe = ImageRecipe("dockerfile", head + body, files, build_args=tuple(args))
    parsed = parse(recipe)
    return plan_stage(parsed, parsed.stages[-1], base, Context(files), dict(args))


def run(body, **options):
    (action,) = [action for action in planned(body, **options).actions if isinstance(action, RunAction)]
    return action


def placements(body, **options):
    (action,) = planned(body, **options).actions
    assert isinstance(action, FilesAction)
    return action.placements


def test_metadata_makes_no_layer():
    plan = planned("ENV A=1\nUSER app\nCMD x\nEXPOSE 80\nARG B=2\nSHELL [\"bash\", \"-c\"]\n")
    assert plan.actions == ()
    assert plan.defaults == Defaults((("A", "1"),), "/", "app")


def test_path_grows_from_the_bases_or_the_default():
    assert dict(planned("ENV PATH=/x:$PATH").defaults.env)["PATH"] == "/x:" + DEFAULT_PATH
    base = Defaults((("PATH", "/base"),))
    assert dict(planned("ENV PATH=/x:$PATH", base=base).defaults.env)["PATH"] == "/x:/base"


def test_one_env_sees_the_values_before_it():
    plan = planned("ENV A=old\nENV A=new B=$A\n")
    assert plan.defaults.env == (("A", "new"), ("B", "old"))


@pytest.mark.parametrize(
    ("body", "args", "expected"),
    [
        ("ARG A\nRUN x", {}, {}),
        ("ARG A=1\nRUN x", {}, {"A": "1"}),
        ("ARG A=1\nRUN x", {"A": "2"}, {"A": "2"}),
        ("RUN x", {"A": "2"}, {}),
        ("ARG A=1\nENV A=3\nRUN x", {"A": "2"}, {"A": "3"}),
        ("ARG A=1\nARG B=${A}b\nRUN x", {}, {"A": "1", "B": "1b"}),
        ("ARG G\nRUN x", {}, {"G": "global"}),
        ("ARG G=own\nRUN x", {}, {"G": "own"}),
    ],
)
def test_scope_of_arguments(body, args, expected):
    assert dict(run(body, args=args.items(), head="ARG G=global\nFROM x\n").env) == expected


def test_arguments_do_not_stay_in_the_image():
    assert planned("ARG A=1\nENV B=$A\n").defaults.env == (("B", "1"),)


@pytest.mark.parametrize(
    ("body", "argv"),
    [
        ("RUN a $X", ("/bin/sh", "-c", "a $X")),
        ('SHELL ["/bin/bash", "-ec"]\nRUN a', ("/bin/bash", "-ec", "a")),
        ('RUN ["a", "$X"]', ("a", "$X")),
        ("RUN <<E\n#!/bin/x\ny\nE", (PROGRAM,)),
    ],
)
def test_run(body, argv):
    assert run(body).argv == argv


def test_apptainer_scripts_get_their_path():
    def argv(arguments):
        parsed = parse(ImageRecipe("apptainer", f"Bootstrap: docker\nFrom: x\n%post{arguments}\ntrue\n"))
        plan = plan_stage(parsed, parsed.stages[0], Defaults((), "/w", "app"), Context(()), {})
        assert (plan.actions[0].user, plan.actions[0].workdir) == ("root", "/")
        return plan.actions[0].argv

    assert argv("") == ("/bin/sh", "-ex", PROGRAM)
    assert argv(" -c /bin/bash") == ("/bin/sh", "-ex", "-c", f"/bin/bash {PROGRAM}")


@pytest.mark.parametrize(
    ("body", "workdir"),
    [
        ("WORKDIR /a\nWORKDIR b", "/a/b"),
        ("WORKDIR a", "/a"),
        ("ENV D=/x\nWORKDIR $D/y", "/x/y"),
        ("WORKDIR /a/../b/", "/b"),
    ],
)
def test_workdir(body, workdir):
    assert planned(body).defaults.workdir == workdir


@pytest.mark.parametrize(
    ("body", "target"),
    [
        ("COPY a /x", "/x"),
        ("COPY a /x/", "/x/"),
        ("COPY a b /x", "/x/"),
        ("COPY [ab] /x", "/x/"),
        ("ENV T=/t\nCOPY a $T/x", "/t/x"),
        ("COPY a .", "/"),
        ("COPY <<E /x\nq\nE", "/x"),
    ],
)
def test_copy_targets(body, target):
    assert placements(body)[-1].target == target


def test_relative_targets_and_owners():
    made, copied = placements("USER app\nWORKDIR /w\nCOPY --chown=$U:2 a b/c\n", args={"U": "1"}.items())
    assert (made.make, made.owner) == (True, "app")
    assert copied.target == "/w/b/c"
    assert copied.owner == ":2"  # an argument that is not declared is empty


def test_neighbouring_files_share_a_layer():
    plan = planned("WORKDIR /w\nCOPY a /a\nENV X=1\nCOPY b /b\nRUN x\nCOPY d /d\nRUN y\n")
    assert [type(action) for action in plan.actions] == [FilesAction, RunAction, FilesAction, RunAction]


def test_missing_sources_name_the_line():
    with pytest.raises(RecipeError, match="line 2: 'nope'"):
        planned("COPY nope /x\n")


def test_keys_follow_content_and_not_notes():
    def keys(body, files=FILES):
        return [action.key for action in planned(body, files=files).actions]

    changed = (File("a", b"other"), *FILES[1:])
    assert keys("COPY a /x") != keys("COPY a /x", changed)
    assert keys("COPY b /x") == keys("COPY b /x", changed)
    assert keys("COPY b /x") != keys("COPY --chmod=700 b /x")
    assert keys("RUN x") == keys("LABEL a=b\nRUN x")
    assert keys("RUN x") != keys("ENV A=1\nRUN x")


def test_required_value():
    with pytest.raises(RecipeError, match="line 3: V: give-it"):
        planned("ARG V\nENV X=${V:?give-it}\n")
