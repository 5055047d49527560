"""A residual policy of six numbers: legs that reach for ground that is late, and lean on tilt.

For each leg e is the bend of its knee against the plan [rad], integrated from contacts:

    de/dt = -late    where the foot should stand and carries nothing (the leg reaches down),
    de/dt = +early   where it should swing and carries,

and all offsets of hip, knee and ankle follow from e, so that the foot stays parallel. Roll and
pitch of the waist act on the hips of the legs that stand, with gains `roll`, `pitch`, their rates
with `roll_rate`, `pitch_rate`.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, field

import numpy as np

from robot.environments.sole_environment import PERIOD, REACH
from sole.base.arrays import FloatArray

ROLL, PITCH, ROLL_RATE, PITCH_RATE = 0, 1, 2, 3  # places in an observation
PLANNED, MEASURED = slice(21, 23), slice(23, 25)
HIP_ROLL, HIP_PITCH, KNEE, ANKLE_PITCH, ANKLE_ROLL = 1, 2, 3, 4, 5  # places in a leg


@dataclass
class LinearResidual:
    """The policy: `policy(observation)` returns the action; `reset` before every episode.

    Parameters
    ----------
    late, early : rates of the knee [rad/s].
    roll, pitch : [1]. roll_rate, pitch_rate : [s].
    """

    late: float = 0.0
    early: float = 0.0
    roll: float = 0.0
    pitch: float = 0.0
    roll_rate: float = 0.0
    pitch_rate: float = 0.0
    _bend: FloatArray = field(default_factory=lambda: np.zeros(2), init=False, repr=False)

    @property
    def numbers(self) -> tuple[float, ...]:
        """The six numbers."""
        return astuple(self)[:6]

    def reset(self) -> None:
        """Forget the ground."""
        self._bend = np.zeros(2)

    def __call__(self, seen: FloatArray) -> FloatArray:
        """Return the action (12,) for an observation (50,)."""
        planned, stands = seen[PLANNED] > 0.5, seen[MEASURED] > 0.5
        self._bend = self._bend - PERIOD * self.late * (planned & ~stands)
        self._bend = np.clip(self._bend + PERIOD * self.early * (~planned & stands), -REACH, REACH)
        roll = self.roll * seen[ROLL] / 10 + self.roll_rate * seen[ROLL_RATE]
        pitch = self.pitch * seen[PITCH] / 10 + self.pitch_rate * seen[PITCH_RATE]
        legs = np.zeros((2, 6))
        legs[:, HIP_PITCH] = -self._bend / 2 + stands * pitch
        legs[:, KNEE] = self._bend
        legs[:, ANKLE_PITCH] = -self._bend / 2
        legs[:, HIP_ROLL] = stands * roll
        return np.clip(legs.ravel() / REACH, -1.0, 1.0).astype(np.float32)


# `python benchmarks/residual_policy.py train --generations 1`, rounded: 24 episodes of CMA-ES
BASELINE = LinearResidual(
    late=1.59, early=-0.119, roll=-0.0618, pitch=-0.0761, roll_rate=-0.00604, pitch_rate=-0.000114
)
