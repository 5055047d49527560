"""What every press ends with: forces, pose and nodes, and all that follows from them.

A linear sole and one at finite strain differ in where their nodes are (`view`) and in the areas
that pressures refer to.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from contact.ground import Ground
from contact.press.first_touch import motion_vector
from contact.press.load import PressLoad
from contact.press.press_state import PressView
from contact.problem import ContactStatus
from sole.base.arrays import FloatArray, IntArray, frozen
from sole.condense import deformation_of
from sole.laws import AnyMaterial
from sole.mesh import SoleMesh


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PressedSole(ABC):
    """A pressed sole; arrays are read-only, in the sole frame unless said otherwise.

    Parameters
    ----------
    ground, friction : of the press.
    path : the load at the end of every increment.
    contact_forces : (faces, m, 3) ground on sole [N], per solid of the ground.
    pose : (4, 4) sole to world.
    start : (m, 3) nodes at the start of the last increment, world [m].
    """

    ground: Ground
    friction: float
    path: tuple[PressLoad, ...]
    contact_forces: FloatArray
    pose: FloatArray
    start: FloatArray

    def __post_init__(self) -> None:
        for name in ("contact_forces", "pose", "start"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    @property
    @abstractmethod
    def mesh(self) -> SoleMesh:
        """The mesh of the sole."""

    @property
    @abstractmethod
    def materials(self) -> tuple[AnyMaterial, ...]:
        """One a layer."""

    @property
    @abstractmethod
    def view(self) -> PressView:
        """The state evaluated anew from forces, pose and displacements."""

    @property
    @abstractmethod
    def areas(self) -> FloatArray:
        """(m,) tread area of every vertex [m^2]."""

    @property
    @abstractmethod
    def energy(self) -> float:
        """Elastic energy [J]."""

    @property
    @abstractmethod
    def scale(self) -> float:
        """Scale of the natural map, 1 / mean C_ii [N/m]."""

    @property
    def inside(self) -> FloatArray | None:
        """(n, 3) displacement of every vertex relative to the foot [m], None if not known."""
        return None

    @property
    def von_mises(self) -> FloatArray | None:
        """(e,) stress of every tetrahedron [Pa], None if not known."""
        return None

    @property
    def stretches(self) -> FloatArray | None:
        """(e, 3) principal stretches of every tetrahedron, None if not known."""
        return None

    @property
    def cauchy(self) -> FloatArray | None:
        """(e, 3, 3) Cauchy stress of every tetrahedron [Pa], None if not known."""
        return None

    @property
    def thickness(self) -> float:
        """As in `sole.condense.CondensedSole` [m]."""
        return self.mesh.thickness

    @property
    def points(self) -> FloatArray:
        """(m, 3) undeformed tread vertices [m]."""
        return self.view.setting.sole.points

    @property
    def force_points(self) -> FloatArray:
        """(m, 3) tread nodes at which forces turn the foot [m]."""
        return self.points

    @cached_property
    def forces(self) -> FloatArray:
        """(m, 3) forces of the ground on the sole [N]."""
        return frozen(self.contact_forces.sum(axis=0))

    @cached_property
    def displacements(self) -> FloatArray:
        """(m, 3) elastic displacement relative to the rigid foot [m]."""
        return frozen(self.view.displacement)

    @cached_property
    def _leading(self) -> IntArray:
        """(m,) contact of every node that carries most, else the nearest."""
        m = len(self.points)
        r = self.view.reactions[:, 2].reshape(-1, m)
        gaps = self.view.gaps.reshape(-1, m)
        face = np.where(r.max(axis=0) > 0, r.argmax(axis=0), gaps.argmin(axis=0))
        return np.asarray(face * m + np.arange(m))

    @cached_property
    def frames(self) -> FloatArray:
        """(m, 3, 3) contact frames, rows t1, t2, n (n from the ground into the robot)."""
        return frozen(self.view.frames[self._leading])

    @cached_property
    def gap(self) -> FloatArray:
        """(m,) distance of the deformed nodes to the ground [m]."""
        return frozen(self.view.gaps[self._leading])

    @cached_property
    def slip(self) -> FloatArray:
        """(m, 2) tangential displacement over the last increment along (t1, t2) [m]."""
        return frozen(self.view.velocity[self._leading, :2])

    @cached_property
    def status(self) -> IntArray:
        """(m,) `ContactStatus`: open, stick or slip."""
        mu, rho = self.friction, self.scale
        r, u = self.view.reactions[self._leading], self.view.velocity[self._leading]
        sliding = np.linalg.norm(r[:, :2] - rho * u[:, :2], axis=1) > mu * r[:, 2] * (1 + 1e-9)
        status = np.where(sliding, ContactStatus.SLIP, ContactStatus.STICK)
        return frozen(np.where(r[:, 2] > 0, status, ContactStatus.OPEN), np.int64)

    @cached_property
    def pressure(self) -> FloatArray:
        """(m,) normal force / `areas` [Pa]."""
        return frozen(self.view.reactions[self._leading, 2] / self.areas)

    @property
    def contact_area(self) -> float:
        """Area of the nodes that carry force [m^2]."""
        return float(self.areas[self.status != ContactStatus.OPEN].sum())

    @property
    def wrench(self) -> FloatArray:
        """(6,) sum of nodal forces and moments about the projected origin [N, N m].

        In the axes of the ground's frame, as the load is.
        """
        turn = self.ground.frame.T @ self.pose[:3, :3]
        return np.concatenate([turn @ self.view.wrench[:3], turn @ self.view.wrench[3:]])

    @property
    def cop(self) -> FloatArray:
        """(2,) centre of pressure (-ty/fz, tx/fz) on the tread plane [m]; NaN without load."""
        w = self.wrench
        return np.array([-w[4], w[3]]) / w[2] if w[2] > 0 else np.full(2, np.nan)

    @property
    def motion(self) -> FloatArray:
        """(6,) motion from the reference in the axes of the ground's frame.

        (x, y, z) of the projected origin [m]; (roll, pitch, yaw) [rad], R = Rz(yaw) Ry(pitch)
        Rx(roll).
        """
        return motion_vector(self.view.setting.sole, self.ground, self.pose)

    @property
    def penetration(self) -> float:
        """How far the undeformed sole at this pose would reach into the ground [m]."""
        rigid = self.points @ self.pose[:3, :3].T + self.pose[:3, 3]
        gaps, _ = self.ground.gaps(rigid, self.start)
        return float(max(0.0, -gaps.min()))

    @property
    def deformation(self) -> float:
        """Largest displacement of a tread node over the sole's thickness."""
        return deformation_of(self.displacements, self.thickness)
