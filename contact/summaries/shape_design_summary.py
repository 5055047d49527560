"""What a shape design asks for, and what its search found beside the best flat pad."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from contact.shape_design import ShapeDesign, ShapeResult, load_shape_design
from sole.base.readable import SHARE, in_words
from sole.base.report import Quantity, Report
from sole.condense import STRAIN_LIMIT, describe_error

__all__ = ["describe_shape", "describe_shape_file"]


def describe_shape_file(path: Path) -> Report:
    """Describe the file of a shape design for `sole info`."""
    return Report("shape design", _asked(load_shape_design(path)))


def _asked(design: ShapeDesign) -> dict[str, Quantity]:
    s = design.search
    rows = {
        f"field {g.surface}": Quantity([*g.range], "m", f"{g.grid[0]} x {g.grid[1]} heights")
        for g in design.field
    }
    rows["factor of E"] = Quantity([*s.stiffness])
    rows["grounds"] = Quantity(len(design.grounds), "", ", ".join(design.grounds))
    rows["stop energy"] = Quantity(
        design.stop.energy, "J", f"{design.stop.mass:g} kg at {design.stop.speed:g} m/s"
    )
    rows["attitudes"] = Quantity(len(design.stop.attitudes))
    rows["stand"] = Quantity(design.stand.force, "N", f"at +-{design.stand.reach:g} of half a side")
    rows["tilt limit"] = Quantity(s.tilt, "rad", "of the flat pad")
    rows["sink limit"] = Quantity(s.sink, "", "of the thickness")
    if s.pressure:
        rows["pressure limit"] = Quantity(s.pressure, "Pa")
    rows["method"] = Quantity(s.method, "", f"at most {s.evaluations} evaluations")
    return rows


def describe_shape(found: ShapeResult, output: Path, table: Path) -> Report:
    """Return the report of a search."""
    flat, best, design = found.flat_worth, found.best_worth, found.problem.design
    count = len(design.grounds)
    rows: dict[str, Quantity] = {
        "peak": Quantity(found.best.peak, "m/s^2", f"mean of {len(best.peaks)} landings"),
        "peak of the best flat pad": Quantity(found.flat.peak, "m/s^2"),
        "gain": Quantity(found.gain, SHARE, "of the flat pad's peak is saved"),
    }
    for k, ground in enumerate(design.grounds):
        a, b = (w.peaks.reshape(count, -1)[k].mean() for w in (best, flat))
        t, u = (w.tilts.reshape(count, -1)[k].max() for w in (best, flat))
        rows[f"gain on {ground}"] = Quantity(
            float(1 - a / b), SHARE,
            f"{a:.3g} instead of {b:.3g} m/s^2; tilt {math.degrees(t):.3g} instead of "
            f"{math.degrees(u):.3g} deg",
        )  # fmt: skip
    rows |= {
        "tilt": Quantity(float(best.tilts.max()), "rad", _beside(flat.tilts.max(), "rad")),
        "sink": Quantity(
            float(best.sinks.max()), SHARE, "of the thickness; " + _beside(flat.sinks.max(), SHARE)
        ),
        "pressure": Quantity(
            float(best.pressures.max()), "Pa",
            "standing, mean of 8th powers; " + _beside(flat.pressures.max(), "Pa"),
        ),
        "factor of E": Quantity(found.best.factor, "", _beside(found.flat.factor, "")),
        "parameters": Quantity(len(found.best.heights) + 1, "", "heights and the factor of E"),
        "evaluations": Quantity(found.evaluations, "", f"shapes condensed; {found.words}"),
        "output": Quantity(str(output), "", f"the best shape, condensed; all shapes: {table.name}"),
        "table": Quantity(str(table)),
    }  # fmt: skip
    return Report("shape design", rows, _remarks(found), frozenset({"table"}))


def _beside(value: float, unit: str) -> str:
    return f"flat pad {in_words([value], unit)}"


def _remarks(found: ShapeResult) -> tuple[str, ...]:
    s, best = found.problem.design.search, found.best_worth
    remarks = []
    if found.best.excess > found.FEASIBLE:
        remarks.append(
            f"no shape within the limits was found: this one exceeds one by "
            f"{100 * found.best.excess:.2g} %; give more evaluations or wider ranges"
        )
    if best.kinks:
        remarks.append(
            f"in {best.kinks} of {len(best.peaks) + len(best.tilts)} states of rest a node is "
            "about to touch or to open: the gradients there were those of one side"
        )
    if (sunk := float(best.sinks.max())) > STRAIN_LIMIT:
        remarks.append(
            f"the sole sinks by {sunk:.2g} of its thickness in a landing, beyond linear "
            f"elasticity ({STRAIN_LIMIT:g}): {describe_error(sunk)}"
        )
    low, high = map(math.log, s.stiffness)
    at = math.log(found.best.factor)
    if np.isclose(at, low, atol=1e-6) or np.isclose(at, high, atol=1e-6):
        remarks.append(
            "the factor of E is at the end of its range: a wider `stiffness` may do better"
        )
    return tuple(remarks)
