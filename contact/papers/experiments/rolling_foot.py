"""Loss of the stiffness U of a foot as it rolls over its front edge: springs and finite elements.

Four pads carry 500 N while the CoP moves forward to the last whole millimetre at which the foot
rests. That is before the edge: the load stays upright while the foot tilts, so its lever arm over
the edge shrinks with the cosine of the tilt, and beyond some CoP the foot tips over. The figure
shows U of the part in contact over U of the whole foot: for sinking, and for the weakest motion,
which limits torque control.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from contact.papers.foundation import (
    WinklerFoundation,
    directions,
    four_pads,
    pressed_U,
    sole_U,
    tread_region,
)
from contact.press import Wrench, press
from sole.base.arrays import FloatArray
from sole.base.errors import EquilibriumError
from sole.claims import Effort, Findings
from sole.condense import CondensedSole, condense
from sole.material import Material
from sole.mesh import mesh_shape
from sole.shape import preset

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FEM", "SPRINGS", "RollingRow", "reproduce_rolling_foot", "roll_foot"]

FEM, SPRINGS = "finite elements", "springs E/d"
WHAT = {"area": "in contact", "stiffness in sinking": "1: all nodes stick; in FEM the rim slips"}
WHAT |= {"weakest motion": "smallest s of U v = s U_whole v"}
RUBBER = Material(young_modulus=2e6, poisson_ratio=0.45)


class RollingRow(NamedTuple):
    """CoP [m], then shares of the whole foot: area, stiffness in sinking, weakest motion."""

    model: str
    cop: float
    area: float
    sinking: float
    smallest: float


def _stand(springs: WinklerFoundation, wrench: FloatArray) -> FloatArray:
    """Return the pose in which unilateral springs carry `wrench`, by Newton's method with U."""
    x = np.linalg.solve(springs.U, wrench)
    for _ in range(30):
        now = springs.pressed(x)
        x = x + np.linalg.solve(now.U, wrench - now.wrench)
    return np.asarray(x)


def _last_rest(sole: CondensedSole, force: float) -> float:
    """Return the largest CoP x [m], in whole millimetres, at which the foot rests, by bisection.

    Raises
    ------
    EquilibriumError
        The foot does not rest with the CoP at 0 either.
    """
    press(sole, Wrench.standing(force))
    rests, tips = 0, int(np.ceil(1e3 * sole.points[:, 0].max()))  # [mm]; no CoP beyond the edge
    while tips - rests > 1:
        middle = (rests + tips) // 2
        try:
            press(sole, Wrench.standing(force, cop=(1e-3 * middle, 0.0)))
        except EquilibriumError:
            tips = middle
        else:
            rests = middle
    return 1e-3 * rests


def roll_foot(force: float = 500.0, size: float = 0.01, steps: int = 12) -> list[RollingRow]:
    """Move the CoP of `force` [N] along x to the last whole millimetre of rest, in `steps`.

    The springs go as far as finite elements do; for small angles they know of no tipping.
    """
    sole = condense(mesh_shape(preset("lola"), size, size), RUBBER, "ccr")
    springs = WinklerFoundation.of_layer(
        tread_region(sole.mesh), RUBBER.young_modulus, sole.thickness
    )
    rows = []
    for cop in np.linspace(0.0, _last_rest(sole, force), steps):
        on = springs.pressed(_stand(springs, np.array([0.0, -cop * force, force])))
        result = press(sole, Wrench.standing(force, cop=(cop, 0.0)))
        for model, U, whole, area in (
            (FEM, pressed_U(result), sole_U(sole), result.contact_area),
            (SPRINGS, on.U, springs.U, float(on.area)),
        ):
            shares = area / springs.region.area, U[2, 2] / whole[2, 2]
            rows.append(RollingRow(model, cop, *shares, directions(U, whole).shares[2]))
    return rows


def reproduce_rolling_foot(effort: Effort) -> Findings:
    """Measure U on four pads, and what is left of it as the foot rolls over its front edge."""
    rows = roll_foot(size=0.025, steps=4) if effort.quick else roll_foot()
    springs, fem = ([r for r in rows if r.model == model] for model in (SPRINGS, FEM))
    foot = WinklerFoundation.of_layer(four_pads(0.26, 0.13, 0.05, 0.04), 2e6, 0.02)
    U, x = foot.U, np.array([1e-4, -2e-4, -3e-4])
    return Findings(
        numbers={
            "asymmetry": float(np.abs(U - U.T).max() / np.abs(U).max()),
            "linear_error": float(np.abs(U @ x / foot.U_with_cosines(x).dot(x) - 1).max()),
            "last_rest": 1e3 * fem[-1].cop,
            "springs_edge": springs[-1].smallest / springs[0].smallest,
            "fem_edge": fem[-1].smallest / fem[0].smallest,
            "springs_area": springs[-1].area,
        },
        pictures={"closed_contacts": lambda: _figure(rows)},
    )


def _figure(rows: list[RollingRow]) -> Figure:
    from matplotlib.figure import Figure

    axes = (figure := Figure(figsize=(12, 3.9), layout="constrained")).subplots(1, 3)
    for k, (what, title) in enumerate(WHAT.items()):
        for model, line in ((FEM, "o"), (SPRINGS, "-")):
            own = [r for r in rows if r.model == model]
            y = [(r.area, r.sinking, r.smallest)[k] for r in own]
            axes[k].plot([1e3 * r.cop for r in own], y, line, label=model)
        axes[k].set(xlabel="CoP x [mm]", ylabel=f"{what}, share of whole foot", title=title)
    axes[0].legend()
    axes[2].set_yscale("log")
    return figure
