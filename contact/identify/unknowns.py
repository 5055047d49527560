"""What a fit looks for: options, the vector theta of unknowns, and where it starts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from contact.identify.bench_data import BenchData, BenchReading
from contact.identify.material_family import LOWEST, MaterialFamily
from contact.identify.predictions import BenchPoint, predict
from sole.base.arrays import FloatArray
from sole.base.errors import ConfigError

SOFTEST, STIFFEST = 1e4, 1e10  # Pa: outside, units are wrong
SHORT, LONG = 1e-4, 1e5  # s, of eta
APART = 1e5  # times the E of the others: beyond it a reading cannot be right
LEAST_SD = 1e-8  # of a reading: no bench is better


@dataclass(frozen=True, kw_only=True)
class IdentifyOptions:
    """What is known beforehand.

    Parameters
    ----------
    sd : standard deviation of a reading over its value, for rows without their own; 0: found from
        the residuals.
    thickness_sd : of the thickness, relative: it is then one more unknown with this prior.
    fixed : values that are not looked for, "LAYER.E" [Pa], "LAYER.nu".
    """

    sd: float = 0.0
    thickness_sd: float = 0.0
    fixed: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("sd", "thickness_sd"):
            value = getattr(self, name)
            if not 0 <= value < 1:
                raise ConfigError(f"{name} must be from 0 to 100 %, got {value:g}")
            if 0 < value < LEAST_SD:
                raise ConfigError(
                    f"{name} must be 0 or at least {100 * LEAST_SD:g} %, got {100 * value:g} %"
                )
        for name, value in self.fixed.items():
            if name.endswith(".E") and not SOFTEST <= value <= STIFFEST:
                raise ConfigError(
                    f"{name} must be from {SOFTEST:g} to {STIFFEST:g} Pa, got {value:g}"
                )


class Unknowns:
    """Which parameters are looked for, and theta <-> point."""

    def __init__(self, family: MaterialFamily, data: BenchData, options: IdentifyOptions) -> None:
        layers = family.mesh.layers
        every = [f"{l}.E" for l in layers] + [f"{l}.nu" for l in layers]
        if unknown := [name for name in options.fixed if name not in every]:
            raise ConfigError(f"nothing is called '{unknown[0]}'; known are {', '.join(every)}")
        self.every = [*every, "eta", "thickness"]
        self.count, self.fixed = len(layers), dict(options.fixed)
        creeps = "creep" in data.tests
        wanted = {
            *(n for n in every if n not in self.fixed),
            *(["eta"] if creeps else []),
            *(["thickness"] if options.thickness_sd else []),
        }
        self.columns = [k for k, name in enumerate(self.every) if name in wanted]
        self.names = tuple(self.every[k] for k in self.columns)
        self.prior = np.array(
            [options.thickness_sd if n == "thickness" else np.inf for n in self.names]
        )
        low, high = [], []
        for name in self.names:
            if name.endswith(".nu"):
                bounds = (LOWEST, family.highest)
            elif name == "eta":
                bounds = (math.log(SHORT), math.log(LONG))
            elif name == "thickness":
                bounds = (-0.2, 0.2)
            else:
                bounds = (math.log(SOFTEST / 10), math.log(STIFFEST * 10))
            low.append(bounds[0])
            high.append(bounds[1])
        self.low, self.high = np.array(low), np.array(high)

    def start(self, modulus: float, ratio: float, eta: float) -> FloatArray:
        """Return theta of one E, nu for all layers, and eta."""
        values = {"eta": math.log(eta), "thickness": 0.0}
        theta = [
            values.get(n, ratio if n.endswith(".nu") else math.log(modulus)) for n in self.names
        ]
        return np.clip(theta, self.low + 1e-6, self.high - 1e-6)

    def point(self, theta: FloatArray) -> BenchPoint:
        """Return all parameters."""
        given = dict(zip(self.names, theta.tolist(), strict=True))

        def value(name: str) -> float:
            if name in self.fixed:
                return self.fixed[name]
            return given[name] if name.endswith(".nu") else math.exp(given[name])

        n = self.count
        return BenchPoint(
            moduli=tuple(map(value, self.every[:n])),
            ratios=tuple(map(value, self.every[n : 2 * n])),
            eta=math.exp(given["eta"]) if "eta" in given else 0.0,
            stretch=given.get("thickness", 0.0),
        )


def first_estimate(
    family: MaterialFamily, data: BenchData, unknowns: Unknowns, ratio: float
) -> FloatArray:
    """Return theta at `ratio` with the one E that fits the readings best: p goes with 1/E."""
    times = [r.time for r in data.readings if math.isfinite(r.time)]
    eta = float(np.median(times)) if times else 1.0
    theta = unknowns.start(1e6, ratio, eta)
    p, _ = predict(family, data.readings, unknowns.point(theta))
    softness = p / data.values  # over that of 1 MPa
    if (wrong := np.flatnonzero(~(softness > 0))).size:
        raise ConfigError(
            f"{_named(data.readings[int(wrong[0])])} would move the other way than the reading for "
            "every E: check loads, sign and units"
        )
    typical = float(np.exp(np.median(np.log(softness))))
    if (far := np.flatnonzero(np.abs(np.log(softness / typical)) > math.log(APART))).size:
        k = int(far[0])
        raise ConfigError(
            f"{_named(data.readings[k])} asks for {softness[k] / typical:.1g} times the E of the "
            "other readings: check loads, readings and units"
        )
    return unknowns.start(1e6 * typical, ratio, eta)


def _named(reading: BenchReading) -> str:
    load = f" and a load of {reading.load:.4g}" if reading.load else ""
    return f"row {reading.row}: {reading.test} with {reading.press:.4g} N{load}"
