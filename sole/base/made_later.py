"""Dataclasses of which some values are made when they are asked for.

    class Late(MadeLater, Ordinary):
        ordinary = Ordinary

        @cached_property
        def dear(self): ...

    late = trusted(Late, cheap=1)

`late` passes for an `Ordinary`. Whatever copies it, `replace`, `copy` and `pickle`, gets an
`Ordinary` one with all values.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, ClassVar

__all__ = ["MadeLater"]


class MadeLater:
    """The first base of such a class; `ordinary` is its second one, a dataclass."""

    ordinary: ClassVar[type[Any]]

    def __new__(cls, **values: Any) -> Any:
        """Return an ordinary value: a changed copy (`replace`) knows all that it is made of."""
        return cls.ordinary(**values)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle it as an ordinary value."""
        names = [field.name for field in fields(self.ordinary)]
        return _ordinary, (self.ordinary, {name: getattr(self, name) for name in names})


def _ordinary(kind: type[Any], values: dict[str, Any]) -> Any:
    return kind(**values)
