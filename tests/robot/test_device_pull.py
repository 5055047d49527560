"""A device that pulls a walk, and a robot that carries a table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robot.gait import Standing
from robot.haptics import RecordedDevice
from robot.live import DevicePull, HandsOnWalk
from robot.papers.claims.chardonnet_robot import CHARDONNET_ROBOT_CLAIMS
from robot.papers.experiments.hands_and_feet import pull_on_arm_rests
from robot.papers.experiments.touch_and_drag import drag_waist, table_scenario
from robot.scenery import Grip
from robot.walk import Scenario, SoleChoice, assemble_walk
from sole.base.errors import ConfigError
from sole.claims import REPRODUCED, Effort

STAND = Scenario(
    robot="rengifo14",
    sole=SoleChoice(size=0.06, element="p1"),
    gait=Standing(),
    settle=0.2,
)


def test_a_recorded_hand_pulls_the_waist_and_feels_it():
    hands = HandsOnWalk(STAND, every=1)
    ahead = np.linspace(0, 0.05, 100)
    places = np.stack([ahead, 0 * ahead, 0 * ahead], axis=1) + 0.3  # anywhere on the desk
    device = RecordedDevice(places, pressed=[False] * 10 + [True] * 110 + [False])
    pull = DevicePull(hands, device, stiffness=1000.0, gain=20.0)
    hands.advance()
    start = hands.state.q[0]
    for _ in range(150):
        pull.follow()
        hands.advance()
    felt = np.array(device.forces)
    assert (felt[:10] == 0).all() and (felt[122:] == 0).all()
    assert felt[115, 0] < -0.5 and np.linalg.norm(felt, axis=1).max() <= 3.3  # pulls back
    assert hands.state.q[0] > start
    (made,) = hands.walk.scenario.pull
    assert made.end is not None and made.path[-1][1] - made.path[0][1] > 0.04
    assert pull.watch.least > -1e-3  # J: the coupling gives nothing that was not put in


def test_a_device_that_fails_does_no_harm():
    said = []
    hands = HandsOnWalk(STAND, every=1)
    places = np.array([[0.0, 0, 0], [0, 0, 0], [np.nan, 0, 0], [9.0, 0, 0]])
    pull = DevicePull(hands, RecordedDevice(places, pressed=[True]), gain=1.0, tell=said.append)
    hands.advance()
    for _ in range(20):
        pull.follow()
        hands.advance()
    assert not hands.over and len(said) >= 2
    assert max(np.linalg.norm(f) for f in pull.device.inner.forces) <= 3.3 * (1 + 1e-12)


def test_page_and_device_do_not_pull_at_once_and_a_pause_takes_the_force():
    hands = HandsOnWalk(STAND, every=1)
    places = np.linspace([0, 0, 0], [0.05, 0, 0], 40)
    pressed = [False] * 10 + [True] * 20 + [False]
    pull = DevicePull(hands, RecordedDevice(places, pressed=pressed), gain=1.0)
    hands.device = pull
    hands.advance()
    page = {"do": "grab", "joint": 2, "point": [0, 0, 0], "target": [0, 0, 0.5], "stiffness": 100}
    hands.obey(page)
    for _ in range(15):
        hands.advance()
    assert not pull.holding and len(hands.walk.scenario.pull) == 1  # the page was first
    hands.obey({"do": "let go"})
    for _ in range(10):
        hands.advance()
    assert pull.holding and len(hands.walk.scenario.pull) == 2
    assert np.linalg.norm(pull.device.inner.forces[-1]) > 0
    for message in (page, {"do": "move", "target": [1, 0, 0]}, {"do": "let go"}):
        with pytest.raises(ConfigError, match="the device is pulling"):
            hands.obey(message)
    hands.idle()
    assert (pull.device.inner.forces[-1] == 0).all()
    hands.advance()
    hands.begin()  # a restart lets go
    hands.advance()
    assert len(hands.walk.scenario.pull) == 1 and pull.holding  # the button is still pressed
    for _ in range(10):
        hands.advance()
    assert not pull.holding and not hands.pulling
    hands.close()
    assert pull.device.inner.closed


@pytest.mark.nightly
def test_the_waist_is_dragged_by_five_centimetres_and_comes_back():
    numbers = drag_waist(Effort(quick=True)).numbers
    (claim,) = (c for c in CHARDONNET_ROBOT_CLAIMS if c.name == "dragging")
    assert claim.verdict(numbers) == REPRODUCED
    assert 0.045 < numbers["waist_moved"] < 0.055 and numbers["waist_left"] < 0.005
    assert numbers["stiffer"] > 2


def test_soles_and_palms_touch_at_once_while_a_user_pulls():
    made = pull_on_arm_rests(Effort(quick=True))
    (claim,) = (c for c in CHARDONNET_ROBOT_CLAIMS if c.name == "fig1")
    assert claim.verdict(made.numbers) == REPRODUCED
    assert made.numbers["shared"] > 0.5  # s
    assert made.numbers["same"] == 1 and made.numbers["residual"] <= 1e-6
    (axes,) = made.pictures["fig1"]().axes
    assert len(axes.lines) == 6 and axes.get_ylabel() == "vertical force [N]"


def test_palms_carry_half_of_a_table():
    scenario = replace(table_scenario(1e6), duration=0.2, sole=SoleChoice(size=0.07, element="p1"))
    *_, (step, _) = assemble_walk(scenario).steps()
    held = step.couplings[:, :3].sum(axis=0)
    assert np.linalg.norm(held) == pytest.approx(6.0 * 9.81 / 2, rel=0.05)
    missing = replace(scenario, grip=(Grip(frame="left_palm", box="chair"),))
    with pytest.raises(ConfigError, match="no box 'chair'"):
        assemble_walk(missing)
    missing = replace(scenario, grip=(Grip(frame="wing", box="table"),))
    with pytest.raises(ConfigError, match="contact points are left_palm"):
        assemble_walk(missing)
