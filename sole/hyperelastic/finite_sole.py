"""A hyperelastic sole: energy, residual and tangent, and the tangent condensed to the tread.

    [K_nn K_nc F_n] [du_n]   [ 0 ]
    [K_cn K_cc F_c] [du_c] = [ f ]    ->   K_c du_c + F^ = f,   F^ = F_c - K_cn K_nn^-1 F_n
    [F_n' F_c'  0 ] [ 1  ]   [ . ]

F(u) = dE/du is the residual and K its tangent. F rides as one more kept node, coupled to all nodes,
so the elimination of the linear sole yields K_c and F^ at once, and its back substitution with 1 on
that node yields du_n = -K_nn^-1 (K_nc du_c + F_n).

Displacements are those of the free nodes relative to the rigid foot, in the sole frame; the foot's
motion never reaches the laws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sole.base.arrays import FloatArray, sealed
from sole.elasticity import assemble_stiffness
from sole.elimination import (
    Factor,
    SymmetricBlocks,
    check_memory,
    factorise,
    nested_dissection,
    symmetric_inverse,
)
from sole.hyperelastic.element_values import element_values
from sole.hyperelastic.evaluation import displacement_gradients, evaluate_elements
from sole.hyperelastic.laws_of_layers import LayerLaw, element_of, laws_of_layers
from sole.hyperelastic.principal_tangent import piola_stress, principal_axes
from sole.mesh import SoleMesh


@dataclass(frozen=True, eq=False)
class FiniteState:
    """A sole at one displacement.

    Parameters
    ----------
    u : (n, 3) displacement of the free nodes [m].
    energy : E(u) [J].
    residual : (n, 3) F = dE/du [N], the nodal forces that hold u.
    tangent : K(u) [N/m] with the residual as its last node; None if not computed.
    """

    u: FloatArray
    energy: float
    residual: FloatArray
    tangent: SymmetricBlocks | None


@dataclass(frozen=True, eq=False)
class CondensedTangent:
    """The tangent on the tread: K_c du_c + F^ = f.

    Parameters
    ----------
    stiffness, compliance : (3m, 3m) K_c [N/m] and its inverse.
    residual : (3m,) F^ [N].
    factor : of the inner nodes.
    """

    stiffness: FloatArray
    compliance: FloatArray
    residual: FloatArray
    factor: Factor

    def step(self, tread_step: FloatArray) -> FloatArray:
        """Return du (n, 3) of all free nodes for the step du_c (m, 3) of the tread [m]."""
        known = np.concatenate([tread_step.ravel(), [1.0, 0.0, 0.0]])
        return self.factor.solve_interior(known[:, None])[:-3, 0].reshape(-1, 3)


@dataclass(frozen=True, eq=False)
class StrainField:
    """Stretches and stresses at all quadrature points.

    Parameters
    ----------
    stretches : (p, 3) principal stretches, increasing.
    cauchy : (p, 3, 3) Cauchy stress [Pa], sole frame.
    volumes : (p,) undeformed volume of every point [m^3].
    """

    stretches: FloatArray
    cauchy: FloatArray
    volumes: FloatArray

    @property
    def strain(self) -> float:
        """1 - the 1st percentile by volume of the least principal stretch."""
        least = self.stretches[:, 0]
        order = np.argsort(least)
        volume = np.cumsum(self.volumes[order])
        return 1.0 - float(least[order][np.searchsorted(volume, 0.01 * volume[-1])])


class FiniteSole:
    """A mesh with one hyperelastic law per layer.

    Parameters
    ----------
    mesh : the sole.
    laws : one for all layers, or one per layer: laws of `sole.laws` or materials, of which a linear
        one becomes the neo-Hooke law of its E and nu; None takes the mesh's materials.
    element : "ccr", which no Poisson's ratio locks, or "p2"; by default "p2" for foams alone.

    Raises
    ------
    MaterialError
        Wrong number of laws, a layer without any, or nu at rest too close to 0.5.
    """

    def __init__(
        self,
        mesh: SoleMesh,
        laws: LayerLaw | Sequence[LayerLaw] | None = None,
        element: str | None = None,
    ) -> None:
        self.mesh, self.laws = mesh, laws_of_layers(mesh, laws)
        self.element = element_of(mesh, self.laws, element)
        parts = self.parts = assemble_stiffness(mesh, self.element)
        self.values = element_values(parts)
        self.nodes = len(parts.coordinates)
        self.contact = parts.contact
        self._scatter = self._scatter_matrix()
        # one more node, coupled to all, carries the residual
        n = self.nodes
        self._indptr = sealed(np.append(parts.indptr, parts.indptr[-1] + n + 1))
        self._indices = sealed(np.concatenate([parts.indices, np.arange(n + 1)]))
        middle = parts.coordinates[parts.contact].mean(axis=0)
        coordinates = np.vstack([parts.coordinates, middle])
        kept = np.append(parts.contact, n)
        self.tree = nested_dissection(self._indptr, self._indices, coordinates, kept)

    @property
    def points(self) -> FloatArray:
        """(m, 3) undeformed tread vertices [m]."""
        return self.mesh.points[self.mesh.tread_vertices]

    def evaluate(self, u: FloatArray, tangent: bool = True, positive: bool = False) -> FiniteState:
        """Return the state at u (n, 3) [m]; `positive`: with negative material modes clipped.

        Raises
        ------
        InvertedElementError
            An element is turned inside out.
        """
        values, k = self.values, self.values.masters.shape[1]
        state = evaluate_elements(
            values, self.laws, self.mesh.layer_of_tet, self._nodal(u), tangent, positive
        )
        T, traced = values.trace, values.traced
        forces = state.forces
        forces[traced] = T.transpose(0, 2, 1) @ forces[traced]
        residual = np.empty((self.nodes, 3))
        place = values.masters.ravel() + 1  # 0 collects bond and slaves
        for axis in range(3):
            sums = np.bincount(place, forces[..., axis].ravel(), self.nodes + 1)
            residual[:, axis] = sums[1:]
        K = state.stiffness
        if K is None:
            return FiniteState(u, state.energy, residual, None)
        rows = T.transpose(0, 2, 1) @ K[traced].reshape(len(traced), k, 9 * k)
        columns = rows.reshape(-1, k, k, 9).transpose(0, 1, 3, 2) @ T[:, None]
        K[traced] = columns.transpose(0, 1, 3, 2).reshape(-1, k, k, 3, 3)
        border = np.zeros((self.nodes + 1, 3, 3))
        border[:-1, 0] = residual
        body = (self._scatter @ K.reshape(-1, 9)).reshape(-1, 3, 3)
        blocks = SymmetricBlocks(self._indptr, self._indices, np.concatenate([body, border]))
        return FiniteState(u, state.energy, residual, blocks)

    def condense(self, tangent: SymmetricBlocks) -> CondensedTangent:
        """Return the tangent of a state on the tread.

        Raises
        ------
        CondensationError
            The tangent is not positive definite.
        ResourceError
            The elimination needs more memory than is available.
        """
        check_memory(self.tree, extra_bytes=self.tree.factor_bytes)
        factor = factorise(tangent, self.tree)
        whole = 3 * len(self.contact)
        K_c = np.ascontiguousarray(factor.K_c[:whole, :whole])
        residual = factor.K_c[:whole, whole].copy()
        return CondensedTangent(sealed(K_c), sealed(symmetric_inverse(K_c)), residual, factor)

    def field(self, u: FloatArray) -> StrainField:
        """Return stretches and Cauchy stress, sigma = P F'/J, at u (n, 3)."""
        values, layer, nodal = self.values, self.mesh.layer_of_tet, self._nodal(u)
        shape = values.weights.shape
        s, stress = np.empty((*shape, 3)), np.empty((*shape, 3, 3))
        for number, law in enumerate(self.laws):
            own = np.flatnonzero(layer == number)
            gradient = displacement_gradients(values, own, nodal[own])
            axes = principal_axes(gradient)
            j = np.expm1(axes.e.sum(axis=1))
            _, g, _ = law.terms(axes.e)
            theta = values.project(j.reshape(len(own), -1))
            pressure = values.project(law.volume(theta)[1]).ravel()
            P = piola_stress(axes, g + (pressure * (1 + j))[:, None])
            sigma = P @ (gradient + np.eye(3)).transpose(0, 2, 1) / (1 + j)[:, None, None]
            s[own] = axes.s.reshape(len(own), -1, 3)
            stress[own] = sigma.reshape(len(own), -1, 3, 3)
        return StrainField(s.reshape(-1, 3), stress.reshape(-1, 3, 3), values.weights.ravel())

    def _nodal(self, u: FloatArray) -> FloatArray:
        """Return the displacements (e, k, 3) of the nodes of all elements."""
        return self.parts.expand(u)[self.parts.numbering.nodes_of_tet]

    def _scatter_matrix(self) -> Any:
        """Return the sparse matrix that adds element blocks to those of the lower triangle."""
        from scipy.sparse import csr_array

        masters, parts, n = self.values.masters, self.parts, np.int64(self.nodes)
        e, k = masters.shape
        row = np.broadcast_to(masters[:, :, None], (e, k, k)).ravel()
        column = np.broadcast_to(masters[:, None, :], (e, k, k)).ravel()
        used = np.flatnonzero((row >= column) & (column >= 0))
        keys = np.repeat(np.arange(n), np.diff(parts.indptr)) * n + parts.indices
        where = np.searchsorted(keys, row[used] * n + column[used])
        return csr_array((np.ones(len(used)), (where, used)), shape=(len(keys), e * k * k))
