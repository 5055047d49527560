"""The result of a press at finite strain: forces, pose, true areas, stretches, Cauchy stress."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from contact.finite_press.affine_sole import undeformed
from contact.press import (
    PressCertificate,
    PressedSole,
    PressSetting,
    PressState,
    PressView,
    Wrench,
    certify_contact,
)
from sole.base.arrays import FloatArray, frozen
from sole.hyperelastic import FiniteSole, StrainField
from sole.laws import HyperelasticMaterial
from sole.mesh import SoleMesh, normals_and_areas


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
class FinitePressResult(PressedSole):
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
    u: FloatArray
    rho: float
    newton: int = 0
    clipped: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "u", frozen(self.u))

    def __repr__(self) -> str:
        """Return one line: wrench, true area and certificate."""
        w = ", ".join(f"{v:.4g}" for v in self.wrench)
        area = f"{1e4 * self.contact_area:.4g} cm^2"
        return f"<FinitePressResult wrench ({w}), contact {area}, {self.certificate}>"

    @property
    def mesh(self) -> SoleMesh:
        """The mesh of the sole."""
        return self.sole.mesh

    @property
    def materials(self) -> tuple[HyperelasticMaterial, ...]:
        """One a layer, without its density."""
        return tuple(HyperelasticMaterial(law=law) for law in self.sole.laws)

    @property
    def scale(self) -> float:
        """`rho`."""
        return self.rho

    @cached_property
    def view(self) -> PressView:
        """The state evaluated anew from forces, pose and u; forces turn at deformed arms."""
        rest, moved = undeformed(self.sole), self.u[self.sole.contact]
        R = self.pose[:3, :3]
        state = PressState(
            forces=self.contact_forces.reshape(-1, 3),
            rotation=R,
            place=self.pose[:3, 3] + R @ rest.origin,
            start=self.start,
        )
        sole = replace(rest, arms=rest.arms + moved)
        setting = PressSetting(sole=sole, ground=self.ground, friction=self.friction)
        return PressView(setting, state, moved)

    @property
    def arms(self) -> FloatArray:
        """(m, 3) deformed tread vertices from the projected origin [m]."""
        return self.view.local

    @property
    def force_points(self) -> FloatArray:
        """(m, 3) deformed tread vertices [m]."""
        return self.points + self.displacements

    @cached_property
    def energy(self) -> float:
        """E(u), the elastic energy [J]."""
        return self.sole.evaluate(self.u, tangent=False).energy

    @cached_property
    def field(self) -> StrainField:
        """Principal stretches and Cauchy stress at all quadrature points."""
        return self.sole.field(self.u)

    @cached_property
    def inside(self) -> FloatArray:
        """(n, 3) displacement of every vertex relative to the foot [m]."""
        return frozen(self.sole.parts.expand(self.u)[: len(self.mesh.points)])

    @cached_property
    def stretches(self) -> FloatArray:
        """(e, 3) mean principal stretches of every tetrahedron, increasing."""
        return frozen(self._means(self.field.stretches))

    @cached_property
    def cauchy(self) -> FloatArray:
        """(e, 3, 3) mean Cauchy stress of every tetrahedron [Pa], sole frame."""
        return frozen(self._means(self.field.cauchy))

    @cached_property
    def von_mises(self) -> FloatArray:
        """(e,) von Mises stress of `cauchy` [Pa]."""
        deviator = self.cauchy - np.trace(self.cauchy, axis1=1, axis2=2)[:, None, None] / 3 * (
            np.eye(3)
        )
        return frozen(np.sqrt(1.5) * np.linalg.norm(deviator, axis=(1, 2)))

    def _means(self, values: FloatArray) -> FloatArray:
        """Return the means by volume over the points of every tetrahedron."""
        weights = self.field.volumes.reshape(len(self.mesh.tets), -1)
        of_tet = values.reshape(*weights.shape, *values.shape[1:])
        return np.asarray(np.einsum("eq,eq...->e...", weights / weights.sum(1)[:, None], of_tet))

    @cached_property
    def areas(self) -> FloatArray:
        """(m,) true area of the deformed tread that belongs to every vertex [m^2]."""
        mesh = self.mesh
        _, area = normals_and_areas(mesh.points + self.inside, mesh.tread)
        shares = np.bincount(mesh.tread.ravel(), np.repeat(area / 3, 3), len(mesh.points))
        return frozen(shares[mesh.tread_vertices])

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
