"""Which test to do next: what four more readings of each kind would leave of the intervals.

The information of readings adds up, J'J/sigma^2 [Walter1997]; after more of them the covariance
is the inverse of the sum. Tests are ranked by the volume of the unknowns' ellipsoid.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from contact.identify.bench_data import TESTS, BenchReading
from contact.identify.bench_tool import BenchTool
from contact.identify.fit import Identification, reading_covariance
from contact.identify.material_family import MaterialFamily
from sole.base.errors import EquilibriumError

MORE = 4  # readings
LOAD = 0.3  # shear over press; lever of a tilt and a torsion over the tool's half size
LEAST = 0.005  # standard deviation of a reading that nobody beats


@dataclass(frozen=True, kw_only=True)
class TestAdvice:
    """A test and the standard deviations (k,) that four readings of it would leave.

    `sd` is in the units of `Identification.values`; `gain` is the ratio of the ellipsoid's volume
    before and after, > 1.
    """

    __test__ = False  # pytest: not a test

    test: str
    tool: str
    sd: tuple[float, ...]
    gain: float


def advise_tests(family: MaterialFamily, found: Identification) -> tuple[TestAdvice, ...]:
    """Return the tests with the tools used so far and a plate, the most telling first."""
    J = found.jacobian / found.sigma[:, None]
    share = max(found.noise, LEAST)
    names = [f"{l}.E" for l in family.mesh.layers] + [f"{l}.nu" for l in family.mesh.layers]
    every = [*names, "eta", "thickness"]
    columns = [every.index(name) for name in found.names]
    prior = np.zeros(len(columns))  # a thickness that is looked for keeps what the fit knew
    if "thickness" in found.names:
        k = found.names.index("thickness")
        prior[k] = (found.values[k] / found.sd[k]) ** 2
    before = J.T @ J + np.diag(prior)
    press = float(np.median([r.press for r in found.data.readings]))
    advice = []
    for tool in dict.fromkeys([BenchTool(), *(r.tool for r in found.data.readings)]):
        for test in TESTS:
            if test == "creep" and "eta" not in found.names:
                continue
            rows = [_candidate(family, tool, test, press, found)] * MORE
            try:
                gained = reading_covariance(family, rows, found.point, share)
            except EquilibriumError:
                continue
            after = before + gained[np.ix_(columns, columns)]
            sd = np.sqrt(np.maximum(np.linalg.pinv(after, hermitian=True).diagonal(), 0.0))
            units = [
                1.0 if n.endswith(".nu") else v
                for n, v in zip(found.names, found.values, strict=True)
            ]
            gain = math.exp((_log_volume(after) - _log_volume(before)) / 2)
            advice.append(
                TestAdvice(
                    test=test, tool=tool.name, sd=tuple((np.array(units) * sd).tolist()), gain=gain
                )
            )
    return tuple(sorted(advice, key=lambda a: -a.gain))


def _log_volume(A: np.ndarray) -> float:
    """Return ln det A; a direction without information counts as 1e-14 of the largest."""
    w = np.linalg.eigvalsh(A)
    return float(np.log(np.maximum(w, 1e-14 * w[-1])).sum())


def _candidate(
    family: MaterialFamily, tool: BenchTool, test: str, press: float, found: Identification
) -> BenchReading:
    points = family.mesh.points[family.mesh.tread_vertices]
    half = np.ptp(points[:, :2], axis=0) / 2
    if tool.length:
        half = np.array([tool.length, tool.width]) / 2
    lever = {3: half[1], 4: half[0], 5: float(np.hypot(*half))}
    axis = TESTS[test]
    load = LOAD * press * float(lever.get(axis, 1.0)) if axis != 2 else 0.0
    return BenchReading(
        test=test, tool=tool, press=press, load=load, value=1.0,
        time=found.point.eta if test == "creep" else math.inf,
    )  # fmt: skip
