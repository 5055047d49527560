from __future__ import annotations

import math
import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sole.base.errors import ConfigError, ResourceError, SchemaError, SoleError
from sole.studies.journal import WORKER_DIED, FinishedRow, Journal, brief_path, journal_path
from sole.studies.places import PlaceSet


def row(place, value=1.0, **more):
    return FinishedRow(place, f"key{place}", {"k": value}, **more)


def test_rows_come_back_in_order_and_to_the_last_bit(tmp_path):
    path = tmp_path / "a.sqlite"
    values = [0.1 + 0.2, 5e-324, 1e308, -0.0, math.pi]
    with Journal(path, "s") as journal:
        for k in reversed(range(5)):
            journal.append(row(k, values[k]))
        journal.append(FinishedRow(5, "x", {"k": math.nan}, "failed", "why"))
    with Journal(path, "s") as journal:
        rows = list(journal.rows())
        assert [r.numbers["k"] for r in rows[:5]] == values
        assert math.copysign(1, rows[3].numbers["k"]) == -1
        assert (rows[5].status, rows[5].reason) == ("failed", "why")
        assert math.isnan(rows[5].numbers["k"])
        assert journal.done() == set(range(6))
        assert journal.count("failed") == 1


@given(st.floats(allow_nan=False, allow_infinity=False))
@settings(deadline=None, max_examples=25)
def test_any_number_survives(tmp_path_factory, value):
    path = tmp_path_factory.mktemp("j") / "a.sqlite"
    with Journal(path, "s") as journal:
        journal.append(row(0, value))
        assert next(journal.rows()).numbers["k"] == value


def test_a_row_is_committed_in_batches_and_at_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr("sole.studies.journal.BATCH_ROWS", 3)
    monkeypatch.setattr("sole.studies.journal.BATCH_SECONDS", 1e9)
    with Journal(tmp_path / "a.sqlite", "s") as journal:
        for k in range(4):
            journal.append(row(k))
        assert journal.done() == {0, 1, 2}
    with Journal(tmp_path / "a.sqlite", "s") as journal:
        assert journal.done() == {0, 1, 2, 3}


@pytest.mark.parametrize("statement", ["BEGIN", "INSERT", "COMMIT", "end"])
def test_ctrl_c_amid_a_flush_keeps_every_row_once(tmp_path, statement):
    class Interrupting:
        """A connection that Ctrl-C hits once, right after a statement."""

        def __init__(self, db):
            self.db, self.armed = db, True

        def __getattr__(self, name):
            return getattr(self.db, name)

        def execute(self, sql, *more):
            return self.hit(sql, self.db.execute(sql, *more))

        def executemany(self, sql, rows):
            return self.hit(sql, self.db.executemany(sql, rows))

        def hit(self, sql, answer):
            if self.armed and sql.startswith(statement):
                self.armed = False
                raise KeyboardInterrupt
            return answer

    path = tmp_path / "a.sqlite"
    with pytest.raises(KeyboardInterrupt), Journal(path, "s") as journal:
        journal.append(row(0))
        journal.flush()
        journal._db = Interrupting(journal._db)
        journal.append(row(1))
        journal.append(row(2))
        journal.flush()
        raise KeyboardInterrupt
    with Journal(path, "s") as journal:
        assert journal.done() == {0, 1, 2}


def test_another_study_is_refused_unless_restarted(tmp_path):
    path = tmp_path / "a.sqlite"
    with Journal(path, "one") as journal:
        journal.append(row(0))
    with pytest.raises(ConfigError, match=r"a\.sqlite holds 1 rows of another study.*--restart"):
        Journal(path, "two")
    with Journal(path, "two", restart=True) as journal:
        assert journal.done() == set()


def test_a_restart_spares_the_journal_of_a_running_sweep(tmp_path):
    path = tmp_path / "a.sqlite"
    with Journal(path, "one") as journal:
        journal.append(row(0))
        journal.flush()
        for study in ("one", "two"):
            with pytest.raises(ConfigError, match="another sweep"):
                Journal(path, study, restart=True)
        journal.append(row(1))
    with Journal(path, "one") as journal:
        assert journal.done() == {0, 1}


def test_rows_that_workers_died_of_are_worked_out_again(tmp_path):
    path = tmp_path / "a.sqlite"
    reasons = [f"{WORKER_DIED} at this case", "worker: took over 9 s", "walk: oops"]
    with Journal(path, "s") as journal:
        for k, reason in enumerate(reasons):
            journal.append(row(k, status="failed", reason=reason))
        journal.append(row(3))
    with Journal(path, "s") as journal:
        assert journal.done() == {1, 2, 3}


def test_an_empty_journal_yields_to_another_study(tmp_path):
    with Journal(tmp_path / "a.sqlite", "one") as journal:
        journal.put_shared("x", 1)
    with Journal(tmp_path / "a.sqlite", "two") as journal:
        assert journal.get_shared("x") is None
        journal.append(row(0))
    with pytest.raises(ConfigError):
        Journal(tmp_path / "a.sqlite", "one")


def test_a_second_writer_is_refused(tmp_path):
    with (
        Journal(tmp_path / "a.sqlite", "s"),
        pytest.raises(ConfigError, match="another sweep"),
    ):
        Journal(tmp_path / "a.sqlite", "s")


def test_the_same_row_twice_is_an_error(tmp_path):
    journal = Journal(tmp_path / "a.sqlite", "s")
    journal.append(row(0))
    journal.append(row(0))
    with pytest.raises(SoleError, match="UNIQUE"):
        journal.close()


def test_full_disk_keeps_the_rows_before(tmp_path, monkeypatch):
    monkeypatch.setattr("sole.studies.journal.BATCH_ROWS", 1)
    path = tmp_path / "a.sqlite"
    journal = Journal(path, "s")
    pages = journal._db.execute("PRAGMA page_count").fetchone()[0]
    journal._db.execute(f"PRAGMA max_page_count={pages + 4}")  # SQLite's own "disk is full"
    with pytest.raises(ResourceError, match="disk is full; the rows finished before are kept"):
        for k in range(100_000):
            journal.append(row(k, reason="x" * 200))
    with pytest.raises(ResourceError):
        journal.close()
    with Journal(path, "s") as journal:
        done = journal.done()
    assert len(done) > 10
    assert done == set(range(len(done)))


def test_foreign_files_are_refused(tmp_path):
    path = tmp_path / "a.sqlite"
    path.write_bytes(b"not a database, whatever its name says" * 100)
    with pytest.raises(SchemaError, match=r"a\.sqlite is not a journal"):
        Journal(path, "s")
    path.unlink()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT)")
        db.execute("INSERT INTO about VALUES ('schema', 'sole.journal/99')")
    db.close()
    with pytest.raises(SchemaError, match="journal/99"):
        Journal(path, "s")
    for text in (path.read_bytes(), b"not a database, whatever its name says" * 100):
        path.write_bytes(text)
        with Journal(path, "s", restart=True) as journal:
            assert journal.done() == set()
    with pytest.raises(SoleError, match="does not exist"):
        Journal(tmp_path / "no" / "a.sqlite", "s")


def test_removal_leaves_nothing(tmp_path):
    path = journal_path(tmp_path / "t.nc")
    with Journal(path, "s") as journal:
        journal.append(row(0))
        brief_path(journal).write_bytes(b"of a run that was killed")
    journal.remove()
    assert list(tmp_path.iterdir()) == []


@given(st.lists(st.integers(0, 70)), st.lists(st.integers(0, 70)))
def test_places_are_a_set_of_bits(some, out):
    places, known = PlaceSet(some), set(some)
    for place in out:
        places.discard(place)
    known -= set(out)
    assert places == known
    assert len(places) == len(known)
    assert [p in places for p in (-1, 3, 999, "3")] == [False, 3 in known, False, False]
    assert len(PlaceSet([10_000_000])._bits) < 1.3e6
