"""Exact, typed JSON for the values that the catalog and the spool keep.

``dumps`` and ``loads`` are driven by type hints: whatever a frozen dataclass of the project holds comes back equal, of
the same types (tuples stay tuples, bytes stay bytes, a float that is not finite stays what it was), so that an identity
computed from a stored value is the identity that was stored. The text is always valid JSON for DuckDB, also when the
value is hostile: strings that are not valid Unicode are wrapped, since one such row would make every JSON query over
its column fail.

``VERSION`` belongs to this encoding. Fields that a stored value lacks take their default; fields that no longer exist
are left out.
"""

from __future__ import annotations

import base64
import json
import types
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, Literal, NamedTuple, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from river_envs.environment import RiverError, sha256

VERSION = 1

T = TypeVar("T")


Sink = Callable[[str, bytes], None]
"""Takes bytes that are stored beside the JSON: (SHA-256, content)."""

Source = Callable[[str], bytes]
"""Gives back what a :class:`Sink` took, by SHA-256."""


class _Context(NamedTuple):
    """Where bytes longer than ``inline`` go to, or come from."""

    sink: Sink | None = None
    inline: int = 0
    source: Source | None = None


class _Coder(NamedTuple):
    """How one type is written and read."""

    encode: Callable[[Any, _Context], Any]
    decode: Callable[[Any, _Context], Any]


def dumps(hint: Any, value: Any, *, sink: Sink | None = None, inline: int = 4096) -> str:
    """``value``, a ``hint``, as one line of JSON. Bytes longer than ``inline`` go to ``sink`` where there is one."""
    data = _coder(hint).encode(value, _Context(sink=sink, inline=inline))
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def loads(hint: type[T], text: str, *, source: Source | None = None) -> T:
    """The value that ``dumps(hint, value)`` wrote. Raises RiverError for text that is not such a value."""
    try:
        return cast(T, _coder(cast(Any, hint)).decode(json.loads(text), _Context(source=source)))
    except (KeyError, TypeError, ValueError, IndexError) as error:
        name = getattr(hint, "__name__", str(hint))
        raise RiverError(f"a stored {name} cannot be read ({error!r}); it was not written by this version") from error


def _encode_text(value: str, _: _Context) -> Any:
    try:
        value.encode()
    except UnicodeEncodeError:
        return {"$str": base64.b64encode(value.encode("utf-8", "surrogatepass")).decode()}
    return value


def _decode_text(data: Any, _: _Context) -> str:
    if isinstance(data, dict):
        return base64.b64decode(data["$str"]).decode("utf-8", "surrogatepass")
    return str(data)


def _encode_float(value: float, _: _Context) -> Any:
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return {"$float": repr(value)}
    return value


def _decode_float(data: Any, _: _Context) -> Any:
    return float(data["$float"]) if isinstance(data, dict) else data


def _encode_bytes(value: bytes, context: _Context) -> Any:
    if context.sink is not None and len(value) > context.inline:
        name = sha256(value)
        context.sink(name, value)
        return {"sha256": name}
    try:
        return {"text": value.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(value).decode()}


def _decode_bytes(data: Any, context: _Context) -> bytes:
    if "text" in data:
        return str(data["text"]).encode()
    if "base64" in data:
        return base64.b64decode(data["base64"])
    if context.source is None:
        raise ValueError("content is stored beside the record, and no source was given")
    return context.source(data["sha256"])


def _encode_any(value: Any, context: _Context) -> Any:
    """A plain value of unknown shape; what JSON has no form for is wrapped in a one-key object ``{"$...": ...}``."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Enum):
        raise TypeError(f"{value!r} is an enum: store its value")
    if isinstance(value, str):
        return _encode_text(value, context)
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return _encode_float(value, context)
    if isinstance(value, bytes):
        return {"$bytes": base64.b64encode(value).decode()}
    if isinstance(value, list):
        return [_encode_any(item, context) for item in value]
    if isinstance(value, tuple):
        return {"$tuple": [_encode_any(item, context) for item in value]}
    if isinstance(value, dict):
        if all(_plain_key(key) for key in value):
            return {key: _encode_any(item, context) for key, item in value.items()}
        return {"$dict": [[_encode_any(key, context), _encode_any(item, context)] for key, item in value.items()]}
    raise TypeError(f"{type(value).__name__} is no plain value")


def _plain_key(key: Any) -> bool:
    return isinstance(key, str) and not key.startswith("$") and isinstance(_encode_text(key, _Context()), str)


def _decode_any(data: Any, context: _Context) -> Any:
    if isinstance(data, list):
        return [_decode_any(item, context) for item in data]
    if not isinstance(data, dict):
        return data
    if len(data) == 1:
        match next(iter(data.items())):
            case ("$str", _):
                return _decode_text(data, context)
            case ("$float", text):
                return float(text)
            case ("$bytes", text):
                return base64.b64decode(text)
            case ("$tuple", items):
                return tuple(_decode_any(item, context) for item in items)
            case ("$dict", pairs):
                return {_decode_any(key, context): _decode_any(item, context) for key, item in pairs}
    return {key: _decode_any(item, context) for key, item in data.items()}


_PLAIN = _Coder(lambda value, _: value, lambda data, _: data)
_SIMPLE: dict[Any, _Coder] = {
    str: _Coder(_encode_text, _decode_text),
    float: _Coder(_encode_float, _decode_float),
    bytes: _Coder(_encode_bytes, _decode_bytes),
    int: _PLAIN,
    bool: _PLAIN,
    type(None): _PLAIN,
    Any: _Coder(_encode_any, _decode_any),
}


@cache
def _coder(hint: Any) -> _Coder:
    if hint in _SIMPLE:
        return _SIMPLE[hint]
    origin = get_origin(hint)
    if origin is Literal:
        return _PLAIN
    if origin in (Union, types.UnionType):
        return _union(get_args(hint))
    if origin is tuple:
        return _tuple(get_args(hint))
    if origin is dict:
        return _Coder(_encode_any, _decode_any)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _Coder(lambda value, _: value.value, lambda data, _: hint(data))
    if is_dataclass(hint):
        return _dataclass(hint)
    raise TypeError(f"the codec has no form for {hint!r}")


def _tuple(arguments: tuple[Any, ...]) -> _Coder:
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        item = _coder(arguments[0])
        return _Coder(
            lambda value, context: [item.encode(element, context) for element in value],
            lambda data, context: tuple(item.decode(element, context) for element in data),
        )
    items = [_coder(argument) for argument in arguments]
    return _Coder(
        lambda value, context: [coder.encode(part, context) for coder, part in zip(items, value, strict=True)],
        lambda data, context: tuple(coder.decode(part, context) for coder, part in zip(items, data, strict=True)),
    )


def _union(arguments: tuple[Any, ...]) -> _Coder:
    """``X | None``, or a choice of dataclasses that is told apart by ``"is"``, the class name."""
    choices = [argument for argument in arguments if argument is not type(None)]
    if len(choices) == 1:
        inner = _coder(choices[0])
        return _Coder(
            lambda value, context: None if value is None else inner.encode(value, context),
            lambda data, context: None if data is None else inner.decode(data, context),
        )
    named = {choice.__name__: _coder(choice) for choice in choices}

    def encode(value: Any, context: _Context) -> Any:
        name = type(value).__name__
        return {"is": name, **named[name].encode(value, context)}

    return _Coder(encode, lambda data, context: named[data["is"]].decode(data, context))


def _dataclass(kind: Any) -> _Coder:
    hints = get_type_hints(kind)
    parts = [(field.name, _coder(hints[field.name])) for field in fields(kind)]
    required = {
        field.name for field in fields(kind) if field.default is MISSING and field.default_factory is MISSING
    }

    def encode(value: Any, context: _Context) -> Any:
        return {name: coder.encode(getattr(value, name), context) for name, coder in parts}

    def decode(data: Any, context: _Context) -> Any:
        if not isinstance(data, dict):
            raise TypeError(f"{kind.__name__} is written as an object")
        missing = required - data.keys()
        if missing:
            raise ValueError(f"{kind.__name__} lacks {', '.join(sorted(missing))}")
        return kind(**{name: coder.decode(data[name], context) for name, coder in parts if name in data})

    return _Coder(encode, decode)
