"""The program of sole-aware control: its law against the simulator's contact, its dynamics."""

from __future__ import annotations

import numpy as np
import pytest
from aware_cases import T, felt_by, solved, standing
from doors import door

from contact.constants import FRICTION
from contact.margins import PressureCone
from robot.control.balance_kernels import GaitMemory, find_modes, share_wrenches
from robot.control.plan_targets import Aims, read_aims


@pytest.fixture(scope="module")
def stood():
    return standing()


def test_the_next_wrench_is_the_simulator_s(stood):
    """w+ = w - T K6 (u + T du/dt) from the program, w+ from exact contact of all nodes.

    The law turns forces about undeformed treads, so it is off by u/L, 2 mm/240 mm.
    """
    control, feet_now = stood.controller, felt_by(stood)
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
    felt, n = felt_by(walk), len(walk.feet.robot.joints)
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


def test_shares_of_a_wrench_add_up_to_it():
    rng = np.random.default_rng(3)
    c, p, force, moment = rng.normal(size=3), rng.normal(size=(2, 3)), *rng.normal(size=(2, 3))
    R = np.stack([np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in range(2)])
    shares, out = np.array([0.3, 0.7]), np.empty((2, 6))
    door(share_wrenches)(c, p, R, force, moment, shares, out)
    f = [R[k] @ out[k, :3] for k in range(2)]
    t = [R[k] @ out[k, 3:] + np.cross(p[k] - c, f[k]) for k in range(2)]
    assert sum(f) == pytest.approx(force) and sum(t) == pytest.approx(moment)
    assert f[0] == pytest.approx(0.3 * force)


def test_a_planned_support_stands_until_its_load_is_gone(stood):
    """3 % of the weight to begin to stand, 0.3 % to go on: no chatter as the load goes away."""
    control = stood.controller
    felt = felt_by(stood)
    aims = Aims(*read_aims(control.targets.row(0)))
    weight, modes = control.gains.mass * 9.81, []
    mode = np.full(2, 2, dtype=np.int64)
    memory = GaitMemory(mode, np.zeros((2, 6)), np.zeros(2), np.zeros((2, 6)), np.zeros(1))
    for share in (0.02, 0.04, 0.02, 0.004, 0.002, 0.02):
        w = felt.w.copy()
        w[0, 2] = share * weight
        door(find_modes)(felt._replace(w=w), aims, control.gains, memory, np.empty((2, 6)))
        modes.append(int(memory.mode[0]))
    assert modes == [2, 1, 1, 1, 2, 2]


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


def test_the_rows_of_a_standing_sole_are_friction_and_its_tread(stood):
    """At a corner of both boxes, a little inside it and a little outside."""
    control = stood.controller
    program, _, _ = solved(stood)
    n, rub = len(stood.feet.robot.joints), control.gains.mu / np.sqrt(3)
    for k in range(2):
        rows = program.A[n + 10 * k : n + 10 * k + 10, n + 6 * k : n + 6 * k + 6]
        (x0, y0), (x1, y1) = control.limbs.edges[k]
        low = np.array([-rub, -rub, y0, -x1, -rub * control.gains.twist])
        high = np.array([rub, rub, y1, -x0, rub * control.gains.twist])
        for end in (low, high):
            corner = np.insert(end, 2, 1.0)
            assert (rows @ corner).max() == pytest.approx(0.0, abs=1e-12)
            for i in (0, 1, 3, 4, 5):  # one at a time
                out = corner.copy()
                out[i] += 0.01 * (corner[i] - (low + high)[i - (i > 2)] / 2)
                assert (rows @ out).max() > 1e-5
