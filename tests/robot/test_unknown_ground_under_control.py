"""Sole-aware control on ground that its plan does not know, and on readings that drift."""

from __future__ import annotations

import numpy as np
import pytest
from aware_cases import felt_by
from doors import door

from robot.control import SoleAware
from robot.control.balance_kernels import RISING, STANDS, lift_plan
from robot.control.plan_targets import Aims, read_aims
from robot.control.whole_body_kernels import move_foot
from robot.gait import Standing
from robot.walk import ControlChoice, Scenario, SoleChoice, assemble_walk, replace_values

T = 1e-3


@pytest.fixture(scope="module")
def stood():
    """A robot that stands on 1 MPa."""
    return assemble_walk(scenario())


def scenario(**tables):
    bare = Scenario(
        sole=SoleChoice(young=1e6, size=0.06, element="p1"),
        gait=Standing(initial=0.05, final=0.05),
        control=ControlChoice(kind="sole-aware"),
        settle=0.3,
    )
    return replace_values(bare, **tables)


def test_the_plan_is_lifted_to_the_treads_that_carry(stood):
    """Treads 10 mm below their plan: lift' = rate (e - lift); a foot that sinks changes nothing."""
    control = SoleAware(stood.feet, stood.plan)
    felt = felt_by(stood)
    aims = Aims(*read_aims(control.targets.row(0)))
    memory = control.gait
    memory.mode[:] = STANDS
    for _ in range(100):
        door(lift_plan)(felt, aims, control.limbs, control.gains, memory)
    assert abs(memory.lift[0]) < 2e-5  # the soles are sunk by 0.1 mm and more
    low = felt._replace(p=felt.p - [0.0, 0.0, 0.01])
    memory.lift[:] = 0.0
    for _ in range(200):
        door(lift_plan)(low, aims, control.limbs, control.gains, memory)
    assert memory.lift[0] == pytest.approx(-0.01 * (1 - np.exp(-RISING * 0.2)), rel=0.02)
    # a foot in the air does not tell the height of the ground
    memory.lift[:], memory.mode[:] = 0.0, 0
    door(lift_plan)(low, aims, control.limbs, control.gains, memory)
    assert memory.lift[0] == 0.0


def test_a_late_foot_goes_down_faster_and_faster(stood):
    """Its acceleration is the derivative of its speed, which ends at `reach`."""
    control = SoleAware(stood.feet, stood.plan)
    felt = felt_by(stood)
    aims = Aims(*read_aims(control.targets.row(0)))
    memory, g = control.gait, control.gains
    memory.mode[:] = 2
    n, speeds, pushed = len(stood.feet.robot.joints), [], []
    J = np.zeros((6, n + 12))
    J[:, :6] = np.eye(6)
    for age in np.arange(0.0, 0.12, T):
        memory.age[:] = age
        wanted = []
        for u in (0.0, 1.0):  # wanted = a + 2 g (speed - u): two equations
            H, f = np.zeros((n + 12, n + 12)), np.zeros(n + 12)
            moving = felt._replace(u=np.full((2, 6), u))
            door(move_foot)(0, aims, g, moving, memory, np.zeros(6), J, np.zeros(6), H, f)
            wanted.append(-f[2] / H[2, 2])
        assert wanted[0] - wanted[1] == pytest.approx(2 * g.swing)
        pushed.append(wanted[0])
    # undo the damping by the speed itself
    for k, age in enumerate(np.arange(0.0, 0.12, T)):
        late = max(age - 0.04, 0.0)
        speeds.append(-min(0.003 * np.expm1(age / 0.025) + 10.0 * late, g.reach))
        assert np.isfinite(pushed[k])
    slopes = np.gradient(speeds, T)
    smooth = [k for k in range(3, 117) if abs(k - 40) > 2 and abs(speeds[k]) < 0.28]
    found = np.array(pushed) - 2 * g.swing * np.array(speeds)
    assert found[smooth] == pytest.approx(slopes[smooth], rel=0.05, abs=0.02)
    assert found[-1] == pytest.approx(0.0) and speeds[-1] == -g.reach


def test_flat_treads_tell_the_waist_s_attitude():
    """An estimate that is off by 4 mrad in pitch comes back at 5/s; without soles it does not."""
    import pinocchio as pin

    left = []
    for known in (True, False):
        walk = assemble_walk(scenario(sensing={"kind": "noisy"}, duration=0.4))
        off = pin.exp3(np.array([0.0, 4e-3, 0.0]))
        q = walk.estimator.q
        q[3:7] = pin.Quaternion(off @ pin.Quaternion(q[3:7]).matrix()).coeffs()
        if not known:
            walk.estimator.compliance = None
        *_, (step, _) = walk.steps()
        true, told = (pin.Quaternion(x[3:7]).matrix() for x in (step.state.q, walk.estimator.q))
        left.append(np.linalg.norm(pin.log3(told @ true.T)))
    assert left[0] < 4e-3 * np.exp(-5 * 0.4) * 1.5 < 2e-3 < left[1]


def test_soles_stiffer_than_sensors_tell_count_as_less_stiff():
    """100 MPa with noise: K6 of the program is cut; with the true state it is not."""
    stiff = [
        assemble_walk(scenario(sole={"young": 1e8}, settle=0.0, sensing={"kind": kind}))
        for kind in ("true", "noisy")
    ]
    exact, cut = (walk.controller.contact.whole[0].K[2, 2] for walk in stiff)
    assert cut == pytest.approx(4e7, rel=0.01) and exact > 5 * cut
    assert exact == pytest.approx(feet_stiffness(stiff[0]), rel=1e-9)


def feet_stiffness(walk):
    return walk.feet.soles[0].foot_stiffness[2, 2]
