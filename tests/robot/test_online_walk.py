"""Walks on an online plan: ground that the plan does not know, under the stabiliser."""

from __future__ import annotations

import numpy as np
import pytest

from robot.gait import Squatting, Walking
from robot.online import PlanChoice, WalkCommand
from robot.run import load_run
from robot.walk import Scenario, SoleChoice, assemble_walk
from robot.walk.scenario_tables import Sensing
from sole.base.errors import ConfigError, SoleError

SHORT = Walking(steps=2, forward=0.3, initial=0.9, final=0.7)
PAD = SoleChoice(size=0.06, element="p1")
TOML = """schema = "robot.scenario/1"
ground = "step:0.03,-0.45,angle_deg=180"
[sole]
size = 0.06
element = "p1"
[start]
z = 0.03
[gait]
steps = 2
forward = 0.3
initial = 0.9
final = 0.7
[plan]
kind = "online"
"""


def test_a_step_down_that_the_plan_does_not_know(walk, tmp_path):
    """A drop of 3 cm under the second step: the plan waits, steps down, and says so."""
    path = tmp_path / "drop.toml"
    path.write_text(TOML)
    out = tmp_path / "drop.nc"
    code, told, _ = walk(path, "-v", "-o", out)
    assert code == 0
    assert "online" in told
    run = load_run(out)
    assert not run.header["fall"]["fell"]
    events = run.header["events"]
    assert [e["kind"] for e in events][:2] == ["landed", "late"]
    assert events[1]["place"][2] == pytest.approx(0.0, abs=2e-3)
    assert run.time[-1] == pytest.approx(0.9 + 3 * 0.7 + 2 * 0.1 + 0.7, abs=0.2)
    assert np.degrees(np.abs(run["waist_rpy"][:, :2])).max() < 2.0
    # the plan that is kept is the one that was walked: the body follows it to millimetres
    off = np.linalg.norm(run["com"] - run["com_reference"], axis=1)
    assert off.max() < 0.02
    assert run["com_reference"][-1, 2] - run["com_reference"][0, 2] == pytest.approx(
        -0.03, abs=3e-3
    )


def test_noisy_sensors_find_the_obstacle_and_the_bits_repeat():
    """A plate of 2 cm under the first step, met early; a walk can be run again."""
    scenario = Scenario(
        gait=SHORT,
        sole=PAD,
        ground="step:0.02,0.15",
        plan=PlanChoice(kind="online"),
        sensing=Sensing(kind="noisy"),
    )
    made = assemble_walk(scenario)
    ends = []
    for _ in range(2):
        for step, _ in made.steps():
            if step.state.time > 1.75:
                break
        ends.append(step.state.q)
        (event,) = made.online.events
        assert event.kind == "early"
        assert event.place[2] == pytest.approx(0.02, abs=3e-3)
    assert (ends[0] == ends[1]).all()


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"gait": Squatting(), "plan": PlanChoice(kind="online")}, "walks or stands"),
        (
            {"plan": PlanChoice(kind="online", command=(WalkCommand(time=1.0, forward=0.1),))},
            "has no end",
        ),
    ],
)
def test_scenarios_without_sense_are_refused(values, said):
    with pytest.raises(ConfigError, match=said):
        Scenario(**values)


def test_a_command_that_cannot_be_walked_ends_the_run_and_says_why():
    command = (WalkCommand(time=0.1, forward=2.0), WalkCommand(time=3.0, stop=True))
    scenario = Scenario(
        gait=Walking(steps=1),
        sole=PAD,
        plan=PlanChoice(kind="online", command=command),
        settle=0.01,
    )
    with pytest.raises(SoleError, match=r"command of 0.1 s: a step .* out of reach.* \d+ % of"):
        for _ in assemble_walk(scenario).steps():
            pass
