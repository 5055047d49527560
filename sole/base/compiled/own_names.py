"""Names of lowered functions: no two processes give the same one to different functions.

    module::make.<locals>.inner, v3    the third function that a process lowered, as numba names it

numba counts from one in every process. So two functions that differ in nothing but what they close
over could have one name, one of them lowered by another process and kept on disk. A program that
calls both would call one of them twice. Here every process counts from a number drawn by lot.
"""

from __future__ import annotations

import itertools
import os
import secrets
from typing import Any

import numba.core.bytecode

FunctionIdentity: Any = vars(numba.core.bytecode)["FunctionIdentity"]  # numba is half annotated
BITS = 60  # of the first number; a process lowers some thousands of functions


def number_functions() -> None:
    """Let numba count from such a number on, in this process and in those that it forks."""
    _draw_first()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_draw_first)


def _draw_first() -> None:
    FunctionIdentity._unique_ids = itertools.count(secrets.randbits(BITS))
