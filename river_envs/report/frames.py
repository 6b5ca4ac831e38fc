"""Rows of a catalog as plain Python values, for rooms that compute with them instead of plotting them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

STATE = "CASE WHEN verdict IS NOT NULL THEN verdict WHEN status = 'unsupported' THEN status ELSE 'not-audited' END"
"""The state of a row of ``environments_view``: its verdict, or why there is none."""

LATEST_SUBSET = "(SELECT id FROM subset ORDER BY recorded_at DESC, id LIMIT 1)"
"""The id of the subset that was written last."""


class Queryable(Protocol):
    """What is needed of a catalog."""

    def sql(self, query: str, /) -> Any:
        """Run one query and return a pandas frame."""


def read(catalog: Queryable, query: str) -> list[dict[str, Any]]:
    """The rows of ``query`` as plain Python values; SQL's NULL is ``None``, a list is a tuple."""
    frame = catalog.sql(query)
    return [
        {name: _plain(value) for name, value in zip(frame.columns, row, strict=True)}
        for row in frame.itertuples(index=False, name=None)
    ]


def quoted(values: Iterable[str]) -> str:
    """Values as a list of SQL strings."""
    return ", ".join("'" + value.replace("'", "''") + "'" for value in values)


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):  # numpy arrays and scalars
        value = value.tolist()
    if isinstance(value, list):
        return tuple(_plain(item) for item in value)
    if isinstance(value, str | bool | int):
        return value
    import pandas as pd

    return None if pd.isna(value) else value
