"""Grounds: gaps against the nearest point of the solid, normals against differences."""

from __future__ import annotations

import pickle
from math import radians

import numpy as np
import pytest
from press_cases import pad

from contact.frames import frames_of, rotation_of
from contact.ground import Bump, Plane, Slope, Step, ground_from_header, parse_ground
from contact.ground.simple_grounds import Bar
from contact.press.first_touch import find_first_touch
from sole.base.errors import ConfigError

GROUNDS = [
    Plane(),
    Slope(angle=radians(20), heading=radians(30)),
    Step(rise=0.01, x=0.013, angle=radians(20)),
    Bump(rise=0.012, radius=0.03, x=0.01, y=-0.02),
    Bar(rise=0.008, radius=0.008, x=0.02, angle=radians(15)),
]
names = [g.kind for g in GROUNDS]


def points(n=40):
    rng = np.random.default_rng(3)
    p = rng.uniform([-0.1, -0.06, 0.03], [0.1, 0.06, 0.06], size=(n, 3))
    return p


@pytest.mark.parametrize("ground", GROUNDS, ids=names)
def test_normal_is_the_gradient_of_the_gap(ground):
    p = points() - [0, 0, 0.025]
    gaps, normals = ground.gaps(p, p)
    assert gaps.shape == (ground.faces, len(p)) and normals.shape == (ground.faces, len(p), 3)
    np.testing.assert_allclose(np.linalg.norm(normals, axis=2), 1)
    h = 1e-7
    for axis in range(3):
        d = np.eye(3)[axis] * h
        slope = (ground.gaps(p + d, p)[0] - ground.gaps(p - d, p)[0]) / (2 * h)
        np.testing.assert_allclose(slope, normals[:, :, axis], atol=1e-6)


@pytest.mark.parametrize("ground", GROUNDS, ids=names)
def test_curvature_is_the_gradient_of_the_normal(ground):
    p = points()
    turn = ground.curvatures(p)
    assert turn.shape == (ground.faces, len(p), 3, 3)
    assert np.abs(turn).max() > 1 or not isinstance(ground, Bump | Bar)
    h = 1e-7
    for axis in range(3):
        d = np.eye(3)[axis] * h
        slope = (ground.gaps(p + d, p)[1] - ground.gaps(p - d, p)[1]) / (2 * h)
        np.testing.assert_allclose(slope, turn[:, :, :, axis], atol=1e-5)


@pytest.mark.parametrize("ground", GROUNDS, ids=names)
def test_gap_is_zero_on_the_surface_and_height_finds_it(ground):
    rng = np.random.default_rng(4)
    local = rng.uniform(-0.08, 0.08, size=(60, 2))
    z = ground.height(local[:, 0], local[:, 1])
    p = np.column_stack([local, z]) @ ground.frame.T
    gaps, _ = ground.gaps(p, p)
    np.testing.assert_allclose(gaps.min(axis=0), 0, atol=1e-15)
    above, _ = ground.gaps(p + 1e-3 * ground.frame[:, 2], p)
    below, _ = ground.gaps(p - 1e-3 * ground.frame[:, 2], p)
    assert (above.min(axis=0) > 0).all() and (below.min(axis=0) < 0).all()


@pytest.mark.parametrize("ground", GROUNDS[2:], ids=names[2:])
def test_raised_ground_rises_where_it_should(ground):
    assert ground.height(np.array([0.02]), np.array([-0.015])).max() > 0
    assert ground.height(np.array([-0.09]), np.array([0.05])) == 0


def test_step_sides():
    step = Step(rise=0.01)
    start = np.array([[0.001, 0, 0.01], [-0.001, 0, 0.01], [0.0, 0, 0.01], [-0.002, 0, 0.02]])
    p = np.array([[-0.001, 0, 0.008], [0.001, 0, 0.008], [0.0, 0, 0.009], [0.001, 0, 0.015]])
    gaps, normals = step.gaps(p, start)
    np.testing.assert_allclose(gaps[1], [-0.002, -0.001, -0.001, 0.005])
    # A high node keeps the tread, a low one is stopped by the riser, unless it passes above.
    np.testing.assert_allclose(normals[1], [[0, 0, 1], [-1, 0, 0], [0, 0, 1], [0, 0, 1]])


@pytest.mark.parametrize("ground", GROUNDS, ids=names)
def test_reference_sole_just_touches(ground):
    sole = pad()
    R, c = find_first_touch(sole, ground)
    p = (sole.points - sole.origin) @ R.T + c
    gaps, _ = ground.gaps(p, p)
    assert gaps.min() == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("ground", GROUNDS, ids=names)
def test_round_trip(ground):
    assert ground_from_header(ground.header()) == ground
    assert parse_ground(str(ground)) == ground


def test_parse_by_position_and_name():
    assert parse_ground("step") == Step()
    assert parse_ground("bump:0.01,0.05") == Bump(rise=0.01, radius=0.05)
    assert parse_ground("bar:0.01,radius=0.02,angle_deg=5") == Bar(
        rise=0.01, radius=0.02, angle=radians(5)
    )


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("sand", "sand"),
        ("step:-0.01", "-0.01"),
        ("bump:0.01", "radius"),
        ("slope:angle_deg=95", "95"),
        ("slope:angle_deg=steep", "steep"),
        ("plane:3", "plane"),
        ("bar:rise=nan,radius=0.1", "nan"),
        ("bump:0.01,0.05,0,0,7", "bump"),
    ],
)
def test_bad_ground_is_refused(text, word):
    with pytest.raises(ConfigError, match=word):
        parse_ground(text)


def test_frames_are_right_handed():
    n = points() / np.linalg.norm(points(), axis=1)[:, None]
    n = np.vstack([n, np.eye(3), -np.eye(3)])
    P = frames_of(n)
    np.testing.assert_allclose(
        P @ P.transpose(0, 2, 1), np.broadcast_to(np.eye(3), P.shape), atol=1e-14
    )
    np.testing.assert_allclose(np.linalg.det(P), 1)
    np.testing.assert_array_equal(P[:, 2], n)


def test_rotation_of_a_vector():
    from scipy.spatial.transform import Rotation

    for v in (np.zeros(3), np.array([1e-9, 0, 2e-9]), np.array([0.3, -0.7, 0.2])):
        np.testing.assert_allclose(rotation_of(v), Rotation.from_rotvec(v).as_matrix(), atol=1e-15)


def test_a_ground_comes_back_from_pickle():
    ground = parse_ground("gravel")
    other = pickle.loads(pickle.dumps(ground.compiled))
    np.testing.assert_array_equal(other.table, ground.compiled.table)
