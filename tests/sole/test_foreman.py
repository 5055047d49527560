"""The foreman against workers that die, hang and lie as they are told to, without processes."""

from __future__ import annotations

import itertools
import stat

import pytest
from box_mesh import box_mesh

from sole.errors import ResourceError
from sole.studies import foreman, losses, worker
from sole.studies.axis import parse_axis
from sole.studies.chunks import Heap
from sole.studies.foreman import Foreman
from sole.studies.job import Job, SweepSummary
from sole.studies.journal import FinishedRow, Journal, journal_path
from sole.studies.losses import Chunk, Losses
from sole.studies.plan import Plan
from sole.studies.store import SoleStore
from sole.studies.study import Study
from sole.studies.worker import Brief, BriefFile, FinishedChunk
from sole.studies.workforce import WorkersError, Workforce
from sole.sweep import make_rows, run_sweep

ROWS = 40
KILL, HANG = "kill", "hang"


class Answer:
    """A future of the cluster: finished, or nothing for ever."""

    def __init__(self, chunk):
        self.chunk = chunk
        self.status = "pending" if chunk is None else "finished"

    def done(self):
        return self.chunk is not None

    def cancel(self):
        pass

    def result(self, timeout):
        return self.chunk

    def add_done_callback(self, call):
        if self.done():
            call(self)


class Lab:
    """A client of workers in this process; `fate` says of (rows, how often) what happens."""

    status, cluster = "running", None

    def __init__(self, plan, fate, number=2):
        self.plan, self.fate, self.log = plan, fate, []
        self._stuck = set()
        self._names = map("w{}".format, itertools.count())
        self.workers = {next(self._names) for _ in range(number)}

    def nthreads(self):
        return dict.fromkeys(self.workers, 1)

    def _end(self, name):
        if name in self.workers:
            self.workers.remove(name)
            self.workers.add(next(self._names))

    def restart_workers(self, names, timeout, *, raise_for_error):
        for name in names:
            self._end(name)
        return dict.fromkeys(names, "OK")

    def gather(self, answers, *, asynchronous):
        return [a.chunk for a in answers]

    def sync(self, function, *, callback_timeout):
        return function()

    def submit(self, function, brief, key, notes, places, *, workers, pure):
        (name,) = workers
        if name not in self.workers - self._stuck:
            return Answer(None)
        fate = self.fate(places, self.log.count(places))
        self.log.append(places)
        if fate == KILL:
            self._end(name)
        if fate in (KILL, HANG):
            self._stuck.add(name)
            return Answer(None)
        cases = [self.plan.case(p) for p in places]
        rows = [FinishedRow(c.index, self.plan.row_key(c), {"k": 1.0}) for c in cases]
        return Answer(FinishedChunk(rows=tuple(rows), seconds=0.03 * len(rows)))


def plan_of(values=f"1e5:1e7:{ROWS}"):
    study = Study(axis=(parse_axis("young", values), parse_axis("poisson", "0.3")))
    return Plan(study, box_mesh(0.2, 0.1, 0.02, (2, 2, 1)))


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs a sweep under a fate; returns reasons of failed rows by place, and the lab."""
    monkeypatch.setattr(foreman, "COUNT_SECONDS", 0.0)
    monkeypatch.setattr(foreman, "LOOK_SECONDS", 0.001)

    def run(fate, timeout=0.05, theirs=None):
        plan = plan_of()
        lab = Lab(theirs or plan, fate)
        path = tmp_path / "t.sqlite"
        with Journal(path, plan.digest) as journal:
            summary = SweepSummary(output=tmp_path / "t.nc", table=tmp_path / "t.csv")
            store = SoleStore(tmp_path / "soles")
            job = Job(plan, {}, journal, store, summary, lambda progress: None)
            ((_, groups),) = plan.groups.items()
            crew = Workforce(scheduler="tcp://a:1", timeout=timeout)
            Foreman(job, lab, BriefFile("", ""), {k: {} for k in groups}, crew).run(Heap(groups))
            journal.flush()
            assert journal.done() == set(range(ROWS))
            failed = {r.place: r.reason for r in journal.rows() if r.status == "failed"}
        return failed, lab

    return run


def test_killing_the_workers_of_a_row_makes_no_failed_row(run):
    deaths = itertools.count(1)

    def killed(places, before):
        return KILL if 2 in places and next(deaths) < losses.DEATHS + losses.LAST_DEATHS else None

    failed, lab = run(killed, timeout=60.0)
    assert failed == {}
    mine = [k for k, places in enumerate(lab.log) if 2 in places]
    assert len(mine) == losses.DEATHS + losses.LAST_DEATHS
    others = [k for k, places in enumerate(lab.log) if places and 2 not in places]
    assert mine[losses.DEATHS - 1] < max(others) < mine[losses.DEATHS]  # aside, then alone


def test_a_row_that_always_kills_has_failed_at_the_very_end(run):
    failed, lab = run(lambda places, before: KILL if 2 in places else None, timeout=60.0)
    assert list(failed) == [2]
    assert failed[2].startswith("worker: died of this case 5 times, at last with nothing else")
    assert lab.log[-1] == (2,)


def test_rows_that_shared_a_chunk_with_one_that_hangs_are_worked_out(run):
    failed, lab = run(lambda places, before: HANG if 5 in places else None)
    assert failed == {5: "worker: took over 0.05 s"}
    (shared,) = (places for places in lab.log if 5 in places and len(places) > 1)
    assert {(place,) for place in shared} <= set(lab.log)


def test_workers_that_die_or_hang_while_they_load_end_the_sweep(run, monkeypatch):
    monkeypatch.setattr(foreman, "LOAD_SECONDS", 0.01)
    for fate in (KILL, HANG):
        with pytest.raises(WorkersError, match=r"while they load .*5 times one after the other"):
            run(lambda places, before, fate=fate: None if places else fate)


def test_workers_that_die_while_they_load_now_and_then_do_not(run):
    def fate(places, before):
        return KILL if before == 0 or (not places and before % 2) else None

    failed, lab = run(fate, timeout=60.0)
    assert failed == {}
    assert lab.log.count(()) > 4 * losses.LOADS


def test_a_sole_that_nobody_can_load_is_found_beside_others_that_can():
    lost, (good, bad) = Losses(), (Chunk("good", ()), Chunk(plan_of_key(), ()))
    with pytest.raises(WorkersError, match=r"load a sole \(Poisson's ratio \(0.3,\)\)"):
        for _ in range(losses.LOADS):
            lost.came_back(good)
            lost.did_not_load([bad, bad])  # at one look: as one


def plan_of_key():
    (groups,) = plan_of().groups.values()
    return next(iter(groups))


def test_rows_of_other_cases_are_refused(run):
    other = plan_of(f"1e5:2e7:{ROWS}")
    with pytest.raises(WorkersError, match=r"row \d was worked out for another case"):
        run(lambda places, before: None, theirs=other)


def test_a_brief_is_read_by_its_owner_as_it_was_written(tmp_path):
    path = tmp_path / "b"
    path.write_bytes(b"of a run that was killed")
    path.chmod(0o666)
    plan = plan_of()
    brief = Brief(study=plan.study, meshes=plan.meshes, kinds={}, soles=None)
    file = BriefFile.write(path, brief)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert file.read().study == plan.study
    path.write_bytes(b"cos\nsystem\n(S'true'\ntR.")  # runs if it is unpickled
    with pytest.raises(ResourceError, match="is not what the sweep wrote there"):
        worker.work_chunk(file, plan_of_key(), {}, ())
    path.unlink()
    with pytest.raises(ResourceError, match="let all workers, run by the same user, see"):
        file.read()


def test_a_journal_with_rows_of_other_cases_is_refused(tmp_path):
    output, plan = tmp_path / "t.nc", plan_of()
    plan = Plan(plan.study, plan.meshes, make_rows(plan.study))
    with Journal(journal_path(output), plan.digest) as journal:
        journal.append(FinishedRow(0, "another key", {}))
    with pytest.raises(WorkersError, match=r"row 0 was worked out for another case.*--restart"):
        run_sweep(plan.study, plan.meshes[""], output)
    assert not output.exists()
    assert run_sweep(plan.study, plan.meshes[""], output, restart=True).resumed == 0
