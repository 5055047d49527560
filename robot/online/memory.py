"""What an online plan remembers from tick to tick."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from robot.gait import PlanArrays
from sole.base.arrays import BoolArray, FloatArray, IntArray

RING = 8  # rows kept of the present plan


@dataclass(eq=False, kw_only=True)
class WalkProgress:
    """Where the walk is; changed in place.

    Parameters
    ----------
    row : the last row made; its time is row T. single : whether a foot swings. late : whether it
        reaches for the ground. lifted : whether it has been free of load in this swing.
    waited : for how long it has done so [s]. due : when it should have landed [s]. reach,
        reach_rate : how far it went down, and its speed [m, m/s].
    stuck : whether the last posture was out of reach.
    landed : when a foot landed last [s]. strip : for how many ticks it has stood on a strip since,
        -1: on more. again_at : the last step whose foot stepped again, over_at : the last one whose
        foot went over something. change (3,) by which the last landing moved the steps to come [m].
    swung : when the present swing began, anew if the foot goes over something [s].
    since, origin : when the last double support began [s] and the ZMP (2,) there [m].
    foot, foot_v, foot_a : (2, 4) commanded treads: x, y, z, yaw [m, rad, s].
    hold : (2, 4) where the treads stand, as measured. loaded : (2,) ticks with load in a row.
    stopped : (2, 2, 4) place and velocity at the contact that stopped each foot; stopped_at (2,)
        its time [s], NaN: not stopping.
    lift_off, goal : (4,) ends of the present swing; goal_rates (2, 2) velocity and acceleration of
        the goal; window (2,) shares between which it travels, bump (1,) height of its bump [m].
    com, moved : (3, 2) position, velocity, acceleration in the plane and their last change; jerk
        (2,). height : (3,) the same, upwards. rise : (9,) t_0, D, target and coefficients of the
        quintic that the height follows from t_0 to t_0 + D.
    reference : (2, n) ZMP reference of the next ticks; column `at` is the present one. stale :
        whether the timeline has changed since it was written.
    q, v, a : posture and rates of the last row.
    """

    row: int = 0
    single: bool = False
    late: bool = False
    lifted: bool = False
    stuck: bool = False
    waited: float = 0.0
    due: float = 0.0
    reach: float = 0.0
    reach_rate: float = 0.0
    since: float = 0.0
    landed: float = -1.0
    strip: int = 0
    again_at: int = -2
    over_at: int = -1
    swung: float = 0.0
    change: FloatArray
    origin: FloatArray
    foot: FloatArray
    foot_v: FloatArray
    foot_a: FloatArray
    hold: FloatArray
    loaded: IntArray
    stopped: FloatArray
    stopped_at: FloatArray
    lift_off: FloatArray
    goal: FloatArray
    goal_rates: FloatArray
    window: FloatArray
    bump: FloatArray
    com: FloatArray
    moved: FloatArray
    jerk: FloatArray
    height: FloatArray
    rise: FloatArray
    reference: FloatArray
    at: int = 0
    stale: bool = False
    q: FloatArray
    v: FloatArray
    a: FloatArray

    @classmethod
    def standing(
        cls, treads: FloatArray, com: FloatArray, q: FloatArray, columns: int
    ) -> WalkProgress:
        """Return a robot at rest: treads (2, 4), com (3,), q (nq,), columns of the reference."""
        still, middle = np.zeros((2, 4)), treads[:, :2].mean(axis=0)
        plane = np.zeros((3, 2))
        plane[0] = com[:2]
        rise = np.zeros(9)
        rise[1:4] = 1.0, com[2], com[2]
        return cls(
            change=np.zeros(3), origin=middle,
            foot=treads.copy(), foot_v=still.copy(), foot_a=still.copy(),
            hold=treads.copy(), loaded=np.zeros(2, np.int64), stopped=np.zeros((2, 2, 4)),
            stopped_at=np.full(2, np.nan), lift_off=np.zeros(4), goal=np.zeros(4),
            goal_rates=np.zeros((2, 2)), window=np.array([0.0, 1.0]), bump=np.zeros(1),
            com=plane, moved=np.zeros((3, 2)), jerk=np.zeros(2),
            height=np.array([com[2], 0.0, 0.0]), rise=rise,
            reference=np.zeros((2, columns)), q=q.copy(), v=np.zeros(len(q) - 1),
            a=np.zeros(len(q) - 1),
        )  # fmt: skip

    def arrays(self) -> dict[str, Any]:
        """Return everything, for `np.savez`."""
        return {item.name: np.array(getattr(self, item.name)) for item in fields(self)}

    def restore(self, arrays: Mapping[str, Any]) -> None:
        """Continue from `arrays()`, bit for bit."""
        for item in fields(self):
            kept = np.array(arrays[item.name])
            setattr(self, item.name, kept if kept.ndim else kept.item())


class Ring:
    """The last `RING` rows of a plan, as the arrays that controllers read.

    Attributes
    ----------
    q, v, a, com, com_acceleration, dcm, zmp, feet, supports : as in `robot.gait.WalkPlan`, to be
        written to. read : the same arrays as controllers see them, read-only.
    """

    NAMES = ("q", "v", "a", "com", "com_acceleration", "dcm", "zmp", "feet", "supports")

    def __init__(self, nq: int, nv: int) -> None:
        self.q, self.v, self.a = np.zeros((RING, nq)), np.zeros((RING, nv)), np.zeros((RING, nv))
        self.com, self.com_acceleration = np.zeros((RING, 3)), np.zeros((RING, 3))
        self.dcm, self.zmp = np.zeros((RING, 2)), np.zeros((RING, 2))
        self.feet = np.zeros((RING, 2, 4, 4))
        self.supports: BoolArray = np.zeros((RING, 2), np.bool_)
        self._show()

    def _show(self) -> None:
        seen = {name: getattr(self, name)[:] for name in self.NAMES}
        for array in seen.values():
            array.flags.writeable = False
        self.read_a: FloatArray = seen.pop("a")
        self.read = PlanArrays(**seen)

    def __deepcopy__(self, memo: dict[int, Any]) -> Ring:
        other = Ring(self.q.shape[1], self.v.shape[1])
        other.restore(self.arrays())
        return other

    def arrays(self) -> dict[str, Any]:
        """Return all rows, for `np.savez`."""
        return {name: getattr(self, name).copy() for name in self.NAMES}

    def restore(self, arrays: Mapping[str, Any]) -> None:
        """Continue from `arrays()`, bit for bit."""
        for name in self.NAMES:
            getattr(self, name)[:] = arrays[name]
