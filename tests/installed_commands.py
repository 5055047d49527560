"""The environment of a user's shell in which the installed `sole` is found first."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def environment() -> dict[str, str]:
    here = str(Path(sys.executable).parent)
    own = {**os.environ, "PATH": f"{here}{os.pathsep}{os.environ['PATH']}"}
    own.pop("MAKEFLAGS", None)  # of the make that runs the test
    return own
