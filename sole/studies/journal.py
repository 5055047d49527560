"""The journal of a running sweep: every finished row is on disk within a fifth of a second.

SQLite in WAL mode, append-only, one writer. A process killed at any moment loses at most the
rows of the last fifth of a second, never the file. A journal belongs to one study: it stores the
study's digest and refuses another study. A resumed journal drops the rows at which workers died,
because the cause may be gone. Numbers are stored as their shortest exact decimal text, so a row
reads back to the last bit.
"""

from __future__ import annotations

import contextlib
import json
import math
import sqlite3
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from sole.base.errors import ConfigError, ResourceError, SchemaError, SoleError
from sole.studies.places import PlaceSet

SCHEMA = "sole.journal/1"
BATCH_ROWS = 500
BATCH_SECONDS = 0.2
WORKER_DIED = "worker: died"  # start of the reason of a row at which workers died

_TABLES = """
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS shared (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS rows (
    place INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, status TEXT NOT NULL,
    reason TEXT NOT NULL, numbers TEXT NOT NULL
);
"""


_FORGET = """
DROP TABLE IF EXISTS about;
DROP TABLE IF EXISTS shared;
DROP TABLE IF EXISTS rows;
"""


@dataclass(frozen=True, slots=True)
class FinishedRow:
    """One row of the table: place, digest of its case, "ok" or "failed", reason, numbers."""

    place: int
    key: str
    numbers: Mapping[str, float]
    status: str = "ok"
    reason: str = ""


class Journal:
    """An append-only store of finished rows; use it as a context manager.

    Parameters
    ----------
    path : the SQLite file; made if absent.
    study : digest of the study of its rows.
    restart : discard the rows of an earlier run of any study.

    Raises
    ------
    ConfigError
        The journal belongs to another study, or another process writes it.
    SchemaError
        The file is not a journal.
    ResourceError
        The disk is full; the rows written before are kept.
    """

    def __init__(self, path: Path, study: str, *, restart: bool = False) -> None:
        self.path = Path(path)
        self._pending: list[tuple[int, str, str, str, str]] = []
        self._sent = 0  # rows of _pending in the transaction that is being committed
        self._flushed = time.monotonic()
        if not self.path.parent.is_dir():
            raise SoleError(f"cannot write {path}: the folder {self.path.parent} does not exist")
        with self._translated():
            try:
                self._connect(study, restart)
            except sqlite3.DatabaseError as error:
                if not (restart and _no_database(error)):  # nobody writes a non-database
                    raise
                self.remove()
                self._connect(study, restart)

    def _connect(self, study: str, restart: bool) -> None:
        # Autocommit: transactions begin and end explicitly.
        self._db = sqlite3.connect(self.path, isolation_level=None, timeout=0.5)
        try:
            self._lock()
            if restart:  # only after the lock: another sweep may be using the file
                self._db.executescript(_FORGET)
            self._open(study)
        except BaseException:
            self._db.close()
            raise

    def _lock(self) -> None:
        # Exclusive: a second sweep on the same output is refused; a killed one frees the lock.
        self._db.execute("PRAGMA locking_mode=EXCLUSIVE")
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.execute("BEGIN IMMEDIATE")
        self._db.execute("COMMIT")

    def _open(self, study: str) -> None:
        self._db.executescript(_TABLES)
        about = dict(self._db.execute("SELECT name, value FROM about"))
        if not about:
            self._db.executemany(
                "INSERT INTO about VALUES (?, ?)", [("schema", SCHEMA), ("study", study)]
            )
        elif about.get("schema") != SCHEMA:
            raise SchemaError(
                f"{self.path}: a journal of version {about.get('schema')!r}, expected {SCHEMA!r}; "
                "give --restart to start again"
            )
        elif about.get("study") != study and not self.done():
            self._db.execute("DELETE FROM shared")  # no rows, so nothing is lost
            self._db.execute("UPDATE about SET value = ? WHERE name = 'study'", (study,))
        elif about.get("study") != study:
            raise ConfigError(
                f"{self.path} holds {len(self.done())} rows of another study; give another "
                "output, or --restart to discard them"
            )
        died = ("failed", f"{WORKER_DIED}%")
        self._db.execute("DELETE FROM rows WHERE status = ? AND reason LIKE ?", died)

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn errors of SQLite into SoleError."""
        try:
            yield
        except sqlite3.Error as error:
            text = str(error)
            if "locked" in text:
                raise ConfigError(
                    f"{self.path} is being written by another sweep; wait for it or give "
                    "another output"
                ) from error
            if "disk is full" in text or "disk I/O error" in text:
                raise ResourceError(
                    f"cannot write {self.path}: the disk is full; the rows finished before are "
                    "kept, free some space and run the same command again"
                ) from error
            if _no_database(error):
                raise SchemaError(
                    f"{self.path} is not a journal of a sweep; move it or give --restart"
                ) from error
            raise SoleError(f"cannot write {self.path}: {text}") from error

    def append(self, row: FinishedRow) -> None:
        """Add a row; it is on disk after `BATCH_ROWS` rows or `BATCH_SECONDS` at the latest."""
        numbers = {k: v if math.isfinite(v) else None for k, v in row.numbers.items()}
        text = json.dumps(numbers, separators=(",", ":"), allow_nan=False)
        self._pending.append((row.place, row.key, row.status, row.reason, text))
        if len(self._pending) >= BATCH_ROWS or time.monotonic() - self._flushed >= BATCH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Commit the appended rows."""
        self._flushed = time.monotonic()
        with self._translated():
            self._settle()
            if not self._pending:
                return
            self._db.execute("BEGIN")
            try:
                self._db.executemany("INSERT INTO rows VALUES (?, ?, ?, ?, ?)", self._pending)
                self._sent = len(self._pending)
                self._db.execute("COMMIT")
            except sqlite3.Error:
                self._sent = 0
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise
            self._settle()

    def _settle(self) -> None:
        """Forget the rows that are on disk; Ctrl-C may have ended a flush on either side of it."""
        if self._db.in_transaction:
            self._sent = 0
            self._db.execute("ROLLBACK")
        self._pending = self._pending[self._sent :]
        self._sent = 0

    def done(self) -> PlaceSet:
        """Return the places of all rows on disk."""
        return PlaceSet(place for (place,) in self._db.execute("SELECT place FROM rows"))

    def count(self, status: str) -> int:
        """Return the number of rows on disk with this status."""
        found = self._db.execute("SELECT count(*) FROM rows WHERE status = ?", (status,))
        return int(found.fetchone()[0])

    def rows(self) -> Iterator[FinishedRow]:
        """Yield all rows in the order of their places, one at a time; stored None becomes NaN."""
        self.flush()
        for place, key, status, reason, text in self._db.execute(
            "SELECT place, key, status, reason, numbers FROM rows ORDER BY place"
        ):
            numbers = {k: math.nan if v is None else v for k, v in json.loads(text).items()}
            yield FinishedRow(place, key, numbers, status, reason)

    def put_shared(self, key: str, value: Any) -> None:
        """Store a JSON-serialisable result that many rows need."""
        with self._translated():
            self._db.execute(
                "INSERT OR REPLACE INTO shared VALUES (?, ?)", (key, json.dumps(value))
            )

    def get_shared(self, key: str) -> Any:
        """Return the result stored by `put_shared`, or None."""
        found = self._db.execute("SELECT value FROM shared WHERE key = ?", (key,)).fetchone()
        return None if found is None else json.loads(found[0])

    def close(self) -> None:
        """Commit and close; safe to call twice."""
        try:
            self.flush()
        finally:
            self._pending.clear()
            self._db.close()

    def remove(self) -> None:
        """Delete the journal's files and the brief of a killed run (close it first)."""
        for suffix in ("", "-wal", "-shm"):
            Path(f"{self.path}{suffix}").unlink(missing_ok=True)
        brief_path(self).unlink(missing_ok=True)


def _no_database(error: sqlite3.Error) -> bool:
    return "not a database" in str(error) or "malformed" in str(error)


def journal_path(output: Path) -> Path:
    """Return the path of the journal of a sweep: beside `output`."""
    return output.with_name(f"{output.name}.journal.sqlite")


def brief_path(journal: Journal) -> Path:
    """Return the path of the workers' brief: beside the journal."""
    return journal.path.with_suffix(".brief")
