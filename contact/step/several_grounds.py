"""A ground for every body: the world for one, a movable box for another.

A body that touches something movable is described in the axes of that thing: pose, twist and
Jacobian of the body are relative, and the thing is its ground. The force then acts on both.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from contact.ground import CompiledGround, Ground
from contact.step.bodies import Bodies
from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import packed
from sole.base.errors import SoleError


class SeveralGrounds:
    """The grounds of all bodies, queried together.

    Parameters
    ----------
    grounds : one for each body. bodies : whose nodes are queried, in their order.

    Attributes
    ----------
    slots : S, surfaces that a node may touch at once: 2, more on overlapping round pieces.
    planes : (B, 4) normal n and n.o of the one plane that is each body's ground; (0, 4) if any
        body has another ground.
    pieces : reach and `GroundArrays` of the one ground of all bodies; None if it is a plane, or if
        there are several.
    """

    def __init__(self, grounds: Sequence[Ground], bodies: Bodies) -> None:
        if len(grounds) != bodies.count:
            raise SoleError(f"{bodies.count} bodies need a ground each, got {len(grounds)}")
        self.parts: list[tuple[slice, CompiledGround]] = []
        for b, ground in enumerate(grounds):
            nodes = bodies.nodes_of(b)
            if self.parts and self.parts[-1][1] is ground.compiled:
                nodes = slice(self.parts.pop()[0].start, nodes.stop)
            self.parts.append((nodes, ground.compiled))
        self.slots = max(ground.surfaces for _, ground in self.parts)
        first = self.parts[0][1]
        single = len(self.parts) == 1 and first.plane is None
        self.pieces = (first.reach, packed(first.arrays)) if single else None
        planes = [ground.compiled.plane for ground in grounds]
        flat = [p for p in planes if p is not None]
        self.planes = np.array([[*n, n @ o] for o, n in flat] if len(flat) == len(planes) else [])
        self.planes = self.planes.reshape(-1, 4)

    def nearest(
        self, points: FloatArray, outside: FloatArray
    ) -> tuple[FloatArray, FloatArray, IntArray]:
        """Return gaps (M, S), normals (M, S, 3) and pieces (M, S), axes of the bodies' grounds.

        As `CompiledGround.query` of finite nodes (M, 3), with the S = `slots` surfaces nearest to
        each.
        """
        if len(self.parts) == 1:
            return self.parts[0][1].nearest(points, outside, self.slots)
        found = [ground.nearest(points[k], outside[k], self.slots) for k, ground in self.parts]
        gap, normal, solid = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
        return gap, normal, solid
