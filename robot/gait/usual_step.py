"""The step that a gait takes unless it says otherwise: it follows from the legs.

Legs whose hips are h over the soles in the robot's posture take steps that are dynamically similar
[Alexander1989] to those of legs of h0 = `HIPS`: lengths go with s = h/h0, times with sqrt(s), so
that the speed over sqrt(g h) is the same. Legs longer than h0 take the steps of h0. A foot whose
roll follows its leg tilts as the hips sway, by less the quicker the steps: they take half the time.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from robot.gait.footsteps import STEP_LENGTH, Timing
from robot.gait.swing import Swing
from robot.model import RobotModel, free_axes_of

HIPS = 0.6  # m: height of the hips from which on the step is the longest
ROLL, QUICK = 0, 0.5  # axis of a foot that tilts with the hips; share of the time of its steps


class UsualStep(NamedTuple):
    """Length and height of a step [m], durations of single and double support [s]."""

    forward: float = STEP_LENGTH
    lift: float = Swing.lift
    single: float = Timing.single
    double: float = Timing.double


def usual_step(robot: RobotModel) -> UsualStep:
    """Return the step that follows from the legs of a robot, to whole millimetres and 10 ms."""
    whole, s = UsualStep(), min(1.0, robot.hips_over_soles / HIPS)
    tilting = any(ROLL in axes for axes in free_axes_of(robot))
    if s <= 0.0 or (s == 1.0 and not tilting):  # hips under the soles: planning says what is wrong
        return whole
    share = sqrt(s) * (QUICK if tilting else 1.0)
    lengths = (max(round(s * x, 3), 1e-3) for x in (whole.forward, whole.lift))
    times = (max(round(share * x, 2), 1e-2) for x in (whole.single, whole.double))
    return UsualStep(*lengths, *times)


def describe_usual(robot: RobotModel) -> str:
    """Return the usual step of a robot in words; "" if it is that of long legs."""
    step = usual_step(robot)
    if step == UsualStep():
        return ""
    return (
        f"the usual step follows from hips {robot.hips_over_soles:.2g} m high: "
        f"{1e3 * step.forward:.0f} mm long, {1e3 * step.lift:.0f} mm high, {step.single:g} s on one"
        f" foot and {step.double:g} s on both"
    )
