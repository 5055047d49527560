"""Whether to believe an identification: scatter, outliers, unknowns that the tests do not tell."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from contact.identify.bench_data import BenchData
from contact.identify.fit import Identification, identify
from contact.identify.material_family import MaterialFamily
from contact.identify.next_test import advise_tests
from contact.identify.unknowns import IdentifyOptions
from sole.base.errors import ConfigError, SoleError

WORST_NOISE = 0.12  # scatter of the readings about the fit, beyond which one test is wrong
WORST_SD = {".E": 0.5, ".nu": 0.12, "eta": 0.7}  # E, eta relative: less is not worth a number
OUTLIER = 4.0  # standard deviations
DEEPEST = 0.2  # deformation of a reading: deeper ones are refused
NOTICED = 0.05  # deformation from which nonlinearity is mentioned: 5 % of the stiffness
GUESSES = {
    1000.0: "mm for m, or g for kg", 9.80665: "kg for N", 57.29578: "degrees for radians",
    17.4533: "mrad for degrees", 10.0: "cm for mm",
}  # fmt: skip


def check_readings(family: MaterialFamily, data: BenchData) -> tuple[str, ...]:
    """Return remarks on readings that can be used.

    Raises
    ------
    ConfigError
        A test of fewer than two loads, readings that fall while the load grows, a deformation
        beyond linear elasticity.
    """
    remarks = []
    for test in data.tests:
        rows = [r for r in data.readings if r.test == test]
        points = {(r.press, r.load, r.time) for r in rows}
        if len(points) < 2:
            raise ConfigError(
                f"test '{test}' has one load only: give two at least, a single one hides a wrong "
                "zero"
            )
        deep = max(rows, key=lambda r: r.value)
        depth = deep.value / family.mesh.thickness if deep.axis < 3 else 0.0
        if depth > DEEPEST:
            raise ConfigError(
                f"row {deep.row}: {test} of {1e3 * deep.value:.4g} mm is {depth:.0%} of the "
                f"thickness, beyond linear elasticity ({DEEPEST:.0%}): press less, or check "
                "the units"
            )
        if depth > NOTICED and deep.axis == 2:  # in shear rubber stays linear far longer
            remarks.append(
                f"test '{test}' goes to {depth:.0%} of the thickness: rubber is by then some "
                f"{depth:.0%} stiffer than the linear model, and so is E"
            )
    return tuple(remarks)


def refuse_doubtful(
    family: MaterialFamily, found: Identification, options: IdentifyOptions
) -> tuple[str, ...]:
    """Return remarks on an identification that may be used.

    Raises
    ------
    ConfigError
        The readings contradict each other; unknowns that these tests do not tell, with the test
        that would.
    """
    if found.noise > WORST_NOISE:
        raise ConfigError(
            f"the readings scatter by {found.noise:.0%} about the best fit: "
            + _suspect(family, found, options)
        )
    for k, name in enumerate(found.names):
        limit = next((v for end, v in WORST_SD.items() if name.endswith(end)), math.inf)
        relative = 1.0 if name.endswith(".nu") else found.values[k]
        if found.sd[k] > limit * relative:
            advice = advise_tests(family, found)[0]
            known = found.sd[k] / relative
            raise ConfigError(
                f"the tests ({', '.join(found.data.tests)}) do not determine {name}: its standard "
                f"deviation is {min(known, 99.0):.2g}{'' if relative == 1 else ' of it'}"
                f"{_partner(found, k)}; add '{advice.test}' with the {advice.tool}, or fix one of "
                "them (--fix LAYER.nu=0.45)"
            )
    remarks = []
    worst = int(np.argmax(np.abs(found.residuals)))
    if abs(found.residuals[worst]) > OUTLIER:
        reading = found.data.readings[worst]
        remarks.append(
            f"row {reading.row} ({reading.test}) is {abs(found.residuals[worst]):.1f} standard "
            "deviations from the fit: repeat it"
        )
    return tuple(remarks)


def _partner(found: Identification, k: int) -> str:
    others = np.abs(found.correlation[k]) - np.eye(len(found.names))[k]
    if len(found.names) < 2 or others.max() < 0.9:
        return ""
    name = found.names[int(np.argmax(others))]
    return f" (correlation {found.correlation[k, int(np.argmax(others))]:.3f} with {name})"


def _suspect(family: MaterialFamily, found: Identification, options: IdentifyOptions) -> str:
    """Name the test without which the others agree, and the factor by which it is off."""
    from contact.identify.predictions import predict

    best: tuple[float, str] | None = None
    for test in found.data.tests:
        rest = tuple(r for r in found.data.readings if r.test != test)
        try:
            other = identify(family, replace(found.data, readings=rest), options)
        except SoleError:
            continue
        if other.noise > WORST_NOISE or (best is not None and best[0] < other.noise):
            continue
        rows = [r for r in found.data.readings if r.test == test]
        point = replace(other.point, eta=other.point.eta or found.point.eta)
        p, _ = predict(family, rows, point)
        ratio = float(np.exp(np.mean(np.log(np.array([r.value for r in rows]) / p))))
        off = max(ratio, 1 / ratio)
        near = min(GUESSES, key=lambda g: abs(math.log(g / off)))
        guess = f" ({GUESSES[near]}?)" if abs(math.log(near / off)) < 0.3 else ""
        best = (
            other.noise,
            f"without test '{test}' it is {other.noise:.0%}; its readings are {ratio:.3g} times "
            f"what the others predict{guess}",
        )
    return best[1] if best else "no single test explains it; look at the residuals (--plot)"
