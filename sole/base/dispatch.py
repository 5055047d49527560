"""Find the reader or viewer of a file by its schema, through entry points."""

from __future__ import annotations

from typing import Any

from sole.base.cli import plugins
from sole.base.errors import SchemaError

__all__ = ["plugin_for"]


def plugin_for(group: str, schema: str) -> Any:
    """Return the function that `group` registers for `schema` (its version left out).

    `group` is "sole.readers" (path -> Report) or "sole.viewers" (path, options -> Scene).

    Raises
    ------
    SchemaError
        Nothing is registered for `schema`; the message lists the known schemas.
    """
    known = plugins(group)
    point = known.get(schema.split("/")[0])
    if point is None:
        raise SchemaError(
            f"nothing in '{group}' handles '{schema}'; known are {', '.join(sorted(known))}"
        )
    return point.load()
