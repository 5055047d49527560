"""Forces from outside: pushes on the waist, pulls by springs, and the points that these act on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from robot.simulator import Push, RobotState
from robot.walk.scenario import Scenario
from sole.base.arrays import FloatArray
from sole.base.errors import ConfigError

if TYPE_CHECKING:
    import pinocchio as pin


WAIST = "waist"  # a link for pulls, and what pushes act on


def forces_in_step(
    scenario: Scenario, points: PulledPoints, state: RobotState, dt: float
) -> tuple[Push, ...]:
    """Return the forces of pushes and pulls in the step of `dt` from a state on.

    A push is scaled by its share of the step, so the impulse is exact for any start and
    duration. A pull acts in the steps that begin within its time.
    """
    t, pushes = state.time, []
    for p in scenario.push:
        share = round((min(p.start + p.duration, t + dt) - max(p.start, t)) / dt, 9)
        if share > 0:
            wrench = share * np.array([*p.force, 0.0, 0.0, 0.0])
            pushes.append(Push(frame=points.frame(WAIST), wrench=wrench))
    for pull in scenario.pull:
        if pull.acts(t):
            x, v, arm = points.motion(pull.link, pull.point, state.q, state.v)
            f = pull.force(t, x, v)
            wrench = np.concatenate([f, np.cross(arm, f)])
            pushes.append(Push(frame=points.frame(pull.link), wrench=wrench))
    return tuple(pushes)


class PulledPoints:
    """Points of the links of a model; `known` : frames by names of our own, with `WAIST`."""

    def __init__(self, model: pin.Model, known: dict[str, int]) -> None:
        self.model, self.known, self.data = model, known, model.createData()

    def frame(self, link: str) -> int:
        """Return the frame of a link.

        Raises
        ------
        ConfigError
            The model has no such joint or frame.
        """
        import pinocchio as pin

        if link in self.known:
            return self.known[link]
        if self.model.existJointName(link):
            found = int(self.model.getFrameId(link, pin.FrameType.JOINT))
        elif self.model.existFrame(link):
            found = int(self.model.getFrameId(link))
        else:
            names = ", ".join([*self.known, *list(self.model.names)[1:]])
            raise ConfigError(f"pull: the robot has no link '{link}'; known are {names}")
        self.known[link] = found
        return found

    def motion(
        self, link: str, point: Sequence[float], q: FloatArray, v: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return place and velocity (3,) of a point of a link, and its arm (3,) in world axes."""
        import pinocchio as pin

        frame = self.frame(link)
        pin.forwardKinematics(self.model, self.data, q, v)
        pose = pin.updateFramePlacement(self.model, self.data, frame)
        twist: Any = pin.getFrameVelocity(self.model, self.data, frame, pin.LOCAL_WORLD_ALIGNED)
        arm = pose.rotation @ np.array(point, dtype=float)
        return pose.translation + arm, twist.linear + np.cross(twist.angular, arm), arm

    def mass(self, link: str, point: Sequence[float], q: FloatArray) -> float:
        """Return the least effective mass of a point, 1/max eig(J M^-1 J') [kg]."""
        import pinocchio as pin

        frame = self.frame(link)
        M = pin.crba(self.model, self.data, q, pin.Convention.WORLD)
        M = np.triu(M) + np.triu(M, 1).T
        J = pin.computeFrameJacobian(self.model, self.data, q, frame, pin.LOCAL_WORLD_ALIGNED)
        arm = self.data.oMf[frame].rotation @ np.array(point, dtype=float)
        J = J[:3] - pin.skew(arm) @ J[3:]
        return float(1.0 / np.linalg.eigvalsh(J @ np.linalg.solve(M, J.T)).max())
