"""Our own humanoids: published sizes, mirrored sides, inertia of simple solids."""

from __future__ import annotations

import math
import tomllib
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from robot.model import build_robot, humanoids, load_humanoid, load_robot
from robot.model.robots import FOLDER
from robot.summaries.model_summary import describe_robot
from sole.base.errors import ConfigError

# joints, mass [kg], height with straight legs [m], foot [m]
PUBLISHED = {
    "hrp2-like": (30, 58.0, 1.539, (0.24, 0.14)),
    "hrp4-like": (34, 39.0, 1.514, (0.224, 0.130)),
    "lola-like": (24, 60.0, 1.80, (0.25, 0.12)),
    "rengifo14": (14, 43.0, 1.38, (0.22, 0.12)),
}


@pytest.fixture(scope="module", params=humanoids())
def robot(request):
    return load_robot(request.param)


def test_sizes(robot):
    joints, mass, height, foot = PUBLISHED[robot.name]
    rows = describe_robot(robot).quantities
    assert len(robot.joints) == joints == robot.model.nv - 6
    assert robot.mass == pytest.approx(mass, rel=1e-12)
    assert rows["height at zero"].value == pytest.approx(height, abs=1e-9)
    np.testing.assert_allclose(2 * robot.left.half_size, foot, atol=1e-15)


def test_a_robot_without_shapes_has_no_height():
    rows = describe_robot(replace(load_robot("rengifo14"), solids=())).quantities
    assert rows["height"].value is None and "no shape of a link" in rows["height"].remark


def test_waist_of_hrp2_half_sitting():
    """0.105 + 0.3 cos 24 deg + 0.3 cos 26 deg = 0.6487 m, the published waist height."""
    robot = load_robot("hrp2-like")
    height = 0.105 + 0.3 * math.cos(math.radians(24)) + 0.3 * math.cos(math.radians(26))
    assert describe_robot(robot).quantities["waist height"].value == pytest.approx(height, abs=1e-9)
    assert height == pytest.approx(0.649, abs=5e-4)


# published numbers of joints: both legs, both arms, both hands, waist or pelvis, neck
ARRANGED = {
    "hrp2-like": (12, 12, 2, 2, 2),
    "hrp4-like": (12, 14, 4, 2, 2),
    "lola-like": (14, 6, 0, 2, 2),
    "rengifo14": (14, 0, 0, 0, 0),
}


def test_arrangement_of_the_joints(robot):
    parts = {
        "leg": ("hip", "knee", "ankle", "toe"),
        "arm": ("shoulder", "elbow", "wrist"),
        "hand": ("grip",),
        "waist": ("chest", "pelvis"),
        "neck": ("head",),
    }
    counts = [sum(any(w in j for w in words) for j in robot.joints) for words in parts.values()]
    assert tuple(counts) == ARRANGED[robot.name]
    legs = [[robot.model.names[j] for j in leg] for leg in robot.legs]
    assert [name.replace("left", "right") for name in legs[0]] == legs[1]


def test_rengifo14_is_five_links_on_two_rectangles():
    """What has mass: the trunk, two thighs, two shanks, two feet of eight corners in all."""
    robot = load_robot("rengifo14")
    heavy = [j for j in range(1, robot.model.njoints) if robot.model.inertias[j].mass > 0]
    bodies = [robot.model.frames[robot.model.getBodyId(s.link)].name for s in robot.solids]
    assert len(heavy) == 7
    words = ("trunk", "thigh", "shank", "foot")
    assert [sum(w in name for name in set(bodies)) for w in words] == [1, 2, 2, 2]
    assert all(foot.rectangular for foot in robot.feet)


def test_rotors_are_in_the_mass_matrix():
    robot = load_robot("hrp2-like")
    bare = robot.model.copy()
    bare.armature = np.zeros(bare.nv)
    M, N = (np.diag(pin.crba(m, m.createData(), robot.q0)) for m in (robot.model, bare))
    rotors = {"left_knee": 0.2, "right_elbow": 0.06, "left_grip": 0.005}
    for name, rotor in rotors.items():
        row = 6 + robot.joint(name)
        assert M[row] - N[row] == pytest.approx(rotor, rel=1e-12)


def test_a_mirrored_posture_moves_the_mirrored_robot(robot):
    """Swap left and right and the sign about x and z: centre of mass and feet are mirrored."""
    axes = {
        name: robot.model.joints[j].shortname()[-1]
        for j, name in enumerate(robot.model.names)
        if j > 1
    }
    rng = np.random.default_rng(1)
    q, image = pin.neutral(robot.model), pin.neutral(robot.model)
    q[7:] = rng.uniform(np.maximum(robot.lower, -2), np.minimum(robot.upper, 2))
    for place, name in enumerate(robot.joints):
        other = name.replace("left_", "*").replace("right_", "left_").replace("*", "right_")
        sign = 1.0 if axes[name] == "Y" else -1.0
        image[7 + robot.joint(other)] = sign * q[7 + place]
    assert np.all(image[7:] >= robot.lower) and np.all(image[7:] <= robot.upper)
    data = [robot.model.createData() for _ in range(2)]
    mirror = np.diag([1.0, -1.0, 1.0])
    com, seen = (pin.centerOfMass(robot.model, d, x) for d, x in zip(data, (q, image), strict=True))
    np.testing.assert_allclose(seen, mirror @ com, atol=1e-14)
    for d, x in zip(data, (q, image), strict=True):
        pin.framesForwardKinematics(robot.model, d, x)
    left, right = data[0].oMf[robot.left.frame], data[1].oMf[robot.right.frame]
    np.testing.assert_allclose(right.translation, mirror @ left.translation, atol=1e-14)
    np.testing.assert_allclose(right.rotation, mirror @ left.rotation @ mirror, atol=1e-14)


def test_toe_pads_move_with_the_toe():
    """At toe angle 0 the toe's sole frame is the foot's; turned, only the front pads rise."""
    robot = load_robot("lola-like")
    for foot in robot.feet:
        carriers = [pad.frame for pad in foot.pads]
        toe = next(f for f in carriers if f != foot.frame)
        assert carriers.count(foot.frame) == carriers.count(toe) == 2
        front = [pad.corners[:, 0].mean() > 0 for pad in foot.pads]
        assert front == [f == toe for f in carriers]
        data = robot.model.createData()
        pin.framesForwardKinematics(robot.model, data, robot.q0)
        np.testing.assert_allclose(data.oMf[toe], data.oMf[foot.frame], atol=1e-15)
        q = robot.q0.copy()
        q[7 + robot.joint(f"{foot.side}_toe_joint")] = -0.3
        pin.framesForwardKinematics(robot.model, data, q)
        tip = data.oMf[toe].act(np.array([0.125, 0.0, 0.0]))
        assert tip[2] > 0.02
        assert abs(data.oMf[foot.frame].translation[2]) < 1e-14


# inertia


def with_one_link(tmp_path, solids, mass):
    text = (FOLDER / "rengifo14.toml").read_text(encoding="utf-8")
    start, end = text.index('name = "trunk"'), text.index("# leg")
    path = tmp_path / "one.toml"
    path.write_text(f'{text[:start]}name = "trunk"\nmass = {mass}\n{solids}\n{text[end:]}')
    return build_robot(load_humanoid(path)).model.inertias[1]


def test_inertia_of_a_box_beside_a_ball(tmp_path):
    """Closed forms and the parallel axis theorem, masses in proportion to the volumes."""
    solids = (
        "boxes = [{ center = [0.1, 0.0, 0.2], size = [0.1, 0.2, 0.3] }]\n"
        "spheres = [{ center = [0.0, -0.3, 0.0], radius = 0.1 }]"
    )
    body = with_one_link(tmp_path, solids, 12.0)
    volumes = np.array([0.1 * 0.2 * 0.3, 4 / 3 * np.pi * 0.1**3])
    m = 12.0 * volumes / volumes.sum()
    a, b, c = 0.1, 0.2, 0.3
    box = m[0] / 12 * np.diag([b**2 + c**2, a**2 + c**2, a**2 + b**2])
    ball = 0.4 * m[1] * 0.1**2 * np.eye(3)
    centers = np.array([[0.1, 0.0, 0.2], [0.0, -0.3, 0.0]])
    com = m @ centers / 12.0
    total = box + ball
    for mass, r in zip(m, centers - com, strict=True):
        total += mass * (r @ r * np.eye(3) - np.outer(r, r))
    assert body.mass == pytest.approx(12.0, rel=1e-15)
    np.testing.assert_allclose(body.lever, com, atol=1e-15)
    np.testing.assert_allclose(body.inertia, total, atol=1e-14)


def test_inertia_of_a_slanted_capsule(tmp_path):
    """Against sums over a grid of cells: second order in the cell, h = r/40 (1/1600)."""
    ends, r = np.array([[0.0, 0.0, 0.0], [0.06, 0.08, 0.1]]), 0.05
    solids = f"capsules = [{{ ends = {ends.tolist()}, radius = {r} }}]"
    body = with_one_link(tmp_path, solids, 3.0)
    h = r / 40
    grid = np.stack(
        np.meshgrid(*(np.arange(lo - r + h / 2, hi + r, h) for lo, hi in ends.T), indexing="ij"), -1
    ).reshape(-1, 3)
    axis = ends[1] - ends[0]
    along = np.clip((grid - ends[0]) @ axis / (axis @ axis), 0.0, 1.0)
    inside = grid[np.linalg.norm(grid - ends[0] - along[:, None] * axis, axis=1) < r]
    mass = 3.0 / len(inside)
    rel = inside - inside.mean(axis=0)
    inertia = mass * ((rel**2).sum() * np.eye(3) - rel.T @ rel)
    np.testing.assert_allclose(body.lever, ends.mean(axis=0), atol=1e-15)
    np.testing.assert_allclose(body.inertia, inertia, atol=2e-3 * inertia.max())


# bad descriptions


def changed(tmp_path, name, old, new):
    text = (FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "mine.toml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("mass = 3.5", "mass = -3.5", "left_shank.*at least 0, got -3.5 kg"),
        ("mass = 3.5", "mass = nan", "mine.toml"),
        ("mass = 3.5", 'mass = "3.5"', "links.*mass"),
        ("mass = 3.5", "mass = 3.5\nweight = 3.5", "weight"),
        ("mass = 0.0", "mass = 0.1", "left_hip.*0.1 kg needs a box"),
        ("radius = 0.04", "radius = 0.0", "radius of a capsule must be positive"),
        ('parent = "left_shank"', 'parent = "left_shin"', "parent 'left_shin' is not one of"),
        ('axis = "y"', 'axis = "w"', "axis 'w'"),
        ('joint = "left_knee"', 'joint = "left_hip_yaw"', "two joints are called 'left_hip_yaw'"),
        ("range_deg = [0.0, ", "range_deg = [200.0, ", "left_shank.*low < high"),
        ("rotor = 0.1", "rotor = -0.1", "rotor inertia must be at least 0"),
        ("torque = 200.0", "torque = 0.0", "torque and velocity must be positive"),
        (
            "left_knee = 34",
            "left_knee = 1734",
            "left_knee = 1734.38 degrees is outside its range 0 to 137.51",
        ),
        ("left_knee = 34", "left_ear = 34", "no joint 'left_ear'"),
        ('link = "left_foot"', 'link = "left_paw"', "no link 'left_paw'"),
        ("length = 0.22", "length = 0.0", "length and width of the foot must be positive"),
        ("robot.humanoid/1", "robot.humanoid/9", "expected 'robot.humanoid/1'"),
    ],
)
def test_a_bad_description_names_the_fault(tmp_path, old, new, said):
    with pytest.raises(ConfigError, match=said):
        load_robot(changed(tmp_path, "rengifo14", old, new))


def test_pads_must_be_centred(tmp_path):
    path = changed(tmp_path, "lola-like", "length = 0.25", "length = 0.26")
    with pytest.raises(ConfigError, match="along the foot's length"):
        load_robot(path)


def test_own_file_is_loaded(tmp_path):
    robot = load_robot(changed(tmp_path, "rengifo14", "mass = 24.0", "mass = 25.0"))
    assert robot.mass == pytest.approx(44.0)
    base = load_humanoid(FOLDER / "rengifo14.toml")
    heavier = replace(
        base, name="heavy", links=(replace(base.links[0], mass=40.0), *base.links[1:])
    )
    assert build_robot(heavier).mass == pytest.approx(59.0)


def test_every_description_says_what_is_guessed():
    for name in humanoids():
        data = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
        assert data["sources"] and data["guesses"]


def test_sources_are_in_the_bibliography(root):
    import re

    keys = set(re.findall(r"\*\*\[(\w+)\]\*\*", (root / "docs" / "references.md").read_text()))
    for name in humanoids():
        for line in load_humanoid(FOLDER / f"{name}.toml").sources:
            assert set(re.findall(r"\[(\w+)\]", line)) <= keys
