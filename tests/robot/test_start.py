"""Where a robot stands at first; walking down stairs; nothing begins inside anything else."""

from __future__ import annotations

from dataclasses import replace
from math import pi

import numpy as np
import pytest
from robot_cases import run_of

from robot.gait import Foothold, Standing, Walking
from robot.gait.footholds import Stance
from robot.measures import metrics, verdict
from robot.model import load_robot
from robot.scenery import FreeBox, Start, Touch
from robot.walk import Scenario, SoleChoice, assemble_walk, load_scenario
from robot.walk.assembly import pad_of
from robot.walk.free_start import CLEARANCE
from sole.base.errors import ConfigError
from sole.mesh import quality

DOWN = Scenario(
    ground="stairs:0.28,0.03,3,x=-0.1,y=0.7,heading_deg=270",
    sole=SoleChoice(young=3e6, size=0.06, element="p1"),
    gait=Walking(steps=2, forward=0.28, rise=-0.03, initial=1.0, final=0.8, single=0.7),
    start=Start(x=-0.1, z=0.09, heading=pi / 2),
    tolerance=1e-5,
    settle=0.1,
)
STAND = replace(DOWN, gait=Standing(initial=0.01, final=0.01), settle=0.0)


def test_it_walks_down_stairs_from_where_it_starts_to_where_it_looks():
    run, _ = run_of(DOWN)
    assert metrics(run)["fell"].value is False
    assert verdict(run).endswith("and stands")
    first, last = run["foot_position"][0], run["foot_position"][-1]
    np.testing.assert_allclose(first.mean(axis=0), (-0.1, 0.0, 0.09 + 0.02), atol=1e-3)
    np.testing.assert_allclose(last.mean(axis=0), (-0.1, 0.56, 0.03 + 0.02), atol=2e-3)
    assert first[0, 0] < first[1, 0]  # the left foot is on the left of +y


def test_a_stance_is_carried_rigidly():
    stance = Stance(Foothold(0.1, 0.2, 0.0, 0.3), Foothold(0.0, 0.0, 0.02, 0.1))
    there = stance.at(Foothold(2.0, 1.0, 0.5, 0.2 + np.pi / 2))
    np.testing.assert_allclose(
        (there.left.place, there.right.place), [(1.9, 1.05, 0.49), (2.1, 0.95, 0.51)]
    )
    assert (there.left.yaw, there.right.yaw) == pytest.approx((0.3 + np.pi / 2, 0.1 + np.pi / 2))


@pytest.mark.parametrize(
    ("start", "told"),
    [
        (Start(x=-0.1, z=0.06, heading=pi / 2), r"30 mm inside .* or 0\.03 m higher \(\[start\] x"),
        (
            Start(),
            r"^start: left, node \d+ at \(.*, -?0\.000\) m in the world, is 90 mm inside the",
        ),
    ],
)
def test_a_start_inside_the_ground_is_refused_with_its_depth(start, told):
    with pytest.raises(ConfigError, match=told):
        assemble_walk(replace(STAND, start=start))


def test_a_given_height_of_the_start_is_kept():
    slope = replace(STAND, ground="slope:angle_deg=3", start=Start(z=0.0))
    with pytest.raises(ConfigError, match=r"6\.\d+ mm inside the ground: .* or 0\.006\d* m higher"):
        assemble_walk(slope)
    made = assemble_walk(replace(slope, start=Start(z=0.0064)))
    assert made.scenario.start.z == 0.0064
    assert not made.notes


def gaps(made):
    """The gaps of all nodes of both treads at the start [m], by kinematics."""
    _, R, p = made.simulator.dynamics.frames_at(made.start.q)
    points = [p[k] + t.body.points @ R[k].T for k, t in enumerate(made.simulator.touching)]
    return made.simulator.ground.clearance(np.concatenate(points))


def test_a_start_without_height_is_above_a_slope_and_no_higher():
    """Points at most x ahead on a slope tan a: gap (z - x tan a) cos a = CLEARANCE."""
    made = assemble_walk(replace(STAND, ground="slope:angle_deg=3", start=Start()))
    angle, ahead = np.radians(3.0), max(sole.points[:, 0].max() for sole in made.feet.soles)
    higher = ahead * np.tan(angle) + CLEARANCE / np.cos(angle)
    assert made.scenario.start.z == pytest.approx(higher, abs=2e-9)  # EXACT / cos a
    (note,) = made.notes
    assert note.startswith("the robot starts 6.3 mm higher, so that no ground is in its soles ([st")


UNDER_LEFT = "bump:0.004,0.6,x=0.28,y=0.08"  # with either heading


@pytest.mark.parametrize("heading", [0.0, 0.7])
@pytest.mark.parametrize("ground", ["gravel:400", "gravel:300,0.02,0.03", UNDER_LEFT])
def test_a_start_without_height_leaves_no_stone_in_the_soles(ground, heading):
    """The plan's inverse kinematics puts treads to 1e-9 m; the lift is found to 1e-9 m."""
    made = assemble_walk(replace(STAND, ground=ground, start=Start(x=0.3, heading=heading)))
    lift = made.scenario.start.z
    assert lift > 0
    assert gaps(made).min() == pytest.approx(CLEARANCE, abs=1e-8)
    there = replace(made.scenario, start=replace(made.scenario.start, z=lift))
    assert assemble_walk(there).start.q.tobytes() == made.start.q.tobytes()


def test_a_start_on_a_plane_is_as_it_was():
    made = assemble_walk(replace(STAND, ground="plane", start=Start()))
    assert made.scenario.start == Start(z=0.0)
    assert not made.notes


def test_a_hand_inside_a_box_is_refused():
    """The hand hangs beside the hip; the box is around it."""
    made = assemble_walk(replace(STAND, ground="plane", start=Start()))
    model, data = made.feet.robot.model, made.feet.robot.model.createData()
    import pinocchio as pin

    pin.framesForwardKinematics(model, data, made.start.q)
    place = data.oMf[model.getFrameId("left_hand")].translation
    box = FreeBox(name="crate", size=(0.4, 0.4, 0.4), mass=5.0, place=tuple(place))
    inside = replace(
        STAND,
        ground="plane",
        start=Start(),
        box=(box,),
        touch=(Touch(frame="left_hand", against="crate", points=((0.0, 0.0, 0.0),)),),
    )
    with pytest.raises(ConfigError, match="200 mm inside the box it touches: move one of them"):
        assemble_walk(inside)


def test_a_start_comes_from_toml(tmp_path):
    path = tmp_path / "walk.toml"
    path.write_text('schema = "robot.scenario/1"\n[start]\nz = 0.09\nheading_deg = 90\n')
    assert load_scenario(path).start == Start(z=0.09, heading=pi / 2)
    with pytest.raises(ConfigError, match="start: z must be finite"):
        Start(z=np.inf)


def test_a_walk_on_an_uneven_tread_tells_its_factor(monkeypatch):
    """Outlines of URDFs lose their short edges (40 before); what is left is told."""
    assert quality.tread_factor(pad_of(SoleChoice(size=0.03), load_robot("romeo"))) < 10
    monkeypatch.setattr(quality, "UNEVEN", 2.0)  # a box has 5
    flat = replace(STAND, ground="plane", start=Start())
    (note,) = assemble_walk(flat).notes
    assert note.startswith("areas of tread nodes differ by a factor of ")
