"""Ground that the plan does not know: what fixed and online plans survive.

    python benchmarks/page_tables/unknown_ground.py [online] [force] [fixed]

The stabiliser walks on fixed and online plans, "force" is force control on the online plan.

`lola-like` walks five steps of 0.35 m, 0.7 + 0.1 s, on pads of 20 mm (2 MPa, nu = 0.45, p1, 40 mm
mesh, dt = 1 ms, true state). Five places of the edge, 0.80 to 0.96 m, lie around the third
foothold, at 1.05 m; the foot is 0.26 m long. At some a foot stands half on the edge: these are
counted apart. Each walk takes five seconds; four minutes for a plan.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from page_tables.printing import print_table
from robot.gait import Gait
from robot.online import PlanChoice
from robot.scenery import Start
from robot.walk import ControlChoice, Kept, Scenario, SoleChoice, assemble_walk, execute

CASES = (
    *(("drop", size) for size in (0.01, 0.02, 0.04, 0.055)),
    *(("rise", size) for size in (0.01, 0.02, 0.04, 0.09)),
)  # m
EDGES = (0.80, 0.84, 0.88, 0.92, 0.96)  # m
PARTIAL = {"drop": (0.96,), "rise": (0.80, 0.96)}  # edges under a foot's heel or toes
LIFT = {0.02: 0.08, 0.04: 0.10, 0.09: 0.12}  # m of a swing where a rise may come
PAD = SoleChoice(young=2e6, poisson=0.45, size=0.04, element="p1")


def scenario_of(kind: str, size: float, edge: float, plan: str) -> Scenario:
    """Return a walk over a drop or a rise of `size` at x = `edge` [m]."""
    down = kind == "drop"
    return Scenario(
        robot="lola-like",
        ground=f"step:{size},{-edge},angle_deg=180" if down else f"step:{size},{edge}",
        start=Start(z=size if down else 0.0),
        sole=PAD,
        gait=Gait(steps=5, forward=0.35, lift=0.06 if down else LIFT.get(size, 0.06)),
        plan=PlanChoice(kind="online" if plan == "force" else plan),
        control=ControlChoice(kind="force" if plan == "force" else "stabiliser"),
    )


def walked(scenario: Scenario) -> tuple[bool, float, float]:
    """Return whether the robot fell, and its largest roll and pitch [deg]."""
    run, error = execute(assemble_walk(scenario), Kept(every=5))
    roll, pitch = np.degrees(np.abs(run["waist_rpy"][:, :2]).max(axis=0))
    return error is not None or bool(run.header["fall"]["fell"]), float(roll), float(pitch)


def rows(plan: str) -> Iterator[list[str]]:
    """Yield a row for each drop and rise."""
    for kind, size in CASES:
        clean, partial = [], []
        for edge in EDGES:
            (partial if edge in PARTIAL[kind] else clean).append(
                walked(scenario_of(kind, size, edge, plan))
            )
        on = [done for done in clean if not done[0]]
        tilts = [
            f"{np.median([d[i] for d in on]):.2f} ({max(d[i] for d in on):.2f})" if on else ""
            for i in (1, 2)
        ]
        yield [
            f"{kind} of {100 * size:g} cm",
            plan,
            f"{len(on)} of {len(clean)}",
            *tilts,
            f"{sum(not d[0] for d in partial)} of {len(partial)}",
        ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table of the plans that are asked for, by default both."""
    given = list(sys.argv[1:] if arguments is None else arguments) or ["fixed", "online"]
    print_table(
        "ground | plan | walked | roll [deg] | pitch [deg] | walked, partial footholds",
        (row for plan in given for row in rows(plan)),
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
