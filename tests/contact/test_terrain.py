"""Grounds to walk on: distances against brute force, creases, edges, files."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from math import radians

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

from contact.frames import frames_of
from contact.ground import (
    Box,
    Bump,
    CompositeGround,
    Gravel,
    HeightField,
    Plane,
    Slope,
    Stairs,
    Step,
    ground_from_header,
    parse_ground,
)
from contact.ground.compiled_ground import REACH, CompiledGround, compile_pieces
from contact.ground.piece_kernels import RINGS
from contact.ground.query_kernels import write_frames
from contact.ground.simple_grounds import Bar

rng = np.random.default_rng(7)
BOX = Box(
    length=0.12,
    width=0.08,
    rise=0.03,
    x=0.02,
    y=-0.01,
    z=0.01,
    yaw=radians(25),
    pitch=radians(10),
    roll=radians(-5),
)
BUMPY = 0.01 * rng.random((11, 15))
FIELD = HeightField(heights=BUMPY, scale=0.01, x=0.01, y=0.02, z=-0.005, yaw=radians(30))
SCENE = CompositeGround(
    parts=(
        Slope(angle=radians(4), heading=radians(30)),
        BOX,
        Stairs(
            run=0.06,
            rise=0.02,
            count=3,
            width=0.1,
            x=-0.05,
            y=0.1,
            heading=radians(170),
            landing=0.1,
        ),
        Gravel(count=20, rise=0.01, radius=0.02, length=0.2, width=0.2),
        Bar(rise=0.008, radius=0.01, x=0.1, angle=radians(20)),
        HeightField(heights=BUMPY, scale=0.01, x=-0.1, y=-0.1),
    )
)
GROUNDS = {
    "plane": Plane(),
    "slope": Slope(angle=radians(12), heading=radians(40)),
    "step": Step(rise=0.02, x=0.01, angle=radians(15)),
    "stairs": Stairs(
        run=0.05, rise=0.02, count=3, x=-0.04, heading=radians(20), width=0.15, landing=0.06
    ),
    "box": BOX,
    "bump": Bump(rise=0.02, radius=0.05, x=0.01),
    "bar": Bar(rise=0.01, radius=0.015, angle=radians(30)),
    "gravel": Gravel(count=30, rise=0.015, radius=0.03, length=0.2, width=0.2, seed=3),
    "field": FIELD,
    "scene": SCENE,
}


def points(n=400, low=-0.02, seed=1):
    return np.random.default_rng(seed).uniform([-0.15, -0.15, low], [0.15, 0.15, 0.08], (n, 3))


def solid(piece):
    """A compiled ground of one piece only."""
    return compile_pieces([piece])


def shell(piece, spacing):
    """Points on the surface of a bounded piece, nowhere farther apart than `spacing`, world."""
    low, high = piece.local_bound
    if piece.kind == 1:
        axes = [
            np.linspace(a, b, 2 + int((b - a) / spacing)) for a, b in zip(low, high, strict=True)
        ]
        faces = []
        for a in range(3):
            for end in (low[a], high[a]):
                grids = np.meshgrid(*[[end] if b == a else axes[b] for b in range(3)])
                faces.append(np.stack(grids, axis=-1).reshape(-1, 3))
        x = np.vstack(faces)
    else:
        x = field_surface(piece, spacing)
    return x @ piece.axes.T + piece.origin


def field_surface(piece, spacing):
    """The two triangles of every cell of a field, and its walls down to 0.2 m below."""
    pitch, h = piece.size[0], piece.heights
    rows, columns = h.shape
    n = 1 + int(pitch / spacing)
    s, t = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n))
    tiles = []
    for j, i in np.ndindex(rows - 1, columns - 1):
        a, b, c, d = h[j, i], h[j, i + 1], h[j + 1, i + 1], h[j + 1, i]
        z = np.where(s >= t, a + s * (b - a) + t * (c - b), a + t * (d - a) + s * (c - d))
        tiles.append(np.stack([i + s, j + t, z], axis=-1).reshape(-1, 3))
    x = np.vstack(tiles)
    edge = (x[:, 0] == 0) | (x[:, 0] == columns - 1) | (x[:, 1] == 0) | (x[:, 1] == rows - 1)
    down = x[edge][:, None] - np.arange(0, 0.1, spacing)[:, None] * [0, 0, 1]
    x = np.vstack([x, down.reshape(-1, 3)])
    x[:, :2] = (x[:, :2] - [(columns - 1) / 2, (rows - 1) / 2]) * pitch
    return x


@pytest.mark.parametrize("piece", [BOX.solids[0], FIELD.solids[0]], ids=["box", "field"])
def test_distance_against_dense_samples_of_the_surface(piece):
    # Every surface point is within spacing/sqrt(2) of a sample, so for samples S
    # d <= |p - S| <= d + spacing/sqrt(2) (on a facet of slope up to 45 degrees: x sqrt(2)).
    spacing = 4e-4
    p = points(1500, low=-0.01) * ([1, 1, 1] if piece.kind == 1 else [0.7, 0.6, 0.6])
    nearest, _ = cKDTree(shell(piece, spacing)).query(p)
    gap = solid(piece).query(p).gap[:, 0]
    exact = np.ones(len(p), dtype=bool)
    if piece.kind == 4:
        exact = np.abs(gap) < RINGS * piece.size[0]
        assert (nearest >= RINGS * piece.size[0] - 1e-15)[~exact].all()
    assert exact.sum() > 300 and (gap[exact] < 0).sum() > 20
    excess = nearest[exact] - np.abs(gap[exact])
    assert excess.min() > -1e-15 and excess.max() < spacing


@pytest.mark.parametrize("name", GROUNDS)
def test_slots_against_every_piece_by_itself(name):
    ground = GROUNDS[name]
    p = points(600, low=-0.01)
    touches = ground.query(p)
    gaps = np.stack([solid(piece).query(p).gap[:, 0] for piece in ground.pieces])
    normals = np.stack([solid(piece).query(p).normal[:, 0] for piece in ground.pieces])
    each = np.arange(len(p))
    np.testing.assert_allclose(touches.gap[:, 0], gaps.min(axis=0), atol=1e-15)
    np.testing.assert_allclose(gaps[touches.solid[:, 0], each], touches.gap[:, 0], atol=1e-15)
    second = touches.solid[:, 1] >= 0
    assert (np.isfinite(touches.gap[:, 1]) == second).all()
    assert (touches.gap[second, 1] <= REACH).all()
    # within FLUSH on one field, to round-off elsewhere
    assert (touches.gap[second, 1] >= touches.gap[second, 0] - 1e-9).all()
    turned = np.einsum("ia,ia->i", touches.normal[:, 0], touches.normal[:, 1])
    assert (turned[second] <= 0.999).all()
    # No piece is nearer than the second, unless it is parallel or below the tangent plane.
    if name in ("step", "bump", "bar"):
        first = touches.normal[:, 0]
        other = 1 - touches.solid[:, 0]
        parallel = np.einsum("ia,ia->i", normals[other, each], first) > 0.999
        far = gaps[other, each] > REACH
        below = (other == 0) & (np.einsum("ia,ia->i", p, first) - gaps.min(axis=0) >= 0)
        below &= first[:, 2] == 1.0
        assert (second | parallel | far | below).all() and second.sum() > 20


@pytest.mark.parametrize("name", GROUNDS)
def test_normal_is_the_gradient_of_the_gap(name):
    # A central difference is a mean of the normal over the 2 h between its points: it errs by
    # the turn of the normal there, and by round-off eps |p| / h = 3e-11. Points where the
    # nearest surface changes are left out, as are those beyond the exact range of a field.
    ground, h = GROUNDS[name], 1e-6
    p = points(600, low=0.015) * [0.7, 0.7, 0.6]
    touches = ground.query(p)
    slope, turn = np.empty((2, len(p), 3))
    same = np.abs(touches.gap[:, 0]) < 0.035
    for a in range(3):
        d = h * np.eye(3)[a]
        up, down = ground.query(p + d), ground.query(p - d)
        slope[:, a] = (up.gap[:, 0] - down.gap[:, 0]) / (2 * h)
        turn[:, a] = np.linalg.norm(up.normal[:, 0] - down.normal[:, 0], axis=1)
        same &= up.solid[:, 0] == down.solid[:, 0]
    same &= turn.max(axis=1) < 0.01
    assert same.sum() > 80 and np.median(turn[same]) < 1e-4
    assert (np.abs(slope - touches.normal[:, 0]) <= turn + 1e-9)[same].all()


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(sorted(GROUNDS)),
    st.lists(st.floats(-0.1, 0.1), min_size=3, max_size=3),
    st.lists(st.floats(-0.004, 0.004), min_size=3, max_size=3),
)
def test_gap_is_continuous(name, place, step):
    # A distance to a set changes by no more than the point moves, across edges and inside too;
    # the distance to a field is one within RINGS pitches (0.04 m).
    x, y, z = place
    top = GROUNDS[name].height(np.array([x]), np.array([y]))[0]
    p = np.array([x, y, 0.1 * z + (top if np.isfinite(top) else 0.0)])  # near the surface
    way = p + np.linspace(0, 1, 9)[:, None] * step
    gap = GROUNDS[name].query(way).gap[:, 0]
    if name in ("field", "scene") and np.abs(gap).max() > 0.03:
        return
    for (a, b), (x, y) in zip(pairwise(gap), pairwise(way), strict=True):
        assert abs(b - a) <= np.linalg.norm(y - x) + 1e-12


@pytest.mark.parametrize("name", GROUNDS)
def test_moved_ground_gives_moved_answers(name):
    p = points(200)
    before = p + np.array([0, 0, 0.05])
    R, shift = Rotation.from_rotvec([0.4, -1.1, 0.7]).as_matrix(), np.array([0.3, -0.2, 0.5])
    pieces = GROUNDS[name].pieces
    here = compile_pieces(pieces).query(p, before)
    there = compile_pieces(moved(pieces, R, shift)).query(p @ R.T + shift, before @ R.T + shift, R)
    np.testing.assert_array_equal(there.solid, here.solid)
    np.testing.assert_allclose(there.gap, here.gap, atol=1e-12)
    np.testing.assert_allclose(there.frames, here.frames @ R.T, atol=1e-12)


def moved(pieces, rotation, shift):
    """Return the pieces after the rigid motion p -> rotation p + shift."""
    return [replace(s, origin=rotation @ s.origin + shift, axes=rotation @ s.axes) for s in pieces]


def frames_along(normals, axes=None):
    """(k, 3, 3) frames of unit normals (k, 3), rows t1, t2, n; `axes` as in `query`."""
    lead = np.eye(3)[None] if axes is None else axes
    out = np.empty((len(normals), 1, 3, 3))
    write_frames(np.ascontiguousarray(normals)[:, None], np.ascontiguousarray(lead), out)
    return out[:, 0]


def test_frames_are_right_handed_and_follow_the_axes_given():
    touches = SCENE.query(points())
    P = touches.frames.reshape(-1, 3, 3)
    np.testing.assert_allclose(P @ P.transpose(0, 2, 1) - np.eye(3), 0, atol=1e-14)
    np.testing.assert_allclose(np.linalg.det(P), 1, atol=1e-14)
    np.testing.assert_allclose(P, frames_of(P[:, 2]), atol=1e-15)
    n = np.vstack([points() / np.linalg.norm(points(), axis=1)[:, None], np.eye(3), -np.eye(3)])
    np.testing.assert_allclose(frames_along(n), frames_of(n), atol=1e-15)
    R = Rotation.random(len(n), rng=3).as_matrix()
    P = frames_along(n, R)
    lead = np.where(
        (np.abs(np.einsum("ia,ia->i", n, R[:, :, 0])) > 0.9)[:, None], *R.T[:2].swapaxes(1, 2)[::-1]
    )
    t1 = lead - np.einsum("ia,ia->i", lead, n)[:, None] * n
    np.testing.assert_allclose(P[:, 0], t1 / np.linalg.norm(t1, axis=1)[:, None], atol=1e-14)


def test_a_crease_touches_twice():
    step = Step(rise=0.02)
    touches = step.query(np.array([[-0.002, 0.3, 0.001], [-0.001, 0.0, 0.002]]))
    np.testing.assert_allclose(touches.gap, [[0.001, 0.002], [0.001, 0.002]], atol=1e-17)
    np.testing.assert_array_equal(touches.normal[0], [[0, 0, 1], [-1, 0, 0]])
    np.testing.assert_array_equal(touches.normal[1], [[-1, 0, 0], [0, 0, 1]])
    np.testing.assert_array_equal(touches.solid, [[0, 1], [1, 0]])
    # The same in one height field: a curb of one steep cell between two treads.
    curb = np.zeros((8, 30))
    curb[:, 15:] = 0.02
    field = HeightField(heights=curb, scale=0.001)
    foot = -0.5e-3  # x of column 14, where the riser begins
    touches = field.query(np.array([[foot - 0.0005, 0.0, 0.0002]]))
    riser = np.array([-20, 0, 1]) / np.sqrt(401)  # 20 mm up over 1 mm
    np.testing.assert_allclose(touches.normal[0], [[0, 0, 1], riser], atol=1e-12)
    np.testing.assert_allclose(touches.gap[0, 0], 0.0002, atol=1e-15)
    np.testing.assert_allclose(touches.gap[0, 1], -riser @ [0.0005, 0, -0.0002], atol=1e-15)


def test_a_node_that_enters_a_riser_is_pushed_sideways():
    step = Step(rise=0.02)
    inside = np.array([[0.004, 0.0, 0.019], [0.004, 0.0, 0.019], [0.004, 0.0, 0.019]])
    before = np.array([[-0.001, 0.0, 0.019], [0.004, 0.0, 0.021], [-0.001, 0.0, 0.05]])
    touches = step.query(inside, before)
    np.testing.assert_allclose(touches.gap[:, 0], [-0.004, -0.001, -0.001], atol=1e-17)
    np.testing.assert_array_equal(touches.normal[:, 0], [[-1, 0, 0], [0, 0, 1], [0, 0, 1]])
    # A fast fall beside the riser: the last plane crossed counts, not the farthest one.
    touches = step.query(np.array([[0.0001, 0.0, 0.01]]), np.array([[-0.002, 0.0, 0.03]]))
    np.testing.assert_array_equal(touches.normal[0, 0], [-1, 0, 0])
    # Without a past, the face of least penetration; with a start inside, that of the start.
    assert step.query(inside[:1]).gap[0, 0] == pytest.approx(-0.001, abs=1e-17)
    start = np.array([[0.0005, 0.0, 0.019]])
    np.testing.assert_array_equal(step.query(inside[:1], start).normal[0, 0], [-1, 0, 0])


def test_a_node_that_enters_a_curb_of_a_field_is_pushed_sideways():
    curb = np.zeros((9, 40))
    curb[:, 20:] = 0.02
    field = HeightField(heights=curb, scale=0.002)
    foot = -0.001  # x of column 19, where the riser begins; its top is 2 mm behind
    inside = np.array([[foot + 0.0045, 0.0, 0.018]] * 3)
    before = np.array([[foot - 0.001, 0.0, 0.018], [foot + 0.0045, 0, 0.03], [0.1, 0, 0.018]])
    touches = field.query(inside, before)
    riser = np.array([-10, 0, 1]) / np.sqrt(101)  # 20 mm up over 2 mm
    far = 0.039 - inside[0, 0]  # the wall at the end
    np.testing.assert_allclose(
        touches.gap[:, 0], [riser @ [0.0045, 0, 0.018], -0.002, -far], atol=1e-15
    )
    np.testing.assert_allclose(touches.normal[:, 0], [riser, [0, 0, 1], [1, 0, 0]], atol=1e-12)
    assert field.query(inside[:1]).gap[0, 0] == pytest.approx(-0.002, abs=1e-15)
    # A start that is inside as well has crossed nothing.
    np.testing.assert_array_equal(field.query(inside, inside).normal[:, 0, 2], 1)


def test_edges_point_away_from_the_nearest_point():
    step = Step(rise=0.02)
    touches = step.query(np.array([[-0.003, 0.0, 0.024]]))
    assert touches.gap[0, 0] == pytest.approx(0.005, abs=1e-17)
    np.testing.assert_allclose(touches.normal[0, 0], [-0.6, 0, 0.8], atol=1e-15)


def test_no_ghosts_at_flush_joints():
    # Two tiles side by side: a node that slides over the joint meets the floor of the tile
    # and nothing else. On the upper stair the lower ones and the floor do not count.
    tiles = CompositeGround(
        parts=tuple(Box(length=0.1, width=0.1, rise=0.02, x=x) for x in (0, 0.1, 0.15))
    )
    x = np.linspace(0.03, 0.17, 57)
    p = np.column_stack([x, 0 * x, np.full_like(x, 0.02)])
    up = np.array([0, 0, 1])
    for height in (0.0, 1e-6, 1e-3, -1e-5):
        touches = tiles.query(p + height * up, p + 1e-3 * up)
        np.testing.assert_allclose(touches.gap[:, 0], height, atol=1e-15)
        np.testing.assert_array_equal(touches.normal[:, 0], np.broadcast_to([0, 0, 1], p.shape))
        assert (touches.solid[:, 1] == -1).all()
    stairs = Stairs(run=0.3, rise=0.1, count=3)
    touches = stairs.query(np.array([[0.45, 0.0, 0.2], [0.595, 0.0, 0.2], [0.9, 0.0, 0.3]]))
    np.testing.assert_allclose(touches.gap[:, 0], 0, atol=1e-15)
    np.testing.assert_allclose(touches.gap[:, 1], [np.inf, 0.005, np.inf], atol=1e-15)


def test_a_plate_on_the_floor_has_no_underside():
    plate = Box(length=0.2, width=0.2, rise=0.005)
    touches = plate.query(np.array([[0.0, 0.0, 0.001], [0.0, 0.0, -0.001]]))
    np.testing.assert_allclose(touches.gap[:, 0], [-0.004, -0.006], atol=1e-17)
    np.testing.assert_array_equal(touches.normal[:, 0], [[0, 0, 1], [0, 0, 1]])
    raised = Box(length=0.2, width=0.2, rise=0.005, z=0.1)
    assert raised.query(np.array([[0.0, 0.0, 0.099]])).normal[0, 0, 2] == -1


def test_field_of_a_tilted_plane_is_that_plane():
    a, b, c, scale = 0.3, -0.2, 0.05, 0.01
    rows, columns = 31, 41
    x = (np.arange(columns) - (columns - 1) / 2) * scale
    y = (np.arange(rows) - (rows - 1) / 2)[::-1] * scale  # the first row is the leftmost
    field = HeightField(heights=a * x + b * y[:, None] + c, scale=scale)
    n = np.array([-a, -b, 1]) / np.sqrt(a * a + b * b + 1)
    p = points(500, low=-0.02) * [0.7, 0.5, 1]
    height = (p - [0, 0, c]) @ n
    near = np.abs(height) < RINGS * scale
    touches = field.query(p)
    assert near.sum() > 150
    # round-off of cross products of cells of 1 cm, heights of 0.1 m: a few eps
    np.testing.assert_allclose(touches.gap[near, 0], height[near], atol=1e-16 * 20)
    np.testing.assert_allclose(touches.normal[near, 0] - n, 0, atol=1e-13)
    assert (touches.solid[:, 1] == -1).all()
    far = height >= RINGS * scale  # between the distance and the vertical gap
    vertical = height / n[2]
    assert (touches.gap[far, 0] >= height[far] - 1e-15).all() and far.any()
    assert (touches.gap[far, 0] <= vertical[far] + 1e-15).all()
    np.testing.assert_allclose(field.height(p[:, 0], p[:, 1]), p[:, 2] - vertical, atol=1e-15)


def test_field_walls():
    field = HeightField(heights=np.full((3, 4), 0.1), scale=0.1)  # 0.3 by 0.2 m
    p = np.array(
        [[0.2, 0, 0.05], [0.18, 0.14, 0.0], [0.2, 0, 0.15], [0.149, 0, 0.09], [0, 0, 0.07]]
    )
    touches = field.query(p)
    np.testing.assert_allclose(touches.gap[:, 0], [0.05, 0.05, np.sqrt(0.005), -0.001, -0.03])
    expected = [[1, 0, 0], [0.6, 0.8, 0], [np.sqrt(0.5), 0, np.sqrt(0.5)], [1, 0, 0], [0, 0, 1]]
    np.testing.assert_allclose(touches.normal[:, 0], expected, atol=1e-14)


@pytest.mark.parametrize("name", GROUNDS)
def test_height_is_where_the_gap_vanishes(name):
    ground = GROUNDS[name]
    x, y = np.random.default_rng(5).uniform(-0.05, 0.05, (2, 80))
    z = ground.height(x, y)
    local = np.column_stack([x, y, z])
    inside = np.isfinite(z)
    assert inside.sum() > 50
    p = local[inside] @ ground.frame.T
    np.testing.assert_allclose(ground.query(p).gap[:, 0], 0, atol=1e-14)
    assert (ground.query(p + 1e-4 * ground.frame[:, 2]).gap[:, 0] > 0).all()


def test_far_and_scattered_points_find_the_nearest_box():
    boxes = [
        Box(length=0.1, width=0.05, rise=0.02, x=x, y=y, yaw=radians(100 * x + y))
        for x in np.arange(10) * 0.2
        for y in np.arange(10) * 0.2
    ]
    pieces = [box.solids[0] for box in boxes]
    p = np.random.default_rng(2).uniform([-1, -1, 0.0], [3, 3, 0.5], (300, 3))
    alone = np.stack([solid(piece).query(p).gap[:, 0] for piece in pieces])
    touches = compile_pieces(pieces).query(p)
    np.testing.assert_array_equal(touches.gap[:, 0], alone.min(axis=0))
    np.testing.assert_array_equal(touches.solid[:, 0], alone.argmin(axis=0))


def test_the_same_seed_is_the_same_gravel():
    a, b = Gravel(count=9, seed=4), Gravel(count=9, seed=5)
    origins = [np.array([s.origin for s in g.solids]) for g in (a, Gravel(count=9, seed=4), b)]
    np.testing.assert_array_equal(origins[0], origins[1])
    assert np.abs(origins[0] - origins[2]).max() > 0.01
    tops = [s.origin[2] + s.size[0] for s in a.solids]
    assert min(tops) >= a.rise / 2 and max(tops) <= a.rise


SMALL = """
import sys
from contact.ground import ground_from_header
import json, numpy as np
ground = ground_from_header(json.loads(sys.argv[1]))
p = np.random.default_rng(0).uniform([-0.15, -0.15, -0.01], [0.15, 0.15, 0.05], (40, 3))
touches = ground.query(p, p + [0, 0, 0.05])
print(np.concatenate([touches.gap.ravel(), touches.frames.ravel()]).tobytes().hex())
"""


@pytest.mark.nightly
def test_same_numbers_without_compilation():
    import json

    slow, fast = (
        np.frombuffer(
            bytes.fromhex(
                subprocess.run(
                    [sys.executable, "-c", SMALL, json.dumps(SCENE.header())],
                    env={**os.environ, "NUMBA_DISABLE_JIT": flag},
                    capture_output=True,
                    text=True,
                    check=True,
                ).stdout.strip()
            )
        )
        for flag in ("1", "0")
    )
    assert len(slow) == 40 * 20 and np.isfinite(slow).sum() > 700
    np.testing.assert_allclose(slow, fast, rtol=0, atol=1e-14)


@pytest.mark.parametrize("name", sorted(set(GROUNDS) - {"field", "scene"}))
def test_text_and_header_round_trip(name):
    ground = GROUNDS[name]
    assert ground_from_header(ground.header()) == ground
    assert parse_ground(str(ground)) == ground


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (np.zeros((2, 2)), "shape"),
        (np.array([[0.0, np.nan, 0.0]]), "point 0"),
        (np.array([[0.0, 0.0, 0.0], [np.inf, 0.0, 0.0]]), "point 1"),
    ],
)
def test_bad_points_are_refused(bad, words):
    from sole.base.errors import ConfigError

    with pytest.raises(ConfigError, match=words):
        SCENE.query(bad)
    with pytest.raises(ConfigError):
        SCENE.query(np.zeros((2, 3)), np.zeros((3, 3)))
    with pytest.raises(ConfigError, match="axes"):
        SCENE.query(np.zeros((2, 3)), axes=np.zeros((5, 3, 3)))


def test_no_points_are_no_touches():
    assert SCENE.query(np.zeros((0, 3))).gap.shape == (0, 2)


@pytest.mark.parametrize(
    "text", ["plane", "slope:angle_deg=17,heading_deg=40", "step:0.01", "gravel"]
)
def test_the_time_step_asks_the_same(text):
    ground = parse_ground(text).compiled
    rng = np.random.default_rng(3)
    points = rng.uniform([-0.2, -0.2, -0.01], [0.2, 0.2, 0.08], (400, 3))
    before = points + np.array([0.0, 0.0, 0.1])
    found = ground.query(points, before)
    gap, normal, solid = ground.nearest(points, before)
    # A plane's gap is summed in another order.
    np.testing.assert_allclose(gap, found.gap, rtol=0, atol=1e-16)
    np.testing.assert_array_equal(solid, found.solid)
    np.testing.assert_allclose(normal, found.normal, rtol=0, atol=1e-15)


@pytest.mark.parametrize("text", ["plane", "step:0.01", "gravel"])
def test_clearance_is_the_gap_to_the_nearest_surface(text):
    ground, p = parse_ground(text), points()
    nearest = ground.query(p).gap[:, 0]
    np.testing.assert_allclose(ground.clearance(p), nearest, rtol=0, atol=1e-16)


def test_clearance_of_a_plane_needs_no_search(monkeypatch):
    """The search takes six seconds to compile."""
    monkeypatch.setattr(CompiledGround, "_found", None)
    np.testing.assert_array_equal(parse_ground("plane").clearance(points())[:9], points()[:9, 2])
