"""Force control: its law on one foot, its contact model, its loops, and a stand."""

from __future__ import annotations

import numpy as np
import pytest
from doors import door
from hypothesis import given, settings
from hypothesis import strategies as st
from robot_cases import feet

from contact.papers.foundation import instantaneous_U, inverse, sole_U
from robot.control import ForceChoice, ForceControl
from robot.control.contact_model import ContactModel, loop_damping
from robot.control.force_kernels import Felt, ForceLimits, ForceMemory, follow_wrench
from robot.control.stabiliser_kernels import FeetArrays
from robot.gait import Standing, plan_standing
from robot.online import PlanChoice
from robot.sensing import pads_of
from robot.walk import ControlChoice, Scenario, SoleChoice, assemble_walk
from sole.base.config import structure
from sole.base.errors import ConfigError, SoleError

T, DELTA, MASS = 1e-3, 0.02, 60.0
ON = feet()
U = np.stack([sole_U(sole) for sole in ON.soles])
SOLES = FeetArrays(
    np.zeros((2, 2, 2)), np.zeros((2, 6, 6)), np.full(2, 0.02), np.zeros((2, 6), int)
)
POSES = np.tile(np.eye(4), (2, 1, 1))
POSES[:, :3, 3] = [[0.1, 0.1, 0.02], [-0.05, -0.1, 0.02]]


def memory():
    shapes = (2,), (2, 3), (2,), (2, 3), (2, 3), (2, 6), (36,), (2, 3)
    m = ForceMemory(*(np.zeros(shape) for shape in shapes))
    m.blend[:] = 1.0
    return m


def limits(**values):
    given = {"K_x": 10.0, "b": 0.05, "g_a": 0.5, "K_ax": 30.0} | values
    wide = {"delta": DELTA, "angle": 10.0, "height": 10.0, "speed": 50.0}
    rest = {"K_p": 0.0, "K_d": 0.0, "imu": 0.0, "theta_x": 20.0, "theta_y": 12.0}
    return ForceLimits(**{**wide, **rest, **given})


def felt(lam, k=0, c=(0.0, 0.0, 0.9)):
    """The sensor at the sole frame feels `lam` (T_x, T_y, F_z) of the tread 20 mm below."""
    w = np.zeros((2, 6))
    w[k, :2] = 30.0, -20.0  # shear: its moment about the tread is none of the law's business
    w[k, 3:5] = lam[0] + 0.02 * w[k, 1], lam[1] - 0.02 * w[k, 0]
    w[k, 2] = lam[2]
    still = np.zeros(3)
    return Felt(np.array(c), still, np.zeros(7), still, w, np.linalg.inv(U))


def follow(m, lam, desired, g, *, k=0, carries=True, alone=False):
    door(follow_wrench)(
        k, felt(lam, k), np.array(desired), carries, alone, False, POSES, SOLES, g, T, MASS, m
    )


@pytest.mark.parametrize("kappa", [0.5, 1.0, 4.0])
def test_a_wrench_error_decays_as_the_paper_says(kappa):
    """(14) on lambda' = kappa U w': e[k + 1] = (1 - kappa T/delta) e[k], all of e alike."""
    m, g = memory(), limits()
    desired, lam = np.array([2.0, -1.0, 300.0]), np.zeros(3)
    m.desired[0] = desired
    m.blend[:] = 1.0
    for n in range(100):
        assert desired - lam == pytest.approx((1 - kappa * T / DELTA) ** n * desired, abs=1e-9)
        before = m.moved[0].copy()
        follow(m, lam, desired, g)
        lam = lam + kappa * U[0] @ (m.moved[0] - before)
    # a ramp of lambda_d is followed without an error at kappa = 1
    if kappa == 1.0:
        for _ in range(200):
            desired = desired + np.array([0.0, 0.01, 0.5])
            before = m.moved[0].copy()
            follow(m, lam, desired, g)
            lam = lam + U[0] @ (m.moved[0] - before)
        assert m.error[0] == pytest.approx(np.zeros(3), abs=1e-3)


def test_a_swing_foot_is_blended_out_and_returns_to_the_plan():
    m, g = memory(), limits(g_a=0.0)
    m.moved[0] = 0.02, -0.01, 0.03
    start, kept = m.moved[0].copy(), 1.0
    for n in range(300):
        follow(m, np.zeros(3), np.zeros(3), g, carries=False)
        b = max(0.0, 1 - (n + 1) * T / 0.05)
        kept *= 1 - T * 10.0 * (1 - b)
        assert m.blend[0] == pytest.approx(b, abs=1e-12)
    assert m.moved[0] / start == pytest.approx(kept, rel=1e-9)


def test_the_dynamics_of_the_centre_of_mass_are_those_of_equation_18():
    m, g, e = memory(), limits(g_a=0.5), np.array([3.0, -2.0, 50.0])
    m.desired[1] = e
    m.blend[:] = 0.0  # (19) alone
    follow(m, np.zeros(3), e, g, k=1, alone=True, carries=False)
    r = POSES[1, :2, 3] - 0.0
    R = np.array([[1, 0, r[1]], [0, 1, -r[0]], [0, 0, 1]])
    wanted = -T * 0.5 * np.linalg.solve(np.diag([20.0, 12.0, MASS]), R @ e)
    assert m.speed[1] == pytest.approx(wanted)
    assert m.speed[0] == pytest.approx(np.zeros(3), abs=0)
    # (20): in double support forgotten with K_a,x
    for _ in range(50):
        follow(m, np.zeros(3), e, g, k=1)
    assert m.speed[1] == pytest.approx(wanted * (1 - 30 * T) ** 50)


def test_speeds_and_motions_keep_to_their_limits_without_wind_up():
    m, g = memory(), limits(height=0.02, angle=0.1, speed=0.4)
    for _ in range(2000):
        follow(m, np.zeros(3), [0.0, 0.0, 400.0], g, alone=True)
    assert m.moved[0, 2] == -0.02
    assert abs(m.speed[0, 2]) <= 400 / MASS * T  # forgotten at the limit
    for n in range(200):
        follow(m, np.array([0.0, 0.0, 800.0]), [0.0, 0.0, 400.0], g, alone=True)
        if n == 0:
            assert m.moved[0, 2] > -0.02
    assert (np.abs(m.speed) <= 0.4).all()


def test_the_contact_model_knows_which_pads_touch():
    pads = pads_of(ON)
    whole = ContactModel(ON, 2.0)
    known = ContactModel(ON, 2.0, (pads.sides, pads.nodes))
    all_on = np.ones(len(pads.sides), bool)
    assert known.inverses(all_on) @ (U / 2.0) == pytest.approx(
        np.tile(np.eye(3), (2, 1, 1)), abs=1e-9
    )
    assert known.inverses(~all_on) == pytest.approx(whole.inverses(all_on))
    with pytest.raises(SoleError, match="a switch for each"):
        known.inverses(np.zeros(0, bool))


def test_on_a_point_or_a_line_what_nothing_answers_is_damped_out():
    """U is singular there: the paper's special measures. Pads made of one node, of a line of them.

    The rest of the tread is a third pad, so that all three are the whole one.
    """
    points = np.asarray(ON.soles[0].points)[:, :2]
    row = np.isclose(points[:, 0], points[:, 0].max())
    corner = row & np.isclose(points[:, 1], points[row, 1].max())
    pad = np.where(corner, 0, np.where(row, 1, 2))
    known = ContactModel(ON, 1.0, (np.repeat([0, 1], 3), np.concatenate([pad, pad + 3])))
    for closed, rank in (((0,), 1), ((0, 1), 2), ((0, 1, 2), 3)):
        found = known.inverses(np.isin(np.arange(6), closed))[0]
        touching = np.isin(pad, closed)
        one = instantaneous_U(ON.soles[0], np.where(touching, 1, 0))
        answers = np.linalg.eigvals(one @ found).real  # 1: as it should be, 0: nothing is moved
        assert (answers > 0.9).sum() == rank
        assert answers.min() > -1e-9 and answers.max() < 1 + 1e-9
        scale = np.sqrt(np.abs(np.diag(U[0])))
        loudest = np.abs(scale[:, None] * found * scale).max()
        assert loudest < 100 * np.abs(scale[:, None] * np.linalg.inv(U[0]) * scale).max()
    with pytest.raises(SoleError, match="a line, a point or nothing"):
        inverse(instantaneous_U(ON.soles[0], np.where(corner, 1, 0)))


def test_rigid_soles_have_no_contact_model():
    with pytest.raises(SoleError, match="soles that yield"):
        ContactModel(feet(rigid=True), 1.0)


@settings(max_examples=40)
@given(
    k=st.floats(5e5, 3e7),
    g_a=st.floats(0.0, 1.0),
    kappa=st.floats(0.5, 30.0),
    delta=st.floats(0.01, 0.05),
)
def test_the_damping_tells_which_loops_hold(k, g_a, kappa, delta):
    """Against the loop stepped in time: it grows if and only if the damping is negative."""
    damping = loop_damping(k, MASS, delta, g_a, kappa, T)
    if abs(damping) < 0.01:
        return  # too close to tell in a second
    w = np.sqrt(k / MASS)
    c, speed, x, v = 1e-3, 0.0, 0.0, 0.0
    peaks = []
    for _ in range(1500):
        e = k * (c + x)
        rate = -kappa * e / (k * delta) + v
        v -= T * g_a * e / MASS
        a, b = c + x, speed + rate  # exactly: a mass on a spring whose foot moves steadily
        speed = -a * w * np.sin(w * T) + b * np.cos(w * T) - rate
        x += rate * T
        c = a * np.cos(w * T) + b / w * np.sin(w * T) - x
        peaks.append(abs(e))
        if peaks[-1] > 1e9 * peaks[0]:
            break
    grew = len(peaks) < 1500 or max(peaks[-300:]) > max(peaks[:300])
    assert grew == (damping < 0)


def test_without_sampling_the_damping_is_that_of_the_closed_form():
    for g_a, kappa in ((0.0, 1.0), (0.5, 2.0), (1.0, 3.0)):
        wanted = kappa / (2 * 0.03 * np.sqrt((1 + g_a) * 1e6 / MASS))
        assert loop_damping(1e6, MASS, 0.03, g_a, kappa, 1e-6) == pytest.approx(wanted, rel=1e-3)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"kappa": 45.0}, r"kappa T/delta = .* must be below 2"),
        ({"delta": 4e-4, "kappa": 1.0}, "must be below 2"),
        ({"kappa": 0.3, "g_a": 1.0}, r"has the damping -0\.\d+: it is unstable"),
    ],
)
def test_loops_that_diverge_are_refused(values, said):
    with pytest.raises(ConfigError, match=said):
        ForceControl(ON, plan_standing(ON.robot, 0.1), choice=ForceChoice(**values), period=T)


def test_pads_without_their_switches_are_refused():
    plan, choice = plan_standing(ON.robot, 0.1), ForceChoice(U="pads")
    with pytest.raises(SoleError, match="needs the pads of the feet, got none"):
        ForceControl(ON, plan, choice=choice, period=T)
    pads = pads_of(ON)
    law = ForceControl(ON, plan, choice=choice, pads=(pads.sides, pads.nodes), period=T)
    with pytest.raises(SoleError, match=f"needs a switch for each of {len(pads.sides)} pads"):
        law.contact.inverses(np.ones(len(pads.sides) + 1))


def test_wrong_gains_are_refused():
    for values, said in (
        ({"g_a": 1.5}, "g_a"),
        ({"delta": 0.0}, "delta"),
        ({"balance": "luck"}, "imu"),
        ({"U": "toe"}, "pads"),
    ):
        with pytest.raises(ConfigError, match=said):
            ForceChoice(**values)


def test_a_file_with_wrong_gains_names_its_table_once():
    with pytest.raises(ConfigError) as said:
        structure({"control": {"force": {"delta": -0.02}}}, Scenario, "walk.toml")
    assert str(said.value) == "walk.toml: control.force: delta must be positive, got -0.02"


@pytest.mark.parametrize("values", [{}, {"U": "pads", "balance": "imu"}])
def test_a_robot_stands_upright_under_force_control_and_the_bits_repeat(values):
    scenario = Scenario(
        sole=SoleChoice(size=0.06, element="p1"),
        gait=Standing(initial=0.3, final=0.2),
        plan=PlanChoice(kind="online"),
        control=ControlChoice(kind="force", force=ForceChoice(**values)),
        settle=0.3,
    )
    made, ends = assemble_walk(scenario), []
    for _ in range(2):
        last = [step for step, _ in made.steps()][-1]
        ends.append(last.state.q)
    assert (ends[0] == ends[1]).all()
    q = ends[0]
    assert 2 * np.hypot(q[3], q[4]) < np.radians(0.1)
    assert last.contact.wrenches[:, 2] == pytest.approx(
        np.full(2, ON.robot.mass * 9.81 / 2), rel=0.02
    )
