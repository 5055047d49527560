"""What becomes of rows whose worker died or hung, and of rows that somebody else worked out.

The same with processes that are really killed: `test_sweep_workers.py`.
"""

from __future__ import annotations

import stat

import pytest
from box_mesh import box_mesh

from sole.base.errors import ResourceError
from sole.studies import Study, StudySummary, chunks, parse_axis, run_study, worker
from sole.studies.chunks import Chunk, Heap, Losses
from sole.studies.foreman import Foreman
from sole.studies.job import Job
from sole.studies.journal import FinishedRow, Journal, journal_path
from sole.studies.rows import make_rows
from sole.studies.sole_store import SoleStore
from sole.studies.study_plan import Plan
from sole.studies.worker import Brief, BriefFile
from sole.studies.workforce import WorkersError, Workforce


def plan_of(values="1e5:1e7:40"):
    study = Study(axis=(parse_axis("young", values), parse_axis("poisson", "0.3")))
    return Plan(study, box_mesh(0.2, 0.1, 0.02, (2, 2, 1)))


def plan_of_key():
    (groups,) = plan_of().groups.values()
    return next(iter(groups))


def next_try(lost, place):
    """Take the chunk of one row that is to be tried again at once; None if there is none."""
    for chunk in lost.again:
        if chunk.places == (place,):
            lost.again.remove(chunk)
            return chunk
    return None


def test_a_row_is_tried_again_then_set_aside_then_alone_and_at_last_failed():
    lost, chunk = Losses(), Chunk("sole", (2,))
    for _ in range(chunks.DEATHS - 1):
        assert lost.died(chunk) == {}
        chunk = next_try(lost, 2)
        assert chunk is not None
    assert lost.died(chunk) == {}
    assert next_try(lost, 2) is None  # set aside: others first
    assert lost
    for _ in range(chunks.LAST_DEATHS - 1):
        lost.bring_back_one()
        chunk = next_try(lost, 2)
        assert lost.died(chunk) == {}
    lost.bring_back_one()
    reasons = lost.died(next_try(lost, 2))
    assert list(reasons) == [2]
    assert reasons[2].startswith("worker: died at this case 5 times, at last with nothing else")
    assert not lost


def test_rows_that_shared_a_chunk_with_one_that_hangs_are_tried_one_by_one():
    lost = Losses()
    assert lost.hung(Chunk("sole", (4, 5, 6)), 9.0) == {}
    assert sorted(c.places for c in lost.again) == [(4,), (5,), (6,)]
    assert lost.hung(next_try(lost, 5), 9.0) == {5: "worker: took over 9 s"}


def test_workers_that_die_while_they_load_now_and_then_do_not_end_a_study():
    lost, chunk = Losses(), Chunk(plan_of_key(), ())
    for _ in range(4 * chunks.LOADS):
        lost.did_not_load([chunk])
        lost.came_back(chunk)
    with pytest.raises(WorkersError, match=r"while loading .*5 times in succession"):
        for _ in range(chunks.LOADS):
            lost.did_not_load([chunk])


def test_a_sole_that_nobody_can_load_is_found_beside_others_that_can():
    lost, (good, bad) = Losses(), (Chunk("good", ()), Chunk(plan_of_key(), ()))
    with pytest.raises(WorkersError, match=r"loading a sole \(Poisson's ratio \(0.3,\)\)"):
        for _ in range(chunks.LOADS):
            lost.came_back(good)
            lost.did_not_load([bad, bad])  # at one look: as one


def test_rows_of_other_cases_are_refused(tmp_path):
    plan, other = plan_of(), plan_of("1e5:2e7:40")
    summary = StudySummary(output=tmp_path / "t.nc", table=tmp_path / "t.csv")
    with Journal(tmp_path / "t.sqlite", plan.digest) as journal:
        job = Job(plan, {}, journal, SoleStore(tmp_path / "s"), summary, lambda progress: None)
        job.require_own(FinishedRow(3, plan.row_key(plan.case(3)), {}))
        with pytest.raises(WorkersError, match=r"row 3 was computed for another case"):
            job.require_own(FinishedRow(3, other.row_key(other.case(3)), {}))


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
    with pytest.raises(ResourceError, match="is not the brief of this sweep"):
        worker.work_chunk(file, plan_of_key(), {}, ())
    path.unlink()
    with pytest.raises(ResourceError, match="let all workers, run by the same user, see"):
        file.read()


def test_a_journal_with_rows_of_other_cases_is_refused(tmp_path):
    output, plan = tmp_path / "t.nc", plan_of()
    plan = Plan(plan.study, plan.meshes, make_rows(plan.study))
    with Journal(journal_path(output), plan.digest) as journal:
        journal.append(FinishedRow(0, "another key", {}))
    with pytest.raises(WorkersError, match=r"row 0 was computed for another case.*--restart"):
        run_study(plan.study, plan.meshes[""], output)
    assert not output.exists()
    assert run_study(plan.study, plan.meshes[""], output, restart=True).resumed == 0


class Client:
    """Takes chunks and never answers."""

    def submit(self, *_args, **_options):
        return self.Future()

    class Future:
        def add_done_callback(self, call):
            pass


def test_a_row_that_runs_again_waits_behind_none():
    """Behind a chunk that had ended unheard, its worker's death would be laid on that chunk."""
    key = plan_of_key()
    foreman, heap = Foreman(None, Client(), None, {key: {}}, Workforce()), Heap({key: range(9)})
    foreman._threads = {"new": 1, "idle": 1, "busy": 1}
    foreman._greeted = {"idle", "busy"}
    foreman._flying[Client.Future()] = Chunk(key, (20,), "busy")
    foreman._losses.again += [Chunk(key, (k,)) for k in (7, 8)]
    foreman._hand_out(heap)
    given = [(chunk.worker, chunk.places) for chunk in foreman._flying.values()]
    assert given == [("busy", (20,)), ("new", ()), ("idle", (8,))]
    foreman._losses.again.clear()
    foreman._hand_out(heap)
    workers = [chunk.worker for chunk in foreman._flying.values()]
    assert sorted(workers) == ["busy", "busy", "idle", "idle", "new", "new"]
