"""The box of friction that sole-aware control keeps the wrenches of a sole in.

    |f_x|, |f_y|, |t_z|/r <= mu s/sqrt(3) f_z,

r the radius of the yaw torque that friction holds under an even pressure. Inside an ellipsoid of
half axes mu f_z it would be with s = 1; the cone of a sole's pressure is narrower at the corners.
"""

from __future__ import annotations

import numpy as np

from contact.margins import PressureCone
from sole.base.arrays import FloatArray
from sole.condense import CondensedSole


def yaw_radius(points: FloatArray, areas: FloatArray) -> float:
    """Return the yaw torque per mu f_z that an even pressure holds, sum a_i |r_i| / sum a_i [m]."""
    centre = areas @ points[:, :2] / areas.sum()
    return float(areas @ np.linalg.norm(points[:, :2] - centre, axis=1) / areas.sum())


def held_share(sole: CondensedSole, twist: float) -> float:
    """Return by how much the corners of the box of friction are inside the cone of its pressure.

    |f_x|, |f_y|, |t_z|/twist = mu/sqrt(3) f_z are the corners; the pressure is that of the sole
    pressed flat. The share, at most 1, brings them on the limit surface.
    """
    m, G = len(sole.points), np.asarray(sole.geometry)
    sunk = np.linalg.solve(sole.foot_stiffness, np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0]))
    pressed = np.linalg.solve(sole.compliance, G @ sunk).reshape(m, 3)[:, 2]
    arms = G.reshape(m, 3, 6)[:, 2]
    points = np.stack([-arms[:, 4], arms[:, 3]], axis=1)
    cone = PressureCone(points=points, forces=np.maximum(pressed, 0.0), friction=np.array(1.0))
    x, y = cone.cop
    corners = [
        [a, b, np.sqrt(3), 0, 0, c * twist] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)
    ]
    w = np.array(corners)
    w[:, 3], w[:, 4] = y * w[:, 2], -x * w[:, 2]
    return float(min(1.0, 1.0 / (1.0 - cone.margin(w).slip.min())))
