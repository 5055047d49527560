"""Walks under sole-aware control and the stabiliser: tables of docs/results/sole_aware.md.

    python benchmarks/page_tables/sole_aware_ensembles.py [TABLE ...]          print from the file
    python benchmarks/page_tables/sole_aware_ensembles.py [TABLE ...] --run    walk what is missing

Each walk is a line of docs/results/sole_aware.csv; `noisy-pushes` and `viscous` have their files.
`--run` goes on where it was stopped; a line that is deleted is walked again. The first 200 walks
take about an hour of one core, `viscous` another; a file may have fewer, and the tables count them.
hrp2-like, unless a case says otherwise.

Tables: `true`: six steps on six soles, three rhythms, true state. `noisy`: the same on noisy
sensors, five seeds, which take the three rhythms in turn. `pushes`: on 1 MPa, from eight
directions; `noisy-pushes`: from four, on noisy sensors. `steps`: a drop and a rise of 1 cm that the
plan does not know; the stabiliser on an online plan, too. `shallow`: a drop of 8 mm on a fixed
plan. `stairs`: of 5 cm. `assumed`: a wrong E in the model. `viscous`: standing for 2 s, and four
steps, on noisy sensors over E and eta, five seeds. Largest values of a
walk; of several walks the median and the worst, of distinct ones: walks of which all numbers in the
file agree to five digits count once.
"""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from math import cos, nan, radians, sin
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from page_tables.printing import print_table
from robot.control import SoleAwareChoice
from robot.gait import Standing, Walking
from robot.online import PlanChoice
from robot.papers.experiments.soles_in_control import CONTROLLERS, ControlledWalk, walk_through
from robot.scenery import Start
from robot.walk import ControlChoice, PushPlan, Scenario, SoleChoice, replace_values
from sole.base.numba_settings import set_up_numba

DOCS = Path(__file__).resolve().parents[2] / "docs"
STORE = DOCS / "results" / "sole_aware.csv"
OWN_STORES = {
    "noisy-pushes": DOCS / "results" / "sole_aware_noisy_pushes.csv",
    "viscous": DOCS / "results" / "sole_aware_viscous.csv",
}
SOLES = (1e5, 3e5, 1e6, 3e6, 1e7, 1e8)  # Pa
VISCOUS, ETAS = (3e5, 1e6, 3e6, 1e7), (0.0, 0.005, 0.01, 0.02)  # Pa, s
RHYTHMS = (0.7, 0.65, 0.75)  # s of single support
SEEDS = range(1, 6)
PAIR = ("stabiliser", "sole-aware")
SECONDS = 0.1  # of a push


@dataclass(frozen=True)
class Case:
    """A walk: its table, its row and place in it, and its scenario."""

    table: str
    row: tuple[str, ...]
    name: str
    scenario: Scenario

    @property
    def key(self) -> str:
        """Its name in the file."""
        return "/".join((self.table, *self.row, self.name))


def mega(young: float) -> str:
    """Return E in words."""
    return f"{young / 1e6:g} MPa"


def true() -> Iterator[Case]:
    """Three rhythms on each sole, true state."""
    for young in SOLES:
        for name, control in CONTROLLERS.items():
            for single in RHYTHMS:
                scenario = Scenario(
                    sole=SoleChoice(young=young), gait=Walking(single=single), control=control
                )
                yield Case("true", (mega(young), name), f"{single:g} s", scenario)


def noisy() -> Iterator[Case]:
    """Five seeds on each sole, noisy sensors; the rhythms by turns."""
    for young in SOLES:
        for name in PAIR:
            for seed in SEEDS:
                scenario = Scenario(
                    sole=SoleChoice(young=young),
                    gait=Walking(single=RHYTHMS[seed % 3]),
                    control=CONTROLLERS[name],
                    seed=seed,
                )
                scenario = replace_values(scenario, sensing={"kind": "noisy"})
                yield Case("noisy", (mega(young), name), f"seed {seed}", scenario)


def pushes(table: str = "pushes", sensing: str = "true", turn: int = 45) -> Iterator[Case]:
    """Pushes on 1 MPa: 10 N s while it stands, 8 N s in single support on the left foot."""
    stand, walk = Standing(initial=0.5, final=2.5), Walking(steps=4)
    for told, impulse, gait, start in (
        ("10 N s standing", 10.0, stand, 0.3),
        ("8 N s walking", 8.0, walk, 2.6),
    ):
        for name in PAIR:
            for angle in range(0, 360, turn):
                size, a = impulse / SECONDS, radians(angle)
                force = round(size * cos(a), 6), round(size * sin(a), 6), 0.0
                scenario = Scenario(
                    sole=SoleChoice(young=1e6),
                    gait=gait,
                    control=CONTROLLERS[name],
                    push=(PushPlan(force=force, start=start, duration=SECONDS),),
                )
                scenario = replace_values(scenario, sensing={"kind": sensing})
                yield Case(table, (told, name), f"{angle} deg", scenario)


def noisy_pushes() -> Iterator[Case]:
    """Pushes from four directions on noisy sensors."""
    return pushes("noisy-pushes", "noisy", 90)


def steps() -> Iterator[Case]:
    """Drop or rise at an edge between the footholds; hrp2-like and lola-like."""
    for told, high in (("drop of 1 cm", 0.01), ("rise of 1 cm", 0.0)):
        for name, plan in (*((name, "fixed") for name in PAIR), ("stabiliser", "online")):
            for robot, forward, edge in (("hrp2-like", 0.3, 0.45), ("lola-like", 0.35, 0.525)):
                ground = f"step:0.01,{-edge:g},angle_deg=180" if high else f"step:0.01,{edge:g}"
                for young in (1e6, 3e6, 1e7):
                    scenario = Scenario(
                        robot=robot,
                        ground=ground,
                        start=Start(z=high),
                        sole=SoleChoice(young=young),
                        gait=Walking(steps=4, forward=forward),
                        plan=PlanChoice(kind=plan),
                        control=CONTROLLERS[name],
                    )
                    yield Case("steps", (told, robot, name, plan), mega(young), scenario)


def shallow() -> Iterator[Case]:
    """Walk down 8 mm, which the stabiliser survives on a fixed plan, too; also with a slow foot."""
    slow = ControlChoice(kind="sole-aware", sole_aware=SoleAwareChoice(reach=0.1))
    controls = {name: CONTROLLERS[name] for name in PAIR}
    for name, control in {**controls, "sole-aware with `reach = 0.1`": slow}.items():
        for young in (1e6, 3e6, 1e7):
            scenario = Scenario(
                ground="step:0.008,-0.45,angle_deg=180",
                start=Start(z=0.008),
                sole=SoleChoice(young=young),
                gait=Walking(steps=4, forward=0.3),
                plan=PlanChoice(kind="fixed"),
                control=control,
            )
            yield Case("shallow", (name,), mega(young), scenario)


def stairs() -> Iterator[Case]:
    """Four stairs of 5 cm, up."""
    gait = Walking(steps=4, forward=0.28, rise=0.05, com_height=0.745)
    for name in PAIR:
        for young in (3e5, 1e6, 1e7):
            scenario = Scenario(
                ground="stairs:0.28,0.05,6,x=0.14",
                sole=SoleChoice(young=young),
                gait=gait,
                control=CONTROLLERS[name],
            )
            yield Case("stairs", (name,), mega(young), scenario)


def assumed() -> Iterator[Case]:
    """Assume a wrong E on three soles; one walk each."""
    for young in (3e5, 1e6, 1e7):
        for factor in (0.5, 1.0, 2.0, 10.0):
            choice = SoleAwareChoice(assumed=factor)
            control = ControlChoice(kind="sole-aware", sole_aware=choice)
            scenario = Scenario(sole=SoleChoice(young=young), control=control)
            yield Case("assumed", (mega(young), f"{factor:g}"), "", scenario)


def viscous() -> Iterator[Case]:
    """Stand for 2 s, and walk four steps, on viscous soles with noisy sensors; five seeds."""
    gaits = {"stands": Standing(initial=0.5, final=1.5), "walks": Walking(steps=4)}
    for seed in SEEDS:
        for told, gait in gaits.items():
            for young in VISCOUS:
                for eta in ETAS:
                    scenario = Scenario(
                        sole=SoleChoice(young=young, eta=eta),
                        gait=gait,
                        control=CONTROLLERS["sole-aware"],
                        seed=seed,
                    )
                    scenario = replace_values(scenario, sensing={"kind": "noisy"})
                    yield Case("viscous", (told, mega(young), f"{eta:g}"), f"seed {seed}", scenario)


TABLES = {
    "true": ("soles | controller", true),
    "noisy": ("soles | controller", noisy),
    "pushes": ("push | controller", pushes),
    "noisy-pushes": ("push | controller", noisy_pushes),
    "steps": ("ground | robot | controller | plan", steps),
    "shallow": ("controller", shallow),
    "stairs": ("controller", stairs),
    "assumed": ("soles | assumed/true E", assumed),
    "viscous": ("robot | soles | eta [s]", viscous),
}
END = "fell | tilt [deg] | yaw rate [rad/s] | landing [m/s^2]"


def store_of(name: str) -> Path:
    """Return the file of a table's walks."""
    return OWN_STORES.get(name, STORE)


def stored(file: Path) -> dict[str, ControlledWalk]:
    """Return the walks of a file by their names."""
    if not file.exists():
        return {}
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines))[1:]
    return {
        key: ControlledWalk(
            fell_at=float(end), tilt=float(tilt), yaw_rate=float(rate), landing=float(landing),
            failures=int(failures) if failures else None,
        )
        for key, end, tilt, rate, landing, failures in rows
    }  # fmt: skip


def keep(file: Path, key: str, done: ControlledWalk) -> None:
    """Add a walk to a file."""
    new = not file.exists()
    with file.open("a", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        if new:
            writer.writerow(
                ["walk", "fell at [s]", "tilt [deg]", "yaw rate [rad/s]", "landing [m/s^2]",
                 "ticks without solution"]
            )  # fmt: skip
        *values, failures = astuple(done)
        writer.writerow([key, *(f"{x:.5g}" for x in values), "" if failures is None else failures])


def run(names: list[str]) -> None:
    """Walk what is not in the files."""
    for name in names:
        known = stored(store_of(name))
        for case in TABLES[name][1]():
            if case.key not in known:
                done = walk_through(case.scenario)
                keep(store_of(name), case.key, done)
                end = f"falls at {done.fell_at:.1f} s" if done.fell else f"tilt {done.tilt:.2f} deg"
                print(f"{case.key}: {end}", file=sys.stderr, flush=True)


def spread(values: list[float], form: str) -> str:
    """Return the median, and the worst of several values, of walks that did not fall."""
    found = [x for x in values if x == x]
    if not found:
        return ""
    worst, middle = max(found), float(np.median(found))
    return f"{worst:{form}}" if len(found) == 1 else f"{middle:{form}} to {worst:{form}}"


def rows(name: str) -> Iterator[list[str]]:
    """Return the rows of a table."""
    known, found = stored(store_of(name)), defaultdict[tuple[str, ...], list[ControlledWalk]](list)
    for case in TABLES[name][1]():
        if case.key in known:
            found[case.row].append(known[case.key])
    for row, walks in found.items():
        if failures := sum(w.failures or 0 for w in walks):
            print(f"{', '.join(row)}: {failures} ticks without solution", file=sys.stderr)
        walks = list({repr(walk): walk for walk in walks}.values())
        yield [
            *row,
            f"{sum(w.fell for w in walks)} of {len(walks)}",
            spread([nan if w.fell else w.tilt for w in walks], ".2f"),
            spread([w.yaw_rate for w in walks], ".3f"),
            spread([w.landing for w in walks], ".2f"),
        ]


if __name__ == "__main__":
    set_up_numba()
    chosen = [a for a in sys.argv[1:] if not a.startswith("--")] or list(TABLES)
    if "--run" in sys.argv:
        run(chosen)
    for name in chosen:
        print_table(f"{TABLES[name][0]} | {END}", rows(name))
