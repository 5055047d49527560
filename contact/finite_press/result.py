"""The result of a press at finite strain: forces, pose, true areas, stretches, Cauchy stress."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from contact.finite_press.affine_sole import undeformed
from contact.ground import Ground
from contact.press import (
    PressCertificate,
    PressLoad,
    Wrench,
    certify_contact,
    motion_vector,
)
from sole.base.arrays import FloatArray, frozen
from sole.hyperelastic import FiniteSole, StrainField


@dataclass(frozen=True, eq=False, kw_only=True)
class FinitePressCertificate:
    """Residuals of a press at finite strain, recomputed from the result.

    Parameters
    ----------
    contact : laws of contact at the true nodes, wrench at deformed arms.
    internal : |F(u) - f| / |f| over all free nodes, with F(u) evaluated anew.
    """

    contact: PressCertificate
    internal: float

    def __str__(self) -> str:
        return f"{self.contact}, internal {self.internal:.2g}"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FinitePressResult:
    """A pressed hyperelastic sole; arrays are read-only, in the sole frame unless said otherwise.

    Parameters
    ----------
    sole : the hyperelastic sole.
    ground, friction : of the press.
    path : the load at the end of every increment solved so far.
    contact_forces : (faces, m, 3) ground on sole [N], per solid of the ground.
    pose : (4, 4) sole to world.
    start : (m, 3) nodes at the start of the last increment, world [m].
    u : (n, 3) displacement of all free nodes relative to the rigid foot [m].
    rho : scale of the natural map, 1 / mean C_ii of the last tangent [N/m].
    newton : iterations on the sole.
    clipped : those of them with a clipped tangent.
    """

    sole: FiniteSole
    ground: Ground
    friction: float
    path: tuple[PressLoad, ...]
    contact_forces: FloatArray
    pose: FloatArray
    start: FloatArray
    u: FloatArray
    rho: float
    newton: int = 0
    clipped: int = 0

    def __post_init__(self) -> None:
        for name in ("contact_forces", "pose", "start", "u"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    def __repr__(self) -> str:
        """Return one line: wrench, true area and certificate."""
        w = ", ".join(f"{v:.4g}" for v in self.wrench)
        area = f"{1e4 * self.contact_area:.4g} cm^2"
        return f"<FinitePressResult wrench ({w}), contact {area}, {self.certificate}>"

    @cached_property
    def forces(self) -> FloatArray:
        """(m, 3) forces of the ground on the sole [N]."""
        return frozen(self.contact_forces.sum(axis=0))

    @cached_property
    def displacements(self) -> FloatArray:
        """(m, 3) displacement of the tread vertices relative to the rigid foot [m]."""
        return frozen(self.u[self.sole.contact])

    @cached_property
    def arms(self) -> FloatArray:
        """(m, 3) deformed tread vertices from the projected origin [m]."""
        return frozen(undeformed(self.sole).arms + self.displacements)

    @cached_property
    def wrench(self) -> FloatArray:
        """(6,) forces and moments about the projected origin, at the deformed nodes [N, N m]."""
        moment = np.cross(self.arms, self.forces).sum(axis=0)
        return frozen(np.concatenate([self.forces.sum(axis=0), moment]))

    @cached_property
    def motion(self) -> FloatArray:
        """(6,) motion of the foot from first touch: x, y, z [m], roll, pitch, yaw [rad]."""
        return frozen(motion_vector(undeformed(self.sole), self.ground, self.pose))

    @cached_property
    def energy(self) -> float:
        """E(u), the elastic energy [J]."""
        return self.sole.evaluate(self.u, tangent=False).energy

    @cached_property
    def field(self) -> StrainField:
        """Principal stretches and Cauchy stress at all quadrature points."""
        return self.sole.field(self.u)

    @cached_property
    def areas(self) -> FloatArray:
        """(m,) true area of the deformed tread that belongs to every vertex [m^2]."""
        mesh = self.sole.mesh
        x = mesh.points + self.sole.parts.expand(self.u)[: len(mesh.points)]
        a, b, c = (x[mesh.tread[:, k]] for k in range(3))
        area = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
        shares = np.bincount(mesh.tread.ravel(), np.repeat(area / 3, 3), len(x))
        return frozen(shares[mesh.tread_vertices])

    @cached_property
    def pressures(self) -> FloatArray:
        """(m,) normal force per true area [Pa]."""
        R = self.pose[:3, :3]
        world = undeformed(self.sole).points + self.displacements
        _, normals = self.ground.gaps(world @ R.T + self.pose[:3, 3], self.start)
        normal = np.einsum("kmi,kmi->m", self.contact_forces @ R.T, normals)
        return frozen(normal / self.areas)

    @cached_property
    def contact_area(self) -> float:
        """True area of the vertices that carry force [m^2]."""
        return float(self.areas[np.abs(self.forces).max(axis=1) > 0].sum())

    @cached_property
    def certificate(self) -> FinitePressCertificate:
        """The residuals of this result."""
        last, c = self.path[-1], self.sole.contact
        contact = certify_contact(
            points=self.sole.points,
            u=self.displacements,
            arms=self.arms,
            rho=self.rho,
            ground=self.ground,
            friction=self.friction,
            wrench=last.vector if isinstance(last, Wrench) else None,
            contact_forces=self.contact_forces,
            pose=self.pose,
            start=self.start,
        )
        error = self.sole.evaluate(self.u, tangent=False).residual
        error[c] -= self.forces
        size = float(np.linalg.norm(self.forces)) or 1.0
        return FinitePressCertificate(contact=contact, internal=float(np.linalg.norm(error)) / size)
