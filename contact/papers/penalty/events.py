"""Integrate piecewise smooth laws from one switch to the next, so that no step spans a jump.

Contact laws jump or kink where a gap, a velocity or a saturation changes its sign. Between such
places the law is smooth: the signs are frozen there as the *mode*, the right-hand side is asked
in that mode even a little beyond the switch, and an explicit method of order 8 (DOP853) with a
tight tolerance follows it. Where a switch changes its sign the integration ends and begins anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import DOP853
from scipy.optimize import brentq

from contact.papers.penalty.penalty_checks import (
    require_finite,
    require_not_negative,
    require_positive_number,
    require_whole,
)
from sole.base.arrays import BoolArray, FloatArray, IntArray, frozen
from sole.base.errors import ConvergenceError, SoleError

RightHandSide = Callable[[float, FloatArray, BoolArray], ArrayLike]
Switches = Callable[[float, FloatArray], ArrayLike]

SLACK = 1e-12  # units of the switch: excursions this small are held back, see `integrate`


@dataclass(frozen=True, eq=False)
class SwitchedTrajectory:
    """States at the times asked for, and every event on the way.

    Parameters
    ----------
    times : (N,) [s]; those asked for, up to the end.
    states : (N, d).
    modes : (N, s) which switches are positive; at an event itself, before it.
    event_times, event_states : (E,) [s], (E, d).
    event_switches : (E,) the switch that changed its sign.
    event_signs : (E,) whether it became positive.
    """

    times: FloatArray
    states: FloatArray
    modes: BoolArray
    event_times: FloatArray
    event_states: FloatArray
    event_switches: IntArray
    event_signs: BoolArray


def integrate_switched(
    rhs: RightHandSide,
    switches: Switches,
    start: ArrayLike,
    times: ArrayLike,
    *,
    stop: int | None = None,
    rtol: float = 1e-12,
    atol: float = 1e-14,
    max_step: float = np.inf,
    most: int = 10_000,
) -> SwitchedTrajectory:
    """Integrate y' = rhs(t, y, mode), mode = (switches(t, y) > 0) frozen between events.

    A switch that would turn twice at one instant (a ball whose bounces have become shorter than
    the resolution of time) is held not positive until it exceeds `SLACK`.

    Parameters
    ----------
    rhs : (t, y (d,), mode (s,)) -> y' (d,), smooth in t and y for each mode.
    switches : (t, y) -> (s,), continuous; a zero counts as not positive.
    start : y (d,) at times[0].
    times : (N,) [s] where the states are wanted, increasing; N = 2 for the events alone.
    stop : end with this many events.
    rtol, atol : of each step; atol in the units of y. What is below atol is not followed: 1e-24
        follows bounces to their end, where the right-hand side has no round-off of its own.
    max_step : [s], shorter than the shortest excursion of a switch that matters.
    most : events before giving up.

    Raises
    ------
    SoleError
        For bad times, a bad start, bad tolerances, and slopes of another shape than the state.
    ConvergenceError
        The slopes or the switches are not finite.
        More than `most` events, as when both sides of a switch lead back to it and neither mode
        is right; or the integrator failed.
    """
    T = check_times(times)
    y = require_finite("the start", start).reshape(-1).copy()
    require_positive_number("rtol", rtol)
    require_not_negative("atol", atol)
    if require_whole("most", most) < 1 or not max_step > 0:
        raise SoleError(f"most and max_step must be positive, got {most} and {max_step!r}")
    t, end, done = float(T[0]), float(T[-1]), 1
    mode = _known("the switches", switches(t, y), t) > 0
    recent, held = np.zeros_like(mode), np.zeros(mode.shape)
    states, modes = [y], [mode.copy()]
    events: list[tuple[float, FloatArray, int, bool]] = []
    while t < end and (stop is None or len(events) < stop):
        if len(events) >= most:
            raise ConvergenceError(
                f"{most} events by {t:g} s of {end:g} s: ask for less time; if they are at one "
                "place, both sides of a switch lead back to it"
            )
        # each piece counts its own time tau from 0, so that short ones are resolved too
        begin, now = t, mode.copy()

        def slope(tau: float, y: FloatArray, begin: float = begin, now: BoolArray = now) -> Any:
            found = _known("the slopes", rhs(begin + tau, y, now), begin + tau)
            if found.shape != y.shape:
                raise SoleError(f"the slopes must have shape {y.shape}, got {found.shape}")
            return found

        def level(tau: float, y: FloatArray, begin: float = begin) -> FloatArray:
            return _known("the switches", switches(begin + tau, y), begin + tau) - held

        solver = DOP853(slope, 0.0, y, end - t, rtol=rtol, atol=atol, max_step=max_step)
        fired = np.zeros_like(mode)
        while solver.status == "running" and not fired.any():
            message = solver.step()
            if message is not None:
                raise ConvergenceError(f"the integrator failed at {t:g} s: {message}")
            tau, y = float(solver.t), solver.y
            wrong = (level(tau, y) > 0) != mode
            if wrong.any():
                dense, roots = solver.dense_output(), np.full(mode.shape, np.inf)
                for j in np.flatnonzero(wrong):
                    roots[j] = _root(level, dense, int(j), float(solver.t_old), tau)
                tau = float(roots.min())
                y, fired = dense(tau), roots == tau
            t = begin + tau if fired.any() or solver.status == "running" else end
            held[level(tau, y) < -SLACK] = 0.0
            upto = int(np.searchsorted(T, t, "right"))
            if upto > done:
                dense = solver.dense_output()
                states.extend(dense(min(s - begin, tau)) for s in T[done:upto])
                modes.extend([now] * (upto - done))
                done = upto
        again = fired & recent & (tau == 0.0)
        mode = mode != fired
        events.extend((t, y, int(j), bool(mode[j])) for j in np.flatnonzero(fired))
        held[fired] = np.where(again, SLACK, 0.0)[fired]
        recent = fired | (recent & (tau == 0.0))
    return SwitchedTrajectory(
        times=frozen(T[: len(states)]),
        states=frozen(states),
        modes=frozen(modes, bool),
        event_times=frozen([e[0] for e in events]),
        event_states=frozen(np.reshape([e[1] for e in events], (-1, len(states[0])))),
        event_switches=frozen([e[2] for e in events], np.int64),
        event_signs=frozen([e[3] for e in events], bool),
    )


def _known(name: str, values: ArrayLike, t: float) -> FloatArray:
    array = np.asarray(values, dtype=float)
    if not np.isfinite(array).all():  # an integrator would halve its step for ever
        raise ConvergenceError(f"the integrator failed at {t:g} s: {name} are not finite")
    return array


def _root(
    level: Callable[[float, FloatArray], FloatArray],
    dense: Callable[[float], FloatArray],
    j: int,
    before: float,
    until: float,
) -> float:
    """When switch j crossed zero in a step at whose end it is on the wrong side."""

    def value(tau: float) -> float:
        return float(level(tau, dense(tau))[j])

    first, last = value(before), value(until)
    if last == 0.0:
        return until
    if first == 0.0 or (first > 0) == (last > 0):  # it began there by round-off: it left at once
        return before
    return float(brentq(value, before, until, xtol=1e-300, rtol=1e-15, maxiter=2000))


def check_times(times: ArrayLike) -> FloatArray:
    """Return `times` as floats; raise SoleError unless they are finite and increasing."""
    T = require_finite("times", times)
    if T.ndim != 1 or len(T) < 2 or not (np.diff(T) > 0).all():
        raise SoleError("times must be at least two finite, increasing numbers, start and end")
    return T
