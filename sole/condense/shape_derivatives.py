"""Derivatives of the condensed matrices with respect to the shape, from one factorisation.

Vertices move by w, and W is their motion, linear in every tetrahedron. A function of fixed nodal
values keeps them, so its gradient changes by d(grad u) = -grad u grad W and volumes by div W. The
bilinear form a(u, v) = int sigma(u) : grad v changes by

    da(u, v) = int (sigma(u) : grad v) div W - (grad v' sigma(u) + grad u' sigma(v)) : grad W,

exactly, for straight elements: dK, the element matrices of da, follows in the direction w. Where
the element has pressures, sigma(u) takes the divergence projected on them, pi div u. On straight
elements this projection does not depend on their shape, and it is self-adjoint: the formula stays.
As in `sole.condense.material_derivatives`, with the extension X of the tread's displacements,

    dK_c = X' dK X,    dC = -C dK_c C.

In da the factor of grad W is Eshelby's tensor [Eshelby1975]: one integral of it per tetrahedron
gives the derivative of a(u, v) with respect to every vertex at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sole.base.arrays import FloatArray, IntArray, sealed
from sole.base.errors import SoleError
from sole.condense.condensed_sole import CondensedSole
from sole.condense.condenser import Condenser
from sole.material import Material

if TYPE_CHECKING:
    from sole.elimination import Factor

CHUNK = 2000  # tetrahedra at a time; bounds the memory


@dataclass(frozen=True, eq=False)
class ShapeDerivatives:
    """A condensed sole and the derivatives of its matrices with respect to its vertices.

    Parameters
    ----------
    sole : the sole. condenser : of its mesh. factor : of its K.
    """

    sole: CondensedSole
    condenser: Condenser
    factor: Factor

    @cached_property
    def extension(self) -> FloatArray:
        """X (N, 3, 3m): displacements of all nodes per displacement of the tread."""
        from sole.elimination import check_memory

        tree, m3 = self.condenser.tree, len(self.sole.stiffness)
        check_memory(tree, extra_bytes=tree.factor_bytes + 40.0 * 3 * len(tree.order) * m3)
        return sealed(self._fields(np.eye(m3)))

    def _fields(self, motions: FloatArray) -> FloatArray:
        """Return the displacements (N, 3, k) of all nodes for those of the tread (3m, k)."""
        parts, columns = self.condenser.parts, motions.shape[1]
        found = np.zeros((len(parts.free), 3, columns))
        found[parts.free >= 0] = self.factor.solve_interior(motions).reshape(-1, 3, columns)
        node, master, weight = parts.trace
        np.add.at(found, node, weight[:, None, None] * found[master])
        return found

    def of_stiffness(self, motion: FloatArray) -> FloatArray:
        """Return dK_c (3m, 3m) for vertices that move by `motion` w (n, 3).

        [N/m] per unit of whatever w is per.

        Raises
        ------
        SoleError
            The motion has a wrong shape or is not finite.
        """
        from scipy.sparse import coo_array

        w = self._checked(motion)
        X = self.extension.reshape(len(self.extension), 3, -1)
        flat, total = X.reshape(3 * len(X), -1), np.zeros((X.shape[2],) * 2)
        size = (len(flat), len(flat))
        for part in self._parts():
            dW = np.einsum("eak,eal->ekl", w[part.tets], part.hats)  # grad W, (e, k, l)
            dK = _element_change(part, dW)
            e, k = part.nodes.shape
            dofs = (3 * part.nodes[:, :, None] + np.arange(3)).reshape(e, 3 * k)
            i, j = np.repeat(dofs, 3 * k, axis=1).ravel(), np.tile(dofs, 3 * k).ravel()
            change = coo_array((dK.ravel(), (i, j)), shape=size).tocsr()
            total += np.asarray(flat.T @ (change @ flat))
        return np.asarray((total + total.T) / 2)

    def of_compliance(self, motion: FloatArray) -> FloatArray:
        """Return dC = -C dK_c C (3m, 3m) likewise [m/N]."""
        C = self.sole.compliance
        return -(C @ self.of_stiffness(motion) @ C)

    def between(self, left: FloatArray, forces: FloatArray) -> FloatArray:
        """Return d(a' C f)/dx (k, n, 3) by every vertex, for fixed nodal forces, without any dC.

        a' dC f = -(X C a)' dK (X C f) takes two fields of the whole sole for each of the k columns
        a of `left` and f of `forces`, both (3m, k) [m per unit of a' C f, f in N].
        """
        C, k = self.sole.compliance, forces.shape[1]
        fields = self._fields(C @ np.hstack([left, forces]))
        found = np.zeros((k, *self.sole.mesh.points.shape))
        for part in self._parts():
            grad = np.einsum("enai,ekqn->ieqak", fields[part.nodes], part.shapes, optimize=True)
            for i in range(k):
                np.add.at(found[i], part.tets, -_vertex_forces(part, grad[i], grad[k + i]))
        return found

    @cached_property
    def of_foot_stiffness(self) -> FloatArray:
        """dK6/dx (6, 6, n, 3): of `sole.foot_stiffness` by every vertex [N/m^2, N/m, N].

        About the origin of now, which stays where it is when the tread moves.
        """
        sole, mesh = self.sole, self.sole.mesh
        G, K = sole.geometry, sole.stiffness
        found = np.zeros((6, 6, len(mesh.points), 3))
        fields = np.einsum("nac,ci->nai", self.extension, G)  # nodal values of six motions
        for part in self._parts():
            grad = np.einsum("enai,ekqn->eqiak", fields[part.nodes], part.shapes)
            for i in range(6):
                for j in range(i, 6):
                    force = _vertex_forces(part, grad[:, :, i], grad[:, :, j])
                    np.add.at(found[i, j], part.tets, force)
        # G itself: column j of G holds omega x (x - origin), so dG = omega x dx on the tread
        reaction = (K @ G).reshape(-1, 3, 6)
        for j in range(3):
            axis = np.eye(3)[j]
            # f . (omega x dx) = (f x omega) . dx
            turned = np.cross(reaction.transpose(0, 2, 1), axis)
            for i in range(6):
                a, b = min(i, 3 + j), max(i, 3 + j)
                twice = 2.0 if a == b else 1.0
                found[a, b, mesh.tread_vertices] += twice * turned[:, i]
        lower = np.tril_indices(6, -1)
        found[lower] = found.transpose(1, 0, 2, 3)[lower]
        return sealed(found)

    def _checked(self, motion: FloatArray) -> FloatArray:
        w, shape = np.asarray(motion, dtype=float), self.sole.mesh.points.shape
        if w.shape != shape or not np.isfinite(w).all():
            raise SoleError(f"a motion of the vertices is finite and {shape}, got {w.shape}")
        return w

    def _parts(self) -> Iterator[_Tetrahedra]:
        from skfem import MeshTet

        from sole.elasticity import bases, number_dofs

        mesh, number = self.sole.mesh, self.condenser.parts.numbering
        tetrahedra = MeshTet(mesh.points.T.copy(), mesh.tets.T.copy())
        dofs = number_dofs(tetrahedra, self.sole.element)
        for layer, material in enumerate(self.sole.materials):
            chosen = np.flatnonzero(mesh.layer_of_tet == layer)
            for some in np.array_split(chosen, -(-len(chosen) // CHUNK)):
                if not len(some):
                    continue
                basis, pressure = bases(dofs, self.sole.element, some)
                shapes = np.array([f[0].grad for f in basis.basis]).transpose(2, 1, 3, 0)
                yield _Tetrahedra(
                    nodes=number.nodes_of_tet[some],
                    tets=number.tets[some],
                    hats=_hat_gradients(mesh.points[number.tets[some]]),
                    shapes=shapes,
                    weights=basis.dx,
                    project=None if pressure is None else _projection(pressure),
                    lame=material.lame,
                )


@dataclass(frozen=True, eq=False)
class _Tetrahedra:
    """Some tetrahedra of one layer.

    nodes (e, k), vertices (e, 4), gradients of hats (e, 4, 3) and of shape functions (e, 3, q, k),
    weights (e, q), the projection on pressures (q, q) or None, (lambda, mu).
    """

    nodes: IntArray
    tets: IntArray
    hats: FloatArray
    shapes: FloatArray
    weights: FloatArray
    project: FloatArray | None
    lame: tuple[float, float]

    def stress(self, gradient: FloatArray) -> FloatArray:
        """Return sigma(u) = lambda pi div u I + 2 mu sym grad u, both (e, q, ..., 3, 3)."""
        lam, mu = self.lame
        s = mu * (gradient + gradient.swapaxes(-1, -2))
        div = gradient[..., 0, 0] + gradient[..., 1, 1] + gradient[..., 2, 2]
        if self.project is not None:
            div = _at_points(self.project, div)
        for k in range(3):
            s[..., k, k] += lam * div
        return np.asarray(s)


def differentiate_shape(condenser: Condenser, materials: Sequence[Material]) -> ShapeDerivatives:
    """Return the sole of one material per layer and its derivatives with respect to the shape.

    Raises
    ------
    MaterialError, ResourceError
        As `Condenser.condense`.
    """
    sole, factor = condenser.factorise(materials)
    return ShapeDerivatives(sole, condenser, factor)


def thickness_motion(points: FloatArray) -> FloatArray:
    """Return w (n, 3) per metre of thickness: vertices move in proportion to their depth."""
    w = np.zeros_like(points)
    depth = -points[:, 2]
    w[:, 2] = -depth / depth.max()
    return w


def _hat_gradients(corners: FloatArray) -> FloatArray:
    """Return the gradients (e, 4, 3) of the hat functions of tetrahedra (e, 4, 3)."""
    inverse = np.linalg.inv(corners[:, 1:] - corners[:, :1])  # (e, 3, 3): columns are gradients
    others = inverse.transpose(0, 2, 1)
    return np.concatenate([-others.sum(axis=1, keepdims=True), others], axis=1)


def _projection(pressure: Any) -> FloatArray:
    """Return pi (q, q): from values at the quadrature points to those of their L2 projection."""
    psi = np.array([np.asarray(f[0])[0] for f in pressure.basis])  # (pressures, q)
    weighted = psi * (pressure.dx[0] / pressure.dx[0].sum())
    return np.asarray(psi.T @ np.linalg.solve(weighted @ psi.T, weighted))


def _at_points(project: FloatArray, values: FloatArray) -> FloatArray:
    """Return the projection of values (e, q, ...)."""
    return np.asarray(np.einsum("qr,er...->eq...", project, values, optimize=True))


def _element_change(part: _Tetrahedra, dW: FloatArray) -> FloatArray:
    """Return dK (e, 3k, 3k) for the gradients grad W (e, 3, 3), [component, direction]."""
    lam, mu = part.lame
    g, weights = part.shapes.transpose(0, 2, 3, 1), part.weights  # (e, q, k, 3)
    dg = -np.einsum("eqim,eml->eqil", g, dW)
    div = np.trace(dW, axis1=1, axis2=2)

    def products(a: FloatArray, b: FloatArray) -> FloatArray:
        return np.asarray(np.einsum("eq,eqik,eqjl->eijkl", weights, a, b, optimize=True))

    def change(p: FloatArray, dp: FloatArray) -> FloatArray:
        grown = div[:, None, None, None, None] * products(p, g)
        return np.asarray(products(dp, g) + products(p, dg) + grown)

    A = change(g, dg)
    P = A if part.project is None else change(*(_at_points(part.project, x) for x in (g, dg)))
    e, k = g.shape[0], g.shape[2]
    blocks = lam * P + mu * A.swapaxes(3, 4)
    trace = mu * np.einsum("eijkk->eij", A)
    for a in range(3):
        blocks[..., a, a] += trace
    return np.asarray(blocks.transpose(0, 1, 3, 2, 4).reshape(e, 3 * k, 3 * k))


def _vertex_forces(part: _Tetrahedra, u: FloatArray, v: FloatArray) -> FloatArray:
    """Return d a(u, v)/d vertex (e, 4, 3) for gradients (e, q, 3, 3), [component, direction]."""
    weights = part.weights[:, :, None, None]
    flat = len(u), -1, 3  # sums over points and components at once
    s, t = (np.reshape(weights * part.stress(x), flat) for x in (u, v))
    energies = v.reshape(flat).swapaxes(1, 2) @ s
    eshelby = -energies - u.reshape(flat).swapaxes(1, 2) @ t
    energy = np.trace(energies, axis1=1, axis2=2)
    for k in range(3):
        eshelby[:, k, k] += energy
    return np.asarray(part.hats @ eshelby.swapaxes(1, 2))
