"""Shape functions of all tetrahedra at the quadrature points, and the tread's trace.

    grad u = sum_a u_a (x) dN_a/dX,    theta = sum_q' projection[q, q'] (J - 1)_q'

with projection = psi M^-1 psi' w of the discontinuous linear pressures psi, M = psi' w psi. On
straight tetrahedra it is the same for all. On an element with tread slaves u_nodes = T_e u_masters,
and forces and stiffness become T_e' f_e and T_e' K_e T_e, as in `sole.elasticity`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.elasticity import StiffnessParts, bases, number_dofs


@dataclass(frozen=True, eq=False)
class ElementValues:
    """What an evaluation needs of a mesh under an element.

    Parameters
    ----------
    gradients : (e, q, k, 3) dN_a/dX at the quadrature points [1/m].
    weights : (e, q) volume of every quadrature point [m^3].
    projection : (q, q) onto the pressures of an element; None: U takes the plain J.
    masters : (e, k) free node of every node, -1 on the bond and for slaves.
    traced : (t,) elements that have slaves.
    trace : (t, k, k) T_e of these elements.
    """

    gradients: FloatArray
    weights: FloatArray
    projection: FloatArray | None
    masters: IntArray
    traced: IntArray
    trace: FloatArray

    def project(self, values: FloatArray) -> FloatArray:
        """Return values (e, q) projected on the pressures; as they are without any."""
        return values if self.projection is None else values @ self.projection.T


def element_values(parts: StiffnessParts) -> ElementValues:
    """Return the values of the mesh and element of `parts`."""
    from skfem import MeshTet

    mesh, element, number = parts.mesh, parts.element, parts.numbering
    dofs = number_dofs(MeshTet(mesh.points.T.copy(), mesh.tets.T.copy()), element)
    displacement, pressure = bases(dofs, element, np.arange(len(mesh.tets)))
    k = displacement.Nbfun
    gradients = np.stack([displacement.basis[a][0].grad for a in range(k)])  # (k, 3, e, q)
    weights = np.asarray(displacement.dx)
    projection = None
    if pressure is not None:
        psi = np.stack([np.asarray(pressure.basis[a][0])[0] for a in range(pressure.Nbfun)])
        w = weights[0] / weights[0].sum()
        projection = psi.T @ np.linalg.solve((psi * w) @ psi.T, psi * w)
    slave = number.slave[number.nodes_of_tet]
    traced = np.flatnonzero(slave.any(axis=1))
    # the masters of a slave are vertices of its element: its row holds barycentric coordinates
    rows = np.zeros((k, k))
    rows[:, :4] = number.barycentric
    trace = np.where(slave[traced][:, :, None], rows, np.eye(k))
    return ElementValues(
        gradients=np.ascontiguousarray(gradients.transpose(2, 3, 0, 1)),
        weights=weights,
        projection=projection,
        masters=parts.free[number.nodes_of_tet],
        traced=traced,
        trace=trace,
    )
