"""Sole-aware control of feet whose sole has a second part, on a toe joint."""

from __future__ import annotations

import numpy as np
import pytest
from aware_cases import standing

from robot.control.contact_stiffness import CELLS, SIDE, toe_twists
from robot.gait import Walking
from robot.scenery import Start
from robot.walk import ControlChoice, Scenario, SoleChoice, assemble_walk

MIDDLE = CELLS * SIDE + CELLS


@pytest.fixture(scope="module")
def stood():
    """lola-like on 1 MPa."""
    return standing(robot="lola-like")


def test_the_twist_of_a_toe_is_that_of_its_points(stood):
    """Bend the joint a little: points of the toe move by j beside the foot."""
    import pinocchio as pin

    on, q = stood.feet, np.array(stood.plan.q_ref[0])
    model = on.robot.model
    data = model.createData()
    pin.computeJointJacobians(model, data, q)
    columns, twists = toe_twists(on, data)
    point = np.array([0.09, 0.02, -on.thicknesses[0]])
    frames = [part.frame for part in on.touching if part.name in ("left", "left toe")]
    places = []
    for angle in (-1e-4, 1e-4):
        bent = q.copy()
        bent[columns[0] + 1] += angle
        pin.framesForwardKinematics(model, data, bent)
        foot, toe = (data.oMf[frame] for frame in frames)
        places.append(foot.actInv(toe.act(point)))
    arm = point - [0.0, 0.0, -on.thicknesses[0]]
    moved = twists[0, :3] + np.cross(twists[0, 3:], arm)
    assert moved == pytest.approx((places[1] - places[0]) / 2e-4, abs=1e-6)
    assert np.linalg.norm(moved) > 0.01


def test_a_toe_moves_the_wrench_as_its_nodes_do(stood):
    """K6 e is the wrench of all nodes when only those of the toe move, by the whole compliance."""
    sole, contact = stood.feet.soles[0], stood.controller.contact
    contact.fill(np.array([MIDDLE, MIDDLE]))
    m = len(sole.points)
    moved = np.asarray(sole.geometry).reshape(m, 3, 6) @ contact.toes[0]
    moved[~contact.on_toe[0]] = 0.0
    w = np.asarray(sole.geometry).T @ np.linalg.solve(sole.compliance, moved.ravel())
    K, e = contact.tables.matrices[0, MIDDLE, 0], contact.tables.bends[0, MIDDLE]
    assert K @ e == pytest.approx(w, rel=1e-6, abs=1e-6 * np.abs(w).max())


def test_the_torque_of_a_toe_carries_its_part_of_the_load(stood):
    """The toe stays straight: its servo has next to nothing to do."""
    control = stood.controller
    step, command = next(stood.steps())
    toe = control.limbs.toes[0]
    load = step.contact.wrenches[1][2]  # of the left toe
    assert 20.0 < load and command.torques[toe - 6] > 0.03 * load
    bent = step.state.q[toe + 1] - stood.plan.q_ref[0][toe + 1]
    assert stood.scenario.control.kp * abs(bent) < 0.05 * command.torques[toe - 6]


@pytest.mark.nightly
def test_a_robot_with_toes_walks_over_a_rise_that_it_does_not_know():
    """1 cm: without the toes in the law it falls at the second step after it."""
    walk = assemble_walk(
        Scenario(
            robot="lola-like",
            ground="step:0.01,0.525",
            start=Start(z=0.0),
            sole=SoleChoice(young=3e6),
            gait=Walking(steps=3, forward=0.35),
            control=ControlChoice(kind="sole-aware"),
            settle=0.3,
        )
    )
    tilt = 0.0
    for step, _ in walk.steps():
        tilt = max(tilt, 2 * float(np.hypot(step.state.q[3], step.state.q[4])))
        assert not walk.fallen(step)
        if step.state.time > walk.duration:
            break
    assert np.degrees(tilt) < 1.0 and walk.controller.failures == 0
