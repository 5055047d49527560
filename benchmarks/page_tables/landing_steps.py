"""Landing peaks with short steps while a foot lands: a table of docs/results/figure5.md.

python benchmarks/page_tables/landing_steps.py

Ten minutes. First the landing acceleration below 100 Hz [m/s^2] with every step. Then the errors
of four metrics at 0.125 ms: what is missing to the limit that the last two steps extrapolate to.
Landings are of first order in the step h: x(h) = x0 + c h, so x0 = 2 x(h/2) - x(h).
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from page_tables.printing import print_table
from robot.measures import metrics
from robot.online import PlanChoice
from robot.scenery import Bush
from robot.walk import ControlChoice, RecordingOptions, Scenario, SoleChoice, assemble_walk, execute
from sole.base.numba_settings import set_up_numba

PARTS = (1, 2, 4, 8, 16)  # of a time step of 1 ms
PLATE = "step:0.005,0.4"


def walk_of(
    young: float,
    control: ControlChoice,
    ground: str = "plane",
    bush: Bush | None = None,
) -> Scenario:
    """Return a walk of the studies; with a bush the elements, too, are the paper's."""
    sole = SoleChoice(young=young, element="p1" if bush else "ccr")
    plan = PlanChoice(kind="fixed")  # as in the studies
    return Scenario(ground=ground, sole=sole, control=control, bush=bush, plan=plan)


PD, STABILISER = ControlChoice(kind="pd"), ControlChoice()
BUSH = Bush(stiffness=(2e5, 2e5, 1e6, 3e3, 3e3, 3e3), damping=(4e3, 4e3, 1e4, 50.0, 50.0, 50.0))
WALKS = {
    "flat, plain PD, 10 MPa": walk_of(1e7, PD),
    "flat, plain PD, 100 MPa": walk_of(1e8, PD),
    "flat, stabiliser, 3.16 MPa": walk_of(3.16e6, STABILISER),
    "flat, stabiliser, 100 MPa": walk_of(1e8, STABILISER),
    "plate, stabiliser, 3.16 MPa": walk_of(3.16e6, STABILISER, PLATE),
    "plate, stabiliser, 100 MPa": walk_of(1e8, STABILISER, PLATE),
    "flat, plain PD, kp = 5000, 31.6 MPa": walk_of(3.162e7, replace(PD, kp=5e3)),
    "flat, plain PD, kp = 30 000, 31.6 MPa": walk_of(3.162e7, replace(PD, kp=3e4)),
    "bush, flat, plain PD, 100 MPa": walk_of(1e8, PD, bush=BUSH),
    "bush, flat, stabiliser, 100 MPa": walk_of(1e8, STABILISER, bush=BUSH),
    "bush, plate, stabiliser, 3.16 MPa": walk_of(3.16e6, STABILISER, PLATE, BUSH),
    "bush, plate, stabiliser, 100 MPa": walk_of(1e8, STABILISER, PLATE, BUSH),
}

METRICS = (
    "landing acceleration 100 Hz",
    "waist acceleration 100 Hz",
    "impact force",
    "waist tilt",
)
STUDIED = PARTS.index(8)  # landing_dt = 0.125 ms, as in the studies


def measured(scenario: Scenario) -> list[list[float]]:
    """Return the metrics of one walk, a row for every step."""
    found = []
    for parts in PARTS:
        walk = assemble_walk(replace(scenario, landing_dt=scenario.dt / parts))
        run = execute(walk, RecordingOptions()).run
        told = metrics(run)
        if not run.finished:
            raise RuntimeError(f"the walk ended as '{run.header['ended']}'")
        found.append([float(told[name].value) for name in METRICS])
    return found


def main() -> None:
    """Run every walk with every step and print both tables."""
    found = {name: measured(walk) for name, walk in WALKS.items()}
    peaks = [[name, *(f"{x[0]:.3g}" for x in values)] for name, values in found.items()]
    print_table("walk | 1 ms | 0.5 | 0.25 | 0.125 | 0.0625", iter(peaks))
    errors = []
    for name, values in found.items():
        here, finer = values[STUDIED], values[STUDIED + 1]
        lacking = [2 * (b - a) / a for a, b in zip(here, finer, strict=True)]
        errors.append([name, *(f"{100 * e:+.0f}" for e in lacking)])
    print()
    print_table("walk | landing [%] | waist [%] | force [%] | inclination [%]", iter(errors))


if __name__ == "__main__":
    set_up_numba()
    main()
