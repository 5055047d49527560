"""Drift of feet and contact nodes while standing still for a minute with plain PD, no noise.

    python benchmarks/standing_still.py [--seconds 60] [--quick] [young ...]

The robot first swings on its servos and soles; the swing decays like exp(-t/tau), with tau up to 2
s on soft soles. It has settled when no foot moves by more than 1e-10 m within a second: the rest of
the swing is then below 1e-10 m/s times tau, a fifth of a nanometre. The drift is the largest
displacement in x, y or z from that time to the end. E = 0: rigid feet.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robot.gait import Standing
from robot.walk import ControlChoice, Scenario, SoleChoice, assemble_walk
from sole.base.numba_settings import set_up_numba

STILL = 1e-10  # m in a second
EVERY = 20  # steps between two looks


@dataclass(frozen=True)
class Stood:
    """Settling time [s] (nan: never), later drift of feet and nodes [m], worst residual."""

    settled: float
    feet: float
    nodes: float
    residual: float


def stood(young: float, seconds: float = 60.0, **sole: object) -> Stood:
    """Stand on soles of E [Pa], 0: rigid feet; `sole` : more of `SoleChoice`."""
    choice = {"rigid": True} if young == 0 else {"young": young}
    made = assemble_walk(
        Scenario(
            sole=SoleChoice(**choice, **sole),  # type: ignore[arg-type]
            gait=Standing(),
            control=ControlChoice(kind="pd"),
            duration=seconds,
            settle=0.0,
        )
    )
    stepper = made.simulator.stepper
    bodies = range(len(made.feet.touching))
    slices = [stepper.bodies.nodes_of(b) for b in bodies]
    residual, before, dt = 0.0, made.start, made.scenario.dt
    times, feet, nodes = [], [], []
    for k, (step, _) in enumerate(made.steps()):
        residual = max([residual, *(s.certificate.worst for s in step.contact.solutions)])
        if k % EVERY == 0:
            R, p, U = step.start.rotations, step.start.places, before.soles.displacement
            local = stepper.bodies.points + U
            x = [p[b] + local[s] @ R[b].T for b, s in enumerate(slices)]
            times.append(k * dt)
            feet.append(np.r_[p.ravel(), 0.1 * R.ravel()])  # a turn counts at 0.1 m
            nodes.append(np.concatenate(x).ravel())
        before = step.state
    t, of_feet, of_nodes = np.array(times), np.array(feet), np.array(nodes)
    calm = round(1.0 / (EVERY * dt))
    moved = np.abs(of_feet[calm:] - of_feet[:-calm]).max(axis=1)
    fast = np.flatnonzero(moved > STILL)
    first = int(fast[-1]) + calm + 1 if len(fast) else calm
    if first >= len(t):
        return Stood(np.nan, np.nan, np.nan, residual)
    drift_x, drift_y = (float(np.abs(z[first:] - z[first]).max()) for z in (of_feet, of_nodes))
    return Stood(float(t[first]), drift_x, drift_y, residual)


def main(words: Sequence[str] | None = None) -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("young", nargs="*", type=float, default=[0.0, 3e6, 3e5])
    arguments.add_argument("--seconds", type=float, default=60.0)
    arguments.add_argument("--quick", action="store_true", help="2 s on rigid feet alone")
    given = arguments.parse_args(words)
    print("  E [Pa]  settled [s]  feet [m]  nodes [m]  residual")
    for E in [0.0] if given.quick else given.young:
        s = stood(E, 2.0 if given.quick else given.seconds)
        print(
            f"{E:8.0e}{s.settled:13.1f}{s.feet:10.0e}{s.nodes:11.0e}{s.residual:10.0e}", flush=True
        )


if __name__ == "__main__":
    set_up_numba()
    main()
