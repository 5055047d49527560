"""Walks out of the robot's reach: the usual one is fitted to the robot, others get advice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from robot.gait import (
    OUT,
    TOO_FAST,
    GaitError,
    Walking,
    WalkPlan,
    describe_change,
    describe_usual,
    is_usual,
    within_reach,
)
from robot.model import stands_straight
from robot.soles import FeetOnSoles
from robot.walk.scenario import Scenario

VAGUE = "; lower com_height"  # where a message begins to advise without numbers


def plan_within_reach(
    scenario: Scenario, feet: FeetOnSoles, plan_of: Callable[[Scenario, FeetOnSoles], WalkPlan]
) -> tuple[Scenario, WalkPlan, tuple[str, ...]]:
    """Return the scenario and the plan of its gait, and in words what was changed, if anything.

    What the gait leaves open of its step follows from the legs first.

    Raises
    ------
    GaitError
        As `reachable`, or as `plan_of`.
    """
    gait = scenario.gait.fitted(feet.robot)
    told = describe_usual(feet.robot) if isinstance(gait, Walking) and gait != scenario.gait else ""
    notes, fitted = (told,) * bool(told), replace(scenario, gait=gait)
    try:
        return fitted, plan_of(fitted, feet), notes
    except GaitError as error:
        changed, note = reachable(scenario, feet, error)
    return changed, plan_of(changed, feet), (*notes, note)


def reachable(scenario: Scenario, feet: FeetOnSoles, error: GaitError) -> tuple[Scenario, str]:
    """Return a scenario whose walk is within reach, and in words what was changed.

    Only a walk that leaves step, lift, time and height of the centre of mass open is changed.

    Raises
    ------
    GaitError
        `error`, if anything else is asked for, with what would do; or as it is if nothing would.
    """
    s, gait = scenario, scenario.gait
    fixed = not s.plan.follows and s.retime is None
    what = str(error).partition(VAGUE)[0]
    if not (fixed and isinstance(gait, Walking)) or not (OUT in what or TOO_FAST in what):
        raise error
    found = within_reach(gait, feet.robot, feet.thicknesses, feet.edges)
    if found is None:
        raise GaitError(f"{what}{_hopeless(s, feet)}") if is_usual(gait) else error
    change = describe_change(gait.fitted(feet.robot), found)
    if not is_usual(gait):
        raise GaitError(f"{what}; within reach: {change}") from error
    return replace(s, gait=found), f"the usual walk is {what}: {s.robot} walks with {change}"


def _hopeless(s: Scenario, feet: FeetOnSoles) -> str:
    """Return why no walk near the usual one would do."""
    if stands_straight(feet.robot):
        return "; its legs are straight: give an SRDF with bent knees (--srdf)"
    return (
        "; shorter steps, less lift and other heights of the centre of mass leave it out of reach, "
        f"too: look at the ranges of the joints (`sole robot info {s.robot}`)"
    )
