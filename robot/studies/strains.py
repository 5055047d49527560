"""Strains in the soles of a walk, recovered at the times of the largest loads.

A snapshot of a run holds the displacements U of all tread nodes relative to the foot. They alone
determine the strain inside, even in a viscous sole, so the fields are recovered from U under the
elastic forces K_c U. The right foot's U is mirrored (y -> -y), as its sole mirrors the left one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from robot.run import Run
from robot.soles import FeetOnSoles
from sole.base.arrays import FloatArray
from sole.base.errors import ResourceError
from sole.condense import Recovery
from sole.studies import field_metrics

MIRROR = np.array([1.0, -1.0, 1.0])


def largest_strains(
    run: Run, feet: FeetOnSoles, recovery: Recovery, scale: float, after: float = 0.0
) -> dict[str, float]:
    """Return the largest value of each of `FIELD_COLUMNS` over selected snapshots of both feet.

    Selected are the snapshots of the largest force, the largest nodal displacement and the largest
    energy f'U/2 of each foot, in landings as well as in stance.

    Parameters
    ----------
    run : has nodal snapshots. feet : its robot and compliant soles; the right sole must mirror the
        left one.
    recovery : recovery of the left sole with every E divided by `scale`.
    after : time [s] from which snapshots count.

    Returns
    -------
    Stresses are the elastic part. The result is empty without snapshots.
    """
    if not run.frames or not (seen := run.frames["frame_time"] > after).any():
        return {}
    K = feet.soles[0].stiffness
    found: list[dict[str, float]] = []
    for side, sign in enumerate((np.ones(3), MIRROR)):
        f = sign * _of_foot(run, feet, side, run.frames["node_force"][seen])
        U = sign * _of_foot(run, feet, side, run.frames["node_displacement"][seen])
        found += _fields(f, U, K, recovery, scale)
    return {name: max(row[name] for row in found) for name in found[0]}


def with_strains(run: Run, feet: FeetOnSoles) -> Run:
    """Return the run with `strain_p99` and `strain_max` of `largest_strains` in its header.

    Each sole is recovered by itself, so they may differ. The run is returned as it is if it has no
    snapshots, or if memory does not suffice for the factors of the soles.
    """
    if not run.frames or not len(run.frames["frame_time"]) or feet.rigid:
        return run
    found: list[dict[str, float]] = []
    for side, sole in enumerate(feet.soles):
        f = _of_foot(run, feet, side, run.frames["node_force"])
        U = _of_foot(run, feet, side, run.frames["node_displacement"])
        try:
            found += _fields(f, U, sole.stiffness, Recovery(sole), 1.0)
        except ResourceError:
            return run
    strains = {name: max(row[name] for row in found) for name in ("strain_p99", "strain_max")}
    return replace(run, header={**run.header, **strains})


def _fields(
    f: FloatArray, U: FloatArray, K: FloatArray, recovery: Recovery, scale: float
) -> Iterator[dict[str, float]]:
    """Yield the field metrics of one sole at its `_moments`; f, U (S, m, 3), K (3m, 3m)."""
    for k in sorted(_moments(f, U)):
        elastic = (K @ U[k].ravel()).reshape(-1, 3)
        yield field_metrics(recovery(elastic, scale))


def _of_foot(run: Run, feet: FeetOnSoles, side: int, values: FloatArray) -> FloatArray:
    """Return the part (S, m, 3) of one foot's sole in values (S, nodes, 3), in the sole's order.

    Pads behind and in front of a toe joint are separate bodies, each in its own axes.
    """
    ends = np.cumsum([0, *(len(tread.points) for tread in run.treads)])
    found = np.zeros((len(values), len(feet.soles[side].points), 3))
    for b, nodes in enumerate(feet.nodes):
        if feet.sides[b] == side:
            found[:, nodes] = values[:, ends[b] : ends[b + 1]]
    return found


def _moments(f: FloatArray, U: FloatArray) -> set[int]:
    """Return the snapshots in which forces (S, m, 3), displacements or energy are largest."""
    load = f[..., 2].sum(axis=1)
    displacement = np.linalg.norm(U, axis=2).max(axis=1)
    energy = (f * U).sum(axis=(1, 2)) / 2
    return {int(np.argmax(size)) for size in (load, displacement, energy)}
