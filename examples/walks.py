"""Which walks soles survive: stairs, unexpected plates and pushes, from rigid to very soft.

    python examples/walks.py --list
    python examples/walks.py six_steps plate      # families, or single walks: "plate/3 MPa, left"
    python examples/walks.py plain_pd -o out --film

A family is a scenario of `examples/scenarios` and a table of changes. Every walk prints a row of
numbers. `-o` also keeps the runs; `--film` adds films and `index.html` with films and numbers.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from robot.measures import metrics, verdict
from robot.pictures import RunScene
from robot.run import Run, save_run
from robot.walk import (
    PushPlan,
    RecordingOptions,
    Scenario,
    assemble_walk,
    execute,
    load_scenario,
    replace_values,
)
from sole.base.errors import SoleError

SCENARIOS = Path(__file__).parent / "scenarios"
FILM = (960, 540)  # pixels
Changes = Mapping[str, Any]


@dataclass(frozen=True)
class Family:
    """Variants of a scenario: `base` is its file, `changes` by label replace its values."""

    about: str
    base: str
    changes: Mapping[str, Changes]

    def scenarios(self) -> dict[str, Scenario]:
        """All of them by label."""
        base = load_scenario(SCENARIOS / f"{self.base}.toml")
        return {label: replace_values(base, **c) for label, c in self.changes.items()}


def across(*tables: Mapping[str, Changes]) -> dict[str, Changes]:
    """Combine every row of a table with every row of the others."""
    rows = product(*(t.items() for t in tables))
    return {
        ", ".join(label for label, _ in row): {k: v for _, c in row for k, v in c.items()}
        for row in rows
    }


def soles(*moduli: float) -> dict[str, Changes]:
    """Return pads of E [MPa]; infinite: the same pads, rigid."""
    return {
        f"{E:g} MPa" if E < np.inf else "rigid": {
            "sole": {"young": 1e6 * E} if E < np.inf else {"rigid": True}
        }
        for E in moduli
    }


def pushes(impulse: float, starts: Mapping[str, float], seconds: float = 0.1) -> dict[str, Changes]:
    """Return horizontal pushes of the waist [N s], every 45 degrees from forward to the left."""
    rows: dict[str, Changes] = {}
    for (when, start), angle in product(starts.items(), range(0, 360, 45)):
        a, size = np.deg2rad(angle), impulse / seconds
        force = round(size * float(np.cos(a)), 6), round(size * float(np.sin(a)), 6), 0.0
        push = PushPlan(force=force, start=start, duration=seconds)
        rows[f"{angle} deg{when}"] = {"push": (push,)}
    return rows


def seeds(count: int) -> dict[str, Changes]:
    """Return noisy sensors with seeds from 1."""
    return {f"seed {k}": {"sensing": {"kind": "noisy"}, "seed": k} for k in range(1, count + 1)}


RIGID = np.inf
STIFF = soles(RIGID, 100, 20, 10, 3)
ALL = STIFF | soles(1, 0.3)
# The left foot lands at (0.6, 0.095) m, the right one at (0.4, -0.095) m; soles of 0.24 x 0.14 m.
PLATES: dict[str, Changes] = {
    "left": {"ground": "box:0.3,0.17,0.005,x=0.6,y=0.095"},
    "right": {"ground": "box:0.3,0.17,0.005,x=0.4,y=-0.095"},
    "left toes": {"ground": "box:0.2,0.17,0.005,x=0.7,y=0.095"},
    "left heel": {"ground": "box:0.2,0.17,0.005,x=0.5,y=0.095"},
    "left outer half": {"ground": "box:0.3,0.1,0.005,x=0.6,y=0.145"},
    "left inner half": {"ground": "box:0.3,0.1,0.005,x=0.6,y=0.045"},
    "both from 0.4 m on": {"ground": "step:0.005,0.4"},
}
FIXED = {"plan": {"kind": "fixed"}}
GAITS = ("sideways", "turn", "footsteps", "squat", "balance")
STANDING = {"": 0.5}
# The left foot carries alone from 2.4 to 3.1 s, then both do until 3.2 s.
PHASES = {f" at {t:g} s": t for t in (2.4, 2.6, 2.8, 3.0, 3.1)}
FAMILIES = {
    "six_steps": Family("six steps of 0.2 m, stabiliser", "six_steps", ALL),
    "plain_pd": Family("the same with joint servos alone", "plain_pd", ALL),
    "robots": Family(
        "other robots",
        "six_steps",
        across({n: {"robot": n} for n in ("hrp4-like", "lola-like")}, soles(3))
        | across({"talos": {"robot": "talos"}}, soles(10, 1)),
    ),
    **{kind: Family("other gaits", kind, soles(3)) for kind in GAITS},
    "stairs": Family("four stairs of 3 cm", "stairs", ALL),
    "stairs_down": Family("down four stairs of 3 cm", "stairs_down", ALL),
    "plate": Family(
        "an unexpected plate of 5 mm, plan made beforehand",
        "plate",
        {label: {**change, **FIXED} for label, change in across(STIFF, PLATES).items()},
    ),
    "plate_online": Family("the same on a plan that follows", "plate", across(STIFF, PLATES)),
    "push_standing": Family(
        "push of 10 N s in 0.1 s while standing", "push_standing", pushes(10, STANDING)
    ),
    "push_walking": Family("push of 5 N s while walking", "push_walking", pushes(5, PHASES)),
    "noisy": Family("six steps on noisy sensors", "noisy", seeds(5)),
    "noisy_push_standing": Family(
        "the pushes while standing on noisy sensors",
        "push_standing",
        across(pushes(10, STANDING), seeds(3)),
    ),
    "noisy_push_walking": Family(
        "the pushes while walking on noisy sensors",
        "push_walking",
        across(pushes(5, PHASES), seeds(2)),
    ),
}
MEASURES = {  # a metric, its name in the table, its factor and format
    "fell at": ("fell at [s]", 1.0, ".2f"),
    "landing acceleration 100 Hz": ("landing [m/s^2]", 1.0, ".2f"),
    "waist acceleration 100 Hz": ("waist [m/s^2]", 1.0, ".1f"),
    "waist tilt": ("tilt [deg]", 180 / np.pi, ".2f"),
    "impact force": ("impact [N]", 1.0, ".0f"),
    "contact residual": ("residual", 1.0, ".0e"),
    "missed": ("unsolved steps", 1, ".0f"),
}


@dataclass(frozen=True)
class Walked:
    """A run and its metrics in SI units; None for those without a value."""

    run: Run
    fell: bool
    measured: Mapping[str, float | None]

    def cells(self) -> list[str]:
        """Return the row of the table without its name, as text."""
        texts = []
        for name, (_, factor, form) in MEASURES.items():
            value = self.measured[name]
            texts.append("" if value is None else f"{factor * value:{form}}")
        return [*texts, verdict(self.run)]


HEADER = ["walk", *(title for title, _, _ in MEASURES.values()), "verdict"]


def walked(scenario: Scenario) -> Walked:
    """Run a scenario."""
    run, error = execute(assemble_walk(scenario, SCENARIOS), RecordingOptions(nodes=10))
    if error is not None:
        raise error
    found = metrics(run)
    return Walked(run, found["fell"].value, {name: found[name].value for name in MEASURES})


def chosen(names: Iterable[str] = ()) -> dict[str, Scenario]:
    """Return scenarios by "family/label", for names of families or single walks; default: all.

    Raises
    ------
    SoleError
        A name is unknown.
    """
    table: dict[str, Scenario] = {}
    for name in names or FAMILIES:
        family, _, label = name.partition("/")
        known = FAMILIES[family].scenarios() if family in FAMILIES else {}
        found = {f"{family}/{k}": s for k, s in known.items() if not label or k == label}
        if not found:
            hint = "; ".join(known) if known else ", ".join(FAMILIES)
            raise SoleError(f"no walk '{name}'; known are {hint}")
        table |= found
    return table


def main(names: Iterable[str] = (), **changes: Any) -> Iterator[tuple[str, Walked]]:
    """Run the `chosen` scenarios lazily; `changes` as in `replace_values`."""
    for name, scenario in chosen(names).items():
        yield name, walked(replace_values(scenario, **changes))


def kept(folder: Path, name: str, done: Walked, film: bool) -> str:
    """Save the run, and its film; return the row of the page."""
    stem = re.sub(r"[^\w.-]+", "_", name)
    save_run(folder / f"{stem}.nc", done.run)
    picture = ""
    if film:
        moving = f"{stem}.mp4"
        RunScene(done.run, 0.0, FILM).write(folder / moving)
        picture = f'<video src="{moving}" width="{FILM[0]}" controls loop></video>'
    rows = zip(HEADER[1:], done.cells(), strict=True)
    numbers = "".join(f"<tr><td>{escape(k)}<td>{escape(v)}" for k, v in rows if v)
    return f"<h3>{escape(name)}</h3>\n{picture}\n<table>{numbers}</table>\n"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="families or family/label; default: all")
    parser.add_argument("--list", action="store_true", help="list the walks and run nothing")
    parser.add_argument("-o", "--output", type=Path, help="folder of runs and index.html")
    parser.add_argument("--film", action="store_true", help="with -o: films as well")
    given = parser.parse_args()
    if given.film and given.output is None:
        parser.error("--film needs a folder: -o FOLDER")
    return given


def _run(given: argparse.Namespace) -> None:
    if given.list:
        for family, row in FAMILIES.items():
            print(f"{family}: {row.about}\n    " + "\n    ".join(row.changes))
        return
    page = '<!doctype html><meta charset="utf-8"><title>Walks on compliant soles</title>\n'
    print("| " + " | ".join(HEADER) + " |\n|" + "---|" * len(HEADER), flush=True)
    for name, done in main(given.names):
        print("| " + " | ".join([name, *done.cells()]) + " |", flush=True)
        if given.output is not None:
            given.output.mkdir(parents=True, exist_ok=True)
            page += kept(given.output, name, done, given.film)
            (given.output / "index.html").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    try:
        _run(_arguments())
    except SoleError as error:
        sys.exit(f"error: {error}")
