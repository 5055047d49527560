"""The classical normal laws: closed forms, and what the paper holds against them."""

from __future__ import annotations

from math import atan2, exp, log1p, sqrt

import numpy as np
import pytest
from scipy.optimize import brentq

from contact.papers.penalty import HuntCrossley, Linearised, PenaltyLaw, SpringDamper, drop
from sole.base.errors import SoleError

SPRING = SpringDamper(k=1e4, c=40.0)
SMOOTH = HuntCrossley(k=1e6, lam=5e5)


def test_spring_and_damper_is_the_damped_oscillator():
    """m p'' = -m g - k p - c p' from p = 0, p' = -u: solved by its complex root."""
    m, u, g = 2.0, 1.5, 9.81
    a, omega = SPRING.c / (2 * m), sqrt(SPRING.k / m - (SPRING.c / (2 * m)) ** 2)
    t = np.linspace(0, 0.04, 81)
    found = drop(SPRING, t, mass=m, height=0.0, velocity=-u)
    rest = -m * g / SPRING.k
    c_1, c_2 = -rest, (-u - a * rest) / omega
    want = rest + np.exp(-a * t) * (c_1 * np.cos(omega * t) + c_2 * np.sin(omega * t))
    assert not len(found.departures)
    np.testing.assert_allclose(found.height, want, rtol=0, atol=1e-11)
    np.testing.assert_allclose(
        found.force, -SPRING.k * found.height - SPRING.c * found.velocity, rtol=1e-12
    )


def test_spring_and_damper_pulls_before_it_lets_go():
    """Without gravity: it leaves at half a period with exp(-a T/2) of its speed and -c p' [N]."""
    m, u = 2.0, 1.5
    a, omega = SPRING.c / (2 * m), sqrt(SPRING.k / m - (SPRING.c / (2 * m)) ** 2)
    t = np.linspace(0, np.pi / omega * 1.1, 401)
    found = drop(SPRING, t, mass=m, height=0.0, velocity=-u, gravity=0.0)
    assert found.departures[0] == pytest.approx(np.pi / omega, rel=1e-10)
    e = exp(-a * np.pi / omega)
    assert found.departure_speeds[0] == pytest.approx(e * u, rel=1e-10)
    assert found.force.min() == pytest.approx(-SPRING.c * e * u, rel=0.02)  # nearest sample
    # the zero of the force: tan(omega t) = -2 a omega / (a^2 - omega^2), past it all are negative
    turned = (np.pi - 2 * atan2(a, omega)) / omega if a > 0 else np.inf
    late = (t > turned) & (t < found.departures[0])
    assert (found.force[late] < 0).all() and late.sum() > 10
    assert (found.force[t < turned] > 0).all()


def test_saturated_it_leaves_faster_and_never_pulls():
    t = np.linspace(0, 1, 801)
    pulling, free = (
        drop(SpringDamper(1e4, 40.0, cut), t, mass=2.0, height=0.1) for cut in (False, True)
    )
    assert pulling.force.min() < -1 and free.force.min() == 0
    assert free.departure_speeds[0] > pulling.departure_speeds[0]


def test_spring_and_damper_sags_under_the_weight_and_linearised_contact_does_not():
    for m in (1.0, 3.0):
        end = drop(SPRING, [0, 4.0], mass=m, height=0.0)
        assert end.height[-1] == pytest.approx(-m * 9.81 / SPRING.k, rel=1e-8)
        assert drop(Linearised(PenaltyLaw(500, 250)), [0, 4.0], mass=m, height=0.0).height[-1] == 0


@pytest.mark.parametrize("m", [1.0, 4.0])
@pytest.mark.parametrize("n", [1.0, 1.5, 2.0])
def test_hunt_and_crossley_restitution(m, n):
    """Without gravity m v dv / (k + lam v) = -d^n dd, so with x = lam v / k

        x - ln(1 + x) at the impact is that of x = -e lam u / k,

    whatever m and n: the one thing that its parameters do not tie to the mass.
    """
    u, law = 1.5, HuntCrossley(k=1e6, lam=5e5, n=n)
    x = law.lam * u / law.k
    e = brentq(lambda e: -e * x - log1p(-e * x) - (x - log1p(x)), 0.01, min(1, 0.999999 / x))
    found = drop(law, [0, 1.0], mass=m, height=0.0, velocity=-u, gravity=0.0)
    assert found.departure_speeds[0] / u == pytest.approx(e, rel=1e-7)


def test_hunt_and_crossley_pulls_only_when_pulled_apart():
    """f_n < 0 needs p' > k/lam = 2 m/s: no bounce gets there, a strong pull does."""
    t = np.linspace(0, 0.5, 2001)
    bounce = drop(SMOOTH, t, mass=2.0, height=0.2)
    assert bounce.force.min() >= 0 and len(bounce.departures)
    torn = drop(SMOOTH, t, mass=0.05, height=-0.02, velocity=0.0, pull=400.0, pull_time=0.0)
    assert torn.force.min() < -10
    inside = torn.height < 0
    np.testing.assert_array_equal(torn.force[inside] < 0, torn.velocity[inside] > 2.0)
    cut = HuntCrossley(SMOOTH.k, SMOOTH.lam, saturated=True)
    assert drop(cut, t, mass=0.05, height=-0.02, pull=400.0, pull_time=0.0).force.min() == 0
    ours = Linearised(PenaltyLaw(500.0, 250.0))
    assert drop(ours, t, mass=0.05, height=-0.02, pull=400.0, pull_time=0.0).force.min() == 0


@pytest.mark.parametrize("law", [SPRING, SMOOTH])
def test_the_same_parameters_move_another_mass_differently(law):
    t = np.linspace(0, 1, 201)
    light, heavy = (drop(law, t, mass=m, height=0.1).height for m in (1.0, 4.0))
    ours = Linearised(PenaltyLaw(1e4, 40.0))
    same = [drop(ours, t, mass=m, height=0.1).height for m in (1.0, 4.0)]
    assert np.abs(light - heavy).max() > 5e-3
    np.testing.assert_allclose(*same, rtol=0, atol=1e-10)


def test_a_pull_between_the_sample_times():
    """Times stay those asked for, wherever the pull begins; before it nothing changes."""
    t = np.linspace(0, 0.3, 31)
    alone = drop(SPRING, t, height=0.1)
    for when in (0.155, float(t[15]), 0.2999):
        pulled = drop(SPRING, t, height=0.1, pull=30.0, pull_time=when)
        np.testing.assert_array_equal(pulled.times, t)
        before = t < when
        np.testing.assert_allclose(pulled.height[before], alone.height[before], atol=1e-12)
        assert (np.abs(pulled.height - alone.height)[t > when] > 0).all()
        assert len(pulled.force) == len(pulled.velocity) == 31
    late = drop(SPRING, t, height=0.1, pull=30.0, pull_time=0.3)
    np.testing.assert_array_equal(late.height, alone.height)


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: SpringDamper(0.0, 1.0), "k must"),
        (lambda: SpringDamper(1.0, -1.0), "c must"),
        (lambda: SpringDamper(np.nan, 1.0), "k must"),
        (lambda: HuntCrossley(1.0, -1.0), "lam must"),
        (lambda: HuntCrossley(-1.0, 1.0), "k must"),
        (lambda: HuntCrossley(1.0, 1.0, n=0.5), "n must"),
        (lambda: Linearised(PenaltyLaw(1.0, 1.0), saturated=False), "saturated"),
    ],
)
def test_laws_that_are_refused(make, words):
    with pytest.raises(SoleError, match=words):
        make()
