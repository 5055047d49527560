"""What commands print: the table has no column in which nothing stands."""

from __future__ import annotations

import pytest

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
