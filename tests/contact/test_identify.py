"""E, nu and eta from a bench: the model beside the press, derivatives, fits, what is refused."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from box_mesh import box_mesh

from contact.identify import (
    BenchData,
    BenchModel,
    BenchPoint,
    BenchReading,
    BenchTool,
    IdentifyOptions,
    advise_tests,
    check_readings,
    family_of,
    identify,
    make_readings,
    read_bench,
    refuse_doubtful,
    write_bench,
)
from contact.identify.predictions import predict
from contact.press import Wrench, press
from sole.base.errors import ConfigError, EquilibriumError, SoleError
from sole.condense import condense
from sole.material import Material

PLATE = BenchTool()
TRUTH = BenchPoint(moduli=(1e6,), ratios=(0.45,), eta=8.0)


def reading(test, load=0.0, tool=PLATE, press=30.0, time=math.inf):
    return BenchReading(test=test, tool=tool, press=press, load=load, value=1.0, time=time)


@pytest.fixture(scope="module")
def family():
    return family_of(box_mesh(0.03, 0.02, 0.01, (4, 3, 2)))


@pytest.fixture
def plan():
    rows = [reading("press", press=f) for f in (10, 20, 30, 40, 50)]
    rows += [reading("shear x", f, press=40) for f in (5, 10, 15, 20)]
    rows += [reading("tilt x", 0.003 * f, press=f) for f in (10, 20, 30)]
    return rows + [reading("creep", press=50, time=t) for t in (3.0, 6.0, 12.0, 24.0)]


@pytest.mark.parametrize(
    ("test", "load"), [("press", 0), ("shear x", 9), ("tilt y", 0.13), ("tilt y", 0.30)]
)
def test_the_tool_moves_as_a_rough_press_does(test, load):
    # An independent solver with exact friction and turns. Forces of mN: turns below 1e-4, so that
    # the small motions of the model err by as much. 0.30 N m/30 N is 10 mm off: a part opens.
    sole = condense(
        box_mesh(0.03, 0.02, 0.01, (4, 3, 2)), Material(young_modulus=1e6, poisson_ratio=0.4)
    )
    small = 1e-3
    row = reading(test, load)
    response = BenchModel(sole.points, sole.compliance).respond(row)
    opened = (~response.touching).sum()
    assert (opened > 0) == (load == 0.30)
    pressed = press(
        sole,
        Wrench(**dict(zip(("fx", "fy", "fz", "tx", "ty", "tz"), small * row.wrench, strict=True))),
        friction=50.0,
    )
    moved = -pressed.motion / small
    k = row.axis
    assert response.motion[k] == pytest.approx(moved[k], rel=2e-4)


def test_derivatives_are_those_of_differences(family, plan):
    point = replace(TRUTH, stretch=0.004)
    p, J = predict(family, plan, point)
    h = 1e-4
    for column, ends in enumerate(
        [
            [replace(point, moduli=(1e6 * math.exp(s * h),)) for s in (1, -1)],
            [replace(point, ratios=(0.45 + s * h,)) for s in (1, -1)],
            [replace(point, eta=8 * math.exp(s * h)) for s in (1, -1)],
            [replace(point, stretch=0.004 + s * h) for s in (1, -1)],
        ]
    ):
        up, down = (predict(family, plan, end)[0] for end in ends)
        # Third derivatives for nu grow like (1 - 2 nu)^-2 = 100: h^2 100/6.
        np.testing.assert_allclose(
            (up - down) / (2 * h), J[:, column], atol=2e-6 * J[:, column].max() + 1e-6 * p.max()
        )


def test_what_is_interpolated_is_what_is_condensed(family, plan):
    member = family.at(np.array([2e6]), np.array([0.463]))
    sole = condense(family.mesh, Material(young_modulus=2e6, poisson_ratio=0.463), "ccr")
    assert np.linalg.norm(member.compliance - sole.compliance) < 1e-6 * np.linalg.norm(
        sole.compliance
    )


def test_readings_without_noise_give_the_truth(family, plan):
    found = identify(family, make_readings(family, plan, TRUTH, 0.0, 0), IdentifyOptions(sd=0.02))
    assert found.names == ("layer0.E", "layer0.nu", "eta")
    np.testing.assert_allclose(found.values, [1e6, 0.45, 8.0], rtol=1e-6)


def test_two_layers_are_told_apart():
    mesh = box_mesh(0.03, 0.02, 0.01, (4, 4, 2), layers=(1, 1))
    family = family_of(mesh)
    punch = BenchTool(length=0.02, width=0.012)
    rows = [reading(t, load, tool, f) for f in (10, 20) for t, load, tool in (
        ("press", 0, PLATE), ("press", 0, punch), ("shear x", 4, PLATE), ("tilt x", 0.02, PLATE),
        ("torsion", 0.03, PLATE), ("torsion", 0.005, punch), ("shear x", 3, punch),
    )]  # fmt: skip
    truth = BenchPoint(moduli=(1e6, 4e6), ratios=(0.45, 0.35))
    fixed = IdentifyOptions(sd=0.02, fixed={"layer1.nu": 0.35})
    found = identify(family, make_readings(family, rows, truth, 0.0, 0), fixed)
    assert found.names == ("layer0.E", "layer1.E", "layer0.nu")
    np.testing.assert_allclose(found.values, [1e6, 4e6, 0.45], rtol=1e-5)


def test_estimates_scatter_as_their_intervals_say(family, plan):
    # To first order theta - truth = (A'A)^-1 A'e for normal e, whose sd is that of the interval;
    # at 2 % noise what is beyond is 3 % of it (curvature: (sd of nu)/(1 - 2 nu)).
    p, J = predict(family, plan, TRUTH)
    A = J[:, [0, 1, 2]] / (0.02 * p)[:, None]
    for seed in range(5):
        data = make_readings(family, plan, TRUTH, 0.02, seed)
        found = identify(family, data, IdentifyOptions(sd=0.02))
        e = np.random.default_rng(seed).normal(size=len(p))
        linear = np.linalg.solve(A.T @ A, A.T @ e)
        sd = np.sqrt(np.linalg.inv(A.T @ A).diagonal())
        off = np.array([math.log(found.values[0] / 1e6), found.values[1] - 0.45,
                        math.log(found.values[2] / 8)])  # fmt: skip
        np.testing.assert_allclose(off / sd, linear / sd, atol=0.1)
        np.testing.assert_allclose(found.sd / [1e6, 1, 8], sd, rtol=0.15)


def test_pressing_alone_is_refused_and_the_next_test_named(family):
    rows = [reading("press", press=f) for f in (10, 20, 30, 40)]
    found = identify(family, make_readings(family, rows, TRUTH, 0.02, 1))
    assert advise_tests(family, found)[0].test in ("shear x", "shear y", "torsion")
    with pytest.raises(
        ConfigError, match=r"the tests \(press\) do not determine .*add '(shear|torsion)"
    ):
        refuse_doubtful(family, found, IdentifyOptions())


@pytest.mark.parametrize(
    ("test", "factor", "hint"), [("tilt x", 57.29578, "degrees"), ("shear x", 1e-3, "mm for m")]
)
def test_a_test_in_other_units_is_named(family, plan, test, factor, hint):
    data = make_readings(family, plan, TRUTH, 0.01, 1)
    wrong = BenchData(
        tuple(replace(r, value=r.value * factor) if r.test == test else r for r in data.readings)
    )
    found = identify(family, wrong)
    with pytest.raises(ConfigError, match=f"without test '{test}'.*{hint}"):
        refuse_doubtful(family, found, IdentifyOptions())


def test_an_outlier_is_named(family, plan):
    data = make_readings(family, plan, TRUTH, 0.005, 1)
    rows = [replace(r, row=k + 2) for k, r in enumerate(data.readings)]
    rows[2] = replace(rows[2], value=rows[2].value * 1.08)
    found = identify(family, BenchData(tuple(rows)), IdentifyOptions(sd=0.005))
    assert "row 4 (press)" in refuse_doubtful(family, found, IdentifyOptions())[0]


def test_a_single_load_and_a_deep_one_are_refused(family):
    with pytest.raises(ConfigError, match="one load only"):
        check_readings(family, BenchData((reading("press"),)))
    with pytest.raises(ConfigError, match="1e-09 to 10 m; check the units"):
        replace(reading("press"), value=1e-303)
    deep = replace(reading("press"), value=0.003)
    with pytest.raises(ConfigError, match="30% of the thickness"):
        check_readings(family, BenchData((deep, replace(deep, press=20.0, value=1e-4))))


def test_a_tool_that_tips_and_one_that_misses_are_refused(family):
    with pytest.raises(EquilibriumError, match="tips the tool"):
        predict(family, [reading("tilt x", 0.5)], TRUTH)
    with pytest.raises(ConfigError, match="covers 0 nodes"):
        predict(family, [reading("press", tool=BenchTool(length=0.005, width=0.005, x=0.5))], TRUTH)


def test_a_reading_of_the_other_sign_is_refused(plan):
    """A leaning sole under a thousand tons moves aside, against the shear."""
    mesh = box_mesh(0.03, 0.02, 0.01, (4, 3, 2))
    family = family_of(replace(mesh, points=mesh.points + np.outer(mesh.points[:, 2], [0.5, 0, 0])))
    rows = list(make_readings(family, plan, TRUTH, 0.0, 0).readings)
    k = next(k for k, row in enumerate(rows) if row.test == "shear x")
    rows[k] = replace(rows[k], press=1e7)
    with pytest.raises(ConfigError, match=r"shear x .* move the other way .* check loads"):
        identify(family, BenchData(tuple(rows)), IdentifyOptions())


def test_a_reading_that_is_worlds_apart_is_refused(family, plan):
    rows = list(make_readings(family, plan, TRUTH, 0.0, 0).readings)
    rows[1] = replace(rows[1], press=1e-12)
    with pytest.raises(ConfigError, match="press with 1e-12 N asks for 5e-14 times the E"):
        identify(family, BenchData(tuple(rows)), IdentifyOptions())


def test_an_uneven_tread_is_refused():
    mesh = box_mesh(0.03, 0.02, 0.01, (3, 2, 2))
    points = mesh.points.copy()
    points[mesh.tread_vertices[0], 2] -= 1e-4
    with pytest.raises(ConfigError, match="uneven"):
        family_of(replace(mesh, points=points))
    with pytest.raises(SoleError, match="unknown element 'p3'"):
        family_of(mesh, "p3")


def test_a_file_comes_back(tmp_path, family, plan):
    data = make_readings(family, [*plan, reading("torsion", 0.02)], TRUTH, 0.02, 3)
    write_bench(tmp_path / "bench.csv", data)
    again = read_bench(tmp_path / "bench.csv")
    np.testing.assert_allclose(again.values, data.values, rtol=1e-5)
    for a, b in zip(data.readings, again.readings, strict=True):
        assert (a.test, a.tool, a.time) == (b.test, b.tool, b.time)
        np.testing.assert_allclose(a.wrench, b.wrench, rtol=1e-5)


def test_weights_and_units_are_read(tmp_path):
    file = tmp_path / "bench.csv"
    file.write_text(
        "# kitchen scale\ntest, tool, press [g], shear [kg], reading [um], sd [%]\n"
        "press, punch 40x20 mm at 5 -2 mm, 2000, , 500, 3\nshear y, plate, 4000, 1, 250, 3\n"
    )
    first, second = read_bench(file).readings
    assert first.press == pytest.approx(19.62) and first.value == pytest.approx(5e-4)
    assert first.tool == BenchTool(length=0.04, width=0.02, x=0.005, y=-0.002) and first.sd == 0.03
    assert second.load == pytest.approx(9.81) and second.axis == 1 and second.row == 4


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "empty"),
        ("test, press [N], reading [mm]\n", "no readings"),
        ("test, press, reading [mm]\npress, 3, 1\n", r"needs a unit in brackets: press \[N"),
        ("test, press [lbf], reading [mm]\npress, 3, 1\n", "needs a unit"),
        ("test, press [N], sink [mm]\npress, 3, 1\n", "unknown column 'sink"),
        ("test, press [N], reading [mm]\npush, 3, 1\n", "row 2: unknown test 'push'"),
        ("test, press [N], reading [mm]\npress, 3, 1,,\npress, x, 1\n", "row 3: press is 'x'"),
        ("test, press [N], reading [mm]\npress, 3, 1,5\n", "row 2 has 4 cells.* decimal comma"),
        ("test; press [N]; reading [mm]\npress; 3; 1\n", "by commas, not by semicolons"),
        ("test, press [N], reading [mm]\npress, 3\n", "row 2: press needs a value of reading"),
        (
            "test, press [N], shear [N], reading [mm]\npress, 3, 2, 1\n",
            "row 2: press takes no shear, got '2'",
        ),
        ("test, press [N], reading [mm]\npress, 3, -1\n", "row 2: value must be positive"),
        ("test, press [N], reading [mm]\npress, -3, 1\n", "row 2: press must be positive"),
        ("test, press [N], reading [mm]\nshear x, 3, 1\n", "needs a column shear"),
        ("test, press [N], shear [N], reading [mm]\nshear x, 3, 9, 1\n", "the tool slips"),
        ("test, tool, press [N], reading [mm]\npress, ball, 3, 1\n", "expected 'plate' or 'punch"),
        ("test, press [N], reading [mm]\ncreep, 3, 1\n", "needs a column time"),
    ],
)  # fmt: skip
def test_files_that_cannot_be_right_are_refused(tmp_path, text, told):
    file = tmp_path / "bench.csv"
    file.write_text(text)
    with pytest.raises(SoleError, match=told):
        read_bench(file)


def test_too_few_readings_are_refused(family):
    with pytest.raises(ConfigError, match="2 readings for 2 unknowns"):
        identify(family, BenchData((reading("press"), reading("press", press=10.0))))


def test_nothing_else_can_be_fixed(family, plan):
    data = make_readings(family, plan, TRUTH, 0.02, 1)
    with pytest.raises(ConfigError, match=r"nothing is called 'heel\.nu'"):
        identify(family, data, IdentifyOptions(fixed={"heel.nu": 0.4}))
