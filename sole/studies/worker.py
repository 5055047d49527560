"""The worker's side of a sweep: rows of one shared sole, from files of the client."""

from __future__ import annotations

import hashlib
import os
import pickle
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from sole import __version__
from sole.base.errors import ConfigError, ResourceError
from sole.condense import no_range_warnings
from sole.mesh import SoleMesh
from sole.studies.job import fail_rows, work_out
from sole.studies.journal import FinishedRow
from sole.studies.rows import Rows, SharedSole
from sole.studies.shared_soles import Family
from sole.studies.sole_store import SoleStore
from sole.studies.study import Study
from sole.studies.study_plan import Plan, SharedKey

KEPT_SOLES = 2  # shared soles that a worker keeps in memory


@dataclass(frozen=True, kw_only=True)
class Brief:
    """The common data of all rows of a sweep, in a file that the client writes once.

    Parameters
    ----------
    study, meshes, kinds : as in the client.
    soles : folder of the condensed soles, None if no row needs matrices.
    version : version of this package in the client.
    """

    study: Study
    meshes: Mapping[str, SoleMesh]
    kinds: Mapping[str, Rows]
    soles: Path | None
    version: str = __version__


@dataclass(frozen=True, slots=True)
class BriefFile:
    """Path and SHA-256 of the brief; the hash is checked because reading a pickle runs code."""

    path: str
    sha256: str

    @classmethod
    def write(cls, path: Path, brief: Brief) -> BriefFile:
        """Write a brief that no other user can read or change.

        Raises
        ------
        ResourceError
            The brief cannot be written.
        """
        data = pickle.dumps(brief)
        try:
            path.unlink(missing_ok=True)
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as f:
                f.write(data)
        except OSError as error:
            raise ResourceError(f"cannot write {path}: {error.strerror}") from error
        return cls(str(path), hashlib.sha256(data).hexdigest())

    def read(self) -> Brief:
        """Return the brief.

        Raises
        ------
        ResourceError
            The file is not readable from this machine, or has been changed.
        """
        try:
            data = Path(self.path).read_bytes()
        except OSError as error:
            raise ResourceError(
                f"a worker cannot read {self.path} ({error.strerror}): let all workers, run by the "
                "same user, see the folder of the output"
            ) from error
        if hashlib.sha256(data).hexdigest() != self.sha256:
            raise ResourceError(
                f"{self.path} is not the brief of this sweep: wait for the other sweep to end, or "
                "give another output"
            )
        brief: Brief = pickle.loads(data)
        return brief


class ReceivedNotes:
    """Small results of condensations that shared soles need, received from the client."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    def get_shared(self, key: str) -> Any:
        """Return the client's note under `key`."""
        return self.values[key]

    def put_shared(self, key: str, value: Any) -> None:
        """Do nothing: the client's journal has it."""


@dataclass(frozen=True, kw_only=True)
class FinishedChunk:
    """Rows and their time [s], in total and by kind."""

    rows: tuple[FinishedRow, ...]
    seconds: float
    by_kind: Mapping[str, float] = field(default_factory=dict)


class WorkerBench:
    """The worker's side of one sweep."""

    def __init__(self, brief: Brief) -> None:
        self.plan, self.kinds = Plan(brief.study, brief.meshes, brief.kinds), brief.kinds
        self.store = None if brief.soles is None else SoleStore(brief.soles, complete=True)
        self._soles: dict[SharedKey, SharedSole] = {}
        self._notes = ReceivedNotes()
        self._family: Family | None = None

    def shared(self, key: SharedKey, notes: Mapping[str, Any]) -> SharedSole:
        """Return a shared sole, cached from an earlier chunk or read from the store."""
        if key not in self._soles:
            while len(self._soles) >= KEPT_SOLES:
                del self._soles[next(iter(self._soles))]
            self._notes.values.update(notes)
            if self._family is None or self._family.key != key.family:
                self._family = Family(
                    self.plan,
                    key.family,
                    self._notes,
                    store=self.store,
                    matrices=self.store is not None,
                )
            self._soles[key] = self._family.shared(key)
        return self._soles[key]


@lru_cache(maxsize=1)
def _bench(file: BriefFile) -> WorkerBench:
    """Return the bench of a sweep; the hash counts, as a file of that name may change later."""
    brief = file.read()
    if brief.version != __version__:
        raise ConfigError(f"workers have version {__version__}, the sweep {brief.version}")
    return WorkerBench(brief)


@no_range_warnings()  # deformations are columns
def work_chunk(
    brief: BriefFile, key: SharedKey, notes: Mapping[str, Any], places: tuple[int, ...]
) -> FinishedChunk:
    """Compute the rows at `places`, which share the sole `key`.

    Raises
    ------
    ResourceError
        The folder of the output is not accessible from this machine.
    """
    bench = _bench(brief)
    cases = [(bench.plan.row_key(c), c) for c in map(bench.plan.case, places)]
    by_kind: dict[str, float] = {}
    start = time.perf_counter()
    try:
        shared = bench.shared(key, notes)
        if bench.store is not None:
            _ = shared.sole  # so that its time does not count for the first row
    except ResourceError:
        raise
    except Exception as error:
        rows = fail_rows(cases, error)
    else:
        start = time.perf_counter()
        rows = work_out(shared, cases, bench.kinds, by_kind)
    return FinishedChunk(
        rows=tuple(rows),
        seconds=time.perf_counter() - start,
        by_kind=by_kind,
    )
