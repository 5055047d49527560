"""Element matrices on the reference tetrahedron, by scikit-fem: one set serves every tetrahedron.

For the shape functions N_i on the reference tetrahedron, of coordinates xi,

    A[i, j, m, n] = int dN_i/dxi_m dN_j/dxi_n,    P[i, j, m, n] = (B_m' M^-1 B_n)[i, j],

from the forms d_m u d_n v (`gradients`), d_m u p (`divergence`) and p q (`inverse_mass`). P is the
volumetric part: the product of two divergences, each projected on the element's pressures; without
pressures it is A. On a straight tetrahedron with G[m, a] = dxi_m/dx_a and J = dx/dxi

    int d_a N_i d_b N_j = |det J| sum_mn G[m, a] G[n, b] A[i, j, m, n]

without any quadrature, and likewise for P. For `ccr`, whose shape functions have degree 4, a
quadrature on every tetrahedron takes six times as long (docs/theory.md).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from sole.base.arrays import FloatArray, frozen
from sole.elasticity.elements import bases, number_dofs


def gradients(k: int, l: int) -> Any:
    """Return the form of A_kl[i, j] = int d_k N_i d_l N_j, for a scalar u."""
    from skfem import BilinearForm

    @BilinearForm  # type: ignore[untyped-decorator]
    def form(u: Any, v: Any, _: Any) -> Any:
        return u.grad[l] * v.grad[k]

    return form


def divergence(k: int) -> Any:
    """Return the form of B_k[q, j] = int psi_q d_k N_j: component k of div(u) * p."""
    from skfem import BilinearForm

    @BilinearForm  # type: ignore[untyped-decorator]
    def form(u: Any, p: Any, _: Any) -> Any:
        return u.grad[k] * p

    return form


def inverse_mass(pressure: Any) -> Any:
    """Return M^-1 of the form p * q, inverted by element because pressures are discontinuous."""
    from skfem import BilinearForm

    @BilinearForm  # type: ignore[untyped-decorator]
    def form(p: Any, q: Any, _: Any) -> Any:
        return p * q

    return form.elemental(pressure).inverse().tocsr()


@cache
def reference_matrices(element: str) -> tuple[FloatArray, FloatArray]:
    """Return A and P, each (k, k, 3, 3), for the k nodes of `element` in scikit-fem's order."""
    from skfem import MeshTet

    dofs = number_dofs(MeshTet.init_refdom(), element)
    u, p = bases(dofs, element, np.array([0]))
    place = dofs.element_dofs[:, 0]
    A = np.array([[gradients(m, n).assemble(u).toarray() for n in range(3)] for m in range(3)])
    if p is None:
        P = A
    else:
        B = np.array([divergence(m).assemble(u, p).toarray() for m in range(3)])
        P = np.einsum("mqi,qr,nrj->mnij", B, inverse_mass(p).toarray(), B)
    return _sorted(A, place), _sorted(P, place)


def _sorted(matrices: FloatArray, place: FloatArray) -> FloatArray:
    """Return matrices (m, n, dof, dof) as (i, j, m, n), by node."""
    return frozen(np.ascontiguousarray(matrices[:, :, place][..., place].transpose(2, 3, 0, 1)))
