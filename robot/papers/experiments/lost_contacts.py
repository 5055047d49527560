"""Lift-offs of vertices of a standing foot, and what opened each of these contacts.

A vertex that rises is followed back to the moment at which it began to rise. If it had the
acceleration that the law wants all the way, it leaves because its rise is undamped: a bounce. If
not, forces were cut at that time, a pull by (19) or friction by (20), or the least squares of (18)
had no exact solution.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from contact.problem import ContactStatus
from robot.papers.experiments.vertex_walk import KP, KV, VertexRecord
from sole.base.arrays import BoolArray, FloatArray

__all__ = ["LiftOffs", "count_lift_offs"]

OFF = 0.1  # m/s^2 by which an acceleration may differ from the wanted one
SWING = 0.3  # s: a longer flight is a swing


class LiftOffs(NamedTuple):
    """What the vertices of a walk do.

    Attributes
    ----------
    lifts : lift-offs while the foot stands alone. bounces : those after an undamped rise. pulls,
        slips : after (19) cut a pull, after (20) alone cut friction. least_squares : after neither.
    flights, median, longest : of all flights shorter than a swing: number, [s], [s].
    full : share of single support with all vertices in contact.
    deepest [m], peak [N], within : share of forces up to 500 N, the paper's axis.
    mean : mean vertical force over the weight.
    fell : 1 if the robot fell: counts are of the time before. bits : digest of the walk.
    """

    lifts: int
    bounces: int
    pulls: int
    slips: int
    least_squares: int
    flights: int
    median: float
    longest: float
    full: float
    deepest: float
    peak: float
    within: float
    mean: float
    fell: int
    bits: str


def count_lift_offs(record: VertexRecord) -> LiftOffs:
    """Count and sort the lift-offs of a walk under the penalty law; exact contact has no causes."""
    H, alone, dt = record.heights, record.alone, record.case.dt
    touching = H <= 0 if record.case.contact == "penalty" else record.forces > 0
    wrong = _deviates(record)
    pulled, slipped = (
        (touching & (record.status == state)).any(axis=(1, 2))
        for state in (ContactStatus.OPEN, ContactStatus.SLIP)
    )
    speed = np.diff(H, axis=0, prepend=H[:1]) / dt
    counted = {"bounces": 0, "pulls": 0, "slips": 0, "least_squares": 0}
    left = touching[:-1] & ~touching[1:] & (alone[1:] & alone[:-1])[:, :, None]
    for last, foot, vertex in np.argwhere(left):
        first = last
        while first and touching[first, foot, vertex] and speed[first, foot, vertex] > 0:
            first -= 1
        rise = slice(first, last + 1)
        off = wrong[rise, foot, vertex]
        if not off.any():
            cause = "bounces"
        elif pulled[rise][off].any():
            cause = "pulls"
        else:
            cause = "slips" if slipped[rise][off].any() else "least_squares"
        counted[cause] += 1
    flights = np.concatenate([_gaps(touch) for touch in touching.reshape(len(H), -1).T]) * dt
    flights = flights[flights < SWING]
    single = alone.any(axis=1)
    full = np.asarray((touching.all(axis=2) & alone).any(axis=1))
    loads = record.forces[record.forces > 0]
    return LiftOffs(
        lifts=len(np.argwhere(left)),
        **counted,
        flights=len(flights),
        median=float(np.median(flights)) if len(flights) else 0.0,
        longest=float(flights.max(initial=0.0)),
        full=float(full[single].mean()),
        deepest=float(-H.min()),
        peak=float(loads.max()),
        within=float((loads <= 500.0).mean()),
        mean=float(record.forces.sum(axis=(1, 2)).mean() / record.weight),
        fell=int(record.fell),
        bits=record.bits,
    )


def _deviates(record: VertexRecord) -> BoolArray:
    """Return where a vertex (T, 2, V) has not its wanted acceleration.

    The step is p+ = p + dt v+, v+ = v + dt a: the second difference of the heights is a.
    """
    H, dt = record.heights, record.case.dt
    v = np.zeros_like(H)
    v[1:] = np.diff(H, axis=0) / dt
    a: FloatArray = np.zeros_like(H)
    a[:-1] = np.diff(v, axis=0) / dt
    wanted = KP * (record.case.epsilon - H) - KV * np.minimum(0.0, v)
    return np.asarray(np.abs(a - wanted) > OFF)


def _gaps(touch: BoolArray) -> FloatArray:
    """Return the lengths, in steps, of all gaps between two times of contact."""
    gaps = np.diff(np.flatnonzero(touch)) - 1
    return np.asarray(gaps[gaps > 0], dtype=float)
