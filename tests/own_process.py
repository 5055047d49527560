"""Expressions in a process of its own, with kernels and a folder of machine code of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def evaluate(module: Path, printed: str) -> str:
    """Return what `print(PRINTED)` writes in a new process that imports a module.

    Beside it is `code/`, the machine code of all processes of a test.
    """
    folder, name = module.parent, module.stem
    path = os.pathsep.join([str(folder), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", f"import {name}; print({printed})"],
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder / "code"), "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout.strip()
