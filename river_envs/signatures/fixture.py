"""What an agent starts from, as a hash: the files that an image brings along, not the system that they lie in."""

from __future__ import annotations

import re

from river_envs.environment import ImageRecipe, digest

_RECIPES = re.compile(r"(^|/)(\.?dockerfile|\.dockerignore|container\.def|(docker-)?compose\.ya?ml)$", re.IGNORECASE)
_WRITES = re.compile(
    r"<<-?\s*['\"]?\w"  # a heredoc
    r"|(?m:^\s*%files\b)"
    r"|(?<![\d&<>=])>>?\s*(?!/dev/(?:null|stdout|stderr)\b)[\w./~$\"'{]"  # into a file, not a bound on a version
)
_VERSION_BOUND = re.compile(r"[\w\]]\s?>=?\s?\d[\w.]*")


def fixture_digest(image: ImageRecipe) -> str | None:
    """A hash of the contents of the context files; without any, of a recipe that writes files itself; else ``None``.

    Paths and modes do not count: the same data under another name is the same start. Two images that only share a
    base hold no fixture.
    """
    contents = sorted(file.sha256 for file in image.context if file.content and not _RECIPES.search(file.path))
    if contents:
        return digest("files", contents)[:32]
    if _WRITES.search(_VERSION_BOUND.sub("", image.text)):
        return digest("recipe", _normalised(image.text))[:32]
    return None


def _normalised(recipe: str) -> list[str]:
    """Lines without indentation, empty ones and comments."""
    lines = (" ".join(line.split()) for line in recipe.splitlines())
    return [line for line in lines if line and not line.startswith("#")]
