"""The drives of a robot's joints: ideal servos or a cascade of sampled loops, and their stops."""

from __future__ import annotations

import numpy as np

from robot.model import RobotModel
from robot.simulator import JointCascade, Servo, Stops
from robot.walk.scenario import Scenario
from sole.base.errors import ConfigError


def servo_of(scenario: Scenario, robot: RobotModel) -> Servo:
    """Return the servos of all joints."""
    n, c = len(robot.joints), scenario.control
    return Servo(kp=np.full(n, c.kp), kd=np.full(n, c.kd), limits=robot.torque)


def cascade_of(scenario: Scenario, robot: RobotModel) -> JointCascade | None:
    """Return the drives of the joints, or None if they are ideal servos."""
    c = scenario.control.cascade
    if not c.on:
        return None
    if scenario.shorter > 1:
        raise ConfigError("control.cascade: its loops need equal steps: leave out landing_dt")
    fastest = robot.velocity if c.limits else np.full(len(robot.joints), np.inf)
    return JointCascade(
        servo_of(scenario, robot), fastest, scenario.dt, time=c.time, K_i=c.K_i, delay=c.delay
    )


def stops_of(scenario: Scenario, robot: RobotModel) -> Stops | None:
    """Return the joint stops, or None if the scenario disables them."""
    s = scenario.stops
    if not s.on:
        return None
    return Stops(lower=robot.lower, upper=robot.upper, stiffness=s.stiffness, damping=s.damping)
