"""How far the linear model of a press is off: the same press at finite strain beside it.

The error is linear/finite - 1. That of the sink is judged at the deepest point of the tread, since
the origin's own passes through 0 when the foot tilts.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from contact.finite_press import FinitePressResult, press_finite
from contact.margins import press_margin
from contact.press import PressedSole, PressOptions, PressResult, peak_pressure, press
from contact.problem import ContactStatus
from contact.solvers import SolveProgress
from sole.base.arrays import FloatArray
from sole.base.errors import SoleError
from sole.base.report import Quantity, Report
from sole.condense import FOAM, NOTED_ERROR, WARNED_ERROR, condense, no_range_warnings
from sole.hyperelastic import FiniteSole
from sole.laws import HyperelasticLaw, HyperelasticMaterial, Hyperfoam, NeoHooke
from sole.material import Material

LEVEL = 1e-3  # [rad] a smaller tilt is none
JUDGED = ("sink", "tilt", "vertical stiffness", "roll stiffness", "pitch stiffness")


def check_press(
    linear: PressResult, options: PressOptions, progress: SolveProgress
) -> FinitePressResult:
    """Return the press of a linear sole at finite strain, with `law_like` of its materials."""
    laws = [law_like(material) for material in linear.sole.materials]
    sole = FiniteSole(linear.mesh, laws, linear.sole.element)
    return press_finite(
        sole, linear.path, linear.ground, linear.friction, options=options, progress=progress
    )


def law_like(material: Material) -> HyperelasticLaw:
    """Return a law with the same E and nu at rest: neo-Hooke for rubber, hyperfoam for foam.

    A foam is what has a Poisson's ratio below `sole.condense.FOAM`; its power is 8.
    """
    E, nu = material.young_modulus, material.poisson_ratio
    return Hyperfoam.of(E, nu) if nu < FOAM else NeoHooke.of(E, nu)


def check_finite(finite: FinitePressResult, options: PressOptions) -> PressResult:
    """Return the press of the linear sole with the constants that the laws have at rest."""
    materials = [HyperelasticMaterial(law=law).at_rest for law in finite.sole.laws]
    sole = condense(finite.mesh, materials, finite.sole.element)
    with no_range_warnings():
        return press(sole, finite.path, finite.ground, finite.friction, options=options)


def with_check(report: Report, linear: PressResult, finite: FinitePressResult) -> Report:
    """Return a report with rows of both values and the linear model's error, and notes on it."""
    stiff = _stiffness(linear, linear.sole.compliance)
    state = finite.sole.evaluate(finite.u)
    assert state.tangent is not None
    try:
        true = _stiffness(finite, finite.sole.condense(state.tangent).compliance)
    except SoleError:  # the sole softens under this load: its tangent is not positive definite
        true = np.full((6, 6), np.nan)
    pairs = {
        "sink": (linear.penetration, finite.penetration, "m"),
        "tilt": (_tilt(linear), _tilt(finite), "rad"),
        "vertical stiffness": (stiff[2, 2], true[2, 2], "N/m"),
        "roll stiffness": (stiff[3, 3], true[3, 3], "N m"),
        "pitch stiffness": (stiff[4, 4], true[4, 4], "N m"),
        "peak": (_peak(linear), _peak(finite), "Pa"),
        "contact": (linear.contact_area, finite.contact_area, "m^2"),
        "margin": (_margin(linear), _margin(finite), ""),
    }
    rows, wrong = {}, {}
    for name, (a, b, unit) in pairs.items():
        told = "linear, finite strain"
        if np.isfinite([a, b]).all() and b != 0 and (name != "tilt" or b > LEVEL):
            error = a / b - 1
            told += f": {100 * error:+.2g} %"
            wrong[name] = abs(error)
        rows[f"checked {name}"] = Quantity(np.array([a, b]), unit, told)
    judged = {name: error for name, error in wrong.items() if name in JUDGED}
    worst = max(judged, key=lambda name: judged[name], default=None)
    notes = report.warnings
    if worst is not None and judged[worst] >= NOTED_ERROR:
        told = f"the linear model is off by {100 * judged[worst]:.2g} % in {worst}"
        if judged[worst] >= WARNED_ERROR:
            told += ": do not trust it here, press at finite strain (--finite)"
        notes += (told,)
    return replace(report, quantities={**report.quantities, **rows}, warnings=notes)


def _stiffness(pressed: PressedSole, compliance: FloatArray) -> FloatArray:
    """G' C_AA^-1 G (6, 6), the foot on its loaded nodes A as if they stuck, about the origin."""
    loaded = np.flatnonzero(pressed.status != ContactStatus.OPEN)
    rows = (3 * loaded[:, None] + np.arange(3)).ravel()
    G = pressed.view.setting.sole.geometry[rows]  # at deformed arms, if those turn the foot
    return np.asarray(G.T @ np.linalg.solve(compliance[np.ix_(rows, rows)], G))


def _tilt(pressed: PressedSole) -> float:
    return float(np.hypot(*pressed.motion[3:5]))


def _peak(pressed: PressedSole) -> float:
    return peak_pressure(pressed.mesh, pressed.pressure).value


def _margin(pressed: PressedSole) -> float:
    try:
        return float(press_margin(pressed).value)
    except SoleError:
        return float("nan")
