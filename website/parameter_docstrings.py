"""Parameters of our docstrings for the API reference: ``name : what it is``.

numpydoc reads what follows the colon as a type. Ours have their types in the signature, so the
text becomes the description before the docstring is parsed.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

SECTION = re.compile(r"^(Parameters|Attributes)\n-+\n((?:.+\n?)+)", flags=re.MULTILINE)
ITEM = re.compile(r"^(\w[\w, ]*?) : (.+)$", flags=re.MULTILINE)


def described(docstring: str) -> str:
    """Return a docstring with the descriptions of its parameters on lines of their own."""

    def moved(match: re.Match[str]) -> str:
        return match[0].replace(match[2], ITEM.sub(r"\1\n    \2", match[2]))

    return SECTION.sub(moved, docstring)


class Described(griffe.Extension):
    """Applies `described` to every docstring."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of an object when it is read."""
        if obj.docstring:
            obj.docstring.value = described(obj.docstring.value)
