"""Hyperelastic laws: derivatives, closed forms, the limit of small strain, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

from sole.base.errors import MaterialError
from sole.hyperelastic import piola_stress, piola_tangent, principal_axes
from sole.laws import Hyperfoam, NeoHooke, Ogden, check_stability, uniaxial
from sole.material import Material

E = 1e6
LAWS = {
    "neo-Hooke": NeoHooke.of(E, 0.45),
    "Ogden, one term": Ogden.of(E, 0.49),
    "Ogden, three terms": Ogden.of(E, 0.49, (1.3, 5.0, -2.0), (0.4095, 0.003, 0.01)),
    "foam": Hyperfoam.of(E, 0.1),
    "foam, two terms": Hyperfoam(mu=(3e5, 1e5), alpha=(8.0, -2.0), nu=(0.1, 0.3)),
    "foam, nu = 0": Hyperfoam.of(E, 0.0, (4.0,)),
}
every_law = pytest.mark.parametrize("law", LAWS.values(), ids=LAWS.keys())


def stress(law, gradient):
    """P and A of W = w + U at displacement gradients (n, 3, 3)."""
    axes = principal_axes(gradient)
    _, g, H = law.terms(axes.e)
    j = np.expm1(axes.e.sum(axis=1))
    _, p, bulk = law.volume(j)
    J = 1 + j
    g = g + (p * J)[:, None]
    H = H + (p * J + bulk * J * J)[:, None, None]
    return piola_stress(axes, g), piola_tangent(axes, g, H)


@every_law
def test_terms_are_the_derivatives_of_the_energy(law):
    rng, h = np.random.default_rng(3), 1e-5
    e = rng.uniform(-0.5, 0.4, (20, 3))
    _, g, H = law.terms(e)
    for i in range(3):
        d = h * np.eye(3)[i]
        (w1, g1, _), (w0, g0, _) = law.terms(e + d), law.terms(e - d)
        np.testing.assert_allclose((w1 - w0) / (2 * h), g[:, i], atol=1e-8 * np.abs(g).max())
        np.testing.assert_allclose((g1 - g0) / (2 * h), H[:, i], atol=1e-8 * np.abs(H).max())
    j = rng.uniform(-0.5, 0.5, 20)
    _, p, bulk = law.volume(j)
    (U1, p1, _), (U0, p0, _) = law.volume(j + h), law.volume(j - h)
    np.testing.assert_allclose((U1 - U0) / (2 * h), p, atol=1e-8 * E)
    np.testing.assert_allclose((p1 - p0) / (2 * h), bulk, rtol=1e-7)


@every_law
@pytest.mark.parametrize("size", [1e-7, 0.3], ids=["equal stretches", "large strain"])
def test_tangent_is_the_derivative_of_the_stress(law, size):
    """Near equal stretches the limit of (W_i - W_j)/(s_i - s_j) stands in."""
    rng, h = np.random.default_rng(4), 1e-6
    gradient = size * rng.uniform(-1, 1, (20, 3, 3))
    _, A = stress(law, gradient)
    for i in range(9):
        d = h * np.eye(9)[i].reshape(3, 3)
        change = (stress(law, gradient + d)[0] - stress(law, gradient - d)[0]) / (2 * h)
        np.testing.assert_allclose(
            change.reshape(-1, 9), A[:, i], atol=1e-8 * np.abs(A).max(), rtol=0
        )


@every_law
def test_small_strain_is_hookes_law(law):
    lam, mu = law.lame
    grad = 1e-9 * np.random.default_rng(5).uniform(-1, 1, (1, 3, 3))
    strain = (grad + grad.transpose(0, 2, 1))[0] / 2
    hooke = lam * np.trace(strain) * np.eye(3) + 2 * mu * strain
    P = stress(law, grad)[0][0]
    np.testing.assert_allclose(P, hooke, atol=1e-7 * np.abs(hooke).max(), rtol=0)


def test_neo_hooke_has_todays_lame_constants():
    material = Material(young_modulus=E, poisson_ratio=0.45)
    assert NeoHooke.of(E, 0.45).lame == material.lame
    for law in (Ogden.of(E, 0.45), Hyperfoam.of(E, 0.45)):
        np.testing.assert_allclose(law.lame, material.lame, rtol=1e-14)


@pytest.mark.parametrize("stretch", [0.9, 0.75, 0.5, 1.3])
def test_uniaxial_neo_hooke(stretch):
    """tau_2 = 0 is mu (l^2 - 1) + lam/2 (J^2 - 1) = 0, J = s l^2: a quadratic of l^2."""
    law = NeoHooke.of(E, 0.45)
    lam, mu = law.lame
    a, b, c = lam / 2 * stretch**2, mu, -mu - lam / 2
    square = (-b + np.sqrt(b * b - 4 * a * c)) / (2 * a)
    J2 = (stretch * square) ** 2
    expected = (mu * (stretch**2 - 1) + lam / 2 * (J2 - 1)) / stretch
    P, lateral = uniaxial(law, np.array([stretch]))
    np.testing.assert_allclose(P[0], expected, rtol=1e-10)
    np.testing.assert_allclose(lateral[0] ** 2, square, rtol=1e-12)


@pytest.mark.parametrize("alpha", [8.0, -2.0, 2.0])
@pytest.mark.parametrize("stretch", [0.9, 0.5])
def test_uniaxial_foam(alpha, stretch):
    """tau_2 = 0 is l^a = J^(-a b), J = s l^2: l = s^(-b/(1 + 2b)) = s^-nu for every power."""
    law = Hyperfoam.of(E, 0.1, (alpha,))
    mu, b = law.lame[1], 0.1 / 0.8
    lateral = stretch**-0.1
    J = stretch * lateral**2
    P, found = uniaxial(law, np.array([stretch]))
    expected = 2 * mu / alpha * (stretch**alpha - J ** (-alpha * b)) / stretch
    np.testing.assert_allclose(P[0], expected, rtol=1e-10)
    np.testing.assert_allclose(found[0], lateral, rtol=1e-12)


@pytest.mark.parametrize("stretch", [0.9, 0.5])
def test_uniaxial_ogden(stretch):
    """Both conditions written in J and stretches, solved by another method."""
    alpha, share = (1.3, 5.0, -2.0), (0.4095, 0.003, 0.01)
    law = Ogden.of(E, 0.49, alpha, share)

    def tau(l):
        J = stretch * l * l
        s = np.array([stretch, l, l]) * J ** (-1 / 3)
        own = sum(2 * m / a * (s**a - (s**a).mean()) for m, a in zip(law.mu, alpha, strict=True))
        return own + law.kappa * (J - 1) * J

    l = brentq(lambda l: tau(l)[1], 0.5, 3.0, xtol=1e-15, rtol=1e-15)
    P, lateral = uniaxial(law, np.array([stretch]))
    np.testing.assert_allclose([P[0], lateral[0]], [tau(l)[0] / stretch, l], rtol=1e-10)


def test_foam_of_power_two_against_invariants():
    """a = 2: w = mu/2 (I1 - 3 + (J^-2b - 1)/b);  a = -2: I2/J^2 in place of I1, J^2b of J^-2b."""
    F = np.eye(3) + 0.3 * np.random.default_rng(6).uniform(-1, 1, (10, 3, 3))
    e = principal_axes(F - np.eye(3)).e
    C = F.transpose(0, 2, 1) @ F
    I1 = np.trace(C, axis1=1, axis2=2)
    J = np.linalg.det(F)
    I2 = (I1**2 - np.trace(C @ C, axis1=1, axis2=2)) / 2
    b = 0.1 / 0.8
    for alpha, first, power in ((2.0, I1, -2 * b), (-2.0, I2 / J**2, 2 * b)):
        law = Hyperfoam.of(E, 0.1, (alpha,))
        expected = law.lame[1] / 2 * (first - 3 + (J**power - 1) / b)
        np.testing.assert_allclose(law.terms(e)[0], expected, rtol=1e-11)


@every_law
def test_clipped_tangent_is_positive(law):
    gradient = np.diag([-0.7, 0.1, 0.1])[None]
    axes = principal_axes(gradient)
    H = np.diag([-1.0, 2.0, 3.0])[None] * E
    A = piola_tangent(axes, np.array([[-5.0, 1.0, 2.0]]) * E, H, positive=True)
    assert np.linalg.eigvalsh(A)[0, 0] > 0
    assert np.linalg.eigvalsh(stress(law, 0 * gradient)[1]).min() > -1e-9 * E


@every_law
def test_usual_laws_are_stable(law):
    check_stability(law, 0.4, 1.5)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: NeoHooke(mu=-1.0, lam=1.0), "unstable at small strain"),
        (lambda: NeoHooke.of(E, 0.5), "Poisson's ratio must lie inside"),
        (lambda: Ogden(mu=(1.0, -2.0), alpha=(2.0, 3.0), kappa=1.0), "unstable at small strain"),
        (lambda: Ogden(mu=(1.0,), alpha=(2.0, 3.0), kappa=1.0), "as many powers, got 1 and 2"),
        (lambda: Ogden(mu=(1.0,), alpha=(0.0,), kappa=1.0), "a power must not be 0"),
        (lambda: Ogden(mu=(1.0,), alpha=(2.0,), kappa=float("nan")), "must be positive"),
        (lambda: Ogden.of(E, 0.4, (2.0,), (0.0,)), "the shares must have a positive sum"),
        (lambda: Hyperfoam(mu=(1.0,), alpha=(2.0,), nu=(0.6,)), "of a term must lie inside"),
        (lambda: Hyperfoam(mu=(1.0,), alpha=(2.0,), nu=()), "0 Poisson's ratios for 1 terms"),
        (
            lambda: check_stability(Ogden(mu=(1.4e5, -4e4), alpha=(2.0, 6.0), kappa=1e7), 0.9, 2.0),
            "it softens at the uniaxial stretch 1.",
        ),
        (lambda: check_stability(NeoHooke.of(E, 0.4), 1.1, 2.0), "must contain 1"),
    ],
)
def test_refused(make, message):
    with pytest.raises(MaterialError, match=message):
        make()
