"""Flights of the vertices of standing feet under the penalty law: a table of docs/penalty.md.

python benchmarks/page_tables/vertex_flights.py

`rengifo14` walks two steps of 0.2 m and one to close on four rigid vertices per foot, stabiliser,
dt = 0.2 ms. The law knows the load of the step that it computes. A flight is a time without force
between two times with force, shorter than a swing.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from box_mesh import box_mesh

from page_tables.printing import print_table
from robot.gait import Gait
from robot.model import load_robot
from robot.walk import Kept, Scenario, assemble_walk, execute, replace_values
from sole.condense import condense
from sole.material import Material

SWING = 0.3  # s: a longer time without force is a swing
EPSILONS = (0.0, -1e-6, -1e-4)  # m
HEADER = (
    "epsilon [um] | flights | median [ms] | longest [ms] | all four vertices of a standing foot "
    "[% of the time]"
)


def main() -> Iterator[list[str]]:
    """Count for every epsilon."""
    foot = 2 * load_robot("rengifo14").left.half_size
    # One brick has four vertices on its tread; under the penalty law only they count.
    pad = condense(box_mesh(*foot, 0.02, (1, 1, 1)), Material(young_modulus=1e6, poisson_ratio=0.4))
    base = Scenario(robot="rengifo14", gait=Gait(steps=2), dt=2e-4)
    for epsilon in EPSILONS:
        contact = {"kind": "penalty", "kp": 500.0, "kv": 250.0, "epsilon": epsilon}
        walk = assemble_walk(replace_values(base, contact=contact), soles=(pad, None))
        run, error = execute(walk, Kept(nodes=1))
        if error is not None:
            raise error
        on = run.frames["node_force"][:, :, 2] > 0
        if on.shape[1] != 8:
            raise SystemExit(f"expected 8 vertices, got {on.shape[1]}")
        lasted = np.concatenate([1e3 * run.dt * flights(touch) for touch in on.T])
        short = lasted[lasted < 1e3 * SWING]
        feet = on.reshape(len(on), 2, 4)
        share = 100 * feet.all(axis=2).sum() / feet.any(axis=2).sum()
        yield [f"{1e6 * epsilon:g}", str(len(short)), f"{np.median(short):.1f}",
               f"{short.max():.0f}", f"{share:.0f}"]  # fmt: skip


def flights(touch: np.ndarray) -> np.ndarray:
    """Return the lengths, in steps, of all gaps between two times of contact."""
    at = np.flatnonzero(touch)
    gaps = np.diff(at) - 1
    return gaps[gaps > 0]


if __name__ == "__main__":
    print_table(HEADER, main())
