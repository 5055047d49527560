"""The step of a slipping foot in six numbers against Gauss-Seidel on all nodes."""

from __future__ import annotations

import numpy as np
import pytest
from box_mesh import box_mesh

from contact.papers.experiments.six_numbers import slip_case
from contact.per_body import SlippingFoot
from contact.solvers import GaussSeidel
from sole.base.errors import ConfigError, SoleError
from sole.condense import condense
from sole.material import Material

MU, LOAD, DT = 0.7, 300.0, 1e-3


@pytest.fixture(scope="module")
def sole():
    rubber = Material(young_modulus=1e6, poisson_ratio=0.4)
    return condense(box_mesh(0.24, 0.14, 0.02, (9, 4, 1)), [rubber], element="p1")


def inverse_inertia():
    """A foot of 6 kg below a heavy leg."""
    S = np.diag([0.2, 0.2, 0.1, 8.0, 8.0, 8.0])
    S[0, 4] = S[4, 0] = 0.4
    S[1, 3] = S[3, 1] = -0.4
    return S


@pytest.mark.parametrize(
    ("slide", "grows"),
    [((0.2, 0.0, 0.0), 1.05), ((0.1, 0.15, 0.3), 0.97), ((-0.05, 0.1, -0.4), 1.0)],
)
def test_its_wrench_is_within_5_percent_of_the_nodal_one(sole, slide, grows):
    """A foot that slips already, whose load changes; t_z beside what friction holds about z."""
    foot = SlippingFoot(sole, MU)
    w, free, S, problem, before = slip_case(sole, foot, slide, grows)
    end = foot.step(w, free, S, DT)
    assert end.usable
    exact = GaussSeidel(tolerance=1e-9).solve(problem, before)
    assert exact.solved
    off = end.wrench - np.asarray(sole.geometry).T @ np.asarray(exact.reactions).ravel()
    assert np.linalg.norm(off[:3]) < 0.05 * MU * LOAD
    assert np.abs(off[3:]).max() < 0.05 * MU * LOAD * 0.07
    assert end.twist == pytest.approx(free + DT * S @ end.wrench)


def test_where_it_may_not_be_used_it_says_so(sole):
    """A foot that sticks, tips over its edge, or hangs."""
    S, foot = inverse_inertia(), SlippingFoot(sole, MU)
    rest = np.array([0.0, 0.0, LOAD, 0.0, 0.0, 0.0])
    hold = -DT * S @ rest
    assert not foot.step(rest, hold + np.array([1e-4, 0, 0, 0, 0, 0]), S, DT).usable
    tips = np.array([0.0, 0.0, LOAD, 0.0, -0.09 * LOAD, 0.0])
    assert not foot.step(tips, np.array([0.2, 0, 0, 0, 0, 0]) - DT * S @ tips, S, DT).usable
    assert not foot.step(np.zeros(6), np.array([0.2, 0, 1.0, 0, 0, 0]), S, DT).usable


def test_bad_input_is_refused(sole):
    with pytest.raises((ConfigError, SoleError), match="friction"):
        SlippingFoot(sole, 0.0)
    with pytest.raises(SoleError, match="wrench"):
        SlippingFoot(sole, MU).step(np.zeros(5), np.zeros(6), np.eye(6), DT)
    with pytest.raises((ConfigError, SoleError), match="dt"):
        SlippingFoot(sole, MU).step(np.zeros(6), np.zeros(6), np.eye(6), 0.0)
