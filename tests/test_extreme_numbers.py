"""Tolerances below round-off and numbers of things beyond reason are refused before any work."""

from __future__ import annotations

import pytest

from contact.ground import Gravel
from contact.press import PressOptions
from contact.solvers import check_options
from contact.solvers.gauss_seidel import GaussSeidel
from contact.step import StepOptions
from robot.gait import Squatting, Walking
from robot.retime import RetimeChoice
from robot.walk import Scenario, replace_values
from sole.base import config
from sole.base.errors import SoleError
from sole.shape.parts import Blocks
from sole.studies import Sampling
from sole.studies.design.design_study import SearchOptions

HUGE = 18446744073709551616


@pytest.mark.parametrize("value", [5e-324, 1e-300, 9e-15, 0.0, -1e-6, 1.0, float("nan")])
@pytest.mark.parametrize(
    "make",
    [
        lambda v: Scenario(tolerance=v),
        lambda v: StepOptions(tolerance=v),
        lambda v: PressOptions(tolerance=v),
        lambda v: check_options("newton", v),
    ],
)
def test_a_tolerance_below_round_off_is_refused(make, value):
    with pytest.raises(SoleError, match="tolerance must be from 1e-14 to below 1, got"):
        make(value)
    make(1e-14)


@pytest.mark.parametrize("value", [HUGE, 10**40, 10**400])
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda v: Walking(steps=v), "gait: steps must be 1 to 1000"),
        (lambda v: Squatting(cycles=v), "gait: cycles must be 1 to 1000"),
        (lambda v: Scenario(seed=v), "seed must be below 2^63"),
        (lambda v: RetimeChoice(points=v), "retime: points must be 10 to 100000"),
        (lambda v: PressOptions(seed=v), "seed must be below 2^63"),
        (lambda v: GaussSeidel(seed=v), "seed must be below 2^63"),
        (lambda v: GaussSeidel(seed=-v), "seed must not be below"),
        (lambda v: check_options("auto", 1e-8, v), "sweeps must be 1 to"),
        (lambda v: Gravel(seed=v), "seed must be below 2^63"),
        (lambda v: Sampling(scheme="lhs", number=2, seed=v), "seed of samples must be below"),
        (lambda v: SearchOptions(minimise="k_z_z", evaluations=v), "evaluations must be 1 to"),
        (lambda v: Blocks(columns=v, gap=1e-3, height=1e-3), "at most 10000 tread blocks"),
    ],
)
def test_numbers_beyond_reason_are_refused(make, message, value):
    with pytest.raises(SoleError) as refused:
        make(value)
    assert message in str(refused.value)
    assert len(str(refused.value)) < 150 or value == 10**400


@pytest.mark.parametrize("value", [1e300, -1e300, 5e-324, 1e31])
def test_numbers_whose_powers_overflow_are_refused_wherever_they_stand(value):
    for told, call in (
        ("gait.com_height", lambda: replace_values(Scenario(), gait={"com_height": value})),
        ("x: push.0.force.1", lambda: structure({"push": [PUSH | {"force": [0.0, value, 0.0]}]})),
        ("x: sole.young", lambda: structure({"sole": {"young": value}})),
    ):
        with pytest.raises(SoleError, match=f"^{told}: .* is beyond any quantity"):
            call()
    structure({"push": [PUSH]})


PUSH = {"force": [0.0, 1e-30, -1e3], "start": 0.0}


def structure(table):
    return config.structure(table, Scenario, "x")
