"""The result of a press: forces and pose, and everything derived from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from contact.ground import Ground
from contact.press.certificate import PressCertificate, certify_press
from contact.press.first_touch import motion_vector
from contact.press.load import PressLoad, Wrench
from contact.press.press_state import PressSetting, PressState, PressView
from contact.problem import ContactStatus
from sole.base.arrays import FloatArray, IntArray, frozen
from sole.condense import CondensedSole, deformation_of
from sole.mesh import SoleMesh


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PressResult:
    """A pressed sole; arrays are read-only, in the sole frame unless said otherwise.

    Parameters
    ----------
    sole : the condensed sole.
    ground, friction : of the press.
    path : the load at the end of every increment.
    contact_forces : (faces, m, 3) ground on sole [N], per solid of the ground.
    pose : (4, 4) sole to world.
    start : (m, 3) nodes at the start of the last increment, world [m].
    outer, sweeps, newton : numbers of iterations.
    seed, tolerance : of the solver.
    """

    sole: CondensedSole
    ground: Ground
    friction: float
    path: tuple[PressLoad, ...]
    contact_forces: FloatArray
    pose: FloatArray
    start: FloatArray
    outer: int = 0
    sweeps: int = 0
    newton: int = 0
    seed: int = 1
    tolerance: float = 1e-10
    certificate: PressCertificate = field(init=False)

    def __post_init__(self) -> None:
        for name in ("contact_forces", "pose", "start"):
            object.__setattr__(self, name, frozen(getattr(self, name)))
        last = self.path[-1]
        certificate = certify_press(
            sole=self.sole,
            ground=self.ground,
            friction=self.friction,
            wrench=last.vector if isinstance(last, Wrench) else None,
            contact_forces=self.contact_forces,
            pose=self.pose,
            start=self.start,
        )
        object.__setattr__(self, "certificate", certificate)

    def __repr__(self) -> str:
        """Return one line: load, area and certificate."""
        w = ", ".join(f"{v:.4g}" for v in self.wrench)
        area = f"{1e4 * self.contact_area:.4g} cm^2"
        return f"<PressResult wrench ({w}), contact {area}, {self.certificate}>"

    @cached_property
    def view(self) -> PressView:
        """The state evaluated anew from forces and pose."""
        R = self.pose[:3, :3]
        place = self.pose[:3, 3] + R @ self.sole.origin
        setting = PressSetting(sole=self.sole, ground=self.ground, friction=self.friction)
        forces = self.contact_forces.reshape(-1, 3)
        return PressView(
            setting, PressState(forces=forces, rotation=R, place=place, start=self.start)
        )

    @property
    def mesh(self) -> SoleMesh:
        """The mesh of the sole."""
        return self.sole.mesh

    @property
    def thickness(self) -> float:
        """As in `sole.condense.CondensedSole` [m]."""
        return self.sole.thickness

    @property
    def points(self) -> FloatArray:
        """(m, 3) undeformed tread vertices [m]."""
        return self.sole.points

    @cached_property
    def forces(self) -> FloatArray:
        """(m, 3) forces of the ground on the sole [N]."""
        return frozen(self.contact_forces.sum(axis=0))

    @cached_property
    def displacements(self) -> FloatArray:
        """(m, 3) elastic displacement C f relative to the rigid foot [m]."""
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
        mu, rho = self.friction, self.view.setting.rho
        r, u = self.view.reactions[self._leading], self.view.velocity[self._leading]
        sliding = np.linalg.norm(r[:, :2] - rho * u[:, :2], axis=1) > mu * r[:, 2] * (1 + 1e-9)
        status = np.where(sliding, ContactStatus.SLIP, ContactStatus.STICK)
        return frozen(np.where(r[:, 2] > 0, status, ContactStatus.OPEN), np.int64)

    @cached_property
    def pressure(self) -> FloatArray:
        """(m,) normal force / lumped tread area [Pa]."""
        normal = self.view.reactions[self._leading, 2]
        return frozen(normal / self.sole.areas)

    @property
    def contact_area(self) -> float:
        """Tread area of the nodes that carry force [m^2]."""
        return float(self.sole.areas[self.status != ContactStatus.OPEN].sum())

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
        return motion_vector(self.sole, self.ground, self.pose)

    @property
    def penetration(self) -> float:
        """How far the undeformed sole at this pose would reach into the ground [m]."""
        rigid = self.points @ self.pose[:3, :3].T + self.pose[:3, 3]
        gaps, _ = self.ground.gaps(rigid, self.start)
        return float(max(0.0, -gaps.min()))

    @property
    def deformation(self) -> float:
        """Largest displacement of a tread node over the sole's thickness.

        Above `sole.condense.LINEAR_LIMIT` linear elasticity does not hold.
        """
        return deformation_of(self.displacements, self.sole.thickness)

    @property
    def energy(self) -> float:
        """Elastic energy f' C f / 2 [J]."""
        return float(np.vdot(self.forces, self.displacements)) / 2
