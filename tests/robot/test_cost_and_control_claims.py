"""Experiments on what contacts cost, on six numbers for a foot, on soles in the control law."""

from __future__ import annotations

import numpy as np
import pytest

from contact.papers.experiments import six_numbers
from robot.papers.claims.chardonnet_robot import CHARDONNET_ROBOT_CLAIMS
from robot.papers.experiments import cost_of_contacts, soles_in_control
from robot.papers.experiments.soles_in_control import ControlledWalk
from sole.claims import NO_VERDICT, REFUTED, REPRODUCED, Effort

CLAIMS = {claim.name: claim for claim in CHARDONNET_ROBOT_CLAIMS}


def test_the_fit_of_costs_finds_what_was_put_in():
    n, m = (x.ravel() for x in np.meshgrid([1.0, 4.0, 16.0], [8.0, 50.0, 300.0]))
    found, R2 = cost_of_contacts.fit_cost(n, m, 3 + 2 * n * m + 0.5 * m * m)
    assert found == pytest.approx([3, 2, 0.5]) and pytest.approx(1) == R2
    t = 3 + 2 * n * m + 0.5 * m * m + 4 * n + 0.1 * n * m * m
    found, R2 = cost_of_contacts.fit_cost(n, m, t, more=True)
    assert found == pytest.approx([3, 2, 0.5, 4, 0.1]) and pytest.approx(1) == R2
    assert cost_of_contacts.fit_cost(n, m, t)[1] < 0.999


def test_w_of_all_points_is_that_of_the_foot():
    """W = G S6 G': the same numbers by six columns and by all rows."""
    chain = cost_of_contacts.hang_rods(5)
    G = np.random.default_rng(1).standard_normal((9, 6))
    S6 = cost_of_contacts.inverse_inertia(chain, chain.model.createData())
    W = cost_of_contacts.inverse_inertia(chain, chain.model.createData(), G)
    assert pytest.approx(G @ S6 @ G.T) == W


def test_growth_is_an_exponent_with_its_error():
    x = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    assert cost_of_contacts.growth(x, 5 * x**1.5) == pytest.approx((1.5, 0.0), abs=1e-12)
    # what a call costs anyway levels the times of small sizes, which do not count
    slope, error = cost_of_contacts.growth(x, np.array([9.0, 9.0, 4.0, 8.8, 16.0]))
    assert slope == pytest.approx(1) and error == pytest.approx(0.0794, abs=1e-3)


def test_growth_to_the_largest_sizes_counts(monkeypatch):
    """Times that go as n and m^2; a jump that stays refutes, one that is gone again does not."""
    monkeypatch.setattr(cost_of_contacts, "sweep_time", lambda problem, start, repeats: 1e-9)

    def timed(middle, last=64):
        def time(chain, G, repeats, calls):
            m = 1 if G is None else len(G) / 3
            return {4: 4, 16: middle, 64: last}[chain.n] * m + 0.1 * m**2

        monkeypatch.setattr(cost_of_contacts, "_points_time", time)
        found = cost_of_contacts.reproduce_complexity(Effort())
        assert CLAIMS["complexity"].told(found.numbers).startswith("with up to 64 bodies and 279 ")
        return found

    found = timed(16)
    assert CLAIMS["complexity"].verdict(found.numbers) == REPRODUCED
    assert found.numbers["b"] == pytest.approx(1) and found.numbers["c"] == pytest.approx(0.1)
    assert len(found.pictures["complexity"]().axes) == 1
    assert CLAIMS["complexity"].verdict(timed(200).numbers) == REPRODUCED
    assert CLAIMS["complexity"].verdict(timed(400, 1280).numbers) == REFUTED


@pytest.mark.nightly
def test_six_numbers_are_compared_with_all_nodes(monkeypatch):
    numbers = six_numbers.reproduce_per_body(Effort()).numbers
    assert numbers["usable"] == 1 and numbers["error"] < 5
    assert numbers["coarse_nodes"] < 100 < 300 < numbers["fine_nodes"]
    claim = CLAIMS["forces_per_body"]
    for ratio, verdict in ((1.1, REPRODUCED), (0.9, REFUTED)):
        assert claim.verdict({**numbers, "fine_ratio": ratio}) == verdict
    assert claim.verdict({**numbers, "fine_ratio": 6.0, "error": 5.1}) == REFUTED


@pytest.mark.parametrize("falls", [False, True])
def test_the_worst_sole_judges_the_controller(monkeypatch, falls):
    walked = []

    def walk(young, control, steps):
        walked.append((young, control.kind, control.sole_aware.model, steps))
        aware = control.kind == "sole-aware"
        if falls and aware and young == 1e5:
            return ControlledWalk(
                fell_at=2.0, tilt=np.nan, yaw_rate=np.nan, landing=np.nan, failures=0
            )
        tilt = {1e5: 0.1, 3e5: 0.3, 1e6: 0.2}[young] if aware else 1.0
        return ControlledWalk(
            fell_at=np.inf, tilt=tilt, yaw_rate=0.01 * tilt, landing=1.0,
            failures=0 if aware else None,
        )  # fmt: skip

    monkeypatch.setattr(soles_in_control, "walk_under", walk)
    numbers = soles_in_control.reproduce_control(Effort(quick=False)).numbers
    assert len(walked) == len(set(walked)) == 7
    claim = CLAIMS["sole_in_control"]
    if falls:
        assert numbers["aware_fell"] == 1
    else:
        assert (numbers["tilt_ratio"], numbers["yaw_rate"]) == pytest.approx((0.3, 0.003))
    assert claim.told(numbers) and claim.verdict(numbers) == NO_VERDICT
    walked.clear()
    soles_in_control.reproduce_control(Effort())
    assert [w[0] for w in walked] == [3e5] * 3
