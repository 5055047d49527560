"""Single support: a foot lifts off, swings, and lands when a contact or its time says so.

touches early     it stops there: double support begins, the next lift-off keeps its time
meets something   in its way: once a step it goes over it instead (`robot.online.obstacle`)
touches in time   it has landed as planned
does not touch    from `GRACE` on it reaches down, from `SLACK` on all that follows waits
"""

from __future__ import annotations

from math import cos, sin, sqrt
from typing import NamedTuple

import numpy as np

from robot.control import Sensed
from robot.gait import bump_height, travel
from robot.model import RobotModel
from robot.online import obstacle, partial
from robot.online.adaptation import STEADY, adapt_goal, fallen_way
from robot.online.choice import PlanChoice
from robot.online.course import Course
from robot.online.height import aim_height, sink
from robot.online.memory import WalkProgress
from robot.online.swing_now import BLEND, reach_down, stop_foot, swing_foot
from robot.online.thresholds import CONFIRM, EARLY, FREE, LOADED, SURELY
from robot.online.timeline import NONE, Timeline
from robot.tree import tree_of, tree_sheet
from sole.base.arrays import FloatArray
from sole.base.compiled import packed
from sole.base.constants import GRAVITY

GRACE = 0.01  # s after its time until a foot reaches for the ground
SLACK = 0.02  # s by which it may be late without a change of the rhythm
AHEAD = 0.03  # s: a late foot is expected to touch this much later
LEAST = 0.1  # s of double support after an early or late contact
LEVEL = 6e-3  # m: ground higher or lower by less is as planned
LEAD = 0.05  # s: an earlier contact on level ground moves the later footholds
SETTLE, RAISE = 0.4, 0.6  # s in which the height follows a contact, goes to rest
RENEW = 5e-3  # s between two previews while a foot is late


class Event(NamedTuple):
    """Something that changed the walk: time [s], kind, step (from 0), x, y, z of the tread [m].

    The place is measured, but for "met", where it is commanded.
    """

    time: float
    kind: str
    step: int
    place: tuple[float, float, float]


class Stepping:
    """Moves the feet of a walk and its timeline.

    Parameters
    ----------
    robot : the robot. choice : what is heeded. now, line, course : of the walk, changed in place.
    level : height of the centre of mass over the ground [m]. lift : of a swing foot [m].
    thickness : (2,) of the soles [m]. T : time between ticks [s].
    """

    def __init__(
        self,
        robot: RobotModel,
        choice: PlanChoice,
        now: WalkProgress,
        line: Timeline,
        course: Course,
        *,
        level: float,
        lift: float,
        thickness: FloatArray,
        T: float,
    ) -> None:
        import pinocchio as pin

        self.robot, self.choice, self.now, self.line, self.course = robot, choice, now, line, course
        self.level, self.lift, self.thickness, self.T = level, lift, thickness, T
        self.omega = sqrt(GRAVITY / level)
        self.data = robot.model.createData()
        pin.computeSubtreeMasses(robot.model, self.data)
        below = [self.data.mass[foot.joint] for foot in robot.feet]
        self.below = np.array(below) / robot.mass  # the ankles
        self.frames = [foot.frame for foot in robot.feet]
        self.tree = packed(tree_of(robot.model))
        self.links = np.zeros(tree_sheet(robot.model.njoints, robot.model.nv).size)
        known = [robot.model.frames[frame] for frame in self.frames]
        self.carriers = [frame.parentJoint for frame in known]
        self.placements = [np.array(frame.placement.homogeneous, order="C") for frame in known]
        self.events: list[Event] = []

    def step(self, sensed: Sensed, loads: FloatArray, t: float) -> None:
        """Move the feet to t [s]; loads (2,) are shares of the weight."""
        now, line = self.now, self.line
        now.loaded = np.where(loads > LOADED + self._swung(), now.loaded + 1, 0)
        if not now.single and not line.over and t >= line.rows.start[line.current] - SURELY:
            self.lift_off()
        if now.single and self.watch(sensed, loads, t):
            now.stale = True
        if self.choice.partial and not now.single and t < now.landed + partial.WATCHED:
            self._feel(sensed, loads, t)
        if now.single:
            self.swing(sensed, t)
        for foot in range(2):
            u = t - float(now.stopped_at[foot])
            if u == u and stop_foot(
                u, now.stopped[foot], now.foot[foot], now.foot_v[foot], now.foot_a[foot]
            ):
                now.stopped_at[foot] = np.nan

    def _swung(self) -> FloatArray:
        """Return (2,) the loads that a foot's own acceleration may make an ankle sensor read.

        Only a foot that goes over something is so fast that it would count as touching.
        """
        loads, now = np.zeros(2), self.now
        if now.single and now.over_at == self.line.current:
            foot = int(self.line.rows.foot[now.over_at])
            loads[foot] = self.below[foot] * abs(float(now.foot_a[foot, 2])) / GRAVITY
        return loads

    def standing(self) -> int | None:
        """Return the foot that carries alone; None: both."""
        if not self.now.single:
            return None
        return 1 - int(self.line.rows.foot[self.line.current])

    def lift_off(self) -> None:
        """Begin the swing of the current step."""
        now, line = self.now, self.line
        i = line.current
        foot, there = int(line.rows.foot[i]), line.rows.place[i]
        self._swing_from_here(foot, float(line.rows.start[i]))
        now.goal = there.copy()
        lift = float(line.lift[i])
        rise = float(there[2] - now.lift_off[2])
        now.bump[0] = bump_height(rise, lift if lift == lift else self.lift)
        climb = rise if abs(rise) > LEVEL else 0.0
        now.window[:] = travel(climb, float(now.bump[0]), self.choice.arrive)
        lower = min(float(now.hold[1 - foot, 2]), float(there[2]))
        aim_height(now, self.T, float(line.rows.end[i]), self.level + lower)

    def _swing_from_here(self, foot: int, t: float) -> None:
        now = self.now
        now.swung = t
        now.single, now.late, now.lifted, now.waited = True, False, False, 0.0
        now.reach = now.reach_rate = 0.0
        now.stopped_at[foot] = np.nan
        now.lift_off = now.foot[foot].copy()
        now.goal_rates[:] = 0.0

    def _feel(self, sensed: Sensed, loads: FloatArray, t: float) -> None:
        """Let a foot that has landed on a strip step again: `robot.online.partial`."""
        now, line = self.now, self.line
        i = line.current - 1
        foot = int(line.rows.foot[i])
        if loads[foot] < partial.LEAST_LOAD:
            return
        half = float(self.robot.feet[foot].half_size[0])
        off = partial.way_off(
            sensed.wrenches[foot], float(self.thickness[foot]), half, 2 * partial.STRIP * half
        )
        now.strip = now.strip + 1 if off and now.strip >= 0 else -1  # -1: more than a strip
        higher = float(now.hold[foot, 2] - now.goal[2]) > LEVEL
        if (
            now.strip * self.T < partial.SURE - SURELY
            or (off < 0 and not higher)
            or now.again_at >= i - 1
        ):
            return
        now.again_at = i
        if off > 0 and now.over_at == i:  # its heel is up there
            now.goal[2] = now.hold[foot, 2]
        yaw = float(now.goal[3])
        way = np.array([off * cos(yaw), off * sin(yaw), 0.0])
        if off > 0:  # the robot falls on while the foot goes on
            far, stands = self._fallen(sensed, 1 - foot), self.robot.feet[1 - foot]
            way = partial.grown_way(far, yaw, foot, stands.half_size, self.omega, off)
        line.current = i
        line.move(i + 1, way - now.change)
        line.level(i + 1, float(now.goal[2]))
        now.goal[:3] += way
        line.rows.place[i] = now.goal
        line.rows.start[i], line.rows.end[i], line.rows.like[i] = t, t + partial.AGAIN, NONE
        line.begin_after(i + 1, t + partial.AGAIN + LEAST)
        self._swing_from_here(foot, t)
        now.bump[0], now.window[:] = partial.BUMP, partial.WINDOW
        lower = min(float(now.hold[1 - foot, 2]), float(now.goal[2]))
        aim_height(now, self.T, t + partial.AGAIN, self.level + lower)
        now.stale = True
        self.tell(t, "again", now.goal, i)

    def watch(self, sensed: Sensed, loads: FloatArray, t: float) -> bool:
        """Heed the switch of the swing foot; return whether the timeline changed."""
        now, line, choice, T = self.now, self.line, self.choice, self.T
        i = line.current
        foot, t0, t1 = int(line.rows.foot[i]), float(line.rows.start[i]), float(line.rows.end[i])
        share = (t - t0) / (t1 - t0)
        if loads[foot] < FREE and share > 0.1:
            now.lifted = True
        touches = now.loaded[foot] * T >= CONFIRM - SURELY
        due = t >= t1 - SURELY
        if now.lifted and not now.late and self._steps_over(sensed, t, t1 - t):
            return False
        if touches and now.lifted and (now.late or due or (choice.early and share > EARLY)):
            self._land(sensed, t)
            return True
        if now.late:
            now.waited += T
            if t > now.due + SLACK:
                line.delay(i, t + AHEAD - t1)
            if now.waited >= choice.wait:
                self._land(sensed, t, gave_up=True)
                return True
            again = int(now.waited / RENEW) != int((now.waited - T) / RENEW)
            return again and t > now.due + SLACK
        if not due:
            return False
        if touches or not choice.late:
            self._land(sensed, t)
            return True
        if t >= t1 + GRACE - SURELY:
            now.late, now.due = True, t1
        return False

    def _steps_over(self, sensed: Sensed, t: float, left: float) -> bool:
        """Begin a swing over what the foot has met, `left` [s] before its time; whether it has."""
        now, line, choice = self.now, self.line, self.choice
        i = line.current
        if not (choice.early and choice.step_over) or i in (now.over_at, now.again_at):
            return False
        foot = int(line.rows.foot[i])
        here, shaken = now.foot[foot], float(np.linalg.norm(now.foot_a[foot, :3])) / GRAVITY
        least = (LOADED + 2.0 * self.below[foot] * shaken) * self.robot.mass * GRAVITY
        if left < obstacle.LEFT or not obstacle.is_in_the_way(
            sensed.wrenches[foot], here, now.goal, least
        ):
            return False
        now.over_at, now.swung, now.lifted = i, t, False
        now.lift_off = here.copy()
        now.goal_rates[:] = 0.0
        now.goal[2] = max(float(now.goal[2]), float(here[2]) + obstacle.HIGHER)
        now.bump[0], now.window[:] = max(float(now.bump[0]), obstacle.BUMP), obstacle.WINDOW
        self.tell(t, "met", here, i)
        return True

    def swing(self, sensed: Sensed, t: float) -> None:
        """Move the foot in the air to t [s]."""
        now, line = self.now, self.line
        i = line.current
        foot, t0, t1 = int(line.rows.foot[i]), float(line.rows.start[i]), float(line.rows.end[i])
        p, v, a = now.foot[foot], now.foot_v[foot], now.foot_a[foot]
        if now.late:
            hoped = float(now.goal[2] - line.rows.place[i, 2])  # to step on
            deepest = self.choice.reach_depth + max(hoped, 0.0)
            reach_down(now, deepest, self.choice.reach_speed, self.T, p, v, a)
            sink(now, self.T, self.level + min(float(p[2]), float(now.hold[1 - foot, 2])))
            return
        share = (t - t0) / (t1 - t0)
        if self.choice.adapt and share < STEADY:
            adapt_goal(
                foot, line.rows.place[i], now.foot[1 - foot], now.com,
                self._fallen(sensed, 1 - foot), self.omega, self.choice.adapt, t1 - t, self.T,
                now.goal, now.goal_rates,
            )  # fmt: skip
        elif now.goal_rates.any():
            now.goal_rates[:] = 0.0
        lasts = t1 - now.swung
        swing_foot(
            (t - now.swung) / lasts, lasts, now.lift_off, now.goal, now.goal_rates, now.window,
            float(now.bump[0]), p, v, a,
        )  # fmt: skip

    def _fallen(self, sensed: Sensed, stands: int) -> FloatArray:
        far = np.empty(2)
        fallen_way(
            self.tree, self.links, self.carriers[stands], self.placements[stands],
            sensed.q.copy(), sensed.v.copy(), self.omega, far,
        )  # fmt: skip
        return far

    def _land(self, sensed: Sensed, t: float, *, gave_up: bool = False) -> None:
        """End the swing where the foot is now."""
        import pinocchio as pin

        now, line, model, data = self.now, self.line, self.robot.model, self.data
        i = line.current
        foot = int(line.rows.foot[i])
        stands, lead = 1 - foot, float(line.rows.end[i]) - t
        early = not now.late and lead > 2 * self.T
        pin.forwardKinematics(model, data, sensed.q)
        there, here = (
            pin.updateFramePlacement(model, data, self.frames[k]).translation.copy()
            for k in (foot, stands)
        )
        measured = now.hold[foot].copy()
        measured[:3] = there - here + now.hold[stands, :3]
        measured[2] -= self.thickness[foot] - self.thickness[stands]
        measured[3] = now.foot[foot, 3]
        now.goal[2] = line.rows.place[i, 2]  # a foot that went over something hoped for more
        level = abs(float(measured[2] - now.goal[2])) < LEVEL
        if level:
            measured[2] = now.goal[2]
        if level and not (early and lead > LEAD):
            measured[:2] = now.goal[:2]
        elif early:
            measured[:2] += now.foot_v[foot, :2] * BLEND / 2  # until it has stopped
        late = now.late and t > now.due + SLACK
        sooner = early and not (level and lead <= LEAD)
        unplanned = late or sooner or (now.over_at == i and not level)
        kind = "gave up" if gave_up else "late" if late else "early" if sooner else "landed"
        change = measured[:3] - now.goal[:3]
        now.landed, now.strip, now.change = t, 0, np.zeros(3)
        now.stopped[foot, 0], now.stopped[foot, 1] = now.foot[foot], now.foot_v[foot]
        now.stopped_at[foot] = t
        now.hold[foot] = measured
        now.origin, now.since = now.hold[stands, :2].copy(), t
        if late:  # what follows was moved ahead of the contact
            line.shift(i + 1, t - SLACK - float(line.rows.end[i]))
        line.end_now(i, t)
        line.rows.place[i] = measured
        if unplanned:
            now.change[:2] = change[:2]
            line.move(i + 1, now.change)
            line.level(i + 1, float(measured[2]))
        line.begin_after(i + 1, t + LEAST - SLACK)
        now.single = now.late = False
        self.tell(t, kind, measured, i)
        self.course.extend(line, now, t)
        until = t + RAISE if line.over else float(line.rows.end[line.current])
        aim_height(
            now, self.T, until if level else t + SETTLE, self.level + float(now.hold[:, 2].min())
        )

    def tell(self, t: float, kind: str, place: FloatArray, step: int | None = None) -> None:
        """Note an event."""
        x, y, z = (round(float(x), 6) for x in place[:3])
        number = self.line.current if step is None else step
        self.events.append(Event(round(t, 9), kind, number, (x, y, z)))
