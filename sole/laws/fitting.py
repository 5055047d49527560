"""Fit of a hyperelastic law to measured stress and strain.

    minimise  sum_i ((s(x_i; mu, alpha) - s_i) / S_test)^2      over mu_k > 0 and alpha_k

s is the nominal stress of the exact homogeneous state, sides free of stress, and S_test the largest
measured stress of the point's test. Poisson's ratio at rest is given: curves of stress hardly show
it. Positive moduli keep every term convex; the result is checked for stability all the same. The
search starts from several powers, as there are several local minima.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from sole.base.arrays import FloatArray
from sole.base.errors import ConfigError, MaterialError
from sole.laws.laws import MOST_TERMS, HyperelasticLaw, Hyperfoam, NeoHooke, Ogden
from sole.laws.stability import check_stability, simple_shear, uniaxial
from sole.laws.stress_strain import StressStrain

STARTS = (-6.0, -2.0, 2.0, 6.0, 12.0)  # powers
LARGEST = 40.0  # power
USUAL_POISSON = {"neo-hooke": 0.49, "ogden": 0.49, "hyperfoam": 0.0}
STABLE = (0.5, 1.5)  # the least range, as a shape asks for
IMPOSSIBLE = 1e3  # residual of a law that has no stress


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedLaw:
    """A fitted law.

    Parameters
    ----------
    law : stable over `stretches`.
    rms, largest : error of the stress over the largest measured stress of its test.
    stretches : least and largest stretch of the check of stability.
    """

    law: HyperelasticLaw
    rms: float
    largest: float
    stretches: tuple[float, float]


def fit_law(
    data: StressStrain,
    law: str,
    terms: int = 1,
    poisson: float | None = None,
    tell: Callable[[float], None] | None = None,
) -> FittedLaw:
    """Fit "neo-hooke", "ogden" or "hyperfoam".

    Parameters
    ----------
    data : of one material.
    terms : 1 to 3; neo-Hooke has one.
    poisson : nu at rest, of every term of a foam; default 0.49, and 0 for foams.
    tell : called with the part that is done.

    Raises
    ------
    ConfigError
        No such law, terms out of range, or more constants than points.
    MaterialError
        No stable law fits.
    """
    if law not in USUAL_POISSON:
        raise ConfigError(f"there is no law '{law}'; the laws are {', '.join(USUAL_POISSON)}")
    if not 1 <= terms <= (1 if law == "neo-hooke" else MOST_TERMS):
        most = 1 if law == "neo-hooke" else MOST_TERMS
        raise ConfigError(f"{law} has 1 to {most} terms, got {terms}")
    constants = 1 if law == "neo-hooke" else 2 * terms
    if len(data.stress) < constants:
        raise ConfigError(
            f"{len(data.stress)} points cannot give {constants} constants: fewer terms, or more"
        )
    nu = USUAL_POISSON[law] if poisson is None else poisson
    low, high = data.stretches
    stretches = min(low, STABLE[0]), max(high, STABLE[1])
    starts = [()] if law == "neo-hooke" else list(combinations(STARTS, terms))
    found, reason = [], "no start converged"
    for number, alpha in enumerate(starts):
        try:
            made, errors = _from(data, law, nu, np.array(alpha))
            check_stability(made, *stretches)
        except MaterialError as error:
            reason = str(error)
        else:
            found.append((float(np.sqrt((errors**2).mean())), float(np.abs(errors).max()), made))
        if tell is not None:
            tell((number + 1) / len(starts))
    if not found:
        raise MaterialError(f"no stable {law} law fits: {reason}")
    rms, largest, best = min(found, key=lambda one: one[0])
    return FittedLaw(law=best, rms=rms, largest=largest, stretches=stretches)


def _from(
    data: StressStrain, law: str, nu: float, alpha: FloatArray
) -> tuple[HyperelasticLaw, FloatArray]:
    """Return the law at the minimum next to the powers `alpha`, and its errors."""
    from scipy.optimize import least_squares

    slopes = np.abs(data.stress[data.strain != 0] / data.strain[data.strain != 0])
    first = np.log(float(np.median(slopes)) / 3 / max(len(alpha), 1))
    x0 = np.concatenate([np.full(max(len(alpha), 1), first), alpha])
    n = max(len(alpha), 1)
    lower = np.concatenate([np.full(n, first - 12), np.full(len(alpha), -LARGEST)])
    upper = np.concatenate([np.full(n, first + 8), np.full(len(alpha), LARGEST)])

    def errors(x: FloatArray) -> FloatArray:
        try:
            return errors_of(_law(law, nu, x), data)
        except MaterialError:
            return np.full(len(data.stress), IMPOSSIBLE)

    best = least_squares(errors, x0, bounds=(lower, upper), x_scale="jac", max_nfev=200).x
    made = _law(law, nu, best)
    return made, errors_of(made, data)


def _law(law: str, nu: float, x: FloatArray) -> HyperelasticLaw:
    if law == "neo-hooke":
        return NeoHooke.of(2 * (1 + nu) * float(np.exp(x[0])), nu)
    n = len(x) // 2
    mu, alpha = tuple(np.exp(x[:n]).tolist()), tuple(x[n:].tolist())
    if law == "hyperfoam":
        return Hyperfoam(mu=mu, alpha=alpha, nu=(nu,) * n)
    return Ogden.of(2 * (1 + nu) * sum(mu), nu, alpha, mu)


def errors_of(law: HyperelasticLaw, data: StressStrain) -> FloatArray:
    """Return (n,) model minus measured stress, over the largest measured one of its test."""
    errors = np.empty(len(data.stress))
    for test in set(data.test):
        own = data.of(test)
        strain, stress = data.strain[own], data.stress[own]
        if test == "shear":
            model = simple_shear(law, strain)
        else:
            model, _ = uniaxial(law, 1 + strain, planar=test == "planar")
        errors[own] = (model - stress) / float(np.abs(stress).max() or 1.0)
    return errors
