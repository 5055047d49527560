"""Which contacts a step examines: few of a sole that stands on few nodes, one a node if on all."""

from __future__ import annotations

import numpy as np
from doors import door
from hypothesis import given
from hypothesis import strategies as st

from contact.frames import rotation_of
from contact.step.select_kernels import CREEP, fill_rigid_velocities, select_contacts
from contact.step.step_arrays import NearArrays

DT, SLACK, SHARE = 1e-3, 1.0, 0.3


def near_with(gaps: np.ndarray, speed: float = 0.0) -> tuple[NearArrays, np.ndarray]:
    """Nodes in a row along x under one body that falls at `speed` [m/s], normals up; its twist."""
    M, S = gaps.shape
    local = np.zeros((M, 3))
    local[:, 0] = np.arange(M)
    normals = np.zeros((M, S, 3))
    normals[:, :, 2] = 1.0
    near = NearArrays(np.eye(3)[None], local, gaps, normals, np.zeros((M, S), np.int64))
    return near, np.array([0.0, 0.0, -speed, 0.0, 0.0, 0.0])


def select(near, twists, forces, extra=None, share=SHARE) -> list[tuple[int, int]]:
    M, S = near.gaps.shape
    extra = np.zeros((M, S), np.bool_) if extra is None else extra
    body = np.zeros(M, np.int64)
    node, slot = door(select_contacts)(near, body, twists, forces, extra, DT, SLACK, share)
    return list(zip(node.tolist(), slot.tolist(), strict=True))


def forces_at(M: int, S: int, *where: tuple[int, int]) -> np.ndarray:
    f = np.zeros((M, S, 3))
    for i, s in where:
        f[i, s, 2] = 1.0
    return f


def test_an_open_node_is_examined_as_far_as_its_body_moves_twice():
    speed = 0.2
    reach = DT * (2 * speed + CREEP)
    gaps = np.array([[0.999 * reach], [1.001 * reach], [5.0], [np.inf]])
    near, twists = near_with(gaps, speed)
    assert select(near, twists, forces_at(4, 1)) == [(0, 0)]
    # The body turns about y: nodes with x > 0 go down by x omega; as does the reach of the fastest.
    turning = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 0.0])
    gaps = DT * np.array([[3.0 + CREEP], [4.0 + CREEP], [5.0 + CREEP], [6.0 + CREEP]]) * 0.9999
    near, _ = near_with(gaps)
    assert select(near, turning, forces_at(4, 1)) == [(0, 0), (1, 0), (2, 0), (3, 0)]
    near, _ = near_with(gaps * 1.0002)
    assert select(near, turning, forces_at(4, 1)) == []


def test_what_bore_force_or_is_named_is_examined():
    near, twists = near_with(np.full((4, 2), 1.0))
    extra = np.zeros((4, 2), np.bool_)
    extra[3, 1] = True
    assert select(near, twists, forces_at(4, 2, (1, 1)), extra) == [(1, 1), (3, 1)]


def test_a_third_surface_has_no_slack():
    near, twists = near_with(np.array([[1e-4, 1e-4, 1e-4, -1e-9]]), 0.09)
    assert select(near, twists, forces_at(1, 4)) == [(0, 0), (0, 1), (0, 3)]
    near, twists = near_with(np.array([[1e-4, 1e-4, 1e-4, 1.0]]), 0.11)
    assert select(near, twists, forces_at(1, 4)) == [(0, 0), (0, 1), (0, 2)]


def test_a_sole_pressed_to_the_ground_has_one_contact_a_node():
    M = 10
    gaps = np.full((M, 2), 1e-9)
    gaps[8] = [0.3, 0.2]  # far from both, nearer to the second
    gaps[9] = [np.inf, np.inf]
    near, twists = near_with(gaps)
    seven = [(i, i % 2) for i in range(7)]
    bore = forces_at(M, 2, *seven, (2, 1))
    expected = sorted([*seven, (2, 1), (7, 0), (8, 1)])
    assert select(near, twists, bore) == expected
    extra = np.zeros((M, 2), np.bool_)
    extra[0, 1] = extra[8, 0] = extra[8, 1] = True
    assert select(near, twists, bore, extra) == sorted([*expected, (0, 1), (8, 0)])
    # One loaded node fewer than `SHARE` allows, or no such soles: all that are near.
    both = sorted((i, s) for i in range(8) for s in range(2))
    assert select(near, twists, forces_at(M, 2, *seven[:6])) == both
    assert select(near, twists, bore, share=-1.0) == both


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.floats(0.0, 1.0))
def test_each_contact_is_examined_once_and_none_that_touches_is_left_out(seed, S, loaded):
    rng = np.random.default_rng(seed)
    M = 12
    gaps = np.where(rng.random((M, S)) < 0.3, np.inf, 1e-4 * rng.standard_normal((M, S)))
    near, twists = near_with(gaps, 0.1)
    f = forces_at(M, S)
    for i in np.flatnonzero(rng.random(M) < loaded):
        if np.isfinite(gaps[i]).any():
            f[i, rng.choice(np.flatnonzero(np.isfinite(gaps[i])))] = rng.standard_normal(3)
    chosen = select(near, twists, f)
    assert len(chosen) == len(set(chosen))
    bears = f.any(axis=2)
    assert {(i, s) for i, s in np.argwhere(bears).tolist()} <= set(chosen)
    pressed = bears.any(axis=1).sum() >= (1 - SHARE) * M
    for i in range(M):
        mine = [s for j, s in chosen if j == i]
        if not np.isfinite(gaps[i]).any():
            assert mine == []
        elif pressed:
            assert len(mine) == 1
            assert bears[i, mine[0]] or (not bears[i].any() and gaps[i, mine[0]] == gaps[i].min())
        else:  # all that would be inside at the end
            assert {s for s in range(S) if gaps[i, s] <= DT * 0.1} <= set(mine)


def test_nodes_move_with_their_bodies():
    rng = np.random.default_rng(3)
    R = np.stack([rotation_of(rng.standard_normal(3)) for _ in range(2)])
    local, body, twists = rng.standard_normal((6, 3)), np.array([0, 0, 1, 1, 1, 0]), np.arange(12.0)
    near = NearArrays(R, local, np.zeros((6, 1)), np.zeros((6, 1, 3)), np.zeros((6, 1), np.int64))
    velocity, fastest = np.empty((6, 3)), np.empty(2)
    door(fill_rigid_velocities)(near, body, twists, velocity, fastest)
    v = twists.reshape(2, 6)[body]
    own = v[:, :3] + np.cross(v[:, 3:], local)
    np.testing.assert_allclose(velocity, np.einsum("nij,nj->ni", R[body], own), rtol=1e-13)
    sizes = np.linalg.norm(own, axis=1)
    np.testing.assert_allclose(fastest, [sizes[body == b].max() for b in range(2)], rtol=1e-13)
