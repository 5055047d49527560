from __future__ import annotations

import itertools
from typing import ClassVar
from unittest import mock

import pytest
from box_mesh import box_mesh
from declared import WALKED

from sole.studies import Column, Progress, Study, engine, parse_axis, study_progress
from sole.studies import job as studied_job
from sole.studies.command_line import run_command
from sole.studies.study_progress import (
    CONDENSING,
    ROWS,
    STARTING,
    WAITING,
    Pace,
    ProgressBar,
    rate_text,
    time_text,
)
from sole.studies.summary import describe_summary
from sole.studies.workforce import Workforce


class WalkingRows:
    """Every third robot falls; one cannot be simulated; the walk may be interrupted."""

    columns: ClassVar = {"fell": Column("", "1 if it fell", outcome=WALKED)}
    quantities: ClassVar = {}
    needs_sole = False
    fingerprint = None

    def __init__(self, interrupt=None):
        self.interrupt = interrupt

    def row(self, shared, case):
        if case.index == self.interrupt:
            raise KeyboardInterrupt
        if case.index == 4:
            raise ZeroDivisionError("oops")
        return {"fell": float(case.index % 3 == 0)}


def walk(folder, kind, listener):
    study = Study(axis=(parse_axis("young", "1e5:1e7:10"), parse_axis("poisson", "0.3")))
    mesh = box_mesh(0.2, 0.1, 0.02, (2, 2, 1))
    with mock.patch.object(engine, "make_rows", lambda *a, **k: {"walk": kind}):
        return engine.run_study(study, mesh, folder / "t.nc", listener=listener)


def test_those_who_walked_and_fell_are_counted_over_an_interruption(tmp_path):
    told = []
    with pytest.raises(KeyboardInterrupt):
        walk(tmp_path, WalkingRows(interrupt=6), told.append)
    assert told[-1] == Progress(ROWS, 6, 10, good=3, bad=2, failed=1, outcome=WALKED)
    again = []
    summary = walk(tmp_path, WalkingRows(), again.append)
    assert again[0] == told[-1]
    assert again[-1] == Progress(ROWS, 10, 10, good=5, bad=4, failed=1, outcome=WALKED)
    assert again[-1].counts == "walked 5, fell 4, failed 1"
    shown = describe_summary(summary).quantities
    assert [shown[k].value for k in ("walked", "fallen", "failed")] == [5, 4, 1]


def test_counts_are_said_where_there_are_any():
    assert Progress(ROWS, 5, 9).counts == Progress(ROWS, 5, 9, outcome=WALKED).counts == ""
    assert Progress(ROWS, 5, 9, failed=2).counts == "failed 2"
    assert Progress(ROWS, 5, 9, good=5, outcome=WALKED).counts == "walked 5, fell 0, failed 0"


def test_time_left_of_slow_rows_on_some_workers():
    pace = Pace(100, 0.0)  # taken up again: a hundred rows say nothing about the rate
    assert pace.describe(200, 3.0) == ""
    for k in range(1, 9):  # four workers, rows of 5 s that arrive together
        for done in range(4 * k - 3, 4 * k + 1):
            pace.note(100 + done, 5.0 * k)
    assert pace.rate == pytest.approx(0.8)
    assert pace.left(200, 40.0) == pytest.approx(85.0)
    assert pace.left(200, 43.0) == pytest.approx(82.0)  # it runs on between rows
    assert pace.left(200, 200.0) is None  # a row is overdue
    assert pace.describe(200, 40.0) == "0.8/s, 1 min 25 s left"


def test_time_left_of_fast_rows_and_after_workers_joined():
    pace = Pace(0, 0.0)
    for k in range(1, 20_001):
        pace.note(k, k / 10_000)
    assert pace.describe(1_000_000, 2.0) == "10000/s, 1 min 38 s left"
    for k in range(1, 1001):  # at a hundredth of it, for 1000 s
        pace.note(20_000 + 100 * k, 2.0 + k)
    assert pace.rate == pytest.approx(100.0)
    assert len(pace._marks) <= 101


def test_what_the_first_row_prepares_is_no_part_of_the_time_left():
    """Four workers load for 4 s each before their first row; all other rows take 1 s."""
    pace, total = Pace(0, 0.0), 60
    for k in range(4):
        pace.note(k + 1, 5.0 + 0.1 * k)
    assert pace.describe(total, 6.0) == ""  # by the first rows: 5 s for 4 rows, 70 s left
    for second in range(1, 6):
        assert pace.left(total, 5.5 + second) is None
        for k in range(4):
            pace.note(4 * second + k + 1, 5.0 + second + 0.1 * k)
    # The truth: 9 batches of 1 s. The last mark of the first rows is 0.3 s after the first one.
    assert pace.left(total, 10.3) == pytest.approx(9.0, abs=0.5)


def test_rates_and_times_in_words():
    assert [rate_text(r) for r in (1234.5, 2.345, 0.05, 0.001)] == [
        "1234/s",
        "2.3/s",
        "3/min",
        "3.6/h",
    ]
    assert [time_text(t) for t in (0.4, 59.6, 3599, 86_400 + 60)] == [
        "0 s",
        "1 min 00 s",
        "59 min 59 s",
        "24 h 01 min",
    ]


@pytest.fixture
def clock(monkeypatch):
    """Every look at the clock finds it a second later."""
    seconds = itertools.count(0.0, 1.0)
    monkeypatch.setattr(study_progress.time, "monotonic", lambda: next(seconds))


def test_log_files_get_a_line_with_the_first_estimate_and_every_ten_seconds(clock, capfd):
    with ProgressBar(shown=True) as bar:
        for k in range(91):
            bar(Progress(ROWS, k, 200, good=k, outcome=WALKED))
        bar(Progress(WAITING, 90, 200, good=90, workers="tcp://a:1", outcome=WALKED))
        bar(Progress(WAITING, 90, 200, good=90, workers="tcp://a:1", outcome=WALKED))
    assert bar.rows == 90
    out, err = capfd.readouterr()
    assert out == ""
    *rows, waiting = err.splitlines()
    assert rows == [
        f"rows: {k} of 200; walked {k}, fell 0, failed 0; 1/s, {time_text(200 - k)} left"
        for k in range(2, 90, 10)
    ]
    assert waiting == "waiting for workers of tcp://a:1: 90 of 200; walked 90, fell 0, failed 0"


def test_the_time_left_is_of_those_who_work_now(monkeypatch):
    """Rows of 1 s here, 20 s until two workers have started, then two rows a second."""
    now = [0.0]
    monkeypatch.setattr(study_progress.time, "monotonic", lambda: now[0])
    bar = ProgressBar(shown=False)
    for k in range(5):
        now[0] = float(k)
        bar(Progress(ROWS, k, 100))
    bar(Progress(STARTING, 4, 100, workers="starting 2 worker processes"))
    assert bar._pace.describe(100, 15.0) == ""  # nothing is known of them yet
    for k in range(60):
        now[0] = 24.0 + k // 2
        bar(Progress(ROWS, 5 + k, 100))
    assert bar._pace.rate == pytest.approx(2.0, rel=0.05)  # the last batch of 29 is half in


def test_a_log_begins_with_how_many_rows_and_who_computes_them(tmp_path, capfd):
    walked = Study(axis=(parse_axis("young", "1e5:1e7:10"), parse_axis("poisson", "0.3")))
    mesh = box_mesh(0.2, 0.1, 0.02, (2, 2, 1))
    run_command(walked, mesh, tmp_path / "t.nc", as_json=False, quiet=False)
    said = capfd.readouterr().err.splitlines()
    assert said[0] == f"computing {tmp_path / 't.nc'}: 10 rows (stiffness) by this process"
    run_command(walked, mesh, tmp_path / "u.nc", as_json=False, quiet=True)
    assert capfd.readouterr() == ("", "")
    assert [Workforce(workers=n).told for n in (0, 1)] == ["this process", "1 worker process"]
    assert Workforce(scheduler="tcp://a:1").told == "the cluster at tcp://a:1"


def test_what_starts_is_the_workers_alone(monkeypatch):
    monkeypatch.setattr("sole.studies.workforce.cores", lambda: 2)
    assert Workforce(workers=None).starting == "starting 2 worker processes"
    assert Workforce(workers=1).starting == "starting 1 worker process"
    assert Workforce(scheduler="tcp://a:1").starting == "connecting to the cluster at tcp://a:1"


def test_a_first_row_that_loads_starts_no_workers():
    """It took 9 s, the others 1 s each: eight rows take less time here than workers to start."""
    crew, heard = Workforce(workers=None), []

    def enough(seconds, rows):
        heard.append((round(seconds), rows))
        return False

    job, clock = mock.Mock(), itertools.chain([0.0, 9.0, 9.0, 10.0, 10.0, 11.0, 11.0])
    job.groups = lambda use: iter([(None, use(mock.Mock(), None), [0, 1, 2])])
    with (
        mock.patch.object(studied_job, "work_out", lambda *a: iter("abc")),
        mock.patch.object(studied_job.time, "perf_counter", lambda: next(clock)),
    ):
        studied_job.work_here(job, enough)
    assert heard == [(-1, 1), (1, 1), (2, 2)]
    with mock.patch.object(type(crew), "number", 2):
        assert not crew.worth_starting(*heard[0], 7) and not crew.worth_starting(*heard[2], 5)
        assert crew.worth_starting(60.0 - studied_job.FIRST_SECONDS, 1, 7)  # walks of a minute


def test_quiet_is_quiet(clock, capfd):
    with ProgressBar(shown=False) as bar:
        for k in range(100):
            bar(Progress(ROWS, k, 200))
    assert bar.rows == 99
    assert capfd.readouterr() == ("", "")


def test_the_bar_of_a_terminal(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "150")
    with ProgressBar(shown=True) as bar:
        bar(Progress(CONDENSING, 2, 3))
        bar(Progress(WAITING, 0, 9, workers="tcp://a:1"))
        bar._display._rich.refresh()
        assert "waiting for workers of tcp://a:1" in capsys.readouterr().err
        bar(Progress(STARTING, 0, 9, workers="starting 2 worker processes"))
        bar._display._rich.refresh()
        assert "starting 2 worker processes" in capsys.readouterr().err
        bar(Progress(ROWS, 9, 9, good=5, bad=3, failed=1, outcome=WALKED))
        bar._display._rich.refresh()
        shown = capsys.readouterr().err
    assert "9/9" in shown
    assert "walked 5, fell 3, failed 1" in shown
    assert "/s" in shown
