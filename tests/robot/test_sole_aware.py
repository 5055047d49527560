"""Sole-aware control: its law against the simulator, its observer, its limits, a stand."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from robot_cases import feet

from contact.constants import FRICTION
from contact.margins import PressureCone
from robot.control import Sensed, SoleAware, SoleAwareChoice
from robot.control.balance_kernels import Aims, GaitMemory, find_modes, share_wrenches
from robot.control.contact_stiffness import ContactStiffness, pressed_stiffness, sole_matrices
from robot.control.sole_observer import (
    DRIFT,
    GYRO,
    NOISE,
    SHAKE,
    ObserverGains,
    RobotEstimate,
    SoleReadings,
    correct_robot,
    predict_wrench,
)
from robot.control.whole_body_solver import solve_program
from robot.gait import Gait
from robot.summaries.run_summary import describe_run
from robot.walk import ControlChoice, Kept, Scenario, SoleChoice, assemble_walk, execute
from robot.walk.scenario_tables import Sensing
from sole.base.compiled import packed
from sole.base.errors import ConfigError, SoleError

T = 1e-3


def standing(young=1e6, sensing="true", settle=0.4, **values):
    return assemble_walk(
        Scenario(
            sole=SoleChoice(young=young, size=0.06, element="p1"),
            gait=Gait(kind="stand", initial=0.05, final=0.05),
            control=ControlChoice(kind="sole-aware", sole_aware=SoleAwareChoice(**values)),
            sensing=Sensing(kind=sensing),
            settle=settle,
        )
    )


@pytest.fixture(scope="module")
def stood():
    return standing()


def solved(walk):
    """The program of t = 0, its solution, and dv/dt (nv,)."""
    control = walk.controller
    program = control.program(walk.sensed, 0.0)
    x = solve_program(control.solve, program)
    n = len(walk.feet.robot.joints)
    return program, x, np.concatenate([program.V @ x + program.v0, x[:n]])


def test_the_next_wrench_is_the_simulator_s(stood):
    """w+ = w - T K6 (u + T du/dt) from the program, w+ from exact contact of all nodes.

    The law turns forces about undeformed treads, so it is off by u/L, 2 mm/240 mm.
    """
    control, feet_now = stood.controller, stood.controller._felt(stood.sensed)
    _, _, a = solved(stood)
    step, _ = next(stood.steps())
    for k, h in enumerate(stood.feet.thicknesses):
        rate = feet_now.u[k] + T * (feet_now.J[k] @ a + feet_now.bias[k])
        w = feet_now.w[k] - T * feet_now.K[k] @ rate
        felt = step.contact.wrenches[k].copy()
        felt[3:5] += h * np.array([-felt[1], felt[0]])
        change, true = w - feet_now.w[k], felt - feet_now.w[k]
        assert change[2] == pytest.approx(true[2], abs=0.01 * max(1.0, abs(true[2])))
        assert w == pytest.approx(felt, abs=0.02)
    assert control.failures == 0


@pytest.mark.parametrize("model", ["sole", "rigid"])
def test_torques_and_next_wrenches_obey_the_equations_of_motion(model, stood):
    """M dv/dt + h = S'tau + sum J'w+, by Pinocchio's inverse dynamics."""
    import pinocchio as pin

    walk = stood if model == "sole" else standing(model="rigid", settle=0.01)
    control = walk.controller
    program, x, a = solved(walk)
    felt, n = control._felt(walk.sensed), len(walk.feet.robot.joints)
    total = pin.rnea(control.model, control.model.createData(), felt.q, felt.v, a)
    total[6:] -= program.A[:n] @ x + program.torques
    for k in range(2):
        if control.gait.mode[k] != 1:
            w = felt.w[k]
        elif model == "sole":
            rate = felt.u[k] + T * (felt.J[k] @ a + felt.bias[k])
            w = felt.w[k] - T * felt.K[k] @ rate
        else:
            w = x[n + 6 * k : n + 6 * k + 6]
        total -= felt.J[k].T @ w
    assert np.abs(total).max() < 1e-8 * 600


def test_the_nodes_that_press_are_those_of_the_centre_of_pressure():
    """In the middle all nodes press, K6 is the whole tread's; at an edge fewer, and it is less."""
    on = feet(1e6)
    sole = on.soles[0]
    assert pressed_stiffness(sole, np.zeros(2)) == pytest.approx(sole.foot_stiffness, rel=1e-9)
    edge = pressed_stiffness(sole, np.array([0.1, 0.0]))
    left = np.linalg.eigvalsh(sole.foot_stiffness - edge)
    assert left.min() > -1e-6 * left.max() and edge[2, 2] < 0.7 * sole.foot_stiffness[2, 2]
    model = ContactStiffness(on, 2.0, np.stack([np.eye(6)] * 2), 30.0, 1.0)
    K, C = model.at(0, np.array([0.0, 0, 300, 0, 0, 0]))[:2]
    assert 1.001 * 2 * sole.foot_stiffness == pytest.approx(K) and np.eye(6) == pytest.approx(K @ C)


@settings(max_examples=20, deadline=None)
@given(st.floats(5.0, 100.0), st.floats(0.3, 2.0), st.floats(1e2, 1e8), st.integers(0, 9))
def test_every_mode_of_a_sole_is_led_with_one_damping(omega, zeta, size, seed):
    """w+ = lambda + L du/dt + B u with u = -C dw/dt: L C w'' + B C w' + w = lambda.

    Each pair of eigenvalues has the damping zeta, and frequencies from omega on.
    """
    rng = np.random.default_rng(seed)
    A, D = rng.normal(size=(2, 6, 6))
    S = D @ D.T + 0.1 * np.eye(6)
    _, C, L, B = sole_matrices(size * (A @ A.T + np.eye(6)), S, omega, zeta)
    assert np.linalg.inv(L) == pytest.approx(omega**2 * C + S, rel=1e-6)
    M = np.linalg.inv(L @ C)
    system = np.block([[np.zeros((6, 6)), np.eye(6)], [-M, -M @ B @ C]])
    found = np.linalg.eigvals(system)
    # as pairs a +- b: -zeta Omega +- Omega sqrt(zeta^2 - 1), so the sum of 1/found is -2 zeta/Omega
    squares = np.linalg.eigvals(M).real
    assert squares.min() > omega**2 * (1 - 1e-6)
    expected = np.concatenate([np.roots([1.0, 2 * zeta * np.sqrt(s), s]) for s in np.sort(squares)])
    assert np.sort(np.abs(found)) == pytest.approx(np.sort(np.abs(expected)), rel=1e-3)


def test_shares_of_a_wrench_add_up_to_it():
    rng = np.random.default_rng(3)
    c, p, force, moment = rng.normal(size=3), rng.normal(size=(2, 3)), *rng.normal(size=(2, 3))
    R = np.stack([np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in range(2)])
    shares, out = np.array([0.3, 0.7]), np.empty((2, 6))
    share_wrenches(c, p, R, force, moment, shares, out)
    f = [R[k] @ out[k, :3] for k in range(2)]
    t = [R[k] @ out[k, 3:] + np.cross(p[k] - c, f[k]) for k in range(2)]
    assert sum(f) == pytest.approx(force) and sum(t) == pytest.approx(moment)
    assert f[0] == pytest.approx(0.3 * force)


def test_a_planned_support_stands_until_its_load_is_gone(stood):
    """3 % of the weight to begin to stand, 0.3 % to go on: no chatter as the load goes away."""
    control = stood.controller
    felt = control._felt(stood.sensed)
    aims = (*control.targets.row(0), np.array([True, True]))
    weight, modes = control.gains.mass * 9.81, []
    mode = np.full(2, 2, dtype=np.int64)
    memory = GaitMemory(mode, np.zeros((2, 6)), np.zeros(2), np.zeros((2, 6)), np.zeros(1))
    for share in (0.02, 0.04, 0.02, 0.004, 0.002, 0.02):
        w = felt.w.copy()
        w[0, 2] = share * weight
        find_modes.py_func(felt._replace(w=w), Aims(*aims), control.gains, memory, np.empty((2, 6)))
        modes.append(int(memory.mode[0]))
    assert modes == [2, 1, 1, 1, 2, 2]


LOADS = np.array([0.0, 0.0, 1e4, 0.0, 0.0, 0.0])  # N: soles that never lift off


class OnSoles:
    """A waist (6 freedoms) on two soles, its feet fixed to it, and an observer of it.

    `shaken` : deviation of the accelerations and drifts that the observer takes for granted.
    """

    def __init__(self, size, eta, delay, seed, shaken=0.0):
        self.rng = rng = np.random.default_rng(seed)
        A, D = rng.normal(size=(2, 2, 6, 6))
        self.K = size * (A[0] @ A[0].T + np.eye(6)), size * (A[1] @ A[1].T + np.eye(6))
        self.K, self.M = np.stack(self.K), D[0] @ D[0].T + 3 * np.eye(6)
        self.J = np.stack([np.eye(6), np.eye(6)]) + 0.3 * rng.normal(size=(2, 6, 6))
        self.gains = ObserverGains(
            alpha=0.5, beta=0.1, delay=delay, T=T, eta=eta, least=-1e30, weight=1e30
        )
        self.memory = RobotEstimate(
            q=np.zeros(7), v=np.zeros(6), a=np.zeros(6), w=np.zeros((2, 6)), u=np.zeros((2, 6)),
            P=np.zeros((18, 18)), begun=np.ones(1),
        )  # fmt: skip
        self.v, self.w, self.shaken = np.zeros(6), self.memory.w + LOADS, shaken
        self.memory.w[:] = LOADS

    def moved(self, v, w, push=0.0):
        """M (v+ - v) = T sum J' (w+ - loads) + T M push, w+ = w - (T + eta) K u+ + eta K u."""
        g, T = self.gains, self.gains.T
        stiff = sum(J.T @ K @ J for J, K in zip(self.J, self.K, strict=True))
        right = (self.M + T * g.eta * stiff) @ v + T * self.M @ (push * np.ones(6))
        right += T * sum(J.T @ f for J, f in zip(self.J, w - LOADS, strict=True))
        then = np.linalg.solve(self.M + T * (T + g.eta) * stiff, right)
        force = [
            f - K @ J @ ((T + g.eta) * then - g.eta * v)
            for J, K, f in zip(self.J, self.K, w, strict=True)
        ]
        return then, np.stack(force)

    def tick(self):
        m, rng, g = self.memory, self.rng, self.gains
        push = self.shaken * rng.normal(size=6) * SHAKE
        self.v, self.w = self.moved(self.v, self.w, push)
        self.w += self.shaken * DRIFT * NOISE * rng.normal(size=(2, 6))
        m.v[:] = self.moved(m.v, m.w)[0]  # as the program says
        u = self.J @ m.v
        late = self.w + g.delay * np.einsum("kij,kj->ki", self.K, self.J @ self.v)
        late = late + self.shaken * NOISE * rng.normal(size=(2, 6))
        gyro = self.v[3:] + self.shaken * GYRO * rng.normal(size=3)
        readings = SoleReadings(measured=late, gyro=gyro, u=u, K=self.K, J=self.J, M=self.M)
        correct_robot(packed(m), packed(g), packed(readings), np.zeros(6))

    @property
    def error(self):
        return np.concatenate([self.memory.v - self.v, (self.memory.w - self.w).ravel()])


@settings(max_examples=8, deadline=None)
@given(st.floats(1e4, 1e7), st.floats(0.0, 0.01), st.floats(0.0, T), st.integers(0, 9))
def test_the_observer_finds_wrenches_and_velocity(size, eta, delay, seed):
    """Without noise, errors vanish of which the observer did not know."""
    waist = OnSoles(size, eta, delay, seed)
    waist.tick()
    waist.v = 0.05 * waist.rng.normal(size=6)
    waist.w = LOADS + 50.0 * waist.rng.normal(size=(2, 6))
    first = np.abs(waist.error)
    for _ in range(2000):
        waist.tick()
    assert np.abs(waist.error[:6]).max() < 2e-2 * first[:6].max()
    assert np.abs(waist.error[6:]).max() < 2e-2 * first[6:].max()


def test_the_observer_knows_how_wrong_it_is():
    """e' P^-1 e of errors e is 18 in the mean, if noise and accelerations are as assumed.

    It is less here: the soles are those of the law, which the observer does not count on.
    """
    found = []
    for seed in range(3):
        waist = OnSoles(1e5, 0.001, 1e-3, seed, shaken=1.0)
        for k in range(400):
            waist.tick()
            if k >= 100 and k % 10 == 0:
                e = waist.error
                found.append(e @ np.linalg.solve(waist.memory.P, e))
    assert 9.0 < np.mean(found) < 20.0


def test_a_foot_without_load_has_its_reading():
    gains = OnSoles(1e3, 0.0, 0.0, 0).gains._replace(least=10.0, weight=600.0)
    w, u, one = np.ones(6), np.full(6, 0.1), np.eye(6)
    for size, stands in ((5.0, 0.0), (800.0, -1.0)):  # it hangs; no law foresees this blow
        measured = np.full(6, size)
        assert predict_wrench(w, u, measured, u, 1e3 * one, gains) == stands
        assert (w == measured).all()
    w = np.full(6, 300.0)
    assert predict_wrench(w, u, w.copy(), u, 1e3 * one, gains) == 1.0
    assert w == pytest.approx(np.full(6, 300.0 - 1e3 * T * 0.1))


def test_it_stands_by_its_sensors():
    """With noise the observer knows wrenches and velocities better than a sensor does.

    Wrenches within three deviations of a sensor with a bias, 2 N each; the waist's velocity within
    what encoders of 2e-5 rad tell in 1 ms, 2e-2 rad/s, times 0.1 m.
    """
    walk = standing(sensing="noisy", settle=0.3)
    control, worst, speeds = walk.controller, [], []
    for step, _ in walk.steps():
        m = control.estimate
        felt = np.stack([w[:3] for w in step.contact.wrenches])
        worst.append(np.abs(m.w[:, :3] - felt).max())
        speeds.append(np.abs(m.v[:3] - step.state.v[:3]).max())
    assert control.failures == 0
    assert np.median(worst) < 6.0 and np.median(speeds) < 5e-3
    tilt = 2 * np.abs(step.state.q[3:5]).max()
    assert tilt < 0.01


def test_the_estimator_knows_how_far_the_soles_yield():
    """Perfect sensors: with the compliance the waist's height is known while it sinks, without not.

    29 kg on a sole of 1 MPa: about 0.1 mm and more.
    """
    from robot.sensing import Noise

    none = dict.fromkeys(
        ("encoder", "gyro", "gyro_bias", "accelerometer", "accelerometer_bias", "force", "moment",
         "force_bias", "moment_bias", "delay"), 0.0,
    )  # fmt: skip
    wrong = []
    for known in (True, False):
        walk = standing(sensing="noisy", settle=0.0)
        walk = replace(walk, scenario=replace(walk.scenario, duration=0.3))
        walk.sensors.noise = Noise(**none)
        if not known:
            walk.estimator.compliance = None
        heights = [(walk.estimator.q[2], step.state.q[2]) for step, _ in walk.steps()]
        wrong.append(abs(heights[-1][0] - heights[-1][1]))
    assert wrong[0] < 2e-5 < 1e-4 < wrong[1]


def test_the_box_of_friction_is_inside_the_cone_of_the_sole_s_pressure(stood):
    """Its corners are on the limit surface, or inside."""
    control, sole = stood.controller, stood.feet.soles[0]
    m, G = len(sole.points), np.asarray(sole.geometry)
    sunk = np.linalg.solve(sole.foot_stiffness, [0.0, 0, 1, 0, 0, 0])
    pressed = np.linalg.solve(sole.compliance, G @ sunk).reshape(m, 3)[:, 2]
    points = np.asarray(sole.points)[:, :2]
    cone = PressureCone(points=points, forces=pressed, friction=FRICTION)
    g = control.gains
    rub = g.mu / np.sqrt(3)
    signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
    corners = [[a * rub, b * rub, 1, 0, 0, c * rub * g.twist] for a, b, c in signs]
    slip = cone.margin(corners).slip
    assert -1e-6 < slip.min() < 0.05


def test_a_robot_stands_on_its_aims_and_repeats_its_bits(stood):
    runs = [[step.state.q for step, _ in stood.steps()] for _ in range(2)]
    assert np.array_equal(*runs)
    control = stood.controller
    program, x, _ = solved(stood)
    n = len(stood.feet.robot.joints)
    aims = x[n:].reshape(2, 6)
    weight = stood.feet.robot.mass * 9.81
    assert aims[:, 2].sum() == pytest.approx(weight, rel=0.05)
    assert (program.A @ x <= program.upper[n + 12 :] + 1e-6).all()
    assert (np.abs(program.A[:n] @ x + program.torques) <= control.robot.torque + 1e-6).all()
    kept, again = control.arrays(), SoleAware(stood.feet, stood.plan)
    again.restore(kept)
    assert all(np.array_equal(kept[k], v) for k, v in again.arrays().items())
    a, b = (c.update(stood.sensed, 0.0) for c in (control, again))
    assert np.array_equal(a.torques, b.torques)


def test_a_program_without_solution_repeats_the_last_command(stood):
    control = SoleAware(stood.feet, stood.plan)
    sensed = stood.sensed
    first = control.update(sensed, 0.0)
    bad = Sensed(q=sensed.q, v=np.full_like(sensed.v, np.nan), wrenches=sensed.wrenches)
    again = control.update(bad, 0.001)
    assert control.failures == 1 and np.array_equal(again.torques, first.torques)
    # no torque is enough: the drives' limits contradict gravity
    control = SoleAware(stood.feet, stood.plan)
    control.limbs = control.limbs._replace(torque=np.full(30, 1e-6), fastest=np.full(30, 1e-6))
    held = control.update(sensed, 0.0)
    assert control.failures == 1 and np.isfinite(held.positions).all()
    # readings that are no numbers, before there was any command
    control = SoleAware(stood.feet, stood.plan)
    held = control.update(Sensed(q=bad.v[:1] * sensed.q, v=bad.v, wrenches=bad.wrenches), 0.0)
    assert control.failures == 1
    for part in (held.positions, held.velocities, held.torques):
        assert np.isfinite(part).all()


def test_a_run_counts_its_repeated_commands(stood):
    """`sole walk` tells them: every second program of this stand has no solution."""
    walk = replace(stood)
    solve, calls = walk.controller.solve, []

    def every_second(*program):
        calls.append(1)
        return (None, 0.0, -1, {}) if len(calls) % 2 else solve(*program)

    control = SoleAware(stood.feet, stood.plan)
    control.solve = every_second
    walk.controller = control
    run, error = execute(walk, Kept())
    assert error is None and run.header["repeated_commands"] == 50
    report = describe_run(run)
    assert report.quantities["repeated commands"].value == 50
    assert any("no solution" in note for note in report.warnings)


def test_bad_input_is_refused(stood, monkeypatch):
    on, plan = stood.feet, stood.plan
    for values, word in (
        ({"assumed": 0.0}, "assumed"), ({"assumed": -1.0}, "assumed"), ({"model": "soft"}, "model"),
        ({"omega": np.nan}, "omega"), ({"margin": -1.0}, "margin"),
    ):  # fmt: skip
        with pytest.raises(ConfigError, match=word):
            SoleAwareChoice(**values)
    with pytest.raises(SoleError, match="rigid"):
        SoleAware(feet(1e6, rigid=True), plan)
    with pytest.raises(SoleError, match="too small"):
        SoleAware(on, plan, choice=SoleAwareChoice(margin=0.08))
    with pytest.raises(SoleError, match=r"force sensors.*\(0,\)"):
        SoleAware(on, plan).update(Sensed(q=stood.start.q, v=stood.start.v, wrenches=()), 0.0)
    monkeypatch.setitem(sys.modules, "daqp", None)
    with pytest.raises(SoleError, match=r"pip install 'compliant-sole\[control\]'"):
        SoleAware(on, plan)


def test_curved_ground_and_bushes_are_refused(tmp_path):
    from robot.scenery import Bush

    s = Scenario(
        sole=SoleChoice(size=0.06, element="p1"),
        gait=Gait(kind="stand", initial=0.05, final=0.05),
        control=ControlChoice(kind="sole-aware"),
    )
    with pytest.raises(ConfigError, match="flat ground"):
        assemble_walk(replace(s, ground="bump:0.01,0.1,1.0,0.0"))
    (tmp_path / "field.toml").write_text(
        'schema = "contact.ground/1"\n[[solid]]\nkind = "heightfield"\nscale = 5.0\n'
        "heights = [[0, 0], [0, 0]]\n"
    )
    with pytest.raises(ConfigError, match="flat ground"):
        assemble_walk(replace(s, ground="field.toml"), tmp_path)
    with pytest.raises(ConfigError, match="bush"):
        assemble_walk(replace(s, bush=Bush(stiffness=(1e6,) * 6, damping=(4e3,) * 6)))
