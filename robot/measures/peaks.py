"""Largest accelerations of feet and waist: over a run, and of feet while they land."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robot.measures.footfalls import Landing
from robot.measures.low_pass import CUTOFF, low_pass
from robot.run import Run
from sole.arrays import BoolArray, FloatArray
from sole.report import Quantity

TOUCHDOWN = 0.05  # s from the first touch that count as a landing


def peaks(run: Run, seen: BoolArray) -> dict[str, Quantity]:
    """Largest |acceleration|, raw (mean over a step) and low-passed."""
    found = {}
    for name, series in (("foot", "foot_acceleration"), ("waist", "waist_acceleration")):
        a = run[series]
        raw = filtered = Quantity(None, "m/s^2", "every step is needed: record with every=1")
        if run.complete and a.size and np.isfinite(a).all():
            raw = _peak(run, a, seen, f"mean over steps of {1e3 * run.dt:g} ms")
            if CUTOFF * run.dt < 0.5:
                filtered = _peak(run, low_pass(a, run.dt), seen, "zero-phase filter, -3 dB there")
        found[f"{name} acceleration"] = raw
        found[f"{name} acceleration {CUTOFF:g} Hz"] = filtered
    return found


def _peak(run: Run, a: FloatArray, seen: BoolArray, remark: str) -> Quantity:
    """Return the largest |a| of (T, ..., 3) and when it was."""
    size = np.where(seen, np.linalg.norm(a, axis=-1).reshape(len(run), -1).max(axis=1), -1.0)
    i = int(np.argmax(size))
    return Quantity(float(size[i]), "m/s^2", f"largest, at {run.time[i]:.4g} s; {remark}")


def landing_peaks(run: Run, seen: BoolArray, landings: Sequence[Landing]) -> dict[str, Quantity]:
    """Largest |acceleration| of a foot while it lands: what a swing asks for is left out."""
    names = "landing acceleration", f"landing acceleration {CUTOFF:g} Hz"
    a = run["foot_acceleration"]
    if not run.complete or CUTOFF * run.dt >= 0.5 or not (a.size and np.isfinite(a).all()):
        return {name: Quantity(None, "m/s^2", "record with every=1") for name in names}
    landing = np.zeros(a.shape[:2], dtype=np.bool_)
    for one in landings:
        landing[one.row : one.row + round(TOUCHDOWN / run.dt), one.foot] = True
    landing &= seen[:, None]
    if not landing.any():
        return {name: Quantity(None, "m/s^2", "no landing") for name in names}
    within = f"largest in {1e3 * TOUCHDOWN:g} ms from the first touch"
    return {
        name: Quantity(float(np.linalg.norm(series[landing], axis=-1).max()), "m/s^2", within)
        for name, series in zip(names, (a, low_pass(a, run.dt)), strict=True)
    }
