"""Plain data as TOML text that reads back to the same values, floats to the last bit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

__all__ = ["toml_text"]

WIDTH = 100  # longest list on one line


def toml_text(data: Mapping[str, Any], where: str = "") -> str:
    """Return a table as TOML; keys with the value None are left out, as TOML has none."""
    plain, tables, lists = [], [], []
    for key, value in data.items():
        if isinstance(value, Mapping):
            tables.append((key, value))
        elif isinstance(value, list | tuple) and value and isinstance(value[0], Mapping):
            lists.append((key, value))
        elif value is not None:
            plain.append(f"{key} = {_value(value)}")
    parts = ["\n".join(plain)] if plain else []
    for key, value in tables:
        inside = toml_text(value, f"{where}{key}.")
        parts.append(f"[{where}{key}]\n{inside}" if _has_own(value) else inside)
    for key, rows in lists:
        parts += [f"[[{where}{key}]]\n{toml_text(row, f'{where}{key}.')}" for row in rows]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts if part)


def _has_own(table: Mapping[str, Any]) -> bool:
    """Return whether a table has keys of its own, or nothing at all."""
    inner = [v for v in table.values() if v is not None]
    return not inner or any(not isinstance(v, Mapping) for v in inner)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple):
        items = [_value(item) for item in value]
        line = "[" + ", ".join(items) + "]"
        if len(line) <= WIDTH:
            return line
        return "[\n" + "".join(f"  {item},\n" for item in items) + "]"
    return repr(value)
