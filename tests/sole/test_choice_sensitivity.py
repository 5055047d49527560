"""Shares of variance of functions whose shares are known."""

from __future__ import annotations

import numpy as np
import pytest
from declared import declared
from scipy.stats import qmc

from sole.studies.choice import Cases, average_over
from sole.studies.choice.sensitivity import ANOVA, RBD_FAST, SOBOL, sensitivity
from sole.studies.choice.series import Series
from sole.studies.choice.variance import complete_part, estimate_effects

# Ishigami's function, a = 7, b = 0.1, on [-pi, pi]^3: V_1 = (1 + b pi^4/5)^2/2, V_2 = a^2/8,
# V_13 = 8 b^2 pi^8/225
V1, V2, V13 = (1 + 0.1 * np.pi**4 / 5) ** 2 / 2, 49 / 8, 8 * 0.01 * np.pi**8 / 225
V = V1 + V2 + V13
FIRST = np.array([V1, V2, 0]) / V
TOTAL = np.array([V1 + V13, V2, V13]) / V


def ishigami(X):
    x, y, z = X.T
    return np.sin(x) + 7 * np.sin(y) ** 2 + 0.1 * z**4 * np.sin(x)


def table(X, y, sampling, shape=()):
    axes = {f"x{i}": Series(column) for i, column in enumerate(X.T)}
    return Cases(axes, {"y": Series(y)}, ("",) * len(y), shape, sampling)


def saltelli(n, second):
    """A, A with columns of B, (B with columns of A,) B: n blocks on [-pi, pi]^3."""
    both = qmc.Sobol(6, seed=3).random(n) * 2 * np.pi - np.pi
    rows = []
    for a, b in zip(both[:, :3], both[:, 3:], strict=True):
        swapped = [np.where(np.arange(3) == i, b, a) for i in range(3)]
        back = [np.where(np.arange(3) == i, a, b) for i in range(3)]
        rows += [a, *swapped, *(back if second else []), b]
    return np.array(rows)


def test_an_additive_function_has_no_interaction():
    x, y = np.arange(5.0), np.arange(4.0)
    found = estimate_effects(3 * x[:, None] + y[None])
    assert found.main == pytest.approx(np.array([9 * x.var(), y.var()]) / (9 * x.var() + y.var()))
    assert found.total == pytest.approx(found.main)
    assert found.interaction == pytest.approx(0, abs=1e-14)


def test_a_product_of_centred_axes_is_interaction_alone():
    x = np.linspace(-1, 1, 5)
    found = estimate_effects(x[:, None] * x[None])
    assert found.main == pytest.approx([0, 0], abs=1e-14)
    assert found.total == pytest.approx([1, 1])
    assert found.interaction == pytest.approx(1)


def test_a_product_with_means_has_known_shares():
    # (m + x)(m + y): main effects m^2 v each, interaction v^2
    x, m = np.linspace(-1, 1, 9), 2.0
    v = x.var()
    found = estimate_effects((m + x)[:, None] * (m + x)[None])
    assert found.main == pytest.approx([m * m * v / (2 * m * m * v + v * v)] * 2)


def test_a_constant_has_no_shares():
    assert estimate_effects(np.full((3, 4), 7.0)) is None


def test_the_part_without_failed_rows_is_complete():
    present = np.ones((6, 5), dtype=bool)
    present[0] = False
    present[1, :2] = False
    keep = complete_part(present)
    assert [mask.tolist() for mask in keep] == [[False, False] + [True] * 4, [True] * 5]


def test_a_grid_with_a_failed_value_says_what_is_left():
    x, y = np.meshgrid([1.0, 2, 3, 4], [1.0, 2, 3], indexing="ij")
    z = np.where(x == 1, np.nan, 2 * x + y)
    found = sensitivity(
        table(np.column_stack([x.ravel(), y.ravel()]), z.ravel(), "grid", (4, 3)), "y"
    )
    assert found.estimator == ANOVA
    assert found.first == pytest.approx([0.8, 0.2])
    assert "x0 2 to 4 (3 of 4 values)" in found.remark


@pytest.mark.parametrize("second", [True, False])
def test_sobol_indices_of_ishigami(second):
    X = saltelli(1024, second)
    found = sensitivity(table(X, ishigami(X), "saltelli"), "y")
    assert found.estimator == SOBOL
    assert found.first == pytest.approx(FIRST, abs=0.03)
    assert found.total == pytest.approx(TOTAL, abs=0.03)
    assert (found.uncertainty < 0.12).all()
    assert found.remark == ""
    few = sensitivity(table(saltelli(8, second), ishigami(saltelli(8, second)), "saltelli"), "y")
    assert few.remark == "8 blocks are few: take more samples"


def test_blocks_with_a_failed_row_are_left_out():
    X = saltelli(512, False)
    y = ishigami(X) + 100  # a failed row taken for 0 would stand out
    y[::50] = np.nan
    found = sensitivity(table(X, y, "saltelli"), "y")
    assert found.first == pytest.approx(FIRST, abs=0.08)
    assert "of 512 blocks left out" in found.remark


def test_a_sampled_axis_of_one_value_leaves_the_design_whole():
    X = saltelli(512, False)
    n = len(X) // 5 * 6
    # four columns, one of them constant: a block has six rows
    both = qmc.Sobol(6, seed=3).random(512) * 2 * np.pi - np.pi
    rows = []
    for a, b in zip(both[:, :3], both[:, 3:], strict=True):
        swapped = [np.where(np.arange(3) == i, b, a) for i in range(3)]
        rows += [a, swapped[0], a, *swapped[1:], b]
    X = np.insert(np.array(rows), 1, 0.3, axis=1)
    assert len(X) == n
    found = sensitivity(table(X, ishigami(np.delete(X, 1, axis=1)), "saltelli"), "y")
    assert (found.estimator, found.axes) == (SOBOL, ("x0", "x2", "x3"))
    assert found.first == pytest.approx(FIRST, abs=0.05)


def test_part_of_a_design_says_why_it_has_another_estimator():
    X = saltelli(64, False)[:-3]
    found = sensitivity(table(X, ishigami(X), "saltelli"), "y")
    assert found.estimator == RBD_FAST
    assert "not a complete Saltelli design" in found.remark


def fallen(y, fell, shape):
    grids = np.meshgrid(*(np.arange(float(n)) for n in shape), indexing="ij")
    axes = {f"x{i}": Series(g.ravel()) for i, g in enumerate(grids)}
    metrics = {"y": Series(y.ravel()), "fell": declared("fell", fell.ravel().astype(float))}
    return Cases(axes, metrics, ("",) * y.size, shape)


def test_fallen_walks_are_left_out():
    x, z = np.meshgrid(np.arange(5.0), np.arange(5.0), indexing="ij")
    fell = (x == 4) & (z > 1)
    cases = fallen(np.where(fell, 90.0, x), fell, (5, 5))  # y is x alone but for the falls
    found = sensitivity(cases, "y")
    assert found.first == pytest.approx([1, 0], abs=1e-12)
    assert found.remark.startswith("3 fallen walks left out; on the part of the grid that has it")
    assert "x0 0 to 3 (4 of 5 values)" in found.remark
    assert sensitivity(cases, "fell").remark == ""  # falls are what is asked of


def test_of_means_the_repeats_that_stood_count():
    x, z, seed = np.meshgrid(*(np.arange(3.0),) * 3, indexing="ij")
    fell = (x == 2) & (z == 1) & (seed == 1)
    found = sensitivity(average_over(fallen(np.where(fell, 90.0, x), fell, (3, 3, 3)), ["x2"]), "y")
    assert found.first == pytest.approx([1, 0], abs=1e-12)
    assert found.remark == "1 fallen walk left out"


def test_samples_that_are_no_design_get_a_given_data_estimator():
    X = qmc.LatinHypercube(3, rng=2).random(2000) * 2 * np.pi - np.pi
    for sampling in ("lhs", "saltelli"):  # the word alone does not make it Saltelli's design
        found = sensitivity(table(X, ishigami(X), sampling), "y")
        assert found.estimator == RBD_FAST
        assert found.first == pytest.approx(FIRST, abs=0.05)
        assert np.isnan(found.total).all()


def test_too_few_samples_have_no_numbers():
    X = qmc.LatinHypercube(2, rng=2).random(20)
    found = sensitivity(table(X, X[:, 0], "lhs"), "y")
    assert not found.known
    assert "20 rows have it" in found.remark
