"""Fronts and knees made by hand, and what every front must be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sole.base.errors import SoleError
from sole.studies.choice.pareto import knee, pareto_front

few = st.sampled_from([0.0, 1.0, 2.0, 3.0, np.nan])  # many ties


def dominates(a, b):
    return bool((a <= b).all() and (a < b).any())


def test_a_front_made_by_hand():
    rows = np.array([[1, 5], [2, 3], [3, 3], [4, 1], [2, 6], [4, 1], [np.nan, 0], [0, np.inf]])
    assert pareto_front(rows).tolist() == [True, True, False, True, False, True, False, False]


def test_rows_that_are_not_allowed_do_not_dominate():
    rows = np.array([[0.0, 0.0], [1.0, 2.0], [2.0, 1.0]])
    assert pareto_front(rows, np.array([False, True, True])).tolist() == [False, True, True]


@given(
    st.integers(1, 3).flatmap(lambda k: arrays(float, st.tuples(st.integers(0, 25), st.just(k)),
                                               elements=few))
)  # fmt: skip
def test_no_member_is_dominated_and_all_others_are(rows):
    front = pareto_front(rows)
    usable = [i for i in range(len(rows)) if not np.isnan(rows[i]).any()]
    for i in range(len(rows)):
        beaten = any(dominates(rows[j], rows[i]) for j in usable)
        assert front[i] == (i in usable and not beaten)


def test_the_knee_is_farthest_below_the_chord():
    rows = np.array([[0, 10], [1, 1], [4, 0.5], [10, 0]], dtype=float)
    found = knee(rows, pareto_front(rows))
    assert found.row == 1
    assert found.exists
    assert found.distance == pytest.approx((1 - 0.1 - 0.1) / np.sqrt(2))


def test_the_knee_does_not_depend_on_units():
    rows = np.array([[0, 10], [1, 1], [4, 0.5], [10, 0]], dtype=float)
    front = pareto_front(rows)
    assert knee(rows * [1e6, 1e-3] + [5, -7], front).distance == pytest.approx(
        knee(rows, front).distance
    )


def test_three_metrics_have_a_knee_below_the_plane():
    rows = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0], [0.2, 0.2, 0.3], [0.5, 0.5, 0.1]])
    found = knee(rows, np.ones(5, dtype=bool))
    assert found.row == 3
    assert found.distance == pytest.approx(0.3 / np.sqrt(3))


def test_a_front_that_bulges_outward_has_no_knee():
    rows = np.array([[0.0, 1.0], [0.7, 0.7], [0.9, 0.6], [1.0, 0.0]])
    found = knee(rows, pareto_front(rows))
    assert not found.exists
    assert found.row == 1  # nearest to the best of both: |(0.7, 0.7)| = 0.990 < 1


def test_one_row_is_its_own_knee():
    found = knee(np.array([[3.0, 4.0]]), np.array([True]))
    assert (found.row, found.exists) == (0, False)


def test_an_empty_front_is_refused():
    with pytest.raises(SoleError, match="empty"):
        knee(np.ones((2, 2)), np.zeros(2, dtype=bool))
