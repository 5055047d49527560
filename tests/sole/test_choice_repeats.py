"""Means over repeats against closed forms, and what is asked of every repeat."""

from __future__ import annotations

import numpy as np
import pytest

from sole.choice.answers import as_json
from sole.choice.cases import Cases, Series
from sole.choice.decision import choose
from sole.choice.repeats import averaged
from sole.choice.values import fell_words, metric_words
from sole.choice.words import recommendation
from sole.errors import ConfigError

SEEDS = np.array([1.0, 2.0, 3.0])


def study(**metrics):
    """Two designs of three seeds each, design by design: a grid of 2 x 3."""
    axes = {"young": Series(np.repeat([1e6, 2e6], 3), "Pa"), "seed": Series(np.tile(SEEDS, 2))}
    columns = {n: Series(np.array(v, dtype=float), u) for n, (v, u) in metrics.items()}
    return Cases(axes, columns, ("",) * 6, (2, 3), ensemble=("seed",))


def test_the_interval_of_a_mean_is_students():
    # 1, 2, 3: m = 2, s = 1; t of 0.975 with 2 degrees of freedom has a closed form:
    # t = 0.95 sqrt(2 / (1 - 0.95^2)) = 4.3027
    found = averaged(study(a=([1, 2, 3, 10, 10, 10], "m")), ["seed"]).metrics["a"]
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
    spread = averaged(cases, ["seed"]).metrics["a"].spread
    assert spread.half == pytest.approx([np.tan(0.475 * np.pi)])


def test_one_repeat_has_no_interval():
    one = averaged(study(a=([1, 2, 3, 4, 5, 6], "m")), ["young"])
    assert one.metrics["a"].spread.count.tolist() == [2, 2, 2]
    alone = Cases(
        {"young": Series(np.arange(2.0)), "seed": Series(np.ones(2))},
        {"a": Series(np.array([0.5, 0.7]), "m")},
        ("", ""),
        (2, 1),
    )
    found = averaged(alone, ["seed"]).metrics["a"]
    assert np.isnan(found.spread.half).all()
    assert metric_words(found, 0) == "500 mm (1 repeat)"


def test_several_axes_of_repeats_are_one_set():
    axes = {"young": Series(np.repeat([1.0, 2.0], 4)), "seed": Series(np.tile([1.0, 1, 2, 2], 2))}
    axes["phase"] = Series(np.tile([0.0, 0.5], 4))
    a = np.array([1.0, 2, 3, 4, 5, 5, 5, 9])
    cases = Cases(axes, {"a": Series(a)}, ("",) * 8, (2, 2, 2))
    found = averaged(cases, ["seed", "phase"])
    assert found.shape == (2,)
    assert found.metrics["a"].values.tolist() == [2.5, 6]
    # s^2 = (2.25 + 0.25) 2 / 3, t of 0.975 with 3 degrees of freedom = 3.182446
    assert found.metrics["a"].spread.half[0] == pytest.approx(3.182446 * np.sqrt(5 / 3 / 4))


def test_equal_samples_stay_apart():
    # Saltelli's design over words repeats rows: two equal points, two seeds of each
    axes = {"controller": Series(np.zeros(4), labels=("pd",))}
    axes["seed"] = Series(np.array([1.0, 2, 1, 2]))
    cases = Cases(axes, {"a": Series(np.array([1.0, 3, 11, 13]))}, ("",) * 4, (), "saltelli")
    found = averaged(cases, ["seed"])
    assert found.metrics["a"].values.tolist() == [2, 12]
    assert found.repeats.group.tolist() == [0, 0, 1, 1]


def test_a_design_is_feasible_only_if_every_repeat_is():
    # the mean of the first passes, its second seed does not; the second design always does
    strain = ([0.05, 0.12, 0.05, 0.09, 0.09, 0.09], "1")
    goals = {"a": ([1, 1, 1, 2, 2, 2], "m"), "b": ([1, 1, 1, 2, 2, 2], "m")}
    choice = choose(averaged(study(strain_p99=strain, **goals), ["seed"]), ["a,b"])
    assert choice.feasible.mask.tolist() == [False, True]
    margin = choose(averaged(study(stance_margin=([1, 1, -0.1, 0.1, 0.1, 0.1], "1"), **goals),
                             ["seed"]), ["a,b"])  # fmt: skip
    assert margin.feasible.mask.tolist() == [False, True]


def test_the_share_that_fell_is_told_and_one_fall_refuses():
    metrics = {"a": ([1, 1, 1, 2, 2, 2], "m"), "b": ([1, 1, 1, 2, 2, 2], "m")}
    cases = averaged(study(fell=([0, 1, 1, 0, 0, 0], "1"), **metrics), ["seed"])
    choice = choose(cases, ["a,b"])
    assert cases.metrics["fell"].values == pytest.approx([2 / 3, 0])
    assert (fell_words(cases), fell_words(cases, 0), fell_words(cases, 1)) == (
        "2 of 6",
        "2 of 3",
        "0 of 3",
    )
    found = as_json(choice, "")
    assert (found["fell"], found["recommended"]["fell"], found["rows"]) == ("2 of 6", "0 of 3", 2)
    assert found["mean_over"] == ["seed"]


def test_the_recommendation_says_the_interval_in_degrees():
    tilt = np.radians([0.11, 0.12, 0.13, 0.5, 0.5, 0.5])
    cases = averaged(study(waist_tilt=(tilt, "rad"), a=([1, 1, 1, 2, 2, 2], "m")), ["seed"])
    choice = choose(cases, ["a,waist_tilt"])
    # half = 4.3027 * 0.01 / sqrt(3) = 0.0248 deg
    said = " ".join(recommendation(choice))
    assert "waist_tilt = 0.12 deg (0.0952 to 0.145, 3 repeats)" in said
    interval = as_json(choice, "")["recommended"]["intervals"]["waist_tilt"]
    assert interval["low"] == pytest.approx(np.radians(0.12 - 4.30265 * 0.01 / 3**0.5), rel=1e-5)
    assert interval["greatest"] == pytest.approx(np.radians(0.13))
    assert interval["repeats"] == 3


def test_rows_whose_intervals_overlap_in_every_metric_are_counted():
    a, b = [0, 1, 2, 0.5, 1.5, 2.5], [2, 3, 4, 1, 2, 3]  # a trade within the noise
    choice = choose(averaged(study(a=(a, "m"), b=(b, "m")), ["seed"]), ["a,b"])
    assert choice.alike == 1
    far = choose(averaged(study(a=([0, 0, 0, 5, 5, 5], "m"), b=(b, "m")), ["seed"]), ["a,b"])
    assert far.alike == 0


def test_a_repeat_that_failed_fails_its_design():
    cases = study(a=([1, 2, 3, 4, 5, 6], "m"))
    cases = Cases(cases.axes, cases.metrics, ("", "no contact", "", "", "", ""), cases.shape)
    assert averaged(cases, ["seed"]).reasons == ("no contact", "")


def test_something_must_be_left_to_choose_from():
    cases = study(a=([1, 2, 3, 4, 5, 6], "m"))
    with pytest.raises(ConfigError, match="one must be left"):
        averaged(cases, ["young", "seed"])
    with pytest.raises(ConfigError, match="mean over phase: the study's axes are young, seed"):
        averaged(cases, ["phase"])
