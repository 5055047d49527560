"""A walk: a scenario's robot, soles, plan and controller, stepped together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import lcm
from typing import Any

import numpy as np

from robot.control.controller import Controller, Sensed, checked, steps_per_call
from robot.gait.plan import WalkPlan
from robot.measures.fall import OVER
from robot.mechanics.servo import Command
from robot.scenario import Scenario
from robot.sensing.estimator import Estimator
from robot.sensing.pads import Pads, pads_of
from robot.sensing.sensors import Sensors, foot_wrenches
from robot.simulate import Push, RobotState, SimStep, Simulator
from robot.soles import FeetOnSoles
from sole.errors import ConfigError, SoleError


@dataclass(eq=False, kw_only=True)
class Walk:
    """A scenario, ready to run.

    Parameters
    ----------
    scenario : it. feet : robot and soles. simulator, plan, controller : what runs.
    sensors, estimator : None where the controller sees the true state; else they read every
        `scenario.control.period`, whatever the period of the controller.
    start : the state at t = 0. sensed : what the controller knows then; None: the start.

    Raises
    ------
    ConfigError
        A push that begins after the run.
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
    _memory: list[tuple[Any, dict[str, Any] | None]] = field(
        default_factory=list, init=False, repr=False
    )

    def __post_init__(self) -> None:
        for k, push in enumerate(self.scenario.push, start=1):
            if push.start >= self.duration:
                raise ConfigError(
                    f"push {k} starts at {push.start:g} s, the run ends at {self.duration:g} s: "
                    "push earlier or make it longer (duration)"
                )

    @property
    def duration(self) -> float:
        """Of the run [s]."""
        given = self.scenario.duration
        return self.plan.end if given is None else given

    def steps(self) -> Iterator[tuple[SimStep, Command]]:
        """Run it: yield every step of the simulator and the command it obeyed.

        Any number of times, with the same bits: controller, sensors and estimator are put back to
        what they were the first time.

        Raises
        ------
        SoleError
            A controller whose period does not fit, or whose commands do not; names the joint.
        """
        self._rewind()
        for step, command, _ in self._run(self.start, round(self.duration / self.scenario.dt)):
            yield step, command

    def settle(self, seconds: float) -> None:
        """Stand for some time before t = 0, so that soles and servos carry the weight."""
        s = self.scenario
        period = lcm(steps_per_call(self.controller, s.dt), s.every)
        count = period * round(seconds / (period * s.dt))
        state = replace(self.start, time=-count * s.dt)
        self._rewind()
        for step, _, sensed in self._run(state, count):
            state, self.sensed = step.state, sensed
        self.start = replace(state, time=0.0)
        self._memory.clear()

    def _run(
        self, state: RobotState, count: int
    ) -> Iterator[tuple[SimStep, Command, Sensed | None]]:
        """Step on; yield what the controller knows at the end of each step, too."""
        s, m, joints = self.scenario, self.feet.robot.model, self.feet.robot.joints
        every, sensed = steps_per_call(self.controller, s.dt), self.sensed
        reads = s.every if self.sensors else every
        if sensed is None:
            sensed = Sensed(
                q=state.q[: m.nq],
                v=state.v[: m.nv],
                wrenches=np.zeros((2, 6)),
                switches=np.zeros(len(self._pads.sides), np.bool_),
            )
        for k in range(count):
            if k % every == 0:
                wanted = checked(self.controller.update(sensed, state.time), joints)
            command = wanted.before((every - 1 - k % every) * s.dt)
            step = self.simulator.step(state, command, s.dt, self._pushes(state.time))
            state = step.state
            if (k + 1) % reads == 0:
                sensed = self._sensed(robots_part(step, self.feet))
            yield step, command, sensed

    def _rewind(self) -> None:
        """Put controller, sensors and estimator back; those that are new are remembered as is."""
        robot, parts = self.feet.robot, (self.controller, self.sensors, self.estimator)
        fixed = (self, self.scenario, self.feet, robot, robot.model, self.simulator, self.plan)
        shared = {id(x): x for x in (*fixed, *parts, *(known for known, _ in self._memory))}
        for part, memory in self._memory:
            if memory is None:
                raise SoleError(
                    f"{type(part).__name__} cannot be copied, so this walk cannot be run a second "
                    "time: assemble it again"
                )
            kept = deepcopy(memory, dict(shared))
            vars(part).clear()  # what its first run made is forgotten, too
            vars(part).update(kept)
        for part in parts:
            if part is None or any(part is known for known, _ in self._memory):
                continue
            memory = None
            with suppress(Exception):  # a user's controller may hold anything: files, threads
                memory = deepcopy(vars(part), dict(shared))
            self._memory.append((part, memory))

    def fallen(self, step: SimStep) -> bool:
        """Return whether the waist is below `OVER` of its planned height over the lower tread."""
        lower = step.start.places[: len(self.feet.touching), 2].min()
        return bool(not step.state.q[2] - lower >= self._least)

    @cached_property
    def _least(self) -> float:
        """How high the waist must be over the lower tread [m]."""
        tick = self.plan.at(0.0)
        return OVER * float(tick.q[2] - tick.feet[:, 2, 3].min())

    @cached_property
    def _pads(self) -> Pads:
        return pads_of(self.feet)

    def _sensed(self, step: SimStep) -> Sensed:
        if self.sensors is None or self.estimator is None:
            return Sensed(
                q=step.state.q,
                v=step.state.v,
                wrenches=foot_wrenches(self.feet, step),
                switches=self._pads.closed(step, self.scenario.sensing.noise.switch),
            )
        return self.estimator.update(self.sensors.read(step))

    def _pushes(self, t: float) -> tuple[Push, ...]:
        """Return the pushes of the step from t on, each with the share of it that it lasts.

        So the impulse is exact, whenever a push starts and however short it is.
        """
        waist, dt, pushes = self.feet.robot.waist, self.scenario.dt, []
        for p in self.scenario.push:
            share = round((min(p.start + p.duration, t + dt) - max(p.start, t)) / dt, 9)
            if share > 0:
                wrench = share * np.array([*p.force, 0.0, 0.0, 0.0])
                pushes.append(Push(frame=waist, wrench=wrench))
        return tuple(pushes)


def robots_part(step: SimStep, feet: FeetOnSoles) -> SimStep:
    """Return a step without bushes and objects, and with the wrenches of the feet alone."""
    m, B = feet.robot.model, len(feet.touching)
    if len(step.state.q) == m.nq and len(step.contact.wrenches) == B:
        return step
    return replace(
        step,
        state=replace(step.state, q=step.state.q[: m.nq], v=step.state.v[: m.nv]),
        contact=replace(step.contact, wrenches=step.contact.wrenches[:B]),
        acceleration=step.acceleration[: m.nv],
    )
