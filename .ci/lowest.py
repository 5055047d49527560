"""Print pins of the lowest versions that pyproject.toml admits; `make test-lowest` installs them.

    python .ci/lowest.py > lowest.txt

One line for each direct dependency of the project and of the extras that `dev` brings. pip has no
option for this. numba and its llvmlite keep their pins of constraints.txt: only these are
supported.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
AS_PINNED = ("llvmlite", "numba")
BOUND = re.compile(r"(?P<name>[\w.-]+)(\[(?P<extras>.*)\])?(>=(?P<lowest>[\w.]+))?")


def lowest_pins(project: dict[str, object], pins: dict[str, str]) -> dict[str, str]:
    """Return the lowest version by name; `pins` those of constraints.txt.

    Raises
    ------
    ValueError
        A dependency has no lower bound.
    """
    found: dict[str, str] = {}
    waiting, seen = [*project["dependencies"], f"{project['name']}[dev]"], set()
    while waiting:
        line = waiting.pop()
        name, extras, lowest = BOUND.match(line).group("name", "extras", "lowest")
        if name == project["name"]:
            for extra in set(extras.split(",")) - seen:
                waiting += project["optional-dependencies"][extra]
                seen.add(extra)
        elif name in AS_PINNED:
            found[name] = pins[name]
        elif lowest is None:
            raise ValueError(f"{line}: no lower bound")
        else:
            found[name] = lowest
    return dict(sorted(found.items()))


def main() -> None:
    """Print the pins."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if "==" in line)
    for name, version in lowest_pins(project, pins).items():
        print(f"{name}=={version}")


if __name__ == "__main__":
    main()
