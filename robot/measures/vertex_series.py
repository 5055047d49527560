"""Heights of the four corners of each foot, and the forces on them, at every step.

Feet on four points have them as series of a run, (T, 2, 4): foot, vertex. The height is the gap at
the start of the step, where the forces act; the force is the vertical one.
"""

from __future__ import annotations

import numpy as np

from robot.run import Channel
from robot.simulator import SimStep
from robot.soles import FeetOnSoles
from sole.base.arrays import FloatArray

VERTICES = ("front right", "front left", "back left", "back right")
VERTEX_CHANNELS = {
    "vertex_height": Channel(
        ("foot", "vertex"),
        "m",
        f"of the corners of each foot ({', '.join(VERTICES)}) over the ground, at the step's start",
    ),
    "vertex_force": Channel(
        ("foot", "vertex"), "N", "vertical force of the ground on these corners, mean of the step"
    ),
}


def has_vertices(feet: FeetOnSoles) -> bool:
    """Return whether each foot touches at four points only."""
    return [len(nodes) for nodes in feet.nodes] == [4, 4]


def vertex_values(feet: FeetOnSoles, step: SimStep) -> dict[str, FloatArray]:
    """Return the values of `VERTEX_CHANNELS` (2, 4) in a step, by name."""
    forces = np.asarray(step.contact.state.forces).sum(axis=1)
    heights, vertical = np.empty((2, 4)), np.empty((2, 4))
    first = 0
    for body, (side, touching) in enumerate(zip(feet.sides, feet.touching, strict=True)):
        points, own = touching.body.points, slice(first, first + 4)
        order = _order(points)
        heights[side] = step.contact.gaps[own, 0][order]
        vertical[side] = (forces[own] @ step.start.rotations[body][2])[order]
        first += len(points)
    return {"vertex_height": heights, "vertex_force": vertical}


def _order(points: FloatArray) -> list[int]:
    """Return the indices of the points (4, 3) in the order of `VERTICES`."""
    x, y = (points[:, :2] - points[:, :2].mean(axis=0)).T
    corner = {(bool(a > 0), bool(b > 0)): k for k, (a, b) in enumerate(zip(x, y, strict=True))}
    return [corner[c] for c in ((True, False), (True, True), (False, True), (False, False))]
