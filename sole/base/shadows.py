"""Modules that hide one of our packages: a user's file, or a package of another distribution.

Python looks for a module beside the script first. A file `sole.py` there is imported in the place
of our package, and what follows is an error about something else; `press.py` is harmless. Another
distribution may own a package of the same name, as robotframework does.
"""

from __future__ import annotations

import sys
from pathlib import Path

__all__ = ["describe_rivals", "find_rivals", "mend_rivals", "refuse_shadows"]

ROOT = Path(__file__).parents[2]
OURS = "compliant-sole"


def refuse_shadows() -> None:
    """Raise ImportError if a file beside the script stands for one of our packages.

    The packages are those that our commands are in.
    """
    here = Path(sys.path[0] if sys.path else "")
    beside = [p for p in here.glob("*.py") if (ROOT / p.stem / "__init__.py").is_file()]
    if not beside:  # as nearly always: nothing heavier is asked
        return
    ours = _our_packages()
    for path in beside:
        if path.stem in ours:
            raise ImportError(f"{path} hides the package '{path.stem}' of {OURS}: rename this file")


def find_rivals() -> dict[str, list[str]]:
    """Return the other distributions that own one of our packages, by the package.

    It reads the file lists of all that is installed: a tenth of a second or more.
    """
    from importlib.metadata import packages_distributions

    owners = packages_distributions()
    found = {name: sorted({*owners.get(name, ())} - {OURS}) for name in sorted(_our_packages())}
    return {name: others for name, others in found.items() if others}


def mend_rivals(rivals: dict[str, list[str]]) -> str:
    """Return the shell command that removes them and restores what they overwrote."""
    import json
    from importlib.metadata import distribution

    names = " ".join(sorted({name for others in rivals.values() for name in others}))
    remove = f"{sys.executable} -m pip uninstall -y {names}"
    origin = json.loads(distribution(OURS).read_text("direct_url.json") or "{}")
    if origin.get("dir_info", {}).get("editable"):  # our files are elsewhere
        return remove
    if "url" not in origin:
        return f"{remove}; then install {OURS} again"
    return (
        f"{remove} && {sys.executable} -m pip install --force-reinstall --no-deps {origin['url']}"
    )


def describe_rivals(rivals: dict[str, list[str]]) -> str:
    """Return in one clause which packages are owned twice, and by whom."""
    return " and ".join(
        f"{', '.join(others)} has a package `{name}` that hides ours"
        for name, others in rivals.items()
    )


def _our_packages() -> set[str]:
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        points = distribution(OURS).entry_points
    except PackageNotFoundError:  # not installed: nothing is known
        return set()
    return {point.value.partition(".")[0] for point in points}
