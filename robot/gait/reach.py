"""Walks out of reach: the nearest step, lift and height of the centre of mass that would do.

Short walks are planned roughly: with full steps first, then shorter ones; feet lifted as asked,
then less; the centre of mass as high as asked, then a little higher or lower; where joints would be
too fast, more slowly. The first that has a plan is the answer, its steps made longer by bisection.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

from robot.gait.footholds import GaitError
from robot.gait.plan import GaitOptions, com_height
from robot.gait.walking import Walking
from robot.model import RobotModel
from sole.base.arrays import FloatArray

OUT, TOO_FAST = "out of reach", "too fast"  # what messages of such plans say
STANDING = "before step 1"  # a height at which the robot cannot even shift its weight
STEPS = 3  # of a rough plan: beyond the second every step is like the one before
ROUGH = 1e-2  # s between the ticks of a rough plan
SHARES = (1.0, 0.75, 0.5, 0.25)  # of the step length
LIFTS = (1.0, 0.65, 0.5)  # of the lift
HEIGHTS = (1.0, 1.03, 0.97, 1.045, 1.06, 0.94, 0.9)  # of the height of the centre of mass
SLOWER = (1.25, 1.6, 2.0)  # of the time on one foot, where joints are too fast
HALVINGS = 3  # of the interval of the step length
NEAT, SMALL = 1e-2, 0.1  # m: lengths are rounded, towards less; small ones to a tenth of it

Reach = Callable[[Walking], "str | None"]  # why there is no plan, None if there is one


def is_usual(gait: Walking) -> bool:
    """Return whether a walk leaves step, lift, height and time to the robot."""
    names = ("forward", "sideways", "turn", "rise", "lift", "com_height", "single", "footstep")
    return all(getattr(gait, name) == getattr(Walking, name) for name in names)


def within_reach(
    gait: Walking,
    robot: RobotModel,
    sole_thickness: float | tuple[float, float],
    edges: FloatArray | None = None,
) -> Walking | None:
    """Return the walk nearest to `gait` that the robot reaches; None if there is none, or a list.

    Arguments as for `Gait.plan`. What the gait leaves open is that of the robot.
    """
    if gait.footstep:
        return None
    gait = gait.fitted(robot)

    def why_not(tried: Walking) -> str | None:
        rough = replace(tried, steps=min(tried.steps, STEPS))
        try:
            rough.plan(robot, ROUGH, sole_thickness, edges=edges)
        except GaitError as error:
            return str(error)
        return None

    usual = com_height(robot, GaitOptions(sole_thickness=sole_thickness))
    found = _first(gait, gait.com_height or usual, why_not)
    return None if found is None else _longest(gait, found, why_not)


def describe_change(asked: Walking, found: Walking) -> str:
    """Return in words what of a walk has to change, with options of `sole walk` or keys."""
    words, options = [], []
    if found.forward != asked.forward or found.sideways != asked.sideways:
        words.append(f"steps of {_length(found):.3g} m")
        options.append(f"--forward {found.forward:.3g}")
    for name in ("lift", "com_height"):
        value = getattr(found, name)
        if value != getattr(asked, name):
            words.append(f"{name} = {value:.3g} m")
            options.append(f"--{name.replace('_', '-')} {value:.3g}")
    if found.single != asked.single:
        words.append(f"{found.single:.3g} s on one foot")
        options.append(f"gait.single = {found.single:.3g}")
    return f"{' and '.join(words)} ({' '.join(options)})"


def _length(gait: Walking) -> float:
    return math.hypot(_given(gait.forward), gait.sideways)


def _given(value: float | None) -> float:
    """Return a number of a fitted gait."""
    if value is None:
        raise GaitError("a gait must be fitted to its robot first")
    return value


def _first(gait: Walking, height: float, why_not: Reach) -> Walking | None:
    """Return the first of the tried walks that has a plan."""
    hopeless: set[float] = set()
    for share, lift, part in _tries():
        if part in hopeless:
            continue
        tried = _shorter(gait, share)
        tried = tried if lift == 1 else replace(tried, lift=round(lift * _given(gait.lift), 3))
        if part != 1:
            tried = replace(tried, com_height=round(part * height, 3))
        reason = why_not(tried)
        for slower in SLOWER:
            if reason is None or TOO_FAST not in reason:
                break
            tried = replace(tried, single=round(slower * _given(gait.single), 2))
            reason = why_not(tried)
        if reason is None:
            return tried
        if STANDING in reason:
            hopeless.add(part)
    return None


def _tries() -> Iterator[tuple[float, float, float]]:
    for share in SHARES:
        for lift in LIFTS:
            for part in HEIGHTS:
                yield share, lift, part


def _longest(gait: Walking, found: Walking, why_not: Reach) -> Walking:
    """Return the walk with steps as long as lift and height of `found` allow."""
    whole = _length(gait)
    if whole == 0 or _length(found) == whole:
        return found
    low, high = _length(found) / whole, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        step = _shorter(gait, middle)
        tried = replace(found, forward=step.forward, sideways=step.sideways)
        low, high = (middle, high) if why_not(tried) is None else (low, middle)
    step = _shorter(gait, low)
    return replace(found, forward=step.forward, sideways=step.sideways)


def _shorter(gait: Walking, share: float) -> Walking:
    """Return a walk with steps of a share of the length, rounded towards less."""
    if share == 1:
        return gait

    def neat(length: float) -> float:
        unit = NEAT if abs(length) >= SMALL else NEAT / 10
        return round(int(share * length / unit + 1e-9) * unit, 3)

    return replace(gait, forward=neat(_given(gait.forward)), sideways=neat(gait.sideways))
