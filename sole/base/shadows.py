"""A user's file in the way of a package: `press.py` harms nobody, `sole.py` beside a script does.

Python looks for a module beside the script first. A file there with the name of one of our packages
is imported in its place, and what follows is an error about something else.
"""

from __future__ import annotations

import sys
from pathlib import Path

__all__ = ["refuse_shadows"]

ROOT = Path(__file__).parents[2]


def refuse_shadows() -> None:
    """Raise ImportError if a file beside the script stands for one of our packages.

    The packages are those that our commands are in.
    """
    here = Path(sys.path[0] if sys.path else "")
    beside = [p for p in here.glob("*.py") if (ROOT / p.stem / "__init__.py").is_file()]
    if not beside:  # as nearly always: nothing heavier is asked
        return
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        points = distribution("compliant-sole").entry_points
    except PackageNotFoundError:  # not installed: nothing is known
        return
    ours = {point.value.partition(".")[0] for point in points}
    for path in beside:
        if path.stem in ours:
            raise ImportError(
                f"{path} hides the package '{path.stem}' of compliant-sole: rename this file"
            )
