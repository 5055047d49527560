"""The readings that materials predict, and their derivatives for every unknown.

    press, shear, tilt, torsion   the tool's motion s(C) along its load (`BenchModel`),
    creep                         s (1 - exp(-t/eta)), the Kelvin-Voigt sole F = K U + eta K dU/dt.

A flat tool on a flat tread touches at once, so s grows in proportion to the load also where part
of the tread opens: one state of rest serves all loads of one direction.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from contact.identify.bench_data import BenchReading
from contact.identify.bench_model import BenchModel, ToolResponse
from contact.identify.bench_tool import BenchTool
from contact.identify.material_family import MaterialFamily
from sole.base.arrays import FloatArray

DIGITS = 12  # of load over press: equal directions


@dataclass(frozen=True, kw_only=True)
class BenchPoint:
    """One point of all parameters: E (layers,) [Pa], nu (layers,), eta [s], ln(thickness ratio)."""

    moduli: tuple[float, ...]
    ratios: tuple[float, ...]
    eta: float = 0.0
    stretch: float = 0.0


def predict(
    family: MaterialFamily, readings: Sequence[BenchReading], point: BenchPoint
) -> tuple[FloatArray, FloatArray]:
    """Return the readings p (n,) [m, rad] at a point and dp/d(ln E.., nu.., ln eta, stretch).

    The derivative has 2 layers + 2 columns.

    Raises
    ------
    EquilibriumError
        A load under which the tool tips.
    """
    member = family.at(np.array(point.moduli), np.array(point.ratios), point.stretch)
    mesh, n = family.mesh, len(readings)
    model = BenchModel(mesh.points[mesh.tread_vertices], member.compliance)
    known: dict[tuple[BenchTool, int, float], tuple[int, ToolResponse]] = {}
    p, J, of_load = np.empty(n), np.zeros((n, 2 * len(mesh.layers) + 2)), np.empty(n, np.int64)
    for k, reading in enumerate(readings):
        key = reading.tool, reading.axis, round(reading.load / reading.press, DIGITS)
        if key not in known:
            unit = replace(reading, press=1.0, load=reading.load / reading.press)
            known[key] = len(known), model.respond(unit)
        of_load[k], response = known[key]
        p[k] = reading.press * response.motion[reading.axis]
    responses = [response for _, response in known.values()]
    adjoint = [r.adjoint[:, axis] for (_, axis, _), r in zip(known, responses, strict=True)]
    slopes = member.slopes(np.array(adjoint).T, np.array([r.forces.ravel() for r in responses]).T)
    for k, reading in enumerate(readings):
        grown, slope = _creep(reading.time, point.eta)
        change = grown * reading.press * slopes[:, of_load[k]]
        J[k, :-2], J[k, -2], J[k, -1] = change[:-1], slope * p[k], change[-1]
        p[k] *= grown
    return p, J


def _creep(time: float, eta: float) -> tuple[float, float]:
    """Return 1 - exp(-t/eta) and its derivative for ln eta."""
    if math.isinf(time) or eta <= 0:
        return 1.0, 0.0
    x = time / eta
    return -math.expm1(-x), -x * math.exp(-x)
