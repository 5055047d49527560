"""The pads of the feet: connected parts of the treads, each with its own contact switch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot.run import tread_of
from robot.simulator import SimStep
from robot.soles import FeetOnSoles
from sole.base.arrays import BoolArray, FloatArray, IntArray, frozen
from sole.base.compiled import inner_kernel, kernel


@dataclass(frozen=True, eq=False, kw_only=True)
class Pads:
    """All pads, those of the left foot first; within a foot sorted by x, then by y.

    Parameters
    ----------
    sides : (P,) the foot of each pad, 0 left. centres : (P, 2) mean of the nodes of each pad, axes
        of the sole frame [m].
    nodes : (M,) the pad of each contact node of the feet.
    """

    sides: IntArray
    centres: FloatArray
    nodes: IntArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "sides", frozen(self.sides, np.int64))
        object.__setattr__(self, "centres", frozen(self.centres))
        object.__setattr__(self, "nodes", frozen(self.nodes, np.int64))

    def closed(self, step: SimStep, least: float) -> BoolArray:
        """Return (P,): whether the mean force on each pad over a step exceeds `least` [N]."""
        return find_loaded_pads(self.nodes, len(self.sides), step.state.soles.forces, least)


def pads_of(feet: FeetOnSoles) -> Pads:
    """Find the pads: sets of nodes connected by the triangles of a tread."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    found: list[tuple[int, float, float, IntArray]] = []
    count = 0
    for side, touching in zip(feet.sides, feet.touching, strict=True):
        body = touching.body
        faces = tread_of(touching.name, body, int(side), feet.soles).faces
        edges = faces.ravel(), np.roll(faces, 1, axis=1).ravel()
        graph = coo_array((np.ones(faces.size), edges), shape=2 * (len(body.points),))
        parts, part = connected_components(graph, directed=False)
        for k in range(parts):
            own = np.flatnonzero(part == k)
            x, y = np.round(body.points[own, :2].mean(axis=0), 9)
            found.append((int(side), float(x), float(y), count + own))
        count += len(body.points)
    found.sort(key=lambda pad: pad[:3])
    nodes = np.empty(count, np.int64)
    for k, (*_, own) in enumerate(found):
        nodes[own] = k
    return Pads(
        sides=np.array([side for side, *_ in found]),
        centres=np.array([(x, y) for _, x, y, _ in found]),
        nodes=nodes,
    )


@kernel
def find_loaded_pads(pads: IntArray, count: int, forces: FloatArray, least: float) -> BoolArray:
    """Return (count,): whether the sum of the nodal forces (M, S, 3) of a pad exceeds `least`."""
    total = np.zeros((count, 3))
    start = 0
    while start < len(pads):  # the nodes of a pad mostly lie together
        end = start + 1
        while end < len(pads) and pads[end] == pads[start]:
            end += 1
        add_forces(forces, start, end, total[pads[start]])
        start = end
    loaded = np.empty(count, np.bool_)
    for k in range(count):
        loaded[k] = np.sqrt((total[k] ** 2).sum()) > least
    return loaded


@inner_kernel(fastmath={"reassoc", "nsz", "contract"})
def add_forces(forces: FloatArray, start: int, end: int, total: FloatArray) -> None:
    """Add to total (3,) the forces (M, S, 3) of the nodes from `start` to `end`."""
    x = y = z = 0.0
    for i in range(start, end):
        for s in range(forces.shape[1]):
            x += forces[i, s, 0]
            y += forces[i, s, 1]
            z += forces[i, s, 2]
    total[0] += x
    total[1] += y
    total[2] += z
