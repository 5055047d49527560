"""A residual policy of ten numbers: legs that reach for late ground, lean and step against tilt.

For each leg e is the bend of its knee against the plan [rad], integrated from contacts:

    de/dt = -late    where the foot should stand and carries nothing (the leg reaches down),
    de/dt = +early   where it should swing and carries,

and all offsets of hip, knee and ankle follow from e, so that the foot stays parallel. Roll and
pitch of the waist act on the hips of the legs that stand, with gains `roll`, `pitch`, their rates
with `roll_rate`, `pitch_rate`; on their ankles with `ankle_roll`, `ankle_pitch`. Where the waist
will be in `AHEAD`, tilt + AHEAD rate, moves the hips of a leg that swings: it steps under the fall.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, field

import numpy as np

from robot.environments.sole_environment import PERIOD, REACH
from sole.base.arrays import FloatArray

ROLL, PITCH, ROLL_RATE, PITCH_RATE = 0, 1, 2, 3  # places in an observation
PLANNED, MEASURED = slice(21, 23), slice(23, 25)
AHEAD = 0.3  # s
HIP_ROLL, HIP_PITCH, KNEE, ANKLE_PITCH, ANKLE_ROLL = 1, 2, 3, 4, 5  # places in a leg


@dataclass
class LinearResidual:
    """The policy: `policy(observation)` returns the action; `reset` before every episode.

    Parameters
    ----------
    late, early : rates of the knee [rad/s].
    roll, pitch : [1]. roll_rate, pitch_rate : [s]. ankle_roll, ankle_pitch : [1].
    step_roll, step_pitch : [1].
    """

    late: float = 0.0
    early: float = 0.0
    roll: float = 0.0
    pitch: float = 0.0
    roll_rate: float = 0.0
    pitch_rate: float = 0.0
    ankle_roll: float = 0.0
    ankle_pitch: float = 0.0
    step_roll: float = 0.0
    step_pitch: float = 0.0
    _bend: FloatArray = field(default_factory=lambda: np.zeros(2), init=False, repr=False)

    @property
    def numbers(self) -> tuple[float, ...]:
        """The ten numbers."""
        return astuple(self)[:10]

    def reset(self) -> None:
        """Forget the ground."""
        self._bend = np.zeros(2)

    def __call__(self, seen: FloatArray) -> FloatArray:
        """Return the action (12,) for an observation (50,)."""
        planned, stands = seen[PLANNED] > 0.5, seen[MEASURED] > 0.5
        self._bend = self._bend - PERIOD * self.late * (planned & ~stands)
        self._bend = np.clip(self._bend + PERIOD * self.early * (~planned & stands), -REACH, REACH)
        tilt, rate = seen[[ROLL, PITCH]] / 10, seen[[ROLL_RATE, PITCH_RATE]]
        soon, swings = tilt + AHEAD * rate, ~planned & ~stands
        roll = stands * (self.roll * tilt[0] + self.roll_rate * rate[0])
        pitch = stands * (self.pitch * tilt[1] + self.pitch_rate * rate[1])
        legs = np.zeros((2, 6))
        legs[:, HIP_PITCH] = -self._bend / 2 + pitch + swings * self.step_pitch * soon[1]
        legs[:, KNEE] = self._bend
        legs[:, ANKLE_PITCH] = -self._bend / 2 + stands * self.ankle_pitch * tilt[1]
        legs[:, HIP_ROLL] = roll + swings * self.step_roll * soon[0]
        legs[:, ANKLE_ROLL] = stands * self.ankle_roll * tilt[0]
        return np.clip(legs.ravel() / REACH, -1.0, 1.0).astype(np.float32)


# online: `python benchmarks/residual_policy.py train --plans online`, rounded, 18 episodes. fixed:
# 24 episodes of the same search when the policy had six numbers
BASELINES = {
    "fixed": LinearResidual(
        late=1.59,
        early=-0.119,
        roll=-0.0618,
        pitch=-0.0761,
        roll_rate=-0.00604,
        pitch_rate=-0.000114,
    ),
    "online": LinearResidual(
        late=1.19,
        early=-0.119,
        roll=-0.0618,
        pitch=-0.0761,
        roll_rate=-0.00604,
        pitch_rate=-0.000114,
        ankle_roll=-0.101,
        ankle_pitch=0.471,
        step_roll=0.149,
        step_pitch=0.0668,
    ),
}
"""A policy for each plan of `SoleWalk`, found by CMA-ES."""
