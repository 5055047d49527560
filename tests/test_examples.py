"""Every example runs with small parameters, and a number of each is checked."""

from __future__ import annotations

from pathlib import Path

import pytest
from example_scripts import EXAMPLES, load

COARSE = {"size": 0.03, "element": "p1"}
SHORT = 80  # lines of a story
# Families of walks with their table, films and page; three scenes of a paper with hands.
GALLERY = {"walks": 270, "hands_and_soles": 195}


def test_there_are_examples_each_short_and_each_tested() -> None:
    tests = [p.read_text(encoding="utf-8") for p in Path(__file__).parent.glob("test_examples*.py")]
    assert len(EXAMPLES) >= 6
    for path in EXAMPLES:
        assert any(f'load("{path.stem}")' in t for t in tests), f"no test for {path.name}"
        most = GALLERY.get(path.stem, SHORT)
        assert len(path.read_text(encoding="utf-8").splitlines()) <= most, path.name


def test_the_first_line_says_what_one_learns() -> None:
    words = ("How ", "What ", "Why ", "Which ", "When ")
    own = sorted((EXAMPLES[0].parent / "own_rows").glob("*.py"))
    for path in [*EXAMPLES, *own]:
        first = path.read_text(encoding="utf-8").splitlines()[0].removeprefix('"""')
        assert first.startswith(words), f"{path.name}: {first}"


def test_press_hrp2kai() -> None:
    rows = load("press_hrp2kai").main(cops=(-0.06, 0.0, 0.06), **COARSE)
    heel, middle, toe = rows[:3]
    assert middle.area > 1.2 * max(heel.area, toe.area)
    assert heel.pitch < 0 < toe.pitch  # the foot follows the load
    # Ten times stiffer: a tenth of the tilt and, with the same forces, the same pressure.
    assert rows[5].pitch == pytest.approx(toe.pitch / 10, rel=0.05)
    assert rows[5].pressure == pytest.approx(toe.pressure, rel=0.05)


def test_step_edge() -> None:
    rows, softest = load("step_edge").main(young=(3e5, 1e6, 1e7), **COARSE)
    assert rows[0].share > 1.1 * rows[-1].share
    assert all(r.pitch < 0 for r in rows)  # the edge lifts the toe
    assert rows[2].pitch == pytest.approx(rows[1].pitch / 10, rel=0.3)
    assert softest.pose[2, :3] @ softest.forces.sum(axis=0) == pytest.approx(570.0)


def test_lcp_comparison(monkeypatch, capsys) -> None:
    example = load("lcp_comparison")
    small = example.compare_pyramids(contacts=(6,), mesh=0.08)
    monkeypatch.setattr(example, "compare_pyramids", lambda: small)
    example.main()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + 2 * 4 and lines[2].startswith("| sliding | 6 | exact cone")


def test_drop_pad() -> None:
    rows = load("drop_pad").main(dts=(1e-3, 2e-4), size=0.045)
    by = {(r.theta, r.dt): r for r in rows}
    # Backward Euler swallows the rebound, the midpoint rule at (omega dt)^2/4 does not.
    assert by[1.0, 1e-3].rebound < 0.1 < 0.5 < by[1.0, 2e-4].rebound < 0.6
    assert by[0.5, 2e-4].rebound == pytest.approx(1.0, abs=0.01)
    assert by[0.5, 2e-4].peak == pytest.approx(1.0, abs=0.01)
    assert max(r.rebound for r in rows) <= 1.0


def test_slide_block() -> None:
    rows, exact = load("slide_block").main(young=(1e7,), size=0.045)
    for row in rows:  # backward Euler brakes one step early
        assert row.way == pytest.approx(exact, rel=0.015)
        assert row.work == pytest.approx(-58 * 0.5**2 / 2, rel=0.02)


def test_two_feet() -> None:
    forces, same = load("two_feet").main(steps=500, size=0.06)
    assert same
    weight = 58 * 9.81
    assert forces.sum(axis=1)[-1] == pytest.approx([0, 0, weight], abs=1e-2 * weight)
    # The centre of mass is midway between the feet, which are alike: one half each.
    assert forces[-1, :, 2] == pytest.approx(weight / 2, rel=0.02)
    assert (forces[0] == 0).all()  # 5 mm above the stairs
