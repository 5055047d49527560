"""The first-order force law: its decay on plants with known stiffness, and when it is unstable."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from press_cases import pad
from scipy.integrate import solve_ivp

from contact.papers.foundation import (
    ForceLaw,
    WinklerFoundation,
    four_pads,
    rectangle_region,
    segments_region,
    slipping_U,
    sole_U,
)
from contact.press import RigidMotion, press
from sole.base.errors import ConfigError, SoleError

DELTA, T = 0.02, 1e-3
PADS = WinklerFoundation(region=four_pads(0.26, 0.15, 0.08, 0.05).shifted(0.03, 0.0), c_A=1e8)
LAW = ForceLaw.of(PADS.U, DELTA)
START = np.array([0.002, -0.003, -1e-4])


def run(law, plant, x, targets):
    """Errors (steps + 1, 3) of the sampled law on lambda = plant(x)."""
    errors = []
    for now, later in pairwise(targets):
        errors.append(now - plant(x))
        x = x + law.increment(plant(x), now, T, later)
    return np.array([*errors, targets[-1] - plant(x)])


def test_continuous_decay():
    target = np.array([5.0, -8.0, 300.0])

    def slope(_, x):
        return LAW.rate(PADS.wrench(x), target)

    times = np.linspace(0, 3 * DELTA, 7)
    found = solve_ivp(slope, (0, times[-1]), START, t_eval=times, rtol=1e-10, atol=1e-14)
    e = target - PADS.wrench(found.y.T)
    assert e == pytest.approx(e[0] * np.exp(-times / DELTA)[:, None], abs=1e-8 * np.abs(e).max())


def test_sampled_decay_is_exact_for_moving_targets_too():
    t = T * np.arange(200)
    targets = np.column_stack([5 * np.sin(30 * t), 8 * np.cos(20 * t), 300 + 1000 * t])
    e = run(LAW, PADS.wrench, START, targets)
    factor = (1 - T / DELTA) ** np.arange(200)
    # Round-off of c_A A times a pose, about 1e6 N/m times 1e-3 m, at every step.
    assert e == pytest.approx(e[0] * factor[:, None], abs=1e-9)


def test_a_rate_of_the_target_is_worth_its_change():
    now, later = np.array([1.0, 2.0, 300.0]), np.array([1.5, 1.0, 310.0])
    moved = LAW.increment([0, 0, 290.0], now, T, later)
    assert moved == pytest.approx(T * LAW.rate([0, 0, 290.0], now, (later - now) / T))


@pytest.mark.parametrize("kappa", [0.5, 3.0, 39.9, 40.1])
def test_mismatch_of_the_stiffness(kappa):
    """Rate kappa/delta; stable if and only if kappa T/delta < 2, here kappa < 40."""
    law = ForceLaw.of(PADS.U / kappa, DELTA)
    assert law.mismatch(PADS.U) == pytest.approx(kappa)
    assert law.stable(PADS.U, T) == (kappa < 40)
    e = run(law, PADS.wrench, START, np.tile([0.0, 0.0, 300.0], (101, 1)))
    factor = (1 - kappa * T / DELTA) ** np.arange(101)
    assert e == pytest.approx(e[0] * factor[:, None], abs=1e-8 * np.abs(e).max())
    assert (np.abs(e[-1]) < np.abs(e[0])).all() == (kappa < 40)


def test_springs_in_the_law_and_finite_elements_in_the_plant():
    sole = pad()
    U = sole_U(sole)
    springs = WinklerFoundation.of_layer(rectangle_region(0.20, 0.12), 1e6, 0.02)
    law = ForceLaw.of(springs.U, DELTA)
    kappa = law.mismatch(U)
    assert (kappa > 1).all()  # a bonded pad is stiffer than its springs
    assert kappa == pytest.approx(np.sort(np.diag(U) / np.diag(springs.U)), rel=1e-3)
    e = run(law, lambda x: U @ x, START / 100, np.tile([0.0, 0.0, 30.0], (41, 1)))
    gain = law.error_gain(U, T)
    assert e[-1] == pytest.approx(np.linalg.matrix_power(gain, 40) @ e[0], abs=1e-9)
    exact = ForceLaw.of(U, DELTA)
    assert exact.mismatch(U) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("start", "friction", "within"),
    [
        # All nodes stick: linear up to displacement/half width, 4e-6 m/0.06 m.
        ((5e-6, -3e-6, -1e-6), 0.7, 1e-4),
        # Partly lifted and slipping: each step takes 5 % of the way, and a few nodes change their
        # status, which bends lambda(x). With U of the whole tread they are 0.974 to 1.03.
        ((2e-5, -2e-5, -1e-6), 0.3, 0.02),
    ],
)
def test_a_pressed_sole_obeys_the_law(start, friction, within):
    """The plant is the press itself; U is taken where it stands."""
    sole, x, factors = pad(), np.array(start), []
    target = np.array([0.0, 0.0, 3.0])
    result = press(sole, RigidMotion(roll=x[0], pitch=x[1], sink=-x[2]), friction=friction)
    for _ in range(4):
        wrench = result.wrench[[3, 4, 2]]
        x = x + ForceLaw.of(slipping_U(result), DELTA).increment(wrench, target, T)
        result = press(sole, RigidMotion(roll=x[0], pitch=x[1], sink=-x[2]), friction=friction)
        factors.append((target - result.wrench[[3, 4, 2]]) / (target - wrench))
    assert np.array(factors) == pytest.approx(1 - T / DELTA, abs=within)


def test_cosines_slow_the_torques_a_little():
    """The plant with the cosines of equations (3) and (4), the law with the small angles of (8)."""
    law, x = LAW, np.array([0.15, -0.2, -1e-3])

    def plant(x):
        return PADS.U_with_cosines(x) @ x

    e = run(law, plant, x, np.tile([0.0, 0.0, 300.0], (400, 1)))
    assert np.abs(e[-1]).max() < 1e-6 * np.abs(e[0]).max()
    # At the target the angles vanish, and with them the difference.
    late = e[201:260] / e[200:259]
    assert late == pytest.approx(1 - T / DELTA, abs=1e-4)
    exact = ForceLaw.of(PADS.gradient_with_cosines(x), DELTA)
    first = run(exact, plant, x, np.tile([0.0, 0.0, 300.0], (2, 1)))
    early = e[1] / e[0]
    assert np.abs(first[1] / first[0] - 0.95).max() < 0.1 * np.abs(early - 0.95).max()


def test_partial_contact_needs_its_own_U():
    """A foot on its front pads: U of the whole foot is too stiff, the loop too slow."""
    x, target = np.array([0.0, 0.02, 1e-3]), np.array([0.0, -20.0, 200.0])
    here = PADS.pressed(x)
    assert here.area < 0.7 * PADS.region.area
    whole, own = LAW.error_gain(here.U, T), ForceLaw.of(here.U, DELTA).error_gain(here.U, T)
    assert own == pytest.approx(0.95 * np.eye(3), abs=1e-9)
    assert np.abs(np.linalg.eigvals(whole)).max() > 0.98
    after = x + ForceLaw.of(here.U, DELTA).increment(here.wrench, target, T)
    assert target - PADS.pressed(after).wrench == pytest.approx(
        0.95 * (target - here.wrench), abs=0.01 * np.abs(target - here.wrench).max()
    )


def test_bad_input():
    for delta in (0.0, -1.0, np.nan):
        with pytest.raises(ConfigError, match="delta"):
            ForceLaw.of(PADS.U, delta)
    with pytest.raises(SoleError, match="singular"):
        ForceLaw.of(WinklerFoundation(region=segments_region([[(0, 0), (1, 0)]]), c_A=1.0).U, DELTA)
    with pytest.raises(SoleError, match="desired"):
        LAW.rate([0, 0, 0], [0, 0, np.nan])
    with pytest.raises(SoleError, match="wrench"):
        LAW.rate([0, 0], [0, 0, 0])
    with pytest.raises(ConfigError, match="dt"):
        LAW.increment([0, 0, 0], [0, 0, 0], 0.0)
    with pytest.raises(SoleError, match="U_inverse"):
        ForceLaw(U_inverse=np.eye(2), delta=DELTA)
