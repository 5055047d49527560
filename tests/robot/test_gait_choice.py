"""Gaits as scenarios name them: what is planned, what is simulated, what is refused."""

from __future__ import annotations

from dataclasses import replace
from math import radians

import numpy as np
import pytest
from robot_cases import G, run_of

from robot.gait import (
    Balancing,
    GaitError,
    KeyPosture,
    Landing,
    PostureMotion,
    Squatting,
    Standing,
    Walking,
)
from robot.measures import metrics
from robot.model import load_robot
from robot.walk import Scenario, SoleChoice, load_scenario, replace_values, save_scenario
from sole.base.errors import ConfigError

ROBOT = load_robot("hrp2-like")
THICK = 0.02
LEFT, FAR = Landing(foot="left", x=0.1, y=0.1), Landing(foot="right", x=0.55, y=-0.1)
ENDS = {"initial": 1.0, "final": 0.8}
QUICK = ENDS | {"single": 0.6}


def planned(kind=Walking, **numbers):
    ends = QUICK if kind is Walking else ENDS
    return kind(**(ends | numbers)).plan(ROBOT, 5e-3, THICK)


def test_a_list_of_footsteps_is_the_walk_it_lists():
    numbers = planned(steps=2, forward=0.1, turn=radians(10), rise=0.02)
    landings = [
        Landing(foot=s.side, x=p.x, y=p.y, z=p.z, yaw=p.yaw)
        for s in numbers.schedule.footsteps.steps
        for p in (s.foothold,)
    ]
    assert len(landings) == 3
    assert landings[0].yaw == pytest.approx(radians(10))
    listed = planned(footstep=tuple(landings))
    assert listed.q_ref == pytest.approx(numbers.q_ref, abs=1e-9)
    assert listed.feet[-1, 0, :3, 3] == pytest.approx(numbers.feet[-1, 0, :3, 3], abs=1e-12)


def test_squats_go_down_and_up_as_often_as_asked():
    plan = planned(Squatting, depth=0.12, period=1.0, cycles=3)
    z = plan.com[:, 2] - plan.com[0, 2]
    at = {t: z[round(t / 5e-3)] for t in (0.5, 1.0, 1.25, 1.5, 2.0, 2.5, 3.5, 4.0)}
    expected = [0.0, 0.0, -0.06, -0.12, 0.0, -0.12, -0.12, 0.0]
    assert list(at.values()) == pytest.approx(expected, abs=1e-12)
    assert plan.end == pytest.approx(1.0 + 3 * 1.0 + 0.8)


def test_balance_lifts_the_other_foot():
    plan = planned(Balancing, leg="right", hold=0.5, lift=0.04)
    z = plan.feet[:, :, 2, 3] - THICK
    assert z.max(axis=0) == pytest.approx([0.04, 0.0], abs=1e-12)
    assert plan.end == pytest.approx(1.0 + 1.0 + 0.5 + 1.0 + 0.8)


def test_the_width_counts_for_every_kind():
    for kind in (Walking, Standing, Squatting, Balancing):
        y = planned(kind, width=0.26).feet[0, :, 1, 3]
        assert y == pytest.approx([0.13, -0.13]), kind


# What a simulated gait does: where it takes mid-feet (x, y, z) [m] and how far it turns [deg].
WALKED = {
    "sideways": (Walking(steps=2, forward=0.0, sideways=0.1, **QUICK), (0.0, 0.1, 0.0), 0.0),
    "turning": (Walking(steps=2, forward=0.0, turn=radians(15), **QUICK), (0.0, 0.0, 0.0), 15.0),
    "stairs": (Walking(steps=2, forward=0.28, rise=0.03, **QUICK), (0.56, 0.0, 0.06), 0.0),
    "squat": (Squatting(period=1.2, cycles=1, **ENDS), (0.0, 0.0, 0.0), 0.0),
    "balance": (Balancing(hold=0.2, **ENDS), (0.0, 0.0, 0.0), 0.0),
}


@pytest.mark.parametrize("name", WALKED)
def test_the_robot_does_it_on_its_soles(name):
    """It arrives, upright; the steps of the stairs are 3 cm high; a leg carries all the weight."""
    gait, moved, turned = WALKED[name]
    run, made = run_of(
        Scenario(
            sole=SoleChoice(young=3e6, size=0.06, element="p1"),
            ground="stairs:0.28,0.03,6,x=0.14" if name == "stairs" else "plane",
            gait=gait,
            tolerance=1e-5,
            settle=0.1,
        )
    )
    found = metrics(run)
    assert found["fell"].value is False
    assert found["waist tilt"].value < np.deg2rad(1.0)
    middle = run["foot_position"].mean(axis=1)
    assert middle[-1] - middle[0] == pytest.approx(moved, abs=2e-3)
    assert run["q"][-1, :3] == pytest.approx(made.plan.q_ref[-1, :3], abs=4e-3)
    yaw = 2 * np.arctan2(run["q"][[0, -1], 5], run["q"][[0, -1], 6])
    assert np.rad2deg(yaw[1] - yaw[0]) == pytest.approx(turned, abs=0.5)
    weight, load = G * made.feet.robot.mass, run["wrench_world"][:, :, 2]
    assert load[-200:].sum(axis=1).mean() == pytest.approx(weight, rel=5e-3)
    if name == "balance":
        held = (run.time > 2.05) & (run.time < 2.15)
        assert load[held, 0].mean() == pytest.approx(weight, rel=2e-2)
        assert not load[held, 1].any()
        up = run["foot_position"][held, 1, 2].mean() - run["foot_position"][0, 1, 2]
        assert up == pytest.approx(0.06, abs=3e-3)
    if name == "squat":
        down = np.ptp(run["q"][:, 2])
        assert down == pytest.approx(np.ptp(made.plan.q_ref[:, 2]), abs=2e-3)
        assert down > gait.depth  # arms and head come along, feet do not


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ({"forward": 0.45}, r"step 1, joint left_knee at .* misses by .* mm; lower com_height"),
        ({"forward": 0.28, "rise": 0.12}, r"out of reach: step 1, joint right_knee at"),
        (
            {"forward": 0.28, "rise": 0.3},
            r"step \d: the robot's height changes by 0\.3 m in",
        ),
        ({"steps": 2, "forward": 0.0, "sideways": 0.3}, r"out of reach: step 1, joint \w+ at"),
        (
            {"kind": Squatting, "depth": 0.5},
            r"out of reach: at \d.* joint left_knee, .* > 2\.62",
        ),
        ({"kind": Balancing, "lift": 0.5}, r"out of reach: step 1, joint right_hip_\w+, .* rad"),
        ({"footstep": (LEFT, replace(FAR, x=0.7))}, r"step 2 \(right\) is out of reach: 0\.632 m"),
        ({"footstep": (LEFT, FAR)}, r"out of reach: step 2, joint \w+ at .* misses by"),
        ({"footstep": (Landing(foot="left", x=0.1, y=-0.1),)}, r"step 1 \(left\) lands on"),
        ({"kind": Squatting, "width": 0.1}, "feet overlap before the first step"),
    ],
)
def test_out_of_reach_names_the_step_and_the_joint(numbers, words):
    with pytest.raises(GaitError, match=words):
        planned(**numbers)


def test_a_lower_centre_of_mass_reaches_farther():
    with pytest.raises(GaitError, match="lower com_height"):
        planned(forward=0.42, steps=1)
    low = planned(forward=0.42, steps=1, com_height=0.72)
    assert low.com[0, 2] == pytest.approx(0.72, abs=1e-9)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Walking(kind="stand"), "kind must be one of walk, got 'stand'"),
        (lambda: Balancing(leg="third"), "leg must be one of left, right"),
        (lambda: Squatting(cycles=0), "cycles must be 1 to 1000, got 0"),
        (lambda: Squatting(depth=-0.1), "depth must be positive"),
        (lambda: Landing(foot="middle", x=0.0, y=0.0), "foot must be one of left, right"),
        (
            lambda: Walking(steps=3, turn=0.1, footstep=(Landing(foot="left", x=0.0, y=0.1),)),
            "steps, turn_deg and a list of footsteps",
        ),
    ],
)
def test_what_makes_no_gait_is_refused(make, words):
    with pytest.raises(ConfigError, match=words):
        make()


OF_KIND = {  # a table [gait], and the gait that it asks for
    "": Walking(),
    "steps = 3\nturn_deg = 10\n": Walking(steps=3, turn=radians(10)),
    'kind = "walk"\nlift = "5 cm"\n': Walking(lift=0.05),
    'kind = "stand"\ninitial = 0.2\nlift = 0.1\n': Standing(initial=0.2, lift=0.1),
    'kind = "squat"\ndepth = 0.2\ncycles = 1\n': Squatting(depth=0.2, cycles=1),
    'kind = "balance"\nleg = "right"\nhold = 1.0\n': Balancing(leg="right", hold=1.0),
    'kind = "postures"\nperiod = 1.0\n[[gait.posture]]\ncom = [0.01, 0.0]\n': PostureMotion(
        period=1.0, posture=(KeyPosture(com=(0.01, 0.0)),)
    ),
}


@pytest.mark.parametrize("text", OF_KIND)
def test_a_table_is_a_gait_of_its_kind_and_is_written_as_that(tmp_path, text):
    path = tmp_path / "gait.toml"
    path.write_text(f'schema = "robot.scenario/1"\n[gait]\n{text}')
    read = load_scenario(path)
    assert read == Scenario(gait=OF_KIND[text])
    save_scenario(path, read)
    assert load_scenario(path) == read
    assert f'kind = "{read.gait.kind}"' in path.read_text()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('kind = "stand"\nsteps = 3', 'gait.steps: a key of kind "walk", not of "stand"'),
        ("leg = 'right'", 'gait.leg: a key of kind "balance" or "postures", not of "walk"'),
        ('kind = "squat"\nturn_deg = 3', 'gait.turn_deg: a key of kind "walk", not of "squat"'),
        ('kind = "run"', "gait: kind must be one of walk, stand, squat, balance, postures, got "),
        ('kind = "balance"\nhodl = 1', "gait.hodl: unknown key, known are kind, initial, final, w"),
        ('kind = "balance"\nhold = "long"', "gait.hold: "),
        ('kind = "squat"\ncycles = 0', "gait: cycles must be 1 to 1000, got 0"),
    ],
)
def test_a_key_of_another_kind_is_refused_with_the_kinds_that_have_it(tmp_path, text, told):
    path = tmp_path / "gait.toml"
    path.write_text(f'schema = "robot.scenario/1"\n[gait]\n{text}\n')
    with pytest.raises(ConfigError) as error:
        load_scenario(path)
    assert str(error.value).startswith(f"{path}: {told}")
    assert "\n" not in str(error.value)


def test_a_key_of_another_kind_with_its_default_passes_as_version_0_2_wrote_it(tmp_path):
    path = tmp_path / "gait.toml"
    others = "steps = 6\nturn_deg = 0.0\nfootstep = []\ndepth = 0.1\nlanding_speed = 0.0\n"
    path.write_text(f'schema = "robot.scenario/1"\n[gait]\nkind = "stand"\n{others}lift = 0.1\n')
    assert load_scenario(path).gait == Standing(lift=0.1)


def test_another_kind_keeps_what_both_have():
    walk = Scenario(gait=Walking(steps=3, width=0.3, lift=0.1, final=2.0))
    assert replace_values(walk, gait={"kind": "balance", "leg": "right"}).gait == Balancing(
        width=0.3, lift=0.1, final=2.0, leg="right"
    )
    with pytest.raises(ConfigError, match=r'gait\.steps: a key of kind "walk", not of "squat"'):
        replace_values(walk, gait={"kind": "squat", "steps": 2})


def test_footsteps_come_from_toml(tmp_path):
    path = tmp_path / "list.toml"
    text = 'schema = "robot.scenario/1"\n[[gait.footstep]]\nfoot = "left"\nx = 0.1\ny = 0.1\n'
    path.write_text(text + "yaw_deg = 10\n")
    assert load_scenario(path).gait.footstep == (
        Landing(foot="left", x=0.1, y=0.1, yaw=radians(10)),
    )
    path.write_text(text + "height = 0.1\n")
    with pytest.raises(ConfigError, match=r"gait\.footstep\.0\.height"):
        load_scenario(path)
