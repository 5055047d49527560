"""How strained the soles of a walk were: fields recovered at the moments of the largest loads.

A snapshot of a run holds displacements U of all tread nodes relative to the foot. The strain inside
follows them alone, whatever share of the forces a viscous sole owes to its speed, so what is
recovered is U under the elastic forces K_c U. A right foot's U is mirrored (y -> -y): its sole is
the mirror image of the left one.
"""

from __future__ import annotations

import numpy as np

from robot.run import Run
from robot.soles import FeetOnSoles
from sole.arrays import FloatArray
from sole.fields import Recovery
from sole.studies.rows import field_metrics

MIRROR = np.array([1.0, -1.0, 1.0])


def largest_strains(
    run: Run, feet: FeetOnSoles, recovery: Recovery, scale: float, after: float = 0.0
) -> dict[str, float]:
    """Return the largest of each of `FIELD_COLUMNS` over some snapshots of both feet.

    They are those of the largest force, of the largest displacement of a node and of the largest
    energy f'U/2 of each foot, in landings as well as in stance.

    Parameters
    ----------
    run : with nodal snapshots. feet : what it was of, compliant; the right sole the left one's
        mirror image.
    recovery : of the left sole with every E divided by `scale`.
    after : time [s] from which snapshots count.

    Returns
    -------
    Of stress the elastic part; nothing where there is no snapshot.
    """
    if not run.frames or not (seen := run.frames["frame_time"] > after).any():
        return {}
    K = feet.soles[0].stiffness
    found: list[dict[str, float]] = []
    for side, sign in enumerate((np.ones(3), MIRROR)):
        f = sign * _of_foot(run, feet, side, run.frames["node_force"][seen])
        U = sign * _of_foot(run, feet, side, run.frames["node_displacement"][seen])
        for k in sorted(_moments(f, U)):
            elastic = (K @ U[k].ravel()).reshape(-1, 3)
            found.append(field_metrics(recovery(elastic, scale)))
    return {name: max(row[name] for row in found) for name in found[0]}


def _of_foot(run: Run, feet: FeetOnSoles, side: int, values: FloatArray) -> FloatArray:
    """Return what (S, nodes, 3) of all bodies is of one foot's sole (S, m, 3), in its order.

    Pads behind and before a toe joint are bodies of their own, each in its own axes.
    """
    ends = np.cumsum([0, *(len(tread.points) for tread in run.treads)])
    found = np.zeros((len(values), len(feet.soles[side].points), 3))
    for b, nodes in enumerate(feet.nodes):
        if feet.sides[b] == side:
            found[:, nodes] = values[:, ends[b] : ends[b + 1]]
    return found


def _moments(f: FloatArray, U: FloatArray) -> set[int]:
    """Return at which of S snapshots forces (S, m, 3) and displacements are at their largest."""
    load = f[..., 2].sum(axis=1)
    displacement = np.linalg.norm(U, axis=2).max(axis=1)
    energy = (f * U).sum(axis=(1, 2)) / 2
    return {int(np.argmax(size)) for size in (load, displacement, energy)}
