"""Which walks follow their contacts if nothing is said: those on ground that the plan knows not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contact.ground import parse_ground
from robot.gait import Standing, Walking
from robot.model import load_robot
from robot.online import PlanChoice
from robot.retime import RetimeChoice
from robot.scenery import Start
from robot.walk import ContactChoice, ControlChoice, Scenario, SoleChoice, assemble_walk
from robot.walk.plan_kind import with_plan_kind

ROBOT = load_robot("hrp2-like")
BASE = Scenario(gait=Walking(steps=2))


def kind(ground="step:0.005,0.3", **changes):
    return with_plan_kind(replace(BASE, **changes), ROBOT, parse_ground(ground)).plan.kind


@pytest.mark.parametrize(
    ("ground", "changes", "wanted"),
    [
        ("plane", {}, "fixed"),
        ("step:0.005,0.3", {}, "online"),
        ("step:0.0005,0.3", {}, "fixed"),  # half a millimetre
        ("step:0.005,3", {}, "fixed"),  # no foot comes there
        ("step:0.02,-0.3,angle_deg=180", {"start": Start(z=0.02)}, "online"),
        ("step:0.02,-5,angle_deg=180", {"start": Start(z=0.02)}, "fixed"),
        ("slope:angle_deg=3", {}, "online"),
        ("stairs:0.28,0.03,6,x=0.14", {"gait": Walking(steps=3, forward=0.28, rise=0.03)}, "fixed"),
        ("stairs:0.28,0.03,6,x=0.14", {"gait": Walking(steps=3, forward=0.28)}, "online"),
    ],
)
def test_the_ground_decides(ground, changes, wanted):
    assert kind(ground, **changes) == wanted


@pytest.mark.parametrize(
    "changes",
    [
        {"plan": PlanChoice(kind="fixed")},
        {"control": ControlChoice(kind="pd")},
        {"control": ControlChoice(kind="sole-aware")},
        {"gait": Standing()},
        {"contact": ContactChoice(kind="penalty", kp=500.0, kv=50.0)},
        {"retime": RetimeChoice()},
    ],
)
def test_what_keeps_to_a_fixed_plan(changes):
    assert kind(**changes) == "fixed"


def test_the_run_knows_what_was_chosen():
    pad = SoleChoice(size=0.06, element="p1")
    given = replace(BASE, sole=pad, settle=0.0, ground="step:0.005,0.3")
    walk = assemble_walk(given)
    assert given.plan.kind == "auto" and walk.scenario.plan.kind == "online"
    assert walk.online is not None
    assert assemble_walk(replace(given, ground="plane")).online is None
