"""Gymnasium environments: the API's own checks, seeds, parts of the reward, doing nothing."""

from __future__ import annotations

import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from robot.gait import Standing
from robot.walk import RecordingOptions, Scenario, SoleChoice, assemble_walk, execute
from sole.base.constants import GRAVITY
from sole.base.errors import SoleError

gymnasium = pytest.importorskip("gymnasium", reason="Gymnasium is not installed")

PAD = SoleChoice(young=3e6, poisson=0.4, size=0.06, element="p1")
SHORT = Scenario(sole=PAD, gait=Standing(), duration=0.2, settle=0.1)


@pytest.fixture(scope="module")
def env():
    from robot.environments import Randomisation, make_task

    differs = Randomisation(grounds=("plane", "slope"), push=(1.0, 2.0), pushed=(0.0, 0.1))
    return make_task("SolePush", SHORT, differs)


def test_the_names_are_registered():
    import robot.environments

    assert set(robot.environments.TASKS) == {"SoleWalk", "SoleStand", "SolePush"}
    for name in robot.environments.TASKS:
        assert f"{name}-v0" in gymnasium.registry


def test_gymnasiums_own_checks_find_nothing(env):
    from gymnasium.utils.env_checker import check_env

    check_env(env, skip_render_check=True)  # warnings are errors in this suite


def episode(env, seed, actions=5):
    seen, _ = env.reset(seed=seed)
    rows = [seen]
    random = np.random.default_rng(seed)
    for _ in range(actions):
        seen, reward, *_ = env.step(0.1 * random.uniform(-1, 1, 12))
        rows.append(np.append(seen, reward))
    return np.concatenate(rows)


def test_the_same_seed_gives_the_same_bits(env):
    first = episode(env, 3)
    assert not np.array_equal(episode(env, 4), first)
    assert np.array_equal(episode(env, 3), first)


def test_doing_nothing_is_the_stabiliser(env):
    """The episode is the walk of its scenario, to the bit."""
    env.reset(seed=5)
    states = []
    over = False
    while not over:
        _, _, fell, over, info = env.step(np.zeros(12))
        states.append(env._since[-1].state.q)
    assert not fell and info["time"] == pytest.approx(0.2)
    sole = env._family.at(env.drawn.young, env.drawn.poisson)
    walk = assemble_walk(env.drawn.scenario(env.scenario), soles=(sole, None))
    run = execute(walk, RecordingOptions()).run
    assert np.array_equal(run["q"][-1], states[-1])


def test_the_reward_is_the_weighted_sum_of_its_named_parts(env):
    from robot.environments import SoleEnvironment

    env.reset(seed=6)
    _, reward, _, _, info = env.step(np.zeros(12))
    parts = info["reward"]
    assert set(parts) == {"alive", "tilt", "impact", "energy", "margin"}
    assert reward == pytest.approx(sum(env.weights[k] * parts[k] for k in parts))
    assert parts["alive"] == 1.0 and parts["tilt"] <= 0 and parts["impact"] <= 0
    assert -1 < parts["energy"] < 0 < parts["margin"] <= 1
    own = SoleEnvironment(SHORT, env.randomisation, {"tilt": 0.0})
    assert own.weights["tilt"] == 0.0 and own.weights["alive"] == 1.0


@pytest.mark.parametrize("share", [(0.6, 0.25), (0.1, -0.7)])
def test_each_part_of_the_reward_is_what_it_says(share):
    """A leaning robot on one foot that pushes sideways: margin from the point under the tread."""
    from robot.environments import reward_parts as module

    senses = assemble_walk(SHORT).senses
    feet, weight = senses.feet, senses.feet.robot.mass * GRAVITY
    (low, high), depth = feet.edges[0], feet.thicknesses[0]
    cop = np.array([share[0] * high[0], share[1] * high[1], -depth])
    force = np.array([0.1, -0.2, 1.5]) * weight
    wrenches = np.zeros((2, 6))
    wrenches[0] = [*force, *np.cross(cop, force)]
    wrenches[1, [2, 4]] = 0.01 * weight, weight  # nearly unloaded: it has no margin
    n = len(feet.robot.joints)
    q, v, torques = np.zeros(7 + n), np.zeros(6 + n), np.zeros(n)
    q[4], q[6] = np.sin(0.1), np.cos(0.1)  # 0.2 rad of pitch
    v[6], torques[0] = -2.0, 0.05 * weight
    step = SimpleNamespace(state=SimpleNamespace(q=q, v=v), torques=torques, block=None)
    parts = module.reward_parts(senses, [step, step], np.array([wrenches, wrenches]), False)
    edge = min((1 - np.abs(share)) * high) / min(high - low) * 2
    expected = {"alive": 1.0, "tilt": -4.0, "impact": -0.3, "energy": -0.2, "margin": edge}
    assert parts == pytest.approx(expected)
    assert module.reward_parts(senses, [step], wrenches[None], True)["alive"] == 0.0


def test_power_comes_from_torques_and_speeds_of_the_step(env):
    """Read from a block's buffers they are those of the step, made as a whole."""
    env.reset(seed=2)
    env.step(np.full(12, 0.3))
    steps = env.unwrapped._since
    assert steps[-1].block is not None
    for step in steps:
        torques, speeds = env.unwrapped.walk.senses.drives(step)
        assert np.array_equal(torques, step.torques) and np.abs(torques).max() > 1.0
        assert np.array_equal(speeds, step.state.v[6:])


def test_an_agent_moves_the_joints_it_names(env):
    """The knee of the left leg, bent by a tenth of the reach."""
    from robot.environments.sole_environment import REACH

    angles = []
    for action in (np.zeros(12), 0.1 * (np.arange(12) == 3)):
        env.reset(seed=7)
        for _ in range(5):
            env.step(action)
        joint = env.walk.feet.robot.joint("left_knee")
        angles.append(env._since[-1].state.q[7 + joint])
    assert angles[1] - angles[0] == pytest.approx(0.1 * REACH, rel=0.2)


def test_a_fall_ends_the_episode(env):
    env.reset(seed=8)
    robot, fell = env.walk.feet.robot, False
    action = np.zeros(12)
    action[[2, 8]] = 1.0  # both hips bend
    env.walk.scenario = replace(env.walk.scenario, duration=2.0)
    for _ in range(100):
        _, _, fell, over, info = env.step(action)
        if fell or over:
            break
    assert fell and not over and info["reward"]["alive"] == 0.0
    assert robot.mass > 0


def test_grounds_of_all_kinds_are_walked_on():
    from robot.environments import Drawn

    plain = Drawn.plain(SHORT)
    for kind in ("drop", "rise", "slope"):
        drawn = replace(plain, ground=kind, height=0.01, edge=0.5, slope=0.02)
        scenario = drawn.scenario(SHORT)
        assert scenario.ground.startswith("slope" if kind == "slope" else "step")
        walk = assemble_walk(scenario)
        assert next(walk.steps())[0].state.q[2] > 0.5


@pytest.mark.slow
def test_episodes_run_in_processes_side_by_side():
    from gymnasium.vector import AsyncVectorEnv

    from robot.environments import make_task

    def make():
        from robot.environments import make_task

        return make_task("SoleStand", SHORT)

    together = AsyncVectorEnv([make, make])
    try:
        seen, _ = together.reset(seed=[3, 4])
        after, *_ = together.step(np.zeros((2, 12), np.float32))
    finally:
        together.close()
    alone = make_task("SoleStand", SHORT)
    assert np.array_equal(alone.reset(seed=4)[0], seen[1])
    assert np.array_equal(alone.step(np.zeros(12))[0], after[1])


def test_bad_input_is_refused_in_one_line(env, monkeypatch):
    from robot.environments import Randomisation, SoleEnvironment, make_task

    def bad(match, call):
        with pytest.raises(SoleError, match=match) as told:
            call()
        assert "\n" not in str(told.value)

    bad("task", lambda: make_task("SoleRun"))
    bad("call reset", lambda: make_task("SoleStand").step(np.zeros(12)))
    bad("no part speed", lambda: SoleEnvironment(SHORT, Randomisation(), {"speed": 1.0}))
    bad("render mode", lambda: make_task("SoleStand", render_mode="human"))
    bad("poisson", lambda: Randomisation(poisson=(0.3, 0.5)))
    bad("young", lambda: Randomisation(young=(2.0, 1.0)))
    for pushed in ((1.5, 0.5), (-1.0, 0.5), (np.nan, 1.0)):
        bad("pushed must be a range", lambda pushed=pushed: Randomisation(pushed=pushed))
    bad("slope must be below", lambda: Randomisation(slope=(0.0, 1.7)))
    far = Randomisation(poisson=(0.1, 0.3))
    bad("within 0.2 to 0.45", lambda: SoleEnvironment(SHORT, far))
    bad("tilt must be finite", lambda: SoleEnvironment(SHORT, Randomisation(), {"tilt": np.nan}))
    coarse = replace(SHORT, dt=3e-3, control=replace(SHORT.control, period=3e-3))
    bad("multiple of dt", lambda: SoleEnvironment(coarse, Randomisation()))
    seven = SoleEnvironment(replace(SHORT, robot="rengifo14"), Randomisation())
    bad("legs of 7 and 7 joints", lambda: seven.reset(seed=1))
    bad("grounds", lambda: Randomisation(grounds=("ice",)))
    env.reset(seed=1)
    bad("12 finite numbers", lambda: env.step(np.zeros(3)))
    bad("12 finite numbers", lambda: env.step(np.full(12, np.nan)))
    rigid = replace(SHORT, sole=replace(PAD, rigid=True))
    bad("needs pads", lambda: SoleEnvironment(rigid, Randomisation()))
    for name in [n for n in sys.modules if n.startswith("robot.environments")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    bad(r"pip install 'compliant-sole\[gym\]'", lambda: __import__("robot.environments"))


def test_a_reaching_leg_bends_where_ground_is_late():
    from robot.environments import LinearResidual

    policy = LinearResidual(late=2.0)
    seen = np.zeros(50)
    seen[21] = seen[22] = seen[24] = 1.0  # both planned, only the right one stands
    action = policy(seen)
    assert action[3] < 0 and action[2] > 0 and action[4] > 0  # the knee stretches
    assert not action[6:].any()
    policy.reset()
    assert not policy(np.zeros(50)).any()


def test_a_standing_leg_leans_and_a_swinging_one_steps_under_the_fall():
    from robot.environments import LinearResidual
    from robot.environments.linear_residual import AHEAD
    from robot.environments.sole_environment import REACH

    seen = np.zeros(50)
    seen[:4] = 10 * 0.02, 10 * 0.03, 0.1, -0.05  # roll, pitch [0.1 rad], their rates [rad/s]
    seen[[21, 23]] = 1.0  # the left foot stands, as planned
    found = {
        name: REACH * LinearResidual(**{name: 2.0})(seen).reshape(2, 6)
        for name in ("ankle_roll", "ankle_pitch", "step_roll", "step_pitch")
    }
    wanted = {
        "ankle_roll": (0, 5, 2 * 0.02),
        "ankle_pitch": (0, 4, 2 * 0.03),
        "step_roll": (1, 1, 2 * (0.02 + AHEAD * 0.1)),
        "step_pitch": (1, 2, 2 * (0.03 - AHEAD * 0.05)),
    }
    for name, (leg, joint, angle) in wanted.items():
        assert found[name][leg, joint] == pytest.approx(angle, rel=1e-5)
        assert np.count_nonzero(found[name]) == 1


@pytest.mark.slow
def test_the_observation_of_a_fall_is_that_of_its_tick(monkeypatch):
    """A block goes on beyond the tick of a fall; the agent sees angles and offsets of that tick."""
    from robot.environments import Randomisation, SoleEnvironment
    from robot.walk import Walk

    usual, seen = Walk.steps, []
    for ahead in (None, 1):
        if ahead:
            monkeypatch.setattr(Walk, "steps", lambda self, beyond, ahead: usual(self, beyond, 1))
        env = SoleEnvironment(SHORT, Randomisation())
        env.reset(seed=3)
        for k in range(4):
            ticks = iter(range(100))
            fallen = (
                (lambda step, ticks=ticks: next(ticks) == 6) if k == 3 else (lambda step: False)
            )
            monkeypatch.setattr(env.walk, "fallen", fallen, raising=False)
            observation, _, fell, *_ = env.step(0.02 * np.arange(12))
            seen.append(observation)
    assert fell
    for one, other in zip(seen[:4], seen[4:], strict=True):
        np.testing.assert_array_equal(one, other)
