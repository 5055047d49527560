"""Definition 1: torques within limits exist, or not; against the closed forms of one foot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from contact.wrench_cone import rectangle_margin
from robot.gait import KeyPosture, PostureMotion, plan_standing
from robot.model import load_robot
from robot.retime import ConeChoice, motion_stability, weak_stability
from sole.base.errors import SoleError

ROBOT = load_robot("hrp4-like")
X, Y = ROBOT.left.half_size
OUTER = ConeChoice(area=1.0, friction=0.6, pyramid="outer")
FREE = replace(ROBOT, torque=np.full(len(ROBOT.joints), np.inf))


@pytest.fixture(scope="module")
def posture():
    two = (KeyPosture(), KeyPosture(joints={"chest_pitch": 0.4}, com=(0.04, 0.01)))
    path = PostureMotion(posture=two).path(ROBOT)
    return path.motion(np.array([0.0, 1.0]))[0]


def moments(q, w):
    """Return the torques that carry the wrench w on the left foot at rest."""
    model, data, zero = ROBOT.model, ROBOT.model.createData(), np.zeros(ROBOT.model.nv)
    gen = pin.rnea(model, data, q, zero, zero)
    J = pin.computeFrameJacobian(model, data, q, ROBOT.left.frame, pin.LOCAL)
    return gen[6:] - J[:, 6:].T @ w, np.linalg.solve(J[:, :6].T, gen[:6])


def test_one_foot_without_torque_limits_has_the_margin_of_its_rectangle(posture):
    """At rest the load is m g, so the program's margin is the rectangle's closed form."""
    for q in posture:
        found = weak_stability(FREE, q, carrying=(True, False), cone=OUTER)
        _, w = moments(q, np.zeros(6))
        assert found.wrenches[0] == pytest.approx(w, abs=1e-8)
        expected = float(rectangle_margin(w, X, Y, 0.6).value)
        assert found.margin == pytest.approx(expected, abs=1e-7)
        assert not found.wrenches[1].any()


def test_one_foot_with_torque_limits_needs_the_share_of_its_largest_torque(posture):
    q = posture[0]
    tau, _ = moments(q, moments(q, np.zeros(6))[1])
    limit = np.abs(tau) / 0.7 + 1.0
    limit[ROBOT.joint("left_knee")] = abs(tau[ROBOT.joint("left_knee")]) / 0.9
    found = weak_stability(replace(ROBOT, torque=limit), q, carrying=(True, False), cone=OUTER)
    assert found.torque == pytest.approx(tau, abs=1e-7)
    assert found.margin == pytest.approx(0.1, abs=1e-8)
    assert found.limit == "torque of left_knee"
    assert found.stable


def test_two_feet_share_the_load_where_one_alone_cannot():
    """Between the feet no foot alone can stand; both can, and their wrenches balance the weight."""
    q = ROBOT.q0
    alone = weak_stability(ROBOT, q, carrying=(True, False), cone=OUTER)
    both = weak_stability(ROBOT, q, cone=OUTER)
    assert alone.margin < 0 < both.margin
    assert "left foot: tilt about right edge" in alone.limit
    assert both.wrenches[:, 2].sum() == pytest.approx(ROBOT.mass * 9.81, rel=1e-9)
    # by symmetry an optimum carries half the weight on each foot
    weak = replace(ROBOT, torque=0.05 * ROBOT.torque)
    found = weak_stability(weak, q, cone=OUTER)
    assert not found.stable
    assert "torque of" in found.limit


def test_along_a_motion():
    plan = plan_standing(ROBOT, 0.1)
    times, found = motion_stability(ROBOT, plan, cone=OUTER, every=50)
    assert len(times) == len(found) == 3
    here = weak_stability(ROBOT, plan.q_ref[0], cone=OUTER)
    assert found[0].margin == pytest.approx(here.margin, abs=1e-6)


def test_no_foot():
    with pytest.raises(SoleError, match="no foot carries"):
        weak_stability(ROBOT, ROBOT.q0, carrying=(False, False))
