from __future__ import annotations

from dataclasses import replace

import pytest
from box_mesh import box_mesh

from sole.base.errors import ConfigError, ResourceError
from sole.condense import condense
from sole.material import Material
from sole.mesh import write_mesh
from sole.studies import (
    Study,
    Workforce,
    choose_workforce,
    describe_plan,
    parse_axis,
    run_study,
    workforce,
)
from sole.studies.chunks import CHUNK_SECONDS, MOST_ROWS, Heap, RowTimes
from sole.studies.sole_store import SoleStore


def test_chunks_last_as_long_as_they_should():
    times = RowTimes()
    assert times.rows == 1  # nothing is known yet
    times.add(3.0, 1)
    assert times.rows == 1
    for _ in range(20):
        times.add(0.01 * times.rows, times.rows)
    assert times.rows * 0.01 == pytest.approx(CHUNK_SECONDS, abs=0.011)
    for _ in range(40):
        times.add(0.0, times.rows)
    assert times.rows == MOST_ROWS


def test_a_worker_stays_with_its_sole_and_helps_at_the_end():
    heap = Heap({"a": range(5), "b": range(5, 8), "c": range(8, 10)})
    assert heap.take("w1", 2) == ("a", (0, 1))
    assert heap.take("w2", 2) == ("b", (5, 6))
    assert heap.take("w1", 1) == ("a", (2,))
    assert heap.take("w2", 9) == ("b", (7,))
    assert heap.take("w2", 1) == ("c", (8,))  # untouched ones first
    assert heap.take("w3", 1)[0] == "a"  # then where most are left
    taken = [heap.take("w3", 1) for _ in range(2)]
    assert sorted(taken) == [("a", (4,)), ("c", (9,))]
    assert not heap


def test_workers_that_are_gone_help_nowhere():
    heap = Heap({"a": range(9), "b": range(9, 15)})
    for worker in ("w1", "w2", "w3"):
        heap.take(worker, 1)  # w3: of "a", where most are left
    assert heap.take("w4", 1)[0] == "b"  # 7 rows for two, 5 for one
    for worker in ("w2", "w4", "somebody else"):
        heap.forget(worker)
    assert heap.take("w5", 1)[0] == "b"  # 7 for two, 4 for nobody


def test_a_timeout_asks_for_workers_from_the_first_row_on(monkeypatch):
    monkeypatch.setattr(workforce, "cores", lambda: 4)
    assert choose_workforce(None, 1, "", None, None).undecided
    crew = choose_workforce(None, 1, "", None, 60.0)
    assert (crew.undecided, crew.here, crew.number, crew.timeout) == (False, False, 4, 60.0)
    assert choose_workforce(2, 1, "", None, 60.0).number == 2
    assert choose_workforce(None, 1, "tcp://a:1", None, 60.0).workers is None
    for workers, threads in ((0, 1), (None, 0)):
        with pytest.raises(ConfigError, match=r"give --workers N, or leave --timeout out"):
            choose_workforce(workers, threads, "", None, 60.0)


def test_who_works(monkeypatch):
    monkeypatch.setattr(workforce, "cores", lambda: 4)
    assert Workforce().here
    assert Workforce(workers=None).undecided
    assert Workforce(workers=None).number == Workforce(workers=64).number == 4
    assert not Workforce(scheduler="tcp://a:1", workers=None).undecided
    crew = Workforce(workers=None)
    assert crew.worth_starting(2.0, 10, 100)
    assert not crew.worth_starting(2.0, 10, 20)  # four seconds are left
    assert not crew.worth_starting(0.5, 1, 1000)  # too early to say
    monkeypatch.setattr(workforce, "cores", lambda: 1)
    assert not crew.worth_starting(2.0, 10, 1_000_000)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"workers": -1}, "0 or more, got -1"),
        ({"workers": 2, "scheduler": "tcp://a:1"}, "leave --workers out"),
        ({"workers": None, "scheduler": "a:1"}, "tcp://HOST:PORT, got 'a:1'"),
        ({"workers": 0, "dashboard": 8787}, "give --workers N"),
    ],
)
def test_contradictions_are_refused(options, message):
    with pytest.raises(ConfigError, match=message):
        Workforce(**options)


def test_the_store_gives_back_what_was_put_to_the_last_bit(tmp_path):
    mesh = box_mesh(0.2, 0.1, 0.02, (2, 2, 1))
    material = Material(young_modulus=1e6, poisson_ratio=0.3)
    store = SoleStore(tmp_path / "soles")
    assert store.get(mesh, "p1", (material,)) is None
    sole = condense(mesh, material, "p1")
    store.put(sole)
    found = store.get(mesh, "p1", (material,))
    assert (found.stiffness == sole.stiffness).all()
    assert (found.compliance == sole.compliance).all()
    other = Material(young_modulus=1e6, poisson_ratio=0.3000001)
    assert store.get(mesh, "p1", (other,)) is None
    with pytest.raises(ResourceError, match="let all workers see the folder"):
        SoleStore(tmp_path / "soles", complete=True).get(mesh, "p1", (other,))
    (file,) = (tmp_path / "soles").iterdir()
    file.write_bytes(file.read_bytes()[:200])
    assert store.get(mesh, "p1", (material,)) is None  # as good as absent


def test_a_plan_says_what_disk_its_soles_take(tmp_path):
    write_mesh(tmp_path / "pad.msh", box_mesh(0.2, 0.1, 0.02, (8, 4, 1)))
    study = Study(
        mesh=str(tmp_path / "pad.msh"),
        element="p1",
        axis=(parse_axis("young", "1e6,2e6"), parse_axis("poisson", "0.2,0.3,0.4")),
        rows=("press",),
        options={"press": {"force": 100.0, "cop": [0.0, 0.0]}},
    )
    said = describe_plan(study, tmp_path).quantities["disk"]
    run_study(study, None, tmp_path / "t.nc", keep_journal=True)
    found = sum(file.stat().st_size for file in (tmp_path / "t.nc.soles").iterdir())
    assert (said.value, said.unit) == (round(found / 1e6, 1), "MB")
    light = replace(study, rows=("stiffness",), options={})
    assert "disk" not in describe_plan(light, tmp_path).quantities
