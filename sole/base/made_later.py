"""Dataclasses of which some values are made when they are asked for.

    class Late(MadeLater, Ordinary):
        ordinary = Ordinary

        @cached_property
        def dear(self): ...

        other = of_details("other")

    late = trusted(Late, cheap=1, details=...)

`late` passes for an `Ordinary`. Whatever copies it, `replace`, `copy` and `pickle`, gets an
`Ordinary` one with all values. `other` is `late.details.other`, so that one class does for values
that come from different sources.
"""

from __future__ import annotations

from dataclasses import fields
from operator import attrgetter
from typing import Any, ClassVar

__all__ = ["MadeLater", "of_details"]


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


def of_details(name: str) -> Any:
    """Return a property: what the `details` of an instance have under that name."""
    return property(attrgetter(f"details.{name}"))


def _ordinary(kind: type[Any], values: dict[str, Any]) -> Any:
    return kind(**values)
