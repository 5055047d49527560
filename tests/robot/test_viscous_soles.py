"""Sole-aware control on viscous soles with noisy sensors: it stands, it walks, it knows d."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from aware_cases import T, standing
from sensing_cases import PERFECT

from robot.control.sensed_soles import FELT, felt_eta
from robot.gait import Walking
from robot.walk import ControlChoice, Scenario, SoleChoice, assemble_walk
from robot.walk.scenario_tables import Sensing

CALM = np.deg2rad(1.0)  # rad: a robot on elastic soles inclines by a tenth of it


def inclined(walk):
    """Return the largest inclination of the waist [rad]; a robot that lies has more than 1 rad."""
    return max(2 * np.abs(step.state.q[3:5]).max() for step, _ in walk.steps())


NIGHTLY = pytest.mark.nightly


ALL = [(3e5, 0.01), (1e6, 0.02), (3e6, 0.01), (1e7, 0.005)]
# The softest and the stiffest sole; the others are larger samples.
FEW = [(*ALL[0], 1), (*ALL[3], 1)]


@pytest.mark.parametrize(
    ("young", "eta", "seed"),
    [
        pytest.param(*sole, seed, marks=() if (*sole, seed) in FEW else NIGHTLY)
        for sole in ALL
        for seed in (1, 2)
    ],
)
def test_it_stands_on_viscous_soles(young, eta, seed):
    walk = standing(young, "noisy", eta=eta, seed=seed)
    assert inclined(walk) < CALM
    assert walk.controller.failures == 0


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("young", "eta", "seed"), [(3e5, 0.02, 1), pytest.param(1e6, 0.02, 2, marks=NIGHTLY)]
)
def test_it_walks_two_steps_on_viscous_soles(young, eta, seed):
    scenario = standing(young, "noisy", settle=0.0, eta=eta, seed=seed).scenario
    gait = Walking(steps=2, initial=1.0, final=0.8, single=0.6)
    walk = assemble_walk(replace(scenario, gait=gait, settle=0.3))
    assert inclined(walk) < CALM
    assert walk.controller.failures == 0


@pytest.mark.parametrize("sensing", ["true", "noisy"])
def test_a_robot_that_is_set_down_does_not_fall_freely(sensing):
    """Its soles carry nothing at first: feet that reached for the ground let it fall for 10 ms.

    With this seed, noise and element ccr it bounced from then on, until it lay.
    """
    walk = standing(3e6, sensing, settle=0.0, eta=0.02, seed=2)
    down = [step.state.v[2] for step, _ in walk.steps()]
    assert min(down) > -0.05  # m/s; -0.09 where it fell
    assert walk.controller.failures == 0


@pytest.mark.slow
@NIGHTLY
def test_light_feet_do_not_bounce_on_stiff_viscous_soles():
    """With half of FELT, and no noise of speeds expected, a foot bounced at 3.1 s: it fell."""
    scenario = Scenario(
        sole=SoleChoice(young=3e6, eta=0.02),
        gait=Walking(steps=4),
        control=ControlChoice(kind="sole-aware"),
        sensing=Sensing(kind="noisy"),
        seed=3,
        duration=3.4,
    )
    assert inclined(assemble_walk(scenario)) < CALM


def test_the_estimator_knows_how_fast_viscous_soles_yield():
    """Perfect sensors: the waist's height is known while it sinks, as on elastic soles.

    1 MPa and eta = 0.05 s: the sole yields by 0.1 mm and more, within some eta; without eta in the
    estimator it seems to yield at once.
    """
    worst = []
    for known in (True, False):
        walk = standing(sensing="noisy", settle=0.0, eta=0.05)
        walk = replace(walk, scenario=replace(walk.scenario, duration=0.1))
        walk.sensors.noise = PERFECT
        if not known:
            walk.estimator.yields = 1.0
        heights = [(walk.estimator.q[2], step.state.q[2]) for step, _ in walk.steps()]
        worst.append(max(abs(a - b) for a, b in heights))
    assert worst[0] < worst[1] / 2


def test_so_much_viscosity_is_counted_on():
    """(T + eta) k <= FELT, never more than there is, and none where T k is more."""
    assert felt_eta(1e4, 0.01, T) == 0.01
    assert (T + felt_eta(1e6, 0.02, T)) * 1e6 == pytest.approx(FELT)
    assert felt_eta(2 * FELT / T, 0.01, T) == 0.0
    assert felt_eta(1e6, 0.0, T) == 0.0
    exact, noisy = (
        standing(1e6, kind, settle=0.0, eta=0.01).controller for kind in ("true", "noisy")
    )
    assert exact.gains.eta == exact.observer.eta == 0.01
    stiffness = noisy.contact.soles[0].foot_stiffness[2, 2]
    assert noisy.gains.eta == noisy.observer.eta == pytest.approx(FELT / stiffness - T)
