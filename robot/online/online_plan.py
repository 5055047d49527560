"""A plan that goes on from where the feet are.

`OnlinePlan` makes its rows while the robot walks. Controllers read it like a `WalkPlan`; whoever
runs them calls `advance` first, in every period:

1. Early contact: a swing foot that touches before its time stops. Its foothold is measured, later
   ones move by the difference, double support begins; the next foot lifts off when planned.
   A foot that is held back goes over what it met instead (`robot.online.obstacle`).
2. Late contact: a foot that finds no ground goes straight down at `reach_speed`; landing and
   all that follows come later, the centre of mass sinks with the foot. After `wait` it gives up.
3. Adaptation: the next foothold moves by the error of the divergent component of motion xi at
   landing, e exp(omega (t_1 - t)), e = xi - xi_ref relative to the standing foot.
4. Preview control runs on from its present state with what is now known of the ZMP reference.
5. `steer` and `stop` replace the steps to come.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from math import floor
from typing import Any

import numpy as np

from robot.control import Sensed
from robot.gait import GaitError, PlanArrays, WalkPlan, preview_gains
from robot.model import RobotModel
from robot.online.choice import PlanChoice
from robot.online.course import Course
from robot.online.height import aim_height, follow_height
from robot.online.memory import RING, Ring, WalkProgress
from robot.online.rows import PostureRows
from robot.online.stepping import Event, Stepping
from robot.online.timeline import Timeline
from robot.online.zmp_ahead import preview_step, shift_table, write_reference
from sole.base.arrays import BoolArray, FloatArray
from sole.base.constants import GRAVITY

STOOP = 1.0  # s in which a standing robot is lowered or rises
CHUNK = 0.2  # s of reference kept beyond the window of the preview


class OnlinePlan:
    """A walk that follows the contacts; see the top of this file.

    Parameters
    ----------
    robot : the robot with its soles. nominal : the walk as planned: first posture, steps, height,
        dynamics filter. choice : what it heeds. lift : height of a swing foot [m].

    Attributes
    ----------
    timeline : the steps.
    """

    def __init__(
        self, robot: RobotModel, nominal: WalkPlan, choice: PlanChoice, lift: float
    ) -> None:
        self.robot, self.nominal, self.choice, self.lift = robot, nominal, choice, lift
        self.T, self.weight = nominal.dt, robot.mass * GRAVITY
        walk = nominal.schedule.footsteps
        treads = np.array([hold.values for hold in walk.stance.feet])
        self.level = float(nominal.com[0, 2] - treads[:, 2].mean())
        self.gains = preview_gains(self.T, self.level)
        self.table = shift_table(nominal)
        ahead = len(self.gains.G_d) * self.T + CHUNK
        self.course = Course(robot, nominal, lift, ahead + 1.0)
        self.rows = PostureRows(robot, nominal.sole_thickness, self.T)
        self.timeline = Timeline.of(walk)
        self.ring = Ring(robot.model.nq, robot.model.nv)
        columns = len(self.gains.G_d) + 1 + round(CHUNK / self.T)
        self.now = WalkProgress.standing(treads, nominal.com[0], nominal.q_ref[0], columns)
        self.commanded = 0
        self.stepping = Stepping(
            robot, choice, self.now, self.timeline, self.course,
            level=self.level, lift=lift, thickness=self.rows.thickness, T=self.T,
        )  # fmt: skip
        self._past = array("d")
        self._look_ahead(0.0)
        self.rows.fill(self.now, self.ring, (True, True), float(treads[:, 2].mean()))
        for name in Ring.NAMES:  # before its first tick the robot stands
            getattr(self.ring, name)[:] = getattr(self.ring, name)[0]
        self._keep(0.0)

    @property
    def lasting(self) -> bool:
        """Rows are written anew."""
        return False

    @property
    def q_ref(self) -> FloatArray:
        """(RING, nq) the last configurations."""
        return self.ring.read.q

    @property
    def v_ref(self) -> FloatArray:
        """(RING, nv) the last velocities."""
        return self.ring.read.v

    @property
    def a_ref(self) -> FloatArray:
        """(RING, nv) the last accelerations."""
        return self.ring.read_a

    @property
    def feet(self) -> FloatArray:
        """(RING, 2, 4, 4) the last poses of the sole frames."""
        return self.ring.read.feet

    @property
    def supports(self) -> BoolArray:
        """(RING, 2) which feet carried load."""
        return self.ring.read.supports

    @property
    def sole_thickness(self) -> tuple[float, float]:
        """Thickness of the left and the right sole [m]."""
        return self.nominal.sole_thickness

    @property
    def arrays(self) -> PlanArrays:
        """The last rows, for compiled controllers."""
        return self.ring.read

    @property
    def end(self) -> float:
        """End of the walk as it looks now [s]."""
        return self.timeline.end

    @property
    def events(self) -> list[Event]:
        """What happened so far: landings, and whatever changed the walk."""
        return self.stepping.events

    @property
    def past(self) -> FloatArray:
        """(n, 6) time [s], centre of mass (3) and ZMP (2) [m] of every tick so far."""
        return np.array(self._past).reshape(-1, 6)

    def row(self, t: float) -> int:
        """Return where the tick nearest to t [s] stands; only the last few are kept."""
        return max(0, floor(t / self.T + 0.5)) % RING

    def memory(self) -> dict[str, Any]:
        """Return what the plan needs to go on from here, for `np.savez`."""
        kept: dict[str, Any] = {"commanded": np.array(self.commanded)}
        for name, part in self._parts:
            kept |= {f"{name}.{key}": value for key, value in part.arrays().items()}
        return kept

    def restore(self, arrays: Mapping[str, Any]) -> None:
        """Go on from `memory()`, bit for bit; events and past begin anew."""
        for name, part in self._parts:
            part.restore({k[len(name) + 1 :]: v for k, v in arrays.items() if k.startswith(name)})
        self.commanded = int(arrays["commanded"])
        self.stepping.events.clear()
        self._past = array("d")

    def advance(self, sensed: Sensed, t: float) -> None:
        """Make the row of t + T from what was sensed at t [s]; before t = 0 the robot stands."""
        last = floor(t / self.T + 0.5) + 1
        while self.now.row < last:
            self._tick(sensed)

    def steer(self, forward: float = 0.0, sideways: float = 0.0, turn: float = 0.0) -> None:
        """Walk on at these speeds [m/s, m/s, rad/s] from the next step on.

        Raises
        ------
        GaitError
            Such steps are out of reach or cross; the walk goes on as before.
        """
        self.course.ask(self.now.hold, forward, sideways, turn)
        self.course.replace(self.timeline, self.now, self.now.row * self.T)

    def stop(self) -> None:
        """Close the feet with the next step and stand."""
        self.course.stride = None
        self.course.replace(self.timeline, self.now, self.now.row * self.T)

    @property
    def _parts(self) -> tuple[tuple[str, WalkProgress | Ring | Timeline | Course], ...]:
        return (
            ("now", self.now), ("ring", self.ring), ("line", self.timeline), ("course", self.course)
        )  # fmt: skip

    # ---- one tick

    def _tick(self, sensed: Sensed) -> None:
        now, T = self.now, self.T
        now.row += 1
        t = now.row * T
        self._obey(t)
        self.stepping.step(sensed, sensed.wrenches[:, 2] / self.weight, t)
        if now.stale or now.at + len(self.gains.G_d) >= now.reference.shape[1]:
            self._look_ahead(t - T)
        g = self.gains
        preview_step(
            g.A, g.b, g.height / g.gravity, g.G_i, g.G_x, g.G_d, now.reference, now.at,
            now.com, now.moved, now.jerk,
        )  # fmt: skip
        now.at += 1
        if not now.late:  # its height sinks with the foot
            follow_height(now.rise, t, now.height)
        standing = self.stepping.standing()
        carrying = (standing != 1, standing != 0)
        reached = self.rows.fill(now, self.ring, carrying, self.ground(standing))
        if reached == now.stuck:
            now.stuck = not reached
            if now.stuck:
                self.stepping.tell(t, "out of reach", now.foot[0])
        self._keep(t)

    def ground(self, standing: int | None) -> float:
        """Return the height of the ground under the foot that stands alone; None: both [m]."""
        hold = self.now.hold
        return float(hold[:, 2].mean()) if standing is None else float(hold[standing, 2])

    def note(self, past: FloatArray) -> None:
        """Note time, centre of mass and ZMP (n, 6) of ticks that were made elsewhere."""
        self._past.extend(past.ravel().tolist())

    # ---- reference and commands

    def _look_ahead(self, t: float) -> None:
        """Write the reference anew, from t on."""
        now, line = self.now, self.timeline
        write_reference(
            t, self.T, now.origin, now.since, now.single, line.current, now.hold, float(line.final),
            tuple(line.rows), self.table, now.reference,
        )  # fmt: skip
        now.at, now.stale = 0, False

    # ---- velocity commands

    def _obey(self, t: float) -> None:
        """Carry out the commands of the scenario whose time has come."""
        given = self.choice.command
        while self.commanded < len(given) and given[self.commanded].time <= t + 1e-9:
            command = given[self.commanded]
            self.commanded += 1
            if command.stop:
                self.stop()
                if not self.now.single and self.timeline.over:
                    ground = float(self.now.hold[:, 2].min())
                    lowered = self.level + ground - command.lower
                    aim_height(self.now, self.T, t + STOOP, lowered)
            else:
                try:
                    self.steer(command.forward, command.sideways, command.turn)
                except GaitError as error:
                    raise GaitError(f"plan: the command of {command.time:g} s: {error}") from None

    def _keep(self, t: float) -> None:
        k = self.now.row % RING
        self._past.append(t)
        self._past.extend(self.ring.com[k].tolist())
        self._past.extend(self.ring.zmp[k].tolist())
