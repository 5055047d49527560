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
    changes = [*member.by_log_modulus, *member.by_poisson, member.by_stretch]
    mesh = family.mesh
    model = BenchModel(mesh.points[mesh.tread_vertices], member.compliance, changes)
    known: dict[tuple[object, ...], ToolResponse] = {}
    p, J = np.empty(len(readings)), np.zeros((len(readings), len(changes) + 1))
    for k, reading in enumerate(readings):
        key = reading.tool, reading.axis, round(reading.load / reading.press, DIGITS)
        if key not in known:
            unit = replace(reading, press=1.0, load=reading.load / reading.press)
            known[key] = model.respond(unit)
        motion = reading.press * known[key].motion[reading.axis]
        slopes = reading.press * known[key].derivative[:, reading.axis]
        grown, slope = _creep(reading.time, point.eta)
        p[k] = grown * motion
        J[k, :-2], J[k, -1] = grown * slopes[:-1], grown * slopes[-1]
        J[k, -2] = slope * motion
    return p, J


def _creep(time: float, eta: float) -> tuple[float, float]:
    """Return 1 - exp(-t/eta) and its derivative for ln eta."""
    if math.isinf(time) or eta <= 0:
        return 1.0, 0.0
    x = time / eta
    return -math.expm1(-x), -x * math.exp(-x)
