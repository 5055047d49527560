"""A walk: a scenario's robot, soles, plan and controller, stepped together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from robot.control.controller import Controller, Sensed
from robot.gait.plan import WalkPlan
from robot.measures.fall import OVER
from robot.scenario import Scenario
from robot.sensing.estimator import Estimator
from robot.sensing.sensors import Sensors, foot_wrenches
from robot.servo import Command
from robot.simulate import Push, RobotState, SimStep, Simulator
from robot.soles import FeetOnSoles


@dataclass(eq=False, kw_only=True)
class Walk:
    """A scenario, ready to run.

    Parameters
    ----------
    scenario : it. feet : robot and soles. simulator, plan, controller : what runs.
    sensors, estimator : None where the controller sees the true state.
    start : the state at t = 0. sensed : what the controller knows then; None: the start.
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

    @property
    def duration(self) -> float:
        """Of the run [s]."""
        given = self.scenario.duration
        return self.plan.end if given is None else given

    def steps(self) -> Iterator[tuple[SimStep, Command]]:
        """Run it: yield every step of the simulator and the command it obeyed."""
        yield from self._run(self.start, round(self.duration / self.scenario.dt))

    def settle(self, seconds: float) -> None:
        """Stand for some time before t = 0, so that soles and servos carry the weight."""
        s = self.scenario
        count = s.every * round(seconds / s.control.period)
        state = replace(self.start, time=-count * s.dt)
        for step, _ in self._run(state, count):
            state = step.state
        self.start = replace(state, time=0.0)

    def _run(self, state: RobotState, count: int) -> Iterator[tuple[SimStep, Command]]:
        s, m = self.scenario, self.feet.robot.model
        if self.sensed is None:
            self.sensed = Sensed(q=state.q[: m.nq], v=state.v[: m.nv], wrenches=np.zeros((2, 6)))
        for k in range(count):
            if k % s.every == 0:
                wanted = self.controller.update(self.sensed, state.time)
                self.simulator.servo.check(wanted)
            command = wanted.before((s.every - 1 - k % s.every) * s.dt)
            step = self.simulator.step(state, command, s.dt, self._pushes(state.time))
            state = step.state
            if (k + 1) % s.every == 0:
                self.sensed = self._sensed(robots_part(step, self.feet))
            yield step, command

    def fallen(self, step: SimStep) -> bool:
        """Return whether the waist is below `OVER` of its planned height over the lower tread."""
        tick, feet = self.plan.at(0.0), step.start.places[: len(self.feet.touching)]
        norm = tick.q[2] - tick.feet[:, 2, 3].min()
        return bool(not step.state.q[2] - feet[:, 2].min() >= OVER * norm)

    def _sensed(self, step: SimStep) -> Sensed:
        if self.sensors is None or self.estimator is None:
            return Sensed(q=step.state.q, v=step.state.v, wrenches=foot_wrenches(self.feet, step))
        return self.estimator.update(self.sensors.read(step))

    def _pushes(self, t: float) -> tuple[Push, ...]:
        waist = self.feet.robot.waist
        return tuple(
            Push(frame=waist, wrench=np.array([*p.force, 0.0, 0.0, 0.0]))
            for p in self.scenario.push
            if p.start <= t + 1e-9 < p.start + p.duration
        )


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
