"""Boxes and points on other links than the feet, from a scenario."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest
from robot_cases import G, feet, momentum_residual

from robot.gait import Standing
from robot.measures import metrics
from robot.model import Solid, load_robot
from robot.recorder import Recorder
from robot.scenery import FreeBox, Touch, touching_of, with_boxes
from robot.scenery.contact_points import bounding_corners, corners_of_link
from robot.sensing.step_senses import without_objects
from robot.simulator import Command
from robot.walk import ControlChoice, Scenario, SoleChoice, assemble_walk, load_scenario
from robot.walk.scenario_tables import Sensing
from sole.base.errors import ConfigError

PARCEL = FreeBox(name="parcel", size=(0.2, 0.2, 0.1), mass=2.0, place=(0.6, 0.0, 0.05))
# The left palm of the half-sitting posture is at (0.051, 0.351, 0.580 + 0.020) m.
BLOCK = FreeBox(name="block", size=(0.1, 0.1, 0.64), mass=4.0, place=(0.17, 0.35, 0.32))
SCENE = Scenario(
    sole=SoleChoice(size=0.06, element="p1"),
    gait=Standing(initial=0.1, final=0.2),
    box=(PARCEL, BLOCK),
    touch=(Touch(frame="left_palm", against="block"), Touch(frame="right_palm")),
    tolerance=1e-8,
)


class Reach:
    """Swings the left arm forward at the shoulder by `angle` within 0.3 s."""

    period = 1e-3

    def __init__(self, robot, angle=-0.5):
        self.q, self.angle = np.array(robot.q0[7:]), angle
        self.joint = robot.joint("left_shoulder_pitch")

    def update(self, sensed, t):
        assert sensed.q.shape == (37,)
        assert sensed.v.shape == (36,)
        q, v = self.q.copy(), np.zeros_like(self.q)
        q[self.joint] += self.angle * min(t / 0.3, 1.0)
        return Command(positions=q, velocities=v)


@pytest.fixture(scope="module")
def pushed():
    made = assemble_walk(SCENE)
    made.controller = Reach(made.feet.robot)
    recorder = Recorder(
        made.simulator, made.start, SCENE.dt, feet=made.feet, scenario=asdict(SCENE)
    )
    before, worst, hand = made.start, 0.0, []
    for step, command in made.steps():
        recorder.record(step, command)
        residual = momentum_residual(made.simulator, before, step)
        worst = max(worst, np.abs(residual).max())
        hand.append(step.wrenches[-2])
        before = step.state
    return made, recorder.run(), worst, np.array(hand), step


def test_the_hand_pushes_a_free_box(pushed):
    made, run, worst, hand, _ = pushed
    n = 37
    parcel, block = run["q"][:, n : n + 3], run["q"][:, n + 7 : n + 10]
    assert block[-1, 0] > 0.17 + 0.01
    assert np.abs(parcel - PARCEL.place).max() < 1e-6
    # Palm against block: backwards on the robot, and only where they met.
    assert hand[:, 0].min() < -5.0
    assert hand[:, 0].max() < 5.0
    assert worst < 1e-10 * G * (made.feet.robot.mass + 6.0)


def test_records_speak_of_the_robot_and_keep_the_energy_of_all(pushed):
    made, run, _, _, _ = pushed
    assert run.header["mass"] == pytest.approx(58.0, abs=1.5)
    assert run.header["joints"] == list(made.feet.robot.joints)
    assert run["torque"].shape[1] == 30
    # The centre of mass is not drawn to the boxes.
    import pinocchio as pin

    model = made.feet.robot.model
    data = model.createData()
    for i in (0, 200):
        pin.centerOfMass(model, data, run["q"][i, :37], run["v"][i, :36])
        assert run["com"][i] == pytest.approx(data.com[0], abs=1e-12)
        assert run["com_velocity"][i] == pytest.approx(data.vcom[0], abs=1e-12)
    assert metrics(run)["fell"].value is False
    standing = run["wrench_world"][:, :, 2].sum(axis=1)[-1]
    assert standing == pytest.approx(G * made.feet.robot.mass, rel=0.1)


def test_controllers_see_the_robot_alone(pushed):
    made, _, _, _, step = pushed
    own = without_objects(step, made.feet)
    assert own.state.q.shape == (37,)
    assert own.acceleration.shape == (36,)
    assert own.contact.wrenches.shape == (2, 6)
    noisy = assemble_walk(
        replace(
            SCENE,
            sensing=Sensing(kind="noisy"),
            gait=Standing(initial=0.01, final=0.01),
        )
    )
    assert sum(1 for _ in noisy.steps()) == 20


def test_a_box_rests_on_a_hand_in_closed_form():
    """3 kg on a tray in the left hand: its weight to round-off, momentum in balance, no creep."""
    scene = replace(SCENE, box=(), touch=(), gait=Standing(initial=0.03, final=0.03))
    bare = assemble_walk(scene)
    import pinocchio as pin

    robot = bare.feet.robot
    data = robot.model.createData()
    pin.framesForwardKinematics(robot.model, data, bare.start.q)
    palm = data.oMf[robot.contact_points["left_palm"]]
    top = palm.translation + np.array([0.0, 0.0, 0.2])
    tray = [top + np.array([x, y, 0.0]) for x in (-0.05, 0.05) for y in (-0.05, 0.05)]
    points = tuple(tuple(float(a) for a in palm.actInv(c)) for c in tray)
    place = tuple(top + np.array([0.0, 0.0, 0.0501]))
    box = FreeBox(name="b", size=(0.3, 0.3, 0.1), mass=3.0, place=place)
    made = assemble_walk(
        replace(scene, box=(box,), touch=(Touch(frame="left_palm", against="b", points=points),))
    )
    before, methods = made.start, set()
    for step, _ in made.steps():
        residual = momentum_residual(made.simulator, before, step)
        assert np.abs(residual).max() < 1e-9 * G * robot.mass
        methods |= {s.method for s in step.contact.solutions}
        assert step.contact.energy.contact < 1e-12
        before = step.state
    assert methods == {"sticking"}
    assert step.wrenches[-1, 2] == pytest.approx(-3.0 * G, rel=1e-2)
    assert np.abs(step.contact.twists[-6:]).max() < 1e-9  # of the hand on the box


def test_corners_of_solids():
    box = Solid(kind="box", link="a", joint=1, placement=np.eye(4), size=[0.2, 0.4, 0.6])
    assert np.abs(bounding_corners(box)).min(axis=0) == pytest.approx([0.1, 0.2, 0.3])
    assert len(bounding_corners(box)) == 8
    for kind, top, count in (("cylinder", 0.5, 16), ("capsule", 0.7, 10), ("sphere", 0.2, 6)):
        length = 0.0 if kind == "sphere" else 1.0
        solid = Solid(kind=kind, link="a", joint=1, placement=np.eye(4), size=[0.2, length, 0])
        x = bounding_corners(solid)
        assert len(x) == count
        assert x[:, 2].max() == -x[:, 2].min() == pytest.approx(top)
        assert np.hypot(x[:, 0], x[:, 1]).max() == pytest.approx(0.2)


def test_a_box_has_six_sides_and_no_floor():
    x = np.array([[0.0, 0.0, -0.2], [0.0, 0.0, 0.06], [0.13, 0.0, -0.04], [0.0, 0.095, -0.04]])
    found = PARCEL.ground.query(x)
    assert found.gap[:, 0] == pytest.approx([0.15, 0.01, 0.03, -0.005])
    assert np.array_equal(found.normal[:, 0], [[0, 0, -1], [0, 0, 1], [1, 0, 0], [0, 1, 0]])


def test_points_of_a_hand_are_the_corners_of_its_solid_in_its_axes():
    robot = load_robot("hrp2-like")
    x = corners_of_link(robot, robot.contact_points["left_palm"])
    # The hand is a box of 60 x 80 x 120 mm about z = -70 mm of its link, the palm at -130 mm.
    assert np.ptp(x, axis=0) == pytest.approx([0.06, 0.08, 0.12])
    assert x.mean(axis=0) == pytest.approx([0.0, 0.0, 0.06], abs=1e-12)


def test_a_box_may_touch_a_box_and_a_point_its_own_place():
    robot = feet().robot
    scenery = with_boxes(robot.model, SCENE.box)
    stacked = touching_of(Touch(frame="parcel", against="block"), robot, SCENE.box, scenery)
    assert np.array_equal(stacked.body.points, PARCEL.points)
    assert stacked.against is scenery.surfaces[1]
    place = ((0.01, 0.02, 0.03),)
    knee = touching_of(Touch(frame="left_knee", points=place), robot, SCENE.box, scenery)
    assert knee.body.points == pytest.approx(np.array(place))
    assert knee.against is None


@pytest.mark.parametrize(
    ("touch", "reason"),
    [
        ({"frame": "tail"}, "no frame 'tail'.*left_palm"),
        ({"frame": "left_palm", "against": "wall"}, "expected one of world, parcel, block"),
        ({"frame": "parcel"}, "boxes always touch the world"),
        ({"frame": "imu", "friction": -1.0}, "friction"),
        ({"frame": "parcel", "against": "parcel"}, "another body"),
        ({"frame": "left_palm", "points": ()}, "points is empty"),
    ],
)
def test_bad_touches_are_refused(touch, reason):
    robot = feet().robot
    scenery = with_boxes(robot.model, SCENE.box)
    with pytest.raises(ConfigError, match=reason):
        touching_of(Touch(**touch), robot, SCENE.box, scenery)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"mass": 0.0}, "mass"),
        ({"size": (0.1, -0.1, 0.1)}, "size"),
        ({"friction": -0.1}, "friction"),
        ({"place": (0.0, np.nan, 0.0)}, "place"),
        ({"name": "left_palm"}, "name is taken"),
        ({"name": "world"}, "name is taken"),
    ],
)
def test_bad_boxes_are_refused(change, reason):
    robot = feet().robot
    with pytest.raises(ConfigError, match=reason):
        with_boxes(robot.model, [replace(PARCEL, **change)])


def test_boxes_and_touches_come_from_toml(tmp_path):
    path = tmp_path / "scene.toml"
    path.write_text(
        'schema = "robot.scenario/1"\n'
        '[[box]]\nname = "parcel"\nsize = [0.2, 0.2, 0.1]\nmass = 2.0\nplace = [0.6, 0, 0.05]\n'
        '[[touch]]\nframe = "left_palm"\nagainst = "parcel"\n'
    )
    scenario = load_scenario(path)
    assert scenario.box == (PARCEL,)
    assert scenario.touch == (Touch(frame="left_palm", against="parcel"),)
    path.write_text('schema = "robot.scenario/1"\n[[box]]\nname = "b"\nweight = 2.0\n')
    with pytest.raises(ConfigError, match=r"box\.0\.weight"):
        load_scenario(path)
    assert ControlChoice().kind == "stabiliser"
