"""A table of one fall on several contact models: depth, rebound, impulse, energy, peak force.

The models are the penalty law, integrated exactly or with held forces, and the exact contact of
`contact.step`, on rigid points or on a sole. All move the same `RigidBody` from the same state.
Impulses must balance,

    sum of f dt = change of momentum + m g T,

for any model: `DropRow.imbalance` is the error.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from contact.ground import Plane
from contact.papers.penalty import (
    PenaltyLaw,
    VertexBody,
    VertexRun,
    VertexState,
    run_in_steps,
    run_with_events,
)
from contact.rigid_bodies import GRAVITY_VECTOR, RigidBodies, RigidBody
from contact.step import StepOptions
from sole.base.arrays import FloatArray
from sole.base.errors import SoleError


@dataclass(frozen=True, eq=False, kw_only=True)
class DropRow:
    """The result of a fall on one model.

    Parameters
    ----------
    model : its name.
    depth : deepest point of the undeformed body in the ground [m].
    rebound : largest upward speed of the centre of mass after the first touch [m/s].
    impulse : of all vertical contact forces [N s].
    imbalance : impulse - (change of momentum + m g T) [N s].
    lost : energy at the start less that at the end, elastic energy included [J].
    gained : largest excess of the energy over that at the start [J].
    peak : largest vertical force [N]; with held forces the largest mean over a step.
    rest : |vertical force - m g| / (m g) at the end.
    way : path of the centre of mass along the ground [m].
    solves : number of evaluations of the contact forces.
    highest : largest height of the lowest point after the first touch [m].
    times, heights : (N,) trajectory of the lowest point [s], [m].
    """

    model: str
    depth: float
    rebound: float
    impulse: float
    imbalance: float
    lost: float
    gained: float
    peak: float
    rest: float
    way: float
    solves: int
    highest: float
    times: FloatArray
    heights: FloatArray


def penalty_drop(
    model: str,
    body: RigidBody,
    law: PenaltyLaw,
    start: VertexState,
    times: ArrayLike,
    *,
    held: bool = False,
) -> DropRow:
    """Drop on the penalty law.

    Parameters
    ----------
    times : (N,) [s]; with `held` forces evenly spaced, the steps.

    Raises
    ------
    SoleError
        The times are not valid, or uneven with `held` forces; see `run_with_events` and
        `run_in_steps`.
    """
    vertices, T = VertexBody(body), np.array(times, dtype=np.float64)
    run: VertexRun
    if held:
        if len(T) < 2:
            raise SoleError(f"with held forces there must be at least two times, got {len(T)}")
        dt = (T[-1] - T[0]) / (len(T) - 1)
        if np.abs(np.diff(T) - dt).max() > 1e-6 * dt:
            raise SoleError("with held forces the times must be evenly spaced: they are the steps")
        run = run_in_steps(vertices, law, start, float(dt), len(T) - 1)
    else:
        run = run_with_events(vertices, law, start, T)
    states = [run.state(k) for k in range(len(T))]
    momenta = np.array([vertices.momentum(s)[:3] for s in states])
    centres = np.array([s.place + s.rotation @ body.com for s in states])
    return _row(
        model,
        body,
        T,
        run.heights.min(axis=1),
        centres,
        momenta,
        np.array([vertices.energy(s) for s in states]),
        float(run.impulse[-1, 2]),
        run.peak,
        float(run.forces[-1, :, 2].sum()),
        run.evaluations,
    )


def exact_drop(
    model: str,
    body: RigidBody,
    start: VertexState,
    dt: float,
    count: int,
    options: StepOptions | None = None,
) -> DropRow:
    """Drop on exact contact, on rigid points or a sole (`body.contact`), in `count` steps of dt.

    Raises
    ------
    SoleError
        dt or count is not valid; see `RigidBodies`.
    """
    if not dt > 0:
        raise SoleError(f"dt must be positive, got {dt!r}")
    if count < 1:
        raise SoleError(f"count must be at least 1, got {count}")
    world = RigidBodies([body], Plane(), options)
    state = world.at(start.place, start.rotation[None], start.twist)
    heights, centres, momenta, energies, forces = [], [], [], [], [0.0]
    for k in range(count + 1):
        R, p, twist = state.rotations[0], state.places[0], state.twists
        heights.append(float((p[2] + body.contact.points @ R[2]).min()))
        centres.append(p + R @ body.com)
        momenta.append(body.mass * (R @ (twist[:3] + np.cross(twist[3:], body.com))))
        energies.append(world.energy(state))
        if k < count:
            done = world.step(state, dt)
            state = done.state
            forces.append(float(done.forces[0, 2]))
    return _row(
        model,
        body,
        dt * np.arange(count + 1, dtype=np.float64),
        np.array(heights),
        np.array(centres),
        np.array(momenta),
        np.array(energies),
        dt * float(np.sum(forces)),
        max(forces),
        forces[-1],
        count,
    )


def _row(
    model: str,
    body: RigidBody,
    times: FloatArray,
    heights: FloatArray,
    centres: FloatArray,
    momenta: FloatArray,
    energies: FloatArray,
    impulse: float,
    peak: float,
    last: float,
    solves: int,
) -> DropRow:
    weight = -GRAVITY_VECTOR[2] * body.mass
    touched = int(np.argmax(heights <= 1e-9)) if (heights <= 1e-9).any() else len(heights) - 1
    change = float(momenta[-1, 2] - momenta[0, 2])
    return DropRow(
        model=model,
        depth=max(0.0, -float(heights.min())),
        rebound=max(0.0, float(momenta[touched + 1 :, 2].max(initial=0.0)) / body.mass),
        impulse=impulse,
        imbalance=impulse - change - weight * float(times[-1] - times[0]),
        lost=float(energies[0] - energies[-1]),
        gained=float((energies - energies[0]).max()),
        peak=peak,
        rest=abs(last - weight) / weight,
        way=float(np.hypot(*(centres[-1] - centres[0])[:2])),
        solves=solves,
        highest=float(heights[touched:].max()),
        times=times,
        heights=heights,
    )


def table(rows: list[DropRow]) -> str:
    """Return the rows as a Markdown table; round-off and residuals are given as a bound."""
    head = (
        "| model | depth [mm] | rebound [m/s] | impulse [N s] | imbalance [N s] | lost [J] "
        "| gained [J] | peak [N] | rest | way [mm] | solves |\n" + "|---" * 11 + "|"
    )
    lines = [
        f"| {r.model} | {_told(1e3 * r.depth, '.3g')} | {_told(r.rebound, '.3g')} "
        f"| {r.impulse:.4g} | {_told(abs(r.imbalance), '.0e', 1e-9)} | {r.lost:.3g} "
        f"| {_told(r.gained, '.1e', 1e-9)} | {r.peak:.4g} | {_told(r.rest, '.0e')} "
        f"| {1e3 * r.way:.3g} | {r.solves} |"
        for r in rows
    ]
    return "\n".join([head, *lines])


def _told(value: float, form: str, least: float = 1e-6) -> str:
    """Return a number as text; what is smaller than `least` is round-off or the tolerance."""
    return f"{value:{form}}" if value >= least else f"< {least:.0e}"
