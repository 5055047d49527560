"""A plan that goes on from where the feet are.

`OnlinePlan` makes its rows while the robot walks. Controllers read it like a `WalkPlan`; whoever
runs them calls `advance` first, in every period:

1. Early contact: a swing foot that touches before its time stops. Its foothold is measured, later
   ones move by the difference, double support begins; the next foot lifts off when planned.
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
from math import exp, floor, sqrt
from typing import Any, NamedTuple

import numpy as np

from robot.control import Sensed
from robot.gait import (
    Foothold,
    PlanArrays,
    Stance,
    Timing,
    WalkPlan,
    bump_height,
    foot_size_of,
    preview_gains,
    travel,
)
from robot.model import RobotModel
from robot.online.choice import PlanChoice
from robot.online.memory import RING, Ring, WalkProgress
from robot.online.rows import PostureRows
from robot.online.steering import Rhythm, Stride
from robot.online.swing_now import BLEND, stop_foot, swing_foot
from robot.online.timeline import NONE, Timeline
from robot.online.zmp_ahead import preview_step, shift_table, write_reference
from sole.base.arrays import BoolArray, FloatArray
from sole.base.constants import GRAVITY

LOADED, FREE = 0.03, 0.015  # shares of the weight: a foot touches above, is free of load below
CONFIRM = 1e-3  # s for which a foot must be loaded
EARLY = 0.35  # share of a swing after which a contact ends it
GRACE = 0.01  # s after its time until a foot reaches for the ground
SLACK = 0.02  # s by which it may be late without a change of the rhythm
AHEAD = 0.03  # s: a late foot is expected to touch this much later
LEAST = 0.1  # s of double support after an early or late contact
LEVEL = 6e-3  # m: ground higher or lower by less is as planned
LEAD = 0.05  # s: an earlier contact on level ground moves the later footholds
SINK, FALLS = 12.0, 4.0  # 1/s and m/s^2 with which the height follows a late foot
SETTLE, RAISE, SHORTEST = 0.4, 0.6, 0.1  # s in which it follows a contact, goes to rest; at least
SAME = 2e-3  # m: heights that differ by less are the same aim
REACH_ACCELERATION = 12.0  # m/s^2 of a late foot
AGAIN = 5e-3  # s between two previews while a foot is late
STEADY, ADAPTED = 0.85, 0.5  # share of a swing after which, and speed [m/s] at which, it adapts
DEAD, MOST, INWARDS = 0.01, 0.1, 0.03  # m: smallest, largest adaptation; largest to the other foot
FOLLOW = 25.0  # 1/s of the adapted foothold
CHUNK = 0.2  # s of reference kept beyond the window of the preview


class Event(NamedTuple):
    """Something that changed the walk: time [s], kind, step (from 0), measured x, y, z [m]."""

    time: float
    kind: str
    step: int
    place: tuple[float, float, float]


class OnlinePlan:
    """A walk that follows the contacts; see the top of this file.

    Parameters
    ----------
    robot : the robot with its soles. nominal : the walk as planned: first posture, steps, height,
        dynamics filter. choice : what it heeds. lift : height of a swing foot [m].

    Attributes
    ----------
    timeline : the steps. events : what changed them. past : (n, 6) every tick's time, centre of
        mass and ZMP so far.
    """

    def __init__(
        self, robot: RobotModel, nominal: WalkPlan, choice: PlanChoice, lift: float
    ) -> None:
        self.robot, self.nominal, self.choice, self.lift = robot, nominal, choice, lift
        self.T, self.weight = nominal.dt, robot.mass * GRAVITY
        walk = nominal.schedule.footsteps
        treads = np.array([hold.values for hold in walk.stance.feet])
        self.level = float(nominal.com[0, 2] - treads[:, 2].mean())
        self.omega = sqrt(GRAVITY / self.level)
        self.gains = preview_gains(self.T, self.level)
        self.table = shift_table(nominal)
        self.rhythm = _rhythm_of(robot, nominal, lift)
        self.rows = PostureRows(robot, nominal.sole_thickness, self.T)
        self.data = robot.model.createData()
        self.frames = [foot.frame for foot in robot.feet]
        self.timeline = Timeline.of(walk)
        self.ring = Ring(robot.model.nq, robot.model.nv)
        columns = len(self.gains.G_d) + 1 + round(CHUNK / self.T)
        self.now = WalkProgress.standing(treads, nominal.com[0], nominal.q_ref[0], columns)
        self.stride: Stride | None = None
        self.last_stride = Stride()
        self.commanded = 0
        self.events: list[Event] = []
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
    def past(self) -> FloatArray:
        """(n, 6) time [s], centre of mass (3) and ZMP (2) [m] of every tick so far."""
        return np.array(self._past).reshape(-1, 6)

    def row(self, t: float) -> int:
        """Return where the tick nearest to t [s] stands; only the last few are kept."""
        return max(0, floor(t / self.T + 0.5)) % RING

    def memory(self) -> dict[str, Any]:
        """Return what the plan needs to go on from here, for `np.savez`."""
        kept: dict[str, Any] = {}
        for name, part in (("now", self.now), ("ring", self.ring), ("timeline", self.timeline)):
            kept |= {f"{name}.{key}": value for key, value in part.arrays().items()}
        stride = np.full(3, np.nan) if self.stride is None else np.array(self.stride)
        kept["strides"] = np.stack([stride, np.array(self.last_stride)])
        kept["commanded"] = np.array(self.commanded)
        return kept

    def restore(self, arrays: Mapping[str, Any]) -> None:
        """Go on from `memory()`, bit for bit; events and past begin anew."""
        for name, part in (("now", self.now), ("ring", self.ring), ("timeline", self.timeline)):
            part.restore({k[len(name) + 1 :]: v for k, v in arrays.items() if k.startswith(name)})
        wished, last = np.array(arrays["strides"])
        self.stride = None if np.isnan(wished[0]) else Stride(*wished.tolist())
        self.last_stride, self.commanded = Stride(*last.tolist()), int(arrays["commanded"])
        self.events, self._past = [], array("d")

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
        wished = self.rhythm.stride_of(forward, sideways, turn)
        stance = Stance(*(Foothold(*h.tolist()) for h in self.now.hold))
        for foot in (0, 1, 0):  # refuse before anything is changed
            step = self.rhythm.step(stance, foot, 1.0, wished)
            stance = stance.with_foot(step.side, step.foothold)
        self.stride = wished
        self._resteer()

    def stop(self) -> None:
        """Close the feet with the next step and stand."""
        self.stride = None
        self._resteer(closing=True)

    # ---- one tick

    def _tick(self, sensed: Sensed) -> None:
        now, line, T = self.now, self.timeline, self.T
        now.row += 1
        t = now.row * T
        self._obey(t)
        loads = sensed.wrenches[:, 2] / self.weight
        now.loaded = np.where(loads > LOADED, now.loaded + 1, 0)
        if not now.single and not line.over and t >= line.rows.start[line.current] - 1e-9:
            self._lift_off(t)
        if now.single and self._watch(sensed, loads, t):
            now.stale = True
        if now.single:
            self._swing(sensed, t)
        for foot in range(2):
            if now.stopped_at[foot] == now.stopped_at[foot]:
                u = t - float(now.stopped_at[foot])
                if stop_foot(
                    u, now.stopped[foot], now.foot[foot], now.foot_v[foot], now.foot_a[foot]
                ):
                    now.stopped_at[foot] = np.nan
        if now.stale or now.at + len(self.gains.G_d) >= now.reference.shape[1]:
            self._look_ahead(t - T)
        g = self.gains
        preview_step(
            g.A, g.b, g.height / g.gravity, g.G_i, g.G_x, g.G_d, now.reference, now.at,
            now.com, now.moved, now.jerk,
        )  # fmt: skip
        now.at += 1
        self._follow_height(t)
        standing = self._standing()
        ground = float(now.hold[:, 2].mean()) if standing is None else float(now.hold[standing, 2])
        carrying = (standing != 1, standing != 0)
        reached = self.rows.fill(now, self.ring, carrying, ground)
        if reached == now.stuck:
            now.stuck = not reached
            if now.stuck:
                self._tell(t, "out of reach", now.foot[0])
        self._keep(t)

    def _standing(self) -> int | None:
        """Return the foot that carries alone; None: both."""
        if not self.now.single:
            return None
        return 1 - int(self.timeline.rows.foot[self.timeline.current])

    def _lift_off(self, t: float) -> None:
        """Begin the swing of the current step."""
        now, line = self.now, self.timeline
        i = line.current
        foot, there = int(line.rows.foot[i]), line.rows.place[i]
        now.single, now.late, now.lifted, now.waited = True, False, False, 0.0
        now.reach = now.reach_rate = 0.0
        now.stopped_at[foot] = np.nan
        now.lift_off, now.goal = now.foot[foot].copy(), there.copy()
        now.goal_rates[:] = 0.0
        lift = float(line.lift[i])
        rise = float(there[2] - now.lift_off[2])
        now.bump[0] = bump_height(rise, lift if lift == lift else self.lift)
        climb = rise if abs(rise) > LEVEL else 0.0
        now.window[:] = travel(climb, float(now.bump[0]), self.choice.arrive)
        lower = min(float(now.hold[1 - foot, 2]), float(there[2]))
        self._aim_height(float(line.rows.end[i]), self.level + lower)

    def _watch(self, sensed: Sensed, loads: FloatArray, t: float) -> bool:
        """Heed the switch of the swing foot; return whether the timeline changed."""
        now, line, choice, T = self.now, self.timeline, self.choice, self.T
        i = line.current
        foot, t0, t1 = int(line.rows.foot[i]), float(line.rows.start[i]), float(line.rows.end[i])
        share = (t - t0) / (t1 - t0)
        if loads[foot] < FREE and share > 0.1:
            now.lifted = True
        touches = now.loaded[foot] * T >= CONFIRM - 1e-9
        due = t >= t1 - 1e-9
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
            again = int(now.waited / AGAIN) != int((now.waited - T) / AGAIN)
            return again and t > now.due + SLACK
        if not due:
            return False
        if touches or not choice.late:
            self._land(sensed, t)
            return True
        if t >= t1 + GRACE - 1e-9:
            now.late, now.due = True, t1
        return False

    def _swing(self, sensed: Sensed, t: float) -> None:
        now, line = self.now, self.timeline
        i = line.current
        foot, t0, t1 = int(line.rows.foot[i]), float(line.rows.start[i]), float(line.rows.end[i])
        p, v, a = now.foot[foot], now.foot_v[foot], now.foot_a[foot]
        if now.late:
            self._reach(p, v, a)
            self._sink(self.level + min(float(p[2]), float(now.hold[1 - foot, 2])))
            return
        share = (t - t0) / (t1 - t0)
        if self.choice.adapt and share < STEADY:
            self._adapt(sensed, t1 - t, foot)
        elif now.goal_rates.any():
            now.goal_rates[:] = 0.0
        swing_foot(
            share, t1 - t0, now.lift_off, now.goal, now.goal_rates, now.window,
            float(now.bump[0]), p, v, a,
        )  # fmt: skip

    def _reach(self, p: FloatArray, v: FloatArray, a: FloatArray) -> None:
        """Move a late foot straight down, up to the set depth."""
        now, T = self.now, self.T
        wanted = self.choice.reach_speed if now.reach < self.choice.reach_depth else 0.0
        most = REACH_ACCELERATION * T
        change = min(max(wanted - now.reach_rate, -most), most)
        now.reach_rate += change
        now.reach += now.reach_rate * T
        p[2] -= now.reach_rate * T
        v[:], a[:] = 0.0, 0.0
        v[2], a[2] = -now.reach_rate, -change / T

    def _adapt(self, sensed: Sensed, left: float, foot: int) -> None:
        """Move the goal of the swing by the error of the DCM that is to be expected at landing."""
        import pinocchio as pin

        now, line, T, w = self.now, self.timeline, self.T, self.omega
        model, data, stands = self.robot.model, self.data, 1 - foot
        c = pin.centerOfMass(model, data, sensed.q, sensed.v)
        under = pin.updateFramePlacement(model, data, self.frames[stands]).translation
        speed, grown = data.vcom[0], self.choice.adapt * exp(w * max(left, 0.0))
        place, hold = line.rows.place[line.current], now.foot[stands]
        rates = now.goal_rates
        for k in range(2):
            is_at = float(c[k] + speed[k] / w - under[k])
            should = float(now.com[0, k] + now.com[1, k] / w - hold[k])
            wanted = min(max(grown * (is_at - should), -MOST), MOST)
            off = float(now.goal[k] - place[k])
            pull = FOLLOW**2 * ((wanted if abs(wanted) > DEAD else 0.0) - off)
            rate = float(rates[0, k]) + T * (pull - 2 * FOLLOW * float(rates[0, k]))
            rate = min(max(rate, -ADAPTED), ADAPTED)
            rates[1, k] = (rate - rates[0, k]) / T
            rates[0, k] = rate
            now.goal[k] += T * rate
        self._keep_apart(foot)

    def _keep_apart(self, foot: int) -> None:
        """Keep the goal from moving towards the standing foot by more than `INWARDS`."""
        now, line = self.now, self.timeline
        place = line.rows.place[line.current]
        c, s = np.cos(place[3]), np.sin(place[3])
        off = now.goal[:2] - place[:2]
        inwards = float(-s * off[0] + c * off[1]) * (-1.0 if foot == 0 else 1.0)
        if inwards > INWARDS:
            back = (inwards - INWARDS) * (1.0 if foot == 0 else -1.0)
            now.goal[0] -= s * back
            now.goal[1] += c * back

    def _land(self, sensed: Sensed, t: float, *, gave_up: bool = False) -> None:
        """End the swing where the foot is now."""
        import pinocchio as pin

        now, line, model, data = self.now, self.timeline, self.robot.model, self.data
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
        measured[2] -= self.rows.thickness[foot] - self.rows.thickness[stands]
        measured[3] = now.foot[foot, 3]
        level = abs(float(measured[2] - now.goal[2])) < LEVEL
        if level:
            measured[2] = now.goal[2]
        if level and not (early and lead > LEAD):
            measured[:2] = now.goal[:2]
        elif early:
            measured[:2] += now.foot_v[foot, :2] * BLEND / 2  # until it has stopped
        late = now.late and t > now.due + SLACK
        unplanned = late or (early and not (level and lead <= LEAD))
        kind = "gave up" if gave_up else "late" if late else "early" if unplanned else "landed"
        change = measured[:3] - now.goal[:3]
        now.stopped[foot, 0], now.stopped[foot, 1] = now.foot[foot], now.foot_v[foot]
        now.stopped_at[foot] = t
        now.hold[foot] = measured
        now.origin, now.since = now.hold[stands, :2].copy(), t
        if late:  # what follows was moved ahead of the contact
            line.shift(i + 1, t - SLACK - float(line.rows.end[i]))
        line.end_now(i, t)
        line.rows.place[i] = measured
        if unplanned:
            line.move(i + 1, [change[0], change[1], 0.0])
            line.level(i + 1, float(measured[2]))
        line.begin_after(i + 1, t + LEAST - SLACK)
        now.single = now.late = False
        self._tell(t, kind, measured, i)
        if self.stride is not None:
            self._extend()
        until = t + RAISE if line.over else float(line.rows.end[line.current])
        self._aim_height(until if level else t + SETTLE, self.level + float(now.hold[:, 2].min()))

    # ---- height and reference

    def _aim_height(self, until: float, target: float) -> None:
        """Let the height go to rest at `target` [m] at the time `until`, by a quintic."""
        t, rise = (self.now.row - 1) * self.T, self.now.rise
        if t < rise[0] + rise[1] and abs(target - rise[2]) < SAME:
            return  # it is on its way there
        D = max(until - t, SHORTEST)
        z, v, a = (float(x) for x in self.now.height)
        d, e, f = target - z - D * (v + D * a / 2), -D * (v + D * a), -D * D * a
        c3, c4, c5 = 10 * d - 4 * e + f / 2, -15 * d + 7 * e - f, 6 * d - 3 * e + f / 2
        rise[:] = (t, D, target, z, v, a / 2, c3 / D**3, c4 / D**4, c5 / D**5)

    def _sink(self, target: float) -> None:
        """Let the height follow a moving target [m], with bounded acceleration, for one tick."""
        T, (z, v, _) = self.T, self.now.height.tolist()
        a = min(max(SINK * (SINK * (target - z) - 2 * v), -FALLS), FALLS)
        self.now.height[:] = (z + T * (v + T / 2 * a), v + T * a, a)
        self.now.rise[1] = 0.0  # nothing is aimed at

    def _follow_height(self, t: float) -> None:
        if self.now.late:
            return
        t0, D, target, c0, c1, c2, c3, c4, c5 = self.now.rise.tolist()
        s = t - t0
        if s >= D:
            self.now.height[:] = (target, 0.0, 0.0)
            return
        self.now.height[0] = c0 + s * (c1 + s * (c2 + s * (c3 + s * (c4 + s * c5))))
        self.now.height[1] = c1 + s * (2 * c2 + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))
        self.now.height[2] = 2 * c2 + s * (6 * c3 + s * (12 * c4 + s * 20 * c5))

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
            else:
                self.steer(command.forward, command.sideways, command.turn)

    def _resteer(self, *, closing: bool = False) -> None:
        """Replace the steps that have not begun."""
        now, line, t = self.now, self.timeline, self.now.row * self.T
        keep = line.current + now.single
        begun = None  # foot and lift-off of a step that is about to begin
        if not now.single and not line.over:
            begun = int(line.rows.foot[keep]), float(line.rows.start[keep])
        side = 0 if keep == 0 else int(line.rows.foot[keep - 1])
        line.cut(keep)
        if keep == 0 or (not now.single and begun is None):
            foot = self.rhythm.leading(self.stride or Stride())
            foot, start = begun or (foot, t + self.rhythm.timing.initial)
        elif begun is not None:
            foot, start = begun
        else:
            foot, start = 1 - side, float(line.rows.end[-1]) + self.rhythm.timing.double
        if closing:
            if not self._closed():
                self._add(foot, start, Stride())
            self.last_stride = Stride()
        else:
            self._add(foot, start, self._ramped())
            self._extend()
        now.stale = True

    def _closed(self) -> bool:
        """Whether the feet stand side by side at the end of the timeline."""
        left, right = self._stance().feet
        gap = left.at(0.0, -self.rhythm.width)[:2] - right.place[:2]
        return float(np.hypot(*gap)) < 1e-3

    def _stance(self) -> Stance:
        """Return where the feet stand at the end of the timeline."""
        holds = [Foothold(*h.tolist()) for h in self.now.hold]
        line = self.timeline
        for k in range(line.current, len(line)):
            holds[int(line.rows.foot[k])] = line.foothold(k)
        return Stance(*holds)

    def _ramped(self) -> Stride:
        assert self.stride is not None
        self.last_stride = self.last_stride.towards(self.stride)
        return self.last_stride

    def _extend(self) -> None:
        """Append steps until the preview sees no end."""
        line, t = self.timeline, self.now.row * self.T
        enough = t + len(self.gains.G_d) * self.T + CHUNK + self.rhythm.timing.single
        while line.rows.end[-1] < enough:
            start = float(line.rows.end[-1]) + self.rhythm.timing.double
            self._add(1 - int(line.rows.foot[-1]), start, self._ramped())

    def _add(self, foot: int, start: float, stride: Stride) -> None:
        """Append one step, with the shift of a planned step that resembles it."""
        stance = self._stance()
        step = self.rhythm.step(stance, foot, start, stride)
        like, scale = NONE, 1.0
        walk = self.nominal.schedule.footsteps
        same = [k for k, s in enumerate(walk.steps) if s.foot == foot]
        if same:
            like = same[len(same) // 2] if len(same) < 3 else same[1]
            before = walk.stances[like].feet[foot]
            usual = _along(before, walk.steps[like].foothold)
            if abs(usual) > 0.02:
                scale = min(max(_along(stance.feet[foot], step.foothold) / usual, -2.0), 2.0)
        self.timeline.add(step, like, scale)

    def _tell(self, t: float, kind: str, place: FloatArray, step: int | None = None) -> None:
        x, y, z = (round(float(x), 6) for x in place[:3])
        number = self.timeline.current if step is None else step
        self.events.append(Event(round(t, 9), kind, number, (x, y, z)))

    def _keep(self, t: float) -> None:
        k = self.now.row % RING
        self._past.append(t)
        self._past.extend(self.ring.com[k].tolist())
        self._past.extend(self.ring.zmp[k].tolist())


def _along(here: Foothold, there: Foothold) -> float:
    """Return how far `there` is ahead of `here`, along its heading [m]."""
    x, y = there.x - here.x, there.y - here.y
    return float(np.cos(there.yaw) * x + np.sin(there.yaw) * y)


def _rhythm_of(robot: RobotModel, nominal: WalkPlan, lift: float) -> Rhythm:
    """Return the rhythm of a planned walk."""
    walk = nominal.schedule.footsteps
    left, right = walk.stance.feet
    timing = Timing()
    if walk.steps:
        first = walk.steps[0]
        double = walk.steps[1].start - first.end if len(walk.steps) > 1 else timing.double
        timing = Timing(single=first.duration, double=double, initial=first.start)
    return Rhythm(
        timing=timing,
        width=float(np.hypot(left.x - right.x, left.y - right.y)),
        foot=foot_size_of(robot),
        lift=lift,
    )
