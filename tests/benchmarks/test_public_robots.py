"""The list of public robots, and the rows of its table for robots that packages ship."""

from __future__ import annotations

import json
import re
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import public_robots
import pytest
from public_robots import SITES, cells_of, is_due, listed, main, row_of, summary, try_robot

EXAMPLES = Path(str(distribution("example-robot-data").locate_file("cmeel.prefix/share")))


def _folded(parts: Any) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for part in parts:
        row |= part
    return row


def test_the_list_names_thirty_robots_with_commit_file_and_licence() -> None:
    rows = listed()
    assert len({row["name"] for row in rows}) == len(rows) == 30
    for row in rows:
        assert re.fullmatch("[0-9a-f]{40}", row["commit"]) and row["licence"], row["name"]
        assert row["folder"] == "." or row["path"].startswith(f"{row['folder']}/"), row["name"]
        assert (
            Path(row["path"]).suffix
            in {
                "URDF": (".urdf",),
                "xacro": (".xacro",),
                "MJCF": (".xml",),
            }[row["format"]]
        ), row["name"]
    assert {row["format"] for row in rows} == {"URDF", "xacro", "MJCF"}


def test_a_clone_that_is_not_there_is_a_row_with_its_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main([str(tmp_path), "--only", "Bolt", "--json"])
    (row,) = json.loads(capsys.readouterr().out)
    assert row["name"] == "Bolt" and row["why"].startswith("not fetched: no robots/bolt")
    kept = tmp_path / public_robots.KEPT
    row["why"] = "refused: it is there already"
    kept.write_text(json.dumps(row) + "\n", encoding="utf-8")
    main([str(tmp_path), "--only", "Bolt"])
    assert kept.read_text(encoding="utf-8").count("\n") == 1
    out = capsys.readouterr().out
    assert "| Bolt | URDF |" in out and "Of 1 robots walk: 0 on 3 MPa" in out


def test_a_child_without_end_and_a_refusal_are_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot = next(row for row in listed() if row["name"] == "SigmaBan")
    file = public_robots.folder_of(tmp_path, robot) / robot["path"]
    file.parent.mkdir(parents=True)
    file.write_text("<robot name='x'/>", encoding="utf-8")
    why = row_of(tmp_path, robot, 30, 0)["why"]
    assert why.startswith("refused: robot.urdf") and "/" not in why.partition(":")[0]
    monkeypatch.setattr(public_robots, "_CHILD", "while True: pass")
    assert row_of(tmp_path, robot, 1, 0)["why"] == "no end within 1 s of processor time"


def test_a_row_goes_on_where_it_was() -> None:
    robot = {"commit": "c"}
    row = {"commit": "c", "mass": 1.0, SITES[0]: "walks"}
    assert is_due(None, robot, 4) and is_due(row | {"commit": "d"}, robot, 1)
    assert is_due(row, robot, 2) and not is_due(row, robot, 1)
    assert not is_due(row | {SITES[0]: "refused"}, robot, 4)
    assert not is_due({"commit": "c", "why": "refused: no mass"}, robot, 4)


def test_cells_and_summary_count_the_walks() -> None:
    row = {"name": "a", "format": "URDF", "mass": 61.23, "height": None, "joints": 30, "legs": 6}
    walked = row | {"foot": [0.24, 0.14], "landing": 0.456} | dict.fromkeys(SITES, "walks")
    fell = row | {SITES[0]: "falls", "why": "3 MPa: fell | at 2 s"}
    assert cells_of(walked)[2:7] == ["61.2", "", "30", "6", "240 x 140"]
    assert cells_of(walked)[-2:] == ["0.46", ""] and cells_of(fell)[-1].count("\\|") == 1
    told = summary([walked, fell, {"name": "b", "format": "MJCF"}])
    assert told.startswith("Of 3 robots walk: 1 on 3 MPa, 1 on 0.3 MPa") and "2 are read" in told


@pytest.mark.parametrize(
    ("file", "legs", "mass"),
    [
        ("talos_data/robots/talos_reduced.urdf", 6, 90.3),
        ("g1_description/urdf/g1_29dof_rev_1_0.urdf", 6, 33.3),
    ],
)
def test_robots_that_a_package_ships_are_read(file: str, legs: int, mass: float) -> None:
    path = EXAMPLES / "example-robot-data/robots" / file
    row = _folded(try_robot(path, {"example-robot-data": EXAMPLES / "example-robot-data"}, 0))
    assert (row["legs"], "why" in row) == (legs, False), row
    assert row["mass"] == pytest.approx(mass, abs=0.05)


@pytest.mark.long
def test_a_robot_that_a_package_ships_walks_or_says_why_not() -> None:
    """G1 on gravel: its ankles do not reach, as in the table."""
    path = EXAMPLES / "example-robot-data/robots/g1_description/urdf/g1_29dof_rev_1_0.urdf"
    row = _folded(try_robot(path, {"example-robot-data": EXAMPLES / "example-robot-data"}))
    assert [row.get(site) for site in SITES[:2]] == ["walks"] * 2, row
    assert {row.get(site) for site in SITES[2:]} <= {"walks", "refused"}, row
    assert "ankle_pitch" in row["why"], row
    assert 0.05 < row["landing"] < 5.0  # as hrp2-like and talos: docs/results/humanoids.md
