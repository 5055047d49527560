"""Means over repeats against closed forms, and what is asked of every repeat."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from declared import declared

from sole.base.errors import ConfigError
from sole.studies.choice import Cases, as_json, average_over, choose, report_page
from sole.studies.choice.elastic import Tread, elastic_constants
from sole.studies.choice.recommendation_text import recommendation
from sole.studies.choice.series import Series
from sole.studies.choice.values import failures_words, metric_words

SEEDS = np.array([1.0, 2.0, 3.0])


def study(**metrics):
    """Two designs of three seeds each, design by design: a grid of 2 x 3."""
    axes = {"young": Series(np.repeat([1e6, 2e6], 3), "Pa"), "seed": Series(np.tile(SEEDS, 2))}
    columns = {n: declared(n, np.array(v, dtype=float), u) for n, (v, u) in metrics.items()}
    return Cases(axes, columns, ("",) * 6, (2, 3), ensemble=("seed",))


def test_the_interval_of_a_mean_is_students():
    # 1, 2, 3: m = 2, s = 1; t of 0.975 with 2 degrees of freedom has a closed form:
    # t = 0.95 sqrt(2 / (1 - 0.95^2)) = 4.3027
    found = average_over(study(a=([1, 2, 3, 10, 10, 10], "m")), ["seed"]).metrics["a"]
    t = 0.95 * np.sqrt(2 / (1 - 0.95**2))
    assert t == pytest.approx(4.3027, abs=1e-4)
    assert found.values.tolist() == [2, 10]
    assert found.spread.half == pytest.approx([t / np.sqrt(3), 0])
    assert found.spread.least.tolist() == [1, 10]
    assert found.spread.greatest.tolist() == [3, 10]
    assert found.spread.count.tolist() == [3, 3]


def test_two_repeats_have_cauchys_quantile():
    cases = Cases(
        {"young": Series(np.ones(2)), "seed": Series(SEEDS[:2])},
        {"a": Series(np.array([0.0, 2.0]))},
        ("", ""),
        (1, 2),
    )  # s = sqrt(2), s/sqrt(2) = 1; one degree of freedom: t = tan(0.475 pi)
    spread = average_over(cases, ["seed"]).metrics["a"].spread
    assert spread.half == pytest.approx([np.tan(0.475 * np.pi)])


def test_one_repeat_has_no_interval():
    one = average_over(study(a=([1, 2, 3, 4, 5, 6], "m")), ["young"])
    assert one.metrics["a"].spread.count.tolist() == [2, 2, 2]
    alone = Cases(
        {"young": Series(np.arange(2.0)), "seed": Series(np.ones(2))},
        {"a": Series(np.array([0.5, 0.7]), "m")},
        ("", ""),
        (2, 1),
    )
    found = average_over(alone, ["seed"]).metrics["a"]
    assert np.isnan(found.spread.half).all()
    assert metric_words(found, 0) == "500 mm (1 repeat)"


def test_several_axes_of_repeats_are_one_set():
    axes = {"young": Series(np.repeat([1.0, 2.0], 4)), "seed": Series(np.tile([1.0, 1, 2, 2], 2))}
    axes["phase"] = Series(np.tile([0.0, 0.5], 4))
    a = np.array([1.0, 2, 3, 4, 5, 5, 5, 9])
    cases = Cases(axes, {"a": Series(a)}, ("",) * 8, (2, 2, 2))
    found = average_over(cases, ["seed", "phase"])
    assert found.shape == (2,)
    assert found.metrics["a"].values.tolist() == [2.5, 6]
    # s^2 = (2.25 + 0.25) 2 / 3, t of 0.975 with 3 degrees of freedom = 3.182446
    assert found.metrics["a"].spread.half[0] == pytest.approx(3.182446 * np.sqrt(5 / 3 / 4))


def test_equal_samples_stay_apart():
    # Saltelli's design over words repeats rows: two equal points, two seeds of each
    axes = {"controller": Series(np.zeros(4), labels=("pd",))}
    axes["seed"] = Series(np.array([1.0, 2, 1, 2]))
    cases = Cases(axes, {"a": Series(np.array([1.0, 3, 11, 13]))}, ("",) * 4, (), "saltelli")
    found = average_over(cases, ["seed"])
    assert found.metrics["a"].values.tolist() == [2, 12]
    assert found.repeats.group.tolist() == [0, 0, 1, 1]


def test_a_design_is_feasible_only_if_every_repeat_is():
    # the mean of the first passes, its second seed does not; the second design always does
    strain = ([0.05, 0.12, 0.05, 0.09, 0.09, 0.09], "1")
    goals = {"a": ([1, 1, 1, 2, 2, 2], "m"), "b": ([1, 1, 1, 2, 2, 2], "m")}
    choice = choose(average_over(study(strain_p99=strain, **goals), ["seed"]), ["a,b"])
    assert choice.feasible.mask.tolist() == [False, True]
    margin = choose(average_over(study(stance_margin=([1, 1, -0.1, 0.1, 0.1, 0.1], "1"), **goals),
                             ["seed"]), ["a,b"])  # fmt: skip
    assert margin.feasible.mask.tolist() == [False, True]


def test_the_share_that_fell_is_told_and_one_fall_refuses():
    metrics = {"a": ([1, 1, 1, 2, 2, 2], "m"), "b": ([1, 1, 1, 2, 2, 2], "m")}
    cases = average_over(study(fell=([0, 1, 1, 0, 0, 0], "1"), **metrics), ["seed"])
    choice = choose(cases, ["a,b"])
    assert cases.metrics["fell"].values == pytest.approx([2 / 3, 0])
    assert (failures_words(cases), failures_words(cases, 0), failures_words(cases, 1)) == (
        "2 of 6",
        "2 of 3",
        "0 of 3",
    )
    found = as_json(choice, "")
    assert (found["fell"], found["recommended"]["fell"], found["rows"]) == ("2 of 6", "0 of 3", 2)
    assert found["mean_over"] == ["seed"]


def test_the_recommendation_says_the_interval_in_degrees():
    tilt = np.radians([0.11, 0.12, 0.13, 0.5, 0.5, 0.5])
    cases = average_over(study(waist_tilt=(tilt, "rad"), a=([1, 1, 1, 2, 2, 2], "m")), ["seed"])
    choice = choose(cases, ["a,waist_tilt"])
    # half = 4.3027 * 0.01 / sqrt(3) = 0.0248 deg
    said = " ".join(recommendation(choice))
    assert "waist_tilt = 0.12 deg (0.0952 to 0.145, 3 repeats)" in said
    interval = as_json(choice, "")["recommended"]["intervals"]["waist_tilt"]
    assert interval["low"] == pytest.approx(np.radians(0.12 - 4.30265 * 0.01 / 3**0.5), rel=1e-5)
    assert interval["greatest"] == pytest.approx(np.radians(0.13))
    assert interval["repeats"] == 3


def test_designs_within_the_intervals_of_the_knee_are_counted():
    a, b = [0, 1, 2, 0.5, 1.5, 2.5], [2, 3, 4, 1, 2, 3]  # a trade within the noise
    choice = choose(average_over(study(a=(a, "m"), b=(b, "m")), ["seed"]), ["a,b"])
    assert choice.alike.tolist() == [False, True]
    said = " ".join(recommendation(choice))
    assert "Not distinguishable: 1 of the other 1 feasible designs lies within its 95 %" in said
    far = choose(average_over(study(a=([0, 0, 0, 5, 5, 5], "m"), b=(b, "m")), ["seed"]), ["a,b"])
    assert not far.alike.any()


def test_a_design_that_scatters_much_is_not_like_the_knee():
    a, b = [1, 1.01, 1.02, 0, 5, 10], [1, 1.01, 1.02, 0, 5, 10]
    choice = choose(average_over(study(a=(a, "m"), b=(b, "m")), ["seed"]), ["a,b"])
    assert (choice.row, choice.alike.any()) == (0, False)


def test_of_designs_like_the_knee_the_nearest_to_a_material_is_recommended():
    young = Series(np.repeat([1.2e7, 2.5e6], 3), "Pa", quantity="young")
    axes = {"young": young, "seed": Series(np.tile(SEEDS, 2))}
    a, b = [0, 1, 2, 0.1, 1.1, 2.1], [0, 1, 2, 0.1, 1.1, 2.1]
    metrics = {"a": Series(np.array(a)), "b": Series(np.array(b))}
    elastic = elastic_constants(axes, {"": Tread("sole", {"poisson_ratio": 0.1})})
    cases = average_over(Cases(axes, metrics, ("",) * 6, (2, 3), elastic=elastic), ["seed"])
    choice = choose(cases, ["a,b"])
    assert (choice.knee.row, choice.row, choice.settings) == (0, 1, {"young": 2.5e6})
    assert choice.materials[0][0].name == "EVA foam of a running shoe"
    said = " ".join(recommendation(choice))
    assert said.startswith("Take young = 2.5 MPa.")
    assert "do not distinguish it from young = 12 MPa, but it is nearer to a real material" in said
    found = as_json(choice, "")["recommended"]
    assert (found["row"], found["knee_row"], found["alike"]) == (1, 0, 1)
    page = report_page(choice, "t.nc")
    assert "<td>recommended</td><td>2.5 MPa</td>" in page
    assert "rows" not in re.sub(r"of 6 rows|src=.[^>]*", "", page)


def test_the_repeats_that_have_a_number_count():
    cases = study(a=([1, 3, np.nan, 4, np.nan, np.nan], "m"))
    reasons = ("", "", "no contact", "", "", "")
    found = average_over(replace(cases, reasons=reasons), ["seed"])
    a = found.metrics["a"]
    assert (a.values.tolist(), a.spread.count.tolist()) == ([2, 4], [2, 1])
    assert (a.spread.least[0], a.spread.greatest[0]) == (1, 3)
    assert a.spread.half[0] == pytest.approx(np.tan(0.475 * np.pi))  # of two, see above
    assert np.isnan(a.spread.half[1])
    assert found.failed.tolist() == [True, False]  # it has a mean, and cannot be chosen


def test_a_repeat_that_failed_fails_its_design():
    cases = study(a=([1, 2, 3, 4, 5, 6], "m"))
    cases = Cases(cases.axes, cases.metrics, ("", "no contact", "", "", "", ""), cases.shape)
    assert average_over(cases, ["seed"]).reasons == ("no contact", "")


def test_something_must_be_left_to_choose_from():
    cases = study(a=([1, 2, 3, 4, 5, 6], "m"))
    with pytest.raises(ConfigError, match="one must be left"):
        average_over(cases, ["young", "seed"])
    with pytest.raises(ConfigError, match="mean over phase: the study's axes are young, seed"):
        average_over(cases, ["phase"])
