"""Where and when the feet land, from a few numbers or a list."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from robot.gait.footholds import SIDES, Foothold, GaitError, Stance
from robot.gait.footprints import collision, corners, overlap

__all__ = [
    "FOOT",
    "SIDES",
    "Foothold",
    "Footstep",
    "Footsteps",
    "GaitError",
    "Stance",
    "Timing",
    "listed",
    "walk",
]

FOOT = (0.24, 0.14)  # m: length and width that footsteps are checked with if nothing is said
TURN = 1.2  # rad: largest turn of a foot against the standing one


@dataclass(frozen=True, kw_only=True)
class Footstep:
    """One swing of one foot.

    Parameters
    ----------
    side : "left" or "right", the foot that moves.
    x, y, z, yaw : where it lands, see `Foothold` [m, rad].
    start : lift-off [s].
    duration : from lift-off to landing [s].
    lift : height of the sole over the higher of both ends [m]; None: the default of the plan.
    """

    side: str
    x: float
    y: float
    z: float = 0.0
    yaw: float = 0.0
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
        _ = self.foothold

    @property
    def foothold(self) -> Foothold:
        """Where it lands."""
        return Foothold(self.x, self.y, self.z, self.yaw)

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
    """How long what takes [s].

    Parameters
    ----------
    single : one foot carries.
    double : both carry, between two steps.
    initial, final : both carry, before the first step and after the last. Preview control takes
        about its window to gather way and to come to rest; in less the ZMP leaves its reference
        (final 0.7 s: by 6 cm in the second half of it, where what is left is faded out).
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
    """A stance, the steps from it, and how long to stand after the last landing [s].

    Raises
    ------
    GaitError
        Steps that overlap in time, feet that overlap in space or cross, a step out of reach;
        says which. Steps are counted from 1.
    """

    stance: Stance
    steps: tuple[Footstep, ...]
    final: float = 1.6
    foot: tuple[float, float] = FOOT
    reach: float = 0.6

    def __post_init__(self) -> None:
        if not (self.final > 0 and self.reach > 0 and min(self.foot) > 0):
            raise GaitError(
                "final, reach and both sides of the foot must be positive, got "
                f"{self.final:g} s, {self.reach:g} m and {self.foot} m"
            )
        if overlap(*(corners(f, self.foot) for f in self.stance.feet)):
            raise GaitError("the feet overlap before the first step: widen the stance")
        landed, stance = 0.0, self.stance
        for number, step in enumerate(self.steps, 1):
            if not step.start > landed:
                raise GaitError(
                    f"step {number} lifts off at {step.start:g} s, before or as the last one lands "
                    f"({landed:g} s): leave time for both feet on the ground"
                )
            _check_step(number, step, stance, self.foot, self.reach)
            landed, stance = step.end, stance.with_foot(step.side, step.foothold)

    @property
    def end(self) -> float:
        """When all is over [s]."""
        return (self.steps[-1].end if self.steps else 0.0) + self.final

    @property
    def stances(self) -> tuple[Stance, ...]:
        """The stance at the start and after every step."""
        stances = [self.stance]
        for step in self.steps:
            stances.append(stances[-1].with_foot(step.side, step.foothold))
        return tuple(stances)


def walk(
    count: int = 6,
    forward: float = 0.2,
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
    reach: float = 0.6,
) -> Footsteps:
    """Return a walk of `count` equal steps.

    Parameters
    ----------
    count : number of steps; the first foot travels half as far as the following ones.
    forward : from one foothold to the next of the other foot [m]; negative: backward.
    sideways, turn : left is positive [m, rad]; made by each step of the leading foot (the left
        one if positive), the other one follows.
    rise : of each step, or a list of `count` rises [m]: stairs.
    width : between the feet's centres [m], unless a `stance` to start from is given.
    first : which foot begins; by default the leading one, or the left.
    close : one more step that brings the feet side by side.
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
        raise GaitError("turn and sideways must lead to the same side: split the walk in two")
    moving = side if first is None else Footstep(side=first, x=0, y=0, start=1, duration=1).foot
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
    reach: float = 0.6,
) -> Footsteps:
    """Return the walk over the given ("left" or "right", `Foothold`), timed equally."""
    timing = Timing() if timing is None else timing
    steps = tuple(
        Footstep(
            side=side,
            x=hold.x,
            y=hold.y,
            z=hold.z,
            yaw=hold.yaw,
            start=timing.initial + k * (timing.single + timing.double),
            duration=timing.single,
        )
        for k, (side, hold) in enumerate(footholds)
    )
    return Footsteps(stance=stance, steps=steps, final=timing.final, foot=foot, reach=reach)


def _check_step(
    number: int, step: Footstep, stance: Stance, foot: tuple[float, float], reach: float
) -> None:
    """Refuse a step that is too far from the standing foot, or passes through it."""
    here, there, still = stance.feet[step.foot], step.foothold, stance.feet[1 - step.foot]
    name = f"step {number} ({step.side})"
    if (far := math.dist(there.place, still.place)) > reach:
        raise GaitError(
            f"{name} is out of reach: {far:.3g} m from the standing foot, more than {reach:.3g} m"
        )
    if abs(there.yaw - still.yaw) > TURN:
        raise GaitError(
            f"{name} is out of reach: turned {there.yaw - still.yaw:.3g} rad against the standing "
            f"foot, more than {TURN:g} rad (yaw counts on beyond pi)"
        )
    if wrong := collision(here, there, still, step.side, foot):
        raise GaitError(f"{name} {wrong}")
