"""Feet that touch the ground at their corners only: a prism whose tread has no other node.

Those of a foot's rectangle are in the order of `robot.measures.VERTICES`: front
right, front left, back left, back right, as the penalty paper numbers them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from robot.model import RobotModel
from sole.base.errors import ConfigError
from sole.condense import CondensedSole, condense
from sole.material import Material
from sole.mesh import SoleMesh

__all__ = ["corner_sole", "prism_mesh"]

CORNERS = np.array([[1, -1], [1, 1], [-1, 1], [-1, -1]], dtype=float)


def corner_sole(robot: RobotModel, thickness: float, material: Material) -> CondensedSole:
    """Return a sole of one block under the left foot: its tread nodes are the four corners.

    Raises
    ------
    ConfigError
        A foot of the robot is no rectangle.
    """
    for foot in robot.feet:
        if not foot.rectangular:
            raise ConfigError(
                f"contact: points = 'corners' needs rectangular feet, but the {foot.side} foot of "
                f"{robot.name} has {_outline(len(foot.pads))}: use points = 'nodes'"
            )
    return condense(prism_mesh(CORNERS * robot.left.half_size, thickness), material, element="p1")


def prism_mesh(corners: ArrayLike, thickness: float) -> SoleMesh:
    """Return a prism on a convex outline (n, 2), counter-clockwise [m], with no other nodes.

    Its tread has the n corners as nodes, in their order; three tetrahedra fill each triangle.
    """
    flat = np.asarray(corners, dtype=float)
    n = len(flat)
    points = np.zeros((2 * n, 3))
    points[:n, :2], points[n:, :2], points[:n, 2] = flat, flat, -thickness
    low = np.array([[0, k, k + 1] for k in range(1, n - 1)])
    high = low + n
    tets = [[*a, c] for a, (*_, c) in zip(low, high, strict=True)]
    tets += [[a, b, d, f] for (a, b, _), (d, _, f) in zip(low, high, strict=True)]
    tets += [[b, d, e, f] for (_, b, _), (d, e, f) in zip(low, high, strict=True)]
    elements = np.array(tets)
    a, b, c, d = (points[elements[:, k]] for k in range(4))
    mirrored = np.einsum("ei,ei->e", np.cross(b - a, c - a), d - a) < 0
    elements[mirrored] = elements[mirrored][:, [0, 2, 1, 3]]
    return SoleMesh(
        points=points,
        tets=elements,
        layer_of_tet=np.zeros(len(elements), np.int64),
        layers=("sole",),
        bond=high,
        tread=low,
        name=f"prism of {n} corners",
    )


def _outline(pads: int) -> str:
    return "a polygon as outline" if pads == 1 else f"{pads} pads"
