"""What runs on a worker: rows of one shared sole, from what the client left in a folder."""

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
from sole.errors import ConfigError, ResourceError
from sole.mesh import SoleMesh
from sole.studies.job import uncondensed, work_out
from sole.studies.journal import FinishedRow
from sole.studies.plan import Plan, SharedKey
from sole.studies.rows import Rows, SharedSole
from sole.studies.sharing import Family
from sole.studies.store import SoleStore
from sole.studies.study import Study

KEPT_SOLES = 2  # shared soles that a worker keeps in memory


@dataclass(frozen=True, kw_only=True)
class Brief:
    """What every row of a sweep needs, in a file that the client writes once.

    Parameters
    ----------
    study, meshes, kinds : as in the client.
    soles : folder of the condensed soles, None if no row wants matrices.
    version : of this package in the client.
    """

    study: Study
    meshes: Mapping[str, SoleMesh]
    kinds: Mapping[str, Rows]
    soles: Path | None
    version: str = __version__


@dataclass(frozen=True, slots=True)
class BriefFile:
    """Where the brief is, and the SHA-256 of what is there: a pickle runs code when it is read."""

    path: str
    sha256: str

    @classmethod
    def write(cls, path: Path, brief: Brief) -> BriefFile:
        """Write a brief that no other user may read or change.

        Raises
        ------
        ResourceError
            It cannot be written.
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
            It is not seen from here, or is not what was written.
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
                f"{self.path} is not what the sweep wrote there: is another one at work?"
            )
        brief: Brief = pickle.loads(data)
        return brief


class Notes:
    """The results of condensations that shared soles need, short of matrices."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    def get_shared(self, key: str) -> Any:
        """Return what the client noted under `key`."""
        return self.values[key]

    def put_shared(self, key: str, value: Any) -> None:
        """Forget it: the client's journal has it."""


@dataclass(frozen=True, kw_only=True)
class FinishedChunk:
    """Rows and the time they took [s], also by kind."""

    rows: tuple[FinishedRow, ...]
    seconds: float
    by_kind: Mapping[str, float] = field(default_factory=dict)


class Bench:
    """The worker's side of one sweep."""

    def __init__(self, brief: Brief) -> None:
        self.plan, self.kinds = Plan(brief.study, brief.meshes, brief.kinds), brief.kinds
        self.store = None if brief.soles is None else SoleStore(brief.soles, complete=True)
        self._soles: dict[SharedKey, SharedSole] = {}
        self._notes = Notes()
        self._family: Family | None = None

    def shared(self, key: SharedKey, notes: Mapping[str, Any]) -> SharedSole:
        """Return a shared sole, kept from an earlier chunk or read from the store."""
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
def _bench(file: BriefFile) -> Bench:
    """Return the bench of a sweep: a file of the same name may hold another one later."""
    brief = file.read()
    if brief.version != __version__:
        raise ConfigError(f"workers have version {__version__}, the sweep {brief.version}")
    return Bench(brief)


def work_chunk(
    brief: BriefFile, key: SharedKey, notes: Mapping[str, Any], places: tuple[int, ...]
) -> FinishedChunk:
    """Work out the rows at `places`, which share the sole `key`.

    Raises
    ------
    ResourceError
        The folder of the output is not seen from here.
    """
    bench = _bench(brief)
    cases = [(bench.plan.row_key(c), c) for c in map(bench.plan.case, places)]
    by_kind: dict[str, float] = {}
    start = time.perf_counter()
    try:
        shared = bench.shared(key, notes)
        if bench.store is not None:
            _ = shared.sole  # so that its time is not the first row's
    except ResourceError:
        raise
    except Exception as error:
        rows = uncondensed(cases, error)
    else:
        start = time.perf_counter()
        rows = work_out(shared, cases, bench.kinds, by_kind)
    return FinishedChunk(
        rows=tuple(rows),
        seconds=time.perf_counter() - start,
        by_kind=by_kind,
    )
