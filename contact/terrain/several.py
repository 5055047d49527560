"""A ground for every body: the world for one, a movable box for another.

A body that touches something movable is described in the axes of that thing: pose, twist and
Jacobian of the body are relative, and the thing is its ground. The force then acts on both.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from contact.ground import Ground
from contact.stepping.bodies import Bodies
from contact.terrain.compiled import CompiledGround, Touches
from sole.arrays import FloatArray
from sole.errors import SoleError


class SeveralGrounds:
    """Grounds of bodies, asked together.

    Parameters
    ----------
    grounds : one for each body. bodies : whose nodes are asked about, all in their order.
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

    def query(self, points: FloatArray, outside: FloatArray) -> Touches:
        """Return what every node (M, 3) meets, in the axes of its body's ground."""
        found = [ground.query(points[k], outside[k]) for k, ground in self.parts]
        if len(found) == 1:
            return found[0]
        return Touches(
            gap=np.concatenate([t.gap for t in found]),
            frames=np.concatenate([t.frames for t in found]),
            solid=np.concatenate([t.solid for t in found]),
        )
