"""Where and when the feet land, from a few numbers or a list."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from robot.gait.footholds import (
    SIDES,
    Foothold,
    GaitError,
    Stance,
    find_collision,
    foot_corners,
    overlap,
)

STEPS, STEP_LENGTH = 6, 0.2  # defaults of a walk: number of steps, step length [m]
FOOT = (0.24, 0.14)  # m: default length and width of a foot in the checks
TURN = 1.2  # rad: largest yaw of a foot relative to the standing one


@dataclass(frozen=True, kw_only=True)
class Footstep:
    """One swing of one foot.

    Parameters
    ----------
    side : "left" or "right", the foot that moves.
    foothold : where the foot lands.
    start : time of lift-off [s].
    duration : time from lift-off to landing [s].
    lift : height of the sole over the higher end of the swing [m]; None: the plan's default.
    """

    side: str
    foothold: Foothold
    start: float
    duration: float
    lift: float | None = None

    def __post_init__(self) -> None:
        if self.side not in SIDES:
            raise GaitError(f"side of a step must be 'left' or 'right', got {self.side!r}")
        if not 0 < self.duration < math.inf:
            raise GaitError(f"duration of a step must be positive, got {self.duration:g} s")
        if not 0 < self.start < math.inf:
            raise GaitError(f"start of a step must be later than 0 s, got {self.start:g} s")
        if self.lift is not None and not 0 < self.lift < math.inf:
            raise GaitError(f"lift of a step must be positive, got {self.lift:g} m")

    @property
    def end(self) -> float:
        """Landing [s]."""
        return self.start + self.duration

    @property
    def foot(self) -> int:
        """0 left, 1 right."""
        return SIDES.index(self.side)


@dataclass(frozen=True, kw_only=True)
class Timing:
    """Durations of the phases of a walk [s].

    Parameters
    ----------
    single : single support.
    double : double support between two steps.
    initial, final : double support before the first step and after the last. Preview control needs
        about the length of its window to start and to stop; in less time the ZMP leaves its
        reference (final = 0.7 s: by 6 cm in the second half, during the final fade).
    """

    single: float = 0.7
    double: float = 0.1
    initial: float = 1.6
    final: float = 1.6

    def __post_init__(self) -> None:
        for name in ("single", "double", "initial", "final"):
            if not 0 < (value := getattr(self, name)) < math.inf:
                raise GaitError(f"{name} of the timing must be positive, got {value:g} s")


@dataclass(frozen=True, kw_only=True)
class Footsteps:
    """An initial stance, the steps from it, and the standing time after the last landing [s].

    Raises
    ------
    GaitError
        Steps overlap in time, feet overlap or cross, or a step is out of reach. The message names
        the step, counted from 1.
    """

    stance: Stance
    steps: tuple[Footstep, ...]
    final: float = Timing.final
    foot: tuple[float, float] = FOOT
    reach: float = 0.6

    def __post_init__(self) -> None:
        if not (self.final > 0 and self.reach > 0 and min(self.foot) > 0):
            raise GaitError(
                "final, reach and both sides of the foot must be positive, got "
                f"{self.final:g} s, {self.reach:g} m and {self.foot} m"
            )
        if overlap(*(foot_corners(f, self.foot) for f in self.stance.feet)):
            raise GaitError("the feet overlap before the first step: widen the stance")
        landed, stance = 0.0, self.stance
        for number, step in enumerate(self.steps, 1):
            if not step.start > landed:
                raise GaitError(
                    f"step {number} lifts off at {step.start:g} s, not after the last landing "
                    f"({landed:g} s): leave time for double support"
                )
            _check_step(number, step, stance, self.foot, self.reach)
            landed, stance = step.end, stance.with_foot(step.side, step.foothold)

    @property
    def end(self) -> float:
        """End of the walk [s]."""
        return (self.steps[-1].end if self.steps else 0.0) + self.final

    @property
    def stances(self) -> tuple[Stance, ...]:
        """The stance at the start and after every step."""
        stances = [self.stance]
        for step in self.steps:
            stances.append(stances[-1].with_foot(step.side, step.foothold))
        return tuple(stances)


def walk(
    count: int = STEPS,
    forward: float = STEP_LENGTH,
    *,
    sideways: float = 0.0,
    turn: float = 0.0,
    rise: float | Sequence[float] = 0.0,
    width: float = 0.2,
    stance: Stance | None = None,
    first: str | None = None,
    close: bool = True,
    timing: Timing | None = None,
    foot: tuple[float, float] = FOOT,
    reach: float = Footsteps.reach,
) -> Footsteps:
    """Return the footsteps of a walk of `count` equal steps.

    Parameters
    ----------
    count : number of steps; the first foot travels half as far as the following ones.
    forward : step length from one foothold to the other foot's next one [m]; negative: backward.
    sideways, turn : positive to the left [m, rad]. Each step of the leading foot (the left one if
        positive) makes this motion; the other foot follows.
    rise : height difference of each step, or a list of `count` of them [m], for stairs.
    width : distance between the centres of the feet [m], unless an initial `stance` is given.
    first : the foot that begins; by default the leading one, or the left.
    close : add a step that brings the feet side by side.
    timing, foot, reach : see `Timing` and `Footsteps`.
    """
    timing = Timing() if timing is None else timing
    stance = Stance.parallel(width) if stance is None else stance
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise GaitError(f"count of steps must be a whole number >= 0, got {count!r}")
    for name, value in (("forward", forward), ("sideways", sideways), ("turn", turn)):
        if not math.isfinite(value):
            raise GaitError(f"{name} must be finite, got {value}")
    rises = np.full(count, rise) if np.ndim(rise) == 0 else np.asarray(rise, dtype=float)
    if rises.shape != (count,) or not np.isfinite(rises).all():
        raise GaitError(f"rise must be one finite number or {count}, one per step; got {rise}")
    side = 0 if turn > 0 or (turn == 0 and sideways >= 0) else 1
    if turn * sideways < 0:
        raise GaitError("turn and sideways must have the same sign: split the walk in two")
    if first not in (None, *SIDES):
        raise GaitError(f"side of a step must be 'left' or 'right', got {first!r}")
    moving = side if first is None else SIDES.index(first)
    middle, holds = stance.middle, []
    z = middle.z
    half = math.dist((stance.left.x, stance.left.y), (stance.right.x, stance.right.y)) / 2
    for k in range(count + bool(close and count)):
        if k < count:
            leading = moving == side
            place = middle.at(forward, sideways if leading else 0.0)
            yaw = middle.yaw + (turn if leading else 0.0)
            middle = Foothold(float(place[0]), float(place[1]), 0.0, yaw)
            z += float(rises[k])
        place = middle.at(0.0, half if moving == 0 else -half)
        holds.append((SIDES[moving], Foothold(float(place[0]), float(place[1]), z, middle.yaw)))
        moving = 1 - moving
    return listed(holds, stance=stance, timing=timing, foot=foot, reach=reach)


def listed(
    footholds: Iterable[tuple[str, Foothold]],
    *,
    stance: Stance,
    timing: Timing | None = None,
    foot: tuple[float, float] = FOOT,
    reach: float = Footsteps.reach,
) -> Footsteps:
    """Return the walk over a list of ("left" or "right", `Foothold`), with equal timing."""
    timing = Timing() if timing is None else timing
    steps = tuple(
        Footstep(
            side=side,
            foothold=hold,
            start=timing.initial + k * (timing.single + timing.double),
            duration=timing.single,
        )
        for k, (side, hold) in enumerate(footholds)
    )
    return Footsteps(stance=stance, steps=steps, final=timing.final, foot=foot, reach=reach)


def _check_step(
    number: int, step: Footstep, stance: Stance, foot: tuple[float, float], reach: float
) -> None:
    """Refuse a step too far from the standing foot, or one that passes through it."""
    here, there, still = stance.feet[step.foot], step.foothold, stance.feet[1 - step.foot]
    name = f"step {number} ({step.side})"
    if (far := math.dist(there.place, still.place)) > reach:
        raise GaitError(
            f"{name} is out of reach: {far:.3g} m from the standing foot, more than {reach:.3g} m"
        )
    if abs(there.yaw - still.yaw) > TURN:
        raise GaitError(
            f"{name} is out of reach: yaw {there.yaw - still.yaw:.3g} rad relative to the standing "
            f"foot, more than {TURN:g} rad (yaw is not wrapped at pi)"
        )
    if wrong := find_collision(here, there, still, step.side, foot):
        raise GaitError(f"{name} {wrong}")
