"""Example of the paper's scenes under sole-aware control."""

from __future__ import annotations

import numpy as np
import pytest
from example_scripts import load


@pytest.mark.nightly
def test_a_hand_on_a_table_under_sole_aware_control(tmp_path):
    """It stands, the hand presses, the program always has a solution; the end is drawn."""
    import matplotlib.image

    picture = tmp_path / "table.png"
    found = load("hands_and_soles").play("table", "sole-aware", 1e6, picture)
    assert matplotlib.image.imread(picture).std() > 0.05  # not blank
    assert not found.fell and found.failures == 0
    assert 5.0 < found.force < 60.0 and found.tilt < 1.0


def test_the_plan_of_a_lean_keeps_the_feet():
    """Body and arms move, both feet stay."""
    from robot.gait import Standing
    from robot.walk import Scenario, SoleChoice, assemble_walk

    example = load("hands_and_soles")
    arms, lean = example.ARMS["wall"]
    sole = SoleChoice(size=0.06, element="p1")
    stand = Scenario(sole=sole, gait=Standing(initial=0.5, final=0.7), settle=0.0)
    walk = assemble_walk(stand)
    robot, plan = walk.feet.robot, example.moved_plan(walk.plan, walk.feet.robot, arms, lean)
    import pinocchio as pin

    data = robot.model.createData()
    places = []
    for q in (plan.q_ref[0], plan.q_ref[-1]):
        pin.framesForwardKinematics(robot.model, data, q)
        places.append([data.oMf[foot.frame].homogeneous for foot in robot.feet])
        com = pin.centerOfMass(robot.model, data, q)[0]
        places[-1].append(com)
    for before, after in zip(places[0][:2], places[1][:2], strict=True):
        assert after == pytest.approx(before, abs=1e-4)
    assert places[1][2] - places[0][2] > 0.01  # the centre of mass goes forward
    k = len(plan.times) // 2
    step = pin.difference(robot.model, plan.q_ref[k - 1], plan.q_ref[k])
    assert np.allclose(step, plan.dt * plan.v_ref[k], atol=1e-9)
