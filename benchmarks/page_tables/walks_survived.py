"""What the robot survives on which soles: both tables of docs/results/walking.md.

    python benchmarks/page_tables/walks_survived.py [soft] [survived] [--keep FILE] [--only TEXT]

`soft`: 14 walks, two minutes. `survived`: 185 walks, half an hour. The walks are those of
`examples/walks.py`; several walks of a row are told one by one up to three, else from least to
greatest. With `--keep` it goes on after an interrupt; with `--only` it makes rows with TEXT in
their title.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from walks import MEASURES, STIFF, Walked, chosen, walked

from page_tables.printing import print_table
from robot.walk import Scenario
from sole.base.numba_settings import set_up_numba

SOLES = ("rigid", "100 MPa", "20 MPa", "10 MPa", "3 MPa", "1 MPa", "0.3 MPa")
SOFT = ("landing acceleration 100 Hz", "waist acceleration 100 Hz", "waist tilt", "impact force")
ROWS: dict[str, tuple[str, ...]] = {
    "Talos (its URDF), 10 MPa, 1 MPa": ("robots/talos, 10 MPa", "robots/talos, 1 MPa"),
    "hrp4-like, lola-like": ("robots/hrp4-like, 3 MPa", "robots/lola-like, 3 MPa"),
    "sideways, turn by 90 deg, listed footsteps": ("sideways", "turn", "footsteps"),
    "two squats of 0.15 m, 3 s on the left leg": ("squat", "balance"),
    "four stairs of 3 cm, rigid to 0.3 MPa": ("stairs",),
    "down four stairs of 3 cm, rigid to 0.3 MPa": ("stairs_down",),
    **{f"plate of 5 mm unknown to a fixed plan, {sole}": (f"plate/{sole}, ",) for sole in STIFF},
    **{
        f"the same plates, plan that follows (the default), {sole}": (f"plate_online/{sole}, ",)
        for sole in STIFF
    },
    "push of 10 N s while standing, every 45 deg": ("push_standing",),
    "push of 5 N s while walking, every 45 deg, five phases of a step": ("push_walking",),
    "noisy sensors, five seeds": ("noisy",),
    "noisy sensors and push of 10 N s while standing, every 45 deg, three seeds": (
        "noisy_push_standing",
    ),
    "noisy sensors (seed 1) and push of 5 N s while walking, every 45 deg, at 2.6 and 3.1 s": (
        "noisy_push_walking/",
    ),
}


class Kept(NamedTuple):
    """A walk of the second table: whether it fell, and its metrics as text."""

    fell: bool
    told: dict[str, str]


def kept_walk(name: str, scenario: Scenario, path: Path | None) -> Kept:
    """Return a walk from a file, a line for each, or walk it and keep it there."""
    if path is not None and path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            if (found := json.loads(line))["walk"] == name:
                return Kept(found["fell"], found["told"])
    done = walked(scenario)
    new = Kept(done.fell, {metric: number(done, metric) for metric in SOFT[:3]})
    if path is not None:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"walk": name, **new._asdict()}) + "\n")
    return new


def number(done: Walked, name: str) -> str:
    """Return a metric as examples/walks.py prints it."""
    return done.cells()[list(MEASURES).index(name)]


def soft() -> Iterator[list[str]]:
    """Six steps by sole: the stabiliser, and plain PD."""
    for sole in SOLES:
        cells = []
        for family in ("six_steps", "plain_pd"):
            (scenario,) = chosen([f"{family}/{sole}"]).values()
            done = walked(scenario)
            if done.fell:
                cells += [f"falls at {done.measured['fell at']:.1f} s", "", "", ""]
            else:
                cells += [number(done, name) for name in SOFT]
        yield [sole, *cells]


def scenarios(names: Sequence[str]) -> dict[str, Scenario]:
    """Return the scenarios of a row: of families, single walks, or those that begin with a name."""
    found = {}
    for name in names:
        family, _, start = name.partition("/")
        for key, scenario in chosen([family]).items():
            label = key.partition("/")[2]
            late = family != "noisy_push_walking" or (
                label.endswith("seed 1") and (" at 2.6 s" in label or " at 3.1 s" in label)
            )
            if label.startswith(start) and late:
                found[key] = scenario
    return found


def survived(keep: Path | None = None, only: str = "") -> Iterator[list[str]]:
    """Rows of many walks: how many, how many fell, and the range of three metrics.

    `keep` : a file of walks that are done. `only` : of rows whose title has this in it.
    """
    for title, names in ROWS.items():
        if only not in title:
            continue
        done = [kept_walk(key, scenario, keep) for key, scenario in scenarios(names).items()]
        cells = []
        for name in SOFT[:3]:
            told = [d.told[name] for d in done if d.told[name]]
            ends = [min(told, key=float), max(told, key=float)] if told else []
            cells.append(", ".join(told) if len(done) < 4 else " to ".join(ends))
        yield [title, str(len(done)), str(sum(d.fell for d in done)), *cells]


TABLES = {
    "soft": (
        "soles | stabiliser: landing | waist | tilt | impact "
        "| plain PD: landing | waist | tilt | impact",
        soft,
    ),
    "survived": (
        "what | walks | fell | landing [m/s^2] | waist [m/s^2] | tilt [deg]",
        survived,
    ),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables that are asked for, by default both."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(TABLES))
    parser.add_argument("--keep", type=Path, help="`survived`: a file that keeps finished walks")
    parser.add_argument("--only", default="", help="`survived`: rows with this in their title")
    given = parser.parse_args(arguments)
    for name in given.tables or TABLES:
        header, rows = TABLES[name]
        table = survived(given.keep, given.only) if name == "survived" else rows()
        print_table(header, table)
    return 0


if __name__ == "__main__":
    set_up_numba()
    raise SystemExit(main())
