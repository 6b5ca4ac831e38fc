"""Shapes filled in: files with the demanded form and values that nobody computed.

Filling runs twice: values that must equal others of the same artefact (a total and the sum of its rows, a count and the
length of a list) are taken from the first pass. Every value is noted as a :class:`Leaf`, so that two fillings can be
compared place by place and a failed assertion that shows a value leads back to its place.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from river_envs.synthesis import leaves
from river_envs.synthesis.shapes import Artefact, Shape

_ROWS: Final = 3
_MOST_ROWS: Final = 400
_WIDEST: Final = 60

Options = Callable[[Shape], Sequence[Any]]
"""The values of an enumeration that may be chosen from."""


@dataclass(frozen=True)
class Leaf:
    """One value that was filled in: its place, the shape it meets, and whether the tests (or their words) fixed it."""

    path: str
    place: str
    shape: Shape
    value: Any
    kept: bool = False


@dataclass
class Filling:
    """The contents of one artefact under one salt."""

    path: str
    salt: int
    options: Options
    leaves: list[Leaf] = field(default_factory=list)
    unmet: list[str] = field(default_factory=list)
    produced: dict[int, list[Any]] = field(default_factory=dict)
    lengths: dict[int, int] = field(default_factory=dict)
    before: Filling | None = None

    def value(self, shape: Shape, place: str, row: int = 0) -> Any:
        """A value as JSON would hold it."""
        if shape.pinned:
            return self._leaf(shape, place, shape.pinned[0], kept=True)
        kind = leaves.kind_of(shape)
        if kind == "object":
            return self._object(shape, place, row)
        if kind == "list":
            return self._list(shape, place, row)
        related = self._related(shape)
        if related is not None:
            return self._leaf(shape, place, related, kept=True)
        options = self.options(shape)
        if options and kind != "text":
            return self._leaf(shape, place, options[(self.salt + row) % len(options)])
        if kind in {"integer", "number"}:
            return self._leaf(shape, place, leaves.number(shape, self.salt, row, whole=kind == "integer"))
        if kind == "boolean":
            return self._leaf(shape, place, bool(self.salt % 2))
        if kind == "null":
            return self._leaf(shape, place, None, kept=True)
        return self.text(shape, place, row)

    def text(self, shape: Shape, place: str, row: int = 0) -> str:
        """A single text: a line, a cell, a word."""
        if shape.pinned:
            return str(self._leaf(shape, place, str(shape.pinned[0]), kept=True))
        parts = next(((separator, inner) for (how, separator), inner in shape.readings.items() if how == "parts"), None)
        if ("json", "") in shape.readings:
            return json.dumps(self.value(shape.readings[("json", "")], place, row))
        if parts is not None and not shape.patterns:
            return self._parts(shape, *parts, place, row)
        related = self._related(shape)
        if related is not None:
            return str(self._leaf(shape, place, str(related), kept=True))
        found, met = leaves.text(shape, self.salt, row, self.options(shape))
        if not met:
            self.unmet.append(place)
        return str(self._leaf(shape, place, found))

    def _parts(self, shape: Shape, separator: str, inner: Shape, place: str, row: int) -> str:
        count = max([*(index + 1 for index in inner.items if index >= 0), inner.least or 2])
        cells = [self.text(inner.items.get(index) or inner.each or Shape(shape.name), f"{place}[{index}]", row)
                 for index in range(min(count, 30))]
        if -1 in inner.items:
            cells[-1] = self.text(inner.items[-1], f"{place}[-1]", row)
        joined = separator.join(cells) if separator.strip() != ":" else f"{separator.strip()} ".join(cells)
        return joined if joined.startswith(shape.prefix) else shape.prefix + joined

    def _leaf(self, shape: Shape, place: str, value: Any, *, kept: bool = False) -> Any:
        self.leaves.append(Leaf(self.path, place, shape, value, kept))
        self.produced.setdefault(id(shape), []).append(value)
        return value

    def _related(self, shape: Shape) -> Any:
        """The value that must equal another one, from the first pass."""
        if shape.like is None or self.before is None:
            return None
        how, other = shape.like
        made = self.before.produced.get(id(other), [])
        if how in {"len", "length"}:
            return self.before.lengths.get(id(other), len(made))
        numbers = [float(value) for value in made if _is_number(value)]
        if how == "same" and made:
            return made[0]
        if not numbers:
            return None
        whole = all(number.is_integer() for number in numbers)
        found = {"sum": sum(numbers), "above": max(numbers) + 1, "below": min(numbers) - 1}.get(how)
        return int(found) if found is not None and whole else found

    def _object(self, shape: Shape, place: str, row: int) -> dict[str, Any]:
        found = {
            name: self.value(_shared(name, inner, shape.each), f"{place}.{name}", row)
            for name, inner in shape.keys.items()
        }
        more = min(shape.least or 0, 50) - len(found)
        if not shape.keys and (shape.each is not None or more > 0):
            more = max(more, 2)
        for index in range(more):
            name = leaves.word(self.salt, place, index)
            found[name] = self.value(shape.each or Shape(shape.name, "json"), f"{place}.*", row * 10 + index)
        self.lengths[id(shape)] = len(found)
        return found

    def rows(self, shape: Shape) -> list[Shape | None]:
        """The element shape of every row of a list; None for one that nothing is known of."""
        count = _ROWS if shape.each is not None or not shape.some else 0
        if not shape.items and not shape.some and shape.each is None and shape.least is None:
            count = 2
        count = max([count, *(index + 1 for index in shape.items if index >= 0)])
        if self.before is not None and shape.like and shape.like[0] == "length":
            count = self.before.lengths.get(id(shape.like[1]), count)
        count += len(shape.some)
        if shape.least is not None:
            count = max(count, shape.least + shape.ahead)
        if shape.most is not None:
            count = min(count, max(shape.most + shape.ahead, 0))
        count = min(count, _MOST_ROWS)
        found: list[Shape | None] = [shape.items.get(index, shape.each) for index in range(count)]
        for index, inner in shape.items.items():
            if -len(found) <= index < 0:
                found[index] = inner
        for offset, extra in enumerate(shape.some, 1):
            if offset <= len(found) and not shape.items.get(len(found) - offset):
                found[-offset] = extra
        self.lengths[id(shape)] = len(found)
        return found

    def _list(self, shape: Shape, place: str, row: int) -> list[Any]:
        found = [self.value(inner or Shape(shape.name, "json"), f"{place}[]", row * 10 + index)
                 for index, inner in enumerate(self.rows(shape))]
        if shape.each is not None:
            self._sort(found, shape)
        return found

    def _sort(self, found: list[Any], shape: Shape) -> None:
        """Bring rows into the demanded order, by one column or as a whole."""
        each = shape.each
        if each is None:
            return
        order = shape.order or each.order
        if order and all(_is_number(value) for value in found):
            found.sort(key=float, reverse=order == "falling")
        elif order and all(isinstance(value, str) for value in found):
            found.sort(reverse=order == "falling")
        for name, inner in each.keys.items():
            if inner.order and all(isinstance(value, dict) and name in value for value in found):
                column = [value[name] for value in found]
                numeric = all(_is_number(value) for value in column)
                column.sort(key=float if numeric else str, reverse=inner.order == "falling")
                for value, cell in zip(found, column, strict=True):
                    value[name] = cell

    def document(self, artefact: Artefact, shape: Shape) -> str:
        """The text of a whole file."""
        readings = {how: inner for (how, _), inner in shape.readings.items()}
        if "json" in readings:
            return json.dumps(self.value(readings["json"], artefact.path), indent=2) + "\n"
        if "toml" in readings:
            return _toml(self.value(readings["toml"], artefact.path))
        if "table" in readings or "rows" in readings:
            return self._table(shape, artefact.path)
        if "lines" in readings and readings["lines"].asks:
            return self._lines(shape, readings["lines"], artefact.path)
        if shape.pairs or any(pattern.how == "search" for pattern in shape.patterns) or len(shape.contains) > 1:
            return self._lines(shape, readings.get("lines") or Shape(shape.name, "lines"), artefact.path)
        body = self.text(shape, artefact.path) + "\n"
        wanted = readings["lines"].least if "lines" in readings and readings["lines"].least else 1
        more = [self.text(Shape(shape.name), f"{artefact.path}+", index) + "\n" for index in range(1, min(wanted, 400))]
        return body + "".join(more)

    def _lines(self, shape: Shape, lines: Shape, path: str) -> str:
        found: list[str] = []
        for (separator, name), inner in lines.pairs.items():
            mark = separator if separator != ":" else ": "
            found.append(f"{name}{mark}{self.text(inner, f'{path}:{name}')}")
        patterns = [pattern for pattern in shape.patterns if pattern.how == "search"]
        for index, pattern in enumerate(patterns):
            inner = Shape(shape.name, patterns=[pattern], lacks=shape.lacks,
                          groups={key: value for key, value in shape.groups.items() if key[0] == pattern})
            found.append(self.text(inner, f"{path}/{index}", index))
        if not found or lines.items or lines.some or (lines.each is not None and lines.each.asks):
            rows = self.rows(lines) if not found or lines.each is not None else []
            texts = [
                self.text(inner or Shape(shape.name), f"{path}:{index}", index) for index, inner in enumerate(rows)
            ]
            if lines.each is not None and (lines.order or lines.each.order):
                head = len(lines.items)
                self._sort(body := texts[head:], lines)
                texts[head:] = body
            found = [*texts, *found] if not lines.pairs else found
        joined = "\n".join(found)
        found += [piece for piece in shape.contains if piece.lower() not in joined.lower()]
        while lines.least is not None and len(found) < min(lines.least, _MOST_ROWS):
            found.append(self.text(lines.each or Shape(shape.name), f"{path}+", len(found)))
        return (shape.prefix if not found[0].startswith(shape.prefix) else "") + "\n".join(found) + "\n"

    def _table(self, shape: Shape, path: str) -> str:
        table = next((inner for (how, _), inner in shape.readings.items() if how == "table"), None)
        grid = next((inner for (how, _), inner in shape.readings.items() if how == "rows"), None)
        lines = shape.readings.get(("lines", ""))
        separator = next(mark for (how, mark) in shape.readings if how in {"table", "rows"})
        header = _header(table, grid, lines, separator)
        source = table or grid or Shape()
        rows = self.rows(source)
        if grid is not None and source is grid and grid.items:
            rows = rows[1:]
        if lines is not None and lines.least is not None:
            rows += [source.each] * (lines.least - 1 - len(rows))
        buffer = io.StringIO()
        writer = csv.writer(buffer, delimiter=separator[:1] or ",", lineterminator="\n")
        if header:
            writer.writerow(header)
        records = [[self.text(cell, f"{path}.{cell.name or index}", number)
                    for index, cell in enumerate(_cells(row, header, grid))] for number, row in enumerate(rows)]
        self._sort_records(records, header, source, grid)
        writer.writerows(records)
        return buffer.getvalue()

    def _sort_records(self, records: list[list[str]], header: list[str], source: Shape, grid: Shape | None) -> None:
        for index, cell in enumerate(_cells(source.each, header, grid)):
            if cell.order and records:
                column = [record[index] for record in records]
                numeric = all(_is_number(value) for value in column)
                column.sort(key=float if numeric else str, reverse=cell.order == "falling")
                for record, value in zip(records, column, strict=True):
                    record[index] = value


def _shared(name: str, inner: Shape, each: Shape | None) -> Shape:
    """The shape below a key: its own, or what is demanded of every value."""
    return replace(each, name=name) if each is not None and not inner.asks else inner


def _toml(value: Any) -> str:
    import tomli_w

    return tomli_w.dumps(value) if isinstance(value, dict) else "a = 1\n"


def _header(table: Shape | None, grid: Shape | None, lines: Shape | None, separator: str) -> list[str]:
    if table is not None and table.header:
        return list(table.header)
    if grid is not None and 0 in grid.items:
        first = grid.items[0]
        if first.pinned and isinstance(first.pinned[0], list | tuple):
            return [str(name) for name in first.pinned[0]]
        named = [str(cell.pinned[0]) for _, cell in sorted(first.items.items()) if cell.pinned]
        named += [str(extra.pinned[0]) for extra in first.some if extra.pinned]
        if named:
            return named
    if lines is not None and 0 in lines.items and lines.items[0].pinned:
        return str(lines.items[0].pinned[0]).split(separator)
    names: dict[str, None] = {}
    for row in [table.each, *table.items.values(), *table.some] if table is not None else []:
        names.update(dict.fromkeys(row.keys if row is not None else ()))
    if not names and grid is not None and 0 in grid.items:
        width = min(_WIDEST, max([2, *(index + 1 for index in grid.each.items)] if grid.each else [2]))
        return [leaves.word("column", index) for index in range(width)]
    return list(names)


def _cells(row: Shape | None, header: list[str], grid: Shape | None) -> list[Shape]:
    """The shape of every cell of a row: by column, else by position."""
    width = len(header) or max([2, *(index + 1 for index in row.items if index >= 0), row.least or 0] if row else [2])
    found = []
    for index in range(min(width, _WIDEST)):
        name = header[index] if index < len(header) else ""
        cell = (row.keys.get(name) if row is not None else None) or (row.items.get(index) if row is not None else None)
        if cell is None and grid is not None and grid.each is not None:
            cell = grid.each.items.get(index)
        cell = cell or Shape(name, "cell")
        cell.name = name or cell.name
        found.append(cell)
    return found


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return not isinstance(value, bool)


def filled(artefact: Artefact, shape: Shape, salt: int, options: Options) -> tuple[str, Filling]:
    """The text of an artefact (or of what it prints), and how it was filled."""
    first = Filling(artefact.path, salt, options)
    first.document(artefact, shape)
    second = Filling(artefact.path, salt, options, before=first)
    return second.document(artefact, shape), second
