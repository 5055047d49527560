from __future__ import annotations

import json
import math
import subprocess
import sys
from contextlib import contextmanager
from types import MappingProxyType
from typing import ClassVar

import pytest
from box_mesh import box_mesh
from command_line import in_this_process

import sole.studies.cluster as cluster
import sole.studies.design.campaign as campaign
from sole.base.errors import ConfigError, EquilibriumError
from sole.mesh import write_mesh
from sole.studies import Axis, AxisQuantity, Column, LayerMaterial, Workforce, read_table
from sole.studies.choice import parse_constraint
from sole.studies.design import Design, SearchOptions, best_of, load_design, run_design
from sole.studies.design.design_study import place_of
from sole.studies.design.search import first_generation
from sole.studies.design.verdict import judge, measure_violation, rank
from sole.studies.job import work_here
from sole.studies.journal import journal_path
from sole.studies.sole_store import store_path

PLAIN = LayerMaterial(young_modulus=1e6, poisson_ratio=0.3)
YOUNG = Axis(quantity="young", range=(1e5, 1e8))
TREAD = Axis(quantity="thickness", layer="layer0", range=(0.003, 0.017))
REST = Axis(quantity="thickness", layer="layer1", range=(0.003, 0.017))
TIE = "thickness_layer1 = 0.02 - thickness_layer0"
LOAD = {"stiffness": {"mass": 50.0, "com_height": 0.8}}
TOML = """
schema = "sole.design/1"
mesh = "pad.msh"
element = "p1"

[[axis]]
quantity = "young"
range = [1e5, 1e8]

[options.stiffness]
mass = 50.0
com_height = 0.8

[design]
minimise = "k_z_z"
subject_to = ["standing_margin >= 1"]
evaluations = 60
population = 6
"""


@pytest.fixture(scope="module")
def mesh():
    return box_mesh(0.2, 0.1, 0.02, (3, 2, 2), layers=(1.0, 1.0))


def design(*axes, **search):
    search = {"minimise": "cost", "evaluations": 40, "population": 5, **search}
    return Design(
        axis=axes,
        element="p1",
        layers={"layer0": PLAIN, "layer1": PLAIN},
        design=SearchOptions(**search),
    )


class Bowl:
    """Rows whose least cost is known: at E = 2 MPa, the more friction the worse."""

    columns: ClassVar = {"cost": Column("m", "of a bowl"), "size": Column("", "log10 E")}
    quantities: ClassVar = MappingProxyType({"friction": AxisQuantity("", "friction", low=0.0)})
    fingerprint = None
    needs_sole = False

    def __init__(self, trouble=None):
        self.trouble, self.seen = trouble or {}, []

    def row(self, shared, case):
        self.seen.append((case.index, dict(case.settings)))
        if len(self.seen) in self.trouble:
            raise self.trouble[len(self.seen)]
        cost = math.log10(case.young / 2e6) ** 2 + float(case.settings.get("friction", 0.0))
        return {"cost": cost, "size": math.log10(case.young)}


@pytest.fixture
def bowl(monkeypatch):
    """Replace the rows by a bowl: bowl(trouble) returns it."""

    def use(trouble=None):
        rows = Bowl(trouble)
        monkeypatch.setattr(campaign, "make_rows", lambda study, folder: {"bowl": rows})
        return rows

    return use


def test_the_least_of_a_bowl_is_found(tmp_path, mesh, bowl):
    rows = bowl()
    told = run_design(design(YOUNG), mesh, tmp_path / "t.nc")
    (young,), verdict = best_of(told)
    assert young == pytest.approx(2e6, rel=0.1)
    assert verdict.objective == min(v.objective for v in told.verdicts.values()) < 0.002
    assert 30 < told.summary.rows == told.summary.new_rows == len(rows.seen) <= 40
    table = read_table(tmp_path / "t.nc")
    assert table.attrs["sampling"] == "list"
    assert json.loads(table.attrs["design"])["minimise"] == "cost"
    assert table["young"].values.tolist() == [v[0] for v in told.verdicts]
    assert not journal_path(tmp_path / "t.nc").exists()
    assert not store_path(tmp_path / "t.nc").exists()


def test_a_constraint_keeps_the_best_on_its_bound(tmp_path, mesh, bowl):
    bowl()
    asked = design(YOUNG, subject_to=["size >= 7"], evaluations=100, population=10)
    told = run_design(asked, mesh, tmp_path / "t.nc")
    (young,), verdict = best_of(told)
    assert verdict.feasible
    assert 1e7 <= young < 1.2e7
    late = list(told.verdicts.values())[50:]
    assert sum(v.feasible for v in late) > 0.25 * len(late)  # it searches where they hold


def test_every_repeat_counts(tmp_path, mesh, bowl):
    """Mean or worst of the repeats; a constraint holds only if all repeats hold it."""
    repeats = Axis(quantity="friction", values=(0.1, 0.7), ensemble=True)
    found = {}
    for over in ("mean", "worst"):
        rows = bowl()
        told = run_design(design(YOUNG, repeats, over=over), mesh, tmp_path / f"{over}.nc")
        found[over] = best_of(told)[1].objective
        assert len(rows.seen) == 2 * len(told.verdicts)
    assert found["mean"] == pytest.approx(0.4, abs=0.01)
    assert found["worst"] == pytest.approx(0.7, abs=0.01)
    bowl()
    told = run_design(
        design(YOUNG, repeats, subject_to=["cost <= 0.5"]), mesh, tmp_path / "never.nc"
    )
    assert not any(v.feasible for v in told.verdicts.values())
    values, verdict = best_of(told)
    assert values[0] == pytest.approx(2e6, rel=0.1)  # violated least
    assert verdict.worst == pytest.approx([0.7], abs=0.01)


def test_equal_designs_are_worked_out_once(tmp_path, mesh, bowl):
    rows = bowl()
    few = Axis(quantity="young", values=(1e6, 2e6, 4e6))
    told = run_design(design(few), mesh, tmp_path / "t.nc")
    assert best_of(told)[0] == (2e6,)
    assert len(rows.seen) == len(told.verdicts) == 3


def test_failed_rows_are_rows_and_lose(tmp_path, mesh, bowl):
    bowl({n: EquilibriumError("it topples") for n in (2, 5)})
    told = run_design(design(YOUNG), mesh, tmp_path / "t.nc")
    assert told.summary.failed == 2
    assert sum(math.isinf(v.objective) for v in told.verdicts.values()) == 2
    assert best_of(told)[1].feasible
    reasons = [r for r in read_table(tmp_path / "t.nc")["reason"].values.ravel() if r]
    assert reasons == ["bowl: it topples"] * 2


def test_the_seed_decides_and_the_same_seed_gives_the_same_table(tmp_path, mesh, bowl):
    tables = []
    for k, seed in enumerate((1, 1, 2)):
        bowl()
        run_design(design(YOUNG, seed=seed), mesh, tmp_path / f"{k}.nc")
        tables.append((tmp_path / f"{k}.csv").read_text())
    assert tables[0] == tables[1] != tables[2]


def test_an_interrupted_search_goes_on_where_it_was(tmp_path, mesh, bowl):
    axes = YOUNG, TREAD, REST
    bowl()
    run_design(design(*axes, tied=[TIE]), mesh, tmp_path / "whole.nc")
    first = bowl({13: KeyboardInterrupt()})
    with pytest.raises(KeyboardInterrupt):
        run_design(design(*axes, tied=[TIE]), mesh, tmp_path / "t.nc")
    second = bowl({8: KeyboardInterrupt()})
    with pytest.raises(KeyboardInterrupt):
        run_design(design(*axes, tied=[TIE], evaluations=200), mesh, tmp_path / "t.nc")
    third = bowl()
    told = run_design(design(*axes, tied=[TIE]), mesh, tmp_path / "t.nc")
    assert (len(first.seen), len(second.seen)) == (13, 8)
    assert told.summary.resumed == 12 + 7 == told.summary.rows - len(third.seen)
    for kind in ("csv", "nc"):
        assert (tmp_path / f"t.{kind}").read_bytes() == (tmp_path / f"whole.{kind}").read_bytes()


KILLED = """
import os, signal, sys
from pathlib import Path
from sole.studies.design import load_design
from sole.studies.design import run_design

def listen(progress):
    if progress.done == 21:
        os.kill(os.getpid(), signal.SIGKILL)

run_design(load_design(Path(sys.argv[1])), None, Path(sys.argv[2]), listener=listen)
"""


@pytest.mark.nightly
def test_a_search_that_was_killed_goes_on_to_the_same_table(tmp_path, mesh, monkeypatch, capsys):
    """By `kill -9`, in a process of its own; then by the command, which finds the known least."""
    write_mesh(tmp_path / "pad.msh", mesh)
    file = tmp_path / "design.toml"
    file.write_text(TOML + "[layers]\nlayer0 = {young_modulus = 1e6, poisson_ratio = 0.3}\n"
                    "layer1 = {young_modulus = 1e6, poisson_ratio = 0.3}\n")  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", KILLED, file, tmp_path / "t.nc"], capture_output=True, check=False
    )
    assert done.returncode == -9
    assert journal_path(tmp_path / "t.nc").exists()
    call = in_this_process(monkeypatch, capsys, "design", file, "--json", "-o")
    code, said, _ = call(tmp_path / "t.nc")
    found = json.loads(said)
    assert (code, found["feasible"]) == (0, True)
    assert 15 <= found["resumed"] < found["rows"]
    assert 1 <= found["standing_margin"] < 1.02  # least k_z_z where it just stands
    assert call(tmp_path / "whole.nc")[0] == 0
    assert (tmp_path / "t.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()


def test_workers_are_hired_once(tmp_path, mesh, bowl, monkeypatch):
    rows, hire_workers, batches = bowl(), [], []

    @contextmanager
    def hire(workforce):
        hire_workers.append("a client")
        yield hire_workers[-1]
        hire_workers.append("gone")

    def work(job, workforce, client):
        batches.append(client)
        work_here(job)

    monkeypatch.setattr(cluster, "hire_workers", hire)
    monkeypatch.setattr(cluster, "work_elsewhere", work)
    run_design(design(YOUNG), mesh, tmp_path / "t.nc", workforce=Workforce(workers=2))
    assert hire_workers == ["a client", "gone"]
    assert batches == ["a client"] * 8
    assert rows.seen


def test_listeners_hear_of_the_best_and_of_the_whole_budget(tmp_path, mesh, bowl):
    bowl()
    heard = []
    run_design(design(YOUNG), mesh, tmp_path / "t.nc", listener=heard.append)
    assert {p.total for p in heard if p.stage == "rows"} == {40}
    assert heard[0].counts == ""
    assert heard[-1].counts.startswith("best 0.") and heard[-1].counts.endswith(" m")


def test_a_changed_design_is_refused(tmp_path, mesh, bowl):
    bowl({7: KeyboardInterrupt()})
    with pytest.raises(KeyboardInterrupt):
        run_design(design(YOUNG), mesh, tmp_path / "t.nc")
    with pytest.raises(ConfigError, match="holds 6 rows of another study"):
        run_design(design(YOUNG, seed=2), mesh, tmp_path / "t.nc")
    bowl()
    assert run_design(design(YOUNG, seed=2), mesh, tmp_path / "t.nc", restart=True).summary.rows


# --- the problem -------------------------------------------------------------------------------


def test_tied_axes_follow_and_stay_in_their_ranges(tmp_path, mesh, bowl):
    rows = bowl()
    short = Axis(quantity="thickness", layer="layer1", range=(0.003, 0.009))
    run_design(design(YOUNG, TREAD, short, tied=[TIE]), mesh, tmp_path / "t.nc")
    for _, settings in rows.seen:
        t = settings["thickness_layer0"], settings["thickness_layer1"]
        assert sum(t) == pytest.approx(0.02)
        assert 0.003 <= t[1] <= 0.009


def test_a_design_out_of_range_is_not_worked_out(tmp_path, mesh, bowl):
    rows = bowl()
    asked = design(YOUNG, TREAD, REST, tied=[TIE], subject_to=["size >= 7"])
    with campaign.Campaign(asked, mesh, tmp_path / "t.nc") as running:
        out, fits = running.judge([(1e7, 0.001, 0.019), (1e7, 0.01, 0.01)])
    assert (out.feasible, fits.feasible, len(rows.seen)) == (False, True, 1)


def test_soles_are_not_interpolated_along_nu(tmp_path, mesh, bowl):
    """Later batches may leave the range of the first one."""
    bowl()
    nu = Axis(quantity="poisson", range=(0.0, 0.45))
    told = run_design(design(YOUNG, nu, population=30), mesh, tmp_path / "t.nc")
    assert told.summary.interpolated == 0
    assert told.summary.condensations == len({v[1] for v in told.verdicts})


def test_a_design_has_three_digits_and_stays_in_its_range():
    d = design(Axis(quantity="young", range=(1.2345e5, 1e8)), TREAD, REST, tied=[TIE])
    assert d.values((0.5, 0.123456)) == (3.51e6, 0.00473, 0.01527)
    assert d.values((0.0, 0.0)) == (1.2345e5, 0.003, 0.017)
    assert d.outside((1e6, 0.003, 0.017)) == 0
    assert d.outside((1e6, 0.001, 0.019)) == pytest.approx(0.002 / 0.014)


@pytest.mark.parametrize("axis", [YOUNG, TREAD, Axis(quantity="friction", values=(0.1, 0.5, 0.7))])
def test_places_are_those_of_values(axis):
    for u in (0.2, 0.5, 0.9):
        value = axis.at(u)
        assert axis.at(place_of(axis, value)) == pytest.approx(value)


def test_the_first_generation_begins_with_what_is_given():
    d = design(YOUNG, TREAD, REST, tied=[TIE], start=[{"young": 1e6, "thickness_layer0": 0.01}])
    first = first_generation(d)
    assert first.shape == (5, 2)
    assert d.values(first[0]) == (1e6, 0.01, 0.01)
    assert (first >= 0).all() and (first <= 1).all()


@pytest.mark.parametrize(
    ("axes", "search", "message"),
    [
        ((Axis(quantity="young", values=(1e6,)),), {}, "nothing to search"),
        ((YOUNG,), {"population": 4}, "a population has from 5"),
        ((YOUNG,), {"evaluations": 4}, "got 5"),
        ((YOUNG,), {"over": "median"}, "mean or worst, got 'median'"),
        ((YOUNG,), {"seed": -1}, "seed must not be negative"),
        ((YOUNG,), {"subject_to": ["fell"]}, "expected COLUMN RELATION NUMBER"),
        ((YOUNG,), {"tied": ["young"]}, "expected AXIS = NUMBER - AXIS"),
        ((YOUNG,), {"tied": ["young = x - young"]}, "expected AXIS = NUMBER - AXIS"),
        ((YOUNG, TREAD), {"tied": [TIE]}, "give an axis of that name with a range"),
        (
            (YOUNG, TREAD, REST),
            {"tied": ["thickness_layer1 = 1 - z"]},
            "'z' is not a searched",
        ),
        ((YOUNG,), {"start": [{"E": 1.0}]}, "a design has values of young, got E"),
        ((YOUNG,), {"start": [{"young": 1.0}]}, "young lies in 100000 to 1e\\+08, got 1"),
        ((YOUNG,), {"start": [{"young": 1e6}] * 6}, "more than the population"),
    ],
)
def test_wrong_designs_are_refused(axes, search, message):
    with pytest.raises(ConfigError, match=message):
        design(*axes, **search)


def test_a_column_that_no_row_has_is_refused(tmp_path, mesh, bowl):
    bowl()
    with pytest.raises(ConfigError, match="no column 'costs'; known are cost, size"):
        run_design(design(YOUNG, minimise="costs"), mesh, tmp_path / "t.nc")
    with pytest.raises(ConfigError, match=r"\.nc file"):
        run_design(design(YOUNG), mesh, tmp_path / "t.csv")


def test_a_file_says_what_is_wrong_with_it(tmp_path):
    file = tmp_path / "design.toml"
    file.write_text(TOML)
    assert load_design(file).design.population == 6
    assert load_design(file).mesh == str(tmp_path / "pad.msh")
    file.write_text(TOML.replace("minimise", "maximise"))
    with pytest.raises(ConfigError, match=r"design\.maximise: unknown key, known are minimise"):
        load_design(file)


# --- what a design is worth --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("a <= 2", 2.0, 0.0),
        ("a <= 2", 3.0, 0.5),
        ("a < 2", 2.0, 1e-12),
        ("a >= 2", 1.0, 0.5),
        ("a == 0", 1.0, 1.0),
        ("a == 0", 0.0, 0.0),
        ("a != 2", 2.0, 1e-12),
        ("a != 2", 1.0, 0.0),
        ("a <= 2", math.nan, math.inf),
    ],
)
def test_violations(text, value, expected):
    assert measure_violation(parse_constraint(text), value) == pytest.approx(
        expected, rel=1e-9, abs=0
    )


def test_debs_rules():
    s = SearchOptions(minimise="f", subject_to=("g <= 1", "h <= 1"))
    good, better, bad, worse = (
        judge(s, [{"f": f, "g": g, "h": h}])
        for f, g, h in ((5.0, 1.0, 1.0), (4.0, 0.0, 0.0), (1.0, 1.2, 1.2), (0.0, 0.0, 1.5))
    )
    failed = judge(s, [{"f": 0.0, "g": 0.0, "h": 0.0}, None])
    assert sorted((failed, worse, bad, good, better), key=rank) == [
        better, good, bad, worse, failed,
    ]  # fmt: skip
    assert not judge(s, ()).feasible
