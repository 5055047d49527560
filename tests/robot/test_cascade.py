"""Drives as a cascade of sampled loops: their closed forms, limits, delay, and a robot on them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robot.gait import Standing
from robot.simulator import Command, JointCascade, Servo
from robot.simulator.cascade import CURRENT, run_loops
from robot.walk import CascadeChoice, ControlChoice, Scenario, SoleChoice, assemble_walk
from sole.base.compiled import listed_kernels
from sole.base.errors import ConfigError

PAD = SoleChoice(size=0.06, element="p1")
DT, KP, KD = 1e-3, np.array([1e4, 4e3]), np.array([200.0, 50.0])
Q, V = np.array([0.3, -0.2]), np.array([0.5, -1.0])
WANTED = Command(
    positions=np.array([0.304, -0.195]),
    velocities=np.array([0.4, 2.0]),
    torques=np.array([3.0, -7.0]),
)


def cascade(limits=np.inf, fastest=np.inf, **values):
    servo = Servo(kp=KP, kd=KD, limits=np.full(2, float(limits)))
    given = {"time": 2e-4, "K_i": 0.0, "delay": 0.0} | values
    return JointCascade(servo, np.full(2, float(fastest)), DT, **given)


def mean_torque(drives, command, end):
    """The mean torque of a step that ends at the speeds `end`, by the loops themselves."""
    drives.command(command, Q, V)
    state = drives.state.copy()
    return run_loops(drives.asked, end, drives.gains, drives.share, DT, drives.pairs, False, state)


def test_without_lag_it_is_the_servo_at_its_samples():
    """The mean of kp (q_ref - q) + kd (v_ref - v) + tau_ff at 0, 100, ... 900 us."""
    drives, end = cascade(time=0.0), np.array([0.9, -0.4])
    s = 1e-4 * np.arange(10)[:, None]
    q, v = Q + end * s, end
    ref = WANTED.positions - (DT - s) * WANTED.velocities
    wanted = KP * (ref - q) + KD * (WANTED.velocities - v) + WANTED.torques
    alpha = drives.command(WANTED, Q, V)
    assert alpha.torques - drives.servo.kd * end == pytest.approx(wanted.mean(axis=0), rel=1e-9)
    assert (drives.servo.kp == 0).all()


@pytest.mark.parametrize("K_i", [0.0, 20.0])
def test_torques_are_affine_in_the_speeds_at_the_end(K_i):
    drives = cascade(K_i=K_i)
    drives.state[:] = [[10.0, -4.0], [1e-3, 2e-3]]
    alpha = drives.command(WANTED, Q, V).torques
    for end in (V, V + np.array([0.3, -2.0]), np.array([-5.0, 8.0])):
        assert mean_torque(drives, WANTED, end) == pytest.approx(alpha - drives.servo.kd * end)


def test_a_current_loop_answers_a_step_with_its_time_constant():
    drives, still = cascade(time=1e-3), np.zeros(2)
    command = Command(positions=Q, velocities=still, torques=np.array([8.0, -3.0]))
    for n in range(1, 4):
        drives.command(command, Q, still)
        drives.advance(still)
        assert drives.state[0] == pytest.approx(command.torques * (1 - np.exp(-n * DT / 1e-3)))


def test_speeds_and_torques_are_limited_and_nothing_winds_up():
    still, far = np.zeros(2), Command(positions=Q + 1.0, velocities=np.zeros(2))
    slow = cascade(fastest=2.0, time=0.0)
    slow.command(far, Q, still)
    slow.advance(still)
    assert slow.state[0] == pytest.approx(KD * 2.0)  # K_v (omega - 0) with omega at its limit
    slow.command(replace(far, positions=Q - 1.0), Q, still)
    slow.advance(still)
    assert slow.state[0] == pytest.approx(-KD * 2.0)
    weak = cascade(limits=5.0, time=0.0, K_i=10.0)
    for _ in range(20):
        weak.command(far, Q, still)
        weak.advance(still)
    assert weak.state[0] == pytest.approx([5.0, 5.0])
    assert weak.state[1] == pytest.approx([0.0, 0.0])
    for _ in range(20):
        weak.command(replace(far, positions=Q - 1.0), Q, still)
        weak.advance(still)
    assert weak.state[0] == pytest.approx([-5.0, -5.0])
    assert weak.state[1] == pytest.approx([0.0, 0.0])


def test_commands_come_late():
    drives, still = cascade(delay=2e-3, time=0.0), np.zeros(2)
    told = []
    for k in range(5):
        command = Command(positions=Q, velocities=still, torques=np.full(2, float(k)))
        told.append(float(drives.command(command, Q, still).torques[0]))
        drives.advance(still)
    assert told == pytest.approx([0.0, 0.0, 0.0, 1.0, 2.0])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"dt": 1.5e-4}, "multiple of 0.0001 s"),
        ({"delay": 1.5e-3}, "delay 0.0015 s must be a multiple"),
        ({"kd": 0.0}, "kd must be positive"),
    ],
)
def test_what_cannot_be_is_refused(change, said):
    servo = Servo(kp=KP, kd=change.get("kd", 1.0) * KD, limits=np.full(2, np.inf))
    with pytest.raises(ConfigError, match=said):
        JointCascade(
            servo, np.full(2, np.inf), change.get("dt", DT), time=0.0, K_i=0.0,
            delay=change.get("delay", 0.0),
        )  # fmt: skip
    assert CURRENT == 5e-5


def test_short_steps_while_a_foot_lands_are_refused():
    with pytest.raises(ConfigError, match="leave out landing_dt"):
        assemble_walk(scenario(on=True, landing=5e-4))
    with pytest.raises(ConfigError, match="delay must not be negative"):
        CascadeChoice(delay=-1e-3)
    with pytest.raises(ConfigError, match="at most 1 s"):
        CascadeChoice(delay=1e40)


def scenario(*, on, landing=None):
    stand = Standing(initial=0.1, final=0.1)
    cascade = CascadeChoice(on=on)
    control = ControlChoice(cascade=cascade)
    return Scenario(sole=PAD, gait=stand, control=control, settle=0.3, landing_dt=landing)


def test_a_robot_stands_on_cascades_and_the_bits_repeat():
    walk = assemble_walk(scenario(on=True))
    ends = []
    for _ in range(2):
        steps = [step for step, _ in walk.steps()]
        assert not any(walk.fallen(step) for step in steps)
        ends.append(steps[-1].state.q)
    assert (ends[0] == ends[1]).all()
    ideal = assemble_walk(replace(scenario(on=False)))
    other = [step for step, _ in ideal.steps()][-1].state.q
    assert ends[0] == pytest.approx(other, abs=1e-4)  # drives that hold the robot up
    assert (ends[0] != other).any()
    assert np.abs(walk.cascade.state[0]).max() > 10.0


def test_the_loops_are_compiled_beforehand():
    [listed] = [k for k in listed_kernels() if k.kernel == "robot.simulator.cascade:run_loops"]
    ends = mean_torque(cascade(), WANTED, V)
    assert listed.found()[0].signatures == [listed.found()[1]] and ends.shape == (2,)
