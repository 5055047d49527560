"""The controller of a scenario, and what it knows of the floating base."""

from __future__ import annotations

import numpy as np

from contact.ground import Ground
from robot.control import Controller, Follower, ForceControl, SoleAware, Stabiliser, YawLaw
from robot.gait import MotionPlan
from robot.sensing import Estimator, pads_of
from robot.soles import FeetOnSoles
from robot.walk.scenario import Scenario
from sole.base.arrays import FloatArray
from sole.base.errors import ConfigError

CURVED = ("bump", "bar", "gravel", "heightfield")  # grounds that a tread does not lie on flat


def controller_of(
    scenario: Scenario, feet: FeetOnSoles, plan: MotionPlan, ground: Ground
) -> Controller:
    """Return the controller that turns the plan into commands for the servos."""
    control, bush, stiffness = scenario.control, scenario.bush, feet.stiffness
    if control.kind == "pd":
        return Follower(plan, control.period)
    if control.kind == "force":
        pads = pads_of(feet)
        return ForceControl(
            feet,
            plan,
            choice=control.force,
            pads=(pads.sides, pads.nodes),
            period=control.period,
        )
    if control.kind == "sole-aware":
        return sole_aware_of(scenario, feet, plan, ground)
    if bush is not None:
        stiffness = bush.in_series(stiffness, feet.thicknesses)
    stabiliser = Stabiliser(
        feet.robot,
        plan,
        stiffness=stiffness,
        thickness=feet.thicknesses,
        edges=feet.edges,
        period=control.period,
    )
    if control.yaw == "plan":
        return stabiliser
    return YawLaw(stabiliser, friction=scenario.sole.friction, edges=feet.edges)


def estimator_of(scenario: Scenario, feet: FeetOnSoles, q: FloatArray) -> Estimator:
    """Return the estimator; that of sole-aware control knows how far the soles yield."""
    control, choice = scenario.control, scenario.control.sole_aware
    if control.kind != "sole-aware" or choice.model != "sole":
        return Estimator(feet.robot, q, control.period)
    compliance = [np.linalg.inv(choice.assumed * sole.foot_stiffness) for sole in feet.soles]
    h = np.array(feet.thicknesses)
    return Estimator(feet.robot, q, control.period, np.stack(compliance), h, scenario.sole.eta)


def sole_aware_of(
    scenario: Scenario, feet: FeetOnSoles, plan: MotionPlan, ground: Ground
) -> SoleAware:
    """Return sole-aware control.

    Raises
    ------
    ConfigError
        The ground is not flat under a foot, so that K6 of the nodes in contact does not hold; or
        the feet are on bushes.
    """
    s, choice = scenario, scenario.control.sole_aware
    kinds = [part.kind for part in getattr(ground, "parts", (ground,))]  # of a scene
    curved = [kind for kind in kinds if kind in CURVED]
    if choice.model == "sole" and curved:
        raise ConfigError(
            f"control: sole-aware control knows its soles on flat ground only, got {curved[0]!r}:"
            ' use a plane, slope, step or stairs, [control.sole_aware] model = "rigid", or kind = '
            '"stabiliser"'
        )
    if s.bush is not None:
        raise ConfigError(
            "control: sole-aware control has no bushes in its dynamics: remove [bush], or use kind "
            '= "stabiliser"'
        )
    return SoleAware(
        feet,
        plan,
        choice=choice,
        friction=s.sole.friction,
        eta=s.sole.eta,
        damping=s.control.kd,
        exact=s.sensing.kind == "true",
        delay=s.sensing.noise.delay,
        period=s.control.period,
    )
