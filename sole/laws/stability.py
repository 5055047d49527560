"""Homogeneous states of a law, and its stability over a range of stretches.

    uniaxial   tau_1 given by lambda_1, tau_2 = tau_3 = 0, lambda_2 = lambda_3
    planar     lambda_3 = 1, tau_2 = 0
    shear      simple shear gamma, J = 1
    Drucker    d tau . d e > 0 for every de:  the matrix d tau/de = d2W/de2 is positive definite

with the Kirchhoff stresses tau_i = dW/de_i. The nominal stress, a force per undeformed area, is
tau_1/lambda_1. A law that fails Drucker's condition softens there: a solid of it has no unique
answer.
"""

from __future__ import annotations

import numpy as np

from sole.base.arrays import FloatArray
from sole.base.errors import MaterialError
from sole.laws.laws import HyperelasticLaw

STEPS = 60  # stretches between 1 and each end of the range
ITERATIONS = 60
LARGEST_STEP = 0.2  # of a logarithmic stretch


def derivatives(law: HyperelasticLaw, e: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return tau = dW/de (n, 3) and d tau/de (n, 3, 3) [Pa] of W = w + U at e (n, 3)."""
    _, g, H = law.terms(e)
    j = np.expm1(e.sum(axis=1))
    _, p, bulk = law.volume(j)
    J = 1 + j
    return g + (p * J)[:, None], H + (p * J + bulk * J * J)[:, None, None]


def uniaxial(
    law: HyperelasticLaw, stretch: FloatArray, planar: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Return the nominal stress [Pa] and the lateral stretch at `stretch` (n,), sides unloaded.

    With `planar` one of the two sides is held at stretch 1.

    Raises
    ------
    MaterialError
        No lateral stretch makes the side free of stress: the law is unstable.
    """
    e = path_of(law, np.asarray(stretch, dtype=float), planar)
    tau, _ = derivatives(law, e)
    return tau[:, 0] / np.exp(e[:, 0]), np.exp(e[:, 1])


def simple_shear(law: HyperelasticLaw, gamma: FloatArray) -> FloatArray:
    """Return the nominal shear stress [Pa] at the shear `gamma` (n,): tan of its angle.

    F = 1 + gamma e1 e2' has e = (asinh(gamma/2), -asinh(gamma/2), 0), so that
    P_12 = dW/dgamma = (tau_1 - tau_2) / sqrt(4 + gamma^2).
    """
    gamma = np.asarray(gamma, dtype=float)
    e = np.zeros((len(gamma), 3))
    e[:, 0] = np.arcsinh(gamma / 2)
    e[:, 1] = -e[:, 0]
    tau, _ = derivatives(law, e)
    return np.asarray((tau[:, 0] - tau[:, 1]) / np.sqrt(4 + gamma**2))


def path_of(law: HyperelasticLaw, stretch: FloatArray, planar: bool) -> FloatArray:
    """Return the log stretches e (n, 3) of uniaxial or planar states; raises as `uniaxial`."""
    lam, mu = law.lame
    e = np.zeros((len(stretch), 3))
    e[:, 0] = np.log(stretch)
    nu = lam / (lam + 2 * mu) if planar else lam / (2 * (lam + mu))
    free = [1] if planar else [1, 2]
    e[:, free] = -nu * e[:, :1]
    for _ in range(ITERATIONS):
        tau, D = derivatives(law, e)
        slope = D[:, 1, free].sum(axis=1)
        if not (np.isfinite(tau).all() and (slope > 0).all()):
            break
        step = np.clip(-tau[:, 1] / slope, -LARGEST_STEP, LARGEST_STEP)
        e[:, free] += step[:, None]
        if np.abs(step).max(initial=0.0) < 1e-15:
            return e
    tau, D = derivatives(law, e)
    stress = np.abs(tau[:, 1]) / np.abs(D[:, 1, 1])  # NaN is bad as well
    bad = ~(stress < 1e-13)
    if bad.any():
        raise MaterialError(
            f"unstable law: at the stretch {stretch[bad][0]:.4g} no lateral stretch frees its sides"
        )
    return e


def check_stability(law: HyperelasticLaw, low: float = 0.5, high: float = 1.5) -> None:
    """Raise unless the law is stable (Drucker) at uniaxial and planar stretches `low` to `high`.

    Raises
    ------
    MaterialError
        The message names the deformation and the first stretch that is unstable.
    """
    if not 0 < low <= 1 <= high < np.inf:
        raise MaterialError(f"a range of stretches must contain 1, got {low:g} to {high:g}")
    for end in (low, high):
        stretch = np.geomspace(1.0, end, STEPS)
        for planar in (False, True):
            kind = "planar" if planar else "uniaxial"
            e = path_of(law, stretch, planar)
            least = np.linalg.eigvalsh(derivatives(law, e)[1])[:, 0]
            unstable = ~(least > 0)
            if unstable.any():
                raise MaterialError(
                    f"unstable law: it softens at the {kind} stretch "
                    f"{stretch[unstable][0]:.4g}, wanted {low:g} to {high:g}: "
                    "use fewer terms, or a smaller range"
                )
