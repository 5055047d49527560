"""Energy, residual and tangent of elements at finite strain, total Lagrangian.

    E(u) = int w(F) + U(theta) dV,    F = 1 + grad u,    theta = projection of J = det F
    f    = int (dw/dF + p cof F) : d grad u dV,          p = projection of U'(theta)
    K    = int d grad u : (d2w/dF2 + p d2J/dF2) : d grad u dV + d theta' U''(theta) d theta

with theta = J for elements without pressures. In logarithmic stretches p cof F adds p J to dw/de,
p d2J/dF2 adds p J to every d2w/de_i de_j. theta and p are eliminated in the element: E is an
energy of displacements alone, and its K at rest is the linear one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.base.errors import SoleError
from sole.hyperelastic.element_values import ElementValues
from sole.hyperelastic.principal_tangent import (
    PrincipalAxes,
    piola_stress,
    piola_tangent,
    principal_axes,
)
from sole.laws import HyperelasticLaw

CHUNK = 200  # elements at a time: their 9x9 tangents stay in the cache


class InvertedElementError(SoleError):
    """An element is turned inside out, or squashed to nothing."""


@dataclass(frozen=True, eq=False)
class ElementState:
    """Elements at one displacement.

    Parameters
    ----------
    energy : of all elements [J].
    forces : (e, k, 3) residual of the nodes [N], before the trace.
    stiffness : (e, k, k, 3, 3) tangent [N/m], before the trace; None if not wanted.
    """

    energy: float
    forces: FloatArray
    stiffness: FloatArray | None


def evaluate_elements(
    values: ElementValues,
    laws: tuple[HyperelasticLaw, ...],
    layer: IntArray,
    u: FloatArray,
    tangent: bool = True,
    positive: bool = False,
) -> ElementState:
    """Return the state of all elements.

    Parameters
    ----------
    values : of the mesh.
    laws : one a layer; `layer` (e,) is that of every element.
    u : (e, k, 3) displacement of the nodes of every element [m].
    tangent : whether to compute the stiffness.
    positive : clip negative modes of the material's tangent, for a descent direction.

    Raises
    ------
    InvertedElementError
        det F or theta is not positive somewhere.
    """
    ne, _, k, _ = values.gradients.shape
    energy, forces = 0.0, np.empty((ne, k, 3))
    stiffness = np.empty((ne, k, k, 3, 3)) if tangent else None
    for number, law in enumerate(laws):
        own = np.flatnonzero(layer == number)
        for first in range(0, len(own), CHUNK):
            part = own[first : first + CHUNK]
            point = _PointState.of(values, law, part, u[part])
            energy += point.energy
            forces[part] = _forces(values, part, piola_stress(point.axes, point.g))
            if stiffness is not None:
                A = piola_tangent(point.axes, point.g, point.H, positive)
                stiffness[part] = _stiffness(values, part, A, point)
    return ElementState(energy, forces, stiffness)


@dataclass(frozen=True, eq=False)
class _PointState:
    """A law at the quadrature points of some elements, points in the order of elements.

    `g`, `H` hold p J as well; `bulk` (e, q) is U''(theta) where it acts on projected changes.
    """

    energy: float
    axes: PrincipalAxes
    J: FloatArray
    g: FloatArray
    H: FloatArray
    bulk: FloatArray

    @classmethod
    def of(
        cls, values: ElementValues, law: HyperelasticLaw, part: IntArray, u: FloatArray
    ) -> _PointState:
        w = values.weights[part]
        gradient = displacement_gradients(values, part, u)
        if not np.isfinite(gradient).all() or np.linalg.det(gradient + np.eye(3)).min() <= 0:
            raise InvertedElementError("an element of the sole is turned inside out")
        axes = principal_axes(gradient)
        j = np.expm1(axes.e.sum(axis=1))
        theta = values.project(j.reshape(w.shape))
        if theta.min() <= -1:
            raise InvertedElementError("an element of the sole is squashed to nothing")
        U, slope, bulk = law.volume(theta)
        psi, g, H = law.terms(axes.e)
        J = 1 + j
        pJ = values.project(slope).ravel() * J
        second = pJ if values.projection is not None else pJ + bulk.ravel() * J * J
        energy = float(w.ravel() @ (psi + U.ravel()))
        return cls(energy, axes, J, g + pJ[:, None], H + second[:, None, None], bulk)


def displacement_gradients(values: ElementValues, part: IntArray, u: FloatArray) -> FloatArray:
    """Return grad u (points, 3, 3) of the elements `part` with nodal u (e, k, 3)."""
    gradient = u.transpose(0, 2, 1)[:, None] @ values.gradients[part]
    return np.asarray(gradient.reshape(-1, 3, 3))


def _forces(values: ElementValues, part: IntArray, P: FloatArray) -> FloatArray:
    """f[a, i] = sum_q w dN[q, a, J] P[q, i, J]."""
    w, dN = values.weights[part], values.gradients[part]
    ne, nq, k, _ = dN.shape
    wP = P.reshape(ne, nq, 3, 3).transpose(0, 1, 3, 2) * w[..., None, None]
    rows = dN.transpose(0, 2, 1, 3).reshape(ne, k, 3 * nq)
    return np.asarray(rows @ wP.reshape(ne, 3 * nq, 3))


def _stiffness(
    values: ElementValues, part: IntArray, A: FloatArray, point: _PointState
) -> FloatArray:
    """K[a, b, i, k] = sum_q w dN[q, a, J] A[q, iJ, kL] dN[q, b, L], and the projected volume."""
    w, dN = values.weights[part], values.gradients[part]
    ne, nq, k, _ = dN.shape
    # right[q, J, (i, k, b)] = w A[q, i, J, k, L] dN[q, b, L]
    wA = A.reshape(ne, nq, 3, 3, 9) * w[..., None, None, None]
    wA = wA.transpose(0, 1, 3, 2, 4).reshape(ne, nq, 27, 3)
    right = (wA @ dN.transpose(0, 1, 3, 2)).reshape(ne, 3 * nq, 9 * k)
    left = dN.transpose(0, 2, 1, 3).reshape(ne, k, 3 * nq)
    K = (left @ right).reshape(ne, k, 3, 3, k).transpose(0, 1, 4, 2, 3)
    if values.projection is None:
        return K
    # d theta = projection dJ, dJ = cof F : d grad u;  K += d theta' w U'' d theta
    axes = point.axes
    scaled = axes.spatial * (point.J[:, None] / axes.s)[:, None, :]
    cofactor = (scaled @ axes.material.transpose(0, 2, 1)).reshape(ne, nq, 3, 3)
    dJ = (dN @ cofactor.transpose(0, 1, 3, 2)).reshape(ne, nq, 3 * k)
    change = values.projection @ dJ
    volume = change.transpose(0, 2, 1) @ ((w * point.bulk)[..., None] * change)
    return np.asarray(K + volume.reshape(ne, k, 3, k, 3).transpose(0, 1, 3, 2, 4))
