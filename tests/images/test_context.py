"""COPY sources and .dockerignore."""

import pytest

from river_envs.environment import File
from river_envs.images.context import Context, Ignore
from river_envs.images.recipe import RecipeError

FILES = (
    File("a.txt", b"a"), File("b.txt", b"b"), File("src/x.py", b"x"), File("src/lib/y.py", b"y"),
    File("link", link="src/x.py"), File("src/out", link="../../etc/passwd"), File("a[1].txt", b"odd"),
)


def found(source, files=FILES, **options):
    return [
        (item.name, item.directory, [file.path for file in item.files])
        for item in Context(files, **options).find(source)
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a.txt", [("a.txt", False, ["a.txt"])]),
        ("/a.txt", [("a.txt", False, ["a.txt"])]),
        ("./src/../a.txt", [("a.txt", False, ["a.txt"])]),
        ("src", [("src", True, ["lib/y.py", "out", "x.py"])]),
        ("src/", [("src", True, ["lib/y.py", "out", "x.py"])]),
        ("src/lib", [("lib", True, ["y.py"])]),
        ("?.txt", [("a.txt", False, ["a.txt"]), ("b.txt", False, ["b.txt"])]),
        ("s*", [("src", True, ["lib/y.py", "out", "x.py"])]),
        ("src/*.py", [("x.py", False, ["x.py"])]),
        ("a[1].txt", [("a[1].txt", False, ["a[1].txt"])]),
        ("[ab].txt", [("a.txt", False, ["a.txt"]), ("b.txt", False, ["b.txt"])]),
    ],
)
def test_find(source, expected):
    assert found(source) == expected


def test_everything():
    ((name, directory, files),) = found(".")
    assert (name, directory, len(files)) == ("", True, len(FILES))


@pytest.mark.parametrize("source", ["nope", "*.md", "src/x.py/z"])
def test_missing(source):
    with pytest.raises(RecipeError, match="not in the build context"):
        found(source)


def test_out_of_the_context():
    with pytest.raises(RecipeError, match="leads out"):
        found("../a.txt")


def test_following_links():
    (source,) = Context(FILES).find("link", follow=True)
    assert source.files[0].content == b"x"
    with pytest.raises(RecipeError, match="leads nowhere"):
        Context(FILES).find("src/out", follow=True)


def test_dockerignore_applies_to_dockerfiles_only():
    files = (*FILES, File(".dockerignore", b"*.txt\n!b.txt\nsrc/lib\n"))
    ((_, _, names),) = found(".", files)
    assert names == [".dockerignore", "b.txt", "link", "src/out", "src/x.py"]
    assert len(found(".", files, ignore=False)[0][2]) == len(files)


@pytest.mark.parametrize(
    ("rule", "path", "hidden"),
    [
        ("*", "a/b", True),
        ("a", "a/b/c", True),
        ("/a", "a", True),
        ("*/b", "a/b", True),
        ("*/b", "b", False),
        ("**/b", "b", True),
        ("**/b", "x/y/b", True),
        ("a/**", "a/x/y", True),
        ("*.pyc", "a/x.pyc", False),
        ("**/*.pyc", "a/x.pyc", True),
        ("# a", "a", False),
        ("*\n!a/b", "a/b", False),
        ("!a\n*", "a", True),
    ],
)
def test_ignore_rules(rule, path, hidden):
    assert Ignore(rule).hides(path) is hidden
