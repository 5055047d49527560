"""Between which edges the centre of pressure of a foot may be asked for, by the pads that touch.

From `AFTER` seconds after a foot has touched, pads that have not closed since hang in the air: the
bounding box of those that have is what carries. A pad that opens later counts on, as a foot that
rolls to an edge may roll back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sole.base.arrays import BoolArray, FloatArray, IntArray

AFTER = 0.04  # s


class PadEdges:
    """The edges of both feet, from switches.

    Parameters
    ----------
    whole : (2, 2, 2) smallest and largest x and y of each tread, less the margin [m].
    boxes : (P, 2, 2) smallest and largest x and y of each pad [m]. sides : (P,) its foot.
    margin : kept from the edges [m].
    """

    def __init__(
        self, whole: FloatArray, boxes: FloatArray, sides: IntArray, margin: float
    ) -> None:
        self.whole, self.boxes, self.sides, self.margin = whole, boxes, sides, margin
        self.reset()

    def reset(self) -> None:
        """Forget which pads have closed."""
        self.seen: BoolArray = np.zeros(len(self.sides), np.bool_)
        self.age = np.zeros(2)

    def update(self, switches: BoolArray, touching: BoolArray, T: float) -> FloatArray:
        """Return the edges (2, 2, 2) after another T seconds [m].

        switches (P,) of the pads. touching (2,) : whether each foot carries load.
        """
        edges = self.whole.copy()
        self.age = np.where(touching, self.age + T, 0.0)
        self.seen = touching[self.sides] & (self.seen | np.asarray(switches, np.bool_))
        for k in range(2):
            own = self.sides == k
            closed = own & self.seen
            if self.age[k] < AFTER or closed.sum() in (0, own.sum()):
                continue
            low, high = self.boxes[closed, 0].min(axis=0), self.boxes[closed, 1].max(axis=0)
            middle, half = (low + high) / 2, np.maximum((high - low) / 2 - self.margin, 0.0)
            edges[k] = np.clip(np.stack([middle - half, middle + half]), *self.whole[k])
        return edges

    def arrays(self) -> dict[str, Any]:
        """Return which pads have closed, for `np.savez`."""
        return {"pads_seen": self.seen.copy(), "pads_age": self.age.copy()}

    def restore(self, arrays: Mapping[str, Any]) -> None:
        """Continue from `arrays()`, bit for bit."""
        self.seen, self.age = np.array(arrays["pads_seen"]), np.array(arrays["pads_age"])
