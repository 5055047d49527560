"""Soles and loads that several press tests share; condensed once per session."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from math import radians

import numpy as np
from box_mesh import box_mesh

from contact.ground import Bump, Plane, Slope, Step
from contact.ground.simple_grounds import Bar
from contact.press import Wrench
from sole.condense import CondensedSole, condense
from sole.material import Material

E, NU = 1e6, 0.4
LENGTH, WIDTH, THICKNESS = 0.20, 0.12, 0.02

CASES = {
    "centre": (Wrench.standing(600), Plane()),
    "off centre": (Wrench.standing(570, cop=(0.05, 0.02)), Plane()),
    "near the edge": (Wrench.standing(570, cop=(0.09, 0.0)), Plane()),
    "sheared": (Wrench.standing(600, cop=(0.02, -0.01), shear=(250, 120)), Plane()),
    "turned": (Wrench.standing(600, yaw=15), Plane()),
    "slope": (Wrench.standing(500, shear=(-170, 0)), Slope(angle=radians(19), heading=radians(40))),
    "step": (Wrench.standing(570, cop=(0.04, 0.01)), Step(rise=0.01)),
    "step heel": (Wrench.standing(570, cop=(-0.04, 0.0)), Step(rise=0.005)),
    "bump": (Wrench.standing(570, cop=(0.03, 0.01)), Bump(rise=0.005, radius=0.03)),
    "bar": (
        Wrench.standing(570, cop=(0.03, 0.01)),
        Bar(rise=0.005, radius=0.01, x=0.01, angle=radians(10)),
    ),
}


@lru_cache
def pad(
    cells: tuple[int, int, int] = (8, 6, 2), element: str = "p2", nu: float = NU
) -> CondensedSole:
    """A box pad, 63 tread vertices by default."""
    mesh = box_mesh(LENGTH, WIDTH, THICKNESS, cells)
    return condense(mesh, Material(young_modulus=E, poisson_ratio=nu), element)


@lru_cache
def symmetric_pad() -> CondensedSole:
    """A pad whose compliance is exactly symmetric in y -> -y (the mean of both numberings)."""
    sole = pad()
    mirror = np.array([1.0, -1.0, 1.0])
    order = [
        int(np.flatnonzero(np.isclose(sole.points, p * mirror).all(axis=1))[0]) for p in sole.points
    ]
    m = len(sole.points)
    sign = np.tile(mirror, m)
    take = (3 * np.array(order)[:, None] + np.arange(3)).ravel()
    K = sole.stiffness
    K = (K + (K * sign[:, None] * sign)[np.ix_(take, take)]) / 2
    K = (K + K.T) / 2
    C = np.linalg.inv(K)
    return CondensedSole(
        mesh=sole.mesh,
        materials=sole.materials,
        element=sole.element,
        stiffness=K,
        compliance=(C + C.T) / 2,
    )


def graded(half: float, fine: int, h: float, growth: float = 2.0) -> np.ndarray:
    """Positions from 0: `fine` cells of size h, then growing, up to `half`."""
    x, step = [h * k for k in range(fine + 1)], h
    while x[-1] + 1.5 * step < half:
        step *= growth
        x.append(x[-1] + step)
    x[-1] = half
    return np.array(x)


def block(patch: float, fine: int, half: float, depth: float) -> CondensedSole:
    """A large block whose tread is only the square |x|, |y| <= patch in its middle."""
    h = patch / fine
    side = graded(half, fine, h)
    axis = np.concatenate([-side[:0:-1], side])
    z = -depth + graded(depth, 2, h)
    mesh = box_mesh(2 * half, 2 * half, depth, (0, 0, 0), x=axis, y=axis, z=z)
    middle = np.abs(mesh.points[mesh.tread][:, :, :2]).max(axis=(1, 2)) <= patch * (1 + 1e-9)
    mesh = replace(mesh, tread=mesh.tread[middle])
    return condense(mesh, Material(young_modulus=E, poisson_ratio=NU), "p2")
