"""A walk of ours whose bodies another engine steps: the same controller, plan, recorder, verdict.

Servos are implicit as ours are: joint damping kd + dt kp in the engine, and the torque
tau_ff + kp (q_ref - q) + kd v_ref from outside. There are no stops and no torque limits.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from contact.step import StepResult
from robot.simulator import Command, Push, RobotState, SimStep, Simulator
from robot.simulator.robot_step import NO_WORK
from robot.walk import Walk
from sole.base.arrays import FloatArray


def in_engine(walk: Walk, simulator: Callable[[Walk], EngineSimulator]) -> Walk:
    """Return the walk with another engine, settled anew."""
    made = replace(walk, simulator=simulator(walk), sensed=None)
    made.start = made.simulator.at(walk.plan.at(0.0).q)
    made.settle(walk.scenario.settle)
    return made


class EngineSimulator(Simulator):
    """A simulator whose step is an engine's; `beyond` is the largest torque over its limit."""

    def __init__(self, walk: Walk) -> None:
        own = walk.simulator
        super().__init__(own.model, own.touching, own.ground, own.servo, own.options)
        self.made: RobotState | None = None
        self.beyond = 0.0
        frames = [own.model.frames[t.frame] for t in own.touching]
        self.carriers = [own.model.names[frame.parentJoint] for frame in frames]  # their joints
        self.poses = [frame.placement.homogeneous for frame in frames]

    def step(
        self, state: RobotState, command: Command, dt: float, pushes: Sequence[Push] = ()
    ) -> SimStep:
        """Step by dt: see `Simulator.step`."""
        assert not pushes, "pushes are not passed on to the engine"
        if state is not self.made:
            self._put(state)
        start = self.dynamics.at(state.q, state.v)
        kp, kd = self.servo.kp, self.servo.kd
        q_ref, v_ref, torques = self.servo.asked(command)
        pull = torques + kp * (q_ref - state.q[7:]) + kd * v_ref
        q, v, done = self._advance(pull, dt)
        torques = pull - (kd + dt * kp) * v[6:]
        self.beyond = max(self.beyond, float((np.abs(torques) / self.servo.limits).max()))
        self.made = RobotState(q=q, v=v, soles=done.state, time=state.time + dt)
        none = np.zeros(len(kp))
        return SimStep(
            state=self.made,
            start=start,
            contact=done,
            torques=torques,
            saturated=none.astype(bool),
            stops=none,
            couplings=np.zeros((0, 6)),
            acceleration=(v - state.v) / dt,
            work=NO_WORK,
        )

    @abstractmethod
    def _put(self, state: RobotState) -> None:
        """Set the engine's state."""

    @abstractmethod
    def _advance(self, pull: FloatArray, dt: float) -> tuple[FloatArray, FloatArray, StepResult]:
        """Step the engine with joint torques (n,); return q, v and the step of the soles."""
