"""The tangent of a hyperelastic sole as a linear sole with moved tread nodes.

At displacements u^k the condensed tangent K_c du + F^ = f gives

    u = d0 + C f,    d0 = u^k - C F^,    C = K_c^-1,

the law of a linear sole whose nodes under no force are at X + d0. Forces turn the foot at deformed
arms a = X + u - o, so the rows of G are (1, -[a]x) with those.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sole.base.arrays import FloatArray
from sole.hyperelastic import CondensedTangent, FiniteSole


@dataclass(frozen=True, eq=False, kw_only=True)
class AffineSole:
    """A `contact.press.LinearSole` of a tangent.

    Parameters
    ----------
    points : (m, 3) X + d0 [m].
    arms : (m, 3) nodes from `origin` at which forces act [m].
    origin, thickness, areas : of the undeformed sole.
    compliance, stiffness : (3m, 3m) of the tangent.
    """

    points: FloatArray
    arms: FloatArray
    origin: FloatArray
    thickness: float
    areas: FloatArray
    compliance: FloatArray
    stiffness: FloatArray

    @cached_property
    def geometry(self) -> FloatArray:
        """G (3m, 6) at the deformed arms."""
        x, y, z = self.arms.T
        G = np.zeros((len(x), 3, 6))
        G[:, [0, 1, 2], [0, 1, 2]] = 1.0
        G[:, 0, 4], G[:, 0, 5] = z, -y
        G[:, 1, 3], G[:, 1, 5] = -z, x
        G[:, 2, 3], G[:, 2, 4] = y, -x
        return G.reshape(-1, 6)

    @cached_property
    def foot_stiffness(self) -> FloatArray:
        """G' K G (6, 6)."""
        K = self.geometry.T @ (self.stiffness @ self.geometry)
        return np.asarray((K + K.T) / 2)


def undeformed(sole: FiniteSole) -> AffineSole:
    """Return the sole at rest, without its law: where its nodes are."""
    origin = np.array([0.0, 0.0, -sole.mesh.thickness])
    nothing = np.zeros((0, 0))
    return AffineSole(
        points=sole.points,
        arms=sole.points - origin,
        origin=origin,
        thickness=sole.mesh.thickness,
        areas=sole.mesh.tread_areas,
        compliance=nothing,
        stiffness=nothing,
    )


def affine_sole(rest: AffineSole, u_c: FloatArray, tangent: CondensedTangent) -> AffineSole:
    """Return the law of the tread at displacements `u_c` (m, 3) of the sole `rest`."""
    d0 = u_c - (tangent.compliance @ tangent.residual).reshape(-1, 3)
    return AffineSole(
        points=rest.points + d0,
        arms=rest.arms + u_c,
        origin=rest.origin,
        thickness=rest.thickness,
        areas=rest.areas,
        compliance=tangent.compliance,
        stiffness=tangent.stiffness,
    )
