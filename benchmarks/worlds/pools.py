"""Names that fixtures are drawn from. ``EXAMPLE_*`` occur in examples only, so that no example can be right."""

from __future__ import annotations

import random
from collections.abc import Sequence

PEOPLE = (
    "amara", "bela", "chidi", "daria", "emeka", "farid", "greta", "hana", "imre", "jonas", "keiko", "lucia", "marek",
    "nadia", "oskar", "petra", "quentin", "rosa", "samir", "tomas", "ulla", "vera", "wanda", "xenia", "yusuf", "zora",
)
EXAMPLE_PEOPLE = ("placeholder", "nobody", "someone")
WORDS = (
    "amber", "basin", "cedar", "delta", "ember", "fjord", "grove", "harbor", "inlet", "juniper", "kestrel", "lagoon",
    "meadow", "nectar", "orchid", "pebble", "quarry", "raven", "saffron", "thicket", "umbra", "valley", "willow",
    "yarrow", "zephyr", "beacon", "copper", "dune", "echo", "flint", "glacier", "hollow", "ivory", "jasper", "knoll",
)
CITIES = (
    "Accra", "Bergen", "Cusco", "Dakar", "Evora", "Fargo", "Ghent", "Hanoi", "Izmir", "Jaipur", "Kyoto", "Lima",
    "Malmo", "Nantes", "Oslo", "Porto", "Quito", "Riga", "Sofia", "Turin", "Utrecht", "Vilnius", "Windhoek", "Zagreb",
)
ITEMS = (
    "anvil", "bolt", "clamp", "drill", "easel", "funnel", "gasket", "hinge", "inkpot", "jigsaw", "kettle", "lantern",
    "mallet", "nozzle", "pulley", "rivet", "spanner", "toolbox", "valve", "winch", "washer", "ladder", "bracket",
)
ROOTS = ("/app", "/srv/work", "/home/user/project", "/data/job", "/opt/task", "/workspace", "/var/lib/desk")
OUTPUTS = ("out", "result", "report", "build", "deliver", "final")


def root(rng: random.Random) -> str:
    """The directory a task lives in, with a word of its own more often than not."""
    base = rng.choice(ROOTS)
    return f"{base}/{rng.choice(WORDS)}" if rng.random() < 0.6 else base


def some(rng: random.Random, pool: Sequence[str], count: int) -> list[str]:
    """``count`` different members of ``pool`` in random order."""
    return rng.sample(list(pool), count)


def octets(rng: random.Random) -> str:
    """An IPv4 address of a documentation or private range."""
    prefix = rng.choice(("10.{}.{}", "172.20.{}.{}", "192.168.{}.{}", "198.51.100.{}", "203.0.113.{}"))
    text = prefix.format(*(rng.randrange(1, 250) for _ in range(prefix.count("{}"))))
    return text if text.count(".") == 3 else f"{text}.{rng.randrange(1, 250)}"


def decoy(rng: random.Random, root: str, suffix: str) -> str:
    """A path that looks like an answer; what lies there is a stale result with other values, worth nothing."""
    name = rng.choice(("expected", "golden", "reference", "truth", "solution"))
    folder, mark = rng.choice(("old/", "", ".cache/", "archive/")), rng.choice(("", "-2019", "_draft"))
    return f"{root}/{folder}{name}{mark}.{suffix}"


def stamp(second: int, *, base: int = 1_900_000_000) -> str:
    """The moment ``second`` seconds after a fixed start, as 2030-03-17T17:46:40Z."""
    from datetime import UTC, datetime

    return datetime.fromtimestamp(base + second, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
