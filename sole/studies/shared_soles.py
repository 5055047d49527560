"""The condensed soles of one family: interpolated along nu, or condensed one by one.

Interpolation costs one condensation per node and three for verification points; a family with no
more Poisson's ratios than that is condensed at each. If the error at the verification points
exceeds the tolerance, the number of nodes grows, and at last every nu is condensed. The journal
keeps small results and a store keeps the matrices, so neither a resumed sweep nor a worker
repeats a condensation.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sole.base.arrays import FloatArray, frozen, sealed
from sole.base.blas_threads import one_blas_thread
from sole.condense import CondensedSole, Condenser, Inertia, inertia_of
from sole.mesh import SoleMesh
from sole.studies.family_record import FamilyRecord, NoteStore, interpolated_stiffness
from sole.studies.poisson_interpolation import (
    MOST_NODES,
    NuGrid,
    nodes_needed,
    relative_error,
    weighted_sum,
)
from sole.studies.rows import SharedSole
from sole.studies.sole_store import SoleStore
from sole.studies.studied_soles import StudiedSole
from sole.studies.study_plan import FamilyKey, Plan, SharedKey

if TYPE_CHECKING:
    from sole.condense import Recovery

MORE_NODES = 4


class Family:
    """The shared soles of one family.

    Parameters
    ----------
    plan, key : the study and one of its families.
    notes : storage of small results, None to keep none.
    store : storage of condensed soles, None to keep none.
    matrices : whether rows need condensed soles, not only foot stiffnesses.
    condensed : called after every condensation.
    """

    def __init__(
        self,
        plan: Plan,
        key: FamilyKey,
        notes: NoteStore | None = None,
        *,
        store: SoleStore | None = None,
        matrices: bool = True,
        condensed: Callable[[], None] = lambda: None,
    ) -> None:
        self.plan, self.key, self.notes = plan, key, notes
        self.store, self.matrices = store, matrices
        self._condensed = condensed
        self._nodes: list[FloatArray] = []  # mu C at the nodes
        self._prepared = False

    @cached_property
    def keys(self) -> tuple[SharedKey, ...]:
        """All shared soles of the family."""
        return tuple(self.plan.groups[self.key])

    @cached_property
    def mesh(self) -> SoleMesh:
        """The mesh at this family's thickness."""
        return self.plan.mesh(self.key)

    @cached_property
    def sole(self) -> StudiedSole:
        """The sole of the family."""
        return self.plan.soles[self.key.sole]

    @cached_property
    def condenser(self) -> Condenser:
        """Assembly and elimination order, made once; identical here and on workers."""
        with one_blas_thread():
            return Condenser(self.mesh, self.plan.element)

    @cached_property
    def inertia(self) -> Inertia:
        """Mass properties, which depend on thickness and densities only."""
        return inertia_of(self.mesh, self.sole.base)

    @property
    def expected_condensations(self) -> int:
        """Number of condensations if the a-priori estimate holds."""
        count = self._first_count()
        return count + 3 if count else len(self.keys)

    def _first_count(self) -> int:
        """Return the initial number of nodes; 0 if condensing every nu is cheaper."""
        nus = {k.nus[0] for k in self.keys}
        several = any(len(set(k.nus)) > 1 for k in self.keys)
        if several or len(nus) < 5 or not self.plan.interpolate:
            return 0
        count = nodes_needed(min(nus), max(nus), self.plan.study.tolerance)
        return count if count + 3 < len(nus) and count <= MOST_NODES else 0

    @cached_property
    def record(self) -> FamilyRecord:
        """Condense for the interpolation, unless the journal has the result."""
        kept = self.notes and self.notes.get_shared(self._name)
        if kept and (self.store or not (self.matrices and kept["count"])):
            return FamilyRecord(**kept)
        record = self._interpolate()
        if self.notes:
            self.notes.put_shared(self._name, asdict(record))
        return record

    def finished_record(self) -> FamilyRecord:
        """Return the record of a family whose rows are all in the journal, without work."""
        kept = self.notes and self.notes.get_shared(self._name)
        return FamilyRecord(**kept) if kept else self.record

    @property
    def _name(self) -> str:
        return f"family {_said(self.key)}"

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
        """Condense at nodes and checks; keep the nodes' matrices only if rows need them."""
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
                away = np.abs(interpolated_stiffness(w, foot, mu, inverse) - K) / np.outer(d, d)
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
        from sole.elimination import check_memory

        n = 3 * len(self.condenser.parts.contact)
        check_memory(self.condenser.tree, extra_bytes=8.0 * n * n * (kept + 7))

    def _common(self, nu: float) -> SharedKey:
        return SharedKey(self.key, (nu,) * len(self.key.ratios))

    def _mu(self, sole: CondensedSole) -> float:
        return sole.materials[self.sole.reference].lame[1]

    def _condense(self, key: SharedKey) -> CondensedSole:
        """Condense, unless the store has it."""
        materials = self.plan.shared_materials(key)
        kept = self.store and self.store.get(self.mesh, self.plan.element, materials)
        if kept:
            return kept
        with warnings.catch_warnings():
            # The plan warns once for the whole sweep.
            warnings.filterwarnings("ignore", message=".* locks at Poisson's ratio")
            sole = self.condenser.condense(materials)
        if self.store:
            self.store.put(sole)
        self._condensed()
        return sole

    def prepare(self, key: SharedKey) -> dict[str, Any]:
        """Prepare `key` for workers: put its matrices in the store and return its notes."""
        record, notes = self.record, {self._name: asdict(self.record)}
        if not record.count:
            foot = self.shared(key).foot_stiffness
            notes[_foot_name(key)] = foot.tolist()
        if self.store and not record.count:
            self._condense(key)
        elif self.store and not self._prepared:
            for nu in NuGrid(record.low, record.high, record.count).nodes:
                self._condense(self._common(nu))
            self._prepared = True
        return notes

    def shared(self, key: SharedKey) -> SharedSole:
        """Return the shared sole of one key of this family."""
        record = self.record
        if record.count:
            grid = NuGrid(record.low, record.high, record.count)
            weights = grid.weights(key.nus[0])
            mu = self.plan.shared_materials(key)[self.sole.reference].lame[1]
            at_nodes = [np.array(k) for k in record.foot]
            foot = interpolated_stiffness(weights, at_nodes, mu, record.inverse)
            return self._shared(foot, lambda: self._interpolated(key, weights, mu))
        name = _foot_name(key)
        kept = self.notes and self.notes.get_shared(name)
        if kept and (self.store or not self.matrices):
            return self._shared(np.array(kept), lambda: self._condense(key))
        sole = self._condense(key)
        if self.notes:
            self.notes.put_shared(name, sole.foot_stiffness.tolist())
        return self._shared(sole.foot_stiffness, lambda: sole)

    def _shared(self, foot: FloatArray, make_sole: Callable[[], CondensedSole]) -> SharedSole:
        return SharedSole(
            foot_stiffness=frozen(foot),
            inertia=self.inertia,
            make_sole=make_sole,
            make_recovery=self._recovery,
        )

    def _interpolated(self, key: SharedKey, weights: FloatArray, mu: float) -> CondensedSole:
        """Return the sole with C = sum_i w_i (mu C)_i / mu and K_c its inverse."""
        from sole.elimination import symmetric_inverse

        if not self._nodes:
            grid = NuGrid(self.record.low, self.record.high, self.record.count)
            soles = map(self._condense, map(self._common, grid.nodes))
            self._nodes = [sealed(s.compliance * self._mu(s)) for s in soles]
        C = weighted_sum(weights / mu, self._nodes)
        with one_blas_thread():
            K = symmetric_inverse(C)
        return CondensedSole(
            mesh=self.mesh,
            materials=self.plan.shared_materials(key),
            element=self.plan.element,
            stiffness=sealed(K),
            compliance=C,
        )

    def _recovery(self, sole: CondensedSole) -> Recovery:
        from sole.condense import Recovery

        return Recovery(sole, self.condenser)


def _foot_name(key: SharedKey) -> str:
    return f"foot {_said(key.family)} {key.nus!r}"


def _said(key: FamilyKey) -> str:
    return f"{key.sole!r} {key.thickness!r} {key.ratios!r}"
