"""From snapshots to frames for browsers: forces, centres of pressure, tilt, as 32-bit floats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from robot.live.scene_snapshot import SceneLayout
from robot.recorder import center_of_pressure, zero_moment_point
from sole.base.arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from robot.walk import Walk

NEAR = 1e-6  # N: a foot with less carries nothing


class SceneBodies(NamedTuple):
    """The contact bodies: `sides` (B,) foot or -1; `heights` (B,) z of each tread [m]."""

    sides: Sequence[int]
    heights: Sequence[float]

    @classmethod
    def of(cls, walk: Walk) -> SceneBodies:
        """Return those of a walk."""
        own = walk.feet.sides.tolist()
        touching = walk.simulator.touching
        sides = [own[b] if b < len(own) else -1 for b in range(len(touching))]
        return cls(sides, [float(t.body.points[:, 2].min()) for t in touching])


def foot_forces(
    sides: Sequence[int] | IntArray, rotations: FloatArray, wrench: FloatArray
) -> FloatArray:
    """Return the force of the ground on each foot (F, 3) [N, world axes].

    Parameters
    ----------
    sides : foot of each body (B,), or -1. rotations : (B, 3, 3), body to world.
    wrench : (B, 6) in the axes of the bodies [N, N m].
    """
    own = np.asarray(sides)
    world = np.einsum("bij,bj->bi", rotations, wrench[:, :3])
    return np.array([world[own == foot].sum(axis=0) for foot in range(int(own.max()) + 1)])


def tilt_of(q: FloatArray) -> float:
    """Return the tilt of the waist [rad] in a configuration whose quaternion is q[3:7]."""
    return float(np.arccos(max(-1.0, 1.0 - 2.0 * (q[3] * q[3] + q[4] * q[4]))))


class SceneFrames:
    """Frames of one scene.

    A frame has, one after the other: the numbers of the snapshot, grip (3, 3), tilt [rad],
    zmp (3,), force (F, 3) [N, world], cop (F, 2) [m, axes of the foot], body_force (B, 3), q, U
    and f (M, 3), and the scene's own numbers.
    """

    def __init__(self, layout: SceneLayout, bodies: SceneBodies) -> None:
        self.layout = layout
        self.sides, self.heights = np.array(bodies.sides), np.array(bodies.heights)

    def frame(self, row: FloatArray) -> bytes:
        """Return the frame of a snapshot's row."""
        s = self.layout.views(row)
        w, R, p = s["wrench"], s["rotations"], s["places"]
        world = np.concatenate(
            [np.einsum("bij,bj->bi", R, w[:, :3]), np.einsum("bij,bj->bi", R, w[:, 3:])], axis=1
        )
        count = int(self.sides.max()) + 1
        force, cop = foot_forces(self.sides, R, w), np.full((count, 2), np.nan)
        for foot in range(count):
            mine = np.flatnonzero(self.sides == foot)
            if len(mine) and force[foot, 2] > NEAR:
                cop[foot] = self._cop(world[mine], R, p, mine)
        feet = np.flatnonzero(self.sides >= 0)
        down = p[feet] + R[feet, :, 2] * self.heights[feet, None]
        zmp = zero_moment_point(world[None, feet], p[None, feet], down[None])[0]
        parts = (
            s["numbers"], s["grip"], [tilt_of(s["q"])], zmp, force, cop, w[:, :3], s["q"],
            s["moved"], s["pressed"], s["more"],
        )  # fmt: skip
        return np.concatenate([np.ravel(part) for part in parts]).astype("<f4").tobytes()

    def _cop(self, world: FloatArray, R: FloatArray, p: FloatArray, mine: IntArray) -> FloatArray:
        """Return the CoP of a foot in the axes of its first body."""
        first = int(mine[0])
        moment = world[:, 3:] + np.cross(p[mine] - p[first], world[:, :3])
        total = np.concatenate([world[:, :3].sum(axis=0), moment.sum(axis=0)])
        own = np.concatenate([total[:3] @ R[first], total[3:] @ R[first]])
        return center_of_pressure(own, float(self.heights[first]))
