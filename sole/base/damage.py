"""Files that were damaged or made by hand: what their readers stumble over becomes one line."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sole.base.errors import SchemaError, SoleError

__all__ = ["refuse_damage"]

_STUMBLES = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)


@contextmanager
def refuse_damage(path: Path) -> Iterator[None]:
    """Turn errors of a block that works on the content of a file alone into SchemaError.

    A digest shows that a file is as it was written, not that it makes sense: JSON headers are read
    key by key, and any of them may have another type than a reader expects.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # of numbers near overflow
            yield
    except SoleError:
        raise
    except _STUMBLES as error:
        told = " ".join(str(error).split())[:200]
        raise SchemaError(
            f"{path}: damaged or incomplete ({type(error).__name__}: {told}); write it again"
        ) from error
