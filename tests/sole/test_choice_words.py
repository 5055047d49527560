"""Axes of words (controller, ground, shape) from the table to the page, and what words say."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import xarray
from command_line import in_this_process
from declared import COLUMNS, TRADES, declared

from sole.base.errors import ConfigError, SchemaError
from sole.studies import Column
from sole.studies.choice import (
    Cases,
    as_json,
    average_over,
    choose,
    collect_cases,
    describe_choice,
    keep_rows,
)
from sole.studies.choice.recommendation_text import recommendation
from sole.studies.choice.sensitivity import ANOVA, ONE_WAY, RBD_FAST, SOBOL, sensitivity
from sole.studies.choice.series import Series
from sole.studies.choice.values import readable
from sole.studies.choice.variance import correlation_ratio
from sole.studies.table import SCHEMA

CONTROLLERS = np.array(["pd", "stabiliser"], dtype=object)
GOALS = "landing_acceleration_100_hz,waist_tilt"
UNITS = {"foot_acceleration_100_hz": "m/s^2", "impact_force": "N"}
UNITS |= {"landing_acceleration_100_hz": "m/s^2", "waist_tilt": "rad", "strain_p99": "1"}


def walk(E, controller, seed):
    """A walk that is softer and steeper with a softer sole; the stabiliser halves the tilt."""
    e = np.log10(E / 1e5) / 3
    tilt = np.radians(1 + 5 * (1 - e) ** 2) * (1 - 0.5 * controller) * (1 + 0.01 * seed)
    found = {"fell": float(e < 0.1 and not controller and seed > 1), "stance_margin": 0.2 + 0 * e}
    return found | {
        "landing_acceleration_100_hz": 10 + 60 * e**2,
        "foot_acceleration_100_hz": 20 + 60 * e**2,
        "impact_force": 500 + 3000 * e**2,
        "waist_tilt": tilt,
        "strain_p99": 0.02,
    }


def table(path, dims, shape, coordinates, rows, **attributes):
    names = [*UNITS, "fell", "stance_margin"]
    data = {
        n: (
            dims,
            np.array([r[n] for r in rows]).reshape(shape),
            COLUMNS.get(n, Column(UNITS.get(n, ""), n)).attributes,
        )
        for n in names
    }
    data["status"] = (dims, np.full(shape, "ok", dtype=object))
    data["reason"] = (dims, np.full(shape, "", dtype=object))
    told = {"schema": SCHEMA, "rows": "walk", "condensations": 1, "compliance_error": 0.0}
    told |= {
        "warnings": "[]",
        "title": "walks",
        "ensemble": '["seed"]',
        "trades": json.dumps(TRADES),
    } | attributes
    xarray.Dataset(data, coordinates, told).to_netcdf(path, engine="h5netcdf")
    return path


@pytest.fixture
def grid(tmp_path):
    E, seeds = np.geomspace(1e5, 1e8, 7), np.array([1.0, 2.0, 3.0])
    rows = [walk(e, c, s) for e in E for c in range(2) for s in seeds]
    coordinates = {"young": ("young", E, {"units": "Pa"}), "seed": ("seed", seeds)}
    coordinates["controller"] = ("controller", CONTROLLERS)
    dims = ("young", "controller", "seed")
    return table(tmp_path / "walks.nc", dims, (7, 2, 3), coordinates, rows, sampling="grid")


@pytest.fixture
def samples(tmp_path):
    random = np.random.default_rng(5)
    points = [(10 ** random.uniform(5, 8), k % 2) for k in range(60)]
    rows = [(*p, s) for p in points for s in (1.0, 2.0)]
    E, controller, seed = map(np.array, zip(*rows, strict=True))
    single = np.where(controller == 1, "true", "false").astype(object)
    coordinates = {"case": np.arange(len(rows)), "young": ("case", E, {"units": "Pa"})}
    coordinates |= {"controller": ("case", CONTROLLERS[controller.astype(int)])}
    coordinates |= {"single": ("case", single), "seed": ("case", seed)}
    dims, shape = ("case",), (len(rows),)
    found = [walk(*row) for row in rows]
    return table(tmp_path / "lhs.nc", dims, shape, coordinates, found, sampling="lhs")


@pytest.fixture
def report(monkeypatch, capsys):
    return in_this_process(monkeypatch, capsys, "report")


def read(path):
    return collect_cases(xarray.load_dataset(path, engine="h5netcdf"))


def test_words_of_a_grid_are_categories(grid):
    cases = read(grid)
    axis = cases.axes["controller"]
    assert axis.labels == ("pd", "stabiliser")
    assert axis.values.reshape(cases.shape)[0, :, 0].tolist() == [0, 1]
    assert (axis.setting(0), axis.setting(3)) == ("pd", "stabiliser")
    assert (cases.ensemble, cases.shape) == (("seed",), (7, 2, 3))


def test_words_of_samples_are_categories(samples):
    cases = read(samples)
    assert list(cases.axes) == ["young", "controller", "single", "seed"]
    assert cases.axes["single"].labels == ("false", "true")
    assert cases.shape == ()


def test_an_ensemble_that_is_no_axis_is_refused(grid):
    dataset = xarray.load_dataset(grid, engine="h5netcdf").assign_attrs(ensemble='["phase"]')
    with pytest.raises(SchemaError, match="ensemble is phase, its axes are young, controller"):
        collect_cases(dataset)


@pytest.mark.parametrize("name", [pytest.param("grid", marks=pytest.mark.nightly), "samples"])
def test_the_page_and_the_json_show_words_and_intervals(report, request, name):
    path = request.getfixturevalue(name)
    code, out, errors = report(path, "--json")
    assert code == 0, errors
    found = json.loads(out)
    assert ",".join(g["metric"] for g in found["goals"]) == GOALS
    assert found["recommended"]["settings"]["controller"] == "stabiliser"
    assert "seed" not in found["recommended"]["settings"]
    assert found["mean_over"] == ["seed"]
    repeats = 3 if name == "grid" else 2
    assert found["recommended"]["intervals"]["waist_tilt"]["repeats"] == repeats
    assert [c["constraint"] for c in found["constraints"]] == [
        "fell == 0",
        "strain_p99 <= 0.1",
        "stance_margin > 0",
    ]
    page = path.with_suffix(".html").read_text()
    for said in ("controller = stabiliser", f"{repeats} repeats)", "walks that fell", " deg ("):
        assert said in page
    assert "--mean-over controller" in page
    assert (
        "<td>stance_margin</td><td>0.2</td><td>0.2</td><td>0.2</td><td>0.2</td><td>0.2</td>" in page
    )
    assert page.count('src="data:image/png;base64,') == 3


def test_where_keeps_the_rows_with_a_word_or_a_number(report, grid):
    code, out, _ = report(grid, "--json", "--where", "controller=pd", "--where", "young=1e6",
                          "--where", "young=1e7")  # fmt: skip
    assert code == 0
    found = json.loads(out)
    assert found["rows"] == 2
    assert found["recommended"]["settings"]["controller"] == "pd"
    kept = keep_rows(read(grid), ["controller=pd", "young=1e6", "young=1e7"])
    assert kept.shape == (2, 1, 3)
    np.testing.assert_allclose(np.unique(kept.axes["young"].values), [1e6, 1e7])
    assert kept.varied == ["young", "seed"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--where", "controller=pid"], "no row has this value; the values are pd, stabiliser"),
        (["--where", "young=3"], "the values are 100000, 316228, 1e+06"),
        (["--where", "young"], "expected AXIS=VALUE, axes are young, controller, seed"),
        (["--where", "ground=plane"], "expected AXIS=VALUE, axes are young, controller, seed"),
        (["--constraint", "controller == 1"], "text axis; keep some of its values with --where"),
    ],
)
def test_wrong_words_are_one_line(report, grid, options, said):
    code, _, errors = report(grid, *options)
    assert code == 2
    assert said in errors
    assert errors.count("\n") == 1


def test_words_count_in_the_analysis_of_variance(grid):
    cases = read(grid)
    metrics = {"waist_tilt": cases.metrics["waist_tilt"]}  # nothing of falls
    found = sensitivity(average_over(replace(cases, metrics=metrics), ["seed"]), "waist_tilt")
    assert found.estimator == ANOVA
    e = np.linspace(0, 1, 7)
    tilt = (1 + 5 * (1 - e) ** 2)[:, None] * np.array([1, 0.5])  # the seeds' factor is common
    alone = tilt.mean(axis=0).var() / tilt.var()
    assert found.first[list(found.axes).index("controller")] == pytest.approx(alone)


def test_samples_of_words_get_a_one_way_analysis():
    random = np.random.default_rng(2)
    n = 4000
    x, word = random.random(n), random.integers(3, size=n)
    y = x + np.array([5.0, 0.0, 1.0])[word]  # no order of the words gives a line
    axes = {"x": Series(x), "word": Series(word.astype(float), labels=("a", "b", "c"))}
    found = sensitivity(Cases(axes, {"y": Series(y)}, ("",) * n, (), "lhs"), "y")
    between = np.var([5.0, 0.0, 1.0])
    shares = np.array([1 / 12, between]) / (1 / 12 + between)
    assert found.estimator == f"{RBD_FAST}; {ONE_WAY} for word"
    assert found.first == pytest.approx(shares, abs=0.02)
    assert 0 < found.uncertainty[1] < 0.02


def test_the_correlation_ratio_is_unbiased_where_nothing_matters():
    # eta^2 of noise in K groups is (K - 1)/(n - 1) on average, epsilon^2 is 0
    random = np.random.default_rng(3)
    x = np.repeat(np.arange(10.0), 5)
    found = [correlation_ratio(x, random.standard_normal(50)) for _ in range(400)]
    assert np.mean(found) == pytest.approx(0, abs=0.01)  # eta^2 would be 0.18
    # by hand: groups (0, 2), (4, 6): SS = 20, within 4: 1 - 0.2 * 3/2
    assert correlation_ratio(np.array([0.0, 0, 1, 1]), np.array([0.0, 2, 4, 6])) == pytest.approx(
        0.7
    )


def test_words_in_saltellis_design_have_sobol_indices():
    random = np.random.default_rng(4)
    both = random.random((1024, 4))
    both[:, 1::2] = np.floor(2 * both[:, 1::2])  # x, a word of two, and again
    rows = []
    for a, b in zip(both[:, :2], both[:, 2:], strict=True):
        rows += [a, [b[0], a[1]], [a[0], b[1]], b]
    X = np.array(rows)
    y = X[:, 0] * (1 + X[:, 1])
    axes = {"x": Series(X[:, 0]), "word": Series(X[:, 1], labels=("no", "yes"))}
    found = sensitivity(Cases(axes, {"y": Series(y)}, ("",) * len(y), (), "saltelli"), "y")
    # y = x(1 + w): E[y|x] = 1.5 x, E[y|w] = (1 + w)/2, V = E[x^2] E[(1+w)^2] - 9/16
    V = (1 / 3) * 2.5 - 9 / 16
    assert found.estimator == SOBOL
    assert found.first == pytest.approx([2.25 / 12 / V, 1 / 16 / V], abs=0.06)


def test_a_column_that_no_row_has_is_no_default():
    values = {"a": np.arange(3.0), "b": -np.arange(3.0), "strain_p99": np.full(3, np.nan)}
    metrics = {n: declared(n, v) for n, v in values.items()}
    found = choose(Cases({"young": Series(np.arange(3.0))}, metrics, ("",) * 3), ["a,b"])
    assert found.constraints == ()
    assert found.feasible.count == 3


def test_a_default_that_refuses_all_says_how_to_replace_it():
    values = {"a": np.arange(3.0), "b": -np.arange(3.0), "stance_margin": np.full(3, -0.2)}
    metrics = {n: declared(n, v) for n, v in values.items()}
    cases = Cases({"young": Series(np.arange(3.0))}, metrics, ("",) * 3)
    said = recommendation(choose(cases, ["a,b"]))
    assert "stance_margin > 0 refuses 3" in said[0]
    assert (
        "the rows have -0.2 to -0.2. --constraint 'stance_margin > NUMBER' replaces it" in said[1]
    )
    assert choose(cases, ["a,b"], ["stance_margin > -1"]).feasible.count == 3


def test_the_only_feasible_row_is_called_so_with_the_bounds_that_refuse_the_others():
    """Also on the terminal, where the recommendation is one sentence."""
    values = {"a": np.arange(4.0), "b": -np.arange(4.0)}
    values |= {"stance_margin": np.array([-0.1, 0.2, -0.1, -0.2])}
    values |= {"strain_p99": np.array([0.2, 0.01, 0.01, np.nan])}
    metrics = {n: declared(n, v) for n, v in values.items()}
    cases = Cases({"young": Series(np.arange(4.0))}, metrics, ("", "", "", "slipped"))
    choice = choose(cases, ["a,b"])
    refused = (
        "It is the only feasible one of 4 rows: 1 failed; strain_p99 <= 0.1 refuses 1; "
        "stance_margin > 0 refuses 2 (some fail by several)."
    ).replace("; ", ", ")
    said = recommendation(choice)
    assert said[1] == refused
    assert "There is nothing to weigh: least a and least b" in " ".join(said)
    told = describe_choice(choice, "").quantities
    assert told["recommendation"].value == f"Take young = 1. {refused}"
    assert (told["feasible"].value, told["feasible"].remark) == (1, "of 4 rows")
    some = recommendation(choose(cases, ["a,b"], ["stance_margin > -1"]))
    assert some[1] == "2 of 4 rows are feasible: 1 failed, strain_p99 <= 0.1 refuses 1."
    assert "feasible" not in recommendation(front_of([1, 2, 3], [3, 2, 1]))[1]


def front_of(a, b):
    rows = len(a)
    metrics = {"a": Series(np.array(a, dtype=float)), "b": Series(np.array(b, dtype=float))}
    return choose(Cases({"young": Series(np.arange(1.0, rows + 1))}, metrics, ("",) * rows))


@pytest.mark.parametrize(
    ("a", "b", "row", "said"),
    [
        (
            [1, 1, 2],
            [1, 1, 2],
            0,
            "The 2 rows of the Pareto front of least a and least b are equal",
        ),
        ([2, 1], [1, 2], 1, "so no compromise: this row has the least a"),
        ([1, 1 + 1e-13], [2, 1], 1, "differ in only one of them: this row has the least b"),
        ([0, 0.7, 1], [1, 0.6, 0], 1, "has no knee: no row is below its chord"),
        ([1, 2], [1, 2], 0, "It is the only row on the Pareto front"),
    ],
)
def test_fronts_without_a_knee_are_said_to_have_none(a, b, row, said):
    choice = front_of(a, b)
    assert choice.knee.row == row
    assert not choice.knee.exists
    assert said in " ".join(recommendation(choice))
    assert as_json(choice, "")["recommended"]["knee"] is False


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [
        (np.pi / 180, "rad", "1 deg"),
        (0.5 * np.pi, "rad/s", "90 deg/s"),
        (1.2e6, "Pa", "1.2 MPa"),
        (0.3, "", "0.3"),
        (5800.0, "kg", "5800 kg"),
        (31.4, "m/s^2", "31.4 m/s^2"),
        (2e-3, "N s", "2 mN s"),
        (0.05, "%", "0.05 %"),
    ],
)
def test_numbers_read_well(value, unit, said):
    assert readable(value, unit) == said


def test_wishes_that_no_row_fulfils_together():
    axes = {"young": Series(np.array([1.0, 2.0]))}
    axes["controller"] = Series(np.array([0.0, 1.0]), labels=("pd", "stabiliser"))
    cases = Cases(axes, {"a": Series(np.ones(2))}, ("", ""))
    with pytest.raises(ConfigError, match="young=1, controller=stabiliser together"):
        keep_rows(cases, ["young=1", "controller=stabiliser"])
