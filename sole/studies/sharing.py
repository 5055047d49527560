"""The condensed soles of one family: interpolated along nu, or condensed one by one.

Interpolation costs one condensation per node and three for the points left out; where a
family has no more Poisson's ratios than that, each is condensed. If the error at the points
left out exceeds the tolerance, the nodes are raised, and in the end every nu is condensed.
What the rows need of a family, short of the big matrices, is kept in the journal, so that a
sweep taken up again repeats no condensation for stiffness rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sole.arrays import FloatArray, frozen, sealed
from sole.condense import CondensedSole, Condenser
from sole.inertia import Inertia, inertia_of
from sole.studies.interpolation import (
    MOST_NODES,
    NuGrid,
    nodes_needed,
    relative_error,
    weighted_sum,
)
from sole.studies.journal import Journal
from sole.studies.plan import FamilyKey, Plan, SharedKey
from sole.studies.rows import SharedSole

if TYPE_CHECKING:
    from sole.fields import Recovery

MORE_NODES = 4


@dataclass(frozen=True, kw_only=True)
class FamilyRecord:
    """How the soles of a family are made, and with what error.

    Parameters
    ----------
    count : nodes of the interpolation, 0 if every nu is condensed for itself.
    low, high : range of nu.
    foot : (count, 6, 6) foot stiffness / mu at the nodes.
    inverse : whether not it but its inverse is interpolated: the better one at the checks.
    compliance_error : largest relative Frobenius error of C at the points left out.
    stiffness_error : largest |error of K_ij| / sqrt(K_ii K_jj) there, K the foot stiffness.
    condensations : done or to be done for this family.
    """

    count: int
    low: float
    high: float
    condensations: int
    foot: list[Any]
    compliance_error: float = 0.0
    stiffness_error: float = 0.0
    inverse: bool = False


class Family:
    """The shared soles of one family.

    Parameters
    ----------
    plan, key : the study and the family in it.
    journal : where results are kept, None to keep none.
    matrices : whether rows will ask for condensed soles, not just for foot stiffnesses.
    condensed : called after every condensation.
    """

    def __init__(
        self,
        plan: Plan,
        key: FamilyKey,
        journal: Journal | None = None,
        *,
        matrices: bool = True,
        condensed: Callable[[], None] = lambda: None,
    ) -> None:
        self.plan, self.key, self.journal = plan, key, journal
        self.keys = tuple(plan.groups[key])
        self.matrices = matrices
        self._condensed = condensed
        self._nodes: list[FloatArray] = []  # mu C at the nodes

    @cached_property
    def condenser(self) -> Condenser:
        """Assembly and elimination order, made once."""
        thickness = self.key.thickness
        mesh = self.plan.mesh
        mesh = mesh if thickness == mesh.thickness else mesh.with_thickness(thickness)
        return Condenser(mesh, self.plan.element)

    @cached_property
    def inertia(self) -> Inertia:
        """Mass properties, which depend on thickness and densities only."""
        mesh = self.plan.mesh
        if self.key.thickness != mesh.thickness:
            mesh = mesh.with_thickness(self.key.thickness)
        return inertia_of(mesh, self.plan.base)

    @property
    def expected_condensations(self) -> int:
        """Number of condensations if the a-priori estimate holds."""
        count = self._first_count()
        return count + 3 if count else len(self.keys)

    def _first_count(self) -> int:
        """Return the number of nodes to begin with; 0 where condensing every nu is cheaper."""
        nus = {k.nus[0] for k in self.keys}
        if any(len(set(k.nus)) > 1 for k in self.keys) or len(nus) < 5:
            return 0
        count = nodes_needed(min(nus), max(nus), self.plan.study.tolerance)
        return count if count + 3 < len(nus) and count <= MOST_NODES else 0

    @cached_property
    def record(self) -> FamilyRecord:
        """Condense what is needed for interpolation, unless the journal has it."""
        kept = self.journal and self.journal.get_shared(self._name)
        if kept and not (self.matrices and kept["count"]):
            return FamilyRecord(**kept)
        record = self._interpolate()
        if self.journal:
            self.journal.put_shared(self._name, asdict(record))
        return record

    def finished_record(self) -> FamilyRecord:
        """Return the record of a family all of whose rows are in the journal: no work."""
        kept = self.journal and self.journal.get_shared(self._name)
        return FamilyRecord(**kept) if kept else self.record

    @property
    def _name(self) -> str:
        return f"family {self.key.thickness!r} {self.key.ratios!r}"

    def _interpolate(self) -> FamilyRecord:
        nus = sorted({k.nus[0] for k in self.keys})
        count, done = self._first_count(), 0
        while count and count + 3 < len(nus) and count <= MOST_NODES:
            record = self._sample(NuGrid(nus[0], nus[-1], count), done)
            error = max(record.compliance_error, record.stiffness_error)
            if error <= self.plan.study.tolerance:
                return record
            done, count = record.condensations, count + MORE_NODES
        self._nodes = []
        return FamilyRecord(
            count=0, low=nus[0], high=nus[-1], condensations=done + len(self.keys), foot=[]
        )

    def _sample(self, grid: NuGrid, before: int) -> FamilyRecord:
        """Condense at nodes and checks; matrices of nodes are kept only if rows want them."""
        self._check_memory(grid.count if self.matrices else 0)
        weights = [grid.weights(nu) for nu in grid.checks]
        sums: list[FloatArray] = []
        foot, self._nodes = [], []
        for i, nu in enumerate(grid.nodes):
            sole = self._condense(self._common(nu))
            mu = self._mu(sole)
            M = sealed(sole.compliance * mu)
            foot.append(sole.foot_stiffness / mu)
            terms = [w[i] * M for w in weights]
            sums = [s + t for s, t in zip(sums, terms, strict=True)] if sums else terms
            if self.matrices:
                self._nodes.append(M)
        error, stiffness_error = 0.0, {False: 0.0, True: 0.0}
        for nu, w, approximate in zip(grid.checks, weights, sums, strict=True):
            sole = self._condense(self._common(nu))
            mu = self._mu(sole)
            error = max(error, relative_error(approximate / mu, sole.compliance))
            K = sole.foot_stiffness
            d = np.sqrt(np.diag(K))
            for inverse, worst in stiffness_error.items():
                away = np.abs(_stiffness(w, foot, mu, inverse) - K) / np.outer(d, d)
                stiffness_error[inverse] = max(worst, float(away.max()))
        best = min(stiffness_error, key=lambda inverse: stiffness_error[inverse])
        return FamilyRecord(
            count=grid.count,
            low=grid.low,
            high=grid.high,
            condensations=before + grid.count + 3,
            foot=[k.tolist() for k in foot],
            compliance_error=error,
            stiffness_error=stiffness_error[best],
            inverse=best,
        )

    def _check_memory(self, kept: int) -> None:
        from sole.elimination.multifrontal import check_memory

        n = 3 * len(self.condenser.parts.contact)
        check_memory(self.condenser.tree, extra_bytes=8.0 * n * n * (kept + 7))

    def _common(self, nu: float) -> SharedKey:
        return SharedKey(self.key, (nu,) * len(self.key.ratios))

    def _mu(self, sole: CondensedSole) -> float:
        return sole.materials[self.plan.reference].lame[1]

    def _condense(self, key: SharedKey) -> CondensedSole:
        with warnings.catch_warnings():
            # The plan says it once for the whole sweep.
            warnings.filterwarnings("ignore", message=".* locks at Poisson's ratio")
            sole = self.condenser.condense(self.plan.shared_materials(key))
        self._condensed()
        return sole

    def shared(self, key: SharedKey) -> SharedSole:
        """Return the shared sole of one key of this family."""
        record = self.record
        if record.count:
            grid = NuGrid(record.low, record.high, record.count)
            weights = grid.weights(key.nus[0])
            mu = self.plan.shared_materials(key)[self.plan.reference].lame[1]
            at_nodes = [np.array(k) for k in record.foot]
            foot = _stiffness(weights, at_nodes, mu, record.inverse)
            return self._shared(foot, lambda: self._interpolated(key, weights, mu))
        name = f"foot {key.family.thickness!r} {key.family.ratios!r} {key.nus!r}"
        kept = self.journal and self.journal.get_shared(name)
        if kept and not self.matrices:
            return self._shared(np.array(kept), lambda: self._condense(key))
        sole = self._condense(key)
        if self.journal:
            self.journal.put_shared(name, sole.foot_stiffness.tolist())
        return self._shared(sole.foot_stiffness, lambda: sole)

    def _shared(self, foot: FloatArray, make_sole: Callable[[], CondensedSole]) -> SharedSole:
        return SharedSole(
            foot_stiffness=frozen(foot),
            inertia=self.inertia,
            make_sole=make_sole,
            make_recovery=self._recovery,
        )

    def _interpolated(self, key: SharedKey, weights: FloatArray, mu: float) -> CondensedSole:
        """C = sum_i w_i (mu C)_i / mu, and K_c its inverse."""
        from sole.elimination.multifrontal import symmetric_inverse

        if not self._nodes:
            self._sample(NuGrid(self.record.low, self.record.high, self.record.count), 0)
        C = weighted_sum(weights / mu, self._nodes)
        return CondensedSole(
            mesh=self.condenser.mesh,
            materials=self.plan.shared_materials(key),
            element=self.plan.element,
            stiffness=sealed(symmetric_inverse(C)),
            compliance=C,
        )

    def _recovery(self, sole: CondensedSole) -> Recovery:
        from sole.fields import Recovery

        return Recovery(sole, self.condenser)


def _stiffness(
    weights: FloatArray, foot: Sequence[FloatArray], mu: float, inverse: bool
) -> FloatArray:
    """Interpolate the foot stiffness, or its inverse, which stays bounded as nu -> 1/2.

    Without locking the inverse is the smoother of the two, with locking the stiffness.
    """
    if not inverse:
        return mu * weighted_sum(weights, foot)
    soft = [np.asarray(np.linalg.inv(k), dtype=np.float64) for k in foot]
    K: FloatArray = np.asarray(mu * np.linalg.inv(weighted_sum(weights, soft)), dtype=np.float64)
    result: FloatArray = (K + K.T) / 2
    return result
