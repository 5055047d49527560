"""`sole contact cone`: its numbers are those of the library, bad input is one line."""

from __future__ import annotations

import json

import numpy as np
import pytest
from command_line import in_this_process

from contact.summaries.cone_summary import read_polygon
from contact.wrench_cone import CircularCone, WrenchCone, rectangle_yaw_torque

RECTANGLE = ["--half-length", 0.112, "--half-width", 0.065]
WRENCH = ["--wrench", 30, 10, 400, 5, -8, 3]
W = np.array(WRENCH[1:], dtype=float)


@pytest.fixture
def cone(monkeypatch, capsys):
    return in_this_process(monkeypatch, capsys, "contact", "cone")


def test_a_rectangle(cone):
    code, out, err = cone(*RECTANGLE, "--friction", 0.4, *WRENCH, "--json")
    assert (code, err) == (0, "")
    report = json.loads(out)
    made = WrenchCone.of_rectangle(0.112, 0.065, 0.4)
    margin, facet = made.margin(W)
    yaw = rectangle_yaw_torque(W, 0.112, 0.065, 0.4)
    assert report["margin"] == pytest.approx(margin)
    assert report["gives_way_by"] == made.word(facet) == "yaw right about front left corner"
    assert report["holds"] is True
    assert report["zmp"] == [0.02, 0.0125]
    assert report["safe_yaw_torque"] == pytest.approx(yaw.safe)
    assert report["lowest_yaw_torque"] == pytest.approx(yaw.lowest)
    assert report["highest_yaw_torque"] == pytest.approx(yaw.highest)
    slacks = {name: value for name, value in report.items() if name.startswith("slack")}
    assert list(slacks.values()) == pytest.approx(made.slack(W))
    assert report["units"]["slack_tilt_about_heel"] == "N m"
    assert report["units"]["safe_yaw_torque"] == "N m"


def test_the_table_for_people(cone):
    code, out, _ = cone(*RECTANGLE, "--friction", 0.4, *WRENCH)
    assert code == 0
    lines = [" ".join(line.replace("│", " ").split()) for line in out.splitlines()]
    for name, said in (
        ("margin", "0.68114"),
        ("gives way by", "yaw right about front left corner the active facet"),
        ("safe yaw torque", "-0.83"),
        ("slack tilt about toe", "36.8 N m"),  # X fz + ty
        ("slack slide backward", "130 N"),  # mu fz - fx
    ):
        found = [line for line in lines if line.startswith(name)]
        assert len(found) == 1, name
        assert found[0].startswith(f"{name} {said}"), found


def test_many_rows_are_cut_to_the_least(cone):
    angle = 2 * np.pi * np.arange(12) / 12
    points = " ".join(f"{0.1 * np.cos(a)},{0.06 * np.sin(a)}" for a in angle)
    code, out, _ = cone("--polygon", points, "--friction", 0.4, *WRENCH, "--json")
    report = json.loads(out)
    slacks = [name for name in report if name.startswith("slack")]
    assert (code, len(slacks)) == (0, 24)
    exact = WrenchCone.of_polygon(np.column_stack([0.1 * np.cos(angle), 0.06 * np.sin(angle)]), 0.4)
    assert report["other_slacks"] == len(exact.rows) - 24
    name = "slack_" + report["gives_way_by"].replace(" ", "_")
    assert any(key.startswith(name[:12]) for key in slacks)


def test_no_negative_zeros(cone):
    wrench = ["--wrench", "-0.0", "-0.0", 100, "-0.0", "-0.0", "-0.0"]
    for friction in (0, 0.4):
        _, out, _ = cone(*RECTANGLE, "--friction", friction, *wrench)
        assert "-0" not in out.replace("│", " ").split()


def test_a_wrench_beyond_friction_is_an_answer_and_no_error(cone):
    wrench = ["--wrench", 200, 0, 400, 0, 0, 0]
    code, out, _ = cone(*RECTANGLE, "--friction", 0.4, *wrench, "--json")
    report = json.loads(out)
    assert (code, report["holds"], report["gives_way_by"]) == (0, False, "slide backward")
    assert report["margin"] == pytest.approx(-0.25)
    _, out, _ = cone(*RECTANGLE, "--friction", 0, *wrench, "--json")
    assert json.loads(out)["margin"] is None


def test_polygons_from_points_and_files(cone, tmp_path):
    file = tmp_path / "foot.txt"
    file.write_text(
        "# a foot\n0.112 0.065\n-0.112, 0.065 # rear left\n\n-0.112 -0.065\n.112 -.065\n"
    )
    points = "0.112,0.065 -0.112,0.065 -0.112,-0.065 .112,-.065"
    expected = WrenchCone.of_rectangle(0.112, 0.065, 0.4).margin(W).value
    for given in (file, points):
        code, out, _ = cone("--polygon", given, "--friction", 0.4, *WRENCH, "--json")
        assert code == 0
        assert json.loads(out)["margin"] == pytest.approx(expected, abs=1e-12)
    assert read_polygon("1,2; 3,4;-5e-1,.5").tolist() == [[1, 2], [3, 4], [-0.5, 0.5]]


@pytest.mark.parametrize("pyramid", ["inner", "circular"])
def test_pyramids(cone, pyramid):
    code, out, _ = cone(*RECTANGLE, "--friction", 0.4, *WRENCH, "--pyramid", pyramid, "--json")
    report = json.loads(out)
    assert code == 0
    if pyramid == "inner":
        expected = WrenchCone.of_rectangle(0.112, 0.065, 0.4, "inner").margin(W).value
        assert report["margin"] == pytest.approx(expected)
    else:
        found = CircularCone.of_rectangle(0.112, 0.065, 0.4).margin(W)
        assert report["margin"] == pytest.approx(found.value)
        assert report["bound"] == pytest.approx(report["margin"], abs=1e-8)
        forces = np.array([report[f"force_{i}"] for i in (1, 2, 3, 4)])
        assert forces.sum(axis=0) == pytest.approx(W[:3])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([*RECTANGLE, "--friction", -0.4, *WRENCH], "-0.4"),
        ([*RECTANGLE, "--friction", "nan", *WRENCH], "nan"),
        ([*RECTANGLE, "--friction", 0.4, "--wrench", 0, 0, -5, 0, 0, 0], "fz = -5"),
        ([*RECTANGLE, "--friction", 0.4, "--wrench", 0, 0, 0, 0, 0, 0], "fz"),
        ([*RECTANGLE, "--friction", 0.4, "--wrench", 0, 0, "nan", 0, 0, 0], "NaN"),
        ([*RECTANGLE, "--friction", 0.4, "--wrench", 0, 0, "inf", 0, 0, 0], "finite"),
        ([*RECTANGLE, "--friction", 0.4, "--wrench", 0, 0, 5], "--wrench"),
        ([*RECTANGLE, "--friction", 0.4, *WRENCH, "--pyramid", "round"], "round"),
        (["--half-length", 0, "--half-width", 1, "--friction", 0.4, *WRENCH], "half length"),
        (["--half-length", 0.1, "--friction", 0.4, *WRENCH], "--half-width"),
        (["--friction", 0.4, *WRENCH], "--polygon"),
        ([*RECTANGLE, "--polygon", "1,1 2,2 3,1", "--friction", 0.4, *WRENCH], "either"),
        (["--polygon", "1,1 2,2 3,3", "--friction", 0.4, *WRENCH], "area"),
        (["--polygon", "1,1 2,2", "--friction", 0.4, *WRENCH], "3 vertices"),
        (["--polygon", "0,0 2,0 .5,.5 0,2", "--friction", 0.4, *WRENCH], "not convex"),
        (["--polygon", "1,1 2,2 x,3", "--friction", 0.4, *WRENCH], "x,3"),
        ([*RECTANGLE, *WRENCH], "--friction"),
    ],
)
def test_bad_input_is_one_line(cone, arguments, said):
    code, out, err = cone(*arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert said in err


def test_a_file_of_something_else(cone, tmp_path):
    for text in ("a b\n", "1 2 3\n4 5 6\n7 8 9\n10 11 12\n", "1 2\n3\n", ""):
        file = tmp_path / "foot.txt"
        file.write_text(text)
        code, _, err = cone("--polygon", file, "--friction", 0.4, *WRENCH)
        assert code == 2, text
        assert str(file) in err, text
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    code, _, err = cone("--polygon", tmp_path / "binary", "--friction", 0.4, *WRENCH)
    assert (code, err.count("\n")) == (2, 1)


def test_millimetres_and_moments_first_are_pointed_at(sole_here):
    foot = ["--half-length", "0.112", "--half-width", "0.065", "--friction", "0.4"]
    good = sole_here("contact", "cone", *foot, "--wrench", *"30 10 400 5 -8 3".split())
    assert "warning" not in good.stderr + good.stdout
    swapped = sole_here("contact", "cone", *foot, "--wrench", *"5 -8 3 30 10 400".split())
    assert "is the wrench fx fy fz tx ty tz" in swapped.stderr + swapped.stdout
    foot[1], foot[3] = "112", "65"
    large = sole_here("contact", "cone", *foot, "--wrench", *"30 10 400 5 -8 3".split())
    assert "metres, not millimetres" in large.stderr + large.stdout
