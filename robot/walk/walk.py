"""A walk: the robot, soles, plan and controller of a scenario, stepped together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from math import inf, lcm

import numpy as np

from robot.control import Controller, Sensed, check_command, steps_per_call
from robot.gait import WalkPlan
from robot.measures import least_height, sign_of_fall
from robot.online import OnlinePlan
from robot.sensing import Estimator, Sensors, StepSenses, without_objects
from robot.simulator import Command, JointCascade, Push, RobotState, SimStep, Simulator, join_steps
from robot.soles import FeetOnSoles
from robot.walk.block_maker import AHEAD, BlockMaker
from robot.walk.initial_memory import InitialMemory
from robot.walk.interventions import NOW, SceneChange
from robot.walk.landing import NEAR, LandingWatch
from robot.walk.outside_forces import WAIST, PulledPoints, forces_in_step
from robot.walk.scenario import Scenario
from robot.walk.scene_change import Parts, Rebuild, parts_after
from robot.walk.sole_family import SoleFamily
from sole.base.errors import ConfigError


@dataclass(eq=False, kw_only=True)
class Walk:
    """A scenario, ready to run.

    Parameters
    ----------
    scenario : the scenario. feet : robot and soles. simulator, plan, controller : the parts that
        run.
    sensors, estimator : None if the controller sees the true state; else they are read every
        `scenario.control.period`, whatever the period of the controller.
    rebuild : makes a controller for other soles, as changes of the scene ask for. While it runs
        with changes, `feet`, `simulator` and `controller` are those of now.
    online : the plan that follows the contacts, advanced by the controller; None: `plan` is walked
        as it is. With one, `plan` is what was intended.
    cascade : the drives of the joints; None: the servos of the simulator.
    notes : what was found or changed for this robot, in words.
    blocks : maker of a fast form of many ticks, with the arguments of `robot.fused.TickBlocks`;
        None: every tick is made alone.
    look : what looks at the steps: `robot.sensing.StepSenses`, or a fast form of it.
    start : the state at t = 0. sensed : the controller's knowledge at t = 0; None: the true start.

    Raises
    ------
    ConfigError
        A push begins after the end of the run.
    """

    scenario: Scenario
    feet: FeetOnSoles
    simulator: Simulator
    plan: WalkPlan
    controller: Controller
    sensors: Sensors | None
    estimator: Estimator | None
    start: RobotState
    sensed: Sensed | None = None
    online: OnlinePlan | None = None
    cascade: JointCascade | None = None
    rebuild: Rebuild | None = None
    notes: tuple[str, ...] = ()
    blocks: Callable[..., BlockMaker] | None = None
    look: type[StepSenses] = StepSenses
    _memory: InitialMemory = field(default_factory=InitialMemory, init=False, repr=False)
    _changed: int = field(default=0, init=False, repr=False)
    _looking: StepSenses | None = field(default=None, init=False, repr=False)
    _first: Parts | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        for k, push in enumerate(self.scenario.push, start=1):
            if push.start >= self.duration:
                raise ConfigError(
                    f"push {k} starts at {push.start:g} s, the run ends at {self.duration:g} s: "
                    "push earlier or increase `duration`"
                )

    @property
    def duration(self) -> float:
        """Duration of the run [s]; an online plan may still change it."""
        given, plan = self.scenario.duration, self.online or self.plan
        return plan.end if given is None else given

    def steps(self, beyond: float = 0.0, ahead: int = AHEAD) -> Iterator[tuple[SimStep, Command]]:
        """Run the walk, and go on for `beyond` seconds: yield every step and its command.

        It can be repeated with the same bits: controller, sensors and estimator are reset to their
        initial state. Up to `ahead` steps are computed together, before the first of them is
        yielded. Take 1 if you change the scene, the controller or an online plan on the way.

        Raises
        ------
        SoleError
            The controller's period or command is not valid; the message names the joint.
        """
        self._rewind()
        dt = self.scenario.dt
        last = round(self.duration / dt) + round(beyond / dt)
        for k, (step, command, _) in enumerate(self._run(self.start, ahead), start=1):
            yield step, command
            if self.online is not None:
                last = round(self.duration / dt) + round(beyond / dt)
            if k >= last:
                return

    def settle(self, seconds: float) -> None:
        """Stand for `seconds` before t = 0, until soles and servos carry the weight."""
        s = self.scenario
        period = lcm(steps_per_call(self.controller, s.dt), s.every)
        steps = period * round(seconds / (period * s.dt))
        state = replace(self.start, time=-steps * s.dt)
        self._rewind()
        for step, _, sensed in islice(self._run(state, steps=steps), steps):
            if sensed is not None:
                state, self.sensed = step.state, sensed
        self.start = replace(state, time=0.0)
        self._memory.forget()

    def _run(
        self, state: RobotState, ahead: int = AHEAD, steps: float = inf
    ) -> Iterator[tuple[SimStep, Command, Sensed | None]]:
        """Run on and on; also yield the controller's knowledge at the end of each step.

        After the steps of a block but the last, that is None. No block goes beyond `steps`.
        """
        s, joints = self.scenario, self.feet.robot.joints
        every, sensed = steps_per_call(self.controller, s.dt), self.sensed
        reads = s.every if self.sensors else every
        if sensed is None:
            sensed = self.senses.at_rest(state.q, state.v)
        watch = LandingWatch(self.simulator, len(self.feet.touching)) if s.shorter > 1 else None
        parts, since = s.shorter, list[SimStep]()  # steps since the last reading
        plain = self.sensors is None and self.cascade is None and every == 1
        blocks = self._blocks(plain, ahead)
        k = -1
        while True:
            k += 1
            calm = parts == 1 and self.scenario is s and k < steps
            most = steps - k
            if self.online is not None:  # its end may change
                rest = round((self.duration - state.time) / s.dt)
                most = min(most, rest if rest > 0 else inf)
            if calm and blocks and (block := blocks.next(state, sensed, most)) is not None:
                for i in range(block.count - 1):
                    yield block.step(i), block.command(i), None
                last = block.count - 1
                sensed, state, k = blocks.sensed(block, last), block.state(last), k + last
                if watch is not None:
                    parts = s.shorter if watch.landing(block.step(last)) else 1
                yield block.step(last), block.command(last), sensed
                continue
            if self._changed < len(self.scenario.change):
                state = self._change(state)
            if k % every == 0:
                wanted = check_command(self.controller.update(sensed, state.time), joints)
            left = (every - 1 - k % every) * s.dt
            step = self._step(state, wanted, left, parts)
            command, state = wanted.before(left), step.state
            if watch is not None:
                parts = s.shorter if watch.landing(step) else 1
            since.append(step)
            if (k + 1) % reads == 0:
                sensed = self._sensed(since)
                since.clear()
            yield step, command, sensed

    def _blocks(self, plain: bool, ahead: int) -> BlockMaker | None:
        """Return what makes blocks of ticks; plain : whether no sensors or drives take part."""
        if self.blocks is None:
            return None
        s = self.scenario

        def disturbed(begin: float, end: float) -> bool:
            pushed = any(push.start < end and push.start + push.duration > begin for push in s.push)
            return pushed or bool(s.change or s.pull)

        return self.blocks(
            self.simulator,
            self.controller,
            self.senses,
            dt=s.dt,
            ahead=ahead,
            plain=plain,
            near=-inf if s.shorter == 1 else NEAR,
            disturbed=disturbed,
        )

    def _step(self, state: RobotState, wanted: Command, left: float, parts: int) -> SimStep:
        """Step by dt, in equal `parts`; the command is meant for `left` [s] after its end."""
        dt, end = self.scenario.dt, state.time + self.scenario.dt
        if parts == 1:
            return self._driven(state, wanted.before(left))
        h = dt / parts
        done: list[SimStep] = []
        for more in range(parts - 1, -1, -1):
            command = wanted.before(left + more * h)
            done.append(self.simulator.step(state, command, h, self._pushes(state, h)))
            state = done[-1].state
        return join_steps(done, end)  # no round-off in the times of rows

    def _driven(self, state: RobotState, command: Command) -> SimStep:
        """Step by dt with the drives of the joints."""
        dt, joints = self.scenario.dt, self.simulator.joints
        if self.cascade is not None:
            angles = state.q[joints.start + 1 : joints.stop + 1]
            command = self.cascade.command(command, angles, state.v[joints])
        step = self.simulator.step(state, command, dt, self._pushes(state, dt))
        if self.cascade is not None:
            self.cascade.advance(step.state.v[joints])
        return step

    def _rewind(self) -> None:
        """Reset controller, sensors and estimator; new ones are stored as they are."""
        self._changed = 0
        if self._first is not None:
            self.feet, self.simulator, self.controller = self._first
            self._first = None
        robot = self.feet.robot
        parts = (self.controller, self.sensors, self.estimator, self.online, self.cascade)
        fixed = [self, self.scenario, self.feet, robot, robot.model, self.simulator, self.plan]
        if self.online is not None:  # a copy of read-only arrays is another type for kernels
            fixed.append(self.online.gains)
        self._memory.restore(parts, fixed)

    def fallen(self, step: SimStep) -> bool:
        """Return whether a step shows a sign of a fall."""
        return bool(self.sign(step))

    def sign(self, step: SimStep) -> str:
        """Return the sign of a fall in words, "" if there is none: `robot.measures.fall`."""
        height, tilt = self.senses.posture(step)
        return sign_of_fall(height, self.lowest_waist, tilt)

    @cached_property
    def lowest_waist(self) -> float:
        """Least height of a waist over the lower tread that has not fallen [m]."""
        return least_height(self.waist_height, self.stature)

    @cached_property
    def waist_height(self) -> float:
        """Least height of the waist over the lower tread in the plan [m]."""
        feet, depths = self.plan.feet, np.negative(self.feet.thicknesses)
        treads = feet[:, :, 2, 3] + feet[:, :, 2, 2] * depths
        return float((self.plan.q_ref[:, 2] - treads.min(axis=1)).min())

    @property
    def stature(self) -> float:
        """Height of the waist or, if they are higher, of the hips over the lower tread [m]."""
        return self.waist_height + max(0.0, self.feet.robot.hips_over_base)

    @property
    def senses(self) -> StepSenses:
        """What looks at the steps of the present simulator."""
        known = self._looking
        if known is None or known.simulator is not self.simulator or known.feet is not self.feet:
            least = self.scenario.sensing.noise.switch
            known = self._looking = self.look(self.feet, self.simulator, least)
        return known

    def _sensed(self, since: list[SimStep]) -> Sensed:
        """Return what is known after the steps since the last reading.

        The true state is that of their end; sensors read means over all of them.
        """
        if self.sensors is None or self.estimator is None:
            return self.senses.sensed(since[-1].last)
        robot = without_objects(join_steps(since), self.feet)
        return self.estimator.update(self.sensors.read(robot))

    def _pushes(self, state: RobotState, dt: float) -> tuple[Push, ...]:
        """Return the forces of pushes and pulls in the step of `dt` from a state on."""
        s = self.scenario
        return forces_in_step(s, self.points, state, dt) if s.push or s.pull else ()

    @cached_property
    def points(self) -> PulledPoints:
        """The points that pulls act on."""
        robot = self.feet.robot
        known = {name: int(frame) for name, frame in robot.contact_points.items()}
        return PulledPoints(self.simulator.model, {**known, WAIST: robot.waist})

    def _change(self, state: RobotState) -> RobotState:
        """Carry out the changes of the scene whose time has come; return the state to go on."""
        todo = self.scenario.change
        while self._changed < len(todo) and todo[self._changed].time <= state.time + NOW:
            done = todo[: self._changed + 1]
            before = self._first or (self.feet, self.simulator, self.controller)
            parts, state = self.changed_parts(done, state)
            self.feet, self.simulator, self.controller = parts
            self._first = before
            self._changed += 1
        return state

    def changed_parts(
        self, done: Sequence[SceneChange], state: RobotState
    ) -> tuple[Parts, RobotState]:
        """Return feet, simulator, controller and state after the last of all changes so far.

        Raises
        ------
        ConfigError
            It cannot be done.
        """
        if self.rebuild is None:
            raise ConfigError("change: this walk was put together by hand and cannot change")
        now = self.feet, self.simulator, self.controller
        return parts_after(self.scenario, done, now, state, self._family, self.rebuild)

    @cached_property
    def _family(self) -> SoleFamily:
        return SoleFamily((self._first or (self.feet,))[0].soles[0])
