"""Numbers of docs/: every table names its command, and what differs is told."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import docs_numbers
import pytest
from docs_numbers import check, main, marked, pages
from page_tables.comparison import agree, differences
from page_tables.marked_tables import tables_of, words_of

from sole.base.cli import plugins
from sole.base.errors import SoleError

pytestmark = pytest.mark.long

NIGHTLY = pytest.mark.nightly
MADE = "Made by `python made.py` on 3 November 2026: <!-- times 3; errors 4; quick -->"
PAGE = f"""
{MADE}

| case | force [N] | time [s] | residual |
|---|---|---|---|
| soft | 12.3 | 0.51 | 2e-09 |
| hard \\| stiff | 45.6 (44 to 47) | 0.49 | 3e-09 |
"""


def table(text):
    """Return the only table of a text."""
    (found,) = tables_of(text, Path("page.md"))
    return found


def test_every_table_of_numbers_names_its_command(root):
    every = [t for page in pages(root) for t in tables_of(page.read_text(encoding="utf-8"), page)]
    bare = [t.place for t in every if t.measured and t.marker is None and not t.constants]
    assert not bare, f"without 'Made by `COMMAND`:' or <!-- constants: ... -->: {bare}"
    assert sum(t.marker is not None for t in every) > 35


def test_every_table_of_results_has_the_date_of_its_run(root):
    tables = [t for t in marked(root=root) if t.page.parent.name == "results"]
    undated = [t.place for t in tables if not t.marker.made]
    assert not undated and len(tables) > 50
    assert all(date(2026, 11, 1) < t.marker.made <= date.today() for t in tables)


def test_every_command_exists(root):
    known = set(plugins("sole.commands"))
    for t in marked(root=root):
        words = words_of(t.marker.command, root, ["python"])
        if t.marker.command.startswith("python "):
            assert Path(words[1]).is_file(), t.place
        else:
            assert words[3] in known, t.place


def first_of_each_script(tables):
    """The first table that each script prints."""
    first = {}
    for t in tables:
        first.setdefault(t.marker.command.split()[1], t)
    return list(first.values())


def few(tables):
    """Those of the quickest scripts: all of them are for `make test-nightly`."""
    quick = "figure5_soles", "vertex_walks", "sole_aware_ensembles"
    return [t for t in first_of_each_script(tables) if any(q in t.marker.command for q in quick)]


@pytest.mark.parametrize("chosen", [few, pytest.param(list, marks=NIGHTLY)])
def test_the_quick_tables_are_what_their_commands_print(chosen, root, capsys):
    chosen = chosen(t for t in marked(root=root) if t.marker.speed == "quick")
    assert len(chosen) >= 3
    assert check(chosen, root=root) == []
    assert capsys.readouterr().out.count(" ok ") == len(chosen)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("12.3", "12.5", "soft, force [N]: page '12.3', fresh '12.5'"),
        ("47)", "49)", "hard \\| stiff, force [N]"),
        ("12.3", "fell", "soft, force [N]: page '12.3', fresh 'fell'"),
        ("2e-09", "4e-08", "soft, residual"),
        ("soft", "rigid", "soft, case: page 'soft', fresh 'rigid'"),
        ("force [N]", "force [kN]", "header"),
        ("| soft | 12.3 | 0.51 | 2e-09 |\n", "", "not made"),
    ],
)
def test_a_difference_is_told(before, after, told):
    page, fresh = table(PAGE), table(PAGE.replace(before, after, 1))
    assert differences(page, page) == []
    found = differences(page, fresh)
    assert found and any(told in line for line in found)


@pytest.mark.parametrize(
    ("before", "after"), [("0.51", "7.77"), ("2e-09", "1e-15"), ("12.3", "12.4")]
)
def test_times_smaller_errors_and_the_last_digit_are_none(before, after):
    assert differences(table(PAGE), table(PAGE.replace(before, after))) == []


def test_the_tolerance_is_relative():
    assert agree("1000000", "1000900", 1e-3) and not agree("1000000", "1001100", 1e-3)
    assert agree("-0.50", "-0.51", 1e-3) and not agree("-0.50", "0.50", 1e-3)
    assert agree("3 MPa", "3  MPa", 1e-3) and not agree("3 MPa", "3 GPa", 1e-3)


def test_rows_of_peers_may_be_missing():
    text = PAGE.replace("force [N]", "n")
    page = table(text.replace("quick", "peers").replace("times 3", "times 2-3"))
    fresh = table("\n".join(line for line in text.splitlines() if "soft" not in line))
    assert differences(page, fresh) == []


@pytest.mark.parametrize(
    "marker",
    [
        "Made by `rm -r docs`:",
        "Made by `python made.py`: <!-- times 5 -->",
        "Made by `python made.py`: <!-- tims 2 -->",
        "Made by `python made.py`: <!-- within much -->",
        "Made by `python made.py` on 3 Novem 2026:",
        "Made by `python made.py` on 2026-11-03:",
        "Made by `python made.py`, 3 November 2026:",
        "Made by `python made.py`: within 1",
    ],
)
def test_bad_markers_are_refused(marker):
    assert table(PAGE).marker.made == date(2026, 11, 3)
    assert table(PAGE.replace(" on 3 November 2026", "")).marker.made is None
    with pytest.raises(SoleError, match=r"page\.md:2: "):
        table(PAGE.replace(MADE, marker))


def test_a_marker_without_a_table_is_refused():
    with pytest.raises(SoleError, match=r"text:2: no table below"):
        list(tables_of(PAGE.replace("| case", "case")))


def test_a_page_is_written_anew(tmp_path, capsys, monkeypatch):
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "gait.md"
    page.write_text(f"# Gait\n{PAGE}\nThe end.\n")
    today = f"{date.today().day} {date.today():%B %Y}"
    fresh = PAGE.replace("12.3", "15.0").replace("0.51", "0.77").replace("3 November 2026", today)
    (tmp_path / "made.py").write_text(f"print({fresh!r})\n")
    monkeypatch.setattr(docs_numbers, "ROOT", tmp_path)
    for words, code in (([], 1), (["--write"], 1), ([], 0)):
        tables = marked(["gait"], tmp_path)
        assert int(bool(check(tables, "--write" in words, tmp_path))) == code
    assert page.read_text() == f"# Gait\n{fresh}\nThe end.\n"
    assert "page '12.3', fresh '15.0'" in capsys.readouterr().out
    (tmp_path / "made.py").write_text("raise SystemExit('no solver')\n")
    assert "exit code 1: no solver" in check(marked(["gait"], tmp_path), root=tmp_path)[0]


def test_unknown_pages_are_refused():
    with pytest.raises(SoleError, match="no page 'gaits'; there are "):
        main(["gaits"])
