"""Footsteps from speeds, one after the other, as a joystick asks for them.

As in `robot.gait.footsteps.walk`: every step moves the middle between the feet by `forward`; the
foot on the side of a sideways motion or turn leads, the other follows. Steps have equal durations,
so a speed v is a step of v (single + double), sideways and in yaw of twice that per leading step.
From step to step the motion changes by at most `CHANGE`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from robot.gait import Foothold, Footstep, Footsteps, Stance, Timing

SIDES = ("left", "right")
CHANGE = (0.15, 0.08, 0.3)  # m, m, rad: largest change of a step from the one before


class Stride(NamedTuple):
    """What a step does: forward, sideways [m] and turn [rad] of its middle; 0, 0, 0 in place."""

    forward: float = 0.0
    sideways: float = 0.0
    turn: float = 0.0

    def towards(self, other: Stride) -> Stride:
        """Return the stride that is at most `CHANGE` away, in the direction of another."""
        return Stride(
            *(a + min(max(b - a, -c), c) for a, b, c in zip(self, other, CHANGE, strict=True))
        )


@dataclass(frozen=True, kw_only=True)
class Rhythm:
    """How steps are made.

    Parameters
    ----------
    timing : durations of the phases. width : distance between the feet [m].
    foot : length and width of a foot [m], for collisions. lift : of the swing [m].
    """

    timing: Timing
    width: float
    foot: tuple[float, float]
    lift: float

    def stride_of(self, forward: float, sideways: float, turn: float) -> Stride:
        """Return the stride of speeds [m/s, m/s, rad/s]."""
        T = self.timing.single + self.timing.double
        return Stride(forward * T, 2 * sideways * T, 2 * turn * T)

    def step(self, stance: Stance, foot: int, start: float, stride: Stride) -> Footstep:
        """Return the next step of a foot (0 left) from a stance.

        Raises
        ------
        GaitError
            It is out of reach or meets the other foot.
        """
        side, half = (1.0 if foot == 0 else -1.0), self.width / 2
        still = stance.feet[1 - foot]
        x, y, z = still.at(0.0, side * half).tolist()
        middle = Foothold(x, y, z, still.yaw)
        aside = stride.sideways if stride.sideways * side > 0 else 0.0
        turn = stride.turn if stride.turn * side > 0 else 0.0
        ahead = middle.at(stride.forward, aside)
        there = Foothold(float(ahead[0]), float(ahead[1]), still.z, middle.yaw + turn)
        place = there.at(0.0, side * half)
        step = Footstep(
            side=SIDES[foot],
            foothold=Foothold(float(place[0]), float(place[1]), still.z, there.yaw),
            start=start,
            duration=self.timing.single,
            lift=self.lift,
        )
        Footsteps(stance=stance, steps=(step,), foot=self.foot)  # refuses what cannot be walked
        return step

    def leading(self, stride: Stride) -> int:
        """Return the foot that begins: 0 left, 1 right."""
        return 0 if (stride.turn or stride.sideways) >= 0 else 1
