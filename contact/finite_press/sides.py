"""Sides that bulge under the ground: contact is on the tread's vertices alone."""

from __future__ import annotations

import numpy as np

from contact.finite_press.result import FinitePressResult

ROUND_OFF = 1e-6  # of the thickness: a side so little under the ground touches it


def depth_of_sides(result: FinitePressResult) -> tuple[int, float]:
    """Return how many vertices of the sides are under the ground, and how deep [m]."""
    mesh, R = result.mesh, result.pose[:3, :3]
    side = np.setdiff1d(np.arange(len(mesh.points)), mesh.tread_vertices)
    world = (mesh.points + result.inside)[side] @ R.T + result.pose[:3, 3]
    local = world @ result.ground.frame
    depth = result.ground.height(local[:, 0], local[:, 1]) - local[:, 2]
    below = depth > ROUND_OFF * result.thickness  # NaN and no ground are not
    return int(below.sum()), float(depth[below].max(initial=0.0))
