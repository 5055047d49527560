"""What commands print: the table has no column in which nothing stands."""

from __future__ import annotations

import json

import pytest

from sole.base.readable import SHARE
from sole.base.report import Quantity, Report, emit


@pytest.mark.parametrize(
    ("quantity", "columns"),
    [
        (Quantity(1), 2),
        (Quantity(1, "m"), 3),
        (Quantity(1, "", "along x"), 3),
        (Quantity(1, "m", "along x"), 4),
    ],
)
def test_a_table_has_no_empty_column(quantity, columns, capsys):
    emit(Report("parts", {"nodes": Quantity(7), "length": quantity}), as_json=False, quiet=False)
    title, top, *rows, _ = capsys.readouterr().out.splitlines()
    assert title.rstrip() == "parts"
    assert top.count("┬") == columns - 1
    assert [row.count("│") for row in rows] == [columns + 1] * 2
    assert "7" in rows[0] and quantity.unit in rows[1] and quantity.remark in rows[1]


def test_no_value_is_a_dash_for_people_and_null_for_scripts(capsys):
    report = Report("walk", {"fell at": Quantity(None, "s")})
    emit(report, as_json=False, quiet=False)
    assert "│ fell at │ - │ s │" in capsys.readouterr().out
    emit(report, as_json=True, quiet=False)
    assert '"fell_at": null' in capsys.readouterr().out


def test_both_ends_are_read_as_one_range(capsys):
    ends = {"E": Quantity([3e5, 2e6], "Pa", ends=True), "nu": Quantity([0.4, 0.4], ends=True)}
    emit(Report("axes", ends), as_json=False, quiet=False)
    out = capsys.readouterr().out
    assert "0.3 to 2 │ MPa" in out and " 0.4 │" in out and "0.4 to" not in out


def test_people_get_sentences_below_the_table_and_no_costs(capsys):
    check = "on half the mesh size (438 tread nodes instead of 119) the sink changes by +0.2 %"
    rows = {"check": Quantity(check, "", "8 s"), "rate": Quantity(5.0), "n": Quantity(0.5, SHARE)}
    report = Report("study", rows, json_only=frozenset({"rate"}))
    emit(report, as_json=False, quiet=False)
    out = " ".join(capsys.readouterr().out.split())
    assert out.endswith(f"┘ check (8 s): {check}") and "rate" not in out and "50 │ %" in out
    emit(report, as_json=True, quiet=False)
    said = json.loads(capsys.readouterr().out)
    assert (said["rate"], said["check"], said["n"], said["units"]) == (5.0, check, 0.5, {})
