"""Files that were damaged or made by hand: what their readers stumble over becomes one line."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sole.base.errors import SchemaError, SoleError
from sole.base.file_digest import is_as_written

__all__ = ["refuse_damage"]

_STUMBLES = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)


@contextmanager
def refuse_damage(path: Path) -> Iterator[None]:
    """Turn errors of a block that works on the content of a file alone into SchemaError.

    The digest of an `.npz` shows that its arrays are as they were written, not that its header
    makes sense: it is read key by key, and any of them may have another type than a reader expects.
    But a `.nc` that matches its digest is as `sole` wrote it: what a reader stumbles over there is
    a mistake of ours, and stays an internal error.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # of numbers near overflow
            yield
    except SoleError:
        raise
    except _STUMBLES as error:
        if is_as_written(path):
            raise
        told = " ".join(str(error).split())[:200]
        raise SchemaError(
            f"{path}: damaged or made by hand ({type(error).__name__}: {told}); write it again (if "
            "`sole` wrote it as it is, this is a bug: SOLE_DEBUG=1 shows where)"
        ) from error
