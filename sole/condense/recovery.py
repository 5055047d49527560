"""Recovery of the full deformation of a condensed sole from its contact forces.

U_c = C f on the tread, U_n = -K_nn^-1 K_nc U_c inside, then strain and von Mises stress at the
centroid of every tetrahedron. This takes one factorisation per material (kept by `Recovery`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from sole.base.arrays import FloatArray, frozen
from sole.base.errors import ResourceError, SoleError
from sole.condense.condensed_sole import CondensedSole
from sole.condense.condenser import Condenser
from sole.elasticity import StiffnessParts, bases, divergence, inverse_mass, number_dofs
from sole.mesh import SoleMesh

QUICK = 10_000  # tetrahedra
UNIT_LOAD = 100.0  # [N] vertical load in the pictures of a condensed sole


@dataclass(frozen=True, eq=False)
class Deformation:
    """Fields of one load case, relative to the rigid foot, in the sole frame.

    Parameters
    ----------
    displacement : (n, 3) at the mesh vertices [m].
    strain : (e, 6) at the tetrahedron centroids, order xx, yy, zz, yz, xz, xy (tensor
        components, not engineering shear) [-].
    stress : (e, 6) at the same places, same order [Pa].
    von_mises : (e,) [Pa].
    volumes : (e,) [m^3], the weights of percentiles.
    energy : 1/2 U'KU [J].
    """

    displacement: FloatArray
    strain: FloatArray
    stress: FloatArray
    von_mises: FloatArray
    volumes: FloatArray
    energy: float

    @cached_property
    def shortening(self) -> FloatArray:
        """(e,) -e_min, at least 0, with the least principal strain e_min of a tetrahedron.

        1 + e_min is the least principal stretch as the linear model has it.
        """
        xx, yy, zz, yz, xz, xy = self.strain.T
        tensor = np.stack([xx, xy, xz, xy, yy, yz, xz, yz, zz], axis=1).reshape(-1, 3, 3)
        return frozen(np.maximum(-np.linalg.eigvalsh(tensor)[:, 0], 0.0))

    @property
    def compression(self) -> float:
        """99th percentile by volume of `shortening`: what `linear_error` goes by."""
        order = np.argsort(self.shortening)
        volume = np.cumsum(self.volumes[order])
        return float(self.shortening[order][np.searchsorted(volume, 0.99 * volume[-1])])


class Recovery:
    """Keeps the factor of K for one sole, so that each further load costs one solve.

    A common factor on every E leaves the recovery unchanged: the inner displacements follow
    those of the tread.
    """

    def __init__(self, sole: CondensedSole, condenser: Condenser | None = None) -> None:
        from sole.elimination import check_memory, factorise

        condenser = Condenser(sole.mesh, sole.element) if condenser is None else condenser
        self.sole = sole
        self.parts = condenser.parts
        check_memory(condenser.tree, extra_bytes=condenser.tree.factor_bytes)
        self.factor = factorise(self.parts.stiffness(sole.materials), condenser.tree)

    def __call__(self, forces: FloatArray, scale: float = 1.0) -> Deformation:
        """Return the fields under nodal `forces` (m, 3) [N] on the tread, all E times `scale`."""
        forces = np.asarray(forces, dtype=float)
        if forces.shape != self.sole.points.shape or not np.isfinite(forces).all():
            raise SoleError(
                f"expected finite forces of shape {self.sole.points.shape}, got {forces.shape}"
            )
        f = forces.ravel()
        U_c = self.sole.compliance @ f / scale
        u_free = self.factor.solve_interior(U_c[:, None])[:, 0]
        u = self.parts.expand(u_free)
        strain, stress = _centroid_fields(self.parts, self.sole, u, scale)
        return Deformation(
            displacement=frozen(u[: len(self.sole.mesh.points)]),
            strain=frozen(strain),
            stress=frozen(stress),
            von_mises=frozen(_von_mises(stress)),
            volumes=self.sole.mesh.volumes,
            energy=float(f @ U_c) / 2,
        )


def recovers_quickly(mesh: SoleMesh) -> bool:
    """Whether a recovery takes a second at most: then files keep what pictures of them need."""
    return len(mesh.tets) <= QUICK


def recover_quickly(
    sole: CondensedSole, forces: FloatArray, condenser: Condenser | None = None
) -> Deformation | None:
    """Return the fields of `recover`; None if it is not quick or memory does not suffice."""
    if not recovers_quickly(sole.mesh):
        return None
    try:
        return Recovery(sole, condenser)(forces)
    except ResourceError:
        return None


def unit_load_forces(sole: CondensedSole) -> FloatArray:
    """f = K_c G e_z F / (G' K_c G)_zz (m, 3) [N]: the tread sticks, the foot does not turn.

    F = `UNIT_LOAD`.
    """
    e_z = sole.geometry[:, 2]
    f = sole.stiffness @ e_z
    forces: FloatArray = (f * (UNIT_LOAD / (e_z @ f))).reshape(-1, 3)
    return forces


def recover(sole: CondensedSole, forces: FloatArray) -> Deformation:
    """Return the fields of `sole` under nodal `forces` (m, 3) [N] on its tread."""
    return Recovery(sole)(forces)


def _centroid_fields(
    parts: StiffnessParts, sole: CondensedSole, u: FloatArray, scale: float
) -> tuple[FloatArray, FloatArray]:
    """Return strain = sym grad u and stress = lambda div u I + 2 mu strain at the centroids."""
    number, mesh = parts.numbering, sole.mesh
    gradient, projected = _centroid_gradients(parts.element)
    x = mesh.points[number.tets]
    Jinv = np.linalg.inv(np.swapaxes(x[:, 1:] - x[:, :1], 1, 2))
    u_e = u[number.nodes_of_tet]
    grad = np.einsum("eia,il,elb->eab", u_e, gradient, Jinv, optimize=True)
    # The volumetric stress uses the element's pressure, which is free of spurious modes.
    div = np.einsum("eia,il,ela->e", u_e, projected, Jinv, optimize=True)
    e = (grad + np.swapaxes(grad, 1, 2)) / 2
    lam, mu = (np.array([m.scaled(scale).lame for m in sole.materials])[mesh.layer_of_tet]).T
    s = (lam * div)[:, None, None] * np.eye(3)
    s += 2 * mu[:, None, None] * e
    voigt = ([0, 1, 2, 1, 0, 0], [0, 1, 2, 2, 2, 1])
    return e[:, voigt[0], voigt[1]], s[:, voigt[0], voigt[1]]


@cache
def _centroid_gradients(element: str) -> tuple[FloatArray, FloatArray]:
    """Return reference gradients (k, 3) at the centroid, plain and projected on pressures."""
    from skfem import MeshTet

    dofs = number_dofs(MeshTet.init_refdom(), element)
    centre = np.full((3, 1), 0.25)
    nodes = range(len(dofs.element_dofs))
    gradient = frozen([dofs.element.lbasis(centre, i)[1].reshape(3) for i in nodes])
    u, p = bases(dofs, element, np.array([0]))
    if p is None:
        return gradient, gradient
    pressures = [inverse_mass(p) @ divergence(k).assemble(u, p) for k in range(3)]
    # Every pressure function is 1/4 at the centroid.
    projected = np.stack([q.toarray().mean(axis=0)[dofs.element_dofs[:, 0]] for q in pressures])
    return gradient, frozen(projected.T)


def _von_mises(s: FloatArray) -> FloatArray:
    """Return sqrt(3/2 s_dev : s_dev)."""
    xx, yy, zz, yz, xz, xy = s.T
    squared: FloatArray = ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) / 2
    result: FloatArray = np.sqrt(squared + 3 * (yz**2 + xz**2 + xy**2))
    return result
