"""A humanoid on compliant soles as a Gymnasium environment.

An episode is a walk of `robot.walk` with material, ground and pushes drawn from its seed. Every
20 ms the agent sets offsets of the leg joints on top of the stabiliser's command, so an agent that
does nothing is the stabiliser. The same seed gives the same bits.

Observation (50,), clipped to +-10: roll and pitch of the waist, its angular and linear velocity in
its axes, its height against the plan; wrenches of both feet over the weight; planned and measured
contacts; errors of the leg joints; offsets; the time that is left.
"""

from __future__ import annotations

import math
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import ArrayLike, NDArray

from contact.frames import rotation_of_quaternion
from robot.control import ResidualControl
from robot.environments.randomisation import Drawn, Randomisation
from robot.environments.reward_parts import WEIGHTS, reward_parts
from robot.model import RobotModel, robot_of
from robot.simulator import RobotState, SimStep
from robot.walk import NU_RANGE, KnownPlans, Scenario, SoleFamily, Walk, assemble_walk
from sole.base.arrays import FloatArray
from sole.base.constants import GRAVITY
from sole.base.errors import ConfigError, SoleError

Numbers = NDArray[np.float32]
PERIOD = 0.02  # s between two actions
REACH = 0.3  # rad: the largest offset of a joint
LOADED = 0.02  # of the weight: a foot with more has contact
SIZE = 50
BOUND = 10.0
LEG = 6  # joints


class SoleEnvironment(gymnasium.Env[Numbers, Numbers]):
    """One humanoid on soles.

    Parameters
    ----------
    scenario : what all episodes share. randomisation : what differs between them.
    weights : of the parts of the reward, by name; those not named keep their defaults.
    render_mode : None; runs are drawn by `sole view`.

    Attributes
    ----------
    walk : the walk of the present episode. drawn : its numbers.

    Raises
    ------
    SoleError
        The scenario cannot be an environment; a weight is unknown.
    """

    metadata: dict[str, Any] = {"render_modes": [], "render_fps": round(1 / PERIOD)}  # noqa: RUF012

    def __init__(
        self,
        scenario: Scenario,
        randomisation: Randomisation,
        weights: dict[str, float] | None = None,
        render_mode: str | None = None,
    ) -> None:
        if render_mode is not None:
            raise SoleError(f"there is no render mode {render_mode!r}: draw runs by `sole view`")
        unknown = sorted(set(weights or {}) - set(WEIGHTS))
        if unknown:
            raise ConfigError(
                f"reward: no part {', '.join(unknown)}; there are {', '.join(WEIGHTS)}"
            )
        if scenario.sole.file is not None or scenario.sole.rigid or scenario.plan.endless:
            raise ConfigError("environment: it needs pads (no sole.file, not rigid) and an end")
        _check_numbers(scenario, randomisation, {**WEIGHTS, **(weights or {})})
        self.scenario, self.randomisation, self.render_mode = scenario, randomisation, render_mode
        self.weights = {**WEIGHTS, **(weights or {})}
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (12,), np.float32)
        self.observation_space = gymnasium.spaces.Box(-BOUND, BOUND, (SIZE,), np.float32)
        self.walk: Walk | None = None
        self.drawn: Drawn | None = None
        self._plans = KnownPlans()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Numbers, dict[str, Any]]:
        """Begin an episode; `options={"drawn": Drawn(...)}` gives its numbers."""
        super().reset(seed=seed)
        drawn = self.randomisation.draw(self.np_random)
        self.drawn = (options or {}).get("drawn", drawn)
        scenario = self.drawn.scenario(self.scenario)
        sole = self._family.at(self.drawn.young, self.drawn.poisson)
        walk = assemble_walk(scenario, soles=(sole, None), plans=self._plans, robot=self._robot)
        legs = walk.feet.robot.legs
        if any(len(leg) != LEG for leg in legs):
            raise ConfigError(
                f"environment: {scenario.robot} has legs of {len(legs[0])} and {len(legs[1])} "
                f"joints, actions are for {LEG} each: take another robot"
            )
        joints = np.array([walk.feet.robot.model.joints[j].idx_v - 6 for leg in legs for j in leg])
        self._control = ResidualControl(walk.controller, joints, walk.feet.robot.model.nv - 6)
        walk.controller = self._control
        every = round(PERIOD / walk.scenario.dt)
        self.walk, self._steps = walk, walk.steps(beyond=PERIOD, ahead=every)
        self._robot_weight = walk.feet.robot.mass * GRAVITY
        self._since: list[SimStep] = []
        self._time = 0.0
        start, known = walk.start, walk.sensed
        wrenches = np.zeros((2, 6)) if known is None else known.wrenches
        told = {"drawn": self.drawn, "reward": dict.fromkeys(WEIGHTS, 0.0), "time": 0.0}
        return self._observe(start, wrenches, start.q[7:][joints], np.zeros(len(joints))), told

    def step(self, action: ArrayLike) -> tuple[Numbers, float, bool, bool, dict[str, Any]]:
        """Move the offsets to `action` times `REACH` within 20 ms and simulate as long.

        Returns
        -------
        Observation, reward, whether the robot fell, whether the episode is over otherwise, and
        `info`: the parts of the reward by name, the time [s].

        Raises
        ------
        SoleError
            The action is not finite or has a wrong shape; `reset` was not called.
        """
        if self.walk is None:
            raise SoleError("environment: call reset() before step()")
        offsets = np.asarray(action, dtype=float)
        if offsets.shape != (12,) or not np.isfinite(offsets).all():
            raise SoleError(f"action must be 12 finite numbers, got {offsets.shape}")
        walk, every = self.walk, round(PERIOD / self.walk.scenario.dt)
        calls = round(PERIOD / self._control.period)
        self._control.ask(REACH * np.clip(offsets, -1.0, 1.0), calls)
        fell, self._since = False, []
        asked = np.empty(0)
        for step, command in islice(self._steps, every):
            asked = command.positions
            self._since.append(step)
            if walk.fallen(step):
                fell = True
                break
        if not self._since:
            raise SoleError("environment: the episode is over: call reset()")
        last = self._since[-1]
        self._time = last.state.time
        over = self._time >= walk.duration - walk.scenario.dt / 2
        wrenches = np.array([walk.senses.wrenches(step.last) for step in self._since])
        parts = reward_parts(walk.senses, self._since, wrenches, fell)
        reward = float(sum(self.weights[name] * value for name, value in parts.items()))
        info = {"reward": parts, "time": self._time}
        made = math.ceil(len(self._since) * calls / every)  # of the calls; fewer where it fell
        offset = self._control.offset_after(made)
        seen = self._observe(last.state, wrenches[-1], asked[self._control.joints], offset)
        return seen, reward, fell, over and not fell, info

    @cached_property
    def _robot(self) -> RobotModel:
        """The robot of all episodes."""
        return robot_of(self.scenario.robot, self.scenario.urdf, Path())

    @cached_property
    def _family(self) -> SoleFamily:
        plain = Drawn.plain(self.scenario).scenario(self.scenario)
        first = assemble_walk(plain, plans=self._plans, robot=self._robot)
        return SoleFamily(first.feet.soles[0])

    def _observe(
        self, state: RobotState, wrenches: FloatArray, asked: FloatArray, offset: FloatArray
    ) -> Numbers:
        """Return what the agent sees; asked, offset (12,) : commanded angles, part of them."""
        walk = self.walk
        assert walk is not None
        q, v, t, plan = state.q, state.v, state.time, walk.plan
        wrenches = wrenches / self._robot_weight
        R, row = rotation_of_quaternion(q[3:7]), plan.row(t)
        roll, pitch = math.atan2(R[2, 1], R[2, 2]), -math.asin(max(-1.0, min(1.0, R[2, 0])))
        parts = (
            [10 * roll, 10 * pitch],
            v[3:6],
            v[:3],
            [20 * (q[2] - plan.q_ref[row, 2])],
            wrenches[:, :3].ravel(),
            10 * wrenches[:, 3:].ravel(),
            plan.supports[row].astype(float),
            (wrenches[:, 2] > LOADED).astype(float),
            10 * (asked - q[7:][self._control.joints]),
            offset / REACH,
            [(walk.duration - t) / walk.duration],
        )
        seen = np.concatenate([np.asarray(part, dtype=float) for part in parts])
        return np.asarray(np.clip(seen, -BOUND, BOUND), dtype=np.float32)


def _check_numbers(
    scenario: Scenario, randomisation: Randomisation, weights: dict[str, float]
) -> None:
    """Refuse what would only fail in some episode, or give no reward."""
    for name, weight in weights.items():
        if not math.isfinite(weight):
            raise ConfigError(f"reward: the weight of {name} must be finite, got {weight:g}")
    steps = PERIOD / scenario.dt
    if abs(steps - round(steps)) > 1e-6 * steps:
        raise ConfigError(
            f"environment: {PERIOD:g} s between actions must be a multiple of dt, got "
            f"{scenario.dt:g} s"
        )
    (low, high), (least, most) = randomisation.poisson, NU_RANGE
    own = low == high == scenario.sole.poisson
    if not own and not least <= low <= high <= most:
        raise ConfigError(
            f"randomisation: poisson must be within {least:g} to {most:g}, got {(low, high)}"
        )
