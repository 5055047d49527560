"""Least squares for E, nu and eta, with intervals: Gauss-Newton on the condensed sole.

    minimise  sum ((p_k(theta) - y_k)/sigma_k)^2 + (stretch/sd_thickness)^2,
    theta = (ln E_l, nu_l, ln eta, stretch),    cov = (J' S^-2 J)^-1 (times chi^2/dof
    where no standard deviation of the readings was given),

by SciPy's trust-region reflective method with the exact J of `predictions`. sigma_k is a share of
the reading; a second pass takes it of the prediction, which removes the bias towards low readings.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from contact.identify.bench_data import BenchData, BenchReading
from contact.identify.material_family import MaterialFamily
from contact.identify.predictions import BenchPoint, predict
from contact.identify.unknowns import (
    SOFTEST,
    STIFFEST,
    IdentifyOptions,
    Unknowns,
    first_estimate,
)
from sole.base.arrays import FloatArray, frozen
from sole.base.errors import ConfigError, ConvergenceError
from sole.material import Material

STARTS = (0.40, 0.48)  # of nu
PASSES = 2
USUAL_NOISE = 0.02  # weight of every reading while their scatter is not known
LEAST_NOISE = 0.002  # scatter counts as this at least: rounded readings may fit by chance


@dataclass(frozen=True, eq=False, kw_only=True)
class Identification:
    """What a bench says about a sole.

    Parameters
    ----------
    names : of the unknowns, "LAYER.E", "LAYER.nu", "eta", "thickness".
    values : (k,) E [Pa], nu, eta [s], thickness over the mesh's.
    sd : (k,) standard deviations in the same units.
    correlation : (k, k).
    point : all parameters, fixed ones included.
    data : what was fitted. predicted : (n,) [m, rad]. sigma : (n,) their standard deviations.
    noise : standard deviation of a reading over its value, as found from the residuals.
    factor : half the 95 % interval over `sd`: 1.96, or Student's if the noise was found.
    dof : readings less unknowns.
    jacobian : (n, k) of the predictions, for unknowns as fitted (logarithms of E, eta, thickness).
    evaluations : of the model.
    """

    names: tuple[str, ...]
    values: FloatArray
    sd: FloatArray
    correlation: FloatArray
    point: BenchPoint
    data: BenchData
    predicted: FloatArray
    sigma: FloatArray
    noise: float
    factor: float
    dof: int
    jacobian: FloatArray
    evaluations: int

    @property
    def residuals(self) -> FloatArray:
        """(n,) (reading - prediction)/sigma."""
        return (self.data.values - self.predicted) / self.sigma

    def interval(self, name: str) -> tuple[float, float]:
        """Return the 95 % interval of an unknown; of E and eta it is symmetric in the logarithm."""
        k = self.names.index(name)
        value, width = float(self.values[k]), self.factor * float(self.sd[k])
        if name.endswith(".nu"):
            return value - width, value + width
        return value * math.exp(-width / value), value * math.exp(width / value)

    def materials(self, density: Sequence[float]) -> tuple[Material, ...]:
        """Return the materials found, one per layer, with these densities [kg/m^3]."""
        triples = zip(self.point.moduli, self.point.ratios, density, strict=True)
        return tuple(Material(young_modulus=E, poisson_ratio=n, density=r) for E, n, r in triples)


def identify(
    family: MaterialFamily, data: BenchData, options: IdentifyOptions | None = None
) -> Identification:
    """Fit the materials of a family to the readings of a bench.

    The result is not judged: `contact.identify.refuse_doubtful` does that.

    Raises
    ------
    ConfigError
        Fewer readings than unknowns, or a fixed value of an unknown name.
    ConvergenceError
        The fit did not converge, or ended at Young's moduli outside 1e4 to 1e10 Pa.
    EquilibriumError
        A load under which the tool tips.
    """
    options = IdentifyOptions() if options is None else options
    unknowns = Unknowns(family, data, options)
    k, n = len(unknowns.names), len(data.readings)
    if n < k + 1:
        raise ConfigError(
            f"{n} readings for {k} unknowns ({', '.join(unknowns.names)}): give at least {k + 1}, "
            "or fix some (--fix LAYER.nu=0.45)"
        )
    given = np.array([r.sd or options.sd for r in data.readings])
    known = bool((given > 0).all())
    if not known and (given > 0).any():
        raise ConfigError("some rows have an sd and some do not: give it for all (--sd), or none")
    share = given if known else np.full(n, USUAL_NOISE)
    best, evaluations = _fitted(family, data, unknowns, share)
    theta, p, J, sigma = best
    chi2 = float((((p - data.values) / sigma) ** 2).sum())
    dof = n - int(np.isinf(unknowns.prior).sum())
    scale = 1.0 if known else max(math.sqrt(chi2 / dof), LEAST_NOISE / USUAL_NOISE)
    sigma = scale * sigma
    covariance = _covariance(J / sigma[:, None], unknowns.prior)
    theta_sd = np.sqrt(np.maximum(covariance.diagonal(), 0.0))
    point = unknowns.point(theta)
    logarithmic = np.array([not name.endswith(".nu") for name in unknowns.names])
    values = np.where(logarithmic, np.exp(theta), theta)
    noise = math.sqrt(float(((data.values / p - 1) ** 2).sum()) / dof)
    return Identification(
        names=unknowns.names,
        values=frozen(values),
        sd=frozen(np.where(logarithmic, values, 1.0) * theta_sd),
        correlation=frozen(covariance / np.outer(theta_sd, theta_sd)),
        point=point,
        data=data,
        predicted=frozen(p),
        sigma=frozen(sigma),
        noise=noise,
        factor=1.96 if known else _student(dof),
        dof=dof,
        jacobian=frozen(J),
        evaluations=evaluations,
    )


def _fitted(
    family: MaterialFamily, data: BenchData, unknowns: Unknowns, share: FloatArray
) -> tuple[tuple[FloatArray, FloatArray, FloatArray, FloatArray], int]:
    """Return theta, predictions, their derivative and sigma of the best start; evaluations."""
    from scipy.optimize import least_squares

    y, evaluations = data.values, 0
    bounded = ~np.isinf(unknowns.prior)
    memory: dict[bytes, tuple[FloatArray, FloatArray]] = {}

    def model(theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        nonlocal evaluations
        if (key := theta.tobytes()) not in memory:
            memory.clear()
            p, J = predict(family, data.readings, unknowns.point(theta))
            memory[key], evaluations = (p, J[:, unknowns.columns]), evaluations + 1
        return memory[key]

    found: list[tuple[float, FloatArray, FloatArray]] = []
    starts = STARTS if len(family.mesh.layers) == 1 else STARTS[:1]
    for ratio in starts:
        theta = first_estimate(family, data, unknowns, ratio)
        sigma = share * y
        for _ in range(PASSES):

            def misfit(theta: FloatArray, sigma: FloatArray = sigma) -> FloatArray:
                rest = (model(theta)[0] - y) / sigma
                return np.concatenate([rest, (theta / unknowns.prior)[bounded]])

            def slopes(theta: FloatArray, sigma: FloatArray = sigma) -> FloatArray:
                rows = model(theta)[1] / sigma[:, None]
                return np.vstack([rows, np.diag(1 / unknowns.prior)[bounded]])

            done = least_squares(
                misfit, theta, slopes, bounds=(unknowns.low, unknowns.high), x_scale="jac",
                xtol=1e-9, ftol=1e-9, gtol=1e-9, max_nfev=60,
            )  # fmt: skip
            theta, sigma = done.x, share * model(done.x)[0]
        found.append((float(done.cost) if done.success else math.inf, theta, sigma))
    cost, theta, sigma = min(found, key=lambda item: item[0])
    E = np.array(unknowns.point(theta).moduli)
    if not math.isfinite(cost):
        raise ConvergenceError("the fit did not converge: look at the readings (--plot)")
    if not ((E > SOFTEST) & (E < STIFFEST)).all():
        raise ConvergenceError(
            f"the readings ask for E = {', '.join(f'{e:.3g}' for e in E)} Pa, outside "
            f"{SOFTEST:g} to {STIFFEST:g} Pa: check the units of loads and readings"
        )
    p, J = model(theta)
    return (theta, p, J, sigma), evaluations


def _covariance(J: FloatArray, prior: FloatArray) -> FloatArray:
    """(J'J + prior^-2)^-1 of scaled rows; a direction that nothing tells has a huge variance."""
    A = J.T @ J + np.diag(prior**-2.0)
    scale = np.sqrt(np.maximum(A.diagonal(), 1e-30 * A.diagonal().max()))
    w, V = np.linalg.eigh(A / np.outer(scale, scale))
    inverse = (V / np.maximum(w, 1e-14)) @ V.T
    return np.asarray(inverse / np.outer(scale, scale))


def _student(dof: int) -> float:
    from scipy.special import stdtrit  # scipy.stats takes half a second to import

    return float(stdtrit(dof, 0.975))


def reading_covariance(
    family: MaterialFamily, readings: Sequence[BenchReading], point: BenchPoint, share: float
) -> FloatArray:
    """Return J'J of further readings with standard deviation `share` of them: all parameters."""
    p, J = predict(family, readings, point)
    rows = J / (share * p)[:, None]
    return np.asarray(rows.T @ rows)
