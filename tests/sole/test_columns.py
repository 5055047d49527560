"""What rows declare of their columns, and how it gets into a table and out again."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest
import xarray
from box_mesh import box_mesh

from sole.base.errors import ConfigError
from sole.studies import (
    Column,
    RowOutcome,
    Study,
    open_table,
    parse_axis,
    read_table,
    rows,
    run_study,
)
from sole.studies.choice import choose, collect_cases, parse_constraint
from sole.studies.rows import declared_by, make_rows

HELD = RowOutcome(
    success="held", failure="slipped", adjective="slipped", noun="press", nouns="presses"
)
AXES = (parse_axis("young", "1e5:1e7:6"), parse_axis("poisson", "0.3"))


class GripRows:
    """Soft soles slip; the load grows with E, the sink falls with it."""

    columns: ClassVar = {
        "slipped": Column("", "1: it slipped", goal="least", bound="== 0", outcome=HELD),
        "slipped_at": Column("s", "when", goal="greatest", of_failures=True),
        "load": Column("N", "load", goal="greatest"),
        "sink": Column("m", "sink", goal="least"),
    }
    quantities: ClassVar = {}
    trades = (("nothing", "sink"), ("load", "sink"))
    needs_sole = False
    fingerprint = None

    def __init__(self, options, folder):
        pass

    def row(self, shared, case):
        slipped = float(case.young < 2e5)
        return {"slipped": slipped, "load": case.young / 1e3, "sink": 1e3 / case.young}


@pytest.fixture
def grip(monkeypatch):
    """A kind of rows that `sole` has never heard of."""
    again = {f"{name}_again": c for name, c in GripRows.columns.items()}
    other = type("OtherRows", (GripRows,), {"columns": again})
    known = {"grip": SimpleNamespace(load=lambda: GripRows)}
    known |= {"again": SimpleNamespace(load=lambda: other)}
    monkeypatch.setattr(rows, "plugins", lambda group: known)


@pytest.fixture
def table(grip, tmp_path):
    study = Study(axis=AXES, rows=("grip",))
    path = tmp_path / "t.nc"
    summary = run_study(study, box_mesh(0.2, 0.1, 0.02, (2, 2, 1)), path)
    assert (summary.outcome, summary.good, summary.bad) == (HELD, 5, 1)
    return path


@pytest.mark.parametrize("column", GripRows.columns.values())
def test_attributes_say_what_a_column_declares(column):
    assert Column.read("c", column.attributes) == column
    assert all(isinstance(v, str | int) for v in column.attributes.values())


def test_a_variable_without_attributes_declares_nothing():
    assert Column.read("c", {}) == Column("", "c")


def test_a_goal_is_least_or_greatest():
    with pytest.raises(ConfigError, match="goal is least or greatest, got most"):
        Column("m", "x", goal="most")


def test_a_report_goes_by_what_the_table_says(table):
    found = choose(collect_cases(read_table(table)))
    assert [str(g) for g in found.goals] == ["largest load", "least sink"]
    assert [str(c) for c in found.constraints] == ["slipped == 0"]
    assert found.feasible.count == 5
    assert found.cases.outcome == ("slipped", HELD)
    assert found.sensitivities[0].remark.startswith("1 slipped press left out")


def test_a_study_has_one_outcome(grip):
    with pytest.raises(ConfigError, match="one outcome, got slipped and slipped_again"):
        make_rows(Study(axis=AXES, rows=("grip", "again")))


@pytest.mark.parametrize("name", ["stiffness", "press"])
def test_bounds_of_all_kinds_are_constraints_and_trades_are_columns(name):
    columns, trades = declared_by([name, "unheard of"])
    assert columns
    for column, told in columns.items():
        if told.bound:
            parse_constraint(f"{column} {told.bound}")
    assert {c for pair in trades for c in pair} <= set(columns)


def test_an_older_table_is_read_with_what_its_rows_declare_now(tmp_path):
    """One written before tables carried it: numbers with a unit and a name, no more."""
    E = np.geomspace(1e5, 1e7, 3)
    data = {"standing_margin": ("young", E / 1e6, {"units": "1"}), "sink": ("young", 1 / E)}
    data |= {
        n: ("young", np.full(3, v, dtype=object)) for n, v in (("status", "ok"), ("reason", ""))
    }
    told = {"schema": "sole.sweep/1", "rows": "stiffness, press", "condensations": 1}
    told |= {"compliance_error": 0.0, "warnings": "[]"}
    path = tmp_path / "old.nc"
    xarray.Dataset(data, {"young": E}, told).to_netcdf(path, engine="h5netcdf")
    with open_table(path) as dataset:
        assert dataset["standing_margin"].attrs["bound"] == "> 1"
        assert json.loads(dataset.attrs["trades"]) == [
            ["pressure_peak", "sink"],
            ["pressure_p95", "sink"],
        ]
    cases = collect_cases(read_table(path))
    assert [str(c) for c in choose(cases).constraints] == ["standing_margin > 1"]
    assert cases.metrics["standing_margin"].goal == "greatest"
