"""The pads of the feet: connected parts of the treads, each with a contact switch of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot.scenery.treads import tread_of
from robot.sensing.kernels import pad_loads
from robot.simulate import SimStep
from robot.soles import FeetOnSoles
from sole.arrays import BoolArray, FloatArray, IntArray, frozen


@dataclass(frozen=True, eq=False, kw_only=True)
class Pads:
    """All pads: those of the left foot first, in a foot by x, then by y.

    Parameters
    ----------
    sides : (P,) whose foot each belongs to, 0 left. centres : (P, 2) mean of the nodes of each,
        axes of the sole frame [m].
    nodes : (M,) which pad each contact node of the feet belongs to.
    """

    sides: IntArray
    centres: FloatArray
    nodes: IntArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "sides", frozen(self.sides, np.int64))
        object.__setattr__(self, "centres", frozen(self.centres))
        object.__setattr__(self, "nodes", frozen(self.nodes, np.int64))

    def closed(self, step: SimStep, least: float) -> BoolArray:
        """Return (P,) whether the mean force on each over a step is larger than `least` [N]."""
        return np.asarray(pad_loads(self.nodes, len(self.sides), step.state.soles.forces) > least)


def pads_of(feet: FeetOnSoles) -> Pads:
    """Find the pads: nodes that the triangles of a tread connect."""
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
