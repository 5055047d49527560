"""Time laws of paths: a motion q(s) with s(t) becomes a plan.

    q = q(s),    v = V s',    a = V s'' + V' s'^2,        V = dq/ds, V' = dV/ds.

A path is one through postures (`robot.gait.postures`) or a ready plan, whose s is its time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from robot.gait.assembled_plan import assemble_plan
from robot.gait.com import GaitMotion
from robot.gait.schedule import Schedule
from robot.gait.swing import rest_to_rest
from robot.gait.walk_plan import WalkPlan
from robot.model import RobotModel
from sole.base.arrays import FloatArray, frozen

Law = Callable[[float], float]


class BodyPath(Protocol):
    """A motion without times: s in [0, `end`]; `kinks` (m,) are places where V' may jump."""

    @property
    def robot(self) -> RobotModel:
        """The robot."""

    @property
    def end(self) -> float:
        """The last s."""

    @property
    def thickness(self) -> tuple[float, float]:
        """Thickness of the left and the right sole [m]."""

    @property
    def kinks(self) -> FloatArray:
        """Places (m,) that a grid should contain."""

    @property
    def end_rate(self) -> float:
        """ds/dt at both ends [1/s]: 0 for a path that starts and ends at rest."""

    def motion(self, s: FloatArray) -> GaitMotion:
        """Return q (N, nq), V = dq/ds (N, nv) and V' (N, nv) at s (N,)."""

    def schedule(self, law: Law) -> Schedule:
        """Return the support phases if place s is passed at time law(s) [s]."""

    def where(self, s: float) -> str:
        """Return in words where a place is."""


@dataclass(frozen=True, eq=False)
class PlanPath:
    """A ready plan as a path: s is the plan's time [s]."""

    robot: RobotModel
    plan: WalkPlan

    @property
    def end(self) -> float:
        """The plan's last tick [s]."""
        return self.plan.end

    @property
    def thickness(self) -> tuple[float, float]:
        """Thickness of the left and the right sole [m]."""
        return self.plan.sole_thickness

    @property
    def end_rate(self) -> float:
        """1: at its ends the robot stands, and time goes on."""
        return 1.0

    @property
    def kinks(self) -> FloatArray:
        """Where support phases change."""
        return np.minimum(self.plan.schedule.edges, self.end)

    def motion(self, s: FloatArray) -> GaitMotion:
        """Return q, V, V' between ticks by Taylor's series from the nearest one."""
        import pinocchio as pin

        plan, model = self.plan, self.robot.model
        s = np.clip(s, 0.0, self.end)
        k = np.clip(np.rint(s / plan.dt).astype(int), 0, len(plan.times) - 1)
        ahead = (s - plan.times[k])[:, None]
        v, a = plan.v_ref[k], plan.a_ref[k]
        moved = ahead * v + ahead**2 / 2 * a
        q = plan.q_ref[k].copy()
        for i in np.flatnonzero(ahead[:, 0]):
            q[i] = pin.integrate(model, q[i], moved[i])
        other = np.clip(k + np.where(ahead[:, 0] >= 0, 1, -1), 0, len(plan.times) - 1)
        share = np.abs(ahead) / plan.dt
        return q, v + ahead * a, a + share * (plan.a_ref[other] - a)

    def schedule(self, law: Law) -> Schedule:
        """Return the plan's phases at other times."""
        walk = self.plan.schedule.footsteps
        steps = []
        for step in walk.steps:
            start, end = law(step.start), law(step.end)
            steps.append(replace(step, start=start, duration=end - start))
        landed = steps[-1].end if steps else 0.0
        walk = replace(walk, steps=tuple(steps), final=law(self.end) - landed)
        edges = frozen([law(float(s)) for s in self.kinks])
        return Schedule(walk, edges, self.plan.schedule.carrying)

    def where(self, s: float) -> str:
        """Return in words where a place is."""
        from robot.gait.plan_checks import when

        if not self.plan.schedule.footsteps.steps:
            return f"at {s:.3g} s of the plan"
        return f"{when(self.plan.schedule, s)}, at {s:.3g} s of the plan"


def plan_along(
    path: BodyPath,
    law: Law,
    times: FloatArray,
    s: FloatArray,
    rate: FloatArray,
    bend: FloatArray,
) -> WalkPlan:
    """Return the plan of a path with s, s', s'' (N,) at the `times` (N,), equally spaced [s].

    law(s) is the time at which place s is passed; it gives the support phases.
    """
    import pinocchio as pin

    robot, model = path.robot, path.robot.model
    data = model.createData()
    q, V, W = path.motion(s)
    v = V * rate[:, None]
    a = V * bend[:, None] + W * rate[:, None] ** 2
    N, schedule = len(times), path.schedule(law)
    com, feet = np.empty((3, N, 3)), np.zeros((N, 2, 4, 4))
    for k in range(N):
        pin.centerOfMass(model, data, q[k], v[k], a[k])
        com[:, k] = data.com[0], data.vcom[0], data.acom[0]
        for i, foot in enumerate(robot.feet):
            feet[k, i] = pin.updateFramePlacement(model, data, foot.frame).homogeneous
    supports = schedule.supports(times)
    heights = feet[:, :, 2, 3] - np.array(path.thickness)
    ground = (heights * supports).sum(axis=1) / supports.sum(axis=1)
    return assemble_plan(
        robot,
        schedule,
        path.thickness,
        times,
        (q, v, a),
        (com[0], com[1], com[2]),
        feet=feet,
        ground=ground,
    )


def rest_to_rest_plan(
    path: BodyPath, duration: float, before: float, after: float, dt: float
) -> WalkPlan:
    """Return the plan that runs a path in `duration` [s] from rest to rest, s = r(t/duration).

    r is that of `robot.gait.swing`; `before` and `after` the robot stands [s].
    """
    count = int(np.ceil((before + duration + after) / dt - 1e-9)) + 1
    times = np.asarray(np.arange(count) * dt, dtype=float)
    s, rate, bend = rest_to_rest(np.clip((times - before) / duration, 0.0, 1.0))
    whole = float(times[-1])
    return plan_along(
        path,
        lambda place: whole * place / path.end,
        times,
        path.end * s,
        path.end * rate / duration,
        path.end * bend / duration**2,
    )
