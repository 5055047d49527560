"""Loads that nothing can hold: found before or after the solver, and named with their limit."""

from __future__ import annotations

import numpy as np

from contact.ground import Plane
from contact.increment import Control, Increment, Options, solve_increment
from contact.load import Load, Wrench
from contact.state import Setting, State
from sole.arrays import FloatArray
from sole.errors import EquilibriumError


def check_load(setting: Setting, load: Load) -> None:
    """Refuse a wrench that no contact forces can balance, whatever the sole's stiffness.

    Raises
    ------
    EquilibriumError
        Tension, a CoP outside the tread, or on a plane a shear beyond mu fz.
    """
    if not isinstance(load, Wrench):
        return
    w = load
    if w.fz <= 0:
        raise EquilibriumError(
            f"a normal force of {w.fz:g} N does not press: the ground cannot pull, give fz > 0"
        )
    x, y = -w.ty / w.fz, w.tx / w.fz
    arms = setting.arms
    # Shear at points above the tread plane has a moment, too: that much more is possible.
    slack = 1e-9 * setting.length + setting.friction * float(np.ptp(arms[:, 2]))
    if _outside(arms[:, :2], np.array([x, y])) > slack:
        (x0, y0), (x1, y1) = arms[:, :2].min(axis=0), arms[:, :2].max(axis=0)
        raise EquilibriumError(
            f"CoP ({x:.4g}, {y:.4g}) m is outside the tread (x {x0:.4g} to {x1:.4g}, "
            f"y {y0:.4g} to {y1:.4g} m): the foot tips over"
        )
    shear, limit = float(np.hypot(w.fx, w.fy)), setting.friction * w.fz
    if setting.friction == 0 and (shear > 0 or w.tz != 0):
        what = f"shear of {shear:.4g} N" if shear else f"yaw {w.tz:g} N m"
        raise EquilibriumError(f"{what} is beyond friction: without friction the limit is 0")
    # The sole tilts a little, and the load with it: loads near the limit are left to the solver.
    if isinstance(setting.ground, Plane) and shear > 1.05 * limit:
        raise EquilibriumError(
            f"shear of {shear:.4g} N is beyond friction: the sole slides at {limit:.4g} N "
            f"(friction {setting.friction:g} times {w.fz:g} N)"
        )


def _outside(points: FloatArray, p: FloatArray) -> float:
    """Distance-like measure of how far `p` is outside the convex hull of `points` (m, 2)."""
    from scipy.spatial import ConvexHull

    equations = ConvexHull(points).equations
    return float((equations[:, :2] @ p + equations[:, 2]).max())


def explain(
    setting: Setting, state: State, load: Load, failed: Increment, options: Options
) -> None:
    """Raise the reason why `load` has no equilibrium; return if one seems to exist.

    The horizontal part of the load is replaced by a work-conjugate motion large enough to make
    the whole sole slide; the load factor that this takes is the limit.

    Raises
    ------
    EquilibriumError
        With the limit load.
    """
    if not isinstance(load, Wrench):
        return
    direction = np.array([load.fx, load.fy, 0.0, 0.0, 0.0, load.tz])
    if not direction.any():
        if failed.ran_away:
            x, y = -load.ty / load.fz, load.tx / load.fz
            raise EquilibriumError(
                f"the foot tips over or slides off: no state of rest with the CoP at "
                f"({x:.4g}, {y:.4g}) m on this ground, the sole is too soft so near the edge"
            )
        return
    limit = sliding_limit(setting, state, load.vector - direction, direction, options)
    if limit is None or limit >= 1.0:
        return
    shear = float(np.hypot(load.fx, load.fy))
    if shear == 0:
        raise EquilibriumError(
            f"yaw {load.tz:g} N m is beyond friction: the sole turns at "
            f"{abs(limit * load.tz):.4g} N m under this load"
        )
    if load.tz == 0:
        raise EquilibriumError(
            f"shear of {shear:.4g} N is beyond friction: the sole slides at "
            f"{limit * shear:.4g} N under this load"
        )
    raise EquilibriumError(
        f"shear of {shear:.4g} N with yaw {load.tz:g} N m is beyond friction: the sole slides "
        f"at {100 * limit:.3g} % of both ({limit * shear:.4g} N, {limit * load.tz:.4g} N m)"
    )


def sliding_limit(
    setting: Setting,
    state: State,
    held: FloatArray,
    direction: FloatArray,
    options: Options,
) -> float | None:
    """Return the largest factor lam such that `held` + lam `direction` has a state of rest.

    None if it could not be computed. Two runs with growing motion tell that it is a plateau.
    """
    # The motion under full load of a sole that sticks, several times over: everything slides.
    stuck = np.linalg.solve(setting.sole.foot_stiffness, direction)
    friction = setting.friction * held[2]
    load = np.hypot(direction[0], direction[1]) + abs(direction[5]) / (setting.length / 2)
    amount = -float(direction @ stuck) * min(1.0, friction / load)
    factors = []
    quick = Options(tolerance=1e-5, max_outer=60, max_sweeps=100, seed=options.seed, polish=False)
    for times in (10.0, 20.0):
        control = Control(wrench=held, direction=direction, amount=times * amount)
        done = solve_increment(setting, state, control, quick)
        if done.error < 1e-2:
            factors.append(done.factor)
    return max(factors) if factors else None
