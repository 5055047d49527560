"""Largest accelerations of feet and waist in a run and in landings, and their low-pass filter.

The zero-phase filter of every "low-passed" peak has -3 dB at the stated frequency. A Butterworth
filter of order 2 runs forwards and backwards, which makes order 4. Two passes have -6 dB at the
corner f' of one pass, so f' is raised until both together have -3 dB at f_c:

    tan(pi f' dt) = tan(pi f_c dt) / (sqrt 2 - 1)^(1/4),
    gain(f) = 1 / (1 + (sqrt 2 - 1) (tan(pi f dt)/tan(pi f_c dt))^4),

exactly (the bilinear transform warps frequencies by the tangent). The response to a step overshoots
by 3.4 %, equally before and after it. One pass solves, with t = tan(pi f' dt),

    y_n + a1 y_n-1 + a2 y_n-2 = g (x_n + 2 x_n-1 + x_n-2),   g = t^2/c,  c = 1 + sqrt 2 t + t^2,
    a1 = 2 (t^2 - 1)/c,   a2 = (1 - sqrt 2 t + t^2)/c,

a triangular system with three bands.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from robot.measures.landings import TOUCH, Touchdown
from robot.run import Run
from sole.base.arrays import BoolArray, FloatArray
from sole.base.errors import ConfigError, SoleError
from sole.base.report import Quantity

CUTOFF = 100.0  # Hz, of the peaks in `robot.measures.run_metrics`
NEAR = 5e-3  # s: half of what the filter spreads a hit to
TOUCHDOWN = 0.05
"""Duration of a touchdown [s], from its first contact."""


def low_pass(signal: ArrayLike, dt: float, cutoff: float = CUTOFF) -> FloatArray:
    """Return `signal` (T, ...) low-passed along its first axis; steps of `dt` [s].

    Raises
    ------
    ConfigError
        The cutoff [Hz] is not between 0 and half the sampling rate.
    SoleError
        The signal is not finite or empty.
    """
    x = np.asarray(signal, dtype=float)
    if not 0 < cutoff * dt < 0.5:
        raise ConfigError(
            f"a cutoff of {cutoff:g} Hz needs steps shorter than {500 / max(cutoff, 1e-300):.4g} "
            f"ms, got {1e3 * dt:g} ms"
        )
    if x.ndim == 0 or not len(x) or not np.isfinite(x).all():
        raise SoleError("the signal must be finite and not empty")
    # The odd extension at the ends must outlast the filter's memory, some 1/cutoff.
    pad = min(len(x) - 1, math.ceil(3 / (cutoff * dt)) + 9)
    y = x.reshape(len(x), -1)
    y = np.concatenate([2 * y[0] - y[pad:0:-1], y, 2 * y[-1] - y[-2 : -pad - 2 : -1]])
    t = math.tan(math.pi * cutoff * dt) / (math.sqrt(2) - 1) ** 0.25
    for _ in range(2):
        y = _pass(y, t)[::-1]
    return y[pad : len(y) - pad].reshape(x.shape)


def _pass(x: FloatArray, t: float) -> FloatArray:
    """Return x (T, n) filtered once, from the steady state of x_0; `t` = tan(pi f' dt)."""
    from scipy.linalg import lapack

    c = 1 + math.sqrt(2) * t + t**2
    a = np.array([1.0, 2 * (t**2 - 1) / c, (1 - math.sqrt(2) * t + t**2) / c])
    z = np.concatenate([np.zeros((2, x.shape[1])), x - x[0]])
    driven = t**2 / c * (z[2:] + 2 * z[1:-1] + z[:-2])
    bands = np.repeat(a[:, None], len(x), axis=1)
    y, _ = lapack.dtbtrs(bands, driven, uplo="L", diag="U")
    return np.asarray(y + x[0])


class Hit(NamedTuple):
    """A peak of a foot that touches: its acceleration [m/s^2], low-passed, and its time [s]."""

    acceleration: float
    time: float


def hardest_hit(run: Run) -> Hit | None:
    """Return the largest low-passed |acceleration| of a foot within `NEAR` of any force on it.

    None without a force, or if not every step was recorded. A foot that swings freely is left out.
    """
    from scipy.ndimage import maximum_filter1d

    a = run["foot_acceleration"]
    if not run.complete or CUTOFF * run.dt >= 0.5 or not (a.size and np.isfinite(a).all()):
        return None
    touches = np.linalg.norm(run["wrench_world"][..., :3], axis=-1) > TOUCH * run.weight
    around = maximum_filter1d(touches.astype(np.int8), 2 * round(NEAR / run.dt) + 1, axis=0) > 0
    size = np.where(around, np.linalg.norm(low_pass(a, run.dt), axis=-1), -1.0).max(axis=1)
    i = int(np.argmax(size))
    return Hit(float(size[i]), float(run.time[i])) if size[i] >= 0 else None


def peaks(run: Run, seen: BoolArray) -> dict[str, Quantity]:
    """Return the largest |acceleration| of feet and waist, raw (step means) and low-passed."""
    found = {}
    for name, series in (("foot", "foot_acceleration"), ("waist", "waist_acceleration")):
        a = run[series]
        raw = filtered = Quantity(None, "m/s^2", "needs every step: record with every=1")
        if run.complete and a.size and np.isfinite(a).all():
            raw = _peak(run, a, seen, f"mean over steps of {1e3 * run.dt:g} ms")
            if CUTOFF * run.dt < 0.5:
                filtered = _peak(run, low_pass(a, run.dt), seen, "zero-phase filter, -3 dB there")
        found[f"{name} acceleration"] = raw
        found[f"{name} acceleration {CUTOFF:g} Hz"] = filtered
    return found


def _peak(run: Run, a: FloatArray, seen: BoolArray, remark: str) -> Quantity:
    """Return the largest |a| of (T, ..., 3) and its time."""
    size = np.where(seen, np.linalg.norm(a, axis=-1).reshape(len(run), -1).max(axis=1), -1.0)
    i = int(np.argmax(size))
    return Quantity(float(size[i]), "m/s^2", f"largest, at {run.time[i]:.4g} s; {remark}")


def landing_peaks(
    run: Run, seen: BoolArray, touchdowns: Sequence[Touchdown]
) -> dict[str, Quantity]:
    """Return the largest |acceleration| of a landing foot; the swing is left out."""
    names = "landing acceleration", f"landing acceleration {CUTOFF:g} Hz"
    a = run["foot_acceleration"]
    if not run.complete or CUTOFF * run.dt >= 0.5 or not (a.size and np.isfinite(a).all()):
        return {name: Quantity(None, "m/s^2", "record with every=1") for name in names}
    landing = np.zeros(a.shape[:2], dtype=np.bool_)
    for one in touchdowns:
        landing[one.row : one.row + round(TOUCHDOWN / run.dt), one.foot] = True
    landing &= seen[:, None]
    if not landing.any():
        return {name: Quantity(None, "m/s^2", "no touchdown") for name in names}
    within = f"largest in {1e3 * TOUCHDOWN:g} ms from the first touch"
    return {
        name: Quantity(float(np.linalg.norm(series[landing], axis=-1).max()), "m/s^2", within)
        for name, series in zip(names, (a, low_pass(a, run.dt)), strict=True)
    }
