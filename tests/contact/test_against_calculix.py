"""Soles at finite strain against CalculiX, an independent solver, on the same nodes.

Debian's `calculix-ccx`; without it these tests are skipped. It prints six digits.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from box_mesh import box_mesh
from calculix import Job, needs_calculix

from contact.finite_press import press_finite
from contact.press import RigidMotion
from sole.hyperelastic import FiniteSole
from sole.laws import Ogden

pytestmark = needs_calculix

E = 1e6
LAWS = {
    "neo-Hooke": Ogden.of(E, 0.45),
    "Mooney-Rivlin": Ogden.of(E, 0.45, (2.0, -2.0), (0.8, 0.2)),
}
MOVES = {"compressed by 20 %": (0.0, 0.0, 0.004), "15 % and sheared": (0.005, 0.001, 0.003)}


@lru_cache
def block(name):
    return FiniteSole(box_mesh(0.06, 0.04, 0.02, (5, 4, 2)), LAWS[name], "p2")


def moved(sole, way, parts=4):
    """All nodes whose tread has moved by `way`: Newton, the tread prescribed."""
    u, inner = np.zeros((sole.nodes, 3)), np.ones(sole.nodes, bool)
    inner[sole.contact] = False
    for part in np.linspace(0, 1, parts + 1)[1:]:
        for _ in range(20):
            state = sole.evaluate(u)
            left = np.abs(state.residual[inner]).max() / max(np.abs(state.residual).max(), 1e-30)
            gap = part * np.array(way) - u[sole.contact]
            if left < 1e-11 and np.abs(gap).max() < 1e-15:
                break
            u = u + sole.condense(state.tangent).step(gap)
        assert left < 1e-11
    return u, state.residual[sole.contact].sum(axis=0)


def worst(found, expected):
    return np.abs(found - expected).max() / np.abs(expected).max()


@pytest.mark.parametrize("way", MOVES.values(), ids=MOVES)
@pytest.mark.parametrize("name", LAWS)
def test_a_bonded_block_with_a_prescribed_tread(name, way, tmp_path):
    sole = block(name)
    u, force = moved(sole, way)
    job = Job(sole)
    job.move("TREAD", way)
    U, bond = job.run(tmp_path)
    assert worst(-bond, force) < 1e-6
    assert worst(U, sole.parts.expand(u)) < 1e-6


@pytest.mark.parametrize("name", LAWS)
def test_a_pose_on_a_plane_without_friction(name, tmp_path):
    """Gaps open and close; CalculiX starts with the plane lower by `lift` and raises it."""
    sole = block(name)
    pose = RigidMotion(sink=0.0025, pitch=0.06, roll=0.03)
    done = press_finite(sole, pose, friction=0.0, increments=4)
    R, place = done.pose[:3, :3], done.pose[:3, 3]
    normal = R[2]  # the plane's, in the frame of the sole
    clear = sole.points @ normal + place[2]
    lift = 1e-6 - clear.min()
    job = Job(sole)
    job.tie(sole.parts.numbering.trace)
    vertices = sole.mesh.tread_vertices
    job.gaps(vertices, sole.points, clear + lift, normal, 1e11)
    job.move("GROUND", lift * normal)
    U, bond = job.run(tmp_path, first=0.05)
    pressed = done.forces @ normal > 0
    assert 4 < pressed.sum() < len(vertices)  # some nodes are open
    assert worst(-bond, done.forces.sum(axis=0)) < 2e-6
    # An open gap of CalculiX pulls a little: elements at an open vertex are left out.
    tets = sole.parts.numbering.nodes_of_tet
    near = tets[np.isin(tets, vertices[~pressed]).any(axis=1)]
    away = ~np.isin(np.arange(job.count), near)
    assert worst(U[away], sole.parts.expand(done.u)[away]) < 2e-5
