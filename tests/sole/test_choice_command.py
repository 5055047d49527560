"""`sole report` on tables whose choice is known."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from command_line import in_this_process

from sole.studies import read_table
from sole.studies.choice import (
    Cases,
    as_json,
    average_over,
    choose,
    collect_cases,
    constraint_hint,
)
from sole.studies.choice.recommendation_text import list_failures
from sole.studies.table import SCHEMA


@pytest.fixture
def report(monkeypatch, capsys):
    return in_this_process(monkeypatch, capsys, "report")


def write(path, dims, shape, coordinates, metrics, status=None, **attributes):
    """A table as `sole sweep` writes it."""
    import xarray

    status = np.full(shape, "ok", dtype=object) if status is None else status
    reason = np.where(status == "failed", "press: it <slipped>", "")
    data = {n: (dims, v, {"units": u, "highlight": 1}) for n, (v, u) in metrics.items()}
    data |= {"status": (dims, status), "reason": (dims, reason.astype(object))}
    told = {"schema": SCHEMA, "rows": "stiffness", "condensations": 1, "compliance_error": 0.0}
    told |= {"warnings": "[]", "title": "sweep of pad"} | attributes
    xarray.Dataset(data, coordinates, told).to_netcdf(path, engine="h5netcdf")


@pytest.fixture
def grid(tmp_path):
    """E over three decades: peak grows with E, tilt falls, the softest row fails."""
    E, nu = np.geomspace(1e5, 1e8, 13), np.array([0.2, 0.3, 0.4])
    e = np.log10(E / 1e5)[:, None] / 3
    peak, tilt = 20 + 80 * e**3 + 0 * nu, 0.01 + 0.2 * (1 - e) ** 3 * (1 + nu)
    status = np.full((13, 3), "ok", dtype=object)
    status[0] = "failed"
    peak[0] = tilt[0] = np.nan
    coordinates = {"young": ("young", E, {"units": "Pa"}), "poisson": ("poisson", nu)}
    metrics = {"peak": (peak, "m/s^2"), "tilt": (tilt, "rad")}
    write(tmp_path / "s.nc", ("young", "poisson"), (13, 3), coordinates, metrics, status)
    return tmp_path / "s.nc"


def chosen(path, *arguments):
    """What `sole report --json` says, without the page."""
    return as_json(choose(collect_cases(read_table(path)), *arguments), "")


def test_the_knee_of_a_known_front(grid):
    found = chosen(grid)
    assert (found["rows"], found["failed"], found["feasible"]) == (39, 3, 36)
    assert found["failures"] == ["3 x press: it <slipped>"]
    # among nu = 0.2, the least tilt, with e = k/12: the sum of the normalised metrics is least
    e = np.arange(1, 13) / 12
    x, y = e**3, (1 - e) ** 3
    total = (x - x[0]) / np.ptp(x) + (y - y[-1]) / np.ptp(y)
    best = found["recommended"]
    assert best["settings"]["young"] == pytest.approx(1e5 * 10 ** (3 * e[total.argmin()]))
    assert best["settings"]["poisson"] == 0.2
    assert best["knee"]
    assert best["knee_distance"] == pytest.approx((1 - total.min()) / np.sqrt(2))
    peak = found["sensitivities"][0]
    assert peak["first"] == pytest.approx({"young": 1, "poisson": 0}, abs=1e-12)
    assert "12 of 13 values" in peak["remark"]
    assert any("poisson is the least value studied" in s for s in found["recommendation"])


def test_the_page_stands_alone(report, grid):
    code, out, _ = report(grid)
    assert code == 0
    assert "Take young" in out
    page = grid.with_suffix(".html").read_text()
    assert report(grid, "-q", "-o", grid.parent / "again.html")[0] == 0
    assert (grid.parent / "again.html").read_text() == page
    assert page.count('src="data:image/png;base64,') == 3
    assert "<script" not in page
    assert "http" not in page
    for said in (
        "It is the knee",
        "Shore A 40 rubber",
        "ANOVA",
        "press: it &lt;slipped&gt;",
        "Gent",
    ):
        assert said in page


def test_goals_and_constraints_of_ones_own(grid):
    found = chosen(grid, ["max:tilt,peak"], ["young <= 1e6"])
    assert found["goals"][0] == {"metric": "tilt", "maximise": True}
    assert found["constraints"] == [
        {"constraint": "young <= 1e+06", "refused": 24, "default": False}
    ]
    assert len(found["front"]) == 1  # the softest row that ran is best in both
    assert "the only row" in " ".join(found["recommendation"])


@pytest.mark.usefixtures("no_pictures")
def test_who_gives_no_constraint_is_told_how(report, grid):
    """In one line, at the median of the feasible rows; an angle in degrees."""
    e = np.arange(1, 13) / 12
    _, out, _ = report(grid, "--metrics", "peak,tilt")
    bound = f"'peak <= {np.median(20 + 80 * e**3):.3g} m/s^2'"
    assert out.splitlines()[-1] == (
        f"hint: nothing is bounded; add your own bounds, such as --constraint {bound}"
    )
    assert report(grid, "--metrics", "peak,tilt", "--constraint", bound.strip("'"))[0] == 0
    tilt = 0.01 + 0.2 * (1 - e[:, None]) ** 3 * (1 + np.array([0.2, 0.3, 0.4]))
    _, out, _ = report(grid, "--metrics", "max:tilt,peak")
    assert out.splitlines()[-1].endswith(f"'tilt_deg >= {np.degrees(np.median(tilt)):.2g}'")
    for said in (("--constraint", "peak < 90"), ("-q",), ("--json",)):
        assert "hint: " not in report(grid, *said)[1]


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_no_bound_is_proposed_at_what_is_no_number(grid, value):
    choice = choose(collect_cases(read_table(grid)), ["peak,tilt"])
    series = choice.cases.metrics["peak"]
    none = replace(series, values=np.full_like(series.values, value))
    cases = replace(choice.cases, metrics={**choice.cases.metrics, "peak": none})
    assert constraint_hint(choice) and not constraint_hint(replace(choice, cases=cases))


@pytest.mark.usefixtures("no_pictures")
def test_without_a_feasible_row_the_page_says_why(report, grid):
    code, out, _ = report(grid, "--json", "--constraint", "tilt_deg < 0")
    assert code == 0
    found = json.loads(out)
    assert found["recommended"] is None
    assert "tilt_deg < 0 refuses 36" in found["recommendation"][0]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--metrics", "peek,tilt"], "unknown metric 'peek'; the study has peak, tilt"),
        (["--metrics", "peak"], "two or three metrics, got peak"),
        (["--metrics", "peak,peak"], "'peak' is given twice"),
        (["--metrics", "low:peak,tilt"], "expected METRIC, min:METRIC or max:METRIC"),
        (["--constraint", "fall == 0"], "no column 'fall'"),
        (["--mean-over", "seed"], "the study's axes are young, poisson"),
        (["-o", "page.pdf"], "must end in one of .html, .htm"),
    ],
)
def test_wrong_options_are_one_line(report, grid, options, said):
    code, _, errors = report(grid, *options)
    assert code == 2
    assert said in errors
    assert errors.count("\n") == 1


@pytest.mark.parametrize(("rows", "metrics"), [(60, "a,b,c"), (12, "a,b")])
def test_samples_are_named(report, tmp_path, no_pictures, rows, metrics):
    random = np.random.default_rng(1)
    E, nu = 10 ** random.uniform(5, 8, rows), random.uniform(0.2, 0.48, rows)
    coordinates = {"case": np.arange(rows), "young": ("case", E, {"units": "Pa"})}
    coordinates["poisson"] = ("case", nu)
    a = np.log10(E)
    values = {"a": (a, "m"), "b": (1 / a, "m"), "c": (nu + 0 * a, "1")}
    write(tmp_path / "s.nc", ("case",), (rows,), coordinates, values, sampling="lhs")
    code, out, _ = report(tmp_path / "s.nc", "--json", "--metrics", metrics)
    assert code == 0
    found = json.loads(out)
    assert found["sampling"] == "lhs"
    first = found["sensitivities"][0]
    assert first["estimator"].startswith("RBD-FAST")
    assert (first["rest"] is None) == (rows < 40)
    assert "Latin hypercube" in (tmp_path / "s.html").read_text()


def test_the_mean_over_an_axis_stands_for_its_rows(grid):
    whole = collect_cases(read_table(grid))
    found = average_over(whole, ["poisson"])
    assert np.isnan(found.elastic.poisson).all()  # no one nu stands for all
    assert found.elastic.young.tolist() == found.axes["young"].values.tolist()
    assert (found.shape, found.size, found.failed.sum()) == ((13,), 13, 1)
    assert found.axes["young"].values.tolist() == np.unique(whole.axes["young"].values).tolist()
    of_all = whole.metrics["tilt"].values.reshape(13, 3).mean(axis=1)
    np.testing.assert_allclose(found.metrics["tilt"].values, of_all)
    other = average_over(whole, ["young"])  # one failed row of those it stands for is enough
    assert other.axes["poisson"].values.tolist() == [0.2, 0.3, 0.4]
    assert other.failed.all()
    assert other.metrics["peak"].spread.count.tolist() == [12, 12, 12]  # the rest has a mean


def test_reasons_that_differ_in_numbers_are_one():
    reasons = ("residual 1e-6 after 80", "", "residual 3.4e-05 after 100", "fell", "no rest")
    found = Cases({}, {}, (*reasons, "no lift"))
    assert list_failures(found)[0] == "2 x residual 1e-6 after 80"
    assert list_failures(found)[-1] == "and 1 more"


def test_one_axis_and_no_material(report, tmp_path):
    friction = np.linspace(0.1, 1, 7)
    metrics = {"a": (friction, "m"), "b": (1 / friction, "1"), "flat": (friction * 0 + 2, "1")}
    write(tmp_path / "s.nc", ("friction",), (7,), {"friction": friction}, metrics)
    code, out, _ = report(tmp_path / "s.nc", "--json", "--metrics", "a,b,flat")
    assert code == 0
    found = json.loads(out)
    assert found["materials"] == []
    assert found["sensitivities"][2]["remark"] == "the same in every row"
    assert "No row of the study is near" in (tmp_path / "s.html").read_text()
