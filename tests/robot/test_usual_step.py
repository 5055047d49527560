"""The usual step follows from the legs: scaled copies of a humanoid take scaled steps."""

from __future__ import annotations

from math import sqrt

import pytest
from scaled_humanoid import copy_of

from robot.gait import Landing, UsualStep, Walking, describe_usual, usual_step
from robot.measures import verdict
from robot.model import load_robot
from robot.model.robots import humanoids
from robot.walk import RecordingOptions, Scenario, SoleChoice, assemble_walk, execute


@pytest.mark.parametrize("name", humanoids())
def test_our_humanoids_keep_the_step_of_long_legs(name):
    robot = load_robot(name)
    assert usual_step(robot) == UsualStep(0.2, 0.06, 0.7, 0.1)
    assert describe_usual(robot) == ""


def test_steps_of_short_legs_are_dynamically_similar():
    hips = load_robot("hrp2-like").hips_over_soles / 1.539
    for height in (0.4, 0.8, 1.2):
        robot = copy_of(height)
        assert robot.hips_over_soles == pytest.approx(hips * height, rel=1e-9)
        step, s = usual_step(robot), hips * height / 0.6
        # rounded to 1 mm and 10 ms
        assert step.forward == pytest.approx(0.2 * s, abs=0.51e-3)
        assert step.lift == pytest.approx(0.06 * s, abs=0.51e-3)
        assert step.single == pytest.approx(0.7 * sqrt(s), abs=5.1e-3)
        assert step.double == pytest.approx(0.1 * sqrt(s), abs=5.1e-3)
    assert usual_step(copy_of(1.8)) == UsualStep()
    assert describe_usual(copy_of(0.4)) == (
        "the usual step follows from hips 0.17 m high: 56 mm long, 17 mm high, 0.37 s on one foot "
        "and 0.05 s on both"
    )


def test_what_is_given_stays():
    robot = copy_of(0.8)
    own = Walking(forward=0.2, single=0.9).fitted(robot)
    assert (own.forward, own.single) == (0.2, 0.9)
    assert (own.lift, own.double) == usual_step(robot)[1::2]
    listed = Walking(footstep=(Landing(foot="left", x=0.05, y=0.05),)).fitted(robot)
    assert listed.forward is None and listed.lift == own.lift


@pytest.mark.parametrize("height", [0.4, 0.8, 1.8])
def test_the_usual_walk_is_within_reach_at_any_size(height):
    robot = copy_of(height)
    plan = Walking(steps=3).plan(robot, 1e-2, 0.02)
    steps = plan.schedule.footsteps.steps
    length = steps[1].foothold.x - steps[0].foothold.x
    assert length == pytest.approx(usual_step(robot).forward, abs=1e-12)


@pytest.mark.nightly
@pytest.mark.parametrize("height", [0.4, 0.8])
def test_small_robots_walk_without_options(height):
    scenario = Scenario(gait=Walking(steps=2), sole=SoleChoice(size=0.06))
    made = assemble_walk(scenario, robot=copy_of(height))
    assert made.notes[-1].startswith("the usual step follows from hips")
    run, error = execute(made, RecordingOptions())
    assert error is None and verdict(run).endswith("stands")
